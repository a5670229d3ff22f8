/* Derivatives of programs, step by step, and the pattern of the whole.
 *
 * The gradient of an element of w is a list of columns with, for each, the element of w that holds
 * the derivative, or a constant. Where the values go is known when the whole pattern is; until then
 * steps are drafts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive.h"

#include "derive/derive_program.h"

slopes derive_slopes(program_deriver *d, tape_kind kind, int index)
{
    if (kind == TAPE_W) return d->of_w[index];
    if (kind > TAPE_YP || !d->col[kind] || d->col[kind][index] < 0) return (slopes){0, NULL};
    d->unit = (slope){d->col[kind][index], -1, 1.0};
    return (slopes){1, &d->unit};
}

bool derive_goes_to_out2(const program_deriver *d, int col)
{
    return col >= d->n_y;
}

int derive_local_column(program_deriver *d, int col)
{
    if (d->apart || d->stamp[col] != d->epoch) {
        d->stamp[col] = d->epoch;
        d->local[col] = d->met.n;
        array_push(d->scratch, &d->met, col);
    }
    return d->local[col];
}

void derive_begin_instance(program_deriver *d)
{
    d->epoch++;
    d->met.n = 0;
}

void derive_change_operands(const tape *t, derive_change *to, void *user)
{
    tape_ins *ins = (tape_ins *)t->ins;
    tape_ref *args = (tape_ref *)t->args;
    for (int i = 0; i < t->n_ins; i++) {
        tape_ref *refs[4] = {&ins[i].a, &ins[i].b, &ins[i].c, &ins[i].d};
        int n = ins[i].op == TAPE_STORE ? 2 : tape_op_operands(ins[i].op);
        for (int k = 0; k < n; k++)
            if (tape_kind_of(*refs[k]) == TAPE_X) *refs[k] = to(user, tape_index_of(*refs[k]));
    }
    for (int k = 0; k < t->n_regions; k++) {
        tape_region *x = (tape_region *)&t->regions[k];
        if (tape_kind_of(x->a) == TAPE_X) x->a = to(user, tape_index_of(x->a));
        if (tape_kind_of(x->b) == TAPE_X) x->b = to(user, tape_index_of(x->b));
    }
    for (int k = 0; k < t->n_args; k++)
        if (tape_kind_of(args[k]) == TAPE_X) args[k] = to(user, tape_index_of(args[k]));
}

static void program_deriver_begin(program_deriver *d, const tape_program *f, const tape_ref *wrt,
                                  int n_wrt, int n_y, int first_w, arena *scratch, arena *result)
{
    *d = (program_deriver){
        .f = f, .scratch = scratch, .result = result, .n_cols = n_wrt, .n_y = n_y};
    int n_w = f->extent[TAPE_W];
    d->n_w = first_w > n_w ? first_w : n_w;
    d->of_w = arena_array(scratch, slopes, n_w);
    d->local = arena_array(scratch, int, n_wrt);
    d->stamp = arena_array(scratch, int, n_wrt);
    for (int k = TAPE_T; k <= TAPE_YP; k++) {
        int n = k == TAPE_T ? 1 : f->extent[k];
        d->col[k] = arena_array(scratch, int, n);
        for (int i = 0; i < n; i++) d->col[k][i] = -1;
    }
    for (int j = 0; j < n_wrt; j++) {
        tape_kind kind = tape_kind_of(wrt[j]);
        int i = tape_index_of(wrt[j]);
        if (kind == TAPE_T || (kind < TAPE_W && i < f->extent[kind])) d->col[kind][i] = j;
        if (kind != TAPE_W || i >= n_w) continue;
        slope *one = arena_new(scratch, slope);
        *one = (slope){j, -1, 1.0};
        d->of_w[i] = (slopes){1, one};
    }
    for (int k = 0; k < f->n_steps; k++) {
        if (f->steps[k].kind == TAPE_STEP_SUM) derive_sum(d, &f->steps[k]);
        else derive_map(d, &f->steps[k]);
    }
    // What only gradients needed; large lists are given back at once.
    arena_resize(scratch, d->of_w, (size_t)n_w * sizeof *d->of_w, 0);
    arena_resize(scratch, d->local, (size_t)n_wrt * sizeof *d->local, 0);
    arena_resize(scratch, d->stamp, (size_t)n_wrt * sizeof *d->stamp, 0);
    for (int k = TAPE_T; k <= TAPE_YP; k++)
        arena_resize(scratch, d->col[k], (k == TAPE_T ? 1 : (size_t)f->extent[k]) * sizeof(int), 0);
}

/* The places of the entries are known, and all that is needed of them: they take their room. */
static const int *entry_places(program_deriver *d)
{
    pattern_entry *entry = d->entries.at;
    int *place = (int *)entry, n = d->entries.n;
    if (!n) return NULL;
    for (int e = 0; e < n; e++) place[e] = entry[e].row;
    return arena_resize(d->scratch, entry, (size_t)d->entries.cap * sizeof *entry,
                        (size_t)n * sizeof *place);
}

static tape_access settle_access(program_deriver *d, const draft_access *a, int n,
                                 const int *position)
{
    tape_access x = a->at;
    if (a->pending) {
        int *list = arena_array(d->scratch, int, n);
        for (int i = 0; i < n; i++)
            list[i] = position[a->entries ? a->entries[i] : a->first + a->every * i];
        x = (tape_access){.array = x.array, .list = list};
    }
    return x;
}

static tape_ref only_element(void *user, int x)
{
    const tape_access *a = (const tape_access *)user + x;
    return tape_ref_of(a->array, tape_element(a, 0));
}

/* A map of one instance is a kernel. */
static void settle_map(tape_program_builder *b, const tape_step *s, tape_access *x)
{
    if (s->n > 1) {
        tape_program_map(b, s->kernel, s->n, x);
        return;
    }
    tape *t = (tape *)s->kernel;
    for (int k = 0; k < t->extent[TAPE_X]; k++) {
        int *extent = &t->extent[x[k].array], end = tape_element(&x[k], 0) + 1;
        if (end > *extent) *extent = end;
    }
    t->extent[TAPE_X] = 0;
    derive_change_operands(t, only_element, x);
    tape_program_kernel(b, t);
}

static void settle_drafts(program_deriver *d, const int *position, tape_program_builder *b)
{
    for (int k = 0; k < d->drafts.n; k++) {
        const draft *from = &d->drafts.at[k];
        const tape_step *s = &from->step;
        arena_mark here = arena_here(d->scratch);
        tape_access *x = arena_array(d->scratch, tape_access, from->n_access);
        for (int i = 0; i < from->n_access; i++)
            x[i] = settle_access(d, &from->access[i], s->n, position);
        if (s->kind == TAPE_STEP_MAP) settle_map(b, s, x);
        else if (s->kind == TAPE_STEP_KERNEL) tape_program_kernel(b, s->kernel);
        else tape_program_sum(b, s->n, x[0], s->start, s->index, s->coef);
        arena_release(d->scratch, here); // the program has its own
    }
}

tape_program_derivative tape_program_derive(const tape_program *f, const tape_ref *wrt, int n_wrt,
                                            int first_w, arena *scratch, arena *result)
{
    arena_mark mark = arena_here(scratch);
    program_deriver d;
    program_deriver_begin(&d, f, wrt, n_wrt, n_wrt, first_w, scratch, result);
    vinc_pattern pattern =
        pattern_of(d.entries.at, d.entries.n, f->extent[TAPE_OUT], n_wrt, scratch, result);
    tape_program_builder *b = tape_program_new(result);
    settle_drafts(&d, entry_places(&d), b);
    tape_program_derivative r = {tape_program_finish(b), pattern};
    arena_release(scratch, mark);
    return r;
}

/* Store zero where the pattern has a place and no entry of columns first ... end - 1: if these are many, and most,
 * at all places, before others are stored, for which no list is needed. */
static void store_zeros(program_deriver *d, tape_program_builder *b, tape_kind array, int first,
                        int end, int nnz)
{
    enum { GAPS_LISTED = 4096 }; // choice: a list of 16 kB
    int there = 0;
    for (int e = 0; e < d->entries.n; e++)
        there += d->entries.at[e].col >= first && d->entries.at[e].col < end;
    if (there == nnz) return;
    bool most = nnz - there > nnz / 2 && nnz - there > GAPS_LISTED;
    int_array gaps = {0};
    if (!most) gaps = pattern_gaps(d->entries.at, d->entries.n, first, end, nnz, d->scratch);
    tape_builder *kernel = tape_builder_new(d->scratch);
    tape_store(kernel, tape_x(0), tape_const(kernel, 0.0));
    tape_access x = {.array = array, .stride = 1, .list = gaps.at};
    tape_program_map(b, tape_finish(kernel, d->result), most ? nnz : gaps.n, &x);
}

tape_program_derivative tape_program_jacobian(const tape_program *f, int n_rows, int n_cols,
                                              int first_w, arena *scratch, arena *result)
{
    arena_mark mark = arena_here(scratch);
    tape_ref *wrt = arena_array(scratch, tape_ref, 2 * (size_t)n_cols);
    for (int j = 0; j < n_cols; j++) wrt[j] = tape_y(j), wrt[n_cols + j] = tape_yp(j);
    program_deriver d;
    program_deriver_begin(&d, f, wrt, 2 * n_cols, n_cols, first_w, scratch, result);
    arena_resize(scratch, wrt, 2 * (size_t)n_cols * sizeof *wrt, 0);
    vinc_pattern pattern =
        pattern_of_pairs(d.entries.at, d.entries.n, n_rows, n_cols, scratch, result);
    tape_program_builder *b = tape_program_new(result);
    store_zeros(&d, b, TAPE_OUT, 0, n_cols, pattern.nnz);
    store_zeros(&d, b, TAPE_OUT2, n_cols, 2 * n_cols, pattern.nnz);
    settle_drafts(&d, entry_places(&d), b);
    tape_program_derivative r = {tape_program_finish(b), pattern};
    arena_release(scratch, mark);
    return r;
}
