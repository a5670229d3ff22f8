/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/invariants.h"

#include "code/system.h"
#include "structure/dag.h"

enum { NAME_MOST = 60 }; // characters

static bool can_evaluate(const lowering *l, dag *d, expr e)
{
    int_array vars = {0};
    dag_vars(d, e, &vars);
    for (int k = 0; k < vars.n; k++) {
        int entry = structure_entry_of(l->s, vars.at[k]);
        if (entry >= 0 && l->f->places[entry].where == IMAGE_ABSENT) return false;
    }
    return true;
}

static const char *invariant_text(const lowering *l, expr e)
{
    text words;
    text_init(&words, l->a->m);
    expr_print(l->p, e, EXPR_MODELICA, NAME_MOST, &words);
    const char *name = arena_strndup(l->a, text_str(&words), words.n);
    text_done(&words);
    return name;
}

/* Algebraic unknowns and derivatives move by themselves: what a function of them does along the
 * motion is not told by its derivatives. */
static void find_direct(code_invariants *x, const uint8_t *role, int n)
{
    const vinc_pattern *p = &x->pattern;
    for (int i = 0; i < x->n; i++) x->list[i].direct = true;
    for (int j = 1; j < p->n_cols; j++) {
        bool state = j <= n && role[j - 1] != CODE_ALGEBRAIC;
        for (int k = p->start[j]; k < p->start[j + 1] && !state; k++)
            x->list[p->row[k]].direct = false;
    }
}

bool code_lower_invariants(lowering *l, const uint8_t *role, code_invariants *x)
{
    const flat_model *m = l->s->flat;
    int all = m->invariants.n;
    if (!all) return true;
    dag d;
    dag_init(&d, l->s->pool, l->scratch);
    expr *roots = arena_array(l->scratch, expr, all);
    span *at = arena_array(l->scratch, span, all);
    x->list = arena_array(l->a, code_invariant, all);
    for (int i = 0; i < all; i++) {
        if (!can_evaluate(l, &d, l->s->invariants[i])) continue;
        x->list[x->n].name = invariant_text(l, m->invariants.at[i].e);
        x->list[x->n].at = at[x->n] = m->invariants.at[i].at;
        roots[x->n++] = l->s->invariants[i];
    }
    code_listed values = {"invariants", "this invariant", CODE_OFTEN, &x->f},
                slopes = {"derivatives of the invariants", "this invariant", CODE_OFTEN,
                          &x->slopes};
    if (!code_function(l, &values, roots, at, x->n)) return false;
    if (!x->n) return true;
    code_slopes(l, &slopes, x->f.program, l->f->unknowns.n, &x->pattern);
    find_direct(x, role, l->f->unknowns.n);
    return true;
}
