/* Water of the standard library against check values of the International Association for the Properties of
 * Water and Steam: Revised Release on the IAPWS Industrial Formulation 1997 (IAPWS R7-97(2012)), tables 5, 15, 33
 * and 35, nine digits each. Runs where MODELICAPATH has the library; otherwise there is nothing to check.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
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

static void check_values_of_water(void **unused)
{
    (void)unused;
    const char *path = getenv("MODELICAPATH"), *about;
    char text[4000] = "model M package W = Modelica.Media.Water.StandardWater;\n", dir[1000];
    size_t n = strlen(text);
    for (int k = 0; k < N_STATES; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "Real x%d = %s;\n", k, states[k].is);
    snprintf(text + n, sizeof text - n, "end M;");
    if (!path || !*path) skip();
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    for (const char *p = path; *p; p += *p == ':') {
        size_t length = strcspn(p, ":");
        snprintf(dir, sizeof dir, "%.*s", (int)length, p);
        if (length) vinc_ctx_add_path(ctx, dir);
        p += length;
    }
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1};
    if (vinc_library(ctx, "Modelica", &about)) {
        vinc_ctx_free(ctx);
        skip(); // it is not there
    }
    int rc = vinc_model_load_text(ctx, "m.mo", text, strlen(text), NULL, &model);
    if (!rc) rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    for (int k = 0; k < N_STATES; k++) {
        char name[10];
        snprintf(name, sizeof name, "x%d", k);
        double x = vinc_result_at(vinc_sim_result(sim), name, 0);
        if (!(fabs(x / states[k].value - 1) < 5e-9)) // a half of the ninth digit, at most
            fail_msg("%s is %.10g, not %.9g", states[k].is, x, states[k].value);
    }
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_values_of_water)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
