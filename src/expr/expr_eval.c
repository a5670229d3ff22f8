/* The value of an expression.
 *
 * Values are computed on demand: of an if-expression only the branch that is taken, of `and` and
 * `or` no more than is needed, so that what has no value (and a recursive call) may stand in the
 * branch that is not. Calls are written out for the values of their arguments.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

typedef struct eval {
    expr_pool *p;
    arena *a;
    double t;
    expr_value *value;
    void *user;
    const char *why;
    idmap memo;           // node to number of its value
    idmap instead;        // DER and CALL nodes: the expression that stands for them
    ARRAY(double) values; // number 0 is not used
    int_array stack;
    int depth, deep_calls;
} eval;

static bool evaluate_known(const eval *s, expr e, double *x)
{
    const int *i = idmap_find(&s->memo, e);
    if (i) *x = s->values.at[*i];
    return i;
}

static bool evaluate_need(eval *s, expr e, double *x)
{
    if (evaluate_known(s, e, x)) return true;
    array_push(s->a, &s->stack, e);
    return false;
}

static bool evaluate_finish(eval *s, expr e, double x)
{
    array_push(s->a, &s->values, x);
    idmap_put(&s->memo, e, s->values.n - 1);
    return true;
}

static bool evaluate_fail(eval *s, const char *why)
{
    s->why = why;
    return false;
}

static bool evaluate_instead(eval *s, expr e, expr other)
{
    double x;
    return evaluate_need(s, other, &x) && evaluate_finish(s, e, x);
}

static bool evaluate_derivative(eval *s, expr e)
{
    const int *other = idmap_find(&s->instead, e);
    if (other) return evaluate_instead(s, e, *other);
    expr a = expr_args(s->p, e)[0], d;
    if (!expr_total_diff(s->p, &a, 1, s->a, &d, &s->why)) return false;
    idmap_put(&s->instead, e, d);
    return evaluate_instead(s, e, d);
}

// A function that is executed, not written out.
static bool numeric_call(eval *s, expr e, const expr *args, int n)
{
    const expr_context *c = &s->p->context;
    const expr_node *node = expr_at(s->p, e);
    double *x = arena_array(s->a, double, n), r;
    for (int i = 0; i < n; i++)
        if (!expr_number(s->p, args[i], &x[i]))
            return evaluate_fail(s, "a function that is not an expression");
    if (!c->call_value ||
        !c->call_value(c->user, node->u.call.function, node->u.call.output, x, n, &r))
        return evaluate_fail(s, "a function that is not an expression");
    return evaluate_finish(s, e, r);
}

static bool evaluate_call(eval *s, expr e)
{
    const int *body = idmap_find(&s->instead, e);
    if (body) {
        if (!evaluate_instead(s, e, *body)) return false;
        s->depth--;
        return true;
    }
    expr_pool *p = s->p;
    expr_node n = *expr_at(p, e);
    expr *args = arena_array(s->a, expr, n.u.call.n);
    bool ready = true;
    double x;
    for (int i = 0; i < n.u.call.n; i++) {
        args[i] = expr_args(p, e)[i];
        if (expr_op_of(p, args[i]) != EXPR_STRING) ready = evaluate_need(s, args[i], &x) && ready;
    }
    if (!ready) return false;
    for (int i = 0; i < n.u.call.n; i++)
        if (evaluate_known(s, args[i], &x))
            args[i] = expr_literal(p, expr_type_of(p, args[i]), expr_at(p, args[i])->enum_id, x);
    const expr_context *c = &p->context;
    expr other = 0;
    if (c->inline_call)
        other = c->inline_call(c->user, n.u.call.function, n.u.call.output, args, n.u.call.n);
    if (!other || other == e) return numeric_call(s, e, args, n.u.call.n);
    if (++s->depth > EXPR_CALL_DEPTH ||
        (s->depth > EXPR_CALL_FREE_DEPTH && ++s->deep_calls > EXPR_CALL_BUDGET))
        return evaluate_fail(s, "a function that calls itself too deeply");
    idmap_put(&s->instead, e, other);
    return evaluate_instead(s, e, other);
}

static bool evaluate_choose(eval *s, expr e)
{
    const expr *x = expr_at(s->p, e)->u.arg;
    double c, v;
    return evaluate_need(s, x[0], &c) && evaluate_need(s, c != 0 ? x[1] : x[2], &v) &&
           evaluate_finish(s, e, v);
}

static bool evaluate_logic(eval *s, expr e, bool enough)
{
    const expr *x = expr_at(s->p, e)->u.arg;
    double v;
    if (!evaluate_need(s, x[0], &v)) return false;
    if ((v != 0) != enough && !evaluate_need(s, x[1], &v)) return false;
    return evaluate_finish(s, e, v != 0);
}

static bool evaluate_ordinary(eval *s, expr e)
{
    int n = expr_arity(s->p, e);
    const expr *args = expr_args(s->p, e);
    double x[3] = {0}, r;
    bool ready = true;
    if (n > 3) return evaluate_fail(s, operator_name(expr_op_of(s->p, e)));
    for (int i = n - 1; i >= 0; i--) ready = evaluate_need(s, args[i], &x[i]) && ready;
    if (!ready) return false;
    if (!operator_apply(expr_op_of(s->p, e), x, n, &r))
        return evaluate_fail(s, operator_name(expr_op_of(s->p, e)));
    return evaluate_finish(s, e, r);
}

// Finish e, or put on the stack what it needs first (false).
static bool evaluate_visit(eval *s, expr e)
{
    const expr_node *n = expr_at(s->p, e);
    double x;
    if (n->type == TYPE_STRING) return evaluate_fail(s, "a String");
    if (expr_number(s->p, e, &x)) return evaluate_finish(s, e, x);
    switch (n->op) {
    case EXPR_NONE: return evaluate_fail(s, "an absent expression");
    case EXPR_VAR: return evaluate_finish(s, e, s->value(s->user, n->u.var.index, n->u.var.order));
    case EXPR_TIME: return evaluate_finish(s, e, s->t);
    case EXPR_IF: return evaluate_choose(s, e);
    case EXPR_AND: return evaluate_logic(s, e, false);
    case EXPR_OR: return evaluate_logic(s, e, true);
    case EXPR_HOMOTOPY: return evaluate_instead(s, e, n->u.arg[0]);
    case EXPR_SMOOTH: return evaluate_instead(s, e, n->u.arg[1]);
    case EXPR_DER: return evaluate_derivative(s, e);
    case EXPR_CALL: return evaluate_call(s, e);
    default: break;
    }
    if (operator_class((expr_op)n->op) == CLASS_HYBRID)
        return evaluate_fail(s, operator_name((expr_op)n->op)); // known only while the model runs
    return evaluate_ordinary(s, e);
}

/* An expression of a few operations on numbers and variables needs no memory. *rest: nodes that may be
 * looked at. */
static bool evaluate_small(const expr_pool *p, expr e, expr_value *value, void *user, int *rest,
                           double *result)
{
    const expr_node *n = expr_at(p, e);
    double x[2];
    if (--*rest < 0 || n->type == TYPE_STRING) return false;
    if (expr_number(p, e, result)) return true;
    if (n->op == EXPR_VAR) {
        *result = value(user, n->u.var.index, n->u.var.order);
        return true;
    }
    int arity = operator_arities[n->op];
    expr_class kind = operator_class((expr_op)n->op);
    bool whole = n->op == EXPR_MOD || n->op == EXPR_REM || n->op == EXPR_IDIV;
    if (arity < 1 || arity > 2 || (kind != CLASS_ARITH && kind != CLASS_MATH && !whole))
        return false;
    for (int k = 0; k < arity; k++)
        if (!evaluate_small(p, n->u.arg[k], value, user, rest, &x[k])) return false;
    return operator_apply((expr_op)n->op, x, arity, result);
}

int expr_eval(expr_pool *p, expr e, double t, expr_value *value, void *user, arena *scratch,
              double *result, const char **why)
{
    enum { NODES_SMALL = 24 };
    int rest = NODES_SMALL;
    if (evaluate_small(p, e, value, user, &rest, result)) return 0;
    arena_mark mark = arena_here(scratch);
    eval s = {.p = p, .a = scratch, .t = t, .value = value, .user = user};
    idmap_init(&s.memo, scratch);
    idmap_init(&s.instead, scratch);
    array_push(scratch, &s.values, 0.0);
    array_push(scratch, &s.stack, e);
    while (s.stack.n && !s.why) {
        double x;
        expr top = array_last(&s.stack);
        if (evaluate_known(&s, top, &x) || evaluate_visit(&s, top)) s.stack.n--;
    }
    if (!s.why) evaluate_known(&s, e, result);
    else if (why) *why = s.why;
    expr_release(p, scratch, mark);
    return s.why ? -1 : 0;
}
