/* Whole sweeps: the same bits for any number of threads, statistics against closed forms, rows that
 * failed, parts, and what is said before any work.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo_sweep.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the same bits --------------------------------------------------------------------------- */

/* Index 3 with states chosen while running; events; a delay; a loop with a failing assertion. A run must
 * not depend on those that the same thread made before. */
static const struct {
    const char *text, *vary, *collect;
    double stop;
} subjects[] = {
    {"model P parameter Real g=9.81; Real x(start=1),y(start=0),vx,vy,F; equation der(x)=vx;"
     " der(y)=vy; der(vx)=-F*x; der(vy)=-F*y-g; x^2+y^2=1; end P;",
     "g=5:15:0.5", "max(F); final(x); first(x < 0); mean(y)", 3},
    {"model B parameter Real e=0.8; Real h(start=1,fixed=true),v(start=0,fixed=true);"
     " discrete Integer n(start=0,fixed=true); equation der(h)=v; der(v)=-9.81;"
     " when h<0 then reinit(v,-e*pre(v)); n=pre(n)+1; end when; end B;",
     "e=0.7:0.9:0.01", "final(h); count(events); integral(h); n", 2},
    {"model D parameter Real k=1; Real x(start=1,fixed=true); Real z(start=1); equation"
     " der(x)=-k*delay(x,0.2); z^3+z=x+2; end D;",
     "k=0.5:3:0.1", "final(x); max(z); at(z,0.7)", 2},
    {"model A parameter Real limit=0.5; Real x(start=0,fixed=true), y; equation der(x)=1-x/(2+y);"
     " y^3 + y = x; assert(x<limit,\"too far\"); end A;",
     "limit=0.2:1.5:0.05", "final(x); max(y)", 1},
};

typedef struct hash {
    uint64_t h;
    long long next;
    long failed;
} hash;

static void mix(hash *x, const void *at, size_t n)
{
    const unsigned char *p = at;
    for (size_t i = 0; i < n; i++) x->h = (x->h ^ p[i]) * UINT64_C(1099511628211); // FNV-1a
}

static int hash_row(void *user, const vinc_sweep_row *row)
{
    hash *x = user;
    assert_int_equal(row->run, x->next++);
    mix(x, row->parameters, sizeof(double));
    mix(x, row->values, 2 * sizeof(double));
    mix(x, &row->status, sizeof row->status);
    mix(x, row->reason, strlen(row->reason));
    x->failed += row->status < 0;
    return 0;
}

static vinc_model *load(vinc_ctx *ctx, const char *text)
{
    vinc_model *m = NULL;
    if (vinc_model_load_text(ctx, "m.mo", text, strlen(text), NULL, &m))
        fail_msg("%s", vinc_ctx_messages(ctx));
    return m;
}

static void any_number_of_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        uint64_t first = 0;
        for (int jobs = 1; jobs <= 7; jobs += 3) {
            vinc_ctx *ctx = vinc_ctx_new(NULL);
            vinc_model *m = load(ctx, subjects[i].text);
            vinc_sim_options run = {.has_stop = 1, .t_stop = subjects[i].stop};
            hash x = {.h = UINT64_C(14695981039346656037)};
            vinc_sweep_options o = {.run = &run,
                                    .vary = &subjects[i].vary,
                                    .n_vary = 1,
                                    .collect = subjects[i].collect,
                                    .jobs = jobs,
                                    .row = hash_row,
                                    .user = &x};
            vinc_sweep *sweep = NULL;
            int rc = vinc_sweep_of(m, &o, &sweep);
            if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
            assert_int_equal(sweep->done, x.next);
            assert_int_equal(sweep->failed, x.failed);
            assert_true((x.failed > 0) == (i == 3)); // the last one's assertion fails in some
            if (jobs == 1) first = x.h;
            assert_true(x.h == first);
            vinc_report_free(sweep);
            vinc_model_free(m);
            vinc_ctx_free(ctx);
        }
    }
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* T. Ishigami, T. Homma, ISUMA 1990: sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 on [-pi, pi]^3. Its mean is
 * a/2 = 3.5, its variance a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2, and its indices follow from the parts of
 * that (V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8, V13 = 8 b^2 pi^8/225). */
static void sensitivities(void **state)
{
    (void)state;
    const double a = 7, b = 0.1, p4 = pow(M_PI, 4), p8 = p4 * p4;
    double v1 = 0.5 * pow(1 + b * p4 / 5, 2), v2 = a * a / 8, v13 = 8 * b * b * p8 / 225;
    double v = v1 + v2 + v13;
    const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = load(ctx, "model I parameter Real p=0, q=0, r=0; Real y; equation"
                              " y = sin(p) + 7*sin(q)^2 + 0.1*r^4*sin(p); end I;");
    const char *vary[] = {"p~uniform(-3.141592653589793,3.141592653589793)",
                          "q~uniform(-3.141592653589793,3.141592653589793)",
                          "r~uniform(-3.141592653589793,3.141592653589793)"};
    vinc_sim_options run = {.has_stop = 1, .t_stop = 0};
    vinc_sweep_options o = {.run = &run,
                            .vary = vary,
                            .n_vary = 3,
                            .collect = "y",
                            .samples = 2048,
                            .design = "sobol",
                            .indices = 1,
                            .jobs = 2};
    vinc_sweep *sweep = NULL;
    if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
    assert_int_equal(sweep->done, 2048 * 5);
    const vinc_sweep_value *y = sweep->values;
    assert_near(y->mean, 3.5, 0.02);
    assert_near(y->sd, sqrt(v), 0.05);
    for (int i = 0; i < 3; i++) {
        assert_near(y->first[i], first[i], 0.02);
        assert_near(y->total[i], total[i], 0.02);
    }
    assert_non_null(strstr(vinc_report_text(sweep, VINC_JSON), "\"first_order\""));
    vinc_report_free(sweep);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

/* 0, 1 ... n - 1, not in order: quantiles are known numbers, for few rows and for many. */
static void quantiles(void **state)
{
    (void)state;
    for (int n = 1; n <= 20011; n = n == 1 ? 40 : n == 40 ? 20011 : n + 1) {
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *m = load(ctx, "model Q parameter Real p=0; Real y; equation y = mod(p*7919, n);"
                                  " protected parameter Real n = 20011; end Q;");
        char grid[60], size[40];
        snprintf(grid, sizeof grid, "p=0:%d:1", n - 1);
        snprintf(size, sizeof size, "n=%d", n);
        const char *vary[] = {size, grid};
        vinc_sim_options run = {.has_stop = 1, .t_stop = 0};
        vinc_sweep_options o = {.run = &run, .vary = vary, .n_vary = 2, .collect = "y"};
        vinc_sweep *sweep = NULL;
        if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
        const double share[] = {0.05, 0.25, 0.5, 0.75, 0.95};
        for (int i = 0; i < 5; i++)
            assert_near(sweep->values[0].quantiles[i], fmax(ceil(share[i] * n) - 1, 0), 0);
        assert_near(sweep->values[0].mean, (n - 1) / 2.0, 1e-9 * n);
        if (n > 1) assert_near(sweep->values[0].sd, sqrt(n * (n + 1.0) / 12), 1e-9 * n);
        vinc_report_free(sweep);
        vinc_model_free(m);
        vinc_ctx_free(ctx);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *contents(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("there is no '%s'", path);
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

typedef struct stopper {
    long long after;
} stopper;

static int stop_row(void *user, const vinc_sweep_row *row)
{
    return row->run + 1 == ((stopper *)user)->after;
}

static const char decay[] =
    "model D parameter Real k=1, limit=1e3; Real x(start=1,fixed=true); equation"
    " der(x) = -k*x; assert(x < limit, \"it, \\\"grows\\\"\"); end D;";

/* A disk that is full after 20 kB, in the middle of the journal and of the file: what was written is
 * gone on with. */
static void the_disk_fills_up(void **state)
{
    (void)state;
    char folder[] = "/tmp/sweep-full-XXXXXX", out[2][100], journal[120];
    static char whole[1 << 18];
    assert_non_null(mkdtemp(folder));
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = load(ctx, decay);
    const char *vary[] = {"k=0:2.4:0.001"};
    vinc_sweep *sweep = NULL;
    struct rlimit before, full;
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        snprintf(out[i], sizeof out[i], "%s/%d.csv", folder, i);
        vinc_sweep_options o = {.vary = vary, .n_vary = 1, .out = out[i], .jobs = 2};
        full = before;
        full.rlim_cur = 20000;
        if (i) setrlimit(RLIMIT_FSIZE, &full);
        int rc = vinc_sweep_of(m, &o, &sweep);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(rc, i ? VINC_E_WRITE : VINC_OK);
        if (i) {
            assert_null(sweep);
            assert_non_null(strstr(vinc_ctx_messages(ctx), out[i]));
            assert_int_equal(access(out[i], F_OK), -1);
            o.resume = 1;
            vinc_ctx_clear(ctx);
            if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
        }
        assert_int_equal(sweep->done, 2401);
        vinc_report_free(sweep);
        if (!i) snprintf(whole, sizeof whole, "%s", contents(out[i]));
    }
    signal(SIGXFSZ, handler);
    assert_string_equal(contents(out[1]), whole);
    snprintf(journal, sizeof journal, "%s.runs", out[1]);
    assert_int_equal(access(journal, F_OK), -1);
    unlink(out[0]), unlink(out[1]), rmdir(folder);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

static void interrupted_and_in_parts(void **state)
{
    (void)state;
    char folder[] = "/tmp/sweep-runs-XXXXXX", out[100], part[3][120], whole[1 << 15];
    assert_non_null(mkdtemp(folder));
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = load(ctx, decay);
    const char *vary[] = {"k=-10:3:0.05", "limit=1e3"};
    vinc_sweep *sweep = NULL;
    snprintf(out, sizeof out, "%s/a.csv", folder);
    vinc_sweep_options o = {.vary = vary, .n_vary = 2, .out = out, .jobs = 2};
    if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
    assert_true(sweep->failed > 50 && sweep->n_failures == 1);
    vinc_report_free(sweep);
    snprintf(whole, sizeof whole, "%s", contents(out));
    assert_non_null(strstr(whole, "run,k,limit,final(x),reason\n0,-10,1000,nan,\""));
    assert_non_null(strstr(whole, "it, \"\"grows\"\""));
    assert_non_null(strstr(whole, "260,3,1000,0.0497870"));

    snprintf(out, sizeof out, "%s/b.csv", folder);
    stopper s = {3}; // in the first batch, a small one: later ones hold all runs of a millisecond
    o.row = stop_row, o.user = &s;
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_STOPPED);
    assert_int_equal(access(out, F_OK), -1);
    assert_string_equal(sweep->status, "stopped");
    vinc_report_free(sweep);
    o.row = NULL;
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_E_OPTION); // it would lose them
    o.resume = 1;
    o.collect = "max(x)";
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_E_OPTION); // another sweep
    o.collect = NULL;
    o.jobs = 3;
    if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
    vinc_report_free(sweep);
    assert_string_equal(contents(out), whole);
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_E_OPTION); // nothing is left

    o.resume = 0;
    const char *parts[3];
    snprintf(out, sizeof out, "%s/c.csv", folder);
    for (int k = 0; k < 3; k++) {
        o.part = k + 1, o.parts = 3;
        if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
        snprintf(part[k], sizeof part[k], "%s", sweep->out);
        parts[2 - k] = part[k];
        vinc_report_free(sweep);
    }
    assert_int_equal(vinc_sweep_merge(ctx, parts, 2, &o, &sweep), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "missing"));
    if (vinc_sweep_merge(ctx, parts, 3, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
    assert_string_equal(contents(out), whole);
    assert_int_equal(sweep->done, 261);
    vinc_report_free(sweep);
    for (int k = 0; k < 3; k++) unlink(part[k]);

    snprintf(out, sizeof out, "%s/d.mat", folder);
    o.part = o.parts = 0;
    if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s", vinc_ctx_messages(ctx));
    vinc_report_free(sweep);
    vinc_result *r = NULL;
    assert_int_equal(vinc_result_read(ctx, out, &r), VINC_OK);
    assert_near(vinc_result_at(r, "final(x)", 200), 1, 1e-6); // k = 0
    assert_near(vinc_result_at(r, "failed", 0), 1, 0);
    vinc_result_free(r);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
    static const char *const files[] = {"a.csv", "b.csv", "c.csv", "d.mat"};
    for (int i = 0; i < 4; i++) {
        snprintf(out, sizeof out, "%s/%s", folder, files[i]);
        assert_int_equal(unlink(out), 0);
    }
    assert_int_equal(rmdir(folder), 0); // no journal is left
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Each kind is drawn, names what it shows, and the page has all of them. */
static void figures(void **state)
{
    (void)state;
    char folder[] = "/tmp/sweep-figures-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    static const struct {
        const char *vary[2], *show, *file, *vars, *says[3];
        long long samples;
    } kinds[] = {
        {{"k=1:3:0.5", NULL}, NULL, "a.svg", NULL, {"<svg"}, 0},
        {{"k=1:3:0.5", "limit=1e3,2e3,3e3"}, "response", "b.svg", NULL, {"rgb(26.6"}, 0}, // dark
        {{"k=1:3:0.5", "limit~normal(1e3,1)"}, NULL, "c.svg", NULL, {"<svg"}, 30},
        {{"k~normal(2,0.1)", NULL}, "histogram", "d.svg", NULL, {"<svg"}, 100},
        {{"k~normal(2,0.1)", "limit~normal(1e3,1)"}, "scatter", "e.png", NULL, {"PNG"}, 100},
        {{"k~normal(2,0.1)", NULL}, "curves", "f.pdf", "x", {"PDF"}, 40},
        {{"k~normal(2,0.1)", "limit~normal(1e3,1)"},
         NULL,
         "g.html",
         "x",
         {"Curves", "Distributions", "Values over parameters"},
         40},
    };
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = load(ctx, decay);
    vinc_sweep *sweep = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, kinds[i].file);
        vinc_sim_options run = {.vars = kinds[i].vars};
        vinc_sweep_options o = {.run = &run,
                                .vary = kinds[i].vary,
                                .n_vary = kinds[i].vary[1] ? 2 : 1,
                                .samples = kinds[i].samples,
                                .show = kinds[i].show,
                                .plot = path};
        if (vinc_sweep_of(m, &o, &sweep)) fail_msg("%s: %s", path, vinc_ctx_messages(ctx));
        vinc_report_free(sweep);
        const char *drawn = contents(path);
        for (int k = 0; k < 3 && kinds[i].says[k]; k++)
            if (!strstr(drawn, kinds[i].says[k])) fail_msg("%s: no '%s'", path, kinds[i].says[k]);
        unlink(path);
    }
    const char *vary[] = {"k=1:3:0.5"};
    vinc_sweep_options o = {.vary = vary, .n_vary = 1, .plot = "-"};
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_OK);
    assert_non_null(strstr(vinc_report_text(sweep, VINC_TEXT), "final(x)"));
    assert_true(sweep->chart && strlen(sweep->chart) > 100);
    vinc_report_free(sweep);
    o.show = "scatter"; // of a grid there is none
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_E_OPTION);
    o.show = "everything";
    assert_int_equal(vinc_sweep_of(m, &o, &sweep), VINC_E_OPTION);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- what is wrong is said before any run ---------------------------------------------------- */

static int no_row(void *user, const vinc_sweep_row *row)
{
    (void)user;
    (void)row;
    fail_msg("a run was made");
    return 1;
}

static void said_before_any_run(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = load(
        ctx, "model S parameter Integer n = 3; parameter Real k = 1; final parameter Real f = 2;"
             " parameter Real q = 2*k; Real x[n](each start = 1, each fixed = true); equation"
             " for i in 1:n loop der(x[i]) = -k*f*x[i]; end for; end S;");
    static const struct {
        const char *vary, *out, *design, *says;
        long long samples;
        int part, parts, jobs;
    } wrong[] = {
        {"kk=1,2", NULL, NULL, "did you mean 'k'", 0, 0, 0, 0},
        {"n=2,3", NULL, NULL, "structure", 0, 0, 0, 0},
        {"f=1,2", NULL, NULL, "final", 0, 0, 0, 0},
        {"k=2:1:1", NULL, NULL, "empty", 0, 0, 0, 0},
        {"k~normal(0,1)", NULL, NULL, "10000000000", 100000000000, 0, 0, 0},
        {"k=1,2", "/nowhere/a.csv", NULL, "/nowhere/a.csv", 0, 0, 0, 0},
        {"k=1,2", "a.xls", NULL, ".csv", 0, 0, 0, 0},
        {"k=1,2", NULL, NULL, "--part 3/2", 0, 3, 2, 0},
        {"k=1,2", NULL, NULL, "threads", 0, 0, 0, -1},
        {"/nowhere/rows.csv", NULL, NULL, "/nowhere/rows.csv", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vinc_sweep_options o = {.vary = &wrong[i].vary,
                                .n_vary = 1,
                                .out = wrong[i].out,
                                .design = wrong[i].design,
                                .samples = wrong[i].samples,
                                .part = wrong[i].part,
                                .parts = wrong[i].parts,
                                .jobs = wrong[i].jobs,
                                .row = no_row};
        vinc_sweep *sweep = NULL;
        vinc_ctx_clear(ctx);
        int rc = vinc_sweep_of(m, &o, &sweep);
        if (rc != VINC_E_OPTION || (!strstr(vinc_ctx_messages(ctx), wrong[i].says) && i != 4))
            fail_msg("case %d: %d %s", (int)i, rc, vinc_ctx_messages(ctx));
        assert_null(sweep);
    }
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(sensitivities),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(interrupted_and_in_parts),
        cmocka_unit_test(the_disk_fills_up),
        cmocka_unit_test(figures),
        cmocka_unit_test(said_before_any_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
