/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/rig.h"
#include "code/model_parts.h"

#include "problem/problem.h"

bool rig_try_open(rig *r, const char *lines, const char *form)
{
    *r = (rig){0};
    mini_init(&r->k, lines);
    mini *k = &r->k;
    r->s = structure_analyze(&k->flat, &k->a, &k->scratch, &k->sink);
    if (r->s) r->f = form_apply(r->s, form, &k->a, &k->scratch, &k->sink);
    if (!r->f || code_lower(r->f, &k->a, &k->scratch, &k->m, &k->sink, &r->model)) return false;
    if (getenv("SHOW")) {
        text t;
        text_init(&t, &k->m);
        code_model_print(r->model, &t);
        puts(text_str(&t));
        text_done(&t);
    }
    assert_int_equal(run_new(r->model, &k->m, &r->state), 0);
    r->p = run_problem(r->state);
    assert_true(r->p->n <= RIG_MAX);
    return true;
}

void rig_open(rig *r, const char *lines, const char *form)
{
    if (!rig_try_open(r, lines, form))
        fail_msg("%s: %s", form ? form : "default", mini_messages(&r->k));
}

void rig_close(rig *r)
{
    run_free(r->state);
    code_model_free(r->model);
    mini_done(&r->k);
}

void rig_set(rig *r, const char *name, double value)
{
    text why;
    text_init(&why, &r->k.m);
    if (run_set(r->state, name, value, &why)) fail_msg("%s", text_str(&why));
    text_done(&why);
}

int rig_try_begin(rig *r, double t, const start_options *options)
{
    text why;
    text_init(&why, &r->k.m);
    r->t = t;
    if (run_begin(r->state, t, &why)) fail_msg("%s", text_str(&why));
    text_done(&why);
    return start_values(r->state, t, options, r->y, r->yp, &r->init, &r->k.sink);
}

void rig_begin(rig *r, double t)
{
    text why;
    start_options o = {0};
    if (rig_try_begin(r, t, &o)) fail_msg("%s", mini_messages(&r->k));
    text_init(&why, &r->k.m);
    problem_check(r->p, &r->k.m, t, r->y, r->yp, &why);
    if (why.n) fail_msg("%s", text_str(&why));
    text_done(&why);
}

void rig_start(rig *r, double t)
{
    rig_begin(r, t);
    rig_event(r, t);
}

bool rig_event(rig *r, double t)
{
    int changed = 0, rc = r->p->event(r->p->user, r->t = t, r->y, r->yp, &changed);
    if (rc) fail_msg("event at t = %g: status %d, %s", t, rc, rig_why(r));
    return changed;
}

void rig_integrate(rig *r, const char *method, double tol, double t_stop)
{
    char why[300] = "";
    vinc_solver *s;
    vinc_solver_options o = {.method = method, .rel_tol = tol};
    if (vinc_solver_new(r->p, &o, why, sizeof why, &s)) fail_msg("%s", why);
    int rc = vinc_solver_start(s, r->t, r->y, r->yp);
    if (!rc) rc = vinc_solver_run(s, t_stop);
    if (rc < 0) fail_msg("t = %g: %s", vinc_solver_time(s), vinc_solver_message(s));
    r->t = vinc_solver_time(s);
    memcpy(r->y, vinc_solver_y(s), (size_t)r->p->n * sizeof(double));
    memcpy(r->yp, vinc_solver_yp(s), (size_t)r->p->n * sizeof(double));
    vinc_solver_free(s);
}

int rig_unknown(const rig *r, const char *name)
{
    for (int i = 0; i < r->p->n; i++)
        if (!strcmp(r->p->unknown_name(r->p->user, i), name)) return i;
    return -1;
}

double *rig_y(rig *r, const char *name)
{
    int i = rig_unknown(r, name);
    if (i < 0) fail_msg("'%s' is not in y", name);
    return &r->y[i];
}

double rig_value(rig *r, const char *name)
{
    double *out = calloc((size_t)r->p->n_outputs + 1, sizeof *out), x = NAN;
    int i = code_find_column(r->model, name);
    if (i < 0) fail_msg("there is no '%s'", name);
    assert_int_equal(r->p->outputs(r->p->user, r->t, r->y, r->yp, out), 0);
    code_column c = code_column_in(&r->model->outputs, i);
    int q = c.alias ? c.at : i;
    code_column shown = code_column_in(&r->model->outputs, q);
    x = shown.constant ? run_constant(r->state, q) : out[code_output_of(shown)];
    free(out);
    return c.alias < 0 ? -x : x;
}

const char *rig_why(rig *r)
{
    text why;
    span at;
    text_init(&why, &r->k.m);
    run_fault(r->state, &at, &why);
    const char *words = arena_strndup(&r->k.a, text_str(&why), why.n);
    text_done(&why);
    return words;
}
