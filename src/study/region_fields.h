/* The region and the fields of a model that extends Vincolo.Balance.Region, as expressions.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_REGION_FIELDS_H
#define STUDY_REGION_FIELDS_H

#include "api/api.h"

typedef struct region_fields {
    expr u[3], x[3]; // coordinates, and a point
    expr t;          // the time: formal argument 0
    /* Functions of coordinates and time. */
    expr from[3], to[3], place[3];
    /* Functions of the point and time. */
    expr density, field, velocity[3], pressure, force[3], internal, potential;
} region_fields;

/* Variables are followed to their definitions, parameters to their values. VINC_OK, or a status after
 * a diagnostic; within a guard. */
int region_read_fields(vinc_model *m, region_fields *out);

#endif
