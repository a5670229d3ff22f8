/* Steps of some unknowns by themselves inside a step of all of them.
 *
 * The equations of a part read other unknowns and time. What they make of these is known along the step of all
 * unknowns: its values at the nodes of Chebyshev make a polynomial each, and the steps of the part read that. They are
 * Rosenbrock steps with the table of the step of all, with dense matrices and pivots.
 *
 * Other equations read the part: what they see of it is not what they saw in the step of all unknowns. With d the
 * difference of F, an error of the unknown of such a row follows e' = -d/M - decay e, and the most that it comes to
 * is reported: V. Savcenco, W. Hundsdorfer & J. G. Verwer, BIT 47 (2007) 137-155, leave that to the next estimate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/part_step.h"

#include "base/larger.h"
#include "base/root.h"
#include "la/simd.h"
#include "method/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { M = PART_UNKNOWNS_MAX };

enum { PART_REJECTED_MAX = 60 }; // of one step

size_t part_room_layout(part_room *r, void *block)
{
    bump b = bump_begin(block);
    size_t given = PART_GIVEN_MAX;
    r->curve = bump_double(&b, PART_NODES * given);
    r->values = bump_double(&b, PART_NODES * given);
    r->points = bump_double(&b, ROSENBROCK_POINTS * given);
    r->given = bump_double(&b, given);
    r->ahead = bump_double(&b, given);
    r->beside = bump_double(&b, given);
    r->record = bump_double(&b, PART_RECORDS);
    return bump_end(&b);
}

/* ---- what is given --------------------------------------------------------------------------- */

/* cos(pi j/6), j = 0 ... 11 */
#define ROOT 0.86602540378443864676
static const double COSINE[2 * PART_DEGREE] = {1,  ROOT,  0.5,  0, -0.5, -ROOT,
                                               -1, -ROOT, -0.5, 0, 0.5,  ROOT};

double part_growth(double error)
{
    const double SAFETY = 0.9, LEAST = 1e-10, MOST = 1e50; // the first two as of the controller
    double e = error < MOST ? larger_of(error, LEAST) : MOST;
    return SAFETY * root_inverse(e * e, 2 * (rodas5p_table.embedded + 1));
}

double part_node(int k)
{
    return 0.5 * (1 + COSINE[k]);
}

double part_weight(int k, int j)
{
    double ends = (k % PART_DEGREE ? 1 : 0.5) * (j % PART_DEGREE ? 1 : 0.5);
    return ends * 2 / PART_DEGREE * COSINE[j * k % (2 * PART_DEGREE)];
}

/* What is constant stands behind what has a curve, wherever steps read it. */
static void part_constants_set(const vinc_some *part, part_room *r)
{
    int n = part_n_curves(part);
    for (int i = n; i < part->n_given; i++) {
        r->given[i] = r->ahead[i] = r->values[i];
        r->points[ROSENBROCK_POINTS * n + i - n] = r->values[i];
    }
}

/* Coefficients of the polynomials through the values at the nodes. */
static int part_curve_make(const part_window *w, const vinc_some *part, part_room *r)
{
    const vinc_problem *p = w->core->p;
    int n = part_n_curves(part);
    int status = p->part_given(p->user, part->id,
                               &(vinc_some_points){.n = PART_NODES, .t = w->time, .y = w->node},
                               r->values, PART_GIVEN_MAX);
    if (status) return step_status(status);
    w->core->run->stats.work += PART_NODES * (part->work_given + 2.0 * PART_NODES * n);
    for (int k = 0; k < PART_NODES; k++) {
        double *restrict c = r->curve + k * PART_GIVEN_MAX;
        const double *weight = w->weight[k];
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < PART_NODES; j++)
                sum += weight[j] * r->values[j * PART_GIVEN_MAX + i];
            c[i] = sum;
        }
    }
    part_constants_set(part, r);
    return STEP_OK;
}

/* At a time. */
static void part_curve_at(const part_window *w, const part_room *r, int n, double t, double *value)
{
    double z = 2 * (t - w->t) / w->h - 1, T[PART_NODES];
    const double *row[PART_NODES];
    T[0] = 1, T[1] = z;
    for (int k = 2; k < PART_NODES; k++) T[k] = 2 * z * T[k - 1] - T[k - 2];
    for (int k = 0; k < PART_NODES; k++) row[k] = r->curve + k * PART_GIVEN_MAX;
    stages_blend(PART_NODES, T, row, value, n);
}

/* At the times of a step, all at once: `alpha` of the step of size h from t on. */
SIMD_CLONES static void part_curve_points(const part_window *w, const double *curve, int n,
                                          double t, double h, const double *alpha, double *value)
{
    enum { HALVES = ROSENBROCK_POINTS / 4 };
    simd4 T[PART_NODES][HALVES];
    double scale = 2 / w->h, from = (t - w->t) * scale - 1, size = h * scale;
    for (int m = 0; m < HALVES; m++) {
        simd4 z = *(const simd4 *)(alpha + 4 * m) * size + from;
        T[0][m] = (simd4){1, 1, 1, 1};
        T[1][m] = z;
        for (int k = 2; k < PART_NODES; k++) T[k][m] = 2.0 * z * T[k - 1][m] - T[k - 2][m];
    }
    for (int i = 0; i < n; i++)
        for (int m = 0; m < HALVES; m++) {
            const double *c = curve + i;
            simd4 sum = T[0][m] * c[0];
            for (int k = 1; k < PART_NODES; k++) sum += T[k][m] * c[k * PART_GIVEN_MAX];
            *(simd4 *)(value + ROSENBROCK_POINTS * i + 4 * m) = sum;
        }
}

/* ---- a small matrix -------------------------------------------------------------------------- */

typedef struct part_lu {
    int pivot[M];
    double a[M][M];
} part_lu;

static inline __attribute__((always_inline)) bool part_factor(part_lu *x, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(x->a[i][k]) > fabs(x->a[p][k])) p = i;
        x->pivot[k] = p;
        if (!(fabs(x->a[p][k]) > 0)) return false;
        for (int j = 0; j < n && p != k; j++) {
            double swap = x->a[k][j];
            x->a[k][j] = x->a[p][j];
            x->a[p][j] = swap;
        }
        double inverse = x->a[k][k] = 1 / x->a[k][k];
        for (int i = k + 1; i < n; i++) {
            double f = x->a[i][k] *= inverse;
            for (int j = k + 1; j < n; j++) x->a[i][j] -= f * x->a[k][j];
        }
    }
    return true;
}

static inline __attribute__((always_inline)) void part_solve(const part_lu *x, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int p = x->pivot[k];
        double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) b[i] -= x->a[i][k] * b[k];
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= x->a[k][j] * b[j];
        b[k] *= x->a[k][k];
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

typedef struct part_step {
    const part_window *w;
    const part_code *code;
    const rosenbrock_table *k;
    part_room *room;
    int n;
    double t, *own, *mass;           // the present point, in `in`
    double in[2 * M + 2];            // see rosenbrock_part
    double alpha[ROSENBROCK_POINTS]; // by point: of which part of the step it is
    double ahead;                    // how far dF/dt looks
    bool pieces;                     // in pieces
    bool sloped;                     // dy, f0 and f_t are of the present point
    double dy[M * M], f0[M], f_t[M];
    double work;                        // of an attempt
    double *u;                          // -U_i, one after the other, in the record of the step
    double *y;                          // ... the new point
    double decay[M];                    // of an error, at the present point
    double pace[M];                     // change per time when errors decayed last; 0: not known
    double errors[2][M], *error, *kept; // over what they may be: of the attempt, of the last step
} part_step;

/* Derivatives at the present point: by time along the curves of what is given. */
static int part_prepare(part_step *s)
{
    const vinc_problem *p = s->w->core->p;
    part_room *r = s->room;
    int id = s->code->own.id, n = s->n;
    double at[2 * M], d = s->ahead;
    int given = part_n_curves(&s->code->own);
    part_curve_at(s->w, r, given, s->t, r->given);
    part_curve_at(s->w, r, given, s->t + d, r->ahead);
    for (int i = 0; i < n; i++) at[i] = s->own[i], at[n + i] = 0;
    int status = p->part_slopes(p->user, id, r->given, at, s->dy);
    if (!status) status = p->part_rows(p->user, id, r->given, at, s->f0);
    if (!status) status = p->part_rows(p->user, id, r->ahead, at, s->f_t);
    for (int i = 0; i < n && !status; i++) s->f_t[i] = (s->f_t[i] - s->f0[i]) / d;
    s->sloped = !status;
    return step_status(status);
}

static inline __attribute__((always_inline)) int part_stage(part_step *s, const part_lu *lu, int i,
                                                            double h, int n)
{
    const vinc_problem *p = s->w->core->p;
    const rosenbrock_table *k = s->k;
    double at[2 * M], *u = s->u + i * n;
    for (int m = 0; m < n; m++) {
        double y = s->own[m], rate = 0;
        for (int j = 0; j < i; j++) {
            y -= k->a[i][j] * s->u[j * n + m];
            rate += k->c[i][j] * s->u[j * n + m];
        }
        at[m] = y;
        at[n + m] = rate / h;
    }
    if (i) {
        if (k->alpha[i] != 1 || k->alpha[i - 1] != 1)
            part_curve_at(s->w, s->room, part_n_curves(&s->code->own), s->t + k->alpha[i] * h,
                          s->room->given);
        int status = p->part_rows(p->user, s->code->own.id, s->room->given, at, u);
        if (status) return step_status(status);
    } else {
        for (int m = 0; m < n; m++) u[m] = s->f0[m];
    }
    for (int m = 0; m < n; m++) u[m] += h * k->gamma_i[i] * s->f_t[m];
    part_solve(lu, u, n);
    for (int m = 0; m < n; m++) s->y[m] = at[m];
    return STEP_OK;
}

static inline __attribute__((always_inline)) int part_stages(part_step *s, double h, int n)
{
    double c = 1 / (h * s->k->gamma);
    part_lu lu;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) lu.a[i][j] = s->dy[j * n + i];
        lu.a[i][i] += c * s->mass[i];
    }
    if (!part_factor(&lu, n)) return STEP_SINGULAR;
    int status = STEP_OK;
    for (int i = 0; i < s->k->stages && !status; i++) status = part_stage(s, &lu, i, h, n);
    return status;
}

/* Loops over so few unknowns cost more than what is in them: code of its own for the first numbers. */
static int part_stages_of(part_step *s, double h)
{
    switch (s->n) {
    case 1: return part_stages(s, h, 1);
    case 2: return part_stages(s, h, 2);
    case 3: return part_stages(s, h, 3);
    default: return part_stages(s, h, s->n);
    }
}

/* In one piece, if the problem has code for it; 1: not. */
static int part_in_one(part_step *s, double h)
{
    const vinc_problem *p = s->w->core->p;
    part_room *r = s->room;
    int n = s->n;
    if (!p->part_step || s->pieces) return 1;
    s->alpha[1] = s->ahead / h;
    part_curve_points(s->w, r->curve, part_n_curves(&s->code->own), s->t, h, s->alpha, r->points);
    s->in[2 * n] = h;
    int status = p->part_step(
        p->user, s->code->own.id,
        &(rosenbrock_part){.table = s->k, .given = r->points, .own = s->in, .out = s->u});
    s->pieces = status > 0;
    return status;
}

double part_leave(double fades, double most)
{
    return fades > 1 ? smaller_of(1 + fades, most) : 1;
}

/* ... of unknown m, also where it does not fade. Then it is a shift in time, by the error over the pace: where the pace has
 * become higher the same error is a shorter shift. It may grow with the root of the pace, so that the sum of shifts of steps
 * that become faster and faster is no more than a few times the first. */
static double part_leave_of(const part_step *s, int m, double h, const part_bounds *most)
{
    double fades = s->decay[m] * h, pace = fabs(s->y[m] - s->own[m]) / h;
    bool faster = fades <= 1 && s->pace[m] > 0 && pace > s->pace[m];
    return faster ? smaller_of(sqrt(pace / s->pace[m]), most->leave)
                  : part_leave(fades, most->leave);
}

/* The error in the norm of the step of all. */
static int part_attempt(part_step *s, double h, const part_bounds *most, double *error)
{
    const problem_norm *norm = &s->w->core->norm;
    int n = s->n, last = s->k->stages - 1, status = part_in_one(s, h);
    bool whole = !status;
    double squares = 0;
    if (status > 0) status = s->sloped ? STEP_OK : part_prepare(s);
    if (!status && !whole) status = part_stages_of(s, h);
    if (status) return status;
    for (int m = 0; m < n; m++) {
        double u = s->u[last * n + m];
        if (!whole) s->y[m] -= u;
        s->decay[m] = (whole ? s->y[n + m] : s->dy[m * n + m]) / s->mass[m];
        double e = u * norm->inv[s->code->unknown[m]] / part_leave_of(s, m, h, most);
        s->error[m] = e / most->error;
        squares += e * e;
    }
    s->w->core->run->stats.work += s->work;
    *error = problem_of_squares_error(norm, squares) / most->error;
    return isfinite(*error) ? STEP_OK : STEP_UNDEFINED;
}

/* ---- what others see ------------------------------------------------------------------------- */

/* What is given to them is taken from the middle of the step: differences are asked for. */
static int part_given_beside(const part_window *w, const vinc_some *part, part_room *r)
{
    const vinc_problem *p = w->core->p;
    int middle = PART_NODES / 2;
    w->core->run->stats.work += part->work_given;
    return step_status(p->part_given(
        p->user, part->id,
        &(vinc_some_points){.n = 1, .t = w->time + middle, .y = w->node + middle}, r->beside, 0));
}

/* By reader, and nothing behind them up to the next multiple of four. */
typedef struct part_watch {
    bool begun;
    double was[2 * M], f_was[PART_WATCHED_MAX];      // as the step of all has it
    double f_is[PART_WATCHED_MAX];                   // as the part has it
    double d[PART_WATCHED_MAX], e[PART_WATCHED_MAX]; // the rate of the error last, the error
    double rate[PART_WATCHED_MAX], decay[PART_WATCHED_MAX], inv[PART_WATCHED_MAX];
} part_watch;

static void part_watch_begin(const part_step *s, const double *astray, part_watch *x)
{
    const part_window *w = s->w;
    x->begun = false;
    for (int m = 0; m < 2 * s->n; m++) x->was[m] = 0;
    int n = s->code->n_readers;
    for (int k = 0; k < n; k++) {
        int i = s->code->reader[k];
        x->d[k] = 0, x->e[k] = astray[k];
        x->rate[k] = -1 / w->mass[i];
        x->decay[k] = w->decay[i];
        x->inv[k] = w->inv[i];
    }
    for (int k = n; k % 4; k++)
        x->d[k] = x->e[k] = x->rate[k] = x->decay[k] = x->inv[k] = x->f_is[k] = x->f_was[k] = 0;
}

/* e' = d - decay e over a time h. The most that it has come to is noted; the most that it has come to now, of all. */
SIMD_CLONES static double part_watch_add(part_watch *x, int n, double h, double *missed)
{
    simd4 most = {0};
    for (int k = 0; k < n; k += 4) {
        simd4 f = *(simd4 *)(x->f_is + k) - *(simd4 *)(x->f_was + k);
        simd4 d = f * *(simd4 *)(x->rate + k), *e = (simd4 *)(x->e + k);
        *e = (*e + 0.5 * h * (*(simd4 *)(x->d + k) + d)) / (1.0 + h * *(simd4 *)(x->decay + k));
        *(simd4 *)(x->d + k) = d;
        simd4 much = simd4_abs(*e) * *(simd4 *)(x->inv + k);
        *(simd4 *)(missed + k) = simd4_max(much, *(simd4 *)(missed + k));
        most = simd4_max(much, most);
    }
    return simd4_largest(most);
}

/* The errors. Copied here: of two readers a call takes longer. */
static inline void part_watch_note(const part_watch *x, int n, double *astray)
{
    for (int k = 0; k < n; k += 4) *(simd4 *)(astray + k) = *(const simd4 *)(x->e + k);
}

double part_of_all(const part_window *w, int i, double t)
{
    double x = (t - w->t) / w->h, z = 1 - x;
    return z * w->y0[i] +
           x * (w->y1[i] + z * (w->dense[0][i] + x * (w->dense[1][i] + x * w->dense[2][i])));
}

/* After a step of size h to t with y there. most: that an unknown is led astray by, in units of the tolerance. */
static int part_look(const part_step *s, double t, double h, const double *y, part_watch *x,
                     double *missed, double *most)
{
    const part_window *w = s->w;
    const vinc_problem *p = w->core->p;
    const part_code *code = s->code;
    int n = s->n, id = code->watched.id;
    double is[2 * M];
    bool moved = !x->begun; // what is held does not
    for (int m = 0; m < n; m++) {
        double was = part_of_all(w, code->unknown[m], t);
        moved = moved || was != x->was[m];
        x->was[m] = was;
        is[m] = y[m], is[n + m] = 0;
    }
    int status = p->part_rows(p->user, id, s->room->beside, is, x->f_is);
    if (!status && moved) status = p->part_rows(p->user, id, s->room->beside, x->was, x->f_was);
    if (status) return step_status(status);
    x->begun = true;
    *most = part_watch_add(x, code->n_readers, h, missed);
    return STEP_OK;
}

/* What the last terms of the polynomials do to the part over the whole step, in units of the tolerance. */
static int part_given_error(part_step *s, double *error)
{
    const part_window *w = s->w;
    const vinc_problem *p = w->core->p;
    part_room *r = s->room;
    double at[2 * M], f[M], g[M], squares = 0;
    int n = s->n, given = part_n_curves(&s->code->own);
    for (int i = 0; i < n; i++) at[i] = s->own[i], at[n + i] = 0;
    part_curve_at(w, r, given, w->t + w->h, r->given);
    for (int i = 0; i < given; i++)
        r->ahead[i] = r->given[i] + r->curve[PART_DEGREE * PART_GIVEN_MAX + i];
    int status = p->part_rows(p->user, s->code->own.id, r->given, at, f);
    if (!status) status = p->part_rows(p->user, s->code->own.id, r->ahead, at, g);
    if (status) return step_status(status);
    for (int m = 0; m < n; m++) {
        int i = s->code->unknown[m];
        double e =
            (g[m] - f[m]) / s->mass[m] * w->h / (1 + w->h * w->decay[i]) * w->core->norm.inv[i];
        squares += e * e;
    }
    *error = problem_of_squares_error(&w->core->norm, squares);
    return STEP_OK;
}

/* ---- through the window ---------------------------------------------------------------------- */

/* Of each step: its end, its size, the stages, y there, and the derivative of each row by its unknown. */
static int part_record_size(int n)
{
    return 2 + (ROSENBROCK_STAGES_MAX + 2) * n;
}

static int part_record_y(int n)
{
    return 2 + ROSENBROCK_STAGES_MAX * n;
}

/* Where the next one is written. False: there is no room. */
static bool part_record_begin(part_step *s)
{
    if (s->room->recorded + part_record_size(s->n) > PART_RECORDS) return false;
    double *to = s->room->record + s->room->recorded;
    s->u = to + 2;
    s->y = to + part_record_y(s->n);
    return true;
}

static bool part_record(part_step *s, double t, double h, part_trace *trace)
{
    double *to = s->room->record + s->room->recorded;
    to[0] = t;
    to[1] = h;
    s->room->recorded += part_record_size(s->n);
    trace->steps++;
    return part_record_begin(s);
}

/* By the error of each unknown in the last step that was kept, of size h. */
static void part_wishes(const part_step *s, const double *error, double h, part_trace *trace)
{
    const double GROWTH_MOST = 8; // as of the controller
    const problem_norm *norm = &s->w->core->norm;
    for (int m = 0; m < s->n && h > 0; m++) {
        double of = problem_of_squares_error(norm, error[m] * error[m]);
        double factor = part_growth(of);
        // One that asks for nothing need not be left out of the next step of all.
        trace->wish[m] = factor < GROWTH_MOST ? h * factor : fmax(h * factor, s->w->h);
    }
}

/* The beginning of a trace. */
static bool part_begin(part_step *s, const double *y, part_trace *trace)
{
    part_room *r = s->room;
    if (r->recorded + s->n > PART_RECORDS) return false;
    trace->record = r->record + r->recorded;
    trace->steps = 0;
    memcpy(trace->begun, trace->astray, (size_t)s->code->n_readers * sizeof *trace->begun);
    trace->t_end = s->t = trace->t_begin;
    for (int k = 0; k < s->code->n_readers; k++) trace->missed[k] = 0;
    for (int k = s->code->n_readers; k % 4; k++) trace->missed[k] = 0;
    s->own = s->in;
    s->mass = s->in + s->n;
    s->ahead = sqrt(DBL_EPSILON) * s->w->h;
    s->in[2 * s->n + 1] = 1 / s->ahead;
    for (int m = 0; m < s->n; m++) {
        s->own[m] = r->record[r->recorded++] = y[m];
        s->mass[m] = s->w->mass[s->code->unknown[m]];
        trace->wish[m] = trace->h_last;
        s->pace[m] = trace->pace[m];
    }
    return part_record_begin(s);
}

int part_through(const part_window *w, const part_code *code, const double *y,
                 const part_bounds *most, part_room *room, part_trace *trace)
{
    part_step s;
    part_watch watch;
    control c;
    s.w = w;
    s.code = code;
    s.k = &rodas5p_table;
    s.room = room;
    s.n = code->own.n;
    s.pieces = s.sloped = false;
    s.work = part_step_work(code);
    memcpy(s.alpha, w->alpha, sizeof s.alpha);
    s.error = s.errors[0];
    s.kept = s.errors[1];
    double end = w->end, error = 0, h_kept = 0; // size of the last step
    int n = s.n, rejected = 0;
    int status = part_curve_make(w, &code->own, room);
    if (!status && code->n_readers) status = part_given_beside(w, &code->watched, room);
    if (status) return status;
    if (!part_begin(&s, y, trace)) return STEP_NEWTON;
    status = part_given_error(&s, &error);
    if (status || error > most->error) return status ? status : STEP_NEWTON;
    part_watch_begin(&s, trace->astray, &watch);
    control_start(&c, CONTROL_PREDICTIVE, trace->h_last, s.k->order);
    step_result result = {.order = s.k->embedded, .new_factors = true};
    while (s.t < end) {
        double left = end - s.t, size = c.h >= left * (1 - 1e-12) ? left : c.h;
        if (size < left && size > 0.5 * left) size = 0.5 * left;
        if (size < method_h_min(s.t, size) || rejected > PART_REJECTED_MAX) return STEP_NEWTON;
        status = part_attempt(&s, size, most, &error);
        if (status < 0) return status;
        result.error = error;
        result.squares = error * error;
        result.per_n = 1;
        if (status || error > 1) {
            rejected++;
            if (status) control_fail(&c, size, &result);
            else control_reject(&c, size, &result);
            continue;
        }
        rejected = 0;
        double wish = c.h, t = size == left ? end : s.t + size;
        control_accept(&c, size, &result);
        if (size < wish && c.h < wish && c.h >= size) c.h = wish;
        double missed = 0;
        if (code->n_readers) status = part_look(&s, t, size, s.y, &watch, trace->missed, &missed);
        if (status) return status;
        if (missed > most->missed) break;
        const double *y_new = s.y;
        if (!part_record(&s, t, size, trace)) return STEP_NEWTON;
        trace->t_end = t;
        trace->h_last = c.h;
        part_watch_note(&watch, code->n_readers, trace->astray);
        double *other = s.kept;
        s.kept = s.error;
        s.error = other;
        h_kept = size;
        for (int m = 0; m < n; m++)
            if (s.decay[m] * size > 1 || !(s.pace[m] > 0))
                s.pace[m] = fabs(y_new[m] - s.own[m]) / size;
        for (int m = 0; m < n; m++) s.own[m] = y_new[m];
        s.t = t;
        s.sloped = false;
    }
    memcpy(trace->pace, s.pace, (size_t)n * sizeof *s.pace);
    part_wishes(&s, s.kept, h_kept, trace);
    return STEP_OK;
}

/* The first step that does not end before t. */
int part_steps_until(const part_code *code, const part_trace *trace, double t)
{
    int n = code->own.n, size = part_record_size(n), low = 0, high = trace->steps - 1;
    const double *first = trace->record + n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (first[middle * size] < t) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Values and slopes of the part, one after the other; NULL: not asked for. */
static double part_inside(const part_code *code, const part_trace *trace, double t, double *y,
                          double *yp)
{
    const rosenbrock_table *k = &rodas5p_table;
    int n = code->own.n, size = part_record_size(n);
    const double *first = trace->record + n;
    if (!trace->steps) {
        for (int m = 0; m < n && y; m++) y[m] = trace->record[m];
        for (int m = 0; m < n && yp; m++) yp[m] = 0;
        return trace->h_last;
    }
    int low = part_steps_until(code, trace, t);
    int y_at = part_record_y(n);
    const double *r = first + low * size, *y0 = low ? r - size + y_at : trace->record;
    double begin = low ? r[-size] : trace->t_begin, h = r[1], x = (t - begin) / h, z = 1 - x;
    for (int m = 0; m < n && t == r[0] && !yp && y; m++) y[m] = r[y_at + m];
    for (int m = 0; m < n && (yp || (y && t != r[0])); m++) {
        const double *u = r + 2 + m;
        double end = r[y_at + m];
        double p = 0, dp = 0;
        for (int row = k->n_dense - 1; row >= 0; row--) {
            double sum = 0;
            for (int j = 0; j < k->stages; j++) sum -= k->dense[row][j] * u[j * n];
            dp = p + x * dp;
            p = sum + x * p;
        }
        if (y) y[m] = t == r[0] ? end : z * y0[m] + x * (end + z * p);
        if (yp) yp[m] = (end - y0[m] + (1 - 2 * x) * p + x * z * dp) / h;
    }
    return h;
}

double part_at(const part_code *code, const part_trace *trace, double t, double *y, double *yp)
{
    double own[M], slopes[M];
    double h = part_inside(code, trace, t, y ? own : NULL, yp ? slopes : NULL);
    for (int m = 0; m < code->own.n && y; m++) y[code->unknown[m]] = own[m];
    for (int m = 0; m < code->own.n && yp && trace->steps; m++) yp[code->unknown[m]] = slopes[m];
    return h;
}

int part_cut(const part_window *w, const part_code *code, double t, part_room *room,
             part_trace *trace)
{
    part_step s = {.w = w, .code = code, .room = room, .n = code->own.n};
    int n = s.n, size = part_record_size(n), status = STEP_OK;
    double begin = trace->t_begin, all[M], most;
    part_watch watch;
    if (code->n_readers) status = part_given_beside(w, &code->watched, room);
    part_watch_begin(&s, trace->begun, &watch);
    for (int k = 0; k < trace->steps && begin < t && !status; k++) {
        const double *r = trace->record + n + k * size, *y = r + part_record_y(n);
        double end = smaller_of(r[0], t);
        if (end < r[0]) {
            part_inside(code, trace, end, all, NULL);
            y = all;
        }
        if (code->n_readers)
            status = part_look(&s, end, end - begin, y, &watch, trace->missed, &most);
        begin = end;
    }
    memcpy(trace->astray, watch.e, (size_t)code->n_readers * sizeof *watch.e);
    trace->h_last = part_at(code, trace, t, NULL, NULL);
    for (int m = 0; m < n; m++) trace->wish[m] = trace->h_last;
    trace->t_end = t;
    return status;
}
