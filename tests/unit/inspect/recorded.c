/* Rows held against the equations: true rows pass, and a row that is broken by a little is found, with
 * its equation and time. Every value here is broken by hand, by more than ten times the tolerance.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "cmocka_all.h"

#include <math.h>
#include <string.h>

static const double TOL = 1e-6;

/* A state, an algebraic value, a branch, a function with a loop, a counter, a relation, a past value. */
static const char mixed[] = "model Mixed\n"
                            "  function power\n"
                            "    input Real x; input Integer n; output Real y = 1;\n"
                            "  algorithm\n"
                            "    for i in 1:n loop y := y*x; end for;\n"
                            "  end power;\n"
                            "  Real x(start = 1), y, z, late;\n"
                            "  Real[2] p;\n"
                            "  Integer count(start = 0, fixed = true);\n"
                            "  Boolean low;\n"
                            "  discrete Real held(start = 7, fixed = true);\n"
                            "initial equation\n"
                            "  x + y = 3;\n"
                            "equation\n"
                            "  der(x) = -2*x;\n"
                            "  y = 2*x;\n"
                            "  z = if time < 0.5 then x else power(y, 3);\n"
                            "  late = delay(x, 0.25);\n"
                            "  p = {sin(z), sqrt(abs(x))};\n"
                            "  low = x < 0.5;\n"
                            "  when sample(0.3, 0.3) then\n"
                            "    count = pre(count) + 1;\n"
                            "    held = 2*x;\n"
                            "  end when;\n"
                            "end Mixed;\n";

typedef struct rig {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    inspect_recorded found;
    char claim[300];
} rig;

static int inspect(void *job)
{
    rig *g = job;
    inspect_rows(g->model->flat, g->sim->result.r, TOL, TOL, NULL, &g->ctx->scratch, &g->found);
    snprintf(g->claim, sizeof g->claim, "%s", g->found.claim ? g->found.claim : "");
    return 0;
}

static void look(rig *g)
{
    assert_int_equal(api_guarded(g->ctx, inspect, g), 0);
}

static rig begin(const char *words, double stop)
{
    rig g = {.ctx = vinc_ctx_new(NULL)};
    vinc_sim_options o = {.has_stop = 1, .t_stop = stop, .intervals = 20, .rel_tol = TOL};
    int rc = vinc_model_load_text(g.ctx, "m.mo", words, strlen(words), NULL, &g.model);
    if (!rc) rc = vinc_sim_new(g.model, &o, &g.sim);
    if (!rc) rc = vinc_sim_run(g.sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(g.ctx));
    return g;
}

static void end(rig *g)
{
    vinc_sim_free(g->sim);
    vinc_model_free(g->model);
    vinc_ctx_free(g->ctx);
}

/* The place of a value in the rows; the result is the test's own to break. */
static double *value_at(rig *g, const char *name, size_t row)
{
    const result *r = g->sim->result.r;
    int column = result_find(r, name);
    if (column < 0 || r->columns[column].constant || r->columns[column].alias_of >= 0)
        fail_msg("%s is not recorded by itself", name);
    return (double *)(result_row(r, row) + r->columns[column].slot);
}

static size_t row_of(rig *g, double t)
{
    const result *r = g->sim->result.r;
    size_t row = 0;
    while (row + 1 < r->n_rows && result_time(r, row) < t - 1e-9) row++;
    while (row + 1 < r->n_rows && result_time(r, row + 1) == result_time(r, row)) row++;
    return row;
}

static void test_true_rows_pass(void **state)
{
    (void)state;
    rig g = begin(mixed, 1);
    look(&g);
    assert_int_equal(g.found.n_checked, g.found.n_claims);
    assert_null(g.found.unchecked);
    assert_true(g.found.worst < 0.01);
    end(&g);
}

/* Break one value, expect to be told, mend it again. */
static void expect_found(rig *g, const char *name, double t, double by, const char *claim)
{
    size_t row = row_of(g, t);
    double *v = value_at(g, name, row), was = *v;
    *v += by;
    look(g);
    *v = was;
    if (!(g->found.worst > INSPECT_ROW_LIMIT)) fail_msg("%s broken at t = %g: not found", name, t);
    if (!strstr(g->claim, claim)) fail_msg("%s broken: '%s' is blamed", name, g->claim);
    assert_true(fabs(g->found.t - t) < 0.051);
    assert_true(g->found.at.end > g->found.at.begin);
}

static void test_broken_rows_are_found(void **state)
{
    (void)state;
    rig g = begin(mixed, 1);
    double x = exp(-2 * 0.4); // times the start value 1: x + y = 3, y = 2 x
    expect_found(&g, "der(x)", 0.4, 200 * TOL * x, "der(x) = -2*x");
    expect_found(&g, "y", 0.4, 50 * TOL, "y = 2*x");
    expect_found(&g, "z", 0.4, 50 * TOL, "z =");
    expect_found(&g, "z", 0.9, 50 * TOL, "z =");
    expect_found(&g, "p[1]", 0.9, 50 * TOL, "p[1] = sin(z)");
    expect_found(&g, "late", 0.75, 50 * TOL, "late = delay(x, 0.25)");
    end(&g);
    g = begin(
        "model Begun Real x; initial equation x^2 = 9; equation der(x) = cos(time); end Begun;", 1);
    expect_found(&g, "x", 0, 50 * TOL, "x^2 = 9");
    end(&g);
}

static void test_discrete_values_are_exact(void **state)
{
    (void)state;
    rig g = begin(mixed, 1);
    expect_found(&g, "low", 0.8, -1, "low");      // x < 0.5 from t = ln(2)/2 on
    expect_found(&g, "count", 0.8, 1, "count");   // it may not change between events
    expect_found(&g, "held", 0.6, 1e-13, "held"); // nor have another value than 2 x(0.6)
    assert_true(isinf(g.found.worst) || g.found.worst > INSPECT_ROW_LIMIT);
    end(&g);
}

/* Accelerations and multipliers of a mechanism by energies: der(der(q)) is recorded, too. */
/* x' = 1: a row that says 20 more than it should would have fired the when-clause, and stopped the run. */
static void test_clauses_and_assertions(void **state)
{
    (void)state;
    rig g = begin(
        "model Fires Real x(start = 0, fixed = true); discrete Real n(start = 0, fixed = true);"
        "equation der(x) = 1; when x > 10 then n = pre(n) + 1; end when; end Fires;",
        1);
    expect_found(&g, "x", 0.4, 20, "when x > 10");
    look(&g);
    assert_true(g.found.worst < 0.01);
    end(&g);
    g = begin(
        "model Fired Real x(start = 0, fixed = true); discrete Real n(start = 0, fixed = true);"
        "equation der(x) = 1; when x > 0.52 then n = pre(n) + 1; elsewhen x > 0.73 then n = 5;"
        "end when; when sample(0.1, 0.2) then reinit(x, pre(x)); end when; end Fired;",
        1);
    look(&g);
    assert_true(g.found.worst < 0.01);
    assert_int_equal(g.found.n_checked, g.found.n_claims);
    end(&g);
    g = begin("model Asserted Real x(start = 0, fixed = true);"
              "equation der(x) = 1; assert(x < 1.5, \"too far\"); end Asserted;",
              1);
    look(&g);
    assert_int_equal(g.found.n_checked, 2);
    assert_true(g.found.worst < 0.01);
    expect_found(&g, "x", 0.4, 20, "x < 1.5");
    end(&g);
}

static void test_mechanism(void **state)
{
    (void)state;
    rig g =
        begin("model Bead Real q[2](start = {1, 0}), k[1]; equation Vincolo.lagrange(q = q, T = "
              "(der(q[1])^2 + der(q[2])^2)/2, V = 9.81*q[2], Phi = {q[1]^2 + q[2]^2 - 1}, lambda "
              "= k); end Bead;",
              1);
    look(&g);
    assert_int_equal(g.found.n_checked, g.found.n_claims);
    assert_true(g.found.worst < 0.01);
    expect_found(&g, "k[1]", 0.5, 100 * TOL * 15, "k[1]");
    expect_found(&g, "der(der(q[1]))", 0.5, 100 * TOL * 10, "der(der(q[1]))");
    end(&g);
}

static void test_not_a_number(void **state)
{
    (void)state;
    rig g = begin(mixed, 1);
    expect_found(&g, "y", 0.4, NAN, "y");
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_rows_pass),
        cmocka_unit_test(test_broken_rows_are_found),
        cmocka_unit_test(test_discrete_values_are_exact),
        cmocka_unit_test(test_clauses_and_assertions),
        cmocka_unit_test(test_mechanism),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
