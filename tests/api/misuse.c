/* Bad use of every public function: NULL, numbers that make no sense, calls in the wrong order, calls
 * after a failure. Each gets a status and, where there is somebody to tell, a message; the sanitizers
 * of `make test` see to the rest.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo_sweep.h"

#include <limits.h>
#include <unistd.h>

static const char pendulum[] =
    "model P\n  parameter Real g = 9.81;\n  final parameter Real two = 2;\n"
    "  Real x(start = 1), y, vx, vy, F;\n  input Real u(start = 0);\nequation\n"
    "  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -F*x + u;\n  der(vy) = -F*y - g;\n"
    "  x^2 + y^2 = 1;\nend P;\n";

/* Everything a test may want, made afresh for each. */
typedef struct world {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    const char *text;
    char folder[40], path[100];
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    strcpy(w->folder, "/tmp/misuse-XXXXXX");
    if (!w || !mkdtemp(w->folder)) return -1;
    w->ctx = vinc_ctx_new(NULL);
    if (vinc_model_load_text(w->ctx, "p.mo", pendulum, strlen(pendulum), NULL, &w->model))
        return -1;
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    vinc_sim_free(w->sim);
    vinc_model_free(w->model);
    vinc_ctx_free(w->ctx);
    rmdir(w->folder);
    free(w);
    return 0;
}

static const char *file(world *w, const char *name)
{
    snprintf(w->path, sizeof w->path, "%s/%s", w->folder, name);
    return w->path;
}

static void run_short(world *w)
{
    vinc_sim_options o = {.has_stop = 1, .t_stop = 0.1, .intervals = 5};
    assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
    assert_int_equal(vinc_sim_run(w->sim), VINC_OK);
}

/* A failure that is explained: the context has one message more than before. */
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        vinc_ctx_clear(w->ctx);                                                                    \
        int refused_status = (call);                                                               \
        if (refused_status >= 0) fail_msg("%s gave %d", #call, refused_status);                    \
        if (!*vinc_ctx_messages(w->ctx)) fail_msg("%s: no message", #call);                        \
    } while (0)
/* The same where there is no context to tell. */
#define FAILS(call)                                                                                \
    do {                                                                                           \
        int failed_status = (call);                                                                \
        if (failed_status >= 0) fail_msg("%s gave %d", #call, failed_status);                      \
    } while (0)

/* Odd, but not wrong: an answer, or a reason. */
#define ANSWERED(call)                                                                             \
    do {                                                                                           \
        vinc_ctx_clear(w->ctx);                                                                    \
        if ((call) < 0 && !*vinc_ctx_messages(w->ctx)) fail_msg("%s: no message", #call);          \
    } while (0)

/* ---- no handle ------------------------------------------------------------------------------- */

static void no_context(void **state)
{
    (void)state;
    vinc_model *model = (vinc_model *)&state;
    vinc_result *result = (vinc_result *)&state;
    vinc_parse_stats stats;
    const char *text = "old";
    vinc_ctx_free(NULL);
    vinc_ctx_clear(NULL);
    vinc_ctx_interrupt(NULL);
    assert_string_equal(vinc_ctx_doing(NULL), "");
    FAILS(vinc_ctx_limit(NULL, NULL));
    FAILS(vinc_ctx_add_path(NULL, "."));
    FAILS(vinc_team_join(NULL, NULL, NULL));
    assert_int_equal(vinc_team_agree(NULL, VINC_E_MODEL, NULL), VINC_E_MODEL);
    FAILS(vinc_team_help(NULL, NULL));
    vinc_team_leave(NULL);
    assert_string_equal(vinc_ctx_messages(NULL), "error: out of memory\n"); // why it is NULL
    assert_int_equal(vinc_ctx_n_diagnostics(NULL), 0);
    assert_non_null(vinc_ctx_diagnostic(NULL, 0).text);
    FAILS(vinc_parse(NULL, "x.mo", &stats));
    FAILS(vinc_library(NULL, "Vincolo", &text));
    FAILS(vinc_library_examples(NULL, "Vincolo", &text));
    FAILS(vinc_model_load(NULL, "x.mo", NULL, &model));
    assert_null(model);
    model = (vinc_model *)&state;
    FAILS(vinc_model_load_with(NULL, "x.mo", NULL, NULL, &model));
    assert_null(model);
    FAILS(vinc_model_load_text(NULL, "x", "y", 1, NULL, &model));
    FAILS(vinc_result_read(NULL, "x.csv", &result));
    assert_null(result);
    FAILS(vinc_dots_plot(NULL, NULL, "x.svg", NULL));
    FAILS(vinc_method_report(NULL, NULL, NULL, VINC_TEXT, &text));
    assert_true(!text || !*text);
    FAILS(vinc_method_plot(NULL, "bdf", "x.svg", NULL, &text));
    FAILS(vinc_pencil_report(NULL, "f", "g", NULL, VINC_TEXT, &text));
    FAILS(vinc_passivity_report(NULL, "1", "1,1", VINC_TEXT, &text));
    assert_non_null(vinc_version());
    vinc_part part;
    FAILS(vinc_part_at(0, NULL));
    FAILS(vinc_part_at(-1, &part));
    FAILS(vinc_part_at(1000, &part));
    vinc_live_options live = {.source = "x.mo"};
    vinc_language_server mute = {0};
    FAILS(vinc_live(NULL, &live));
    FAILS(vinc_live(NULL, NULL));
    FAILS(vinc_serve_language(NULL, &mute));
    FAILS(vinc_serve_language(NULL, NULL));
    const char *words[] = {"length", "width"};
    assert_null(vinc_nearest(NULL, words, 2));
    assert_null(vinc_nearest("lenght", NULL, 2));
    assert_null(vinc_nearest("lenght", words, -1));
    assert_null(vinc_nearest("", words, 2));
    assert_string_equal(vinc_nearest("lenght", words, 2), "length");
    assert_int_equal(vinc_plain(NULL, NULL, 0), 0);
    assert_int_equal(vinc_plain("abc", NULL, 10), 3);
    char three[3] = "--";
    assert_int_equal(vinc_plain("\033", three, sizeof three), 4); // spelt out it has no room
    assert_string_equal(three, "");
    assert_int_equal(vinc_plain("abc", three, 0), 3);
}

static void no_model(void **state)
{
    (void)state;
    vinc_sim *sim = (vinc_sim *)&state;
    vinc_variable v;
    const char *text = "old";
    vinc_model_free(NULL);
    assert_non_null(vinc_model_name(NULL));
    assert_non_null(vinc_model_flat(NULL));
    assert_int_equal(vinc_model_n_variables(NULL), 0);
    FAILS(vinc_model_variable(NULL, 0, &v));
    FAILS(vinc_model_check(NULL, VINC_TEXT, &text));
    assert_true(!text || !*text);
    FAILS(vinc_model_semi_explicit(NULL, &text));
    FAILS(vinc_model_ode(NULL, &text));
    FAILS(vinc_model_dump(NULL, "flat", &text));
    FAILS(vinc_model_convergence(NULL, NULL, VINC_TEXT, &text));
    FAILS(vinc_model_contractivity(NULL, NULL, VINC_TEXT, &text));
    FAILS(vinc_model_plot(NULL, "x.svg", NULL));
    FAILS(vinc_model_pencil(NULL, NULL, VINC_TEXT, &text));
    FAILS(vinc_model_linearize(NULL, NULL, VINC_TEXT, &text));
    FAILS(vinc_model_passivity(NULL, NULL, VINC_TEXT, &text));
    FAILS(vinc_sim_new(NULL, NULL, &sim));
    assert_null(sim);
}

static void no_run(void **state)
{
    (void)state;
    vinc_sim_stats stats;
    double x;
    int i = 0;
    vinc_sim_free(NULL);
    FAILS(vinc_sim_set(NULL, "x", 1));
    FAILS(vinc_sim_run(NULL));
    FAILS(vinc_sim_advise(NULL));
    FAILS(vinc_sim_plot_drift(NULL, "x.svg", NULL, NULL));
    assert_string_equal(vinc_sim_messages(NULL), "");
    assert_null(vinc_sim_selection(NULL));
    assert_int_equal(vinc_sim_n_diagnostics(NULL), 0);
    assert_non_null(vinc_sim_diagnostic(NULL, 0).text);
    assert_null(vinc_sim_result(NULL));
    FAILS(vinc_sim_statistics(NULL, &stats));
    assert_non_null(vinc_sim_report(NULL, VINC_JSON));
    FAILS(vinc_sim_start(NULL));
    FAILS(vinc_sim_advance(NULL, 1));
    FAILS(vinc_sim_step(NULL, 1));
    assert_true(isnan(vinc_sim_time(NULL)));
    FAILS(vinc_sim_reset(NULL));
    assert_int_equal(vinc_sim_n_values(NULL), 0);
    assert_null(vinc_sim_value_name(NULL, 0));
    const char *words;
    assert_int_equal(vinc_sim_n_texts(NULL), 0);
    assert_null(vinc_sim_text_name(NULL, 0));
    FAILS(vinc_sim_text(NULL, 0, &words));
    assert_int_equal(vinc_sim_n_clocks(NULL), 0);
    assert_true(isnan(vinc_sim_clock_time(NULL, 0)));
    FAILS(vinc_sim_find(NULL, "x"));
    FAILS(vinc_sim_values(NULL, &i, 1, &x));
    FAILS(vinc_sim_at(NULL, 0, &i, 1, &x));
    FAILS(vinc_sim_set_input(NULL, 0, 1));
    FAILS(vinc_sim_set_array(NULL, "x", &x, 1));
    vinc_state *saved = NULL;
    FAILS(vinc_sim_save(NULL, &saved));
    FAILS(vinc_sim_restore(NULL, NULL));
    vinc_state_free(NULL);
    assert_int_equal(vinc_state_size(NULL), 0);
    FAILS(vinc_state_write(NULL, &x, sizeof x));
    FAILS(vinc_state_read(NULL, &x, sizeof x, &saved));
    assert_int_equal(vinc_sim_value_type(NULL, 0), VINC_REAL);
    vinc_event_report told;
    assert_true(isnan(vinc_sim_end(NULL)));
    FAILS(vinc_sim_extend(NULL, 1));
    FAILS(vinc_sim_lend(NULL));
    assert_int_equal(vinc_sim_n_states(NULL), 0);
    assert_int_equal(vinc_sim_state_value(NULL, 0), -1);
    FAILS(vinc_sim_place(NULL, 0, &x));
    FAILS(vinc_sim_states(NULL, &x, NULL));
    FAILS(vinc_sim_rates(NULL, &x));
    assert_int_equal(vinc_sim_n_indicators(NULL), 0);
    FAILS(vinc_sim_indicators(NULL, &x));
    FAILS(vinc_sim_before_event(NULL));
    FAILS(vinc_sim_event(NULL, &told));
    FAILS(vinc_sim_accept(NULL, &i));
    FAILS(vinc_sim_slopes(NULL, &(vinc_slopes){0}, &x, &x));
    FAILS(vinc_model_export(NULL, "x.fmu", &(vinc_export_options){0}));
    assert_null(vinc_dump_stage(-1));
    assert_null(vinc_dump_stage(1000));
}

static void no_result(void **state)
{
    (void)state;
    vinc_column c;
    const char *chart;
    vinc_result *none[1] = {NULL};
    const char *names[1] = {NULL};
    vinc_result_free(NULL);
    assert_int_equal(vinc_result_n_rows(NULL), 0);
    assert_int_equal(vinc_result_first_row(NULL), 0);
    assert_true(isnan(vinc_result_at(NULL, "x", 0)));
    assert_int_equal(vinc_result_n_columns(NULL), 0);
    FAILS(vinc_result_column(NULL, 0, &c));
    FAILS(vinc_result_find(NULL, "x"));
    FAILS(vinc_result_write_csv(NULL, "x.csv"));
    FAILS(vinc_result_write_mat(NULL, "x.mat"));
    FAILS(vinc_result_write(NULL, "x.csv", NULL));
    FAILS(vinc_result_plot(NULL, "x.svg", NULL, &chart));
    FAILS(vinc_results_plot(NULL, NULL, 0, "x.svg", NULL, &chart));
    FAILS(vinc_results_plot(none, names, 1, "x.svg", NULL, &chart));
}

/* ---- no argument ----------------------------------------------------------------------------- */

static void no_arguments_to_a_context(void **state)
{
    world *w = *state;
    vinc_model *model;
    vinc_setting nothing = {NULL, NULL};
    vinc_model_options unset = {.n_settings = 3},
                       nameless = {.settings = &nothing, .n_settings = 1},
                       negative = {.settings = &nothing, .n_settings = -1};
    REFUSED(vinc_ctx_add_path(w->ctx, NULL));
    REFUSED(vinc_parse(w->ctx, NULL, NULL));
    REFUSED(vinc_model_load(w->ctx, NULL, NULL, &model));
    REFUSED(vinc_model_load(w->ctx, NULL, NULL, NULL));
    REFUSED(vinc_model_load_text(w->ctx, "p.mo", NULL, 0, NULL, &model));
    REFUSED(vinc_model_load_text(w->ctx, "p.mo", pendulum, strlen(pendulum), NULL, NULL));
    vinc_model_load_text(w->ctx, NULL, pendulum, strlen(pendulum), NULL, &model);
    vinc_model_free(model);
    FILE *f = fopen(file(w, "p.mo"), "w");
    fputs(pendulum, f);
    fclose(f);
    REFUSED(vinc_model_load_with(w->ctx, w->path, NULL, &unset, &model));
    REFUSED(vinc_model_load_with(w->ctx, w->path, NULL, &nameless, &model));
    assert_null(model);
    REFUSED(vinc_model_load_with(w->ctx, w->path, NULL, &negative, &model));
    unlink(w->path);
    REFUSED(vinc_result_read(w->ctx, NULL, NULL));
    REFUSED(vinc_method_plot(w->ctx, "bdf", NULL, NULL, &w->text));
    REFUSED(vinc_dots_plot(w->ctx, NULL, "x.svg", NULL));
}

static void no_arguments_to_a_model(void **state)
{
    world *w = *state;
    REFUSED(vinc_model_variable(w->model, 0, NULL));
    REFUSED(vinc_model_dump(w->model, NULL, &w->text));
    REFUSED(vinc_model_dump(w->model, "flat", NULL));
    REFUSED(vinc_model_dump(w->model, "nosuch", &w->text));
    REFUSED(vinc_model_plot(w->model, NULL, NULL));
    REFUSED(vinc_sim_new(w->model, NULL, NULL));
}

static void no_arguments_to_a_run(void **state)
{
    world *w = *state;
    double x;
    int i = 0;
    run_short(w);
    vinc_result *result = vinc_sim_result(w->sim);
    FAILS(vinc_sim_set(w->sim, NULL, 1));
    FAILS(vinc_sim_statistics(w->sim, NULL));
    FAILS(vinc_sim_find(w->sim, NULL));
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
    FAILS(vinc_sim_values(w->sim, NULL, 1, &x));
    FAILS(vinc_sim_values(w->sim, &i, 1, NULL));
    FAILS(vinc_result_column(result, 0, NULL));
    FAILS(vinc_result_find(result, NULL));
    assert_true(isnan(vinc_result_at(result, NULL, 0)));
    REFUSED(vinc_result_write_csv(result, NULL));
    REFUSED(vinc_result_write_mat(result, NULL));
    REFUSED(vinc_result_write(result, NULL, NULL));
    REFUSED(vinc_result_plot(result, NULL, NULL, NULL));
    REFUSED(vinc_result_plot(result, "-", NULL, NULL));
}

/* ---- numbers out of range -------------------------------------------------------------------- */

static void wrong_indices(void **state)
{
    world *w = *state;
    vinc_variable v;
    vinc_column c;
    vinc_file_format f;
    double x[3];
    run_short(w);
    FAILS(vinc_result_format(0, NULL));
    FAILS(vinc_figure_format(0, NULL));
    vinc_result *result = vinc_sim_result(w->sim);
    static const int wrong[] = {-1, INT_MIN, 100000, INT_MAX};
    for (int k = 0; k < 4; k++) {
        int i = wrong[k];
        assert_non_null(vinc_ctx_diagnostic(w->ctx, i).text);
        assert_non_null(vinc_sim_diagnostic(w->sim, i).text);
        FAILS(vinc_model_variable(w->model, i, &v));
        FAILS(vinc_result_column(result, i, &c));
        assert_null(vinc_sim_value_name(w->sim, i));
        assert_null(vinc_sim_text_name(w->sim, i));
        FAILS(vinc_sim_text(w->sim, i, NULL));
        assert_null(vinc_method_name(i));
        assert_null(vinc_formulation(i));
        assert_null(vinc_formulation_summary(i));
        assert_null(vinc_preconditioner(i));
        assert_null(vinc_preconditioner_summary(i));
        assert_null(vinc_preconditioner_stores(i));
        FAILS(vinc_result_format(i, &f));
        FAILS(vinc_figure_format(i, &f));
    }
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
    int x_at = vinc_sim_find(w->sim, "x");
    assert_true(x_at >= 0);
    for (int k = 0; k < 4; k++) {
        int list[3] = {x_at, wrong[k], x_at};
        FAILS(vinc_sim_values(w->sim, list, 3, x));
        FAILS(vinc_sim_set_input(w->sim, wrong[k], 1));
    }
    assert_non_null(strstr(vinc_sim_messages(w->sim), "2147483647"));
    FAILS(vinc_sim_values(w->sim, &x_at, -1, x));
    FAILS(vinc_sim_set_input(w->sim, x_at, 1)); // no input
    FAILS(vinc_sim_set_input(w->sim, vinc_sim_find(w->sim, "u"), NAN));
    FAILS(vinc_sim_find(w->sim, "nosuch"));
    assert_non_null(strstr(vinc_sim_messages(w->sim), "nosuch"));
    assert_int_equal(vinc_sim_values(w->sim, &x_at, 1, x), VINC_OK);
    assert_near(x[0], 1, 1e-12);
}

/* Options that make no sense: refused by the run at the latest, with a message; none hangs. */
static void wrong_options_of_a_run(void **state)
{
    world *w = *state;
    static const double late_first[] = {0.5, 0.2}, no_time[] = {NAN, 0.5};
    static const vinc_sim_options list[] = {
        {.n_times = 3},
        {.n_times = -1},
        {.n_times = -1, .times = late_first},
        {.n_times = 2, .times = late_first},
        {.n_times = 2, .times = no_time},
        {.n_ends = 3},
        {.n_ends = -3},
        {.n_ends = 2, .ends = late_first},
        {.n_ends = 2, .ends = no_time},
        {.intervals = -5},
        {.has_stop = 1, .t_stop = NAN},
        {.has_stop = 1, .t_stop = INFINITY},
        {.has_start = 1, .t_start = NAN},
        {.has_start = 1, .t_start = -INFINITY},
        {.has_start = 1, .t_start = 2, .has_stop = 1, .t_stop = 1},
        {.rel_tol = -1},
        {.rel_tol = NAN},
        {.abs_tol = -1},
        {.abs_tol = NAN},
        {.rel_tol = INFINITY},
        {.step = -1},
        {.step = NAN},
        {.step = INFINITY},
        {.max_steps = -1},
        {.method = "nosuch"},
        {.method = ""},
        {.method = "bdf:order=99"},
        {.method = "bdf:order"},
        {.formulation = "nosuch"},
        {.formulation = "baumgarte:zeta="},
        {.formulation = ":"},
        {.method = "rk4", .formulation = "direct"},
        {.input_csv = "/nonexistent/table.csv"},
        {.input_csv = "/dev/null"},
        {.vars = "nosuch"},
        {.vars = "x[,"},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        vinc_sim *sim = (vinc_sim *)w;
        vinc_sim_options o = list[k];
        if (!o.max_steps) o.max_steps = 1000;
        vinc_ctx_clear(w->ctx);
        int rc = vinc_sim_new(w->model, &o, &sim);
        if (rc) assert_null(sim);
        if (!rc) rc = vinc_sim_run(sim);
        if (rc >= 0) fail_msg("options %zu were accepted: %d", k, rc);
        if (!*vinc_ctx_messages(w->ctx)) fail_msg("options %zu: no message", k);
        vinc_sim_free(sim);
    }
}

static void wrong_settings(void **state)
{
    world *w = *state;
    static const struct {
        const char *name;
        double value;
    } list[] = {{"nosuch", 1}, {"", 1}, {"two", 3}, {"x", NAN}, {"g", INFINITY}, {"x", -INFINITY}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        vinc_sim_options o = {.max_steps = 1000};
        assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
        vinc_ctx_clear(w->ctx);
        int rc = vinc_sim_set(w->sim, list[k].name, list[k].value);
        if (!rc) rc = vinc_sim_run(w->sim);
        if (rc >= 0) fail_msg("'%s' = %g was accepted", list[k].name, list[k].value);
        if (!*vinc_sim_messages(w->sim)) fail_msg("'%s': no message", list[k].name);
        vinc_sim_free(w->sim);
        w->sim = NULL;
    }
    // Numbers that are none of a pendulum: an answer or a reason.
    static const double large[] = {1e308, -1e308, 5e-324, 0};
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        vinc_sim_options o = {.max_steps = 200};
        assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
        vinc_sim_set(w->sim, "g", large[k]);
        int rc = vinc_sim_run(w->sim);
        if (rc < 0) assert_true(*vinc_sim_messages(w->sim));
        vinc_sim_free(w->sim);
        w->sim = NULL;
    }
}

static void wrong_formats(void **state)
{
    world *w = *state;
    vinc_format wrong = (vinc_format)77;
    run_short(w);
    // A format that does not exist is text, or refused: no crash, no uninitialised pointer.
    w->text = "old";
    if (vinc_model_check(w->model, wrong, &w->text) < 0) assert_true(!w->text || !*w->text);
    assert_non_null(vinc_sim_report(w->sim, wrong));
}

/* ---- wrong order ----------------------------------------------------------------------------- */

static void result_before_the_run(void **state)
{
    world *w = *state;
    vinc_column c;
    assert_int_equal(vinc_sim_new(w->model, NULL, &w->sim), VINC_OK);
    vinc_result *result = vinc_sim_result(w->sim);
    assert_int_equal(vinc_result_n_rows(result), 0);
    assert_true(isnan(vinc_result_at(result, "x", 0)));
    vinc_result_n_columns(result);
    vinc_result_column(result, 0, &c);
    vinc_result_find(result, "x");
    FAILS(vinc_result_write_csv(result, file(w, "x.csv")));
    FAILS(vinc_result_write_mat(result, file(w, "x.mat")));
    FAILS(vinc_result_plot(result, file(w, "x.svg"), NULL, NULL));
    FAILS(vinc_result_plot(result, file(w, "x.html"), NULL, NULL));
    FAILS(vinc_result_plot(result, "-", NULL, &w->text));
    assert_non_null(vinc_sim_report(w->sim, VINC_TEXT));
    assert_non_null(vinc_sim_report(w->sim, VINC_JSON));
}

static void steps_in_the_wrong_order(void **state)
{
    world *w = *state;
    double x;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1};
    assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
    int at = vinc_sim_find(w->sim, "x");
    FAILS(vinc_sim_advance(w->sim, 0.5)); // not started
    assert_true(*vinc_sim_messages(w->sim));
    FAILS(vinc_sim_step(w->sim, 0.5));
    FAILS(vinc_sim_values(w->sim, &at, 1, &x));
    FAILS(vinc_sim_at(w->sim, 0, &at, 1, &x)); // nobody follows it
    FAILS(vinc_sim_save(w->sim, NULL));
    FAILS(vinc_sim_restore(w->sim, NULL));
    FAILS(vinc_sim_set_array(w->sim, "x", &x, -1));
    FAILS(vinc_sim_set_array(w->sim, "nosuch", NULL, 0));
    FAILS(vinc_sim_set_array(w->sim, NULL, &x, 1));
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
    assert_true(vinc_sim_advance(w->sim, 0.5) >= 0);
    assert_near(vinc_sim_time(w->sim), 0.5, 0);
    FAILS(vinc_sim_advance(w->sim, 0.25)); // back
    FAILS(vinc_sim_advance(w->sim, NAN));
    FAILS(vinc_sim_advance(w->sim, 2)); // beyond the end
    FAILS(vinc_sim_advance(w->sim, INFINITY));
    FAILS(vinc_sim_step(w->sim, 0.25));
    FAILS(vinc_sim_step(w->sim, NAN));
    assert_near(vinc_sim_time(w->sim), 0.5, 0); // none of them moved it
    FAILS(vinc_sim_extend(w->sim, 0.7));        // an earlier end
    FAILS(vinc_sim_extend(w->sim, INFINITY));
    assert_true(vinc_sim_advance(w->sim, 1) >= 0);
    FAILS(vinc_sim_extend(w->sim, 2)); // it is there
    assert_int_equal(vinc_sim_reset(w->sim), VINC_OK);
    FAILS(vinc_sim_step(w->sim, 1));
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
    assert_near(vinc_sim_time(w->sim), 0, 0);
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK); // once more
    assert_true(vinc_sim_run(w->sim) >= 0);            // a whole run in between
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
    assert_true(vinc_sim_step(w->sim, 1) >= 0);
}

static void lent_in_the_wrong_order(void **state)
{
    world *w = *state;
    double x[4], v = 1;
    int at = 0, event;
    vinc_event_report told;
    vinc_state *kept = NULL;
    vinc_slopes q = {&at, &at, 1, 1, 0};
    assert_int_equal(vinc_sim_new(w->model, &(vinc_sim_options){.lend = 1}, &w->sim), VINC_OK);
    FAILS(vinc_sim_place(w->sim, 0, NULL)); // not lent
    FAILS(vinc_sim_rates(w->sim, x));
    FAILS(vinc_sim_states(w->sim, x, x));
    FAILS(vinc_sim_indicators(w->sim, x));
    FAILS(vinc_sim_before_event(w->sim));
    FAILS(vinc_sim_event(w->sim, &told));
    FAILS(vinc_sim_accept(w->sim, &event));
    FAILS(vinc_sim_slopes(w->sim, &q, &v, x));
    assert_int_equal(vinc_sim_lend(w->sim), VINC_OK);
    FAILS(vinc_sim_rates(w->sim, NULL));
    FAILS(vinc_sim_indicators(w->sim, NULL));
    FAILS(vinc_sim_event(w->sim, NULL));
    FAILS(vinc_sim_accept(w->sim, NULL));
    FAILS(vinc_sim_slopes(w->sim, NULL, &v, x));
    FAILS(vinc_sim_slopes(w->sim, &q, NULL, x));
    at = -100;
    FAILS(vinc_sim_slopes(w->sim, &q, &v, x));
    at = 100000;
    FAILS(vinc_sim_slopes(w->sim, &q, &v, x));
    FAILS(vinc_sim_step(w->sim, 1));
    FAILS(vinc_state_read(w->sim, NULL, 0, &kept));
    FAILS(vinc_state_read(w->sim, x, sizeof x, &kept));
    assert_int_equal(vinc_sim_save(w->sim, &kept), VINC_OK);
    FAILS(vinc_state_write(kept, NULL, 0));
    assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
    FAILS(vinc_sim_restore(w->sim, kept)); // it was lent then
    vinc_state_free(kept);
    REFUSED(vinc_model_export(w->model, NULL, &(vinc_export_options){0}));
    REFUSED(vinc_model_export(w->model, "x.fmu", NULL));
    REFUSED(vinc_model_export(w->model, "x.fmu", &(vinc_export_options){0}));
    REFUSED(vinc_model_export(w->model, "/nowhere/x.fmu",
                              &(vinc_export_options){.fmi = 4, .libraries = "."}));
    REFUSED(
        vinc_model_export(w->model, "/nowhere/x.fmu", &(vinc_export_options){.libraries = "."}));
}

/* Again, and with other values: no trace of the first run. */
static void run_again(void **state)
{
    world *w = *state;
    run_short(w);
    double first = vinc_result_at(vinc_sim_result(w->sim), "y", 0.1);
    assert_int_equal(vinc_sim_run(w->sim), VINC_OK);
    assert_true(vinc_result_at(vinc_sim_result(w->sim), "y", 0.1) == first);
    assert_int_equal(vinc_sim_set(w->sim, "g", 1), VINC_OK);
    assert_int_equal(vinc_sim_run(w->sim), VINC_OK);
    assert_true(vinc_result_at(vinc_sim_result(w->sim), "y", 0.1) != first);
    assert_int_equal(vinc_sim_set(w->sim, "g", 9.81), VINC_OK);
    assert_int_equal(vinc_sim_run(w->sim), VINC_OK);
    assert_true(vinc_result_at(vinc_sim_result(w->sim), "y", 0.1) == first);
    assert_true(isnan(vinc_result_at(vinc_sim_result(w->sim), "nosuch", 0)));
    assert_true(isnan(vinc_result_at(vinc_sim_result(w->sim), "x", NAN)));
}

/* Columns stay from run to run, with the values of this run, and without what was added to look at. */
static void columns_of_runs_made_again(void **state)
{
    world *w = *state;
    vinc_column column;
    run_short(w);
    int n = vinc_result_n_columns(vinc_sim_result(w->sim)), g;
    for (int k = 0; k < 4; k++) {
        double value = 9 + k;
        assert_int_equal(vinc_sim_set(w->sim, "g", value), VINC_OK);
        assert_int_equal(vinc_sim_run(w->sim), VINC_OK);
        vinc_result *r = vinc_sim_result(w->sim);
        assert_int_equal(vinc_result_n_columns(r), n);
        assert_true(vinc_result_at(r, "g", 0.1) == value);
        for (int i = 0; i < n; i++) assert_int_equal(vinc_result_column(r, i, &column), VINC_OK);
        assert_true((g = vinc_result_find(r, "g")) > 0);
        if (k == 1) {
            char path[100];
            snprintf(path, sizeof path, "%s/twice.csv", w->folder);
            assert_int_equal(vinc_result_write(r, path, "2*y"), VINC_OK);
            unlink(path);
        }
    }
}

/* What was made from a handle outlives it, and then does nothing but say so. */
static void freed_before_its_children(void **state)
{
    world *w = *state;
    vinc_sim *sim;
    vinc_result *read;
    vinc_state *saved = NULL;
    double x = 1;
    int i = 0;
    run_short(w);
    assert_int_equal(vinc_result_write_csv(vinc_sim_result(w->sim), file(w, "x.csv")), VINC_OK);
    assert_int_equal(vinc_result_read(w->ctx, w->path, &read), VINC_OK);
    unlink(w->path);
    vinc_model_free(w->model);
    w->model = NULL;
    FAILS(vinc_sim_run(w->sim));
    assert_non_null(strstr(vinc_sim_messages(w->sim), "has been freed"));
    FAILS(vinc_sim_set(w->sim, "g", 1));
    FAILS(vinc_sim_start(w->sim));
    FAILS(vinc_sim_advance(w->sim, 0.1));
    FAILS(vinc_sim_step(w->sim, 0.1));
    FAILS(vinc_sim_values(w->sim, &i, 1, &x));
    FAILS(vinc_sim_set_input(w->sim, 0, 1));
    FAILS(vinc_sim_reset(w->sim));
    FAILS(vinc_sim_set_array(w->sim, "x", &x, 1));
    FAILS(vinc_sim_save(w->sim, &saved));
    assert_true(vinc_result_n_rows(vinc_sim_result(w->sim)) > 0); // what there was is there
    vinc_sim_free(w->sim);
    w->sim = NULL;
    static const char other[] = "model Q Real x(start = 1); equation der(x) = -x; end Q;";
    assert_int_equal(vinc_model_load_text(w->ctx, "q.mo", other, strlen(other), NULL, &w->model),
                     VINC_OK);
    run_short(w);
    vinc_ctx_free(w->ctx);
    w->ctx = NULL;
    FAILS(vinc_sim_run(w->sim));
    assert_non_null(strstr(vinc_sim_messages(w->sim), "has been freed"));
    FAILS(vinc_sim_new(w->model, NULL, &sim));
    assert_null(sim);
    assert_near(vinc_result_at(read, "x", 0), 1, 1e-9);
    vinc_result_free(read);
}

/* ---- after a failure ------------------------------------------------------------------------- */

static void texts_that_are_no_models(void **state)
{
    world *w = *state;
    static const char *const list[] = {"",
                                       ";",
                                       "model",
                                       "model q x end q;",
                                       "\0\0\0",
                                       "package E end E;",
                                       "model A Real x; end B;",
                                       "model A Real x; equation x = y; end A;"};
    for (int round = 0; round < 3; round++)
        for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
            vinc_model *m = (vinc_model *)w;
            REFUSED(vinc_model_load_text(w->ctx, "q.mo", list[k], strlen(list[k]), NULL, &m));
            assert_null(m);
        }
    vinc_model *m;
    REFUSED(vinc_model_load_text(w->ctx, "p.mo", pendulum, strlen(pendulum), "Nosuch", &m));
    REFUSED(vinc_model_load_text(w->ctx, "p.mo", pendulum, strlen(pendulum), "", &m));
    REFUSED(vinc_model_load(w->ctx, "/nonexistent/p.mo", NULL, &m));
    REFUSED(vinc_model_load(w->ctx, "No.Such.Class", NULL, &m));
    REFUSED(vinc_model_load(w->ctx, "", NULL, &m));
    REFUSED(vinc_parse(w->ctx, "/nonexistent", NULL));
    run_short(w); // the context and its first model are none the worse
    static const char good[] = "model Good Real x; equation x = time; end Good;";
    assert_int_equal(vinc_model_load_text(w->ctx, "good.mo", good, strlen(good), NULL, &m),
                     VINC_OK);
    vinc_model_free(m); // though the messages about the others are still there
    assert_true(*vinc_ctx_messages(w->ctx));
}

/* A model with one equation too many is loaded, and then refused by everything that solves it: by
 * each the same way, again and again. */
static void a_wrong_model_stays_wrong(void **state)
{
    world *w = *state;
    static const char text[] = "model A Real x, y; equation x = 1; x = 2*y; x + y = 3; end A;";
    vinc_model *m = NULL;
    vinc_sim *sim;
    vinc_sim_options run = {.method = "radau5", .step = 0.1};
    vinc_convergence_options c = {.run = &run};
    vinc_contractivity_options d = {.run = &run};
    vinc_model_load_text(w->ctx, "a.mo", text, strlen(text), NULL, &m);
    for (int round = 0; round < 3; round++) {
        vinc_model_check(m, VINC_TEXT, &w->text);
        vinc_model_check(m, VINC_JSON, &w->text);
        vinc_model_semi_explicit(m, &w->text);
        vinc_model_dump(m, "tape", &w->text);
        vinc_model_dump(m, "blt", &w->text);
        FAILS(vinc_sim_new(m, NULL, &sim));
        assert_null(sim);
        FAILS(vinc_model_convergence(m, &c, VINC_TEXT, &w->text));
        FAILS(vinc_model_contractivity(m, &d, VINC_TEXT, &w->text));
        FAILS(vinc_model_pencil(m, NULL, VINC_TEXT, &w->text));
        FAILS(vinc_model_linearize(m, NULL, VINC_TEXT, &w->text));
        FAILS(vinc_model_passivity(m, NULL, VINC_TEXT, &w->text));
        assert_true(*vinc_ctx_messages(w->ctx));
    }
    vinc_model_free(m);
}

/* A run that fails halfway keeps what it has, says why, and can be run and stepped again. */
static void after_a_failed_run(void **state)
{
    world *w = *state;
    static const char text[] = "model A Real x(start = 1, fixed = true); equation der(x) = 1; "
                               "assert(x < 1.5, \"too far\"); end A;";
    vinc_model *m;
    vinc_sim_stats stats;
    assert_int_equal(vinc_model_load_text(w->ctx, "a.mo", text, strlen(text), NULL, &m), VINC_OK);
    assert_int_equal(vinc_sim_new(m, NULL, &w->sim), VINC_OK);
    for (int round = 0; round < 3; round++) {
        FAILS(vinc_sim_run(w->sim));
        assert_non_null(strstr(vinc_sim_messages(w->sim), "too far"));
        assert_true(vinc_sim_n_diagnostics(w->sim) > 0);
        assert_non_null(strstr(vinc_sim_diagnostic(w->sim, 0).text, "too far"));
        assert_true(vinc_result_n_rows(vinc_sim_result(w->sim)) > 10);
        assert_int_equal(vinc_sim_statistics(w->sim, &stats), VINC_OK);
        assert_non_null(strstr(vinc_sim_report(w->sim, VINC_JSON), "failed"));
        assert_int_equal(vinc_sim_start(w->sim), VINC_OK);
        assert_true(vinc_sim_advance(w->sim, 0.25) >= 0);
        FAILS(vinc_sim_advance(w->sim, 0.75));
        FAILS(vinc_sim_advance(w->sim, 1)); // it is over
        FAILS(vinc_sim_step(w->sim, 1));
    }
    vinc_sim_free(w->sim);
    w->sim = NULL;
    vinc_model_free(m);
}

static void after_failed_start_values(void **state)
{
    world *w = *state;
    double x;
    int i = 0;
    assert_int_equal(vinc_sim_new(w->model, NULL, &w->sim), VINC_OK);
    assert_int_equal(vinc_sim_set(w->sim, "x", 3), VINC_OK); // not on the circle
    for (int round = 0; round < 2; round++) {
        FAILS(vinc_sim_run(w->sim));
        FAILS(vinc_sim_start(w->sim));
        FAILS(vinc_sim_advance(w->sim, 0.5));
        FAILS(vinc_sim_values(w->sim, &i, 1, &x));
        assert_true(*vinc_sim_messages(w->sim));
        vinc_sim_advise(w->sim);
    }
    assert_int_equal(vinc_sim_set(w->sim, "x", 0.6), VINC_OK);
    assert_true(vinc_sim_run(w->sim) >= 0); // and then it runs
}

/* Of thousands of variables that follow from others the start has no rows: what it cannot honour it refuses. It was
 * accepted, and nothing came of it. */
static void start_values_of_what_follows(void **state)
{
    world *w = *state;
    static const char text[] =
        "model Many parameter Integer n = 1000; Real x[n](each start = 1), i[n];\n"
        "equation for k in 1:n loop der(x[k]) = -i[k]*x[k]; i[k] = 2*x[k]; end for; end Many;";
    vinc_model *m = NULL;
    assert_int_equal(vinc_model_load_text(w->ctx, "many.mo", text, sizeof text - 1, NULL, &m), 0);
    assert_int_equal(vinc_sim_new(m, NULL, &w->sim), VINC_OK);
    FAILS(vinc_sim_set(w->sim, "i[3]", 0.25));
    assert_non_null(strstr(vinc_sim_messages(w->sim), "'i[3]' follows from others"));
    assert_int_equal(vinc_sim_set(w->sim, "x[3]", 0.25), VINC_OK);
    vinc_sim_free(w->sim);
    w->sim = NULL;
    vinc_model_free(m);
}

static int stop_at_once(void *user, const vinc_progress *p)
{
    (void)user;
    (void)p;
    return 1;
}

static void stopped_by_the_caller(void **state)
{
    world *w = *state;
    vinc_sim_options o = {.progress = stop_at_once};
    assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
    assert_int_equal(vinc_sim_run(w->sim), VINC_STOPPED);
    assert_true(vinc_result_n_rows(vinc_sim_result(w->sim)) >= 1);
    assert_int_equal(vinc_sim_run(w->sim), VINC_STOPPED);
}

/* ---- studies --------------------------------------------------------------------------------- */

static int look_wrongly(void *user, vinc_sim *sim, double t0, double t1)
{
    double x[2];
    int list[2] = {0, INT_MAX}, *calls = user;
    FAILS(vinc_sim_at(sim, t0 - 1, list, 1, x));
    FAILS(vinc_sim_at(sim, t1 + 1, list, 1, x));
    FAILS(vinc_sim_at(sim, NAN, list, 1, x));
    FAILS(vinc_sim_at(sim, t0, list, 2, x));
    FAILS(vinc_sim_at(sim, t0, NULL, 1, x));
    FAILS(vinc_sim_at(sim, t0, list, 1, NULL));
    assert_int_equal(vinc_sim_at(sim, t1, list, 1, x), VINC_OK);
    return ++*calls == 3;
}

/* Who follows a run may ask wrongly, and may leave it. */
static void followed_wrongly(void **state)
{
    world *w = *state;
    int calls = 0;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .follow = look_wrongly, .user = &calls};
    assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
    assert_int_equal(vinc_sim_run(w->sim), VINC_STOPPED);
    assert_int_equal(calls, 3);
}

static void wrong_sweeps(void **state)
{
    world *w = *state;
    vinc_sweep *sweep = NULL;
    const char *vary[] = {"g=9,10"}, *nothing[] = {NULL};
    vinc_sweep_options o = {.vary = vary, .n_vary = 1};
    FAILS(vinc_sweep_of(NULL, &o, &sweep));
    REFUSED(vinc_sweep_of(w->model, &o, NULL));
    REFUSED(vinc_sweep_of(w->model, NULL, &sweep));
    const vinc_sweep_options wrong[] = {
        {.n_vary = 1},
        {.vary = nothing, .n_vary = 1},
        {.vary = vary, .n_vary = -1},
        {.vary = vary, .n_vary = 1, .jobs = INT_MAX},
        {.vary = vary, .n_vary = 1, .samples = -1},
        {.vary = vary, .n_vary = 1, .part = -1, .parts = 2},
        {.vary = vary, .n_vary = 1, .resume = 1},
        {.vary = vary, .n_vary = 1, .resume = 1, .out = "/nowhere/a.csv"},
        {.vary = vary, .n_vary = 1, .trajectories = "/nowhere/at/all"},
        {.vary = vary, .n_vary = 1, .collect = "nosuch"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(vinc_sweep_of(w->model, &wrong[i], &sweep));
        assert_null(sweep);
    }
    const char *parts[] = {"/nowhere/a.runs", NULL};
    FAILS(vinc_sweep_merge(NULL, parts, 1, &o, &sweep));
    REFUSED(vinc_sweep_merge(w->ctx, NULL, 1, &o, &sweep));
    REFUSED(vinc_sweep_merge(w->ctx, parts, 0, &o, &sweep));
    REFUSED(vinc_sweep_merge(w->ctx, parts, 1, NULL, &sweep));
    REFUSED(vinc_sweep_merge(w->ctx, parts, 2, &o, &sweep));
    REFUSED(vinc_sweep_merge(w->ctx, parts, 1, &o, NULL));
    for (int i = -1; i < 2000; i += 2001) {
        assert_null(vinc_sweep_distribution(i));
        assert_null(vinc_sweep_distribution_summary(i));
        assert_null(vinc_sweep_functional(i));
        assert_null(vinc_sweep_functional_summary(i));
    }
}

static void wrong_options_of_studies(void **state)
{
    world *w = *state;
    vinc_sim_options stepless = {.method = "radau5"}, run = {.method = "radau5", .step = 0.1},
                     nosuch = {.method = "nosuch", .step = 0.1};
    vinc_convergence_options c = {0};
    REFUSED(vinc_model_convergence(w->model, &c, VINC_TEXT, &w->text));
    c.run = &stepless;
    REFUSED(vinc_model_convergence(w->model, &c, VINC_TEXT, &w->text));
    c.run = &nosuch;
    REFUSED(vinc_model_convergence(w->model, &c, VINC_TEXT, &w->text));
    c = (vinc_convergence_options){.run = &run, .levels = -3};
    ANSWERED(vinc_model_convergence(w->model, &c, VINC_TEXT, &w->text));
    c = (vinc_convergence_options){.run = &run, .vars = "nosuch"};
    REFUSED(vinc_model_convergence(w->model, &c, VINC_TEXT, &w->text));
    vinc_contractivity_options d = {.run = &nosuch};
    REFUSED(vinc_model_contractivity(w->model, &d, VINC_TEXT, &w->text));
    vinc_linear_options l = {.vars = "nosuch"};
    REFUSED(vinc_model_linearize(w->model, &l, VINC_TEXT, &w->text));
    l = (vinc_linear_options){.csv = "/nonexistent/m.csv"};
    REFUSED(vinc_model_linearize(w->model, &l, VINC_TEXT, &w->text));
    vinc_passivity_options p = {.storage = "nosuch"};
    REFUSED(vinc_model_passivity(w->model, &p, VINC_TEXT, &w->text));
    REFUSED(vinc_model_pencil(w->model, NULL, VINC_TEXT, &w->text)); // not linear
    REFUSED(vinc_pencil_report(w->ctx, "/dev/null", "/dev/null", NULL, VINC_TEXT, &w->text));
    REFUSED(vinc_passivity_report(w->ctx, "", "", VINC_TEXT, &w->text));
    REFUSED(vinc_passivity_report(w->ctx, "0", "0", VINC_TEXT, &w->text));
    REFUSED(vinc_passivity_report(w->ctx, "1,nan", "1,inf", VINC_TEXT, &w->text));
    REFUSED(vinc_passivity_report(w->ctx, "1,,2", "1", VINC_TEXT, &w->text));
    REFUSED(vinc_method_report(w->ctx, "nosuch", NULL, VINC_TEXT, &w->text));
    ANSWERED(vinc_method_report(w->ctx, ",,,", NULL, VINC_TEXT, &w->text));
    REFUSED(vinc_method_report(w->ctx, "/etc/hostname", NULL, VINC_TEXT, &w->text));
    REFUSED(vinc_method_plot(w->ctx, "bdf2", file(w, "m.svg"), "nosuch", &w->text));
}

static void wrong_pencils(void **state)
{
    world *w = *state;
    static const char *const text[] = {"1,0\n0\n", "1,x\n0,1\n", "nan,0\n0,1\n", "1,0\n", "\n\n"};
    char g[100];
    strcpy(g, file(w, "g.csv"));
    FILE *f = fopen(g, "w");
    fputs("1,0\n0,1\n", f);
    fclose(f);
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        f = fopen(file(w, "f.csv"), "w");
        fputs(text[k], f);
        fclose(f);
        REFUSED(vinc_pencil_report(w->ctx, w->path, g, NULL, VINC_TEXT, &w->text));
    }
    vinc_pencil_options o = {.rhs = "1"};
    REFUSED(vinc_pencil_report(w->ctx, g, g, &o, VINC_TEXT, &w->text)); // one of two
    o = (vinc_pencil_options){.rhs = "sin(; 1"};
    REFUSED(vinc_pencil_report(w->ctx, g, g, &o, VINC_TEXT, &w->text));
    o = (vinc_pencil_options){.rhs = "1; 1", .x0 = "1,2,3"};
    REFUSED(vinc_pencil_report(w->ctx, g, g, &o, VINC_TEXT, &w->text));
    o = (vinc_pencil_options){.rhs = "1; 1", .stop = NAN};
    ANSWERED(vinc_pencil_report(w->ctx, g, g, &o, VINC_TEXT, &w->text));
    o = (vinc_pencil_options){.rhs = "1; 1", .intervals = -1};
    ANSWERED(vinc_pencil_report(w->ctx, g, g, &o, VINC_TEXT, &w->text));
    unlink(file(w, "f.csv"));
    unlink(g);
}

/* ---- files and figures ----------------------------------------------------------------------- */

static void wrong_files(void **state)
{
    world *w = *state;
    vinc_result *read;
    run_short(w);
    vinc_result *result = vinc_sim_result(w->sim);
    REFUSED(vinc_result_write_csv(result, "/nonexistent/x.csv"));
    REFUSED(vinc_result_write_mat(result, "/nonexistent/x.mat"));
    REFUSED(vinc_result_write(result, file(w, "x.nosuch"), NULL));
    REFUSED(vinc_result_write(result, file(w, "x.csv"), "nosuch"));
    REFUSED(vinc_result_write(result, "", NULL));
    REFUSED(vinc_result_plot(result, "/nonexistent/x.svg", NULL, NULL));
    REFUSED(vinc_result_plot(result, file(w, "x.nosuch"), NULL, NULL));
    REFUSED(vinc_model_plot(w->model, "/nonexistent/x.svg", NULL));
    REFUSED(vinc_model_plot(w->model, file(w, "x.nosuch"), NULL));
    REFUSED(vinc_method_plot(w->ctx, "bdf2", "/nonexistent/x.svg", NULL, NULL));
    REFUSED(vinc_result_read(w->ctx, "/nonexistent/x.csv", &read));
    REFUSED(vinc_result_read(w->ctx, "/dev/null", &read));
    REFUSED(vinc_result_read(w->ctx, w->folder, &read));
    assert_null(read);
    assert_int_equal(vinc_ctx_add_path(w->ctx, "/nonexistent/folder"), VINC_OK); // none is needed
}

static void wrong_sizes_of_figures(void **state)
{
    world *w = *state;
    static const double widths[] = {-5, NAN, INFINITY, 1e300, 4001, 99, 1e-300, 0.001};
    static const char *const names[] = {"x.svg", "x.png", "x.pdf"};
    run_short(w);
    vinc_result *result = vinc_sim_result(w->sim);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int n = 0; n < 3; n++) {
            vinc_plot_options o = {.vars = "x", .width = widths[k]};
            vinc_ctx_clear(w->ctx);
            assert_true(vinc_result_plot(result, file(w, names[n]), &o, NULL) < 0);
            assert_non_null(
                strstr(vinc_ctx_messages(w->ctx), "points wide; give a width from 100 to 4000"));
            assert_true(access(w->path, F_OK) != 0); // and nothing is written
        }
    static const int columns[] = {-5, 1, 100000, INT_MAX, INT_MIN};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        vinc_plot_options o = {.vars = "x", .columns = columns[k]};
        int rc = vinc_result_plot(result, "-", &o, &w->text);
        if (rc >= 0) assert_non_null(w->text);
    }
    static const char *const vars[] = {"nosuch", ",,;;::", "x:", ":", "x:y:vx", "*:*", "x[", ""};
    for (size_t k = 0; k < sizeof vars / sizeof *vars; k++) {
        vinc_plot_options o = {.vars = vars[k]};
        vinc_ctx_clear(w->ctx);
        int rc = vinc_result_plot(result, file(w, "x.svg"), &o, NULL);
        if (rc < 0) assert_true(*vinc_ctx_messages(w->ctx));
        unlink(w->path);
    }
    vinc_result *two[2] = {result, NULL};
    const char *legend[2] = {"a", NULL};
    REFUSED(vinc_results_plot(two, legend, 2, file(w, "x.svg"), NULL, NULL));
    FAILS(vinc_results_plot(two, legend, 0, file(w, "x.svg"), NULL, NULL));
    FAILS(vinc_results_plot(two, legend, -1, file(w, "x.svg"), NULL, NULL));
    REFUSED(vinc_results_plot(two, NULL, 1, NULL, NULL, NULL));
}

static void wrong_tables_of_dots(void **state)
{
    world *w = *state;
    double values[4] = {1, NAN, 0, -1}, none[4] = {NAN, NAN, NAN, NAN};
    const char *rows[2] = {"a", "b"}, *series[2] = {"s", "t"};
    vinc_measure m = {"error", "1", values, 0}, empty = {"error", "1", none, 0},
                 missing = {NULL, NULL, NULL, 0};
    vinc_dots d = {0};
    REFUSED(vinc_dots_plot(w->ctx, &d, file(w, "d.svg"), NULL));
    d = (vinc_dots){rows, series, &m, -1, 2, 1};
    REFUSED(vinc_dots_plot(w->ctx, &d, file(w, "d.svg"), NULL));
    d = (vinc_dots){rows, series, &missing, 2, 2, 1};
    REFUSED(vinc_dots_plot(w->ctx, &d, file(w, "d.svg"), NULL));
    d = (vinc_dots){rows, series, &m, 2, 2, 1};
    REFUSED(vinc_dots_plot(w->ctx, &d, NULL, NULL));
    REFUSED(vinc_dots_plot(w->ctx, &d, file(w, "d.nosuch"), NULL));
    assert_int_equal(vinc_dots_plot(w->ctx, &d, file(w, "d.svg"), NULL), VINC_OK);
    d.measures = &empty; // nothing to draw but the crosses
    vinc_dots_plot(w->ctx, &d, file(w, "d.svg"), NULL);
    unlink(w->path);
}

/* ---- the solver alone ------------------------------------------------------------------------ */

static int decay(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user;
    (void)t;
    r[0] = yp[0] + y[0];
    return 0;
}

static int no_number(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user;
    (void)t;
    (void)y;
    (void)yp;
    r[0] = NAN;
    return 0;
}

static int cannot(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user;
    (void)t;
    (void)y;
    (void)yp;
    (void)r;
    return 1;
}

static int never(void *user, double t, const double *y, const double *yp, double *r)
{
    return -cannot(user, t, y, yp, r);
}

static void no_solver(void **state)
{
    (void)state;
    vinc_problem p = {.n = 1, .residual = decay};
    vinc_solver *s = (vinc_solver *)&p;
    double y = 1, yp = -1;
    char why[200] = "";
    FAILS(vinc_solver_new(NULL, NULL, why, sizeof why, &s));
    assert_null(s);
    assert_true(*why);
    FAILS(vinc_solver_new(&p, NULL, why, sizeof why, NULL));
    vinc_solver_free(NULL);
    FAILS(vinc_solver_consistent(NULL, 0, &y, &yp));
    FAILS(vinc_solver_start(NULL, 0, &y, &yp));
    FAILS(vinc_solver_step(NULL, 1));
    FAILS(vinc_solver_run(NULL, 1));
    assert_true(isnan(vinc_solver_time(NULL)));
    assert_null(vinc_solver_y(NULL));
    assert_null(vinc_solver_yp(NULL));
    FAILS(vinc_solver_at(NULL, 0, &y, &yp));
    assert_int_equal(vinc_solver_stats(NULL).steps, 0);
    assert_non_null(vinc_solver_method(NULL));
    assert_non_null(vinc_solver_message(NULL));
    assert_true(vinc_problem_check(NULL, 0, &y, &yp, why, sizeof why) != 0);
    assert_true(vinc_problem_check(&p, 0, NULL, NULL, why, sizeof why) != 0);
    assert_true(vinc_problem_check(&p, 0, &y, &yp, NULL, 0) == 0);
}

static void wrong_problems(void **state)
{
    (void)state;
    static const int start[2] = {0, 5}, rows[5] = {0, 7, 9, -1, 3}, falling[2] = {1, 0};
    static const vinc_pattern beyond = {1, 1, 5, start, rows}, back = {1, 1, 1, falling, rows},
                              empty = {1, 1, 0, NULL, NULL}, large = {3, 3, 1, start, rows};
    static const double zero = 0, nan = NAN, minus = -1;
    const vinc_problem list[] = {
        {.n = -1, .residual = decay},
        {.n = INT_MAX, .residual = decay},
        {.n = 1},
        {.n = 1, .residual = decay, .jac = &beyond},
        {.n = 1, .residual = decay, .jac = &back},
        {.n = 1, .residual = decay, .jac = &empty},
        {.n = 1, .residual = decay, .jac = &large},
        {.n = 1, .residual = decay, .nominal = &zero},
        {.n = 1, .residual = decay, .nominal = &nan},
        {.n = 1, .residual = decay, .nominal = &minus},
        {.n = 1, .residual = decay, .n_roots = -1},
        {.n = 1, .residual = decay, .n_roots = 2}, // no function for them
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        vinc_solver *s = (vinc_solver *)&list;
        char why[200] = "";
        int rc = vinc_solver_new(&list[k], NULL, why, sizeof why, &s);
        if (rc >= 0) fail_msg("problem %zu was accepted", k);
        assert_null(s);
        if (!*why) fail_msg("problem %zu: no reason", k);
    }
}

static void wrong_options_of_a_solver(void **state)
{
    (void)state;
    vinc_problem p = {.n = 1, .residual = decay};
    static const double each = NAN;
    static const vinc_solver_options list[] = {
        {.method = "nosuch"}, {.method = ""},          {.rel_tol = -1}, {.rel_tol = NAN},
        {.abs_tol = -1},      {.abs_tol_each = &each}, {.step = -1},    {.step = NAN},
        {.h_first = -1},      {.h_max = -1},           {.h_max = NAN},  {.step = INFINITY},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        vinc_solver *s;
        char why[200] = "", brief[1] = {'x'};
        int rc = vinc_solver_new(&p, &list[k], why, sizeof why, &s);
        if (rc >= 0) fail_msg("options %zu were accepted", k);
        if (!*why) fail_msg("options %zu: no reason", k);
        assert_null(s);
        FAILS(vinc_solver_new(&p, &list[k], brief, 1, &s));
        assert_int_equal(brief[0], 0);
        FAILS(vinc_solver_new(&p, &list[k], NULL, 0, &s));
    }
}

static void solver_in_the_wrong_order(void **state)
{
    (void)state;
    vinc_problem p = {.n = 1, .residual = decay};
    vinc_solver *s;
    double y = 1, yp = -1, nan = NAN;
    assert_int_equal(vinc_solver_new(&p, NULL, NULL, 0, &s), VINC_OK);
    FAILS(vinc_solver_step(s, 1)); // not started
    assert_true(*vinc_solver_message(s));
    FAILS(vinc_solver_run(s, 1));
    FAILS(vinc_solver_at(s, 0, &y, &yp));
    FAILS(vinc_solver_start(s, 0, NULL, NULL));
    FAILS(vinc_solver_start(s, NAN, &y, &yp));
    FAILS(vinc_solver_start(s, 0, &nan, &yp));
    FAILS(vinc_solver_consistent(s, 0, NULL, NULL));
    assert_int_equal(vinc_solver_start(s, 1, &y, &yp), VINC_OK);
    FAILS(vinc_solver_run(s, 0)); // back
    FAILS(vinc_solver_run(s, NAN));
    FAILS(vinc_solver_step(s, NAN));
    FAILS(vinc_solver_step(s, 0.5));
    assert_int_equal(vinc_solver_run(s, 1), VINC_OK); // there already
    assert_int_equal(vinc_solver_run(s, 2), VINC_OK);
    assert_near(vinc_solver_y(s)[0], exp(-1), 1e-4);
    FAILS(vinc_solver_at(s, NAN, &y, &yp));
    assert_int_equal(vinc_solver_at(s, 2, NULL, NULL), VINC_OK);
    // After a failure it can begin again.
    y = 1;
    yp = -1;
    assert_int_equal(vinc_solver_start(s, 0, &y, &yp), VINC_OK);
    assert_int_equal(vinc_solver_run(s, 1), VINC_OK);
    assert_near(vinc_solver_y(s)[0], exp(-1), 1e-4);
    vinc_solver_free(s);
}

static void callbacks_that_fail(void **state)
{
    (void)state;
    int (*const list[])(void *, double, const double *, const double *, double *) = {no_number,
                                                                                     cannot, never};
    for (int k = 0; k < 3; k++)
        for (int i = 0; vinc_method_name(i); i++) {
            vinc_problem p = {.n = 1, .residual = list[k]};
            vinc_solver_options o = {.method = vinc_method_name(i), .step = 0.1};
            vinc_solver *s;
            double y = 1, yp = -1;
            char why[100];
            if (vinc_solver_new(&p, &o, why, sizeof why, &s)) continue; // not for this problem
            int rc = vinc_solver_start(s, 0, &y, &yp);
            if (!rc) rc = vinc_solver_run(s, 1);
            if (rc >= 0) fail_msg("%s: status %d", vinc_method_name(i), rc);
            if (!*vinc_solver_message(s)) fail_msg("%s: no message", vinc_method_name(i));
            vinc_solver_free(s);
        }
}

/* ---- reports --------------------------------------------------------------------------------- */

static void reports_without_a_handle(void **state)
{
    (void)state;
    vinc_mechanics *mechanics = NULL;
    vinc_region *region = NULL;
    vinc_check *check = (vinc_check *)&state;
    vinc_run *run = NULL;
    vinc_comparison *comparison = NULL;
    vinc_convergence *convergence = NULL;
    vinc_contractivity *contractivity = NULL;
    vinc_linear *linear = NULL;
    vinc_passivity *passivity = NULL;
    vinc_positive_real *positive = NULL;
    vinc_pencil *pencil = NULL;
    vinc_method_set *methods = NULL;
    vinc_failure *failure = NULL;
    FAILS(vinc_check_of(NULL, &check));
    FAILS(vinc_mechanics_of(NULL, &mechanics));
    FAILS(vinc_region_of(NULL, 0, 0, &region));
    assert_null(check);
    FAILS(vinc_run_of(NULL, &run));
    FAILS(vinc_comparison_of(NULL, NULL, &comparison));
    FAILS(vinc_convergence_of(NULL, NULL, &convergence));
    FAILS(vinc_contractivity_of(NULL, NULL, &contractivity));
    vinc_stabilisation *stabilisation = NULL;
    FAILS(vinc_stabilisation_of(NULL, NULL, &stabilisation));
    vinc_mode_steps *steps = NULL;
    FAILS(vinc_mode_steps_of(NULL, NULL, &steps));
    vinc_locus *locus = NULL;
    FAILS(vinc_locus_of(NULL, NULL, &locus));
    vinc_control *control = NULL;
    FAILS(vinc_control_of(NULL, NULL, &control));
    FAILS(vinc_linear_of(NULL, NULL, &linear));
    FAILS(vinc_passivity_of(NULL, NULL, &passivity));
    FAILS(vinc_positive_real_of(NULL, "1", "1", &positive));
    FAILS(vinc_pencil_of(NULL, "f", "g", NULL, &pencil));
    FAILS(vinc_pencil_of_model(NULL, NULL, &pencil));
    FAILS(vinc_method_set_of(NULL, NULL, NULL, &methods));
    vinc_examples *examples = NULL;
    FAILS(vinc_examples_of(NULL, "x", NULL, 0, &examples));
    vinc_difference *difference = NULL;
    FAILS(vinc_difference_of(NULL, NULL, NULL, &difference));
    vinc_fit *fitted = NULL;
    vinc_gradient *gradient = NULL;
    vinc_optimum *optimum = NULL;
    FAILS(vinc_fit_of(NULL, NULL, &fitted));
    FAILS(vinc_gradient_of(NULL, NULL, &gradient));
    FAILS(vinc_optimum_of(NULL, NULL, &optimum));
    FAILS(vinc_failure_of(NULL, "x", &failure));
    vinc_fmu_contents *contents;
    FAILS(vinc_fmu_contents_of(NULL, "x.fmu", &contents));
    assert_null(contents);
    vinc_fmu *fmu;
    vinc_fmu_run *ride;
    FAILS(vinc_fmu_open(NULL, "x.fmu", NULL, &fmu));
    assert_null(fmu);
    FAILS(vinc_fmu_simulate(NULL));
    assert_null(vinc_fmu_result(NULL));
    assert_string_equal(vinc_fmu_report(NULL, VINC_JSON), "");
    FAILS(vinc_fmu_run_of(NULL, &ride));
    assert_null(ride);
    vinc_fmu_free(NULL);
    vinc_report_free(NULL);
    assert_string_equal(vinc_report_text(NULL, VINC_TEXT), "");
}

static void reports_asked_wrongly(void **state)
{
    world *w = *state;
    vinc_check *check = NULL;
    vinc_run *run = NULL;
    vinc_comparison *comparison = NULL;
    vinc_convergence *convergence = NULL;
    vinc_method_set *methods = NULL;
    char key[4] = "";
    assert_int_equal(vinc_check_of(w->model, &check), VINC_OK);
    assert_string_equal(vinc_report_text(check, (vinc_format)99), "");
    assert_string_equal(vinc_report_text(check, (vinc_format)-1), "");
    vinc_report_free(check);
    assert_int_equal(vinc_sim_new(w->model, NULL, &w->sim), VINC_OK);
    REFUSED(vinc_run_of(w->sim, &run)); // before the run
    assert_null(run);
    REFUSED(vinc_convergence_of(w->model, NULL, &convergence));
    REFUSED(vinc_comparison_of(w->model, &(vinc_compare_options){.methods = ",,"}, &comparison));
    REFUSED(vinc_comparison_of(w->model, &(vinc_compare_options){.formulations = ""}, &comparison));
    REFUSED(vinc_method_set_of(w->ctx, ",", NULL, &methods));
    vinc_sim_options no = {.has_start = 1, .t_start = 1, .has_stop = 1, .t_stop = 0};
    REFUSED(vinc_comparison_of(w->model, &(vinc_compare_options){.run = &no}, &comparison));
    assert_null(vinc_report_name(-1));
    assert_null(vinc_report_name(1000));
    assert_null(vinc_report_command(-1));
    assert_null(vinc_report_summary(1000));
    assert_int_equal(vinc_report_key(-1, 0, key, sizeof key), 0);
    assert_int_equal(vinc_report_key(0, -1, key, sizeof key), 0);
    assert_int_equal(vinc_report_key(0, 100000, key, sizeof key), 0);
    assert_int_equal(vinc_report_key(0, 0, key, 0), 0);
    assert_int_equal(vinc_report_key(0, 0, key, sizeof key), 1);
    assert_string_equal(key, "mod");
    for (int k = 0; vinc_report_key(0, k, key, sizeof key); k++) assert_true(strlen(key) < 4);
    const char *words = NULL;
    FAILS(vinc_passivity_report(w->ctx, NULL, NULL, VINC_TEXT, &words));
    FAILS(vinc_passivity_report(w->ctx, "1", "1,1", VINC_TEXT, NULL));
    FAILS(vinc_pencil_report(w->ctx, NULL, NULL, NULL, VINC_TEXT, &words));
    FAILS(vinc_method_plot(w->ctx, NULL, "x.svg", NULL, &words));
    FAILS(vinc_method_plot(w->ctx, "bdf2", NULL, NULL, &words));
    FAILS(vinc_check_of(w->model, NULL));
    FAILS(vinc_mechanics_of(w->model, NULL));
    FAILS(vinc_region_of(w->model, 0, 0, NULL));
    FAILS(vinc_linear_of(w->model, NULL, NULL));
    FAILS(vinc_method_set_of(w->ctx, "bdf2", NULL, NULL));
    vinc_examples *examples = NULL;
    FAILS(vinc_examples_of(w->ctx, "x", NULL, 1, &examples));
    FAILS(vinc_examples_of(w->ctx, "x", NULL, -1, &examples));
    FAILS(vinc_examples_of(w->ctx, "x", &(vinc_example){.name = "A"}, 1, &examples));
    FAILS(vinc_examples_of(w->ctx, "x", NULL, 0, NULL));
    vinc_fmu_contents *contents;
    REFUSED(vinc_fmu_contents_of(w->ctx, NULL, &contents));
    REFUSED(vinc_fmu_contents_of(w->ctx, "x.fmu", NULL));
    FAILS(vinc_fmu_contents_of(w->ctx, "/nowhere/x.fmu", &contents));
    assert_null(contents);
    vinc_fmu *fmu;
    REFUSED(vinc_fmu_open(w->ctx, NULL, NULL, &fmu));
    REFUSED(vinc_fmu_open(w->ctx, "x.fmu", NULL, NULL));
    FAILS(vinc_fmu_open(w->ctx, "/nowhere/x.fmu", NULL, &fmu));
    assert_null(fmu);
    FAILS(vinc_library_examples(w->ctx, NULL, &words));
    FAILS(vinc_library_examples(w->ctx, "nowhere/x.mo", &words));
    FAILS(vinc_library_examples(w->ctx, "Nothing", &words));
    FAILS(vinc_run_of(w->sim, NULL));
}

/* ---- nothing is left out --------------------------------------------------------------------- */

static char *contents(const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 18);
    assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    return text;
}

static void every_function_is_tried(void **state)
{
    (void)state;
    static const char *const headers[] = {
        VINCOLO_ROOT "/include/vincolo.h", VINCOLO_ROOT "/include/vincolo_problem.h",
        VINCOLO_ROOT "/include/vincolo_report.h", VINCOLO_ROOT "/include/vincolo_sweep.h"};
    char *here = contents(VINCOLO_ROOT "/tests/api/misuse.c");
    int n = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers; h++) {
        char *text = contents(headers[h]);
        for (const char *at = text; (at = strstr(at, "VINC_API ")) != NULL;) {
            at += strlen("VINC_API ");
            const char *end = strchr(at, '('), *name = end;
            if (!end || memchr(at, '_', 2) == at) continue;
            while (name > at && (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z'))) name--;
            char call[100];
            snprintf(call, sizeof call, "%.*s(", (int)(end - name), name);
            if (strncmp(call, "vinc_", 5)) continue; // the macro itself
            n++;
            if (!strstr(here, call)) fail_msg("%s) of %s is not tried here", call, headers[h]);
        }
        free(text);
    }
    assert_true(n > 80);
    free(here);
}

int main(void)
{
#define IN_A_WORLD(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_context),
        cmocka_unit_test(no_model),
        cmocka_unit_test(no_run),
        cmocka_unit_test(no_result),
        IN_A_WORLD(no_arguments_to_a_context),
        IN_A_WORLD(no_arguments_to_a_model),
        IN_A_WORLD(no_arguments_to_a_run),
        IN_A_WORLD(wrong_indices),
        IN_A_WORLD(wrong_options_of_a_run),
        IN_A_WORLD(wrong_settings),
        IN_A_WORLD(wrong_formats),
        IN_A_WORLD(result_before_the_run),
        IN_A_WORLD(steps_in_the_wrong_order),
        IN_A_WORLD(lent_in_the_wrong_order),
        IN_A_WORLD(run_again),
        IN_A_WORLD(columns_of_runs_made_again),
        IN_A_WORLD(freed_before_its_children),
        IN_A_WORLD(texts_that_are_no_models),
        IN_A_WORLD(a_wrong_model_stays_wrong),
        IN_A_WORLD(after_a_failed_run),
        IN_A_WORLD(after_failed_start_values),
        IN_A_WORLD(start_values_of_what_follows),
        IN_A_WORLD(stopped_by_the_caller),
        IN_A_WORLD(followed_wrongly),
        IN_A_WORLD(wrong_sweeps),
        IN_A_WORLD(wrong_options_of_studies),
        IN_A_WORLD(wrong_pencils),
        IN_A_WORLD(wrong_files),
        IN_A_WORLD(wrong_sizes_of_figures),
        IN_A_WORLD(wrong_tables_of_dots),
        cmocka_unit_test(no_solver),
        cmocka_unit_test(wrong_problems),
        cmocka_unit_test(wrong_options_of_a_solver),
        cmocka_unit_test(solver_in_the_wrong_order),
        cmocka_unit_test(callbacks_that_fail),
        cmocka_unit_test(reports_without_a_handle),
        IN_A_WORLD(reports_asked_wrongly),
        cmocka_unit_test(every_function_is_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
