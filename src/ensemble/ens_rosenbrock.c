/* Rosenbrock steps, for stiff equations and those with algebraic unknowns.
 *
 * The formulas of method/rosenbrock.c for constant dF/dy', with u = -U: with A = dF/dy + M/(h gamma),
 *
 *     A u_i = F(t_i, y - sum a_ij u_j, sum (c_ij/h) u_j) + h gamma_i F_t,
 *
 * and the last stage leads from the embedded formula to the new point, so that it is the error.
 * One factorisation a step, all of it straight-line code.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_lu.h"
#include "ensemble/ens_write.h"
#include "method/rosenbrock.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double PLAN_SPAN_PART =
    1e-4; // the step size for which pivots are planned, of the span

typedef struct rodas {
    ens_writer *w;
    const rosenbrock_table *k;
    ens_lu lu;
    bool of_time;     // the equations read the time
    bool needs_rates; // what is asked for reads y'
    tape_ref *u[ROSENBROCK_STAGES_MAX];
    tape_ref *y, *yp; // of a stage
    tape_ref *f_t;
    tape_ref *mass; // dF/dy', by entry of the pattern
} rodas;

/* ---- the order of pivots --------------------------------------------------------------------- */

void ens_jacobian_numbers(const ens_writer *w, double *dy, double *dyp)
{
    const ens_source *of = w->system.of;
    const code_model *m = of->m;
    const tape_program *f = m->system.jacobian.program;
    double *work = arena_array(w->scratch, double, m->n_w);
    if (m->n_w) memcpy(work, of->w, (size_t)m->n_w * sizeof *work);
    tape_program_run(
        f, &(tape_args){.t = w->set->t0,
                        .p = of->p,
                        .y = of->y,
                        .yp = of->yp,
                        .w = work,
                        .out = dy,
                        .out2 = dyp,
                        .scratch = arena_array(w->scratch, double, tape_program_scratch(f))});
}

static bool rodas_plan(rodas *x)
{
    const ens_writer *w = x->w;
    const code_model *m = w->system.of->m;
    int nnz = m->system.jac.nnz;
    double *dy = arena_array(w->scratch, double, nnz), *dyp = arena_array(w->scratch, double, nnz);
    ens_jacobian_numbers(w, dy, dyp);
    double h = PLAN_SPAN_PART * (w->set->t1 - w->set->t0);
    return ens_lu_plan(&x->lu, w->m, &m->system.jac, dy, dyp, 1 / (h * x->k->gamma), w->scratch);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static bool is_zero(const tape_builder *b, tape_ref r)
{
    double value;
    return tape_is_const(b, r, &value) && value == 0;
}

/* The factors of dF/dy + M/(h gamma). */
static bool rodas_factor(rodas *x, const ens_view *v, tape_ref t, const tape_ref *y,
                         tape_ref inverse)
{
    const ens_writer *w = x->w;
    const vinc_pattern *pattern = &w->system.of->m->system.jac;
    tape_builder *b = v->b;
    tape_ref *dy = arena_array(w->scratch, tape_ref, pattern->nnz);
    tape_ref *dyp = x->mass = arena_array(w->scratch, tape_ref, pattern->nnz);
    if (!ens_jacobian(v, t, y, dy, dyp)) return false;
    for (int k = 0; k < pattern->nnz; k++) {
        double unit;
        bool one = tape_is_const(b, dyp[k], &unit) && unit == 1;
        tape_ref mass = one ? inverse : ens_op(b, TAPE_MUL, dyp[k], inverse);
        if (is_zero(b, dyp[k])) dy[k] = is_zero(b, dy[k]) ? TAPE_NONE : dy[k];
        else dy[k] = is_zero(b, dy[k]) ? mass : ens_op(b, TAPE_ADD, dy[k], mass);
    }
    ens_lu_factor(&x->lu, b, pattern, dy);
    return true;
}

/* dF/dt by a difference, as on the processor. */
static bool rodas_time_slope(const rodas *x, const ens_view *v, const ens_try *at,
                             const tape_ref *y, const tape_ref *zero)
{
    tape_builder *b = v->b;
    int n = x->w->n;
    tape_ref *r0 = arena_array(x->w->scratch, tape_ref, n);
    tape_ref size = ens_op(b, TAPE_MAX, tape_op1(b, TAPE_ABS, at->t), at->h);
    tape_ref far = ens_op(b, TAPE_ADD, at->t, ens_times(b, sqrt(DBL_EPSILON), size));
    tape_ref d = ens_op(b, TAPE_SUB, far, at->t);
    if (!ens_residual(v, at->t, y, zero, r0) || !ens_residual(v, far, y, zero, x->f_t))
        return false;
    for (int i = 0; i < n; i++)
        x->f_t[i] = x->f_t[i] == r0[i]
                        ? TAPE_NONE
                        : ens_op(b, TAPE_DIV, ens_op(b, TAPE_SUB, x->f_t[i], r0[i]), d);
    return true;
}

static bool rodas_stage(const rodas *x, const ens_view *v, const ens_try *at, const tape_ref *y,
                        tape_ref per_h, int i)
{
    const rosenbrock_table *k = x->k;
    tape_builder *b = v->b;
    for (int m = 0; m < x->w->n; m++) {
        tape_ref move = ens_combine(b, i, k->a[i], x->u, m);
        tape_ref rate = ens_combine(b, i, k->c[i], x->u, m);
        x->y[m] = move == TAPE_NONE ? y[m] : ens_op(b, TAPE_SUB, y[m], move);
        x->yp[m] = rate == TAPE_NONE ? tape_const(b, 0) : ens_op(b, TAPE_MUL, rate, per_h);
    }
    tape_ref t =
        k->alpha[i] == 1 ? at->t_new : ens_op(b, TAPE_ADD, at->t, ens_times(b, k->alpha[i], at->h));
    if (k->alpha[i] == 0) t = at->t;
    if (!ens_residual(v, t, x->y, x->yp, x->u[i])) return false;
    for (int m = 0; m < x->w->n && x->of_time && k->gamma_i[i] != 0; m++) {
        if (x->f_t[m] == TAPE_NONE) continue;
        tape_ref part = ens_op(b, TAPE_MUL, ens_times(b, k->gamma_i[i], at->h), x->f_t[m]);
        x->u[i][m] = ens_op(b, TAPE_ADD, x->u[i][m], part);
    }
    ens_lu_solve(&x->lu, b, x->u[i], x->w->scratch);
    return true;
}

/* Rows of the interpolant, y at its beginning among them. */
static int rodas_rows(const rosenbrock_table *k)
{
    return k->n_dense ? 2 + k->n_dense : 4;
}

/* The interpolant of method/rosenbrock.c: its own rows, or Hermite's, as they belong to the weights 1, x, x z, x z x,
 * x z x z with z = 1 - x. */
static void rodas_dense(const rodas *x, tape_builder *b, tape_ref h, const tape_ref *y,
                        const tape_ref *y_new, const tape_ref *rate, ens_dense *d)
{
    ens_writer *w = x->w;
    int own = x->k->n_dense;
    d->rows = rodas_rows(x->k);
    for (int m = 0; m < d->rows; m++) d->d[m] = arena_array(w->scratch, tape_ref, w->n);
    for (int i = 0; i < w->n; i++) {
        tape_ref diff = ens_op(b, TAPE_SUB, y_new[i], y[i]);
        d->d[0][i] = y[i];
        d->d[1][i] = diff;
        for (int m = 0; m < own; m++)
            d->d[2 + m][i] =
                tape_op1(b, TAPE_NEG, ens_combine(b, x->k->stages, x->k->dense[m], x->u, i));
        if (own == 3) { // x z x x d = x z x d - x z x z d
            d->d[3][i] = ens_op(b, TAPE_ADD, d->d[3][i], d->d[4][i]);
            d->d[4][i] = tape_op1(b, TAPE_NEG, d->d[4][i]);
        }
        if (own) continue;
        tape_ref slope =
            ens_op(b, TAPE_SUB, ens_op(b, TAPE_MUL, h, tape_y(ENS_Y + w->n + i)), diff);
        tape_ref end = ens_op(b, TAPE_SUB, diff, ens_op(b, TAPE_MUL, h, rate[i]));
        d->d[2][i] = slope;
        d->d[3][i] = ens_op(b, TAPE_SUB, end, slope);
    }
}

/* What the interpolant leaves of the equations inside the step, as an error (method/inner.c): a stiff
 * unknown is exact at both ends of a step that is far too long for signs to be read in between.
 * TAPE_NONE: there are none to be read. */
static bool rodas_inner(const rodas *x, const ens_view *v, const ens_try *at, const tape_ref *y,
                        tape_ref inverse, const ens_dense *d, tape_ref *error2)
{
    const double LOOK_AT = 0.4, PART = 0.1, ERROR_OF_SIGNS_MAX = 100; // as on the processor
    const ens_writer *w = x->w;
    const vinc_pattern *pattern = &w->system.of->m->system.jac;
    tape_builder *b = v->b;
    int n = w->n;
    tape_ref *middle = arena_array(w->scratch, tape_ref, n);
    tape_ref *slope = arena_array(w->scratch, tape_ref, n);
    tape_ref *e = arena_array(w->scratch, tape_ref, n), *again = middle;
    *error2 = TAPE_NONE;
    if (!w->events.n_relations) return true;
    ens_dense_at(w, b, d, tape_const(b, LOOK_AT), at->h, middle, slope);
    tape_ref t = ens_op(b, TAPE_ADD, at->t, ens_times(b, LOOK_AT, at->h));
    if (!ens_residual(v, t, middle, slope, e)) return false;
    ens_lu_solve(&x->lu, b, e, w->scratch);
    for (int i = 0; i < n; i++) again[i] = tape_const(b, 0);
    for (int j = 0; j < n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            tape_ref *sum = &again[pattern->row[k]];
            if (!is_zero(b, x->mass[k]))
                *sum = ens_op(b, TAPE_ADD, *sum, ens_op(b, TAPE_MUL, x->mass[k], e[j]));
        }
    for (int i = 0; i < n; i++) again[i] = ens_op(b, TAPE_MUL, again[i], inverse);
    ens_lu_solve(&x->lu, b, again, w->scratch);
    for (int i = 0; i < n; i++) e[i] = ens_op(b, TAPE_SUB, e[i], ens_times(b, 1 - PART, again[i]));
    *error2 = ens_times(b, 1 / (ERROR_OF_SIGNS_MAX * ERROR_OF_SIGNS_MAX), ens_error(w, b, y, e));
    return true;
}

static bool rodas_body(rodas *x)
{
    ens_writer *w = x->w;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_builder *b = v.b;
    int n = w->n, last = x->k->stages - 1;
    tape_ref *y = arena_array(w->scratch, tape_ref, n),
             *zero = arena_array(w->scratch, tape_ref, n);
    for (int i = 0; i < n; i++) y[i] = tape_y(ENS_Y + i), zero[i] = tape_const(b, 0);
    ens_try try = ens_try_begin(w, &v);
    tape_ref one = tape_const(b, 1), per_h = ens_op(b, TAPE_DIV, one, try.h);
    tape_ref inverse = ens_times(b, 1 / x->k->gamma, per_h);
    if (!rodas_factor(x, &v, try.t, y, inverse)) return false;
    if (x->of_time && !rodas_time_slope(x, &v, &try, y, zero)) return false;
    for (int i = 0; i <= last; i++)
        if (!rodas_stage(x, &v, &try, y, per_h, i)) return false;
    tape_ref error2 = ens_error(w, b, y, x->u[last]);
    tape_ref *y_new = arena_array(w->scratch, tape_ref, n);
    tape_ref *rate = arena_array(w->scratch, tape_ref, n);
    for (int i = 0; i < n; i++) {
        y_new[i] = ens_op(b, TAPE_SUB, x->y[i], x->u[last][i]);
        rate[i] = ens_op(b, TAPE_SUB, x->yp[i], ens_op(b, TAPE_MUL, inverse, x->u[last][i]));
    }
    ens_found found;
    ens_dense d;
    bool events = w->events.any;
    if (events) rodas_dense(x, b, try.h, y, y_new, rate, &d);
    if (events && !ens_events_scan(w, &v, try.t, try.h, &d, try.t_new, y_new, rate, &found))
        return false;
    tape_ref inner = TAPE_NONE;
    if (events && !rodas_inner(x, &v, &try, y, inverse, &d, &inner)) return false;
    if (inner != TAPE_NONE) error2 = ens_op(b, TAPE_MAX, inner, error2);
    tape_ref good = ens_try_end(w, &v, &try, error2, x->k->embedded + 1, events ? &found : NULL);
    for (int i = 0; i < n; i++) {
        tape_store(b, tape_out(ENS_Y + i), tape_if(b, good, y_new[i], y[i]));
        if (!x->needs_rates) continue;
        tape_store(b, tape_out(ENS_Y + n + i), tape_if(b, good, rate[i], tape_y(ENS_Y + n + i)));
    }
    w->out->body = tape_finish(b, w->a);
    return true;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static bool asks_for_rates(const ens_writer *w)
{
    const code_outputs *o = &w->system.of->m->outputs;
    if (o->computed.program && o->computed.program->extent[TAPE_YP]) return true;
    for (int i = 0; i < w->set->n_outputs; i++)
        if (tape_kind_of(code_output_from(o, w->set->outputs[i])) == TAPE_YP) return true;
    return false;
}

bool ens_write_rosenbrock(ens_writer *w)
{
    const code_model *m = w->system.of->m;
    int n = w->n;
    rodas x = {.w = w, .k = w->method->detail};
    x.needs_rates = w->events.any || asks_for_rates(w);
    w->n_part = n;
    w->part = arena_array(w->scratch, int, n);
    for (int i = 0; i < n; i++) w->part[i] = i;
    x.of_time = m->system.residual.program->extent[TAPE_T] > 0;
    for (int i = 0; i < x.k->stages; i++) x.u[i] = arena_array(w->scratch, tape_ref, n);
    x.y = arena_array(w->scratch, tape_ref, n);
    x.yp = arena_array(w->scratch, tape_ref, n);
    x.f_t = arena_array(w->scratch, tape_ref, n);
    if (!rodas_plan(&x)) {
        w->system.why = "the matrix of its equations is singular at the start";
        return false;
    }
    ens_begin_adaptive(w, ENS_Y + n * (1 + x.needs_rates));
    tape_builder *b = w->system.begin;
    for (int i = 0; i < n; i++) tape_store(b, tape_out(ENS_Y + i), w->system.y0[i]);
    for (int i = 0; i < n && x.needs_rates; i++)
        tape_store(b, tape_out(ENS_Y + n + i), tape_const(b, w->system.of->yp[i]));
    if (!ens_events_begin(w, rodas_rows(x.k))) return false;
    if (!rodas_body(&x) || !ens_events_phases(w, ENS_Y + n)) return false;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_ref *y = arena_array(w->scratch, tape_ref, n), *yp = arena_array(w->scratch, tape_ref, n);
    for (int i = 0; i < n; i++) {
        y[i] = tape_y(ENS_Y + i);
        yp[i] = x.needs_rates ? tape_y(ENS_Y + n + i) : tape_const(v.b, 0);
    }
    return ens_write_end(w, &v, tape_y(ENS_STATUS), tape_y(ENS_T), y, yp);
}
