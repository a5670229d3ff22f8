/* Rows of routines, bound to functions again, against the functions they were made from.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "api/run.h"
#include "code/model_parts.h"
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>

/* A routine of every kind: a table of the library with an annotated derivative and a text, a program that
 * calls another, an integral, a subscript that moves, and a call in one branch alone. */
static const char words[] =
    "model M class Table extends ExternalObject; function constructor input String name; input "
    "Real t[:,:]; output Table o; external \"C\" o = "
    "ModelicaStandardTables_CombiTable1D_init2(\"NoName\", name, t, size(t,1), size(t,2), {2}, 1, "
    "2, 2, false); end constructor; function destructor input Table o; external \"C\" "
    "ModelicaStandardTables_CombiTable1D_close(o); end destructor; end Table; function at input "
    "Table o; input Real u; output Real y; external \"C\" y = "
    "ModelicaStandardTables_CombiTable1D_getValue(o, 1, u); annotation(derivative = slope); end "
    "at; function slope input Table o; input Real u; input Real v; output Real y; external \"C\" "
    "y = ModelicaStandardTables_CombiTable1D_getDerValue(o, 1, u, v); end slope; function f input "
    "Real x; input Integer n; output Real y; protected Integer k = n; algorithm y := x; while k > "
    "0 loop y := y + g(y, k)/k; k := k - 1; end while; end f; function g input Real x; input "
    "Integer n; output Real y; algorithm y := x; for k in 1:n loop y := sin(y); end for; end g; "
    "parameter Real k = 1; parameter Table t = Table(\"NoName\", {{0, k}, {1, 0}, {2, k}}); "
    "constant Real c[40] = {i^2/7 for i in 1:40}; Integer n(start = 3, fixed = true); Real x(start "
    "= 0.3, fixed = true), u, v, w, z; equation der(x) = at(t, x) - f(x, n); u = "
    "Vincolo.integral(exp(x*s) for s in 0:1); v = c[integer(10*abs(x)) + 1]; w = if time > 0.5 "
    "then "
    "f(2*x, n) else x; z*z*z + f(z, n) = x; when time > 2 then n = 4; end when; end M;";

typedef struct bound {
    arena a;
    const routine_rows *rows;
    const routine_set *set;
    int seen[TAPE_FN_GUARDED + 1]; // by kind: calls
    int n, finite;                 // results
} bound;

/* The tape with calls of what the rows have become. */
static tape again(bound *b, const tape *t)
{
    tape copy = *t;
    tape_call *calls = arena_array(&b->a, tape_call, t->n_calls + 1);
    for (int k = 0; k < t->n_calls; k++) {
        const uint64_t *row = map_find(&b->rows->row_of, map_key(t->calls[k].fn));
        assert_non_null(row);
        calls[k] = t->calls[k];
        calls[k].fn = b->set->all.at[*row - 1];
        assert_non_null(calls[k].fn);
        assert_ptr_not_equal(calls[k].fn, t->calls[k].fn);
        assert_int_equal(calls[k].fn->n_in, t->calls[k].fn->n_in);
        assert_int_equal(calls[k].fn->n_out, t->calls[k].fn->n_out);
        assert_int_equal(calls[k].fn->n_deciding, t->calls[k].fn->n_deciding);
        b->seen[calls[k].fn->kind]++;
    }
    copy.calls = calls;
    return copy;
}

static double *numbers(bound *b, int n)
{
    double *x = arena_array(&b->a, double, n + 1);
    for (int k = 0; k < n; k++) x[k] = 0.1 + rand() % 1000 / 800.0;
    return x;
}

/* out, out2 and w of the tape, at the parameters of the run and some unknowns. */
static double *evaluated(bound *b, const run_state *s, const tape *t, const double *y, double time)
{
    int n = t->extent[TAPE_OUT], n2 = t->extent[TAPE_OUT2], n_w = s->model->n_w + s->model->n_p;
    double *all = arena_array(&b->a, double, n + n2 + n_w + t->extent[TAPE_W] + 1);
    memcpy(all + n + n2, s->w, sizeof *all * (size_t)s->model->n_w);
    double *scratch = arena_array(&b->a, double, tape_scratch(t) + 1);
    tape_run(t, &(tape_args){.t = time,
                             .p = s->p,
                             .y = y,
                             .yp = y,
                             .w = all + n + n2,
                             .out = all,
                             .out2 = all + n,
                             .scratch = scratch,
                             .run = s->routines});
    return all;
}

static void compare(bound *b, const run_state *s, const tape *t)
{
    tape copy = again(b, t);
    for (int k = 0; k < 20; k++) {
        const double *y = numbers(b, t->extent[TAPE_Y] + t->extent[TAPE_YP]);
        const double *was = evaluated(b, s, t, y, k / 10.0);
        const double *is = evaluated(b, s, &copy, y, k / 10.0);
        int n = t->extent[TAPE_OUT] + t->extent[TAPE_OUT2] + s->model->n_w;
        assert_memory_equal(was, is, sizeof *was * (size_t)n);
        for (int i = 0; i < n; i++) b->finite += isfinite(was[i]) != 0;
        b->n += n;
    }
}

static int rows_again(void *job)
{
    vinc_sim *sim = job;
    const run_state *s = sim->state;
    bound b = {.rows = &s->model->routines};
    char why[EXTERNAL_WHY] = "";
    arena_init(&b.a, &sim->model->ctx->m);
    b.set = routine_bind(b.rows->all.at, b.rows->all.n, &b.a, why);
    if (!b.set) fail_msg("%s", why);
    for (int k = 0; k < s->model->functions->all.n; k++) {
        const tape_program *p = s->model->functions->all.at[k].f->program;
        for (int q = 0; p && q < p->n_steps; q++)
            if (p->steps[q].kind == TAPE_STEP_KERNEL) compare(&b, s, p->steps[q].kernel);
    }
    static const int kinds[] = {TAPE_FN_PROGRAM,   TAPE_FN_EXTERNAL, TAPE_FN_TABLE,  TAPE_FN_TEXT,
                                TAPE_FN_ANNOTATED, TAPE_FN_PARTIALS, TAPE_FN_GUARDED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!b.seen[kinds[k]]) fail_msg("no call of kind %d", kinds[k]);
    assert_true(b.finite > 0.9 * b.n);
    external_run_begin(s->routines); // its objects belong to routines of these
    arena_done(&b.a);
    return 0;
}

static void rows_give_the_same_functions(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1};
    int rc = vinc_model_load_text(ctx, "m.mo", words, sizeof words - 1, NULL, &model);
    if (!rc) rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    assert_int_equal(api_guarded(ctx, rows_again, sim), 0);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* What is not there where a model is loaded is named. */
static void a_function_that_is_missing_is_named(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    char why[EXTERNAL_WHY] = "";
    const external_routine call = {.name = "Some.f"};
    routine_row row = {.kind = TAPE_FN_EXTERNAL,
                       .of = -1,
                       .derivative = -1,
                       .text = "no_such_function",
                       .external = &call};
    assert_null(routine_bind(&row, 1, &a, why));
    assert_string_equal(why, "there is no function no_such_function here");
    const external_wish wish = {.name = "mine", .returns = 'r', .built = true};
    row.wish = &wish;
    assert_null(routine_bind(&row, 1, &a, why));
    assert_non_null(strstr(why, "mine stands in an Include"));
    arena_done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_give_the_same_functions),
        cmocka_unit_test(a_function_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
