/* Statements of a function to a program (routine/program.h).
 *
 * Variables that are assigned live in slots, one per scalar; an expression is evaluated on formal
 * variables that stand for arguments and slots, as in symbolic execution, and its nodes become
 * operations. What is known decides at once: conditions that are literals, ranges that are literals
 * (they are unrolled, so that subscripts in them are known). sum(e for i in 1:n) with an n that is not
 * known is a loop before the statement that it stands in, and so are sum(v[1:n]), v[1:n]*w[1:n] and w[1:n] := v[1:n].
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_program.h"

#include <string.h>

typedef struct compiler {
    program_builder p;
    flat_builder *b;
    function_frame *fr;
    int *first;                // slot of the first scalar of each local; -1: it keeps its value
    int_array returns;         // jumps to the end
    int_array *breaks;         // jumps out of the innermost loop; NULL: outside loops
    scope_checks checks;       // subscripts of the statement being written
    int_array targets, values; // slots and references of the assignment being written
} compiler;

static bool compile_block(compiler *c, const ast_stmts *body, const scope *s);

/* ---- slots ----------------------------------------------------------------------------------- */

typedef struct assigned {
    const function_def *f;
    bool *is;
} assigned;

static void mark_left(assigned *a, const ast_expr *left)
{
    if (!left) return;
    if (left->kind == AST_TUPLE)
        for (int i = 0; i < left->list.n; i++) mark_left(a, left->list.at[i]);
    if (left->kind != AST_REF) return;
    for (int i = 0; i < a->f->n_all; i++)
        if (a->f->all[i].name == left->ref->at[0].name) a->is[i] = true;
}

static void compile_mark(assigned *a, const ast_stmts *body)
{
    for (int i = 0; i < body->n; i++) {
        const ast_stmt *t = body->at[i];
        if (t->kind == AST_ASSIGN) mark_left(a, t->pair.left);
        if (t->kind == AST_FOR) compile_mark(a, &t->loop.body);
        if (t->kind == AST_IF_STMT || t->kind == AST_WHILE)
            for (int k = 0; k < t->branches.n; k++) compile_mark(a, &t->branches.at[k].body);
    }
}

static expr slot_var(compiler *c, int slot, expr like)
{
    const expr_node *n = expr_at(c->b->pool, like);
    return expr_var(c->b->pool, FLAT_FORMAL + c->p.n_args + slot, 0, (expr_type)n->type,
                    n->enum_id);
}

/* Assignments that happen at once. */
static void compile_begin(compiler *c)
{
    program_statement(&c->p);
    c->targets.n = c->values.n = 0;
}

static void compile_add(compiler *c, int first, const value *v)
{
    int n = value_count(v);
    expr *e = arena_array(c->b->env.a, expr, n + 1);
    value_scalars(v, e);
    for (int i = 0; i < n; i++) {
        if (e[i] == slot_var(c, first + i, e[i])) continue; // as it is
        array_push(c->b->env.a, &c->targets, first + i);
        array_push(c->b->env.a, &c->values, program_value(&c->p, e[i]));
    }
}

/* What was evaluated for the statement demands this of its subscripts. */
static void compile_checks(compiler *c)
{
    for (int i = 0; i < c->checks.n; i++) program_check(&c->p, &c->checks.at[i]);
    c->checks.n = 0;
}

static void compile_end(compiler *c)
{
    compile_checks(c);
    int n = c->targets.n;
    for (int i = 0; n > 1 && i < n; i++) c->values.at[i] = program_held(&c->p, c->values.at[i]);
    for (int i = 0; i < n; i++)
        program_emit(&c->p, PROGRAM_COPY, program_slot(&c->p, c->targets.at[i]), c->values.at[i], 0,
                     0);
}

static void compile_store(compiler *c, int first, const value *v)
{
    compile_begin(c);
    compile_add(c, first, v);
    compile_end(c);
}

static bool compile_declare(compiler *c)
{
    const function_def *f = c->fr->f;
    assigned a = {f, arena_array(c->b->env.a, bool, f->n_all + 1)};
    for (int i = 0; i < f->n_sections; i++) compile_mark(&a, &f->sections[i].section->body);
    for (int i = 0; i < f->n_all; i++) {
        function_local *l = &c->fr->locals[i];
        c->first[i] = -1;
        if (!function_ready(c->fr, i)) return false;
        if (!a.is[i]) continue;
        if (l->resizable) return false;
        int n = value_count(&l->v), first = c->p.n_slots;
        if (first + n > PROGRAM_REGISTERS) return false;
        value initial = l->v;
        expr *e = arena_array(c->b->env.a, expr, n + 1);
        value_scalars(&l->v, e);
        for (int k = 0; k < n; k++) e[k] = slot_var(c, first + k, e[k]);
        c->first[i] = first;
        c->p.n_slots += n;
        compile_store(c, first, &initial);
        l->v = value_with_scalars(&c->b->env, &l->v, e);
    }
    return true;
}

/* ---- ranges whose bounds are not known ------------------------------------------------------- */

typedef struct counted_loop { // for index in first:step:last, the index in a slot
    int slot, top, unless;
    value index, step;
} counted_loop;

static bool is_whole(const value *v)
{
    return v->type == VALUE_INTEGER && !v->n_dims;
}

static bool counted_between(compiler *c, value first, value last, value step, counted_loop *loop)
{
    expr_pool *pool = c->b->pool;
    double by;
    if (!is_whole(&first) || !is_whole(&last) || step.type != VALUE_INTEGER ||
        !expr_number(pool, step.e, &by) || by == 0)
        return false;
    // The bounds are evaluated once.
    loop->slot = c->p.n_slots;
    c->p.n_slots += 2;
    loop->step = step;
    loop->index = value_scalar(&c->b->env, slot_var(c, loop->slot, first.e));
    value end = value_scalar(&c->b->env, slot_var(c, loop->slot + 1, first.e));
    compile_store(c, loop->slot, &first);
    compile_store(c, loop->slot + 1, &last);
    loop->top = c->p.ins.n;
    program_statement(&c->p);
    expr goes_on = expr_2(pool, by > 0 ? EXPR_LE : EXPR_GE, loop->index.e, end.e);
    loop->unless = program_emit(&c->p, PROGRAM_UNLESS, 0, program_value(&c->p, goes_on), 0, 0);
    return !c->p.why;
}

static bool counted_begin(compiler *c, const scope *s, const ast_expr *e, counted_loop *loop)
{
    value first, last, step = value_integer(&c->b->env, 1);
    if (!e || e->kind != AST_RANGE) return false;
    if (!eval_expr(s, e->range.first, &first) || !eval_expr(s, e->range.last, &last)) return false;
    if (e->range.step && !eval_expr(s, e->range.step, &step)) return false;
    return counted_between(c, first, last, step, loop);
}

static bool counted_end(compiler *c, const counted_loop *loop, span at)
{
    value next = value_scalar(&c->b->env, expr_add(c->b->pool, loop->index.e, loop->step.e));
    compile_store(c, loop->slot, &next);
    program_again(&c->p, loop->top, at);
    c->p.ins.at[loop->unless].dst = c->p.ins.n;
    return !c->p.why;
}

static bool reduce_ahead(compiler *c, scope *s, const ast_expr *e);

typedef struct reduction {
    bool sum; // or a product
    int slot; // of what there is so far
    counted_loop *loop;
    expr term;
    const ast_expr *of; // what is known when the loop has ended
} reduction;

/* The end of the loop, with one more term. */
static bool reduce_end(compiler *c, scope *s, const reduction *x, span at)
{
    expr_pool *pool = c->b->pool;
    value so_far = value_scalar(&c->b->env, slot_var(c, x->slot, x->term));
    value next = value_scalar(&c->b->env, x->sum ? expr_add(pool, so_far.e, x->term)
                                                 : expr_mul(pool, so_far.e, x->term));
    compile_store(c, x->slot, &next);
    if (!counted_end(c, x->loop, at)) return false;
    scope_known *known = arena_new(c->b->env.a, scope_known);
    *known = (scope_known){x->of, so_far, s->known};
    s->known = known;
    return true;
}

/* sum or product over one iterator: a loop, and its value is known in s from here on. */
static bool reduce_by_loop(compiler *c, scope *s, const ast_expr *e)
{
    const ast_call *call = e->call;
    bool sum = !strcmp(call->f.at[0].name, "sum");
    expr_pool *pool = c->b->pool;
    counted_loop loop;
    int slot = c->p.n_slots++;
    value v, begin = value_scalar(&c->b->env, expr_real(pool, sum ? 0 : 1));
    compile_store(c, slot, &begin);
    if (!counted_begin(c, s, call->iters.at[0].range, &loop)) return false;
    scope inner = *s;
    scope_name name = {call->iters.at[0].name, &loop.index, s->names, NULL};
    inner.names = &name;
    if (!reduce_ahead(c, &inner, call->args.at[0]) || !eval_expr(&inner, call->args.at[0], &v))
        return false;
    if (v.n_dims || (v.type != VALUE_REAL && v.type != VALUE_INTEGER)) return false;
    return reduce_end(c, s, &(reduction){sum, slot, &loop, v.e, e}, e->span);
}

/* ---- slices whose bounds are not known ------------------------------------------------------- */

/* v[a:b] in an expression that is computed element by element: while a loop counts the elements, the range has the value
 * of one of its numbers, and so v[a:b] that of one element. */
enum { SLICES_MAX = 8 };
typedef struct slices {
    const ast_expr *range[SLICES_MAX];
    value first[SLICES_MAX]; // in slots
    int n;
    value length;
} slices;

static bool is_open_range(compiler *c, const scope *s, const ast_expr *e)
{
    value v;
    diag_sink mark_at = *c->b->diags;
    if (e->kind != AST_RANGE || e->range.step) return false;
    if (eval_expr(s, e, &v)) return false;
    eval_forget(s, &mark_at);
    return true;
}

static bool slices_of_ref(compiler *c, const scope *s, const ast_ref *r, slices *to)
{
    int before = to->n;
    for (int i = 0; i < r->n; i++)
        for (int k = 0; k < r->at[i].subs.n; k++) {
            if (!is_open_range(c, s, r->at[i].subs.at[k])) continue;
            if (to->n == SLICES_MAX || to->n > before) return false; // of one dimension
            to->range[to->n++] = r->at[i].subs.at[k];
        }
    return true;
}

/* False: too many of them. */
static bool slices_find(compiler *c, const scope *s, const ast_expr *e, slices *to)
{
    bool ok = true;
    if (e->kind == AST_UNARY) return slices_find(c, s, e->arg, to);
    if (e->kind == AST_REF) return slices_of_ref(c, s, e->ref, to);
    for (int i = 0; ok && e->kind == AST_CHAIN && i < e->chain.n; i++)
        ok = slices_find(c, s, e->chain.at[i], to);
    return ok;
}

static value in_slot(compiler *c, value v)
{
    int slot = c->p.n_slots++;
    compile_store(c, slot, &v);
    return value_scalar(&c->b->env, slot_var(c, slot, v.e));
}

/* Where their lengths differ the function has no value. */
static bool slices_begin(compiler *c, const scope *s, slices *x)
{
    expr_pool *pool = c->b->pool;
    for (int i = 0; i < x->n; i++) {
        value first, last;
        if (!eval_expr(s, x->range[i]->range.first, &first) ||
            !eval_expr(s, x->range[i]->range.last, &last) || !is_whole(&first) || !is_whole(&last))
            return false;
        expr span_of = expr_add(pool, expr_sub(pool, last.e, first.e), expr_integer(pool, 1));
        value length = in_slot(c, value_scalar(&c->b->env, span_of));
        x->first[i] = in_slot(c, first);
        if (!i) x->length = length;
        if (!i) continue;
        program_statement(&c->p);
        program_require(&c->p, expr_2(pool, EXPR_EQ, x->length.e, length.e),
                        "the slices of an operation have different lengths");
    }
    return !c->p.why;
}

/* In s the ranges have the values of element `index`. */
static void slices_at(compiler *c, const slices *x, expr index, scope *s)
{
    expr_pool *pool = c->b->pool;
    for (int i = 0; i < x->n; i++) {
        scope_known *known = arena_new(c->b->env.a, scope_known);
        expr at = expr_sub(pool, expr_add(pool, x->first[i].e, index), expr_integer(pool, 1));
        *known = (scope_known){x->range[i], value_scalar(&c->b->env, at), s->known};
        s->known = known;
    }
}

/* The sum or product of e over the elements of its slices is the value of `of` in s from here on. */
static bool reduce_slices(compiler *c, scope *s, const ast_expr *e, bool sum, slices *x,
                          const ast_expr *of)
{
    expr_pool *pool = c->b->pool;
    counted_loop loop;
    value v, one = value_integer(&c->b->env, 1);
    if (!slices_begin(c, s, x)) return false;
    int slot = c->p.n_slots;
    in_slot(c, value_scalar(&c->b->env, expr_real(pool, sum ? 0 : 1)));
    if (!counted_between(c, one, x->length, one, &loop)) return false;
    scope inner = *s;
    slices_at(c, x, loop.index.e, &inner);
    if (!eval_expr(&inner, e, &v) || v.n_dims || (v.type != VALUE_REAL && v.type != VALUE_INTEGER))
        return false;
    return reduce_end(c, s, &(reduction){sum, slot, &loop, v.e, of}, e->span);
}

/* sum(v[a:b]), and v[a:b]*w[c:d], where the bounds are not known. 1: done, 0: it is none, -1: it cannot be. */
static int reduce_open(compiler *c, scope *s, const ast_expr *e)
{
    slices x = {0}, left = {0}, right = {0};
    if (e->kind == AST_CALL) {
        const ast_call *call = e->call;
        bool sum = call->f.n == 1 && !strcmp(call->f.at[0].name, "sum");
        bool product = call->f.n == 1 && !strcmp(call->f.at[0].name, "product");
        if ((!sum && !product) || call->iters.n || call->args.n != 1) return 0;
        if (!slices_find(c, s, call->args.at[0], &x)) return -1;
        return !x.n ? 0 : reduce_slices(c, s, call->args.at[0], sum, &x, e) ? 1 : -1;
    }
    if (e->kind != AST_CHAIN || e->chain.n != 2 || e->chain.ops[0] != AST_MUL) return 0;
    if (!slices_find(c, s, e->chain.at[0], &left) || !slices_find(c, s, e->chain.at[1], &right) ||
        !slices_find(c, s, e, &x))
        return -1;
    if (!left.n || !right.n) return 0;
    return reduce_slices(c, s, e, true, &x, e) ? 1 : -1;
}

static bool is_reduction(const ast_call *call)
{
    return call->iters.n == 1 && call->args.n == 1 && call->f.n == 1 &&
           (!strcmp(call->f.at[0].name, "sum") || !strcmp(call->f.at[0].name, "product"));
}

/* Reductions in e whose range is not known, where e is evaluated whatever else holds: not below `if`,
 * nor beside `and` and `or`. */
static bool reduce_ahead(compiler *c, scope *s, const ast_expr *e)
{
    if (e->kind == AST_UNARY) return reduce_ahead(c, s, e->arg);
    int open = reduce_open(c, s, e);
    if (open) return open > 0;
    if (e->kind == AST_CHAIN && e->chain.ops[0] != AST_AND && e->chain.ops[0] != AST_OR)
        for (int i = 0; i < e->chain.n; i++)
            if (!reduce_ahead(c, s, e->chain.at[i])) return false;
    if (e->kind != AST_CALL) return true;
    const ast_call *call = e->call;
    for (int i = 0; !call->iters.n && i < call->args.n; i++)
        if (call->args.at[i] && !reduce_ahead(c, s, call->args.at[i])) return false;
    if (!is_reduction(call)) return true;
    value range;
    diag_sink mark_at = *c->b->diags;
    if (eval_iterator(s, &call->iters.at[0], call->args.at[0], NULL, &range)) return true;
    eval_forget(s, &mark_at);
    return reduce_by_loop(c, s, e);
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool compile_assign(compiler *c, const scope *s, const ast_expr *left, value x, span at)
{
    const function_def *f = c->fr->f;
    int i = 0;
    while (i < f->n_all && (left->kind != AST_REF || f->all[i].name != left->ref->at[0].name)) i++;
    if (i == f->n_all || c->first[i] < 0) return false;
    value v = function_update(s, c->fr->locals[i].v, NULL, left->ref, x, false, at);
    if (value_is_error(&v)) return false;
    compile_add(c, c->first[i], &v);
    return !c->p.why;
}

static bool names_variable(const ast_expr *e, sym name)
{
    bool does = e->kind == AST_REF && e->ref->at[0].name == name;
    if (e->kind == AST_UNARY) return names_variable(e->arg, name);
    for (int i = 0; !does && e->kind == AST_CHAIN && i < e->chain.n; i++)
        does = names_variable(e->chain.at[i], name);
    return does;
}

/* w[a:b] := e of slices: a loop over the elements, where e does not depend on w. */
static bool compile_slices(compiler *c, const scope *outer, const ast_stmt *t, slices *x)
{
    const ast_expr *l = t->pair.left;
    value v, one = value_integer(&c->b->env, 1);
    counted_loop loop;
    if (names_variable(t->pair.right, l->ref->at[0].name) || !slices_begin(c, outer, x) ||
        !counted_between(c, one, x->length, one, &loop))
        return false;
    scope inner = *outer;
    slices_at(c, x, loop.index.e, &inner);
    compile_begin(c);
    bool ok = eval_expr(&inner, t->pair.right, &v) && !v.n_dims &&
              compile_assign(c, &inner, l, v, t->span);
    compile_end(c);
    return ok && counted_end(c, &loop, t->span);
}

static bool compile_assignment(compiler *c, const scope *outer, const ast_stmt *t)
{
    const ast_expr *l = t->pair.left;
    scope own = *outer, *s = &own;
    value v;
    slices open = {0};
    if (l->kind == AST_REF && slices_of_ref(c, s, l->ref, &open) && open.n)
        return slices_find(c, s, t->pair.right, &open) && compile_slices(c, s, t, &open);
    bool ok = reduce_ahead(c, s, t->pair.right);
    if (!ok) return false;
    compile_begin(c);
    if (l->kind != AST_TUPLE) {
        ok = eval_expr(s, t->pair.right, &v) && compile_assign(c, s, l, v, t->span);
    } else {
        if (t->pair.right->kind != AST_CALL || !eval_outputs(s, t->pair.right, &v)) return false;
        if (l->list.n > (v.type == VALUE_TUPLE ? v.n : 1)) return false;
        for (int i = 0; ok && i < l->list.n; i++)
            if (l->list.at[i])
                ok = compile_assign(c, s, l->list.at[i], v.type == VALUE_TUPLE ? v.fields[i] : v,
                                    t->span);
    }
    compile_end(c);
    return ok;
}

static void patch(compiler *c, const int_array *jumps)
{
    for (int i = 0; i < jumps->n; i++) c->p.ins.at[jumps->at[i]].dst = c->p.ins.n;
}

/* 1 and 0: known; -1: *test is where it is; -2: error. */
static int compile_condition(compiler *c, const scope *outer, const ast_expr *e, int *test)
{
    scope own = *outer, *s = &own;
    value v;
    bool b;
    if (!reduce_ahead(c, s, e) || !eval_expr(s, e, &v) || v.type != VALUE_BOOLEAN || v.n_dims)
        return -2;
    if (value_literal_boolean(&c->b->env, &v, &b)) return b;
    program_statement(&c->p);
    compile_checks(c);
    *test = program_value(&c->p, v.e);
    return c->p.why ? -2 : -1;
}

static bool compile_if(compiler *c, const scope *s, const ast_stmt *t)
{
    int_array ends = {0};
    bool closed = false;
    for (int i = 0; i < t->branches.n && !closed; i++) {
        const ast_branch *branch = &t->branches.at[i];
        int test = 0, known = branch->test ? compile_condition(c, s, branch->test, &test) : 1;
        if (known == -2) return false;
        if (known == 0) continue;
        int unless = known < 0 ? program_emit(&c->p, PROGRAM_UNLESS, 0, test, 0, 0) : -1;
        if (!compile_block(c, &branch->body, s)) return false;
        closed = known == 1;
        if (closed) break;
        array_push(c->b->env.a, &ends, program_emit(&c->p, PROGRAM_JUMP, 0, 0, 0, 0));
        c->p.ins.at[unless].dst = c->p.ins.n;
    }
    patch(c, &ends);
    return true;
}

static bool compile_while(compiler *c, const scope *s, const ast_stmt *t)
{
    int top = c->p.ins.n, test = 0;
    int known = compile_condition(c, s, t->branches.at[0].test, &test);
    if (known == -2) return false;
    if (known == 0) return true;
    if (known < 0)
        array_push(c->b->env.a, c->breaks, program_emit(&c->p, PROGRAM_UNLESS, 0, test, 0, 0));
    if (!compile_block(c, &t->branches.at[0].body, s)) return false;
    program_again(&c->p, top, t->span);
    return true;
}

/* for i in first:step:last with bounds that are not known: the iterator is a slot. */
static bool loop_dynamic(compiler *c, const scope *s, const ast_stmt *t, int k);

static bool compile_loop_over(compiler *c, const scope *s, const ast_stmt *t, int k)
{
    if (k == t->loop.iters.n) return compile_block(c, &t->loop.body, s);
    const ast_iterator *it = &t->loop.iters.at[k];
    value range;
    diag_sink mark_at = *c->b->diags;
    if (!eval_iterator(s, it, NULL, &t->loop.body, &range)) {
        eval_forget(s, &mark_at);
        return loop_dynamic(c, s, t, k);
    }
    scope inner = *s;
    for (int i = 0; i < range.n; i++) {
        value index = value_element(&c->b->env, &range, i);
        scope_name name = {it->name, &index, s->names, NULL};
        inner.names = &name;
        if (!compile_loop_over(c, &inner, t, k + 1)) return false;
    }
    return true;
}

static bool loop_dynamic(compiler *c, const scope *s, const ast_stmt *t, int k)
{
    const ast_iterator *it = &t->loop.iters.at[k];
    counted_loop loop;
    scope inner = *s;
    if (!counted_begin(c, s, it->range, &loop)) return false;
    scope_name name = {it->name, &loop.index, s->names, NULL};
    inner.names = &name;
    if (!compile_loop_over(c, &inner, t, k + 1)) return false;
    return counted_end(c, &loop, t->span);
}

static bool compile_loop(compiler *c, const scope *s, const ast_stmt *t)
{
    int_array *outer = c->breaks, own = {0};
    c->breaks = &own;
    bool ok = t->kind == AST_FOR ? compile_loop_over(c, s, t, 0) : compile_while(c, s, t);
    c->breaks = outer;
    patch(c, &own);
    return ok;
}

/* An assertion that does not hold, and a function that only reports an error, leave the program without a value.
 * What is called for its effect is called; messages are left out. */
static bool compile_call(compiler *c, const scope *s, const ast_stmt *t)
{
    const ast_call *call = t->call->call;
    if (call->f.n == 1 && !strcmp(call->f.at[0].name, "assert")) {
        scope_check assertion;
        if (!function_assertion(s, c->fr->f, t, &assertion)) return false;
        program_statement(&c->p);
        compile_checks(c);
        program_check(&c->p, &assertion);
        return !c->p.why;
    }
    callee f = inst_callee(s, &call->f);
    value v;
    if (f.kind == CALLEE_FUNCTION && function_is_error(function_find(c->b, f.cls))) {
        bool known = call->args.n && eval_expr(s, call->args.at[0], &v) && v.type == VALUE_STRING;
        program_fail(&c->p, known ? program_words(&c->p, v.e) : NULL);
    }
    if (f.kind != CALLEE_FUNCTION || !function_has_effect(function_find(c->b, f.cls))) return true;
    if (!eval_outputs(s, t->call, &v)) return false;
    program_statement(&c->p);
    program_value(&c->p, v.e);
    return !c->p.why;
}

static bool compile_statement(compiler *c, const scope *s, const ast_stmt *t)
{
    if (c->p.why || !eval_work(s, 4, t->span)) return false;
    switch ((ast_stmt_kind)t->kind) {
    case AST_ASSIGN: return compile_assignment(c, s, t);
    case AST_CALL_STMT: return compile_call(c, s, t);
    case AST_IF_STMT: return compile_if(c, s, t);
    case AST_FOR:
    case AST_WHILE: return compile_loop(c, s, t);
    case AST_BREAK:
        if (!c->breaks) return false;
        array_push(c->b->env.a, c->breaks, program_emit(&c->p, PROGRAM_JUMP, 0, 0, 0, 0));
        return true;
    case AST_RETURN:
        array_push(c->b->env.a, &c->returns, program_emit(&c->p, PROGRAM_JUMP, 0, 0, 0, 0));
        return true;
    default: return false;
    }
}

static bool compile_block(compiler *c, const ast_stmts *body, const scope *s)
{
    for (int i = 0; i < body->n; i++)
        if (!compile_statement(c, s, body->at[i])) return false;
    return true;
}

/* ---- the function ---------------------------------------------------------------------------- */

static bool compile_body(compiler *c, int number)
{
    const flat_function *g = c->b->m->functions.at[number];
    const function_def *f = c->fr->f;
    if (f->external || !compile_declare(c)) return false;
    for (int i = 0; i < f->n_sections; i++) {
        scope s = function_scope(c->fr, f->sections[i].at);
        if (!compile_block(c, &f->sections[i].section->body, &s)) return false;
    }
    patch(c, &c->returns);
    program_statement(&c->p);
    int *results = arena_array(c->b->env.a, int, g->n_results + 1), n = 0;
    expr *e = arena_array(c->b->env.a, expr, g->n_results + 1);
    for (int o = 0; o < f->n_outputs; o++) {
        const value *v = &c->fr->locals[f->outputs[o]].v;
        int count = value_count(v);
        if (n + count > g->n_results) return false;
        value_scalars(v, e);
        for (int i = 0; i < count; i++) results[n++] = program_value(&c->p, e[i]);
    }
    const routine_program *made = program_end(&c->p, results, n);
    if (made) program_keep(c->b->m, number, made);
    return made;
}

bool function_compile(const scope *s, const function_version *v, function_def *f, span at)
{
    flat_builder *b = s->b;
    flat_function *g = v->g;
    diag_sink before = *b->diags;
    function_frame fr = function_begin(b, f, at);
    for (int i = 0; i < f->n_inputs; i++) {
        fr.locals[f->inputs[i]].v = v->inputs[i];
        fr.locals[f->inputs[i]].ready = true;
    }
    compiler c = {.b = b, .fr = &fr};
    program_begin(&c.p, b, g);
    c.first = arena_array(b->env.a, int, f->n_all + 1);
    bool no_event = b->env.no_event, ok = eval_enter(s, at);
    scope_checks *checks = b->checks;
    expr guard = b->guard;
    bool in_body = b->in_body;
    if (ok) {
        b->env.no_event = true;
        b->functions->guarded++;
        b->checks = &c.checks;
        b->guard = 0;
        b->in_body = true;
        ok = compile_body(&c, v->number);
        b->in_body = in_body;
        b->guard = guard;
        b->checks = checks;
        b->functions->guarded--;
        b->env.no_event = no_event;
        eval_leave(s);
    }
    if (!ok && c.p.why) g->why = c.p.why;
    else if (!ok && b->diags->n_errors > before.n_errors)
        g->why = arena_strndup(b->model, b->diags->last->text, strlen(b->diags->last->text));
    eval_forget(s, &before);
    return ok;
}
