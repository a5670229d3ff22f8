/* Patterns and values of derivatives on small tapes worked out by hand.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_fixture.h"

#include "derive/derive.h"
#include "tape_oracle.h"

static tape_ref op2(fixture *f, tape_op op, tape_ref x, tape_ref y)
{
    return tape_op2(f->b, op, x, y);
}

/* F0 = y0' - y1*y1, F1 = sin(y0) + p0*y2, F2 = floor(y1) + y2' - y2: by hand
 *   dF/dy  = [0 -2 y1 0; cos y0 0 p0; 0 0 -1],  dF/dy' = [1 0 0; 0 0 0; 0 0 1]. */
static void jacobian_of_a_small_system(void **state)
{
    fixture *f = *state;
    tape_ref y0 = tape_y(0), y1 = tape_y(1), y2 = tape_y(2);
    tape_store(f->b, tape_out(0), op2(f, TAPE_SUB, tape_yp(0), op2(f, TAPE_MUL, y1, y1)));
    tape_store(f->b, tape_out(1),
               op2(f, TAPE_ADD, tape_op1(f->b, TAPE_SIN, y0), op2(f, TAPE_MUL, tape_p(0), y2)));
    tape_ref rough = tape_op1(f->b, TAPE_FLOOR, y1);
    tape_store(f->b, tape_out(2), op2(f, TAPE_SUB, op2(f, TAPE_ADD, rough, tape_yp(2)), y2));
    kernel_derivative j = kernel_jacobian(finish(f), 3, 3, &f->scratch, &f->result);

    const int start[] = {0, 2, 3, 5}, row[] = {0, 1, 0, 1, 2};
    assert_int_equal(j.pattern.nnz, 5);
    assert_memory_equal(j.pattern.start, start, sizeof start);
    assert_memory_equal(j.pattern.row, row, sizeof row);
    double y[3] = {0.3, 1.7, 9}, yp[3] = {4, 5, 6}, p[1] = {2.5}, dy[5], dyp[5];
    run_tape(j.code, (tape_args){.p = p, .y = y, .yp = yp, .out = dy, .out2 = dyp});
    const double expect_dy[] = {0, cos(0.3), -3.4, 2.5, -1}, expect_dyp[] = {1, 0, 0, 0, 1};
    for (int k = 0; k < 5; k++) {
        assert_true(fabs(dy[k] - expect_dy[k]) < 1e-15);
        assert_true(dyp[k] == expect_dyp[k]);
    }
}

/* Conditions and what is multiplied by nothing leave no entry; time is an input like any other. */
static void pattern_holds_only_what_moves(void **state)
{
    fixture *f = *state;
    tape_ref zero = tape_const(f->b, 0.0);
    tape_store(f->b, tape_out(0),
               tape_select(f->b, TAPE_SEL_LT, tape_y(0), zero, tape_y(1), tape_y(1)));
    tape_store(f->b, tape_out(1), tape_lt(f->b, tape_y(0), tape_y(1)));
    tape_store(f->b, tape_out(2), op2(f, TAPE_MUL, tape_t(), tape_sign(f->b, tape_y(0))));
    const tape_ref wrt[] = {tape_y(0), tape_y(1), tape_t()};
    kernel_derivative d = kernel_derive(finish(f), wrt, 3, &f->scratch, &f->result);
    const int start[] = {0, 0, 1, 2}, row[] = {0, 2};
    assert_memory_equal(d.pattern.start, start, sizeof start);
    assert_memory_equal(d.pattern.row, row, sizeof row);
}

/* if x > 0 then sqrt(x) else 0: at x = 0 and below, the branch not taken is infinite or NaN. */
static void branch_not_taken_does_no_harm(void **state)
{
    fixture *f = *state;
    tape_ref x = tape_y(0), zero = tape_const(f->b, 0.0);
    tape_ref root = op2(f, TAPE_MUL, tape_const(f->b, 3.0), tape_op1(f->b, TAPE_SQRT, x));
    tape_ref safe = tape_select(f->b, TAPE_SEL_LT, zero, x, root, zero);
    tape_store(f->b, tape_out(0), op2(f, TAPE_ADD, op2(f, TAPE_MUL, safe, x), x));
    kernel_derivative d = kernel_derive(finish(f), (tape_ref[]){x}, 1, &f->scratch, &f->result);
    const double at[] = {0.0, -1.0, 4.0}, expect[] = {1, 1, 3 * 2 + 3.0 / (2 * 2) * 4 + 1};
    for (int k = 0; k < 3; k++) {
        double out;
        run_tape(d.code, (tape_args){.y = &at[k], .out = &out});
        assert_true(fabs(out - expect[k]) < 1e-14);
    }
}

static void cubic(void *user, void *run, const double *in, double *out)
{
    (void)user, (void)run;
    out[0] = in[0] * in[0] * in[0] + 2 * in[1];
    out[1] = in[0] * in[1];
}

/* Without partials a function is differenced: error about eps^(2/3) times the values. */
static void called_functions_are_differenced(void **state)
{
    fixture *f = *state;
    tape_function fn = {.name = "cubic", .n_in = 2, .n_out = 2, .value = cubic};
    tape_ref in[2] = {op2(f, TAPE_MUL, tape_y(0), tape_y(0)), tape_y(1)}, out[2];
    tape_call_fn(f->b, &fn, in, out);
    tape_store(f->b, tape_out(0), op2(f, TAPE_ADD, out[0], out[1]));
    tape_store(f->b, tape_out(1), out[1]);
    const tape_ref wrt[] = {tape_y(0), tape_y(1)};
    kernel_derivative d = kernel_derive(finish(f), wrt, 2, &f->scratch, &f->result);
    assert_int_equal(d.pattern.nnz, 4);
    // F0 = x^6 + 2z + x^2 z, F1 = x^2 z at x = 1.5, z = -0.5.
    double y[2] = {1.5, -0.5}, got[4];
    const double expect[] = {6 * 7.59375 - 1.5, -1.5, 2 + 2.25, 2.25};
    run_tape(d.code, (tape_args){.y = y, .out = got});
    for (int k = 0; k < 4; k++) assert_true(fabs(got[k] - expect[k]) < 1e-8);
}

static void cubic_slopes(void *user, void *run, const uint8_t *active, const double *in,
                         double *jac)
{
    (void)user, (void)run;
    const double all[] = {3 * in[0] * in[0], 2, in[1], in[0]};
    for (int k = 0; k < 4; k++)
        if (active[k % 2]) jac[k] = all[k];
}

/* By columns. y3 > y2 decides whether x^3 + 2z and x z are needed: no derivatives by what decides, and where it
 * is not, those of the other side, 0 and 1. */
static void what_decides_on_a_call_has_no_slope(void **state)
{
    fixture *f = *state;
    for (int own = 0; own < 2; own++) {
        tape_function fn = {.name = "cubic", .n_in = 2, .n_out = 2, .value = cubic};
        if (own) fn.partials = cubic_slopes;
        tape_ref in[2] = {tape_y(0), tape_y(1)}, out[2];
        tape_call_fn(f->b, &fn, in, out);
        for (int k = 0; k < 2; k++)
            tape_store(f->b, tape_out(k),
                       tape_select(f->b, TAPE_SEL_LT, tape_y(2), tape_y(3), out[k], tape_y(k)));
        const tape_ref wrt[] = {tape_y(0), tape_y(1), tape_y(2), tape_y(3)};
        kernel_derivative d = kernel_derive(finish(f), wrt, 4, &f->scratch, &f->result);
        assert_int_equal(d.pattern.nnz, 4);
        double y[4] = {1.5, -0.5, 1, 2}, got[4];
        const double expect[2][4] = {{6.75, -0.5, 2, 1.5}, {1, 0, 0, 1}};
        for (int side = 0; side < 2; side++, y[3] = 0) {
            run_tape(d.code, (tape_args){.y = y, .out = got});
            for (int k = 0; k < 4; k++) assert_true(fabs(got[k] - expect[side][k]) < 1e-8);
        }
        fresh(f);
    }
}

/* Two passes: the derivative of a derivative. x^3 y: d2/dx2 = 6xy, d2/dxdy = 3x^2. */
static void derivatives_have_derivatives(void **state)
{
    fixture *f = *state;
    tape_ref x = tape_y(0), y = tape_y(1);
    tape_store(f->b, tape_out(0), op2(f, TAPE_MUL, op2(f, TAPE_POW, x, tape_const(f->b, 3.0)), y));
    kernel_derivative d = kernel_derive(finish(f), (tape_ref[]){x}, 1, &f->scratch, &f->result);
    kernel_derivative dd = kernel_derive(d.code, (tape_ref[]){x, y}, 2, &f->scratch, &f->result);
    double at[2] = {1.25, -3}, got[2];
    run_tape(dd.code, (tape_args){.y = at, .out = got});
    assert_true(fabs(got[0] - 6 * 1.25 * -3) < 1e-13 && fabs(got[1] - 3 * 1.25 * 1.25) < 1e-14);
}

/* F_i = (y_i')^2 - y_i*y_(i+1)*y_(i+2) on a ring: one place in three of a column is of y'. If there are many, all are
 * cleared first, which needs no list; otherwise those that hold nothing are listed. By hand. */
static void places_without_entries_are_zero(void **state)
{
    fixture *f = *state;
    enum { MOST = 3000 };
    for (int n = 20; n <= MOST; n += MOST - 20) {
        int *next = calloc(MOST, sizeof *next), *after = calloc(MOST, sizeof *after);
        double *y = calloc(MOST, sizeof *y), *dy = calloc(3 * MOST, sizeof *dy),
               *dyp = calloc(3 * MOST, sizeof *dyp);
        for (int i = 0; i < n; i++) {
            next[i] = (i + 1) % n;
            after[i] = (i + 2) % n;
            y[i] = i % 97 + 1;
        }
        fresh(f);
        tape_ref product = op2(f, TAPE_MUL, op2(f, TAPE_MUL, tape_x(1), tape_x(2)), tape_x(3));
        tape_store(f->b, tape_x(4),
                   op2(f, TAPE_SUB, op2(f, TAPE_MUL, tape_x(0), tape_x(0)), product));
        const tape_access x[] = {{.array = TAPE_YP, .stride = 1},
                                 {.array = TAPE_Y, .stride = 1},
                                 {.array = TAPE_Y, .list = next},
                                 {.array = TAPE_Y, .list = after},
                                 {.array = TAPE_OUT, .stride = 1}};
        tape_program_builder *b = tape_program_new(&f->result);
        tape_program_map(b, finish(f), n, x);
        tape_program_derivative j =
            tape_program_jacobian(tape_program_finish(b), n, n, 0, &f->scratch, &f->result);
        assert_int_equal(j.pattern.nnz, 3 * n);
        const tape_access *zeros = j.code->steps[0].access; // of y'
        assert_int_equal(j.code->steps[0].n, n == MOST ? 3 * n : 2 * n);
        assert_int_equal(zeros[0].list == NULL, n == MOST);
        for (int k = 0; k < 3 * n; k++) dy[k] = dyp[k] = 7;
        double *room = calloc(tape_program_scratch(j.code) + 1, sizeof *room);
        tape_program_run(j.code,
                         &(tape_args){.y = y, .yp = y, .out = dy, .out2 = dyp, .scratch = room});
        for (int c = 0; c < n; c++)
            for (int k = j.pattern.start[c]; k < j.pattern.start[c + 1]; k++) {
                int r = j.pattern.row[k];
                double all = y[r] * y[next[r]] * y[after[r]];
                assert_true(fabs(dy[k] + all / y[c]) < 1e-12 * all);
                assert_true(dyp[k] == (r == c ? 2 * y[c] : 0));
            }
        free(room);
        free(next);
        free(after);
        free(y);
        free(dy);
        free(dyp);
    }
}

/* The least of n values, found one after the other as a loop does: a few operations for each of them, not n, and
 * the gradient of the one that is chosen. sqrt(y[k]) of those that are not is not a number where y[k] < 0. */
static void least_of_many_takes_few_operations(void **state)
{
    enum { MANY = 500, CHOSEN = 321 };
    fixture *f = *state;
    double y[MANY], dy[MANY] = {0};
    tape_ref wrt[MANY], m = tape_const(f->b, 100), zero = tape_const(f->b, 0.0);
    for (int k = 0; k < MANY; k++) {
        tape_ref x = wrt[k] = tape_y(k);
        tape_ref root =
            k % 2 ? op2(f, TAPE_MUL, tape_const(f->b, 2.0), tape_op1(f->b, TAPE_SQRT, x)) : x;
        if (k % 3 == 0) m = op2(f, TAPE_MIN, m, root);
        else m = tape_select(f->b, TAPE_SEL_LT, root, m, root, m); // never, where root is none
        y[k] = k % 2 && k % 3 ? -1.0 : 50 + k;
    }
    y[CHOSEN] = 25; // 2*sqrt(25) = 10, slope 1/5
    tape_store(f->b, tape_out(0), op2(f, TAPE_MUL, m, op2(f, TAPE_ADD, zero, tape_const(f->b, 3))));
    kernel_derivative d = kernel_derive(finish(f), wrt, MANY, &f->scratch, &f->result);
    assert_int_equal(d.pattern.nnz, MANY);
    assert_true(d.code->n_ins < 12 * MANY);
    run_tape(d.code, (tape_args){.y = y, .out = dy});
    for (int k = 0; k < MANY; k++) assert_true(fabs(dy[k] - (k == CHOSEN ? 3.0 / 5 : 0)) < 1e-15);
}

/* One column for all: the choices are as many as there were, forward. */
static void choices_of_one_unknown_stay(void **state)
{
    enum { MANY = 100 };
    fixture *f = *state;
    tape_ref x = tape_y(0), v = x;
    for (int k = 0; k < MANY; k++)
        v = tape_select(f->b, TAPE_SEL_LT, x, tape_const(f->b, MANY - k),
                        op2(f, TAPE_MUL, tape_const(f->b, MANY - k), x), v);
    tape_store(f->b, tape_out(0), v);
    kernel_derivative d = kernel_derive(finish(f), &x, 1, &f->scratch, &f->result);
    assert_true(d.code->n_ins < 2 * MANY);
    for (int k = 0; k < MANY; k++) {
        double y = k + 0.5, dy = 0;
        run_tape(d.code, (tape_args){.y = &y, .out = &dy});
        assert_true(dy == k + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(jacobian_of_a_small_system),          TEST(pattern_holds_only_what_moves),
        TEST(branch_not_taken_does_no_harm),       TEST(called_functions_are_differenced),
        TEST(what_decides_on_a_call_has_no_slope), TEST(derivatives_have_derivatives),
        TEST(places_without_entries_are_zero),     TEST(least_of_many_takes_few_operations),
        TEST(choices_of_one_unknown_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
