/* Words: what only messages need. A model runs without them, and a table that would be long is left out: then a
 * message names less.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_WORDS_H
#define IMAGE_WORDS_H

#include "base/diag.h"

#include <stdbool.h>

enum {
    WORD_TEXTS_MAX = 1 << 15, // texts of one table
    WORD_RUNS_MAX = 1 << 16   // places of one table
};

typedef enum word_kind { // of an element of w
    WORD_OTHER,
    WORD_RELATION, // true or false
    WORD_JUMP,     // a number: floor(x)
    WORD_DISCRETE  // a variable
} word_kind;

/* The place in the text of what is computed; elements that follow each other often have it in common. */
typedef struct word_run {
    int first; // element; the run ends where the next one begins
    span at;   // empty: none
} word_run;
typedef struct word_places {
    int n, n_of;   // runs; elements that they tell of. 0: the table is left out
    word_run *run; // n of them, by `first`
} word_places;

/* By component of y: which row of the residual it is found by. */
typedef struct word_solved {
    int first;  // component; the run ends where the next one begins
    int row;    // of the first component, the next ones have the next rows; -1: none
    bool alone; // the row has this component to itself: no other is found together with it
} word_solved;

typedef struct word_package { // a component whose declaration leaves a medium open, and which it is
    const char *component, *package;
} word_package;

typedef struct word_table {
    int n_p, n_w, n_relations, n_discrete, n_actions; // 0: the tables by it are left out
    const char **p;                                   // by parameter: its name; NULL: hidden
    const char **w;        // by element of w: what it is, in Modelica; NULL: it has no name
    uint8_t *w_kind;       // by element of w: word_kind
    const char **relation; // by relation: its text
    const char **discrete; // by discrete equation: the name of its variable; NULL: hidden
    span *relation_at, *discrete_at, *action_at; // by relation, discrete equation, action
    int n_computed;
    const char *
        *computed; // by output of code_outputs.computed: the variable that it gives; NULL: none
    int n_packages;
    word_package *packages; // components in the order of their variables, each once
    int n_solved;
    word_solved *solved; // n_solved runs, by `first`
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
