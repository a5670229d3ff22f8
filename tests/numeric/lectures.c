/* The worked examples of the lecture notes: every run and number of tests/data/lectures.txt, where
 * the format and the sources are told.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "vincolo.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 8, MOST_NUMBERS = 400, LINE = 1000 };

typedef struct number {
    char name[40];
    double time, value, within; // time is NaN for a largest value of the report
} number;

typedef struct scheme {
    int line;
    char model[60], formulation[60], method[40];
    double step, stop, within;
    double stops; // it fails, and keeps its result up to there; NaN: it does not fail
    int as_given;
    char text[LINE]; // of the settings
    vinc_setting settings[MOST_SETTINGS];
    number numbers[MOST_NUMBERS];
    int n_settings, n_numbers;
} scheme;

/* ---- reading --------------------------------------------------------------------------------- */

static void read_numbers(scheme *s, double time, char *words)
{
    for (char *name = strtok(words, " "); name; name = strtok(NULL, " ")) {
        const char *value = strtok(NULL, " ");
        assert_non_null(value);
        assert_true(s->n_numbers < MOST_NUMBERS);
        number *x = &s->numbers[s->n_numbers++];
        *x = (number){.time = time, .value = strtod(value, NULL), .within = s->within};
        snprintf(x->name, sizeof x->name, "%s", name);
    }
}

static void read_settings(scheme *s, const char *words)
{
    snprintf(s->text, sizeof s->text, "%s", words);
    for (char *name = strtok(s->text, " "); name; name = strtok(NULL, " ")) {
        assert_true(s->n_settings < MOST_SETTINGS);
        s->settings[s->n_settings++] = (vinc_setting){name, strtok(NULL, " ")};
    }
}

/* The next scheme of the file, which ends where another begins; 0 at the end. */
static int read_scheme(FILE *f, int *line, char *ahead, scheme *s)
{
    char text[LINE], how[20] = "";
    if (!*ahead) return 0;
    *s = (scheme){.line = *line, .within = 1e-12, .stops = NAN};
    int n = sscanf(ahead, "run %59s %59s %39s %lf %lf %19s", s->model, s->formulation, s->method,
                   &s->step, &s->stop, how);
    assert_true(n >= 5);
    s->as_given = n == 6;
    *ahead = 0;
    while (fgets(text, sizeof text, f)) {
        ++*line;
        text[strcspn(text, "\n")] = 0;
        double time;
        int used = 0;
        if (!strncmp(text, "run ", 4)) {
            strcpy(ahead, text);
            break;
        }
        if (!strncmp(text, "set ", 4)) read_settings(s, text + 4);
        else if (!strncmp(text, "within ", 7)) s->within = strtod(text + 7, NULL);
        else if (!strncmp(text, "stops ", 6)) s->stops = strtod(text + 6, NULL);
        else if (!strncmp(text, "max ", 4)) read_numbers(s, NAN, text + 4);
        else if (sscanf(text, "at %lf %n", &time, &used) == 1) read_numbers(s, time, text + used);
        else if (text[0] && text[0] != '#') fail_msg("line %d: '%s'", *line, text);
    }
    return 1;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The largest violation, or the largest change of energy. */
static double largest(vinc_sim *sim, const char *name)
{
    vinc_run *r = NULL;
    double x = NAN;
    if (vinc_run_of(sim, &r)) return x;
    if (!strcmp(name, "energy")) x = r->energy_change;
    else if (!strcmp(name, "position")) x = r->position_max;
    else if (!strcmp(name, "velocity")) x = r->velocity_max;
    else if (!strcmp(name, "acceleration")) x = r->acceleration_max;
    vinc_report_free(r);
    return x;
}

static double end_of(vinc_sim *sim)
{
    vinc_run *r = NULL;
    double t = vinc_run_of(sim, &r) ? NAN : r->t_end;
    vinc_report_free(r);
    return t;
}

static int compare(const scheme *s, vinc_sim *sim)
{
    int failed = 0;
    for (int i = 0; i < s->n_numbers; i++) {
        const number *x = &s->numbers[i];
        double got = isnan(x->time) ? largest(sim, x->name)
                                    : vinc_result_at(vinc_sim_result(sim), x->name, x->time);
        if (fabs(got - x->value) <= 1e-9 * fabs(x->value) + x->within) continue;
        printf("line %d: %s %s %s: %s at %g is %.15g, not %.15g\n", s->line, s->model,
               s->formulation, s->method, x->name, x->time, got, x->value);
        failed++;
    }
    return failed;
}

static int run(const scheme *s)
{
    char path[400];
    snprintf(path, sizeof path, "%s/examples/%s/model.mo", VINCOLO_ROOT, s->model);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_model_options given = {.settings = s->settings, .n_settings = s->n_settings};
    vinc_sim_options options = {.method = s->method,
                                .formulation =
                                    strcmp(s->formulation, "none") ? s->formulation : NULL,
                                .has_stop = 1,
                                .t_stop = s->stop,
                                .step = s->step,
                                .init_as_given = s->as_given};
    if (s->step <= 0) {
        options.rel_tol = 1e-11;
        options.intervals = (int)fmax(1, round(10 * s->stop)); // every tenth of a second
    }
    int rc = vinc_model_load_with(ctx, path, NULL, &given, &model);
    if (!rc) rc = vinc_sim_new(model, &options, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    bool as_expected =
        isnan(s->stops) ? rc >= 0 : rc < 0 && sim && fabs(end_of(sim) - s->stops) < 1e-9;
    int failed = as_expected ? compare(s, sim) : 1;
    if (!as_expected)
        printf("line %d: %s %s %s: %s\n", s->line, s->model, s->formulation, s->method,
               vinc_ctx_messages(ctx));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return failed;
}

static void every_number(void **state)
{
    (void)state;
    FILE *f = fopen(VINCOLO_ROOT "/tests/data/lectures.txt", "r");
    assert_non_null(f);
    char ahead[LINE] = "";
    int line = 0, failed = 0, runs = 0, numbers = 0;
    while (strncmp(ahead, "run ", 4) && fgets(ahead, sizeof ahead, f)) line++;
    static scheme s;
    while (read_scheme(f, &line, ahead, &s)) {
        failed += run(&s);
        runs++;
        numbers += s.n_numbers;
    }
    fclose(f);
    assert_true(runs > 100 && numbers > 1500);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
