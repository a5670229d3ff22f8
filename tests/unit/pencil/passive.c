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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts), cmocka_unit_test(parallel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
