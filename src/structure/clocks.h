/* The stages of clock partitioning and what they pass on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_CLOCKS_H
#define STRUCTURE_CLOCKS_H

#include "structure/internal.h"

/* How the clock of node `to` follows from that of node `from`. */
typedef struct clock_edge {
    int from, to;
    uint8_t op;   // EXPR_SUBSAMPLE ...; EXPR_CLOCK: the same clock
    int64_t a, b; // factor, 0: inferred; counter and resolution
    span at;
} clock_edge;

typedef struct clock_given { // Clock(...) at a node
    int node;
    expr clock;
    span at;
} clock_given;

typedef struct clock_solver {
    int node;
    sym name;
    span at;
} clock_solver;

typedef struct clock_mark { // what makes a node clocked, or unclocked
    int node;
    span at;
    const char *what;
} clock_mark;

typedef struct clock_named { // a hidden variable that is an argument of subSample() and the like
    int var;
    expr value;
} clock_named;

typedef struct clock_state { // der(var) in a clocked partition
    int var, der;
    bool given; // by an equation: it is not integrated
    int first; // initial equation that gives its value at the first tick, + 1; 0: the start value does
} clock_state;

/* Nodes are variables, equations and clocks as they are written; those of one sub-partition are one
 * set. Node 0 is continuous time. */
typedef struct clock_parts {
    analysis *w;
    int_array up;     // sets of nodes
    int_array of_var; // by flat variable: node + 1
    int_array of_eq;  // by equation of the flat model: its node
    int_array of_act; // by action
    ARRAY(clock_edge) edges;
    ARRAY(clock_given) given;
    ARRAY(clock_solver) solvers;
    ARRAY(clock_mark) clocked, unclocked;
    ARRAY(clock_mark) delays;     // delay() and spatialDistribution(), wherever they stand
    map named;                    // an argument that is no variable: its hidden variable + 1
    ARRAY(clock_named) arguments; // ... as a list
    int n_hidden;
    int *sub_of;       // by root: sub-partition + 1
    int_array root_of; // by sub-partition: its root
    sym *method;       // by sub-partition: of its solver, NULL: none
    ARRAY(clock_state) states;
    structure_equations initial; // of the first tick; block: the sub-partition
} clock_parts;

/* A hidden variable: $ and a letter and a number. */
int clock_hidden(clock_parts *x, char kind, expr_type type, int enum_id, span at);
int clock_set_sub(clock_parts *x, int var, int sub); // the variable belongs to it; var
void clock_add(clock_parts *x, expr lhs, expr rhs, int sub, span at);
expr clock_var(clock_parts *x, int v);
/* The variables that tell the equations of a sub-partition of its ticks. */
expr clock_interval(clock_parts *x, int sub);
expr clock_first(clock_parts *x, int sub);

/* The variable that is der(v), order times, in a clocked partition. */
expr clock_derivative(clock_parts *x, int sub, int v, int order);

/* Intervals and shifts of all sub-partitions, and the clocks they follow (clock_rates.c). */
bool clock_rates(clock_parts *x);
/* Constraints between states of a sub-partition: differentiated, and some states given by them
 * (clock_index.c). */
bool clock_reduce(clock_parts *x, int sub);
/* Differential equations in clocked partitions (clock_solver.c). */
bool clock_discretize(clock_parts *x);

#endif
