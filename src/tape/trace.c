/* SPDX-License-Identifier: BSD-3-Clause */
#include "tape/trace.h"

#include <math.h>

void tape_trace_run(tape_trace *x, const tape *t)
{
    tape_args args = x->args;
    args.scratch = arena_array(x->a, double, tape_scratch(t));
    args.out = arena_array(x->a, double, t->extent[TAPE_OUT]);
    args.w = arena_array(x->a, double, t->extent[TAPE_W]);
    for (int k = 0; x->args.w && k < t->extent[TAPE_W]; k++) args.w[k] = x->args.w[k];
    tape_run(t, &args);
    x->t = t;
    x->v = args.scratch; // where it keeps values (run_once.c)
}

double tape_trace_value(const tape_trace *x, tape_ref r)
{
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: return x->v[k];
    case TAPE_CONST: return x->t->consts[k];
    case TAPE_T: return x->args.t;
    case TAPE_P: return x->args.p[k];
    case TAPE_Y: return x->args.y[k];
    case TAPE_YP: return x->args.yp[k];
    case TAPE_W: return x->args.w[k];
    default: return NAN;
    }
}

tape_ref tape_trace_stored(const tape_trace *x, tape_ref target)
{
    for (int i = 0; i < x->t->n_ins; i++)
        if (x->t->ins[i].op == TAPE_STORE && x->t->ins[i].a == target) return x->t->ins[i].b;
    return TAPE_NONE;
}

const tape_call *tape_trace_call(const tape_trace *x, tape_ref r, int *output,
                                 const tape_function **f)
{
    if (tape_kind_of(r) != TAPE_VALUE) return NULL;
    int i = tape_index_of(r);
    if (x->t->ins[i].op != TAPE_RESULT) return NULL;
    *output = (int)x->t->ins[i].a;
    const tape_call *c = &x->t->calls[x->t->ins[i - 1 - *output].a];
    for (*f = c->fn; (*f)->kind == TAPE_FN_GUARDED;) *f = ((const tape_guarded *)(*f)->user)->fn;
    return c;
}

/* Operand k of instruction i; TAPE_NONE: it has fewer. */
static tape_ref trace_operand(const tape_trace *x, int i, int k)
{
    const tape_ins *in = &x->t->ins[i];
    const tape_function *f;
    int output;
    if (in->op < TAPE_N_OPS) return k < tape_op_operands((tape_op)in->op) ? (&in->a)[k] : TAPE_NONE;
    const tape_call *c = tape_trace_call(x, tape_ref_of(TAPE_VALUE, i), &output, &f);
    return c && k < c->fn->n_in ? x->t->args[c->args + k] : TAPE_NONE;
}

/* Does operand k decide the value, with these operands? */
static bool trace_is_taken(const tape_trace *x, int i, int k)
{
    const tape_ins *in = &x->t->ins[i];
    if (in->op < TAPE_SEL_LT || in->op > TAPE_SEL_NE || k < 2) return true;
    double yes = tape_op_value((tape_op)in->op, tape_trace_value(x, in->a),
                               tape_trace_value(x, in->b), 1, 0);
    return (yes != 0) == (k == 2);
}

/* Instructions that r depends on. */
static bool *trace_below(const tape_trace *x, tape_ref r)
{
    bool *below = arena_array(x->a, bool, x->t->n_ins);
    if (tape_kind_of(r) != TAPE_VALUE) return below;
    below[tape_index_of(r)] = true;
    for (int i = tape_index_of(r); i >= 0; i--) {
        tape_ref q;
        for (int k = 0; below[i] && (q = trace_operand(x, i, k)) != TAPE_NONE; k++)
            if (tape_kind_of(q) == TAPE_VALUE) below[tape_index_of(q)] = true;
    }
    return below;
}

static tape_ref trace_hidden_call(const tape_trace *x, tape_ref r)
{
    const bool *below = trace_below(x, r);
    for (int i = 0; i < x->t->n_ins; i++)
        if (below[i] && x->t->ins[i].op == TAPE_RESULT && isnan(x->v[i]))
            return tape_ref_of(TAPE_VALUE, i);
    return r;
}

tape_ref tape_trace_blamed(const tape_trace *x, tape_ref r, tape_ref *leaf)
{
    bool *need = arena_array(x->a, bool, x->t->n_ins);
    *leaf = r;
    if (tape_kind_of(r) != TAPE_VALUE) return TAPE_NONE;
    need[tape_index_of(r)] = true;
    for (int i = tape_index_of(r); i >= 0; i--) {
        bool open = false;
        tape_ref q;
        if (!need[i] || isfinite(x->v[i])) continue;
        for (int k = 0; (q = trace_operand(x, i, k)) != TAPE_NONE; k++) {
            if (isfinite(tape_trace_value(x, q)) || !trace_is_taken(x, i, k)) continue;
            open = true;
            if (tape_kind_of(q) == TAPE_VALUE) need[tape_index_of(q)] = true;
            else *leaf = q;
        }
        if (!open) return trace_hidden_call(x, tape_ref_of(TAPE_VALUE, i));
    }
    return TAPE_NONE;
}

tape_ref tape_trace_quotient(const tape_trace *x, tape_ref r, tape_ref reciprocal)
{
    const bool *below = trace_below(x, r);
    for (int i = 0; i < x->t->n_ins; i++) {
        const tape_ins *in = &x->t->ins[i];
        if (below[i] && in->op == TAPE_MUL && (in->a == reciprocal) != (in->b == reciprocal))
            return tape_ref_of(TAPE_VALUE, i);
    }
    return reciprocal;
}

int tape_trace_leaves(const tape_trace *x, tape_ref r, tape_ref *leaf, int n)
{
    const bool *below = trace_below(x, r);
    int found = 0;
    if (tape_kind_of(r) != TAPE_VALUE) return n ? (leaf[0] = r, 1) : 0;
    for (int i = 0; i <= tape_index_of(r); i++) {
        tape_ref q;
        for (int k = 0; below[i] && (q = trace_operand(x, i, k)) != TAPE_NONE; k++) {
            bool known = tape_kind_of(q) <= TAPE_T;
            for (int j = 0; j < found; j++) known = known || leaf[j] == q;
            if (!known && found < n) leaf[found++] = q;
        }
    }
    return found;
}
