/* Traces: which operation has no value, and what is computed, in Modelica.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_fixture.h"

#include "tape/trace.h"

#include <math.h>
#include <string.h>

/* t, y[0], y[1], p[0] are called time, x, z and R. */
static void leaf_name(void *user, tape_ref leaf, text *out)
{
    (void)user;
    bool second = tape_index_of(leaf) == 1;
    text_add(out, tape_kind_of(leaf) == TAPE_T   ? "time"
                  : tape_kind_of(leaf) == TAPE_P ? "R"
                  : second                       ? "z"
                                                 : "x");
}

typedef struct traced {
    tape_trace x;
    tape_ref root;
    double y[2], p[1];
} traced;

static void trace_of(fixture *f, tape_ref r, double x, double z, double R, traced *t)
{
    tape_store(f->b, tape_out(0), r);
    *t = (traced){.y = {x, z}, .p = {R}};
    t->x = (tape_trace){.args = {.y = t->y, .p = t->p}, .a = &f->result, .name = leaf_name};
    tape_trace_run(&t->x, finish(f));
    t->root = tape_trace_stored(&t->x, tape_out(0));
}

static void expect_words(const tape_trace *x, tape_ref r, const char *words)
{
    text out;
    text_init(&out, x->a->m);
    tape_trace_print(x, r, &out);
    assert_string_equal(text_str(&out), words);
    text_done(&out);
}

/* x^3 is x*x*x on a tape, and x/1.5 a product with 0.666...; both are written as they were. */
static void what_was_rewritten_is_written_back(void **state)
{
    fixture *f = *state;
    traced t;
    tape_ref x = tape_y(0), z = tape_y(1);
    fresh(f);
    trace_of(f, tape_powi(f->b, x, 3), 2, 0, 0, &t);
    expect_words(&t.x, t.root, "x^3");
    fresh(f);
    tape_ref half = tape_op2(f->b, TAPE_MUL, x, tape_const(f->b, 1 / 1.5));
    trace_of(f, tape_op2(f->b, TAPE_SUB, half, tape_op2(f->b, TAPE_SUB, x, z)), 2, 0, 0, &t);
    expect_words(&t.x, t.root, "x/1.5 - (x - z)");
    fresh(f);
    tape_ref yes = tape_op1(f->b, TAPE_NEG, x), no = tape_op2(f->b, TAPE_MIN, x, z);
    trace_of(f, tape_if(f->b, tape_lt(f->b, x, tape_const(f->b, -1)), yes, no), 2, 0, 0, &t);
    expect_words(&t.x, t.root, "if x < -1 then -x else min(x, z)");
}

/* z + log(x - R): the logarithm is to blame, and not the sum. A branch that is not taken is not. */
static void operation_whose_operands_are_finite(void **state)
{
    fixture *f = *state;
    traced t;
    tape_ref leaf, x = tape_y(0), z = tape_y(1);
    fresh(f);
    tape_ref log = tape_op1(f->b, TAPE_LOG, tape_op2(f->b, TAPE_SUB, x, tape_p(0)));
    trace_of(f, tape_op2(f->b, TAPE_ADD, z, log), 1, 5, 3, &t);
    tape_ref r = tape_trace_blamed(&t.x, t.root, &leaf);
    expect_words(&t.x, r, "log(x - R)");
    tape_ref leaves[4];
    assert_int_equal(tape_trace_leaves(&t.x, r, leaves, 4), 2);
    assert_true(leaves[0] == tape_y(0) && leaves[1] == tape_p(0));
    fresh(f);
    tape_ref root = tape_op1(f->b, TAPE_SQRT, x), pole = tape_op2(f->b, TAPE_DIV, z, x);
    trace_of(f, tape_select(f->b, TAPE_SEL_LT, z, x, root, pole), 0, 5, 3, &t);
    expect_words(&t.x, tape_trace_blamed(&t.x, t.root, &leaf), "z/x");
}

/* An unknown that is no number is to blame where no operation is. */
static void unknown_that_is_no_number(void **state)
{
    fixture *f = *state;
    traced t;
    tape_ref leaf;
    fresh(f);
    trace_of(f, tape_op2(f->b, TAPE_ADD, tape_y(0), tape_y(1)), 1, NAN, 0, &t);
    assert_true(tape_trace_blamed(&t.x, t.root, &leaf) == TAPE_NONE);
    assert_true(leaf == tape_y(1));
}

/* z/R and x/R share 1/R: the quotient that the user wrote is told. */
static void reciprocal_is_told_as_quotient(void **state)
{
    fixture *f = *state;
    traced t;
    tape_ref leaf;
    fresh(f);
    tape_ref by = tape_op2(f->b, TAPE_DIV, tape_const(f->b, 1), tape_p(0));
    trace_of(f, tape_op2(f->b, TAPE_MUL, tape_y(1), by), 1, 5, 0, &t);
    tape_ref r = tape_trace_blamed(&t.x, t.root, &leaf);
    expect_words(&t.x, r, "1/R");
    expect_words(&t.x, tape_trace_quotient(&t.x, t.root, r), "z/R");
}

/* A sum of a thousand terms is cut after 80 letters. */
static void long_expressions_are_cut(void **state)
{
    fixture *f = *state;
    traced t;
    fresh(f);
    tape_ref sum = tape_y(0);
    for (int k = 0; k < 1000; k++)
        sum = tape_op2(f->b, TAPE_ADD, tape_op1(f->b, TAPE_SIN, sum), tape_y(1));
    trace_of(f, sum, 1, 1, 1, &t);
    text out;
    text_init(&out, &f->m);
    tape_trace_print(&t.x, t.root, &out);
    assert_true(out.n <= TAPE_OPERATION_LETTERS && strstr(text_str(&out), "..."));
    text_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(what_was_rewritten_is_written_back), TEST(operation_whose_operands_are_finite),
        TEST(unknown_that_is_no_number),          TEST(reciprocal_is_told_as_quotient),
        TEST(long_expressions_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
