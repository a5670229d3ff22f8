/* A long list of whole numbers that follow a pattern, in little memory.
 *
 * Models of many like components repeat: from component to component numbers stay, or grow by the same. A run says so
 * for stretches of any length; what follows no pattern is a run that does not repeat.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_COLUMN_H
#define IMAGE_COLUMN_H

#include "image/list.h"

// clang-format off

/* From `first` to the run after it. */
#define IMAGE_COLUMN_RUN(X)                                                                                                      \
    X(NUMBER, int, first, "its first element; ascending, from 0 on")                                                             \
    X(NUMBER, int, period, "elements that repeat, more than 0")                                                                  \
    X(NUMBER, int, at, "values of the first period; behind them, where there are more periods, what each grows by to the next")
typedef struct image_column_run {
    IMAGE_COLUMN_RUN(IMAGE_MEMBER)
} image_column_run;

#define IMAGE_COLUMN(X)                                                                                                          \
    X(COUNT, n, "elements")                                                                                                      \
    X(COUNT, n_runs, "runs")                                                                                                     \
    X(COUNT, n_values, "numbers that are kept of them")                                                                          \
    X(PARTS, image_column_run, runs, x->n_runs, "ascending")                                                                     \
    X(NUMBERS, int, values, x->n_values, "of the runs, one after another")
typedef struct image_column {
    IMAGE_COLUMN(IMAGE_MEMBER)
} image_column;

// clang-format on

static inline int image_at(const image_column *x, int i)
{
    int low = 0, high = x->n_runs - 1;
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->runs[mid].first <= i) low = mid;
        else high = mid - 1;
    }
    const image_column_run *r = &x->runs[low];
    int turn = (i - r->first) / r->period, at = r->at + (i - r->first) % r->period;
    return turn ? x->values[at] + turn * x->values[at + r->period] : x->values[at];
}

#endif
