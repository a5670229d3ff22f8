/* Parameter estimation: the maximum of the likelihood within bounds, and what the data say about it.
 *
 * Steps solve (H + lambda D) d = -g with H the information and D its diagonal (Levenberg and Marquardt;
 * lambda by the ratio of the decrease to the expected one, K. Madsen, H. B. Nielsen and O. Tingleff, Methods
 * for Non-Linear Least Squares Problems, 2nd ed. 2004, section 3.2). Parameters at a bound that the gradient
 * points out of are held there; the others stop at theirs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "la/dense.h"
#include "study/fit_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ITERATIONS_USUAL = 200, STARTS_MAX = 100000 };
static const double GRADIENT_SMALL =
    1e-6; // of a projected step, on the scales: nothing is left to do
static const double DECREASE_SMALL = 1e-10; // of |f| + 1
static const double LAMBDA_MOST = 1e16;
static const double UNSEEN = 1e-10;      // of the largest eigenvalue of the scaled information
static const double SAME_OPTIMUM = 1e-4; // of |f| + 1: starts that end so near ended at one optimum

static void search_new(fit_search *s, fit_problem *p)
{
    size_t n = (size_t)p->n_estimated;
    double **list[] = {&s->x, &s->g, &s->trial, &s->g_new, &s->d, &s->lower, &s->upper};
    s->p = p;
    s->n = p->n_estimated;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        *list[k] = arena_array(p->a, double, n + 1);
    s->h = arena_array(p->a, double, n *n + 1);
    s->h_new = arena_array(p->a, double, n *n + 1);
    s->a = arena_array(p->a, double, n *n + 1);
    s->held = arena_array(p->a, uint8_t, n + 1);
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        if (q->number < 0) continue;
        s->lower[q->number] = fit_scaled(q, q->lower);
        s->upper[q->number] = fit_scaled(q, q->upper);
    }
}

/* By Cholesky, of the free part. */
bool fit_step(int n, const double *h, const double *g, const uint8_t *held, double lambda,
              double *a, double *d)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) a[i + j * n] = held[i] || held[j] ? 0 : h[i + j * n];
        double size = h[j + j * n];
        a[j + j * n] = held[j] ? 1 : size + lambda * (size > 0 ? size : 1);
        d[j] = held[j] ? 0 : -g[j];
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++) a[i + j * n] -= a[i + k * n] * a[j + k * n];
        if (!(a[j + j * n] > 0)) return false;
        double root = sqrt(a[j + j * n]);
        for (int i = j; i < n; i++) a[i + j * n] /= root;
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) d[i] -= a[i + k * n] * d[k];
        d[i] /= a[i + i * n];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) d[i] -= a[k + i * n] * d[k];
        d[i] /= a[i + i * n];
    }
    return true;
}

/* Those at a bound that the gradient points out of; the size of what is left of it. */
static double hold_bounds(fit_search *s)
{
    double size = 0;
    for (int i = 0; i < s->n; i++) {
        bool low = s->x[i] <= s->lower[i] && s->g[i] > 0,
             high = s->x[i] >= s->upper[i] && s->g[i] < 0;
        s->held[i] = low || high || !(s->lower[i] < s->upper[i]);
        if (!s->held[i]) size = fmax(size, fabs(s->g[i]) / sqrt(s->h[i + i * s->n] + 1e-300));
    }
    return size;
}

int fit_search_from(fit_search *s, const double *x, int most, fit_end *out)
{
    double lambda = 1e-3, grow = 2;
    int n = s->n;
    fit_value here = {.g = s->g, .h = s->h}, next = {.g = s->g_new, .h = s->h_new};
    memcpy(s->x, x, (size_t)n * sizeof *x);
    out->status = fit_evaluate(s->runs, s->x, &here);
    out->evaluations++;
    out->f = out->f_start = here.f;
    if (out->status == VINC_E_INTERRUPTED || out->status == VINC_E_MEMORY) return out->status;
    while (!out->status) {
        double size = hold_bounds(s);
        if (size <= GRADIENT_SMALL) break;
        if (out->iterations++ >= most) {
            out->status = 1;
            break;
        }
        bool better = false;
        for (; !better && lambda <= LAMBDA_MOST; lambda *= grow, grow *= 2) {
            double expected = 0, moved = 0;
            if (!fit_step(n, s->h, s->g, s->held, lambda, s->a, s->d)) continue;
            for (int i = 0; i < n; i++) {
                s->trial[i] = fmin(fmax(s->x[i] + s->d[i], s->lower[i]), s->upper[i]);
                s->d[i] = s->trial[i] - s->x[i];
                moved = fmax(moved, fabs(s->d[i]) / (1 + fabs(s->x[i])));
            }
            for (int i = 0; i < n; i++) {
                expected -= s->g[i] * s->d[i];
                for (int j = 0; j < n; j++) expected -= s->d[i] * s->h[i + j * n] * s->d[j] / 2;
            }
            if (moved < 1e-12) break;
            out->evaluations++;
            int rc = fit_evaluate(s->runs, s->trial, &next);
            if (rc == VINC_E_MEMORY || rc == VINC_E_INTERRUPTED) return rc;
            if (rc || !(next.f < here.f)) continue;
            double ratio = expected > 0 ? (here.f - next.f) / expected : 0.5;
            better = true;
            double factor = 1 - pow(2 * ratio - 1, 3);
            lambda = fmax(lambda * fmax(factor, 1.0 / 3), 1e-15) / 2; // doubled by the loop
            grow = 2;
        }
        if (!better) break;
        double decrease = here.f - next.f;
        memcpy(s->x, s->trial, (size_t)n * sizeof *s->x);
        memcpy(s->g, s->g_new, (size_t)n * sizeof *s->g);
        memcpy(s->h, s->h_new, (size_t)n * (size_t)n * sizeof *s->h);
        here.f = next.f;
        if (decrease <= DECREASE_SMALL * (fabs(here.f) + 1)) break;
    }
    out->f = here.f;
    memcpy(out->x, s->x, (size_t)n * sizeof *x);
    return VINC_OK;
}

/* ---- many starts ----------------------------------------------------------------------------- */

/* The first is the values given, the others are spread within the bounds: a Halton sequence, so that more
 * starts contain fewer (J. H. Halton, Numer. Math. 2 (1960) 84-90), shifted by an irrational number in each
 * direction. Without bounds, a decade to both sides of the value, or as far as it is large. */
static double halton(int index, int base)
{
    double x = 0, part = 1;
    for (; index; index /= base) x += (part /= base) * (index % base);
    return x;
}

static int prime_at(int k)
{
    int p = 2;
    for (;; p++) {
        bool prime = true;
        for (int d = 2; d * d <= p && prime; d++) prime = p % d != 0;
        if (prime && k-- == 0) return p;
    }
}

static void start_at(const fit_problem *p, int k, double *x)
{
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        if (q->number < 0) continue;
        double value = fit_scaled(q, q->value), low = fit_scaled(q, q->lower),
               high = fit_scaled(q, q->upper), far = q->log ? 1 : fmax(fabs(q->value), 1);
        if (!isfinite(low)) low = value - far;
        if (!isfinite(high)) high = value + far;
        double at = fmod(halton(k, prime_at(q->number)) + 0.618033988749895 * (q->number + 1), 1);
        x[q->number] = k ? low + at * (high - low) : value;
    }
}

typedef struct fit_team {
    fit_problem *p;
    fit_search *searches;
    fit_end *ends;
    int n_starts, most;
    atomic_int next, failed;
} fit_team;

typedef struct fit_worker {
    fit_team *team;
    int number;
    double *x;
    pthread_t thread;
    bool started;
} fit_worker;

static void *fit_work(void *user)
{
    fit_worker *w = user;
    fit_team *t = w->team;
    for (;;) {
        int k = atomic_fetch_add(&t->next, 1);
        if (k >= t->n_starts || atomic_load(&t->failed)) return NULL;
        start_at(t->p, k, w->x);
        int rc = fit_search_from(&t->searches[w->number], w->x, t->most, &t->ends[k]);
        if (rc) atomic_store(&t->failed, rc);
    }
}

static int search_all(fit_team *t, int n_threads)
{
    fit_problem *p = t->p;
    fit_worker *w = arena_array(p->a, fit_worker, n_threads);
    for (int i = 0; i < n_threads; i++)
        w[i] = (fit_worker){
            .team = t, .number = i, .x = arena_array(p->a, double, p->n_estimated + 1)};
    for (int i = 1; i < n_threads; i++)
        w[i].started = !pthread_create(&w[i].thread, NULL, fit_work, &w[i]);
    fit_work(&w[0]);
    for (int i = 1; i < n_threads; i++)
        if (w[i].started) pthread_join(w[i].thread, NULL);
    return atomic_load(&t->failed);
}

/* ---- what the data say ----------------------------------------------------------------------- */

typedef struct fit_job {
    vinc_model *model;
    const vinc_fit_options *o;
    vinc_fit told, **out;
    vinc_fit_parameter *list;
    fit_problem p;
    fit_runs **runs;
    int n_runs;
    plot_figure *figure;
    fit_curve *curves; // profiles, by parameter; NULL: none
    arena a;
} fit_job;

/* The combination of parameters along an eigenvector of the scaled information, in words. */
static const char *combination(fit_job *j, const double *v)
{
    fit_problem *p = &j->p;
    text *t = fit_words(p);
    double largest = 0;
    int n = 0;
    for (int i = 0; i < p->n_estimated; i++) largest = fmax(largest, fabs(v[i]));
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        if (q->number < 0 || fabs(v[q->number]) < 0.1 * largest) continue;
        double c = v[q->number] / largest;
        if (n++ == 6) {
            text_add(t, " ...");
            break;
        }
        text_printf(t, "%s%.2g %s%s%s",
                    n > 1   ? (c < 0 ? " - " : " + ")
                    : c < 0 ? "-"
                            : "",
                    fabs(c), q->log ? "log(" : "", q->name, q->log ? ")" : "");
    }
    return arena_strndup(&j->a, text_str(t), t->n);
}

/* Errors, correlation, and what cannot be seen, from the information of the parameters that are free. */
static void judge(fit_job *j, const fit_search *s, const uint8_t *held)
{
    int n = s->n, m = 0, *free = arena_array(&j->a, int, n + 1);
    size_t nn = (size_t)n;
    double *scale = arena_array(&j->a, double, nn + 1), *u, *sigma, *vt, *a;
    double *c = arena_array(&j->a, double, nn *nn + 1), *covariance;
    const char **unseen = arena_array(&j->a, const char *, n + 1);
    memset(c, 0, (nn * nn + 1) * sizeof *c);
    for (int i = 0; i < n; i++)
        if (!held[i]) free[m++] = i;
    size_t mm = (size_t)m;
    a = arena_array(&j->a, double, mm *mm + 1);
    u = arena_array(&j->a, double, mm *mm + 1);
    vt = arena_array(&j->a, double, mm *mm + 1);
    sigma = arena_array(&j->a, double, mm + 1);
    covariance = arena_array(&j->a, double, mm *mm + 1);
    for (int i = 0; i < m; i++) scale[i] = sqrt(s->h[free[i] + free[i] * n]);
    double most = 0;
    for (int i = 0; i < m; i++) most = fmax(most, scale[i]);
    for (int i = 0; i < m; i++)
        if (!(scale[i] > 1e-12 * most)) scale[i] = most > 0 ? most : 1; // it is not seen at all
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            a[i + k * m] = s->h[free[i] + free[k] * n] / (scale[i] * scale[k]);
    double *work = arena_array(&j->a, double, la_svd_work(m > 0 ? m : 1, m > 0 ? m : 1));
    if (!m || la_svd(m, m, a, sigma, u, vt, work)) return;
    memset(covariance, 0, (mm * mm + 1) * sizeof *covariance);
    for (int k = 0; k < m; k++) {
        if (!(sigma[k] > UNSEEN * sigma[0])) {
            double *v = arena_array(&j->a, double, nn + 1);
            memset(v, 0, nn * sizeof *v);
            for (int i = 0; i < m; i++) v[free[i]] = u[i + k * m] / scale[i];
            unseen[j->told.n_unseen++] = combination(j, v);
            continue;
        }
        for (int i = 0; i < m; i++)
            for (int q = 0; q < m; q++)
                covariance[i + q * m] += u[i + k * m] * u[q + k * m] / sigma[k];
    }
    for (int k = 0; k < m; k++) {
        bool seen = true;
        for (int q = 0; q < m; q++)
            if (!(sigma[q] > UNSEEN * sigma[0]) && fabs(u[k + q * m]) > 1e-3) seen = false;
        vinc_fit_parameter *x = &j->list[free[k]];
        if (!seen) continue;
        const double NORMAL_95 = 1.959963984540054;
        const fit_parameter *of = NULL;
        for (int i = 0; i < j->p.n_parameters; i++)
            if (j->p.parameters[i].number == free[k]) of = &j->p.parameters[i];
        x->error = sqrt(covariance[k + k * m]) / scale[k];
        x->low = fit_unscaled(of, s->x[free[k]] - NORMAL_95 * x->error);
        x->high = fit_unscaled(of, s->x[free[k]] + NORMAL_95 * x->error);
        for (int q = 0; q < m; q++)
            c[free[k] + free[q] * n] =
                covariance[k + q * m] / sqrt(covariance[k + k * m] * covariance[q + q * m]);
    }
    j->told.n_shared = n;
    j->told.correlation = c;
    j->told.unseen = unseen;
}

/* ---- report ---------------------------------------------------------------------------------- */

static const told_field parameter_fields[] = {
    TOLD(vinc_fit_parameter, WORD, "name", name),
    TOLD(vinc_fit_parameter, REAL, "value", value),
    TOLD(vinc_fit_parameter, REAL, "start", start),
    TOLD(vinc_fit_parameter, REAL, "lower", lower),
    TOLD(vinc_fit_parameter, REAL, "upper", upper),
    TOLD(vinc_fit_parameter, BOOL, "log", log),
    TOLD(vinc_fit_parameter, REAL, "error", error),
    TOLD(vinc_fit_parameter, REAL, "low", low),
    TOLD(vinc_fit_parameter, REAL, "high", high),
    TOLD(vinc_fit_parameter, REAL, "gradient", gradient),
    TOLD(vinc_fit_parameter, BOOL, "at_bound", at_bound),
    TOLD(vinc_fit_parameter, REAL, "profile_low", profile_low),
    TOLD(vinc_fit_parameter, REAL, "profile_high", profile_high),
    {0},
};

static const told_field fit_wall_fields[] = {
    TOLD(vinc_fit, REAL, "ready", wall_ready),
    TOLD(vinc_fit, REAL, "search", wall_search),
    {0},
};

static const told_field fit_fields[] = {
    TOLD(vinc_fit, WORD, "model", model),
    TOLD(vinc_fit, BOOL, "evaluated", evaluated),
    TOLD_LIST(vinc_fit, ROWS, "parameters", parameters, n_parameters, .inside = parameter_fields,
              .size = sizeof(vinc_fit_parameter)),
    TOLD(vinc_fit, INT, "data", n_data),
    TOLD(vinc_fit, INT, "conditions", n_conditions),
    TOLD(vinc_fit, REAL, "log_likelihood", log_likelihood),
    TOLD(vinc_fit, REAL, "log_likelihood_at_start", log_likelihood_at_start),
    TOLD(vinc_fit, REAL, "squares", squares),
    TOLD(vinc_fit, BOOL, "converged", converged),
    TOLD(vinc_fit, INT, "iterations", iterations),
    TOLD(vinc_fit, INT, "evaluations", evaluations),
    TOLD(vinc_fit, INT, "starts", n_starts),
    TOLD(vinc_fit, INT, "starts_at_this_optimum", n_starts_same),
    {.key = "correlation",
     .type = TOLD_MATRIX,
     .at = offsetof(vinc_fit, correlation),
     .count = offsetof(vinc_fit, n_shared),
     .columns = offsetof(vinc_fit, n_shared)},
    TOLD_LIST(vinc_fit, WORDS, "unseen", unseen, n_unseen),
    TOLD(vinc_fit, WORD, "modification", modification),
    TOLD(vinc_fit, WORD, "why", why),
    TOLD_IN("wall_s", fit_wall_fields),
    TOLD(vinc_fit, WORD, "chart", chart, .flags = TOLD_CHART),
    {0},
};

static void say_fit(const void *told, vinc_format format, text *o)
{
    const vinc_fit *x = told;
    (void)format;
    text_printf(o, "%s: %s to %d values in %d condition%s\n", x->model,
                x->evaluated ? "likelihood, held against the data:" : "fitted", x->n_data,
                x->n_conditions, x->n_conditions == 1 ? "" : "s");
    text_printf(o, "  log-likelihood  %.12g", x->log_likelihood);
    if (!x->evaluated) text_printf(o, " (at the start %.6g)", x->log_likelihood_at_start);
    text_printf(o, "\n  squares         %.6g: sum of squared residuals over their deviations\n",
                x->squares);
    if (!x->evaluated)
        text_printf(o, "  search          %s, %d iterations, %d evaluations\n",
                    x->converged ? "converged" : x->why, x->iterations, x->evaluations);
    if (!x->evaluated && x->n_starts == 1)
        text_add(
            o,
            "  starts          1: this optimum is the one in whose reach the search began; others "
            "are looked for by --starts N\n");
    if (x->n_starts > 1)
        text_printf(o, "  starts          %d, of which %d ended at this optimum\n", x->n_starts,
                    x->n_starts_same);
    text_printf(o, "  %-22s %14s %12s %26s %11s\n", "parameter", "value", "error", "95 percent",
                "gradient");
    for (int i = 0; i < x->n_parameters; i++) {
        const vinc_fit_parameter *q = &x->parameters[i];
        char range[60] = "not seen";
        if (!isnan(q->error)) snprintf(range, sizeof range, "%.5g ... %.5g", q->low, q->high);
        if (q->at_bound) snprintf(range, sizeof range, "at its bound");
        text_printf(o, "  %-22s %14.8g %12.4g %26s %11.3g%s\n", q->name, q->value, q->error, range,
                    q->gradient, q->log ? "  log10" : "");
    }
    for (int i = 0; i < x->n_parameters; i++) {
        const vinc_fit_parameter *q = &x->parameters[i];
        if (isnan(q->profile_low)) continue;
        text_printf(o, "  profile of %-22s ", q->name);
        if (isinf(q->profile_low)) text_add(o, "open below");
        else text_printf(o, "%.5g", q->profile_low);
        if (isinf(q->profile_high)) text_add(o, " ... open above\n");
        else text_printf(o, " ... %.5g\n", q->profile_high);
    }
    for (int i = 0; i < x->n_unseen; i++)
        text_printf(o, "  the data do not show  %s\n", x->unseen[i]);
    for (int i = 0; i < x->n_shared; i++)
        for (int k = 0; k < i; k++)
            if (fabs(x->correlation[i + k * x->n_shared]) > 0.95)
                text_printf(o, "  correlation of %s and %s: %.4f\n", x->parameters[i].name,
                            x->parameters[k].name, x->correlation[i + k * x->n_shared]);
    text_printf(o, "  %s\n", x->modification);
}

static const told_line fit_lines[] = {
    {.say = say_fit},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind study_fit = {
    .name = "fit",
    .command = "fit",
    .summary =
        "parameters by the likelihood of data: values, errors, correlation, what is not seen",
    .size = sizeof(vinc_fit),
    .fields = fit_fields,
    .lines = fit_lines,
};

static void write_modification(fit_job *j)
{
    fit_problem *p = &j->p;
    text *t = fit_words(p);
    int n = 0;
    text_printf(t, "%s(", p->plain->flat->name);
    for (int i = 0; i < j->told.n_parameters; i++)
        if (fit_in_model(p, j->list[i].name)) {
            text_add(t, n++ ? ", " : "");
            fit_setting_text(p, j->list[i].name, j->list[i].value, t);
        }
    text_add(t, ")");
    j->told.modification = arena_strndup(&j->a, text_str(t), t->n);
}

static int deliver(fit_job *j, fit_search *s, const fit_end *best, const double *start)
{
    fit_problem *p = &j->p;
    vinc_fit *x = &j->told;
    size_t n = (size_t)p->n_data;
    double *model = arena_array(&j->a, double, n + 1), *sd = arena_array(&j->a, double, n + 1);
    fit_value v = {.g = s->g, .h = s->h, .model = model, .sd = sd};
    memcpy(s->x, best->x, (size_t)s->n * sizeof *s->x);
    double began = watch_clock();
    int rc = fit_evaluate(s->runs, s->x, &v);
    if (x->evaluated) x->wall_search = watch_clock() - began;
    if (rc)
        return fit_fail(p->ctx, "C198", "the likelihood has no value: %s", fit_failure(s->runs));
    x->model = p->plain->flat->name;
    x->n_data = p->n_data;
    for (int k = 0; k < p->n_cases; k++) x->n_conditions += p->cases[k].n_data > 0;
    x->log_likelihood = -v.f;
    x->n_parameters = s->n;
    x->parameters = j->list = arena_array(&j->a, vinc_fit_parameter, s->n + 1);
    for (int i = 0; i < p->n_parameters; i++) {
        const fit_parameter *q = &p->parameters[i];
        if (q->number < 0) continue;
        double at = s->x[q->number];
        j->list[q->number] = (vinc_fit_parameter){.name = q->name,
                                                  .value = fit_unscaled(q, at),
                                                  .start = fit_unscaled(q, start[q->number]),
                                                  .lower = q->lower,
                                                  .upper = q->upper,
                                                  .log = q->log,
                                                  .error = NAN,
                                                  .low = NAN,
                                                  .high = NAN,
                                                  .profile_low = NAN,
                                                  .profile_high = NAN,
                                                  .gradient = v.g[q->number],
                                                  .at_bound = at <= s->lower[q->number] ||
                                                              at >= s->upper[q->number]};
    }
    int number = 0;
    for (int k = 0; k < p->n_cases; number += p->cases[k].n_data, k++)
        for (int i = 0; i < p->cases[k].n_data; i++) {
            const fit_datum *d = &p->cases[k].data[i];
            const fit_observable *q = &p->observables[d->observable];
            double e = q->scale == FIT_LIN ? d->value - model[number + i]
                                           : log(d->value / model[number + i]);
            if (q->scale == FIT_LOG10) e /= log(10);
            x->squares += e * e / (sd[number + i] * sd[number + i]);
        }
    hold_bounds(s);
    judge(j, s, s->held);
    write_modification(j);
    if (j->o->profile && !j->o->evaluate) rc = fit_profiles(s, v.f, j->list, &j->curves);
    if (rc || (!j->o->plot && !j->o->report)) return rc;
    fit_picture picture = {.p = p,
                           .runs = s->runs,
                           .x = s->x,
                           .model = model,
                           .sd = sd,
                           .told = x,
                           .profiles = j->curves,
                           .figure = &j->figure};
    rc = fit_trace(&picture);
    if (!rc && j->o->report) rc = fit_page(&picture, j->o->report);
    if (rc || !j->o->plot) return rc;
    plot_figure *f = fit_draw(&picture, FIT_ALL);
    j->figure = NULL;
    return study_write_figure(p->ctx, j->o->plot, f, &j->model->out, &x->chart);
}

static int fit_all(void *job)
{
    fit_job *j = job;
    fit_problem *p = &j->p;
    vinc_fit *x = &j->told;
    double began = watch_clock();
    int rc = fit_read(p);
    if (rc) return rc;
    if (!p->n_estimated) return fit_fail(p->ctx, "C187", "no parameter is to be estimated");
    int starts = j->o->evaluate ? 1 : j->o->starts > 1 ? j->o->starts : 1;
    if (starts > STARTS_MAX) return fit_fail(p->ctx, "C187", "%d starts are too many", starts);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = j->o->threads > 0 ? j->o->threads : cpus > 0 ? (int)cpus : 1;
    int searches = threads < starts ? threads : starts, each = threads / searches;
    fit_search *s = arena_array(&j->a, fit_search, searches);
    j->runs = arena_array(&j->a, fit_runs *, searches);
    memset(j->runs, 0, (size_t)searches * sizeof *j->runs);
    for (int i = 0; i < searches; i++) {
        search_new(&s[i], p);
        rc = fit_runs_new(p, each, &j->runs[j->n_runs++]);
        if (rc) return rc;
        s[i].runs = j->runs[i];
    }
    double *start = arena_array(&j->a, double, p->n_estimated + 1);
    fit_end *ends = arena_array(&j->a, fit_end, starts);
    for (int i = 0; i < starts; i++)
        ends[i] = (fit_end){.status = -1, .x = arena_array(&j->a, double, p->n_estimated + 1)};
    start_at(p, 0, start);
    x->evaluated = j->o->evaluate != 0;
    x->wall_ready = watch_clock() - began;
    if (j->o->evaluate) {
        memcpy(ends[0].x, start, (size_t)p->n_estimated * sizeof *start);
        return deliver(j, s, &ends[0], start);
    }
    fit_team team = {.p = p,
                     .searches = s,
                     .ends = ends,
                     .n_starts = starts,
                     .most = j->o->max_iterations > 0 ? j->o->max_iterations : ITERATIONS_USUAL};
    began = watch_clock();
    rc = search_all(&team, searches);
    x->wall_search = watch_clock() - began;
    int heeded = api_heed(p->ctx);
    if (rc || heeded) return heeded ? heeded : rc;
    const fit_end *best = NULL;
    for (int i = 0; i < starts; i++) {
        x->iterations += ends[i].iterations;
        x->evaluations += ends[i].evaluations;
        if (ends[i].status < 0) continue;
        x->n_starts++;
        if (!best || ends[i].f < best->f) best = &ends[i];
    }
    if (!best)
        return fit_fail(p->ctx, "C198", "the likelihood has no value where the search begins: %s",
                        fit_failure(s->runs));
    for (int i = 0; i < starts; i++)
        x->n_starts_same +=
            ends[i].status >= 0 && ends[i].f <= best->f + SAME_OPTIMUM * (fabs(best->f) + 1);
    x->log_likelihood_at_start = -ends[0].f_start;
    x->converged = best->status == 0;
    if (!x->converged)
        x->why = "not converged: the iterations ran out; begin once more with these values, or "
                 "allow more (--iterations)";
    return deliver(j, s, best, start);
}

static int fit_tell(void *job)
{
    fit_job *j = job;
    int rc = fit_all(j);
    return rc ? rc : told_keep(&j->model->ctx->lasting, &study_fit, &j->told, j->out);
}

int vinc_fit_of(vinc_model *model, const vinc_fit_options *options, vinc_fit **out)
{
    if (out) *out = NULL;
    if (!model) return VINC_E_OPTION;
    if (!out || !options || !options->data)
        return api_lacks(model->ctx, "data and a place for the report");
    fit_job j = {.model = model, .o = options, .out = out};
    arena_init(&j.a, &model->ctx->m);
    j.p = (fit_problem){.ctx = model->ctx, .a = &j.a, .plain = model, .o = options};
    text_init(&j.p.words, &model->ctx->m);
    text_clear(&model->out);
    int rc = api_guarded(model->ctx, fit_tell, &j);
    for (int i = 0; i < j.n_runs; i++) fit_runs_free(j.runs[i]);
    vinc_model_free(j.p.model);
    plot_free(j.figure);
    text_done(&j.p.words);
    arena_done(&j.a);
    return rc;
}
