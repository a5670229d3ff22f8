/* The run is followed step by step. Its points at the stages of each step are kept while there is room; and
 * places to begin from again, of which every second is dropped when they fill theirs, so that they lie at
 * about equal numbers of steps. A run that did not fit goes back from place to place: each stretch is run
 * once more, now with its stages. So the work is that of two runs and of the adjoint, in bounded memory
 * (A. Griewank and A. Walther, Evaluating Derivatives, 2nd ed. 2008, chapter 12, with two levels).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/goal_adjoint.h"

#include "run/adjoint.h"
#include "run/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_MIN = 64, PLACES_MIN = 64 }; // there is always room for
enum { ADJOINT_CLOSED = 1000 };           // no status: this way turned out to be closed

typedef struct goal_block { // records of `each` numbers
    double *at;
    size_t each, n, room, most;
} goal_block;

/* Steps, of different lengths: formula, t, h, y and y' at its points, the choice of states; the length, to go
 * back by. */
typedef struct goal_steps {
    double *at;
    size_t n, room, most; // numbers
    bool failed;          // memory that it may have is not there
} goal_steps;

typedef struct goal_trace {
    vinc_sim *s;
    const vinc_problem *p;
    run_adjoint *a;
    goal_steps steps;
    goal_block places; // t, y, y', the choice of states
    bool marks;        // places are kept: it runs for the first time
    bool overflow;     // steps of this stretch did not fit
    size_t stride, since;
    double t_end, *y_end, *yp_end;
    double *choice; // of states, where the step begins
    size_t n_choice;
    bool singular;      // a position was crossed in which constraints lose rank
    size_t n_events;    // that were before it
    const char *method; // NULL: as it pays
    size_t event_bytes;
    int rc;
} goal_trace;

static bool block_room(mem *m, goal_block *b)
{
    if (b->n < b->room) return true;
    size_t room = b->room ? 2 * b->room : STEPS_MIN, each = b->each * sizeof(double);
    if (room > b->most) room = b->most;
    if (b->n >= room) return false;
    double *at = m->resize(m->user, b->at, b->room * each, room * each);
    if (!at) return false;
    b->at = at;
    b->room = room;
    return true;
}

static void block_done(mem *m, goal_block *b)
{
    mem_free(m, b->at, b->room * b->each * sizeof(double));
}

/* Room for a step of so many numbers; NULL: there is none. */
static double *steps_add(mem *m, goal_steps *b, size_t length)
{
    size_t need = b->n + length;
    if (need > b->room) {
        size_t room = b->room ? 2 * b->room : STEPS_MIN * length;
        if (room < need) room = need;
        if (room > b->most) room = b->most;
        if (need > room) return NULL;
        double *at = m->resize(m->user, b->at, b->room * sizeof(double), room * sizeof(double));
        b->failed = !at;
        if (!at) return NULL;
        b->at = at;
        b->room = room;
    }
    double *x = b->at + b->n;
    b->n = need;
    x[length - 1] = (double)length;
    return x;
}

static double *block_add(goal_block *b)
{
    return b->at + b->each * b->n++;
}

static void keep_place(goal_trace *g, double t, const double *y, const double *yp)
{
    size_t n = (size_t)g->p->n;
    goal_block *b = &g->places;
    if (!block_room(&g->s->m, b)) {
        for (size_t k = 1; 2 * k < b->n; k++)
            memcpy(b->at + k * b->each, b->at + 2 * k * b->each, b->each * sizeof(double));
        b->n = (b->n + 1) / 2;
        g->stride *= 2;
        if (g->since < g->stride) return;
    }
    double *x = block_add(b);
    x[0] = t;
    memcpy(x + 1, y, n * sizeof *x);
    memcpy(x + 1 + n, yp, n * sizeof *x);
    if (g->n_choice) adjoint_choice(g->a, x + 1 + 2 * n);
    g->since = 0;
}

/* Where a step begins the last one ended, unless there was an event. */
static int begin_of_step(goal_trace *g, double t0, double *y, double *yp,
                         int (*at)(void *trajectory, double t, double *y, double *yp),
                         void *trajectory)
{
    size_t bytes = (size_t)g->p->n * sizeof *y;
    if (t0 != g->t_end || adjoint_n_events(g->a) != g->n_events) return at(trajectory, t0, y, yp);
    memcpy(y, g->y_end, bytes);
    memcpy(yp, g->yp_end, bytes);
    return 0;
}

static int keep_step(goal_trace *g, double t0, double t1,
                     int (*at)(void *trajectory, double t, double *y, double *yp), void *trajectory)
{
    size_t n = (size_t)g->p->n;
    int formula = adjoint_formula_of(g->a, sim_step_run(trajectory)), rc = 0;
    if (formula < 0) return VINC_E_MEMORY;
    int points = adjoint_points(g->a, formula);
    double *x = steps_add(&g->s->m, &g->steps, 4 + 2 * (size_t)points * n + g->n_choice);
    if (!x && g->steps.failed) return VINC_E_MEMORY;
    g->overflow = !x;
    if (!x) g->steps.n = 0;
    if (!x) return 0;
    x[0] = formula;
    x[1] = t0;
    x[2] = t1 - t0;
    memcpy(x + 3 + 2 * (size_t)points * n, g->choice, g->n_choice * sizeof *x);
    for (int i = 0; i < points && !rc; i++) {
        double c = adjoint_point(g->a, formula, i), t = c == 1 ? t1 : t0 + c * (t1 - t0);
        double *y = x + 3 + (size_t)i * n, *yp = y + (size_t)points * n;
        rc = c > 0 ? at(trajectory, t, y, yp) : begin_of_step(g, t0, y, yp, at, trajectory);
    }
    return rc;
}

static int follow_goal(void *user, double t0, double t1,
                       int (*at)(void *trajectory, double t, double *y, double *yp),
                       void *trajectory)
{
    goal_trace *g = user;
    if (!(t1 > t0)) return 0;
    g->rc = g->overflow ? 0 : keep_step(g, t0, t1, at, trajectory);
    if (g->rc) return 1;
    g->t_end = t1;
    g->n_events = adjoint_n_events(g->a);
    if (g->n_choice) adjoint_choice(g->a, g->choice); // of the next step
    g->rc = at(trajectory, t1, g->y_end, g->yp_end);
    if (!g->rc && g->marks && ++g->since >= g->stride) keep_place(g, t1, g->y_end, g->yp_end);
    return g->rc != 0;
}

static int too_long(const goal_trace *g)
{
    diag_error(g->s->sink, "C204", (span){0},
               "the adjoint of this run does not fit into %zu MB: give it more "
               "(--adjoint-memory)",
               (g->steps.most * sizeof(double)) >> 19);
    return VINC_E_LIMIT;
}

static int run_stretch(goal_trace *g, const double *from, double t_stop)
{
    vinc_sim *s = g->s;
    size_t n = (size_t)g->p->n;
    sim_options o = api_driver_options(s);
    sim_outcome done;
    result *none = NULL;
    o.method = g->method;
    o.by_stages = true;
    o.t_start = from[0];
    o.t_stop = t_stop;
    o.no_rows = true;
    o.intervals = 0;
    o.follow = follow_goal;
    o.follow_inside = false; // of what lies inside of a step its stages alone are looked at
    o.progress = NULL;
    o.log_line = NULL;
    o.user = g;
    o.next_break = NULL;
    o.next_corner = NULL;
    o.singular = NULL;
    if (result_new(&s->m, &none) < 0) return VINC_E_MEMORY;
    g->steps.n = 0;
    g->overflow = false;
    g->t_end = from[0];
    g->n_events = 0;
    if (g->n_choice) adjoint_choose(g->a, from + 1 + 2 * n);
    memcpy(g->choice, from + 1 + 2 * n, g->n_choice * sizeof *from);
    memcpy(g->y_end, from + 1, 2 * n * sizeof *s->y);
    memcpy(s->y, from + 1, n * sizeof *s->y);
    memcpy(s->yp, from + 1 + n, n * sizeof *s->yp);
    int rc = sim_run(&s->m, adjoint_problem(g->a, g->event_bytes), s->y, s->yp, &o, none, &done);
    if (rc < 0 && adjoint_full(g->a)) rc = too_long(g);
    else if (rc < 0 && done.message.n)
        diag_error(s->sink, "R100", (span){0}, "%s", text_str(&done.message));
    g->singular = g->singular || done.singular;
    text_done(&done.message);
    result_free(none);
    if (g->rc == VINC_E_MEMORY) return VINC_E_MEMORY;
    return rc < 0 ? rc : g->rc ? VINC_E_EVALUATION : VINC_OK;
}

/* Back over the steps that are kept. */
static int back_over_steps(goal_trace *g)
{
    size_t n = (size_t)g->p->n;
    const double *at = g->steps.at;
    for (size_t end = g->steps.n; end > 0;) {
        size_t length = (size_t)at[end - 1], points = (length - 4 - g->n_choice) / (2 * n + !n);
        const double *x = at + end - length;
        adjoint_events(g->a, x[1]);
        if (g->n_choice) adjoint_choose(g->a, x + 3 + 2 * points * n);
        int rc = adjoint_step(g->a, (int)x[0], x[1], x[2], x + 3, x + 3 + points * n);
        if (rc) return rc;
        end -= length;
    }
    return VINC_OK;
}

static int back_by_stretches(goal_trace *g, double t_stop)
{
    int rc = VINC_OK;
    g->marks = false;
    for (size_t k = g->places.n; k-- > 0 && !rc;) {
        const double *from = g->places.at + k * g->places.each;
        double end = k + 1 < g->places.n ? from[g->places.each] : t_stop;
        if (!(end > from[0])) continue;
        rc = run_stretch(g, from, end);
        if (!rc && g->overflow) return too_long(g);
        if (!rc) rc = back_over_steps(g);
    }
    return rc;
}

static int find_goal(vinc_sim *s, const char *goal, double *sign)
{
    int k = code_find_column(s->code, goal);
    if (k < 0) return -1;
    code_column of = code_column_in(&s->code->outputs, k);
    *sign = of.alias < 0 ? -1 : 1;
    if (of.alias) of = code_column_in(&s->code->outputs, of.at);
    return of.constant ? -1 : code_output_of(of);
}

/* Of a method that was given and whose steps cannot be gone back over. */
static bool method_is_other(const vinc_sim *s, const run_variation *x)
{
    const vinc_method *given = s->method_given ? method_find(s->method_given, NULL, NULL) : NULL;
    return s->formula || (s->method_given && !(given && adjoint_knows(x, given)));
}

int goal_adjoint(vinc_sim *s, const char *goal, const goal_adjoint_options *o, double *value,
                 double *slopes, const char **why)
{
    run_variation *x = vary_of(s->state);
    const vinc_problem *p = run_problem(s->state);
    double sign = 1;
    int output = find_goal(s, goal, &sign);
    size_t n = (size_t)p->n;
    *why = output < 0 ? "the goal is the same whatever the run does"
           : s->table ? "the run has inputs from a table"
                      : adjoint_cannot(x);
    if (!*why && !adjoint_takes(x, output))
        *why = "the goal is by derivatives that are chosen while the model runs";
    bool other = !*why && method_is_other(s, x);
    if (other && !(o->asked && !s->formula))
        *why =
            "steps of radau, radau5 and explicit Runge-Kutta methods are gone back over, those of "
            "the method that was given are not";
    if (*why) return 1;
    int asked = api_sens_count(s), rc = adjoint_prepare(s->state);
    if (rc) return rc;
    x = vary_of(s->state);
    bool events = vary_count(x) > asked;
    goal_trace g = {.s = s, .p = p, .marks = true, .stride = 1, .t_end = s->options.t_start};
    g.n_choice = adjoint_n_choice(x);
    size_t longest = 4 + 2 * ADJOINT_POINTS_MAX * n + g.n_choice;
    g.method = other                    ? "radau"
               : s->method_given        ? s->method_given
               : adjoint_knows(x, NULL) ? NULL
                                        : "radau";
    if (other)
        diag_warning(&s->model->ctx->diags, "C204", (span){0},
                     "steps of %s cannot be gone back over: the adjoint is that of a run by radau",
                     s->method_given);
    g.places.each = 1 + 2 * n + g.n_choice;
    g.steps.most = o->bytes / 2 / sizeof(double);
    g.places.most = o->bytes / 2 / (g.places.each * sizeof(double));
    if (g.steps.most < STEPS_MIN * longest) g.steps.most = STEPS_MIN * longest;
    if (g.places.most < PLACES_MIN) g.places.most = PLACES_MIN;
    size_t ends = (2 * n + 1 + g.n_choice) * sizeof(double);
    g.event_bytes = o->bytes / 4;
    rc = api_initialize(s);
    if (rc < 0) return rc;
    rc = api_sens_check(s);
    g.y_end = mem_try(&s->m, ends);
    g.yp_end = g.y_end ? g.y_end + n : NULL;
    g.choice = g.y_end ? g.y_end + 2 * n : NULL;
    if (!rc) rc = adjoint_new(x, asked, s->options.rel_tol, &g.a);
    if (!rc && (!g.y_end || !block_room(&s->m, &g.places))) rc = VINC_E_MEMORY;
    if (!rc) {
        memcpy(g.y_end, s->y, n * sizeof(double));
        memcpy(g.yp_end, s->yp, n * sizeof(double));
        keep_place(&g, s->options.t_start, s->y, s->yp);
        watch_begin(&s->watch, 0);
        double *first = g.places.at;
        double *start = mem_try(&s->m, g.places.each * sizeof(double));
        if (start) memcpy(start, first, g.places.each * sizeof(double)); // places may move
        rc = start ? run_stretch(&g, start, s->options.t_stop) : VINC_E_MEMORY;
        mem_free(&s->m, start, g.places.each * sizeof(double));
    }
    if (!rc && g.singular) {
        *why = "the run crosses positions in which constraints lose rank";
        rc = ADJOINT_CLOSED;
    }
    if (!rc) {
        rc = run_values(s->state, g.t_end, g.y_end, g.yp_end, &output, 1, value);
        *value *= sign;
        adjoint_begin(g.a, output, g.t_end, g.y_end, g.yp_end);
    }
    if (!rc && g.overflow && events) rc = too_long(&g); // events are not run twice
    if (!rc) rc = g.overflow ? back_by_stretches(&g, s->options.t_stop) : back_over_steps(&g);
    if (!rc) adjoint_events(g.a, -INFINITY);
    if (!rc) adjoint_end(g.a, slopes);
    for (int k = 0; k < asked && !rc; k++) slopes[k] *= sign;
    adjoint_free(g.a);
    mem_free(&s->m, g.steps.at, g.steps.room * sizeof(double));
    block_done(&s->m, &g.places);
    mem_free(&s->m, g.y_end, ends);
    return rc == ADJOINT_CLOSED ? 1 : rc > 0 ? VINC_E_EVALUATION : rc;
}
