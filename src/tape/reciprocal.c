/* Quotients by what does not change in a run, as products with the reciprocal.
 *
 * What waits for a quotient waits four times as long as for a product, and a reciprocal is computed once for all
 * quotients by the same number. It is off by one rounding more: x/49 is no longer 1 where x is 49. So quotients stay
 * that reach a decision or a rounded value, or a function that has no value beyond 0 or 1. A number whose reciprocal
 * underflows stays a divisor; of parameters 1/0 and 1/infinity give what quotients do, and below 5.6e-309, where a
 * reciprocal is infinite, a parameter is taken for 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <math.h>

typedef struct reciprocals {
    arena *scratch, *result;
    bool *exact; // by element of w: quotients stay that reach it
    bool any;    // quotients that became products
} reciprocals;

/* Of the instructions of a kernel. */
typedef struct reciprocal_kernel {
    const tape_step *step;
    uint8_t *fixed; // computed of parameters and numbers alone
    uint8_t *exact; // what it is computed of stays as it is
} reciprocal_kernel;

/* The array and element that an operand of instance i is. */
static tape_kind reciprocal_place(const tape_step *s, tape_ref r, int i, int *element)
{
    *element = tape_index_of(r);
    if (tape_kind_of(r) != TAPE_X) return tape_kind_of(r);
    const tape_access *at = &s->access[*element];
    *element = tape_element(at, i);
    return at->array;
}

static bool reciprocal_is_fixed(const reciprocal_kernel *x, tape_ref r)
{
    int element;
    if (tape_kind_of(r) == TAPE_VALUE) return x->fixed[tape_index_of(r)];
    tape_kind kind = reciprocal_place(x->step, r, 0, &element);
    return kind == TAPE_CONST || kind == TAPE_P;
}

/* ---- what has to be exact -------------------------------------------------------------------- */

/* Of the operands of an operation, how many of the first have to be. */
static int reciprocal_exact_operands(uint32_t op)
{
    switch (op) {
    case TAPE_FLOOR:
    case TAPE_CEIL:
    case TAPE_TRUNC:
    case TAPE_SQRT:
    case TAPE_LOG:
    case TAPE_LOG10:
    case TAPE_ASIN:
    case TAPE_ACOS: return 1;
    case TAPE_SEL_LT:
    case TAPE_SEL_LE:
    case TAPE_SEL_EQ:
    case TAPE_SEL_NE:
    case TAPE_POW: return 2;
    default: return 0;
    }
}

static void reciprocal_mark(const reciprocals *q, const reciprocal_kernel *x, tape_ref r)
{
    int element;
    if (tape_kind_of(r) == TAPE_VALUE) x->exact[tape_index_of(r)] = 1;
    if (reciprocal_place(x->step, r, 0, &element) != TAPE_W) return;
    for (int i = 0; i < x->step->n; i++) {
        reciprocal_place(x->step, r, i, &element);
        q->exact[element] = true;
    }
}

static bool reciprocal_stored_exactly(const reciprocals *q, const tape_step *s, tape_ref target)
{
    int element;
    for (int i = 0; i < s->n; i++) {
        if (reciprocal_place(s, target, i, &element) != TAPE_W) return false;
        if (q->exact[element]) return true;
    }
    return false;
}

/* Backwards; elements of w that it reads come from steps before. */
static void reciprocal_mark_exact(const reciprocals *q, const reciprocal_kernel *x)
{
    const tape *t = x->step->kernel;
    for (int i = t->n_ins - 1; i >= 0; i--) {
        const tape_ins *in = &t->ins[i];
        const tape_ref operand[] = {in->a, in->b, in->c, in->d};
        if (in->op == TAPE_STORE && reciprocal_stored_exactly(q, x->step, in->a))
            reciprocal_mark(q, x, in->b);
        if (in->op == TAPE_CALL)
            for (int k = 0; k < t->calls[in->a].fn->n_in; k++)
                reciprocal_mark(q, x, t->args[t->calls[in->a].args + k]);
        if (in->op >= TAPE_N_OPS) continue;
        int n = x->exact[i] ? tape_op_operands(in->op) : reciprocal_exact_operands(in->op);
        for (int k = 0; k < n; k++) reciprocal_mark(q, x, operand[k]);
    }
}

/* ---- products -------------------------------------------------------------------------------- */

static void reciprocal_mark_fixed(const reciprocal_kernel *x)
{
    const tape *t = x->step->kernel;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref operand[] = {in->a, in->b, in->c, in->d};
        bool fixed = in->op < TAPE_N_OPS;
        for (int k = 0; k < tape_op_operands(in->op); k++)
            fixed = fixed && reciprocal_is_fixed(x, operand[k]);
        x->fixed[i] = fixed;
    }
}

/* Quotient i may become a product. */
static bool reciprocal_serves(const reciprocal_kernel *x, int i)
{
    const tape *t = x->step->kernel;
    const tape_ins *in = &t->ins[i];
    if (in->op != TAPE_DIV || x->exact[i] || !reciprocal_is_fixed(x, in->b)) return false;
    if (reciprocal_is_fixed(x, in->a)) return false; // a number that a user gave
    if (tape_kind_of(in->b) != TAPE_CONST) return true;
    double u = t->consts[tape_index_of(in->b)];
    return isnormal(u) && isnormal(1 / u);
}

/* In a map quotients are made four at a time, and nothing waits for them: one alone stays. */
static bool reciprocal_pays(const reciprocal_kernel *x, int i)
{
    const tape *t = x->step->kernel;
    if (x->step->kind == TAPE_STEP_KERNEL || tape_kind_of(t->ins[i].b) == TAPE_CONST) return true;
    for (int k = 0; k < t->n_ins; k++)
        if (k != i && t->ins[k].op == TAPE_DIV && t->ins[k].b == t->ins[i].b &&
            reciprocal_serves(x, k))
            return true;
    return false;
}

static const tape *reciprocal_rewrite(reciprocals *q, const reciprocal_kernel *x)
{
    const tape *t = x->step->kernel;
    bool any = false;
    for (int i = 0; i < t->n_ins && !any; i++)
        any = reciprocal_serves(x, i) && reciprocal_pays(x, i);
    if (!any) return t;
    q->any = true;
    replay r;
    replay_init(&r, tape_builder_new(q->scratch), t, q->scratch);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (in->op == TAPE_STORE) {
            tape_store(r.b, in->a, replay_ref(&r, in->b));
        } else if (reciprocal_serves(x, i) && reciprocal_pays(x, i)) {
            tape_ref by = tape_op2(r.b, TAPE_DIV, tape_const(r.b, 1), replay_ref(&r, in->b));
            r.moved[i] = tape_op2(r.b, TAPE_MUL, replay_ref(&r, in->a), by);
        } else {
            replay_ins(&r, i);
        }
    }
    return tape_finish(r.b, q->result);
}

static const tape *reciprocal_kernel_of(reciprocals *q, const tape_step *s)
{
    arena_mark here = arena_here(q->scratch);
    reciprocal_kernel x = {.step = s,
                           .fixed = arena_array(q->scratch, uint8_t, s->kernel->n_ins),
                           .exact = arena_array(q->scratch, uint8_t, s->kernel->n_ins)};
    reciprocal_mark_fixed(&x);
    reciprocal_mark_exact(q, &x);
    const tape *t = reciprocal_rewrite(q, &x);
    arena_release(q->scratch, here);
    return t;
}

/* What of its sums has to be exact, all of its terms do. */
static void reciprocal_through_sum(const reciprocals *q, const tape_step *s)
{
    bool exact = false;
    for (int i = 0; i < s->n && s->access->array == TAPE_W && !exact; i++)
        exact = q->exact[tape_element(s->access, i)];
    for (int k = 0; k < s->start[s->n] && exact; k++) q->exact[s->index[k]] = true;
}

const tape_program *tape_program_reciprocals(const tape_program *p, arena *scratch, arena *result)
{
    reciprocals q = {.scratch = scratch, .result = result};
    const tape **kernel = arena_array(scratch, const tape *, p->n_steps);
    q.exact = arena_array(scratch, bool, p->extent[TAPE_W]);
    for (int k = p->n_steps - 1; k >= 0; k--) {
        const tape_step *s = &p->steps[k];
        if (s->kind == TAPE_STEP_SUM) reciprocal_through_sum(&q, s);
        else kernel[k] = reciprocal_kernel_of(&q, s);
    }
    if (!q.any) return p;
    tape_program_builder *b = tape_program_new(result);
    tape_program_again(b, p, kernel);
    return tape_program_finish(b);
}
