/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/device.h"

#include "api/run.h"
#include "run/verbs.h"

#include <string.h>

static const sweep_executor *const devices[] = {&sweep_by_processor, &sweep_by_vector,
                                                &sweep_by_gpu, NULL};
static const long STEPS_MOST = 1000000; // after which a run is made again by the processor

static const sweep_executor *device_named(const char *name)
{
    for (int i = 0; devices[i]; i++)
        if (!strcmp(devices[i]->name, name)) return devices[i];
    return NULL;
}

bool sweep_device_known(const char *name)
{
    return device_named(name) != NULL;
}

/* What is asked for that a kernel does not give. */
static bool device_gives(const sweep_work *w, text *why)
{
    const collect_functional *f = sweep_collect_beyond_end(w->collect);
    if (w->trajectories || w->curves) {
        text_add(why, "curves of runs are asked for, and kernels keep values at the end only");
        return false;
    }
    if (f) {
        const collect_word *word = collect_words;
        while (word->kind != f->kind) word++;
        text_printf(why, "kernels keep values at the end only, not %s: final(...) can be had so",
                    word->written);
        return false;
    }
    return true;
}

/* The first run. */
static int device_set(const sweep_work *w, vinc_sim **out)
{
    double values[SWEEP_AXES_MOST];
    int rc = vinc_sim_new(w->model, w->run, out);
    sweep_plan_values(w->plan, w->plan->first, values);
    for (int i = 0; i < w->plan->n_axes && !rc; i++)
        rc = vinc_sim_set(*out, w->plan->axes[i].name, values[i]);
    return rc;
}

/* Without a wish an explicit method where an ordinary run, which looks for stiffness, ends with one;
 * otherwise one for stiff equations. */
static const char *device_method(const sweep_work *w)
{
    vinc_sim *sim = NULL;
    const char *name = w->run->step > 0 ? "rk4" : "rodas4";
    if (w->run->method) return w->run->method;
    if (!(w->run->step > 0) && !device_set(w, &sim) && vinc_sim_run(sim) >= 0 && sim->method &&
        !strncmp(sim->method, "dopri", strlen("dopri")))
        name = "dopri8";
    vinc_sim_free(sim);
    return name;
}

/* A run like all of them, at its start. */
static int device_run(const sweep_work *w, vinc_sim **out, text *why)
{
    int rc = device_set(w, out);
    if (!rc) rc = api_initialize(*out);
    if (!rc || rc == VINC_E_MEMORY) return rc;
    text_add(why, "the first run finds no start values");
    return VINC_E_MODEL;
}

static int device_kernels(const sweep_work *w, vinc_sim *sim, sweep_device *d, text *why)
{
    const char *names[SWEEP_AXES_MOST];
    const sim_options *o = &sim->options;
    for (int i = 0; i < w->plan->n_axes; i++) names[i] = w->plan->axes[i].name;
    d->method = device_method(w);
    ensemble_options e = {.method = d->method,
                          .t0 = o->t_start,
                          .t1 = o->t_stop,
                          .step = o->step,
                          .rel_tol = o->rel_tol,
                          .abs_tol = o->abs_tol > 0 ? o->abs_tol : o->rel_tol,
                          .max_steps = w->run->max_steps ? w->run->max_steps : STEPS_MOST,
                          .vary = names,
                          .n_vary = w->plan->n_axes,
                          .columns = w->collect->columns,
                          .n_columns = w->collect->n_variables};
    int rc = ensemble_new(sim->state, sim->y, sim->yp, &e, w->m, &d->e, why);
    return rc == VINC_E_OPTION ? VINC_E_MODEL : rc;
}

int sweep_device_new(const sweep_work *w, const char *name, sweep_device **out, text *why)
{
    vinc_sim *sim = NULL;
    *out = NULL;
    sweep_device *d = mem_try(w->m, sizeof *d);
    if (!d) return VINC_E_MEMORY;
    *d = (sweep_device){.m = w->m, .executor = device_named(name)};
    text_init(&d->fault, w->m);
    pthread_mutex_init(&d->lock, NULL);
    int rc = VINC_OK;
    if (d->executor == &sweep_by_gpu && ens_gpu_find(w->m, why)) rc = VINC_E_OPTION;
    if (!rc && !device_gives(w, why)) rc = VINC_E_MODEL;
    if (!rc) rc = device_run(w, &sim, why);
    if (!rc) rc = device_kernels(w, sim, d, why);
    if (!rc && d->executor == &sweep_by_gpu &&
        (ens_gpu_new(w->m, &d->e->alone, &(ens_gpu_options){0}, &d->gpu, why) ||
         ens_gpu_room(d->gpu, why)))
        rc = VINC_E_OPTION;
    vinc_sim_free(sim);
    if (!rc) return *out = d, VINC_OK;
    sweep_device_free(d);
    return rc;
}

void sweep_device_free(sweep_device *d)
{
    if (!d) return;
    ens_gpu_free(d->gpu);
    ensemble_free(d->e);
    text_done(&d->fault);
    pthread_mutex_destroy(&d->lock);
    mem_free(d->m, d, sizeof *d);
}
