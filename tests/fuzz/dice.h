/* Random numbers from a seed: splitmix64 (Steele, Lea & Flood, OOPSLA 2014), the same everywhere.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_DICE_H
#define FUZZ_DICE_H

#include <stddef.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_next(dice *d)
{
    uint64_t z = d->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* The k-th of many independent sequences of one seed. */
static inline dice dice_of(uint64_t seed, uint64_t k)
{
    dice d = {seed};
    d.state = dice_next(&d) + k;
    d.state = dice_next(&d);
    return d;
}

static inline int dice_below(dice *d, int n) // 0 for n <= 0
{
    return n > 0 ? (int)(dice_next(d) % (uint64_t)n) : 0;
}

static inline double dice_real(dice *d, double low, double high)
{
    return low + (high - low) * (double)(dice_next(d) >> 11) * 0x1p-53;
}

#endif
