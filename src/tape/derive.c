/* Jacobians, gradients and tangents of tapes, with their sparsity patterns.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/derive.h"

#include "base/map.h"
#include "tape/builder.h"
#include "tape/gradient.h"

typedef struct entry {
    int row, col;
    int store; // instruction in the builder whose target is to be filled in
} entry;

typedef struct deriver {
    tape_builder *b;
    arena *scratch;
    map cols;         // from ref to column
    grad_entry *leaf; // by column: the gradient of its leaf
    ARRAY(entry) entries;
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
        tape_store(d->b, tape_out(0), g.at[k].ref);
        entry e = {tape_index_of(target), g.at[k].col, d->b->ins.n - 1};
        array_push(d->scratch, &d->entries, e);
    }
}

static void differentiate(deriver *d, const tape *f, const tape_ref *wrt, int n_wrt, arena *scratch,
                          arena *result)
{
    *d = (deriver){.b = tape_builder_new(scratch), .scratch = scratch};
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

/* Order the entries by column and row: two counting sorts, rows first. */
static void sort_entries(const deriver *d, int n_rows, int n_cols, const entry **sorted)
{
    int n = d->entries.n, most = n_rows > n_cols ? n_rows : n_cols;
    int *at = arena_array(d->scratch, int, most + 1);
    const entry **by_row = arena_array(d->scratch, const entry *, n);
    for (int k = 0; k < n; k++) at[d->entries.at[k].row + 1]++;
    for (int i = 0; i < n_rows; i++) at[i + 1] += at[i];
    for (int k = 0; k < n; k++) by_row[at[d->entries.at[k].row]++] = &d->entries.at[k];
    for (int i = 0; i <= most; i++) at[i] = 0;
    for (int k = 0; k < n; k++) at[d->entries.at[k].col + 1]++;
    for (int j = 0; j < n_cols; j++) at[j + 1] += at[j];
    for (int k = 0; k < n; k++) sorted[at[by_row[k]->col]++] = by_row[k];
}

static void point_store(const deriver *d, const entry *e, tape_ref target)
{
    d->b->ins.at[e->store].a = target;
}

tape_derivative tape_derive(const tape *f, const tape_ref *wrt, int n_wrt, arena *scratch,
                            arena *result)
{
    arena_mark mark = arena_here(scratch);
    deriver d;
    differentiate(&d, f, wrt, n_wrt, scratch, result);
    int nnz = d.entries.n, n_rows = f->extent[TAPE_OUT];
    const entry **sorted = arena_array(scratch, const entry *, nnz);
    sort_entries(&d, n_rows, n_wrt, sorted);
    int *start = arena_array(result, int, n_wrt + 1), *row = arena_array(result, int, nnz);
    for (int k = 0; k < nnz; k++) {
        start[sorted[k]->col + 1]++;
        row[k] = sorted[k]->row;
        point_store(&d, sorted[k], tape_out(k));
    }
    for (int j = 0; j < n_wrt; j++) start[j + 1] += start[j];
    tape_derivative r = {tape_finish(d.b, result), {n_rows, n_wrt, nnz, start, row}};
    arena_release(scratch, mark);
    return r;
}

/* Columns j and n_cols + j (of y and of y') share a column of the pattern: merge their rows, store
 * zero where only the other one has an entry. */
static int merge_column(const deriver *d, const entry **y, int n_y, const entry **yp, int n_yp,
                        int *row, int nnz)
{
    tape_ref zero = tape_const(d->b, 0.0);
    for (int i = 0, k = 0; i < n_y || k < n_yp; nnz++) {
        bool in_y = i < n_y && (k == n_yp || y[i]->row <= yp[k]->row);
        bool in_yp = k < n_yp && (i == n_y || yp[k]->row <= y[i]->row);
        row[nnz] = in_y ? y[i]->row : yp[k]->row;
        if (in_y) point_store(d, y[i++], tape_out(nnz));
        else tape_store(d->b, tape_out(nnz), zero);
        if (in_yp) point_store(d, yp[k++], tape_out2(nnz));
        else tape_store(d->b, tape_out2(nnz), zero);
    }
    return nnz;
}

tape_derivative tape_jacobian(const tape *f, int n_rows, int n_cols, arena *scratch, arena *result)
{
    arena_mark mark = arena_here(scratch);
    tape_ref *wrt = arena_array(scratch, tape_ref, 2 * (size_t)n_cols);
    for (int j = 0; j < n_cols; j++) wrt[j] = tape_y(j), wrt[n_cols + j] = tape_yp(j);
    deriver d;
    differentiate(&d, f, wrt, 2 * n_cols, scratch, result);

    int n = d.entries.n, nnz = 0;
    const entry **sorted = arena_array(scratch, const entry *, n);
    int *at = arena_array(scratch, int, 2 * (size_t)n_cols + 1);
    int *start = arena_array(result, int, n_cols + 1), *row = arena_array(scratch, int, n);
    sort_entries(&d, n_rows, 2 * n_cols, sorted);
    for (int k = 0; k < n; k++) at[sorted[k]->col + 1]++;
    for (int j = 0; j < 2 * n_cols; j++) at[j + 1] += at[j];
    for (int j = 0; j < n_cols; j++) {
        const int *q = at + n_cols;
        nnz = merge_column(&d, sorted + at[j], at[j + 1] - at[j], sorted + q[j], q[j + 1] - q[j],
                           row, nnz);
        start[j + 1] = nnz;
    }
    int *own = arena_array(result, int, nnz);
    for (int k = 0; k < nnz; k++) own[k] = row[k];
    tape_derivative r = {tape_finish(d.b, result), {n_rows, n_cols, nnz, start, own}};
    arena_release(scratch, mark);
    return r;
}

/* ---- tangents -----------------------------------------------------------------------------------
 */

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
