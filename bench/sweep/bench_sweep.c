/* Ensembles from Modelica text, beside the same written by hand, on one core, on all of them, and on a
 * GPU where there is one.
 *
 *     bench_sweep FOLDER [THREADS [PART [TEXTS [ONLY]]]]
 *
 * The models are in FOLDER; PART of the numbers of runs; the kernels are written to the folder TEXTS ("":
 * they are not); ONLY those whose file has this in its name.
 *
 * Every end value that the GPU gives is held against the processor's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "api/run.h"
#include "by_hand.h"
#include "ensemble/ens_ptx.h"
#include "ensemble/ensemble.h"
#include "ensemble/gpu.h"
#include "ensemble/lanes.h"
#include "run/verbs.h"
#include "target/ptx_math.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static int n_threads = 1;
static double part = 1;
static const char *texts;
static mem plain;

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct workload {
    const char *title, *file;
    ensemble_options o;
    const char *columns[8];
    double low[4], high[4]; // of what is varied
    bool random;            // or evenly spread (one that varies)
    size_t n;
    double size; // relative differences are of values at least this large
    const char
        *check; // by this method ordinary runs of tight tolerance are made of some runs; NULL: none
    size_t every; // of the runs, one of so many is compared with the processor; 0: all
} workload;

typedef struct opened {
    const workload *of;
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    ensemble *e;
    size_t n;
    double *in, *out;
    /* Runs on the processor: those of `in`, or some of them. */
    size_t n_reference, every;
    double *in_reference, *reference;
} opened;

static bool make_ensemble(opened *x)
{
    ensemble_options o = x->of->o;
    int list[8];
    text why;
    text_init(&why, &plain);
    while (x->of->columns[o.n_columns]) {
        list[o.n_columns] = code_find_column(x->sim->code, x->of->columns[o.n_columns]);
        o.n_columns++;
    }
    o.columns = list;
    int rc = ensemble_new(x->sim->state, x->sim->y, x->sim->yp, &o, &plain, &x->e, &why);
    if (rc) printf("%s: %s\n", x->of->file, text_str(&why));
    text_done(&why);
    return !rc;
}

static double random_unit(void)
{
    static unsigned long seed = 1;
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static void fill_inputs(opened *x)
{
    const workload *w = x->of;
    for (int k = 0; k < w->o.n_vary; k++)
        for (size_t i = 0; i < x->n; i++) {
            double u = w->random ? random_unit() : (double)i / (double)(x->n - 1);
            x->in[(size_t)k * x->n + i] = w->low[k] + (w->high[k] - w->low[k]) * u;
        }
}

/* ---- start values ---------------------------------------------------------------------------- */

typedef struct starter {
    opened *x;
    vinc_sim *sim; // its own: the model is shared
    size_t first, n;
    int failed;
    pthread_t thread;
} starter;

static void *run_starter(void *user)
{
    starter *s = user;
    opened *x = s->x;
    int n = x->sim->code->n, n_w = x->sim->code->n_w, n_vary = x->of->o.n_vary;
    for (size_t i = s->first; i < s->first + s->n; i++) {
        int rc = 0;
        for (int k = 0; k < n_vary && !rc; k++)
            rc = vinc_sim_set(s->sim, x->of->o.vary[k], x->in[(size_t)k * x->n + i]);
        if (!rc) rc = api_initialize(s->sim);
        const double *w = run_discrete_values(s->sim->state);
        for (int k = 0; k < n; k++) x->in[(size_t)(n_vary + k) * x->n + i] = s->sim->y[k];
        for (int k = 0; k < n_w; k++) x->in[(size_t)(n_vary + n + k) * x->n + i] = w[k];
        s->failed += rc != 0;
    }
    return NULL;
}

/* The start of each run, where its equations ask for one: by the solver of start values. */
static bool find_starts(opened *x, const vinc_sim_options *so)
{
    starter *s = calloc((size_t)n_threads, sizeof *s);
    size_t each = (x->n + (size_t)n_threads - 1) / (size_t)n_threads;
    int failed = 0;
    double begin = api_clock();
    for (int k = 0; k < n_threads; k++) {
        s[k] = (starter){.x = x, .first = (size_t)k * each};
        s[k].n = s[k].first >= x->n ? 0 : x->n - s[k].first < each ? x->n - s[k].first : each;
        if (vinc_sim_new(x->model, so, &s[k].sim)) exit(1);
    }
    for (int k = 1; k < n_threads; k++) pthread_create(&s[k].thread, NULL, run_starter, &s[k]);
    run_starter(&s[0]);
    for (int k = 1; k < n_threads; k++) pthread_join(s[k].thread, NULL);
    for (int k = 0; k < n_threads; k++) failed += s[k].failed, vinc_sim_free(s[k].sim);
    free(s);
    printf("    starts of all runs found in %.2f s, %d of them not\n", api_clock() - begin, failed);
    return true;
}

static bool open_model(opened *x, const workload *w)
{
    char path[1000];
    *x = (opened){.of = w, .ctx = vinc_ctx_new(NULL), .n = (size_t)((double)w->n * part) + 2};
    snprintf(path, sizeof path, "%s/%s", folder, w->file);
    vinc_sim_options so = {.has_start = 1, .has_stop = 1, .t_start = w->o.t0, .t_stop = w->o.t1};
    int rc = vinc_model_load(x->ctx, path, NULL, &x->model);
    if (!rc) rc = vinc_sim_new(x->model, &so, &x->sim);
    if (!rc) rc = api_initialize(x->sim);
    if (rc) return printf("%s\n", vinc_ctx_messages(x->ctx)), false;
    if (!make_ensemble(x)) return false;
    x->in = calloc((size_t)x->e->n_in * x->n + 1, sizeof(double));
    x->out = calloc((size_t)x->e->n_out * x->n, sizeof(double));
    x->every = w->every && part == 1 ? w->every : 1;
    x->n_reference = (x->n - 1) / x->every + 1;
    x->in_reference = calloc((size_t)x->e->n_in * x->n_reference + 1, sizeof(double));
    x->reference = calloc((size_t)x->e->n_out * x->n_reference, sizeof(double));
    if (!x->in || !x->out || !x->in_reference || !x->reference) return printf("no memory\n"), false;
    fill_inputs(x);
    return !x->e->given || find_starts(x, &so);
}

static void close_model(opened *x)
{
    ensemble_free(x->e);
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
    free(x->in), free(x->out), free(x->in_reference), free(x->reference);
}

/* ---- processors ------------------------------------------------------------------------------ */

typedef struct share {
    opened *x;
    ens_lanes *lanes;
    size_t first, n;
    pthread_t thread;
} share;

static void *run_share(void *user)
{
    share *s = user;
    ens_lanes_run(s->lanes, s->x->in_reference, s->x->reference, s->x->n_reference, s->first, s->n);
    return NULL;
}

/* Seconds for the first n runs on so many cores. */
static double on_processors(opened *x, size_t n, int threads)
{
    share *s = calloc((size_t)threads, sizeof *s);
    size_t each = (n + (size_t)threads - 1) / (size_t)threads;
    for (int k = 0; k < threads; k++) {
        s[k] = (share){.x = x, .first = (size_t)k * each};
        s[k].n = s[k].first >= n ? 0 : n - s[k].first < each ? n - s[k].first : each;
        if (ens_lanes_new(&plain, &x->e->lanes, &s[k].lanes)) exit(1);
    }
    double begin = api_clock();
    for (int k = 1; k < threads; k++) pthread_create(&s[k].thread, NULL, run_share, &s[k]);
    run_share(&s[0]);
    for (int k = 1; k < threads; k++) pthread_join(s[k].thread, NULL);
    double seconds = api_clock() - begin;
    for (int k = 0; k < threads; k++) ens_lanes_free(s[k].lanes);
    free(s);
    return seconds;
}

/* ---- the GPU --------------------------------------------------------------------------------- */

static void count_statuses(const double *status, size_t n)
{
    static const char *const names[] = {"done",           "running",    "step too small",
                                        "too many steps", "not finite", "handed back"};
    size_t count[6] = {0};
    for (size_t i = 0; i < n; i++) count[status[i] >= 0 && status[i] < 6 ? (int)status[i] : 1]++;
    for (int k = 0; k < 6; k++)
        if (count[k]) printf(" %zu %s,", count[k], names[k]);
}

static void compare(const opened *x)
{
    size_t n = x->n_reference, equal = 0, states = 0, count[6] = {0};
    double worst = 0;
    for (size_t i = 0; i < x->n; i++) count[x->out[i] >= 0 && x->out[i] < 6 ? (int)x->out[i] : 1]++;
    for (size_t i = 0; i < n; i++) {
        bool same = true, done = x->reference[i] == ENS_DONE;
        states += x->out[i * x->every] != x->reference[i];
        for (int k = 1; k < x->e->n_out; k++) {
            double a = x->out[(size_t)k * x->n + i * x->every], b = x->reference[(size_t)k * n + i];
            double d = fabs(a - b) / (fabs(b) + fmax(x->of->size, 1e-12));
            if (done && !(d <= worst)) worst = d;
            same = same && !memcmp(&a, &b, sizeof a);
        }
        equal += same;
    }
    printf("      %zu runs:", x->n);
    count_statuses(x->out, x->n);
    printf(" %zu compared: %zu with another status than the processor, %zu bit-equal, largest "
           "relative difference %.3g\n",
           n, states, equal, worst);
}

static void on_gpu(opened *x, const char *what, ens_gpu_options o)
{
    text why;
    ens_gpu *gpu;
    text_init(&why, &plain);
    double begin = api_clock();
    int rc = ens_gpu_new(&plain, &x->e->alone, &o, &gpu, &why);
    double made = api_clock();
    memset(x->out, 0xff, (size_t)x->e->n_out * x->n * sizeof(double));
    double best = INFINITY, wall = INFINITY;
    for (int pass = 0; pass < (x->of->every ? 1 : 3) && !rc; pass++) {
        double from = api_clock();
        rc = ens_gpu_run(gpu, x->in, x->out, x->n, &why);
        wall = fmin(wall, api_clock() - from);
        if (!rc) best = fmin(best, ens_gpu_tell(gpu).kernel_s);
    }
    if (rc) {
        printf("    gpu %s: %s\n", what, text_str(&why));
    } else {
        ens_gpu_told t = ens_gpu_tell(gpu);
        printf("    gpu %-24s %8.2f ms kernel, %8.1f ms with copies, %.3g runs/s; %d registers, %d "
               "blocks of %d at once; ready after %.0f ms\n",
               what, 1e3 * best, 1e3 * wall, (double)x->n / best, t.registers, t.blocks_most,
               t.block, 1e3 * (made - begin));
        compare(x);
    }
    if (!rc) ens_gpu_free(gpu);
    text_done(&why);
    fflush(stdout);
}

static void write_text(const opened *x)
{
    char path[1000];
    text t;
    text_init(&t, &plain);
    snprintf(path, sizeof path, "%s/%s-%s.ptx", texts, x->of->file, x->of->o.method);
    FILE *f = fopen(path, "w");
    if (f && ens_ptx_print(&x->e->alone, &(ens_ptx_options){0}, &t)) fputs(text_str(&t), f);
    if (f) fclose(f);
    text_done(&t);
}

/* Some runs once more, by the ordinary simulator. */
static void check_ordinary(const opened *x)
{
    enum { SOME = 32 };
    const workload *w = x->of;
    double worst = 0;
    vinc_sim *sim = NULL;
    size_t done = 0, n = x->n_reference, runs = n < SOME ? n : SOME;
    vinc_sim_options so = {.has_start = 1,
                           .has_stop = 1,
                           .t_start = w->o.t0,
                           .t_stop = w->o.t1,
                           .method = w->check,
                           .rel_tol = 1e-9,
                           .abs_tol = 1e-9};
    for (size_t r = 0; r < runs; r++) {
        size_t i = r * (n / runs);
        int rc = vinc_sim_new(x->model, &so, &sim);
        for (int k = 0; k < w->o.n_vary && !rc; k++)
            rc = vinc_sim_set(sim, w->o.vary[k], x->in_reference[(size_t)k * n + i]);
        if (!rc) rc = vinc_sim_run(sim);
        for (int k = 0; w->columns[k] && rc >= 0 && x->reference[i] == ENS_DONE; k++) {
            double b = vinc_result_at(vinc_sim_result(sim), w->columns[k], w->o.t1);
            double a = x->reference[(size_t)(k + 1) * n + i];
            worst = fmax(worst, fabs(a - b) / (fabs(b) + w->size));
        }
        done += rc >= 0 && x->reference[i] == ENS_DONE;
        vinc_sim_free(sim);
    }
    printf("    ordinary runs (%s, 1e-9): %zu of %zu compared, largest relative difference %.3g\n",
           w->check, done, runs, worst);
}

static void measure(const workload *w)
{
    opened x;
    double begin = api_clock();
    printf("%s (%s)\n", w->title, w->o.method);
    if (!open_model(&x, w)) return;
    printf("    body of %d operations, %d in the state; model and inputs ready after %.2f s\n",
           x.e->alone.body->n_ins, x.e->alone.n_state, api_clock() - begin);
    if (texts) write_text(&x);
    for (int k = 0; k < x.e->n_in; k++)
        for (size_t i = 0; i < x.n_reference; i++)
            x.in_reference[(size_t)k * x.n_reference + i] = x.in[(size_t)k * x.n + i * x.every];
    size_t few = x.n_reference / 16 < 4096 ? x.n_reference : x.n_reference / 16;
    if (!w->every)
        printf("    one core                  %.4g runs/s\n",
               (double)few / on_processors(&x, few, 1));
    double all = on_processors(&x, x.n_reference, n_threads);
    printf("    %d threads                 %.4g runs/s\n", n_threads, (double)x.n_reference / all);
    printf("    on the processor:");
    count_statuses(x.reference, x.n_reference);
    printf("\n");
    if (w->check) check_ordinary(&x);
    fflush(stdout);
    on_gpu(&x, "one run per thread", (ens_gpu_options){0});
    on_gpu(&x, "contracted", (ens_gpu_options){.contract = true});
    if (!w->every) on_gpu(&x, "refilled", (ens_gpu_options){.refill = true});
    close_model(&x);
}

/* ---- Lorenz by hand -------------------------------------------------------------------------- */

static void lorenz_beside(const workload *w)
{
    enum { N = 65536, STEPS = 1000, PASSES = 5 };
    workload small = *w;
    opened x;
    small.n = (size_t)(N / part);
    if (!open_model(&x, &small)) return;
    memcpy(x.in_reference, x.in, (size_t)x.e->n_in * x.n * sizeof(double));
    double *hand = calloc(3 * N, sizeof *hand), best = INFINITY, best_hand = INFINITY, worst = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        best = fmin(best, on_processors(&x, N, 1));
        double begin = api_clock();
        lorenz_by_hand(x.in, hand, hand + N, hand + 2 * N, N, STEPS, 1e-3);
        best_hand = fmin(best_hand, api_clock() - begin);
    }
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < N; i++) {
            double a = x.reference[(size_t)(k + 1) * x.n + i], b = hand[(size_t)k * N + i];
            worst = fmax(worst, fabs(a - b) / (1 + fabs(b)));
        }
    printf("one core, Lorenz, rk4: %.3g steps/s from the model, %.3g by hand, ratio %.3f; largest "
           "difference %.2g\n",
           N * (double)STEPS / best, N * (double)STEPS / best_hand, best_hand / best, worst);
    fflush(stdout);
    free(hand);
    close_model(&x);
}

/* ---- elementary functions -------------------------------------------------------------------- */

static const struct {
    tape_op op;
    double (*one)(double);
    double (*two)(double, double);
    double low, high;
} functions[] = {
    {TAPE_EXP, vinc_exp, NULL, -700, 700},   {TAPE_LOG, vinc_log, NULL, 0, 1e6},
    {TAPE_LOG10, vinc_log10, NULL, 0, 1e6},  {TAPE_SIN, vinc_sin, NULL, -1e3, 1e3},
    {TAPE_COS, vinc_cos, NULL, -1e12, 1e12}, {TAPE_TAN, vinc_tan, NULL, -1e3, 1e3},
    {TAPE_ASIN, vinc_asin, NULL, -1, 1},     {TAPE_ACOS, vinc_acos, NULL, -1, 1},
    {TAPE_ATAN, vinc_atan, NULL, -9, 9},     {TAPE_ATAN2, NULL, vinc_atan2, -3, 3},
    {TAPE_SINH, vinc_sinh, NULL, -9, 9},     {TAPE_COSH, vinc_cosh, NULL, -9, 9},
    {TAPE_TANH, vinc_tanh, NULL, -3, 3},     {TAPE_POW, NULL, vinc_pow, 0, 30},
};

static void elementary(void)
{
    enum { N = 1 << 18, COUNT = sizeof functions / sizeof *functions };
    arena a;
    arena_init(&a, &plain);
    tape_builder *begin = tape_builder_new(&a), *end = tape_builder_new(&a);
    tape_store(begin, tape_out(0), tape_p(0));
    tape_store(end, tape_out(0), tape_const(end, 0));
    for (int k = 0; k < COUNT; k++) {
        tape_ref x = tape_p(2 * k), y = tape_p(2 * k + 1);
        tape_ref v = functions[k].one ? tape_op1(end, functions[k].op, x)
                                      : tape_op2(end, functions[k].op, x, y);
        tape_store(end, tape_out(1 + k), v);
    }
    const tape *first = tape_finish(begin, &a);
    ens_kernel kernel = {.n_in = 2 * COUNT,
                         .n_state = 1,
                         .n_out = 1 + COUNT,
                         .begin = first,
                         .body = first,
                         .end = tape_finish(end, &a)};
    double *in = calloc((size_t)2 * COUNT * N, 8), *out = calloc((size_t)(1 + COUNT) * N, 8);
    for (size_t k = 0; k < 2 * COUNT; k++)
        for (size_t i = 0; i < N; i++)
            in[k * N + i] = functions[k / 2].low +
                            (functions[k / 2].high - functions[k / 2].low) * random_unit();
    text why;
    ens_gpu *gpu;
    text_init(&why, &plain);
    int rc = ens_gpu_new(&plain, &kernel, &(ens_gpu_options){0}, &gpu, &why);
    if (!rc) rc = ens_gpu_run(gpu, in, out, N, &why);
    if (rc) printf("elementary functions: %s\n", text_str(&why));
    for (size_t k = 0; k < COUNT && !rc; k++) {
        size_t differ = 0;
        for (size_t i = 0; i < N; i++) {
            double x = in[2 * k * N + i], y = in[(2 * k + 1) * N + i];
            double v = functions[k].one ? functions[k].one(x) : functions[k].two(x, y);
            differ += memcmp(&v, &out[(1 + k) * N + i], sizeof v) != 0;
        }
        printf("  %-6s %zu of %d differ from the same C on the processor\n",
               tape_op_name(functions[k].op), differ, N);
    }
    if (!rc) ens_gpu_free(gpu);
    text_done(&why);
    arena_done(&a);
    free(in), free(out);
}

/* ---- workloads ------------------------------------------------------------------------------- */

static const char *const vary_rho[] = {"rho"}, *const vary_rates[] = {"p1", "p2", "p3"},
                         *const vary_pendulum[] = {"L", "phi"}, *const vary_q[] = {"q"},
                         *const vary_load[] = {"R", "C"}, *const vary_dae[] = {"L", "w"};

#define RATES                                                                                      \
    .columns = {"y1", "y2", "y3"}, .low = {0.02, 0.5e4, 1.5e7}, .high = {0.06, 1.5e4, 4.5e7},      \
    .random = true

static const workload workloads[] = {
    {.title = "Lorenz' equations, 1000 steps",
     .file = "lorenz.mo",
     .o = {.method = "rk4", .t1 = 1, .step = 1e-3, .vary = vary_rho, .n_vary = 1},
     .columns = {"x", "y", "z"},
     .high = {21},
     .n = 8388608},
    {.title = "Lorenz' equations, adaptive",
     .file = "lorenz.mo",
     .o = {.method = "dopri5",
           .t1 = 1,
           .rel_tol = 1e-8,
           .abs_tol = 1e-8,
           .max_steps = 100000,
           .vary = vary_rho,
           .n_vary = 1},
     .columns = {"x", "y", "z"},
     .high = {21},
     .n = 8388608},
    {.title = "Robertson's reactions to 1e11",
     .file = "robertson.mo",
     .o = {.method = "rodas3",
           .t1 = 1e11,
           .rel_tol = 1e-6,
           .abs_tol = 1e-12,
           .max_steps = 100000,
           .vary = vary_rates,
           .n_vary = 3},
     RATES,
     .n = 4194304},
    {.title = "Robertson's reactions to 1e11",
     .file = "robertson.mo",
     .o = {.method = "rodas4",
           .t1 = 1e11,
           .rel_tol = 1e-6,
           .abs_tol = 1e-12,
           .max_steps = 100000,
           .vary = vary_rates,
           .n_vary = 3},
     RATES,
     .n = 1048576},
    {.title = "a pendulum with sin, adaptive",
     .file = "pendulum.mo",
     .o = {.method = "dopri5",
           .t1 = 10,
           .rel_tol = 1e-8,
           .abs_tol = 1e-8,
           .max_steps = 100000,
           .vary = vary_pendulum,
           .n_vary = 2},
     .columns = {"phi", "w"},
     .low = {0.5, 0.1},
     .high = {2, 3},
     .random = true,
     .n = 1048576},
    {.title = "Robertson's reactions with an algebraic equation",
     .file = "robertson_dae.mo",
     .o = {.method = "rodas3",
           .t1 = 1e11,
           .rel_tol = 1e-6,
           .abs_tol = 1e-12,
           .max_steps = 100000,
           .vary = vary_rates,
           .n_vary = 3},
     RATES,
     .n = 1048576},
    {.title = "a pendulum held by its constraint",
     .file = "pendulum_dae.mo",
     .o = {.method = "rodas4",
           .t1 = 10,
           .rel_tol = 1e-7,
           .abs_tol = 1e-7,
           .max_steps = 1000000,
           .vary = vary_dae,
           .n_vary = 2},
     .columns = {"x", "y", "vx", "vy"},
     .low = {0.5, -8},
     .high = {2, 8},
     .random = true,
     .size = 1,
     .check = "radau5",
     .n = 100000},
    {.title = "a rectifier of four diodes",
     .file = "rectifier.mo",
     .o = {.method = "rodas4",
           .t1 = 0.1,
           .rel_tol = 1e-6,
           .abs_tol = 1e-6,
           .max_steps = 1000000,
           .vary = vary_load,
           .n_vary = 2},
     .columns = {"u", "i"},
     .low = {20, 0.2e-3},
     .high = {200, 2e-3},
     .random = true,
     .size = 1,
     .check = "radau5",
     .n = 100000},
    {.title = "a pressure-relief valve, 1056 returns",
     .file = "valve.mo",
     .o = {.method = "dopri8",
           .t1 = 5000,
           .rel_tol = 1e-10,
           .abs_tol = 1e-10,
           .max_steps = 1e6,
           .vary = vary_q,
           .n_vary = 1},
     .columns = {"high", "low", "n"},
     .low = {0.2},
     .high = {10},
     .size = 1e-9,
     .every = 128,
     .n = 768000},
    {.title = "the same valve, by the order of the published runs",
     .file = "valve.mo",
     .o = {.method = "dopri5",
           .t1 = 5000,
           .rel_tol = 1e-10,
           .abs_tol = 1e-10,
           .max_steps = 2e6,
           .vary = vary_q,
           .n_vary = 1},
     .columns = {"high", "low", "n"},
     .low = {0.2},
     .high = {10},
     .size = 1e-9,
     .every = 1024,
     .n = 768000},
};

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    if (argc > 2) n_threads = atoi(argv[2]);
    if (argc > 3) part = atof(argv[3]);
    if (argc > 4 && *argv[4]) texts = argv[4];
    const char *only = argc > 5 ? argv[5] : NULL;
    plain = mem_std();
    if (!only) elementary();
    if (!only) lorenz_beside(&workloads[0]);
    for (size_t k = 0; k < sizeof workloads / sizeof *workloads; k++)
        if (!only || strstr(workloads[k].file, only)) measure(&workloads[k]);
    return 0;
}
