/* Reactions that do work.
 *
 * A constraint is ideal where its reaction does no work in the displacements that it allows: with Z
 * a basis of the null space of G, Z^T B = 0 (P. Appell, Traite de mecanique rationnelle II,
 * Gauthier-Villars 1911; F. E. Udwadia and R. E. Kalaba, J. Appl. Mech. 69 (2002) 335-339, for what
 * takes its place otherwise). Friction mu N in the equations of motion violates it.
 *
 * The equations of motion come in any order. It follows from M: of a positive definite matrix no
 * product of elements, one in each row and column, exceeds that of the diagonal. They are taken in
 * the scale in which they are written, but for those solved for their acceleration, as der(v) =
 * F/m, in models without T: for them a diagonal D with D M symmetric and Z^T D B = 0 at several
 * points is looked for. The points lie around the one given, on the constraints: at rest there is
 * no friction to be seen.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "inspect/inspect.h"
#include "la/dense.h"
#include "newton/iterate.h"
#include "run/verbs.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4, SHOWN = 6 };
static const double DISPLACEMENT = 0.1; // relative to the size of a component
static const double RANK_TOL = 1e-11;   // of G, rows of equal size
static const double WORK_TOL = 1e-7;    // of reactions and displacements of unit size
static const double SCALE_TOL = 1e-13;  // of the normal equations for D
static const double SCALE_LEAST = 1e-6; // of its elements beside the largest

typedef struct survey {
    run_mechanics at;
    int *row_of;     // by coordinate: its equation of motion
    bool energies;   // the model has T and V
    int free;        // columns of Z
    double *y, *yp;  // a point nearby, at rest
    double *values;  // of the constraints there
    double *Z, *G;   // n*n, m*n
    double *normal;  // n*n: the sum of a a^T over the equations a d = 0
    double *row;     // n: one of them; the rows of a column in another order
    double *scale;   // n: D
    double *work_of; // m: by multiplier, the largest work
    double *sigma, *vt, *la;
    int n_holonomic; // constraints on positions
    double *phi, *phi_y, *step;
    int *pivots;
} survey;

static size_t survey_layout(survey *x, const code_model *model, void *block)
{
    const image_mechanical *q = model->form->mechanical;
    bump b = bump_begin(block);
    size_t n = (size_t)q->n, m = (size_t)q->m;
    size_t svd = la_svd_work(q->n, q->n), null_space = la_null_work(q->m, q->n);
    *x = (survey){.at = {.n = q->n, .m = q->m}, .energies = model->system.energy.n_out > 0};
    x->at.M = bump_double(&b, n * n);
    x->at.B = bump_double(&b, n * m);
    x->at.G = bump_double(&b, n * m);
    x->at.rd = bump_double(&b, n);
    x->at.rc = bump_double(&b, m);
    x->at.acceleration = bump_int(&b, n);
    x->at.constraint = bump_int(&b, m);
    x->at.multiplier = bump_int(&b, m);
    x->y = bump_double(&b, (size_t)model->n);
    x->yp = bump_double(&b, (size_t)model->n);
    x->values = bump_double(&b, (size_t)model->system.constraints.n_out);
    x->Z = bump_double(&b, n * n);
    x->G = bump_double(&b, n * m);
    x->normal = bump_double(&b, n * n);
    x->row = bump_double(&b, n);
    x->scale = bump_double(&b, n);
    x->work_of = bump_double(&b, m);
    x->sigma = bump_double(&b, n);
    x->vt = bump_double(&b, n * n);
    x->row_of = bump_int(&b, n);
    for (int k = 0; k < model->system.constraints.n_out; k++)
        x->n_holonomic += model->system.constraint_level[k] == 0;
    size_t rows = (size_t)x->n_holonomic, columns = (size_t)model->n,
           least = la_least_norm_work(x->n_holonomic, model->n);
    x->phi = bump_double(&b, rows);
    x->phi_y = bump_double(&b, rows * columns);
    x->step = bump_double(&b, columns);
    x->pivots = bump_int(&b, columns);
    if (svd < null_space) svd = null_space;
    x->la = bump_double(&b, svd > least ? svd : least);
    return bump_end(&b);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void sort_rows(survey *x, double *a, int columns)
{
    int n = x->at.n;
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < n; i++) x->row[i] = a[x->row_of[i] + j * n];
        memcpy(a + (size_t)j * (size_t)n, x->row, (size_t)n * sizeof *a);
    }
}

/* Constraints on positions at x->y. */
static void holonomic(run_state *s, const survey *x, double t, double *out)
{
    const code_system *f = &run_model(s)->system;
    run_eval(s, &f->constraints, t, x->y, x->yp, x->values, NULL);
    for (int k = 0, i = 0; k < f->constraints.n_out; k++)
        if (f->constraint_level[k] == 0) out[i++] = x->values[k];
}

/* The point x->y onto the constraints, by Newton's method with differences: two descriptions of one
 * thing (an end of a rod and its angle) must agree. */
typedef struct settling {
    run_state *s;
    survey *x;
    double t;
} settling;

static double settling_step(void *user, bool anew, double *measure)
{
    static const double DIFFERENCE_STEP = 1e-7;
    const settling *q = user;
    survey *x = q->x;
    int m = x->n_holonomic, n = run_model(q->s)->n;
    (void)anew, (void)measure;
    holonomic(q->s, x, q->t, x->phi);
    for (int j = 0; j < n; j++) {
        double *col = x->phi_y + (size_t)j * (size_t)m, y = x->y[j];
        double h = DIFFERENCE_STEP * fmax(fabs(y), run_nominal(q->s)[j]);
        x->y[j] = y + h;
        holonomic(q->s, x, q->t, col);
        x->y[j] = y;
        for (int i = 0; i < m; i++) col[i] = (col[i] - x->phi[i]) / h;
    }
    return la_least_norm(m, n, x->phi_y, x->phi, x->step, 1e-6, x->la, x->pivots) < 0 ? -1 : 1;
}

static double settling_move(void *user, double factor)
{
    const settling *q = user;
    for (int j = 0; j < run_model(q->s)->n; j++) q->x->y[j] -= factor * q->x->step[j];
    return 0;
}

static void ideal_settle(run_state *s, survey *x, double t)
{
    static const newton_verbs verbs = {.correction = settling_step, .trial = settling_move};
    newton_course course;
    if (x->n_holonomic) newton_iterate(&verbs, &(settling){s, x, t}, &newton_for_points, &course);
}

/* The k-th point: that one itself, then others around it, always the same. */
static bool ideal_visit(run_state *s, survey *x, double t, const double *y, int k)
{
    const code_model *model = run_model(s);
    int n = x->at.n, m = x->at.m;
    for (int i = 0; i < model->n; i++) {
        double golden = 0.6180339887498949 * k * (i + 1), size = fabs(y[i]);
        if (size == 0) size = run_nominal(s)[i];
        x->y[i] = y[i] + (k ? DISPLACEMENT * size * (2 * (golden - floor(golden)) - 1) : 0);
    }
    if (k) ideal_settle(s, x, t);
    if (run_mechanics_at(s, t, x->y, &x->at)) return false;
    sort_rows(x, x->at.M, n);
    sort_rows(x, x->at.B, m);
    memcpy(x->G, x->at.G, (size_t)(n * m) * sizeof *x->G);
    for (int i = 0; i < m; i++) { // rows of equal size
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(x->G[i + j * m]));
        for (int j = 0; j < n && most > 0; j++) x->G[i + j * m] /= most;
    }
    int rank = la_null(m, n, x->G, x->Z, RANK_TOL, x->la);
    x->free = n - rank;
    return rank >= 0;
}

/* ---- the scale of the equations -------------------------------------------------------------- */

static void ideal_add_equation(survey *x)
{
    int n = x->at.n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && x->row[j] != 0; i++) x->normal[i + j * n] += x->row[i] * x->row[j];
}

/* Is the scale of row i open? */
static bool scalable(const survey *x, int i)
{
    return !x->energies && fabs(x->at.M[i + i * x->at.n]) == 1;
}

/* Z^T D B = 0, D M symmetric, rows that are taken as they are of one scale; in units of the terms. */
static void ideal_add_equations(survey *x)
{
    const run_mechanics *a = &x->at;
    int n = a->n;
    for (int j = 0; j < a->m; j++) {
        double size = 0;
        for (int i = 0; i < n; i++) size = hypot(size, a->B[i + j * n]);
        for (int k = 0; k < x->free && size > 0; k++) {
            for (int i = 0; i < n; i++) x->row[i] = x->Z[i + k * n] * a->B[i + j * n] / size;
            ideal_add_equation(x);
        }
    }
    memset(x->row, 0, (size_t)n * sizeof *x->row);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double size = hypot(a->M[i + j * n], a->M[j + i * n]);
            if (size == 0) continue;
            x->row[i] = a->M[i + j * n] / size;
            x->row[j] = -a->M[j + i * n] / size;
            ideal_add_equation(x);
            x->row[i] = x->row[j] = 0;
        }
    for (int i = 0, last = -1; i < n; i++) {
        if (scalable(x, i)) continue;
        x->row[i] = 1;
        if (last >= 0) {
            x->row[last] = -1;
            ideal_add_equation(x);
            x->row[last] = 0;
        }
        x->row[i] = 0;
        last = i;
    }
}

/* D as near to 1 as the equations leave it; false when an element vanishes. */
static bool find_scale(survey *x)
{
    int n = x->at.n;
    if (la_svd(n, n, x->normal, x->sigma, NULL, x->vt, x->la) < 0) return false;
    memset(x->scale, 0, (size_t)n * sizeof *x->scale);
    for (int k = 0; k < n; k++) {
        double sum = 0;
        if (x->sigma[k] > SCALE_TOL * x->sigma[0]) continue;
        for (int i = 0; i < n; i++) sum += x->vt[k + i * n];
        for (int i = 0; i < n; i++) x->scale[i] += sum * x->vt[k + i * n];
    }
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(x->scale[i]));
        most = fmax(most, fabs(x->scale[i]));
    }
    return least > SCALE_LEAST * most;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* By multiplier: work of a reaction of unit size in a displacement of unit size. */
static void add_work(survey *x)
{
    const run_mechanics *a = &x->at;
    for (int j = 0; j < a->m; j++) {
        double size = 0;
        for (int i = 0; i < a->n; i++) size = hypot(size, x->scale[i] * a->B[i + j * a->n]);
        for (int k = 0; k < x->free && size > 0; k++) {
            double sum = 0;
            for (int i = 0; i < a->n; i++)
                sum += x->Z[i + k * a->n] * x->scale[i] * a->B[i + j * a->n];
            x->work_of[j] = fmax(x->work_of[j], fabs(sum) / size);
        }
    }
}

/* Multipliers whose reactions do work, with D as it is. */
static int count_working(run_state *s, survey *x, double t, const double *y)
{
    int count = 0;
    memset(x->work_of, 0, (size_t)x->at.m * sizeof *x->work_of);
    for (int k = 0; k < POINTS; k++)
        if (ideal_visit(s, x, t, y, k)) add_work(x);
    for (int j = 0; j < x->at.m; j++) count += x->work_of[j] > WORK_TOL;
    return count;
}

static int find_working(run_state *s, survey *x, double t, const double *y, arena *a)
{
    int n = x->at.n;
    for (int i = 0; i < n; i++) x->row_of[i] = i;
    if (ideal_visit(s, x, t, y, 1) || ideal_visit(s, x, t, y, 0))
        start_pair_rows(n, x->at.M, x->row_of, a);
    for (int i = 0; i < n; i++) x->scale[i] = 1;
    if (!count_working(s, x, t, y)) return 0;
    memset(x->normal, 0, (size_t)(n * n) * sizeof *x->normal);
    for (int k = 0; k < POINTS; k++)
        if (ideal_visit(s, x, t, y, k)) ideal_add_equations(x);
    if (!find_scale(x))
        for (int i = 0; i < n; i++) x->scale[i] = 1;
    return count_working(s, x, t, y);
}

/* The constraint whose gradient is nearest to the reaction of multiplier j. */
static int nearest_constraint(const survey *x, int j)
{
    const run_mechanics *a = &x->at;
    int best = 0;
    double most = -1;
    for (int i = 0; i < a->m; i++) {
        double sum = 0, size = 0;
        for (int k = 0; k < a->n; k++) {
            sum += a->G[i + k * a->m] * x->scale[k] * a->B[k + j * a->n];
            size = hypot(size, a->G[i + k * a->m]);
        }
        if (!(fabs(sum) > most * size)) continue;
        most = fabs(sum) / size;
        best = i;
    }
    return best;
}

static void ideal_warn(run_state *s, const survey *x, int j, diag_sink *sink)
{
    const form_system *f = run_model(s)->form;
    if (!code_has_origin(run_model(s))) return;
    int e = f->rows.at[x->at.constraint[nearest_constraint(x, j)]].equation;
    text t;
    text_init(&t, sink->a->m);
    structure_equation_text(run_model(s)->s, e, 0, &t);
    diag_warning(sink, "R122", run_model(s)->s->equations.at[e].at,
                 "the constraint '%s' is not ideal: the reaction of '%s' does work in motions that "
                 "the constraint allows, as friction does; '%s' takes it as it is written",
                 text_str(&t), form_name_of(f, x->at.multiplier[j], &(expr_label){{0}}),
                 f->kind->name);
    text_done(&t);
}

void inspect_warn_working(run_state *s, double t, const double *y, diag_sink *sink)
{
    const image_mechanical *q = run_model(s)->form->mechanical;
    survey x;
    if (!q || !q->m || !q->n) return;
    size_t bytes = survey_layout(&x, run_model(s), NULL);
    void *block = mem_try(run_mem(s), bytes);
    if (!block) return;
    survey_layout(&x, run_model(s), block);
    memset(x.yp, 0, (size_t)run_model(s)->n * sizeof *x.yp);
    int shown = 0;
    if (find_working(s, &x, t, y, sink->a) && ideal_visit(s, &x, t, y, 0))
        for (int j = 0; j < q->m && shown < SHOWN; j++)
            if (x.work_of[j] > WORK_TOL) {
                ideal_warn(s, &x, j, sink);
                shown++;
            }
    mem_free(run_mem(s), block, bytes);
}
