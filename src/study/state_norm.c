/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/state_norm.h"

#include "la/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CONDITION_OF_MODES_MAX = 1e10; // beyond, A has no full set of eigenvectors
static const double ASYMMETRY_MAX = 1e-12;         // of P, relative

#define ENTRY(x, i, k) (x)[(size_t)(i) + (size_t)(k) * (size_t)n]

static int norm_refuse(vinc_sim *s, const char *words)
{
    diag_error(&s->model->ctx->diags, "C168", (span){0}, "--norm: %s", words);
    return VINC_E_OPTION;
}

/* ---- weights --------------------------------------------------------------------------------- */

static int weigh_state(vinc_sim *s, const char *name, size_t length, double value, double *weight)
{
    const vinc_problem *p = run_problem(s->state);
    char words[300];
    const char *near = NULL, *cut = arena_strndup(&s->a, name, length);
    for (int i = 0; i < p->n; i++) {
        const char *known = p->unknown_name(p->user, i);
        if (!p->differential[i]) continue;
        if (strcmp(known, cut) == 0) return weight[i] = value, VINC_OK;
        if (!near) near = diag_nearest(cut, &known, 1);
    }
    snprintf(words, sizeof words, "there is no state '%.100s'%s%.100s%s", cut,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return norm_refuse(s, words);
}

static int read_weights(vinc_sim *s, const char *list, double *weight)
{
    for (const char *at = list; *at;) {
        const char *equal = strchr(at, '=');
        char *end = NULL;
        double value = equal ? strtod(equal + 1, &end) : 0;
        bool whole = equal && end > equal + 1 && (*end == ',' || !*end);
        if (!whole || !(value > 0) || !isfinite(value))
            return norm_refuse(s,
                               "1, 2 or inf, weights that are positive ('x=2,v=0.1', 'inf:x=2'), "
                               "modes, or a file P.csv");
        int rc = weigh_state(s, at, (size_t)(equal - at), value, weight);
        if (rc) return rc;
        at = *end ? end + 1 : end;
    }
    return VINC_OK;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static const double *inverse_of(arena *a, int n, const double *w)
{
    double *copy = arena_array(a, double, (size_t)n *(size_t)n + 1);
    double *x = arena_array(a, double, (size_t)n *(size_t)n + 1);
    memcpy(copy, w, (size_t)n * (size_t)n * sizeof *w);
    for (int i = 0; i < n; i++) ENTRY(x, i, i) = 1;
    return la_solve_dense(n, n, copy, x, arena_array(a, int, n + 1)) ? NULL : x;
}

static void use_matrix(const linear_point *l, const double *w, const double *inverse,
                       state_norm *out)
{
    out->n = l->s.n;
    out->state = l->s.state;
    out->w = w;
    out->w_inverse = inverse;
}

/* W = T^-1 with T made of real and imaginary parts of mode shapes: W A W^-1 is diagonal by blocks
 * (re, im; -im, re), whose symmetric part is re. No norm gives less. */
static int norm_of_modes(vinc_sim *s, const linear_point *l, arena *a, state_norm *out)
{
    const double *t = l->modes.vectors, *w = inverse_of(a, l->s.n, t);
    if (!w || !(l->modes.condition < CONDITION_OF_MODES_MAX))
        return norm_refuse(s, "the matrix at the start has no full set of modes");
    use_matrix(l, w, t, out);
    out->words = "2-norm of the amplitudes of the modes at the start";
    return VINC_OK;
}

/* P = L L^T; W = L^T. False: it is not positive definite. */
static bool factor_of(int n, double *p, double *w)
{
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < k; j++)
            for (int i = k; i < n; i++) ENTRY(p, i, k) -= ENTRY(p, i, j) * ENTRY(p, k, j);
        if (!(ENTRY(p, k, k) > 0)) return false;
        double root = sqrt(ENTRY(p, k, k));
        for (int i = k; i < n; i++) ENTRY(w, k, i) = ENTRY(p, i, k) /= root;
    }
    return true;
}

static int norm_of_file(vinc_sim *s, const linear_point *l, const char *path, arena *a,
                        state_norm *out)
{
    vinc_ctx *ctx = s->model->ctx;
    int n = l->s.n, rows = 0, cols = 0;
    double *read = NULL, *p = arena_array(a, double, (size_t)n *(size_t)n + 1);
    double *w = arena_array(a, double, (size_t)n *(size_t)n + 1), most = 0, off = 0;
    result_fault fault = {0};
    char words[400];
    int rc = result_read_matrix(&s->m, path, &rows, &cols, &read, &fault);
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
    if (rc < 0)
        return diag_error(&ctx->diags, fault.code, (span){0}, "%s", fault.text), VINC_E_OPTION;
    bool fits = rows == n && cols == n;
    for (int i = 0; i < n && fits; i++)
        for (int k = 0; k < n; k++) {
            double here = read[(size_t)i * (size_t)n + (size_t)k];
            ENTRY(p, i, k) = here;
            most = fmax(most, fabs(here));
            off = fmax(off, fabs(here - read[(size_t)k * (size_t)n + (size_t)i]));
        }
    mem_free(&s->m, read, (size_t)rows * (size_t)cols * sizeof *read);
    if (!fits) {
        int used = snprintf(words, sizeof words,
                            "%.100s is %d by %d, but there are %d states:", path, rows, cols, n);
        for (int i = 0; i < n && used < 300; i++)
            used += snprintf(words + used, sizeof words - (size_t)used, " %.60s", l->states[i]);
        return norm_refuse(s, words);
    }
    if (!(off <= ASYMMETRY_MAX * most) || !factor_of(n, p, w))
        return norm_refuse(s, "P of sqrt(x' P x) must be symmetric and positive definite");
    const double *inverse = inverse_of(a, n, w);
    if (!inverse) return norm_refuse(s, "P is singular to working precision");
    use_matrix(l, w, inverse, out);
    snprintf(words, sizeof words, "sqrt(x' P x), P from %.200s", path);
    out->words = arena_strndup(a, words, strlen(words));
    return VINC_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

int state_norm_read(vinc_sim *s, const linear_point *l, const char *spec, arena *a, state_norm *out)
{
    static const struct {
        const char *name;
        norm_power power;
        const char *words;
    } powers[] = {
        {"1", NORM_ONE, "1-norm"}, {"2", NORM_TWO, "2-norm"}, {"inf", NORM_MOST, "max-norm"}};
    const vinc_problem *p = run_problem(s->state);
    double *weight = arena_array(a, double, p->n + 1);
    for (int i = 0; i < p->n; i++) weight[i] = 1 / p->nominal[i];
    *out = (state_norm){.power = NORM_TWO, .weight = weight};
    if (!spec) spec = "2";
    size_t n = strlen(spec);
    if (strcmp(spec, "modes") == 0) return norm_of_modes(s, l, a, out);
    if (n > 4 && strcmp(spec + n - 4, ".csv") == 0) return norm_of_file(s, l, spec, a, out);
    const char *list = spec, *name = powers[1].words;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        size_t length = strlen(powers[i].name);
        if (strncmp(spec, powers[i].name, length) || (spec[length] && spec[length] != ':'))
            continue;
        out->power = powers[i].power;
        name = powers[i].words;
        list = spec + length + (spec[length] == ':');
        break;
    }
    char words[300];
    snprintf(words, sizeof words, "%s of the states, in units of their nominals%s%.200s%s", name,
             *list ? " (weights: " : "", list, *list ? ")" : "");
    out->words = arena_strndup(a, words, strlen(words));
    return read_weights(s, list, weight);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* W A W^-1. */
static double *in_units(const state_norm *m, const linear_system *s, arena *a)
{
    int n = s->n;
    double *b = arena_array(a, double, (size_t)n *(size_t)n + 1);
    if (!m->w) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                ENTRY(b, i, k) =
                    ENTRY(s->a, i, k) * m->weight[s->state[i]] / m->weight[s->state[k]];
        return b;
    }
    double *half = arena_array(a, double, (size_t)n *(size_t)n + 1);
    for (int i = 0; i < n; i++)
        if (n != m->n || s->state[i] != m->state[i]) return NULL;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) ENTRY(half, i, k) += ENTRY(m->w, i, j) * ENTRY(s->a, j, k);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                ENTRY(b, i, k) += ENTRY(half, i, j) * ENTRY(m->w_inverse, j, k);
    return b;
}

/* Of the symmetric part. */
static double largest_eigenvalue(int n, const double *b, arena *a)
{
    double *m = arena_array(a, double, (size_t)n *(size_t)n + 1), most = -INFINITY;
    double *re = arena_array(a, double, n + 1), *im = arena_array(a, double, n + 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) ENTRY(m, i, k) = 0.5 * (ENTRY(b, i, k) + ENTRY(b, k, i));
    if (la_eigen(n, m, re, im, NULL, arena_array(a, double, la_eigen_work(n)))) return NAN;
    for (int i = 0; i < n; i++) most = fmax(most, re[i]);
    return most;
}

double state_norm_logarithmic(const state_norm *m, const linear_system *s, arena *a, double *size)
{
    int n = s->n;
    double most = -INFINITY;
    *size = 0;
    if (!n) return 0;
    const double *b = in_units(m, s, a);
    if (!b) return NAN;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) *size = fmax(*size, fabs(ENTRY(b, i, k)));
    if (m->power == NORM_TWO) return largest_eigenvalue(n, b, a);
    for (int i = 0; i < n; i++) { // by rows, or by columns
        double sum = ENTRY(b, i, i);
        for (int k = 0; k < n; k++)
            if (k != i) sum += fabs(m->power == NORM_MOST ? ENTRY(b, i, k) : ENTRY(b, k, i));
        most = fmax(most, sum);
    }
    return most;
}

static double add_power(norm_power power, double sum, double x)
{
    switch (power) {
    case NORM_ONE: return sum + fabs(x);
    case NORM_MOST: return fmax(sum, fabs(x));
    default: return hypot(sum, x);
    }
}

double state_norm_of(const state_norm *m, const double *d, int n_components, double *work)
{
    double sum = 0;
    if (!m->w) {
        for (int i = 0; i < n_components; i++)
            if (d[i] != 0) sum = add_power(m->power, sum, d[i] * m->weight[i]);
        return sum;
    }
    int n = m->n;
    for (int i = 0; i < n; i++) {
        work[i] = 0;
        for (int k = 0; k < n; k++) work[i] += ENTRY(m->w, i, k) * d[m->state[k]];
        sum = add_power(m->power, sum, work[i]);
    }
    return sum;
}
