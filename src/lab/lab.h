/* The method laboratory: what a method is, from its coefficients alone.
 *
 * Order from the order conditions (rooted trees to order 8; beyond, the simplifying conditions B,
 * C, D), stability function, A-, A(alpha)- and L-stability by the E-polynomial and the poles,
 * algebraic stability, symmetry. Multistep formulas by their polynomials rho and sigma. Exact
 * wherever the coefficients are rational (lab/rational.h). E. Hairer & G. Wanner, Solving Ordinary
 * Differential Equations II, ch. IV; I, ch. II and III.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "lab/poly.h"
#include "method/formula.h"
#include "method/method.h"

typedef struct lab_report {
    bool multistep, second_order; // second order: a formula for x'' = f; z is i times omega h
    bool one_leg;
    bool linearly_implicit; // Rosenbrock: one Jacobian, no iteration
    int order, stage_order; // stage order: one-step only
    bool exact;             // every decision was made in rational arithmetic
    number error_constant;  // one-step: leading coefficient of e^z - R(z); multistep: C_{p+1} /
                            // sigma(1)
    poly numerator, denominator; // R = numerator / denominator (one-step), denominator 1 at 0
    poly rho, sigma;             // multistep
    bool general;                // several steps and stages: the roots zeta of
    int steps, stages;           // sum factor_i(z) zeta^(steps - i) = 0
    poly factor[METHOD_STEPS_MAX + 1];
    bool explicit_, diagonal, single_diagonal; // ERK; DIRK (lower triangular); SDIRK
    bool zero_stable, a_stable, l_stable;
    double alpha_deg;  // largest sector A(alpha); 90 if A-stable, 0 if none
    double rho_inf;    // spectral radius at infinity; infinity if unbounded
    double real_limit; // explicit methods: stable on [-real_limit, 0]
    double imag_limit; // and on i[0, imag_limit]; infinity: unlimited
    bool stiffly_accurate, algebraically_stable, symmetric, symplectic;
} lab_report;

void lab_runge_kutta(const method_tableau *t, lab_report *out);
void lab_multistep(const method_multistep *m, lab_report *out);

void lab_general(const method_general *g, lab_report *out);
void lab_formula(const method_formula *f, lab_report *out); // any of them

/* Orders to expect at least on differential-algebraic equations given as they stand; 0: no
 * convergence. */
typedef struct lab_dae_orders {
    int index1;
    int index2[2]; // differential unknowns; multipliers
    int index3[3]; // positions; velocities; multipliers
} lab_dae_orders;

lab_dae_orders lab_dae(const lab_report *r);

/* The undamped oscillator x'' + omega^2 x = 0 with omega h = 2 pi h/T, in steps of h: the principal
 * root, followed from h = 0. */
typedef struct lab_oscillator {
    point root;     // principal
    double radius;  // modulus of the largest root
    double damping; // ratio: -ln|root| / sqrt(ln^2|root| + phase^2)
    double phase;   // angle per step, followed continuously
    double period;  // computed period / T - 1
} lab_oscillator;
/* At n ascending values of h/T > 0. */
void lab_oscillate(const lab_report *r, int n, const double *h_over_t, lab_oscillator *out);

/* All roots of the amplification polynomial of y' = lambda y at z = h lambda, the largest in
 * modulus first; their number, at most POLY_MAX. */
int lab_roots(const lab_report *r, point z, point *roots);

/* Amplification of the test equation y' = lambda y at z = h lambda: the largest root in modulus,
 * and the principal one (nearest to e^z). */
point lab_amplification(const lab_report *r, point z, point *principal);

/* A point of the left half plane where the largest root is outside the unit circle, and its modulus: why the
 * formula is not A-stable. 1: none was found. */
double lab_growth(const lab_report *r, point *z);

/* A method by synthesis, from interpolation and weighting. spec is one of
 *
 *     collocation:0,1/2,1           the polynomial through y_n that satisfies the equation at the nodes
 *     gauss:S  radau:S  lobatto:S   collocation at the S nodes of that quadrature
 *     galerkin:K                    continuous polynomials of degree K, residual orthogonal to K-1
 *     dg:K                          discontinuous ones, the jump at the start weighted too
 *     multistep:1,2;0               y_n from the polynomial through y at the steps back before ';'
 *                                   with the slopes f at the steps back after it (0: the new time);
 *                                   with a slope inside the step, as 1/2, a formula with stages
 *
 * -1 and a sentence in why (METHOD_WHY bytes) when it is none of these. */
int lab_design(const char *spec, method_formula *out, char *why);

/* Is the order condition of every rooted tree with up to `order` nodes fulfilled? Used by
 * lab_runge_kutta. */
int lab_tree_order(const method_tableau *t, int highest, bool *exact);

#endif
