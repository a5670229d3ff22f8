/* Columns of a result: one for each variable of the model, or for some of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/verbs.h"

static result_kind kind_of(uint8_t type)
{
    return type == TYPE_REAL ? RESULT_REAL : type == TYPE_BOOLEAN ? RESULT_BOOL : RESULT_INT;
}

/* of: the column of the result that an alias repeats. */
static int declare_column(vinc_sim *s, result *r, int i, code_column c, const char *name, int of)
{
    const image_look *look = code_look_of(s->code, c);
    if (c.alias) return result_add_alias(r, name, look->unit, look->comment, of, c.alias < 0);
    if (!c.constant) return result_add(r, name, look->unit, look->comment, kind_of(c.type));
    return result_add_constant(r, name, look->unit, look->comment, kind_of(c.type),
                               run_constant(s->state, i));
}

static int column_place(const int *chosen, int n, int column)
{
    int low = 0, high = n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (chosen[mid] < column) low = mid + 1;
        else high = mid;
    }
    return low;
}

int api_declare_chosen(vinc_sim *s, result *r, const int *chosen, int n)
{
    // Outputs in their order, so that a row of the problem is a row of the result; the result's
    // columns are its own.
    int *column_of = mem_try(&s->m, (size_t)(n + 1) * sizeof *column_of);
    if (!column_of) return VINC_E_MEMORY;
    int rc = 0, near = 0;
    text name;
    text_init(&name, &s->m);
    for (int k = 0; k < 2 * n && rc >= 0; k++) { // aliases last
        int at = k % n, i = chosen ? chosen[at] : at;
        const code_column c = code_column_near(s->code, i, &near);
        if ((c.alias != 0) != (k >= n)) continue;
        int of = !c.alias ? 0 : column_of[chosen ? column_place(chosen, n, c.at) : c.at];
        text_clear(&name);
        bool whole = code_add_name_of(s->code, c, &name);
        rc = whole ? declare_column(s, r, i, c, text_str(&name), of) : RESULT_E_MEMORY;
        column_of[at] = rc;
    }
    text_done(&name);
    for (int at = 0; at < n && rc >= 0; at++) {
        int i = chosen ? chosen[at] : at;
        const image_look *look = code_look_of(s->code, code_column_near(s->code, i, &near));
        rc = api_show_column(r, column_of[at], look->display);
        if (rc < 0 || look->type < 0) continue;
        const image_enumeration *e = &s->code->looks.enumerations[look->type];
        rc = result_name_values(r, column_of[at], e->literals, e->n);
    }
    mem_free(&s->m, column_of, (size_t)(n + 1) * sizeof *column_of);
    return rc < 0 ? VINC_E_MEMORY : api_sens_declare(s, r);
}

/* ---- of one run after the other -------------------------------------------------------------- */

/* Names, units and places are those of the model; making them takes as long as a short run. Constants are those of this
 * run, in the order in which they were declared. */
static void take_columns(vinc_sim *s, result *r)
{
    int k = 0;
    result_take_columns(r, s->columns);
    s->columns = NULL;
    for (int i = 0, near = 0; i < s->code->outputs.n_columns; i++) {
        const code_column c = code_column_near(s->code, i, &near);
        if (c.constant && !c.alias) r->constants[k++] = run_constant(s->state, i);
    }
}

/* Not where somebody has added to them, or records some of them only. */
void api_keep_columns(vinc_sim *s)
{
    result *r = s->result.r;
    bool kept = r && s->n_columns > 0 && r->n_columns == s->n_columns && !r->n_formulas &&
                !s->callbacks.only_vars && !s->sens && !s->columns;
    s->result.r = NULL;
    s->n_columns = 0;
    if (!kept) {
        result_free(r);
        return;
    }
    result_drop_rows(r);
    s->columns = r;
}

int api_declare_columns(vinc_sim *s, result *r)
{
    bool own = r == s->result.r;
    int rc = VINC_OK;
    if (own && s->columns) take_columns(s, r);
    else rc = api_declare_chosen(s, r, NULL, s->code->outputs.n_columns);
    if (own && !rc) s->n_columns = r->n_columns;
    return rc;
}
