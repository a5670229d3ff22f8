/* Jacobians, gradients and tangents of tapes, with their sparsity patterns.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive.h"

#include "base/map.h"
#include "derive/derive_pattern.h"
#include "derive/gradient.h"

typedef struct deriver {
    tape_builder *b;
    arena *scratch;
    map cols;         // from ref to column
    grad_entry *leaf; // by column: the gradient of its leaf
    ARRAY(pattern_entry) entries;
    int_array stores; // per entry: the instruction in b whose target is to be filled in
} deriver;

static grad leaf_gradient(void *user, tape_ref r)
{
    deriver *d = user;
    const uint64_t *col = map_find(&d->cols, r);
    return col ? (grad){1, &d->leaf[*col]} : (grad){0, NULL};
}

/* Each derivative is stored at once, where it is still in a register; its place in the pattern is
 * known only at the end. */
static void store_gradient(void *user, tape_ref target, tape_ref value, grad g)
{
    deriver *d = user;
    (void)value;
    if (tape_kind_of(target) != TAPE_OUT) return;
    for (int k = 0; k < g.n; k++) {
        pattern_entry e = {tape_index_of(target), g.at[k].col};
        int store = tape_store(d->b, tape_out(0), g.at[k].ref);
        array_push(d->scratch, &d->entries, e);
        array_push(d->scratch, &d->stores, store);
    }
}

static void derive_stores(deriver *d, const tape *f, const tape_ref *wrt, int n_wrt, arena *scratch,
                          arena *result)
{
    *d = (deriver){.b = tape_builder_new(scratch), .scratch = scratch};
    tape_builder_reserve(d->b, f->n_ins <= TAPE_INDEX_MAX / 3 ? 3 * f->n_ins : f->n_ins);
    map_init(&d->cols, scratch);
    d->leaf = arena_array(scratch, grad_entry, n_wrt);
    for (int j = 0; j < n_wrt; j++) {
        *map_put(&d->cols, wrt[j]) = (uint64_t)j;
        d->leaf[j] = (grad_entry){j, tape_const(d->b, 1.0)};
    }
    grad_run(&(grad_job){.f = f,
                         .b = d->b,
                         .n_cols = n_wrt,
                         .leaf = leaf_gradient,
                         .store = store_gradient,
                         .user = d,
                         .scratch = scratch,
                         .result = result});
}

tape_derivative tape_derive(const tape *f, const tape_ref *wrt, int n_wrt, arena *scratch,
                            arena *result)
{
    arena_mark mark = arena_here(scratch);
    deriver d;
    derive_stores(&d, f, wrt, n_wrt, scratch, result);
    int n = d.entries.n, *position = arena_array(scratch, int, n);
    vinc_pattern pattern =
        pattern_of(d.entries.at, n, f->extent[TAPE_OUT], n_wrt, position, scratch, result);
    for (int e = 0; e < n; e++) tape_redirect(d.b, d.stores.at[e], tape_out(position[e]));
    tape_derivative r = {tape_finish(d.b, result), pattern};
    arena_release(scratch, mark);
    return r;
}

tape_derivative tape_jacobian(const tape *f, int n_rows, int n_cols, arena *scratch, arena *result)
{
    arena_mark mark = arena_here(scratch);
    tape_ref *wrt = arena_array(scratch, tape_ref, 2 * (size_t)n_cols);
    for (int j = 0; j < n_cols; j++) wrt[j] = tape_y(j), wrt[n_cols + j] = tape_yp(j);
    deriver d;
    derive_stores(&d, f, wrt, 2 * n_cols, scratch, result);

    int n = d.entries.n, *position = arena_array(scratch, int, n);
    int_array zeros[2] = {{0}};
    vinc_pattern pattern =
        pattern_of_pairs(d.entries.at, n, n_rows, n_cols, position, zeros, scratch, result);
    for (int e = 0; e < n; e++) {
        tape_kind array = d.entries.at[e].col < n_cols ? TAPE_OUT : TAPE_OUT2;
        tape_redirect(d.b, d.stores.at[e], tape_ref_of(array, position[e]));
    }
    tape_ref zero = tape_const(d.b, 0.0);
    for (int k = 0; k < zeros[0].n; k++) tape_store(d.b, tape_out(zeros[0].at[k]), zero);
    for (int k = 0; k < zeros[1].n; k++) tape_store(d.b, tape_out2(zeros[1].at[k]), zero);
    tape_derivative r = {tape_finish(d.b, result), pattern};
    arena_release(scratch, mark);
    return r;
}

/* ---- tangents -------------------------------------------------------------------------------- */

static void store_tangent(void *user, tape_ref target, tape_ref value, grad g)
{
    deriver *d = user;
    (void)value;
    if (tape_kind_of(target) != TAPE_OUT) return;
    tape_store(d->b, target, g.n ? g.at[0].ref : tape_const(d->b, 0.0));
}

void tape_tangent(tape_builder *b, const tape *f, const tape_ref *wrt, const tape_ref *seed,
                  int n_wrt, arena *scratch, arena *result)
{
    // The builder's own memory may be in the scratch arena too, so nothing is given back here.
    deriver d = {.b = b, .scratch = scratch};
    map_init(&d.cols, scratch);
    d.leaf = arena_array(scratch, grad_entry, n_wrt);
    for (int j = 0; j < n_wrt; j++) {
        double x;
        if (tape_is_const(b, seed[j], &x) && x == 0) continue;
        *map_put(&d.cols, wrt[j]) = (uint64_t)j;
        d.leaf[j] = (grad_entry){0, seed[j]};
    }
    grad_run(&(grad_job){.f = f,
                         .b = b,
                         .n_cols = 1,
                         .leaf = leaf_gradient,
                         .store = store_tangent,
                         .user = &d,
                         .scratch = scratch,
                         .result = result});
}
