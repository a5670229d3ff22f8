/* A model of the small format (mini.h) from text to a run whose callbacks can be called one by one.
 *
 * Failing is failing the test, except where the name says try.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_RIG_H
#define TESTS_SUPPORT_RIG_H

#include "cmocka_all.h"

#include "inspect/inspect.h"
#include "start/start.h"
#include "support/mini.h"

enum { RIG_MAX = 1000 };

typedef struct rig {
    mini k;
    structure *s;
    form_system *f;
    code_model *model;
    run_state *state;
    vinc_problem *p;
    double t, y[RIG_MAX], yp[RIG_MAX];
    start_report init;
} rig;

void rig_open(rig *r, const char *lines, const char *form); // compiled
/* The same as far as it goes: false where the formulation or the model is refused. */
bool rig_try_open(rig *r, const char *lines, const char *form);
void rig_close(rig *r);

void rig_set(rig *r, const char *name, double value);
/* Start values at time t; the problem is then held against differences. */
void rig_begin(rig *r, double t);
int rig_try_begin(rig *r, double t, const start_options *options); // status
/* Start values and the event at the start, after which callbacks may be called in any order. */
void rig_start(rig *r, double t);

/* The event at t: did anything change? */
bool rig_event(rig *r, double t);
/* Steps of a method to t_stop; events are located and handled. */
void rig_integrate(rig *r, const char *method, double tol, double t_stop);

int rig_unknown(const rig *r, const char *name); // component of y, or -1
double *rig_y(rig *r, const char *name);         // that component of y
double rig_value(rig *r, const char *name);      // of any variable, at the present point
const char *rig_why(rig *r);                     // the state's last fault; valid until rig_close
#endif
