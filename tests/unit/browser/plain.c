/* The linear algebra of the browser held against LAPACK, and its division of 113 bits against the compiler's.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "browser/plain.h"

#include <complex.h>
#include <lapacke.h>

enum { MOST = 40, ROOM = 20000 };

static uint64_t seed = 1;
static double draw(void) // in -1 ... 1; D. E. Knuth's constants
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)seed / 9.3e18;
}

/* m by n, of rank r: a product of an m by r and an r by n matrix. */
static void fill(int m, int n, int r, double *a)
{
    double left[MOST * MOST], right[MOST * MOST];
    for (int i = 0; i < m * r; i++) left[i] = draw();
    for (int i = 0; i < r * n; i++) right[i] = draw();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int k = 0; k < r; k++) sum += left[i + k * m] * right[k + j * r];
            a[i + j * m] = sum;
        }
}

static double largest(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static const struct {
    int m, n, r;
} sizes[] = {{1, 1, 1},    {2, 2, 2},    {5, 5, 5}, {5, 5, 3},   {3, 7, 3},
             {7, 3, 3},    {7, 3, 2},    {3, 7, 2}, {12, 12, 9}, {30, 20, 20},
             {20, 30, 17}, {40, 40, 40}, {1, 9, 1}, {9, 1, 1},   {6, 4, 0}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void systems_are_solved(void **state)
{
    double a[MOST * MOST], copy[MOST * MOST], b[3 * MOST], x[3 * MOST];
    int pivots[MOST], others[MOST], info, three = 3;
    (void)state;
    for (int n = 1; n <= MOST; n += 3) {
        for (int i = 0; i < n * n; i++) a[i] = copy[i] = draw();
        for (int i = 0; i < 3 * n; i++) b[i] = x[i] = draw();
        plain_dgesv(&n, &three, a, &n, pivots, b, &n, &info);
        assert_int_equal(info, 0);
        LAPACK_dgesv(&n, &three, copy, &n, others, x, &n, &info);
        assert_memory_equal(pivots, others, (size_t)n * sizeof *pivots);
        assert_near(largest(a, copy, n * n), 0, 1e-11);
        assert_near(largest(b, x, 3 * n), 0, 1e-8);
    }
    int n = 3;
    double singular[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1};
    plain_dgetrf(&n, &n, singular, &n, pivots, &info);
    assert_int_equal(info, 2); // the second column is twice the first
    plain_dgetrs("T", &n, &three, singular, &n, pivots, b, &n, &info);
    assert_int_equal(info, -1); // not there
}

static void complex_systems_are_solved(void **state)
{
    double complex a[MOST * MOST], copy[MOST * MOST], b[MOST], x[MOST];
    int pivots[MOST], info, one = 1;
    (void)state;
    for (int n = 1; n <= MOST; n += 3) {
        for (int i = 0; i < n * n; i++) a[i] = copy[i] = draw() + I * draw();
        for (int i = 0; i < n; i++) b[i] = x[i] = draw() + I * draw();
        plain_zgetrf(&n, &n, a, &n, pivots, &info);
        assert_int_equal(info, 0);
        plain_zgetrs("N", &n, &one, a, &n, pivots, b, &n, &info);
        LAPACK_zgesv(&n, &one, copy, &n, pivots, x, &n, &info);
        assert_near(largest((double *)b, (double *)x, 2 * n), 0, 1e-9);
    }
}

/* Up to signs of rows, which both take the same way. */
static void triangles_are_those_of_lapack(void **state)
{
    double a[MOST * MOST], copy[MOST * MOST], tau[MOST], other[MOST], work[ROOM];
    int perm[MOST], others[MOST], info, size = ROOM;
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        int m = sizes[k].m, n = sizes[k].n, few = m < n ? m : n, r = sizes[k].r;
        fill(m, n, r, a);
        memcpy(copy, a, sizeof a);
        memset(others, 0, sizeof others);
        plain_dgeqp3(&m, &n, a, &m, perm, tau, work, &size, &info);
        LAPACK_dgeqp3(&m, &n, copy, &m, others, other, work, &size, &info);
        for (int j = 0; j < (r < few ? r : n); j++) // what is left beyond the rank has no order
            for (int i = 0; i <= j && i < few; i++)
                assert_near(a[i + j * m], copy[i + j * m], 1e-12);
        for (int j = 0; j < r; j++) assert_int_equal(perm[j], others[j]);
        for (int j = 0; j < r; j++) assert_near(tau[j], other[j], 1e-9);
        if (r == 0 || r == n) continue;
        memcpy(copy, a, sizeof a);
        plain_dtzrzf(&r, &n, a, &m, tau, work, &size, &info);
        LAPACK_dtzrzf(&r, &n, copy, &m, other, work, &size, &info);
        for (int i = 0; i < r; i++) assert_near(tau[i], other[i], 1e-9);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < r; i++)
                if (j >= r || i <= j) assert_near(a[i + j * m], copy[i + j * m], 1e-9);
    }
}

static void least_squares_are_of_least_norm(void **state)
{
    double a[MOST * MOST], copy[MOST * MOST], b[MOST], x[MOST], work[ROOM], rcond = 1e-10;
    int perm[MOST], rank, other, info, one = 1, size = ROOM, ld = MOST;
    (void)state;
    for (int k = 0; k < SIZES; k++) {
        int m = sizes[k].m, n = sizes[k].n;
        fill(m, n, sizes[k].r, a);
        memcpy(copy, a, sizeof a);
        for (int i = 0; i < m; i++) b[i] = x[i] = draw();
        memset(perm, 0, sizeof perm);
        plain_dgelsy(&m, &n, &one, a, &m, b, &ld, perm, &rcond, &rank, work, &size, &info);
        assert_int_equal(rank, sizes[k].r);
        memset(perm, 0, sizeof perm);
        LAPACK_dgelsy(&m, &n, &one, copy, &m, x, &ld, perm, &rcond, &other, work, &size, &info);
        assert_int_equal(other, sizes[k].r);
        assert_near(largest(b, x, n), 0, 1e-9);
    }
}

/* The estimate of a condition decides at the same row as LAPACK's, over nine decades. */
static void ranks_are_those_of_lapack(void **state)
{
    double a[100], copy[100], b[10], work[ROOM];
    int perm[10], rank, other, info, one = 1, size = ROOM, n = 10, differ = 0;
    (void)state;
    for (int k = 0; k < 300; k++) {
        double rcond = pow(10, -1 - 9.0 * k / 300);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) a[i + j * n] = draw() * pow(10, -(double)(i > j ? i : j));
        memcpy(copy, a, sizeof a);
        memset(b, 0, sizeof b);
        memset(perm, 0, sizeof perm);
        plain_dgelsy(&n, &n, &one, a, &n, b, &n, perm, &rcond, &rank, work, &size, &info);
        memset(perm, 0, sizeof perm);
        LAPACK_dgelsy(&n, &n, &one, copy, &n, b, &n, perm, &rcond, &other, work, &size, &info);
        differ += rank != other;
    }
    assert_int_equal(differ, 0);
}

/* U diag(sigma) V^T, and how far U and V are from orthogonal. */
static void hold_together(int m, int n, const double *a, const double *s, const double *u,
                          const double *vt)
{
    int few = m < n ? m : n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int k = 0; k < few; k++) sum += u[i + k * m] * s[k] * vt[k + j * n];
            assert_near(sum, a[i + j * m], 1e-13 * (1 + s[0]));
        }
    for (int p = 0; p < m; p++)
        for (int q = 0; q < m; q++) {
            double sum = 0;
            for (int i = 0; i < m; i++) sum += u[i + p * m] * u[i + q * m];
            assert_near(sum, p == q, 1e-12);
        }
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += vt[p + i * n] * vt[q + i * n];
            assert_near(sum, p == q, 1e-12);
        }
}

static void singular_values_are_those_of_lapack(void **state)
{
    double a[MOST * MOST], copy[MOST * MOST], given[MOST * MOST], s[MOST], t[MOST], u[MOST * MOST];
    double vt[MOST * MOST], work[ROOM];
    int info, size = ROOM, one = 1;
    (void)state;
    for (int k = 0; k < 3 * SIZES; k++) {
        int m = sizes[k / 3].m, n = sizes[k / 3].n;
        double unit = (double[]){1, 1e200, 1e-200}[k % 3]; // squares leave the range
        fill(m, n, sizes[k / 3].r, given);
        for (int i = 0; i < m * n; i++) a[i] = copy[i] = given[i] * unit;
        plain_dgesvd("A", "A", &m, &n, a, &m, s, u, &m, vt, &n, work, &size, &info);
        assert_int_equal(info, 0);
        LAPACK_dgesvd("N", "N", &m, &n, copy, &m, t, NULL, &one, NULL, &one, work, &size, &info);
        for (int i = 0; i < m && i < n; i++) {
            assert_near(s[i] / unit, t[i] / unit, 1e-13 * (1 + t[0] / unit));
            s[i] /= unit;
        }
        hold_together(m, n, given, s, u, vt);
        for (int i = 0; i < m * n; i++) a[i] = given[i];
        plain_dgesvd("N", "N", &m, &n, a, &m, t, NULL, &one, NULL, &one, work, &size, &info);
        for (int i = 0; i < m && i < n; i++) assert_near(t[i], s[i], 1e-13 * (1 + s[0]));
    }
}

/* Of a five-point grid: a permutation, and fill far below that of the grid's own order. */
static void orders_keep_factors_sparse(void **state)
{
    enum { SIDE = 20, N = SIDE * SIDE };
    int start[N + 1] = {0}, row[5 * N], order[N], seen[N] = {0}, nnz = 0;
    double info[PLAIN_INFO];
    (void)state;
    for (int j = 0; j < N; j++) {
        const int at[5] = {j, j % SIDE ? j - 1 : -1, (j + 1) % SIDE ? j + 1 : -1, j - SIDE,
                           j + SIDE};
        for (int k = 0; k < 5; k++)
            if (at[k] >= 0 && at[k] < N) row[nnz++] = at[k];
        start[j + 1] = nnz;
    }
    assert_int_equal(plain_order(N, start, row, order, NULL, info), 0);
    for (int k = 0; k < N; k++) assert_int_equal(seen[order[k]]++, 0);
    assert_near(info[PLAIN_SYMMETRY], 1, 0);
    assert_true(info[PLAIN_LNZ] < 0.6 * N * SIDE); // by rows: N * SIDE
    const int lower_start[4] = {0, 3, 5, 6}, lower[6] = {0, 1, 2, 1, 2, 2};
    assert_int_equal(plain_order(3, lower_start, lower, order, NULL, info), 0);
    assert_near(info[PLAIN_SYMMETRY], 0, 0);
}

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;

static void quads_are_divided(quad x, quad y)
{
    plain_quad a, b, c;
    quad z = x / y;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    memcpy(&c, &z, sizeof c);
    plain_quad d = plain_quad_divide(a, b);
    if (z != z) memcpy(&z, &d, sizeof z), assert_true(z != z);
    else if (c != d) fail_msg("%g / %g", (double)x, (double)y);
}

static void quotients_are_those_of_the_compiler(void **state)
{
    quad one = 1, tiny = one, special[] = {0, -one, (quad)INFINITY, 3, one / 3, 0, 0, 0};
    (void)state;
    for (int k = 0; k < 113; k++) tiny /= 2;
    quads_are_divided(1, 1 - tiny); // LLVM 14: 2
    special[5] = 1 - tiny;
    for (special[6] = 1; special[6] / 2 > 0;) special[6] /= 2; // the smallest there is
    special[7] = special[6] * 1234567;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) quads_are_divided(special[i], special[j]);
    for (int k = 0; k < 20000; k++) {
        quad x = draw() + draw() * (quad)1e-16, y = draw() + draw() * (quad)1e-16;
        quads_are_divided(x, y);
        quads_are_divided(x, x * (1 + (k % 5 - 2) * tiny));
        quads_are_divided(x * special[7], y * 1e300);
    }
}
#else
static void quotients_are_those_of_the_compiler(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_solved),
        cmocka_unit_test(complex_systems_are_solved),
        cmocka_unit_test(triangles_are_those_of_lapack),
        cmocka_unit_test(least_squares_are_of_least_norm),
        cmocka_unit_test(ranks_are_those_of_lapack),
        cmocka_unit_test(singular_values_are_those_of_lapack),
        cmocka_unit_test(orders_keep_factors_sparse),
        cmocka_unit_test(quotients_are_those_of_the_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
