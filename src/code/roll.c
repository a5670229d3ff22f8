/* Re-rolling: expressions of equal shape become one kernel, mapped over the places of their leaves.
 *
 * Two expressions of equal shape (roll_shape.c) differ only in what their slots refer to. A group of
 * them is a map with one access list per slot. Of many the shape is known from others (roll_kin.c).
 *
 * Numbers that differ stand behind the parameters in p. Maps of large expressions that share subexpressions, as
 * balances of mass and energy of a cell do, become one map of several results.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/roll_parts.h"

enum {
    JOINED_MAX = 2048, // of shapes that become one map
    WRITTEN_MAX =
        10000, // nodes of all members, counted for each, that may be written out: choice, some milliseconds to compile
};
/* Functions of the library are called for each instance. Where they are so much of the work, instances may share
 * them: choice. */
static const double CALLS_PART_MIN = 0.25;

static int roll_target(const roller *r, int i)
{
    return r->target ? r->target[i] : i;
}

/* Everything that is not mapped, in one kernel. */
static void add_kernel(roller *r, tape_program_builder *out)
{
    lowering *l = r->l;
    tape_builder *b = NULL;
    for (int i = 0; i < r->n; i++) {
        if (r->of[i] >= 0 && r->shapes.at[r->of[i]].n_members >= ROLL_MIN) continue;
        if (!b) {
            b = tape_builder_new(r->a);
            lower_begin(l);
        }
        if (r->at) l->at = r->at[i];
        roll_write(r, i);
        tape_store(b, tape_out(roll_target(r, i)), lower_expr(l, b, r->roots[i]));
    }
    if (b) tape_program_kernel(out, tape_finish(b, l->a));
}

/* A slot that is the same for all members needs no list. */
static bool roll_shared(const roller *r, const roll_shape *s, int slot)
{
    tape_ref first = r->slots.at[r->slot_at[s->first] + slot];
    for (int i = s->first; i >= 0; i = r->next[i])
        if (r->slots.at[r->slot_at[i] + slot] != first) return false;
    return true;
}

/* A map that is being made. */
typedef struct roll_map {
    tape_builder *b;
    arena *lists; // of elements, until the program has copied them
    tape_access *access;
    int n, n_x; // members, operands
} roll_map;

static bool is_shifted(const int *list, const int *other, int n)
{
    int i = 1;
    while (i < n && list[i] - list[0] == other[i] - other[0]) i++;
    return i >= n;
}

/* The operand that is at these elements of an array. Of neighbours in space lists are the same but for a shift, and
 * one of them is enough. */
static tape_ref map_operand(roll_map *m, tape_kind array, int *list)
{
    int like = 0, k = 0;
    while (like < m->n_x && !is_shifted(list, m->access[like].list, m->n)) like++;
    tape_access x = {.array = array, .list = list};
    if (like < m->n_x) {
        x.list = m->access[like].list;
        x.base = list[0] - x.list[0];
        arena_resize(m->lists, list, (size_t)m->n * sizeof *list, 0);
    }
    while (k < m->n_x && !(m->access[k].array == array && m->access[k].list == x.list &&
                           m->access[k].base == x.base))
        k++;
    if (k == m->n_x) m->access[m->n_x++] = x;
    return tape_x(k);
}

static tape_ref slot_operand(roller *r, const roll_shape *s, int slot, roll_map *m)
{
    tape_ref first = r->slots.at[r->slot_at[s->first] + slot];
    if (roll_shared(r, s, slot)) return first;
    int *list = arena_array(m->lists, int, s->n_members), n = 0;
    for (int i = s->first; i >= 0; i = r->next[i])
        list[n++] = tape_index_of(r->slots.at[r->slot_at[i] + slot]);
    return map_operand(m, tape_kind_of(first), list);
}

/* Numbers that differ are put behind the parameters. */
static tape_ref number_operand(roller *r, const roll_shape *s, int node, roll_map *m)
{
    lowering *l = r->l;
    int *list = arena_array(m->lists, int, s->n_members), n = 0;
    double common;
    expr_number(l->p, r->nodes.at[s->nodes + node], &common);
    for (int i = s->first; i >= 0; i = r->next[i]) {
        double value = common;
        for (int k = 0; k < r->n_numbers[i]; k++)
            if (r->own.at[r->number_at[i] + k].node == node)
                value = r->own.at[r->number_at[i] + k].value;
        list[n++] = lower_number(l, value);
    }
    return map_operand(m, TAPE_P, list);
}

/* ... of one that is unfolded: its nodes one after the other. */
static tape_ref lower_unfolded(roller *r, const roll_shape *s, roll_map *m)
{
    lowering *l = r->l;
    const int *nodes = r->nodes.at + s->nodes, *args = r->args.at + s->nodes;
    tape_ref *value = arena_array(r->a, tape_ref, s->n_nodes);
    for (int k = 0; k < s->n_varying; k++)
        value[s->varying[k]] = number_operand(r, s, s->varying[k], m) + 1; // 0: not known
    for (int k = 0; k < s->n_nodes; k++) {
        expr arg[3];
        tape_ref x[3];
        if (value[k]--) continue; // a number of its own
        if (expr_at(l->p, nodes[k])->op == EXPR_VAR) {
            value[k] = slot_operand(r, s, args[k], m);
            continue;
        }
        for (int j = 0; j < expr_arity(l->p, nodes[k]); j++) {
            int at = r->numbers.at[args[k] + j];
            arg[j] = nodes[at];
            x[j] = value[at];
        }
        value[k] = lower_operation(l, m->b, nodes[k], arg, x);
    }
    return value[s->n_nodes - 1];
}

/* The value of the representative, with operands for its leaves, in the order of the writing, and for the numbers
 * that differ. */
static tape_ref lower_template(roller *r, const roll_shape *s, roll_map *m)
{
    lowering *l = r->l;
    const int *nodes = r->nodes.at + s->nodes;
    if (s->unfolded) return lower_unfolded(r, s, m);
    lower_begin(l);
    for (int k = 0, slot = 0; k < s->n_nodes; k++) {
        if (expr_at(l->p, nodes[k])->op != EXPR_VAR) continue;
        lower_note *note = lower_note_of(l, nodes[k]);
        note->ref = slot_operand(r, s, slot++, m);
        note->mark = l->epoch;
    }
    for (int k = 0; k < s->n_varying; k++) {
        lower_note *note = lower_note_of(l, nodes[s->varying[k]]);
        note->ref = number_operand(r, s, s->varying[k], m);
        note->mark = l->epoch;
    }
    return lower_expr(l, m->b, r->roots[s->first]);
}

/* Have members of q slots that those of s, in their order, have, too? Most of them. */
static bool slots_agree(const roller *r, const roll_shape *s, const roll_shape *q)
{
    int n = 0, same = 0;
    for (int k = 0; k < q->n_slots; k++) {
        bool found = false;
        if (roll_shared(r, q, k)) continue;
        n++;
        for (int j = 0; j < s->n_slots && !found; j++) {
            int a = s->first, b = q->first;
            while (a >= 0 && r->slots.at[r->slot_at[a] + j] == r->slots.at[r->slot_at[b] + k])
                a = r->next[a], b = r->next[b];
            found = a < 0;
        }
        same += found;
    }
    return 2 * same >= n;
}

/* Do members of q compute, for a good part, what those of s do? */
static bool goes_with(roller *r, const roll_shape *s, const roll_shape *q)
{
    lowering *l = r->l;
    int common = 0;
    if (q->mapped || q->n_members != s->n_members || q->n_nodes < ROLL_LARGE) return false;
    if (s->n_nodes < ROLL_LARGE || s->n_slots + q->n_slots + ROLL_VARYING_MAX > JOINED_MAX)
        return false;
    lower_begin(l);
    for (int k = 0; k < s->n_nodes; k++)
        lower_note_of(l, r->nodes.at[s->nodes + k])->mark = l->epoch;
    for (int k = 0; k < q->n_nodes; k++)
        common += lower_note_of(l, r->nodes.at[q->nodes + k])->mark == l->epoch;
    return 4 * common >= q->n_nodes && slots_agree(r, s, q);
}

static void map_result(roller *r, roll_shape *s, roll_map *m)
{
    tape_ref value = lower_template(r, s, m);
    int *list = arena_array(m->lists, int, s->n_members), n = 0;
    for (int i = s->first; i >= 0; i = r->next[i]) list[n++] = roll_target(r, i);
    m->access[m->n_x] = (tape_access){.array = TAPE_OUT, .list = list};
    tape_store(m->b, tape_x(m->n_x++), value);
    s->mapped = true;
}

static void add_map(roller *r, roll_shape *s, tape_program_builder *out)
{
    roll_map *m = arena_new(r->a, roll_map);
    m->b = tape_builder_new(r->a);
    m->lists = arena_inner(r->a);
    m->n = s->n_members;
    bool joins = s->n_nodes >= ROLL_LARGE; // of small ones there may be a shape for each number
    int room = joins && s->n_slots < JOINED_MAX ? JOINED_MAX : s->n_slots;
    m->access = arena_array(r->a, tape_access, room + ROLL_VARYING_MAX + 1);
    map_result(r, s, m);
    for (roll_shape *q = r->shapes.at; joins && q < r->shapes.at + r->shapes.n; q++)
        if (m->n_x + q->n_slots + ROLL_VARYING_MAX < JOINED_MAX && goes_with(r, s, q))
            map_result(r, q, m);
    tape_program_map(out, tape_finish(m->b, r->l->a), m->n, m->access);
    arena_done(m->lists);
}

/* Neighbours in space often compute the same sines, each for itself in a map and once in a kernel. The same
 * operations otherwise, so the same bits. NULL: the maps take less. */
static const tape_program *write_out(roller *r, const tape_program *mapped)
{
    double all = tape_program_work(mapped), calls = tape_program_calls(mapped);
    long nodes = 0;
    for (const roll_shape *s = r->shapes.at; s < r->shapes.at + r->shapes.n; s++)
        nodes += s->n_members >= ROLL_MIN ? (long)s->n_members * s->n_nodes : 0;
    if (!nodes || nodes > WRITTEN_MAX || calls < CALLS_PART_MIN * all) return NULL;
    for (int i = 0; i < r->n; i++) r->of[i] = -1;
    tape_program_builder *out = tape_program_new(r->l->a);
    add_kernel(r, out);
    const tape_program *written = tape_program_finish(out);
    return tape_program_work(written) < all ? written : NULL;
}

const tape_program *lower_program(lowering *l, const expr *roots, const int *target, const span *at,
                                  int n)
{
    arena *a = arena_inner(l->scratch);
    roller r = {.l = l,
                .a = a,
                .roots = (expr *)roots,
                .target = target,
                .at = at,
                .n = n,
                .origins = l->origins}; // zeros are filled
    roll_begin(&r);
    for (int i = 0; i < n; i++)
        if (roots[i]) lower_note_root(l, roots[i]); // others are operations
    if (n >= ROLL_MIN) {
        roll_classify_kin(&r);
        roll_classify_outlines(&r);
    }
    tape_program_builder *out = tape_program_new(l->a);
    add_kernel(&r, out);
    for (int i = 0; i < n && !l->failed; i++) { // in the order of their first members
        roll_shape *s = r.of[i] < 0 ? NULL : &r.shapes.at[r.of[i]];
        if (s && s->first == i && s->n_members >= ROLL_MIN && !s->mapped) add_map(&r, s, out);
    }
    const tape_program *made = tape_program_finish(out);
    const tape_program *written = l->failed ? NULL : write_out(&r, made);
    arena_done(a);
    return written ? written : made;
}
