/* Stages of small systems against plain loops. Sums may be taken in another order: a few units in the
 * last place of terms below 8.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/small_stages.h"
#include "cmocka_all.h"
#include "method/stages.h"

#include <math.h>
#include <string.h>

enum { ROOM = SCHEME_STAGES * SMALL_MAX };
static const double NEAR = 1e-13, INVERSE_H = 0.7;

typedef struct bench {
    small_row rate[SCHEME_STAGES + 1], t[SCHEME_STAGES], ti[SCHEME_STAGES], gap[SCHEME_STAGES];
    small_wide wide[3 * SCHEME_STAGES + 1];
    double c[SCHEME_STAGES], y[SMALL_MAX], weight[SMALL_MAX];
    double inverse[1 + 2 * SMALL_PAIRS_MAX][SMALL_MAX * SMALL_MAX];
    double z[ROOM], w[ROOM], points[ROOM], d[ROOM], f[ROOM], b[ROOM];
    int at; // stride
    small_stages q;
    small_polynomial u;
} bench;

static double number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* Vectors of n numbers, each followed by zeros. */
static void fill(double *x, int vectors, int n, int at, unsigned *seed)
{
    memset(x, 0, (size_t)(vectors * at) * sizeof *x);
    for (int k = 0; k < vectors; k++)
        for (int i = 0; i < n; i++) x[k * at + i] = number(seed);
}

static void prepare(bench *x, int s, int n, unsigned seed)
{
    int at = x->at = small_stride(n);
    for (int i = 0; i < s; i++) {
        x->c[i] = (i + 1.0) / s;
        for (int j = 0; j < s; j++) {
            x->rate[i][j] = number(&seed), x->rate[i + 1][j] = number(&seed);
            x->t[i][j] = number(&seed), x->ti[i][j] = number(&seed);
        }
    }
    for (int k = 0; k < s; k++)
        for (int i = k; i < s; i++) x->gap[k][i] = 1 / (x->c[i] - (i > k ? x->c[i - k - 1] : 0));
    fill(x->y, 1, n, at, &seed);
    fill(x->weight, 1, n, at, &seed);
    for (int k = 0; k < 1 + 2 * SMALL_PAIRS_MAX; k++) fill(x->inverse[k], n, n, at, &seed);
    double *stages[] = {x->z, x->w, x->f, x->d, x->points};
    for (int k = 0; k < 5; k++) fill(stages[k], s, n, at, &seed);
    small_wide *t = x->wide + SCHEME_STAGES + 1, *ti = t + SCHEME_STAGES;
    small_widen((const small_row *)x->rate, x->rate[s], s, x->wide);
    small_widen((const small_row *)x->t, NULL, s, t);
    small_widen((const small_row *)x->ti, NULL, s, ti);
    x->q = (small_stages){.stages = s,
                          .n = n,
                          .rate = x->wide,
                          .inverse_h = INVERSE_H,
                          .t = t,
                          .ti = ti,
                          .y = x->y,
                          .weight = x->weight,
                          .real = x->inverse[0],
                          .mass = x->inverse[1],
                          .z = x->z,
                          .w = x->w,
                          .points = x->points,
                          .d = x->d,
                          .f = x->f};
    for (int i = 0; i < SMALL_PAIRS_MAX; i++)
        x->q.re[i] = x->inverse[1 + 2 * i], x->q.im[i] = x->inverse[2 + 2 * i];
    x->u = (small_polynomial){s, n, x->c, (const small_row *)x->gap, x->b};
}

#define NEAR_TO(a, b) assert_true(fabs((a) - (b)) < NEAR)

/* The same of all sizes. */
static void of_all(void (*test)(bench *x, int s, int n))
{
    static bench x;
    for (int s = 3; s <= 7; s += 2)
        for (int n = 1; n <= SMALL_MAX; n++) {
            prepare(&x, s, n, (unsigned)(100 * s + n));
            test(&x, s, n);
        }
}

static double row(const double *m, const double *x, int s, int at, int i)
{
    double sum = 0;
    for (int j = 0; j < s; j++) sum += m[j] * x[j * at + i];
    return sum;
}

/* (matrix b)_i; columns of `at` numbers. */
static double product(const double *a, const double *b, int n, int at, int i)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += a[j * at + i] * b[j];
    return sum;
}

static void points_of_stages(bench *x, int s, int n)
{
    small_points(&x->q);
    for (int k = 0; k < s; k++)
        for (int i = 0; i < x->at; i++) {
            NEAR_TO(x->points[k * x->at + i], x->y[i] + x->z[k * x->at + i]);
            NEAR_TO(x->d[k * x->at + i], INVERSE_H * row(x->rate[k], x->w, s, x->at, i));
            if (i >= n) assert_true(x->d[k * x->at + i] == 0);
        }
}

static void corrections(bench *x, int s, int n)
{
    double delta[ROOM] = {0}, solved[ROOM] = {0}, w[ROOM], squares = 0;
    int at = x->at;
    for (int k = 0; k < s; k++)
        for (int i = 0; i < n; i++) delta[k * at + i] = row(x->ti[k], x->f, s, at, i);
    for (int i = 0; i < n; i++) {
        solved[i] = product(x->q.real, delta, n, at, i);
        for (int p = 0; p < s / 2; p++) {
            double *re = delta + (1 + 2 * p) * at, *im = re + at;
            solved[(1 + 2 * p) * at + i] =
                product(x->q.re[p], re, n, at, i) - product(x->q.im[p], im, n, at, i);
            solved[(2 + 2 * p) * at + i] =
                product(x->q.re[p], im, n, at, i) + product(x->q.im[p], re, n, at, i);
        }
    }
    for (int k = 0; k < s * at; k++) {
        w[k] = x->w[k] - solved[k];
        squares += solved[k] * x->weight[k % at] * (solved[k] * x->weight[k % at]);
    }
    NEAR_TO(small_correct(&x->q), squares);
    for (int k = 0; k < s; k++)
        for (int i = 0; i < at; i++) {
            NEAR_TO(x->d[k * at + i], solved[k * at + i]);
            NEAR_TO(x->w[k * at + i], w[k * at + i]);
            NEAR_TO(x->z[k * at + i], row(x->t[k], w, s, at, i));
        }
}

static void ends(bench *x, int s, int n)
{
    double y[SMALL_MAX], yp[SMALL_MAX], begin[SMALL_MAX], e[SMALL_MAX], b[SMALL_MAX];
    int at = x->at;
    small_end(&x->q, y, yp, begin);
    for (int i = 0; i < at; i++) {
        NEAR_TO(y[i], x->y[i] + x->z[(s - 1) * at + i]);
        NEAR_TO(yp[i], INVERSE_H * row(x->rate[s - 1], x->w, s, at, i));
        NEAR_TO(begin[i], INVERSE_H * row(x->rate[s], x->w, s, at, i));
    }
    double solved = 0, damped = 0, slow[SMALL_MAX];
    memcpy(b, x->y, sizeof b);
    for (int i = 0; i < n; i++) slow[i] = 0.3 * product(x->q.mass, x->z, n, at, i);
    for (int i = 0; i < n; i++) {
        double v = product(x->q.real, x->y, n, at, i), v_w = v * x->weight[i];
        double rest = (x->z[i] - product(x->q.real, slow, n, at, i)) * x->weight[i];
        solved += v_w * v_w;
        damped += rest * rest;
    }
    NEAR_TO(small_solve(&x->q, b), solved);
    memcpy(e, x->z, (size_t)at * sizeof *e);
    NEAR_TO(small_damp(&x->q, 0.3, e), damped);
    memcpy(b, x->y, sizeof b);
    small_multiply(x->q.real, n, b);
    for (int i = 0; i < n; i++) NEAR_TO(b[i], product(x->q.real, x->y, n, at, i));
}

/* Stages on t - t^2/2 + t^3/3 times a number: what three stages and more know exactly. */
static double cubic(double t)
{
    return t - t * t / 2 + t * t * t / 3;
}

static void polynomials(bench *x, int s, int n)
{
    const double ratio = 0.5, at_x = 0.7;
    const double loss = 2e-10; // 7 stages magnify eps of 25 by 1.4e4, in some ten sums
    double z_old[ROOM] = {0}, y[SMALL_MAX], yp[SMALL_MAX];
    int at = x->at;
    for (int k = 0; k < s; k++)
        for (int i = 0; i < n; i++) z_old[k * at + i] = (i + 1) * cubic(x->c[k]);
    small_divide(&x->u, z_old);
    small_continue(&x->q, &x->u, ratio);
    for (int k = 0; k < s; k++)
        for (int i = 0; i < at; i++) {
            double z = i < n ? (i + 1) * (cubic(1 + ratio * x->c[k]) - cubic(1)) : 0;
            assert_true(fabs(x->z[k * at + i] - z) < loss);
            assert_true(fabs(x->w[k * at + i] - row(x->ti[k], x->z, s, at, i)) < loss);
        }
    double by_weights[SMALL_MAX + 1], bent[SMALL_MAX + 1], integral[SCHEME_STAGES + 1] = {3, 2};
    for (int i = 0; i < at; i++) bent[i] = i < n;
    by_weights[n] = -1;
    small_row_at(&x->u, at_x, x->y, NULL, NULL, by_weights);
    assert_true(by_weights[n] == -1); // n numbers, and no more
    for (int i = 0; i < n; i++)
        assert_true(fabs(by_weights[i] - x->y[i] - (i + 1) * (cubic(at_x) - cubic(1))) < loss);
    small_row_at(&x->u, at_x, x->y, bent, integral, y);
    for (int i = 0; i < n; i++)
        assert_true(fabs(y[i] - by_weights[i] - (3 + 2 * at_x) * at_x) < loss);
    small_value(&x->u, at_x, x->y, 2, y, yp);
    for (int i = 0; i < n; i++) {
        assert_true(fabs(y[i] - x->y[i] - (i + 1) * (cubic(at_x) - cubic(1))) < loss);
        assert_true(fabs(yp[i] - 2 * (i + 1) * (1 - at_x + at_x * at_x)) < loss);
    }
}

static void two_sums(bench *x, int s, int n)
{
    double y[SMALL_MAX], d[SMALL_MAX];
    for (int count = 0; count <= s; count++) {
        small_sum(&(small_sums){n, count, x->z, x->t[0], x->ti[0], x->y, 0.3, y, d});
        for (int i = 0; i < x->at; i++) {
            NEAR_TO(y[i], x->y[i] - row(x->t[0], x->z, count, x->at, i));
            NEAR_TO(d[i], 0.3 * row(x->ti[0], x->z, count, x->at, i));
        }
    }
}

/* Bit by bit the sums that larger systems have. */
static void rows_of_curves(bench *x, int s, int n)
{
    double out[3][SMALL_MAX], plain[SMALL_MAX], *rows[] = {out[0], out[1], out[2]};
    small_bend(&(small_curve){n, s, 3, SCHEME_STAGES, x->z, x->t[0], rows});
    for (int k = 0; k < 3; k++) {
        stages_sum_part(s, x->t[k], -1, x->z, x->at, NULL, plain, n);
        for (int i = 0; i < n; i++) assert_true(out[k][i] == plain[i]);
        for (int i = n; i < x->at; i++) assert_true(out[k][i] == 0);
    }
}

static void small_systems(void **state)
{
    (void)state;
    of_all(points_of_stages);
    of_all(corrections);
    of_all(ends);
    of_all(polynomials);
    of_all(two_sums);
    of_all(rows_of_curves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
