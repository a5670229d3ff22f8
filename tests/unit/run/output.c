/* Which rows of results need the equations: those that hold more than states and what follows from them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"
#include "support/rig.h"

#include <string.h>

static bool of_states(rig *b, const char *name)
{
    int i = code_find_column(b->model, name), output;
    assert_true(i >= 0);
    output = code_output_of(code_column_in(&b->model->outputs, i));
    assert_int_equal(run_record(b->state, &output, 1), 0);
    assert_int_equal(run_record_compile(b->state, &b->k.scratch), 0);
    return b->p->outputs_of_states;
}

/* y is found from x by iteration; everything else is said by the equation of its name. */
static void rows_of_states(void **state)
{
    (void)state;
    rig b;
    rig_open(&b,
             "Real x start 1\nReal y\nReal square\nReal clock\nReal twice\nReal slope\n"
             "der(x) = -y\ny + y^3 = x\nsquare = x^2\nclock = time*x\ntwice = 2*y\n"
             "slope = 3*der(x)\n",
             NULL);
    rig_begin(&b, 0);
    assert_true(of_states(&b, "x"));
    assert_true(of_states(&b, "square"));
    assert_true(of_states(&b, "clock"));
    assert_false(of_states(&b, "y"));
    assert_false(of_states(&b, "twice"));
    assert_false(of_states(&b, "slope"));
    assert_int_equal(run_record(b.state, NULL, 0), 0);
    assert_false(b.p->outputs_of_states); // all are recorded
    rig_close(&b);
}

/* Columns have names of variables, and of derivatives names that are made; each is found by its own. */
static void names_of_columns(void **state)
{
    (void)state;
    rig b;
    rig_open(&b, "Real x start 1\nReal v start 2\nReal a\nder(x) = v\nder(v) = a\na = -x\n", NULL);
    rig_begin(&b, 0);
    int n = b.model->outputs.n_columns, derivatives = 0;
    text name;
    text_init(&name, &b.k.m);
    for (int i = 0; i < n; i++) {
        text_clear(&name);
        assert_true(code_add_column_name(b.model, i, &name));
        assert_int_equal(code_find_column(b.model, text_str(&name)), i);
        assert_string_equal(code_column_name(b.model, i, &b.k.scratch), text_str(&name));
        derivatives += code_column_in(&b.model->outputs, i).times > 0;
    }
    text_done(&name);
    assert_int_equal(derivatives, 2);
    assert_int_equal(code_find_column(b.model, "der(a)"), -1);
    assert_int_equal(code_find_column(b.model, "der(x"), -1);
    assert_int_equal(code_find_column(b.model, "der(x))"), -1);
    assert_int_equal(code_find_column(b.model, "der(der(x))"), -1);
    assert_true(rig_value(&b, "der(v)") == -1);
    rig_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_states),
                                       cmocka_unit_test(names_of_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
