/* Values of all entries at one consistent point, and of derivatives beyond them: what the numerical
 * part of `vincolo check` looks at.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_POINT_H
#define CODE_POINT_H

#include "code/internal.h"

typedef struct code_point {
    const code_state *st; // of the formulation `dummy`
    structure *s;
    arena *a;
    double t;
    int extra;     // derivatives known beyond d
    double *value; // unknown u, derivative k: value[first[u] + k], k <= d + extra
    int *first;
    const char *why; // set when something has no value
} code_point;

/* From y and y'; `extra` further derivatives of every unknown follow by differentiating on. false:
 * one of them cannot be had (p->why). */
bool code_point_init(code_point *p, const code_state *st, double t, const double *y,
                     const double *yp, int extra, arena *a);

/* The value of an expression over flat variables (eliminated ones too) or entries; NaN: it has
 * none. */
double code_point_eval(const code_point *p, expr e);
/* Of its derivative by a VAR node. */
double code_point_diff(const code_point *p, expr e, expr var);

#endif
