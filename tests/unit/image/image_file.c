/* Compiled models as bytes: what is saved is loaded again, runs with the same results, and what was altered is refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "api/run.h"
#include "code/adopt.h"
#include "code/model_parts.h"
#include "image/image_file.h"
#include "image/image_parts.h"
#include "run/run_parts.h"

#include <stdlib.h>
#include <string.h>

/* One model for each kind of content: states chosen while running, events with messages, clocks, delays, functions
 * that are executed, start values of another formulation. */
static const char *const models[] = {
    "model M parameter Real L = 1; Real x(start = 1, fixed = true), y(start = 0, fixed = true), "
    "vx, vy, F; equation "
    "der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = L^2; end M;",
    "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true); Integer n(start = 0, "
    "fixed = true); equation "
    "der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.5*pre(v)); n = pre(n) + 1; end when; "
    "assert(n < 1000, "
    "\"bounced \" + String(n) + \" times\"); end M;",
    "model M Real x(start = 1, fixed = true), u, y(start = 0); equation when Clock(1, 10) then u = sample(x); "
    "y = 0.5*previous(y) "
    "+ u; end when; der(x) = -x + 0.1*hold(y); end M;",
    "model M Real x(start = 1, fixed = true); Real d = delay(x, 0.2); Boolean b; equation der(x) = "
    "-d; b = x > 0.3; "
    "end M;",
    "model M function f input Real x; input Integer n; output Real y; protected Integer k = n; "
    "algorithm y := x; "
    "while k > 0 loop y := sin(y) + x/k; k := k - 1; end while; end f; Integer n(start = 3, fixed "
    "= true); Real "
    "x(start = 0.3, fixed = true); equation der(x) = -f(x, n); when time > 0.5 then n = 4; end "
    "when; end M;",
};
enum { MODELS = sizeof models / sizeof *models };

typedef struct saved {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    arena a, scratch;
    text bytes, why;
} saved;

static void open_model(saved *s, const char *words)
{
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1};
    *s = (saved){.ctx = vinc_ctx_new(NULL)};
    int rc = vinc_model_load_text(s->ctx, "m.mo", words, strlen(words), NULL, &s->model);
    if (!rc) rc = vinc_sim_new(s->model, &o, &s->sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(s->ctx));
    arena_init(&s->a, &s->ctx->m);
    arena_init(&s->scratch, &s->ctx->m);
    text_init(&s->bytes, &s->ctx->m);
    text_init(&s->why, &s->ctx->m);
}

static void close_model(saved *s)
{
    text_done(&s->bytes);
    text_done(&s->why);
    arena_done(&s->a);
    arena_done(&s->scratch);
    vinc_sim_free(s->sim);
    vinc_model_free(s->model);
    vinc_ctx_free(s->ctx);
}

/* F of the model and of its copy at start values, bit by bit. */
static void same_values(saved *s, const code_model *m, code_model *copy)
{
    run_state *x = NULL, *y = NULL;
    text why;
    text_init(&why, &s->ctx->m);
    assert_int_equal(run_new(m, &s->ctx->m, &x), 0);
    assert_int_equal(run_new(copy, &s->ctx->m, &y), 0);
    assert_int_equal(run_begin(x, 0, &why), 0);
    assert_int_equal(run_begin(y, 0, &why), 0);
    double *at = arena_array(&s->a, double, 4 * m->n), *slope = at + m->n, *r = slope + m->n,
           *q = r + m->n;
    for (int i = 0; i < m->n; i++) at[i] = 0.3 + 0.1 * i, slope[i] = 0.2 - 0.05 * i;
    vinc_problem *p = run_problem(x), *of_copy = run_problem(y);
    assert_int_equal(p->residual(p->user, 0.1, at, slope, r), 0);
    assert_int_equal(of_copy->residual(of_copy->user, 0.1, at, slope, q), 0);
    assert_memory_equal(r, q, (size_t)m->n * sizeof *r);
    run_free(x);
    run_free(y);
    text_done(&why);
}

static int round_trip(void *job)
{
    saved *s = job;
    const code_model *m = s->sim->code;
    image_save(m, &s->scratch, &s->bytes);
    assert_true(image_is_one(s->bytes.at, s->bytes.n));
    code_model *copy = image_load(s->bytes.at, s->bytes.n, &s->a, &s->scratch, &s->why);
    if (!copy) fail_msg("%s", text_str(&s->why));
    text where, again;
    text_init(&where, &s->ctx->m);
    text_init(&again, &s->ctx->m);
    if (!image_equal(m, copy, &where)) fail_msg("another %s", text_str(&where));
    assert_int_equal(code_adopt(copy, &s->ctx->m, &s->a, &s->scratch), 0);
    same_values(s, m, copy);
    code_model_free(copy);
    text_done(&where);
    text_done(&again);
    return 0;
}

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        saved s;
        open_model(&s, models[k]);
        assert_int_equal(api_guarded(s.ctx, round_trip, &s), 0);
        close_model(&s);
    }
}

/* ---- altered bytes --------------------------------------------------------------------------- */

static bool loads(saved *s, const char *bytes, size_t n)
{
    arena_mark a = arena_here(&s->a), scratch = arena_here(&s->scratch);
    text_clear(&s->why);
    bool good = image_load(bytes, n, &s->a, &s->scratch, &s->why) != NULL;
    if (!good) assert_true(s->why.n > 0); // a sentence
    arena_release(&s->a, a);
    arena_release(&s->scratch, scratch);
    return good;
}

static int alter(void *job)
{
    enum { CUTS = 40, CHANGES = 300 };
    saved *s = job;
    image_save(s->sim->code, &s->scratch, &s->bytes);
    size_t n = s->bytes.n;
    char *bytes = s->bytes.at;
    for (size_t k = 0; k < CUTS; k++) assert_false(loads(s, bytes, n * k / CUTS));
    srand(1);
    for (int k = 0; k < CHANGES; k++) {
        size_t at = (size_t)rand() % n;
        char kept = bytes[at], digest[IMAGE_DIGEST];
        bytes[at] = (char)(kept ^ (1 + rand() % 255));
        assert_false(loads(s, bytes, n)); // its digest is another one
        if (at < sizeof(image_header)) {
            bytes[at] = kept;
            continue;
        }
        image_header *h = (image_header *)(void *)bytes;
        memcpy(digest, h->digest, sizeof digest);
        image_digest(bytes + sizeof *h, n - sizeof *h, h->digest);
        loads(s, bytes, n); // refused, or another number
        memcpy(h->digest, digest, sizeof digest);
        bytes[at] = kept;
    }
    assert_true(loads(s, bytes, n));
    return 0;
}

static void what_is_altered_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < MODELS; k++) {
        saved s;
        open_model(&s, models[k]);
        assert_int_equal(api_guarded(s.ctx, alter, &s), 0);
        close_model(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_loaded),
        cmocka_unit_test(what_is_altered_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
