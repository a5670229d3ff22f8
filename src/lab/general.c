/* Formulas of several steps and several stages, as multistep collocation gives them (A. Guillou &
 * J. L. Soule, RIRO R-3 (1969) 17-44; E. Hairer & G. Wanner II, section V.3).
 *
 * On y' = lambda y, z = h lambda, the stages are Y = (I - z A)^-1 U y and the roots zeta solve
 * D(z) zeta^k = sum N_i(z) zeta^(k-1-i), D = det(I - z A), N_i = v_i D + z b^T adj(I - z A) u_i.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/amplify.h"

#include <math.h>

enum { LOCUS_POINTS = 2000 };

// adj(I - z A) = sum B_j z^j, B_0 = I, and D = sum d_j z^j: the recursion of Faddeev and LeVerrier.
static void general_factors(const method_general *g, lab_report *r)
{
    int s = g->stages;
    number zero = number_ratio(0, 1);
    number b[METHOD_STAGES_MAX][METHOD_STAGES_MAX];
    for (int i = 0; i <= g->steps; i++) r->factor[i] = poly_zero(), r->factor[i].n = s;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) b[i][j] = number_ratio(i == j, 1);
    poly *d = &r->factor[0];
    d->c[0] = number_ratio(1, 1);
    for (int power = 1; power <= s; power++) {
        for (int i = 0; i < g->steps; i++) { // b^T B_{power-1} u_i
            number sum = zero;
            for (int k = 0; k < s; k++)
                for (int m = 0; m < s; m++)
                    sum = number_add(sum, number_mul(number_mul(number_of(g->b[k]), b[k][m]),
                                                     number_of(g->u[m][i])));
            r->factor[i + 1].c[power] = number_sub(zero, sum);
        }
        number next[METHOD_STAGES_MAX][METHOD_STAGES_MAX], trace = zero;
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                next[i][j] = zero;
                for (int m = 0; m < s; m++)
                    next[i][j] = number_add(next[i][j], number_mul(number_of(g->a[i][m]), b[m][j]));
                if (i == j) trace = number_add(trace, next[i][i]);
            }
        d->c[power] = number_div(trace, number_ratio(-power, 1));
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++)
                b[i][j] = i == j ? number_add(next[i][j], d->c[power]) : next[i][j];
    }
    for (int i = 0; i < g->steps; i++)
        for (int power = 0; power <= s; power++) {
            number term = number_mul(number_of(g->v[i]), d->c[power]);
            r->factor[i + 1].c[power] = number_sub(r->factor[i + 1].c[power], term);
        }
}

// The coefficient of z^q in sum factor_i(z) e^(-i z): what the formula leaves of a solution.
static number general_defect(const lab_report *r, int q)
{
    number sum = number_ratio(0, 1);
    for (int i = 0; i <= r->steps; i++) {
        number term = number_ratio(1, 1); // (-i)^m / m!
        for (int m = 0; m <= q; m++) {
            if (q - m <= r->factor[i].n)
                sum = number_add(sum, number_mul(r->factor[i].c[q - m], term));
            term = number_div(number_mul(term, number_ratio(-i, 1)), number_ratio(m + 1, 1));
        }
    }
    return sum;
}

// The polynomial of zeta that multiplies z^power.
static poly general_power(const lab_report *r, int power)
{
    poly p = poly_zero();
    p.n = r->steps;
    for (int i = 0; i <= r->steps; i++) p.c[r->steps - i] = r->factor[i].c[power];
    poly_trim(&p);
    return p;
}

/* The least angle from the negative real axis to the points z where a root lies on the unit circle
 * at this angle; pi/2 where none is in the left half plane. */
static double locus_angle(const lab_report *r, double theta)
{
    double complex c[POLY_MAX + 1] = {0}, z[POLY_MAX];
    int s = r->factor[0].n;
    for (int power = 0; power <= s; power++) {
        poly p = general_power(r, power);
        c[power] = poly_complex(&p, cexp(I * theta));
    }
    while (s > 0 && cabs(c[s]) < 1e-13) s--;
    complex_roots(s, c, z);
    double least = M_PI / 2;
    for (int k = 0; k < s; k++)
        if (creal(z[k]) < -1e-9 && isfinite(creal(z[k])))
            least = fmin(least, atan2(fabs(cimag(z[k])), -creal(z[k])));
    return least;
}

static double general_sector(const lab_report *r)
{
    double least = M_PI / 2, at = M_PI, step = M_PI / LOCUS_POINTS;
    for (int k = 1; k <= LOCUS_POINTS; k++) {
        double angle = locus_angle(r, k * step);
        if (angle < least) least = angle, at = k * step;
    }
    for (double width = step; least < M_PI / 2 && width > 1e-9; width *= 0.5)
        for (int side = -1; side <= 1; side += 2) {
            double angle = locus_angle(r, at + side * width);
            if (angle < least) least = angle, at += side * width;
        }
    return least * 180 / M_PI;
}

void lab_general(const method_general *g, lab_report *r)
{
    *r = (lab_report){
        .multistep = true, .general = true, .steps = g->steps, .stages = g->stages, .exact = true};
    general_factors(g, r);
    for (int i = 0; i <= r->steps; i++)
        for (int k = 0; k <= r->factor[i].n; k++) r->exact = r->exact && r->factor[i].c[k].exact;
    r->rho = general_power(r, 0);
    r->explicit_ = true;
    for (int k = 1; k <= r->factor[0].n; k++)
        if (!number_is_zero(r->factor[0].c[k], 1)) r->explicit_ = false;

    // Of collocation this is the order on nonlinear equations too: that of the quadrature.
    int q = 0, most = g->stages + POLY_MAX / 2;
    number c = general_defect(r, 0);
    while (q < most && number_is_zero(c, 10)) c = general_defect(r, ++q);
    r->order = q - 1;
    poly slope = poly_derivative(&r->rho);
    r->error_constant = number_div(c, number_of(poly_at(&slope, 1)));

    poly last = general_power(r, r->factor[0].n);
    bool bounded = !number_is_zero(r->factor[0].c[r->factor[0].n], 1);
    r->zero_stable = amplify_root_condition(&r->rho);
    r->rho_inf = bounded ? amplify_largest(&last) : INFINITY;
    if (r->rho_inf < 1e-7) r->rho_inf = 0;
    bool sector = r->zero_stable && r->rho_inf <= 1 + 1e-6;
    r->alpha_deg = sector ? general_sector(r) : 0;
    r->a_stable = sector && r->alpha_deg >= 90;
    r->l_stable = r->a_stable && r->rho_inf == 0;
    r->stiffly_accurate = false;
    for (int j = 0; j < g->stages; j++)
        if (g->c[j] == 1) r->stiffly_accurate = true; // the new value is that stage
    r->real_limit = r->alpha_deg > 0 ? INFINITY : amplify_limit(r, -1);
    r->imag_limit = r->a_stable ? INFINITY : amplify_limit(r, I);
}
