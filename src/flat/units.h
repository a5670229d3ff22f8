/* Units of measurement: "kg.m/s2" to exponents of the SI base units, and back.
 *
 * Modelica Language Specification 3.6, chapter 19; BIPM, The International System of Units, 9th
 * edition (2019). rad and sr are 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_UNITS_H
#define FLAT_UNITS_H

#include "flat/flat.h"

enum { UNIT_BASES = 7, UNIT_PARTS = 12 }; // exponents count twelfths: roots stay exact

typedef struct unit {
    int16_t power[UNIT_BASES]; // of m, kg, s, A, K, mol, cd
    double factor;             // 1 for SI units: 1e-3 for mm
} unit;

/* false when the text is no unit expression or names a unit that is not known (or, like degC, is
 * not a multiple of an SI unit). */
bool unit_parse(const char *words, unit *out);
bool unit_multiply(const unit *a, const unit *b, int sign, unit *out); // a*b, a/b for sign -1
bool unit_power(const unit *a, double exponent, unit *out); // false if it is not a twelfth
bool unit_equal(const unit *a, const unit *b);
const char *unit_name(const unit *u, arena *a); // the shortest way to write it

const char *unit_symbol(int i); // of the units that are known, prefixes aside; NULL: no more

/* Values of a unit as a display unit shows them: value * scale + offset; scale 0: the two are one. */
typedef enum unit_fit { UNIT_FITS, UNIT_UNKNOWN, UNIT_DIFFERS } unit_fit;
unit_fit unit_display(const char *of, const char *display, double *scale, double *offset);

/* Warn about equations, bindings and sums whose parts declare different units. */
void unit_check(const flat_model *m, diag_sink *diags, arena *scratch);

#endif
