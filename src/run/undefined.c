/* Which operation has no value: sqrt of a negative number, a division by zero, an overflow.
 *
 * An evaluation says only that a result is no number. Here the programs are run once more, one result at a
 * time, with the values of all operations kept (tape/trace.h), and a result that is not finite is followed
 * down to an operation whose operands are finite. It happens once, when a run has stopped, so nothing of it
 * is paid for before.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/undefined.h"

#include "run/run_parts.h"
#include "tape/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_LOOKED_AT = 50, // of one program: all that depend on a fault have no value
    COST_OF_RATES = 1000 // in operations
};

typedef struct finder {
    const run_state *s;
    tape_trace x;
    bool unknowns; // what comes from unknowns that are no numbers counts, too
    run_undefined *u;
    const int *kept; // by output: a parameter, which may have been given another value; NULL: none
    text words;      // being put together
    arena_mark here; // what is above is given back in the end
} finder;

/* ---- names ----------------------------------------------------------------------------------- */

/* The variable that is this operand, or output of what is computed; false: none is. */
static bool add_variable(const code_model *m, tape_ref r, text *out)
{
    for (int k = 0; k < m->outputs.n_columns; k++) {
        code_column c = code_column_in(&m->outputs, k);
        if (code_output_of(c) < 0 || code_output_from(&m->outputs, c.at) != r) continue;
        names_write(&m->names, c.var, c.times, out);
        return true;
    }
    return false;
}

/* An element of w: a relation, a variable, what it was before, or something else that has words. */
static bool add_work(const code_model *m, int at, text *out)
{
    const image_events *x = &m->events.list;
    for (int k = 0; k < x->n_relations && k < m->words.n_relations; k++)
        if (x->relations[k].place == at) return text_add(out, m->words.relations[k].text), true;
    if (add_variable(m, tape_w(at), out)) return true;
    for (int k = 0; k < m->words.n_elements; k++)
        if (m->words.elements[k].place == at) return text_add(out, m->words.elements[k].text), true;
    int v = image_variable_of_work(&m->variables, at - 1);
    bool input = false;
    for (int k = 0; k < m->inputs.n; k++) input = input || m->inputs.list[k].place == at - 1;
    if (v >= 0) text_printf(out, input ? "der(%s)" : "pre(%s)", NAME_AT(&m->names, v));
    return v >= 0;
}

/* A parameter, unknown or element of w by its name; false: it has none. */
static bool add_name(const run_state *s, tape_ref leaf, text *out)
{
    int k = tape_index_of(leaf), v = -1;
    const char *name = NULL;
    switch (tape_kind_of(leaf)) {
    case TAPE_T: name = "time"; break;
    case TAPE_P: v = image_variable_of_parameter(&s->model->variables, k); break;
    case TAPE_W: return add_work(s->model, k, out);
    case TAPE_Y:
    case TAPE_YP: name = s->problem.unknown_name((void *)(uintptr_t)s, k); break;
    default: break;
    }
    if (v >= 0) names_write(&s->model->names, v, 0, out);
    else if (name) text_printf(out, tape_kind_of(leaf) == TAPE_YP ? "der(%s)" : "%s", name);
    return v >= 0 || name;
}

static void add_leaf(void *user, tape_ref leaf, text *out) // by its value where it has no name
{
    const finder *f = user;
    if (!add_name(f->s, leaf, out)) text_real(out, tape_trace_value(&f->x, leaf));
}

static void keep_words(undefined_words kept, text *words) // which are given back
{
    snprintf(kept, UNDEFINED_LETTERS, "%s", text_str(words));
    text_done(words);
}

static void keep_operation(finder *f, undefined_words kept, tape_ref r)
{
    tape_trace_print(&f->x, r, &f->words);
    keep_words(kept, &f->words);
}

static void name_leaves(finder *f, tape_ref r)
{
    tape_ref leaf[4 * UNDEFINED_NAMED];
    run_undefined *u = f->u;
    int n = tape_trace_leaves(&f->x, r, leaf, 4 * UNDEFINED_NAMED);
    for (int k = 0; k < n && u->n_named < UNDEFINED_NAMED; k++) {
        bool known = tape_kind_of(leaf[k]) == TAPE_T || !add_name(f->s, leaf[k], &f->words);
        for (int i = 0; i < u->n_named; i++)
            known = known || strcmp(u->named[i], text_str(&f->words)) == 0;
        keep_words(u->named[u->n_named], &f->words);
        if (!known) u->values[u->n_named++] = tape_trace_value(&f->x, leaf[k]) + 0.0; // no -0
    }
}

/* The equation that a row is, the unknown that it gives, and the variables in it. */
static void keep_equation(finder *f, tape_ref row, int component)
{
    bool rate = f->s->model->system.differential[component];
    if (row == TAPE_NONE) return;
    tape_trace_equation(&f->x, row, &f->words);
    keep_words(f->u->equation, &f->words);
    add_name(f->s, rate ? tape_yp(component) : tape_y(component), &f->words);
    keep_words(f->u->unknown, &f->words);
    name_leaves(f, row);
}

/* ---- one result ------------------------------------------------------------------------------ */

static tape_ref same_leaf(void *user, tape_ref leaf)
{
    (void)user;
    return leaf;
}

/* Output k of the program by itself; TAPE_NONE: it cannot be had, or is not stored. */
static tape_ref trace_output(finder *f, const tape_program *p, tape_picker *picker, int k)
{
    const tape *t = p->steps[0].kernel;
    tape_ref value;
    if (picker) {
        tape_builder *b = tape_builder_new(f->x.a);
        tape_pick(picker, &k, 1, b, same_leaf, NULL, &value);
        if (value == TAPE_NONE) return TAPE_NONE;
        tape_store(b, tape_out(0), value);
        t = tape_finish(b, f->x.a);
        k = 0;
    } else if (p->n_steps > 1 || p->steps[0].kind != TAPE_STEP_KERNEL) return TAPE_NONE;
    tape_trace_run(&f->x, t);
    return tape_trace_stored(&f->x, tape_out(k));
}

/* The row of the residual by which a component of y is found, or the first one in which it stands where its own has
 * become an assignment; -1: none. */
static int row_of(const run_state *s, int component, bool *alone)
{
    const word_table *x = &s->model->words;
    const vinc_pattern *jac = &s->model->system.jac;
    int low = 0, high = x->n_solved - 1, first = jac->start[component];
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->solved[mid].first <= component) low = mid;
        else high = mid - 1;
    }
    *alone = high >= 0 && x->solved[low].row >= 0 && x->solved[low].alone;
    if (high >= 0 && x->solved[low].row >= 0)
        return x->solved[low].row + component - x->solved[low].first;
    return first < jac->start[component + 1] ? jac->row[first] : -1;
}

static tape_ref trace_row(finder *f, int row)
{
    const tape_program *p = f->s->model->system.residual.program;
    if (row < 0 || !p) return TAPE_NONE;
    return trace_output(f, p, tape_picker_new(p, f->x.a), row);
}

/* ---- the operation --------------------------------------------------------------------------- */

static uint8_t operator_of(uint32_t op)
{
    static const uint8_t of[TAPE_N_OPS + 3] = {
        [TAPE_DIV] = EXPR_DIV,   [TAPE_POW] = EXPR_POW,     [TAPE_SQRT] = EXPR_SQRT,
        [TAPE_LOG] = EXPR_LOG,   [TAPE_LOG10] = EXPR_LOG10, [TAPE_ASIN] = EXPR_ASIN,
        [TAPE_ACOS] = EXPR_ACOS, [TAPE_EXP] = EXPR_EXP,     [TAPE_SINH] = EXPR_SINH,
        [TAPE_COSH] = EXPR_COSH, [TAPE_RESULT] = EXPR_CALL};
    return of[op] ? of[op] : EXPR_ADD;
}

/* Where no variable is in a call, its arguments tell what it was asked. */
static void name_arguments(finder *f, const tape_call *c, int n)
{
    run_undefined *u = f->u;
    for (int k = 0; k < n && u->n_named < UNDEFINED_NAMED; k++) {
        tape_ref arg = f->x.t->args[c->args + k];
        if (tape_kind_of(arg) == TAPE_CONST || tape_kind_of(arg) == TAPE_T) continue;
        keep_operation(f, u->named[u->n_named], arg);
        u->values[u->n_named++] = tape_trace_value(&f->x, arg);
    }
}

/* The call is made once more, to be told what is to blame. */
static void ask_function(finder *f, const tape_call *c, const tape_function *fn, int output)
{
    run_undefined *u = f->u;
    double *in = arena_array(f->x.a, double, fn->n_in),
           *out = arena_array(f->x.a, double, fn->n_out);
    for (int k = 0; k < fn->n_in; k++) in[k] = tape_trace_value(&f->x, f->x.t->args[c->args + k]);
    if (!u->n_named) name_arguments(f, c, fn->n_in);
    u->function = fn->name;
    if (fn->kind == TAPE_FN_ANNOTATED) fn = ((const routine_annotation *)fn->user)->itself;
    if (fn->kind == TAPE_FN_EXTERNAL) {
        fn->value(fn->user, f->s->routines, in, out);
        bool constructs = fn->value == external_constructor;
        u->why = external_why(f->s->routines, constructs ? (int)in[fn->n_in - 1] - 1 : -1);
    } else if (routine_program_of(fn)) {
        routine_traced(fn, in, out, output, &u->cause);
        u->op = u->cause.op;
        for (int k = 0; k < 3; k++) u->x[k] = u->cause.x[k];
        if (u->cause.function) u->function = u->cause.function;
    }
}

static void describe_operation(finder *f, tape_ref root, tape_ref r)
{
    run_undefined *u = f->u;
    const tape_ins *in = &f->x.t->ins[tape_index_of(r)];
    tape_ref shown = r, divisor = in->op == TAPE_DIV ? in->b : TAPE_NONE;
    const tape_function *called;
    int output;
    u->op = operator_of(in->op);
    for (int k = 0; in->op < TAPE_N_OPS && k < 3 && k < tape_op_operands((tape_op)in->op); k++)
        u->x[k] = tape_trace_value(&f->x, (&in->a)[k]) + 0.0; // no -0
    u->value = tape_trace_value(&f->x, r);
    if (divisor != TAPE_NONE && u->x[0] == 1) shown = tape_trace_quotient(&f->x, root, r);
    if (shown != r) {
        const tape_ins *product = &f->x.t->ins[tape_index_of(shown)];
        u->x[0] = tape_trace_value(&f->x, product->a == r ? product->b : product->a);
        u->value = u->x[0] / u->x[1];
    }
    keep_operation(f, u->operation, shown);
    name_leaves(f, shown);
    const tape_call *c = tape_trace_call(&f->x, r, &output, &called);
    if (c) ask_function(f, c, called, output);
    /* An unknown that vanishes because a function had no other answer for its arguments, a density far outside of its
     * tables: those are what is wrong. */
    bool vanishes = divisor != TAPE_NONE && tape_kind_of(divisor) == TAPE_Y && u->x[1] == 0, alone;
    int row = vanishes ? row_of(f->s, tape_index_of(divisor), &alone) : -1;
    if (row >= 0 && (r = trace_row(f, row)) != TAPE_NONE) name_leaves(f, r);
}

/* root has no value: true when the operation has been found. */
static bool examine(finder *f, tape_ref root, span at)
{
    tape_ref leaf, r = tape_trace_blamed(&f->x, root, &leaf);
    if (r == TAPE_NONE && !f->unknowns) return false;
    *f->u = (run_undefined){.op = EXPR_VAR, .at = at, .t = f->x.args.t};
    if (r != TAPE_NONE) {
        describe_operation(f, root, r);
    } else {
        keep_operation(f, f->u->operation, leaf);
        f->u->value = tape_trace_value(&f->x, leaf);
        name_leaves(f, leaf);
    }
    return true;
}

static tape_args undefined_args(finder *f, const tape_program *p)
{
    tape_args args = f->x.args;
    int n_w = f->s->model->n_w > p->extent[TAPE_W] ? f->s->model->n_w : p->extent[TAPE_W];
    args.w = arena_array(f->x.a, double, n_w + 1);
    memcpy(args.w, f->x.args.w, (size_t)f->s->model->n_w * sizeof *args.w);
    args.scratch = arena_array(f->x.a, double, tape_program_scratch(p) + 1);
    return args;
}

/* An output that has no value and whose operation can be found. */
typedef struct blamed_output {
    const code_fn *fn; // NULL: none
    int k;
    double cost;
} blamed_output;

static bool is_rate(const run_state *s, tape_ref leaf)
{
    const uint8_t *rate = s->model->system.rate;
    return tape_kind_of(leaf) == TAPE_YP ||
           (tape_kind_of(leaf) == TAPE_Y && rate && rate[tape_index_of(leaf)]);
}

static bool has_rates(const finder *f, tape_ref r)
{
    tape_ref leaf[4 * UNDEFINED_NAMED];
    int n = r == TAPE_NONE ? 0 : tape_trace_leaves(&f->x, r, leaf, 4 * UNDEFINED_NAMED);
    while (n && !is_rate(f->s, leaf[n - 1])) n--;
    return n > 0;
}

/* All that depends on an operation has no value; the output of fewest operations is nearest to it. What is written is
 * rather told than what comes of it by differentiation. */
static void find_output(finder *f, const code_fn *fn, blamed_output *best)
{
    if (!fn->program) return;
    tape_args args = undefined_args(f, fn->program);
    double *out = args.out = arena_array(f->x.a, double, fn->n_out + 1);
    tape_program_run(fn->program, &args);
    tape_picker *picker = NULL;
    for (int k = 0, looks = 0; k < fn->n_out && looks < ROWS_LOOKED_AT; k++) {
        if (isfinite(out[k]) || (f->kept && isfinite(f->s->p[f->kept[k]]))) continue;
        if (!looks++) picker = tape_picker_new(fn->program, f->x.a);
        tape_ref leaf, root = trace_output(f, fn->program, picker, k);
        tape_ref r = root == TAPE_NONE ? root : tape_trace_blamed(&f->x, root, &leaf);
        if (root == TAPE_NONE || (r == TAPE_NONE && !f->unknowns)) continue;
        double cost = f->x.t->n_ins + (has_rates(f, r) ? COST_OF_RATES : 0);
        if (!best->fn || cost < best->cost) *best = (blamed_output){fn, k, cost};
    }
}

static bool examine_output(finder *f, const blamed_output *x)
{
    if (!x->fn) return false;
    tape_ref root = trace_output(f, x->fn->program, tape_picker_new(x->fn->program, f->x.a), x->k);
    return examine(f, root, word_place_of(&x->fn->at, x->k));
}

static bool examine_function(finder *f, const code_fn *fn)
{
    blamed_output x = {0};
    find_output(f, fn, &x);
    return examine_output(f, &x);
}

/* Items of cells are discrete equations, with one output each, or actions, where it follows another one. */
static bool examine_cells(finder *f, const code_cells *x, int each)
{
    const code_events *e = &f->s->model->events;
    for (int c = 0; c < x->n; c++) {
        tape_trace_run(&f->x, x->program[c]);
        for (int i = x->first[c]; i < x->first[c + 1]; i++) {
            tape_ref root = tape_trace_stored(&f->x, tape_out(each * (i - x->first[c]) + each - 1));
            if (root == TAPE_NONE || isfinite(tape_trace_value(&f->x, root))) continue;
            span at = each == 1 ? e->list.discrete[x->item[i]].at
                                : e->list.actions[e->acting[x->item[i]]].at;
            if (examine(f, root, at)) return true;
        }
    }
    return false;
}

static bool examine_all(finder *f, bool unknowns)
{
    const code_model *m = f->s->model;
    blamed_output written = {0}, solved = {0};
    bool alone;
    f->unknowns = unknowns;
    if (f->s->fault.of && f->x.args.w == f->s->fault.w) return examine_function(f, f->s->fault.of);
    find_output(f, &m->outputs.computed, &written);
    find_output(f, &m->system.constraints, &written);
    find_output(f, &m->system.residual, &written);
    if (examine_output(f, &written)) {
        if (written.fn == &m->outputs.computed) add_variable(m, tape_out(written.k), &f->words);
        keep_words(f->u->variable, &f->words);
        return true;
    }
    find_output(f, &m->system.rhs, &solved);
    if (examine_output(f, &solved)) { // of an equation that was solved for the unknown
        keep_equation(f, trace_row(f, row_of(f->s, solved.k, &alone)), solved.k);
        return true;
    }
    return examine_function(f, &m->events.roots) || examine_cells(f, &m->events.discrete, 1) ||
           examine_cells(f, &m->events.acts, 2) ||
           (f->x.args.w[IMAGE_W_INITIAL] != 0 && examine_function(f, &m->start.extra));
}

static void finder_begin(finder *f, const run_state *s, double t, const double *y, const double *yp,
                         const double *w, arena *scratch, run_undefined *out)
{
    tape_args args = {.t = t,
                      .p = s->p,
                      .y = y,
                      .yp = yp,
                      .w = (double *)(uintptr_t)w, // read only
                      .run = s->routines};
    *f = (finder){.s = s, .u = out, .here = arena_here(scratch)};
    text_init(&f->words, s->m);
    f->x = (tape_trace){.args = args, .a = scratch, .name = add_leaf, .user = f};
}

bool undefined_at(const run_state *s, double t, const double *y, const double *yp, const double *w,
                  arena *scratch, run_undefined *out)
{
    finder f;
    finder_begin(&f, s, t, y, yp, w, scratch, out);
    bool found = examine_all(&f, false) || examine_all(&f, true);
    arena_release(scratch, f.here);
    return found;
}

bool run_find_undefined(const run_state *s, double t, const double *y, const double *yp,
                        arena *scratch, run_undefined *out)
{
    return undefined_at(s, t, y, yp, s->w, scratch, out);
}

bool run_find_undefined_parameter(const run_state *s, arena *scratch, run_undefined *out)
{
    const code_parameters *x = &s->model->parameters;
    finder f;
    finder_begin(&f, s, NAN, NULL, NULL, s->w, scratch, out);
    f.kept = x->place;
    bool found = examine_function(&f, &x->bound);
    arena_release(scratch, f.here);
    return found;
}

/* ---- an equation that was not solved --------------------------------------------------------- */

/* How a row depends on an unknown, by the Jacobian, and on others, by what their nominal values change. */
static double find_slopes(finder *f, int row, tape_ref unknown, double *others)
{
    const code_system *x = &f->s->model->system;
    tape_args args = undefined_args(f, x->jacobian.program);
    double slope = 0;
    args.out = arena_array(f->x.a, double, x->jac.nnz + 1);
    args.out2 = arena_array(f->x.a, double, x->jac.nnz + 1);
    tape_program_run(x->jacobian.program, &args);
    for (int j = 0; j < x->jac.n_cols; j++)
        for (int k = x->jac.start[j]; k < x->jac.start[j + 1]; k++) {
            if (x->jac.row[k] != row) continue;
            if (unknown == tape_y(j)) slope = args.out[k];
            else *others = fmax(*others, fabs(args.out[k]) * f->s->nominal[j]);
            if (unknown == tape_yp(j)) slope = args.out2[k];
            else *others = fmax(*others, fabs(args.out2[k]));
        }
    return slope;
}

bool run_find_unsolved(const run_state *s, int component, double t, const double *y,
                       const double *yp, arena *scratch, run_unsolved *out)
{
    const double FOLD_MAX = 1e-3; // over what the other variables do; choice
    const code_system *x = &s->model->system;
    bool alone, rate = x->differential[component];
    int row = row_of(s, component, &alone);
    finder f;
    *out = (run_unsolved){.of = {.t = t, .at = word_place_of(&x->residual.at, row)}};
    finder_begin(&f, s, t, y, yp, s->w, scratch, &out->of);
    tape_ref r = trace_row(&f, row), unknown = rate ? tape_yp(component) : tape_y(component);
    if (r != TAPE_NONE) {
        double others = 0, size = rate ? 1 : s->nominal[component];
        keep_equation(&f, r, component);
        out->slope = find_slopes(&f, row, unknown, &others);
        out->fold = alone && !rate && fabs(out->slope) * size < FOLD_MAX * others;
    }
    arena_release(scratch, f.here);
    return r != TAPE_NONE;
}
