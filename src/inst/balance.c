/* Connectors are balanced: as many flows as potentials.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

typedef struct balance {
    int potentials, flows;
    bool special; // overdetermined types have their own rule
} balance;

bool inst_is_overdetermined(flat_builder *b, const inst_node *n)
{
    if (n->kind != NODE_PRIMITIVE && (n->kind != NODE_COMPOSITE || !n->is_record)) return false;
    inst_class *cls = n->kind == NODE_PRIMITIVE ? n->type : n->cls;
    inst_element *el = inst_find(b, cls, sym_of(b->lib->syms, "equalityConstraint"));
    return el && el->class_;
}

static void count_leaves(flat_builder *b, const inst_node *n, int factor, balance *r)
{
    factor *= n->size;
    if (inst_is_overdetermined(b, n)) r->special = true;
    if (n->kind == NODE_COMPOSITE) {
        if (n->is_expandable) r->special = true;
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
