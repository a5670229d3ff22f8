/* State machines: blocks of which one at a time is active (Modelica Language Specification 3.6,
 * chapter 17).
 *
 * States that transitions join are a machine. It becomes clocked equations of Integers and Booleans:
 * which state it is in, which transition fires, which states begin anew. The equations of a state
 * hold while it is active, otherwise its variables keep their values; previous(x) of a state that
 * begins anew is the start value of x. What several states of a machine say of a variable around
 * them (outer output) is one equation with a choice between them, which belongs to the state around
 * the machine if there is one. What is left is clocked equations like any others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"

#include <string.h>

typedef struct machine_transition {
    sym from_path, to_path;
    int from, to; // states
    expr condition;
    bool immediate, reset, synchronize;
    int64_t priority;
    int number; // in its machine, from 1: the higher the sooner
    span at;
} machine_transition;

typedef struct machine_state {
    sym path;
    span at;
    bool initial;
    int machine, number;      // number from 1
    int depth;                // states around it
    int around;               // the innermost of these, -1: none
    expr active, reset, rest; // it is active; it begins anew; it is yet to begin anew
} machine_state;

typedef struct machine {
    int first, n_states; // the initial state and how many; in `order` they are numbered
    int around;          // state, -1: none
    expr state, fired, reset, active; // variables, or literals
    expr again;                       // the state that is entered begins anew
    expr ticks, since;                // of ticksInState, timeInState
    expr past_ticks, past_since;      // the same for immediate transitions
} machine;

typedef struct machine_choice { // what one state says of a variable around its machine
    int state, var;
    expr value;
    span at;
} machine_choice;

struct machines {
    ARRAY(machine_transition) transitions;
    ARRAY(machine_state) states;
    ARRAY(machine) all;
    ARRAY(machine_choice) choices;
    flat_equations out;
    int n_vars;
};

/* ---- collecting ------------------------------------------------------------------------------ */

bool machine_is_call(const ast_call *c)
{
    if (c->f.n != 1 || c->f.global) return false;
    return !strcmp(c->f.at[0].name, "transition") || !strcmp(c->f.at[0].name, "initialState");
}

static struct machines *machines_of(flat_builder *b)
{
    if (!b->machines) b->machines = arena_new(b->front, struct machines);
    return b->machines;
}

/* The path of the component that e names; NULL after a message. */
static sym state_path(const scope *s, const ast_expr *e, const char *what)
{
    flat_builder *b = s->b;
    const inst_node *n = e && e->kind == AST_REF ? inst_named(b, s->cls, e->ref) : NULL;
    if (!n || n->kind == NODE_PRIMITIVE) {
        diag_error(b->diags, "M370", e ? e->span : (span){0, 0},
                   "%s needs the name of a block that is a state", what);
        return NULL;
    }
    mem m = value_arena_mem(b->front);
    sym in = inst_instance_name(s);
    text t;
    text_init(&t, &m);
    text_printf(&t, "%s%s%s", in, *in ? "." : "", inst_ref_text(b, e->ref, e->ref->n));
    return sym_of(b->lib->syms, text_str(&t));
}

static int state_number(flat_builder *b, sym path, span at)
{
    struct machines *x = machines_of(b);
    for (int i = 0; i < x->states.n; i++)
        if (x->states.at[i].path == path) return i;
    machine_state q = {.path = path, .at = at, .machine = -1, .around = -1};
    array_push(b->front, &x->states, q);
    return x->states.n - 1;
}

static const ast_expr *transition_argument(const ast_call *c, int at, const char *name)
{
    if (at < c->args.n) return c->args.at[at];
    for (int i = 0; i < c->n_named; i++)
        if (!strcmp(c->named[i].name, name)) return c->named[i].value;
    return NULL;
}

static bool flag(const scope *s, const ast_call *c, int at, const char *name, bool *is)
{
    const ast_expr *e = transition_argument(c, at, name);
    return !e || eval_boolean(s, e, name, is);
}

bool machine_collect(equation_writer *em, const scope *s, const ast_stmt *st)
{
    flat_builder *b = em->b;
    const ast_call *c = st->call->call;
    if (b->inst->n_families)
        return inst_apart(b, false); // its states are told apart by their nodes
    struct machines *x = machines_of(b);
    if (em->dynamic || em->initial || em->clock) {
        diag_error(b->diags, "M371", st->span, "transitions and initial states cannot stand in %s",
                   em->clock ? "a when-clause" : "an if-equation or an initial section");
        return false;
    }
    if (!strcmp(c->f.at[0].name, "initialState")) {
        sym path = state_path(s, transition_argument(c, 0, "state"), "initialState()");
        if (!path) return false;
        int first = state_number(b, path, st->span); // the list may move
        x->states.at[first].initial = true;
        return true;
    }
    machine_transition t = {.immediate = true, .reset = true, .priority = 1, .at = st->span};
    t.from_path = state_path(s, transition_argument(c, 0, "from"), "transition()");
    t.to_path = t.from_path ? state_path(s, transition_argument(c, 1, "to"), "transition()") : NULL;
    const ast_expr *condition = transition_argument(c, 2, "condition"),
                   *priority = transition_argument(c, 6, "priority");
    if (!t.to_path) return false;
    value v;
    if (!condition) {
        diag_error(b->diags, "M370", st->span,
                   "a transition needs a condition: transition(from, to, condition)");
        return false;
    }
    if (!eval_expr(s, condition, &v)) return false;
    if (v.type != VALUE_BOOLEAN || v.n_dims) {
        diag_error(b->diags, "M156", condition->span, "a condition must be a Boolean, not %s",
                   value_type_name(&b->env, &v));
        return false;
    }
    t.condition = v.e;
    if (!flag(s, c, 3, "immediate", &t.immediate) || !flag(s, c, 4, "reset", &t.reset) ||
        !flag(s, c, 5, "synchronize", &t.synchronize) ||
        (priority && !eval_integer(s, priority, "the priority of a transition", &t.priority)))
        return false;
    t.from = state_number(b, t.from_path, st->span);
    t.to = state_number(b, t.to_path, st->span);
    array_push(b->front, &x->transitions, t);
    return true;
}

/* activeState(s): resolved when all machines are known. */
bool machine_active(const scope *s, const ast_call *c, span at, value *out)
{
    s->b->particular = true;
    (void)at;
    sym path = state_path(s, transition_argument(c, 0, "state"), "activeState()");
    if (!path) return false;
    expr e = expr_1(s->b->pool, EXPR_ACTIVESTATE, expr_string(s->b->pool, path));
    *out = value_scalar(&s->b->env, e);
    return true;
}

/* ---- machines -------------------------------------------------------------------------------- */

/* Does the path lie inside the state (or is it the state itself)? */
static bool is_inside(sym path, sym state)
{
    size_t n = strlen(state);
    return !strncmp(path, state, n) && (!path[n] || path[n] == '.' || path[n] == '[');
}

/* The innermost state that the path lies in, other than itself where `proper`; -1: none. */
static int state_around(const struct machines *x, sym path, bool proper)
{
    int best = -1;
    for (int i = 0; i < x->states.n; i++) {
        sym q = x->states.at[i].path;
        if (!is_inside(path, q) || (proper && path == q)) continue;
        if (best < 0 || strlen(q) > strlen(x->states.at[best].path)) best = i;
    }
    return best;
}

static bool machine_wrong(flat_builder *b, span at, const char *what, sym name)
{
    diag_error(b->diags, "M372", at, what, name);
    return false;
}

/* Sets of states that transitions join, each numbered from its initial state on. */
static bool find_machines(flat_builder *b)
{
    struct machines *x = b->machines;
    int n = x->states.n, *up = arena_array(b->scratch, int, n + 1);
    for (int i = 0; i < n; i++) up[i] = i;
    for (int i = 0; i < x->transitions.n; i++) {
        int f = x->transitions.at[i].from, t = x->transitions.at[i].to;
        while (up[f] != f) f = up[f];
        while (up[t] != t) t = up[t];
        up[t] = f;
    }
    for (int i = 0; i < n; i++) {
        int r = i;
        while (up[r] != r) r = up[r];
        if (x->states.at[r].machine < 0) {
            machine m = {.first = -1, .around = -1};
            x->states.at[r].machine = x->all.n;
            array_push(b->front, &x->all, m);
        }
        machine_state *q = &x->states.at[i];
        machine *m = &x->all.at[q->machine = x->states.at[r].machine];
        q->around = state_around(x, q->path, true);
        if (q->initial && m->first >= 0)
            return machine_wrong(b, q->at, "the machine of '%s' has two initial states", q->path);
        if (q->initial) m->first = i;
    }
    for (int k = 0; k < x->all.n; k++) {
        machine *m = &x->all.at[k];
        sym some = NULL;
        span at = {0, 0};
        for (int i = 0; i < n; i++)
            if (x->states.at[i].machine == k) some = x->states.at[i].path, at = x->states.at[i].at;
        if (m->first < 0)
            return machine_wrong(b, at, "no state of the machine of '%s' is an initialState()",
                                 some);
        x->states.at[m->first].number = ++m->n_states;
        m->around = x->states.at[m->first].around;
        for (int i = 0; i < n; i++)
            if (x->states.at[i].machine == k && i != m->first)
                x->states.at[i].number = ++m->n_states;
    }
    for (int i = 0; i < n; i++)
        for (int q = x->states.at[i].around; q >= 0; q = x->states.at[q].around)
            x->states.at[i].depth++;
    return true;
}

/* Numbers by priority: among those of one machine the most urgent comes last. */
static bool number_transitions(flat_builder *b)
{
    struct machines *x = b->machines;
    for (int i = 0; i < x->transitions.n; i++) {
        machine_transition *t = &x->transitions.at[i];
        t->number = 1;
        for (int k = 0; k < x->transitions.n; k++) {
            const machine_transition *o = &x->transitions.at[k];
            if (k == i || x->states.at[o->from].machine != x->states.at[t->from].machine) continue;
            if (o->from == t->from && o->priority == t->priority)
                return machine_wrong(b, t->at,
                                     "two transitions from '%s' have the same priority; give each "
                                     "another one: priority = 2",
                                     t->from_path);
            t->number += o->priority > t->priority || (o->priority == t->priority && k > i);
        }
    }
    return true;
}

/* ---- what the variables of a machine are made of --------------------------------------------- */

static expr integer(flat_builder *b, int64_t i)
{
    return expr_integer(b->pool, i);
}

static expr both(flat_builder *b, expr a, expr c)
{
    return expr_2(b->pool, EXPR_AND, a, c);
}

static expr either(flat_builder *b, expr a, expr c)
{
    return expr_2(b->pool, EXPR_OR, a, c);
}

static expr negate(flat_builder *b, expr a)
{
    return expr_1(b->pool, EXPR_NOT, a);
}

static expr choose(flat_builder *b, expr c, expr yes, expr no)
{
    return expr_3(b->pool, EXPR_IF, c, yes, no);
}

static expr equals(flat_builder *b, expr a, int64_t i)
{
    return expr_2(b->pool, EXPR_EQ, a, integer(b, i));
}

static expr past(flat_builder *b, expr e)
{
    return expr_1(b->pool, EXPR_PREVIOUS, e);
}

/* A hidden variable of machine k, such as $machine1.state; of a state the name is its own. */
static expr machine_var(flat_builder *b, int k, const char *name, int number, expr_type type,
                        expr start)
{
    flat_attributes a;
    memset(&a, 0, sizeof a);
    a.fixed = -1;
    a.start = start;
    mem m = value_arena_mem(b->front);
    text t;
    text_init(&t, &m);
    if (k < 0) text_add(&t, name);
    else text_printf(&t, "$machine%d.%s", k + 1, name);
    if (number) text_printf(&t, "[%d]", number);
    flat_var v = {.type = (uint8_t)type,
                  .variability = type == TYPE_REAL ? FLAT_CONTINUOUS : FLAT_DISCRETE,
                  .flags = FLAT_PROTECTED,
                  .attr = inst_share_attributes(b, &a),
                  .decl = flat_declare(b->model, "", 0, (span){0, 0})};
    int var = flat_vars_add(&b->m->vars, b->model, v, sym_of(b->lib->syms, text_str(&t)));
    return expr_var(b->pool, var, 0, type, 0);
}

static void define(flat_builder *b, expr lhs, expr rhs, span at)
{
    flat_equation e = {.lhs = lhs, .rhs = rhs, .origin = FLAT_FROM_EQUATION, .at = at};
    e.instance = sym_of(b->lib->syms, "");
    array_push(b->model, &b->machines->out, e);
}

/* What stands for activeState(...), ticksInState() and timeInState() and, in states that begin anew,
 * for previous(x). `early`: in the condition of an immediate transition, which is looked at before it
 * is known which state is entered. */
static expr resolved(flat_builder *b, expr e, int k, bool early)
{
    struct machines *x = b->machines;
    expr_subst s;
    arena_mark mark = arena_here(b->scratch);
    expr_subst_init(&s, b->pool, b->scratch);
    int_array nodes = expr_reach(b->pool, &e, 1, b->scratch);
    for (int i = 0; i < nodes.n; i++) {
        expr_node n = *expr_at(b->pool, nodes.at[i]);
        machine *m = k >= 0 ? &x->all.at[k] : NULL;
        expr to = 0;
        if (n.op == EXPR_ACTIVESTATE) {
            sym path = expr_at(b->pool, n.u.arg[0])->u.string;
            for (int q = 0; q < x->states.n; q++)
                if (x->states.at[q].path == path) to = x->states.at[q].active;
            if (!to) diag_error(b->diags, "M372", (span){0, 0}, "'%s' is not a state", path);
        } else if (n.op == EXPR_TICKSINSTATE && m) {
            to = early ? m->past_ticks : m->ticks;
        } else if (n.op == EXPR_TIMEINSTATE && m) {
            to = early ? m->past_since : m->since;
        } else if (n.op == EXPR_PREVIOUS) {
            int var = expr_at(b->pool, n.u.arg[0])->u.var.index;
            const flat_var *v = flat_at(b->m, var);
            int q = state_around(x, FLAT_NAME(b->m, var), false);
            if (q < 0) continue;
            expr start = v->attr && v->attr->start ? v->attr->start
                         : v->type == TYPE_BOOLEAN ? b->pool->no
                         : v->type == TYPE_INTEGER ? integer(b, 0)
                                                   : b->pool->zero;
            to = choose(b, x->states.at[q].reset, start, nodes.at[i]);
        } else if (n.op == EXPR_TICKSINSTATE || n.op == EXPR_TIMEINSTATE) {
            diag_error(b->diags, "M372", (span){0, 0}, "%s() is used outside a state machine",
                       operator_name((expr_op)n.op));
        }
        if (to) expr_subst_set(&s, nodes.at[i], to);
    }
    e = expr_subst_apply(&s, e);
    arena_release(b->scratch, mark);
    return e;
}

/* Variables first, as conditions of one machine look at others. */
static void declare_machine(flat_builder *b, int k)
{
    struct machines *x = b->machines;
    machine *m = &x->all.at[k];
    m->state = machine_var(b, k, "state", 0, TYPE_INTEGER, integer(b, 1));
    m->fired = machine_var(b, k, "fired", 0, TYPE_INTEGER, 0);
    m->reset = machine_var(b, k, "reset", 0, TYPE_BOOLEAN, 0);
    m->again = machine_var(b, k, "again", 0, TYPE_BOOLEAN, 0);
    m->ticks = machine_var(b, k, "ticks", 0, TYPE_INTEGER, integer(b, 0));
    m->past_ticks =
        choose(b, m->reset, integer(b, 1), expr_add(b->pool, past(b, m->ticks), integer(b, 1)));
    expr now = expr_make(b->pool, EXPR_SAMPLED, &b->pool->time, 1);
    expr since = machine_var(b, k, "since", 0, TYPE_REAL, b->pool->zero);
    m->since = expr_sub(b->pool, now, since);
    m->past_since = choose(b, m->reset, b->pool->zero, expr_sub(b->pool, now, past(b, since)));
    for (int i = 0; i < x->states.n; i++) {
        machine_state *q = &x->states.at[i];
        if (q->machine != k) continue;
        mem memory = value_arena_mem(b->front);
        text name; // to be seen in results
        text_init(&name, &memory);
        text_printf(&name, "%s._active", q->path);
        q->active = machine_var(b, -1, text_str(&name), 0, TYPE_BOOLEAN, b->pool->no);
        q->reset = machine_var(b, k, "anew", q->number, TYPE_BOOLEAN, 0);
        q->rest = machine_var(b, k, "rest", q->number, TYPE_BOOLEAN, b->pool->no);
    }
}

/* All machines inside the state are in a state that nothing leads away from. */
static expr is_finished(flat_builder *b, int state)
{
    const struct machines *x = b->machines;
    expr all = b->pool->yes;
    for (int k = 0; k < x->all.n; k++) {
        if (x->all.at[k].around != state) continue;
        expr one = b->pool->no;
        for (int i = 0; i < x->states.n; i++) {
            bool leaves = false;
            if (x->states.at[i].machine != k) continue;
            for (int t = 0; t < x->transitions.n; t++)
                leaves = leaves || x->transitions.at[t].from == i;
            if (!leaves)
                one = either(b, one, equals(b, x->all.at[k].state, x->states.at[i].number));
        }
        all = both(b, all, one);
    }
    return all;
}

/* Names as in section 17.3.4 of the specification. */
static void write_machine(flat_builder *b, int k)
{
    struct machines *x = b->machines;
    machine *m = &x->all.at[k];
    expr_pool *p = b->pool;
    span at = x->states.at[m->first].at;
    expr active = m->around < 0 ? p->yes : x->states.at[m->around].active;
    expr next = machine_var(b, k, "next", 0, TYPE_INTEGER, integer(b, 1)),
         next_reset = machine_var(b, k, "pending", 0, TYPE_BOOLEAN, p->no),
         delayed = machine_var(b, k, "delayed", 0, TYPE_INTEGER, integer(b, 0));
    expr selected = choose(b, m->reset, integer(b, 1), past(b, next));
    expr soon = integer(b, 0), later = integer(b, 0), to = selected,
         again = either(b, m->reset, past(b, next_reset));
    for (int i = 0; i < x->transitions.n; i++) {
        const machine_transition *t = &x->transitions.at[i];
        if (x->states.at[t->from].machine != k) continue;
        expr c = resolved(b, t->condition, k, t->immediate), number = integer(b, t->number);
        if (t->synchronize) c = both(b, c, is_finished(b, t->from));
        expr here = equals(b, t->immediate ? selected : next, x->states.at[t->from].number);
        expr fires = choose(b, both(b, here, c), number, integer(b, 0));
        if (t->immediate) soon = expr_2(p, EXPR_MAX, soon, fires);
        else later = expr_2(p, EXPR_MAX, later, fires);
        expr hit = equals(b, m->fired, t->number);
        to = choose(b, hit, integer(b, x->states.at[t->to].number), to);
        again = choose(b, hit, expr_boolean(p, t->reset), again);
    }
    expr anew = p->no;
    if (m->around >= 0) anew = both(b, active, x->states.at[m->around].reset);
    define(b, m->reset, m->around < 0 ? expr_make(p, EXPR_FIRSTTICK, NULL, 0) : anew, at);
    define(b, delayed, later, at);
    define(b, m->fired, expr_2(p, EXPR_MAX, past(b, delayed), soon), at);
    define(b, m->state, choose(b, m->reset, integer(b, 1), to), at);
    define(b, m->again, either(b, m->reset, again), at);
    define(b, next, choose(b, active, m->state, past(b, next)), at);
    define(b, next_reset, both(b, negate(b, active), past(b, next_reset)), at);
    expr entered = either(b, m->reset, expr_2(p, EXPR_GT, m->fired, integer(b, 0)));
    expr counted = choose(b, entered, integer(b, 1), expr_add(p, past(b, m->ticks), integer(b, 1)));
    define(b, m->ticks, choose(b, active, counted, past(b, m->ticks)), at);
    expr now = expr_make(p, EXPR_SAMPLED, &p->time, 1), since = expr_at(p, m->since)->u.arg[1];
    define(b, since, choose(b, both(b, active, entered), now, past(b, since)), at);
    for (int i = 0; i < x->states.n; i++) {
        machine_state *q = &x->states.at[i];
        if (q->machine != k) continue;
        expr open = either(b, m->reset, past(b, q->rest)), is = equals(b, m->state, q->number);
        define(b, q->rest, choose(b, active, both(b, negate(b, is), open), past(b, q->rest)), at);
        define(b, q->active, both(b, active, is), at);
        define(b, q->reset, both(b, q->active, either(b, m->again, open)), at);
    }
}

/* ---- equations of states --------------------------------------------------------------------- */

/* v = `says` holds in the state (-1: always). */
static void place_equation(flat_builder *b, int state, int var, expr says, span at)
{
    struct machines *x = b->machines;
    const flat_var *f = flat_at(b->m, var);
    expr v = expr_var(b->pool, var, 0, (expr_type)f->type, f->decl->enum_id);
    if (state < 0) {
        define(b, v, says, at);
    } else if (state_around(x, FLAT_NAME(b->m, var), false) == state) {
        define(b, v, choose(b, x->states.at[state].active, says, past(b, v)), at);
    } else {
        machine_choice c = {state, var, says, at};
        array_push(b->front, &x->choices, c);
    }
}

/* The variable that an equation of a state gives: one of the state if there is a choice; -1: none
 * stands alone. */
static int given_by(const flat_builder *b, const flat_equation *e, int state, expr *says)
{
    const struct machines *x = b->machines;
    int found = -1;
    for (int side = 0; side < 2; side++) {
        const expr_node *n = expr_at(b->pool, side ? e->rhs : e->lhs);
        if (n->op != EXPR_VAR || n->u.var.order) continue;
        if (flat_at(b->m, n->u.var.index)->variability <= FLAT_PARAMETER) continue;
        bool own = state_around(x, FLAT_NAME(b->m, n->u.var.index), false) == state;
        if (found >= 0 && !own) continue;
        found = n->u.var.index;
        *says = side ? e->lhs : e->rhs;
        if (own) break;
    }
    return found;
}

static bool write_states(flat_builder *b)
{
    struct machines *x = b->machines;
    flat_equations *all = &b->m->equations;
    for (int i = 0; i < all->n; i++) {
        flat_equation e = all->at[i];
        int state = e.instance ? state_around(x, e.instance, false) : -1;
        int k = state < 0 ? -1 : x->states.at[state].machine;
        e.lhs = resolved(b, e.lhs, k, false);
        e.rhs = resolved(b, e.rhs, k, false);
        if (state < 0 || expr_at(b->pool, e.lhs)->type == TYPE_CLOCK) {
            array_push(b->model, &x->out, e);
            continue;
        }
        expr says = 0;
        int var = given_by(b, &e, state, &says);
        if (var < 0) {
            diag_error(b->diags, "M373", e.at,
                       "this equation of the state '%s' must have a variable alone on one side: it "
                       "holds only while the state is active",
                       x->states.at[state].path);
            return false;
        }
        place_equation(b, state, var, says, e.at);
    }
    return true;
}

/* What states say of variables around them: from the inside out, one choice per machine. */
static void write_choices(flat_builder *b)
{
    struct machines *x = b->machines;
    int deepest = 0;
    for (int i = 0; i < x->states.n; i++)
        if (x->states.at[i].depth > deepest) deepest = x->states.at[i].depth;
    for (int depth = deepest; depth >= 0; depth--)
        for (int i = 0; i < x->choices.n; i++) {
            machine_choice c = x->choices.at[i];
            if (c.state < 0 || x->states.at[c.state].depth != depth) continue;
            int k = x->states.at[c.state].machine;
            const flat_var *f = flat_at(b->m, c.var);
            expr v = expr_var(b->pool, c.var, 0, (expr_type)f->type, f->decl->enum_id);
            expr says = resolved(b, past(b, v), k, false);
            for (int j = x->choices.n - 1; j >= i; j--) {
                machine_choice *o = &x->choices.at[j];
                if (o->state < 0 || o->var != c.var || x->states.at[o->state].machine != k)
                    continue;
                says = choose(b, x->states.at[o->state].active, o->value, says);
                o->state = -1;
            }
            place_equation(b, x->all.at[k].around, c.var, says, c.at);
        }
}

/* inner outer output: the variable of the state is the one around it. */
static void find_twins(flat_builder *b, const inst_node *n, expr_subst *s, int *count)
{
    if (n->kind == NODE_PRIMITIVE && n->element && n->element->both == n) {
        const inst_node *outer = inst_follow(inst_node_of(b, n->element));
        for (int e = 0; outer && outer != n && e < n->total && e < outer->total; e++, ++*count) {
            const flat_var *f = flat_at(b->m, inst_var(n, e));
            expr from = inst_variable(b, inst_var(n, e)), to = inst_variable(b, inst_var(outer, e));
            expr_subst_set(s, from, to);
            define(b, from, to, f->decl->at);
        }
    }
    for (int i = 0; i < n->children.n; i++)
        if (n->children.at[i]->kind != NODE_OUTER) find_twins(b, n->children.at[i], s, count);
}

static void join_twins(flat_builder *b)
{
    struct machines *x = b->machines;
    expr_subst s;
    int count = 0;
    expr_subst_init(&s, b->pool, b->front);
    find_twins(b, b->inst->root, &s, &count);
    if (!count) return;
    for (int i = 0; i < b->m->equations.n; i++) {
        flat_equation *e = &b->m->equations.at[i];
        e->lhs = expr_subst_apply(&s, e->lhs);
        e->rhs = expr_subst_apply(&s, e->rhs);
    }
    for (int i = 0; i < x->transitions.n; i++)
        x->transitions.at[i].condition = expr_subst_apply(&s, x->transitions.at[i].condition);
}

bool machine_write(flat_builder *b)
{
    struct machines *x = b->machines;
    if (!x) return true;
    flat_write_out(b->m, b->model);
    int errors = b->diags->n_errors;
    if (!find_machines(b) || !number_transitions(b)) return false;
    join_twins(b);
    for (int k = 0; k < x->all.n; k++) declare_machine(b, k);
    for (int k = 0; k < x->all.n; k++) write_machine(b, k);
    if (!write_states(b)) return false;
    write_choices(b);
    b->m->equations = x->out;
    return b->diags->n_errors == errors;
}
