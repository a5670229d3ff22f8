/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ensemble.h"

#include "ensemble/ens_write.h"

typedef struct ensemble_job {
    run_state *run;
    const double *y, *yp;
    const ensemble_options *options;
    ensemble *e;
    arena scratch;
    text *why;
} ensemble_job;

/* Are start values those of the attributes, whatever the parameters are? */
static bool starts_plainly(const code_model *m)
{
    if (m->equations.n_conditions || m->equations.n_derived || m->initial != m ||
        m->formulation.n_groups)
        return false;
    if (code_has_events(&m->events)) return false;
    for (int i = 0; i < m->n; i++) {
        int e = m->formulation.unknowns[i].entry;
        if (m->system.differential[i] ? e < 0 : !m->system.rhs.program) return false;
    }
    for (int i = 0; i < m->entries.n; i++)
        if (image_order_of(&m->entries, i) > 0 && code_entry_of(m, i)->fixed) return false;
    return true;
}

/* Columns to outputs; an alias is the output of another column, or its negative. */
static bool ensemble_outputs(ensemble_job *j, ens_settings *set)
{
    const code_model *m = run_model(j->run);
    int n = j->options->n_columns, *outputs = arena_array(&j->scratch, int, n);
    j->e->sign = arena_array(&j->e->a, double, n);
    for (int i = 0; i < n; i++) {
        code_column c = code_column_in(&m->outputs, j->options->columns[i]);
        j->e->sign[i] = c.alias < 0 ? -1 : 1;
        if (c.alias) c = code_column_in(&m->outputs, c.at);
        outputs[i] = code_output_of(c);
        if (outputs[i] >= 0) continue;
        text_char(j->why, '\'');
        code_add_column_name(m, j->options->columns[i], j->why);
        text_add(j->why, "' is a constant: it has no end value of its own");
        return false;
    }
    set->outputs = outputs;
    set->n_outputs = n;
    return true;
}

static int ensemble_inputs(ensemble_job *j, ens_input *inputs)
{
    for (int k = 0; k < j->options->n_vary; k++) {
        double sign;
        const char *name = j->options->vary[k];
        int rc = run_place_of(j->run, name, &inputs[k].param, &inputs[k].entry, &sign, j->why);
        if (rc) return rc;
        if (sign < 0 || (inputs[k].param < 0 && inputs[k].entry < 0)) {
            text_printf(j->why, "'%s' is neither a parameter nor a state: it cannot be varied here",
                        name);
            return VINC_E_OPTION;
        }
    }
    return VINC_OK;
}

static int ensemble_build(void *user)
{
    ensemble_job *j = user;
    const ensemble_options *o = j->options;
    const code_model *m = run_model(j->run);
    ens_input *inputs = arena_array(&j->scratch, ens_input, o->n_vary);
    uint8_t *set = arena_array(&j->scratch, uint8_t, m->n_p);
    for (int k = 0; k < m->n_p; k++) set[k] = run_is_given(j->run, k);
    int rc = ensemble_inputs(j, inputs);
    if (rc) return rc;
    ens_source of = {.m = m,
                     .p = run_parameters(j->run),
                     .w = run_discrete_values(j->run),
                     .y = j->y,
                     .yp = j->yp,
                     .nominal = run_nominal(j->run),
                     .set = set,
                     .inputs = inputs,
                     .n_inputs = o->n_vary,
                     .given = !starts_plainly(m)};
    ens_settings settings = {.method = o->method,
                             .t0 = o->t0,
                             .t1 = o->t1,
                             .step = o->step,
                             .rel_tol = o->rel_tol,
                             .abs_tol = o->abs_tol,
                             .max_steps = (double)o->max_steps};
    if (!ensemble_outputs(j, &settings)) return VINC_E_OPTION;
    for (int pass = 0; pass < 2; pass++) {
        const char *words;
        settings.freeze = pass;
        ens_kernel *k = pass ? &j->e->lanes : &j->e->alone;
        if (ens_write(&of, &settings, j->scratch.m, &j->e->a, &j->scratch, k, &words)) continue;
        text_printf(j->why, "this model cannot be run as an ensemble: %s", words);
        return VINC_E_MODEL;
    }
    j->e->given = of.given;
    j->e->n_in = j->e->alone.n_in;
    j->e->n_out = j->e->alone.n_out;
    return VINC_OK;
}

int ensemble_new(run_state *run, const double *y, const double *yp, const ensemble_options *options,
                 mem *m, ensemble **out, text *why)
{
    ensemble *e = mem_try(m, sizeof *e);
    *out = NULL;
    if (!e) return VINC_E_MEMORY;
    *e = (ensemble){.m = m};
    mem guarded = *m;
    ensemble_job j = {.run = run, .y = y, .yp = yp, .options = options, .e = e, .why = why};
    arena_init(&e->a, &guarded);
    arena_init(&j.scratch, &guarded);
    int rc = mem_guarded(&guarded, ensemble_build, &j, VINC_E_MEMORY);
    arena_done(&j.scratch);
    e->a.m = m;
    if (rc) ensemble_free(e);
    else *out = e;
    return rc;
}

void ensemble_free(ensemble *e)
{
    if (!e) return;
    arena_done(&e->a);
    mem_free(e->m, e, sizeof *e);
}
