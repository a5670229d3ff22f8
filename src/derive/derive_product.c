/* The product of the derivative of a program with a vector, in one sweep forward.
 *
 * Every value that a step passes on has one tangent, its derivative along the direction; tangents lie
 * in w, those of y and y' where the caller writes them. A step becomes one step: its kernel takes the
 * tangents of its operands beside them and stores those of its results. Inside a kernel the engine of
 * derive/gradient.h does the work, with a single column.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive.h"

#include "derive/derive_program.h"
#include "derive/gradient.h"

typedef struct product_deriver {
    tape_program_builder *b;
    int tangent[TAPE_N_KINDS]; // where in w the tangents of an array begin; -1: it has none
    uint8_t *active;           // per element of w: its tangent may differ from 0
    uint8_t *read_as_zero;     // ... was read when it did not
    uint8_t *ever_active;
    const uint8_t *active_p; // per parameter: it is part of the direction
    arena *scratch, *result;
} product_deriver;

/* One step of the program, and the kernel that it becomes. */
typedef struct product_kernel {
    product_deriver *d;
    const tape_step *s;
    tape_builder *b;
    int n_x;         // operands of the kernel as it was, then those of their tangents
    int *operand;    // per operand as it was: that of its tangent, or -1
    int_array whose; // per operand of a tangent: the operand it belongs to
    ARRAY(tape_ref) moved, unmoved; // targets in w whose tangents may differ from 0, and others
} product_kernel;

/* ---- what has a tangent ---------------------------------------------------------------------- */

static bool any_active(const product_deriver *d, const tape_access *a, int n)
{
    const uint8_t *active = a->array == TAPE_W ? d->active : d->active_p;
    if (a->array != TAPE_W && a->array != TAPE_P) return d->tangent[a->array] >= 0;
    for (int i = 0; i < n; i++)
        if (active[tape_element(a, i)]) return true;
    return false;
}

/* An operand that has tangents in some instances has them in all, 0 where they are not. */
static void note_zeros(product_deriver *d, const tape_access *a, int n)
{
    for (int i = 0; i < n && a->array == TAPE_W; i++)
        if (!d->active[tape_element(a, i)]) d->read_as_zero[tape_element(a, i)] = 1;
}

static bool has_tangent(const product_kernel *k, tape_ref r)
{
    tape_kind kind = tape_kind_of(r);
    if (kind == TAPE_X) return any_active(k->d, &k->s->access[tape_index_of(r)], k->s->n);
    if (kind == TAPE_W) return k->d->active[tape_index_of(r)];
    if (kind == TAPE_P) return k->d->active_p[tape_index_of(r)];
    return kind == TAPE_Y || kind == TAPE_YP;
}

static void note_active(product_deriver *d, const tape_access *a, int n, bool active)
{
    for (int i = 0; i < n; i++) {
        d->active[tape_element(a, i)] = active;
        if (active) d->ever_active[tape_element(a, i)] = 1;
    }
}

/* To be called when the step has ended: no instance reads what a map stores. */
static void note_targets(const product_kernel *k, const tape_ref *target, int n, bool active)
{
    for (int i = 0; i < n; i++) {
        int at = tape_index_of(target[i]);
        if (tape_kind_of(target[i]) == TAPE_X)
            note_active(k->d, &k->s->access[at], k->s->n, active);
        else note_active(k->d, &(tape_access){.array = TAPE_W, .base = at}, 1, active);
    }
}

/* The place of the tangent of what a ref of the kernel names. */
static tape_ref tangent_of(product_kernel *k, tape_ref r)
{
    int i = tape_index_of(r);
    if (tape_kind_of(r) != TAPE_X) return tape_w(k->d->tangent[tape_kind_of(r)] + i);
    if (k->operand[i] < 0) {
        k->operand[i] = k->n_x + k->whose.n;
        array_push(k->d->scratch, &k->whose, i);
    }
    return tape_x(k->operand[i]);
}

/* ---- kernels and maps ------------------------------------------------------------------------ */

static grad product_leaf(void *user, tape_ref leaf)
{
    product_kernel *k = user;
    if (!has_tangent(k, leaf)) return (grad){0, NULL};
    if (tape_kind_of(leaf) == TAPE_X) note_zeros(k->d, &k->s->access[tape_index_of(leaf)], k->s->n);
    grad_entry *one = arena_new(k->d->scratch, grad_entry);
    *one = (grad_entry){0, tangent_of(k, leaf)};
    return (grad){1, one};
}

/* Values in w are computed again, since later steps need them; in place of a result goes its tangent. */
static void product_store(void *user, tape_ref target, tape_ref value, grad g)
{
    product_kernel *k = user;
    bool mapped = tape_kind_of(target) == TAPE_X;
    tape_kind array = mapped ? k->s->access[tape_index_of(target)].array : tape_kind_of(target);
    tape_ref tangent = g.n ? g.at[0].ref : tape_const(k->b, 0.0);
    if (array == TAPE_OUT) tape_store(k->b, target, tangent);
    if (array != TAPE_W) return;
    tape_store(k->b, target, value);
    if (g.n || has_tangent(k, target)) tape_store(k->b, tangent_of(k, target), tangent);
    if (g.n) array_push(k->d->scratch, &k->moved, target);
    else array_push(k->d->scratch, &k->unmoved, target);
}

static tape_access tangent_access(const product_deriver *d, const tape_access *a)
{
    tape_access x = *a;
    x.array = TAPE_W;
    x.base += d->tangent[a->array];
    return x;
}

/* Operands that the finished kernel does not use are dropped. */
typedef struct product_operands {
    const tape_access *all;
    tape_access *kept;
    int *number, n; // per operand: its new number plus one
} product_operands;

static tape_ref keep_operand(void *user, int x)
{
    product_operands *o = user;
    if (!o->number[x]) {
        o->kept[o->n] = o->all[x];
        o->number[x] = ++o->n;
    }
    return tape_x(o->number[x] - 1);
}

static void product_map(product_deriver *d, const tape_step *s)
{
    product_kernel k = {.d = d, .s = s, .b = tape_builder_new(d->scratch)};
    k.n_x = s->kernel->extent[TAPE_X];
    k.operand = arena_array(d->scratch, int, k.n_x);
    for (int i = 0; i < k.n_x; i++) k.operand[i] = -1;
    grad_run(&(grad_job){.f = s->kernel,
                         .b = k.b,
                         .n_cols = 1,
                         .leaf = product_leaf,
                         .store = product_store,
                         .user = &k,
                         .scratch = d->scratch,
                         .result = d->result});
    const tape *kernel = tape_finish(k.b, d->result);
    note_targets(&k, k.moved.at, k.moved.n, true);
    note_targets(&k, k.unmoved.at, k.unmoved.n, false);
    if (s->kind == TAPE_STEP_KERNEL) {
        tape_program_kernel(d->b, kernel);
        return;
    }
    int n = k.n_x + k.whose.n;
    tape_access *all = arena_array(d->scratch, tape_access, n);
    for (int i = 0; i < k.n_x; i++) all[i] = s->access[i];
    for (int i = 0; i < k.whose.n; i++)
        all[k.n_x + i] = tangent_access(d, &s->access[k.whose.at[i]]);
    product_operands o = {all, arena_array(d->scratch, tape_access, n),
                          arena_array(d->scratch, int, n), 0};
    derive_change_operands(kernel, keep_operand, &o);
    ((tape *)kernel)->extent[TAPE_X] = o.n;
    tape_program_map(d->b, kernel, s->n, o.kept);
}

/* ---- sums, and the whole --------------------------------------------------------------------- */

static void product_sum(product_deriver *d, const tape_step *s)
{
    bool is_w = s->access->array == TAPE_W, moves = false;
    int n_terms = s->start[s->n], *index = arena_array(d->scratch, int, n_terms);
    for (int k = 0; k < n_terms; k++) {
        index[k] = s->index[k] + d->tangent[TAPE_W];
        moves = moves || d->active[s->index[k]];
        if (!d->active[s->index[k]]) d->read_as_zero[s->index[k]] = 1;
    }
    if (is_w) tape_program_sum(d->b, s->n, *s->access, s->start, s->index, s->coef);
    else if (s->access->array != TAPE_OUT) return;
    bool moved = is_w && any_active(d, s->access, s->n);
    tape_access to = is_w ? tangent_access(d, s->access) : *s->access;
    if (!is_w || moves || moved) tape_program_sum(d->b, s->n, to, s->start, index, s->coef);
    if (is_w) note_active(d, s->access, s->n, moves);
}

/* Tangents that are read as 0 before they are stored are 0 again for the next evaluation. */
static void product_clear(product_deriver *d, int n_w)
{
    int_array places = {0};
    for (int i = 0; i < n_w; i++)
        if (d->read_as_zero[i] && d->ever_active[i])
            array_push(d->scratch, &places, d->tangent[TAPE_W] + i);
    if (!places.n) return;
    tape_builder *kernel = tape_builder_new(d->scratch);
    tape_store(kernel, tape_x(0), tape_const(kernel, 0.0));
    tape_access x = {.array = TAPE_W, .list = places.at};
    tape_program_map(d->b, tape_finish(kernel, d->result), places.n, &x);
}

/* Elements of w and p that f reads and that are part of the direction. */
static void note_given(product_deriver *d, const tape_program *f, const tape_ref *also, int n_also)
{
    uint8_t *p = arena_array(d->scratch, uint8_t, f->extent[TAPE_P] + 1);
    d->active_p = p;
    for (int k = 0; k < n_also; k++) {
        tape_kind kind = tape_kind_of(also[k]);
        int i = tape_index_of(also[k]);
        if (i < f->extent[kind]) (kind == TAPE_P ? p : d->active)[i] = 1;
    }
}

tape_program_tangent tape_program_product(const tape_program *f, int n, int first_w,
                                          const tape_ref *also, int n_also, arena *scratch,
                                          arena *result)
{
    arena_mark mark = arena_here(scratch);
    int n_w = f->extent[TAPE_W];
    tape_program_tangent r = {.v = first_w > n_w ? first_w : n_w};
    r.vp = r.v + n;
    r.w = r.vp + n;
    r.p = r.w + n_w;
    product_deriver d = {.b = tape_program_new(result), .scratch = scratch, .result = result};
    d.active = arena_array(scratch, uint8_t, n_w);
    d.read_as_zero = arena_array(scratch, uint8_t, n_w);
    d.ever_active = arena_array(scratch, uint8_t, n_w);
    note_given(&d, f, also, n_also);
    for (int k = 0; k < TAPE_N_KINDS; k++) d.tangent[k] = -1;
    d.tangent[TAPE_Y] = r.v;
    d.tangent[TAPE_YP] = r.vp;
    d.tangent[TAPE_W] = r.w;
    d.tangent[TAPE_P] = r.p;
    for (int k = 0; k < f->n_steps; k++) {
        if (f->steps[k].kind == TAPE_STEP_SUM) product_sum(&d, &f->steps[k]);
        else product_map(&d, &f->steps[k]);
    }
    product_clear(&d, n_w);
    r.code = tape_program_finish(d.b);
    r.n_w = r.p + f->extent[TAPE_P];
    arena_release(scratch, mark);
    return r;
}
