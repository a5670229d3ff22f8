/* A run of a few variables of a large model holds no columns of the others while its rows are made: nothing of it
 * shows but the memory. The suite as a whole does so with small models, too, in a build with
 * VINCOLO_ORIGIN_BYTES=1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "api/run.h"
#include "vincolo.h"

#include <math.h>
#include <string.h>

/* 36,001 columns and their names, where api/few_columns.c begins at 32,768. */
static const char chain[] = "model Chain\n"
                            "  parameter Integer n = 12000;\n"
                            "  parameter Real k = 0.5 \"rate\";\n"
                            "  Real x[n](each start = 1, each fixed = true, each unit = \"m\");\n"
                            "  Real y[n] = 2*x;\n"
                            "equation\n"
                            "  for i in 1:n loop\n"
                            "    der(x[i]) = k*((if i == 1 then 0 else x[i - 1]) - x[i]);\n"
                            "  end for;\n"
                            "end Chain;\n";

typedef struct world {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    bool looks;         // in the middle
    bool gone;          // were they, once?
    int steps, n_found; // columns there were when it looked
} world;

static int look(void *user, const vinc_progress *p)
{
    world *w = user;
    (void)p;
    w->gone = w->gone || w->sim->columns_gone;
    if (!w->looks || w->steps++ != 3) return 0;
    vinc_result *r = vinc_sim_result(w->sim);
    w->n_found = vinc_result_n_columns(r);
    assert_true(vinc_result_find(r, "der(x[7])") > 0);
    return 0;
}

static void open_world(world *w, const char *vars)
{
    vinc_sim_options o = {.has_stop = 1,
                          .t_stop = 1,
                          .intervals = 4,
                          .vars = vars,
                          .only_vars = 1,
                          .progress = look,
                          .user = w};
    w->ctx = vinc_ctx_new(NULL);
    assert_int_equal(
        vinc_model_load_text(w->ctx, "chain.mo", chain, strlen(chain), NULL, &w->model), VINC_OK);
    assert_int_equal(vinc_sim_new(w->model, &o, &w->sim), VINC_OK);
}

static void close_world(world *w)
{
    vinc_sim_free(w->sim);
    vinc_model_free(w->model);
    vinc_ctx_free(w->ctx);
}

static void same_columns(vinc_result *a, vinc_result *b)
{
    int n = vinc_result_n_columns(a);
    assert_int_equal(vinc_result_n_columns(b), n);
    for (int c = 0; c < n; c++) {
        vinc_column p, q;
        assert_int_equal(vinc_result_column(a, c, &p), VINC_OK);
        assert_int_equal(vinc_result_column(b, c, &q), VINC_OK);
        assert_string_equal(p.name, q.name);
        assert_string_equal(p.unit, q.unit);
        assert_string_equal(p.comment, q.comment);
        assert_int_equal(p.n, q.n);
        assert_memory_equal(p.values, q.values, p.n * sizeof *p.values);
    }
}

static const char some[] = "x[3], y[12000], x[1]+k, k, der(x[9])";

/* A result that was handed out keeps them all the time. */
static void they_come_back_the_same(void **state)
{
    (void)state;
    world whole = {0}, bare = {0}, asked = {.looks = true};
    open_world(&whole, some);
    open_world(&bare, some);
    open_world(&asked, some);
    whole.sim->result_shown = true;
    assert_int_equal(vinc_sim_run(whole.sim), VINC_OK);
    assert_int_equal(vinc_sim_run(bare.sim), VINC_OK);
    assert_int_equal(vinc_sim_run(asked.sim), VINC_OK);
    assert_false(whole.gone);
    assert_true(bare.gone);
    assert_true(asked.gone);
    vinc_result *all = vinc_sim_result(whole.sim);
    assert_int_equal(asked.n_found, vinc_result_n_columns(all));
    assert_true(asked.n_found > 36000);
    same_columns(all, vinc_sim_result(bare.sim));
    same_columns(all, vinc_sim_result(asked.sim));
    // The first cell is exp(-k t), and not recorded: it has its value at the end.
    assert_true(fabs(vinc_result_at(all, "x[1]+k", 1) - exp(-0.5) - 0.5) < 1e-5);
    assert_true(fabs(vinc_result_at(all, "y[1]", 0) - 2 * exp(-0.5)) < 1e-5);
    close_world(&whole);
    close_world(&bare);
    close_world(&asked);
}

/* Patterns, formulas and arrays are held against all names. */
static void patterns_mean_the_same(void **state)
{
    (void)state;
    static const char *const vars[] = {"x[1199?]", "time", "x[:] @ 1",
                                       "der(x[2]) : sin(x[3]*y[4])"};
    for (size_t i = 0; i < sizeof vars / sizeof *vars; i++) {
        world whole = {0}, bare = {0};
        open_world(&whole, vars[i]);
        open_world(&bare, vars[i]);
        whole.sim->result_shown = true;
        assert_int_equal(vinc_sim_run(whole.sim), VINC_OK);
        assert_int_equal(vinc_sim_run(bare.sim), VINC_OK);
        assert_false(whole.gone);
        assert_true(bare.gone);
        assert_true(bare.sim->columns_gone); // until somebody looks
        assert_non_null(strstr(vinc_sim_report(bare.sim, VINC_JSON), "\"y[12000]\""));
        assert_false(bare.sim->columns_gone);
        same_columns(vinc_sim_result(whole.sim), vinc_sim_result(bare.sim));
        close_world(&whole);
        close_world(&bare);
    }
}

static void a_misspelt_name_is_said(void **state)
{
    (void)state;
    world w = {0};
    open_world(&w, "x[3], z[7]");
    assert_int_equal(vinc_sim_run(w.sim), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(w.ctx), "there is no variable 'z[7]'"));
    close_world(&w);
}

/* The second run of a result that was seen keeps them: its caller may look at any time. */
static void who_has_seen_it_may_look(void **state)
{
    (void)state;
    world w = {0};
    open_world(&w, "x[1]");
    assert_int_equal(vinc_sim_run(w.sim), VINC_OK);
    assert_true(w.gone);
    assert_non_null(vinc_sim_result(w.sim));
    w.gone = false;
    assert_int_equal(vinc_sim_run(w.sim), VINC_OK);
    assert_false(w.gone);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_back_the_same), cmocka_unit_test(patterns_mean_the_same),
        cmocka_unit_test(a_misspelt_name_is_said), cmocka_unit_test(who_has_seen_it_may_look)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
