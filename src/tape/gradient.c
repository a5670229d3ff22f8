/* Statement-level reverse, sparse forward (A. Griewank and A. Walther, Evaluating Derivatives, 2nd
 * ed., SIAM 2008, sections 7.3 and 10.2). Inside a tree every value has one use, so an adjoint is
 * complete when it arrives; nothing is accumulated but at the tree's leaves.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/gradient.h"

#include "tape/partials.h"

#include <string.h>

typedef struct pending {
    int value;
    tape_ref adjoint;
} pending;

typedef struct engine {
    const grad_job *job;
    const tape *f;
    tape_builder *b;
    replay r;
    uint8_t *active; // per value: depends on a leaf that has a gradient
    uint8_t *root;   // per value: has a gradient of its own, in `of`
    grad *of;
    ARRAY(pending) stack;
    ARRAY(int) leaves; // root values met in the tree at hand, and their adjoints
    tape_ref *adjoint;
    ARRAY(int) cols; // columns met, and their sums
    tape_ref *sum;
    const tape_function **derived; // per call of f: the function that gives its partials
    tape_ref *partial;             // of the last call differentiated
    int partial_of;
} engine;

static bool is_zero(const engine *e, tape_ref r)
{
    double x;
    return tape_is_const(e->b, r, &x) && x == 0;
}

static bool has_gradient(const engine *e, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE) return e->active[tape_index_of(r)];
    return tape_kind_of(r) != TAPE_CONST && e->job->leaf(e->job->user, r).n > 0;
}

/* ---- which values are active, which need a gradient of their own --------------------------------
 */

static bool is_select(uint32_t op)
{
    return tape_op_operands(op) == 4;
}

static bool find_active(const engine *e, int i)
{
    const tape_ins *in = &e->f->ins[i];
    switch (in->op) {
    case TAPE_FLOOR:
    case TAPE_CEIL:
    case TAPE_TRUNC:
    case TAPE_STORE: return false;
    case TAPE_RESULT: return e->active[i - 1 - (int)in->a];
    case TAPE_CALL: {
        const tape_call *c = &e->f->calls[in->a];
        for (int k = 0; k < c->fn->n_in; k++)
            if (has_gradient(e, e->f->args[c->args + k])) return true;
        return false;
    }
    default:
        if (is_select(in->op)) return has_gradient(e, in->c) || has_gradient(e, in->d);
        return has_gradient(e, in->a) || (tape_op_operands(in->op) > 1 && has_gradient(e, in->b));
    }
}

static void make_root(engine *e, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE) e->root[tape_index_of(r)] = 1;
}

/* A second use makes a root. Conditions carry no derivative and do not count. */
static void count_use(engine *e, uint8_t *used, tape_ref r)
{
    if (tape_kind_of(r) != TAPE_VALUE) return;
    if (used[tape_index_of(r)]) make_root(e, r);
    used[tape_index_of(r)] = 1;
}

static void find_roots(engine *e)
{
    const tape *f = e->f;
    uint8_t *used = arena_array(e->job->scratch, uint8_t, f->n_ins);
    for (int i = 0; i < f->n_ins; i++) {
        const tape_ins *in = &f->ins[i];
        e->active[i] = find_active(e, i);
        if (in->op == TAPE_STORE) {
            make_root(e, in->b);
        } else if (in->op == TAPE_CALL) {
            const tape_call *c = &f->calls[in->a];
            for (int k = 0; k < c->fn->n_in; k++) make_root(e, f->args[c->args + k]);
        } else if (in->op == TAPE_RESULT) {
            e->root[i] = 1;
        } else if (in->op == TAPE_MIN || in->op == TAPE_MAX) {
            e->root[i] = 1;
            make_root(e, in->a), make_root(e, in->b);
        } else if (is_select(in->op)) {
            e->root[i] = 1;
            make_root(e, in->c), make_root(e, in->d);
        } else {
            count_use(e, used, in->a);
            if (tape_op_operands(in->op) > 1) count_use(e, used, in->b);
        }
    }
}

/* ---- sums by column -----------------------------------------------------------------------------
 */

static void add_column(engine *e, int col, tape_ref x)
{
    if (is_zero(e, x)) return;
    if (e->sum[col] == TAPE_NONE) {
        array_push(e->job->scratch, &e->cols, col);
        e->sum[col] = x;
    } else {
        e->sum[col] = tape_op2(e->b, TAPE_ADD, e->sum[col], x);
    }
}

static void add_scaled(engine *e, tape_ref factor, grad g)
{
    for (int k = 0; k < g.n; k++)
        add_column(e, g.at[k].col, tape_op2(e->b, TAPE_MUL, factor, g.at[k].ref));
}

/* The sums as a gradient; they are cleared for the next one. */
static grad take_columns(engine *e)
{
    grad_entry *at = arena_array(e->job->scratch, grad_entry, e->cols.n);
    int n = 0;
    for (int k = 0; k < e->cols.n; k++) {
        int col = e->cols.at[k];
        if (!is_zero(e, e->sum[col])) at[n++] = (grad_entry){col, e->sum[col]};
        e->sum[col] = TAPE_NONE;
    }
    e->cols.n = 0;
    return (grad){n, at};
}

static grad gradient_of(const engine *e, tape_ref r)
{
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: return e->of[tape_index_of(r)];
    case TAPE_CONST: return (grad){0, NULL};
    default: return e->job->leaf(e->job->user, r);
    }
}

/* ---- a tree, in reverse -------------------------------------------------------------------------
 */

static void pass_on(engine *e, tape_ref operand, tape_ref adjoint)
{
    if (is_zero(e, adjoint)) return;
    if (tape_kind_of(operand) != TAPE_VALUE) {
        add_scaled(e, adjoint, gradient_of(e, operand));
        return;
    }
    int v = tape_index_of(operand);
    if (!e->root[v]) {
        array_push(e->job->scratch, &e->stack, ((pending){v, adjoint}));
    } else if (e->adjoint[v] == TAPE_NONE) {
        array_push(e->job->scratch, &e->leaves, v);
        e->adjoint[v] = adjoint;
    } else {
        e->adjoint[v] = tape_op2(e->b, TAPE_ADD, e->adjoint[v], adjoint);
    }
}

static grad sweep_tree(engine *e, int root)
{
    array_push(e->job->scratch, &e->stack, ((pending){root, tape_const(e->b, 1.0)}));
    while (e->stack.n) {
        pending at = e->stack.at[--e->stack.n];
        const tape_ins *in = &e->f->ins[at.value];
        partial_site s = {in->op, replay_ref(&e->r, in->a), 0, e->r.moved[at.value], at.adjoint};
        bool two = tape_op_operands(in->op) > 1;
        if (two) s.y = replay_ref(&e->r, in->b);
        if (has_gradient(e, in->a)) pass_on(e, in->a, partial_x(e->b, &s));
        if (two && has_gradient(e, in->b)) pass_on(e, in->b, partial_y(e->b, &s));
    }
    for (int k = 0; k < e->leaves.n; k++) {
        int v = e->leaves.at[k];
        add_scaled(e, e->adjoint[v], e->of[v]);
        e->adjoint[v] = TAPE_NONE;
    }
    e->leaves.n = 0;
    return take_columns(e);
}

/* ---- branches and calls, forward ----------------------------------------------------------------
 */

/* x op y ? yes : no, column by column: the branch not taken never enters a sum. */
static grad select_gradient(engine *e, tape_op op, tape_ref x, tape_ref y, grad yes, grad no)
{
    tape_ref zero = tape_const(e->b, 0.0);
    grad_entry *at = arena_array(e->job->scratch, grad_entry, yes.n + no.n);
    int n = 0;
    for (int k = 0; k < no.n; k++) e->sum[no.at[k].col] = no.at[k].ref;
    for (int k = 0; k < yes.n; k++) {
        int col = yes.at[k].col;
        tape_ref other = e->sum[col] == TAPE_NONE ? zero : e->sum[col];
        at[n++] = (grad_entry){col, tape_select(e->b, op, x, y, yes.at[k].ref, other)};
        e->sum[col] = TAPE_NONE;
    }
    for (int k = 0; k < no.n; k++) {
        int col = no.at[k].col;
        if (e->sum[col] == TAPE_NONE) continue;
        at[n++] = (grad_entry){col, tape_select(e->b, op, x, y, zero, no.at[k].ref)};
        e->sum[col] = TAPE_NONE;
    }
    return (grad){n, at};
}

static grad call_gradient(engine *e, int i)
{
    int result = (int)e->f->ins[i].a, at = i - 1 - result;
    uint32_t index = e->f->ins[at].a;
    const tape_call *c = &e->f->calls[index];
    int n_in = c->fn->n_in;
    if (!e->derived[index]) e->derived[index] = partial_function(c->fn, e->job->result);
    if (e->partial_of != at) {
        tape_ref *in = arena_array(e->job->scratch, tape_ref, n_in);
        for (int k = 0; k < n_in; k++) in[k] = replay_ref(&e->r, e->f->args[c->args + k]);
        e->partial = arena_array(e->job->scratch, tape_ref, e->derived[index]->n_out);
        tape_call_fn(e->b, e->derived[index], in, e->partial);
        e->partial_of = at;
    }
    for (int k = 0; k < n_in; k++)
        add_scaled(e, e->partial[result * n_in + k], gradient_of(e, e->f->args[c->args + k]));
    return take_columns(e);
}

static grad value_gradient(engine *e, int i)
{
    const tape_ins *in = &e->f->ins[i];
    if (in->op == TAPE_CALL) return (grad){0, NULL};
    if (in->op == TAPE_RESULT) return call_gradient(e, i);
    if (in->op != TAPE_MIN && in->op != TAPE_MAX && !is_select(in->op)) return sweep_tree(e, i);
    tape_ref x = replay_ref(&e->r, in->a), y = replay_ref(&e->r, in->b);
    grad yes = gradient_of(e, is_select(in->op) ? in->c : in->a);
    grad no = gradient_of(e, is_select(in->op) ? in->d : in->b);
    if (in->op == TAPE_MIN) return select_gradient(e, TAPE_SEL_LT, x, y, yes, no);
    if (in->op == TAPE_MAX) return select_gradient(e, TAPE_SEL_LT, y, x, yes, no);
    return select_gradient(e, in->op, x, y, yes, no);
}

void grad_run(const grad_job *job)
{
    const tape *f = job->f;
    arena *a = job->scratch;
    engine e = {.job = job, .f = f, .b = job->b, .partial_of = -1};
    replay_init(&e.r, job->b, f, a);
    e.r.leaf = job->replace;
    e.r.user = job->user;
    e.active = arena_array(a, uint8_t, f->n_ins);
    e.root = arena_array(a, uint8_t, f->n_ins);
    e.of = arena_array(a, grad, f->n_ins);
    e.adjoint = arena_array(a, tape_ref, f->n_ins);
    e.sum = arena_array(a, tape_ref, job->n_cols);
    e.derived = arena_array(a, const tape_function *, f->n_calls);
    if (f->n_ins) memset(e.adjoint, 0xff, (size_t)f->n_ins * sizeof *e.adjoint); // TAPE_NONE
    if (job->n_cols) memset(e.sum, 0xff, (size_t)job->n_cols * sizeof *e.sum);
    find_roots(&e);
    for (int i = 0; i < f->n_ins; i++) {
        const tape_ins *in = &f->ins[i];
        replay_ins(&e.r, i);
        if (in->op == TAPE_STORE)
            job->store(job->user, in->a, replay_ref(&e.r, in->b), gradient_of(&e, in->b));
        else if (e.root[i] && e.active[i]) e.of[i] = value_gradient(&e, i);
    }
}
