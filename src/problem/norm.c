/* The weighted root-mean-square norm.
 *
 * E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.8 (norm) and VII.3
 * (weights by powers of h for variables of higher index).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"

#include "la/simd.h"

#include <math.h>
#include <string.h>

SIMD_CLONES bool problem_finite_long(const double *x, int n)
{
    simd4 sum = {0}, too = {0};
    int i = 0;
    for (; i + 7 < n; i += 8) {
        simd4 a = *(const simd4 *)(x + i), b = *(const simd4 *)(x + i + 4);
        sum += a - a;
        too += b - b;
    }
    for (; i < n; i++) sum[0] += x[i] - x[i];
    sum += too;
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

SIMD_CLONES double problem_largest(const double *x, int n)
{
    simd4 most = {0};
    int i = 0;
    for (; i + 3 < n; i += 4) most = simd4_max(simd4_abs(*(const simd4 *)(x + i)), most);
    double largest = simd4_largest(most);
    for (; i < n; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    return largest;
}

static void finite_range(void *job, int from, int to, double sums[])
{
    const double *x = job;
    sums[0] = problem_finite(x + from, to - from) ? 0 : 1;
}

bool problem_finite_parts(crew *c, const double *x, int n)
{
    double n_strange;
    crew_sum(c, finite_range, (void *)x, n, 1, &n_strange);
    return n_strange == 0;
}

/* Below this part of its nominal, which is a guess, what size an unknown has is no longer asked: many
 * are zero but for rounding. Nor below this absolute tolerance: nobody who asks for so much forgets
 * what is small, and where a mechanism passes a singular position rounding is larger than a hundredth
 * of it. */
static const double SIZE_MIN = 0.01, ABS_MIN = 1e-8;

typedef struct weighing {
    problem_norm *w;
    const double *y;
} weighing;

static inline double larger_of(double a, double b) // a where b is NaN
{
    return b > a ? b : a;
}

SIMD_CLONES static void weigh_by_size(void *job, int from, int to)
{
    const weighing *q = job;
    const double *restrict y = q->y, *restrict asked = q->w->abs;
    double *restrict seen = q->w->seen, *restrict inv = q->w->inv, rel_tol = q->w->rel_tol;
    const uint8_t *restrict unsized = q->w->unsized;
    for (int i = from; i < to; i++) {
        double abs = asked[i], size = larger_of(seen[i], fabs(y[i]));
        double part = larger_of(size, SIZE_MIN);
        seen[i] = size;
        part = larger_of(abs * (part < 1 ? part : 1), ABS_MIN);
        abs = unsized[i] && abs > ABS_MIN ? part : abs;
        inv[i] = 1 / (rel_tol * fabs(y[i]) + abs);
    }
}

SIMD_CLONES static void weigh_plainly(void *job, int from, int to)
{
    const weighing *q = job;
    const double *restrict y = q->y, *restrict abs = q->w->abs;
    double *restrict inv = q->w->inv, rel_tol = q->w->rel_tol;
    for (int i = from; i < to; i++) inv[i] = 1 / (rel_tol * fabs(y[i]) + abs[i]);
}

/* The same of four at most, where a call of wide code takes longer than the weights. */
static void weigh_few(const problem_norm *w, const double *y, int n)
{
    switch (n) {
    case 4: w->inv[3] = 1 / (w->rel_tol * fabs(y[3]) + w->abs[3]); // fall through
    case 3: w->inv[2] = 1 / (w->rel_tol * fabs(y[2]) + w->abs[2]); // fall through
    case 2: w->inv[1] = 1 / (w->rel_tol * fabs(y[1]) + w->abs[1]); // fall through
    case 1: w->inv[0] = 1 / (w->rel_tol * fabs(y[0]) + w->abs[0]);
    }
}

void problem_weigh(problem_norm *w, const double *y)
{
    enum { FEW = 4 };
    weighing q = {w, y};
    int n = w->n_weighed ? w->n_weighed : w->n;
    if (n <= FEW && !w->seen) weigh_few(w, y, n);
    else crew_over(w->crew, w->seen ? weigh_by_size : weigh_plainly, &q, n);
}

void problem_weigh_by_first(problem_norm *w)
{
    int n = w->n / (w->blocks > 1 ? w->blocks : 1);
    for (int i = w->n_weighed; w->n_weighed && i < w->n; i++) w->inv[i] = w->abs[i % n] / w->abs[i];
}

void problem_time_scale(problem_norm *w, const vinc_problem *p, const double *y, const double *yp)
{
    double sum = 0;
    int n = 0;
    if (!w->high_index) return;
    for (int i = 0; i < w->n; i++) {
        if (w->level[i] || !w->counted[i]) continue;
        double rate = yp[i] / fmax(fabs(y[i]), problem_nominal(p, i));
        sum += rate * rate;
        n++;
    }
    shared_sum(w->shared, &sum, 1);
    n = w->shared ? shared_count(w->shared, n) : n;
    if (n && n < w->time_scale * w->time_scale * sum) w->time_scale = sqrt(n / sum);
}

/* Powers of h/T, at most 1: a long step must not tighten the test. */
enum { NORM_LEVELS_MAX = 8 };

static void norm_powers(double h, double out[NORM_LEVELS_MAX])
{
    out[0] = 1;
    h = fmin(fabs(h), 1);
    for (int k = 1; k < NORM_LEVELS_MAX; k++) out[k] = out[k - 1] * h;
}

/* Of error tests. What an iteration leaves of constraints on positions is divided by h in velocities, and
 * corrected by the next step: h makes up for that. But errors along the constraints stay, and in a step of
 * a thousandth of the time scale, after an event say, a thousand tolerances of them would pass. Velocities
 * count with a hundredth at least, as far as what the iteration leaves, a thousandth of the tolerance,
 * stays below a tenth of it. */
static void error_powers(const problem_norm *w, double h, double out[NORM_LEVELS_MAX])
{
    const double WEIGHT_OF_VELOCITIES_MIN = 0.01, WEIGHT_OVER_H_MAX = 100;
    norm_powers(h / w->time_scale, out);
    if (w->high_index)
        out[1] = fmax(out[1], fmin(WEIGHT_OF_VELOCITIES_MIN, WEIGHT_OVER_H_MAX * out[1]));
}

/* Of rates that error tests count in full: what an iteration leaves of them must be small beside what
 * the test allows. */
static const double WEIGHT_OF_FULL_MIN = 0.3;

static void newton_powers(const problem_norm *w, double h, double out[2][NORM_LEVELS_MAX])
{
    if (w->error_in_full) h = fmax(fabs(h), WEIGHT_OF_FULL_MIN);
    norm_powers(h, out[0]); // of what is left out of the error test, and of what is in it
    norm_powers(h / w->time_scale, out[1]);
}

/* Two partial sums, of even and of odd entries: the order of summation is fixed. */
static inline simd2 add_squares(simd2 sum, const double *e, const double *inv, int n)
{
    int i = 0;
    for (; i + 1 < n; i += 2) {
        simd2 x = *(const simd2 *)(e + i) * *(const simd2 *)(inv + i);
        sum += x * x;
    }
    if (i < n) sum[0] += e[i] * inv[i] * (e[i] * inv[i]);
    return sum;
}

/* The same with four partial sums, for blocks of several. */
SIMD_INLINE double squares_of_block(const double *e, const double *inv, int n)
{
    simd4 sum = {0};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        simd4 x = *(const simd4 *)(e + i) * *(const simd4 *)(inv + i);
        sum += x * x;
    }
    for (; i < n; i++) sum[i & 3] += e[i] * inv[i] * (e[i] * inv[i]);
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* ... by the products of two weights. */
SIMD_INLINE double squares_by_two(const double *e, const double *inv, const double *size, int n)
{
    simd4 sum = {0};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        simd4 x = *(const simd4 *)(e + i) * *(const simd4 *)(inv + i) * *(const simd4 *)(size + i);
        sum += x * x;
    }
    for (; i < n; i++) sum[i & 3] += e[i] * inv[i] * size[i] * (e[i] * inv[i] * size[i]);
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* The same of long vectors, with eight: a sum that waits for the last product takes longer than loading both. */
enum { LONG = 256 };
SIMD_CLONES static double squares_of_long(const double *e, const double *inv, int n)
{
    simd4 sum = {0}, other = {0};
    int i = 0;
    for (; i + 7 < n; i += 8) {
        simd4 x = *(const simd4 *)(e + i) * *(const simd4 *)(inv + i);
        simd4 y = *(const simd4 *)(e + i + 4) * *(const simd4 *)(inv + i + 4);
        sum += x * x;
        other += y * y;
    }
    for (; i < n; i++) sum[i & 3] += e[i] * inv[i] * (e[i] * inv[i]);
    sum += other;
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static double norm_plain(const double *e, const double *inv, int n)
{
    if (n >= LONG) return squares_of_long(e, inv, n);
    simd2 sum = add_squares((simd2){0, 0}, e, inv, n);
    return sum[0] + sum[1];
}

static int norm_all(const problem_norm *w)
{
    return shared_size(w->shared, w->n);
}

/* The root of the mean of squares whose sum, here, is this. */
static double norm_mean(const problem_norm *w, double sum, double n)
{
    shared_sum(w->shared, &sum, 1);
    return sqrt(sum / n);
}

static double squares_of_all(const problem_norm *w, const int8_t *level, const double *e, int from,
                             int to, double h)
{
    double sum = 0, hp[2][NORM_LEVELS_MAX];
    if (!level) return norm_plain(e + from, w->inv + from, to - from);
    newton_powers(w, h, hp);
    for (int i = from; i < to; i++) {
        double x = e[i] * w->inv[i] * hp[w->counted[i]][level[i]];
        sum += x * x;
    }
    return sum;
}

static double root_of_all(const problem_norm *w, const int8_t *level, double squares)
{
    if (!w->n) return 0;
    return norm_mean(w, squares, level && w->n_counted ? w->n_counted : norm_all(w));
}

double problem_squares_newton(const problem_norm *w, const double *e, int from, int to, double h)
{
    return squares_of_all(w, w->level, e, from, to, h);
}

double problem_of_squares_newton(const problem_norm *w, double squares)
{
    return root_of_all(w, w->level, squares);
}

typedef struct squaring {
    const problem_norm *w;
    const double *e;
    double h;
} squaring;

static void square_newton(void *job, int from, int to, double sums[])
{
    const squaring *q = job;
    sums[0] = problem_squares_newton(q->w, q->e, from, to, q->h);
}

problem_norm problem_norm_block(const problem_norm *w, int k)
{
    problem_norm one = *w;
    int n = w->n / w->blocks, from = k * n;
    one.blocks = one.blocks_counted = 1;
    one.n = n;
    one.n_counted = w->n_counted / w->blocks;
    one.abs += from;
    one.inv += from;
    one.counted += from;
    if (one.level) one.level += from;
    return one;
}

double problem_norm_newton(const problem_norm *w, const double *e, double h)
{
    double sum = 0;
    if (w->n && w->blocks > 1) return problem_norm_stages(w, e, 1, h);
    crew_sum(w->crew, square_newton, &(squaring){w, e, h}, w->n, 1, &sum);
    return problem_of_squares_newton(w, sum);
}

void problem_norm_weights(const problem_norm *w, double h, double *out)
{
    double hp[2][NORM_LEVELS_MAX];
    memcpy(out, w->inv, (size_t)w->n * sizeof *out);
    if (!w->level) return;
    newton_powers(w, h, hp);
    double part = sqrt((double)norm_all(w) / (w->n_counted ? w->n_counted : norm_all(w)));
    for (int i = 0; i < w->n; i++) out[i] *= part * hp[w->counted[i]][w->level[i]];
}

SIMD_CLONES static double norm_of_blocks(const problem_norm *w, int first, const double *e,
                                         int stages, double h)
{
    double most = 0;
    int n = w->n / w->blocks;
    for (int b = first; b < w->blocks; b++) {
        const double *at = e + b * n, *inv = w->inv + b * n;
        bool weighed = !w->n_weighed || b * n < w->n_weighed;
        double sum = 0;
        for (int k = 0; k < stages && !w->level; k++, at += w->n)
            sum += weighed ? squares_of_block(at, inv, n) : squares_by_two(at, w->inv, inv, n);
        if (n && !w->level) sum /= n;
        for (int k = 0; k < stages && w->level; k++, at += w->n) {
            problem_norm one = problem_norm_block(w, b);
            double x = problem_norm_newton(&one, at, h);
            sum += x * x;
        }
        if (!(sum <= most)) most = sum; // NaN counts as large
    }
    return sqrt(most / stages);
}

double problem_norm_followers(const problem_norm *w, const double *e, int stages, double h)
{
    return norm_of_blocks(w, 1, e, stages, h);
}

/* The squares of problem_norm_newton, of unknowns with levels: of all stages side by side, so that one sum need not wait
 * for another. */
enum { STAGES_TOGETHER = 8 };
static void squares_of_stages(const problem_norm *w, const double *e, int stages, int stride,
                              double h, double *squares)
{
    double hp[2][NORM_LEVELS_MAX];
    newton_powers(w, h, hp);
    for (int k = 0; k < stages; k++) squares[k] = 0;
    for (int i = 0; i < w->n; i++) {
        double inv = w->inv[i], power = hp[w->counted[i]][w->level[i]];
        const double *at = e + i;
        for (int k = 0; k < stages; k++, at += stride) {
            double x = *at * inv * power;
            squares[k] += x * x;
        }
    }
}

double problem_norm_stages(const problem_norm *w, const double *e, int stages, double h)
{
    if (!w->n) return 0;
    int stride = w->stride ? w->stride : w->n;
    if (w->blocks > 1) return norm_of_blocks(w, 0, e, stages, h);
    if (!w->level) {
        simd2 sum = {0, 0};
        for (int k = 0; k < stages; k++) sum = add_squares(sum, e + k * stride, w->inv, w->n);
        return norm_mean(w, sum[0] + sum[1], (double)stages * norm_all(w));
    }
    double sum = 0, squares[STAGES_TOGETHER];
    bool together = w->n <= CREW_STRETCH && stages <= STAGES_TOGETHER;
    if (together) squares_of_stages(w, e, stages, stride, h, squares);
    for (int k = 0; k < stages; k++) {
        double x = together ? problem_of_squares_newton(w, squares[k])
                            : problem_norm_newton(w, e + k * stride, h);
        sum += x * x;
    }
    return sqrt(sum / stages);
}

double problem_of_squares_stages(const problem_norm *w, double squares, int stages)
{
    return w->n ? norm_mean(w, squares, (double)stages * norm_all(w)) : 0;
}

/* Of the error test. */
static const int8_t *levels_of_error(const problem_norm *w)
{
    return w->error_in_full ? NULL : w->level;
}

double problem_squares_error(const problem_norm *w, const double *e, int from, int to, double h)
{
    const int8_t *level = levels_of_error(w);
    double sum = 0, hp[NORM_LEVELS_MAX];
    if (w->all_counted) return squares_of_all(w, level, e, from, to, h); // as in an iteration
    error_powers(w, h, hp);
    for (int i = from; i < to; i++) {
        if (!w->counted[i]) continue;
        double x = e[i] * w->inv[i] * (level ? hp[level[i]] : 1);
        sum += x * x;
    }
    return sum;
}

double problem_of_squares_error(const problem_norm *w, double squares)
{
    if (w->all_counted) return root_of_all(w, levels_of_error(w), squares);
    return w->n_counted ? norm_mean(w, squares, w->n_counted) : 0;
}

static void square_error(void *job, int from, int to, double sums[])
{
    const squaring *q = job;
    sums[0] = problem_squares_error(q->w, q->e, from, to, q->h);
}

double problem_sum_error(const problem_norm *w, const double *e, double h)
{
    double sum = 0;
    crew_sum(w->crew, square_error, &(squaring){w, e, h}, w->n, 1, &sum);
    return sum;
}

double problem_norm_error(const problem_norm *w, const double *e, double h)
{
    double most = 0;
    if (w->blocks > 1 && w->all_counted && w->blocks_counted == w->blocks) {
        problem_norm all = *w;
        all.level = levels_of_error(w);
        return problem_norm_newton(&all, e, h);
    }
    for (int b = 0; w->blocks > 1 && b < w->blocks_counted && w->n_counted; b++) {
        problem_norm one = problem_norm_block(w, b);
        double x = problem_norm_error(&one, e + b * one.n, h);
        if (!(x <= most)) most = x;
    }
    if (w->blocks > 1) return most;
    return problem_of_squares_error(w, problem_sum_error(w, e, h));
}

int problem_worst(const problem_norm *w, const double *e, double h)
{
    const int8_t *level = levels_of_error(w);
    double hp[NORM_LEVELS_MAX], largest = 0;
    int worst = -1;
    error_powers(w, h, hp);
    int n = w->blocks > 1 ? w->n / w->blocks * w->blocks_counted : w->n;
    for (int i = 0; i < n; i++) {
        double x = fabs(e[i] * w->inv[i]) * (level ? hp[level[i]] : 1);
        if (isnan(x)) return i;
        if (w->counted[i] && x > largest) largest = x, worst = i;
    }
    return worst;
}
