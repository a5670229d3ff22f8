/* Whole numbers from numbers: a conversion in C has no meaning beyond the range of its type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <stdint.h>

/* x towards zero; the ends of the range beyond it, 0 for what is no number. */
static inline int64_t whole_number(double x)
{
    const double END = 9223372036854775808.0; // 2^63
    if (x != x) return 0;
    return x >= END ? INT64_MAX : x < -END ? INT64_MIN : (int64_t)x;
}

#endif
