/* Parameters, and what depends on them alone: start values, nominals, bounds, known values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/parameters.h"
#include "structure/dag.h"

#include <math.h>

/* A whole number or a condition that decided the structure keeps the value that it had then: so does
 * what it was computed from. */
static bool value_stays(const structure *s, int v)
{
    const flat_var *f = flat_at(s->flat, v);
    return f->flags & FLAT_STRUCTURAL && f->type != TYPE_REAL &&
           !isnan(s->p_default[s->vars[v].place]);
}

/* Parameters whose binding is more than a number. Evaluated together as often as their longest
 * chain is long: a value given from outside then simply wins. */
static bool lower_bound(lowering *l, code_parameters *x)
{
    const structure *s = l->s;
    expr *roots = arena_array(l->scratch, expr, s->n_p);
    span *at = arena_array(l->scratch, span, s->n_p);
    x->place = arena_array(l->a, int, s->n_p);
    int *depth = arena_array(l->scratch, int, s->n_flat), n = 0;
    int_array vars = {0};
    dag d;
    dag_init(&d, s->pool, l->scratch);
    for (int k = 0; k < s->n_evaluated; k++) {
        int v = s->parameters[k];
        double number;
        expr e = s->vars[v].value;
        if (!e && flat_at(s->flat, v)->attr) e = flat_at(s->flat, v)->attr->start;
        if (!e || expr_number(s->pool, e, &number) || value_stays(s, v)) continue;
        vars.n = 0;
        dag_vars(&d, e, &vars);
        for (int q = 0; q < vars.n; q++) {
            int u = expr_at(s->pool, vars.at[q])->u.var.index;
            if (u < s->n_flat && depth[u] > depth[v]) depth[v] = depth[u];
        }
        depth[v]++;
        if (depth[v] > x->depth) x->depth = depth[v];
        x->place[n] = s->vars[v].place;
        at[n] = flat_at(s->flat, v)->decl->at;
        roots[n++] = e;
    }
    code_listed bound = {"parameters", "the value of this parameter", CODE_SELDOM, &x->bound};
    bool ok = code_function(l, &bound, roots, at, n);
    arena_resize(l->scratch, depth, (size_t)s->n_flat * sizeof *depth, 0);
    arena_resize(l->scratch, at, (size_t)s->n_p * sizeof *at, 0);
    arena_resize(l->scratch, roots, (size_t)s->n_p * sizeof *roots, 0);
    return ok;
}

typedef struct attribute_list {
    lowering *l;
    ARRAY(expr) roots;
    ARRAY(span) at;
} attribute_list;

static code_value attribute_value(attribute_list *x, expr e, double standard, span at)
{
    code_value v = {standard, CODE_NUMBER};
    if (!e || expr_number(x->l->p, e, &v.number)) return v;
    v.output = x->roots.n;
    array_push(x->l->scratch, &x->roots, e);
    array_push(x->l->scratch, &x->at, at);
    return v;
}

static bool is_number_range(const code_range *x)
{
    return x->nominal.output == CODE_NUMBER && x->min.output == CODE_NUMBER &&
           x->max.output == CODE_NUMBER;
}

static bool range_same(const code_range *x, const code_range *y)
{
    return is_number_range(x) && is_number_range(y) && x->nominal.number == y->nominal.number &&
           x->min.number == y->min.number && x->max.number == y->max.number;
}

/* The one before, where it is the same numbers. */
static int add_range(attribute_list *x, code_parameters *p, const structure_attributes *e)
{
    code_range r = {.nominal = attribute_value(x, e->nominal, 1, e->at),
                    .min = attribute_value(x, e->min, -INFINITY, e->at),
                    .max = attribute_value(x, e->max, INFINITY, e->at)};
    if (!p->ranges.n || !range_same(&array_last(&p->ranges), &r))
        array_push(x->l->a, &p->ranges, r);
    return p->ranges.n - 1;
}

static void add_guard(attribute_list *x, code_parameters *p, int assignment)
{
    code_value v = attribute_value(x, x->l->f->assignments.at[assignment].guard, 1, (span){0, 0});
    code_guard g = {assignment, v.output};
    if (v.output >= 0) array_push(x->l->a, &p->guards, g);
}

static bool lower_attributes(lowering *l, code_parameters *p)
{
    const structure *s = l->s;
    attribute_list x = {.l = l};
    p->entries = arena_array(l->a, code_entry, s->attributes.n);
    bool *known = arena_array(l->scratch, bool, s->attributes.n + 1); // by set of attributes
    for (int k = 0; k < s->attributes.n; k++) p->entries[k].start.output = CODE_NUMBER;
    for (int i = 0; i < s->entries.n; i++) {
        int set = s->entries.at[i].attributes;
        code_entry *c = &p->entries[set];
        if (known[set]) continue;
        const structure_attributes *e = structure_attributes_of(s, i);
        known[set] = true;
        c->start = attribute_value(&x, e->start, 0, e->at);
        c->range = add_range(&x, p, e);
        c->given = e->start != 0;
        c->of_type = e->start_of_type;
        c->preferred = e->select >= FLAT_SELECT_PREFER;
        c->fixed = e->fixed == 1;
    }
    ARRAY(code_work_start) work = {0};
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        const flat_var *f = flat_at(s->flat, v);
        if (q->role != STRUCTURE_DISCRETE && q->role != STRUCTURE_INPUT) continue;
        code_value start = attribute_value(&x, f->attr ? f->attr->start : 0, 0, f->decl->at);
        code_work_start of = {q->place, q->role == STRUCTURE_DISCRETE, start};
        array_push(l->a, &work, of);
    }
    p->work = work.at;
    p->n_work = work.n;
    for (int k = 0; k < l->f->assignments.n; k++) add_guard(&x, p, k);
    code_listed all = {"attributes", "this attribute", CODE_SELDOM, &p->attributes};
    return code_function(l, &all, x.roots.at, x.at.at, x.roots.n);
}

bool code_lower_parameters(lowering *l, code_parameters *x)
{
    l->parameters = true;
    bool ok = lower_bound(l, x) && lower_attributes(l, x);
    l->parameters = false;
    return ok;
}
