/* The table of variables that can be set from outside (image/variables.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/variable_tables.h"

static image_variable parameter_of(const structure *s, int v)
{
    const flat_var *f = flat_at(s->flat, v);
    bool fixed = f->flags & FLAT_FINAL || f->variability == FLAT_CONSTANT;
    return (image_variable){.place = s->vars[v].place,
                            .kind = fixed                        ? IMAGE_VARIABLE_FINAL
                                    : f->flags & FLAT_STRUCTURAL ? IMAGE_VARIABLE_STRUCTURAL
                                                                 : IMAGE_VARIABLE_PARAMETER};
}

static image_variable variable_of(const structure *s, int v)
{
    const structure_var *q = &s->vars[v];
    bool alias = q->role == STRUCTURE_ALIAS;
    switch ((structure_role)q->role) {
    case STRUCTURE_PARAMETER: return parameter_of(s, v);
    case STRUCTURE_ALIAS:
    case STRUCTURE_UNKNOWN: {
        const structure_unknown *u = &s->unknowns.at[alias ? s->vars[q->of].place : q->place];
        int order = alias ? q->order : 0;
        return (image_variable){.place = u->first + order,
                                .highest = (int16_t)(u->d - order),
                                .kind = IMAGE_VARIABLE_ENTRY,
                                .negated = alias && q->negated};
    }
    case STRUCTURE_INPUT:
    case STRUCTURE_DISCRETE:
        return (image_variable){.place = q->place, .kind = IMAGE_VARIABLE_WORK};
    default: return (image_variable){.place = -1, .kind = IMAGE_VARIABLE_KNOWN};
    }
}

static bool is_alike(image_variable a, image_variable b)
{
    return a.kind == b.kind && a.highest == b.highest && a.negated == b.negated &&
           a.real == b.real && a.object == b.object;
}

/* Does it continue the run, whose last variable is the one before it? The second one decides the step. */
static bool continues(image_variable_run *r, int v, image_variable q)
{
    if (!is_alike(r->is, q)) return false;
    if (v == r->first + 1) r->step = q.place - r->is.place;
    return q.place == r->is.place + (v - r->first) * r->step;
}

static void add_object(const structure *s, int v, arena *a, image_variables *x)
{
    const expr_node *n = expr_at(s->pool, flat_at(s->flat, v)->binding);
    image_object o = {v, n->op == EXPR_CALL ? n->u.call.output : -1};
    x->constructed = arena_resize(a, x->constructed, (size_t)x->n_constructed * sizeof o,
                                  (size_t)(x->n_constructed + 1) * sizeof o);
    x->constructed[x->n_constructed++] = o;
}

void code_list_variables(const structure *s, arena *a, image_variables *x)
{
    ARRAY(image_variable_run) runs = {0};
    *x = (image_variables){.n = s->n_flat,
                           .n_evaluated = s->n_evaluated,
                           .evaluated = s->parameters,
                           .n_objects = s->flat->n_objects};
    for (int v = 0; v < s->n_flat; v++) {
        image_variable q = variable_of(s, v);
        uint8_t type = flat_at(s->flat, v)->type;
        q.real = type == TYPE_REAL;
        q.object = type == TYPE_OBJECT;
        if (q.object) add_object(s, v, a, x);
        if (!runs.n || !continues(&array_last(&runs), v, q))
            array_push(a, &runs, ((image_variable_run){v, 0, q}));
    }
    x->runs = runs.at;
    x->n_runs = runs.n;
}
