/* Shapes: what is of one, what is not, and expressions made from them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "expr/shape.h"

/* x = k*(y - 2*z) */
static void sides_of(fixture *f, expr x, expr y, expr z, expr *sides)
{
    expr_pool *p = &f->p;
    sides[0] = x;
    sides[1] = expr_mul(p, f->k, expr_sub(p, y, expr_mul(p, p->two, z)));
}

static void equal_but_for_variables(void **state)
{
    fixture *f = *state;
    expr sides[2], others[2], slots[SHAPE_SLOTS];
    sides_of(f, f->x, f->y, f->z, sides);
    const expr_shape *s = shape_of(&f->p, sides, 2, &f->a, slots);
    assert_non_null(s);
    assert_int_equal(s->n_slots, 4);
    assert_int_equal(slots[0], f->x); // from left to right
    assert_int_equal(slots[1], f->k);
    assert_int_equal(slots[2], f->y);
    assert_int_equal(slots[3], f->z);
    assert_true(s->plain);
    sides_of(f, f->u, f->v, f->w, others);
    assert_true(shape_match(&f->p, s, others, slots));
    assert_int_equal(slots[0], f->u);
    assert_int_equal(slots[3], f->w);
}

static void not_equal(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr sides[2], others[2], slots[SHAPE_SLOTS];
    sides_of(f, f->x, f->y, f->z, sides);
    const expr_shape *s = shape_of(p, sides, 2, &f->a, slots);
    sides_of(f, f->u, f->v, f->v, others); // v - 2*v: one variable in two slots
    assert_false(shape_match(p, s, others, slots));
    others[0] = f->u;
    others[1] = expr_mul(p, f->k, expr_sub(p, f->v, expr_mul(p, expr_real(p, 3), f->w)));
    assert_false(shape_match(p, s, others, slots)); // another number
    others[1] = expr_mul(p, f->k, expr_add(p, f->v, expr_mul(p, p->two, f->w)));
    assert_false(shape_match(p, s, others, slots)); // another operator
    sides_of(f, f->u, f->v, f->i, others);
    assert_false(shape_match(p, s, others, slots)); // an Integer
    sides_of(f, expr_1(p, EXPR_SIN, f->u), f->v, f->w, others);
    assert_false(shape_match(p, s, others, slots)); // no variable
}

/* A variable that occurs twice is one slot, and has to be one in others. */
static void one_variable_twice(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr slots[SHAPE_SLOTS];
    expr e = expr_add(p, f->x, expr_1(p, EXPR_SIN, f->x)),
         same = expr_add(p, f->y, expr_1(p, EXPR_SIN, f->y)),
         other = expr_add(p, f->y, expr_1(p, EXPR_SIN, f->z));
    const expr_shape *s = shape_of(p, &e, 1, &f->a, slots);
    assert_int_equal(s->n_slots, 1);
    assert_true(shape_match(p, s, &same, slots));
    assert_false(shape_match(p, s, &other, slots));
}

static void made_again(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr sides[2], slots[SHAPE_SLOTS], made[2];
    sides_of(f, f->x, f->y, f->z, sides);
    const expr_shape *s = shape_of(p, sides, 2, &f->a, slots);
    const expr others[] = {f->u, f->k, f->v, f->w};
    assert_true(shape_make(p, s, others, made));
    expr expected[2];
    sides_of(f, f->u, f->v, f->w, expected);
    assert_int_equal(made[0], expected[0]);
    assert_int_equal(made[1], expected[1]);
}

/* A sum that is there in another order is that one, and not of the shape. */
static void written_in_another_order(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr slots[SHAPE_SLOTS], made;
    expr e = expr_add(p, f->x, f->y), there = expr_add(p, f->v, f->u);
    const expr_shape *s = shape_of(p, &e, 1, &f->a, slots);
    const expr others[] = {f->u, f->v};
    assert_false(shape_make(p, s, others, &made));
    assert_int_equal(made, there);
    assert_true(shape_match(p, s, &there, slots));
    assert_int_equal(slots[0], f->v);
}

/* Made of expressions that are given: these are not looked into. */
static void over_given_ones(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr left = expr_1(p, EXPR_SIN, f->x), right = expr_1(p, EXPR_COS, f->y), made;
    expr e = expr_div(p, expr_sub(p, left, right), f->k);
    const expr given[] = {left, right, f->k}, others[] = {f->u, f->v, f->w};
    const expr_shape *s = shape_over(p, &e, 1, given, 3, &f->a);
    assert_int_equal(s->n_steps, 2);
    assert_true(shape_make(p, s, others, &made));
    assert_shown(f, made, "(u - v)/w");
    assert_null(shape_over(p, &e, 1, given, 1, &f->a)); // y and k are not among them
}

static void too_large_or_strange(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr slots[SHAPE_SLOTS], e = expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, &f->x, 1);
    assert_null(shape_of(p, &e, 1, &f->a, slots));
    e = expr_1(p, EXPR_PRE, f->x);
    assert_null(shape_of(p, &e, 1, &f->a, slots));
    e = f->x;
    for (int i = 0; i < SHAPE_ROOM; i++) e = expr_1(p, EXPR_SIN, e);
    assert_null(shape_of(p, &e, 1, &f->a, slots));
    e = f->x;
    for (int i = 0; i < SHAPE_SLOTS; i++) e = expr_add(p, e, expr_var(p, 100 + i, 0, TYPE_REAL, 0));
    assert_null(shape_of(p, &e, 1, &f->a, slots));
}

/* What rewriting makes of an expression when others are put in for some of its variables. */
static void rewritten(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr sides[2], slots[SHAPE_SLOTS], made[2], like[2];
    bool changed[SHAPE_SLOTS] = {0}, any[2];
    sides_of(f, f->x, f->y, f->z, sides);
    const expr_shape *s = shape_of(p, sides, 2, &f->a, slots);
    shape_rewrite(p, s, slots, changed, made, any);
    assert_int_equal(made[1], sides[1]);
    assert_false(any[0] || any[1]);
    slots[2] = p->zero; // y
    changed[2] = true;
    shape_rewrite(p, s, slots, changed, made, any);
    sides_of(f, f->x, p->zero, f->z, like); // simplified
    assert_int_equal(made[0], f->x);
    assert_int_equal(made[1], like[1]);
    assert_true(!any[0] && any[1]);
}

static void in_another_pool(void **state)
{
    fixture *f = *state;
    expr sides[2], slots[SHAPE_SLOTS], made[2];
    sides_of(f, f->x, f->y, f->z, sides);
    const expr_shape *s = shape_of(&f->p, sides, 2, &f->a, slots);
    assert_true(shape_is_more_than_a_sum(s));
    expr_pool other;
    expr_init(&other, &f->a);
    for (int k = 0; k < s->n_slots; k++)
        slots[k] = expr_var(&other, expr_at(&f->p, slots[k])->u.var.index, 0, TYPE_REAL, 0);
    int before = f->p.n;
    shape_write(&other, &f->p, s, slots, made);
    assert_int_equal(f->p.n, before);
    expr_node n = *expr_at(&other, made[1]), m = *expr_at(&f->p, sides[1]);
    assert_int_equal(n.op, m.op);
    double two;
    expr product = expr_at(&other, n.u.arg[1])->u.arg[1];
    assert_true(expr_number(&other, expr_at(&other, product)->u.arg[0], &two));
    assert_float_equal(two, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(equal_but_for_variables),  unit(not_equal),
        unit(one_variable_twice),       unit(made_again),
        unit(over_given_ones),          unit(too_large_or_strange),
        unit(written_in_another_order), unit(rewritten),
        unit(in_another_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
