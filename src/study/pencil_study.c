/* `vincolo pencil`: a linear DAE from two matrices, in words or as JSON.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/pencil_study.h"
#include "la/dense.h"
#include "pencil/exact.h"
#include "pencil/hessenberg.h"
#include "result/result.h"
#include "told/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRINT_MOST = 12 }; // matrices larger than this are left to JSON
enum { MOST = 2000 };     // unknowns: the work grows with the third power

typedef struct pencil_job {
    vinc_ctx *ctx;
    const char *f, *g; // files, or
    vinc_model *model;
    const vinc_pencil_options *options;
    vinc_format format;
} pencil_job;

/* ---- reading --------------------------------------------------------------------------------- */

// By columns, in the arena; NULL after a message.
static double *read_square(vinc_ctx *ctx, arena *a, const char *path, int *n)
{
    int rows = 0, cols = 0;
    double *values = NULL, *x = NULL;
    result_fault fault = {0};
    if (result_read_matrix(&ctx->m, path, &rows, &cols, &values, &fault) < 0) {
        diag_error(&ctx->diags, fault.code, (span){0}, "%s", fault.text);
        return NULL;
    }
    if (rows != cols)
        diag_error(&ctx->diags, "C150", (span){0},
                   "%s: the matrix is %d by %d; F and G must be square, with one row per equation "
                   "and one column per unknown",
                   path, rows, cols);
    else if (rows > MOST)
        diag_error(&ctx->diags, "C150", (span){0}, "%s: %d unknowns; the dense analysis ends at %d",
                   path, rows, MOST);
    else {
        x = arena_array(a, double, (size_t)rows *(size_t)rows + 1);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                x[i + (size_t)j * (size_t)rows] = values[(size_t)i * (size_t)cols + (size_t)j];
    }
    mem_free(&ctx->m, values, (size_t)rows * (size_t)cols * sizeof(double));
    *n = rows;
    return x;
}

static double *read_start(vinc_ctx *ctx, arena *a, const char *list, int n)
{
    double *x = arena_array(a, double, n + 1);
    const char *at = list;
    for (int i = 0; i < n; i++) {
        char *end = NULL;
        x[i] = strtod(at, &end);
        while (end != at && (*end == ' ' || *end == '\t')) end++;
        if (end == at || !isfinite(x[i]) || (i + 1 < n ? *end != ',' : *end != 0)) {
            diag_error(&ctx->diags, "C151", (span){0},
                       "x(0) = '%s' must be %d numbers separated by commas", list, n);
            return NULL;
        }
        at = end + 1;
    }
    return x;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void print_complex(text *o, double re, double im)
{
    if (fabs(re) <= 1e-14 * fabs(im)) re = 0;
    if (im == 0) text_printf(o, "    %.12g\n", re);
    else if (im > 0 && re == 0) text_printf(o, "    +- %.12g i\n", im);
    else if (im > 0) text_printf(o, "    %.12g +- %.12g i\n", re, im);
}

static void singular_text(text *o, const pencil *p)
{
    int d = p->n - p->rank;
    text_printf(o, "singular: det(lambda F + G) = 0 for every lambda\n");
    text_printf(
        o,
        "  rank             %d of %d: %d %s of x %s arbitrary, and %d %s on h must hold for "
        "a solution to exist\n",
        p->rank, p->n, d, d == 1 ? "function" : "functions", d == 1 ? "is" : "are", d,
        d == 1 ? "condition" : "conditions");
    if (p->free_columns)
        text_printf(o, "  unknowns         %d %s in no equation (F x = G x = 0 for a constant x)\n",
                    p->free_columns,
                    p->free_columns == 1 ? "combination occurs" : "combinations occur");
    else
        text_printf(o,
                    "  unknowns         the arbitrary function enters with its derivatives up to "
                    "order %d: x(lambda) of degree %d in the null space\n",
                    p->degree, p->degree);
    if (p->void_rows)
        text_printf(
            o, "  equations        %d %s 0 = w h (w F = w G = 0): redundant or contradictory\n",
            p->void_rows, p->void_rows == 1 ? "combination reads" : "combinations read");
    text_add(o, "  There is no index and no solution determined by initial values: add an equation "
                "for each arbitrary function.\n");
}

static void start_text(arena *a, text *o, const pencil *p)
{
    int n = p->n, q = p->n_finite, r = p->n_infinite;
    text_printf(o, "\nConsistent initial values: %d of %d are free\n", q, n);
    if (!r) return;
    double *copy = arena_array(a, double, (size_t)n *(size_t)n);
    double *inverse = arena_array(a, double, (size_t)n *(size_t)n);
    memcpy(copy, p->v, (size_t)n * (size_t)n * sizeof *copy);
    for (int i = 0; i < n; i++) inverse[i + (size_t)i * (size_t)n] = 1;
    if (la_solve_dense(n, n, copy, inverse, arena_array(a, int, n))) return;
    text_printf(o, "  x(0) is consistent if and only if W x(0) = v(0), v = b%s%s, (a; b) = U h\n",
                p->index > 1 ? " - N b'" : "", p->index > 2 ? " + N^2 b'' - ..." : "");
    if (n <= PRINT_MOST) api_print_matrix(o, "W", r, n, inverse + q, n);
}

static void regular_text(arena *a, text *o, const pencil *p)
{
    text_printf(o, "regular, index %d\n", p->index);
    text_printf(o, "  finite part      %d: u' + C u = a\n", p->n_finite);
    text_printf(o, "  infinite part    %d: N v' + v = b", p->n_infinite);
    for (int i = 0; i < p->n_blocks; i++)
        text_printf(o, "%s%d",
                    i                  ? ", "
                    : p->n_blocks == 1 ? "; nilpotent block of size "
                                       : "; nilpotent blocks of sizes ",
                    p->blocks[i]);
    text_printf(o,
                "\n  rank decisions   singular values kept: %.1e or more, dropped: %.1e or less "
                "(relative)\n",
                p->kept, p->dropped);
    text_printf(o, "  residual         %.1e of |U| |F| |V|, |U| |G| |V|\n", p->residual);
    if (p->n_finite) text_add(o, "\nEigenvalues: det(lambda F + G) = 0 at\n");
    for (int i = 0; i < p->n_finite; i++) print_complex(o, p->eig_re[i], p->eig_im[i]);
    start_text(a, o, p);
    text_printf(o, "\nKronecker form: U F V = diag(I, N), U G V = diag(C, I)%s\n",
                p->n > PRINT_MOST ? "; the matrices are printed by --json" : "");
    if (p->n > PRINT_MOST) return;
    api_print_matrix(o, "C", p->n_finite, p->n_finite, p->c, p->n_finite);
    api_print_matrix(o, "N", p->n_infinite, p->n_infinite, p->nil, p->n_infinite);
    api_print_matrix(o, "U", p->n, p->n, p->u, p->n);
    api_print_matrix(o, "V", p->n, p->n, p->v, p->n);
}

static void solution_text(arena *a, text *o, const pencil_solution *s, double stop, int points)
{
    const pencil *p = s->p;
    int n = p->n, q = p->n_finite, r = p->n_infinite;
    text_add(o, "\nSolution x = V (u; v)\n");
    for (int i = 0; i < q; i++) {
        text_printf(o, "  u[%d]' + (C u)[%d] = ", i + 1, i + 1);
        pencil_print_function(s->h, s->uw + i, q, o);
        text_printf(o, ",  u[%d](0) = %.9g\n", i + 1, s->u0[i]);
    }
    if (q && s->up) {
        text_add(o, "  u = e^(-C t) k + p(t), k = (");
        for (int i = 0; i < q; i++) text_printf(o, "%s%.9g", i ? ", " : "", s->k[i]);
        text_add(o, ")\n");
        for (int i = 0; i < q; i++) {
            text_printf(o, "  p[%d] = ", i + 1);
            pencil_print_function(s->h, s->up + i, q, o);
            text_char(o, '\n');
        }
    } else if (q)
        text_add(o, "  u by one exponential of [-C U1 K; 0 S]: h holds a mode (resonance)\n");
    for (int i = 0; i < r; i++) {
        text_printf(o, "  v[%d] = ", i + 1);
        pencil_print_function(s->h, s->vw + i, r, o);
        text_char(o, '\n');
    }
    text_add(o, "  x(0) = (");
    for (int i = 0; i < n; i++) text_printf(o, "%s%.12g", i ? ", " : "", s->x0[i]);
    text_add(o, ")\n");
    if (s->inconsistent > 1e-10)
        text_printf(o,
                    "  the x(0) given is not consistent: its v differs from v(0) by %.3g and was "
                    "replaced\n",
                    s->inconsistent);
    text_add(o, "\n  t, x, then its parts by the matrix exponential (V1 u) and by N (V2 v)\n");
    double *u = arena_array(a, double, n + 1), *v = arena_array(a, double, n + 1);
    for (int k = 0; k <= points; k++) {
        double t = stop * k / points;
        if (pencil_solution_at(a, s, t, u, v)) return;
        text_printf(o, "  %-8.6g", t);
        for (int i = 0; i < n; i++) text_printf(o, " %15.12g", u[i] + v[i]);
        text_add(o, "  |");
        for (int i = 0; i < n; i++) text_printf(o, " %12.8g", u[i]);
        text_add(o, "  |");
        for (int i = 0; i < n; i++) text_printf(o, " %12.8g", v[i]);
        text_char(o, '\n');
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void form_json(json *j, const pencil *p)
{
    json_bool(j, "regular", p->regular);
    if (p->regular) json_int(j, "index", p->index);
    else json_null(j, "index");
    json_open(j, "finite_eigenvalues", '[');
    for (int i = 0; p->regular && i < p->n_finite; i++)
        json_vector(j, NULL, (double[]){p->eig_re[i], p->eig_im[i]}, 2, 1);
    json_close(j, ']');
    json_open(j, "nilpotent_blocks", '[');
    for (int i = 0; p->regular && i < p->n_blocks; i++) json_int(j, NULL, p->blocks[i]);
    json_close(j, ']');
    if (!p->regular) {
        json_null(j, "dim_finite");
        json_null(j, "dim_infinite");
        json_int(j, "rank", p->rank);
        return;
    }
    json_int(j, "dim_finite", p->n_finite);
    json_int(j, "dim_infinite", p->n_infinite);
    json_matrix(j, "C", p->c, p->n_finite, p->n_finite);
    json_matrix(j, "N", p->nil, p->n_infinite, p->n_infinite);
    json_matrix(j, "U", p->u, p->n, p->n);
    json_matrix(j, "V", p->v, p->n, p->n);
    json_real(j, "residual", p->residual);
}

static void solution_json(arena *a, json *j, const pencil_solution *s, double stop, int points)
{
    int n = s->p->n;
    double *u = arena_array(a, double, n + 1), *v = arena_array(a, double, n + 1);
    json_open(j, "solution", '{');
    json_vector(j, "x0", s->x0, n, 1);
    json_real(j, "inconsistent", s->inconsistent);
    if (s->up) json_vector(j, "k", s->k, s->p->n_finite, 1);
    else json_null(j, "k");
    json_open(j, "points", '[');
    for (int k = 0; k <= points; k++) {
        double t = stop * k / points;
        if (pencil_solution_at(a, s, t, u, v)) break;
        json_open(j, NULL, '{');
        json_real(j, "t", t);
        json_vector(j, "differential", u, n, 1);
        json_vector(j, "nilpotent", v, n, 1);
        for (int i = 0; i < n; i++) u[i] += v[i];
        json_vector(j, "x", u, n, 1);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* ---- the report ------------------------------------------------------------------------------ */

static int solve(pencil_job *j, const pencil *p, pencil_solution *s)
{
    arena *a = &j->ctx->front;
    char why[PENCIL_WHY] = "";
    if (!p->regular) {
        diag_error(&j->ctx->diags, "C152", (span){0},
                   "the pencil is singular: F x' + G x = h has no solution determined by initial "
                   "values (%d arbitrary function%s); add equations, or leave out --rhs",
                   p->n - p->rank, p->n - p->rank == 1 ? "" : "s");
        return VINC_E_MODEL;
    }
    pencil_rhs *h = arena_new(a, pencil_rhs);
    if (pencil_read_rhs(a, j->options->rhs, p->n, h, why)) {
        diag_error(&j->ctx->diags, "C153", (span){0}, "%s", why);
        return VINC_E_OPTION;
    }
    double *x0 = NULL;
    if (j->options->x0 && !(x0 = read_start(j->ctx, a, j->options->x0, p->n))) return VINC_E_OPTION;
    if (pencil_solve(a, p, h, x0, s)) {
        diag_error(&j->ctx->diags, "C154", (span){0}, "V is singular to working precision");
        return VINC_E_MODEL;
    }
    return VINC_OK;
}

// The words of `vincolo check`.
static const char *form_name(const hessenberg *h)
{
    static const char *const names[] = {"ode", "semi-explicit"};
    if (!h->semi_explicit) return "general";
    if (h->index == 2) return "hessenberg-2";
    if (h->index == 3) return "hessenberg-3";
    return h->index > 3 ? "hessenberg" : names[h->index != 0];
}

static void form_text(text *o, const hessenberg *h, const char *const *names)
{
    text_printf(o, "\nForm as given: %s", h->why);
    if (isfinite(h->condition) && h->n_z) text_printf(o, " (condition %.3g)", h->condition);
    text_char(o, '\n');
    if (!h->layer) return;
    for (int l = 1; l <= h->index; l++) { // the last one is z, layer 0
        text_printf(o, "  %s%.0d:", l < h->index ? "x" : "z", l < h->index ? l : 0);
        for (int i = 0; i < h->n_x + h->n_z; i++) {
            if (h->layer[i] != l % h->index) continue;
            if (names) text_printf(o, " %s", names[i]);
            else text_printf(o, " x[%d]", i + 1);
        }
        text_char(o, '\n');
    }
}

static int matrices(pencil_job *j, api_matrices *m)
{
    vinc_ctx *ctx = j->ctx;
    if (j->model) return api_linear_model(j->model, m);
    int ng = 0;
    *m = (api_matrices){0};
    m->f = read_square(ctx, &ctx->front, j->f, &m->n);
    m->g = m->f ? read_square(ctx, &ctx->front, j->g, &ng) : NULL;
    if (!m->g) return VINC_E_OPTION;
    if (m->n == ng) return VINC_OK;
    diag_error(&ctx->diags, "C150", (span){0}, "F is %d by %d (%s) but G is %d by %d (%s)", m->n,
               m->n, j->f, ng, ng, j->g);
    return VINC_E_OPTION;
}

static int report(void *job)
{
    pencil_job *j = job;
    vinc_ctx *ctx = j->ctx;
    arena *a = &ctx->front;
    text *o = &ctx->out;
    api_matrices m;
    text_clear(o);
    int rc = matrices(j, &m);
    if (rc) return rc;
    pencil p;
    if (pencil_analyse(a, m.n, m.f, m.g, &p)) {
        diag_error(&ctx->diags, "C154", (span){0},
                   "the analysis failed: an entry is not finite, or sizes overflow");
        return VINC_E_MODEL;
    }
    hessenberg form;
    hessenberg_test(a, m.n, m.f, m.g, &form);
    pencil_solution s;
    bool wanted = j->options && j->options->rhs;
    rc = wanted ? solve(j, &p, &s) : VINC_OK;
    if (rc) return rc;
    double stop = wanted && j->options->stop != 0 ? j->options->stop : 1;
    int points = wanted && j->options->intervals > 0 ? j->options->intervals : 10;
    if (j->format == VINC_JSON) {
        json js = {o, true};
        json_open(&js, NULL, '{');
        form_json(&js, &p);
        if (m.names) json_names(&js, "unknowns", m.names, m.n);
        json_text(&js, "form", form_name(&form));
        json_real(&js, "form_condition", form.condition);
        if (wanted) solution_json(a, &js, &s, stop, points);
        json_close(&js, '}');
        text_char(o, '\n');
        return VINC_OK;
    }
    text_printf(o, "F x' + G x = h with %d unknown%s: ", m.n, m.n == 1 ? "" : "s");
    if (p.regular) regular_text(a, o, &p);
    else singular_text(o, &p);
    form_text(o, &form, m.names);
    if (m.names) text_add(o, "\nx = (");
    for (int i = 0; m.names && i < m.n; i++) text_printf(o, "%s%s", i ? ", " : "", m.names[i]);
    if (m.names) text_add(o, ")\n");
    if (wanted) solution_text(a, o, &s, stop, points);
    return VINC_OK;
}

int vinc_pencil_report(vinc_ctx *ctx, const char *f_csv, const char *g_csv,
                       const vinc_pencil_options *options, vinc_format format, const char **out)
{
    *out = "";
    if (!ctx) return VINC_E_MEMORY;
    int rc = api_guarded(ctx, report, &(pencil_job){ctx, f_csv, g_csv, NULL, options, format});
    if (!rc) *out = text_str(&ctx->out);
    return rc;
}

int vinc_model_pencil(vinc_model *model, const vinc_pencil_options *options, vinc_format format,
                      const char **out)
{
    *out = "";
    if (!model) return VINC_E_MEMORY;
    pencil_job j = {.ctx = model->ctx, .model = model, .options = options, .format = format};
    int rc = api_guarded(model->ctx, report, &j);
    if (!rc) *out = text_str(&model->ctx->out);
    return rc;
}
