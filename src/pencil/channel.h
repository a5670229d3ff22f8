/* What a control engineer asks of x' = A x + B u, y = C x + D u + D1 u': zeros and gain of a
 * channel, its response to frequencies and to a step, which modes the inputs reach and the outputs
 * show, gains that stabilise.
 *
 * Zeros are the finite eigenvalues of the system pencil [A - s I, b; c, d + s d1] of a minimal
 * realization, whose infinite ones are split off by the staircase of pencil.h (A. Emami-Naeini & P.
 * Van Dooren, Automatica 18, 1982, 415-430, do so without forming a square pencil). A mode is
 * reached where [A - lambda I, B] has full rank (M. L. J. Hautus, Indag. Math. 31, 1969, 443-448).
 * The gain is that of least cost: the stable invariant subspace of the Hamiltonian matrix, by an
 * ordered Schur form (A. J. Laub, IEEE Trans. Automatic Control 24, 1979, 913-921).
 *
 * Matrices by columns; everything is allocated from an arena.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_CHANNEL_H
#define PENCIL_CHANNEL_H

#include "pencil/state_space.h"

#include <complex.h>

/* From one input to one output: gain times product (s - zero) over product (s - pole). */
typedef struct control_channel {
    linear_system s; // minimal, balanced
    bool nothing;    // the output does not depend on the input: no zeros, gain 0
    int n_poles, n_zeros;
    double *pole_re, *pole_im, *zero_re, *zero_im;
    double gain;
    double steady; // at s = 0: infinite where a pole is there
} control_channel;

/* -1: a number is not finite, or an iteration failed. */
int control_channel_of(arena *a, const linear_system *s, int input, int output,
                       control_channel *out);

/* G(z); infinite at a pole. */
double complex control_at(const control_channel *c, double complex z);

/* Of the loop that is closed by u = r - y: eigenvalues, as many as poles. -1: it has no solution (d =
 * -1). */
int control_closed(arena *a, const control_channel *c, double feedback, double *re, double *im);

typedef struct control_margins {
    double phase, phase_at; // degrees above -180 where |G| = 1, the least; NaN: nowhere
    double gain, gain_at;   // the factor nearest to 1 that makes G = -1; NaN: none does
} control_margins;

/* Found on the frequencies given, ascending, and refined between them. */
void control_margins_of(const control_channel *c, const double *omega, int n, control_margins *out);

/* n values at k h of the output after a unit step of the input at 0, without the impulse of d1; NULL
 * where a value is not finite. */
double *control_step(arena *a, const control_channel *c, double h, int n);

/* By mode of `modes`: do the inputs reach it (or, with C^T for b and A^T for a, do the outputs show
 * it)? */
int control_reached(arena *a, int n, int m, const double *matrix, const double *b,
                    const linear_modes *modes, bool *reached);

/* K (m by n) with the least integral of sum q_i x_i^2 + sum r_j u_j^2 for u = -K x; r_j > 0. -1: no
 * gain stabilises, or a mode on the imaginary axis has no weight. */
int control_regulator(arena *a, int n, int m, const double *matrix, const double *b,
                      const double *q, const double *r, double *k);

#endif
