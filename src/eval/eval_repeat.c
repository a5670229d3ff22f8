/* Comprehensions and reductions: {e for i in 1:n}, sum(e for i in 1:n).
 *
 * Several iterators nest with the last one outermost: {e for i in u, j in v} is
 * {{e for i in u} for j in v}, and reductions likewise (Modelica 3.6, 10.3.4.1 and 10.4.1.2).
 *
 * A table of a million entries has one expression. What its parts are (an iterator, a name that stays,
 * an element of an array, a sum, a choice) is found when a part is first met, for all entries; values
 * are then made by the operations that the evaluator uses. What is not covered here the evaluator does,
 * with the iterators in its scope.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include <string.h>

/* One iterator. */
typedef struct repeat_level {
    const ast_iterator *it;
    const struct repeat_level *up; // around it, in this file; NULL: none
    scope in;                      // where what is repeated stands
    scope_name link;
    value now, range;
    bool stays, known; // the range does not depend on other iterators; it was evaluated
    value *list;       // of the elements of the last round, and its room
    int room;
} repeat_level;

typedef enum repeat_kind {
    REPEAT_NEW,
    REPEAT_SLOW, // the evaluator's
    REPEAT_VALUE,
    REPEAT_NAME, // without subscripts: evaluated once
    REPEAT_ITERATOR,
    REPEAT_ELEMENT,
    REPEAT_UNARY,
    REPEAT_CHAIN,
    REPEAT_CHOICE,
    REPEAT_MATH,  // a built-in function of one or two numbers
    REPEAT_ARRAY, // {a, b, c}
    REPEAT_AGAIN, // a comprehension or reduction inside
} repeat_kind;

typedef struct repeat_part {
    const ast_expr *e;
    uint8_t kind;
    bool numbered; // number is known
    int n;
    struct repeat_part *parts;
    value v;                   // of a literal or a name
    int64_t number;            // of a name in a subscript
    const repeat_level *level; // of an iterator
    const value *local;        // whose element; NULL: of a component
    void *way;                 // to the component
    const eval_builtin *f;
    struct repetition *inner;
} repeat_part;

typedef struct repetition {
    const char *reduce; // NULL: an array
    span at;
    int n;
    repeat_level *levels; // the last one is outermost
    repeat_part body;
} repetition;

/* ---- what a part is -------------------------------------------------------------------------- */

static void repeat_parts(const repeat_level *l, repeat_part *p, ast_expr *const *e, int n)
{
    repeat_part *parts = arena_array(eval_env(&l->in)->a, repeat_part, p->n + n);
    if (p->n) memcpy(parts, p->parts, (size_t)p->n * sizeof *parts);
    for (int i = 0; i < n; i++) parts[p->n + i] = (repeat_part){.e = e[i]};
    p->parts = parts;
    p->n += n;
}

static repeat_kind repeat_ref(const repeat_level *l, repeat_part *p)
{
    const ast_ref *r = p->e->ref;
    const scope_name *name = r->global ? NULL : l->in.names;
    int subs = 0;
    while (name && name->name != r->at[0].name) name = name->next;
    for (const repeat_level *k = l; k && name; k = k->up) {
        if (&k->link != name) continue;
        p->level = k;
        return r->n == 1 && !r->at[0].subs.n ? REPEAT_ITERATOR : REPEAT_SLOW;
    }
    for (int i = 0; i < r->n; i++) {
        subs += r->at[i].subs.n;
        repeat_parts(l, p, r->at[i].subs.at, r->at[i].subs.n);
    }
    if (!subs) return REPEAT_NAME;
    if (name) p->local = name->value;
    return subs > ELEMENT_SUBSCRIPTS || (name && r->n > 1) ? REPEAT_SLOW : REPEAT_ELEMENT;
}

static repetition *repetition_new(const scope *s, const repeat_level *up, const char *reduce,
                                  const ast_expr *e, const ast_iterators *iters, span at);

static repeat_kind repeat_call(const repeat_level *l, repeat_part *p)
{
    const ast_call *c = p->e->call;
    if (c->iters.n) {
        const eval_builtin *f = c->f.n == 1 ? eval_find_builtin(c->f.at[0].name) : NULL;
        if (c->args.n != 1 || !f || !(f->flags & BUILTIN_REDUCES)) return REPEAT_SLOW;
        const char *reduce = strcmp(f->name, "array") ? f->name : NULL;
        p->inner = repetition_new(&l->in, l, reduce, c->args.at[0], &c->iters, p->e->span);
        return REPEAT_AGAIN;
    }
    p->f = eval_called_builtin(&l->in, c);
    if (!p->f || !eval_is_plain(p->f, c->args.n)) return REPEAT_SLOW;
    repeat_parts(l, p, c->args.at, c->args.n);
    return REPEAT_MATH;
}

static repeat_kind repeat_make(const repeat_level *l, repeat_part *p)
{
    const value_env *env = eval_env(&l->in);
    const ast_expr *e = p->e;
    if (l->in.known) return REPEAT_SLOW;
    switch ((ast_expr_kind)e->kind) {
    case AST_INTEGER: p->v = value_integer(env, e->integer); return REPEAT_VALUE;
    case AST_REAL: p->v = value_real(env, e->real); return REPEAT_VALUE;
    case AST_BOOLEAN: p->v = value_boolean(env, e->boolean); return REPEAT_VALUE;
    case AST_REF: return repeat_ref(l, p);
    case AST_CALL: return repeat_call(l, p);
    case AST_UNARY: repeat_parts(l, p, (ast_expr *const *)&e->arg, 1); return REPEAT_UNARY;
    case AST_CHAIN: repeat_parts(l, p, e->chain.at, e->chain.n); return REPEAT_CHAIN;
    case AST_IF:
        repeat_parts(l, p, e->cond.tests, e->cond.n);
        repeat_parts(l, p, e->cond.values, e->cond.n + 1);
        return REPEAT_CHOICE;
    case AST_ARRAY: repeat_parts(l, p, e->list.at, e->list.n); return REPEAT_ARRAY;
    case AST_COMPREHENSION:
        p->inner =
            repetition_new(&l->in, l, NULL, e->call->args.at[0], &e->call->iters, p->e->span);
        return REPEAT_AGAIN;
    default: return REPEAT_SLOW;
    }
}

static repeat_kind repeat_kind_of(const repeat_level *l, repeat_part *p)
{
    if (p->kind == REPEAT_NEW) p->kind = (uint8_t)repeat_make(l, p);
    return (repeat_kind)p->kind;
}

/* ---- subscripts ------------------------------------------------------------------------------ */

static bool repeat_number(const repeat_level *l, repeat_part *p, int64_t *out);

/* A parameter that chooses an element has its value now, as in eval_subscript. */
static bool repeat_named_number(const repeat_level *l, repeat_part *p, int64_t *out)
{
    const value_env *env = eval_env(&l->in);
    if (!p->numbered) {
        value v;
        diag_sink mark = *l->in.b->diags;
        bool known = eval_expr(&l->in, p->e, &v);
        if (known && !value_is_literal(env, &v)) known = eval_structural(&l->in, p->e, &v);
        if (!known) eval_forget(&l->in, &mark); // it will be said
        if (!known || !value_literal_integer(env, &v, &p->number)) return false;
        p->numbered = true;
    }
    *out = p->number;
    return true;
}

static bool repeat_joined(const repeat_level *l, repeat_part *p, int64_t *out)
{
    int64_t b;
    bool ok = repeat_number(l, &p->parts[0], out);
    for (int i = 1; ok && i < p->n; i++) {
        ok = repeat_number(l, &p->parts[i], &b);
        switch (ok ? (ast_op)p->e->chain.ops[i - 1] : AST_EQ) {
        case AST_ADD: ok = !__builtin_add_overflow(*out, b, out); break;
        case AST_SUB: ok = !__builtin_sub_overflow(*out, b, out); break;
        case AST_MUL: ok = !__builtin_mul_overflow(*out, b, out); break;
        default: ok = false;
        }
    }
    return ok;
}

/* A subscript, as an Integer; false: ask the evaluator. */
static bool repeat_number(const repeat_level *l, repeat_part *p, int64_t *out)
{
    const value_env *env = eval_env(&l->in);
    value v[2];
    switch (repeat_kind_of(l, p)) {
    case REPEAT_VALUE: return value_literal_integer(env, &p->v, out);
    case REPEAT_ITERATOR: return value_literal_integer(env, &p->level->now, out);
    case REPEAT_NAME: return repeat_named_number(l, p, out);
    case REPEAT_CHAIN: return repeat_joined(l, p, out);
    case REPEAT_MATH:
        for (int k = 0; k < p->n; k++) {
            int64_t x;
            if (!repeat_number(l, &p->parts[k], &x)) return false;
            v[k] = value_integer(env, x);
        }
        v[0] = eval_plain_call(env, p->f, v, p->n, p->e->span);
        return value_literal_integer(env, &v[0], out);
    default: return false;
    }
}

static bool local_element(const value *of, const int64_t *subs, int n, value *out)
{
    int at = 0;
    if (of->n_dims != n || of->type > VALUE_OBJECT) return false;
    for (int k = 0; k < n; k++) {
        if (subs[k] < 1 || subs[k] > of->dims[k]) return false;
        at = at * of->dims[k] + (int)(subs[k] - 1);
    }
    *out = (value){.type = of->type, .enum_id = of->enum_id, .n = 1, .e = of->at[at]};
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static value repeat_value(const repeat_level *l, repeat_part *p);
static value repeat_all(repetition *r, int k, const repeat_level *up);

static value repeat_slow(const repeat_level *l, const repeat_part *p)
{
    return eval_value(&l->in, p->e);
}

static bool is_plain(const value *v)
{
    return v->type <= VALUE_BOOLEAN && v->type != VALUE_STRING;
}

static value repeat_element(const repeat_level *l, repeat_part *p)
{
    int64_t subs[ELEMENT_SUBSCRIPTS];
    value v;
    for (int k = 0; k < p->n; k++)
        if (!repeat_number(l, &p->parts[k], &subs[k])) return repeat_slow(l, p);
    bool found = p->local ? local_element(p->local, subs, p->n, &v)
                          : l->in.b->verbs->element(&l->in, p->e->ref, &p->way, subs, &v);
    return found ? v : repeat_slow(l, p);
}

/* As eval_chain, for numbers and conditions. */
static value repeat_chain(const repeat_level *l, repeat_part *p)
{
    flat_builder *b = l->in.b;
    value a = repeat_value(l, &p->parts[0]);
    for (int i = 1; i < p->n && !value_is_error(&a); i++) {
        ast_op op = (ast_op)p->e->chain.ops[i - 1];
        bool logic = op == AST_AND || op == AST_OR, holds;
        if (!is_plain(&a)) return repeat_slow(l, p);
        if (logic && value_literal_boolean(&b->env, &a, &holds) && holds == (op == AST_OR))
            continue;
        expr before = b->guard;
        if (logic && a.type == VALUE_BOOLEAN && !a.n_dims)
            eval_guard(b, op == AST_AND ? a.e : expr_1(b->pool, EXPR_NOT, a.e));
        value other = repeat_value(l, &p->parts[i]);
        b->guard = before;
        if (!value_is_error(&other) && !is_plain(&other)) return repeat_slow(l, p);
        span at = {p->parts[0].e->span.begin, p->parts[i].e->span.end};
        a = value_binary(&b->env, op, a, other, at);
    }
    return a;
}

/* A choice that conditions between numbers make. */
static value repeat_choice(const repeat_level *l, repeat_part *p)
{
    int n = p->e->cond.n, k = 0;
    for (bool holds = false; k < n && !holds; k += !holds) {
        value test = repeat_value(l, &p->parts[k]);
        if (value_is_error(&test)) return test;
        if (!value_literal_boolean(eval_env(&l->in), &test, &holds)) return repeat_slow(l, p);
    }
    return repeat_value(l, &p->parts[n + k]);
}

static value repeat_math(const repeat_level *l, repeat_part *p)
{
    value v[2];
    for (int k = 0; k < p->n; k++) {
        v[k] = repeat_value(l, &p->parts[k]);
        if (value_is_error(&v[k])) return v[k];
        if (v[k].n_dims || !value_is_numeric(&v[k])) return repeat_slow(l, p);
    }
    return eval_plain_call(eval_env(&l->in), p->f, v, p->n, p->e->span);
}

static value repeat_unary(const repeat_level *l, repeat_part *p)
{
    value a = repeat_value(l, &p->parts[0]);
    if (!value_is_error(&a) && !is_plain(&a)) return repeat_slow(l, p);
    return value_unary(eval_env(&l->in), (ast_op)p->e->op, a, p->e->span);
}

static value repeat_array(const repeat_level *l, repeat_part *p)
{
    const value_env *env = eval_env(&l->in);
    value few[4], *v = p->n <= 4 ? few : arena_array(env->a, value, p->n);
    for (int k = 0; k < p->n; k++) v[k] = repeat_value(l, &p->parts[k]);
    return value_array(env, v, p->n, p->e->span);
}

static value repeat_value(const repeat_level *l, repeat_part *p)
{
    switch (repeat_kind_of(l, p)) {
    case REPEAT_VALUE: return p->v;
    case REPEAT_NAME:
        if (!p->v.n) p->v = repeat_slow(l, p); // empty ones are asked for again
        return p->v;
    case REPEAT_ITERATOR: return p->level->now;
    case REPEAT_ELEMENT: return repeat_element(l, p);
    case REPEAT_UNARY: return repeat_unary(l, p);
    case REPEAT_CHAIN: return repeat_chain(l, p);
    case REPEAT_CHOICE: return repeat_choice(l, p);
    case REPEAT_MATH: return repeat_math(l, p);
    case REPEAT_ARRAY: return repeat_array(l, p);
    case REPEAT_AGAIN: return repeat_all(p->inner, p->inner->n - 1, l);
    default: return repeat_slow(l, p);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static value reduce_list(const scope *s, const char *reduce, value *v, int n, span at)
{
    const value_env *env = eval_env(s);
    if (!reduce) return value_array(env, v, n, at);
    for (int i = 0; i < n; i++)
        if (value_is_error(&v[i])) return value_error();
    if (n && !strcmp(reduce, "sum")) { // of scalars, arrays or operator records
        value sum = v[0];
        for (int i = 1; i < n && !value_is_error(&sum); i++) {
            if (sum.type == VALUE_RECORD) sum = s->b->verbs->overload(s, AST_ADD, &sum, &v[i], at);
            else sum = value_binary(env, AST_ADD, sum, v[i], at);
        }
        return sum;
    }
    // Of nothing: what they hold is not known, and a whole number is a Real wherever one is needed.
    if (!n && !strcmp(reduce, "sum")) return value_scalar(env, expr_integer(env->p, 0));
    if (!n && !strcmp(reduce, "product")) return value_scalar(env, expr_integer(env->p, 1));
    if (n && v[0].n_dims) {
        diag_error(s->b->diags, "M340", at, "%s() with iterators needs a scalar, not %s", reduce,
                   value_type_name(env, &v[0]));
        return value_error();
    }
    value list = value_array(env, v, n, at);
    if (value_is_error(&list)) return list;
    return eval_find_builtin(reduce)->values(env, &list, 1, at);
}

/* The values that iterator k runs through, in the scope around it. */
static bool repeat_range(repetition *r, int k, const scope *around)
{
    repeat_level *l = &r->levels[k];
    if (l->known) return eval_work(around, l->range.n, l->it->range->span);
    if (!eval_iterator(around, l->it, r->body.e, NULL, &l->range)) return false;
    l->known = l->stays;
    return true;
}

/* Iterators 0 ... k are still to be bound; k itself is the outermost of them. */
static value repeat_all(repetition *r, int k, const repeat_level *up)
{
    if (k < 0) return repeat_value(up, &r->body);
    repeat_level *l = &r->levels[k];
    scope around = l->in;
    const value_env *env = eval_env(&around);
    around.names = l->link.next;
    if (!repeat_range(r, k, &around)) return value_error();
    if (l->range.n > l->room || !l->list) {
        l->room = l->range.n;
        l->list = arena_array(env->a, value, l->room ? l->room : 1);
    }
    for (int i = 0; i < l->range.n; i++) {
        l->now = value_element(env, &l->range, i);
        l->list[i] = repeat_all(r, k - 1, l);
        if (value_is_error(&l->list[i])) return value_error();
    }
    return reduce_list(&around, r->reduce, l->list, l->range.n, r->at);
}

/* Does a range depend on iterators? */
typedef struct repeat_search {
    const repeat_level *level;
    bool found;
} repeat_search;

static void find_iterator(void *user, const ast_ref *r)
{
    repeat_search *x = user;
    for (const repeat_level *k = x->level; k && !r->global; k = k->up)
        x->found = x->found || k->it->name == r->at[0].name;
}

static bool range_stays(const repeat_level *up, const ast_iterator *it)
{
    repeat_search x = {.level = up};
    if (!it->range) return false;
    eval_each_ref(it->range, find_iterator, &x);
    return !x.found;
}

static repetition *repetition_new(const scope *s, const repeat_level *up, const char *reduce,
                                  const ast_expr *e, const ast_iterators *iters, span at)
{
    arena *a = eval_env(s)->a;
    repetition *r = arena_new(a, repetition);
    *r = (repetition){.reduce = reduce, .at = at, .n = iters->n, .body = {.e = e}};
    r->levels = arena_array(a, repeat_level, iters->n);
    for (int k = iters->n - 1; k >= 0; k--) {
        repeat_level *l = &r->levels[k];
        *l = (repeat_level){.it = &iters->at[k], .up = up, .in = *s};
        l->stays = range_stays(up, l->it);
        l->link = (scope_name){l->it->name, &l->now, up ? up->in.names : s->names, NULL};
        l->in.names = &l->link;
        up = l;
    }
    return r;
}

value eval_reduction(const scope *s, const char *reduce, const ast_expr *e,
                     const ast_iterators *iters, span at)
{
    repetition *r = repetition_new(s, NULL, reduce, e, iters, at);
    return repeat_all(r, r->n - 1, NULL);
}
