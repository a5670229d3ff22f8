/* Where instance i of a map finds an operand; sums.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_ACCESS_H
#define TAPE_ACCESS_H

#include "tape/program.h"

static inline int tape_element(const tape_access *a, int i)
{
    return a->list ? a->list[i] : a->base + i * a->stride;
}

void tape_run_sum(const tape_step *s, const tape_args *args); // a step of kind sum

#endif
