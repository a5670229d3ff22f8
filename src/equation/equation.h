/* Writing equations, statements and drawings of the flat model from the instance tree.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EQUATION_EQUATION_H
#define EQUATION_EQUATION_H

#include "inst/tree.h"

bool equation_write(flat_builder *b);       // all equations and algorithms of the tree
bool equation_drawings(flat_builder *b);    // annotations __Vincolo(draw = ...) (drawing.c)
void equation_visualisers(flat_builder *b); // of the standard library (visualiser.c)
bool equation_invariants(flat_builder *b);  // __Vincolo(invariant = ...) (invariant.c)

/* ---- inside, and for connections ------------------------------------------------------------- */

/* A loop under way. */
typedef struct equation_level {
    struct equation_level *up;
    int depth;
    bool integer; // it runs through Integers: `now` is the present one
    bool bound;   // v is the present one, too
    int64_t now;
    value v;
    scope_name link; // its name for the evaluator, with v
} equation_level;

/* The classes that a component has inherited so far, and where the equations of each begin. */
typedef struct inherited_part {
    const ast_class *of;
    int first;
} inherited_part;
typedef ARRAY(inherited_part) inherited_parts;

typedef struct equation_writer {
    flat_builder *b;
    arena *to;                 // where the list of equations grows
    flat_equations *equations; // where equations go
    flat_statements *whens, *asserts;
    expr guard;   // condition under which assertions count; 0: always
    int clock;    // inside a when-clause of this clock, + 1; 0: in none
    bool dynamic; // inside a branch that is chosen during the simulation
    bool initial;
    bool many;             // the component is one of an array: equations are written for each
    equation_level *level; // the innermost loop; NULL: none
    sym instance;
    inherited_parts *parts;     // of the component at hand
    struct equation_list *body; // the list of statements a loop writes to
} equation_writer;

typedef bool equation_body_fn(equation_writer *em, const scope *s, const ast_stmts *body);

bool equation_for(equation_writer *em, const scope *s, const ast_stmt *st, equation_body_fn *body);
int equation_condition(equation_writer *em, const scope *s, const ast_expr *e, expr *c);

/* ---- scalar equations that are written many times (loop_plan.c) ------------------------------------ */

/* Give iterators the values that the evaluator sees; to be called before it is asked in a loop. */
void equation_bind(const equation_writer *em);
/* A member of a run of the flat model; run -1: none. */
typedef struct plan_member_of {
    int run, member;
} plan_member_of;
/* The sides of an equation, in a loop or an array of components, or what member it is; false after a
 * message. */
bool equation_planned(equation_writer *em, const scope *s, const ast_stmt *st, value *l, value *r,
                      plan_member_of *of);
/* The component that a reference names in a loop, all of whose subscripts are Integers that are known; false: ask
 * the evaluator. *kept is the same for all iterations: what its user knows of such components. */
typedef struct plan_end {
    const inst_node *node; // NULL: nothing yet
    int side;
} plan_end;
bool equation_named(equation_writer *em, const scope *s, const ast_expr *ref, inst_node **node,
                    int *element, plan_end **kept);
/* Whether a condition holds that depends on Integers that are known; false: ask the evaluator. */
bool equation_tested(equation_writer *em, const scope *s, const ast_expr *test, bool *holds);

/* ---- statements (statements.c, assign.c) ----------------------------------------------------- */

/* A list of statements under construction. */
typedef struct equation_list {
    equation_writer *em;
    flat_statements *out;
    bool in_when, equations;
    int broken; // variable that is true once the loop was left by break; -1: no loop that may be
} equation_list;

/* Assertions that the subscripts noted in a list are in range; they come before what was written to
 * `out` from place `at` on. */
void equation_checks(equation_writer *em, const scope_checks *list, flat_statements *out, int at);
void equation_push(equation_writer *em, flat_statements *out, flat_statement st);
/* What the call on the right of (a, b) = f(x) gives: as many outputs as the left names, or more. */
bool equation_outputs(const scope *s, const ast_stmt *st, value *v);
bool equation_assignment(equation_list *d, const scope *s, const ast_stmt *st);
/* vars[i] := values[i], all at once. */
void equation_assign(equation_list *d, const int *vars, const expr *values, int n, span at);
/* A variable to hold a value between two statements. */
int equation_auxiliary(equation_writer *em, const flat_var *like, span at);

bool equation_algorithm(equation_writer *em, const scope *s, const ast_section *section);
bool equation_when(equation_writer *em, const scope *s, const ast_stmt *st, flat_statements *out,
                   bool equations);
/* assert, terminate, reinit and calls for their effect. */
bool equation_call(equation_writer *em, const scope *s, const ast_stmt *st, flat_statements *out,
                   bool in_when);

/* ---- state machines (machines.c) ------------------------------------------------------------- */

bool machine_is_call(const ast_call *c); // transition(...), initialState(...)
bool machine_collect(equation_writer *em, const scope *s, const ast_stmt *st);
bool machine_active(const scope *s, const ast_call *c, span at, value *out);
/* Clocked equations in place of the machines, once those of connections are known. */
bool machine_write(flat_builder *b);

/* ---- mechanics by energies (lagrange.c) ------------------------------------------------------ */

bool lagrange_is_call(const ast_call *c);
/* Evaluate the arguments of a call and keep them. */
bool lagrange_collect(equation_writer *em, const scope *s, const ast_stmt *st);
/* Write the equations of all calls, once those of the model and of its connections are known. */
bool lagrange_write(flat_builder *b);

#endif
