/* The list of targets: every entry says what it is and does what it says.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_fixture.h"
#include "target/target.h"

#include <string.h>

static const tape_program *sample(fixture *f)
{
    tape_store(f->b, tape_out(0), tape_op2(f->b, TAPE_MUL, tape_y(0), tape_y(1)));
    tape_program_builder *b = tape_program_new(&f->result);
    tape_program_kernel(b, finish(f));
    return tape_program_finish(b);
}

static void every_entry_is_complete(void **state)
{
    (void)state;
    for (const tape_target *const *t = tape_targets; *t; t++) {
        assert_true((*t)->name && *(*t)->name && (*t)->summary && *(*t)->summary);
        assert_true((*t)->lanes >= 1);
        assert_true((*t)->runs_here || (*t)->print); // it is of use
        assert_true((*t)->runs_here || !(*t)->emit); // machine code is for a machine
        for (const tape_target *const *u = tape_targets; u < t; u++)
            assert_string_not_equal((*t)->name, (*u)->name);
    }
}

static void what_runs_here_runs_and_the_rest_is_interpreted(void **state)
{
    fixture *f = *state;
    const tape_program *p = sample(f);
    for (const tape_target *const *t = tape_targets; *t; t++) {
        double y[2] = {3, 7}, out = 0, scratch[64];
        tape_code *code;
        assert_int_equal(tape_compile_program(p, &(tape_options){.target = *t}, &f->m, &code), 0);
        bool here = (*t)->runs_here && (*t)->runs_here();
        assert_ptr_equal(tape_code_target(code), here ? *t : &target_interpreter);
        assert_true(tape_code_scratch(code) <= 64);
        tape_eval(code, &(tape_args){.y = y, .out = &out, .scratch = scratch});
        assert_true(out == 21);
        tape_code_free(code);
    }
}

static void what_prints_prints_a_function_of_that_name(void **state)
{
    fixture *f = *state;
    const tape_program *p = sample(f);
    for (const tape_target *const *t = tape_targets; *t; t++) {
        if (!(*t)->print) continue;
        text out;
        text_init(&out, &f->m);
        (*t)->print(p, "product", &out);
        assert_non_null(strstr(text_str(&out), "product"));
        text_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_complete),
        cmocka_unit_test_setup_teardown(what_runs_here_runs_and_the_rest_is_interpreted, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_prints_prints_a_function_of_that_name, setup,
                                        teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
