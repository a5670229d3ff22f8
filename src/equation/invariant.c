/* Invariants: what the motion of a model is said to keep.
 *
 *     annotation(__Vincolo(invariant = {E, L, m1*v1 + m2*v2}))
 *
 * in the class that is run or in a class that it extends; an array stands for its elements. The
 * expressions are kept in the flat model; a run watches them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"

static bool invariant_wrong(const scope *s, const ast_expr *e, const char *what)
{
    diag_error(s->b->diags, "M196", e->span, "%s", what);
    return false;
}

static bool take_invariant(const scope *s, const ast_expr *e)
{
    flat_model *m = s->b->m;
    value v;
    if (e->kind == AST_ARRAY) {
        for (int i = 0; i < e->list.n; i++)
            if (!take_invariant(s, e->list.at[i])) return false;
        return true;
    }
    if (!eval_expr(s, e, &v)) return false;
    if (!value_is_numeric(&v))
        return invariant_wrong(s, e,
                               "an invariant is a number that the motion keeps, or an array "
                               "of such numbers");
    for (int i = 0; i < v.n; i++) {
        bool known = false;
        for (int k = 0; k < m->invariants.n && !known; k++)
            known = m->invariants.at[k].e == value_at(&v)[i];
        if (known) continue;
        if (m->invariants.n == FLAT_INVARIANTS_MAX)
            return invariant_wrong(s, e,
                                   "more than 32 invariants are named; name fewer, or sums of "
                                   "them");
        flat_invariant x = {.e = value_at(&v)[i], .at = e->span};
        array_push(s->b->model, &m->invariants, x);
    }
    return true;
}

static bool invariants_of(flat_builder *b, inst_class *part, inst_node *n)
{
    static const char *const path[] = {"__Vincolo", "invariant", NULL};
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i] && !invariants_of(b, part->bases[i], n)) return false;
    const ast_mod *a = part->ast->annotation;
    const ast_expr *list = a ? lang_annotation_value(a, path) : NULL;
    if (!list) return true;
    arena_mark mark = arena_here(b->scratch);
    scope s = inst_scope(b, part, n, 0);
    bool ok = take_invariant(&s, list);
    arena_release(b->scratch, mark);
    return ok;
}

bool equation_invariants(flat_builder *b)
{
    inst_node *root = b->inst->root;
    return root->kind != NODE_COMPOSITE || invariants_of(b, root->cls, root);
}
