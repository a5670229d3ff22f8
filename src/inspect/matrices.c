/* SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/matrices.h"

#include "run/verbs.h"
#include "start/start.h"
#include "structure/dag.h"

#include <math.h>
#include <string.h>

enum { ELIMINATE_MOST = 8 }; // constraints that are eliminated by formulas

static const double RANK_TOL = 1e-11;

static inspect_matrix matrix_new(arena *a, int rows, int cols, bool formulas)
{
    size_t size = (size_t)rows * (size_t)cols + 1;
    return (inspect_matrix){rows, cols, arena_array(a, double, size),
                            formulas ? arena_array(a, expr, size) : NULL};
}

/* ---- formulas -------------------------------------------------------------------------------- */

typedef struct formulas {
    const form_system *f;
    expr_pool *p;
    arena *scratch;
    expr_subst rest; // accelerations and multipliers to 0
} formulas;

static expr component_var(const formulas *w, int component)
{
    return w->f->s->entries.at[w->f->unknowns.at[component].entry].var;
}

static void formulas_begin(formulas *w, const form_system *f, arena *scratch)
{
    const image_mechanical *q = f->mechanical;
    *w = (formulas){.f = f, .p = f->s->pool, .scratch = scratch};
    expr_subst_init(&w->rest, w->p, scratch);
    for (int j = 0; j < q->n + q->n_followers; j++)
        expr_subst_set(&w->rest, component_var(w, q->acceleration[j]), w->p->zero);
    for (int j = 0; j < q->m + q->n_laws; j++)
        expr_subst_set(&w->rest, component_var(w, q->multiplier[j]), w->p->zero);
}

/* Row i of a matrix: derivatives of a row of the system by components, times sign. */
static void take_slopes(formulas *w, inspect_matrix *x, int i, int row, const int *by, double sign)
{
    for (int j = 0; j < x->cols && x->formula; j++) {
        const char *why = "";
        expr d =
            expr_diff(w->p, w->f->functions.at[row], component_var(w, by[j]), w->scratch, &why);
        if (!d) {
            x->formula = NULL;
            return;
        }
        double factor = 1;
        d = expr_without_factor(w->p, expr_subst_apply(&w->rest, d), &factor);
        d = expr_2(w->p, EXPR_MUL, expr_real(w->p, sign * factor), d);
        x->formula[i + (size_t)j * (size_t)x->rows] = d;
    }
}

static void take_rest(formulas *w, inspect_matrix *x, int i, int row, double sign)
{
    if (!x->formula) return;
    expr e = expr_subst_apply(&w->rest, w->f->functions.at[row]);
    x->formula[i] = sign < 0 ? e : expr_1(w->p, EXPR_NEG, e);
}

/* ---- T --------------------------------------------------------------------------------------- */

static double *at_number(const inspect_matrix *x, int i, int j)
{
    return &x->x[i + (size_t)j * (size_t)x->rows];
}

static expr *at_formula(const inspect_matrix *x, int i, int j)
{
    return &x->formula[i + (size_t)j * (size_t)x->rows];
}

/* Of elements that are large enough the one with the fewest others in its row and column: formulas
 * stay short (H. M. Markowitz, Management Science 3 (1957) 255-269). Numbers decide, formulas follow
 * the same steps. */
static bool next_pivot(const expr_pool *p, const inspect_matrix *g, const bool *used,
                       const bool *dependent, double least, int *row, int *col)
{
    static const double LARGE = 0.1; // of the largest left
    double most = least;
    int best = -1;
    for (int j = 0; j < g->cols; j++)
        for (int i = 0; i < g->rows && !dependent[j]; i++)
            if (!used[i]) most = fmax(most, fabs(*at_number(g, i, j)));
    for (int j = 0; j < g->cols && most > least; j++)
        for (int i = 0; i < g->rows; i++) {
            if (used[i] || dependent[j] || fabs(*at_number(g, i, j)) < LARGE * most) continue;
            int in_row = 0, in_col = 0;
            for (int k = 0; k < g->cols && g->formula; k++)
                in_row += *at_formula(g, i, k) != p->zero;
            for (int k = 0; k < g->rows && g->formula; k++)
                in_col += *at_formula(g, k, j) != p->zero;
            int others = (in_row - 1) * (in_col - 1) * (g->cols + 1) + in_row;
            if (best >= 0 && others >= best) continue;
            best = others;
            *row = i, *col = j;
        }
    return best >= 0;
}

static expr ratio(expr_pool *p, expr a, expr b)
{
    double fa = 1, fb = 1;
    expr x = expr_without_factor(p, a, &fa), y = expr_without_factor(p, b, &fb);
    expr f = expr_real(p, fa / fb);
    if (x == y) return f;
    return expr_2(p, EXPR_MUL, f, expr_2(p, EXPR_DIV, x, y));
}

static void eliminate(expr_pool *p, inspect_matrix *g, int row, int col)
{
    double pivot = *at_number(g, row, col);
    expr by = g->formula ? *at_formula(g, row, col) : 0;
    for (int j = 0; j < g->cols; j++) {
        *at_number(g, row, j) /= pivot;
        if (by) *at_formula(g, row, j) = ratio(p, *at_formula(g, row, j), by);
    }
    for (int i = 0; i < g->rows; i++) {
        double factor = *at_number(g, i, col);
        expr f = by ? *at_formula(g, i, col) : 0;
        if (i == row || (factor == 0 && (!f || f == p->zero))) continue;
        for (int j = 0; j < g->cols; j++) {
            *at_number(g, i, j) -= factor * *at_number(g, row, j);
            if (!by) continue;
            expr part = expr_2(p, EXPR_MUL, f, *at_formula(g, row, j));
            *at_formula(g, i, j) = expr_2(p, EXPR_SUB, *at_formula(g, i, j), part);
        }
        *at_number(g, i, col) = 0;
        if (by) *at_formula(g, i, col) = p->zero;
    }
}

/* T = [I; -G_d^-1 G_i] in the order of the coordinates. */
static void take_basis(expr_pool *p, inspect_matrices *o, arena *a)
{
    int n = o->n, m = o->m;
    bool formula = o->G.formula && m <= ELIMINATE_MOST;
    inspect_matrix g = matrix_new(a, m, n, formula);
    size_t size = (size_t)m * (size_t)n;
    if (size) memcpy(g.x, o->G.x, size * sizeof *g.x);
    if (size && formula) memcpy(g.formula, o->G.formula, size * sizeof *g.formula);
    bool *dependent = arena_array(a, bool, n + 1), *free = arena_array(a, bool, n + 1);
    int *row_of = arena_array(a, int, n + 1), row, col;
    double most = 0;
    for (size_t k = 0; k < size; k++) most = fmax(most, fabs(g.x[k]));
    int rank = 0;
    bool *used = arena_array(a, bool, m + 1);
    while (next_pivot(p, &g, used, dependent, RANK_TOL * most, &row, &col)) {
        eliminate(p, &g, row, col);
        dependent[col] = used[row] = true;
        row_of[col] = row;
        rank++;
    }
    o->free = n - rank;
    o->T = matrix_new(a, n, o->free, formula);
    for (int j = 0, at = 0; j < n; j++) {
        free[j] = !dependent[j];
        if (dependent[j]) continue;
        for (int i = 0; i < n; i++) {
            *at_number(&o->T, i, at) = dependent[i] ? -*at_number(&g, row_of[i], j) : i == j;
            if (!formula) continue;
            expr e = i == j ? p->one : p->zero;
            if (dependent[i]) e = expr_1(p, EXPR_NEG, *at_formula(&g, row_of[i], j));
            *at_formula(&o->T, i, at) = e;
        }
        at++;
    }
    o->independent = free;
}

static void take_projected(expr_pool *p, inspect_matrices *o, arena *a)
{
    bool formula = o->T.formula && o->M.formula;
    o->TMT = matrix_new(a, o->free, o->free, formula);
    for (int j = 0; j < o->free; j++)
        for (int i = 0; i < o->free; i++) {
            double sum = 0;
            expr e = p->zero;
            for (int k = 0; k < o->n; k++)
                for (int l = 0; l < o->n; l++) {
                    sum +=
                        *at_number(&o->T, k, i) * *at_number(&o->M, k, l) * *at_number(&o->T, l, j);
                    if (!formula) continue;
                    expr part = expr_2(
                        p, EXPR_MUL, *at_formula(&o->T, k, i),
                        expr_2(p, EXPR_MUL, *at_formula(&o->M, k, l), *at_formula(&o->T, l, j)));
                    e = expr_2(p, EXPR_ADD, e, part);
                }
            *at_number(&o->TMT, i, j) = sum;
            if (formula) *at_formula(&o->TMT, i, j) = e;
        }
}

/* ---- all ------------------------------------------------------------------------------------- */

static const char *constraint_text(const form_system *f, int row, arena *a)
{
    text t;
    text_init(&t, a->m);
    int e = f->rows.at[row].equation;
    if (e >= 0) structure_equation_text(f->s, e, 0, &t);
    const char *words = arena_strndup(a, text_str(&t), t.n);
    text_done(&t);
    return words;
}

/* Of the component whose derivative an acceleration is. */
static const char *velocity_name(const form_system *f, int acceleration, arena *a)
{
    return form_name_in(f, f->places[f->unknowns.at[acceleration].entry - 1].at, a);
}

/* Do the laws of force leave M as it is written? */
static bool laws_without_inertia(const form_system *f, arena *scratch)
{
    const image_mechanical *q = f->mechanical;
    dag d;
    int_array vars = {0};
    dag_init(&d, f->s->pool, scratch);
    for (int i = 0; i < q->n_laws; i++) dag_vars(&d, f->functions.at[q->dynamic[q->n + i]], &vars);
    for (int k = 0; k < vars.n; k++) {
        int e = structure_entry_of(f->s, vars.at[k]);
        for (int j = 0; e >= 0 && j < q->n; j++)
            if (f->unknowns.at[q->acceleration[j]].entry == e) return false;
    }
    return true;
}

int inspect_matrices_at(run_state *s, double t, const double *y, arena *a, arena *scratch,
                        inspect_matrices *o)
{
    const form_system *f = run_model(s)->form;
    const image_mechanical *q = f->mechanical;
    int n = q->n, m = q->m, followers = q->n_followers;
    *o = (inspect_matrices){.n = n, .m = m};
    // What followers and laws leave is had in numbers.
    o->M = matrix_new(a, n, n, followers == q->n_massless && laws_without_inertia(f, scratch));
    o->B = matrix_new(a, n, m, !q->n_laws);
    o->G = matrix_new(a, m, n, !followers);
    o->Q = matrix_new(a, n, 1, followers == q->n_massless && !q->n_laws);
    o->c = matrix_new(a, m, 1, !followers);
    run_mechanics x = {.n = n,
                       .m = m,
                       .M = o->M.x,
                       .B = o->B.x,
                       .G = o->G.x,
                       .rd = o->Q.x,
                       .rc = o->c.x,
                       .acceleration = arena_array(a, int, n + 1),
                       .constraint = arena_array(a, int, m + 1),
                       .multiplier = arena_array(a, int, m + 1)};
    int rc = run_mechanics_at(s, t, y, &x);
    if (rc) return rc;

    int *row_of = arena_array(a, int, n + 1);
    for (int i = 0; i < n; i++) row_of[i] = i;
    start_pair_rows(n, o->M.x, row_of, scratch);
    inspect_matrix M = matrix_new(a, n, n, false), B = matrix_new(a, n, m, false),
                   Q = matrix_new(a, n, 1, false);
    formulas w;
    formulas_begin(&w, f, scratch);
    for (int i = 0; i < n; i++) {
        int from = row_of[i], row = q->dynamic[from];
        double sign = *at_number(&o->M, from, i) < 0 ? -1 : 1;
        for (int j = 0; j < n; j++) *at_number(&M, i, j) = sign * *at_number(&o->M, from, j);
        for (int j = 0; j < m; j++) *at_number(&B, i, j) = sign * *at_number(&o->B, from, j);
        Q.x[i] = -sign * o->Q.x[from];
        take_slopes(&w, &o->M, i, row, x.acceleration, sign);
        take_slopes(&w, &o->B, i, row, x.multiplier, sign);
        take_rest(&w, &o->Q, i, row, sign);
    }
    o->M.x = M.x, o->B.x = B.x, o->Q.x = Q.x;
    for (int i = 0; i < m; i++) {
        o->c.x[i] = -o->c.x[i];
        take_slopes(&w, &o->G, i, x.constraint[i], x.acceleration, 1);
        take_rest(&w, &o->c, i, x.constraint[i], 1);
    }
    take_basis(w.p, o, a);
    take_projected(w.p, o, a);

    o->coordinates = arena_array(a, const char *, n + 1);
    o->multipliers = arena_array(a, const char *, m + 1);
    o->constraints = arena_array(a, const char *, m + 1);
    for (int j = 0; j < n; j++) o->coordinates[j] = velocity_name(f, x.acceleration[j], a);
    for (int j = 0; j < m; j++) o->multipliers[j] = form_name_in(f, x.multiplier[j], a);
    for (int j = 0; j < m; j++) o->constraints[j] = constraint_text(f, x.constraint[j], a);
    return 0;
}
