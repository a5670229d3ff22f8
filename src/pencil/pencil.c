/* The Kronecker form of a regular pencil.
 *
 * 1. Balance: powers of two on rows, columns and on time bring the entries near 1.
 * 2. Staircase (P. Van Dooren, Linear Algebra Appl. 27 (1979) 103-140): where F has the null space
 *    Z, regularity needs G Z of full rank. Turning Z to the front columns and the range of G Z to
 *    the front rows leaves a smaller pencil; repeat until its F is regular. With s_i the dimension
 *    found in round i, s_i blocks at infinity have size i or more. In front remain G upper
 *    triangular and regular, F strictly upper triangular by blocks.
 * 3. QZ makes what is left, the finite part, triangular; its eigenvalues are those of the pencil.
 * 4. A generalized Sylvester equation removes the coupling of the two parts.
 * 5. Jordan chains of N, kept only if they do not cost accuracy (nilpotent.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/kronecker.h"

#include "la/dense.h"

#include <math.h>
#include <string.h>

#define STAIRCASE_RANK_TOL 1e-10 // relative; round-off grows to about 1e-13 within the staircase

/* ---- balancing ------------------------------------------------------------------------------- */

static double pencil_largest(const matrix *m, int i, int j, bool row)
{
    double most = 0;
    for (int k = 0; k < m->n; k++) most = fmax(most, fabs(row ? AT(m, i, k) : AT(m, k, j)));
    return most;
}

static double power_of_two(double x)
{
    return x > 0 && isfinite(x) ? exp2(-round(log2(x))) : 1;
}

// F := time * L F R, G := L G R.
static void pencil_balance(work *w)
{
    double sf = matrix_norm(&w->f), sg = matrix_norm(&w->g);
    w->time = sf > 0 && sg > 0 ? power_of_two(sf / sg) : 1;
    for (int k = 0; k < w->n * w->n; k++) w->f.x[k] *= w->time;
    for (int i = 0; i < w->n; i++) w->left[i] = w->right[i] = 1;
    for (int sweep = 0; sweep < 4; sweep++)
        for (int i = 0; i < w->n; i++) {
            bool row = sweep % 2 == 0;
            double d = fmax(pencil_largest(&w->f, i, i, row), pencil_largest(&w->g, i, i, row));
            double s = power_of_two(d);
            if (row) w->left[i] *= s;
            else w->right[i] *= s;
            for (int k = 0; k < w->n; k++)
                if (row) AT(&w->f, i, k) *= s, AT(&w->g, i, k) *= s;
                else AT(&w->f, k, i) *= s, AT(&w->g, k, i) *= s;
        }
    w->size_f = matrix_norm(&w->f);
    w->size_g = matrix_norm(&w->g);
}

/* ---- transformations ------------------------------------------------------------------------- */

// Columns p ... p+m-1 of a := those columns times z (m by m).
static void turn_columns(work *w, matrix *a, int p, int m, const double *z)
{
    double *row = w->scratch;
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j < m; j++) {
            double s = 0;
            for (int k = 0; k < m; k++) s += AT(a, i, p + k) * z[k + (size_t)j * (size_t)m];
            row[j] = s;
        }
        for (int j = 0; j < m; j++) AT(a, i, p + j) = row[j];
    }
}

// Rows p ... p+m-1 of a := q^T times those rows.
static void turn_rows(work *w, matrix *a, int p, int m, const double *q)
{
    double *column = w->scratch;
    for (int j = 0; j < a->n; j++) {
        for (int i = 0; i < m; i++) {
            double s = 0;
            for (int k = 0; k < m; k++) s += q[k + (size_t)i * (size_t)m] * AT(a, p + k, j);
            column[i] = s;
        }
        for (int i = 0; i < m; i++) AT(a, p + i, j) = column[i];
    }
}

/* ---- staircase ------------------------------------------------------------------------------- */

static void pencil_note(pencil *out, double relative, bool kept)
{
    if (kept) out->kept = fmin(out->kept, relative);
    else out->dropped = fmax(out->dropped, relative);
}

/* The null space of the rest of F to the front columns: its dimension, or -1. */
static int compress_columns(work *w, pencil *out, int p)
{
    int m = w->n - p, rank = 0;
    double *block = arena_array(w->a, double, m *m), *sigma = arena_array(w->a, double, m);
    double *vt = arena_array(w->a, double, m *m), *z = arena_array(w->a, double, m *m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) block[i + (size_t)j * (size_t)m] = AT(&w->f, p + i, p + j);
    if (la_svd(m, m, block, sigma, NULL, vt, arena_array(w->a, double, la_svd_work(m, m))))
        return -1;
    while (rank < m && sigma[rank] > STAIRCASE_RANK_TOL * w->size_f) rank++;
    for (int k = 0; k < m; k++)
        if (w->size_f > 0) pencil_note(out, sigma[k] / w->size_f, k < rank);
    int s = m - rank;
    if (!s) return 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            z[i + (size_t)j * (size_t)m] = vt[(j + rank) % m + (size_t)i * (size_t)m];
    turn_columns(w, &w->f, p, m, z);
    turn_columns(w, &w->g, p, m, z);
    turn_columns(w, &w->z, p, m, z);
    for (int j = p; j < p + s; j++)
        for (int i = p; i < w->n; i++) AT(&w->f, i, j) = 0;
    return s;
}

/* The range of the first s columns of the rest of G to the front rows, upper triangular: the rank
 * of those columns, or -1. */
static int compress_rows(work *w, pencil *out, int p, int s)
{
    int m = w->n - p;
    la_qr qr = {.m = m, .n = s, .a = arena_array(w->a, double, m *s)};
    qr.tau = arena_array(w->a, double, s);
    qr.perm = arena_array(w->a, int, s);
    qr.work = arena_array(w->a, double, la_qr_work(m, s));
    for (int j = 0; j < s; j++)
        for (int i = 0; i < m; i++) qr.a[i + (size_t)j * (size_t)m] = AT(&w->g, p + i, p + j);
    if (la_qr_factor(&qr, STAIRCASE_RANK_TOL) < 0) return -1;

    int rank = 0;
    while (rank < s && fabs(qr.a[rank * (m + 1)]) > STAIRCASE_RANK_TOL * w->size_g) rank++;
    for (int k = 0; k < s; k++)
        if (w->size_g > 0) pencil_note(out, fabs(qr.a[k * (m + 1)]) / w->size_g, k < rank);
    if (rank < s) return rank;

    double *order = arena_array(w->a, double, s *s); // the pivots' order of the front columns
    for (int j = 0; j < s; j++) order[qr.perm[j] + j * s] = 1;
    turn_columns(w, &w->f, p, s, order);
    turn_columns(w, &w->g, p, s, order);
    turn_columns(w, &w->z, p, s, order);
    matrix *turned[] = {&w->f, &w->g, &w->q};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < w->n; j++) la_qr_apply_q(&qr, &AT(turned[k], p, j), true);
    for (int j = 0; j < s; j++)
        for (int i = j + 1; i < m; i++) AT(&w->g, p + i, p + j) = 0;
    return s;
}

/* Rows and columns of the infinite part, or -1 on failure, or -2 when the pencil is singular. */
static int pencil_staircase(work *w, pencil *out)
{
    int p = 0;
    for (out->index = 0; p < w->n; out->index++) {
        int s = compress_columns(w, out, p);
        if (s < 0) return -1;
        if (!s) break;
        int rank = compress_rows(w, out, p, s);
        if (rank < 0) return -1;
        if (rank < s) {
            out->degree = out->index;
            return -2;
        }
        w->steps[out->index] = s;
        p += s;
    }
    return p;
}

// Block sizes are the partition conjugate to that of the staircase.
static void count_blocks(work *w, pencil *out)
{
    out->n_blocks = out->index ? w->steps[0] : 0;
    out->blocks = arena_array(w->a, int, out->n_blocks);
    for (int b = 0; b < out->n_blocks; b++)
        for (int k = 0; k < out->index; k++)
            if (w->steps[k] > b) out->blocks[b]++;
}

/* ---- finite part ----------------------------------------------------------------------------- */

static void sort_eigenvalues(pencil *out)
{
    for (int i = 1; i < out->n_finite; i++) {
        double re = out->eig_re[i], im = out->eig_im[i];
        int k = i;
        for (; k > 0; k--) {
            double before = out->eig_re[k - 1];
            if (before < re || (before == re && out->eig_im[k - 1] <= im)) break;
            out->eig_re[k] = before;
            out->eig_im[k] = out->eig_im[k - 1];
        }
        out->eig_re[k] = re;
        out->eig_im[k] = im;
    }
}

static int finite_part(work *w, pencil *out)
{
    int p = out->n_infinite, m = out->n_finite, n = w->n;
    double *f = arena_array(w->a, double, m *m), *g = arena_array(w->a, double, m *m);
    double *q = arena_array(w->a, double, m *m), *z = arena_array(w->a, double, m *m);
    double *beta = arena_array(w->a, double, m);
    out->eig_re = arena_array(w->a, double, m);
    out->eig_im = arena_array(w->a, double, m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            f[i + (size_t)j * (size_t)m] = AT(&w->f, p + i, p + j);
            g[i + (size_t)j * (size_t)m] = AT(&w->g, p + i, p + j);
        }
    if (la_schur(m, f, g, out->eig_re, out->eig_im, beta, q, z,
                 arena_array(w->a, double, la_schur_work(m))))
        return -1;
    for (int i = 0; i < m; i++) {
        out->eig_re[i] *= w->time / beta[i];
        out->eig_im[i] *= w->time / beta[i];
        if (!isfinite(out->eig_re[i])) return -1; // F was regular: not reached but by overflow
    }
    sort_eigenvalues(out);
    turn_columns(w, &w->z, p, m, z);
    turn_rows(w, &w->q, p, m, q);
    turn_columns(w, &w->f, p, m, z);
    turn_columns(w, &w->g, p, m, z);
    for (int j = p; j < n; j++)
        for (int i = p; i < n; i++) {
            AT(&w->f, i, j) = f[i - p + (size_t)(j - p) * (size_t)m];
            AT(&w->g, i, j) = g[i - p + (size_t)(j - p) * (size_t)m];
        }
    return 0;
}

/* ---- decoupling ------------------------------------------------------------------------------ */

/* With F = [Fi Fx; 0 Ff] and G alike: Fi R - L Ff = -Fx and Gi R - L Gf = -Gx. Then columns
 * "finite" of Z become Zi R + Zf, rows "infinite" of Q become Qi - L Qf. */
static int pencil_decouple(work *w, const pencil *out)
{
    int p = out->n_infinite, m = out->n_finite, n = w->n;
    double *r = arena_array(w->a, double, p *m), *l = arena_array(w->a, double, p *m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < p; i++) {
            r[i + (size_t)j * (size_t)p] = -AT(&w->g, i, p + j);
            l[i + (size_t)j * (size_t)p] = -AT(&w->f, i, p + j);
        }
    if (la_sylvester_pair(p, m, w->g.x, w->f.x, &AT(&w->g, p, p), &AT(&w->f, p, p), n, r, l,
                          arena_array(w->a, int, n + 6)))
        return -1;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < p; i++) {
            double s = r[i + (size_t)j * (size_t)p], t = l[i + (size_t)j * (size_t)p];
            for (int k = 0; k < n; k++) AT(&w->z, k, p + j) += AT(&w->z, k, i) * s;
            for (int k = 0; k < n; k++) AT(&w->q, i, k) -= t * AT(&w->q, p + j, k);
            AT(&w->f, i, p + j) = AT(&w->g, i, p + j) = 0;
        }
    return 0;
}

/* ---- the form -------------------------------------------------------------------------------- */

// x := the solution of T x = x for the upper triangular m by m part of t at (p, p).
static void solve_upper(const matrix *t, int p, int m, double *x)
{
    for (int i = m - 1; i >= 0; i--) {
        double s = x[i];
        for (int k = i + 1; k < m; k++) s -= AT(t, p + i, p + k) * x[k];
        x[i] = s / AT(t, p + i, p + i);
    }
}

static void pencil_assemble(work *w, pencil *out)
{
    int p = out->n_infinite, m = out->n_finite, n = w->n;
    double *column = arena_array(w->a, double, n);
    out->c = arena_array(w->a, double, m *m);
    out->nil = arena_array(w->a, double, p *p);
    out->u = arena_array(w->a, double, n *n);
    out->v = arena_array(w->a, double, n *n);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) column[i] = w->time * AT(&w->g, p + i, p + j);
        solve_upper(&w->f, p, m, column);
        memcpy(out->c + (size_t)j * (size_t)m, column, (size_t)m * sizeof *column);
    }
    for (int j = 0; j < p; j++) {
        for (int i = 0; i < p; i++) column[i] = AT(&w->f, i, j) / w->time;
        solve_upper(&w->g, 0, p, column);
        memcpy(out->nil + (size_t)j * (size_t)p, column, (size_t)p * sizeof *column);
    }
    for (int j = 0; j < n; j++) { // column j of U: (time Ff^-1 Qf; Gi^-1 Qi) left
        double s = w->left[j], *to = out->u + (size_t)j * (size_t)n;
        for (int i = 0; i < m; i++) to[i] = w->time * s * AT(&w->q, p + i, j);
        solve_upper(&w->f, p, m, to);
        for (int i = 0; i < p; i++) to[m + i] = s * AT(&w->q, i, j);
        solve_upper(&w->g, 0, p, to + m);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            out->v[i + (size_t)j * (size_t)n] = w->right[i] * AT(&w->z, i, j < m ? p + j : j - m);
}

/* ---- singular pencils ------------------------------------------------------------------------ */

static int pencil_rank_of(work *w, int rows, int cols, double *x)
{
    double *sigma = arena_array(w->a, double, rows + cols);
    int k = rows < cols ? rows : cols, rank = 0;
    if (la_svd(rows, cols, x, sigma, NULL, NULL,
               arena_array(w->a, double, la_svd_work(rows, cols))))
        return -1;
    while (rank < k && sigma[rank] > STAIRCASE_RANK_TOL * sigma[0]) rank++;
    return rank;
}

static int explain_singular(work *w, pencil *out, const double *f, const double *g)
{
    static const double points[] = {0.7390851332151607, -1.3063778838630806, 3.0}; // any will do
    int n = w->n;
    size_t size = (size_t)n * (size_t)n;
    double *x = arena_array(w->a, double, 2 * size);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < size; i++) x[i] = points[k] * f[i] + g[i];
        int rank = pencil_rank_of(w, n, n, x);
        if (rank < 0) return -1;
        if (rank > out->rank) out->rank = rank;
    }
    memcpy(x, f, size * sizeof *x); // [F G]: rows that vanish
    memcpy(x + size, g, size * sizeof *x);
    out->void_rows = n - pencil_rank_of(w, n, 2 * n, x);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) { // [F; G]: columns that vanish
            x[i + (size_t)j * (size_t)(2 * n)] = f[i + (size_t)j * (size_t)n];
            x[n + i + (size_t)j * (size_t)(2 * n)] = g[i + (size_t)j * (size_t)n];
        }
    out->free_columns = n - pencil_rank_of(w, 2 * n, n, x);
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool pencil_finite_all(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Balanced, and taken through the staircase, whose result it returns. */
static int pencil_begin(work *w, arena *a, int n, const double *f, const double *g, pencil *out)
{
    size_t size = (size_t)n * (size_t)n;
    *out = (pencil){.n = n, .regular = true, .kept = 1};
    if (!pencil_finite_all(f, size) || !pencil_finite_all(g, size)) return -1;
    *w = (work){.a = a, .n = n};
    w->f = matrix_copy(a, n, f);
    w->g = matrix_copy(a, n, g);
    w->q = matrix_identity(a, n);
    w->z = matrix_identity(a, n);
    w->left = arena_array(a, double, n);
    w->right = arena_array(a, double, n);
    w->scratch = arena_array(a, double, n);
    w->steps = arena_array(a, int, n + 1);
    pencil_balance(w);
    return pencil_staircase(w, out);
}

/* F Z1 = Q1 Fi and G Z1 = Q1 Gi in front: F Z1 = G Z1 N with N = Gi^-1 Fi, whatever the rest is. */
int pencil_chains(arena *a, int n, const double *f, const double *g, pencil *out)
{
    work w;
    int p = pencil_begin(&w, a, n, f, g, out);
    if (p < 0) return -1;
    out->n_infinite = p;
    count_blocks(&w, out);
    out->nil = arena_array(a, double, (size_t)p *(size_t)p + 1);
    out->v = arena_array(a, double, (size_t)n *(size_t)p + 1);
    for (int j = 0; j < p; j++) {
        double *column = out->nil + (size_t)j * (size_t)p;
        for (int i = 0; i < p; i++) column[i] = AT(&w.f, i, j) / w.time;
        solve_upper(&w.g, 0, p, column);
    }
    double *t = arena_array(a, double, (size_t)p *(size_t)p + 1);
    if (!pencil_chain_basis(&w, out, t)) return -1;
    for (int j = 0; j < p; j++)
        for (int k = 0; k < p; k++)
            for (int i = 0; i < n; i++)
                out->v[i + (size_t)j * (size_t)n] +=
                    w.right[i] * AT(&w.z, i, k) * t[k + (size_t)j * (size_t)p];
    return 0;
}

int pencil_analyse(arena *a, int n, const double *f, const double *g, pencil *out)
{
    work w;
    int p = pencil_begin(&w, a, n, f, g, out);
    if (p == -1) return -1;
    if (p == -2) {
        out->regular = false;
        return explain_singular(&w, out, w.f.x, w.g.x);
    }
    out->n_infinite = p;
    out->n_finite = n - p;
    count_blocks(&w, out);
    if (finite_part(&w, out)) return -1;
    if (p && p < n && pencil_decouple(&w, out)) return -1;
    pencil_assemble(&w, out);
    pencil_jordan(&w, out, f, g);
    return 0;
}
