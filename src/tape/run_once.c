/* The plain interpreter: one switch, one value per instruction. Obviously right, and the oracle of
 * everything that is faster.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <math.h>
#include <string.h>

size_t tape_scratch(const tape *t)
{
    return (size_t)t->n_ins + (size_t)t->max_in;
}

typedef const double *const *bases;

static inline double operand_at(bases base, tape_ref r)
{
    return base[tape_kind_of(r)][tape_index_of(r)];
}

static void run_tape_call(const tape *t, const tape_ins *in, void *run, bases base, double *arg,
                          double *result)
{
    const tape_call *c = &t->calls[in->a];
    const tape_ref *from = t->args + c->args;
    for (int k = 0; k < c->first; k++) arg[k] = operand_at(base, from[k]);
    for (int k = c->first + c->n_far; k < c->fn->n_in; k++) arg[k] = operand_at(base, from[k]);
    if (!c->n_far) {
        c->fn->value(c->fn->user, run, arg, result);
        return;
    }
    tape_ref first = from[c->first];
    tape_stretch far = {c->first, c->n_far, base[tape_kind_of(first)] + tape_index_of(first)};
    if (c->fn->value_far) {
        c->fn->value_far(c->fn->user, run, arg, &far, result);
        return;
    }
    memcpy(arg + far.first, far.at, (size_t)far.n * sizeof *arg);
    c->fn->value(c->fn->user, run, arg, result);
}

/* Where instance i of a map stores: the element that target means, which may be of kind x. */
static double *store_place(const tape_args *args, const tape_access *access, int i, tape_ref target)
{
    tape_kind kind = tape_kind_of(target);
    int k = tape_index_of(target);
    if (kind == TAPE_X) {
        kind = access[k].array;
        k = tape_element(&access[k], i);
    }
    return (kind == TAPE_W ? args->w : kind == TAPE_OUT ? args->out : args->out2) + k;
}

#define A operand_at(base, in->a)
#define B operand_at(base, in->b)
#define C operand_at(base, in->c)
#define D operand_at(base, in->d)
/* Instance `instance` of a map; a tape outside a map has no accesses. */
static void run_kernel(const tape *t, const tape_args *args, const tape_access *access,
                       int instance)
{
    double *v = args->scratch, *x = v + tape_scratch(t);
    const double *const base[TAPE_N_KINDS] = {
        [TAPE_VALUE] = v,   [TAPE_CONST] = t->consts, [TAPE_T] = &args->t, [TAPE_P] = args->p,
        [TAPE_Y] = args->y, [TAPE_YP] = args->yp,     [TAPE_W] = args->w,  [TAPE_X] = x,
    };
    for (int k = 0; k < t->extent[TAPE_X]; k++)
        if (access[k].array < TAPE_OUT) // targets are not read
            x[k] = base[access[k].array][tape_element(&access[k], instance)];
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        switch ((tape_op)in->op) {
#define OP(name, operands, mnemonic, flags, value)                                                 \
    case TAPE_##name: v[i] = value; break;
            TAPE_OPS(OP)
#undef OP
        case TAPE_CALL: run_tape_call(t, in, args->run, base, v + t->n_ins, v + i + 1); break;
        case TAPE_RESULT: break;
        case TAPE_STORE: *store_place(args, access, instance, in->a) = B; break;
        }
    }
}

void tape_run(const tape *t, const tape_args *args)
{
    run_kernel(t, args, NULL, 0);
}

size_t tape_program_scratch(const tape_program *p)
{
    size_t most = 0;
    for (int k = 0; k < p->n_steps; k++) {
        const tape *t = p->steps[k].kernel;
        size_t need = t ? tape_scratch(t) + (size_t)t->extent[TAPE_X] : 0;
        if (need > most) most = need;
    }
    return most;
}

void tape_run_sum(const tape_step *s, const tape_args *args)
{
    for (int i = 0; i < s->n; i++) {
        double sum = 0;
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            double x = args->w[s->index[k]];
            if (s->coef) x *= s->coef[k];
            sum = k == s->start[i] ? x : sum + x;
        }
        *store_place(args, s->access, i, tape_x(0)) = sum;
    }
}

void tape_program_run(const tape_program *p, const tape_args *args)
{
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        if (s->kind == TAPE_STEP_SUM) tape_run_sum(s, args);
        else
            for (int i = 0; i < s->n; i++) run_kernel(s->kernel, args, s->access, i);
    }
}
