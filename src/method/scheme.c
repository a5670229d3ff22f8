/* Inverse, eigenvalues and eigenvectors of small matrices; everything once per run, in extended
 * precision where digits would be lost.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/scheme.h"

#include "method/collocation.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double wide;
typedef wide matrix[SCHEME_STAGES][SCHEME_STAGES];

static int scheme_refuse(char *why, const char *what)
{
    if (why) snprintf(why, METHOD_WHY, "this tableau cannot be run: %s", what);
    return -1;
}

/* Gauss-Jordan with pivots from the column. False if singular. */
static bool scheme_invert(int n, const matrix a, matrix out)
{
    matrix m;
    memcpy(m, a, sizeof m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[i][j] = i == j;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(m[i][k]) > fabsl(m[p][k])) p = i;
        if (fabsl(m[p][k]) < 1e-12L) return false;
        for (int j = 0; j < n && p != k; j++) {
            wide x = m[k][j], y = out[k][j];
            m[k][j] = m[p][j], m[p][j] = x;
            out[k][j] = out[p][j], out[p][j] = y;
        }
        wide inverse = 1 / m[k][k];
        for (int j = k; j < n; j++) m[k][j] *= inverse; // before it, all is 0
        for (int j = 0; j < n; j++) out[k][j] *= inverse;
        for (int i = 0; i < n; i++) {
            wide f = m[i][k];
            if (i == k || f == 0) continue;
            for (int j = k; j < n; j++) m[i][j] -= f * m[k][j];
            for (int j = 0; j < n; j++) out[i][j] -= f * out[k][j];
        }
    }
    return true;
}

/* ---- collocation ----------------------------------------------------------------------------- */

/* Coefficients of the Lagrange polynomial of node j, lowest power first. */
static void scheme_lagrange(int s, const wide *c, int j, wide *p)
{
    memset(p, 0, (size_t)(s + 1) * sizeof *p);
    p[0] = 1;
    for (int m = 0, degree = 0; m < s; m++) {
        if (m == j) continue;
        wide inverse = 1 / (c[j] - c[m]);
        degree++;
        for (int k = degree; k >= 0; k--) p[k] = ((k ? p[k - 1] : 0) - c[m] * p[k]) * inverse;
    }
}

/* p := its integral from 0, without the factor x. */
static void scheme_integrate(int s, wide *p)
{
    for (int k = 1; k < s; k++) p[k] /= k + 1;
}

static wide scheme_value_at(int s, const wide *p, wide x)
{
    wide sum = 0;
    for (int k = s - 1; k >= 0; k--) sum = sum * x + p[k];
    return sum;
}

void scheme_collocation(int s, const long double *c, int order, method_tableau *out)
{
    *out = (method_tableau){.stages = s, .order = order};
    for (int j = 0; j < s; j++) {
        wide p[SCHEME_STAGES + 1];
        scheme_lagrange(s, c, j, p);
        scheme_integrate(s, p);
        out->c[j] = (double)c[j];
        out->b[j] = (double)scheme_value_at(s, p, 1);
        for (int i = 0; i < s; i++) out->a[i][j] = (double)(c[i] * scheme_value_at(s, p, c[i]));
    }
}

/* Do the stage values lie on the polynomial that satisfies the equation at the nodes? */
static bool scheme_collocates(const method_tableau *t)
{
    for (int i = 0; i < t->stages; i++) {
        for (int j = 0; j < i; j++)
            if (fabs(t->c[i] - t->c[j]) < 1e-6) return false;
        double power[METHOD_STAGES_MAX]; // of the nodes
        for (int j = 0; j < t->stages; j++) power[j] = 1;
        for (int k = 1; k <= t->stages; k++) {
            double sum = 0;
            for (int j = 0; j < t->stages; j++) {
                sum += t->a[i][j] * power[j];
                power[j] *= t->c[j];
            }
            if (fabs(sum - power[i] / k) > 1e-10) return false;
        }
    }
    return true;
}

static void set_weights(scheme *s)
{
    for (int j = 0; j <= s->s; j++) {
        double cj = j ? s->c[j - 1] : 0, w = 1;
        for (int m = 0; m <= s->s; m++)
            if (m != j) w *= cj - (m ? s->c[m - 1] : 0);
        s->weight[j] = 1 / w;
    }
}

/* Beyond the nodes, values alone: one product and its parts. */
static void basis_beyond(const scheme *s, double x, double *value)
{
    double all = x;
    for (int j = 0; j < s->s; j++) all *= x - s->c[j];
    for (int j = 0; j < s->s; j++) value[j] = all * s->weight[j + 1] / (x - s->c[j]);
}

/* Each is a product over the nodes below its own and those above: both, with their derivatives, grow
 * from node to node. */
void scheme_basis(const scheme *s, double x, double *value, double *slope)
{
    int n = s->s;
    double p = x, d = 1, above[SCHEME_STAGES], rise[SCHEME_STAGES]; // 0 is the lowest node
    if (!slope && x > 1) {
        basis_beyond(s, x, value);
        return;
    }
    above[n - 1] = 1;
    rise[n - 1] = 0;
    for (int j = n - 1; j > 0; j--) {
        double f = x - s->c[j];
        above[j - 1] = above[j] * f;
        rise[j - 1] = rise[j] * f + above[j];
    }
    for (int j = 0; j < n; j++) {
        double f = x - s->c[j], w = s->weight[j + 1];
        value[j] = w * p * above[j];
        if (slope) slope[j] = w * (d * above[j] + p * rise[j]);
        d = d * f + p;
        p *= f;
    }
}

static void set_gaps(scheme *s)
{
    for (int k = 0; k < s->s; k++)
        for (int i = k; i < s->s; i++)
            s->gap[k][i] = 1 / (s->c[i] - (i - k > 0 ? s->c[i - k - 1] : 0));
}

static void set_product(scheme *s)
{
    s->product[0] = 1;
    for (int j = 0; j < s->s; j++) {
        s->product[j + 1] = s->product[j];
        for (int k = j; k > 0; k--) s->product[k] = s->product[k - 1] - s->c[j] * s->product[k];
        s->product[0] *= -s->c[j];
    }
    for (int k = 0; k <= s->s; k++) s->integral[k] = s->product[k] / (k + 1);
}

void scheme_bend(const scheme *s, double x, double *value, double *slope)
{
    double v = 0, d = 0;
    for (int k = s->s; k >= 0; k--) {
        v = v * x + s->integral[k];
        d = d * x + s->product[k];
    }
    *value = v * x;
    *slope = d;
}

/* The inverse of A for collocation: derivatives of the basis at the nodes, exact to the last digits
 * where inverting a rounded A is not. */
static void scheme_differentiation(scheme *s, matrix out)
{
    double value[SCHEME_STAGES], slope[SCHEME_STAGES];
    for (int i = 0; i < s->s; i++) {
        scheme_basis(s, s->c[i], value, slope);
        for (int j = 0; j < s->s; j++) out[i][j] = slope[j];
    }
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* Characteristic polynomial by Faddeev and Le Verrier, its roots by Aberth. */
static void scheme_eigenvalues(int n, const matrix b, long double complex *root)
{
    matrix m = {{0}};
    wide p[SCHEME_STAGES + 1];
    for (int i = 0; i < n; i++) m[i][i] = 1;
    p[n] = 1;
    for (int k = 1; k <= n; k++) {
        matrix bm;
        wide trace = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                bm[i][j] = 0;
                for (int l = 0; l < n; l++) bm[i][j] += b[i][l] * m[l][j];
            }
        for (int i = 0; i < n; i++) trace += bm[i][i];
        p[n - k] = -trace / k;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) m[i][j] = bm[i][j] + (i == j ? p[n - k] : 0);
    }
    wide size = 0;
    for (int k = 0; k < n; k++) size = fmaxl(size, powl(fabsl(p[k]), 1.0L / (n - k)));
    for (int k = 0; k < n; k++) root[k] = size * cexpl(I * (6.2831853L * k / n + 0.4L));
    for (int iteration = 0; iteration < 100; iteration++) {
        wide moved = 0;
        for (int k = 0; k < n; k++) {
            long double complex v = 0, d = 0, crowd = 0;
            for (int i = n; i >= 0; i--) d = d * root[k] + v, v = v * root[k] + p[i];
            if (v == 0 || d == 0) continue;
            for (int j = 0; j < n; j++)
                if (j != k && root[j] != root[k]) crowd += 1 / (root[k] - root[j]);
            long double complex step = v / d / (1 - v / d * crowd);
            root[k] -= step;
            moved = fmaxl(moved, cabsl(step));
        }
        if (moved < 1e-17L * size) break;
    }
}

static wide scheme_size_of(long double complex x)
{
    return fabsl(creall(x)) + fabsl(cimagl(x));
}

/* The null vector of B - lambda, its last entry 1: elimination with complete pivoting. */
static void scheme_eigenvector(int n, const matrix b, long double complex lambda,
                               long double complex *v)
{
    long double complex m[SCHEME_STAGES][SCHEME_STAGES];
    int column[SCHEME_STAGES] = {0};
    for (int i = 0; i < n; i++) {
        column[i] = i;
        for (int j = 0; j < n; j++) m[i][j] = b[i][j] - (i == j ? lambda : 0);
    }
    for (int k = 0; k < n - 1; k++) {
        int p = k, q = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (scheme_size_of(m[i][j]) > scheme_size_of(m[p][q])) p = i, q = j;
        for (int j = 0; j < n; j++) {
            long double complex x = m[k][j];
            m[k][j] = m[p][j], m[p][j] = x;
        }
        for (int i = 0; i < n; i++) {
            long double complex x = m[i][k];
            m[i][k] = m[i][q], m[i][q] = x;
        }
        int swap = column[k];
        column[k] = column[q], column[q] = swap;
        for (int i = k + 1; i < n; i++) {
            long double complex f = m[i][k] / m[k][k];
            for (int j = k; j < n; j++) m[i][j] -= f * m[k][j];
        }
    }
    v[column[n - 1]] = 1;
    for (int k = n - 2; k >= 0; k--) {
        long double complex sum = 0;
        for (int j = k + 1; j < n; j++) sum += m[k][j] * v[column[j]];
        v[column[k]] = -sum / m[k][k];
    }
    int at = n - 1; // where that entry is not nearly zero
    for (int i = 0; i < n; i++)
        if (scheme_size_of(v[i]) > 1e3L * scheme_size_of(v[at])) at = i;
    long double complex unit = v[at];
    for (int i = 0; i < n; i++) v[i] /= unit;
}

/* Listed as in method_tableau. */
static void known_eigenvalues(int n, const long double *listed, long double complex *root)
{
    int k = 0;
    if (n % 2) root[k++] = *listed++;
    for (; k < n; k += 2, listed += 2) {
        root[k] = listed[0] + I * listed[1];
        root[k + 1] = conjl(root[k]);
    }
}

/* A^-1 T = T Lambda, and the slope at the start. */
static void scheme_rates(scheme *s, const matrix t)
{
    for (int i = 0; i < s->s; i++) {
        for (int j = 0; j < s->n_real; j++) s->ait[i][j] = (double)(t[i][j] * s->gamma[j]);
        for (int k = 0, j = s->n_real; k < s->n_pairs; k++, j += 2) {
            s->ait[i][j] = (double)(t[i][j] * s->alpha[k] + t[i][j + 1] * s->beta[k]);
            s->ait[i][j + 1] = (double)(t[i][j + 1] * s->alpha[k] - t[i][j] * s->beta[k]);
        }
    }
    for (int j = 0; j < s->s; j++) {
        wide sum = 0;
        for (int i = 0; i < s->s; i++) sum += s->begin[i] * t[i][j];
        s->begin_t[j] = (double)sum;
    }
}

/* The columns of T for an eigenvalue, and of a collocation the rows of its inverse as well. */
static void scheme_vectors(const scheme *s, const matrix b, const collocation *q,
                           long double complex root, int column, matrix t, matrix ti)
{
    bool real = column < s->n_real;
    if (s->collocation) {
        collocation_pair p;
        collocation_vectors(q, creall(root), cimagl(root), &p);
        for (int i = 0; i < s->s; i++) {
            t[i][column] = p.re[i], ti[column][i] = real ? p.row[i] : 2 * p.row[i];
            if (!real) t[i][column + 1] = -p.im[i], ti[column + 1][i] = 2 * p.row_im[i];
        }
        return;
    }
    long double complex v[SCHEME_STAGES];
    scheme_eigenvector(s->s, b, root, v);
    for (int i = 0; i < s->s; i++) {
        t[i][column] = creall(v[i]);
        if (!real) t[i][column + 1] = -cimagl(v[i]);
    }
}

static bool scheme_transform(scheme *s, const matrix b, const long double *listed)
{
    int n = s->s, column = 0;
    long double complex root[SCHEME_STAGES];
    matrix t, ti;
    collocation q;
    if (s->collocation) collocation_begin(&q, n, s->c);
    if (listed) known_eigenvalues(n, listed, root);
    else scheme_eigenvalues(n, b, root);
    for (int k = 0; k < n && !listed; k++)
        for (int j = 0; j < k; j++)
            if (cabsl(root[k] - root[j]) < 1e-5L * cabsl(root[k])) return false;
    for (int k = 0; k < n; k++) {
        if (fabsl(cimagl(root[k])) > 1e-9L * scheme_size_of(root[k])) continue;
        s->gamma[s->n_real++] = (double)creall(root[k]);
        scheme_vectors(s, b, &q, creall(root[k]), column++, t, ti);
    }
    for (int k = 0; k < n; k++) {
        if (cimagl(root[k]) <= 1e-9L * scheme_size_of(root[k])) continue;
        s->alpha[s->n_pairs] = (double)creall(root[k]);
        s->beta[s->n_pairs++] = (double)cimagl(root[k]);
        scheme_vectors(s, b, &q, root[k], column, t, ti);
        column += 2;
    }
    if (column != n) return false;
    if (!s->collocation && !scheme_invert(n, (const wide(*)[SCHEME_STAGES])t, ti)) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->t[i][j] = (double)t[i][j], s->ti[i][j] = (double)ti[i][j];
    scheme_rates(s, (const wide(*)[SCHEME_STAGES])t);
    return true;
}

/* ---- together -------------------------------------------------------------------------------- */

/* The slope at the end from the polynomial through the stage derivatives; from the last stage alone
 * where nodes coincide. */
static void scheme_end_slope(scheme *s)
{
    double w[SCHEME_STAGES] = {0};
    bool distinct = true;
    for (int i = 0; i < s->s; i++)
        for (int j = 0; j < i; j++) distinct = distinct && fabs(s->c[i] - s->c[j]) > 1e-6;
    for (int k = 0; k < s->s; k++) {
        w[k] = distinct || k == s->s - 1;
        for (int m = 0; m < s->s && distinct; m++)
            if (m != k) w[k] *= (1 - s->c[m]) / (s->c[k] - s->c[m]);
    }
    for (int j = 0; j < s->s; j++)
        for (int k = 0; k < s->s; k++) s->slope[j] += w[k] * s->ai[k][j];
    for (int k = 0; k < s->s; k++) s->slope_start += w[k] * s->ai_start[k];
}

int scheme_build(const method_tableau *t, scheme *out, char *why)
{
    scheme *s = out;
    *s = (scheme){.order = t->order};
    s->starts = !t->roots;
    for (int j = 0; j < t->stages && s->starts; j++) s->starts = t->a[0][j] == 0;
    int first = s->starts;
    s->s = t->stages - first;
    if (s->s < 1 || s->s > SCHEME_STAGES)
        return scheme_refuse(why, "fully implicit ones have 1 to 7 implicit stages");

    matrix a, b;
    for (int i = 0; i < s->s; i++) {
        s->c[i] = t->c[i + first];
        for (int j = 0; j < s->s && !t->roots; j++) a[i][j] = t->a[i + first][j + first];
    }
    s->collocation = t->roots || (!first && fabs(t->c[0]) > 1e-6 && scheme_collocates(t));
    if (s->collocation) {
        double value[SCHEME_STAGES];
        set_weights(s);
        set_product(s);
        set_gaps(s);
        scheme_differentiation(s, b);
        scheme_basis(s, 0, value, s->begin);
    } else if (!scheme_invert(s->s, (const wide(*)[SCHEME_STAGES])a, b)) {
        return scheme_refuse(why, "its matrix A is singular beyond an explicit first stage");
    }
    if (!scheme_transform(s, (const wide(*)[SCHEME_STAGES])b, t->roots))
        return scheme_refuse(why, "its matrix A has a multiple eigenvalue");

    s->ends = true;
    for (int j = 0; j < t->stages && !t->roots; j++)
        s->ends = s->ends && fabs(t->a[t->stages - 1][j] - t->b[j]) < 1e-14;
    s->ends = s->ends && fabs(t->c[t->stages - 1] - 1) < 1e-14;
    s->end_start = first ? t->b[0] : 0;
    for (int i = 0; i < s->s; i++)
        for (int j = 0; j < s->s; j++) {
            s->ai[i][j] = (double)b[i][j];
            if (!s->ends) s->end[j] += t->b[i + first] * (double)b[i][j];
            if (first) s->ai_start[i] -= (double)b[i][j] * t->a[j + first][0];
        }
    for (int i = 0; i < s->s && first; i++) s->end_start += t->b[i + first] * s->ai_start[i];
    if (s->ends) {
        s->end[s->s - 1] = 1;
        s->end_start = 0;
    }
    scheme_end_slope(s);
    return 0;
}
