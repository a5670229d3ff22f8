/* Walks over expressions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/dag.h"

#include <string.h>

void dag_init(dag *d, expr_pool *p, arena *a)
{
    *d = (dag){.p = p, .a = a};
}

/* A new walk: no node is marked; marks exist for every node of the pool. */
static void dag_begin(dag *d)
{
    if (d->cap < d->p->n) {
        d->cap = d->p->n + d->p->n / 2 + 64;
        d->mark = arena_sparse(d->a, uint16_t, d->cap);
        d->kind = arena_sparse(d->a, uint8_t, d->cap);
        d->epoch = 0;
    }
    if (++d->epoch == 0) {
        memset(d->mark, 0, (size_t)d->cap * sizeof *d->mark);
        d->epoch = 1;
    }
    d->stack.n = 0;
}

const bool *dag_call_uses(const expr_pool *p, expr e)
{
    const expr_node *n = expr_at(p, e);
    const expr_context *c = &p->context;
    if (n->op != EXPR_CALL || !c->call_uses) return NULL;
    return c->call_uses(c->user, n->u.call.function, n->u.call.output, n->u.call.n);
}

static void push_args(dag *d, expr e)
{
    int n = expr_arity(d->p, e);
    if (!n) return;
    const expr *args = expr_args(d->p, e);
    const bool *uses = d->needed ? dag_call_uses(d->p, e) : NULL;
    for (int k = n - 1; k >= 0; k--)
        if (d->mark[args[k]] != d->epoch && (!uses || uses[k]))
            array_push(d->a, &d->stack, args[k]);
}

void dag_more_vars(dag *d, expr e, int_array *out)
{
    const expr_node *node = d->p->node;
    array_push(d->a, &d->stack, e);
    while (d->stack.n) {
        expr x = d->stack.at[--d->stack.n];
        if (d->mark[x] == d->epoch) continue;
        d->mark[x] = d->epoch;
        const expr_node *n = &node[x];
        int arity = operator_arities[n->op];
        if (n->op == EXPR_VAR) {
            array_push(d->a, out, x);
        } else if (arity < 0) {
            push_args(d, x);
        } else if (arity && n->op != EXPR_PRE && n->op != EXPR_PREVIOUS && n->op != EXPR_HOLD) {
            array_reserve(d->a, &d->stack, d->stack.n + arity);
            for (int k = arity - 1; k >= 0; k--) // numbers have nothing below them
                if (node[n->u.arg[k]].op != EXPR_REAL && d->mark[n->u.arg[k]] != d->epoch)
                    d->stack.at[d->stack.n++] = n->u.arg[k];
        }
    }
}

void dag_vars(dag *d, expr e, int_array *out)
{
    dag_begin(d);
    dag_more_vars(d, e, out);
}

/* The nodes below e that are not yet marked, arguments first, appended to d->order. */
static void postorder(dag *d, expr e)
{
    array_push(d->a, &d->stack, e);
    while (d->stack.n) {
        expr x = array_last(&d->stack);
        if (d->mark[x] == d->epoch) {
            d->stack.n--;
            continue;
        }
        int before = d->stack.n, n = expr_arity(d->p, x);
        const expr *args = expr_args(d->p, x);
        const bool *uses = n && d->needed ? dag_call_uses(d->p, x) : NULL;
        for (int k = n - 1; k >= 0; k--) {
            if (d->mark[args[k]] == d->epoch || (uses && !uses[k])) continue;
            if (operator_arities[expr_at(d->p, args[k])->op]) {
                array_push(d->a, &d->stack, args[k]);
            } else { // a leaf waits for nothing
                d->mark[args[k]] = d->epoch;
                array_push(d->a, &d->order, args[k]);
            }
        }
        if (d->stack.n > before) continue;
        d->stack.n--;
        d->mark[x] = d->epoch;
        array_push(d->a, &d->order, x);
    }
}

/* ---- degree ---------------------------------------------------------------------------------- */

static dag_degree sum_of(dag_degree a, dag_degree b)
{
    return a > b ? a : b; // DAG_FREE + DAG_LINEAR_CONSTANT keeps constant coefficients
}

static dag_degree product_of(dag_degree a, dag_degree b)
{
    dag_degree low = a < b ? a : b, high = a < b ? b : a;
    if (high <= DAG_FREE) return high;
    if (high == DAG_NONLINEAR || low > DAG_FREE) return DAG_NONLINEAR;
    return low == DAG_CONSTANT ? high : DAG_LINEAR;
}

static dag_degree degree_of_node(const dag *d, expr e, dag_classify *classify, void *user)
{
    const expr_node *x = expr_at(d->p, e);
    if (x->op == EXPR_VAR) return classify(user, e);
    if (x->op == EXPR_TIME) return DAG_FREE;
    int n = expr_arity(d->p, e);
    if (!n) return operator_class((expr_op)x->op) == CLASS_HYBRID ? DAG_FREE : DAG_CONSTANT;
    const expr *args = expr_args(d->p, e);
    dag_degree a = (dag_degree)d->kind[args[0]], b = n > 1 ? (dag_degree)d->kind[args[1]] : a;
    switch ((expr_op)x->op) {
    case EXPR_NEG:
    case EXPR_NOEVENT: return a;
    case EXPR_ADD:
    case EXPR_SUB: return sum_of(a, b);
    case EXPR_MUL: return product_of(a, b);
    case EXPR_DIV: return b > DAG_FREE ? DAG_NONLINEAR : product_of(a, b);
    case EXPR_SMOOTH: return b;
    case EXPR_IF: { // affine in each branch: affine while the condition stands
        dag_degree c = (dag_degree)d->kind[args[2]], both = sum_of(b, c);
        if (a > DAG_FREE) return DAG_NONLINEAR;
        return both > DAG_FREE && both < DAG_NONLINEAR ? DAG_LINEAR : sum_of(a, both);
    }
    case EXPR_PREVIOUS:
    case EXPR_HOLD:
    case EXPR_PRE: return DAG_FREE;
    default: {
        dag_degree most = DAG_CONSTANT;
        for (int k = 0; k < n; k++) most = sum_of(most, (dag_degree)d->kind[args[k]]);
        return most > DAG_FREE ? DAG_NONLINEAR : most;
    }
    }
}

dag_degree dag_degree_of(dag *d, expr e, dag_classify *classify, void *user)
{
    dag_begin(d);
    d->order.n = 0;
    postorder(d, e);
    for (int i = 0; i < d->order.n; i++) {
        expr x = d->order.at[i];
        d->kind[x] = (uint8_t)degree_of_node(d, x, classify, user);
    }
    return (dag_degree)d->kind[e];
}

/* ---- solving --------------------------------------------------------------------------------- */

/* kind[x] = 1 for the nodes from which var can be reached. */
static void mark_users(dag *d, expr e, expr var)
{
    dag_begin(d);
    d->order.n = 0;
    postorder(d, e);
    for (int i = 0; i < d->order.n; i++) {
        expr x = d->order.at[i];
        bool uses = x == var;
        int n = expr_arity(d->p, x);
        const expr *args = n ? expr_args(d->p, x) : NULL;
        for (int k = 0; k < n && !uses; k++) uses = d->kind[args[k]];
        d->kind[x] = uses;
    }
}

expr dag_solve(dag *d, expr f, expr var, expr *guard)
{
    expr_pool *p = d->p;
    *guard = 0;
    mark_users(d, f, var);
    if (!d->kind[f]) return 0;

    // Invariant: the equation is "at = target", and only `at` contains var.
    expr at = f, target = p->zero;
    while (at != var) {
        expr_op op = (expr_op)expr_at(p, at)->op;
        int n = expr_arity(p, at);
        expr a = n > 0 ? expr_args(p, at)[0] : 0, b = n > 1 ? expr_args(p, at)[1] : 0;
        if (op == EXPR_NEG) {
            target = expr_neg(p, target);
            at = a;
            continue;
        }
        if (op == EXPR_NOEVENT) {
            at = a;
            continue;
        }
        if (op == EXPR_LOG) { // every target has one solution, and it is where log has a value
            target = expr_1(p, EXPR_EXP, target);
            at = a;
            continue;
        }
        if (n != 2 || (d->kind[a] && d->kind[b])) return 0;
        bool left = d->kind[a]; // var is in the left argument
        switch (op) {
        case EXPR_ADD: target = expr_sub(p, target, left ? b : a); break;
        case EXPR_SUB: target = left ? expr_add(p, target, b) : expr_sub(p, a, target); break;
        case EXPR_MUL:
        case EXPR_DIV: {
            expr other = left ? b : a;
            if (op == EXPR_DIV && !left) return 0;
            target = op == EXPR_DIV ? expr_mul(p, target, other) : expr_div(p, target, other);
            if (op == EXPR_MUL) *guard = *guard ? expr_mul(p, *guard, other) : other;
            break;
        }
        default: return 0;
        }
        at = left ? a : b;
    }
    return target;
}

int dag_signed_sum(const expr_pool *p, expr e, dag_term *terms, int max)
{
    // Every waiting part gives at least one term, so a long sum is given up early.
    enum { ROOM = 16 };
    dag_term waiting[ROOM];
    int n = 0, n_waiting = 1;
    waiting[0] = (dag_term){e, 1};
    while (n_waiting) {
        dag_term x = waiting[--n_waiting];
        const expr_node *node = expr_at(p, x.var);
        double value;
        if (expr_number(p, x.var, &value)) {
            if (value != 0) return -1;
        } else if (node->op == EXPR_VAR) {
            if (n == max) return -1;
            terms[n++] = x;
        } else if (node->op == EXPR_NEG) {
            waiting[n_waiting++] = (dag_term){node->u.arg[0], -x.sign};
        } else if (node->op == EXPR_ADD || node->op == EXPR_SUB) {
            if (n_waiting + 2 > ROOM || n + n_waiting + 1 > max + 1) return -1;
            int sign = node->op == EXPR_SUB ? -x.sign : x.sign;
            waiting[n_waiting++] = (dag_term){node->u.arg[1], sign};
            waiting[n_waiting++] = (dag_term){node->u.arg[0], x.sign};
        } else {
            return -1;
        }
    }
    return n;
}

/* ---- rewriting ------------------------------------------------------------------------------- */

void dag_rewriter_init(dag_rewriter *r, dag *d, void *user)
{
    *r = (dag_rewriter){.d = d, .user = user};
}

void dag_rewriter_init_few(dag_rewriter *r, dag *d, void *user)
{
    dag_rewriter_init(r, d, user);
    map_init(&r->few, d->a);
}

static void memo_grow(dag_rewriter *r)
{
    int cap = r->d->p->n + r->d->p->n / 2 + 64;
    r->memo = arena_resize(r->d->a, r->memo, (size_t)r->cap * sizeof *r->memo,
                           (size_t)cap * sizeof *r->memo);
    r->cap = cap;
}

void dag_rewriter_done(dag_rewriter *r)
{
    r->memo = arena_resize(r->d->a, r->memo, (size_t)r->cap * sizeof *r->memo, 0);
    r->cap = 0;
}

static inline expr *memo_of(dag_rewriter *r, expr e)
{
    int number = r->number ? r->number(r->user, e) : -1;
    if (number >= 0) return &r->numbered[number];
    if (r->few.a) {
        uint64_t *place = map_put(&r->few, (uint64_t)e);
        if (!*place) {
            array_push(r->d->a, &r->met, 0);
            *place = (uint64_t)r->met.n;
        }
        return &r->met.at[*place - 1];
    }
    if (e >= r->cap) memo_grow(r);
    return &r->memo[e];
}

static expr memo_seen(const dag_rewriter *r, expr e)
{
    int number = r->number ? r->number(r->user, e) : -1;
    if (number >= 0) return r->numbered[number];
    const uint64_t *place = r->few.a ? map_find(&r->few, (uint64_t)e) : NULL;
    if (r->few.a) return place ? r->met.at[*place - 1] : 0;
    return e < r->cap ? r->memo[e] : 0;
}

void dag_rewriter_set(dag_rewriter *r, expr from, expr to)
{
    *memo_of(r, from) = to;
    r->changes = r->changes || from != to;
}

bool dag_rewriter_keeps(const dag_rewriter *r, const expr *vars, int n)
{
    if (r->before || r->after) return false;
    for (int k = 0; k < n && r->changes; k++) {
        expr to = memo_seen(r, vars[k]);
        if (to && to != vars[k]) return false;
    }
    return true;
}

/* The node e with rewritten arguments. */
static expr rebuild(dag_rewriter *r, expr e)
{
    expr_pool *p = r->d->p;
    int n = expr_arity(p, e);
    int_array *args = &r->d->args;
    args->n = 0;
    bool same = true;
    for (int k = 0; k < n; k++) {
        expr old = expr_args(p, e)[k], now = *memo_of(r, old);
        array_push(r->d->a, args, now);
        same = same && now == old;
    }
    if (same) return e;
    expr_node node = *expr_at(p, e);
    if (node.op != EXPR_CALL) return expr_make(p, (expr_op)node.op, args->at, n);
    return expr_call(p, node.u.call.function, node.u.call.output, (expr_type)node.type,
                     node.enum_id, args->at, n);
}

/* A node that nothing is below. */
static void rewrite_leaf(dag_rewriter *r, expr e)
{
    expr to = r->before ? r->before(r->user, e) : 0;
    if (!to) to = r->after ? r->after(r->user, e, e) : e;
    *memo_of(r, e) = to;
}

expr dag_rewrite(dag_rewriter *r, expr e)
{
    dag *d = r->d;
    if (!r->before && !r->after && !r->changes) return e;
    if (*memo_of(r, e)) return *memo_of(r, e);
    int base = r->stack.n;
    array_push(d->a, &r->stack, e);
    while (r->stack.n > base) {
        expr x = array_last(&r->stack);
        if (*memo_of(r, x)) {
            r->stack.n--;
            continue;
        }
        expr to = r->before ? r->before(r->user, x) : 0;
        if (to) {
            *memo_of(r, x) = to;
            r->stack.n--;
            continue;
        }
        int n = expr_arity(d->p, x), waiting = 0;
        for (int k = n - 1; k >= 0; k--) {
            expr arg = expr_args(d->p, x)[k];
            if (*memo_of(r, arg)) continue;
            if (!operator_arities[expr_at(d->p, arg)->op]) {
                rewrite_leaf(r, arg);
            } else {
                array_push(d->a, &r->stack, arg);
                waiting++;
            }
        }
        if (waiting) continue;
        r->stack.n--;
        expr y = n ? rebuild(r, x) : x;
        if (r->after) y = r->after(r->user, x, y);
        *memo_of(r, x) = y;
    }
    return *memo_of(r, e);
}
