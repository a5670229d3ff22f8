/* Parts of the unknowns: which there are, and who reads them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/part_step.h"

#include <string.h>

bool part_pair_rows(const method_core *c, part_pairs *pairs)
{
    const vinc_pattern *a = &c->jac.pattern;
    for (int i = 0; i < c->n; i++) pairs->unknown[i] = pairs->row[i] = -1;
    for (int j = 0; j < c->n; j++) {
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            if (c->jac.dyp[e] == 0) continue;
            if (pairs->row[j] >= 0 || pairs->unknown[a->row[e]] >= 0) return false;
            pairs->row[j] = a->row[e];
            pairs->unknown[a->row[e]] = j;
            pairs->mass[j] = c->jac.dyp[e];
        }
        if (pairs->row[j] < 0) return false;
    }
    return true;
}

bool part_reads(const method_core *c, const part_pairs *pairs, int i, int j)
{
    const vinc_pattern *a = &c->jac.pattern;
    for (int e = a->start[j]; e < a->start[j + 1]; e++)
        if (a->row[e] == pairs->row[i]) return true;
    return false;
}

double part_step_work(const part_code *x)
{
    // Evaluations, and operations beside them: as by instructions that were counted.
    const double STAGES = 9, LOOKS = 2, SUMS = 100, CURVES = 25, REST = 280;
    return x->own.work_slopes + STAGES * x->own.work_rows + LOOKS * x->watched.work_rows +
           SUMS * x->own.n + CURVES * part_n_curves(&x->own) + REST;
}

double part_window_work(const part_code *x)
{
    const double SUMS = 2, REST = 200;
    return PART_NODES * (x->own.work_given + SUMS * PART_NODES * part_n_curves(&x->own)) +
           x->watched.work_given + 2 * x->own.work_rows + REST;
}

/* Ascending; more than there is room for: PART_WATCHED_MAX + 1. */
static void part_add_reader(part_code *x, int row)
{
    int at = 0;
    for (int m = 0; m < x->own.n; m++)
        if (x->row[m] == row) return;
    while (at < x->n_readers && x->reader_row[at] < row) at++;
    if (at < x->n_readers && x->reader_row[at] == row) return;
    if (x->n_readers++ == PART_WATCHED_MAX) return;
    for (int m = x->n_readers - 1; m > at; m--) x->reader_row[m] = x->reader_row[m - 1];
    x->reader_row[at] = row;
}

static void part_make(part_code *x, const method_core *c, const part_pairs *pairs)
{
    const vinc_problem *p = c->p;
    const vinc_pattern *a = &c->jac.pattern;
    for (int k = 0; k < x->own.n; k++) x->row[k] = pairs->row[x->unknown[k]];
    for (int k = 0; k < x->own.n; k++)
        for (int e = a->start[x->unknown[k]]; e < a->start[x->unknown[k] + 1]; e++) {
            part_add_reader(x, a->row[e]);
            if (x->n_readers > PART_WATCHED_MAX) return;
        }
    for (int k = 0; k < x->n_readers; k++) x->reader[k] = pairs->unknown[x->reader_row[k]];
    x->own = (vinc_some){
        .n = x->own.n, .n_rows = x->own.n, .unknowns = x->unknown, .rows = x->row, .slopes = 1};
    x->watched = (vinc_some){.n = x->own.n,
                             .n_rows = x->n_readers,
                             .unknowns = x->unknown,
                             .rows = x->reader_row,
                             .differences = 1};
    x->works = !p->part_new(p->user, &x->own) && x->own.n_given <= PART_GIVEN_MAX &&
               (!x->n_readers || !p->part_new(p->user, &x->watched)) &&
               x->watched.n_given <= PART_GIVEN_MAX;
}

int part_find(part_codes *all, const method_core *c, const part_pairs *pairs, const int *unknown,
              int n)
{
    for (int k = 0; k < all->n; k++)
        if (all->code[k].own.n == n && all->code[k].unknown[0] == unknown[0] &&
            !memcmp(all->code[k].unknown, unknown, (size_t)n * sizeof *unknown))
            return all->code[k].works ? k : -1;
    if (n > PART_UNKNOWNS_MAX || all->n == PART_CODES_MAX) return -1;
    part_code *x = &all->code[all->n++];
    *x = (part_code){.own = {.n = n}};
    memcpy(x->unknown, unknown, (size_t)n * sizeof *unknown);
    part_make(x, c, pairs);
    return x->works ? all->n - 1 : -1;
}
