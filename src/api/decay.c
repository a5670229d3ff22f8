/* Does a method with fixed steps damp what a stabilisation is to damp?
 *
 * A violation z obeys the error equation of the stabilisation, and the method multiplies each of
 * its modes e^(s t) by R(h s) in a step: explicit Euler needs h < 2 zeta/omega for zeta < 1.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "lab/lab.h"

#include <math.h>
#include <string.h>

/* The largest amplification of a mode in a step of h. */
static double amplification(const lab_report *r, const point *modes, int n, double h)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        point principal, z = {h * modes[i].re, h * modes[i].im};
        point a = lab_amplification(r, z, &principal);
        most = fmax(most, hypot(a.re, a.im));
    }
    return most;
}

void api_warn_decay(vinc_sim *s)
{
    enum { BISECTIONS = 40 };
    const image_decay *d = &s->code->summary.decay;
    double opt[METHOD_OPTIONS_MAX], h = s->options.step;
    char why[METHOD_WHY];
    method_formula f;
    if (!d->order || d->order > POLY_MAX || !(h > 0) || !s->method) return;
    const vinc_method *m = method_find(s->method, opt, why);
    if (!m || (m->traits & METHOD_VARIABLE_ORDER) || !method_formula_of(m, opt, &f)) return;
    lab_report r;
    lab_formula(&f, &r);
    int n = d->order;
    poly p = {.n = n};
    for (int k = 0; k <= n; k++) p.c[n - k] = number_of(d->p[k]);
    point modes[POLY_MAX];
    poly_roots(&p, modes);
    double grown = amplification(&r, modes, n, h), lo = 0, hi = h;
    if (!(grown > 1 + 1e-9) || amplification(&r, modes, n, 1e-6 * h) > 1) return;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (lo + hi);
        *(amplification(&r, modes, n, middle) > 1 ? &hi : &lo) = middle;
    }
    diag_warning(s->sink, "R111", (span){0},
                 "with steps of %g '%s' multiplies violations of the constraints by %.3g in each "
                 "step, though the stabilisation is to damp them; it does for h < %.4g",
                 h, s->method, grown, lo);
}
