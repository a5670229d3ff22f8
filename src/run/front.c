/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/front.h"

#include <stdlib.h>
#include <string.h>

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
    f->called = bump_bytes(b, n);
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

/* In the order of their numbers. Where all are due, they are. */
static void sort_cells(int *list, int n)
{
    int k = 1;
    while (k < n && list[k - 1] < list[k]) k++;
    if (k < n) qsort(list, (size_t)n, sizeof *list, by_cell);
}

static void list_live(cell_front *f)
{
    int n = 0;
    for (int k = 0; k < f->n_live; k++)
        if (f->is_live[f->live[k]] == 1) f->live[n++] = f->live[k];
        else f->is_live[f->live[k]] = 0;
    f->n_live = n;
}

/* The tape that cell is to be run by; NULL: it keeps its values, since a call in it has been made or
 * waits. */
static const tape *cell_tape(const code_cells *c, cell_front *f, int cell, tape_args *args,
                             bool *call)
{
    if (!c->asks || !c->asks[cell]) return c->program[cell];
    tape_run(c->asks[cell], args);
    if (args->out[0] == 0) return c->quiet[cell];
    if (!c->impure[cell]) return c->program[cell];
    if (f->called[cell]) return NULL;
    if (!*call) {
        f->holds = true;
        cell_make_due(f, cell);
        return NULL;
    }
    f->called[cell] = 1;
    *call = false; // the next one may read what this one gives
    return c->program[cell];
}

static void run_tape(const code_cells *c, int cell, const tape *t, const tape_args *args)
{
    const code_fn *f = !c->long_program        ? NULL
                       : t == c->program[cell] ? &c->long_program[cell]
                                               : &c->long_quiet[cell];
    if (f && f->code) tape_eval(f->code, args);
    else tape_run(t, args);
}

// Does no when-clause of the cell fire?
static bool rests(const code_cells *c, const cell_front *f, int cell, const tape_args *args)
{
    if (f->complete || !c->fires || !c->fires[cell]) return false;
    tape_run(c->fires[cell], args);
    return args->out[0] == 0;
}

static void set_live(cell_front *f, int cell, bool live)
{
    if (live && !f->is_live[cell]) f->live[f->n_live++] = cell;
    if (live || f->is_live[cell]) f->is_live[cell] = live ? 1 : 2; // 2: to be taken off the list
}

void cell_run(const code_cells *c, cell_front *f, const tape_args *args, bool call)
{
    tape_args one = *args;
    one.out = f->values;
    int *list = f->due, n_list = f->n_due;
    f->due = f->ran;
    f->ran = list;
    f->n_ran = f->n_due = 0;
    f->holds = false;
    sort_cells(list, n_list);
    for (int k = 0; k < n_list; k++) {
        int cell = list[k], n_out = c->program[cell]->extent[TAPE_OUT];
        f->is_due[cell] = 0;
        if (rests(c, f, cell, &one)) {
            list[f->n_ran] = cell;
            f->out[f->n_ran++] = NULL;
            set_live(f, cell, false);
            continue;
        }
        const tape *program = cell_tape(c, f, cell, &one, &call);
        if (!program) continue;
        list[f->n_ran] = cell;
        f->out[f->n_ran++] = one.out;
        run_tape(c, cell, program, &one);
        set_live(f, cell, one.out[n_out - 1] != 0);
        one.out += n_out;
    }
    list_live(f);
}

void cell_new_round(const code_cells *c, cell_front *f)
{
    if (c->asks) memset(f->called, 0, (size_t)c->n);
}
