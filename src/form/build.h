/* For those who write formulations: building a form_system.
 *
 * A formulation puts entries in y, hands the equations that determine the others to form_solve,
 * which sorts them, tears their loops and turns what can be solved into assignments, and adds
 * further rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORM_BUILD_H
#define FORM_BUILD_H

#include "form/form.h"
#include "structure/dag.h"

typedef struct form_builder {
    form_system *f;
    structure *s;
    arena *a, *scratch;
    diag_sink *sink;
    dag d;
    int_array vars;      // scratch of one look at an expression
    dag_rewriter subst;  // replaces assigned entries by their values
    char *bound;         // by entry in y: its derivative is tied to y' through a group only
    dag_rewriter solved; // replaces all that is not a state: for the explicit right-hand side
    char *unwritten; // by entry: solved for, but not written out and not in `solved`; NULL: none is
    int n_unwritten;
    const expr *instead; // by equation: taken for its last derivative; NULL, 0: nothing
    bool keep;           // equations of motion stay rows: accelerations and multipliers stay in y
    int define;          // ... but so many constraints are solved for accelerations without inertia
    bool quiet;          // a model that is not mechanical is no mistake
    bool implicit;       // something is simultaneous: there is none
    bool dense;          // small enough to substitute without regard to fill
    const int *level;    // by entry, where equations are kept as written; NULL: all 0
    int *position;       // by unknown: which of its block, for the block that select.c looks at
} form_builder;

/* An equation, differentiated `derivative` times, and the entry it is matched to. */
typedef struct form_instance {
    int equation, derivative, entry;
} form_instance;

void form_begin(form_builder *b, form_system *f, arena *scratch, diag_sink *sink);

/* Put an entry in y; its component. */
int form_put(form_builder *b, int entry, bool differential, int level);
/* A component of y that no entry stands for: the multiplier of that number, from 0, that a formulation
 * adds. */
int form_put_multiplier(form_builder *b, const char *formulation, int number, int level);
/* The entry is the derivative of component at: it lives in y'. */
void form_put_derivative(form_builder *b, int entry, int at);
/* Add a row f = 0; assigned entries are replaced. Its number. */
int form_row_add(form_builder *b, expr f, image_row_kind kind, int equation, int derivative,
                 int level);

/* ... that has none of them. */
int form_row_put(form_builder *b, expr f, image_row_kind kind, int equation, int derivative,
                 int level);

expr form_yp(const form_builder *b, int component); // the VAR node of y'[component]
expr form_y(const form_builder *b, int component);  // of y[component] that no entry stands for
expr form_w(const form_builder *b, int at);         // of w[at]

/* Place the entries of the instances: assigned where an equation can be solved for them safely, in
 * y with a row otherwise. Entries whose lower derivative is in y as a differential unknown live in
 * y' and cost nothing. */
void form_solve(form_builder *b, const form_instance *list, int n);

/* By unknown: the equation, differentiated at most so often, that gives it explicitly, or -1; not of
 * unknowns with derivatives above those that form_define will give. Sets b->dense where few unknowns
 * are left. For systems that keep the equations as written. */
int *form_definitions(form_builder *b, int most, int orders);
/* Place these unknowns and their derivatives up to an order by those of their equations, once all
 * others are in y. By equation: it has been spent on that. */
const char *form_define(form_builder *b, const int *by, int orders);

/* The explicit right-hand side, once all is placed, where there is one. */
void form_make_rhs(form_builder *b);

/* All derivatives but the highest in y, the equations differentiated as often as they must be. */
void form_reduced(form_builder *b);

/* By entry: how far the unknown is from being determined by a differential equation, for weights. */
int *form_levels(form_builder *b);

/* form_reduced with the mechanical view, or a message that names the equation that prevents it. */
int form_mechanical_build(form_system *f, const char *options, arena *scratch, diag_sink *sink);
/* `dummy` with the derivatives that belong to the start alone, as algebraic unknowns. */
extern const form_kind form_beyond;
/* Dummy derivatives; coordinates: every choice is made while running, among the components. */
int form_dummy_build(form_system *f, arena *scratch, diag_sink *sink, bool coordinates);

/* Parameters of the formulation, "name=value,...": numbers or texts. */
typedef struct form_option {
    const char *name;
    double *number;
    const char **text; // instead of a number
    bool given;
} form_option;
bool form_options(form_builder *b, const char *rest, form_option *list, int n);
/* For formulations that drift: `project=1` is their only parameter. */
bool form_projected(form_builder *b, const char *options);

/* Is a division by e safe? Literals and parameters that are not 0 now are. */
bool form_safe_divisor(form_builder *b, expr e);
/* The value of e where it is a number or depends on parameters alone. */
bool form_settled(form_builder *b, expr e, double *x);

/* ---- state selection (select.c) -------------------------------------------------------------- */

/* Undecided equations of one level and the unknowns among which they decide, in groups that have
 * nothing to do with each other. */
typedef struct form_grouping {
    int n;
    int *row, *col; // by position in the block: number of the group, or -1
} form_grouping;

/* How the constraints of one block are resolved. Equations and unknowns by position in the block's
 * lists: pair[k - 1][i] is the unknown whose entry x^(d - k) equation i, differentiated c - k
 * times, determines; -1: chosen while running, or c < k. */
typedef struct form_selection {
    int **pair;            // NULL: no constraints
    form_grouping *groups; // by level
    bool dynamic;          // some equation determines nothing beforehand
} form_selection;

void form_select_static(form_builder *b, int block, form_selection *out);
void form_select_none(form_builder *b, int block, form_selection *out); // all while running

#endif
