/* SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/channel.h"

#include "la/dense.h"
#include "pencil/exact.h"
#include "pencil/pencil.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MINIMAL_TOL 1e-12 // of the balanced channel
#define REACHED_TOL 1e-10 // relative singular value at which a mode counts as reached
#define AXIS_TOL    1e-14 // what rounding leaves of a root at the origin, or beside the imaginary axis
#define REAL_TOL    1e-12 // of G: an imaginary part that is rounding
#define AGREE_TOL   1e-6  // of the product of factors with the system that it comes from

#define MATRIX(a, rows, cols) arena_array(a, double, (size_t)(rows) * (size_t)(cols) + 1)

static size_t control_place(int i, int j, int ld)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

/* ---- one channel ----------------------------------------------------------------------------- */

static void single_channel(arena *a, const linear_system *s, int input, int output,
                           linear_system *out)
{
    int n = s->n;
    *out = (linear_system){.n = n, .n_u = 1, .n_o = 1};
    out->a = MATRIX(a, n, n);
    out->b = MATRIX(a, n, 1);
    out->c = MATRIX(a, 1, n);
    out->d = MATRIX(a, 1, 1);
    out->d1 = MATRIX(a, 1, 1);
    memcpy(out->a, s->a, (size_t)n * (size_t)n * sizeof *s->a);
    for (int i = 0; i < n; i++) {
        out->b[i] = s->b[control_place(i, input, n)];
        out->c[i] = s->c[control_place(output, i, s->n_o)];
    }
    *out->d = s->d[control_place(output, input, s->n_o)];
    *out->d1 = s->d1 ? s->d1[control_place(output, input, s->n_o)] : 0;
}

/* States in units, powers of two, in which what enters a state is as large as what leaves it. */
static void balance_states(linear_system *s)
{
    enum { ROUNDS = 30 };
    int n = s->n;
    bool changed = true;
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        for (int i = 0; i < n; i++) {
            double in = fabs(s->b[i]), out = fabs(s->c[i]);
            for (int j = 0; j < n; j++) {
                if (j == i) continue;
                in += fabs(s->a[control_place(i, j, n)]);
                out += fabs(s->a[control_place(j, i, n)]);
            }
            if (!(in > 0) || !(out > 0) || !isfinite(in / out) || in / out == 0) continue;
            double unit = exp2(rint(0.5 * log2(in / out)));
            if (unit == 1) continue;
            changed = true;
            s->b[i] /= unit;
            s->c[i] *= unit;
            for (int j = 0; j < n; j++) {
                s->a[control_place(i, j, n)] /= unit;
                s->a[control_place(j, i, n)] *= unit;
            }
        }
    }
}

/* G(z) from the matrices, the complex system as a real one of twice the size. */
static double complex control_solved(arena *a, const linear_system *s, double complex z)
{
    int n = s->n, w = 2 * n;
    arena_mark before = arena_here(a);
    double *big = MATRIX(a, w, w), *x = MATRIX(a, w, 1);
    double complex g = *s->d + *s->d1 * z;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            big[control_place(i, j, w)] = big[control_place(n + i, n + j, w)] =
                (i == j) * creal(z) - s->a[control_place(i, j, n)];
        big[control_place(n + j, j, w)] = cimag(z);
        big[control_place(j, n + j, w)] = -cimag(z);
        x[j] = s->b[j];
    }
    if (la_solve_dense(w, 1, big, x, arena_array(a, int, w + 1))) g = NAN;
    for (int i = 0; i < n; i++) g += s->c[i] * (x[i] + I * x[n + i]);
    arena_release(a, before);
    return g;
}

static int channel_zeros(arena *a, control_channel *out)
{
    const linear_system *s = &out->s;
    int n = s->n, w = n + 1;
    double *f = MATRIX(a, w, w), *g = MATRIX(a, w, w);
    pencil p;
    for (int i = 0; i < n; i++) {
        f[control_place(i, i, w)] = -1;
        g[control_place(i, n, w)] = s->b[i];
        g[control_place(n, i, w)] = s->c[i];
        for (int j = 0; j < n; j++) g[control_place(i, j, w)] = s->a[control_place(i, j, n)];
    }
    f[control_place(n, n, w)] = *s->d1;
    g[control_place(n, n, w)] = *s->d;
    if (pencil_analyse(a, w, f, g, &p)) return -1;
    out->nothing = !p.regular;
    if (p.regular) {
        pencil_roots(a, &p, f, g);
        out->n_zeros = p.n_finite, out->zero_re = p.eig_re, out->zero_im = p.eig_im;
    }
    return 0;
}

static int channel_poles(arena *a, control_channel *out)
{
    int n = out->s.n;
    double *f = MATRIX(a, n, n);
    pencil p;
    for (int i = 0; i < n; i++) f[control_place(i, i, n)] = -1;
    if (pencil_analyse(a, n, f, out->s.a, &p) || !p.regular || p.n_finite != n) return -1;
    pencil_roots(a, &p, f, out->s.a);
    out->n_poles = n, out->pole_re = p.eig_re, out->pole_im = p.eig_im;
    return 0;
}

// The product of all factors without the gain; the largest and the smallest in turn.
static double complex factors_at(const control_channel *c, double complex z)
{
    double complex v = 1;
    int k = 0, l = 0;
    while (k < c->n_zeros || l < c->n_poles) {
        bool times = k < c->n_zeros && (l == c->n_poles || cabs(v) <= 1);
        if (times) v *= z - (c->zero_re[k] + I * c->zero_im[k]), k++;
        else v /= z - (c->pole_re[l] + I * c->pole_im[l]), l++;
    }
    return v;
}

double complex control_at(const control_channel *c, double complex z)
{
    if (c->nothing) return 0;
    for (int i = 0; i < c->n_poles; i++)
        if (z == c->pole_re[i] + I * c->pole_im[i]) return INFINITY;
    return c->gain * factors_at(c, z);
}

// Round-off of a root at the origin, or on the imaginary axis. size: of the matrix.
static void settle_roots(double *re, double *im, int n, double size)
{
    for (int i = 0; i < n; i++) {
        double far = hypot(re[i], im[i]);
        if (far < AXIS_TOL * size) re[i] = im[i] = 0;
        else if (fabs(re[i]) < AXIS_TOL * far) re[i] = 0;
    }
}

/* Sizes of the largest root and of the smallest that is not 0; 1 where there are none. */
static void root_sizes(const control_channel *c, double *near, double *far)
{
    const double *re[] = {c->pole_re, c->zero_re}, *im[] = {c->pole_im, c->zero_im};
    const int n[] = {c->n_poles, c->n_zeros};
    *near = INFINITY, *far = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n[k]; i++) {
            double size = hypot(re[k][i], im[k][i]);
            *far = fmax(*far, size);
            if (size > 0) *near = fmin(*near, size);
        }
    if (!(*far > 0)) *far = *near = 1;
}

/* The gain from a value well away from zeros and poles; values elsewhere must agree with it. */
static int channel_gain(arena *a, control_channel *out)
{
    double far, near, size = 0;
    for (size_t i = 0; i < (size_t)out->s.n * (size_t)out->s.n; i++)
        size = hypot(size, out->s.a[i]);
    settle_roots(out->pole_re, out->pole_im, out->n_poles, size);
    settle_roots(out->zero_re, out->zero_im, out->n_zeros, size);
    root_sizes(out, &near, &far);
    double middle = sqrt(near) * sqrt(far);
    const double complex others[] = {near * (0.83 + 0.31 * I), middle * (0.71 + 0.93 * I),
                                     far * (1.3 + 0.7 * I)};
    out->gain = creal(control_solved(a, &out->s, 2 * far) / factors_at(out, 2 * far));
    if (!isfinite(out->gain)) return -1;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double complex right = control_solved(a, &out->s, others[i]),
                       by = control_at(out, others[i]);
        if (!(cabs(by - right) <= AGREE_TOL * (cabs(right) + cabs(by)))) return -1;
    }
    return 0;
}

/* Is there a pole at the origin, but for rounding? Several there are known to a root of it only; the matrix
 * tells. */
static bool integrates(arena *a, const linear_system *s)
{
    size_t n = (size_t)s->n;
    double *m = arena_array(a, double, n *n), *sigma = arena_array(a, double, n),
           *work = arena_array(a, double, la_svd_work(s->n, s->n)),
           *u = arena_array(a, double, n *n), *vt = arena_array(a, double, n *n);
    memcpy(m, s->a, n * n * sizeof *m);
    return n && la_svd(s->n, s->n, m, sigma, u, vt, work) >= 0 &&
           sigma[n - 1] <= (double)n * DBL_EPSILON * sigma[0];
}

int control_channel_of(arena *a, const linear_system *s, int input, int output,
                       control_channel *out)
{
    linear_system one;
    *out = (control_channel){0};
    single_channel(a, s, input, output, &one);
    balance_states(&one);
    if (linear_minimal(a, &one, MINIMAL_TOL, &out->s)) return -1;
    if (channel_zeros(a, out)) return -1;
    if (out->nothing) return 0;
    if (channel_poles(a, out) || channel_gain(a, out)) return -1;
    out->steady = integrates(a, &out->s) ? INFINITY : creal(control_at(out, 0));
    return 0;
}

int control_closed(arena *a, const control_channel *c, double feedback, double *re, double *im)
{
    const linear_system *s = &c->s;
    int n = s->n;
    double around = 1 + feedback * *s->d;
    double *m = MATRIX(a, n, n);
    if (*s->d1 != 0 || fabs(around) < DBL_EPSILON) return -1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            m[control_place(i, j, n)] =
                s->a[control_place(i, j, n)] - s->b[i] * s->c[j] * (feedback / around);
    return la_eigen(n, m, re, im, NULL, arena_array(a, double, la_eigen_work(n)));
}

/* ---- responses ------------------------------------------------------------------------------- */

// Where the sign of what(G) changes between two frequencies.
static double crossing(const control_channel *c, double lo, double hi,
                       double (*what)(double complex))
{
    bool below = what(control_at(c, I * lo)) < 0;
    for (int k = 0; k < 200 && hi - lo > 4 * DBL_EPSILON * hi; k++) {
        double middle = 0.5 * (lo + hi);
        if ((what(control_at(c, I * middle)) < 0) == below) lo = middle;
        else hi = middle;
    }
    return 0.5 * (lo + hi);
}

static double above_one(double complex g)
{
    return cabs(g) - 1;
}

static double imaginary_part(double complex g)
{
    return cimag(g);
}

void control_margins_of(const control_channel *c, const double *omega, int n, control_margins *out)
{
    *out = (control_margins){NAN, NAN, NAN, NAN};
    for (int i = 0; i + 1 < n; i++) {
        double complex g = control_at(c, I * omega[i]), h = control_at(c, I * omega[i + 1]);
        if (!isfinite(cabs(g)) || !isfinite(cabs(h))) continue;
        if ((above_one(g) < 0) != (above_one(h) < 0)) {
            double w = crossing(c, omega[i], omega[i + 1], above_one);
            double phase = carg(-control_at(c, I * w)) * 180 / M_PI; // -180 ... 180
            if (!(fabs(phase) >= fabs(out->phase))) out->phase = phase, out->phase_at = w;
        }
        bool real = fabs(cimag(g)) + fabs(cimag(h)) < REAL_TOL * (cabs(g) + cabs(h)); // lossless
        if ((cimag(g) < 0) != (cimag(h) < 0) && creal(g) < 0 && creal(h) < 0 && !real) {
            double w = crossing(c, omega[i], omega[i + 1], imaginary_part);
            double factor = -1 / creal(control_at(c, I * w));
            if (!(fabs(log(factor)) >= fabs(log(out->gain)))) out->gain = factor, out->gain_at = w;
        }
    }
}

double *control_step(arena *a, const control_channel *c, double h, int n)
{
    const linear_system *s = &c->s;
    int m = s->n, w = m + 1;
    double *y = arena_array(a, double, n + 1), *x = MATRIX(a, w, 1), *next = MATRIX(a, w, 1);
    double *big = MATRIX(a, w, w), *phi = NULL;
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) big[control_place(i, j, w)] = h * s->a[control_place(i, j, m)];
        big[control_place(j, m, w)] = h * s->b[j];
    }
    phi = pencil_exponential(a, w, big);
    if (!phi) return NULL;
    x[m] = 1;
    for (int k = 0; k < n; k++) {
        y[k] = c->nothing ? 0 : *s->d;
        for (int i = 0; i < m && !c->nothing; i++) y[k] += s->c[i] * x[i];
        if (!isfinite(y[k])) return NULL;
        memset(next, 0, (size_t)w * sizeof *next);
        for (int j = 0; j < w; j++)
            for (int i = 0; i < w; i++) next[i] += phi[control_place(i, j, w)] * x[j];
        memcpy(x, next, (size_t)w * sizeof *x);
    }
    return y;
}

/* ---- modes and gains ------------------------------------------------------------------------- */

// Rows, then columns, of size 1: rank is what is asked, not size.
static void equilibrate(double *x, int rows, int cols)
{
    for (int i = 0; i < rows; i++) {
        double most = 0;
        for (int j = 0; j < cols; j++) most = fmax(most, fabs(x[control_place(i, j, rows)]));
        for (int j = 0; j < cols && most > 0; j++) x[control_place(i, j, rows)] /= most;
    }
    for (int j = 0; j < cols; j++) {
        double most = 0;
        for (int i = 0; i < rows; i++) most = fmax(most, fabs(x[control_place(i, j, rows)]));
        for (int i = 0; i < rows && most > 0; i++) x[control_place(i, j, rows)] /= most;
    }
}

/* [A - lambda I, B] with lambda complex, as a real matrix of twice the size. */
int control_reached(arena *a, int n, int m, const double *matrix, const double *b,
                    const linear_modes *modes, bool *reached)
{
    int rows = 2 * n, cols = 2 * (n + m);
    double *x = MATRIX(a, rows, cols), *sigma = arena_array(a, double, rows + 1);
    double *work = arena_array(a, double, la_svd_work(rows, cols));
    for (int k = 0; k < modes->n; k++) {
        memset(x, 0, (size_t)rows * (size_t)cols * sizeof *x);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                x[control_place(i, j, rows)] = x[control_place(n + i, n + j, rows)] =
                    matrix[control_place(i, j, n)] - (i == j) * modes->re[k];
            x[control_place(i, n + i, rows)] = modes->im[k];
            x[control_place(n + i, i, rows)] = -modes->im[k];
            for (int j = 0; j < m; j++)
                x[control_place(i, 2 * n + j, rows)] =
                    x[control_place(n + i, 2 * n + m + j, rows)] = b[control_place(i, j, n)];
        }
        equilibrate(x, rows, cols);
        if (la_svd(rows, cols, x, sigma, NULL, NULL, work)) return -1;
        reached[k] = sigma[rows - 1] > REACHED_TOL * sigma[0];
    }
    return 0;
}

int control_regulator(arena *a, int n, int m, const double *matrix, const double *b,
                      const double *q, const double *r, double *k)
{
    int w = 2 * n, stable = 0;
    double *h = MATRIX(a, w, w), *space = MATRIX(a, w, w);
    double *x1 = MATRIX(a, n, n), *x2 = MATRIX(a, n, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double square = 0;
            for (int l = 0; l < m; l++)
                square += b[control_place(i, l, n)] * b[control_place(j, l, n)] / r[l];
            h[control_place(i, j, w)] = matrix[control_place(i, j, n)];
            h[control_place(n + i, n + j, w)] = -matrix[control_place(j, i, n)];
            h[control_place(i, n + j, w)] = -square;
        }
        h[control_place(n + j, j, w)] = -q[j];
    }
    if (la_stable(w, h, space, &stable, arena_array(a, double, la_stable_work(w))) || stable != n)
        return -1;
    for (int j = 0; j < n; j++) // P X1 = X2, transposed: X1^T P = X2^T as P is symmetric
        for (int i = 0; i < n; i++) {
            x1[control_place(j, i, n)] = space[control_place(i, j, w)];
            x2[control_place(j, i, n)] = space[control_place(n + i, j, w)];
        }
    if (la_solve_dense(n, n, x1, x2, arena_array(a, int, n + 1))) return -1;
    for (int j = 0; j < n; j++)
        for (int l = 0; l < m; l++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += b[control_place(i, l, n)] * x2[control_place(i, j, n)];
            k[control_place(l, j, m)] = sum / r[l];
            if (!isfinite(sum)) return -1;
        }
    return 0;
}
