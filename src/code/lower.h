/* From expressions to tapes.
 *
 * A lowering sees expressions through the eyes of a formulation: entries that are assigned stand
 * for their values, calls for the bodies of their functions (or stay calls of functions that are
 * executed), noEvent and smooth for what is inside.
 * It turns a list of expressions into a program: those of equal shape become one map, the rest one
 * kernel with shared subexpressions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_LOWER_H
#define CODE_LOWER_H

#include "derive/derive.h"
#include "form/form.h"

/* What is known of a node in the present kernel or expression. Most nodes of a large model are those of
 * maps and never get one. */
typedef struct lower_note {
    uint32_t mark; // the epoch it belongs to
    tape_ref ref;  // its ref in the present kernel
    int local;     // its canonical number in the present expression
} lower_note;

/* What a root is of an equation: its residual, or what it gives for the variable in a slot of its family. */
typedef struct lower_origin {
    int equation; // -1: anything else
    int slot;     // -1: the residual
} lower_origin;

enum { LOWER_NOTES_EACH = 256 };

typedef struct lowering {
    const form_system *f;
    const structure *s;
    expr_pool *p;
    arena *a, *scratch;
    diag_sink *sink;
    struct code_list *list; // functions are put on it
    bool continuation; // homotopy(actual, simplified) blends with lambda; otherwise it is actual
    bool parameters;   // only parameters may occur
    bool sealed;       // calls are operations: their bodies are not written out now
    const char *what;  // what is being lowered, for messages
    span at;
    const lower_origin *origins; // of the roots of the next program; NULL: not known
    bool failed;

    ARRAY(struct lower_note *)
    notes; // by number of a node, LOWER_NOTES_EACH in a block; NULL: none yet
    uint32_t epoch;
    int_array stack;
    map bodies;  // CALL node: its body, or itself if the function is executed
    map tables;  // IF node: the table that it chooses from, or 0
    map numbers; // bits of a number: its place in p + 1
    map depths;  // CALL node: how many bodies it stands in; none: in no body
    int deeper;  // written out so far, deeper than is free
} lowering;

void lower_init(lowering *l, const form_system *f, struct code_list *list, arena *a, arena *scratch,
                diag_sink *sink);

/* The program out[target[i]] = roots[i] (target NULL: i); at (may be NULL): places for messages. A root 0 is
 * not written out, and its origin is known.
 * l->failed is set, with a diagnostic, when something cannot be evaluated. */
const tape_program *lower_program(lowering *l, const expr *roots, const int *target, const span *at,
                                  int n);

/* This is all of an expression: if it is an element of w, that is noted (code_list.taken). */
void lower_note_root(lowering *l, expr root);

/* What a root of this origin is, written out. */
expr lower_written(lowering *l, lower_origin of);

/* For re-rolling (roll_parts.h): */
expr lower_resolve_other(lowering *l, expr e);
static inline expr lower_resolve(lowering *l,
                                 expr e) // what e stands for; never NOEVENT, assigned VAR ...
{
    expr_op op = (expr_op)expr_at(l->p, e)->op;
    bool other = op == EXPR_VAR || op == EXPR_NOEVENT || op == EXPR_SMOOTH || op == EXPR_HOMOTOPY ||
                 op == EXPR_SEMILINEAR || op == EXPR_CALL;
    return other ? lower_resolve_other(l, e) : e;
}
tape_ref lower_leaf(lowering *l, expr e); // p, y, y', w of a VAR node
/* The place of a VAR that stands for itself; TAPE_NONE: it does not. */
tape_ref lower_place(const lowering *l, expr e);
/* Lower e into the builder; VAR leaves are looked up in ref first (marked in this epoch). */
tape_ref lower_expr(lowering *l, tape_builder *b, expr e);
/* ... of e alone, whose arguments (resolved) have these values. */
tape_ref lower_operation(lowering *l, tape_builder *b, expr e, const expr *args, const tape_ref *x);
void lower_begin(lowering *l);           // a new kernel: forget refs
int lower_number(lowering *l, double x); // the place in p, behind the parameters, of a number
lower_note *lower_add_notes(lowering *l, int block);

static inline lower_note *lower_note_of(lowering *l, expr e)
{
    int block = e / LOWER_NOTES_EACH;
    lower_note *notes = block < l->notes.n ? l->notes.at[block] : NULL;
    if (!notes) notes = lower_add_notes(l, block);
    return &notes[e % LOWER_NOTES_EACH];
}

#endif
