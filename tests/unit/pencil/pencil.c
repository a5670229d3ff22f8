/* Linear DAEs: known pencils, and random ones of known structure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "pencil/exact.h"
#include "pencil/hessenberg.h"
#include "pencil/pencil.h"

#include <math.h>
#include <string.h>

typedef struct known {
    const char *name;
    int n;
    double f[25], g[25]; // by rows
    int rank;            // n: regular
    int index, n_blocks, blocks[4], n_finite;
    double eig[5][2]; // ascending
} known;

// Determinants and ranks by hand and by exact rational arithmetic. K1: x = sin t, x' + y = 0. K9:
// the index is 1 although F is singular with a finite eigenvalue. K12: the pendulum linearised at
// rest, eigenvalues +- i sqrt(9.81).
static const known cases[] = {
    {"K1", 2, {0, 0, 1, 0}, {1, 0, 0, 1}, 2, 2, 1, {2}, 0, {{0}}},
    {"K2: x' = -y and nothing else", 2, {1, 0, 0, 0}, {0, 1, 0, 0}, 1, 0, 0, {0}, 0, {{0}}},
    {"K3",
     2,
     {2, 1, 1, 1},
     {1, 0, 0, 3},
     2,
     0,
     0,
     {0},
     2,
     {{-6.541381265149110, 0}, {-0.458618734850890, 0}}}, // (-7 -+ sqrt 37)/2
    {"K4",
     3,
     {1, 0, 0, 0, 1, 0, 0, 0, 0},
     {0, -1, 0, 2, 3, 1, 1, 0, 1},
     3,
     1,
     1,
     {1},
     2,
     {{-2.618033988749895, 0}, {-0.381966011250105, 0}}}, // (-3 -+ sqrt 5)/2
    {"K5", 3, {0, 1, 0, 0, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3, 1, {3}, 0, {{0}}},
    {"K6",
     4,
     {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0},
     {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
     4,
     4,
     1,
     {4},
     0,
     {{0}}},
    {"K9",
     3,
     {1, 0, -1, -1, 0, 1, 2, 0, -2},
     {-2, 1, 2, 3, 0, -3, -3, 3, 4},
     3,
     1,
     2,
     {1, 1},
     1,
     {{3, 0}}},
    {"K10: a row of zeros",
     4,
     {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0},
     {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
     3,
     0,
     0,
     {0},
     0,
     {{0}}},
    {"K12",
     5,
     {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
     {0, 0, -1, 0, 0, 0, 0, 0, -1, 0, 9.81, 0, 0, 0, 0, 0, 9.81, 0, 0, -2, 0, -2, 0, 0, 0},
     5,
     3,
     1,
     {3},
     2,
     {{0, -3.132091952673165}, {0, 3.132091952673165}}},
    {"F = G = 0", 1, {0}, {0}, 0, 0, 0, {0}, 0, {{0}}},
    {"algebraic equations", 2, {0, 0, 0, 0}, {1, 2, 3, 4}, 2, 1, 2, {1, 1}, 0, {{0}}},
    {"no G", 2, {1, 2, 3, 4}, {0, 0, 0, 0}, 2, 0, 0, {0}, 2, {{0}}},
    // x1' = x4, x2' = x1, x3' = x2, 0 = x3 - sin t: Hessenberg form of index 4.
    {"Hessenberg 4",
     4,
     {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
     {0, 0, 0, -1, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0},
     4,
     4,
     1,
     {4},
     0,
     {{0}}},
    // Sizes of picofarads and kiloohms: C u' = (e - u)/R, 0 = e - 5.
    {"badly scaled", 2, {1e-12, 0, 0, 0}, {1e-3, -1e-3, 0, 1}, 2, 1, 1, {1}, 1, {{-1e9, 0}}},
};

static void transpose(int n, const double *rows, double *columns)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) columns[i + j * n] = rows[i * n + j];
}

static void known_pencils(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const known *w = &cases[k];
        double f[25], g[25];
        transpose(w->n, w->f, f);
        transpose(w->n, w->g, g);
        pencil p;
        if (pencil_analyse(&a, w->n, f, g, &p)) fail_msg("%s: failed", w->name);
        if (p.regular != (w->rank == w->n)) fail_msg("%s: regular %d", w->name, p.regular);
        if (!p.regular) {
            if (p.rank != w->rank) fail_msg("%s: rank %d", w->name, p.rank);
            continue;
        }
        if (p.index != w->index || p.n_blocks != w->n_blocks || p.n_finite != w->n_finite)
            fail_msg("%s: index %d, %d blocks, %d finite", w->name, p.index, p.n_blocks,
                     p.n_finite);
        for (int b = 0; b < p.n_blocks; b++) assert_int_equal(p.blocks[b], w->blocks[b]);
        for (int i = 0; i < p.n_finite; i++) {
            double size = 1e-12 * fmax(1, hypot(w->eig[i][0], w->eig[i][1]));
            assert_near(p.eig_re[i], w->eig[i][0], size);
            assert_near(p.eig_im[i], w->eig[i][1], size);
        }
        if (p.residual > 1e-14) fail_msg("%s: residual %g", w->name, p.residual);
    }
    arena_done(&a);
}

/* ---- random pencils -------------------------------------------------------------------------- */

typedef struct rng {
    uint64_t s;
} rng;

static double uniform(rng *r) // in [0, 1)
{
    r->s ^= r->s << 13;
    r->s ^= r->s >> 7;
    r->s ^= r->s << 17;
    return (double)(r->s >> 11) * 0x1p-53;
}

enum { MOST = 30 };

// A random matrix of condition `cond`: reflections on both sides of a graded diagonal.
static void conditioned(rng *r, int n, double cond, double *x)
{
    memset(x, 0, (size_t)(n * n) * sizeof *x);
    for (int i = 0; i < n; i++) x[i + i * n] = pow(cond, n > 1 ? -(double)i / (n - 1) : 0);
    for (int k = 0; k < 6; k++) {
        double w[MOST], size = 0;
        for (int i = 0; i < n; i++) w[i] = 2 * uniform(r) - 1, size += w[i] * w[i];
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int i = 0; i < n; i++) s += w[i] * (k % 2 ? x[i + j * n] : x[j + i * n]);
            for (int i = 0; i < n; i++) {
                double *at = k % 2 ? &x[i + j * n] : &x[j + i * n];
                *at -= 2 * s / size * w[i];
            }
        }
    }
}

static void multiply(int n, const double *a, const double *b, double *c)
{
    memset(c, 0, (size_t)(n * n) * sizeof *c);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) c[i + j * n] += a[i + k * n] * b[k + j * n];
}

static double norm(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n * n; i++) s += x[i] * x[i];
    return sqrt(s);
}

// | U M V - diag(x, y) | relative to |M|.
static double off_form(const pencil *p, const double *m, const double *x, const double *y)
{
    double um[MOST * MOST], d[MOST * MOST];
    int n = p->n, k = p->n_finite, l = p->n_infinite;
    multiply(n, p->u, m, um);
    multiply(n, um, p->v, d);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (i < k && j < k) d[i + j * n] -= x ? x[i + j * k] : i == j;
            if (i >= k && j >= k) d[i + j * n] -= y ? y[i - k + (j - k) * l] : i == j;
        }
    return norm(n, d) / norm(n, m);
}

typedef struct truth {
    int n, n_finite, index, n_blocks, blocks[MOST];
    double eig[MOST][2], f[MOST * MOST], g[MOST * MOST];
} truth;

// diag(I, N) and diag(C, I) between two matrices of condition up to 100.
static void make(rng *r, truth *t)
{
    double left[MOST * MOST], right[MOST * MOST], x[MOST * MOST];
    *t = (truth){.n = 1 + (int)(uniform(r) * MOST)};
    int n = t->n, at = 0, wanted = (int)(uniform(r) * (n + 1));
    double *f = t->f, *g = t->g;
    while (at < wanted) {
        double a = 20 * uniform(r) - 10, b = 10 * uniform(r);
        if (uniform(r) < 0.2) a = floor(a / 4); // multiple eigenvalues, and zero
        bool pair = at + 1 < wanted && uniform(r) < 0.4 && a * a + b * b <= 100;
        f[at + at * n] = 1, g[at + at * n] = -a;
        t->eig[at][0] = a;
        if (pair) {
            f[at + 1 + (at + 1) * n] = 1, g[at + 1 + (at + 1) * n] = -a;
            g[at + (at + 1) * n] = b, g[at + 1 + at * n] = -b;
            t->eig[at][1] = b, t->eig[at + 1][0] = a, t->eig[at + 1][1] = -b;
        }
        at += pair ? 2 : 1;
    }
    t->n_finite = at;
    while (at < n) {
        int size = 1 + (int)(uniform(r) * 4);
        if (size > n - at) size = n - at;
        for (int k = 0; k < size; k++) {
            g[at + k + (at + k) * n] = 1;
            if (k) f[at + k - 1 + (at + k) * n] = 1;
        }
        t->blocks[t->n_blocks++] = size;
        if (size > t->index) t->index = size;
        at += size;
    }
    for (int i = 1; i < t->n_blocks; i++)
        for (int k = i; k > 0 && t->blocks[k] > t->blocks[k - 1]; k--) {
            int swap = t->blocks[k];
            t->blocks[k] = t->blocks[k - 1], t->blocks[k - 1] = swap;
        }
    conditioned(r, n, pow(10, 2 * uniform(r)), left);
    conditioned(r, n, pow(10, 2 * uniform(r)), right);
    multiply(n, left, f, x), multiply(n, x, right, f);
    multiply(n, left, g, x), multiply(n, x, right, g);
}

// Every true eigenvalue has its own computed one near it.
static double spectrum_error(const truth *t, const pencil *p)
{
    bool used[MOST] = {false};
    double worst = 0;
    for (int i = 0; i < t->n_finite; i++) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < p->n_finite; k++) {
            double d = hypot(p->eig_re[k] - t->eig[i][0], p->eig_im[k] - t->eig[i][1]);
            if (!used[k] && d < least) least = d, best = k;
        }
        used[best] = true;
        worst = fmax(worst, least);
    }
    return worst;
}

// Eigenvalues are compared to 1e-6: random ones may lie close together, and two at a distance d
// move by (condition 1e4) eps / d.
static void random_pencils(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    rng r = {0x9e3779b97f4a7c15u};
    int jordan = 0;
    double most = 0, kept = 1, dropped = 0, spectrum = 0;
    for (int k = 0; k < 1000; k++) {
        arena_mark before = arena_here(&a);
        truth t;
        pencil p;
        make(&r, &t);
        assert_int_equal(pencil_analyse(&a, t.n, t.f, t.g, &p), 0);
        if (!p.regular || p.index != t.index || p.n_finite != t.n_finite ||
            p.n_blocks != t.n_blocks ||
            memcmp(p.blocks, t.blocks, (size_t)t.n_blocks * sizeof(int)) != 0)
            fail_msg("pencil %d: n %d, index %d for %d, finite %d for %d, kept %g dropped %g", k,
                     t.n, p.index, t.index, p.n_finite, t.n_finite, p.kept, p.dropped);
        double e = fmax(off_form(&p, t.f, NULL, p.nil), off_form(&p, t.g, p.c, NULL));
        if (e > most) most = e;
        if (!(e <= 1e-10)) fail_msg("pencil %d: off the form by %g (jordan %d)", k, e, p.jordan);
        double s = spectrum_error(&t, &p);
        if (s > 1e-6) fail_msg("pencil %d: an eigenvalue is off by %g", k, s);
        jordan += p.jordan && t.index > 1;
        kept = fmin(kept, p.kept), dropped = fmax(dropped, p.dropped);
        spectrum = fmax(spectrum, s);
        arena_release(&a, before);
    }
    print_message("off the form %.1e, eigenvalues %.1e, kept %.1e, dropped %.1e, jordan %d\n", most,
                  spectrum, kept, dropped, jordan);
    arena_done(&a);
}

// Two rows made dependent for every lambda, or a column that nobody needs: never taken for regular.
/* ---- Jordan form of the finite part ---------------------------------------------------------- */

typedef struct blocks {
    int n, size[MOST];
    double re[MOST], im[MOST];
} blocks;

static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (fabs(x[k] - y[k]) > 1e-5) return x[k] < y[k] ? -1 : 1;
    return 0;
}

// As rows (re, im, size), in one order.
static void as_rows(int n, const double *re, const double *im, const int *size, double rows[][3])
{
    for (int i = 0; i < n; i++) rows[i][0] = re[i], rows[i][1] = im[i], rows[i][2] = size[i];
    qsort(rows, (size_t)n, sizeof *rows, by_place);
}

/* Blocks of sizes 1 to 3 at a few distinct places, real and in pairs, some places with several
 * blocks; a nilpotent block beside them; all between matrices of condition 20. */
static void random_jordan_forms(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    rng r = {.s = 20261115};
    for (int trial = 0; trial < 300; trial++) {
        enum { N = 12 };
        double f[N * N] = {0}, g[N * N] = {0}, left[N * N], right[N * N], x[N * N];
        blocks t = {0};
        int at = 0;
        while (at < 9) {
            double place = floor(6 * uniform(&r)) - 3;
            int pair = uniform(&r) < 0.3 ? 2 : 1, size = 1 + (int)(3 * uniform(&r));
            if (at + pair * size > 10) continue;
            for (int k = 0; k < pair * size; k++) {
                f[at + k + (at + k) * N] = 1, g[at + k + (at + k) * N] = -place;
                if (k >= pair) g[at + k - pair + (at + k) * N] = 1;
                if (pair == 2 && k % 2 == 0)
                    g[at + k + (at + k + 1) * N] = 2, g[at + k + 1 + (at + k) * N] = -2;
            }
            t.size[t.n] = size, t.re[t.n] = place, t.im[t.n++] = pair == 2 ? 2 : 0;
            at += pair * size;
        }
        int finite = at;
        for (int k = at; k < N; k++) g[k + k * N] = 1;
        if (N - at > 1) f[at + (at + 1) * N] = 1;
        conditioned(&r, N, 20, left);
        conditioned(&r, N, 20, right);
        multiply(N, left, f, x), multiply(N, x, right, f);
        multiply(N, left, g, x), multiply(N, x, right, g);
        pencil p;
        assert_int_equal(pencil_analyse(&a, N, f, g, &p), 0);
        assert_int_equal(p.n_finite, finite);
        pencil_finite_jordan(&a, &p, f, g, 0);
        if (p.n_finite_blocks != t.n)
            fail_msg("trial %d: %d blocks, not %d", trial, p.n_finite_blocks, t.n);
        double have[N][3], want[N][3];
        as_rows(p.n_finite_blocks, p.finite_re, p.finite_im, p.finite_blocks, have);
        as_rows(t.n, t.re, t.im, t.size, want);
        for (int i = 0; i < t.n; i++)
            for (int k = 0; k < 3; k++)
                if (fabs(have[i][k] - want[i][k]) > 1e-9)
                    fail_msg("trial %d: block %d is %.12g %.12g of %g, not %g %g of %g", trial, i,
                             have[i][0], have[i][1], have[i][2], want[i][0], want[i][1],
                             want[i][2]);
        assert_true(p.finite_jordan);
        assert_true(off_form(&p, f, NULL, p.nil) < 1e-9 && off_form(&p, g, p.c, NULL) < 1e-9);
        arena_done(&a);
        arena_init(&a, &m);
    }
    arena_done(&a);
}

/* [1 1; 0 1 + d] lies d^2/4 from a defective matrix: at d = 1e-9 that is below round-off and it is
 * one block, at d = 1e-3 it is far and there are two, whatever distance is allowed. */
static void nearly_defective(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    static const double distance[] = {1e-9, 1e-3, 1e-3}, allowed[] = {0, 0, 0.1};
    for (int k = 0; k < 3; k++) {
        double f[] = {1, 0, 0, 1}, g[] = {-1, 0, 1, -1 - distance[k]};
        pencil p;
        assert_int_equal(pencil_analyse(&a, 2, f, g, &p), 0);
        pencil_finite_jordan(&a, &p, f, g, allowed[k]);
        assert_int_equal(p.n_finite_blocks, k ? 2 : 1);
        assert_true(p.finite_jordan);
        assert_true(p.residual < 1e-15);
    }
    arena_done(&a);
}

static void random_singular_pencils(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    rng r = {12345};
    for (int k = 0; k < 300; k++) {
        truth t;
        pencil p;
        do make(&r, &t);
        while (t.n < 3);
        int n = t.n;
        for (int j = 0; j < n; j++) {
            if (k % 2) { // row 0 is twice row 1
                t.f[j * n] = 2 * t.f[1 + j * n];
                t.g[j * n] = 2 * t.g[1 + j * n];
            } else { // column 0 is a sum of two others
                t.f[j] = 2 * t.f[n + j] - t.f[2 * n + j];
                t.g[j] = 2 * t.g[n + j] - t.g[2 * n + j];
            }
        }
        assert_int_equal(pencil_analyse(&a, n, t.f, t.g, &p), 0);
        if (p.regular) fail_msg("pencil %d is singular", k);
        assert_int_equal(p.rank, n - 1);
    }
    arena_done(&a);
}

static void not_finite(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    pencil p;
    double x[] = {1}, y[] = {NAN};
    assert_int_equal(pencil_analyse(&a, 1, x, y, &p), -1);
    assert_int_equal(pencil_analyse(&a, 0, x, x, &p), 0);
    assert_true(p.regular && p.index == 0);
    arena_done(&a);
}

/* ---- solutions ------------------------------------------------------------------------------- */

static void solution(arena *a, int n, const double *f_rows, const double *g_rows, const char *rhs,
                     const double *x0, double t, double *x, pencil_solution *s)
{
    double f[25], g[25], u[5], v[5];
    char why[PENCIL_WHY] = "";
    transpose(n, f_rows, f);
    transpose(n, g_rows, g);
    pencil *p = arena_new(a, pencil);
    pencil_rhs *h = arena_new(a, pencil_rhs);
    assert_int_equal(pencil_analyse(a, n, f, g, p), 0);
    if (pencil_read_rhs(a, rhs, n, h, why)) fail_msg("%s", why);
    assert_int_equal(pencil_solve(a, p, h, x0, s), 0);
    assert_int_equal(pencil_solution_at(a, s, t, u, v), 0);
    for (int i = 0; i < n; i++) x[i] = u[i] + v[i];
}

static void solutions(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    pencil_solution s;
    double x[5];

    // K5: v = b - N b' + N^2 b'' = (sin t + 4 sin t cos t + e^-t, cos 2t + e^-t, e^-t).
    const double k5[] = {0, 1, 0, 0, 0, 1, 0, 0, 0}, one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    solution(&a, 3, k5, one, "sin(t); cos(2*t); exp(-t)", NULL, 1, x, &s);
    assert_near(x[0], 3.02794527963070, 1e-13);
    assert_near(x[1], -0.0482673953757001, 1e-13);
    assert_near(x[2], 0.367879441171442, 1e-13);
    assert_near(s.x0[0], 1, 1e-14);
    assert_near(s.x0[1], 2, 1e-14);

    // K1: x = sin t, x' + y = 0, and a start value that is not consistent (it must be (0, -1)).
    const double f1[] = {0, 0, 1, 0}, one2[] = {1, 0, 0, 1}, wrong[] = {1, -1};
    solution(&a, 2, f1, one2, "sin(t); 0", wrong, 2, x, &s);
    assert_near(x[0], sin(2), 1e-14);
    assert_near(x[1], -cos(2), 1e-14);
    assert_near(s.inconsistent, 1, 1e-14);

    // Resonance: x'' + x = cos t from rest is t sin(t) / 2.
    const double ode[] = {1, 0, 0, 1}, g2[] = {0, -1, 1, 0}, rest[] = {0, 0};
    solution(&a, 2, ode, g2, "0; cos(t)", rest, 20, x, &s);
    assert_near(x[0], 10 * sin(20), 1e-12);
    assert_near(x[1], 0.5 * sin(20) + 10 * cos(20), 1e-12);

    // x' + 2x = t^2 e^-t (1 + 1), x(0) = 3: 2 e^-t (t^2 - 2t + 2) - e^-2t.
    const double f3[] = {1}, g3[] = {2}, three[] = {3};
    solution(&a, 1, f3, g3, "(t^2 + t*t)*exp(-t)", three, 1.5, x, &s);
    assert_near(x[0], 2 * exp(-1.5) * (2.25 - 3 + 2) - exp(-3), 1e-14);
    arena_done(&a);
}

static void right_hand_sides(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    char why[PENCIL_WHY];
    pencil_rhs h;
    text o;
    text_init(&o, &m);
    assert_int_equal(pencil_read_rhs(&a, "2*sin(t)*cos(t) - (t+1)^2/4", 1, &h, why), 0);
    pencil_print_function(&h, h.k, 1, &o);
    assert_string_equal(text_str(&o), "sin(2*t) - 0.25 - 0.5*t - 0.25*t^2");
    static const char *const wrong[] = {
        "",      "sin(t^2)", "1/t",   "tan(t)", "1;2",    "exp(t", "2 t", "t^-1",
        "1e999", "t^2.5",    "sin t", "(",      "t^20*t", "1/0",   "*",   "sin(exp(t))"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        why[0] = 0;
        if (pencil_read_rhs(&a, wrong[i], 1, &h, why) == 0) fail_msg("'%s' was accepted", wrong[i]);
        assert_true(strlen(why) > 10);
    }
    assert_int_equal(pencil_read_rhs(&a, "1", 2, &h, why), -1);
    text_done(&o);
    arena_done(&a);
}

/* Semi-explicit systems by their matrices (rows here): x' = v, v' = -l, 0 = x; x' = -x + z, 0 = x +
 * z; x' = z, y' = x, 0 = x, where z reaches the constraint at once; derivatives mixed; and dg/dz
 * singular but not zero. */
static void hessenberg_forms(void **state)
{
    (void)state;
    static const struct {
        int n;
        double f[9], g[9];
        bool semi;
        int index;
    } given[] = {
        {3, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 1, 1, 0, 0}, true, 3},
        {2, {2, 0, 0, 0}, {1, -1, 1, 1}, true, 1},
        {3, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {0, 0, -1, -1, 0, 0, 1, 0, 0}, true, 2},
        {2, {1, 1, 0, 0}, {1, 0, 0, 1}, false, -1},
        {2, {1, 0, 0, 3}, {1, 2, 3, 4}, true, 0},
        {3, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 1, 0, 1, 0, 1, 0, 0}, true, -1},
        {3, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {0, 0, -1, 0, 1, 0, 0, 1, 0}, true, -1},
    };
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        double f[9], g[9];
        hessenberg h;
        transpose(given[i].n, given[i].f, f);
        transpose(given[i].n, given[i].g, g);
        hessenberg_test(&a, given[i].n, f, g, &h);
        if (h.semi_explicit != given[i].semi || h.index != given[i].index)
            fail_msg("case %zu: index %d, %s", i, h.index, h.why);
    }
    arena_done(&a);
}

/* u' + 2 u = cos t: p = (2 cos t + sin t)/5, and with u(0) = 1 k = 3/5. u' + u = exp(-t):
 * resonance. */
static void particular_solutions(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    pencil p;
    pencil_rhs h;
    pencil_solution s;
    char why[PENCIL_WHY];
    double one = 1, two = 2;
    assert_int_equal(pencil_analyse(&a, 1, &one, &two, &p), 0);
    assert_int_equal(pencil_read_rhs(&a, "cos(t)", 1, &h, why), 0);
    assert_int_equal(pencil_solve(&a, &p, &h, &one, &s), 0);
    assert_non_null(s.up);
    double u = s.k[0] * exp(-2), v; // u in units of V
    for (int i = 0; i < h.m; i++)
        u += s.up[i] * (h.w[i].sine ? sin(1) : cos(1)) / (h.w[i].degree ? NAN : 1);
    assert_int_equal(pencil_solution_at(&a, &s, 1, &one, &v), 0);
    assert_near(p.v[0] * u, (2 * cos(1) + sin(1)) / 5 + 0.6 * exp(-2), 1e-14);
    assert_near(one, p.v[0] * u, 1e-14);

    one = 1;
    assert_int_equal(pencil_analyse(&a, 1, &one, &one, &p), 0);
    assert_int_equal(pencil_read_rhs(&a, "exp(-t)", 1, &h, why), 0);
    assert_int_equal(pencil_solve(&a, &p, &h, NULL, &s), 0);
    assert_null(s.up);
    assert_int_equal(pencil_solution_at(&a, &s, 1, &u, &v), 0);
    assert_near(u, exp(-1), 1e-14); // t exp(-t)
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_pencils),
        cmocka_unit_test(random_pencils),
        cmocka_unit_test(random_jordan_forms),
        cmocka_unit_test(nearly_defective),
        cmocka_unit_test(random_singular_pencils),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(solutions),
        cmocka_unit_test(right_hand_sides),
        cmocka_unit_test(hessenberg_forms),
        cmocka_unit_test(particular_solutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
