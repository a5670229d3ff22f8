/* Rules over the tree of components: declarations in force and the modifications that reach them.
 *
 * Every component of the tree is visited once, the elements of an array together unless they
 * differ. A rule that looks at one component is a line of `rules_of_nodes`.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/tree_rules.h"
#include "eval/eval.h"
#include "rules/interface.h"
#include "rules/rule.h"
#include "rules/rules.h"

/* ---- inner and outer ------------------------------------------------------------------------- */

static void check_outer_modified(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_OUTER || n->element->both) return; // inner outer: the inner one is
    for (int i = 0; i < n->env.n; i++) {
        const inst_layer *l = &n->env.at[i];
        bool says = l->element || (l->mod && (l->mod->value || l->mod->args.n));
        if (!says) continue;
        span at = l->element ? l->element->span : l->arg ? l->arg->span : l->mod->span;
        rules_report(b, RULE_OUTER_MODIFIED, at, "'%s' is outer and modified", n->name);
    }
}

/* The size that a dimension of an outer component was declared with; -1: left open, or the number of
 * values of a type. */
static int64_t declared_size(flat_builder *b, const inst_node *n, const ast_expr *e)
{
    inst_found f = {0};
    int64_t size = -1;
    if (e->kind == AST_COLON) return -1;
    if (e->kind == AST_REF) inst_lookup(b, n->decl_at, e->ref->at[0].name, &f);
    scope s = inst_scope(b, n->decl_at, n->parent, 0);
    return !f.cls && eval_integer(&s, e, n->name, &size) ? size : -1;
}

static int declared_dims(flat_builder *b, const inst_node *n)
{
    int count = n->decl->dims.n;
    const inst_primitive *p = inst_primitive_of(b, n->type);
    for (int i = 0; i < p->n_dims; i++) count += p->dims[i]->n;
    return count;
}

static void check_inner_subtype(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_OUTER || !n->type || !n->target->type) return;
    const inst_node *t = n->target;
    const inst_primitive *p = inst_primitive_of(b, n->type);
    uint8_t variability = n->variability;
    if (p->kind && p->type != TYPE_REAL && variability > FLAT_DISCRETE) variability = FLAT_DISCRETE;
    // outer output: what the states of a machine do with a variable around them.
    uint8_t causality = p->kind && n->causality ? n->causality : t->causality;
    interface_view have = {t->type, t->variability, causality, t->flow, t->n_dims, false};
    interface_view want = {n->type, variability, n->causality, n->flow, declared_dims(b, n), false};
    const char *gap = interface_component_gap(b, &have, &want);
    for (int i = 0; !gap && i < n->decl->dims.n; i++) {
        int64_t size = declared_size(b, n, n->decl->dims.at[i]);
        if (size >= 0 && size != t->dims[i]) gap = "its size is another one";
    }
    if (gap && rules_report(b, RULE_INNER_SUBTYPE, n->decl->at,
                            "the inner '%s' is no subtype of this outer one: %s", n->name, gap))
        diag_note(b->diags, t->decl->at, "the inner component is declared here");
}

/* ---- modifications --------------------------------------------------------------------------- */

static void check_modified(flat_builder *b, const inst_node *n, sym name, span at)
{
    const inst_element *el = inst_find(b, n->cls, name);
    if (el && (el->flags & AST_PROTECTED))
        rules_report(b, RULE_PROTECTED_MODIFIED, at, "'%s' is protected in '%s'", name,
                     inst_name(b, n->type));
}

/* The modifications that reach a component stand outside its class. */
static void check_protected_modified(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_COMPOSITE || !n->cls) return;
    for (int i = 0; i < n->env.n; i++) {
        const inst_layer *l = &n->env.at[i];
        if (l->arg && !l->mod && !l->element && l->used < l->arg->name.n)
            check_modified(b, n, l->arg->name.at[l->used].name, l->arg->name.at[l->used].at);
        for (int k = 0; l->mod && k < l->mod->args.n; k++) {
            const ast_arg *arg = &l->mod->args.at[k];
            if (arg->kind == AST_ARG_MOD)
                check_modified(b, n, arg->name.at[0].name, arg->name.at[0].at);
            else if (arg->kind == AST_ARG_ELEMENT)
                check_modified(b, n, lang_element_name(arg->element), arg->span);
        }
    }
}

/* ---- connectors ------------------------------------------------------------------------------ */

/* A variable of a connector that is no input, output, parameter or constant. */
static const inst_node *undirected(const inst_node *n, int depth)
{
    if (n->kind == NODE_PRIMITIVE)
        return n->causality || n->variability <= FLAT_PARAMETER ? NULL : n;
    if (depth > FLAT_MAX_DEPTH || n->kind == NODE_OUTER || n->is_expandable) return NULL;
    for (int i = 0; i < n->children.n; i++) {
        const inst_node *x = undirected(n->children.at[i], depth + 1);
        if (x) return x;
    }
    return NULL;
}

static void check_block_connector(flat_builder *b, inst_node *n)
{
    const inst_node *of = n->parent;
    if (!n->is_connector || n->is_protected || n->is_element || !of || of->is_connector) return;
    if (!of->type || of->type->ast->restriction != AST_R_BLOCK) return;
    const inst_node *x = undirected(n, 0);
    if (x)
        rules_report(b, RULE_BLOCK_CONNECTOR, n->decl->at,
                     "'%s' of the connector '%s' of the block '%s' is neither input nor output",
                     x->name, n->name, of->type->ast->name);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* In this order: the first that is broken tells most. */
static node_rule *const rules_of_nodes[] = {
    check_inner_subtype,         check_outer_modified,     check_protected_modified,
    rules_redeclared_component,  rules_redeclared_classes, rules_prefix_class,
    rules_prefix_twice,          rules_flow_type,          rules_stream_place,
    rules_connector_variability, rules_expandable_flow,    rules_flow_operators,
    check_block_connector,       rules_operators,          rules_constant,
};
/* After the rules of all parts. */
static node_rule *const rules_of_wholes[] = {rules_stream_flow, rules_connector_balance};

static void visit_node(flat_builder *b, inst_node *n, int depth)
{
    if (n->kind == NODE_MEMBER && n->index) return; // it is visited with the first
    if (n->kind == NODE_MEMBER) n = n->target;
    if (depth > FLAT_MAX_DEPTH) return;
    for (size_t i = 0; i < sizeof rules_of_nodes / sizeof *rules_of_nodes; i++)
        rules_of_nodes[i](b, n);
    if (n->kind == NODE_OUTER) return; // its target stands elsewhere in the tree
    for (int i = 0; i < n->children.n; i++) visit_node(b, n->children.at[i], depth + 1);
    for (size_t i = 0; i < sizeof rules_of_wholes / sizeof *rules_of_wholes; i++)
        rules_of_wholes[i](b, n);
}

void rules_tree(flat_builder *b)
{
    visit_node(b, b->inst->root, 0);
}
