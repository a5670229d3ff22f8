/* The larger and the smaller of two numbers, as fmax and fmin have them (what is no number counts for nothing),
 * without a call: around a call no number stays in a register.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_LARGER_H
#define BASE_LARGER_H

static inline double larger_of(double a, double b)
{
    return a > b || b != b ? a : b;
}

static inline double smaller_of(double a, double b)
{
    return a < b || b != b ? a : b;
}

#endif
