/* Families: relations e > c, e < c of one moving quantity e with thresholds c that stay.
 *
 * With the thresholds in ascending order, e has a place among them: those before it lie below e.
 * Only the two thresholds beside that place can be crossed next, so a family has two indicators
 * however large it is, and reading it costs as much as there are thresholds that e has passed.
 *
 * Of equal thresholds those of e < c come first: where e equals them, e < c is false as above
 * them, and e > c is false as below.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event.h"

#include <stdlib.h>

enum { FAMILY_MIN = 3 }; // a smaller one would save nothing

/* ---- finding them ---------------------------------------------------------------------------- */

typedef struct sorter {
    code_model *m;
    lowering *l;
    dag d;
} sorter;

static dag_degree parameters_stay(void *user, expr var)
{
    const sorter *x = user;
    int v = expr_at(x->l->p, var)->u.var.index;
    const structure *s = x->m->s;
    return v < s->n_flat && s->vars[v].role == STRUCTURE_PARAMETER ? DAG_CONSTANT : DAG_FREE;
}

static bool stays(sorter *x, expr e)
{
    return dag_degree_of(&x->d, e, parameters_stay, x) == DAG_CONSTANT;
}

/* The side that moves where the other one stays; 0: no member of a family. */
static expr moving_side(sorter *x, int k)
{
    if (!x->m->sense[k]) return 0;
    const expr_node *n = expr_at(x->l->p, x->m->s->relations.at[k].relation);
    expr a = n->u.arg[0], b = n->u.arg[1];
    return stays(x, b) ? a : stays(x, a) ? b : 0;
}

/* Thresholds of one family become neighbours in m->member; singles are listed in m->single,
 * those of time alone in m->timer; families of time come last. */
static void sort_relations(sorter *x, expr *quantity)
{
    code_model *m = x->m;
    const structure_relation *r = m->s->relations.at;
    int n = m->n_relations, *family = arena_array(x->l->scratch, int, n);
    expr *e = arena_array(x->l->scratch, expr, n);
    map count, number; // of a quantity: its relations; its family + 1
    map_init(&count, x->l->scratch);
    map_init(&number, x->l->scratch);
    for (int k = 0; k < n; k++)
        if ((e[k] = moving_side(x, k)) != 0) ++*map_put(&count, (uint64_t)e[k]);
    for (int timed = 0; timed < 2; timed++) {
        for (int k = 0; k < n; k++) {
            if (r[k].of_time != timed) continue;
            family[k] = -1;
            if (!e[k] || *map_find(&count, (uint64_t)e[k]) < FAMILY_MIN) {
                if (timed) m->timer[m->n_timers++] = k;
                else m->single[m->n_single++] = k;
                continue;
            }
            uint64_t *f = map_put(&number, (uint64_t)e[k]);
            if (!*f) {
                quantity[m->n_families++] = e[k];
                *f = (uint64_t)m->n_families;
            }
            family[k] = (int)*f - 1;
            m->families[family[k]].n++;
        }
        if (timed) break;
        m->n_families_moving = m->n_families;
    }
    int first = 0;
    for (int f = 0; f < m->n_families; f++) {
        m->families[f].first = first;
        first += m->families[f].n;
        m->families[f].n = 0;
    }
    for (int k = 0; k < n; k++)
        if (family[k] >= 0) {
            code_family *f = &m->families[family[k]];
            m->member[f->first + f->n++] = k;
            m->side_of[k] = 2 * m->n_single + family[k];
        }
    for (int i = 0; i < m->n_single; i++) m->side_of[m->single[i]] = i;
    for (int i = 0; i < m->n_timers; i++) m->side_of[m->timer[i]] = -1;
    m->n_members = first;
}

bool family_lower(code_model *m, lowering *l, expr *quantity)
{
    sorter x = {.m = m, .l = l};
    int n = m->n_relations;
    dag_init(&x.d, l->p, l->scratch);
    m->single = arena_array(l->a, int, n);
    m->timer = arena_array(l->a, int, n);
    m->member = arena_array(l->a, int, n);
    m->side_of = arena_array(l->a, int, n);
    m->families = arena_array(l->a, code_family, n);
    m->threshold_first = arena_array(l->a, uint8_t, n);
    sort_relations(&x, quantity);
    expr *c = arena_array(l->scratch, expr, m->n_members);
    span *at = arena_array(l->scratch, span, m->n_members);
    for (int i = 0; i < m->n_members; i++) {
        const structure_relation *r = &m->s->relations.at[m->member[i]];
        const expr_node *node = expr_at(l->p, r->relation);
        m->threshold_first[i] = !stays(&x, node->u.arg[1]);
        c[i] = node->u.arg[m->threshold_first[i] ? 0 : 1];
        at[i] = r->at;
    }
    return code_function(l, c, at, m->n_members, "this relation", false, &m->thresholds);
}

/* ---- thresholds in order --------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const code_threshold *x = a, *y = b;
    if (x->c != y->c) return x->c < y->c ? -1 : 1;
    if (x->greater != y->greater) return x->greater ? 1 : -1;
    return x->relation - y->relation;
}

void code_family_begin(code_state *s)
{
    const code_model *m = s->model;
    if (!m->n_members) return;
    code_eval(s, &m->thresholds, 0, NULL, NULL, s->small, NULL);
    for (int i = 0; i < m->n_members; i++) {
        double c = isnan(s->small[i]) ? INFINITY : s->small[i];
        int k = m->member[i], sign = m->threshold_first[i] ? -1 : 1;
        s->thresholds[i] = (code_threshold){c, k, sign, m->sense[k] * sign > 0};
    }
    for (int f = 0; f < m->n_families; f++)
        qsort(s->thresholds + m->families[f].first, (size_t)m->families[f].n, sizeof *s->thresholds,
              by_value);
}

static bool lies_below(const code_state *s, const code_threshold *x) // e, as the relation says
{
    bool holds = s->w[s->model->s->relations.at[x->relation].place] != 0;
    return holds != x->greater;
}

void family_find_places(code_state *s)
{
    const code_model *m = s->model;
    for (int f = 0; f < m->n_families; f++) {
        const code_threshold *x = s->thresholds + m->families[f].first;
        int here = 0;
        while (here < m->families[f].n && !lies_below(s, &x[here])) here++;
        s->family_place[f] = here;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static double reading(const code_state *s, const code_threshold *x, double e, double behind,
                      double tie)
{
    event_sides sides = {.root = x->sign * (e - x->c),
                         .size = fabs(e) + fabs(x->c),
                         .exact = x->greater ? e > x->c : e < x->c,
                         .behind = x->greater ? behind > x->c : behind < x->c,
                         .tie = tie};
    return event_reading(s, x->relation, &sides);
}

static int put(code_state *s, const code_threshold *x, double e, double behind, double tie,
               bool take)
{
    return event_put(s, x->relation, reading(s, x, e, behind, tie), take);
}

int family_read(code_state *s, int f, double e, double behind, double tie, bool all, bool take)
{
    const code_family *of = &s->model->families[f];
    const code_threshold *x = s->thresholds + of->first;
    int differ = 0, *here = &s->family_place[f];
    if (all) {
        for (int i = 0; i < of->n; i++) differ += put(s, &x[i], e, behind, tie, take);
        return differ;
    }
    while (*here < of->n && put(s, &x[*here], e, behind, tie, take)) differ++, ++*here;
    if (differ) return differ;
    while (*here > 0 && put(s, &x[*here - 1], e, behind, tie, take)) differ++, --*here;
    return differ;
}

void family_indicators(const code_state *s, int f, double e, double g[2])
{
    const code_family *of = &s->model->families[f];
    const code_threshold *x = s->thresholds + of->first;
    int here = s->family_place[f];
    for (int side = 0; side < 2; side++) {
        int i = here - 1 + side;
        g[side] = isnan(e) ? e : 1; // no threshold there: nothing to be crossed
        if (i < 0 || i >= of->n) continue;
        g[side] =
            event_indicator(s, x[i].relation, x[i].sign * (e - x[i].c), fabs(e) + fabs(x[i].c));
    }
}

double family_foretold(const code_state *s, int f, double e, double slope, double soon)
{
    const code_family *of = &s->model->families[f];
    const code_threshold *x = s->thresholds + of->first;
    double when = INFINITY;
    for (int i = s->family_place[f] - 1; i <= s->family_place[f]; i++)
        if (i >= 0 && i < of->n)
            when = fmin(when, event_foretold(s, x[i].relation, x[i].sign * (e - x[i].c),
                                             x[i].sign * slope, soon));
    return when;
}
