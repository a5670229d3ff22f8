/* The exact solution of F x' + G x = h(t) for right-hand sides made of polynomials, exponentials,
 * sines and cosines.
 *
 * Such an h is h = K w where w' = S w, w(0) known: a finite set of functions t^k e^(at) cos(bt)
 * that differentiation does not leave. With b = U2 K w the nilpotent part is
 *
 *     v = sum (-1)^k N^k b^(k) = [ sum (-1)^k N^k U2 K S^k ] w,
 *
 * a constant matrix times w; the differential part u' = -C u + U1 K w follows from one exponential
 * of [-C U1 K; 0 S].
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_EXACT_H
#define PENCIL_EXACT_H

#include "base/text.h"
#include "pencil/pencil.h"

enum { PENCIL_WHY = 300 };

/* One function t^degree / degree! e^(rate t) times 1, cos(freq t) or sin(freq t). */
typedef struct pencil_function {
    double rate, freq;
    int degree;
    bool sine;
} pencil_function;

typedef struct pencil_rhs {
    int n, m;           // components of h, functions in w
    pencil_function *w; // m of them
    double *k;          // n by m
    double *s;          // m by m
    double *w0;         // m
} pencil_rhs;

/* Read n expressions separated by ';': numbers, t, pi, + - * / ^ ( ), exp, sin, cos. -1 and a
 * sentence in why when the text is not of that kind. */
int pencil_read_rhs(arena *a, const char *source, int n, pencil_rhs *out, char *why);

typedef struct pencil_solution {
    const pencil *p;
    const pencil_rhs *h;
    double *vw;          // n_infinite by m: v = vw w
    double *uw;          // n_finite by m: U1 h = uw w
    double *u0;          // n_finite
    double *up;          // n_finite by m: u = e^(-C t) k + up w; NULL at resonance
    double *k;           // n_finite
    double *x0;          // n: the consistent start used
    double inconsistent; // |v(0) of the given x0 - v(0)|; 0 without x0
} pencil_solution;

/* e^A of n by n by scaling and squaring; NULL where A is too large for it. */
double *pencil_exponential(arena *pool, int n, const double *a);

/* u(0) and the distance from v0 of x0, which may be NULL: u(0) = 0; x0 made consistent. -1: V is
 * singular to working precision. */
int pencil_start(arena *a, const pencil *p, const double *x0, const double *v0,
                 pencil_solution *out);

/* x0 NULL: u(0) = 0. */
int pencil_solve(arena *a, const pencil *p, const pencil_rhs *h, const double *x0,
                 pencil_solution *out);
/* The two parts of x at t: V1 u (matrix exponential) and V2 v (nilpotent); n each. */
int pencil_solution_at(arena *a, const pencil_solution *s, double t, double *differential,
                       double *nilpotent);
/* A row of coefficients of w as a formula: 2*sin(t) - exp(-t). */
void pencil_print_function(const pencil_rhs *h, const double *row, int stride, text *out);

#endif
