/* Derivatives of programs, inside: gradients of the elements of w, and steps under construction.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVE_DERIVE_PROGRAM_H
#define DERIVE_DERIVE_PROGRAM_H

#include "derive/derive_pattern.h"
#include "tape/tape.h"

/* d element / d col: w[slot], or the constant `value` where slot < 0. */
typedef struct slope {
    int col, slot;
    double value;
} slope;

typedef struct slopes {
    int n;
    const slope *at;
} slopes;

/* Operands of a step to be: an access, or results whose place in the pattern is not known yet. The entry
 * of instance i in the pattern is entries[i], or first + every*i where there is no list. */
typedef struct draft_access {
    tape_access at;
    bool pending; // false: the access stands
    int first, every;
    const int *entries;
} draft_access;

typedef struct draft {
    tape_step step; // access is filled in at the end
    draft_access *access;
    int n_access;
} draft;

typedef struct program_deriver {
    const tape_program *f;
    arena *scratch, *result;
    int n_cols, n_y;        // columns from n_y on go to out2
    int *col[TAPE_N_KINDS]; // per element: its column, or -1
    slopes *of_w;           // per element of w: its gradient now
    int n_w;                // elements of w, those of derivatives included
    slope unit;             // of the input asked for last
    ARRAY(draft) drafts;
    ARRAY(pattern_entry) entries;
    int *local, *stamp, epoch; // per column: its number in the instance at hand, if stamped
    int_array met;             // columns of the instance at hand, by local number
    bool apart;                // a column that is met again has another number
} program_deriver;

/* The gradient of an element as it is now; valid until the next call. */
slopes derive_slopes(program_deriver *d, tape_kind kind, int index);
bool derive_goes_to_out2(const program_deriver *d, int col);

/* Columns are numbered anew for each instance, in the order they are met. */
void derive_begin_instance(program_deriver *d);
int derive_local_column(program_deriver *d, int col);

/* Kernels made here may still be changed, since nobody else has seen them: replace operand x[k]. */
typedef tape_ref derive_change(void *user, int k);
void derive_change_operands(const tape *t, derive_change *to, void *user);

/* Append the derivative of a step to the drafts. */
void derive_map(program_deriver *d, const tape_step *s); // also a kernel
void derive_sum(program_deriver *d, const tape_step *s);

#endif
