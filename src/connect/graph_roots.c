/* Overconstrained connections: which connection equations a loop does not need.
 *
 * Records and types with a function equalityConstraint (orientation matrices, phase references) have
 * more variables than degrees of freedom; around a loop of connections their equations would be
 * redundant. They are nodes of a virtual graph: Connections.branch is an edge that is needed,
 * connect one that may be broken, root and potentialRoot mark nodes (Modelica Language
 * Specification 3.6, section 9.4). Every tree gets one root: needed edges are joined first, then
 * each connection that joins two trees not both of which have a definite root; what remains is
 * broken and gets the equations 0 = equalityConstraint(a, b).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "connect/connect.h"

#include <limits.h>
#include <string.h>

typedef struct edge {
    int a, b;
    connect_end x, y;
    const ast_stmt *st;
    sym where;
    bool needed, broken;
} edge;

typedef struct vertex {
    inst_node *n;
    int e;
    int up;        // union-find
    bool definite; // of a root of the union-find: a definite root is in it
    bool root;     // selected
    int priority;  // of a potential root; INT_MAX: none
    int level;     // distance from the root of its tree; -1: not reached
    int first;     // first arc; -1
} vertex;

typedef struct arc {
    int to, next;
} arc;

struct connect_graph {
    ARRAY(vertex) vertices;
    ARRAY(edge) edges;
    ARRAY(arc) arcs;
};

/* ---- building -------------------------------------------------------------------------------- */

/* An array type, type Orientation extends Real[3, 3], is one thing: its first element stands for
 * it. How many elements that are. */
static int unit_size(flat_builder *b, const inst_node *n, int *n_dims)
{
    int size = 1;
    *n_dims = 0;
    if (n->kind != NODE_PRIMITIVE) return 1;
    const inst_primitive *p = inst_primitive_of(b, n->type);
    for (int i = 0; i < p->n_dims; i++) *n_dims += p->dims[i]->n;
    for (int i = n->n_dims - *n_dims; i < n->n_dims; i++) size *= n->dims[i];
    return size;
}

int connect_overdetermined(flat_builder *b, const inst_node *n)
{
    int n_dims;
    return inst_is_overdetermined(b, n) ? unit_size(b, n, &n_dims) : 0;
}

static struct connect_graph *graph_of(flat_builder *b)
{
    if (!b->graph) b->graph = arena_new(b->front, struct connect_graph);
    return b->graph;
}

static int vertex_of(flat_builder *b, inst_node *n, int e)
{
    struct connect_graph *g = graph_of(b);
    if (!n->vertices) n->vertices = arena_array(b->front, int, n->total ? n->total : 1);
    if (n->vertices[e]) return n->vertices[e] - 1;
    vertex v = {.n = n, .e = e, .up = g->vertices.n, .priority = INT_MAX, .level = -1, .first = -1};
    array_push(b->front, &g->vertices, v);
    n->vertices[e] = g->vertices.n;
    return g->vertices.n - 1;
}

void connect_edge(flat_builder *b, connect_end x, connect_end y, const ast_stmt *st, sym where)
{
    edge e = {.x = x, .y = y, .st = st, .where = where};
    e.a = vertex_of(b, x.n, x.e);
    e.b = vertex_of(b, y.n, y.e);
    array_push(b->front, &graph_of(b)->edges, e);
}

/* The instance of a record or type that an argument names. */
static bool root_argument(const scope *s, const ast_call *c, int i, inst_scalar *out, bool *absent)
{
    inst_gathered g;
    if (i >= c->args.n || c->args.at[i]->kind != AST_REF) {
        diag_error(s->b->diags, "M184", c->f.span, "'%s' needs a connector's record as argument %d",
                   inst_ref_text(s->b, &c->f, c->f.n), i + 1);
        return false;
    }
    if (!inst_gather(s, c->args.at[i]->ref, true, &g)) return false;
    *absent = *absent || g.absent;
    if (g.absent) return true;
    int n_dims, first = g.at.n ? g.at.at[0].e : 0;
    bool one = g.at.n && g.at.n == unit_size(s->b, g.at.at[0].node, &n_dims) && !(first % g.at.n);
    for (int k = 0; one && k < g.at.n; k++)
        one = g.at.at[k].node == g.at.at[0].node && g.at.at[k].e == first + k;
    if (!one) {
        diag_error(s->b->diags, "M184", c->args.at[i]->span, "one record instance is needed here");
        return false;
    }
    *out = g.at.at[0];
    return true;
}

/* Connections.branch, root, potentialRoot. */
bool connect_statement(equation_writer *em, const scope *s, const ast_stmt *st)
{
    flat_builder *b = em->b;
    const ast_call *c = st->call->call;
    const char *name = c->f.at[1].name;
    inst_scalar x, y;
    bool absent = false;
    if (!root_argument(s, c, 0, &x, &absent)) return false;
    if (!strcmp(name, "branch")) {
        if (!root_argument(s, c, 1, &y, &absent)) return false;
        if (absent) return true;
        connect_edge(b, (connect_end){x.node, x.e, 0}, (connect_end){y.node, y.e, 0}, st,
                     em->instance);
        array_last(&graph_of(b)->edges).needed = true;
        return true;
    }
    if (absent) return true;
    int k = vertex_of(b, x.node, x.e);
    vertex *v = &graph_of(b)->vertices.at[k];
    if (!strcmp(name, "root")) {
        v->definite = v->root = true;
        return true;
    }
    if (!strcmp(name, "potentialRoot")) {
        const ast_expr *p = c->args.n > 1 ? c->args.at[1] : c->n_named ? c->named[0].value : NULL;
        int64_t priority = 0;
        if (p && !eval_integer(s, p, "the priority of a potential root", &priority)) return false;
        if (priority < 0 || priority >= INT_MAX) priority = 0;
        if (priority < v->priority) v->priority = (int)priority;
        return true;
    }
    diag_error(b->diags, "M185", st->span, "'%s' is not supported here",
               inst_ref_text(b, &c->f, 2));
    return false;
}

/* ---- trees ----------------------------------------------------------------------------------- */

static int graph_find(struct connect_graph *g, int i)
{
    vertex *v = g->vertices.at;
    while (v[i].up != i) {
        v[i].up = v[v[i].up].up;
        i = v[i].up;
    }
    return i;
}

static void unite(struct connect_graph *g, int i, int j)
{
    vertex *v = g->vertices.at;
    if (i > j) {
        int t = i;
        i = j;
        j = t;
    }
    v[j].up = i;
    v[i].definite = v[i].definite || v[j].definite;
}

static bool join_needed(flat_builder *b, struct connect_graph *g)
{
    for (int k = 0; k < g->edges.n; k++) {
        edge *e = &g->edges.at[k];
        if (!e->needed) continue;
        int i = graph_find(g, e->a), j = graph_find(g, e->b);
        if (i == j) continue;
        if (g->vertices.at[i].definite && g->vertices.at[j].definite) {
            diag_error(
                b->diags, "M187", e->st->span,
                "two roots of the connection graph are joined by Connections.branch; there is "
                "no connection between them that could be broken");
            return false;
        }
        unite(g, i, j);
    }
    return true;
}

static void join_optional(struct connect_graph *g)
{
    for (int k = 0; k < g->edges.n; k++) {
        edge *e = &g->edges.at[k];
        if (e->needed) continue;
        int i = graph_find(g, e->a), j = graph_find(g, e->b);
        e->broken = i == j || (g->vertices.at[i].definite && g->vertices.at[j].definite);
        if (!e->broken) unite(g, i, j);
    }
}

/* In terms of the connectors; what the record's declaration says of itself tells what is missing. */
static void report_rootless(flat_builder *b, struct connect_graph *g, int tree)
{
    enum { CONNECTORS_SHOWN = 6 };
    const vertex *v = &g->vertices.at[tree];
    const char *words = lang_string(b->front, v->n->decl->comment);
    text names;
    text_init(&names, b->front->m);
    int n = 0;
    for (int i = 0; i < g->vertices.n; i++) {
        const vertex *q = &g->vertices.at[i];
        if (graph_find(g, i) != tree) continue;
        const char *path = inst_path_sym(b, q->n, q->e), *dot = strrchr(path, '.');
        int length = (int)(dot ? (size_t)(dot - path) : strlen(path)); // the connector alone
        if (n++ < CONNECTORS_SHOWN)
            text_printf(&names, "%s'%.*s'", n > 1 ? ", " : "", length, path);
    }
    if (n > CONNECTORS_SHOWN) text_printf(&names, " and %d more", n - CONNECTORS_SHOWN);
    diag_error(b->diags, "M188", v->n->decl->at, "%s%s: no root is among them%s%s",
               n == 1 ? "connected to nothing: " : "connected only to each other: ",
               text_str(&names), *words ? "; " : "", words);
    text_done(&names);
}

/* One potential root for every tree without a definite one: the lowest priority, the first of
 * them. */
static bool select_roots(flat_builder *b, struct connect_graph *g)
{
    int *best = arena_array(b->front, int, g->vertices.n + 1);
    for (int i = 0; i < g->vertices.n; i++) {
        const vertex *v = &g->vertices.at[i];
        int r = graph_find(g, i), old = best[r] - 1;
        if (v->priority < (old < 0 ? INT_MAX : g->vertices.at[old].priority)) best[r] = i + 1;
    }
    for (int i = 0; i < g->vertices.n; i++) {
        if (graph_find(g, i) != i || g->vertices.at[i].definite) continue;
        if (best[i]) {
            g->vertices.at[best[i] - 1].root = true;
            continue;
        }
        report_rootless(b, g, i);
        return false;
    }
    return true;
}

static void add_arc(flat_builder *b, struct connect_graph *g, int from, int to)
{
    arc a = {to, g->vertices.at[from].first};
    g->vertices.at[from].first = g->arcs.n;
    array_push(b->front, &g->arcs, a);
}

/* Distance from the root, breadth first. */
static void find_levels(flat_builder *b, struct connect_graph *g)
{
    int *queue = arena_array(b->front, int, g->vertices.n + 1), n = 0;
    for (int k = g->edges.n; k--;) {
        const edge *e = &g->edges.at[k];
        if (e->broken) continue;
        add_arc(b, g, e->a, e->b);
        add_arc(b, g, e->b, e->a);
    }
    for (int i = 0; i < g->vertices.n; i++)
        if (g->vertices.at[i].root) {
            g->vertices.at[i].level = 0;
            queue[n++] = i;
        }
    for (int k = 0; k < n; k++)
        for (int a = g->vertices.at[queue[k]].first; a >= 0; a = g->arcs.at[a].next) {
            vertex *v = &g->vertices.at[g->arcs.at[a].to];
            if (v->level >= 0) continue;
            v->level = g->vertices.at[queue[k]].level + 1;
            queue[n++] = g->arcs.at[a].to;
        }
}

bool connect_trees(flat_builder *b)
{
    struct connect_graph *g = b->graph;
    if (!g) return true;
    if (!join_needed(b, g)) return false;
    join_optional(g);
    if (!select_roots(b, g)) return false;
    find_levels(b, g);
    bool ok = true;
    for (int k = 0; k < g->edges.n; k++) {
        const edge *e = &g->edges.at[k];
        if (!e->needed && !e->broken) ok = connect_leaves(b, e->x, e->y, e->st, e->where) && ok;
    }
    return ok;
}

/* The value of a record, or of a variable with all elements of its type. */
static bool unit_value(flat_builder *b, connect_end x, span at, scope *s, value *out)
{
    *s = inst_scope(b, x.n->kind == NODE_PRIMITIVE ? x.n->type : x.n->cls, x.n, x.e);
    int n_dims, size = unit_size(b, x.n, &n_dims);
    if (!n_dims) return inst_value(s, x.n, x.e, at, out);
    expr *slots;
    *out = value_new(&b->env, (value_type)x.n->type_id, x.n->enum_id,
                     x.n->dims + x.n->n_dims - n_dims, n_dims, &slots);
    for (int i = 0; i < size; i++)
        if (!inst_leaf_value(s, x.n, x.e + i, &slots[i])) return false;
    return true;
}

/* 0 = equalityConstraint(a, b) for the connections that were broken. */
bool connect_broken(equation_writer *em)
{
    flat_builder *b = em->b;
    struct connect_graph *g = b->graph;
    sym name = sym_of(b->lib->syms, "equalityConstraint");
    sym s_a = sym_of(b->lib->syms, "a"), s_b = sym_of(b->lib->syms, "b");
    for (int k = 0; g && k < g->edges.n; k++) {
        const edge *e = &g->edges.at[k];
        if (e->needed || !e->broken) continue;
        scope s, t;
        value x, y, r;
        if (!unit_value(b, e->x, e->st->span, &s, &x)) return false;
        if (!unit_value(b, e->y, e->st->span, &t, &y)) return false;
        scope_name ny = {s_b, &y, NULL, NULL}, nx = {s_a, &x, &ny, NULL};
        s.names = &nx;
        // The call equalityConstraint(a, b) as syntax, in the scope of the record.
        ast_part *parts = arena_array(b->front, ast_part, 3);
        parts[0] = (ast_part){.name = name, .at = e->st->span};
        parts[1] = (ast_part){.name = s_a, .at = e->st->span};
        parts[2] = (ast_part){.name = s_b, .at = e->st->span};
        ast_ref *refs = arena_array(b->front, ast_ref, 2);
        ast_expr *args = arena_array(b->front, ast_expr, 3);
        ast_expr **list = arena_array(b->front, ast_expr *, 2);
        for (int i = 0; i < 2; i++) {
            refs[i] = (ast_ref){&parts[i + 1], 1, false, e->st->span};
            args[i] = (ast_expr){.kind = AST_REF, .span = e->st->span, .ref = &refs[i]};
            list[i] = &args[i];
        }
        ast_call *call = arena_new(b->front, ast_call);
        *call = (ast_call){.f = {&parts[0], 1, false, e->st->span}, .args = {list, 2}};
        args[2] = (ast_expr){.kind = AST_CALL, .span = e->st->span, .call = call};
        if (!eval_expr(&s, &args[2], &r)) return false;
        for (int i = 0; i < r.n; i++) {
            flat_equation q = {.lhs = b->pool->zero,
                               .rhs = value_at(&r)[i],
                               .origin = FLAT_FROM_POTENTIAL,
                               .instance = e->where,
                               .at = e->st->span};
            array_push(b->model, &b->m->equations, q);
        }
    }
    return true;
}

/* ---- isRoot and rooted ----------------------------------------------------------------------- */

bool connect_root_call(const scope *s, const ast_call *c, bool rooted, value *out)
{
    flat_builder *b = s->b;
    struct connect_graph *g = graph_of(b);
    inst_scalar x;
    bool absent = false;
    if (!root_argument(s, c, 0, &x, &absent)) return false;
    int i = absent ? -1 : vertex_of(b, x.node, x.e);
    bool yes = i >= 0 && g->vertices.at[i].root;
    if (rooted && i >= 0) {
        yes = true; // without a branch it is its own reference
        for (int k = 0; k < g->edges.n; k++) {
            const edge *e = &g->edges.at[k];
            if (e->needed && e->a == i)
                yes = g->vertices.at[e->a].level < g->vertices.at[e->b].level;
        }
    }
    *out = value_boolean(&b->env, yes);
    return true;
}
