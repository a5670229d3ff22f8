/* The plain interpreter: one switch, one value per instruction. Obviously right, and the oracle of
 * everything that is faster.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <math.h>

size_t tape_scratch(const tape *t)
{
    return (size_t)t->n_ins + (size_t)t->max_in;
}

typedef const double *const *bases;

static inline double at(bases base, tape_ref r)
{
    return base[tape_kind_of(r)][tape_index_of(r)];
}

static void call(const tape *t, const tape_ins *in, bases base, double *arg, double *result)
{
    const tape_call *c = &t->calls[in->a];
    for (int k = 0; k < c->fn->n_in; k++) arg[k] = at(base, t->args[c->args + k]);
    c->fn->value(c->fn->user, arg, result);
}

#define A at(base, in->a)
#define B at(base, in->b)
#define C at(base, in->c)
#define D at(base, in->d)
void tape_run(const tape *t, const tape_args *args)
{
    double *v = args->scratch;
    const double *const base[TAPE_N_KINDS] = {
        [TAPE_VALUE] = v,   [TAPE_CONST] = t->consts, [TAPE_T] = &args->t, [TAPE_P] = args->p,
        [TAPE_Y] = args->y, [TAPE_YP] = args->yp,     [TAPE_W] = args->w,
    };
    double *const target[TAPE_N_KINDS] = {
        [TAPE_W] = args->w, [TAPE_OUT] = args->out, [TAPE_OUT2] = args->out2};
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        switch ((tape_op)in->op) {
#define OP(name, operands, mnemonic, flags, value)                                                 \
    case TAPE_##name: v[i] = value; break;
            TAPE_OPS(OP)
#undef OP
        case TAPE_CALL: call(t, in, base, v + t->n_ins, v + i + 1); break;
        case TAPE_RESULT: break;
        case TAPE_STORE: target[tape_kind_of(in->a)][tape_index_of(in->a)] = B; break;
        }
    }
}
