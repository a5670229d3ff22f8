/* `vincolo pencil`: a linear DAE from two matrices or a model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/pencil_study.h"
#include "la/dense.h"
#include "pencil/exact.h"
#include "pencil/hessenberg.h"
#include "result/result.h"
#include "study/pencil_forcing.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRINT_MOST = 12 };     // matrices larger than this are left to JSON
enum { UNKNOWNS_MAX = 2000 }; // unknowns: the work grows with the third power

/* ---- what is told ---------------------------------------------------------------------------- */

static const told_field point_fields[] = {
    TOLD(vinc_pencil_point, REAL, "t", t),
    TOLD_LIST(vinc_pencil_point, REALS, "differential", differential, n),
    TOLD_LIST(vinc_pencil_point, REALS, "nilpotent", nilpotent, n),
    TOLD_LIST(vinc_pencil_point, REALS, "x", x, n),
    {0},
};

#define FIELD(...) TOLD(vinc_pencil, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_pencil, __VA_ARGS__)
#define SQUARE(k, m, n)                                                                            \
    LIST(MATRIX, k, m, n, .columns = offsetof(vinc_pencil, n), .when = "regular")
static const told_field solution_fields[] = {
    LIST(REALS, "x0", x0, n),
    FIELD(REAL, "inconsistent", inconsistent),
    LIST(REALS, "k", k, n_k, .when = "k_known", .flags = TOLD_OR_NULL),
    LIST(ROWS, "points", points, n_points, .size = sizeof(vinc_pencil_point),
         .inside = point_fields),
    FIELD(BOOL, "by_quadrature", by_quadrature),
    FIELD(REAL, "integral_error", integral_error, .when = "by_quadrature"),
    FIELD(BOOL, "k_known", k_known, .flags = TOLD_HIDDEN),
    {0},
};

static const told_field pencil_fields[] = {
    FIELD(BOOL, "regular", regular),
    FIELD(INDEX, "index", index),
    LIST(PAIRS, "finite_eigenvalues", eig_re, n_eigenvalues, .also = offsetof(vinc_pencil, eig_im)),
    LIST(INTS, "nilpotent_blocks", blocks, n_blocks),
    LIST(INTS, "finite_blocks", finite_blocks, n_finite_blocks),
    LIST(PAIRS, "finite_block_eigenvalues", block_re, n_finite_blocks,
         .also = offsetof(vinc_pencil, block_im)),
    FIELD(BOOL, "finite_jordan", finite_jordan, .when = "finite_blocks"),
    FIELD(REAL, "finite_condition", finite_condition, .when = "finite_jordan"),
    FIELD(INDEX, "dim_finite", n_finite),
    FIELD(INDEX, "dim_infinite", n_infinite),
    FIELD(INT, "rank", rank, .unless = "regular"),
    SQUARE("C", c, n_finite),
    SQUARE("N", nil, n_infinite),
    SQUARE("U", u, n),
    SQUARE("V", v, n),
    FIELD(REAL, "residual", residual, .when = "regular"),
    LIST(WORDS, "unknowns", unknowns, n_unknowns, .when = "named"),
    FIELD(WORD, "form", form),
    FIELD(REAL, "form_condition", form_condition),
    TOLD_IN("solution", solution_fields, .when = "solved"),
    FIELD(BOOL, "solved", solved, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "named", named, .flags = TOLD_HIDDEN),
    FIELD(INT, "n", n, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_blocks", n_blocks, .flags = TOLD_HIDDEN),
    FIELD(REAL, "kept", kept, .flags = TOLD_HIDDEN),
    FIELD(REAL, "dropped", dropped, .flags = TOLD_HIDDEN),
    LIST(MATRIX, "W", w, n_infinite, .columns = offsetof(vinc_pencil, n), .flags = TOLD_HIDDEN),
    FIELD(WORD, "form_reason", form_reason, .flags = TOLD_HIDDEN),
    LIST(INTS, "layers", layers, n_layers, .flags = TOLD_HIDDEN),
    LIST(REALS, "u0", u0, n_u, .flags = TOLD_HIDDEN),
    LIST(WORDS, "u_rhs", u_rhs, n_u, .flags = TOLD_HIDDEN),
    LIST(WORDS, "p", p, n_k, .flags = TOLD_HIDDEN),
    LIST(WORDS, "v", v_formula, n_v, .flags = TOLD_HIDDEN),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void say_singular(const void *told, vinc_format format, text *o)
{
    const vinc_pencil *p = told;
    int d = p->n - p->rank;
    (void)format;
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
}

static void say_eigenvalues(const void *told, vinc_format format, text *o)
{
    const vinc_pencil *p = told;
    (void)format;
    for (int i = 0; i < p->n_eigenvalues; i++) {
        double re = p->eig_re[i], im = p->eig_im[i];
        if (fabs(re) <= 1e-14 * fabs(im)) re = 0;
        if (im == 0) text_printf(o, "    %.12g\n", re);
        else if (im > 0 && re == 0) text_printf(o, "    +- %.12g i\n", im);
        else if (im > 0) text_printf(o, "    %.12g +- %.12g i\n", re, im);
    }
}

// Only where a block is larger than 1: the others are said by the eigenvalues.
static void say_finite_blocks(const void *told, vinc_format format, text *o)
{
    const vinc_pencil *p = told;
    bool any = false;
    (void)format;
    for (int i = 0; i < p->n_finite_blocks; i++) {
        if (p->finite_blocks[i] < 2) continue;
        if (!any) text_add(o, "  defective; Jordan blocks of the finite part:\n");
        any = true;
        text_printf(o, "    size %d at %.12g", p->finite_blocks[i], p->block_re[i]);
        if (p->block_im[i] > 0) text_printf(o, " +- %.12g i", p->block_im[i]);
        text_char(o, '\n');
    }
    if (any && p->finite_jordan)
        text_printf(o, "    condition of the transformation to them %.3g\n", p->finite_condition);
    if (any)
        text_add(
            o, "    (eigenvalues that round-off may have scattered, 10 (1e-14)^(1/m) |C| for m of "
               "them, are one where the ranks, to 1e-10, agree; --tol sets that distance)\n");
    if (p->n_finite_blocks && !p->finite_jordan)
        text_printf(
            o,
            "  nearly defective: a transformation to Jordan blocks has condition %.3g; C is "
            "left triangular\n",
            p->finite_condition);
}

static void say_pencil_matrices(const void *told, vinc_format format, text *o)
{
    const vinc_pencil *p = told;
    bool large = p->n > PRINT_MOST;
    (void)format;
    if (p->w)
        text_printf(o,
                    "  x(0) is consistent if and only if W x(0) = v(0), v = b%s%s, (a; b) = U h\n",
                    p->index > 1 ? " - N b'" : "", p->index > 2 ? " + N^2 b'' - ..." : "");
    if (p->w && !large) study_print_matrix(o, "W", p->n_infinite, p->n, p->w);
    text_printf(o, "\nKronecker form: U F V = diag(I, N), U G V = diag(C, I)%s\n",
                large ? "; the matrices are printed by --json" : "");
    if (large) return;
    study_print_matrix(o, "C", p->n_finite, p->n_finite, p->c);
    study_print_matrix(o, "N", p->n_infinite, p->n_infinite, p->nil);
    study_print_matrix(o, "U", p->n, p->n, p->u);
    study_print_matrix(o, "V", p->n, p->n, p->v);
}

static const told_line regular_lines[] = {
    {.words = "regular, index {index}\n"
              "  finite part      {dim_finite}: u' + C u = a\n"
              "  infinite part    {dim_infinite}: N v' + v = b"},
    {.words = "; nilpotent block{n_blocks? of size|s of sizes} {nilpotent_blocks}",
     .when = "nilpotent_blocks"},
    {.words = "\n  rank decisions   singular values kept: {kept:%.1e} or more, dropped: "
              "{dropped:%.1e} or less (relative)\n"
              "  residual         {residual:%.1e} of |U| |F| |V|, |U| |G| |V|\n"},
    {.words = "\nEigenvalues: det(lambda F + G) = 0 at\n", .when = "finite_eigenvalues"},
    {.say = say_eigenvalues},
    {.say = say_finite_blocks},
    {.words = "\nConsistent initial values: {dim_finite} of {n} are free\n"},
    {.say = say_pencil_matrices},
    {0},
};

static const told_line singular_lines[] = {
    {.words = "singular: det(lambda F + G) = 0 for every lambda\n"},
    {.say = say_singular},
    {.words = "  There is no index and no solution determined by initial values: add an equation "
              "for each arbitrary function.\n"},
    {0},
};

static void say_form(const void *told, vinc_format format, text *o)
{
    const vinc_pencil *p = told;
    (void)format;
    text_printf(o, "\nForm as given: %s", p->form_reason);
    if (isfinite(p->form_condition) && p->n_algebraic)
        text_printf(o, " (condition %.3g)", p->form_condition);
    text_char(o, '\n');
    for (int l = 1; p->n_layers && l <= p->form_index; l++) { // the last one is z, layer 0
        text_printf(o, "  %s%.0d:", l < p->form_index ? "x" : "z", l < p->form_index ? l : 0);
        for (int i = 0; i < p->n_layers; i++) {
            if (p->layers[i] != l % p->form_index) continue;
            if (p->named) text_printf(o, " %s", p->unknowns[i]);
            else text_printf(o, " x[%d]", i + 1);
        }
        text_char(o, '\n');
    }
}

static void say_solution(const void *told, vinc_format format, text *o)
{
    const vinc_pencil *p = told;
    (void)format;
    text_add(o, "\nSolution x = V (u; v)\n");
    for (int i = 0; i < p->n_u; i++)
        text_printf(o, "  u[%d]' + (C u)[%d] = %s,  u[%d](0) = %.9g\n", i + 1, i + 1, p->u_rhs[i],
                    i + 1, p->u0[i]);
    if (p->n_u && p->k_known) {
        text_add(o, "  u = e^(-C t) k + p(t), k = (");
        for (int i = 0; i < p->n_k; i++) text_printf(o, "%s%.9g", i ? ", " : "", p->k[i]);
        text_add(o, ")\n");
        for (int i = 0; i < p->n_k; i++) text_printf(o, "  p[%d] = %s\n", i + 1, p->p[i]);
    } else if (p->n_u && p->by_quadrature)
        text_printf(o,
                    "  u = e^(-C t) u(0) + integral of e^(-C (t - s)) a(s) ds from 0 to t, by "
                    "quadrature, error about %.1e\n",
                    p->integral_error);
    else if (p->n_u)
        text_add(o, "  u by one exponential of [-C U1 K; 0 S]: h holds a mode (resonance)\n");
    for (int i = 0; i < p->n_v; i++) text_printf(o, "  v[%d] = %s\n", i + 1, p->v_formula[i]);
    text_add(o, "  x(0) = (");
    for (int i = 0; i < p->n; i++) text_printf(o, "%s%.12g", i ? ", " : "", p->x0[i]);
    text_add(o, ")\n");
    if (p->inconsistent > 1e-10)
        text_printf(o,
                    "  the x(0) given is not consistent: its v differs from v(0) by %.3g and was "
                    "replaced\n",
                    p->inconsistent);
}

static const told_line point_lines[] = {
    {.words = "  {t:%-8.6g} {x:%15.12g; }  | {differential:%12.8g; }  | {nilpotent:%12.8g; }\n"},
    {0},
};

static const told_line solution_lines[] = {
    {.say = say_solution},
    {.words = "\n  t, x, then its parts by the matrix exponential (V1 u) and by N (V2 v)\n"},
    {.of = "solution.points", .inside = point_lines},
    {0},
};

static const told_line pencil_lines[] = {
    {.words = "F x' + G x = h with {n} unknown{n?|s}: "},
    {.inside = regular_lines, .when = "regular"},
    {.inside = singular_lines, .unless = "regular"},
    {.say = say_form},
    {.words = "\nx = ({unknowns})\n", .when = "named"},
    {.inside = solution_lines, .when = "solved"},
    {0},
};

const told_kind study_pencil = {
    .name = "pencil",
    .command = "pencil",
    .summary = "a linear DAE F x' + G x = h: regularity, Kronecker form, index, solution",
    .size = sizeof(vinc_pencil),
    .fields = pencil_fields,
    .lines = pencil_lines,
};

typedef struct pencil_job {
    vinc_ctx *ctx;
    const char *f, *g; // files, or
    vinc_model *model;
    const vinc_pencil_options *options;
    vinc_pencil **out;
    arena a;
    pencil_forcing forcing; // of an h without a closed form
    double *read;           // of a file, until it is in the arena; given back when the call ends
    size_t read_bytes;
} pencil_job;

static void give_back_read(pencil_job *j)
{
    mem_free(&j->ctx->m, j->read, j->read_bytes);
    j->read = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

// By columns, in the arena; NULL after a message.
static double *read_square(pencil_job *j, const char *path, int *n)
{
    vinc_ctx *ctx = j->ctx;
    int rows = 0, cols = 0;
    double *x = NULL;
    result_fault fault = {0};
    int rc = result_read_matrix(&ctx->m, path, &rows, &cols, &j->read, &fault);
    j->read_bytes = (size_t)rows * (size_t)cols * sizeof *x;
    if (rc == RESULT_E_MEMORY) mem_fail(&ctx->m);
    if (rc < 0) {
        diag_error(&ctx->diags, fault.code, (span){0}, "%s", fault.text);
        return NULL;
    }
    if (rows != cols)
        diag_error(&ctx->diags, "C150", (span){0},
                   "%s: the matrix is %d by %d; F and G must be square, with one row per equation "
                   "and one column per unknown",
                   path, rows, cols);
    else if (rows > UNKNOWNS_MAX)
        diag_error(&ctx->diags, "C150", (span){0}, "%s: %d unknowns; the dense analysis ends at %d",
                   path, rows, UNKNOWNS_MAX);
    else {
        x = arena_array(&j->a, double, (size_t)rows *(size_t)rows + 1);
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < cols; k++)
                x[i + (size_t)k * (size_t)rows] = j->read[(size_t)i * (size_t)cols + (size_t)k];
    }
    give_back_read(j);
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

static int solve_pencil(pencil_job *j, const pencil *p, pencil_solution *s, pencil_forcing *f)
{
    arena *a = &j->a;
    char why[PENCIL_WHY] = "";
    if (!p->regular) {
        diag_error(&j->ctx->diags, "C152", (span){0},
                   "the pencil is singular: F x' + G x = h has no solution determined by initial "
                   "values (%d arbitrary function%s); add equations, or leave out --rhs",
                   p->n - p->rank, p->n - p->rank == 1 ? "" : "s");
        return VINC_E_MODEL;
    }
    double *x0 = NULL;
    if (j->options->x0 && !(x0 = read_start(j->ctx, a, j->options->x0, p->n))) return VINC_E_OPTION;
    pencil_rhs *h = arena_new(a, pencil_rhs);
    bool closed = pencil_read_rhs(a, j->options->rhs, p->n, h, why) == 0;
    int rc = closed ? VINC_OK : pencil_forcing_read(j->ctx, a, p, j->options->rhs, f);
    if (rc) return rc;
    double *v0 = arena_array(a, double, p->n_infinite + 1);
    if (!closed) {
        *s = (pencil_solution){.p = p};
        pencil_forcing_at(f, f->v, p->n_infinite, 0, v0);
    }
    if (closed ? pencil_solve(a, p, h, x0, s) : pencil_start(a, p, x0, v0, s)) {
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

static int take_matrices(pencil_job *j, pencil_matrices *m)
{
    vinc_ctx *ctx = j->ctx;
    if (j->model) return study_linear_model(j->model, &j->a, m);
    int ng = 0;
    *m = (pencil_matrices){0};
    m->f = read_square(j, j->f, &m->n);
    m->g = m->f ? read_square(j, j->g, &ng) : NULL;
    if (!m->g) return VINC_E_OPTION;
    if (m->n == ng) return VINC_OK;
    diag_error(&ctx->diags, "C150", (span){0}, "F is %d by %d (%s) but G is %d by %d (%s)", m->n,
               m->n, j->f, ng, ng, j->g);
    return VINC_E_OPTION;
}

/* ---- the analysis ---------------------------------------------------------------------------- */

/* The last rows of V^-1; NULL where V is singular. */
static double *consistency(arena *a, const pencil *p)
{
    size_t n = (size_t)p->n, q = (size_t)p->n_finite, r = (size_t)p->n_infinite;
    if (!r) return NULL;
    double *copy = arena_array(a, double, n *n), *inverse = arena_array(a, double, n *n);
    double *w = arena_array(a, double, r *n);
    memcpy(copy, p->v, n * n * sizeof *copy);
    for (size_t i = 0; i < n; i++) inverse[i + i * n] = 1;
    if (la_solve_dense(p->n, p->n, copy, inverse, arena_array(a, int, n))) return NULL;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < r; i++) w[i + j * r] = inverse[q + i + j * n];
    return w;
}

static void take_regular(arena *a, const pencil *p, vinc_pencil *told)
{
    told->index = p->index;
    told->n_finite = p->n_finite;
    told->n_infinite = p->n_infinite;
    told->n_eigenvalues = p->n_finite;
    told->eig_re = p->eig_re;
    told->eig_im = p->eig_im;
    told->n_blocks = p->n_blocks;
    told->blocks = p->blocks;
    told->n_finite_blocks = p->n_finite_blocks;
    told->finite_blocks = p->finite_blocks;
    told->block_re = p->finite_re;
    told->block_im = p->finite_im;
    told->finite_jordan = p->finite_jordan;
    told->finite_condition = p->finite_condition;
    told->c = p->c;
    told->nil = p->nil;
    told->u = p->u;
    told->v = p->v;
    told->w = consistency(a, p);
    told->residual = p->residual;
    told->kept = p->kept;
    told->dropped = p->dropped;
}

static void take_form(const hessenberg *h, vinc_pencil *told)
{
    told->form = form_name(h);
    told->form_reason = h->why;
    told->form_condition = h->condition;
    told->n_algebraic = h->n_z;
    told->form_index = h->index;
    told->n_layers = h->layer ? told->n : 0;
    told->layers = h->layer;
}

/* Rows of coefficients as formulas. */
static const char **formulas(arena *a, const pencil_rhs *h, const double *rows, int n, text *room)
{
    const char **list = arena_array(a, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        text_clear(room);
        pencil_print_function(h, rows + i, n, room);
        list[i] = arena_strndup(a, text_str(room), room->n);
    }
    return list;
}

static void differential_forcing(void *user, double t, double *a)
{
    pencil_forcing *f = user;
    pencil_forcing_at(f, f->a, f->p->n_finite, t, a);
}

static void nilpotent_forcing(void *user, double t, double *v)
{
    pencil_forcing *f = user;
    pencil_forcing_at(f, f->v, f->p->n_infinite, t, v);
}

// h is not finite, or has no integral: nothing is told beyond.
static int say_pole(pencil_job *j, double t)
{
    diag_error(&j->ctx->diags, "C157", (span){0},
               "h(t) has a pole, or no value, at t = %.9g: the solution ends before it; choose "
               "--stop below, or an h that is finite",
               t);
    return VINC_E_MODEL;
}

/* x = V (u; v) at a time: its two parts and their sum, in one array of 3 n. */
static double *solution_parts(arena *a, const pencil *p, const double *u, const double *v)
{
    int n = p->n;
    double *x = arena_array(a, double, 3 * (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < p->n_finite; k++) x[i] += p->v[i + (size_t)k * (size_t)n] * u[k];
        for (int k = 0; k < p->n_infinite; k++)
            x[n + i] += p->v[i + (size_t)(p->n_finite + k) * (size_t)n] * v[k];
        x[2 * n + i] = x[i] + x[n + i];
    }
    return x;
}

static int take_points(const pencil_job *j)
{
    return j->options->intervals > 0 ? j->options->intervals : 10;
}

static double take_stop(const pencil_job *j)
{
    return j->options->stop != 0 ? j->options->stop : 1;
}

/* The solution for an h of no closed form. */
static int take_integral(pencil_job *j, const pencil_solution *s, pencil_forcing *f,
                         vinc_pencil *told)
{
    arena *a = &j->a;
    text *room = &j->ctx->out;
    const pencil *p = s->p;
    int points = take_points(j), n = p->n;
    told->solved = told->by_quadrature = 1;
    told->x0 = s->x0;
    told->inconsistent = s->inconsistent;
    told->n_u = p->n_finite;
    told->n_v = p->n_infinite;
    told->u0 = s->u0;
    told->u_rhs = pencil_forcing_text(a, f, f->a, p->n_finite, room);
    told->v_formula = pencil_forcing_text(a, f, f->v, p->n_infinite, room);
    pencil_integral q = {.n = p->n_finite,
                         .c = p->c,
                         .forcing = differential_forcing,
                         .user = f,
                         .scratch = f->scratch};
    size_t r = (size_t)p->n_infinite;
    pencil_integral between = {.n = p->n_infinite, // v needs no integral, but a pole is to be seen
                               .c = arena_array(a, double, r *r + 1),
                               .forcing = nilpotent_forcing,
                               .user = f,
                               .scratch = f->scratch};
    double *unused = arena_array(a, double, r + 1);
    double *u = arena_array(a, double, p->n_finite + 1),
           *v = arena_array(a, double, p->n_infinite + 1);
    if (p->n_finite) memcpy(u, s->u0, (size_t)p->n_finite * sizeof *u);
    vinc_pencil_point *list = arena_array(a, vinc_pencil_point, points + 1);
    for (int k = 0; k <= points; k++) {
        double t = take_stop(j) * k / points, before = take_stop(j) * (k - 1) / points;
        if (k && pencil_integrate(&q, before, t, u)) return say_pole(j, q.where);
        if (k && pencil_integrate(&between, before, t, unused)) return say_pole(j, between.where);
        pencil_forcing_at(f, f->v, p->n_infinite, t, v);
        for (int i = 0; i < p->n_infinite; i++)
            if (!isfinite(v[i])) return say_pole(j, t);
        double *x = solution_parts(a, p, u, v);
        list[told->n_points++] = (vinc_pencil_point){t, n, x, x + n, x + 2 * (size_t)n};
    }
    told->integral_error = q.error;
    told->points = list;
    return VINC_OK;
}

static void take_solution(pencil_job *j, const pencil_solution *s, vinc_pencil *told)
{
    arena *a = &j->a;
    text *room = &j->ctx->out;
    const pencil *p = s->p;
    double stop = take_stop(j);
    int points = take_points(j);
    told->solved = 1;
    told->x0 = s->x0;
    told->inconsistent = s->inconsistent;
    told->n_u = p->n_finite;
    told->u0 = s->u0;
    told->u_rhs = formulas(a, s->h, s->uw, p->n_finite, room);
    told->k_known = s->up != NULL;
    told->n_k = s->up ? p->n_finite : 0;
    told->k = s->k;
    if (s->up) told->p = formulas(a, s->h, s->up, p->n_finite, room);
    told->n_v = p->n_infinite;
    told->v_formula = formulas(a, s->h, s->vw, p->n_infinite, room);
    vinc_pencil_point *list = arena_array(a, vinc_pencil_point, points + 1);
    for (int k = 0; k <= points; k++) {
        double t = stop * k / points;
        double *u = arena_array(a, double, 3 * (size_t)p->n + 1), *v = u + p->n, *x = v + p->n;
        if (pencil_solution_at(a, s, t, u, v)) break;
        for (int i = 0; i < p->n; i++) x[i] = u[i] + v[i];
        list[told->n_points++] = (vinc_pencil_point){t, p->n, u, v, x};
    }
    told->points = list;
}

static int tell_pencil(void *job)
{
    pencil_job *j = job;
    vinc_ctx *ctx = j->ctx;
    arena *a = &j->a;
    pencil_matrices m;
    watch_doing(&ctx->watch, "taking the pencil apart", NULL);
    int rc = take_matrices(j, &m);
    if (rc) return rc;
    pencil p;
    if (pencil_analyse(a, m.n, m.f, m.g, &p)) {
        diag_error(&ctx->diags, "C154", (span){0},
                   "the analysis failed: an entry is not finite, or sizes overflow");
        return VINC_E_MODEL;
    }
    if (p.regular) pencil_finite_jordan(a, &p, m.f, m.g, j->options ? j->options->tol : 0);
    hessenberg form;
    pencil_solution s = {0};
    pencil_forcing *h = &j->forcing;
    hessenberg_test(a, m.n, m.f, m.g, &form);
    bool wanted = j->options && j->options->rhs;
    rc = wanted ? solve_pencil(j, &p, &s, h) : VINC_OK;
    if (rc) return rc;
    vinc_pencil told = {.n = m.n,
                        .regular = p.regular,
                        .named = m.names != NULL,
                        .n_unknowns = m.names ? m.n : 0,
                        .unknowns = m.names,
                        .index = -1,
                        .n_finite = -1,
                        .n_infinite = -1,
                        .rank = p.rank,
                        .degree = p.degree,
                        .free_columns = p.free_columns,
                        .void_rows = p.void_rows};
    if (p.regular) take_regular(a, &p, &told);
    take_form(&form, &told);
    if (wanted && s.h) take_solution(j, &s, &told);
    else if (wanted) rc = take_integral(j, &s, h, &told);
    if (rc) return rc;
    return told_keep(&ctx->lasting, &study_pencil, &told, j->out);
}

static int run_pencil(pencil_job *j)
{
    if (j->out) *j->out = NULL;
    if (!j->ctx || !j->out) return api_lacks(j->ctx, "a place for the report");
    if (!j->model && (!j->f || !j->g)) return api_lacks(j->ctx, "two files with matrices");
    int room = api_needs_blas(j->ctx);
    if (room) return room;
    arena_init(&j->a, &j->ctx->m);
    int rc = api_guarded(j->ctx, tell_pencil, j);
    give_back_read(j);
    vinc_model_free(j->forcing.model);
    arena_done(&j->a);
    return rc;
}

int vinc_pencil_of(vinc_ctx *ctx, const char *f_csv, const char *g_csv,
                   const vinc_pencil_options *options, vinc_pencil **out)
{
    return run_pencil(
        &(pencil_job){.ctx = ctx, .f = f_csv, .g = g_csv, .options = options, .out = out});
}

int vinc_pencil_of_model(vinc_model *model, const vinc_pencil_options *options, vinc_pencil **out)
{
    vinc_ctx *ctx = model ? model->ctx : NULL;
    return run_pencil(&(pencil_job){.ctx = ctx, .model = model, .options = options, .out = out});
}

int vinc_pencil_report(vinc_ctx *ctx, const char *f_csv, const char *g_csv,
                       const vinc_pencil_options *options, vinc_format format, const char **out)
{
    vinc_pencil *told = NULL;
    int rc = vinc_pencil_of(ctx, f_csv, g_csv, options, &told);
    return study_say_ctx(ctx, rc, told, format, out);
}

int vinc_model_pencil(vinc_model *model, const vinc_pencil_options *options, vinc_format format,
                      const char **out)
{
    vinc_pencil *told = NULL;
    int rc = vinc_pencil_of_model(model, options, &told);
    return study_say(model, rc, told, format, out);
}
