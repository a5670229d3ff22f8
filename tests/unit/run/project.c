/* Projection on many constraints: sparse steps against dense ones, redundant constraints included.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "run/run_parts.h"
#include "support/mini.h"

#include <math.h>
#include <stdio.h>

enum { MASSES = 50, N_MAX = 400 };

/* Point masses on rods, one below the other; with `twice` the first rod is stated once more. */
static void write_chain(text *t, bool twice)
{
    if (twice) text_add(t, "Real mu\n");
    for (int i = 1; i <= MASSES; i++)
        text_printf(t,
                    "Real x%d start %g\nReal y%d start %g\nReal u%d\nReal v%d\nReal lambda%d\n"
                    "der(x%d) = u%d\nder(y%d) = v%d\n",
                    i, 0.6 * i, i, -0.8 * i, i, i, i, i, i, i, i);
    for (int i = 1; i <= MASSES; i++) {
        const char *again = twice && i == 1 ? " - 2*mu" : "";
        char above[64] = "", force[80] = "";
        if (i > 1) snprintf(above, sizeof above, " - x%d", i - 1);
        if (i < MASSES) snprintf(force, sizeof force, " + lambda%d*(x%d - x%d)", i + 1, i + 1, i);
        text_printf(t, "der(u%d) = -lambda%d*(x%d%s)%s%s%s\n", i, i, i, above, force, again,
                    *again ? "*x1" : "");
        if (i > 1) snprintf(above, sizeof above, " - y%d", i - 1);
        if (i < MASSES) snprintf(force, sizeof force, " + lambda%d*(y%d - y%d)", i + 1, i + 1, i);
        text_printf(t, "der(v%d) = -lambda%d*(y%d%s)%s - 9.81%s%s\n", i, i, i, above, force, again,
                    *again ? "*y1" : "");
        if (i == 1) text_add(t, "x1^2 + y1^2 = 1\n");
        else text_printf(t, "(x%d - x%d)^2 + (y%d - y%d)^2 = 1\n", i, i - 1, i, i - 1);
    }
    if (twice) text_add(t, "2*x1^2 + 2*y1^2 = 2\n");
}

/* Start values a little off the constraints, projected. */
static void project(run_state *s, bool sparse, double *y, double *yp)
{
    const code_manifold *x = s->model->manifold;
    const form_system *f = s->model->form;
    for (int k = 0; k < x->n; k++) {
        assert_true(x->levels[k].m >= MASSES);
        x->levels[k].sparse = sparse;
    }
    for (int i = 0; i < s->model->n; i++) {
        int e = f->unknowns.at[i].entry;
        y[i] = (e < 0 ? 0 : run_start_of(s, e)) + 1e-3 * sin(i);
        yp[i] = 0;
    }
    run_project(s, 0, y, yp); // accelerations are not unique where a rod is stated twice
}

static void compare(bool twice)
{
    mini k;
    text lines, why;
    mem m = mem_std();
    text_init(&lines, &m);
    text_init(&why, &m);
    write_chain(&lines, twice);
    mini_init(&k, text_str(&lines));
    structure *x = structure_analyze(&k.flat, &k.a, &k.scratch, &k.sink);
    assert_non_null(x);
    form_system *f = form_apply(x, "project", &k.a, &k.scratch, &k.sink);
    assert_non_null(f);
    code_model *model;
    run_state *s;
    assert_int_equal(code_lower(f, &k.a, &k.scratch, &k.m, &k.sink, &model), 0);
    assert_int_equal(run_new(model, &k.m, &s), 0);
    assert_int_equal(run_begin(s, 0, &why), 0);

    double y[2][N_MAX], yp[N_MAX], v[3];
    assert_in_range(model->n, 4 * MASSES, N_MAX);
    for (int sparse = 0; sparse < 2; sparse++) {
        project(s, sparse, y[sparse], yp);
        s->problem.violation(s, 0, y[sparse], yp, v);
        assert_true(v[0] < 1e-12 && v[1] < 1e-12);
    }
    // Steps of least norm: the limits differ by what second-order terms of the first step do.
    for (int j = 0; j < 2; j++) {
        const code_level *q = &model->manifold->levels[j];
        for (int i = 0; i < q->n; i++)
            assert_float_equal(y[0][q->columns[i]], y[1][q->columns[i]], 1e-8);
    }
    run_free(s);
    code_model_free(model);
    mini_done(&k);
    text_done(&lines);
    text_done(&why);
}

static void sparse_as_dense(void **state)
{
    (void)state;
    compare(false);
}

static void redundant_as_dense(void **state)
{
    (void)state;
    compare(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_as_dense),
        cmocka_unit_test(redundant_as_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
