/* Shapes: making, matching and using them.
 *
 * All that an operation may refer to has one number: first come the literals, then the slots, then the
 * operations. Matching goes down from the roots: the operation that a number stands for is known when
 * it is looked at, for users come after their arguments.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/shape.h"

#include "expr/expr_pool.h"

#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

typedef struct shape_builder {
    const expr_pool *p;
    int n_numbers, n_slots, n_steps;
    expr numbers[SHAPE_ROOM], slots[SHAPE_ROOM], steps[SHAPE_ROOM];
    bool given, plain; // slots are given, and may be any expressions
} shape_builder;

static int shape_index(const expr *list, int n, expr e)
{
    for (int k = n; k--;)
        if (list[k] == e) return k;
    return -1;
}

static bool shape_admits(const expr_pool *p, expr e)
{
    expr_op op = expr_op_of(p, e);
    expr_class kind = operator_class(op);
    return (kind != CLASS_OTHER && kind != CLASS_HYBRID) || op == EXPR_IF || op == EXPR_NOEVENT ||
           op == EXPR_SMOOTH;
}

static bool shape_is_given(const shape_builder *b, expr e)
{
    return b->given && shape_index(b->slots, b->n_slots, e) >= 0;
}

static bool shape_leaf(shape_builder *b, expr e)
{
    bool var = expr_op_of(b->p, e) == EXPR_VAR;
    expr *list = var ? b->slots : b->numbers;
    int *n = var ? &b->n_slots : &b->n_numbers;
    if (shape_index(list, *n, e) >= 0) return true;
    if ((var && b->given) || *n == (var ? SHAPE_SLOTS : SHAPE_ROOM)) return false;
    list[(*n)++] = e;
    return true;
}

/* Leaves in the order of a walk from left to right, operations after their arguments. */
static bool shape_walk(shape_builder *b, expr root)
{
    struct {
        expr e;
        int next;
    } stack[SHAPE_ROOM];
    int depth = 0;
    if (shape_is_given(b, root)) return true;
    if (!shape_admits(b->p, root)) return false;
    if (!operator_arities[expr_op_of(b->p, root)]) return shape_leaf(b, root);
    stack[depth].e = root;
    stack[depth++].next = 0;
    while (depth) {
        expr e = stack[depth - 1].e;
        if (shape_index(b->steps, b->n_steps, e) >= 0) {
            depth--;
            continue;
        }
        if (stack[depth - 1].next == expr_arity(b->p, e)) {
            expr_class kind = operator_class(expr_op_of(b->p, e));
            if (b->n_steps == SHAPE_ROOM) return false;
            b->plain = b->plain && (kind == CLASS_ARITH || kind == CLASS_MATH);
            b->steps[b->n_steps++] = e;
            depth--;
            continue;
        }
        expr arg = expr_args(b->p, e)[stack[depth - 1].next++];
        if (shape_is_given(b, arg)) continue;
        if (!shape_admits(b->p, arg)) return false;
        if (!operator_arities[expr_op_of(b->p, arg)]) {
            if (!shape_leaf(b, arg)) return false;
        } else if (shape_index(b->steps, b->n_steps, arg) < 0) {
            if (depth == SHAPE_ROOM) return false;
            stack[depth].e = arg;
            stack[depth++].next = 0;
        }
    }
    return true;
}

static uint8_t shape_number(const shape_builder *b, expr e)
{
    int k = shape_index(b->numbers, b->n_numbers, e);
    if (k >= 0) return (uint8_t)k;
    k = shape_index(b->slots, b->n_slots, e);
    if (k >= 0) return (uint8_t)(b->n_numbers + k);
    return (uint8_t)(b->n_numbers + b->n_slots + shape_index(b->steps, b->n_steps, e));
}

static void *shape_kept(arena *a, const void *list, int n, size_t size)
{
    void *copy = arena_alloc_array(a, (size_t)n, size);
    if (n) memcpy(copy, list, (size_t)n * size);
    return copy;
}

/* Whether a reference is met first, on the way down. */
static bool shape_meets(bool *met, uint8_t at)
{
    bool first = !met[at];
    met[at] = true;
    return first;
}

static const expr_shape *shape_finish(const shape_builder *b, const expr *roots, int n, arena *a)
{
    int all = b->n_numbers + b->n_slots + b->n_steps;
    if (all > SHAPE_ROOM) return NULL;
    bool met[SHAPE_ROOM] = {0};
    uint8_t types[SHAPE_ROOM];
    shape_step steps[SHAPE_ROOM];
    expr_shape *s = arena_new(a, expr_shape);
    *s = (expr_shape){.n_slots = b->n_slots, .n_steps = b->n_steps, .n_roots = n};
    s->at_slot = b->n_numbers;
    s->at_step = b->n_numbers + b->n_slots;
    s->plain = b->plain;
    memset(met, 1, (size_t)b->n_numbers); // these are known
    for (int k = 0; k < n; k++) {
        s->roots[k] = shape_number(b, roots[k]);
        s->down |= (uint8_t)(shape_meets(met, s->roots[k]) << k);
    }
    for (int k = b->n_steps; k--;) {
        const expr_node *x = expr_at(b->p, b->steps[k]);
        steps[k] = (shape_step){.op = x->op, .type = x->type, .enum_id = x->enum_id};
        steps[k].n = (uint8_t)expr_arity(b->p, b->steps[k]);
        for (int j = 0; j < steps[k].n; j++) {
            steps[k].arg[j] = shape_number(b, x->u.arg[j]);
            steps[k].first |= (uint8_t)(shape_meets(met, steps[k].arg[j]) << j);
        }
    }
    for (int k = 0; k < b->n_slots; k++) types[k] = expr_at(b->p, b->slots[k])->type;
    s->numbers = shape_kept(a, b->numbers, b->n_numbers, sizeof *b->numbers);
    s->types = shape_kept(a, types, b->n_slots, sizeof *types);
    s->steps = shape_kept(a, steps, b->n_steps, sizeof *steps);
    return s;
}

const expr_shape *shape_of(const expr_pool *p, const expr *roots, int n, arena *a, expr *slots)
{
    shape_builder b = {.p = p, .plain = true};
    for (int k = 0; k < n; k++)
        if (!shape_walk(&b, roots[k])) return NULL;
    memcpy(slots, b.slots, (size_t)b.n_slots * sizeof *slots);
    return shape_finish(&b, roots, n, a);
}

const expr_shape *shape_over(const expr_pool *p, const expr *roots, int n, const expr *given,
                             int n_given, arena *a)
{
    shape_builder b = {.p = p, .plain = true, .given = true, .n_slots = n_given};
    if (n_given > SHAPE_ROOM) return NULL;
    memcpy(b.slots, given, (size_t)n_given * sizeof *given);
    for (int k = 0; k < n; k++)
        if (!shape_walk(&b, roots[k])) return NULL;
    return shape_finish(&b, roots, n, a);
}

/* ---- using ----------------------------------------------------------------------------------- */

static inline bool shape_bind(expr *at, uint8_t k, expr e, bool first)
{
    if (first) at[k] = e;
    return at[k] == e;
}

static bool slots_fit(const expr_pool *p, const expr_shape *s, const expr *slots)
{
    for (int k = 0; k < s->n_slots; k++) {
        const expr_node *x = &p->node[slots[k]];
        if (x->op != EXPR_VAR || x->type != s->types[k]) return false;
        for (int j = 0; j < k; j++)
            if (slots[j] == slots[k]) return false; // one variable in two of them
    }
    return true;
}

bool shape_match(const expr_pool *p, const expr_shape *s, const expr *roots, expr *slots)
{
    expr at[SHAPE_ROOM];
    for (int k = 0; k < s->at_slot; k++) at[k] = s->numbers[k];
    for (int k = 0; k < s->n_roots; k++)
        if (!shape_bind(at, s->roots[k], roots[k], s->down >> k & 1)) return false;
    for (int k = s->n_steps; k--;) {
        const shape_step *x = &s->steps[k];
        const expr_node *n = &p->node[at[s->at_step + k]];
        if (n->op != x->op || n->type != x->type || n->enum_id != x->enum_id) return false;
        for (int j = 0; j < x->n; j++)
            if (!shape_bind(at, x->arg[j], n->u.arg[j], x->first >> j & 1)) return false;
    }
    if (!slots_fit(p, s, at + s->at_slot)) return false;
    for (int k = 0; k < s->n_slots; k++) slots[k] = at[s->at_slot + k];
    return true;
}

bool shape_is_more_than_a_sum(const expr_shape *s)
{
    for (int k = 0; k < s->n_steps; k++) {
        uint8_t op = s->steps[k].op;
        if (op != EXPR_ADD && op != EXPR_SUB && op != EXPR_NEG) return true;
    }
    return false;
}

/* The numbers are in `at`. */
static bool shape_fill(expr_pool *p, const expr_shape *s, const expr *slots, expr *at, expr *roots)
{
    bool as_written = true;
    for (int k = 0; k < s->n_slots; k++) at[s->at_slot + k] = slots[k];
    for (int k = 0; k < s->n_steps; k++) {
        const shape_step *x = &s->steps[k];
        expr_node key = {.op = x->op, .type = x->type, .enum_id = x->enum_id};
        for (int j = 0; j < 3; j++) key.u.arg[j] = j < x->n ? at[x->arg[j]] : 0;
        expr e = at[s->at_step + k] = expr_intern(p, &key, NULL);
        as_written = as_written && p->node[e].u.arg[0] == key.u.arg[0];
    }
    for (int k = 0; k < s->n_roots; k++) roots[k] = at[s->roots[k]];
    return as_written;
}

bool shape_make(expr_pool *p, const expr_shape *s, const expr *slots, expr *roots)
{
    expr at[SHAPE_ROOM];
    for (int k = 0; k < s->at_slot; k++) at[k] = s->numbers[k];
    return shape_fill(p, s, slots, at, roots);
}

void shape_write(expr_pool *p, const expr_pool *of, const expr_shape *s, const expr *slots,
                 expr *roots)
{
    expr at[SHAPE_ROOM];
    for (int k = 0; k < s->at_slot; k++)
        at[k] = expr_intern(p, &of->node[s->numbers[k]], NULL); // leaves
    shape_fill(p, s, slots, at, roots);
}

void shape_rewrite(expr_pool *p, const expr_shape *s, const expr *slots, const bool *changed,
                   expr *roots, bool *root_changed)
{
    expr at[SHAPE_ROOM], arg[3];
    bool other[SHAPE_ROOM] = {0};
    for (int k = 0; k < s->at_slot; k++) at[k] = s->numbers[k];
    for (int k = 0; k < s->n_slots; k++) {
        at[s->at_slot + k] = slots[k];
        other[s->at_slot + k] = changed[k];
    }
    for (int k = 0; k < s->n_steps; k++) {
        const shape_step *x = &s->steps[k];
        expr_node key = {.op = x->op, .type = x->type, .enum_id = x->enum_id};
        bool any = false;
        for (int j = 0; j < 3; j++) {
            arg[j] = key.u.arg[j] = j < x->n ? at[x->arg[j]] : 0;
            any = any || (j < x->n && other[x->arg[j]]);
        }
        other[s->at_step + k] = any;
        at[s->at_step + k] =
            any ? expr_make(p, (expr_op)x->op, arg, x->n) : expr_intern(p, &key, NULL);
    }
    for (int k = 0; k < s->n_roots; k++) {
        roots[k] = at[s->roots[k]];
        root_changed[k] = other[s->roots[k]];
    }
}
