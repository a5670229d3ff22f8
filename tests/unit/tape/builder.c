/* Building and interpreting tapes: folding, sharing, dead code, order of stores.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_fixture.h"

static const double specials[] = {0.0,    -0.0,  1.0,       -1.0,     2.0,      0.5,   -3.25,
                                  1e-320, 1e308, -INFINITY, INFINITY, NAN,      1e-10, 0.1,
                                  7.0,    -2.0,  1e16,      4.9e-324, -1.7e300, 3.0};
enum { N_SPECIALS = sizeof specials / sizeof *specials };

static void equal_expressions_are_one(void **state)
{
    fixture *f = *state;
    tape_ref s = tape_op2(f->b, TAPE_ADD, tape_y(0), tape_y(1));
    assert_int_equal(s, tape_op2(f->b, TAPE_ADD, tape_y(1), tape_y(0)));
    assert_int_not_equal(tape_op2(f->b, TAPE_SUB, tape_y(0), tape_y(1)),
                         tape_op2(f->b, TAPE_SUB, tape_y(1), tape_y(0)));
    assert_int_equal(tape_const(f->b, 0.1), tape_const(f->b, 0.1));
    assert_int_not_equal(tape_const(f->b, 0.0), tape_const(f->b, -0.0));
    // Enough distinct ones that the tables grow several times.
    tape_ref first[3000];
    for (int i = 0; i < 3000; i++)
        first[i] = tape_op2(f->b, TAPE_MUL, tape_y(i), tape_const(f->b, i + 2.5));
    for (int i = 0; i < 3000; i++)
        assert_int_equal(first[i], tape_op2(f->b, TAPE_MUL, tape_const(f->b, i + 2.5), tape_y(i)));
}

static void what_no_store_needs_is_dropped(void **state)
{
    fixture *f = *state;
    tape_ref used = tape_op1(f->b, TAPE_SIN, tape_y(2));
    tape_op2(f->b, TAPE_MUL, used, tape_const(f->b, 17.0));
    tape_store(f->b, tape_out(1), used);
    const tape *t = finish(f);
    tape_print(t, &f->text);
    assert_string_equal(text_str(&f->text), "%0 = sin y[2]\nout[1] = %0\n");
    assert_int_equal(t->n_consts, 0);
    assert_int_equal(t->extent[TAPE_Y], 3);
    assert_int_equal(t->extent[TAPE_OUT], 2);
    assert_int_equal(t->extent[TAPE_P], 0);
}

/* Every rewriting of the builder keeps every bit: operations on leaves (no rewriting possible but
 * sharing) against the same operations with constants and negations in all places. */
static double eval(fixture *f, tape_ref r, double x, double y)
{
    tape_store(f->b, tape_out(0), r);
    const tape *t = finish(f);
    double out = 0, in[2] = {x, y};
    run_tape(t, (tape_args){.y = in, .out = &out});
    fresh(f);
    return out;
}

static void identities_keep_every_bit(void **state)
{
    fixture *f = *state;
    arena_mark scratch = arena_here(&f->scratch), result = arena_here(&f->result);
    for (int op = 0; op < TAPE_N_OPS; op++) {
        if (tape_op_operands(op) != 2) continue;
        for (int i = 0; i < N_SPECIALS; i++) {
            for (int j = 0; j < N_SPECIALS; j++) {
                double x = specials[i], y = specials[j];
                for (int form = 0; form < 9; form++) {
                    fresh(f);
                    // Each operand as y[.], as a constant, and as the negative of a negation.
                    tape_ref u = tape_y(0), v = tape_y(1);
                    if (form % 3 == 1) u = tape_const(f->b, x);
                    if (form / 3 == 1) v = tape_const(f->b, y);
                    if (form % 3 == 2) u = tape_op1(f->b, TAPE_NEG, u);
                    if (form / 3 == 2) v = tape_op1(f->b, TAPE_NEG, v);
                    double a = form % 3 == 2 ? -x : x, b = form / 3 == 2 ? -y : y;
                    double expect = tape_op_value(op, a, b, 0, 0);
                    // Exponents a C compiler expands are expanded (build.c, power).
                    if (op == TAPE_POW && form / 3 == 1 && (y == 2 || y == -1))
                        expect = y == 2 ? a * a : 1 / a;
                    double got = eval(f, tape_op2(f->b, op, u, v), x, y);
                    if (!same(got, expect))
                        fail_msg("%s(%g, %g) form %d: %a, not %a", tape_op_name(op), a, b, form,
                                 got, expect);
                    arena_release(&f->scratch, scratch);
                    arena_release(&f->result, result);
                }
            }
        }
    }
}

static void selects_and_logic(void **state)
{
    fixture *f = *state;
    tape_builder *b = f->b;
    tape_ref lt = tape_lt(b, tape_y(0), tape_y(1));
    // Conditions that are relations select on the relation itself, negated or not.
    tape_ref pick = tape_if(b, lt, tape_y(2), tape_y(3));
    assert_int_equal(pick, tape_select(b, TAPE_SEL_LT, tape_y(0), tape_y(1), tape_y(2), tape_y(3)));
    assert_int_equal(tape_if(b, tape_not(b, lt), tape_y(3), tape_y(2)), pick);
    assert_int_equal(tape_not(b, tape_not(b, lt)), lt);
    tape_ref p = tape_p(0), q = tape_p(1);
    tape_store(b, tape_out(0), tape_and(b, p, q));
    tape_store(b, tape_out(1), tape_or(b, p, q));
    tape_store(b, tape_out(2), tape_not(b, p));
    tape_store(b, tape_out(3), tape_le(b, p, q));
    tape_store(b, tape_out(4), tape_eq(b, p, q));
    tape_store(b, tape_out(5), tape_ne(b, p, q));
    tape_store(b, tape_out(6), tape_and(b, lt, tape_lt(b, tape_y(1), tape_y(2))));
    const tape *t = finish(f);
    for (int k = 0; k < 4; k++) {
        double in[2] = {k & 1, k >> 1}, y[3] = {1, 2, 1.0 + k}, out[7];
        run_tape(t, (tape_args){.p = in, .y = y, .out = out});
        assert_true(out[0] == (k == 3) && out[1] == (k != 0) && out[2] == !(k & 1));
        assert_true(out[3] == (in[0] <= in[1]) && out[4] == (in[0] == in[1]));
        assert_true(out[5] == (in[0] != in[1]) && out[6] == (2 < y[2]));
    }
}

static void modelica_divisions(void **state)
{
    fixture *f = *state;
    tape_ref x = tape_y(0), y = tape_y(1);
    tape_store(f->b, tape_out(0), tape_div(f->b, x, y));
    tape_store(f->b, tape_out(1), tape_mod(f->b, x, y));
    tape_store(f->b, tape_out(2), tape_rem(f->b, x, y));
    tape_store(f->b, tape_out(3), tape_sign(f->b, x));
    tape_store(f->b, tape_out(4), tape_powi(f->b, x, 3));
    tape_store(f->b, tape_out(5), tape_powi(f->b, x, -2));
    tape_store(f->b, tape_out(6), tape_powi(f->b, x, 0));
    const tape *t = finish(f);
    // mod and rem by the examples of the Modelica 3.6 specification, section 3.7.1.1:
    // mod(3, 1.4) = 0.2, mod(-3, 1.4) = 1.2, rem(3, 1.4) = 0.2, rem(-3, 1.4) = -0.2.
    double out[7], in[2] = {3, 1.4};
    run_tape(t, (tape_args){.y = in, .out = out});
    assert_true(out[0] == 2 && fabs(out[1] - 0.2) < 1e-15 && fabs(out[2] - 0.2) < 1e-15);
    assert_true(out[3] == 1 && out[4] == 27 && out[5] == 1.0 / 9 && out[6] == 1);
    in[0] = -3;
    run_tape(t, (tape_args){.y = in, .out = out});
    assert_true(out[0] == -2 && fabs(out[1] - 1.2) < 1e-15 && fabs(out[2] + 0.2) < 1e-15);
    assert_true(out[3] == -1 && out[4] == -27 && out[5] == 1.0 / 9 && out[6] == 1);
}

static void work_is_read_as_on_entry(void **state)
{
    fixture *f = *state;
    // Exchange w[0] and w[1], rotate in a sum that is written first but reads both.
    tape_store(f->b, tape_w(0), tape_w(1));
    tape_store(f->b, tape_w(1), tape_w(0));
    tape_store(f->b, tape_w(2), tape_op2(f->b, TAPE_SUB, tape_w(0), tape_w(2)));
    tape_store(f->b, tape_out(0), tape_op2(f->b, TAPE_ADD, tape_w(1), tape_w(2)));
    const tape *t = finish(f);
    double w[3] = {3, 5, 7}, out;
    run_tape(t, (tape_args){.w = w, .out = &out});
    assert_true(w[0] == 5 && w[1] == 3 && w[2] == -4 && out == 12);
}

static void sum_and_product(void *user, void *run, const double *in, double *out)
{
    (void)run;
    ++*(int *)user;
    out[0] = in[0] + in[1];
    out[1] = in[0] * in[1];
}

static void calls_are_shared_unless_impure(void **state)
{
    fixture *f = *state;
    for (int impure = 0; impure < 2; impure++) {
        int count = 0;
        tape_function fn = {.name = "sp",
                            .n_in = 2,
                            .n_out = 2,
                            .value = sum_and_product,
                            .user = &count,
                            .impure = impure};
        tape_ref in[2] = {tape_y(0), tape_op1(f->b, TAPE_NEG, tape_y(1))}, r[2], s[2];
        tape_call_fn(f->b, &fn, in, r);
        tape_call_fn(f->b, &fn, in, s);
        assert_true((r[1] == s[1]) == !impure);
        tape_store(f->b, tape_out(0), tape_op2(f->b, TAPE_SUB, r[1], s[0]));
        const tape_ref unused[2] = {in[1], in[0]};
        tape_call_fn(f->b, &fn, unused, s); // nobody uses its results
        const tape *t = finish(f);
        double y[2] = {2, 3}, out;
        run_tape(t, (tape_args){.y = y, .out = &out});
        assert_true(out == -6 - -1);
        assert_int_equal(count, impure ? 3 : 1);
        fresh(f);
    }
}

/* Two selects with one condition, one inside another, need the results of a call: it is made where
 * both conditions hold. A call that is needed outside of them, too, is always made. */
static void calls_are_made_where_they_are_needed(void **state)
{
    fixture *f = *state;
    for (int outside = 0; outside < 2; outside++) {
        int count = 0;
        tape_function fn = {
            .name = "sp", .n_in = 2, .n_out = 2, .value = sum_and_product, .user = &count};
        tape_ref zero = tape_const(f->b, 0), in[2] = {tape_y(0), tape_y(1)}, r[2];
        tape_ref side = tape_op2(f->b, TAPE_SUB, tape_y(0), tape_const(f->b, 1));
        tape_call_fn(f->b, &fn, in, r);
        tape_ref inner = tape_select(f->b, TAPE_SEL_LT, zero, tape_y(1), r[0], tape_y(2));
        tape_store(f->b, tape_out(0), tape_select(f->b, TAPE_SEL_LT, side, zero, tape_y(2), inner));
        inner = tape_select(f->b, TAPE_SEL_LT, zero, tape_y(1), r[1], zero);
        tape_store(f->b, tape_out(1), tape_select(f->b, TAPE_SEL_LT, side, zero, zero, inner));
        if (outside) tape_store(f->b, tape_out(2), r[0]);
        const tape *t = finish(f);
        const double at[][5] = {
            {2, 3, 9, 5, 6}, {0, 3, 9, 9, 0}, {2, -3, 9, 9, 0}, {0, -3, 9, 9, 0}};
        for (int k = 0; k < 4; k++) {
            double out[3];
            run_tape(t, (tape_args){.y = at[k], .out = out});
            assert_true(out[0] == at[k][3] && out[1] == at[k][4]);
            assert_int_equal(count, outside ? k + 1 : 1);
        }
        fresh(f);
    }
}

/* if y[0] < 1 then 0 elseif y[1] < 2 then call else 0, and if y[1] < 2 then call else 0: what both ask
 * of y[1] guards the call, though they ask in another order. */
static void conditions_in_another_order(void **state)
{
    fixture *f = *state;
    int count = 0;
    tape_function fn = {
        .name = "sp", .n_in = 2, .n_out = 2, .value = sum_and_product, .user = &count};
    tape_ref zero = tape_const(f->b, 0), in[2] = {tape_y(0), tape_y(1)}, r[2];
    tape_ref first = tape_lt(f->b, tape_y(0), tape_const(f->b, 1));
    tape_ref second = tape_lt(f->b, tape_y(1), tape_const(f->b, 2));
    tape_call_fn(f->b, &fn, in, r);
    tape_ref chain = tape_if(f->b, first, zero, tape_if(f->b, second, r[0], zero));
    tape_ref alone = tape_if(f->b, second, r[1], zero);
    tape_store(f->b, tape_out(0), tape_op2(f->b, TAPE_ADD, chain, alone));
    const tape *t = finish(f);
    double y[2] = {3, 5}, out;
    run_tape(t, (tape_args){.y = y, .out = &out});
    assert_true(out == 0);
    assert_int_equal(count, 0);
    y[1] = 1;
    run_tape(t, (tape_args){.y = y, .out = &out});
    assert_true(out == 4 + 3);
    y[0] = 0.5;
    run_tape(t, (tape_args){.y = y, .out = &out});
    assert_true(out == 0.5);
    assert_int_equal(count, 2);
}

/* (a - b)^2 and (b - a)^2 are one value, as are |a - b| and |b - a|, whichever difference was there first; a - b and b - a
 * are two, since they differ in the sign of zero. */
static void differences_without_their_signs_are_one(void **state)
{
    fixture *f = *state;
    tape_ref a = tape_y(0), b = tape_y(1);
    tape_ref d = tape_op2(f->b, TAPE_SUB, b, a), e = tape_op2(f->b, TAPE_SUB, a, b);
    assert_true(d != e);
    tape_ref square = tape_op2(f->b, TAPE_MUL, e, e), size = tape_op1(f->b, TAPE_ABS, d);
    assert_true(square == tape_op2(f->b, TAPE_MUL, d, d));
    assert_true(size == tape_op1(f->b, TAPE_ABS, e));
    assert_true(tape_op2(f->b, TAPE_MUL, d, e) != square);
    tape_store(f->b, tape_out(0), square);
    tape_store(f->b, tape_out(1), size);
    const tape *t = finish(f);
    double y[2] = {0.1, 0.7}, out[2];
    run_tape(t, (tape_args){.y = y, .out = out});
    assert_true(out[0] == (y[0] - y[1]) * (y[0] - y[1]) && out[1] == fabs(y[0] - y[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(equal_expressions_are_one),
        TEST(what_no_store_needs_is_dropped),
        TEST(identities_keep_every_bit),
        TEST(differences_without_their_signs_are_one),
        TEST(selects_and_logic),
        TEST(modelica_divisions),
        TEST(work_is_read_as_on_entry),
        TEST(calls_are_shared_unless_impure),
        TEST(calls_are_made_where_they_are_needed),
        TEST(conditions_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
