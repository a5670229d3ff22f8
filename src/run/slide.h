/* Sliding: a run on surfaces where conditions switch back and forth.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SLIDE_H
#define RUN_SLIDE_H

#include "base/bump.h"
#include "run/state.h"

enum {
    SLIDE_SURFACES = 6,   // at once
    SLIDE_RELATIONS = 4,  // that switch on one surface
    SLIDE_STRETCHES = 32, // that are told
};

typedef struct slide_surface {
    int n, relation[SLIDE_RELATIONS];
    double here[SLIDE_RELATIONS], there[SLIDE_RELATIONS]; // their values on its two sides
    double share;                                         // of the side `there` in the motion
    double since;
} slide_surface;

/* From when to when it was slid on which surface. */
typedef struct slide_stretch {
    int relation;
    double from, to;
} slide_stretch;

/* One of the motions that sliding combines: mode 0 is `here` of all surfaces, mode i + 1 `there` of
 * surface i. */
typedef struct slide_mode {
    double *w, *y, *yp;
    double rate[SLIDE_SURFACES]; // of the roots
} slide_mode;

typedef struct run_slide {
    int n; // surfaces; 0: no sliding
    slide_surface at[SLIDE_SURFACES];
    slide_mode mode[SLIDE_SURFACES + 1];
    double root[SLIDE_SURFACES]; // at the point looked at last, in mode 0
    vinc_problem problem;        // while it slides
    double *y, *yp;              // points to look at
    double *sides, *out, *g;
    uint8_t *mixed; // by output: it is Real, and so combined
    uint8_t *felt;  // by component: a state that the roots depend on
    int *only; // by relation: 1 + the only state that it was found to depend on; 0: none is known
    long n_stretches;
    slide_stretch stretch[SLIDE_STRETCHES]; // the first ones
    void *block;
    size_t bytes;
} run_slide;

void slide_begin(run_state *s); // of a run: nothing slides
void slide_free(run_state *s);
const vinc_problem *slide_follows(void *user); // the problem that holds now

/* Before an event while it slides: the values of mode 0, in which conditions are read. After one: does
 * the motion slide from here on? *changed is set where that is so, or no more so. Status as of a
 * callback. */
void slide_before(run_state *s, double t, double *y, double *yp);
int slide_after(run_state *s, double t, double *y, double *yp, int *changed);

/* The stretches so far, the first ones (SLIDE_STRETCHES) in out, those that last until t_end included;
 * how many there are. */
long slide_stretches(const run_state *s, double t_end, slide_stretch *out);

/* A copy of what slides, for a state that is saved; NULL: no memory. And back again. */
void *slide_keep(const run_state *s, mem *m);
bool slide_take(run_state *s, const run_slide *from, const void *block);
void slide_forget_addresses(run_slide *x, const code_model *m); // of a copy that becomes bytes

#endif
