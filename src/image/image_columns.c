/* SPDX-License-Identifier: BSD-3-Clause */
#include "image/image_columns.h"

tape_ref code_output_of_run(const code_outputs *x, int output)
{
    int low = 0, high = x->n_runs - 1;
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->runs[mid].to <= output) low = mid;
        else high = mid - 1;
    }
    const code_run *r = &x->runs[low];
    return tape_ref_of(r->kind, r->from + (output - r->to));
}

code_column code_column_of_run(const code_outputs *x, int column)
{
    int low = 0, high = x->n_column_runs - 1;
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->column_runs[mid].first <= column) low = mid;
        else high = mid - 1;
    }
    return code_column_after(&x->column_runs[low], column - x->column_runs[low].first);
}

const code_value *code_constant(const code_outputs *x, int column)
{
    static const code_value nothing = {0, CODE_NUMBER};
    int low = 0, high = x->n_constant;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (x->constant[mid] < column) low = mid + 1;
        else high = mid;
    }
    return low < x->n_constant && x->constant[low] == column ? &x->value[low] : &nothing;
}
