/* The inverse of a matrix in the tape of a step, as in la/inverse.c.
 *
 * Pivots are those of the inverse before, for good; whether elimination in pieces would take the same ones is part of
 * the tape.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "run/whole_tape.h"

#include <string.h>

typedef struct inverse_writer {
    whole_writer *o;
    int n;
    tape_ref *a; // n * n, by rows: the matrix, and what elimination makes of it
    tape_ref fails;
} inverse_writer;

static tape_ref inverse_minus_product(const inverse_writer *x, tape_ref a, tape_ref l, tape_ref u)
{
    tape_ref product = whole_op(x->o, TAPE_MUL, u, l);
    return a == TAPE_NONE ? tape_op1(x->o->b, TAPE_NEG, product)
                          : whole_op(x->o, TAPE_SUB, a, product);
}

static void inverse_weights(const inverse_writer *x, tape_ref *weight)
{
    for (int i = 0; i < x->n; i++) {
        tape_ref most = TAPE_NONE;
        for (int j = 0; j < x->n; j++) {
            if (x->a[i * x->n + j] == TAPE_NONE) continue;
            tape_ref size = tape_op1(x->o->b, TAPE_ABS, x->a[i * x->n + j]);
            most = most == TAPE_NONE ? size : whole_op(x->o, TAPE_MAX, size, most);
        }
        weight[i] =
            most == TAPE_NONE ? most : whole_op(x->o, TAPE_DIV, tape_const(x->o->b, 1), most);
    }
}

/* Would another row be taken for column k? `fails` is above 0 then. Pivots that are no numbers, or are 0 where there
 * is no other row, show in what is not finite. */
static void inverse_look_at_pivot(inverse_writer *x, const tape_ref *weight, const bool *used,
                                  int k)
{
    int p = x->o->step->pivots[k], candidates = 0;
    tape_ref top = TAPE_NONE, own = TAPE_NONE;
    for (int i = 0; i < x->n; i++) {
        if (used[i] || x->a[i * x->n + k] == TAPE_NONE) continue;
        tape_ref size =
            whole_op(x->o, TAPE_MUL, tape_op1(x->o->b, TAPE_ABS, x->a[i * x->n + k]), weight[i]);
        top = top == TAPE_NONE ? size : whole_op(x->o, TAPE_MAX, size, top);
        if (i == p) own = size;
        candidates++;
    }
    if (candidates < 2) return;
    tape_ref missing = whole_op(x->o, TAPE_SUB, whole_times(x->o, LA_INVERSE_KEPT_MIN, top), own);
    x->fails = whole_op(x->o, TAPE_MAX, missing, x->fails);
}

static bool inverse_eliminate(inverse_writer *x)
{
    int n = x->n;
    const int *pivots = x->o->step->pivots;
    tape_ref *weight = whole_refs(x->o, n), *row = whole_refs(x->o, n);
    bool *used = arena_array(&x->o->scratch, bool, n);
    inverse_weights(x, weight);
    for (int k = 0; k < n; k++) {
        int p = pivots[k];
        if (used[p] || x->a[p * n + k] == TAPE_NONE) return false;
        inverse_look_at_pivot(x, weight, used, k);
        used[p] = true;
        tape_ref inv = whole_op(x->o, TAPE_DIV, tape_const(x->o->b, 1), x->a[p * n + k]);
        for (int j = 0; j < n; j++) {
            row[j] = x->a[p * n + j];
            if (row[j] != TAPE_NONE) row[j] = whole_op(x->o, TAPE_MUL, row[j], inv);
        }
        row[k] = inv;
        for (int i = 0; i < n; i++) {
            tape_ref f = x->a[i * n + k];
            if (i == p || f == TAPE_NONE) continue;
            x->a[i * n + k] = TAPE_NONE;
            for (int j = 0; j < n; j++)
                if (row[j] != TAPE_NONE)
                    x->a[i * n + j] = inverse_minus_product(x, x->a[i * n + j], f, row[j]);
        }
        memcpy(x->a + p * n, row, (size_t)n * sizeof *row);
    }
    return true;
}

bool whole_invert(whole_writer *o, whole_matrix *m)
{
    int n = o->n, stride = (n + LA_INVERSE_PAD - 1) / LA_INVERSE_PAD * LA_INVERSE_PAD;
    const vinc_pattern *jac = &o->s->model->system.jac;
    const int *pivots = o->step->pivots;
    inverse_writer x = {.o = o, .n = n, .a = whole_refs(o, n * n), .fails = m->fails};
    for (int j = 0; j < n; j++)
        for (int e = jac->start[j]; e < jac->start[j + 1]; e++) x.a[jac->row[e] * n + j] = m->a[e];
    if (!inverse_eliminate(&x)) return false;
    m->fails = x.fails;
    m->factors = whole_refs(o, n * n);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            tape_ref r = m->factors[k * n + pivots[j]] = x.a[pivots[k] * n + j];
            if (r != TAPE_NONE) tape_store(o->b, tape_out2(k + pivots[j] * stride), r);
        }
    return true;
}

void whole_multiply(whole_writer *o, const whole_matrix *m, tape_ref *b)
{
    int n = o->n;
    tape_ref *z = whole_refs(o, n);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            if (m->factors[k * n + j] == TAPE_NONE) continue;
            z[k] = whole_plus(o, z[k], whole_op(o, TAPE_MUL, m->factors[k * n + j], b[j]));
        }
        if (z[k] == TAPE_NONE) z[k] = tape_const(o->b, 0);
    }
    memcpy(b, z, (size_t)n * sizeof *b);
}
