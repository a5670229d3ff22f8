/* Positive-realness of a system in state-space form.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/passive.h"

#include "la/dense.h"
#include "pencil/pencil.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINIMAL_TOL         1e-9
#define EIGENVALUE_AXIS_TOL 1e-7 // relative distance of an eigenvalue of A from the imaginary axis
#define HAMILTONIAN_AXIS_TOL                                                                       \
    1e-4 // the same for the Hamiltonian pencil, whose axis eigenvalues are often double
#define REAL_PART_ROUND_OFF 1e-9
#define RESIDUE_DISTANCE    1e-5 // distance from a pole at which its residue is taken

typedef struct subject {
    arena *a;
    linear_system s; // minimal
    linear_modes modes;
    double scale; // of the eigenvalues of A; 1 where there are none
} subject;

static size_t system_at(int i, int j, int ld)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

/* H(sigma + i omega), m by m, without D1. The complex system as a real one of twice the size. */
static int system_transfer(const subject *x, double sigma, double omega, double complex *h)
{
    const linear_system *s = &x->s;
    int n = s->n, m = s->n_u, w = 2 * n;
    arena_mark before = arena_here(x->a);
    double *big = arena_array(x->a, double, (size_t)w *(size_t)w + 1);
    double *rhs = arena_array(x->a, double, (size_t)w *(size_t)m + 1);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            big[system_at(i, j, w)] = big[system_at(n + i, n + j, w)] =
                -s->a[system_at(i, j, n)] + (i == j) * sigma;
        big[system_at(n + j, j, w)] = omega;
        big[system_at(j, n + j, w)] = -omega;
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) rhs[system_at(i, j, w)] = s->b[system_at(i, j, n)];
    int rc = la_solve_dense(w, m, big, rhs, arena_array(x->a, int, w + 1));
    for (int j = 0; j < m && !rc; j++)
        for (int i = 0; i < m; i++) {
            double complex v = s->d[system_at(i, j, m)];
            for (int k = 0; k < n; k++)
                v += s->c[system_at(i, k, m)] *
                     (rhs[system_at(k, j, w)] + I * rhs[system_at(n + k, j, w)]);
            h[system_at(i, j, m)] = v;
        }
    arena_release(x->a, before);
    return rc;
}

static double system_size_of(const double complex *h, int m)
{
    double most = 0;
    for (int i = 0; i < m * m; i++) most = fmax(most, cabs(h[i]));
    return most;
}

/* The lowest eigenvalue of (K + K^*)/2, through the symmetric matrix [Re -Im; Im Re]; the size of
 * the skew part in *skew. */
static double lowest_eigenvalue(arena *a, const double complex *k, int m, double *skew)
{
    int w = 2 * m;
    arena_mark before = arena_here(a);
    double *big = arena_array(a, double, (size_t)w *(size_t)w + 1), lowest = INFINITY;
    double *re = arena_array(a, double, w + 1), *im = arena_array(a, double, w + 1);
    *skew = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            double complex other = conj(k[system_at(j, i, m)]),
                           v = 0.5 * (k[system_at(i, j, m)] + other);
            *skew = fmax(*skew, 0.5 * cabs(k[system_at(i, j, m)] - other));
            big[system_at(i, j, w)] = big[system_at(m + i, m + j, w)] = creal(v);
            big[system_at(m + i, j, w)] = cimag(v);
            big[system_at(i, m + j, w)] = -cimag(v);
        }
    if (la_eigen(w, big, re, im, NULL, arena_array(a, double, la_eigen_work(w)))) return NAN;
    for (int i = 0; i < w; i++) lowest = fmin(lowest, re[i]);
    arena_release(a, before);
    return lowest;
}

/* ---- poles ----------------------------------------------------------------------------------- */

static bool system_unstable(const subject *x, passive_report *out)
{
    for (int i = 0; i < x->modes.n; i++)
        if (x->modes.re[i] > EIGENVALUE_AXIS_TOL * x->scale) {
            snprintf(out->reason, PASSIVE_WHY,
                     "not passive: the pole %.6g%+.6gi is in the right half plane (unstable)",
                     x->modes.re[i], x->modes.im[i]);
            return true;
        }
    return false;
}

/* (s - i w) H(s) near i w tends to the residue; it grows where the pole is multiple. */
static bool wrong_residue(const subject *x, double w, passive_report *out)
{
    int m = x->s.n_u;
    double e = RESIDUE_DISTANCE * x->scale, skew;
    double complex *near = arena_array(x->a, double complex, (size_t)m *(size_t)m + 1);
    double complex *far = arena_array(x->a, double complex, (size_t)m *(size_t)m + 1);
    if (system_transfer(x, e, w, far) || system_transfer(x, e / 2, w, near)) return false;
    for (int i = 0; i < m * m; i++) far[i] *= e, near[i] *= e / 2;
    if (system_size_of(near, m) > 1.5 * system_size_of(far, m)) {
        snprintf(out->reason, PASSIVE_WHY,
                 "not passive: the pole at %.6gi on the imaginary axis is multiple", w);
        return true;
    }
    for (int i = 0; i < m * m; i++) near[i] = 2 * near[i] - far[i];
    double lowest = lowest_eigenvalue(x->a, near, m, &skew), size = system_size_of(near, m);
    if (lowest >= -1e-4 * size && skew <= 1e-4 * size) return false;
    snprintf(
        out->reason, PASSIVE_WHY,
        "not passive: the residue of the pole %.6gi on the imaginary axis is not Hermitian and "
        "positive",
        w);
    return true;
}

static bool wrong_poles(const subject *x, passive_report *out, bool *lossless_part)
{
    double last = -1;
    for (int i = 0; i < x->modes.n; i++) {
        double w = x->modes.im[i];
        if (fabs(x->modes.re[i]) > EIGENVALUE_AXIS_TOL * x->scale || w < 0 ||
            fabs(w - last) < RESIDUE_DISTANCE * x->scale)
            continue;
        *lossless_part = true;
        last = w;
        if (wrong_residue(x, w, out)) return true;
    }
    return false;
}

/* ---- the axis -------------------------------------------------------------------------------- */

/* Eigenvalues on the axis, ascending; -1: the pencil is singular. `more` is added to D + D^T. */
static int system_crossings(const subject *x, double more, double *w)
{
    const linear_system *s = &x->s;
    int n = s->n, m = s->n_u, size = 2 * n + m, found = 0;
    double *f = arena_array(x->a, double, (size_t)size *(size_t)size + 1), scale = 0;
    double *g = arena_array(x->a, double, (size_t)size *(size_t)size + 1);
    for (int i = 0; i < 2 * n; i++) f[system_at(i, i, size)] = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            g[system_at(i, j, size)] = -s->a[system_at(i, j, n)];
            g[system_at(n + i, n + j, size)] = s->a[system_at(j, i, n)];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            g[system_at(i, 2 * n + j, size)] = -s->b[system_at(i, j, n)];
            g[system_at(2 * n + j, n + i, size)] = -s->b[system_at(i, j, n)];
            g[system_at(2 * n + j, i, size)] = -s->c[system_at(j, i, m)];
            g[system_at(n + i, 2 * n + j, size)] = s->c[system_at(j, i, m)];
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            g[system_at(2 * n + i, 2 * n + j, size)] =
                -s->d[system_at(i, j, m)] - s->d[system_at(j, i, m)] - (i == j) * more;
    pencil p;
    if (pencil_analyse(x->a, size, f, g, &p) || !p.regular) return -1;
    for (int i = 0; i < p.n_finite; i++) scale = fmax(scale, hypot(p.eig_re[i], p.eig_im[i]));
    for (int i = 0; i < p.n_finite; i++) {
        if (fabs(p.eig_re[i]) > HAMILTONIAN_AXIS_TOL * scale || p.eig_im[i] < 0) continue;
        int k = found++;
        while (k > 0 && w[k - 1] > p.eig_im[i]) w[k] = w[k - 1], k--;
        w[k] = p.eig_im[i];
    }
    return found;
}

/* The lowest eigenvalue of (H + H^*)/2 between the crossings, where its sign cannot change. */
static double lowest_between(const subject *x, passive_report *out, double *size, double *from,
                             double *to)
{
    int m = x->s.n_u, n = out->n_crossings;
    double previous = 0, skew, lowest = INFINITY;
    double complex *h = arena_array(x->a, double complex, (size_t)m *(size_t)m + 1);
    *size = 0;
    for (int i = 0; i <= n; i++) {
        double next = i < n ? out->crossings[i] : 2 * previous + x->scale;
        double w = 0.5 * (previous + next), low = previous;
        previous = next;
        if (next - low < 1e-6 * x->scale || system_transfer(x, 0, w, h)) continue;
        double v = lowest_eigenvalue(x->a, h, m, &skew);
        *size = fmax(*size, system_size_of(h, m));
        if (v < lowest) lowest = v, out->at = w, *from = low, *to = i < n ? next : INFINITY;
    }
    return lowest;
}

static void examine_axis_of_system(const subject *x, passive_report *out, bool lossless_part)
{
    int n = x->s.n, m = x->s.n_u;
    double size = 0, from = 0, to = 0, skew, most = 0;
    double complex *h = arena_array(x->a, double complex, (size_t)m *(size_t)m + 1);
    out->crossings = arena_array(x->a, double, 2 * n + m + 2);
    int found = system_crossings(x, 0, out->crossings);
    for (int k = 1; k <= 2 * n + 1; k++) { // H + H^* has at most 2 n zeros
        if (system_transfer(x, 0, x->scale * 0.777 * k / (n + 1), h)) continue;
        size = fmax(size, system_size_of(h, m));
        double low = lowest_eigenvalue(x->a, h, m, &skew);
        for (int i = 0; i < m * m; i++) h[i] = -h[i];
        most = fmax(most, fmax(fabs(low), fabs(lowest_eigenvalue(x->a, h, m, &skew))));
    }
    if (most <= REAL_PART_ROUND_OFF * size) {
        out->kind = PASSIVE_LOSSLESS;
        snprintf(out->reason, PASSIVE_WHY,
                 "passive and lossless: H + H^* = 0 on the imaginary axis, poles simple with "
                 "positive residues");
        return;
    }
    // A combination of ports that exchanges no power makes the pencil singular: a trace of
    // dissipation, below what is asked for, decides the others.
    if (found < 0) found = system_crossings(x, REAL_PART_ROUND_OFF * size, out->crossings);
    out->n_crossings = found > 0 ? found : 0;
    out->lowest = lowest_between(x, out, &size, &from, &to);
    out->kind = PASSIVE_STORAGE;
    if (out->lowest >= -10 * REAL_PART_ROUND_OFF * size) {
        out->strictly = out->lowest > REAL_PART_ROUND_OFF * size && found == 0 && !lossless_part;
        snprintf(out->reason, PASSIVE_WHY,
                 "passive%s: H + H^* %s 0 on the imaginary axis, no pole in the right half plane%s",
                 out->strictly ? ", strictly" : "", out->strictly ? ">" : ">=",
                 lossless_part ? ", those on the axis simple with positive residues" : "");
        return;
    }
    out->kind = PASSIVE_ACTIVE;
    const char *what = m == 1 ? "Re H(i w)" : "an eigenvalue of H + H^*";
    if (isinf(to))
        snprintf(out->reason, PASSIVE_WHY, "not passive: %s < 0 for w > %.9g", what, from);
    else if (from == 0)
        snprintf(out->reason, PASSIVE_WHY, "not passive: %s < 0 for w < %.9g", what, to);
    else
        snprintf(out->reason, PASSIVE_WHY, "not passive: %s < 0 for %.9g < w < %.9g", what, from,
                 to);
}

/* ---- all ------------------------------------------------------------------------------------- */

// A constant matrix: is it Hermitian where it must be, and not negative?
static bool system_negative(arena *a, const double *d, int m, bool symmetric)
{
    double complex *k = arena_array(a, double complex, (size_t)m *(size_t)m + 1);
    double skew, size = 0;
    for (int i = 0; i < m * m; i++) k[i] = d[i], size = fmax(size, fabs(d[i]));
    double lowest = lowest_eigenvalue(a, k, m, &skew);
    return lowest < -REAL_PART_ROUND_OFF * size || (symmetric && skew > REAL_PART_ROUND_OFF * size);
}

int passive_system(arena *a, const linear_system *s, passive_report *out)
{
    subject x = {.a = a, .scale = 0};
    bool lossless_part = s->improper > 0;
    *out = (passive_report){.kind = PASSIVE_ACTIVE};
    out->crossings = arena_array(a, double, 1);
    if (linear_minimal(a, s, MINIMAL_TOL, &x.s) || linear_eigen(a, x.s.n, x.s.a, &x.modes))
        return -1;
    for (int i = 0; i < x.modes.n; i++)
        x.scale = fmax(x.scale, hypot(x.modes.re[i], x.modes.im[i]));
    if (x.scale == 0) x.scale = 1;
    if (s->beyond || (s->improper > 0 && system_negative(a, s->d1, s->n_u, true))) {
        snprintf(out->reason, PASSIVE_WHY, "not passive: at high frequencies H grows like %s",
                 s->beyond ? "s^2 or faster" : "s D1 with D1 not symmetric and positive");
        return 0;
    }
    if (system_unstable(&x, out) || wrong_poles(&x, out, &lossless_part)) return 0;
    if (x.s.n) return examine_axis_of_system(&x, out, lossless_part), 0;
    if (system_negative(a, x.s.d, s->n_u, false)) {
        snprintf(out->reason, PASSIVE_WHY,
                 s->n_u == 1 ? "not passive: a negative resistance"
                             : "not passive: D + D^T has a negative eigenvalue");
        return 0;
    }
    out->kind = lossless_part ? PASSIVE_STORAGE : PASSIVE_MEMORYLESS;
    snprintf(out->reason, PASSIVE_WHY,
             lossless_part ? "passive: H = D + s D1, both not negative"
                           : "passive and memoryless: D + D^T >= 0, a resistance");
    return 0;
}
