/* Texts that are results, as lists of pieces: the values of String variables, the messages of assert and
 * terminate. Their numbers are outputs of one function (code_events.messages), evaluated when a text
 * is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_TEXT_PIECES_H
#define IMAGE_TEXT_PIECES_H

#include "image/list.h"

enum { TEXT_CONSTANT = -1, TEXT_NOT_KNOWN = -2 };
typedef enum text_type { TEXT_REAL, TEXT_INTEGER, TEXT_BOOLEAN, TEXT_ENUMERATION } text_type;
enum { TEXT_N_TYPES = TEXT_ENUMERATION + 1 };
typedef enum text_piece_kind {
    TEXT_WORDS,
    TEXT_NUMBER,
    TEXT_CHOICE // the next n_yes pieces if the number is not 0; otherwise the n_no pieces after those
} text_piece_kind;
enum { TEXT_N_PIECE_KINDS = TEXT_CHOICE + 1 };

// clang-format off

/* A number in a text: an output, or a constant. */
#define TEXT_NUMBER_LIST(X)                                                                                                      \
    X(NUMBER, double, constant, "if it is a constant")                                                                           \
    X(INDEX, int, output, TEXT_NOT_KNOWN, m->events.messages.n_out, "of messages, or TEXT_CONSTANT, or TEXT_NOT_KNOWN: written as ...")
typedef struct text_number {
    TEXT_NUMBER_LIST(IMAGE_MEMBER)
} text_number;

/* String(value, minimumLength, leftJustified, significantDigits), or String(value, format). */
#define TEXT_FORMAT(X)                                                                                                           \
    X(INDEX, uint8_t, type, 0, TEXT_N_TYPES, "text_type")                                                                        \
    X(INDEX, int, first_literal, 0, m->events.texts.n_literals + 1, "of an enumeration: its first name among literals")          \
    X(INDEX, int, n_literals, 0, m->events.texts.n_literals - x->first_literal + 1, "of an enumeration: its names")              \
    X(PART, text_number, width, "minimumLength")                                                                                 \
    X(PART, text_number, left, "leftJustified")                                                                                  \
    X(PART, text_number, digits, "significantDigits")                                                                            \
    X(TEXT, c_format, "one conversion of printf without the %; NULL: what stands above decides")
typedef struct text_format {
    TEXT_FORMAT(IMAGE_MEMBER)
} text_format;

#define TEXT_PIECE(X)                                                                                                            \
    X(INDEX, uint8_t, kind, 0, TEXT_N_PIECE_KINDS, "text_piece_kind")                                                            \
    X(INDEX, int, number, -1, m->events.texts.n_numbers, "of numbers; -1: none")                                                 \
    X(INDEX, int, format, -1, m->events.texts.n_formats, "of formats; -1: none")                                                 \
    X(COUNT, n_yes, "of a choice: pieces if the number is not 0")                                                                \
    X(COUNT, n_no, "of a choice: pieces if it is 0")                                                                             \
    X(TEXT, words, "NULL: it is no TEXT_WORDS")
typedef struct text_piece {
    TEXT_PIECE(IMAGE_MEMBER)
} text_piece;

/* Pieces, or named variables, that follow each other. */
#define TEXT_LIST(X)                                                                                                             \
    X(INDEX, int, first, 0, (int64_t)m->events.texts.n_pieces + m->events.texts.n_named + 1, "the first of them")                \
    X(COUNT, n, "how many")
typedef struct text_list {
    TEXT_LIST(IMAGE_MEMBER)
} text_list;

/* A variable that a message shows with its value. */
#define TEXT_NAMED(X)                                                                                                            \
    X(INDEX, int, var, 0, m->variables.n, "variable")                                                                            \
    X(NUMBER, int, times, "the name is that of this derivative")                                                                 \
    X(INDEX, int, number, -1, m->events.texts.n_numbers, "its value, of numbers")                                                \
    X(INDEX, int, format, -1, m->events.texts.n_formats, "of formats")
typedef struct text_named {
    TEXT_NAMED(IMAGE_MEMBER)
} text_named;

#define TEXT_TABLE(X)                                                                                                            \
    X(COUNT, n_numbers, "numbers of pieces and of named variables")                                                              \
    X(PARTS, text_number, numbers, x->n_numbers, "equal ones are there once")                                                    \
    X(COUNT, n_formats, "formats")                                                                                               \
    X(PARTS, text_format, formats, x->n_formats, "formats")                                                                      \
    X(COUNT, n_literals, "names of values of enumerations")                                                                      \
    X(TEXTS, literals, x->n_literals, "these names")                                                                             \
    X(COUNT, n_pieces, "pieces of all lists")                                                                                    \
    X(PARTS, text_piece, pieces, x->n_pieces, "these pieces")                                                                    \
    X(COUNT, n_named, "named variables of all actions")                                                                          \
    X(PARTS, text_named, named, x->n_named, "these variables")                                                                   \
    X(COUNT, n_actions, "actions")                                                                                               \
    X(PARTS, text_list, message, x->n_actions, "by action: pieces")                                                              \
    X(PARTS, text_list, variables, x->n_actions, "by action: named variables")                                                   \
    X(COUNT, n_strings, "Strings that can be told while the model runs")                                                         \
    X(PARTS, text_list, strings, x->n_strings, "by String: pieces")
typedef struct text_table {
    TEXT_TABLE(IMAGE_MEMBER)
} text_table;

// clang-format on

#endif
