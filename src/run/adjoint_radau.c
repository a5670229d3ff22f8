/* Back over a step of Radau IIA (adjoint.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/stages.h"
#include "run/adjoint_parts.h"

#include <math.h>
#include <string.h>

// clang-format off
/*  bound                              quantity                                              source */
static const double
    RESIDUAL_PART        = 1e-3,    // of the tolerance: what the iteration leaves           choice: some hundred steps add up to a tenth of it
    RESIDUAL_LEAST       = 1e-12,   // ... at least                                          rounding, of stiff equations
    THETA_KEPT           = 0.05,    // contraction with which factors serve once more        choice: two more iterations cost as much as factors
    THETA_LOST           = 0.5,     // ... with which it is given up                         choice
    H_SAME               = 1e-9;    // relative: sizes that have the same factors            as of the method (irk_step.c)
enum {
    ITERATIONS_MAX       = 14,      // of a step                                             choice
};
// clang-format on

/* ---- matrices -------------------------------------------------------------------------------- */

int adjoint_formula_radau(run_adjoint *a, adjoint_formula *f, const method_tableau *t)
{
    char why[METHOD_WHY];
    if (scheme_build(t, &f->k, why) || !f->k.ends || f->k.starts || f->k.n_real > 1) return -1;
    for (int i = 0; i < f->s; i++)
        for (int j = 0; j < f->s; j++) {
            f->tt[i][j] = f->k.t[j][i];
            f->tit[i][j] = f->k.ti[j][i];
            f->ait[i][j] = f->k.ai[j][i];
            f->all[i] += f->k.ai[i][j];
        }
    la_config config = {.n = a->n, .pattern = &a->pattern};
    if (f->k.n_real && !a->real && la_new(a->x->s->m, &config, &a->real)) return -1;
    config.is_complex = true;
    for (int i = 0; i < f->k.n_pairs; i++)
        if (!a->pair[i] && la_new(a->x->s->m, &config, &a->pair[i])) return -1;
    return 0;
}

void adjoint_free_radau(run_adjoint *a)
{
    la_free(a->real);
    for (int i = 0; i < ADJOINT_PAIRS; i++) la_free(a->pair[i]);
    for (int i = 0; i < a->n_formulas; i++) {
        la_free(a->formulas[i].direct.la);
        mem_free(a->x->s->m, a->formulas[i].direct.start, a->formulas[i].direct.bytes);
    }
}

static const double *values_at(const run_adjoint *a, int stage)
{
    return a->values + (size_t)stage * (size_t)a->x->code->of[CODE_V_RESIDUAL].pattern.nnz;
}

/* In the mean of the stages, by the weights of the formula as a quadrature: those of equal parts do. */
static void average(run_adjoint *a, const adjoint_formula *f)
{
    int count = a->first[a->n];
    memset(a->mean_y, 0, (size_t)count * sizeof *a->mean_y);
    memset(a->mean_yp, 0, (size_t)count * sizeof *a->mean_yp);
    for (int i = 0; i < f->s; i++) {
        const double *v = values_at(a, i);
        for (int e = 0; e < count; e++) {
            if (a->items[e].y >= 0) a->mean_y[e] += v[a->items[e].y];
            if (a->items[e].yp >= 0) a->mean_yp[e] += v[a->items[e].yp];
        }
    }
    for (int e = 0; e < count; e++) a->mean_y[e] /= f->s, a->mean_yp[e] /= f->s;
}

static int factor_mean(run_adjoint *a, const adjoint_formula *f, double h)
{
    a->of_lu = NULL;
    average(a, f);
    int status = LA_OK;
    if (f->k.n_real) status = la_factor(a->real, a->mean_y, a->mean_yp, f->k.gamma[0] / h, 0);
    for (int i = 0; i < f->k.n_pairs && !status; i++)
        status = la_factor(a->pair[i], a->mean_y, a->mean_yp, f->k.alpha[i] / h,
                           -f->k.beta[i] / h); // transposed: the other of the pair
    if (status) return status;
    a->of_lu = f;
    a->h_lu = h;
    return 0;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* r := rhs - the transposed matrix of all stages times mu; its largest component, in units of the goal. */
static double residual(run_adjoint *a, const adjoint_formula *f, double h)
{
    const vinc_pattern *p = &a->x->code->of[CODE_V_RESIDUAL].pattern;
    const double *nominal = a->x->s->nominal;
    int n = a->n;
    const int *row = p->row, *of_y = p->start + 1, *of_yp = of_y + n;
    double most = 0;
    for (int i = 0; i < f->s; i++) {
        const double *v = values_at(a, i), *mu = a->mu + i * n;
        double *to = a->part + i * n;
        for (int u = 0; u < n; u++) to[u] = adjoint_dot(v, row, of_yp[u], of_yp[u + 1], mu) / h;
    }
    stages_mix(f->s, f->ait, a->part, a->mixed, n);
    for (int i = 0; i < f->s; i++) {
        const double *v = values_at(a, i), *mu = a->mu + i * n, *mixed = a->mixed + i * n;
        const double *rhs = a->rhs + i * n;
        double *to = a->r + i * n;
        for (int u = 0; u < n; u++) {
            double sum = rhs[u] - mixed[u] - adjoint_dot(v, row, of_y[u], of_y[u + 1], mu);
            to[u] = sum;
            double size = fabs(sum) * nominal[u];
            if (!(size <= most)) most = size;
        }
    }
    return most;
}

static void correct(run_adjoint *a, const adjoint_formula *f)
{
    int n = a->n;
    stages_mix(f->s, f->tt, a->r, a->w, n);
    if (f->k.n_real) la_solve(a->real, a->w);
    for (int i = 0; i < f->k.n_pairs; i++) la_solve(a->pair[i], a->w + (f->k.n_real + 2 * i) * n);
    stages_mix(f->s, f->tit, a->w, a->part, n);
    stages_add(a->mu, a->part, a->mu, f->s * n);
}

/* mu from rhs; false: it does not converge. */
static bool iterate(run_adjoint *a, const adjoint_formula *f, double h, double size)
{
    double enough = size * fmax(RESIDUAL_LEAST, RESIDUAL_PART * a->tolerance), before = size;
    memset(a->mu, 0, (size_t)(f->s * a->n) * sizeof *a->mu);
    memcpy(a->r, a->rhs, (size_t)(f->s * a->n) * sizeof *a->r);
    a->theta = 0;
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        correct(a, f);
        double now = residual(a, f, h);
        if (k || now > enough) a->theta = fmax(k > 1 ? a->theta : 0, now / before);
        if (now <= enough) return true;
        if (!(now < THETA_LOST * before)) return false;
        before = now;
    }
    return false;
}

/* ---- all stages at once ---------------------------------------------------------------------- */

static size_t direct_layout(adjoint_direct *d, int n, int nnz, void *block)
{
    bump b = bump_begin(block);
    d->start = bump_int(&b, (size_t)n + 1);
    d->row = bump_int(&b, (size_t)nnz);
    d->a = bump_double(&b, (size_t)nnz);
    return bump_end(&b);
}

static int direct_new(run_adjoint *a, adjoint_formula *f)
{
    adjoint_direct *d = &f->direct;
    int n = a->n, s = f->s, k = 0, nnz = 0;
    for (int e = 0; e < a->first[n]; e++) nnz += a->items[e].yp >= 0 ? s * s : s;
    d->bytes = direct_layout(d, s * n, nnz, NULL);
    void *block = mem_try(a->x->s->m, d->bytes);
    if (!block) return VINC_E_MEMORY;
    direct_layout(d, s * n, nnz, block);
    for (int i = 0; i < s; i++)
        for (int r = 0; r < n; r++) {
            d->start[i * n + r] = k;
            for (int j = 0; j < s; j++)
                for (int e = a->first[r]; e < a->first[r + 1]; e++)
                    if (i == j || a->items[e].yp >= 0) d->row[k++] = j * n + a->items[e].u;
        }
    d->start[s * n] = k;
    d->pattern = (vinc_pattern){s * n, s * n, k, d->start, d->row};
    la_config config = {.n = s * n, .pattern = &d->pattern};
    return la_new(a->x->s->m, &config, &d->la) ? VINC_E_MEMORY : VINC_OK;
}

static int solve_directly(run_adjoint *a, adjoint_formula *f, double h)
{
    adjoint_direct *d = &f->direct;
    int n = a->n, k = 0, rc = d->la ? VINC_OK : direct_new(a, f);
    if (rc) return rc;
    for (int i = 0; i < f->s; i++) {
        const double *v = values_at(a, i);
        for (int r = 0; r < n; r++)
            for (int j = 0; j < f->s; j++)
                for (int e = a->first[r]; e < a->first[r + 1]; e++) {
                    const adjoint_item *it = &a->items[e];
                    if (i != j && it->yp < 0) continue;
                    double sum = i == j && it->y >= 0 ? v[it->y] : 0;
                    if (it->yp >= 0) sum += f->k.ai[i][j] / h * v[it->yp];
                    d->a[k++] = sum;
                }
    }
    int status = la_factor(d->la, d->a, NULL, 0, 0);
    if (status) return status == LA_SINGULAR ? VINC_E_SINGULAR : VINC_E_MEMORY;
    memcpy(a->mu, a->rhs, (size_t)(f->s * n) * sizeof *a->mu);
    la_solve(d->la, a->mu);
    return VINC_OK;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* What the goal is by the stages; its largest component, in its units. */
static double set_rhs(run_adjoint *a, const adjoint_formula *f, double h)
{
    int n = a->n, last = f->s - 1;
    double most = 0;
    memset(a->rhs, 0, (size_t)(f->s * n) * sizeof *a->rhs);
    memcpy(a->rhs + last * n, a->lambda, (size_t)n * sizeof *a->rhs);
    for (int j = 0; j < f->s && a->at_end; j++)
        for (int u = 0; u < n; u++) a->rhs[j * n + u] += f->k.ai[last][j] / h * a->by_yp[u];
    for (int j = a->at_end ? 0 : last; j < f->s; j++)
        for (int u = 0; u < n; u++)
            most = fmax(most, fabs(a->rhs[j * n + u]) * a->x->s->nominal[u]);
    return most;
}

static void take_step(run_adjoint *a, const adjoint_formula *f, double h)
{
    const vinc_pattern *p = &a->x->code->of[CODE_V_RESIDUAL].pattern;
    int n = a->n;
    const int *row = p->row, *of_yp = p->start + 1 + n, *given = of_yp + n;
    memset(a->lambda, 0, (size_t)n * sizeof *a->lambda);
    for (int i = 0; i < f->s; i++) {
        const double *v = values_at(a, i), *mu = a->mu + i * n;
        double all = f->all[i] / h;
        for (int u = 0; u < n; u++) {
            a->lambda[u] += all * adjoint_dot(v, row, of_yp[u], of_yp[u + 1], mu);
            if (a->at_end && i == f->s - 1) a->lambda[u] -= all * a->by_yp[u];
        }
        for (int j = 0; j < a->n_given; j++)
            a->q[j] -= adjoint_dot(v, row, given[j], given[j + 1], mu);
    }
}

int adjoint_step_radau(run_adjoint *a, adjoint_formula *f, double t, double h, const double *y,
                       const double *yp)
{
    run_variation *x = a->x;
    const code_varied *of = &x->code->of[CODE_V_RESIDUAL];
    int n = a->n;
    if (!of->code) return VINC_OK;
    double size = set_rhs(a, f, h);
    if (size > 0) {
        for (int i = 0; i < f->s; i++)
            vary_values(x, of, t + f->k.c[i] * h, y + i * n, yp + i * n,
                        a->values + (size_t)i * (size_t)of->pattern.nnz);
        bool kept = a->of_lu == f && fabs(a->h_lu - h) <= H_SAME * h && a->theta < THETA_KEPT;
        bool found = (kept || !factor_mean(a, f, h)) && iterate(a, f, h, size);
        if (!found && kept) found = !factor_mean(a, f, h) && iterate(a, f, h, size);
        int rc = found ? VINC_OK : solve_directly(a, f, h);
        if (rc) return rc;
        take_step(a, f, h);
    }
    a->at_end = false;
    return VINC_OK;
}
