/* Instantiation: from the class tree to the tree of its components, and from there to variables.
 *
 * Names are looked up, classes inherited and modified, components made with their types, sizes,
 * bindings and attributes. inst/tree.h has the structures; this header is what the rooms above
 * need of them.
 *
 * Order of work: flatten/ drives it. First the tree is instantiated (node.c), evaluating sizes and
 * conditions on demand; then variables get their numbers; only then are equations written. Before
 * variables have numbers, references to them evaluate to a placeholder, good for sizes only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INST_INST_H
#define INST_INST_H

#include "eval/eval.h"

/* ---- the stages, in order -------------------------------------------------------------------- */

/* Set b->inst up; the prelude of predefined classes is read. */
bool inst_start(flat_builder *b, const flat_override *overrides, int n_overrides);
bool inst_build_tree(flat_builder *b, ast_class *cls); // all components with types and sizes
bool inst_number(flat_builder *b);                     // numbers and names of variables
bool inst_fill(flat_builder *b);                       // attributes and bindings
bool inst_check_circular(flat_builder *b);
void inst_mark_structural(flat_builder *b);
bool inst_check_overrides(flat_builder *b); // every one has found its variable

/* ---- names: verbs of a scope ----------------------------------------------------------------- */

bool inst_ref(const scope *s, const ast_ref *r, value *out);
bool inst_index_values(const scope *s, const ast_ref *r, int k, value *out);
callee inst_callee(const scope *s, const ast_ref *r);
void inst_no_callee(const scope *s, const ast_ref *r);
sym inst_instance_name(const scope *s);

/* The name of a class or type in the flat model: a quoted identifier loses its quotes. */
sym inst_plain_name(flat_builder *b, const char *path);

/* ---- classes as functions and records see them (callee.c) ------------------------------------ */

/* The type of a declaration. */
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
inst_class *inst_class_at(const scope *s, const ast_ref *r);

expr inst_variable(flat_builder *b, int var); // its VAR node

#endif
