/* The plan of a few unknowns: the same as that of many (plan.c), by a full matrix.
 *
 * Lists of cells that grow, and searches in them, are most of the time of a plan of twenty unknowns, which is made in every
 * run. Here an entry is where its row and column are; lists of each row and column keep the order in which entries came, and
 * with it the order of pivots that are equally good.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"
#include "la/plan.h"

#include "base/larger.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SMALL = LA_PLAN_SMALL_MAX };

typedef struct small_plan {
    la_plan *p;
    int n;
    double a[SMALL * SMALL]; // by rows
    bool there[SMALL * SMALL];
    uint8_t cols[SMALL][SMALL],
        rows[SMALL][SMALL]; // of each row, of each column; some of them done
    int n_cols[SMALL], n_rows[SMALL];
    int row_count[SMALL], col_count[SMALL]; // of what is left
    double col_max[SMALL];
    int col_ties[SMALL];                             // how many are as large
    bool row_done[SMALL], col_done[SMALL];           //
    bool col_known[SMALL];                           // col_max is right
    int head[SMALL + 1], next[SMALL], before[SMALL]; // rows that are left, by their count
    int linked;              // how many are in these lists; the others wait:
    bool row_waits[SMALL];   // has no entry that may be a pivot
    bool col_awaited[SMALL]; // as in plan.c
    long left;
} small_plan;

static void small_add(small_plan *w, int i, int j, double x)
{
    w->a[j + i * w->n] = x;
    w->there[j + i * w->n] = true;
    w->cols[i][w->n_cols[i]++] = (uint8_t)j;
    w->rows[j][w->n_rows[j]++] = (uint8_t)i;
    w->row_count[i]++;
    w->col_count[j]++;
    w->left++;
}

/* ---- rows by count --------------------------------------------------------------------------- */

static void small_link(small_plan *w, int i)
{
    int c = w->row_count[i], first = w->head[c];
    w->next[i] = first;
    w->before[i] = -1;
    if (first >= 0) w->before[first] = i;
    w->head[c] = i;
    w->linked++;
}

static void small_unlink(small_plan *w, int i)
{
    if (w->row_waits[i]) {
        w->row_waits[i] = false;
        return;
    }
    w->linked--;
    if (w->before[i] >= 0) w->next[w->before[i]] = w->next[i];
    else w->head[w->row_count[i]] = w->next[i];
    if (w->next[i] >= 0) w->before[w->next[i]] = w->before[i];
}

static void small_set_aside(small_plan *w, int i)
{
    small_unlink(w, i);
    w->row_waits[i] = true;
    for (int e = 0; e < w->n_cols[i]; e++) {
        int j = w->cols[i][e];
        if (!w->col_done[j] && w->a[j + i * w->n] != 0) w->col_awaited[j] = true;
    }
}

static void small_wake(small_plan *w, int j)
{
    if (!w->col_awaited[j]) return;
    w->col_awaited[j] = false;
    for (int k = 0; k < w->n_rows[j]; k++) {
        int i = w->rows[j][k];
        if (!w->row_waits[i]) continue;
        w->row_waits[i] = false;
        small_link(w, i);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static double small_size(const small_plan *w, int i, int j)
{
    return fabs(w->a[j + i * w->n]) * w->p->weight[i];
}

static double small_largest(small_plan *w, int j)
{
    if (w->col_known[j]) return w->col_max[j];
    double most = 0;
    int kept = 0, ties = 0;
    for (int k = 0; k < w->n_rows[j]; k++) {
        int i = w->rows[j][k];
        if (w->row_done[i]) continue;
        double size = small_size(w, i, j);
        ties = size > most ? 1 : ties + (size == most);
        if (size > most) most = size;
        w->rows[j][kept++] = (uint8_t)i;
    }
    w->n_rows[j] = kept;
    w->col_known[j] = true;
    w->col_ties[j] = ties;
    return w->col_max[j] = most;
}

static void small_resized(small_plan *w, int j, double old, double now)
{
    double most = w->col_max[j];
    if (!w->col_known[j] || old == now) return;
    if (now > most) {
        w->col_max[j] = now;
        w->col_ties[j] = 1;
        return;
    }
    w->col_ties[j] += (now == most) - (old == most);
    if (w->col_ties[j] > 0) return;
    w->col_known[j] = false;
    small_wake(w, j);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static void small_load(small_plan *w, const vinc_pattern *pat, const double *a, const double *b,
                       double re)
{
    double *weight = w->p->weight;
    memset(weight, 0, (size_t)w->n * sizeof *weight);
    for (int j = 0; j < w->n; j++)
        for (int k = pat->start[j]; k < pat->start[j + 1]; k++) {
            int i = pat->row[k];
            double x = b ? a[k] + re * b[k] : a[k];
            weight[i] = larger_of(weight[i], fabs(x));
            small_add(w, i, j, x);
        }
    for (int i = 0; i < w->n; i++) {
        weight[i] = la_weight(weight[i]);
        small_link(w, i);
    }
}

/* The best pivot of a row, if it is better; false: there is none in it. */
static bool small_look(small_plan *w, int i, int count, long *best, double *best_size, int *row,
                       int *col)
{
    int kept = 0;
    bool found = false;
    for (int k = 0; k < w->n_cols[i]; k++) {
        int j = w->cols[i][k];
        if (w->col_done[j]) continue;
        w->cols[i][kept++] = (uint8_t)j;
        double size = small_size(w, i, j), most = small_largest(w, j);
        if (!(size >= LA_PLAN_PIVOT_MIN * most) || size == 0) continue;
        long cost = (long)(count - 1) * (w->col_count[j] - 1);
        found = true;
        if (*best >= 0 && (cost > *best || (cost == *best && size / most <= *best_size))) continue;
        *best = cost;
        *best_size = size / most;
        *row = i;
        *col = j;
    }
    w->n_cols[i] = kept;
    return found;
}

static bool small_choose(small_plan *w, int *row, int *col)
{
    long best = -1;
    double best_size = 0;
    int seen = 0;
    for (int count = 1; seen < LA_PLAN_ROWS_SEARCHED && seen < w->linked && count <= w->n; count++)
        for (int i = w->head[count], next; i >= 0 && seen < LA_PLAN_ROWS_SEARCHED; i = next) {
            next = w->next[i];
            w->p->searched++;
            if (small_look(w, i, count, &best, &best_size, row, col)) seen++;
            else small_set_aside(w, i);
        }
    return best >= 0;
}

/* The entries of the pivot's row and column as they are now. */
static void small_record(const small_plan *w, int k, int r, int c, int *at)
{
    la_plan *p = w->p;
    p->row[k] = r;
    p->col[k] = c;
    p->start[2 * k] = *at;
    for (int e = 0; e < w->n_cols[r]; e++) {
        int j = w->cols[r][e];
        if (!w->col_done[j] && j != c) p->line[(*at)++] = j;
    }
    p->start[2 * k + 1] = *at;
    for (int e = 0; e < w->n_rows[c]; e++) {
        int i = w->rows[c][e];
        if (!w->row_done[i] && i != r) p->line[(*at)++] = i;
    }
    p->start[2 * k + 2] = *at;
}

static void small_eliminate_from(small_plan *w, int i, int r, int c, const int *u, int nu)
{
    const double *above = w->a + r * w->n;
    double *own = w->a + i * w->n, l = own[c] / above[c];
    for (int b = 0; b < nu; b++) {
        int j = u[b];
        bool is_new = !w->there[j + i * w->n];
        if (is_new) small_add(w, i, j, 0);
        double old = is_new ? -1 : small_size(w, i, j);
        own[j] -= l * above[j];
        small_resized(w, j, old, small_size(w, i, j));
    }
}

static void small_eliminate(small_plan *w, int k)
{
    const la_plan *p = w->p;
    int r = p->row[k], c = p->col[k];
    const int *u = p->line + p->start[2 * k], *l = p->line + p->start[2 * k + 1];
    int nu = p->start[2 * k + 1] - p->start[2 * k], nl = p->start[2 * k + 2] - p->start[2 * k + 1];
    small_unlink(w, r);
    w->row_done[r] = w->col_done[c] = true;
    for (int a = 0; a < nl; a++) {
        small_unlink(w, l[a]);
        small_eliminate_from(w, l[a], r, c, u, nu);
        w->row_count[l[a]]--;
        small_link(w, l[a]);
    }
    for (int b = 0; b < nu; b++) {
        w->col_count[u[b]]--;
        small_resized(w, u[b], small_size(w, r, u[b]), -1);
    }
    w->left -= 1 + nu + nl;
}

int la_plan_run_small(la_plan *p, const vinc_pattern *pattern, const double *a, const double *b,
                      double re, long most_updates, int *defect)
{
    small_plan w;
    int n = p->n, at = 0, k = 0;
    memset(w.there, 0, (size_t)(n * n));
    memset(w.n_cols, 0, sizeof w - offsetof(small_plan, n_cols));
    for (int i = 0; i <= n; i++) w.head[i] = -1;
    w.p = p;
    w.n = n;
    small_load(&w, pattern, a, b, re);
    for (; k < n && !la_plan_is_dense(n - k, w.left) && p->updates <= most_updates; k++) {
        int r = 0, c = 0;
        if (!small_choose(&w, &r, &c)) {
            for (int j = 0; j < n; j++)
                if (!w.col_done[j]) return *defect = j, LA_SINGULAR; // the first without a pivot
        }
        small_record(&w, k, r, c, &at);
        p->updates += (long)(p->start[2 * k + 1] - p->start[2 * k]) *
                      (p->start[2 * k + 2] - p->start[2 * k + 1]);
        small_eliminate(&w, k);
    }
    la_plan_end(p, k, at);
    return LA_OK;
}
