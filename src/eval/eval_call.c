/* Calls: who is called, built-in or declared; ranges of iterators.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include "lang/lang.h"

#include <string.h>

/* ---- reductions ------------------------------------------------------------------------------ */

static bool is_iterator_name(const ast_expr *e, sym name)
{
    return e->kind == AST_REF && e->ref->n == 1 && !e->ref->at[0].subs.n &&
           e->ref->at[0].name == name;
}

static value call_reduction(const scope *s, const ast_expr *e)
{
    const ast_call *c = e->call;
    const char *name = c->f.at[c->f.n - 1].name;
    const eval_builtin *f = c->f.n == 1 ? eval_find_builtin(name) : NULL;
    for (const scope_known *k = s->known; k; k = k->next)
        if (k->e == e) return k->v;
    if (c->args.n != 1) return value_error();
    if (c->f.n == 2 && !strcmp(c->f.at[0].name, "Vincolo")) return s->b->verbs->integral(s, e);
    if (f && (f->flags & BUILTIN_REDUCES))
        return eval_reduction(s, strcmp(name, "array") ? name : NULL, c->args.at[0], &c->iters,
                              e->span);
    diag_error(s->b->diags, "M341", c->f.span,
               "'%s' cannot be used with iterators: only sum, product, min, max and array can",
               name);
    return value_error();
}

/* ---- ranges of iterators --------------------------------------------------------------------- */

/* What an iterator without a range is used for: the first dimension it subscripts. */
typedef struct deduction {
    const scope *s;
    sym name;
    int size;     // -1: none found yet
    int other;    // a different size that it also subscripts; -1: none
    value values; // of that dimension, if its subscripts are not Integer
} deduction;

static void deduce(void *user, const ast_ref *r)
{
    deduction *d = user;
    for (int p = 0; p < r->n; p++) {
        const ast_exprs *subs = &r->at[p].subs;
        for (int k = 0; k < subs->n; k++) {
            if (!is_iterator_name(subs->at[k], d->name)) continue;
            // The reference up to this part, without its subscripts, has the size.
            // It lives as long as the syntax tree: references are known by their address.
            ast_part *parts = arena_array(d->s->b->front, ast_part, p + 1);
            ast_ref *prefix = arena_new(d->s->b->front, ast_ref);
            memcpy(parts, r->at, sizeof *parts * (size_t)(p + 1));
            parts[p].subs = (ast_exprs){0};
            *prefix = (ast_ref){.at = parts, .n = p + 1, .global = r->global, .span = r->span};
            ast_expr e = {.kind = AST_REF, .span = r->span, .ref = prefix};
            diag_sink mark = *d->s->b->diags;
            value v = eval_value(d->s, &e);
            if (value_is_error(&v)) eval_forget(d->s, &mark);
            if (value_is_error(&v) || k >= v.n_dims) continue;
            if (d->size >= 0) {
                if (v.dims[k] != d->size) d->other = v.dims[k];
                continue;
            }
            d->size = v.dims[k];
            d->s->b->verbs->index_values(d->s, prefix, k, &d->values);
        }
    }
}

static bool implicit_range(const scope *s, const ast_iterator *it, const ast_expr *in,
                           const ast_stmts *body, value *out)
{
    deduction d = {.s = s, .name = it->name, .size = -1, .other = -1};
    if (in) eval_each_ref(in, deduce, &d);
    if (body) eval_each_ref_in(body, deduce, &d);
    if (d.size < 0) {
        diag_error(s->b->diags, "M342", it->at,
                   "the range of '%s' cannot be deduced: it subscripts nothing here; write "
                   "'%s in 1:n'",
                   it->name, it->name);
        return false;
    }
    if (d.other >= 0) {
        diag_error(s->b->diags, "M342", it->at,
                   "the range of '%s' cannot be deduced: it subscripts dimensions of sizes %d and "
                   "%d; write '%s in 1:n'",
                   it->name, d.size, d.other, it->name);
        return false;
    }
    const value_env *env = eval_env(s);
    *out = d.values.n_dims
               ? d.values
               : value_range(env, value_integer(env, 1), NULL, value_integer(env, d.size), it->at);
    return !value_is_error(out);
}

bool eval_iterator(const scope *s, const ast_iterator *it, const ast_expr *in,
                   const ast_stmts *body, value *out)
{
    span at = it->range ? it->range->span : it->at;
    if (!it->range) {
        if (!implicit_range(s, it, in, body, out)) return false;
    } else {
        *out = eval_literal(s, it->range);
        if (value_is_error(out)) return false;
    }
    if (out->n_dims != 1) {
        diag_error(s->b->diags, "M338", at, "'%s' must run through a vector, such as 1:n, not %s",
                   it->name, value_type_name(eval_env(s), out));
        return false;
    }
    return eval_work(s, out->n, at);
}

/* ---- who is called --------------------------------------------------------------------------- */

static value unknown_function(const scope *s, const ast_ref *r)
{
    const char *const *names;
    int n = eval_builtin_names(eval_env(s)->a, &names);
    const char *near = r->n == 1 ? diag_nearest(r->at[0].name, names, n) : NULL;
    if (near)
        diag_error(s->b->diags, "M343", r->span,
                   "there is no function '%s' here; did you mean '%s'?", r->at[0].name, near);
    else s->b->verbs->no_callee(s, r);
    return value_error();
}

static value convert_type(const scope *s, const callee *f, const ast_expr *e)
{
    const ast_call *c = e->call;
    if (f->kind == CALLEE_TYPE && f->type == TYPE_STRING) return eval_to_string(s, c, e->span);
    if (f->kind == CALLEE_TYPE && f->type == TYPE_CLOCK)
        return eval_call_builtin(s, eval_find_builtin("Clock"), c, e->span);
    if (c->args.n != 1 || c->n_named) {
        diag_error(s->b->diags, "M344", e->span, "a conversion takes one argument");
        return value_error();
    }
    value v = eval_value(s, c->args.at[0]);
    if (value_is_error(&v)) return v;
    if (f->kind == CALLEE_ENUM) return eval_to_enum(s, f->enum_id, v, e->span);
    if (f->type == TYPE_INTEGER) return eval_to_integer(s, v, e->span);
    diag_error(s->b->diags, "M345", e->span,
               "there is no conversion of this kind; a Real is converted by integer(x)");
    return value_error();
}

static value call_connector_operator(const scope *s, const ast_expr *e)
{
    value v;
    return s->b->verbs->connector_call(s, e->call, e->span, &v) ? v : value_error();
}

static bool is_connections(const ast_ref *r)
{
    return r->n == 2 && !strcmp(r->at[0].name, "Connections");
}

value eval_call(const scope *s, const ast_expr *e)
{
    const ast_call *c = e->call;
    if (c->iters.n) return call_reduction(s, e);
    if (c->f.n == 1 && !c->f.global) {
        const value *local = s->names ? eval_local(s, c->f.at[0].name) : NULL;
        if (local && local->type == VALUE_FUNCTION)
            return s->b->verbs->call_value(s, local, c, e->span);
    }
    callee f = s->b->verbs->callee(s, &c->f);
    switch (f.kind) {
    case CALLEE_FUNCTION: return s->b->verbs->call(s, f.cls, c, e->span);
    case CALLEE_RECORD:
    case CALLEE_EXTERNAL: return s->b->verbs->construct(s, f.cls, c, e->span);
    case CALLEE_ENUM:
    case CALLEE_TYPE: return convert_type(s, &f, e);
    case CALLEE_ERROR: return value_error();
    case CALLEE_NONE: break;
    }
    if (is_connections(&c->f)) return call_connector_operator(s, e);
    const eval_builtin *builtin = c->f.n == 1 ? eval_find_builtin(c->f.at[0].name) : NULL;
    return builtin ? eval_call_builtin(s, builtin, c, e->span) : unknown_function(s, &c->f);
}

bool eval_outputs(const scope *s, const ast_expr *e, value *out)
{
    value_env *env = &s->b->env;
    bool no_event = env->no_event;
    env->no_event = s->in_function;
    *out = eval_call(s, e);
    env->no_event = no_event;
    return !value_is_error(out);
}
