/* Parts of a step of all unknowns: which unknowns they are, their steps, and who joins them on the way.
 *
 * Unknowns that are too fast and read each other are one part. It goes through the window until a reader misses too much;
 * then that one joins, with all that it takes, and a new part goes on from there. Where that is not to be had, the window
 * ends there for all parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "method/multirate.h"
#include "method/stages.h"

#include <string.h>

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
void multirate_members(const method_core *c, multirate *s, double t)
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
int multirate_parts(method_core *c, multirate *s, double t_new, double h)
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
