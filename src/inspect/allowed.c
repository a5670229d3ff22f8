/* Values of expressions, and how far off the tolerance lets them be.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/allowed.h"
#include "tape/tape.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CALLS_INSIDE = 200, SLACK = 10 };
static const double ROUNDING = 8 * DBL_EPSILON; // of a value, and of each operation
enum { EXACT, ROUNDED, TOLERATED, SLOPE, HIDDEN, MISSING };

/* ---- calls and derivatives written out ------------------------------------------------------- */

static expr written_out(const flat_model *m, expr e, arena *scratch)
{
    expr_pool *p = m->pool;
    const char *why;
    expr_node n = *expr_at(p, e);
    const expr_context *c = &p->context;
    if (n.op == EXPR_DER) {
        expr d, of = n.u.arg[0];
        return expr_total_diff(p, &of, 1, scratch, &d, &why) ? d : e;
    }
    if (!c->inline_call) return e;
    expr *args = arena_array(scratch, expr, n.u.call.n + 1);
    memcpy(args, expr_args(p, e), (size_t)n.u.call.n * sizeof *args);
    expr body = c->inline_call(c->user, n.u.call.function, n.u.call.output, args, n.u.call.n);
    return body ? body : e;
}

/* Bodies hold calls in their turn: again until nothing changes, or a function calls itself too deeply. */
static void write_out(const flat_model *m, expr *roots, int n, arena *scratch)
{
    expr_pool *p = m->pool;
    for (int round = 0; round < CALLS_INSIDE; round++) {
        arena_mark mark = arena_here(scratch);
        int_array reach = expr_reach(p, roots, n, scratch);
        expr_subst s;
        bool any = false;
        expr_subst_init(&s, p, scratch);
        for (int i = 0; i < reach.n; i++) {
            int op = expr_at(p, reach.at[i])->op;
            if (op != EXPR_CALL && op != EXPR_DER) continue;
            expr other = written_out(m, reach.at[i], scratch);
            if (other == reach.at[i]) continue;
            expr_subst_set(&s, reach.at[i], other);
            any = true;
        }
        for (int i = 0; i < n && any; i++) roots[i] = expr_subst_apply(&s, roots[i]);
        arena_release(scratch, mark);
        if (!any) return;
    }
}

/* ---- the program ----------------------------------------------------------------------------- */

static int column_of(const allowed *x, int var, int order)
{
    arena_mark mark = arena_here(x->a);
    int column = result_find(x->r, names_in(&x->m->vars.names, var, order, x->a));
    arena_release(x->a, mark);
    return column > 0 && x->r->columns[column].output ? -1 : column; // its end alone is known
}

static double nominal_of(const flat_var *v, const flat_model *m)
{
    double nominal;
    return v->attr && v->attr->nominal && expr_number(m->pool, v->attr->nominal, &nominal) &&
                   nominal != 0
               ? fabs(nominal)
               : 1;
}

static void add_var(const allowed *x, allowed_node *q, const expr_node *n)
{
    q->kind = MISSING;
    if (n->u.var.index >= x->m->vars.n || !x->r->n_rows) return;
    const flat_var *v = flat_at(x->m, n->u.var.index);
    if (v->flags & FLAT_HIDDEN) { // whether a when-clause fires
        q->kind = HIDDEN;
        return;
    }
    q->column = column_of(x, n->u.var.index, n->u.var.order);
    if (q->column < 0) return;
    q->number = nominal_of(v, x->m);
    // A slope off by so much moves the variable by its own tolerance over the whole run.
    double length = result_time(x->r, x->r->n_rows - 1) - result_time(x->r, 0);
    if (n->u.var.order) q->number /= pow(fmax(length, DBL_MIN), n->u.var.order);
    q->kind = v->type != TYPE_REAL                ? EXACT
              : n->u.var.order > 0                ? SLOPE
              : v->variability == FLAT_CONTINUOUS ? TOLERATED
                                                  : ROUNDED;
}

static void add_node(allowed *x, expr e)
{
    const expr_pool *p = x->m->pool;
    const expr_node *n = expr_at(p, e);
    allowed_node q = {
        .op = n->op, .type = n->type, .first = x->args.n, .n = expr_arity(p, e), .var = e};
    for (int i = 0; i < q.n; i++)
        array_push(x->a, &x->args, allowed_node_of(x, expr_args(p, e)[i]));
    if (expr_is_literal(p, e) && n->type != TYPE_STRING) expr_number(p, e, &q.number);
    if (n->op == EXPR_VAR) add_var(x, &q, n);
    if (n->op == EXPR_DELAY) q.delay = x->n_delays++;
    if (n->op == EXPR_CALL) {
        q.function = flat_routine(x->m, n->u.call.function);
        q.output = n->u.call.output;
        if (q.function && (q.function->n_in != q.n || q.output >= q.function->n_out))
            q.function = NULL;
        if (q.function && q.function->n_out > x->n_results) x->n_results = q.function->n_out;
    }
    *map_put(&x->of, (uint64_t)e) = (uint64_t)x->nodes.n + 1;
    array_push(x->a, &x->nodes, q);
}

int allowed_node_of(const allowed *x, expr e)
{
    const uint64_t *at = map_find(&x->of, (uint64_t)e);
    return at ? (int)*at - 1 : -1;
}

void allowed_begin(allowed *x, const flat_model *m, const result *r, double rel_tol, double abs_tol,
                   expr *roots, int n, arena *a)
{
    *x = (allowed){.jumping = -1, .m = m, .r = r, .a = a, .rel_tol = rel_tol, .abs_tol = abs_tol};
    map_init(&x->of, a);
    write_out(m, roots, n, a);
    int_array reach = expr_reach(m->pool, roots, n, a);
    for (int i = 0; i < reach.n; i++) add_node(x, reach.at[i]);
    x->value = arena_array(a, double, x->nodes.n + 1);
    x->off = arena_array(a, double, x->nodes.n + 1);
    x->unknown = arena_array(a, bool, x->nodes.n + 1);
    x->choice = arena_array(a, uint8_t, x->nodes.n + 1);
    x->results = arena_array(a, double, x->n_results + 1);
    x->series = arena_array(a, double, 2 * (size_t)x->n_delays * r->n_rows + 1);
}

int_array allowed_needs(const allowed *x, int root, int other, arena *a)
{
    int_array list = {0};
    int last = root > other ? root : other;
    bool *needed = arena_array(a, bool, last + 1);
    memset(needed, 0, (size_t)last + 1);
    needed[root] = needed[other] = true;
    for (int k = last; k >= 0; k--)
        for (int i = 0; needed[k] && i < x->nodes.at[k].n; i++)
            needed[x->args.at[x->nodes.at[k].first + i]] = true;
    for (int k = 0; k <= last; k++)
        if (needed[k]) array_push(a, &list, k);
    return list;
}

static const char *not_recorded(const allowed *x, expr var)
{
    text t;
    text_init(&t, x->a->m);
    expr_print(x->m->pool, var, EXPR_MODELICA, 100, &t);
    text_add(&t, " is not recorded");
    const char *words = arena_strndup(x->a, text_str(&t), t.n);
    text_done(&t);
    return words;
}

const char *allowed_missing(const allowed *x, const int *list, int n)
{
    for (int i = 0; i < n; i++) {
        const allowed_node *q = &x->nodes.at[list[i]];
        if (q->type == TYPE_STRING) return "a String";
        if (q->op == EXPR_VAR && q->kind == MISSING) return not_recorded(x, q->var);
        if (q->op == EXPR_CALL && !q->function) return "a function that cannot be executed here";
        if (q->op == EXPR_DER) return "a derivative that cannot be written out";
    }
    return NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool same_time(const result *r, size_t a, size_t b)
{
    return result_time(r, a) == result_time(r, b);
}

bool allowed_is_hidden(const allowed *x, int node)
{
    return x->nodes.at[node].op == EXPR_VAR && x->nodes.at[node].kind == HIDDEN;
}

/* Two rows at this time, this one before the event. */
static bool first_of_event(const result *r, size_t row)
{
    return row + 1 < r->n_rows && same_time(r, row, row + 1);
}

static bool at_event(const result *r, size_t row)
{
    return first_of_event(r, row) || (row && same_time(r, row - 1, row));
}

/* The row at time t, the last of several or (before) the first; -1: there is none. */
static long row_at(const result *r, double t, size_t most, bool before)
{
    double near = ROUNDING * fmax(fabs(t), fabs(result_time(r, most)));
    size_t low = 0, high = most;
    if (t <= result_time(r, 0)) return 0;
    while (low < high) { // the first row not earlier than t
        size_t middle = (low + high) / 2;
        if (result_time(r, middle) < t - near) low = middle + 1;
        else high = middle;
    }
    if (fabs(result_time(r, low) - t) > near) return -1;
    while (!before && low < most && same_time(r, low, low + 1)) low++;
    return (long)low;
}

/* ---- one node -------------------------------------------------------------------------------- */

static int node_arg(const allowed *x, const allowed_node *q, int i)
{
    return x->args.at[q->first + i];
}

static bool apply_node(const allowed *x, const allowed_node *q, const double *in, double *out)
{
    if (q->op != EXPR_CALL) return operator_apply((expr_op)q->op, in, q->n, out);
    if (!q->function) return false;
    q->function->value(q->function->user, NULL, in, x->results);
    *out = x->results[q->output];
    return true;
}

/* How far f moves when its arguments do, one by one; where it has no value there, to the other side. */
static double moves(const allowed *x, const allowed_node *q, double *in, double f)
{
    double sum = 0;
    for (int i = 0; i < q->n; i++) {
        double at = in[i], off = x->off[node_arg(x, q, i)], most = 0, f1;
        for (int side = -1; side <= 1 && off > 0; side += 2) {
            in[i] = at + side * off;
            if (apply_node(x, q, in, &f1) && isfinite(f1)) most = fmax(most, fabs(f1 - f));
        }
        in[i] = at;
        sum += most;
    }
    return sum;
}

static double off_of(const allowed *x, const allowed_node *q, double *in, double f)
{
    double a = q->n > 0 ? x->off[node_arg(x, q, 0)] : 0;
    double b = q->n > 1 ? x->off[node_arg(x, q, 1)] : 0;
    switch (q->op) {
    case EXPR_ADD:
    case EXPR_SUB: return a + b;
    case EXPR_MUL: return fabs(in[0]) * b + fabs(in[1]) * a + a * b;
    case EXPR_DIV: return fabs(in[1]) > b ? (a + fabs(f) * b) / (fabs(in[1]) - b) : INFINITY;
    case EXPR_NEG:
    case EXPR_NOEVENT:
    case EXPR_HOMOTOPY:
    case EXPR_MOD:
    case EXPR_REM:
    case EXPR_ABS: return a;
    case EXPR_SMOOTH: return b;
    default: return moves(x, q, in, f);
    }
}

static bool is_relation(const allowed_node *q)
{
    return operator_class((expr_op)q->op) == CLASS_REL;
}

static bool is_jump(const allowed_node *q)
{
    return operator_class((expr_op)q->op) == CLASS_EVENT;
}

/* A value of a function that jumps on the other side of a jump that is nearer than arguments are
 * known. */
static double beyond_jump(const allowed *x, const allowed_node *q, int side)
{
    double in[3] = {0}, f = NAN;
    for (int i = 0; i < q->n; i++) in[i] = x->value[node_arg(x, q, i)];
    in[0] += side * SLACK * x->off[node_arg(x, q, 0)];
    apply_node(x, q, in, &f);
    return f;
}

int allowed_alternatives(const allowed *x, int node)
{
    const allowed_node *q = &x->nodes.at[node];
    if (x->unknown[node]) return 1;
    if (is_relation(q)) {
        int a = node_arg(x, q, 0), b = node_arg(x, q, 1);
        double off = x->off[a] + x->off[b];
        return off > 0 && fabs(x->value[a] - x->value[b]) <= SLACK * off ? 2 : 1;
    }
    if (is_jump(q) && x->off[node_arg(x, q, 0)] > 0) return 3;
    if (q->op == EXPR_INITIAL) return x->row == 0 ? 2 : 1;
    if (q->op == EXPR_TERMINAL) return x->row + 1 == x->r->n_rows ? 2 : 1;
    if (q->op == EXPR_SAMPLE) return x->row == 0 || at_event(x->r, x->row) ? 2 : 1;
    if (q->op == EXPR_PRE) return x->jumping >= 0 && node_arg(x, q, 0) != x->jumping ? 2 : 1;
    if (q->op == EXPR_VAR) return x->jumping >= 0 && q->kind == HIDDEN ? 2 : 1;
    return q->op == EXPR_DELAY ? 2 : 1;
}

static void variable(allowed *x, int k, const allowed_node *q)
{
    if (q->kind == HIDDEN) {
        x->value[k] = x->choice[k];
        return;
    }
    double z = q->kind == MISSING ? NAN : result_value(x->r, q->column, x->row);
    x->value[k] = z;
    x->unknown[k] = q->kind == MISSING;
    x->off[k] = q->kind == EXACT ? 0 : ROUNDING * fabs(z);
    if (q->kind == TOLERATED) x->off[k] += x->rel_tol * fabs(z) + x->abs_tol * q->number;
    if (q->kind == SLOPE) x->off[k] += x->rel_tol * fabs(z) + x->abs_tol * q->number;
}

/* Known where there is a row at that time. */
static void delayed(allowed *x, int k, const allowed_node *q)
{
    double *series = x->series + 2 * (size_t)q->delay * x->r->n_rows;
    int of = node_arg(x, q, 0), by = node_arg(x, q, 1);
    series[2 * x->row] = x->unknown[of] ? NAN : x->value[of];
    series[2 * x->row + 1] = x->off[of];
    bool before = x->choice[k] ? !first_of_event(x->r, x->row) : first_of_event(x->r, x->row);
    long at = row_at(x->r, result_time(x->r, x->row) - x->value[by], x->row, before);
    x->unknown[k] = x->unknown[by] || at < 0 || isnan(series[2 * at]);
    x->value[k] = at < 0 ? NAN : series[2 * at];
    x->off[k] = at < 0 ? 0 : series[2 * at + 1];
}

static void choose_branch(allowed *x, int k, const allowed_node *q)
{
    int c = node_arg(x, q, 0), taken = node_arg(x, q, x->value[c] != 0 ? 1 : 2);
    x->unknown[k] = x->unknown[c] || x->unknown[taken];
    x->value[k] = x->value[taken];
    x->off[k] = x->off[taken];
}

/* At a recorded point nothing is about to happen: pre(v) is v, except where a jump is looked at. */
static bool hybrid(allowed *x, int k, const allowed_node *q)
{
    int a = q->n ? node_arg(x, q, 0) : 0;
    switch (q->op) {
    case EXPR_PRE:
        x->value[k] = x->value[a], x->off[k] = x->off[a], x->unknown[k] = x->unknown[a];
        if (x->jumping >= 0 && !x->choice[k] && x->nodes.at[a].op == EXPR_VAR && !x->unknown[a])
            x->value[k] = result_value(x->r, x->nodes.at[a].column, x->row - 1);
        return true;
    case EXPR_EDGE:
    case EXPR_CHANGE: x->value[k] = 0, x->unknown[k] = x->unknown[a]; return true;
    case EXPR_INITIAL: x->value[k] = (x->row == 0) != (x->choice[k] != 0); return true;
    case EXPR_TERMINAL:
    case EXPR_SAMPLE: x->value[k] = x->choice[k]; return true;
    case EXPR_DELAY: delayed(x, k, q); return true;
    case EXPR_TRANSPORT: x->unknown[k] = true; return true; // no row tells what is on its way
    default: return false;
    }
}

/* Nothing times 0 is 0: a capacitor of 0 F has no rate worth recording. */
static bool times_nothing(const allowed *x, const allowed_node *q)
{
    for (int i = 0; i < 2 && q->op == EXPR_MUL; i++) {
        int a = node_arg(x, q, i);
        if (!x->unknown[a] && x->value[a] == 0 && x->off[a] == 0) return true;
    }
    return false;
}

static void ordinary(allowed *x, int k, const allowed_node *q)
{
    if (times_nothing(x, q)) {
        x->value[k] = 0;
        return;
    }
    double few[8], *in = few, f = NAN;
    arena_mark mark = arena_here(x->a);
    if (q->n > 8) in = arena_array(x->a, double, q->n);
    for (int i = 0; i < q->n; i++) {
        int a = node_arg(x, q, i);
        in[i] = x->value[a];
        x->unknown[k] = x->unknown[k] || x->unknown[a];
    }
    if (!apply_node(x, q, in, &f)) x->unknown[k] = true;
    x->value[k] = f;
    if (is_relation(q) && x->choice[k]) x->value[k] = f == 0;
    if (is_jump(q) && x->choice[k]) x->value[k] = beyond_jump(x, q, x->choice[k] == 1 ? -1 : 1);
    if (q->type == TYPE_REAL && (!is_jump(q) || q->op == EXPR_MOD || q->op == EXPR_REM))
        x->off[k] = off_of(x, q, in, f) + ROUNDING * fabs(f);
    arena_release(x->a, mark);
}

static void evaluate_node(allowed *x, int k)
{
    const allowed_node *q = &x->nodes.at[k];
    x->off[k] = 0;
    x->unknown[k] = q->type == TYPE_STRING;
    switch (q->op) {
    case EXPR_REAL: x->off[k] = ROUNDING * fabs(q->number); // fall through
    case EXPR_INTEGER:
    case EXPR_BOOLEAN:
    case EXPR_ENUM: x->value[k] = q->number; return;
    case EXPR_STRING: return;
    case EXPR_VAR: variable(x, k, q); return;
    case EXPR_TIME:
        x->value[k] = result_time(x->r, x->row);
        x->off[k] = ROUNDING * fabs(x->value[k]);
        return;
    case EXPR_IF: choose_branch(x, k, q); return;
    default: break;
    }
    if (!hybrid(x, k, q)) ordinary(x, k, q);
}

void allowed_at(allowed *x, size_t row)
{
    x->row = row;
    memset(x->choice, 0, (size_t)x->nodes.n);
    for (int k = 0; k < x->nodes.n; k++) evaluate_node(x, k);
}

void allowed_again(allowed *x, const int *list, int n)
{
    for (int i = 0; i < n; i++) evaluate_node(x, list[i]);
}
