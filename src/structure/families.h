/* Families: equations of one shape (expr/shape.h), as loops and arrays of components write them.
 *
 * Whatever follows from how an equation is built is found once for a family, and told by slots. Members of
 * runs (flat/flat.h) are not written out: their lhs, rhs and f[0] are 0, and one of them is written where a
 * family is asked something for the first time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_FAMILY_H
#define STRUCTURE_FAMILY_H

#include "expr/shape.h"
#include "structure/dag.h"

/* A residual solved for a slot. */
typedef struct family_solution {
    const expr_shape *made; // value and guard, over the slots and the sides
    bool guarded;
    int n; // slots in the value
    uint8_t slots[SHAPE_SLOTS];
} family_solution;

typedef struct family {
    const expr_shape *sides;    // of lhs and rhs
    const expr_shape *residual; // of lhs - rhs, over the slots and the sides
    bool asked;                 // for the residual; NULL then: it has no shape
    int n_order;                // slots of the residual in the order of a walk
    uint8_t order[SHAPE_SLOTS];
    int next; // of those that begin alike
    /* Answers, each for the kinds of slots that it was last asked with. */
    struct {
        uint64_t kinds;
        uint8_t of;
        bool known;
    } degree; // two bits of a slot: dag_degree
    struct {
        uint64_t kinds;
        bool known, linear;
        const int64_t *coef; // by slot, if they are
    } integers;              // linear with integer coefficients, by which slots are unknowns
    const family_solution *
        *solutions; // by slot; NULL: not known yet; without `made`: there is none
} family;

enum { FAMILY_HEADS = 256 };

typedef struct families {
    expr_pool *p;
    arena *a;
    ARRAY(family) of;        // [0] is none
    int heads[FAMILY_HEADS]; // by how an equation begins
    int_array members;       // of each member: the number of its family, then its slots
    int_array at;            // by equation: where among `members`; 0: of no family, -1: not known
    int tried;
    int kept;         // of `members`, while equations leave
    int_array of_run; // by run of the flat model: its family; 0: not known
} families;

/* Once, some equations leave the list: this one becomes number `now`, in order, and in the end n are left. */
void families_move(families *x, int equation, int now);
void families_left(families *x, int n);
void family_changed(families *x, int equation); // it is to be looked for anew

/* The family of an equation and its slots; NULL: none. x may be NULL. */
static inline family *family_of(const families *x, int equation, const expr **slots)
{
    int at = x && equation < x->at.n ? x->at.at[equation] : 0;
    if (at <= 0) return NULL;
    *slots = x->members.at + at + 1;
    return &x->of.at[x->members.at[at]];
}

/* lhs - rhs of an equation; 0: it is not written out. */
expr family_residual(families *x, dag *d, int equation, expr lhs, expr rhs);

/* An equation and its residual f, as they are asked about; all 0: they are not written out. */
typedef struct family_question {
    families *of;
    dag *d;
    int equation;
    expr lhs, rhs, f;
} family_question;

/* The same, written out. */
family_question family_written(const family_question *q);

/* The variables of f, in the order of a walk (dag_vars). */
void family_vars(const family_question *q, int_array *out);
/* f = 0 solved for var (dag_solve). */
expr family_solve(const family_question *q, expr var, expr *guard);
bool family_solvable(const family_question *q, expr var);
/* The slot of var, if it is known how the family is solved for it; -1: it is not. */
int family_solved_slot(const family_question *q, expr var);
/* The variables of what family_solve gave for var. */
void family_solution_vars(const family_question *q, expr var, expr value, int_array *out);
/* Would family_solve give something, and a guard that needs no writing? The slot of var, and that guard or
 * 0; -1: it would not. */
int family_solves_unwritten(const family_question *q, expr var, expr *guard);
bool family_solution_operates(const family_question *q, int slot); // is it an operation?
/* What family_solve would give for var, rewritten. */
expr family_solve_rewritten(const family_question *q, expr var, dag_rewriter *r);
/* An expression of variables of f, rewritten: it is itself where they are not replaced. e 0: f, which is
 * not written out. */
expr family_rewrite(const family_question *q, expr e, dag_rewriter *r);
bool family_keeps(const family_question *q, const dag_rewriter *r); // ... and is it for all?

#endif
