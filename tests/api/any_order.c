/* The public interface in any order, with any arguments.
 *
 * Calls are drawn at random, on handles that are missing, fresh, started, halfway, failed, stopped by
 * a limit or an interrupt, or whose model or context is gone, with arguments that are NULL, negative,
 * no numbers, too large, or right. Each call gives a result, or a status below zero with a message
 * and no result. The draws are the same every time: any_order [SEQUENCES [SEED]].
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "../fuzz/dice.h"
#include "vincolo.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 60, CONTEXTS = 2, SLOTS = 4 };

static const char *const texts[] = {
    "model P parameter Real g = 9.81; Real x(start = 1), y, u, v, F; input Real f(start = 0);\n"
    "equation der(x) = u; der(y) = v; der(u) = -F*x + f; der(v) = -F*y - g; x^2 + y^2 = 1; end P;",
    "model O input Real F; output Real v(start = 0); Real x(start = 1, fixed = true);\n"
    "equation v = der(x); 2*der(v) + 0.4*v + 8*x = F; end O;",
    "model B Real h(start = 1, fixed = true), v(start = 0, fixed = true); equation der(h) = v;\n"
    "der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); end when; end B;",
    "model A Real x(start = 1, fixed = true), a[3] = {x, 2*x, time}; equation der(x) = 1;\n"
    "assert(x < 1.5, \"too far\"); end A;",
    "model S Real x, y; equation x = 1; x = 2*y; x + y = 3; end S;", // too many equations
    "model N Real x(start = 1, fixed = true); equation der(x) = -sqrt(0.9 - x); end N;", // no start
    "model E Integer n(start = 0, fixed = true); equation when sample(0.1, 0.2) then\n"
    "n = pre(n) + 1; end when; when n > 2 then terminate(\"enough\"); end when; end E;",
    "model M Real x = y; end M;",
    "this is no model",
    "",
    "function f input Real x; output Real y; algorithm y := x; end f;",
};

static const char *const words[] = {
    NULL,       "",     "x",        "y",      "nosuch", "x,y;v",  "a",   "a[2]",   "bdf",
    "radau5",   "rk4",  "ms2:rho=", "bdf2",   "dummy",  "direct", ",",   "flat",   "tape",
    "blt",      "1,2",  "1,1,1",    "0",      "1,nan",  "x:y",    "*",   "g",      "F",
    "f",        "step", "P",        "Q.R",    "1;2",    "sin(t)", "all", "region", "project",
    "rk4,bdf2", "[",    "\x1b[31m", "der(x)", "h",      "dopri5", "ggl", "-",      "%s%n"};

static const double reals[] = {0,     1,   -1,       0.5,       0.1,    0.25, 2,
                               1e308, NAN, INFINITY, -INFINITY, 1e-320, 1e-3, -1e308};
static const int integers[] = {0, 1, 2, 3, -1, INT_MIN, INT_MAX, 100000, 5, 20};

typedef struct world {
    dice d;
    vinc_ctx *ctx[CONTEXTS];
    struct {
        vinc_model *at;
        int ctx;
    } models[SLOTS];
    struct {
        vinc_sim *at;
        int ctx;
        vinc_state *saved;
    } sims[SLOTS];
    struct {
        vinc_result *at;
        int ctx;
    } read;
    vinc_solver *solver;
    vinc_problem problem; // of the solver
    char folder[40], path[100];
    const char *call; // the last one
} world;

#define PICK(w, list) (list)[dice_below(&(w)->d, (int)(sizeof(list) / sizeof *(list)))]

static const char *any_word(world *w)
{
    return PICK(w, words);
}

static double any_real(world *w)
{
    return PICK(w, reals);
}

static int any_int(world *w)
{
    return PICK(w, integers);
}

static vinc_format any_format(world *w)
{
    static const int list[] = {VINC_TEXT, VINC_JSON, VINC_TEXT, VINC_JSON, 77, -1};
    return (vinc_format)PICK(w, list);
}

static const char *any_path(world *w)
{
    static const char *const names[] = {"r.csv",  "r.mat",    "p.svg", "p.pdf",
                                        "q.html", "x.nosuch", "m.mo",  "p.png"};
    switch (dice_below(&w->d, 6)) {
    case 0: return any_word(w);
    case 1: return "/nonexistent/r.csv";
    case 2: return "-";
    default: break;
    }
    snprintf(w->path, sizeof w->path, "%s/%s", w->folder, PICK(w, names));
    return w->path;
}

static int any_slot(world *w)
{
    return dice_below(&w->d, SLOTS);
}

/* ---- what must hold of every call ------------------------------------------------------------ */

static bool explained(const world *w, int ctx)
{
    return ctx < 0 || !w->ctx[ctx] || *vinc_ctx_messages(w->ctx[ctx]);
}

static void judge(world *w, const char *call, int status, int ctx, vinc_sim *sim)
{
    w->call = call;
    if (status >= 0 || explained(w, ctx) || *vinc_sim_messages(sim)) return;
    fail_msg("%s gave %d and no message", call, status);
}

static void forget(world *w, int ctx)
{
    if (ctx >= 0) vinc_ctx_clear(w->ctx[ctx]);
}

/* A call with a handle whose context is c, and one with a text to be handed out. */
#define TRY(c, call)                                                                               \
    do {                                                                                           \
        forget(w, c);                                                                              \
        int status_ = (call);                                                                      \
        judge(w, #call, status_, c, NULL);                                                         \
    } while (0)
#define TRY_RUN(k, call)                                                                           \
    do {                                                                                           \
        forget(w, w->sims[k].ctx);                                                                 \
        int status_ = (call);                                                                      \
        judge(w, #call, status_, w->sims[k].at ? w->sims[k].ctx : -1, w->sims[k].at);              \
    } while (0)
#define TRY_TOLD(c, run, type, call)                                                               \
    do {                                                                                           \
        type *out = (type *)w;                                                                     \
        type **told_to = dice_below(&w->d, 8) ? &out : NULL;                                       \
        forget(w, c);                                                                              \
        int status_ = (call);                                                                      \
        judge(w, #call, status_, c, run);                                                          \
        if (told_to && status_ < 0 && out) fail_msg("%s failed and gave something", #call);        \
        if (told_to && status_ >= 0) {                                                             \
            vinc_report_text(out, any_format(w));                                                  \
            vinc_report_free(out);                                                                 \
        }                                                                                          \
    } while (0)

/* ---- arguments ------------------------------------------------------------------------------- */

static int stop_sometimes(void *user, const vinc_progress *p)
{
    (void)p;
    return dice_below(&((world *)user)->d, 200) == 0;
}

static vinc_sim_options any_run(world *w)
{
    static const char *const methods[] = {NULL, NULL, NULL, "radau5", "bdf", "rk4"};
    static const char *const formulations[] = {NULL, NULL, NULL, "direct", "project", "index1"};
    vinc_sim_options o = {.max_steps = 100, .max_time = 1};
    o.method = dice_below(&w->d, 8) ? PICK(w, methods) : any_word(w);
    o.formulation = dice_below(&w->d, 8) ? PICK(w, formulations) : any_word(w);
    if (dice_below(&w->d, 2)) {
        o.has_stop = 1;
        o.t_stop = any_real(w);
    }
    if (dice_below(&w->d, 6) == 0) {
        o.has_start = 1;
        o.t_start = any_real(w);
    }
    if (dice_below(&w->d, 6) == 0) o.rel_tol = any_real(w);
    if (dice_below(&w->d, 6) == 0) o.abs_tol = any_real(w);
    if (dice_below(&w->d, 3) == 0) o.step = any_real(w);
    if (dice_below(&w->d, 4) == 0) o.intervals = dice_below(&w->d, 4) ? 20 : -5;
    if (dice_below(&w->d, 8) == 0) o.vars = any_word(w);
    if (dice_below(&w->d, 8) == 0) o.log = any_word(w);
    if (dice_below(&w->d, 8) == 0) o.input_csv = any_path(w);
    if (dice_below(&w->d, 8) == 0) o.out = any_path(w);
    o.only_vars = dice_below(&w->d, 8) == 0;
    o.init_as_given = dice_below(&w->d, 8) == 0;
    o.equilibrium = dice_below(&w->d, 8) == 0;
    o.verify = dice_below(&w->d, 8) == 0;
    o.chart = dice_below(&w->d, 8) == 0;
    if (dice_below(&w->d, 4) == 0) o.progress = stop_sometimes;
    o.user = w;
    return o;
}

static int fall(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)t;
    r[0] = yp[0] + (user ? y[0] : sqrt(y[0] - 0.5));
    return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* There is no FMU among the files: it is not opened, and there is nothing to be run. */
static void any_fmu(world *w, int c, vinc_ctx *ctx)
{
    vinc_fmu *fmu = (vinc_fmu *)w;
    vinc_fmu_run *told = NULL;
    vinc_fmu_options o = {.kind = any_int(w), .in_process = any_int(w) % 2};
    TRY(c, vinc_fmu_open(ctx, any_path(w), &o, &fmu));
    assert_null(fmu);
    assert_true(vinc_fmu_simulate(fmu) < 0);
    assert_null(vinc_fmu_result(fmu));
    assert_string_equal(vinc_fmu_report(fmu, VINC_TEXT), "");
    assert_true(vinc_fmu_run_of(fmu, &told) < 0);
    vinc_fmu_free(fmu);
}

static int at_once(void *user)
{
    (void)user;
    return 1;
}

static size_t read_nothing(void *user, char *to, size_t n)
{
    (void)user, (void)to, (void)n;
    return 0;
}

static int write_nowhere(void *user, const char *bytes, size_t n)
{
    (void)user, (void)bytes, (void)n;
    return 0;
}

static void call_context(world *w)
{
    int c = dice_below(&w->d, CONTEXTS);
    vinc_ctx *ctx = w->ctx[c];
    vinc_parse_stats stats;
    const char *text = NULL, **to = dice_below(&w->d, 8) ? &text : NULL;
    vinc_limits limits = {.seconds = any_real(w), .bytes = dice_below(&w->d, 2) ? 0 : 1 << 22};
    vinc_pencil_options p = {.rhs = any_word(w),
                             .x0 = any_word(w),
                             .stop = any_real(w),
                             .intervals = dice_below(&w->d, 20) - 5};
    vinc_method_options m = {.at = any_word(w)};
    vinc_dots dots = {words + 2, words + 2, NULL, dice_below(&w->d, 4) - 1, 1, any_int(w) % 3};
    char room[8];
    vinc_example example = {.name = any_word(w), .status = any_word(w)};
    switch (dice_below(&w->d, 29)) {
    case 28: // joined with others only under mpirun: tests/plugins/distributed
        vinc_team_join(NULL, NULL, NULL);
        assert_int_equal(vinc_team_help(ctx, NULL), VINC_E_OPTION); // nobody was joined
        vinc_team_leave(ctx);
        break;
    case 27: assert_int_equal(vinc_team_agree(ctx, -2, NULL), -2); break;
    case 26: any_fmu(w, c, ctx); break;
    case 25:
        TRY_TOLD(c, NULL, vinc_fmu_contents, vinc_fmu_contents_of(ctx, any_path(w), told_to));
        break;
    case 24:
        TRY_TOLD(c, NULL, vinc_examples,
                 vinc_examples_of(ctx, any_word(w), &example, any_int(w) % 2, told_to));
        break;
    case 23: TRY(c, vinc_library_examples(ctx, any_word(w), to)); break;
    case 22: TRY(c, vinc_library(ctx, any_word(w), to)); break;
    case 0: TRY(c, vinc_ctx_add_path(ctx, any_path(w))); break;
    case 1: TRY(c, vinc_parse(ctx, any_path(w), dice_below(&w->d, 2) ? &stats : NULL)); break;
    case 2: TRY(c, vinc_method_report(ctx, any_word(w), &m, any_format(w), to)); break;
    case 3: TRY(c, vinc_method_plot(ctx, any_word(w), any_path(w), any_word(w), to)); break;
    case 4: TRY(c, vinc_pencil_report(ctx, any_path(w), any_path(w), &p, any_format(w), to)); break;
    case 5: TRY(c, vinc_passivity_report(ctx, any_word(w), any_word(w), any_format(w), to)); break;
    case 6: TRY(c, vinc_dots_plot(ctx, &dots, any_path(w), NULL)); break;
    case 7:
        TRY_TOLD(c, NULL, vinc_positive_real,
                 vinc_positive_real_of(ctx, any_word(w), "1,2", told_to));
        break;
    case 8:
        TRY_TOLD(c, NULL, vinc_pencil, vinc_pencil_of(ctx, any_path(w), any_path(w), &p, told_to));
        break;
    case 9:
        TRY_TOLD(c, NULL, vinc_method_set, vinc_method_set_of(ctx, any_word(w), &m, told_to));
        break;
    case 10: TRY_TOLD(c, NULL, vinc_failure, vinc_failure_of(ctx, any_word(w), told_to)); break;
    case 11: vinc_ctx_interrupt(ctx); break;
    case 12: TRY(c, vinc_ctx_limit(ctx, &limits)); break;
    case 13: vinc_ctx_limit(ctx, NULL); break;
    case 14: assert_non_null(vinc_ctx_doing(ctx)); break;
    case 15: assert_non_null(vinc_ctx_diagnostic(ctx, any_int(w)).text); break;
    case 16: assert_non_null(vinc_ctx_messages(ctx)); break;
    case 17: vinc_plain(any_word(w), room, (size_t)dice_below(&w->d, 9)); break;
    case 18: vinc_nearest(any_word(w), words + 2, dice_below(&w->d, 9) - 1); break;
    case 19: // gone, with all that was made from it still there
        if (dice_below(&w->d, 6)) break;
        vinc_ctx_free(ctx);
        w->ctx[c] = dice_below(&w->d, 8) ? vinc_ctx_new(NULL) : NULL;
        for (int k = 0; k < SLOTS; k++) { // it has no messages any more
            if (w->models[k].ctx == c) w->models[k].ctx = -1;
            if (w->sims[k].ctx == c) w->sims[k].ctx = -1;
        }
        if (w->read.ctx == c) w->read.ctx = -1;
        break;
    default: {
        int i = any_int(w), n = vinc_ctx_n_diagnostics(ctx);
        assert_true(n >= 0);
        vinc_method_name(i);
        vinc_formulation(i);
        vinc_formulation_summary(i);
        vinc_preconditioner(i);
        vinc_preconditioner_summary(i);
        vinc_preconditioner_stores(i);
        vinc_dump_stage(i);
        vinc_report_name(i);
        vinc_report_command(i);
        vinc_report_summary(i);
        vinc_report_key(i, any_int(w), room, sizeof room);
        vinc_file_format f;
        vinc_result_format(i, dice_below(&w->d, 2) ? &f : NULL);
        vinc_figure_format(i, dice_below(&w->d, 2) ? &f : NULL);
        assert_non_null(vinc_version());
        vinc_part part;
        vinc_part_at(i, dice_below(&w->d, 2) ? &part : NULL);
        vinc_live_options live = {.source = any_path(w), .stops = at_once};
        vinc_language_server mute = {.read = read_nothing, .write = write_nowhere};
        if (!dice_below(&w->d, 10)) vinc_live(ctx, dice_below(&w->d, 2) ? &live : NULL);
        vinc_serve_language(ctx, dice_below(&w->d, 2) ? &mute : NULL);
    }
    }
}

static void call_load(world *w)
{
    int c = dice_below(&w->d, CONTEXTS), k = any_slot(w);
    vinc_ctx *ctx = w->ctx[c];
    vinc_setting set = {any_word(w), any_word(w)};
    vinc_model_options o = {.settings = &set,
                            .n_settings = dice_below(&w->d, 3) - 1,
                            .exchange = !dice_below(&w->d, 6)};
    vinc_model_free(w->models[k].at);
    w->models[k].at = (vinc_model *)w;
    w->models[k].ctx = c;
    const char *text = PICK(w, texts);
    int status;
    forget(w, c);
    switch (dice_below(&w->d, 8)) {
    case 0: status = vinc_model_load(ctx, any_path(w), any_word(w), &w->models[k].at); break;
    case 1: status = vinc_model_load_with(ctx, any_path(w), NULL, &o, &w->models[k].at); break;
    default:
        status = vinc_model_load_text(ctx, any_word(w), text, strlen(text), NULL, &w->models[k].at);
    }
    judge(w, "vinc_model_load", status, ctx ? c : -1, NULL);
    if (status < 0 && w->models[k].at) fail_msg("a load failed and gave a model");
}

static void call_model(world *w)
{
    int k = any_slot(w), c = w->models[k].at ? w->models[k].ctx : -1;
    vinc_model *m = w->models[k].at;
    vinc_sim_options run = any_run(w), *r = dice_below(&w->d, 6) ? &run : NULL;
    vinc_variable v;
    vinc_plot_options plot = {.vars = any_word(w), .width = dice_below(&w->d, 2) ? 100 : -1};
    const char *text = NULL, **to = dice_below(&w->d, 8) ? &text : NULL;
    vinc_compare_options compare = {.run = r, .methods = "radau5", .formulations = any_word(w)};
    vinc_convergence_options halve = {.run = r, .vars = any_word(w), .levels = any_int(w) % 4};
    vinc_contractivity_options apart = {.run = r, .norm = any_word(w)};
    vinc_linear_options l = {.run = r, .at = (vinc_point)dice_below(&w->d, 4), .vars = any_word(w)};
    l.sweep = dice_below(&w->d, 2) ? "time=0,0.1" : any_word(w);
    l.methods = dice_below(&w->d, 2) ? "trapezoid,ms2:rho=0.6,radau5" : any_word(w);
    vinc_passivity_options p = {.run = r, .vars = any_word(w), .storage = any_word(w)};
    vinc_pencil_options pencil = {.rhs = any_word(w), .intervals = 3, .stop = any_real(w)};
    vinc_export_options fmu = {
        .fmi = any_int(w) % 5, .kinds = dice_below(&w->d, 4), .libraries = "."};
    vinc_goal_options goal = {
        .goal = any_word(w), .by = any_word(w), .run = r, .max_iterations = 2};
    vinc_fit_options fit = {
        .data = any_path(w), .params = any_word(w), .run = r, .max_iterations = 2};
    switch (dice_below(&w->d, 33)) {
    case 30: TRY_TOLD(c, NULL, vinc_gradient, vinc_gradient_of(m, &goal, told_to)); break;
    case 31: TRY_TOLD(c, NULL, vinc_optimum, vinc_optimum_of(m, &goal, told_to)); break;
    case 32: TRY_TOLD(c, NULL, vinc_fit, vinc_fit_of(m, &fit, told_to)); break;
    case 0: TRY(c, vinc_model_check(m, any_format(w), to)); break;
    case 1: TRY(c, vinc_model_semi_explicit(m, to)); break;
    case 26: TRY(c, vinc_model_ode(m, to)); break;
    case 2: TRY(c, vinc_model_dump(m, any_word(w), to)); break;
    case 3: vinc_model_variable(m, any_int(w), dice_below(&w->d, 4) ? &v : NULL); break;
    case 4: TRY(c, vinc_model_plot(m, any_path(w), &plot)); break;
    case 28: TRY(c, vinc_model_export(m, any_path(w), dice_below(&w->d, 4) ? &fmu : NULL)); break;
    case 5: TRY(c, vinc_model_convergence(m, &halve, any_format(w), to)); break;
    case 6: TRY(c, vinc_model_contractivity(m, &apart, any_format(w), to)); break;
    case 7: TRY(c, vinc_model_linearize(m, &l, any_format(w), to)); break;
    case 8: TRY(c, vinc_model_passivity(m, &p, any_format(w), to)); break;
    case 9: TRY(c, vinc_model_pencil(m, &pencil, any_format(w), to)); break;
    case 10: TRY_TOLD(c, NULL, vinc_check, vinc_check_of(m, told_to)); break;
    case 25: TRY_TOLD(c, NULL, vinc_locus, vinc_locus_of(m, &l, told_to)); break;
    case 29: TRY_TOLD(c, NULL, vinc_control, vinc_control_of(m, &l, told_to)); break;
    case 24: TRY_TOLD(c, NULL, vinc_mode_steps, vinc_mode_steps_of(m, &l, told_to)); break;
    case 23: TRY_TOLD(c, NULL, vinc_stabilisation, vinc_stabilisation_of(m, r, told_to)); break;
    case 27:
        TRY_TOLD(c, NULL, vinc_region, vinc_region_of(m, any_real(w), any_real(w), told_to));
        break;
    case 22: TRY_TOLD(c, NULL, vinc_mechanics, vinc_mechanics_of(m, told_to)); break;
    case 11: TRY_TOLD(c, NULL, vinc_comparison, vinc_comparison_of(m, &compare, told_to)); break;
    case 12: TRY_TOLD(c, NULL, vinc_convergence, vinc_convergence_of(m, &halve, told_to)); break;
    case 13:
        TRY_TOLD(c, NULL, vinc_contractivity, vinc_contractivity_of(m, &apart, told_to));
        break;
    case 14: TRY_TOLD(c, NULL, vinc_linear, vinc_linear_of(m, &l, told_to)); break;
    case 15: TRY_TOLD(c, NULL, vinc_passivity, vinc_passivity_of(m, &p, told_to)); break;
    case 16: TRY_TOLD(c, NULL, vinc_pencil, vinc_pencil_of_model(m, &pencil, told_to)); break;
    case 17:
        assert_non_null(vinc_model_name(m));
        assert_non_null(vinc_model_flat(m));
        assert_true(vinc_model_n_variables(m) >= 0);
        break;
    case 18: // its runs stay
        vinc_model_free(m);
        w->models[k].at = NULL;
        break;
    default: {
        int s = any_slot(w);
        vinc_state_free(w->sims[s].saved);
        vinc_sim_free(w->sims[s].at);
        w->sims[s].saved = NULL;
        w->sims[s].at = (vinc_sim *)w;
        w->sims[s].ctx = c;
        forget(w, c);
        int status = vinc_sim_new(m, r, &w->sims[s].at);
        judge(w, "vinc_sim_new", status, c, NULL);
        if (status < 0 && w->sims[s].at) fail_msg("vinc_sim_new failed and gave a run");
    }
    }
}

static void call_run(world *w)
{
    int k = any_slot(w), list[3] = {0, dice_below(&w->d, 6), any_int(w)};
    vinc_sim *s = w->sims[k].at;
    double values[3] = {any_real(w), 1, 2};
    vinc_sim_stats stats;
    vinc_state *state = NULL;
    vinc_event_report told;
    vinc_slopes q = {list, list, 1, 1, dice_below(&w->d, 2)};
    double many[64] = {0};
    int few = vinc_sim_n_states(s) < 64 && vinc_sim_n_indicators(s) < 64;
    unsigned char bytes[100] = {0};
    const char *told_text;
    switch (dice_below(&w->d, 38)) {
    case 31: TRY_RUN(k, vinc_sim_states(s, few ? many : NULL, NULL)); break;
    case 32: TRY_RUN(k, vinc_sim_before_event(s)); break;
    case 33: TRY_RUN(k, vinc_sim_extend(s, any_real(w))); break;
    case 34: TRY_RUN(k, vinc_state_read(s, bytes, sizeof bytes, &state)); break;
    case 35:
        assert_true(vinc_state_write(w->sims[k].saved, bytes, sizeof bytes) <= 0);
        assert_true(vinc_state_size(w->sims[k].saved) != sizeof bytes);
        break;
    case 36:
        vinc_sim_value_type(s, any_int(w));
        vinc_sim_state_value(s, any_int(w));
        vinc_sim_text_name(s, any_int(w));
        vinc_sim_clock_time(s, any_int(w) + vinc_sim_n_clocks(s));
        if (vinc_sim_n_texts(s) > 0) TRY_RUN(k, vinc_sim_text(s, 0, &told_text));
        vinc_sim_end(s);
        break;
    case 37:
    case 24: TRY_RUN(k, vinc_sim_lend(s)); break;
    case 25:
        TRY_RUN(k, vinc_sim_place(s, any_real(w), dice_below(&w->d, 2) && few ? many : NULL));
        break;
    case 26: TRY_RUN(k, vinc_sim_rates(s, few ? many : NULL)); break;
    case 27: TRY_RUN(k, vinc_sim_indicators(s, few ? many : NULL)); break;
    case 28: TRY_RUN(k, vinc_sim_event(s, &told)); break;
    case 29: TRY_RUN(k, vinc_sim_accept(s, list)); break;
    case 30: TRY_RUN(k, vinc_sim_slopes(s, &q, values, many)); break;
    case 0: TRY_RUN(k, vinc_sim_run(s)); break;
    case 22: TRY_RUN(k, vinc_sim_plot_drift(s, any_path(w), NULL, NULL)); break;
    case 1:
    case 2: TRY_RUN(k, vinc_sim_start(s)); break;
    case 3: TRY_RUN(k, vinc_sim_advance(s, any_real(w))); break;
    case 4: TRY_RUN(k, vinc_sim_advance(s, vinc_sim_time(s) + 0.01)); break;
    case 5: TRY_RUN(k, vinc_sim_step(s, any_real(w))); break;
    case 6: TRY_RUN(k, vinc_sim_step(s, 1)); break;
    case 7: TRY_RUN(k, vinc_sim_reset(s)); break;
    case 8: TRY_RUN(k, vinc_sim_set(s, any_word(w), any_real(w))); break;
    case 9: TRY_RUN(k, vinc_sim_set_array(s, any_word(w), values, any_int(w) % 4)); break;
    case 10: TRY_RUN(k, vinc_sim_find(s, any_word(w))); break;
    case 11: TRY_RUN(k, vinc_sim_values(s, list, any_int(w) % 4, values)); break;
    case 23: TRY_RUN(k, vinc_sim_at(s, any_real(w), list, any_int(w) % 4, values)); break;
    case 12: TRY_RUN(k, vinc_sim_set_input(s, list[1 + dice_below(&w->d, 2)], any_real(w))); break;
    case 13: TRY_RUN(k, vinc_sim_advise(s)); break;
    case 14:
        TRY_RUN(k, vinc_sim_save(s, dice_below(&w->d, 6) ? &state : NULL));
        vinc_state_free(w->sims[k].saved);
        w->sims[k].saved = state;
        break;
    case 15: TRY_RUN(k, vinc_sim_restore(s, w->sims[any_slot(w)].saved)); break;
    case 16: TRY_RUN(k, vinc_sim_statistics(s, dice_below(&w->d, 4) ? &stats : NULL)); break;
    case 17: assert_non_null(vinc_sim_report(s, any_format(w))); break;
    case 18:
        assert_non_null(vinc_sim_messages(s));
        vinc_sim_selection(s);
        assert_true(vinc_sim_n_diagnostics(s) >= 0);
        assert_non_null(vinc_sim_diagnostic(s, any_int(w)).text);
        assert_true(vinc_sim_n_values(s) >= 0);
        vinc_sim_value_name(s, any_int(w));
        break;
    case 19: TRY_TOLD(s ? w->sims[k].ctx : -1, s, vinc_run, vinc_run_of(s, told_to)); break;
    default:
        if (dice_below(&w->d, 4)) break;
        vinc_state_free(w->sims[k].saved);
        vinc_sim_free(s);
        w->sims[k].saved = NULL;
        w->sims[k].at = NULL;
    }
}

static void call_result(world *w)
{
    int k = any_slot(w), c = w->sims[k].at ? w->sims[k].ctx : -1;
    vinc_result *r = vinc_sim_result(w->sims[k].at), *two[2];
    const char *names[2] = {"a", any_word(w)}, *chart = NULL;
    vinc_column column;
    vinc_plot_options o = {.vars = any_word(w),
                           .title = any_word(w),
                           .columns = dice_below(&w->d, 3) ? 40 : any_int(w),
                           .width = dice_below(&w->d, 3) ? 100 : -1,
                           .log_x = dice_below(&w->d, 2),
                           .log_y = dice_below(&w->d, 2)};
    if (w->read.at && dice_below(&w->d, 3) == 0) {
        r = w->read.at;
        c = w->read.ctx;
    }
    if (!r) c = -1; // nobody to tell
    two[0] = r;
    two[1] = vinc_sim_result(w->sims[any_slot(w)].at);
    vinc_difference_options apart = {
        .tol = any_real(w), .vars = any_word(w), .plot = dice_below(&w->d, 2) ? any_path(w) : NULL};
    switch (dice_below(&w->d, 11)) {
    case 10:
        TRY_TOLD(c, NULL, vinc_difference, vinc_difference_of(two[0], two[1], &apart, told_to));
        break;
    case 0: TRY(c, vinc_result_write_csv(r, any_path(w))); break;
    case 1: TRY(c, vinc_result_write_mat(r, any_path(w))); break;
    case 2: TRY(c, vinc_result_write(r, any_path(w), any_word(w))); break;
    case 3: TRY(c, vinc_result_plot(r, any_path(w), &o, &chart)); break;
    case 4: vinc_results_plot(two, names, dice_below(&w->d, 4) - 1, any_path(w), &o, &chart); break;
    case 5: vinc_result_at(r, any_word(w), any_real(w)); break;
    case 6: vinc_result_column(r, any_int(w), dice_below(&w->d, 4) ? &column : NULL); break;
    case 7:
        assert_true(vinc_result_n_columns(r) >= 0);
        vinc_result_n_rows(r);
        vinc_result_first_row(r);
        vinc_result_find(r, any_word(w));
        break;
    default: {
        int at = dice_below(&w->d, CONTEXTS);
        vinc_result_free(w->read.at);
        w->read.at = (vinc_result *)w;
        w->read.ctx = at;
        forget(w, at);
        int status = vinc_result_read(w->ctx[at], any_path(w), &w->read.at);
        judge(w, "vinc_result_read", status, w->ctx[at] ? at : -1, NULL);
        if (status < 0 && w->read.at) fail_msg("vinc_result_read failed and gave a result");
    }
    }
}

static void call_solver(world *w)
{
    double y[1] = {any_real(w)}, yp[1] = {any_real(w)};
    char why[100] = "";
    vinc_problem p = {.n = dice_below(&w->d, 6) ? 1 : -1,
                      .residual = dice_below(&w->d, 6) ? fall : NULL,
                      .user = dice_below(&w->d, 2) ? w : NULL};
    vinc_solver_options o = {.method = any_word(w),
                             .step = dice_below(&w->d, 3) ? 0.1 : any_real(w)};
    int status = 0;
    switch (dice_below(&w->d, 9)) {
    case 0: status = vinc_solver_start(w->solver, any_real(w), y, yp); break;
    case 1: status = vinc_solver_consistent(w->solver, any_real(w), y, yp); break;
    case 2: status = vinc_solver_step(w->solver, any_real(w)); break;
    case 3: status = vinc_solver_run(w->solver, dice_below(&w->d, 2) ? 1 : NAN); break;
    case 4: status = vinc_solver_at(w->solver, any_real(w), y, NULL); break;
    case 5: vinc_problem_check(&p, any_real(w), y, yp, why, sizeof why); return;
    case 6:
        vinc_solver_time(w->solver);
        vinc_solver_y(w->solver);
        vinc_solver_yp(w->solver);
        vinc_solver_stats(w->solver);
        assert_non_null(vinc_solver_method(w->solver));
        return;
    default:
        vinc_solver_free(w->solver);
        w->problem = p; // as long as the solver
        if (vinc_solver_new(&w->problem, dice_below(&w->d, 2) ? &o : NULL, why, sizeof why,
                            &w->solver) < 0) {
            assert_true(*why);
            assert_null(w->solver);
        }
        return;
    }
    w->call = "vinc_solver";
    if (status < 0 && w->solver) assert_true(*vinc_solver_message(w->solver));
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void clear_folder(const world *w)
{
    static const char *const names[] = {"r.csv",  "r.mat",    "p.svg", "p.pdf",
                                        "q.html", "x.nosuch", "m.mo",  "p.png"};
    char path[100];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", w->folder, names[i]);
        unlink(path);
    }
}

static void one_sequence(uint64_t seed, long number, const char *folder)
{
    static void (*const kinds[])(world *) = {call_context, call_load,  call_model, call_model,
                                             call_run,     call_run,   call_run,   call_run,
                                             call_result,  call_solver};
    world *w = calloc(1, sizeof *w);
    w->d = dice_of(seed, (uint64_t)number);
    snprintf(w->folder, sizeof w->folder, "%s", folder);
    for (int c = 0; c < CONTEXTS; c++) w->ctx[c] = vinc_ctx_new(NULL);
    for (int i = 0; i < 4; i++) call_load(w);
    for (int i = 0; i < CALLS; i++) PICK(w, kinds)(w);
    for (int k = 0; k < SLOTS; k++) {
        vinc_state_free(w->sims[k].saved);
        vinc_sim_free(w->sims[k].at);
    }
    for (int k = 0; k < SLOTS; k++) vinc_model_free(w->models[k].at);
    vinc_result_free(w->read.at);
    vinc_solver_free(w->solver);
    for (int c = 0; c < CONTEXTS; c++) vinc_ctx_free(w->ctx[c]);
    clear_folder(w);
    free(w);
}

static long sequences = 150;
static uint64_t first_seed = 1;

static void any_order(void **state)
{
    (void)state;
    char folder[40] = "/tmp/any-order-XXXXXX", here[1000];
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0); // a word may be taken for a path
    for (long k = 0; k < sequences; k++) {
        one_sequence(first_seed, k, folder);
        if (k % 1000 == 999) print_message("%ld sequences\n", k + 1);
    }
    assert_int_equal(chdir(here), 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) { // what a word named
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, words[i] ? words[i] : "");
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void every_function_is_called(void **state)
{
    (void)state;
    static const char *const headers[] = {
        VINCOLO_ROOT "/include/vincolo.h", VINCOLO_ROOT "/include/vincolo_problem.h",
        VINCOLO_ROOT "/include/vincolo_report.h", VINCOLO_ROOT "/tests/api/any_order.c"};
    char *text[4];
    for (int i = 0; i < 4; i++) {
        FILE *f = fopen(headers[i], "r");
        assert_non_null(f);
        text[i] = calloc(1, 1 << 18);
        assert_true(fread(text[i], 1, (1 << 18) - 1, f) > 0);
        fclose(f);
    }
    int n = 0;
    for (int h = 0; h < 3; h++)
        for (const char *at = text[h]; (at = strstr(at, "\nVINC_API ")) != NULL;) {
            const char *end = strchr(++at, '('), *name = end;
            while (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z')) name--;
            char call[100];
            snprintf(call, sizeof call, "%.*s(", (int)(end - name), name);
            n++;
            if (!strstr(text[3], call)) fail_msg("%s) is not called here", call);
        }
    assert_true(n > 90);
    for (int i = 0; i < 4; i++) free(text[i]);
}

int main(int argc, char **argv)
{
    if (argc > 1) sequences = atol(argv[1]);
    if (argc > 2) first_seed = (uint64_t)atoll(argv[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order),
                                       cmocka_unit_test(every_function_is_called)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
