/* Statement-level reverse, sparse forward (A. Griewank and A. Walther, Evaluating Derivatives, 2nd
 * ed., SIAM 2008, sections 7.3 and 10.2). A statement is a value with a gradient of its own, its
 * root, and all the values that only this root needs. Going through it backwards, every adjoint is
 * complete when its turn comes.
 *
 * Choices (selects, min, max) are differentiated forward, column by column, so that a branch that is not taken
 * enters no sum. A choice among n values of n columns, made one after the other as a loop does that looks for the least,
 * would take n choices for each column. From some choices on that serve one result only, each value is asked instead
 * whether it is the one that was chosen, and its gradient is taken if so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive/gradient.h"

#include "derive/partials.h"

#include <string.h>

typedef struct engine {
    const grad_job *job;
    const tape *f;
    tape_builder *b;
    replay r;
    uint8_t *active; // per value: depends on a leaf that has a gradient
    uint8_t *root;   // per value: has a gradient of its own, in `of`
    int *next;       // per value: the next one of its statement, backwards; -1: none
    int *top;        // per choice: the one that it serves alone, of a tree that is swept; -1: none
    grad *of;
    tape_ref *adjoint; // per value of the statement at hand, and of the roots it uses
    int_array used;    // these roots
    ARRAY(int) cols;   // columns met, and their sums
    tape_ref *sum;
    const tape_function **derived; // per call of f: the function that gives its partials
    tape_ref *partial;             // of the last call differentiated
    int partial_of;
} engine;

static bool is_zero_ref(const engine *e, tape_ref r)
{
    double x;
    return tape_is_const(e->b, r, &x) && x == 0;
}

static bool has_gradient(const engine *e, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE) return e->active[tape_index_of(r)];
    return tape_kind_of(r) != TAPE_CONST && e->job->leaf(e->job->user, r).n > 0;
}

/* ---- which values are active, which need a gradient of their own ----------------------------- */

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
        for (int k = 0; k < c->fn->n_in - c->fn->n_deciding; k++)
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

enum {
    UNUSED = -1,
    SEVERAL = -2,
    // Choices of a tree that is looked at as a whole: with fewer, all of them take 2000 operations at most.
    TREE_LEAST = 64,
};

/* A use in the statement of `root`: a value used in two statements is a root itself. */
static void note_statement_use(engine *e, int *statement, tape_ref r, int root)
{
    if (tape_kind_of(r) != TAPE_VALUE) return;
    int v = tape_index_of(r);
    if (statement[v] == UNUSED) statement[v] = root;
    else if (statement[v] != root) e->root[v] = 1;
}

/* Conditions carry no derivative and do not count as uses; neither do those of inactive values. */
static void note_uses(engine *e, int *statement, int i)
{
    const tape *f = e->f;
    const tape_ins *in = &f->ins[i];
    if (in->op == TAPE_STORE) {
        make_root(e, in->b);
    } else if (in->op == TAPE_CALL) {
        const tape_call *c = &f->calls[in->a];
        for (int k = 0; k < c->fn->n_in - c->fn->n_deciding; k++)
            make_root(e, f->args[c->args + k]);
    } else if (in->op == TAPE_MIN || in->op == TAPE_MAX) {
        make_root(e, in->a), make_root(e, in->b);
    } else if (is_select(in->op)) {
        make_root(e, in->c), make_root(e, in->d);
    } else if (tape_op_operands(in->op) && e->active[i]) {
        note_statement_use(e, statement, in->a, statement[i]);
        if (tape_op_operands(in->op) > 1) note_statement_use(e, statement, in->b, statement[i]);
    }
}

static bool is_choice(uint32_t op)
{
    return op == TAPE_MIN || op == TAPE_MAX || is_select(op);
}

static bool stands_alone(uint32_t op)
{
    return op == TAPE_RESULT || is_choice(op);
}

/* What a choice is among. */
static void choice_operands(const tape_ins *in, tape_ref of[2])
{
    bool select = is_select(in->op);
    of[0] = select ? in->c : in->a;
    of[1] = select ? in->d : in->b;
}

static void note_user(const engine *e, int *user, tape_ref r, int i)
{
    if (tape_kind_of(r) != TAPE_VALUE || !is_choice(e->f->ins[tape_index_of(r)].op)) return;
    int *at = &user[tape_index_of(r)];
    *at = *at == UNUSED && i >= 0 && is_choice(e->f->ins[i].op) ? i : SEVERAL;
}

static void note_users(const engine *e, int *user, int i)
{
    const tape *f = e->f;
    const tape_ins *in = &f->ins[i];
    tape_ref of[2];
    if (in->op == TAPE_STORE) {
        note_user(e, user, in->b, UNUSED);
    } else if (in->op == TAPE_CALL) {
        const tape_call *c = &f->calls[in->a];
        for (int k = 0; k < c->fn->n_in; k++) note_user(e, user, f->args[c->args + k], UNUSED);
    } else if (is_choice(in->op)) {
        choice_operands(in, of);
        for (int k = 0; k < 2; k++) note_user(e, user, of[k], i);
    } else {
        if (tape_op_operands(in->op) > 0) note_user(e, user, in->a, UNUSED);
        if (tape_op_operands(in->op) > 1) note_user(e, user, in->b, UNUSED);
    }
}

/* Trees of choices, each used by one other alone; conditions are no uses. */
static void find_trees(engine *e)
{
    const tape *f = e->f;
    int *user = arena_array(e->job->scratch, int, f->n_ins);
    int *size = arena_array(e->job->scratch, int, f->n_ins);
    for (int i = 0; i < f->n_ins; i++) user[i] = UNUSED;
    for (int i = f->n_ins - 1; i >= 0; i--) {
        e->top[i] = -1;
        note_users(e, user, i);
        if (!e->active[i] || !is_choice(f->ins[i].op)) continue;
        e->top[i] = user[i] >= 0 ? e->top[user[i]] : i;
        size[e->top[i]]++;
    }
    for (int i = 0; i < f->n_ins; i++)
        if (e->top[i] >= 0 && size[e->top[i]] < TREE_LEAST) e->top[i] = -1;
}

/* Backwards, so that all uses of a value are known when it comes. */
static void find_statements(engine *e)
{
    const tape *f = e->f;
    int *statement = arena_array(e->job->scratch, int, f->n_ins); // per value: the root it is for
    int *last = arena_array(e->job->scratch, int, f->n_ins);      // per root: end of its chain
    for (int i = 0; i < f->n_ins; i++) {
        e->active[i] = find_active(e, i);
        statement[i] = UNUSED;
        e->next[i] = -1;
    }
    for (int i = f->n_ins - 1; i >= 0; i--) {
        if (statement[i] == UNUSED || stands_alone(f->ins[i].op)) e->root[i] = 1;
        if (e->root[i]) {
            statement[i] = last[i] = i;
        } else {
            int root = statement[i];
            e->next[last[root]] = i;
            last[root] = i;
        }
        note_uses(e, statement, i);
    }
}

/* ---- sums by column -------------------------------------------------------------------------- */

static void gradient_add_column(engine *e, int col, tape_ref x)
{
    if (is_zero_ref(e, x)) return;
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
        gradient_add_column(e, g.at[k].col, tape_op2(e->b, TAPE_MUL, factor, g.at[k].ref));
}

/* The sums as a gradient; they are cleared for the next one. */
static grad take_columns(engine *e)
{
    grad_entry *at = arena_array(e->job->scratch, grad_entry, e->cols.n);
    int n = 0;
    for (int k = 0; k < e->cols.n; k++) {
        int col = e->cols.at[k];
        if (!is_zero_ref(e, e->sum[col])) at[n++] = (grad_entry){col, e->sum[col]};
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

/* ---- a statement, in reverse ----------------------------------------------------------------- */

static void pass_adjoint(engine *e, tape_ref operand, tape_ref adjoint)
{
    if (is_zero_ref(e, adjoint)) return;
    if (tape_kind_of(operand) != TAPE_VALUE) {
        add_scaled(e, adjoint, gradient_of(e, operand));
        return;
    }
    int v = tape_index_of(operand);
    if (e->adjoint[v] == TAPE_NONE) {
        if (e->root[v]) array_push(e->job->scratch, &e->used, v);
        e->adjoint[v] = adjoint;
    } else {
        e->adjoint[v] = tape_op2(e->b, TAPE_ADD, e->adjoint[v], adjoint);
    }
}

static grad sweep_statement(engine *e, int root)
{
    e->adjoint[root] = tape_const(e->b, 1.0);
    for (int v = root; v >= 0; v = e->next[v]) {
        if (e->adjoint[v] == TAPE_NONE) continue;
        const tape_ins *in = &e->f->ins[v];
        partial_site s = {in->op, replay_ref(&e->r, in->a), 0, e->r.moved[v], e->adjoint[v]};
        bool two = tape_op_operands(in->op) > 1;
        e->adjoint[v] = TAPE_NONE;
        if (two) s.y = replay_ref(&e->r, in->b);
        if (has_gradient(e, in->a)) pass_adjoint(e, in->a, partial_x(e->b, &s));
        if (two && has_gradient(e, in->b)) pass_adjoint(e, in->b, partial_y(e->b, &s));
    }
    for (int k = 0; k < e->used.n; k++) {
        int v = e->used.at[k];
        add_scaled(e, e->adjoint[v], e->of[v]);
        e->adjoint[v] = TAPE_NONE;
    }
    e->used.n = 0;
    return take_columns(e);
}

/* ---- branches and calls, forward ------------------------------------------------------------- */

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
    int n_in = c->fn->n_in, n_by = n_in - c->fn->n_deciding;
    if (!e->derived[index]) {
        uint8_t *active = arena_array(e->job->scratch, uint8_t, n_in ? n_in : 1);
        for (int k = 0; k < n_by; k++) active[k] = has_gradient(e, e->f->args[c->args + k]);
        e->derived[index] = partial_function(c->fn, active, e->job->result);
    }
    if (e->partial_of != at) {
        tape_ref *in = arena_array(e->job->scratch, tape_ref, n_in);
        for (int k = 0; k < n_in; k++) in[k] = replay_ref(&e->r, e->f->args[c->args + k]);
        e->partial = arena_array(e->job->scratch, tape_ref, e->derived[index]->n_out);
        tape_call_fn(e->b, e->derived[index], in, e->partial);
        e->partial_of = at;
    }
    for (int k = 0; k < n_by; k++)
        add_scaled(e, e->partial[result * n_in + k], gradient_of(e, e->f->args[c->args + k]));
    return take_columns(e);
}

/* op(x, y) holds where the first of the operands is chosen. */
typedef struct condition {
    tape_op op;
    tape_ref x, y;
} condition;

static condition condition_of(engine *e, const tape_ins *in)
{
    tape_ref x = replay_ref(&e->r, in->a), y = replay_ref(&e->r, in->b);
    if (in->op == TAPE_MIN) return (condition){TAPE_SEL_LT, x, y};
    if (in->op == TAPE_MAX) return (condition){TAPE_SEL_LT, y, x};
    return (condition){in->op, x, y};
}

static grad choice_gradient(engine *e, int i)
{
    tape_ref of[2];
    condition c = condition_of(e, &e->f->ins[i]);
    choice_operands(&e->f->ins[i], of);
    return select_gradient(e, c.op, c.x, c.y, gradient_of(e, of[0]), gradient_of(e, of[1]));
}

static bool is_in_tree(const engine *e, tape_ref r, int top)
{
    return tape_kind_of(r) == TAPE_VALUE && e->top[tape_index_of(r)] == top;
}

/* Operations that the gradient of the tree takes forward: columns of each choice, no more than there are. */
static double forward_work(engine *e, const int_array *tree, int top, int distinct)
{
    arena *a = e->job->scratch;
    int *columns = arena_array(a, int, top + 1);
    double work = 0;
    for (int k = tree->n - 1; k >= 0; k--) { // operands first
        int i = tree->at[k], n = 0;
        tape_ref of[2];
        choice_operands(&e->f->ins[i], of);
        for (int j = 0; j < 2; j++)
            n +=
                is_in_tree(e, of[j], top) ? columns[tape_index_of(of[j])] : gradient_of(e, of[j]).n;
        columns[i] = n < distinct ? n : distinct;
        work += columns[i];
    }
    return work;
}

/* Columns of what the tree chooses among, and with *entries those of each of them. */
static int count_columns(engine *e, const int_array *tree, int top, int *entries)
{
    int distinct = 0;
    *entries = 0;
    e->cols.n = 0;
    for (int k = 0; k < tree->n; k++) {
        tape_ref of[2];
        choice_operands(&e->f->ins[tree->at[k]], of);
        for (int j = 0; j < 2; j++) {
            if (is_in_tree(e, of[j], top)) continue;
            grad g = gradient_of(e, of[j]);
            *entries += g.n;
            for (int q = 0; q < g.n; q++) {
                if (e->sum[g.at[q].col] != TAPE_NONE) continue;
                e->sum[g.at[q].col] = g.at[q].ref;
                array_push(e->job->scratch, &e->cols, g.at[q].col);
            }
        }
    }
    distinct = e->cols.n;
    for (int k = 0; k < distinct; k++) e->sum[e->cols.at[k]] = TAPE_NONE;
    e->cols.n = 0;
    return distinct;
}

/* The adjoint of a choice is 1 if it is taken, else 0; its operands have it or 0. */
static grad sweep_tree(engine *e, const int_array *tree, int top)
{
    tape_ref zero = tape_const(e->b, 0.0), one = tape_const(e->b, 1.0);
    e->adjoint[top] = one;
    for (int k = 0; k < tree->n; k++) {
        int i = tree->at[k];
        tape_ref of[2], taken = e->adjoint[i];
        condition c = condition_of(e, &e->f->ins[i]);
        choice_operands(&e->f->ins[i], of);
        e->adjoint[i] = TAPE_NONE;
        for (int j = 0; j < 2; j++) {
            if (!has_gradient(e, of[j])) continue;
            tape_ref here = tape_select(e->b, c.op, c.x, c.y, j ? zero : taken, j ? taken : zero);
            grad g = gradient_of(e, of[j]);
            if (is_in_tree(e, of[j], top)) e->adjoint[tape_index_of(of[j])] = here;
            else
                for (int q = 0; q < g.n; q++)
                    gradient_add_column(e, g.at[q].col,
                                        g.at[q].ref == one ? here
                                                           : tape_select(e->b, TAPE_SEL_EQ, here,
                                                                         zero, zero, g.at[q].ref));
        }
    }
    return take_columns(e);
}

/* Of the choice at the top of a tree, by whichever way takes less. */
static grad tree_gradient(engine *e, int top)
{
    int_array tree = {0}; // each before its operands
    array_push(e->job->scratch, &tree, top);
    for (int k = 0; k < tree.n; k++) {
        tape_ref of[2];
        choice_operands(&e->f->ins[tree.at[k]], of);
        for (int j = 0; j < 2; j++)
            if (is_in_tree(e, of[j], top)) array_push(e->job->scratch, &tree, tape_index_of(of[j]));
    }
    int entries, distinct = count_columns(e, &tree, top, &entries);
    if (forward_work(e, &tree, top, distinct) > 2.0 * (tree.n + entries))
        return sweep_tree(e, &tree, top);
    for (int k = tree.n - 1; k >= 0; k--) e->of[tree.at[k]] = choice_gradient(e, tree.at[k]);
    return e->of[top];
}

static grad value_gradient(engine *e, int i)
{
    const tape_ins *in = &e->f->ins[i];
    if (in->op == TAPE_CALL) return (grad){0, NULL};
    if (in->op == TAPE_RESULT) return call_gradient(e, i);
    if (!is_choice(in->op)) return sweep_statement(e, i);
    if (e->top[i] < 0) return choice_gradient(e, i);
    return e->top[i] == i ? tree_gradient(e, i) : (grad){0, NULL}; // with its top
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
    e.next = arena_array(a, int, f->n_ins);
    e.top = arena_array(a, int, f->n_ins);
    e.of = arena_array(a, grad, f->n_ins);
    e.adjoint = arena_array(a, tape_ref, f->n_ins);
    e.sum = arena_array(a, tape_ref, job->n_cols);
    e.derived = arena_array(a, const tape_function *, f->n_calls);
    if (f->n_ins) memset(e.adjoint, 0xff, (size_t)f->n_ins * sizeof *e.adjoint); // TAPE_NONE
    if (job->n_cols) memset(e.sum, 0xff, (size_t)job->n_cols * sizeof *e.sum);
    find_statements(&e);
    find_trees(&e);
    for (int i = 0; i < f->n_ins; i++) {
        const tape_ins *in = &f->ins[i];
        replay_ins(&e.r, i);
        if (in->op == TAPE_STORE)
            job->store(job->user, in->a, replay_ref(&e.r, in->b), gradient_of(&e, in->b));
        else if (e.root[i] && e.active[i]) e.of[i] = value_gradient(&e, i);
    }
}
