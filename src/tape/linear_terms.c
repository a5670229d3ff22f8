/* Terms that are linear in some unknowns, collected.
 *
 * Where twenty rooms hang on one circuit, the balance of the circuit is a sum of (d - T_i) u_i. As a function of d alone it is
 * a d + b, and a and b can be had from the rest once. So every value is taken for a sum: a rest that is not linear, a factor
 * times each chosen unknown, and what depends on none of them. Sums, differences and products with what depends on none
 * keep that form; any other operation writes it out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

typedef struct linear_form { // TAPE_NONE: there is no such term
    tape_ref rest, base;
    tape_ref *factor; // by chosen unknown; NULL: none has one
    tape_ref whole;   // written out; TAPE_NONE: not yet
} linear_form;

typedef struct collector {
    const tape *t;
    const int *chosen; // by unknown: its place, -1
    int *unknown, n;   // by place
    arena *scratch;
    tape_builder *b;
    linear_form *form; // by instruction
} collector;

static const linear_form NO_FORM = {.rest = TAPE_NONE, .base = TAPE_NONE, .whole = TAPE_NONE};

static bool form_is_given(const linear_form *x)
{
    return x->rest == TAPE_NONE && !x->factor;
}

static tape_ref *form_factors(const collector *c)
{
    tape_ref *factor = arena_array(c->scratch, tape_ref, c->n);
    for (int k = 0; k < c->n; k++) factor[k] = TAPE_NONE;
    return factor;
}

static linear_form form_of_ref(const collector *c, tape_ref r)
{
    linear_form x = NO_FORM;
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: return c->form[k];
    case TAPE_CONST: x.base = tape_const(c->b, c->t->consts[k]); break;
    case TAPE_YP: x.rest = r; break;
    case TAPE_Y:
        if (c->chosen[k] >= 0) {
            x.factor = form_factors(c);
            x.factor[c->chosen[k]] = tape_const(c->b, 1);
            break;
        }
        x.base = r;
        break;
    default: x.base = r;
    }
    x.whole = r;
    if (tape_kind_of(r) == TAPE_CONST) x.whole = x.base;
    return x;
}

/* a + b or a - b, where either may be nothing. */
static tape_ref term_sum(const collector *c, tape_op op, tape_ref a, tape_ref b)
{
    if (b == TAPE_NONE) return a;
    if (a == TAPE_NONE) return op == TAPE_SUB ? tape_op1(c->b, TAPE_NEG, b) : b;
    return tape_op2(c->b, op, a, b);
}

static linear_form form_sum(const collector *c, tape_op op, const linear_form *a,
                            const linear_form *b)
{
    linear_form x = NO_FORM;
    x.rest = term_sum(c, op, a->rest, b->rest);
    x.base = term_sum(c, op, a->base, b->base);
    if (!a->factor && !b->factor) return x;
    x.factor = form_factors(c);
    for (int k = 0; k < c->n; k++)
        x.factor[k] = term_sum(c, op, a->factor ? a->factor[k] : TAPE_NONE,
                               b->factor ? b->factor[k] : TAPE_NONE);
    return x;
}

/* Every term times, or over, what depends on no chosen unknown. */
static linear_form form_scaled(const collector *c, tape_op op, const linear_form *a, tape_ref by)
{
    linear_form x = NO_FORM;
    if (a->rest != TAPE_NONE) x.rest = tape_op2(c->b, op, a->rest, by);
    if (a->base != TAPE_NONE) x.base = tape_op2(c->b, op, a->base, by);
    if (!a->factor) return x;
    x.factor = form_factors(c);
    for (int k = 0; k < c->n; k++)
        if (a->factor[k] != TAPE_NONE) x.factor[k] = tape_op2(c->b, op, a->factor[k], by);
    return x;
}

static tape_ref form_write(const collector *c, linear_form *x)
{
    if (x->whole != TAPE_NONE) return x->whole;
    tape_ref sum = x->rest;
    for (int k = 0; k < c->n && x->factor; k++) {
        if (x->factor[k] == TAPE_NONE) continue;
        tape_ref term = tape_op2(c->b, TAPE_MUL, tape_y(c->unknown[k]), x->factor[k]);
        sum = term_sum(c, TAPE_ADD, sum, term);
    }
    sum = term_sum(c, TAPE_ADD, sum, x->base);
    return x->whole = sum == TAPE_NONE ? tape_const(c->b, 0) : sum;
}

static tape_ref form_written(const collector *c, tape_ref r)
{
    linear_form x = form_of_ref(c, r);
    return form_write(c, tape_kind_of(r) == TAPE_VALUE ? &c->form[tape_index_of(r)] : &x);
}

static linear_form form_of_other(const collector *c, const tape_ins *in)
{
    linear_form x = NO_FORM;
    const tape_ref *of = &in->a;
    tape_ref r[4] = {0};
    int n = tape_op_operands((tape_op)in->op);
    bool given = true;
    for (int k = 0; k < n; k++) {
        linear_form y = form_of_ref(c, of[k]);
        given = given && form_is_given(&y);
        r[k] = form_written(c, of[k]);
    }
    tape_ref value = n == 1   ? tape_op1(c->b, in->op, r[0])
                     : n == 2 ? tape_op2(c->b, in->op, r[0], r[1])
                              : tape_select(c->b, in->op, r[0], r[1], r[2], r[3]);
    *(given ? &x.base : &x.rest) = value;
    x.whole = value;
    return x;
}

static linear_form form_of_ins(const collector *c, const tape_ins *in)
{
    linear_form a = form_of_ref(c, in->a), b = NO_FORM;
    if (tape_op_operands((tape_op)in->op) == 2) b = form_of_ref(c, in->b);
    bool linear = !form_is_given(&a) || !form_is_given(&b);
    if (linear) switch (in->op) {
        case TAPE_NEG: return form_sum(c, TAPE_SUB, &NO_FORM, &a);
        case TAPE_ADD:
        case TAPE_SUB: return form_sum(c, in->op, &a, &b);
        case TAPE_MUL:
            if (form_is_given(&b)) return form_scaled(c, TAPE_MUL, &a, form_written(c, in->b));
            if (form_is_given(&a)) return form_scaled(c, TAPE_MUL, &b, form_written(c, in->a));
            break;
        case TAPE_DIV:
            if (form_is_given(&b)) return form_scaled(c, TAPE_DIV, &a, form_written(c, in->b));
            break;
        default: break;
        }
    return form_of_other(c, in);
}

const tape *tape_collect(const tape *t, const int *chosen, int n, int n_unknowns, bool differences,
                         arena *scratch)
{
    collector c = {.t = t,
                   .chosen = chosen,
                   .unknown = arena_array(scratch, int, n + 1),
                   .n = n,
                   .scratch = scratch,
                   .b = tape_builder_sized(scratch, t->n_ins),
                   .form = arena_array(scratch, linear_form, t->n_ins + 1)};
    for (int i = 0; i < n_unknowns; i++)
        if (chosen[i] >= 0) c.unknown[chosen[i]] = i;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (in->op != TAPE_STORE) {
            c.form[i] = form_of_ins(&c, in);
            continue;
        }
        linear_form x = form_of_ref(&c, in->b);
        if (differences) x.base = x.whole = TAPE_NONE;
        tape_store(c.b, in->a, differences ? form_write(&c, &x) : form_written(&c, in->b));
    }
    return tape_finish(c.b, scratch);
}
