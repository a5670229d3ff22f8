/* `vincolo region`: masses, moments, and both sides of the theorems and balances of a region.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/region_integrals.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define REGION_TOL 1e-10

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...)             TOLD(vinc_region, __VA_ARGS__)
#define LIST(...)              TOLD_LIST(vinc_region, __VA_ARGS__)
#define MATRIX_OF(key, member) LIST(MATRIX, key, member, n, .columns = offsetof(vinc_region, n))
static const told_field region_told_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(REAL, "time", time),
    FIELD(REAL, "volume", volume),
    FIELD(REAL, "mass", mass),
    LIST(REALS, "centre", centre, n),
    LIST(REALS, "about_centre", about_centre, n),
    MATRIX_OF("inertia", inertia),
    MATRIX_OF("inertia_origin", inertia_origin),
    FIELD(BOOL, "moves", moves),
    FIELD(BOOL, "flows", flows),
    FIELD(BOOL, "presses", presses),
    FIELD(BOOL, "has_energy", has_energy),
    FIELD(REAL, "field", field),
    FIELD(REAL, "field_rate", field_rate),
    FIELD(REAL, "field_change", field_change),
    FIELD(REAL, "field_carried", field_carried),
    FIELD(REAL, "material_rate", material_rate),
    FIELD(REAL, "material_flux", material_flux),
    FIELD(REAL, "material_particle", material_particle),
    FIELD(REAL, "divergence", divergence),
    FIELD(REAL, "outflow", outflow),
    LIST(REALS, "gradient", gradient, n),
    LIST(REALS, "normal", normal, n),
    FIELD(REAL, "mass_rate", mass_rate),
    FIELD(REAL, "mass_inflow", mass_inflow),
    FIELD(REAL, "mass_source", mass_source),
    LIST(REALS, "momentum_rate", momentum_rate, n),
    LIST(REALS, "momentum_outflow", momentum_outflow, n),
    LIST(REALS, "acceleration", acceleration, n),
    LIST(REALS, "body_force", body_force, n),
    LIST(REALS, "pressure_force", pressure_force, n),
    LIST(REALS, "momentum_missing", momentum_missing, n),
    FIELD(REAL, "internal", internal),
    FIELD(REAL, "kinetic", kinetic),
    FIELD(REAL, "potential", potential),
    FIELD(REAL, "energy_rate", energy_rate),
    FIELD(REAL, "energy_outflow", energy_outflow),
    FIELD(REAL, "pressure_power", pressure_power),
    FIELD(REAL, "force_power", force_power),
    FIELD(REAL, "missing_power", missing_power),
    FIELD(REAL, "heat", heat),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void say_scalar(text *o, const char *words, double x)
{
    text_printf(o, "  %-56s %.10g\n", words, x + 0.0); // no -0
}

static void say_vector(text *o, const char *words, const double *x)
{
    text_printf(o, "  %-56s %.10g, %.10g, %.10g\n", words, x[0] + 0.0, x[1] + 0.0, x[2] + 0.0);
}

static void say_theorems(const vinc_region *r, text *o)
{
    text_add(o, "\nThe field phi\n");
    say_scalar(o, "integral of phi", r->field);
    say_scalar(o, "d/dt of it, the region carried to a fixed one", r->field_rate);
    say_scalar(o, "Reynolds: integral of phi_t + surface of phi vc n",
               r->field_change + r->field_carried);
    say_vector(o, "integral of grad phi", r->gradient);
    say_vector(o, "surface integral of phi n", r->normal);
    if (!r->flows) return;
    text_add(o, "\nThe material volume: it moves with the particles, vc = v\n");
    say_scalar(o, "D/Dt of the integral of phi", r->material_rate);
    say_scalar(o, "integral of phi_t + div(phi v)", r->material_flux);
    say_scalar(o, "integral of Dphi/Dt + phi div v", r->material_particle);
    say_scalar(o, "integral of div v", r->divergence);
    say_scalar(o, "surface integral of v n", r->outflow);
}

static void say_balances(const vinc_region *r, text *o)
{
    text_add(o, "\nMass\n");
    say_scalar(o, "d/dt of the mass", r->mass_rate);
    say_scalar(o, "inflow, minus the surface integral of rho (v - vc) n", r->mass_inflow);
    say_scalar(o, "source, the integral of rho_t + div(rho v)", r->mass_source);
    text_add(o, "\nMomentum\n");
    say_vector(o, "d/dt of the momentum", r->momentum_rate);
    say_vector(o, "outflow, surface integral of rho v (v - vc) n", r->momentum_outflow);
    say_vector(o, "integral of rho Dv/Dt", r->acceleration);
    if (!r->presses) return;
    say_vector(o, "body forces, integral of rho f", r->body_force);
    say_vector(o, "pressure, minus the surface integral of p n", r->pressure_force);
    say_vector(o, "missing: rho Dv/Dt less both", r->momentum_missing);
}

static void say_energy(const vinc_region *r, text *o)
{
    text_add(o, "\nEnergy, integral of (u + v^2/2 + potential) rho\n");
    say_scalar(o, "internal", r->internal);
    say_scalar(o, "kinetic", r->kinetic);
    say_scalar(o, "potential", r->potential);
    say_scalar(o, "sum", r->internal + r->kinetic + r->potential);
    say_scalar(o, "d/dt of it", r->energy_rate);
    say_scalar(o, "outflow, surface integral of rho e (v - vc) n", r->energy_outflow);
    say_scalar(o, "power of the pressure, minus surface of p v n", r->pressure_power);
    say_scalar(o, "power of forces beyond the potential", r->force_power);
    say_scalar(o, "power of the force that the balance of momentum lacks", r->missing_power);
    say_scalar(o, "missing: what must come in as heat", r->heat);
}

static void say_region(const void *told, vinc_format format, text *o)
{
    const vinc_region *r = told;
    (void)format;
    text_printf(o, "%s at t = %g\n", r->class_name, r->time);
    say_scalar(o, "volume", r->volume);
    say_scalar(o, "mass", r->mass);
    say_vector(o, "centre", r->centre);
    say_vector(o, "integral of r dm about the centre", r->about_centre);
    for (int k = 0; k < r->n; k++)
        say_vector(o, k ? "" : "inertia about the centre", r->inertia + (size_t)k * 3);
    for (int k = 0; k < r->n; k++)
        say_vector(o, k ? "" : "inertia about the origin", r->inertia_origin + (size_t)k * 3);
    say_theorems(r, o);
    if (r->flows || r->moves) say_balances(r, o);
    if (r->has_energy) say_energy(r, o);
}

static const told_line region_lines[] = {{.say = say_region}, {0}};

const told_kind study_region = {
    .name = "region",
    .command = "region",
    .summary = "a region: mass, centre, inertia; theorems and balances with both sides in numbers",
    .size = sizeof(vinc_region),
    .fields = region_told_fields,
    .lines = region_lines,
};

/* ---- the analysis ---------------------------------------------------------------------------- */

typedef struct region_job {
    vinc_model *m;
    double time, tol;
    vinc_region **out;
} region_job;

/* Of moments 1, x, y, z, xx, yy, zz, xy, yz, zx. */
static void inertia_of(const double *m, double *j)
{
    double xx = m[4], yy = m[5], zz = m[6], xy = m[7], yz = m[8], zx = m[9];
    const double all[9] = {yy + zz, -xy, -zx, -xy, xx + zz, -yz, -zx, -yz, xx + yy};
    memcpy(j, all, sizeof all);
}

static int tell_region(void *job)
{
    region_job *j = job;
    vinc_model *m = j->m;
    region_fields f = {0};
    region_integrals x;
    double t = !isnan(j->time) ? j->time : isnan(m->about.start) ? 0 : m->about.start;
    watch_doing(&m->ctx->watch, "integrating", m->flat->name);
    int rc = region_read_fields(m, &f);
    if (!rc) rc = region_integrate(m, &f, t, j->tol > 0 ? j->tol : REGION_TOL, &x);
    if (rc) return rc;
    double centre[3], about[10], inertia[9], origin[9], missing[3];
    const double *M = x.moments;
    for (int i = 0; i < 3; i++) {
        centre[i] = M[1 + i] / M[0];
        missing[i] = x.acceleration[i] - x.body_force[i] - x.pressure[i];
    }
    memcpy(about, M, sizeof about);
    for (int i = 0; i < 3; i++) { // Steiner
        about[4 + i] -= M[1 + i] * centre[i];
        about[7 + i] -= M[1 + i] * centre[(i + 1) % 3];
    }
    inertia_of(about, inertia);
    inertia_of(M, origin);
    vinc_region told = {.model = m->source,
                        .class_name = m->flat->name,
                        .time = t,
                        .n = 3,
                        .moves = x.moves,
                        .flows = x.flows,
                        .presses = x.presses,
                        .has_energy = x.has_energy,
                        .volume = x.volume,
                        .mass = M[0],
                        .centre = centre,
                        .about_centre = x.about_centre,
                        .inertia = inertia,
                        .inertia_origin = origin,
                        .field = x.phi,
                        .field_rate = x.phi_rate,
                        .field_change = x.phi_t,
                        .field_carried = x.phi_carried,
                        .material_rate = x.phi_material_rate,
                        .material_flux = x.phi_flux,
                        .material_particle = x.phi_particle,
                        .divergence = x.divergence,
                        .outflow = x.outflow,
                        .gradient = x.gradient,
                        .normal = x.normal,
                        .mass_rate = x.mass_rate,
                        .mass_inflow = -x.mass_outflow,
                        .mass_source = x.continuity,
                        .momentum_rate = x.momentum_rate,
                        .momentum_outflow = x.momentum_outflow,
                        .acceleration = x.acceleration,
                        .body_force = x.body_force,
                        .pressure_force = x.pressure,
                        .momentum_missing = missing,
                        .internal = x.internal,
                        .kinetic = x.kinetic,
                        .potential = x.potential,
                        .energy_rate = x.energy_rate,
                        .energy_outflow = x.energy_outflow,
                        .pressure_power = x.pressure_power,
                        .force_power = x.force_power,
                        .missing_power = x.missing_power};
    told.heat =
        x.energy_rate + x.energy_outflow - x.pressure_power - x.force_power - x.missing_power;
    return told_keep(&m->ctx->lasting, &study_region, &told, j->out);
}

int vinc_region_of(vinc_model *model, double time, double tol, vinc_region **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    return api_guarded(model->ctx, tell_region, &(region_job){model, time, tol, out});
}
