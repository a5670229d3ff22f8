/* Rules over the prefixes of components: what they may be put before, and what they meet inside.
 *
 * Modelica Language Specification, section 4.4.2.2.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/tree_rules.h"

/* Prefixes as written; of a connector also that of a short class, connector C = input R. */
typedef struct prefixes {
    uint8_t variability, causality, flow;
} prefixes;

static prefixes written_prefixes(flat_builder *b, const inst_node *n)
{
    const ast_component *d = n->decl, *o = n->element ? n->element->comp : n->decl;
    prefixes p = {.variability = d->variability ? d->variability : o->variability,
                  .causality = d->causality ? d->causality : o->causality,
                  .flow = d->flow ? d->flow : o->flow};
    inst_class *c = n->type;
    for (int i = 0; c && !p.causality && c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        p.causality = c->ast->causality;
        c = inst_expand(b, c) ? c->bases[0] : NULL;
    }
    return p;
}

static const char *prefix_text(prefixes p)
{
    static const char *const variabilities[] = {NULL, "discrete", "parameter", "constant"};
    if (p.flow) return p.flow == AST_FLOW ? "flow" : "stream";
    if (p.causality) return p.causality == AST_INPUT ? "input" : "output";
    return variabilities[p.variability];
}

static bool is_declared(const inst_node *n)
{
    return n->decl && n->type && !n->is_element;
}

void rules_prefix_class(flat_builder *b, inst_node *n)
{
    if (!is_declared(n) || n->kind == NODE_PRIMITIVE) return;
    const char *prefix = prefix_text(written_prefixes(b, n));
    int kind = inst_restriction(b, n->type);
    if (!prefix || (kind != AST_R_MODEL && kind != AST_R_BLOCK)) return;
    rules_report(b, RULE_PREFIX_CLASS, n->decl->at, "'%s' is %s and a %s", n->name, prefix,
                 lang_restriction_text((ast_restriction)kind));
}

/* A part with a prefix of its own that corresponds: flow and stream do, and input and output. */
static const inst_node *prefixed_part(flat_builder *b, const inst_node *n, prefixes of, int depth)
{
    if (depth > FLAT_MAX_DEPTH || n->kind == NODE_OUTER) return NULL;
    for (int i = 0; i < n->children.n; i++) {
        const inst_node *c = n->children.at[i], *found;
        if (is_declared(c)) {
            prefixes p = written_prefixes(b, c);
            if ((p.flow && of.flow) || (p.causality && of.causality)) return c;
        }
        if ((found = prefixed_part(b, c, of, depth + 1))) return found;
    }
    return NULL;
}

void rules_prefix_twice(flat_builder *b, inst_node *n)
{
    if (!is_declared(n) || (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT)) return;
    prefixes p = written_prefixes(b, n);
    if (!p.flow && !p.causality) return;
    const inst_node *part = prefixed_part(b, n, p, 0);
    if (part &&
        rules_report(b, RULE_PREFIX_TWICE, n->decl->at, "'%s' is %s, and its element '%s' is %s",
                     n->name, prefix_text(p), part->name, prefix_text(written_prefixes(b, part))))
        diag_note(b->diags, part->decl->at, "'%s' is declared here", part->name);
}

void rules_flow_type(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_PRIMITIVE || !n->flow || n->type_id == TYPE_REAL) return;
    rules_report(b, RULE_FLOW_TYPE, n->decl->at, "the %s variable '%s' is not Real",
                 n->flow == AST_FLOW ? "flow" : "stream", n->name);
}
