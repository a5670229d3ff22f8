/* What all instances of a map compute alike, computed once before them.
 *
 * A sine of the time that each of twenty houses has in its equation is one sine. Instructions whose operands are
 * numbers, the time, parameters, unknowns and their rates, none of which a program changes, are moved to
 * a kernel before all other steps, and passed on in w beyond what is there: those that a function of the library is
 * called for. The others are cheaper than to be passed on. Bits stay as they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

typedef struct hoisting {
    arena *scratch, *result;
    tape_builder *before; // the kernel before all others
    int first_w, n_w;     // elements of w that are passed on
    tape_ref *value;      // by element: its ref in `before`, each once
} hoisting;

enum { VARIES, ALIKE, ALIKE_CALLED }; // by instruction

static int hoist_operand(const int *of, tape_ref r)
{
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: return of[tape_index_of(r)];
    case TAPE_CONST:
    case TAPE_T:
    case TAPE_P:
    case TAPE_Y:
    case TAPE_YP: return ALIKE;
    default: return VARIES;
    }
}

static int hoist_kind(const int *of, const tape_ins *in)
{
    if (in->op >= TAPE_N_OPS) return VARIES;
    const tape_ref operand[] = {in->a, in->b, in->c, in->d};
    int kind = tape_op_flags((tape_op)in->op) & TAPE_CALLS ? ALIKE_CALLED : ALIKE;
    for (int k = 0; k < tape_op_operands(in->op); k++) {
        int other = hoist_operand(of, operand[k]);
        if (other == VARIES) return VARIES;
        if (other > kind) kind = other;
    }
    return kind;
}

/* Those that an instance needs as they are: what is alike beneath others that are is not passed on. */
static bool hoist_mark(const tape *t, int *of, bool *passed)
{
    bool any = false;
    for (int i = 0; i < t->n_ins; i++) of[i] = hoist_kind(of, &t->ins[i]);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (of[i] != VARIES || in->op == TAPE_RESULT) continue;
        const tape_ref operand[] = {in->a, in->b, in->c, in->d};
        int from = in->op == TAPE_STORE ? 1 : 0, end = in->op == TAPE_STORE ? 2 : 4;
        if (in->op < TAPE_N_OPS) end = tape_op_operands(in->op);
        const tape_ref *at = in->op == TAPE_CALL ? t->args + t->calls[in->a].args : operand;
        if (in->op == TAPE_CALL) from = 0, end = t->calls[in->a].fn->n_in;
        for (int k = from; k < end; k++) {
            bool value = tape_kind_of(at[k]) == TAPE_VALUE;
            if (value && of[tape_index_of(at[k])] == ALIKE_CALLED)
                any = passed[tape_index_of(at[k])] = true;
        }
    }
    return any;
}

/* The element of w in which the value is passed on. */
static int hoist_place(hoisting *h, tape_ref value)
{
    for (int k = 0; k < h->n_w; k++)
        if (h->value[k] == value) return h->first_w + k;
    h->value[h->n_w] = value;
    tape_store(h->before, tape_w(h->first_w + h->n_w), value);
    return h->first_w + h->n_w++;
}

static const tape *hoist_kernel(hoisting *h, const tape *t)
{
    int *of = arena_array(h->scratch, int, t->n_ins + 1);
    bool *passed = arena_array(h->scratch, bool, t->n_ins + 1);
    if (!hoist_mark(t, of, passed)) return t;
    if (!h->before) h->before = tape_builder_new(h->scratch);
    replay first, rest;
    replay_init(&first, h->before, t, h->scratch);
    replay_init(&rest, tape_builder_new(h->scratch), t, h->scratch);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (of[i] != VARIES) replay_ins(&first, i);
        if (in->op == TAPE_STORE) tape_store(rest.b, in->a, replay_ref(&rest, in->b));
        else if (passed[i]) rest.moved[i] = tape_w(hoist_place(h, first.moved[i]));
        else replay_ins(&rest, i);
    }
    return tape_finish(rest.b, h->result);
}

static int hoist_most(const tape_program *p)
{
    int n = 0;
    for (int k = 0; k < p->n_steps; k++)
        if (p->steps[k].kind == TAPE_STEP_MAP) n += p->steps[k].kernel->n_ins;
    return n;
}

const tape_program *tape_program_hoist(const tape_program *p, int first_w, arena *scratch,
                                       arena *result)
{
    int most = hoist_most(p);
    if (!most) return p;
    hoisting h = {.scratch = scratch, .result = result, .first_w = first_w};
    if (p->extent[TAPE_W] > first_w) h.first_w = p->extent[TAPE_W];
    h.value = arena_array(scratch, tape_ref, most);
    const tape **kernel = arena_array(scratch, const tape *, p->n_steps);
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        kernel[k] = s->kind == TAPE_STEP_MAP ? hoist_kernel(&h, s->kernel) : s->kernel;
    }
    if (!h.before) return p;
    tape_program_builder *b = tape_program_new(result);
    tape_program_kernel(b, tape_finish(h.before, result));
    tape_program_again(b, p, kernel);
    return tape_program_finish(b);
}
