/* Values of all entries at one consistent point, and of derivatives beyond them: what the numerical
 * part of `vincolo check` looks at.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSPECT_POINT_H
#define INSPECT_POINT_H

#include "inspect/inspect.h"
#include "run/verbs.h"

typedef struct inspect_point {
    run_state *st; // of the formulation `dummy`
    const structure *s;
    arena *a;
    double t;
    int extra;     // derivatives known beyond d
    double *value; // unknown u, derivative k: value[first[u] + k], k <= d + extra
    int *first, n_values;
    const char *why; // set when something has no value
} inspect_point;

/* From y and y'; `extra` further derivatives of every unknown follow by differentiating on. false:
 * one of them cannot be had (p->why). */
bool point_init(inspect_point *p, run_state *st, double t, const double *y, const double *yp,
                int extra, arena *a);

double point_eval(const inspect_point *p, expr e); // NaN: it has none

/* Moves the k-th choice of values that the constraints tie to a position nearby, about `move` of their sizes away,
 * that meets the constraints (nearby.c). False: none was found, and the values are of no use. */
bool inspect_nearby(const inspect_point *p, int k, double move, arena *a);

/* The values of the derivatives by n VAR nodes of an expression over flat variables (eliminated ones
 * too) or entries; NaN: there is none. */
void point_slopes(const inspect_point *p, expr e, const expr *var, int n, double *slope);

/* The matrix of a block, by columns: of its equations, differentiated as often as they are, by the highest
 * derivatives of its unknowns. NaN where one has no value. */
void point_block(const inspect_point *p, const structure_block *b, double *m);

/* -1 and a reason when it cannot be had (index.c). n_free: initial values that the derivative array leaves free. */
int inspect_index(const inspect_point *p, arena *a, int *n_free, const char **reason);

/* What is singular at the point but not around it, in words that live in a; NULL: nothing
 * (singular.c). */
const char *inspect_singular(const inspect_point *p, arena *a);

/* form, form_reason and form_condition of the report (classify.c). */
void inspect_classify(const inspect_point *p, arena *a, inspect_report *out);

#endif
