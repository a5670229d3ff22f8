/* The PTX of ensembles, without a GPU: run by a machine of our own, assembled where ptxas is.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // mkstemps
#include "cmocka_all.h"

#include "ensemble/ens_ptx.h"
#include "ensemble/lanes.h"
#include "open_ensemble.h"
#include "support/ptx_machine.h"
#include "target/ptx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 5 };

/* Does an assembler that is here take the text? */
static void assemble(const char *ptx)
{
    char path[] = "/tmp/vincolo-XXXXXX.ptx", command[200];
    if (system("command -v ptxas > /dev/null 2>&1")) return;
    int f = mkstemps(path, 4);
    assert_true(f >= 0);
    assert_true(write(f, ptx, strlen(ptx)) == (ssize_t)strlen(ptx));
    close(f);
    snprintf(command, sizeof command, "ptxas -arch=sm_90 -o /dev/null %s", path);
    int rc = system(command);
    unlink(path);
    assert_int_equal(rc, 0);
}

/* The text of a model's kernel, run for each of RUNS runs; bits as on the processor. */
static void same_bits(const char *model, ensemble_options o, const char *const *columns,
                      const double *low, const double *high, bool refill)
{
    open_ensemble x;
    ensemble_open(&x, model, o, columns);
    assert_string_equal(x.why, "");
    double *in = calloc((size_t)x.e->n_in * RUNS, 8), *out = calloc((size_t)x.e->n_out * RUNS, 8),
           *expect = calloc((size_t)x.e->n_out * RUNS, 8);
    for (size_t i = 0; i < RUNS; i++) {
        double values[OPEN_MAX];
        for (int k = 0; k < o.n_vary; k++)
            values[k] = low[k] + (high[k] - low[k]) * (double)((i * 2 + (size_t)k) % RUNS) / RUNS;
        ensemble_put(&x, &o, values, in, RUNS, i);
    }
    text ptx;
    text_init(&ptx, &x.m);
    if (ens_ptx_print(&x.e->alone, &(ens_ptx_options){.refill = refill}, &ptx)) {
        char why[200] = "";
        ptx_machine *m = ptx_machine_new(text_str(&ptx), why);
        if (!m) fail_msg("%s", why);
        uint64_t arguments[] = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out, RUNS};
        if (ptx_machine_launch(m, "vinc_ensemble", 1, refill ? 2 : RUNS + 3, arguments, 3, why))
            fail_msg("%s", why);
        ptx_machine_free(m);
        ens_lanes *lanes;
        assert_int_equal(ens_lanes_new(&x.m, &x.e->lanes, &lanes), 0);
        ens_lanes_run(lanes, in, expect, RUNS, 0, RUNS);
        ens_lanes_free(lanes);
        bool exact = !ptx_needs(x.e->alone.body);
        for (int k = 0; k < x.e->n_out * RUNS; k++) {
            // Elementary functions differ in the last place, and so do steps in their sizes.
            double room = exact ? 0 : 1e-7 * (1 + fabs(expect[k]));
            if (!(fabs(out[k] - expect[k]) <= room))
                fail_msg("output %d of run %d: %.17g, not %.17g", k / RUNS, k % RUNS, out[k],
                         expect[k]);
        }
        if (!refill) assemble(text_str(&ptx));
    }
    text_done(&ptx);
    free(in), free(out), free(expect);
    ensemble_close(&x);
}

static void kernels_have_the_bits_of_the_processor(void **state)
{
    (void)state;
    static const char reactions[] =
        "model Reactions\n  parameter Real a = 3, b = 50;\n"
        "  Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
        "equation\n  der(x) = -a*x + b*y^2;\n  der(y) = a*x - b*y^2 - y/a;\nend Reactions;\n";
    static const char pendulum[] =
        "model Swing\n  parameter Real L = 1;\n"
        "  Real phi(start = 1, fixed = true), w(start = 0, fixed = true);\n"
        "equation\n  der(phi) = w;\n  der(w) = -9.81/L*sin(phi) - 0.1*exp(-w^2);\nend Swing;\n";
    static const char *const vary[] = {"a", "b"}, *const vary_pendulum[] = {"L", "phi"},
                             *const columns[] = {"x", "y", NULL},
                             *const columns_pendulum[] = {"phi", "w", NULL};
    static const double low[] = {1, 20}, high[] = {5, 90};
    static const double low_pendulum[] = {0.5, 0.1}, high_pendulum[] = {2, 2};
    static const char *const methods[] = {"rk4", "dopri5", "rodas3", "rodas4"};
    for (int m = 0; m < 4; m++)
        for (int refill = 0; refill < 2; refill++) {
            ensemble_options o = {.method = methods[m],
                                  .t1 = 1,
                                  .step = m ? 0 : 0.03,
                                  .rel_tol = 1e-6,
                                  .abs_tol = 1e-6,
                                  .max_steps = 10000,
                                  .vary = vary,
                                  .n_vary = 2};
            if (!m && refill) continue; // fixed steps: all runs are equally long
            same_bits(reactions, o, columns, low, high, refill);
            o.vary = vary_pendulum;
            o.rel_tol = o.abs_tol = 1e-9;
            if (m < 2)
                same_bits(pendulum, o, columns_pendulum, low_pendulum, high_pendulum, refill);
        }
}

static void contraction_is_off_unless_asked_for(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    text out;
    arena_init(&a, &m);
    text_init(&out, &m);
    tape_builder *b = tape_builder_new(&a);
    tape_ref x = tape_op2(b, TAPE_MUL, tape_y(0), tape_p(1));
    tape_store(b, tape_out(0), tape_op2(b, TAPE_ADD, x, tape_const(b, 1.5)));
    tape_store(b, tape_out(1), tape_select(b, TAPE_SEL_NE, x, tape_y(1), x, tape_const(b, -0.0)));
    ptx_tape t = {.t = tape_finish(b, &a),
                  .values = "%v",
                  .kind = {[TAPE_P] = "%p", [TAPE_Y] = "%y", [TAPE_OUT] = "%z"}};
    ptx_declare(&t, &out);
    ptx_instructions(&t, &out);
    assert_string_equal(text_str(&out), "\t.reg .f64 %v<6>;\n"
                                        "\t.reg .pred %vq<6>;\n"
                                        "\tmul.rn.f64 %v0, %p1, %y0;\n"
                                        "\tadd.rn.f64 %v1, %v0, 0d3FF8000000000000;\n"
                                        "\tmov.f64 %z0, %v1;\n"
                                        "\tsetp.neu.f64 %vq3, %v0, %y1;\n"
                                        "\tselp.f64 %v3, %v0, 0d8000000000000000, %vq3;\n"
                                        "\tmov.f64 %z1, %v3;\n");
    text_clear(&out);
    t.contract = true;
    ptx_instructions(&t, &out);
    assert_non_null(strstr(text_str(&out), "\tmul.f64 %v0, %p1, %y0;\n"
                                           "\tadd.f64 %v1, %v0, 0d3FF8000000000000;\n"));
    text_done(&out);
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_the_bits_of_the_processor),
        cmocka_unit_test(contraction_is_off_unless_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
