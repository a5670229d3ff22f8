/* Differentiation of many expressions along many directions at once.
 *
 * Forward mode: every node gets the list of directions along which it moves, with its derivatives
 * (A. Griewank & A. Walther, Evaluating Derivatives, 2008, ch. 3 and 7: vector mode with sparse
 * rows). The list of a node is the union of its arguments'. Forward and not reverse, because only
 * then an if-expression differentiates branch by branch, and a root of a number that is not used is
 * never multiplied by zero.
 *
 * A total derivative is the same with one direction, time. Calls are differentiated through their
 * derivative annotations or written out. The search has a stack of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <limits.h>

typedef struct list {
    int first, n; // in dir and d
} list;

typedef struct diff {
    expr_pool *p;
    arena *a;
    const char *why;
    bool total;
    int m;         // directions
    idmap seeds;   // partial: node to direction + 1
    expr lowest;   // nodes below it move nowhere
    idmap memo;    // node to list
    idmap instead; // DER and CALL nodes: the expression that stands for them
    int_array dir; // sorted in each list
    int_array d;   // the derivatives
    int_array stack;
    ARRAY(list) lists; // number 0 is empty
    expr *sum;         // m accumulators, 0 when not in use
    int_array touched; // those in use
    int depth, deep_calls;
    struct diff *time; // partial: total derivatives needed on the way
} diff;

static void diff_init(diff *s, expr_pool *p, arena *a, const expr *var, int m)
{
    *s = (diff){.p = p, .a = a, .total = !var, .m = m};
    idmap_init(&s->seeds, a);
    idmap_init(&s->memo, a);
    idmap_init(&s->instead, a);
    array_push(a, &s->lists, ((list){0, 0}));
    s->sum = arena_array(a, expr, m);
    s->lowest = var && !p->has_der ? INT_MAX : 0;
    for (int j = m - 1; var && j >= 0; j--) {
        idmap_put(&s->seeds, var[j], j + 1);
        if (var[j] < s->lowest) s->lowest = var[j];
    }
}

static bool diff_fail(diff *s, const char *why)
{
    s->why = why;
    return false;
}

// ---- lists -------------------------------------------------------------------------------------

static int begin_list(diff *s)
{
    array_push(s->a, &s->lists, ((list){s->dir.n, 0}));
    return s->lists.n - 1;
}

static void diff_add_entry(diff *s, int dir, expr d)
{
    if (d == s->p->zero) return;
    array_push(s->a, &s->dir, dir);
    array_push(s->a, &s->d, d);
    array_last(&s->lists).n++;
}

// The list just made belongs to e; empty ones are number 0.
static bool end_list(diff *s, expr e, int l)
{
    if (!s->lists.at[l].n) {
        s->lists.n--;
        l = 0;
    }
    idmap_put(&s->memo, e, l);
    return true;
}

static bool diff_single(diff *s, expr e, int dir, expr d)
{
    int l = begin_list(s);
    diff_add_entry(s, dir, d);
    return end_list(s, e, l);
}

static void diff_accumulate(diff *s, int dir, expr d, bool minus)
{
    if (!s->sum[dir]) {
        s->sum[dir] = s->p->zero;
        array_push(s->a, &s->touched, dir);
    }
    s->sum[dir] = minus ? expr_sub(s->p, s->sum[dir], d) : expr_add(s->p, s->sum[dir], d);
}

static bool end_sum(diff *s, expr e)
{
    int l = begin_list(s);
    expr_sort(s->touched.at, s->touched.n);
    for (int i = 0; i < s->touched.n; i++) {
        int dir = s->touched.at[i];
        diff_add_entry(s, dir, s->sum[dir]);
        s->sum[dir] = 0;
    }
    s->touched.n = 0;
    return end_list(s, e, l);
}

// ---- nodes -------------------------------------------------------------------------------------

// Does the value jump or stay, so that every derivative is 0?
static bool is_step(const expr_pool *p, expr e)
{
    expr_op op = expr_op_of(p, e);
    expr_type type = expr_type_of(p, e);
    if (type == TYPE_BOOLEAN || type == TYPE_STRING || type >= TYPE_ENUM) return true;
    switch (operator_class(op)) {
    case CLASS_EVENT: return op != EXPR_MOD && op != EXPR_REM;
    case CLASS_HYBRID: return op != EXPR_DELAY && op != EXPR_TRANSPORT;
    default: return expr_is_literal(p, e);
    }
}

// The list of e, or -1 when it is not known yet.
static int list_of(const diff *s, expr e)
{
    if (e < s->lowest) return 0;
    const int *l = idmap_find(&s->memo, e);
    return l ? *l : -1;
}

// Is the list of e known? If not, e goes on the stack.
static bool diff_need(diff *s, expr e)
{
    if (list_of(s, e) >= 0) return true;
    array_push(s->a, &s->stack, e);
    return false;
}

static bool need_args(diff *s, expr e)
{
    int n = expr_arity(s->p, e);
    const expr *args = expr_args(s->p, e);
    bool ready = true;
    for (int i = n - 1; i >= 0; i--) ready = diff_need(s, args[i]) && ready;
    return ready;
}

static bool diff_leaf(diff *s, expr e)
{
    expr_pool *p = s->p;
    expr_node n = *expr_at(p, e);
    if (!s->total) return idmap_put(&s->memo, e, 0), true;
    if (n.op == EXPR_TIME) return diff_single(s, e, 0, p->one);
    if (n.type != TYPE_REAL || expr_var_is_constant(p, e)) return idmap_put(&s->memo, e, 0), true;
    return diff_single(s, e, 0, expr_var(p, n.u.var.index, n.u.var.order + 1, TYPE_REAL, 0));
}

// Operators of fixed arity: one derivative for each direction of an argument.
static bool diff_ordinary(diff *s, expr e)
{
    int n = expr_arity(s->p, e), at[3] = {0};
    list of[3] = {{0, 0}};
    const expr *args = expr_args(s->p, e);
    for (int i = 0; i < n; i++) of[i] = s->lists.at[list_of(s, args[i])];
    int l = begin_list(s);
    for (;;) {
        int dir = INT_MAX;
        for (int i = 0; i < n; i++)
            if (at[i] < of[i].n && s->dir.at[of[i].first + at[i]] < dir)
                dir = s->dir.at[of[i].first + at[i]];
        if (dir == INT_MAX) break;
        expr d[3];
        for (int i = 0; i < n; i++) {
            bool moves = at[i] < of[i].n && s->dir.at[of[i].first + at[i]] == dir;
            d[i] = moves ? s->d.at[of[i].first + at[i]++] : s->p->zero;
        }
        diff_add_entry(s, dir, expr_diff_rule(s->p, e, d));
    }
    return end_list(s, e, l);
}

// A long sum a + b - c + ... in one go: the lists of its n partial sums would fill n^2 entries.
enum { SUM_TERMS_LONG = 16 };

static bool is_sum(const diff *s, expr e)
{
    expr_op op = expr_op_of(s->p, e);
    return (op == EXPR_ADD || op == EXPR_SUB) && list_of(s, e) < 0 && !idmap_find(&s->seeds, e);
}

static bool long_sum(diff *s, expr e, bool *done)
{
    int_array spine = {0};
    const expr_node *node = s->p->node;
    int n = 0;
    for (expr k = e; n < SUM_TERMS_LONG && is_sum(s, k); k = node[k].u.arg[0]) n++;
    if (n < SUM_TERMS_LONG) return false;

    bool ready = true;
    expr first = e;
    for (; is_sum(s, first); first = node[first].u.arg[0]) {
        array_push(s->a, &spine, first);
        ready = diff_need(s, node[first].u.arg[1]) && ready;
    }
    ready = diff_need(s, first) && ready;
    *done = ready;
    for (int i = spine.n; ready && i >= 0; i--) {
        expr term = i == spine.n ? first : s->p->node[spine.at[i]].u.arg[1];
        bool minus = i < spine.n && expr_op_of(s->p, spine.at[i]) == EXPR_SUB;
        list x = s->lists.at[list_of(s, term)];
        for (int k = 0; k < x.n; k++)
            diff_accumulate(s, s->dir.at[x.first + k], s->d.at[x.first + k], minus);
    }
    if (ready) end_sum(s, e);
    return true;
}

// e moves as the expression `instead`.
static bool moves_as(diff *s, expr e, expr instead)
{
    if (!diff_need(s, instead)) return false;
    idmap_put(&s->memo, e, list_of(s, instead));
    return true;
}

static bool diff_run(diff *s, expr root);

// Total derivative of e while differentiating partially; 0 if there is none.
static expr total_of(diff *s, expr e)
{
    if (!s->time) {
        s->time = arena_new(s->a, diff);
        diff_init(s->time, s->p, s->a, NULL, 1);
    }
    if (!diff_run(s->time, e)) return s->why = s->time->why, 0;
    list x = s->time->lists.at[list_of(s->time, e)];
    return x.n ? s->time->d.at[x.first] : s->p->zero;
}

static bool diff_derivative(diff *s, expr e)
{
    const int *known = idmap_find(&s->instead, e);
    if (known) return moves_as(s, e, *known);
    expr a = expr_args(s->p, e)[0], t;
    if (s->total) {
        if (!diff_need(s, a)) return false;
        list x = s->lists.at[list_of(s, a)];
        t = x.n ? s->d.at[x.first] : s->p->zero;
    } else {
        t = total_of(s, a);
        if (!t) return false;
    }
    idmap_put(&s->instead, e, t);
    return moves_as(s, e, t);
}

// delay(u, T) = u(t - T): moves with the past of u in time, with T in every direction.
static bool diff_delayed(diff *s, expr e)
{
    expr_pool *p = s->p;
    int n = expr_arity(p, e);
    expr args[3] = {0};
    for (int i = 0; i < n && i < 3; i++) args[i] = expr_args(p, e)[i];
    if (n < 2 || n > 3) return diff_fail(s, "delay() has two or three arguments");
    if (!diff_need(s, args[1]) || (s->total && !diff_need(s, args[0]))) return false;
    list shift = s->lists.at[list_of(s, args[1])];
    expr rate = p->zero;
    if (s->total) {
        list x = s->lists.at[list_of(s, args[0])];
        if (x.n) rate = s->d.at[x.first];
    } else if (shift.n) {
        rate = total_of(s, args[0]);
        if (!rate) return false;
    }
    args[0] = rate;
    expr past = expr_make(p, EXPR_DELAY, args, n);
    if (s->total) {
        expr dt = shift.n ? s->d.at[shift.first] : p->zero;
        return diff_single(s, e, 0, expr_mul(p, past, expr_sub(p, p->one, dt)));
    }
    int l = begin_list(s);
    for (int k = 0; k < shift.n; k++)
        diff_add_entry(s, s->dir.at[shift.first + k],
                       expr_neg(p, expr_mul(p, past, s->d.at[shift.first + k])));
    return end_list(s, e, l);
}

// Derivatives of a call by those arguments that move; false if one has none.
static bool diff_partials(diff *s, const expr_node *n, const expr *args, expr *by)
{
    const expr_context *c = &s->p->context;
    for (int k = 0; k < n->u.call.n; k++) {
        if (!s->lists.at[list_of(s, args[k])].n) continue;
        if (!c->partial_call) return false;
        by[k] =
            c->partial_call(c->user, n->u.call.function, n->u.call.output, args, n->u.call.n, k);
        if (!by[k]) return false;
    }
    return true;
}

static bool diff_write_out(diff *s, expr e, const expr_node *n, const expr *args)
{
    const expr_context *c = &s->p->context;
    expr body = 0;
    if (c->inline_call)
        body = c->inline_call(c->user, n->u.call.function, n->u.call.output, args, n->u.call.n);
    if (!body || body == e)
        return diff_fail(s,
                         "the function has neither a derivative annotation nor a body that can be "
                         "written out");
    if (++s->depth > EXPR_CALL_DEPTH ||
        (s->depth > EXPR_CALL_FREE_DEPTH && ++s->deep_calls > EXPR_CALL_BUDGET))
        return diff_fail(s, "the function calls itself too deeply to be differentiated");
    idmap_put(&s->instead, e, body);
    return true;
}

// A call whose derivative in time is known as a whole: *done false when arguments come first.
static bool diff_total_call(diff *s, expr e, bool *done)
{
    const expr_context *c = &s->p->context;
    expr_node n = *expr_at(s->p, e);
    int count = n.u.call.n;
    const bool *need =
        s->total && c->total_needs ? c->total_needs(c->user, n.u.call.function, count) : NULL;
    if (!need) return false;
    *done = true;
    for (int k = 0; k < count; k++)
        if (need[k] && !diff_need(s, expr_args(s->p, e)[k])) *done = false;
    if (!*done) return true;
    expr *args = arena_array(s->a, expr, count), *d = arena_array(s->a, expr, count);
    for (int k = 0; k < count; k++) {
        args[k] = expr_args(s->p, e)[k];
        list x = need[k] ? s->lists.at[list_of(s, args[k])] : (list){0, 0};
        d[k] = x.n ? s->d.at[x.first] : s->p->zero;
    }
    expr whole = c->total_call(c->user, n.u.call.function, n.u.call.output, args, d, count);
    if (whole) diff_single(s, e, 0, whole);
    return whole != 0;
}

static bool diff_call(diff *s, expr e)
{
    bool done;
    const int *body = idmap_find(&s->instead, e);
    if (body) {
        if (!moves_as(s, e, *body)) return false;
        s->depth--;
        return true;
    }
    if (diff_total_call(s, e, &done)) return done;
    if (!need_args(s, e)) return false;
    expr_node n = *expr_at(s->p, e);
    int count = n.u.call.n;
    expr *args = arena_array(s->a, expr, count), *by = arena_array(s->a, expr, count);
    bool moves = false;
    for (int k = 0; k < count; k++) {
        args[k] = expr_args(s->p, e)[k];
        moves = moves || s->lists.at[list_of(s, args[k])].n;
    }
    if (!moves) return idmap_put(&s->memo, e, 0), true;
    if (!diff_partials(s, &n, args, by)) return diff_write_out(s, e, &n, args) && diff_call(s, e);
    for (int k = 0; k < count; k++) {
        list x = s->lists.at[list_of(s, args[k])];
        for (int i = 0; i < x.n; i++)
            diff_accumulate(s, s->dir.at[x.first + i], expr_mul(s->p, by[k], s->d.at[x.first + i]),
                            false);
    }
    return end_sum(s, e);
}

// Finish e, or put on the stack what it needs first (false).
static bool diff_visit(diff *s, expr e)
{
    const int *seed = idmap_find(&s->seeds, e);
    if (seed) return diff_single(s, e, *seed - 1, s->p->one);
    if (is_step(s->p, e)) return idmap_put(&s->memo, e, 0), true;
    bool done;
    switch (expr_op_of(s->p, e)) {
    case EXPR_NONE:
    case EXPR_VAR:
    case EXPR_TIME: return diff_leaf(s, e);
    case EXPR_DER: return diff_derivative(s, e);
    case EXPR_DELAY: return diff_delayed(s, e);
    case EXPR_TRANSPORT:
        return diff_fail(s, "what spatialDistribution() carries has no derivative that is known");
    case EXPR_CALL: return diff_call(s, e);
    case EXPR_ADD:
    case EXPR_SUB:
        if (long_sum(s, e, &done)) return done;
        break;
    default: break;
    }
    return need_args(s, e) && diff_ordinary(s, e);
}

// Make the list of a root; false and a reason when it has none.
static bool diff_run(diff *s, expr root)
{
    if (expr_type_of(s->p, root) == TYPE_STRING) return diff_fail(s, "a String has no derivative");
    int base = s->stack.n;
    while (list_of(s, root) < 0) {
        if (s->stack.n == base) array_push(s->a, &s->stack, root);
        expr top = array_last(&s->stack);
        if (list_of(s, top) >= 0 || diff_visit(s, top)) s->stack.n--;
        if (s->why) return false;
    }
    s->stack.n = base;
    return true;
}

// ---- entry points ------------------------------------------------------------------------------

bool expr_jacobian(expr_pool *p, const expr *e, int n, const expr *var, int m, arena *scratch,
                   expr *d, const char **why)
{
    arena_mark mark = arena_here(scratch);
    diff s;
    diff_init(&s, p, scratch, var, m);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        ok = diff_run(&s, e[i]);
        if (!ok) break;
        list x = s.lists.at[list_of(&s, e[i])];
        expr *row = d + (size_t)i * (size_t)m;
        for (int j = 0; j < m; j++) row[j] = p->zero;
        for (int k = 0; k < x.n; k++) row[s.dir.at[x.first + k]] = s.d.at[x.first + k];
    }
    if (!ok && why) *why = s.why;
    expr_release(p, scratch, mark);
    return ok;
}

void expr_gradient(expr_pool *p, expr e, const expr *var, int m, arena *scratch, expr *d,
                   const char **why)
{
    if (!m || expr_jacobian(p, &e, 1, var, m, scratch, d, why)) return;
    for (int j = 0; j < m; j++) d[j] = expr_diff(p, e, var[j], scratch, why);
}

expr expr_diff(expr_pool *p, expr e, expr var, arena *scratch, const char **why)
{
    expr d;
    return expr_jacobian(p, &e, 1, &var, 1, scratch, &d, why) ? d : 0;
}

bool expr_total_diff(expr_pool *p, const expr *e, int n, arena *scratch, expr *d, const char **why)
{
    arena_mark mark = arena_here(scratch);
    diff s;
    diff_init(&s, p, scratch, NULL, 1);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        ok = diff_run(&s, e[i]);
        if (!ok) break;
        list x = s.lists.at[list_of(&s, e[i])];
        d[i] = x.n ? s.d.at[x.first] : p->zero;
    }
    if (!ok && why) *why = s.why;
    expr_release(p, scratch, mark);
    return ok;
}
