/* MAT files: any bytes give a result or a fault.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/result.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mem m = mem_std();
    result *r;
    result_fault fault = {0};
    int rc = result_mat.parse(&m, (const char *)data, size, "fuzz.mat", &r, &fault);
    if ((rc != 0) != (r == NULL) || (rc != 0) != (fault.code[0] != 0)) abort();
    if (!r) return 0;
    for (int c = 0; c < r->n_columns; c++) {
        if (result_find(r, r->columns[c].name) < 0) abort();
        for (size_t i = 0; i < r->n_rows; i++) (void)result_value(r, c, i);
    }
    result_free(r);
    return 0;
}
