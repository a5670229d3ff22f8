/* A model linearized at a point.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_LINEAR_MODEL_H
#define STUDY_LINEAR_MODEL_H

#include "api/run.h"
#include "pencil/state_space.h"

typedef struct linear_point {
    double t;
    linear_system s;
    linear_modes modes;
    const char **states, **inputs, **outputs;
    double *x;     // values of the states
    bool constant; // the model is linear with constant coefficients and has no events
    double
        rate; // largest derivative of a state, against the size of that state and the fastest mode
    const char *rate_of; // ... whose it is, and its value; NULL: the point is an equilibrium
    double rate_value;
    const char *held; // discrete variables that the linear system takes as constant; NULL: none
} linear_point;

/* Bring a run of the formulation `dummy` to the point in question: s->y, s->yp. Outside the guard. */
int study_reach(vinc_sim *s, vinc_point at);

/* Linearize at s->y, s->yp and time t with the outputs of the model (vars NULL) or those selected.
 * Inside the guard; everything in a. VINC_E_MODEL, VINC_E_OPTION after a diagnostic. */
int study_linearize(vinc_sim *s, double t, const char *vars, arena *a, linear_point *out);

/* What a step of h makes of a mode: the modulus and the angle of the largest root (mode_steps.c). Exact factors below GONE mean that it decays within the step; a method that leaves
 * less than DAMPED of such a mode, or of one that it cannot resolve, damps it: to a hundredth in some
 * ten steps. */
struct lab_report;
static const double STUDY_GONE = 0.01, STUDY_DAMPED = 0.7;
void study_mode_step(const struct lab_report *r, double h, double re, double im, double *modulus,
                     double *angle);

double study_damping(double re, double im); // damping ratio of an eigenvalue

#endif
