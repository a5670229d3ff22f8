/* The motion on switching surfaces, and the problem that an integrator is given while it slides.
 *
 * Each mode has its own w, settled as at an event; all that is evaluated in a mode is evaluated with
 * s->w pointing to it. Rates are central differences along the motion, good to ten digits; what they
 * leave of g after a step is removed along the difference of the motions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/slide.h"

#include "run/event.h"
#include "run/slide_motion.h"

#include <string.h>

enum { CORRECTIONS_MAX = 3 }; // of the states after a step

/* ---- motions --------------------------------------------------------------------------------- */

/* The root of a relation, and the size of the sides that it compares. */
double slide_root_of(const run_state *s, int k, const double *sides, double *size)
{
    const code_events *m = &s->model->events;
    int at = m->side_of[k];
    if (at < m->n_single) {
        *size = sides[m->n_single + at];
        return sides[at];
    }
    const code_family *f = &m->families[at - 2 * m->n_single];
    const run_threshold *x = s->events.families.thresholds + f->first;
    for (int i = 0; i < f->n; i++)
        if (x[i].relation == k) {
            *size = fabs(sides[at]) + fabs(x[i].c);
            return x[i].sign * (sides[at] - x[i].c);
        }
    *size = 0;
    return NAN;
}

static void roots_at(run_state *s, double t, const double *y, const double *yp, double *g)
{
    run_slide *x = &s->slide;
    double size;
    run_eval(s, &s->model->events.roots, t, y, yp, x->sides, NULL);
    for (int j = 0; j < x->n; j++) g[j] = slide_root_of(s, x->at[j].relation[0], x->sides, &size);
}

/* How long the states that roots depend on may move on without changing much. */
double slide_short_while(const run_state *s, const double *y, const double *yp)
{
    double most = 1;
    for (int i = 0; i < s->model->n; i++)
        if (s->slide.felt[i] && yp[i] != 0)
            most = fmin(most, (fabs(y[i]) + s->nominal[i]) / fabs(yp[i]));
    return cbrt(DBL_EPSILON) * most;
}

static bool has_algebraic(const run_state *s)
{
    for (int i = 0; i < s->model->n; i++)
        if (!s->model->system.differential[i]) return true;
    return false;
}

/* The roots a while later (or before) along the motion of the mode that s->w is. */
int slide_roots_along(run_state *s, double t, const slide_mode *m, double dt, double *g)
{
    run_slide *x = &s->slide;
    for (int i = 0; i < s->model->n; i++) {
        x->y[i] = m->y[i] + (x->felt[i] ? dt * m->yp[i] : 0);
        x->yp[i] = m->yp[i];
    }
    int rc = has_algebraic(s) ? run_follow(s, t + dt, x->y, x->yp) : 0;
    if (!rc) roots_at(s, t + dt, x->y, x->yp, g);
    return rc;
}

/* Do the roots change where the states from first to last, one before it, but not `but`, move from m->y? */
static bool feels(run_state *s, double t, const slide_mode *m, const double *before, int first,
                  int last, int but)
{
    const double PROBE = 1e-2; // over value and nominal, of each another part; choice
    run_slide *x = &s->slide;
    double *z = m->y, *kept = x->y + 2 * s->model->n, g[SLIDE_SURFACES];
    memcpy(kept + first, z + first, (size_t)(last - first) * sizeof *z);
    for (int i = first; i < last; i++)
        if (s->model->system.differential[i] && i != but)
            z[i] += PROBE * (1 + 0.382 * (i % 11)) * (fabs(z[i]) + s->nominal[i]);
    bool felt = slide_roots_along(s, t, m, 0, g) != 0;
    for (int j = 0; j < x->n; j++) felt = felt || g[j] != before[j];
    memcpy(z + first, kept + first, (size_t)(last - first) * sizeof *z);
    return felt;
}

/* Which of the states from first to last are felt is found by halves: roots depend on few. */
static void feel(run_state *s, double t, const slide_mode *m, const double *before, int first,
                 int last)
{
    run_slide *x = &s->slide;
    bool felt = feels(s, t, m, before, first, last, -1);
    if (felt && last - first > 1) {
        feel(s, t, m, before, first, first + (last - first) / 2);
        feel(s, t, m, before, first + (last - first) / 2, last);
    } else {
        for (int i = first; i < last; i++) x->felt[i] = felt && s->model->system.differential[i];
    }
}

/* The only state that a relation was found to depend on is looked at first, and all others at once. */
static bool feel_again(run_state *s, double t, const slide_mode *m, const double *before)
{
    run_slide *x = &s->slide;
    int n = s->model->n, i = x->n == 1 ? x->only[x->at[0].relation[0]] - 1 : -1;
    if (i < 0 || feels(s, t, m, before, 0, n, i) || !feels(s, t, m, before, i, i + 1, -1))
        return false;
    memset(x->felt, 0, (size_t)n);
    x->felt[i] = 1;
    return true;
}

static void feel_note(run_slide *x, int n)
{
    int found = 0, last = -1;
    for (int i = 0; i < n; i++)
        if (x->felt[i]) found++, last = i;
    if (x->n == 1) x->only[x->at[0].relation[0]] = found == 1 ? last + 1 : 0;
}

/* Which states do the roots depend on? They are moved from a point that is nothing special; the others,
 * however fast they are, do not disturb the rates then. */
void slide_find_felt(run_state *s, double t, const double *y, const double *yp)
{
    const double ASIDE = 1e-3; // over value and nominal; choice
    run_slide *x = &s->slide;
    int n = s->model->n;
    double *z = x->y + n, *zp = x->yp + n, before[SLIDE_SURFACES];
    for (int i = 0; i < n; i++) {
        bool state = s->model->system.differential[i];
        x->felt[i] = state;
        z[i] = y[i] + (state ? ASIDE * (1 + 0.618 * (i % 7)) * (fabs(y[i]) + s->nominal[i]) : 0);
        zp[i] = yp[i];
    }
    slide_mode m = {.y = z, .yp = zp};
    if (slide_roots_along(s, t, &m, 0, before) || feel_again(s, t, &m, before)) return;
    feel(s, t, &m, before, 0, n);
    feel_note(x, n);
}

/* The motion of a mode at the states in y, and the rates of all roots along it. */
static int mode_at(run_state *s, double t, const double *y, const double *yp, int i)
{
    run_slide *x = &s->slide;
    slide_mode *m = &x->mode[i];
    double *kept = s->w, after[SLIDE_SURFACES], before[SLIDE_SURFACES];
    size_t bytes = (size_t)s->model->n * sizeof *y;
    s->w = m->w;
    memcpy(m->y, y, bytes);
    memcpy(m->yp, yp, bytes);
    int rc = run_follow(s, t, m->y, m->yp);
    if (!rc && i == 0) roots_at(s, t, m->y, m->yp, x->root);
    double dt = rc ? 0 : slide_short_while(s, m->y, m->yp);
    if (!rc) rc = slide_roots_along(s, t, m, dt, after);
    if (!rc) rc = slide_roots_along(s, t, m, -dt, before);
    for (int j = 0; j < x->n && !rc; j++) m->rate[j] = (after[j] - before[j]) / (2 * dt);
    s->w = kept;
    return rc;
}

/* a, n by n, times x = b: by elimination with pivots, b becomes x. False: singular. */
static bool solve_small(int n, double a[SLIDE_SURFACES][SLIDE_SURFACES], double *b)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
        if (!(fabs(a[p][k]) > 0)) return false;
        for (int j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = t;
        }
        double t = b[k];
        b[k] = b[p];
        b[p] = t;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

/* What the switches must share so that the roots change by `wanted`. */
static bool solve_shares(const run_slide *x, const double *wanted, double *share)
{
    double a[SLIDE_SURFACES][SLIDE_SURFACES];
    for (int j = 0; j < x->n; j++) {
        share[j] = wanted[j];
        for (int i = 0; i < x->n; i++) a[j][i] = x->mode[i + 1].rate[j] - x->mode[0].rate[j];
    }
    return solve_small(x->n, a, share);
}

/* The motions of all modes at the states in y, and the shares that keep the roots as they are. */
int slide_look_at(run_state *s, double t, const double *y, const double *yp)
{
    run_slide *x = &s->slide;
    double wanted[SLIDE_SURFACES] = {0}, share[SLIDE_SURFACES];
    for (int i = 0; i <= x->n; i++) {
        int rc = mode_at(s, t, y, yp, i);
        if (rc) return rc;
    }
    for (int j = 0; j < x->n; j++) wanted[j] = -x->mode[0].rate[j];
    if (!solve_shares(x, wanted, share)) return 1;
    for (int j = 0; j < x->n; j++) x->at[j].share = share[j];
    return 0;
}

static double combined(const run_slide *x, const double *v0, const double *const *v, int i)
{
    double sum = v0[i];
    for (int j = 0; j < x->n; j++) sum += x->at[j].share * (v[j][i] - v0[i]);
    return sum;
}

/* The combination of what slide_look_at has found. */
static void combine(const run_state *s, double *y, double *yp)
{
    const run_slide *x = &s->slide;
    const double *ys[SLIDE_SURFACES], *yps[SLIDE_SURFACES];
    for (int j = 0; j < x->n; j++) ys[j] = x->mode[j + 1].y, yps[j] = x->mode[j + 1].yp;
    for (int i = 0; i < s->model->n; i++) {
        y[i] = combined(x, x->mode[0].y, ys, i);
        yp[i] = combined(x, x->mode[0].yp, yps, i);
    }
}

/* ---- callbacks while it slides --------------------------------------------------------------- */

static int slide_rhs(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    int rc = slide_look_at(s, t, y, yp);
    if (!rc) combine(s, y, yp);
    return rc;
}

static int slide_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    run_state *s = user;
    int n = s->model->n;
    double *z = s->slide.y + n, *zp = s->slide.yp + n;
    memcpy(z, y, (size_t)n * sizeof *z);
    memcpy(zp, yp, (size_t)n * sizeof *zp);
    int rc = slide_rhs(user, t, z, zp);
    for (int i = 0; i < n; i++)
        r[i] = s->model->system.differential[i] ? yp[i] - zp[i] : y[i] - z[i];
    return rc;
}

/* Back onto the surfaces along the differences of the motions, which is the way by which the switches
 * would bring it there. */
int slide_project(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    run_slide *x = &s->slide;
    double wanted[SLIDE_SURFACES] = {0}, move[SLIDE_SURFACES];
    for (int k = 0; k <= CORRECTIONS_MAX; k++) {
        int rc = slide_look_at(s, t, y, yp);
        if (rc) return rc;
        bool there = true;
        for (int j = 0; j < x->n; j++) {
            wanted[j] = -x->root[j];
            there = there && wanted[j] == 0;
        }
        if (there || k == CORRECTIONS_MAX) break;
        if (!solve_shares(x, wanted, move)) return 1;
        for (int i = 0; i < s->model->n; i++) {
            if (!s->model->system.differential[i]) continue;
            for (int j = 0; j < x->n; j++)
                y[i] += move[j] * (x->mode[j + 1].yp[i] - x->mode[0].yp[i]);
        }
    }
    combine(s, y, yp);
    return 0;
}

/* Other conditions as they are in mode 0; in place of those that slide, how far the shares are from
 * 0 and 1. */
static int slide_roots(void *user, double t, const double *y, const double *yp, double *g)
{
    run_state *s = user;
    run_slide *x = &s->slide;
    const code_events *m = &s->model->events;
    double *kept = s->w;
    int rc = slide_look_at(s, t, y, yp);
    if (rc) return rc;
    s->w = x->mode[0].w;
    rc = event_roots(s, t, x->mode[0].y, x->mode[0].yp, g);
    s->w = kept;
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->at[j].n; i++) {
            int side = m->side_of[x->at[j].relation[i]];
            int f = side - 2 * m->n_single, slot = f < 0 ? side : m->n_single + 2 * f;
            g[slot] = i ? 1 : fmin(x->at[j].share, 1 - x->at[j].share);
            if (f >= 0) g[slot + 1] = 1;
        }
    return rc;
}

static int slide_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    run_state *s = user;
    run_slide *x = &s->slide;
    int n = s->recording.outputs ? s->recording.n : s->model->outputs.n;
    int rc = slide_look_at(s, t, y, yp);
    double *kept = s->w, part = 1; // of mode 0: what the others leave
    for (int j = 0; j < x->n; j++) part -= x->at[j].share;
    for (int i = 0; i <= x->n && !rc; i++) {
        double *values = i ? x->out : out;
        s->w = x->mode[i].w;
        rc = run_outputs(s, t, x->mode[i].y, x->mode[i].yp, values);
        for (int k = 0; k < n; k++) {
            if (!x->mixed[s->recording.outputs ? s->recording.outputs[k] : k]) continue;
            if (i) out[k] += x->at[i - 1].share * values[k];
            else out[k] *= part;
        }
    }
    s->w = kept;
    return rc;
}

/* An assertion fails where it does so in every mode. */
static int slide_check(void *user, double t, const double *y, const double *yp)
{
    run_state *s = user;
    run_slide *x = &s->slide;
    const code_fn *f = &s->model->events.assertions;
    double *kept = s->w, *conditions = s->events.actions.conditions;
    if (slide_look_at(s, t, y, yp)) return 0;
    bool fails = true;
    for (int i = 0; i <= x->n && fails; i++) {
        s->w = x->mode[i].w;
        run_eval(s, f, t, x->mode[i].y, x->mode[i].yp, conditions, NULL);
        fails = false;
        for (int k = 0; k < f->n_out; k++) fails = fails || conditions[k] == 0;
    }
    s->w = x->mode[0].w;
    int rc = fails ? event_check(s, t, x->mode[0].y, x->mode[0].yp) : 0;
    s->w = kept;
    return rc;
}

const vinc_problem *slide_follows(void *user)
{
    run_state *s = user;
    run_slide *x = &s->slide;
    if (!x->n) return &s->problem;
    x->problem = s->problem;
    x->problem.n_corners = 0; // of other unknowns
    x->problem.jac = NULL;
    x->problem.jacobian = NULL;
    x->problem.product = NULL;
    x->problem.residual = slide_residual;
    x->problem.residuals = NULL;
    x->problem.whole_step = NULL;
    x->problem.rhs_linear = 0;
    x->problem.rhs = slide_rhs;
    x->problem.project = slide_project;
    x->problem.output_project = NULL;
    x->problem.project_within = NULL;
    x->problem.project_end = NULL;
    x->problem.roots = slide_roots;
    x->problem.outputs = slide_outputs;
    x->problem.rows = NULL;
    x->problem.row_unknowns = NULL;
    x->problem.check = s->problem.check ? slide_check : NULL;
    x->problem.autonomous = 0;
    return &x->problem;
}
