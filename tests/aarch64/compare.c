/* Machine code against the plain interpreter on random tapes and maps, without a test library, so
 * that it can be built for another machine and run under an emulator. Prints one line; exit status
 * 1 when anything differs.
 *
 *     compare [number of tapes, default 300 [share compiled to machine code, 0 or 1, default 1]]
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape_random.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 37, SIZE = WIDE };

typedef struct arrays {
    double p[SIZE], y[SIZE], yp[SIZE], w[2 * SIZE], out[SIZE], out2[SIZE], t;
} arrays;

static const tape_program *random_map(rng *r, int n, arena *a)
{
    static const int strides[] = {1, 1, 0, 2, 3, -1};
    random_shape shape = {
        .n_ops = 5 + rng_below(r, 60), .n_x = 5, .n_x_out = 2, .calls = rng_below(r, 2)};
    const tape *kernel = random_tape(r, shape, a, a);
    tape_access x[7];
    for (int k = 0; k < 5; k++) {
        int stride = strides[rng_below(r, 6)], *list = arena_array(a, int, n);
        for (int i = 0; i < n; i++) list[i] = rng_below(r, SIZE);
        x[k] =
            (tape_access){(tape_kind)(TAPE_P + rng_below(r, 4)), n + rng_below(r, 9), stride, NULL};
        if (rng_below(r, 3) == 0) x[k].list = list;
    }
    int *list = arena_array(a, int, n);
    for (int i = 0; i < n; i++)
        list[i] = (i * 5 + 3) % (3 * n); // distinct while 5 does not divide 3n
    x[5] = (tape_access){TAPE_OUT, 2, 3, NULL};
    x[6] = (tape_access){TAPE_OUT2, 0, 0, list};
    tape_program_builder *b = tape_program_new(a);
    tape_program_map(b, kernel, n, x);
    return tape_program_finish(b);
}

static tape_program one_kernel(const tape *t, tape_step *s)
{
    *s = (tape_step){.kind = TAPE_STEP_KERNEL, .kernel = t, .n = 1};
    return (tape_program){.n_steps = 1, .steps = s};
}

static int differs(const tape_program *p, rng *r, mem *m, int *compiled)
{
    static arrays at, expect, got;
    tape_code *code;
    for (size_t k = 0; k < sizeof at / sizeof(double); k++) ((double *)&at)[k] = rng_double(r);
    expect = got = at;
    if (tape_compile_program(p, NULL, m, &code)) return 1;
    *compiled += tape_code_target(code) != &target_interpreter;
    double *scratch =
        calloc(tape_program_scratch(p) + tape_code_scratch(code) + 1, sizeof *scratch);
    tape_program_run(p, &(tape_args){expect.t, expect.p, expect.y, expect.yp, expect.w, expect.out,
                                     expect.out2, scratch});
    tape_eval(code, &(tape_args){got.t, got.p, got.y, got.yp, got.w, got.out, got.out2, scratch});
    tape_code_free(code);
    free(scratch);
    return random_differs(&got, &expect, sizeof got) >= 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300, wrong = 0, compiled = 0;
    int share = argc > 2 ? atoi(argv[2]) : 1;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    for (int seed = 1; seed <= n; seed++) {
        rng r = {(uint64_t)seed};
        tape_step s;
        random_shape shape = {.n_ops = 50 + rng_below(&r, seed % 10 ? 500 : 5000),
                              .calls = seed % 2};
        tape_program p = one_kernel(random_tape(&r, shape, &a, &a), &s);
        int bad = differs(&p, &r, &m, &compiled);
        bad += differs(random_map(&r, seed % 3 ? N : 1, &a), &r, &m, &compiled);
        if (bad) printf("seed %d differs\n", seed);
        wrong += bad;
        arena_done(&a);
    }
    rng r = {3};
    tape_step s;
    tape_program wide = one_kernel(wide_tape(&r, &a, &a), &s);
    int ignored = 0;
    wrong += differs(&wide, &r, &m, &ignored);
    arena_done(&a);
    printf("%d tapes and %d maps, %d compiled, %d differ from the interpreter\n", n, n, compiled,
           wrong);
    return wrong != 0 || compiled != share * 2 * n;
}
