/* SPDX-License-Identifier: BSD-3-Clause */
#include "open_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ensemble_open(open_ensemble *x, const char *text_, ensemble_options o,
                   const char *const *columns)
{
    int list[OPEN_MAX];
    text why;
    *x = (open_ensemble){.ctx = vinc_ctx_new(NULL), .m = mem_std()};
    vinc_sim_options so = {.has_start = 1, .has_stop = 1, .t_start = o.t0, .t_stop = o.t1};
    int rc = vinc_model_load_text(x->ctx, "test.mo", text_, strlen(text_), NULL, &x->model);
    if (!rc) rc = vinc_sim_new(x->model, &so, &x->sim);
    if (!rc) rc = api_initialize(x->sim);
    if (rc) {
        snprintf(x->why, sizeof x->why, "%s", vinc_ctx_messages(x->ctx));
        return;
    }
    while (columns[o.n_columns]) {
        list[o.n_columns] = code_find_column(x->sim->code, columns[o.n_columns]);
        o.n_columns++;
    }
    o.columns = list;
    text_init(&why, &x->m);
    ensemble_new(x->sim->state, x->sim->y, x->sim->yp, &o, &x->m, &x->e, &why);
    snprintf(x->why, sizeof x->why, "%s", text_str(&why));
    text_done(&why);
}

void ensemble_close(open_ensemble *x)
{
    ensemble_free(x->e);
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
}

void ensemble_put(open_ensemble *x, const ensemble_options *o, const double *values, double *in,
                  size_t n, size_t i)
{
    for (int k = 0; k < o->n_vary; k++) in[(size_t)k * n + i] = values[k];
    if (!x->e->given) return;
    const code_model *m = x->sim->code;
    run_state *s, *kept = x->sim->state;
    text why;
    text_init(&why, &x->m);
    run_new(m, &x->m, &s);
    for (int k = 0; k < o->n_vary; k++) run_set(s, o->vary[k], values[k], &why);
    x->sim->state = s;
    api_initialize(x->sim);
    x->sim->state = kept;
    for (int k = 0; k < m->n; k++) in[(size_t)(o->n_vary + k) * n + i] = x->sim->y[k];
    for (int k = 0; k < m->n_w; k++)
        in[(size_t)(o->n_vary + m->n + k) * n + i] = run_discrete_values(s)[k];
    run_free(s);
    text_done(&why);
}

double ensemble_reference(const char *text_, const ensemble_options *o, const double *values,
                          const char *column, const char *method, double tol)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    double x = NAN;
    vinc_sim_options so = {.has_start = 1,
                           .has_stop = 1,
                           .t_start = o->t0,
                           .t_stop = o->t1,
                           .method = method,
                           .rel_tol = tol,
                           .abs_tol = tol};
    if (o->step > 0) so.step = o->step;
    int rc = vinc_model_load_text(ctx, "test.mo", text_, strlen(text_), NULL, &model);
    if (!rc) rc = vinc_sim_new(model, &so, &sim);
    for (int k = 0; k < o->n_vary && !rc; k++) rc = vinc_sim_set(sim, o->vary[k], values[k]);
    if (!rc) rc = vinc_sim_run(sim);
    if (!rc) x = vinc_result_at(vinc_sim_result(sim), column, o->t1);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return x;
}
