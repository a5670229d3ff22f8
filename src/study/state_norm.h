/* Norms of deviations of states, and what the logarithmic norm of a matrix is in them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_STATE_NORM_H
#define STUDY_STATE_NORM_H

#include "study/linear_model.h"

typedef enum norm_power { NORM_ONE, NORM_TWO, NORM_MOST } norm_power;

typedef struct state_norm {
    norm_power power;
    const double *weight; // by component of y
    /* Or of W x, where x are n states as the linearization at the start has chosen them: */
    int n;
    const int *state;            // components of y
    const double *w, *w_inverse; // NULL: there is none
    const char *words;           // "2-norm, states in units of their nominals"
} state_norm;

/* spec: "1", "2", "inf" with weights behind ("inf:x=2,v=0.1") or weights alone, "modes", or a CSV file
 * with P of sqrt(x^T P x); NULL: "2". Inside the guard; everything in a. VINC_E_OPTION after a
 * diagnostic. */
int state_norm_read(vinc_sim *s, const linear_point *l, const char *spec, arena *a,
                    state_norm *out);

/* lim (|1 + h A| - 1)/h for h -> 0, by which deviations grow at most; *size: the largest entry of A in
 * the units of the norm. NaN: the states are others than those of W, or there are no eigenvalues. */
double state_norm_logarithmic(const state_norm *m, const linear_system *s, arena *a, double *size);

/* Of deviations d by component of y. work: n. */
double state_norm_of(const state_norm *m, const double *d, int n_components, double *work);

#endif
