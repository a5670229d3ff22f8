/* Every backend of the tape against the plain interpreter, bit for bit, on random tapes and maps.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "tape/program.h"
#include "tape_random.h"

enum { N_TAPES = 300, N_POINTS = 3 };

static const tape_backend backends[] = {TAPE_INTERPRET, TAPE_AUTO, TAPE_X64_SSE2, TAPE_X64_AVX,
                                        TAPE_A64};
enum { N_BACKENDS = sizeof backends / sizeof *backends };

static void agree(const tape *t, rng *r, mem *m, const char *what)
{
    double *scratch = calloc(tape_scratch(t) + 1, sizeof *scratch);
    random_args at[N_POINTS], expect[N_POINTS];
    for (int k = 0; k < N_POINTS; k++) {
        random_fill(&at[k], r, k == 0);
        expect[k] = at[k];
        tape_args args = random_bind(&expect[k], scratch);
        tape_run(t, &args);
    }
    free(scratch);
    for (int b = 0; b < N_BACKENDS; b++) {
        tape_code *code = NULL;
        assert_int_equal(tape_compile(t, &(tape_options){.backend = backends[b]}, m, &code), 0);
        scratch = malloc((tape_code_scratch(code) + 1) * sizeof *scratch);
        for (int k = 0; k < N_POINTS; k++) {
            random_args got = at[k];
            tape_args args = random_bind(&got, scratch);
            tape_eval(code, &args);
            int place = random_differs(&got, &expect[k], sizeof got);
            if (place >= 0)
                fail_msg("%s: backend %d gives %a, not %a, at %d", what, tape_code_backend(code),
                         ((double *)&got)[place], ((double *)&expect[k])[place], place);
        }
        free(scratch);
        tape_code_free(code);
    }
}

static void backends_agree_on_tapes(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    for (int seed = 1; seed <= N_TAPES; seed++) {
        rng r = {(uint64_t)seed};
        random_shape shape = {.n_ops = 50 + rng_below(&r, seed % 10 ? 500 : 2950),
                              .calls = seed % 2};
        char what[32];
        snprintf(what, sizeof what, "seed %d", seed);
        agree(random_tape(&r, shape, &a, &a), &r, &m, what);
        arena_done(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(backends_agree_on_tapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
