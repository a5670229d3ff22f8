/* One run: digits and microseconds.
 *
 * digits: mescd = -log10 max |y - y_ref| / (atol/rtol + |y_ref|) over the counted components (F.
 * Mazzia & C. Magherini, Test Set for IVP Solvers, release 2.4, part I).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vincolo.h>

struct ivp_reference {
    char variable[40];
    double t, value, scale;
};

static bool read_row(const char *line, const char *problem, struct ivp_reference *r)
{
    char id[32], source[32];
    int used = 0, counted = 0;
    if (sscanf(line, "%31[^,],%lf,%n", id, &r->t, &used) != 2 || !used || strcmp(id, problem))
        return false;
    const char *rest = line + used;
    bool quoted = *rest == '"';
    const char *end = quoted ? strchr(++rest, '"') : strchr(rest, ',');
    if (!end || (size_t)(end - rest) >= sizeof r->variable) return false;
    memcpy(r->variable, rest, (size_t)(end - rest));
    r->variable[end - rest] = 0;
    return sscanf(end + quoted, ",%lf,%d,%lf,%31s", &r->value, &counted, &r->scale, source) == 4 &&
           counted;
}

static int read_reference(ivp_bench *b)
{
    char path[500], line[300];
    snprintf(path, sizeof path, "%s/reference.csv", b->folder);
    FILE *f = fopen(path, "r");
    if (!f) return fprintf(stderr, "cannot read %s\n", path), VINC_E_OPTION;
    struct ivp_reference r;
    while (fgets(line, sizeof line, f)) {
        if (!read_row(line, b->p->file, &r)) continue;
        b->reference = realloc(b->reference, (size_t)(b->n_reference + 1) * sizeof r);
        if (!b->reference) abort();
        b->reference[b->n_reference++] = r;
    }
    fclose(f);
    return b->n_reference ? VINC_OK : VINC_E_OPTION;
}

int ivp_open(ivp_bench *b, const char *folder, const ivp_problem *p)
{
    char path[500];
    *b = (ivp_bench){.folder = folder, .p = p, .ctx = vinc_ctx_new(NULL)};
    snprintf(path, sizeof path, "%s/%s.mo", folder, p->file);
    int rc = read_reference(b);
    if (!rc) rc = vinc_model_load(b->ctx, path, NULL, &b->model);
    if (rc) fprintf(stderr, "%s: %s", p->name, vinc_ctx_messages(b->ctx));
    return rc;
}

void ivp_close(ivp_bench *b)
{
    vinc_model_free(b->model);
    vinc_ctx_free(b->ctx);
    free(b->reference);
}

static double digits(const ivp_bench *b, double abs_over_rel, vinc_result *result)
{
    double worst = b->p->least_error;
    for (int i = 0; i < b->n_reference; i++) {
        const struct ivp_reference *r = &b->reference[i];
        double e = fabs(vinc_result_at(result, r->variable, r->t) - r->value) /
                   (abs_over_rel * r->scale + fabs(r->value));
        if (!(e <= worst)) worst = e;
    }
    return isfinite(worst) ? -log10(fmax(worst, 1e-17)) : -INFINITY;
}

// The method that ran.
static void method_name(vinc_sim *sim, char *name, size_t size)
{
    vinc_run *run = NULL;
    snprintf(name, size, "%s", !vinc_run_of(sim, &run) && run->method ? run->method : "?");
    vinc_report_free(run);
}

// Seconds of this thread: what other programs take does not count.
static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ivp_point ivp_measure(ivp_bench *b, const char *method, const char *formulation, double tol)
{
    enum { MOST_RUNS = 60, FEWEST_RUNS = 3 };
    const double enough_us = 4e4, too_long_us = 4e5; // of measuring
    double abs_tol = b->p->abs_tol > 0 ? b->p->abs_tol : tol;
    vinc_sim_options o = {.method = method,
                          .formulation = formulation,
                          .rel_tol = tol,
                          .abs_tol = abs_tol,
                          .intervals = b->rows ? b->rows : 1,
                          .max_steps = 1000000};
    ivp_point r = {.tol = tol, .digits = -INFINITY, .us = INFINITY};
    vinc_sim *sim = NULL;
    vinc_sim_stats s = {0};
    r.status = vinc_sim_new(b->model, &o, &sim);
    double spent = 0;
    for (int k = 0; !r.status; k++) {
        if (b->runs ? k >= b->runs : k >= MOST_RUNS) break;
        if (!b->runs && k && spent > (k < FEWEST_RUNS ? too_long_us : enough_us)) break;
        double begin = cpu();
        r.status = vinc_sim_run(sim);
        double used = cpu() - begin; // start values included
        vinc_sim_statistics(sim, &s);
        r.us = fmin(r.us, 1e6 * fmin(s.wall_integrate, used));
        spent += 1e6 * s.wall_integrate;
    }
    if (!r.status) {
        r.digits = digits(b, abs_tol / tol, vinc_sim_result(sim));
        method_name(sim, r.method, sizeof r.method);
        b->ready_ms =
            1e3 * (s.wall_parse + s.wall_flatten + s.wall_structure + s.wall_compile + s.wall_init);
    }
    r.steps = s.steps;
    r.rejected = s.rejected;
    r.evals = s.residual_evals;
    r.jacobians = s.jacobian_evals;
    r.factorizations = s.factorizations;
    vinc_sim_free(sim);
    return r;
}
