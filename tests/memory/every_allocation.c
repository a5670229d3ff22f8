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
                                       cmocka_unit_test(wrong_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
