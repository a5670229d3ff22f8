/* Whole numbers from numbers: a conversion in C has no meaning beyond the range of its type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

/* x towards zero; the ends of the range beyond it, 0 for what is no number. */
static inline int64_t whole_number(double x)
{
    const double END = 9223372036854775808.0; // 2^63
    if (x != x) return 0;
    return x >= END ? INT64_MAX : x < -END ? INT64_MIN : (int64_t)x;
}

/* Runs keep Integers as doubles. Is this one changed by that? */
static inline bool whole_is_lost(int64_t i)
{
    return whole_number((double)i) != i;
}

/* A whole number from here on may be the rounded result of others. */
static const double WHOLE_END = 9007199254740992.0; // 2^53

#endif
