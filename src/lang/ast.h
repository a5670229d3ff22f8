/* The syntax tree of Modelica 3.6.
 *
 * Plain structs in the `front` arena, one per construct of the grammar (Modelica Language
 * Specification 3.6, appendix A), each with its place in the source. Names are interned. Nothing is
 * resolved here: a reference is the path as it was written.
 *
 * Two normal forms make later walks simple and keep them shallow:
 *
 *  - Operators of one precedence level form one chain: a - b + c is a node with three operands, not
 *    a tree of depth two, and so a sum of a million terms has depth one. Operands are combined from
 *    left to right. Parentheses leave no node; "else if" is the same as "elseif". The depth of a
 *    tree is therefore bounded by LANG_DEPTH nested brackets, classes and clauses (the parser
 *    refuses more), and recursive walks are safe.
 *  - A component clause is split into one ast_component per declared name; the dimensions of the
 *    declaration come before those of the type, as in Real[3] x[2], which is Real x[2, 3].
 *
 * Lists are {at, n}; at may be NULL when n is 0. Strings point into the source text, escapes not
 * yet decoded (lang_string): the source must outlive the tree.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_AST_H
#define LANG_AST_H

#include "base/map.h"
#include "base/source.h"
#include "base/sym.h"

typedef struct ast_expr ast_expr;
typedef struct ast_mod ast_mod;
typedef struct ast_stmt ast_stmt;
typedef struct ast_element ast_element;
typedef struct ast_component ast_component;
typedef struct ast_class ast_class;
typedef struct ast_file ast_file;

/* The text between the quotes, as written. at == NULL: there is no string; "" has at != NULL. */
typedef struct ast_string {
    const char *at;
    uint32_t n;
} ast_string;

typedef struct ast_ident {
    sym name;
    span at;
} ast_ident;

typedef struct ast_exprs {
    ast_expr **at;
    int n;
} ast_exprs;

typedef struct ast_part {
    sym name;
    span at;        // of the name alone
    ast_exprs subs; // subscripts; a colon is AST_COLON
} ast_part;

/* name, type-specifier and component-reference: a.b[1].c, or .a.b from the top. Subscripts occur
 * only in component references. n == 0: no name. */
typedef struct ast_ref {
    ast_part *at;
    int n;
    bool global; // leading dot
    span span;
} ast_ref;

/* ---- expressions ----------------------------------------------------------------------------- */

/* name, text, precedence: higher binds tighter. Unary operators take the same names. */
#define AST_OPS(X)                                                                                 \
    X(OR, "or", 1)                                                                                 \
    X(AND, "and", 2)                                                                               \
    X(NOT, "not", 3)                                                                               \
    X(LT, "<", 4)                                                                                  \
    X(LE, "<=", 4)                                                                                 \
    X(GT, ">", 4)                                                                                  \
    X(GE, ">=", 4)                                                                                 \
    X(EQ, "==", 4)                                                                                 \
    X(NE, "<>", 4)                                                                                 \
    X(ADD, "+", 5)                                                                                 \
    X(SUB, "-", 5)                                                                                 \
    X(ADD_EW, ".+", 5)                                                                             \
    X(SUB_EW, ".-", 5)                                                                             \
    X(MUL, "*", 6)                                                                                 \
    X(DIV, "/", 6)                                                                                 \
    X(MUL_EW, ".*", 6)                                                                             \
    X(DIV_EW, "./", 6)                                                                             \
    X(POW, "^", 7)                                                                                 \
    X(POW_EW, ".^", 7)

typedef enum ast_op {
#define X(name, text, level) AST_##name,
    AST_OPS(X)
#undef X
        AST_N_OPS
} ast_op;

typedef enum ast_expr_kind {
    AST_INTEGER,       // integer
    AST_REAL,          // real
    AST_STRING,        // string
    AST_BOOLEAN,       // boolean
    AST_REF,           // ref
    AST_UNARY,         // op, arg: + - .+ .- not
    AST_CHAIN,         // chain: two or more operands; relations and powers have exactly two
    AST_IF,            // cond
    AST_RANGE,         // range
    AST_ARRAY,         // list: { a, b }; one element or more
    AST_COMPREHENSION, // call: { arg for iterators }
    AST_MATRIX,        // rows: [ a, b; c, d ]
    AST_CALL,          // call: f(a, b, name = c) or f(a for i in r)
    AST_PARTIAL,       // call: function f(name = c), as an argument; only named arguments
    AST_TUPLE,         // list: ( a, , b ); an omitted element is NULL; never exactly one element
    AST_SELECT,        // select: ( ... )[subscripts] or ( ... ).field
    AST_END,           // end, inside subscripts
    AST_COLON          // :, as a subscript
} ast_expr_kind;

/* for-index. range == NULL: to be deduced from the subscripts the iterator is used in. */
typedef struct ast_iterator {
    sym name;
    span at;
    ast_expr *range;
} ast_iterator;

typedef struct ast_iterators {
    ast_iterator *at;
    int n;
} ast_iterators;

typedef struct ast_named {
    sym name;
    span at;
    ast_expr *value;
} ast_named;

/* The keywords der, initial and pure are callees with one part of that name, which no declaration
 * can have. With iterators there is exactly one argument and no named one. */
typedef struct ast_call {
    ast_ref f; // empty in a comprehension
    ast_exprs args;
    ast_named *named;
    int n_named;
    ast_iterators iters;
} ast_call;

/* If-expression: n tests and n + 1 values, the last for else. */
typedef struct ast_cond {
    ast_expr **tests, **values;
    int n;
} ast_cond;

struct ast_expr {
    uint8_t kind; // ast_expr_kind
    uint8_t op;   // ast_op of AST_UNARY
    span span;    // with the parentheses around it, if there are any
    union {
        int64_t integer;
        double real;
        bool boolean;
        ast_string string;
        ast_ref *ref;
        ast_expr *arg;
        ast_exprs list;
        struct {
            ast_expr **at; // n operands
            uint8_t *ops;  // n - 1 operators (ast_op): ops[i] stands between at[i] and at[i + 1]
            int n;
        } chain;
        ast_cond cond;
        struct {
            ast_expr *first, *step, *last; // step == NULL: 1
        } range;
        struct {
            ast_exprs *at;
            int n;
        } rows;
        ast_call *call;
        struct {
            ast_expr *base;
            sym field; // NULL: subscripts
            ast_exprs subs;
        } select;
    };
};

/* ---- modifications --------------------------------------------------------------------------- */

typedef enum ast_arg_kind {
    AST_ARG_MOD,           // name, mod
    AST_ARG_ELEMENT,       // element: redeclare or replaceable class or component
    AST_ARG_BREAK_NAME,    // name: extends A(break x)
    AST_ARG_BREAK_CONNECT, // connect: extends A(break connect(a, b))
} ast_arg_kind;

typedef struct ast_arg {
    uint8_t kind;     // ast_arg_kind
    bool each, final; // also set in element->flags for AST_ARG_ELEMENT (final)
    span span;
    ast_ref name;
    ast_string comment;
    union {
        ast_mod *mod;         // NULL: the name alone, as in annotation(Evaluate) or x()
        ast_element *element; // AST_CLASS or AST_COMPONENT; flags say redeclare, replaceable
        ast_stmt *connect;
    };
} ast_arg;

typedef struct ast_args {
    ast_arg *at;
    int n;
} ast_args;

/* (args) = value. value == NULL: none; is_break: "= break", which removes the binding. */
struct ast_mod {
    span span;
    ast_args args;
    ast_expr *value;
    bool has_args; // parentheses were there, perhaps empty
    bool is_break;
    bool assign; // written with := , as old libraries do
};

/* constrainedby */
typedef struct ast_constraint {
    ast_ref type;
    ast_mod *mod; // NULL: none
    ast_string comment;
    ast_mod *annotation;
} ast_constraint;

/* ---- equations and statements ---------------------------------------------------------------- */

typedef enum ast_stmt_kind {
    AST_EQUATION,  // pair: left = right
    AST_CONNECT,   // pair: connect(left, right), both AST_REF
    AST_ASSIGN,    // pair: left := right; left is AST_REF or, with a call on the right, a tuple or
                   // AST_REF
    AST_CALL_STMT, // call, of kind AST_CALL; in equations and algorithms
    AST_IF_STMT,   // branches; the last has test == NULL when there is an else
    AST_WHEN,      // branches; every one has a test
    AST_FOR,       // loop
    AST_WHILE,     // branches with n == 1
    AST_BREAK,
    AST_RETURN
} ast_stmt_kind;

typedef struct ast_stmts {
    ast_stmt **at;
    int n;
} ast_stmts;

typedef struct ast_branch {
    ast_expr *test;
    ast_stmts body;
} ast_branch;

/* An equation or a statement: if, when, for and call look the same in both. */
struct ast_stmt {
    uint8_t kind; // ast_stmt_kind
    span span;
    ast_string comment;
    ast_mod *annotation; // NULL: none
    union {
        struct {
            ast_expr *left, *right;
        } pair;
        ast_expr *call;
        struct {
            ast_branch *at;
            int n;
        } branches;
        struct {
            ast_iterators iters;
            ast_stmts body;
        } loop;
    };
};

typedef struct ast_section {
    bool algorithm; // else equations
    bool initial;
    span span;
    ast_stmts body;
} ast_section;

/* external "C" y = f(a, b) annotation(...); */
typedef struct ast_external {
    span span;
    ast_string language; // at == NULL: not given ("C")
    ast_expr *result;    // AST_REF or NULL
    sym function;        // NULL: the function's own name
    ast_exprs args;
    bool has_call;
    ast_mod *annotation;
} ast_external;

/* ---- elements -------------------------------------------------------------------------------- */

typedef enum ast_flag { // prefixes of an element, and of a class
    AST_PROTECTED = 1 << 0,
    AST_REDECLARE = 1 << 1,
    AST_FINAL = 1 << 2,
    AST_INNER = 1 << 3,
    AST_OUTER = 1 << 4,
    AST_REPLACEABLE = 1 << 5,
    AST_ENCAPSULATED = 1 << 6, // classes only, from here on
    AST_IS_PARTIAL = 1 << 7,
    AST_EXPANDABLE = 1 << 8, // connector
    AST_OPERATOR = 1 << 9,   // operator record, operator function
    AST_PURE = 1 << 10,
    AST_IMPURE = 1 << 11
} ast_flag;

typedef enum ast_element_kind {
    AST_IMPORT,
    AST_EXTENDS,
    AST_COMPONENT,
    AST_CLASS
} ast_element_kind;

typedef enum ast_import_kind {
    AST_IMPORT_NAME,  // import A.B.C;        C
    AST_IMPORT_ALIAS, // import D = A.B.C;    D
    AST_IMPORT_ALL,   // import A.B.*;
    AST_IMPORT_LIST   // import A.B.{C, D};
} ast_import_kind;

typedef struct ast_import {
    uint8_t kind; // ast_import_kind
    ast_ref name; // the path, without .* or .{...}
    ast_ident alias;
    ast_ident *list;
    int n_list;
    ast_string comment;
    ast_mod *annotation;
} ast_import;

typedef struct ast_extends {
    ast_ref type;
    ast_mod *mod; // may hold AST_ARG_BREAK_...; NULL: none
    ast_mod *annotation;
} ast_extends;

typedef enum ast_variability {
    AST_CONTINUOUS, // nothing written
    AST_DISCRETE,
    AST_PARAMETER,
    AST_CONSTANT
} ast_variability;
typedef enum ast_causality { AST_NO_CAUSALITY, AST_INPUT, AST_OUTPUT } ast_causality;
typedef enum ast_flow { AST_POTENTIAL, AST_FLOW, AST_STREAM } ast_flow;

struct ast_component {
    sym name;
    span at; // the name
    ast_ref type;
    uint8_t variability, causality, flow; // as written
    ast_exprs dims;                       // of the declaration, then of the type
    ast_mod *mod;                         // modification and binding; NULL: none
    ast_expr *condition;                  // NULL: always there
    ast_constraint *constraint;           // NULL: none
    ast_string comment;
    ast_mod *annotation;
};

struct ast_element {
    uint8_t kind;   // ast_element_kind
    uint16_t flags; // ast_flag; a class has the same in class_->flags
    span span;      // the whole element, without the semicolon
    union {
        ast_import *import;
        ast_extends *extends;
        ast_component *component;
        ast_class *class_;
    };
};

/* ---- classes --------------------------------------------------------------------------------- */

/* name, text */
#define AST_RESTRICTIONS(X)                                                                        \
    X(CLASS, "class")                                                                              \
    X(MODEL, "model")                                                                              \
    X(RECORD, "record")                                                                            \
    X(BLOCK, "block")                                                                              \
    X(CONNECTOR, "connector")                                                                      \
    X(TYPE, "type")                                                                                \
    X(PACKAGE, "package")                                                                          \
    X(FUNCTION, "function")                                                                        \
    X(OPERATOR, "operator")

typedef enum ast_restriction {
#define X(name, text) AST_R_##name,
    AST_RESTRICTIONS(X)
#undef X
} ast_restriction;

typedef enum ast_body {
    AST_LONG,          // class A ... end A
    AST_CLASS_EXTENDS, // class extends A(mod) ... end A
    AST_SHORT,         // class A = input B[n](mod)
    AST_ENUM,          // type A = enumeration(a, b) or enumeration(:)
    AST_DER            // function A = der(f, x, y)
} ast_body;

typedef struct ast_literal {
    sym name;
    span at;
    ast_string comment;
    ast_mod *annotation;
} ast_literal;

struct ast_class {
    sym name;
    span at;             // the name
    span span;           // from the prefixes to the end
    uint8_t restriction; // ast_restriction
    uint8_t body;        // ast_body
    uint16_t flags;      // ast_flag, those of its element included
    ast_string comment;
    ast_mod *annotation;        // NULL: none
    ast_constraint *constraint; // NULL: none
    ast_class *parent;          // enclosing class, in the same file or another; NULL at the top
    ast_file *file;

    /* AST_LONG, AST_CLASS_EXTENDS */
    ast_element **elements; // in the order of the source
    int n_elements;
    int n_sections;
    ast_section *sections;  // in the order of the source
    ast_external *external; // NULL: none
    map index;              // name to element: use lang_element

    /* AST_SHORT, AST_DER: the other class. AST_SHORT, AST_CLASS_EXTENDS: its modification. */
    ast_ref base;
    ast_mod *mod;
    uint8_t causality; // base-prefix of AST_SHORT
    bool open_enum;    // enumeration(:)
    ast_exprs dims;    // AST_SHORT
    ast_ident *der_by; // AST_DER
    int n_der_by;
    int n_literals;
    ast_literal *literals; // AST_ENUM

    uint32_t later; // where the body begins, if it is put off
    bool put_off;   // the body is not parsed yet: lang_whole (lang/lang.h)
    bool broken;    // its body was put off, and then had errors

    struct lang_dir *dir; // where the rest of the class lies on disk (lang/library.h); else NULL
};

/* What is needed to parse the bodies of classes that were put off. */
typedef struct ast_rest {
    source text;
    arena *a;
    sym_table *syms;
    struct diag_sink *diags;
} ast_rest;

/* One stored definition. */
struct ast_file {
    const char *path;
    span span;
    bool has_within; // within A.B; or within; (then within.n == 0)
    ast_ref within;
    ast_class **classes; // top-level classes of the file
    int n_classes;
    int n_errors;         // reported while parsing; the tree is then incomplete
    const ast_rest *rest; // NULL: everything was parsed
};

#endif
