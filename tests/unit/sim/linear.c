/* How linear systems are solved where nobody says how: heat in a cube, whose factors are full, and in
 * a plane, whose are not. A mode of the seven-point formula decays by itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/mem.h"
#include "cmocka_all.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

typedef struct grid {
    int size[3], n, nnz;
    int *start, *row;
    bool useless; // products say nothing
} grid;

/* The sum of the neighbours of a point, less so many times itself. */
static double spread(const grid *g, const double *u, int p)
{
    int stride = 1, rest = p;
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        int x = rest % g->size[k];
        rest /= g->size[k];
        if (g->size[k] > 1) {
            sum -= 2 * u[p];
            if (x > 0) sum += u[p - stride];
            if (x < g->size[k] - 1) sum += u[p + stride];
        }
        stride *= g->size[k];
    }
    return sum;
}

static int residual(void *user, double t, const double *y, const double *yp, double *r)
{
    const grid *g = user;
    (void)t;
    for (int p = 0; p < g->n; p++) r[p] = yp[p] - spread(g, y, p);
    return 0;
}

static int product(void *user, double t, const double *y, const double *yp, const double *v,
                   const double *vp, double *out)
{
    const grid *g = user;
    (void)t, (void)y, (void)yp;
    for (int p = 0; p < g->n; p++) out[p] = g->useless ? 0 : vp[p] - spread(g, v, p);
    return 0;
}

static int jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                    double *dyp)
{
    const grid *g = user;
    (void)t, (void)y, (void)yp;
    int dims = (g->size[0] > 1) + (g->size[1] > 1) + (g->size[2] > 1);
    for (int j = 0; j < g->n; j++)
        for (int k = g->start[j]; k < g->start[j + 1]; k++) {
            dy[k] = g->row[k] == j ? 2 * dims : -1;
            dyp[k] = g->row[k] == j;
        }
    return 0;
}

static grid grid_of(int a, int b, int c)
{
    grid g = {.size = {a, b, c}, .n = a * b * c};
    g.start = malloc(((size_t)g.n + 1) * sizeof *g.start);
    g.row = malloc(7 * (size_t)g.n * sizeof *g.row);
    for (int p = 0; p < g.n; p++) {
        int at[3] = {p % a, p / a % b, p / a / b}, stride[3] = {1, a, a * b};
        g.start[p] = g.nnz;
        for (int k = 2; k >= 0; k--)
            if (at[k] > 0) g.row[g.nnz++] = p - stride[k];
        g.row[g.nnz++] = p;
        for (int k = 0; k < 3; k++)
            if (at[k] < g.size[k] - 1) g.row[g.nnz++] = p + stride[k];
    }
    g.start[g.n] = g.nnz;
    return g;
}

/* The first mode to t = 5, and what it cost. */
static vinc_stats heat(grid *g, const char *linear)
{
    vinc_pattern pattern = {g->n, g->n, g->nnz, g->start, g->row};
    vinc_problem p = {.n = g->n,
                      .residual = residual,
                      .product = product,
                      .jacobian = jacobian,
                      .jac = &pattern,
                      .user = g};
    double *y = calloc((size_t)g->n, sizeof *y), *yp = calloc((size_t)g->n, sizeof *yp), rate = 0;
    for (int i = 0; i < g->n; i++) {
        int rest = i;
        y[i] = 1;
        for (int k = 0; k < 3; rest /= g->size[k++])
            if (g->size[k] > 1) y[i] *= sin(PI * (rest % g->size[k] + 1) / (g->size[k] + 1));
    }
    for (int k = 0; k < 3; k++)
        if (g->size[k] > 1) rate += 4 * pow(sin(PI / (2 * (g->size[k] + 1))), 2);
    int middle = g->n / 2;
    double before = y[middle];
    for (int i = 0; i < g->n; i++) yp[i] = -rate * y[i];
    mem m = mem_std();
    sim_options o = {.t_stop = 5, .rel_tol = 1e-6, .linear = linear, .no_rows = true};
    sim_outcome done;
    result *into;
    result_new(&m, &into);
    assert_int_equal(sim_run(&m, &p, y, yp, &o, into, &done), 0);
    assert_true(fabs(y[middle] - before * exp(-5 * rate)) < 1e-5);
    vinc_stats cost = done.stats;
    text_done(&done.message);
    result_free(into);
    free(y);
    free(yp);
    return cost;
}

static void grid_free(grid *g)
{
    free(g->start);
    free(g->row);
}

static void full_factors_give_way_to_iterations(void **state)
{
    (void)state;
    grid cube = grid_of(20, 20, 20), plane = grid_of(90, 90, 1);
    vinc_stats open = heat(&cube, NULL), flat = heat(&plane, NULL);
    assert_true(open.linear_iterations > 0 && open.factorizations == 0);
    assert_true(flat.linear_iterations == 0 && flat.factorizations > 0);
    grid_free(&cube);
    grid_free(&plane);
}

/* Where it is said, a matrix is stored. */
static void what_is_asked_for_is_done(void **state)
{
    (void)state;
    grid cube = grid_of(20, 20, 20);
    vinc_stats cost = heat(&cube, "direct");
    assert_true(cost.factorizations > 0 && cost.linear_iterations == 0);
    grid_free(&cube);
}

/* Products that lead nowhere: the run goes on with a stored matrix. */
static void iterations_that_stagnate_give_way_to_factors(void **state)
{
    (void)state;
    grid cube = grid_of(20, 20, 20);
    cube.useless = true;
    assert_true(heat(&cube, NULL).factorizations > 0);
    grid_free(&cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_factors_give_way_to_iterations),
        cmocka_unit_test(what_is_asked_for_is_done),
        cmocka_unit_test(iterations_that_stagnate_give_way_to_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
