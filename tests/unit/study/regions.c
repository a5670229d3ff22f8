/* Integrals over regions, their theorems and balances, against closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#define HEAD "model M constant Real pi = 3.14159265358979323846; "
#define TAIL " end M;"

static session session_region(const char *words)
{
    session s = {.ctx = vinc_ctx_new(NULL)};
    char all[2000];
    snprintf(all, sizeof all, HEAD "%s" TAIL, words);
    vinc_ctx_add_path(s.ctx, VINCOLO_ROOT "/lib");
    int rc = vinc_model_load_text(s.ctx, "test.mo", all, strlen(all), NULL, &s.model);
    if (rc) fail_msg("%s", vinc_ctx_messages(s.ctx));
    return s;
}

static vinc_region *region_at(session s, double t)
{
    vinc_region *r = NULL;
    done(s, vinc_region_of(s.model, t, 0, &r));
    return r;
}

static void all_near(const double *x, const double *want, int n, double tol)
{
    for (int i = 0; i < n; i++) assert_near(x[i], want[i], tol);
}

/* The octant of a ball that grows, R = 1 + t/2, in coordinates of the other hand; its particles move
 * outwards with the surface. Integrals of powers of r, of x^2 = r^2/3, x y: R^5/15, x: pi R^4/16. */
static void a_growing_octant(void **state)
{
    (void)state;
    session s = session_region(
        "extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {pi/2, pi/2, R}, place = "
        "{w*sin(v)*cos(u), w*sin(v)*sin(u), w*cos(v)}, density = 2, field = x^2 + time, velocity = "
        "{x, y, z}*0.5/R); Real R = 1 + time/2;");
    vinc_region *r = region_at(s, 1);
    double R = 1.5, A = M_PI / 2 * R * R, V = A * R / 3, rate = 0.5;
    assert_near(r->volume, V, 1e-12);
    assert_near(r->mass, 2 * V, 1e-12);
    double c = 3 * R / 8, J = 0.4 * 2 * V * R * R, D = -2 * pow(R, 5) / 15, S = 2 * V * c * c;
    all_near(r->centre, (double[]){c, c, c}, 3, 1e-13);
    all_near(r->about_centre, (double[]){0, 0, 0}, 3, 1e-12);
    all_near(r->inertia_origin, (double[]){J, D, D, D, J, D, D, D, J}, 9, 1e-12);
    assert_near(r->inertia[0], J - 2 * S, 1e-12);
    assert_near(r->inertia[1], D + S, 1e-12);
    double phi = A * R * R * R / 15 + V, phi_rate = A * R * R / 3 * rate + V + A * rate;
    assert_near(r->field, phi, 1e-12);
    assert_near(r->field_rate, phi_rate, 1e-12);
    assert_near(r->field_change, V, 1e-12);
    assert_near(r->field_carried, phi_rate - V, 1e-12);
    assert_near(r->material_rate, phi_rate, 1e-12);
    assert_near(r->material_flux, phi_rate, 1e-12);
    assert_near(r->material_particle, phi_rate, 1e-12);
    all_near(r->gradient, (double[]){M_PI * pow(R, 4) / 8, 0, 0}, 3, 1e-12);
    all_near(r->normal, r->gradient, 3, 1e-12);
    assert_near(r->divergence, A * rate, 1e-12);
    assert_near(r->outflow, A * rate, 1e-12);
    assert_near(r->mass_rate, 2 * A * rate, 1e-12);
    assert_near(r->mass_inflow, 0, 1e-12);
    assert_near(r->mass_source, 2 * A * rate, 1e-12);
    assert_near(r->kinetic, rate * rate / (R * R) * A * R * R * R / 5, 1e-12);
    assert_true(r->moves && r->flows && !r->presses && r->has_energy);
    vinc_report_free(r);
    session_done(&s);
}

/* Gas that expands without heat behind a piston: p V^1.4 stays, v = x L'/L. Momentum m x'' of its
 * centre, here 0; the piston takes p A L' from the energy. */
static void a_piston(void **state)
{
    (void)state;
    session s = session_region(
        "parameter Real up = 0.5; Real L = 1 + up*time; extends Vincolo.Balance.Region(from = {0, "
        "0, 0}, to = {L, 0.01, 1}, density = 1.2/L, velocity = {x*up/L, 0, 0}, internal = "
        "2e5*L^(-0.4), pressure = 0.4*density*internal, field = sin(x)*exp(-time));");
    vinc_region *r = region_at(s, 0.5);
    double L = 1.25, p = 0.4 * 1.2 / L * 2e5 * pow(L, -0.4);
    assert_near(r->mass, 0.012, 1e-15);
    assert_near(r->mass_rate, 0, 1e-15);
    assert_near(r->mass_inflow, 0, 1e-15);
    assert_near(r->mass_source, 0, 1e-15);
    all_near(r->acceleration, (double[]){0, 0, 0}, 3, 1e-15);
    assert_near(r->pressure_power, -p * 0.01 * 0.5, 1e-9);
    assert_near(r->energy_rate, r->pressure_power, 1e-9);
    assert_near(r->heat, 0, 1e-9);
    assert_near(r->kinetic, 0.012 * 0.25 / 6, 1e-15);
    assert_near(r->field, 0.01 * exp(-0.5) * (1 - cos(L)), 1e-15);
    assert_near(r->field_rate, 0.01 * exp(-0.5) * (0.5 * sin(L) - 1 + cos(L)), 1e-14);
    assert_near(r->field_change + r->field_carried, r->field_rate, 1e-14);
    assert_near(r->material_rate, r->field_rate, 1e-14); // the piston moves as the gas does
    vinc_report_free(r);
    session_done(&s);
}

/* A cube of 1000 kg that is lifted with v = t, and warmed: no force is given for m v', which has the power m t. */
static void work_is_no_heat(void **state)
{
    (void)state;
    session s = session_region(
        "extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {1, 1, 1}, place = {u, v, w "
        "+ "
        "time^2/2}, density = 1000, velocity = {0, 0, time}, internal = 4800*time);");
    vinc_region *r = region_at(s, 2);
    all_near(r->momentum_missing, (double[]){0, 0, 1000}, 3, 1e-6);
    assert_near(r->missing_power, 2000, 1e-6);
    assert_near(r->heat, 4.8e6, 1e-3);
    vinc_report_free(r);
    session_done(&s);
}

/* Water that turns with its vessel: rho Dv/Dt = rho f - grad p, p = rho (w^2 r^2/2 - g z). The part x
 * > 0 of it, so that the forces do not cancel: -m w^2 times the centre. A wrong pressure is missed. */
static void a_turning_vessel(void **state)
{
    (void)state;
    session s = session_region(
        "parameter Real om = 3, k = 1; extends Vincolo.Balance.Region(from = {0, -pi/2, 0}, to = "
        "{0.2, pi/2, 0.3}, place = {u*cos(v), u*sin(v), w}, density = 1000, velocity = {-om*y, "
        "om*x, 0}, pressure = k*density*(om^2*(x^2 + y^2)/2 - 9.81*z), force = {0, 0, -9.81}, "
        "potential = 9.81*z);");
    vinc_region *r = region_at(s, NAN);
    double m = 1000 * M_PI * 0.04 / 2 * 0.3, c = 4 * 0.2 / (3 * M_PI);
    all_near(r->acceleration, (double[]){-m * 9 * c, 0, 0}, 3, 1e-10);
    all_near(r->body_force, (double[]){0, 0, -9.81 * m}, 3, 1e-10);
    all_near(r->pressure_force, (double[]){-m * 9 * c, 0, 9.81 * m}, 3, 1e-10);
    all_near(r->momentum_missing, (double[]){0, 0, 0}, 3, 1e-10);
    all_near(r->momentum_outflow, (double[]){-m * 9 * c, 0, 0}, 3, 1e-10);
    assert_near(r->kinetic, m * 9 * 0.04 / 4, 1e-11);
    assert_near(r->potential, m * 9.81 * 0.15, 1e-11);
    assert_near(r->heat, 0, 1e-10);
    vinc_report_free(r);
    session_done(&s);
    s = session_region(
        "extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {1, 1, 1}, velocity = {y, 0, 0}, "
        "pressure = 2*z, force = {0, 0, -1});"); // the pressure is too large by half
    r = region_at(s, 0);
    all_near(r->momentum_missing, (double[]){0, 0, 3}, 3, 1e-13);
    vinc_report_free(r);
    session_done(&s);
}

/* Both sides of the divergence theorems over a pyramid with bounds that depend on each other:
 * v = (x^2 y, y z, z^2 x), integrals by hand of monomials over x + y + z < 1. */
static void a_pyramid(void **state)
{
    (void)state;
    session s = session_region(
        "extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {1, 1 - u, 1 - u - v}, density = 1 "
        "+ x, velocity = {x^2*y, y*z, z^2*x}, field = x*y);");
    vinc_region *r = region_at(s, 0);
    assert_near(r->volume, 1.0 / 6, 1e-15);
    assert_near(r->mass, 1.0 / 6 + 1.0 / 24, 1e-15);
    assert_near(r->centre[0], (1.0 / 24 + 1.0 / 60) / (5.0 / 24), 1e-14);
    // 2 x y + z + 2 z x: 2/120 + 1/24 + 2/120
    assert_near(r->divergence, 1.0 / 24 + 4.0 / 120, 1e-15);
    assert_near(r->outflow, r->divergence, 1e-15);
    all_near(r->gradient, (double[]){1.0 / 24, 1.0 / 24, 0}, 3, 1e-15);
    all_near(r->normal, r->gradient, 3, 1e-15);
    assert_near(r->material_flux, r->material_rate, 1e-15);
    assert_near(r->material_particle, r->material_rate, 1e-15);
    vinc_report_free(r);
    session_done(&s);
}

/* ---- what cannot be ------------------------------------------------------------------------- */

static void named(const char *words, const char *code, const char *said)
{
    session s = session_region(words);
    vinc_region *r = NULL;
    assert_int_equal(vinc_region_of(s.model, 0, 0, &r), VINC_E_MODEL);
    assert_null(r);
    const char *messages = vinc_ctx_messages(s.ctx);
    if (!strstr(messages, code) || !strstr(messages, said)) fail_msg("%s", messages);
    session_done(&s);
}

static void wrong_regions(void **state)
{
    (void)state;
#define BOX "extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {1, 2, 3}"
    named(BOX ", place = {u, v, u + v});", "C178", "has no volume");
    named("extends Vincolo.Balance.Region(from = {0, 0, 1}, to = {1, 1, u});", "C178",
          "bounds of 'w' are inverted");
    named(BOX ", density = 1/(z - 0.3));", "C178", "does not converge");
    named(BOX ", density = sqrt(x - 0.5));", "C178", "not a number");
    named(BOX ", density = x - 0.5);", "C178", "no mass");
    named("extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {2*pi, 1, 1}, place = "
          "{sin(u), v, w});",
          "C178", "folded");
    named(BOX ", density = u);", "C177", "'density' depends on 'u'");
    named(BOX ", place = {x, v, w});", "C177", "'place[1]' depends on 'x'");
    named("extends Vincolo.Balance.Region(from = {v, 0, 0}, to = {1, 2, 3});", "C177",
          "'from[1]' depends on 'v'");
    named(BOX ", density = q); Real q(start = 1, fixed = true); equation der(q) = 1;", "C177",
          "'q' has no definition");
    named("Real x; equation x = 1;", "C177", "extends Vincolo.Balance.Region");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_octant), cmocka_unit_test(a_piston),
        cmocka_unit_test(a_turning_vessel), cmocka_unit_test(work_is_no_heat),
        cmocka_unit_test(a_pyramid),        cmocka_unit_test(wrong_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
