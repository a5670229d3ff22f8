/* What a sweep is: its runs, what is collected of them, what its numbers depend on.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"
#include "sweep/sweep_job.h"
#include "value/value.h"

#include <stdio.h>
#include <string.h>

enum { JOBS_MOST = 1024 };

/* Without a wish: the values of the states at the end. */
static const char *default_collect(sweep_job *j, vinc_sim *sim)
{
    enum { STATES_MOST = 20 };
    const vinc_problem *p = run_problem(sim->state);
    text t;
    int n = 0;
    mem m = value_arena_mem(&j->a);
    text_init(&t, &m);
    for (int i = 0; i < p->n && n < STATES_MOST; i++) {
        if (p->differential && !p->differential[i]) continue;
        const char *name = p->unknown_name ? p->unknown_name(p->user, i) : NULL;
        if (name) text_printf(&t, "%sfinal(%s)", n++ ? "; " : "", name);
    }
    const char *words = arena_strndup(&j->a, text_str(&t), t.n);
    text_done(&t);
    return words;
}

/* Everything that the numbers depend on. */
static const char *identity_of(sweep_job *j)
{
    const vinc_sim_options *r = &j->run;
    sha256 sum;
    char flat[SHA256_BASE64];
    const char *words = vinc_model_flat(j->model);
    sha256_init(&sum);
    sha256_add(&sum, words, strlen(words));
    sha256_base64(&sum, flat);
    text t; // in the arena: lack of memory leaves by a jump
    mem m = value_arena_mem(&j->a);
    text_init(&t, &m);
    text_printf(&t,
                "vincolo %s\nmodel %s\ncollect %s\nseed %llu design %d samples %llu indices %d\n",
                vinc_version(), flat, j->collected, (unsigned long long)j->plan.seed,
                (int)j->plan.design, (unsigned long long)j->plan.samples, j->plan.indices);
    text_printf(&t, "from %.17g to %.17g tol %.17g %.17g step %.17g steps %ld\n", j->t_start,
                j->t_stop, j->tolerance, r->abs_tol, r->step, r->max_steps);
    text_printf(&t, "method %s formulation %s linear %s input %s init %d intervals %d\n",
                r->method ? r->method : "", r->formulation ? r->formulation : "",
                r->linear ? r->linear : "", r->input_csv ? r->input_csv : "", r->init_as_given,
                r->intervals);
    if (j->work.device)
        text_printf(&t, "device %s %s\n", j->work.device->executor->name, j->work.device->method);
    for (int i = 0; i < j->plan.n_axes; i++) {
        const sweep_axis *x = &j->plan.axes[i];
        text_printf(&t, "vary %s", x->name);
        if (x->distribution)
            text_printf(&t, " %s %.17g %.17g %.17g\n", x->distribution->name, x->arguments[0],
                        x->arguments[1], x->arguments[2]);
        if (x->distribution) continue;
        uint64_t n = j->plan.groups[x->group].n;
        sha256_init(&sum);
        sha256_add(&sum, x->values, n * sizeof *x->values);
        sha256_base64(&sum, flat);
        text_printf(&t, " %d %llu %s\n", x->group, (unsigned long long)n, flat);
    }
    const char *kept = arena_strndup(&j->a, text_str(&t), t.n);
    text_done(&t);
    return kept;
}

int sweep_head(void *job)
{
    sweep_job *j = job;
    sweep_plan *p = &j->plan;
    const char **parameters = arena_array(&j->a, const char *, p->n_axes + 1);
    const char **values = arena_array(&j->a, const char *, j->collect.n_items + 1);
    for (int i = 0; i < p->n_axes; i++) parameters[i] = p->axes[i].name;
    for (int i = 0; i < j->collect.n_items; i++) values[i] = j->collect.items[i].name;
    j->heading = (sweep_heading){.identity = identity_of(j),
                                 .class_name = j->model->flat->name,
                                 .parameters = parameters,
                                 .values = values,
                                 .n_parameters = p->n_axes,
                                 .n_values = j->collect.n_items,
                                 .total = p->total,
                                 .first = p->first,
                                 .last = p->last,
                                 .samples = p->samples,
                                 .per_sample = p->indices ? (uint64_t)p->n_random + 2 : 1,
                                 .n_random = p->n_random,
                                 .axis = -1,
                                 .second_axis = -1};
    for (int g = 0; g < p->n_groups; g++) {
        if (!p->groups[g].grid || p->n_groups > 2) continue;
        if (j->heading.axis < 0) {
            j->heading.axis = p->groups[g].axis;
            j->heading.grid = p->groups[g].n;
        } else {
            j->heading.second_axis = p->groups[g].axis;
            j->heading.second_grid = p->groups[g].n;
        }
    }
    if (p->n_groups == 2 && j->heading.second_axis < 0) j->heading.axis = -1;
    return VINC_OK;
}

/* One run is made ready, so that names, structure and options are judged before any of them begins. */
static int check_one_run(sweep_job *j, const char **collect)
{
    vinc_sim *sim = NULL;
    double values[SWEEP_AXES_MOST];
    int rc = api_sim_new(j->model, &j->run, &sim);
    sweep_plan_values(&j->plan, 0, values);
    for (int i = 0; i < j->plan.n_axes && !rc; i++)
        rc = vinc_sim_set(sim, j->plan.axes[i].name, values[i]);
    if (!rc) {
        diag_sink *d = &j->ctx->diags;
        j->t_start = sim->options.t_start;
        j->t_stop = sim->options.t_stop;
        j->tolerance = sim->options.rel_tol;
        *collect = j->o.collect ? j->o.collect : default_collect(j, sim);
        if (!sweep_collect_read(&j->collect, *collect, &j->a, d) ||
            !sweep_collect_bind(&j->collect, sim, j->t_start, j->t_stop, &j->a, d))
            rc = VINC_E_OPTION;
    }
    vinc_sim_free(sim);
    return rc;
}

const char *const sweep_shows[SWEEP_FIGURES] = {"curves", "response", "histogram", "scatter"};

static int check_show(sweep_job *j)
{
    if (!j->o.show || !strcmp(j->o.show, "all")) return VINC_OK;
    for (int i = 0; i < SWEEP_FIGURES; i++)
        if (!strcmp(j->o.show, sweep_shows[i])) return VINC_OK;
    char words[300];
    snprintf(words, sizeof words,
             "--show '%.100s': a sweep shows curves, response, histogram or scatter", j->o.show);
    return sweep_refuse(j, "C190", words);
}

int sweep_prepare(void *job)
{
    sweep_job *j = job;
    const vinc_sweep_options *o = &j->o;
    sweep_request r = {.vary = o->vary,
                       .n_vary = o->n_vary,
                       .samples = (double)o->samples,
                       .design = o->design,
                       .seed = o->seed,
                       .indices = o->indices,
                       .part = o->part,
                       .parts = o->parts};
    if (o->jobs < 0 || o->jobs > JOBS_MOST)
        return sweep_refuse(j, "C190", "the number of threads lies between 1 and 1024");
    if (!api_is_list(o->vary, o->n_vary) || o->samples < 0)
        return sweep_refuse(j, "C190", "what is varied is a list, and samples are not negative");
    int shown = check_show(j);
    if (shown) return shown;
    if (o->device && !sweep_device_known(o->device)) {
        char words[200];
        snprintf(words, sizeof words, "--device '%.60s': it is cpu, vector or gpu", o->device);
        return sweep_refuse(j, "C190", words);
    }
    if (!sweep_plan_make(&j->plan, &r, &j->a, &j->ctx->diags)) return VINC_E_OPTION;
    const char *collect = NULL;
    int rc = check_one_run(j, &collect);
    if (rc) return rc;
    j->run.follow_inside = j->collect.inside;
    j->run.ends = j->collect.ends;
    j->run.n_ends = j->collect.n_ends;
    j->collected = collect;
    return VINC_OK;
}
