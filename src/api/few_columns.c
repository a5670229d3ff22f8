/* Columns of a run of several processes that records a selection.
 *
 * Names and places of all columns take more memory than a part of a shared model does. Such a run declares those
 * alone that the selection may mean; of the others nothing is known when it is over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/verbs.h"

#include <string.h>

static bool declares_few(const vinc_sim *s, const result *into)
{
    const vinc_sim_options *o = &s->callbacks;
    return o->distributed && o->only_vars && o->vars && !s->detail && into == s->result.r;
}

/* What the selection may mean, by its text. */
static int choose_by_name(vinc_sim *s, bool *chosen)
{
    size_t bytes = strlen(s->callbacks.vars) + 1;
    char *vars = mem_try(&s->m, bytes);
    if (!vars) return VINC_E_MEMORY;
    memcpy(vars, s->callbacks.vars, bytes);
    text_squeeze_name(vars);
    text name;
    text_init(&name, &s->m);
    bool whole = true;
    for (int i = 0; i < code_n_columns(s->code) && whole; i++) {
        text_clear(&name);
        whole = code_add_column_name(s->code, i, &name);
        if (!whole || !result_may_select(vars, text_str(&name))) continue;
        chosen[i] = true;
        code_column c = code_column_at(s->code, i);
        if (c.alias) chosen[c.at] = true;
    }
    text_done(&name);
    mem_free(&s->m, vars, bytes);
    return whole ? VINC_OK : VINC_E_MEMORY;
}

/* Where it cannot be read all columns are needed for the message. */
static bool can_be_read(vinc_sim *s, const bool *chosen)
{
    result *tried = NULL;
    result_selection selection;
    result_fault fault = {0};
    int rc = result_new(&s->m, &tried);
    if (rc >= 0) rc = api_declare_chosen(s, tried, chosen);
    if (rc >= 0) rc = result_add_formulas(tried, s->callbacks.vars, &fault);
    if (rc >= 0) rc = result_select(tried, s->callbacks.vars, &selection, &fault);
    if (rc >= 0) result_selection_done(&selection);
    result_free(tried);
    return rc >= 0;
}

static bool has_output(const vinc_sim *s, int column, const bool *chosen)
{
    if (!chosen[column]) return false;
    code_column c = code_column_at(s->code, column);
    return !c.constant && !c.alias;
}

/* Outputs of what is declared, in the order of rows. */
static int list_outputs(vinc_sim *s, const bool *chosen)
{
    int n = code_n_columns(s->code), count = 0, at = 0;
    for (int i = 0; i < n; i++) count += has_output(s, i, chosen);
    s->declared = mem_try(&s->m, ((size_t)count + 1) * sizeof *s->declared);
    if (!s->declared) return VINC_E_MEMORY;
    for (int i = 0; i < n; i++)
        if (has_output(s, i, chosen)) s->declared[at++] = code_column_at(s->code, i).at;
    s->n_declared = count;
    return VINC_OK;
}

int api_declare_few(vinc_sim *s, result *into)
{
    if (!declares_few(s, into)) return api_declare_columns(s, into);
    size_t bytes = (size_t)code_n_columns(s->code) + 1;
    bool *chosen = mem_try_zeroed(&s->m, bytes);
    if (!chosen) return VINC_E_MEMORY;
    int rc = choose_by_name(s, chosen);
    bool few = !rc && can_be_read(s, chosen);
    if (few) rc = list_outputs(s, chosen);
    if (!rc) rc = api_declare_chosen(s, into, few ? chosen : NULL);
    mem_free(&s->m, chosen, bytes);
    return rc;
}

void api_free_declared(vinc_sim *s)
{
    if (!s->declared) return;
    mem_free(&s->m, s->declared, ((size_t)s->n_declared + 1) * sizeof *s->declared);
    s->declared = NULL;
    s->n_declared = 0;
}

/* Those that were declared and not selected after all. */
int api_keep_end_of_few(vinc_sim *s, result *r, double t)
{
    size_t bytes = ((size_t)s->n_declared + 1) * sizeof(double);
    double *values = mem_try(&s->m, bytes);
    if (!values) return VINC_E_MEMORY;
    if (run_values(s->state, t, s->y, s->yp, s->declared, s->n_declared, values) >= 0)
        result_set_end(r, values);
    mem_free(&s->m, values, bytes);
    return VINC_OK;
}
