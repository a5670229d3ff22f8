/* Elementary functions with the same bits on every machine: sums, products and quotients of doubles without contraction, and
 * whole numbers. They take one number, or four side by side with the same bits (`elementary_lanes`). A number takes 0.7 to 2
 * times as long as with the C library alone, 0.1 to 0.5 in a group of four. At most this many units in the last place off
 * (tests/property/elementary.c):
 *
 *     sin, cos 0.9    exp 0.8    log 0.9    log10 0.9    pow 1.0    tanh 1.2
 *
 * Arguments that are rare go to the C library: sines of more than 2^19, or where they nearly cancel; exponentials that
 * overflow or underflow; logarithms and powers of zero, denormal and negative numbers; whole powers, and those above e^32 and
 * below e^-32; NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ELEMENTARY_H
#define BASE_ELEMENTARY_H

#include <stdint.h>

double elementary_sin(double x);
double elementary_cos(double x);
void elementary_sincos(double x, double *sine, double *cosine); // the bits of both
double elementary_exp(double x);
double elementary_log(double x);
double elementary_log10(double x);
double elementary_pow(double x, double y);
double elementary_tanh(double x);

/* All of them and what they need, as static functions in C with math.h: programs that are printed as C have the same bits, too.
 * What has no name is needed by all. A function mentions by name those before it that it needs. Ends with text NULL. */
typedef struct elementary_entry {
    const char *name, *text;
} elementary_entry;
extern const elementary_entry elementary_texts[];

/* Addresses of functions of four numbers in a register of 256 bits, as the System V calling conventions pass it; 0 where
 * there are none. They need AVX2: to be asked for where the processor has it (target/cpu.h), and not before. */
typedef struct elementary_addresses {
    uint64_t sin, cos, exp, log, log10, pow, tanh;
    uint64_t sincos; // sines in the first result register, cosines in the second
} elementary_addresses;

elementary_addresses elementary_lanes(void);

#endif
