/* What the files of vary.h share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_VARY_PARTS_H
#define RUN_VARY_PARTS_H

#include "run/run_parts.h"
#include "run/vary.h"

/* At an event (vary_event.c). */
typedef struct vary_event {
    bool on, timed;      // there is one; tau is known
    bool first;          // the one at the start
    double t;            // when
    double *y, *yp, *w;  // just before it
    double *w_now;       // w while that is looked at
    double *dy, *dyp;    // m n: derivatives along with its time
    double *tau;         // m
    double *rate, *rate_p; // of y and y' in time
    double *row;         // of a function
    double *cells;       // of the items of cells that ran, m each
    double *acts;        // of actions, m each
    double *dw_now;      // dw just before they change, m n_w
} vary_event;

struct run_variation {
    run_state *s;
    const code_variation *code;
    int m, n;
    const vary_by *by;
    double *dp, *dattributes, *dw; // m times the columns, or outputs
    double *w, *scratch, *values;
    double *all_p, *bound; // of one k
    double *r, *part, *rates_w;
    double *nominal;
    uint8_t *differential;
    int8_t *unknown_level, *equation_level;
    int *velocity;
    double *computed;
    la_solver *la;
    void *least; // of a singular matrix; NULL: there was none
    size_t least_bytes;
    vary_event event;
    int *outputs, n_outputs;
    bool computes;
    vinc_problem problem;
    void *block;
    size_t bytes;
};

/* The rows of a function at most. */
int vary_rows_most(const code_model *m);
int vary_event_handle(void *user, double t, double *Y, double *Yp, int *changed);
int vary_event_finish(void *user, double t, double *Y, double *Yp, int *changed);

#endif
