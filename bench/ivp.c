/* The test set of examples/ivp: digits earned and time taken, for each problem, method and
 * tolerance.
 *
 *     ivp [FOLDER] [METHODS] [PROBLEMS]      default: examples/ivp radau5,bdf all
 *
 * digits: mescd = -log10 max |y - y_ref| / (atol/rtol + |y_ref|) over the counted components (F.
 * Mazzia & C. Magherini, Test Set for IVP Solvers, release 2.4). A row is marked where a run earns
 * fewer than its requested digits minus two, or fewer than the run at the tolerance before it. Exit
 * status 1 if any row is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vincolo.h>

typedef struct problem {
    const char *name;
    double atol_over_rtol; // atol = this * rtol
    double atol;           // or this
} problem;

static const problem problems[] = {
    {"chemakzo", 1, 0}, {"transamp", 1, 0}, {"hires", 1, 0}, {"pollution", 1, 0},
    {"rober", 1e-4, 0}, {"orego", 1, 0},    {"vdpol", 1, 0}, {"e5", 0, 1.7e-24},
    {"caraxis", 1, 0},  {"andrews", 1, 0},  {"beam", 1, 0},
};

static const double tolerances[] = {1e-4, 1e-6, 1e-8};

// Component i (from 1) of the test set as a variable of the model.
static void component_name(const char *problem_name, int i, char *name, size_t size)
{
    if (strcmp(problem_name, "andrews") != 0) snprintf(name, size, "y[%d]", i);
    else if (i <= 7) snprintf(name, size, "q[%d]", i);
    else snprintf(name, size, "v[%d]", i - 7);
}

static double digits(FILE *reference, const problem *p, double rtol, vinc_result *result)
{
    char line[200], name[40];
    double worst = 0, shift = p->atol > 0 ? p->atol / rtol : p->atol_over_rtol;
    rewind(reference);
    while (fgets(line, sizeof line, reference)) {
        char id[32];
        double t, value;
        int i, counted;
        if (sscanf(line, "%31[^,],%lf,%d,%lf,%d", id, &t, &i, &value, &counted) != 5) continue;
        if (strcmp(id, p->name) != 0 || !counted) continue;
        component_name(p->name, i, name, sizeof name);
        double e = fabs(vinc_result_at(result, name, t) - value) / (shift + fabs(value));
        if (!(e <= worst)) worst = e;
    }
    return -log10(worst > 1e-17 ? worst : 1e-17);
}

typedef struct outcome {
    int status;
    double digits, seconds;
    vinc_sim_stats stats;
} outcome;

static outcome run(const char *folder, FILE *reference, const problem *p, const char *method,
                   double rtol)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s.mo", folder, p->name);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.method = method,
                          .rel_tol = rtol,
                          .abs_tol = p->atol > 0 ? p->atol : p->atol_over_rtol * rtol,
                          .intervals = 1,
                          .max_steps = 1000000};
    outcome r = {.digits = NAN};
    r.status = vinc_model_load(ctx, path, NULL, &model);
    if (!r.status) r.status = vinc_sim_new(model, &o, &sim);
    if (!r.status) r.status = vinc_sim_run(sim);
    if (!r.status) r.digits = digits(reference, p, rtol, vinc_sim_result(sim));
    if (sim) vinc_sim_statistics(sim, &r.stats);
    if (r.status) fprintf(stderr, "%s %s %g: %s", p->name, method, rtol, vinc_ctx_messages(ctx));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return r;
}

static int listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; p; p = strchr(p, ','), p = p ? p + 1 : NULL)
        if (strncmp(p, name, n) == 0 && (p[n] == 0 || p[n] == ',')) return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "examples/ivp",
               *methods = argc > 2 ? argv[2] : "radau5,bdf";
    char path[500];
    snprintf(path, sizeof path, "%s/reference.csv", folder);
    FILE *reference = fopen(path, "r");
    if (!reference) return fprintf(stderr, "cannot read %s\n", path), 2;
    int bad = 0;
    printf("%-10s %-7s %6s %7s %7s %6s %9s %6s %10s\n", "problem", "method", "rtol", "digits",
           "steps", "rej.", "evals", "LU", "run us");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (argc > 3 && !listed(argv[3], problems[i].name)) continue;
        char *list = strdup(methods), *save = NULL;
        for (char *m = strtok_r(list, ",", &save); m; m = strtok_r(NULL, ",", &save)) {
            double before = -INFINITY;
            for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
                outcome r = run(folder, reference, &problems[i], m, tolerances[k]);
                int low = !(r.digits >= -log10(tolerances[k]) - 2), worse = !(r.digits > before);
                bad += low || worse;
                printf("%-10s %-7s %6.0e %7.2f %7ld %6ld %9ld %6ld %10.0f %s\n", problems[i].name,
                       m, tolerances[k], r.digits, r.stats.steps, r.stats.rejected,
                       r.stats.residual_evals, r.stats.factorizations, 1e6 * r.stats.wall_integrate,
                       low     ? "<- fewer digits"
                       : worse ? "<- no gain"
                               : "");
                before = r.digits;
            }
        }
        free(list);
    }
    printf("%d rows fall short\n", bad);
    fclose(reference);
    return bad > 0;
}
