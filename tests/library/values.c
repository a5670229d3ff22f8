/* Systems made of components of lib/Vincolo against known answers.
 *
 * The benchmark values were computed for this project: the pendulum by elliptic functions, the rods
 * by extrapolation in 113-bit arithmetic, slider-crank and top by two forms of their equations
 * each, the knife edge in closed form. The others are closed forms named in the models' comments;
 * rows with the value 0 compare two computations inside the model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "vincolo.h"

#include <stdbool.h>
#include <string.h>

typedef struct row {
    const char *file, *class;
    double stop;
    const char *name;
    double value, error;
} row;

#define MODELS   "tests/library/models.mo"
#define SYSTEMS  "examples/systems/"
#define THEOREMS SYSTEMS "theorems/model.mo"

/* Benchmarks within 1e-5 at tolerance 1e-8; closed forms within 10 tolerances; two computations of
 * one quantity within round-off. */
static const row rows[] = {
    {MODELS, "SliderCrank", 0.2, "crank.phi", 26.835667959394, 1e-5},
    {MODELS, "SliderCrank", 0.2, "slider.r[1]", 0.2407961796818, 1e-5},
    {MODELS, "Pendulum", 10, "mass.r[1]", 0.2750874625761169, 1e-5},
    {MODELS, "Pendulum", 10, "rod.tension", 28.29456720606725, 1e-5},
    {MODELS, "HeavyTop", 2, "top.r[1]", -0.150416822745, 1e-5},
    {MODELS, "HeavyTop", 2, "top.r[2]", -0.724165591637, 1e-5},
    {MODELS, "HeavyTop", 2, "top.r[3]", -0.673022269560, 1e-5},
    {MODELS, "HeavyTop", 2, "top.w[2]", 150, 1e-3},
    {MODELS, "Rods", 2, "b2.b.r[1]", 0.313524776450181586, 1e-5},
    {MODELS, "Rods", 2, "b2.b.r[3]", -1.914746617562305245, 1e-5},
    {MODELS, "PlanarRods", 2, "x", 0.313524776450181586, 1e-5},
    {MODELS, "PlanarRods", 2, "y", -1.914746617562305245, 1e-5},
    {MODELS, "Masses", 5, "x", -1.5507784694704428, 1e-5},
    {MODELS, "Masses", 5, "y", -1.075912734812652457, 1e-5},
    {MODELS, "Masses", 5, "tension", 26.4048377651556683, 1e-5},
    {MODELS, "Masses3", 2, "x", -2.919205899710303387, 1e-5},
    {MODELS, "Masses3", 2, "tension", 21.5663819550183693, 1e-5},
    // by extrapolation in 113-bit arithmetic
    {MODELS, "Squeezer", 0.03, "beta", 15.8107711951537071, 1e-5},
    {MODELS, "Squeezer", 0.03, "Theta", -15.7563710584118395, 1e-5},
    {MODELS, "Squeezer", 0.03, "gamma", 0.0408222401196458049, 1e-5},
    {MODELS, "Squeezer", 0.03, "Phi", -0.534730116342079594, 1e-5},
    {MODELS, "Squeezer", 0.03, "delta", 0.524409965879954069, 1e-5},
    {MODELS, "Squeezer", 0.03, "Omega", 0.534730116342079594, 1e-5},
    {MODELS, "Squeezer", 0.03, "eps", 1.04808074104193787, 1e-5},
    // past ten positions where all links are in line (elliptic functions)
    {MODELS, "Loops", 10, "x", 0.47838505776097, 1e-5},
    {MODELS, "Loops", 10, "y", 0.87815017879121, 1e-5},
    {MODELS, "Loops2", 10, "x", 0.32845811154082, 1e-5},
    {MODELS, "Loops2", 10, "vx", 1.4230514702069, 1e-5},
    {MODELS, "Loops10", 10, "x", 0.20435356098977, 1e-5},
    // the same in space
    {MODELS, "FourBar", 10, "c.a.r[1]", 0.47838505776097, 1e-5},
    {MODELS, "FourBar", 10, "c.a.r[2]", 0.87815017879121, 1e-5},
    // released from rest: the energy it began with, to the accuracy of the run
    // cos 20 w, w^2 = c/(p + sqrt(p^2 - c)), p = (c + 2)/2, for c = 10, 1e6; cos 20
    {SYSTEMS "two-mass/model.mo", "TwoMass", 20, "soft.second.s", 0.9909762166268501, 1e-6},
    {SYSTEMS "two-mass/model.mo", "TwoMass", 20, "hard.second.s", 0.40809119124777804, 1e-6},
    {SYSTEMS "two-mass/model.mo", "TwoMass", 20, "wall.second.s", 0.40808206181339196, 1e-6},
    {SYSTEMS "bricard/model.mo", "Bricard", 10, "energy", -29.43, 1e-5},
    {MODELS, "FreeTop", 10, "top.w[1]", 1.0633434769424, 1e-6},
    {MODELS, "FreeTop", 10, "top.w[3]", 0.2890786224979, 1e-6},
    {MODELS, "FreeTop", 10, "top.p[1]", 0.99084214159, 1e-6},
    {MODELS, "FreeTop", 10, "top.p[3]", 0.054991661849, 1e-6},
    {MODELS, "FreeTop", 10, "top.energy", 0.81, 1e-6},
    {THEOREMS, "MaterialDerivative", 0, "following", 8, 1e-12},
    {THEOREMS, "MaterialDerivative", 0, "formula", 8, 1e-12},
    {THEOREMS, "Divergence", 1, "flux", 1.5, 1e-13},
    {THEOREMS, "Divergence", 1, "inside", 1.5, 1e-13},
    {THEOREMS, "Reynolds", 2, "following", 10.5, 1e-12},
    {THEOREMS, "Reynolds", 2, "formula", 10.5, 1e-12},
    {THEOREMS, "EulerFluid", 1, "p", 2000, 1e-4},
};

/* No values are known: two formulations agree. */
static const struct {
    const char *file, *class;
    double stop;
    const char *name, *other;
    double error;
} pairs[] = {
    {MODELS, "PlanarRods10", 1, "y", "ggl", 1e-6},
    {SYSTEMS "bricard/model.mo", "Bricard", 10, "b3.a.r[1]", "project", 1e-6},
};

typedef struct run {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
} run;

static void end(run *x)
{
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
}

static run start(const char *file, const char *class, const char *formulation, double stop)
{
    run x = {.ctx = vinc_ctx_new(NULL)};
    char path[500];
    snprintf(path, sizeof path, "%s/%s", VINCOLO_ROOT, file);
    vinc_sim_options o = {
        .rel_tol = 1e-8, .has_stop = 1, .t_stop = stop, .intervals = 1, .formulation = formulation};
    vinc_ctx_add_path(x.ctx, VINCOLO_ROOT "/lib");
    int rc = vinc_model_load(x.ctx, path, class, &x.model);
    if (!rc) rc = vinc_sim_new(x.model, &o, &x.sim);
    if (!rc) rc = vinc_sim_run(x.sim);
    if (rc) print_error("%s: %s", class, vinc_ctx_messages(x.ctx));
    assert_int_equal(rc, VINC_OK);
    return x;
}

static void values(void **state)
{
    (void)state;
    run x = {0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *r = &rows[k];
        bool same = k && !strcmp(r->file, rows[k - 1].file) && !strcmp(r->class, rows[k - 1].class);
        if (!same) {
            end(&x);
            x = start(r->file, r->class, NULL, r->stop);
        }
        double got = vinc_result_at(vinc_sim_result(x.sim), r->name, r->stop);
        if (!(fabs(got - r->value) <= r->error))
            print_error("%s.%s = %.15g, not %.15g\n", r->class, r->name, got, r->value);
        assert_true(fabs(got - r->value) <= r->error);
    }
    end(&x);
}

static void agreement(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        run x = start(pairs[k].file, pairs[k].class, NULL, pairs[k].stop);
        run y = start(pairs[k].file, pairs[k].class, pairs[k].other, pairs[k].stop);
        double one = vinc_result_at(vinc_sim_result(x.sim), pairs[k].name, pairs[k].stop);
        double two = vinc_result_at(vinc_sim_result(y.sim), pairs[k].name, pairs[k].stop);
        if (!(fabs(one - two) <= pairs[k].error))
            print_error("%s.%s: %.15g and %.15g\n", pairs[k].class, pairs[k].name, one, two);
        assert_true(fabs(one - two) <= pairs[k].error);
        end(&x);
        end(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(agreement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
