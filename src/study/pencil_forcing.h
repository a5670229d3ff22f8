/* F x' + G x = h(t) for any h that Modelica can write: the differential part by quadrature, the
 * nilpotent part by symbolic derivatives.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_PENCIL_FORCING_H
#define STUDY_PENCIL_FORCING_H

#include "api/api.h"
#include "pencil/exact.h"
#include "pencil/integral.h"

typedef struct pencil_forcing {
    const pencil *p;
    vinc_model *model; // holds the expressions; freed by the caller
    expr_pool pool;
    expr *a, *v; // U1 h and v, n_finite and n_infinite of them, functions of the variable t
    arena *scratch;
    double now; // value of t while one is evaluated
} pencil_forcing;

/* h as n expressions of t separated by ';'. VINC_OK, or a status after a diagnostic; within a guard. */
int pencil_forcing_read(vinc_ctx *ctx, arena *a, const pencil *p, const char *rows,
                        pencil_forcing *out);
/* Values of some of its expressions at t, not always finite. */
void pencil_forcing_at(pencil_forcing *f, const expr *e, int n, double t, double *out);
const char **pencil_forcing_text(arena *a, const pencil_forcing *f, const expr *e, int n,
                                 text *room);

#endif
