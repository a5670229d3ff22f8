/* What was set from outside, and what follows from it: parameters, start values, nominals.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/entry_names.h"
#include "run/run_parts.h"
#include "run/vary.h"

#include <math.h>
#include <string.h>

static const double TIE_NOT_COUNTED = 1e8;

void settings_layout(run_state *s, const code_model *m, bump *b)
{
    size_t entries = (size_t)m->formulation.n_entries;
    s->settings.overridden = bump_bytes(b, (size_t)m->n_p);
    s->settings.bound = bump_double(b, (size_t)m->parameters.bound.n_out);
    s->attributes.value = bump_double(b, (size_t)m->parameters.attributes.n_out);
    s->attributes.start = bump_double(b, entries);
    s->attributes.fixed = bump_bytes(b, entries);
}

void settings_free(run_state *s)
{
    mem_free(s->m, s->settings.at, (size_t)s->settings.cap * sizeof *s->settings.at);
}

/* ---- settings -------------------------------------------------------------------------------- */

static int unknown_setting(const run_state *s, const char *name, text *why)
{
    // The nearest name, without allocating: candidates that share the first letter come first.
    const char *best = NULL;
    name_label label;
    for (int v = 0; v < s->model->names.n && !best; v++) {
        const char *one[] = {names_at(&s->model->names, v, &label)};
        best = diag_nearest(name, one, 1);
    }
    text_printf(why, "there is no variable or parameter '%s'", name);
    if (best) text_printf(why, "; did you mean '%s'?", best);
    return VINC_E_OPTION;
}

static int add_setting(run_state *s, run_setting x)
{
    if (s->settings.n == s->settings.cap) {
        int cap = 2 * s->settings.cap + 8;
        run_setting *list = mem_try(s->m, (size_t)cap * sizeof *list);
        if (!list) return VINC_E_MEMORY;
        if (s->settings.n) memcpy(list, s->settings.at, (size_t)s->settings.n * sizeof *list);
        mem_free(s->m, s->settings.at, (size_t)s->settings.cap * sizeof *list);
        s->settings.at = list;
        s->settings.cap = cap;
    }
    s->settings.at[s->settings.n++] = x;
    return VINC_OK;
}

/* What was set before and is set again becomes the last, and the list no longer: any number of runs
 * may follow each other. */
static bool set_again(run_state *s, const char *id, size_t n, int order, double value)
{
    for (int k = 0; s && k < s->settings.n; k++) {
        run_setting q = s->settings.at[k];
        const char *name = NAME_AT(&s->model->names, q.var);
        if (q.order != order || strncmp(name, id, n) || name[n]) continue;
        q.value = q.negated ? -value : value;
        for (; k + 1 < s->settings.n; k++) s->settings.at[k] = s->settings.at[k + 1];
        s->settings.at[k] = q;
        return true;
    }
    return false;
}

/* How often der() stands around the name that is left. */
static int orders_of(const char **name, size_t *n)
{
    int order = 0;
    for (*n = strlen(*name); *n > 5 && !strncmp(*name, "der(", 4) && (*name)[*n - 1] == ')';
         order++)
        *name += 4, *n -= 5;
    return order;
}

/* Does the search for start values look at that of an entry? Of those that follow from others it has a row for some
 * (code_lower_initial). */
static bool start_counts(const run_state *s, int entry)
{
    const code_model *m = s->initial ? s->initial->model : s->model;
    if (m->formulation.places[entry].where != IMAGE_ASSIGNED) return true;
    for (int k = 0; k < m->start.n_extra; k++)
        if (m->start.rows[k].entry == entry) return true;
    return false;
}

static int find_setting(const run_state *s, const char *name, double value, run_setting *set,
                        text *why)
{
    const code_model *m = s->model;
    const char *id = name;
    size_t n;
    if (!code_has_tables(m)) return VINC_E_MEMORY;
    int order = orders_of(&id, &n), v = names_find(&m->names, id, n);
    if (v < 0) return unknown_setting(s, name, why);
    image_variable q = image_variable_at(&m->variables, v);
    *set =
        (run_setting){.var = v, .order = order, .param = -1, .entry = -1, .w = -1, .value = value};
    if (q.kind == IMAGE_VARIABLE_ENTRY && order > q.highest) {
        text_printf(why, "'%s' does not occur in the model", name);
        return VINC_E_OPTION;
    }
    if (q.kind == IMAGE_VARIABLE_ENTRY) {
        set->entry = q.place + order;
        set->negated = q.negated;
        if (q.negated) set->value = -value;
        if (start_counts(s, set->entry)) return VINC_OK;
        text_printf(why,
                    "'%s' follows from others, as hundreds of variables do here: set those that it "
                    "follows from, or give it a start value in the model",
                    name);
        return VINC_E_OPTION;
    }
    switch (order ? IMAGE_VARIABLE_KNOWN : (image_variable_kind)q.kind) {
    case IMAGE_VARIABLE_PARAMETER: set->param = q.place; return VINC_OK;
    case IMAGE_VARIABLE_WORK: set->w = q.place; return VINC_OK;
    case IMAGE_VARIABLE_FINAL:
        text_printf(why, "'%s' is final: its value cannot be changed from outside", name);
        return VINC_E_OPTION;
    case IMAGE_VARIABLE_STRUCTURAL:
        text_printf(
            why, "'%s' decides the structure of the model: give it when the model is loaded", name);
        return VINC_E_OPTION;
    default:
        text_printf(why, "'%s' is determined by parameters: set those instead", name);
        return VINC_E_OPTION;
    }
}

int run_set(run_state *s, const char *name, double value, text *why)
{
    run_setting set;
    const char *id = name;
    size_t n;
    int order = orders_of(&id, &n);
    if (set_again(s, id, n, order, value)) {
        set_again(s->initial, id, n, order, value);
        return VINC_OK;
    }
    int rc = find_setting(s, name, value, &set, why);
    if (!rc) rc = add_setting(s, set);
    if (!rc && s->initial) rc = add_setting(s->initial, set);
    return rc;
}

int run_place_of(const run_state *s, const char *name, int *param, int *entry, double *sign,
                 text *why)
{
    run_setting set;
    int rc = find_setting(s, name, 1, &set, why);
    if (rc) return rc;
    *param = set.param;
    *entry = set.entry;
    *sign = set.value;
    return VINC_OK;
}

const char *run_cannot_vary(const run_state *s, int param)
{
    const image_variables *x = &s->model->variables;
    int v = image_variable_of_parameter(x, param);
    if (v >= 0 && !image_variable_at(x, v).real)
        return "it is no Real parameter, and has no small changes; sweep compares its values";
    return NULL;
}

bool run_is_given(const run_state *s, int param)
{
    return s->settings.overridden[param];
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void settings_parameters(run_state *s)
{
    const code_model *m = s->model;
    if (m->n_p) memcpy(s->p, m->p_default, (size_t)m->n_p * sizeof *s->p);
    memset(s->settings.overridden, 0, (size_t)m->n_p);
    for (int k = 0; k < s->settings.n; k++)
        if (s->settings.at[k].param >= 0) {
            s->settings.overridden[s->settings.at[k].param] = 1;
            s->p[s->settings.at[k].param] = s->settings.at[k].value;
        }
    for (int pass = 0; pass < m->parameters.depth; pass++) {
        run_eval(s, &m->parameters.bound, 0, NULL, NULL, s->settings.bound, NULL);
        for (int k = 0; k < m->parameters.bound.n_out; k++)
            if (!s->settings.overridden[m->parameters.place[k]])
                s->p[m->parameters.place[k]] = s->settings.bound[k];
    }
}

static void evaluate_attributes(run_state *s)
{
    const code_model *m = s->model;
    run_eval(s, &m->parameters.attributes, 0, NULL, NULL, s->attributes.value, NULL);
    for (int i = 0; i < m->entries.n; i++) {
        const code_entry *e = code_entry_of(m, i);
        s->attributes.start[i] = run_value(s, &e->start);
        s->attributes.fixed[i] = e->fixed;
    }
    for (int i = 0; i < m->n; i++) {
        int e = m->formulation.unknowns[i].entry;
        double nominal = e < 0 ? 1 : fabs(run_value(s, &code_range_of(m, e)->nominal));
        s->nominal[i] = nominal > 0 && isfinite(nominal) ? nominal : 1;
        // What multipliers that vanish are in a step says nothing of the solution: no test counts them.
        if (m->system.role[i] == CODE_TIE) s->nominal[i] = TIE_NOT_COUNTED;
    }
    for (int k = 0; k < m->parameters.n_work; k++) {
        const code_work_start *q = &m->parameters.work[k];
        double value = run_value(s, &q->start);
        s->w[q->place] = value;
        s->w[q->place + 1] = q->past ? value : 0;
    }
    for (int k = 0; k < s->settings.n; k++) {
        const run_setting *q = &s->settings.at[k];
        if (q->w >= 0) s->w[q->w] = q->value;
        if (q->entry < 0) continue;
        s->attributes.start[q->entry] = q->value;
        s->attributes.fixed[q->entry] = 1;
    }
}

/* The reason why the external object that variable v stands for could not be made. */
static int no_object(const run_state *s, int v, text *why)
{
    const image_variables *x = &s->model->variables;
    const char *words = NULL;
    for (int k = 0; k < x->n_constructed; k++)
        if (x->constructed[k].var == v && x->constructed[k].number >= 0)
            words = external_why(s->routines, x->constructed[k].number);
    text_printf(why, "the external object '%s' could not be made: %s", NAME_AT(&s->model->names, v),
                words ? words : "another object that it needs is not there");
    return VINC_E_MODEL;
}

static int check_values(const run_state *s, text *why)
{
    const code_model *m = s->model;
    for (int k = 0; k < m->variables.n_evaluated; k++) {
        int v = m->variables.evaluated[k];
        image_variable q = image_variable_at(&m->variables, v);
        if (isfinite(s->p[q.place])) continue;
        if (q.object) return no_object(s, v, why);
        text_printf(why, "parameter '%s' has no value (it is not a number)", NAME_AT(&m->names, v));
        return VINC_E_MODEL;
    }
    for (int k = 0; k < m->parameters.guards.n; k++) {
        const code_guard *q = &m->parameters.guards.at[k];
        double g = s->attributes.value[q->output];
        if (g != 0 && isfinite(g)) continue;
        text_printf(
            why,
            "a coefficient that must not vanish is %g with these parameters: the equation for '",
            g);
        for (int e = 0; e < m->formulation.n_entries; e++) {
            image_place at = m->formulation.places[e];
            if (at.where == IMAGE_ASSIGNED && at.at == q->assignment) run_add_name(m, e, why);
        }
        text_add(why, "' was solved by dividing by it");
        return VINC_E_MODEL;
    }
    return VINC_OK;
}

int run_begin(run_state *s, double t0, text *why)
{
    if (!code_has_tables(s->model)) return VINC_E_MEMORY;
    memset(s->w, 0, (size_t)s->model->n_w * sizeof *s->w);
    s->w[IMAGE_W_LAMBDA] = 1;
    s->fault.any = false;
    if (!s->shares_routines) external_run_begin(s->routines);
    own_forget(s);
    settings_parameters(s);
    run_listen(s);
    evaluate_attributes(s);
    past_forget(s);
    rank_begin(&s->regular, s->model);
    choice_begin(&s->choice, s->model);
    s->kinetic_most = 0;
    run_forget_factors(s);
    event_begin(s);
    tick_begin(s);
    slide_begin(s);
    int rc = check_values(s, why);
    if (!rc) rc = forcing_find(s);
    if (!rc && s->initial) rc = run_begin(s->initial, t0, why);
    if (!rc) vary_begin(s);
    return rc;
}

double run_constant(const run_state *s, int column)
{
    return run_value(s, code_constant(&s->model->outputs, column));
}

double run_start_of(const run_state *s, int entry)
{
    return s->attributes.start[entry];
}

bool run_is_fixed(const run_state *s, int entry)
{
    return s->attributes.fixed[entry];
}
