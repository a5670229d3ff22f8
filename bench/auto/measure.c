/* One run: digits at all output points, microseconds, counted work.
 *
 * Digits are those of the worst value: -log10 max |y - reference| / (|reference| + nominal) over the
 * states and AUTO_ROWS points in time. The reference is a run of ours at a tolerance of 3e-13; as many
 * digits of it are believed as another one, of another method or at 1e-12, agrees with.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vincolo.h>
#include <vincolo_report.h>

static const double TOL_REFERENCE = 3e-13, TOL_CHECK = 1e-12;
/* Start values and AUTO_ROWS rows, which are not counted: as seen in the times of the shortest runs. */
static const double WORK_OF_RUN = 2e4;
static const double SECONDS_MOST = 60; // of a run: so long is none that gets there

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int new_sim(auto_bench *b, const char *method, const char *formulation, double tol,
                   long max_steps, vinc_sim **sim)
{
    const auto_problem *p = b->p;
    vinc_sim_options o = {.method = method,
                          .formulation = formulation && *formulation ? formulation : NULL,
                          .rel_tol = tol,
                          .abs_tol = p->abs_tol > 0 ? p->abs_tol : tol,
                          .has_stop = p->stop > 0,
                          .t_stop = p->stop,
                          .intervals = AUTO_ROWS,
                          .max_time = SECONDS_MOST,
                          .max_steps = max_steps ? max_steps : 1000000};
    int rc = vinc_sim_new(b->model, &o, sim);
    for (int i = 0; i < p->n_settings && !rc; i++)
        rc = vinc_sim_set(*sim, p->setting[i].name, p->setting[i].value);
    return rc;
}

/* ---- the reference --------------------------------------------------------------------------- */

static double nominal_of(const auto_bench *b, const char *name)
{
    vinc_variable v;
    for (int i = 0; i < vinc_model_n_variables(b->model); i++)
        if (!vinc_model_variable(b->model, i, &v) && !strcmp(v.name, name)) return v.nominal;
    return 1;
}

/* States are those whose derivative is a column, too. Where all that is differentiated was replaced, as contents of pipes are
 * by pressures and enthalpies, and where nothing is, every variable counts as one. */
static void find_states(auto_bench *b, vinc_result *r, bool all)
{
    int n = vinc_result_n_columns(r);
    for (int i = 1; i < n; i++) {
        vinc_column c;
        char der[600];
        if (vinc_result_column(r, i, &c) || c.type != VINC_REAL || c.n <= 1) continue;
        snprintf(der, sizeof der, "der(%s)", c.name);
        if (!all && vinc_result_find(r, der) < 0) continue;
        b->nominal[b->n_states] = fmax(nominal_of(b, c.name), 1e-300);
        b->states[b->n_states++] = strdup(c.name);
    }
}

static double row_time(const auto_bench *b, int k)
{
    return b->t_start + (b->t_stop - b->t_start) * k / AUTO_ROWS;
}

static void take_rows(const auto_bench *b, vinc_result *r, double *out)
{
    for (int k = 0; k < AUTO_ROWS; k++)
        for (int i = 0; i < b->n_states; i++)
            out[k * b->n_states + i] = vinc_result_at(r, b->states[i], row_time(b, k + 1));
}

static double digits_of(const auto_bench *b, vinc_result *r)
{
    double worst = 1e-16;
    for (int k = 0; k < AUTO_ROWS; k++)
        for (int i = 0; i < b->n_states; i++) {
            double x = b->reference[k * b->n_states + i];
            double e = fabs(vinc_result_at(r, b->states[i], row_time(b, k + 1)) - x) /
                       (fabs(x) + b->nominal[i]);
            if (!(e <= worst)) worst = e;
        }
    return isfinite(worst) ? -log10(worst) : -INFINITY;
}

static bool make_reference(auto_bench *b)
{
    static const char *const by[] = {"radau", "dopri8", "bdf", "radau5"};
    static const char *const check[] = {"dopri8", "radau", "radau5", "bdf"};
    vinc_sim *sim = NULL;
    const char *used = NULL;
    for (size_t k = 0; k < sizeof by / sizeof *by && !used; k++) {
        vinc_sim_free(sim);
        sim = NULL;
        if (!new_sim(b, by[k], b->p->formulation, TOL_REFERENCE, 0, &sim) && !vinc_sim_run(sim))
            used = by[k];
        else vinc_ctx_clear(b->ctx);
    }
    if (used) {
        vinc_result *r = vinc_sim_result(sim);
        vinc_column c;
        vinc_result_column(r, 0, &c);
        b->t_start = c.values[0];
        b->t_stop = c.values[c.n - 1];
        size_t n = (size_t)vinc_result_n_columns(r) + 1;
        b->states = calloc(n, sizeof *b->states);
        b->nominal = calloc(n, sizeof *b->nominal);
        find_states(b, r, false);
        if (!b->n_states) find_states(b, r, true);
        b->reference = calloc((size_t)(b->n_states * AUTO_ROWS) + 1, sizeof *b->reference);
        take_rows(b, r, b->reference);
    }
    vinc_sim_free(sim);
    for (size_t k = 0; used && k < sizeof check / sizeof *check && b->known < 10; k++) {
        auto_point q = auto_measure(b, check[k], b->p->formulation, TOL_CHECK, 200000, 1);
        if (!q.status) b->known = fmax(b->known, q.digits);
        vinc_ctx_clear(b->ctx);
    }
    return used && b->n_states;
}

bool auto_open(auto_bench *b, const auto_problem *p, const char *library)
{
    *b = (auto_bench){.p = p, .ctx = vinc_ctx_new(NULL)};
    vinc_ctx_add_path(b->ctx, "lib");
    if (library) vinc_ctx_add_path(b->ctx, library);
    const char *name = *p->class_name ? p->class_name : NULL;
    int rc = p->text
                 ? vinc_model_load_text(b->ctx, p->name, p->text, strlen(p->text), NULL, &b->model)
                 : vinc_model_load(b->ctx, p->file, name, &b->model);
    if (!rc && make_reference(b)) return true;
    printf("%-9s %-22s %s\n", p->set, p->name, rc ? "does not load" : "has no reference");
    return false;
}

void auto_close(auto_bench *b)
{
    for (int i = 0; i < b->n_states; i++) free(b->states[i]);
    free(b->states);
    free(b->nominal);
    free(b->reference);
    vinc_model_free(b->model);
    vinc_ctx_free(b->ctx);
}

/* ---- a run ----------------------------------------------------------------------------------- */

auto_point auto_measure(auto_bench *b, const char *method, const char *formulation, double tol,
                        long max_steps, int runs)
{
    const double enough = 2e-3; // seconds of measuring
    enum { MOST_RUNS = 40 };
    auto_point r = {.tol = tol, .digits = -INFINITY, .us = INFINITY, .work = INFINITY};
    vinc_sim *sim = NULL;
    vinc_sim_stats s = {0};
    double spent = 0;
    r.status = new_sim(b, method, formulation, tol, max_steps, &sim);
    for (int k = 0; !r.status && k < MOST_RUNS && (k < runs || (runs > 1 && spent < enough)); k++) {
        double begin = cpu();
        r.status = vinc_sim_run(sim);
        double used = cpu() - begin;
        vinc_sim_statistics(sim, &s);
        r.us = fmin(r.us, 1e6 * fmin(s.wall_integrate, used));
        spent += used;
        if (spent > 0.5) break;
    }
    if (!r.status) {
        vinc_run *run = NULL;
        r.digits = digits_of(b, vinc_sim_result(sim));
        if (!vinc_run_of(sim, &run) && run->method)
            snprintf(r.method, sizeof r.method, "%s", run->method);
        vinc_report_free(run);
        r.work = s.work + WORK_OF_RUN;
    }
    r.steps = s.steps;
    r.rejected = s.rejected;
    r.evals = s.residual_evals;
    r.jacobians = s.jacobian_evals;
    r.factorizations = s.factorizations;
    vinc_sim_free(sim);
    return r;
}
