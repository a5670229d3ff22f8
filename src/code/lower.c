/* Lowering of expressions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/lower.h"
#include "code/functions.h"
#include "external/external.h"
#include "flat/flat_function.h"
#include "routine/routine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bodies within bodies; so deep they may be without number, as each component calls its own functions, and so many
 * deeper ones: a function that calls itself twice doubles them at each level. */
enum { CALL_DEPTH = 400, CALL_DEPTH_FREE = 12, CALLS_DEEPER = 1000 * CALL_DEPTH };

void lower_init(lowering *l, const form_system *f, struct code_list *list, arena *a, arena *scratch,
                diag_sink *sink)
{
    *l = (lowering){
        .f = f, .s = f->s, .p = f->s->pool, .list = list, .a = a, .scratch = scratch, .sink = sink};
    map_init(&l->bodies, scratch);
    map_init(&l->depths, scratch);
    map_init(&l->tables, scratch);
    map_init(&l->numbers, scratch);
}

lower_note *lower_add_notes(lowering *l, int block)
{
    while (l->notes.n <= block) array_push(l->scratch, &l->notes, NULL);
    return l->notes.at[block] = arena_array(l->scratch, lower_note, LOWER_NOTES_EACH);
}

void lower_begin(lowering *l)
{
    l->epoch++;
}

int lower_number(lowering *l, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t *at = map_put(&l->numbers, bits); // its place + 1
    if (!*at) {
        array_push(l->a, &l->list->numbers, x);
        *at = (uint64_t)(l->s->n_p + l->list->numbers.n);
    }
    return (int)*at - 1;
}

static expr lower_fail(lowering *l, const char *why)
{
    if (!l->failed)
        diag_error(l->sink, "S300", l->at, "%s cannot be evaluated: %s",
                   l->what ? l->what : "this equation", why);
    l->failed = true;
    return l->p->zero;
}

/* ---- what a node stands for ------------------------------------------------------------------ */

static expr no_body(lowering *l, int function)
{
    const expr_context *c = &l->p->context;
    const char *name = c->function_name ? c->function_name(c->user, function) : "a function";
    const flat_function *g = l->s->flat->functions.n ? l->s->flat->functions.at[function] : NULL;
    text words;
    text_init(&words, l->a->m);
    text_add(&words, name);
    if (g && g->why) text_printf(&words, ": %s", g->why);
    const char *kept = arena_strndup(l->scratch, text_str(&words), words.n);
    text_done(&words);
    return lower_fail(l, kept);
}

/* The body of the call e is about to be written out. True: it is one of those that have no end. */
static bool is_deep(lowering *l, expr e, int *depth)
{
    const uint64_t *slot = map_find(&l->depths, (uint64_t)e);
    *depth = slot ? (int)*slot : 0;
    return *depth > CALL_DEPTH || (*depth > CALL_DEPTH_FREE && ++l->deeper > CALLS_DEEPER);
}

/* Calls that were made with it, from node `first` on, are one level deeper. */
static void note_depth(lowering *l, int first, int depth)
{
    for (int k = first; k < l->p->n; k++)
        if (expr_at(l->p, k)->op == EXPR_CALL)
            *map_put(&l->depths, (uint64_t)k) = (uint64_t)depth + 1;
}

static expr body_of(lowering *l, expr e)
{
    uint64_t *slot = map_find(&l->bodies, (uint64_t)e);
    if (slot) return (expr)*slot;
    expr_node n = *expr_at(l->p, e);
    const expr_context *c = &l->p->context;
    expr *args = arena_array(l->scratch, expr, n.u.call.n);
    if (n.u.call.n) memcpy(args, expr_args(l->p, e), (size_t)n.u.call.n * sizeof *args);
    expr body = 0;
    int depth, first = l->p->n;
    if (is_deep(l, e, &depth)) return lower_fail(l, "a function calls itself without end");
    if (c->inline_call)
        body = c->inline_call(c->user, n.u.call.function, n.u.call.output, args, n.u.call.n);
    if (!body && flat_routine(l->s->flat, n.u.call.function)) {
        *map_put(&l->bodies, (uint64_t)e) = (uint64_t)e; // it stays a call
        return e;
    }
    if (!body || body == e) return no_body(l, n.u.call.function);
    note_depth(l, first, depth);
    *map_put(&l->bodies, (uint64_t)e) = (uint64_t)body;
    return body;
}

static expr blend(lowering *l, expr actual, expr simplified)
{
    if (!l->continuation) return actual;
    expr_pool *p = l->p;
    expr lambda = expr_var(p, l->s->n_flat + IMAGE_W_LAMBDA, 0, TYPE_REAL, 0);
    return expr_add(p, expr_mul(p, lambda, actual),
                    expr_mul(p, expr_sub(p, p->one, lambda), simplified));
}

static expr lower_step(lowering *l, expr e)
{
    expr_pool *p = l->p;
    const expr *x = expr_args(p, e); // moves where nodes are made
    switch ((expr_op)expr_at(p, e)->op) {
    case EXPR_VAR: {
        int entry = structure_entry_of(l->s, e);
        if (entry < 0) return e;
        image_place at = l->f->places[entry];
        return at.where == IMAGE_ASSIGNED ? l->f->assignments.at[at.at].value : e;
    }
    case EXPR_NOEVENT: return x[0];
    case EXPR_SMOOTH: return x[1];
    case EXPR_HOMOTOPY: return blend(l, x[0], x[1]);
    case EXPR_SEMILINEAR: {
        expr of = x[0], above = x[1], below = x[2];
        expr up = expr_mul(p, of, above), down = expr_mul(p, of, below);
        return expr_3(p, EXPR_IF, expr_2(p, EXPR_GE, of, p->zero), up, down);
    }
    case EXPR_CALL: return l->sealed ? e : body_of(l, e);
    default: return e;
    }
}

expr lower_resolve_other(lowering *l, expr e)
{
    for (int k = 0; k < CALL_DEPTH; k++) {
        expr x = lower_step(l, e);
        if (x == e) break;
        e = x;
    }
    return e;
}

void lower_note_root(lowering *l, expr root)
{
    const expr_node *n = expr_at(l->p, lower_resolve(l, root));
    if (n->op == EXPR_NOT) n = expr_at(l->p, lower_resolve(l, n->u.arg[0]));
    int at = n->op == EXPR_VAR ? n->u.var.index - l->s->n_flat : -1;
    if (at < 0 || at >= l->s->n_w || !l->list) return;
    if (!l->list->taken) l->list->taken = arena_array(l->a, bool, l->s->n_w);
    l->list->taken[at] = true;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

tape_ref lower_leaf(lowering *l, expr e)
{
    const expr_node *n = expr_at(l->p, e);
    int v = n->u.var.index, order = n->u.var.order;
    if (v >= FORM_Y) return tape_y(v - FORM_Y);
    if (v >= FORM_YP) return tape_yp(v - FORM_YP);
    if (v >= l->s->n_flat) {
        if (order <= 1) return tape_w(v - l->s->n_flat + order);
        lower_fail(l, "the second derivative of an input is not known");
        return tape_w(0);
    }
    const structure_var *x = &l->s->vars[v];
    if (x->role == STRUCTURE_PARAMETER) return tape_p(x->place);
    int entry = structure_entry_of(l->s, e);
    image_place at = entry < 0 ? (image_place){0} : l->f->places[entry];
    if (at.where == IMAGE_IN_Y && !l->parameters) return tape_y(at.at);
    if (at.where == IMAGE_IN_YP && !l->parameters) return tape_yp(at.at);
    char why[200];
    snprintf(why, sizeof why, "'%s'%s has no value here", FLAT_NAME(l->s->flat, v),
             order ? " differentiated" : "");
    lower_fail(l, why);
    return tape_p(0);
}

tape_ref lower_place(const lowering *l, expr e)
{
    const expr_node *n = expr_at(l->p, e);
    int v = n->u.var.index;
    if (v >= l->s->n_flat) return TAPE_NONE;
    const structure_var *x = &l->s->vars[v];
    if (x->role == STRUCTURE_PARAMETER) return tape_p(x->place);
    int entry = l->parameters ? -1 : structure_entry_of(l->s, e);
    if (entry < 0) return TAPE_NONE;
    image_place at = l->f->places[entry];
    if (at.where == IMAGE_IN_Y) return tape_y(at.at);
    return at.where == IMAGE_IN_YP ? tape_yp(at.at) : TAPE_NONE;
}

/* ---- operators ------------------------------------------------------------------------------- */

static const struct {
    uint8_t op, tape;
} simple[] = {
    {EXPR_NEG, TAPE_NEG},   {EXPR_ADD, TAPE_ADD},   {EXPR_SUB, TAPE_SUB},
    {EXPR_MUL, TAPE_MUL},   {EXPR_DIV, TAPE_DIV},   {EXPR_SIN, TAPE_SIN},
    {EXPR_COS, TAPE_COS},   {EXPR_TAN, TAPE_TAN},   {EXPR_ASIN, TAPE_ASIN},
    {EXPR_ACOS, TAPE_ACOS}, {EXPR_ATAN, TAPE_ATAN}, {EXPR_ATAN2, TAPE_ATAN2},
    {EXPR_SINH, TAPE_SINH}, {EXPR_COSH, TAPE_COSH}, {EXPR_TANH, TAPE_TANH},
    {EXPR_EXP, TAPE_EXP},   {EXPR_LOG, TAPE_LOG},   {EXPR_LOG10, TAPE_LOG10},
    {EXPR_SQRT, TAPE_SQRT}, {EXPR_ABS, TAPE_ABS},   {EXPR_MIN, TAPE_MIN},
    {EXPR_MAX, TAPE_MAX},   {EXPR_CEIL, TAPE_CEIL}, {EXPR_FLOOR, TAPE_FLOOR},
    {EXPR_INT, TAPE_FLOOR},
};

static tape_ref lower_relation(tape_builder *b, expr_op op, tape_ref x, tape_ref y)
{
    switch (op) {
    case EXPR_LT: return tape_lt(b, x, y);
    case EXPR_LE: return tape_le(b, x, y);
    case EXPR_GT: return tape_lt(b, y, x);
    case EXPR_GE: return tape_le(b, y, x);
    case EXPR_EQ: return tape_eq(b, x, y);
    default: return tape_ne(b, x, y);
    }
}

/* A power with a small whole exponent is a product; its derivative is finite at 0. With a half of
 * an odd number it is one with a root, a tenth of the work: sums of inverse cubes of distances are
 * most of what bodies that attract each other cost. Not where the power is smooth at 0 and the
 * derivative of the product is not. */
static tape_ref lower_power(lowering *l, tape_builder *b, expr exponent, tape_ref x, tape_ref y)
{
    double k;
    if (!expr_number(l->p, exponent, &k) || fabs(k) > 64) return tape_op2(b, TAPE_POW, x, y);
    if (k == floor(k)) return tape_powi(b, x, (int)k);
    if (k != floor(k) + 0.5 || k > 1) return tape_op2(b, TAPE_POW, x, y);
    tape_ref root = tape_op1(b, TAPE_SQRT, x);
    if (k > 0) return root;
    if (k < -1) root = tape_op2(b, TAPE_MUL, tape_powi(b, x, (int)(-0.5 - k)), root);
    return tape_op2(b, TAPE_DIV, tape_const(b, 1), root);
}

/* A function that is executed: the flat model outlives the tape. */
static tape_ref called(lowering *l, tape_builder *b, expr e, const tape_ref *x)
{
    const expr_node *n = expr_at(l->p, e);
    const tape_function *f = flat_routine(l->s->flat, n->u.call.function);
    int output = n->u.call.output;
    tape_ref *out = arena_array(l->scratch, tape_ref, f->n_out);
    if (l->list) routine_codes_add(l->list->routines, f, l->a, l->scratch);
    if (n->type == TYPE_OBJECT) { // a constructor: its last argument is the number of its object
        tape_ref *in = arena_array(l->scratch, tape_ref, f->n_in);
        if (n->u.call.n) memcpy(in, x, (size_t)n->u.call.n * sizeof *in);
        in[f->n_in - 1] = tape_const(b, output + 1);
        tape_call_fn(b, f, in, out);
        return out[0];
    }
    tape_call_fn(b, f, x, out);
    return out[output];
}

/* ---- texts ----------------------------------------------------------------------------------- */

static tape_ref lower_text(lowering *l, tape_builder *b, const char *words)
{
    tape_ref out[1];
    tape_call_fn(b, routine_text_function(l->a, words), NULL, out);
    return out[0];
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A subscript that moves along an array of numbers: thousands of selects, or one look into a table. */
typedef struct lower_table {
    const tape_function *fn;
    expr by;
} lower_table;

static const lower_table *table_of(lowering *l, expr e)
{
    enum { CASES_MIN = 32 };
    uint64_t *known = map_find(&l->tables, (uint64_t)e);
    if (known) return (const lower_table *)(uintptr_t)*known;
    expr_cases x;
    lower_table *t = NULL;
    arena_mark mark = arena_here(l->scratch);
    if (expr_find_cases(l->p, e, CASES_MIN, l->scratch, &x) && x.literal) {
        double *at = arena_array(l->scratch, double, x.n + 1);
        for (int k = 0; k <= x.n; k++) expr_number(l->p, k < x.n ? x.of[k] : x.other, &at[k]);
        t = arena_new(l->a, lower_table);
        *t = (lower_table){routine_table_function(l->a, x.n, at), x.by};
    }
    arena_release(l->scratch, mark);
    *map_put(&l->tables, (uint64_t)e) = (uint64_t)(uintptr_t)t;
    return t;
}

tape_ref lower_operation(lowering *l, tape_builder *b, expr e, const expr *args, const tape_ref *x)
{
    const expr_node *n = expr_at(l->p, e);
    double value;
    if (expr_number(l->p, e, &value)) return tape_const(b, value);
    for (size_t k = 0; k < sizeof simple / sizeof *simple; k++)
        if (simple[k].op == n->op)
            return expr_arity(l->p, e) == 1 ? tape_op1(b, (tape_op)simple[k].tape, x[0])
                                            : tape_op2(b, (tape_op)simple[k].tape, x[0], x[1]);
    switch ((expr_op)n->op) {
    case EXPR_VAR: return lower_leaf(l, e);
    case EXPR_STRING: return lower_text(l, b, n->u.string);
    case EXPR_TIME: return tape_t();
    case EXPR_POW: return lower_power(l, b, args[1], x[0], x[1]);
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: return lower_relation(b, (expr_op)n->op, x[0], x[1]);
    case EXPR_NOT: return tape_not(b, x[0]);
    case EXPR_AND: return tape_and(b, x[0], x[1]);
    case EXPR_OR: return tape_or(b, x[0], x[1]);
    case EXPR_IF: return tape_if(b, x[0], x[1], x[2]);
    case EXPR_CALL: return called(l, b, e, x);
    case EXPR_SIGN: return tape_sign(b, x[0]);
    case EXPR_IDIV: return tape_div(b, x[0], x[1]);
    case EXPR_MOD: return tape_mod(b, x[0], x[1]);
    case EXPR_REM: return tape_rem(b, x[0], x[1]);
    default: lower_fail(l, operator_name((expr_op)n->op)); return tape_const(b, NAN);
    }
}

tape_ref lower_expr(lowering *l, tape_builder *b, expr root)
{
    lower_note_root(l, root);
    root = lower_resolve(l, root);
    l->stack.n = 0;
    array_push(l->scratch, &l->stack, root);
    while (l->stack.n) {
        expr e = array_last(&l->stack);
        lower_note *note = lower_note_of(l, e);
        if (note->mark == l->epoch) {
            l->stack.n--;
            continue;
        }
        int n = expr_arity(l->p, e), waiting = 0;
        expr few[3] = {0}, *args = few;
        tape_ref few_refs[3] = {0}, *x = few_refs;
        if (expr_at(l->p, e)->op == EXPR_CALL && n > 3) {
            args = arena_array(l->scratch, expr, n);
            x = arena_array(l->scratch, tape_ref, n);
        } else if (n > 3) { // delay, String: nothing that can be evaluated
            lower_fail(l, operator_name((expr_op)expr_at(l->p, e)->op));
            n = 0;
        }
        const lower_table *table = expr_at(l->p, e)->op == EXPR_IF ? table_of(l, e) : NULL;
        if (table) n = 1;
        for (int k = n - 1; k >= 0; k--) {
            args[k] = lower_resolve(l, table ? table->by : expr_args(l->p, e)[k]);
            if (lower_note_of(l, args[k])->mark == l->epoch) continue;
            array_push(l->scratch, &l->stack, args[k]);
            waiting++;
        }
        if (waiting) continue;
        l->stack.n--;
        for (int k = 0; k < n; k++) x[k] = lower_note_of(l, args[k])->ref;
        if (table) tape_call_fn(b, table->fn, x, &note->ref);
        else note->ref = l->failed ? tape_const(b, NAN) : lower_operation(l, b, e, args, x);
        note->mark = l->epoch;
    }
    return lower_note_of(l, root)->ref;
}
