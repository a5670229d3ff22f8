/* `vincolo method`: the registry, and one method as the laboratory sees it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "api/json.h"
#include "lab/lab.h"

#include <math.h>
#include <string.h>

typedef struct method_job {
    vinc_ctx *ctx;
    const char *name;
    vinc_format format;
} method_job;

static const char *family(const vinc_method *m)
{
    if (m->traits & METHOD_MULTISTEP) return "multistep";
    if (m->traits & METHOD_SECOND_ORDER) return "second order";
    return m->traits & METHOD_EXPLICIT ? "explicit one-step" : "implicit one-step";
}

// The formula as data, if the method is one formula; false for methods that change theirs while
// running.
static bool analyse(const vinc_method *m, const double *opt, lab_report *r, int *stages)
{
    if (m->tableau) {
        method_tableau t;
        m->tableau(opt, &t);
        lab_runge_kutta(&t, r);
        *stages = t.stages;
        return true;
    }
    if (m->multistep) {
        method_multistep f;
        m->multistep(opt, &f);
        lab_multistep(&f, r);
        *stages = f.steps;
        return true;
    }
    return false;
}

/* ---- JSON --------------------------------------------------------------------------------------
 */

static void coefficients(json *j, const char *key, const poly *p)
{
    json_open(j, key, '[');
    for (int i = 0; i <= p->n; i++) json_real(j, NULL, p->c[i].x);
    json_close(j, ']');
}

static void method_json(json *j, const vinc_method *m, const double *opt)
{
    lab_report r;
    int stages = 0;
    bool known = analyse(m, opt, &r, &stages);
    json_open(j, NULL, '{');
    json_text(j, "name", m->name);
    json_text(j, "family", family(m));
    json_text(j, "summary", m->summary);
    json_int(j, "order", known ? r.order : m->order_max);
    if (known) {
        json_int(j, "stages", stages);
        json_real(j, "error_constant", r.error_constant.x);
        if (r.multistep) {
            json_null(j, "r_numerator");
            json_null(j, "r_denominator");
        } else {
            coefficients(j, "r_numerator", &r.numerator);
            coefficients(j, "r_denominator", &r.denominator);
        }
        json_bool(j, "zero_stable", r.zero_stable);
        json_bool(j, "a_stable", r.a_stable);
        json_real(j, "a_alpha_deg", r.alpha_deg);
        json_bool(j, "l_stable", r.l_stable);
        json_real(j, "rho_inf", r.rho_inf);
        json_bool(j, "stiffly_accurate", r.stiffly_accurate);
        json_bool(j, "algebraically_stable", r.algebraically_stable);
        json_bool(j, "symmetric", r.symmetric);
    }
    json_close(j, '}');
}

/* ---- words -------------------------------------------------------------------------------------
 */

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
    else text_printf(o, "  %-16s |h lambda| <= %.6g\n", what, x);
}

static void method_text(text *o, const vinc_method *m, const double *opt)
{
    lab_report r;
    int stages = 0;
    text_printf(o, "%s: %s\n", m->name, m->summary);
    if (m->cite) text_printf(o, "  %-16s %s\n", "source", m->cite);
    if (!analyse(m, opt, &r, &stages)) {
        text_printf(o, "  %-16s %d to %d\n", "order", m->order_min, m->order_max);
        return;
    }
    text_printf(o, "  %-16s %s, %d %s\n", "kind",
                r.explicit_         ? "explicit"
                : r.multistep       ? "implicit"
                : r.single_diagonal ? "singly diagonally implicit"
                : r.diagonal        ? "diagonally implicit"
                                    : "fully implicit",
                stages, r.multistep ? "steps" : "stages");
    text_printf(o, "  %-16s %d%s\n", "order", r.order, r.exact ? " (exact arithmetic)" : "");
    if (!r.multistep) text_printf(o, "  %-16s %d\n", "stage order", r.stage_order);
    text_printf(o, "  %-16s ", "error constant");
    number_print(r.error_constant, o);
    text_char(o, '\n');
    if (!r.multistep) {
        text_printf(o, "  %-16s (", "R(z)");
        print_poly(&r.numerator, o);
        text_add(o, ") / (");
        print_poly(&r.denominator, o);
        text_add(o, ")\n");
    }
    text_printf(o, "  %-16s %s%s%s", "stability", r.zero_stable ? "" : "NOT zero-stable, ",
                r.l_stable   ? "L-stable"
                : r.a_stable ? "A-stable"
                             : "",
                "");
    if (!r.a_stable && r.alpha_deg > 0) text_printf(o, "A(%.4f deg)-stable", r.alpha_deg);
    if (!r.a_stable && r.alpha_deg == 0) text_add(o, "conditional");
    if (isfinite(r.rho_inf)) text_printf(o, ", spectral radius %.6g at infinity", r.rho_inf);
    text_char(o, '\n');
    if (!r.a_stable) {
        limit(o, "on negative reals", r.real_limit);
        limit(o, "on imaginaries", r.imag_limit);
    }
    text_printf(o, "  %-16s %s%s%s%s\n", "also", r.stiffly_accurate ? "stiffly accurate " : "",
                r.algebraically_stable ? "algebraically stable " : "",
                r.symmetric ? "symmetric " : "", r.symplectic ? "symplectic " : "");
}

static void list_text(text *o)
{
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->order_min == (*m)->order_max)
            text_printf(o, "  %-16s order %-5d %s\n", (*m)->name, (*m)->order_max, (*m)->summary);
        else
            text_printf(o, "  %-16s order %d-%-3d %s\n", (*m)->name, (*m)->order_min,
                        (*m)->order_max, (*m)->summary);
    }
}

static int report(void *job)
{
    method_job *j = job;
    text *o = &j->ctx->out;
    char why[METHOD_WHY] = "";
    text_clear(o);
    json js = {o, true};
    double opt[METHOD_OPTIONS_MAX];
    if (!j->name) {
        if (j->format == VINC_TEXT) return list_text(o), VINC_OK;
        json_open(&js, NULL, '[');
        for (const vinc_method *const *m = vinc_methods; *m; m++)
            method_json(&js, method_find((*m)->name, opt, NULL), opt);
        json_close(&js, ']');
        text_char(o, '\n');
        return VINC_OK;
    }
    const vinc_method *m = method_find(j->name, opt, why);
    if (!m) diag_error(&j->ctx->diags, "C140", (span){0}, "%s", why);
    if (!m) return VINC_E_OPTION;
    if (j->format == VINC_TEXT) {
        method_text(o, m, opt);
    } else {
        method_json(&js, m, opt);
        text_char(o, '\n');
    }
    return VINC_OK;
}

int vinc_method_report(vinc_ctx *ctx, const char *name, vinc_format format, const char **out)
{
    *out = "";
    if (!ctx) return VINC_E_MEMORY;
    int rc = api_guarded(ctx, report, &(method_job){ctx, name, format});
    if (!rc) *out = text_str(&ctx->out);
    return rc;
}
