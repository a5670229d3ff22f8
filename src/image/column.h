/* A long list of whole numbers that follow a pattern, in little memory.
 *
 * Models of many like components repeat: from component to component numbers stay, or grow by the same. A run says so
 * for stretches of any length; what follows no pattern is a run that does not repeat.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_COLUMN_H
#define IMAGE_COLUMN_H

/* From `first` to the run after it. Elements of the first period are values[at ...]; where there are more periods, values[at
 * + period ...] is what each of them grows by from one to the next. */
typedef struct image_column_run {
    int first, period, at;
} image_column_run;

typedef struct image_column {
    int n, n_runs, n_values;
    image_column_run *runs; // n_runs: ascending in `first`, from 0 on
    int *values;            // n_values: of the runs, one after another
} image_column;

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
