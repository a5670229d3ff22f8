/* Walks over expressions that structural analysis makes a million times: which variables an
 * equation has, how it depends on some of them, solving it for one, rewriting many equations in one
 * sweep.
 *
 * A dag holds marks for the nodes of a pool, so that a walk costs the size of what it visits. All
 * walks use an explicit stack.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_DAG_H
#define STRUCTURE_DAG_H

#include "base/map.h"
#include "expr/expr.h"

typedef struct dag {
    expr_pool *p;
    arena *a;       // marks and stacks
    uint16_t *mark; // by node: epoch of the last visit; cleared when the epochs are used up
    uint8_t *kind;  // by node: answer of the present walk
    int cap;
    uint16_t epoch;
    int_array stack, order;
    int_array args; // scratch for arguments while a node is rebuilt
    bool needed;    // of arguments of functions, walks visit only those that results depend on
} dag;

/* Of each argument of a CALL: does the result depend on it? NULL: of another node, or on all. */
const bool *dag_call_uses(const expr_pool *p, expr e);

void dag_init(dag *d, expr_pool *p, arena *a);

/* Append the VAR nodes that e reaches, each once, in order of first visit. Nothing below pre(),
 * previous() and hold() counts: it is a value of the past. */
void dag_vars(dag *d, expr e, int_array *out);
/* ... and those of a further e that have not been reached since. */
void dag_more_vars(dag *d, expr e, int_array *out);

/* How an expression depends on variables that a function classifies. */
typedef enum dag_degree {
    DAG_CONSTANT,        // literals and parameters only
    DAG_FREE,            // depends on known quantities (states, time, discrete values)
    DAG_LINEAR_CONSTANT, // affine in the unknowns, coefficients constant
    DAG_LINEAR,          // affine in the unknowns
    DAG_NONLINEAR
} dag_degree;
typedef dag_degree dag_classify(void *user,
                                expr var); // of a VAR node: CONSTANT, FREE or LINEAR_CONSTANT
dag_degree dag_degree_of(dag *d, expr e, dag_classify *classify, void *user);

/* The solution of f = 0 for var by undoing logarithms, and sums, products with and quotients by what is
 * free of var; 0 when f is not affine in var or in such a logarithm, as far as can be seen. *guard: product of the divisors, 0
 * when there is none. */
expr dag_solve(dag *d, expr f, expr var, expr *guard);

/* Terms of a sum with coefficients +-1 of VAR nodes: fills up to max terms of e = sum sign*var and
 * returns their number; -1 when e is anything else or longer. */
typedef struct dag_term {
    expr var;
    int sign;
} dag_term;
int dag_signed_sum(const expr_pool *p, expr e, dag_term *terms, int max);

/* ---- rewriting ------------------------------------------------------------------------------- */

/* before: a replacement for a node that has not been entered, or 0 to go on with its arguments.
 * after: told of a node whose arguments were rewritten; gives the node that takes its place. Either
 * may be NULL. Results are remembered by node for the life of the rewriter. */
typedef struct dag_rewriter {
    dag *d;
    void *user;
    expr (*before)(void *user, expr e);
    expr (*after)(void *user, expr old, expr rebuilt);
    expr *memo;
    int cap;
    map few;       // of many rewriters that meet few nodes each: by node, place in `met` + 1
    int_array met; // ... what became of it; few.a NULL: memo
    /* Where variables are what is set, their numbers, -1: none, and by these what became of them: most
     * nodes are then never looked at, and have no place in the memo. NULL: they are like other nodes. */
    int (*number)(const void *user, expr e);
    expr *numbered;
    bool changes;    // something was set
    int_array stack; // its own: rewriters may be nested
} dag_rewriter;

void dag_rewriter_init(dag_rewriter *r, dag *d, void *user);
/* One of many, each of which meets few nodes: its memory is not that of the pool. */
void dag_rewriter_init_few(dag_rewriter *r, dag *d, void *user);
void dag_rewriter_done(dag_rewriter *r); // forgets what it did, and gives back the memory
/* Are these VAR nodes left as they are? Only of a rewriter that replaces nothing but what was set. */
bool dag_rewriter_keeps(const dag_rewriter *r, const expr *vars, int n);
void dag_rewriter_set(dag_rewriter *r, expr from, expr to);
expr dag_rewrite(dag_rewriter *r, expr e);

#endif
