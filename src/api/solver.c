/* The back half alone: a hand-written problem, a method, steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "base/text.h"
#include "newton/newton.h"
#include "problem/problem.h"
#include "sim/choose.h"
#include "sim/events.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct vinc_solver {
    mem m;
    const vinc_problem *p;
    method_run *run;
    sim_roots roots;
    double t, *y, *yp; // the present point: the run's, or that of an event inside its last step
    double t_seen;     // events have been looked for up to here
    char message[METHOD_WHY];
    void *block;
    size_t bytes;
};

/* ---- creation -------------------------------------------------------------------------------- */

static size_t layout(vinc_solver *s, void *block)
{
    size_t n = (size_t)s->p->n;
    bump b = bump_begin(block);
    s->y = bump_double(&b, n);
    s->yp = bump_double(&b, n);
    char *rest = block ? b.block + b.used : NULL;
    bump_bytes(&b, sim_roots_layout(&s->roots, s->p, rest));
    return bump_end(&b);
}

static int build(vinc_solver *s, const vinc_solver_options *o, char *why)
{
    sim_choice choice = {0};
    sim_start at = {.tol = o->rel_tol, .fixed = o->step > 0};
    if (!o->method) sim_choose(s->p, &at, &choice);
    method_config config = {.rel_tol = o->rel_tol,
                            .abs_tol = o->abs_tol,
                            .abs_tol_each = o->abs_tol_each,
                            .fixed_step = o->step,
                            .h_first = o->h_first,
                            .h_max = o->h_max};
    s->bytes = layout(s, NULL) + 1;
    s->block = mem_try(&s->m, s->bytes);
    if (!s->block) return VINC_E_MEMORY;
    layout(s, s->block);
    return method_new(&s->m, s->p, o->method ? o->method : choice.method->name, &config, why,
                      &s->run);
}

int vinc_solver_new(const vinc_problem *p, const vinc_solver_options *options, char *why,
                    size_t size, vinc_solver **out)
{
    static const vinc_solver_options none = {0};
    const vinc_solver_options *o = options ? options : &none;
    char reason[METHOD_WHY] = "";
    *out = NULL;
    if (why && size) why[0] = 0;
    mem m = mem_std();
    if (o->resize) m = (mem){o->resize, o->resize_user, NULL};
    vinc_solver *s = mem_try(&m, sizeof *s);
    if (!s) return VINC_E_MEMORY;
    *s = (vinc_solver){.m = m, .p = p};
    int status = build(s, o, reason);
    if (status == VINC_E_MEMORY) snprintf(reason, sizeof reason, "not enough memory");
    if (status) {
        if (why && size) snprintf(why, size, "%s", reason);
        vinc_solver_free(s);
        return status;
    }
    *out = s;
    return VINC_OK;
}

void vinc_solver_free(vinc_solver *s)
{
    if (!s) return;
    mem m = s->m;
    method_free(s->run);
    if (s->block) mem_free(&m, s->block, s->bytes);
    mem_free(&m, s, sizeof *s);
}

/* ---- a consistent start ---------------------------------------------------------------------- */

/* Unknown i of the start: y'_i where it is differential, y_i where it is algebraic. */
typedef struct start {
    const vinc_problem *p;
    double t, *y, *yp, *dy, *dyp;
} start;

static void spread(start *u, const double *x)
{
    for (int i = 0; i < u->p->n; i++)
        *(problem_differential(u->p, i) ? u->yp + i : u->y + i) = x[i];
}

static int start_residual(void *user, const double *x, double *r)
{
    start *u = user;
    spread(u, x);
    return u->p->residual(u->p->user, u->t, u->y, u->yp, r);
}

static int start_jacobian(void *user, const double *x, double *values)
{
    start *u = user;
    const vinc_pattern *a = u->p->jac;
    int n = u->p->n;
    spread(u, x);
    int status = u->p->jacobian(u->p->user, u->t, u->y, u->yp, u->dy, u->dyp);
    for (int j = 0; j < n && !status; j++)
        for (int k = a ? a->start[j] : j * n; k < (a ? a->start[j + 1] : (j + 1) * n); k++)
            values[k] = problem_differential(u->p, j) ? u->dyp[k] : u->dy[k];
    return status;
}

int vinc_solver_consistent(vinc_solver *s, double t, double *y, double *yp)
{
    const vinc_problem *p = s->p;
    size_t n = (size_t)p->n, nnz = p->jac ? (size_t)p->jac->nnz : n * n;
    start u = {.p = p, .t = t, .y = y, .yp = yp};
    newton_problem q = {
        .m = p->n, .n = p->n, .jac = p->jac, .residual = start_residual, .user = &u};
    newton_options o = {.sparse = p->n > 200};
    size_t bytes = (n + 2 * nnz) * sizeof(double) + 1;
    double *x = mem_try(&s->m, bytes);
    newton *solver = NULL;
    int status = VINC_E_MEMORY;
    if (!x) goto done;
    u.dy = x + n;
    u.dyp = u.dy + nnz;
    if (p->jacobian) q.jacobian = start_jacobian;
    solver = newton_new(&s->m, &q, &o);
    if (!solver) goto done;
    for (int i = 0; i < p->n; i++) x[i] = problem_differential(p, i) ? yp[i] : y[i];
    newton_report report;
    int found = newton_solve(solver, x, &report);
    spread(&u, x);
    status = !found ? VINC_OK : found == NEWTON_E_STOPPED ? VINC_E_STOPPED : VINC_E_NEWTON;
    if (found)
        snprintf(s->message, sizeof s->message,
                 "no consistent start: %s; the largest residual is %g in equation %d",
                 newton_status_text(found), report.worst_residual_value[0],
                 report.n_residuals ? report.worst_residual[0] : -1);
done:
    newton_free(solver);
    if (x) mem_free(&s->m, x, bytes);
    if (status == VINC_E_MEMORY) snprintf(s->message, sizeof s->message, "not enough memory");
    return status;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int fail(vinc_solver *s, int status, const char *words)
{
    snprintf(s->message, sizeof s->message, "%s", words);
    return status;
}

static void hold(vinc_solver *s, double t, const double *y, const double *yp)
{
    s->t = t;
    memmove(s->y, y, (size_t)s->p->n * sizeof *y);
    memmove(s->yp, yp, (size_t)s->p->n * sizeof *yp);
}

static int watch_from(vinc_solver *s)
{
    s->t_seen = s->t;
    if (!sim_roots_begin(&s->roots, s->p, s->t, s->y, s->yp)) return VINC_OK;
    return fail(s, VINC_E_EVALUATION, "the event indicators cannot be evaluated");
}

int vinc_solver_start(vinc_solver *s, double t, const double *y, const double *yp)
{
    s->message[0] = 0;
    int status = method_start(s->run, t, y, yp, 0);
    if (status) return fail(s, status, s->run->message);
    hold(s, t, s->run->y, s->run->yp);
    return watch_from(s);
}

static int at_event(vinc_solver *s, double t)
{
    int changed = 0, status = method_interpolate(s->run, t, s->y, s->yp);
    if (status) return fail(s, status, "the values at an event cannot be computed");
    sim_consistent_make(&s->roots.onto, t, s->y, s->yp);
    s->t = t;
    if (s->p->event && s->p->event(s->p->user, t, s->y, s->yp, &changed))
        return fail(s, VINC_E_EVALUATION, "the event cannot be handled");
    status = method_restart(s->run, t, s->y, s->yp, changed, 0);
    if (status) return fail(s, status, s->run->message);
    status = watch_from(s);
    return status ? status : VINC_EVENT;
}

int vinc_solver_step(vinc_solver *s, double t_limit)
{
    double event = s->p->next_time_event ? s->p->next_time_event(s->p->user, s->t) : INFINITY;
    double limit = fmin(t_limit, event), when;
    if (s->t >= t_limit) return VINC_OK;
    int status = method_step(s->run, limit);
    if (status) return fail(s, status, s->run->message);
    int found = sim_roots_search(&s->roots, s->run, s->t_seen, &when);
    if (found < 0) return fail(s, VINC_E_EVALUATION, "the event indicators cannot be evaluated");
    if (found) return at_event(s, when);
    if (s->run->t >= event) return at_event(s, event);
    hold(s, s->run->t, s->run->y, s->run->yp);
    s->t_seen = s->t;
    return VINC_OK;
}

int vinc_solver_run(vinc_solver *s, double t_stop)
{
    int status = VINC_OK;
    while (status >= 0 && s->t < t_stop) status = vinc_solver_step(s, t_stop);
    return status < 0 ? status : VINC_OK;
}

/* ---- looking at it --------------------------------------------------------------------------- */

double vinc_solver_time(const vinc_solver *s)
{
    return s->t;
}

const double *vinc_solver_y(const vinc_solver *s)
{
    return s->y;
}

const double *vinc_solver_yp(const vinc_solver *s)
{
    return s->yp;
}

int vinc_solver_at(vinc_solver *s, double t, double *y, double *yp)
{
    return method_interpolate(s->run, t, y, yp);
}

vinc_stats vinc_solver_stats(const vinc_solver *s)
{
    return s->run->stats;
}

const char *vinc_solver_method(const vinc_solver *s)
{
    return s->run->method->name;
}

const char *vinc_solver_message(const vinc_solver *s)
{
    return s->message;
}

/* The text buffer of the checker jumps when memory runs out: the one guard is here. */
int vinc_problem_check(const vinc_problem *p, double t, const double *y, const double *yp,
                       char *why, size_t size)
{
    jmp_buf guard;
    mem m = mem_std();
    text out;
    volatile int found = 1;
    text_init(&out, &m);
    m.guard = &guard;
    if (!setjmp(guard)) found = problem_check(p, &m, t, y, yp, &out);
    if (why && size) snprintf(why, size, "%s", text_str(&out));
    text_done(&out);
    return found;
}
