/* The matrices of a linear model.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_PENCIL_STUDY_H
#define STUDY_PENCIL_STUDY_H

#include "api/api.h"

typedef struct pencil_matrices {
    int n;
    double *f, *g;      // by columns
    const char **names; // of the unknowns; NULL: they have none
} pencil_matrices;

/* F and G of the model as written, with F x' + G x = h(t) and derivatives of higher order replaced
 * by velocities. VINC_E_MODEL and a diagnostic where an equation is not linear with constant
 * coefficients. Inside the guard; in a. */
int study_linear_model(vinc_model *model, arena *a, pencil_matrices *out);

#endif
