/* Which relations are families: e > c, e < c of one moving quantity e with thresholds c that stay.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event_lower.h"
#include "structure/dag.h"

/* Fewer are better off single: those that do not matter at present are not looked at (event_needs.c). */
enum { FAMILY_MIN = 6 };

typedef struct sorter {
    code_events *m;
    lowering *l;
    dag d;
} sorter;

static dag_degree parameters_stay(void *user, expr var)
{
    const sorter *x = user;
    int v = expr_at(x->l->p, var)->u.var.index;
    const structure *s = x->l->s;
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
    const expr_node *n = expr_at(x->l->p, x->l->s->relations.at[k].relation);
    expr a = n->u.arg[0], b = n->u.arg[1];
    return stays(x, b) ? a : stays(x, a) ? b : 0;
}

/* Thresholds of one family become neighbours in m->member; singles are listed in m->single,
 * those of time alone in m->timer; families of time come last. */
static void sort_relations(sorter *x, expr *quantity)
{
    code_events *m = x->m;
    const structure_relation *r = x->l->s->relations.at;
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

bool code_lower_families(lowering *l, code_events *m, expr *quantity)
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
        const structure_relation *r = &l->s->relations.at[m->member[i]];
        const expr_node *node = expr_at(l->p, r->relation);
        m->threshold_first[i] = !stays(&x, node->u.arg[1]);
        c[i] = node->u.arg[m->threshold_first[i] ? 0 : 1];
        at[i] = r->at;
    }
    code_listed thresholds = {"thresholds", "this relation", CODE_SELDOM, &m->thresholds};
    return code_function(l, &thresholds, c, at, m->n_members);
}
