/* Random models with known solutions, solved in several ways that must agree.
 *
 *     differential N SEED FOLDER     N models; those with a disagreement are kept in FOLDER
 *     differential -1 K SEED         the K-th of them, printed, with all its errors
 *
 * Machine code and interpreter give the same bits. The formulations, and the tenth of a tolerance,
 * give the known solution to within a multiple of the tolerance.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "random_model.h"
#include "trials.h"

#include "api/api.h"
#include "code/model_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Errors are measured in units of tolerance times (1 + |x|). In 7000 models the largest was
 * 61, and 281 of `direct`; a bound of 300 leaves room for worse conditioned ones. `direct` controls states and
 * positions; algebraic unknowns come out of its steps as they are, velocities of index 3 and
 * multipliers are derivatives of those, and what switches at them may switch too often. */
typedef struct way {
    const char *name, *formulation;
    double tolerance, bound, bound_of_multipliers;
    bool controls_all;
} way;

static const way ways[] = {
    {"as chosen", NULL, 1e-6, 300, 300, true},
    {"tenth of the tolerance", NULL, 1e-7, 300, 300, true},
    {"dummy", "dummy", 1e-6, 300, 300, true},
    {"project", "project", 1e-6, 300, 300, true},
    {"direct", "direct", 1e-6, 300, INFINITY, false},
};
enum { WAYS = sizeof ways / sizeof *ways, WORDS = 600 };

/* What the processes share. */
typedef struct ledger {
    trials at;
    char words[WORDS]; // of the last disagreement
    double worst[WAYS], worst_multiplier[WAYS];
    long models[4], disagree, failed, crashed, hung, left; // models: by index
} ledger;

typedef struct job {
    ledger *l;
    uint64_t seed;
    bool told; // print all errors
} job;

/* ---- one way --------------------------------------------------------------------------------- */

static int solve(vinc_model *model, const way *w, vinc_sim **sim)
{
    vinc_sim_options o = {.formulation = w->formulation,
                          .has_start = 1,
                          .has_stop = 1,
                          .t_stop = RANDOM_STOP,
                          .rel_tol = w->tolerance,
                          .intervals = RANDOM_ROWS};
    int rc = vinc_sim_new(model, &o, sim);
    return rc ? rc : vinc_sim_run(*sim);
}

static bool compare_with_solution(job *j, const random_model *r, vinc_sim *sim, int k)
{
    const way *w = &ways[k];
    bool agrees = true;
    for (int i = 0; i < random_model_n(r); i++) {
        bool multiplier = random_model_is_multiplier(r, i);
        if (!w->controls_all && !random_model_is_controlled(r, i)) continue;
        double bound = multiplier ? w->bound_of_multipliers : w->bound;
        double *worst = multiplier ? &j->l->worst_multiplier[k] : &j->l->worst[k], most = 0;
        for (int row = 0; row <= RANDOM_ROWS; row++) {
            double t = RANDOM_STOP * row / RANDOM_ROWS, x = random_model_value(r, i, t);
            double y = vinc_result_at(vinc_sim_result(sim), random_model_name(r, i), t);
            double error = fabs(y - x) / (w->tolerance * (1 + fabs(x)));
            if (!(error <= bound) && agrees) {
                agrees = false;
                snprintf(j->l->words, WORDS, "%s: %s(%g) = %.12g, not %.12g: %.3g tolerances",
                         w->name, random_model_name(r, i), t, y, x, error);
            }
            if (!(error <= most)) most = error;
        }
        if (!(most <= *worst)) *worst = most;
        if (j->told)
            printf("%-24s %-12s %10.3g tolerances\n", w->name, random_model_name(r, i), most);
    }
    return agrees;
}

/* ---- the interpreter ------------------------------------------------------------------------- */

static void interpret(code_model *x)
{
    for (int k = 0; k < x->functions->all.n; k++) {
        code_fn *f = x->functions->all.at[k].f;
        tape_code_free(f->code);
        tape_options o = {.target = &target_interpreter};
        if (tape_compile_program(f->program, &o, x->m, &f->code)) abort();
        size_t n = tape_code_scratch(f->code);
        if (n > x->scratch) x->scratch = n;
    }
}

static bool same_bits(job *j, vinc_result *a, vinc_result *b)
{
    for (int i = 0; i < vinc_result_n_columns(a); i++) {
        vinc_column x, y;
        if (vinc_result_column(a, i, &x) || vinc_result_column(b, i, &y)) return false;
        if (x.n == y.n && !memcmp(x.values, y.values, x.n * sizeof *x.values)) continue;
        snprintf(j->l->words, WORDS, "interpreter: %s differs from machine code", x.name);
        return false;
    }
    return true;
}

/* ---- one model ------------------------------------------------------------------------------- */

static bool failed(job *j, const char *name, vinc_ctx *ctx)
{
    snprintf(j->l->words, WORDS, "%s: %.400s", name, vinc_ctx_messages(ctx));
    j->l->failed++;
    return false;
}

static bool all_ways(job *j, const random_model *r, vinc_ctx *ctx, vinc_model *model)
{
    bool agrees = true;
    vinc_sim *first = NULL, *again = NULL;
    for (int k = 0; k < WAYS && agrees; k++) {
        vinc_sim *sim = NULL;
        if (!ways[k].controls_all && random_model_switches_hidden(r)) continue;
        agrees = solve(model, &ways[k], &sim) ? failed(j, ways[k].name, ctx)
                                              : compare_with_solution(j, r, sim, k);
        if (k == 0) first = sim;
        else vinc_sim_free(sim);
    }
    if (agrees) {
        for (api_compiled *c = model->compiled; c; c = c->next) {
            interpret(c->code);
            if (c->code->initial != c->code) interpret(c->code->initial);
        }
        agrees = solve(model, &ways[0], &again)
                     ? failed(j, "interpreter", ctx)
                     : same_bits(j, vinc_sim_result(first), vinc_sim_result(again));
    }
    vinc_sim_free(first);
    vinc_sim_free(again);
    return agrees;
}

static random_model *model_of(uint64_t seed, long k, mem *m)
{
    dice d = dice_of(seed, (uint64_t)k);
    random_model *r = random_model_new(m, &d);
    if (!r) abort();
    return r;
}

static int one_model(void *user, long k)
{
    job *j = user;
    mem m = mem_std();
    random_model *r = model_of(j->seed, k, &m);
    const char *words = random_model_text(r);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    j->l->models[random_model_index(r)]++;
    bool agrees = vinc_model_load_text(ctx, "random.mo", words, strlen(words), NULL, &model)
                      ? failed(j, "load", ctx)
                      : all_ways(j, r, ctx, model);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    random_model_free(r);
    return !agrees;
}

/* ---- many ------------------------------------------------------------------------------------ */

static void keep(const job *j, const char *folder)
{
    char path[1000];
    mem m = mem_std();
    random_model *r = model_of(j->seed, j->l->at.k, &m);
    printf("model %ld: %s\n", j->l->at.k, j->l->words);
    snprintf(path, sizeof path, "%s/%llu-%ld.mo", folder, (unsigned long long)j->seed, j->l->at.k);
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "/* %s */\n%s", j->l->words, random_model_text(r));
        fclose(f);
    }
    random_model_free(r);
}

static void note(job *j, trials_end end, const char *folder)
{
    ledger *l = j->l;
    if (end == TRIALS_DONE) return;
    if (end == TRIALS_LEFT) {
        l->left++;
        printf("models up to %ld: memory left\n", l->at.k);
        return;
    }
    l->disagree += end == TRIALS_FAULT;
    l->crashed += end == TRIALS_CRASH;
    l->hung += end == TRIALS_HANG;
    if (end == TRIALS_CRASH) snprintf(l->words, WORDS, "crashed");
    if (end == TRIALS_HANG) snprintf(l->words, WORDS, "ran out of time");
    keep(j, folder);
    l->at.k++;
}

int main(int argc, char **argv)
{
    if (argc != 4) return fprintf(stderr, "differential N SEED FOLDER\n"), 2;
    ledger *l = trials_shared(sizeof *l);
    long n = atol(argv[1]), faults = 0;
    if (n < 0) {
        mem m = mem_std();
        job j = {.l = l, .seed = (uint64_t)atoll(argv[3]), .told = true};
        random_model *r = model_of(j.seed, atol(argv[2]), &m);
        fputs(random_model_text(r), stdout);
        random_model_free(r);
        if (one_model(&j, atol(argv[2]))) return puts(l->words), 1;
        return 0;
    }
    job j = {.l = l, .seed = (uint64_t)atoll(argv[2])};
    mkdir(argv[3], 0777);
    time_t begin = time(NULL);
    while (l->at.k < n) {
        trials_end end = trials_run(&l->at, n, one_model, &j);
        note(&j, end, argv[3]);
        faults += end != TRIALS_DONE;
    }
    printf("%ld models, seed %llu, %ld s: %ld of index 0 and 1, %ld of index 2, %ld of index 3\n",
           n, (unsigned long long)j.seed, (long)(time(NULL) - begin), l->models[1], l->models[2],
           l->models[3]);
    for (int k = 0; k < WAYS; k++)
        printf("  %-24s largest error %8.3g tolerances, of multipliers %8.3g\n", ways[k].name,
               l->worst[k], l->worst_multiplier[k]);
    printf("%ld disagree (of them %ld failed), %ld crashed, %ld ran out of time, memory left %ld "
           "times\n",
           l->disagree, l->failed, l->crashed, l->hung, l->left);
    return faults > 0;
}
