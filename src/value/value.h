/* Values: what an expression of the syntax tree evaluates to.
 *
 * Flattening is symbolic evaluation. A value has a type, dimensions and one element of the
 * expression DAG per scalar, in row-major order; constants are values whose elements are literals
 * (the pool folds them). A scalar has no dimensions and carries its element inside, so that scalar
 * arithmetic allocates nothing. A dimension may be 0.
 *
 * Records are arrays of structures: element i of a record array has the fields
 * fields[i*record->n ... ], each a value again, so the elements of an array of records may differ
 * in the sizes of their fields, as the language allows.
 *
 * Rules: Modelica Language Specification 3.6, chapter 10 (arrays) and 3 (operators). Integer
 * literals become Real literals where they meet Real. Every operation reports its own errors at the
 * given place and then returns an error value, which all operations pass on in silence.
 *
 * Values are immutable and their parts may be shared; everything lives in env->a.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include "flat/flat.h"
#include "lang/ast.h"

typedef enum value_type { // the first ones are expr_type
    VALUE_REAL = TYPE_REAL,
    VALUE_INTEGER = TYPE_INTEGER,
    VALUE_BOOLEAN = TYPE_BOOLEAN,
    VALUE_STRING = TYPE_STRING,
    VALUE_ENUM = TYPE_ENUM, // of enumeration enum_id
    VALUE_CLOCK = TYPE_CLOCK,
    VALUE_OBJECT = TYPE_OBJECT, // an external object of class enum_id
    VALUE_RECORD,               // fields
    VALUE_TUPLE,                // several outputs of a function: n fields, no dimensions
    VALUE_FUNCTION,             // a function as an argument: its bound inputs are fields
    VALUE_ERROR                 // reported already
} value_type;

typedef struct value value;

/* Which fields a record has. Two records are compatible if their fields have the same names. The
 * class_ of a function value is the function. */
typedef struct value_record {
    sym name; // of the class, for messages
    int n;
    const sym *names;
    const void *class_; // whoever made it knows what it is
} value_record;

struct value {
    uint8_t type; // value_type
    uint8_t n_dims;
    uint16_t enum_id;
    int n;           // elements: the product of dims, 1 for a scalar
    expr e;          // the element of a scalar
    const int *dims; // n_dims sizes
    union {
        const expr *at;      // n elements of an array
        const value *fields; // n * record->n of a record or function, n of a tuple
    };
    const value_record *record;
};

enum { VALUE_MAX_DIMS = 32, VALUE_MAX_ELEMENTS = 50000000 };

/* What operations need at hand. */
typedef struct value_env {
    expr_pool *p;
    arena *a;
    sym_table *syms;
    diag_sink *diags;
    const flat_model *model; // names of enumerations; may be NULL
    bool no_event;           // wrap relations and jumps in noEvent (bodies of functions)
} value_env;

/* ---- making and asking (value.c) ------------------------------------------------------------- */

static inline value value_error(void)
{
    return (value){.type = VALUE_ERROR};
}
static inline bool value_is_error(const value *v)
{
    return v->type == VALUE_ERROR;
}
static inline const expr *value_at(const value *v)
{
    return v->n_dims ? v->at : &v->e;
}
static inline bool value_is_scalar(const value *v) // one element of a basic type
{
    return !v->n_dims && v->type <= VALUE_OBJECT;
}
static inline bool value_is_numeric(const value *v)
{
    return v->type <= VALUE_INTEGER;
}

value value_scalar(const value_env *env, expr e); // type from the expression
value value_real(const value_env *env, double x);
value value_integer(const value_env *env, int64_t i);
value value_boolean(const value_env *env, bool b);
value value_string(const value_env *env, const char *s);

/* An array of a basic type; dims are copied, the elements are to be filled in through *slots. */
value value_new(const value_env *env, value_type type, int enum_id, const int *dims, int n_dims,
                expr **slots);
/* An array of records, or one (n_dims == 0); *slots: n * record->n fields to be filled. */
value value_new_record(const value_env *env, const value_record *record, const int *dims,
                       int n_dims, value **slots);
/* A tuple of n values (copied). */
value value_tuple(const value_env *env, const value *v, int n);

bool value_is_literal(const value_env *env, const value *v);                  // every element is
bool value_literal_integer(const value_env *env, const value *v, int64_t *i); // scalar Integer
bool value_literal_boolean(const value_env *env, const value *v, bool *b);

/* Memory for a text that lives in an arena: what is outgrown stays there until the end. */
mem value_arena_mem(arena *a);

/* "Real[3, 2]", "Modelica.Complex", in env->a. */
const char *value_type_name(const value_env *env, const value *v);
const char *value_dims_name(const value_env *env, const int *dims, int n); // "[3, 2]" or "scalar"
bool value_same_dims(const value *a, const value *b);

/* Is a value of v's type accepted where `type` is asked for (Integer for Real; records with the
 * same fields)? Sizes are not looked at. */
bool value_accepts(const value *type, const value *v);
/* v as a value of that type (Integer literals become Real ones). Call value_accepts first. */
value value_convert(const value_env *env, const value *type, value v);
value value_to_real(const value_env *env, value v);

/* Visit the scalars in order: fields of records in depth-first order, arrays in row-major order. */
int value_count(const value *v);
void value_scalars(const value *v, expr *out); // value_count(v) of them
/* A value of the same shape with other scalars. */
value value_with_scalars(const value_env *env, const value *shape, const expr *scalars);
bool value_equal(const value *a, const value *b); // same shape and the same elements
value value_copy(const value_env *env, value v);  // all of it in env->a, but for what records are

/* ---- operators (value_ops.c) ----------------------------------------------------------------- */

value value_unary(const value_env *env, ast_op op, value a, span at);
value value_binary(const value_env *env, ast_op op, value a, value b, span at);
/* if c then a else b. The branches must agree in type and size. */
value value_if(const value_env *env, expr c, value a, value b, span at);
/* Apply an operator of expressions to every element; the result has the type of the node made. */
value value_map_1(const value_env *env, expr_op op, value a);
value value_map_2(const value_env *env, expr_op op, value a, value b); // scalar with array is fine
expr value_make(const value_env *env, expr_op op, const expr *args, int n); // respects no_event

/* ---- building and taking apart (value_array.c) ----------------------------------------------- */

value value_array(const value_env *env, const value *v, int n, span at);        // {v1, v2, ...}
value value_cat(const value_env *env, int dim, const value *v, int n, span at); // dim from 1
/* [a, b; c, d]: rows[i] has n[i] entries. */
value value_matrix(const value_env *env, const value *const *rows, const int *n, int n_rows,
                   span at);
value value_range(const value_env *env, value first, const value *step, value last, span at);

/* A subscript of one dimension: one element, some elements, all, or one that is not known before
 * the simulation. Indices count from 0 and have been checked against the size. */
typedef struct subscript {
    enum { SUB_INDEX, SUB_SET, SUB_ALL, SUB_SYMBOLIC } kind;
    int index;     // SUB_INDEX
    int n;         // SUB_SET
    const int *at; // SUB_SET
    expr e;        // SUB_SYMBOLIC: an Integer expression, from 1
} subscript;
/* The subscript that a value means for a dimension of this size: Integer, Boolean or enumeration,
 * scalar or vector. `name` is the array's, for messages. */
bool value_subscript(const value_env *env, const value *v, int size, const char *name, span at,
                     subscript *out);
/* v[s1, s2, ...]; n <= v.n_dims, missing ones take all. A symbolic subscript chooses by nested
 * if-expressions. */
value value_index(const value_env *env, value v, const subscript *s, int n, span at);
/* v with the elements named by the subscripts replaced by x (an assignment to v[s1, ...]). */
value value_assign(const value_env *env, value v, bool own, const subscript *s, int n, value x,
                   span at);
/* The field of a record, or of every element of an array of records. */
value value_field(const value_env *env, value v, sym name, span at);
value value_element(const value_env *env, const value *v, int i); // first index i (from 0)

#endif
