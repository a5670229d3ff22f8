/* Writing equations and statements of the flat model. Private to flat.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_EMIT_H
#define FLAT_EMIT_H

#include "flat/inst.h"

typedef struct emitter {
    flat_builder *b;
    arena *to;                 // where the list of equations grows
    flat_equations *equations; // where equations go
    flat_statements *whens, *asserts;
    expr guard;   // condition under which assertions count; 0: always
    bool dynamic; // inside a branch that is chosen during the simulation
    bool initial;
    sym instance;
    struct emit_list *body; // the list of statements a loop writes to
} emitter;

typedef bool emit_body(emitter *em, const scope *s, const ast_stmts *body);

bool emit_equations(emitter *em, const scope *s, const ast_stmts *body);
bool emit_for(emitter *em, const scope *s, const ast_stmt *st, emit_body *body);
int emit_condition(emitter *em, const scope *s, const ast_expr *e, expr *c);

/* ---- statements (statements.c, assign.c) ----------------------------------------------------- */

/* A list of statements under construction. */
typedef struct emit_list {
    emitter *em;
    flat_statements *out;
    bool in_when, equations;
    int broken; // variable that is true once the loop was left by break; -1: no loop that may be
} emit_list;

void emit_push(emitter *em, flat_statements *out, flat_statement st);
bool emit_assignment(emit_list *d, const scope *s, const ast_stmt *st);
/* A variable to hold a value between two statements. */
int emit_auxiliary(emitter *em, const flat_var *like, span at);

bool emit_algorithm(emitter *em, const scope *s, const ast_section *section);
bool emit_when(emitter *em, const scope *s, const ast_stmt *st, flat_statements *out,
               bool equations);
/* assert, terminate, reinit and calls for their effect. */
bool emit_call(emitter *em, const scope *s, const ast_stmt *st, flat_statements *out, bool in_when);

/* ---- mechanics by energies (lagrange.c) ------------------------------------------------------ */

bool lagrange_is_call(const ast_call *c);
/* Evaluate the arguments of a call and keep them. */
bool lagrange_collect(emitter *em, const scope *s, const ast_stmt *st);
/* Write the equations of all calls, once those of the model are known. */
bool lagrange_write(flat_builder *b);

#endif
