/* Rules over connectors: what they hold, and that they are balanced.
 *
 * Modelica Language Specification, sections 9.1.3, 9.2, 9.3 and 15.1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"
#include "rules/tree_rules.h"

#include <string.h>

/* ---- balance --------------------------------------------------------------------------------- */

typedef struct balance {
    int potentials, flows;
    bool open; // a size is not known, or differs between elements
} balance;

/* How many equations an overdetermined type stands for: the size of the residue; -1: not known. */
static int residue_size(flat_builder *b, const inst_node *n)
{
    inst_class *of = n->kind == NODE_PRIMITIVE ? n->type : n->cls;
    inst_element *el = inst_find(b, of, sym_of(b->lib->syms, "equalityConstraint"));
    inst_class *f = el && el->class_ ? inst_element_class(b, el) : NULL;
    inst_components list = f ? inst_components_of(b, f) : (inst_components){NULL, -1};
    for (int i = 0; i < list.n; i++) {
        const inst_component *c = &list.at[i];
        if (c->causality != AST_OUTPUT) continue;
        int64_t size = 1, one;
        for (int k = 0; k < c->n_dims_lists; k++)
            for (int j = 0; j < c->dims[k]->n; j++) {
                const ast_expr *e = c->dims[k]->at[j];
                if (e->kind != AST_INTEGER) return -1;
                one = e->integer;
                size *= one;
            }
        return (int)size;
    }
    return -1;
}

/* Elements of the type of an array type count together. */
static int type_size(flat_builder *b, const inst_node *n)
{
    const inst_primitive *p = inst_primitive_of(b, n->type);
    int dims = 0, size = 1;
    for (int i = 0; n->kind == NODE_PRIMITIVE && i < p->n_dims; i++) dims += p->dims[i]->n;
    for (int i = n->n_dims - dims; i < n->n_dims; i++) size *= n->dims[i];
    return size ? size : 1;
}

static void count_variables(flat_builder *b, const inst_node *n, int factor, balance *r)
{
    factor *= n->size;
    if (inst_is_overdetermined(b, n)) {
        int size = residue_size(b, n);
        r->open = r->open || size < 0;
        r->potentials += factor / type_size(b, n) * size;
        return;
    }
    if (n->kind == NODE_SPLIT || n->is_expandable || n->kind == NODE_OUTER) r->open = true;
    if (n->kind == NODE_COMPOSITE)
        for (int i = 0; i < n->children.n; i++) count_variables(b, n->children.at[i], factor, r);
    if (n->kind != NODE_PRIMITIVE || n->variability <= FLAT_PARAMETER) return;
    if (n->flow == AST_FLOW) r->flows += factor;
    else if (n->flow == AST_POTENTIAL && !n->causality) r->potentials += factor;
}

static bool is_outermost_connector(const inst_node *n)
{
    if (!n->is_connector || !n->type || (n->parent && n->parent->is_connector)) return false;
    return n->kind == NODE_COMPOSITE || n->kind == NODE_PRIMITIVE;
}

void rules_connector_balance(flat_builder *b, inst_node *n)
{
    balance r = {0};
    if (!is_outermost_connector(n) || n->causality || n->variability <= FLAT_PARAMETER) return;
    if (n->is_expandable || n->flow) return;
    if (n->kind == NODE_PRIMITIVE) r.potentials = 1;
    for (int i = 0; i < n->children.n; i++) count_variables(b, n->children.at[i], 1, &r);
    if (r.open || r.flows == r.potentials) return;
    rules_report(b, RULE_CONNECTOR_BALANCE, n->type->ast->at,
                 "the connector '%s' has %d potential%s and %d flow%s", inst_name(b, n->type),
                 r.potentials, r.potentials == 1 ? "" : "s", r.flows, r.flows == 1 ? "" : "s");
}

/* ---- streams --------------------------------------------------------------------------------- */

void rules_stream_flow(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_COMPOSITE || !n->is_connector || n->is_expandable) return;
    int streams = 0, flows = 0;
    for (int i = 0; i < n->children.n; i++) {
        const inst_node *c = n->children.at[i];
        if (c->kind == NODE_ABSENT || !c->decl) continue;
        streams += c->flow == AST_STREAM;
        if (c->flow == AST_FLOW && c->kind != NODE_OUTER) flows += c->size;
    }
    if (!streams || flows == 1) return;
    rules_report(b, RULE_STREAM_FLOW, n->type->ast->at,
                 "the connector '%s' has streams and %d flow variables", inst_name(b, n->type),
                 flows);
}

void rules_stream_place(flat_builder *b, inst_node *n)
{
    if (!n->decl || n->decl->flow != AST_STREAM || n->is_element) return;
    for (const inst_node *p = n->parent; p; p = p->parent)
        if (p->is_connector) return;
    rules_report(b, RULE_STREAM_PLACE, n->decl->at, "'%s' is a stream outside of a connector",
                 n->name);
}

/* ---- declarations of connectors -------------------------------------------------------------- */

void rules_connector_variability(flat_builder *b, inst_node *n)
{
    if (!n->is_connector || !n->decl || n->is_element) return;
    const ast_component *o = n->element ? n->element->comp : n->decl;
    uint8_t v = n->decl->variability ? n->decl->variability : o->variability;
    if (v < AST_PARAMETER) return;
    rules_report(b, RULE_CONNECTOR_VARIABILITY, n->decl->at, "the connector '%s' is %s", n->name,
                 v == AST_CONSTANT ? "constant" : "a parameter");
}

void rules_expandable_flow(flat_builder *b, inst_node *n)
{
    if (!n->decl || n->decl->flow != AST_FLOW || !n->parent || !n->parent->is_expandable) return;
    rules_report(b, RULE_EXPANDABLE_FLOW, n->decl->at,
                 "'%s' is a flow directly in an expandable connector", n->name);
}

/* A flow that is an operator record is summed with its own operators. */
void rules_flow_operators(flat_builder *b, inst_node *n)
{
    static const char *const needed[] = {"'+'", "'-'", "'0'"};
    if (n->kind != NODE_COMPOSITE || !n->decl || n->decl->flow != AST_FLOW) return;
    inst_class *c = n->type;
    for (int i = 0; c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        if (!inst_expand(b, c) || !c->bases[0]) return;
        c = c->bases[0];
    }
    if (!(c->ast->flags & AST_OPERATOR)) return;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!inst_find(b, c, sym_of(b->lib->syms, needed[i])))
            rules_report(b, RULE_FLOW_OPERATORS, n->decl->at,
                         "the flow '%s' is an operator record without %s", n->name, needed[i]);
}
