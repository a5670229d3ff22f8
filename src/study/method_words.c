/* Methods as data and in words: kind, order, stability, barriers, what to expect on DAEs, the
 * formula itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/rational.h"
#include "study/study.h"

#include <math.h>

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...) TOLD(vinc_method_facts, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_method_facts, __VA_ARGS__)
static const told_field dae_fields[] = {
    FIELD(INT, "index1", dae_index1),
    FIELD(FEW, "index2", dae_index2, .size = 2),
    FIELD(FEW, "index3", dae_index3, .size = 3),
    {0},
};

static const told_field at_fields[] = {
    TOLD(vinc_oscillation, REAL, "h_over_T", h_over_t),
    TOLD_LIST(vinc_oscillation, PAIRS, "roots", root_re, n_roots,
              .also = offsetof(vinc_oscillation, root_im)),
    TOLD(vinc_oscillation, PAIR, "principal", principal_re,
         .also = offsetof(vinc_oscillation, principal_im)),
    TOLD(vinc_oscillation, REAL, "radius", radius),
    TOLD(vinc_oscillation, REAL, "damping", damping),
    TOLD(vinc_oscillation, REAL, "period_error", period),
    TOLD(vinc_oscillation, REAL, "phase", phase),
    {0},
};

static const told_field known_fields[] = {
    FIELD(INT, "stages", stages),
    FIELD(REAL, "error_constant", error_constant),
    FIELD(INT, "stage_order", stage_order, .when = "one_step"),
    LIST(REALS, "r_numerator", numerator, n_numerator, .when = "rational", .flags = TOLD_OR_NULL),
    LIST(REALS, "r_denominator", denominator, n_denominator, .when = "rational",
         .flags = TOLD_OR_NULL),
    LIST(REALS, "rho", rho, n_rho, .when = "n_rho"),
    LIST(REALS, "sigma", sigma, n_sigma, .when = "n_rho"),
    LIST(MATRIX, "factors", factors, n_factors, .columns = offsetof(vinc_method_facts, n_powers),
         .when = "general"),
    FIELD(BOOL, "explicit", is_explicit),
    FIELD(BOOL, "zero_stable", zero_stable),
    FIELD(BOOL, "a_stable", a_stable),
    FIELD(REAL, "a_alpha_deg", a_alpha_deg),
    FIELD(REAL, "growth", growth),
    TOLD(vinc_method_facts, PAIR, "growth_at", growth_re,
         .also = offsetof(vinc_method_facts, growth_im), .when = "growth", .flags = TOLD_OR_NULL),
    FIELD(BOOL, "l_stable", l_stable),
    FIELD(REAL, "rho_inf", rho_inf),
    FIELD(REAL, "real_limit", real_limit),
    FIELD(REAL, "imag_limit", imag_limit),
    FIELD(BOOL, "stiffly_accurate", stiffly_accurate),
    FIELD(BOOL, "algebraically_stable", algebraically_stable),
    FIELD(BOOL, "symmetric", symmetric),
    FIELD(BOOL, "symplectic", symplectic),
    TOLD_IN("dae_orders", dae_fields, .when = "for_daes", .flags = TOLD_OR_NULL),
    LIST(ROWS, "oscillator", at, n_at, .size = sizeof(vinc_oscillation), .inside = at_fields,
         .when = "n_at"),
    FIELD(INT, "n_at", n_at, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "general", general, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_rho", n_rho, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "one_step", one_step, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "rational", rational, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "for_daes", for_daes, .flags = TOLD_HIDDEN),
    FIELD(WORD, "kind", kind, .flags = TOLD_HIDDEN),
    FIELD(WORD, "structure", structure, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "exact", exact, .flags = TOLD_HIDDEN),
    FIELD(WORD, "error_constant_exact", error_constant_exact, .flags = TOLD_HIDDEN),
    FIELD(WORD, "r_formula", r_formula, .flags = TOLD_HIDDEN),
    {0},
};

static const told_field method_fields[] = {
    FIELD(WORD, "name", name),
    FIELD(WORD, "family", family),
    FIELD(WORD, "summary", summary, .when = "summary"),
    FIELD(INT, "order", order),
    {.key = "analysis", .type = TOLD_INLINE, .inside = known_fields, .when = "known"},
    LIST(REALS, "alpha", alpha, n_alpha, .when = "n_alpha"),
    LIST(REALS, "beta", beta, n_alpha, .when = "n_alpha"),
    LIST(MATRIX, "U", u, n_stages, .columns = offsetof(vinc_method_facts, n_past),
         .when = "n_past"),
    LIST(REALS, "v", v, n_past, .when = "n_past"),
    LIST(MATRIX, "A", a, n_stages, .columns = offsetof(vinc_method_facts, n_stages),
         .when = "n_stages"),
    LIST(REALS, "b", b, n_stages, .when = "n_stages"),
    LIST(REALS, "c", c, n_stages, .when = "n_stages"),
    FIELD(INT, "n_alpha", n_alpha, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_stages", n_stages, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_past", n_past, .flags = TOLD_HIDDEN),
    FIELD(WORD, "spec", spec, .flags = TOLD_HIDDEN),
    FIELD(WORD, "cite", cite, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "known", known, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "varies", varies, .flags = TOLD_HIDDEN),
    FIELD(INT, "order_min", order_min, .flags = TOLD_HIDDEN),
    FIELD(INT, "order_max", order_max, .flags = TOLD_HIDDEN),
    FIELD(WORD, "formula", formula_name, .flags = TOLD_HIDDEN),
    FIELD(WORD, "formula_kind", formula_kind, .flags = TOLD_HIDDEN),
    {0},
};

static const told_field set_fields[] = {
    TOLD_LIST(vinc_method_set, ROWS, "methods", methods, n_methods,
              .size = sizeof(vinc_method_facts), .inside = method_fields),
    TOLD(vinc_method_set, BOOL, "listed", listed, .flags = TOLD_HIDDEN),
    TOLD(vinc_method_set, BOOL, "alone", alone, .flags = TOLD_HIDDEN),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void limit(text *o, const char *what, double x)
{
    if (isinf(x)) text_printf(o, "  %-16s unconditional\n", what);
    else if (x == 0) text_printf(o, "  %-16s for no step\n", what);
    else text_printf(o, "  %-16s |h lambda| <= %.6g\n", what, x);
}

static void say_stability(const void *told, vinc_format format, text *o)
{
    const vinc_method_facts *r = told;
    (void)format;
    text_printf(o, "  %-16s ", "stability");
    if (r->order < 1)
        text_add(
            o,
            "NOT consistent (order below 1: short steps do not lead to the solution): useless, ");
    if (!r->zero_stable)
        text_add(o, "NOT zero-stable (a root of rho is outside the unit circle, or "
                    "double on it): useless, ");
    if (r->second_order && r->a_stable) text_add(o, "unconditional for oscillators");
    else if (r->l_stable) text_add(o, "unconditional, L-stable");
    else if (r->a_stable) text_add(o, "unconditional, A-stable");
    else if (r->a_alpha_deg > 0) text_printf(o, "A(%.4f deg)-stable", r->a_alpha_deg);
    else text_add(o, "conditional");
    if (isfinite(r->rho_inf)) text_printf(o, ", spectral radius %.6g at infinity", r->rho_inf);
    text_char(o, '\n');
    if (isfinite(r->growth)) {
        text_printf(o, "  %-16s at h lambda = %.4g", "not A-stable", r->growth_re);
        if (r->growth_im > 0) text_printf(o, "%+.4gi", r->growth_im);
        text_printf(o, " the solution grows %.4g times in a step, the exact one does not\n",
                    r->growth);
    }
    if (!r->a_stable && !r->second_order) limit(o, "on negative reals", r->real_limit);
    if (!r->a_stable) limit(o, "on imaginaries", r->imag_limit);
}

/* First barrier: a zero-stable formula of k steps has order at most k + 2 (k even), k + 1 (k odd),
 * k (explicit). Second: A-stable ones are implicit, of order at most 2. G. Dahlquist, Math. Scand.
 * 4 (1956) 33-53; BIT 3 (1963) 27-43. */
static void say_barriers(const void *told, vinc_format format, text *o)
{
    const vinc_method_facts *r = told;
    int k = r->stages;
    (void)format;
    if (r->one_step || r->second_order || r->general) return; // stages go beyond them
    int most = r->is_explicit ? k : k % 2 ? k + 1 : k + 2;
    if (r->order > most)
        text_printf(o,
                    "  %-16s order %d is above %d, the most with zero-stability: it cannot "
                    "converge\n",
                    "first barrier", r->order, most);
    else if (r->order == most && r->zero_stable)
        text_printf(
            o, "  %-16s reached: no zero-stable %s formula of %d step%s has a higher order\n",
            "first barrier", r->is_explicit ? "explicit" : "implicit", k, k == 1 ? "" : "s");
    if (r->a_stable && r->order == 2)
        text_printf(o,
                    "  %-16s reached: no A-stable multistep formula has a higher order (least "
                    "error constant 1/12, of the trapezoid)\n",
                    "second barrier");
    else if (!r->a_stable && r->order > 2)
        text_printf(o, "  %-16s order above 2: A-stability is impossible for a multistep formula\n",
                    "second barrier");
}

static void say_also(const void *told, vinc_format format, text *o)
{
    const vinc_method_facts *r = told;
    (void)format;
    if (!r->stiffly_accurate && !r->algebraically_stable && !r->symmetric && !r->symplectic) return;
    text_printf(o, "  %-16s%s%s%s%s\n", "also", r->stiffly_accurate ? " stiffly accurate" : "",
                !r->algebraically_stable ? ""
                : r->one_leg             ? " G-stable"
                                         : " algebraically stable",
                r->symmetric ? " symmetric" : "", r->symplectic ? " symplectic" : "");
}

static void converge(text *o, const char *what, int order)
{
    if (order > 0) text_printf(o, "%s %d", what, order);
    else text_printf(o, "%s do not converge", what);
}

/* What to expect on differential-algebraic equations. */
static void say_daes(const void *told, vinc_format format, text *o)
{
    const vinc_method_facts *r = told;
    (void)format;
    if (r->general) return; // no theory at hand
    text_printf(o, "  %-16s ", "on DAEs");
    if (r->is_explicit) {
        text_add(o, "none directly; after reduction to an ODE\n");
        return;
    }
    if (!r->zero_stable || r->order < 1) {
        text_add(o, "none: it does not converge\n");
        return;
    }
    if (!r->for_daes) {
        text_add(o, "not recommended: errors of algebraic unknowns grow from step to step\n");
        return;
    }
    text_printf(o, "at least: index 1 order %d; index 2 order %d, ", r->dae_index1,
                r->dae_index2[0]);
    converge(o, "multipliers", r->dae_index2[1]);
    text_printf(o, "; index 3 positions %d, ", r->dae_index3[0]);
    converge(o, "velocities", r->dae_index3[1]);
    converge(o, ", multipliers", r->dae_index3[2]);
    text_char(o, '\n');
}

/* The undamped oscillator in numbers. */
static void say_oscillations(const void *told, vinc_format format, text *o)
{
    const vinc_method_facts *r = told;
    (void)format;
    text_printf(o, "  on the oscillator x'' + (2 pi/T)^2 x = 0, in steps of h\n");
    text_printf(o, "    %-8s %-14s %-14s %-14s %s\n", "h/T", "radius", "damping", "period error",
                "roots (* the one that follows the motion)");
    for (int i = 0; i < r->n_at; i++) {
        const vinc_oscillation *at = &r->at[i];
        text_printf(o, "    %-8.6g %-14.10g %-14.8g %-14.8g", at->h_over_t, at->radius, at->damping,
                    at->period);
        for (int k = 0; k < at->n_roots; k++) {
            bool principal =
                at->root_re[k] == at->principal_re && at->root_im[k] == at->principal_im;
            text_printf(o, " %.8g%+.8gi%s", at->root_re[k], at->root_im[k], principal ? "*" : "");
        }
        text_char(o, '\n');
    }
}

// In the format of files of methods, so that it can be kept and used.
static void row_text(text *o, const char *key, const double *x, int n, int stride)
{
    text_printf(o, "%-6s", key);
    for (int i = 0; i < n; i++) {
        size_t before = o->n;
        double value = x[i * stride];
        text_char(o, ' ');
        number v = number_of(fabs(value) < 1e-15 ? 0 : value);
        if (v.exact) number_print(v, o);
        else text_real(o, v.x);
        text_pad(o, ' ', n > 1 && i < n - 1 ? 20 - (int)(o->n - before) : 0);
    }
    text_char(o, '\n');
}

static void say_formula(const void *told, vinc_format format, text *o)
{
    const vinc_method_facts *r = told;
    int s = r->n_stages;
    (void)format;
    if (!s) {
        row_text(o, "alpha", r->alpha, r->n_alpha, 1);
        row_text(o, "beta", r->beta, r->n_alpha, 1);
        return;
    }
    if (r->n_past) {
        text_add(o, "U\n");
        for (int i = 0; i < s; i++) row_text(o, "", r->u + i, r->n_past, s);
    }
    text_add(o, "A\n");
    for (int i = 0; i < s; i++) row_text(o, "", r->a + i, s, s);
    if (r->n_past) row_text(o, "v", r->v, r->n_past, 1);
    row_text(o, "b", r->b, s, 1);
    row_text(o, "c", r->c, s, 1);
}

static const told_line known_lines[] = {
    {.words = "  kind             {kind}, {structure}, {stages} {one_step?stage|step}{stages?|s}"},
    {.words = ", {n_stages} stage{n_stages?|s}", .when = "general"},
    {.words = "\n"
              "  order            {order}{exact? (exact arithmetic)|}\n"},
    {.words = "  stage order      {stage_order}\n", .when = "one_step"},
    {.words = "  error constant   {error_constant_exact}\n"},
    {.words = "  R(z)             {r_formula}\n", .when = "rational"},
    {.say = say_stability},
    {.say = say_barriers},
    {.say = say_also},
    {.say = say_daes},
    {.say = say_oscillations, .when = "n_at"},
    {0},
};

static const told_line open_lines[] = {
    {.words = "  order            {order_min}"},
    {.words = " to {order_max}; {name}:order={order_max} analyses one of them", .when = "varies"},
    {.words = "\n"},
    {0},
};

static const told_line method_lines[] = {
    {.words = "{spec}"},
    {.words = ": {summary}", .when = "summary"},
    {.words = "\n"},
    {.words = "  source           {cite}\n", .when = "cite"},
    {.inside = known_lines, .when = "known"},
    {.inside = open_lines, .unless = "known"},
    {.words = "\nmethod {formula}\nkind   {formula_kind}\n", .when = "formula"},
    {.say = say_formula, .when = "formula"},
    {0},
};

static const told_line entry_lines[] = {
    {.words = "  {name:%-16s} order {order_max:%-5d} {summary}\n", .unless = "varies"},
    {.words = "  {name:%-16s} order {order_min}-{order_max:%-3d} {summary}\n", .when = "varies"},
    {0},
};

static const told_line set_lines[] = {
    {.of = "methods", .inside = entry_lines, .when = "listed"},
    {.of = "methods", .inside = method_lines, .unless = "listed", .between = "\n"},
    {0},
};

const told_kind study_method_set = {
    .name = "method_set",
    .command = "method",
    .summary = "integration methods from their coefficients: order, stability, what to expect",
    .size = sizeof(vinc_method_set),
    .fields = set_fields,
    .lines = set_lines,
    .document = "methods",
    .alone = "alone",
};
