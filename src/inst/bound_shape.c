/* Values of modifications that stand in a class, for components that share a node.
 *
 * The value for one of them, a scalar or two, is an expression over variables of that component and
 * perhaps of others. What it is for the next follows from its shape: its own variables are those of
 * the next, counted on, and all others are the same. That holds if nothing else that was read on the
 * way differs: values of constants and of parameters that are replaced by their values are noted,
 * and compared for each component; what is said of one component alone (its name, its connections,
 * checks) is told by b->particular.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include "expr/shape.h"

enum { READS_MAX = 16 }; // with more every value is evaluated

typedef struct bound_read {
    inst_node *n;
    int e;
} bound_read;

struct inst_reads {
    const inst_family *family;
    bool lost;        // there were more
    const diag *said; // the last message before
    int n;
    bound_read at[READS_MAX];
};

struct inst_bound_shape {
    const inst_layer *layer;
    const ast_expr *of;
    int member;              // whose value was evaluated
    const expr_shape *shape; // NULL: every value is evaluated
    value whole;
    expr slots[SHAPE_SLOTS];
    int n_reads;
    const bound_read *reads;
};

void inst_note_read(flat_builder *b, inst_node *n, int e)
{
    struct inst_reads *r = b->inst->reads;
    if (!r || n->family != r->family) return; // for all components the same
    if (r->n == READS_MAX) r->lost = true;
    else r->at[r->n++] = (bound_read){n, e};
}

static int each_of(const inst_node *n)
{
    return n->total / n->family->n;
}

bool inst_shape_applies(flat_builder *b, const inst_layer *l, const inst_node *n, int mode)
{
    const inst_node *self = n->family && b->inst->numbered ? inst_self(b, l->at) : NULL;
    return self && mode == SCOPE_SYMBOLIC && self->family == n->family && each_of(self) == 1;
}

/* ---- making ---------------------------------------------------------------------------------- */

struct inst_reads *inst_reads_begin(flat_builder *b, const inst_node *n)
{
    struct inst_reads *before = b->inst->reads, *r = arena_new(b->scratch, struct inst_reads);
    r->family = n->family;
    r->said = b->diags->last;
    b->inst->reads = r;
    b->particular = false;
    return before;
}

void inst_reads_end(flat_builder *b, struct inst_reads *before, const inst_layer *l,
                    const ast_expr *of, int member, const value *whole, inst_bound_shape **out)
{
    struct inst_reads *r = b->inst->reads;
    b->inst->reads = before;
    if (*out && (*out)->layer == l && (*out)->of == of) return; // it is as good as this one
    inst_bound_shape *t = *out ? *out : arena_new(b->front, inst_bound_shape);
    *out = t;
    *t = (inst_bound_shape){.layer = l, .of = of, .member = member, .whole = *whole};
    bool plain = !r->lost && !b->particular && b->diags->last == r->said;
    plain = plain && whole->type <= VALUE_RECORD && value_count(whole) <= SHAPE_ROOTS;
    for (int i = 0; i < r->n && plain; i++) // of this component
        plain = r->at[i].e / each_of(r->at[i].n) == member;
    if (!plain) return;
    bound_read *reads = arena_array(b->front, bound_read, r->n ? r->n : 1);
    for (int i = 0; i < r->n; i++) reads[i] = r->at[i];
    t->reads = reads;
    t->n_reads = r->n;
    expr roots[SHAPE_ROOTS];
    value_scalars(whole, roots);
    t->shape = shape_of(b->pool, roots, value_count(whole), b->front, t->slots);
}

/* ---- using ----------------------------------------------------------------------------------- */

static bool reads_alike(flat_builder *b, const inst_bound_shape *t, int member)
{
    for (int i = 0; i < t->n_reads; i++) {
        const bound_read *r = &t->reads[i];
        int by = (member - t->member) * each_of(r->n);
        bool was = inst_is_structural(r->n, r->e + by);
        expr x, y;
        if (!inst_known(b, r->n, r->e, &x) || !inst_known(b, r->n, r->e + by, &y)) return false;
        if (x == y && expr_is_literal(b->pool, x)) continue;
        inst_set_structural(b, r->n, r->e + by, was);
        return false;
    }
    return true;
}

static expr moved(flat_builder *b, const inst_family *f, const inst_bound_shape *t, expr slot,
                  int member)
{
    const expr_node *n = expr_at(b->pool, slot);
    int v = n->u.var.index - f->first[t->member], order = n->u.var.order;
    if (v < 0 || v >= f->n_vars) return slot; // around the components
    v += f->first[member];
    return order ? expr_var(b->pool, v, order, (expr_type)n->type, n->enum_id)
                 : inst_variable(b, v);
}

bool inst_shape_value(flat_builder *b, const inst_bound_shape *t, const inst_layer *l,
                      const ast_expr *of, const inst_family *f, int member, value *out)
{
    if (!t || t->layer != l || t->of != of || !t->shape || !reads_alike(b, t, member)) return false;
    expr slots[SHAPE_SLOTS], roots[SHAPE_ROOTS];
    for (int k = 0; k < t->shape->n_slots; k++) slots[k] = moved(b, f, t, t->slots[k], member);
    shape_make(b->pool, t->shape, slots, roots);
    value_env env = b->env;
    env.a = b->front;
    *out = value_with_scalars(&env, &t->whole, roots);
    return true;
}
