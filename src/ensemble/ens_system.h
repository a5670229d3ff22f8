/* A model inside a tape: its parameters, start values and equations as refs.
 *
 * What is not varied is a number and folds away; what follows from varied parameters is computed once
 * in the tape `begin` and is a constant of the kernel afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENS_SYSTEM_H
#define ENSEMBLE_ENS_SYSTEM_H

#include "ensemble/ens_kernel.h"
#include "run/verbs.h"
#include "tape/unroll.h"

/* What differs from run to run: a parameter by its place in p, or the start value of an entry. */
typedef struct ens_input {
    int param, entry; // the other one is -1
} ens_input;

/* A model and a point of it: the run whose values hold wherever no input says otherwise. */
typedef struct ens_source {
    const code_model *m;
    const double *p, *w, *y, *yp; // of a run that has found its start values
    const double *nominal;        // by unknown
    const uint8_t *set;           // by parameter: given from outside, so its binding does not count
    const ens_input *inputs;
    int n_inputs;
    bool given; // start values are inputs too, after the others: y, then w
} ens_source;

/* A number, or something of each run. */
typedef struct ens_term {
    bool is_number;
    double number;
    tape_ref ref;
} ens_term;

typedef struct ens_system {
    const ens_source *of;
    arena *scratch;
    tape_builder *begin; // the tape that makes constants and start values
    int n_in, n_constants;
    ens_term *p, *w;             // in every tape but begin
    tape_ref *p_begin, *w_begin; // in that one
    tape_ref *y0;                // in begin
    const char *why;             // what cannot be done, after false
} ens_system;

/* Memory of the tapes in a; false: s->why. */
bool ens_system_init(ens_system *s, const ens_source *of, arena *a, arena *scratch);

/* The system as one tape sees it. */
typedef struct ens_view {
    ens_system *s;
    tape_builder *b;
    tape_ref *p, *w;
} ens_view;

ens_view ens_view_new(ens_system *s, arena *a);
ens_view ens_view_begin(ens_system *s); // of the tape begin

/* A program of the model, with its parameters and discrete values; w of refs is left out. False: s->why. */
bool ens_unroll(const ens_view *v, const tape_program *f, unroll_refs refs);
/* Arrays of m->n refs. False: s->why. */
bool ens_rhs(const ens_view *v, tape_ref t, const tape_ref *y, tape_ref *out);
bool ens_residual(const ens_view *v, tape_ref t, const tape_ref *y, const tape_ref *yp,
                  tape_ref *r);
bool ens_jacobian(const ens_view *v, tape_ref t, const tape_ref *y, tape_ref *dy, tape_ref *dyp);
/* Values of outputs (code_outputs.from) at a point. */
bool ens_outputs(const ens_view *v, tape_ref t, const tape_ref *y, const tape_ref *yp,
                 const int *outputs, int n, tape_ref *values);

#endif
