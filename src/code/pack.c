/* Long lists that follow a pattern, packed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/pack.h"
#include "base/array.h"

#include <stdbool.h>
#include <string.h>

enum {
    PERIOD_MAX = 16, // choice: numbers that belong to one component
    WORTH_IT = 8     // choice: elements that a run has beside those that are kept of it
};

/* How many elements from i on repeat with this period; 0: too few of them. */
static int pack_length(const int *v, int n, int i, int period)
{
    int end = i + 2 * period;
    while (end < n && v[end] - v[end - period] == v[end - period] - v[end - 2 * period]) end++;
    return end <= n && end - i >= 2 * period + WORTH_IT ? end - i : 0;
}

image_column code_pack(const int *of, int n, arena *a, arena *scratch)
{
    ARRAY(image_column_run) runs = {0};
    int_array values = {0};
    bool open = false; // the last run is one that does not repeat
    for (int i = 0, length; i < n; i += length) {
        int period = 1;
        while (period <= PERIOD_MAX && !(length = pack_length(of, n, i, period))) period++;
        bool repeats = period <= PERIOD_MAX;
        if (!repeats) period = length = 1;
        if (repeats || !open) array_push(scratch, &runs, ((image_column_run){i, period, values.n}));
        else array_last(&runs).period++;
        for (int k = i; k < i + period; k++) array_push(scratch, &values, of[k]);
        for (int k = i; repeats && k < i + period; k++)
            array_push(scratch, &values, of[k + period] - of[k]);
        open = !repeats;
    }
    image_column x = {.n = n, .n_runs = runs.n, .n_values = values.n};
    x.runs = arena_array(a, image_column_run, runs.n + 1);
    x.values = arena_array(a, int, values.n + 1);
    if (runs.n) memcpy(x.runs, runs.at, (size_t)runs.n * sizeof *runs.at);
    if (values.n) memcpy(x.values, values.at, (size_t)values.n * sizeof *values.at);
    return x;
}
