/* Stream connectors: inStream, actualStream, and the equations of outside connectors.
 *
 * A stream variable holds what leaves the connector; inStream is the mixture that would enter it,
 * from the connection set seen from inside: Modelica Language Specification 3.6, section 15.2, with
 * positiveMax(m, s) = max(m, eps), the trivial regularisation given there. A flow that cannot leave
 * (min >= 0) takes no part in the mixture.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "connect/connect.h"

#include <string.h>

#define SMALL_MASS_FLOW 1e-10 // kg/s: small beside any flow that matters

/* ---- flows that belong to streams ------------------------------------------------------------ */

static void note_leaf(flat_builder *b, const inst_node *n)
{
    const inst_node *flow = NULL, *of = n->parent;
    while (of->flow == AST_STREAM) of = of->parent; // stream R r: its parts are streams
    for (int i = 0; i < of->children.n && !flow; i++) {
        const inst_node *c = of->children.at[i];
        if (c->kind == NODE_PRIMITIVE && c->flow == AST_FLOW && !c->n_dims) flow = c;
    }
    if (!flow) return;
    for (int e = 0; e < n->total; e++)
        b->connections->flow_of[inst_var(n, e)] = inst_var(flow, inst_up(of, n, e)) + 1;
}

static void note(flat_builder *b, const inst_node *n)
{
    if (n->kind == NODE_MEMBER && !n->index) n = n->target;
    if (n->kind == NODE_PRIMITIVE && n->flow == AST_STREAM) note_leaf(b, n);
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return;
    for (int i = 0; i < n->children.n; i++) note(b, n->children.at[i]);
}

/* Of a stream variable: its flow, plus one; 0 if it has none. */
static int flow_of(flat_builder *b, int var)
{
    if (!b->connections->flow_of) {
        b->connections->flow_of = arena_array(b->front, int, b->connections->n / 2 + 1);
        note(b, b->inst->root);
    }
    return b->connections->flow_of[var];
}

/* Can the flow have this sign (+1 into the component)? */
static bool can_flow(flat_builder *b, int var, int sign)
{
    const flat_attributes *a = flat_at(b->m, var)->attr;
    double x;
    if (sign < 0) return !(a->min && expr_number(b->pool, a->min, &x) && x >= 0);
    return !(a->max && expr_number(b->pool, a->max, &x) && x <= 0);
}

/* ---- mixtures -------------------------------------------------------------------------------- */

static expr in_stream(flat_builder *b, int var, int depth);

typedef struct mixture {
    expr sum, flows, only;
    int n;
} mixture;

/* weight * what, where weight is the flow towards the volume between the connectors. */
static void mix(flat_builder *b, mixture *m, expr weight, expr what)
{
    expr_pool *p = b->pool;
    weight = expr_2(p, EXPR_MAX, weight, expr_real(p, SMALL_MASS_FLOW));
    expr term = expr_mul(p, weight, what);
    m->sum = m->sum ? expr_add(p, m->sum, term) : term;
    m->flows = m->flows ? expr_add(p, m->flows, weight) : weight;
    m->only = what;
    m->n++;
}

/* What flows towards the member `self` of the set from all the others. */
static expr mixture_for(flat_builder *b, connections *c, int root, int self, int depth)
{
    expr_pool *p = b->pool;
    mixture m = {0};
    int others = 0, only = -1;
    for (int i = root; i >= 0; i = c->next[i])
        if (i != self) others++, only = i;
    if (others == 1)
        return only & 1 ? in_stream(b, only / 2, depth + 1) : inst_variable(b, only / 2);
    for (int i = root; i >= 0; i = c->next[i]) {
        int flow = flow_of(b, i / 2) - 1;
        if (i == self || flow < 0) continue;
        bool outside = i & 1;
        if (!can_flow(b, flow, outside ? 1 : -1)) continue;
        expr q = inst_variable(b, flow);
        mix(b, &m, outside ? q : expr_neg(p, q),
            outside ? in_stream(b, i / 2, depth + 1) : inst_variable(b, i / 2));
    }
    if (!m.n) return inst_variable(b, self / 2);
    return m.n == 1 ? m.only : expr_div(p, m.sum, m.flows);
}

static expr in_stream(flat_builder *b, int var, int depth)
{
    connections *c = b->connections;
    int self = 2 * var + CONNECT_INSIDE;
    if (depth > FLAT_MAX_DEPTH || c->up[self] < 0) return inst_variable(b, var);
    return mixture_for(b, c, connect_find(c, self), self, depth);
}

void connect_stream_set(flat_builder *b, connections *c, int root)
{
    c->n_sets++;
    for (int i = root; i >= 0; i = c->next[i]) {
        if (!(i & 1)) continue;
        flat_equation q = {.lhs = inst_variable(b, i / 2),
                           .rhs = mixture_for(b, c, root, i, 0),
                           .origin = FLAT_FROM_POTENTIAL,
                           .set = c->n_sets,
                           .instance = c->where[root] ? c->where[root] : b->inst->s_empty,
                           .at = c->at[root]};
        array_push(b->model, &b->m->equations, q);
    }
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool not_a_stream(const scope *s, bool actual, span at)
{
    diag_error(s->b->diags, "M189", at,
               "%s needs a stream variable of a connector that has a flow variable too",
               actual ? "actualStream" : "inStream");
    return false;
}

static bool stream_scalar(const scope *s, expr e, bool actual, span at, expr *out)
{
    flat_builder *b = s->b;
    const expr_node *n = expr_at(b->pool, e);
    int var = n->op == EXPR_VAR && !n->u.var.order ? n->u.var.index : -1;
    int flow = var >= 0 && 2 * var < b->connections->n ? flow_of(b, var) - 1 : -1;
    if (flow < 0) return not_a_stream(s, actual, at);
    *out = in_stream(b, var, 0);
    if (!actual) return true;
    expr positive = expr_2(b->pool, EXPR_GT, inst_variable(b, flow), b->pool->zero);
    *out = expr_3(b->pool, EXPR_IF, positive, *out, e);
    return true;
}

/* Whether it may be a stream variable, said before connections are known: those change in time. */
static bool may_be_stream(const flat_builder *b, const value *v)
{
    if (!b->inst->numbered || !value_is_scalar(v)) return true;
    const expr_node *n = expr_at(b->pool, v->e);
    return n->op == EXPR_VAR && n->u.var.index < b->m->vars.n &&
           flat_at(b->m, n->u.var.index)->variability > FLAT_PARAMETER;
}

bool connect_stream_call(const scope *s, const ast_call *c, bool actual, span at, value *out)
{
    flat_builder *b = s->b;
    value v;
    if (!eval_expr(s, c->args.at[0], &v)) return false;
    if (v.type != VALUE_REAL) return not_a_stream(s, actual, at);
    if (!b->inst->numbered || !b->connections || !b->connections->next) {
        if (!may_be_stream(b, &v)) return not_a_stream(s, actual, at);
        *out = v; // sizes only: the value has those of its argument
        return true;
    }
    int n = value_count(&v);
    expr *x = arena_array(b->env.a, expr, n + 1);
    value_scalars(&v, x);
    for (int i = 0; i < n; i++)
        if (!stream_scalar(s, x[i], actual, at, &x[i])) return false;
    *out = value_with_scalars(&b->env, &v, x);
    return true;
}
