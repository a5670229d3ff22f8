/* FMUs as components of models: the same equations, once inside of FMUs and once written out, agree.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <unistd.h>

static char folder[60];

static const char plant[] =
    "model Plant parameter Real T = 0.5; parameter Boolean on = true; input Real u;"
    "  output Real y; Real x(start = 0.2, fixed = true);"
    "equation T*der(x) = (if on then u else 0) - x; y = x; end Plant;";
static const char ball[] =
    "model Ball input Real g; output Real h, v; Real z(start = 1, fixed = true);"
    "  Real w(start = 0, fixed = true);"
    "equation der(z) = w; der(w) = -g; h = z; v = w;"
    "  when z < 0 then reinit(w, -0.7*pre(w)); end when; end Ball;";
/* A jump at t = 0.3, which the FMU announces; and a state that starts where the input is. */
static const char step[] =
    "model Step input Real u; output Real y, s; Real x; initial equation x = u;"
    "equation der(x) = u - x; y = x; s = if time >= 0.3 then 2 else 1; end Step;";

/* A pendulum that turns so far that its states are chosen anew, and keeps the time of an event. */
static const char swing[] =
    "model Swing input Real u; output Real p, q; Real x(start = 1, fixed = true), y;"
    "  Real vx(start = 0, fixed = true), vy, F;"
    "equation der(x) = vx; der(y) = vy; der(vx) = -F*x + u; der(vy) = -F*y - 9.81;"
    "  x^2 + y^2 = 1; p = x; q = y; end Swing;";
/* The first output is what a variable is at the start anyway, the second one is not. */
static const char two[] =
    "model Two input Real r; output Real y, u; Real x(start = 0, fixed = true);"
    "equation der(x) = r; y = x; u = 2*r; end Two;";

static void export(const char *words, const char *name, int fmi)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    char path[100];
    snprintf(path, sizeof path, "%s/%s%d.fmu", folder, name, fmi);
    int rc = vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &model);
    vinc_export_options o = {.fmi = fmi, .libraries = VINCOLO_FMU_FOLDER};
    if (!rc) rc = vinc_model_export(model, path, &o);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/vincolo-component-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (int fmi = 2; fmi <= 3; fmi++) {
        export(plant, "plant", fmi);
        export(ball, "ball", fmi);
        export(step, "step", fmi);
        export(swing, "swing", fmi);
        export(two, "two", fmi);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char line[100];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    return system(line);
}

typedef struct trial {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    int rc;
} trial;

/* words: with @ where the folder is meant, and # for the version. */
static trial try(const char *words, int fmi, int allowed)
{
    trial t = {.ctx = vinc_ctx_new(NULL)};
    char text[3000];
    size_t n = 0;
    for (const char *p = words; *p && n < sizeof text - 100; p++)
        if (*p == '@') n += (size_t)snprintf(text + n, 100, "%s", folder);
        else text[n++] = *p == '#' ? (char)('0' + fmi) : *p;
    text[n] = 0;
    vinc_ctx_add_path(t.ctx, VINCOLO_ROOT "/lib");
    char path[100];
    snprintf(path, sizeof path, "%s/m.mo", folder);
    FILE *f = fopen(path, "w");
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
    t.rc = vinc_model_load_with(t.ctx, path, "M", &(vinc_model_options){.allow_external = allowed},
                                &t.model);
    vinc_sim_options o = {.rel_tol = 1e-8, .has_stop = 1, .t_stop = 1};
    if (!t.rc) t.rc = vinc_sim_new(t.model, &o, &t.sim);
    if (!t.rc) t.rc = vinc_sim_run(t.sim);
    return t;
}

static void trial_end(trial *t)
{
    vinc_sim_free(t->sim);
    vinc_model_free(t->model);
    vinc_ctx_free(t->ctx);
}

static double at(const trial *t, const char *name, double when)
{
    return vinc_result_at(vinc_sim_result(t->sim), name, when);
}

static void fine(const trial *t)
{
    if (t->rc) fail_msg("%s", vinc_ctx_messages(t->ctx));
}

/* A loop is closed around an FMU, and another one bounces beside it. */
static void they_are_integrated_with_the_model(void **state)
{
    (void)state;
    char own[2000];
    snprintf(own, sizeof own,
             "%s %s model M Plant p(T = 0.25); Ball b; Real i(start = 0, fixed = true);"
             "equation der(i) = 1 - p.y; p.u = 2*(1 - p.y) + i; b.g = 9.81; end M;",
             plant, ball);
    trial a = try(own, 0, 0);
    fine(&a);
    for (int fmi = 2; fmi <= 3; fmi++) {
        trial b = try("model M Vincolo.FMI.ModelExchange p(file = \"@/plant#.fmu\", T = 0.25);"
                      "  Vincolo.FMI.ModelExchange b(file = \"@/ball#.fmu\", inProcess = true);"
                      "  Real i(start = 0, fixed = true);"
                      "equation der(i) = 1 - p.y; p.u = 2*(1 - p.y) + i; b.g = 9.81; end M;",
                      fmi, 1);
        fine(&b);
        for (double t = 0.1; t < 1; t += 0.17) {
            // Ten tolerances: both are runs of the same equations at 1e-8.
            assert_near(at(&a, "p.y", t), at(&b, "p.y", t), 1e-7);
            assert_near(at(&a, "b.h", t), at(&b, "b.h", t), 1e-7);
            assert_near(at(&a, "b.v", t), at(&b, "b.v", t), 1e-6);
        }
        trial_end(&b);
    }
    trial_end(&a);
}

/* x' = u - x with x(0) = u(0) = 3 and u = 3 for ever: x stays; s jumps when the FMU says so. */
static void they_start_with_their_inputs_and_have_times(void **state)
{
    (void)state;
    trial t = try("model M Vincolo.FMI.ModelExchange s(file = \"@/step#.fmu\");"
                  "  Vincolo.Blocks.Constant c(k = 3);"
                  "equation connect(c.y, s.u); end M;",
                  3, 1);
    fine(&t);
    assert_near(at(&t, "s.y", 0), 3, 1e-9);
    assert_near(at(&t, "s.y", 1), 3, 1e-7);
    assert_near(at(&t, "s.s", 0.299), 1, 0);
    assert_near(at(&t, "s.s", 0.301), 2, 0);
    trial_end(&t);
}

/* Steps of h with an input that holds: x_k+1 = u + (x_k - u) exp(-h/T), by hand. */
static void they_step_by_themselves(void **state)
{
    (void)state;
    for (int fmi = 2; fmi <= 3; fmi++) {
        trial t = try("model M Vincolo.FMI.CoSimulation p(file = \"@/plant#.fmu\", step = 0.1);"
                      "equation p.u = time; end M;",
                      fmi, 1);
        fine(&t);
        double x = 0.2, h = 0.1, T = 0.5;
        for (int k = 0; k < 9; k++) {
            assert_near(at(&t, "p.y", (k + 0.5) * h), x, 1e-5);
            x = k * h + (x - k * h) * exp(-h / T);
        }
        trial_end(&t);
    }
}

/* The same pendulum inside and written out. Its kind of states changes at an event. */
static void states_that_are_chosen_anew_are_taken_over(void **state)
{
    (void)state;
    for (int fmi = 2; fmi <= 3; fmi++) {
        trial t =
            try("model M Vincolo.FMI.ModelExchange s(file = \"@/swing#.fmu\");"
                "  Real x(start = 1, fixed = true), y; Real vx(start = 0, fixed = true), vy, F;"
                "equation s.u = sin(5*time); der(x) = vx; der(y) = vy;"
                "  der(vx) = -F*x + sin(5*time); der(vy) = -F*y - 9.81; x^2 + y^2 = 1; end M;",
                fmi, 1);
        fine(&t);
        for (double when = 0.1; when < 1.01; when += 0.1) {
            assert_near(at(&t, "s.p", when), at(&t, "x", when), 1e-5);
            assert_near(at(&t, "s.q", when), at(&t, "y", when), 1e-5);
        }
        assert_true(at(&t, "x", 1) < -0.3); // it has passed the lowest point
        trial_end(&t);
    }
}

static void all_outputs_have_values_at_the_start(void **state)
{
    (void)state;
    trial t = try("model M Vincolo.FMI.CoSimulation p(file = \"@/two#.fmu\", step = 0.1);"
                  "equation p.r = 3 + time; end M;",
                  3, 1);
    fine(&t);
    assert_near(at(&t, "p.y", 0.05), 0, 0);
    assert_near(at(&t, "p.u", 0.05), 6, 1e-12);
    trial_end(&t);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *words, *says;
        int allowed;
    } cases[] = {
        {"model M Vincolo.FMI.ModelExchange p(file = \"@/plant3.fmu\"); end M;", "[F191]", 0},
        {"model M Vincolo.FMI.ModelExchange p; equation p.u = 1; end M;", "[F190]", 1},
        {"model M Vincolo.FMI.ModelExchange p(file = \"@/none.fmu\"); end M;", "none.fmu", 1},
        {"model M Vincolo.FMI.ModelExchange p(file = \"@/plant3.fmu\", q = 1); end M;",
         "its parameters are file, inProcess, T, on", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial t = try(cases[i].words, 3, cases[i].allowed);
        assert_true(t.rc < 0);
        if (!strstr(vinc_ctx_messages(t.ctx), cases[i].says))
            fail_msg("%s", vinc_ctx_messages(t.ctx));
        trial_end(&t);
    }
}

/* An FMU in an FMU: its library reads none. */
static void a_model_of_fmus_is_not_exported(void **state)
{
    (void)state;
    trial t = try(
        "model M Vincolo.FMI.ModelExchange p(file = \"@/plant3.fmu\"); equation p.u = 1; end M;", 3,
        1);
    vinc_export_options o = {.libraries = VINCOLO_FMU_FOLDER};
    char path[100];
    fine(&t);
    snprintf(path, sizeof path, "%s/never.fmu", folder);
    assert_int_equal(vinc_model_export(t.model, path, &o), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(t.ctx), "[F010]"));
    assert_int_not_equal(access(path, F_OK), 0);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_integrated_with_the_model),
        cmocka_unit_test(they_start_with_their_inputs_and_have_times),
        cmocka_unit_test(they_step_by_themselves),
        cmocka_unit_test(states_that_are_chosen_anew_are_taken_over),
        cmocka_unit_test(all_outputs_have_values_at_the_start),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_model_of_fmus_is_not_exported),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
