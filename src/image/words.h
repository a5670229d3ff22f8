/* Words: what only messages need. A model runs without them, and a table that would be long is left out: then a
 * message names less.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_WORDS_H
#define IMAGE_WORDS_H

#include "base/source.h"
#include "image/list.h"

enum {
    WORD_TEXTS_MAX = 1 << 15, // of one table
    WORD_RUNS_MAX = 1 << 16   // of one table
};

// clang-format off

/* The place in the text of what is computed; elements that follow each other often have it in common. */
#define WORD_RUN(X)                                                                                                              \
    X(NUMBER, int, first, "its first element; it ends where the next run begins")                                                \
    X(PART, span, at, "empty: none")
typedef struct word_run {
    WORD_RUN(IMAGE_MEMBER)
} word_run;

#define WORD_PLACES(X)                                                                                                           \
    X(COUNT, n, "runs; 0: the table is left out")                                                                                \
    X(COUNT, n_of, "elements that they tell of")                                                                                 \
    X(PACKED, word_run, run, x->n, "by first element")
typedef struct word_places {
    WORD_PLACES(IMAGE_MEMBER)
} word_places;

#define WORD_RELATION(X)                                                                                                         \
    X(TEXT, text, "in Modelica, cut where it is long")                                                                           \
    X(NUMBER, bool, jumps, "its value is a number, as that of floor(x), not true or false")
typedef struct word_relation {
    WORD_RELATION(IMAGE_MEMBER)
} word_relation;

/* An element of w that is neither a relation nor a variable. */
#define WORD_ELEMENT(X)                                                                                                          \
    X(NUMBER, int, place, "in w")                                                                                                \
    X(TEXT, text, "initial(), delay(x, 1)")
typedef struct word_element {
    WORD_ELEMENT(IMAGE_MEMBER)
} word_element;

/* A component whose declaration leaves a medium open, and which it is. */
#define WORD_PACKAGE(X)                                                                                                          \
    X(TEXT, component, "its name")                                                                                               \
    X(TEXT, package, "the medium")
typedef struct word_package {
    WORD_PACKAGE(IMAGE_MEMBER)
} word_package;

/* Which row of the residual a component of y is found by. */
#define WORD_SOLVED(X)                                                                                                           \
    X(NUMBER, int, first, "component; the run ends where the next one begins")                                                   \
    X(INDEX, int, row, -1, m->n, "of the first component, the next ones have the next rows; -1: none")                           \
    X(NUMBER, bool, alone, "no other component is found together with it")
typedef struct word_solved {
    WORD_SOLVED(IMAGE_MEMBER)
} word_solved;

#define WORD_TABLE(X)                                                                                                            \
    X(COUNT, n_relations, "relations")                                                                                           \
    X(PARTS, word_relation, relations, x->n_relations, "by relation")                                                            \
    X(COUNT, n_elements, "elements of w")                                                                                        \
    X(PARTS, word_element, elements, x->n_elements, "no two of one place")                                                       \
    X(COUNT, n_packages, "components")                                                                                           \
    X(PARTS, word_package, packages, x->n_packages, "in the order of variables, each component once")                            \
    X(COUNT, n_solved, "runs of components")                                                                                     \
    X(PARTS, word_solved, solved, x->n_solved, "by first component")
typedef struct word_table {
    WORD_TABLE(IMAGE_MEMBER)
} word_table;

// clang-format on

static inline span word_place_of(const word_places *x, int element) // empty: not known
{
    int low = 0, high = x->n - 1;
    if (element < 0 || element >= x->n_of) return (span){0};
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->run[mid].first <= element) low = mid;
        else high = mid - 1;
    }
    return x->run[low].at;
}

#endif
