/* The stages of structural analysis in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <math.h>
#include <string.h>

/* ---- the pool's questions -------------------------------------------------------------------- */

typedef struct context {
    structure *s;
    expr_context below; // of the flat model
} context;

static const char *var_name(void *user, int var, expr_label *label)
{
    const context *c = user;
    if (var < c->s->n_flat)
        return c->below.var_name ? c->below.var_name(c->below.user, var, label)
                                 : flat_name(c->s->flat, var, label);
    int at = var - c->s->n_flat;
    for (int v = 0; v < c->s->n_flat; v++) {
        const structure_var *x = &c->s->vars[v];
        if ((x->role == STRUCTURE_DISCRETE || x->role == STRUCTURE_INPUT) && x->place == at)
            return flat_name(c->s->flat, v, label);
    }
    for (int k = 0; k < c->s->relations.n; k++)
        if (c->s->relations.at[k].place == at) return c->s->relations.at[k].name;
    for (int k = 0; k < c->s->delays.n; k++)
        if (at >= c->s->delays.at[k].place &&
            at < c->s->delays.at[k].place + structure_delay_size(&c->s->delays.at[k]))
            return c->s->delays.at[k].name;
    for (int k = 0; k < c->s->before.n; k++)
        if (c->s->before.at[k].place == at) return c->s->before.at[k].name;
    return "w";
}

static bool var_is_constant(void *user, int var)
{
    const context *c = user;
    if (var < c->s->n_flat)
        return c->s->vars ? c->s->vars[var].role == STRUCTURE_PARAMETER
                          : flat_at(c->s->flat, var)->variability <= FLAT_PARAMETER;
    for (int k = 0; k < c->s->inputs.n; k++)
        if (c->s->vars[c->s->inputs.at[k]].place == var - c->s->n_flat) return false;
    for (int k = 0; k < c->s->delays.n; k++) {
        int at = var - c->s->n_flat - c->s->delays.at[k].place;
        if (at >= 0 && at < structure_delay_size(&c->s->delays.at[k])) return false;
    }
    return true;
}

static const char *function_name(void *user, int function)
{
    const context *c = user;
    return c->below.function_name(c->below.user, function);
}

static const char *call_text(void *user, int function, int output, int k)
{
    const context *c = user;
    return c->below.call_text(c->below.user, function, output, k);
}

static const char *enum_literal(void *user, int enum_id, int64_t value)
{
    const context *c = user;
    return c->below.enum_literal(c->below.user, enum_id, value);
}

static expr inline_call(void *user, int function, int output, const expr *args, int n)
{
    const context *c = user;
    return c->below.inline_call(c->below.user, function, output, args, n);
}

static const bool *call_uses(void *user, int function, int output, int n)
{
    const context *c = user;
    return c->below.call_uses(c->below.user, function, output, n);
}

static expr partial_call(void *user, int function, int output, const expr *args, int n, int k)
{
    const context *c = user;
    return c->below.partial_call(c->below.user, function, output, args, n, k);
}

static const bool *total_needs(void *user, int function, int n)
{
    const context *c = user;
    return c->below.total_needs(c->below.user, function, n);
}

static expr total_call(void *user, int function, int output, const expr *args, const expr *d, int n)
{
    const context *c = user;
    return c->below.total_call(c->below.user, function, output, args, d, n);
}

static bool call_value(void *user, int function, int output, const double *args, int n,
                       double *result)
{
    const context *c = user;
    return c->below.call_value(c->below.user, function, output, args, n, result);
}

/* The flat model answers for its own variables; elements of w are added. */
static void extend_context(structure *s)
{
    context *c = arena_new(s->a, context);
    *c = (context){s, s->pool->context};
    expr_context *x = &s->pool->context;
    x->user = c;
    x->var_name = var_name;
    x->var_is_constant = var_is_constant;
    if (x->function_name) x->function_name = function_name;
    if (x->call_text) x->call_text = call_text;
    if (x->enum_literal) x->enum_literal = enum_literal;
    if (x->inline_call) x->inline_call = inline_call;
    if (x->call_uses) x->call_uses = call_uses;
    if (x->partial_call) x->partial_call = partial_call;
    if (x->total_needs) x->total_needs = total_needs;
    if (x->total_call) x->total_call = total_call;
    if (x->call_value) x->call_value = call_value;
}

/* ---- texts in scratch ------------------------------------------------------------------------ */

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    if (!new_bytes) return NULL;
    void *q = arena_alloc(user, new_bytes);
    if (old_bytes) memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    return q;
}

text structure_text(analysis *w)
{
    text t;
    text_init(&t, &w->texts);
    return t;
}

/* ---- the analysis ---------------------------------------------------------------------------- */

/* Made in the analysis: residual, derivatives of variables. Others grow as they come. */
enum { NODES_OF_AN_EQUATION = 3 };

structure *structure_analyze(flat_model *flat, arena *a, arena *scratch, diag_sink *sink)
{
    arena_mark here = arena_here(scratch);
    structure *s = arena_new(a, structure);
    *s = (structure){
        .flat = flat, .pool = flat->pool, .a = a, .n_flat = flat->vars.n, .n_w = IMAGE_W_FIRST};
    analysis *w = arena_new(scratch, analysis);
    *w = (analysis){.s = s, .m = flat, .p = flat->pool, .a = a, .scratch = scratch, .sink = sink};
    w->texts = (mem){
        .resize = resize, .user = scratch, .guard = scratch->m->guard, .watch = scratch->m->watch};
    dag_init(&w->d, flat->pool, scratch);
    expr_expect(flat->pool, NODES_OF_AN_EQUATION * flat->equations.n, flat->equations.n);

    bool ok = structure_hybrid(w) && structure_clocks(w);
    ok = ok && structure_strings(w);
    s->n_flat = flat->vars.n; // hidden variables were added
    extend_context(s);
    w->n_var_nodes = flat->vars.n;
    w->var_nodes = arena_sparse(scratch, expr, 2 * (size_t)flat->vars.n);
    ok = ok && structure_collect(w);
    if (ok) structure_no_flow(w);
    if (ok) structure_vanish(w);
    if (ok) structure_find_families(w);
    if (ok) structure_redundant(w);
    ok = ok && structure_count(w);
    ok = ok && structure_dependent(w);
    ok = ok && structure_eliminate(w);
    ok = ok && structure_rewrite(w);
    if (ok) structure_join_flows(w);
    if (ok) structure_prefer(w);
    ok = ok && structure_reduce(w);
    ok = ok && structure_wishes(w);
    ok = ok && structure_sort(w);
    if (ok) structure_still(w);
    ok = ok && structure_sort_discrete(w);
    ok = ok && structure_sort_clocked(w);
    if (ok) structure_first(w);
    arena_release(scratch, here);
    return ok ? s : NULL;
}

typedef struct lookup {
    const structure *s;
    const double *p;
} lookup;

static double parameter_value(void *user, int var, int order)
{
    const lookup *l = user;
    if (var >= l->s->n_flat || order || l->s->vars[var].role != STRUCTURE_PARAMETER) return NAN;
    return l->p[l->s->vars[var].place];
}

bool structure_eval(const structure *s, const double *p, expr e, arena *scratch, double *value)
{
    lookup l = {s, p};
    const char *why = NULL;
    if (expr_number(s->pool, e, value)) return true;
    return expr_eval(s->pool, e, 0, parameter_value, &l, scratch, value, &why) == 0 &&
           !isnan(*value);
}

/* Of an equation that is not written out in a pool of its own, for others may read that of the model now. A
 * message may be asked for outside of any guard. */
typedef struct side_print {
    const structure *s;
    const expr_shape *shape;
    const flat_slot *slots;
    size_t limit;
    text *out;
    arena a;
} side_print;

static int print_member(void *job)
{
    side_print *x = job;
    expr vars[SHAPE_SLOTS], sides[2];
    expr_pool own;
    expr_init(&own, &x->a);
    own.context = x->s->pool->context;
    for (int k = 0; k < x->shape->n_slots; k++)
        vars[k] = expr_var(&own, x->slots[k].var, x->slots[k].order, TYPE_REAL, 0);
    shape_write(&own, x->s->pool, x->shape, vars, sides);
    expr_print_equation(&own, sides[0], sides[1], x->limit, x->out);
    return 0;
}

static void print_sides(const structure *s, int equation, size_t limit, text *out)
{
    const structure_equation *e = &s->equations.at[equation];
    flat_slot slots[SHAPE_SLOTS];
    side_print x = {.s = s, .slots = slots, .limit = limit, .out = out};
    x.shape = structure_slots(s, equation, slots);
    if (!x.shape) {
        expr_print_equation(s->pool, e->lhs, e->rhs, limit, out);
        return;
    }
    mem m = *out->m;
    arena_init(&x.a, &m);
    if (mem_guarded(&m, print_member, &x, -1)) text_add(out, "...");
    arena_done(&x.a);
}

void structure_equation_short(const structure *s, int equation, text *out)
{
    enum { SIDE_BYTES_MAX = 80 };
    print_sides(s, equation, SIDE_BYTES_MAX, out);
}

void structure_equation_text(const structure *s, int equation, int level, text *out)
{
    const structure_equation *e = &s->equations.at[equation];
    if (level == 0) {
        print_sides(s, equation, 0, out);
    } else {
        text_add(out, "0 = ");
        expr_print(s->pool,
                   s->shown && s->shown[equation] ? s->shown[equation][level] : e->f[level],
                   EXPR_MODELICA, 0, out);
    }
}
