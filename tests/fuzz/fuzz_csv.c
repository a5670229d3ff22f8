/* CSV tables, selections and what is drawn from them: any bytes give a result or a fault. The text
 * up to the first NUL is a selection, the rest a table. SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mem m = mem_std();
    result *r;
    result_fault fault = {0};
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    const char *vars = nul ? (const char *)data : "";
    const char *table = nul ? (const char *)nul + 1 : (const char *)data;
    size_t n = size - (size_t)(table - (const char *)data);
    int rc = result_csv.parse(&m, table, n, "fuzz.csv", &r, &fault);
    if ((rc != 0) != (r == NULL) || (rc != 0) != (fault.code[0] != 0)) abort();
    if (!r) return 0;

    double v;
    for (size_t i = 0; i < r->n_rows; i++) {
        if (i > 0 && result_time(r, i) < result_time(r, i - 1)) abort();
        if (result_at(r, r->n_columns - 1, result_time(r, i), RESULT_LEFT, &v) < 0) abort();
    }
    plot_figure *f;
    rc = plot_results(&m, (const result *const *)&r, NULL, 1, &(plot_result_spec){.vars = vars}, &f,
                      &fault);
    if (rc == RESULT_OK) {
        text out;
        text_init(&out, &m);
        if (plot_terminal(f, 60, false, &out, &fault) != RESULT_OK) abort();
        text_done(&out);
    }
    plot_free(f);
    result_free(r);
    return 0;
}
