/* Sparse elimination in the tape of a step, and solutions by its factors, as in la/indexed.c: multipliers that are too
 * large are for steps in pieces, which look for other pivots.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"
#include "run/whole_tape.h"

#include <string.h>

/* a - l u, where absent numbers are 0. */
static tape_ref lists_minus(const whole_writer *x, tape_ref a, tape_ref l, tape_ref u)
{
    if (l == TAPE_NONE || u == TAPE_NONE) return a;
    tape_ref product = whole_op(x, TAPE_MUL, l, u);
    return a == TAPE_NONE ? tape_op1(x->b, TAPE_NEG, product) : whole_op(x, TAPE_SUB, a, product);
}

/* The entries of the pattern, rows weighed. */
static void lists_load(whole_writer *x, const tape_ref *weight, const whole_matrix *m)
{
    const la_lists *f = x->step->lists;
    const vinc_pattern *jac = x->pattern;
    int *at = arena_array(&x->scratch, int, f->n); // by row: its step
    for (int k = 0; k < f->n; k++) at[f->row[k]] = k;
    for (int e = 0; e < jac->nnz; e++)
        if (m->a[e] != TAPE_NONE)
            m->factors[f->where[e]] = whole_op(x, TAPE_MUL, weight[at[jac->row[e]]], m->a[e]);
}

bool whole_eliminate(whole_writer *x, const tape_ref *weight, whole_matrix *m)
{
    const la_lists *f = x->step->lists;
    const int *target = f->target;
    tape_ref *v = m->factors = whole_refs(x, f->n_values), most = TAPE_NONE;
    lists_load(x, weight, m);
    for (int k = 0; k < f->steps; k++) {
        const int u = f->start[2 * k], l = f->start[2 * k + 1], end = f->start[2 * k + 2];
        tape_ref *entry = v + f->steps;
        if (v[k] == TAPE_NONE) return false;
        v[k] = whole_op(x, TAPE_DIV, tape_const(x->b, 1), v[k]);
        for (int e = l; e < end; e++, target += l - u) {
            if (entry[e] == TAPE_NONE) continue;
            entry[e] = whole_op(x, TAPE_MUL, entry[e], v[k]);
            tape_ref size = tape_op1(x->b, TAPE_ABS, entry[e]);
            most = most == TAPE_NONE ? size : whole_op(x, TAPE_MAX, size, most);
            for (int j = 0; j < l - u; j++)
                v[target[j]] = lists_minus(x, v[target[j]], entry[e], entry[u + j]);
        }
    }
    if (most == TAPE_NONE) return true;
    tape_ref beyond = whole_op(x, TAPE_SUB, most, tape_const(x->b, LA_MULTIPLIER_MAX));
    m->fails = whole_op(x, TAPE_MAX, beyond, m->fails);
    return true;
}

void whole_store_factors(whole_writer *x, const whole_matrix *m)
{
    const tape_ref *v = m->factors;
    for (int k = 0; k < x->step->lists->n_values; k++)
        tape_store(x->b, tape_out2(k), v[k] == TAPE_NONE ? tape_const(x->b, 0) : v[k]);
}

void whole_solve(whole_writer *o, const tape_ref *weight, const whole_matrix *m, tape_ref *b)
{
    const la_lists *f = o->step->lists;
    const tape_ref *v = m->factors, *entry = v + f->steps;
    tape_ref *x = whole_refs(o, f->n);
    for (int k = 0; k < f->n; k++) x[k] = whole_op(o, TAPE_MUL, b[f->row[k]], weight[k]);
    for (int k = 0; k < f->steps; k++)
        for (int e = f->start[2 * k + 1]; e < f->start[2 * k + 2]; e++)
            x[f->line[e]] = lists_minus(o, x[f->line[e]], entry[e], x[k]);
    for (int k = f->steps - 1; k >= 0; k--) {
        for (int e = f->start[2 * k]; e < f->start[2 * k + 1]; e++)
            x[k] = lists_minus(o, x[k], entry[e], x[f->line[e]]);
        b[f->col[k]] = x[k] = whole_op(o, TAPE_MUL, x[k], v[k]);
    }
}
