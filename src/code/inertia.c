/* Inertia: the coefficients of second derivatives in the equations that are not differentiated.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/initial.h"
#include "structure/dag.h"

enum { COORDINATES_MAX = 200 };

typedef struct inertia {
    code_mass *x;
    const structure *s;
    int *of;      // by unknown: 1 + its number among the coordinates; 0: none
    int *named;   // by unknown: 1 + the coordinate of whose acceleration it is the name
    double *sign; // ... or of minus that
    ARRAY(expr) roots;
    int_array places, vars;
} inertia;

/* a = der(v): the name of an acceleration, by which equations of motion may call it. */
static bool is_acceleration_name(inertia *q, const expr_pool *p, expr f)
{
    dag_term t[2];
    if (dag_signed_sum(p, f, t, 2) != 2) return false;
    int a = structure_entry_of(q->s, t[0].var), b = structure_entry_of(q->s, t[1].var);
    if (a < 0 || b < 0) return false;
    if (structure_order_of(q->s, a) == 0) {
        int swap = a;
        a = b, b = swap;
    }
    const structure_entry *high = &q->s->entries.at[a], *low = &q->s->entries.at[b];
    if (structure_order_of(q->s, a) != 2 || !q->of[high->unknown] || structure_order_of(q->s, b) ||
        q->s->unknowns.at[low->unknown].d)
        return false;
    q->named[low->unknown] = q->of[high->unknown];
    q->sign[low->unknown] = -t[0].sign * t[1].sign;
    return true;
}

/* The coefficients of accelerations in an equation of motion; false: there is one that cannot be
 * had. */
static bool inertia_add_row(inertia *q, lowering *l, dag *d, expr f, int row)
{
    q->vars.n = 0;
    dag_vars(d, f, &q->vars);
    for (int k = 0; k < q->vars.n; k++) {
        int at = structure_entry_of(q->s, q->vars.at[k]);
        if (at < 0) continue;
        const structure_entry *e = &q->s->entries.at[at];
        int order = structure_order_of(q->s, at);
        int of = order == 2 ? q->of[e->unknown] : order ? 0 : q->named[e->unknown];
        if (!of) continue;
        const char *why = NULL;
        expr slope = expr_diff(l->p, f, q->vars.at[k], l->scratch, &why);
        if (!slope) return false;
        if (!order && q->sign[e->unknown] < 0) slope = expr_neg(l->p, slope);
        array_push(l->scratch, &q->roots, slope);
        array_push(l->a, &q->places, row + (of - 1) * q->x->n);
    }
    return true;
}

bool code_lower_mass(lowering *l, const code_mass **out)
{
    const structure *s = l->s;
    code_mass *x = arena_new(l->a, code_mass);
    if (!l->f->groups.n) return true;
    dag d;
    dag_init(&d, l->p, l->scratch);
    int *of = arena_array(l->scratch, int, s->unknowns.n);
    int_array first = {0};
    for (int u = 0; u < s->unknowns.n; u++) {
        if (s->unknowns.at[u].d != 2) continue;
        array_push(l->a, &first, s->unknowns.at[u].first);
        of[u] = first.n;
    }
    x->n = first.n;
    x->first = first.at;
    inertia q = {.x = x,
                 .s = s,
                 .of = of,
                 .named = arena_array(l->scratch, int, s->unknowns.n),
                 .sign = arena_array(l->scratch, double, s->unknowns.n)};
    bool *name = arena_array(l->scratch, bool, s->equations.n);
    for (int i = 0; i < s->equations.n; i++)
        name[i] = !s->equations.at[i].c && is_acceleration_name(&q, l->p, s->equations.at[i].f[0]);
    int row = 0;
    for (int i = 0; i < s->equations.n && row <= x->n; i++) {
        int before = q.roots.n;
        if (name[i] || s->equations.at[i].c) continue;
        if (!inertia_add_row(&q, l, &d, s->equations.at[i].f[0], row))
            return true; // none to speak of
        row += q.roots.n > before;
    }
    if (row != x->n || !row || x->n > COORDINATES_MAX) return true;
    x->place = q.places.at;
    *out = x;
    code_listed values = {"inertia", "this coefficient", CODE_SELDOM, &x->values};
    return code_function(l, &values, q.roots.at, NULL, q.roots.n);
}
