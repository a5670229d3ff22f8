/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/plan.h"

#include "la/backends.h"

#include "base/bump.h"
#include "base/larger.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double PIVOT_MIN = 0.1; // a pivot's size over the largest of its column
enum { ROWS_SEARCHED = 4 };          // rows looked at for a pivot

/* Lists that grow: list i is items at[i] ... at[i] + n[i] - 1 of a pool, with room for room[i]. */
typedef struct lists {
    int *at, *n, *room;
    int used, capacity; // of the pool
} lists;

typedef struct cell {
    double re, im;
    int col;
} cell;

typedef struct work {
    la_plan *p;
    mem *m;
    int n;
    bool is_complex;
    lists by_row, by_col; // cells of each row, rows of each column; some of them done
    cell *cells;          // the pool of by_row
    int *rows;            // the pool of by_col
    int *place;           // by column, for one row at a time: 1 + its number there; else 0
    int *long_place,
        long_row; // the same of the last long row, which is mostly the next one, too; -1: none
    int *row_count, *col_count; // of what is left
    double *col_max;
    int *col_ties;                            // how many are as large
    uint8_t *row_done, *col_done, *col_known; // col_known: col_max is right
    int *head, *next, *before;                // rows that are left, by their count
    int linked;                               // how many are in these lists; the others wait:
    uint8_t *row_waits;                       // has no entry that may be a pivot
    uint8_t *col_awaited; // known, and one that waits has an entry there that is only too small
    long left;            // entries that are left
} work;

static size_t plan_layout(la_plan *p, size_t n, void *block)
{
    bump b = bump_begin(block);
    int **of_n[] = {&p->row, &p->col, &p->at_row, &p->at_col};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = bump_int(&b, n);
    p->weight = bump_double(&b, n);
    p->start = bump_int(&b, 2 * n + 2);
    p->line = bump_int(&b, p->capacity);
    return bump_end(&b);
}

static size_t layout_work(work *w, size_t n, void *block)
{
    bump b = bump_begin(block);
    w->col_max = bump_double(&b, n);
    int **of_n[] = {&w->by_row.at,   &w->by_row.n,   &w->by_row.room, &w->by_col.at, &w->by_col.n,
                    &w->by_col.room, &w->place,      &w->row_count,   &w->col_count, &w->next,
                    &w->before,      &w->long_place, &w->col_ties};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = bump_int(&b, n);
    w->head = bump_int(&b, n + 1);
    w->row_done = bump_bytes(&b, n);
    w->col_done = bump_bytes(&b, n);
    w->col_known = bump_bytes(&b, n);
    w->row_waits = bump_bytes(&b, n);
    w->col_awaited = bump_bytes(&b, n);
    return bump_end(&b);
}

/* ---- lists that grow ------------------------------------------------------------------------- */

/* Room for one more item in list i, at the end of the pool if need be. */
static bool make_room(mem *m, lists *x, int i, void **pool, size_t size)
{
    if (x->n[i] < x->room[i]) return true;
    int room = 2 * x->room[i] + 4;
    if (x->used > x->capacity - room) {
        if (x->capacity > INT_MAX / 4) return false;
        int capacity = 2 * x->capacity + room;
        char *wider = mem_try(m, (size_t)capacity * size);
        if (!wider) return false;
        memcpy(wider, *pool, (size_t)x->used * size);
        mem_free(m, *pool, (size_t)x->capacity * size);
        *pool = wider;
        x->capacity = capacity;
    }
    char *base = *pool;
    memcpy(base + (size_t)x->used * size, base + (size_t)x->at[i] * size, (size_t)x->n[i] * size);
    x->at[i] = x->used;
    x->room[i] = room;
    x->used += room;
    return true;
}

static bool plan_add_entry(work *w, int i, int j, double re, double im)
{
    void *cells = w->cells, *rows = w->rows;
    bool ok = make_room(w->m, &w->by_row, i, &cells, sizeof *w->cells) &&
              make_room(w->m, &w->by_col, j, &rows, sizeof *w->rows);
    w->cells = cells;
    w->rows = rows;
    if (!ok) return false;
    w->cells[w->by_row.at[i] + w->by_row.n[i]++] = (cell){re, im, j};
    w->rows[w->by_col.at[j] + w->by_col.n[j]++] = i;
    w->row_count[i]++;
    w->col_count[j]++;
    w->left++;
    return true;
}

/* ---- rows by count --------------------------------------------------------------------------- */

static void link_row(work *w, int i)
{
    int c = w->row_count[i], first = w->head[c];
    w->next[i] = first;
    w->before[i] = -1;
    if (first >= 0) w->before[first] = i;
    w->head[c] = i;
    w->linked++;
}

static void unlink_row(work *w, int i)
{
    if (w->row_waits[i]) {
        w->row_waits[i] = 0;
        return;
    }
    w->linked--;
    if (w->before[i] >= 0) w->next[w->before[i]] = w->next[i];
    else w->head[w->row_count[i]] = w->next[i];
    if (w->next[i] >= 0) w->before[w->next[i]] = w->before[i];
}

/* Row i has no pivot: all that is there is zero, or too small for its column. Nothing changes that but
 * a change of the row, which links it again, or of the largest of a column. Systems whose Jacobian
 * vanishes in many places at the start (mechanisms at rest) would look at all such rows in each step. */
static void plan_set_aside(work *w, int i)
{
    unlink_row(w, i);
    w->row_waits[i] = 1;
    const cell *x = w->cells + w->by_row.at[i];
    for (int e = 0; e < w->by_row.n[i]; e++)
        if (!w->col_done[x[e].col] && (x[e].re != 0 || x[e].im != 0)) w->col_awaited[x[e].col] = 1;
}

/* The largest of column j has gone. */
static void plan_wake(work *w, int j)
{
    if (!w->col_awaited[j]) return;
    w->col_awaited[j] = 0;
    const int *rows = w->rows + w->by_col.at[j];
    for (int k = 0; k < w->by_col.n[j]; k++) {
        if (!w->row_waits[rows[k]]) continue;
        w->row_waits[rows[k]] = 0;
        link_row(w, rows[k]);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static double plan_size_of(const work *w, int i, const cell *x)
{
    return (fabs(x->re) + fabs(x->im)) * w->p->weight[i];
}

static const cell *plan_find(const work *w, int i, int j)
{
    const cell *x = w->cells + w->by_row.at[i];
    while (x->col != j) x++;
    return x;
}

static double largest_of(work *w, int j)
{
    if (w->col_known[j]) return w->col_max[j];
    double most = 0;
    int kept = 0, ties = 0, *rows = w->rows + w->by_col.at[j];
    for (int k = 0; k < w->by_col.n[j]; k++) {
        if (w->row_done[rows[k]]) continue;
        double size = plan_size_of(w, rows[k], plan_find(w, rows[k], j));
        if (size > most) {
            most = size;
            ties = 1;
        } else {
            ties += size == most;
        }
        rows[kept++] = rows[k];
    }
    w->by_col.n[j] = kept;
    w->col_known[j] = 1;
    w->col_ties[j] = ties;
    return w->col_max[j] = most;
}

/* An entry of column j was of one size and is of another; below 0: it was or is not there. The largest
 * is looked for again only when the last one of its size has gone: in a row of a thousand branches each
 * step would look at all of them. */
static void plan_resized(work *w, int j, double old, double now)
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
    w->col_known[j] = 0;
    plan_wake(w, j);
}

/* ---- long rows ------------------------------------------------------------------------------- */

enum { LONG_ROW = 64 };

static void forget_long_row(work *w)
{
    if (w->long_row < 0) return;
    const cell *x = w->cells + w->by_row.at[w->long_row];
    for (int e = 0; e < w->by_row.n[w->long_row]; e++) w->long_place[x[e].col] = 0;
    w->long_row = -1;
}

/* Places of the columns of row i, without those that are done. Of a long row they stay, while half of
 * them are left. */
static int *plan_places(work *w, int i)
{
    cell *own = w->cells + w->by_row.at[i];
    int n = w->by_row.n[i], kept = 0;
    bool is_long = n >= LONG_ROW;
    if (is_long && w->long_row == i && w->row_count[i] > n / 2) return w->long_place;
    if (is_long || w->long_row == i) forget_long_row(w);
    int *place = is_long ? w->long_place : w->place;
    for (int e = 0; e < n; e++) {
        if (w->col_done[own[e].col]) continue;
        own[kept++] = own[e];
        place[own[kept - 1].col] = kept;
    }
    w->by_row.n[i] = kept;
    if (is_long) w->long_row = i;
    return place;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Lists begin with room for what is in the matrix and for some fill. */
static void plan_room(lists *x, int n)
{
    enum { FILL = 4 }; // as a list that grows has at first
    for (int i = 0; i < n; i++) {
        x->at[i] = x->used;
        x->used += x->room[i] += FILL;
    }
}

static int plan_load(work *w, const la_config *config, const double *a, const double *b, double re,
                     double im)
{
    const vinc_pattern *pat = config->pattern;
    int n = w->n;
    double *weight = w->p->weight;
    memset(weight, 0, (size_t)n * sizeof *weight);
    for (int k = 0; k < pat->nnz; k++) w->by_row.room[pat->row[k]]++;
    for (int j = 0; j < n; j++) w->by_col.room[j] = pat->start[j + 1] - pat->start[j];
    plan_room(&w->by_row, n);
    plan_room(&w->by_col, n);
    for (int j = 0; j < n; j++)
        for (int k = pat->start[j]; k < pat->start[j + 1]; k++) {
            int i = pat->row[k];
            double x = b ? a[k] + re * b[k] : a[k], y = b && w->is_complex ? im * b[k] : 0;
            weight[i] = larger_of(weight[i], fabs(x) + fabs(y));
            if (!plan_add_entry(w, i, j, x, y)) return LA_E_MEMORY;
        }
    for (int i = 0; i < n; i++) {
        weight[i] = la_weight(weight[i]);
        link_row(w, i);
    }
    return LA_OK;
}

/* ---- the steps ------------------------------------------------------------------------------- */

static bool plan_choose(work *w, int *row, int *col)
{
    long best = -1;
    double best_size = 0;
    int seen = 0;
    for (int count = 1; seen < ROWS_SEARCHED && seen < w->linked && count <= w->n; count++)
        for (int i = w->head[count], next; i >= 0 && seen < ROWS_SEARCHED; i = next) {
            next = w->next[i];
            w->p->searched++;
            if (i == w->long_row) forget_long_row(w); // its cells are moved
            cell *cells = w->cells + w->by_row.at[i];
            int kept = 0;
            bool found = false;
            for (int k = 0; k < w->by_row.n[i]; k++) {
                int j = cells[k].col;
                if (w->col_done[j]) continue;
                double size = plan_size_of(w, i, &cells[k]);
                cells[kept++] = cells[k];
                double most = largest_of(w, j);
                if (!(size >= PIVOT_MIN * most) || size == 0) continue;
                long cost = (long)(count - 1) * (w->col_count[j] - 1);
                found = true;
                if (best >= 0 && (cost > best || (cost == best && size / most <= best_size)))
                    continue;
                best = cost;
                best_size = size / most;
                *row = i;
                *col = j;
            }
            w->by_row.n[i] = kept;
            if (found) seen++;
            else plan_set_aside(w, i);
        }
    return best >= 0;
}

/* The entries of the pivot's row and column as they are now. */
static void plan_record(work *w, int k, int r, int c, int *at)
{
    la_plan *p = w->p;
    p->row[k] = r;
    p->col[k] = c;
    p->start[2 * k] = *at;
    for (int e = w->by_row.at[r]; e < w->by_row.at[r] + w->by_row.n[r]; e++) {
        int j = w->cells[e].col;
        if (!w->col_done[j] && j != c) p->line[(*at)++] = j;
    }
    p->start[2 * k + 1] = *at;
    for (int e = w->by_col.at[c]; e < w->by_col.at[c] + w->by_col.n[c]; e++)
        if (!w->row_done[w->rows[e]] && w->rows[e] != r) p->line[(*at)++] = w->rows[e];
    p->start[2 * k + 2] = *at;
}

/* Row i without column c, by means of row r. */
static bool plan_eliminate_from(work *w, int i, int r, int c, const int *u, int nu)
{
    bool placed = w->long_row == i;
    const cell *own = w->cells + w->by_row.at[i];
    cell pivot = *plan_find(w, r, c), x = placed ? own[w->long_place[c] - 1] : *plan_find(w, i, c);
    int *place = plan_places(w, i);
    double d = pivot.re * pivot.re + pivot.im * pivot.im;
    double lr = w->is_complex ? (x.re * pivot.re + x.im * pivot.im) / d : x.re / pivot.re;
    double li = w->is_complex ? (x.im * pivot.re - x.re * pivot.im) / d : 0;
    bool ok = true;
    for (int b = 0, above = w->by_row.at[r]; b < nu && ok; b++) {
        while (w->cells[above].col != u[b]) above++; // in the order of the row
        cell y = w->cells[above];
        bool is_new = !place[u[b]];
        if (is_new) {
            place[u[b]] = w->by_row.n[i] + 1;
            ok = plan_add_entry(w, i, u[b], 0, 0);
        }
        if (!ok) break;
        cell *to = &w->cells[w->by_row.at[i] + place[u[b]] - 1];
        double old = is_new ? -1 : plan_size_of(w, i, to);
        to->re -= w->is_complex ? lr * y.re - li * y.im : lr * y.re;
        if (w->is_complex) to->im -= lr * y.im + li * y.re;
        plan_resized(w, u[b], old, plan_size_of(w, i, to));
    }
    if (place == w->place)
        for (int e = 0; e < w->by_row.n[i]; e++) place[w->cells[w->by_row.at[i] + e].col] = 0;
    return ok;
}

static bool plan_eliminate(work *w, int k)
{
    const la_plan *p = w->p;
    int r = p->row[k], c = p->col[k];
    const int *u = p->line + p->start[2 * k], *l = p->line + p->start[2 * k + 1];
    int nu = p->start[2 * k + 1] - p->start[2 * k], nl = p->start[2 * k + 2] - p->start[2 * k + 1];
    unlink_row(w, r);
    w->row_done[r] = w->col_done[c] = 1;
    for (int a = 0; a < nl; a++) {
        unlink_row(w, l[a]);
        if (!plan_eliminate_from(w, l[a], r, c, u, nu)) return false;
        w->row_count[l[a]]--;
        link_row(w, l[a]);
    }
    for (int b = 0, at = w->by_row.at[r]; b < nu; b++) {
        while (w->cells[at].col != u[b]) at++; // in the order of the row
        w->col_count[u[b]]--;
        plan_resized(w, u[b], plan_size_of(w, r, &w->cells[at]), -1);
    }
    w->left -= 1 + nu + nl;
    return true;
}

/* Room for the entries of one more step. */
static int plan_reserve(la_plan *p, int at)
{
    size_t need = (size_t)at + 2 * (size_t)p->n;
    if (need <= p->capacity) return LA_OK;
    la_plan old = *p;
    p->capacity = 2 * need;
    p->bytes = plan_layout(p, (size_t)p->n, NULL);
    p->block = mem_try(p->m, p->bytes);
    if (!p->block) {
        *p = old;
        return LA_E_MEMORY;
    }
    plan_layout(p, (size_t)p->n, p->block);
    size_t n = (size_t)p->n;
    memcpy(p->row, old.row, n * sizeof *p->row);
    memcpy(p->col, old.col, n * sizeof *p->col);
    memcpy(p->weight, old.weight, n * sizeof *p->weight);
    memcpy(p->start, old.start, (2 * n + 2) * sizeof *p->start);
    memcpy(p->line, old.line, (size_t)at * sizeof *p->line);
    mem_free(p->m, old.block, old.bytes);
    return LA_OK;
}

/* What is left, so many rows with so many entries, is dense when this part of it is there. */
static bool plan_is_dense(long rows, long entries)
{
    const long ROWS_MIN = 16;
    const double DENSITY_MIN = 0.7;
    return rows >= ROWS_MIN && (double)entries >= DENSITY_MIN * (double)rows * (double)rows;
}

/* After the last step: what is left, and the inverses. */
static void plan_end(la_plan *p, int steps, int entries)
{
    int i = steps, j = steps;
    p->steps = steps;
    p->start[2 * steps] = entries;
    for (int q = 0; q < p->n; q++) p->at_row[q] = p->at_col[q] = -1;
    for (int k = 0; k < steps; k++) p->at_row[p->row[k]] = p->at_col[p->col[k]] = k;
    for (int q = 0; q < p->n; q++) {
        if (p->at_row[q] < 0) p->row[p->at_row[q] = i++] = q;
        if (p->at_col[q] < 0) p->col[p->at_col[q] = j++] = q;
    }
}

static int plan_run(work *w, long most_updates, int *defect)
{
    la_plan *p = w->p;
    int at = 0, n = w->n, k = 0;
    for (; k < n; k++) {
        if (plan_is_dense(n - k, w->left) || p->updates > most_updates) break;
        int r = 0, c = 0;
        if (!plan_choose(w, &r, &c)) {
            for (int j = 0; j < n; j++)
                if (!w->col_done[j]) return *defect = j, LA_SINGULAR; // the first without a pivot
        }
        if (plan_reserve(p, at)) return LA_E_MEMORY;
        plan_record(w, k, r, c, &at);
        p->updates += (long)(p->start[2 * k + 1] - p->start[2 * k]) *
                      (p->start[2 * k + 2] - p->start[2 * k + 1]);
        if (!plan_eliminate(w, k)) return LA_E_MEMORY;
    }
    plan_end(p, k, at);
    return LA_OK;
}

int la_plan_make(la_plan *p, mem *m, const la_config *config, const double *a, const double *b,
                 double re, double im, long most_updates, int *defect)
{
    size_t n = (size_t)config->n, nnz = (size_t)config->pattern->nnz;
    *p = (la_plan){.n = config->n, .m = m, .capacity = 2 * nnz + 2 * n};
    work w = {.p = p, .m = m, .n = config->n, .is_complex = config->is_complex, .long_row = -1};
    size_t bytes = layout_work(&w, n, NULL) + 1;
    void *block = mem_try(m, bytes);
    p->bytes = plan_layout(p, n, NULL);
    p->block = mem_try(m, p->bytes);
    w.by_row.capacity = w.by_col.capacity = (int)(2 * nnz + 4 * n);
    w.cells = mem_try(m, (size_t)w.by_row.capacity * sizeof *w.cells);
    w.rows = mem_try(m, (size_t)w.by_col.capacity * sizeof *w.rows);
    int status = block && p->block && w.cells && w.rows ? LA_OK : LA_E_MEMORY;
    if (!status) {
        plan_layout(p, n, p->block);
        memset(block, 0, bytes);
        layout_work(&w, n, block);
        for (size_t i = 0; i <= n; i++) w.head[i] = -1;
        status = plan_load(&w, config, a, b, re, im);
        if (!status) status = plan_run(&w, most_updates, defect);
    }
    mem_free(m, w.cells, w.cells ? (size_t)w.by_row.capacity * sizeof *w.cells : 0);
    mem_free(m, w.rows, w.rows ? (size_t)w.by_col.capacity * sizeof *w.rows : 0);
    mem_free(m, block, block ? bytes : 0);
    if (status) la_plan_free(p);
    return status;
}

void la_plan_free(la_plan *p)
{
    if (p->block) mem_free(p->m, p->block, p->bytes);
    p->block = NULL;
}
