/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/plan.h"

#include "la/backends.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

static const double THRESHOLD = 0.1; // a pivot's size over the largest of its column
enum { SEARCH = 4 };                 // rows looked at for a pivot
/* What is left is dense when this part of it is there. */
static const double FULL = 0.7;
enum { FULL_LEAST = 16 };

typedef struct work {
    la_plan *p;
    int n;
    bool is_complex;
    double *re, *im;      // n by n, by rows; read only where there
    uint8_t *there;       // structurally
    int *cols, *rows;     // n by n: columns of each row, rows of each column, some of them done
    int *n_cols, *n_rows; // entries in those lists
    int *row_count, *col_count; // of what is left
    double *col_max;
    uint8_t *row_done, *col_done, *col_known; // col_known: col_max is right
    int *head, *next, *before;                // rows that are left, by their count
    long left;                                // entries that are left
} work;

static size_t layout_plan(la_plan *p, size_t n, void *block)
{
    bump b = bump_begin(block);
    int **of_n[] = {&p->row, &p->col, &p->at_row, &p->at_col};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = bump_int(&b, n);
    p->weight = bump_double(&b, n);
    p->start = bump_int(&b, 2 * n + 2);
    p->line = bump_int(&b, p->capacity);
    p->place = bump_int(&b, n * n);
    return bump_end(&b);
}

static size_t layout_work(work *w, size_t n, void *block)
{
    bump b = bump_begin(block);
    w->re = bump_double(&b, n * n);
    w->im = w->is_complex ? bump_double(&b, n * n) : NULL;
    w->cols = bump_int(&b, n * n);
    w->rows = bump_int(&b, n * n);
    w->there = bump_bytes(&b, n * n);
    w->col_max = bump_double(&b, n);
    int **of_n[] = {&w->n_cols, &w->n_rows, &w->row_count, &w->col_count, &w->next, &w->before};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = bump_int(&b, n);
    w->head = bump_int(&b, n + 1);
    w->row_done = bump_bytes(&b, n);
    w->col_done = bump_bytes(&b, n);
    w->col_known = bump_bytes(&b, n);
    return bump_end(&b);
}

/* ---- rows by count --------------------------------------------------------------------------- */

static void link_row(work *w, int i)
{
    int c = w->row_count[i], first = w->head[c];
    w->next[i] = first;
    w->before[i] = -1;
    if (first >= 0) w->before[first] = i;
    w->head[c] = i;
}

static void unlink_row(work *w, int i)
{
    if (w->before[i] >= 0) w->next[w->before[i]] = w->next[i];
    else w->head[w->row_count[i]] = w->next[i];
    if (w->next[i] >= 0) w->before[w->next[i]] = w->before[i];
}

static void add_entry(work *w, int i, int j)
{
    w->there[i * w->n + j] = 1;
    w->cols[i * w->n + w->n_cols[i]++] = j;
    w->rows[j * w->n + w->n_rows[j]++] = i;
    w->row_count[i]++;
    w->col_count[j]++;
    w->left++;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static double size_of(const work *w, int i, int j)
{
    int k = i * w->n + j;
    double x = fabs(w->re[k]) + (w->is_complex ? fabs(w->im[k]) : 0);
    return x * w->p->weight[i];
}

static double largest_of(work *w, int j)
{
    if (w->col_known[j]) return w->col_max[j];
    double most = 0;
    int kept = 0, *rows = w->rows + j * w->n;
    for (int k = 0; k < w->n_rows[j]; k++) {
        if (w->row_done[rows[k]]) continue;
        most = fmax(most, size_of(w, rows[k], j));
        rows[kept++] = rows[k];
    }
    w->n_rows[j] = kept;
    w->col_known[j] = 1;
    return w->col_max[j] = most;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void load(work *w, const la_config *config, const double *a, const double *b, double re,
                 double im)
{
    const vinc_pattern *pat = config->pattern;
    int n = w->n;
    double *weight = w->p->weight;
    memset(weight, 0, (size_t)n * sizeof *weight);
    for (int j = 0; j < n; j++)
        for (int k = pat ? pat->start[j] : j * n; k < (pat ? pat->start[j + 1] : (j + 1) * n);
             k++) {
            int i = pat ? pat->row[k] : k - j * n, at = i * n + j;
            double y = b ? im * b[k] : 0;
            w->re[at] = b ? a[k] + re * b[k] : a[k];
            if (w->is_complex) w->im[at] = y;
            weight[i] = fmax(weight[i], fabs(w->re[at]) + fabs(y));
            add_entry(w, i, j);
        }
    for (int i = 0; i < n; i++) {
        weight[i] = la_weight(weight[i]);
        link_row(w, i);
    }
}

/* ---- the steps ------------------------------------------------------------------------------- */

static bool choose(work *w, int *row, int *col)
{
    long best = -1;
    double best_size = 0;
    int seen = 0;
    for (int count = 1; count <= w->n && seen < SEARCH; count++)
        for (int i = w->head[count]; i >= 0 && seen < SEARCH; i = w->next[i]) {
            int *cols = w->cols + i * w->n, kept = 0;
            bool found = false;
            for (int k = 0; k < w->n_cols[i]; k++) {
                int j = cols[k];
                if (w->col_done[j]) continue;
                cols[kept++] = j;
                double size = size_of(w, i, j), most = largest_of(w, j);
                if (!(size >= THRESHOLD * most) || size == 0) continue;
                long cost = (long)(count - 1) * (w->col_count[j] - 1);
                found = true;
                if (best >= 0 && (cost > best || (cost == best && size / most <= best_size)))
                    continue;
                best = cost;
                best_size = size / most;
                *row = i;
                *col = j;
            }
            w->n_cols[i] = kept;
            seen += found;
        }
    return best >= 0;
}

/* The entries of the pivot's row and column as they are now. */
static void record(work *w, int k, int r, int c, int *at)
{
    la_plan *p = w->p;
    p->row[k] = r;
    p->col[k] = c;
    p->start[2 * k] = *at;
    for (int e = 0; e < w->n_cols[r]; e++) {
        int j = w->cols[r * w->n + e];
        if (!w->col_done[j] && j != c) p->line[(*at)++] = j;
    }
    p->start[2 * k + 1] = *at;
    for (int e = 0; e < w->n_rows[c]; e++) {
        int i = w->rows[c * w->n + e];
        if (!w->row_done[i] && i != r) p->line[(*at)++] = i;
    }
    p->start[2 * k + 2] = *at;
}

static void update(work *w, int i, int j, int r, double lr, double li)
{
    int n = w->n, ij = i * n + j, rj = r * n + j;
    if (!w->there[ij]) {
        add_entry(w, i, j);
        w->re[ij] = 0;
        if (w->is_complex) w->im[ij] = 0;
    }
    if (w->is_complex) {
        w->re[ij] -= lr * w->re[rj] - li * w->im[rj];
        w->im[ij] -= lr * w->im[rj] + li * w->re[rj];
    } else {
        w->re[ij] -= lr * w->re[rj];
    }
}

static void eliminate(work *w, int k)
{
    const la_plan *p = w->p;
    int n = w->n, r = p->row[k], c = p->col[k], rc = r * n + c;
    const int *u = p->line + p->start[2 * k], *l = p->line + p->start[2 * k + 1];
    int nu = p->start[2 * k + 1] - p->start[2 * k], nl = p->start[2 * k + 2] - p->start[2 * k + 1];
    double pr = w->re[rc], pi = w->is_complex ? w->im[rc] : 0, d = pr * pr + pi * pi;
    unlink_row(w, r);
    w->row_done[r] = w->col_done[c] = 1;
    for (int a = 0; a < nl; a++) {
        int i = l[a], ic = i * n + c;
        double xr = w->re[ic], xi = w->is_complex ? w->im[ic] : 0;
        double lr = w->is_complex ? (xr * pr + xi * pi) / d : xr / pr;
        double li = w->is_complex ? (xi * pr - xr * pi) / d : 0;
        unlink_row(w, i);
        for (int b = 0; b < nu; b++) update(w, i, u[b], r, lr, li);
        w->row_count[i]--;
        link_row(w, i);
    }
    for (int b = 0; b < nu; b++) {
        w->col_count[u[b]]--;
        w->col_known[u[b]] = 0;
    }
    w->left -= 1 + nu + nl;
}

/* Room for the entries of one more step. */
static int reserve(la_plan *p, int at)
{
    size_t need = (size_t)at + 2 * (size_t)p->n;
    if (need <= p->capacity) return LA_OK;
    la_plan old = *p;
    p->capacity = 2 * need;
    p->bytes = layout_plan(p, (size_t)p->n, NULL);
    p->block = mem_try(p->m, p->bytes);
    if (!p->block) {
        *p = old;
        return LA_E_MEMORY;
    }
    layout_plan(p, (size_t)p->n, p->block);
    size_t n = (size_t)p->n;
    memcpy(p->row, old.row, n * sizeof *p->row);
    memcpy(p->col, old.col, n * sizeof *p->col);
    memcpy(p->weight, old.weight, n * sizeof *p->weight);
    memcpy(p->start, old.start, (2 * n + 2) * sizeof *p->start);
    memcpy(p->line, old.line, (size_t)at * sizeof *p->line);
    mem_free(p->m, old.block, old.bytes);
    return LA_OK;
}

static int run(work *w, long most_updates, int *defect)
{
    la_plan *p = w->p;
    int at = 0, n = w->n, k = 0;
    for (; k < n; k++) {
        long m = n - k;
        bool full = m >= FULL_LEAST && (double)w->left >= FULL * (double)m * (double)m;
        if (full || p->updates > most_updates) break;
        int r = 0, c = 0;
        if (!choose(w, &r, &c)) {
            for (int j = 0; j < n; j++)
                if (!w->col_done[j]) return *defect = j, LA_SINGULAR; // the first without a pivot
        }
        if (reserve(p, at)) return LA_E_MEMORY;
        record(w, k, r, c, &at);
        p->updates += (long)(p->start[2 * k + 1] - p->start[2 * k]) *
                      (p->start[2 * k + 2] - p->start[2 * k + 1]);
        eliminate(w, k);
    }
    p->steps = k;
    p->start[2 * k] = at;
    int i = k, j = k;
    for (int q = 0; q < n; q++) {
        if (!w->row_done[q]) p->row[i++] = q;
        if (!w->col_done[q]) p->col[j++] = q;
    }
    return LA_OK;
}

/* Where the factors keep each entry. */
static void place_entries(la_plan *p)
{
    int n = p->n, at = p->steps, rest = n - p->steps;
    for (int k = 0; k < n; k++) {
        p->at_row[p->row[k]] = k;
        p->at_col[p->col[k]] = k;
    }
    for (int k = 0; k < p->steps; k++) {
        p->place[p->row[k] * n + p->col[k]] = k;
        for (int e = p->start[2 * k]; e < p->start[2 * k + 1]; e++)
            p->place[p->row[k] * n + p->line[e]] = at++;
        for (int e = p->start[2 * k + 1]; e < p->start[2 * k + 2]; e++)
            p->place[p->line[e] * n + p->col[k]] = at++;
    }
    for (int j = 0; j < rest; j++)
        for (int i = 0; i < rest; i++)
            p->place[p->row[p->steps + i] * n + p->col[p->steps + j]] = at++;
}

int la_plan_make(la_plan *p, mem *m, const la_config *config, const double *a, const double *b,
                 double re, double im, long most_updates, int *defect)
{
    size_t n = (size_t)config->n, nnz = config->pattern ? (size_t)config->pattern->nnz : n * n;
    *p = (la_plan){.n = config->n, .m = m, .capacity = 2 * nnz + 2 * n};
    work w = {.p = p, .n = config->n, .is_complex = config->is_complex};
    size_t bytes = layout_work(&w, n, NULL) + 1;
    void *block = mem_try(m, bytes);
    p->bytes = layout_plan(p, n, NULL);
    p->block = mem_try(m, p->bytes);
    int status = block && p->block ? LA_OK : LA_E_MEMORY;
    if (!status) {
        layout_plan(p, n, p->block);
        layout_work(&w, n, block);
        memset(w.there, 0, (size_t)((char *)block + bytes - 1 - (char *)w.there));
        for (size_t i = 0; i <= n; i++) w.head[i] = -1;
        load(&w, config, a, b, re, im);
        status = run(&w, most_updates, defect);
        if (!status) place_entries(p);
    }
    if (block) mem_free(m, block, bytes);
    if (status) la_plan_free(p);
    return status;
}

void la_plan_free(la_plan *p)
{
    if (p->block) mem_free(p->m, p->block, p->bytes);
    p->block = NULL;
}
