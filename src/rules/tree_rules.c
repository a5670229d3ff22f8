/* Rules over the tree of components: declarations in force and the modifications that reach them.
 *
 * Every component of the tree is visited once, the elements of an array together unless they
 * differ. A rule that looks at one component is a line of `rules_of_nodes`.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"

/* ---- inner and outer ------------------------------------------------------------------------- */

static void check_outer_modified(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_OUTER) return;
    for (int i = 0; i < n->env.n; i++) {
        const inst_layer *l = &n->env.at[i];
        bool says = l->element || (l->mod && (l->mod->value || l->mod->args.n));
        if (!says) continue;
        span at = l->element ? l->element->span : l->arg ? l->arg->span : l->mod->span;
        rules_report(b, RULE_OUTER_MODIFIED, at, "'%s' is outer and modified", n->name);
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

typedef void node_rule(flat_builder *b, inst_node *n);
static node_rule *const rules_of_nodes[] = {check_outer_modified};

static void visit_node(flat_builder *b, inst_node *n, int depth)
{
    if (depth > FLAT_MAX_DEPTH) return;
    for (size_t i = 0; i < sizeof rules_of_nodes / sizeof *rules_of_nodes; i++)
        rules_of_nodes[i](b, n);
    if (n->kind == NODE_OUTER) return; // its target stands elsewhere in the tree
    for (int i = 0; i < n->children.n; i++) visit_node(b, n->children.at[i], depth + 1);
}

void rules_tree(flat_builder *b)
{
    visit_node(b, b->inst->root, 0);
}
