/* The entries of the whole system of start values, by columns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "start/search.h"

#include <string.h>

/* Those of the formulation before the others. */
static int entries_list_entries(start_entries *q)
{
    const start *a = q->a;
    const int *row_at = a->row_at, *extra_at = row_at + a->m->n;
    int n = a->m->n, count = 0;
    for (int z = 0; z < q->n_z; z++) {
        bool derivative = z >= n;
        int c = derivative ? a->z_yp[z - n] : z;
        if (q->begin) q->begin[z] = count;
        for (int part = 0; part < (a->x->n_extra ? 2 : 1); part++) {
            const vinc_pattern *p = part ? &a->x->extra_pattern : &a->x->jac;
            const int *at = part ? extra_at : row_at;
            for (int e = p->start[c]; e < p->start[c + 1]; e++) {
                if (at[p->row[e]] < 0) continue;
                if (q->row) {
                    q->row[count] = at[p->row[e]];
                    q->source[count] = e;
                    q->where[count] = (uint8_t)(2 * part + derivative);
                }
                count++;
            }
        }
        for (int k = 0; a->relax && !derivative && k < a->relax->n; k++) {
            const start_pair *p = &a->relax->pairs[k];
            if (p->x != c || p->place >= 0) continue;
            if (q->row) {
                q->row[count] = a->n_rows + p->row;
                q->source[count] = k;
                q->where[count] = 4;
            }
            count++;
        }
    }
    if (q->begin) q->begin[q->n_z] = count;
    return count;
}

static size_t entries_layout(start_entries *q, void *block)
{
    bump b = bump_begin(block);
    q->begin = bump_int(&b, (size_t)q->n_z + 1);
    q->row = bump_int(&b, (size_t)q->nnz);
    q->source = bump_int(&b, (size_t)q->nnz);
    q->where = bump_bytes(&b, (size_t)q->nnz);
    return bump_end(&b);
}

int start_entries_open(start_entries *q, start *a, arena *scratch)
{
    *q = (start_entries){.a = a, .m = a->n_rows + a->n_active, .n_z = a->n_z};
    int *row_at = a->row_at, *extra_at = row_at + a->m->n;
    for (int i = 0; i < a->m->n; i++) row_at[i] = -1;
    for (int i = 0; i < a->n_rows; i++) row_at[a->rows[i]] = i;
    for (int k = 0; k < a->x->n_extra; k++) extra_at[k] = -1;
    for (int k = 0; k < a->n_active; k++) extra_at[a->active[k]] = a->n_rows + k;
    q->nnz = entries_list_entries(q);
    q->bytes = entries_layout(q, NULL);
    q->block = scratch ? NULL : mem_try(run_mem(a->s), q->bytes);
    if (!scratch && !q->block) return LEAST_MEMORY;
    entries_layout(q, scratch ? arena_alloc(scratch, q->bytes) : q->block);
    entries_list_entries(q);
    return LEAST_OK;
}

void start_entries_close(start_entries *q)
{
    if (q->block) mem_free(run_mem(q->a->s), q->block, q->bytes);
}
