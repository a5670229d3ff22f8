/* State-space form of linear DAEs: reduction, minimal realization, modes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "pencil/state_space.h"

typedef struct fixture {
    mem m;
    arena a;
} fixture;

static void begin(fixture *f)
{
    f->m = mem_std();
    arena_init(&f->a, &f->m);
}

/* Mass, damper and spring driven by u, with the acceleration z as algebraic unknown and in units
 * far apart: x' = v, v' = z, 2 z + 0.4 v + 8 x = u; output z. By hand: A = [0 1; -4 -0.2],
 * B = [0; 0.5], C = [-4 -0.2], D = 0.5. */
static void oscillator(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    double e[] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    double g[] = {0, 0, 8e6, -1, 0, 0.4e6, 0, -1, 2e6}; // the last row times 1e6
    double h[] = {0, 0, -1e6}, none[9] = {0};
    double cy[] = {0, 0, 1}, cp[] = {0, 0, 0}, zero = 0;
    double nominal[] = {1e-3, 1, 1e3};
    bool may[] = {true, true, false};
    linear_dae dae = {.n = 3, .n_u = 1, .n_o = 1, .e = e, .g = g, .h = h, .k = none, .cy = cy};
    dae.cp = cp, dae.cu = &zero, dae.cv = &zero, dae.nominal = nominal, dae.may = may;
    linear_system s;
    char why[LINEAR_WHY] = "";
    assert_int_equal(linear_reduce(&f.a, &dae, &s, why), 0);
    assert_int_equal(s.n, 2);
    const double a[] = {0, -4, 1, -0.2}, b[] = {0, 0.5}, c[] = {-4, -0.2};
    for (int i = 0; i < 4; i++) assert_near(s.a[i], a[i], 1e-12);
    for (int i = 0; i < 2; i++) assert_near(s.b[i], b[i], 1e-12);
    for (int i = 0; i < 2; i++) assert_near(s.c[i], c[i], 1e-12);
    assert_near(s.d[0], 0.5, 1e-12);
    assert_true(s.improper == 0 && !s.shifted[0] && !s.shifted[1]);

    // Eigenvalues -0.1 +- i sqrt(4 - 0.01): half of the damping term, frequency 2.
    linear_modes m;
    assert_int_equal(linear_eigen(&f.a, s.n, s.a, &m), 0);
    assert_near(m.re[0], -0.1, 1e-12);
    assert_near(m.im[0], sqrt(3.99), 1e-12);
    assert_near(m.im[1], -sqrt(3.99), 1e-12);
    // v = lambda x, and v is the larger: x = 1/lambda.
    assert_near(m.vectors[1], 1, 1e-12);
    assert_near(m.vectors[0], -0.1 / 4, 1e-12);
    assert_near(m.vectors[2], -sqrt(3.99) / 4, 1e-12);
    arena_done(&f.a);
}

/* z' = -2 z + x' + 3 u with x = u: z = s + u, s' = -2 s + u; the output x' + z holds u'. */
static void input_derivative(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    double e[] = {0, 0, 0, 1}, g[] = {1, 0, 0, 2}, h[] = {-1, -3}, k[] = {0, -1};
    double cy[] = {0, 1}, cp[] = {0, 0}, cu = 0, cv = 1;
    linear_dae dae = {.n = 2, .n_u = 1, .n_o = 1, .e = e, .g = g, .h = h, .k = k, .cy = cy};
    dae.cp = cp, dae.cu = &cu, dae.cv = &cv;
    linear_system s;
    char why[LINEAR_WHY] = "";
    assert_int_equal(linear_reduce(&f.a, &dae, &s, why), 0);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.state[0], 1);
    assert_near(s.a[0], -2, 1e-14);
    assert_near(s.b[0], 1, 1e-14);
    assert_near(s.c[0], 1, 1e-14);
    assert_near(s.d[0], 1, 1e-14);
    assert_near(s.improper, 1, 1e-14);
    assert_true(s.shifted[0]);
    arena_done(&f.a);
}

/* x' = y, 0 = x: index 2. */
static void index_two(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    double e[] = {1, 0, 0, 0}, g[] = {0, 1, -1, 0};
    linear_dae dae = {.n = 2, .e = e, .g = g, .h = e, .k = e, .cy = e, .cp = e, .cu = e, .cv = e};
    linear_system s;
    char why[LINEAR_WHY] = "";
    assert_int_equal(linear_reduce(&f.a, &dae, &s, why), -1);
    assert_non_null(strstr(why, "do not follow from the states"));
    arena_done(&f.a);
}

/* diag(-1, -2, -3): the input does not reach the second state, the output does not show the third. */
static void hidden_states(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    double a[] = {-1, 0, 0, 0, -2, 0, 0, 0, -3}, b[] = {2, 0, 1}, c[] = {1, 1, 0}, d = 0;
    linear_system s = {.n = 3, .n_u = 1, .n_o = 1, .a = a, .b = b, .c = c, .d = &d}, r;
    assert_int_equal(linear_minimal(&f.a, &s, 1e-10, &r), 0);
    assert_int_equal(r.n, 1);
    assert_near(r.a[0], -1, 1e-13);
    assert_near(r.b[0] * r.c[0], 2, 1e-13);
    arena_done(&f.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator),
        cmocka_unit_test(input_derivative),
        cmocka_unit_test(index_two),
        cmocka_unit_test(hidden_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
