/* Kernels for the methods of an ensemble.
 *
 * A method of an ensemble is one entry of a list: which formula, and who writes its step. Fixed steps
 * are counted; adaptive ones keep status, time, step size and count of steps in the state.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENS_WRITE_H
#define ENSEMBLE_ENS_WRITE_H

#include "ensemble/ens_event.h"
#include "method/method.h"

typedef struct ens_settings {
    const char *method;
    double t0, t1;
    double step;             // > 0: fixed
    double rel_tol, abs_tol; // abs_tol: times the nominal of each unknown
    double max_steps;
    const int *outputs; // numbers of outputs whose end values are wanted
    int n_outputs;
    bool freeze; // a run that is done stays as it is while others go on: for vector registers
} ens_settings;

/* A kernel in the making. */
typedef struct ens_writer {
    const ens_settings *set;
    const vinc_method *method;
    ens_system system;
    mem *m;
    arena *a, *scratch;
    ens_kernel *out;
    int n; // unknowns
    /* What of them is in the state, from ENS_Y on. */
    int n_part, *part;
    bool sweeps; // the others, and y', by the right-hand side
    ens_events events;
} ens_writer;

/* False: what the model, or the method, has that an ensemble cannot do, in *why. Memory from the guard
 * of m. */
bool ens_write(const ens_source *of, const ens_settings *set, mem *m, arena *a, arena *scratch,
               ens_kernel *out, const char **why);

/* ---- writers of steps ------------------------------------------------------------------------ */

bool ens_write_explicit(ens_writer *w);
bool ens_write_rosenbrock(ens_writer *w);

/* ---- what they share (ens_write.c, ens_control.c) -------------------------------------------- */

static inline tape_ref ens_op(tape_builder *b, tape_op op, tape_ref x, tape_ref y)
{
    return tape_op2(b, op, x, y);
}

static inline tape_ref ens_times(tape_builder *b, double c, tape_ref x)
{
    return c == 1 ? x : tape_op2(b, TAPE_MUL, x, tape_const(b, c));
}

/* sum of c[j] x[j][i] over j < n, equal factors taken out; TAPE_NONE: all are 0. */
tape_ref ens_combine(tape_builder *b, int n, const double *c, tape_ref *const *x, int i);

/* dF/dy and dF/dy' at the point of the source. */
void ens_jacobian_numbers(const ens_writer *w, double *dy, double *dyp);

/* The state of adaptive kernels begins with these, the unknowns follow. */
enum { ENS_STATUS, ENS_T, ENS_H, ENS_STEPS, ENS_Y };

/* An adaptive step: where it starts, and the size that is tried. */
typedef struct ens_try {
    tape_ref t, h, t_new, last; // last: 1 where it ends at the stop time
} ens_try;
ens_try ens_try_begin(const ens_writer *w, const ens_view *v);
/* Square of the weighted error over that of the tolerance: at most 1 is good. */
tape_ref ens_error(const ens_writer *w, tape_builder *b, const tape_ref *y, const tape_ref *error);
/* Accept or reject; new time, size, status and count are stored. Gives the condition under which the new
 * point is taken, 1 or 0. root: the error is that power of the step size. found: NULL, no events. */
tape_ref ens_try_end(const ens_writer *w, const ens_view *v, const ens_try *x, tape_ref error2,
                     int root, const ens_found *found);
void ens_begin_adaptive(const ens_writer *w, int n_state);
/* The tape `end`: status first. */
bool ens_write_end(ens_writer *w, const ens_view *v, tape_ref status, tape_ref t, const tape_ref *y,
                   const tape_ref *yp);

#endif
