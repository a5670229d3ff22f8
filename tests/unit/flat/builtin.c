/* The lists of built-in functions: every entry is whole, found by its name, and does what its
 * example says.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "eval/builtin.h"

static void every_entry_is_whole(void **state)
{
    (void)state;
    for (int i = 0; eval_builtin_at(i); i++) {
        const eval_builtin *f = eval_builtin_at(i);
        if (eval_find_builtin(f->name) != f) fail_msg("%s: out of order, or twice", f->name);
        if (!f->args || !f->section) fail_msg("%s: no arguments or no section", f->name);
        if (!f->call == !f->values && strcmp(f->name, "sum"))
            fail_msg("%s: one way to evaluate it", f->name);
        if (f->values && !f->example) fail_msg("%s: no example", f->name);
        if (f->example && !strstr(f->example, f->name)) fail_msg("%s: not in its example", f->name);
    }
    assert_null(eval_find_builtin("nothing"));
}

static void every_example_is_true(void **state)
{
    (void)state;
    for (int i = 0; eval_builtin_at(i); i++) {
        const eval_builtin *f = eval_builtin_at(i);
        if (!f->example) continue;
        char model[400];
        snprintf(model, sizeof model, "model M constant Boolean result = %s; end M;", f->example);
        fixture *x = flatten(model);
        expect_flat(x);
        const char *got = printed(x, bound_to(x, "result"));
        if (strcmp(got, "true")) fail_msg("%s is %s", f->example, got);
        drop(x);
    }
}

/* Arguments: too few or too many by the list of the entry, and by name only where it says so. */
static void arguments_follow_the_entry(void **state)
{
    (void)state;
    static const struct {
        const char *call, *message;
    } cases[] = {
        {"sin()", "sin() takes 1 argument, not 0"},
        {"atan2(1)", "atan2() takes 2 arguments, not 1"},
        {"max(1, 2, 3)", "max() takes at most 2 arguments, not 3"},
        {"zeros()", "zeros() takes at least 1 argument, not 0"},
        {"sin(u = 1)", "sin() has no argument 'u'"},
        {"semiLinear(k1 = 1, k2 = 2, y = 3)", "semiLinear() has no argument 'y'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[400];
        snprintf(model, sizeof model, "model M constant Real result = %s; end M;", cases[i].call);
        fixture *x = flatten(model);
        assert_null(x->flat);
        if (!x->diags.first || !strstr(x->diags.first->text, cases[i].message))
            fail_msg("%s: %s", cases[i].call, x->diags.first ? x->diags.first->text : "accepted");
        drop(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_whole),
        cmocka_unit_test(every_example_is_true),
        cmocka_unit_test(arguments_follow_the_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
