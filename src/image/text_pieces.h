/* Texts that are results, as lists of pieces: the values of String variables, the messages of assert and
 * terminate. Their numbers are outputs of one function (code_events.messages), evaluated when a text
 * is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_TEXT_PIECES_H
#define IMAGE_TEXT_PIECES_H

#include <stdint.h>

/* A number in a text: an output, or a constant. */
enum { TEXT_CONSTANT = -1, TEXT_NOT_KNOWN = -2 };
typedef struct text_number {
    double constant;
    int output; // of code_events.messages, or TEXT_CONSTANT, or TEXT_NOT_KNOWN: it is written as "..."
} text_number;

typedef enum text_type { TEXT_REAL, TEXT_INTEGER, TEXT_BOOLEAN, TEXT_ENUMERATION } text_type;

/* String(value, minimumLength, leftJustified, significantDigits), or String(value, format). */
typedef struct text_format {
    uint8_t type;                  // text_type
    int first_literal, n_literals; // of literals, where it is an enumeration
    text_number width, left, digits;
    const char *c_format; // one conversion of printf without the %; NULL: what stands above decides
} text_format;

typedef enum text_piece_kind {
    TEXT_WORDS,
    TEXT_NUMBER,
    TEXT_CHOICE // the next n_yes pieces where the number is not 0; otherwise the n_no pieces after those
} text_piece_kind;

typedef struct text_piece {
    uint8_t kind;      // text_piece_kind
    int number;        // of numbers; -1: none
    int format;        // of formats; -1: none
    int n_yes, n_no;   // of a choice
    const char *words; // NULL: it is no TEXT_WORDS
} text_piece;

typedef struct text_list { // pieces that follow each other
    int first, n;
} text_list;

typedef struct text_named { // a variable that is told with its value
    int var, times;         // its name: that of a variable, der() of it so many times
    int number, format;
} text_named;

typedef struct text_table {
    int n_numbers, n_formats, n_literals, n_pieces, n_named, n_actions, n_strings;
    text_number *numbers; // of pieces and named; equal ones are there once
    text_format *formats;
    const char **literals; // of enumerations
    text_piece *pieces;    // of all lists
    text_named *named;     // of all actions
    text_list *message;    // by action: pieces
    text_list *variables;  // by action: named
    text_list *strings;    // by String that can be told while the model runs: pieces
} text_table;

#endif
