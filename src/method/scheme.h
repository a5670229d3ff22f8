/* What an iteration needs to know about an implicit Runge-Kutta tableau.
 *
 * The unknowns are z_i = Y_i - y_0 of the implicit stages. With A regular the stage derivatives are
 * (1/h) A^-1 z, so F(t, y, y') enters as it stands. With A^-1 = T Lambda T^-1 the system of all
 * stages falls into real ones with dF/dy + (gamma/h) dF/dy' and complex ones with
 * dF/dy + ((alpha + i beta)/h) dF/dy' (E. Hairer & G. Wanner II, section IV.8). A first stage that
 * is the start of the step (Lobatto IIIA) is no unknown: it adds a multiple of y'_0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_SCHEME_H
#define METHOD_SCHEME_H

#include "method/method.h"

enum { SCHEME_STAGES = 7 };

typedef struct scheme {
    int s;                                                    // implicit stages
    int order;                                                // of the method
    bool collocation;                                         // the z_i and 0 lie on a polynomial
    bool ends;                                                // the last stage is the new point
    bool starts;                                              // there is an explicit first stage
    double c[SCHEME_STAGES];                                  // nodes
    double ai[SCHEME_STAGES][SCHEME_STAGES];                  // h Y'_i = sum_j ai_ij z_j
    double ai_start[SCHEME_STAGES];                           //          + ai_start_i h y'_0
    double t[SCHEME_STAGES][SCHEME_STAGES];                   // T: real columns first, then pairs
    double ti[SCHEME_STAGES][SCHEME_STAGES];                  // its inverse
    double ait[SCHEME_STAGES][SCHEME_STAGES];                 // A^-1 T
    int n_real, n_pairs;                                      // eigenvalues of A^-1
    double gamma[SCHEME_STAGES];                              // real ones
    double alpha[SCHEME_STAGES / 2], beta[SCHEME_STAGES / 2]; // pairs alpha +- i beta
    double end[SCHEME_STAGES], end_start;     // y_1 = y_0 + sum_j end_j z_j + end_start h y'_0
    double slope[SCHEME_STAGES], slope_start; // h y'_1 likewise, where it is no stage
    double begin[SCHEME_STAGES];              // slope of the polynomial at its start, times h
    double begin_t[SCHEME_STAGES];            // ... of coordinates in T
    double weight[SCHEME_STAGES + 1];         // barycentric weights of the nodes, 0 first
    double gap[SCHEME_STAGES][SCHEME_STAGES]; // [k][i]: 1 / (c_i - c_{i-k-1}), c_{-1} = 0
    double product[SCHEME_STAGES + 1];        // coefficients of M(x), the product of x - c_j
    double integral[SCHEME_STAGES + 1];       // ... of its integral from 0, over x
} scheme;

/* Those of Radau IIA with 3, 5 and 7 stages, kept from one run to the next; order 0: not built yet. */
enum { SCHEMES_OF_RADAU = 3 };
typedef struct scheme_kept {
    scheme of[SCHEMES_OF_RADAU];
} scheme_kept;

/* Where eigenvalues are listed the formula is a collocation that ends at a node: of the tableau nothing is read then but
 * its stages, order, nodes and eigenvalues. -1 and a sentence in why where A is neither regular nor regular after an explicit first stage, or
 * has a multiple eigenvalue. */
int scheme_build(const method_tableau *t, scheme *out, char *why);

/* The values (and, unless NULL, the slopes) at x of the polynomials that are 1 at node j and 0 at
 * the others and at 0; collocation only. */
void scheme_basis(const scheme *s, double x, double *value, double *slope);

/* The integral of M from 0 to x, and M(x); collocation only. */
void scheme_bend(const scheme *s, double x, double *value, double *slope);

/* The collocation method with these nodes, ascending in [0, 1]. */
void scheme_collocation(int s, const long double *c, int order, method_tableau *out);

#endif
