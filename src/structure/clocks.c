/* Clock partitions: which equations are computed at the ticks of which clock.
 *
 * Variables that occur in one equation have one clock, but for the arguments of operators that lead
 * from one clock to another. The sets that follow are the sub-partitions; those that sub- and
 * superSample, shift- and backSample and noClock join are a base-partition. What is in neither is
 * continuous time. Modelica Language Specification 3.6, section 16.7.
 *
 * Clocked equations are taken out of the flat model's. In what is left of them sample(u), interval()
 * and firstTick() are hidden variables that a tick gives values to, and subSample(u) is u: at a tick
 * it is the value of u's last one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/clocks.h"

#include <stdio.h>
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------------------- */

static int clock_node(clock_parts *x)
{
    array_push(x->w->scratch, &x->up, x->up.n);
    return x->up.n - 1;
}

static int root_of(clock_parts *x, int node)
{
    return graph_root(x->up.at, node);
}

static void unite(clock_parts *x, int a, int b)
{
    a = root_of(x, a);
    b = root_of(x, b);
    if (a < b) x->up.at[b] = a; // continuous time stays a root
    else x->up.at[a] = b;
}

static int node_of_var(clock_parts *x, int v)
{
    while (x->of_var.n <= v) array_push(x->w->scratch, &x->of_var, 0);
    if (!x->of_var.at[v]) x->of_var.at[v] = clock_node(x) + 1;
    return x->of_var.at[v] - 1;
}

static void mark_clocked(clock_parts *x, int node, span at, const char *what)
{
    clock_mark m = {node, at, what};
    array_push(x->w->scratch, &x->clocked, m);
}

static void mark_unclocked(clock_parts *x, int node, span at, const char *what)
{
    clock_mark m = {node, at, what};
    array_push(x->w->scratch, &x->unclocked, m);
    unite(x, node, 0);
}

int clock_hidden(clock_parts *x, char kind, expr_type type, int enum_id, span at)
{
    flat_model *m = x->w->m;
    char name[32];
    snprintf(name, sizeof name, "$%c%d", kind, ++x->n_hidden);
    flat_var v = {.type = (uint8_t)type,
                  .variability = FLAT_DISCRETE,
                  .flags = FLAT_PROTECTED,
                  .decl = flat_declare(x->w->a, "", enum_id, at)};
    return flat_vars_add(&m->vars, x->w->a, v, arena_strndup(x->w->a, name, strlen(name)));
}

expr clock_var(clock_parts *x, int v)
{
    const flat_var *f = flat_at(x->w->m, v);
    return expr_var(x->w->p, v, 0, (expr_type)f->type, f->decl->enum_id);
}

/* ---- what belongs together ------------------------------------------------------------------- */

typedef struct region { // an expression that belongs to a node
    expr e;
    int node;
} region;

typedef struct walker {
    clock_parts *x;
    ARRAY(region) todo;
    uint32_t *seen, epoch;
    int cap;
    int_array stack;
    span at;
} walker;

static int clock_expression(walker *k, expr e);

/* The node of an argument of subSample and the like: that of the variable, or of a hidden one that
 * has its value. */
static int argument_node(walker *k, expr e)
{
    clock_parts *x = k->x;
    expr_node n = *expr_at(x->w->p, e);
    if (n.type == TYPE_CLOCK) return clock_expression(k, e);
    if (n.op == EXPR_VAR && !n.u.var.order) return node_of_var(x, n.u.var.index);
    uint64_t *slot = map_put(&x->named, (uint64_t)e);
    if (!*slot) {
        int v = clock_hidden(x, 'v', (expr_type)n.type, n.enum_id, k->at);
        *slot = (uint64_t)v + 1;
        clock_named q = {v, e};
        array_push(x->w->scratch, &x->arguments, q);
        region r = {e, node_of_var(x, v)};
        array_push(x->w->scratch, &k->todo, r);
    }
    return node_of_var(x, (int)*map_find(&x->named, (uint64_t)e) - 1);
}

static void add_edge(walker *k, expr e, int to)
{
    expr_pool *p = k->x->w->p;
    expr_node n = *expr_at(p, e);
    clock_edge q = {.to = to, .op = n.op, .at = k->at};
    q.from = argument_node(k, n.u.arg[0]);
    if (n.op != EXPR_NOCLOCK) q.a = expr_at(p, n.u.arg[1])->u.integer;
    if (n.op == EXPR_SHIFTSAMPLE || n.op == EXPR_BACKSAMPLE)
        q.b = expr_at(p, n.u.arg[2])->u.integer;
    mark_clocked(k->x, q.from, k->at, operator_name((expr_op)n.op));
    array_push(k->x->w->scratch, &k->x->edges, q);
}

/* Clock(c, "ImplicitEuler"): ticks as c does. */
static int with_solver(walker *k, expr e)
{
    clock_parts *x = k->x;
    const expr *args = expr_args(x->w->p, e);
    expr of = args[0];
    sym name = expr_at(x->w->p, args[1])->u.string;
    clock_edge q = {.op = EXPR_CLOCK, .at = k->at};
    q.from = clock_expression(k, of);
    q.to = clock_node(x);
    array_push(x->w->scratch, &x->edges, q);
    clock_solver s = {q.to, name, k->at};
    if (*name) array_push(x->w->scratch, &x->solvers, s);
    return q.to;
}

static bool is_clocked_variable(const clock_parts *x, expr e)
{
    const expr_node *n = expr_at(x->w->p, e);
    return n->op == EXPR_VAR && flat_at(x->w->m, n->u.var.index)->variability > FLAT_PARAMETER;
}

/* The node of an expression that is a clock; every Clock(...) as it is written has its own. */
static int clock_expression(walker *k, expr e)
{
    clock_parts *x = k->x;
    expr_node n = *expr_at(x->w->p, e);
    if (n.op == EXPR_VAR) return node_of_var(x, n.u.var.index);
    int arity = expr_arity(x->w->p, e);
    if (n.op == EXPR_CLOCK && arity &&
        expr_at(x->w->p, expr_args(x->w->p, e)[0])->type == TYPE_CLOCK)
        return with_solver(k, e);
    int node = clock_node(x);
    mark_clocked(x, node, k->at, "a clock");
    if (n.op != EXPR_CLOCK) {
        add_edge(k, e, node);
    } else if (arity) {
        expr first = expr_args(x->w->p, e)[0];
        clock_given g = {node, e, k->at};
        array_push(x->w->scratch, &x->given, g);
        if (expr_at(x->w->p, first)->type == TYPE_BOOLEAN) {
            region r = {first, 0};
            array_push(x->w->scratch, &k->todo, r);
        } else if (is_clocked_variable(x, first)) {
            unite(x, node, node_of_var(x, expr_at(x->w->p, first)->u.var.index));
        }
    }
    return node;
}

/* One node of an expression in the region of `node`: true where its arguments are to be visited. */
static bool visit(walker *k, expr e, int node)
{
    clock_parts *x = k->x;
    expr_pool *p = x->w->p;
    expr_node n = *expr_at(p, e);
    if (n.type == TYPE_CLOCK) {
        unite(x, node, clock_expression(k, e));
        mark_clocked(x, node, k->at, "a clock");
        return false;
    }
    switch ((expr_op)n.op) {
    case EXPR_VAR:
        if (flat_at(x->w->m, n.u.var.index)->variability > FLAT_PARAMETER)
            unite(x, node, node_of_var(x, n.u.var.index));
        return false;
    case EXPR_SAMPLED: {
        region r = {expr_args(p, e)[0], 0};
        expr clock = expr_arity(p, e) > 1 ? expr_args(p, e)[1] : 0;
        array_push(x->w->scratch, &k->todo, r);
        if (clock) unite(x, node, clock_expression(k, clock));
        mark_clocked(x, node, k->at, "sample()");
        return false;
    }
    case EXPR_HOLD:
        mark_unclocked(x, node, k->at, "hold()");
        mark_clocked(x, node_of_var(x, expr_at(p, n.u.arg[0])->u.var.index), k->at,
                     "the argument of hold()");
        return false;
    case EXPR_PREVIOUS: mark_clocked(x, node, k->at, "previous()"); return true;
    case EXPR_INTERVAL: mark_clocked(x, node, k->at, "interval()"); return true;
    case EXPR_FIRSTTICK: mark_clocked(x, node, k->at, "firstTick()"); return true;
    case EXPR_SUBSAMPLE:
    case EXPR_SUPERSAMPLE:
    case EXPR_SHIFTSAMPLE:
    case EXPR_BACKSAMPLE:
    case EXPR_NOCLOCK:
        mark_clocked(x, node, k->at, operator_name((expr_op)n.op));
        add_edge(k, e, node);
        return false;
    default: return true;
    }
}

static void walk_region(walker *k, expr root, int node)
{
    clock_parts *x = k->x;
    expr_pool *p = x->w->p;
    if (k->cap < p->n) {
        uint32_t *seen = arena_array(x->w->scratch, uint32_t, 2 * p->n);
        k->seen = seen;
        k->cap = 2 * p->n;
        k->epoch = 0;
    }
    k->epoch++;
    k->stack.n = 0;
    array_push(x->w->scratch, &k->stack, root);
    while (k->stack.n) {
        expr e = k->stack.at[--k->stack.n];
        if (k->seen[e] == k->epoch) continue;
        k->seen[e] = k->epoch;
        if (!visit(k, e, node)) continue;
        for (int i = 0; i < expr_arity(p, e); i++)
            array_push(x->w->scratch, &k->stack, expr_args(p, e)[i]);
    }
}

static void walk_all(walker *k, expr e, int node, span at)
{
    k->at = at;
    if (e) walk_region(k, e, node);
    while (k->todo.n) {
        region r = k->todo.at[--k->todo.n];
        walk_region(k, r.e, r.node);
    }
}

static void collect_nodes(clock_parts *x)
{
    flat_model *m = x->w->m;
    walker k = {.x = x};
    for (int i = 0; i < m->equations.n; i++) {
        flat_equation e = m->equations.at[i];
        int node = clock_node(x);
        array_push(x->w->scratch, &x->of_eq, node);
        if (e.clock) {
            unite(x, node, node_of_var(x, e.clock - 1));
            mark_clocked(x, node, e.at, "a when-clause of a clock");
        }
        walk_all(&k, e.lhs, node, e.at);
        walk_all(&k, e.rhs, node, e.at);
    }
    for (int i = 0; i < x->w->s->actions.n; i++) {
        structure_action a = x->w->s->actions.at[i];
        int node = clock_node(x);
        array_push(x->w->scratch, &x->of_act, node);
        if (a.clock) {
            unite(x, node, node_of_var(x, a.clock - 1));
            mark_clocked(x, node, a.at, "a when-clause of a clock");
        }
        walk_all(&k, a.fire, node, a.at);
        walk_all(&k, a.value, node, a.at);
        walk_all(&k, a.message, node, a.at);
    }
}

/* ---- clocked or not -------------------------------------------------------------------------- */

static void report_mixture(clock_parts *x, int base_of_continuous, int *base)
{
    const clock_mark *in = NULL, *out = NULL;
    for (int i = 0; i < x->clocked.n && !in; i++)
        if (base[root_of(x, x->clocked.at[i].node)] == base_of_continuous) in = &x->clocked.at[i];
    for (int i = 0; i < x->unclocked.n && !out; i++)
        if (base[root_of(x, x->unclocked.at[i].node)] == base_of_continuous)
            out = &x->unclocked.at[i];
    diag_error(x->w->sink, "S170", in->at,
               "%s belongs to a clock, but equations connect it with continuous time; put sample() "
               "where a clocked equation reads continuous time, and hold() where continuous time "
               "reads a clocked variable",
               in->what);
    if (out) diag_note(x->w->sink, out->at, "%s is in continuous time", out->what);
}

/* Base-partitions as sets of roots; the sub-partitions of those that are clocked, numbered base by
 * base. */
static bool number_parts(clock_parts *x)
{
    analysis *w = x->w;
    structure *s = w->s;
    int n = x->up.n, *base = arena_array(w->scratch, int, n);
    for (int i = 0; i < n; i++) base[i] = i;
    for (int i = 0; i < x->edges.n; i++) {
        int a = graph_root(base, root_of(x, x->edges.at[i].from)),
            b = graph_root(base, root_of(x, x->edges.at[i].to));
        if (a < b) base[b] = a;
        else base[a] = b;
    }
    char *clocked = arena_array(w->scratch, char, n);
    for (int i = 0; i < x->clocked.n; i++)
        clocked[graph_root(base, root_of(x, x->clocked.at[i].node))] = 1;
    for (int i = 0; i < n; i++) base[i] = graph_root(base, i);
    if (clocked[base[0]]) {
        report_mixture(x, base[0], base);
        return false;
    }
    x->sub_of = arena_array(w->scratch, int, n);
    int *number = arena_array(w->scratch, int, n); // by base: + 1
    for (int i = 0; i < n; i++)
        if (clocked[base[i]] && !number[base[i]] && base[i] == i) {
            structure_base b = {.var = -1};
            array_push(s->a, &s->bases, b);
            number[i] = s->bases.n;
        }
    // Sub-partitions of one base lie side by side.
    int *count = arena_array(w->scratch, int, s->bases.n + 1), total = 0;
    for (int i = 0; i < n; i++)
        if (root_of(x, i) == i && number[base[i]]) s->bases.at[number[base[i]] - 1].n++;
    for (int b = 0; b < s->bases.n; b++) {
        s->bases.at[b].first = total;
        total += s->bases.at[b].n;
    }
    for (int k = 0; k < total; k++) {
        structure_sub q = {.interval_var = -1, .first_var = -1, .on_var = -1};
        array_push(s->a, &s->subs, q);
        array_push(w->scratch, &x->root_of, 0);
    }
    for (int i = 0; i < n; i++) {
        if (root_of(x, i) != i || !number[base[i]]) continue;
        int b = number[base[i]] - 1, sub = s->bases.at[b].first + count[b]++;
        x->sub_of[i] = sub + 1;
        x->root_of.at[sub] = i;
        s->subs.at[sub].base = b;
    }
    return true;
}

static int sub_of_node(clock_parts *x, int node) // + 1
{
    return x->sub_of[root_of(x, node)];
}

int clock_set_sub(clock_parts *x, int v, int sub)
{
    while (x->w->clock_of.n <= v) array_push(x->w->scratch, &x->w->clock_of, 0);
    x->w->clock_of.at[v] = sub + 1;
    flat_var now = *flat_at(x->w->m, v);
    now.variability = FLAT_DISCRETE;
    flat_vars_put(&x->w->m->vars, x->w->a, v, now);
    return v;
}

static void set_variables(clock_parts *x)
{
    for (int v = 0; v < x->of_var.n; v++) {
        int sub = x->of_var.at[v] ? sub_of_node(x, x->of_var.at[v] - 1) : 0;
        if (sub) clock_set_sub(x, v, sub - 1);
    }
}

/* ---- clocked equations ----------------------------------------------------------------------- */

void clock_add(clock_parts *x, expr lhs, expr rhs, int sub, span at)
{
    structure_equation e = {.lhs = lhs, .rhs = rhs, .flat = -1, .block = sub, .at = at};
    array_push(x->w->scratch, &x->w->clocked, e);
}

static expr told(clock_parts *x, int *var, int sub, char kind, expr_type type)
{
    if (*var < 0) {
        int v = clock_hidden(x, kind, type, 0, (span){0, 0});
        *var = clock_set_sub(x, v, sub);
    }
    return clock_var(x, *var);
}

expr clock_interval(clock_parts *x, int sub)
{
    return told(x, &x->w->s->subs.at[sub].interval_var, sub, 'i', TYPE_REAL);
}

expr clock_first(clock_parts *x, int sub)
{
    return told(x, &x->w->s->subs.at[sub].first_var, sub, 'k', TYPE_BOOLEAN);
}

typedef struct clock_rewriting {
    clock_parts *x;
    dag_rewriter r;
    int sub;
    span at;
} clock_rewriting;

static expr sampled_var(clock_rewriting *c, expr value)
{
    clock_parts *x = c->x;
    structure *s = x->w->s;
    for (int i = 0; i < s->sampled.n; i++)
        if (s->sampled.at[i].value == value && s->sampled.at[i].sub == c->sub)
            return clock_var(x, s->sampled.at[i].var);
    const expr_node n = *expr_at(x->w->p, value);
    structure_sampled q = {.sub = c->sub, .value = value, .at = c->at};
    q.var = clock_hidden(x, 's', (expr_type)n.type, n.enum_id, c->at);
    clock_set_sub(x, q.var, c->sub);
    array_push(s->a, &s->subs.at[c->sub].samples, s->sampled.n);
    array_push(s->a, &s->sampled, q);
    return clock_var(x, q.var);
}

expr clock_derivative(clock_parts *x, int sub, int v, int order)
{
    for (; order > 0; order--) {
        int k = 0;
        while (k < x->states.n && x->states.at[k].var != v) k++;
        if (k == x->states.n) {
            text t = structure_text(x->w);
            text_printf(&t, "der(%s)", FLAT_NAME(x->w->m, v));
            clock_state q = {.var = v};
            q.der = clock_hidden(x, 'd', TYPE_REAL, 0, flat_at(x->w->m, v)->decl->at);
            flat_vars_rename(&x->w->m->vars, q.der, arena_strndup(x->w->a, text_str(&t), t.n));
            clock_set_sub(x, q.der, sub);
            array_push(x->w->scratch, &x->states, q);
        }
        v = x->states.at[k].der;
    }
    return clock_var(x, v);
}

static expr rewrite_clocked(void *user, expr e)
{
    clock_rewriting *c = user;
    clock_parts *x = c->x;
    expr_node n = *expr_at(x->w->p, e);
    switch ((expr_op)n.op) {
    case EXPR_VAR:
        if (!n.u.var.order || flat_at(x->w->m, n.u.var.index)->variability <= FLAT_PARAMETER)
            return 0;
        return clock_derivative(x, c->sub, n.u.var.index, n.u.var.order);
    case EXPR_SAMPLED: return sampled_var(c, expr_args(x->w->p, e)[0]);
    case EXPR_INTERVAL: return clock_interval(x, c->sub);
    case EXPR_FIRSTTICK: return clock_first(x, c->sub);
    case EXPR_SUBSAMPLE:
    case EXPR_SUPERSAMPLE:
    case EXPR_SHIFTSAMPLE:
    case EXPR_BACKSAMPLE:
    case EXPR_NOCLOCK: {
        uint64_t *slot = map_find(&x->named, (uint64_t)n.u.arg[0]);
        return slot ? clock_var(x, (int)*slot - 1) : n.u.arg[0];
    }
    default: return 0;
    }
}

/* Each sub-partition has its own interval(): its own rewriter, made when it is first met. */
static clock_rewriting *rewriter_of(clock_parts *x, clock_rewriting **all, int sub, span at)
{
    if (!all[sub]) {
        clock_rewriting *c = all[sub] = arena_new(x->w->scratch, clock_rewriting);
        *c = (clock_rewriting){.x = x, .sub = sub};
        dag_rewriter_init_few(&c->r, &x->w->d, c);
        c->r.before = rewrite_clocked;
    }
    all[sub]->at = at;
    return all[sub];
}

static void take_action(clock_parts *x, clock_rewriting **all, int i)
{
    structure *s = x->w->s;
    structure_action *a = &s->actions.at[i];
    int sub = sub_of_node(x, x->of_act.at[i]) - 1;
    if (sub < 0) return;
    clock_rewriting *c = rewriter_of(x, all, sub, a->at);
    if (a->value) a->value = dag_rewrite(&c->r, a->value);
    if (a->message) a->message = dag_rewrite(&c->r, a->message);
    expr on = told(x, &s->subs.at[sub].on_var, sub, 't', TYPE_BOOLEAN);
    a->fire = a->fire ? expr_2(x->w->p, EXPR_AND, on, dag_rewrite(&c->r, a->fire)) : on;
}

/* The sub-partition of an initial equation, + 1; 0: of continuous time. */
static int sub_of_initial(clock_parts *x, const flat_equation *e)
{
    analysis *w = x->w;
    int_array vars = {0};
    dag_vars(&w->d, e->lhs, &vars);
    dag_vars(&w->d, e->rhs, &vars);
    for (int k = 0; k < vars.n; k++) {
        int v = expr_at(w->p, vars.at[k])->u.var.index;
        if (v < w->clock_of.n && w->clock_of.at[v]) return w->clock_of.at[v];
    }
    return 0;
}

/* Initial equations of clocked variables hold at the first tick. */
static void take_initial(clock_parts *x, clock_rewriting **all)
{
    flat_model *m = x->w->m;
    int n = 0;
    for (int i = 0; i < m->initial_equations.n; i++) {
        flat_equation e = m->initial_equations.at[i];
        int sub = sub_of_initial(x, &e) - 1;
        if (sub < 0) {
            m->initial_equations.at[n++] = e;
            continue;
        }
        clock_rewriting *c = rewriter_of(x, all, sub, e.at);
        structure_equation q = {.block = sub, .flat = -1, .at = e.at};
        q.lhs = dag_rewrite(&c->r, e.lhs);
        q.rhs = dag_rewrite(&c->r, e.rhs);
        array_push(x->w->scratch, &x->initial, q);
    }
    m->initial_equations.n = n;
}

/* Clocked equations leave the flat model; those of clocks have said all they have to say. */
static void take_equations(clock_parts *x)
{
    analysis *w = x->w;
    flat_model *m = w->m;
    clock_rewriting **all = arena_array(w->scratch, clock_rewriting *, w->s->subs.n + 1);
    int n = 0, written = w->n_as_written, total = m->equations.n;
    for (int i = 0; i < total; i++) {
        flat_equation e = m->equations.at[i];
        int sub = sub_of_node(x, x->of_eq.at[i]) - 1;
        uint8_t type = expr_at(w->p, e.lhs)->type;
        if (sub < 0 || type == TYPE_STRING) {
            m->equations.at[n++] = e;
            continue;
        }
        w->n_as_written -= i < written;
        if (type == TYPE_CLOCK) continue;
        clock_rewriting *c = rewriter_of(x, all, sub, e.at);
        expr lhs = dag_rewrite(&c->r, e.lhs);
        clock_add(x, lhs, dag_rewrite(&c->r, e.rhs), sub, e.at);
    }
    for (int i = total; i < m->equations.n; i++) m->equations.at[n++] = m->equations.at[i];
    m->equations.n = n;
    for (int i = 0; i < x->arguments.n; i++) {
        int v = x->arguments.at[i].var, sub = w->clock_of.at[v] - 1;
        clock_rewriting *c = rewriter_of(x, all, sub, flat_at(m, v)->decl->at);
        expr value = dag_rewrite(&c->r, x->arguments.at[i].value);
        clock_add(x, clock_var(x, v), value, sub, flat_at(m, v)->decl->at);
    }
    for (int i = 0; i < w->s->actions.n; i++) take_action(x, all, i);
    take_initial(x, all);
}

static bool has_clocks(const analysis *w)
{
    for (int i = 1; i < w->p->n; i++) {
        const expr_node *n = &w->p->node[i];
        if (n->type == TYPE_CLOCK || (n->op >= EXPR_CLOCK && n->op <= EXPR_NOCLOCK)) return true;
    }
    return false;
}

bool structure_clocks(analysis *w)
{
    if (!has_clocks(w)) return true;
    clock_parts x = {.w = w};
    flat_own(w->m, w->a);
    flat_write_out(w->m, w->a);
    map_init(&x.named, w->scratch);
    clock_node(&x); // continuous time
    collect_nodes(&x);
    if (!number_parts(&x)) return false;
    set_variables(&x);
    x.method = arena_array(w->scratch, sym, w->s->subs.n + 1);
    if (!clock_rates(&x)) return false;
    take_equations(&x);
    return clock_discretize(&x);
}
