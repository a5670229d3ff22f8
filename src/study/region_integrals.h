/* Integrals over a region and its surface, and their rates (docs/regions.md).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_REGION_INTEGRALS_H
#define STUDY_REGION_INTEGRALS_H

#include "study/region_fields.h"

/* phi a scalar field, rho the density, e the energy of each kg, v the velocity of the particles and
 * vc that of the boundary. */
typedef struct region_integrals {
    double volume, moments[10]; // of the mass: 1, x, y, z, xx, yy, zz, xy, yz, zx
    double about_centre[3];     // r dm, r from the centre of mass
    double phi, phi_rate, phi_material_rate;
    double phi_t, phi_flux, phi_particle; // phi_t, phi_t + div(phi v), Dphi/Dt + phi div v
    double gradient[3], divergence;       // of phi, of v
    double mass_rate, continuity;         // rho_t + div(rho v)
    double acceleration[3], body_force[3], momentum_rate[3];
    double internal, kinetic, potential, energy_rate, force_power;
    double missing_power; // (rho Dv/Dt + grad p - rho f) v: work of a force that is not given
    /* Over the surface. */
    double phi_carried, phi_outflow, normal[3], outflow; // phi vc n, phi v n, phi n, v n
    double mass_outflow, pressure[3], momentum_outflow[3], energy_outflow, pressure_power;
    bool moves, flows, presses, has_energy;
} region_integrals;

/* VINC_OK, or a status after a diagnostic; within a guard. */
int region_integrate(vinc_model *m, const region_fields *f, double t, double tol,
                     region_integrals *out);

#endif
