/* Loops of algorithm sections whose number of turns is known only during the run: while x > 1.
 *
 * The statements of the loop, written out on the variables of the model, become a program
 * (routine/program.h) with a slot for each variable that is assigned. It is called as a function
 * is: from the values before the loop to those after it. What the loop only reads, and operators
 * whose meaning depends on events, such as pre(x), are further arguments.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_program.h"

#include <string.h>

typedef struct loop_writer {
    program_builder p;
    flat_builder *b;
    const function_loop *l;
    int_array vars;       // assigned, those of the model first
    map slot_of;          // by variable: its slot + 1
    int n_set;            // of them: variables of the model
    int_array read;       // arguments that are only read
    expr_subst formal;    // to arguments and slots
    expr_subst arguments; // to arguments: operators that depend on events
    bool impure;
} loop_writer;

/* ---- what it assigns and reads --------------------------------------------------------------- */

static void loop_collect(loop_writer *w, const flat_statements *body, bool own, int_array *all)
{
    arena *a = w->b->env.a;
    for (int i = 0; i < body->n; i++) {
        const flat_statement *st = &body->at[i];
        if (st->kind == FLAT_ASSIGN && own == (st->var >= w->l->first_own)) {
            uint64_t *slot = map_put(&w->slot_of, (uint64_t)st->var);
            if (!*slot) {
                array_push(a, &w->vars, st->var);
                *slot = (uint64_t)w->vars.n;
            }
        }
        if (st->value) array_push(a, all, st->value);
        for (int k = 0; k < st->branches.n; k++) {
            const flat_branch *br = &st->branches.at[k];
            if (br->condition) array_push(a, all, br->condition);
            loop_collect(w, &br->body, own, all);
        }
    }
}

static expr loop_var(loop_writer *w, int var)
{
    const flat_var *v = flat_at(w->b->m, var);
    return expr_var(w->b->pool, var, 0, (expr_type)v->type, v->decl->enum_id);
}

static void loop_argument(loop_writer *w, expr_subst *s, expr e)
{
    const expr_node *n = expr_at(w->b->pool, e);
    expr_type type = (expr_type)n->type;
    int enum_id = n->enum_id;
    array_push(w->b->env.a, &w->read, e);
    int k = FLAT_FORMAL + w->n_set + w->read.n - 1;
    expr_subst_set(s, e, expr_var(w->b->pool, k, 0, type, enum_id));
}

/* Operators that depend on events are arguments as they are, and so are variables that keep their
 * values. False: one of the operators is applied to what the loop changes. */
static bool loop_arguments(loop_writer *w, const int_array *all)
{
    expr_pool *pool = w->b->pool;
    arena *a = w->b->env.a;
    int_array nodes = expr_reach(pool, all->at, all->n, a);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node n = *expr_at(pool, nodes.at[i]);
        if (n.op == EXPR_CALL) w->impure |= w->b->m->functions.at[n.u.call.function]->impure;
        if (operator_class((expr_op)n.op) != CLASS_HYBRID) continue;
        int_array below = expr_vars(pool, &nodes.at[i], 1, a);
        for (int k = 0; n.op != EXPR_PRE && k < below.n; k++)
            if (map_find(&w->slot_of, (uint64_t)expr_at(pool, below.at[k])->u.var.index))
                return false;
        loop_argument(w, &w->arguments, nodes.at[i]);
    }
    expr *plain = arena_array(a, expr, all->n + 1);
    for (int i = 0; i < all->n; i++) plain[i] = expr_subst_apply(&w->arguments, all->at[i]);
    nodes = expr_reach(pool, plain, all->n, a);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node n = *expr_at(pool, nodes.at[i]);
        if (n.op == EXPR_TIME) loop_argument(w, &w->formal, nodes.at[i]);
        if (n.op != EXPR_VAR || n.u.var.index >= FLAT_FORMAL) continue;
        bool set = map_find(&w->slot_of, (uint64_t)n.u.var.index) != NULL;
        if (set && n.u.var.order) return false;
        if (!set) loop_argument(w, &w->formal, nodes.at[i]);
    }
    return true;
}

static void loop_slots(loop_writer *w, int n_args)
{
    for (int k = 0; k < w->vars.n; k++) {
        expr e = loop_var(w, w->vars.at[k]);
        const expr_node n = *expr_at(w->b->pool, e);
        expr slot = expr_var(w->b->pool, FLAT_FORMAL + n_args + k, 0, (expr_type)n.type, n.enum_id);
        expr_subst_set(&w->formal, e, slot);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static int loop_value(loop_writer *w, expr e)
{
    program_statement(&w->p);
    e = expr_subst_apply(&w->formal, expr_subst_apply(&w->arguments, e));
    return program_value(&w->p, e);
}

static void loop_refuse(loop_writer *w, const char *why)
{
    if (!w->p.why) w->p.why = why;
}

static void loop_block(loop_writer *w, const flat_statements *body);

static void loop_branches(loop_writer *w, const flat_statement *st)
{
    int_array ends = {0};
    for (int k = 0; k < st->branches.n; k++) {
        const flat_branch *br = &st->branches.at[k];
        int unless = -1;
        if (br->condition)
            unless = program_emit(&w->p, PROGRAM_UNLESS, 0, loop_value(w, br->condition), 0, 0);
        loop_block(w, &br->body);
        array_push(w->b->env.a, &ends, program_emit(&w->p, PROGRAM_JUMP, 0, 0, 0, 0));
        if (unless >= 0) w->p.ins.at[unless].dst = w->p.ins.n;
    }
    for (int i = 0; i < ends.n; i++) w->p.ins.at[ends.at[i]].dst = w->p.ins.n;
}

/* An assertion that does not hold leaves the loop without a value. */
static void loop_assert(loop_writer *w, const flat_statement *st)
{
    if (!st->level) return;
    int unless = program_emit(&w->p, PROGRAM_UNLESS, 0, loop_value(w, st->value), 0, 0);
    int jump = program_emit(&w->p, PROGRAM_JUMP, 0, 0, 0, 0);
    w->p.ins.at[unless].dst = w->p.ins.n;
    program_fail(&w->p, program_words(&w->p, st->message));
    w->p.ins.at[jump].dst = w->p.ins.n;
}

static void loop_block(loop_writer *w, const flat_statements *body)
{
    for (int i = 0; i < body->n && !w->p.why; i++) {
        const flat_statement *st = &body->at[i];
        switch (st->kind) {
        case FLAT_ASSIGN: {
            int slot = (int)*map_find(&w->slot_of, (uint64_t)st->var) - 1;
            int now = loop_value(w, st->value);
            program_emit(&w->p, PROGRAM_COPY, program_slot(&w->p, slot), now, 0, 0);
            break;
        }
        case FLAT_IF: loop_branches(w, st); break;
        case FLAT_ASSERT: loop_assert(w, st); break;
        case FLAT_CALL: loop_value(w, st->value); break;
        case FLAT_WHEN: loop_refuse(w, "there is a when-clause in it"); break;
        case FLAT_REINIT: loop_refuse(w, "there is a reinit in it"); break;
        default: loop_refuse(w, "there is a terminate in it");
        }
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

static const routine_program *loop_program(loop_writer *w, flat_function *g)
{
    program_begin(&w->p, w->b, g);
    w->p.n_slots = w->vars.n;
    int *results = arena_array(w->b->env.a, int, w->vars.n + 1);
    for (int k = 0; k < w->vars.n; k++) results[k] = program_slot(&w->p, k);
    for (int k = 0; k < w->n_set; k++) {
        expr slot = expr_subst_apply(&w->formal, loop_var(w, w->vars.at[k]));
        const expr_node n = *expr_at(w->b->pool, slot);
        expr old = expr_var(w->b->pool, FLAT_FORMAL + k, 0, (expr_type)n.type, n.enum_id);
        program_emit(&w->p, PROGRAM_COPY, results[k], program_value(&w->p, old), 0, 0);
    }
    int top = w->p.ins.n;
    int test = loop_value(w, w->l->condition);
    int unless = program_emit(&w->p, PROGRAM_UNLESS, 0, test, 0, 0);
    loop_block(w, w->l->body);
    program_again(&w->p, top, w->l->at);
    w->p.ins.at[unless].dst = w->p.ins.n;
    return program_end(&w->p, results, w->n_set);
}

bool function_loop_call(flat_builder *b, const function_loop *l, int_array *vars, int_array *values)
{
    arena *a = b->env.a;
    loop_writer w = {.b = b, .l = l};
    int_array all = {0};
    map_init(&w.slot_of, a);
    expr_subst_init(&w.formal, b->pool, a);
    expr_subst_init(&w.arguments, b->pool, a);
    loop_collect(&w, l->body, false, &all);
    w.n_set = w.vars.n;
    all.n = 0;
    loop_collect(&w, l->body, true, &all);
    array_push(a, &all, l->condition);
    if (!loop_arguments(&w, &all)) {
        diag_error(b->diags, "M172", l->at,
                   "this loop cannot be executed: der() or another operator of time is applied to "
                   "a variable that the loop assigns; assign it to another variable before");
        return false;
    }
    int n_args = w.n_set + w.read.n;
    if (n_args > PROGRAM_REGISTERS || b->m->functions.n >= INT16_MAX) {
        diag_error(b->diags, "M430", l->at, "more than %d functions or arguments",
                   n_args > PROGRAM_REGISTERS ? PROGRAM_REGISTERS : INT16_MAX);
        return false;
    }
    loop_slots(&w, n_args);
    flat_function *g = arena_new(b->model, flat_function);
    mem m = value_arena_mem(a);
    text name;
    text_init(&name, &m);
    text_printf(&name, "loop %d", ++function_all(b)->n_loops);
    *g = (flat_function){.name = sym_of(b->lib->syms, text_str(&name)),
                         .n_args = n_args,
                         .n_results = w.n_set,
                         .impure = w.impure,
                         .why = "it is a loop",
                         .derivative = -1};
    const routine_program *program = loop_program(&w, g);
    if (!program) {
        diag_error(b->diags, "M172", l->at, "this loop cannot be executed: %s", w.p.why);
        return false;
    }
    int number = b->m->functions.n;
    array_push(b->model, &b->m->functions, g);
    program_keep(b->m, number, program);
    expr *args = arena_array(a, expr, n_args + 1);
    for (int k = 0; k < w.n_set; k++) args[k] = loop_var(&w, w.vars.at[k]);
    for (int k = 0; k < w.read.n; k++) args[w.n_set + k] = w.read.at[k];
    for (int k = 0; k < w.n_set; k++) {
        const flat_var *v = flat_at(b->m, w.vars.at[k]);
        array_push(a, vars, w.vars.at[k]);
        array_push(
            a, values,
            expr_call(b->pool, number, k, (expr_type)v->type, v->decl->enum_id, args, n_args));
    }
    return true;
}
