/* Sweeps by kernels, in vector registers and on a GPU (support/fake_driver.c): the rows of ordinary runs
 * within the tolerance, runs that are handed back, and what is said before any work.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_MOST = 64 };

typedef struct taken {
    int n;
    double values[RUNS_MOST][2];
    int status[RUNS_MOST];
    char reason[RUNS_MOST][100], device[10], method[10], messages[600];
    int rc;
} taken;

static int take(void *user, const vinc_sweep_row *row)
{
    taken *t = user;
    assert_int_equal(row->run, t->n);
    memcpy(t->values[t->n], row->values, sizeof t->values[0]);
    t->status[t->n] = row->status;
    snprintf(t->reason[t->n++], sizeof t->reason[0], "%s", row->reason);
    return 0;
}

static void sweep(taken *t, const char *text, const char *vary, double stop, vinc_sweep_options o)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = NULL;
    vinc_sweep *told = NULL;
    vinc_sim_options run = o.run ? *o.run : (vinc_sim_options){0};
    run.has_stop = 1;
    run.t_stop = stop;
    if (!run.rel_tol) run.rel_tol = 1e-7;
    *t = (taken){0};
    o.run = &run;
    o.vary = &vary;
    o.n_vary = 1;
    o.row = take;
    o.user = t;
    if (vinc_model_load_text(ctx, "m.mo", text, strlen(text), NULL, &m))
        fail_msg("%s", vinc_ctx_messages(ctx));
    t->rc = vinc_sweep_of(m, &o, &told);
    snprintf(t->messages, sizeof t->messages, "%s", vinc_ctx_messages(ctx));
    if (told) snprintf(t->device, sizeof t->device, "%s", told->device);
    if (told && told->method) snprintf(t->method, sizeof t->method, "%s", told->method);
    vinc_report_free(told);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

/* A pendulum by its constraint, whose start is found for each run; a stiff reaction; a ball that ends when
 * it has bounced three times, after t = sqrt(2/g) (1 + 2 e + 2 e^2). */
static const struct {
    const char *text, *vary, *collect, *method;
    double stop, within;
} subjects[] = {
    {"model P parameter Real w=1; Real x(start=1),y,vx,vy,F; initial equation x=1; vy=w; equation"
     " der(x)=vx; der(y)=vy; der(vx)=-F*x; der(vy)=-F*y-9.81; x^2+y^2=1; end P;",
     "w=-3:3:1.5", "final(x) + 2*final(vy); final(time)", "rodas4", 2, 1e-4},
    {"model R parameter Real k=0.04; Real a(start=1,fixed=true),b(start=0,fixed=true),c(start=0,"
     "fixed=true); equation der(a)=1e4*b*c-k*a; der(b)=k*a-1e4*b*c-3e7*b^2; der(c)=3e7*b^2; end R;",
     "k=0.02,0.04,0.06", "final(a); final(c)", "rodas4", 100, 1e-6},
    {"model B parameter Real e=0.8; Real h(start=1,fixed=true),v(start=0,fixed=true); Integer n("
     "start=0,fixed=true); equation der(h)=v; der(v)=-9.81; when h<0 then reinit(v,-e*pre(v));"
     " n=pre(n)+1; end when; when n>=3 then terminate(\"three\"); end when; end B;",
     "e=0.5:0.9:0.1", "final(v); final(time)", "dopri8", 9, 1e-5},
};

static void kernels_give_the_rows_of_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        vinc_sim_options run = {.method = subjects[i].method};
        taken cpu, vector, gpu;
        vinc_sweep_options o = {.collect = subjects[i].collect};
        sweep(&cpu, subjects[i].text, subjects[i].vary, subjects[i].stop, o);
        o.run = &run;
        o.device = "vector";
        for (o.jobs = 1; o.jobs <= 3; o.jobs += 2) {
            taken other;
            sweep(&other, subjects[i].text, subjects[i].vary, subjects[i].stop, o);
            if (o.jobs == 1) vector = other;
            else assert_memory_equal(other.values, vector.values, sizeof vector.values);
        }
        o.device = "gpu";
        sweep(&gpu, subjects[i].text, subjects[i].vary, subjects[i].stop, o);
        assert_string_equal(vector.messages, "");
        assert_string_equal(gpu.messages, "");
        assert_string_equal(vector.device, "vector");
        assert_string_equal(gpu.device, "gpu");
        assert_string_equal(gpu.method, subjects[i].method);
        assert_int_equal(gpu.n, cpu.n);
        assert_memory_equal(gpu.values, vector.values, sizeof vector.values); // bit by bit
        for (int r = 0; r < cpu.n; r++) {
            assert_int_equal(vector.status[r], cpu.status[r]);
            for (int k = 0; k < 2; k++)
                if (!(fabs(vector.values[r][k] - cpu.values[r][k]) <= subjects[i].within))
                    fail_msg("subject %zu, run %d, value %d: %.12g, not %.12g", i, r, k,
                             vector.values[r][k], cpu.values[r][k]);
        }
    }
    taken t;
    sweep(&t, subjects[2].text, subjects[2].vary, 9,
          (vinc_sweep_options){.collect = "v; final(time)", .device = "vector"});
    for (int r = 0; r < t.n; r++) {
        double e = 0.5 + 0.1 * r, end = sqrt(2 / 9.81) * (1 + 2 * e + 2 * e * e);
        assert_int_equal(t.status[r], VINC_TERMINATED);
        assert_true(fabs(t.values[r][1] - end) < 1e-5);
    }
}

/* Bounces that accumulate, a failing assertion and a start that does not exist: rows of the processor. */
static void what_kernels_hand_back_is_made_again(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "model Z parameter Real e=0.5; Real h(start=1,fixed=true),v(start=0,fixed=true); equation"
        " der(h)=v; der(v)=-9.81; when h<0 then reinit(v,-e*pre(v)); end when; end Z;",
        "model A parameter Real e=0.5; Real x(start=0,fixed=true); equation der(x)=1;"
        " assert(x<1.3-e,\"too far\"); end A;",
        "model S parameter Real e=0.5; Real x, y(start=1); initial equation x^2=0.6-e; equation"
        " der(x)=-x; y^3+y=x+2; end S;"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int k = 0; k < 2; k++) {
            taken cpu, t;
            vinc_sim_options run = {.method = "rodas4"};
            const char *collect = i == 0 ? "h; v" : "x; 2*x", *vary = "e=0.1:0.9:0.2";
            vinc_sweep_options o = {.collect = collect, .run = &run};
            sweep(&cpu, texts[i], vary, 1, o);
            o.device = k ? "gpu" : "vector";
            sweep(&t, texts[i], vary, 1, o);
            assert_int_equal(t.n, cpu.n);
            int failed = 0;
            for (int r = 0; r < t.n; r++) {
                assert_string_equal(t.reason[r], cpu.reason[r]);
                assert_int_equal(t.status[r], cpu.status[r]);
                failed += *t.reason[r] != 0;
                if (!(fabs(t.values[r][0] - cpu.values[r][0]) < 1e-5) &&
                    !(isnan(t.values[r][0]) && isnan(cpu.values[r][0])))
                    fail_msg("model %zu, run %d: %.10g, not %.10g", i, r, t.values[r][0],
                             cpu.values[r][0]);
            }
            assert_true(failed > 0 && failed < t.n);
        }
}

static const char decay[] = "model D parameter Real k=1; Real x(start=1,fixed=true); equation"
                            " der(x)=-k*x; end D;",
                  ticks[] = "model T parameter Real k=1; Real x(start=1,fixed=true); Integer n("
                            "start=0,fixed=true); equation der(x)=-k*x; when sample(0,0.1) then"
                            " n=pre(n)+1; end when; end T;";

static void what_is_not_for_kernels_is_said_and_run(void **state)
{
    (void)state;
    static const struct {
        const char *text, *collect, *method, *why;
    } cases[] = {
        {decay, "max(x); x", NULL, "kernels keep values at the end only, not max("},
        {decay, "x; at(x, 0.5)", NULL, "kernels keep values at the end only, not at("},
        {decay, "x; final(k)", NULL, "'k' is a constant"},
        {decay, "x; 2*x", "radau5", "of the methods euler, heun, rk4"},
        {ticks, "x; n", NULL, "it has sample()"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taken cpu, t;
        vinc_sim_options run = {.method = cases[i].method};
        vinc_sweep_options o = {.collect = cases[i].collect, .run = &run};
        sweep(&cpu, cases[i].text, "k=1,2,3", 1, o);
        o.device = "vector";
        sweep(&t, cases[i].text, "k=1,2,3", 1, o);
        assert_int_equal(t.rc, VINC_OK);
        assert_string_equal(t.device, "cpu");
        if (!strstr(t.messages, cases[i].why) || !strstr(t.messages, "[C196]"))
            fail_msg("'%s' does not say '%s'", t.messages, cases[i].why);
        assert_memory_equal(t.values, cpu.values, sizeof cpu.values);
    }
}

static void devices_that_are_not_there(void **state)
{
    (void)state;
    static const struct {
        const char *device, *setting, *value, *why;
    } cases[] = {
        {"tpu", "FAKE_GPUS", "1", "it is cpu, vector or gpu"},
        {"gpu", "FAKE_GPUS", "0", "there is no NVIDIA GPU here"},
        {"gpu", "FAKE_GPU_BYTES", "100000", "the GPU has 0.1 MB free, and 16384 runs of 32 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        taken t;
        char out[] = "/tmp/vincolo-device-XXXXXX";
        int file = mkstemp(out);
        close(file);
        unlink(out);
        char path[60];
        snprintf(path, sizeof path, "%s.csv", out);
        setenv(cases[i].setting, cases[i].value, 1);
        sweep(&t, decay, "k=1,2,3", 1,
              (vinc_sweep_options){.device = cases[i].device, .out = path});
        unsetenv(cases[i].setting);
        assert_int_equal(t.rc, VINC_E_OPTION);
        assert_int_equal(t.n, 0); // nothing was done, nothing was written
        assert_int_equal(access(path, F_OK), -1);
        strcat(path, ".runs");
        assert_int_equal(access(path, F_OK), -1);
        if (!strstr(t.messages, cases[i].why)) fail_msg("'%s'", t.messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_give_the_rows_of_runs),
        cmocka_unit_test(what_kernels_hand_back_is_made_again),
        cmocka_unit_test(what_is_not_for_kernels_is_said_and_run),
        cmocka_unit_test(devices_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
