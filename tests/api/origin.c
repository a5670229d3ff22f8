/* A large model gives back what it was compiled from, and makes it again when somebody asks: nothing of
 * it shows but the memory. The suite as a whole does so with small models, too, in a build with
 * VINCOLO_ORIGIN_BYTES=1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "api/run.h"
#include "vincolo.h"

#include <stdio.h>
#include <string.h>

/* 12,000 cells have above 5 MB of expressions and equations, where origin.c begins at 4. */
static const char ladder[] = "model Ladder\n"
                             "  parameter Integer n = 12000;\n"
                             "  Real v[n](each start = 0, each fixed = true);\n"
                             "  Real i[n](each max = 0.5);\n"
                             "equation\n"
                             "  for k in 1:n loop\n"
                             "    i[k] = (if k == 1 then sin(time) else v[k - 1]) - v[k];\n"
                             "    1e-3*der(v[k]) = i[k] - (if k == n then 0 else i[k + 1])\n"
                             "      - 1e-6*exp(v[k]/0.1);\n"
                             "  end for;\n"
                             "end Ladder;\n";

/* sqrt has no value once time has come to 0.05. */
static const char fails[] =
    "model Fails\n"
    "  parameter Integer n = 20000;\n"
    "  Real x[n](each start = 1, each fixed = true), y[n];\n"
    "equation\n"
    "  for k in 1:n loop\n"
    "    y[k] = sin(x[k]) + 0.1*x[k]*cos(k*x[k]);\n"
    "    der(x[k]) = -y[k]*exp(0.1*y[k]) + (if k == 7 then sqrt(0.05 - time) else 0);\n"
    "  end for;\n"
    "end Fails;\n";

typedef struct world {
    vinc_ctx *ctx;
    vinc_model *model;
} world;

static world open_text(const char *name, const char *words)
{
    world w = {.ctx = vinc_ctx_new(NULL)};
    if (vinc_model_load_text(w.ctx, name, words, strlen(words), NULL, &w.model))
        print_error("%s", vinc_ctx_messages(w.ctx));
    assert_non_null(w.model);
    return w;
}

static void close_world(world *w)
{
    vinc_model_free(w->model);
    vinc_ctx_free(w->ctx);
}

static bool is_bare(const world *w)
{
    return atomic_load(&((vinc_model *)w->model)->origin.gone);
}

static vinc_sim *ready(world *w, double stop, int keep_end)
{
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.has_stop = 1,
                          .t_stop = stop,
                          .intervals = 2,
                          .vars = "v[1], i[1]",
                          .only_vars = 1,
                          .keep_end = keep_end};
    if (stop < 0.01) assert_int_equal(vinc_sim_new(w->model, &o, &sim), VINC_OK);
    o.vars = NULL;
    o.only_vars = 0;
    if (!sim) assert_int_equal(vinc_sim_new(w->model, &o, &sim), VINC_OK);
    return sim;
}

static void it_goes_and_comes_back_the_same(void **state)
{
    (void)state;
    world u = open_text("ladder.mo", ladder), w = open_text("ladder.mo", ladder);
    const char *out, *before;
    vinc_sim *sim = ready(&u, 1e-3, 1); // as it is before, with nodes numbered as in a run
    before = vinc_model_flat(u.model);
    assert_false(is_bare(&u));
    vinc_sim_free(sim);
    sim = ready(&w, 1e-3, 0);
    assert_true(is_bare(&w)); // start values are as given: nothing is searched
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    vinc_run *told = NULL;
    assert_int_equal(vinc_run_of(sim, &told), VINC_OK);
    vinc_report_free(told);
    assert_true(is_bare(&w)); // a run asks for nothing of it, its bounds included
    assert_true(atomic_load(&w.model->origin.tables_gone));
    assert_string_equal(vinc_model_flat(w.model), before);
    assert_false(is_bare(&w));
    assert_int_equal(vinc_model_dump(u.model, "blt", &before), VINC_OK);
    assert_int_equal(vinc_model_dump(w.model, "blt", &out), VINC_OK);
    assert_string_equal(out, before);
    vinc_sim_free(sim);
    sim = ready(&w, 1e-3, 0);
    assert_false(is_bare(&w)); // what was asked for once stays
    vinc_sim_free(sim);
    close_world(&w);
    close_world(&u);
}

/* Whoever looks at a model before it is compiled makes nodes: those of another one would not fit. */
static void what_others_made_nodes_of_stays(void **state)
{
    (void)state;
    world w = open_text("ladder.mo", ladder);
    assert_non_null(vinc_model_flat(w.model));
    vinc_sim *sim = ready(&w, 1e-3, 0);
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    assert_false(is_bare(&w));
    vinc_sim_free(sim);
    close_world(&w);
}

/* Ladder with other words in place of the first `from`. */
static world open_changed(const char *from, const char *to)
{
    char words[sizeof ladder + 200];
    const char *at = strstr(ladder, from);
    snprintf(words, sizeof words, "%.*s%s%s", (int)(at - ladder), ladder, to, at + strlen(from));
    return open_text("ladder.mo", words);
}

/* Equations of the start, and fixed values of what is no state, are solved with the others. */
static void what_a_start_is_searched_by_stays(void **state)
{
    (void)state;
    static const char steady[] = "initial equation\n  for k in 1:n loop\n    der(v[k]) = 0;\n"
                                 "  end for;\nend Ladder;\n";
    world all[] = {open_changed(", each fixed = true)", ")"), open_changed("end Ladder;\n", steady),
                   open_changed("Real i[n](", "Real i[n](each start = 0, each fixed = true, ")};
    vinc_sim *sim = ready(&all[0], 1e-3, 0);
    assert_true(is_bare(&all[0])); // states have start values, fixed or not
    vinc_sim_free(sim);
    for (int k = 1; k < 3; k++) {
        sim = ready(&all[k], 1e-3, 0);
        assert_false(is_bare(&all[k]));
        vinc_sim_free(sim);
    }
    for (int k = 0; k < 3; k++) close_world(&all[k]);
}

/* Values at the start are told with their equation, which the compiled model knows enough of. */
static char *no_value(int keep_end)
{
    world w = open_changed("sin(time)", "sqrt(v[k] - 1)");
    vinc_sim *sim = ready(&w, 1e-3, keep_end);
    assert_int_equal(is_bare(&w), !keep_end);
    assert_true(vinc_sim_run(sim) < 0);
    assert_int_equal(is_bare(&w), !keep_end); // the messages ask for nothing of it
    char *words = strdup(vinc_sim_messages(sim));
    vinc_sim_free(sim);
    close_world(&w);
    return words;
}

static void messages_of_the_start_are_the_same(void **state)
{
    (void)state;
    char *whole = no_value(1), *bare = no_value(0);
    assert_non_null(strstr(whole, "sqrt(v[1] - 1)"));
    assert_string_equal(bare, whole);
    free(whole);
    free(bare);
}

/* A warning of a run that goes well has words of its own. */
static void what_has_assertions_stays(void **state)
{
    (void)state;
    char words[sizeof ladder + 100];
    snprintf(words, sizeof words,
             "%.*s  assert(v[1] < 9, \"high\", AssertionLevel.warning);\nend Ladder;\n",
             (int)(strstr(ladder, "end Ladder") - ladder), ladder);
    world w = open_text("ladder.mo", words);
    vinc_sim *sim = ready(&w, 1e-3, 0);
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    assert_false(is_bare(&w));
    assert_null(w.model->again);
    vinc_sim_free(sim);
    close_world(&w);
}

static char *failure(int keep_end)
{
    world w = open_text("fails.mo", fails);
    vinc_sim *sim = ready(&w, 1, keep_end);
    assert_true(vinc_sim_run(sim) < 0);
    assert_false(is_bare(&w)); // the message needed it
    assert_int_equal(w.model->again != NULL, !keep_end);
    char *words = strdup(vinc_sim_messages(sim));
    vinc_sim_free(sim);
    close_world(&w);
    return words;
}

static void messages_are_the_same(void **state)
{
    (void)state;
    char *whole = failure(1), *bare = failure(0);
    assert_non_null(strstr(whole, "sqrt(0.05 - time)"));
    assert_string_equal(bare, whole);
    free(whole);
    free(bare);
}

static void another_text_is_not_taken_for_it(void **state)
{
    (void)state;
    world w = open_text("ladder.mo", ladder);
    vinc_sim *sim = ready(&w, 1e-3, 0);
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    assert_true(is_bare(&w));
    static const char other[] = "model Ladder\n  Real x = time;\nend Ladder;\n";
    vinc_model *small = NULL;
    assert_int_equal(vinc_model_load_text(w.ctx, "ladder.mo", other, strlen(other), NULL, &small),
                     VINC_OK);
    const char *out;
    assert_int_equal(vinc_model_dump(w.model, "flat", &out), VINC_E_MODEL);
    assert_non_null(strstr(vinc_ctx_messages(w.ctx), "C202"));
    vinc_sim_free(sim);
    vinc_model_free(w.model);
    assert_non_null(strstr(vinc_model_flat(small), "Real x"));
    vinc_model_free(small);
    vinc_ctx_free(w.ctx);
}

static void a_second_run_keeps_it(void **state)
{
    (void)state;
    world w = open_text("ladder.mo", ladder);
    vinc_sim *first = ready(&w, 1e-3, 1), *second = ready(&w, 1e-3, 0);
    assert_int_equal(vinc_sim_run(second), VINC_OK);
    assert_false(is_bare(&w)); // another run may be reading it
    vinc_sim_free(second);
    vinc_sim_free(first);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_goes_and_comes_back_the_same),
                                       cmocka_unit_test(what_others_made_nodes_of_stays),
                                       cmocka_unit_test(what_a_start_is_searched_by_stays),
                                       cmocka_unit_test(messages_of_the_start_are_the_same),
                                       cmocka_unit_test(what_has_assertions_stays),
                                       cmocka_unit_test(messages_are_the_same),
                                       cmocka_unit_test(another_text_is_not_taken_for_it),
                                       cmocka_unit_test(a_second_run_keeps_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
