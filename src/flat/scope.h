/* The contract between the evaluator (value, eval, function) and instantiation (everything else in
 * this folder): what a name means where it is used.
 *
 * Flattening is symbolic evaluation. A `scope` is the place where an expression stands: the class
 * whose text it is, the component whose body it belongs to, iterators and function locals. The
 * evaluator turns syntax into values and asks here for every name it does not find among
 * `scope.names`; instantiation asks the evaluator for sizes, conditions, bindings and both sides of
 * equations.
 *
 * Who does what:
 *
 *   the evaluator     eval_* below: syntax to value; looks through scope.names first; owns operators,
 *                     built-in functions, functions, subscripts of values
 *   instantiation     scope_* and inst_* below: names, classes, components, constants of packages
 *
 * Failure is `false` after one diagnostic has been written to b->diags; callers pass it on
 * silently.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_SCOPE_H
#define FLAT_SCOPE_H

#include "flat/flat.h"
#include "flat/value.h"
#include "lang/library.h"

typedef struct inst_class inst_class; // a class with the place it is seen from and what modifies it
typedef struct inst_node inst_node;   // a component of the instance tree; arrays share one node

/* Limits that keep hostile input from hanging or exhausting the machine; each has a diagnostic. */
enum {
    FLAT_MAX_DEPTH = 256,         // nested classes, components, calls and evaluations
    FLAT_MAX_ELEMENTS = 10000000, // scalars of one array, and variables of a model
    FLAT_MAX_NODES = 2000000,     // components, arrays counted once
    FLAT_MAX_WORK = 20000000      // loop iterations, and statements of functions fourfold, in all
};

/* One flattening. */
typedef struct flat_builder {
    lang_library *lib;
    flat_model *m;
    expr_pool *pool; // m->pool
    arena *model;    // what stays
    arena *front;    // what is dropped after flattening: class instances, nodes, values
    arena *scratch;  // released by whoever marks it
    diag_sink *diags;
    /* For operations on values. env.a is given back after every equation: a value that is kept is
     * made while env.a is b->front (set it, evaluate, set it back). */
    value_env env;
    struct inst *inst;              // private to instantiation
    struct lagrange_call *lagrange; // calls of Vincolo.lagrange, in order (lagrange.c)
    struct functions *functions;    // private to function.c; made when NULL
    int depth;                      // raise and lower around recursion, against FLAT_MAX_DEPTH
    int nesting;                    // expressions under evaluation, one inside the other (eval.h)
    int64_t work;                   // counts up against FLAT_MAX_WORK
} flat_builder;

/* A name bound by a for-clause, comprehension or function body. Innermost first. */
typedef struct scope_name {
    sym name;
    const value *value;
    const struct scope_name *next;
} scope_name;

/* How parameters are read. */
typedef enum scope_mode {
    SCOPE_SYMBOLIC,  // as variables (VAR nodes); constants are always replaced by their values
    SCOPE_STRUCTURAL // the value is needed now, for a size or a condition: parameters are replaced
                     // by their values and marked FLAT_STRUCTURAL; other variables stay VAR nodes,
                     // and the caller complains if the result is not a literal
} scope_mode;

typedef struct scope {
    flat_builder *b;
    inst_class *cls;         // the class whose text it is: lookup starts here
    inst_node *self;         // the component whose body it belongs to
    int element;             // which element of self, when self is in an array (row-major, from 0)
    const scope_name *names; // iterators and locals
    int end;                 // what `end` means; -1 outside subscripts
    uint8_t mode;            // scope_mode
    bool in_function;        // no der, pre, when ...; variables of self are not visible
} scope;

/* ---- what the evaluator offers (eval.c) ------------------------------------------------------ */

/* The value of an expression. */
bool eval_expr(const scope *s, const ast_expr *e, value *out);
/* The same with parameters replaced, for sizes, conditions and ranges. */
bool eval_structural(const scope *s, const ast_expr *e, value *out);
/* A literal Integer or Boolean is needed; `what` names the purpose in the message, such as "the
 * size of 'x'". */
bool eval_integer(const scope *s, const ast_expr *e, const char *what, int64_t *out);
bool eval_boolean(const scope *s, const ast_expr *e, const char *what, bool *out);

/* A call with all its outputs, as the right side of (a, b) = f(x): a VALUE_TUPLE unless the
 * function has exactly one. Only for AST_CALL. */
bool eval_outputs(const scope *s, const ast_expr *e, value *out);
/* The vector that an iterator runs through. Without a range it is deduced from the subscripts the
 * iterator is used in, in the expression or in the statements (either may be NULL). */
bool eval_iterator(const scope *s, const ast_iterator *it, const ast_expr *in,
                   const ast_stmts *body, value *out);

/* One subscript for a dimension of the given size (Boolean and enumeration subscripts included);
 * `what` is the array's name for messages. s->end is set inside. */
bool eval_subscript(const scope *s, const ast_expr *e, int size, const char *what, subscript *out);

/* ---- what instantiation offers --------------------------------------------------------------- */

/* The value of a component reference that does not begin with a name in s->names: variable,
 * parameter, constant of a package, enumeration literal, `time`; whole arrays, slices and records
 * too. The name of an enumeration type, or Boolean, stands for the vector of its values. A name
 * that cannot be found is reported with the nearest one. */
bool scope_ref(const scope *s, const ast_ref *r, value *out);

/* The size of dimension `dim` (from 0) of such a reference without evaluating it is
 * value.dims after scope_ref: references are cheap and sizes never need values. */

typedef enum callee_kind {
    CALLEE_NONE,     // not found: nothing was reported yet (try the built-in functions first)
    CALLEE_FUNCTION, // cls: a function
    CALLEE_RECORD,   // cls: a record used as constructor
    CALLEE_ENUM,     // enum_id: conversion from Integer
    CALLEE_TYPE,     // a predefined type or an alias of one (Integer(e), String(x) ...): type
    CALLEE_EXTERNAL, // cls: an external object's constructor
    CALLEE_ERROR     // found but not callable; reported
} callee_kind;

typedef struct callee {
    callee_kind kind;
    inst_class *cls;
    int enum_id;
    expr_type type;
} callee;

/* Names are looked up in classes before they are taken for built-in functions, so that
 * Modelica.Math.sin inside Modelica.Math is found. Cached: cheap for repeated evaluation. */
callee scope_callee(const scope *s, const ast_ref *r);
/* Report that no such function exists, with the nearest name. */
void scope_no_callee(const scope *s, const ast_ref *r);

/* The type behind a declaration. */
typedef struct inst_type {
    enum {
        INST_PREDEFINED, // Real, Integer, Boolean, String, enumeration: type, enum_id
        INST_RECORD,     // fields: inst_components(cls)
        INST_FUNCTION,   // a function as argument
        INST_EXTERNAL,   // external object
        INST_OTHER       // model, block, connector ...: no value
    } kind;
    expr_type type;
    int enum_id;
    inst_class *cls;
} inst_type;

/* A component of a function or record: inherited ones first come where they are inherited. Sizes
 * are not evaluated: those of a function depend on its arguments. */
typedef struct inst_component {
    sym name;
    const ast_component *decl;
    inst_type type;
    inst_class *modified; // of a record: its class with the modifications of this component applied
                          // (R r(a = 1)); NULL: there are none
    scope at;             // where dims stand; names is NULL
    const ast_exprs
        *dims[4];     // the sizes: of the declaration, then of type aliases from outside in;
    scope dims_at[4]; // where each list stands
    int n_dims_lists;
    const ast_expr *binding; // default or declaration assignment, modifications applied; NULL: none
    scope binding_at;        // where the binding stands
    uint8_t causality;       // ast_causality
    uint8_t variability;     // ast_variability
    bool is_protected, is_final;
} inst_component;

typedef struct inst_components {
    const inst_component *at;
    int n;
} inst_components;

/* Of a function or a record; computed once. n == -1 after an error. */
inst_components inst_components_of(flat_builder *b, inst_class *cls);

/* The algorithm sections of a function, base classes first, each with the scope of its text. */
typedef struct inst_section {
    const ast_section *section;
    scope at;
} inst_section;
int inst_sections_of(flat_builder *b, inst_class *cls, const inst_section **at);

/* The class of the text itself (annotations, comment, flags) and, for a function, its external
 * clause, found through short classes and base classes. */
const ast_class *inst_ast(const inst_class *cls);
const ast_external *inst_external(flat_builder *b, inst_class *cls, scope *at);
/* annotation(name = ...) of the class or the classes it is a short form of; the expression, its
 * modification (derivative(order = 2) = f) and where it stands; false if there is none. The n-th
 * occurrence, from 0. */
bool inst_annotation(flat_builder *b, inst_class *cls, const char *name, int n, const ast_mod **mod,
                     scope *at);
/* The full name: Modelica.Math.Vectors.norm. */
sym inst_name(flat_builder *b, const inst_class *cls);
/* A class by reference from a scope (for derivative = f and function arguments); NULL after a
 * diagnostic. */
inst_class *scope_class(const scope *s, const ast_ref *r);

/* The path of s->self with the element's subscripts, such as "circuit.r[3]"; "" at the top. */
sym scope_instance(const scope *s);

/* Operators on connectors: cardinality(c), inStream(c.h), actualStream(c.h), Connections.isRoot(f).
 * They are resolved after all connections are known. */
bool scope_connector_call(const scope *s, const ast_call *call, span at, value *out);

#endif
