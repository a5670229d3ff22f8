/* Kinks of functions of time.
 *
 * max(0, 1 - abs(time - a)/b) has corners, and no formula of higher order passes one with its order:
 * a step must end there. Arguments of min, max and abs that depend on time alone (and on parameters,
 * and on what changes at events only) are copied from the tapes into one list of instructions. Along
 * the step to come it is evaluated at a few times; a change of sign is narrowed down, and where the
 * values have an extremum towards zero, that is looked for, too. The first kink found is a new end of
 * the stretch, which is searched again: a corner inside, as of abs in the example, is where the
 * function around it is largest.
 *
 * Those of functions of differential unknowns are collected in the same way, for whoever makes steps (method/corner.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/kink.h"

#include "base/bump.h"
#include "problem/problem.h"
#include "run/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// clang-format off
/*  bound                           quantity                                         source */
static const double
    NEXT_TO_END        = 1e-3,   // first and last sample, in parts of the stretch   choice: an extremum there is seen
    MARGIN             = 32,     // resolutions of time: the same kink               rounding of an argument of a few terms
    FROM_KINK_TO_KINK = 0.3,       // first step after one, of the way to the next    choice: not symmetric
    EXTREMUM_NARROW    = 1e-7,   // of its first bracket                             sqrt(DBL_EPSILON)
    GOLDEN             = 0.381966011250105;
// clang-format on
enum { SAMPLES = 16 };      // between the ends of a stretch, at most a third of a period of a wave
enum { EXTREMUM_MAX = 60 }; // evaluations for one extremum
enum {
    SEARCHES_MAX = 64
}; // of shorter and shorter stretches: as deep as functions are nested, and flicker halved
enum { PLACES_COMPARED = 100 }; // to find those that are there already
enum { FLICKER_SAMPLES = 7 };   // between two changes of a sign
enum {
    CORNERS_MAX = 100
}; // of functions of states: with hundreds (twobit) one is always near, and ends gain nothing

/* ---- collecting ------------------------------------------------------------------------------ */

enum { OF_TIME = 1, MOVES = 2, NEEDED = 4 };

typedef struct kink_search {
    run_state *s;
    run_kinks *x;
    const bool *held;
    bool of_states; // kinks of functions of the unknowns
    const tape *t;
    const tape_access *access;
    int instance;
    uint8_t *is; // by instruction: OF_TIME ...
    int *new;    // by instruction: its place in the list
} kink_search;

/* Which element of which array, in a map that of this instance. */
static tape_kind element_of(const kink_search *x, tape_ref r, int *k)
{
    tape_kind kind = tape_kind_of(r);
    *k = tape_index_of(r);
    if (kind != TAPE_X || !x->access) return kind;
    const tape_access *a = &x->access[*k];
    *k = tape_element(a, x->instance);
    return a->array;
}

static int nature_of(const kink_search *x, tape_ref r)
{
    int k;
    switch (element_of(x, r, &k)) {
    case TAPE_VALUE: return x->is[k] & (OF_TIME | MOVES);
    case TAPE_CONST:
    case TAPE_P: return OF_TIME;
    case TAPE_T: return x->of_states ? OF_TIME : OF_TIME | MOVES;
    case TAPE_Y:
        return x->of_states && problem_differential(&x->s->problem, k) ? OF_TIME | MOVES : 0;
    case TAPE_W: return k < x->s->model->n_w_common && x->held[k] ? OF_TIME : 0;
    default: return 0;
    }
}

static const double *operand_of(const kink_search *x, tape_ref r)
{
    int k;
    switch (element_of(x, r, &k)) {
    case TAPE_VALUE: return &x->x->value[x->new[k]];
    case TAPE_CONST: return &x->t->consts[k];
    case TAPE_P: return &x->s->p[k];
    case TAPE_T: return &x->x->t;
    case TAPE_Y: return &x->x->y[k];
    default: return &x->s->w[k];
    }
}

static tape_ref operand(const tape_ins *in, int k)
{
    return k == 0 ? in->a : k == 1 ? in->b : k == 2 ? in->c : in->d;
}

static int nature_of_all(const kink_search *x, const tape_ref *r, int n)
{
    int all = OF_TIME, any = 0;
    for (int k = 0; k < n; k++) {
        int is = nature_of(x, r[k]);
        all &= is;
        any |= is;
    }
    return all ? all | (any & MOVES) : 0;
}

static int nature_of_ins(const kink_search *x, int i)
{
    const tape_ins *in = &x->t->ins[i];
    if (in->op < TAPE_N_OPS) {
        const tape_ref r[] = {in->a, in->b, in->c, in->d};
        return nature_of_all(x, r, tape_op_operands((tape_op)in->op));
    }
    if (in->op == TAPE_CALL) {
        const tape_call *c = &x->t->calls[in->a];
        return c->fn->impure ? 0 : nature_of_all(x, &x->t->args[c->args], c->fn->n_in);
    }
    return in->op == TAPE_RESULT ? x->is[i - 1] : 0; // a call is before its first result
}

/* How many operands of an instruction have a kink where they cross; 1: where it meets zero, or for a
 * rounding where it jumps. */
static int kink_operands(const kink_search *x, const tape_ins *in)
{
    int n = 0;
    switch ((tape_op)in->op) {
    case TAPE_ABS:
    case TAPE_FLOOR:
    case TAPE_CEIL:
    case TAPE_TRUNC: n = in->op == TAPE_ABS || !x->of_states; break;
    case TAPE_MIN:
    case TAPE_MAX:
    case TAPE_SEL_LT:
    case TAPE_SEL_LE: n = 2; break;
    default: return 0;
    }
    const tape_ref r[] = {in->a, in->b};
    return nature_of_all(x, r, n) & MOVES ? n : 0;
}

static void need(kink_search *x, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE) x->is[tape_index_of(r)] |= NEEDED;
}

/* Instructions that kinks depend on, from the last to the first. */
static void mark_needed(kink_search *x)
{
    for (int i = x->t->n_ins - 1; i >= 0; i--) {
        const tape_ins *in = &x->t->ins[i];
        int n = kink_operands(x, in);
        if (x->is[i] & NEEDED) {
            if (in->op < TAPE_N_OPS) n = tape_op_operands((tape_op)in->op);
            if (in->op == TAPE_RESULT) x->is[i - 1] |= NEEDED;
            if (in->op == TAPE_CALL) {
                const tape_call *c = &x->t->calls[in->a];
                for (int k = 0; k < c->fn->n_in; k++) need(x, x->t->args[c->args + k]);
                for (int k = 1; k <= c->fn->n_out; k++) x->is[i + k] |= NEEDED;
            }
        }
        for (int k = 0; k < n; k++) need(x, operand(in, k));
        if (n && (in->op == TAPE_FLOOR || in->op == TAPE_CEIL || in->op == TAPE_TRUNC))
            x->is[i] |= NEEDED;
    }
}

static void copy_ins(kink_search *x, int i)
{
    run_kinks *l = x->x;
    const tape_ins *in = &x->t->ins[i];
    x->new[i] = l->n_ins++;
    const tape_call *c = in->op == TAPE_CALL ? &x->t->calls[in->a] : NULL;
    if (c && c->fn->n_in > l->most_in) l->most_in = c->fn->n_in;
    if (c && c->fn->n_out > l->most_out) l->most_out = c->fn->n_out;
    if (!l->block) {
        if (c) l->n_args += c->fn->n_in;
        return;
    }
    kink_ins *new = &l->ins[x->new[i]];
    *new = (kink_ins){.op = in->op, .fn = c ? c->fn : NULL, .arg = l->n_args};
    for (int k = 0; c && k < c->fn->n_in; k++)
        l->args[l->n_args++] = operand_of(x, x->t->args[c->args + k]);
    int n = in->op < TAPE_N_OPS ? tape_op_operands((tape_op)in->op) : 0;
    const double **to[] = {&new->a, &new->b, &new->c, &new->d};
    for (int k = 0; k < n; k++) *to[k] = operand_of(x, operand(in, k));
}

static void copy_kink(kink_search *x, int i)
{
    static const double zero;
    run_kinks *l = x->x;
    const tape_ins *in = &x->t->ins[i];
    int n = kink_operands(x, in), k = l->n;
    if (!n) return;
    l->n++;
    if (!l->block) return;
    kink_place *to = &l->at[k];
    if (n == 2) *to = (kink_place){operand_of(x, in->a), operand_of(x, in->b)};
    else if (in->op == TAPE_ABS) *to = (kink_place){operand_of(x, in->a), &zero};
    else *to = (kink_place){&l->value[x->new[i]], NULL};
    for (int j = 0; j < k && j < PLACES_COMPARED; j++) // several values may turn on one condition
        if (l->at[j].a == to->a && l->at[j].b == to->b) l->n = k;
}

/* Has any instruction a kink at all? Most maps of large models have none. */
static bool may_have_kinks(const tape *t)
{
    for (int i = 0; i < t->n_ins; i++) switch ((tape_op)t->ins[i].op) {
        case TAPE_ABS:
        case TAPE_FLOOR:
        case TAPE_CEIL:
        case TAPE_TRUNC:
        case TAPE_MIN:
        case TAPE_MAX:
        case TAPE_SEL_LT:
        case TAPE_SEL_LE: return true;
        default: break;
        }
    return false;
}

static bool too_many_corners(const kink_search *x)
{
    return x->of_states && x->x->n > CORNERS_MAX;
}

static void collect(kink_search *x)
{
    const tape_program *programs[] = {x->s->model->system.residual.program,
                                      x->s->model->events.roots.program};
    for (int j = 0; j < (x->of_states ? 1 : 2); j++)
        for (int l = 0; programs[j] && l < programs[j]->n_steps; l++) {
            const tape_step *step = &programs[j]->steps[l];
            if (x->of_states ? step->kind == TAPE_STEP_SUM : !forcing_of_time(step)) continue;
            if (!may_have_kinks(step->kernel)) continue;
            x->t = step->kernel;
            x->access = step->kind == TAPE_STEP_MAP ? step->access : NULL;
            for (int k = 0; k < (x->access ? step->n : 1) && !too_many_corners(x); k++) {
                x->instance = k;
                for (int i = 0; i < x->t->n_ins; i++) x->is[i] = (uint8_t)nature_of_ins(x, i);
                mark_needed(x);
                for (int i = 0; i < x->t->n_ins; i++) {
                    if (x->is[i] & NEEDED) copy_ins(x, i);
                    copy_kink(x, i);
                }
            }
        }
}

static size_t kink_layout(run_kinks *x, void *block)
{
    bump b = bump_begin(block);
    x->at = bump_bytes(&b, (size_t)x->n * sizeof *x->at);
    x->ins = bump_bytes(&b, (size_t)x->n_ins * sizeof *x->ins);
    x->args = bump_bytes(&b, (size_t)x->n_args * sizeof *x->args);
    x->value = bump_double(&b, (size_t)x->n_ins);
    x->y = bump_double(&b, (size_t)x->n_y);
    x->rounding = bump_double(&b, (size_t)x->n_ins);
    x->in = bump_double(&b, (size_t)x->most_in);
    x->out = bump_double(&b, (size_t)x->most_out);
    x->g = bump_double(&b, (size_t)x->n * 4);
    size_t operands = 4 * (size_t)x->n_ins + (size_t)x->n_args + 2 * (size_t)x->n;
    x->read = bump_bytes(&b, operands * sizeof *x->read);
    x->read_value = bump_double(&b, operands);
    return bump_end(&b);
}

static void note_read(const run_state *s, run_kinks *x, const double *at)
{
    if (at >= s->w && at < s->w + s->model->n_w_common) x->read[x->n_read++] = at;
}

static void list_read(const run_state *s, run_kinks *x)
{
    x->n_read = 0;
    for (int i = 0; i < x->n_ins; i++) {
        note_read(s, x, x->ins[i].a);
        note_read(s, x, x->ins[i].b);
        note_read(s, x, x->ins[i].c);
        note_read(s, x, x->ins[i].d);
    }
    for (int k = 0; k < x->n_args; k++) note_read(s, x, x->args[k]);
    for (int k = 0; k < x->n; k++) {
        note_read(s, x, x->at[k].a);
        note_read(s, x, x->at[k].b);
    }
}

/* What has been searched. */
static void kink_forget(run_kinks *x)
{
    x->from = INFINITY;
    x->to = -INFINITY;
    x->next = INFINITY;
    x->last = -INFINITY;
}

/* Steps between two kinks are as short as these are near. Of a higher index that does harm: what an
 * iteration leaves of a constraint is divided by the step in velocities, and stays there. */
static bool bears_short_steps(const run_state *s)
{
    const int8_t *level = s->model->system.unknown_level;
    for (int i = 0; level && i < s->model->n; i++)
        if (level[i] > 0) return false;
    return true;
}

void kink_free(run_state *s)
{
    mem_free(s->m, s->kinks.block, s->kinks.block_bytes);
    mem_free(s->m, s->corners.block, s->corners.block_bytes);
    s->kinks = s->corners = (run_kinks){0};
}

/* ---- searching ------------------------------------------------------------------------------- */

static void kink_call(run_kinks *x, int i)
{
    const kink_ins *in = &x->ins[i];
    for (int k = 0; k < in->fn->n_in; k++) x->in[k] = *x->args[in->arg + k];
    in->fn->value(in->fn->user, x->run, x->in, &x->value[i + 1]);
}

/* Hundreds of times in a run: without a call for each operation, nor a look for operands that it has not. */
#define A (*in->a)
#define B (*in->b)
#define C (*in->c)
#define D (*in->d)
static void evaluate(run_kinks *x, double t)
{
    x->t = t;
    for (int i = 0; i < x->n_ins; i++) {
        const kink_ins *in = &x->ins[i];
        switch (in->op) {
#define OP(name, operands, mnemonic, flags, of)                                                    \
    case TAPE_##name: x->value[i] = of; break;
            TAPE_OPS(OP)
#undef OP
        case TAPE_CALL: kink_call(x, i); break;
        default: break;
        }
    }
}
#undef A
#undef B
#undef C
#undef D

/* To first order, how far rounding may have moved a value that was computed for the present time. */
static double rounding_of(const run_kinks *x, const double *value)
{
    if (value == &x->t) return DBL_EPSILON * fabs(x->t);
    bool computed = value >= x->value && value < x->value + x->n_ins;
    return computed ? x->rounding[value - x->value] : 0;
}

static void round_call(run_kinks *x, int i)
{
    const kink_ins *in = &x->ins[i];
    const double *value = &x->value[i + 1];
    double *rounding = &x->rounding[i + 1];
    for (int j = 0; j < in->fn->n_out; j++) rounding[j] = DBL_EPSILON * fabs(value[j]);
    for (int k = 0; k < in->fn->n_in; k++) x->in[k] = *x->args[in->arg + k];
    for (int k = 0; k < in->fn->n_in; k++) {
        double kept = x->in[k];
        x->in[k] += rounding_of(x, x->args[in->arg + k]);
        if (x->in[k] == kept) continue;
        in->fn->value(in->fn->user, x->run, x->in, x->out);
        for (int j = 0; j < in->fn->n_out; j++) rounding[j] += fabs(x->out[j] - value[j]);
        x->in[k] = kept;
    }
}

static void round_ins(run_kinks *x, int i)
{
    const kink_ins *in = &x->ins[i];
    const double *from[] = {in->a, in->b, in->c, in->d};
    double v[4] = {0};
    for (int k = 0; k < 4; k++) v[k] = from[k] ? *from[k] : 0;
    x->rounding[i] = DBL_EPSILON * fabs(x->value[i]);
    for (int k = 0; k < 4; k++) {
        double by = from[k] ? rounding_of(x, from[k]) : 0, kept = v[k];
        if (by == 0) continue;
        v[k] += by;
        double moved = tape_op_value((tape_op)in->op, v[0], v[1], v[2], v[3]);
        x->rounding[i] += fabs(moved - x->value[i]);
        v[k] = kept;
    }
}

/* Is the difference that changes its sign at kink k nothing but rounding at this time? */
static bool is_rounding(run_kinks *x, int k, double t)
{
    const kink_place *p = &x->at[k];
    evaluate(x, t);
    for (int i = 0; i < x->n_ins; i++) {
        if (x->ins[i].op == TAPE_CALL) round_call(x, i);
        else if (x->ins[i].op < TAPE_N_OPS) round_ins(x, i);
    }
    return fabs(*p->a - *p->b) <= rounding_of(x, p->a) + rounding_of(x, p->b);
}

/* Where two terms that are nearly equal are subtracted, the sign of what is left flickers: all of that
 * is the kink at t, if nothing on the way from there is more than rounding. */
static bool flickers(run_kinks *x, int k, double t, double until)
{
    if (!x->at[k].b) return false;
    for (int j = 1; j <= FLICKER_SAMPLES; j++)
        if (!is_rounding(x, k, t + j * (until - t) / FLICKER_SAMPLES)) return false;
    return true;
}

/* What changes its sign at kink k; base: the value of a rounding where the stretch begins. */
static double sign_of(const run_kinks *x, int k, double base)
{
    const kink_place *p = &x->at[k];
    return p->b ? *p->a - *p->b : *p->a == base ? 1 : -1;
}

typedef struct kink_bracket {
    run_kinks *x;
    int k;
    double base;
} kink_bracket;

static double look(const kink_bracket *b, double t)
{
    evaluate(b->x, t);
    return sign_of(b->x, b->k, b->base);
}

/* The last time before the sign changes between t0 and t1. Arguments are mostly straight lines, or nearly so: a secant
 * meets the zero, and a time a few roundings to its other side is the other end. In every third look, and where there is no
 * slope, the bracket is halved. */
static double narrow(const kink_bracket *b, double t0, double t1)
{
    const double
        ASIDE = 2,
        FURTHER = 16; // roundings of time to the other side, and how much further each time: choice
    double g0 = look(b, t0), g1 = look(b, t1),
           aside = ASIDE * DBL_EPSILON * fmax(fabs(t0), fabs(t1));
    bool positive = g0 > 0, met = false;
    for (int i = 0;; i++) {
        double t = 0.5 * (t0 + t1), between = t0 - g0 * ((t1 - t0) / (g1 - g0));
        if (!(t > t0 && t < t1)) return t0;
        if (i % 3 < 2 && b->x->at[b->k].b && between == between) {
            t = met ? between + (between - t0 < t1 - between ? aside : -aside) : between;
            if (met) aside *= FURTHER;
            met = true;
            if (!(t > t0 && t < t1)) t = 0.5 * (t0 + t1);
        }
        double g = look(b, t);
        if ((g > 0) == positive) t0 = t, g0 = g;
        else t1 = t, g1 = g;
    }
}

/* Values at three times, all of one sign, the middle one the least: a time between them at which the
 * sign is another, by parabolas and golden sections (Brent 1973, chapter 5, with simpler rules). */
static bool dips(const kink_bracket *b, const double at[3], const double g[3], double *where)
{
    double sign = g[1] > 0 ? 1 : -1, t0 = at[0], t1 = at[1], t2 = at[2];
    double g0 = sign * g[0], g1 = sign * g[1], g2 = sign * g[2], narrow_enough;
    narrow_enough = EXTREMUM_NARROW * (t2 - t0);
    for (int i = 0; i < EXTREMUM_MAX && t2 - t0 > narrow_enough; i++) {
        double p = (t1 - t0) * (t1 - t0) * (g1 - g2) - (t1 - t2) * (t1 - t2) * (g1 - g0);
        double q = (t1 - t0) * (g1 - g2) - (t1 - t2) * (g1 - g0);
        double t = t1 - 0.5 * p / q, least = 0.1 * narrow_enough;
        bool golden = i % 3 == 2 || !(t > t0 && t < t2);
        if (golden) t = t2 - t1 > t1 - t0 ? t1 + GOLDEN * (t2 - t1) : t1 - GOLDEN * (t1 - t0);
        if (fabs(t - t1) < least) t = t2 - t1 > t1 - t0 ? t1 + least : t1 - least;
        double now = sign * look(b, t);
        if (now < 0) return *where = t, true;
        if (!(now == now)) return false;
        bool better = now<g1, right = t> t1;
        if (better && right) t0 = t1, g0 = g1, t1 = t, g1 = now;
        else if (better) t2 = t1, g2 = g1, t1 = t, g1 = now;
        else if (right) t2 = t, g2 = now;
        else t0 = t, g0 = now;
    }
    return false;
}

/* Of kink k, with its values at the last three of the times; +inf: no change of sign there. */
static double change_within(const kink_bracket *b, const double at[3], const double g[3], int n)
{
    double dip;
    if ((g[1] > 0) != (g[2] > 0)) return narrow(b, at[1], at[2]);
    bool least = n == 3 && b->x->at[b->k].b && (g[0] > 0) == (g[1] > 0) &&
                 fabs(g[1]) <= fabs(g[0]) && fabs(g[1]) < fabs(g[2]);
    return least && dips(b, at, g, &dip) ? narrow(b, at[0], dip) : INFINITY;
}

/* The first change of sign that samples of the stretch show, of kink *which; +inf. */
static double first_change(run_kinks *x, double from, double to, int *which)
{
    double *g[] = {x->g, x->g + x->n, x->g + 2 * x->n}, *base = x->g + 3 * x->n;
    double at[3] = {from, from, from}, first = INFINITY;
    for (int j = 0; j <= SAMPLES + 2 && !isfinite(first); j++) {
        double part = j == 0             ? 0
                      : j == 1           ? NEXT_TO_END
                      : j == SAMPLES + 1 ? 1 - NEXT_TO_END
                      : j == SAMPLES + 2 ? 1
                                         : (j - 1) / (double)SAMPLES;
        double *oldest = g[0];
        at[0] = at[1], at[1] = at[2], at[2] = part < 1 ? from + part * (to - from) : to;
        g[0] = g[1], g[1] = g[2], g[2] = oldest;
        evaluate(x, at[2]);
        for (int k = 0; k < x->n; k++) {
            if (j == 0) base[k] = *x->at[k].a;
            g[2][k] = sign_of(x, k, base[k]);
        }
        for (int k = 0; j && k < x->n; k++) {
            const double of_k[] = {g[0][k], g[1][k], g[2][k]};
            kink_bracket b = {x, k, base[k]};
            double change = change_within(&b, at, of_k, j > 1 ? 3 : 2);
            if (change < first) first = change, *which = k;
        }
    }
    return first;
}

void kink_look_again(run_kinks *x)
{
    bool same = true;
    for (int k = 0; k < x->n_read; k++) {
        same = same && *x->read[k] == x->read_value[k];
        x->read_value[k] = *x->read[k];
    }
    if (!same) kink_forget(x);
}

/* A step from kink to kink may see the function at both of them only, where it may be zero. */
static double on_the_way(const run_kinks *x, double t, double margin)
{
    return t - x->last <= margin ? t + FROM_KINK_TO_KINK * (x->next - t) : x->next;
}

double kink_next(run_kinks *x, double t, double to)
{
    double margin = MARGIN * DBL_EPSILON * fmax(fabs(t), fabs(to)), begin = x->to;
    if (!x->n) return INFINITY;
    if (t < x->from || t > x->to || t >= x->next - margin) {
        if (fabs(t - x->next) <= margin) x->last = t;
        x->from = t;
        begin = t + margin;
        x->next = INFINITY;
    }
    if (isfinite(x->next)) return on_the_way(x, t, margin);
    if (!isfinite(to) || to <= begin) return INFINITY;
    double end = to;
    for (int i = 0; i < SEARCHES_MAX; i++) {
        int k = 0;
        double first = first_change(x, begin, end, &k);
        if (!(first < end - margin)) break;
        if (first < t + margin) begin = t + 2 * margin; // still the one at t
        else if (flickers(x, k, t, first)) begin = first + margin;
        else x->next = end = first;
    }
    x->to = end;
    return isfinite(x->next) ? on_the_way(x, t, margin) : INFINITY;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The kinks of a search into its list; `most`: instructions of the longest tape. */
static int kink_list(kink_search *find, size_t most)
{
    run_state *s = find->s;
    run_kinks *x = find->x;
    size_t bytes = most * (sizeof(int) + 1);
    int *room = mem_try(s->m, bytes);
    if (!room) return VINC_E_MEMORY;
    find->new = room;
    find->is = (uint8_t *)(room + most);
    collect(find);
    if (too_many_corners(find)) x->n = 0;
    if (x->n) {
        x->n_y = find->of_states ? s->model->n : 0;
        x->block_bytes = kink_layout(x, NULL);
        x->block = mem_try(s->m, x->block_bytes);
        if (x->block) {
            kink_layout(x, x->block);
            x->n = x->n_ins = x->n_args = 0;
            collect(find);
            list_read(s, x);
        }
    }
    mem_free(s->m, room, bytes);
    if (x->n && !x->block) {
        *x = (run_kinks){0};
        return VINC_E_MEMORY;
    }
    x->run = run_routines(s);
    kink_forget(x);
    return VINC_OK;
}

int kink_find(run_state *s, const bool *held)
{
    size_t most = forcing_longest(s);
    kink_free(s);
    if (!most || !bears_short_steps(s)) return VINC_OK;
    return kink_list(&(kink_search){.s = s, .x = &s->kinks, .held = held}, most);
}

int kink_find_corners(run_state *s, const bool *held)
{
    const tape_program *program = s->model->system.residual.program;
    size_t most = 0;
    for (int l = 0; program && l < program->n_steps; l++) {
        const tape *kernel = program->steps[l].kernel;
        if (kernel && (size_t)kernel->n_ins > most) most = (size_t)kernel->n_ins;
    }
    s->problem.n_corners = 0;
    if (!most || !bears_short_steps(s)) return VINC_OK;
    kink_search find = {.s = s, .x = &s->corners, .held = held, .of_states = true};
    int rc = kink_list(&find, most);
    s->problem.n_corners = s->corners.n;
    return rc;
}

int kink_corners(void *user, double t, const double *y, double *g)
{
    run_state *s = user;
    run_kinks *x = &s->corners;
    if (x->n_y) memcpy(x->y, y, (size_t)x->n_y * sizeof *y);
    evaluate(x, t);
    for (int k = 0; k < x->n; k++) g[k] = sign_of(x, k, 0);
    return problem_finite(g, x->n) ? 0 : 1;
}
