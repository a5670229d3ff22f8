/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/krylov.h"

#include "method/step.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* To round-off, Newton goes on anyway: each of its systems is solved to this part of its residual. */
static const double RESIDUAL_PART_EXACT = 1e-3;

/* A row with L entries asks for L products, and a sum over a grid has as many as the grid. Rows that are longer
 * than this, and this many times the mean, have only the entry of their own unknown in the
 * preconditioner. Choice: stencils of 27 points with several fields stay whole. */
enum { ROW_LONG_LEAST = 200, ROW_LONG_MEANS = 8 };

static size_t krylov_layout(method_krylov *k, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)k->precond.n;
    double **arrays[] = {&k->size, &k->row_size, &k->weight, &k->v, &k->vp, &k->out};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    int **lists[] = {&k->color_column, &k->row_of, &k->unknown_of};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) *lists[i] = bump_int(&b, n);
    k->color_start = bump_int(&b, (size_t)k->n_colors + 1);
    la_gmres_layout(&k->gmres, &b);
    if (k->precond.kind->layout) k->precond.kind->layout(&k->precond, &b);
    return bump_end(&b);
}

/* ---- equations and unknowns ------------------------------------------------------------------ */

/* Columns sorted by colour. color: n of workspace with the colour of each. */
static void krylov_sort_colors(method_krylov *k, const int *color)
{
    int n = k->precond.n, at = 0;
    memset(k->color_start, 0, ((size_t)k->n_colors + 1) * sizeof(int));
    for (int j = 0; j < n; j++) k->color_start[color[j] + 1]++;
    for (int i = 0; i < k->n_colors; i++) k->color_start[i + 1] += k->color_start[i];
    for (int i = 0; i < k->n_colors; i++)
        for (int j = 0; j < n && at < k->color_start[i + 1]; j++)
            if (color[j] == i) k->color_column[at++] = j;
}

static int krylov_structure(method_core *c, method_krylov *k, int *work)
{
    const vinc_pattern *a = &k->own;
    int n = c->n;
    krylov_sort_colors(k, work);
    int open = la_precond_match(a, k->row_of, k->unknown_of, work);
    if (open < 0) return VINC_OK;
    const char *name = c->p->unknown_name ? c->p->unknown_name(c->p->user, open) : NULL;
    if (name)
        snprintf(c->run->message, METHOD_WHY,
                 "'krylov' finds no equation for %s: by their structure the equations do not "
                 "determine all of the %d unknowns",
                 name, n);
    else core_explain(c, "'krylov' finds no equation for y[%d]: the pattern is singular", open);
    return VINC_E_PROBLEM;
}

/* Entries by row; how many rows are long. */
static int krylov_count_rows(const vinc_pattern *a, int *count, int *limit)
{
    int n_long = 0;
    memset(count, 0, (size_t)a->n_rows * sizeof *count);
    for (int q = 0; q < a->nnz; q++) count[a->row[q]]++;
    *limit = a->n_rows ? ROW_LONG_MEANS * (a->nnz / a->n_rows) : 0;
    if (*limit < ROW_LONG_LEAST) *limit = ROW_LONG_LEAST;
    for (int i = 0; i < a->n_rows; i++) n_long += count[i] > *limit;
    return n_long;
}

/* Without the entries of long rows, but for those of their own unknowns. */
static void krylov_thin(method_krylov *k, const int *count, int limit, const int *unknown_of)
{
    const vinc_pattern a = k->own;
    int *start = k->thin, *row = start + a.n_cols + 1, at = 0;
    for (int j = 0; j < a.n_cols; j++) {
        start[j] = at;
        for (int q = a.start[j]; q < a.start[j + 1]; q++)
            if (count[a.row[q]] <= limit || unknown_of[a.row[q]] == j) row[at++] = a.row[q];
    }
    start[a.n_cols] = at;
    k->own.start = start;
    k->own.row = row;
    k->own.nnz = at;
}

/* Colours of the columns, which share no row; own unknowns of long rows have a colour each, as the other columns
 * share that row. work: 3 n. VINC_OK or VINC_E_MEMORY. */
static int krylov_color(method_core *c, method_krylov *k, int *color, int *work)
{
    size_t n = (size_t)c->n, bytes = 3 * n * sizeof(int);
    int *count = mem_try(c->m, bytes + 1), limit, status = VINC_OK;
    if (!count) return VINC_E_MEMORY;
    int *row_of = count + n, *unknown_of = row_of + n;
    bool thin = krylov_count_rows(&k->own, count, &limit) > 0 &&
                la_precond_match(&k->own, row_of, unknown_of, work) < 0;
    if (thin) {
        k->thin_bytes = (n + 1 + (size_t)k->own.nnz) * sizeof(int);
        k->thin = mem_try(c->m, k->thin_bytes);
        if (k->thin) krylov_thin(k, count, limit, unknown_of);
        else status = VINC_E_MEMORY;
    }
    if (!status) k->n_colors = problem_color(&k->own, color, work);
    for (int i = 0; thin && !status && i < c->n; i++)
        if (count[i] > limit) color[unknown_of[i]] = k->n_colors++;
    mem_free(c->m, count, bytes + 1);
    return status;
}

static int krylov_refuse(const method_core *c, const la_precond_kind *kind)
{
    snprintf(c->run->message, METHOD_WHY,
             "the preconditioner '%s' needs the pattern of the Jacobian (vinc_problem.jac), which "
             "this problem does not give; use precond=none",
             kind->name);
    return VINC_E_PROBLEM;
}

int krylov_open(method_core *c, method_krylov **out)
{
    const method_linear *l = &c->linear;
    *out = NULL;
    if (l->precond->structured && !c->p->jac) return krylov_refuse(c, l->precond);
    size_t work_bytes = (4 * (size_t)c->n + 1) * sizeof(int);
    int *work = mem_try(c->m, work_bytes), status = VINC_E_MEMORY, colored = VINC_OK;
    method_krylov *k = mem_try(c->m, sizeof *k);
    if (k) *k = (method_krylov){.c = c};
    if (k && work) {
        const la_shared *shared = c->p->shared;
        int n_all = shared_size(shared, c->n);
        if (c->p->jac) k->own = *c->p->jac;
        if (c->p->jac) k->own.nnz = k->own.start[c->n];
        k->own.n_cols = c->n;
        k->precond = (la_precond){.kind = l->precond,
                                  .n = c->n,
                                  .pattern = c->p->jac ? &k->own : NULL,
                                  .block = l->block,
                                  .relax = l->relax};
        k->gmres.n = c->n;
        k->gmres.shared = shared;
        k->gmres.restart = l->restart < n_all ? l->restart : n_all > 0 ? n_all : 1;
        k->gmres.iterations_max = l->iterations;
        if (shared && shared->color) {
            k->n_colors = shared->n_colors;
            memcpy(work, shared->color, (size_t)c->n * sizeof *work);
        } else if (c->p->jac) {
            colored = krylov_color(c, k, work, work + c->n);
            if (shared) k->n_colors = (int)shared_most(shared, k->n_colors); // products are of all
        }
        k->bytes = krylov_layout(k, NULL) + 1;
        k->block = colored ? NULL : mem_try(c->m, k->bytes);
    }
    if (k && k->block) {
        krylov_layout(k, k->block);
        k->precond.row_of = k->row_of;
        k->precond.unknown_of = k->unknown_of;
        k->precond.size = k->size;
        status = c->p->jac ? krylov_structure(c, k, work) : VINC_OK;
        if (!status && k->precond.kind->prepare) k->precond.kind->prepare(&k->precond);
    }
    if (work) mem_free(c->m, work, work_bytes);
    if (status && k) krylov_close(c, k);
    else *out = k;
    return status;
}

void krylov_close(method_core *c, method_krylov *k)
{
    if (!k) return;
    if (k->block) mem_free(c->m, k->block, k->bytes);
    if (k->thin) mem_free(c->m, k->thin, k->thin_bytes);
    mem_free(c->m, k, sizeof *k);
}

/* ---- products -------------------------------------------------------------------------------- */

/* out := G v at the point, equations in their own order; v and out are the workspace. apart: without what others
 * have of v. */
static int krylov_product(method_krylov *k, bool apart)
{
    const vinc_problem *p = k->c->p;
    const double *restrict v = k->v;
    double *restrict vp = k->vp;
    double c = k->at.c;
    if (k->factor)
        for (int i = 0; i < p->n; i++) vp[i] = c * k->factor[i] * v[i];
    else
        for (int i = 0; i < p->n; i++) vp[i] = c * v[i];
    k->c->run->stats.products++;
    if (apart && p->shared && p->shared->own_product)
        return p->shared->own_product(p->user, k->at.t, k->at.y, k->at.yp, v, vp, k->out);
    return p->product(p->user, k->at.t, k->at.y, k->at.yp, v, vp, k->out);
}

/* The equations of the unknowns in their order, through the preconditioner, in units of the norm. */
static void krylov_through(const method_krylov *k, const double *rows, double *x)
{
    int n = k->precond.n;
    if (k->n_colors)
        for (int j = 0; j < n; j++) x[j] = rows[k->row_of[j]];
    else memcpy(x, rows, (size_t)n * sizeof *x);
    k->precond.kind->apply(&k->precond, x);
    for (int j = 0; j < n; j++) x[j] *= k->weight[j];
}

static int krylov_apply(void *user, const double *v, double *out)
{
    method_krylov *k = user;
    for (int j = 0; j < k->precond.n; j++) k->v[j] = v[j] / k->weight[j];
    int status = krylov_product(k, false);
    if (!status) krylov_through(k, k->out, out);
    return status;
}

static void krylov_begin(method_krylov *k, const method_matrix *g, const matrix_point *at)
{
    k->at = *at;
    k->at.c *= g->c_scale;
    k->factor = g->factor;
    problem_norm_weights(&k->c->norm, at->h, k->weight);
}

/* ---- the preconditioner ---------------------------------------------------------------------- */

/* One product for each colour; every entry is met once. */
static int krylov_columns(method_krylov *k)
{
    const vinc_pattern *a = k->precond.pattern;
    int n = k->precond.n;
    memset(k->row_size, 0, (size_t)n * sizeof(double));
    memset(k->v, 0, (size_t)n * sizeof(double));
    for (int color = 0; color < k->n_colors; color++) {
        const int *from = k->color_column + k->color_start[color];
        const int *to = k->color_column + k->color_start[color + 1];
        for (const int *j = from; j < to; j++) k->v[*j] = 1;
        int status = krylov_product(k, true);
        if (status) return status;
        for (const int *j = from; j < to; j++) {
            k->v[*j] = 0;
            k->size[*j] = k->out[k->row_of[*j]] < 0 ? -1 : 1;
            for (int q = a->start[*j]; q < a->start[*j + 1]; q++) {
                double x = fabs(k->out[a->row[q]]) / k->weight[*j], *most = &k->row_size[a->row[q]];
                if (!(x <= *most)) *most = x;
            }
            if (k->precond.kind->column) k->precond.kind->column(&k->precond, *j, k->out);
        }
    }
    return 0;
}

int krylov_precondition(method_krylov *k, const method_matrix *g, const matrix_point *at)
{
    int n = k->precond.n;
    krylov_begin(k, g, at);
    k->c->run->stats.preconditioners++;
    la_gmres_forget(&k->gmres);
    for (int j = 0; j < n && !k->n_colors; j++) k->size[j] = 1;
    int status = k->n_colors ? krylov_columns(k) : 0;
    if (status) return step_status(status);
    bool finite = true;
    for (int j = 0; j < n && k->n_colors; j++) {
        double row = k->row_size[k->row_of[j]];
        finite = finite && row < INFINITY;
        k->size[j] *= row > 0 ? row * k->weight[j] : 1;
    }
    if (!problem_finite_in_all(k->c->p, finite)) return STEP_UNDEFINED;
    k->replaced = k->precond.kind->finish ? k->precond.kind->finish(&k->precond) : 0;
    return STEP_OK;
}

/* ---- solving --------------------------------------------------------------------------------- */

int krylov_solve(method_krylov *k, const method_matrix *g, const matrix_point *at, double *b)
{
    method_core *c = k->c;
    krylov_begin(k, g, at);
    krylov_through(k, b, k->v);
    memcpy(b, k->v, (size_t)c->n * sizeof *b);
    double relative = c->fixed ? RESIDUAL_PART_EXACT : 0;
    int status = la_gmres_solve(&k->gmres, krylov_apply, k, b, at->tol, relative);
    c->run->stats.linear_iterations += k->gmres.iterations;
    c->stagnant = status == GMRES_STAGNANT ? k->gmres.iterations : 0;
    if (status == GMRES_STOPPED) return step_status(k->gmres.status);
    if (status == GMRES_STAGNANT) return STEP_NEWTON;
    for (int j = 0; j < c->n; j++) b[j] /= k->weight[j];
    return STEP_OK;
}

int krylov_mass(method_krylov *k, const matrix_point *at, double factor, const double *e,
                double *out)
{
    const vinc_problem *p = k->c->p;
    memset(k->v, 0, (size_t)p->n * sizeof *k->v);
    for (int i = 0; i < p->n; i++) k->vp[i] = factor * e[i];
    k->c->run->stats.products++;
    return step_status(p->product(p->user, at->t, at->y, at->yp, k->v, k->vp, out));
}
