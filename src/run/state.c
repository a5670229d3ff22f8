/* One run of a model: parameter values, start values, and the callbacks of its vinc_problem.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "la/wide.h"
#include "problem/problem.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Where they are, inputs and what delay() remembers are brought up to date. */
static void refresh(run_state *s, double t, const double *y, const double *yp, bool past)
{
    const code_model *m = s->model;
    if (m->inputs.n && s->input) {
        s->input(s->input_user, t, s->u, s->up);
        for (int k = 0; k < m->inputs.n; k++) {
            s->w[m->inputs.place[k]] = s->u[k];
            s->w[m->inputs.place[k] + 1] = s->up[k];
        }
    }
    if (past && s->past && y) past_read(s, t, y, yp);
}

static inline tape_args arguments(const run_state *s, double t, const double *y, const double *yp)
{
    return (tape_args){.t = t, .p = s->p, .y = y, .yp = yp, .w = s->w, .scratch = s->scratch};
}

tape_args run_args(run_state *s, double t, const double *y, const double *yp)
{
    refresh(s, t, y, yp, true);
    return arguments(s, t, y, yp);
}

void run_eval(run_state *s, const code_fn *f, double t, const double *y, const double *yp,
              double *out, double *out2)
{
    if (!f->code) return;
    if (s->model->inputs.n || s->past) refresh(s, t, y, yp, f != &s->model->events.delays);
    tape_args args = arguments(s, t, y, yp);
    args.out = out;
    args.out2 = out2;
    tape_eval(f->code, &args);
}

static int first_bad(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

static int residual(void *user, double t, const double *y, const double *yp, double *r)
{
    run_state *s = user;
    run_eval(s, &s->model->system.residual, t, y, yp, r, NULL);
    if (problem_finite(r, s->model->n)) return 0;
    s->fault = true;
    s->fault_row = first_bad(r, s->model->n);
    s->fault_t = t;
    return 1;
}

static int jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                    double *dyp)
{
    run_state *s = user;
    run_eval(s, &s->model->system.jacobian, t, y, yp, dy, dyp);
    return 0;
}

static int rhs(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    const code_model *m = s->model;
    if (!m->system.rhs.code) return run_solve_dependent(s, t, y, yp);
    run_eval(s, &m->system.rhs, t, y, NULL, s->r, NULL);
    for (int i = 0; i < m->n; i++) {
        double x = s->r[i];
        if (m->system.differential[i]) {
            yp[i] = x;
        } else {
            y[i] = x;
            yp[i] = 0;
        }
    }
    return problem_finite(s->r, m->n) ? 0 : 1;
}

/* The independent combinations keep their values; everything that constraints tie to them follows. */
static int project(void *user, double t, double *y, double *yp)
{
    return run_solve_dependent(user, t, y, yp);
}

/* Is there anything to search for? Relations of time alone are foretold. */
static int n_roots(const code_model *m)
{
    return m->events.n_single + 2 * m->events.n_families_moving;
}

static int violation(void *user, double t, const double *y, const double *yp, double v[3])
{
    run_state *s = user;
    const code_model *m = s->model;
    v[0] = v[1] = v[2] = -1;
    run_eval(s, &m->system.constraints, t, y, yp, s->small, NULL);
    for (int k = 0; k < m->system.constraints.n_out; k++) {
        double *level = &v[m->system.constraint_level[k]], x = fabs(s->small[k]);
        if (!(x <= *level)) *level = x;
    }
    return 0;
}

static int energy(void *user, double t, const double *y, const double *yp, double *e)
{
    run_state *s = user;
    run_eval(s, &s->model->system.energy, t, y, yp, e, NULL);
    return isfinite(*e) ? 0 : 1;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *unknown_name(void *user, int i)
{
    const run_state *s = user;
    return s->model->form->unknowns.at[i].name;
}

bool run_fault(const run_state *s, span *at, text *why)
{
    if (s->event_why[0]) {
        *at = s->event_at;
        text_add(why, s->event_why);
        return true;
    }
    if (!s->fault) return false;
    const form_row *row = &s->model->form->rows.at[s->fault_row];
    *at = row->equation < 0 ? (span){0, 0} : s->model->s->equations.at[row->equation].at;
    if (row->equation < 0) return false;
    text_add(why, "the equation '");
    expr_print(s->model->s->pool, s->model->s->equations.at[row->equation].lhs, EXPR_MODELICA, 60,
               why);
    text_add(why, " = ");
    expr_print(s->model->s->pool, s->model->s->equations.at[row->equation].rhs, EXPR_MODELICA, 60,
               why);
    text_printf(why, "' is not a number at t = %.9g", s->fault_t);
    return true;
}

/* ---- the problem ----------------------------------------------------------------------------- */

void run_fill_problem(run_state *s)
{
    const code_model *m = s->model;
    bool steps_project = m->manifold && m->form->project != FORM_PROJECT_OUTPUT;
    s->problem = (vinc_problem){
        .n = m->n,
        .n_roots = n_roots(m),
        .jac = &m->system.jac,
        .nominal = s->nominal,
        .differential = m->system.differential,
        .autonomous = m->system.residual.program && !m->system.residual.program->extent[TAPE_T] &&
                      !m->inputs.n && !m->events.delays.n_out,
        .residual = residual,
        .jacobian = jacobian,
        .roots = n_roots(m) ? event_roots : NULL,
        .event = code_has_events(&m->events) ? event_handle : NULL,
        .next_time_event = code_has_events(&m->events) ? event_next : NULL,
        .step_limit = m->events.delays.n_out ? past_step_limit : NULL,
        .accept = m->events.delays.n_out ? past_accept : NULL,
        .finish = code_has_events(&m->events) ? event_finish : NULL,
        .event_text = code_has_events(&m->events) ? event_text : NULL,
        .check = m->events.assertions.n_out ? event_check : NULL,
        .user = s,
        .rhs = m->form->mechanical       ? run_accelerate
               : m->form->kind->explicit ? rhs
                                         : NULL,
        .unknown_level = m->system.unknown_level,
        .equation_level = m->system.equation_level,
        .velocity = m->system.velocity,
        .project = steps_project       ? run_project
                   : m->form->groups.n ? project
                                       : NULL,
        .output_project = m->manifold && !steps_project ? run_project : NULL,
        .reselect = m->form->groups.n ? run_reselect : NULL,
        .regularity = m->rank ? run_regularity : NULL,
        .violation = m->system.constraints.n_out ? violation : NULL,
        .energy = m->system.energy.n_out ? energy : NULL,
        .n_outputs = m->outputs.n,
        .outputs = run_outputs,
        .unknown_name = unknown_name,
    };
}

vinc_problem *run_problem(run_state *s)
{
    return &s->problem;
}

/* ---- making a state -------------------------------------------------------------------------- */

static int largest(const int *n, int count)
{
    int most = 1;
    for (int k = 0; k < count; k++)
        if (n[k] > most) most = n[k];
    return most;
}

static size_t layout(run_state *s, const code_model *m, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)m->n, entries = (size_t)m->s->entries.n, nnz = (size_t)m->system.jac.nnz;
    s->p = bump_double(&b, (size_t)m->n_p);
    s->w = bump_double(&b, (size_t)m->n_w);
    s->scratch = bump_double(&b, m->scratch);
    s->nominal = bump_double(&b, n);
    s->attributes = bump_double(&b, (size_t)m->parameters.attributes.n_out);
    s->start = bump_double(&b, entries);
    s->lower = bump_double(&b, entries);
    s->upper = bump_double(&b, entries);
    s->dy = bump_double(&b, nnz);
    s->dyp = bump_double(&b, nnz);
    s->matrix = bump_double(&b, nnz);
    s->r = bump_double(&b, n);
    s->delta = bump_double(&b, n);
    s->trial = bump_double(&b, n);
    s->y_work = bump_double(&b, n);
    s->yp_work = bump_double(&b, n);
    s->y_hold = bump_double(&b, n);
    s->y_start = bump_double(&b, n);
    s->yp_start = bump_double(&b, n);
    s->row_at = bump_int(&b, n + (size_t)m->start.n_extra);
    s->map_out = bump_double(&b, (size_t)m->start.map.n_out);
    s->selection_work = bump_double(&b, run_select_work(m));
    s->manifold_work = bump_bytes(&b, run_manifold_work(m));
    s->rank_scale = bump_double(&b, m->rank ? (size_t)m->rank->m : 0);
    s->algebra_work = bump_bytes(&b, run_accelerate_work(m));
    s->output_work = bump_double(&b, (size_t)m->outputs.computed.n_out);
    event_layout(s, m, &b);
    int sizes[] = {m->system.constraints.n_out, m->events.relations.n_out,
                   m->events.thresholds.n_out,  m->events.assertions.n_out,
                   m->events.first.n_out,       m->parameters.bound.n_out,
                   m->choice.next.n_out,        m->choice.jac.n_out};
    size_t small = (size_t)largest(sizes, sizeof sizes / sizeof *sizes);
    s->small = bump_double(&b, small);
    s->small2 = bump_double(&b, small);
    s->u = bump_double(&b, (size_t)m->inputs.n);
    s->up = bump_double(&b, (size_t)m->inputs.n);
    s->fixed = bump_bytes(&b, entries);
    s->overridden = bump_bytes(&b, (size_t)m->n_p);
    return bump_end(&b);
}

static int make(const code_model *model, mem *m, run_state **out)
{
    run_state *s = mem_try(m, sizeof *s);
    *out = NULL;
    if (!s) return VINC_E_MEMORY;
    *s = (run_state){.model = model, .m = m};
    s->block_bytes = layout(s, model, NULL);
    s->block = mem_try(m, s->block_bytes);
    if (!s->block) {
        mem_free(m, s, sizeof *s);
        return VINC_E_MEMORY;
    }
    memset(s->block, 0, s->block_bytes);
    layout(s, model, s->block);
    run_fill_problem(s);
    if (past_new(s)) {
        run_free(s);
        return VINC_E_MEMORY;
    }
    *out = s;
    return VINC_OK;
}

int run_new(const code_model *model, mem *m, run_state **out)
{
    int rc = make(model, m, out);
    if (rc) return rc;
    if (model->initial == model) return VINC_OK;
    rc = make(model->initial, m, &(*out)->initial);
    if (!rc) return VINC_OK;
    run_free(*out);
    *out = NULL;
    return rc;
}

void run_free(run_state *s)
{
    if (!s) return;
    run_free(s->initial);
    la_free(s->la);
    la_wide_free(s->wide);
    project_free(s);
    past_free(s);
    run_record(s, NULL, 0);
    mem_free(s->m, s->settings, (size_t)s->cap_settings * sizeof *s->settings);
    mem_free(s->m, s->block, s->block_bytes);
    mem_free(s->m, s, sizeof *s);
}

void run_inputs(run_state *s, void (*input)(void *user, double t, double *u, double *up),
                void *user)
{
    s->input = input;
    s->input_user = user;
    if (s->initial) run_inputs(s->initial, input, user);
}

void run_warnings(run_state *s, void (*warn)(void *user, span at, const char *words), void *user)
{
    s->warn = warn;
    s->warn_user = user;
}

/* ---- settings -------------------------------------------------------------------------------- */

static int unknown_setting(const run_state *s, const char *name, text *why)
{
    const structure *x = s->model->s;
    // The nearest name, without allocating: candidates that share the first letter come first.
    const char *best = NULL;
    for (int v = 0; v < x->n_flat && !best; v++) {
        const char *one[] = {x->flat->vars.at[v].name};
        best = diag_nearest(name, one, 1);
    }
    text_printf(why, "there is no variable or parameter '%s'", name);
    if (best) text_printf(why, "; did you mean '%s'?", best);
    return VINC_E_OPTION;
}

static int find_name(const structure *x, const char *name, size_t n)
{
    for (int v = 0; v < x->n_flat; v++)
        if (!strncmp(x->flat->vars.at[v].name, name, n) && !x->flat->vars.at[v].name[n]) return v;
    return -1;
}

static int add_setting(run_state *s, run_setting x)
{
    if (s->n_settings == s->cap_settings) {
        int cap = 2 * s->cap_settings + 8;
        run_setting *list = mem_try(s->m, (size_t)cap * sizeof *list);
        if (!list) return VINC_E_MEMORY;
        if (s->n_settings) memcpy(list, s->settings, (size_t)s->n_settings * sizeof *list);
        mem_free(s->m, s->settings, (size_t)s->cap_settings * sizeof *list);
        s->settings = list;
        s->cap_settings = cap;
    }
    s->settings[s->n_settings++] = x;
    return VINC_OK;
}

int run_set(run_state *s, const char *name, double value, text *why)
{
    const structure *x = s->model->s;
    size_t n = strlen(name);
    int order = 0;
    const char *id = name;
    while (n > 5 && !strncmp(id, "der(", 4) && id[n - 1] == ')') {
        id += 4;
        n -= 5;
        order++;
    }
    int v = find_name(x, id, n);
    if (v < 0) return unknown_setting(s, name, why);
    const flat_var *f = &x->flat->vars.at[v];
    const structure_var *q = &x->vars[v];
    run_setting set = {.param = -1, .entry = -1, .w = -1, .value = value};
    if (q->role == STRUCTURE_PARAMETER && !order) {
        if (f->flags & FLAT_FINAL || f->variability == FLAT_CONSTANT) {
            text_printf(why, "'%s' is final: its value cannot be changed from outside", name);
            return VINC_E_OPTION;
        }
        if (f->flags & FLAT_STRUCTURAL) {
            text_printf(why,
                        "'%s' decides the structure of the model: give it when the model is loaded",
                        name);
            return VINC_E_OPTION;
        }
        set.param = q->place;
    } else if (q->role == STRUCTURE_UNKNOWN || q->role == STRUCTURE_ALIAS) {
        bool alias = q->role == STRUCTURE_ALIAS;
        const structure_unknown *u = &x->unknowns.at[alias ? x->vars[q->of].place : q->place];
        order += alias ? q->order : 0;
        if (order > u->d) {
            text_printf(why, "'%s' does not occur in the model", name);
            return VINC_E_OPTION;
        }
        set.entry = u->first + order;
        if (alias && q->negated) set.value = -value;
    } else if ((q->role == STRUCTURE_INPUT || q->role == STRUCTURE_DISCRETE) && !order) {
        set.w = q->place;
    } else {
        text_printf(why, "'%s' is determined by parameters: set those instead", name);
        return VINC_E_OPTION;
    }
    int rc = add_setting(s, set);
    if (!rc && s->initial) rc = add_setting(s->initial, set);
    return rc;
}

int run_take_settings(run_state *s, const run_state *from)
{
    int rc = VINC_OK;
    for (int k = 0; k < from->n_settings && !rc; k++) {
        rc = add_setting(s, from->settings[k]);
        if (!rc && s->initial) rc = add_setting(s->initial, from->settings[k]);
    }
    return rc;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void evaluate_parameters(run_state *s)
{
    const code_model *m = s->model;
    if (m->n_p) memcpy(s->p, m->s->p_default, (size_t)m->n_p * sizeof *s->p);
    memset(s->overridden, 0, (size_t)m->n_p);
    for (int k = 0; k < s->n_settings; k++)
        if (s->settings[k].param >= 0) {
            s->overridden[s->settings[k].param] = 1;
            s->p[s->settings[k].param] = s->settings[k].value;
        }
    for (int pass = 0; pass < m->parameters.depth; pass++) {
        run_eval(s, &m->parameters.bound, 0, NULL, NULL, s->small, NULL);
        for (int k = 0; k < m->parameters.bound.n_out; k++)
            if (!s->overridden[m->parameters.place[k]]) s->p[m->parameters.place[k]] = s->small[k];
    }
}

static void evaluate_attributes(run_state *s)
{
    const code_model *m = s->model;
    const structure *x = m->s;
    run_eval(s, &m->parameters.attributes, 0, NULL, NULL, s->attributes, NULL);
    for (int i = 0; i < x->entries.n; i++) {
        s->start[i] = run_value(s, &m->parameters.entries[i].start);
        s->lower[i] = run_value(s, &m->parameters.entries[i].min);
        s->upper[i] = run_value(s, &m->parameters.entries[i].max);
        s->fixed[i] = x->entries.at[i].fixed == 1;
    }
    for (int i = 0; i < m->n; i++) {
        int e = m->form->unknowns.at[i].entry;
        double nominal = e < 0 ? 1 : fabs(run_value(s, &m->parameters.entries[e].nominal));
        s->nominal[i] = nominal > 0 && isfinite(nominal) ? nominal : 1;
    }
    for (int v = 0; v < x->n_flat; v++)
        if (x->vars[v].role == STRUCTURE_DISCRETE || x->vars[v].role == STRUCTURE_INPUT) {
            double value = run_value(s, &m->parameters.start[v]);
            s->w[x->vars[v].place] = value;
            s->w[x->vars[v].place + 1] = x->vars[v].role == STRUCTURE_DISCRETE ? value : 0;
        }
    for (int k = 0; k < s->n_settings; k++) {
        const run_setting *q = &s->settings[k];
        if (q->w >= 0) s->w[q->w] = q->value;
        if (q->entry < 0) continue;
        s->start[q->entry] = q->value;
        s->fixed[q->entry] = 1;
    }
}

static int check_values(const run_state *s, text *why)
{
    const code_model *m = s->model;
    const structure *x = m->s;
    for (int k = 0; k < x->n_evaluated; k++) {
        int v = x->parameters[k];
        if (isnan(s->p[x->vars[v].place])) {
            text_printf(why, "parameter '%s' has no value (it is not a number)",
                        x->flat->vars.at[v].name);
            return VINC_E_MODEL;
        }
    }
    for (int k = 0; k < m->form->assignments.n; k++) {
        const form_assignment *a = &m->form->assignments.at[k];
        if (!a->guard || m->parameters.guard[k].output < 0) continue;
        double g = run_value(s, &m->parameters.guard[k]);
        if (g != 0 && isfinite(g)) continue;
        text_printf(
            why,
            "a coefficient that must not vanish is %g with these parameters: the equation for "
            "'%s' was solved by dividing by it",
            g, x->entries.at[a->entry].name);
        return VINC_E_MODEL;
    }
    return VINC_OK;
}

int run_begin(run_state *s, double t0, text *why)
{
    memset(s->w, 0, (size_t)s->model->n_w * sizeof *s->w);
    s->w[STRUCTURE_W_LAMBDA] = 1;
    s->event_why[0] = 0;
    s->fault = false;
    evaluate_parameters(s);
    evaluate_attributes(s);
    s->scheduled = s->started = false;
    past_forget(s);
    memset(s->warned, 0, (size_t)s->model->s->actions.n);
    s->rank_seen = 0;
    s->wide_most = 0;
    if (s->model->rank) memset(s->rank_scale, 0, (size_t)s->model->rank->m * sizeof *s->rank_scale);
    int rc = check_values(s, why);
    family_begin(s);
    s->w_given = true;
    s->foretold = INFINITY;
    if (!rc && s->initial) rc = run_begin(s->initial, t0, why);
    return rc;
}

double run_constant(const run_state *s, int column)
{
    return run_value(s, &s->model->outputs.value[column]);
}
