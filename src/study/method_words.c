/* Methods in words: kind, order, stability, barriers, what to expect on DAEs, the formula itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/method_subject.h"

#include <math.h>

static void print_poly(const poly *p, text *o)
{
    bool any = false;
    for (int i = 0; i <= p->n; i++) {
        if (p->c[i].x == 0) continue;
        number c = p->c[i];
        if (any) text_add(o, c.x < 0 ? " - " : " + ");
        if (!any && c.x < 0) text_char(o, '-');
        if (c.x < 0) c = number_sub(number_ratio(0, 1), c);
        bool unit = c.exact && c.p == c.q && i > 0;
        if (!unit) number_print(c, o);
        if (i > 0 && !unit) text_char(o, ' ');
        if (i == 1) text_char(o, 'z');
        if (i > 1) text_printf(o, "z^%d", i);
        any = true;
    }
    if (!any) text_char(o, '0');
}

static void limit(text *o, const char *what, double x)
{
    if (isinf(x)) text_printf(o, "  %-16s unconditional\n", what);
    else if (x == 0) text_printf(o, "  %-16s for no step\n", what);
    else text_printf(o, "  %-16s |h lambda| <= %.6g\n", what, x);
}

static void stability_text(text *o, const lab_report *r)
{
    text_printf(o, "  %-16s ", "stability");
    if (!r->zero_stable)
        text_add(o, "NOT zero-stable (a root of rho is outside the unit circle, or "
                    "double on it): useless, ");
    if (r->second_order && r->a_stable) text_add(o, "unconditional for oscillators");
    else if (r->l_stable) text_add(o, "unconditional, L-stable");
    else if (r->a_stable) text_add(o, "unconditional, A-stable");
    else if (r->alpha_deg > 0) text_printf(o, "A(%.4f deg)-stable", r->alpha_deg);
    else text_add(o, "conditional");
    if (isfinite(r->rho_inf)) text_printf(o, ", spectral radius %.6g at infinity", r->rho_inf);
    text_char(o, '\n');
    if (!r->a_stable && !r->second_order) limit(o, "on negative reals", r->real_limit);
    if (!r->a_stable) limit(o, "on imaginaries", r->imag_limit);
}

/* First barrier: a zero-stable formula of k steps has order at most k + 2 (k even), k + 1 (k odd),
 * k (explicit). Second: A-stable ones are implicit, of order at most 2. G. Dahlquist, Math. Scand.
 * 4 (1956) 33-53; BIT 3 (1963) 27-43. */
static void barriers_text(text *o, const lab_report *r, int k)
{
    if (!r->multistep || r->second_order) return;
    int most = r->explicit_ ? k : k % 2 ? k + 1 : k + 2;
    if (r->order > most)
        text_printf(o,
                    "  %-16s order %d is above %d, the most with zero-stability: it cannot "
                    "converge\n",
                    "first barrier", r->order, most);
    else if (r->order == most && r->zero_stable)
        text_printf(o,
                    "  %-16s reached: no zero-stable %s formula of %d step%s has a higher order\n",
                    "first barrier", r->explicit_ ? "explicit" : "implicit", k, k == 1 ? "" : "s");
    if (r->a_stable && r->order == 2)
        text_printf(o,
                    "  %-16s reached: no A-stable multistep formula has a higher order (least "
                    "error constant 1/12, of the trapezoid)\n",
                    "second barrier");
    else if (!r->a_stable && r->order > 2)
        text_printf(o, "  %-16s order above 2: A-stability is impossible for a multistep formula\n",
                    "second barrier");
}

/* What to expect on differential-algebraic equations. */
static void dae_text(text *o, const lab_report *r)
{
    lab_dae_orders e = lab_dae(r);
    text_printf(o, "  %-16s ", "on DAEs");
    if (r->explicit_) {
        text_add(o, "none directly; after reduction to an ODE\n");
        return;
    }
    if (r->rho_inf > 1 + 1e-6) {
        text_add(o, "not recommended: errors of algebraic unknowns grow from step to step\n");
        return;
    }
    text_printf(o, "at least: index 1 order %d; index 2 order %d, multipliers ", e.index1,
                e.index2[0]);
    if (e.index2[1] > 0) text_printf(o, "%d", e.index2[1]);
    else text_add(o, "do not converge");
    text_printf(o, "; index 3 positions %d, ", e.index3[0]);
    if (e.index3[1] > 0) text_printf(o, "velocities %d, ", e.index3[1]);
    else text_add(o, "velocities do not converge, ");
    if (e.index3[2] > 0) text_printf(o, "multipliers %d\n", e.index3[2]);
    else text_add(o, "multipliers do not converge\n");
}

// In the format of files of methods, so that it can be kept and used.
static void row_text(text *o, const char *key, const double *x, int n)
{
    text_printf(o, "%-6s", key);
    for (int i = 0; i < n; i++) {
        size_t before = o->n;
        text_char(o, ' ');
        number v = number_of(fabs(x[i]) < 1e-15 ? 0 : x[i]);
        if (v.exact) number_print(v, o);
        else text_real(o, v.x);
        text_pad(o, ' ', n > 1 && i < n - 1 ? 20 - (int)(o->n - before) : 0);
    }
    text_char(o, '\n');
}

static void formula_text(text *o, const method_formula *f)
{
    static const char *const kinds[] = {"runge-kutta", "multistep", "one-leg", "second-order"};
    text_printf(o, "\nmethod %s\nkind   %s\n", f->name, kinds[f->kind]);
    if (f->kind != FORMULA_RUNGE_KUTTA) {
        row_text(o, "alpha", f->multistep.alpha, f->multistep.steps + 1);
        row_text(o, "beta", f->multistep.beta, f->multistep.steps + 1);
        return;
    }
    int s = f->tableau.stages;
    text_add(o, "A\n");
    for (int i = 0; i < s; i++) row_text(o, "", f->tableau.a[i], s);
    row_text(o, "b", f->tableau.b, s);
    row_text(o, "c", f->tableau.c, s);
}

void method_subject_text(text *o, const method_subject *s)
{
    const lab_report *r = &s->r;
    text_printf(o, "%s%s%s\n", s->spec, s->m ? ": " : "", s->m ? s->m->summary : "");
    if (s->m && s->m->cite) text_printf(o, "  %-16s %s\n", "source", s->m->cite);
    if (!s->known) {
        text_printf(o, "  %-16s %d", "order", s->m->order_min);
        if (s->m->traits & METHOD_VARIABLE_ORDER)
            text_printf(o, " to %d; %s:order=%d analyses one of them", s->m->order_max, s->name,
                        s->m->order_max);
        text_char(o, '\n');
        return;
    }
    const char *kind = r->linearly_implicit ? "linearly implicit (Rosenbrock)"
                       : r->explicit_       ? "explicit"
                       : r->multistep       ? "implicit"
                       : r->single_diagonal ? "singly diagonally implicit (SDIRK)"
                       : r->diagonal        ? "diagonally implicit (DIRK)"
                                            : "fully implicit";
    const char *unit = r->multistep ? "step" : "stage";
    text_printf(o, "  %-16s %s, %s, %d %s%s\n", "kind", kind,
                r->second_order ? "multistep for x'' = f"
                : r->one_leg    ? "one-leg multistep"
                : r->multistep  ? "multistep"
                                : "one-step",
                s->stages, unit, s->stages == 1 ? "" : "s");
    text_printf(o, "  %-16s %d%s\n", "order", r->order, r->exact ? " (exact arithmetic)" : "");
    if (!r->multistep) text_printf(o, "  %-16s %d\n", "stage order", r->stage_order);
    text_printf(o, "  %-16s ", "error constant");
    number_print(r->error_constant, o);
    text_char(o, '\n');
    if (!r->multistep || (s->stages == 1 && !r->second_order)) {
        text_printf(o, "  %-16s (", "R(z)");
        print_poly(&r->numerator, o);
        text_add(o, ") / (");
        print_poly(&r->denominator, o);
        text_add(o, ")\n");
    }
    stability_text(o, r);
    barriers_text(o, r, s->stages);
    bool any = r->stiffly_accurate || r->algebraically_stable || r->symmetric || r->symplectic;
    if (any)
        text_printf(o, "  %-16s%s%s%s%s\n", "also", r->stiffly_accurate ? " stiffly accurate" : "",
                    !r->algebraically_stable ? ""
                    : r->one_leg             ? " G-stable"
                                             : " algebraically stable",
                    r->symmetric ? " symmetric" : "", r->symplectic ? " symplectic" : "");
    dae_text(o, r);
    if (s->formula) formula_text(o, s->formula);
}
