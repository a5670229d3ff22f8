/* Expressions: one hash-consed DAG shared by every stage after the parser.
 *
 * An expression is a number, the index of a node in a pool; equal expressions have equal numbers.
 * Arguments are always made before the node that uses them, so ascending order of numbers is a
 * topological order: every walk is a loop, and a DAG of depth 10^6 overflows nothing.
 *
 * Building simplifies locally (constants folded, x+0, x*1, x*0, -(-x), if with a known condition
 * ...) without changing values for finite arguments. Real arithmetic is never reassociated.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include "base/array.h"
#include "base/map.h"
#include "base/names.h"
#include "base/operators.h"
#include "base/sym.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef int expr; // 0: none

typedef enum expr_type {
    TYPE_REAL,
    TYPE_INTEGER,
    TYPE_BOOLEAN,
    TYPE_STRING,
    TYPE_ENUM,
    TYPE_CLOCK,
    TYPE_OBJECT // an external object of class enum_id
} expr_type;

/* There are several of them for every unknown of a large model, so they are kept to 16 bytes: a number
 * begins at a multiple of four only. */
typedef struct __attribute__((packed, aligned(4))) expr_node {
    uint8_t op;       // expr_op
    uint8_t type;     // expr_type
    uint16_t enum_id; // for TYPE_ENUM and TYPE_OBJECT
    union __attribute__((packed, aligned(4))) {
        double real;
        int64_t integer;
        sym string;
        struct {
            int index, order;
        } var;
        expr arg[3]; // fixed arity: the first `arity` are used
        struct {
            int first, n;             // variable arity: pool->list[first ... first+n-1]
            int16_t function, output; // CALL
        } call;
    } u;
} expr_node;

typedef name_label expr_label; // for the name of a variable

/* What the pool asks of its owner about variables and functions; every member may be NULL. */
typedef struct expr_context {
    void *user;
    const char *(*var_name)(void *user, int var, expr_label *label); // kept there, or by the owner
    bool (*var_is_constant)(void *user, int var); // parameter or constant: its derivative is 0
    const char *(*function_name)(void *user, int function);
    const char *(*enum_literal)(void *user, int enum_id, int64_t value);
    /* The function's body for the given scalar arguments; 0 when it is not an expression. */
    expr (*inline_call)(void *user, int function, int output, const expr *args, int n);
    /* Of each of the n arguments: does the result depend on it? NULL: on all, as far as is known. Its
     * derivative may depend on others: that of a vector in a turning frame on the rate of turning. */
    const bool *(*call_uses)(void *user, int function, int output, int n);
    /* Derivative of the call by its k-th scalar argument through a `derivative` annotation; 0 when
     * there is none (then inline_call is tried). */
    expr (*partial_call)(void *user, int function, int output, const expr *args, int n, int k);
    /* Of a function whose annotation gives its derivative in time but not by each argument
     * (noDerivative, order = 2): which arguments' derivatives it needs. NULL: of another one. */
    const bool *(*total_needs)(void *user, int function, int n);
    /* That derivative, d being those of the arguments; 0 when the annotation does not hold here. */
    expr (*total_call)(void *user, int function, int output, const expr *args, const expr *d,
                       int n);
    /* How a call is written in Modelica: the text before argument k, and for k == n the text after
     * the last one; NULL, or no such member: name(a, b). Arrays and records are put together here:
     * (f({a, b}))[2]. */
    const char *(*call_text)(void *user, int function, int output, int k);
    /* The value of a call that inline_call does not write out, for numbers; false when it has none. */
    bool (*call_value)(void *user, int function, int output, const double *args, int n,
                       double *result);
} expr_context;

typedef struct expr_pool {
    arena *a;
    expr_node *node;
    int n, cap;
    expr *list; // arguments of nodes of variable arity
    int n_list, cap_list;
    struct expr_group *groups; // a hash table of the nodes
    uint32_t n_groups;
    uint64_t group_inverse; // 2^64 / n_groups, rounded up
    struct expr_left *left; // what growing has left behind
    expr_context context;
    sym_table *syms; // where String literals made by folding go; NULL: they are not folded
    expr zero, one, two, minus_one; // Real
    expr yes, no, time;
    bool has_der; // some node is DER of an expression
    bool shared;  // somebody has a view of it
} expr_pool;

void expr_init(expr_pool *p, arena *a);
/* Up to so many nodes are about to be made, and so many for sure: room for them, without a copy of those
 * that are there. Arguments that expr_args has shown before are no longer there. */
void expr_expect(expr_pool *p, int more, int sure);
/* Few are about to be made: what only making needs is given back, and made again for the next. */
void expr_settle(expr_pool *p);
/* The pool as it is now, for other threads to read (expr_at, expr_args, expr_print) while nodes are
 * being added here: what is there stays where it is from now on. What only making needs is given back. */
const expr_pool *expr_share(expr_pool *p, arena *a);
/* A number that pools with the same nodes have in common, and others hardly ever. */
uint64_t expr_fingerprint(const expr_pool *p);
/* A copy in which nodes can be made, in another arena; calls of functions stay as they are. */
expr_pool expr_copy(const expr_pool *p, arena *a);

/* ---- building -------------------------------------------------------------------------------- */

expr expr_real(expr_pool *p, double x);
expr expr_integer(expr_pool *p, int64_t i);
expr expr_boolean(expr_pool *p, bool b);
expr expr_string(expr_pool *p, sym s);
expr expr_enum(expr_pool *p, int enum_id, int64_t value);
expr expr_var(expr_pool *p, int var, int order, expr_type type, int enum_id);

/* Any operator but CALL and the literals. The result's type follows from the operator and the types
 * of the arguments (Integer + Real is Real; / and ^ are Real; relations are Boolean; min, max, abs
 * and IF keep the common type). */
expr expr_make(expr_pool *p, expr_op op, const expr *args, int n);
expr expr_1(expr_pool *p, expr_op op, expr a);
expr expr_2(expr_pool *p, expr_op op, expr a, expr b);
expr expr_3(expr_pool *p, expr_op op, expr a, expr b, expr c);
expr expr_call(expr_pool *p, int function, int output, expr_type type, int enum_id,
               const expr *args, int n);

/* ---- asking ---------------------------------------------------------------------------------- */

static inline int expr_arity(const expr_pool *p, expr e)
{
    const expr_node *n = &p->node[e];
    return operator_arities[n->op] >= 0 ? operator_arities[n->op] : n->u.call.n;
}
/* Arity of them; valid until the next node is made. */
static inline const expr *expr_args(const expr_pool *p, expr e)
{
    const expr_node *n = &p->node[e];
    if (operator_arities[n->op] >= 0) return n->u.arg;
    return p->list ? p->list + n->u.call.first : NULL; // no list while no call has any
}
static inline bool expr_is_literal(const expr_pool *p, expr e)
{
    return p->node[e].op >= EXPR_REAL && p->node[e].op <= EXPR_ENUM;
}
bool expr_number(const expr_pool *p, expr e, double *x); // literal but String, as a number
/* A VAR that the context calls a parameter or constant. */
bool expr_var_is_constant(const expr_pool *p, expr e);

/* The nodes that the roots reach, ascending (arguments before users); in `scratch`. */
int_array expr_reach(const expr_pool *p, const expr *roots, int n, arena *scratch);
/* The VAR nodes among them. */
int_array expr_vars(const expr_pool *p, const expr *roots, int n, arena *scratch);

/* if by == 1 then of[0] else if by == 2 then of[1] ... else other: a subscript that moves. */
typedef struct expr_cases {
    expr by, other;
    int n;
    const expr *of;
    bool literal; // of and other are numbers
} expr_cases;

/* False: e is no such choice of at least `least` cases. */
bool expr_find_cases(const expr_pool *p, expr e, int least, arena *a, expr_cases *out);

/* The value for given values of VAR nodes and time; calls are inlined. 0: done; otherwise *why says
 * what has no value (a static text). */
typedef double expr_value(void *user, int var, int order);
int expr_eval(expr_pool *p, expr e, double t, expr_value *value, void *user, arena *scratch,
              double *result, const char **why);

/* ---- transforming ---------------------------------------------------------------------------- */

/* A rewriting that shares work between many roots. Set the pairs first, then apply to any number. */
typedef struct expr_subst {
    expr_pool *p;
    arena *scratch;
    struct idmap *memo; // of a node: the new one
    int_array stack;    // nodes under way
    expr lowest;        // nodes below it contain nothing to replace
} expr_subst;
void expr_subst_init(expr_subst *s, expr_pool *p, arena *scratch);
void expr_subst_set(expr_subst *s, expr from, expr to);
expr expr_subst_apply(expr_subst *s, expr e); // simultaneous, rebuilt with simplification

/* Expressions of one pool as they are, in another, with variables counted anew: var[i] is the new number of
 * variable i. Set up once, then ask for any number. */
typedef struct expr_bring {
    expr_pool *to;
    const expr_pool *from;
    const int *var;
    arena *scratch;
    expr *made; // by node
} expr_bring;
void expr_bring_init(expr_bring *b, expr_pool *to, const expr_pool *from, const int *var,
                     arena *scratch);
expr expr_brought(expr_bring *b, expr e); // 0 stays 0

/* What follows takes temporary memory from `scratch` and gives it back on return (unless that is
 * the pool's own arena). */

/* Derivatives. 0 (false) and a reason, a static text, when there is none (a String, a function that
 * has neither body nor derivative). Entries that are structurally zero are p->zero. */
expr expr_diff(expr_pool *p, expr e, expr var, arena *scratch, const char **why);
bool expr_jacobian(expr_pool *p, const expr *e, int n, const expr *var, int m, arena *scratch,
                   expr *d, const char **why); // d[i*m + j] = d e[i] / d var[j]
/* d[j] = d e / d var[j] in one pass for all, which matters for long sums; 0 where there is none, and the reason
 * of the last of these. */
void expr_gradient(expr_pool *p, expr e, const expr *var, int m, arena *scratch, expr *d,
                   const char **why);
/* Total derivative by time: VAR(v,k) becomes VAR(v,k+1), constants vanish, time gives 1. */
bool expr_total_diff(expr_pool *p, const expr *e, int n, arena *scratch, expr *d, const char **why);

/* e = a*var + b with a and b free of var? */
bool expr_affine(expr_pool *p, expr e, expr var, arena *scratch, expr *a, expr *b);
/* lhs = rhs, affine in var, solved for it: the value holds where the coefficient of var does not vanish.
 * 0: it is not affine, or free of var. */
expr expr_solve_affine(expr_pool *p, expr lhs, expr rhs, expr var, arena *scratch);
/* e = *factor times the rest, which is returned: without signs and numbers in front. */
expr expr_without_factor(expr_pool *p, expr e, double *factor);

/* e where the expressions in `zero` vanish, if that is shorter; parameters count as numbers that are
 * not 0. scale: times any number, as the left side of e = 0. */
expr expr_reduce(expr_pool *p, expr e, const expr *zero, int n, bool scale, arena *scratch);

/* ---- printing -------------------------------------------------------------------------------- */

typedef enum expr_language { EXPR_MODELICA, EXPR_C } expr_language;
/* Infix text with the parentheses it needs; cut with "..." after `limit` bytes (0: no limit). */
void expr_print(const expr_pool *p, expr e, expr_language language, size_t limit, text *out);
/* "lhs = rhs" as Modelica; each side is cut at `limit`. */
void expr_print_equation(const expr_pool *p, expr lhs, expr rhs, size_t limit, text *out);

/* ---- shorthand ------------------------------------------------------------------------------- */

static inline const expr_node *expr_at(const expr_pool *p, expr e)
{
    return &p->node[e];
}
static inline expr expr_add(expr_pool *p, expr a, expr b)
{
    return expr_2(p, EXPR_ADD, a, b);
}
static inline expr expr_sub(expr_pool *p, expr a, expr b)
{
    return expr_2(p, EXPR_SUB, a, b);
}
static inline expr expr_mul(expr_pool *p, expr a, expr b)
{
    return expr_2(p, EXPR_MUL, a, b);
}
static inline expr expr_div(expr_pool *p, expr a, expr b)
{
    return expr_2(p, EXPR_DIV, a, b);
}
static inline expr expr_neg(expr_pool *p, expr a)
{
    return expr_1(p, EXPR_NEG, a);
}

#endif
