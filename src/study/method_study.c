/* `vincolo method`: the registry, and methods as the laboratory sees them: built in, or read from a
 * text file.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab_figure.h"
#include "study/method_subject.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

#define DESIGN "design:"

enum { MOST_METHODS = 32, MOST_STEPS = 64 };

typedef struct method_job {
    vinc_ctx *ctx;
    const char *names;
    const vinc_method_options *options;
    vinc_method_set **out;
    const char *path, *show; // of a figure
    const char *chart;
} method_job;

static const char *method_family(const method_subject *s)
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
static void analyse_method(method_subject *s)
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
    s->stages = s->r.general     ? f->general.steps
                : s->r.multistep ? f->multistep.steps
                                 : f->tableau.stages;
}

static bool read_formula(vinc_ctx *ctx, method_subject *s)
{
    method_formula *f = arena_new(&ctx->scratch, method_formula);
    if (!api_read_formula(ctx, s->spec, f, &s->r)) return false;
    take_formula(s, f);
    return true;
}

static bool read_design(vinc_ctx *ctx, method_subject *s, const char *spec)
{
    char why[METHOD_WHY] = "";
    method_formula *f = arena_new(&ctx->scratch, method_formula);
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
        analyse_method(s);
        return true;
    }
    if (api_is_formula_file(spec)) return read_formula(ctx, s);
    diag_error(&ctx->diags, "C140", (span){0}, "%s", why);
    return false;
}

/* "radau5,ms2:rho=0.6,bdf2": a comma separates methods unless a parameter follows. A design takes
 * all that is left. */
static int split_methods(vinc_ctx *ctx, const char *names, method_subject **out)
{
    int n = 0;
    *out = arena_array(&ctx->scratch, method_subject, MOST_METHODS);
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
        if (k && !method_subject_find(ctx, arena_strndup(&ctx->scratch, names, k), &(*out)[n++]))
            return -1;
        names += k + (names[k] == ',');
    }
    if (!n) diag_error(&ctx->diags, "C140", (span){0}, "no method is named");
    return n ? n : -1;
}

/* ---- what is told ---------------------------------------------------------------------------- */

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

static const double *poly_coefficients(arena *a, const poly *p, int *n)
{
    *n = p->n + 1;
    double *x = arena_array(a, double, *n);
    for (int i = 0; i <= p->n; i++) x[i] = p->c[i].x;
    return x;
}

static void take_stability_function(vinc_ctx *ctx, const lab_report *r, vinc_method_facts *m)
{
    arena *a = &ctx->scratch;
    text *room = &ctx->out;
    m->rational = !r->multistep || (m->stages == 1 && !r->second_order && !r->general);
    if (r->general) {
        double *factors = arena_array(a, double, (r->steps + 1) * (r->stages + 1));
        for (int i = 0; i <= r->steps; i++)
            for (int k = 0; k <= r->stages; k++)
                factors[i + k * (r->steps + 1)] = r->factor[i].c[k].x;
        m->n_factors = r->steps + 1;
        m->n_powers = r->stages + 1;
        m->factors = factors;
        return;
    }
    if (!m->rational) {
        m->rho = poly_coefficients(a, &r->rho, &m->n_rho);
        m->sigma = poly_coefficients(a, &r->sigma, &m->n_sigma);
        return;
    }
    m->numerator = poly_coefficients(a, &r->numerator, &m->n_numerator);
    m->denominator = poly_coefficients(a, &r->denominator, &m->n_denominator);
    text_clear(room);
    text_char(room, '(');
    print_poly(&r->numerator, room);
    text_add(room, ") / (");
    print_poly(&r->denominator, room);
    text_char(room, ')');
    m->r_formula = arena_strndup(a, text_str(room), room->n);
}

// Orders to expect; 0: no convergence.
static void take_dae_orders(const lab_report *r, vinc_method_facts *m)
{
    lab_dae_orders e = lab_dae(r);
    m->for_daes = !r->explicit_ && !r->general && r->zero_stable && !(r->rho_inf > 1 + 1e-6);
    m->dae_index1 = e.index1;
    for (int i = 0; i < 2; i++) m->dae_index2[i] = e.index2[i] > 0 ? e.index2[i] : 0;
    for (int i = 0; i < 3; i++) m->dae_index3[i] = e.index3[i] > 0 ? e.index3[i] : 0;
}

static void take_analysis(vinc_ctx *ctx, const lab_report *r, vinc_method_facts *m)
{
    text *room = &ctx->out;
    m->kind = r->linearly_implicit ? "linearly implicit (Rosenbrock)"
              : r->explicit_       ? "explicit"
              : r->multistep       ? "implicit"
              : r->single_diagonal ? "singly diagonally implicit (SDIRK)"
              : r->diagonal        ? "diagonally implicit (DIRK)"
                                   : "fully implicit";
    m->structure = r->general        ? "multistep collocation"
                   : r->second_order ? "multistep for x'' = f"
                   : r->one_leg      ? "one-leg multistep"
                   : r->multistep    ? "multistep"
                                     : "one-step";
    m->one_step = !r->multistep;
    m->second_order = r->second_order;
    m->general = r->general;
    m->one_leg = r->one_leg;
    m->exact = r->exact;
    m->stage_order = r->stage_order;
    m->error_constant = r->error_constant.x;
    text_clear(room);
    number_print(r->error_constant, room);
    m->error_constant_exact = arena_strndup(&ctx->scratch, text_str(room), room->n);
    take_stability_function(ctx, r, m);
    m->is_explicit = r->explicit_;
    m->zero_stable = r->zero_stable;
    m->a_stable = r->a_stable;
    m->l_stable = r->l_stable;
    m->a_alpha_deg = r->alpha_deg;
    point at = {NAN, NAN};
    bool may_grow = !r->explicit_ && !r->a_stable && r->zero_stable && !r->second_order;
    m->growth = may_grow ? lab_growth(r, &at) : NAN;
    if (!(m->growth > 1)) m->growth = NAN;
    m->growth_re = at.re;
    m->growth_im = at.im;
    m->rho_inf = r->rho_inf;
    m->real_limit = r->real_limit;
    m->imag_limit = r->imag_limit;
    m->stiffly_accurate = r->stiffly_accurate;
    m->algebraically_stable = r->algebraically_stable;
    m->symmetric = r->symmetric;
    m->symplectic = r->symplectic;
    take_dae_orders(r, m);
}

// n rows of m values, stored in rows of `stride`, by columns.
static const double *columns_of(arena *a, const double *rows, int stride, int n, int m)
{
    double *x = arena_array(a, double, n *m);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) x[i + k * n] = rows[i * stride + k];
    return x;
}

static void take_coefficients(arena *a, const method_formula *f, vinc_method_facts *m)
{
    static const char *const kinds[] = {"runge-kutta", "multistep", "one-leg", "second-order",
                                        "multistep collocation"};
    m->formula_name = f->name;
    m->formula_kind = kinds[f->kind];
    if (f->kind == FORMULA_GENERAL) {
        const method_general *g = &f->general;
        m->n_stages = g->stages;
        m->n_past = g->steps;
        m->u = columns_of(a, g->u[0], METHOD_STEPS_MAX, g->stages, g->steps);
        m->a = columns_of(a, g->a[0], METHOD_STAGES_MAX, g->stages, g->stages);
        m->v = g->v;
        m->b = g->b;
        m->c = g->c;
        return;
    }
    if (f->kind != FORMULA_RUNGE_KUTTA) {
        m->n_alpha = f->multistep.steps + 1;
        m->alpha = f->multistep.alpha;
        m->beta = f->multistep.beta;
        return;
    }
    int s = f->tableau.stages;
    m->n_stages = s;
    m->a = columns_of(a, f->tableau.a[0], METHOD_STAGES_MAX, s, s);
    m->b = f->tableau.b;
    m->c = f->tableau.c;
}

/* Steps h/T, ascending as the principal root is followed from h = 0. -1 after a diagnostic. */
static int read_steps(vinc_ctx *ctx, const vinc_method_options *o, double *h)
{
    int n = 0;
    for (const char *p = o ? o->at : NULL; p && *p;) {
        size_t k = strcspn(p, ",");
        const char *word = arena_strndup(&ctx->scratch, p, k);
        double x = NAN;
        if (!method_formula_number(word, &x) || !(x > 0 && x <= 1e6)) {
            diag_error(
                &ctx->diags, "C146", (span){0},
                "'%s' is not a step as a part of the period, a number above 0 and up to 1e6: "
                "--at 0.1,1/4",
                word);
            return -1;
        }
        if (n == MOST_STEPS) {
            diag_error(&ctx->diags, "C146", (span){0}, "more than %d steps after --at", MOST_STEPS);
            return -1;
        }
        int at = n++;
        while (at > 0 && h[at - 1] > x) h[at] = h[at - 1], at--;
        h[at] = x;
        p += k + (p[k] == ',');
    }
    return n;
}

static void take_oscillations(arena *a, const lab_report *r, const double *h, int n,
                              vinc_method_facts *m)
{
    lab_oscillator *o = arena_array(a, lab_oscillator, n);
    vinc_oscillation *at = arena_array(a, vinc_oscillation, n);
    lab_oscillate(r, n, h, o);
    for (int i = 0; i < n; i++) {
        point roots[POLY_MAX];
        int count = lab_roots(r, (point){0, 2 * M_PI * h[i]}, roots);
        double *re = arena_array(a, double, count), *im = arena_array(a, double, count);
        for (int k = 0; k < count; k++) re[k] = roots[k].re, im[k] = roots[k].im;
        at[i] = (vinc_oscillation){.h_over_t = h[i],
                                   .n_roots = count,
                                   .root_re = re,
                                   .root_im = im,
                                   .principal_re = o[i].root.re,
                                   .principal_im = o[i].root.im,
                                   .radius = o[i].radius,
                                   .damping = o[i].damping,
                                   .period = o[i].period,
                                   .phase = o[i].phase};
    }
    m->n_at = n;
    m->at = at;
}

static vinc_method_facts method_facts(vinc_ctx *ctx, const method_subject *s, const double *h,
                                      int n)
{
    vinc_method_facts m = {.spec = s->spec,
                           .name = s->name,
                           .family = method_family(s),
                           .order = s->known ? s->r.order : s->m->order_max,
                           .known = s->known,
                           .stages = s->stages};
    m.order_min = s->m ? s->m->order_min : m.order;
    m.order_max = s->m ? s->m->order_max : m.order;
    m.varies = m.order_min != m.order_max;
    if (s->m) m.summary = s->m->summary;
    if (s->m) m.cite = s->m->cite;
    if (s->known) take_analysis(ctx, &s->r, &m);
    if (s->known && n) take_oscillations(&ctx->scratch, &s->r, h, n, &m);
    if (s->formula) take_coefficients(&ctx->scratch, s->formula, &m);
    return m;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int list_all(vinc_ctx *ctx, method_subject **out)
{
    int n = 0;
    while (vinc_methods[n]) n++;
    *out = arena_array(&ctx->scratch, method_subject, n);
    for (int i = 0; i < n; i++)
        if (!method_subject_find(ctx, vinc_methods[i]->name, &(*out)[i])) return -1;
    return n;
}

/* Numbers and pictures need one formula. False after a diagnostic. */
static bool have_formulas(vinc_ctx *ctx, const method_subject *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (s[i].known) continue;
        diag_error(&ctx->diags, "C144", (span){0},
                   "'%s' changes its formula while it runs; name one of fixed order, such as bdf2 "
                   "or bdf:order=2",
                   s[i].spec);
        return false;
    }
    return true;
}

static int tell_methods(void *job)
{
    method_job *j = job;
    vinc_ctx *ctx = j->ctx;
    method_subject *s = NULL;
    watch_doing(&ctx->watch, "analysing methods", NULL);
    int n = j->names ? split_methods(ctx, j->names, &s) : list_all(ctx, &s);
    if (n < 0) return VINC_E_OPTION;
    double h[MOST_STEPS];
    int n_steps = read_steps(ctx, j->options, h);
    if (n_steps < 0 || (n_steps && j->names && !have_formulas(ctx, s, n))) return VINC_E_OPTION;
    vinc_method_facts *list = arena_array(&ctx->scratch, vinc_method_facts, n);
    for (int i = 0; i < n; i++) list[i] = method_facts(ctx, &s[i], h, n_steps);
    vinc_method_set told = {
        .listed = !j->names, .alone = j->names && n == 1, .n_methods = n, .methods = list};
    return told_keep(&ctx->lasting, &study_method_set, &told, j->out);
}

int vinc_method_set_of(vinc_ctx *ctx, const char *names, const vinc_method_options *options,
                       vinc_method_set **out)
{
    if (out) *out = NULL;
    if (!ctx || !out) return api_lacks(ctx, "a place for the report");
    method_job j = {.ctx = ctx, .names = names, .options = options, .out = out};
    int room = api_needs_blas(ctx);
    if (room) return room;
    return api_guarded(ctx, tell_methods, &j);
}

int vinc_method_report(vinc_ctx *ctx, const char *names, const vinc_method_options *options,
                       vinc_format format, const char **out)
{
    vinc_method_set *told = NULL;
    int rc = vinc_method_set_of(ctx, names, options, &told);
    return study_say_ctx(ctx, rc, told, format, out);
}

/* ---- figures --------------------------------------------------------------------------------- */

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

static int draw_methods(void *job)
{
    method_job *j = job;
    vinc_ctx *ctx = j->ctx;
    method_subject *s = NULL;
    unsigned panels = 0;
    watch_doing(&ctx->watch, "drawing methods", NULL);
    int n = split_methods(ctx, j->names, &s);
    if (n < 0 || !read_panels(ctx, j->show, &panels) || !have_formulas(ctx, s, n))
        return VINC_E_OPTION;
    const lab_report **reports = arena_array(&ctx->scratch, const lab_report *, n);
    const char **names = arena_array(&ctx->scratch, const char *, n);
    for (int i = 0; i < n; i++) {
        reports[i] = &s[i].r;
        names[i] = s[i].spec;
    }
    plot_figure *f = NULL;
    if (lab_figure(&ctx->m, reports, names, n, panels, &f) < 0) return VINC_E_MEMORY;
    return study_write_figure(ctx, j->path, f, &ctx->out, &j->chart);
}

int vinc_method_plot(vinc_ctx *ctx, const char *names, const char *path, const char *show,
                     const char **chart)
{
    if (chart) *chart = "";
    if (!ctx || !names || !path) return api_lacks(ctx, "names of methods and a path");
    method_job j = {.ctx = ctx, .names = names, .path = path, .show = show};
    int rc = api_needs_blas(ctx);
    if (!rc) rc = api_guarded(ctx, draw_methods, &j);
    if (!rc && chart && j.chart) *chart = j.chart;
    return rc;
}
