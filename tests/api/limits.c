/* Limits and interrupts at every stage: the call ends soon, says where it was, keeps what it had; later
 * calls are refused until limits are set anew, and what is handed out is not.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // mkstemps
#include "cmocka_all.h"

#include "vincolo.h"

#include <math.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static const double SOON = 5; // seconds; far less than any of this would take, even under valgrind

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char decay[] = "model D Real x(start = 1, fixed = true); equation der(x) = -x; end D;";

/* 2^30 components. */
static char *doubled(void)
{
    static char words[4000];
    int n = snprintf(words, sizeof words,
                     "model T model A0 Real x(start = 1); equation der(x) = -x; end A0;\n");
    for (int i = 1; i <= 30; i++)
        n += snprintf(words + n, sizeof words - (size_t)n, "model A%d A%d l, r; end A%d;\n", i,
                      i - 1, i);
    snprintf(words + n, sizeof words - (size_t)n, "A30 a; end T;");
    return words;
}

/* Each call of f takes 10^7 operations, and there are 200 of them in one evaluation. */
static const char slow_function[] =
    "model W\n"
    "  function f input Real x; output Real y; algorithm y := 0;\n"
    "    while y < 2e6 + x loop y := y + 1; end while; end f;\n"
    "  Real x[200](each start = 1, each fixed = true);\n"
    "equation for i in 1:200 loop der(x[i]) = f(x[i]); end for; end W;\n";

static int load(vinc_ctx *ctx, const char *words, vinc_model **out)
{
    return vinc_model_load_text(ctx, "t.mo", words, strlen(words), NULL, out);
}

static void says(vinc_ctx *ctx, const char *code, const char *where)
{
    const char *words = vinc_ctx_messages(ctx);
    if (!strstr(words, code) || !strstr(words, where))
        fail_msg("'%s' has no %s or no '%s'", words, code, where);
    vinc_diagnostic last = vinc_ctx_diagnostic(ctx, vinc_ctx_n_diagnostics(ctx) - 1);
    assert_int_equal(last.severity, VINC_ERROR);
}

static void time_of_loading(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    double begin = now();
    assert_int_equal(vinc_ctx_limit(ctx, &(vinc_limits){.seconds = 0.05}), VINC_OK);
    assert_int_equal(load(ctx, doubled(), &model), VINC_E_LIMIT);
    assert_null(model);
    assert_true(now() - begin < SOON);
    says(ctx, "C181", "while flattening 'T' (");
    // it lasts ...
    assert_int_equal(load(ctx, decay, &model), VINC_E_LIMIT);
    vinc_ctx_clear(ctx);
    // ... until there are other limits
    assert_int_equal(vinc_ctx_limit(ctx, NULL), VINC_OK);
    assert_int_equal(load(ctx, decay, &model), VINC_OK);
    assert_string_equal(vinc_ctx_messages(ctx), "");
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

static void memory_of_loading(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_ctx_limit(ctx, &(vinc_limits){.bytes = 20000000});
    assert_int_equal(load(ctx, doubled(), &model), VINC_E_LIMIT);
    says(ctx, "C182", "while flattening 'T' (");
    says(ctx, "C182", "20 MB");
    vinc_ctx_free(ctx);
}

/* Assigning one element does not copy the others: 200 x 200 elements copied 40 000 times are 6 GB. */
static void memory_of_a_table(void **state)
{
    (void)state;
    static const char table[] = "model T function f input Integer n; output Real y[n, n]; "
                                "algorithm for i in 1:n loop for j in 1:n loop y[i, j] := i*n + j; "
                                "end for; end for; end f; parameter Real y[200, 200] = f(200); "
                                "Real x = y[200, 3]; end T;";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_ctx_limit(ctx, &(vinc_limits){.bytes = 200000000});
    assert_int_equal(load(ctx, table, &model), VINC_OK);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

static void time_of_a_run(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    assert_int_equal(load(ctx, decay, &model), VINC_OK);
    vinc_sim_options o = {.method = "rk4",
                          .step = 1e-6,
                          .has_stop = 1,
                          .t_stop = 1e6,
                          .max_time = 0.1,
                          .intervals = 1000000000};
    assert_int_equal(vinc_sim_new(model, &o, &sim), VINC_OK);
    double begin = now();
    assert_int_equal(vinc_sim_run(sim), VINC_E_LIMIT);
    assert_true(now() - begin < SOON);
    assert_non_null(strstr(vinc_sim_messages(sim), "0.1 s"));
    vinc_column t, x;
    vinc_result *r = vinc_sim_result(sim);
    assert_int_equal(vinc_result_column(r, 0, &t), VINC_OK);
    assert_int_equal(vinc_result_column(r, vinc_result_find(r, "x"), &x), VINC_OK);
    assert_true(t.n > 0 && t.n == x.n);
    // The rows are those of exp(-t); rk4 at this step is exact but for rounding.
    assert_true(fabs(x.values[x.n - 1] - exp(-t.values[t.n - 1])) < 1e-9);
    // Only this run is over: its limit is not that of the context.
    assert_int_equal(vinc_result_write_csv(r, "/dev/null"), VINC_OK);
    vinc_linear *l = NULL;
    assert_int_equal(vinc_linear_of(model, NULL, &l), VINC_OK);
    vinc_report_free(l);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* A compiled model has no room for a run: the message says so, and it is a limit. */
static void memory_of_preparing(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    assert_int_equal(load(ctx, decay, &model), VINC_OK);
    assert_int_equal(vinc_sim_new(model, NULL, &sim), VINC_OK);
    vinc_sim_free(sim);
    vinc_ctx_limit(ctx, &(vinc_limits){.bytes = 1});
    assert_int_equal(vinc_sim_new(model, NULL, &sim), VINC_E_LIMIT);
    says(ctx, "C182", "while preparing a run of 'D'");
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

static void memory_of_a_run(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    assert_int_equal(load(ctx, decay, &model), VINC_OK);
    vinc_sim_options o = {.method = "rk4", .step = 1e-6, .has_stop = 1, .t_stop = 1e6};
    setenv("TMPDIR", "/nowhere", 1); // where rows would go that memory has no room for
    vinc_ctx_limit(ctx, &(vinc_limits){.bytes = 4000000});
    assert_int_equal(vinc_sim_new(model, &o, &sim), VINC_OK);
    assert_int_equal(vinc_sim_run(sim), VINC_E_LIMIT);
    says(ctx, "--max-memory", "4 MB");
    assert_true(vinc_result_n_rows(vinc_sim_result(sim)) > 1000);
    assert_int_equal(vinc_result_write_csv(vinc_sim_result(sim), "/dev/null"), VINC_OK);
    unsetenv("TMPDIR");
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

static void *interrupt_after(void *ctx)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    vinc_ctx_interrupt(ctx);
    return NULL;
}

static void interrupt_in_a_function(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    pthread_t thread;
    assert_int_equal(load(ctx, slow_function, &model), VINC_OK);
    assert_int_equal(vinc_sim_new(model, NULL, &sim), VINC_OK);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_after, ctx), 0);
    double begin = now();
    int rc = vinc_sim_run(sim);
    assert_true(rc == VINC_E_INTERRUPTED || rc == VINC_STOPPED);
    assert_true(now() - begin < SOON);
    pthread_join(thread, NULL);
    if (rc < 0) says(ctx, "C180", "interrupted while");
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* Rows that go to their file need no memory; who asks for them is sent there. */
static void rows_beyond_memory(void **state)
{
    (void)state;
    enum { ROWS = 50000 };
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_result *back = NULL;
    vinc_column c;
    const char *chart;
    char path[] = "/tmp/vincolo-rows-XXXXXX.mat";
    close(mkstemps(path, 4));
    assert_int_equal(load(ctx,
                          "model B Real x(start = 1, fixed = true, max = 0.99), y[9]; equation "
                          "der(x) = -x; y = x*(1:9); end B;",
                          &model),
                     VINC_OK);
    vinc_sim_options o = {.has_stop = 1, .t_stop = 5, .intervals = ROWS, .out = path};
    setenv("TMPDIR", "/nowhere", 1);
    vinc_ctx_limit(ctx, &(vinc_limits){.bytes = 4000000}); // rows have 4.4 MB
    assert_int_equal(vinc_sim_new(model, &o, &sim), VINC_OK);
    assert_int_equal(vinc_sim_run(sim), VINC_OK);
    vinc_result *r = vinc_sim_result(sim);
    assert_int_equal(vinc_result_n_rows(r), ROWS + 1);
    assert_in_range(vinc_result_first_row(r), ROWS / 2, ROWS);
    assert_int_equal(vinc_result_write(r, path, NULL), VINC_OK);
    assert_non_null(strstr(vinc_sim_messages(sim), "'x' is 1 at t = 0, above its max, 0.99"));
    assert_true(isnan(vinc_result_at(r, "x", 1)));
    assert_int_equal(vinc_result_column(r, 1, &c), VINC_E_OPTION);
    assert_int_equal(vinc_result_plot(r, "-", NULL, &chart), VINC_E_OPTION);
    says(ctx, "read them there", "C615");
    vinc_ctx_limit(ctx, &(vinc_limits){0});
    unsetenv("TMPDIR");
    assert_int_equal(vinc_result_read(ctx, path, &back), VINC_OK);
    assert_int_equal(vinc_result_n_rows(back), ROWS + 1);
    assert_true(fabs(vinc_result_at(back, "y[9]", 1) - 9 * exp(-1)) < 1e-5);
    vinc_result_free(back);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    unlink(path);
}

static int interrupt_at_once(void *user, const vinc_progress *p)
{
    if (p->steps >= 3) vinc_ctx_interrupt(user);
    return 0;
}

static void interrupt_of_a_run(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    assert_int_equal(load(ctx, decay, &model), VINC_OK);
    vinc_sim_options o = {
        .method = "rk4", .step = 0.01, .progress = interrupt_at_once, .user = ctx};
    assert_int_equal(vinc_sim_new(model, &o, &sim), VINC_OK);
    assert_int_equal(vinc_sim_run(sim), VINC_STOPPED);
    assert_int_equal(vinc_result_n_rows(vinc_sim_result(sim)), 4); // the start and three steps
    assert_non_null(strstr(vinc_sim_report(sim, VINC_TEXT), "interrupted"));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* ---- every analysis of an interrupted context is refused, and says so ------------------------ */

static int check_it(vinc_model *m, const char **out)
{
    return vinc_model_check(m, VINC_TEXT, out);
}
static int linearize_it(vinc_model *m, const char **out)
{
    return vinc_model_linearize(m, NULL, VINC_TEXT, out);
}
static int passivity_of_it(vinc_model *m, const char **out)
{
    return vinc_model_passivity(m, NULL, VINC_TEXT, out);
}
static int pencil_of_it(vinc_model *m, const char **out)
{
    return vinc_model_pencil(m, NULL, VINC_TEXT, out);
}
static int converge(vinc_model *m, const char **out)
{
    vinc_sim_options run = {.method = "rk4", .step = 0.1};
    return vinc_model_convergence(m, &(vinc_convergence_options){.run = &run}, VINC_TEXT, out);
}
static int contract(vinc_model *m, const char **out)
{
    vinc_sim_options run = {.method = "rk4", .step = 0.1};
    return vinc_model_contractivity(m, &(vinc_contractivity_options){.run = &run}, VINC_TEXT, out);
}
static int compare_it(vinc_model *m, const char **out)
{
    vinc_comparison *c = NULL;
    *out = "";
    int rc = vinc_comparison_of(m, NULL, &c);
    vinc_report_free(c);
    return rc;
}
static int run_it(vinc_model *m, const char **out)
{
    vinc_sim *s = NULL;
    *out = "";
    int rc = vinc_sim_new(m, NULL, &s);
    vinc_sim_free(s);
    return rc;
}

static void analyses(void **state)
{
    (void)state;
    static int (*const list[])(vinc_model *, const char **) = {
        check_it, linearize_it, passivity_of_it, pencil_of_it,
        converge, contract,     compare_it,      run_it};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    assert_int_equal(load(ctx, decay, &model), VINC_OK);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *out = NULL;
        vinc_ctx_interrupt(ctx);
        assert_int_equal(list[i](model, &out), VINC_E_INTERRUPTED);
        assert_string_equal(out, "");
        says(ctx, "C180", "interrupted");
        vinc_ctx_clear(ctx);
        vinc_ctx_limit(ctx, NULL);
    }
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* A file with so many rows that reading it takes far longer than the limit. */
static void time_of_reading(void **state)
{
    (void)state;
    char path[] = "/tmp/limits-XXXXXX.csv";
    int fd = mkstemps(path, 4);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    fprintf(f, "time,x\n");
    for (int i = 0; i < 400000; i++) fprintf(f, "%d,%.15f\n", i, 0.1 * i);
    fclose(f);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_result *r = NULL;
    vinc_ctx_limit(ctx, &(vinc_limits){.seconds = 1e-3});
    assert_int_equal(vinc_result_read(ctx, path, &r), VINC_E_LIMIT);
    assert_null(r);
    says(ctx, "C181", "while reading '/tmp/limits-");
    vinc_ctx_free(ctx);
    unlink(path);
}

static void plain_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } list[] = {
        {"a\tb\n", "a\tb\n"},
        {"\033[31mred\007", "\\x1b[31mred\\x07"},
        {"\302\2331m", "\\u009b1m"},                            // CSI as one character
        {"\2331m", "\\x9b1m"},                                  // and as a byte that is no UTF-8
        {"a\342\200\256b", "a\\u202eb"},                        // right-to-left override
        {"\316\273 \342\206\222 x", "\316\273 \342\206\222 x"}, // lambda, an arrow
        {"\342\200", "\\xe2\\x80"},                             // cut off
    };
    char out[64];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        assert_int_equal(vinc_plain(list[i].text, out, sizeof out), strlen(list[i].plain));
        assert_string_equal(out, list[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_of_loading),     cmocka_unit_test(memory_of_loading),
        cmocka_unit_test(memory_of_a_table),   cmocka_unit_test(time_of_a_run),
        cmocka_unit_test(memory_of_preparing), cmocka_unit_test(memory_of_a_run),
        cmocka_unit_test(rows_beyond_memory),  cmocka_unit_test(interrupt_in_a_function),
        cmocka_unit_test(interrupt_of_a_run),  cmocka_unit_test(analyses),
        cmocka_unit_test(time_of_reading),     cmocka_unit_test(plain_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
