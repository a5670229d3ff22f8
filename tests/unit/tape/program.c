/* Programs: recognising affine lists, finding what is wrong, printing.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_fixture.h"
#include "tape_oracle.h"

#include "tape/tape.h"

#include <math.h>

/* x[1] = 2 x[0] */
static const tape *twice(fixture *f)
{
    fresh(f);
    tape_store(f->b, tape_x(1), tape_op2(f->b, TAPE_MUL, tape_x(0), tape_const(f->b, 2.0)));
    return finish(f);
}

static const tape_program *map_of(fixture *f, const tape *t, int n, tape_access from,
                                  tape_access to)
{
    tape_program_builder *b = tape_program_new(&f->result);
    tape_program_map(b, t, n, (const tape_access[]){from, to});
    return tape_program_finish(b);
}

static void affine_lists_are_recognised(void **state)
{
    fixture *f = *state;
    const int up[] = {3, 5, 7, 9}, bent[] = {3, 5, 7, 8}, one[] = {6};
    const tape *t = twice(f);
    tape_access to = {TAPE_OUT, 0, 1, NULL};
    const tape_access *x = map_of(f, t, 4, (tape_access){TAPE_Y, 0, 0, up}, to)->steps[0].access;
    assert_true(!x[0].list && x[0].base == 3 && x[0].stride == 2);
    x = map_of(f, t, 4, (tape_access){TAPE_Y, 0, 0, bent}, to)->steps[0].access;
    assert_true(x[0].list && x[0].list != bent && x[0].list[3] == 8);
    const tape_program *p = map_of(f, t, 1, (tape_access){TAPE_Y, 0, 0, one}, to);
    assert_true(!p->steps[0].access[0].list && p->steps[0].access[0].base == 6);
    assert_int_equal(p->extent[TAPE_Y], 7);
    assert_int_equal(p->extent[TAPE_OUT], 1);
}

/* Nine instances are two registers of four and one: a product and a store each. A list is gathered number by number. */
static void maps_count_in_registers(void **state)
{
    fixture *f = *state;
    const int bent[] = {3, 5, 7, 8, 1, 4, 2, 6, 0};
    const tape *t = twice(f);
    tape_access y = {TAPE_Y, 0, 1, NULL}, to = {TAPE_OUT, 0, 1, NULL};
    double one = tape_program_work(map_of(f, t, 1, y, to));
    assert_true(one > 0 && tape_program_work(map_of(f, t, 4, y, to)) == one);
    assert_true(tape_program_work(map_of(f, t, 9, y, to)) == 3 * one);
    y.list = bent;
    assert_true(tape_program_work(map_of(f, t, 9, y, to)) == 3 * one + 9 * 0.5);
}

/* Elements that differ by a number throughout share one list. */
static void lists_are_shared(void **state)
{
    fixture *f = *state;
    const int bent[] = {3, 5, 7, 8}, beside[] = {13, 15, 17, 18}, other[] = {3, 5, 7, 9 + 1};
    const tape *t = twice(f);
    tape_access from = {TAPE_Y, 0, 0, bent};
    const tape_program *p = map_of(f, t, 4, from, (tape_access){TAPE_OUT, 0, 0, beside});
    const tape_access *x = p->steps[0].access;
    assert_true(x[0].list == x[1].list && x[0].base == 0 && x[1].base == 10);
    for (int i = 0; i < 4; i++) assert_int_equal(tape_element(&x[1], i), beside[i]);
    assert_int_equal(p->extent[TAPE_Y], 9);
    assert_int_equal(p->extent[TAPE_OUT], 19);
    x = map_of(f, t, 4, from, (tape_access){TAPE_OUT, 0, 0, other})->steps[0].access;
    assert_true(x[1].list != x[0].list && tape_element(&x[1], 3) == 10);
}

/* out = p0 (y0 + p1 y1) + w0, where the first kernel has put p1 p1 into w0. With p = (2, 0) that is 2 y0
 * and one instruction beside stores. */
static void numbers_pass_from_step_to_step(void **state)
{
    fixture *f = *state;
    tape_program_builder *b = tape_program_new(&f->result);
    fresh(f);
    tape_store(f->b, tape_w(0), tape_op2(f->b, TAPE_MUL, tape_p(1), tape_p(1)));
    tape_program_kernel(b, finish(f));
    fresh(f);
    tape_ref sum =
        tape_op2(f->b, TAPE_ADD, tape_y(0), tape_op2(f->b, TAPE_MUL, tape_p(1), tape_y(1)));
    tape_store(f->b, tape_out(0),
               tape_op2(f->b, TAPE_ADD, tape_op2(f->b, TAPE_MUL, tape_p(0), sum), tape_w(0)));
    tape_program_kernel(b, finish(f));
    const double p[] = {2, 0}, y[] = {3, INFINITY};
    const tape_program *bound =
        tape_program_bind(tape_program_finish(b), p, &f->scratch, &f->result);
    assert_int_equal(bound->n_steps, 2);
    assert_int_equal(bound->steps[1].kernel->n_ins, 2);
    double w[1], out[1], scratch[8];
    assert_true(tape_program_scratch(bound) <= 8);
    tape_args args = {.p = p, .y = y, .w = w, .out = out, .scratch = scratch};
    tape_program_run(bound, &args);
    assert_true(w[0] == 0 && out[0] == 6);
}

/* w_i = y_i sin(p0 t) + t, out_i = w_i + sin(p0 t) exp(y5): one sine and one product are passed on, and of
 * twice(), which calls nothing, nothing is. */
static void what_is_alike_is_computed_once(void **state)
{
    fixture *f = *state;
    tape_program_builder *b = tape_program_new(&f->result);
    tape_access y = {TAPE_Y, 0, 1, NULL}, w = {TAPE_W, 0, 1, NULL}, out = {TAPE_OUT, 0, 1, NULL};
    for (int k = 0; k < 2; k++) {
        fresh(f);
        tape_ref sine = tape_op1(f->b, TAPE_SIN, tape_op2(f->b, TAPE_MUL, tape_p(0), tape_t()));
        tape_ref product = tape_op2(f->b, TAPE_MUL, sine, tape_op1(f->b, TAPE_EXP, tape_y(5)));
        tape_ref first = tape_op2(f->b, TAPE_MUL, tape_x(0), sine);
        tape_store(f->b, tape_x(1),
                   k ? tape_op2(f->b, TAPE_ADD, tape_x(0), product)
                     : tape_op2(f->b, TAPE_ADD, first, tape_t()));
        tape_program_map(b, finish(f), 4, (const tape_access[]){k ? w : y, k ? out : w});
    }
    const tape_program *plain = tape_program_finish(b);
    const tape_program *p = tape_program_hoist(plain, 10, &f->scratch, &f->result);
    assert_null(program_check(p, &f->scratch));
    assert_int_equal(p->n_steps, 3);
    assert_int_equal(p->extent[TAPE_W], 12);
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < p->steps[k].kernel->n_ins; i++)
            assert_true(p->steps[k].kernel->ins[i].op != TAPE_SIN &&
                        p->steps[k].kernel->ins[i].op != TAPE_EXP);
    const double q[] = {1.3}, at[] = {1, -2, 0.3, 4e3, 0, 0.7};
    double work[12] = {0}, expect[4], got[4], scratch[40];
    assert_true(tape_program_scratch(plain) <= 40 && tape_program_scratch(p) <= 40);
    tape_args args = {.t = 0.9, .p = q, .y = at, .w = work, .out = expect, .scratch = scratch};
    tape_program_run(plain, &args);
    args.out = got;
    tape_program_run(p, &args);
    assert_memory_equal(got, expect, sizeof got);
    const tape_program *none = map_of(f, twice(f), 4, y, out);
    assert_ptr_equal(tape_program_hoist(none, 10, &f->scratch, &f->result), none);
}

static int quotients_in(const tape *t)
{
    int n = 0;
    for (int i = 0; i < t->n_ins; i++) n += t->ins[i].op == TAPE_DIV;
    return n;
}

static const tape_program *quotients_only(fixture *f, const tape *const *kernel, int n)
{
    tape_program_builder *b = tape_program_new(&f->result);
    for (int k = 0; k < n; k++) tape_program_kernel(b, kernel[k]);
    return tape_program_reciprocals(tape_program_finish(b), &f->scratch, &f->result);
}

static tape_ref quotient(fixture *f, tape_ref a, tape_ref b)
{
    return tape_op2(f->b, TAPE_DIV, a, b);
}

/* By numbers, and by what depends on parameters: one reciprocal for all that share it. */
static void quotients_that_may_become_products(void **state)
{
    fixture *f = *state;
    fresh(f);
    tape_ref by = tape_op2(f->b, TAPE_ADD, tape_p(0), tape_const(f->b, 1));
    tape_store(f->b, tape_out(0), quotient(f, tape_y(0), tape_const(f->b, 49)));
    tape_store(f->b, tape_out(1), quotient(f, tape_y(0), by));
    tape_store(f->b, tape_out(2), quotient(f, tape_y(1), by));
    tape_store(f->b, tape_out(3), quotient(f, tape_y(1), tape_y(0)));
    const tape *t = finish(f);
    const tape_program *p = quotients_only(f, &t, 1);
    assert_int_equal(quotients_in(p->steps[0].kernel), 2);
    const double q[] = {0.7, -1}, y[] = {49, -3};
    double out[4];
    run_tape(p->steps[0].kernel, (tape_args){.p = q, .y = y, .out = out});
    const double expect[] = {49 * (1 / 49.0), 49 * (1 / 1.7), -3 * (1 / 1.7), -3 / 49.0};
    assert_memory_equal(out, expect, sizeof out);
    assert_true(out[0] != 1); // what decides is left alone for this
    // Divisors of 0 give what quotients by them give.
    run_tape(p->steps[0].kernel, (tape_args){.p = q + 1, .y = y, .out = out});
    assert_true(out[1] == INFINITY && out[2] == -INFINITY);
}

/* What is rounded or decides, numbers that a user gave, and numbers without a reciprocal; also where it is passed on. */
static void quotients_that_stay(void **state)
{
    fixture *f = *state;
    const tape *t[2];
    fresh(f);
    tape_ref part = quotient(f, tape_y(0), tape_const(f->b, 49)), zero = tape_const(f->b, 0);
    tape_store(f->b, tape_out(0), tape_op1(f->b, TAPE_FLOOR, part));
    tape_store(f->b, tape_out(1), tape_op2(f->b, TAPE_MUL, part, part));
    tape_ref root = tape_op2(f->b, TAPE_SUB, quotient(f, tape_y(1), tape_p(0)), tape_p(1));
    tape_store(f->b, tape_out(2), tape_op1(f->b, TAPE_SQRT, root));
    tape_ref side = quotient(f, tape_y(1), tape_const(f->b, 3));
    tape_store(f->b, tape_out(3), tape_select(f->b, TAPE_SEL_LE, side, zero, part, zero));
    tape_store(f->b, tape_out(4), quotient(f, tape_p(0), tape_const(f->b, 3)));
    tape_store(f->b, tape_out(5), quotient(f, tape_y(0), tape_const(f->b, 3e-310)));
    tape_store(f->b, tape_out(6), quotient(f, tape_y(0), tape_const(f->b, 1e308)));
    tape_store(f->b, tape_w(0), quotient(f, tape_y(1), tape_const(f->b, 7)));
    t[0] = finish(f);
    fresh(f);
    tape_store(f->b, tape_out(7), tape_op1(f->b, TAPE_CEIL, tape_w(0)));
    t[1] = finish(f);
    const tape_program *p = quotients_only(f, t, 2);
    assert_ptr_equal(p->steps[0].kernel, t[0]);
    assert_int_equal(quotients_in(t[0]), 7);
}

/* In a map one of its own stays, and two share a reciprocal; one by a number is a product. */
static void quotients_of_maps(void **state)
{
    fixture *f = *state;
    tape_access x[] = {{TAPE_Y, 0, 1, NULL}, {TAPE_P, 0, 1, NULL}, {TAPE_OUT, 0, 1, NULL}};
    for (int shared = 0; shared < 2; shared++) {
        fresh(f);
        tape_ref one = quotient(f, tape_x(0), tape_x(1)), sum = tape_const(f->b, 1);
        if (shared) sum = quotient(f, tape_op2(f->b, TAPE_MUL, tape_x(0), tape_x(0)), tape_x(1));
        sum = tape_op2(f->b, TAPE_ADD, quotient(f, tape_x(0), tape_const(f->b, 49)), sum);
        tape_store(f->b, tape_x(2), tape_op2(f->b, TAPE_ADD, one, sum));
        tape_program_builder *b = tape_program_new(&f->result);
        tape_program_map(b, finish(f), 4, x);
        const tape_program *p =
            tape_program_reciprocals(tape_program_finish(b), &f->scratch, &f->result);
        assert_null(program_check(p, &f->scratch));
        assert_int_equal(quotients_in(p->steps[0].kernel), 1);
    }
}

static void mistakes_are_found(void **state)
{
    fixture *f = *state;
    const tape *t = twice(f);
    const int same_twice[] = {1, 2, 1};
    tape_access y = {TAPE_Y, 0, 1, NULL}, out = {TAPE_OUT, 0, 1, NULL};
    assert_null(program_check(map_of(f, t, 3, y, out), &f->scratch));
    assert_string_equal(
        program_check(map_of(f, t, 3, y, (tape_access){TAPE_OUT, 0, 0, same_twice}), &f->scratch),
        "a location stored twice in one step");
    assert_string_equal(
        program_check(map_of(f, t, 3, y, (tape_access){TAPE_OUT, 0, 0, NULL}), &f->scratch),
        "a location stored twice in one step");
    assert_string_equal(
        program_check(map_of(f, t, 3, (tape_access){TAPE_Y, 1, -1, NULL}, out), &f->scratch),
        "a negative index");
    assert_string_equal(
        program_check(map_of(f, t, 3, y, (tape_access){TAPE_OUT, 1, -1, NULL}), &f->scratch),
        "a negative index");
    assert_string_equal(program_check(map_of(f, t, 3, out, out), &f->scratch),
                        "an operand that cannot be read");
    assert_string_equal(program_check(map_of(f, t, 3, y, y), &f->scratch),
                        "a store to an array that is only read");
    assert_string_equal(program_check(map_of(f, t, 3, (tape_access){TAPE_W, 0, 1, NULL},
                                             (tape_access){TAPE_W, 2, 1, NULL}),
                                      &f->scratch),
                        "a map reads what it stores");
    tape_program_builder *b = tape_program_new(&f->result);
    tape_program_kernel(b, t);
    assert_string_equal(program_check(tape_program_finish(b), &f->scratch),
                        "an operand of kind x outside a map");
}

static const tape_program *two_steps(fixture *f)
{
    const int start[] = {0, 2, 2, 3}, index[] = {1, 0, 2}, list[] = {0, 2, 5};
    const double coef[] = {1, -1, 0.5};
    tape_program_builder *b = tape_program_new(&f->result);
    tape_program_map(b, twice(f), 3,
                     (const tape_access[]){{TAPE_Y, 0, 0, list}, {TAPE_W, 0, 1, NULL}});
    tape_program_sum(b, 3, (tape_access){TAPE_OUT, 0, 2, NULL}, start, index, coef);
    return tape_program_finish(b);
}

static void programs_print(void **state)
{
    fixture *f = *state;
    tape_program_print(two_steps(f), &f->text);
    assert_string_equal(text_str(&f->text), "map 3\n"
                                            "  x[0]: y{0 2 5}\n"
                                            "  x[1]: w[0 + 1 i]\n"
                                            "%0 = mul 2 x[0]\n"
                                            "x[1] = %0\n"
                                            "sum 3 to out[0 + 2 i]\n"
                                            "  0: 1*w[1] -1*w[0]\n"
                                            "  1:\n"
                                            "  2: 0.5*w[2]\n");
}

/* By hand: w = 2*(y0, y2, y5); out0 = w1 - w0, out2 = 0 (an empty sum), out4 = w2/2. */
static void sums_follow_maps(void **state)
{
    fixture *f = *state;
    const tape_program *p = two_steps(f);
    const double y[6] = {1, 0, 10, 0, 0, 100};
    double w[3], out[5] = {9, 9, 9, 9, 9}, scratch[16];
    assert_true(tape_program_scratch(p) <= 16);
    tape_program_run(p, &(tape_args){.y = y, .w = w, .out = out, .scratch = scratch});
    const double expect[5] = {18, 9, 0, 9, 100};
    assert_memory_equal(out, expect, sizeof out);
    // The same as one tape: each w stored once, what follows uses the value itself.
    const tape *t = program_unroll(p, &f->scratch, &f->result);
    double w2[3], out2[5] = {9, 9, 9, 9, 9};
    run_tape(t, (tape_args){.y = y, .w = w2, .out = out2});
    assert_memory_equal(out2, expect, sizeof out2);
    assert_memory_equal(w2, w, sizeof w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(affine_lists_are_recognised),
        TEST(maps_count_in_registers),
        TEST(lists_are_shared),
        TEST(numbers_pass_from_step_to_step),
        TEST(what_is_alike_is_computed_once),
        TEST(quotients_that_may_become_products),
        TEST(quotients_that_stay),
        TEST(quotients_of_maps),
        TEST(mistakes_are_found),
        TEST(programs_print),
        TEST(sums_follow_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
