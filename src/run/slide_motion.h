/* Motions of the modes of sliding: what its beginning and end ask of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SLIDE_MOTION_H
#define RUN_SLIDE_MOTION_H

#include "run/slide.h"

/* The root of relation k, and the size of the sides that it compares. */
double slide_root_of(const run_state *s, int k, const double *sides, double *size);
/* Which states do the roots depend on? */
void slide_find_felt(run_state *s, double t, const double *y, const double *yp);
/* How long these may move on without changing much. */
double slide_short_while(const run_state *s, const double *y, const double *yp);
/* The roots a while later (or before) along the motion of the mode that s->w is. */
int slide_roots_along(run_state *s, double t, const slide_mode *m, double dt, double *g);
/* The motions of all modes at the states in y, and the shares that keep the roots as they are. */
int slide_look_at(run_state *s, double t, const double *y, const double *yp);
/* The states moved back onto the surfaces; the rest follows. */
int slide_project(void *user, double t, double *y, double *yp);

#endif
