/* Derivatives of what a run computes by states, inputs and parameters, along directions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/respond.h"
#include "run/verbs.h"

#include <string.h>

typedef struct slope_job {
    vinc_sim *s;
    const code_response *code;
} slope_job;

static int take_response(void *job)
{
    slope_job *j = job;
    const api_compiled *made = j->s->model->compiled;
    while (made->code != j->s->code) made = made->next;
    return api_compile_response(j->s->model, made, &j->code);
}

static int slopes_prepare(vinc_sim *s)
{
    if (s->response) return VINC_OK;
    slope_job j = {.s = s};
    int rc = api_guarded(s->model->ctx, take_response, &j);
    return rc ? rc : respond_new(s->state, j.code, &s->response);
}

static int refuse_number(vinc_sim *s, const char *words)
{
    return api_refuse_call(s, "C124", words);
}

/* What known k is: a state, an input or a parameter. The direction gets v there. */
static int add_known(vinc_sim *s, const run_direction *d, int known, double v)
{
    const code_model *m = run_model(s->state);
    if (known < 0) {
        int k = -1 - known;
        for (int i = 0; i < m->n; i++)
            if (api_is_plain_state(m, i) && k-- == 0) return d->y[i] += v, VINC_OK;
        for (int g = 0; g < m->formulation.n_groups; g++) {
            const image_group *q = &m->formulation.groups[g];
            int n = q->n_columns - q->n_constraints;
            if (k < n) return d->row[q->rows[k]] += v, VINC_OK;
            k -= n;
        }
        return refuse_number(s, "there is no state of that number");
    }
    const char *name = vinc_sim_value_name(s, known);
    for (int i = 0; name && i < m->inputs.n; i++)
        if (!strcmp(m->inputs.list[i].name, name)) return d->u[i] += v, VINC_OK;
    int i = name ? names_find(&m->names, name, strlen(name)) : -1;
    if (i >= 0 && i < m->variables.n) {
        image_variable x = image_variable_at(&m->variables, i);
        if (x.kind <= IMAGE_VARIABLE_STRUCTURAL && x.real) return d->p[x.place] += v, VINC_OK;
    }
    return refuse_number(s, name ? "derivatives are taken by states, inputs and Real parameters"
                                 : "there is no variable of that number");
}

static double unknown_value(vinc_sim *s, int unknown)
{
    return unknown < 0 ? api_state_of(s, -1 - unknown, respond_yp(s->response))
                       : respond_column(s->response, unknown);
}

static int check_unknowns(vinc_sim *s, const int *unknowns, int n)
{
    for (int i = 0; i < n; i++) {
        bool there = unknowns[i] < 0 ? -1 - unknowns[i] < vinc_sim_n_states(s)
                                     : vinc_sim_value_name(s, unknowns[i]) != NULL;
        if (!there) return refuse_number(s, "there is no variable of that number");
    }
    return VINC_OK;
}

/* The change of the unknowns along one known; or along all of them at once. */
static int slopes_along(vinc_sim *s, const vinc_slopes *q, int only, const double *v)
{
    run_direction d = respond_direction(s->response);
    int rc = VINC_OK;
    for (int k = 0; k < q->n_knowns && !rc; k++)
        if (only < 0 || only == k) rc = add_known(s, &d, q->knowns[k], only < 0 ? v[k] : 1);
    if (!rc) respond_along(s->response);
    return rc;
}

int vinc_sim_slopes(vinc_sim *s, const vinc_slopes *q, const double *v, double *out)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (!q || !api_is_list(q->knowns, q->n_knowns) || !api_is_list(q->unknowns, q->n_unknowns) ||
        !v || !out)
        return refuse_number(s,
                             "lists of variables, a direction and room for the answer are needed");
    rc = api_point(s);
    if (!rc) rc = check_unknowns(s, q->unknowns, q->n_unknowns);
    if (!rc) rc = api_told(s, slopes_prepare(s));
    if (!rc) rc = respond_at(s->response, vinc_sim_time(s), s->y, s->yp);
    if (rc == VINC_E_SINGULAR || rc == VINC_E_EVALUATION)
        return refuse_number(s, "the equations do not determine derivatives at the present point"),
               VINC_E_EVALUATION;
    if (rc) return rc;
    if (!q->transposed) {
        rc = slopes_along(s, q, -1, v);
        for (int i = 0; i < q->n_unknowns && !rc; i++) out[i] = unknown_value(s, q->unknowns[i]);
        return rc;
    }
    for (int k = 0; k < q->n_knowns && !rc; k++) {
        rc = slopes_along(s, q, k, v);
        double sum = 0;
        for (int i = 0; i < q->n_unknowns && !rc; i++)
            sum += v[i] * unknown_value(s, q->unknowns[i]);
        out[k] = sum;
    }
    return rc;
}
