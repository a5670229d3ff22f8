/* Expandable connectors: what they have is said by what is connected to them.
 *
 *     connect(bus.speed, sensor.y)    gives bus an element `speed` of the class of sensor.y
 *     connect(bus, engine.bus)        gives both what one of them has, buses inside included
 *
 * Elements that are declared are there once something is connected to them; sizes that they leave
 * open, and those of elements that are named with subscripts, follow from the connections. The tree
 * grows until no clause adds anything, before variables are numbered: afterwards a bus is a connector
 * like any other, but that its variables are neither inputs nor outputs. Modelica Language
 * Specification 3.7, section 9.1.3.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "connect/connect.h"

#include "rules/rule.h"

/* An end of a clause: the components that its first `part` names lead to. The next one names an
 * element of a bus that is not there, or not as large. */
typedef struct bus_end {
    inst_gathered at;
    int part;
} bus_end;

static bool is_bus(const inst_gathered *g)
{
    for (int i = 0; i < g->at.n; i++)
        if (!g->at.at[i].node || !g->at.at[i].node->is_expandable) return false;
    return g->at.n > 0;
}

/* The first k names of a reference, the same object every time: what it means is remembered. */
static const ast_ref *first_names(flat_builder *b, const ast_ref *r, int k)
{
    if (k == r->n) return r;
    uint64_t *slot =
        map_put(&b->connections->prefixes, hash_u64(map_key(r) ^ hash_u64((uint64_t)k)));
    if (*slot) return (const ast_ref *)(uintptr_t)*slot;
    ast_ref *p = arena_new(b->front, ast_ref);
    *p = *r;
    p->n = k;
    return *slot = map_key(p), p;
}

/* The sizes that element `part` must have: those of its subscripts, or the ones of the other end that
 * the bus itself has not. -1: error. */
static int wanted_dims(const scope *s, const ast_part *part, const bus_end *bus,
                       const inst_gathered *other, int *dims)
{
    int n = 0, next = bus->at.n_dims;
    if (!part->subs.n)
        for (; other && next < other->n_dims; next++) dims[n++] = other->dims[next];
    for (int i = 0; i < part->subs.n && i < VALUE_MAX_DIMS; i++) {
        int64_t k = 0;
        if (part->subs.at[i]->kind == AST_COLON || part->subs.at[i]->kind == AST_RANGE)
            k = other && next < other->n_dims ? other->dims[next++] : 0;
        else if (!eval_integer(s, part->subs.at[i], "a subscript of an expandable connector", &k))
            return -1;
        if (k < 0 || k > FLAT_MAX_ELEMENTS) return -1;
        dims[n++] = (int)k;
    }
    return n;
}

/* Is element `part` in all of these buses, and as large as its subscripts ask? -1: error. */
static int bus_has(const scope *s, const bus_end *end, const ast_part *part)
{
    int dims[VALUE_MAX_DIMS], n = wanted_dims(s, part, end, NULL, dims);
    if (n < 0) return -1;
    for (int i = 0; i < end->at.at.n; i++) {
        inst_element *el = inst_find(s->b, end->at.at.at[i].node->cls, part->name);
        inst_node *c = el && el->comp ? inst_follow(inst_node_of(s->b, el)) : NULL;
        if (!c) return 0;
        if (!inst_complete(s->b, c)) return -1;
        if (c->kind == NODE_ABSENT && !c->is_present) return 0;
        for (int k = 0; k < n && k < c->n_dims && c->is_gained; k++)
            if (dims[k] > c->dims[k]) return 0;
    }
    return 1;
}

/* A bus inside a bus, declared, is there when something is connected to one of its elements. */
static int wake_inside(flat_builder *b, const bus_end *end, sym name)
{
    int woken = 0;
    for (int i = 0; i < end->at.at.n; i++) {
        int rc = inst_gain(b, end->at.at.at[i].node, name, NULL, NULL, 0);
        if (rc < 0) return -1;
        woken = woken || rc;
    }
    return woken;
}

static bool bus_find_end(const scope *s, const ast_ref *r, bus_end *out)
{
    flat_builder *b = s->b;
    for (int k = 1;; k++) {
        if (!inst_gather(s, first_names(b, r, k), true, &out->at)) return false;
        out->part = k;
        if (k == r->n || out->at.absent) return true;
        if (!is_bus(&out->at)) continue;
        int has = bus_has(s, out, &r->at[k]);
        if (!has && k + 1 < r->n) {
            has = wake_inside(b, out, r->at[k].name);
            b->connections->changed = b->connections->changed || has > 0;
        }
        if (has < 0) return false;
        if (!has) return true;
    }
}

/* ---- what a clause adds ---------------------------------------------------------------------- */

static bool bus_note(flat_builder *b, int gained)
{
    b->connections->changed = b->connections->changed || gained > 0;
    return gained >= 0;
}

static bool bus_gain(const scope *s, const ast_ref *r, const bus_end *end,
                     const inst_gathered *other)
{
    int dims[VALUE_MAX_DIMS];
    const inst_node *like = NULL;
    for (int i = 0; i < other->at.n && !like; i++) like = other->at.at[i].node;
    if (!like || r->n - end->part > 1) return true; // absent, or of an element that is not there
    const ast_part *part = &r->at[end->part];
    int n = wanted_dims(s, part, end, other, dims);
    if (n < 0) return false;
    for (int i = 0; i < end->at.at.n; i++)
        if (!bus_note(s->b, inst_gain(s->b, end->at.at.at[i].node, part->name, like, dims, n)))
            return false;
    return true;
}

/* All elements of one bus in the other, and of buses in them. */
static bool bus_give(flat_builder *b, inst_node *from, inst_node *to, int depth)
{
    for (int i = 0; i < from->children.n && depth < FLAT_MAX_DEPTH; i++) {
        inst_node *c = inst_follow(from->children.at[i]);
        if (c->kind == NODE_ABSENT || c->variability <= FLAT_PARAMETER) continue;
        if (!bus_note(b, inst_gain(b, to, c->name, c, c->dims, c->n_dims))) return false;
        inst_element *el = inst_find(b, to->cls, c->name);
        inst_node *d = el && el->comp ? inst_follow(inst_node_of(b, el)) : NULL;
        if (!d || !c->is_expandable || !d->is_expandable || !c->cls || !d->cls) continue;
        if (!bus_give(b, c, d, depth + 1)) return false;
    }
    return true;
}

bool connect_expand_clause(equation_writer *em, const scope *s, const ast_stmt *st)
{
    flat_builder *b = em->b;
    const ast_ref *l = st->pair.left->ref, *r = st->pair.right->ref;
    bus_end x, y;
    if (connect_is_void(s, l, r)) return true;
    if (!bus_find_end(s, l, &x) || !bus_find_end(s, r, &y)) return false;
    bool open_x = x.part < l->n && !x.at.absent, open_y = y.part < r->n && !y.at.absent;
    if (open_x && open_y) return true; // another clause may say what they are
    if (open_x) return bus_gain(s, l, &x, &y.at);
    if (open_y) return bus_gain(s, r, &y, &x.at);
    if (!is_bus(&x.at) || !is_bus(&y.at)) return true;
    for (int i = 0; i < x.at.at.n && i < y.at.at.n; i++) {
        inst_node *p = x.at.at.at[i].node, *q = y.at.at.at[i].node;
        if (p == q) continue;
        if (!bus_give(b, p, q, 0) || !bus_give(b, q, p, 0)) return false;
    }
    return true;
}

/* ---- what buses must be ---------------------------------------------------------------------- */

/* A variable of a bus has no value of its own: it has that of what is connected to it. */
static void check_values(flat_builder *b, inst_node *n, int depth)
{
    if ((n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) || depth > FLAT_MAX_DEPTH) return;
    for (int i = 0; i < n->children.n; i++) {
        inst_node *c = n->children.at[i];
        if (n->is_expandable && c->is_present && !c->is_gained && inst_has_binding(b, c))
            rules_report(b, RULE_EXPANDABLE_VALUE, c->decl->at, "'%s' has a value", c->name);
        check_values(b, c, depth + 1);
    }
}

void connect_check_buses(flat_builder *b)
{
    check_values(b, b->inst->root, 0);
}

/* Sets that share a variable of a bus carry one signal. Of inputs alone it has no source. */
typedef struct signal {
    int up;      // of a variable: another one of the same signal
    bool source; // what gives it its value, of the one that stands for all
    int sink;    // an input, plus one
} signal;

static int signal_of(signal *x, int v)
{
    while (x[v].up != v) v = x[v].up = x[x[v].up].up;
    return v;
}

static void signal_join(connections *c, signal *x, const bool *bus, int root)
{
    for (int i = root; i >= 0; i = c->next[i]) {
        int v = i / 2, p = signal_of(x, v), q = signal_of(x, root / 2);
        bool sink = c->causality[v] == AST_INPUT && !(i & 1);
        if (p != q) {
            x[p].up = q;
            x[q].source = x[q].source || x[p].source;
            if (!x[q].sink) x[q].sink = x[p].sink;
        }
        if (sink) x[q].sink = v + 1;
        else x[q].source = x[q].source || !bus[v];
    }
}

static void note_buses(const inst_node *n, bool *bus)
{
    if (n->kind == NODE_PRIMITIVE && n->in_bus && !n->flow && n->variability > FLAT_PARAMETER)
        for (int e = 0; e < n->total; e++) bus[inst_var(n, e)] = true;
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return;
    for (int i = 0; i < n->children.n; i++) note_buses(n->children.at[i], bus);
}

/* An element that nothing uses: of an array of which other elements are used, or of an array of buses
 * of which another one has it. */
static void unused_element(flat_builder *b, int v)
{
    const flat_var *x = flat_at(b->m, v);
    expr none = x->type == TYPE_REAL      ? b->pool->zero
                : x->type == TYPE_BOOLEAN ? b->pool->no
                : x->type == TYPE_ENUM    ? expr_enum(b->pool, x->decl->enum_id, 1)
                                          : expr_integer(b->pool, 0);
    if (x->type == TYPE_STRING) return;
    flat_equation e = {.lhs = inst_variable(b, v),
                       .rhs = none,
                       .origin = FLAT_FROM_POTENTIAL,
                       .instance = b->inst->s_empty,
                       .at = x->decl->at};
    array_push(b->model, &b->m->equations, e);
}

void connect_signals(flat_builder *b)
{
    connections *c = b->connections;
    int n = c->n / 2;
    if (!b->inst->has_bus) return;
    bool *bus = arena_array(b->front, bool, n + 1);
    signal *x = arena_array(b->front, signal, n + 1);
    note_buses(b->inst->root, bus);
    for (int v = 0; v < n; v++) x[v].up = v;
    for (int i = 0; i < c->n; i++)
        if (c->up[i] == i) signal_join(c, x, bus, i);
    for (int v = 0; v < n; v++) {
        signal *of = &x[signal_of(x, v)];
        if (!bus[v] || of->source) continue;
        if (of->sink)
            rules_report(b, RULE_EXPANDABLE_SOURCE, flat_at(b->m, of->sink - 1)->decl->at,
                         "'%s' is connected to '%s', to which only inputs are connected",
                         FLAT_NAME(b->m, of->sink - 1), FLAT_NAME(b->m, v));
        else unused_element(b, v);
        of->source = true; // once for all of the signal
    }
}
