/* Functionals along a trajectory, stretch by stretch.
 *
 * On a stretch a signal is looked at where the quadrature needs it: at the ends and five points between
 * them, or, where its derivative is known, at the ends and in the middle. Neighbouring points bracket
 * extremes, which are then found by golden sections and parabolas (R. P. Brent, Algorithms for
 * Minimization without Derivatives, 1973, ch. 5), and changes of conditions, which are found by regula
 * falsi (Illinois). Integrals are those of W. Gander, W. Gautschi, Adaptive quadrature - revisited, BIT
 * 40 (2000) 84-101: Lobatto's formula with four points, and Kronrod's extension of it with seven.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/collect.h"
#include "sweep/collect_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- functions ------------------------------------------------------------------------------- */

static double abs_slope(double x)
{
    return (x > 0) - (x < 0);
}

static double sqrt_slope(double x)
{
    return 0.5 / sqrt(x);
}

static double log_slope(double x)
{
    return 1 / x;
}

static double log10_slope(double x)
{
    return 1 / (x * M_LN10);
}

static double cos_slope(double x)
{
    return -sin(x);
}

static double tan_slope(double x)
{
    double c = cos(x);
    return 1 / (c * c);
}

static double asin_slope(double x)
{
    return 1 / sqrt(1 - x * x);
}

static double acos_slope(double x)
{
    return -1 / sqrt(1 - x * x);
}

static double atan_slope(double x)
{
    return 1 / (1 + x * x);
}

static double tanh_slope(double x)
{
    double y = tanh(x);
    return 1 - y * y;
}

typedef struct collect_function {
    const char *name;
    double (*value)(double x), (*slope)(double x);
} collect_function;

static const collect_function collect_functions[] = {
    {"abs", fabs, abs_slope},   {"sqrt", sqrt, sqrt_slope},    {"exp", exp, exp},
    {"log", log, log_slope},    {"log10", log10, log10_slope}, {"sin", sin, cos},
    {"cos", cos, cos_slope},    {"tan", tan, tan_slope},       {"asin", asin, asin_slope},
    {"acos", acos, acos_slope}, {"atan", atan, atan_slope},    {"sinh", sinh, cosh},
    {"cosh", cosh, sinh},       {"tanh", tanh, tanh_slope},    {0},
};

int collect_function_find(const char *name, size_t n)
{
    for (int i = 0; collect_functions[i].name; i++)
        if (strlen(collect_functions[i].name) == n && !strncmp(collect_functions[i].name, name, n))
            return i;
    return -1;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* x^y and its derivative, which has no term of log x where y does not move. */
static void raise_to(double *x, double *dx, double y, double dy)
{
    double value = pow(*x, y);
    *dx =
        (y != 0 && *dx != 0 ? y * pow(*x, y - 1) * *dx : 0) + (dy != 0 ? value * log(*x) * dy : 0);
    *x = value;
}

/* The margin of a < b, or of a <= b, where equality holds by the least there is. */
static void subtract_for(collect_code code, bool greater, double *x, double *dx)
{
    double sign = greater ? -1 : 1;
    double margin = sign * (x[1] - x[0]);
    x[0] = code == COLLECT_LESS_EQUAL && margin == 0 ? DBL_TRUE_MIN : margin;
    dx[0] = sign * (dx[1] - dx[0]);
}

static void choose(double *x, double *dx, bool second)
{
    if (!second) return;
    x[0] = x[1];
    dx[0] = dx[1];
}

/* The value of a program, and its derivative by time where `slope` is not NULL. values: by column;
 * results: of the functionals. */
static double program_value(const sweep_collect *c, const collect_program *p, double t,
                            const double *values, const double *results, double *slope)
{
    double stack[1 + COLLECT_STACK], slopes[1 + COLLECT_STACK];
    double *x = stack, *dx = slopes; // the top; below the first value is a place that is not used
    for (int i = 0; i < p->n; i++) {
        const collect_op *o = &p->ops[i];
        switch (o->code) {
        case COLLECT_NUMBER: *++x = o->number, *++dx = 0; break;
        case COLLECT_VARIABLE:
            *++x = values[o->place];
            *++dx = c->slope[o->place] >= 0 ? values[c->slope[o->place]] : 0;
            break;
        case COLLECT_TIME: *++x = t, *++dx = 1; break;
        case COLLECT_RESULT: *++x = results[o->place], *++dx = 0; break;
        case COLLECT_ADD: x--, dx--, x[0] += x[1], dx[0] += dx[1]; break;
        case COLLECT_SUBTRACT: x--, dx--, x[0] -= x[1], dx[0] -= dx[1]; break;
        case COLLECT_MULTIPLY:
            x--, dx--;
            dx[0] = dx[0] * x[1] + x[0] * dx[1];
            x[0] *= x[1];
            break;
        case COLLECT_DIVIDE:
            x--, dx--;
            x[0] /= x[1];
            dx[0] = (dx[0] - x[0] * dx[1]) / x[1];
            break;
        case COLLECT_POWER: x--, dx--, raise_to(x, dx, x[1], dx[1]); break;
        case COLLECT_NEGATE: x[0] = -x[0], dx[0] = -dx[0]; break;
        case COLLECT_FUNCTION: {
            const collect_function *f = &collect_functions[o->place];
            dx[0] = dx[0] != 0 ? f->slope(x[0]) * dx[0] : 0;
            x[0] = f->value(x[0]);
            break;
        }
        case COLLECT_LESS:
        case COLLECT_LESS_EQUAL: x--, dx--, subtract_for(o->code, o->place, x, dx); break;
        case COLLECT_AND: x--, dx--, choose(x, dx, x[1] < x[0]); break;
        case COLLECT_OR: x--, dx--, choose(x, dx, x[1] > x[0]); break;
        case COLLECT_TRUTH: x[0] = x[0] > 0.5 ? 1 : -1, dx[0] = 0; break;
        }
    }
    if (slope) *slope = *dx;
    return *x;
}

/* ---- a stretch ------------------------------------------------------------------------------- */

enum { NODES = 7 };
static const double NODE_FAR = 0.816496580927726033, NODE_NEAR = 0.447213595499957939; // of [-1, 1]

typedef struct collect_state {
    double best, t_best, other; // extremes: the largest, its time, the smallest
    double sum, correction;     // of integrals, with what rounding took (W. Kahan)
    double since;               // when the condition began to hold
    long count;
    bool holds;
    double value; // first, at, initial
} collect_state;

struct sweep_collector {
    const sweep_collect *c;
    double t_start, tolerance;
    vinc_sim *sim;
    int status;          // of the run, where its values cannot be had
    double t0, t1;       // the stretch
    double theta[NODES]; // of its nodes, from 0 to 1
    bool looked[NODES];  // its values are known
    double *nodes;       // NODES rows of values
    double *row, *results;
    collect_state *states;
    bool begun;
};

static size_t collector_layout(sweep_collector *x, const sweep_collect *c, char *block)
{
    size_t row = (size_t)c->n_columns + 1, n = (size_t)c->n_functionals + 1, at = sizeof *x;
    if (block) x->nodes = (double *)(void *)(block + at);
    at += NODES * row * sizeof(double);
    if (block) x->row = (double *)(void *)(block + at);
    at += row * sizeof(double);
    if (block) x->results = (double *)(void *)(block + at);
    at += n * sizeof(double);
    if (block) x->states = (collect_state *)(void *)(block + at);
    return at + n * sizeof(collect_state);
}

size_t sweep_collector_bytes(const sweep_collect *c)
{
    return collector_layout(NULL, c, NULL);
}

sweep_collector *sweep_collector_init(void *block, const sweep_collect *c, double t_start,
                                      double tolerance)
{
    sweep_collector *x = block;
    *x = (sweep_collector){.c = c, .t_start = t_start, .tolerance = tolerance};
    collector_layout(x, c, block);
    double nodes[NODES] = {-1, -NODE_FAR, -NODE_NEAR, 0, NODE_NEAR, NODE_FAR, 1};
    for (int i = 0; i < NODES; i++) x->theta[i] = 0.5 * (1 + nodes[i]);
    sweep_collector_begin(x);
    return x;
}

void sweep_collector_begin(sweep_collector *x)
{
    const collect_state fresh = {.best = -INFINITY, .other = INFINITY, .value = NAN, .t_best = NAN};
    for (int i = 0; i < x->c->n_functionals; i++) x->states[i] = fresh;
    x->begun = false;
    x->status = VINC_OK;
}

static double node_time(const sweep_collector *x, int i)
{
    return i == 0 ? x->t0 : i == NODES - 1 ? x->t1 : x->t0 + x->theta[i] * (x->t1 - x->t0);
}

static const double *node_values(sweep_collector *x, int i)
{
    double *row = x->nodes + (size_t)i * (size_t)x->c->n_columns;
    if (x->looked[i]) return row;
    int rc = vinc_sim_at(x->sim, node_time(x, i), x->c->columns, x->c->n_columns, row);
    if (rc) {
        x->status = rc;
        for (int k = 0; k < x->c->n_columns; k++) row[k] = NAN;
    }
    x->looked[i] = true;
    return row;
}

static double at_node(sweep_collector *x, const collect_program *p, int i, double *slope)
{
    return program_value(x->c, p, node_time(x, i), node_values(x, i), NULL, slope);
}

static double at_time(sweep_collector *x, const collect_program *p, double t)
{
    int rc = vinc_sim_at(x->sim, t, x->c->columns, x->c->n_columns, x->row);
    if (rc) x->status = rc;
    return rc ? NAN : program_value(x->c, p, t, x->row, NULL, NULL);
}

/* ---- extremes -------------------------------------------------------------------------------- */

/* The largest value of sign * p between a and b, where one in between is known: Brent's method, to where
 * the value cannot change any more but for its rounding. */
static double climb(sweep_collector *x, const collect_program *p, double sign, double a, double b,
                    double *t_best)
{
    enum { TRIES = 40 };
    const double GOLDEN = 0.381966011250105152, TIME_RESOLVED = 1e-7; // of the bracket
    double at = a + GOLDEN * (b - a), second = at, third = at;
    double f = sign * at_time(x, p, at), f2 = f, f3 = f, step = 0, before = 0;
    double tiny = TIME_RESOLVED * (b - a);
    for (int k = 0; k < TRIES; k++) {
        double middle = 0.5 * (a + b);
        if (fabs(at - middle) <= 2 * tiny - 0.5 * (b - a)) break;
        bool golden = true;
        if (fabs(before) > tiny) { // a parabola through the three best
            double r = (at - second) * (f - f3), q = (at - third) * (f - f2);
            double n = (at - third) * q - (at - second) * r, d = 2 * (q - r);
            if (d > 0) n = -n;
            d = fabs(d);
            double last = before;
            before = step;
            if (fabs(n) < fabs(0.5 * d * last) && n > d * (a - at) && n < d * (b - at)) {
                step = n / d;
                golden = false;
                if (at + step - a < 2 * tiny || b - at - step < 2 * tiny)
                    step = at < middle ? tiny : -tiny;
            }
        }
        if (golden) {
            before = at < middle ? b - at : a - at;
            step = GOLDEN * before;
        }
        double t = at + (fabs(step) >= tiny ? step : step > 0 ? tiny : -tiny);
        double g = sign * at_time(x, p, t);
        if (!(g < f)) {
            if (t >= at) a = at;
            else b = at;
            third = second, f3 = f2;
            second = at, f2 = f;
            at = t, f = g;
        } else {
            if (t < at) a = t;
            else b = t;
            if (g >= f2 || second == at) {
                third = second, f3 = f2;
                second = t, f2 = g;
            } else if (g >= f3 || third == at || third == second) {
                third = t, f3 = g;
            }
        }
    }
    *t_best = at;
    return sign * f;
}

typedef struct signal_look { // a signal at the nodes that are used for it
    int n, node[NODES];
    double t[NODES], f[NODES], d[NODES];
    bool slopes;
} signal_look;

static void look_along(sweep_collector *x, const collect_program *p, signal_look *s)
{
    s->slopes = p->slopes;
    s->n = 0;
    for (int i = 0; i < NODES; i++) {
        if (p->slopes && i && i != NODES / 2 && i != NODES - 1) continue;
        s->node[s->n] = i;
        s->t[s->n] = node_time(x, i);
        s->f[s->n] = at_node(x, p, i, &s->d[s->n]);
        s->n++;
    }
}

/* Is there a maximum of sign * f near the i-th node or interval that may lie above `best`? Its
 * bracket. */
static bool peak_inside(const signal_look *s, double sign, int i, double best, double *a, double *b)
{
    if (s->slopes) { // between i and i + 1: slopes of opposite signs
        if (i + 1 >= s->n || !(sign * s->d[i] > 0 && sign * s->d[i + 1] < 0)) return false;
        double h = s->t[i + 1] - s->t[i];
        double from_left = sign * (s->f[i] + s->d[i] * h),
               from_right = sign * (s->f[i + 1] - s->d[i + 1] * h); // tangents
        *a = s->t[i], *b = s->t[i + 1];
        return fmin(from_left, from_right) > best;
    }
    if (i < 1 || i + 1 >= s->n) return false;
    double left = sign * (s->f[i] - s->f[i - 1]), right = sign * (s->f[i] - s->f[i + 1]);
    *a = s->t[i - 1], *b = s->t[i + 1];
    return left >= 0 && right >= 0 && left + right > 0 &&
           sign * s->f[i] + fmax(left, right) > best; // a parabola rises by less
}

static void take_extreme(collect_state *q, double sign, double f, double t, bool keeps_time)
{
    double *best = sign > 0 ? &q->best : &q->other;
    if (!(sign * f > sign * *best)) return;
    *best = f;
    if (keeps_time) q->t_best = t;
}

static void follow_extreme(sweep_collector *x, const collect_functional *f, collect_state *q)
{
    signal_look s;
    look_along(x, &f->signal, &s);
    for (double sign = 1; sign >= -1; sign -= 2) {
        bool wanted = f->kind == COLLECT_RANGE ||
                      (f->kind == COLLECT_MAX || f->kind == COLLECT_ARGMAX ? sign > 0 : sign < 0);
        if (!wanted) continue;
        for (int i = 0; i < s.n; i++) take_extreme(q, sign, s.f[i], s.t[i], true);
        for (int i = 0; i < s.n; i++) {
            double a, b, t, best = sign * (sign > 0 ? q->best : q->other);
            if (!peak_inside(&s, sign, i, best, &a, &b)) continue;
            double found = climb(x, &f->signal, sign, a, b, &t);
            take_extreme(q, sign, found, t, true);
        }
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Where a margin changes its sign between a and b: the first time known at which it has that of b. */
static double locate(sweep_collector *x, const collect_program *p, double a, double fa, double b,
                     double fb)
{
    enum { TRIES = 60 };
    bool rises = fb > 0;
    int kept = 0; // the end that was kept last: -1 a, 1 b
    for (int k = 0; k < TRIES; k++) {
        if (b - a <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b))) break;
        double t = fa != fb && isfinite(fa) && isfinite(fb) ? a - fa * (b - a) / (fb - fa) : NAN;
        if (!(t > a && t < b) || k > TRIES / 2) t = 0.5 * (a + b);
        double f = at_time(x, p, t);
        if ((f > 0) == rises) {
            if (kept == -1) fa *= 0.5;
            b = t, fb = f, kept = -1;
        } else {
            if (kept == 1) fb *= 0.5;
            a = t, fa = f, kept = 1;
        }
    }
    return b;
}

static void turn(collect_state *q, double t, bool holds)
{
    if (holds == q->holds) return;
    q->holds = holds;
    if (holds) {
        q->count++;
        q->since = t;
        if (isnan(q->value)) q->value = t;
    } else {
        q->sum += t - q->since;
    }
}

static void follow_condition(sweep_collector *x, const collect_functional *f, collect_state *q)
{
    if (f->kind == COLLECT_FIRST && !isnan(q->value)) return;
    signal_look s;
    look_along(x, &f->signal, &s);
    turn(q, s.t[0], s.f[0] > 0);
    for (int i = 0; i < s.n; i++) {
        bool here = s.f[i] > 0, next = i + 1 < s.n ? s.f[i + 1] > 0 : here;
        double a, b, t, sign = here ? -1 : 1;
        bool same = here == next && (s.slopes || i == 0 || (s.f[i - 1] > 0) == here);
        if (same && peak_inside(&s, sign, i, 0, &a, &b)) { // it may change there and back
            double peak = climb(x, &f->signal, sign, a, b, &t);
            if ((peak > 0) != here) {
                double fa = s.slopes ? s.f[i] : s.f[i - 1], fb = s.f[i + 1];
                turn(q, locate(x, &f->signal, a, fa, t, peak), !here);
                turn(q, locate(x, &f->signal, t, peak, b, fb), here);
            }
        }
        if (here != next)
            turn(q, locate(x, &f->signal, s.t[i], s.f[i], s.t[i + 1], s.f[i + 1]), next);
    }
}

/* ---- integrals ------------------------------------------------------------------------------- */

static double integrand(const collect_functional *f, double y)
{
    return f->kind == COLLECT_RMS ? y * y : y;
}

static void add_part(collect_state *q, double part)
{
    double y = part - q->correction, sum = q->sum + y;
    q->correction = sum - q->sum - y;
    q->sum = sum;
}

/* Over [a, b] with values y at the seven nodes. */
static void integrate_part(sweep_collector *x, const collect_functional *f, collect_state *q,
                           double a, double b, const double *y, int depth)
{
    enum { HALVINGS = 8 };
    const double SHARE = 0.1; // of the tolerance
    double h = 0.5 * (b - a), size = 0;
    double lobatto = h / 6 * (y[0] + y[6] + 5 * (y[2] + y[4]));
    double kronrod =
        h / 1470 * (77 * (y[0] + y[6]) + 432 * (y[1] + y[5]) + 625 * (y[2] + y[4]) + 672 * y[3]);
    for (int i = 0; i < NODES; i++) size += fabs(y[i]);
    size *= 2 * h / NODES;
    if (depth == HALVINGS || !(fabs(kronrod - lobatto) > SHARE * x->tolerance * size)) {
        add_part(q, kronrod);
        return;
    }
    double middle = 0.5 * (a + b);
    for (int side = 0; side < 2; side++) {
        double from = side ? middle : a, to = side ? b : middle, z[NODES];
        z[0] = side ? y[3] : y[0];
        z[6] = side ? y[6] : y[3];
        for (int i = 1; i < NODES - 1; i++)
            z[i] = integrand(f, at_time(x, &f->signal, from + x->theta[i] * (to - from)));
        integrate_part(x, f, q, from, to, z, depth + 1);
    }
}

static void follow_integral(sweep_collector *x, const collect_functional *f, collect_state *q)
{
    double y[NODES];
    for (int i = 0; i < NODES; i++) y[i] = integrand(f, at_node(x, &f->signal, i, NULL));
    integrate_part(x, f, q, x->t0, x->t1, y, 0);
}

/* ---- a run ----------------------------------------------------------------------------------- */

int sweep_collector_follow(void *user, vinc_sim *sim, double t0, double t1)
{
    sweep_collector *x = user;
    if (!x->c->follows) return 0;
    if (t0 <= x->t_start && x->begun) sweep_collector_begin(x); // the run was begun anew
    x->begun = true;
    x->sim = sim;
    x->t0 = t0;
    x->t1 = t1;
    memset(x->looked, 0, sizeof x->looked);
    for (int i = 0; i < x->c->n_functionals; i++) {
        const collect_functional *f = &x->c->functionals[i];
        collect_state *q = &x->states[i];
        switch (f->kind) {
        case COLLECT_MAX:
        case COLLECT_MIN:
        case COLLECT_RANGE:
        case COLLECT_ARGMAX:
        case COLLECT_ARGMIN: follow_extreme(x, f, q); break;
        case COLLECT_FIRST:
        case COLLECT_COUNT:
        case COLLECT_DURATION: follow_condition(x, f, q); break;
        case COLLECT_INTEGRAL:
        case COLLECT_MEAN:
        case COLLECT_RMS: follow_integral(x, f, q); break;
        case COLLECT_INITIAL:
            if (t0 <= x->t_start) q->value = at_node(x, &f->signal, 0, NULL);
            break;
        case COLLECT_AT:
            if (f->t >= t0 && f->t < t1)
                q->value =
                    f->t == t0 ? at_node(x, &f->signal, 0, NULL) : at_time(x, &f->signal, f->t);
            break;
        case COLLECT_FINAL:
        case COLLECT_EVENTS:
        case COLLECT_STEPS: break;
        }
    }
    return x->status;
}

/* The last point counts, too: an event at the end may have changed it. */
static double settle_functional(sweep_collector *x, const collect_functional *f, collect_state *q,
                                double t, const vinc_sim_stats *stats)
{
    if (f->kind == COLLECT_EVENTS) return (double)stats->events;
    if (f->kind == COLLECT_STEPS) return (double)stats->steps;
    double y = program_value(x->c, &f->signal, t, x->row, NULL, NULL), passed = t - x->t_start;
    switch (f->kind) {
    case COLLECT_INITIAL: return x->begun ? q->value : y;
    case COLLECT_AT: return isnan(q->value) && f->t >= t ? y : q->value;
    case COLLECT_MAX:
    case COLLECT_ARGMAX: take_extreme(q, 1, y, t, true); break;
    case COLLECT_MIN:
    case COLLECT_ARGMIN: take_extreme(q, -1, y, t, true); break;
    case COLLECT_RANGE:
        take_extreme(q, 1, y, t, true);
        take_extreme(q, -1, y, t, true);
        break;
    case COLLECT_FIRST:
    case COLLECT_COUNT:
    case COLLECT_DURATION:
        turn(q, t, y > 0);
        if (f->kind == COLLECT_DURATION) turn(q, t, false);
        break;
    default: break;
    }
    switch (f->kind) {
    case COLLECT_MAX: return q->best;
    case COLLECT_MIN: return q->other;
    case COLLECT_RANGE: return q->best - q->other;
    case COLLECT_ARGMAX:
    case COLLECT_ARGMIN: return q->t_best;
    case COLLECT_FIRST: return q->value;
    case COLLECT_COUNT: return (double)q->count;
    case COLLECT_DURATION:
    case COLLECT_INTEGRAL: return q->sum;
    case COLLECT_MEAN: return passed > 0 ? q->sum / passed : y;
    case COLLECT_RMS: return passed > 0 ? sqrt(q->sum / passed) : fabs(y);
    default: return y;
    }
}

int sweep_collector_finish(sweep_collector *x, vinc_sim *sim, double *out)
{
    const sweep_collect *c = x->c;
    vinc_sim_stats stats = {0};
    double t = vinc_sim_time(sim);
    int rc = x->status ? x->status : vinc_sim_values(sim, c->columns, c->n_columns, x->row);
    if (!rc) rc = vinc_sim_statistics(sim, &stats);
    if (rc) return rc;
    for (int i = 0; i < c->n_functionals; i++)
        x->results[i] = settle_functional(x, &c->functionals[i], &x->states[i], t, &stats);
    for (int i = 0; i < c->n_items; i++) {
        out[i] = program_value(c, &c->items[i].value, t, x->row, x->results, NULL);
    }
    return VINC_OK;
}

/* ---- ends ------------------------------------------------------------------------------------ */

const collect_functional *sweep_collect_beyond_end(const sweep_collect *c)
{
    for (int i = 0; i < c->n_functionals; i++)
        if (c->functionals[i].kind != COLLECT_FINAL) return &c->functionals[i];
    return NULL;
}

void sweep_collect_at_end(const sweep_collect *c, double t, const double *values, double *results,
                          double *out)
{
    for (int i = 0; i < c->n_functionals; i++)
        results[i] = program_value(c, &c->functionals[i].signal, t, values, NULL, NULL);
    for (int i = 0; i < c->n_items; i++)
        out[i] = program_value(c, &c->items[i].value, t, values, results, NULL);
}
