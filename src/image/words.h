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
    X(PARTS, word_run, run, x->n, "by first element")
typedef struct word_places {
    WORD_PLACES(IMAGE_MEMBER)
} word_places;

// clang-format on

typedef struct word_relation {
    const char *text; // in Modelica, cut where it is long
    bool jumps;       // its value is a number, as that of floor(x), not true or false
} word_relation;

typedef struct word_element { // of w, which is neither a relation nor a variable
    int place;
    const char *text; // initial(), delay(x, 1)
} word_element;

typedef struct word_package { // a component whose declaration leaves a medium open, and which it is
    const char *component, *package;
} word_package;

/* Which row of the residual a component of y is found by. */
typedef struct word_solved {
    int first;  // component; the run ends where the next one begins
    int row;    // of the first component, the next ones have the next rows; -1: none
    bool alone; // the row has this component to itself: no other is found together with it
} word_solved;

typedef struct word_table {
    int n_relations, n_elements, n_packages, n_solved;
    word_relation *relations; // by relation
    word_element *elements;   // no two of one place
    word_package *packages;   // in the order of variables, each component once
    word_solved *solved;      // n_solved runs, by `first`
} word_table;

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
