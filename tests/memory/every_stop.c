/* Stopped at the k-th look at the limits, for every k, from the text to a linearization: a message, and
 * nothing is left behind. Here every tick is a look.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/watch.h"
#include "fail_mem.h"
#include "vincolo.h"

static long looks, stop_at;

bool __real_watch_look(watch *w);
bool __wrap_watch_look(watch *w);
void __real_mem_look(mem *m);
void __wrap_mem_look(mem *m);

static void count_look(watch *w)
{
    if (w && ++looks == stop_at) atomic_store(&w->limits->interrupted, 1);
}

bool __wrap_watch_look(watch *w)
{
    count_look(w);
    bool stops = __real_watch_look(w);
    if (w) w->ticks = 0;
    return stops;
}

void __wrap_mem_look(mem *m)
{
    count_look(m->watch);
    __real_mem_look(m);
    if (m->watch) m->watch->ticks = 0;
}

/* The last status; every call that is stopped says so. */
static int journey(fail_mem *f, long k, const char *words, const vinc_sim_options *o)
{
    stop_at = 0;
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = f->m.resize, .user = f->m.user});
    looks = 0;
    stop_at = k;
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    const char *report = NULL;
    int rc = vinc_model_load_text(ctx, "text.mo", words, strlen(words), NULL, &model);
    if (!rc) rc = vinc_model_check(model, VINC_TEXT, &report);
    if (!rc) rc = vinc_sim_new(model, o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    vinc_linear_options l = {.run = o};
    if (!rc) rc = vinc_model_linearize(model, &l, VINC_TEXT, &report);
    if (rc < 0 && !vinc_ctx_n_diagnostics(ctx) && !vinc_sim_n_diagnostics(sim))
        fail_msg("stopped at look %ld: status %d without a message", stop_at, rc);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return rc;
}

/* All of the first looks, then ever fewer of them: where they stand in a loop, each is like the last. */
static void every_k(const char *words, const vinc_sim_options *o)
{
    long n = 0;
    for (long k = 1;; k += 1 + k / 10) {
        fail_mem f;
        fail_mem_init(&f, 0);
        int rc = journey(&f, k, words, o);
        if (f.live) fail_msg("stopped at look %ld, %ld bytes are left", k, f.live);
        if (looks < k) break;
        if (!rc) fail_msg("stopped at look %ld, nobody said so", k);
        n++;
    }
    assert_true(n > 10);
}

static void a_pendulum(void **state)
{
    (void)state;
    every_k("model Pendulum\n"
            "  Real x(start = 1), y(start = 0), vx, vy, F;\n"
            "equation\n"
            "  der(x) = vx; der(y) = vy;\n"
            "  der(vx) = -F*x; der(vy) = -F*y - 9.81;\n"
            "  x^2 + y^2 = 1;\n"
            "end Pendulum;\n",
            &(vinc_sim_options){.has_stop = 1, .t_stop = 0.1, .intervals = 2});
}

static void start_values_that_are_not_found(void **state)
{
    (void)state;
    every_k("model Implicit\n"
            "  Real x(start = 1, fixed = true);\n"
            "equation\n"
            "  x + 0.5*sin(der(x)) = -x;\n"
            "end Implicit;\n",
            &(vinc_sim_options){.has_stop = 1, .t_stop = 0.1});
}

static void a_singular_mass(void **state)
{
    (void)state;
    every_k("model Singular\n"
            "  Real q[2](start = {1, 0}), lambda[1];\n"
            "equation\n"
            "  Vincolo.lagrange(q = q, T = (der(q[1]) + der(q[2]))^2/2, V = 9.81*q[2],\n"
            "    Phi = {2*q[1] + 2*q[2] + sin(q[1] + q[2]) - 2}, lambda = lambda);\n"
            "end Singular;\n",
            &(vinc_sim_options){.has_stop = 1, .t_stop = 0.1});
}

static void a_loop_in_a_function(void **state)
{
    (void)state;
    every_k("model Loop\n"
            "  function inverse\n"
            "    input Real y;\n"
            "    output Real u;\n"
            "  protected\n"
            "    Real low = 0, high = 10;\n"
            "  algorithm\n"
            "    while high - low > 1e-12 loop\n"
            "      u := (low + high)/2;\n"
            "      if u^2 > y then high := u; else low := u; end if;\n"
            "    end while;\n"
            "  end inverse;\n"
            "  Real a(start = 1, fixed = true), b = inverse(4 + sqrt(b - 3));\n"
            "equation\n"
            "  der(a) = -b;\n"
            "end Loop;\n",
            &(vinc_sim_options){.has_stop = 1, .t_stop = 0.1});
}

static void events(void **state)
{
    (void)state;
    every_k("model Ball\n"
            "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
            "  discrete Real s(start = 0, fixed = true);\n"
            "equation\n"
            "  der(h) = v; der(v) = -9.81;\n"
            "  when h < 0 then reinit(v, -0.8*pre(v)); end when;\n"
            "  when sample(0, 0.2) then s = pre(s) + h; end when;\n"
            "end Ball;\n",
            &(vinc_sim_options){.has_stop = 1, .t_stop = 0.6, .intervals = 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum),      cmocka_unit_test(start_values_that_are_not_found),
        cmocka_unit_test(a_singular_mass), cmocka_unit_test(a_loop_in_a_function),
        cmocka_unit_test(events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
