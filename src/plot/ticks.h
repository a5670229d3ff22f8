/* Ticks of axes: few, round, with labels that differ.
 *
 * Steps are 1, 2 or 5 times a power of ten. A tick is an integer times a power of ten, so labels
 * are exact. Large and small numbers share a power of ten, and numbers that differ only in their
 * last digits an offset; both belong into the label of the axis: "x - 9.81 (10^-7 m)".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_TICKS_H
#define PLOT_TICKS_H

#include <stdbool.h>

enum { TICKS_MAX = 40, TICKS_MINOR_MAX = 120 };

typedef struct plot_ticks {
    int n;
    double at[TICKS_MAX];
    char label[TICKS_MAX][40]; // UTF-8; exponents as superscript digits
    int exponent;              // labels are in units of 10^exponent
    char offset[64];           // what labels are counted from; "": nothing
    int n_minor;               // of logarithmic axes: marks without labels
    double minor[TICKS_MINOR_MAX];
} plot_ticks;

/* Ticks for [lo, hi], lo < hi finite: 3 to 9 of them, and not more than `most` (3 ... 9) where that
 * leaves three; integers may be fewer. */
void plot_ticks_linear(plot_ticks *t, double lo, double hi, int most, bool integers);
/* The same for a logarithmic axis, 0 < lo < hi. */
void plot_ticks_log(plot_ticks *t, double lo, double hi, int most);

/* The n names of the values 1 ... n; NULL: the same without labels. */
void plot_ticks_names(plot_ticks *t, const char *const *names, int n);

/* Limits that are fit for an axis: data limits (any order, perhaps equal or not finite) widened by
 * a margin (fraction of the range), constants given some room, a zero that is near taken in. */
void plot_limits(double *lo, double *hi, double margin, bool log);

/* A Modelica unit typeset: "kg.m2/s" is "kg·m²/s". Writes at most n bytes with the NUL. */
void plot_unit(const char *unit, char *out, int n);

/* An integer as superscript characters; returns the bytes written (no NUL is needed to follow). */
int plot_superscript(int value, char *out);

#endif
