/* When-clauses and algorithm sections, as equations.
 *
 * A when-clause becomes equations of discrete variables. Its condition c gets a hidden Boolean
 * variable of its own, so that c has a value before the event, and the clause fires where c and not
 * pre(c):
 *
 *     when c1 then v = a; elsewhen c2 then v = b; end when
 *         c1' = c1;  f1 = c1' and not pre(c1');   c2' = c2;  f2 = c2' and not pre(c2') and not f1;
 *         v = if f1 then a else if f2 then b else pre(v);
 *
 * What a clause does beside that (reinit, assert, terminate) becomes an action with its firing as
 * condition. An algorithm section is executed symbolically: every variable it assigns ends as one
 * expression of what it reads, a discrete one starting from its pre value. Modelica Language
 * Specification 3.6, sections 8.3.5, 8.6 and 11.
 *
 * The flat model gains the hidden variables ($c1, $f1 ...) and the equations; it is changed once,
 * before analysis.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_function.h"
#include "structure/internal.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 200 }; // of nested clauses; the parser's limit is lower

/* What an algorithm has assigned so far. */
typedef struct binding {
    int var;
    expr value;
    int earlier; // what `last` was for its variable before
} binding;
typedef ARRAY(binding) bindings;

typedef struct maker {
    analysis *w;
    flat_model *m;
    expr_pool *p;
    sym instance;
    bool sequential; // an algorithm: later statements see what earlier ones assigned
    bool initial;    // of an initial algorithm
    int depth;
    int n_hidden;
    int *
        last; // by variable: the place in the bindings of its present value, from 1; 0: it has none
    int n_last;
} maker;

/* ---- small helpers --------------------------------------------------------------------------- */

static expr both(maker *k, expr a, expr b) // 0 stands for true
{
    if (!a || !b) return a ? a : b;
    return expr_2(k->p, EXPR_AND, a, b);
}

static expr var_of(maker *k, int v)
{
    const flat_var *x = flat_at(k->m, v);
    return expr_var(k->p, v, 0, (expr_type)x->type, x->decl->enum_id);
}

static expr pre_of_variable(maker *k, int v)
{
    return expr_1(k->p, EXPR_PRE, var_of(k, v));
}

static void add_equation(maker *k, expr lhs, expr rhs, span at)
{
    flat_equation e = {
        .lhs = lhs, .rhs = rhs, .origin = FLAT_FROM_EQUATION, .instance = k->instance, .at = at};
    flat_own(k->m, k->w->a);
    if (k->initial) array_push(k->w->a, &k->m->initial_equations, e);
    else array_push(k->w->a, &k->m->equations, e);
}

// A hidden Boolean variable equal to e.
static int hidden(maker *k, char kind, expr e, span at)
{
    char name[32];
    snprintf(name, sizeof name, "$%c%d", kind, ++k->n_hidden);
    flat_var v = {.type = TYPE_BOOLEAN,
                  .variability = FLAT_DISCRETE,
                  .flags = FLAT_PROTECTED,
                  .decl = flat_declare(k->w->a, "", 0, at)};
    flat_own(k->m, k->w->a);
    int index = flat_vars_add(&k->m->vars, k->w->a, v, arena_strndup(k->w->a, name, strlen(name)));
    add_equation(k, var_of(k, index), e, at);
    return index;
}

static bool contains(maker *k, expr e, expr_op op)
{
    arena_mark here = arena_here(k->w->scratch);
    int_array nodes = expr_reach(k->p, &e, 1, k->w->scratch);
    bool found = false;
    for (int i = 0; i < nodes.n && !found; i++) found = expr_at(k->p, nodes.at[i])->op == op;
    arena_release(k->w->scratch, here);
    return found;
}

/* Outside a when-clause there is no value before of what moves all the time (Modelica Language
 * Specification 3.7, section 3.7.5). */
static bool has_past(maker *k, expr e, span at)
{
    int moving = -1;
    const char *name = NULL;
    arena_mark here = arena_here(k->w->scratch);
    int_array nodes = {0};
    if (e) nodes = expr_reach(k->p, &e, 1, k->w->scratch);
    for (int i = 0; i < nodes.n && moving < 0; i++) {
        const expr_node *n = expr_at(k->p, nodes.at[i]);
        if (n->op != EXPR_PRE && n->op != EXPR_CHANGE) continue;
        const expr_node *arg = expr_at(k->p, n->u.arg[0]);
        if (arg->op != EXPR_VAR) continue;
        const flat_var *v = flat_at(k->m, arg->u.var.index);
        if (v->type != TYPE_REAL || v->variability <= FLAT_DISCRETE) continue;
        moving = arg->u.var.index;
        name = n->op == EXPR_PRE ? "pre" : "change";
    }
    arena_release(k->w->scratch, here);
    if (moving < 0) return true;
    const char *of = FLAT_NAME(k->m, moving);
    diag_error(
        k->w->sink, "S164", at,
        "%s(%s) stands outside of a when-clause, but '%s' is continuous and has no value "
        "of before between events; write it in a when-clause, or give '%s' its values in one",
        name, of, of, of);
    return false;
}

static bool have_past(maker *k)
{
    const flat_model *m = k->m;
    bool any = false, ok = true;
    for (int e = 1; e < k->p->n && !any; e++)
        any = expr_at(k->p, e)->op == EXPR_PRE || expr_at(k->p, e)->op == EXPR_CHANGE;
    for (int i = 0; i < m->equations.n && any; i++) {
        const flat_equation *q = &m->equations.at[i];
        if (!flat_is_written(q)) continue;
        ok = has_past(k, q->lhs, q->at) && has_past(k, q->rhs, q->at) && ok;
    }
    for (int i = 0; i < m->asserts.n && any; i++)
        ok = has_past(k, m->asserts.at[i].value, m->asserts.at[i].at) && ok;
    return ok;
}

static expr value_now(const maker *k, const bindings *env, int v)
{
    return v < k->n_last && k->last[v] ? env->at[k->last[v] - 1].value : 0;
}

static void bind(maker *k, bindings *env, int v, expr value)
{
    array_push(k->w->scratch, env, ((binding){v, value, k->last[v]}));
    k->last[v] = env->n;
}

// What was bound after the first n does not count any more.
static void unbind(maker *k, const bindings *env, int n)
{
    for (int i = env->n - 1; i >= n; i--) k->last[env->at[i].var] = env->at[i].earlier;
}

/* e with the values assigned so far. What is below pre, edge and change stays: a value of the past. */
static expr current(maker *k, const bindings *env, expr e)
{
    if (!k->sequential || !env->n || !e) return e;
    arena *a = k->w->scratch;
    expr_subst s;
    expr_subst_init(&s, k->p, a);
    int_array nodes = expr_reach(k->p, &e, 1, a);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(k->p, nodes.at[i]);
        if (n->op == EXPR_PRE) expr_subst_set(&s, nodes.at[i], nodes.at[i]);
        expr value = n->op == EXPR_VAR ? value_now(k, env, n->u.var.index) : 0;
        if (value && nodes.at[i] == var_of(k, n->u.var.index))
            expr_subst_set(&s, nodes.at[i], value);
    }
    return expr_subst_apply(&s, e);
}

static bindings copy(maker *k, const bindings *env)
{
    bindings c = {0};
    for (int i = 0; i < env->n; i++) array_push(k->w->scratch, &c, env->at[i]);
    return c;
}

// The value before the algorithm: the past for discrete variables, the start value for others.
static expr value_before(maker *k, int v)
{
    const flat_var *x = flat_at(k->m, v);
    if (x->variability == FLAT_DISCRETE || x->type != TYPE_REAL) return pre_of_variable(k, v);
    return x->attr && x->attr->start ? x->attr->start : k->p->zero;
}

// The last value of a variable in what a branch has assigned.
static expr value_there(const bindings *branch, int v)
{
    for (int i = branch->n - 1; i >= 0; i--)
        if (branch->at[i].var == v) return branch->at[i].value;
    return 0;
}

/* After branches: every variable that one of them assigned is a choice between their values. */
static void merge_bindings(maker *k, bindings *env, const bindings *branch, const expr *condition,
                           int n)
{
    for (int b = 0; b < n; b++)
        for (int i = 0; i < branch[b].n; i++) {
            int v = branch[b].at[i].var;
            bool seen = false; // merged already, for an earlier branch or entry
            for (int c = 0; c <= b && !seen; c++)
                for (int j = 0; j < (c < b ? branch[c].n : i) && !seen; j++)
                    seen = branch[c].at[j].var == v;
            if (seen) continue;
            expr otherwise = value_now(k, env, v);
            if (!otherwise) otherwise = value_before(k, v);
            expr value = otherwise;
            for (int c = n - 1; c >= 0; c--) {
                expr there = value_there(&branch[c], v);
                if (!there) there = otherwise;
                value = condition[c] ? expr_3(k->p, EXPR_IF, condition[c], there, value) : there;
            }
            bind(k, env, v, value);
        }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool run(maker *k, const flat_statements *body, expr path, bindings *env, bool in_when);

static void add_action(maker *k, const flat_statement *st, expr path, const bindings *env)
{
    structure_action a = {.kind = st->kind, .level = (uint8_t)st->level, .at = st->at};
    a.clock = st->clock;
    a.fire = path ? current(k, env, path) : 0;
    a.value = st->value && st->kind != FLAT_CALL ? current(k, env, st->value) : 0;
    if (k->initial && st->kind == FLAT_ASSERT) {
        a.initial = true;
        if (a.fire) a.value = expr_3(k->p, EXPR_IF, a.fire, a.value, k->p->yes);
        a.fire = 0;
    }
    a.message = st->message ? current(k, env, st->message) : 0;
    if (st->kind == FLAT_REINIT) a.var = var_of(k, st->var);
    array_push(k->w->a, &k->w->s->actions, a);
}

/* A call for its effect. What is printed in a when-clause is said; the rest is not done. */
static void add_call(maker *k, const flat_statement *st, expr path, const bindings *env)
{
    if (st->message && path) {
        add_action(k, st, path, env);
        return;
    }
    const expr_node *n = expr_at(k->p, st->value);
    const char *name =
        n->op == EXPR_CALL ? k->m->functions.at[n->u.call.function]->name : "this function";
    diag_warning(k->w->sink, "S183", st->at,
                 st->message ? "%s is called outside of a when-clause, and prints nothing there; "
                               "call it in one"
                             : "%s is called for its effect alone, which a run does not have; use "
                               "what it returns, or remove the call",
                 name);
}

/* Where does the branch fire? Each condition has its own past. */
static expr firing(maker *k, const flat_branch *br, const bindings *env, expr earlier, span at)
{
    expr fire = 0;
    for (int i = -1; i < br->also.n; i++) {
        expr c = current(k, env, i < 0 ? br->condition : br->also.at[i]);
        structure_condition q = {.initial = expr_at(k->p, c)->op == EXPR_INITIAL};
        q.var = hidden(k, 'c', c, at);
        array_push(k->w->a, &k->w->s->conditions, q);
        expr edge = expr_2(k->p, EXPR_AND, var_of(k, q.var),
                           expr_1(k->p, EXPR_NOT, pre_of_variable(k, q.var)));
        fire = fire ? expr_2(k->p, EXPR_OR, fire, edge) : edge;
    }
    if (earlier) fire = expr_2(k->p, EXPR_AND, fire, expr_1(k->p, EXPR_NOT, earlier));
    return var_of(k, hidden(k, 'f', fire, at));
}

static bool branch_has_past(maker *k, const flat_branch *br, span at)
{
    bool ok = has_past(k, br->condition, at);
    for (int i = 0; i < br->also.n; i++) ok = has_past(k, br->also.at[i], at) && ok;
    return ok;
}

static bool run_branches(maker *k, const flat_statement *st, expr path, bindings *env, bool in_when)
{
    bool when = st->kind == FLAT_WHEN;
    if (++k->depth > DEPTH_MAX) return true;
    int n = st->branches.n;
    bindings *branch = arena_array(k->w->scratch, bindings, n);
    expr *condition = arena_array(k->w->scratch, expr, n), before = 0;
    bool ok = true;
    for (int b = 0; b < n && ok; b++) {
        const flat_branch *br = &st->branches.at[b];
        if (!in_when && !k->initial && !branch_has_past(k, br, st->at)) return false;
        expr c = when            ? firing(k, br, env, before, st->at)
                 : br->condition ? current(k, env, br->condition)
                                 : 0;
        condition[b] = c;
        expr not_before = before ? expr_1(k->p, EXPR_NOT, before) : 0;
        expr inside = both(k, path, when ? c : both(k, c, not_before));
        if (c) before = before ? expr_2(k->p, EXPR_OR, before, c) : c;
        branch[b] = copy(k, env);
        ok = run(k, &br->body, inside, &branch[b], in_when || when);
        unbind(k, &branch[b], env->n);
        // Only what the branch itself assigned counts in the merge.
        if (env->n) branch[b].at += env->n; // at is NULL while nothing was assigned
        branch[b].n -= env->n;
    }
    if (ok) merge_bindings(k, env, branch, condition, n);
    k->depth--;
    return ok;
}

static bool run(maker *k, const flat_statements *body, expr path, bindings *env, bool in_when)
{
    for (int i = 0; i < body->n; i++) {
        const flat_statement *st = &body->at[i];
        switch ((flat_statement_kind)st->kind) {
        case FLAT_ASSIGN:
            if (!in_when && !k->initial && !has_past(k, st->value, st->at)) return false;
            bind(k, env, st->var, current(k, env, st->value));
            break;
        case FLAT_REINIT:
        case FLAT_ASSERT:
        case FLAT_TERMINATE: add_action(k, st, path, env); break;
        case FLAT_IF:
        case FLAT_WHEN:
            if (!run_branches(k, st, path, env, in_when)) return false;
            break;
        case FLAT_CALL: add_call(k, st, in_when ? path : 0, env); break;
        }
    }
    return true;
}

/* ---- sections -------------------------------------------------------------------------------- */

// Variables assigned inside a when-clause change only at events, whatever they are declared as.
static bool mark_discrete(maker *k, const flat_statements *body, bool in_when, int depth)
{
    if (depth > DEPTH_MAX) return true;
    for (int i = 0; i < body->n; i++) {
        const flat_statement *st = &body->at[i];
        if (st->kind == FLAT_ASSIGN && in_when) {
            flat_var v = *flat_at(k->m, st->var);
            if (v.variability > FLAT_DISCRETE) v.variability = FLAT_DISCRETE;
            flat_vars_put(&k->m->vars, k->w->a, st->var, v);
        }
        for (int b = 0; b < st->branches.n; b++)
            if (!mark_discrete(k, &st->branches.at[b].body, in_when || st->kind == FLAT_WHEN,
                               depth + 1))
                return false;
    }
    return true;
}

/* When an algorithm begins, what it assigns has the value of before: a statement that reads such a
 * variable first sees that (Modelica Language Specification 3.6, section 11.1.2). */
static void algorithm_begin(maker *k, const flat_statements *body, bindings *env, int depth)
{
    for (int i = 0; i < body->n && depth <= DEPTH_MAX; i++) {
        const flat_statement *st = &body->at[i];
        if (st->kind == FLAT_ASSIGN && !value_now(k, env, st->var))
            bind(k, env, st->var, value_before(k, st->var));
        for (int b = 0; b < st->branches.n; b++)
            algorithm_begin(k, &st->branches.at[b].body, env, depth + 1);
    }
}

static void write_out(maker *k, const bindings *env, span at)
{
    for (int i = 0; i < env->n; i++) {
        int v = env->at[i].var;
        if (k->last[v] == i + 1) add_equation(k, var_of(k, v), env->at[i].value, at);
    }
    unbind(k, env, 0);
}

/* ---- jumps that no relation announces -------------------------------------------------------- */

static expr number_of(maker *k, expr e) // a Boolean as 0 or 1
{
    if (expr_at(k->p, e)->type != TYPE_BOOLEAN) return e;
    return expr_3(k->p, EXPR_IF, e, k->p->one, k->p->zero);
}

/* v = e, where e is Integer, Boolean or an enumeration and comes from a function or from noEvent:
 * it may jump where no relation changes. The relation |e - pre(v)| > 1/2 does change there, so that
 * the jump is found and v follows. */
static void watch_jump(maker *k, const flat_equation *q)
{
    for (int side = 0; side < 2; side++) {
        expr v = side ? q->rhs : q->lhs, e = side ? q->lhs : q->rhs;
        const expr_node *n = expr_at(k->p, v);
        if (n->op != EXPR_VAR || n->type == TYPE_REAL || n->type == TYPE_STRING) continue;
        if (!contains(k, e, EXPR_CALL) && !contains(k, e, EXPR_NOEVENT)) continue;
        if (expr_at(k->p, e)->type == TYPE_REAL) continue;
        expr past = number_of(k, expr_1(k->p, EXPR_PRE, v));
        expr jump = expr_1(k->p, EXPR_ABS, expr_sub(k->p, number_of(k, e), past));
        hidden(k, 'j', expr_2(k->p, EXPR_GT, jump, expr_real(k->p, 0.5)), q->at);
        return;
    }
}

bool structure_hybrid(analysis *w)
{
    flat_model *m = w->m;
    maker k = {.w = w, .m = m, .p = w->p, .n_last = m->vars.n};
    k.last = arena_sparse(w->scratch, int, m->vars.n);
    w->n_as_written = m->equations.n;
    if (m->whens.n || m->algorithms.n) flat_own(m, w->a);
    mark_discrete(&k, &m->whens, false, 0);
    for (int i = 0; i < m->algorithms.n; i++)
        mark_discrete(&k, &m->algorithms.at[i].body, false, 0);
    if (!have_past(&k)) return false;

    for (int i = 0; i < m->whens.n; i++) {
        flat_statements one = {.at = &m->whens.at[i], .n = 1, .cap = 1};
        bindings env = {0};
        k.instance = m->whens.at[i].instance;
        if (!run(&k, &one, 0, &env, false)) return false;
        write_out(&k, &env, m->whens.at[i].at);
    }
    for (int i = 0; i < w->n_as_written; i++) {
        flat_equation e = m->equations.at[i]; // the list may move
        if (flat_is_written(&e)) watch_jump(&k, &e);
    }
    k.sequential = true;
    for (int i = 0; i < m->algorithms.n; i++) {
        const flat_algorithm *a = &m->algorithms.at[i];
        bindings env = {0};
        k.instance = a->instance;
        k.initial = a->initial;
        algorithm_begin(&k, &a->body, &env, 0);
        if (!run(&k, &a->body, 0, &env, false)) return false;
        write_out(&k, &env, a->at);
    }
    k.sequential = false;
    k.initial = true;
    bindings none = {0};
    for (int i = 0; i < m->initial_asserts.n; i++)
        add_action(&k, &m->initial_asserts.at[i], 0, &none);
    k.initial = false;
    for (int i = 0; i < m->asserts.n; i++) add_action(&k, &m->asserts.at[i], 0, &none);
    m->initial_asserts.n = 0;
    m->asserts_written = m->asserts;
    m->whens.n = m->algorithms.n = m->asserts.n = 0; // they are equations and actions now
    return true;
}
