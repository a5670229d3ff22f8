/* From the start of a run to a point of rest, and what is known of it: is it stable, how far is it?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "sim/equilibrium.h"

#include <math.h>
#include <string.h>

enum { MOST_UNKNOWNS = 400, AROUND = 3 };      // dense matrices; points around a point of rest
static const double MOVE = 0.01, SHARE = 0.01; // how far they are; of a growth that is there
static const double GROWS = 1e-7; // of the largest eigenvalue: what rounding makes of a double zero
static const double FAR = 6.283185307; // in nominals or sizes: a turn

typedef struct rest_job {
    vinc_sim *s;
    const sim_left *left;
    api_rest_point *point;
} rest_job;

static int no_rest(void *job)
{
    rest_job *j = job;
    const vinc_problem *p = run_problem(j->s->state);
    const sim_left *x = j->left;
    if (x->moved >= 0 && x->far > FAR)
        diag_error(
            j->s->sink, "R160", (span){0},
            "no equilibrium was found: %s runs away even where the motion from the start values "
            "is damped, from %.6g to %.6g. Something drives it that nothing can hold; if there "
            "is a point of rest elsewhere, give start values nearer to it",
            p->unknown_name(p->user, x->moved), x->from, x->to);
    else
        diag_error(
            j->s->sink, "R160", (span){0},
            "no equilibrium was found from the start values: F(t, y, 0) = 0 is left with a "
            "residual of %.2g; give start values nearer to one, or go on without --equilibrium",
            x->residual);
    return VINC_OK;
}

static int not_kept(void *job)
{
    rest_job *j = job;
    diag_warning(j->s->sink, "R162", (span){0},
                 "the point of rest cannot be reached: a sum of variables that every motion keeps "
                 "has another value there than at the start");
    return VINC_OK;
}

/* The largest real part of the eigenvalues of small motions about y, and the size of all; false: they
 * cannot be had. */
static bool growth_at(vinc_sim *s, const double *y, arena *a, double *growth, double *size)
{
    linear_dae dae;
    linear_system l;
    linear_modes modes;
    char why[LINEAR_WHY];
    // What is given back on the way comes from another arena than the result, of the same guard.
    arena *room = s->inner ? &s->a : &s->said;
    inspect_linearize(s->state, s->options.t_start, y, s->yp, 0, NULL, a, room, &dae);
    if (linear_reduce(a, &dae, &l, why) || linear_eigen(a, l.n, l.a, &modes)) return false;
    *size = 0;
    *growth = modes.n ? -INFINITY : NAN;
    for (int i = 0; i < modes.n; i++) {
        *size = fmax(*size, hypot(modes.re[i], modes.im[i]));
        *growth = fmax(*growth, modes.re[i]);
    }
    return true;
}

/* Is a growth the sign of a term that vanishes at the point itself, as of x' = -x^3? The point is known
 * to a part of the nominals, and around it such a growth is of another size. */
static bool vanishes(vinc_sim *s, double growth, arena *a)
{
    const vinc_problem *p = run_problem(s->state);
    double *y = arena_array(a, double, p->n + 1), around = 0;
    for (int k = 0; k < AROUND; k++) {
        double other, size;
        for (int i = 0; i < p->n; i++) {
            double far =
                p->differential[i] ? MOVE * sin(k + 1 + 2.4 * i) : 0; // signs of no pattern
            y[i] = s->y[i] + far * fmax(p->nominal[i], fabs(s->y[i]));
        }
        if (!growth_at(s, y, a, &other, &size) || !isfinite(other)) return false;
        around = fmax(around, fabs(other - growth));
    }
    return fabs(growth) < SHARE * around;
}

static int judge_rest(void *job)
{
    rest_job *j = job;
    vinc_sim *s = j->s;
    arena *a = s->inner ? &s->model->ctx->scratch : &s->scratch;
    double size, most;
    j->point->stability = API_REST_UNKNOWN;
    j->point->growth = NAN;
    if (run_problem(s->state)->n > MOST_UNKNOWNS || !growth_at(s, s->y, a, &most, &size))
        return VINC_OK;
    j->point->growth = most;
    int sign = most > GROWS * size && most > 0 ? 1 : most < -GROWS * size ? -1 : 0;
    if (sign && vanishes(s, most, a)) return VINC_OK;
    j->point->stability = sign > 0   ? API_REST_UNSTABLE
                          : sign < 0 ? API_REST_STABLE
                                     : API_REST_NEUTRAL;
    return VINC_OK;
}

/* The state that moved most. */
static void measure_move(vinc_sim *s, const double *from, api_rest_point *point)
{
    const vinc_problem *p = run_problem(s->state);
    point->moved = -1;
    point->far = 0;
    for (int i = 0; i < p->n; i++) {
        double far = fabs(s->y[i] - from[i]) / fmax(p->nominal[i], fabs(from[i]));
        if (!p->differential[i] || !(far > point->far)) continue;
        point->moved = i;
        point->far = far;
        point->from = from[i];
        point->to = s->y[i];
    }
}

static int find_rest(vinc_sim *s, bool relaxed, const double *from, api_rest_point *point,
                     sim_left *left)
{
    const vinc_problem *p = run_problem(s->state);
    double t = s->options.t_start;
    memcpy(s->y, from, (size_t)p->n * sizeof *from);
    if (p->reselect) p->reselect(p->user, t, s->y, s->yp);
    int rc = sim_equilibrium(&s->m, p, t, s->y, s->yp, relaxed, &point->kept, left);
    if (!rc) rc = api_run_guarded(s, judge_rest, &(rest_job){.s = s, .point = point});
    if (!rc) measure_move(s, from, point);
    return rc;
}

static bool is_better(const api_rest_point *a, const api_rest_point *b)
{
    bool a_fails = a->stability == API_REST_UNSTABLE, b_fails = b->stability == API_REST_UNSTABLE;
    if (a->kept != b->kept) return a->kept;
    return a_fails != b_fails ? b_fails : a->far < b->far;
}

/* Newton's method first; where it went far or to a point that motions leave, by way of a damped
 * motion, too. */
static int choose_rest(vinc_sim *s, const double *from, double *first, sim_left *left)
{
    size_t bytes = (size_t)run_problem(s->state)->n * sizeof *from;
    api_rest_point other;
    int rc = find_rest(s, false, from, &s->rest, left);
    if (rc || (s->rest.stability != API_REST_UNSTABLE && s->rest.far < FAR)) return rc;
    memcpy(first, s->y, bytes);
    rc = find_rest(s, true, from, &other, left);
    if (rc == VINC_E_MEMORY) return rc;
    if (!rc && is_better(&other, &s->rest)) {
        s->rest = other;
        return VINC_OK;
    }
    memcpy(s->y, first, bytes);
    memset(s->yp, 0, bytes);
    const vinc_problem *p = run_problem(s->state);
    if (p->reselect) p->reselect(p->user, s->options.t_start, s->y, s->yp);
    return VINC_OK;
}

int api_rest(vinc_sim *s)
{
    sim_left left = {.moved = -1};
    size_t n = (size_t)run_problem(s->state)->n, bytes = (2 * n + 1) * sizeof *s->y;
    double *from = mem_try(&s->m, bytes);
    if (!from) return VINC_E_MEMORY;
    watch_doing(&s->watch, "finding the point of rest of", s->model->about.name);
    memcpy(from, s->y, n * sizeof *from);
    int rc = choose_rest(s, from, from + n, &left);
    mem_free(&s->m, from, bytes);
    if (rc < 0 && watch_look(&s->watch)) return VINC_E_MEMORY; // api_told says why
    if (rc == VINC_E_NEWTON) api_run_guarded(s, no_rest, &(rest_job){.s = s, .left = &left});
    if (!rc && !s->rest.kept) api_run_guarded(s, not_kept, &(rest_job){.s = s});
    return rc;
}
