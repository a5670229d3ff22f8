/* Is an expression affine in one variable?
 *
 * Each node is classified: free of the variable, affine in it (a*var + b with a and b free), or
 * neither.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

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

static bool affine_need(affine *s, expr e)
{
    if (e < s->lowest || idmap_find(&s->memo, e)) return true;
    array_push(s->scratch, &s->stack, e);
    return false;
}

static bool affine_finish(affine *s, expr e, form f)
{
    array_push(s->scratch, &s->forms, f);
    idmap_put(&s->memo, e, s->forms.n - 1);
    return true;
}

static form affine_branches(expr_pool *p, expr c, form x, form y)
{
    return (form){AFFINE, expr_3(p, EXPR_IF, c, x.a, y.a), expr_3(p, EXPR_IF, c, x.b, y.b)};
}

static form affine_wrap(expr_pool *p, expr_op op, form x)
{
    return (form){AFFINE, expr_1(p, op, x.a), expr_1(p, op, x.b)};
}

// The form of an operator from those of its arguments, of which at least one is not free.
static form affine_combine(expr_pool *p, expr e, const form *x)
{
    static const form other = {OTHER, 0, 0};
    expr_node n = *expr_at(p, e);
    for (int i = 0; i < expr_arity(p, e); i++)
        if (x[i].kind == OTHER) return other;
    switch (n.op) {
    case EXPR_NEG: return affine_wrap(p, EXPR_NEG, x[0]);
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
    case EXPR_IF: return x[0].kind == FREE ? affine_branches(p, n.u.arg[0], x[1], x[2]) : other;
    case EXPR_NOEVENT: return affine_wrap(p, EXPR_NOEVENT, x[0]);
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
    if (other && !affine_need(s, other)) return false;
    s->depth--;
    return affine_finish(s, e, other ? form_of(s, other) : (form){OTHER, 0, 0});
}

static bool affine_visit(affine *s, expr e)
{
    expr_pool *p = s->p;
    expr_op op = expr_op_of(p, e);
    int n = expr_arity(p, e);
    if (e == s->var) return affine_finish(s, e, (form){AFFINE, p->one, p->zero});
    if (n == 0 || op == EXPR_PRE) return affine_finish(s, e, (form){FREE, p->zero, e});
    if (op == EXPR_DER) return written_out(s, e);

    const expr *args = expr_args(p, e);
    bool ready = true, is_free = true;
    for (int i = n - 1; i >= 0; i--) ready = affine_need(s, args[i]) && ready;
    if (!ready) return false;
    for (int i = 0; i < n; i++) is_free = is_free && form_of(s, args[i]).kind == FREE;
    if (is_free) return affine_finish(s, e, (form){FREE, p->zero, e});
    if (op == EXPR_CALL) return written_out(s, e);
    if (n > 3) return affine_finish(s, e, (form){OTHER, 0, 0});
    form x[3];
    for (int i = 0; i < n; i++) x[i] = form_of(s, args[i]);
    return affine_finish(s, e, affine_combine(p, e, x));
}

static void affine_init(affine *s, expr_pool *p, expr var, arena *scratch)
{
    *s = (affine){.p = p, .scratch = scratch, .var = var, .lowest = p->has_der ? 0 : var};
    idmap_init(&s->memo, scratch);
    idmap_init(&s->instead, scratch);
}

static form affine_classify(affine *s, expr e)
{
    array_push(s->scratch, &s->stack, e);
    while (s->stack.n) {
        expr top = array_last(&s->stack);
        if (top < s->lowest || idmap_find(&s->memo, top) || affine_visit(s, top)) s->stack.n--;
    }
    return form_of(s, e);
}

bool expr_affine(expr_pool *p, expr e, expr var, arena *scratch, expr *a, expr *b)
{
    arena_mark mark = arena_here(scratch);
    affine s;
    affine_init(&s, p, var, scratch);
    form f = affine_classify(&s, e);
    expr_release(p, scratch, mark);
    if (f.kind == OTHER) return false;
    *a = f.a;
    *b = f.b;
    return true;
}

expr expr_solve_affine(expr_pool *p, expr lhs, expr rhs, expr var, arena *scratch)
{
    expr l[2], r[2]; // coefficient of var, and the rest
    if (!expr_affine(p, lhs, var, scratch, &l[0], &l[1]) ||
        !expr_affine(p, rhs, var, scratch, &r[0], &r[1]))
        return 0;
    expr a = expr_sub(p, l[0], r[0]), b = expr_sub(p, r[1], l[1]);
    double number;
    if (expr_number(p, a, &number) && number == 0) return 0;
    return expr_div(p, b, a);
}

expr expr_without_factor(expr_pool *p, expr e, double *factor)
{
    *factor = 1;
    for (;;) {
        expr_op op = expr_at(p, e)->op;
        const expr *x = expr_args(p, e);
        double number = 0;
        if (op == EXPR_NEG) *factor = -*factor, e = x[0];
        else if (op == EXPR_MUL && expr_number(p, x[0], &number)) *factor *= number, e = x[1];
        else if (op == EXPR_MUL && expr_number(p, x[1], &number)) *factor *= number, e = x[0];
        else if (op == EXPR_DIV && expr_number(p, x[1], &number)) *factor /= number, e = x[0];
        else return e;
    }
}
