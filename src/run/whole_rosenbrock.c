/* The tape of a Rosenbrock step (method/rosenbrock.c): Jacobian, inverse, stages, the norm of the error.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "method/rosenbrock.h"
#include "run/whole_tape.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct step_writer {
    whole_writer *o;
    const rosenbrock_table *k;
    int n, stride;
    rosenbrock_places at;
    bool of_time; // F reads the time
    tape_ref h, t_new, per_h, c;
    tape_ref *yp; // at the start of the step
    whole_matrix matrix;
    tape_ref *weight;     // of rows, of lists
    tape_ref *u, *f_t;    // stages times n
    tape_ref *y_i, *yp_i; // of a stage
} step_writer;

static bool step_is(const step_writer *x, tape_ref r, double value)
{
    double number;
    return tape_is_const(x->o->b, r, &number) && number == value;
}

static bool step_residual(step_writer *x, tape_ref t, const tape_ref *y, const tape_ref *yp,
                          tape_ref *r)
{
    return whole_program(x->o, x->o->s->model->system.residual.program,
                         (unroll_refs){.t = t, .y = y, .yp = yp, .out = r});
}

static bool step_jacobian(step_writer *x, tape_ref *dy, tape_ref *dyp)
{
    const code_system *m = &x->o->s->model->system;
    bool done = whole_program(
        x->o, m->jacobian.program,
        (unroll_refs){.t = tape_t(), .y = x->o->y, .yp = x->yp, .out = dy, .out2 = dyp});
    for (int e = 0; e < m->jac.nnz && done; e++) done = dy[e] != TAPE_NONE && dyp[e] != TAPE_NONE;
    return done;
}

/* dF/dy' reads nothing that changes in a run without events. */
static bool step_mass_is_constant(step_writer *x, const tape_ref *dyp)
{
    int nnz = x->o->s->model->system.jac.nnz;
    bool computed = false;
    for (int e = 0; e < nnz; e++) {
        tape_kind kind = tape_kind_of(dyp[e]);
        if (kind == TAPE_T || kind == TAPE_Y || kind == TAPE_YP) return false;
        computed = computed || kind == TAPE_VALUE;
    }
    if (!computed) return true;
    tape_builder *before = x->o->b;
    tape_ref *dy = whole_refs(x->o, nnz), *again = whole_refs(x->o, nnz);
    x->o->b = tape_builder_new(&x->o->scratch);
    step_jacobian(x, dy, again);
    for (int e = 0; e < nnz; e++) whole_store(x->o, e, again[e]);
    const tape *t = tape_finish(x->o->b, &x->o->scratch);
    x->o->b = before;
    return !t->extent[TAPE_T] && !t->extent[TAPE_Y] && !t->extent[TAPE_YP];
}

/* dF/dy + c dF/dy' */
static bool step_matrix(step_writer *x)
{
    const code_system *m = &x->o->s->model->system;
    tape_ref *dy = whole_refs(x->o, m->jac.nnz), *dyp = whole_refs(x->o, m->jac.nnz);
    if (!step_jacobian(x, dy, dyp) || !step_mass_is_constant(x, dyp)) return false;
    for (int e = 0; e < m->jac.nnz; e++) {
        whole_store(x->o, x->at.dy + e, dy[e]);
        tape_ref *a = &x->matrix.a[e], mass = TAPE_NONE;
        if (step_is(x, dyp[e], 1)) mass = x->c;
        else if (!step_is(x, dyp[e], 0)) mass = whole_op(x->o, TAPE_MUL, x->c, dyp[e]);
        *a = step_is(x, dy[e], 0) ? mass : dy[e];
        if (*a != mass && mass != TAPE_NONE) *a = whole_op(x->o, TAPE_ADD, dy[e], mass);
    }
    return true;
}

/* ---- stages, as in method/rosenbrock.c ------------------------------------------------------- */

/* dF/dt by a difference. */
static bool step_time_slope(step_writer *x)
{
    tape_ref *r = whole_refs(x->o, x->n), t = tape_t();
    tape_ref size =
        whole_op(x->o, TAPE_MAX, tape_op1(x->o->b, TAPE_ABS, t), tape_yp(ROSENBROCK_IN_H_TIME));
    tape_ref far = whole_op(x->o, TAPE_ADD, t, whole_times(x->o, sqrt(DBL_EPSILON), size));
    tape_ref d = whole_op(x->o, TAPE_SUB, far, t);
    far = whole_op(x->o, TAPE_ADD, t, d);
    if (!step_residual(x, t, x->o->y, x->yp, r) || !step_residual(x, far, x->o->y, x->yp, x->f_t))
        return false;
    for (int i = 0; i < x->n; i++) {
        x->f_t[i] = x->f_t[i] == r[i]
                        ? tape_const(x->o->b, 0)
                        : whole_op(x->o, TAPE_DIV, whole_op(x->o, TAPE_SUB, x->f_t[i], r[i]), d);
        whole_store(x->o, x->at.f_t + i, x->f_t[i]);
    }
    return true;
}

/* Y_i and, of U, the rates. */
static void step_point(step_writer *x, int i, int m)
{
    tape_ref rate = TAPE_NONE;
    bool over_h = x->o->step->lists; // weights are divided by h, and not their sum (stages.c)
    x->y_i[m] = x->o->y[m];
    for (int j = 0; j < i; j++) {
        tape_ref u = x->u[j * x->n + m];
        if (x->k->a[i][j] != 0)
            x->y_i[m] = whole_op(x->o, TAPE_SUB, x->y_i[m], whole_times(x->o, x->k->a[i][j], u));
        if (x->k->c[i][j] == 0) continue;
        tape_ref weight = tape_const(x->o->b, x->k->c[i][j]);
        if (over_h) weight = whole_op(x->o, TAPE_MUL, x->per_h, weight);
        rate = whole_plus(x->o, rate, whole_op(x->o, TAPE_MUL, u, weight));
    }
    if (rate == TAPE_NONE) rate = tape_const(x->o->b, 0);
    else if (!over_h) rate = whole_op(x->o, TAPE_MUL, rate, x->per_h);
    x->yp_i[m] = rate;
}

static bool step_stage(step_writer *x, int i)
{
    double alpha = x->k->alpha[i], gamma_i = x->k->gamma_i[i];
    tape_ref *u = x->u + i * x->n, t = tape_t();
    for (int m = 0; m < x->n; m++) step_point(x, i, m);
    if (alpha == 1) t = x->t_new;
    else if (alpha != 0) t = whole_op(x->o, TAPE_ADD, t, whole_times(x->o, alpha, x->h));
    if (!step_residual(x, t, x->y_i, x->yp_i, u)) return false;
    tape_ref weight = x->of_time && gamma_i != 0 ? whole_times(x->o, gamma_i, x->h) : TAPE_NONE;
    for (int m = 0; m < x->n && weight != TAPE_NONE; m++)
        u[m] = whole_op(x->o, TAPE_ADD, u[m], whole_op(x->o, TAPE_MUL, weight, x->f_t[m]));
    if (x->o->step->lists) whole_solve(x->o, x->weight, &x->matrix, u);
    else whole_multiply(x->o, &x->matrix, u);
    for (int m = 0; m < x->n; m++) whole_store(x->o, i * x->stride + m, u[m]);
    return true;
}

static void step_end(step_writer *x)
{
    const tape_ref *u = x->u + (x->k->stages - 1) * x->n;
    tape_ref *e = whole_refs(x->o, x->n), finite[2] = {TAPE_NONE, TAPE_NONE};
    for (int m = 0; m < x->n; m++) {
        tape_ref y = whole_op(x->o, TAPE_SUB, x->y_i[m], u[m]);
        tape_ref yp = whole_op(x->o, TAPE_SUB, x->yp_i[m], whole_op(x->o, TAPE_MUL, x->c, u[m]));
        e[m] = whole_op(x->o, TAPE_MUL, u[m], tape_yp(ROSENBROCK_IN_WEIGHT + m));
        whole_store(x->o, x->at.y + m, y);
        whole_store(x->o, x->at.yp + m, yp);
        finite[0] = whole_plus(x->o, finite[0], y);
        finite[1] = whole_plus(x->o, finite[1], yp);
    }
    whole_store(x->o, x->at.finite, whole_op(x->o, TAPE_ADD, finite[0], finite[1]));
    whole_store(x->o, x->at.squares, whole_squares(x->o, e));
    whole_store(x->o, x->at.fails, x->matrix.fails);
}

static void step_leaves(step_writer *x)
{
    int n = x->n;
    x->yp = whole_refs(x->o, n);
    x->weight = whole_refs(x->o, n);
    for (int k = 0; k < n; k++) {
        x->yp[k] = tape_yp(ROSENBROCK_IN_WEIGHT + n + k);
        x->weight[k] = tape_yp(ROSENBROCK_IN_WEIGHT + 2 * n + k);
    }
    x->matrix.a = whole_refs(x->o, x->o->s->model->system.jac.nnz);
    x->u = whole_refs(x->o, x->k->stages * n);
    x->f_t = whole_refs(x->o, n);
    x->y_i = whole_refs(x->o, n);
    x->yp_i = whole_refs(x->o, n);
}

const tape *whole_rosenbrock(whole_writer *o)
{
    const rosenbrock_table *k = o->step->table;
    int stride = (o->n + LA_INVERSE_PAD - 1) / LA_INVERSE_PAD * LA_INVERSE_PAD;
    step_writer all = {.o = o,
                       .k = k,
                       .n = o->n,
                       .stride = stride,
                       .at = rosenbrock_place(k, stride, o->s->model->system.jac.nnz),
                       .of_time = !o->s->problem.autonomous,
                       .matrix.fails = tape_const(o->b, 0),
                       .h = tape_yp(ROSENBROCK_IN_H),
                       .t_new = tape_yp(ROSENBROCK_IN_END)},
                *x = &all;
    tape_ref one = tape_const(o->b, 1);
    step_leaves(x);
    x->per_h = whole_op(o, TAPE_DIV, one, x->h);
    x->c = whole_op(o, TAPE_DIV, one, whole_times(o, k->gamma, x->h));
    if (!step_matrix(x)) return NULL;
    if (!(o->step->lists ? whole_eliminate(o, x->weight, &x->matrix) : whole_invert(o, &x->matrix)))
        return NULL;
    if (o->step->lists) whole_store_factors(o, &x->matrix);
    if (x->of_time && !step_time_slope(x)) return NULL;
    for (int i = 0; i < k->stages; i++)
        if (!step_stage(x, i)) return NULL;
    step_end(x);
    return tape_finish(o->b, &o->scratch);
}
