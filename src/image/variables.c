/* SPDX-License-Identifier: BSD-3-Clause */
#include "image/variables.h"

static int end_of(const image_variables *x, int run)
{
    return run + 1 < x->n_runs ? x->runs[run + 1].first : x->n;
}

image_variable image_variable_at(const image_variables *x, int var)
{
    int low = 0, high = x->n_runs - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (x->runs[middle].first <= var) low = middle;
        else high = middle - 1;
    }
    const image_variable_run *r = &x->runs[low];
    image_variable v = r->is;
    v.place += (var - r->first) * r->step;
    return v;
}

int image_variable_of_parameter(const image_variables *x, int place)
{
    for (int k = 0; k < x->n_runs; k++) {
        const image_variable_run *r = &x->runs[k];
        if (r->is.kind > IMAGE_VARIABLE_STRUCTURAL) continue;
        int n = end_of(x, k) - r->first, away = place - r->is.place;
        if (away == 0) return r->first;
        if (r->step && away % r->step == 0 && away / r->step > 0 && away / r->step < n)
            return r->first + away / r->step;
    }
    return -1;
}
