/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/groups.h"

#include <string.h>

static bool is_ours(uint32_t op)
{
    return op < TAPE_N_OPS && tape_op_flags((tape_op)op) & TAPE_OURS;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Stretches are ordered each for itself: between the ends of regions, calls of routines and results, and not too long, as what
 * is computed early is kept in memory until it is used. */
enum { STRETCH_INSTRUCTIONS = 2000 };

typedef struct ordering {
    const tape *t;
    int *
        depth; // per instruction of the stretch: our calls on the longest way to it, itself included
    int *
        round; // in which it is computed: calls in the odd ones, what they need before; INT32_MAX: the rest
    int *place; // per instruction: where it goes
    int n_rounds;
} ordering;

static int refs_from(const tape_ins *in, tape_ref of[4])
{
    of[0] = in->op == TAPE_STORE ? in->b : in->a;
    of[1] = in->b, of[2] = in->c, of[3] = in->d;
    return tape_n_operands(in);
}

/* The operands that the stretch from `begin` on computes; the others: -1. */
static int inner_operands(const tape *t, int i, int begin, int at[4])
{
    tape_ref of[4];
    int n = refs_from(&t->ins[i], of);
    for (int k = 0; k < n; k++)
        at[k] = tape_kind_of(of[k]) == TAPE_VALUE && tape_index_of(of[k]) >= begin
                    ? tape_index_of(of[k])
                    : -1;
    return n;
}

static void find_rounds(ordering *o, int begin, int end)
{
    int at[4];
    o->n_rounds = 0;
    for (int i = begin; i < end; i++) {
        int n = inner_operands(o->t, i, begin, at), depth = 0;
        for (int k = 0; k < n; k++)
            if (at[k] >= 0 && o->depth[at[k]] > depth) depth = o->depth[at[k]];
        o->depth[i] = depth + is_ours(o->t->ins[i].op);
        if (o->depth[i] > o->n_rounds) o->n_rounds = o->depth[i];
        o->round[i] = INT32_MAX;
    }
    for (int i = end - 1; i >= begin; i--) {
        if (is_ours(o->t->ins[i].op)) o->round[i] = 2 * o->depth[i] - 1;
        if (o->round[i] == INT32_MAX) continue;
        int n = inner_operands(o->t, i, begin, at), before = o->round[i] & ~1;
        for (int k = 0; k < n; k++)
            if (at[k] >= 0 && o->round[at[k]] > before) o->round[at[k]] = before;
    }
}

/* Those of a round in the order in which they stand. */
static void place_stretch(ordering *o, int begin, int end, int *start)
{
    int rounds = 2 * o->n_rounds, next = begin;
    memset(start, 0, (size_t)(rounds + 1) * sizeof *start);
    for (int i = begin; i < end; i++) {
        if (o->round[i] > rounds) o->round[i] = rounds;
        start[o->round[i]]++;
    }
    for (int r = 0; r <= rounds; r++) {
        int n = start[r];
        start[r] = next;
        next += n;
    }
    for (int i = begin; i < end; i++) o->place[i] = start[o->round[i]]++;
}

static bool ends_stretch(const tape *t, int i)
{
    return t->ins[i].op == TAPE_CALL || t->ins[i].op == TAPE_RESULT;
}

static tape_ref ref_after(const int *place, tape_ref r)
{
    return tape_kind_of(r) == TAPE_VALUE ? tape_ref_of(TAPE_VALUE, place[tape_index_of(r)]) : r;
}

static const tape *reorder_tape(const tape *t, const int *place, pool *temp)
{
    tape *x = pool_raw_array(temp, tape, 1);
    tape_ins *ins = pool_raw_array(temp, tape_ins, t->n_ins);
    tape_ref *args = pool_raw_array(temp, tape_ref, t->n_args);
    tape_region *regions = pool_raw_array(temp, tape_region, t->n_regions);
    if (temp->failed) return NULL;
    *x = *t;
    for (int i = 0; i < t->n_ins; i++) {
        tape_ins in = t->ins[i];
        if (in.op == TAPE_STORE) {
            in.b = ref_after(place, in.b);
        } else if (in.op < TAPE_N_OPS) {
            tape_ref *const of[] = {&in.a, &in.b, &in.c, &in.d};
            for (int k = 0; k < tape_op_operands((tape_op)in.op); k++)
                *of[k] = ref_after(place, *of[k]);
        }
        ins[place[i]] = in;
    }
    for (int k = 0; k < t->n_args; k++) args[k] = ref_after(place, t->args[k]);
    for (int k = 0; k < t->n_regions; k++) {
        regions[k] = t->regions[k];
        regions[k].a = ref_after(place, regions[k].a);
        regions[k].b = ref_after(place, regions[k].b);
    }
    x->ins = ins;
    x->args = args;
    x->regions = regions;
    return x;
}

const tape *groups_order(const tape *t, pool *temp)
{
    int n_ours = 0;
    for (int i = 0; i < t->n_ins; i++) n_ours += is_ours(t->ins[i].op);
    if (n_ours < 2) return t;
    ordering o = {.t = t,
                  .depth = pool_raw_array(temp, int, t->n_ins),
                  .round = pool_raw_array(temp, int, t->n_ins),
                  .place = pool_raw_array(temp, int, t->n_ins)};
    int *start = pool_raw_array(temp, int, 2 * STRETCH_INSTRUCTIONS + 1);
    uint8_t *edge = pool_array(temp, uint8_t, t->n_ins + 1); // a stretch ends before it
    if (temp->failed) return NULL;
    for (int k = 0; k < t->n_regions; k++) edge[t->regions[k].first] = edge[t->regions[k].end] = 1;
    bool same = true;
    for (int begin = 0, end; begin < t->n_ins; begin = end) {
        end = begin;
        if (ends_stretch(t, begin)) {
            o.place[end++] = begin;
            continue;
        }
        do end++;
        while (end < t->n_ins && !edge[end] && !ends_stretch(t, end) &&
               end - begin < STRETCH_INSTRUCTIONS);
        find_rounds(&o, begin, end);
        place_stretch(&o, begin, end, start);
        for (int i = begin; i < end; i++) same = same && o.place[i] == i;
    }
    return same ? t : reorder_tape(t, o.place, temp);
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct joining {
    const tape *t;
    const tape_nodes *nodes;
    int most;
    call_groups *g;
    int n_groups;
    int open
        [TAPE_N_OPS]; // per operation: the group that may be joined, plus one; cosines with sines
    int *turned; // per node: GROUP_MOST times the group plus the place where it is turned, plus one
    int *region, *first; // per instruction: region; per group: its first instruction
} joining;

/* Per instruction: the innermost region that it is in, plus one; 0: none. */
static int *region_of_each(const tape *t, pool *temp)
{
    int *of = pool_array(temp, int, t->n_ins + 1);
    for (int k = 0; of && k < t->n_regions; k++) // inner ones come after those around them
        for (int i = t->regions[k].first; i < t->regions[k].end; i++) of[i] = k + 1;
    return of;
}

static tape_ref second_operand(const tape_ins *in)
{
    return tape_op_operands((tape_op)in->op) == 2 ? in->b : TAPE_NONE;
}

static bool may_join(const joining *j, int group, int i)
{
    const call_group *g = &j->g->group[group];
    if (g->second != second_operand(&j->t->ins[i])) return false;
    uint32_t node = j->nodes->operand[i][0];
    int first = j->first[group];
    return g->n < j->most && j->region[i] == j->region[first] &&
           (node >= (uint32_t)j->t->n_ins || node < (uint32_t)first);
}

static void join_group(joining *j, int i)
{
    tape_op op = (tape_op)j->t->ins[i].op, family = op == TAPE_COS ? TAPE_SIN : op;
    uint32_t node = j->nodes->operand[i][0];
    int *known = family == TAPE_SIN ? &j->turned[node] : NULL;
    tape_ref second = second_operand(&j->t->ins[i]);
    if (second != TAPE_NONE && tape_kind_of(second) != TAPE_CONST) return;
    int cosine = op == TAPE_COS;
    if (known && *known) {
        int group = (*known - 1) / GROUP_MOST, k = (*known - 1) % GROUP_MOST;
        int *value = &j->g->group[group].value[k][cosine];
        if (j->region[j->first[group]] == j->region[i] && *value < 0) {
            *value = i;
            j->g->of[i] = GROUP_TOGETHER;
            return;
        }
    }
    int group = j->open[family] - 1;
    if (group < 0 || !may_join(j, group, i)) {
        group = j->n_groups++;
        j->g->group[group] = (call_group){.op = family, .second = second};
        j->first[group] = i;
        j->open[family] = group + 1;
        j->g->of[i] = group + 1;
    } else {
        j->g->of[i] = GROUP_TOGETHER;
    }
    call_group *g = &j->g->group[group];
    g->node[g->n] = node;
    g->value[g->n][cosine] = i;
    g->value[g->n][!cosine] = -1;
    if (known) *known = GROUP_MOST * group + g->n + 1;
    g->n++;
}

/* What is asked for of sines and cosines; a single value is a call as any other. */
static void settle_group(joining *j, int group)
{
    call_group *g = &j->g->group[group];
    bool has[2] = {false, false};
    for (int k = 0; k < g->n; k++)
        for (int c = 0; c < 2; c++) has[c] = has[c] || g->value[k][c] >= 0;
    g->both = has[0] && has[1];
    if (!has[0]) g->op = TAPE_COS;
    if (g->n == 1 && !g->both) j->g->of[j->first[group]] = 0;
}

bool groups_find(const tape *t, const tape_nodes *nodes, int most, pool *temp, call_groups *g)
{
    int n_ours = 0;
    for (int i = 0; i < t->n_ins; i++) n_ours += is_ours(t->ins[i].op);
    *g = (call_groups){NULL, NULL};
    if (n_ours < 2) return true;
    joining j = {.t = t,
                 .nodes = nodes,
                 .most = most,
                 .g = g,
                 .turned = pool_array(temp, int, nodes->n_values + nodes->n_leaves),
                 .region = region_of_each(t, temp),
                 .first = pool_raw_array(temp, int, n_ours)};
    g->group = pool_raw_array(temp, call_group, n_ours);
    g->of = pool_array(temp, int, t->n_ins);
    if (temp->failed) return false;
    for (int i = 0; i < t->n_ins; i++)
        if (is_ours(t->ins[i].op)) join_group(&j, i);
    for (int k = 0; k < j.n_groups; k++) settle_group(&j, k);
    return true;
}
