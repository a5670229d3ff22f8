/* Explicit Runge-Kutta steps, fixed and adaptive.
 *
 *     k_i = f(t + c_i h, y + h sum a_ij k_j),  y_new = y + h sum b_i k_i
 *
 * The state of fixed steps is y, after the number of the step where the equations read the time. Of
 * adaptive ones it is that of ens_write.h and, where the last stage is f at the new point, f.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_write.h"
#include "method/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { HERMITE_ROWS = 4 }; // of the interpolant: values and slopes at both ends

typedef struct rk {
    ens_writer *w;
    method_tableau t;
    bool of_time;           // the equations read the time
    bool first_known;       // f at the new point is at hand: stage `last`
    int last;               // it is the last stage, or comes after it
    const erk_detail *more; // of the interpolant and the error
    int n_states, *state;   // differential unknowns
    tape_ref *k[ERK_STAGES];
} rk;

static tape_ref rk_time(const ens_view *v, tape_ref t, tape_ref h, double c)
{
    return c == 0 ? t : ens_op(v->b, TAPE_ADD, t, ens_times(v->b, c, h));
}

/* y + h sum c_j k_j; h: a ref, or TAPE_NONE where it is the number `size`. */
static void rk_point(const rk *x, tape_builder *b, int stages, const double *c, tape_ref h,
                     double size, const tape_ref *y, tape_ref *out)
{
    double scaled[ERK_STAGES];
    for (int j = 0; j < stages; j++) scaled[j] = h == TAPE_NONE ? c[j] * size : c[j];
    for (int i = 0; i < x->w->n; i++) {
        out[i] = y[i];
        if (!x->w->system.of->m->system.differential[i]) continue;
        tape_ref sum = ens_combine(b, stages, scaled, x->k, i);
        if (sum == TAPE_NONE) continue;
        if (h != TAPE_NONE) sum = ens_op(b, TAPE_MUL, sum, h);
        out[i] = ens_op(b, TAPE_ADD, y[i], sum);
    }
}

/* All stages from the first one on that is not known. */
static bool rk_stages(const rk *x, const ens_view *v, tape_ref t, tape_ref h, double size,
                      const tape_ref *y, int first)
{
    tape_ref *at = arena_array(x->w->scratch, tape_ref, x->w->n);
    tape_ref length = h == TAPE_NONE ? tape_const(v->b, size) : h;
    for (int i = first; i < x->t.stages; i++) {
        rk_point(x, v->b, i, x->t.a[i], h, size, y, at);
        if (!ens_rhs(v, rk_time(v, t, length, x->t.c[i]), at, x->k[i])) return false;
    }
    return true;
}

static void rk_unknowns(const rk *x, const ens_view *v, int first, tape_ref *y)
{
    for (int i = 0; i < x->w->n; i++) y[i] = tape_const(v->b, 0);
    for (int i = 0; i < x->n_states; i++) y[x->state[i]] = tape_y(first + i);
}

/* ---- fixed steps ----------------------------------------------------------------------------- */

static bool rk_fixed_body(const rk *x, double size, const tape **out)
{
    ens_writer *w = x->w;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_ref *y = arena_array(w->scratch, tape_ref, w->n);
    tape_ref *y_new = arena_array(w->scratch, tape_ref, w->n), t = tape_const(v.b, 0);
    int first = x->of_time;
    rk_unknowns(x, &v, first, y);
    if (x->of_time) {
        t = ens_op(v.b, TAPE_ADD, tape_const(v.b, w->set->t0),
                   ens_times(v.b, w->set->step, tape_y(0)));
        tape_store(v.b, tape_out(0), ens_op(v.b, TAPE_ADD, tape_y(0), tape_const(v.b, 1)));
    }
    if (!rk_stages(x, &v, t, TAPE_NONE, size, y, 0)) return false;
    rk_point(x, v.b, x->t.stages, x->t.b, TAPE_NONE, size, y, y_new);
    for (int i = 0; i < x->n_states; i++) tape_store(v.b, tape_out(first + i), y_new[x->state[i]]);
    *out = tape_finish(v.b, w->a);
    return true;
}

/* y' and what is algebraic at the end; the values asked for. */
static bool rk_end(const rk *x, const ens_view *v, tape_ref status, tape_ref t, int first)
{
    ens_writer *w = x->w;
    tape_ref *y = arena_array(w->scratch, tape_ref, w->n);
    tape_ref *yp = arena_array(w->scratch, tape_ref, w->n);
    tape_ref *rates = arena_array(w->scratch, tape_ref, w->n);
    rk_unknowns(x, v, first, y);
    if (!ens_rhs(v, t, y, rates)) return false;
    for (int i = 0; i < w->n; i++) {
        bool moves = w->system.of->m->system.differential[i];
        yp[i] = moves ? rates[i] : tape_const(v->b, 0);
        if (!moves) y[i] = rates[i];
    }
    return ens_write_end(w, v, status, t, y, yp);
}

static bool rk_fixed(const rk *x)
{
    ens_writer *w = x->w;
    double length = w->set->t1 - w->set->t0, h = w->set->step;
    // t_k = t0 + k h; a remainder that is round-off is no step.
    double count = floor(length / h), rest = length - count * h;
    if (rest > h * (1 - 1e-9)) count++, rest = 0;
    if (rest < h * 1e-9) rest = 0;
    w->out->count = (long)count;
    w->out->n_state = x->n_states + x->of_time;
    if (x->of_time) tape_store(w->system.begin, tape_out(0), tape_const(w->system.begin, 0));
    for (int i = 0; i < x->n_states; i++)
        tape_store(w->system.begin, tape_out(x->of_time + i), w->system.y0[x->state[i]]);
    if (!rk_fixed_body(x, h, &w->out->body)) return false;
    if (rest > 0 && !rk_fixed_body(x, rest, &w->out->last)) return false;
    ens_view v = ens_view_new(&w->system, w->scratch);
    return rk_end(x, &v, tape_const(v.b, ENS_DONE), tape_const(v.b, w->set->t1), x->of_time);
}

/* ---- adaptive steps -------------------------------------------------------------------------- */

/* The stages of a step, y at its end, and f there, where the next one begins with it. */
static bool rk_step(const rk *x, const ens_view *v, tape_ref t, tape_ref h, tape_ref t_new,
                    tape_ref *y, tape_ref *y_new)
{
    rk_unknowns(x, v, ENS_Y, y);
    for (int i = 0; i < x->n_states && x->first_known; i++)
        x->k[0][x->state[i]] = tape_y(ENS_Y + x->n_states + i);
    if (!rk_stages(x, v, t, h, 0, y, x->first_known)) return false;
    rk_point(x, v->b, x->t.stages, x->t.b, h, 0, y, y_new);
    return !x->first_known || x->last < x->t.stages || ens_rhs(v, t_new, y_new, x->k[x->last]);
}

/* The first `rows` of the interpolant of method/erk.c, by component of the state. */
static void rk_dense(const rk *x, tape_builder *b, tape_ref h, const tape_ref *y,
                     const tape_ref *y_new, int rows, ens_dense *d)
{
    int s = x->last + 1 + x->more->n_more;
    d->rows = rows;
    for (int m = 0; m < d->rows; m++) d->d[m] = arena_array(x->w->scratch, tape_ref, x->n_states);
    for (int i = 0; i < x->n_states; i++) {
        int j = x->state[i];
        tape_ref diff = ens_op(b, TAPE_SUB, y_new[j], y[j]);
        tape_ref slope = ens_op(b, TAPE_SUB, ens_op(b, TAPE_MUL, h, x->k[0][j]), diff);
        tape_ref end = ens_op(b, TAPE_SUB, diff, ens_op(b, TAPE_MUL, h, x->k[x->last][j]));
        d->d[0][i] = y[j];
        d->d[1][i] = diff;
        d->d[2][i] = slope;
        d->d[3][i] = ens_op(b, TAPE_SUB, end, slope);
        for (int m = HERMITE_ROWS; m < rows; m++) {
            tape_ref sum = ens_combine(b, s, x->more->dense[m - HERMITE_ROWS], x->k, j);
            d->d[m][i] = ens_op(b, TAPE_MUL, sum, h);
        }
    }
}

/* An interpolant that needs further stages is made where an event was found on Hermite's: a phase. */
static bool rk_dense_phase(const rk *x)
{
    ens_writer *w = x->w;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_builder *b = v.b;
    tape_ref *y = arena_array(w->scratch, tape_ref, w->n), t = tape_y(ENS_T);
    tape_ref *y_new = arena_array(w->scratch, tape_ref, w->n), h = tape_y(w->events.at.size);
    tape_ref *at = arena_array(w->scratch, tape_ref, w->n);
    ens_dense d;
    if (!rk_step(x, &v, t, h, ens_op(b, TAPE_ADD, t, h), y, y_new)) return false;
    for (int m = 0; m < x->more->n_more; m++) {
        int i = x->last + 1 + m;
        rk_point(x, b, i, x->more->more_a[m], h, 0, y, at);
        if (!ens_rhs(&v, rk_time(&v, t, h, x->more->more_c[m]), at, x->k[i])) return false;
    }
    rk_dense(x, b, h, y, y_new, w->events.dense_rows, &d);
    ens_dense_store(w, b, &d);
    tape_store(b, tape_out(ENS_STATUS), tape_const(b, ENS_LOCATING));
    ens_phase_add(w, ENS_WEIGHING, b);
    return true;
}

/* Did a relation change inside the step? */
static bool rk_events(const rk *x, const ens_view *v, const ens_try *try, const tape_ref *y,
                      const tape_ref *y_new, ens_found *found)
{
    ens_dense d;
    tape_ref *part = arena_array(x->w->scratch, tape_ref, x->n_states);
    rk_dense(x, v->b, try->h, y, y_new,
             x->more->n_more ? HERMITE_ROWS : HERMITE_ROWS + x->more->n_dense, &d);
    for (int i = 0; i < x->n_states; i++) part[i] = y_new[x->state[i]];
    return ens_events_scan(x->w, v, try->t, try->h, &d, try->t_new, part, NULL, found);
}

/* The square of the weighted difference from another formula. */
static tape_ref rk_difference(const rk *x, const ens_view *v, tape_ref h, const tape_ref *y,
                              const double *other)
{
    ens_writer *w = x->w;
    int s = x->t.stages;
    double difference[METHOD_STAGES_MAX];
    tape_ref *error = arena_array(w->scratch, tape_ref, w->n);
    for (int j = 0; j < s; j++) difference[j] = x->t.b[j] - other[j];
    for (int i = 0; i < w->n; i++) {
        error[i] = TAPE_NONE;
        if (!w->system.of->m->system.differential[i]) continue;
        error[i] = ens_op(v->b, TAPE_MUL, ens_combine(v->b, s, difference, x->k, i), h);
    }
    return ens_error(w, v->b, y, error);
}

/* As method/erk.c: a third formula stretches the estimate where the two differ in size. */
static tape_ref rk_error(const rk *x, const ens_view *v, tape_ref h, const tape_ref *y)
{
    tape_builder *b = v->b;
    tape_ref e = rk_difference(x, v, h, y, x->t.b_embedded);
    if (!x->more || !x->more->third) return e;
    tape_ref other = ens_times(b, 0.01, rk_difference(x, v, h, y, x->more->third));
    tape_ref sum = ens_op(b, TAPE_ADD, ens_op(b, TAPE_ADD, e, other), tape_const(b, DBL_MIN));
    return ens_op(b, TAPE_MUL, e, ens_op(b, TAPE_DIV, e, sum));
}

static bool rk_adaptive_body(const rk *x)
{
    ens_writer *w = x->w;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_builder *b = v.b;
    tape_ref *y = arena_array(w->scratch, tape_ref, w->n),
             *y_new = arena_array(w->scratch, tape_ref, w->n);
    ens_try try = ens_try_begin(w, &v);
    if (!rk_step(x, &v, try.t, try.h, try.t_new, y, y_new)) return false;
    ens_found found;
    bool events = w->events.any;
    if (events && !rk_events(x, &v, &try, y, y_new, &found)) return false;
    tape_ref good = ens_try_end(w, &v, &try, rk_error(x, &v, try.h, y), x->t.order_embedded + 1,
                                events ? &found : NULL);
    for (int i = 0; i < x->n_states; i++) {
        int j = x->state[i];
        tape_store(b, tape_out(ENS_Y + i), tape_if(b, good, y_new[j], y[j]));
        if (x->first_known)
            tape_store(b, tape_out(ENS_Y + x->n_states + i),
                       tape_if(b, good, x->k[x->last][j], x->k[0][j]));
    }
    w->out->body = tape_finish(b, w->a);
    return true;
}

static bool rk_adaptive(const rk *x)
{
    ens_writer *w = x->w;
    ens_view begin = ens_view_begin(&w->system);
    ens_begin_adaptive(w, ENS_Y + x->n_states * (1 + x->first_known));
    for (int i = 0; i < x->n_states; i++)
        tape_store(begin.b, tape_out(ENS_Y + i), w->system.y0[x->state[i]]);
    if (x->first_known) {
        tape_ref *k = arena_array(w->scratch, tape_ref, w->n);
        if (!ens_rhs(&begin, tape_const(begin.b, w->set->t0), w->system.y0, k)) return false;
        for (int i = 0; i < x->n_states; i++)
            tape_store(begin.b, tape_out(ENS_Y + x->n_states + i), k[x->state[i]]);
    }
    if (w->events.any && (!x->first_known || !x->more)) {
        w->system.why = "of the explicit methods only dopri5 and dopri8 find their events";
        return false;
    }
    w->events.weighs = w->events.any && x->more->n_more;
    if (!ens_events_begin(w, w->events.any ? HERMITE_ROWS + x->more->n_dense : 0)) return false;
    if (!rk_adaptive_body(x) || (w->events.weighs && !rk_dense_phase(x)) ||
        !ens_events_phases(w, ENS_Y + x->n_states))
        return false;
    ens_view v = ens_view_new(&w->system, w->scratch);
    return rk_end(x, &v, tape_y(ENS_STATUS), tape_y(ENS_T), ENS_Y);
}

bool ens_write_explicit(ens_writer *w)
{
    const code_system *q = &w->system.of->m->system;
    rk x = {.w = w, .state = arena_array(w->scratch, int, w->n)};
    w->method->tableau(NULL, &x.t);
    if (!q->rhs.program) {
        w->system.why =
            "an explicit method needs equations that can be solved one after the other; "
            "take rodas3, rodas4 or rodas5p";
        return false;
    }
    for (int i = 0; i < w->n; i++)
        if (q->differential[i]) x.state[x.n_states++] = i;
    for (int j = 0; j < ERK_STAGES; j++) x.k[j] = arena_array(w->scratch, tape_ref, w->n);
    w->n_part = x.n_states;
    w->part = x.state;
    w->sweeps = true;
    x.more = w->method->detail;
    x.of_time = q->rhs.program->extent[TAPE_T] > 0;
    int s = x.t.stages - 1;
    bool first_same = s > 0 && !memcmp(x.t.a[s], x.t.b, sizeof x.t.b);
    x.last = first_same ? s : s + 1;
    x.first_known = first_same || (x.more && !(w->set->step > 0));
    if (w->set->step > 0 && w->events.any) {
        w->system.why = "it has events or assertions, which steps of a fixed size do not find";
        return false;
    }
    return w->set->step > 0 ? rk_fixed(&x) : rk_adaptive(&x);
}
