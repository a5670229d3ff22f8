/* Numbers for runs: each depends on the seed, the number of the run and the axis, and on nothing that
 * happened before, so that runs may be made in any order, in any number of parts and more than once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_DRAW_H
#define SWEEP_SWEEP_DRAW_H

#include <stdint.h>

/* Philox4x32-10: a bijection of 128 bits for every key of 64. */
void draw_philox(uint64_t key, const uint32_t counter[4], uint32_t out[4]);

/* How a design fills the unit cube. */
typedef enum draw_design { DRAW_RANDOM, DRAW_LATIN, DRAW_SOBOL } draw_design;

enum { DRAW_DIMENSIONS = 128 }; // of DRAW_SOBOL
static const double DRAW_SOBOL_POINTS = 4294967296.0;

/* Coordinate `axis` of point k of n, strictly between 0 and 1. */
double draw_unit(draw_design design, uint64_t seed, uint64_t k, uint64_t n, int axis);

/* The image of k under a permutation of 0 ... n - 1 that belongs to (seed, axis). */
uint64_t draw_permuted(uint64_t seed, int axis, uint64_t k, uint64_t n);

double draw_normal(double u); // the standard normal variable with probability u below it, 0 < u < 1

#endif
