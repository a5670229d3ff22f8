/* Compiling: memory, executable pages, empty programs, small maps.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_fixture.h"

#include "tape_random.h"
#include "target/target.h"

#include <stdio.h>

/* An allocator whose k-th request fails, and that counts what is held. */
typedef struct failing {
    int left; // requests until one fails; < 0: never
    int held;
} failing;

static void *failing_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    failing *f = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        f->held -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left >= 0 && f->left-- == 0) return NULL;
    f->held += p == NULL;
    return realloc(p, new_bytes);
}

/* A kernel with calls and spills, a map with lists and a library function, a sum. */
static const tape_program *sample(fixture *f)
{
    rng r = {77};
    random_shape shape = {.n_ops = 300, .calls = true};
    const tape *kernel = random_tape(&r, shape, &f->scratch, &f->result);
    tape_builder *b = fresh(f);
    tape_ref e = tape_op1(b, TAPE_EXP, tape_x(0));
    tape_store(b, tape_x(2), tape_op2(b, TAPE_MUL, e, tape_x(1)));
    const tape *cell = finish(f);
    static const int list[] = {4, 1, 0, 2, 3, 9};
    const tape_access access[3] = {
        {TAPE_Y, 0, 1, NULL}, {TAPE_Y, 0, 0, list}, {TAPE_W, 1, 1, NULL}};
    const int start[] = {0, 3, 6}, index[] = {1, 2, 3, 4, 5, 6};
    tape_program_builder *p = tape_program_new(&f->result);
    tape_program_kernel(p, kernel);
    tape_program_map(p, cell, 6, access);
    tape_program_sum(p, 2, (tape_access){TAPE_OUT, 0, 1, NULL}, start, index, NULL);
    return tape_program_finish(p);
}

static void any_allocation_may_fail(void **state)
{
    fixture *f = *state;
    const tape_program *p = sample(f);
    for (const tape_target *const *target = tape_targets; *target; target++) {
        int k = 0, rc = TAPE_E_MEMORY;
        for (; rc; k++) {
            failing user = {.left = k};
            mem m = {.resize = failing_resize, .user = &user};
            tape_code *code = (tape_code *)&user;
            rc = tape_compile_program(p, &(tape_options){.target = *target}, &m, &code);
            if (rc) {
                assert_int_equal(rc, TAPE_E_MEMORY);
                assert_null(code);
            }
            tape_code_free(code);
            assert_int_equal(user.held, 0);
            assert_true(k < 1000);
        }
        assert_true(k > 10); // there were allocations to fail
    }
}

static int writable_and_executable(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[512];
    int n = 0;
    while (fgets(line, sizeof line, maps)) {
        const char *rights = strchr(line, ' ') + 1;
        n += rights[1] == 'w' && rights[2] == 'x';
    }
    fclose(maps);
    return n;
}

/* No page is left writable and executable (tools that run us may have some of their own). */
static void pages_are_not_writable_and_executable(void **state)
{
    fixture *f = *state;
    const tape_program *p = sample(f);
    tape_code *code;
    int before = writable_and_executable();
    assert_int_equal(tape_compile_program(p, NULL, &f->m, &code), 0);
    assert_int_equal(writable_and_executable(), before);
    tape_code_free(code);
}

static void machine_code_is_used_where_there_is_any(void **state)
{
    fixture *f = *state;
    tape_code *code;
    assert_int_equal(tape_compile_program(sample(f), NULL, &f->m, &code), 0);
    const tape_target *best = tape_code_target(code);
    for (const tape_target *const *t = tape_targets; *t != best; t++)
        assert_false((*t)->runs_here && (*t)->runs_here());
    assert_int_equal(tape_code_bytes(code) > 0, best->emit != NULL);
    tape_code_free(code);
}

static void empty_things_do_nothing(void **state)
{
    fixture *f = *state;
    const tape *nothing = finish(f);
    fresh(f);
    tape_store(f->b, tape_x(0), tape_const(f->b, 1.0));
    const tape *one = finish(f);
    tape_program_builder *b = tape_program_new(&f->result);
    tape_program_kernel(b, nothing);
    tape_program_map(b, one, 0, &(tape_access){TAPE_OUT, 0, 1, NULL});
    tape_program_sum(b, 0, (tape_access){TAPE_OUT, 0, 1, NULL}, (const int[]){0}, NULL, NULL);
    const tape_program *p = tape_program_finish(b);
    for (const tape_target *const *target = tape_targets; *target; target++) {
        tape_code *code;
        double out = 7, scratch[64];
        tape_options o = {.target = *target};
        assert_int_equal(tape_compile_program(p, &o, &f->m, &code), 0);
        assert_true(tape_code_scratch(code) <= 64);
        tape_eval(code, &(tape_args){.out = &out, .scratch = scratch});
        assert_true(out == 7);
        tape_code_free(code);
    }
}

/* All arrays at once, with a call: more bases than registers that survive it. */
static void more_arrays_than_registers(void **state)
{
    fixture *f = *state;
    tape_builder *b = f->b;
    tape_ref x = tape_op2(b, TAPE_ADD, tape_p(1), tape_y(2));
    x = tape_op1(b, TAPE_EXP, tape_op2(b, TAPE_SUB, x, tape_yp(3)));
    x = tape_op2(b, TAPE_MUL, tape_op2(b, TAPE_ADD, x, tape_w(4)), tape_t());
    x = tape_op2(b, TAPE_ADD, x, tape_x(0));
    tape_store(b, tape_x(1), x);
    tape_store(b, tape_x(2), tape_op2(b, TAPE_MUL, x, x));
    tape_store(b, tape_x(3), tape_op1(b, TAPE_NEG, x));
    const tape *t = finish(f);
    static const int list[] = {3, 1, 4, 0, 2};
    const tape_access access[] = {{TAPE_P, 0, 0, list},
                                  {TAPE_OUT, 0, 1, NULL},
                                  {TAPE_OUT2, 0, 0, list},
                                  {TAPE_W, 5, 2, NULL}};
    tape_program_builder *pb = tape_program_new(&f->result);
    tape_program_map(pb, t, 5, access);
    const tape_program *p = tape_program_finish(pb);
    const double par[5] = {.1, .2, .3, .4, .5}, y[3] = {1, 2, 3}, yp[4] = {0, 1, 0, 2};
    for (const tape_target *const *target = tape_targets; *target; target++) {
        double w[16] = {0, 0, 0, 0, 10}, out[5] = {0}, out2[5] = {0}, scratch[512];
        tape_code *code;
        tape_options o = {.target = *target};
        assert_int_equal(tape_compile_program(p, &o, &f->m, &code), 0);
        assert_true(tape_code_scratch(code) <= 512);
        tape_args args = {2.0, par, y, yp, w, out, out2, scratch, NULL, NULL};
        tape_eval(code, &args);
        for (int i = 0; i < 5; i++) {
            double expect = (exp((par[1] + y[2]) - yp[3]) + 10) * 2.0 + par[list[i]];
            assert_true(same(out[i], expect));
            assert_true(same(out2[list[i]], expect * expect));
            assert_true(same(w[5 + 2 * i], -expect));
        }
        tape_code_free(code);
    }
}

/* Sine and cosine of one operand become one call: it must give the bits of the two, whichever comes
 * first, in kernels and in packed maps. */
static void sines_with_their_cosines(void **state)
{
    fixture *f = *state;
    const double at[] = {0.0,
                         -0.0,
                         1.0,
                         -2.5,
                         1e-300,
                         0.785398163397448,
                         3.14159265358979,
                         100.0,
                         1e5,
                         1e22,
                         1.7e308,
                         INFINITY,
                         NAN,
                         -1e-9,
                         5e-324,
                         710.0};
    enum { POINTS = sizeof at / sizeof *at };
    for (int cosine_first = 0; cosine_first < 2; cosine_first++) {
        tape_builder *b = fresh(f);
        tape_ref u = tape_op1(b, cosine_first ? TAPE_COS : TAPE_SIN, tape_x(0));
        tape_ref e = tape_op1(b, TAPE_EXP, u); // a call in between
        tape_ref v = tape_op1(b, cosine_first ? TAPE_SIN : TAPE_COS, tape_x(0));
        tape_store(b, tape_x(1), tape_op2(b, TAPE_SUB, e, v));
        tape_store(b, tape_x(2), u);
        tape_store(b, tape_x(3), v);
        const tape_access access[] = {{TAPE_Y, 0, 1, NULL},
                                      {TAPE_OUT, 0, 1, NULL},
                                      {TAPE_OUT, POINTS, 1, NULL},
                                      {TAPE_OUT, 2 * POINTS, 1, NULL}};
        tape_program_builder *pb = tape_program_new(&f->result);
        tape_program_map(pb, finish(f), POINTS - 1, access); // not a multiple of four
        const tape_program *p = tape_program_finish(pb);
        for (const tape_target *const *target = tape_targets; *target; target++) {
            double out[3 * POINTS] = {0}, scratch[4096];
            tape_code *code;
            tape_options o = {.target = *target};
            assert_int_equal(tape_compile_program(p, &o, &f->m, &code), 0);
            assert_true(tape_code_scratch(code) <= 4096);
            tape_eval(code, &(tape_args){.y = at, .out = out, .scratch = scratch});
            for (int i = 0; i < POINTS - 1; i++) {
                volatile double x = at[i];
                double first = cosine_first ? elementary_cos(x) : elementary_sin(x),
                       second = cosine_first ? elementary_sin(x) : elementary_cos(x);
                assert_true(same(out[i], elementary_exp(first) - second));
                assert_true(same(out[POINTS + i], first));
                assert_true(same(out[2 * POINTS + i], second));
            }
            tape_code_free(code);
        }
    }
}

/* Calls of our functions that do not wait for each other are made together, in kernels four at a time: exponentials and sines
 * of unknowns, those of what came of them, logarithms in one branch only. Places where one of four goes to the C library. */
static void calls_that_are_made_together(void **state)
{
    fixture *f = *state;
    enum { N = 7 };
    const double at[][N] = {{0.1, -2, 3, 0.7, 1.5, -0.2, 5},
                            {0, -0.0, M_PI, M_PI_2, 1e22, INFINITY, NAN},
                            {800, 2, -800, 710, 1e-300, -M_PI_2, 3e5}};
    tape_builder *b = fresh(f);
    for (int k = 0; k < N; k++) {
        tape_ref x = tape_y(k),
                 next = tape_op2(b, TAPE_MUL, tape_y((k + 1) % N), tape_const(b, 0.5));
        tape_ref e = tape_op1(b, TAPE_EXP, x), s = tape_op1(b, TAPE_SIN, next),
                 c = tape_op1(b, TAPE_COS, x);
        tape_ref again = tape_op1(b, TAPE_SIN, tape_op2(b, TAPE_ADD, e, s));
        tape_ref log =
            tape_op1(b, k % 2 ? TAPE_LOG10 : TAPE_LOG, tape_op2(b, TAPE_ADD, e, tape_const(b, 1)));
        tape_store(b, tape_out(k), again);
        tape_ref size = tape_op1(b, TAPE_ABS, x);
        tape_store(b, tape_out(2 * N + k),
                   tape_op2(b, TAPE_POW, size, tape_const(b, k < 4 ? 0.3 : -1.7)));
        tape_store(
            b, tape_out(N + k),
            tape_select(b, TAPE_SEL_LT, c, tape_const(b, 0), tape_op1(b, TAPE_TANH, log), s));
    }
    tape_program_builder *pb = tape_program_new(&f->result);
    tape_program_kernel(pb, finish(f));
    const tape_program *p = tape_program_finish(pb);
    for (const tape_target *const *target = tape_targets; *target; target++) {
        double out[3 * N], scratch[4096];
        tape_code *code;
        tape_options o = {.target = *target};
        assert_int_equal(tape_compile_program(p, &o, &f->m, &code), 0);
        assert_true(tape_code_scratch(code) <= 4096);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            tape_eval(code, &(tape_args){.y = at[i], .out = out, .scratch = scratch});
            for (int k = 0; k < N; k++) {
                double x = at[i][k], e = elementary_exp(x),
                       s = elementary_sin(at[i][(k + 1) % N] * 0.5);
                double log = k % 2 ? elementary_log10(e + 1) : elementary_log(e + 1);
                assert_true(same(out[k], elementary_sin(e + s)));
                assert_true(same(out[2 * N + k], elementary_pow(fabs(x), k < 4 ? 0.3 : -1.7)));
                assert_true(same(out[N + k], elementary_cos(x) < 0 ? elementary_tanh(log) : s));
            }
        }
        tape_code_free(code);
    }
}

/* The vector functions may differ from the scalar ones by 4 ulp (the library's own bound), no more,
 * and special values come out special. */
static void vector_math_is_close(void **state)
{
    fixture *f = *state;
    double x[64], y[64], out[64], scratch[4096];
    for (int i = 0; i < 60; i++) x[i] = 0.03 + 0.016 * i, y[i] = 0.4 + 0.05 * (i % 7);
    x[60] = 0, x[61] = INFINITY, x[62] = NAN, x[63] = -0.5;
    for (int i = 60; i < 64; i++) y[i] = 1.5;
    for (int op = 0; op < TAPE_N_OPS; op++) {
        if (!(tape_op_flags(op) & TAPE_CALLS)) continue;
        tape_builder *b = fresh(f);
        tape_ref v = tape_op_operands(op) == 2 ? tape_op2(b, op, tape_x(0), tape_x(1))
                                               : tape_op1(b, op, tape_x(0));
        tape_store(b, tape_x(2), v);
        const tape_access access[] = {
            {TAPE_Y, 0, 1, NULL}, {TAPE_YP, 0, 1, NULL}, {TAPE_OUT, 0, 1, NULL}};
        tape_program_builder *pb = tape_program_new(&f->result);
        tape_program_map(pb, finish(f), 64, access);
        tape_code *code;
        tape_options o = {.vector_math = true};
        assert_int_equal(tape_compile_program(tape_program_finish(pb), &o, &f->m, &code), 0);
        assert_true(tape_code_scratch(code) <= 4096);
        tape_eval(code, &(tape_args){.y = x, .yp = y, .out = out, .scratch = scratch});
        for (int i = 0; i < 64; i++) {
            double expect = tape_op_value(op, x[i], y[i], 0, 0);
            double ulp = nextafter(fabs(expect), INFINITY) - fabs(expect);
            if (isfinite(expect) ? !(fabs(out[i] - expect) <= 4 * ulp) : !same(out[i], expect))
                fail_msg("%s(%g): %a, not %a", tape_op_name(op), x[i], out[i], expect);
        }
        tape_code_free(code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(any_allocation_may_fail),
        TEST(pages_are_not_writable_and_executable),
        TEST(machine_code_is_used_where_there_is_any),
        TEST(empty_things_do_nothing),
        TEST(more_arrays_than_registers),
        TEST(sines_with_their_cosines),
        TEST(calls_that_are_made_together),
        TEST(vector_math_is_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
