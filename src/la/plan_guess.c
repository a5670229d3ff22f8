/* The fill of an elimination, guessed: the shortest row, and in it the shortest column, are the next pivot.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"

#include <limits.h>
#include <stdint.h>

enum { WORD = 64, WORDS = LA_GUESSED_MAX / WORD };

/* Rows as sets of columns; those that are done have length 0. */
typedef struct guess {
    int n, words;
    uint64_t rows[LA_GUESSED_MAX][WORDS];
    int length[LA_GUESSED_MAX], height[LA_GUESSED_MAX]; // entries of a row, of a column
} guess;

static bool guess_has(const guess *g, int row, int column)
{
    return g->rows[row][column / WORD] >> (column % WORD) & 1;
}

/* Adds `by` to the heights of the columns of a set. */
static void guess_heights(guess *g, int word, uint64_t set, int by)
{
    for (; set; set &= set - 1) g->height[WORD * word + __builtin_ctzll(set)] += by;
}

static void guess_begin(guess *g, const vinc_pattern *p)
{
    g->n = p->n_cols;
    g->words = (p->n_cols + WORD - 1) / WORD;
    for (int i = 0; i < g->n; i++) {
        for (int w = 0; w < g->words; w++) g->rows[i][w] = 0;
        g->length[i] = g->height[i] = 0;
    }
    for (int j = 0; j < g->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            g->rows[p->row[k]][j / WORD] |= UINT64_C(1) << (j % WORD);
            g->length[p->row[k]]++;
            g->height[j]++;
        }
}

/* The row with the fewest entries; -1: there is none. */
static int guess_row(const guess *g)
{
    int best = -1, least = INT_MAX;
    for (int i = 0; i < g->n; i++)
        if (g->length[i] && g->length[i] < least) best = i, least = g->length[i];
    return best;
}

static int guess_column(const guess *g, int row)
{
    int best = 0, least = INT_MAX;
    for (int w = 0; w < g->words; w++)
        for (uint64_t set = g->rows[row][w]; set; set &= set - 1) {
            int j = WORD * w + __builtin_ctzll(set);
            if (g->height[j] < least) best = j, least = g->height[j];
        }
    return best;
}

/* Row i takes what the pivot's row has, and loses the column. */
static void guess_join(guess *g, int i, int pivot, int column)
{
    g->length[i] = 0;
    for (int w = 0; w < g->words; w++) {
        uint64_t more = g->rows[pivot][w] & ~g->rows[i][w];
        guess_heights(g, w, more, 1);
        g->rows[i][w] |= more;
        if (w == column / WORD) g->rows[i][w] &= ~(UINT64_C(1) << (column % WORD));
        g->length[i] += __builtin_popcountll(g->rows[i][w]);
    }
}

void la_guess_lists(const vinc_pattern *p, double *updates, double *entries)
{
    guess g;
    int done = 0;
    guess_begin(&g, p);
    *updates = *entries = 0;
    for (int r; (r = guess_row(&g)) >= 0; done++) {
        int column = guess_column(&g, r);
        double u = g.length[r] - 1, l = 0;
        g.length[r] = 0;
        for (int w = 0; w < g.words; w++) guess_heights(&g, w, g.rows[r][w], -1);
        for (int i = 0; i < g.n; i++) {
            if (!g.length[i] || !guess_has(&g, i, column)) continue;
            guess_join(&g, i, r, column);
            l++;
        }
        *updates += u * l;
        *entries += u + l;
    }
    double n = g.n;
    if (done < g.n) *updates = n * n * n / 3, *entries = n * n - n; // no pivots by structure alone
}

static const double ROW_OF_FACTORS = 6, ENTRY_OF_FACTORS = 2, ENTRY_OF_MATRIX = 1.5,
                    ROW_OF_SOLUTION = 5;

void la_lists_work(int n, long nnz, double updates, double entries, double *factor, double *solve)
{
    *factor =
        updates + ENTRY_OF_FACTORS * entries + ENTRY_OF_MATRIX * (double)nnz + ROW_OF_FACTORS * n;
    *solve = entries + ROW_OF_SOLUTION * n;
}

void la_lists_of_work(int n, long nnz, double factor, double solve, double *updates,
                      double *entries)
{
    *entries = solve - ROW_OF_SOLUTION * n;
    *updates =
        factor - ENTRY_OF_FACTORS * *entries - ENTRY_OF_MATRIX * (double)nnz - ROW_OF_FACTORS * n;
}
