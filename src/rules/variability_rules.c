/* Rules over variability: constants come from constants, discrete variables from when-clauses.
 *
 * Modelica Language Specification, sections 3.8 and 4.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"
#include "rules/tree_rules.h"

#include <string.h>

/* ---- constants ------------------------------------------------------------------------------- */

typedef struct constant_value {
    flat_builder *b;
    const inst_node *of;
    inst_class *at; // where the value is written
} constant_value;

static void check_constant(const constant_value *c, const ast_expr *e);

static void check_constants(const constant_value *c, const ast_exprs *list)
{
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) check_constant(c, list->at[i]);
}

static void check_constant_ref(const constant_value *c, const ast_ref *r)
{
    const inst_node *n = inst_named(c->b, c->at, r);
    if (!n || n->variability != FLAT_PARAMETER) return;
    if (rules_report(c->b, RULE_CONSTANT_VALUE, r->span,
                     "the constant '%s' depends on the parameter '%s'", c->of->name, n->name))
        diag_note(c->b->diags, n->decl->at, "'%s' is declared here", n->name);
}

/* Sizes are known though what has them is a parameter. */
static bool asks_size(const ast_call *f)
{
    return f->f.n == 1 && (!strcmp(f->f.at[0].name, "size") || !strcmp(f->f.at[0].name, "ndims"));
}

static void check_constant(const constant_value *c, const ast_expr *e)
{
    switch ((ast_expr_kind)e->kind) {
    case AST_REF: check_constant_ref(c, e->ref); break;
    case AST_UNARY: check_constant(c, e->arg); break;
    case AST_CHAIN: check_constants(c, &(ast_exprs){e->chain.at, e->chain.n}); break;
    case AST_IF:
        check_constants(c, &(ast_exprs){e->cond.tests, e->cond.n});
        check_constants(c, &(ast_exprs){e->cond.values, e->cond.n + 1});
        break;
    case AST_ARRAY:
    case AST_TUPLE: check_constants(c, &e->list); break;
    case AST_CALL:
        if (asks_size(e->call) || e->call->iters.n) break;
        check_constants(c, &e->call->args);
        for (int i = 0; i < e->call->n_named; i++) check_constant(c, e->call->named[i].value);
        break;
    default: break;
    }
}

void rules_constant(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_PRIMITIVE || !n->decl || n->variability != FLAT_CONSTANT) return;
    if (!inst_has_binding(b, n) || !n->binding || n->decl->variability != AST_CONSTANT) return;
    constant_value c = {b, n, n->binding->at};
    int members = n->family && n->total ? n->family->n : 1;
    for (int k = 0; k < members; k++)
        check_constant(&c, inst_layer_expr(n->binding, n, k * (n->total / members)));
}

/* ---- discrete variables ---------------------------------------------------------------------- */

static void note_assigned(const flat_statements *body, bool in_when, bool *assigned, int depth)
{
    for (int i = 0; i < body->n && depth < FLAT_MAX_DEPTH; i++) {
        const flat_statement *st = &body->at[i];
        if (st->kind == FLAT_ASSIGN && in_when) assigned[st->var] = true;
        for (int k = 0; k < st->branches.n; k++)
            note_assigned(&st->branches.at[k].body, in_when || st->kind == FLAT_WHEN, assigned,
                          depth + 1);
    }
}

static bool in_connector(const inst_node *n)
{
    for (; n; n = n->parent)
        if (n->is_connector) return true;
    return false;
}

static void check_discrete(flat_builder *b, const inst_node *n, int member, const bool *assigned,
                           int depth)
{
    int first, last;
    if (n->kind == NODE_MEMBER) member = n->index, n = n->target;
    if (depth > FLAT_MAX_DEPTH || n->kind == NODE_OUTER) return;
    for (int i = 0; i < n->children.n; i++)
        check_discrete(b, n->children.at[i], member, assigned, depth + 1);
    if (n->kind != NODE_PRIMITIVE || n->type_id != TYPE_REAL || n->var < 0 || !n->total) return;
    const ast_component *o = n->element ? n->element->comp : n->decl;
    bool discrete = n->decl->variability == AST_DISCRETE ||
                    (!n->decl->variability && o->variability == AST_DISCRETE);
    if (!discrete || n->variability != FLAT_DISCRETE || n->causality || in_connector(n)) return;
    inst_elements(n, member, &first, &last);
    for (int e = first; e < last; e++)
        if (assigned[inst_var(n, e)]) return;
    rules_report(b, RULE_DISCRETE_WHEN, n->decl->at, "'%s' is discrete, and no when-clause sets it",
                 n->name);
}

void rules_variability(flat_builder *b)
{
    bool *assigned = arena_array(b->front, bool, b->m->vars.n + 1);
    note_assigned(&b->m->whens, false, assigned, 0);
    for (int i = 0; i < b->m->algorithms.n; i++)
        note_assigned(&b->m->algorithms.at[i].body, false, assigned, 0);
    check_discrete(b, b->inst->root, -1, assigned, 0);
}
