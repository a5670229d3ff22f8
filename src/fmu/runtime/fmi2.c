/* FMI 2: the functions of the standard, over an instance.
 *
 * Their names and types are those of the standard (Functional Mock-up Interface 2.0.4, sections 2 to 4);
 * what they do is in instance.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FMI2 FMU_SHOWN
enum {
    IN_INSTANTIATED = 1 << FMU_INSTANTIATED,
    IN_INITIALIZATION = 1 << FMU_INITIALIZATION,
    IN_EVENT = 1 << FMU_EVENT,
    IN_CONTINUOUS = 1 << FMU_CONTINUOUS,
    IN_STEP = 1 << FMU_STEP,
    IN_RUN = IN_EVENT | IN_CONTINUOUS | IN_STEP
};

typedef unsigned int reference;
typedef void (*fmi2_log)(void *environment, const char *instance, int status, const char *category,
                         const char *format, ...);

typedef struct fmi2_callbacks {
    fmi2_log logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *p);
    void (*finished)(void *environment, int status);
    void *environment;
} fmi2_callbacks;

typedef struct fmi2_event_info {
    int again, terminate, nominals_changed, values_changed, has_next;
    double next;
} fmi2_event_info;

/* ---- making one ------------------------------------------------------------------------------ */

FMI2 const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI2 const char *fmi2GetVersion(void)
{
    return "2.0";
}

static void fmi2_tell(const fmu_instance *x, fmu_status status, const char *category,
                      const char *text)
{
    fmi2_log log = (fmi2_log)x->logger;
    if (log) log(x->environment, x->name ? x->name : "", (int)status, category, "%s", text);
}

static int digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* The path of a URI file:///..., %20 and the like written out; others are taken as paths. */
static char *path_of(const char *uri)
{
    if (!strncmp(uri, "file://", 7)) {
        uri += 7;
        const char *slash = strchr(uri, '/'); // after the host
        if (slash) uri = slash;
    } else if (!strncmp(uri, "file:", 5)) {
        uri += 5;
    } else {
        char *copy = malloc(strlen(uri) + 1);
        return copy ? strcpy(copy, uri) : NULL;
    }
    char *path = malloc(strlen(uri) + 1), *p = path;
    for (; path && *uri; uri++) {
        bool coded = *uri == '%' && digit(uri[1]) >= 0 && digit(uri[2]) >= 0;
        *p++ = coded ? (char)(16 * digit(uri[1]) + digit(uri[2])) : *uri;
        if (coded) uri += 2;
    }
    if (path) *p = 0;
    return path;
}

FMI2 void *fmi2Instantiate(const char *name, int type, const char *guid, const char *location,
                           const fmi2_callbacks *functions, int visible, int logs)
{
    (void)visible;
    fmu_instance *x = calloc(1, sizeof *x);
    char *path = x && location ? path_of(location) : NULL;
    if (!x) return NULL;
    x->steps = type == 1;
    if (functions) {
        x->environment = functions->environment;
        x->logger = (void (*)(void))functions->logger;
    }
    x->log = fmi2_tell;
    x->logs = logs;
    bool good = fmu_open(x, name, guid, path);
    free(path);
    if (good) return x;
    fmu_close(x);
    return NULL;
}

FMI2 void fmi2FreeInstance(fmu_instance *x)
{
    fmu_close(x);
}

/* ---- the course of a simulation -------------------------------------------------------------- */

FMI2 int fmi2SetDebugLogging(fmu_instance *x, int logs, size_t n, const char *const *categories)
{
    if (!fmu_given(x, __func__, n, categories, categories)) return FMU_ERROR;
    x->logs = logs;
    return FMU_OK;
}

FMI2 int fmi2SetupExperiment(fmu_instance *x, int has_tolerance, double tolerance, double start,
                             int has_stop, double stop)
{
    if (!fmu_allowed(x, IN_INSTANTIATED, __func__)) return FMU_ERROR;
    x->has_tolerance = has_tolerance;
    x->tolerance = tolerance;
    x->t_start = start;
    x->has_stop = has_stop;
    x->t_stop = stop;
    return FMU_OK;
}

FMI2 int fmi2EnterInitializationMode(fmu_instance *x)
{
    return fmu_allowed(x, IN_INSTANTIATED, __func__) ? (int)fmu_enter_initialization(x) : FMU_ERROR;
}

FMI2 int fmi2ExitInitializationMode(fmu_instance *x)
{
    return fmu_allowed(x, IN_INITIALIZATION, __func__) ? (int)fmu_exit_initialization(x)
                                                       : FMU_ERROR;
}

FMI2 int fmi2Terminate(fmu_instance *x)
{
    if (!fmu_allowed(x, IN_RUN, __func__)) return FMU_ERROR;
    x->mode = FMU_TERMINATED;
    return FMU_OK;
}

FMI2 int fmi2Reset(fmu_instance *x)
{
    if (!fmu_given(x, __func__, 0, NULL, NULL)) return FMU_ERROR;
    return (int)fmu_reset(x);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Enumerations are Integers to the functions of FMI 2. */
static vinc_type integer_kind(const fmu_instance *x, reference r)
{
    return fmu_is_enumeration(x, r) ? VINC_ENUMERATION : VINC_INTEGER;
}

FMI2 int fmi2GetReal(fmu_instance *x, const reference *refs, size_t n, double *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    return (int)fmu_values(x, VINC_REAL, refs, n, values);
}

FMI2 int fmi2GetInteger(fmu_instance *x, const reference *refs, size_t n, int *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    int status = FMU_OK;
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        double value = 0;
        status = (int)fmu_values(x, integer_kind(x, refs[i]), &refs[i], 1, &value);
        values[i] = (int)value;
    }
    return status;
}

FMI2 int fmi2GetBoolean(fmu_instance *x, const reference *refs, size_t n, int *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    int status = FMU_OK;
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        double value = 0;
        status = (int)fmu_values(x, VINC_BOOLEAN, &refs[i], 1, &value);
        values[i] = value != 0;
    }
    return status;
}

FMI2 int fmi2GetString(fmu_instance *x, const reference *refs, size_t n, const char **values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    return (int)fmu_text_values(x, refs, n, values);
}

FMI2 int fmi2SetReal(fmu_instance *x, const reference *refs, size_t n, const double *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    return (int)fmu_set(x, VINC_REAL, refs, n, values);
}

FMI2 int fmi2SetInteger(fmu_instance *x, const reference *refs, size_t n, const int *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    int status = FMU_OK;
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        double value = values[i];
        status = (int)fmu_set(x, integer_kind(x, refs[i]), &refs[i], 1, &value);
    }
    return status;
}

FMI2 int fmi2SetBoolean(fmu_instance *x, const reference *refs, size_t n, const int *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    int status = FMU_OK;
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        double value = values[i] != 0;
        status = (int)fmu_set(x, VINC_BOOLEAN, &refs[i], 1, &value);
    }
    return status;
}

FMI2 int fmi2SetString(fmu_instance *x, const reference *refs, size_t n, const char *const *values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    return (int)fmu_set_texts(x, refs, n, values);
}

/* ---- state and derivatives ------------------------------------------------------------------- */

FMI2 int fmi2GetFMUstate(fmu_instance *x, fmu_kept **kept)
{
    if (!fmu_given(x, __func__, 1, kept, kept)) return FMU_ERROR;
    return (int)fmu_keep(x, kept);
}

FMI2 int fmi2SetFMUstate(fmu_instance *x, fmu_kept *kept)
{
    if (!fmu_given(x, __func__, 1, kept, kept)) return FMU_ERROR;
    return (int)fmu_return(x, kept);
}

FMI2 int fmi2FreeFMUstate(fmu_instance *x, fmu_kept **kept)
{
    (void)x;
    if (kept) fmu_kept_free(*kept);
    if (kept) *kept = NULL;
    return FMU_OK;
}

FMI2 int fmi2SerializedFMUstateSize(fmu_instance *x, fmu_kept *kept, size_t *size)
{
    if (!fmu_given(x, __func__, 1, kept, size)) return FMU_ERROR;
    return (int)fmu_kept_size(x, kept, size);
}

FMI2 int fmi2SerializeFMUstate(fmu_instance *x, fmu_kept *kept, char *bytes, size_t size)
{
    if (!fmu_given(x, __func__, 1, kept, bytes)) return FMU_ERROR;
    return (int)fmu_kept_write(x, kept, bytes, size);
}

FMI2 int fmi2DeSerializeFMUstate(fmu_instance *x, const char *bytes, size_t size, fmu_kept **kept)
{
    if (!fmu_given(x, __func__, 1, bytes, kept)) return FMU_ERROR;
    return (int)fmu_kept_read(x, bytes, size, kept);
}

FMI2 int fmi2GetDirectionalDerivative(fmu_instance *x, const reference *unknowns, size_t n_unknowns,
                                      const reference *knowns, size_t n_knowns, const double *seed,
                                      double *out)
{
    if (!fmu_given(x, __func__, n_unknowns, unknowns, out) ||
        !fmu_given(x, __func__, n_knowns, knowns, seed))
        return FMU_ERROR;
    return (int)fmu_product(x, unknowns, n_unknowns, knowns, n_knowns, false, seed, out);
}

/* ---- model exchange -------------------------------------------------------------------------- */

FMI2 int fmi2EnterEventMode(fmu_instance *x)
{
    if (!fmu_allowed(x, IN_CONTINUOUS | IN_EVENT, __func__)) return FMU_ERROR;
    return (int)fmu_enter_event(x);
}

FMI2 int fmi2NewDiscreteStates(fmu_instance *x, fmi2_event_info *out)
{
    if (!fmu_given(x, __func__, 1, out, out)) return FMU_ERROR;
    vinc_event_report r;
    if (!fmu_allowed(x, IN_EVENT, __func__)) return FMU_ERROR;
    fmu_status status = fmu_event(x, &r);
    *out =
        (fmi2_event_info){.terminate = r.terminated,
                          .values_changed = r.changed, // some importers begin anew for this alone
                          .has_next = isfinite(r.next_time),
                          .next = isfinite(r.next_time) ? r.next_time : 0};
    return (int)status;
}

FMI2 int fmi2EnterContinuousTimeMode(fmu_instance *x)
{
    if (!fmu_allowed(x, IN_EVENT, __func__)) return FMU_ERROR;
    x->mode = FMU_CONTINUOUS;
    return FMU_OK;
}

FMI2 int fmi2CompletedIntegratorStep(fmu_instance *x, int no_return, int *event, int *terminate)
{
    (void)no_return;
    if (!fmu_given(x, __func__, 1, event, terminate)) return FMU_ERROR;
    bool wanted = false;
    if (!fmu_allowed(x, IN_CONTINUOUS, __func__)) return FMU_ERROR;
    fmu_status status = fmu_accept(x, &wanted);
    *event = wanted;
    *terminate = 0;
    return (int)status;
}

FMI2 int fmi2SetTime(fmu_instance *x, double t)
{
    if (!fmu_allowed(x, IN_EVENT | IN_CONTINUOUS, __func__)) return FMU_ERROR;
    return (int)fmu_place(x, t, NULL, 0);
}

FMI2 int fmi2SetContinuousStates(fmu_instance *x, const double *states, size_t n)
{
    if (!fmu_given(x, __func__, n, states, states)) return FMU_ERROR;
    if (!fmu_allowed(x, IN_CONTINUOUS | IN_EVENT, __func__)) return FMU_ERROR;
    return (int)fmu_place(x, vinc_sim_time(x->sim), states, n);
}

FMI2 int fmi2GetDerivatives(fmu_instance *x, double *rates, size_t n)
{
    if (!fmu_given(x, __func__, n, rates, rates)) return FMU_ERROR;
    return (int)fmu_rates(x, rates, n);
}

FMI2 int fmi2GetEventIndicators(fmu_instance *x, double *g, size_t n)
{
    if (!fmu_given(x, __func__, n, g, g)) return FMU_ERROR;
    return (int)fmu_indicators(x, g, n);
}

FMI2 int fmi2GetContinuousStates(fmu_instance *x, double *states, size_t n)
{
    if (!fmu_given(x, __func__, n, states, states)) return FMU_ERROR;
    return (int)fmu_states(x, states, NULL, n);
}

FMI2 int fmi2GetNominalsOfContinuousStates(fmu_instance *x, double *nominals, size_t n)
{
    if (!fmu_given(x, __func__, n, nominals, nominals)) return FMU_ERROR;
    return (int)fmu_states(x, NULL, nominals, n);
}

/* ---- co-simulation --------------------------------------------------------------------------- */

FMI2 int fmi2SetRealInputDerivatives(fmu_instance *x, const reference *refs, size_t n,
                                     const int *orders, const double *values)
{
    (void)refs, (void)orders, (void)values;
    if (x && !n) return FMU_OK;
    fmu_say(x, FMU_ERROR, "inputs are not interpolated (canInterpolateInputs = false)");
    return FMU_ERROR;
}

FMI2 int fmi2GetRealOutputDerivatives(fmu_instance *x, const reference *refs, size_t n,
                                      const int *orders, double *values)
{
    (void)refs, (void)orders, (void)values;
    if (x && !n) return FMU_OK;
    fmu_say(x, FMU_ERROR, "derivatives of outputs are not given (maxOutputDerivativeOrder = 0)");
    return FMU_ERROR;
}

FMI2 int fmi2DoStep(fmu_instance *x, double t, double h, int no_return)
{
    (void)no_return;
    fmu_step done;
    if (!fmu_allowed(x, IN_STEP, __func__)) return FMU_ERROR;
    fmu_status status = fmu_advance(x, t, h, &done);
    return status == FMU_OK && done.terminated ? FMU_DISCARD : (int)status;
}

FMI2 int fmi2CancelStep(fmu_instance *x)
{
    fmu_say(x, FMU_ERROR, "a step cannot be cancelled: fmi2DoStep returns when it is done");
    return FMU_ERROR;
}

static int fmi2_no_status(fmu_instance *x)
{
    if (!x) return FMU_ERROR;
    fmu_say(x, FMU_DISCARD, "no such status: fmi2DoStep returns when it is done");
    return FMU_DISCARD;
}

FMI2 int fmi2GetStatus(fmu_instance *x, int kind, int *value)
{
    (void)kind, (void)value;
    return fmi2_no_status(x);
}

enum { LAST_SUCCESSFUL_TIME = 2, TERMINATED = 3 }; // fmi2StatusKind

FMI2 int fmi2GetRealStatus(fmu_instance *x, int kind, double *value)
{
    if (!fmu_given(x, __func__, 1, value, value)) return FMU_ERROR;
    if (kind != LAST_SUCCESSFUL_TIME || !x->sim) return fmi2_no_status(x);
    *value = vinc_sim_time(x->sim);
    return FMU_OK;
}

FMI2 int fmi2GetIntegerStatus(fmu_instance *x, int kind, int *value)
{
    (void)kind, (void)value;
    return fmi2_no_status(x);
}

FMI2 int fmi2GetBooleanStatus(fmu_instance *x, int kind, int *value)
{
    if (!fmu_given(x, __func__, 1, value, value)) return FMU_ERROR;
    if (kind != TERMINATED) return fmi2_no_status(x);
    *value = x->terminated;
    return FMU_OK;
}

FMI2 int fmi2GetStringStatus(fmu_instance *x, int kind, const char **value)
{
    (void)kind, (void)value;
    return fmi2_no_status(x);
}
