/* Connections.
 *
 * A connect clause joins the variables of two connectors pairwise into connection sets: equal for
 * potentials, summing to zero for flows. A variable takes part from two sides: inside, seen by the
 * class that contains its component, and outside, seen by the class whose own connector it belongs
 * to; a flow counts positive inside and negative outside, and a flow that nothing is connected to
 * from inside is zero (Modelica Language Specification 3.6, section 9.2). Sets are kept by
 * union-find over the pairs (variable, side), with paths halved; links go to the smaller number, so
 * that the result does not depend on the order of work.
 *
 * Clauses are collected before equations are written, since cardinality() and inStream() in
 * equations ask about the sets.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "connect/connect.h"
#include "rules/rule.h"

#include <string.h>

int connect_find(connections *c, int i)
{
    if (c->up[i] < 0) c->up[i] = i;
    while (c->up[i] != i) {
        c->up[i] = c->up[c->up[i]];
        i = c->up[i];
    }
    return i;
}

static void connect_join(connections *c, int i, int j, span at, sym where)
{
    i = connect_find(c, i);
    j = connect_find(c, j);
    if (i > j) {
        int t = i;
        i = j;
        j = t;
    }
    c->up[j] = i;
    if (!c->at[i].begin || (c->at[j].begin && c->at[j].begin < c->at[i].begin))
        c->at[i] = c->at[j], c->where[i] = c->where[j];
    if (!c->at[i].begin) c->at[i] = at, c->where[i] = where;
}

/* ---- pairs of connectors --------------------------------------------------------------------- */

typedef struct joint {
    flat_builder *b;
    const ast_stmt *st;
    sym where;
} joint;

/* What an end of a connection is called, with the class of a connector. */
static void connect_describe(const joint *j, const inst_node *n, text *out)
{
    text_printf(out, "'%s'", inst_path_sym(j->b, n, 0));
    if (n->is_connector && n->type && n->type->ast) text_printf(out, " (a %s)", n->type->ast->name);
}

static bool report_types(const joint *j, const inst_node *a, const inst_node *b, const char *why)
{
    text one, two;
    text_init(&one, j->b->front->m);
    text_init(&two, j->b->front->m);
    connect_describe(j, a, &one);
    connect_describe(j, b, &two);
    diag_error(j->b->diags, "M180", j->st->span, "%s and %s cannot be connected: %s",
               text_str(&one), text_str(&two), why);
    if (a->decl) diag_note(j->b->diags, a->decl->at, "'%s' is declared here", a->name);
    if (b->decl) diag_note(j->b->diags, b->decl->at, "'%s' is declared here", b->name);
    text_done(&one);
    text_done(&two);
    return false;
}

/* A component that is wrong, or was reached through its class, is no variable of the model. */
static bool is_variable(const flat_builder *b, connect_end x)
{
    return x.n->var >= 0 && x.e >= 0 && x.e < x.n->total && inst_var(x.n, x.e) < b->m->vars.n;
}

static bool connect_leaf(const joint *j, connect_end x, connect_end y)
{
    flat_builder *b = j->b;
    if (!is_variable(b, x) || !is_variable(b, y)) return false; // said where it was found wrong
    if (x.n->flow != y.n->flow) return report_types(j, x.n, y.n, "one is a flow and the other not");
    if (x.n->type_id != y.n->type_id || x.n->enum_id != y.n->enum_id)
        return report_types(j, x.n, y.n, "their types differ");
    if (x.n->variability <= FLAT_PARAMETER || y.n->variability <= FLAT_PARAMETER) {
        expr p, q;
        if (x.n->variability > FLAT_PARAMETER || y.n->variability > FLAT_PARAMETER)
            return report_types(j, x.n, y.n, "one is a parameter and the other a variable");
        if (x.n->variability != y.n->variability)
            return report_types(j, x.n, y.n, "one is constant and the other a parameter");
        if (!inst_known(b, x.n, x.e, &p) || !inst_known(b, y.n, y.e, &q)) return false;
        return p == q || !expr_is_literal(b->pool, p) || !expr_is_literal(b->pool, q) ||
               report_types(j, x.n, y.n, "their parameters have different values");
    }
    if (!x.n->causality != !y.n->causality && !x.n->in_bus && !y.n->in_bus)
        return report_types(j, x.n, y.n, "one is an input or output and the other neither");
    connect_join(b->connections, 2 * inst_var(x.n, x.e) + x.side, 2 * inst_var(y.n, y.e) + y.side,
                 j->st->span, j->where);
    return true;
}

static bool connect_ends(const joint *j, connect_end x, connect_end y);

static bool connect_has(const inst_node *n, sym name)
{
    for (int i = 0; i < n->children.n; i++)
        if (n->children.at[i]->name == name) return n->children.at[i]->kind != NODE_ABSENT;
    return false;
}

static bool connect_children(const joint *j, connect_end x, connect_end y)
{
    flat_builder *b = j->b;
    int matched = 0, present = 0;
    for (int i = 0; i < y.n->children.n; i++) {
        const inst_node *d = y.n->children.at[i];
        present += d->kind != NODE_ABSENT;
        if (y.n->is_expandable && d->variability <= FLAT_PARAMETER && !connect_has(x.n, d->name))
            present--;
    }
    for (int i = 0; i < x.n->children.n; i++) {
        inst_node *c = x.n->children.at[i], *d = NULL;
        if (c->kind == NODE_ABSENT) continue;
        for (int k = 0; k < y.n->children.n && !d; k++)
            if (y.n->children.at[k]->name == c->name) d = y.n->children.at[k];
        bool fixed = x.n->is_expandable && c->variability <= FLAT_PARAMETER;
        if ((!d || d->kind == NODE_ABSENT) && fixed) continue;
        if (!d || d->kind == NODE_ABSENT)
            return report_types(j, x.n, y.n, "they have different variables");
        matched++;
        bool same = c->n_dims == d->n_dims;
        for (int k = 0; same && k < c->n_dims; k++) same = c->dims[k] == d->dims[k];
        if (!same) return report_types(j, c, d, "their sizes differ");
        for (int k = 0; k < c->size; k++) {
            connect_end p = {c, x.e * c->size + k, x.side}, q = {d, y.e * d->size + k, y.side};
            if (c->kind == NODE_SPLIT) p.n = c->children.at[k], p.e = 0;
            if (d->kind == NODE_SPLIT) q.n = d->children.at[k], q.e = 0;
            if (!connect_ends(j, p, q)) return false;
        }
    }
    if (matched != present) return report_types(j, x.n, y.n, "they have different variables");
    (void)b;
    return true;
}

static bool connect_ends(const joint *j, connect_end x, connect_end y)
{
    int unit = x.n->kind == y.n->kind ? connect_overdetermined(j->b, x.n) : 0;
    if (unit) {
        if (x.e % unit == 0) connect_edge(j->b, x, y, j->st, j->where);
        return true;
    }
    if (x.n->kind == NODE_PRIMITIVE && y.n->kind == NODE_PRIMITIVE) return connect_leaf(j, x, y);
    if (x.n->is_expandable != y.n->is_expandable)
        return report_types(j, x.n, y.n,
                            "one is an expandable connector and the other is not; connect an "
                            "element of it");
    if (x.n->kind == NODE_COMPOSITE && y.n->kind == NODE_COMPOSITE)
        return connect_children(j, x, y);
    return report_types(j, x.n, y.n, "their structures differ");
}

bool connect_leaves(flat_builder *b, connect_end x, connect_end y, const ast_stmt *st, sym where)
{
    joint j = {b, st, where};
    if (x.n->kind == NODE_COMPOSITE) return connect_children(&j, x, y);
    bool ok = true;
    for (int k = connect_overdetermined(b, x.n); ok && k--;)
        ok = connect_leaf(&j, (connect_end){x.n, x.e + k, x.side},
                          (connect_end){y.n, y.e + k, y.side});
    return ok;
}

/* ---- connect clauses ------------------------------------------------------------------------- */

/* Is the reference to a connector of the class itself (outside), not of one of its components? */
static int side_of(const inst_gathered *g)
{
    return g->first->is_connector ? CONNECT_OUTSIDE : CONNECT_INSIDE;
}

static bool check_connector(flat_builder *b, const ast_expr *e, const inst_gathered *g)
{
    inst_node *n = NULL;
    for (int i = 0; i < g->at.n && !n; i++) n = g->at.at[i].node;
    if (!n) return true;
    for (const inst_node *p = n; p; p = p->parent)
        if (p->is_connector) return true;
    diag_error(b->diags, "M181", e->span,
               "'%s' is a %s, not a connector, and cannot be connected; write an equation instead",
               inst_ref_text(b, e->ref, e->ref->n),
               n->kind == NODE_PRIMITIVE
                   ? "variable"
                   : lang_restriction_text((ast_restriction)inst_restriction(b, n->type)));
    return false;
}

/* A connector of the class or a part of one, or such of a component of the class: connections do not
 * reach further in. */
static void check_form(flat_builder *b, const ast_expr *e, const inst_gathered *g)
{
    const inst_node *n = NULL;
    int outside = 0;
    bool reached = false;
    for (int i = 0; i < g->at.n && !n; i++) n = g->at.at[i].node;
    for (; n && !reached; n = n->parent) {
        outside += !n->is_connector && !n->is_element;
        reached = n == g->first;
    }
    if (reached && outside > 1)
        rules_report(b, RULE_CONNECT_FORM, e->span, "'%s' is a connector deep inside",
                     inst_ref_text(b, e->ref, e->ref->n));
    if (g->symbolic)
        rules_report(b, RULE_CONNECT_SUBSCRIPT, e->span,
                     "a subscript of '%s' changes during the simulation",
                     inst_ref_text(b, e->ref, e->ref->n));
}

static void connect_count(flat_builder *b, inst_node *n, int e)
{
    if (!n->cardinality) n->cardinality = arena_array(b->front, int, n->total ? n->total : 1);
    n->cardinality[e]++;
}

static bool has_subscripts(const ast_ref *r)
{
    bool any = false;
    for (int i = 0; i < r->n; i++) any |= r->at[i].subs.n > 0;
    return any;
}

bool connect_is_void(const scope *s, const ast_ref *l, const ast_ref *r)
{
    // Subscripts, and what only such a clause gives to a bus, have no meaning there.
    if (!has_subscripts(l) && !has_subscripts(r) && !s->b->inst->has_bus) return false;
    return inst_is_absent(s, l) || inst_is_absent(s, r);
}

static bool connect_pair(const joint *j, connect_end p, connect_end q)
{
    if (!p.n || !q.n || (p.n == q.n && p.e == q.e)) return true; // absent, or itself
    if (!connect_ends(j, p, q)) return false;
    connect_count(j->b, p.n, p.e);
    connect_count(j->b, q.n, q.e);
    return true;
}

/* An end in a loop, by its plan; kept says whether one of the same component was looked at before. */
static bool planned_end(equation_writer *em, const scope *s, const ast_expr *e, connect_end *end,
                        plan_end **kept)
{
    *kept = NULL;
    if (!em->level) return false;
    s->b->connecting++; // components with a condition may be named
    bool named = equation_named(em, s, e, &end->n, &end->e, kept);
    s->b->connecting--;
    if (!named) return false;
    end->side = (*kept)->side;
    return (*kept)->node == end->n;
}

/* It was looked at, and nothing was to be said. */
static void keep_end(plan_end *kept, const inst_gathered *g, const connect_end *planned)
{
    if (!kept || g->at.n != 1 || g->n_dims || g->symbolic) return;
    if (!planned->n || g->at.at[0].node != planned->n || g->at.at[0].e != planned->e) return;
    *kept = (plan_end){planned->n, side_of(g)};
}

static bool emit_connect(equation_writer *em, const scope *s, const ast_stmt *st)
{
    flat_builder *b = em->b;
    inst_gathered x, y;
    const ast_expr *l = st->pair.left, *r = st->pair.right;
    joint j = {b, st, em->instance};
    connect_end first = {0}, second = {0};
    plan_end *of_first, *of_second;
    bool known = planned_end(em, s, l, &first, &of_first);
    if (planned_end(em, s, r, &second, &of_second) && known) return connect_pair(&j, first, second);
    int said = b->diags->n_errors + b->diags->n_warnings;
    if (connect_is_void(s, l->ref, r->ref)) return true;
    if (!inst_gather(s, l->ref, true, &x) || !inst_gather(s, r->ref, true, &y)) return false;
    if (!check_connector(b, l, &x) || !check_connector(b, r, &y)) return false;
    check_form(b, l, &x);
    check_form(b, r, &y);
    bool same = x.n_dims == y.n_dims && !x.symbolic && !y.symbolic;
    for (int i = 0; same && i < x.n_dims; i++) same = x.dims[i] == y.dims[i];
    if (!same && (x.absent || y.absent)) return true;
    if (!same) {
        const char *left = inst_ref_text(b, l->ref, l->ref->n),
                   *right = inst_ref_text(b, r->ref, r->ref->n);
        bool one = x.n_dims + y.n_dims == 1; // a connector with an array of them
        diag_error(b->diags, "M182", st->span,
                   "connectors of different sizes cannot be connected: '%s' has size %s, '%s' has "
                   "size %s%s%s%s",
                   left, value_dims_name(&b->env, x.dims, x.n_dims), right,
                   value_dims_name(&b->env, y.dims, y.n_dims), one ? "; name one of them: '" : "",
                   !one       ? ""
                   : x.n_dims ? left
                              : right,
                   one ? "[1]'" : "");
        return false;
    }
    if (b->diags->n_errors + b->diags->n_warnings == said) {
        keep_end(of_first, &x, &first);
        keep_end(of_second, &y, &second);
    }
    int side_x = side_of(&x), side_y = side_of(&y);
    for (int i = 0; i < x.at.n && i < y.at.n; i++)
        if (!connect_pair(&j, (connect_end){x.at.at[i].node, x.at.at[i].e, side_x},
                          (connect_end){y.at.at[i].node, y.at.at[i].e, side_y}))
            return false;
    return true;
}

/* ---- finding the clauses --------------------------------------------------------------------- */

/* Connections.branch, root, potentialRoot */
static bool is_graph_statement(const ast_stmt *st)
{
    if (st->kind != AST_CALL_STMT) return false;
    const ast_ref *f = &st->call->call->f;
    return f->n == 2 && !strcmp(f->at[0].name, "Connections");
}

static bool has_connect(const ast_stmts *l)
{
    for (int i = 0; i < l->n; i++) {
        const ast_stmt *st = l->at[i];
        if (st->kind == AST_CONNECT || is_graph_statement(st)) return true;
        if (st->kind == AST_FOR && has_connect(&st->loop.body)) return true;
        if (st->kind == AST_IF_STMT || st->kind == AST_WHEN)
            for (int k = 0; k < st->branches.n; k++)
                if (has_connect(&st->branches.at[k].body)) return true;
    }
    return false;
}

static bool connect_visit(equation_writer *em, const scope *s, const ast_stmts *l);

static bool visit_if(equation_writer *em, const scope *s, const ast_stmt *st)
{
    bool any = false;
    for (int k = 0; k < st->branches.n; k++) any = any || has_connect(&st->branches.at[k].body);
    for (int k = 0; any && k < st->branches.n; k++) {
        const ast_branch *br = &st->branches.at[k];
        expr c;
        int known = br->test ? equation_condition(em, s, br->test, &c) : 1;
        if (known == -2) return false;
        if (known == 1) return connect_visit(em, s, &br->body);
        if (known == -1) {
            diag_error(
                em->b->diags, "M159", st->span,
                "a connection cannot depend on a condition that changes during the simulation");
            return false;
        }
    }
    return true;
}

static bool connect_visit(equation_writer *em, const scope *s, const ast_stmts *l)
{
    flat_builder *b = em->b;
    bool ok = true;
    for (int i = 0; i < l->n; i++) {
        const ast_stmt *st = l->at[i];
        arena_mark mark = arena_here(b->scratch);
        bool good = true;
        bool grows = b->connections->clause != emit_connect;
        if (st->kind == AST_CONNECT) good = b->connections->clause(em, s, st);
        if (is_graph_statement(st) && !grows) good = connect_statement(em, s, st);
        if (st->kind == AST_FOR && has_connect(&st->loop.body))
            good = equation_for(em, s, st, connect_visit);
        if (st->kind == AST_IF_STMT) good = visit_if(em, s, st);
        if (b->env.a == b->scratch) arena_release(b->scratch, mark);
        if (!good && s->names) return false;
        ok = good && ok;
    }
    return ok;
}

/* Statements of algorithms and when-clauses decide nothing about connections. */
static void check_places(flat_builder *b, const ast_stmts *l, const char *in)
{
    for (int i = 0; i < l->n; i++) {
        const ast_stmt *st = l->at[i];
        bool when = st->kind == AST_WHEN;
        if (in && is_graph_statement(st))
            rules_report(b, RULE_GRAPH_PLACE, st->span, "'%s' stands in %s",
                         inst_ref_text(b, &st->call->call->f, 2), in);
        if (st->kind == AST_FOR) check_places(b, &st->loop.body, in);
        if (!when && st->kind != AST_IF_STMT && st->kind != AST_WHILE) continue;
        for (int k = 0; k < st->branches.n; k++)
            check_places(b, &st->branches.at[k].body, when ? "a when-clause" : in);
    }
}

static bool visit_part(equation_writer *em, inst_class *part, inst_node *n, int e)
{
    bool ok = true;
    for (int i = 0; i < part->n_bases; i++)
        if (part->bases[i]) ok = visit_part(em, part->bases[i], n, e) && ok;
    for (int i = 0; i < part->ast->n_sections; i++) {
        const ast_section *sec = &part->ast->sections[i];
        if (em->b->connections->clause == emit_connect)
            check_places(em->b, &sec->body, sec->algorithm ? "an algorithm section" : NULL);
        if (sec->algorithm || sec->initial || !has_connect(&sec->body)) continue;
        scope s = inst_scope(em->b, part, n, e);
        ok = connect_visit(em, &s, &sec->body) && ok;
    }
    return ok;
}

static bool connects(inst_class *part)
{
    enum { NOT_ASKED, NO, YES };
    if (part->connects != NOT_ASKED) return part->connects == YES;
    bool any = false;
    for (int i = 0; i < part->ast->n_sections && !any; i++)
        any = has_connect(&part->ast->sections[i].body);
    for (int i = 0; i < part->n_bases && !any; i++)
        any = part->bases[i] && connects(part->bases[i]);
    part->connects = any ? YES : NO;
    return any;
}

static bool visit_node(equation_writer *em, inst_node *n, int member)
{
    bool ok = true;
    if (n->kind == NODE_MEMBER) return visit_node(em, n->target, n->index);
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return true;
    for (int i = 0; i < n->children.n; i++) ok = visit_node(em, n->children.at[i], member) && ok;
    if (n->kind == NODE_SPLIT || !connects(n->cls)) return ok;
    bool own = true;
    int first, last;
    inst_elements(n, member, &first, &last);
    for (int e = first; own && e < last; e++) {
        em->instance = n->parent ? inst_path_sym(em->b, n, e) : em->b->inst->s_empty;
        own = visit_part(em, n->cls, n, e);
    }
    return ok && own;
}

/* Chain the members of each set, in ascending order; the root is the smallest. */
static void link_members(connections *c, arena *a)
{
    c->next = arena_array(a, int, c->n + 1);
    c->last = arena_array(a, int, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        c->next[i] = c->last[i] = -1;
        if (c->up[i] < 0) continue;
        int root = connect_find(c, i);
        if (root != i) {
            c->next[c->last[root]] = i;
            c->last[root] = i;
        } else {
            c->last[i] = i;
        }
    }
}

bool connect_expand(flat_builder *b)
{
    enum { ROUNDS_MAX = 1000 }; // an element passes one clause in each
    if (!b->inst->has_bus) return true;
    if (b->inst->n_families)
        return inst_apart(b, false); // what is connected to one is no element of all
    connections *c = b->connections = arena_new(b->front, connections);
    c->clause = connect_expand_clause;
    map_init(&c->prefixes, b->front);
    equation_writer em = {.b = b, .to = b->model};
    bool ok = true;
    c->changed = true;
    for (int k = 0; k < ROUNDS_MAX && ok && c->changed; k++) {
        c->changed = false;
        ok = visit_node(&em, b->inst->root, -1);
    }
    if (ok) connect_check_buses(b);
    return ok;
}

bool connect_collect(flat_builder *b)
{
    connections *c = b->connections = arena_new(b->front, connections);
    c->clause = emit_connect;
    c->n = 2 * b->m->vars.n;
    c->up = arena_array(b->front, int, c->n + 1);
    c->at = arena_sparse(b->front, span, c->n + 1);
    c->where = arena_sparse(b->front, sym, c->n + 1);
    for (int i = 0; i < c->n; i++) c->up[i] = -1;
    equation_writer em = {.b = b, .to = b->model};
    bool ok = visit_node(&em, b->inst->root, -1) && connect_trees(b);
    link_members(c, b->front);
    return ok;
}

/* ---- equations of the sets ------------------------------------------------------------------- */

static expr connect_variable(flat_builder *b, int member)
{
    return inst_variable(b, member / 2);
}

static void connect_push(flat_builder *b, connections *c, int root, expr lhs, expr rhs, int origin)
{
    const flat_var *v = flat_at(b->m, root / 2);
    flat_equation e = {.lhs = lhs,
                       .rhs = rhs,
                       .origin = (unsigned)origin & 15u,
                       .set = c->n_sets,
                       .instance = c->where[root] ? c->where[root] : b->inst->s_empty,
                       .at = c->at[root].begin ? c->at[root] : v->decl->at};
    array_push(b->model, &b->m->equations, e);
}

static void flow_set(flat_builder *b, connections *c, int root)
{
    expr sum = 0;
    c->n_sets++;
    for (int i = root; i >= 0; i = c->next[i]) {
        expr x = connect_variable(b, i);
        if (!sum) sum = i & 1 ? expr_neg(b->pool, x) : x;
        else sum = i & 1 ? expr_sub(b->pool, sum, x) : expr_add(b->pool, sum, x);
    }
    connect_push(b, c, root, sum, b->pool->zero, FLAT_FROM_FLOW);
}

static bool in_connector(const inst_node *n)
{
    for (; n && n->parent; n = n->parent)
        if (n->is_connector) return true;
    return false;
}

/* A signal comes from one place: an output seen from inside, or an input seen from outside.
 * Protected connectors only pass signals on inside a class. */
static bool connect_check_sources(flat_builder *b, connections *c, int root)
{
    int first = -1;
    for (int i = root; i >= 0; i = c->next[i]) {
        uint8_t causality = c->causality[i / 2];
        if (causality != (i & 1 ? AST_INPUT : AST_OUTPUT)) continue;
        if (first >= 0) {
            diag_error(
                b->diags, "M193", c->at[root],
                "the signals '%s' and '%s' are connected, and both are sources; only one may "
                "drive a connection",
                FLAT_NAME(b->m, first / 2), FLAT_NAME(b->m, i / 2));
            return false;
        }
        first = i;
    }
    return true;
}

static void note_causality(connections *c, const inst_node *n)
{
    if (n->kind == NODE_MEMBER && !n->index) n = n->target;
    if (n->kind == NODE_PRIMITIVE && n->causality && !n->is_protected && in_connector(n))
        for (int e = 0; e < n->total; e++) c->causality[inst_var(n, e)] = n->causality;
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return;
    for (int i = 0; i < n->children.n; i++) note_causality(c, n->children.at[i]);
}

static void potential_set(flat_builder *b, connections *c, int root)
{
    expr first = connect_variable(b, root);
    c->n_sets++;
    if (!connect_check_sources(b, c, root)) c->failed = true;
    for (int i = c->next[root]; i >= 0; i = c->next[i])
        if (i / 2 != root / 2)
            connect_push(b, c, root, first, connect_variable(b, i), FLAT_FROM_POTENTIAL);
}

static void leaf_sets(flat_builder *b, connections *c, const inst_node *n, int member)
{
    if (n->variability <= FLAT_PARAMETER || !in_connector(n)) return;
    bool flow = n->flow == AST_FLOW;
    int first, last;
    inst_elements(n, member, &first, &last);
    for (int e = first; e < last; e++)
        for (int side = CONNECT_INSIDE; side <= CONNECT_OUTSIDE; side++) {
            int i = 2 * inst_var(n, e) + side;
            if (c->up[i] < 0 && flow && side == CONNECT_INSIDE) c->up[i] = i;
            if (c->up[i] != i) continue;
            if (n->flow == AST_STREAM) connect_stream_set(b, c, i);
            else if (flow) flow_set(b, c, i);
            else potential_set(b, c, i);
        }
}

static void node_sets(flat_builder *b, connections *c, const inst_node *n, int member)
{
    if (n->kind == NODE_MEMBER) {
        node_sets(b, c, n->target, n->index);
        return;
    }
    if (n->kind == NODE_PRIMITIVE) leaf_sets(b, c, n, member);
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return;
    for (int i = 0; i < n->children.n; i++) node_sets(b, c, n->children.at[i], member);
}

bool connect_write(flat_builder *b)
{
    equation_writer em = {.b = b, .to = b->model};
    connections *c = b->connections;
    c->causality = arena_array(b->front, uint8_t, c->n / 2 + 1);
    note_causality(c, b->inst->root);
    connect_signals(b);
    node_sets(b, c, b->inst->root, -1);
    return !c->failed && connect_broken(&em);
}

/* ---- operators on connectors ----------------------------------------------------------------- */

bool connect_call(const scope *s, const ast_call *call, span at, value *out)
{
    flat_builder *b = s->b;
    const char *name = call->f.at[call->f.n - 1].name;
    b->particular = true;
    bool root = !strcmp(name, "isRoot"), rooted = !strcmp(name, "rooted");
    if (root || rooted) return connect_root_call(s, call, rooted, out);
    bool in = !strcmp(name, "inStream"), actual = !strcmp(name, "actualStream");
    if ((in || actual) && call->args.n == 1 && !call->n_named)
        return connect_stream_call(s, call, actual, at, out);
    inst_gathered g;
    if (strcmp(name, "cardinality")) {
        diag_error(b->diags, "M185", at, "'%s' is not supported here", name);
        return false;
    }
    if (call->args.n != 1 || call->args.at[0]->kind != AST_REF) {
        diag_error(b->diags, "M184", at, "'%s' needs one connector as its argument", name);
        return false;
    }
    if (!inst_gather(s, call->args.at[0]->ref, true, &g)) return false;
    int n = 0;
    const inst_node *of = g.at.n == 1 ? g.at.at[0].node : NULL;
    if (of && !of->is_connector) {
        rules_report(b, RULE_CARDINALITY_CONNECTOR, at, "'%s' is no connector",
                     inst_ref_text(b, call->args.at[0]->ref, call->args.at[0]->ref->n));
        return false;
    }
    if (g.at.n == 1 && g.at.at[0].node && g.at.at[0].node->cardinality)
        n = g.at.at[0].node->cardinality[g.at.at[0].e];
    *out = value_integer(&b->env, n);
    return true;
}
