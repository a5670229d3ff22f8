/* Sparse LU as straight-line code.
 *
 * For a fixed pattern and fixed pivots elimination is a list of multiplications without a single
 * index or branch: it is written to a tape once and compiled. Pivots are chosen on the first real
 * values by Markowitz's count among those not much smaller than the largest of their column (I. S.
 * Duff, A. M. Erisman, J. K. Reid, Direct Methods for Sparse Matrices, 2nd ed. 2017, ch. 7). Later
 * values use the same pivots; when an element of L grows, the pivots are chosen anew, and after a
 * few such plans the matrix is handed to a backend that pivots every time.
 *
 * Factors: t = Re c, w[0] = Im c, p = A, y = M in the order of the pattern; out = inverse pivots, L
 * and U. Solution: y = right-hand side, p = factors; out = solution. A complex number is a pair of
 * refs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include "base/bump.h"
#include "tape/tape.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    N_MAX = 400,
    OPS_MAX = 40000, // beyond, compile time and instruction fetch outweigh the gain (evaluator
                     // measurements)
    PLANS_MAX = 4,
};
static const double THRESHOLD = 0.1;  // of the largest entry of the column
static const double GROWTH_MAX = 1e6; // |l_ik|: partial pivoting would keep it at 1

typedef struct cell {
    tape_ref re, im; // TAPE_NONE: structurally zero
} cell;

typedef struct compiled {
    tape_code *factor, *solve;
    double *factors, *scratch, *x;
    size_t n_factors, n_scratch;
    int *row, *col; // pivot k is at (row[k], col[k])
    double *weight; // 1 / largest entry of row[k], when the pivots were chosen
    int *pivot;     // its inverse among the factors
    int *step; // entries of step k: those of U in step[2k] ..., of L in step[2k+1] ..., n in all
    int *line, *where; // column (U) or row (L) of an entry, its place among the factors
    size_t n_entries;
    int n_l_first, n_l; // the multipliers among the factors
    int plans;
    la_solver *other; // takes over when straight-line code does not fit
} compiled;

/* ---- choosing pivots ---------------------------------------------------------------------------
 */

typedef struct plan {
    int n;
    bool is_complex;
    double *re, *im;      // dense, by rows
    unsigned char *there; // structurally nonzero
    int *rows, *cols;     // counts in the active part
    bool *row_done, *col_done;
    double *col_max;
    int *row, *col;
    double *weight; // 1 / largest entry of each row
    long ops;
} plan;

// Rows are weighed when pivots are compared: implicit equilibration.
static double modulus(const plan *p, int i, int j)
{
    int k = i * p->n + j;
    return p->is_complex ? hypot(p->re[k], p->im[k]) : fabs(p->re[k]);
}

static bool choose(const plan *p, int *row, int *col)
{
    for (int j = 0; j < p->n; j++) {
        p->col_max[j] = 0;
        if (p->col_done[j]) continue;
        for (int i = 0; i < p->n; i++)
            if (!p->row_done[i] && p->there[i * p->n + j])
                p->col_max[j] = fmax(p->col_max[j], p->weight[i] * modulus(p, i, j));
    }
    long best = -1;
    double best_size = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->row_done[i]) continue;
        for (int j = 0; j < p->n; j++) {
            if (p->col_done[j] || !p->there[i * p->n + j]) continue;
            double size = p->weight[i] * modulus(p, i, j);
            if (!(size >= THRESHOLD * p->col_max[j]) || size == 0) continue;
            long cost = (long)(p->rows[i] - 1) * (p->cols[j] - 1);
            double relative = size / p->col_max[j];
            if (best < 0 || cost < best || (cost == best && relative > best_size)) {
                best = cost;
                best_size = relative;
                *row = i;
                *col = j;
            }
        }
    }
    return best >= 0;
}

// Eliminate with pivot (r, c): values for later choices, fill, counts.
static void eliminate(plan *p, int r, int c)
{
    int n = p->n;
    for (int i = 0; i < n; i++) {
        if (p->row_done[i] || i == r || !p->there[i * n + c]) continue;
        int ic = i * n + c, rc = r * n + c;
        double lr, li = 0;
        if (p->is_complex) {
            double d = p->re[rc] * p->re[rc] + p->im[rc] * p->im[rc];
            lr = (p->re[ic] * p->re[rc] + p->im[ic] * p->im[rc]) / d;
            li = (p->im[ic] * p->re[rc] - p->re[ic] * p->im[rc]) / d;
        } else {
            lr = p->re[ic] / p->re[rc];
        }
        for (int j = 0; j < n; j++) {
            int rj = r * n + j, ij = i * n + j;
            if (p->col_done[j] || j == c || !p->there[rj]) continue;
            if (!p->there[ij]) {
                p->there[ij] = 1;
                p->rows[i]++;
                p->cols[j]++;
            }
            if (p->is_complex) {
                p->re[ij] -= lr * p->re[rj] - li * p->im[rj];
                p->im[ij] -= lr * p->im[rj] + li * p->re[rj];
            } else {
                p->re[ij] -= lr * p->re[rj];
            }
            p->ops += p->is_complex ? 8 : 2;
        }
        p->rows[i]--;
    }
    for (int j = 0; j < n; j++)
        if (!p->col_done[j] && j != c && p->there[r * n + j]) p->cols[j]--;
    p->row_done[r] = p->col_done[c] = true;
}

static int make_plan(plan *p, const la_solver *s, const double *a, const double *m, double re,
                     double im, arena *work)
{
    int n = p->n = s->config.n;
    const vinc_pattern *pat = s->config.pattern;
    p->is_complex = s->config.is_complex;
    p->re = arena_array(work, double, n *n);
    p->im = arena_array(work, double, n *n);
    p->there = arena_array(work, unsigned char, n *n);
    p->rows = arena_array(work, int, n);
    p->cols = arena_array(work, int, n);
    p->row_done = arena_array(work, bool, n);
    p->col_done = arena_array(work, bool, n);
    p->col_max = arena_array(work, double, n);
    p->row = arena_array(work, int, n);
    p->col = arena_array(work, int, n);
    p->weight = arena_array(work, double, n);
    for (int j = 0; j < n; j++)
        for (int k = pat ? pat->start[j] : j * n; k < (pat ? pat->start[j + 1] : (j + 1) * n);
             k++) {
            int i = pat ? pat->row[k] : k - j * n;
            p->there[i * n + j] = 1;
            p->re[i * n + j] = a[k] + (m ? re * m[k] : 0);
            p->im[i * n + j] = m ? im * m[k] : 0;
            p->rows[i]++;
            p->cols[j]++;
            p->weight[i] = fmax(p->weight[i], modulus(p, i, j));
        }
    for (int i = 0; i < n; i++) p->weight[i] = p->weight[i] > 0 ? 1 / p->weight[i] : 1;
    for (int k = 0; k < n; k++) {
        if (!choose(p, &p->row[k], &p->col[k])) {
            for (int j = 0; j < n; j++)
                if (!p->col_done[j]) return j; // the first column without a pivot
        }
        eliminate(p, p->row[k], p->col[k]);
        if (p->ops > OPS_MAX) break;
    }
    return -1;
}

/* ---- writing code ------------------------------------------------------------------------------
 */

typedef struct writer {
    tape_builder *b;
    bool is_complex;
} writer;

static tape_ref op2(const writer *w, tape_op op, tape_ref x, tape_ref y)
{
    return tape_op2(w->b, op, x, y);
}

static cell times(const writer *w, cell x, cell y)
{
    if (!w->is_complex) return (cell){op2(w, TAPE_MUL, x.re, y.re), TAPE_NONE};
    return (cell){op2(w, TAPE_SUB, op2(w, TAPE_MUL, x.re, y.re), op2(w, TAPE_MUL, x.im, y.im)),
                  op2(w, TAPE_ADD, op2(w, TAPE_MUL, x.re, y.im), op2(w, TAPE_MUL, x.im, y.re))};
}

static cell minus(const writer *w, cell x, cell y) // x may be structurally zero
{
    if (x.re == TAPE_NONE) {
        return (cell){tape_op1(w->b, TAPE_NEG, y.re),
                      w->is_complex ? tape_op1(w->b, TAPE_NEG, y.im) : TAPE_NONE};
    }
    return (cell){op2(w, TAPE_SUB, x.re, y.re),
                  w->is_complex ? op2(w, TAPE_SUB, x.im, y.im) : TAPE_NONE};
}

static cell inverse(const writer *w, cell x)
{
    tape_ref one = tape_const(w->b, 1);
    if (!w->is_complex) return (cell){op2(w, TAPE_DIV, one, x.re), TAPE_NONE};
    tape_ref d = op2(w, TAPE_ADD, op2(w, TAPE_MUL, x.re, x.re), op2(w, TAPE_MUL, x.im, x.im));
    tape_ref r = op2(w, TAPE_DIV, one, d);
    return (cell){op2(w, TAPE_MUL, x.re, r), op2(w, TAPE_MUL, tape_op1(w->b, TAPE_NEG, x.im), r)};
}

static int store(const writer *w, cell x, int at) // returns the next free place
{
    tape_store(w->b, tape_out(at), x.re);
    if (w->is_complex) tape_store(w->b, tape_out(at + 1), x.im);
    return at + (w->is_complex ? 2 : 1);
}

static cell load_matrix(const writer *w, int k, bool with_m)
{
    tape_ref a = tape_p(k);
    if (!with_m) return (cell){a, w->is_complex ? tape_const(w->b, 0) : TAPE_NONE};
    tape_ref m = tape_y(k);
    return (cell){op2(w, TAPE_ADD, a, op2(w, TAPE_MUL, tape_t(), m)),
                  w->is_complex ? op2(w, TAPE_MUL, tape_w(0), m) : TAPE_NONE};
}

typedef struct factors { // where each factor lies
    int *l, *u;          // dense, by (row, column) of the matrix; -1: none
    int *pivot;          // by elimination step
    int n;
} factors;

static void write_factor(const writer *w, const la_solver *s, const plan *p, factors *f,
                         arena *work)
{
    int n = p->n;
    const vinc_pattern *pat = s->config.pattern;
    cell *v = arena_array(work, cell, n * n);
    for (int k = 0; k < n * n; k++) v[k] = (cell){TAPE_NONE, TAPE_NONE};
    for (int j = 0; j < n; j++)
        for (int k = pat ? pat->start[j] : j * n; k < (pat ? pat->start[j + 1] : (j + 1) * n); k++)
            v[(pat ? pat->row[k] : k - j * n) * n + j] = load_matrix(w, k, true);
    bool *row_done = arena_array(work, bool, n), *col_done = arena_array(work, bool, n);
    cell *l = arena_array(work, cell, n);
    int at = 0;
    // Pivots and U first, multipliers behind them: the growth test then reads one stretch.
    cell *multiplier = arena_array(work, cell, n * n);
    for (int k = 0; k < n; k++) {
        int r = p->row[k], c = p->col[k];
        cell inv = inverse(w, v[r * n + c]);
        f->pivot[k] = at;
        at = store(w, inv, at);
        row_done[r] = col_done[c] = true;
        for (int j = 0; j < n; j++)
            if (!col_done[j] && v[r * n + j].re != TAPE_NONE) {
                f->u[r * n + j] = at;
                at = store(w, v[r * n + j], at);
            }
        for (int i = 0; i < n; i++) {
            l[i] = (cell){TAPE_NONE, TAPE_NONE};
            if (row_done[i] || v[i * n + c].re == TAPE_NONE) continue;
            l[i] = times(w, v[i * n + c], inv);
            multiplier[i * n + c] = l[i];
            f->l[i * n + c] = 0;
            for (int j = 0; j < n; j++)
                if (!col_done[j] && v[r * n + j].re != TAPE_NONE)
                    v[i * n + j] = minus(w, v[i * n + j], times(w, l[i], v[r * n + j]));
        }
    }
    for (int k = 0; k < n * n; k++)
        if (f->l[k] == 0) {
            f->l[k] = at;
            at = store(w, multiplier[k], at);
        }
    f->n = at;
}

static void write_solve(const writer *w, const plan *p, const factors *f, arena *work)
{
    int n = p->n;
    cell *x = arena_array(work, cell, n); // by row of the matrix, then by column
    cell *y = arena_array(work, cell, n);
    for (int i = 0; i < n; i++) x[i] = (cell){tape_y(i), w->is_complex ? tape_y(n + i) : TAPE_NONE};
    for (int k = 0; k < n; k++) {
        int r = p->row[k], c = p->col[k];
        for (int i = 0; i < n; i++) {
            int at = f->l[i * n + c];
            if (at < 0) continue;
            cell l = {tape_p(at), w->is_complex ? tape_p(at + 1) : TAPE_NONE};
            x[i] = minus(w, x[i], times(w, l, x[r]));
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        int r = p->row[k], c = p->col[k];
        cell sum = x[r];
        for (int j = k + 1; j < n; j++) {
            int at = f->u[r * n + p->col[j]];
            if (at < 0) continue;
            cell u = {tape_p(at), w->is_complex ? tape_p(at + 1) : TAPE_NONE};
            sum = minus(w, sum, times(w, u, y[p->col[j]]));
        }
        cell inv = {tape_p(f->pivot[k]), w->is_complex ? tape_p(f->pivot[k] + 1) : TAPE_NONE};
        y[c] = times(w, sum, inv);
        tape_store(w->b, tape_out(c), y[c].re);
        if (w->is_complex) tape_store(w->b, tape_out(n + c), y[c].im);
    }
}

/* ---- planning ----------------------------------------------------------------------------------
 */

typedef struct build_job {
    la_solver *s;
    const double *a, *m;
    double re, im;
    arena work;
} build_job;

static void drop_code(la_solver *s)
{
    compiled *z = s->state;
    tape_code_free(z->factor);
    tape_code_free(z->solve);
    mem_free(s->m, z->factors, z->n_factors * sizeof *z->factors);
    mem_free(s->m, z->scratch, z->n_scratch * sizeof *z->scratch);
    mem_free(s->m, z->line, 2 * z->n_entries * sizeof *z->line);
    z->line = z->where = NULL;
    z->n_entries = 0;
    z->factor = z->solve = NULL;
    z->factors = z->scratch = NULL;
    z->n_factors = z->n_scratch = 0;
}

static int take_other(la_solver *s)
{
    compiled *z = s->state;
    la_config c = s->config;
    c.backend = la_choose_general(c.n, c.pattern ? c.pattern->nnz : (long)c.n * c.n);
    return la_new(s->m, &c, &z->other);
}

// The factors by entries, for what runs too seldom to be compiled: pivots and the transposed
// solution.
static bool keep_entries(la_solver *s, const plan *p, const factors *f)
{
    compiled *z = s->state;
    int n = p->n, k_entry = 0;
    for (int k = 0; k < n * n; k++) z->n_entries += (f->l[k] >= 0) + (f->u[k] >= 0);
    z->line = mem_try(s->m, 2 * z->n_entries * sizeof *z->line);
    if (!z->line) return false;
    z->where = z->line + z->n_entries;
    for (int k = 0; k < n; k++) {
        z->row[k] = p->row[k];
        z->col[k] = p->col[k];
        z->pivot[k] = f->pivot[k];
        z->weight[k] = p->weight[p->row[k]];
        z->step[2 * k] = k_entry;
        for (int j = 0; j < n; j++)
            if (f->u[p->row[k] * n + j] >= 0) {
                z->line[k_entry] = j;
                z->where[k_entry++] = f->u[p->row[k] * n + j];
            }
        z->step[2 * k + 1] = k_entry;
        for (int i = 0; i < n; i++)
            if (f->l[i * n + p->col[k]] >= 0) {
                z->line[k_entry] = i;
                z->where[k_entry++] = f->l[i * n + p->col[k]];
            }
    }
    z->step[2 * n] = k_entry;
    return true;
}

static int build(void *job)
{
    build_job *j = job;
    la_solver *s = j->s;
    compiled *z = s->state;
    int n = s->config.n;
    plan p = {0};
    int defect = make_plan(&p, s, j->a, j->m, j->re, j->im, &j->work);
    if (defect >= 0) {
        s->defect = defect;
        return LA_SINGULAR;
    }
    if (p.ops > OPS_MAX) return take_other(s);

    factors f = {arena_array(&j->work, int, n *n), arena_array(&j->work, int, n *n),
                 arena_array(&j->work, int, n), 0};
    for (int k = 0; k < n * n; k++) f.l[k] = f.u[k] = -1;
    writer w = {tape_builder_new(&j->work), s->config.is_complex};
    write_factor(&w, s, &p, &f, &j->work);
    const tape *factor = tape_finish(w.b, &j->work);
    w.b = tape_builder_new(&j->work);
    write_solve(&w, &p, &f, &j->work);
    const tape *solve = tape_finish(w.b, &j->work);

    if (tape_compile(factor, NULL, s->m, &z->factor) != 0 ||
        tape_compile(solve, NULL, s->m, &z->solve) != 0)
        return LA_E_MEMORY;
    size_t a = tape_code_scratch(z->factor), b = tape_code_scratch(z->solve);
    z->n_scratch = (a > b ? a : b) + 1;
    z->n_factors = (size_t)f.n + 1;
    z->scratch = mem_try(s->m, z->n_scratch * sizeof *z->scratch);
    z->factors = mem_try(s->m, z->n_factors * sizeof *z->factors);
    if (!z->scratch || !z->factors) return LA_E_MEMORY;
    if (!keep_entries(s, &p, &f)) return LA_E_MEMORY;
    int parts = s->config.is_complex ? 2 : 1;
    z->n_l = 0;
    for (int k = 0; k < n * n; k++) z->n_l += f.l[k] >= 0 ? parts : 0;
    z->n_l_first = f.n - z->n_l;
    return LA_OK;
}

// The tape builder's memory is never refused; here, outside the compiler, lack of it must come back
// as a status.
static int plan_anew(la_solver *s, const double *a, const double *m, double re, double im)
{
    compiled *z = s->state;
    drop_code(s);
    if (z->plans++ >= PLANS_MAX) return take_other(s);
    mem guarded = *s->m;
    build_job j = {.s = s, .a = a, .m = m, .re = re, .im = im};
    arena_init(&j.work, &guarded);
    int rc = mem_guarded(&guarded, build, &j, LA_E_MEMORY);
    arena_done(&j.work);
    if (rc != LA_OK) drop_code(s);
    return rc;
}

/* ---- the backend -------------------------------------------------------------------------------
 */

static size_t layout(compiled *z, size_t n, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *z);
    z->x = bump_double(&b, 2 * n);
    z->weight = bump_double(&b, n);
    z->row = bump_int(&b, n);
    z->col = bump_int(&b, n);
    z->pivot = bump_int(&b, n);
    z->step = bump_int(&b, 2 * n + 1);
    return bump_end(&b);
}

static int compiled_open(la_solver *s)
{
    compiled probe;
    size_t n = (size_t)s->config.n, bytes = layout(&probe, n, NULL);
    compiled *z = mem_try(s->m, bytes);
    if (!z) return LA_E_MEMORY;
    memset(z, 0, bytes);
    layout(z, n, z);
    s->state = z;
    return LA_OK;
}

static void compiled_close(la_solver *s)
{
    compiled *z = s->state, probe;
    drop_code(s);
    la_free(z->other);
    mem_free(s->m, z, layout(&probe, (size_t)s->config.n, NULL));
}

// Pivots may have shrunk since they were chosen: finite factors with multipliers of a decent size
// are accepted.
static bool healthy(const compiled *z)
{
    double most = 0, sum = 0;
    const double *l = z->factors + z->n_l_first;
    for (int k = 0; k < z->n_l; k++) most = fabs(l[k]) > most ? fabs(l[k]) : most;
    for (int k = 0; k < z->n_l_first; k++)
        sum += z->factors[k] - z->factors[k]; // not 0 if one is not finite
    return sum == 0 && most <= GROWTH_MAX;
}

static void evaluate(la_solver *s, const double *a, const double *m, double re, double im)
{
    compiled *z = s->state;
    double w[1] = {im};
    tape_args args = {.t = re, .p = a, .y = m, .w = w, .out = z->factors, .scratch = z->scratch};
    tape_eval(z->factor, &args);
}

static int compiled_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    compiled *z = s->state;
    if (!m) m = a, re = im = 0; // the code always adds c M
    for (int round = 0; !z->other; round++) {
        if (z->factor) {
            evaluate(s, a, m, re, im);
            if (healthy(z)) {
                s->n_refactor += round == 0;
                break;
            }
            if (round > 0) { // fresh pivots and still not healthy: singular to working precision
                int rc = take_other(s);
                if (rc) return rc;
                break;
            }
        }
        int rc = plan_anew(s, a, m, re, im);
        if (rc) return rc;
    }
    if (z->other) {
        int rc = la_factor(z->other, a, m, re, im);
        s->defect = z->other->defect;
        s->pivot_ratio = z->other->pivot_ratio;
        return rc;
    }
    s->defect = -1;
    double least = INFINITY, most = 0;
    for (int k = 0; k < s->config.n; k++) {
        double size = s->config.is_complex
                          ? hypot(z->factors[z->pivot[k]], z->factors[z->pivot[k] + 1])
                          : fabs(z->factors[z->pivot[k]]);
        size = z->weight[k] / size;
        least = fmin(least, size);
        most = fmax(most, size);
    }
    s->pivot_ratio = most > 0 ? least / most : 0;
    return LA_OK;
}

static void compiled_solve_transposed(la_solver *s, double *b)
{
    compiled *z = s->state;
    if (z->other) {
        z->other->backend->solve_transposed(z->other, b);
        return;
    }
    int n = s->config.n;
    for (int k = 0; k < n; k++) { // U^T
        double y = z->x[k] = b[z->col[k]] * z->factors[z->pivot[k]];
        for (int e = z->step[2 * k]; e < z->step[2 * k + 1]; e++)
            b[z->line[e]] -= z->factors[z->where[e]] * y;
    }
    for (int k = n - 1; k >= 0; k--) { // L^T
        double y = z->x[k];
        for (int e = z->step[2 * k + 1]; e < z->step[2 * k + 2]; e++)
            y -= z->factors[z->where[e]] * b[z->line[e]];
        b[z->row[k]] = y;
    }
}

static void compiled_solve(la_solver *s, double *b)
{
    compiled *z = s->state;
    if (z->other) {
        la_solve(z->other, b);
        return;
    }
    int n = s->config.n * (s->config.is_complex ? 2 : 1);
    memcpy(z->x, b, (size_t)n * sizeof *b);
    tape_args args = {.p = z->factors, .y = z->x, .out = b, .scratch = z->scratch};
    tape_eval(z->solve, &args);
}

const la_backend la_backend_compiled = {
    .name = "compiled",
    .summary = "sparse LU as straight-line machine code, pivots fixed while they serve",
    .is_complex = true,
    .plans = true,
    .n_max = N_MAX,
    .open = compiled_open,
    .close = compiled_close,
    .factor = compiled_factor,
    .solve = compiled_solve,
    .solve_transposed = compiled_solve_transposed,
};
