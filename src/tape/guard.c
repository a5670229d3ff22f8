/* Calls that only one branch of a select needs are made only where it is taken.
 *
 * A tape computes both sides of every select. That is cheap but for calls of routines: properties of
 * water ask for an iteration in each of five regions, of which four do not even converge. A call gets
 * the operands of the selects in whose branches it stands (branches.h) as further arguments and looks
 * at them first.
 *
 * A condition never depends on a call that it guards: the call would be used outside of the branch,
 * by the condition, and so not be guarded by it. It may stand after the call on the tape, though;
 * then it is left out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/branches.h"

#include <string.h>

/* ---- guarded calls --------------------------------------------------------------------------- */

static bool is_needed(const tape_guarded *x, const double *in)
{
    const double *pair = in + x->fn->n_in;
    for (int k = 0; k < x->n; k++)
        if (tape_op_value((tape_op)x->test[2 * k], pair[2 * k], pair[2 * k + 1], 1, 0) !=
            x->test[2 * k + 1])
            return false;
    return true;
}

static void guarded_value(void *user, void *run, const double *in, double *out)
{
    const tape_guarded *x = user;
    if (is_needed(x, in)) x->fn->value(x->fn->user, run, in, out);
    else memset(out, 0, (size_t)x->fn->n_out * sizeof *out);
}

static void guarded_far(void *user, void *run, const double *in, const tape_stretch *far,
                        double *out)
{
    const tape_guarded *x = user;
    if (is_needed(x, in)) x->fn->value_far(x->fn->user, run, in, far, out);
    else memset(out, 0, (size_t)x->fn->n_out * sizeof *out);
}

static void guarded_partials(void *user, void *run, const uint8_t *active, const double *in,
                             double *jac)
{
    const tape_guarded *x = user;
    size_t n = (size_t)x->fn->n_in, all = n + 2 * (size_t)x->n, m = (size_t)x->fn->n_out;
    memset(jac, 0, m * all * sizeof *jac);
    if (!is_needed(x, in)) return;
    x->fn->partials(x->fn->user, run, active, in, jac);
    for (size_t i = m; i-- > 1;) memmove(jac + i * all, jac + i * n, n * sizeof *jac);
}

static const char *const definition[] = {
#define OP(name, operands, mnemonic, flags, value) [TAPE_##name] = #value,
    TAPE_OPS(OP)
#undef OP
};

static void print_condition(const tape_guarded *x, int k, text *out)
{
    int pair = x->fn->n_in + 2 * k;
    text_add(out, x->test[2 * k + 1] ? "(" : "!(");
    for (const char *p = definition[x->test[2 * k]]; *p; p++) {
        if (*p == 'A' || *p == 'B') text_printf(out, "in[%d]", pair + (*p == 'B'));
        else text_char(out, *p == 'C' ? '1' : *p == 'D' ? '0' : *p);
    }
    text_char(out, ')');
}

static bool guarded_as_c(const tape_function *fn, tape_c *c, const char *name,
                         const uint8_t *active)
{
    const tape_guarded *x = fn->user;
    int n = x->fn->n_in, all = fn->n_in, m = x->fn->n_out, size = active ? m * all : m;
    const char *itself = tape_c_name(c, x->fn, active);
    if (!itself) return false;
    tape_c_begin(c, name);
    text_printf(c->out, "    for (int i = 0; i < %d; i++) out[i] = 0;\n    if (", size);
    for (int k = 0; k < x->n; k++) {
        if (k) text_add(c->out, " && ");
        print_condition(x, k, c->out);
    }
    text_printf(c->out, ") %s(run, in, out);\n", itself);
    if (active) // rows of its own arguments, to rows of all
        text_printf(c->out,
                    "    for (int i = %d; i > 0; i--)\n        for (int j = %d; j >= 0; j--) "
                    "out[i * %d + j] = out[i * %d + j];\n",
                    m - 1, n - 1, all, n);
    text_add(c->out, "}\n\n");
    return true;
}

const tape_function *tape_guarded_function(const tape_guarded *x, arena *a)
{
    tape_guarded *kept = arena_new(a, tape_guarded);
    tape_function *fn = arena_new(a, tape_function);
    *kept = *x;
    *fn = *x->fn;
    fn->kind = TAPE_FN_GUARDED;
    fn->n_in = x->fn->n_in + 2 * x->n;
    fn->n_deciding = 2 * x->n;
    fn->value = guarded_value;
    fn->value_far = x->fn->value_far ? guarded_far : NULL;
    fn->partials = x->fn->partials ? guarded_partials : NULL;
    fn->user = kept;
    fn->as_c = guarded_as_c;
    return fn;
}

static bool is_before(tape_ref r, int i)
{
    return tape_kind_of(r) != TAPE_VALUE || tape_index_of(r) < i;
}

static void guard_call(branch_search *g, tape_builder *b, int i, arena *result)
{
    tape_call *c = &b->calls.at[b->ins.at[i].a];
    tape_guarded x = {.fn = c->fn};
    tape_ref operands[2 * TAPE_GUARDS_MAX];
    for (int w = g->where[i]; w != BRANCH_ALWAYS && x.n < TAPE_GUARDS_MAX;
         w = g->branches.at[w].around) {
        const tape_branch *at = &g->branches.at[w];
        if (!is_before(at->a, i) || !is_before(at->b, i)) continue;
        x.test[2 * x.n] = (uint8_t)at->op;
        x.test[2 * x.n + 1] = at->yes;
        operands[2 * x.n] = at->a;
        operands[2 * x.n++ + 1] = at->b;
    }
    if (!x.n) return;
    int args = b->args.n;
    for (int k = 0; k < x.fn->n_in; k++) {
        tape_ref r = b->args.at[c->args + k];
        array_push(b->a, &b->args, r);
    }
    for (int k = 0; k < 2 * x.n; k++) array_push(b->a, &b->args, operands[k]);
    *c = (tape_call){.fn = tape_guarded_function(&x, result), .args = args};
}

void tape_guard_calls(tape_builder *b, arena *result)
{
    if (!b->calls.n) return;
    branch_search g = branches_find(b);
    for (int i = 0; i < b->ins.n && g.branches.n > 1; i++) {
        if (b->ins.at[i].op != TAPE_CALL || g.where[i] == BRANCH_NO_USE ||
            g.where[i] == BRANCH_ALWAYS)
            continue;
        const tape_function *fn = b->calls.at[b->ins.at[i].a].fn;
        if (!fn->impure && !fn->n_deciding) guard_call(&g, b, i, result);
    }
}
