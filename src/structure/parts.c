/* What is wrong, in terms of components: who takes part, and which connectors nobody joined.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <string.h>

enum { SHOWN = 6 };

/* The variable of an equation that says that the flow of an open connector is 0, or -1. */
static int open_flow(const flat_model *m, const flat_equation *e)
{
    if (e->origin != FLAT_FROM_FLOW) return -1;
    const expr_node *x = expr_at(m->pool, e->lhs);
    if (x->op == EXPR_NEG) x = expr_at(m->pool, expr_args(m->pool, e->lhs)[0]);
    return x->op == EXPR_VAR ? x->u.var.index : -1;
}

/* The connector of a flow variable: its name without the last part. */
static size_t connector_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

typedef struct names {
    const char *at[SHOWN];
    size_t length[SHOWN];
    int n;
} names;

static void add(names *x, const char *name, size_t length)
{
    for (int k = 0; k < x->n && k < SHOWN; k++)
        if (x->length[k] == length && !strncmp(x->at[k], name, length)) return;
    if (x->n < SHOWN) {
        x->at[x->n] = name;
        x->length[x->n] = length;
    }
    x->n++;
}

static void list(const names *x, text *out)
{
    for (int k = 0; k < x->n && k < SHOWN; k++)
        text_printf(out, "%s'%.*s'",
                    !k              ? ""
                    : k + 1 == x->n ? " and "
                                    : ", ",
                    (int)x->length[k], x->at[k]);
    if (x->n > SHOWN) text_add(out, " and more");
}

structure_parts structure_parts_of(analysis *w, const int_array *rows)
{
    names components = {0}, open = {0};
    for (int k = 0; k < rows->n; k++) {
        int i = w->eqs.at[rows->at[k]].flat;
        if (i < 0) continue;
        const flat_equation *e = &w->m->equations.at[i];
        int flow = open_flow(w->m, e);
        const char *name = flow < 0 ? NULL : flat_name_in(w->m, flow, w->a);
        if (name) add(&open, name, connector_length(name));
        else if (e->instance && *e->instance) add(&components, e->instance, strlen(e->instance));
    }
    structure_parts p = {.n_components = components.n,
                         .n_open = open.n,
                         .components = structure_text(w),
                         .open = structure_text(w)};
    list(&components, &p.components);
    list(&open, &p.open);
    return p;
}

/* Flat text does not say of which components its equations are. */
static bool is_flat_text(const flat_model *m)
{
    for (int i = 0; i < m->equations.n; i++)
        if (m->equations.at[i].instance && *m->equations.at[i].instance) return false;
    return true;
}

/* The component in which all variables of an equation lie, parameters and constants apart: how many characters of the name
 * of one of them it is. 0: there is none. */
static size_t common_component(analysis *w, const flat_equation *e, const char **of)
{
    arena_mark here = arena_here(w->scratch);
    const expr sides[2] = {e->lhs, e->rhs};
    int_array nodes = expr_reach(w->p, sides, e->rhs ? 2 : 1, w->scratch);
    const char *first = NULL;
    size_t n = 0;
    for (int k = 0; k < nodes.n; k++) {
        const expr_node *x = expr_at(w->p, nodes.at[k]);
        const flat_var *v = x->op == EXPR_VAR && x->u.var.index < w->m->vars.n
                                ? flat_at(w->m, x->u.var.index)
                                : NULL;
        if (!v || v->variability <= FLAT_PARAMETER) continue;
        size_t same = 0, dot = 0;
        const char *name = flat_name_in(w->m, x->u.var.index, w->a);
        if (!first) n = connector_length(first = name);
        for (; same < n && name[same] == first[same]; same++)
            if (first[same] == '.') dot = same;
        n = same == n && name[same] == '.' ? n : dot;
    }
    arena_release(w->scratch, here);
    *of = first;
    return first && strchr(first, '.') ? n : 0;
}

text structure_owners(analysis *w, const structure_equations *eqs, const int_array *rows)
{
    names components = {0};
    bool flat_text = is_flat_text(w->m);
    for (int k = 0; k < rows->n; k++) {
        int i = eqs->at[rows->at[k]].flat;
        const char *of = i < 0 ? "" : w->m->equations.at[i].instance;
        size_t n = of ? strlen(of) : 0;
        if (flat_text && i >= 0) n = common_component(w, &w->m->equations.at[i], &of);
        if (n) add(&components, of, n);
    }
    text t = structure_text(w);
    list(&components, &t);
    return t;
}

span structure_place_of(const analysis *w, int row, const int_array *rows)
{
    for (int k = 0; k < rows->n; k++) {
        const structure_equation *e = &w->eqs.at[rows->at[k]];
        if (e->flat < 0) continue;
        const flat_equation *f = &w->m->equations.at[e->flat];
        bool connection = f->origin == FLAT_FROM_POTENTIAL || f->origin == FLAT_FROM_FLOW;
        if (connection && open_flow(w->m, f) < 0) return e->at;
    }
    return w->eqs.at[row].at;
}

bool structure_list_open(const structure *s, arena *scratch, text *out)
{
    names open = {0};
    for (int i = 0; i < s->flat->equations.n && open.n <= SHOWN; i++) {
        int flow = open_flow(s->flat, &s->flat->equations.at[i]);
        const char *name = flow < 0 ? NULL : flat_name_in(s->flat, flow, scratch);
        if (name) add(&open, name, connector_length(name));
    }
    list(&open, out);
    return open.n > 0;
}
