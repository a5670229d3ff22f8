/* Arenas and a builder for the tests of src/tape.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TAPE_FIXTURE_H
#define TESTS_TAPE_FIXTURE_H

#include "cmocka_all.h"

#include "tape/tape.h"

#include <math.h>

typedef struct fixture {
    mem m;
    arena scratch, result;
    tape_builder *b;
    text text;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->scratch, &f->m);
    arena_init(&f->result, &f->m);
    f->b = tape_builder_new(&f->scratch);
    text_init(&f->text, &f->m);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->scratch);
    arena_done(&f->result);
    text_done(&f->text);
    free(f);
    return 0;
}

/* Start another tape; refs of the one before are dead. */
static inline tape_builder *fresh(fixture *f)
{
    return f->b = tape_builder_new(&f->scratch);
}

static inline const tape *finish(fixture *f)
{
    return tape_finish(f->b, &f->result);
}

static inline void run_tape(const tape *t, tape_args args)
{
    args.scratch = calloc(tape_scratch(t) + 1, sizeof(double));
    tape_run(t, &args);
    free(args.scratch);
}

/* Equal bits, any NaN equal to any other (opcodes.h). */
static inline bool same(double x, double y)
{
    return (isnan(x) && isnan(y)) || !memcmp(&x, &y, sizeof x);
}

#endif
