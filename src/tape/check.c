/* SPDX-License-Identifier: BSD-3-Clause */
#include "tape/check.h"

/* Can instruction i read r? */
static bool reads(const tape *t, int i, tape_ref r)
{
    tape_kind kind = tape_kind_of(r);
    int at = tape_index_of(r);
    if (kind == TAPE_VALUE)
        return at < i && t->ins[at].op != TAPE_STORE && t->ins[at].op != TAPE_CALL;
    if (kind == TAPE_CONST) return at < t->n_consts;
    return kind <= TAPE_X && at < t->extent[kind];
}

static bool call_stands(const tape *t, int i, const tape_ins *in)
{
    if (in->a >= (uint32_t)t->n_calls) return false;
    const tape_call *c = &t->calls[in->a];
    if (!c->fn || c->args < 0 || c->fn->n_in > t->n_args - c->args || c->fn->n_in > t->max_in)
        return false;
    if (c->n_far && (c->first < 0 || c->n_far < 0 || c->first + c->n_far > c->fn->n_in))
        return false;
    for (int k = 0; k < c->fn->n_in; k++)
        if (!reads(t, i, t->args[c->args + k])) return false;
    return i + c->fn->n_out < t->n_ins;
}

/* Result a of a call: the call stands a + 1 instructions before it. */
static bool result_stands(const tape *t, int i, uint32_t a)
{
    if (a >= (uint32_t)i) return false;
    const tape_ins *call = &t->ins[i - 1 - (int)a];
    return call->op == TAPE_CALL && call->a < (uint32_t)t->n_calls &&
           (int)a < t->calls[call->a].fn->n_out;
}

static bool instruction_stands(const tape *t, int i)
{
    const tape_ins *in = &t->ins[i];
    const tape_ref of[] = {in->a, in->b, in->c, in->d};
    if (in->op == TAPE_CALL) return call_stands(t, i, in);
    if (in->op == TAPE_RESULT) return result_stands(t, i, in->a);
    if (in->op == TAPE_STORE) {
        tape_kind kind = tape_kind_of(in->a);
        bool target = kind == TAPE_W || kind == TAPE_X || kind == TAPE_OUT || kind == TAPE_OUT2;
        return target && tape_index_of(in->a) < t->extent[kind] && reads(t, i, in->b);
    }
    if (in->op >= TAPE_N_OPS) return false;
    for (int k = 0; k < tape_op_operands((tape_op)in->op); k++)
        if (!reads(t, i, of[k])) return false;
    return true;
}

/* Regions lie one inside the other or one after the other, and their conditions are known before them. */
static bool regions_stand(const tape *t)
{
    int end[TAPE_REGIONS_DEEP], depth = 0, last = 0;
    for (int k = 0; k < t->n_regions; k++) {
        const tape_region *r = &t->regions[k];
        if (r->first < last || r->end < r->first || r->end > t->n_ins) return false;
        if (r->op < TAPE_SEL_LT || r->op > TAPE_SEL_NE) return false;
        if (!reads(t, r->first, r->a) || !reads(t, r->first, r->b)) return false;
        while (depth && end[depth - 1] <= r->first) depth--;
        if (depth == TAPE_REGIONS_DEEP || (depth && r->end > end[depth - 1])) return false;
        end[depth++] = r->end;
        last = r->first;
    }
    return true;
}

bool tape_stands(const tape *t, const tape_extents *most, bool in_map)
{
    if (t->n_ins > TAPE_INDEX_MAX || t->n_consts > TAPE_INDEX_MAX) return false;
    if ((t->n_ins && !t->ins) || (t->n_consts && !t->consts) || (t->n_calls && !t->calls) ||
        (t->n_args && !t->args) || (t->n_regions && !t->regions))
        return false;
    for (int k = TAPE_T; k < TAPE_N_KINDS; k++)
        if (t->extent[k] < 0 || (k != TAPE_X && t->extent[k] > most->of[k])) return false;
    if (!in_map && t->extent[TAPE_X]) return false;
    for (int k = 0; k < t->n_calls; k++)
        if (!t->calls[k].fn) return false;
    for (int i = 0; i < t->n_ins; i++)
        if (!instruction_stands(t, i)) return false;
    return regions_stand(t);
}

static bool access_stands(const tape_access *a, int n, const tape_extents *most)
{
    if (a->array < TAPE_P || a->array > TAPE_OUT2 || a->array == TAPE_X) return false;
    if (n && !a->list) { // the first and the last of them
        int64_t last = (int64_t)a->base + (int64_t)(n - 1) * a->stride;
        return a->base >= 0 && a->base < most->of[a->array] && last >= 0 &&
               last < most->of[a->array];
    }
    for (int i = 0; i < n; i++) {
        int64_t at = (int64_t)a->base + a->list[i];
        if (at < 0 || at >= most->of[a->array]) return false;
    }
    return true;
}

/* Operands that are read may lie in p, y, y' and w, targets of stores in w, out and out2. */
static bool map_stands(const tape_step *s, const tape_extents *most)
{
    const tape *t = s->kernel;
    int n_x = t->extent[TAPE_X];
    if (n_x && !s->access) return false;
    for (int k = 0; k < n_x; k++)
        if (!access_stands(&s->access[k], s->n, most)) return false;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        bool store = in->op == TAPE_STORE;
        const tape_ref of[] = {store ? in->b : in->a, in->b, in->c, in->d};
        int n = store ? 1 : in->op < TAPE_N_OPS ? tape_op_operands((tape_op)in->op) : 0;
        for (int k = 0; k < n; k++)
            if (tape_kind_of(of[k]) == TAPE_X && s->access[tape_index_of(of[k])].array > TAPE_W)
                return false;
        if (store && tape_kind_of(in->a) == TAPE_X &&
            s->access[tape_index_of(in->a)].array < TAPE_W)
            return false;
    }
    for (int k = 0; k < t->n_args; k++)
        if (tape_kind_of(t->args[k]) == TAPE_X &&
            s->access[tape_index_of(t->args[k])].array > TAPE_W)
            return false;
    return true;
}

static bool sum_stands(const tape_step *s, const tape_extents *most)
{
    if (!s->access || s->access->array < TAPE_W || !access_stands(s->access, s->n, most))
        return false;
    if (!s->start || s->start[0] != 0 || (s->start[s->n] && !s->index)) return false;
    for (int i = 0; i < s->n; i++)
        if (s->start[i] > s->start[i + 1]) return false;
    for (int k = 0; k < s->start[s->n]; k++)
        if (s->index[k] < 0 || s->index[k] >= most->of[TAPE_W]) return false;
    return true;
}

bool tape_program_stands(const tape_program *p, const tape_extents *most)
{
    if (p->n_steps && !p->steps) return false;
    tape_extents all = {{0}}; // of the program: what it says is at most what there is
    for (int k = TAPE_T; k < TAPE_N_KINDS; k++) {
        all.of[k] = p->extent[k];
        if (p->extent[k] < 0 || p->extent[k] > most->of[k]) return false;
    }
    for (int q = 0; q < p->n_steps; q++) {
        const tape_step *s = &p->steps[q];
        bool map = s->kind == TAPE_STEP_MAP;
        if (s->n < 0 || s->kind > TAPE_STEP_SUM) return false;
        if (s->kind == TAPE_STEP_SUM) {
            if (!sum_stands(s, &all)) return false;
        } else if (!s->kernel || !tape_stands(s->kernel, &all, map) ||
                   (map && !map_stands(s, &all)))
            return false;
    }
    return true;
}
