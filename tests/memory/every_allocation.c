/* The k-th allocation fails, for every k, from the context to the written result: an error comes
 * back, nothing is left behind. Allocations made inside other libraries (LAPACK, SuiteSparse,
 * cairo, stdio) do not pass through ours.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "fail_mem.h"
#include "vincolo.h"

static const char pendulum[] = "model Pendulum\n"
                               "  parameter Real g = 9.81;\n"
                               "  Real x(start = 1), y(start = 0), vx, vy, F;\n"
                               "equation\n"
                               "  der(x) = vx; der(y) = vy;\n"
                               "  der(vx) = -F*x; der(vy) = -F*y - g;\n"
                               "  x^2 + y^2 = 1;\n"
                               "end Pendulum;\n";

static const char wrong[] = "model A\n  Real x;\nequation\n  der(x) = -y;\nend A;\n";

// Everything a run does; the status of the first call that fails.
static int whole_run(fail_mem *f, const char *words, const vinc_sim_options *options)
{
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = f->m.resize, .user = f->m.user});
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    int rc = vinc_model_load_text(ctx, "text.mo", words, strlen(words), NULL, &model);
    if (!rc) rc = vinc_sim_new(model, options, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (!rc) rc = vinc_result_write_csv(vinc_sim_result(sim), "/dev/null");
    if (sim) vinc_sim_report(sim, VINC_JSON);
    vinc_ctx_messages(ctx);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return rc;
}

static void every_k(const char *words, const vinc_sim_options *options, int expected)
{
    long calls = 0;
    for (long k = 1;; k++) {
        fail_mem f;
        fail_mem_init(&f, k);
        int rc = whole_run(&f, words, options);
        assert_int_equal(f.live, 0);
        if (f.calls < k) { // the k-th allocation was never asked for: the run is whole
            assert_int_equal(rc, expected);
            break;
        }
        assert_true(rc != VINC_OK || f.calls >= k);
        calls = f.calls;
    }
    assert_true(calls > 3);
}

/* ---- analyses -------------------------------------------------------------------------------- */

/* Force and speed of an oscillator, linear; and nothing but itself for a method to be studied on. */
static const char oscillator[] =
    "model O input Real F; output Real v(start = 0); Real x(start = 1, fixed = true);\n"
    "equation v = der(x); 2*der(v) + 0.4*v + 8*x = F; end O;\n";

static const vinc_sim_options fixed = {
    .method = "rk4", .step = 0.02, .has_stop = 1, .t_stop = 0.04};

static int check_it(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)ctx;
    return vinc_check_of(model, (vinc_check **)out);
}

static int linearize_it(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)ctx;
    return vinc_linear_of(model, NULL, (vinc_linear **)out);
}

static int halve_steps(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)ctx;
    vinc_convergence_options o = {.run = &fixed, .levels = 2};
    return vinc_convergence_of(model, &o, (vinc_convergence **)out);
}

static int move_apart(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)ctx;
    vinc_contractivity_options o = {.run = &fixed};
    return vinc_contractivity_of(model, &o, (vinc_contractivity **)out);
}

static int compare_it(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)ctx;
    vinc_sim_options run = {.has_stop = 1, .t_stop = 0.01, .intervals = 2};
    vinc_compare_options o = {.run = &run, .methods = "radau5,rk4"};
    return vinc_comparison_of(model, &o, (vinc_comparison **)out);
}

static int pencil_of_it(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)ctx;
    vinc_pencil_options o = {.rhs = "sin(t);0", .intervals = 2};
    return vinc_pencil_of_model(model, &o, (vinc_pencil **)out);
}

static int transfer_function(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)model;
    return vinc_positive_real_of(ctx, "1,2", "1,1,1", (vinc_positive_real **)out);
}

static int analyse_methods(vinc_ctx *ctx, vinc_model *model, void **out)
{
    (void)model;
    return vinc_method_set_of(ctx, "radau5,bdf2,design:gauss:2", NULL, (vinc_method_set **)out);
}

static void analyses(void **state)
{
    (void)state;
    static int (*const list[])(vinc_ctx *, vinc_model *, void **) = {
        check_it,   linearize_it, halve_steps,       move_apart,
        compare_it, pencil_of_it, transfer_function, analyse_methods};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (long k = 1;; k++) {
            fail_mem f;
            fail_mem_init(&f, k);
            vinc_ctx *ctx =
                vinc_ctx_new(&(vinc_ctx_options){.resize = f.m.resize, .user = f.m.user});
            vinc_model *model = NULL;
            void *told = NULL;
            int rc =
                vinc_model_load_text(ctx, "text.mo", oscillator, strlen(oscillator), NULL, &model);
            if (!rc) rc = list[i](ctx, model, &told);
            assert_true(rc ? !told : told != NULL);
            vinc_model_free(model);
            vinc_ctx_free(ctx);
            vinc_report_text(told, VINC_TEXT);
            vinc_report_text(told, VINC_JSON);
            vinc_report_free(told);
            assert_int_equal(f.live, 0);
            if (f.calls >= k) continue;
            assert_int_equal(rc, VINC_OK);
            break;
        }
}

static void compile_and_run(void **state)
{
    (void)state;
    every_k(pendulum, &(vinc_sim_options){.has_stop = 1, .t_stop = 0.05, .intervals = 2}, VINC_OK);
}

static void wrong_model(void **state)
{
    (void)state;
    every_k(wrong, NULL, VINC_E_MODEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compile_and_run),
                                       cmocka_unit_test(wrong_model), cmocka_unit_test(analyses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
