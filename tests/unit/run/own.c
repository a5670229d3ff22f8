/* Code with the parameters of a run as numbers gives what the code of the model gives, and only while
 * the parameters are these.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"
#include "support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 50, MANY = 5000 };

/* Row i has i terms, so that no two are alike; every other coefficient is 0. */
static void write_model(text *t)
{
    for (int i = 1; i <= N; i++)
        text_printf(t, "parameter c%d = %d\nReal x%d start %g\n", i, i % 2 ? i : 0, i, 0.1 * i);
    for (int i = 1; i <= N; i++) {
        text_printf(t, "der(x%d) = -x%d", i, i);
        for (int k = 1; k <= i; k++) text_printf(t, " + c%d*x%d^2*x%d", k, k, i);
        text_add(t, "\n");
    }
}

typedef struct values {
    double r[N], dy[N * N], dyp[N * N];
} values;

static void evaluate(rig *b, int times, values *v)
{
    for (int k = 0; k < times; k++)
        assert_int_equal(b->p->residual(b->p->user, 0, b->y, b->yp, v->r), 0);
    assert_int_equal(b->p->jacobian(b->p->user, 0, b->y, b->yp, v->dy, v->dyp), 0);
}

static void same(const values *u, const values *v, int nnz)
{
    for (int i = 0; i < N; i++) assert_true(u->r[i] == v->r[i]);
    for (int k = 0; k < nnz; k++) assert_true(u->dy[k] == v->dy[k] && u->dyp[k] == v->dyp[k]);
}

static void a_run_that_lasts_has_its_own(void **state)
{
    (void)state;
    mem m = mem_std();
    text t;
    text_init(&t, &m);
    write_model(&t);
    rig *b = malloc(sizeof *b);
    values *v = calloc(3, sizeof *v);
    rig_open(b, text_str(&t), NULL);
    text_done(&t);
    rig_begin(b, 0);
    assert_int_equal(b->p->n, N);
    evaluate(b, 1, &v[0]);
    assert_null(b->state->own.residual.code);
    evaluate(b, MANY, &v[1]);
    assert_non_null(b->state->own.residual.code);
    assert_non_null(b->state->own.jacobian.code);
    same(&v[0], &v[1], b->p->jac->nnz);
    // One that was zero is another now: x2' = -x2 + c1 x1^2 x2 + c2 x2^3.
    rig_set(b, "c2", 7);
    rig_begin(b, 0);
    evaluate(b, 1, &v[0]);
    assert_null(b->state->own.residual.code);
    int i = rig_unknown(b, "x2");
    assert_true(fabs(b->yp[i] - (-0.2 + 0.01 * 0.2 + 7 * 0.008)) < 1e-12);
    evaluate(b, MANY, &v[1]);
    assert_non_null(b->state->own.residual.code);
    same(&v[0], &v[1], b->p->jac->nnz);
    rig_close(b);
    free(v);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_that_lasts_has_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
