/* `vincolo method`: the registry, and methods as the laboratory sees them: built in, or read from a
 * text file.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "lab/lab_figure.h"
#include "study/method_subject.h"
#include "told/json.h"

#include <math.h>
#include <string.h>

#define DESIGN "design:"

enum { MOST_METHODS = 32 };

typedef struct method_job {
    vinc_ctx *ctx;
    const char *names;
    vinc_format format;
    const char *path, *show; // of a figure
    int rc;
    result_fault fault;
} method_job;

static const char *family(const method_subject *s)
{
    if (!s->m && s->r.second_order) return "second order";
    if (!s->m && s->r.multistep) return s->r.one_leg ? "one-leg" : "multistep";
    if (!s->m) return s->r.explicit_ ? "explicit one-step" : "implicit one-step";
    if (s->m->traits & METHOD_MULTISTEP) return "multistep";
    bool second = s->m->multistep && s->m->kind == FORMULA_SECOND_ORDER;
    if (second || (s->m->traits & METHOD_SECOND_ORDER)) return "second order";
    return s->m->traits & METHOD_EXPLICIT ? "explicit one-step" : "implicit one-step";
}

/* ---- which methods --------------------------------------------------------------------------- */

// Methods that change their formula while running stay unknown.
static void analyse(method_subject *s)
{
    method_formula f;
    s->known = method_formula_of(s->m, s->opt, &f);
    if ((s->m->traits & METHOD_VARIABLE_ORDER) && !strstr(s->spec, "order=")) s->known = false;
    if (s->known) lab_formula(&f, &s->r);
    s->stages = s->m->tableau ? f.tableau.stages : f.multistep.steps;
}

static void take_formula(method_subject *s, const method_formula *f)
{
    lab_formula(f, &s->r);
    s->formula = f;
    s->name = s->spec = f->name;
    s->known = true;
    s->stages = s->r.multistep ? f->multistep.steps : f->tableau.stages;
}

static bool read_formula(vinc_ctx *ctx, method_subject *s)
{
    method_formula *f = arena_new(&ctx->front, method_formula);
    if (!api_read_formula(ctx, s->spec, f, &s->r)) return false;
    take_formula(s, f);
    return true;
}

static bool read_design(vinc_ctx *ctx, method_subject *s, const char *spec)
{
    char why[METHOD_WHY] = "";
    method_formula *f = arena_new(&ctx->front, method_formula);
    if (lab_design(spec, f, why)) {
        diag_error(&ctx->diags, "C145", (span){0}, "%s", why);
        return false;
    }
    take_formula(s, f);
    return true;
}

bool method_subject_find(vinc_ctx *ctx, const char *spec, method_subject *s)
{
    char why[METHOD_WHY] = "";
    s->spec = spec;
    s->m = method_find(spec, s->opt, why);
    if (s->m) {
        s->name = s->m->name;
        analyse(s);
        return true;
    }
    if (api_is_formula_file(spec)) return read_formula(ctx, s);
    diag_error(&ctx->diags, "C140", (span){0}, "%s", why);
    return false;
}

/* "radau5,ms2:rho=0.6,bdf2": a comma separates methods unless a parameter follows. A design takes
 * all that is left. */
static int split(vinc_ctx *ctx, const char *names, method_subject **out)
{
    int n = 0;
    *out = arena_array(&ctx->front, method_subject, MOST_METHODS);
    while (*names) {
        size_t k = strcspn(names, ",");
        if (strncmp(names, DESIGN, strlen(DESIGN)) == 0 && n < MOST_METHODS)
            return read_design(ctx, &(*out)[n], names + strlen(DESIGN)) ? n + 1 : -1;
        while (names[k] == ',') {
            size_t next = strcspn(names + k + 1, ",");
            const char *equals = memchr(names + k + 1, '=', next);
            if (!equals || memchr(names + k + 1, ':', next)) break;
            k += 1 + next;
        }
        if (k && n == MOST_METHODS) {
            diag_error(&ctx->diags, "C142", (span){0}, "more than %d methods at once",
                       MOST_METHODS);
            return -1;
        }
        if (k && !method_subject_find(ctx, arena_strndup(&ctx->front, names, k), &(*out)[n++]))
            return -1;
        names += k + (names[k] == ',');
    }
    return n;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void coefficients(json *j, const char *key, const poly *p)
{
    json_open(j, key, '[');
    for (int i = 0; i <= p->n; i++) json_real(j, NULL, p->c[i].x);
    json_close(j, ']');
}

static void json_row(json *j, const char *key, const double *x, int n)
{
    json_open(j, key, '[');
    for (int i = 0; i < n; i++) json_real(j, NULL, x[i]);
    json_close(j, ']');
}

static void formula_json(json *j, const method_formula *f)
{
    if (f->kind != FORMULA_RUNGE_KUTTA) {
        json_row(j, "alpha", f->multistep.alpha, f->multistep.steps + 1);
        json_row(j, "beta", f->multistep.beta, f->multistep.steps + 1);
        return;
    }
    int s = f->tableau.stages;
    json_open(j, "A", '[');
    for (int i = 0; i < s; i++) json_row(j, NULL, f->tableau.a[i], s);
    json_close(j, ']');
    json_row(j, "b", f->tableau.b, s);
    json_row(j, "c", f->tableau.c, s);
}

// Orders to expect; 0: no convergence. Null where the method is not for DAEs.
static void dae_json(json *j, const lab_report *r)
{
    if (r->explicit_ || r->rho_inf > 1 + 1e-6) {
        json_null(j, "dae_orders");
        return;
    }
    lab_dae_orders e = lab_dae(r);
    json_open(j, "dae_orders", '{');
    json_int(j, "index1", e.index1);
    json_open(j, "index2", '[');
    for (int i = 0; i < 2; i++) json_int(j, NULL, e.index2[i] > 0 ? e.index2[i] : 0);
    json_close(j, ']');
    json_open(j, "index3", '[');
    for (int i = 0; i < 3; i++) json_int(j, NULL, e.index3[i] > 0 ? e.index3[i] : 0);
    json_close(j, ']');
    json_close(j, '}');
}

static void method_json(json *j, const method_subject *s)
{
    const lab_report *r = &s->r;
    json_open(j, NULL, '{');
    json_text(j, "name", s->name);
    json_text(j, "family", family(s));
    if (s->m) json_text(j, "summary", s->m->summary);
    json_int(j, "order", s->known ? r->order : s->m->order_max);
    if (s->known) {
        json_int(j, "stages", s->stages);
        json_real(j, "error_constant", r->error_constant.x);
        if (r->multistep && s->stages == 1 && !r->second_order) {
            coefficients(j, "r_numerator", &r->numerator);
            coefficients(j, "r_denominator", &r->denominator);
        } else if (r->multistep) {
            json_null(j, "r_numerator");
            json_null(j, "r_denominator");
            coefficients(j, "rho", &r->rho);
            coefficients(j, "sigma", &r->sigma);
        } else {
            json_int(j, "stage_order", r->stage_order);
            coefficients(j, "r_numerator", &r->numerator);
            coefficients(j, "r_denominator", &r->denominator);
        }
        json_bool(j, "explicit", r->explicit_);
        json_bool(j, "zero_stable", r->zero_stable);
        json_bool(j, "a_stable", r->a_stable);
        json_real(j, "a_alpha_deg", r->alpha_deg);
        json_bool(j, "l_stable", r->l_stable);
        json_real(j, "rho_inf", r->rho_inf);
        json_real(j, "real_limit", r->real_limit);
        json_real(j, "imag_limit", r->imag_limit);
        json_bool(j, "stiffly_accurate", r->stiffly_accurate);
        json_bool(j, "algebraically_stable", r->algebraically_stable);
        json_bool(j, "symmetric", r->symmetric);
        json_bool(j, "symplectic", r->symplectic);
        dae_json(j, r);
    }
    if (s->formula) formula_json(j, s->formula);
    json_close(j, '}');
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

/* ---- calls ----------------------------------------------------------------------------------- */

static int list(method_job *j)
{
    text *o = &j->ctx->out;
    json js = {o, true};
    if (j->format == VINC_TEXT) return list_text(o), VINC_OK;
    json_open(&js, NULL, '[');
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        method_subject *s = arena_new(&j->ctx->front, method_subject);
        if (method_subject_find(j->ctx, (*m)->name, s)) method_json(&js, s);
    }
    json_close(&js, ']');
    text_char(o, '\n');
    return VINC_OK;
}

static int report(void *job)
{
    method_job *j = job;
    text *o = &j->ctx->out;
    method_subject *s = NULL;
    text_clear(o);
    if (!j->names) return list(j);
    int n = split(j->ctx, j->names, &s);
    if (n < 0) return VINC_E_OPTION;
    json js = {o, true};
    if (j->format == VINC_JSON && n != 1) json_open(&js, NULL, '[');
    for (int i = 0; i < n; i++) {
        if (j->format == VINC_JSON) method_json(&js, &s[i]);
        else text_add(o, i ? "\n" : ""), method_subject_text(o, &s[i]);
    }
    if (j->format == VINC_JSON && n != 1) json_close(&js, ']');
    if (j->format == VINC_JSON) text_char(o, '\n');
    return VINC_OK;
}

int vinc_method_report(vinc_ctx *ctx, const char *names, vinc_format format, const char **out)
{
    *out = "";
    if (!ctx) return VINC_E_MEMORY;
    int rc = api_guarded(ctx, report, &(method_job){.ctx = ctx, .names = names, .format = format});
    if (!rc) *out = text_str(&ctx->out);
    return rc;
}

static const struct {
    const char *name;
    unsigned bits;
} panel_names[] = {
    {"all", LAB_ALL},         {"region", LAB_REGION}, {"radius", LAB_RADIUS},
    {"damping", LAB_DAMPING}, {"period", LAB_PERIOD}, {"convergence", LAB_CONVERGENCE},
    {"star", LAB_STAR},
};

static bool read_panels(vinc_ctx *ctx, const char *show, unsigned *panels)
{
    *panels = show ? 0 : LAB_ALL;
    while (show && *show) {
        size_t n = strcspn(show, ","), k = 0, count = sizeof panel_names / sizeof *panel_names;
        while (k < count &&
               (strlen(panel_names[k].name) != n || strncmp(panel_names[k].name, show, n)))
            k++;
        if (k == count) {
            diag_error(
                &ctx->diags, "C143", (span){0},
                "there is no picture '%.*s'; there are all, region, radius, damping, period, "
                "convergence and star",
                (int)n, show);
            return false;
        }
        *panels |= panel_names[k].bits;
        show += n + (show[n] == ',');
    }
    return true;
}

static int draw(void *job)
{
    method_job *j = job;
    vinc_ctx *ctx = j->ctx;
    method_subject *s = NULL;
    unsigned panels = 0;
    text_clear(&ctx->out);
    int n = split(ctx, j->names, &s);
    if (n < 0 || !read_panels(ctx, j->show, &panels)) return VINC_E_OPTION;
    const lab_report **reports = arena_array(&ctx->front, const lab_report *, n);
    const char **names = arena_array(&ctx->front, const char *, n);
    for (int i = 0; i < n; i++) {
        reports[i] = &s[i].r;
        names[i] = s[i].spec;
        if (s[i].known) continue;
        diag_error(
            &ctx->diags, "C144", (span){0},
            "'%s' changes its formula while it runs; draw one of fixed order, such as bdf2 or "
            "bdf:order=2",
            s[i].spec);
        return VINC_E_OPTION;
    }
    plot_figure *f = NULL;
    j->rc = lab_figure(&ctx->m, reports, names, n, panels, &f);
    plot_chart chart = {.colour = ctx->colour, .out = &ctx->out};
    if (j->rc >= 0) j->rc = plot_write(f, j->path, &chart, &j->fault);
    plot_free(f);
    if (j->rc >= 0) return VINC_OK;
    if (j->fault.code[0]) diag_error(&ctx->diags, j->fault.code, (span){0}, "%s", j->fault.text);
    return j->rc == RESULT_E_MEMORY ? VINC_E_MEMORY : VINC_E_WRITE;
}

int vinc_method_plot(vinc_ctx *ctx, const char *names, const char *path, const char *show,
                     const char **chart)
{
    if (chart) *chart = "";
    if (!ctx) return VINC_E_MEMORY;
    method_job j = {.ctx = ctx, .names = names, .path = path, .show = show};
    int rc = api_guarded(ctx, draw, &j);
    if (!rc && chart) *chart = text_str(&ctx->out);
    return rc;
}
