/* Sliding: where both sides of a switching surface push onto it, the motion stays on it.
 *
 * Friction written as sign(v), a relay: on v = 0 the conditions switch back and forth without time
 * passing. A. F. Filippov (Differential Equations with Discontinuous Righthand Sides, 1988, section 4)
 * lets the motion go on along the surface g = 0 with the convex combination of both sides that keeps
 * it there,
 *
 *     y' = (1 - a) f_here + a f_there,   (1 - a) g'_here + a g'_there = 0,
 *
 * where g' is the rate of g along each of them. It leaves the surface when a reaches 0 or 1, where
 * the motion of one side is tangent to it: an event like any other, found by the sign of
 * min(a, 1 - a). Other values, algebraic ones included, are the same combination.
 *
 * On several surfaces at once the switches must act independently of each other:
 * f = f_0 + sum a_i (f_i - f_0), with f_i the motion where only switch i has changed its side (V. I.
 * Utkin, Sliding Modes in Control and Optimization, 1992, section 3: the equivalent control). That is
 * checked; where it is not so, nothing slides.
 *
 * Each mode has its own w, settled as at an event; all that is evaluated in a mode is evaluated with
 * s->w pointing to it. Rates are central differences along the motion, good to ten digits; what they
 * leave of g after a step is removed along the difference of the motions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/slide.h"

#include "run/event.h"

#include <string.h>

static const double ON_SURFACE = 1e-9;  // of the sides: what an event leaves, and more; choice
static const double INDEPENDENT = 1e-6; // relative, of switches that add up; choice
static const double REST = 1e-12;       // share of one side that is none: rounding of rates
enum { CORRECTIONS_MAX = 3 };

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t slide_layout(run_slide *x, const code_model *m, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)m->n;
    for (int i = 0; i <= SLIDE_SURFACES; i++) {
        x->mode[i].w = bump_double(&b, (size_t)m->n_w);
        x->mode[i].y = bump_double(&b, n);
        x->mode[i].yp = bump_double(&b, n);
    }
    x->y = bump_double(&b, 3 * n);
    x->yp = bump_double(&b, 3 * n);
    x->sides = bump_double(&b, (size_t)m->events.roots.n_out);
    x->out = bump_double(&b, (size_t)m->outputs.n);
    x->g = bump_double(&b, (size_t)(m->events.n_single + 2 * m->events.n_families_moving));
    x->mixed = bump_bytes(&b, (size_t)m->outputs.n);
    x->felt = bump_bytes(&b, n);
    return bump_end(&b);
}

static void list_mixed(run_slide *x, const code_model *m)
{
    for (int c = 0; c < m->outputs.n_columns; c++)
        if (m->outputs.columns[c].output >= 0)
            x->mixed[m->outputs.columns[c].output] = m->outputs.columns[c].type == TYPE_REAL;
}

static bool slide_prepare(run_state *s)
{
    run_slide *x = &s->slide;
    if (x->block) return true;
    x->bytes = slide_layout(x, s->model, NULL) + 1;
    x->block = mem_try(s->m, x->bytes);
    if (!x->block) return false;
    memset(x->block, 0, x->bytes);
    slide_layout(x, s->model, x->block);
    list_mixed(x, s->model);
    return true;
}

void slide_free(run_state *s)
{
    if (s->slide.block) mem_free(s->m, s->slide.block, s->slide.bytes);
    s->slide.block = NULL;
}

void *slide_keep(const run_state *s, mem *m)
{
    void *copy = mem_try(m, s->slide.bytes);
    if (copy) memcpy(copy, s->slide.block, s->slide.bytes);
    return copy;
}

bool slide_take(run_state *s, const run_slide *from, const void *block)
{
    run_slide *x = &s->slide;
    if (block && !slide_prepare(s)) return false;
    void *own = x->block;
    size_t bytes = x->bytes;
    *x = *from;
    x->block = own;
    x->bytes = bytes;
    if (block) memcpy(own, block, bytes);
    if (own) slide_layout(x, s->model, own);
    return true;
}

static void hold_all(run_state *s, bool held)
{
    for (int j = 0; j < s->slide.n; j++)
        for (int i = 0; i < s->slide.at[j].n; i++)
            s->events.relations.held[s->slide.at[j].relation[i]] = held;
}

void slide_begin(run_state *s)
{
    hold_all(s, false);
    s->slide.n = 0;
    s->slide.n_stretches = 0;
}

/* ---- motions --------------------------------------------------------------------------------- */

/* The root of a relation, and the size of the sides that it compares. */
static double root_of(const run_state *s, int k, const double *sides, double *size)
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
    for (int j = 0; j < x->n; j++) g[j] = root_of(s, x->at[j].relation[0], x->sides, &size);
}

/* How long the states that roots depend on may move on without changing much. */
static double short_while(const run_state *s, const double *y, const double *yp)
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
static int roots_along(run_state *s, double t, const slide_mode *m, double dt, double *g)
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

/* Which states do the roots depend on? Each is moved by itself, from a point that is nothing special;
 * the others, however fast they are, do not disturb the rates then. */
static void find_felt(run_state *s, double t, const double *y, const double *yp)
{
    const double ASIDE = 1e-3, PROBE = 1e-2; // over value and nominal; choice
    run_slide *x = &s->slide;
    int n = s->model->n;
    double *z = x->y + n, *zp = x->yp + n, before[SLIDE_SURFACES], g[SLIDE_SURFACES];
    for (int i = 0; i < n; i++) {
        bool state = s->model->system.differential[i];
        x->felt[i] = state;
        z[i] = y[i] + (state ? ASIDE * (1 + 0.618 * (i % 7)) * (fabs(y[i]) + s->nominal[i]) : 0);
        zp[i] = yp[i];
    }
    slide_mode m = {.y = z, .yp = zp};
    if (roots_along(s, t, &m, 0, before)) return;
    for (int i = 0; i < n; i++) {
        if (!s->model->system.differential[i]) continue;
        double kept = z[i];
        z[i] += PROBE * (fabs(kept) + s->nominal[i]);
        bool felt = roots_along(s, t, &m, 0, g) != 0;
        for (int j = 0; j < x->n; j++) felt = felt || g[j] != before[j];
        z[i] = kept;
        x->felt[i] = felt;
    }
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
    double dt = rc ? 0 : short_while(s, m->y, m->yp);
    if (!rc) rc = roots_along(s, t, m, dt, after);
    if (!rc) rc = roots_along(s, t, m, -dt, before);
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
static int look_at(run_state *s, double t, const double *y, const double *yp)
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

/* The combination of what look_at has found. */
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
    int rc = look_at(s, t, y, yp);
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
static int slide_project(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    run_slide *x = &s->slide;
    double wanted[SLIDE_SURFACES] = {0}, move[SLIDE_SURFACES];
    for (int k = 0; k <= CORRECTIONS_MAX; k++) {
        int rc = look_at(s, t, y, yp);
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
    int rc = look_at(s, t, y, yp);
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
    int rc = look_at(s, t, y, yp);
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
    if (look_at(s, t, y, yp)) return 0;
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
    x->problem.jac = NULL;
    x->problem.jacobian = NULL;
    x->problem.product = NULL;
    x->problem.residual = slide_residual;
    x->problem.rhs = slide_rhs;
    x->problem.project = slide_project;
    x->problem.output_project = NULL;
    x->problem.project_within = NULL;
    x->problem.roots = slide_roots;
    x->problem.outputs = slide_outputs;
    x->problem.check = s->problem.check ? slide_check : NULL;
    x->problem.autonomous = 0;
    return &x->problem;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void tell_stretch(run_state *s, const slide_surface *q, double to)
{
    run_slide *x = &s->slide;
    if (x->n_stretches < SLIDE_STRETCHES)
        x->stretch[x->n_stretches] = (slide_stretch){q->relation[0], q->since, to};
    x->n_stretches++;
}

long slide_stretches(const run_state *s, double t_end, slide_stretch *out)
{
    const run_slide *x = &s->slide;
    long n = x->n_stretches;
    for (long k = 0; k < n && k < SLIDE_STRETCHES; k++) out[k] = x->stretch[k];
    for (int j = 0; j < x->n; j++, n++)
        if (n < SLIDE_STRETCHES)
            out[n] = (slide_stretch){x->at[j].relation[0], x->at[j].since, t_end};
    return n;
}

static void put_side(run_state *s, const slide_surface *q, bool there)
{
    for (int i = 0; i < q->n; i++) {
        int slot = s->model->s->relations.at[q->relation[i]].place;
        s->w[slot] = there ? q->there[i] : q->here[i];
    }
}

/* Surface j is no more slid on; its relations are held until the event is over. */
static void drop_surface(run_state *s, int j)
{
    run_slide *x = &s->slide;
    for (x->n--; j < x->n; j++) x->at[j] = x->at[j + 1];
}

void slide_before(run_state *s, double t, double *y, double *yp)
{
    const slide_mode *m = &s->slide.mode[0];
    if (!s->slide.n || look_at(s, t, y, yp)) return;
    memcpy(y, m->y, (size_t)s->model->n * sizeof *y);
    memcpy(yp, m->yp, (size_t)s->model->n * sizeof *yp);
}

/* As at an event, but what cannot be settled is no fault. */
static int settle_quietly(run_state *s, double t, double *y, double *yp)
{
    bool changed = false;
    s->events.w_given = true;
    int rc = event_settle(s, t, y, yp, &changed);
    event_past_is_present(s);
    s->events.actions.why[0] = 0;
    return rc;
}

/* The mode in which surface `there` alone has changed its side (-1: none), settled as at an event.
 * False: there is none. */
static bool settle_mode(run_state *s, double t, const double *y, const double *yp, int there)
{
    run_slide *x = &s->slide;
    slide_mode *m = &x->mode[there + 1];
    double *kept = s->w;
    memcpy(m->w, s->w, (size_t)s->model->n_w * sizeof *s->w);
    memcpy(m->y, y, (size_t)s->model->n * sizeof *y);
    memcpy(m->yp, yp, (size_t)s->model->n * sizeof *yp);
    s->w = m->w;
    for (int j = 0; j < x->n; j++) put_side(s, &x->at[j], j == there);
    int rc = run_follow(s, t, m->y, m->yp);
    if (!rc) rc = settle_quietly(s, t, m->y, m->yp);
    // Where clauses would fire at every switching, sliding is not what the model says.
    const structure *q = s->model->s;
    for (int k = 0; k < q->conditions.n && !rc; k++) {
        int slot = q->vars[q->conditions.at[k].var].place;
        if (m->w[slot] != x->mode[0].w[slot]) rc = 1;
    }
    s->w = kept;
    return !rc;
}

static bool settle_modes(run_state *s, double t, const double *y, const double *yp)
{
    bool settled = true;
    for (int i = -1; i < s->slide.n && settled; i++) settled = settle_mode(s, t, y, yp, i);
    s->events.w_given = true;
    family_find_places(s);
    return settled;
}

static bool is_near(const run_state *s, int k, const double *sides)
{
    double size, root = root_of(s, k, sides, &size);
    return fabs(root) <= ON_SURFACE * (size + 1);
}

/* Do the roots vanish on both sides of each surface? Otherwise what switches decides them, too. */
static bool are_on_surfaces(run_state *s, double t)
{
    run_slide *x = &s->slide;
    double *kept = s->w;
    bool near = true;
    for (int i = 0; i <= x->n; i++) {
        s->w = x->mode[i].w;
        run_eval(s, &s->model->events.roots, t, x->mode[i].y, x->mode[i].yp, x->sides, NULL);
        for (int j = 0; j < x->n; j++)
            if (i == 0 || i == j + 1) near = near && is_near(s, x->at[j].relation[0], x->sides);
    }
    s->w = kept;
    return near;
}

/* Which way the root of a surface has its sign on the side `here`. */
static int side_here(const run_state *s, const slide_surface *q)
{
    int sense = s->model->events.sense[q->relation[0]];
    return q->here[0] != 0 ? sense : -sense;
}

/* Does each side push onto its surface, and do several switches act independently of each other? */
static bool pushes_onto(const run_state *s)
{
    const run_slide *x = &s->slide;
    for (int j = 0; j < x->n; j++) {
        double rate = x->mode[j + 1].rate[j] - x->mode[0].rate[j];
        if (!(rate * side_here(s, &x->at[j]) > 0)) return false;
    }
    return true;
}

static bool are_independent(run_state *s, double t, const double *y, const double *yp)
{
    run_slide *x = &s->slide;
    int n = s->model->n;
    if (x->n < 2) return true;
    double *kept = s->w, *all = x->y + 2 * n, *allp = x->yp + 2 * n;
    // All switches on their other side, in the place of w of a mode that is not used.
    if (x->n == SLIDE_SURFACES) return false;
    s->w = x->mode[x->n + 1].w;
    memcpy(s->w, kept, (size_t)s->model->n_w * sizeof *kept);
    memcpy(all, y, (size_t)n * sizeof *y);
    memcpy(allp, yp, (size_t)n * sizeof *yp);
    for (int j = 0; j < x->n; j++) put_side(s, &x->at[j], true);
    int rc = run_follow(s, t, all, allp);
    if (!rc) rc = settle_quietly(s, t, all, allp);
    s->w = kept;
    s->events.w_given = true;
    family_find_places(s);
    for (int i = 0; i < n && !rc; i++) {
        double sum = x->mode[0].yp[i], size = fabs(sum) + s->nominal[i];
        for (int j = 0; j < x->n; j++) {
            double d = x->mode[j + 1].yp[i] - x->mode[0].yp[i];
            sum += d;
            size += fabs(d);
        }
        if (fabs(sum - allp[i]) > INDEPENDENT * size) rc = 1;
    }
    return !rc;
}

/* Do two relations compare the same quantities? */
static bool same_sides(const run_state *s, int k, int l)
{
    const structure *x = s->model->s;
    const expr *a = expr_args(x->pool, x->relations.at[k].relation),
               *b = expr_args(x->pool, x->relations.at[l].relation);
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static bool join_surface(run_state *s, slide_surface *q, int k)
{
    if (q->n == SLIDE_RELATIONS) return false;
    q->relation[q->n] = k;
    q->there[q->n] = s->w[s->model->s->relations.at[k].place];
    q->here[q->n] = q->there[q->n] == 0;
    q->n++;
    return true;
}

/* Relations that this event has changed and whose roots vanish: surfaces to slide on, perhaps. They
 * are added to the list; how many. */
static int add_surfaces(run_state *s, double t, const double *y, const double *yp)
{
    run_slide *x = &s->slide;
    const run_relations *r = &s->events.relations;
    int before = x->n;
    run_eval(s, &s->model->events.roots, t, y, yp, x->sides, NULL);
    for (int i = 0; i < r->n_flips; i++) {
        int k = r->flips[i], j = before;
        if (!event_is_condition(s, k) || r->held[k] || !is_near(s, k, x->sides)) continue;
        while (j < x->n && !same_sides(s, k, x->at[j].relation[0])) j++;
        if (j == SLIDE_SURFACES) continue;
        if (j == x->n) x->at[x->n++] = (slide_surface){.since = t};
        if (!join_surface(s, &x->at[j], k)) return x->n = before, 0;
    }
    return x->n - before;
}

static bool can_slide(const run_state *s)
{
    const code_model *m = s->model;
    return s->problem.rhs && !m->form->groups.n && !m->manifold && !m->form->mechanical &&
           !m->events.delays.n_out;
}

/* Of new surfaces those to which the motion just after the event leads back. The others are crossed,
 * and for them this is all that sliding costs. */
static int keep_returning(run_state *s, double t, double *y, double *yp, int new)
{
    run_slide *x = &s->slide;
    slide_mode now = {.w = s->w, .y = y, .yp = yp};
    double before[SLIDE_SURFACES], after[SLIDE_SURFACES];
    memset(x->felt, 1, (size_t)s->model->n);
    for (int i = 0; i < s->model->n; i++) x->felt[i] = s->model->system.differential[i];
    double dt = short_while(s, y, yp);
    bool known = !roots_along(s, t, &now, dt, after) && !roots_along(s, t, &now, -dt, before);
    for (int j = x->n - 1, first = x->n - new; j >= first; j--) {
        if (known && (after[j] - before[j]) * side_here(s, &x->at[j]) > 0) continue;
        drop_surface(s, j);
        new --;
    }
    return new;
}

static bool stays_on(const slide_surface *q)
{
    return q->share > REST && q->share < 1 - REST;
}

/* Find the surfaces that are slid on from here: those so far, and the last `new` ones, as far as the
 * motion stays on them. True: what had been slid on was left. */
static bool find_surfaces(run_state *s, double t, const double *y, const double *yp, int new)
{
    run_slide *x = &s->slide;
    bool left = false, dropped = true;
    while (x->n && dropped) {
        find_felt(s, t, y, yp);
        bool good = settle_modes(s, t, y, yp) && !look_at(s, t, y, yp) && are_on_surfaces(s, t) &&
                    pushes_onto(s) && are_independent(s, t, y, yp);
        dropped = false;
        for (int j = x->n - 1; j >= 0; j--) {
            bool is_new = j >= x->n - new;
            // Where there is no rule the newest is crossed; of old ones the conditions decide.
            bool leaves = good ? !stays_on(&x->at[j]) : new ? j == x->n - 1 : true;
            if (!leaves) continue;
            put_side(s, &x->at[j], good ? x->at[j].share >= 0.5 : is_new);
            if (is_new) new --;
            else tell_stretch(s, &x->at[j], t);
            left = left || !is_new;
            drop_surface(s, j);
            dropped = true;
        }
    }
    return left;
}

int slide_after(run_state *s, double t, double *y, double *yp, int *changed)
{
    run_slide *x = &s->slide;
    int before = x->n, rc = 0;
    if (!can_slide(s) || (!before && !s->events.relations.n_flips) || !slide_prepare(s)) return 0;
    int new = add_surfaces(s, t, y, yp);
    if (new) new = keep_returning(s, t, y, yp, new);
    if (!x->n) return 0;
    hold_all(s, true);
    bool left = find_surfaces(s, t, y, yp, new);
    if (x->n) {
        memcpy(s->w, x->mode[0].w, (size_t)s->model->n_w * sizeof *s->w);
        rc = slide_project(s, t, y, yp);
    } else if (left) {
        rc = run_follow(s, t, y, yp);
        if (!rc) rc = settle_quietly(s, t, y, yp);
    }
    if (x->n > before || left) *changed = 1;
    s->events.w_given = true;
    family_find_places(s);
    memset(s->events.relations.held, 0, (size_t)s->model->events.n_relations);
    hold_all(s, true);
    return rc;
}
