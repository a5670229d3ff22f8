/* Positive-realness of transfer functions; verdicts by the real parts given beside each case.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "pencil/passive.h"

#include <math.h>

typedef struct function {
    int n_num, n_den;
    double num[5], den[5]; // descending powers
    passive_kind kind;
    double edge; // the frequency named in the reason; 0: none
} function;

static const function cases[] = {
    {1, 2, {2}, {1, 1}, PASSIVE_STORAGE, 0},       // R/(1 + RC s): 2/(w^2 + 1)
    {2, 2, {1, 1}, {1, 0}, PASSIVE_STORAGE, 0},    // 1 + 1/s: pole at 0, residue 1; Re = 1
    {2, 3, {1, 1}, {1, 1, 1}, PASSIVE_STORAGE, 0}, // 1/((1 - w^2)^2 + w^2)
    {2, 3, {1, 2}, {1, 1, 1}, PASSIVE_ACTIVE, 1.41421356237}, // < 0 for w > sqrt 2
    {1, 3, {1}, {1, 1, 1}, PASSIVE_ACTIVE, 1},                // < 0 for w > 1
    {2, 2, {1, -1}, {1, 1}, PASSIVE_ACTIVE, 1},               // (w^2 - 1)/(w^2 + 1)
    {1, 2, {1}, {1, -1}, PASSIVE_ACTIVE, 0},                  // unstable
    {2, 3, {1, 0}, {1, 0, 1}, PASSIVE_LOSSLESS, 0},           // s/(s^2 + 1), residue 1/2
    {3, 4, {1, 0, 1}, {1, 0, 4, 0}, PASSIVE_LOSSLESS, 0},     // (s^2 + 1)/(s (s^2 + 4))
    {1, 3, {1}, {1, 0, 0}, PASSIVE_ACTIVE, 0},                // 1/s^2: double pole
    {1, 1, {3}, {1}, PASSIVE_MEMORYLESS, 0},                  // resistor
    {1, 1, {-0.5}, {1}, PASSIVE_ACTIVE, 0},                   // negative resistor
    {2, 1, {1, 0}, {1}, PASSIVE_LOSSLESS, 0},                 // inductor: s
    {2, 1, {-1, 0}, {1}, PASSIVE_ACTIVE, 0},                  // -s
    {2, 1, {1, 1}, {1}, PASSIVE_STORAGE, 0},                  // inductor and resistor: s + 1
    {3, 1, {1, 0, 0}, {1}, PASSIVE_ACTIVE, 0},                // s^2
    {2, 3, {1, 0}, {1, 0.4, 4}, PASSIVE_STORAGE, 0},          // mass, damper, spring: F to velocity
    {2, 3, {-1, 0}, {1, 0, 1}, PASSIVE_ACTIVE, 0},            // negative residue
    {3, 3, {1, 0, 1}, {1, 2, 1}, PASSIVE_STORAGE, 0}, // touches zero at w = 1: (1-w^2)^2/(..)
};

static void verdicts(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const function *f = &cases[i];
        passive_report r;
        assert_int_equal(passive_analyse(&a, f->n_num, f->num, f->n_den, f->den, &r), 0);
        if (r.kind != f->kind) fail_msg("case %zu: kind %d, %s", i, r.kind, r.reason);
        char edge[40];
        snprintf(edge, sizeof edge, "%.9g", f->edge);
        if (f->edge && !strstr(r.reason, edge)) fail_msg("case %zu: %s", i, r.reason);
        assert_true(strlen(r.reason) > 10);
    }
    passive_report r;
    assert_int_equal(passive_analyse(&a, 1, (double[]){1}, 1, (double[]){0}, &r), -1);
    assert_int_equal(passive_analyse(&a, 1, (double[]){NAN}, 1, (double[]){1}, &r), -1);
    arena_done(&a);
}

// Parallel interconnection, H1 + H2, keeps passivity: all pairs of passive cases.
static void parallel(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    size_t n = sizeof cases / sizeof *cases;
    int pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const function *f = &cases[i], *g = &cases[k];
            if (f->kind == PASSIVE_ACTIVE || g->kind == PASSIVE_ACTIVE) continue;
            double num[10] = {0}, den[10] = {0}; // ascending here
            int dn = 0, dd = f->n_den + g->n_den - 2;
            for (int p = 0; p < f->n_den; p++)
                for (int q = 0; q < g->n_den; q++)
                    den[p + q] += f->den[f->n_den - 1 - p] * g->den[g->n_den - 1 - q];
            for (int p = 0; p < f->n_num; p++)
                for (int q = 0; q < g->n_den; q++)
                    num[p + q] += f->num[f->n_num - 1 - p] * g->den[g->n_den - 1 - q];
            for (int p = 0; p < g->n_num; p++)
                for (int q = 0; q < f->n_den; q++)
                    num[p + q] += g->num[g->n_num - 1 - p] * f->den[f->n_den - 1 - q];
            for (int p = 0; p < 10; p++)
                if (num[p] != 0) dn = p;
            bool twice =
                den[0] == 0 && den[1] == 0; // both have the pole 0: not minimal as it stands
            if (twice) continue;
            double nd[10], dd_[10];
            for (int p = 0; p <= dn; p++) nd[p] = num[dn - p];
            for (int p = 0; p <= dd; p++) dd_[p] = den[dd - p];
            passive_report r;
            assert_int_equal(passive_analyse(&a, dn + 1, nd, dd + 1, dd_, &r), 0);
            if (r.kind == PASSIVE_ACTIVE) fail_msg("cases %zu and %zu: %s", i, k, r.reason);
            pairs++;
        }
    assert_true(pairs > 30);
    arena_done(&a);
}

// The same cases in state space: the companion form of N/D = D1 s + D + C (s I - A)^-1 B.
static linear_system companion(const function *f, double *a, double *b, double *c, double *d,
                               double *d1)
{
    int n = f->n_den - 1;
    double num[6] = {0}, den[6] = {0}; // ascending, den monic
    for (int i = 0; i <= n; i++) den[i] = f->den[n - i] / f->den[0];
    for (int i = 0; i < f->n_num; i++) num[i] = f->num[f->n_num - 1 - i] / f->den[0];
    *d1 = f->n_num > n + 1 ? num[n + 1] : 0;
    for (int i = 0; i <= n && *d1 != 0; i++) num[i + 1] -= *d1 * den[i];
    *d = num[n];
    for (int i = 0; i < n; i++) {
        b[i] = i == n - 1;
        c[i] = num[i] - *d * den[i];
        for (int j = 0; j < n; j++) a[i + j * n] = i == n - 1 ? -den[j] : j == i + 1;
    }
    return (linear_system){.n = n,
                           .n_u = 1,
                           .n_o = 1,
                           .a = a,
                           .b = b,
                           .c = c,
                           .d = d,
                           .d1 = d1,
                           .improper = fabs(*d1),
                           .beyond = f->n_num > n + 2};
}

static void in_state_space(void **state)
{
    (void)state;
    mem m = mem_std();
    arena ar;
    arena_init(&ar, &m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double a[16], b[4], c[4], d, d1;
        linear_system s = companion(&cases[i], a, b, c, &d, &d1);
        passive_report r;
        assert_int_equal(passive_system(&ar, &s, &r), 0);
        // An inductor alone has no state here: its storage is in D1.
        bool inductor = s.n == 0 && d1 > 0 && cases[i].kind == PASSIVE_LOSSLESS;
        if (!inductor && r.kind != cases[i].kind)
            fail_msg("case %zu: kind %d, %s", i, r.kind, r.reason);
        char edge[40];
        snprintf(edge, sizeof edge, "%.9g", cases[i].edge);
        if (cases[i].edge && s.n && !strstr(r.reason, edge)) fail_msg("case %zu: %s", i, r.reason);
    }
    arena_done(&ar);
}

/* Two unit masses, springs 1 to the walls and 2 between them, dampers 0.1 to the walls; forces on
 * both. Speeds of the same masses: passive (V = energy). Speeds exchanged: not collocated, and the
 * transfer from the force on one to the speed of the other has a negative residue. */
static void two_ports(void **state)
{
    (void)state;
    mem m = mem_std();
    arena ar;
    arena_init(&ar, &m);
    double a[] = {0, 0, -3, 2, 0, 0, 2, -3, 1, 0, -0.1, 0, 0, 1, 0, -0.1};
    double b[] = {0, 0, 1, 0, 0, 0, 0, 1}, zero[4] = {0};
    double same[] = {0, 0, 0, 0, 1, 0, 0, 1}, crossed[] = {0, 0, 0, 0, 0, 1, 1, 0};
    linear_system s = {.n = 4, .n_u = 2, .n_o = 2, .a = a, .b = b, .c = same, .d = zero};
    s.d1 = zero;
    passive_report r;
    assert_int_equal(passive_system(&ar, &s, &r), 0);
    if (r.kind != PASSIVE_STORAGE) fail_msg("collocated: %s", r.reason);
    s.c = crossed;
    assert_int_equal(passive_system(&ar, &s, &r), 0);
    if (r.kind != PASSIVE_ACTIVE) fail_msg("crossed: %s", r.reason);
    a[10] = a[15] = 0; // without dampers: lossless
    s.c = same;
    assert_int_equal(passive_system(&ar, &s, &r), 0);
    if (r.kind != PASSIVE_LOSSLESS) fail_msg("undamped: %s", r.reason);

    double gyrator[] = {0, 1, -1, 0}; // memoryless: power goes through
    linear_system g = {.n_u = 2, .n_o = 2, .a = zero, .b = zero, .c = zero, .d = gyrator};
    assert_int_equal(passive_system(&ar, &g, &r), 0);
    assert_int_equal(r.kind, PASSIVE_MEMORYLESS);
    arena_done(&ar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts), cmocka_unit_test(parallel),
                                       cmocka_unit_test(in_state_space),
                                       cmocka_unit_test(two_ports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
