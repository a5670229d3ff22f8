/* FMUs of ours, run by a master of ours. Held against closed forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // mkstemps
#include "fmu_master.h"

/* ---- co-simulation --------------------------------------------------------------------------- */

static const char filter[] =
    "model Filter \"first order\"\n  parameter Real tau(unit = \"s\") = 0.5 \"time constant\";\n"
    "  final parameter Real rate = 1/tau;\n  input Real u(start = 1);\n  output Real y;\n"
    "  Real x(start = 0, fixed = true);\n  Boolean high;\n  Integer n;\n"
    "  type Mode = enumeration(low, middle, top);\n  Mode mode;\nequation\n"
    "  der(x) = rate*(u - x);\n  y = 2*x;\n  high = x > 0.5;\n  n = if high then 7 else 3;\n"
    "  mode = if high then Mode.top else Mode.low;\nend Filter;\n";

static void a_filter_is_stepped(void **state)
{
    (void)state;
    fmu u = export(filter);
    instance x = steps3(&u, false, false, NULL);
    reference y = variable(&u, "y"), in = variable(&u, "u"), tau = variable(&u, "tau"),
              n = variable(&u, "n"), mode = variable(&u, "mode"), high = variable(&u, "high"),
              time = 0;
    int32_t whole;
    int64_t item;
    bool on;
    assert_string_equal(fmi3GetVersion(), "3.0");
    set3(x, tau, 0.25);
    begin3(x, 1e-9);
    for (int k = 0; k < 10; k++) step3(x, 0.05 * k, 0.05); // u = 1
    double at = 1 - exp(-2);
    assert_true(fabs(get3(x, y) - 2 * at) < 1e-7);
    set3(x, in, -1);
    for (int k = 10; k < 20; k++) step3(x, 0.05 * k, 0.05);
    assert_true(fabs(get3(x, y) - 2 * (-1 + (at + 1) * exp(-2))) < 1e-7);
    assert_true(fabs(get3(x, time) - 1) < 1e-12);
    assert_int_equal(fmi3GetInt32(x, &n, 1, &whole, 1), 0);
    assert_int_equal(fmi3GetInt64(x, &mode, 1, &item, 1), 0);
    assert_int_equal(fmi3GetBoolean(x, &high, 1, &on, 1), 0);
    assert_int_equal(whole, 3);
    assert_int_equal(item, 1);
    assert_false(on);
    assert_int_equal(fmi3Terminate(x), 0);
    // Reset: parameters are those of the model again.
    assert_int_equal(fmi3Reset(x), 0);
    begin3(x, 1e-9);
    step3(x, 0, 0.5);
    assert_true(fabs(get3(x, y) - 2 * (1 - exp(-1))) < 1e-7);
    fmi3FreeInstance(x);
    // What an importer is told.
    assert_non_null(
        strstr(u.description, "causality=\"input\" variability=\"continuous\" start=\"1\""));
    assert_non_null(strstr(u.description, "<Item name=\"top\" value=\"3\"/>"));
    assert_non_null(strstr(u.description, "description=\"time constant\" causality=\"parameter\" "
                                          "variability=\"fixed\" initial=\"exact\" unit=\"s\""));
    assert_non_null(strstr(u.description, "name=\"rate\" valueReference=\"2\" "
                                          "causality=\"calculatedParameter\""));
    remove_fmu(&u);
}

static void the_same_in_version_2(void **state)
{
    (void)state;
    fmu u = export_with(filter, (vinc_export_options){.fmi = 2});
    callbacks2 f = {.logger = listen2};
    char uri[120];
    said[0] = 0;
    snprintf(uri, sizeof uri, "file://%s", u.resources);
    instance x = fmi2Instantiate("two", 1, u.token, uri, &f, 0, 0);
    if (!x) fail_msg("%s", said);
    reference y = variable(&u, "y"), in = variable(&u, "u"), mode = variable(&u, "mode");
    double value, minus = -1, at = 1 - exp(-1);
    int item;
    assert_int_equal(fmi2SetupExperiment(x, 1, 1e-9, 0, 1, 1), 0);
    assert_int_equal(fmi2EnterInitializationMode(x), 0);
    assert_int_equal(fmi2ExitInitializationMode(x), 0);
    assert_int_equal(fmi2DoStep(x, 0, 0.5, 1), 0);
    assert_int_equal(fmi2GetReal(x, &y, 1, &value), 0);
    assert_true(fabs(value - 2 * at) < 1e-7);
    assert_int_equal(fmi2GetInteger(x, &mode, 1, &item), 0);
    assert_int_equal(item, 3);
    assert_int_equal(fmi2SetReal(x, &in, 1, &minus), 0);
    assert_int_equal(fmi2DoStep(x, 0.5, 0.5, 1), 0);
    assert_int_equal(fmi2GetReal(x, &y, 1, &value), 0);
    assert_true(fabs(value - 2 * (-1 + (at + 1) * exp(-1))) < 1e-7);
    assert_int_equal(fmi2Terminate(x), 0);
    fmi2FreeInstance(x);
    remove_fmu(&u);
}

static const char ball[] =
    "model Ball\n  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "  Integer n(start = 0, fixed = true);\nequation\n  der(h) = v;\n  der(v) = -9.81;\n"
    "  when h < 0 then\n    reinit(v, -0.8*pre(v));\n    n = pre(n) + 1;\n  end when;\nend Ball;\n";

static void a_step_returns_early_at_an_event(void **state)
{
    (void)state;
    fmu u = export(ball);
    instance x = steps3(&u, true, true, NULL);
    bool event, terminate, early, again, b[3];
    double last, next;
    begin3(x, 1e-9);
    assert_int_equal(fmi3UpdateDiscreteStates(x, &again, &terminate, &b[0], &b[1], &b[2], &next),
                     0);
    assert_int_equal(fmi3EnterStepMode(x), 0);
    assert_int_equal(fmi3DoStep(x, 0, 1, true, &event, &terminate, &early, &last), 0);
    assert_true(event && early);
    assert_true(fabs(last - sqrt(2 / 9.81)) < 1e-8);
    assert_int_equal(fmi3EnterEventMode(x), 0);
    assert_int_equal(fmi3UpdateDiscreteStates(x, &again, &terminate, &b[0], &b[1], &b[2], &next),
                     0);
    assert_false(again);
    assert_int_equal(fmi3EnterStepMode(x), 0);
    assert_true(fabs(get3(x, variable(&u, "v")) - 0.8 * sqrt(2 * 9.81)) < 1e-6);
    double end = last + 0.1; // when it leaves the ground, h < 0 changes once more
    for (int k = 0; k < 3 && last < end; k++)
        assert_int_equal(fmi3DoStep(x, last, end - last, true, &event, &terminate, &early, &last),
                         0);
    assert_false(event || early);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static int n_updates;
static double stop_at;

static void look(void *environment, double t, bool set, bool get, bool finished, bool can_return,
                 bool *wanted, double *when)
{
    (void)environment, (void)set;
    assert_true(get && finished);
    n_updates++;
    if (can_return && t >= stop_at) *wanted = true, *when = t;
}

static void a_master_may_look_between_steps(void **state)
{
    (void)state;
    fmu u = export(filter);
    instance x = steps3(&u, false, true, look);
    bool event, terminate, early;
    double last;
    n_updates = 0;
    stop_at = 0.5;
    begin3(x, 1e-8);
    assert_int_equal(fmi3DoStep(x, 0, 2, true, &event, &terminate, &early, &last), 0);
    assert_true(early && last >= 0.5 && last < 2 && n_updates > 3);
    assert_true(fabs(get3(x, variable(&u, "x")) - (1 - exp(-2 * last))) < 1e-6);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* ---- model exchange -------------------------------------------------------------------------- */

static const char pendulum[] =
    "model P\n  parameter Real L = 1, g = 9.81;\n"
    "  Real x(start = 1, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy(start = 0), "
    "F;\n"
    "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -F*x;\n  der(vy) = -F*y - g;\n"
    "  x^2 + y^2 = L^2;\nend P;\n";

/* Steps of equal size by the method of Runge and Kutta; events as the FMU asks for them. */
static void run_exchange(instance x, double t0, double t1, int n)
{
    double h = (t1 - t0) / n, y[8], z[8], k[4][8], next;
    static const double part[] = {0, 0.5, 0.5, 1};
    size_t n_x;
    bool event, terminate, b[4];
    assert_int_equal(fmi3GetNumberOfContinuousStates(x, &n_x), 0);
    assert_int_equal(fmi3GetContinuousStates(x, y, n_x), 0);
    for (int step = 0; step < n; step++) {
        for (int s = 0; s < 4; s++) {
            for (size_t i = 0; i < n_x; i++) z[i] = y[i] + (s ? part[s] * h * k[s - 1][i] : 0);
            assert_int_equal(fmi3SetTime(x, t0 + (step + part[s]) * h), 0);
            assert_int_equal(fmi3SetContinuousStates(x, z, n_x), 0);
            if (fmi3GetContinuousStateDerivatives(x, k[s], n_x)) fail_msg("%s", said);
        }
        for (size_t i = 0; i < n_x; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        assert_int_equal(fmi3SetTime(x, t0 + (step + 1) * h), 0);
        assert_int_equal(fmi3SetContinuousStates(x, y, n_x), 0);
        assert_int_equal(fmi3CompletedIntegratorStep(x, true, &event, &terminate), 0);
        if (!event) continue;
        assert_int_equal(fmi3EnterEventMode(x), 0);
        assert_int_equal(fmi3UpdateDiscreteStates(x, &b[0], &terminate, &b[1], &b[2], &b[3], &next),
                         0);
        assert_int_equal(fmi3EnterContinuousTimeMode(x), 0);
        if (b[2]) assert_int_equal(fmi3GetContinuousStates(x, y, n_x), 0);
    }
}

static void begin_exchange(instance x)
{
    bool b[5];
    double next;
    begin3(x, 1e-8);
    assert_int_equal(fmi3UpdateDiscreteStates(x, &b[0], &b[1], &b[2], &b[3], &b[4], &next), 0);
    assert_int_equal(fmi3EnterContinuousTimeMode(x), 0);
}

/* Back after the period 4 sqrt(L/g) K(1/sqrt 2), as in tests/api/lent.c. */
static void a_pendulum_of_index_3_is_integrated_by_others(void **state)
{
    (void)state;
    fmu u = export(pendulum);
    instance x = exchange3(&u);
    double T = pow(tgamma(0.25), 2) / sqrt(M_PI) / sqrt(9.81);
    begin_exchange(x);
    run_exchange(x, 0, T, 2000);
    double px = get3(x, variable(&u, "x")), py = get3(x, variable(&u, "y"));
    assert_true(fabs(px - 1) < 1e-9);
    assert_true(fabs(px * px + py * py - 1) < 1e-13);
    assert_int_equal(fmi3Terminate(x), 0);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static void events_of_version_2(void **state)
{
    (void)state;
    fmu u = export_with(ball, (vinc_export_options){.fmi = 2, .kinds = VINC_FMU_EXCHANGE});
    callbacks2 f = {.logger = listen2};
    said[0] = 0;
    instance x = fmi2Instantiate("two", 0, u.token, u.resources, &f, 0, 0);
    if (!x) fail_msg("%s", said);
    assert_non_null(strstr(u.description, "numberOfEventIndicators=\"1\""));
    assert_null(strstr(u.description, "<CoSimulation"));
    event2 e;
    double z[2], g[2], t = 0, h = 1e-3, dz[2], v;
    reference n = variable(&u, "n"), speed = variable(&u, "v");
    int count = 0, wanted, terminate;
    assert_int_equal(fmi2SetupExperiment(x, 0, 0, 0, 0, 0), 0);
    assert_int_equal(fmi2EnterInitializationMode(x), 0);
    assert_int_equal(fmi2ExitInitializationMode(x), 0);
    assert_int_equal(fmi2NewDiscreteStates(x, &e), 0);
    assert_false(e.again || e.has_next);
    assert_int_equal(fmi2EnterContinuousTimeMode(x), 0);
    assert_int_equal(fmi2GetEventIndicators(x, g, 1), 0);
    for (; t < 0.5; t += h) { // parabolas: a step by the middle slope is exact
        assert_int_equal(fmi2GetContinuousStates(x, z, 2), 0);
        assert_int_equal(fmi2GetDerivatives(x, dz, 2), 0);
        z[0] += h * (z[1] + 0.5 * h * dz[1]);
        z[1] += h * dz[1];
        assert_int_equal(fmi2SetTime(x, t + h), 0);
        assert_int_equal(fmi2SetContinuousStates(x, z, 2), 0);
        assert_int_equal(fmi2CompletedIntegratorStep(x, 1, &wanted, &terminate), 0);
        assert_int_equal(fmi2GetEventIndicators(x, g + 1, 1), 0);
        if ((g[0] > 0) != (g[1] > 0)) {
            bool falls = z[1] < 0; // otherwise the ball leaves the ground: h < 0 is no longer true
            v = z[1];
            if (falls) assert_true(fabs(t + h - sqrt(2 / 9.81)) < 1.1 * h);
            assert_int_equal(fmi2EnterEventMode(x), 0);
            assert_int_equal(fmi2NewDiscreteStates(x, &e), 0);
            assert_true(e.values);
            assert_int_equal(fmi2EnterContinuousTimeMode(x), 0);
            assert_int_equal(fmi2GetReal(x, &speed, 1, &z[1]), 0);
            assert_true(fabs(z[1] - (falls ? -0.8 * v : v)) < 1e-14);
            assert_int_equal(fmi2GetInteger(x, &n, 1, &count), 0);
            assert_int_equal(fmi2GetEventIndicators(x, g + 1, 1), 0);
        }
        g[0] = g[1];
    }
    assert_int_equal(count, 1);
    fmi2FreeInstance(x);
    remove_fmu(&u);
}

/* ---- states, derivatives --------------------------------------------------------------------- */

static void states_come_back(void **state)
{
    (void)state;
    fmu u = export(pendulum);
    instance x = exchange3(&u), other = exchange3(&u);
    reference F = variable(&u, "F");
    void *kept = NULL, *read = NULL;
    size_t n;
    begin_exchange(x);
    run_exchange(x, 0, 0.5, 50);
    assert_int_equal(fmi3GetFMUState(x, &kept), 0);
    run_exchange(x, 0.5, 1.5, 100);
    double there = get3(x, F);
    assert_int_equal(fmi3SetFMUState(x, kept), 0);
    run_exchange(x, 0.5, 1.5, 100);
    assert_true(get3(x, F) == there);
    assert_int_equal(fmi3SerializedFMUStateSize(x, kept, &n), 0);
    uint8_t *bytes = malloc(n);
    assert_int_equal(fmi3SerializeFMUState(x, kept, bytes, n), 0);
    assert_int_equal(fmi3DeserializeFMUState(other, bytes, n, &read), 0); // never initialized
    assert_int_equal(fmi3SetFMUState(other, read), 0);
    run_exchange(other, 0.5, 1.5, 100);
    assert_true(get3(other, F) == there);
    said[0] = 0;
    assert_int_equal(fmi3DeserializeFMUState(other, bytes, n - 1, &read), 3);
    assert_non_null(strstr(said, "no state"));
    bytes[n - 9] ^= 4;
    void *damaged = NULL;
    assert_int_equal(fmi3DeserializeFMUState(other, bytes, n, &damaged), 3);
    free(bytes);
    assert_int_equal(fmi3FreeFMUState(x, &kept), 0);
    assert_null(kept);
    fmi3FreeFMUState(other, &read);
    fmi3FreeInstance(x);
    fmi3FreeInstance(other);
    remove_fmu(&u);
}

/* y = 2 x, x' = (u - x)/tau: by tau, dx'/dtau = -(u - x)/tau^2, through the parameter rate. */
static void derivatives_by_states_inputs_and_parameters(void **state)
{
    (void)state;
    fmu u = export(filter);
    reference unknowns[] = {variable(&u, "y"), variable(&u, "der(x)")},
              knowns[] = {variable(&u, "x"), variable(&u, "u"), variable(&u, "tau")};
    double seed[] = {1, 10, 100}, out[2], back[3], ones[] = {1, 1};
    for (int steps = 0; steps < 2; steps++) {
        instance x = steps ? steps3(&u, false, false, NULL) : exchange3(&u);
        if (steps) begin3(x, 1e-8);
        else begin_exchange(x);
        assert_int_equal(fmi3GetDirectionalDerivative(x, unknowns, 2, knowns, 3, seed, 3, out, 2),
                         0);
        assert_true(fabs(out[0] - 2) < 1e-13);
        assert_true(fabs(out[1] - (-2 * 1 + 2 * 10 - 4 * 100)) < 1e-10);
        assert_int_equal(fmi3GetAdjointDerivative(x, unknowns, 2, knowns, 3, ones, 2, back, 3), 0);
        assert_true(fabs(back[0] - (2 - 2)) < 1e-13 && fabs(back[1] - 2) < 1e-13);
        assert_true(fabs(back[2] + 4) < 1e-12);
        assert_int_equal(fmi3GetDirectionalDerivative(x, unknowns, 2, knowns, 3, seed, 2, out, 2),
                         3);
        fmi3FreeInstance(x);
    }
    remove_fmu(&u);
}

/* ---- many ------------------------------------------------------------------------------------ */

typedef struct worker {
    const fmu *u;
    double end;
} worker;

static void *work(void *job)
{
    worker *w = job;
    for (int k = 0; k < 5; k++) {
        instance x = fmi3InstantiateCoSimulation("w", w->u->token, w->u->resources, false, false,
                                                 false, false, NULL, 0, NULL, NULL, NULL);
        bool event, terminate, early;
        double last;
        int status = !x || fmi3EnterInitializationMode(x, true, 1e-8, 0, true, 1) ||
                     fmi3ExitInitializationMode(x);
        for (int i = 0; i < 10 && !status; i++)
            status = fmi3DoStep(x, 0.1 * i, 0.1, true, &event, &terminate, &early, &last);
        reference F = variable(w->u, "F");
        if (!status) status = fmi3GetFloat64(x, &F, 1, &w->end, 1);
        if (status) w->end = NAN;
        fmi3FreeInstance(x);
    }
    return NULL;
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    fmu u = export(pendulum);
    enum { N = 8 };
    worker w[N], alone = {&u, 0};
    pthread_t thread[N];
    work(&alone);
    assert_true(isfinite(alone.end));
    for (int i = 0; i < N; i++) {
        w[i] = (worker){&u, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < N; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < N; i++) assert_true(w[i].end == alone.end);
    remove_fmu(&u);
}

/* ---- wrong use ------------------------------------------------------------------------------- */

static void wrong_use_is_explained(void **state)
{
    (void)state;
    fmu u = export(filter);
    reference y = variable(&u, "y"), n = variable(&u, "n"), none = 5000;
    double value = 0, states[3];
    bool on = true, b;
    said[0] = 0;
    assert_null(
        fmi3InstantiateModelExchange("x", "{no}", u.resources, false, false, NULL, listen3));
    assert_non_null(strstr(said, "token"));
    said[0] = 0;
    assert_null(
        fmi3InstantiateModelExchange("x", u.token, "/nowhere", false, false, NULL, listen3));
    assert_non_null(strstr(said, "/nowhere/model.mo"));
    assert_null(fmi3InstantiateModelExchange("x", u.token, NULL, false, false, NULL, NULL));
    instance x = exchange3(&u);
    assert_int_equal(fmi3SetTime(x, 1), 3);
    assert_non_null(strstr(said, "fmi3SetTime may not be called now"));
    begin_exchange(x);
    said[0] = 0;
    assert_int_equal(fmi3GetFloat64(x, &none, 1, &value, 1), 3);
    assert_int_equal(fmi3GetFloat64(x, &n, 1, &value, 1), 3); // an Integer
    assert_non_null(strstr(said, "is of type Integer and was used as Real"));
    assert_int_equal(fmi3SetFloat64(x, &y, 1, &value, 1), 3); // an output
    assert_int_equal(fmi3SetBoolean(x, &y, 1, &on, 1), 3);
    assert_int_equal(fmi3GetFloat64(x, &y, 1, &value, 2), 3);
    assert_int_equal(fmi3GetContinuousStates(x, states, 3), 3);
    assert_non_null(strstr(said, "3 states were given, but the FMU has 1"));
    states[0] = NAN;
    assert_int_equal(fmi3SetContinuousStates(x, states, 1), 3);
    assert_int_equal(fmi3ExitInitializationMode(x), 3);
    assert_int_equal(fmi3CompletedIntegratorStep(x, true, &b, &b), 0);
    fmi3FreeInstance(x);
    fmi3FreeInstance(NULL);
    x = steps3(&u, false, false, NULL);
    begin3(x, 1e-6);
    assert_int_equal(fmi3DoStep(x, 5, 1, true, &b, &b, &b, &value), 3); // it is at 0
    assert_int_equal(fmi3DoStep(x, 0, -1, true, &b, &b, &b, &value), 3);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static void what_fails_inside_says_where(void **state)
{
    (void)state;
    fmu u = export("model A\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -2;\n"
                   "  assert(x > 0, \"x has run out\");\nend A;\n");
    instance x = steps3(&u, false, false, NULL);
    bool b;
    double last;
    begin3(x, 1e-6);
    assert_int_equal(fmi3DoStep(x, 0, 1, true, &b, &b, &b, &last), 3);
    assert_non_null(strstr(said, "x has run out"));
    assert_non_null(strstr(said, "model.mo:"));
    assert_true(fabs(last - 0.5) < 1e-3);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static void the_end_of_a_model_is_told(void **state)
{
    (void)state;
    fmu u = export("model E\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
                   "  when x > 0.25 then\n    terminate(\"done\");\n  end when;\nend E;\n");
    instance x = steps3(&u, false, false, NULL);
    bool event, terminate, early;
    double last;
    begin3(x, 1e-6);
    assert_int_equal(fmi3DoStep(x, 0, 1, true, &event, &terminate, &early, &last), 0);
    assert_true(terminate && early && fabs(last - 0.25) < 1e-9);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static void what_flat_text_cannot_say_is_refused(void **state)
{
    (void)state;
    static const char words[] =
        "class Pen\n  extends ExternalObject;\n  function constructor\n    input Real k;\n    "
        "output Pen "
        "p;\n    external \"C\" p = ModelicaRandom_none(k);\n  end constructor;\n  function "
        "destructor\n"
        "    input Pen p;\n    external \"C\" ModelicaRandom_end(p);\n  end destructor;\nend Pen;\n"
        "model M\n  Pen p = Pen(1);\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n"
        "end M;\n";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    vinc_export_options o = {.libraries = VINCOLO_FMU_FOLDER};
    int rc = vinc_model_load_text(ctx, "p.mo", words, strlen(words), "M", &model);
    if (!rc) rc = vinc_model_export(model, "/tmp/never.fmu", &o);
    assert_true(rc < 0);
    assert_int_not_equal(access("/tmp/never.fmu", F_OK), 0);
    vinc_model_free(model);
    vinc_ctx_free(ctx);

    // A start value of a derivative that nothing names.
    static const char spring[] = "model S\n  Real x(start = 1, fixed = true);\nequation\n"
                                 "  der(der(x)) = -x;\nend S;\n";
    char path[] = "/tmp/fmu-test-XXXXXX.mo";
    int f = mkstemps(path, 3);
    assert_int_equal(write(f, spring, strlen(spring)), strlen(spring));
    close(f);
    vinc_setting set = {"der(x)", "2"};
    vinc_model_options with = {.settings = &set, .n_settings = 1};
    ctx = vinc_ctx_new(NULL);
    assert_int_equal(vinc_model_load_with(ctx, path, NULL, &with, &model), VINC_OK);
    assert_int_equal(vinc_model_export(model, "/tmp/never.fmu", &o), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "[F004]"));
    unlink(path);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* A capacitance that vanishes: at the start the voltage is 0 and any rate will do, but an integrator that moves
 * the voltage finds none. Co-simulation runs it. */
static void states_that_cannot_be_moved_are_no_exchange(void **state)
{
    (void)state;
    fmu u =
        export("model V\n  discrete Real n;\n  Real v(start = 0, fixed = true), x(start = 1, fixed "
               "= true);\nequation\n  noEvent(if x < 2 then 0 else 1)*der(v) = -v;\n  der(x) = "
               "-x;\n  when x < 0.5 then\n    n = 1;\n  end when;\nend V;\n");
    assert_null(strstr(u.description, "<ModelExchange"));
    instance x = steps3(&u, false, false, NULL);
    begin3(x, 1e-8);
    step3(x, 0, 1);
    assert_true(fabs(get3(x, variable(&u, "x")) - exp(-1)) < 1e-6);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* Of how many inputs are derivatives told that the model uses? Nothing is written: there is no library. */
static int told_rates(const char *equations)
{
    char words[400];
    int n = 0;
    sprintf(words, "model D\n  input Real u, v;\n  output Real x, y;\nequation\n%send D;\n",
            equations);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    vinc_export_options o = {.libraries = "/nowhere"};
    assert_int_equal(vinc_model_load_text(ctx, "d.mo", words, strlen(words), NULL, &model), 0);
    assert_int_equal(vinc_model_export(model, "/tmp/never.fmu", &o), VINC_E_OPTION);
    for (const char *at = vinc_ctx_messages(ctx); (at = strstr(at, "[F011]")); at++) n++;
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return n;
}

/* By itself, and because x, which is u, is differentiated. */
static void derivatives_of_inputs_are_told(void **state)
{
    (void)state;
    assert_int_equal(told_rates("  x = u;\n  y = 2*v;\n"), 0);
    assert_int_equal(told_rates("  x = u;\n  y = der(v);\n"), 1);
    assert_int_equal(told_rates("  x = 2*u;\n  y = der(x) + der(v);\n"), 2);
}

static void what_cannot_be_exported_is_refused(void **state)
{
    (void)state;
    static const char words[] = "model D\n  Real x(start = 1, fixed = true);\nequation\n"
                                "  der(x) = -delay(x, 0.1);\nend D;\n";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    vinc_export_options o = {.kinds = VINC_FMU_EXCHANGE, .libraries = VINCOLO_FMU_FOLDER};
    assert_int_equal(vinc_model_load_text(ctx, "d.mo", words, strlen(words), NULL, &model), 0);
    assert_int_equal(vinc_model_export(model, "/tmp/never.fmu", &o), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "[F002]"));
    assert_int_not_equal(access("/tmp/never.fmu", F_OK), 0);
    vinc_ctx_clear(ctx);
    o = (vinc_export_options){.libraries = "/nowhere"};
    assert_int_equal(vinc_model_export(model, "/tmp/never.fmu", &o), VINC_E_OPTION);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "[F003]"));
    assert_int_not_equal(access("/tmp/never.fmu", F_OK), 0);
    vinc_model_free(model);
    vinc_ctx_free(ctx);

    fmu u = export(words); // both kinds asked for: the one that can be had
    assert_null(strstr(u.description, "<ModelExchange"));
    assert_non_null(strstr(u.description, "canSerializeFMUState=\"true\""));
    instance x = steps3(&u, false, false, NULL);
    begin3(x, 1e-9);
    step3(x, 0, 0.1); // x' = -1 while the past is the start value
    assert_true(fabs(get3(x, variable(&u, "x")) - 0.9) < 1e-8);
    void *kept = NULL, *read = NULL; // the past goes along
    size_t size = 0;
    assert_int_equal(fmi3GetFMUState(x, &kept), 0);
    assert_int_equal(fmi3SerializedFMUStateSize(x, kept, &size), 0);
    uint8_t *bytes = malloc(size);
    assert_int_equal(fmi3SerializeFMUState(x, kept, bytes, size), 0);
    step3(x, 0.1, 0.2);
    double later = get3(x, variable(&u, "x"));
    instance other = steps3(&u, false, false, NULL);
    begin3(other, 1e-9);
    assert_int_equal(fmi3DeserializeFMUState(other, bytes, size, &read), 0);
    assert_int_equal(fmi3SetFMUState(other, read), 0);
    step3(other, 0.1, 0.2);
    assert_true(get3(other, variable(&u, "x")) == later);
    assert_int_equal(fmi3FreeFMUState(x, &kept), 0);
    assert_int_equal(fmi3FreeFMUState(other, &read), 0);
    fmi3FreeInstance(other);
    free(bytes);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* A function that takes elements of a constant of its package, one after the other: 1*2 + 2*3 + 3*5. */
static void constants_go_along_with_functions(void **state)
{
    (void)state;
    fmu u =
        export("package P\n  constant Real c[3] = {2, 3, 5};\n  function f\n    input Real u;\n    "
               "output Real y;\n  algorithm\n    y := sum(i*c[i] for i in 1:3);\n    for i in 1:3 "
               "loop\n      while y < c[i] loop\n        y := y + u;\n      end while;\n    end "
               "for;\n  end f;\nend P;\nmodel M\n  Real x(start = 1, fixed = true), y = "
               "P.f(x);\nequation\n  der(x) = -x;\nend M;\n");
    instance x = steps3(&u, false, false, NULL);
    begin3(x, 1e-8);
    assert_true(get3(x, variable(&u, "y")) == 23);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* An amplifier that saturates, asked far away from the last step: no search gets there at once, because the part
 * between the limits is 1e-4 of the way, and most importers end where a rate is not to be had. */
static void values_are_found_far_ahead(void **state)
{
    (void)state;
    fmu u = export("model A\n  Real u = 12*(4*time - 1), e = u - y/2;\n  output Real y;\nequation\n"
                   "  y = smooth(0, noEvent(if 15000*e > 15 then 15 elseif 15000*e < -15 then -15 "
                   "else 15000*e));\nend A;\n");
    instance x = exchange3(&u);
    begin_exchange(x);
    assert_true(get3(x, variable(&u, "y")) == -15);
    assert_int_equal(fmi3SetTime(x, 0.3), 0);
    double y = get3(x, variable(&u, "y"));
    assert_true(fabs(y - 15000 * 2.4 / 7501) < 1e-12); // y = 15000 (u - y/2), u = 2.4
    assert_int_equal(fmi3SetTime(x, 0.5), 0);
    assert_true(get3(x, variable(&u, "y")) == 15);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* Functions that compute with records as a whole, or whose records are modified: (2 + i) + 1 after two turns of
 * w = w z + 1, and r.a = 3 + 3 * 3, r.b = 2 * 3. */
static void records_of_functions_go_along(void **state)
{
    (void)state;
    fmu u = export(
        "operator record C\n  Real re;\n  Real im;\n  operator 'constructor'\n    function of\n    "
        "  "
        "input Real re;\n      input Real im = 0;\n      output C z(re = re, im = im);\n    "
        "algorithm\n    end of;\n  end 'constructor';\n  operator function '+'\n    input C a;\n   "
        " "
        "input C b;\n    output C c;\n  algorithm\n    c := C(a.re + b.re, a.im + b.im);\n  end "
        "'+';\n  operator '*'\n    function by\n      input C a;\n      input C b;\n      output C "
        "c;\n    algorithm\n      c := C(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re);\n    end "
        "by;\n  end '*';\nend C;\nrecord R\n  Real a;\n  Real b;\nend R;\nfunction f\n  input C "
        "z;\n  input Integer n;\n  output C w = C(0);\nalgorithm\n  for i in 1:n loop\n    w := "
        "w*z "
        "+ C(1);\n  end for;\nend f;\nfunction g\n  input Real x;\n  input Integer n;\n  output R "
        "r(a = x, b = 2*x);\nalgorithm\n  for i in 1:n loop\n    r.a := r.a + x;\n  end for;\nend "
        "g;\nmodel M\n  Real x(start = 2, fixed = true);\n  C z(re = x, im = 1), w = f(z, "
        "integer(x)); "
        "\n  R r = g(x + 1, integer(x + 1));\nequation\n  der(x) = 0;\nend M;\n");
    instance x = steps3(&u, false, false, NULL);
    begin3(x, 1e-8);
    assert_true(get3(x, variable(&u, "w.re")) == 3 && get3(x, variable(&u, "w.im")) == 1);
    assert_true(get3(x, variable(&u, "r.a")) == 12 && get3(x, variable(&u, "r.b")) == 6);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* What flows times what it carries is continuous where it turns: that is no event, also in flat text, which has no
 * connectors. */
static void flows_turn_without_events(void **state)
{
    (void)state;
    fmu u = export(
        "connector P\n  Real e;\n  flow Real f;\nend P;\nmodel A\n  P p;\n  Real h;\n"
        "equation\n  p.e = 0;\n  h = p.f*(if p.f > 0 then 1 else 2);\nend A;\nmodel B\n  "
        "P p;\nequation\n  p.f = sin(6*time);\nend B;\nmodel M\n  A a;\n  B b;\n  Real x(start "
        "= 0, fixed = true);\nequation\n  connect(a.p, b.p);\n  der(x) = a.h;\nend M;\n");
    assert_null(strstr(u.description, "<EventIndicator"));
    remove_fmu(&u);
}

/* So many parameters that nobody follows what depends on what: nothing is said of it. */
static void large_models_say_nothing_of_dependencies(void **state)
{
    (void)state;
    fmu u = export(
        "model Large\n  parameter Real p[20000] = fill(1.0, 20000);\n  Real x[400](each start "
        "= 1, each fixed = true);\n  output Real y = x[1];\nequation\n  for i in 1:400 loop\n"
        "    der(x[i]) = -sum(p[j + i]*x[i] for j in 1:200);\n  end for;\nend Large;\n");
    assert_null(strstr(u.description, "dependencies="));
    assert_non_null(strstr(u.description, "<InitialUnknown"));
    remove_fmu(&u);
}

/* y = table(3 t) by straight lines: an external object, as those of the standard library. */
static const char tabled[] =
    "model Tabled\n  class Table\n    extends ExternalObject;\n    function constructor\n      "
    "input "
    "Real table[:, :];\n      input Integer columns[:];\n      output Table t;\n      external "
    "\"C\" t "
    "= ModelicaStandardTables_CombiTable1D_init2(\"NoName\", \"NoName\", table, size(table, 1), "
    "size(table, 2), columns, size(columns, 1), 1, 2, 0);\n    end constructor;\n    function "
    "destructor\n      input Table t;\n      external \"C\" "
    "ModelicaStandardTables_CombiTable1D_close(t);\n    end destructor;\n  end Table;\n  function "
    "value\n    input Table t;\n    input Integer c;\n    input Real u;\n    output Real y;\n    "
    "external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(t, c, u);\n  end value;\n  "
    "parameter Real top = 4;\n  Table table = Table([0, 0; 1, 1; 2, top], {2});\n  output Real y = "
    "value(table, 1, 3*time);\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = y;\n"
    "end Tabled;\n";

static void tables_go_along(void **state)
{
    (void)state;
    fmu u = export(tabled);
    for (int k = 0; k < 2; k++) {
        double top = k ? 7 : 4;
        instance x = steps3(&u, false, false, NULL);
        if (k) set3(x, variable(&u, "top"), top);
        begin3(x, 1e-9);
        step3(x, 0, 0.25); // 3 t < 1: y = 3 t
        assert_true(fabs(get3(x, variable(&u, "y")) - 0.75) < 1e-12);
        step3(x, 0.25, 0.25);
        assert_true(fabs(get3(x, variable(&u, "y")) - (1 + 0.5 * (top - 1))) < 1e-12);
        // x is the area below: 1/6 up to t = 1/3, then a trapezoid of width 1/6.
        assert_true(fabs(get3(x, variable(&u, "x")) - (1 + (2 + 0.5 * (top - 1)) / 2) / 6) < 1e-7);
        fmi3FreeInstance(x);
    }
    remove_fmu(&u);
}

/* A table that is read from a file goes along, and is found wherever the FMU is unpacked. */
static void files_go_along(void **state)
{
    (void)state;
    static const char with_file[] =
        "model Filed\n  class Table\n    extends ExternalObject;\n    function constructor\n      "
        "input "
        "String file;\n      input Integer columns[:];\n      output Table t;\n      external "
        "\"C\" t = "
        "ModelicaStandardTables_CombiTable1D_init2(file, \"tab\", fill(0.0, 0, 2), 0, 2, columns, "
        "size(columns, 1), 1, 2, 0);\n    end constructor;\n    function destructor\n      input "
        "Table "
        "t;\n      external \"C\" ModelicaStandardTables_CombiTable1D_close(t);\n    end "
        "destructor;\n  "
        "end Table;\n  function value\n    input Table t;\n    input Integer c;\n    input Real "
        "u;\n    "
        "output Real y;\n    external \"C\" y = ModelicaStandardTables_CombiTable1D_getValue(t, c, "
        "u);\n"
        "  end value;\n  Table table = Table(\"%s\", {2});\n  output Real y = value(table, 1, "
        "time);\n"
        "  Real x(start = 0, fixed = true);\nequation\n  der(x) = y;\nend Filed;\n";
    char path[] = "/tmp/vincolo table XXXXXX", words[2000], to[200];
    int file = mkstemp(path);
    static const char table[] = "#1\ndouble tab(2, 2)\n0 1\n1 3\n";
    assert_int_equal(write(file, table, sizeof table - 1), sizeof table - 1);
    close(file);
    snprintf(words, sizeof words, with_file, path);
    fmu u = export(words);
    unlink(path); // it is not needed any more
    size_t n, size;
    char *zip = contents(u.path, &n);
    char *held = entry(zip, n, "resources/model.mo", &size);
    assert_null(strstr(held, path));
    free(held);
    snprintf(to, sizeof to, "resources/files/1-%s", strrchr(path, '/') + 1);
    for (char *p = to; *p; p++) *p = *p == ' ' ? '_' : *p;
    char *bytes = entry(zip, n, to, &size), folder[120];
    assert_int_equal(size, sizeof table - 1);
    snprintf(folder, sizeof folder, "%s/files", u.resources);
    mkdir(folder, 0700);
    put_resource(u.resources, to + strlen("resources/"), bytes, size);
    instance x = steps3(&u, false, false, NULL);
    begin3(x, 1e-9);
    step3(x, 0, 0.5);
    assert_true(fabs(get3(x, variable(&u, "y")) - 2) < 1e-12);
    fmi3FreeInstance(x);
    snprintf(words, sizeof words, "%s/%s", u.resources, to + strlen("resources/"));
    unlink(words);
    rmdir(folder);
    free(bytes);
    free(zip);
    remove_fmu(&u);
}

/* Arrays are one variable of FMI 3 each where their elements are alike, and states of one are states in
 * their order. */
static const char arrays[] =
    "model Arrays\n  parameter Real A[2, 2] = [-1, 0.5; -0.5, -2];\n  parameter Integer n[3] = {1, "
    "2, "
    "3};\n  input Real u[2](start = {0.1, 0.2});\n  output Real y[3];\n  Real x[2](start = {1, 2}, "
    "each fixed = true);\n  Real v[2](each fixed = true);\n  Boolean big[2];\n  Real w[2](unit = "
    "{\"m\", \"s\"});\nequation\n  der(x) = A*x + u;\n  der(v) = x;\n  y = {x[1], x[2], "
    "n[3]*x[1]};\n"
    "  for i in 1:2 loop\n    big[i] = x[i] > 1.5;\n  end for;\n  w = {1, 2};\nend Arrays;\n";

static void arrays_are_one_variable(void **state)
{
    (void)state;
    fmu u = export(arrays);
    assert_non_null(strstr(u.description, "<Float64 name=\"A\" valueReference=\"1\" causality="
                                          "\"parameter\" variability=\"fixed\" initial=\"exact\" "
                                          "start=\"-1 0.5 -0.5 -2\"><Dimension start=\"2\"/>"
                                          "<Dimension start=\"2\"/></Float64>"));
    assert_non_null(strstr(u.description, "<Int32 name=\"n\""));
    assert_non_null(strstr(u.description, "name=\"w[2]\"")); // of other units: by themselves
    reference A = variable(&u, "A"), in = variable(&u, "u"), y = variable(&u, "y"),
              x = variable(&u, "x"), rate = variable(&u, "der(x)"), big = variable(&u, "big");
    char words[60];
    snprintf(words, sizeof words, "derivative=\"%u\"><Dimension start=\"2\"/>", x);
    assert_non_null(strstr(u.description, words));
    snprintf(words, sizeof words, "<ContinuousStateDerivative valueReference=\"%u\"", rate);
    assert_non_null(strstr(u.description, words));

    instance i = exchange3(&u);
    double diagonal[4] = {-1, 0, 0, -1}, both[2] = {0.5, 0.25}, got[5], states[4], rates[4];
    bool on[2];
    assert_int_equal(fmi3SetFloat64(i, &A, 1, diagonal, 4), 0);
    assert_int_equal(fmi3SetFloat64(i, &A, 1, diagonal, 3), 3); // as many as it has, or none
    begin3(i, 1e-9);
    assert_int_equal(fmi3SetFloat64(i, &in, 1, both, 2), 0);
    assert_int_equal(fmi3GetFloat64(i, (reference[]){y, x}, 2, got, 5), 0);
    const double values[5] = {1, 2, 3, 1, 2};
    for (int k = 0; k < 5; k++) assert_true(fabs(got[k] - values[k]) < 1e-12);
    assert_int_equal(fmi3GetContinuousStates(i, states, 4), 0);
    assert_int_equal(fmi3GetContinuousStateDerivatives(i, rates, 4), 0);
    assert_int_equal(fmi3GetFloat64(i, (reference[]){x, rate}, 2, got, 4), 0);
    // The order of the arrays in the model structure is that of the states.
    int first =
        strstr(u.description, "<ContinuousStateDerivative") == strstr(u.description, words) ? 0 : 2;
    for (int k = 0; k < 2; k++) {
        assert_true(states[first + k] == got[k] && rates[first + k] == got[2 + k]);
        assert_true(fabs(got[2 + k] - (both[k] - (k + 1))) < 1e-12); // u - x
    }
    assert_int_equal(fmi3GetBoolean(i, &big, 1, on, 2), 0);
    assert_true(!on[0] && on[1]);
    // d y / d x along (1, 10): the elements one after the other.
    assert_int_equal(fmi3GetDirectionalDerivative(i, &y, 1, &x, 1, (double[]){1, 10}, 2, got, 3),
                     0);
    assert_true(fabs(got[0] - 1) < 1e-12 && fabs(got[1] - 10) < 1e-12 && fabs(got[2] - 3) < 1e-12);
    fmi3FreeInstance(i);
    remove_fmu(&u);
    fmu two = export_with(arrays, (vinc_export_options){.fmi = 2}); // which has none
    assert_non_null(strstr(two.description, "name=\"A[1,2]\""));
    remove_fmu(&two);
}

/* ---- figures: api_fmu full ------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long kilobytes(void) // resident
{
    long all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%ld %ld", &all, &resident) != 2) resident = 0;
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void ten_thousand_times(void **state)
{
    (void)state;
    fmu u = export(filter);
    enum { CYCLES = 10000 };
    double begin = seconds(), first = 0;
    long before = 0;
    for (int k = 0; k < CYCLES; k++) {
        instance x = steps3(&u, false, false, NULL);
        begin3(x, 1e-6);
        step3(x, 0, 0.01);
        fmi3FreeInstance(x);
        if (k == CYCLES / 10) first = seconds() - begin, before = kilobytes();
    }
    double all = seconds() - begin;
    printf(
        "%d instances made, run and freed: %.2f ms each, the first tenth %.2f ms; memory grew by "
        "%ld kB after it\n",
        CYCLES, 1e3 * all / CYCLES, 1e4 * first / CYCLES, kilobytes() - before);
    assert_true(all < 13 * first);
#ifndef VINCOLO_SANITIZED
    assert_true(kilobytes() - before < 1000);
#endif
    remove_fmu(&u);
}

static void a_thousand_seconds_of_index_3(void **state)
{
    (void)state;
    fmu u = export(pendulum);
    instance x = exchange3(&u);
    reference px = variable(&u, "x"), py = variable(&u, "y");
    double worst = 0;
    begin_exchange(x);
    for (int k = 0; k < 20000; k++) {
        run_exchange(x, 0.05 * k, 0.05 * (k + 1), 10);
        worst = fmax(worst, fabs(pow(get3(x, px), 2) + pow(get3(x, py), 2) - 1));
    }
    printf("a pendulum in x and y, 1000 s in steps of 5 ms: x^2 + y^2 - 1 is at most %.1e\n",
           worst);
    assert_true(worst < 1e-9);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* Against the same advance in the C interface; the least of several rounds of each. */
static void steps_of_a_millisecond(void **state)
{
    (void)state;
    static const char ladder[] =
        "model Ladder\n  parameter Real R = 100, C = 1e-5;\n  Real v[3](each start = 0, each fixed "
        "= "
        "true), i;\nequation\n  i = (sin(314*time) - v[1])/R;\n  C*der(v[1]) = i - (v[1] - "
        "v[2])/R;\n"
        "  C*der(v[2]) = (v[1] - v[2])/R - (v[2] - v[3])/R;\n  C*der(v[3]) = (v[2] - v[3])/R;\n"
        "end Ladder;\n";
    enum { STEPS = 20000, ROUNDS = 7 };
    fmu u = export(ladder);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    double own = INFINITY, theirs = INFINITY;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1e-3 * STEPS + 1, .rel_tol = 1e-6};
    assert_int_equal(vinc_model_load_text(ctx, "l.mo", ladder, strlen(ladder), NULL, &model), 0);
    for (int r = 0; r < ROUNDS; r++) {
        vinc_sim *s;
        assert_int_equal(vinc_sim_new(model, &o, &s), 0);
        assert_int_equal(vinc_sim_start(s), 0);
        double begin = seconds();
        for (int k = 0; k < STEPS; k++) assert_true(vinc_sim_advance(s, 1e-3 * (k + 1)) >= 0);
        own = fmin(own, seconds() - begin);
        vinc_sim_free(s);
        instance x = steps3(&u, false, false, NULL);
        assert_int_equal(fmi3EnterInitializationMode(x, true, 1e-6, 0, true, o.t_stop), 0);
        assert_int_equal(fmi3ExitInitializationMode(x), 0);
        begin = seconds();
        for (int k = 0; k < STEPS; k++) step3(x, 1e-3 * k, 1e-3);
        theirs = fmin(theirs, seconds() - begin);
        fmi3FreeInstance(x);
    }
    printf("a step of 1 ms of a small circuit: %.2f us in the C interface, %.2f us in the FMU\n",
           1e6 * own / STEPS, 1e6 * theirs / STEPS);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    remove_fmu(&u);
}

/* What is exported is the model as it was loaded, also after a run, for which clauses are written as
 * equations, and constraints differentiated. */
static void a_run_does_not_change_what_is_exported(void **state)
{
    (void)state;
    static const char words[] =
        "model M Real x(start = 0.6), y, vx(start = 0), vy, l; discrete Real n(start = 0);"
        "equation der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81; x^2 + y^2 = 1;"
        "when x < 0 then n = pre(n) + 1; end when; end M;";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    vinc_sim *sim;
    assert_int_equal(vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &model), 0);
    char *before = strdup(vinc_model_flat(model));
    assert_int_equal(vinc_sim_new(model, NULL, &sim), 0);
    assert_int_equal(vinc_sim_run(sim), 0);
    assert_string_equal(vinc_model_flat(model), before);
    free(before);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* ---- what depends on what -------------------------------------------------------------------- */

static const char depending[] = "model M parameter Real k = 2, k2 = 2*k, m = 3; input Real u, v;"
                                "  output Real y, z, d, c; Real x(start = 1, fixed = true);"
                                "  Real s(start = 0, fixed = true); Real q, r;"
                                "equation der(x) = -k2*x + u; der(s) = x*m; q + r = s;"
                                "  q - r = noEvent(if v > 0 then 1 else 0); y = q; z = 2*time;"
                                "  d = u + v*x; c = if x > 0.5 then u else s; end M;";

/* `<element valueReference="of" dependencies="a b ..."/>`, with the names as they are in the model. */
static void assert_depends(const fmu *u, const char *element, const char *of, const char *names)
{
    char line[300], list[200];
    int n = snprintf(line, sizeof line, "<%s valueReference=\"%u\" dependencies=\"", element,
                     variable(u, of));
    snprintf(list, sizeof list, "%s", names);
    for (char *p = strtok(list, " "); p; p = strtok(NULL, " "))
        n += snprintf(line + n, sizeof line - (size_t)n, "%u ", variable(u, p));
    if (line[n - 1] == ' ') n--;
    snprintf(line + n, sizeof line - (size_t)n, "\"/>");
    if (!strstr(u->description, line)) fail_msg("no %s in %s", line, u->description);
}

/* By hand from the equations: what a value depends on, also where its derivative does not (v in y); what an
 * event changes (c) depends on everything, and says nothing. */
static void structure_says_what_depends(void **state)
{
    (void)state;
    fmu u = export(depending);
    char line[100];
    assert_depends(&u, "Output", "y", "s v");
    assert_depends(&u, "Output", "z", "time");
    assert_depends(&u, "Output", "d", "x u v");
    assert_depends(&u, "ContinuousStateDerivative", "der(x)", "x u");
    assert_depends(&u, "ContinuousStateDerivative", "der(s)", "x");
    assert_depends(&u, "InitialUnknown", "k2", "k");
    assert_depends(&u, "InitialUnknown", "der(x)", "x u k");
    assert_depends(&u, "InitialUnknown", "der(s)", "x m");
    snprintf(line, sizeof line, "<Output valueReference=\"%u\"/>", variable(&u, "c"));
    assert_non_null(strstr(u.description, line));
    remove_fmu(&u);
}

static void connectors_are_terminals(void **state)
{
    (void)state;
    fmu u = export(
        "model M connector Plug input Real v; output Real i; end Plug; Plug p, q; input Real u;"
        "  output Real y; Real x(start = 0, fixed = true);"
        "equation p.i = x; q.i = -x; der(x) = p.v - q.v + u; y = x; end M;");
    size_t n, size;
    char *zip = contents(u.path, &n);
    char *words = entry(zip, n, "terminalsAndIcons/terminalsAndIcons.xml", &size);
    char *picture = entry(zip, n, "terminalsAndIcons/icon.png", &size);
    assert_non_null(strstr(words, "<Terminal name=\"p\" matchingRule=\"plug\">\n"
                                  "      <TerminalMemberVariable variableName=\"p.v\" "
                                  "memberName=\"v\" variableKind=\"signal\"/>\n"
                                  "      <TerminalMemberVariable variableName=\"p.i\" "));
    assert_non_null(strstr(words, "<Terminal name=\"q\""));
    assert_null(strstr(words, "\"u\""));
    assert_memory_equal(picture, "\x89PNG", 4);
    // The checksum of the end chunk is that of its name alone: a constant of the format.
    assert_memory_equal(picture + size - 8, "IEND\xae\x42\x60\x82", 8);
    free(picture);
    free(words);
    free(zip);
    remove_fmu(&u);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest figures[] = {
        cmocka_unit_test(ten_thousand_times),
        cmocka_unit_test(a_thousand_seconds_of_index_3),
        cmocka_unit_test(steps_of_a_millisecond),
    };
    if (argc > 1 && !strcmp(argv[1], "full"))
        return cmocka_run_group_tests(figures, open_library, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_is_stepped),
        cmocka_unit_test(the_same_in_version_2),
        cmocka_unit_test(a_step_returns_early_at_an_event),
        cmocka_unit_test(a_master_may_look_between_steps),
        cmocka_unit_test(a_pendulum_of_index_3_is_integrated_by_others),
        cmocka_unit_test(events_of_version_2),
        cmocka_unit_test(states_come_back),
        cmocka_unit_test(derivatives_by_states_inputs_and_parameters),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(wrong_use_is_explained),
        cmocka_unit_test(what_fails_inside_says_where),
        cmocka_unit_test(the_end_of_a_model_is_told),
        cmocka_unit_test(derivatives_of_inputs_are_told),
        cmocka_unit_test(what_cannot_be_exported_is_refused),
        cmocka_unit_test(states_that_cannot_be_moved_are_no_exchange),
        cmocka_unit_test(what_flat_text_cannot_say_is_refused),
        cmocka_unit_test(a_run_does_not_change_what_is_exported),
        cmocka_unit_test(records_of_functions_go_along),
        cmocka_unit_test(values_are_found_far_ahead),
        cmocka_unit_test(flows_turn_without_events),
        cmocka_unit_test(constants_go_along_with_functions),
        cmocka_unit_test(large_models_say_nothing_of_dependencies),
        cmocka_unit_test(tables_go_along),
        cmocka_unit_test(files_go_along),
        cmocka_unit_test(arrays_are_one_variable),
        cmocka_unit_test(structure_says_what_depends),
        cmocka_unit_test(connectors_are_terminals),
    };
    return cmocka_run_group_tests(tests, open_library, NULL);
}
