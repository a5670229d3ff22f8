/* The back half alone: a hand-written problem, a method, steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "base/text.h"
#include "method/linear_choice.h"
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
    bool started;
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
    method_linear linear;
    if (!method_linear_find(o->linear, &linear, why)) return VINC_E_OPTION;
    sim_start at = {.tol = o->rel_tol, .fixed = o->step > 0, .by_products = linear.precond};
    if (!o->method) sim_choose(s->p, &at, &choice);
    method_config config = {.rel_tol = o->rel_tol,
                            .abs_tol = o->abs_tol,
                            .abs_tol_each = o->abs_tol_each,
                            .fixed_step = o->step,
                            .h_first = o->h_first,
                            .h_max = o->h_max,
                            .linear = o->linear};
    s->bytes = layout(s, NULL) + 1;
    s->block = mem_try(&s->m, s->bytes);
    if (!s->block) return VINC_E_MEMORY;
    layout(s, s->block);
    return method_new(&s->m, s->p, o->method ? o->method : choice.method->name, &config, why,
                      &s->run);
}

/* What can be said of a problem without evaluating it; NULL: nothing is wrong. */
static const char *wrong_pattern(const vinc_pattern *a, int n)
{
    if (a->n_rows != n || a->n_cols != n) return "the pattern of the Jacobian must be n by n";
    if (!a->start || (a->nnz && !a->row) || a->start[0] != 0 || a->start[n] != a->nnz)
        return "the columns of the pattern must begin at 0 and end at nnz";
    for (int j = 0; j < n; j++) {
        if (a->start[j + 1] < a->start[j] || a->start[j + 1] > a->nnz)
            return "the columns of the pattern must follow each other";
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (a->row[k] < 0 || a->row[k] >= n || (k > a->start[j] && a->row[k] <= a->row[k - 1]))
                return "the rows of a column of the pattern must ascend from 0 to n - 1";
    }
    return NULL;
}

static const char *wrong_problem(const vinc_problem *p)
{
    const int DENSE_MOST = 30000; // n * n entries are still counted by an int
    if (!p) return "there is no problem";
    if (p->n < 0 || p->n_roots < 0) return "n and n_roots must not be negative";
    if (!p->residual && !p->rhs) return "a problem needs its residual F(t, y, y')";
    if (p->n_roots && !p->roots) return "there are event indicators, but no function for them";
    if (!p->jac && p->n > DENSE_MOST)
        return "a problem of this size needs the pattern of its Jacobian";
    for (int i = 0; p->nominal && i < p->n; i++)
        if (!(p->nominal[i] > 0) || !isfinite(p->nominal[i])) return "nominals must be positive";
    return p->jac ? wrong_pattern(p->jac, p->n) : NULL;
}

static const char *wrong_option(const vinc_solver_options *o, int n)
{
    if (!sim_is_size(o->rel_tol) || !sim_is_size(o->abs_tol)) return "tolerances must be positive";
    for (int i = 0; o->abs_tol_each && i < n; i++)
        if (!(o->abs_tol_each[i] > 0)) return "tolerances must be positive";
    if (!sim_is_size(o->step) || !sim_is_size(o->h_first) || !sim_is_size(o->h_max))
        return "the sizes of steps must be positive";
    return NULL;
}

static int refuse_new(int status, const char *reason, char *why, size_t size)
{
    if (why && size) snprintf(why, size, "%s", reason);
    return status;
}

int vinc_solver_new(const vinc_problem *p, const vinc_solver_options *options, char *why,
                    size_t size, vinc_solver **out)
{
    static const vinc_solver_options none = {0};
    const vinc_solver_options *o = options ? options : &none;
    char reason[METHOD_WHY] = "";
    if (why && size) why[0] = 0;
    if (!out) return refuse_new(VINC_E_OPTION, "there is no place for the solver", why, size);
    *out = NULL;
    const char *wrong = wrong_problem(p);
    if (wrong) return refuse_new(VINC_E_PROBLEM, wrong, why, size);
    wrong = wrong_option(o, p->n);
    if (wrong) return refuse_new(VINC_E_OPTION, wrong, why, size);
    mem m = mem_std();
    if (o->resize) m = (mem){.resize = o->resize, .user = o->resize_user};
    vinc_solver *s = mem_try(&m, sizeof *s);
    if (!s) return VINC_E_MEMORY;
    *s = (vinc_solver){.m = m, .p = p};
    int status = build(s, o, reason);
    if (status == VINC_E_MEMORY) snprintf(reason, sizeof reason, "not enough memory");
    if (status) {
        vinc_solver_free(s);
        return refuse_new(status, reason, why, size);
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

static int fail(vinc_solver *s, int status, const char *words)
{
    snprintf(s->message, sizeof s->message, "%s", words);
    return status;
}

static int refuse_point(vinc_solver *s, double t, const double *y, const double *yp)
{
    if (!s) return VINC_E_OPTION;
    bool numbers =
        y && yp && isfinite(t) && problem_finite(y, s->p->n) && problem_finite(yp, s->p->n);
    return numbers ? VINC_OK : fail(s, VINC_E_OPTION, "t, y and yp must be given, and finite");
}

int vinc_solver_consistent(vinc_solver *s, double t, double *y, double *yp)
{
    int wrong = refuse_point(s, t, y, yp);
    if (wrong) return wrong;
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
    int status = refuse_point(s, t, y, yp);
    if (status) return status;
    s->message[0] = 0;
    status = method_start(s->run, t, y, yp, 0);
    s->started = status == VINC_OK;
    if (status) return fail(s, status, s->run->message);
    hold(s, t, s->run->y, s->run->yp);
    return watch_from(s);
}

static int at_event(vinc_solver *s, double t)
{
    int changed = 0, status = method_interpolate(s->run, t, s->y, s->yp);
    if (status) return fail(s, status, "the values at an event cannot be computed");
    sim_consistent_make(&s->roots.onto, t, s->y, s->yp, 0);
    s->t = t;
    if (s->p->event && s->p->event(s->p->user, t, s->y, s->yp, &changed))
        return fail(s, VINC_E_EVALUATION, "the event cannot be handled");
    status = method_restart(s->run, t, s->y, s->yp, changed, 0);
    if (status) return fail(s, status, s->run->message);
    status = watch_from(s);
    return status ? status : VINC_EVENT;
}

static int refuse_limit(vinc_solver *s, double t)
{
    if (!s) return VINC_E_OPTION;
    if (!s->started) return fail(s, VINC_E_OPTION, "the solver has not been started");
    return t >= s->t ? VINC_OK : fail(s, VINC_E_OPTION, "a solver does not go back in time");
}

int vinc_solver_step(vinc_solver *s, double t_limit)
{
    int wrong = refuse_limit(s, t_limit);
    if (wrong) return wrong;
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
    int status = refuse_limit(s, t_stop);
    while (status >= 0 && s->t < t_stop) status = vinc_solver_step(s, t_stop);
    return status < 0 ? status : VINC_OK;
}

/* ---- looking at it --------------------------------------------------------------------------- */

double vinc_solver_time(const vinc_solver *s)
{
    return s ? s->t : NAN;
}

const double *vinc_solver_y(const vinc_solver *s)
{
    return s ? s->y : NULL;
}

const double *vinc_solver_yp(const vinc_solver *s)
{
    return s ? s->yp : NULL;
}

int vinc_solver_at(vinc_solver *s, double t, double *y, double *yp)
{
    if (!s) return VINC_E_OPTION;
    if (!s->started || isnan(t)) return fail(s, VINC_E_OPTION, "there is no step to look into");
    return method_interpolate(s->run, t, y, yp);
}

vinc_stats vinc_solver_stats(const vinc_solver *s)
{
    return s ? s->run->stats : (vinc_stats){0};
}

const char *vinc_solver_method(const vinc_solver *s)
{
    return s ? s->run->method->name : "";
}

const char *vinc_solver_message(const vinc_solver *s)
{
    return s ? s->message : "";
}

/* The text buffer of the checker jumps when memory runs out: the one guard is here. */
int vinc_problem_check(const vinc_problem *p, double t, const double *y, const double *yp,
                       char *why, size_t size)
{
    if (!p || !y || !yp) return refuse_new(1, "a problem and a point are needed", why, size);
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
