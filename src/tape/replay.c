/* SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

void replay_init(replay *r, tape_builder *b, const tape *t, arena *scratch)
{
    int max_out = 0;
    for (int k = 0; k < t->n_calls; k++)
        if (t->calls[k].fn->n_out > max_out) max_out = t->calls[k].fn->n_out;
    *r = (replay){.b = b,
                  .t = t,
                  .moved = arena_array(scratch, tape_ref, t->n_ins),
                  .consts = arena_array(scratch, tape_ref, t->n_consts),
                  .args = arena_array(scratch, tape_ref, t->max_in + max_out)};
    for (int k = 0; k < t->n_consts; k++) r->consts[k] = TAPE_NONE;
}

tape_ref replay_ref(const replay *r, tape_ref ref)
{
    int k = tape_index_of(ref);
    switch (tape_kind_of(ref)) {
    case TAPE_VALUE: return r->moved[k];
    case TAPE_CONST:
        if (r->consts[k] == TAPE_NONE) r->consts[k] = tape_const(r->b, r->t->consts[k]);
        return r->consts[k];
    default: return r->leaf ? r->leaf(r->user, ref) : ref;
    }
}

void replay_ins(const replay *r, int i)
{
    const tape_ins *in = &r->t->ins[i];
    if (in->op == TAPE_STORE || in->op == TAPE_RESULT) return;
    if (in->op == TAPE_CALL) {
        const tape_call *c = &r->t->calls[in->a];
        tape_ref *out = r->args + r->t->max_in;
        for (int k = 0; k < c->fn->n_in; k++) r->args[k] = replay_ref(r, r->t->args[c->args + k]);
        tape_call_fn(r->b, c->fn, r->args, out);
        for (int k = 0; k < c->fn->n_out; k++) r->moved[i + 1 + k] = out[k];
        return;
    }
    tape_ref a = replay_ref(r, in->a);
    switch (tape_op_operands(in->op)) {
    case 1: r->moved[i] = tape_op1(r->b, in->op, a); break;
    case 2: r->moved[i] = tape_op2(r->b, in->op, a, replay_ref(r, in->b)); break;
    default:
        r->moved[i] = tape_select(r->b, in->op, a, replay_ref(r, in->b), replay_ref(r, in->c),
                                  replay_ref(r, in->d));
    }
}
