/* Solving an equation for one variable.
 *
 * First each node is classified: free of the variable, affine in it (a*var + b with a and b free),
 * or neither. An affine equation is solved by a division. Otherwise operators are inverted from the
 * root down as long as the variable stays on one side and in one argument, and the inverse is
 * unique and either exists or is visibly not a number: + - * /, odd powers, exp, log, c^x. Not
 * sqrt, sin, atan: their inverses give a number also where the equation has no solution.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <math.h>

typedef enum kind { FREE, AFFINE, OTHER } kind;

typedef struct form {
    kind kind;
    expr a, b; // AFFINE: a*var + b; FREE: b
} form;

typedef struct affine {
    expr_pool *p;
    arena *scratch;
    expr var;
    expr lowest; // nodes below it are free
    idmap memo;  // node to form
    idmap instead;
    ARRAY(form) forms;
    int_array stack;
    int depth, deep_calls;
} affine;

static form form_of(const affine *s, expr e)
{
    if (e < s->lowest) return (form){FREE, s->p->zero, e};
    const int *i = idmap_find(&s->memo, e);
    return i ? s->forms.at[*i] : (form){OTHER, 0, 0};
}

static bool solve_need(affine *s, expr e)
{
    if (e < s->lowest || idmap_find(&s->memo, e)) return true;
    array_push(s->scratch, &s->stack, e);
    return false;
}

static bool solve_finish(affine *s, expr e, form f)
{
    array_push(s->scratch, &s->forms, f);
    idmap_put(&s->memo, e, s->forms.n - 1);
    return true;
}

static form solve_branches(expr_pool *p, expr c, form x, form y)
{
    return (form){AFFINE, expr_3(p, EXPR_IF, c, x.a, y.a), expr_3(p, EXPR_IF, c, x.b, y.b)};
}

static form solve_wrap(expr_pool *p, expr_op op, form x)
{
    return (form){AFFINE, expr_1(p, op, x.a), expr_1(p, op, x.b)};
}

// The form of an operator from those of its arguments, of which at least one is not free.
static form solve_combine(expr_pool *p, expr e, const form *x)
{
    static const form other = {OTHER, 0, 0};
    expr_node n = *expr_at(p, e);
    for (int i = 0; i < expr_arity(p, e); i++)
        if (x[i].kind == OTHER) return other;
    switch (n.op) {
    case EXPR_NEG: return solve_wrap(p, EXPR_NEG, x[0]);
    case EXPR_ADD: return (form){AFFINE, expr_add(p, x[0].a, x[1].a), expr_add(p, x[0].b, x[1].b)};
    case EXPR_SUB: return (form){AFFINE, expr_sub(p, x[0].a, x[1].a), expr_sub(p, x[0].b, x[1].b)};
    case EXPR_MUL:
        if (x[0].kind == FREE)
            return (form){AFFINE, expr_mul(p, x[0].b, x[1].a), expr_mul(p, x[0].b, x[1].b)};
        if (x[1].kind == FREE)
            return (form){AFFINE, expr_mul(p, x[0].a, x[1].b), expr_mul(p, x[0].b, x[1].b)};
        return other;
    case EXPR_DIV:
        if (x[1].kind != FREE) return other;
        return (form){AFFINE, expr_div(p, x[0].a, x[1].b), expr_div(p, x[0].b, x[1].b)};
    case EXPR_IF: return x[0].kind == FREE ? solve_branches(p, n.u.arg[0], x[1], x[2]) : other;
    case EXPR_NOEVENT: return solve_wrap(p, EXPR_NOEVENT, x[0]);
    case EXPR_SMOOTH: return x[0].kind == FREE ? x[1] : other;
    case EXPR_HOMOTOPY:
        return (form){AFFINE, expr_2(p, EXPR_HOMOTOPY, x[0].a, x[1].a),
                      expr_2(p, EXPR_HOMOTOPY, x[0].b, x[1].b)};
    default: return other;
    }
}

// DER and CALL nodes are what they stand for, where that can be written out.
static expr stands_for(affine *s, expr e)
{
    expr_pool *p = s->p;
    expr_node n = *expr_at(p, e);
    expr r = 0;
    if (n.op == EXPR_DER) {
        if (!expr_total_diff(p, &n.u.arg[0], 1, s->scratch, &r, NULL)) return 0;
        return r;
    }
    const expr_context *c = &p->context;
    if (!c->inline_call || ++s->deep_calls > EXPR_CALL_BUDGET || s->depth >= EXPR_CALL_DEPTH)
        return 0;
    expr *args = arena_array(s->scratch, expr, n.u.call.n);
    for (int i = 0; i < n.u.call.n; i++) args[i] = expr_args(p, e)[i];
    r = c->inline_call(c->user, n.u.call.function, n.u.call.output, args, n.u.call.n);
    return r == e ? 0 : r;
}

static bool written_out(affine *s, expr e)
{
    const int *known = idmap_find(&s->instead, e);
    expr other = known ? *known : stands_for(s, e);
    if (!known) {
        idmap_put(&s->instead, e, other);
        s->depth++;
    }
    if (other && !solve_need(s, other)) return false;
    s->depth--;
    return solve_finish(s, e, other ? form_of(s, other) : (form){OTHER, 0, 0});
}

static bool solve_visit(affine *s, expr e)
{
    expr_pool *p = s->p;
    expr_op op = expr_op_of(p, e);
    int n = expr_arity(p, e);
    if (e == s->var) return solve_finish(s, e, (form){AFFINE, p->one, p->zero});
    if (n == 0 || op == EXPR_PRE) return solve_finish(s, e, (form){FREE, p->zero, e});
    if (op == EXPR_DER) return written_out(s, e);

    const expr *args = expr_args(p, e);
    bool ready = true, is_free = true;
    for (int i = n - 1; i >= 0; i--) ready = solve_need(s, args[i]) && ready;
    if (!ready) return false;
    for (int i = 0; i < n; i++) is_free = is_free && form_of(s, args[i]).kind == FREE;
    if (is_free) return solve_finish(s, e, (form){FREE, p->zero, e});
    if (op == EXPR_CALL) return written_out(s, e);
    if (n > 3) return solve_finish(s, e, (form){OTHER, 0, 0});
    form x[3];
    for (int i = 0; i < n; i++) x[i] = form_of(s, args[i]);
    return solve_finish(s, e, solve_combine(p, e, x));
}

static void affine_init(affine *s, expr_pool *p, expr var, arena *scratch)
{
    *s = (affine){.p = p, .scratch = scratch, .var = var, .lowest = p->has_der ? 0 : var};
    idmap_init(&s->memo, scratch);
    idmap_init(&s->instead, scratch);
}

static form solve_classify(affine *s, expr e)
{
    array_push(s->scratch, &s->stack, e);
    while (s->stack.n) {
        expr top = array_last(&s->stack);
        if (top < s->lowest || idmap_find(&s->memo, top) || solve_visit(s, top)) s->stack.n--;
    }
    return form_of(s, e);
}

bool expr_affine(expr_pool *p, expr e, expr var, arena *scratch, expr *a, expr *b)
{
    arena_mark mark = arena_here(scratch);
    affine s;
    affine_init(&s, p, var, scratch);
    form f = solve_classify(&s, e);
    expr_release(p, scratch, mark);
    if (f.kind == OTHER) return false;
    *a = f.a;
    *b = f.b;
    return true;
}

// ---- what cannot vanish ------------------------------------------------------------------------

enum { LEVELS_LOOKED_AT = 8 }; // levels looked at

static bool solve_positive(const expr_pool *p, expr e, bool or_zero, int depth)
{
    const expr_node *n = expr_at(p, e);
    const expr *x = n->u.arg;
    double v;
    if (expr_number(p, e, &v)) return or_zero ? v >= 0 : v > 0;
    if (depth == 0) return false;
    switch (n->op) {
    case EXPR_EXP:
    case EXPR_COSH: return true;
    case EXPR_ABS:
    case EXPR_SQRT: return or_zero;
    case EXPR_POW:
        if (solve_positive(p, x[0], false, depth - 1)) return true;
        return or_zero && expr_number(p, x[1], &v) && v > 0 && fmod(v, 2) == 0;
    case EXPR_ADD:
        if (solve_positive(p, x[0], or_zero, depth - 1) && solve_positive(p, x[1], true, depth - 1))
            return true;
        return !or_zero && solve_positive(p, x[0], true, depth - 1) &&
               solve_positive(p, x[1], false, depth - 1);
    case EXPR_MUL:
    case EXPR_DIV:
        return solve_positive(p, x[0], or_zero, depth - 1) &&
               solve_positive(p, x[1], or_zero, depth - 1);
    case EXPR_IF:
        return solve_positive(p, x[1], or_zero, depth - 1) &&
               solve_positive(p, x[2], or_zero, depth - 1);
    case EXPR_NOEVENT: return solve_positive(p, x[0], or_zero, depth - 1);
    default: return false;
    }
}

static bool solve_nonzero(const expr_pool *p, expr e, int depth)
{
    const expr_node *n = expr_at(p, e);
    double v;
    if (expr_number(p, e, &v)) return v != 0;
    if (solve_positive(p, e, false, depth)) return true;
    if (depth == 0) return false;
    switch (n->op) {
    case EXPR_NEG:
    case EXPR_NOEVENT: return solve_nonzero(p, n->u.arg[0], depth - 1);
    case EXPR_MUL:
    case EXPR_DIV:
        return solve_nonzero(p, n->u.arg[0], depth - 1) && solve_nonzero(p, n->u.arg[1], depth - 1);
    case EXPR_IF:
        return solve_nonzero(p, n->u.arg[1], depth - 1) && solve_nonzero(p, n->u.arg[2], depth - 1);
    default: return false;
    }
}

/* Can e be seen not to vanish for any finite values (2, exp(x), 1 + x^2)? */
static bool expr_is_nonzero(const expr_pool *p, expr e)
{
    return solve_nonzero(p, e, LEVELS_LOOKED_AT);
}

// ---- solving -----------------------------------------------------------------------------------

static void solve_protect(expr_pool *p, expr *guard, expr e)
{
    if (expr_is_nonzero(p, e)) return;
    *guard = *guard ? expr_mul(p, *guard, e) : e;
}

// x^n = y for odd n: the one real root.
static expr odd_root(expr_pool *p, expr y, double n)
{
    expr power = expr_real(p, 1 / n), c = expr_2(p, EXPR_GE, y, p->zero);
    expr up = expr_2(p, EXPR_POW, y, power);
    expr down = expr_neg(p, expr_2(p, EXPR_POW, expr_neg(p, y), power));
    return expr_3(p, EXPR_IF, expr_1(p, EXPR_NOEVENT, c), up, down);
}

// e = y, where argument k of e is the one that is not free: the value of that argument, or 0.
static expr solve_invert(expr_pool *p, expr e, int k, expr y, expr *guard)
{
    expr_node n = *expr_at(p, e);
    expr other = n.u.arg[1 - (k & 1)];
    double v;
    switch (n.op) {
    case EXPR_NEG: return expr_neg(p, y);
    case EXPR_ADD: return expr_sub(p, y, other);
    case EXPR_SUB: return k == 0 ? expr_add(p, y, other) : expr_sub(p, other, y);
    case EXPR_MUL: solve_protect(p, guard, other); return expr_div(p, y, other);
    case EXPR_DIV:
        if (k == 0) return expr_mul(p, y, other);
        solve_protect(p, guard, y);
        return expr_div(p, other, y);
    case EXPR_POW:
        if (!expr_number(p, other, &v)) return 0;
        if (k == 1) { // v^x = y
            if (v <= 0 || v == 1) return 0;
            return expr_div(p, expr_1(p, EXPR_LOG, y), expr_real(p, log(v)));
        }
        if (v > 0 && fmod(v, 2) == 1) return odd_root(p, y, v);
        if (v != -1) return 0;
        solve_protect(p, guard, y);
        return expr_div(p, p->one, y);
    case EXPR_EXP: return expr_1(p, EXPR_LOG, y);
    case EXPR_LOG: return expr_1(p, EXPR_EXP, y);
    case EXPR_LOG10: return expr_2(p, EXPR_POW, expr_real(p, 10), y);
    case EXPR_NOEVENT: return y;
    case EXPR_SMOOTH: return k == 1 ? y : 0;
    default: return 0;
    }
}

// a*var + b = y
static expr solve_divide(expr_pool *p, form f, expr y, expr *guard)
{
    if (f.a == p->zero) return 0;
    solve_protect(p, guard, f.a);
    return expr_div(p, expr_sub(p, y, f.b), f.a);
}

static expr solve_peel(affine *s, expr e, expr y, expr *guard)
{
    expr_pool *p = s->p;
    for (;;) {
        form f = form_of(s, e);
        if (f.kind == FREE) return 0;
        if (f.kind == AFFINE) return solve_divide(p, f, y, guard);
        int n = expr_arity(p, e), k = -1;
        if (n > 3 || expr_op_of(p, e) == EXPR_CALL || expr_op_of(p, e) == EXPR_DER) return 0;
        for (int i = 0; i < n; i++) {
            if (form_of(s, expr_args(p, e)[i]).kind == FREE) continue;
            if (k >= 0) return 0; // in two arguments
            k = i;
        }
        expr inside = expr_args(p, e)[k];
        y = solve_invert(p, e, k, y, guard);
        if (!y) return 0;
        e = inside;
    }
}

expr expr_solve(expr_pool *p, expr lhs, expr rhs, expr var, arena *scratch, expr *guard)
{
    arena_mark mark = arena_here(scratch);
    affine s;
    affine_init(&s, p, var, scratch);
    form l = solve_classify(&s, lhs), r = solve_classify(&s, rhs);
    expr solution = 0, g = 0;
    if (l.kind == FREE) solution = r.kind == FREE ? 0 : solve_peel(&s, rhs, lhs, &g);
    else if (r.kind == FREE) solution = solve_peel(&s, lhs, rhs, &g);
    else if (l.kind == AFFINE && r.kind == AFFINE) {
        form f = {AFFINE, expr_sub(p, l.a, r.a), l.b};
        solution = solve_divide(p, f, r.b, &g);
    }
    expr_release(p, scratch, mark);
    if (guard) *guard = solution ? g : 0;
    return solution;
}
