/* Checks that need a whole connector or the whole model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/inst.h"
#include "flat/units.h"

/* ---- connectors ------------------------------------------------------------------------------ */

typedef struct balance {
    int potentials, flows;
    bool special; // overdetermined types have their own rule
} balance;

static void count_leaves(flat_builder *b, const inst_node *n, int factor, balance *r)
{
    factor *= n->size;
    if (n->kind == NODE_COMPOSITE) {
        if (n->is_expandable || inst_find(b, n->cls, sym_of(b->lib->syms, "equalityConstraint")))
            r->special = true;
        for (int i = 0; i < n->children.n; i++) count_leaves(b, n->children.at[i], factor, r);
    }
    if (n->kind == NODE_SPLIT) r->special = true;
    if (n->kind != NODE_PRIMITIVE || n->variability <= FLAT_PARAMETER) return;
    if (n->flow == AST_FLOW) r->flows += factor;
    else if (n->flow == AST_POTENTIAL && !n->causality) r->potentials += factor;
}

/* Variables with input, output, parameter, constant or stream do not count (Modelica Language
 * Specification 3.6, section 9.3.1). */
bool inst_check_connector(flat_builder *b, inst_node *n)
{
    balance r = {0};
    if (n->causality || n->type->checked || n->kind != NODE_COMPOSITE) return true;
    n->type->checked = true;
    for (int i = 0; i < n->children.n; i++) count_leaves(b, n->children.at[i], 1, &r);
    if (n->is_expandable || r.special || r.flows == r.potentials) return true;
    diag_error(b->diags, "M186", n->type->ast->at,
               "the connector '%s' has %d potential%s and %d flow%s; it must have as many of each, "
               "since a connection gives one equation for every pair",
               inst_name(b, n->type), r.potentials, r.potentials == 1 ? "" : "s", r.flows,
               r.flows == 1 ? "" : "s");
    return false;
}

/* ---- division by zero ------------------------------------------------------------------------ */

static bool reaches(flat_builder *b, expr e, const uint8_t *bad)
{
    arena_mark mark = arena_here(b->scratch);
    int_array nodes = expr_reach(b->pool, &e, 1, b->scratch);
    bool yes = false;
    for (int i = 0; i < nodes.n; i++) yes = yes || bad[nodes.at[i]];
    arena_release(b->scratch, mark);
    return yes;
}

/* Literals are folded, so a divisor that is zero for good is a literal by now. */
static bool check_divisions(flat_builder *b)
{
    const expr_pool *p = b->pool;
    flat_model *m = b->m;
    uint8_t *bad = NULL;
    bool ok = true;
    for (expr e = 1; e < p->n; e++) {
        double x;
        if (expr_at(p, e)->op != EXPR_DIV || !expr_number(p, expr_at(p, e)->u.arg[1], &x) || x != 0)
            continue;
        if (!bad) bad = arena_array(b->front, uint8_t, p->n);
        bad[e] = 1;
    }
    if (!bad) return true;
    for (int i = 0; i < m->vars.n; i++) {
        const flat_var *v = &m->vars.at[i];
        if (!v->binding || !reaches(b, v->binding, bad)) continue;
        diag_error(b->diags, "M117", v->at, "the value of '%s' divides by zero", v->name);
        ok = false;
    }
    for (int i = 0; i < m->equations.n && ok; i++) {
        const flat_equation *q = &m->equations.at[i];
        if (!reaches(b, q->lhs, bad) && !reaches(b, q->rhs, bad)) continue;
        diag_error(b->diags, "M117", q->at, "this equation divides by zero");
        ok = false;
    }
    return ok;
}

/* ---- parameters without values --------------------------------------------------------------- */

static void check_parameters(flat_builder *b)
{
    flat_model *m = b->m;
    uint32_t last = 0;
    for (int i = 0; i < m->vars.n; i++) {
        const flat_var *v = &m->vars.at[i];
        if (v->variability != FLAT_PARAMETER || v->binding || v->attr->fixed == 0) continue;
        if (v->at.begin == last) continue; // once for an array
        last = v->at.begin;
        diag_warning(b->diags, "M118", v->at, "the parameter '%s' has no value; %s", v->name,
                     v->attr->start ? "its start value is used" : "zero is used");
    }
}

bool inst_check_model(flat_builder *b)
{
    if (b->diags->n_errors) return false;
    check_parameters(b);
    if (!check_divisions(b)) return false;
    unit_check(b->m, b->diags, b->scratch);
    return true;
}
