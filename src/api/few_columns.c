/* Columns of a run that records a selection.
 *
 * Names and places of all columns take time to make, and more memory than a part of a shared model does. Such a
 * run declares those alone that the selection may mean. Of a run of several processes nothing is known of the
 * others when it is over. Of one process all are made when somebody looks at its result; the last values of what
 * was not recorded are kept for that.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/verbs.h"

#include <stdlib.h>
#include <string.h>

/* Large blocks go back to the system at once (base/pages.h). */
#ifndef API_COLUMNS_MIN
#define API_COLUMNS_MIN (PAGES_LARGE_BYTES / (int)sizeof(result_column))
#endif

static bool declares_few(const vinc_sim *s, const result *into)
{
    const vinc_sim_options *o = &s->callbacks;
    return o->distributed && o->only_vars && o->vars && !s->detail && into == s->result.r;
}

/* They are most of a result of a few variables of a large model; nobody looks at them while its rows are made. */
static bool columns_may_go(const vinc_sim *s, const result *r)
{
    const vinc_sim_options *o = &s->callbacks;
    return o->only_vars && o->vars && !o->distributed && !o->sens && !o->keep_end && !s->detail &&
           !s->inner && !s->verify && !s->equilibrium && r == s->result.r && !s->result_shown &&
           s->code->outputs.n_columns >= API_COLUMNS_MIN;
}

/* ---- which ones ------------------------------------------------------------------------------ */

typedef struct column_choice {
    mem *m;
    int n, cap;
    int *at; // columns of the model
} column_choice;

static bool choice_add(column_choice *x, int column)
{
    if (x->n == x->cap) {
        int cap = x->cap ? 2 * x->cap : 16;
        int *at =
            x->m->resize(x->m->user, x->at, (size_t)x->cap * sizeof *at, (size_t)cap * sizeof *at);
        if (!at) return false;
        x->at = at;
        x->cap = cap;
    }
    x->at[x->n++] = column;
    return true;
}

/* A column, with the one that it repeats. */
static bool choice_take(column_choice *x, const vinc_sim *s, int column)
{
    code_column c = code_column_in(&s->code->outputs, column);
    return choice_add(x, column) && (!c.alias || choice_add(x, c.at));
}

static int compare_columns(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Each once, in the order of the model. */
static void choice_sort(column_choice *x)
{
    int n = 0;
    if (x->n) qsort(x->at, (size_t)x->n, sizeof *x->at, compare_columns);
    for (int k = 0; k < x->n; k++)
        if (!n || x->at[k] != x->at[n - 1]) x->at[n++] = x->at[k];
    x->n = n;
}

static void choice_done(column_choice *x)
{
    mem_free(x->m, x->at, (size_t)x->cap * sizeof *x->at);
}

typedef struct choice_job {
    const vinc_sim *s;
    column_choice *x;
    bool whole;
} choice_job;

static bool take_name(void *job, const char *name)
{
    choice_job *j = job;
    if (!strcmp(name, "time")) return true;
    int column = code_find_column(j->s->code, name);
    if (column >= 0) j->whole = choice_take(j->x, j->s, column);
    return column >= 0 && j->whole;
}

/* What the selection may mean, by its text. Names alone are looked up; patterns and formulas are held against
 * the name of each column. */
static int choose_by_name(vinc_sim *s, char *vars, column_choice *x)
{
    choice_job j = {s, x, true};
    if (result_names_in(vars, take_name, &j)) return VINC_OK;
    text name;
    text_init(&name, &s->m);
    x->n = 0;
    for (int i = 0, near = 0; i < s->code->outputs.n_columns && j.whole; i++) {
        text_clear(&name);
        j.whole = code_add_name_of(s->code, code_column_near(s->code, i, &near), &name);
        if (j.whole && result_may_select(vars, text_str(&name))) j.whole = choice_take(x, s, i);
    }
    text_done(&name);
    return j.whole ? VINC_OK : VINC_E_MEMORY;
}

static int choose_columns(vinc_sim *s, column_choice *x)
{
    size_t bytes = strlen(s->callbacks.vars) + 1;
    char *vars = mem_try(&s->m, bytes);
    if (!vars) return VINC_E_MEMORY;
    memcpy(vars, s->callbacks.vars, bytes);
    text_squeeze_name(vars);
    int rc = choose_by_name(s, vars, x);
    choice_sort(x);
    mem_free(&s->m, vars, bytes);
    return rc;
}

/* Where it cannot be read all columns are needed for the message. */
static bool can_be_read(vinc_sim *s, const column_choice *x)
{
    result *tried = NULL;
    result_selection selection;
    result_fault fault = {0};
    int rc = result_new(&s->m, &tried);
    if (rc >= 0) rc = api_declare_chosen(s, tried, x->at, x->n);
    if (rc >= 0) rc = result_add_formulas(tried, s->callbacks.vars, &fault);
    if (rc >= 0) rc = result_select(tried, s->callbacks.vars, &selection, &fault);
    if (rc >= 0) result_selection_done(&selection);
    result_free(tried);
    return rc >= 0;
}

/* ---- declared alone -------------------------------------------------------------------------- */

/* Outputs of what is declared, in the order of rows. */
static int list_outputs(vinc_sim *s, const column_choice *x)
{
    s->declared = mem_try(&s->m, ((size_t)x->n + 1) * sizeof *s->declared);
    if (!s->declared) return VINC_E_MEMORY;
    s->cap_declared = x->n;
    s->n_declared = 0;
    for (int k = 0; k < x->n; k++) {
        code_column c = code_column_in(&s->code->outputs, x->at[k]);
        if (!c.constant && !c.alias) s->declared[s->n_declared++] = c.at;
    }
    return VINC_OK;
}

int api_declare_few(vinc_sim *s, result *into, bool whole_run)
{
    bool go = whole_run && !s->callbacks.out && columns_may_go(s, into);
    if (!go && !declares_few(s, into)) return api_declare_columns(s, into);
    column_choice x = {.m = &s->m};
    int rc = choose_columns(s, &x);
    bool few = !rc && can_be_read(s, &x);
    if (few) rc = list_outputs(s, &x);
    if (!rc && few) rc = api_declare_chosen(s, into, x.at, x.n);
    else if (!rc) rc = api_declare_columns(s, into);
    choice_done(&x);
    return rc;
}

void api_free_declared(vinc_sim *s)
{
    if (!s->declared) return;
    mem_free(&s->m, s->declared, ((size_t)s->cap_declared + 1) * sizeof *s->declared);
    s->declared = NULL;
    s->n_declared = s->cap_declared = 0;
}

/* Those that were declared and not selected after all. */
static int keep_end_of_few(vinc_sim *s, result *r, double t)
{
    size_t bytes = ((size_t)s->n_declared + 1) * sizeof(double);
    double *values = mem_try(&s->m, bytes);
    if (!values) return VINC_E_MEMORY;
    if (run_values(s->state, t, s->y, s->yp, s->declared, s->n_declared, values) >= 0)
        result_set_end(r, values);
    mem_free(&s->m, values, bytes);
    return VINC_OK;
}

/* ---- gone while rows are made ---------------------------------------------------------------- */

void api_let_columns_go(vinc_sim *s, result *r)
{
    if (r->stream || !columns_may_go(s, r)) return;
    result_drop_columns(r);
    api_free_declared(s);
    s->columns_gone = true;
}

int api_bring_columns(vinc_sim *s)
{
    if (!s->columns_gone) return VINC_OK;
    result *whole = NULL;
    int rc = result_new(&s->m, &whole) < 0 ? VINC_E_MEMORY : api_declare_columns(s, whole);
    if (!rc) rc = api_use_selection(s, whole, true);
    if (!rc) result_take_columns(s->result.r, whole);
    else result_free(whole);
    s->columns_gone = rc != VINC_OK;
    if (!rc && s->end_values) result_set_end(s->result.r, s->end_values);
    if (!rc) api_free_end_values(s);
    return rc;
}

void api_free_end_values(vinc_sim *s)
{
    if (!s->end_values) return;
    mem_free(&s->m, s->end_values, s->end_bytes);
    s->end_values = NULL;
}

int api_keep_end_values(vinc_sim *s, result *r, double t)
{
    run_record(s->state, NULL, 0);
    if (s->declared) return keep_end_of_few(s, r, t);
    const vinc_problem *p = run_problem(s->state);
    api_free_end_values(s);
    s->end_bytes = ((size_t)p->n_outputs + 1) * sizeof(double);
    s->end_values = mem_try(&s->m, s->end_bytes);
    if (!s->end_values) return VINC_E_MEMORY;
    bool known = p->outputs(p->user, t, s->y, s->yp, s->end_values) >= 0;
    if (known && s->columns_gone && r == s->result.r) return VINC_OK; // for those who look
    if (known) result_set_end(r, s->end_values);
    if (known && r == s->result.r && s->detail) result_set_end(api_detail_rows(s), s->end_values);
    api_free_end_values(s);
    return VINC_OK;
}
