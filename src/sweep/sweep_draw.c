/* Random, stratified and quasi-random points.
 *
 * Random: Philox4x32-10, a counter-based generator. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw,
 * Parallel random numbers: as easy as 1, 2, 3, SC'11.
 *
 * Latin hypercube: each axis is cut in n equal parts, each of which one point hits. M. D. McKay,
 * R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245. Which one is said by a permutation that
 * is computed, not stored: a Feistel network on the least even number of bits that holds n, walked
 * along its cycles until it is back below n. J. Black, P. Rogaway, Ciphers with arbitrary finite
 * domains, CT-RSA 2002.
 *
 * Sobol': direction numbers of S. Joe, F. Y. Kuo, Constructing Sobol' sequences with better
 * two-dimensional projections, SIAM J. Sci. Comput. 30 (2008) 2635-2654, their set D(6). Every axis is
 * shifted by a number of the seed, digit by digit (exclusive or), which keeps the net.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_draw.h"

#include <math.h>

/* What a number is drawn for: streams that share a seed. */
enum { STREAM_VALUE, STREAM_PERMUTATION, STREAM_SHIFT };

void draw_philox(uint64_t key, const uint32_t counter[4], uint32_t out[4])
{
    const uint64_t M0 = 0xD2511F53, M1 = 0xCD9E8D57;
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = M0 * c0, p1 = M1 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

static uint64_t draw_bits(uint64_t seed, uint64_t k, int axis, uint32_t stream)
{
    uint32_t counter[4] = {(uint32_t)k, (uint32_t)(k >> 32), (uint32_t)axis, stream}, out[4];
    draw_philox(seed, counter, out);
    return (uint64_t)out[1] << 32 | out[0];
}

/* In the middle of one of 2^52 parts: neither 0 nor 1. */
static double between(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* ---- Latin hypercube ------------------------------------------------------------------------- */

uint64_t draw_permuted(uint64_t seed, int axis, uint64_t k, uint64_t n)
{
    enum { ROUNDS = 6 };
    int half = 1;
    while (half < 31 && (uint64_t)1 << (2 * half) < n) half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = k >> half, right = k & mask;
        for (int i = 0; i < ROUNDS; i++) {
            uint32_t stream = STREAM_PERMUTATION | (uint32_t)(i + 1) << 8;
            uint64_t next = left ^ (draw_bits(seed, right, axis, stream) & mask);
            left = right;
            right = next;
        }
        k = left << half | right;
    } while (k >= n);
    return k;
}

/* ---- Sobol' ---------------------------------------------------------------------------------- */

/* Dimensions from the second on: degree of the primitive polynomial, its inner coefficients as bits,
 * and the first numbers m. The first is van der Corput's sequence. */
static const struct {
    uint8_t degree, inner;
    uint16_t m[10];
} direction[DRAW_DIMENSIONS - 1] = {
    // clang-format off
    {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}}, {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}}, {5, 11, {1, 1, 5, 1, 1}}, {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}}, {6, 1, {1, 3, 3, 9, 7, 49}}, {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}}, {6, 19, {1, 1, 1, 15, 7, 5}}, {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}}, {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}}, {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}}, {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}}, {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}}, {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}}, {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}}, {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}}, {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}}, {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}}, {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}}, {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}}, {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}}, {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}}, {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}}, {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}}, {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}}, {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}}, {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}}, {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}}, {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}}, {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}}, {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}}, {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
    {9, 67, {1, 1, 1, 11, 21, 53, 125, 249, 293}}, {9, 74, {1, 1, 7, 11, 11, 7, 57, 79, 323}},
    {9, 81, {1, 1, 5, 5, 17, 13, 81, 3, 131}}, {9, 82, {1, 1, 7, 13, 23, 7, 65, 251, 475}},
    {9, 87, {1, 3, 5, 1, 9, 43, 3, 149, 11}}, {9, 91, {1, 1, 3, 13, 31, 13, 13, 255, 487}},
    {9, 94, {1, 3, 3, 1, 5, 63, 89, 91, 127}}, {9, 103, {1, 1, 3, 3, 1, 19, 123, 127, 237}},
    {9, 104, {1, 1, 5, 7, 23, 31, 37, 243, 289}}, {9, 109, {1, 1, 5, 11, 17, 53, 117, 183, 491}},
    {9, 122, {1, 1, 1, 5, 1, 13, 13, 209, 345}}, {9, 124, {1, 1, 3, 15, 1, 57, 115, 7, 33}},
    {9, 137, {1, 3, 1, 11, 7, 43, 81, 207, 175}}, {9, 138, {1, 3, 1, 1, 15, 27, 63, 255, 49}},
    {9, 143, {1, 3, 5, 3, 27, 61, 105, 171, 305}}, {9, 145, {1, 1, 5, 3, 1, 3, 57, 249, 149}},
    {9, 152, {1, 1, 3, 5, 5, 57, 15, 13, 159}}, {9, 157, {1, 1, 1, 11, 7, 11, 105, 141, 225}},
    {9, 167, {1, 3, 3, 5, 27, 59, 121, 101, 271}}, {9, 173, {1, 3, 5, 9, 11, 49, 51, 59, 115}},
    {9, 176, {1, 1, 7, 1, 23, 45, 125, 71, 419}}, {9, 181, {1, 1, 3, 5, 23, 5, 105, 109, 75}},
    {9, 182, {1, 1, 7, 15, 7, 11, 67, 121, 453}}, {9, 185, {1, 3, 7, 3, 9, 13, 31, 27, 449}},
    {9, 191, {1, 3, 1, 15, 19, 39, 39, 89, 15}}, {9, 194, {1, 1, 1, 1, 1, 33, 73, 145, 379}},
    {9, 199, {1, 3, 1, 15, 15, 43, 29, 13, 483}}, {9, 218, {1, 1, 7, 3, 19, 27, 85, 131, 431}},
    {9, 220, {1, 3, 3, 3, 5, 35, 23, 195, 349}}, {9, 227, {1, 3, 3, 7, 9, 27, 39, 59, 297}},
    {9, 229, {1, 1, 3, 9, 11, 17, 13, 241, 157}}, {9, 230, {1, 3, 7, 15, 25, 57, 33, 189, 213}},
    {9, 234, {1, 1, 7, 1, 9, 55, 73, 83, 217}}, {9, 236, {1, 3, 3, 13, 19, 27, 23, 113, 249}},
    {9, 241, {1, 3, 5, 3, 23, 43, 3, 253, 479}}, {9, 244, {1, 1, 5, 5, 11, 5, 45, 117, 217}},
    {9, 253, {1, 3, 3, 7, 29, 37, 33, 123, 147}}, {10, 4, {1, 3, 1, 15, 5, 5, 37, 227, 223, 459}},
    {10, 13, {1, 1, 7, 5, 5, 39, 63, 255, 135, 487}},
    {10, 19, {1, 3, 1, 7, 9, 7, 87, 249, 217, 599}},
    {10, 22, {1, 1, 3, 13, 9, 47, 7, 225, 363, 247}},
    {10, 50, {1, 3, 7, 13, 19, 13, 9, 67, 9, 737}},
    {10, 55, {1, 3, 5, 5, 19, 59, 7, 41, 319, 677}},
    {10, 64, {1, 1, 5, 3, 31, 63, 15, 43, 207, 789}},
    {10, 69, {1, 1, 7, 9, 13, 39, 3, 47, 497, 169}},
    {10, 98, {1, 3, 1, 7, 21, 17, 97, 19, 415, 905}},
    {10, 107, {1, 3, 7, 1, 3, 31, 71, 111, 165, 127}},
    {10, 115, {1, 1, 5, 11, 1, 61, 83, 119, 203, 847}},
    {10, 121, {1, 3, 3, 13, 9, 61, 19, 97, 47, 35}},
    {10, 127, {1, 1, 7, 7, 15, 29, 63, 95, 417, 469}},
    {10, 134, {1, 3, 1, 9, 25, 9, 71, 57, 213, 385}},
    {10, 140, {1, 3, 5, 13, 31, 47, 101, 57, 39, 341}},
    {10, 145, {1, 1, 3, 3, 31, 57, 125, 173, 365, 551}},
    {10, 152, {1, 3, 7, 1, 13, 57, 67, 157, 451, 707}},
    {10, 158, {1, 1, 1, 7, 21, 13, 105, 89, 429, 965}},
    {10, 161, {1, 1, 5, 9, 17, 51, 45, 119, 157, 141}},
    {10, 171, {1, 3, 7, 7, 13, 45, 91, 9, 129, 741}},
    {10, 181, {1, 3, 7, 1, 23, 57, 67, 141, 151, 571}},
    {10, 194, {1, 1, 3, 11, 17, 47, 93, 107, 375, 157}},
    {10, 199, {1, 3, 3, 5, 11, 21, 43, 51, 169, 915}},
    {10, 203, {1, 1, 5, 3, 15, 55, 101, 67, 455, 625}},
    {10, 208, {1, 3, 5, 9, 1, 23, 29, 47, 345, 595}},
    {10, 227, {1, 3, 7, 7, 5, 49, 29, 155, 323, 589}},
    {10, 242, {1, 3, 3, 7, 5, 41, 127, 61, 261, 717}},
    // clang-format on
};

enum { SOBOL_BITS = 32 };

/* Digits of coordinate `axis` of point k, in natural order: the sum of the direction numbers of the
 * digits of k. They are made by the recurrence of the polynomial as far as k needs them. */
static uint32_t sobol_digits(uint32_t k, int axis)
{
    uint32_t v[SOBOL_BITS], x = 0;
    int s = axis ? direction[axis - 1].degree : 0;
    for (int j = 0; j < SOBOL_BITS && k >> j; j++) {
        if (!axis) {
            v[j] = 1u << (31 - j);
        } else if (j < s) {
            v[j] = (uint32_t)direction[axis - 1].m[j] << (31 - j);
        } else {
            v[j] = v[j - s] ^ v[j - s] >> s;
            for (int i = 1; i < s; i++)
                if (direction[axis - 1].inner >> (s - 1 - i) & 1) v[j] ^= v[j - i];
        }
        if (k >> j & 1) x ^= v[j];
    }
    return x;
}

/* ---- all of them ----------------------------------------------------------------------------- */

double draw_unit(draw_design design, uint64_t seed, uint64_t k, uint64_t n, int axis)
{
    switch (design) {
    case DRAW_LATIN: {
        double inside = between(draw_bits(seed, k, axis, STREAM_VALUE));
        return fmin(((double)draw_permuted(seed, axis, k, n) + inside) / (double)n, 1 - 0x1p-53);
    }
    case DRAW_SOBOL: {
        uint32_t shift = (uint32_t)draw_bits(seed, 0, axis, STREAM_SHIFT);
        return ((double)(sobol_digits((uint32_t)k, axis) ^ shift) + 0.5) * 0x1p-32;
    }
    case DRAW_RANDOM: break;
    }
    return between(draw_bits(seed, k, axis, STREAM_VALUE));
}

/* The tail by a rational approximation (Abramowitz and Stegun 26.2.23, error below 4.5e-4), then twice
 * Halley's method with erfc, which cubes the error. */
double draw_normal(double u)
{
    double tail = u < 0.5 ? u : 1 - u;
    if (!(tail > 0)) return u < 0.5 ? -INFINITY : INFINITY;
    double t = sqrt(-2 * log(tail));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 2; i++) {
        double e = 0.5 * erfc(x * M_SQRT1_2) - tail;
        double step = e * sqrt(2 * M_PI) * exp(0.5 * x * x); // Newton's
        x += step / (1 - 0.5 * x * step);
    }
    return u < 0.5 ? -x : x;
}
