/* Calls of FMI 2: names, types and order are those of the standard, 2.0.5, sections 2.1, 3.2 and 4.2.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "import/box.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fmi2_callbacks {
    void (*logger)(void *environment, const char *instance, int status, const char *category,
                   const char *format, ...);
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *p);
    void (*finished)(void *environment, int status);
    void *environment;
} fmi2_callbacks;

typedef struct fmi2_event_info {
    int again, terminate, nominals_changed, values_changed, has_next;
    double next;
} fmi2_event_info;

typedef struct fmi2_functions {
    import_functions shared;
    fmi2_callbacks callbacks; // live as long as the instance
    void *(*instantiate)(const char *, int, const char *, const char *, const fmi2_callbacks *, int,
                         int);
    int (*setup)(void *, int, double, double, int, double);
    int (*enter_initialization)(void *);
    int (*get_real)(void *, const uint32_t *, size_t, void *);
    int (*get_integer)(void *, const uint32_t *, size_t, void *);
    int (*get_boolean)(void *, const uint32_t *, size_t, void *);
    int (*set_real)(void *, const uint32_t *, size_t, const void *);
    int (*set_integer)(void *, const uint32_t *, size_t, const void *);
    int (*set_boolean)(void *, const uint32_t *, size_t, const void *);
    int (*set_string)(void *, const uint32_t *, size_t, const char *const *);
    int (*new_discrete)(void *, fmi2_event_info *);
    int (*enter_continuous)(void *);
    int (*completed)(void *, int, int *, int *);
    int (*directional)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                       double *);
    int (*step)(void *, double, double, int);
    int (*boolean_status)(void *, int, int *);
    int (*real_status)(void *, int, double *);
} fmi2_functions;

#define AT(f) offsetof(fmi2_functions, f)
static const import_symbol fmi2_symbols[] = {
    {"fmi2Instantiate", AT(instantiate), 3},
    {"fmi2FreeInstance", AT(shared.release), 3},
    {"fmi2SetupExperiment", AT(setup), 3},
    {"fmi2EnterInitializationMode", AT(enter_initialization), 3},
    {"fmi2ExitInitializationMode", AT(shared.exit_initialization), 3},
    {"fmi2Terminate", AT(shared.terminate), 3},
    {"fmi2GetReal", AT(get_real), 3},
    {"fmi2GetInteger", AT(get_integer), 3},
    {"fmi2GetBoolean", AT(get_boolean), 3},
    {"fmi2SetReal", AT(set_real), 3},
    {"fmi2SetInteger", AT(set_integer), 3},
    {"fmi2SetBoolean", AT(set_boolean), 3},
    {"fmi2SetString", AT(set_string), 3},
    {"fmi2EnterEventMode", AT(shared.enter_event), 1},
    {"fmi2NewDiscreteStates", AT(new_discrete), 1},
    {"fmi2EnterContinuousTimeMode", AT(enter_continuous), 1},
    {"fmi2CompletedIntegratorStep", AT(completed), 1},
    {"fmi2SetTime", AT(shared.set_time), 1},
    {"fmi2SetContinuousStates", AT(shared.set_states), 1},
    {"fmi2GetDerivatives", AT(shared.rates), 1},
    {"fmi2GetEventIndicators", AT(shared.indicators), 1},
    {"fmi2GetContinuousStates", AT(shared.states), 1},
    {"fmi2GetNominalsOfContinuousStates", AT(shared.nominals), 1},
    {"fmi2GetDirectionalDerivative", AT(directional), 0},
    {"fmi2DoStep", AT(step), 2},
    {"fmi2GetBooleanStatus", AT(boolean_status), 0},
    {"fmi2GetRealStatus", AT(real_status), 0},
    {NULL, 0, 0},
};

#define F ((fmi2_functions *)c->functions)

static void fmi2_told(void *environment, const char *instance, int status, const char *category,
                      const char *format, ...)
{
    char line[400];
    va_list list;
    (void)instance, (void)category;
    va_start(list, format);
    vsnprintf(line, sizeof line, format ? format : "", list);
    va_end(list);
    import_log(environment, status, line);
}

static void *fmi2_instantiate(import_callee *c)
{
    const fmi_description *d = c->plan->d;
    F->callbacks = (fmi2_callbacks){fmi2_told, calloc, free, NULL, c->box};
    return F->instantiate(d->name ? d->name : "model", c->plan->steps, d->token ? d->token : "",
                          c->plan->resources, &F->callbacks, 0, 0);
}

static int fmi2_get(import_callee *c, fmi_type type, const box_group *g, void *raw)
{
    size_t n = (size_t)g->n;
    switch (type) {
    case FMI_FLOAT64: return F->get_real(c->instance, g->references, n, raw);
    case FMI_BOOLEAN: return F->get_boolean(c->instance, g->references, n, raw);
    default: return F->get_integer(c->instance, g->references, n, raw);
    }
}

static int fmi2_set(import_callee *c, fmi_type type, const box_group *g, const void *raw)
{
    size_t n = (size_t)g->n;
    switch (type) {
    case FMI_FLOAT64: return F->set_real(c->instance, g->references, n, raw);
    case FMI_BOOLEAN: return F->set_boolean(c->instance, g->references, n, raw);
    default: return F->set_integer(c->instance, g->references, n, raw);
    }
}

static int fmi2_set_texts(import_callee *c)
{
    for (int i = 0; i < c->plan->n_texts; i++) {
        const box_text *t = &c->plan->texts[i];
        int rc = F->set_string(c->instance, &t->reference, 1, &t->value);
        if (rc > FMI_WARNING) return rc;
    }
    return FMI_OK;
}

static int fmi2_configure(import_callee *c, bool enter) // FMI 2 has no structural parameters
{
    (void)c, (void)enter;
    return FMI_OK;
}

static int fmi2_enter_initialization(import_callee *c)
{
    const import_box *b = c->box;
    int rc =
        F->setup(c->instance, b->tolerance > 0, b->tolerance, b->start, isfinite(b->stop), b->stop);
    return rc > FMI_WARNING ? rc : F->enter_initialization(c->instance);
}

static int fmi2_update(import_callee *c, bool *again)
{
    fmi2_event_info e = {0};
    int rc = F->new_discrete(c->instance, &e);
    *again = e.again;
    c->box->terminate = e.terminate;
    c->box->states_changed |= e.values_changed;
    c->box->next = e.has_next ? e.next : INFINITY;
    return rc;
}

static int fmi2_leave_event(import_callee *c)
{
    return F->enter_continuous(c->instance);
}

static int fmi2_slope(import_callee *c, const double *seed, double *out)
{
    size_t n = (size_t)c->plan->n_state_variables;
    return F->directional(c->instance, c->plan->derivatives, n, c->plan->states, n, seed, out);
}

static int fmi2_accept(import_callee *c)
{
    int event = 0, terminate = 0;
    int rc = F->completed(c->instance, 1, &event, &terminate);
    c->box->event_asked = event;
    c->box->terminate = terminate;
    return rc;
}

/* A step that was not made to its end says how far it came, and whether the model wants to end. */
static int fmi2_step(import_callee *c)
{
    enum { LAST_SUCCESSFUL_TIME = 2, TERMINATED = 3 };
    import_box *b = c->box;
    int terminated = 0;
    int rc = F->step(c->instance, b->t, b->h, 1);
    b->reached = b->t + b->h;
    b->terminate = b->early = b->event_asked = false;
    if (rc != FMI_DISCARD) return rc;
    if (F->boolean_status && F->boolean_status(c->instance, TERMINATED, &terminated) <= FMI_WARNING)
        b->terminate = terminated;
    if (!F->real_status ||
        F->real_status(c->instance, LAST_SUCCESSFUL_TIME, &b->reached) > FMI_WARNING)
        b->reached = b->t;
    return b->terminate ? FMI_OK : FMI_DISCARD;
}

const import_calls import_fmi2 = {
    .symbols = fmi2_symbols,
    .size = sizeof(fmi2_functions),
    .instantiate = fmi2_instantiate,
    .get = fmi2_get,
    .set = fmi2_set,
    .set_texts = fmi2_set_texts,
    .configure = fmi2_configure,
    .enter_initialization = fmi2_enter_initialization,
    .update = fmi2_update,
    .leave_event = fmi2_leave_event,
    .slope = fmi2_slope,
    .accept = fmi2_accept,
    .step = fmi2_step,
};
