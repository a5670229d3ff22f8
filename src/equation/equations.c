/* Equations of the flat model.
 *
 * Every equation section of every component is evaluated in the component's scope, once per element
 * of an array of components. Both sides of an equation become values; their scalars, pairwise, are
 * the flat equations. Loops are unrolled by binding the iterator. An if-equation whose conditions
 * are known before the simulation selects its branch; otherwise its branches must match equation by
 * equation and become if-expressions. Connections were collected before (connect.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"

#include <string.h>

/* ---- pairs of scalars ------------------------------------------------------------------------ */

static bool push_equation(equation_writer *em, expr lhs, expr rhs, uint8_t origin, span at)
{
    if (em->equations->n >= FLAT_MAX_ELEMENTS) {
        if (em->equations->n == FLAT_MAX_ELEMENTS)
            diag_error(em->b->diags, "M134", at, "the model has more than %d equations",
                       FLAT_MAX_ELEMENTS);
        return false;
    }
    flat_equation e = {.lhs = lhs,
                       .rhs = rhs,
                       .origin = (unsigned)origin & 15u,
                       .instance = em->instance,
                       .at = at};
    e.clock = em->clock & ((1 << 27) - 1);
    array_push(em->to, em->equations, e);
    return true;
}

static bool report_pair(equation_writer *em, const value *l, const value *r, span at)
{
    const value_env *env = &em->b->env;
    bool sizes = value_accepts(l, r) || value_accepts(r, l);
    if (sizes)
        diag_error(
            em->b->diags, "M151", at,
            "the sides of this equation have different sizes: %s on the left, %s on the right",
            value_dims_name(env, l->dims, l->n_dims), value_dims_name(env, r->dims, r->n_dims));
    else
        diag_error(
            em->b->diags, "M152", at,
            "the sides of this equation have different types: %s on the left, %s on the right",
            value_type_name(env, l), value_type_name(env, r));
    return false;
}

static bool equate(equation_writer *em, value l, value r, span at);

static bool equate_records(equation_writer *em, const value *l, const value *r, span at)
{
    for (int i = 0; i < l->n; i++)
        for (int f = 0; f < l->record->n; f++) {
            int g = 0;
            while (g < r->record->n && r->record->names[g] != l->record->names[f]) g++;
            if (g == r->record->n) return report_pair(em, l, r, at);
            if (!equate(em, l->fields[i * l->record->n + f], r->fields[i * r->record->n + g], at))
                return false;
        }
    return true;
}

static bool equate(equation_writer *em, value l, value r, span at)
{
    if (r.type == VALUE_TUPLE && r.n) r = r.fields[0];
    if (!value_same_dims(&l, &r)) return report_pair(em, &l, &r, at);
    if (l.type == VALUE_RECORD && r.type == VALUE_RECORD) return equate_records(em, &l, &r, at);
    bool left = value_accepts(&l, &r), right = value_accepts(&r, &l);
    if (l.type > VALUE_OBJECT || (!left && !right)) return report_pair(em, &l, &r, at);
    if (left && !right) r = value_convert(&em->b->env, &l, r);
    if (right && !left) l = value_convert(&em->b->env, &r, l);
    const expr *x = value_at(&l), *y = value_at(&r);
    for (int i = 0; i < l.n; i++)
        if (!push_equation(em, x[i], y[i], FLAT_FROM_EQUATION, at)) return false;
    return true;
}

bool equation_outputs(const scope *s, const ast_stmt *st, value *v)
{
    const ast_expr *l = st->pair.left, *r = st->pair.right;
    if (r->kind != AST_CALL) {
        diag_error(s->b->diags, "M153", st->span,
                   "a list of variables on the left needs a function call on the right");
        return false;
    }
    if (!eval_outputs(s, r, v)) return false;
    int n = v->type == VALUE_TUPLE ? v->n : 1;
    if (l->list.n <= n) return true;
    diag_error(s->b->diags, "M153", st->span,
               "%d variables are to be set, but the function has %d output%s", l->list.n, n,
               n == 1 ? "" : "s");
    return false;
}

/* (a, , b) = f(x): outputs beyond the tuple and omitted ones are dropped. */
static bool equate_tuple(equation_writer *em, const scope *s, const ast_stmt *st)
{
    const ast_expr *l = st->pair.left;
    value v;
    if (!equation_outputs(s, st, &v)) return false;
    for (int i = 0; i < l->list.n; i++) {
        value x;
        if (!l->list.at[i]) continue;
        if (!eval_expr(s, l->list.at[i], &x)) return false;
        if (!equate(em, x, v.type == VALUE_TUPLE ? v.fields[i] : v, st->span)) return false;
    }
    return true;
}

static bool emit_equation(equation_writer *em, const scope *s, const ast_stmt *st)
{
    value l, r;
    if ((em->level || em->many) && st->pair.left->kind != AST_TUPLE) {
        plan_member_of of;
        if (!equation_planned(em, s, st, &l, &r, &of)) return false;
        if (of.run < 0) return equate(em, l, r, st->span);
        if (!push_equation(em, 0, of.run, FLAT_FROM_EQUATION, st->span)) return false;
        array_last(em->equations).set = of.member;
        return true;
    }
    equation_bind(em);
    if (st->pair.left->kind == AST_TUPLE) return equate_tuple(em, s, st);
    if (!eval_expr(s, st->pair.left, &l) || !eval_expr(s, st->pair.right, &r)) return false;
    return equate(em, l, r, st->span);
}

/* ---- for ------------------------------------------------------------------------------------- */

typedef struct loop {
    equation_writer *em;
    const ast_stmt *st;
    equation_body_fn *body;
} loop;

static bool equations_of(equation_writer *em, const scope *s, const ast_stmts *body);

static bool run_level(const loop *l, const scope *s, int k);

/* The body, or the next iterator, for the present value. */
static bool run_now(const loop *l, const scope *s, int k)
{
    flat_builder *b = l->em->b;
    if (++b->work > FLAT_MAX_WORK) {
        diag_error(b->diags, "M155", l->st->span, "loops run more than %d times in all",
                   FLAT_MAX_WORK);
        return false;
    }
    if (l->body != equations_of) equation_bind(l->em); // which binds before it evaluates
    return run_level(l, s, k + 1);
}

static bool run_values(const loop *l, const scope *s, int k, const value *range)
{
    equation_level *level = l->em->level;
    bool ok = true;
    for (int i = 0; i < range->n && ok; i++) {
        level->v = value_element(&l->em->b->env, range, i);
        ok = run_now(l, s, k);
    }
    return ok;
}

/* first:step:last, Integers; false: another range. */
static bool integer_range(const scope *s, const ast_expr *e, int64_t *first, int64_t *step,
                          int64_t *n)
{
    enum { FIRST, STEP, LAST };
    int64_t x[3] = {[STEP] = 1};
    if (!e || e->kind != AST_RANGE) return false;
    const ast_expr *const ends[] = {e->range.first, e->range.step, e->range.last};
    diag_sink mark = *s->b->diags;
    for (int k = FIRST; k <= LAST; k++) {
        if (!ends[k]) continue;
        value v = eval_literal(s, ends[k]);
        if (value_is_error(&v)) eval_forget(s, &mark); // it will be said
        if (!value_literal_integer(&s->b->env, &v, &x[k])) return false;
        if (x[k] < INT32_MIN || x[k] > INT32_MAX) return false;
    }
    *first = x[FIRST];
    *step = x[STEP];
    *n = *step <= 0 ? -1 : x[LAST] < x[FIRST] ? 0 : (x[LAST] - x[FIRST]) / *step + 1;
    return *n >= 0 && *n <= VALUE_MAX_ELEMENTS;
}

/* What iterations have made. */
typedef struct loop_nodes {
    int64_t done, made, most; // iterations, nodes, nodes of one of them
} loop_nodes;

/* Once enough iterations have shown what each makes: room for the nodes of those that follow. The one that
 * made most is left out: lists that all of them use are evaluated when they are first met. */
static bool expect_rest(expr_pool *p, const loop_nodes *x, int64_t n)
{
    enum { NODES_SHOWN = 4096, LATER = 5 }; // residuals and derivatives: one of five
    int64_t made = x->made - x->most;
    if (x->done < 2 || made < NODES_SHOWN) return false;
    int64_t more = made * (n - x->done) / (x->done - 1);
    int64_t most = more + more / LATER;
    if (most < INT32_MAX) expr_expect(p, (int)most, (int)more);
    return true;
}

static bool run_integers(const loop *l, const scope *s, int k, int64_t first, int64_t step,
                         int64_t n)
{
    equation_level *level = l->em->level;
    expr_pool *p = l->em->b->pool;
    loop_nodes nodes = {0};
    bool ok = eval_work(s, n, l->st->loop.iters.at[k].at), expects = true;
    level->integer = true;
    for (int64_t i = 0; i < n && ok; i++) {
        int before = p->n;
        if (expects) expects = !expect_rest(p, &nodes, n);
        level->now = first + i * step;
        level->bound = false;
        ok = run_now(l, s, k);
        nodes.done++;
        nodes.made += p->n - before;
        if (p->n - before > nodes.most) nodes.most = p->n - before;
    }
    return ok;
}

/* Iterator k and those after it. */
static bool run_level(const loop *l, const scope *s, int k)
{
    const ast_iterators *it = &l->st->loop.iters;
    equation_writer *em = l->em;
    flat_builder *b = em->b;
    if (k == it->n) return l->body(em, s, &l->st->loop.body);
    equation_bind(em);
    equation_level level = {.up = em->level, .depth = em->level ? em->level->depth + 1 : 0};
    level.bound = true;
    level.link = (scope_name){it->at[k].name, &level.v, s->names, NULL};
    int64_t first, step, n;
    value range;
    bool integers = integer_range(s, it->at[k].range, &first, &step, &n), ok = true;
    if (!integers) {
        if (!eval_iterator(s, &it->at[k], NULL, &l->st->loop.body, &range)) return false;
        if (range.n_dims != 1) {
            diag_error(b->diags, "M154", it->at[k].at, "'%s' must run through a vector",
                       it->at[k].name);
            return false;
        }
        if (l->body == equations_of && !value_is_literal(&b->env, &range)) {
            eval_not_literal(s, "the range of a for-equation", &range, it->at[k].at);
            return false;
        }
    }
    scope inner = *s;
    inner.names = &level.link;
    em->level = &level;
    ok = integers ? run_integers(l, &inner, k, first, step, n) : run_values(l, &inner, k, &range);
    em->level = level.up;
    return ok;
}

bool equation_for(equation_writer *em, const scope *s, const ast_stmt *st, equation_body_fn *body)
{
    return run_level(&(loop){em, st, body}, s, 0);
}

/* ---- if -------------------------------------------------------------------------------------- */

/* Is the condition known before the simulation? 1 true, 0 false, -1 not known, -2 error. *c: its
 * expression. */
int equation_condition(equation_writer *em, const scope *s, const ast_expr *e, expr *c)
{
    flat_builder *b = em->b;
    value v;
    bool yes;
    if (!eval_expr(s, e, &v)) return -2;
    if (v.type != VALUE_BOOLEAN || v.n_dims) {
        diag_error(b->diags, "M156", e->span, "a condition must be a Boolean, not %s",
                   value_type_name(&b->env, &v));
        return -2;
    }
    *c = v.e;
    if (value_literal_boolean(&b->env, &v, &yes)) return yes;
    arena_mark mark = arena_here(b->scratch);
    int_array nodes = expr_reach(b->pool, &v.e, 1, b->scratch);
    bool fixed = true;
    for (int i = 0; i < nodes.n && fixed; i++) {
        const expr_node *x = expr_at(b->pool, nodes.at[i]);
        if (x->op == EXPR_VAR && x->u.var.index < b->m->vars.n) { // others have no number yet
            const flat_var *u = flat_at(b->m, x->u.var.index);
            fixed = u->variability <= FLAT_PARAMETER &&
                    (u->binding || !(u->attr && u->attr->fixed == 0));
        }
        if (x->op == EXPR_TIME || operator_class((expr_op)x->op) == CLASS_HYBRID) fixed = false;
    }
    arena_release(b->scratch, mark);
    if (!fixed) return -1;
    if (!eval_structural(s, e, &v)) return -2;
    return value_literal_boolean(&b->env, &v, &yes) ? yes : -1;
}

static bool same_left(const flat_equations *a, flat_equations *b)
{
    for (int i = 0; i < a->n; i++) {
        int k = i;
        while (k < b->n && b->at[k].lhs != a->at[i].lhs) k++;
        if (k == b->n) return false;
        flat_equation t = b->at[i];
        b->at[i] = b->at[k];
        b->at[k] = t;
    }
    return true;
}

/* if c1 then x1 else if c2 then x2 else x3, where x is the right side, or left minus right when the
 * branches have different left sides. */
static expr equation_choose(equation_writer *em, const expr *c, const flat_equations *l, int n,
                            int i, bool residual)
{
    expr_pool *p = em->b->pool;
    expr r = 0;
    for (int k = n; k--;) {
        const flat_equation *e = &l[k].at[i];
        expr x = residual ? expr_sub(p, e->lhs, e->rhs) : e->rhs;
        r = r ? expr_3(p, EXPR_IF, c[k], x, r) : x;
    }
    return r;
}

static bool merge_branches(equation_writer *em, const ast_stmt *st, const expr *c,
                           flat_equations *l, int n)
{
    flat_builder *b = em->b;
    for (int k = 1; k < n; k++) {
        if (l[k].n == l[0].n) continue;
        diag_error(
            b->diags, "M157", st->span,
            "the branches of this if-equation have %d and %d equations; each branch must have "
            "the same number, as the conditions change during the simulation",
            l[0].n, l[k].n);
        return false;
    }
    bool same = true;
    for (int k = 1; k < n; k++) same = same_left(&l[0], &l[k]) && same;
    for (int i = 0; i < l[0].n; i++) {
        bool left = true;
        for (int k = 1; k < n; k++) left = left && l[k].at[i].lhs == l[0].at[i].lhs;
        expr_type type = (expr_type)expr_at(b->pool, l[0].at[i].lhs)->type;
        if (!left && type > TYPE_INTEGER) {
            diag_error(b->diags, "M158", st->span,
                       "the branches of this if-equation must determine the same variables");
            return false;
        }
        expr r = equation_choose(em, c, l, n, i, !left);
        push_equation(em, left ? l[0].at[i].lhs : r, left ? r : b->pool->zero, FLAT_FROM_EQUATION,
                      st->span);
    }
    return true;
}

static expr guarded(equation_writer *em, expr guard, expr c)
{
    return guard ? expr_2(em->b->pool, EXPR_AND, guard, c) : c;
}

static bool emit_if(equation_writer *em, const scope *s, const ast_stmt *st)
{
    flat_builder *b = em->b;
    int n = 0, total = st->branches.n;
    expr *c = arena_array(b->env.a, expr, total + 1);
    flat_equations *lists = arena_array(b->env.a, flat_equations, total + 1);
    const expr before = em->guard;
    expr rest = before; // none of the conditions so far
    bool closed = false, ok = true;
    for (int i = 0; i < total && !closed && ok; i++) {
        const ast_branch *br = &st->branches.at[i];
        bool holds;
        int known = !br->test ? 1 : equation_tested(em, s, br->test, &holds) ? holds : -1;
        if (known < 0) {
            equation_bind(em);
            known = equation_condition(em, s, br->test, &c[n]);
        }
        if (known == -2) return false;
        if (known == 0) continue;
        closed = known == 1;
        if (closed && !n) return equations_of(em, s, &br->body); // selected
        equation_writer sub = *em;
        sub.equations = &lists[n];
        sub.to = b->env.a;
        sub.guard = closed ? rest : guarded(em, rest, c[n]);
        if (!closed) rest = guarded(em, rest, expr_1(b->pool, EXPR_NOT, c[n]));
        sub.dynamic = true;
        ok = equations_of(&sub, s, &br->body);
        n++;
    }
    if (!ok || !n) return ok;
    if (!closed) n++; // no else: an empty last branch
    return merge_branches(em, st, c, lists, n);
}

/* ---- when of a clock ------------------------------------------------------------------------- */

/* The clock as a variable: equations of one clause name it. */
static int clock_of(equation_writer *em, expr c, span at)
{
    flat_builder *b = em->b;
    const expr_node *n = expr_at(b->pool, c);
    if (n->op == EXPR_VAR) return n->u.var.index;
    flat_var like = {.type = TYPE_CLOCK, .variability = FLAT_DISCRETE};
    int var = equation_auxiliary(em, &like, at);
    push_equation(em, expr_var(b->pool, var, 0, TYPE_CLOCK, 0), c, FLAT_FROM_EQUATION, at);
    return var;
}

/* Unlike other when-clauses it holds any equations (Modelica Language Specification 3.6, section
 * 16.6). */
static bool emit_clocked(equation_writer *em, const scope *s, const ast_stmt *st, expr c)
{
    if (st->branches.n > 1 || em->clock) {
        diag_error(em->b->diags, "M365", st->span,
                   em->clock ? "a when-clause of a clock cannot stand inside another one"
                             : "a when-clause of a clock has no elsewhen; write a when-clause for "
                               "each clock");
        return false;
    }
    equation_writer sub = *em;
    sub.clock = clock_of(em, c, st->span) + 1;
    return equations_of(&sub, s, &st->branches.at[0].body);
}

static bool emit_when(equation_writer *em, const scope *s, const ast_stmt *st)
{
    if (em->dynamic || em->initial) {
        diag_error(em->b->diags, "M160", st->span, "a when-clause cannot stand in %s",
                   em->initial ? "an initial equation section" : "an if-equation");
        return false;
    }
    value v;
    if (!eval_expr(s, st->branches.at[0].test, &v)) return false;
    if (v.type == VALUE_CLOCK && !v.n_dims) return emit_clocked(em, s, st, v.e);
    return equation_when(em, s, st, em->whens, true);
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool equation_write_one(equation_writer *em, const scope *s, const ast_stmt *st)
{
    if (st->kind != AST_EQUATION && st->kind != AST_IF_STMT) equation_bind(em);
    switch ((ast_stmt_kind)st->kind) {
    case AST_EQUATION: return emit_equation(em, s, st);
    case AST_CONNECT: return !em->dynamic; // connect.c has said why not
    case AST_CALL_STMT:
        if (machine_is_call(st->call->call)) return machine_collect(em, s, st);
        if (lagrange_is_call(st->call->call)) return lagrange_collect(em, s, st);
        return equation_call(em, s, st, em->asserts, false);
    case AST_IF_STMT: return emit_if(em, s, st);
    case AST_FOR: return equation_for(em, s, st, equations_of);
    case AST_WHEN: return emit_when(em, s, st);
    default:
        diag_error(
            em->b->diags, "M161", st->span,
            "an assignment cannot stand among equations; write '=' or use an algorithm section");
        return false;
    }
}

static bool equations_of(equation_writer *em, const scope *s, const ast_stmts *body)
{
    flat_builder *b = em->b;
    bool ok = true;
    for (int i = 0; i < body->n; i++) {
        bool outer = !em->dynamic && b->env.a == b->scratch;
        arena_mark mark = arena_here(b->scratch);
        int errors = b->diags->n_errors;
        scope_checks own = {0}, *before = b->checks;
        b->checks = &own;
        b->guard = em->guard;
        bool good = equation_write_one(em, s, body->at[i]);
        b->guard = 0;
        b->checks = before;
        if (own.n) equation_checks(em, &own, em->asserts, em->asserts->n);
        if (outer) arena_release(b->scratch, mark);
        if (!good && b->diags->n_errors == errors) return false;
        ok = good && ok;
        if (!good && s->names) return false; // a loop would repeat it
    }
    return ok;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static bool emit_part(equation_writer *em, inst_class *part, inst_node *n, int e)
{
    flat_builder *b = em->b;
    flat_model *m = b->m;
    bool ok = true;
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i]) ok = emit_part(em, part->bases[i], n, e) && ok;
    scope s = inst_scope(b, part, n, e);
    for (int i = 0; i < part->ast->n_sections; i++) {
        const ast_section *sec = &part->ast->sections[i];
        em->initial = sec->initial;
        em->equations = sec->initial ? &m->initial_equations : &m->equations;
        em->asserts = sec->initial ? &m->initial_asserts : &m->asserts;
        ok =
            (sec->algorithm ? equation_algorithm(em, &s, sec) : equations_of(em, &s, &sec->body)) &&
            ok;
    }
    return ok;
}

static bool has_sections(const inst_class *part)
{
    if (part->ast->n_sections) return true;
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i] && has_sections(part->bases[i])) return true;
    return false;
}

/* The binding of a variable is an equation. */
static bool emit_bindings(equation_writer *em, inst_node *n, int member)
{
    flat_builder *b = em->b;
    if (n->variability <= FLAT_PARAMETER || !inst_has_binding(b, n)) return true;
    bool has;
    int first, last;
    inst_elements(n, member, &first, &last);
    em->equations = &b->m->equations;
    for (int e = first; e < last; e++) {
        expr rhs;
        if (!inst_bound(b, n, e, SCOPE_SYMBOLIC, &has, &rhs)) return false;
        int var = inst_var(n, e);
        const flat_var *v = flat_at(b->m, var);
        if (!has) continue;
        expr lhs = inst_variable(b, var);
        em->instance = n->parent->parent || n->parent->is_element
                           ? inst_path_sym(b, n->parent, inst_up(n->parent, n, e))
                           : b->inst->s_empty;
        push_equation(em, lhs, rhs, FLAT_FROM_BINDING, v->decl->at);
    }
    return true;
}

static bool emit_node(equation_writer *em, inst_node *n, int member)
{
    flat_builder *b = em->b;
    bool ok = true;
    if (n->kind == NODE_MEMBER) return emit_node(em, n->target, n->index);
    if (n->kind == NODE_PRIMITIVE) return emit_bindings(em, n, member);
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return true;
    for (int i = 0; i < n->children.n; i++) ok = emit_node(em, n->children.at[i], member) && ok;
    if (n->kind == NODE_SPLIT || !has_sections(n->cls)) return ok;
    bool own = true; // an error in one element would be repeated in the others
    int first, last;
    inst_elements(n, member, &first, &last);
    em->many = n->total > 1;
    for (int e = first; own && e < last; e++) {
        em->instance = n->parent ? inst_path_sym(b, n, e) : b->inst->s_empty;
        own = emit_part(em, n->cls, n, e);
    }
    return ok && own;
}

bool equation_write(flat_builder *b)
{
    flat_model *m = b->m;
    equation_writer em = {.b = b, .to = b->model, .whens = &m->whens, .asserts = &m->asserts};
    // The table of a large model is made once, not again each time that it is full.
    enum { LARGE_VARS = 10000, NODES_OF_A_VAR = 4 };
    if (m->vars.n > LARGE_VARS && m->vars.n < INT32_MAX / 2 / NODES_OF_A_VAR)
        expr_expect(b->pool, NODES_OF_A_VAR * m->vars.n, NODES_OF_A_VAR * m->vars.n);
    bool ok = emit_node(&em, b->inst->root, -1);
    b->checks = NULL;
    em.instance = b->inst->s_empty;
    equation_checks(&em, &b->of_bindings, &m->asserts, m->asserts.n);
    return ok;
}
