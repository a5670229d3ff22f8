/* An order of columns in which few elements are filled whatever the pivots.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/column_order.h"

#include "la/la.h"

#include <colamd.h>
#include <string.h>

int la_column_order(const vinc_pattern *a, mem *m, int *order)
{
    size_t n = colamd_recommended(a->nnz, a->n_rows, a->n_cols), bytes = n * sizeof(int);
    int stats[COLAMD_STATS], *row = mem_try(m, bytes + 1),
                             *start = mem_try(m, (size_t)(a->n_cols + 1) * sizeof *start);
    bool done = false;
    if (row && start) {
        memcpy(row, a->row, (size_t)a->nnz * sizeof *row);
        memcpy(start, a->start, (size_t)(a->n_cols + 1) * sizeof *start);
        done = colamd(a->n_rows, a->n_cols, (int)n, row, start, NULL, stats);
        memcpy(order, start, (size_t)a->n_cols * sizeof *order);
    }
    mem_free(m, row, bytes + 1);
    mem_free(m, start, (size_t)(a->n_cols + 1) * sizeof *start);
    return done ? LA_OK : LA_E_MEMORY;
}
