/* What a live page asks, and what it is answered.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "json_read.h"

#include "live/live.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* A mass on a spring from rest: x = A cos(w t), w = sqrt(k/m). */
static const char SPRING[] = "model Spring\n"
                             "  parameter Real k(unit = \"N/m\", min = 0, max = 10) = 4;\n"
                             "  parameter Real m = 1;\n"
                             "  final parameter Real w = sqrt(k/m);\n"
                             "  parameter Integer n = 2;\n"
                             "  Real a[n];\n"
                             "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                             "equation\n"
                             "  der(x) = v;\n"
                             "  m*der(v) = -k*x;\n"
                             "  a = fill(x, n);\n"
                             "  annotation(experiment(StopTime = 2, Tolerance = 1e-8));\n"
                             "end Spring;\n";

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000 * ms}, NULL);
}

typedef struct world {
    vinc_ctx *ctx;
    live_session s;
    vinc_live_options o;
    char folder[40], path[100], library[100];
    mem m;
    text out;
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    if (!w) return -1;
    strcpy(w->folder, "/tmp/live-XXXXXX");
    if (!mkdtemp(w->folder)) return -1;
    snprintf(w->path, sizeof w->path, "%s/spring.mo", w->folder);
    snprintf(w->library, sizeof w->library, "%s/Lib.mo", w->folder);
    FILE *f = fopen(w->path, "wb");
    if (!f || fputs(SPRING, f) < 0 || fclose(f)) return -1;
    w->ctx = vinc_ctx_new(NULL);
    w->o = (vinc_live_options){.source = w->path};
    w->m = mem_std();
    text_init(&w->out, &w->m);
    *state = w;
    return live_begin(&w->s, w->ctx, &w->o);
}

static int close_world(void **state)
{
    world *w = *state;
    live_end(&w->s);
    text_done(&w->out);
    vinc_ctx_free(w->ctx);
    unlink(w->path);
    rmdir(w->folder);
    free(w);
    return 0;
}

static int ask(world *w, const char *settings, const char *words, text *out)
{
    char request[8000];
    int n = snprintf(request, sizeof request, "%stext %zu\n%s", settings, strlen(words), words);
    return live_answer(&w->s, request, (size_t)n, out);
}

static const char *answer(world *w, const char *settings, const char *words)
{
    text_clear(&w->out);
    assert_int_equal(ask(w, settings, words, &w->out), LIVE_ANSWERED);
    json_is_whole(text_str(&w->out));
    return text_str(&w->out);
}

static double at_end(world *w, const char *name)
{
    return vinc_result_at(vinc_sim_result(w->s.sim), name, 2);
}

static void values_of_the_page_are_those_of_the_run(void **state)
{
    world *w = *state;
    answer(w, "", SPRING);
    assert_float_equal(at_end(w, "x"), cos(2 * 2), 1e-6); // k = 4, m = 1
    answer(w, "set k 9\nset x 0.5\nset m 2.25\n", SPRING);
    assert_float_equal(at_end(w, "x"), 0.5 * cos(2 * 2), 1e-6); // w = 2 again, A = 0.5
    answer(w, "method dopri5\nstop 1\ntol 1e-9\n", SPRING);
    assert_float_equal(w->s.sim->options.t_stop, 1, 0);
    assert_float_equal(w->s.sim->options.rel_tol, 1e-9, 0);
    assert_string_equal(w->s.sim->method, "dopri5");
}

static void the_structure_is_told_of_every_run(void **state)
{
    world *w = *state;
    char first[100] = "", second[100] = "";
    snprintf(first, sizeof first, "%s", json_find(answer(w, "", SPRING), "data.check"));
    assert_int_equal(first[0], '{');
    snprintf(second, sizeof second, "%s", json_find(answer(w, "set k 9\n", SPRING), "data.check"));
    assert_string_equal(first, second);
    const char *told = answer(w, "", "model Other\n  Real x = time;\nend Other;\n");
    snprintf(second, sizeof second, "%s", json_find(told, "data.check"));
    assert_string_not_equal(first, second); // that of another model
}

static void sliders_are_what_a_run_can_be_given(void **state)
{
    world *w = *state;
    const char *told = answer(w, "", SPRING);
    const char *wanted[] = {"k", "m", "x", "v"}; // not w, which is final, nor n, which makes sizes
    for (int i = 0; i < 4; i++) {
        char path[40], name[40];
        snprintf(path, sizeof path, "sliders[%d].name", i);
        snprintf(name, sizeof name, "\"%s\"", wanted[i]);
        const char *found = json_find(told, path);
        assert_non_null(found);
        assert_int_equal(strncmp(found, name, strlen(name)), 0);
    }
    assert_null(json_find(told, "sliders[4]"));
    assert_float_equal(json_number(told, "sliders[0].max"), 10, 0);
    assert_float_equal(json_number(told, "sliders[2].value"), 1, 0);
}

static void a_mistake_has_its_line_and_leaves_the_text(void **state)
{
    world *w = *state;
    const char *told = answer(w, "", "model M\n  Real x;\nequation\n  x = yy;\nend M;\n");
    assert_float_equal(json_number(told, "messages[0].line"), 4, 0);
    assert_int_equal(strncmp(json_find(told, "data"), "null", 4), 0);
    told = answer(w, "", "model M\n  Real x;\nequation\n  x = ;\nend M;\n"); // syntax
    assert_float_equal(json_number(told, "messages[0].line"), 4, 0);
    told =
        answer(w, "set nothing 1\n", SPRING); // a value of a name that is gone: told, and left out
    assert_non_null(
        strstr(json_find(told, "messages[0].text"), "'nothing' is no longer in the model"));
    assert_int_equal(json_find(told, "data")[0], '{');
    told = answer(w, "", SPRING);
    assert_null(json_find(told, "messages[0]"));
}

static void a_warning_of_the_model_stays_while_its_values_change(void **state)
{
    static const char words[] =
        "model M\n  parameter Real c = 1;\n  Real x(start = 1, fixed = true, unit = \"m\");\n"
        "  Real s(unit = \"s\");\nequation\n  der(x) = -c;\n  s = x;\nend M;\n";
    world *w = *state;
    const char *told = answer(w, "", words);
    assert_float_equal(json_number(told, "messages[0].line"), 7, 0); // metres are no seconds
    assert_null(json_find(told, "messages[1]"));
    told = answer(w, "set c 2\n", words);
    assert_float_equal(json_number(told, "messages[0].line"), 7, 0);
    assert_null(json_find(told, "messages[1]"));
    for (int k = 0; k < 2; k++) { // a run that fails says what it says once, and the warning stays
        told = answer(w, "set c 2\nmethod nothing\n", words);
        assert_non_null(json_find(told, "messages[1]"));
        assert_null(json_find(told, "messages[2]"));
    }
    told = answer(w, "", SPRING);
    assert_null(json_find(told, "messages[0]"));
}

static void what_is_no_request_is_refused(void **state)
{
    world *w = *state;
    static const char *const wrong[] = {"",
                                        "text",
                                        "text 3\nab",
                                        "set k\ntext 0\n",
                                        "set k x\n",
                                        "frob 1\ntext 0\n",
                                        "text 1e9\nab",
                                        "stop x\ntext 0\n",
                                        "set k nan\ntext 0\n",
                                        "text -1\n",
                                        "\n\n\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char request[100];
        strcpy(request, wrong[i]);
        assert_int_equal(live_answer(&w->s, request, strlen(request), &w->out), LIVE_NO_REQUEST);
    }
    answer(w, "", SPRING);
}

/* ---- a run without end ------------------------------------------------------------------------ */

static const char ENDLESS[] = "model Endless\n  Real x(start = 0, fixed = true);\nequation\n"
                              "  der(x) = sin(1e9*time);\n"
                              "  annotation(experiment(StopTime = 1e9));\nend Endless;\n";

static void *ask_endless(void *of)
{
    world *w = of;
    text out;
    text_init(&out, &w->m);
    intptr_t rc = ask(w, "", ENDLESS, &out);
    text_done(&out);
    return (void *)rc;
}

static void a_newer_request_ends_an_older_one(void **state)
{
    world *w = *state;
    pthread_t other;
    void *rc;
    assert_int_equal(pthread_create(&other, NULL, ask_endless, w), 0);
    while (!atomic_load(&w->s.newest)) pause_ms(1);
    pause_ms(50);
    answer(w, "", SPRING);
    pthread_join(other, &rc);
    assert_int_equal((intptr_t)rc, LIVE_GIVEN_UP);
}

static void an_answer_has_a_limit(void **state)
{
    world *w = *state;
    w->o.max_time = 0.3;
    const char *told = answer(w, "", ENDLESS);
    assert_non_null(json_find(told, "messages[0].text"));
    assert_null(json_find(told, "messages[1]")); // said once
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void a_text_goes_back_to_its_file(void **state)
{
    world *w = *state;
    static const char words[] = "model M\nend M;\n";
    char read[100] = "";
    assert_int_equal(live_save(&w->s, words, strlen(words), &w->out), VINC_OK);
    FILE *f = fopen(w->path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(read, 1, sizeof read - 1, f), strlen(words));
    fclose(f);
    assert_string_equal(read, words);
}

static void a_name_that_leads_elsewhere_is_not_written_to(void **state)
{
    world *w = *state;
    char other[120];
    snprintf(other, sizeof other, "%s/other.mo", w->folder);
    assert_int_equal(rename(w->path, other), 0);
    assert_int_equal(symlink(other, w->path), 0);
    assert_int_not_equal(live_save(&w->s, "model M end M;", 14, &w->out), VINC_OK);
    assert_non_null(strstr(text_str(&w->out), "another file"));
    FILE *f = fopen(other, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    assert_true(ftell(f) > 14);
    fclose(f);
    unlink(other);
}

static void a_run_is_shared_as_a_page(void **state)
{
    world *w = *state;
    assert_int_not_equal(live_share(&w->s, &w->out), VINC_OK); // there is none yet
    answer(w, "", SPRING);
    text_clear(&w->out);
    assert_int_equal(live_share(&w->s, &w->out), VINC_OK);
    assert_non_null(strstr(text_str(&w->out), "<!DOCTYPE html>"));
    assert_non_null(strstr(text_str(&w->out), "model Spring"));
}

static void a_class_of_a_library_is_extended(void **state)
{
    world *w = *state;
    live_session s;
    assert_int_equal(vinc_ctx_add_path(w->ctx, w->folder), VINC_OK);
    FILE *f = fopen(w->library, "wb");
    assert_non_null(f);
    fputs("package Lib\n  model Decay\n    Real x(start = 1, fixed = true);\n  equation\n"
          "    der(x) = -x;\n    annotation(experiment(StopTime = 3));\n  end Decay;\nend Lib;\n",
          f);
    fclose(f);
    vinc_live_options o = {.source = "Lib.Decay"};
    assert_int_equal(live_begin(&s, w->ctx, &o), VINC_OK);
    live_given(&s, &w->out);
    assert_non_null(strstr(text_str(&w->out), "extends Lib.Decay;"));
    char request[400];
    int n = snprintf(request, sizeof request, "text %zu\n%s", s.n_words, s.words);
    text_clear(&w->out);
    assert_int_equal(live_answer(&s, request, (size_t)n, &w->out), LIVE_ANSWERED);
    assert_float_equal(vinc_result_at(vinc_sim_result(s.sim), "x", 3), exp(-3), 1e-5);
    text_clear(&w->out);
    assert_int_not_equal(live_save(&s, "", 0, &w->out), VINC_OK);
    live_end(&s);
    unlink(w->library);
    o.source = "Lib.Nothing";
    assert_int_not_equal(live_begin(&s, w->ctx, &o), VINC_OK);
    live_end(&s);
}

#define LIVE(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVE(values_of_the_page_are_those_of_the_run),
        LIVE(the_structure_is_told_of_every_run),
        LIVE(sliders_are_what_a_run_can_be_given),
        LIVE(a_mistake_has_its_line_and_leaves_the_text),
        LIVE(a_warning_of_the_model_stays_while_its_values_change),
        LIVE(what_is_no_request_is_refused),
        LIVE(a_newer_request_ends_an_older_one),
        LIVE(an_answer_has_a_limit),
        LIVE(a_text_goes_back_to_its_file),
        LIVE(a_name_that_leads_elsewhere_is_not_written_to),
        LIVE(a_run_is_shared_as_a_page),
        LIVE(a_class_of_a_library_is_extended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
