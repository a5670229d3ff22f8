/* SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/passive.h"

#include "pencil/pencil.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define POLE_AXIS_TOL       1e-6 // relative distance of a pole from the imaginary axis, of equal poles
#define REAL_PART_ROUND_OFF 1e-9

typedef struct ratio { // ascending powers
    int n, d;          // degrees
    double num[PASSIVE_DEGREE + 2], den[PASSIVE_DEGREE + 2];
} ratio;

static double complex passive_at(const double *c, int n, double complex s)
{
    double complex v = 0;
    for (int i = n; i >= 0; i--) v = v * s + c[i];
    return v;
}

static double real_part(const ratio *h, double w)
{
    double complex s = I * w;
    return creal(passive_at(h->num, h->n, s) / passive_at(h->den, h->d, s));
}

static void passive_trim(double *c, int *n)
{
    double size = 0;
    for (int i = 0; i <= *n; i++) size = fmax(size, fabs(c[i]));
    while (*n > 0 && fabs(c[*n]) <= 1e-12 * size) c[(*n)--] = 0;
}

/* ---- poles ----------------------------------------------------------------------------------- */

// Companion matrix of den, by columns.
static double *passive_companion(arena *a, const ratio *h)
{
    int n = h->d;
    double *m = arena_array(a, double, (size_t)n *(size_t)n + 1);
    for (int i = 0; i + 1 < n; i++) m[i + (i + 1) * n] = 1;
    for (int j = 0; j < n; j++) m[n - 1 + j * n] = -h->den[j] / h->den[n];
    return m;
}

static int passive_poles(arena *a, const ratio *h, double complex *z)
{
    int n = h->d;
    pencil p;
    double *f = arena_array(a, double, (size_t)n *(size_t)n + 1), *g = passive_companion(a, h);
    for (int i = 0; i < n; i++) f[i + i * n] = 1;
    for (int i = 0; i < n * n; i++) g[i] = -g[i];
    if (pencil_analyse(a, n, f, g, &p) || !p.regular || p.n_finite != n) return -1;
    for (int i = 0; i < n; i++) z[i] = p.eig_re[i] + p.eig_im[i] * I;
    return n;
}

// c := c / (s^2 + w^2), or c / s for w = 0; the remainder is dropped.
static void divide_off(double *c, int *n, double w)
{
    int k = w > 0 ? 2 : 1;
    double q[PASSIVE_DEGREE + 2] = {0};
    for (int i = *n - k; i >= 0; i--) {
        q[i] = c[i + k];
        if (w > 0) c[i] -= w * w * q[i];
    }
    *n = *n >= k ? *n - k : 0;
    memcpy(c, q, sizeof q);
}

/* Take the pair of poles +- i w off: H - 2 r s/(s^2 + w^2), or H - r/s. Its residue r. */
static double take_off(ratio *h, double w)
{
    double slope[PASSIVE_DEGREE + 2] = {0};
    for (int i = 1; i <= h->d; i++) slope[i - 1] = i * h->den[i];
    double complex residue =
        passive_at(h->num, h->n, I * w) / passive_at(slope, h->d > 0 ? h->d - 1 : 0, I * w);
    double r = creal(residue);
    if (fabs(cimag(residue)) > POLE_AXIS_TOL * fmax(cabs(residue), 1e-300)) return NAN;
    divide_off(h->den, &h->d, w);
    for (int i = 0; i <= h->d; i++) h->num[i + (w > 0)] -= (w > 0 ? 2 : 1) * r * h->den[i];
    if (h->n < h->d + (w > 0)) h->n = h->d + (w > 0);
    divide_off(h->num, &h->n, w);
    passive_trim(h->num, &h->n);
    return r;
}

// False when the poles alone decide: active.
static bool examine_poles(arena *a, ratio *h, passive_report *out, bool *lossless_part)
{
    double complex z[PASSIVE_DEGREE];
    double scale = 0;
    int n = passive_poles(a, h, z);
    for (int i = 0; i < n; i++) scale = fmax(scale, cabs(z[i]));
    for (int i = 0; i < n; i++)
        if (creal(z[i]) > POLE_AXIS_TOL * scale) {
            snprintf(out->reason, PASSIVE_WHY,
                     "not passive: the pole %.6g%+.6gi is in the right half plane (unstable)",
                     creal(z[i]), cimag(z[i]));
            return false;
        }
    for (int i = 0; i < n; i++) {
        double w = cimag(z[i]);
        if (fabs(creal(z[i])) > POLE_AXIS_TOL * scale || w < -POLE_AXIS_TOL * scale) continue;
        if (w < POLE_AXIS_TOL * scale) w = 0;
        int same = 0;
        for (int k = 0; k < n; k++)
            if (cabs(z[k] - z[i]) <= 1e-3 * fmax(scale, 1e-300)) same++;
        double r = same == 1 ? take_off(h, w) : NAN;
        *lossless_part = true;
        if (r >= 0) continue;
        if (same > 1)
            snprintf(out->reason, PASSIVE_WHY,
                     "not passive: the pole at %.6gi on the imaginary axis is multiple", w);
        else
            snprintf(out->reason, PASSIVE_WHY,
                     "not passive: the residue of the pole %.6gi on the imaginary axis is not real "
                     "and positive",
                     w);
        return false;
    }
    return true;
}

/* ---- the axis -------------------------------------------------------------------------------- */

// Frequencies where Re H may vanish, ascending; -1: everywhere.
static int passive_crossings(arena *a, const ratio *h, double *w)
{
    int n = h->d, m = 2 * n + 1, found = 0;
    double *f = arena_array(a, double, (size_t)m *(size_t)m);
    double *g = arena_array(a, double, (size_t)m *(size_t)m), *comp = passive_companion(a, h);
    double d = h->n == h->d ? h->num[n] / h->den[n] : 0, scale = 0;
    for (int i = 0; i < 2 * n; i++) f[i + i * m] = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            g[i + j * m] = -comp[i + j * n];
            g[n + i + (n + j) * m] = comp[j + i * n];
        }
    if (n) {
        g[n - 1 + 2 * n * m] = -1; // B: the last unit vector
        g[2 * n + (2 * n - 1) * m] = -1;
    }
    for (int j = 0; j < n; j++) { // C of the strictly proper part
        double c = ((j <= h->n ? h->num[j] : 0) - d * h->den[j]) / h->den[n];
        g[2 * n + j * m] = -c;
        g[n + j + 2 * n * m] = c;
    }
    g[2 * n + 2 * n * m] = -2 * d;
    pencil p;
    if (pencil_analyse(a, m, f, g, &p) || !p.regular) return -1;
    for (int i = 0; i < p.n_finite; i++) scale = fmax(scale, hypot(p.eig_re[i], p.eig_im[i]));
    for (int i = 0; i < p.n_finite; i++) {
        if (fabs(p.eig_re[i]) > 1e-4 * fmax(scale, 1e-300) || p.eig_im[i] < 0) continue;
        int k = found++;
        while (k > 0 && w[k - 1] > p.eig_im[i]) w[k] = w[k - 1], k--;
        w[k] = p.eig_im[i];
    }
    return found;
}

// Signs between the crossings decide; a touching point does not make Re H negative.
static void examine_axis_of_pencil(const ratio *h, passive_report *out)
{
    double previous = 0, size = 0, from = 0, to = 0;
    int n = out->n_crossings;
    out->lowest = INFINITY;
    for (int i = 0; i <= n; i++) {
        double next = i < n ? out->crossings[i] : 2 * previous + 1;
        double probes[] = {previous, 0.5 * (previous + next), next};
        for (int k = 0; k < 3; k++) {
            double v = real_part(h, probes[k]);
            size = fmax(size, cabs(passive_at(h->num, h->n, I * probes[k]) /
                                   passive_at(h->den, h->d, I * probes[k])));
            if (v < out->lowest) {
                out->lowest = v;
                out->at = probes[k];
                from = previous;
                to = i < n ? next : INFINITY;
            }
        }
        previous = next;
    }
    if (out->lowest >= -REAL_PART_ROUND_OFF * size) {
        out->strictly = out->lowest > REAL_PART_ROUND_OFF * size && n == 0;
        return;
    }
    out->kind = PASSIVE_ACTIVE;
    if (isinf(to))
        snprintf(out->reason, PASSIVE_WHY, "not passive: Re H(i w) < 0 for w > %.9g", from);
    else if (from == 0)
        snprintf(out->reason, PASSIVE_WHY, "not passive: Re H(i w) < 0 for w < %.9g", to);
    else
        snprintf(out->reason, PASSIVE_WHY, "not passive: Re H(i w) < 0 for %.9g < w < %.9g", from,
                 to);
}

/* ---- all ------------------------------------------------------------------------------------- */

// The pole at infinity: H - k s. False when it decides.
static bool examine_infinity(ratio *h, passive_report *out, bool *lossless_part)
{
    if (h->n <= h->d) return true;
    double k = h->num[h->n] / h->den[h->d];
    if (h->n > h->d + 1 || k < 0) {
        snprintf(out->reason, PASSIVE_WHY, "not passive: H grows like %.6g s^%d", k, h->n - h->d);
        return false;
    }
    for (int i = 0; i <= h->d; i++) h->num[i + 1] -= k * h->den[i];
    h->num[h->n] = 0;
    h->n--;
    passive_trim(h->num, &h->n);
    *lossless_part = true;
    return true;
}

int passive_analyse(arena *a, int n_num, const double *num, int n_den, const double *den,
                    passive_report *out)
{
    ratio h = {.n = n_num - 1, .d = n_den - 1};
    bool lossless = false, zero = true;
    *out = (passive_report){.kind = PASSIVE_ACTIVE};
    out->crossings = arena_array(a, double, 2 * PASSIVE_DEGREE + 2);
    for (int i = 0; i < n_num; i++) h.num[n_num - 1 - i] = num[i];
    for (int i = 0; i < n_den; i++) h.den[n_den - 1 - i] = den[i], zero = zero && den[i] == 0;
    for (int i = 0; i < n_num + n_den; i++)
        if (!isfinite(i < n_num ? num[i] : den[i - n_num])) zero = true;
    if (zero || n_num < 1 || n_den < 1) {
        snprintf(out->reason, PASSIVE_WHY, "the denominator is zero, or a number is not finite");
        return -1;
    }
    passive_trim(h.num, &h.n);
    passive_trim(h.den, &h.d);
    bool constant = h.n == 0 && h.d == 0;
    if (!examine_infinity(&h, out, &lossless) || !examine_poles(a, &h, out, &lossless)) return 0;

    double size = 0; // what is left may be nothing
    for (int i = 0; i <= h.n; i++) size = fmax(size, fabs(h.num[i]));
    for (int i = 0; i < n_num; i++) zero = zero || size <= 1e-12 * fabs(num[i]);
    int n = zero || size == 0 ? -1 : passive_crossings(a, &h, out->crossings);
    if (n < 0) {
        out->kind = constant ? PASSIVE_MEMORYLESS : PASSIVE_LOSSLESS;
        snprintf(out->reason, PASSIVE_WHY,
                 constant ? "H = 0: no power is exchanged"
                          : "passive and lossless: Re H(i w) = 0 for every w, poles simple with "
                            "positive residues");
        return 0;
    }
    out->n_crossings = n;
    out->kind = constant ? PASSIVE_MEMORYLESS : PASSIVE_STORAGE;
    examine_axis_of_pencil(&h, out);
    if (out->kind == PASSIVE_MEMORYLESS)
        snprintf(out->reason, PASSIVE_WHY, "passive and memoryless: a resistance");
    else if (out->kind == PASSIVE_STORAGE)
        snprintf(out->reason, PASSIVE_WHY,
                 "passive%s: Re H(i w) %s 0 for every w, no pole in the "
                 "right half plane%s",
                 out->strictly ? ", strictly" : "", out->strictly ? ">" : ">=",
                 lossless ? ", those on the imaginary axis simple with positive residues" : "");
    return 0;
}
