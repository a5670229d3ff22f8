/* Features of functions of time.
 *
 * An error estimate sees a step only at the few times of its stages: a pulse between two of them, or
 * a source that swings ten times within the step, does not exist for it. What depends on time alone
 * can be known beforehand. The tapes of equations and relations are followed once with polynomials
 * in t of degree 2 in place of numbers, parameters having their values. Where such a polynomial is
 * the argument of sin or cos it is a wave, whose period at t is known; where it is the argument of
 * another function, that does something around its zero, or its vertex, over a width given by its
 * slope, or its curvature: exp(-((t - a)/b)^2) around a over b. A wave times exp(-t/a) has faded after
 * a while, and asks for nothing then. What changes at events only counts as a number; where it has changed, features are looked for again. Kinks: kink.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/forcing.h"

#include "base/bump.h"
#include "run/event.h"
#include "run/run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
/*  bound                             quantity                                            source */
static const double
    PART_OF_PERIOD       = 0.3,    // longest step over the period                        sampling: more than twice, at no fixed phase
    PART_FOR_SIGNS       = 0.25,   // ... where events are looked for inside steps        choice: a step is seen at 16 times
    WIDTHS_AROUND        = 6,      // a pulse is heeded so far from its middle            exp(-36) = DBL_EPSILON
    FADED                = -36,    // an exponent: nothing is left                        DBL_EPSILON
    WIDTH_OF_TIME_MIN    = 1e-12;  // width over |t0|: below, it is a kink                choice: some resolutions of time
// clang-format on

/* c[0] + c[1] t + c[2] t^2, or not known. Of what is not known: a number times the exponential of that,
 * or a number times the wave with this number, from 1. */
typedef struct forcing_course {
    bool known, of_events;
    double c[3];
    bool exponential;
    int wave;
} course;

typedef struct forcing_search {
    run_state *s;
    const tape *t;
    const tape_access *access;
    int instance;
    course *value; // by instruction
} forcing_search;

static course course_of(const forcing_search *x, tape_ref r)
{
    int k = tape_index_of(r);
    tape_kind kind = tape_kind_of(r);
    if (kind == TAPE_X && x->access) {
        kind = x->access[k].array;
        k = tape_element(&x->access[k], x->instance);
    }
    switch (kind) {
    case TAPE_VALUE: return x->value[k];
    case TAPE_CONST: return (course){.known = true, .c = {x->t->consts[k]}};
    case TAPE_P: return (course){.known = true, .c = {x->s->p[k]}};
    case TAPE_T: return (course){.known = true, .c = {0, 1}};
    case TAPE_W:
        if (k >= x->s->model->n_w_common || !x->s->forcing.held[k]) return (course){0};
        return (course){.known = true, .of_events = true, .c = {x->s->w[k]}};
    default: return (course){0};
    }
}

static bool moves(const course *a)
{
    return a->known && (a->c[1] != 0 || a->c[2] != 0);
}

static course course_sum(const course *a, double factor, const course *b)
{
    course r = {.known = a->known && b->known, .of_events = a->of_events || b->of_events};
    for (int i = 0; i < 3; i++) r.c[i] = a->c[i] + factor * b->c[i];
    return r;
}

static course course_product(const course *a, const course *b)
{
    course r = {.known = a->known && b->known, .of_events = a->of_events || b->of_events};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double x = a->c[i] * b->c[j];
            if (i + j < 3) r.c[i + j] += x;
            else r.known = r.known && x == 0; // of a degree that is not followed
        }
    return r;
}

static void forcing_add(run_forcing *f, forcing_feature new)
{
    f->at[f->n++] = new;
}

static course add_wave(run_forcing *f, const course *a)
{
    f->of_events = f->of_events || a->of_events;
    if (!moves(a)) return (course){0};
    forcing_add(f,
                (forcing_feature){.wave = true, .c1 = a->c[1], .c2 = a->c[2], .until = INFINITY});
    return (course){.wave = f->n};
}

/* Does one instruction alone use the value? */
static bool used_once(const tape *t, tape_ref r)
{
    int n = 0;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref of[] = {in->a, in->b, in->c, in->d};
        for (int k = 0; in->op < TAPE_N_OPS && k < tape_op_operands((tape_op)in->op); k++)
            n += of[k] == r;
        n += in->op == TAPE_STORE && in->b == r;
    }
    for (int k = 0; k < t->n_args; k++) n += t->args[k] == r;
    return n == 1;
}

static bool is_number(const course *a)
{
    return a->known && !moves(a);
}

/* A product with a wave, which nothing else may use, or with an exponential. */
static course fading_product(const forcing_search *x, const tape_ins *in, const course *a,
                             const course *b)
{
    const course *wave = a->wave ? a : b->wave ? b : NULL, *other = wave == a ? b : a;
    if (!wave)
        return is_number(a) && b->exponential   ? *b
               : a->exponential && is_number(b) ? *a
                                                : (course){0};
    if (!used_once(x->t, wave == a ? in->a : in->b)) return (course){0};
    if (is_number(other)) return *wave;
    if (other->exponential && other->c[1] < 0 && other->c[2] == 0)
        x->s->forcing.at[wave->wave - 1].until = (FADED - other->c[0]) / other->c[1];
    return (course){0};
}

/* A function of a; of a quotient, its least size decides how wide it is. */
static void add_pulse(run_forcing *f, const course *a, bool quotient)
{
    forcing_feature new = {0};
    f->of_events = f->of_events || a->of_events;
    if (!moves(a)) return;
    if (a->c[2] != 0) {
        new.t0 = -a->c[1] / (2 * a->c[2]);
        double least = a->c[0] + 0.5 * a->c[1] * new.t0;
        new.width = quotient ? sqrt(fabs(least / a->c[2])) : 1 / sqrt(fabs(a->c[2]));
    } else {
        if (quotient) return; // a pole, of no width
        new.t0 = -a->c[0] / a->c[1];
        new.width = 1 / fabs(a->c[1]);
    }
    if (!isfinite(new.t0) || !isfinite(new.width)) return;
    if (new.width < WIDTH_OF_TIME_MIN * fabs(new.t0)) new.width = 0;
    forcing_add(f, new);
}

static course follow(forcing_search *x, const tape_ins *in)
{
    run_forcing *f = &x->s->forcing;
    int n = tape_op_operands((tape_op)in->op);
    course a = n > 0 ? course_of(x, in->a) : (course){0}, zero = {.known = true};
    course b = n > 1 ? course_of(x, in->b) : zero;
    if (a.known && b.known && !moves(&a) && !moves(&b)) {
        bool of_events = a.of_events || b.of_events;
        double v = tape_op_value((tape_op)in->op, a.c[0], b.c[0], 1, 0);
        if (n < 4) return (course){.known = isfinite(v), .of_events = of_events, .c = {v}};
        course chosen = course_of(x, v != 0 ? in->c : in->d);
        chosen.of_events = chosen.of_events || of_events;
        return chosen;
    }
    switch ((tape_op)in->op) {
    case TAPE_ADD: return course_sum(&a, 1, &b);
    case TAPE_SUB: return course_sum(&a, -1, &b);
    case TAPE_NEG: return a.known ? course_sum(&zero, -1, &a) : fading_product(x, in, &a, &zero);
    case TAPE_COPY: return a;
    case TAPE_MUL:
        return a.known && b.known ? course_product(&a, &b) : fading_product(x, in, &a, &b);
    case TAPE_DIV:
        if (moves(&b)) return add_pulse(f, &b, true), (course){0};
        b.c[0] = 1 / b.c[0];
        return course_product(&a, &b);
    case TAPE_SIN:
    case TAPE_COS: return add_wave(f, &a);
    case TAPE_EXP:
        add_pulse(f, &a, false);
        a.exponential = a.known;
        a.known = false;
        return a;
    case TAPE_SINH:
    case TAPE_COSH:
    case TAPE_TANH:
    case TAPE_ATAN: add_pulse(f, &a, false); break;
    case TAPE_POW:
        if (b.known && b.c[0] < 0) add_pulse(f, &a, true);
        break;
    default: break;
    }
    return (course){0};
}

static void follow_step(forcing_search *x, const tape_step *step)
{
    x->t = step->kernel;
    for (int k = 0; k < (step->kind == TAPE_STEP_MAP ? step->n : 1); k++) {
        x->access = step->kind == TAPE_STEP_MAP ? step->access : NULL;
        x->instance = k;
        for (int i = 0; i < x->t->n_ins; i++) {
            tape_op op = (tape_op)x->t->ins[i].op;
            x->value[i] = op < TAPE_N_OPS ? follow(x, &x->t->ins[i]) : (course){0};
        }
    }
}

bool forcing_of_time(const tape_step *step)
{
    return step->kind != TAPE_STEP_SUM && step->kernel && step->kernel->extent[TAPE_T];
}

static const tape_program *program_of(const run_state *s, int k)
{
    return k ? s->model->events.roots.program : s->model->system.residual.program;
}

size_t forcing_longest(const run_state *s)
{
    size_t most = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; program_of(s, k) && i < program_of(s, k)->n_steps; i++) {
            const tape_step *step = &program_of(s, k)->steps[i];
            if (forcing_of_time(step) && (size_t)step->kernel->n_ins > most)
                most = (size_t)step->kernel->n_ins;
        }
    return most;
}

static bool may_be_feature(uint32_t op)
{
    switch (op) {
    case TAPE_DIV:
    case TAPE_SIN:
    case TAPE_COS:
    case TAPE_EXP:
    case TAPE_SINH:
    case TAPE_COSH:
    case TAPE_TANH:
    case TAPE_ATAN:
    case TAPE_POW: return true;
    default: return false;
    }
}

/* Instructions that may give a feature, of all instances. */
static int count_features(const run_state *s)
{
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; program_of(s, k) && i < program_of(s, k)->n_steps; i++) {
            const tape_step *step = &program_of(s, k)->steps[i];
            if (!forcing_of_time(step)) continue;
            int own = 0;
            for (int j = 0; j < step->kernel->n_ins; j++)
                own += may_be_feature(step->kernel->ins[j].op);
            n += own * (step->kind == TAPE_STEP_MAP ? step->n : 1);
        }
    return n;
}

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_features(const void *a, const void *b)
{
    const forcing_feature *x = a, *y = b;
    const int d[] = {order_of(x->wave, y->wave),         order_of(x->c2, y->c2),
                     order_of(fabs(x->c1), fabs(y->c1)), order_of(x->t0, y->t0),
                     order_of(x->width, y->width),       order_of(x->until, y->until)};
    for (int k = 0; k < 6; k++)
        if (d[k]) return d[k];
    return 0;
}

/* Each once; of waves of constant period the shortest. */
static void merge_features(run_forcing *f)
{
    int n = 0;
    if (f->n) qsort(f->at, (size_t)f->n, sizeof *f->at, compare_features);
    for (int k = 0; k < f->n; k++) {
        const forcing_feature *x = &f->at[k], *next = k + 1 < f->n ? x + 1 : NULL;
        if (next && !compare_features(x, next)) continue;
        if (next && x->wave && x->c2 == 0 && next->c2 == 0 && x->until <= next->until) continue;
        f->at[n++] = *x;
    }
    f->n = n;
}

static void follow_all(run_state *s)
{
    run_forcing *f = &s->forcing;
    forcing_search x = {.s = s, .value = f->value};
    f->n = 0;
    f->of_events = false;
    if (s->model->n_w_common) memcpy(f->w, s->w, (size_t)s->model->n_w_common * sizeof *f->w);
    for (int k = 0; k < 2; k++)
        for (int i = 0; program_of(s, k) && i < program_of(s, k)->n_steps; i++)
            if (forcing_of_time(&program_of(s, k)->steps[i]))
                follow_step(&x, &program_of(s, k)->steps[i]);
    merge_features(f);
}

static size_t forcing_layout(run_forcing *f, size_t longest, size_t n_w, void *block)
{
    bump b = bump_begin(block);
    f->at = bump_bytes(&b, (size_t)f->room * sizeof *f->at);
    f->value = bump_bytes(&b, longest * sizeof *f->value);
    f->held = bump_bytes(&b, n_w * sizeof *f->held);
    f->w = bump_double(&b, n_w);
    return bump_end(&b);
}

/* What changes at events only: neither inputs nor delayed values. */
static void list_held(const run_state *s, bool *held)
{
    const image_events *x = &s->model->events.list;
    const code_inputs *inputs = &s->model->inputs;
    for (int k = 0; k < s->model->n_w_common; k++) held[k] = true;
    for (int k = 0; k < inputs->n; k++)
        held[inputs->list[k].place] = held[inputs->list[k].place + 1] = false;
    for (int k = 0; k < x->n_delays; k++)
        held[x->delays[k].place] = held[x->delays[k].place + 1] = false;
}

int forcing_find(run_state *s)
{
    run_forcing *f = &s->forcing;
    size_t longest = forcing_longest(s);
    forcing_free(s);
    f->room = longest ? count_features(s) : 0;
    f->block_bytes = forcing_layout(f, longest, (size_t)s->model->n_w_common, NULL);
    f->block = mem_try(s->m, f->block_bytes);
    if (!f->block) {
        *f = (run_forcing){0};
        return VINC_E_MEMORY;
    }
    forcing_layout(f, longest, (size_t)s->model->n_w_common, f->block);
    list_held(s, f->held);
    if (longest) follow_all(s);
    int rc = kink_find(s, f->held);
    s->problem.forcing_limit = f->n || f->of_events || s->kinks.n ? forcing_limit : NULL;
    return rc ? rc : kink_find_corners(s, f->held);
}

void forcing_free(run_state *s)
{
    mem_free(s->m, s->forcing.block, s->forcing.block_bytes);
    s->forcing = (run_forcing){0};
}

/* An event has changed something that they may depend on: begin again. */
static void follow_events(run_state *s)
{
    run_forcing *f = &s->forcing;
    bool same = true;
    kink_look_again(&s->kinks);
    if (!f->of_events) return;
    for (int k = 0; same && k < s->model->n_w_common; k++) same = !f->held[k] || s->w[k] == f->w[k];
    if (!same) follow_all(s);
}

double forcing_limit(void *user, double t, double to)
{
    run_state *s = user;
    const double TURN = 2 * acos(-1);
    follow_events(s);
    double limit = INFINITY, part = s->problem.n_roots ? PART_FOR_SIGNS : PART_OF_PERIOD;
    for (int k = 0; k < s->forcing.n; k++) {
        const forcing_feature *f = &s->forcing.at[k];
        double from = f->t0 - WIDTHS_AROUND * f->width, until = f->t0 + WIDTHS_AROUND * f->width;
        double pace = part * TURN / fabs(f->c1 + 2 * f->c2 * t);
        if (f->wave) limit = t < f->until ? fmin(limit, t + pace) : limit;
        else if (t < from - event_ulp(t)) limit = fmin(limit, from);
        else if (t < until) limit = fmin(limit, t + f->width);
    }
    return s->kinks.n ? fmin(limit, kink_next(&s->kinks, t, fmin(to, limit))) : limit;
}
