/* Steps of all unknowns with shorter steps of a few of them inside.
 *
 * A step is tried with all unknowns (rodas5p). Where only a few of them have errors that are too large, these make
 * shorter steps by themselves through the same time, the others being read off the interpolant of the step of all:
 * V. Savcenco, W. Hundsdorfer & J. G. Verwer, BIT 47 (2007) 137-155. Unknowns that read each other are one part; parts
 * have their own steps. Unknowns that needed shorter steps before are held where they are in the step of all, which would
 * only make garbage of them.
 *
 * What the equations of others see of a part is compared, step by step, with what they saw in the step of all
 * unknowns (part_step.c). Where that comes to a part of the tolerance, an unknown that reads those that are fast
 * joins them from there on; one that reads only such as have joined does not: there the step of all ends.
 * So every unknown has an error within the tolerance, as a step of all would have, or the step is rejected.
 *
 * How long a step of all is to be follows from work: it is best left to the unknowns that are cheap
 * to make without the few that ask for more. Where these are not few, the method is rodas5p. It also is where
 * unknowns are algebraic, where rows hold two derivatives, where dF/dy' changes, and where the problem has no parts
 * (vinc_problem.part_new).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "method/method_list.h"
#include "method/part_step.h"
#include "method/stages.h"

#include <math.h>
#include <string.h>

// clang-format off
/*  bound                         quantity                                              source */
enum {
    TRACES_MAX          = 128, // parts of one step, with those that they become          choice
    SHORTEST_MAX        = 128, // unknowns that may be left out of a step of all          choice
    FAILURES_MOST       = 8,   // attempts of sizes that parts ask for, then halves         choice: 2 to 4 were seen
    HELD_MORE_MAX       = 2,   // attempts with one unknown more held                     choice
    STEPS_JUDGED        = 24,  // steps of all until work is judged                       choice
    STEPS_OF_REST       = 100, // steps without parts where these do not pay, at first    choice
};
static const double
    ERROR_MOST          = 0.03, // of all steps, of the tolerance                          measured: docs/methods.md
    LEAVE_MOST          = 10,  // of errors that do not pile up, over those                measured: docs/choice.md
    MISSED_MOST         = 0.003, // of what others see of a part: these errors add up,     a tenth of the above
                               // those of steps are estimates of a lower order
    FADES_MIN           = 1,   // decay times size: the error is another one in each step   principle: see multirate_find_spoilt
    FOLLOWERS_MOST      = 100, // weight of unknowns that stiff ones follow, over theirs  choice: at a fold there is no bound
    PART_OF_STEP_MAX    = 0.5, // operations of parts that little is asked of, over a step of all   two steps of all do as well
    MARGINAL_MIN        = 0.5, // size that little is asked of, over the step of all      as above
    SAME_TIME           = 1e-9, // of a step: times that are the same                     rounding
    GROWTH_WITH_PARTS   = 2,   // of steps of all: beyond, unseen ones become fast        choice
    GROWTH_WITHOUT_PARTS = 8;  // ... nobody is fast                                      as of the controller
// clang-format on

/* Work since the last judgement, and what steps of all would have taken. */
typedef struct multirate_trial {
    double mark, spent, plain;
    long steps; // since then
    long rest;  // steps to come without parts
    long pause; // how many the last time
} multirate_trial;

enum {
    TAKEN = -1,
    WAITING = -2
}; // multirate.member: in the part that is made now, in that of WAITING - k

/* An unknown, and one that would feel too much of its error in a part without it. */
typedef struct multirate_pair {
    int given, reader;
} multirate_pair;

typedef struct multirate {
    rosenbrock base; // the step of all unknowns: rosenbrock_ops work on it
    bool possible;   // rows and unknowns belong together
    bool looked;     // ... that is known
    part_pairs pairs;
    part_codes codes;
    part_room room;
    double *decay, *seen; // n: see part_window
    double *inv;          // n: 1 over what an error of a step of all may be
    double *felt;         // by row: what a change of its rate comes to over the step, in tolerances
    double *reach;        // n: what a change of the unknown comes to by other rows, the most
    multirate_pair *spoilt; // n
    int n_spoilt;
    double *node[PART_NODES];
    double *estimate; // n: of the error of the step, as far as it is not that of parts
    double *error;    // ... with what was missed
    double *point;    // n
    double *wish;     // n: the size that the unknown would have allowed by itself; 0: that of all
    double *next;     // ... after this attempt
    double *hint;     // n: the first size of its own steps; 0: not known
    double *wish_old, *hint_old; // n: before the last step
    double *moved;               // n: by how much parts moved the end of the step of all
    bool cut;                    // the step of all ended where parts had to
    double *work;                // n: of a step by itself
    double *beside;              // n: ... of its part in a step of all
    uint8_t *held;               // by row
    uint8_t *fast;               // n: of itself, not as it has joined
    uint8_t *began;              // n: ... when parts began
    int *member;                 // n: 1 + the part that it is in; 0: none; TAKEN, WAITING
    int *waiting;                // n: unknowns of parts that have made no steps yet, part by part
    int n_waiting, wait_start[TRACES_MAX + 1];
    double wait_size[TRACES_MAX]; // the first size of their steps
    double h_shorter;             // that the step of all should have been; 0: it is right
    double h_cut;                 // of the step of all that had to end before; 0: none
    int n_held;
    double work_step; // of a step of all
    int n_traces;
    part_trace *trace;
    bool grew;             // unknowns joined
    multirate_trial trial; // do parts pay?
    double t_kept, t_good; // traces from t_kept are good until then, for a shorter step of all
} multirate;

static size_t multirate_layout(void *state, const method_core *c, void *block)
{
    multirate *s = state;
    s->base.holds = true;
    size_t n = (size_t)c->n, base = rosenbrock_ops.layout(state, c, block);
    bump b = bump_begin(block ? (char *)block + base : NULL);
    double **arrays[] = {&s->pairs.mass, &s->decay,    &s->inv,      &s->estimate, &s->error,
                         &s->point,      &s->wish,     &s->next,     &s->hint,     &s->work,
                         &s->beside,     &s->wish_old, &s->hint_old, &s->moved,    &s->seen,
                         &s->felt,       &s->reach};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    for (int k = 0; k < PART_NODES; k++) s->node[k] = bump_double(&b, n);
    s->pairs.row = bump_int(&b, n);
    s->pairs.unknown = bump_int(&b, n);
    s->member = bump_int(&b, n);
    s->waiting = bump_int(&b, n);
    s->held = bump_bytes(&b, n);
    s->fast = bump_bytes(&b, n);
    s->began = bump_bytes(&b, n);
    s->spoilt = bump_bytes(&b, n * sizeof *s->spoilt);
    s->trace = bump_bytes(&b, TRACES_MAX * sizeof *s->trace);
    s->codes.code = bump_bytes(&b, PART_CODES_MAX * sizeof *s->codes.code);
    void *room = bump_bytes(&b, part_room_layout(&s->room, NULL));
    part_room_layout(&s->room, room);
    return base + bump_end(&b);
}

static int multirate_start(method_core *c)
{
    multirate *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    s->looked = s->possible = false;
    s->n_traces = 0;
    s->t_kept = s->t_good = NAN;
    s->h_cut = 0;
    memset(s->hint, 0, bytes);
    memset(s->wish, 0, bytes);
    memset(s->next, 0, bytes);
    return rosenbrock_ops.start(c);
}

static bool multirate_possible(const method_core *c, multirate *s)
{
    if (c->fixed || !s->base.constant) return false;     // of the last two Jacobians
    if (!c->have_jac && !s->base.factored) return false; // of numbers, which are not there yet
    if (!s->looked)
        s->possible = c->p->part_new && c->all_differential && problem_norm_is_plain(&c->norm) &&
                      !c->p->shared && part_pair_rows(c, &s->pairs);
    s->looked = true;
    return s->possible && !s->trial.rest;
}

/* Rates of decay, and what an error may be: unknowns that follow another one within the step have an error, too, where
 * that has. What an unknown misses of a part acts on all that read it, the part itself among them, for as long as the
 * step takes: by the derivative of their rate times that time. */
static void multirate_weigh(const method_core *c, multirate *s, double h)
{
    const vinc_pattern *a = &c->jac.pattern;
    const double *mass = s->pairs.mass;
    for (int j = 0; j < c->n; j++) {
        s->decay[j] = 0;
        for (int e = a->start[j]; e < a->start[j + 1]; e++)
            if (a->row[e] == s->pairs.row[j]) s->decay[j] = larger_of(0, c->jac.dy[e] / mass[j]);
    }
    // By row, of its unknown: what a change of its rate comes to, and where it follows within the step what it follows to.
    for (int r = 0; r < c->n; r++) {
        int i = s->pairs.unknown[r];
        double rate = fabs(c->norm.inv[i] / mass[i]), fades = s->decay[i] * h;
        s->felt[r] = rate * h / (1 + fades);
        s->estimate[r] = fades > 1 ? rate / s->decay[i] : 0;
    }
    for (int j = 0; j < c->n; j++) {
        double reach = 0, most = c->norm.inv[j] / part_leave(s->decay[j] * h, LEAVE_MOST);
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            double change = a->row[e] == s->pairs.row[j] ? 0 : fabs(c->jac.dy[e]);
            reach = larger_of(reach, change * s->felt[a->row[e]]);
            most = larger_of(most, change * s->estimate[a->row[e]]);
        }
        s->inv[j] = smaller_of(most, FOLLOWERS_MOST * c->norm.inv[j]);
        s->reach[j] = reach;
        reach = larger_of(reach, c->norm.inv[j]);
        s->seen[j] = s->decay[j] * h > FADES_MIN
                         ? reach
                         : smaller_of(reach, FOLLOWERS_MOST * c->norm.inv[j]);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void multirate_window(method_core *c, multirate *s, double h, part_window *w)
{
    rosenbrock_curve(&s->base, c->n);
    s->base.ready = NO_STAGES;
    *w = (part_window){.core = c,
                       .t = c->t,
                       .h = h,
                       .end = c->t + h,
                       .y0 = c->y,
                       .y1 = c->y_new,
                       .dense = s->base.dense,
                       .mass = s->pairs.mass,
                       .decay = s->decay,
                       .inv = s->seen};
    for (int k = 0; k < PART_NODES; k++) {
        double x = part_node(k), z = 1 - x;
        double weight[] = {z, x, x * z, x * x * z, x * x * x * z};
        const double *row[] = {c->y, c->y_new, s->base.dense[0], s->base.dense[1],
                               s->base.dense[2]};
        stages_blend(5, weight, row, s->node[k], c->n);
        w->node[k] = s->node[k];
        w->time[k] = k ? c->t + x * h : c->t + h;
        for (int j = 0; j < PART_NODES; j++) w->weight[k][j] = part_weight(k, j);
    }
    for (int i = 0; i < s->base.t->stages; i++)
        w->alpha[rosenbrock_point(s->base.t, i)] = s->base.t->alpha[i];
}

/* An unknown that follows others within the step has an error of its own, which is another one in each step and does not
 * pile up. In a step of all, those that it follows know of it. A part of these alone is given the unknown with its error, all
 * through the step: where that comes to too much, the two belong together. False: there are too many of them. */
static bool multirate_find_spoilt(const method_core *c, multirate *s, double h)
{
    const vinc_pattern *a = &c->jac.pattern;
    s->n_spoilt = 0;
    for (int j = 0; j < c->n; j++) {
        double error = fabs(c->error_vector[j]);
        if (s->fast[j] || s->decay[j] * h <= FADES_MIN || error * s->reach[j] <= ERROR_MOST)
            continue;
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (i == j || error * fabs(c->jac.dy[e]) * s->felt[a->row[e]] <= ERROR_MOST) continue;
            if (s->n_spoilt == c->n) return false;
            s->spoilt[s->n_spoilt++] = (multirate_pair){.given = j, .reader = i};
        }
    }
    return true;
}

/* Unknowns that are fast: held, or with an error that is too large. How many of the second kind. */
static int multirate_find_fast(const method_core *c, multirate *s)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        bool held = s->held[s->pairs.row[i]];
        bool wrong = !held && fabs(c->error_vector[i]) * s->inv[i] > ERROR_MOST;
        s->fast[i] = held || wrong;
        n += wrong;
    }
    return n;
}

/* Who belongs to the unknown by this pair; -1: nobody. */
static int multirate_mate(const multirate *s, const multirate_pair *x, int unknown)
{
    if (x->reader == unknown) return x->given;
    return x->given == unknown && s->fast[x->reader] ? x->reader : -1;
}

/* The unknowns of a part that begins with `first`, which is in none: those in none that read each other,
 * and those that would spoil it. */
static int multirate_gather(const method_core *c, multirate *s, int first, int *unknown)
{
    const vinc_pattern *a = &c->jac.pattern;
    int n = 1;
    unknown[0] = first;
    s->member[first] = TAKEN;
    for (int k = 0; k < n; k++) {
        for (int e = a->start[unknown[k]]; e < a->start[unknown[k] + 1]; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (!s->fast[i] || s->member[i] || !part_reads(c, &s->pairs, unknown[k], i)) continue;
            if (n == PART_UNKNOWNS_MAX) return n + 1;
            unknown[n++] = i;
            s->member[i] = TAKEN;
        }
        for (int p = 0; p < s->n_spoilt; p++) {
            int i = multirate_mate(s, &s->spoilt[p], unknown[k]);
            if (i < 0 || s->member[i]) continue;
            if (n == PART_UNKNOWNS_MAX) return n + 1;
            unknown[n++] = i;
            s->member[i] = TAKEN;
        }
    }
    return n;
}

static void multirate_sort(int *unknown, int n)
{
    for (int k = 1; k < n; k++)
        for (int m = k, x = unknown[k]; m > 0 && unknown[m - 1] > x; m--)
            unknown[m] = unknown[m - 1], unknown[m - 1] = x;
}

/* By how much a part led the reader of another one astray. */
static double multirate_led(const multirate *s, const part_trace *old, int reader)
{
    const part_code *x = &s->codes.code[old->code];
    for (int k = 0; k < x->n_readers; k++)
        if (x->reader[k] == reader) return old->astray[k];
    return 0;
}

/* The pace of an unknown of a part that goes on. */
static double multirate_pace(const multirate *s, const part_trace *old, int unknown)
{
    const part_code *x = &s->codes.code[old->code];
    for (int m = 0; m < x->own.n; m++)
        if (x->unknown[m] == unknown) return old->pace[m];
    return 0;
}

/* A part of these unknowns from t on. old: the part that it goes on with; NULL: none. */
static int multirate_run(method_core *c, multirate *s, const part_window *w, int *unknown, int n,
                         double t, double h, const part_trace *old)
{
    double y[PART_UNKNOWNS_MAX];
    multirate_sort(unknown, n);
    int code = part_find(&s->codes, c, &s->pairs, unknown, n);
    if (code < 0 || s->n_traces == TRACES_MAX) return STEP_NEWTON;
    part_trace *trace = &s->trace[s->n_traces++];
    trace->code = code;
    trace->t_begin = t;
    trace->h_last = smaller_of(h, w->end - t);
    for (int m = 0; m < n; m++) {
        y[m] = s->point[unknown[m]];
        s->member[unknown[m]] = s->n_traces;
    }
    const part_code *x = &s->codes.code[code];
    for (int k = 0; k < x->n_readers; k++)
        trace->astray[k] = old ? multirate_led(s, old, x->reader[k]) : 0;
    for (int m = 0; m < n; m++) trace->pace[m] = old ? multirate_pace(s, old, unknown[m]) : 0;
    part_bounds most = {.error = ERROR_MOST, .missed = MISSED_MOST, .leave = LEAVE_MOST};
    c->run->stats.work += part_window_work(x);
    return part_through(w, x, y, &most, &s->room, trace);
}

static int multirate_run_waiting(method_core *c, multirate *s, const part_window *w, int k)
{
    int from = s->wait_start[k], n = s->wait_start[k + 1] - from;
    for (int m = 0; m < n; m++) s->point[s->waiting[from + m]] = c->y[s->waiting[from + m]];
    return multirate_run(c, s, w, s->waiting + from, n, w->t, s->wait_size[k], NULL);
}

static double multirate_first_size(const method_core *c, const multirate *s, const int *unknown,
                                   int n, double h)
{
    double first = h;
    for (int k = 0; k < n; k++) {
        int i = unknown[k];
        double e = fabs(c->error_vector[i]) * c->norm.inv[i] / ERROR_MOST;
        first = smaller_of(first, s->hint[i] > 0 ? s->hint[i] : h * pow(larger_of(e, 1), -0.2));
    }
    return first;
}

/* That an error of h allows. */
static double multirate_size(const multirate *s, double h, double error)
{
    const double GROWTH_MOST = 8; // as of the controller
    return smaller_of(h * part_growth(error), larger_of(h * GROWTH_MOST, s->h_cut));
}

/* Of a step of an unknown of which no part is known, and beside it in a step of all. */
static double multirate_guess(const method_core *c)
{
    const double STAGES = 9, REST = 500; // as in part_step_work
    return STAGES * c->p->work_residual / c->n + REST;
}

/* An unknown that asks for little less than the step of all may be cheaper in two of these: where it is one of several in a
 * part, which all take the steps of the fastest, or where there are many of them. */
typedef struct multirate_marginal {
    double size, work; // the shortest that one of them asks for, 0: none; in parts
} multirate_marginal;

static void multirate_look(const method_core *c, const multirate *s, int i, bool alone, double h,
                           multirate_marginal *x)
{
    double e = fabs(c->error_vector[i]) * s->inv[i] / ERROR_MOST;
    if (s->held[s->pairs.row[i]]) return;
    double size = multirate_size(s, h, larger_of(e, 1));
    if (size < MARGINAL_MIN * h) return;
    x->size = x->size > 0 ? smaller_of(x->size, size) : size;
    x->work += alone ? 2 * multirate_guess(c) : s->work_step;
}

/* The parts that are to make steps. */
static int multirate_find_parts(const method_core *c, multirate *s, const part_window *w)
{
    int unknown[PART_UNKNOWNS_MAX];
    multirate_marginal marginal = {0};
    memset(s->member, 0, (size_t)c->n * sizeof *s->member);
    memcpy(s->began, s->fast, (size_t)c->n);
    s->n_waiting = s->wait_start[0] = 0;
    for (int i = 0; i < c->n; i++) {
        if (!s->fast[i] || s->member[i]) continue;
        int n = multirate_gather(c, s, i, unknown), k = s->n_waiting;
        if (n > PART_UNKNOWNS_MAX || k == TRACES_MAX) return STEP_NEWTON;
        s->wait_size[k] = multirate_first_size(c, s, unknown, n, w->h);
        for (int m = 0; m < n; m++) {
            multirate_look(c, s, unknown[m], n == 1, w->h, &marginal);
            s->waiting[s->wait_start[k] + m] = unknown[m];
            s->member[unknown[m]] = WAITING - k;
        }
        s->wait_start[++s->n_waiting] = s->wait_start[k] + n;
    }
    if (marginal.work < PART_OF_STEP_MAX * s->work_step) return STEP_OK;
    s->h_shorter = marginal.size;
    return STEP_NEWTON;
}

static bool multirate_reads_fast(const method_core *c, const multirate *s, const part_code *x,
                                 int reader)
{
    for (int m = 0; m < x->own.n; m++)
        if (s->fast[x->unknown[m]] && part_reads(c, &s->pairs, reader, x->unknown[m])) return true;
    return false;
}

/* A part in the making: its unknowns, from t on. */
typedef struct multirate_growth {
    part_window *w;
    double t;
    int n, unknown[PART_UNKNOWNS_MAX];
} multirate_growth;

/* Takes the part of the unknown, or it alone, with its values at t. 1: it cannot be had, the step of all is to end at t
 * or before. */
static int multirate_take(method_core *c, multirate *s, multirate_growth *g, int i)
{
    if (s->member[i] == TAKEN) return STEP_OK;
    if (!s->member[i]) {
        if (g->n == PART_UNKNOWNS_MAX) return 1;
        s->point[i] = part_of_all(g->w, i, g->t);
        g->unknown[g->n++] = i;
        s->member[i] = TAKEN;
        return STEP_OK;
    }
    if (s->member[i] <= WAITING) {
        part_window before = *g->w;
        before.end = g->t;
        int status = multirate_run_waiting(c, s, &before, WAITING - s->member[i]);
        if (status) return status < 0 ? status : 1;
    }
    part_trace *trace = &s->trace[s->member[i] - 1];
    const part_code *x = &s->codes.code[trace->code];
    if (trace->t_end < g->t || trace->t_begin > g->t || g->n + x->own.n > PART_UNKNOWNS_MAX)
        return 1;
    part_at(x, trace, g->t, s->point, NULL);
    trace->t_end = g->t;
    for (int m = 0; m < x->own.n; m++) {
        g->unknown[g->n++] = x->unknown[m];
        s->member[x->unknown[m]] = TAKEN;
    }
    return STEP_OK;
}

/* The unknowns that missed the part, and the parts that these are in or that they read each other with. */
static int multirate_take_all(method_core *c, multirate *s, const part_trace *old,
                              multirate_growth *g)
{
    const part_code *x = &s->codes.code[old->code];
    const vinc_pattern *a = &c->jac.pattern;
    int status = multirate_take(c, s, g, x->unknown[0]);
    for (int k = 0; k < x->n_readers && !status; k++) {
        if (old->missed[k] <= MISSED_MOST) continue;
        if (!multirate_reads_fast(c, s, x, x->reader[k])) return 1;
        bool alone = !s->member[x->reader[k]];
        status = multirate_take(c, s, g, x->reader[k]);
        if (alone && !status) s->point[x->reader[k]] += old->astray[k];
    }
    for (int k = 0; k < g->n && !status; k++) {
        for (int p = 0; p < s->n_spoilt && !status; p++)
            if (s->spoilt[p].reader == g->unknown[k])
                status = multirate_take(c, s, g, s->spoilt[p].given);
        for (int e = a->start[g->unknown[k]]; e < a->start[g->unknown[k] + 1] && !status; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (s->member[i] && s->member[i] != TAKEN && part_reads(c, &s->pairs, g->unknown[k], i))
                status = multirate_take(c, s, g, i);
        }
    }
    return status;
}

/* Who is in which part at a time. */
static void multirate_members(const method_core *c, multirate *s, double t)
{
    for (int i = 0; i < c->n; i++)
        if (s->member[i] > WAITING) s->member[i] = 0;
    for (int k = 0; k < s->n_traces; k++) {
        const part_code *x = &s->codes.code[s->trace[k].code];
        for (int m = 0; m < x->own.n && s->trace[k].t_begin <= t; m++)
            s->member[x->unknown[m]] = k + 1;
    }
}

/* A part that had to stop goes on with others, or the step of all ends there, and with it all parts. */
static int multirate_grow(method_core *c, multirate *s, part_window *w, int stopped)
{
    part_trace *old = &s->trace[stopped];
    multirate_growth g = {.w = w, .t = old->t_end};
    double h = old->h_last;
    int status = multirate_take_all(c, s, old, &g);
    if (status < 0) return status;
    if (!status) {
        s->grew = true;
        return multirate_run(c, s, w, g.unknown, g.n, g.t, h, old);
    }
    w->end = g.t;
    multirate_members(c, s, g.t);
    for (int k = 0; k < s->n_traces; k++) { // one that waited may have stopped before
        const part_trace *x = &s->trace[k];
        const part_code *code = &s->codes.code[x->code];
        if (x->t_end < w->end && s->member[code->unknown[0]] == k + 1) w->end = x->t_end;
    }
    return w->end > w->t ? STEP_OK : STEP_NEWTON;
}

/* The shortest of the first sizes that wait; -1: none. */
static int multirate_first_waiting(const multirate *s)
{
    int first = -1;
    for (int k = 0; k < s->n_waiting; k++) {
        if (s->member[s->waiting[s->wait_start[k]]] != WAITING - k) continue;
        if (first < 0 || s->wait_size[k] < s->wait_size[first]) first = k;
    }
    return first;
}

/* Those of the step before are good for a shorter one from the same point. */
static bool multirate_kept(const method_core *c, const multirate *s, double t_new, double h)
{
    if (!(s->t_kept == c->t) || !(t_new <= s->t_good + SAME_TIME * h)) return false;
    for (int i = 0; i < c->n; i++)
        if (s->fast[i] && !s->member[i]) return false;
    return true;
}

/* Parts that make the shortest steps come first: where the step of all has to end because of one of them, the others go
 * no further. */
static int multirate_parts(method_core *c, multirate *s, double t_new, double h)
{
    if (multirate_kept(c, s, t_new, h)) return STEP_OK;
    const double SUMS = 200; // nodes, and looks at all unknowns
    part_window w;
    multirate_window(c, s, h, &w);
    c->run->stats.work += SUMS * c->n;
    s->n_traces = s->room.recorded = 0;
    s->grew = false;
    s->t_kept = c->t;
    int status = multirate_find_parts(c, s, &w), k;
    while (!status && (k = multirate_first_waiting(s)) >= 0) {
        status = multirate_run_waiting(c, s, &w, k);
        while (!status && s->trace[s->n_traces - 1].t_end < w.end)
            status = multirate_grow(c, s, &w, s->n_traces - 1);
    }
    s->t_good = w.end;
    multirate_members(c, s, w.end);
    for (k = 0; k < s->n_traces && !status; k++) {
        const part_code *x = &s->codes.code[s->trace[k].code];
        if (s->trace[k].t_end > w.end && s->member[x->unknown[0]] == k + 1)
            status = part_cut(&w, x, w.end, &s->room, &s->trace[k]);
    }
    if (status) s->t_kept = NAN; // nothing is good
    if (!status && w.end < t_new) return STEP_NEWTON;
    return status;
}

/* ---- the next size --------------------------------------------------------------------------- */

static bool multirate_same_time(double t1, double t2, double h)
{
    return fabs(t1 - t2) <= SAME_TIME * h;
}

/* The part that unknown i is in at the end of the step; NULL: none. */
static const part_trace *multirate_of(const multirate *s, int i)
{
    return s->n_traces && s->member[i] > 0 ? &s->trace[s->member[i] - 1] : NULL;
}

/* By unknown: the size that it would allow by itself, and the work of its steps and beside them. */
static void multirate_wishes(const method_core *c, multirate *s, double t_new, double h)
{
    double guess = multirate_guess(c);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        const part_code *x = trace ? &s->codes.code[trace->code] : NULL;
        s->work[i] = x ? part_step_work(x) / x->own.n : guess;
        s->beside[i] = x ? part_window_work(x) / x->own.n : guess;
        if (!x || !s->began[i]) {
            double e = s->estimate[i] * s->inv[i] / ERROR_MOST;
            s->next[i] = multirate_size(s, h, problem_of_squares_error(&c->norm, e * e));
            continue;
        }
        int m = 0;
        while (x->unknown[m] != i) m++;
        s->next[i] = multirate_same_time(trace->t_end, t_new, h)
                         ? trace->wish[m]
                         : part_at(x, trace, t_new, NULL, NULL);
    }
}

/* Those that ask for the shortest steps, ascending; how many. */
static int multirate_shortest(const method_core *c, const multirate *s, int *which)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        int at = n;
        while (at > 0 && s->next[i] < s->next[which[at - 1]]) at--;
        if (at == SHORTEST_MAX) continue;
        n += n < SHORTEST_MAX;
        for (int k = n - 1; k > at; k--) which[k] = which[k - 1];
        which[at] = i;
    }
    return n;
}

/* The size of the steps of an unknown that is left out, which are those of its part: the others of it were left out before.
 * sizes: of these; 0: it is not left out. */
static double multirate_size_among(const method_core *c, const multirate *s, double *sizes, int i)
{
    const vinc_pattern *a = &c->jac.pattern;
    double size = s->next[i];
    for (int e = a->start[i]; e < a->start[i + 1]; e++) {
        int j = s->pairs.unknown[a->row[e]];
        if (sizes[j] > 0 && sizes[j] < size && part_reads(c, &s->pairs, i, j)) size = sizes[j];
    }
    return sizes[i] = size;
}

/* The size of the next step of all. Of length H it costs a step of all and, for each unknown that is left out of it,
 * what its part takes beside steps, and its own steps: the work per time is least for one of the sizes that the rest
 * allows when the k most demanding are left out. These keep their wish in `next`. And the error of this step. */
static void multirate_next(const method_core *c, multirate *s, double t_new, double h,
                           double growth, step_result *result)
{
    int which[SHORTEST_MAX];
    double parts = 0, all = s->work_step, least = INFINITY, H = h, squares = 0;
    multirate_wishes(c, s, t_new, h);
    int n = multirate_shortest(c, s, which);
    memset(s->point, 0, (size_t)c->n * sizeof *s->point);
    for (int k = 0; k < n; k++) {
        int i = which[k];
        double cost = all / s->next[i] + parts;
        if (cost < least) least = cost, H = s->next[i];
        parts += s->work[i] / multirate_size_among(c, s, s->point, i);
        all += s->beside[i];
    }
    for (int i = 0; i < c->n; i++) {
        double e = s->error[i] * s->inv[i] / ERROR_MOST;
        if (s->next[i] < H) continue;
        s->next[i] = 0;
        squares += e * e;
    }
    result->error = problem_of_squares_error(&c->norm, squares);
    // A step that had to end is followed by one between its length and the one that was tried.
    result->h_next = smaller_of(H, s->h_cut > 0 ? 0.5 * (h + s->h_cut) : growth * h);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Unknowns that were led astray by several parts at once; whether that is too much for one of them. */
static bool multirate_astray(const method_core *c, multirate *s)
{
    bool much = false;
    for (int i = 0; i < c->n; i++)
        s->error[i] = s->estimate[i] = s->fast[i] ? 0 : fabs(c->error_vector[i]);
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->n_readers; m++) {
            int i = x->reader[m];
            double missed = smaller_of(trace->missed[m], MISSED_MOST); // it ends before more
            s->error[i] += missed / s->seen[i];
            much = much || s->error[i] * s->inv[i] > 1;
        }
    }
    return much;
}

/* What parts did to others that the step of all does not know of. */
static void multirate_correct(method_core *c, const multirate *s, double t_new, double h)
{
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->n_readers && multirate_same_time(trace->t_end, t_new, h); m++)
            if (!multirate_of(s, x->reader[m])) c->y_new[x->reader[m]] += trace->astray[m];
    }
}

/* The polynomials of a step of all as those of its first part, of size h. Their error is as of the order that is embedded. */
static void multirate_cut(method_core *c, multirate *s, double whole, double h)
{
    double x = h / whole, fourth = x * x * x * x, *const *d = s->base.dense;
    double *error = s->base.u + (s->base.t->stages - 1) * s->base.stride; // c->error_vector
    for (int i = 0; i < c->n; i++) {
        // y = y_0 + x (y_1 - y_0 + d_0) + x^2 (d_1 - d_0) + x^3 (d_2 - d_1) - x^4 d_2, see rosenbrock_blend
        double y0 = c->y[i], first = x * (c->y_new[i] - y0 + d[0][i]);
        double second = x * x * (d[1][i] - d[0][i]), third = x * x * x * (d[2][i] - d[1][i]);
        d[2][i] = fourth * d[2][i];
        d[1][i] = d[2][i] - third;
        d[0][i] = d[1][i] - second;
        c->y_new[i] = y0 + (first - d[0][i]);
        c->yp_new[i] = (first - 2 * d[0][i] - d[1][i] - d[2][i]) / h;
        error[i] *= fourth * x;
    }
    multirate_weigh(c, s, h);
}

/* Are they good at their end? By how much they miss the equations there. */
static int multirate_cut_is_good(method_core *c, multirate *s, double h, bool *good)
{
    int status = problem_residual(c->p, &c->run->stats, c->t + h, c->y_new, c->yp_new, s->point);
    *good = !status;
    for (int i = 0; i < c->n && *good; i++) {
        double rate = s->point[s->pairs.row[i]] / s->pairs.mass[i];
        double missed = s->fast[i] ? 0 : fabs(rate) * h / (1 + s->decay[i] * h);
        *good = missed * s->inv[i] <= ERROR_MOST;
    }
    return step_status(status);
}

/* The ends of parts, y' of all at the new point, and the error of the others. */
static int multirate_end(method_core *c, multirate *s, double t_new, double h, step_result *result)
{
    if (multirate_astray(c, s)) return STEP_NEWTON;
    multirate_members(c, s, t_new);
    memcpy(s->moved, c->y_new, (size_t)c->n * sizeof *s->moved);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        const part_code *x = trace ? &s->codes.code[trace->code] : NULL;
        if (x && x->unknown[0] == i) part_at(x, trace, t_new, c->y_new, NULL);
    }
    for (int i = 0; i < c->n; i++) s->moved[i] = c->y_new[i] - s->moved[i];
    multirate_correct(c, s, t_new, h);
    memset(c->yp_new, 0, (size_t)c->n * sizeof *c->yp_new);
    int status = problem_residual(c->p, &c->run->stats, t_new, c->y_new, c->yp_new, s->point);
    if (status) return step_status(status);
    for (int i = 0; i < c->n; i++) c->yp_new[i] = -s->point[s->pairs.row[i]] / s->pairs.mass[i];
    c->error_vector = s->error;
    multirate_next(c, s, t_new, h, s->grew ? 1 : GROWTH_WITH_PARTS, result);
    return STEP_OK;
}

/* The step of all unknowns but those that are held. */
static int multirate_all(method_core *c, multirate *s, double t_new, double h, step_result *result)
{
    double work = c->run->stats.work;
    if (s->n_held || s->base.held) s->base.h_lu = 0; // other rows than before
    s->base.held = s->n_held ? s->held : NULL;
    int status = rosenbrock_ops.attempt(c, t_new, h, result);
    s->work_step = c->run->stats.work - work;
    if (!status && s->possible) {
        multirate_weigh(c, s, h);
        result->error /= ERROR_MOST;
    }
    return !status && !(result->error < INFINITY) ? STEP_UNDEFINED : status;
}

static void multirate_hold(multirate *s, int i)
{
    s->n_held += !s->held[s->pairs.row[i]];
    s->held[s->pairs.row[i]] = 1;
}

/* All went well, nobody was held: which size is next? */
static int multirate_plain(method_core *c, multirate *s, double t_new, double h,
                           step_result *result)
{
    s->n_traces = 0;
    s->t_kept = NAN;
    for (int i = 0; i < c->n; i++) s->error[i] = s->estimate[i] = fabs(c->error_vector[i]);
    memset(s->fast, 0, (size_t)c->n);
    multirate_next(c, s, t_new, h, GROWTH_WITHOUT_PARTS, result);
    return STEP_OK;
}

/* Parts went as far as t_good: so does the step of all, if its polynomials are good enough. */
static int multirate_end_before(method_core *c, multirate *s, double whole, step_result *result)
{
    double h = s->t_good - c->t, h_cut = s->h_cut;
    bool good;
    multirate_cut(c, s, whole, h);
    int status = multirate_cut_is_good(c, s, h, &good);
    if (status || !good) return status ? status : STEP_NEWTON;
    s->h_cut = larger_of(h_cut, whole);
    status = multirate_end(c, s, s->t_good, h, result);
    s->cut = result->cut = !status;
    result->t_cut = s->t_good;
    if (status) s->h_cut = h_cut;
    return status;
}

static int multirate_attempt(method_core *c, double t_new, double h, step_result *result)
{
    multirate *s = c->state;
    s->trial.mark = s->trial.mark > 0 ? s->trial.mark : c->run->stats.work;
    bool possible = multirate_possible(c, s);
    s->n_held = 0;
    memset(s->held, 0, (size_t)c->n);
    for (int i = 0; i < c->n && possible; i++)
        if (s->wish[i] > 0 && s->wish[i] < h) multirate_hold(s, i);
    for (int tries = 0;; tries++) {
        int status = multirate_all(c, s, t_new, h, result), refined = STEP_UNDEFINED;
        s->h_shorter = 0;
        s->cut = false;
        if (status < 0 || !possible) {
            s->n_traces = 0;
            s->t_kept = NAN;
            memset(s->next, 0, (size_t)c->n * sizeof *s->next);
            return status;
        }
        if (!status && !s->n_held && result->error <= 1)
            return multirate_plain(c, s, t_new, h, result);
        // Where many are wrong, one of them may have spoilt the others.
        if (!status && multirate_find_fast(c, s) <= c->n / 4 && multirate_find_spoilt(c, s, h))
            refined = multirate_parts(c, s, t_new, h);
        if (!refined) {
            refined = multirate_end(c, s, t_new, h, result);
            if (refined) s->t_kept = NAN;
        } else if (refined > 0 && s->t_kept == c->t && !c->p->n_corners) {
            refined = multirate_end_before(c, s, h, result);
        }
        if (refined <= 0) return refined;
        int worst = problem_worst(&c->norm, c->error_vector, h);
        if (refined == STEP_UNDEFINED && tries < HELD_MORE_MAX && worst >= 0 &&
            !s->held[s->pairs.row[worst]]) {
            multirate_hold(s, worst);
            continue;
        }
        result->h_factor = 0.5;
        result->h_next = s->h_shorter;
        if (s->t_kept == c->t) { // as far as parts came
            result->h_next = s->t_good - c->t;
            s->h_cut = larger_of(s->h_cut, h);
        }
        if (c->control.failures >= FAILURES_MOST) result->h_next = 0; // it creeps
        return status ? status : STEP_NEWTON;
    }
}

/* Without parts all unknowns would have taken the steps of the one that takes most, or more. */
static double multirate_steps_saved(multirate *s, int n, double t_new)
{
    double most = 1;
    memset(s->point, 0, (size_t)n * sizeof *s->point);
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *x = &s->trace[k];
        const part_code *code = &s->codes.code[x->code];
        if (!x->steps || x->t_begin >= t_new) continue;
        int steps = 1 + part_steps_until(code, x, smaller_of(t_new, x->t_end));
        for (int m = 0; m < code->own.n; m++)
            most = larger_of(most, s->point[code->unknown[m]] += steps);
    }
    return most;
}

/* Where parts have cost more than they saved they are left out for a while, for longer each time. */
static void multirate_judge(method_core *c, multirate *s, double t_new)
{
    multirate_trial *x = &s->trial;
    double work = c->run->stats.work;
    x->spent += work - x->mark;
    x->mark = work;
    x->plain += s->work_step * multirate_steps_saved(s, c->n, t_new);
    if (x->rest > 0) {
        x->rest--;
        c->parts_rest = x->rest > 0;
        x->spent = x->plain = 0;
        x->steps = 0;
        return;
    }
    if (++x->steps < STEPS_JUDGED) return;
    if (x->spent > x->plain * (1 + 1.0 / STEPS_JUDGED)) {
        x->rest = x->pause = x->pause ? 2 * x->pause : STEPS_OF_REST;
        c->parts_rest = true;
        memset(s->next, 0, (size_t)c->n * sizeof *s->next);
    }
    x->spent = x->plain = 0;
    x->steps = 0;
}

static int multirate_accept(method_core *c, double t_new, double h)
{
    multirate *s = c->state;
    multirate_judge(c, s, t_new);
    s->h_cut = 0;
    memcpy(s->wish_old, s->wish, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint_old, s->hint, (size_t)c->n * sizeof *s->hint);
    memcpy(s->wish, s->next, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint, s->next, (size_t)c->n * sizeof *s->hint);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        if (trace && multirate_same_time(trace->t_end, t_new, h)) s->hint[i] = trace->h_last;
    }
    s->t_kept = NAN;
    int status = rosenbrock_ops.accept(c, t_new, h);
    if (s->cut) s->base.ready = PREPARED; // not from stages
    return status;
}

/* What parts made is good for a shorter step from the same point. */
static int multirate_undo(method_core *c)
{
    multirate *s = c->state;
    if (!s->possible) return -1; // as rodas5p
    memcpy(s->wish, s->wish_old, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint, s->hint_old, (size_t)c->n * sizeof *s->hint);
    s->base.ready = NO_STAGES;
    s->t_kept = s->n_traces ? c->run->t_old : NAN;
    s->t_good = c->t;
    s->h_cut = c->h_last;
    return 0;
}

static void multirate_inner_rows(const method_core *c, double t, double *rows)
{
    const multirate *s = c->state;
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->own.n && t >= trace->t_begin && t <= trace->t_end; m++)
            rows[x->row[m]] = 0;
    }
}

static int multirate_interpolate(method_core *c, double t, double *y, double *yp)
{
    multirate *s = c->state;
    int status = rosenbrock_ops.interpolate(c, t, y, yp);
    double x = 1 + (t - c->t) / c->h_last;
    for (int i = 0; i < c->n && s->n_traces;
         i++) { // before it joined a part it was as the step of all has it
        if (y) y[i] -= x * s->moved[i];
        if (yp) yp[i] -= s->moved[i] / c->h_last;
    }
    for (int k = 0; k < s->n_traces && !status; k++) {
        const part_trace *trace = &s->trace[k];
        if (t >= trace->t_begin && t <= trace->t_end)
            part_at(&s->codes.code[trace->code], trace, t, y, yp);
    }
    return status;
}

static const method_ops multirate_ops = {
    .control = CONTROL_PREDICTIVE,
    .state_bytes = sizeof(multirate),
    .layout = multirate_layout,
    .open = rosenbrock_open,
    .close = rosenbrock_close,
    .start = multirate_start,
    .attempt = multirate_attempt,
    .accept = multirate_accept,
    .undo = multirate_undo,
    .inner_rows = multirate_inner_rows,
    .interpolate = multirate_interpolate,
    .looks = rosenbrock_looks,
    .inner_order = rosenbrock_inner_order,
    .matrix = rosenbrock_matrix,
};

static void multirate_tableau(const double *opt, method_tableau *t)
{
    (void)opt;
    rosenbrock_tableau(&rodas5p_table, t);
}

const vinc_method vinc_method_multirate = {
    .name = "multirate",
    .summary = "rodas5p with shorter steps of a few unknowns by themselves",
    .cite = "Savcenco, Hundsdorfer & Verwer, BIT 47 (2007) 137-155",
    .order_min = 5,
    .order_max = 5,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_STIFF |
              METHOD_LINEARLY_IMPLICIT,
    .ops = &multirate_ops,
    .tableau = multirate_tableau,
    .detail = &rodas5p_table,
};
