/* SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/state_space.h"
#include "base/watch.h"

#include "la/dense.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINEAR_RANK_TOL 1e-11 // relative, of matrices scaled by nominals and rows

#define MATRIX(a, rows, cols) arena_array(a, double, (size_t)(rows) * (size_t)(cols) + 1)

static size_t linear_at(int i, int j, int ld)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

// C := A^T B or A B, A given by ld; sizes of the result l by n, inner m.
static double *linear_product(arena *pool, bool transposed, int l, int m, int n, const double *a,
                              int lda, const double *b, int ldb)
{
    double *c = MATRIX(pool, l, n);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++) {
            double f = b[linear_at(k, j, ldb)];
            if (f != 0)
                for (int i = 0; i < l; i++)
                    c[linear_at(i, j, l)] +=
                        f * (transposed ? a[linear_at(k, i, lda)] : a[linear_at(i, k, lda)]);
        }
    return c;
}

static void linear_subtract(double *c, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) c[i] -= b[i];
}

static void linear_add(double *c, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) c[i] += b[i];
}

static double linear_largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- reduction ------------------------------------------------------------------------------- */

typedef struct reduction {
    arena *a;
    const linear_dae *s;
    int n, k, r;           // unknowns, inputs, states
    bool explicit_;        // each row with derivatives has one
    double *e, *g, *h, *v; // scaled: columns by nominals, rows by their largest entry
    double *u, *sigma, *lt;
    double *y_p, *y_u, *y_v; // y = y_p p + y_u u + y_v u'
    double *p_p, *p_u, *p_v; // p' likewise
} reduction;

static double linear_nominal(const linear_dae *s, int i)
{
    return s->nominal && s->nominal[i] > 0 ? s->nominal[i] : 1;
}

static double row_size(const linear_dae *s, const double *m, int i)
{
    double most = 0;
    for (int j = 0; j < s->n; j++)
        most = fmax(most, linear_nominal(s, j) * fabs(m[linear_at(i, j, s->n)]));
    return most;
}

/* Rows with derivatives by what stands at these: a stiff term beside them does not make them
 * algebraic. */
static void linear_scale(reduction *x)
{
    const linear_dae *s = x->s;
    int n = x->n, k = x->k;
    x->e = MATRIX(x->a, n, n), x->g = MATRIX(x->a, n, n);
    x->h = MATRIX(x->a, n, k), x->v = MATRIX(x->a, n, k);
    for (int i = 0; i < n; i++) {
        double most = row_size(s, s->e, i);
        if (most == 0) most = row_size(s, s->g, i);
        double f = most > 0 ? 1 / most : 1;
        for (int j = 0; j < n; j++) {
            x->e[linear_at(i, j, n)] = f * linear_nominal(s, j) * s->e[linear_at(i, j, n)];
            x->g[linear_at(i, j, n)] = f * linear_nominal(s, j) * s->g[linear_at(i, j, n)];
        }
        for (int j = 0; j < k; j++) {
            x->h[linear_at(i, j, n)] = f * s->h[linear_at(i, j, n)];
            x->v[linear_at(i, j, n)] = f * s->k[linear_at(i, j, n)];
        }
    }
}

/* Rows of E that are not zero, and whether each holds one entry, all in columns of their own. */
static int rows_with_derivatives(reduction *x, int *row)
{
    int n = x->n, m = 0;
    bool *taken = arena_array(x->a, bool, n + 1);
    x->explicit_ = true;
    for (int i = 0; i < n; i++) {
        int entries = 0;
        for (int j = 0; j < n; j++) {
            if (x->e[linear_at(i, j, n)] == 0) continue;
            if (entries++ || taken[j]) x->explicit_ = false;
            taken[j] = true;
        }
        if (entries) row[m++] = i;
    }
    return m;
}

/* E = U S L^T by its rows that are not zero; each of the others is a null vector of its own, so that
 * no rounding mixes it with rows of another size. */
static int linear_decompose(reduction *x)
{
    int n = x->n, *row = arena_array(x->a, int, n + 1), m = rows_with_derivatives(x, row);
    double *copy = MATRIX(x->a, m, n), *u = MATRIX(x->a, m, m);
    bool *has = arena_array(x->a, bool, n + 1);
    x->u = MATRIX(x->a, n, n), x->lt = MATRIX(x->a, n, n);
    x->sigma = arena_array(x->a, double, n + 1);
    for (int i = 0; i < m; i++) {
        has[row[i]] = true;
        for (int j = 0; j < n; j++) copy[linear_at(i, j, m)] = x->e[linear_at(row[i], j, n)];
    }
    if (m && la_svd(m, n, copy, x->sigma, u, x->lt, arena_array(x->a, double, la_svd_work(m, n))))
        return -1;
    for (int j = 0; !m && j < n; j++) x->lt[linear_at(j, j, n)] = 1;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) x->u[linear_at(row[i], j, n)] = u[linear_at(i, j, m)];
    for (int i = 0, j = m; i < n; i++)
        if (!has[i]) x->u[linear_at(i, j++, n)] = 1;
    while (x->r < m && x->sigma[x->r] > LINEAR_RANK_TOL * x->sigma[0]) x->r++;
    return 0;
}

/* Rows of an algebraic system, by their largest derivative. */
static void scale_algebraic(reduction *x, const double *wg, int m, double *matrix, double *rhs,
                            int wide)
{
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < x->n; j++) most = fmax(most, fabs(wg[linear_at(i, j, m)]));
        if (most == 0 || !isfinite(most)) continue;
        for (int j = 0; j < m; j++) matrix[linear_at(i, j, m)] /= most;
        for (int j = 0; j < wide; j++) rhs[linear_at(i, j, m)] /= most;
    }
}

/* q of the null space from the algebraic rows: y as a function of p, u, u'. */
static int solve_algebraic(reduction *x, double *condition)
{
    int n = x->n, r = x->r, m = n - r, k = x->k, wide = r + 2 * k;
    const double *w = x->u + linear_at(0, r, n);
    double *l = MATRIX(x->a, n, n); // by columns: first r span the rows of E, the others N
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) l[linear_at(i, j, n)] = x->lt[linear_at(j, i, n)];
    double *wg = linear_product(x->a, true, m, n, n, w, n, x->g, n);
    double *matrix = linear_product(x->a, false, m, n, m, wg, m, l + linear_at(0, r, n), n);
    double *rhs = MATRIX(x->a, m, wide);
    double *wl = linear_product(x->a, false, m, n, r, wg, m, l, n);
    double *wh = linear_product(x->a, true, m, n, k, w, n, x->h, n);
    double *wv = linear_product(x->a, true, m, n, k, w, n, x->v, n);
    memcpy(rhs, wl, (size_t)m * (size_t)r * sizeof *rhs);
    memcpy(rhs + linear_at(0, r, m), wh, (size_t)m * (size_t)k * sizeof *rhs);
    memcpy(rhs + linear_at(0, r + k, m), wv, (size_t)m * (size_t)k * sizeof *rhs);

    scale_algebraic(x, wg, m, matrix, rhs, wide);
    double *copy = MATRIX(x->a, m, m), *s = arena_array(x->a, double, m + 1);
    memcpy(copy, matrix, (size_t)m * (size_t)m * sizeof *copy);
    if (la_svd(m, m, copy, s, NULL, NULL, arena_array(x->a, double, la_svd_work(m, m)))) return -1;
    *condition = m ? s[0] / s[m - 1] : 1;
    if (m && !(s[m - 1] > LINEAR_RANK_TOL * s[0])) return 1;
    if (la_solve_dense(m, wide, matrix, rhs, arena_array(x->a, int, m + 1))) return 1;
    double *nq = linear_product(x->a, false, n, m, wide, l + linear_at(0, r, n), n, rhs, m);
    x->y_p = MATRIX(x->a, n, r), x->y_u = MATRIX(x->a, n, k), x->y_v = MATRIX(x->a, n, k);
    memcpy(x->y_p, l, (size_t)n * (size_t)r * sizeof *l);
    linear_subtract(x->y_p, nq, (size_t)n * (size_t)r);
    linear_subtract(x->y_u, nq + linear_at(0, r, n), (size_t)n * (size_t)k);
    linear_subtract(x->y_v, nq + linear_at(0, r + k, n), (size_t)n * (size_t)k);
    return 0;
}

// S p' = -U^T (G y + H u + K u').
static double *linear_slope(reduction *x, const double *y, const double *direct, int cols)
{
    double *gy = linear_product(x->a, false, x->n, x->n, cols, x->g, x->n, y, x->n);
    if (direct) linear_add(gy, direct, (size_t)x->n * (size_t)cols);
    double *p = linear_product(x->a, true, x->r, x->n, cols, x->u, x->n, gy, x->n);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < x->r; i++) p[linear_at(i, j, x->r)] /= -x->sigma[i];
    return p;
}

/* p =: p~ + p_v u takes the term u' out of p'. What is left of it in y is direct. */
static void linear_absorb(reduction *x)
{
    int n = x->n, r = x->r, k = x->k;
    linear_add(x->p_u, linear_product(x->a, false, r, r, k, x->p_p, r, x->p_v, r),
               (size_t)r * (size_t)k);
    linear_add(x->y_u, linear_product(x->a, false, n, r, k, x->y_p, n, x->p_v, r),
               (size_t)n * (size_t)k);
}

/* What is left of row i of y_p (in v) when the directions found so far (columns of q) are taken off. */
static double remainder_of(const reduction *x, int i, const double *q, int found, double *v)
{
    double norm = 0;
    for (int j = 0; j < x->r; j++) v[j] = x->y_p[linear_at(i, j, x->n)];
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < found; k++) {
            double dot = 0;
            for (int j = 0; j < x->r; j++) dot += q[linear_at(j, k, x->r)] * v[j];
            for (int j = 0; j < x->r; j++) v[j] -= dot * q[linear_at(j, k, x->r)];
        }
    for (int j = 0; j < x->r; j++) norm = hypot(norm, v[j]);
    return norm;
}

/* Take the direction q off every row of rest; room: one number per row. */
static void take_off(const reduction *x, const double *q, double *rest, double *room)
{
    for (int i = 0; i < x->n; i++) room[i] = 0;
    for (int j = 0; j < x->r; j++)
        for (int i = 0; i < x->n; i++) room[i] += q[j] * rest[linear_at(i, j, x->n)];
    for (int j = 0; j < x->r; j++)
        for (int i = 0; i < x->n; i++) rest[linear_at(i, j, x->n)] -= room[i] * q[j];
}

/* The lengths of the rows of rest, none of whose squares overflows; room: one number per row. */
static void row_lengths(const reduction *x, const double *rest, double *room, double *length)
{
    for (int i = 0; i < x->n; i++) room[i] = length[i] = 0;
    for (int j = 0; j < x->r; j++)
        for (int i = 0; i < x->n; i++) room[i] = fmax(room[i], fabs(rest[linear_at(i, j, x->n)]));
    for (int i = 0; i < x->n; i++)
        if (room[i] == 0) room[i] = 1;
    for (int j = 0; j < x->r; j++)
        for (int i = 0; i < x->n; i++) {
            double part = rest[linear_at(i, j, x->n)] / room[i];
            length[i] += part * part;
        }
    for (int i = 0; i < x->n; i++) length[i] = room[i] * sqrt(length[i]);
}

/* r components of y that determine p: always the one whose row of y_p is farthest from those
 * already taken. Each direction is taken off all rows when it is found, so that n r^2 operations are
 * enough; that of the row taken is made anew, as accurate as can be. */
static int choose_states(reduction *x, linear_system *out)
{
    int n = x->n, r = x->r;
    double *q = MATRIX(x->a, r, r), *v = arena_array(x->a, double, r + 1);
    double *rest = MATRIX(x->a, n, r), *room = arena_array(x->a, double, n + 1),
           *length = arena_array(x->a, double, n + 1);
    bool *taken = arena_array(x->a, bool, n + 1);
    memcpy(rest, x->y_p, (size_t)n * (size_t)r * sizeof *rest);
    for (int found = 0; found < r; found++) {
        int best = -1;
        double far = LINEAR_RANK_TOL;
        mem_look(x->a->m);
        watch_count(x->a->m->watch, "states", found, r);
        row_lengths(x, rest, room, length);
        for (int i = 0; i < n; i++) {
            if (taken[i] || (x->s->may && !x->s->may[i])) continue;
            if (length[i] > far * (1 + 1e-6)) far = length[i], best = i;
        }
        if (best < 0) return -1;
        double *direction = &q[linear_at(0, found, r)];
        far = remainder_of(x, best, q, found, v);
        for (int j = 0; j < r; j++) direction[j] = v[j] / far;
        take_off(x, direction, rest, room);
        taken[best] = true;
    }
    out->state = arena_array(x->a, int, r + 1);
    for (int i = 0, k = 0; i < n; i++)
        if (taken[i]) out->state[k++] = i;
    return 0;
}

/* From p to the components chosen: x = T p, A = T p_p T^-1 and so on; back from scaled units. */
static int linear_exchange(reduction *x, linear_system *out)
{
    const linear_dae *s = x->s;
    int n = x->n, r = x->r, k = x->k, o = s->n_o;
    double *t = MATRIX(x->a, r, r), *inverse = MATRIX(x->a, r, r), *copy = MATRIX(x->a, r, r);
    out->shifted = arena_array(x->a, bool, r + 1);
    for (int i = 0; i < r; i++) {
        int c = out->state[i];
        for (int j = 0; j < r; j++)
            t[linear_at(i, j, r)] = x->y_p[linear_at(c, j, n)] * linear_nominal(s, c);
        for (int j = 0; j < k; j++)
            if (fabs(x->y_u[linear_at(c, j, n)]) > LINEAR_RANK_TOL ||
                fabs(x->y_v[linear_at(c, j, n)]) > LINEAR_RANK_TOL)
                out->shifted[i] = true;
        inverse[linear_at(i, i, r)] = 1;
    }
    memcpy(copy, t, (size_t)r * (size_t)r * sizeof *copy);
    if (la_solve_dense(r, r, copy, inverse, arena_array(x->a, int, r + 1))) return -1;

    // Outputs by y, y', u, u', with y in its own units.
    double *cy = MATRIX(x->a, o, n), *cp = MATRIX(x->a, o, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < o; i++) {
            cy[linear_at(i, j, o)] = s->cy[linear_at(i, j, o)] * linear_nominal(s, j);
            cp[linear_at(i, j, o)] = s->cp[linear_at(i, j, o)] * linear_nominal(s, j);
        }
    double *cpy =
        linear_product(x->a, false, o, n, r, cp, o, x->y_p, n); // y' = y_p p' + y_u u' + y_v u''
    double *c = linear_product(x->a, false, o, n, r, cy, o, x->y_p, n);
    linear_add(c, linear_product(x->a, false, o, r, r, cpy, o, x->p_p, r), (size_t)o * (size_t)r);
    out->d = linear_product(x->a, false, o, n, k, cy, o, x->y_u, n);
    linear_add(out->d, linear_product(x->a, false, o, r, k, cpy, o, x->p_u, r),
               (size_t)o * (size_t)k);
    linear_add(out->d, s->cu, (size_t)o * (size_t)k);
    double *fast = linear_product(x->a, false, o, n, k, cy, o, x->y_v, n);
    linear_add(fast, linear_product(x->a, false, o, n, k, cp, o, x->y_u, n), (size_t)o * (size_t)k);
    linear_add(fast, s->cv, (size_t)o * (size_t)k);
    double *faster = linear_product(x->a, false, o, n, k, cp, o, x->y_v, n);
    size_t ok = (size_t)o * (size_t)k;
    out->improper = fmax(linear_largest(fast, ok), linear_largest(faster, ok));
    if (out->improper < 1e-12 * fmax(1, linear_largest(out->d, ok))) out->improper = 0;
    out->d1 = fast;
    out->beyond = out->improper > 0 && linear_largest(faster, ok) > 1e-12 * out->improper;

    out->a = linear_product(x->a, false, r, r, r,
                            linear_product(x->a, false, r, r, r, t, r, x->p_p, r), r, inverse, r);
    out->b = linear_product(x->a, false, r, r, k, t, r, x->p_u, r);
    out->c = linear_product(x->a, false, o, r, r, c, o, inverse, r);
    return 0;
}

/* Rounding of the transformations: entries far below those beside them are zero. Where they mix no
 * rows, those beside them in the row. */
static void linear_clean(double *x, int rows, int cols, bool by_row)
{
    double all = linear_largest(x, (size_t)rows * (size_t)cols);
    for (int i = 0; i < rows; i++) {
        double most = by_row ? 0 : all;
        for (int j = 0; by_row && j < cols; j++) most = fmax(most, fabs(x[linear_at(i, j, rows)]));
        for (int j = 0; j < cols; j++)
            if (fabs(x[linear_at(i, j, rows)]) < 64 * DBL_EPSILON * most)
                x[linear_at(i, j, rows)] = 0;
    }
}

int linear_reduce(arena *a, const linear_dae *dae, linear_system *out, char *why)
{
    reduction x = {.a = a, .s = dae, .n = dae->n, .k = dae->n_u};
    size_t nk = (size_t)dae->n * (size_t)dae->n_u;
    *out = (linear_system){.n_u = dae->n_u, .n_o = dae->n_o};
    linear_scale(&x);
    if (linear_decompose(&x) || !isfinite(linear_largest(x.g, (size_t)x.n * (size_t)x.n)) ||
        !isfinite(linear_largest(x.h, nk) + linear_largest(x.v, nk))) {
        snprintf(why, LINEAR_WHY, "a derivative of the equations is not finite at this point");
        return -1;
    }
    int rc = solve_algebraic(&x, &out->condition);
    if (rc) {
        snprintf(why, LINEAR_WHY,
                 "the algebraic unknowns do not follow from the states at this point: the matrix "
                 "that decides it is singular (condition %.2g)",
                 out->condition);
        return -1;
    }
    out->n = x.r;
    x.p_p = linear_slope(&x, x.y_p, NULL, x.r);
    x.p_u = linear_slope(&x, x.y_u, x.h, x.k);
    x.p_v = linear_slope(&x, x.y_v, x.v, x.k);
    linear_absorb(&x);
    if (choose_states(&x, out) || linear_exchange(&x, out)) {
        snprintf(why, LINEAR_WHY, "no components of the unknowns can serve as states here");
        return -1;
    }
    if (x.explicit_ && x.r == x.n) return 0; // nothing was transformed
    linear_clean(out->a, x.r, x.r, x.explicit_);
    linear_clean(out->b, x.r, x.k, x.explicit_);
    linear_clean(out->c, dae->n_o, x.r, x.explicit_);
    linear_clean(out->d, dae->n_o, x.k, x.explicit_);
    return 0;
}

/* ---- minimal realization --------------------------------------------------------------------- */

/* An orthonormal basis of the smallest space that holds the columns of b and that A maps into
 * itself (the first *rank columns of q, n by n): Gram-Schmidt twice on b, A b, A A b ... */
static int linear_reach(arena *pool, int n, int k, const double *a, const double *b, double tol,
                        double *q)
{
    int rank = 0, done = 0;
    double size_a = fmax(linear_largest(a, (size_t)n * (size_t)n) * n, DBL_MIN);
    double size_b = linear_largest(b, (size_t)n * (size_t)k);
    double *v = arena_array(pool, double, n + 1);
    for (int j = 0; j < k || done < rank; j++) {
        double size = size_b;
        if (j < k) memcpy(v, b + linear_at(0, j, n), (size_t)n * sizeof *v);
        else {
            memcpy(v, linear_product(pool, false, n, n, 1, a, n, q + linear_at(0, done++, n), n),
                   (size_t)n * sizeof *v);
            size = size_a;
        }
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < rank; i++) {
                double dot = 0;
                for (int l = 0; l < n; l++) dot += q[linear_at(l, i, n)] * v[l];
                for (int l = 0; l < n; l++) v[l] -= dot * q[linear_at(l, i, n)];
            }
        double norm = 0;
        for (int l = 0; l < n; l++) norm = hypot(norm, v[l]);
        if (!(norm > tol * size) || rank == n) continue;
        for (int l = 0; l < n; l++) q[linear_at(l, rank, n)] = v[l] / norm;
        rank++;
    }
    return rank;
}

static double *linear_transpose(arena *pool, const double *x, int rows, int cols)
{
    double *t = MATRIX(pool, cols, rows);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) t[linear_at(j, i, cols)] = x[linear_at(i, j, rows)];
    return t;
}

// Restrict to the space spanned by the first r columns of q.
static void restrict_to(arena *pool, linear_system *s, const double *q, int r)
{
    int n = s->n;
    double *aq = linear_product(pool, false, n, n, r, s->a, n, q, n);
    s->a = linear_product(pool, true, r, n, r, q, n, aq, n);
    s->b = linear_product(pool, true, r, n, s->n_u, q, n, s->b, n);
    s->c = linear_product(pool, false, s->n_o, n, r, s->c, s->n_o, q, n);
    s->n = r;
}

int linear_minimal(arena *pool, const linear_system *in, double tol, linear_system *out)
{
    *out = *in;
    out->state = NULL;
    out->shifted = NULL;
    double *q = MATRIX(pool, in->n, in->n);
    restrict_to(pool, out, q, linear_reach(pool, in->n, in->n_u, in->a, in->b, tol, q));
    double *at_ = linear_transpose(pool, out->a, out->n, out->n);
    double *ct = linear_transpose(pool, out->c, out->n_o, out->n);
    q = MATRIX(pool, out->n, out->n);
    restrict_to(pool, out, q, linear_reach(pool, out->n, out->n_o, at_, ct, tol, q));
    return 0;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static bool linear_before(double re, double im, double re2, double im2)
{
    double a = hypot(re, im), b = hypot(re2, im2);
    if (fabs(a - b) > 1e-9 * fmax(a, b)) return a < b;
    if (fabs(re - re2) > 1e-9 * a) return re < re2;
    return im > im2;
}

// The largest component of a (complex) vector becomes 1.
static void linear_normalise(int n, double *re, double *im)
{
    int big = 0;
    double most = 0;
    for (int i = 0; i < n; i++) { // a clear majority, so that rounding does not decide
        double size = hypot(re[i], im ? im[i] : 0);
        if (size > most * (1 + 1e-9)) most = size, big = i;
    }
    if (most == 0) return;
    double complex f = 1 / (re[big] + (im ? im[big] : 0) * I);
    for (int i = 0; i < n; i++) {
        double complex z = (re[i] + (im ? im[i] : 0) * I) * f;
        re[i] = creal(z);
        if (im) im[i] = cimag(z);
    }
}

int linear_eigen(arena *a, int n, const double *matrix, linear_modes *out)
{
    double *copy = MATRIX(a, n, n), *v = MATRIX(a, n, n);
    double *re = arena_array(a, double, n + 1), *im = arena_array(a, double, n + 1);
    *out = (linear_modes){.n = n, .vectors = MATRIX(a, n, n)};
    out->re = arena_array(a, double, n + 1), out->im = arena_array(a, double, n + 1);
    out->fold = arena_array(a, int, n + 1);
    for (int i = 0; i < n; i++) out->fold[i] = 1;
    memcpy(copy, matrix, (size_t)n * (size_t)n * sizeof *copy);
    if (la_eigen(n, copy, re, im, v, arena_array(a, double, la_eigen_work(n)))) return -1;
    int *order = arena_array(a, int, n + 1), m = 0;
    for (int j = 0; j<n; j += im[j]> 0 ? 2 : 1) {
        int i = m++;
        for (; i > 0 && linear_before(re[j], im[j], re[order[i - 1]], im[order[i - 1]]); i--)
            order[i] = order[i - 1];
        order[i] = j;
    }
    for (int i = 0, to = 0; i < m; i++) {
        int j = order[i], pair = im[j] > 0 ? 2 : 1;
        linear_normalise(n, v + linear_at(0, j, n), pair == 2 ? v + linear_at(0, j + 1, n) : NULL);
        memcpy(out->vectors + linear_at(0, to, n), v + linear_at(0, j, n),
               (size_t)(pair * n) * sizeof *v);
        for (int k = 0; k < pair; k++, to++) out->re[to] = re[j + k], out->im[to] = im[j + k];
    }
    double *sigma = arena_array(a, double, n + 1);
    memcpy(copy, out->vectors, (size_t)n * (size_t)n * sizeof *copy);
    if (la_svd(n, n, copy, sigma, NULL, NULL, arena_array(a, double, la_svd_work(n, n)))) return -1;
    out->condition = n ? sigma[0] / sigma[n - 1] : 1;
    return 0;
}
