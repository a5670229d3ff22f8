/* Symbolic execution of function bodies: Modelica Language Specification 3.6, chapter 11.
 *
 * The state of an execution is the value of every variable and two conditions, "returned" and
 * "broken". A condition that is a literal decides; otherwise both ways are executed on copies of
 * the state and every variable becomes an if-expression. What follows a return or break under an
 * unknown condition is executed for the case that it did not happen, and merged likewise. Loops are
 * unrolled; a while loop whose condition is not known is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"

#include <string.h>

typedef struct state {
    value *v; // of every local
    expr returned, broken;
} state;

typedef struct run {
    function_frame *fr;
    flat_builder *b;
    expr returned, broken;
    int guarded; // under so many conditions that are not known
} run;

static bool run_statements(run *r, const ast_stmts *body, const scope *s);

/* ---- states ---------------------------------------------------------------------------------- */

static state run_save(const run *r) // what is saved is shared
{
    int n = r->fr->f->n_all;
    state st = {arena_array(r->b->env.a, value, n ? n : 1), r->returned, r->broken};
    for (int i = 0; i < n; i++) {
        st.v[i] = r->fr->locals[i].v;
        r->fr->locals[i].own = false;
    }
    return st;
}

static void restore(run *r, const state *st)
{
    for (int i = 0; i < r->fr->f->n_all; i++) {
        r->fr->locals[i].v = st->v[i];
        r->fr->locals[i].own = false;
    }
    r->returned = st->returned;
    r->broken = st->broken;
}

/* The current state becomes: if c then st else the current one. */
static bool run_merge(run *r, expr c, const state *st, span at)
{
    expr_pool *p = r->b->pool;
    for (int i = 0; i < r->fr->f->n_all; i++) {
        function_local *l = &r->fr->locals[i];
        if (value_equal(&st->v[i], &l->v)) continue;
        value v = value_if(&r->b->env, c, st->v[i], l->v, at);
        if (value_is_error(&v)) {
            diag_note(r->b->diags, l->c->decl->at,
                      "'%s' would have different sizes in the two cases", l->c->name);
            return false;
        }
        l->v = v;
        l->own = false;
    }
    r->returned = expr_3(p, EXPR_IF, c, st->returned, r->returned);
    r->broken = expr_3(p, EXPR_IF, c, st->broken, r->broken);
    return true;
}

static expr stopped(const run *r)
{
    return expr_2(r->b->pool, EXPR_OR, r->returned, r->broken);
}

/* ---- assignment ------------------------------------------------------------------------------ */

static function_local *find_local(const run *r, sym name)
{
    for (int i = 0; i < r->fr->f->n_all; i++)
        if (r->fr->f->all[i].name == name) return &r->fr->locals[i];
    return NULL;
}

static value with_field(const scope *s, value v, sym name, value x, span at)
{
    int f = -1;
    for (int i = 0; v.type == VALUE_RECORD && !v.n_dims && i < v.record->n; i++)
        if (v.record->names[i] == name) f = i;
    if (f < 0) return value_field(eval_env(s), v, name, at); // reports
    value *fields = arena_array(eval_env(s)->a, value, v.record->n);
    memcpy(fields, v.fields, sizeof *fields * (size_t)v.record->n);
    fields[f] = x;
    v.fields = fields;
    return v;
}

/* old with the part that parts[i ...] name replaced by x. `own`: whether its elements may be changed
 * where they are, NULL: no; `open`: it may change its size. */
static value updated(const scope *s, value old, const bool *own, const ast_ref *ref, int i, value x,
                     bool open, span at)
{
    const value_env *env = eval_env(s);
    const ast_part *part = &ref->at[i];
    bool last = i + 1 == ref->n;
    if (part->subs.n) {
        subscript subs[VALUE_MAX_DIMS];
        if (part->subs.n > old.n_dims) return eval_index(s, old, &part->subs, part->name, at);
        for (int k = 0; k < part->subs.n; k++)
            if (!eval_subscript(s, part->subs.at[k], old.dims[k], part->name, &subs[k]))
                return value_error();
        eval_check_subscripts(s, part->name, subs, old.dims, part->subs.n, at);
        if (!last) {
            value element = value_index(env, old, subs, part->subs.n, at);
            value field = value_field(env, element, ref->at[i + 1].name, at);
            field = updated(s, field, NULL, ref, i + 1, x, false, at);
            if (value_is_error(&field)) return field;
            x = with_field(s, element, ref->at[i + 1].name, field, at);
        }
        return value_assign(env, old, own && *own, subs, part->subs.n, x, at);
    }
    if (!last) {
        value field = value_field(env, old, ref->at[i + 1].name, at);
        field = updated(s, field, NULL, ref, i + 1, x, true, at);
        if (value_is_error(&field)) return field;
        return with_field(s, old, ref->at[i + 1].name, field, at);
    }
    if (!value_accepts(&old, &x) || (!open && !value_same_dims(&old, &x)) ||
        old.n_dims != x.n_dims) {
        diag_error(env->diags, "M415", at, "%s cannot be assigned to '%s', which is %s",
                   value_type_name(env, &x), part->name, value_type_name(env, &old));
        return value_error();
    }
    return value_convert(env, &old, x);
}

value function_update(const scope *s, value old, const bool *own, const ast_ref *ref, value x,
                      bool open, span at)
{
    return updated(s, old, own, ref, 0, x, open, at);
}

static bool run_assign(run *r, const scope *s, const ast_expr *left, value x, span at)
{
    if (value_is_error(&x)) return false;
    function_local *l = left->kind == AST_REF ? find_local(r, left->ref->at[0].name) : NULL;
    if (!l || l->c->causality == AST_INPUT) {
        diag_error(r->b->diags, "M416", left->span,
                   l ? "'%s' is an input and cannot be assigned; copy it to a local variable"
                     : "'%s' is not an output or local variable of the function",
                   left->kind == AST_REF ? left->ref->at[0].name : "this");
        return false;
    }
    value v = function_update(s, l->v, &l->own, left->ref, x, l->resizable, at);
    if (value_is_error(&v)) return false;
    l->v = v;
    l->own = left->ref->n == 1 && left->ref->at[0].subs.n; // a new array, or still its own
    return true;
}

static bool assign_tuple(run *r, const scope *s, const ast_stmt *t)
{
    const ast_exprs *left = &t->pair.left->list;
    value v;
    if (t->pair.right->kind != AST_CALL) {
        diag_error(r->b->diags, "M417", t->span, "several variables are assigned from a call");
        return false;
    }
    if (!eval_outputs(s, t->pair.right, &v)) return false;
    int n = v.type == VALUE_TUPLE ? v.n : 1;
    if (left->n > n) {
        diag_error(r->b->diags, "M418", t->span, "%d variables, but the function has %d output%s",
                   left->n, n, n == 1 ? "" : "s");
        return false;
    }
    for (int i = 0; i < left->n; i++)
        if (left->at[i] &&
            !run_assign(r, s, left->at[i], v.type == VALUE_TUPLE ? v.fields[i] : v, t->span))
            return false;
    return true;
}

static bool run_assignment(run *r, const scope *s, const ast_stmt *t)
{
    if (t->pair.left->kind == AST_TUPLE) return assign_tuple(r, s, t);
    value v;
    return eval_expr(s, t->pair.right, &v) && run_assign(r, s, t->pair.left, v, t->span);
}

/* ---- calls for their effect ------------------------------------------------------------------ */

static const ast_expr *run_argument(const ast_call *c, int i, const char *name)
{
    for (int k = 0; k < c->n_named; k++)
        if (!strcmp(c->named[k].name, name)) return c->named[k].value;
    return i < c->args.n ? c->args.at[i] : NULL;
}

bool function_assertion(const scope *s, const function_def *f, const ast_stmt *t, scope_check *to)
{
    flat_builder *b = s->b;
    const ast_call *c = t->call->call;
    const ast_expr *condition = run_argument(c, 0, "condition"),
                   *message = run_argument(c, 1, "message"), *level = run_argument(c, 2, "level");
    value v, m;
    if (!condition || !eval_expr(s, condition, &v)) return false;
    if (v.type != VALUE_BOOLEAN || v.n_dims) {
        diag_error(b->diags, "M156", condition->span, "a condition must be a Boolean, not %s",
                   value_type_name(&b->env, &v));
        return false;
    }
    *to = (scope_check){.sub = v.e, .at = t->span};
    diag_sink mark = *b->diags;
    if (message && eval_expr(s, message, &m) && m.type == VALUE_STRING && !m.n_dims)
        to->message = m.e;
    else // a text that cannot be written here
        to->message = expr_string(b->pool, sym_of(b->lib->syms, f->name));
    if (level && eval_expr(s, level, &m) && expr_at(b->pool, m.e)->op == EXPR_ENUM)
        to->warning = expr_at(b->pool, m.e)->u.integer == 1; // AssertionLevel.warning
    eval_forget(s, &mark);
    return true;
}

bool function_assertion_fails(flat_builder *b, const char *function, const scope_check *c, span at)
{
    const expr_node *n = expr_at(b->pool, c->message);
    const char *why = n->op == EXPR_STRING ? n->u.string : "";
    if (c->warning) {
        diag_warning(b->diags, "M420", at, "in '%s': %s", function, why);
        return true;
    }
    diag_error(b->diags, "M420", at, "in '%s': %s", function, why);
    diag_note(b->diags, c->at, "this assertion fails");
    return false;
}

/* An assertion that is known to fail is an error of the call; others are checked where the run makes it. */
static bool exec_assert(run *r, const scope *s, const ast_stmt *t)
{
    flat_builder *b = r->b;
    scope_check c;
    bool holds;
    if (!function_assertion(s, r->fr->f, t, &c)) return false;
    value v = value_scalar(&b->env, c.sub);
    bool known = value_literal_boolean(&b->env, &v, &holds);
    if (known && holds) return true;
    if (!known || r->guarded) {
        if (b->checks) eval_add_check(b, c);
        return true;
    }
    return function_assertion_fails(b, r->fr->f->name, &c, r->fr->at);
}

static bool run_call(run *r, const scope *s, const ast_stmt *t)
{
    const ast_ref *f = &t->call->call->f;
    value v;
    if (f->n == 1 && !strcmp(f->at[0].name, "assert")) return exec_assert(r, s, t);
    callee c = inst_callee(s, f);
    if (c.kind == CALLEE_FUNCTION && function_has_effect(function_find(s->b, c.cls))) {
        // An expression has no place for it: the body becomes a program.
        diag_error(s->b->diags, "M425", t->span, "%s is called for what it does",
                   function_find(s->b, c.cls)->name);
        return false;
    }
    s->b->functions->guarded += r->guarded > 0;
    bool ok = eval_outputs(s, t->call, &v);
    s->b->functions->guarded -= r->guarded > 0;
    return ok;
}

/* ---- choice ---------------------------------------------------------------------------------- */

static bool run_if(run *r, const scope *s, const ast_stmt *t)
{
    int n = 0;
    expr *tests = arena_array(r->b->env.a, expr, t->branches.n);
    state *after = arena_array(r->b->env.a, state, t->branches.n), before = run_save(r);
    bool ok = true;
    const expr guard = r->b->guard;
    for (int i = 0; ok && i < t->branches.n; i++) {
        const ast_branch *branch = &t->branches.at[i];
        value c;
        bool known = !branch->test, holds = true;
        if (branch->test) {
            ok = eval_expr(s, branch->test, &c);
            if (ok && (c.type != VALUE_BOOLEAN || c.n_dims)) {
                diag_error(r->b->diags, "M333", branch->test->span,
                           "a condition must be a Boolean, not %s",
                           value_type_name(&r->b->env, &c));
                ok = false;
            }
            if (!ok) break;
            known = value_literal_boolean(&r->b->env, &c, &holds);
        }
        if (known && !holds) continue;
        expr others = r->b->guard;
        if (!known) eval_guard(r->b, c.e);
        r->guarded += n > 0 || !known;
        ok = run_statements(r, &branch->body, s);
        r->guarded -= n > 0 || !known;
        r->b->guard = others;
        if (known) break; // the current state is that of the last case
        eval_guard(r->b, expr_1(r->b->pool, EXPR_NOT, c.e));
        tests[n] = c.e;
        after[n++] = run_save(r);
        restore(r, &before);
    }
    r->b->guard = guard;
    for (int i = n - 1; ok && i >= 0; i--) ok = run_merge(r, tests[i], &after[i], t->span);
    return ok;
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Statements for the case that nothing was left: stop does not hold. */
static bool run_unless(run *r, expr stop, const ast_stmts *body, const scope *s, span at)
{
    state before = run_save(r);
    expr guard = r->b->guard;
    r->returned = r->broken = r->b->pool->no;
    r->guarded++;
    eval_guard(r->b, expr_1(r->b->pool, EXPR_NOT, stop));
    bool ok = run_statements(r, body, s);
    r->b->guard = guard;
    r->guarded--;
    return ok && run_merge(r, stop, &before, at);
}

/* Run the body once unless the loop has been left. Sets *done when it certainly has been. */
static bool iteration(run *r, const scope *s, const ast_stmts *body, span at, bool *done)
{
    expr stop = stopped(r);
    if (stop == r->b->pool->yes) {
        *done = true;
        return true;
    }
    if (stop == r->b->pool->no) return run_statements(r, body, s);
    return run_unless(r, stop, body, s, at);
}

/* An array that gives a loop its range keeps its size in it (Modelica Language Specification 3.7,
 * section 11.2.2.1). */
static bool range_stays(run *r, const scope *s, const ast_stmt *t, const ast_iterator *it, int n)
{
    value range;
    if (it->range || stopped(r) == r->b->pool->yes) return true;
    if (!eval_iterator(s, it, NULL, &t->loop.body, &range)) return false;
    if (range.n == n) return true;
    diag_error(r->b->diags, "M432", it->at,
               "'%s' runs through the subscripts of an array whose size changes in the loop, from "
               "%d to %d; give the loop a range of its own, for example '%s in 1:%d'",
               it->name, n, range.n, it->name, n);
    return false;
}

static bool run_loop_over(run *r, const scope *s, const ast_stmt *t, int k, bool *done)
{
    if (k == t->loop.iters.n) return iteration(r, s, &t->loop.body, t->span, done);
    const ast_iterator *it = &t->loop.iters.at[k];
    value range;
    if (!eval_iterator(s, it, NULL, &t->loop.body, &range)) return false;
    scope inner = *s;
    for (int i = 0; i < range.n && !*done; i++) {
        value index = value_element(&r->b->env, &range, i);
        scope_name name = {it->name, &index, s->names, NULL};
        inner.names = &name;
        if (!run_loop_over(r, &inner, t, k + 1, done)) return false;
        if (!*done && !range_stays(r, s, t, it, range.n)) return false;
    }
    return true;
}

static bool run_while(run *r, const scope *s, const ast_stmt *t)
{
    const ast_branch *loop = &t->branches.at[0];
    for (bool done = false; !done;) {
        value c;
        bool b;
        if (!eval_work(s, 4, t->span)) return false;
        if (!eval_expr(s, loop->test, &c)) return false;
        if (stopped(r) != r->b->pool->no && stopped(r) != r->b->pool->yes) {
            diag_error(r->b->diags, "M421", t->span,
                       "this loop cannot be written out: how often it runs is not known");
            return false;
        }
        if (stopped(r) == r->b->pool->yes) break;
        if (c.type != VALUE_BOOLEAN || c.n_dims) {
            diag_error(r->b->diags, "M333", loop->test->span,
                       "a condition must be a Boolean, not %s", value_type_name(&r->b->env, &c));
            return false;
        }
        if (!value_literal_boolean(&r->b->env, &c, &b)) {
            diag_error(r->b->diags, "M421", t->span,
                       "this loop cannot be written out: how often it runs is not known");
            return false;
        }
        if (!b) break;
        if (!iteration(r, s, &loop->body, t->span, &done)) return false;
    }
    return true;
}

/* A break leaves the innermost loop only. */
static bool run_for(run *r, const scope *s, const ast_stmt *t)
{
    expr outer = r->broken;
    bool done = false;
    r->broken = r->b->pool->no;
    bool ok = t->kind == AST_FOR ? run_loop_over(r, s, t, 0, &done) : run_while(r, s, t);
    r->broken = outer;
    return ok;
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool run_statement(run *r, const scope *s, const ast_stmt *t)
{
    if (!eval_work(s, 4, t->span)) return false;
    switch ((ast_stmt_kind)t->kind) {
    case AST_ASSIGN: return run_assignment(r, s, t);
    case AST_CALL_STMT: return run_call(r, s, t);
    case AST_IF_STMT: return run_if(r, s, t);
    case AST_FOR:
    case AST_WHILE: return run_for(r, s, t);
    case AST_BREAK: r->broken = r->b->pool->yes; return true;
    case AST_RETURN: r->returned = r->b->pool->yes; return true;
    default:
        diag_error(r->b->diags, "M422", t->span, "this cannot stand in the body of a function");
        return false;
    }
}

static bool run_statements(run *r, const ast_stmts *body, const scope *s)
{
    for (int i = 0; i < body->n; i++) {
        expr stop = stopped(r);
        if (stop == r->b->pool->yes) return true;
        if (stop != r->b->pool->no) { // the rest, for the case that nothing was left
            ast_stmts rest = {body->at + i, body->n - i};
            if (!eval_enter(s, body->at[i]->span)) return false;
            bool ok = run_unless(r, stop, &rest, s, body->at[i]->span);
            eval_leave(s);
            return ok;
        }
        if (!run_statement(r, s, body->at[i])) return false;
    }
    return true;
}

bool function_run(function_frame *fr)
{
    const function_def *f = fr->f;
    expr no = fr->b->pool->no;
    run r = {fr, fr->b, no, no, fr->b->functions->guarded > 0};
    for (int i = 0; i < f->n_all; i++)
        if (!function_ready(fr, i)) return false;
    if (f->external) return function_external(fr, r.guarded > 0);
    if (!f->n_sections && f->n_outputs) {
        bool bound = true; // declaration assignments may say it all
        for (int i = 0; i < f->n_outputs; i++) bound &= f->all[f->outputs[i]].binding != NULL;
        if (!bound) {
            diag_error(fr->b->diags, "M423", fr->at,
                       "'%s' has no body: a partial function cannot be called", f->name);
            return false;
        }
    }
    for (int i = 0; i < f->n_sections; i++) {
        if (f->sections[i].section->initial || !f->sections[i].section->algorithm) continue;
        scope s = function_scope(fr, f->sections[i].at);
        if (!run_statements(&r, &f->sections[i].section->body, &s)) return false;
    }
    return true;
}
