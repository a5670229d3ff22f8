/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/front.h"

#include <stdlib.h>

void cell_layout(cell_front *f, const code_cells *c, bump *b)
{
    size_t n = (size_t)c->n;
    f->due = bump_int(b, n);
    f->live = bump_int(b, n);
    f->ran = bump_int(b, n);
    f->is_due = bump_bytes(b, n);
    f->is_live = bump_bytes(b, n);
    f->out = bump_bytes(b, n * sizeof *f->out);
    f->values = bump_double(b, 2 * (size_t)c->n_items + n);
}

void cell_make_due(cell_front *f, int cell)
{
    if (f->is_due[cell]) return;
    f->is_due[cell] = 1;
    f->due[f->n_due++] = cell;
}

void cell_touch(const code_cells *c, cell_front *f, int slot)
{
    if (!c->n) return;
    for (int k = c->user_start[slot]; k < c->user_start[slot + 1]; k++)
        cell_make_due(f, c->user[k]);
}

void cell_touch_all(const code_cells *c, cell_front *f)
{
    for (int k = 0; k < c->n; k++) cell_make_due(f, k);
}

void cell_touch_live(cell_front *f)
{
    for (int k = 0; k < f->n_live; k++) cell_make_due(f, f->live[k]);
}

static int by_cell(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void list_live(cell_front *f)
{
    int n = 0;
    for (int k = 0; k < f->n_live; k++)
        if (f->is_live[f->live[k]] == 1) f->live[n++] = f->live[k];
        else f->is_live[f->live[k]] = 0;
    f->n_live = n;
}

void cell_run(const code_cells *c, cell_front *f, const tape_args *args)
{
    tape_args one = *args;
    one.out = f->values;
    int *list = f->due;
    f->due = f->ran;
    f->ran = list;
    f->n_ran = f->n_due;
    f->n_due = 0;
    qsort(list, (size_t)f->n_ran, sizeof *list, by_cell);
    for (int k = 0; k < f->n_ran; k++) {
        int cell = list[k], n_out = c->program[cell]->extent[TAPE_OUT];
        f->is_due[cell] = 0;
        f->out[k] = one.out;
        tape_run(c->program[cell], &one);
        bool live = one.out[n_out - 1] != 0;
        if (live && !f->is_live[cell]) f->live[f->n_live++] = cell;
        if (live || f->is_live[cell])
            f->is_live[cell] = live ? 1 : 2; // 2: to be taken off the list
        one.out += n_out;
    }
    list_live(f);
}
