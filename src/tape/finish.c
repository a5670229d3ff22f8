/* Finishing a tape: dead code goes, the rest is renumbered and copied, stores that would overwrite
 * an operand move to the end.
 *
 * Operands of kind w are values on entry. A store to w[i] that is also read somewhere is therefore
 * made after all computation, and a stored value that is itself such an element is copied first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/builder.h"

#include <assert.h>
#include <string.h>

typedef struct finisher {
    const tape_builder *b;
    uint8_t *live;              // per instruction of the builder
    tape_ref *moved;            // per instruction: its new ref
    uint32_t *const_moved;      // per constant: its new index plus one, or 0
    uint8_t *w_read, *w_stored; // per element of w; NULL where nothing can collide
    int w_stores;               // stores to w
    int extent[TAPE_N_KINDS];
    tape_ins *ins;
    double *consts;
    tape_call *calls;
    tape_ref *args;
    int n_ins, n_consts, n_calls, n_args, max_in;
} finisher;

typedef void visit(finisher *f, tape_ref r);

/* Every operand of an instruction, call arguments included; targets of stores are not operands. */
static inline void each_operand(finisher *f, const tape_ins *in, visit *see)
{
    if (in->op == TAPE_STORE) {
        see(f, in->b);
    } else if (in->op == TAPE_CALL) {
        const tape_call *c = &f->b->calls.at[in->a];
        for (int k = 0; k < c->fn->n_in; k++) see(f, f->b->args.at[c->args + k]);
    } else {
        int n = tape_op_operands(in->op);
        if (n > 0) see(f, in->a);
        if (n > 1) see(f, in->b);
        if (n > 2) see(f, in->c), see(f, in->d);
    }
}

static inline void note_extent(finisher *f, tape_ref r)
{
    int *e = &f->extent[tape_kind_of(r)];
    if (tape_index_of(r) >= *e) *e = tape_index_of(r) + 1;
}

static inline void mark_used(finisher *f, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE) f->live[tape_index_of(r)] = 1;
    else note_extent(f, r);
}

/* What the stores need, backwards; how many instructions that is. */
static int find_live_values(finisher *f)
{
    const tape_builder *b = f->b;
    int n = 0;
    f->live = arena_array(b->a, uint8_t, b->ins.n + 1);
    for (int i = b->ins.n - 1; i >= 0; i--) {
        const tape_ins *in = &b->ins.at[i];
        if (in->op == TAPE_STORE) {
            f->live[i] = 1;
            f->w_stores += tape_kind_of(in->a) == TAPE_W;
            note_extent(f, in->a);
        }
        if (in->op == TAPE_CALL && b->calls.at[in->a].fn->impure) f->live[i] = 1;
        // A call's results stay together: any of them keeps all.
        if (in->op == TAPE_RESULT && f->live[i]) f->live[i - 1 - (int)in->a] = 1;
        if (f->live[i]) each_operand(f, in, mark_used), n++;
    }
    for (int i = 0; i < b->ins.n && b->calls.n; i++) {
        if (b->ins.at[i].op != TAPE_CALL || !f->live[i]) continue;
        for (int k = 1; k <= b->calls.at[b->ins.at[i].a].fn->n_out; k++) {
            n += !f->live[i + k];
            f->live[i + k] = 1;
        }
    }
    return n;
}

static void note_read(finisher *f, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_W) f->w_read[tape_index_of(r)] = 1;
}

/* Which elements of w are read and which are stored; how many stored values are such elements. */
static int find_collisions(finisher *f)
{
    const tape_builder *b = f->b;
    int n_w = f->extent[TAPE_W], n_copies = 0;
    if (!f->w_stores) return 0;
    f->w_read = arena_array(b->a, uint8_t, n_w);
    f->w_stored = arena_array(b->a, uint8_t, n_w);
    for (int i = 0; i < b->ins.n; i++) {
        const tape_ins *in = &b->ins.at[i];
        if (!f->live[i]) continue;
        each_operand(f, in, note_read);
        if (in->op != TAPE_STORE) continue;
        n_copies += tape_kind_of(in->b) == TAPE_W;
        if (tape_kind_of(in->a) != TAPE_W) continue;
        assert(!f->w_stored[tape_index_of(in->a)] && "stored twice");
        f->w_stored[tape_index_of(in->a)] = 1;
    }
    return n_copies;
}

static tape_ref move_ref(finisher *f, tape_ref r)
{
    int k = tape_index_of(r);
    if (tape_kind_of(r) == TAPE_VALUE) return f->moved[k];
    if (tape_kind_of(r) != TAPE_CONST) return r;
    if (!f->const_moved[k]) {
        f->consts[f->n_consts] = f->b->consts.at[k];
        f->const_moved[k] = (uint32_t)++f->n_consts;
    }
    return tape_ref_of(TAPE_CONST, (int)f->const_moved[k] - 1);
}

void tape_call_look(tape_call *c, const tape_ref *args)
{
    enum { STRETCH_MIN = 64 }; // fewer are copied in no time
    c->first = c->n_far = 0;
    int n = c->fn->n_in - c->fn->n_deciding; // a guard reads the others
    for (int k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && args[c->args + end] == args[c->args + end - 1] + 1;) end++;
        bool longest = end - k >= STRETCH_MIN && end - k > c->n_far;
        if (longest && tape_kind_of(args[c->args + k]) != TAPE_X) c->first = k, c->n_far = end - k;
    }
}

static void move_call(finisher *f, tape_ins *in)
{
    tape_call c = f->b->calls.at[in->a];
    for (int k = 0; k < c.fn->n_in; k++)
        f->args[f->n_args + k] = move_ref(f, f->b->args.at[c.args + k]);
    if (c.fn->n_in > f->max_in) f->max_in = c.fn->n_in;
    c.args = f->n_args;
    f->n_args += c.fn->n_in;
    tape_call_look(&c, f->args);
    f->calls[f->n_calls] = c;
    in->a = (uint32_t)f->n_calls++;
}

static void move_ins(finisher *f, int i)
{
    tape_ins in = f->b->ins.at[i];
    int n = tape_op_operands(in.op);
    if (n > 0) in.a = move_ref(f, in.a);
    if (n > 1) in.b = move_ref(f, in.b);
    if (n > 2) in.c = move_ref(f, in.c), in.d = move_ref(f, in.d);
    if (in.op == TAPE_CALL) move_call(f, &in);
    f->moved[i] = tape_ref_of(TAPE_VALUE, f->n_ins);
    f->ins[f->n_ins++] = in;
}

/* A store whose target nobody reads stays where it is; the others wait in `late`. */
static void move_store(finisher *f, int i, tape_ins *late, int *n_late)
{
    tape_ins in = f->b->ins.at[i];
    in.b = move_ref(f, in.b);
    if (f->w_stores && tape_kind_of(in.b) == TAPE_W && f->w_stored[tape_index_of(in.b)]) {
        f->ins[f->n_ins] = (tape_ins){TAPE_COPY, in.b, 0, 0, 0};
        in.b = tape_ref_of(TAPE_VALUE, f->n_ins++);
    }
    if (tape_kind_of(in.a) == TAPE_W && f->w_read[tape_index_of(in.a)]) late[(*n_late)++] = in;
    else f->ins[f->n_ins++] = in;
}

const tape *tape_finish(tape_builder *b, arena *result)
{
    tape_guard_calls(b, result);
    finisher f = {.b = b};
    int n_late = 0, n_live = find_live_values(&f), n_copies = find_collisions(&f);
    tape *t = arena_new(result, tape);
    f.moved = arena_array(b->a, tape_ref, b->ins.n);
    f.const_moved = arena_array(b->a, uint32_t, b->consts.n);
    f.ins = arena_array(result, tape_ins, n_live + n_copies);
    f.consts = arena_array(result, double, b->consts.n);
    f.calls = arena_array(result, tape_call, b->calls.n);
    f.args = arena_array(result, tape_ref, b->args.n);
    tape_ins *late = arena_array(b->a, tape_ins, f.w_stores);
    tape_order order = tape_place(b);
    int *place = arena_array(b->a, int, order.order.n + 1), n_regions = order.regions.n;
    for (int k = 0; k < (n_regions ? order.order.n : b->ins.n); k++) {
        int i = n_regions ? order.order.at[k] : k;
        if (n_regions) place[k] = f.n_ins;
        if (!f.live[i]) continue;
        if (b->ins.at[i].op == TAPE_STORE) move_store(&f, i, late, &n_late);
        else move_ins(&f, i);
    }
    tape_region *regions = arena_array(result, tape_region, n_regions);
    for (int k = 0; k < n_regions; k++) {
        const tape_region *from = &order.regions.at[k];
        regions[k] = (tape_region){place[from->first],    place[from->end],      from->op,
                                   move_ref(&f, from->a), move_ref(&f, from->b), from->yes};
    }
    for (int k = 0; k < n_late; k++) f.ins[f.n_ins++] = late[k];
    *t = (tape){.n_ins = f.n_ins,
                .n_consts = f.n_consts,
                .n_calls = f.n_calls,
                .n_args = f.n_args,
                .max_in = f.max_in,
                .ins = f.ins,
                .consts = f.consts,
                .calls = f.calls,
                .args = f.args,
                .n_regions = n_regions,
                .regions = regions};
    memcpy(t->extent, f.extent, sizeof t->extent);
    t->extent[TAPE_VALUE] = f.n_ins;
    t->extent[TAPE_CONST] = f.n_consts;
    return t;
}
