/* Register allocation by next use, in one forward sweep.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/machine.h"

#include <string.h>

/* A spilled value that is used again this soon is worth a register of its own; a leaf is not: it is there to be read. */
enum { SOON_INSTRUCTIONS = 24 };

/* ---- uses ------------------------------------------------------------------------------------ */

static bool is_made_together(const emitter *e, int i)
{
    return e->groups.of && e->groups.of[i] == GROUP_TOGETHER;
}

static const call_group *group_at(const emitter *e, int i) // that instruction i begins; NULL: none
{
    return e->groups.of && e->groups.of[i] > 0 ? &e->groups.group[e->groups.of[i] - 1] : NULL;
}

static void find_next_uses(emitter *e, int *seen, int n_nodes)
{
    const tape *t = e->t;
    int call = NEVER, region = e->n_regions - 1;
    for (int k = 0; k < n_nodes; k++) seen[k] = NEVER;
    for (int i = t->n_ins - 1; i >= 0; i--) {
        const tape_ins *in = &t->ins[i];
        const call_group *g = group_at(e, i);
        const uint32_t *nodes = g ? g->node : e->nodes.operand[i];
        int n = g ? g->n : is_made_together(e, i) ? 0 : tape_n_operands(in);
        e->first_use[i] = seen[i];
        e->next_call[i] = call;
        for (int k = 0; k < n; k++) e->next[i][k] = seen[nodes[k]];
        for (int k = 0; k < n; k++) {
            uint32_t node = nodes[k];
            if (seen[node] == NEVER && node < (uint32_t)t->n_ins) e->last_use[node] = i;
            seen[node] = i;
        }
        if (in->op == TAPE_CALL) {
            const tape_call *c = &t->calls[in->a];
            const uint32_t *arg = e->nodes.arg + c->args;
            for (int k = 0; k < c->fn->n_in; k++) e->next_arg[c->args + k] = seen[arg[k]];
            for (int k = 0; k < c->fn->n_in; k++) {
                if (seen[arg[k]] == NEVER && arg[k] < (uint32_t)t->n_ins) e->last_use[arg[k]] = i;
                seen[arg[k]] = i;
            }
        }
        if (in->op == TAPE_CALL || (e->mach->calls(e, (tape_op)in->op) && !is_made_together(e, i)))
            call = i;
        for (; region >= 0 && t->regions[region].first == i; region--)
            for (int k = 1; k >= 0; k--) {
                uint32_t node = e->nodes.region[region][k];
                e->next_of_region[region][k] = seen[node];
                if (seen[node] == NEVER && node < (uint32_t)t->n_ins) e->last_use[node] = i;
                seen[node] = i;
            }
    }
}

bool emit_prepare(emitter *e, const tape *t, bool one_instance, pool *temp)
{
    bool many = one_instance && e->mach->call_group;
    if (many) t = groups_order(t, temp);
    e->t = t;
    if (!t || !tape_nodes_of(t, temp, &e->nodes)) return false;
    if (!groups_find(t, &e->nodes, many ? GROUP_MOST : 1, temp, &e->groups)) return false;
    int n_nodes = e->nodes.n_values + e->nodes.n_leaves;
    e->next = pool_raw(temp, (size_t)t->n_ins, sizeof *e->next);
    e->next_arg = pool_raw_array(temp, int, t->n_args);
    e->next_of_region = pool_raw(temp, (size_t)t->n_regions, sizeof *e->next_of_region);
    e->first_use = pool_raw_array(temp, int, t->n_ins);
    e->last_use = pool_array(temp, int, t->n_ins);
    e->next_call = pool_raw_array(temp, int, t->n_ins);
    e->reg = pool_raw_array(temp, int8_t, n_nodes);
    e->slot = pool_raw_array(temp, int, n_nodes);
    e->free_slots = pool_raw_array(temp, int, n_nodes + 1);
    int *seen = pool_raw_array(temp, int, n_nodes);
    if (temp->failed) return false;
    find_next_uses(e, seen, n_nodes);
    return true;
}

/* ---- registers and slots --------------------------------------------------------------------- */

static bool is_leaf_node(const emitter *e, int node)
{
    return node >= e->nodes.n_values;
}

static tape_ref leaf_of(const emitter *e, int node)
{
    return e->nodes.leaf[node - e->nodes.n_values];
}

static int slot_of_node(const emitter *e, int node) // -1: has none
{
    if (e->pinned && e->pinned[node]) return e->pinned[node] - 1;
    return e->slot[node] - 1;
}

static bool can_drop(const emitter *e, int node)
{
    return slot_of_node(e, node) >= 0 ||
           (is_leaf_node(e, node) && e->mach->cheap(e, leaf_of(e, node)));
}

static int new_slots(emitter *e, int n) // side by side
{
    if (n == 1 && e->n_free) return e->free_slots[--e->n_free];
    e->n_slots += n;
    if (e->n_slots > e->most_slots) e->most_slots = e->n_slots;
    return e->n_slots - n;
}

static void release_slot(emitter *e, int node)
{
    if (!e->slot[node]) return;
    e->free_slots[e->n_free++] = e->slot[node] - 1;
    e->slot[node] = 0;
}

static void unbind_register(emitter *e, int r)
{
    if (e->node[r] >= 0) e->reg[e->node[r]] = 0;
    e->node[r] = -1;
    e->bound &= ~(1u << r);
}

static void bind_register(emitter *e, int r, int node, int use)
{
    e->node[r] = node;
    e->use[r] = use;
    e->bound |= 1u << r;
    e->reg[node] = (int8_t)(r + 1);
}

static void save_register(emitter *e, int r)
{
    int node = e->node[r];
    if (can_drop(e, node)) return;
    e->slot[node] = new_slots(e, 1) + 1;
    e->mach->spill(e, e->slot[node] - 1, r);
}

static int lowest(uint32_t set)
{
    int r = 0;
    while (!(set >> r & 1)) r++;
    return r;
}

/* A free register, `across` calls if possible; otherwise the one whose content is used last. */
static int take_register(emitter *e, bool across)
{
    const machine *m = e->mach;
    uint32_t usable = ((1u << m->n_regs) - 1) & ~e->locked, open = usable & ~e->bound;
    uint32_t best = open & (across ? m->kept : ~m->kept);
    if (open) return lowest(best ? best : open);
    int victim = lowest(usable);
    for (int r = victim + 1; r < m->n_regs; r++)
        if (usable >> r & 1 && e->use[r] > e->use[victim]) victim = r;
    save_register(e, victim);
    unbind_register(e, victim);
    return victim;
}

static operand in_memory(const emitter *e, int node)
{
    int slot = slot_of_node(e, node);
    if (slot >= 0) return (operand){OPERAND_SLOT, slot, 0};
    return (operand){OPERAND_LEAF, 0, leaf_of(e, node)};
}

static operand in_register(int r)
{
    return (operand){OPERAND_REG, r, 0};
}

/* Operand `node`, used next at `use`, in a register that stays put for this instruction. */
static operand need_register(emitter *e, int node, int use)
{
    int r = e->reg[node] - 1;
    if (r < 0) {
        r = take_register(e, false);
        e->mach->load(e, r, in_memory(e, node));
        bind_register(e, r, node, use);
    }
    e->locked |= 1u << r;
    return in_register(r);
}

static operand operand_anywhere(const emitter *e, int node)
{
    return e->reg[node] ? in_register(e->reg[node] - 1) : in_memory(e, node);
}

static bool is_used_soon(int i, int use)
{
    return use - i <= SOON_INSTRUCTIONS;
}

/* As need_register, but left in memory where the machine can and it is not a spilled value that is used again soon. */
static operand need_operand(emitter *e, int i, int node, int use)
{
    bool again = slot_of_node(e, node) >= 0 && is_used_soon(i, use);
    if (e->reg[node] || !e->mach->memory || !can_drop(e, node) || again)
        return need_register(e, node, use);
    return in_memory(e, node);
}

/* Operand k of the instruction has been used for the last time, or not. Slots are released by the
 * caller, after the instruction: until then nothing may be spilled over an operand. */
static void note_used(emitter *e, int node, int use)
{
    int r = e->reg[node] - 1;
    if (r < 0) return;
    e->use[r] = use;
    if (use == NEVER) unbind_register(e, r);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool crosses_call(const emitter *e, int i)
{
    return e->mach->kept && e->last_use[i] > e->next_call[i];
}

static void define_value(emitter *e, int i, int r)
{
    if (e->first_use[i] == NEVER) unbind_register(e, r);
    else bind_register(e, r, i, e->first_use[i]);
}

static void emit_arithmetic(emitter *e, int i)
{
    const tape_ins *in = &e->t->ins[i];
    const uint32_t *node = e->nodes.operand[i];
    const int *use = e->next[i];
    int n = tape_op_operands((tape_op)in->op), a = 0, b = 1;
    operand src[4] = {{OPERAND_REG, 0, 0}};
    // What is in a register goes first, so that the other may stay in memory; of two that are not, what is used first.
    if ((tape_op_flags((tape_op)in->op) & TAPE_COMMUTES) && !e->reg[node[0]] &&
        (e->reg[node[1]] || (use[1] < use[0] && is_used_soon(i, use[1]))))
        a = 1, b = 0;
    src[0] = need_register(e, (int)node[a], use[a]);
    if (n > 2) {
        src[2] = need_register(e, (int)node[2], use[2]);
        src[3] = need_register(e, (int)node[3], use[3]);
    }
    if (n > 1) src[1] = need_operand(e, i, (int)node[b], use[b]);
    for (int k = 0; k < n; k++) note_used(e, (int)node[k], use[k]);
    // The first operand's register is the best place for the result, if it is free now.
    int first = src[0].reg, dst;
    bool across = crosses_call(e, i);
    if (e->mach->two_address && e->node[first] < 0) dst = first;
    else {
        uint32_t busy = e->locked;
        e->locked &= e->bound;
        dst = take_register(e, across);
        e->locked = busy;
    }
    e->mach->compute(e, (tape_op)in->op, dst, src);
    define_value(e, i, dst);
    e->locked = 0;
    for (int k = 0; k < n; k++)
        if (use[k] == NEVER) release_slot(e, (int)node[k]);
}

/* Before a call: what is used after it is saved, whatever a call destroys is forgotten. The
 * operands are still where they were. */
static void save_across(emitter *e, int i)
{
    for (int r = 0; r < e->mach->n_regs; r++)
        if (e->node[r] >= 0 && e->use[r] != NEVER && e->use[r] > i && !(e->mach->kept >> r & 1))
            save_register(e, r);
}

static void forget_register(emitter *e)
{
    for (int r = 0; r < e->mach->n_regs; r++)
        if (!(e->mach->kept >> r & 1)) unbind_register(e, r);
}

static void library_call(emitter *e, int i)
{
    const tape_ins *in = &e->t->ins[i];
    int n = tape_op_operands((tape_op)in->op);
    operand src[2] = {{OPERAND_REG, 0, 0}};
    for (int k = 0; k < n; k++) {
        int node = (int)e->nodes.operand[i][k];
        src[k] = operand_anywhere(e, node);
        if (e->reg[node]) e->use[e->reg[node] - 1] = e->next[i][k];
    }
    save_across(e, i);
    e->mach->call(e, (tape_op)in->op, src);
    forget_register(e);
    for (int k = 0; k < n; k++)
        if (e->next[i][k] == NEVER) {
            note_used(e, (int)e->nodes.operand[i][k], NEVER);
            release_slot(e, (int)e->nodes.operand[i][k]);
        }
    int r = e->mach->result;
    if (crosses_call(e, i)) {
        e->locked = 1u << r;
        r = take_register(e, true);
        e->locked = 0;
        e->mach->move(e, r, e->mach->result);
    }
    define_value(e, i, r);
}

/* All values go to slots, whichever is asked for first. */
static void group_call(emitter *e, int i)
{
    const call_group *g = group_at(e, i);
    operand x[GROUP_MOST];
    for (int k = 0; k < g->n; k++) {
        int node = (int)g->node[k];
        x[k] = operand_anywhere(e, node);
        if (e->reg[node]) e->use[e->reg[node] - 1] = e->next[i][k];
    }
    save_across(e, i);
    int width = g->n > 1 ? GROUP_MOST : 1, of[2];
    of[0] = new_slots(e, width);
    of[1] = g->both ? new_slots(e, width) : of[0];
    if (g->n > 1) e->mach->call_group(e, g, x, of[0], of[1]);
    else e->mach->call_sincos(e, x[0], of[0], of[1]);
    forget_register(e);
    for (int k = 0; k < g->n; k++) {
        if (e->next[i][k] == NEVER) {
            note_used(e, (int)g->node[k], NEVER);
            release_slot(e, (int)g->node[k]);
        }
        for (int c = 0; c < 2; c++)
            if (g->value[k][c] >= 0) e->slot[g->value[k][c]] = of[c] + k + 1;
    }
}

static void function_call(emitter *e, int i)
{
    const tape_call *c = &e->t->calls[e->t->ins[i].a];
    const uint32_t *arg = e->nodes.arg + c->args;
    const int *use = e->next_arg + c->args;
    for (int k = 0; k < c->fn->n_in; k++) {
        operand x = operand_anywhere(e, (int)arg[k]);
        if (x.kind == OPERAND_REG) {
            e->use[x.reg] = use[k];
        } else {
            e->mach->load(e, e->mach->temporary, x);
            x.reg = e->mach->temporary;
        }
        e->mach->spill(e, k, x.reg);
    }
    save_across(e, i);
    int out = c->fn->n_out ? new_slots(e, c->fn->n_out) : e->n_slots;
    e->mach->call_fn(e, c->fn, out);
    forget_register(e);
    for (int k = 0; k < c->fn->n_in; k++)
        if (use[k] == NEVER) {
            note_used(e, (int)arg[k], NEVER);
            release_slot(e, (int)arg[k]);
        }
    for (int k = 0; k < c->fn->n_out; k++) {
        e->slot[i + 1 + k] = out + k + 1;
        if (e->first_use[i + 1 + k] == NEVER) release_slot(e, i + 1 + k);
    }
}

static void emit_store(emitter *e, int i)
{
    int node = (int)e->nodes.operand[i][0], use = e->next[i][0];
    operand x = need_register(e, node, use);
    e->mach->store(e, e->t->ins[i].a, x.reg);
    note_used(e, node, use);
    e->locked = 0;
    if (use == NEVER) release_slot(e, node);
}

/* ---- regions that are jumped over ------------------------------------------------------------ */

/* Whichever way is taken, values are found after the region where they were before it, or in memory. */
static void save_beyond(emitter *e, int end)
{
    for (int r = 0; r < e->mach->n_regs; r++)
        if (e->node[r] >= 0 && e->use[r] != NEVER &&
            (is_leaf_node(e, e->node[r]) || e->last_use[e->node[r]] >= end))
            save_register(e, r);
}

static size_t begin_region(emitter *e, int k)
{
    const tape_region *x = &e->t->regions[k];
    const uint32_t *node = e->nodes.region[k];
    const int *use = e->next_of_region[k];
    operand src[2] = {operand_anywhere(e, (int)node[0]), operand_anywhere(e, (int)node[1])};
    save_beyond(e, x->end);
    size_t jump = e->mach->jump(e, (tape_op)x->op, x->yes, src);
    for (int j = 0; j < 2; j++) {
        note_used(e, (int)node[j], use[j]);
        if (use[j] == NEVER) release_slot(e, (int)node[j]);
    }
    return jump;
}

static void end_region(emitter *e, const tape_region *x, size_t jump)
{
    save_beyond(e, x->end);
    for (int r = 0; r < e->mach->n_regs; r++) unbind_register(e, r);
    e->mach->land(e, jump);
}

typedef struct open_region {
    const tape_region *is;
    size_t jump;
} open_region;

void emit_body(emitter *e, int first_slot)
{
    int n_nodes = e->nodes.n_values + e->nodes.n_leaves;
    for (int r = 0; r < MAX_REGS; r++) e->node[r] = -1;
    e->bound = 0;
    if (n_nodes) memset(e->reg, 0, (size_t)n_nodes * sizeof *e->reg);
    if (n_nodes) memset(e->slot, 0, (size_t)n_nodes * sizeof *e->slot);
    e->n_slots = first_slot;
    if (e->most_slots < first_slot) e->most_slots = first_slot;
    e->n_free = 0;
    e->locked = 0;
    open_region open[TAPE_REGIONS_DEEP];
    int n_open = 0, next = 0;
    for (int i = 0; i < e->t->n_ins && !e->out->failed; i++) {
        for (; n_open && open[n_open - 1].is->end == i; n_open--)
            end_region(e, open[n_open - 1].is, open[n_open - 1].jump);
        for (; next < e->n_regions && e->t->regions[next].first == i; next++) {
            size_t jump = begin_region(e, next);
            open[n_open++] = (open_region){&e->t->regions[next], jump};
        }
        tape_op op = (tape_op)e->t->ins[i].op;
        if (op == TAPE_STORE) emit_store(e, i);
        else if (op == TAPE_CALL) function_call(e, i);
        else if (op == TAPE_RESULT || is_made_together(e, i)) continue;
        else if (group_at(e, i)) group_call(e, i);
        else if (e->mach->calls(e, op)) library_call(e, i);
        else emit_arithmetic(e, i);
    }
}
