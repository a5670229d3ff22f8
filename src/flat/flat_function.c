/* Functions of the model: programs are run, bodies written out, derivatives found.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_function.h"

#include "base/map.h"
#include "base/watch.h"
#include "flat/quadrature.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- running --------------------------------------------------------------------------------- */

/* Where values that are not finite come from: operations with finite operands, and by register the
 * number of the one that is to blame (0: its value is finite, or came in so). */
enum { BLAMED_MAX = 32 };
typedef struct blame {
    flat_call_cause list[BLAMED_MAX];
    int n;
} blame;

typedef struct machine {
    void *run; // what routines keep in it
    int depth;
    int64_t steps, limit;    // operations, counted by whole programs and turns of loops
    int64_t look;            // the next look at the watch
    int integrals, dims;     // under way, and their dimensions together
    int64_t began;           // the outermost, at this step
    blame *blame;            // NULL: nobody asks
    flat_call_cause stopped; // by a subscript, in a loop, or by an integral
} machine;

/* What is known of a register beyond its value; members may be NULL: nobody asks. */
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

static bool program_run(const flat_program *p, machine *m, const double *in, double *out,
                        beside of_in, beside of_out);

/* The derivative of a routine along a tangent, by a central difference. */
static void routine_difference(const tape_function *f, void *run, const double *in,
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
static void routine_run(const tape_function *f, machine *m, const double *in, double *out,
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
        routine_difference(f, m->run, in, of_in.tangent, d);
        return;
    }
    for (int j = 0; j < f->n_in; j++) active[j] = of_in.tangent[j] != 0;
    f->partials(f->user, m->run, active, in, jac);
    for (int i = 0; i < f->n_out; i++)
        for (int j = 0; j < f->n_in; j++)
            if (active[j]) d[i] += jac[i * f->n_in + j] * of_in.tangent[j];
}

static bool program_call(const flat_program *p, machine *m, const program_ins *t, double *r,
                         beside of)
{
    const int *list = p->lists + t->dst;
    int n_in = list[0], n_out = list[n_in + 1];
    const flat_function *g = p->m->functions.at[t->a];
    const flat_program *called = g->program;
    bool foreign = !called && g->routine.value;
    if (!called && (!foreign || n_in > PROGRAM_SCALARS || n_out > PROGRAM_SCALARS)) return false;
    // No more than the registers of a program, most often a few.
    double in[n_in + 1], out[n_out + 1];
    double in_tangent[of.tangent ? n_in + 1 : 1], out_tangent[of.tangent ? n_out + 1 : 1];
    uint8_t in_cause[of.cause ? n_in + 1 : 1], out_cause[of.cause ? n_out + 1 : 1];
    for (int i = 0; i < n_in; i++) in[i] = r[list[1 + i]];
    for (int i = 0; i < n_in && of.cause; i++) in_cause[i] = of.cause[list[1 + i]];
    for (int i = 0; i < n_in && of.tangent; i++) in_tangent[i] = of.tangent[list[1 + i]];
    beside of_in = {in_cause, in_tangent};
    beside of_out = {of.cause ? out_cause : NULL, of.tangent ? out_tangent : NULL};
    if (foreign) routine_run(&g->routine, m, in, out, of_in, of_out);
    else if (!program_run(called, m, in, out, of_in, of_out)) return false;
    for (int i = 0; i < n_out; i++) r[list[n_in + 2 + i]] = out[i];
    for (int i = 0; i < n_out && of.cause; i++) of.cause[list[n_in + 2 + i]] = out_cause[i];
    for (int i = 0; i < n_out && of.tangent; i++) of.tangent[list[n_in + 2 + i]] = out_tangent[i];
    return true;
}

static const char *program_name(const flat_program *p)
{
    for (int k = 0; k < p->m->functions.n; k++)
        if (p->m->functions.at[k]->program == p) return p->m->functions.at[k]->name;
    return "";
}

/* After an operation: what is to blame for its value. */
static uint8_t program_blame(const flat_program *p, machine *m, const program_ins *t,
                             const double *x, double value, const uint8_t *cause)
{
    int n = expr_op_arity((expr_op)t->op);
    const int from[3] = {t->a, t->b, t->c};
    blame *b = m->blame;
    if (isfinite(value)) return 0;
    for (int k = 0; k < n; k++)
        if (!isfinite(x[k])) return cause[from[k]];
    if (b->n == BLAMED_MAX) return BLAMED_MAX;
    b->list[b->n] = (flat_call_cause){.op = (uint8_t)t->op, .function = program_name(p)};
    for (int k = 0; k < n; k++) b->list[b->n].x[k] = x[k];
    return (uint8_t)++b->n;
}

static bool program_outside(const flat_program *p, machine *m, const program_ins *t, double x)
{
    m->stopped = (flat_call_cause){
        .x = {x}, .function = m->blame ? program_name(p) : NULL, .subscript = &p->checks[t->dst]};
    return false;
}

static bool program_fails(const flat_program *p, machine *m, const program_ins *t)
{
    if (t->dst >= 0 && m->blame)
        m->stopped = (flat_call_cause){.function = program_name(p), .said = p->fails[t->dst]};
    return false;
}

/* Too many steps, the last at instruction i: the loop around it, if most of them were made here, else
 * one where this was called. */
static bool program_endless(const flat_program *p, machine *m, int i, int64_t began)
{
    if (m->steps - began < m->limit / 2) return false;
    for (int k = 0; k < p->n_loops && m->blame && !m->stopped.endless; k++)
        if (p->loops[k].first <= i && i <= p->loops[k].last)
            m->stopped = (flat_call_cause){.function = program_name(p), .endless = &p->loops[k]};
    return false;
}

// Which of n + 1 a number chooses: 1 ... n, or the last.
static inline int program_choice(double x, int n)
{
    return x >= 1 && x <= n && x == (int)x ? (int)x - 1 : n;
}

/* n more operations, the last at instruction i. False: too many, or the watch says stop. */
static inline bool program_count(const flat_program *p, machine *m, int n, int i, int64_t began)
{
    enum { STEPS_BETWEEN_LOOKS = 1 << 16 }; // about a millisecond
    m->steps += n;
    if (m->steps > m->limit) return program_endless(p, m, i, began);
    if (m->steps < m->look) return true;
    m->look = m->steps + STEPS_BETWEEN_LOOKS;
    return !watch_passed(p->m->limits);
}

// Most of what programs do, without the detour by expr_apply, which says the same.
#define PROGRAM_OPERATION(op, value, slope)                                                        \
    case op: {                                                                                     \
        double x = r[t->a], y = r[t->b], f = value;                                                \
        if (d) d[t->dst] = slope;                                                                  \
        r[t->dst] = f;                                                                             \
        (void)y;                                                                                   \
        break;                                                                                     \
    }

/* Of d, derivatives, and of_cause one at least is NULL: three pieces of code. */
static inline __attribute__((always_inline)) bool
program_loop(const flat_program *p, machine *m, given args, double *r, double *d, uint8_t *of_cause)
{
    const program_ins *ins = p->ins;
    beside of = {of_cause, d};
    int64_t began = m->steps;
    if (!program_count(p, m, p->n_ins, -1, began)) return false;
    for (int i = 0, n = p->n_ins; i < n;) {
        const program_ins *t = &ins[i++];
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
            int from = list[1 + program_choice(r[t->a], list[0] - 1)];
            r[t->dst] = p->placed && from < p->n_args ? given_at(args, from) : r[from];
            if (of_cause) of_cause[t->dst] = of_cause[from];
            if (d) d[t->dst] = d[from];
            break;
        }
        case PROGRAM_TABLE:
            r[t->dst] = p->tables[t->b + program_choice(r[t->a], t->c)];
            if (of_cause) of_cause[t->dst] = 0;
            if (d) d[t->dst] = 0;
            break;
        case PROGRAM_CHECK:
            if (r[t->a] != 0 && !(r[t->b] >= 1 && r[t->b] <= p->checks[t->dst].size))
                return program_outside(p, m, t, r[t->b]);
            break;
        default: {
            double x[3] = {r[t->a], r[t->b], r[t->c]}, f;
            if (!expr_apply((expr_op)t->op, x, expr_op_arity((expr_op)t->op), &f)) f = NAN;
            if (of_cause) of_cause[t->dst] = program_blame(p, m, t, x, f, of_cause);
            if (d) {
                double dx[3] = {d[t->a], d[t->b], d[t->c]};
                d[t->dst] = expr_apply_tangent((expr_op)t->op, x, dx, f);
            }
            r[t->dst] = f;
        }
        }
    }
    return true;
}

static bool program_execute(const flat_program *p, machine *m, given args, double *r)
{
    return program_loop(p, m, args, r, NULL, NULL);
}

static bool program_run_traced(const flat_program *p, machine *m, given args, double *r,
                               const uint8_t *in, uint8_t *out)
{
    uint8_t cause[p->n_registers + 1];
    memset(cause, 0, sizeof cause);
    memcpy(cause, in, (size_t)p->n_args);
    if (!program_loop(p, m, args, r, NULL, cause)) return false;
    for (int i = 0; i < p->n_results; i++) out[i] = cause[p->results[i]];
    return true;
}

static bool program_run_tangent(const flat_program *p, machine *m, given args, double *r,
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
    const flat_integral *q;
    machine *m;
    double *in;                 // the arguments, then s
    double at[QUADRATURE_DIMS]; // coordinates of the last point
    double *tangent; // of the arguments and s: what is integrated are tangents; NULL: values
    flat_call_cause *cause;
} integration;

static bool integral_at(void *user, const double *s, double *out)
{
    integration *g = user;
    const flat_integral *q = g->q;
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

static integral_fault region_fault(const flat_integral *q, const double *value, const double *size)
{
    const double *hidden = value + q->n - INTEGRAL_HIDDEN;
    if (!(hidden[0] > VOLUME_MIN * hidden[2])) return INTEGRAL_EMPTY;
    if (hidden[0] - fabs(hidden[1]) > FOLD_MAX * hidden[0]) return INTEGRAL_FOLDED;
    return fabs(value[0]) > VOLUME_MIN * size[0] ? INTEGRAL_FINE : INTEGRAL_MASSLESS;
}

static bool integral_run(const flat_integral *q, machine *m, double tol, const double *in,
                         double *tangent, double *out, double *size)
{
    double all_in[q->integrand->n_args + 1];
    integration g = {.q = q, .m = m, .in = all_in, .cause = &m->stopped, .tangent = tangent};
    quadrature x = {.dims = q->dims, .n = q->n, .f = integral_at, .user = &g, .tol = tol};
    x.watched = q->watched;
    double value[QUADRATURE_MOST], of_size[QUADRATURE_MOST];
    int n_args = q->integrand->n_args - q->dims;
    if (n_args) memcpy(g.in, in, sizeof *in * (size_t)n_args);
    m->stopped = (flat_call_cause){0};
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
    m->stopped = (flat_call_cause){0};
    memcpy(out, value, sizeof *out * (size_t)(q->n - (q->region ? INTEGRAL_HIDDEN : 0)));
    if (size) memcpy(size, of_size, sizeof *size * (size_t)q->n);
    return true;
}

bool flat_integrate(const flat_integral *q, const double *args, double tol, double *out,
                    double *size, flat_call_cause *cause)
{
    machine m = {.limit = PROGRAM_STEPS};
    bool done = integral_run(q, &m, tol, args, NULL, out, size);
    *cause = m.stopped;
    return done;
}

void flat_integral_words(const flat_call_cause *c, text *out)
{
    const flat_integral *q = c->integral;
    static const char *const words[] = {
        [INTEGRAL_UNDEFINED] = "what is integrated is not a number",
        [INTEGRAL_DIVERGES] = "the integral does not converge: there is a singularity near",
        [INTEGRAL_LONG] =
            "the integral does not converge within its operations; the last were near",
        [INTEGRAL_FOLDED] = "the region is folded: different coordinates mean the same point",
        [INTEGRAL_EMPTY] = "the region has no volume",
        [INTEGRAL_MASSLESS] = "the region has no mass: its density is 0, or cancels",
    };
    int outer = c->fault == INTEGRAL_INVERTED ? c->coordinate : q->dims;
    if (c->fault == INTEGRAL_INVERTED)
        text_printf(out, "the bounds of '%s' are inverted: from %.9g to %.9g",
                    q->name[c->coordinate], c->low, c->high);
    else text_add(out, words[c->fault]);
    if (c->fault >= INTEGRAL_FOLDED) return;
    bool near = c->fault == INTEGRAL_DIVERGES || c->fault == INTEGRAL_LONG;
    for (int k = 0; k < outer && isfinite(c->at[k]); k++)
        text_printf(out, "%s%s = %.9g", k ? ", " : near ? " " : " at ", q->name[k], c->at[k]);
}

const char *flat_integral_cure(integral_fault fault)
{
    switch (fault) {
    case INTEGRAL_UNDEFINED:
        return "look for a square root or logarithm of a negative number in the bounds or in what "
               "is integrated";
    case INTEGRAL_DIVERGES:
        return "an integrable singularity is put at a bound; a pole has no integral; two pieces "
               "are "
               "better than one that jumps";
    case INTEGRAL_LONG:
        return "choose coordinates in which the boundary and what is integrated are smooth, or add "
               "up pieces";
    case INTEGRAL_INVERTED:
        return "write the smaller bound first, or end the coordinates before it where they meet";
    case INTEGRAL_FOLDED:
        return "each point belongs to one set of coordinates: of an angle take one turn, of a "
               "radius "
               "what is not negative";
    case INTEGRAL_EMPTY:
        return "the coordinates must lead in independent directions, and their bounds leave room "
               "between them";
    default: return "give a density whose integral is not 0";
    }
}

/* An integral as a program: its values, and their tangents where they are asked for. */
static bool integral_call(const flat_program *p, machine *m, const double *in, double *out,
                          beside of_in, beside of_out)
{
    const flat_integral *q = p->integral;
    double tangent[p->n_args + q->dims + 1];
    if (of_out.cause) memset(of_out.cause, 0, (size_t)p->n_results);
    if (!integral_run(q, m, INTEGRAL_TOL, in, NULL, out, NULL)) return false;
    if (!of_out.tangent) return true;
    memcpy(tangent, of_in.tangent, sizeof *tangent * (size_t)p->n_args);
    memset(tangent + p->n_args, 0, sizeof *tangent * (size_t)q->dims);
    return integral_run(q, m, INTEGRAL_TOL, in, tangent, of_out.tangent, NULL);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Arguments that have a register are copied to it. */
static void program_place(const flat_program *p, given args, double *r)
{
    if (!p->placed && !args.far) memcpy(r, args.in, sizeof *r * (size_t)p->n_args);
    else if (!p->placed)
        for (int k = 0; k < p->n_args; k++) r[k] = given_at(args, k);
    for (int k = 0; k < p->n_placed; k++) r[p->placed[k]] = given_at(args, p->placed[k]);
}

static bool program_run_given(const flat_program *p, machine *m, given args, double *out,
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

static bool program_run(const flat_program *p, machine *m, const double *in, double *out,
                        beside of_in, beside of_out)
{
    return program_run_given(p, m, (given){in, NULL}, out, of_in, of_out);
}

void flat_call_traced(const flat_function *g, const double *in, double *out, int output,
                      flat_call_cause *cause)
{
    blame found = {.n = 0};
    machine m = {.blame = &found, .limit = PROGRAM_STEPS};
    uint8_t of_in[g->n_args + 1], of_out[g->n_results + 1];
    memset(of_in, 0, sizeof of_in);
    memset(of_out, 0, sizeof of_out);
    *cause = (flat_call_cause){0};
    if (!program_run(g->program, &m, in, out, (beside){.cause = of_in},
                     (beside){.cause = of_out})) {
        for (int i = 0; i < g->n_results; i++) out[i] = NAN;
        *cause = m.stopped;
        return;
    }
    if (of_out[output]) *cause = found.list[of_out[output] - 1];
}

/* ---- routines -------------------------------------------------------------------------------- */

static uint64_t mixed_arguments(const flat_function *g, const double *in)
{
    return hash_bytes(in, sizeof *in * (size_t)g->n_args) | 1;
}

static bool is_in_vain(const flat_function *g, const double *in)
{
    if (!g->in_vain[0]) return false;
    uint64_t here = mixed_arguments(g, in);
    for (int k = 0; k < FLAT_IN_VAIN; k++)
        if (g->in_vain[k] == here) return true;
    return false;
}

/* What was stopped from outside may have a value another time. Threads may lose an entry to each
 * other: it is found again. */
static void note_in_vain(flat_function *g, const double *in)
{
    if (g->impure || watch_passed(g->program->m->limits)) return;
    uint64_t here = mixed_arguments(g, in);
    int k = 0;
    while (k < FLAT_IN_VAIN && g->in_vain[k]) k++;
    g->in_vain[k < FLAT_IN_VAIN ? k : (int)(here / 2 % FLAT_IN_VAIN)] = here;
}

static void program_routine(void *function, void *run, const double *in, double *out)
{
    flat_function *g = function;
    machine m = {.run = run, .limit = PROGRAM_STEPS};
    if (!is_in_vain(g, in)) {
        if (g->fast ? g->fast->value(g->fast, run, in, out)
                    : program_run(g->program, &m, in, out, (beside){0}, (beside){0}))
            return;
        note_in_vain(g, in);
    }
    for (int i = 0; i < g->n_results; i++) out[i] = NAN;
}

/* What wants all arguments in one place is given a copy. */
static void program_routine_far(void *function, void *run, const double *in,
                                const tape_stretch *far, double *out)
{
    flat_function *g = function;
    const flat_program *p = g->program;
    machine m = {.run = run, .limit = PROGRAM_STEPS};
    bool here = !g->fast && !p->integral && !g->in_vain[0];
    given args = {in, far};
    if (here && program_run_given(p, &m, args, out, (beside){0}, (beside){0})) return;
    double all[g->n_args + 1];
    int end = far->first + far->n;
    memcpy(all, in, sizeof *in * (size_t)far->first);
    memcpy(all + far->first, far->at, sizeof *in * (size_t)far->n);
    memcpy(all + end, in + end, sizeof *in * (size_t)(g->n_args - end));
    program_routine(function, run, all, out);
}

/* Forward, one argument after the other: the program runs along the branches that its values take,
 * so that what comes out is the derivative of what was computed. */
static void program_partials(void *function, void *run, const uint8_t *active, const double *in,
                             double *jac)
{
    const flat_function *g = function;
    double seed[g->n_args + 1], out[g->n_results + 1], d[g->n_results + 1];
    memset(seed, 0, sizeof seed);
    bool in_vain = is_in_vain(g, in);
    for (int j = 0; j < g->n_args; j++) {
        if (!active[j]) continue;
        machine m = {.run = run, .limit = PROGRAM_STEPS};
        seed[j] = 1;
        bool fast = g->fast && g->fast->tangent;
        if (in_vain || !(fast ? g->fast->tangent(g->fast, run, in, seed, d)
                              : program_run(g->program, &m, in, out, (beside){.tangent = seed},
                                            (beside){.tangent = d})))
            for (int i = 0; i < g->n_results; i++) d[i] = NAN;
        for (int i = 0; i < g->n_results; i++) jac[i * g->n_args + j] = d[i];
        seed[j] = 0;
    }
}

static bool program_as_c(const tape_function *fn, tape_c *c, const char *name,
                         const uint8_t *active)
{
    const flat_function *g = fn->user;
    if (!g->fast || !g->fast->as_c) return false;
    bool differences = active && !g->fast->tangent;
    return differences ? tape_c_differences(c, fn, name, active)
                       : g->fast->as_c(g->fast, c, name, active);
}

void flat_set_program(flat_function *g, const flat_program *program)
{
    g->program = program;
    if (!program) return;
    g->routine = (tape_function){.name = g->name,
                                 .n_in = g->n_args,
                                 .n_out = g->n_results,
                                 .value = program_routine,
                                 .value_far = program_routine_far,
                                 .partials = program_partials,
                                 .user = g,
                                 .impure = g->impure,
                                 .as_c = program_as_c};
}

/* A routine with a derivative annotation: itself, and the routine that the annotation names. */
typedef struct annotated {
    tape_function itself, derivative;
    const int *der_at; // of each argument: where the derivative takes that of it; -1: nowhere
} annotated;

static void annotated_value(void *user, void *run, const double *in, double *out)
{
    const annotated *x = user;
    x->itself.value(x->itself.user, run, in, out);
}

/* Central differences by argument j, which the annotation leaves out. */
static void difference_by(const annotated *x, void *run, double *in, int j, double *jac)
{
    double up[PROGRAM_SCALARS], down[PROGRAM_SCALARS], at = in[j];
    double h = cbrt(DBL_EPSILON) * fmax(1.0, fabs(at));
    in[j] = at + h;
    x->itself.value(x->itself.user, run, in, up);
    in[j] = at - h;
    x->itself.value(x->itself.user, run, in, down);
    in[j] = at;
    for (int i = 0; i < x->itself.n_out; i++)
        jac[i * x->itself.n_in + j] = (up[i] - down[i]) / (2 * h);
}

static void annotated_partials(void *user, void *run, const uint8_t *active, const double *in,
                               double *jac)
{
    const annotated *x = user;
    int n = x->itself.n_in;
    double list[2 * PROGRAM_SCALARS] = {0}, out[PROGRAM_SCALARS];
    memcpy(list, in, (size_t)n * sizeof *in);
    for (int j = 0; j < n; j++) {
        if (!active[j]) continue;
        if (x->der_at[j] < 0) {
            difference_by(x, run, list, j, jac);
            continue;
        }
        list[x->der_at[j]] = 1;
        x->derivative.value(x->derivative.user, run, list, out);
        list[x->der_at[j]] = 0;
        for (int i = 0; i < x->itself.n_out; i++) jac[i * n + j] = out[i];
    }
}

static bool annotated_as_c(const tape_function *fn, tape_c *c, const char *name,
                           const uint8_t *active)
{
    const annotated *x = fn->user;
    int n = x->itself.n_in, m = x->itself.n_out;
    c->known = NULL; // of the derivative the arguments are others
    const char *value = tape_c_name(c, &x->itself, NULL);
    const char *slope = active ? tape_c_name(c, &x->derivative, NULL) : "";
    if (!value || !slope) return false;
    tape_c_begin(c, name);
    if (!active) {
        text_printf(c->out, "    %s(run, in, out);\n}\n\n", value);
        return true;
    }
    text_printf(c->out,
                "    double list[%d] = {0}, up[%d], down[%d];\n"
                "    for (int j = 0; j < %d; j++) list[j] = in[j];\n",
                2 * PROGRAM_SCALARS, m + 1, m + 1, n);
    for (int j = 0; j < n; j++) {
        if (!active[j]) continue;
        if (x->der_at[j] < 0)
            text_printf(
                c->out,
                "    {\n        const double h = 6.055454452393343e-06 * fmax(1.0, "
                "fabs(in[%d]));\n        list[%d] = in[%d] + h;\n        %s(run, list, up);\n"
                "        list[%d] = in[%d] - h;\n        %s(run, list, down);\n"
                "        list[%d] = in[%d];\n        for (int i = 0; i < %d; i++) out[i * %d "
                "+ %d] = (up[i] - down[i]) / (2 * h);\n    }\n",
                j, j, j, value, j, j, value, j, j, m, n, j);
        else
            text_printf(c->out,
                        "    list[%d] = 1;\n    %s(run, list, up);\n    list[%d] = 0;\n"
                        "    for (int i = 0; i < %d; i++) out[i * %d + %d] = up[i];\n",
                        x->der_at[j], slope, x->der_at[j], m, n, j);
    }
    text_add(c->out, "    (void)down;\n}\n\n");
    return true;
}

void flat_use_derivative(flat_model *m, flat_function *g)
{
    if (!g->routine.value || g->constructs || g->derivative < 0 || g->order != 1) return;
    const flat_function *d = m->functions.at[g->derivative];
    if (!d->routine.value || d->n_args > 2 * PROGRAM_SCALARS || g->n_args > PROGRAM_SCALARS ||
        g->n_results > PROGRAM_SCALARS || d->n_results != g->n_results)
        return;
    annotated *x = arena_new(m->pool->a, annotated);
    *x = (annotated){g->routine, d->routine, g->der_at};
    g->routine.value = annotated_value;
    g->routine.value_far = NULL;
    g->routine.partials = annotated_partials;
    g->routine.as_c = annotated_as_c;
    g->routine.user = x;
}

bool flat_traced(const tape_function *f, const double *in, double *out, int output,
                 flat_call_cause *cause)
{
    if (f->value == annotated_value) f = &((const annotated *)f->user)->itself;
    if (f->value != program_routine) return false;
    const flat_function *g = f->user;
    flat_call_traced(g, in, out, output, cause);
    if (!cause->function) cause->function = g->name;
    return true;
}

const tape_function *flat_routine(const flat_model *m, int function)
{
    const flat_function *g = m->functions.at[function];
    return g->routine.value ? &g->routine : NULL;
}

/* ---- what the pool asks ---------------------------------------------------------------------- */

static expr decode(const flat_function *g, int code)
{
    return code >= 0 ? g->work[code] : ~code;
}

static void kept_write_out(expr_pool *p, flat_function *g, const expr *args)
{
    arena *a = p->a;
    expr few[8];
    for (int i = 0; i < g->n_nodes; i++) {
        const expr_node node = *expr_at(p, g->nodes[i]);
        int n = g->first[i + 1] - g->first[i];
        if (node.op == EXPR_VAR) {
            g->work[i] = args[node.u.var.index - FLAT_FORMAL];
            continue;
        }
        expr *list = n <= 8 ? few : arena_array(a, expr, n);
        for (int k = 0; k < n; k++) list[k] = decode(g, g->args[g->first[i] + k]);
        g->work[i] = node.op == EXPR_CALL ? expr_call(p, node.u.call.function, node.u.call.output,
                                                      (expr_type)node.type, node.enum_id, list, n)
                                          : expr_make(p, (expr_op)node.op, list, n);
    }
    if (g->n_args) memcpy(g->last, args, sizeof *args * (size_t)g->n_args);
}

static expr kept_inline_call(void *user, int function, int output, const expr *args, int n)
{
    flat_model *m = user;
    flat_function *g = m->functions.at[function];
    if (g->why || g->busy || output >= g->n_results || n != g->n_args) return 0;
    if (g->n_args && g->n_nodes && (!g->work[0] || memcmp(g->last, args, sizeof *args * (size_t)n)))
        kept_write_out(m->pool, g, args);
    return decode(g, g->results[output]);
}

/* The arguments that a result depends on, going back through the body. */
static bool *kept_find_uses(const expr_pool *p, const flat_function *g, int output)
{
    bool *uses = arena_array(p->a, bool, g->n_args);
    arena_mark here = arena_here(p->a);
    bool *reached = arena_array(p->a, bool, g->n_nodes + 1);
    if (g->results[output] >= 0) reached[g->results[output]] = true;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const expr_node *node = expr_at(p, g->nodes[i]);
        if (!reached[i]) continue;
        if (node->op == EXPR_VAR) uses[node->u.var.index - FLAT_FORMAL] = true;
        for (int k = g->first[i]; k < g->first[i + 1]; k++)
            if (g->args[k] >= 0) reached[g->args[k]] = true;
    }
    arena_release(p->a, here);
    return uses;
}

static const bool *kept_call_uses(void *user, int function, int output, int n)
{
    flat_model *m = user;
    flat_function *g = m->functions.at[function];
    if (g->why || g->busy || output >= g->n_results || n != g->n_args || !n) return NULL;
    if (!g->uses) g->uses = arena_array(m->pool->a, bool *, g->n_results);
    if (!g->uses[output]) g->uses[output] = kept_find_uses(m->pool, g, output);
    return g->uses[output];
}

static expr kept_derivative(flat_model *m, const flat_function *g, int output, const expr *list)
{
    const flat_function *d = m->functions.at[g->derivative];
    if (d->is_inline) {
        expr e = kept_inline_call(m, g->derivative, output, list, d->n_args);
        if (e) return e;
    }
    return expr_call(m->pool, g->derivative, output, TYPE_REAL, 0, list, d->n_args);
}

static const bool *kept_total_needs(void *user, int function, int n)
{
    const flat_model *m = user;
    const flat_function *g = m->functions.at[function];
    return g->derivative >= 0 && n == g->n_args ? g->total_needs : NULL;
}

static expr kept_total_call(void *user, int function, int output, const expr *args, const expr *d,
                            int n)
{
    flat_model *m = user;
    const flat_function *g = m->functions.at[function];
    int n_list = m->functions.at[g->derivative]->n_args;
    expr few[16], *list = n_list <= 16 ? few : arena_array(m->pool->a, expr, n_list);
    for (int k = 0; k < n_list; k++) list[k] = k < n ? args[k] : m->pool->zero;
    for (int k = 0; k < n; k++) {
        if (g->total_is[k] >= 0 && d[k] != args[g->total_is[k]]) return 0;
        if (g->der_at[k] >= 0) list[g->der_at[k]] = d[k];
        else if (g->total_needs[k] && g->total_is[k] < 0 && d[k] != m->pool->zero) return 0;
    }
    return kept_derivative(m, g, output, list);
}

static expr kept_partial_call(void *user, int function, int output, const expr *args, int n, int k)
{
    flat_model *m = user;
    const flat_function *g = m->functions.at[function];
    if (g->derivative < 0 || n != g->n_args || g->der_at[k] < 0 || g->order > 1) return 0;
    if (g->total_needs && !g->why) return 0; // the body tells it, and for all arguments
    int n_list = m->functions.at[g->derivative]->n_args;
    expr_pool *p = m->pool;
    expr few[16], *list = n_list <= 16 ? few : arena_array(p->a, expr, n_list);
    for (int i = 0; i < n_list; i++) list[i] = i < n ? args[i] : p->zero;
    list[g->der_at[k]] = p->one;
    return kept_derivative(m, g, output, list);
}

const char *flat_call_text(const flat_model *m, int function, int output, int k)
{
    const flat_function *g = m->functions.at[function];
    if (!g->text) return NULL;
    if (g->constructs) output = 0;
    if (!g->n_args && !k) return g->text->first[output];
    if (k == g->n_args) return g->text->last[output];
    return k ? g->text->between[k] : g->text->first[output];
}

static const char *kept_name(void *user, int function)
{
    const flat_model *m = user;
    return m->functions.at[function]->name;
}

static const char *kept_call_text(void *user, int function, int output, int k)
{
    return flat_call_text(user, function, output, k);
}

static bool kept_call_value(void *user, int function, int output, const double *args, int n,
                            double *result)
{
    const flat_model *m = user;
    double room[PROGRAM_SCALARS], *out = room, *memo = m->functions.at[function]->memo;
    const tape_function *f = flat_routine(m, function);
    if (!f || n != f->n_in || f->n_out > PROGRAM_SCALARS || output >= f->n_out) return false;
    if (memo) out = memo + 1 + n;
    if (!memo || memo[0] == 0 || memcmp(memo + 1, args, sizeof *args * (size_t)n)) {
        f->value(f->user, NULL, args, out);
        if (memo) memo[0] = 1, memcpy(memo + 1, args, sizeof *args * (size_t)n);
    }
    *result = out[output];
    return *result == *result;
}

void flat_attach_functions(flat_model *m)
{
    m->pool->context.inline_call = kept_inline_call;
    m->pool->context.call_uses = kept_call_uses;
    m->pool->context.partial_call = kept_partial_call;
    m->pool->context.total_needs = kept_total_needs;
    m->pool->context.total_call = kept_total_call;
    m->pool->context.call_text = kept_call_text;
    m->pool->context.call_value = kept_call_value;
    if (!m->pool->context.function_name) m->pool->context.function_name = kept_name;
}
