/* What a process holds of a shared model, from inside: share.c runs it, share_make.c makes it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SHARE_PARTS_H
#define RUN_SHARE_PARTS_H

#include "la/shared.h"
#include "run/share.h"
#include "target/target.h"

struct run_share {
    run_state *s;
    const vinc_problem *base; // of the whole model
    vinc_problem problem;     // of this part
    la_shared shared;
    mem *m;
    arena a; // all arrays
    const char *why;

    int n;              // unknowns here
    int *own, *row;     // ... their numbers in the model, and those of their equations
    int *order;         // of all unknowns: process by process
    int *count, *place; // by process: how many, and from where on in that order
    int n_halo;         // unknowns of other processes that the equations here read
    int *halo, *send;   // their numbers in the model; what others read of this one, by own number
    team_peers peers;
    double *sent, *received, *ordered;

    tape_code *residual, *jacobian, *product;
    vinc_pattern jac;   // own columns, then those of the halo
    int *entry;         // by entry of it: its place in what the code stores
    double *y, *yp, *r; // of all unknowns: own ones and the halo are up to date
    double *dy, *dyp;
    double *w, *scratch, *w_product;
    int n_given, v, vp; // elements of w that are the model's; where vectors of the product begin
    double *nominal;
    uint8_t *differential, *unsized, *rate;
};

void share_fill(run_share *x); // the problem, when all else is there

#endif
