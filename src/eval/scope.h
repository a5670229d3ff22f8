/* A place where an expression stands, and what a name means there.
 *
 * Flattening is symbolic evaluation. A `scope` is the place where an expression stands: the class
 * whose text it is, the component whose body it belongs to, iterators and function locals. The
 * evaluator turns syntax into values (eval/eval.h). A name that it does not find among
 * `scope.names` it asks for by a verb of the scope: classes and components are known to inst/,
 * functions to function/ and connections to connect/, which all stand above it and use it.
 * flatten/ puts the verbs together.
 *
 * Failure is `false` after one diagnostic has been written to b->diags; callers pass it on
 * silently.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVAL_SCOPE_H
#define EVAL_SCOPE_H

#include "flat/flat.h"
#include "lang/library.h"
#include "value/value.h"

typedef struct inst_class inst_class; // a class with the place it is seen from and what modifies it
typedef struct inst_node inst_node;   // a component of the instance tree; arrays share one node
typedef struct inst_element inst_element; // a component or class by its name in one class

/* Limits that keep hostile input from hanging or exhausting the machine; each has a diagnostic. */
enum {
    FLAT_MAX_DEPTH = 256,         // nested classes, components, calls and evaluations
    FLAT_MAX_ELEMENTS = 20000000, // scalars of one array, and variables of a model
    FLAT_MAX_NODES = 2000000,     // components, arrays counted once
    FLAT_MAX_WORK =
        20000000 // loop iterations, statements of functions fourfold, and what is deep more, in all
};

/* What is known only during the run and must hold then: a subscript is one of 1 ... size, or what a function
 * asserts is true. */
typedef struct scope_check {
    expr guard;        // where it counts; 0: always
    expr sub;          // the subscript, or the condition
    const char *array; // as it is written; NULL: a condition
    int size;
    expr message; // of a condition
    bool warning; // it is said, and the run goes on
    span at;
    expr call; // of a function, whose body demands it; 0: there is none
} scope_check;
typedef ARRAY(scope_check) scope_checks;

enum { ELEMENT_SUBSCRIPTS = 16 }; // of scope_verbs.element, at most

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
    map by_name; // of the name of a variable: its index + 1; see inst_named_var
    int n_named; // variables that have been entered there
    const struct scope_verbs *verbs;
    struct inst *inst;               // private to inst/
    struct functions *functions;     // private to function/; made when NULL
    struct rules *rules;             // private to rules/; made when NULL
    struct lagrange_call *lagrange;  // calls of Vincolo.lagrange, in order (equation/lagrange.c)
    struct machines *machines;       // private to equation/machines.c; NULL: none
    map *plans;                      // private to equation/loop_plan.c; NULL: none
    struct connections *connections; // private to connect/
    struct connect_graph *graph;     // overconstrained connections; NULL: none
    int depth;                       // raise and lower around recursion, against FLAT_MAX_DEPTH
    int nesting;                     // expressions under evaluation, one inside the other (eval.h)
    int64_t work;                    // counts up against FLAT_MAX_WORK
    bool open_texts;                 // comparisons of texts stay: they decide nothing here
    expr guard;                      // what is evaluated counts where this holds; 0: always
    bool particular;                 // what was evaluated is said of one component alone
    int connecting;                  // ends of connections are looked up: they may have conditions
    /* The body of a function is written for any arguments of certain sizes: a subscript that is wrong for
     * those is, too, where the call is made, and maybe it never is. */
    bool in_body;
    /* Where checks go: to the statement or function under work, which knows when they count; NULL:
     * nowhere. */
    scope_checks *checks;
    scope_checks of_bindings; // of variables and parameters
} flat_builder;

/* A name bound by a for-clause, comprehension or function body. Innermost first. */
typedef struct scope_name {
    sym name;
    const value *value;
    const struct scope_name *next;
    bool *own; // cleared where the value is read whole, and its elements shared; NULL: nobody asks
} scope_name;

/* How parameters are read. */
typedef enum scope_mode {
    SCOPE_SYMBOLIC,  // as variables (VAR nodes); constants are always replaced by their values
    SCOPE_STRUCTURAL // the value is needed now, for a size or a condition: parameters are replaced
                     // by their values and marked FLAT_STRUCTURAL; other variables stay VAR nodes,
                     // and the caller complains if the result is not a literal
} scope_mode;

/* The value that an expression has already: of a reduction, what a loop before the statement found. */
typedef struct scope_known {
    const ast_expr *e;
    value v;
    const struct scope_known *next;
} scope_known;

typedef struct scope {
    flat_builder *b;
    inst_class *cls;         // the class whose text it is: lookup starts here
    inst_node *self;         // the component whose body it belongs to
    int element;             // which element of self, when self is in an array (row-major, from 0)
    const scope_name *names; // iterators and locals
    const scope_known *known;
    int end;          // what `end` means; -1 outside subscripts
    uint8_t mode;     // scope_mode
    bool in_function; // no der, pre, when ...; variables of self are not visible
} scope;

/* ---- what a name means ----------------------------------------------------------------------- */

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

typedef struct scope_verbs {
    /* The value of a component reference that does not begin with a name in s->names: variable,
     * parameter, constant of a package, enumeration literal, `time`; whole arrays, slices and
     * records too. The name of an enumeration type, or Boolean, stands for the vector of its
     * values. A name that cannot be found is reported with the nearest one. References are cheap:
     * the sizes of one are the dims of its value. */
    bool (*ref)(const scope *s, const ast_ref *r, value *out);
    /* The same for one variable whose subscripts are these Integers, one for each dimension of each
     * part. *way, NULL at first, is kept between calls for one reference. False: ref knows. */
    bool (*element)(const scope *s, const ast_ref *r, void **way, const int64_t *subs, value *out);
    /* The subscripts of dimension k of an array that is declared with Boolean or an enumeration as
     * its size, such as Real x[Boolean]: all values of that type. False: they are Integer. */
    bool (*index_values)(const scope *s, const ast_ref *r, int k, value *out);
    /* Names are looked up in classes before they are taken for built-in functions, so that
     * Modelica.Math.sin inside Modelica.Math is found. Cached: cheap for repeated evaluation. */
    callee (*callee)(const scope *s, const ast_ref *r);
    /* Report that no such function exists, with the nearest name. */
    void (*no_callee)(const scope *s, const ast_ref *r);
    /* The path of s->self with the element's subscripts, such as "circuit.r[3]"; "" at the top. */
    sym (*instance)(const scope *s);

    value (*call)(const scope *s, inst_class *cls, const ast_call *c, span at);
    value (*construct)(const scope *s, inst_class *cls, const ast_call *c,
                       span at); // a record, an object
    /* A function that is the value of a variable or argument. */
    value (*call_value)(const scope *s, const value *f, const ast_call *c, span at);
    value (*partial)(const scope *s, const ast_expr *e); // function f(a = 1)
    /* Operators of records; b is NULL for unary ones. */
    value (*overload)(const scope *s, ast_op op, const value *a, const value *b, span at);
    value (*sum)(const scope *s, const value *v, span at); // of an array of records
    value (*overload_string)(const scope *s, const value *v, const ast_call *c, span at);
    value (*integral)(const scope *s, const ast_expr *e); // Vincolo.integral(f for x in a:b)

    /* Operators on connectors: cardinality(c), inStream(c.h), actualStream(c.h),
     * Connections.isRoot(f). They are resolved after all connections are known. */
    bool (*connector_call)(const scope *s, const ast_call *call, span at, value *out);

    bool (*active_state)(const scope *s, const ast_call *call, span at, value *out);

    /* A class has come into use and its base classes are known: its text is held against the rules
     * of the language, once. */
    void (*use_class)(flat_builder *b, inst_class *cls);
    /* So are names: r begins with the component el, found from cls outwards; part i of r names el,
     * an element of the class or component `in`; im gives el, an element of `in`; im gives a name that another import
     * gives; part i of r names an outer component. */
    void (*use_first)(const scope *s, const inst_element *el, const ast_ref *r);
    void (*use_member)(flat_builder *b, inst_class *in, const inst_element *el, const ast_ref *r,
                       int i);
    void (*use_import)(flat_builder *b, inst_class *in, const inst_element *el,
                       const ast_import *im);
    void (*use_ambiguous)(flat_builder *b, const ast_import *im, sym name);
    /* Nothing is found for a name: a rule that hides what it could mean is reported, and true
     * returned. base: the name is that of a base class. */
    bool (*unknown)(flat_builder *b, inst_class *from, sym name, span at, bool base);
    /* The same for the name of an element that is modified, and of an import. */
    bool (*unknown_element)(flat_builder *b, inst_class *cls, sym name, span at);
    bool (*unknown_import)(flat_builder *b, inst_class *from, const ast_import *im);
    void (*use_outer)(flat_builder *b, const inst_node *outer, const ast_ref *r, int i);
    /* The component el, which has a condition, is named in an expression; time is. */
    void (*use_conditional)(flat_builder *b, const inst_element *el, span at);
    void (*use_time)(const scope *s, const ast_ref *r);
} scope_verbs;

#endif
