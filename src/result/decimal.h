/* Decimal numbers, fast and exact, whatever the locale.
 *
 * Both directions multiply by a power of ten held to 128 bits and look at the remainder: only where
 * it lies too near a rounding boundary for the known error of the power, one case in 2^50 or so,
 * the C library is asked (with digits and an exponent only, so that its decimal point plays no
 * role). The idea is that of R. Clinger, "How to read floating point numbers accurately", PLDI
 * 1990, and G. Steele & J. White, "How to print floating-point numbers accurately", PLDI 1990.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_DECIMAL_H
#define RESULT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    DECIMAL_LOW = -345,    // 10^LOW ... 10^HIGH: from 19 digits of the least double to 17 of the
    DECIMAL_HIGH = 345,    // least one and, with 1 digit, above the greatest
    DECIMAL_MAX_CHARS = 25 // "-1.7976931348623157e+308" and a NUL
};

/* 10^k = (hi 2^64 + lo) 2^exp2 (1 + d) with 0 <= d < 2^-118, hi's top bit set. About 14 kB; a
 * writer or reader holds one. */
typedef struct result_powers {
    uint64_t hi[DECIMAL_HIGH - DECIMAL_LOW + 1], lo[DECIMAL_HIGH - DECIMAL_LOW + 1];
    int16_t exp2[DECIMAL_HIGH - DECIMAL_LOW + 1];
} result_powers;

void result_powers_init(result_powers *p); // some microseconds

/* Write x as printf's %.17g does in the C locale; returns the length. NaN is "nan". */
int result_print_number(const result_powers *p, double x, char out[DECIMAL_MAX_CHARS]);

/* Read the number at the start of s[0 ... n-1], correctly rounded: decimal digits with `.` (or the
 * given point), exponent, sign; inf, infinity and nan in any case. Returns the bytes used, 0 when
 * there is no number. */
size_t result_scan(const result_powers *p, const char *s, size_t n, char point, double *x);

#endif
