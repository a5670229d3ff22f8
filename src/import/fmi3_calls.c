/* Calls of FMI 3: names, types and order are those of the standard, 3.0.2, sections 2.3, 3.2 and 4.2.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "import/box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void (*fmi3_log)(void *environment, int status, const char *category, const char *words);

typedef struct fmi3_functions {
    import_functions shared;
    void *(*exchange)(const char *, const char *, const char *, bool, bool, void *, fmi3_log);
    void *(*steps)(const char *, const char *, const char *, bool, bool, bool, bool,
                   const uint32_t *, size_t, void *, fmi3_log, void *);
    int (*enter_initialization)(void *, bool, double, double, bool, double);
    int (*enter_configuration)(void *);
    int (*exit_configuration)(void *);
    int (*get[FMI_TYPES])(void *, const uint32_t *, size_t, void *, size_t);
    int (*set[FMI_TYPES])(void *, const uint32_t *, size_t, const void *, size_t);
    int (*update)(void *, bool *, bool *, bool *, bool *, bool *, double *);
    int (*enter_continuous)(void *);
    int (*completed)(void *, bool, bool *, bool *);
    int (*directional)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                       size_t, double *, size_t);
    int (*enter_step)(void *);
    int (*step)(void *, double, double, bool, bool *, bool *, bool *, double *);
} fmi3_functions;

#define AT(f) offsetof(fmi3_functions, f)
#define VALUES(type, name)                                                                         \
    {"fmi3Get" name, AT(get[type]), 0},                                                            \
    {                                                                                              \
        "fmi3Set" name, AT(set[type]), 0                                                           \
    }
static const import_symbol fmi3_symbols[] = {
    {"fmi3InstantiateModelExchange", AT(exchange), 1},
    {"fmi3InstantiateCoSimulation", AT(steps), 2},
    {"fmi3FreeInstance", AT(shared.release), 3},
    {"fmi3EnterInitializationMode", AT(enter_initialization), 3},
    {"fmi3ExitInitializationMode", AT(shared.exit_initialization), 3},
    {"fmi3EnterConfigurationMode", AT(enter_configuration), 3},
    {"fmi3ExitConfigurationMode", AT(exit_configuration), 3},
    {"fmi3EnterEventMode", AT(shared.enter_event), 3},
    {"fmi3Terminate", AT(shared.terminate), 3},
    VALUES(FMI_FLOAT32, "Float32"),
    VALUES(FMI_FLOAT64, "Float64"),
    VALUES(FMI_INT8, "Int8"),
    VALUES(FMI_UINT8, "UInt8"),
    VALUES(FMI_INT16, "Int16"),
    VALUES(FMI_UINT16, "UInt16"),
    VALUES(FMI_INT32, "Int32"),
    VALUES(FMI_UINT32, "UInt32"),
    VALUES(FMI_INT64, "Int64"),
    VALUES(FMI_UINT64, "UInt64"),
    VALUES(FMI_BOOLEAN, "Boolean"),
    VALUES(FMI_STRING, "String"),
    VALUES(FMI_ENUMERATION, "Int64"),
    {"fmi3UpdateDiscreteStates", AT(update), 3},
    {"fmi3EnterContinuousTimeMode", AT(enter_continuous), 1},
    {"fmi3CompletedIntegratorStep", AT(completed), 1},
    {"fmi3SetTime", AT(shared.set_time), 1},
    {"fmi3SetContinuousStates", AT(shared.set_states), 1},
    {"fmi3GetContinuousStateDerivatives", AT(shared.rates), 1},
    {"fmi3GetEventIndicators", AT(shared.indicators), 1},
    {"fmi3GetContinuousStates", AT(shared.states), 1},
    {"fmi3GetNominalsOfContinuousStates", AT(shared.nominals), 1},
    {"fmi3GetDirectionalDerivative", AT(directional), 0},
    {"fmi3EnterStepMode", AT(enter_step), 2},
    {"fmi3DoStep", AT(step), 2},
    {NULL, 0, 0},
};

#define F ((fmi3_functions *)c->functions)

static void fmi3_told(void *environment, int status, const char *category, const char *words)
{
    (void)category;
    import_log(environment, status, words);
}

static void *fmi3_instantiate(import_callee *c)
{
    const fmi_description *d = c->plan->d;
    const char *name = d->name ? d->name : "model", *token = d->token ? d->token : "";
    const import_plan *p = c->plan;
    if (!p->steps) return F->exchange(name, token, p->resources, false, false, c->box, fmi3_told);
    void *made = NULL;
    for (bool events = p->event_mode;; events = false) { // some say that they have it, and do not
        made = F->steps(name, token, p->resources, false, false, events, p->kind->early_return,
                        NULL, 0, c->box, fmi3_told, NULL);
        c->box->event_mode = events;
        if (made || !events) return made;
    }
}

static int fmi3_get(import_callee *c, fmi_type type, const box_group *g, void *raw)
{
    return F->get[type] ? F->get[type](c->instance, g->references, (size_t)g->n, raw, g->n_values)
                        : FMI_ERROR;
}

static int fmi3_set(import_callee *c, fmi_type type, const box_group *g, const void *raw)
{
    return F->set[type] ? F->set[type](c->instance, g->references, (size_t)g->n, raw, g->n_values)
                        : FMI_ERROR;
}

static int fmi3_set_texts(import_callee *c)
{
    for (int i = 0; i < c->plan->n_texts; i++) {
        const box_text *t = &c->plan->texts[i];
        int rc = F->set[FMI_STRING]
                     ? F->set[FMI_STRING](c->instance, &t->reference, 1, &t->value, 1)
                     : FMI_ERROR;
        if (rc > FMI_WARNING) return rc;
    }
    return FMI_OK;
}

static int fmi3_configure(import_callee *c, bool enter)
{
    return (enter ? F->enter_configuration : F->exit_configuration)(c->instance);
}

static int fmi3_enter_initialization(import_callee *c)
{
    const import_box *b = c->box;
    return F->enter_initialization(c->instance, b->tolerance > 0, b->tolerance, b->start,
                                   isfinite(b->stop), b->stop);
}

static int fmi3_update(import_callee *c, bool *again)
{
    import_box *b = c->box;
    bool more = false, terminate = false, nominals = false, values = false, has_next = false;
    double next = INFINITY;
    int rc = F->update(c->instance, &more, &terminate, &nominals, &values, &has_next, &next);
    *again = more;
    b->terminate = terminate;
    b->states_changed |= values;
    b->next = has_next ? next : INFINITY;
    return rc;
}

static int fmi3_leave_event(import_callee *c)
{
    return (c->plan->steps ? F->enter_step : F->enter_continuous)(c->instance);
}

static int fmi3_slope(import_callee *c, const double *seed, double *out)
{
    size_t n = (size_t)c->plan->n_state_variables, size = (size_t)c->plan->n_states;
    return F->directional(c->instance, c->plan->derivatives, n, c->plan->states, n, seed, size, out,
                          size);
}

static int fmi3_accept(import_callee *c)
{
    bool event = false, terminate = false;
    int rc = F->completed(c->instance, true, &event, &terminate);
    c->box->event_asked = event;
    c->box->terminate = terminate;
    return rc;
}

static int fmi3_step(import_callee *c)
{
    import_box *b = c->box;
    bool event = false, terminate = false, early = false;
    double last = b->t + b->h;
    int rc = F->step(c->instance, b->t, b->h, true, &event, &terminate, &early, &last);
    b->event_asked = event;
    b->terminate = terminate;
    b->early = early;
    b->reached = early || rc == FMI_DISCARD ? last : b->t + b->h;
    return rc;
}

const import_calls import_fmi3 = {
    .symbols = fmi3_symbols,
    .size = sizeof(fmi3_functions),
    .instantiate = fmi3_instantiate,
    .get = fmi3_get,
    .set = fmi3_set,
    .set_texts = fmi3_set_texts,
    .configure = fmi3_configure,
    .enter_initialization = fmi3_enter_initialization,
    .update = fmi3_update,
    .leave_event = fmi3_leave_event,
    .slope = fmi3_slope,
    .accept = fmi3_accept,
    .step = fmi3_step,
};
