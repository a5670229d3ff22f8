/* Statements of the flat model: algorithm sections, when-clauses, assertions.
 *
 * Loops over known ranges are unrolled, assignments of arrays and records become assignments of
 * scalars (assign.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"
#include "function/function.h"

#include <string.h>

static bool emit_statement(equation_list *d, const scope *s, const ast_stmt *st);
static bool emit_statements(equation_list *d, const scope *s, const ast_stmts *list);

void equation_push(equation_writer *em, flat_statements *out, flat_statement st)
{
    st.instance = em->instance;
    st.clock = em->clock;
    array_push(em->b->model, out, st);
}

/* A subscript is inside its array, and what is said where it is not. */
static expr subscript_inside(flat_builder *b, const scope_check *c, expr *message)
{
    expr_pool *p = b->pool;
    mem m = value_arena_mem(b->front);
    text t;
    text_init(&t, &m);
    text_printf(&t, " of '%s' is outside 1 ... %d", c->array, c->size);
    expr number = expr_make(p, EXPR_TOSTRING, &c->sub, 1);
    expr words = expr_2(p, EXPR_ADD, expr_string(p, sym_of(b->lib->syms, "subscript ")), number);
    *message = expr_2(p, EXPR_ADD, words, expr_string(p, sym_of(b->lib->syms, text_str(&t))));
    return expr_2(p, EXPR_AND, expr_2(p, EXPR_GE, c->sub, expr_integer(p, 1)),
                  expr_2(p, EXPR_LE, c->sub, expr_integer(p, c->size)));
}

void equation_checks(equation_writer *em, const scope_checks *list, flat_statements *out, int at)
{
    expr_pool *p = em->b->pool;
    for (int i = 0; i < list->n; i++) {
        const scope_check *c = &list->at[i];
        expr message = c->message, holds = c->array ? subscript_inside(em->b, c, &message) : c->sub;
        holds = expr_1(p, EXPR_NOEVENT, holds);
        if (c->guard) holds = expr_3(p, EXPR_IF, c->guard, holds, p->yes);
        equation_push(em, out,
                      (flat_statement){.kind = FLAT_ASSERT,
                                       .level = !c->warning,
                                       .var = -1,
                                       .value = holds,
                                       .message = message,
                                       .call = c->call,
                                       .at = c->at});
    }
    flat_statement *s = out->at;
    for (int i = 0; i < list->n; i++) // the last one goes to the front
        for (int k = out->n - 1; k > at; k--) {
            flat_statement other = s[k];
            s[k] = s[k - 1];
            s[k - 1] = other;
        }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const ast_expr *statement_argument(const ast_call *c, int i, const char *name)
{
    if (i < c->args.n) return c->args.at[i];
    for (int k = 0; k < c->n_named; k++)
        if (!strcmp(c->named[k].name, name)) return c->named[k].value;
    return NULL;
}

static bool string_argument(const scope *s, const ast_expr *e, expr *out)
{
    value v;
    if (!eval_expr(s, e, &v)) return false;
    if (v.type != VALUE_STRING || v.n_dims) {
        diag_error(s->b->diags, "M162", e->span, "the message must be a String, not %s",
                   value_type_name(&s->b->env, &v));
        return false;
    }
    *out = v.e;
    return true;
}

static bool emit_assert(equation_writer *em, const scope *s, const ast_stmt *st,
                        flat_statements *out)
{
    flat_builder *b = em->b;
    const ast_call *c = st->call->call;
    const ast_expr *cond = statement_argument(c, 0, "condition"),
                   *msg = statement_argument(c, 1, "message");
    const ast_expr *level = statement_argument(c, 2, "level");
    flat_statement f = {.kind = FLAT_ASSERT, .level = 1, .var = -1, .at = st->span};
    value v;
    bool yes;
    if (!cond || !msg || c->args.n + c->n_named > 3) {
        diag_error(
            b->diags, "M163", st->span,
            "assert takes a condition, a message and perhaps a level: assert(x > 0, \"...\")");
        return false;
    }
    b->open_texts = true;
    bool known = eval_expr(s, cond, &v);
    b->open_texts = false;
    if (!known) return false;
    if (v.type != VALUE_BOOLEAN || v.n_dims) {
        diag_error(b->diags, "M156", cond->span, "a condition must be a Boolean, not %s",
                   value_type_name(&b->env, &v));
        return false;
    }
    f.value = v.e;
    if (em->guard) f.value = expr_3(b->pool, EXPR_IF, em->guard, f.value, b->pool->yes);
    if (expr_is_literal(b->pool, f.value) && expr_at(b->pool, f.value)->u.integer) return true;
    if (level) {
        if (!eval_structural(s, level, &v)) return false;
        if (v.type == VALUE_ENUM && expr_is_literal(b->pool, v.e))
            f.level = expr_at(b->pool, v.e)->u.integer == 2;
    }
    if (!string_argument(s, msg, &f.message)) return false;
    value now = {.type = VALUE_BOOLEAN, .n = 1, .e = f.value};
    if (value_literal_boolean(&b->env, &now, &yes) && !yes && f.level && out == em->asserts &&
        expr_at(b->pool, f.message)->op == EXPR_STRING) {
        diag_error(b->diags, "M164", st->span, "assertion failed: %s",
                   expr_at(b->pool, f.message)->u.string);
        return false;
    }
    equation_push(em, out, f);
    return true;
}

static bool emit_terminate(equation_writer *em, const scope *s, const ast_stmt *st,
                           flat_statements *out)
{
    const ast_expr *msg = statement_argument(st->call->call, 0, "message");
    flat_statement f = {.kind = FLAT_TERMINATE, .var = -1, .at = st->span};
    if (!msg) {
        diag_error(em->b->diags, "M163", st->span, "terminate takes a message");
        return false;
    }
    if (!string_argument(s, msg, &f.message)) return false;
    equation_push(em, out, f);
    return true;
}

static bool emit_reinit(equation_writer *em, const scope *s, const ast_stmt *st,
                        flat_statements *out, bool in_when)
{
    flat_builder *b = em->b;
    const ast_call *c = st->call->call;
    value x, v;
    if (!in_when) {
        diag_error(b->diags, "M165", st->span, "reinit can only be used in a when-clause");
        return false;
    }
    if (c->args.n != 2 || c->n_named) {
        diag_error(b->diags, "M163", st->span, "reinit takes a state and its new value");
        return false;
    }
    if (!eval_expr(s, c->args.at[0], &x) || !eval_expr(s, c->args.at[1], &v)) return false;
    if (!value_same_dims(&x, &v) || x.type != VALUE_REAL || !value_is_numeric(&v)) {
        diag_error(b->diags, "M151", st->span,
                   "reinit needs a Real variable and a value of its size");
        return false;
    }
    v = value_to_real(&b->env, v);
    for (int i = 0; i < x.n; i++) {
        const expr_node *n = expr_at(b->pool, value_at(&x)[i]);
        if (n->op != EXPR_VAR || n->u.var.order) {
            diag_error(b->diags, "M166", c->args.at[0]->span, "reinit needs a variable");
            return false;
        }
        flat_statement f = {
            .kind = FLAT_REINIT, .var = n->u.var.index, .value = value_at(&v)[i], .at = st->span};
        equation_push(em, out, f);
    }
    return true;
}

bool equation_call(equation_writer *em, const scope *s, const ast_stmt *st, flat_statements *out,
                   bool in_when)
{
    const ast_expr *e = st->call;
    const ast_call *c = e->call;
    if (c->f.n == 1 && !c->f.global) {
        const char *name = c->f.at[0].name;
        if (!strcmp(name, "assert")) return emit_assert(em, s, st, out);
        if (!strcmp(name, "terminate")) return emit_terminate(em, s, st, out);
        if (!strcmp(name, "reinit")) return emit_reinit(em, s, st, out, in_when);
    }
    if (c->f.n == 2 && !strcmp(c->f.at[0].name, "Connections")) return true; // see connect.c
    expr call, message;
    if (!function_effect(s, e, &call, &message)) return false;
    flat_statement f = {.kind = FLAT_CALL, .var = -1, .value = call, .at = st->span};
    if (message && call) f.message = message; // it prints
    else if (message) { // the function only reports an error: an assertion that fails
        f.kind = FLAT_ASSERT;
        f.value = em->b->pool->no;
        f.message = message;
        f.level = 1;
    }
    if (f.value) equation_push(em, out, f);
    return true;
}

/* ---- if and when ----------------------------------------------------------------------------- */

static bool emit_branch(const equation_list *d, const scope *s, const ast_stmts *list,
                        expr condition, flat_statement *f)
{
    flat_branch br = {.condition = condition};
    equation_list inner = *d;
    inner.out = &br.body;
    bool ok = emit_statements(&inner, s, list);
    array_push(d->em->b->model, &f->branches, br);
    return ok;
}

static bool emit_if_statement(equation_list *d, const scope *s, const ast_stmt *st)
{
    flat_statement f = {.kind = FLAT_IF, .var = -1, .at = st->span};
    bool closed = false;
    for (int i = 0; i < st->branches.n && !closed; i++) {
        const ast_branch *br = &st->branches.at[i];
        expr c = 0;
        int known = br->test ? equation_condition(d->em, s, br->test, &c) : 1;
        if (known == -2) return false;
        if (known == 0) continue;
        closed = known == 1;
        if (closed && !f.branches.n) return emit_statements(d, s, &br->body);
        if (!closed)
            eval_guard(d->em->b, expr_1(d->em->b->pool, EXPR_NOT, c)); // further conditions
        if (!emit_branch(d, s, &br->body, closed ? 0 : c, &f)) return false;
    }
    if (f.branches.n) equation_push(d->em, d->out, f);
    return true;
}

static bool is_initial(const ast_expr *e)
{
    return e->kind == AST_CALL && e->call->f.n == 1 && !strcmp(e->call->f.at[0].name, "initial");
}

/* A when-clause is active during initialization if initial() itself is its condition or one of
 * them; what only comes to the same does not count (Modelica Language Specification 3.6, section
 * 8.6). */
static expr when_condition(flat_builder *b, const ast_expr *e, expr c)
{
    bool same = expr_at(b->pool, c)->op == EXPR_INITIAL;
    return same && !is_initial(e) ? expr_1(b->pool, EXPR_NOEVENT, c) : c;
}

/* when {c1, c2}: any of them becoming true. */
static bool when_conditions(equation_writer *em, const scope *s, const ast_expr *e, flat_branch *br)
{
    flat_builder *b = em->b;
    value v;
    if (!eval_expr(s, e, &v)) return false;
    if (v.type != VALUE_BOOLEAN || v.n_dims > 1) {
        diag_error(b->diags, "M156", e->span, "the condition of 'when' must be Boolean, not %s%s",
                   value_type_name(&b->env, &v),
                   v.type == VALUE_CLOCK ? "; a when-clause of a clock stands among equations, not "
                                           "in an algorithm, and has no elsewhen"
                                         : "");
        return false;
    }
    bool list = e->kind == AST_ARRAY && e->list.n == v.n;
    br->condition = b->pool->no;
    for (int i = 0; i < v.n; i++) {
        expr c = when_condition(b, list ? e->list.at[i] : e, value_at(&v)[i]);
        if (i) array_push(b->model, &br->also, c);
        else br->condition = c;
    }
    return true;
}

bool equation_when(equation_writer *em, const scope *s, const ast_stmt *st, flat_statements *out,
                   bool equations)
{
    flat_statement f = {.kind = FLAT_WHEN, .var = -1, .at = st->span};
    for (int i = 0; i < st->branches.n; i++) {
        flat_branch br = {0};
        equation_list d = {em, &br.body, true, equations, em->body ? em->body->broken : -1};
        if (!when_conditions(em, s, st->branches.at[i].test, &br)) return false;
        if (!emit_statements(&d, s, &st->branches.at[i].body)) return false;
        array_push(em->b->model, &f.branches, br);
    }
    equation_push(em, out, f);
    return true;
}

/* ---- break ----------------------------------------------------------------------------------- */

static bool may_break(const ast_stmt *st)
{
    if (st->kind == AST_BREAK) return true;
    if (st->kind != AST_IF_STMT) return false;
    for (int i = 0; i < st->branches.n; i++)
        for (int k = 0; k < st->branches.at[i].body.n; k++)
            if (may_break(st->branches.at[i].body.at[k])) return true;
    return false;
}

/* What follows a statement that may leave the loop happens only if it did not. */
static bool emit_unless_broken(const equation_list *d, const scope *s, const ast_stmts *rest)
{
    flat_builder *b = d->em->b;
    flat_statement f = {.kind = FLAT_IF, .var = -1};
    expr broken = expr_var(b->pool, d->broken, 0, TYPE_BOOLEAN, 0);
    bool ok = emit_branch(d, s, rest, expr_1(b->pool, EXPR_NOT, broken), &f);
    f.at = rest->n ? rest->at[0]->span : (span){0};
    if (f.branches.at[0].body.n) equation_push(d->em, d->out, f);
    return ok;
}

static bool emit_loop_body(equation_writer *em, const scope *s, const ast_stmts *list)
{
    if (em->body->broken >= 0) return emit_unless_broken(em->body, s, list);
    return emit_statements(em->body, s, list);
}

static bool emit_loop(const equation_list *d, const scope *s, const ast_stmt *st)
{
    flat_builder *b = d->em->b;
    equation_list inner = *d;
    equation_writer em = *d->em;
    inner.em = &em;
    em.body = &inner;
    inner.broken = -1;
    for (int i = 0; i < st->loop.body.n; i++)
        if (may_break(st->loop.body.at[i])) inner.broken = 0;
    if (inner.broken == 0) {
        flat_var like = {.type = TYPE_BOOLEAN, .variability = FLAT_DISCRETE};
        inner.broken = equation_auxiliary(&em, &like, st->span);
        equation_push(
            &em, d->out,
            (flat_statement){
                .kind = FLAT_ASSIGN, .var = inner.broken, .value = b->pool->no, .at = st->span});
    }
    return equation_for(&em, s, st, emit_loop_body);
}

/* ---- while ----------------------------------------------------------------------------------- */

/* Variables made while the loop was written live in its program only. */
static void forget_variables(flat_builder *b, int first)
{
    inst_forget_named(b, first);
    flat_vars_forget(&b->m->vars, first);
}

/* How often it runs is known only during the run: it is executed there, without events. */
static bool emit_while(equation_list *d, const scope *s, const ast_stmt *st)
{
    flat_builder *b = d->em->b;
    const ast_branch *loop = &st->branches.at[0];
    flat_statements body = {0};
    equation_writer em = *d->em;
    equation_list inner = {&em, &body, d->in_when, false, -1};
    function_loop l = {.body = &body, .first_own = b->m->vars.n, .at = st->span};
    int_array vars = {0}, values = {0};
    em.body = &inner;
    bool no_event = b->env.no_event;
    b->env.no_event = true;
    int known = equation_condition(&em, s, loop->test, &l.condition);
    bool ok = known != -2;
    bool breaks = false;
    for (int i = 0; i < loop->body.n; i++) breaks |= may_break(loop->body.at[i]);
    if (ok && known != 0 && breaks) {
        flat_var like = {.type = TYPE_BOOLEAN, .variability = FLAT_DISCRETE};
        inner.broken = equation_auxiliary(&em, &like, st->span);
        expr broken = expr_var(b->pool, inner.broken, 0, TYPE_BOOLEAN, 0);
        l.condition = expr_2(b->pool, EXPR_AND, expr_1(b->pool, EXPR_NOT, broken), l.condition);
    }
    if (ok && known != 0)
        ok = emit_loop_body(&em, s, &loop->body) && function_loop_call(b, &l, &vars, &values);
    b->env.no_event = no_event;
    forget_variables(b, l.first_own);
    if (ok) equation_assign(d, vars.at, values.at, vars.n, st->span);
    return ok;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool emit_one(equation_list *d, const scope *s, const ast_stmt *st)
{
    flat_builder *b = d->em->b;
    switch ((ast_stmt_kind)st->kind) {
    case AST_EQUATION:
        if (d->equations) return equation_assignment(d, s, st);
        diag_error(b->diags, "M171", st->span,
                   "an equation cannot stand in an algorithm; write ':=' to assign");
        return false;
    case AST_ASSIGN:
        if (!d->equations) return equation_assignment(d, s, st);
        diag_error(
            b->diags, "M161", st->span,
            "an assignment cannot stand among equations; write '=' or use an algorithm section");
        return false;
    case AST_CALL_STMT: return equation_call(d->em, s, st, d->out, d->in_when);
    case AST_IF_STMT: return emit_if_statement(d, s, st);
    case AST_FOR: return emit_loop(d, s, st);
    case AST_BREAK:
        if (d->broken >= 0) {
            equation_push(
                d->em, d->out,
                (flat_statement){
                    .kind = FLAT_ASSIGN, .var = d->broken, .value = b->pool->yes, .at = st->span});
            return true;
        }
        diag_error(b->diags, "M173", st->span, "break can only be used in a loop");
        return false;
    case AST_WHEN:
        if (!d->in_when) return equation_when(d->em, s, st, d->out, false);
        diag_error(b->diags, "M160", st->span, "a when-clause cannot stand in another one");
        return false;
    case AST_CONNECT:
        diag_error(b->diags, "M159", st->span, "a connection cannot stand here");
        return false;
    case AST_WHILE: return emit_while(d, s, st);
    default:
        diag_error(b->diags, "M172", st->span, "return can only be used in a function");
        return false;
    }
}

static bool emit_statement(equation_list *d, const scope *s, const ast_stmt *st)
{
    flat_builder *b = d->em->b;
    scope_checks own = {0}, *outer = b->checks;
    expr guard = b->guard;
    int at = d->out->n;
    b->checks = &own;
    b->guard = 0;
    bool ok = emit_one(d, s, st);
    b->checks = outer;
    b->guard = guard;
    if (own.n) equation_checks(d->em, &own, d->out, at);
    return ok;
}

static bool emit_statements(equation_list *d, const scope *s, const ast_stmts *list)
{
    bool ok = true;
    for (int i = 0; i < list->n; i++) {
        bool good = emit_statement(d, s, list->at[i]);
        ok = good && ok;
        if (!good && s->names) return false;
        if (d->broken < 0 || !may_break(list->at[i])) continue;
        ast_stmts rest = {list->at + i + 1, list->n - i - 1};
        return (!rest.n || emit_unless_broken(d, s, &rest)) && ok;
    }
    return ok;
}

bool equation_algorithm(equation_writer *em, const scope *s, const ast_section *section)
{
    flat_algorithm a = {.initial = section->initial, .instance = em->instance, .at = section->span};
    equation_list d = {em, &a.body, false, false, -1};
    bool ok = emit_statements(&d, s, &section->body);
    if (a.body.n) array_push(em->b->model, &em->b->m->algorithms, a);
    return ok;
}
