/* Features of functions of time.
 *
 * An error estimate sees a step only at the few times of its stages: a pulse between two of them, or
 * a source that swings ten times within the step, does not exist for it. What depends on time alone
 * can be known beforehand. The tapes of equations and relations are followed once with polynomials
 * in t of degree 2 in place of numbers, parameters having their values. Where such a polynomial is
 * the argument of sin or cos it is a wave, whose period at t is known; where it is the argument of
 * another function, that does something around its zero, or its vertex, over a width given by its
 * slope, or its curvature: exp(-((t - a)/b)^2) around a over b.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/forcing.h"

#include "run/event.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

// clang-format off
/*  bound                             quantity                                            source */
static const double
    PART_OF_PERIOD       = 0.3,    // longest step over the period                        sampling: more than twice, at no fixed phase
    PART_FOR_SIGNS       = 0.25,   // ... where events are looked for inside steps        choice: a step is seen at 16 times
    WIDTHS_AROUND        = 4,      // a pulse is heeded so far from its middle            exp(-16) = 1e-7
    WIDTH_OF_TIME_MIN    = 1e-12;  // width over |t0|: below, it is a kink                choice: some resolutions of time
// clang-format on

/* c[0] + c[1] t + c[2] t^2, or not known. */
typedef struct course {
    bool known;
    double c[3];
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
    case TAPE_CONST: return (course){true, {x->t->consts[k]}};
    case TAPE_P: return (course){true, {x->s->p[k]}};
    case TAPE_T: return (course){true, {0, 1}};
    default: return (course){0};
    }
}

static bool moves(const course *a)
{
    return a->known && (a->c[1] != 0 || a->c[2] != 0);
}

static course course_sum(const course *a, double factor, const course *b)
{
    course r = {a->known && b->known, {0}};
    for (int i = 0; i < 3; i++) r.c[i] = a->c[i] + factor * b->c[i];
    return r;
}

static course course_product(const course *a, const course *b)
{
    course r = {a->known && b->known, {0}};
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
    for (int k = 0; k < f->n; k++)
        if (!memcmp(&f->at[k], &new, sizeof new)) return;
    if (f->n < FORCING_MAX) f->at[f->n++] = new;
}

static void add_wave(run_forcing *f, const course *a)
{
    if (!moves(a)) return;
    forcing_feature new;
    memset(&new, 0, sizeof new);
    new.wave = true;
    new.c1 = a->c[1];
    new.c2 = a->c[2];
    forcing_add(f, new);
}

/* A function of a; of a quotient, its least size decides how wide it is. */
static void add_pulse(run_forcing *f, const course *a, bool quotient)
{
    forcing_feature new;
    if (!moves(a)) return;
    memset(&new, 0, sizeof new);
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

static void add_kink(run_forcing *f, const course *a, const course *b)
{
    course d = course_sum(a, -1, b);
    if (!d.known || d.c[1] == 0 || d.c[2] != 0) return;
    forcing_feature new;
    memset(&new, 0, sizeof new);
    new.t0 = -d.c[0] / d.c[1];
    if (isfinite(new.t0)) forcing_add(f, new);
}

/* Of parameters alone. */
static double number_of(tape_op op, double A, double B)
{
    const double C = 0, D = 0;
    switch (op) {
#define OP(name, operands, mnemonic, flags, value)                                                 \
    case TAPE_##name: return value;
        TAPE_OPS(OP)
#undef OP
    default: return NAN;
    }
}

static course follow(forcing_search *x, const tape_ins *in)
{
    run_forcing *f = &x->s->forcing;
    int n = tape_op_operands((tape_op)in->op);
    course a = n > 0 ? course_of(x, in->a) : (course){0}, zero = {.known = true};
    course b = n > 1 ? course_of(x, in->b) : zero;
    if (n < 4 && a.known && b.known && !moves(&a) && !moves(&b)) {
        double v = number_of((tape_op)in->op, a.c[0], b.c[0]);
        return (course){isfinite(v), {v}};
    }
    switch ((tape_op)in->op) {
    case TAPE_ADD: return course_sum(&a, 1, &b);
    case TAPE_SUB: return course_sum(&a, -1, &b);
    case TAPE_NEG: return course_sum(&zero, -1, &a);
    case TAPE_COPY: return a;
    case TAPE_MUL: return course_product(&a, &b);
    case TAPE_DIV:
        if (moves(&b)) return add_pulse(f, &b, true), (course){0};
        b.c[0] = 1 / b.c[0];
        return course_product(&a, &b);
    case TAPE_SIN:
    case TAPE_COS: add_wave(f, &a); break;
    case TAPE_MIN:
    case TAPE_MAX:
    case TAPE_SEL_LT:
    case TAPE_SEL_LE: add_kink(f, &a, &b); break;
    case TAPE_ABS: add_kink(f, &a, &zero); break;
    case TAPE_EXP:
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

static bool of_time(const tape_step *step)
{
    return step->kind != TAPE_STEP_SUM && step->kernel && step->kernel->extent[TAPE_T];
}

int forcing_find(run_state *s)
{
    const tape_program *programs[] = {s->model->system.residual.program,
                                      s->model->events.roots.program};
    size_t most = 0;
    s->forcing.n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; programs[k] && i < programs[k]->n_steps; i++) {
            const tape_step *step = &programs[k]->steps[i];
            if (of_time(step) && (size_t)step->kernel->n_ins > most)
                most = (size_t)step->kernel->n_ins;
        }
    if (!most) return VINC_OK;
    forcing_search x = {.s = s, .value = mem_try(s->m, most * sizeof *x.value)};
    if (!x.value) return VINC_E_MEMORY;
    for (int k = 0; k < 2; k++)
        for (int i = 0; programs[k] && i < programs[k]->n_steps; i++)
            if (of_time(&programs[k]->steps[i])) follow_step(&x, &programs[k]->steps[i]);
    mem_free(s->m, x.value, most * sizeof *x.value);
    return VINC_OK;
}

double forcing_limit(void *user, double t)
{
    const run_state *s = user;
    const double TURN = 2 * acos(-1);
    double limit = INFINITY, part = s->problem.n_roots ? PART_FOR_SIGNS : PART_OF_PERIOD;
    for (int k = 0; k < s->forcing.n; k++) {
        const forcing_feature *f = &s->forcing.at[k];
        double from = f->t0 - WIDTHS_AROUND * f->width, to = f->t0 + WIDTHS_AROUND * f->width;
        if (f->wave) limit = fmin(limit, t + part * TURN / fabs(f->c1 + 2 * f->c2 * t));
        else if (t < from - event_ulp(t)) limit = fmin(limit, from);
        else if (t < to) limit = fmin(limit, t + f->width);
    }
    return limit;
}
