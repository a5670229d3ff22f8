/* The fill of an elimination, guessed: the shortest row, and in it the shortest column, are the next pivot.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"

#include <limits.h>
#include <stdint.h>

typedef struct guess {
    int n;
    uint64_t rows[LA_GUESSED_MAX]; // columns that are there; 0: it is done
} guess;

static int guess_count(const guess *g, int column)
{
    int count = 0;
    for (int i = 0; i < g->n; i++) count += (int)(g->rows[i] >> column & 1);
    return count;
}

/* The row with the fewest entries; -1: there is none. */
static int guess_row(const guess *g)
{
    int best = -1, least = INT_MAX;
    for (int i = 0; i < g->n; i++) {
        int count = __builtin_popcountll(g->rows[i]);
        if (count && count < least) best = i, least = count;
    }
    return best;
}

static int guess_column(const guess *g, uint64_t row)
{
    int best = 0, least = INT_MAX;
    for (; row; row &= row - 1) {
        int j = __builtin_ctzll(row), count = guess_count(g, j);
        if (count < least) best = j, least = count;
    }
    return best;
}

void la_guess_lists(const vinc_pattern *p, double *updates, double *entries)
{
    guess g = {.n = p->n_cols};
    int done = 0;
    *updates = *entries = 0;
    for (int j = 0; j < g.n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) g.rows[p->row[k]] |= UINT64_C(1) << j;
    for (int r; (r = guess_row(&g)) >= 0; done++) {
        uint64_t row = g.rows[r], column = UINT64_C(1) << guess_column(&g, row);
        double u = __builtin_popcountll(row) - 1, l = 0;
        g.rows[r] = 0;
        for (int i = 0; i < g.n; i++) {
            if (!(g.rows[i] & column)) continue;
            g.rows[i] = (g.rows[i] | row) & ~column;
            l++;
        }
        *updates += u * l;
        *entries += u + l;
    }
    double n = g.n;
    if (done < g.n) *updates = n * n * n / 3, *entries = n * n - n; // no pivots by structure alone
}
