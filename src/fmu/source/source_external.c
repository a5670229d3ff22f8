/* What the table code needs beside: tables of files are part of the model, with their numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/table.h"

#include <stdio.h>
#include <string.h>

bool table_read(mem *m, const char *file, const char *name, table_matrix *out, char *why)
{
    for (int k = 0; k < source_of_model.n_matrices; k++) {
        const source_matrix *x = &source_of_model.matrices[k];
        size_t bytes = (size_t)x->rows * (size_t)x->cols * sizeof *x->at;
        if (strcmp(x->file, file) != 0 || strcmp(x->name, name) != 0) continue;
        out->rows = x->rows;
        out->cols = x->cols;
        out->at = mem_try(m, bytes);
        if (out->at) memcpy(out->at, x->at, bytes);
        else snprintf(why, TABLE_WHY, "out of memory");
        return out->at != NULL;
    }
    snprintf(why, TABLE_WHY,
             "table \"%.60s\" of '%.150s' is not part of these sources: they have the tables that "
             "the model read when it was exported",
             name, file);
    return false;
}

void table_matrix_free(mem *m, table_matrix *x)
{
    mem_free(m, x->at, 0);
    x->at = NULL;
}
