/* Any number of threads on one model: the same bits as one thread, and nothing left behind.
 *
 * Each thread makes a run, sets a parameter of it, runs and frees it, many times over, and keeps a
 * checksum of every number recorded. A single thread has made the same runs before. Built with the
 * thread sanitizer (make test-threads) this is also the test that there is no race.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vincolo.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { MOST_THREADS = 8, RUNS = 1000, VALUES = 10 };

/* ---- memory that counts ---------------------------------------------------------------------- */

static atomic_size_t live;

static void *counting(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    if (!new_bytes) {
        free(p);
        atomic_fetch_sub(&live, old_bytes);
        return NULL;
    }
    void *q = realloc(p, new_bytes);
    if (q) atomic_fetch_add(&live, new_bytes - old_bytes);
    return q;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Index 3 with states chosen while running; events with reinit and a discrete variable; a delay; a
 * mixed system with an algebraic loop; a failing assertion, which makes messages; a function that
 * is executed and has no value at some points, which the run keeps; linear algebra by LAPACK, which
 * Debian's OpenBLAS for one thread would get wrong without turns (la/blas_turn.h). */
static const struct subject {
    const char *text, *parameter, *formulation; // text: or the path of a file
    double base, step, stop;
} subjects[] = {
    {"model P parameter Real g=9.81; Real x(start=1),y(start=0),vx,vy,F; equation der(x)=vx;"
     " der(y)=vy; der(vx)=-F*x; der(vy)=-F*y-g; x^2+y^2=1; end P;",
     "g", NULL, 9, 0.1, 0.1},
    {"model P parameter Real g=9.81; Real x(start=1),y(start=0),vx,vy,F; equation der(x)=vx;"
     " der(y)=vy; der(vx)=-F*x; der(vy)=-F*y-g; x^2+y^2=1; end P;",
     "g", "ggl", 9, 0.1, 0.1},
    {"model B parameter Real e=0.8; Real h(start=1,fixed=true),v(start=0,fixed=true);"
     " discrete Integer n(start=0,fixed=true); equation der(h)=v; der(v)=-9.81;"
     " when h<0 then reinit(v,-e*pre(v)); n=pre(n)+1; end when; end B;",
     "e", NULL, 0.5, 0.01, 1},
    {"model D parameter Real k=1; Real x(start=1,fixed=true); Real z(start=1); equation"
     " der(x)=-k*delay(x,0.2); z^3+z=x+2; end D;",
     "k", NULL, 1, 0.1, 1},
    {"model A parameter Real limit=0.5; Real x(start=0,fixed=true); equation der(x)=1;"
     " assert(x<limit,\"too far\"); end A;",
     "limit", NULL, 0.2, 0.1, 1},
    {"model E function f input Real x; input Integer n; output Real y; protected Integer k = n;"
     " algorithm y := x; while k > 0 loop y := 0.5*(y + x/y); assert(y > 0.55, \"low\"); k := k - "
     "1;"
     " end while; end f; parameter Real c=1; Integer n(start=4,fixed=true); Real "
     "x(start=1,fixed=true);"
     " equation der(x)=-c*f(x,n); when time>10 then n=5; end when; end E;",
     "c", NULL, 0.5, 0.1, 1},
    {VINCOLO_ROOT "/examples/four-bar/model.mo", "g", "udwadia", 9, 0.1, 0.2},
    {VINCOLO_ROOT "/examples/four-bar/model.mo", "g", "nullspace-svd", 9, 0.1, 0.2},
};
enum { N_SUBJECTS = sizeof subjects / sizeof *subjects };

static uint64_t mix(uint64_t h, const void *at, size_t n)
{
    const unsigned char *p = at;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * UINT64_C(1099511628211); // FNV-1a
    return h;
}

/* One run from new to free: everything that it recorded, and what it said. */
static uint64_t run_with(vinc_model *model, const struct subject *s, double value,
                         const vinc_sim_options *o)
{
    vinc_sim *sim = NULL;
    uint64_t h = UINT64_C(14695981039346656037);
    int rc = vinc_sim_new(model, o, &sim);
    if (!rc) rc = vinc_sim_set(sim, s->parameter, value);
    if (!rc) rc = vinc_sim_run(sim);
    h = mix(h, &rc, sizeof rc);
    vinc_result *r = vinc_sim_result(sim);
    for (int i = 0; i < vinc_result_n_columns(r); i++) {
        vinc_column c;
        if (!vinc_result_column(r, i, &c)) h = mix(h, c.values, c.n * sizeof *c.values);
    }
    const char *said = vinc_sim_messages(sim);
    h = mix(h, said, strlen(said));
    vinc_sim_free(sim);
    return h;
}

static uint64_t one_run(vinc_model *model, const struct subject *s, double value)
{
    vinc_sim_options o = {
        .has_stop = 1, .t_stop = s->stop, .intervals = 5, .formulation = s->formulation};
    return run_with(model, s, value, &o);
}

static double value_of(const struct subject *s, int k)
{
    return s->base + s->step * (k % VALUES);
}

typedef struct job {
    vinc_model *model;
    const struct subject *s;
    const uint64_t *expected; // by value
    int first, n, wrong;
} job;

static void *work(void *user)
{
    job *j = user;
    for (int k = j->first; k < j->first + j->n; k++)
        j->wrong += one_run(j->model, j->s, value_of(j->s, k)) != j->expected[k % VALUES];
    return NULL;
}

static vinc_model *load(vinc_ctx *ctx, const struct subject *s)
{
    vinc_model *model = NULL;
    int rc = s->text[0] == '/'
                 ? vinc_model_load(ctx, s->text, NULL, &model)
                 : vinc_model_load_text(ctx, "m.mo", s->text, strlen(s->text), NULL, &model);
    assert_int_equal(rc, VINC_OK);
    return model;
}

/* The runs of one thread are the reference; that of the threads begins with an uncompiled model. */
static void same_bits_in_threads(void **state)
{
    (void)state;
    for (int i = 0; i < N_SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *alone = load(ctx, s);
        uint64_t expected[VALUES];
        for (int k = 0; k < VALUES; k++) expected[k] = one_run(alone, s, value_of(s, k));
        assert_true(expected[0] != expected[1]); // the parameter matters
        for (int n = 2; n <= MOST_THREADS; n *= 2) {
            vinc_ctx *shared = vinc_ctx_new(NULL);
            vinc_model *model = load(shared, s);
            pthread_t threads[MOST_THREADS];
            job jobs[MOST_THREADS];
            for (int k = 0; k < n; k++) {
                jobs[k] = (job){model, s, expected, k, i ? RUNS / 10 : RUNS, 0};
                assert_int_equal(pthread_create(&threads[k], NULL, work, &jobs[k]), 0);
            }
            for (int k = 0; k < n; k++) pthread_join(threads[k], NULL);
            for (int k = 0; k < n; k++) assert_int_equal(jobs[k].wrong, 0);
            vinc_model_free(model);
            vinc_ctx_free(shared);
        }
        vinc_model_free(alone);
        vinc_ctx_free(ctx);
    }
}

static void memory_does_not_grow(void **state)
{
    (void)state;
    enum { MANY = 10000, FEW = 20 };
    for (int i = 0; i < N_SUBJECTS; i++) {
        const struct subject *s = &subjects[i];
        atomic_store(&live, 0);
        vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = counting});
        vinc_model *model = load(ctx, s);
        for (int k = 0; k < FEW; k++) one_run(model, s, value_of(s, k));
        size_t after_few = atomic_load(&live);
        for (int k = 0; k < (i ? MANY / 20 : MANY); k++) one_run(model, s, value_of(s, k));
        assert_int_equal(atomic_load(&live), after_few);
        vinc_model_free(model);
        vinc_ctx_free(ctx);
        assert_int_equal(atomic_load(&live), 0);
    }
}

/* One run, shared by threads: maps, assembly, factors, solutions, norms. A field with reactions, which bdf
 * integrates with many factorisations, and a path. 10^4 unknowns are the fewest that are shared. */
static void same_bits_of_one_run(void **state)
{
    (void)state;
    static const struct subject large[] = {
        {"model G parameter Integer N=101; parameter Real k=2; Real u[N,N](start={{sin(0.1*i*j)"
         " for j in 1:N} for i in 1:N}, each fixed=true); equation for i in 1:N, j in 1:N loop"
         " der(u[i,j])=100*((if i==1 then 0 else u[i-1,j])+(if i==N then 0 else u[i+1,j])"
         "+(if j==1 then 0 else u[i,j-1])+(if j==N then 0 else u[i,j+1])-4*u[i,j])"
         "-k*u[i,j]^3+exp(-u[i,j]^2); end for; end G;",
         "k", "dummy", 2, 1, 0.02},
        {"model L parameter Integer N=12000; parameter Real k=2; Real v[N](each start=0, each"
         " fixed=true); equation for i in 1:N loop der(v[i])=100*((if i==1 then sin(k*time) else"
         " v[i-1])+(if i==N then 0 else v[i+1])-2*v[i])-exp(v[i])+1; end for; end L;",
         "k", "dummy", 2, 1, 0.1}};
    for (int i = 0; i < 2; i++) {
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *model = load(ctx, &large[i]);
        static const int jobs[] = {1, 2, 3, 7};
        uint64_t expected = 0;
        for (int k = 0; k < 4; k++) {
            vinc_sim_options o = {.method = "bdf",
                                  .has_stop = 1,
                                  .t_stop = large[i].stop,
                                  .intervals = 3,
                                  .rel_tol = 1e-4,
                                  .jobs = jobs[k]};
            uint64_t h = run_with(model, &large[i], large[i].base, &o);
            if (!k) expected = h;
            assert_true(h == expected);
        }
        vinc_model_free(model);
        vinc_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_in_threads),
                                       cmocka_unit_test(same_bits_of_one_run),
                                       cmocka_unit_test(memory_does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
