/* Are these bytes a program? For programs that were read from a file: whatever runs or compiles one relies on all that is
 * looked at here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "routine/routine_rows.h"

static bool is_register(const routine_program *p, int r)
{
    return r >= 0 && r < p->n_registers;
}

/* lists[at ...] is {n, registers}, and ends inside the lists. */
static bool list_stands(const routine_program *p, int at, int more, int *n)
{
    if (at < 0 || at >= p->n_lists || !p->lists) return false;
    *n = p->lists[at];
    if (*n < 0 || *n > p->n_lists - at - 1 - more) return false;
    for (int k = 0; k < *n; k++)
        if (!is_register(p, p->lists[at + 1 + k])) return false;
    return true;
}

static bool call_stands(const routine_program *p, const routine_ins *t, const routine_set *set)
{
    int n_in, n_out;
    const tape_function *f = t->a < 0 ? NULL : routine_at(set, t->a);
    if (!list_stands(p, t->dst, 1, &n_in) || !list_stands(p, t->dst + n_in + 1, 0, &n_out))
        return false;
    return !f || (n_in == f->n_in && n_out == f->n_out); // without a function the call has no value
}

/* lists[b ...] is {n + 1, registers, 0}. */
static bool pick_stands(const routine_program *p, const routine_ins *t)
{
    int n;
    return is_register(p, t->dst) && is_register(p, t->a) && list_stands(p, t->b, 0, &n) && n > 0;
}

static bool instruction_stands(const routine_program *p, const routine_ins *t,
                               const routine_set *set)
{
    bool a = is_register(p, t->a), b = is_register(p, t->b),
         jump = t->dst >= 0 && t->dst <= p->n_ins;
    switch (t->op) {
    case PROGRAM_COPY: return a && is_register(p, t->dst);
    case PROGRAM_JUMP: return jump;
    case PROGRAM_UNLESS: return a && jump;
    case PROGRAM_CALL: return call_stands(p, t, set);
    case PROGRAM_FAIL: return t->dst >= -1 && t->dst < p->n_fails && (t->dst < 0 || p->fails);
    case PROGRAM_CHECK: return a && b && t->dst >= 0 && t->dst < p->n_checks && p->checks;
    case PROGRAM_PICK: return pick_stands(p, t);
    case PROGRAM_TABLE:
        return a && is_register(p, t->dst) && p->tables && t->b >= 0 && t->c >= 0 &&
               t->c < p->n_tables && t->b < p->n_tables - t->c;
    default: break;
    }
    int arity = t->op < EXPR_N_OPS ? operator_arity((expr_op)t->op) : 0;
    return arity >= 1 && arity <= 3 && a && b && is_register(p, t->c) && is_register(p, t->dst);
}

static bool integral_stands(const routine_program *p, const routine_set *set, int depth)
{
    const routine_integral *q = p->integral;
    const routine_program *f = q->integrand;
    int numbers = q->n + q->dims + (q->region ? 2 * q->dims : 0);
    return q->dims >= 1 && q->dims <= 3 && q->n >= 1 && q->watched <= q->n && f && f != p &&
           (!q->region || q->n >= INTEGRAL_HIDDEN) && p->n_results <= q->n &&
           f->n_args == p->n_args + q->dims && f->n_results >= numbers && q->name &&
           routine_program_stands(f, set, depth - 1);
}

bool routine_program_stands(const routine_program *p, const routine_set *set, int depth)
{
    int64_t named = (int64_t)p->n_args + p->n_slots + p->n_consts;
    if (depth < 0 || !p->name || p->n_registers > PROGRAM_REGISTERS ||
        p->n_ins > PROGRAM_INSTRUCTIONS)
        return false;
    if (p->integral) return integral_stands(p, set, depth);
    if (named > p->n_registers || (p->n_ins && !p->ins) || (p->n_consts && !p->consts) ||
        (p->n_results && !p->results) || (p->n_placed && !p->placed))
        return false;
    for (int k = 0; k < p->n_loops; k++) {
        const routine_loop *l = p->loops ? &p->loops[k] : NULL;
        if (!l || l->first < 0 || l->last < l->first || l->last >= p->n_ins) return false;
    }
    for (int i = 0; i < p->n_ins; i++)
        if (!instruction_stands(p, &p->ins[i], set)) return false;
    return true;
}
