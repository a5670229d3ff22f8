/* Events, lowered: the functions of relations, discrete equations, actions and samples.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event.h"

/* New values of discrete variables, in order of evaluation. */
static bool lower_discrete(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = s->discrete.n;
    expr *value = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int k = 0; k < n; k++) {
        const structure_equation *e = &s->discrete.at[k];
        const structure_var *v = &s->vars[e->block]; // the variable it defines
        const flat_var *f = &s->flat->vars.at[e->block];
        expr var = expr_var(l->p, s->n_flat + v->place, 0, (expr_type)f->type, f->enum_id);
        at[k] = e->at;
        value[k] = e->lhs == var ? e->rhs : e->lhs;
        if (e->lhs == var || e->rhs == var) continue;
        diag_error(l->sink, "S152", e->at,
                   "the discrete variable '%s' must stand alone on one side of its equation",
                   f->name);
        return false;
    }
    return cell_lower(l, NULL, value, at, n, true, "this discrete equation", &m->discrete);
}

/* What a side is worth at zero, where its own size says nothing of its rounding: a tenth of its
 * nominal (1 where none is given). */
static expr worth(const code_model *m, lowering *l, expr side)
{
    int e = structure_entry_of(m->s, side);
    expr nominal = e < 0 ? 0 : m->s->entries.at[e].nominal;
    return expr_mul(l->p, expr_real(l->p, 0.1),
                    nominal ? expr_1(l->p, EXPR_ABS, nominal) : l->p->one);
}

static expr size_of(const code_model *m, lowering *l, expr relation)
{
    expr_node x = *expr_at(l->p, relation);
    if (x.op == EXPR_FLOOR) return l->p->zero;
    expr sum =
        expr_add(l->p, expr_1(l->p, EXPR_ABS, x.u.arg[0]), expr_1(l->p, EXPR_ABS, x.u.arg[1]));
    return expr_add(l->p, sum, worth(m, l, x.u.arg[0]));
}

static bool lower_timers(code_model *m, lowering *l)
{
    int n = m->n_timers;
    expr *value = arena_array(l->scratch, expr, n), *root = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int i = 0; i < n; i++) {
        const structure_relation *r = &m->s->relations.at[m->timer[i]];
        value[i] = r->relation;
        root[i] = r->root;
        at[i] = r->at;
    }
    m->timer_cell = arena_array(l->a, int, n);
    if (!cell_lower(l, value, root, at, n, false, "this relation", &m->timers)) return false;
    for (int c = 0; c < m->timers.n; c++)
        for (int i = m->timers.first[c]; i < m->timers.first[c + 1]; i++)
            m->timer_cell[m->timers.item[i]] = c;
    return true;
}

/* Roots, then the sizes of the sides that they compare; values; of families the quantity. */
static bool lower_relations(code_model *m, lowering *l)
{
    structure *s = m->s;
    int all = m->n_relations = s->relations.n;
    expr *quantity = arena_array(l->scratch, expr, all);
    m->sense = arena_array(l->a, int8_t, all);
    for (int k = 0; k < all; k++) {
        uint8_t op = expr_at(l->p, s->relations.at[k].relation)->op;
        m->sense[k] = op == EXPR_GT ? 1 : op == EXPR_LT ? -1 : 0;
    }
    if (!family_lower(m, l, quantity)) return false;
    int n = m->n_single, n_f = m->n_families;
    expr *roots = arena_array(l->scratch, expr, 2 * n + n_f),
         *values = arena_array(l->scratch, expr, n + n_f);
    span *at = arena_array(l->scratch, span, 2 * n + n_f);
    for (int i = 0; i < n; i++) {
        const structure_relation *r = &s->relations.at[m->single[i]];
        roots[i] = r->root;
        roots[n + i] = size_of(m, l, r->relation);
        values[i] = r->relation;
        at[i] = at[n + i] = r->at;
    }
    for (int f = 0; f < n_f; f++) {
        roots[2 * n + f] = values[n + f] = quantity[f];
        at[2 * n + f] = s->relations.at[m->member[m->families[f].first]].at;
    }
    return code_function(l, roots, at, 2 * n + n_f, "this relation", true, &m->roots) &&
           code_function(l, values, at, n + n_f, "this relation", true, &m->relations) &&
           lower_timers(m, l);
}

/* A reinit needs a component of y that is integrated. */
static bool find_state(code_model *m, lowering *l, int k)
{
    structure *s = m->s;
    const structure_action *a = &s->actions.at[k];
    expr var = a->var;
    m->action_sign[k] = 1;
    if (expr_at(l->p, var)->op == EXPR_NEG) {
        var = expr_at(l->p, var)->u.arg[0];
        m->action_sign[k] = -1;
    }
    int entry = structure_entry_of(s, var);
    form_place at = entry < 0 ? (form_place){0} : m->form->places[entry];
    if (at.where == FORM_IN_Y && m->role[at.at] != CODE_ALGEBRAIC) {
        m->action_y[k] = at.at;
        return true;
    }
    text name;
    text_init(&name, l->scratch->m);
    expr_print(l->p, a->var, EXPR_MODELICA, 60, &name);
    diag_error(l->sink, "S160", a->at,
               "reinit: '%s' is not a state, so it cannot be given a new value; reinit the "
               "variable whose derivative "
               "the model integrates",
               text_str(&name));
    text_done(&name);
    return false;
}

static bool lower_actions(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = s->actions.n, n_acts = 0, n_always = 0;
    expr *fire = arena_array(l->scratch, expr, n), *value = arena_array(l->scratch, expr, n);
    expr *condition = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n), *checked = arena_array(l->scratch, span, n);
    m->acting = arena_array(l->a, int, n);
    m->always = arena_array(l->a, int, n);
    m->action_y = arena_array(l->a, int, n);
    m->action_sign = arena_array(l->a, double, n);
    for (int k = 0; k < n; k++) {
        const structure_action *a = &s->actions.at[k];
        m->action_y[k] = -1;
        if (a->kind == FLAT_REINIT && !find_state(m, l, k)) return false;
        if (a->fire) {
            fire[n_acts] = a->fire;
            value[n_acts] = a->value ? a->value : l->p->yes;
            at[n_acts] = a->at;
            m->acting[n_acts++] = k;
        } else if (a->kind == FLAT_ASSERT) {
            condition[n_always] = a->value;
            checked[n_always] = a->at;
            m->always[n_always++] = k;
        }
    }
    return cell_lower(l, fire, value, at, n_acts, true, "this statement", &m->acts) &&
           code_function(l, condition, checked, n_always, "this statement", true, &m->assertions);
}

static bool lower_samples(code_model *m, lowering *l)
{
    structure *s = m->s;
    int n = s->samples.n;
    expr *roots = arena_array(l->scratch, expr, 2 * n);
    span *at = arena_array(l->scratch, span, 2 * n);
    for (int k = 0; k < n; k++) {
        roots[2 * k] = s->samples.at[k].start;
        roots[2 * k + 1] = s->samples.at[k].interval;
        at[2 * k] = at[2 * k + 1] = s->samples.at[k].at;
    }
    return code_function(l, roots, at, 2 * n, "this sample()", true, &m->samples);
}

static bool lower_first(code_model *m, lowering *l)
{
    structure *s = m->s;
    expr *value = arena_array(l->scratch, expr, s->first.n);
    span *at = arena_array(l->scratch, span, s->first.n);
    for (int k = 0; k < s->first.n; k++) {
        value[k] = s->first.at[k].rhs;
        at[k] = s->first.at[k].at;
    }
    return code_function(l, value, at, s->first.n, "this initial equation", true, &m->first);
}

bool code_lower_events(code_model *m, lowering *l)
{
    if (!lower_relations(m, l) || !lower_discrete(m, l) || !lower_first(m, l) ||
        !lower_actions(m, l) || !lower_samples(m, l) || !event_lower_texts(m, l))
        return false;
    const code_cells *cells[] = {&m->timers, &m->discrete, &m->acts};
    for (int k = 0; k < 3; k++)
        if (cell_scratch(cells[k]) > m->scratch) m->scratch = cell_scratch(cells[k]);
    return true;
}

bool code_has_events(const code_model *m)
{
    return m->n_relations || m->discrete.n || m->samples.n_out || m->s->delays.n;
}
