/* Machines without an emitter: everything is interpreted.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/jit.h"

tape_backend jit_choose(tape_backend wanted)
{
    (void)wanted;
    return TAPE_INTERPRET;
}

void jit_begin(jit *j)
{
    (void)j;
}

bool jit_step(jit *j, const tape_step *s, size_t *entry)
{
    (void)j, (void)s, (void)entry;
    return false;
}
