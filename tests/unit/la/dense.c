/* Dense helpers: rank, least norm, null space, singular values, generalized eigenvalues.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "la/dense.h"
#include "la/normal.h"

#include <math.h>

#define EPS 2.220446049250313e-16

static void near(double a, double b, double tol)
{
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}

/* 3 by 4 of rank 2: row 3 = row 1 + row 2. */
static const double rank2[12] = {1, 0, 1, 2, 1, 3, 0, 1, 1, 1, 1, 2};

static void qr_finds_the_rank_and_solves(void **state)
{
    (void)state;
    double a[12], tau[3], work[400], x[4], b[3] = {4, 3, 7};
    int perm[4];
    memcpy(a, rank2, sizeof a);
    la_qr q = {3, 4, 0, a, tau, perm, work};
    assert_true(la_qr_work(3, 4) <= 400);
    assert_int_equal(la_qr_factor(&q, 0), 2);
    la_qr_solve(&q, b, x);
    double r[3] = {-4, -3, -7}; // the system is consistent: the residual vanishes
    int zeros = 0;
    for (int j = 0; j < 4; j++) {
        zeros += x[j] == 0;
        for (int i = 0; i < 3; i++) r[i] += rank2[i + 3 * j] * x[j];
    }
    for (int i = 0; i < 3; i++) near(r[i], 0, 1e-14);
    assert_int_equal(zeros, 2); // n - rank columns were left out
}

static void q_is_orthogonal(void **state)
{
    (void)state;
    double a[12], tau[3], work[400], b[3] = {1, 2, 3}, c[3] = {1, 2, 3};
    int perm[4];
    memcpy(a, rank2, sizeof a);
    la_qr q = {3, 4, 0, a, tau, perm, work};
    la_qr_factor(&q, 0);
    la_qr_apply_q(&q, b, true);
    near(b[0] * b[0] + b[1] * b[1] + b[2] * b[2], 14, 1e-13);
    la_qr_apply_q(&q, b, false);
    for (int i = 0; i < 3; i++) near(b[i], c[i], 1e-14);
}

/* x + y + z = 6 alone: the point of the plane nearest to the origin is (2, 2, 2). */
static void least_norm_is_the_nearest_point(void **state)
{
    (void)state;
    double a[3] = {1, 1, 1}, b[1] = {6}, x[3], work[400];
    int iwork[3];
    assert_true(la_least_norm_work(1, 3) <= 400);
    assert_int_equal(la_least_norm(1, 3, a, b, x, 0, work, iwork), 1);
    for (int i = 0; i < 3; i++) near(x[i], 2, 1e-14);

    // Repeated and contradictory rows: least squares, then least norm: x + y = 3 (mean of 2 and 4).
    double a2[4] = {1, 1, 1, 1}, b2[2] = {2, 4};
    assert_int_equal(la_least_norm(2, 2, a2, b2, x, 0, work, iwork), 1);
    near(x[0], 1.5, 1e-14);
    near(x[1], 1.5, 1e-14);

    double bad[1] = {NAN};
    assert_int_equal(la_least_norm(1, 1, bad, b, x, 0, work, iwork), -1);
}

static void null_space_is_orthonormal_and_null(void **state)
{
    (void)state;
    double a[12], z[16], work[500];
    memcpy(a, rank2, sizeof a);
    assert_true(la_null_work(3, 4) <= 500);
    assert_int_equal(la_null(3, 4, a, z, 0, work), 2);
    for (int k = 0; k < 2; k++) {
        for (int l = 0; l < 2; l++) {
            double dot = 0;
            for (int i = 0; i < 4; i++) dot += z[i + 4 * k] * z[i + 4 * l];
            near(dot, k == l, 1e-14);
        }
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int j = 0; j < 4; j++) sum += rank2[i + 3 * j] * z[j + 4 * k];
            near(sum, 0, 1e-14);
        }
    }
    assert_int_equal(la_null(0, 2, a, z, 0, work), 0); // no rows: everything is null
    near(z[0] * z[3] - z[1] * z[2], 1, 1e-15);
}

/* [3 0; 4 5] has singular values 3 sqrt 5 and sqrt 5 (A^T A has trace 50 and determinant 225). */
static void singular_values_of_a_known_matrix(void **state)
{
    (void)state;
    double a[4] = {3, 4, 0, 5}, sigma[2], u[4], vt[4], work[300];
    assert_true(la_svd_work(2, 2) <= 300);
    assert_int_equal(la_svd(2, 2, a, sigma, u, vt, work), 0);
    near(sigma[0], 3 * sqrt(5), 1e-14);
    near(sigma[1], sqrt(5), 1e-14);
}

/* lambda F + G with F = diag(1, 0), G = [2 0; 0 3]: eigenvalues -2 and infinity. */
static void pencil_with_an_infinite_eigenvalue(void **state)
{
    (void)state;
    double f[4] = {1, 0, 0, 0}, g[4] = {2, 0, 0, 3}, re[2], im[2], beta[2], work[200];
    assert_true(la_schur_work(2) <= 200);
    assert_int_equal(la_schur(2, f, g, re, im, beta, NULL, NULL, work), 0);
    int finite = fabs(beta[0]) > EPS ? 0 : 1;
    near(re[finite] / beta[finite], -2, 1e-14);
    near(beta[1 - finite], 0, EPS);
}

enum { NORMAL_M = 20, NORMAL_N = 23 }; // at most

/* Rows without structure, as normal equations want them, and by columns. */
static void fill_rows(double *rows, double *columns, int m, int n)
{
    int width = la_normal_width(n);
    memset(rows, 0, (size_t)(m * width) * sizeof *rows);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int k = i + m * j;
            rows[j + i * width] = columns[k] = sin(1.7 * k * k + 0.3 * k + 1);
        }
}

/* Few rows have an inverse, many have not; columns fill groups of four or do not. */
static void normal_equations_find_the_least_norm(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1}, {1, 4},  {2, 5},   {5, 7},   {6, 7},
                            {8, 8}, {7, 15}, {16, 17}, {17, 20}, {20, 23}};
    double rows[NORMAL_M * (NORMAL_N + 1)], copy[sizeof rows / sizeof *rows],
        inverse[sizeof rows / sizeof *rows];
    double a[NORMAL_M * NORMAL_N], l[NORMAL_M * NORMAL_M], b[NORMAL_M], rhs[NORMAL_M];
    double x[NORMAL_N + 1], least[NORMAL_N], work[9000];
    int iwork[NORMAL_N];
    assert_true(la_normal_inverse(16, 17) > 0 && la_normal_inverse(17, 20) == 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int m = sizes[k][0], n = sizes[k][1];
        fill_rows(rows, a, m, n);
        for (int i = 0; i < m; i++) b[i] = rhs[i] = 1 + i;
        memcpy(copy, rows, sizeof rows);
        x[n] = 17; // not ours
        la_normal q = {m, n, rows, l, inverse, 0};
        assert_true(la_normal_factor(&q));
        la_normal_solve(&q, b, x);
        assert_memory_equal(rows, copy, (size_t)(m * la_normal_width(n)) * sizeof *rows);
        assert_true(x[n] == 17);
        assert_true(la_least_norm_work(m, n) <= 9000);
        assert_int_equal(la_least_norm(m, n, a, rhs, least, 0, work, iwork), m);
        double size = 0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(least[j]));
        for (int j = 0; j < n; j++)
            near(x[j], least[j], 1e-10 * size); // the square of a condition of 1e3
    }
}

/* A row that is another one to one part in 1e5 has an angle of 1e-5 to it: its square is too small. */
static void normal_equations_refuse_dependent_rows(void **state)
{
    (void)state;
    enum { M = 5, N = 7, WIDTH = 8 };
    const double off[] = {0, 1e-5, 1e-2};
    double a[M * WIDTH], columns[M * N], l[M * M], inverse[M * WIDTH];
    la_normal q = {M, N, a, l, inverse, 0};
    for (int k = 0; k < 3; k++) {
        fill_rows(a, columns, M, N);
        for (int j = 0; j < N; j++) a[j + 4 * WIDTH] = 2 * a[j + WIDTH] * (1 + off[k] * (j % 2));
        q.least = 0;
        assert_int_equal(la_normal_factor(&q), k == 2);
        q.least = 1e-2; // who asks for more digits: 1e-2 is too near, too
        assert_false(la_normal_factor(&q));
    }
    a[3 * WIDTH] = NAN;
    assert_false(la_normal_factor(&q));
    fill_rows(a, columns, M, N);
    for (int j = 0; j < N; j++) a[j + 2 * WIDTH] = 0;
    assert_false(la_normal_factor(&q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_equations_find_the_least_norm),
        cmocka_unit_test(normal_equations_refuse_dependent_rows),
        cmocka_unit_test(qr_finds_the_rank_and_solves),
        cmocka_unit_test(q_is_orthogonal),
        cmocka_unit_test(least_norm_is_the_nearest_point),
        cmocka_unit_test(null_space_is_orthonormal_and_null),
        cmocka_unit_test(singular_values_of_a_known_matrix),
        cmocka_unit_test(pencil_with_an_infinite_eigenvalue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
