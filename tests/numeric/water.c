/* Water of the standard library against check values of the International Association for the Properties of
 * Water and Steam: Revised Release on the IAPWS Industrial Formulation 1997 (IAPWS R7-97(2012)), tables 5, 15, 33
 * and 35, nine digits each; and against itself, forth and back, at states all over its range;
 * and in models that leave its range. Runs where
 * MODELICAPATH has the library; otherwise there is nothing to check. The environment variable WATER_STATES says
 * how many states: 2000 as a rule, 100000 for the long check.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct state {
    const char *is; // of W, the medium
    double value;
} state;

#define PT(f, p, T) "W." f "(" p " + 0*time, " T ")"
#define DT(f, d, T) "W." f "(W.setState_dT(" d " + 0*time, " T "))"

static const state states[] = {
    {"1/" PT("density_pT", "3e6", "300"), 0.100215168e-2}, // region 1
    {PT("specificEnthalpy_pT", "3e6", "300"), 115.331273e3},
    {"1/" PT("density_pT", "80e6", "300"), 0.971180894e-3},
    {PT("specificEnthalpy_pT", "80e6", "300"), 184.142828e3},
    {"1/" PT("density_pT", "3e6", "500"), 0.120241800e-2},
    {PT("specificEnthalpy_pT", "3e6", "500"), 975.542239e3},
    {"1/" PT("density_pT", "3500", "300"), 39.4913866}, // region 2
    {"1/" PT("density_pT", "3500", "700"), 92.3015898},
    {"1/" PT("density_pT", "30e6", "700"), 0.542946619e-2},
    {DT("pressure", "500", "650"), 25.5837018e6}, // region 3
    {DT("specificEnthalpy", "500", "650"), 1863.43019e3},
    {DT("pressure", "200", "650"), 22.2930643e6},
    {DT("specificEnthalpy", "200", "650"), 2375.12401e3},
    {DT("pressure", "500", "750"), 78.3095639e6},
    {DT("specificEnthalpy", "500", "750"), 2258.68845e3},
    {"W.saturationPressure(300 + 0*time)", 0.353658941e4}, // region 4
    {"W.saturationPressure(500 + 0*time)", 2.63889776e6},
    {"W.saturationPressure(600 + 0*time)", 12.3443146e6},
};
enum { N_STATES = sizeof states / sizeof *states };

typedef struct water {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
} water;

static void water_end(water *x)
{
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
}

/* The model, run, *rc: how; skips the test where there is no library. */
static water water_try(const char *text, const vinc_sim_options *o, int *rc)
{
    const char *path = getenv("MODELICAPATH"), *about;
    char dir[1000];
    water x = {0};
    if (!path || !*path) skip();
    x.ctx = vinc_ctx_new(NULL);
    for (const char *p = path; *p; p += *p == ':') {
        size_t length = strcspn(p, ":");
        snprintf(dir, sizeof dir, "%.*s", (int)length, p);
        if (length) vinc_ctx_add_path(x.ctx, dir);
        p += length;
    }
    if (vinc_library(x.ctx, "Modelica", &about)) {
        water_end(&x);
        skip(); // it is not there
    }
    *rc = vinc_model_load_text(x.ctx, "m.mo", text, strlen(text), NULL, &x.model);
    if (!*rc) *rc = vinc_sim_new(x.model, o, &x.sim);
    if (!*rc) *rc = vinc_sim_run(x.sim);
    return x;
}

static water water_run(const char *text, const vinc_sim_options *o)
{
    int rc;
    water x = water_try(text, o, &rc);
    if (rc) fail_msg("%s", vinc_ctx_messages(x.ctx));
    return x;
}

static void check_values_of_water(void **unused)
{
    (void)unused;
    char text[4000] = "model M package W = Modelica.Media.Water.StandardWater;\n";
    size_t n = strlen(text);
    for (int k = 0; k < N_STATES; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "Real x%d = %s;\n", k, states[k].is);
    snprintf(text + n, sizeof text - n, "end M;");
    water w = water_run(text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    for (int k = 0; k < N_STATES; k++) {
        char name[10];
        snprintf(name, sizeof name, "x%d", k);
        double x = vinc_result_at(vinc_sim_result(w.sim), name, 0);
        if (!(fabs(x / states[k].value - 1) < 5e-9)) // a half of the ninth digit, at most
            fail_msg("%s is %.10g, not %.9g", states[k].is, x, states[k].value);
    }
    water_end(&w);
}

/* States of pressures from 1 kPa to 100 MPa and temperatures from 273.5 K to 1073.1 K, one a row, by an additive
 * sequence (fractional parts of multiples of the powers of 1/1.3247...). Density and temperature give the
 * pressure and the enthalpy again, to 1e-9: they are found by iteration, as are all properties of region 3.
 * (The library's region_dT finds regions wrongly above 863.15 K, so not there.) In regions 1 and 2 the
 * temperature at an enthalpy is that of the backward equations of the formulation, which are off by up to
 * 25 mK (R7-97, section 5.2.1 and 6.3.1). */
static const char forth_and_back[] =
    "model M package W = Modelica.Media.Water.StandardWater; parameter Real n = 2000;\n"
    "package R = Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions;\n"
    "Real k = noEvent(floor(n*time + 0.5)) + 1, a = k*0.7548776662466927, b = "
    "k*0.5698402909980532;\n"
    "Real p = 1000*exp(noEvent(a - floor(a))*log(1e5)), T = 273.5 + noEvent(b - floor(b))*799.6;\n"
    "Real region = R.region_pT(p, T), h = W.specificEnthalpy_pT(p, T), d = W.density_pT(p, T);\n"
    "Real Th = W.temperature_ph(p, h), dh = W.density_ph(p, h);\n"
    "Real below = if noEvent(T < 863.15) then 1 else 0;\n"
    "Real forth = below*max(abs(W.pressure(W.setState_dT(d, T))/p - 1),\n"
    "  abs(W.specificEnthalpy(W.setState_dT(d, T)) - h)/1e5);\n"
    "Real third = if noEvent(region > 2.5 and region < 3.5) then\n"
    "  max(abs(Th/T - 1), abs(dh/d - 1)) else 0; Real back = abs(Th - T); end M;";

static void forth_and_back_at_many_states(void **unused)
{
    (void)unused;
    const char *asked = getenv("WATER_STATES");
    int n = asked ? atoi(asked) : 2000;
    char text[3000];
    const char *number = strstr(forth_and_back, "2000");
    snprintf(text, sizeof text, "%.*s%d%s", (int)(number - forth_and_back), forth_and_back, n,
             number + 4);
    water w = water_run(text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = n});
    vinc_result *r = vinc_sim_result(w.sim);
    static const char *const names[] = {"forth", "third", "back"};
    static const double most[] = {1e-9, 1e-9, 0.025};
    for (int k = 0; k < 3; k++) {
        vinc_column c;
        assert_int_equal(vinc_result_column(r, vinc_result_find(r, names[k]), &c), VINC_OK);
        assert_true(c.n > (size_t)n);
        for (size_t i = 0; i < c.n; i++)
            if (!(c.values[i] <= most[k]))
                fail_msg("%s of state %d: %.3g", names[k], (int)i + 1, c.values[i]);
    }
    water_end(&w);
}

/* ---- what a stranger asks of it ---------------------------------------------------------------- */

#define VOLUME                                                                                     \
    "Modelica.Fluid.Vessels.ClosedVolume v(redeclare package Medium = W, V = 0.1, "                \
    "use_portsData = false, "
#define HEATED                                                                                     \
    "nPorts = 0, use_HeatTransfer = true, redeclare model HeatTransfer = "                         \
    "Modelica.Fluid.Vessels.BaseClasses.HeatTransfer.IdealHeatTransfer);\n"                        \
    "Modelica.Thermal.HeatTransfer.Sources.FixedHeatFlow q"
#define PIPE                                                                                       \
    "Modelica.Fluid.Sources.Boundary_pT a(redeclare package Medium = W, T = 300, nPorts = 1, "     \
    "p = %s), b(redeclare package Medium = W, p = 1e5, T = 350, nPorts = 1);\n"                    \
    "Modelica.Fluid.Pipes.DynamicPipe v(redeclare package Medium = W, length = 10, nNodes = 3, "   \
    "diameter = 0.05); equation connect(a.ports[1], v.port_a); connect(v.port_b, b.ports[1]);"

/* Out of the range of the medium, pressure that falls to nothing, a tank that runs empty, no flow, a start far
 * off: each runs, or ends with the component and the value. */
static void strangers_are_told_the_component(void **unused)
{
    (void)unused;
    static const struct {
        const char *medium, *system, *rest;
        const char *says[2]; // NULL: it runs
    } cases[] = {
        {"Water.StandardWater",
         "",
         VOLUME "T_start = 400, " HEATED "(Q_flow = 1e6);\n"
                "equation connect(q.port, v.heatPort);",
         {"v.medium.p = ", "v.medium.h = "}},
        {"Water.StandardWater",
         "",
         VOLUME
         "nPorts = 1);\n"
         "Modelica.Fluid.Sources.MassFlowSource_T out(redeclare package Medium = W, m_flow = -1,\n"
         "nPorts = 1); equation connect(v.ports[1], out.ports[1]);",
         {"v.medium.p = ", "v.medium is of Modelica.Media.Water.StandardWater"}},
        {"Water.ConstantPropertyLiquidWater",
         "",
         "Modelica.Fluid.Vessels.OpenTank v(redeclare package Medium = W, height = 1, crossArea = "
         "1,\n"
         "level_start = 0.5, use_portsData = false, nPorts = 1);\n"
         "Modelica.Fluid.Sources.MassFlowSource_T out(redeclare package Medium = W, m_flow = "
         "-100,\n"
         "nPorts = 1); equation connect(v.ports[1], out.ports[1]);",
         {"t = 4.97", "v.ports[1].p"}}, // 0.5 m of 995.586 kg/m3, emptied by 100 kg/s
        {"Air.SimpleAir",
         "",
         VOLUME HEATED "(Q_flow = -10);\n"
                       "equation connect(q.port, v.heatPort);",
         {"SimpleAir", "v.medium.T = 273.15"}},
        {"Air.MoistAir",
         "",
         VOLUME HEATED "(Q_flow = 1e6);\n"
                       "equation connect(q.port, v.heatPort);",
         {"Moist air", "v.medium.T = 647"}},
        {"IdealGases.MixtureGases.CombustionAir",
         "",
         VOLUME HEATED "(Q_flow = 1e8);\n"
                       "equation connect(q.port, v.heatPort);",
         {"CombustionAirN2O2", "v.medium.T = 6000"}},
        {"R134a.R134a_ph",
         "",
         VOLUME
         "nPorts = 1);\n"
         "Modelica.Fluid.Sources.MassFlowSource_T out(redeclare package Medium = W, m_flow = -10,\n"
         "nPorts = 1); equation connect(v.ports[1], out.ports[1]);",
         {"R134a_ph", "v.medium.p = -"}},
        {"Water.StandardWater",
         "",
         "Modelica.Fluid.Vessels.ClosedVolume v(redeclare package Medium = W, V = 0, use_portsData "
         "= "
         "false,\n"
         "nPorts = 1);\n"
         "Modelica.Fluid.Sources.MassFlowSource_T out(redeclare package Medium = W, m_flow = -1,\n"
         "nPorts = 1); equation connect(v.ports[1], out.ports[1]);",
         {"v.V = 0", "v.medium is of Modelica.Media.Water.StandardWater"}},
        {"Water.StandardWater", "", "1e5", {NULL, NULL}},
        {"Water.StandardWater",
         "(p_start = 1e7, T_start = 1000, m_flow_start = 50, energyDynamics =\n"
         "Modelica.Fluid.Types.Dynamics.SteadyStateInitial)",
         "1.2e5",
         {NULL, NULL}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2000], pipe[1000];
        bool runs = !cases[k].says[0];
        int rc;
        snprintf(pipe, sizeof pipe, PIPE, cases[k].rest);
        snprintf(text, sizeof text,
                 "model M package W = Modelica.Media.%s;\ninner Modelica.Fluid.System "
                 "system%s;\n%s end M;",
                 cases[k].medium, cases[k].system, runs ? pipe : cases[k].rest);
        water w = water_try(text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1000}, &rc);
        const char *said = w.sim ? vinc_sim_messages(w.sim) : vinc_ctx_messages(w.ctx);
        if (runs != (rc == VINC_OK)) fail_msg("case %d: %s", (int)k, said);
        for (int i = 0; i < 2 && !runs; i++)
            if (!strstr(said, cases[k].says[i]))
                fail_msg("case %d does not say %s: %s", (int)k, cases[k].says[i], said);
        water_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_values_of_water),
                                       cmocka_unit_test(forth_and_back_at_many_states),
                                       cmocka_unit_test(strangers_are_told_the_component)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
