/* Strings that when-clauses give their values.
 *
 * Such a variable is s = if c1 then t1 else if c2 then t2 else pre(s), once its clauses are equations. Which of
 * the texts it has is a number, k = if c1 then 1 else if c2 then 2 else pre(k), and so is what stands in them,
 * n = if c1 then x else pre(n) for "x = " + String(x): numbers as of the event. So s is known at any time:
 * if k == 1 then "x = " + String(n) else ..., and its start value before the first event.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <stdio.h>
#include <string.h>

enum { TEXTS_MAX = 200 };

typedef struct holding {
    analysis *w;
    expr rhs;
    dag_rewriter *texts; // what other Strings are
    flat_equations *more;
    span at;
    expr leaf[TEXTS_MAX];
    int n;
    bool failed;
} holding;

static bool is_past(const analysis *w, expr e)
{
    return expr_at(w->p, e)->op == EXPR_PRE;
}

/* Its leaves: the texts. */
static void find_leaves(holding *h, expr e)
{
    const expr_node *n = expr_at(h->w->p, e);
    if (n->op == EXPR_IF) {
        expr a = n->u.arg[1], b = n->u.arg[2];
        find_leaves(h, a);
        find_leaves(h, b);
    } else if (!is_past(h->w, e)) {
        for (int k = 0; k < h->n; k++)
            if (h->leaf[k] == e) return;
        if (h->n == TEXTS_MAX) h->failed = true;
        else h->leaf[h->n++] = e;
    }
}

/* The choice with what belongs to each text in its place; of: NULL, or the only text that gives a value. */
static expr with_leaves(holding *h, expr e, expr only, expr value, expr past)
{
    expr_pool *p = h->w->p;
    expr_node n = *expr_at(p, e);
    if (n.op == EXPR_IF) {
        expr a = with_leaves(h, n.u.arg[1], only, value, past);
        expr b = with_leaves(h, n.u.arg[2], only, value, past);
        return a == b ? a : expr_3(p, EXPR_IF, n.u.arg[0], a, b);
    }
    if (is_past(h->w, e)) return past;
    if (only) return e == only ? value : past;
    for (int k = 0; k < h->n; k++)
        if (h->leaf[k] == e) return expr_integer(p, k + 1);
    return past;
}

/* A hidden discrete variable that changes where the String does. */
static expr held_number(holding *h, expr_type type, int enum_id, expr only, expr value)
{
    flat_model *m = h->w->m;
    char name[32];
    snprintf(name, sizeof name, "$t%d", m->vars.n);
    flat_var v = {.type = (uint8_t)type,
                  .variability = FLAT_DISCRETE,
                  .flags = FLAT_PROTECTED,
                  .decl = flat_declare(h->w->a, "", enum_id, h->at)};
    flat_vars_add(&m->vars, h->w->a, v, arena_strndup(h->w->a, name, strlen(name)));
    expr var = expr_var(h->w->p, m->vars.n - 1, 0, type, enum_id);
    expr past = expr_1(h->w->p, EXPR_PRE, var);
    flat_equation e = {.lhs = var,
                       .rhs = with_leaves(h, h->rhs, only, value, past),
                       .origin = FLAT_FROM_EQUATION,
                       .instance = "",
                       .at = h->at};
    array_push(h->w->a, h->more, e);
    return var;
}

/* A text with its numbers held; h->failed: it depends on what is not known. */
static expr held_text(holding *h, expr leaf, expr e)
{
    expr_pool *p = h->w->p;
    expr_node n = *expr_at(p, e);
    if (n.type != TYPE_STRING) {
        double number;
        if (expr_number(p, e, &number)) return e;
        return held_number(h, (expr_type)n.type, n.enum_id, leaf, e);
    }
    if (n.op == EXPR_STRING) return e;
    if (n.op == EXPR_VAR || n.op == EXPR_PRE || n.op == EXPR_CALL) {
        h->failed = true;
        return e;
    }
    int count = expr_arity(p, e);
    expr *args = arena_array(h->w->scratch, expr, count + 1);
    memcpy(args, expr_args(p, e), (size_t)count * sizeof *args);
    for (int i = 0; i < count && !h->failed; i++) args[i] = held_text(h, leaf, args[i]);
    return h->failed ? e : expr_make(p, (expr_op)n.op, args, count);
}

expr structure_held_text(analysis *w, int var, const flat_equation *e, expr rhs,
                         dag_rewriter *texts, flat_equations *more)
{
    holding h = {.w = w, .rhs = rhs, .texts = texts, .more = more, .at = e->at};
    expr_pool *p = w->p;
    const flat_attributes *a = flat_at(w->m, var)->attr;
    expr value = a && a->start ? a->start : expr_string(p, sym_of(p->syms, ""));
    int vars = w->m->vars.n, before = more->n;
    find_leaves(&h, rhs);
    if (h.failed || !h.n) return 0;
    expr which = held_number(&h, TYPE_INTEGER, 0, 0, 0);
    for (int k = h.n; k-- > 0 && !h.failed;) {
        expr said = held_text(&h, h.leaf[k], dag_rewrite(texts, h.leaf[k]));
        expr is = expr_2(p, EXPR_EQ, which, expr_integer(p, k + 1));
        value = expr_3(p, EXPR_IF, is, said, value);
    }
    if (!h.failed) return value;
    flat_vars_forget(&w->m->vars, vars);
    more->n = before;
    return 0;
}
