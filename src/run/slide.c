/* Sliding: where both sides of a switching surface push onto it, the motion stays on it. Here: when it
 * does; how it moves then is in slide_motion.c.
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
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/slide.h"

#include "run/event.h"
#include "run/slide_motion.h"

#include <string.h>

static const double ON_SURFACE = 1e-9;  // of the sides: what an event leaves, and more; choice
static const double INDEPENDENT = 1e-6; // relative, of switches that add up; choice
static const double SAME_MOTION = 1e-9; // relative, of rates; choice
static const double REST = 1e-12;       // share of one side that is none: rounding of rates

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
    x->only = bump_int(&b, (size_t)m->events.n_relations);
    return bump_end(&b);
}

void slide_forget_addresses(run_slide *x, const code_model *m)
{
    slide_layout(x, m, NULL);
    memset(&x->problem, 0, sizeof x->problem);
    x->block = NULL;
}

static void list_mixed(run_slide *x, const code_model *m)
{
    for (int i = 0; i < m->outputs.n_columns; i++) {
        code_column c = code_column_in(&m->outputs, i);
        if (code_output_of(c) >= 0) x->mixed[code_output_of(c)] = c.type == TYPE_REAL;
    }
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
    vinc_problem problem = x->problem; // of this run, and of this process
    *x = *from;
    x->problem = problem;
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
        int slot = s->model->events.list.relations[q->relation[i]].place;
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
    if (!s->slide.n || slide_look_at(s, t, y, yp)) return;
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
    const image_events *q = &s->model->events.list;
    for (int k = 0; k < q->n_conditions && !rc; k++) {
        int slot = q->conditions[k].place;
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
    double size, root = slide_root_of(s, k, sides, &size);
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

/* Does each switch change how states move? Where it does not, it is no motion that is pushed onto the
 * surface from both sides: two solutions of algebraic equations meet there and end, as those of a
 * trigger that flips, and another one is to be found beyond. */
static bool moves_states(const run_state *s)
{
    const run_slide *x = &s->slide;
    for (int j = 0; j < x->n; j++) {
        const double *here = x->mode[0].yp, *there = x->mode[j + 1].yp;
        bool moves = false;
        for (int i = 0; i < s->model->n && !moves; i++)
            moves = s->model->system.differential[i] &&
                    fabs(there[i] - here[i]) > SAME_MOTION * (fabs(there[i]) + fabs(here[i]));
        if (!moves) return false;
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
    const int *a = &s->model->events.compares[2 * k], *b = &s->model->events.compares[2 * l];
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

static bool join_surface(run_state *s, slide_surface *q, int k)
{
    if (q->n == SLIDE_RELATIONS) return false;
    q->relation[q->n] = k;
    q->there[q->n] = s->w[s->model->events.list.relations[k].place];
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
    return s->problem.rhs && !m->formulation.n_groups && !m->manifold &&
           !m->formulation.mechanical && !m->events.delays.n_out;
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
    double dt = slide_short_while(s, y, yp);
    bool known =
        !slide_roots_along(s, t, &now, dt, after) && !slide_roots_along(s, t, &now, -dt, before);
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
        bool good = settle_modes(s, t, y, yp);
        if (good) slide_find_felt(s, t, y, yp);
        good = good && !slide_look_at(s, t, y, yp) && are_on_surfaces(s, t) && pushes_onto(s) &&
               moves_states(s) && are_independent(s, t, y, yp);
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
