/* Connections: sets of connected variables and their equations, overconstrained connections,
 * streams.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CONNECT_CONNECT_H
#define CONNECT_CONNECT_H

#include "equation/equation.h"

bool connect_expand(flat_builder *b);  // expandable connectors get their elements; before numbers
bool connect_collect(flat_builder *b); // all connect clauses; before equations are written
bool connect_write(flat_builder *b);   // the equations of connection sets; after all others
/* Operators on connectors: a verb of a scope. */
bool connect_call(const scope *s, const ast_call *call, span at, value *out);

/* ---- inside ---------------------------------------------------------------------------------- */

enum { CONNECT_INSIDE = 0, CONNECT_OUTSIDE = 1 };

/* One end of a connection: an element of a connector or of a part of it. */
typedef struct connect_end {
    inst_node *n;
    int e;
    int side;
} connect_end;

/* Sets over the pairs (variable, side), numbered 2*variable + side. */
typedef struct connections {
    int *up;    // -1: not connected
    span *at;   // the clause that joined it, by root
    sym *where; // the component the clause stands in
    int *next;  // after connect_link: next member of the set, -1 at the end
    int *last;  // of a root: its last member
    int n;      // 2 * number of variables
    int n_sets;
    uint8_t *causality; // of a variable of a connector: ast_causality
    int *flow_of;       // of a stream variable: its flow, plus one (stream.c); NULL until asked
    bool failed;
    map prefixes; // of references, while buses grow (expand.c)
    bool changed; // one of them has
    bool (*clause)(equation_writer *em, const scope *s, const ast_stmt *st); // what is done with it
} connections;

int connect_find(connections *c, int i);
/* A connection with something that is not there is none: subscripts of its other end may lead beyond
 * what is there in that case. */
bool connect_is_void(const scope *s, const ast_ref *l, const ast_ref *r);
/* Join all variables of two connectors or parts. */
bool connect_leaves(flat_builder *b, connect_end x, connect_end y, const ast_stmt *st, sym where);

/* ---- overconstrained connections (graph_roots.c) --------------------------------------------- */

/* Of a record or type with a function equalityConstraint: how many elements of n are one of it; 0:
 * it is no such type. */
int connect_overdetermined(flat_builder *b, const inst_node *n);
void connect_edge(flat_builder *b, connect_end x, connect_end y, const ast_stmt *st, sym where);
bool connect_statement(equation_writer *em, const scope *s, const ast_stmt *st);
bool connect_trees(flat_builder *b);      // after all clauses: joins what is kept
bool connect_broken(equation_writer *em); // equations of what is not
bool connect_root_call(const scope *s, const ast_call *c, bool rooted, value *out);

/* ---- expandable connectors (expand.c) -------------------------------------------------------- */

bool connect_expand_clause(equation_writer *em, const scope *s, const ast_stmt *st);
void connect_check_buses(flat_builder *b);
void connect_signals(flat_builder *b); // when the sets are known

/* ---- stream connectors (stream.c) ------------------------------------------------------------ */

bool connect_stream_call(const scope *s, const ast_call *c, bool actual, span at, value *out);
/* The equations of stream variables in a set, given by its root. */
void connect_stream_set(flat_builder *b, connections *c, int root);

#endif
