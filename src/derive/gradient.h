/* Sparse gradients along a tape: the engine of derive/derive.h.
 *
 * Every value that is needed in more than one place (or that a select, a call or a store uses) gets
 * a sparse gradient, a list of columns and refs; what lies between such values is swept once in
 * reverse. The caller says what the gradients of the leaves are and takes those of the stores.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVE_GRADIENT_H
#define DERIVE_GRADIENT_H

#include "base/array.h"
#include "tape/tape.h"

typedef struct grad_entry {
    int col;
    tape_ref ref; // in the new tape; never the constant 0
} grad_entry;

typedef struct grad {
    int n;
    const grad_entry *at; // each column once
} grad;

typedef struct grad_job {
    const tape *f;
    tape_builder *b; // receives values and derivatives
    int n_cols;
    grad (*leaf)(void *user, tape_ref leaf);        // of a leaf of f; asked once per occurrence
    tape_ref (*replace)(void *user, tape_ref leaf); // the leaf in b; NULL: the same
    /* A store of f: its target, the stored value in b, its gradient. */
    void (*store)(void *user, tape_ref target, tape_ref value, grad g);
    void *user;
    arena *scratch, *result; // functions made for partials of calls go to `result`
} grad_job;

void grad_run(const grad_job *job);

#endif
