/* The interpreter of programs, and of integrals over them: values, derivatives along a direction, and
 * the operation to which a missing value is due.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "routine/bound.h"
#include "routine/quadrature.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- running --------------------------------------------------------------------------------- */

/* Where values that are not finite come from: operations with finite operands, and by register the
 * number of the one that is to blame (0: its value is finite, or came in so). */
enum { BLAMED_MAX = 32 };
typedef struct blame {
    routine_cause list[BLAMED_MAX];
    int n;
} blame;

typedef struct machine {
    const routine_set *set; // the programs and routines that it calls
    void *run;              // what routines keep in it
    int depth;
    int64_t steps, limit;  // operations, counted by whole programs and turns of loops
    int64_t look;          // the next look at the watch
    int integrals, dims;   // under way, and their dimensions together
    int64_t began;         // the outermost, at this step
    blame *blame;          // NULL: causes are not recorded
    routine_cause stopped; // by a subscript, in a loop, or by an integral
} machine;

/* What is known of a register beyond its value; a member that is NULL is not computed. */
typedef struct beside {
    uint8_t *cause;
    double *tangent; // derivative of the value by one argument of the outermost call
} beside;

/* Arguments of a call; those in far (NULL: none) are not in `in`. */
typedef struct given {
    const double *in;
    const tape_stretch *far;
} given;

static inline double given_at(given g, int k)
{
    bool far = g.far && k >= g.far->first && k < g.far->first + g.far->n;
    return far ? g.far->at[k - g.far->first] : g.in[k];
}

static bool program_run(const routine_program *p, machine *m, const double *in, double *out,
                        beside of_in, beside of_out);

/* The derivative of a routine along a tangent, by a central difference. */
static void foreign_difference(const tape_function *f, void *run, const double *in,
                               const double *along, double *d)
{
    double most = 0, size = 1, x[PROGRAM_SCALARS], up[PROGRAM_SCALARS], down[PROGRAM_SCALARS];
    for (int j = 0; j < f->n_in; j++) {
        most = fmax(most, fabs(along[j]));
        if (along[j] != 0) size = fmax(size, fabs(in[j]));
    }
    if (most == 0) return;
    double h = cbrt(DBL_EPSILON) * size / most;
    for (int j = 0; j < f->n_in; j++) x[j] = in[j] + h * along[j];
    f->value(f->user, run, x, up);
    for (int j = 0; j < f->n_in; j++) x[j] = in[j] - h * along[j];
    f->value(f->user, run, x, down);
    for (int i = 0; i < f->n_out; i++) d[i] = (up[i] - down[i]) / (2 * h);
}

/* A routine in C inside of a program: its derivative by its own slopes, if it has them. */
static void foreign_run(const tape_function *f, machine *m, const double *in, double *out,
                        beside of_in, beside of_out)
{
    enum { SLOPES_MAX = 4096 };
    f->value(f->user, m->run, in, out);
    for (int i = 0; i < f->n_out && of_out.cause; i++) of_out.cause[i] = 0;
    if (!of_out.tangent) return;
    double *d = of_out.tangent, jac[SLOPES_MAX];
    uint8_t active[PROGRAM_SCALARS];
    memset(d, 0, (size_t)f->n_out * sizeof *d);
    if (!f->partials || f->n_in * f->n_out > SLOPES_MAX) {
        foreign_difference(f, m->run, in, of_in.tangent, d);
        return;
    }
    for (int j = 0; j < f->n_in; j++) active[j] = of_in.tangent[j] != 0;
    f->partials(f->user, m->run, active, in, jac);
    for (int i = 0; i < f->n_out; i++)
        for (int j = 0; j < f->n_in; j++)
            if (active[j]) d[i] += jac[i * f->n_in + j] * of_in.tangent[j];
}

static bool program_call(const routine_program *p, machine *m, const routine_ins *t, double *r,
                         beside of)
{
    const int *list = p->lists + t->dst;
    int n_in = list[0], n_out = list[n_in + 1];
    const tape_function *f = routine_at(m->set, t->a);
    const routine_program *called = routine_program_of(f);
    if (!called && (!f || n_in > PROGRAM_SCALARS || n_out > PROGRAM_SCALARS)) return false;
    // No more than the registers of a program, most often a few.
    double in[n_in + 1], out[n_out + 1];
    double in_tangent[of.tangent ? n_in + 1 : 1], out_tangent[of.tangent ? n_out + 1 : 1];
    uint8_t in_cause[of.cause ? n_in + 1 : 1], out_cause[of.cause ? n_out + 1 : 1];
    for (int i = 0; i < n_in; i++) in[i] = r[list[1 + i]];
    for (int i = 0; i < n_in && of.cause; i++) in_cause[i] = of.cause[list[1 + i]];
    for (int i = 0; i < n_in && of.tangent; i++) in_tangent[i] = of.tangent[list[1 + i]];
    beside of_in = {in_cause, in_tangent};
    beside of_out = {of.cause ? out_cause : NULL, of.tangent ? out_tangent : NULL};
    if (!called) foreign_run(f, m, in, out, of_in, of_out);
    else if (!program_run(called, m, in, out, of_in, of_out)) return false;
    for (int i = 0; i < n_out; i++) r[list[n_in + 2 + i]] = out[i];
    for (int i = 0; i < n_out && of.cause; i++) of.cause[list[n_in + 2 + i]] = out_cause[i];
    for (int i = 0; i < n_out && of.tangent; i++) of.tangent[list[n_in + 2 + i]] = out_tangent[i];
    return true;
}

/* After an operation: what is to blame for its value. */
static uint8_t program_blame(const routine_program *p, machine *m, const routine_ins *t,
                             const double *x, double value, const uint8_t *cause)
{
    int n = operator_arity((expr_op)t->op);
    const int from[3] = {t->a, t->b, t->c};
    blame *b = m->blame;
    if (isfinite(value)) return 0;
    for (int k = 0; k < n; k++)
        if (!isfinite(x[k])) return cause[from[k]];
    if (b->n == BLAMED_MAX) return BLAMED_MAX;
    b->list[b->n] = (routine_cause){.op = (uint8_t)t->op, .function = p->name};
    for (int k = 0; k < n; k++) b->list[b->n].x[k] = x[k];
    return (uint8_t)++b->n;
}

static bool program_outside(const routine_program *p, machine *m, const routine_ins *t, double x)
{
    m->stopped = (routine_cause){
        .x = {x}, .function = m->blame ? p->name : NULL, .subscript = &p->checks[t->dst]};
    return false;
}

static bool program_fails(const routine_program *p, machine *m, const routine_ins *t)
{
    if (t->dst >= 0 && m->blame)
        m->stopped = (routine_cause){.function = p->name, .said = p->fails[t->dst]};
    return false;
}

/* Too many steps, the last at instruction i: the loop around it, if most of them were made here, else
 * one where this was called. */
static bool program_endless(const routine_program *p, machine *m, int i, int64_t began)
{
    if (m->steps - began < m->limit / 2) return false;
    for (int k = 0; k < p->n_loops && m->blame && !m->stopped.endless; k++)
        if (p->loops[k].first <= i && i <= p->loops[k].last)
            m->stopped = (routine_cause){.function = p->name, .endless = &p->loops[k]};
    return false;
}

/* n more operations, the last at instruction i. False: too many, or the watch says stop. */
static inline bool program_count(const routine_program *p, machine *m, int n, int i, int64_t began)
{
    enum { STEPS_BETWEEN_LOOKS = 1 << 16 }; // about a millisecond
    m->steps += n;
    if (m->steps > m->limit) return program_endless(p, m, i, began);
    if (m->steps < m->look) return true;
    m->look = m->steps + STEPS_BETWEEN_LOOKS;
    return !watch_passed(m->set->limits);
}

// Most of what programs do, without the detour by operator_apply, which says the same.
#define PROGRAM_OPERATION(op, value, slope)                                                        \
    case op: {                                                                                     \
        double x = r[t->a], y = r[t->b], f = value;                                                \
        if (d) d[t->dst] = slope;                                                                  \
        r[t->dst] = f;                                                                             \
        (void)y;                                                                                   \
        break;                                                                                     \
    }

/* Of d, derivatives, and of_cause one at least is NULL: three pieces of code. */
static inline __attribute__((always_inline)) bool program_loop(const routine_program *p, machine *m,
                                                               given args, double *r, double *d,
                                                               uint8_t *of_cause)
{
    const routine_ins *ins = p->ins;
    beside of = {of_cause, d};
    int64_t began = m->steps;
    if (!program_count(p, m, p->n_ins, -1, began)) return false;
    for (int i = 0, n = p->n_ins; i < n;) {
        const routine_ins *t = &ins[i++];
        switch (of_cause && t->op < EXPR_N_OPS ? EXPR_NONE : t->op) {
            PROGRAM_OPERATION(EXPR_ADD, x + y, d[t->a] + d[t->b])
            PROGRAM_OPERATION(EXPR_SUB, x - y, d[t->a] - d[t->b])
            PROGRAM_OPERATION(EXPR_MUL, x * y, d[t->a] * y + x * d[t->b])
            PROGRAM_OPERATION(EXPR_DIV, x / y, (d[t->a] - f * d[t->b]) / y)
            PROGRAM_OPERATION(EXPR_NEG, -x, -d[t->a])
            PROGRAM_OPERATION(EXPR_LT, x < y, 0)
            PROGRAM_OPERATION(EXPR_LE, x <= y, 0)
            PROGRAM_OPERATION(EXPR_GT, x > y, 0)
            PROGRAM_OPERATION(EXPR_GE, x >= y, 0)
            PROGRAM_OPERATION(EXPR_EQ, x == y, 0)
            PROGRAM_OPERATION(EXPR_NE, x != y, 0)
            PROGRAM_OPERATION(EXPR_NOT, x == 0, 0)
            PROGRAM_OPERATION(EXPR_AND, x != 0 && y != 0, 0)
            PROGRAM_OPERATION(EXPR_OR, x != 0 || y != 0, 0)
        case EXPR_IF: {
            int from = r[t->a] != 0 ? t->b : t->c;
            if (d) d[t->dst] = d[from];
            r[t->dst] = r[from];
            break;
        }
        case PROGRAM_COPY:
            r[t->dst] = r[t->a];
            if (of_cause) of_cause[t->dst] = of_cause[t->a];
            if (d) d[t->dst] = d[t->a];
            break;
        case PROGRAM_JUMP:
            if (t->dst < i && !program_count(p, m, i - t->dst, i - 1, began)) return false;
            i = t->dst;
            break;
        case PROGRAM_UNLESS:
            if (r[t->a] == 0) i = t->dst;
            break;
        case PROGRAM_CALL:
            if (program_call(p, m, t, r, of)) break;
            return m->steps > m->limit && program_endless(p, m, i - 1, began);
        case PROGRAM_FAIL: return program_fails(p, m, t);
        case PROGRAM_PICK: {
            const int *list = p->lists + t->b;
            int from = list[1 + routine_choice(r[t->a], list[0] - 1)];
            r[t->dst] = p->placed && from < p->n_args ? given_at(args, from) : r[from];
            if (of_cause) of_cause[t->dst] = of_cause[from];
            if (d) d[t->dst] = d[from];
            break;
        }
        case PROGRAM_TABLE:
            r[t->dst] = p->tables[t->b + routine_choice(r[t->a], t->c)];
            if (of_cause) of_cause[t->dst] = 0;
            if (d) d[t->dst] = 0;
            break;
        case PROGRAM_CHECK:
            if (r[t->a] != 0 && !(r[t->b] >= 1 && r[t->b] <= p->checks[t->dst].size))
                return program_outside(p, m, t, r[t->b]);
            break;
        default: {
            double x[3] = {r[t->a], r[t->b], r[t->c]}, f;
            if (!operator_apply((expr_op)t->op, x, operator_arity((expr_op)t->op), &f)) f = NAN;
            if (of_cause) of_cause[t->dst] = program_blame(p, m, t, x, f, of_cause);
            if (d) {
                double dx[3] = {d[t->a], d[t->b], d[t->c]};
                d[t->dst] = operator_tangent((expr_op)t->op, x, dx, f);
            }
            r[t->dst] = f;
        }
        }
    }
    return true;
}

static bool program_execute(const routine_program *p, machine *m, given args, double *r)
{
    return program_loop(p, m, args, r, NULL, NULL);
}

static bool program_run_traced(const routine_program *p, machine *m, given args, double *r,
                               const uint8_t *in, uint8_t *out)
{
    uint8_t cause[p->n_registers + 1];
    memset(cause, 0, sizeof cause);
    memcpy(cause, in, (size_t)p->n_args);
    if (!program_loop(p, m, args, r, NULL, cause)) return false;
    for (int i = 0; i < p->n_results; i++) out[i] = cause[p->results[i]];
    return true;
}

static bool program_run_tangent(const routine_program *p, machine *m, given args, double *r,
                                const double *in, double *out)
{
    double tangent[p->n_registers + 1];
    memcpy(tangent, in, sizeof *in * (size_t)p->n_args);
    memset(tangent + p->n_args, 0, sizeof *in * (size_t)(p->n_registers - p->n_args));
    if (!program_loop(p, m, args, r, tangent, NULL)) return false;
    for (int i = 0; i < p->n_results; i++) out[i] = tangent[p->results[i]];
    return true;
}

/* ---- integrals ------------------------------------------------------------------------------- */

#define INTEGRAL_TOL 1e-10 // over the integral of the absolute value, of what models ask for
#define VOLUME_MIN   1e-12 // over the product of the edges: rounding
#define FOLD_MAX     1e-6  // of the volume that is counted twice

enum { INTEGRAL_EXTRA = 3 * QUADRATURE_DIMS };
static const int64_t INTEGRAL_STEPS[QUADRATURE_DIMS + 1] = {0, 10000000, 40000000, 100000000};

typedef struct integration {
    const routine_integral *q;
    machine *m;
    double *in;                 // the arguments, then s
    double at[QUADRATURE_DIMS]; // coordinates of the last point
    double *tangent; // of the arguments and s: what is integrated are tangents; NULL: values
    routine_cause *cause;
} integration;

static bool integral_at(void *user, const double *s, double *out)
{
    integration *g = user;
    const routine_integral *q = g->q;
    double all[QUADRATURE_MOST + INTEGRAL_EXTRA], *bounds = all + q->n + q->dims;
    memcpy(g->in + q->integrand->n_args - q->dims, s, sizeof *s * (size_t)q->dims);
    double slope[QUADRATURE_MOST + INTEGRAL_EXTRA];
    beside of_in = {.tangent = g->tangent}, of_out = {.tangent = g->tangent ? slope : NULL};
    if (!program_run(q->integrand, g->m, g->in, all, of_in, of_out)) return false;
    memcpy(out, g->tangent ? slope : all, sizeof *out * (size_t)q->n);
    memcpy(g->at, all + q->n, sizeof *out * (size_t)q->dims);
    for (int k = 0; k < q->dims && q->region; k++) {
        double low = bounds[k], high = bounds[q->dims + k];
        if (!(high < low) || low - high <= VOLUME_MIN * (fabs(low) + fabs(high))) continue;
        g->cause->integral = q;
        g->cause->fault = INTEGRAL_INVERTED;
        g->cause->coordinate = k;
        g->cause->low = low;
        g->cause->high = high;
        return false;
    }
    return true;
}

static integral_fault region_fault(const routine_integral *q, const double *value,
                                   const double *size)
{
    const double *hidden = value + q->n - INTEGRAL_HIDDEN;
    if (!(hidden[0] > VOLUME_MIN * hidden[2])) return INTEGRAL_EMPTY;
    if (hidden[0] - fabs(hidden[1]) > FOLD_MAX * hidden[0]) return INTEGRAL_FOLDED;
    return fabs(value[0]) > VOLUME_MIN * size[0] ? INTEGRAL_FINE : INTEGRAL_MASSLESS;
}

static bool integral_run(const routine_integral *q, machine *m, double tol, const double *in,
                         double *tangent, double *out)
{
    double all_in[q->integrand->n_args + 1];
    integration g = {.q = q, .m = m, .in = all_in, .cause = &m->stopped, .tangent = tangent};
    quadrature x = {.dims = q->dims, .n = q->n, .f = integral_at, .user = &g, .tol = tol};
    x.watched = q->watched;
    double value[QUADRATURE_MOST], of_size[QUADRATURE_MOST];
    int n_args = q->integrand->n_args - q->dims;
    if (n_args) memcpy(g.in, in, sizeof *in * (size_t)n_args);
    m->stopped = (routine_cause){0};
    // Integrals inside share what all of them may take, and the caller of the outermost keeps what is left.
    int64_t steps = m->steps, limit = m->limit;
    if (!m->integrals++) m->began = steps, m->limit = 0;
    m->dims += q->dims;
    int64_t most = m->began + INTEGRAL_STEPS[m->dims < QUADRATURE_DIMS ? m->dims : QUADRATURE_DIMS];
    if (most > m->limit) m->limit = most;
    quadrature_end end = quadrature_run(&x, value, of_size);
    m->dims -= q->dims;
    if (!--m->integrals) m->steps = steps, m->limit = limit;
    integral_fault fault = end == QUADRATURE_DONE && q->region && !tangent
                               ? region_fault(q, value, of_size)
                           : end == QUADRATURE_DONE         ? INTEGRAL_FINE
                           : m->stopped.fault               ? m->stopped.fault
                           : end == QUADRATURE_NOT_A_NUMBER ? INTEGRAL_UNDEFINED
                           : end == QUADRATURE_DIVERGES     ? INTEGRAL_DIVERGES
                                                            : INTEGRAL_LONG;
    bool told = m->stopped.endless || (m->stopped.integral && m->stopped.integral != q);
    if (fault && !told) {                                                // not by one inside
        if (end == QUADRATURE_DIVERGES) integral_at(&g, x.where, value); // coordinates of the place
        m->stopped.integral = q;
        m->stopped.fault = fault;
        memcpy(m->stopped.at, g.at, sizeof g.at);
    }
    if (fault) return false;
    m->stopped = (routine_cause){0};
    memcpy(out, value, sizeof *out * (size_t)(q->n - (q->region ? INTEGRAL_HIDDEN : 0)));
    return true;
}

bool routine_integrate(const routine_set *set, const routine_integral *q, const double *args,
                       double tol, double *out, routine_cause *cause)
{
    machine m = {.set = set, .limit = PROGRAM_STEPS};
    bool done = integral_run(q, &m, tol, args, NULL, out);
    *cause = m.stopped;
    return done;
}

/* An integral as a program: its values, and their tangents where they are asked for. */
static bool integral_call(const routine_program *p, machine *m, const double *in, double *out,
                          beside of_in, beside of_out)
{
    const routine_integral *q = p->integral;
    double tangent[p->n_args + q->dims + 1];
    if (of_out.cause) memset(of_out.cause, 0, (size_t)p->n_results);
    if (!integral_run(q, m, INTEGRAL_TOL, in, NULL, out)) return false;
    if (!of_out.tangent) return true;
    memcpy(tangent, of_in.tangent, sizeof *tangent * (size_t)p->n_args);
    memset(tangent + p->n_args, 0, sizeof *tangent * (size_t)q->dims);
    return integral_run(q, m, INTEGRAL_TOL, in, tangent, of_out.tangent);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Arguments that have a register are copied to it. */
static void program_place(const routine_program *p, given args, double *r)
{
    if (!p->placed && !args.far) memcpy(r, args.in, sizeof *r * (size_t)p->n_args);
    else if (!p->placed)
        for (int k = 0; k < p->n_args; k++) r[k] = given_at(args, k);
    for (int k = 0; k < p->n_placed; k++) r[p->placed[k]] = given_at(args, p->placed[k]);
}

static bool program_run_given(const routine_program *p, machine *m, given args, double *out,
                              beside of_in, beside of_out)
{
    if (p->integral) return integral_call(p, m, args.in, out, of_in, of_out);
    int frames = 1 + p->n_registers / PROGRAM_FRAME;
    if ((m->depth += frames) > PROGRAM_DEPTH) return false;
    double r[p->n_registers + 1]; // at most PROGRAM_REGISTERS
    program_place(p, args, r);
    memset(r + p->n_args, 0, sizeof *r * (size_t)p->n_slots);
    memcpy(r + p->n_args + p->n_slots, p->consts, sizeof *r * (size_t)p->n_consts);
    bool done = of_out.cause     ? program_run_traced(p, m, args, r, of_in.cause, of_out.cause)
                : of_out.tangent ? program_run_tangent(p, m, args, r, of_in.tangent, of_out.tangent)
                                 : program_execute(p, m, args, r);
    if (!done) return false;
    for (int i = 0; i < p->n_results; i++) out[i] = r[p->results[i]];
    m->depth -= frames;
    return true;
}

static bool program_run(const routine_program *p, machine *m, const double *in, double *out,
                        beside of_in, beside of_out)
{
    return program_run_given(p, m, (given){in, NULL}, out, of_in, of_out);
}

bool routine_run_program(const routine_bound *g, void *run, const double *in,
                         const tape_stretch *far, double *out)
{
    machine m = {.set = g->set, .run = run, .limit = PROGRAM_STEPS};
    return program_run_given(g->program, &m, (given){in, far}, out, (beside){0}, (beside){0});
}

bool routine_run_tangent(const routine_bound *g, void *run, const double *in, double *along,
                         double *out, double *d)
{
    machine m = {.set = g->set, .run = run, .limit = PROGRAM_STEPS};
    return program_run(g->program, &m, in, out, (beside){.tangent = along}, (beside){.tangent = d});
}

void routine_traced(const tape_function *f, const double *in, double *out, int output,
                    routine_cause *cause)
{
    const routine_bound *g = f->user;
    blame found = {.n = 0};
    machine m = {.set = g->set, .blame = &found, .limit = PROGRAM_STEPS};
    uint8_t of_in[f->n_in + 1], of_out[f->n_out + 1];
    memset(of_in, 0, sizeof of_in);
    memset(of_out, 0, sizeof of_out);
    *cause = (routine_cause){0};
    if (!program_run(g->program, &m, in, out, (beside){.cause = of_in},
                     (beside){.cause = of_out})) {
        for (int i = 0; i < f->n_out; i++) out[i] = NAN;
        *cause = m.stopped;
        return;
    }
    if (of_out[output]) *cause = found.list[of_out[output] - 1];
}
