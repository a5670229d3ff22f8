/* Nested dissection: grids in space are ordered by it, with less work, and solved as by any other order.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/crew.h"
#include "la/dissect.h"

#include <math.h>
#include <pthread.h>

/* A cube of points, each tied to its neighbours along two axes both ways; along the third, every second
 * only one way, so that the pattern is not symmetric. */
enum { SIDE = 16, N = SIDE * SIDE * SIDE };

typedef struct cube {
    vinc_pattern p;
    int start[N + 1], row[7 * N];
    double a[7 * N];
} cube;

static void make_cube(cube *x)
{
    static const int step[] = {-SIDE * SIDE, -SIDE, -1, 0, 1, SIDE, SIDE * SIDE};
    int k = 0;
    for (int j = 0; j < N; j++) {
        int at[3] = {j % SIDE, j / SIDE % SIDE, j / (SIDE * SIDE)};
        bool has[] = {at[2] > 0,
                      at[1] > 0,
                      at[0] > 0,
                      true,
                      at[0] < SIDE - 1,
                      at[1] < SIDE - 1,
                      at[2] < SIDE - 1 && at[0] % 2};
        x->start[j] = k;
        for (int s = 0; s < 7; s++) {
            if (!has[s]) continue;
            x->row[k] = j + step[s];
            x->a[k] = step[s] ? -1 - 0.1 * sin(k) : 7;
            k++;
        }
    }
    x->start[N] = k;
    x->p = (vinc_pattern){N, N, k, x->start, x->row};
}

/* Diagonally dominant by columns: what is left of the right hand side is rounding. */
static double residual(const cube *x, const double *y, const double *b)
{
    double worst = 0;
    static double r[N];
    for (int i = 0; i < N; i++) r[i] = -b[i];
    for (int j = 0; j < N; j++)
        for (int k = x->start[j]; k < x->start[j + 1]; k++) r[x->row[k]] += x->a[k] * y[j];
    for (int i = 0; i < N; i++) worst = fmax(worst, fabs(r[i]));
    return worst;
}

static void a_cube_is_ordered_and_solved(void **state)
{
    static cube x;
    static double b[N], y[2][N];
    (void)state;
    mem m = mem_std();
    make_cube(&x);
    for (int i = 0; i < N; i++) b[i] = sin(i);
    for (int k = 0; k < 2; k++) {
        crew *w = crew_new(&m, 1 + k);
        la_solver *s;
        la_config c = {.n = N, .pattern = &x.p, .backend = "fronts", .crew = w};
        assert_int_equal(la_new(&m, &c, &s), LA_OK);
        assert_true(s->dissected);
        assert_int_equal(la_factor(s, x.a, NULL, 0, 0), LA_OK);
        memcpy(y[k], b, sizeof b);
        la_solve(s, y[k]);
        assert_true(residual(&x, y[k], b) < 1e-12);
        la_free(s);
        crew_free(w);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]); // for any number of threads
}

/* A path has no order that is cheaper, and is not even tried. */
static void a_path_is_not(void **state)
{
    enum { M = 3000 };
    static int start[M + 1], row[3 * M];
    int k = 0;
    (void)state;
    for (int j = 0; j < M; j++) {
        start[j] = k;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < M) row[k++] = i;
    }
    start[M] = k;
    mem m = mem_std();
    vinc_pattern p = {M, M, k, start, row};
    la_solver *s;
    la_config c = {.n = M, .pattern = &p, .backend = "fronts"};
    assert_int_equal(la_new(&m, &c, &s), LA_OK);
    assert_false(s->dissected);
    la_free(s);
}

static void *dissect(void *order)
{
    static cube x;
    static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;
    mem m = mem_std();
    pthread_mutex_lock(&made);
    if (!x.start[N]) make_cube(&x);
    pthread_mutex_unlock(&made);
    return la_dissect(&m, &x.p, order) ? order : NULL;
}

/* Each unknown once; the same in every thread; and who draws random numbers draws the same ones. */
static void the_order_is_the_same_in_every_thread(void **state)
{
    enum { THREADS = 3 };
    static int order[THREADS][N], seen[N];
    pthread_t thread[THREADS];
    (void)state;
    srand(7);
    int first = rand(), second = rand();
    srand(7);
    assert_int_equal(rand(), first);
    for (int k = 0; k < THREADS; k++)
        assert_false(pthread_create(&thread[k], NULL, dissect, order[k]));
    for (int k = 0; k < THREADS; k++) {
        void *failed;
        assert_false(pthread_join(thread[k], &failed));
        assert_null(failed);
    }
    assert_int_equal(rand(), second);
    for (int i = 0; i < N; i++) seen[order[0][i]]++;
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
    for (int k = 1; k < THREADS; k++) assert_memory_equal(order[0], order[k], sizeof order[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_is_ordered_and_solved),
        cmocka_unit_test(a_path_is_not),
        cmocka_unit_test(the_order_is_the_same_in_every_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
