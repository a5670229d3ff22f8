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

#include <float.h>
#include <math.h>
#include <string.h>

// clang-format off
/*  bound                         quantity                                              source */
enum {
    TRACES_MAX          = 64,  // parts of one step, with those that they become          choice
    SHORTEST_MAX        = 32,  // unknowns that may be left out of a step of all          choice
    HELD_MORE_MAX       = 2,   // attempts with one unknown more held                     choice
    STEPS_JUDGED        = 24,  // steps of all until work is judged                       choice
    STEPS_OF_REST       = 100, // steps without parts where these do not pay, at first    choice
};
static const double
    ERROR_MOST          = 0.03, // of all steps, of the tolerance                          measured: docs/methods.md
    MISSED_MOST         = 0.003, // of what others see of a part: these errors add up,     a tenth of the above
                               // those of steps are estimates of a lower order
    FOLLOWERS_MOST      = 100, // weight of unknowns that stiff ones follow, over theirs  choice: at a fold there is no bound
    PART_OF_STEP_MAX    = 0.5, // operations of a step of each part over one of all       two steps of all do as well
    SHORTER             = 1e-6, // part by which a step is made shorter than it could be  rounding
    GROWTH_WITH_PARTS   = 2;   // of steps of all: beyond, unseen ones become fast        choice
// clang-format on

/* Work since the last judgement, and what steps of all would have taken. */
typedef struct multirate_trial {
    double mark, spent, plain;
    long steps; // since then
    long rest;  // steps to come without parts
    long pause; // how many the last time
} multirate_trial;

typedef struct multirate {
    rosenbrock base; // the step of all unknowns: rosenbrock_ops work on it
    bool possible;   // rows and unknowns belong together
    bool looked;     // ... that is known
    part_pairs pairs;
    part_codes codes;
    part_room room;
    double *decay, *inv; // n: see part_window
    double *node[PART_NODES];
    double *error; // n: of the step, as far as it is not that of parts
    double *point; // n
    double *wish;  // n: the size that the unknown would have allowed by itself; 0: that of all
    double *next;  // ... after this attempt
    double *hint;  // n: the first size of its own steps; 0: not known
    double *work;  // n: of a step by itself
    uint8_t *held; // by row
    uint8_t *fast; // n: of itself, not as it has joined
    int *member;   // n: 1 + the part that it is in; 0: none
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
    double **arrays[] = {&s->pairs.mass, &s->decay, &s->inv,  &s->error, &s->point,
                         &s->wish,       &s->next,  &s->hint, &s->work};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    for (int k = 0; k < PART_NODES; k++) s->node[k] = bump_double(&b, n);
    s->pairs.row = bump_int(&b, n);
    s->pairs.unknown = bump_int(&b, n);
    s->member = bump_int(&b, n);
    s->held = bump_bytes(&b, n);
    s->fast = bump_bytes(&b, n);
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
    memset(s->hint, 0, bytes);
    memset(s->wish, 0, bytes);
    memset(s->next, 0, bytes);
    return rosenbrock_ops.start(c);
}

static bool multirate_possible(const method_core *c, multirate *s)
{
    if (c->fixed || !s->base.constant) return false; // of the last two Jacobians
    if (!s->looked)
        s->possible = c->p->part_new && c->all_differential && problem_norm_is_plain(&c->norm) &&
                      !c->p->shared && part_pair_rows(c, &s->pairs);
    s->looked = true;
    return s->possible && !s->trial.rest;
}

/* Rates of decay, and what an error may be: unknowns that follow another one within the step have an error, too, where
 * that has. */
static void multirate_weigh(const method_core *c, multirate *s, double h)
{
    const vinc_pattern *a = &c->jac.pattern;
    const double *mass = s->pairs.mass;
    for (int j = 0; j < c->n; j++) {
        s->decay[j] = 0;
        for (int e = a->start[j]; e < a->start[j + 1]; e++)
            if (a->row[e] == s->pairs.row[j]) s->decay[j] = larger_of(0, c->jac.dy[e] / mass[j]);
    }
    for (int j = 0; j < c->n; j++) {
        double most = c->norm.inv[j];
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (i == j || !(s->decay[i] * h > 1)) continue;
            double follows = fabs(c->jac.dy[e] / mass[i]) / s->decay[i];
            most = larger_of(most, follows * c->norm.inv[i]);
        }
        s->inv[j] = smaller_of(most, FOLLOWERS_MOST * c->norm.inv[j]);
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
                       .y0 = c->y,
                       .y1 = c->y_new,
                       .dense = s->base.dense,
                       .mass = s->pairs.mass,
                       .decay = s->decay,
                       .inv = s->inv};
    for (int k = 0; k < PART_NODES; k++) {
        double x = part_node(k), z = 1 - x;
        double weight[] = {z, x, x * z, x * x * z, x * x * x * z};
        const double *row[] = {c->y, c->y_new, s->base.dense[0], s->base.dense[1],
                               s->base.dense[2]};
        stages_blend(5, weight, row, s->node[k], c->n);
        w->node[k] = s->node[k];
    }
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

/* The unknowns of a part that begins with `first`, which is in none: those in none that read each other. */
static int multirate_gather(const method_core *c, multirate *s, int first, int *unknown)
{
    const vinc_pattern *a = &c->jac.pattern;
    int n = 1;
    unknown[0] = first;
    s->member[first] = -1;
    for (int k = 0; k < n; k++)
        for (int e = a->start[unknown[k]]; e < a->start[unknown[k] + 1]; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (!s->fast[i] || s->member[i] || !part_reads(c, &s->pairs, unknown[k], i)) continue;
            if (n == PART_UNKNOWNS_MAX) return n + 1;
            unknown[n++] = i;
            s->member[i] = -1;
        }
    return n;
}

static void multirate_sort(int *unknown, int n)
{
    for (int k = 1; k < n; k++)
        for (int m = k, x = unknown[k]; m > 0 && unknown[m - 1] > x; m--)
            unknown[m] = unknown[m - 1], unknown[m - 1] = x;
}

/* A part of these unknowns from t on. y: of all unknowns, where it begins. */
static int multirate_run(method_core *c, multirate *s, const part_window *w, int *unknown, int n,
                         double t, double h)
{
    double y[PART_UNKNOWNS_MAX];
    multirate_sort(unknown, n);
    int code = part_find(&s->codes, c, &s->pairs, unknown, n);
    if (code < 0 || s->n_traces == TRACES_MAX) return STEP_NEWTON;
    part_trace *trace = &s->trace[s->n_traces++];
    trace->code = code;
    trace->t_begin = t;
    trace->h_last = smaller_of(h, w->t + w->h - t);
    for (int m = 0; m < n; m++) {
        y[m] = s->point[unknown[m]];
        s->member[unknown[m]] = s->n_traces;
    }
    part_bounds most = {.error = ERROR_MOST, .missed = MISSED_MOST};
    return part_through(w, &s->codes.code[code], y, &most, &s->room, trace);
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

static int multirate_begin_parts(method_core *c, multirate *s, const part_window *w)
{
    int unknown[PART_UNKNOWNS_MAX], status = STEP_OK;
    double work = 0;
    memset(s->member, 0, (size_t)c->n * sizeof *s->member);
    memcpy(s->point, c->y, (size_t)c->n * sizeof *s->point);
    for (int i = 0; i < c->n && !status; i++) {
        if (!s->fast[i] || s->member[i]) continue;
        int n = multirate_gather(c, s, i, unknown);
        if (n > PART_UNKNOWNS_MAX) return STEP_NEWTON;
        double h = multirate_first_size(c, s, unknown, n, w->h);
        status = multirate_run(c, s, w, unknown, n, w->t, h);
        if (status) break;
        work += part_step_work(&s->codes.code[s->trace[s->n_traces - 1].code]);
        if (work > PART_OF_STEP_MAX * s->work_step) status = STEP_NEWTON;
    }
    return status;
}

static bool multirate_reads_fast(const method_core *c, const multirate *s, const part_code *x,
                                 int reader)
{
    for (int m = 0; m < x->own.n; m++)
        if (s->fast[x->unknown[m]] && part_reads(c, &s->pairs, reader, x->unknown[m])) return true;
    return false;
}

/* Takes the part of the unknown, or it alone, into those; its values at t. How many there are then. */
static int multirate_take(multirate *s, const part_window *w, int i, double t, int *unknown, int n)
{
    if (!s->member[i]) {
        if (n == PART_UNKNOWNS_MAX) return n + 1;
        s->point[i] = part_of_all(w, i, t);
        unknown[n] = i;
        s->member[i] = -1;
        return n + 1;
    }
    if (s->member[i] < 0) return n;
    part_trace *trace = &s->trace[s->member[i] - 1];
    const part_code *x = &s->codes.code[trace->code];
    if (n + x->own.n > PART_UNKNOWNS_MAX) return PART_UNKNOWNS_MAX + 1;
    part_at(x, trace, t, s->point, NULL);
    trace->t_end = t;
    for (int m = 0; m < x->own.n; m++) {
        unknown[n++] = x->unknown[m];
        s->member[x->unknown[m]] = -1;
    }
    return n;
}

/* A part that had to stop goes on with the unknowns that missed it, and with the parts that these are in or that they
 * read each other with. */
static int multirate_grow(method_core *c, multirate *s, const part_window *w, int stopped)
{
    const part_trace *old = &s->trace[stopped];
    const part_code *x = &s->codes.code[old->code];
    int unknown[PART_UNKNOWNS_MAX + 1], n = 0;
    double t = old->t_end, h = old->h_last;
    n = multirate_take(s, w, x->unknown[0], t, unknown, n);
    for (int k = 0; k < x->n_readers && n <= PART_UNKNOWNS_MAX; k++) {
        if (old->missed[k] <= MISSED_MOST) continue;
        if (!multirate_reads_fast(c, s, x, x->reader[k])) { // the step of all is to end here
            s->t_good = smaller_of(s->t_good, t);
            return STEP_NEWTON;
        }
        bool alone = !s->member[x->reader[k]];
        n = multirate_take(s, w, x->reader[k], t, unknown, n);
        if (alone) s->point[x->reader[k]] += old->astray[k];
    }
    const vinc_pattern *a = &c->jac.pattern;
    for (int k = 0; k < n && n <= PART_UNKNOWNS_MAX; k++)
        for (int e = a->start[unknown[k]]; e < a->start[unknown[k] + 1]; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (s->member[i] > 0 && part_reads(c, &s->pairs, unknown[k], i))
                n = multirate_take(s, w, i, t, unknown, n);
            if (n > PART_UNKNOWNS_MAX) break;
        }
    if (n > PART_UNKNOWNS_MAX) return STEP_NEWTON;
    s->grew = true;
    return multirate_run(c, s, w, unknown, n, t, h);
}

/* The part that stopped first, and is in no other one; -1: none. */
static int multirate_stopped(const multirate *s, const part_window *w)
{
    int first = -1;
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *x = &s->trace[k];
        bool own = s->member[s->codes.code[x->code].unknown[0]] == k + 1;
        if (!own || x->t_end >= w->t + w->h) continue;
        if (first < 0 || x->t_end < s->trace[first].t_end) first = k;
    }
    return first;
}

/* Those of the step before are good for a shorter one from the same point. */
static bool multirate_kept(const method_core *c, const multirate *s, double t_new)
{
    if (!(s->t_kept == c->t) || !(t_new <= s->t_good)) return false;
    for (int i = 0; i < c->n; i++)
        if (s->fast[i] && !s->member[i]) return false;
    return true;
}

static int multirate_parts(method_core *c, multirate *s, double t_new, double h)
{
    if (multirate_kept(c, s, t_new)) return STEP_OK;
    const double SUMS = 200; // nodes, and looks at all unknowns
    part_window w;
    multirate_window(c, s, h, &w);
    c->run->stats.work += SUMS * c->n;
    s->n_traces = s->room.recorded = 0;
    s->grew = false;
    s->t_kept = c->t;
    s->t_good = t_new;
    int status = multirate_begin_parts(c, s, &w), stopped;
    while (!status && (stopped = multirate_stopped(s, &w)) >= 0)
        status = multirate_grow(c, s, &w, stopped);
    if (status && !(s->t_good < t_new)) s->t_kept = NAN; // nothing is good
    return status;
}

/* ---- the next size --------------------------------------------------------------------------- */

static double multirate_size(double h, double error) // that an error of h allows
{
    const double SAFETY = 0.9, LEAST = 1e-10, GROWTH_MOST = 8; // as of the controller
    double factor = SAFETY * pow(larger_of(error, LEAST), -1.0 / (rodas5p_table.embedded + 1));
    return h * smaller_of(factor, GROWTH_MOST);
}

/* The part that unknown i is in at the end of the step; NULL: none. */
static const part_trace *multirate_of(const multirate *s, int i)
{
    return s->n_traces && s->member[i] > 0 ? &s->trace[s->member[i] - 1] : NULL;
}

/* By unknown: the size that it would allow by itself, and the work of its steps. */
static void multirate_wishes(const method_core *c, multirate *s, double t_new, double h)
{
    const double STAGES = 9, REST = 500; // as in part_step_work
    for (int i = 0; i < c->n; i++) {
        double e = s->error[i] * s->inv[i] / ERROR_MOST;
        s->next[i] = multirate_size(h, problem_of_squares_error(&c->norm, e * e));
        s->work[i] = STAGES * c->p->work_residual / c->n + REST;
        const part_trace *trace = multirate_of(s, i);
        if (!trace || !s->fast[i]) continue;
        const part_code *x = &s->codes.code[trace->code];
        int m = 0;
        while (x->unknown[m] != i) m++;
        s->next[i] = trace->t_end == t_new ? trace->wish[m] : part_at(x, trace, t_new, NULL, NULL);
        s->work[i] = part_step_work(x) / x->own.n;
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

/* The size of the next step of all. Of length H it costs a step of all and, for each unknown that is left out of it, those
 * of its own: the work per time is least for one of the sizes that the rest allows when the k most demanding are left
 * out. These keep their wish in `next`. As an error of this step. */
static double multirate_next(const method_core *c, multirate *s, double t_new, double h)
{
    int which[SHORTEST_MAX];
    double parts = 0, least = INFINITY, H = h, squares = 0;
    multirate_wishes(c, s, t_new, h);
    int n = multirate_shortest(c, s, which);
    for (int k = 0; k < n; k++) {
        double size = s->next[which[k]], cost = s->work_step / size + parts;
        if (cost < least) least = cost, H = size;
        parts += s->work[which[k]] / size;
    }
    for (int i = 0; i < c->n; i++) {
        double e = s->error[i] * s->inv[i] / ERROR_MOST;
        if (s->next[i] < H) continue;
        s->next[i] = 0;
        squares += e * e;
    }
    return problem_of_squares_error(&c->norm, squares);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Unknowns that were led astray by several parts at once; whether that is too much for one of them. */
static bool multirate_astray(const method_core *c, multirate *s)
{
    bool much = false;
    for (int i = 0; i < c->n; i++) s->error[i] = s->fast[i] ? 0 : fabs(c->error_vector[i]);
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->n_readers; m++) {
            int i = x->reader[m];
            double missed = smaller_of(trace->missed[m], MISSED_MOST); // it ends before more
            s->error[i] += missed / s->inv[i];
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
        for (int m = 0; m < x->n_readers && fabs(trace->t_end - t_new) < 2 * SHORTER * h; m++)
            if (!multirate_of(s, x->reader[m])) c->y_new[x->reader[m]] += trace->astray[m];
    }
}

/* The ends of parts, y' of all at the new point, and the error of the others. */
static int multirate_end(method_core *c, multirate *s, double t_new, double h, step_result *result)
{
    if (multirate_astray(c, s)) return STEP_NEWTON;
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        if (trace && trace->t_begin <= t_new)
            part_at(&s->codes.code[trace->code], trace, t_new, c->y_new, NULL);
    }
    for (int k = 0; k < s->n_traces; k++) { // before others joined them
        const part_trace *trace = &s->trace[k];
        if (trace->t_begin <= t_new && trace->t_end >= t_new)
            part_at(&s->codes.code[trace->code], trace, t_new, c->y_new, NULL);
    }
    multirate_correct(c, s, t_new, h);
    memset(c->yp_new, 0, (size_t)c->n * sizeof *c->yp_new);
    int status = problem_residual(c->p, &c->run->stats, t_new, c->y_new, c->yp_new, s->point);
    if (status) return step_status(status);
    for (int i = 0; i < c->n; i++) c->yp_new[i] = -s->point[s->pairs.row[i]] / s->pairs.mass[i];
    c->error_vector = s->error;
    result->error = multirate_next(c, s, t_new, h);
    result->grow_most = s->grew ? 1 : GROWTH_WITH_PARTS;
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
    for (int i = 0; i < c->n; i++) s->error[i] = fabs(c->error_vector[i]);
    memset(s->fast, 0, (size_t)c->n);
    result->error = multirate_next(c, s, t_new, h);
    return STEP_OK;
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
        if (status < 0 || !possible) {
            s->n_traces = 0;
            s->t_kept = NAN;
            memset(s->next, 0, (size_t)c->n * sizeof *s->next);
            return status;
        }
        if (!status && !s->n_held && result->error <= 1)
            return multirate_plain(c, s, t_new, h, result);
        // Where many are wrong, one of them may have spoilt the others.
        if (!status && multirate_find_fast(c, s) <= c->n / 4)
            refined = multirate_parts(c, s, t_new, h);
        if (!refined) {
            refined = multirate_end(c, s, t_new, h, result);
            if (refined) s->t_kept = NAN;
        }
        if (refined <= 0) return refined;
        int worst = problem_worst(&c->norm, c->error_vector, h);
        if (refined == STEP_UNDEFINED && tries < HELD_MORE_MAX && worst >= 0 &&
            !s->held[s->pairs.row[worst]]) {
            multirate_hold(s, worst);
            continue;
        }
        result->h_factor = s->t_kept == c->t ? (s->t_good - c->t) / h * (1 - SHORTER) : 0.5;
        return status ? status : STEP_NEWTON;
    }
}

/* Without parts all unknowns would have taken, at each time, the shortest of the steps there. */
static double multirate_steps_saved(const multirate *s, double t, double t_new)
{
    double steps = 0, h = t_new - t;
    while (t < t_new * (1 - DBL_EPSILON) - SHORTER * h) {
        double size = t_new - t;
        for (int k = 0; k < s->n_traces; k++) {
            const part_trace *x = &s->trace[k];
            if (!x->steps || t < x->t_begin || t + SHORTER * h > x->t_end) continue;
            size = smaller_of(size,
                              part_at(&s->codes.code[x->code], x, t + SHORTER * size, NULL, NULL));
        }
        t += size;
        steps++;
    }
    return larger_of(steps, 1);
}

/* Where parts have cost more than they saved they are left out for a while, for longer each time. */
static void multirate_judge(method_core *c, multirate *s, double t_new, double h)
{
    multirate_trial *x = &s->trial;
    double work = c->run->stats.work;
    x->spent += work - x->mark;
    x->mark = work;
    x->plain += s->work_step * multirate_steps_saved(s, t_new - h, t_new);
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
    multirate_judge(c, s, t_new, h);
    memcpy(s->wish, s->next, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint, s->next, (size_t)c->n * sizeof *s->hint);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        if (trace && trace->t_end == t_new) s->hint[i] = trace->h_last;
    }
    s->t_kept = NAN;
    return rosenbrock_ops.accept(c, t_new, h);
}

static int multirate_interpolate(method_core *c, double t, double *y, double *yp)
{
    multirate *s = c->state;
    int status = rosenbrock_ops.interpolate(c, t, y, yp);
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
