/* GMRES and its preconditioners on matrices whose solutions are known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "la/gmres.h"
#include "la/precond.h"
#include "la/shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 400, NNZ_MAX = 8 * N_MAX };

/* A matrix by columns, and what it takes to solve with it. */
typedef struct rig {
    int n, start[N_MAX + 1], row[NNZ_MAX], row_of[N_MAX], unknown_of[N_MAX], work[3 * N_MAX];
    double a[NNZ_MAX], size[N_MAX], x[N_MAX], b[N_MAX];
    vinc_pattern pattern;
    la_precond p;
    la_gmres g;
    void *block[2];
    int products;
} rig;

static void put(rig *r, int i, double a)
{
    if (a == 0) return;
    r->row[r->pattern.nnz] = i;
    r->a[r->pattern.nnz++] = a;
}

static void times(const rig *r, const double *v, double *out)
{
    memset(out, 0, (size_t)r->n * sizeof *out);
    for (int j = 0; j < r->n; j++)
        for (int k = r->start[j]; k < r->start[j + 1]; k++) out[r->row[k]] += r->a[k] * v[j];
}

static const la_precond_kind *kind_named(const char *name)
{
    for (const la_precond_kind *const *k = la_preconds; *k; k++)
        if (!strcmp((*k)->name, name)) return *k;
    fail_msg("no preconditioner %s", name);
    return NULL;
}

/* The preconditioner of the matrix; how many pivots it replaced. */
static int precondition(rig *r, const char *name, int block, double relax)
{
    double column[N_MAX], most[N_MAX] = {0};
    free(r->block[0]);
    r->p = (la_precond){.kind = kind_named(name),
                        .n = r->n,
                        .pattern = &r->pattern,
                        .row_of = r->row_of,
                        .unknown_of = r->unknown_of,
                        .size = r->size,
                        .block = block,
                        .relax = relax};
    assert_int_equal(la_precond_match(&r->pattern, r->row_of, r->unknown_of, r->work), -1);
    bump b = bump_begin(NULL);
    if (r->p.kind->layout) r->p.kind->layout(&r->p, &b);
    r->block[0] = malloc(bump_end(&b) + 1);
    b = bump_begin(r->block[0]);
    if (r->p.kind->layout) r->p.kind->layout(&r->p, &b);
    if (r->p.kind->prepare) r->p.kind->prepare(&r->p);
    for (int k = 0; k < r->pattern.nnz; k++) most[r->row[k]] = fmax(most[r->row[k]], fabs(r->a[k]));
    for (int j = r->n - 1; j >= 0; j--) { // in any order
        for (int k = r->start[j]; k < r->start[j + 1]; k++) column[r->row[k]] = r->a[k];
        r->size[j] = most[r->row_of[j]];
        if (r->p.kind->column) r->p.kind->column(&r->p, j, column);
    }
    return r->p.kind->finish ? r->p.kind->finish(&r->p) : 0;
}

static void through(const rig *r, const double *rows, double *x)
{
    for (int j = 0; j < r->n; j++) x[j] = rows[r->row_of[j]];
    r->p.kind->apply(&r->p, x);
}

static int apply(void *user, const double *v, double *out)
{
    rig *r = user;
    double rows[N_MAX];
    times(r, v, rows);
    through(r, rows, out);
    r->products++;
    return 0;
}

/* Solve for a known x; the root mean square of the error of the solution. */
static double solve(rig *r, int restart, int most, double tol, int *status)
{
    double rows[N_MAX], sum = 0;
    free(r->block[1]);
    r->g = (la_gmres){.n = r->n, .restart = restart, .iterations_max = most};
    bump b = bump_begin(NULL);
    la_gmres_layout(&r->g, &b);
    r->block[1] = malloc(bump_end(&b) + 1);
    b = bump_begin(r->block[1]);
    la_gmres_layout(&r->g, &b);
    for (int i = 0; i < r->n; i++) r->x[i] = sin(1 + 3.0 * i) + 0.3;
    times(r, r->x, rows);
    through(r, rows, r->b);
    *status = la_gmres_solve(&r->g, apply, r, r->b, tol, 0);
    for (int i = 0; i < r->n; i++) sum += (r->b[i] - r->x[i]) * (r->b[i] - r->x[i]);
    return sqrt(sum / r->n);
}

/* shift I + the five-point formula on m by m points, with a flow that makes it unsymmetric. */
static void grid(rig *r, int m, double shift, double flow)
{
    r->n = m * m;
    r->pattern = (vinc_pattern){r->n, r->n, 0, r->start, r->row};
    for (int j = 0; j < r->n; j++) {
        int x = j % m, y = j / m;
        r->start[j] = r->pattern.nnz;
        if (y > 0) put(r, j - m, -1);
        if (x > 0) put(r, j - 1, -1 + flow);
        put(r, j, 4 + shift);
        if (x < m - 1) put(r, j + 1, -1 - flow);
        if (y < m - 1) put(r, j + m, -1);
    }
    r->start[r->n] = r->pattern.nnz;
}

static rig *rig_new(void)
{
    return calloc(1, sizeof(rig));
}

static void rig_free(rig *r)
{
    free(r->block[0]);
    free(r->block[1]);
    free(r);
}

/* The error that is asked for is the error that is there, up to what the estimate of the smallest
 * singular value may be off (a factor of 5), with every preconditioner and over restarts. */
static void error_is_what_was_asked_for(void **state)
{
    (void)state;
    rig *r = rig_new();
    const double shifts[] = {1, 0.01}, flows[] = {0, 0.5}, tols[] = {1e-2, 1e-6, 1e-10};
    for (const la_precond_kind *const *k = la_preconds; *k; k++)
        for (int c = 0; c < 12; c++) {
            int status;
            double tol = tols[c / 4];
            grid(r, 20, shifts[c % 2], flows[c / 2 % 2]);
            assert_int_equal(precondition(r, (*k)->name, 8, 0.95), 0);
            double error = solve(r, c % 3 ? 30 : 100, 2000, tol, &status);
            if (status != GMRES_DONE || error > 5 * tol)
                fail_msg("%s case %d: status %d, error %g, not %g", (*k)->name, c, status, error,
                         tol);
            assert_true(r->g.error <= tol && r->g.iterations <= r->products);
        }
    rig_free(r);
}

/* The fewer the better the preconditioner: on diffusion, with its parameters as standard. */
static void preconditioners_save_iterations(void **state)
{
    (void)state;
    rig *r = rig_new();
    int n[4], status;
    const char *names[] = {"jacobi", "block-jacobi", "ilu", "ilu"};
    for (int k = 0; k < 4; k++) {
        grid(r, 20, 0.01, 0);
        precondition(r, names[k], 20, k == 3 ? 0.95 : 0); // a block is a line of the grid
        solve(r, 400, 400, 1e-6, &status);
        assert_int_equal(status, GMRES_DONE);
        n[k] = r->g.iterations;
    }
    assert_true(n[1] < n[0] && n[2] < n[1] && n[3] < n[2]);
    rig_free(r);
}

/* What has no fill has exact factors, whatever the order of the unknowns: one iteration. A chain of
 * which every second unknown comes first, as fields are declared one after the other. */
static void factors_without_fill_are_exact(void **state)
{
    (void)state;
    rig *r = rig_new();
    int n = 200, status;
    r->n = n;
    r->pattern = (vinc_pattern){n, n, 0, r->start, r->row};
    for (int j = 0; j < n; j++) {
        int link = j < n / 2 ? 2 * j : 2 * (j - n / 2) + 1; // along the chain
        r->start[j] = r->pattern.nnz;
        for (int i = 0; i < n; i++) {
            int other = i < n / 2 ? 2 * i : 2 * (i - n / 2) + 1;
            if (abs(other - link) == 1) put(r, i, other > link ? -3 : 2);
            if (i == j) put(r, i, 1 + 0.01 * i);
        }
    }
    r->start[n] = r->pattern.nnz;
    assert_int_equal(precondition(r, "ilu", 1, 0), 0);
    assert_true(solve(r, 30, 30, 1e-10, &status) < 1e-9);
    assert_int_equal(r->g.iterations, 1);
    rig_free(r);
}

/* Equations in another order than their unknowns, of very different size, two of them coupled without a
 * diagonal: the blocks of block-jacobi are the whole matrix. */
static void equations_find_their_unknowns(void **state)
{
    (void)state;
    rig *r = rig_new();
    int n = 60, status;
    r->n = n;
    r->pattern = (vinc_pattern){n, n, 0, r->start, r->row};
    for (int j = 0; j < n; j++) { // unknown j in equation j + 1, and in j + 2 for even j
        r->start[j] = r->pattern.nnz;
        int one = (j + 1) % n, two = (j + 2) % n;
        double size_one = one % 3 ? 1 : 1e9, size_two = two % 3 ? 1 : 1e9;
        if (one < two) put(r, one, size_one * (2 + j % 5));
        if (j % 2 == 0) put(r, two, size_two);
        if (one > two) put(r, one, size_one * (2 + j % 5));
    }
    r->start[n] = r->pattern.nnz;
    for (int k = 0; k < 3; k++) {
        const char *name = k == 0 ? "block-jacobi" : k == 1 ? "ilu" : "jacobi";
        assert_int_equal(precondition(r, name, 60, 0), 0);
        for (int j = 0; j < n; j++) assert_int_equal(r->unknown_of[r->row_of[j]], j);
        assert_true(solve(r, 60, 60, 1e-9, &status) < 1e-8);
        assert_int_equal(status, GMRES_DONE);
        if (k == 0) assert_int_equal(r->g.iterations, 1);
    }
    rig_free(r);
}

/* A pivot that is zero is replaced and counted; the system is solved all the same. */
static void zero_pivots_are_replaced(void **state)
{
    (void)state;
    rig *r = rig_new();
    for (int k = 0; k < 2; k++) {
        int status;
        r->n = 2;
        r->pattern = (vinc_pattern){2, 2, 0, r->start, r->row};
        r->row[0] = 0, r->row[1] = 1, r->row[2] = 0, r->row[3] = 1;
        r->a[0] = 0, r->a[1] = 2, r->a[2] = 3, r->a[3] = 0; // the places are there, the values not
        r->start[0] = 0, r->start[1] = 2, r->start[2] = r->pattern.nnz = 4;
        assert_true(precondition(r, k ? "ilu" : "jacobi", 1, 0) > 0);
        assert_true(solve(r, 2, 10, 1e-9, &status) < 1e-8);
        assert_int_equal(status, GMRES_DONE);
    }
    rig_free(r);
}

/* A cyclic shift is orthogonal, and no vector of the Krylov space but the last has anything of the
 * solution: without restarts n iterations, with restarts never (N. M. Nachtigal, S. C. Reddy, L. N.
 * Trefethen, SIAM J. Matrix Anal. Appl. 13 (1992) 778-795). As a matrix of equations it is diagonal. */
static void stagnation_is_told(void **state)
{
    (void)state;
    rig *r = rig_new();
    int n = 40, status;
    double rows[N_MAX];
    r->n = n;
    r->pattern = (vinc_pattern){n, n, 0, r->start, r->row};
    for (int j = 0; j < n; j++) {
        r->start[j] = r->pattern.nnz;
        put(r, (j + 1) % n, 1);
    }
    r->start[n] = r->pattern.nnz;
    assert_int_equal(precondition(r, "none", 1, 0), 0);
    assert_true(solve(r, 20, 200, 1e-9, &status) < 1e-8); // equations were matched
    assert_int_equal(r->g.iterations, 1);
    for (int j = 0; j < n; j++) r->row_of[j] = r->unknown_of[j] = j; // ... and now are not
    for (int whole = 0; whole < 2; whole++) {
        r->g.restart = whole ? n : 20;
        r->g.smallest = 0;
        free(r->block[1]);
        bump b = bump_begin(NULL);
        la_gmres_layout(&r->g, &b);
        r->block[1] = malloc(bump_end(&b) + 1);
        b = bump_begin(r->block[1]);
        la_gmres_layout(&r->g, &b);
        for (int i = 0; i < n; i++) rows[i] = i == 7;
        status = la_gmres_solve(&r->g, apply, r, rows, 1e-9, 0);
        assert_int_equal(status, whole ? GMRES_DONE : GMRES_STAGNANT);
        assert_int_equal(r->g.iterations, whole ? n : 20);
    }
    for (int i = 0; i < n; i++) assert_true(fabs(rows[i] - (i == 6)) < 1e-12);
    rig_free(r);
}

/* Nothing to solve: no products. A status of a product ends it. */
static int refuse(void *user, const double *v, double *out)
{
    (void)v, (void)out;
    return *(int *)user;
}

static void right_hand_side_decides(void **state)
{
    (void)state;
    rig *r = rig_new();
    int status, refusal = -3;
    grid(r, 5, 1, 0);
    precondition(r, "jacobi", 1, 0);
    solve(r, 25, 25, 1e-6, &status);
    double b[25] = {0};
    int before = r->products;
    assert_int_equal(la_gmres_solve(&r->g, apply, r, b, 1e-6, 0), GMRES_DONE);
    assert_true(r->products == before && r->g.error == 0);
    for (int i = 0; i < 25; i++) b[i] = 1e-9; // below what is asked for
    assert_int_equal(la_gmres_solve(&r->g, apply, r, b, 1e-6, 0), GMRES_DONE);
    assert_true(r->products == before && r->g.error > 0 && b[0] == 0);
    b[3] = 1;
    assert_int_equal(la_gmres_solve(&r->g, refuse, &refusal, b, 1e-6, 0), GMRES_STOPPED);
    assert_int_equal(r->g.status, -3);
    rig_free(r);
}

/* Two processes that hold the same numbers: what each of them adds, the other does. */
static void sum_of_two(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] *= 2;
}

enum { HALF = 20 };

/* A chain of HALF unknowns, or two of them that do not touch. */
static int apply_chains(void *user, const double *v, double *out)
{
    int n = *(const int *)user;
    for (int i = 0; i < n; i++) {
        bool first = i % HALF == 0, last = i % HALF == HALF - 1;
        out[i] = 3 * v[i] - (first ? 0 : v[i - 1]) - (last ? 0 : 2 * v[i + 1]);
    }
    return 0;
}

static void two_processes_iterate_as_one(void **state)
{
    (void)state;
    const team two = {.sum = sum_of_two};
    const la_shared shared = {.team = &two, .size = 2, .n_all = 2 * HALF};
    double b[2][2 * HALF];
    int iterations[2];
    for (int k = 0; k < 2; k++) {
        int n = k ? HALF : 2 * HALF;
        la_gmres g = {.n = n, .restart = 8, .iterations_max = 100, .shared = k ? &shared : NULL};
        bump room = bump_begin(NULL);
        la_gmres_layout(&g, &room);
        void *block = calloc(1, bump_end(&room) + 1);
        room = bump_begin(block);
        la_gmres_layout(&g, &room);
        for (int i = 0; i < n; i++) b[k][i] = 1 + i % HALF;
        assert_int_equal(la_gmres_solve(&g, apply_chains, &n, b[k], 1e-8, 0), GMRES_DONE);
        iterations[k] = g.iterations;
        free(block);
    }
    assert_int_equal(iterations[0], iterations[1]);
    for (int i = 0; i < HALF; i++) assert_true(fabs(b[1][i] - b[0][i]) <= 1e-12 * fabs(b[0][i]));
}

static void a_singular_pattern_is_named(void **state)
{
    (void)state;
    const int start[] = {0, 1, 2, 4}, row[] = {1, 1, 0, 2}; // unknowns 0 and 1 in one equation only
    vinc_pattern a = {3, 3, 4, start, row};
    int row_of[3], unknown_of[3], work[9];
    int open = la_precond_match(&a, row_of, unknown_of, work);
    assert_true(open == 0 || open == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_what_was_asked_for),
        cmocka_unit_test(preconditioners_save_iterations),
        cmocka_unit_test(factors_without_fill_are_exact),
        cmocka_unit_test(equations_find_their_unknowns),
        cmocka_unit_test(zero_pivots_are_replaced),
        cmocka_unit_test(stagnation_is_told),
        cmocka_unit_test(right_hand_side_decides),
        cmocka_unit_test(two_processes_iterate_as_one),
        cmocka_unit_test(a_singular_pattern_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
