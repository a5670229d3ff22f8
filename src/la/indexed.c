/* Sparse LU that repeats a plan.
 *
 * Pivots are chosen once, on the first values (plan.h). Then a factorisation is one sweep over
 * lists: entry number so many of the factors is changed by the product of two others. No search, no
 * permutation, no scatter; the price is one integer per multiplication. What is nearly full at the
 * end is factored densely, with pivoting.
 *
 * Rows are scaled by powers of two. When a multiplier grows the pivots no longer serve: those of plans
 * before are tried, as matrices that turn with a shaft come back to them; then they are chosen anew,
 * and after a few such plans the matrix is handed to a backend that pivots every time.
 *
 * Factors: inverse pivots, then for each step its row of U and its column of L, then the dense rest
 * by columns; complex ones in two planes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include "base/bump.h"
#include "la/dense_rest.h"
#include "la/fronts.h"
#include "la/lists.h"
#include "la/plan.h"
#include "la/simd.h"

#include <math.h>
#include <string.h>

enum {
    PLANS_MAX = 8,
    FACTORS_PER_PLAN_MIN = 10, // factorisations that a new plan may cost in the long run
    PLANS_KEPT = 6, // beside the one in use: choice; a plan costs some ten factorisations
};
static const long UPDATES_MAX = 1000000;

/* One plan, and factors by it. */
typedef struct indexed {
    int n, steps, rest;      // unknowns, eliminated one by one, dense
    int n_values, n_updates; // factors; length of target
    int n_fill;              // factors that are no entries of the matrix
    double *v, *vi;          // factors; their imaginary plane
    double *x, *xi;          // a right-hand side in the order of the steps
    double *x4, *xi4;        // four of them side by side, and room for one of them; NULL: never
    double *scale;           // by entry of the pattern: weight of its row
    double *weight;          // by step: of its row
    int *where;              // by entry of the pattern: its factor
    int *fill;               //
    int *target;             // factors that the updates change, in their order
    int *start;              // as in the plan
    int *line;               // as in the plan, but steps instead of rows and columns
    int *row, *col;          // by step
    int *swaps;              // of the rest
    void *block;
    size_t bytes;
} indexed;

typedef struct indexed_state {
    indexed now;
    indexed kept[PLANS_KEPT]; // plans that did not serve, the last one first
    int n_kept;
    int plans;        // made
    la_solver *other; // takes over when pivots keep changing
} indexed_state;

static size_t indexed_layout(indexed *z, size_t nnz, const la_config *config, void *block)
{
    bool is_complex = config->is_complex;
    bump b = bump_begin(block);
    size_t n = (size_t)z->n, entries = (size_t)z->n_values;
    z->v = bump_double(&b, entries);
    z->vi = is_complex ? bump_double(&b, entries) : NULL;
    z->x = bump_double(&b, is_complex ? 2 * n : n);
    z->xi = is_complex && z->x ? z->x + n : NULL;
    z->x4 = config->blocks > 1 ? bump_double(&b, (is_complex ? 8 : 4) * n) : NULL;
    z->xi4 = is_complex && z->x4 ? z->x4 + 4 * n : NULL;
    z->scale = bump_double(&b, nnz);
    z->weight = bump_double(&b, n);
    z->where = bump_int(&b, nnz);
    z->fill = bump_int(&b, entries);
    z->target = bump_int(&b, (size_t)z->n_updates);
    z->start = bump_int(&b, 2 * (size_t)z->steps + 1);
    z->line = bump_int(&b, entries);
    z->row = bump_int(&b, 2 * n); // one after the other
    z->col = z->row ? z->row + n : NULL;
    z->swaps = bump_int(&b, (size_t)z->rest);
    return bump_end(&b) + 1;
}

/* ---- planning -------------------------------------------------------------------------------- */

static void indexed_drop(mem *m, indexed *z)
{
    if (z->block) mem_free(m, z->block, z->bytes);
    z->block = NULL;
}

/* The plan in use becomes the first of those that are kept. */
static void indexed_keep(la_solver *s)
{
    indexed_state *x = s->state;
    if (x->now.block && x->now.n <= LA_LISTS_MAX) {
        if (x->n_kept == PLANS_KEPT) indexed_drop(s->m, &x->kept[--x->n_kept]);
        memmove(x->kept + 1, x->kept, (size_t)x->n_kept++ * sizeof *x->kept);
        x->kept[0] = x->now;
        x->now = (indexed){.n = x->now.n};
    }
    indexed_drop(s->m, &x->now);
}

/* Plan k of those that are kept is used, and the one in use is kept first. */
static void indexed_return(indexed_state *x, int k)
{
    indexed again = x->kept[k];
    memmove(x->kept + 1, x->kept, (size_t)k * sizeof *x->kept);
    x->kept[0] = x->now;
    x->now = again;
}

static void indexed_drop_all(la_solver *s)
{
    indexed_state *x = s->state;
    indexed_drop(s->m, &x->now);
    while (x->n_kept) indexed_drop(s->m, &x->kept[--x->n_kept]);
}

static int write_lists(indexed *z, const la_plan *p, const vinc_pattern *pat)
{
    int n = p->n;
    if (la_plan_places(p, pat, z->where, z->target)) return LA_E_MEMORY;
    memset(z->v, 0, (size_t)z->n_values * sizeof *z->v);
    memcpy(z->row, p->row, (size_t)n * sizeof *z->row);
    memcpy(z->col, p->col, (size_t)n * sizeof *z->col);
    memcpy(z->start, p->start, (2 * (size_t)p->steps + 1) * sizeof *z->start);
    for (int k = 0; k < n; k++) z->weight[k] = p->weight[p->row[k]];
    for (int k = 0; k < p->steps; k++) {
        int u = p->start[2 * k], l = p->start[2 * k + 1], end = p->start[2 * k + 2];
        for (int e = u; e < l; e++) z->line[e] = p->at_col[p->line[e]];
        for (int e = l; e < end; e++) z->line[e] = p->at_row[p->line[e]];
    }
    for (int j = 0; j < n; j++)
        for (int k = pat->start[j]; k < pat->start[j + 1]; k++) {
            z->scale[k] = p->weight[pat->row[k]];
            z->v[z->where[k]] = 1;
        }
    z->n_fill = 0;
    for (int k = 0; k < z->n_values; k++)
        if (z->v[k] == 0) z->fill[z->n_fill++] = k;
    return LA_OK;
}

static int indexed_take_other(la_solver *s)
{
    indexed_state *x = s->state;
    la_config c = s->config;
    c.blocks = 1;  // it is given one after another
    c.work = NULL; // counted here
    c.backend = la_choose_general(c.n, c.pattern->nnz)->name;
    indexed_drop_all(s);
    return la_new(s->m, &c, &x->other);
}

static int plan_anew(la_solver *s, const double *a, const double *m, double re, double im)
{
    indexed_state *x = s->state;
    indexed *z = &x->now;
    indexed_keep(s);
    if (x->plans++ >= PLANS_MAX + s->n_factor / FACTORS_PER_PLAN_MIN) return indexed_take_other(s);
    la_plan p;
    bool large = z->n > LA_LISTS_MAX;
    long most = large ? (long)LA_LISTS_UPDATES_MAX * z->n : UPDATES_MAX;
    int status = la_plan_make(&p, s->m, &s->config, a, m, re, im, most, &s->defect);
    if (status) return status;
    if (large && p.n - p.steps > LA_LISTS_REST_MAX) return la_plan_free(&p), indexed_take_other(s);
    size_t nnz = (size_t)s->config.pattern->nnz;
    z->steps = p.steps;
    z->rest = p.n - p.steps;
    z->n_values = p.steps + la_plan_entries(&p) + z->rest * z->rest;
    z->n_updates = (int)p.updates;
    double rest = z->rest, entries = la_plan_entries(&p);
    double factor, solve;
    la_lists_work(p.n, (long)nnz, (double)p.updates, entries, &factor, &solve);
    la_set_work(s, factor + rest * rest * rest / 3, solve + rest * rest);
    z->bytes = indexed_layout(z, nnz, &s->config, NULL);
    z->block = mem_try(s->m, z->bytes);
    status = z->block ? LA_OK : LA_E_MEMORY;
    if (!status) {
        indexed_layout(z, nnz, &s->config, z->block);
        status = write_lists(z, &p, s->config.pattern);
    }
    la_plan_free(&p);
    if (status) indexed_drop(s->m, z);
    return status;
}

/* ---- factoring ------------------------------------------------------------------------------- */

static void indexed_load(const indexed *z, int nnz, const double *restrict a,
                         const double *restrict m, double re, double im)
{
    double *restrict v = z->v;
    const int *restrict where = z->where;
    const double *restrict scale = z->scale;
    for (int k = 0; k < z->n_fill; k++) v[z->fill[k]] = 0;
    if (m)
        for (int k = 0; k < nnz; k++) v[where[k]] = scale[k] * (a[k] + re * m[k]);
    else
        for (int k = 0; k < nnz; k++) v[where[k]] = scale[k] * a[k];
    if (!z->vi) return;
    double *restrict vi = z->vi;
    for (int k = 0; k < z->n_fill; k++) vi[z->fill[k]] = 0;
    for (int k = 0; k < nnz; k++) vi[where[k]] = m ? im * scale[k] * m[k] : 0;
}

/* The largest multiplier; not finite when a pivot has vanished. */
static double eliminate_real(const indexed *z)
{
    double *v = z->v, *entry = v + z->steps, most = 0;
    const int *target = z->target;
    for (int k = 0; k < z->steps; k++) {
        int nu = z->start[2 * k + 1] - z->start[2 * k];
        const double *u = entry + z->start[2 * k];
        double inv = v[k] = 1 / v[k];
        for (int e = z->start[2 * k + 1]; e < z->start[2 * k + 2]; e++, target += nu) {
            double l = entry[e] *= inv, size = fabs(l);
            most = size <= most ? most : size;
            for (int j = 0; j < nu; j++) v[target[j]] -= l * u[j];
        }
        if (!(most <= LA_MULTIPLIER_MAX)) break;
    }
    return most;
}

static double eliminate_complex(const indexed *z)
{
    double *v = z->v, *w = z->vi, *er = v + z->steps, *ei = w + z->steps, most = 0;
    const int *target = z->target;
    for (int k = 0; k < z->steps; k++) {
        int nu = z->start[2 * k + 1] - z->start[2 * k];
        const double *ur = er + z->start[2 * k], *ui = ei + z->start[2 * k];
        double d = 1 / (v[k] * v[k] + w[k] * w[k]), pr = v[k] *= d, pi = w[k] *= -d;
        for (int e = z->start[2 * k + 1]; e < z->start[2 * k + 2]; e++, target += nu) {
            double lr = er[e] * pr - ei[e] * pi, li = er[e] * pi + ei[e] * pr;
            er[e] = lr, ei[e] = li;
            double size = fabs(lr) + fabs(li);
            most = size <= most ? most : size;
            for (int j = 0; j < nu; j++) {
                v[target[j]] -= lr * ur[j] - li * ui[j];
                w[target[j]] -= lr * ui[j] + li * ur[j];
            }
        }
        if (!(most <= LA_MULTIPLIER_MAX)) break;
    }
    return most;
}

static la_rest rest_of(const indexed *z)
{
    int at = z->n_values - z->rest * z->rest;
    return (la_rest){
        .n = z->rest, .a = z->v + at, .ai = z->vi ? z->vi + at : NULL, .swaps = z->swaps};
}

/* False: the pivots do not serve. */
static bool factor_once(la_solver *s, const double *a, const double *m, double re, double im)
{
    indexed *z = &((indexed_state *)s->state)->now;
    int nnz = s->config.pattern->nnz;
    indexed_load(z, nnz, a, m, re, im);
    double growth = z->vi ? eliminate_complex(z) : eliminate_real(z);
    if (!(growth <= LA_MULTIPLIER_MAX)) return false;
    la_rest rest = rest_of(z);
    double least = INFINITY, most = 0;
    for (int k = 0; k < z->steps; k++) {
        double size = z->vi ? fabs(z->v[k]) + fabs(z->vi[k]) : fabs(z->v[k]);
        if (!(size < INFINITY)) return false;
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    if (z->steps) { // of the inverse pivots
        double q = least;
        least = 1 / most;
        most = 1 / q;
    }
    if (z->rest && !la_rest_factor(&rest, &least, &most)) return false;
    s->pivot_ratio = most > 0 ? least / most : 1;
    return true;
}

static la_lists lists_of(const indexed *z)
{
    return (la_lists){.n = z->n,
                      .steps = z->steps,
                      .start = z->start,
                      .line = z->line,
                      .row = z->row,
                      .col = z->col,
                      .weight = z->weight,
                      .is_complex = z->vi != NULL,
                      .n_values = z->n_values,
                      .n_fill = z->n_fill,
                      .where = z->where,
                      .scale = z->scale,
                      .fill = z->fill,
                      .target = z->target,
                      .v = z->v};
}

bool la_indexed_lists(const la_solver *s, la_lists *out)
{
    const indexed_state *x = s->state;
    if (!s->backend->by_lists || x->other || !x->now.block) return false;
    *out = lists_of(&x->now);
    return true;
}

/* By the plan in use, or one that served before. */
static bool factor_as_before(la_solver *s, const double *a, const double *m, double re, double im)
{
    indexed_state *x = s->state;
    if (!x->now.block) return false;
    if (factor_once(s, a, m, re, im)) return true;
    for (int k = 0; k < x->n_kept; k++) {
        indexed_return(x, k);
        if (factor_once(s, a, m, re, im)) return true;
    }
    return false;
}

static int indexed_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    indexed_state *x = s->state;
    s->defect = -1;
    for (int round = 0; !x->other; round++) {
        if (round ? x->now.block && factor_once(s, a, m, re, im)
                  : factor_as_before(s, a, m, re, im)) {
            s->n_refactor += round == 0;
            return LA_OK;
        }
        // Fresh pivots and still not healthy: singular to working precision.
        int status = round > 1 || (round > 0 && x->now.block) ? indexed_take_other(s)
                                                              : plan_anew(s, a, m, re, im);
        if (status) return status;
    }
    int status = la_factor(x->other, a, m, re, im);
    s->defect = x->other->defect;
    s->pivot_ratio = x->other->pivot_ratio;
    return status;
}

/* ---- solving --------------------------------------------------------------------------------- */

static void indexed_solve_real(const indexed *z, double *restrict b)
{
    double *restrict x = z->x;
    const double *restrict v = z->v, *restrict entry = v + z->steps;
    const int *restrict line = z->line, *restrict start = z->start;
    for (int k = 0; k < z->n; k++) x[k] = b[z->row[k]] * z->weight[k];
    for (int k = 0; k < z->steps; k++) {
        double y = x[k];
        for (int e = start[2 * k + 1]; e < start[2 * k + 2]; e++) x[line[e]] -= entry[e] * y;
    }
    if (z->rest) {
        la_rest rest = rest_of(z);
        la_rest_solve(&rest, x + z->steps);
    }
    for (int k = z->n - 1; k >= z->steps; k--) b[z->col[k]] = x[k];
    for (int k = z->steps - 1; k >= 0; k--) {
        double sum = x[k];
        for (int e = start[2 * k]; e < start[2 * k + 1]; e++) sum -= entry[e] * x[line[e]];
        b[z->col[k]] = x[k] = sum * v[k];
    }
}

static void indexed_solve_complex(const indexed *z, double *restrict b)
{
    int n = z->n;
    double *restrict x = z->x, *restrict y = z->xi;
    const double *restrict er = z->v + z->steps, *restrict ei = z->vi + z->steps;
    const int *restrict line = z->line, *restrict start = z->start;
    for (int k = 0; k < n; k++) {
        x[k] = b[z->row[k]] * z->weight[k];
        y[k] = b[n + z->row[k]] * z->weight[k];
    }
    for (int k = 0; k < z->steps; k++) {
        double p = x[k], q = y[k];
        for (int e = start[2 * k + 1]; e < start[2 * k + 2]; e++) {
            x[line[e]] -= er[e] * p - ei[e] * q;
            y[line[e]] -= er[e] * q + ei[e] * p;
        }
    }
    if (z->rest) {
        la_rest rest = rest_of(z);
        la_rest_solve_complex(&rest, x + z->steps, y + z->steps);
    }
    for (int k = n - 1; k >= z->steps; k--) b[z->col[k]] = x[k], b[n + z->col[k]] = y[k];
    for (int k = z->steps - 1; k >= 0; k--) {
        double p = x[k], q = y[k];
        for (int e = start[2 * k]; e < start[2 * k + 1]; e++) {
            p -= er[e] * x[line[e]] - ei[e] * y[line[e]];
            q -= er[e] * y[line[e]] + ei[e] * x[line[e]];
        }
        b[z->col[k]] = x[k] = p * z->v[k] - q * z->vi[k];
        b[n + z->col[k]] = y[k] = p * z->vi[k] + q * z->v[k];
    }
}

/* ---- four together --------------------------------------------------------------------------- */

SIMD_INLINE simd4 *four(double *x, int k)
{
    return (simd4 *)(x + 4 * k);
}

/* The dense rest, one after another. */
static void rest_of_four(const indexed *z)
{
    la_rest rest = rest_of(z);
    for (int j = 0; j < 4 && z->rest; j++) {
        for (int k = z->steps; k < z->n; k++) {
            z->x[k] = z->x4[4 * k + j];
            if (z->xi) z->xi[k] = z->xi4[4 * k + j];
        }
        if (z->xi) la_rest_solve_complex(&rest, z->x + z->steps, z->xi + z->steps);
        else la_rest_solve(&rest, z->x + z->steps);
        for (int k = z->steps; k < z->n; k++) {
            z->x4[4 * k + j] = z->x[k];
            if (z->xi) z->xi4[4 * k + j] = z->xi[k];
        }
    }
}

/* Pointers and ends of lists are read once: for the compiler a store of four numbers may change them. */
SIMD_CLONES static void four_down(const indexed *z)
{
    const double *entry = z->v + z->steps;
    const int *line = z->line, *start = z->start;
    double *x = z->x4;
    for (int k = 0, n = z->steps; k < n; k++) {
        simd4 y = *four(x, k);
        for (int e = start[2 * k + 1], end = start[2 * k + 2]; e < end; e++)
            *four(x, line[e]) -= y * entry[e];
    }
}

SIMD_CLONES static void four_up(const indexed *z)
{
    const double *v = z->v, *entry = v + z->steps;
    const int *line = z->line, *start = z->start;
    double *x = z->x4;
    for (int k = z->steps - 1; k >= 0; k--) {
        simd4 sum = *four(x, k);
        for (int e = start[2 * k], end = start[2 * k + 1]; e < end; e++)
            sum -= *four(x, line[e]) * entry[e];
        *four(x, k) = sum * v[k];
    }
}

SIMD_CLONES static void four_down_complex(const indexed *z)
{
    const double *er = z->v + z->steps, *ei = z->vi + z->steps;
    const int *line = z->line, *start = z->start;
    double *xr = z->x4, *xi = z->xi4;
    for (int k = 0, n = z->steps; k < n; k++) {
        simd4 p = *four(xr, k), q = *four(xi, k);
        for (int e = start[2 * k + 1], end = start[2 * k + 2]; e < end; e++) {
            *four(xr, line[e]) -= p * er[e] - q * ei[e];
            *four(xi, line[e]) -= q * er[e] + p * ei[e];
        }
    }
}

SIMD_CLONES static void four_up_complex(const indexed *z)
{
    const double *v = z->v, *vi = z->vi, *er = v + z->steps, *ei = vi + z->steps;
    const int *line = z->line, *start = z->start;
    double *xr = z->x4, *xi = z->xi4;
    for (int k = z->steps - 1; k >= 0; k--) {
        simd4 p = *four(xr, k), q = *four(xi, k);
        for (int e = start[2 * k], end = start[2 * k + 1]; e < end; e++) {
            simd4 x = *four(xr, line[e]), y = *four(xi, line[e]);
            p -= x * er[e] - y * ei[e];
            q -= y * er[e] + x * ei[e];
        }
        *four(xr, k) = p * v[k] - q * vi[k];
        *four(xi, k) = p * vi[k] + q * v[k];
    }
}

SIMD_CLONES static void four_in(const indexed *z, double *const b[4], double *x)
{
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3], *weight = z->weight;
    const int *row = z->row;
    for (int k = 0, n = z->n; k < n; k++) {
        int i = row[k];
        *four(x, k) = (simd4){b0[i], b1[i], b2[i], b3[i]} * weight[k];
    }
}

static void four_out(const indexed *z, const double *x, double *const b[4])
{
    double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    const int *column = z->col;
    for (int k = 0, n = z->n; k < n; k++, x += 4) {
        int i = column[k];
        b0[i] = x[0];
        b1[i] = x[1];
        b2[i] = x[2];
        b3[i] = x[3];
    }
}

static bool indexed_solve_four(la_solver *s, double *const re[4], double *const im[4])
{
    indexed_state *own = s->state;
    indexed *z = &own->now;
    if (own->other || !z->x4) return false;
    four_in(z, re, z->x4);
    if (z->xi4) four_in(z, im, z->xi4);
    if (z->xi4) four_down_complex(z);
    else four_down(z);
    rest_of_four(z);
    if (z->xi4) four_up_complex(z);
    else four_up(z);
    four_out(z, z->x4, re);
    if (z->xi4) four_out(z, z->xi4, im);
    return true;
}

static void indexed_solve(la_solver *s, double *b)
{
    indexed_state *x = s->state;
    indexed *z = &x->now;
    if (x->other) {
        la_solve(x->other, b);
        return;
    }
    if (s->config.is_complex) indexed_solve_complex(z, b);
    else indexed_solve_real(z, b);
}

/* ---- the backend ----------------------------------------------------------------------------- */

/* Would elimination along the diagonal fill so much that a plan is not worth the search? Real
 * matrices of that kind do not come here. */
static int look_ahead(la_solver *s, bool *fills)
{
    la_fronts f;
    int status = la_fronts_plan(&f, s->m, s->config.pattern, 0);
    *fills = !status && f.suits && f.work > LA_FRONTS_WORK_MIN;
    if (!status) la_fronts_free(&f);
    return status;
}

static int indexed_open(la_solver *s)
{
    indexed_state *x = mem_try(s->m, sizeof *x);
    if (!x) return LA_E_MEMORY;
    *x = (indexed_state){.now = {.n = s->config.n}};
    s->state = x;
    bool fills = false;
    int status = s->config.n > LA_LISTS_MAX && s->config.is_complex ? look_ahead(s, &fills) : LA_OK;
    return fills ? indexed_take_other(s) : status;
}

static void indexed_close(la_solver *s)
{
    indexed_state *x = s->state;
    indexed_drop_all(s);
    la_free(x->other);
    mem_free(s->m, x, sizeof *x);
}

const la_backend la_backend_indexed = {
    .name = "indexed",
    .summary = "sparse LU by lists of indices, dense at its end, pivots fixed while they serve",
    .is_complex = true,
    .plans = true,
    .by_lists = true,
    .open = indexed_open,
    .close = indexed_close,
    .factor = indexed_factor,
    .solve = indexed_solve,
    .solve_four = indexed_solve_four,
};
