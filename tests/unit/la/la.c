/* Conformance of linear solvers: every backend, real and complex, against the residual of its own
 * solution (which needs no reference), and on matrices that must be refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "fail_mem.h"

#include "la/backends.h"
#include "la/la.h"

#include <float.h>
#include <math.h>

/* ---- random matrices, the same on every machine ---------------------------------------------- */

static uint64_t seed;

static double uniform(void) // (-1, 1)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1;
}

enum { N_MAX = 200 };

typedef struct matrix {
    int n;
    vinc_pattern p;
    int start[N_MAX + 1], row[N_MAX * N_MAX];
    double a[N_MAX * N_MAX], m[N_MAX * N_MAX];
} matrix;

/* Each entry is present with probability density; the diagonal always. */
static void fill(matrix *x, int n, double density)
{
    int k = 0;
    x->n = n;
    for (int j = 0; j < n; j++) {
        x->start[j] = k;
        for (int i = 0; i < n; i++) {
            if (i != j && (uniform() + 1) / 2 >= density) continue;
            x->row[k] = i;
            x->a[k] = uniform();
            x->m[k] = uniform();
            k++;
        }
    }
    x->start[n] = k;
    x->p = (vinc_pattern){n, n, k, x->start, x->row};
}

/* Largest |(A + c M) x - b|_i over sum_j |a_ij| |x_j| + |b_i|, in units of eps: rowwise backward
 * error. */
static double backward_error(const matrix *a, bool with_m, double re, double im, const double *x,
                             const double *b, bool is_complex)
{
    int n = a->n;
    double rr[N_MAX], ri[N_MAX], size[N_MAX], worst = 0;
    for (int i = 0; i < n; i++) {
        rr[i] = -b[i];
        ri[i] = is_complex ? -b[n + i] : 0;
        size[i] = fabs(rr[i]) + fabs(ri[i]);
    }
    for (int j = 0; j < n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int i = a->row[k];
            double vr = a->a[k] + (with_m ? re * a->m[k] : 0), vi = with_m ? im * a->m[k] : 0;
            double xi = is_complex ? x[n + j] : 0;
            if (!is_complex) vi = 0;
            rr[i] += vr * x[j] - vi * xi;
            ri[i] += vr * xi + vi * x[j];
            size[i] += (fabs(vr) + fabs(vi)) * (fabs(x[j]) + fabs(xi));
        }
    for (int i = 0; i < n; i++)
        if (size[i] > 0) worst = fmax(worst, (fabs(rr[i]) + fabs(ri[i])) / size[i]);
    return worst / DBL_EPSILON;
}

static la_solver *make(mem *m, const la_backend *b, const matrix *a, bool is_complex)
{
    la_solver *s;
    la_config c = {.n = a->n, .pattern = &a->p, .is_complex = is_complex, .backend = b->name};
    assert_int_equal(la_new(m, &c, &s), LA_OK);
    return s;
}

/* Gaussian elimination with partial pivoting is backward stable up to the growth factor, which for
 * random matrices of this size stays far below n (Higham, Accuracy and Stability, ch. 9). Sparse
 * codes accept pivots a thousand times smaller than the largest, and keep them until growth says
 * otherwise. */
static double allowed(const la_backend *b, int n)
{
    // The residual of an explicit inverse grows with the condition, here up to some thousands.
    if (!strcmp(b->name, "inverse")) return 1e5 * (n + 4);
    return (b->dense ? 100.0 : 1e5) * (n + 4);
}

static void solves(const la_backend *b, int n, double density, bool is_complex)
{
    static matrix a;
    mem m = mem_std();
    fill(&a, n, density);
    la_solver *s = make(&m, b, &a, is_complex);
    for (int round = 0; round < 4; round++) {
        double x[2 * N_MAX], rhs[2 * N_MAX], re = 3 * uniform(), im = 3 * uniform();
        for (int i = 0; i < 2 * n; i++) x[i] = rhs[i] = uniform();
        bool with_m = round != 1;
        assert_int_equal(la_factor(s, a.a, with_m ? a.m : NULL, re, im), LA_OK);
        la_solve(s, x);
        double e = backward_error(&a, with_m, re, im, x, rhs, is_complex);
        if (e > allowed(b, n)) fail_msg("%s n=%d: backward error %g eps", b->name, n, e);
        // New values on the old pattern, small and large changes.
        for (int k = 0; k < a.start[n]; k++) a.a[k] += (round ? 1 : 0.01) * uniform();
    }
    la_free(s);
}

/* By the exponent as by frexp: 2^-e for 2^(e - 1) <= size < 2^e, and 1 for what is no size. */
static void weights_are_powers_of_two(void **state)
{
    (void)state;
    static const double sizes[] = {DBL_MIN, DBL_MIN / 3, 4.9e-324, 0.3,      0.5,       1,
                                   1.9999,  2,           1e17,     0x1p1021, 0x1.8p1022};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int e;
        frexp(sizes[i], &e);
        assert_true(la_weight(sizes[i]) == ldexp(1, -e));
    }
    assert_true(la_weight(0) == 1 && la_weight(INFINITY) == 1 && la_weight(NAN) == 1);
}

static void every_backend_solves(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 5, 8, 17, 24, 40, 64, 130, 200};
    seed = 1;
    for (const la_backend *const *b = la_backends; *b; b++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int c = 0; c <= (*b)->is_complex; c++) {
                int n = sizes[i];
                if (((*b)->n_max && n > (*b)->n_max) || (c && !(*b)->is_complex)) continue;
                solves(*b, n, 1.0, c);
                solves(*b, n, fmin(1, 4.0 / n), c);
            }
}

/* One A, one M, several c: as if each were factored by itself, to the bit or, side by side (la/abreast.h), as exactly.
 * Values change, so that pivots stay, and then do not. */
static void several_are_factored_as_if_alone(void **state)
{
    enum { SEVERAL = 3, ROUNDS = 12 };
    static matrix a;
    mem m = mem_std();
    (void)state;
    seed = 11;
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int n = 1; n <= 6 && (*b)->is_complex; n++) {
            la_solver *together[SEVERAL], *alone[SEVERAL];
            bool abreast = !strcmp((*b)->name, "indexed");
            fill(&a, n, 0.7);
            for (int i = 0; i < SEVERAL; i++) {
                together[i] = make(&m, *b, &a, i > 0);
                alone[i] = make(&m, *b, &a, i > 0);
            }
            for (int round = 0; round < ROUNDS; round++) {
                la_number c[SEVERAL];
                int tried = 0;
                for (int i = 0; i < SEVERAL; i++) c[i] = (la_number){3 * uniform(), 3 * uniform()};
                assert_int_equal(la_factor_several(together, SEVERAL, a.a, a.m, c, &tried), LA_OK);
                assert_int_equal(tried, SEVERAL);
                for (int i = 0; i < SEVERAL; i++) {
                    double x[2 * N_MAX], y[2 * N_MAX], rhs[2 * N_MAX];
                    for (int k = 0; k < 2 * n; k++) x[k] = y[k] = rhs[k] = uniform();
                    assert_int_equal(la_factor(alone[i], a.a, a.m, c[i].re, c[i].im), LA_OK);
                    la_solve(together[i], x);
                    la_solve(alone[i], y);
                    for (int k = 0; k < (i ? 2 * n : n) && !abreast; k++) assert_true(x[k] == y[k]);
                    double e = backward_error(&a, true, c[i].re, c[i].im, x, rhs, i > 0);
                    if (e > allowed(*b, n)) fail_msg("%s n=%d: %g eps", (*b)->name, n, e);
                }
                for (int k = 0; k < a.start[n]; k++) a.a[k] += (round % 3 ? 0.01 : 1) * uniform();
            }
            for (int i = 0; i < SEVERAL; i++) la_free(together[i]), la_free(alone[i]);
        }
}

/* ... and solved with together, or with one of them; once one is factored by itself, no longer. */
static void several_are_solved_with_together(void **state)
{
    enum { MOST = 4, ROUNDS = 6, N = 30 };
    static matrix a;
    mem m = mem_std();
    (void)state;
    seed = 29;
    for (int pass = 0, count = 2; pass < 2 * (MOST - 1); pass++, count = 2 + pass / 2) {
        la_solver *s[MOST];
        fill(&a, N, pass % 2 ? 0.4 : 4.0 / N); // dense at the end, and to a lesser part
        for (int i = 0; i < count; i++) s[i] = make(&m, &la_backend_indexed, &a, i > 0);
        for (int round = 0; round < ROUNDS; round++) {
            la_number c[MOST];
            la_vector x[MOST];
            double value[MOST][2 * N], rhs[MOST][2 * N], one[2 * N];
            int tried = 0;
            for (int i = 0; i < count; i++) {
                c[i] = (la_number){3 * uniform(), 3 * uniform()};
                x[i] = (la_vector){value[i], i ? value[i] + N : NULL};
                for (int k = 0; k < 2 * N; k++) value[i][k] = rhs[i][k] = uniform();
            }
            assert_int_equal(la_factor_several(s, count, a.a, a.m, c, &tried), LA_OK);
            assert_true(la_solve_several(s, count, x));
            for (int i = 0; i < count; i++) {
                double e = backward_error(&a, true, c[i].re, c[i].im, value[i], rhs[i], i > 0);
                if (e > allowed(&la_backend_indexed, N)) fail_msg("%d of %d: %g eps", i, count, e);
                memcpy(one, rhs[i], sizeof one);
                la_solve(s[i], one);
                e = backward_error(&a, true, c[i].re, c[i].im, one, rhs[i], i > 0);
                if (e > allowed(&la_backend_indexed, N)) fail_msg("%d of %d: %g eps", i, count, e);
            }
            for (int k = 0; k < a.start[N]; k++) a.a[k] += 0.1 * uniform();
        }
        assert_int_equal(la_factor(s[0], a.a, a.m, 1, 0), LA_OK);
        la_vector none[MOST] = {{0}};
        assert_false(la_solve_several(s, count, none)); // one of them has left
        for (int i = 0; i < count; i++) la_free(s[i]);
    }
}

static void of_several_the_first_that_is_singular_ends_it(void **state)
{
    static matrix a;
    mem m = mem_std();
    (void)state;
    seed = 3;
    fill(&a, 2, 1);
    const double values[] = {1, 0, 0, 2}; // diag(1, 2) + c diag(1, 1) is singular at c = -1
    const double mass[] = {1, 0, 0, 1};
    la_solver *s[3];
    for (int i = 0; i < 3; i++) s[i] = make(&m, la_backends[0], &a, i == 1);
    assert_string_equal(la_backends[0]->name, "inverse");
    for (int round = 0; round < 2; round++) { // with new pivots, and with those of the first
        int tried = 0;
        const la_number fine[] = {{3, 0}, {1, 1}, {2, 0}}, bad[] = {{3, 0}, {1, 1}, {-1, 0}};
        assert_int_equal(la_factor_several(s, 3, values, mass, fine, &tried), LA_OK);
        assert_int_equal(la_factor_several(s, 3, values, mass, bad, &tried), LA_SINGULAR);
        assert_int_equal(tried, 3);
        assert_int_equal(s[2]->defect, 0);
        la_solver *turned[] = {s[2], s[0]};
        const la_number first[] = {{-1, 0}, {3, 0}};
        assert_int_equal(la_factor_several(turned, 2, values, mass, first, &tried), LA_SINGULAR);
        assert_int_equal(tried, 1);
    }
    for (int i = 0; i < 3; i++) la_free(s[i]);
}

/* Blocks go through the factors as if each were alone, together or not; what is not asked for stays. */
static void blocks_are_solved_as_if_alone(void **state)
{
    enum { N = 24, BLOCKS = 7 };
    static matrix a;
    mem m = mem_std();
    (void)state;
    seed = 7;
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int c = 0; c <= (*b)->is_complex; c++) {
            if ((*b)->n_max && (*b)->n_max < N) continue;
            fill(&a, N, 0.2);
            la_solver *one = make(&m, *b, &a, c), *all;
            la_config config = {
                .n = N, .pattern = &a.p, .is_complex = c, .backend = (*b)->name, .blocks = BLOCKS};
            assert_int_equal(la_new(&m, &config, &all), LA_OK);
            assert_int_equal(la_factor(one, a.a, a.m, 2, 1), LA_OK);
            assert_int_equal(la_factor(all, a.a, a.m, 2, 1), LA_OK);
            for (int first = 0; first < 3; first++) {
                double x[2 * N * BLOCKS], rhs[2 * N * BLOCKS], alone[2 * N];
                int count = BLOCKS - 1 - first;
                for (int i = 0; i < 2 * N * BLOCKS; i++) x[i] = rhs[i] = uniform();
                la_solve_blocks(all, x, first, count);
                for (int k = 0; k < BLOCKS; k++) {
                    for (int i = 0; i < N; i++) {
                        alone[i] = rhs[k * N + i];
                        alone[N + i] = rhs[(BLOCKS + k) * N + i];
                    }
                    if (k >= first && k < first + count) la_solve(one, alone);
                    for (int i = 0; i < N * (1 + c); i++) {
                        double y = x[i < N ? k * N + i : (BLOCKS + k - 1) * N + i];
                        if (!(fabs(y - alone[i]) <= 1e-9 * (1 + fabs(alone[i]))))
                            fail_msg("%s: block %d: %g, not %g", (*b)->name, k, y, alone[i]);
                    }
                }
            }
            la_free(one);
            la_free(all);
        }
}

static void a_full_matrix_needs_no_pattern(void **state)
{
    (void)state;
    mem m = mem_std();
    static matrix a;
    seed = 2;
    fill(&a, 12, 1.0);
    for (const la_backend *const *b = la_backends; *b; b++) {
        la_solver *s;
        la_config c = {.n = 12, .backend = (*b)->name};
        double x[12], rhs[12];
        assert_int_equal(la_new(&m, &c, &s), LA_OK);
        assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_OK);
        for (int i = 0; i < 12; i++) x[i] = rhs[i] = uniform();
        la_solve(s, x);
        assert_true(backward_error(&a, false, 0, 0, x, rhs, false) < allowed(*b, 12));
        la_free(s);
    }
}

/* -Laplace's five-point formula on a square of k by k points: diagonally dominant, so elimination
 * along the diagonal is stable. shift spoils that: the diagonal is about `shift` of the rest. */
static void grid(matrix *x, int k, double shift)
{
    int at = 0;
    x->n = k * k;
    for (int j = 0; j < k * k; j++) {
        const int near[5] = {j - k, j - 1, j, j + 1, j + k};
        x->start[j] = at;
        for (int e = 0; e < 5; e++) {
            bool outside = near[e] < 0 || near[e] >= k * k;
            if (outside || (e == 1 && j % k == 0) || (e == 3 && j % k == k - 1)) continue;
            x->row[at] = near[e];
            x->a[at] = e == 2 ? 4 * shift : -1 + 0.1 * uniform();
            x->m[at++] = e == 2;
        }
    }
    x->start[x->n] = at;
    x->p = (vinc_pattern){x->n, x->n, at, x->start, x->row};
}

static void grids_are_solved_along_the_diagonal_or_with_pivots(void **state)
{
    (void)state;
    static matrix a;
    mem m = mem_std();
    seed = 12;
    for (int k = 1; k <= 14; k++)
        for (int kind = 0; kind < 2; kind++) {
            grid(&a, k, kind ? 1e-14 : 1);
            la_solver *s;
            la_config c = {.n = a.n, .pattern = &a.p, .backend = "fronts"};
            assert_int_equal(la_new(&m, &c, &s), LA_OK);
            double x[N_MAX], rhs[N_MAX];
            for (int round = 0; round < 5; round++) { // more often than it tries by itself
                for (int i = 0; i < a.n; i++) x[i] = rhs[i] = uniform();
                assert_int_equal(la_factor(s, a.a, kind ? NULL : a.m, 0.5 * round, 0), LA_OK);
                la_solve(s, x);
                // Diagonal dominance: growth at most 2 (Higham, theorem 9.9).
                double e = backward_error(&a, !kind, 0.5 * round, 0, x, rhs, false);
                assert_true(e < (kind ? 1e5 : 4) * (a.n + 4));
            }
            la_free(s);
        }
}

/* Fronts of all sizes: bands of any width have fronts with that many rows left and end in a full block, beyond a block
 * of columns, too; random ties make nodes of one unknown that changes few others or many. Both symmetric in their
 * pattern, not in their values. */
static void fronts_of_every_size_are_eliminated(void **state)
{
    (void)state;
    static matrix a;
    enum { N = 150, WIDTH_MAX = 50 };
    mem m = mem_std();
    seed = 77;
    for (int round = 0; round < 2 * WIDTH_MAX; round++) {
        static bool tied[N][N];
        int width = round / 2 + 1, at = 0;
        for (int j = 0; j < N; j++)
            for (int i = j; i < N; i++)
                tied[i][j] = tied[j][i] =
                    i == j || (round % 2 ? fabs(uniform()) < 0.004 * width : i - j <= width);
        for (int j = 0; j < N; j++) {
            a.start[j] = at;
            for (int i = 0; i < N; i++) {
                if (!tied[i][j]) continue;
                a.row[at] = i;
                a.a[at] = i == j ? N : uniform();
                a.m[at++] = 0;
            }
        }
        a.start[N] = at;
        a.n = N;
        a.p = (vinc_pattern){N, N, at, a.start, a.row};
        la_solver *s;
        la_config c = {.n = N, .pattern = &a.p, .backend = "fronts"};
        assert_int_equal(la_new(&m, &c, &s), LA_OK);
        double x[N_MAX], rhs[N_MAX];
        for (int i = 0; i < N; i++) x[i] = rhs[i] = uniform();
        assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_OK);
        assert_int_equal(s->n_refactor, 1); // by itself
        la_solve(s, x);
        // Diagonal dominance: growth at most 2 (Higham, theorem 9.9).
        assert_true(backward_error(&a, false, 0, 0, x, rhs, false) < 4 * (N + 4));
        la_free(s);
    }
}

/* Unknowns that are tied to the next one: both ways, downwards only (which fronts hand on), in pieces of
 * one, two and three, and so that each changes the next by more than its own size. */
static void paths_need_no_search(void **state)
{
    (void)state;
    static matrix a;
    enum { N = 60 };
    mem m = mem_std();
    seed = 31;
    for (int kind = 0; kind < 4; kind++) {
        int at = 0;
        for (int j = 0; j < N; j++) {
            a.start[j] = at;
            for (int i = j - 1; i <= j + 1; i++) {
                int low = i < j ? i : j, piece = low % 6;
                bool cut = kind == 2 && (piece == 0 || piece == 2 || piece == 5);
                if (i < 0 || i >= N || (i != j && (cut || (kind == 1 && i < j)))) continue;
                a.row[at] = i;
                double size = kind < 3 ? 1 : i > j ? 10 : 0.1;
                a.a[at] = i == j ? 3 : size * uniform();
                a.m[at++] = 0;
            }
        }
        a.start[N] = at;
        a.n = N;
        a.p = (vinc_pattern){N, N, at, a.start, a.row};
        la_solver *s;
        la_config c = {.n = N, .pattern = &a.p, .backend = "fronts"};
        assert_int_equal(la_new(&m, &c, &s), LA_OK);
        double x[N_MAX], rhs[N_MAX];
        for (int i = 0; i < N; i++) x[i] = rhs[i] = uniform();
        assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_OK);
        assert_int_equal(s->n_refactor, kind != 1);
        la_solve(s, x);
        assert_true(backward_error(&a, false, 0, 0, x, rhs, false) < 4 * (N + 4));
        la_free(s);
    }
}

static void a_singular_matrix_is_refused(void **state)
{
    (void)state;
    mem m = mem_std();
    static matrix a;
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int c = 0; c <= (*b)->is_complex; c++)
            for (int kind = 0; kind < 3; kind++) {
                seed = 3;
                fill(&a, 7, 1.0);
                for (int i = 0; i < 7; i++) {
                    if (kind == 0) a.a[i + 7 * 3] = a.m[i + 7 * 3] = 0; // a zero column
                    if (kind == 1) a.a[3 + 7 * i] = a.m[3 + 7 * i] = 0; // a zero row
                    if (kind == 2) a.a[i] = NAN;
                }
                la_solver *s = make(&m, *b, &a, c);
                assert_int_equal(la_factor(s, a.a, a.m, 0.5, 0.25), LA_SINGULAR);
                assert_in_range(s->defect, 0, 6);
                if (kind == 0) assert_int_equal(s->defect, 3);
                // and the solver is usable afterwards
                seed = 4;
                fill(&a, 7, 1.0);
                assert_int_equal(la_factor(s, a.a, a.m, 0.5, 0.25), LA_OK);
                la_free(s);
            }
}

static void a_structurally_singular_pattern_is_refused(void **state)
{
    (void)state;
    mem m = mem_std();
    static matrix a;
    a.n = 3; // column 1 is empty
    memcpy(a.start, (int[]){0, 2, 2, 4}, 4 * sizeof(int));
    memcpy(a.row, (int[]){0, 1, 1, 2}, 4 * sizeof(int));
    for (int k = 0; k < 4; k++) a.a[k] = a.m[k] = 1;
    a.p = (vinc_pattern){3, 3, 4, a.start, a.row};
    for (const la_backend *const *b = la_backends; *b; b++) {
        la_solver *s = make(&m, *b, &a, false);
        assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_SINGULAR);
        la_free(s);
    }
}

static void badly_scaled_rows_do_no_harm(void **state)
{
    (void)state;
    mem m = mem_std();
    static matrix a;
    seed = 5;
    fill(&a, 16, 0.4);
    for (int k = 0; k < a.start[16]; k++) { // rows from 1e-100 to 1e50: units chosen badly
        a.a[k] *= pow(10, 10 * (a.row[k]) - 100);
        a.m[k] *= pow(10, 10 * (a.row[k]) - 100);
    }
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int c = 0; c <= (*b)->is_complex; c++) {
            la_solver *s = make(&m, *b, &a, c);
            double x[32], rhs[32];
            for (int i = 0; i < 32; i++) x[i] = rhs[i] = uniform() * pow(10, 10 * (i % 16) - 100);
            assert_int_equal(la_factor(s, a.a, a.m, 0.7, 0.3), LA_OK);
            la_solve(s, x);
            assert_true(backward_error(&a, true, 0.7, 0.3, x, rhs, c) < allowed(*b, 16));
            assert_true(s->pivot_ratio > 1e-6);
            la_free(s);
        }
}

/* Blocks [d 1; 1 d], weakly coupled, whose diagonal falls from 10 to 1e-13: well conditioned before
 * and after, but the old pivots would lose 13 digits. */
static void old_pivots_are_given_up_when_they_degrade(void **state)
{
    (void)state;
    mem m = mem_std();
    static matrix a;
    enum { N = 100 };
    int k = 0;
    a.n = N;
    for (int j = 0; j < N; j++) {
        a.start[j] = k;
        for (int i = 0; i < N; i++) {
            if (i != j && i != (j ^ 1) && i != (j + 2) % N && i != (j + 3) % N) continue;
            a.row[k] = i;
            a.a[k++] = i == j ? 10 : i == (j ^ 1) ? 1 : 0.1;
        }
    }
    a.start[N] = k;
    a.p = (vinc_pattern){N, N, k, a.start, a.row};
    const la_backend *klu = NULL;
    for (const la_backend *const *b = la_backends; *b; b++)
        if (!strcmp((*b)->name, "klu")) klu = *b;
    la_solver *s = make(&m, klu, &a, false);
    assert_string_equal(s->backend->name, "klu");
    assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_OK);
    assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_OK);
    assert_int_equal(s->n_refactor, 1);
    for (int j = 0; j < N; j++)
        for (k = a.start[j]; k < a.start[j + 1]; k++)
            if (a.row[k] == j) a.a[k] = 1e-13;
    double x[N], rhs[N];
    for (int i = 0; i < N; i++) x[i] = rhs[i] = uniform();
    assert_int_equal(la_factor(s, a.a, NULL, 0, 0), LA_OK);
    assert_int_equal(s->n_refactor, 1); // pivots were chosen anew
    la_solve(s, x);
    assert_true(backward_error(&a, false, 0, 0, x, rhs, false) < allowed(s->backend, N));
    la_free(s);
}

/* Three unknowns, x0 + x1 = 3 twice and x2 = 5: whatever x0 and x1 are, they sum up; x2 is not
 * touched by their freedom. The same with 1 + i times the matrix. Equations that contradict each
 * other have no solution: what is left of them stays visible. */
static void a_forgiving_solver_leaves_open_what_is_open(void **state)
{
    (void)state;
    mem m = mem_std();
    const double a[9] = {1, 2, 0, 1, 2, 0, 0, 0, 1}, zero[9] = {0};
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int c = 0; c <= (*b)->is_complex; c++) {
            la_solver *s;
            la_config config = {.n = 3, .is_complex = c, .backend = (*b)->name, .forgiving = true};
            if (c && !(*b)->is_complex) continue;
            assert_int_equal(la_new(&m, &config, &s), LA_OK);
            if (c) assert_int_equal(la_factor(s, a, a, 0, 1), LA_OK);
            else assert_int_equal(la_factor(s, a, zero, 0, 0), LA_OK);
            double x[6] = {3, 6, 5, c ? 3 : 0, c ? 6 : 0, c ? 5 : 0};
            la_solve(s, x);
            assert_near(x[0] + x[1], 3, 1e-14);
            assert_near(x[2], 5, 1e-14);
            if (c) assert_near(x[3] + x[4], 0, 1e-14);
            double r[6] = {3, 7, 5};
            la_solve(s, r);
            assert_true(fabs(r[0] + r[1] - 3) + fabs(2 * (r[0] + r[1]) - 7) > 0.1);
            la_free(s);
        }
}

/* x2 = 0 twice and x3 = 4 twice leave x0 and x1 open; then one of these four says x0 = 7 instead, and only
 * x1 is open. What made the first matrix regular must not stand in the way. */
static void a_forgiving_solver_sees_what_is_no_longer_open(void **state)
{
    (void)state;
    mem m = mem_std();
    const vinc_pattern p = {4, 4, 16, (int[]){0, 4, 8, 12, 16},
                            (int[]){0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}};
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int row = 0; row < 4; row++) {
            la_solver *s;
            la_config config = {.n = 4, .pattern = &p, .backend = (*b)->name, .forgiving = true};
            double a[16] = {[8] = 1, [9] = 1, [14] = 1, [15] = 1};
            if (la_new(&m, &config, &s) != LA_OK) continue;
            for (int k = 0; k < 2; k++) assert_int_equal(la_factor(s, a, NULL, 0, 0), LA_OK);
            double x[4] = {0, 0, 4, 4};
            a[row < 2 ? 8 + row : 12 + row] = 0;
            a[row] = 1;
            x[row] = 7;
            for (int k = 0; k < 2; k++) assert_int_equal(la_factor(s, a, NULL, 0, 0), LA_OK);
            la_solve(s, x);
            assert_near(x[0], 7, 1e-14);
            assert_near(x[2], 0, 1e-14);
            assert_near(x[3], 4, 1e-14);
            la_free(s);
        }
}

/* Masses in a row, each tied to the next by a constraint: [D B^T; B 0] with zeros on the diagonal.
 * Large, and eliminated without fill: lists of indices plan it once and repeat the plan. */
static void a_long_chain_is_planned_once(void **state)
{
    (void)state;
    enum { K = 700, N = 2 * K };
    static int start[N + 1], row[4 * N];
    static double a[4 * N], c[4 * N], b[2 * N], x[2 * N], r[2 * N];
    seed = 11;
    int nnz = 0;
    for (int j = 0; j < N; j++) {
        start[j] = nnz;
        int rows[3] = {j, j < K ? K + j : j - K, j < K ? K + j + 1 : j - K - 1};
        for (int e = j < K ? 0 : 1; e < 3; e++) {
            if (rows[e] >= N || rows[e] < 0) continue;
            row[nnz] = rows[e];
            c[nnz] = e ? 0 : 1;
            a[nnz++] = e ? uniform() + 2 : 0.1 * uniform();
        }
    }
    start[N] = nnz;
    vinc_pattern p = {N, N, nnz, start, row};
    mem m = mem_std();
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        la_solver *s;
        la_config config = {.n = N, .pattern = &p, .is_complex = is_complex, .backend = "indexed"};
        assert_int_equal(la_new(&m, &config, &s), LA_OK);
        for (int round = 0; round < 3; round++) {
            double re = 1 + round, im = is_complex ? 2 : 0;
            assert_int_equal(la_factor(s, a, c, re, im), LA_OK);
            for (int i = 0; i < 2 * N; i++) x[i] = b[i] = uniform();
            la_solve(s, x);
            memcpy(r, b, sizeof r);
            double size = 0, most = 0;
            for (int j = 0; j < N; j++)
                for (int k = start[j]; k < start[j + 1]; k++) {
                    double y = is_complex ? x[N + j] : 0, d = a[k] + re * c[k], e = im * c[k];
                    r[row[k]] -= d * x[j] - e * y;
                    if (is_complex) r[N + row[k]] -= d * y + e * x[j];
                    size = fmax(size, (fabs(d) + fabs(e)) * (fabs(x[j]) + fabs(y)));
                }
            for (int i = 0; i < (is_complex ? 2 : 1) * N; i++) most = fmax(most, fabs(r[i]));
            assert_true(most <= 1e3 * DBL_EPSILON * size); // normwise backward error
        }
        assert_int_equal(s->n_refactor, 2);
        la_free(s);
    }
}

/* Blocks (cos, -sin; sin, cos) at 0 and 90 degrees in turn: the pivots of one vanish in the other. Two
 * plans serve for all of them. */
static void plans_come_back(void **state)
{
    (void)state;
    enum { PAIRS = 20, N = 2 * PAIRS, TURNS = 8 };
    int start[N + 1], row[2 * N];
    double a[2 * N], x[2 * N];
    for (int j = 0; j <= N; j++) start[j] = 2 * j;
    for (int k = 0; k < 2 * N; k++) row[k] = k / 4 * 2 + k % 2;
    vinc_pattern p = {N, N, 2 * N, start, row};
    mem m = mem_std();
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        la_solver *s;
        la_config config = {.n = N, .pattern = &p, .is_complex = is_complex, .backend = "indexed"};
        assert_int_equal(la_new(&m, &config, &s), LA_OK);
        for (int turn = 0; turn < TURNS; turn++) {
            double c = turn % 2 ? 0 : 1, d = turn % 2 ? 1 : 0;
            for (int k = 0; k < N / 2; k++) {
                const double block[4] = {c, d, -d, c};
                memcpy(a + 4 * k, block, sizeof block);
            }
            assert_int_equal(la_factor(s, a, NULL, 0, 0), LA_OK);
            for (int i = 0; i < 2 * N; i++) x[i] = i;
            la_solve(s, x);
            for (int k = 0; k < PAIRS; k++) { // turned back, exactly
                assert_true(x[2 * k] == c * (2 * k) + d * (2 * k + 1));
                assert_true(x[2 * k + 1] == c * (2 * k + 1) - d * (2 * k));
            }
        }
        assert_int_equal(s->n_refactor, TURNS - 2);
        la_free(s);
    }
}

static void unknown_backends_and_sizes_are_refused(void **state)
{
    (void)state;
    mem m = mem_std();
    la_solver *s;
    assert_int_equal(la_new(&m, &(la_config){.n = 3, .backend = "nosuch"}, &s), LA_E_BACKEND);
    assert_null(s);
    assert_int_equal(la_new(&m, &(la_config){.n = 1000, .backend = "small"}, &s), LA_E_BACKEND);
    assert_string_equal(la_choose(3, 9, false), "inverse");
    assert_string_equal(la_choose(18, 300, false), "small");
    assert_string_equal(la_choose(18, 50, false), "indexed");
    assert_string_equal(la_choose(1000, 5000, false), "fronts");
    assert_string_equal(la_choose(1000, 5000, true), "indexed");
    assert_string_equal(la_choose(100, 10000, false), "lapack");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static matrix a;
    seed = 7;
    fill(&a, 10, 0.5);
    for (const la_backend *const *b = la_backends; *b; b++)
        for (int c = 0; c <= (*b)->is_complex; c++)
            for (long k = 1;; k++) {
                fail_mem f;
                fail_mem_init(&f, k);
                la_solver *s;
                int status = la_new(
                    &f.m,
                    &(la_config){.n = 10, .pattern = &a.p, .is_complex = c, .backend = (*b)->name},
                    &s);
                if (status) {
                    assert_int_equal(status, LA_E_MEMORY);
                    assert_null(s);
                }
                if (!status && (*b)->plans) status = la_factor(s, a.a, a.m, 1, 1);
                if (status) assert_int_equal(status, LA_E_MEMORY);
                long calls = f.calls;
                if (!status) {
                    assert_int_equal(la_factor(s, a.a, a.m, 1, 1), LA_OK);
                    double x[20] = {1};
                    la_solve(s, x);
                    assert_int_equal(f.calls, calls); // nothing after la_new
                }
                la_free(s);
                assert_int_equal(f.live, 0);
                if (!status) break;
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_powers_of_two),
        cmocka_unit_test(every_backend_solves),
        cmocka_unit_test(several_are_factored_as_if_alone),
        cmocka_unit_test(several_are_solved_with_together),
        cmocka_unit_test(of_several_the_first_that_is_singular_ends_it),
        cmocka_unit_test(blocks_are_solved_as_if_alone),
        cmocka_unit_test(a_full_matrix_needs_no_pattern),
        cmocka_unit_test(grids_are_solved_along_the_diagonal_or_with_pivots),
        cmocka_unit_test(fronts_of_every_size_are_eliminated),
        cmocka_unit_test(paths_need_no_search),
        cmocka_unit_test(a_singular_matrix_is_refused),
        cmocka_unit_test(a_structurally_singular_pattern_is_refused),
        cmocka_unit_test(badly_scaled_rows_do_no_harm),
        cmocka_unit_test(old_pivots_are_given_up_when_they_degrade),
        cmocka_unit_test(a_forgiving_solver_leaves_open_what_is_open),
        cmocka_unit_test(a_forgiving_solver_sees_what_is_no_longer_open),
        cmocka_unit_test(a_long_chain_is_planned_once),
        cmocka_unit_test(plans_come_back),
        cmocka_unit_test(unknown_backends_and_sizes_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
