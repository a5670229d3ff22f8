/* Assignments of arrays, records and several outputs as assignments of scalars.
 *
 * What is on the right of an assignment is the state before it: where a scalar that was already
 * assigned is still needed, the statements are put in an order that keeps it, and if there is none,
 * an auxiliary variable holds the old value.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"
#include "rules/rule.h"

#include <string.h>

typedef struct pair {
    int var;
    expr value;
} pair;

typedef ARRAY(pair) pair_list;

static bool not_assignable(flat_builder *b, const ast_expr *at)
{
    diag_error(b->diags, "M167", at->span, "only a variable can be assigned");
    return false;
}

static bool add_pair(flat_builder *b, const ast_expr *at, expr x, expr v, pair_list *out)
{
    const expr_node *n = expr_at(b->pool, x);
    if (n->op != EXPR_VAR || n->u.var.order) {
        if (expr_is_literal(b->pool, x)) {
            diag_error(b->diags, "M168", at->span, "a constant or parameter cannot be assigned");
            return false;
        }
        return not_assignable(b, at);
    }
    const flat_var *f = flat_at(b->m, n->u.var.index);
    if (f->variability <= FLAT_PARAMETER && !(f->attr && f->attr->fixed == 0)) {
        diag_error(b->diags, "M168", at->span, "the %s '%s' cannot be assigned",
                   f->variability == FLAT_CONSTANT ? "constant" : "parameter",
                   FLAT_NAME(b->m, n->u.var.index));
        diag_note(b->diags, f->decl->at, "it is declared here");
        return false;
    }
    pair p = {n->u.var.index, v};
    array_push(b->env.a, out, p);
    return true;
}

static bool add_pairs(flat_builder *b, const ast_expr *at, value x, value v, span where,
                      pair_list *out)
{
    if (v.type == VALUE_TUPLE && v.n) v = v.fields[0];
    if (!value_accepts(&x, &v) || (x.type <= VALUE_OBJECT && !value_same_dims(&x, &v))) {
        diag_error(b->diags, "M152", where, "a value of type %s cannot be assigned to %s",
                   value_type_name(&b->env, &v), value_type_name(&b->env, &x));
        return false;
    }
    v = value_convert(&b->env, &x, v);
    int n = value_count(&x);
    if (value_count(&v) != n) {
        diag_error(b->diags, "M151", where, "the sizes of the two sides differ");
        return false;
    }
    expr *l = arena_array(b->env.a, expr, n + 1), *r = arena_array(b->env.a, expr, n + 1);
    value_scalars(&x, l);
    value_scalars(&v, r);
    for (int i = 0; i < n; i++)
        if (!add_pair(b, at, l[i], r[i], out)) return false;
    return true;
}

/* x[i] := v with i unknown: every element that it could be takes v if it is the one. */
static bool add_symbolic(const scope *s, const ast_expr *left, const inst_gathered *g, value v,
                         span where, pair_list *out)
{
    flat_builder *b = s->b;
    value x;
    if (!inst_gathered_all(s, left->ref, g, &x)) return false;
    if (v.type == VALUE_TUPLE && v.n) v = v.fields[0];
    eval_check_subscripts(s, inst_ref_text(b, left->ref, left->ref->n), g->choose, g->dims,
                          g->n_dims, left->span);
    value changed = value_assign(&b->env, x, false, g->choose, g->n_dims, v, where);
    return !value_is_error(&changed) && add_pairs(b, left, x, changed, where, out);
}

static bool assign_value(const scope *s, const ast_expr *left, value v, span where, pair_list *out)
{
    flat_builder *b = s->b;
    if (left->kind != AST_REF) return not_assignable(b, left);
    for (const scope_name *n = s->names; n; n = n->next)
        if (n->name == left->ref->at[0].name) {
            diag_error(b->diags, "M170", left->span, "the loop variable '%s' cannot be assigned",
                       n->name);
            return false;
        }
    inst_gathered g;
    if (!inst_gather(s, left->ref, false, &g)) return false;
    if (g.at.n && g.at.at[0].node->variability == FLAT_CONSTANT) {
        diag_error(b->diags, "M168", left->span, "the constant '%s' cannot be assigned",
                   inst_ref_text(b, left->ref, left->ref->n));
        diag_note(b->diags, g.at.at[0].node->decl->at, "it is declared here");
        return false;
    }
    if (g.symbolic) return add_symbolic(s, left, &g, v, where, out);
    value x;
    return inst_ref(s, left->ref, &x) && add_pairs(b, left, x, v, where, out);
}

/* A variable to hold a value between two statements. */
int equation_auxiliary(equation_writer *em, const flat_var *like, span at)
{
    flat_builder *b = em->b;
    flat_model *m = b->m;
    char name[40];
    flat_var v = *like;
    int k = ++b->inst->n_auxiliary, n = 0;
    memcpy(name, "_aux", 4);
    char digits[12];
    do digits[n++] = (char)('0' + k % 10);
    while (k /= 10);
    for (int i = 0; i < n; i++) name[4 + i] = digits[n - 1 - i];
    flat_attributes a;
    memset(&a, 0, sizeof a);
    a.fixed = -1;
    v.flags = FLAT_PROTECTED;
    v.causality = FLAT_LOCAL;
    v.attr = inst_share_attributes(b, &a);
    v.decl = flat_declare(b->model, "", v.decl ? v.decl->enum_id : 0, at);
    return flat_vars_add(&m->vars, b->model, v, sym_of_n(b->lib->syms, name, (size_t)(4 + n)));
}

/* pre(x) is not x: an assignment to x leaves it as it is. For the while it is a variable of its own,
 * which `back` turns into pre(x) again. */
static void hide_past(flat_builder *b, pair_list *l, expr_subst *back)
{
    arena *a = b->env.a;
    expr *values = arena_array(a, expr, l->n);
    expr_subst hide;
    expr_subst_init(&hide, b->pool, a);
    expr_subst_init(back, b->pool, a);
    for (int i = 0; i < l->n; i++) values[i] = l->at[i].value;
    int_array nodes = expr_reach(b->pool, values, l->n, a);
    for (int i = 0; i < nodes.n; i++) {
        expr_node n = *expr_at(b->pool, nodes.at[i]);
        if (n.op != EXPR_PRE) continue;
        expr past = expr_var(b->pool, FLAT_NO_VAR + i, 0, (expr_type)n.type, n.enum_id);
        expr_subst_set(&hide, nodes.at[i], past);
        expr_subst_set(back, past, nodes.at[i]);
    }
    for (int i = 0; i < l->n; i++) l->at[i].value = expr_subst_apply(&hide, values[i]);
}

/* Which values, of the assignments still to be made, use which of the variables assigned. */
typedef struct pair_uses {
    int *slot;       // by assignment: the place of its variable in `users`
    int *users;      // how many values use the variable
    int *first, *of; // by assignment: the places of the variables that its value uses; -1: no more
} pair_uses;

static void list_uses(flat_builder *b, const pair_list *l, const map *assigned, pair_uses *u)
{
    for (int i = 0, n = 0; i < l->n; i++) {
        arena_mark mark = arena_here(b->scratch);
        int_array used = expr_vars(b->pool, &l->at[i].value, 1, b->scratch);
        for (int k = 0; k < used.n; k++) {
            int var = expr_at(b->pool, used.at[k])->u.var.index;
            const uint64_t *known = map_find(assigned, (uint64_t)var);
            if (!known) continue;
            if (u->of) u->users[u->of[n] = (int)*known - 1]++;
            n++;
        }
        arena_release(b->scratch, mark);
        u->first[i + 1] = n;
    }
}

static pair_uses find_uses(flat_builder *b, const pair_list *l)
{
    arena *a = b->env.a;
    pair_uses u = {.slot = arena_array(a, int, l->n), .users = arena_array(a, int, l->n)};
    map assigned;
    map_init(&assigned, a);
    for (int i = 0; i < l->n; i++) {
        uint64_t *known = map_put(&assigned, (uint64_t)l->at[i].var);
        if (!*known) *known = (uint64_t)i + 1;
        u.slot[i] = (int)*known - 1;
    }
    u.first = arena_array(a, int, l->n + 1);
    list_uses(b, l, &assigned, &u);
    u.of = arena_array(a, int, u.first[l->n] + 1);
    list_uses(b, l, &assigned, &u);
    return u;
}

// Does the value of another assignment need what this one overwrites?
static bool is_needed(const pair_uses *u, int i)
{
    int others = u->users[u->slot[i]];
    for (int k = u->first[i]; k < u->first[i + 1]; k++) others -= u->of[k] == u->slot[i];
    return others > 0;
}

/* Simultaneous assignments one after the other. */
static void push_pairs(equation_list *d, pair_list *l, span at)
{
    flat_builder *b = d->em->b;
    bool alone = d->equations || l->n == 1;
    expr_subst back;
    if (!alone) hide_past(b, l, &back);
    pair_uses uses = {0};
    if (!alone) uses = find_uses(b, l);
    for (int left = l->n; left > 0;) {
        int pick = -1;
        for (int i = 0; i < l->n && pick < 0; i++)
            if (l->at[i].var >= 0 && (alone || !is_needed(&uses, i))) pick = i;
        if (pick < 0) { // a cycle: save the first one
            for (pick = 0; l->at[pick].var < 0;) pick++;
            int var = l->at[pick].var, aux = equation_auxiliary(d->em, flat_at(b->m, var), at);
            const flat_var *v = flat_at(b->m, var);
            expr old = expr_var(b->pool, var, 0, (expr_type)v->type, v->decl->enum_id);
            expr held = expr_var(b->pool, aux, 0, (expr_type)v->type, v->decl->enum_id);
            equation_push(
                d->em, d->out,
                (flat_statement){.kind = FLAT_ASSIGN, .var = aux, .value = old, .at = at});
            expr_subst sub;
            expr_subst_init(&sub, b->pool, b->env.a);
            expr_subst_set(&sub, old, held);
            for (int k = 0; k < l->n; k++)
                if (l->at[k].var >= 0) l->at[k].value = expr_subst_apply(&sub, l->at[k].value);
            for (int k = 0; k < uses.first[l->n]; k++)
                if (uses.of[k] == uses.slot[pick]) uses.of[k] = -1;
            uses.users[uses.slot[pick]] = 0;
        }
        expr x = alone ? l->at[pick].value : expr_subst_apply(&back, l->at[pick].value);
        equation_push(
            d->em, d->out,
            (flat_statement){.kind = FLAT_ASSIGN, .var = l->at[pick].var, .value = x, .at = at});
        for (int k = alone ? 0 : uses.first[pick]; !alone && k < uses.first[pick + 1]; k++)
            if (uses.of[k] >= 0) uses.users[uses.of[k]]--;
        l->at[pick].var = -1;
        left--;
    }
}

void equation_assign(equation_list *d, const int *vars, const expr *values, int n, span at)
{
    pair_list pairs = {0};
    for (int i = 0; i < n; i++) {
        pair p = {vars[i], values[i]};
        array_push(d->em->b->env.a, &pairs, p);
    }
    if (n) push_pairs(d, &pairs, at);
}

/* A when-clause sets variables of its class; records and connectors of it belong to it. */
static void check_own(const scope *s, const ast_expr *left)
{
    const inst_node *n =
        left->kind == AST_REF && left->ref->n > 1 ? inst_named(s->b, s->cls, left->ref) : NULL;
    for (n = n ? n->parent : NULL; n && n != s->self; n = n->parent) {
        int kind = n->type ? inst_restriction(s->b, n->type) : AST_R_CLASS;
        if (kind == AST_R_MODEL || kind == AST_R_BLOCK)
            rules_report(s->b, RULE_WHEN_INSIDE, left->span, "'%s' belongs to the %s '%s'",
                         inst_ref_text(s->b, left->ref, left->ref->n),
                         lang_restriction_text((ast_restriction)kind), n->name);
    }
}

bool equation_assignment(equation_list *d, const scope *s, const ast_stmt *st)
{
    const ast_expr *l = st->pair.left, *r = st->pair.right;
    if (d->in_when) check_own(s, l);
    pair_list pairs = {0};
    value v;
    if (l->kind == AST_TUPLE) {
        if (!equation_outputs(s, st, &v)) return false;
        for (int i = 0; i < l->list.n; i++)
            if (l->list.at[i] &&
                !assign_value(s, l->list.at[i], v.type == VALUE_TUPLE ? v.fields[i] : v, st->span,
                              &pairs))
                return false;
    } else if (!eval_expr(s, r, &v) || !assign_value(s, l, v, st->span, &pairs)) {
        return false;
    }
    push_pairs(d, &pairs, st->span);
    return true;
}
