/* FMI 3: the functions of the standard, over an instance.
 *
 * Their names and types are those of the standard (Functional Mock-up Interface 3.0.2, sections 2 to 4);
 * what they do is in instance.c; those of clocks are in fmi3_clocks.c. Scheduled execution, binary variables
 * and numbers of other sizes do not occur in FMUs of ours: these functions say so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FMI3 FMU_SHOWN
enum {
    IN_INSTANTIATED = 1 << FMU_INSTANTIATED,
    IN_INITIALIZATION = 1 << FMU_INITIALIZATION,
    IN_EVENT = 1 << FMU_EVENT,
    IN_CONTINUOUS = 1 << FMU_CONTINUOUS,
    IN_STEP = 1 << FMU_STEP,
    IN_RUN = IN_EVENT | IN_CONTINUOUS | IN_STEP,
    IN_ANY = IN_INSTANTIATED | IN_INITIALIZATION | IN_RUN | 1 << FMU_TERMINATED
};

typedef uint32_t reference;
typedef void (*fmi3_log)(void *environment, int status, const char *category, const char *text);
typedef void (*fmi3_update)(void *environment, double t, bool set_requested, bool get_allowed,
                            bool finished, bool can_return, bool *return_requested,
                            double *return_time);

/* ---- making one ------------------------------------------------------------------------------ */

static void fmi3_tell(const fmu_instance *x, fmu_status status, const char *category,
                      const char *text)
{
    fmi3_log log = (fmi3_log)x->logger;
    if (log) log(x->environment, (int)status, category, text);
}

static bool fmi3_between(fmu_instance *x, double t, double *until)
{
    fmi3_update update = (fmi3_update)x->intermediate;
    bool wanted = false;
    double when = t;
    update(x->environment, t, false, true, true, x->early_return, &wanted, &when);
    if (!wanted || !x->early_return) return false;
    if (when <= t) return true;
    if (when < *until) *until = when;
    return false;
}

static fmu_instance *fmi3_new(bool steps, const char *name, const char *token,
                              const char *resources, bool logs, void *environment, fmi3_log log)
{
    fmu_instance *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->steps = steps;
    x->environment = environment;
    x->logger = (void (*)(void))log;
    x->log = fmi3_tell;
    x->logs = logs;
    if (fmu_open(x, name, token, resources)) return x;
    fmu_close(x);
    return NULL;
}

FMI3 const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMI3 void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                        bool visible, bool logs, void *environment, fmi3_log log)
{
    (void)visible;
    return fmi3_new(false, name, token, resources, logs, environment, log);
}

FMI3 void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                       bool visible, bool logs, bool event_mode, bool early_return,
                                       const reference *wanted, size_t n_wanted, void *environment,
                                       fmi3_log log, fmi3_update update)
{
    (void)visible, (void)wanted, (void)n_wanted;
    fmu_instance *x = fmi3_new(true, name, token, resources, logs, environment, log);
    if (!x) return NULL;
    x->event_mode = event_mode;
    x->early_return = early_return;
    x->intermediate = (void (*)(void))update;
    if (update) x->between = fmi3_between;
    return x;
}

FMI3 void *fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                             const char *resources, bool visible, bool logs,
                                             void *environment, fmi3_log log,
                                             void (*update)(void *), void (*lock)(void),
                                             void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)update, (void)lock,
        (void)unlock;
    if (log) log(environment, FMU_ERROR, "logStatusError", "there is no scheduled execution");
    return NULL;
}

FMI3 void fmi3FreeInstance(fmu_instance *x)
{
    fmu_close(x);
}

/* ---- the course of a simulation -------------------------------------------------------------- */

FMI3 int fmi3SetDebugLogging(fmu_instance *x, bool logs, size_t n, const char *const *categories)
{
    if (!fmu_given(x, __func__, n, categories, categories)) return FMU_ERROR;
    x->logs = logs;
    return FMU_OK;
}

FMI3 int fmi3EnterInitializationMode(fmu_instance *x, bool has_tolerance, double tolerance,
                                     double start, bool has_stop, double stop)
{
    if (!fmu_allowed(x, IN_INSTANTIATED, __func__)) return FMU_ERROR;
    x->has_tolerance = has_tolerance;
    x->tolerance = tolerance;
    x->t_start = start;
    x->has_stop = has_stop;
    x->t_stop = stop;
    return (int)fmu_enter_initialization(x);
}

FMI3 int fmi3ExitInitializationMode(fmu_instance *x)
{
    return fmu_allowed(x, IN_INITIALIZATION, __func__) ? (int)fmu_exit_initialization(x)
                                                       : FMU_ERROR;
}

FMI3 int fmi3EnterConfigurationMode(fmu_instance *x)
{
    fmu_say(x, FMU_ERROR, "there are no structural parameters to configure");
    return FMU_ERROR;
}

FMI3 int fmi3ExitConfigurationMode(fmu_instance *x)
{
    return fmi3EnterConfigurationMode(x);
}

FMI3 int fmi3EnterEventMode(fmu_instance *x)
{
    return fmu_allowed(x, IN_CONTINUOUS | IN_STEP, __func__) ? (int)fmu_enter_event(x) : FMU_ERROR;
}

FMI3 int fmi3EvaluateDiscreteStates(fmu_instance *x)
{
    return fmu_allowed(x, IN_EVENT | IN_INITIALIZATION, __func__) ? FMU_OK : FMU_ERROR;
}

FMI3 int fmi3UpdateDiscreteStates(fmu_instance *x, bool *again, bool *terminate, bool *nominals,
                                  bool *values, bool *has_next, double *next)
{
    vinc_event_report r;
    if (!fmu_allowed(x, IN_EVENT, __func__) || !fmu_given(x, __func__, 1, again, terminate) ||
        !fmu_given(x, __func__, 1, nominals, values) || !fmu_given(x, __func__, 1, has_next, next))
        return FMU_ERROR;
    fmu_status status = fmu_event(x, &r);
    *again = *nominals = false;
    *terminate = r.terminated;
    *values = r.changed; // some importers begin anew for this alone
    *has_next = isfinite(r.next_time);
    *next = *has_next ? r.next_time : 0;
    return (int)status;
}

FMI3 int fmi3EnterContinuousTimeMode(fmu_instance *x)
{
    if (!fmu_allowed(x, IN_EVENT, __func__)) return FMU_ERROR;
    x->mode = FMU_CONTINUOUS;
    return FMU_OK;
}

FMI3 int fmi3EnterStepMode(fmu_instance *x)
{
    if (!fmu_allowed(x, IN_EVENT, __func__)) return FMU_ERROR;
    x->mode = FMU_STEP;
    return FMU_OK;
}

FMI3 int fmi3Terminate(fmu_instance *x)
{
    if (!fmu_allowed(x, IN_RUN, __func__)) return FMU_ERROR;
    x->mode = FMU_TERMINATED;
    return FMU_OK;
}

FMI3 int fmi3Reset(fmu_instance *x)
{
    if (!fmu_given(x, __func__, 0, NULL, NULL)) return FMU_ERROR;
    return (int)fmu_reset(x);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* References with those of the elements of arrays after them, as many as there are values; NULL: said. To
 * be freed where it is not refs itself. */
static const reference *fmi3_elements(fmu_instance *x, const reference *refs, size_t n,
                                      const void *values, size_t n_values, const char *call)
{
    size_t total = 0, k = 0;
    if (!fmu_given(x, call, n, refs, refs) || !fmu_given(x, call, n_values, values, values))
        return NULL;
    for (size_t i = 0; i < n; i++) total += fmu_n_elements(x, refs[i]);
    if (total != n_values) {
        fmu_say(x, FMU_ERROR, "%zu values were given for variables that have %zu", n_values, total);
        return NULL;
    }
    if (total == n && n) return refs;
    reference *list = malloc((total + 1) * sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        for (uint32_t e = 0; e < fmu_n_elements(x, refs[i]); e++) list[k++] = refs[i] + e;
    return list;
}

static void fmi3_drop(const reference *list, const reference *refs)
{
    if (list != refs) free((void *)list);
}

#define GETTER(name, type, kind)                                                                   \
    FMI3 int fmi3Get##name(fmu_instance *x, const reference *refs, size_t n, type *values,         \
                           size_t n_values)                                                        \
    {                                                                                              \
        const reference *list = fmi3_elements(x, refs, n, values, n_values, __func__);             \
        int status = list ? FMU_OK : FMU_ERROR;                                                    \
        for (size_t i = 0; i < n_values && status == FMU_OK; i++) {                                \
            double value = 0;                                                                      \
            status = (int)fmu_values(x, kind, &list[i], 1, &value);                                \
            values[i] = (type)value;                                                               \
        }                                                                                          \
        fmi3_drop(list, refs);                                                                     \
        return status;                                                                             \
    }

FMI3 int fmi3GetFloat64(fmu_instance *x, const reference *refs, size_t n, double *values,
                        size_t n_values)
{
    const reference *list = fmi3_elements(x, refs, n, values, n_values, __func__);
    int status = list ? (int)fmu_values(x, VINC_REAL, list, n_values, values) : FMU_ERROR;
    fmi3_drop(list, refs);
    return status;
}

#define SETTER(name, type, kind)                                                                   \
    FMI3 int fmi3Set##name(fmu_instance *x, const reference *refs, size_t n, const type *values,   \
                           size_t n_values)                                                        \
    {                                                                                              \
        const reference *list = fmi3_elements(x, refs, n, values, n_values, __func__);             \
        int status = list ? FMU_OK : FMU_ERROR;                                                    \
        for (size_t i = 0; i < n_values && status == FMU_OK; i++) {                                \
            double value = (double)values[i];                                                      \
            status = (int)fmu_set(x, kind, &list[i], 1, &value);                                   \
        }                                                                                          \
        fmi3_drop(list, refs);                                                                     \
        return status;                                                                             \
    }

GETTER(Int32, int32_t, VINC_INTEGER)
GETTER(Int64, int64_t, VINC_ENUMERATION)
GETTER(Boolean, bool, VINC_BOOLEAN)
SETTER(Float64, double, VINC_REAL)
SETTER(Int32, int32_t, VINC_INTEGER)
SETTER(Int64, int64_t, VINC_ENUMERATION)
SETTER(Boolean, bool, VINC_BOOLEAN)

static int fmi3_no_such(fmu_instance *x, size_t n, const char *type)
{
    if (x && !n) return FMU_OK;
    fmu_say(x, FMU_ERROR, "there are no variables of type %s", type);
    return FMU_ERROR;
}

#define ABSENT(name, type)                                                                         \
    FMI3 int fmi3Get##name(fmu_instance *x, const reference *refs, size_t n, type *values,         \
                           size_t n_values)                                                        \
    {                                                                                              \
        (void)refs, (void)values, (void)n_values;                                                  \
        return fmi3_no_such(x, n, #name);                                                          \
    }                                                                                              \
    FMI3 int fmi3Set##name(fmu_instance *x, const reference *refs, size_t n, type const *values,   \
                           size_t n_values)                                                        \
    {                                                                                              \
        (void)refs, (void)values, (void)n_values;                                                  \
        return fmi3_no_such(x, n, #name);                                                          \
    }

ABSENT(Float32, float)
ABSENT(Int8, int8_t)
ABSENT(UInt8, uint8_t)
ABSENT(Int16, int16_t)
ABSENT(UInt16, uint16_t)
ABSENT(UInt32, uint32_t)
ABSENT(UInt64, uint64_t)

/* None of them is an array. */
static bool fmi3_right_number(fmu_instance *x, size_t n, size_t n_values)
{
    if (n == n_values) return true;
    fmu_say(x, FMU_ERROR, "%zu values were given for %zu Strings", n_values, n);
    return false;
}

FMI3 int fmi3GetString(fmu_instance *x, const reference *refs, size_t n, const char **values,
                       size_t n_values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    return fmi3_right_number(x, n, n_values) ? (int)fmu_text_values(x, refs, n, values) : FMU_ERROR;
}

FMI3 int fmi3SetString(fmu_instance *x, const reference *refs, size_t n, const char *const *values,
                       size_t n_values)
{
    if (!fmu_given(x, __func__, n, refs, values)) return FMU_ERROR;
    return fmi3_right_number(x, n, n_values) ? (int)fmu_set_texts(x, refs, n, values) : FMU_ERROR;
}

FMI3 int fmi3GetBinary(fmu_instance *x, const reference *refs, size_t n, size_t *sizes,
                       const uint8_t **values, size_t n_values)
{
    (void)refs, (void)sizes, (void)values, (void)n_values;
    return fmi3_no_such(x, n, "Binary");
}

FMI3 int fmi3SetBinary(fmu_instance *x, const reference *refs, size_t n, const size_t *sizes,
                       const uint8_t *const *values, size_t n_values)
{
    (void)refs, (void)sizes, (void)values, (void)n_values;
    return fmi3_no_such(x, n, "Binary");
}

FMI3 int fmi3GetNumberOfVariableDependencies(fmu_instance *x, reference of, size_t *n)
{
    (void)of;
    if (!fmu_given(x, __func__, 1, n, n)) return FMU_ERROR;
    *n = 0;
    fmu_say(x, FMU_ERROR, "dependencies are given in modelDescription.xml only");
    return FMU_ERROR;
}

FMI3 int fmi3GetVariableDependencies(fmu_instance *x, reference of, size_t *element,
                                     reference *independents, size_t *elements, int *kinds,
                                     size_t n)
{
    (void)element, (void)independents, (void)elements, (void)kinds;
    return fmi3GetNumberOfVariableDependencies(x, of, &n);
}

/* ---- state and derivatives ------------------------------------------------------------------- */

FMI3 int fmi3GetFMUState(fmu_instance *x, fmu_kept **kept)
{
    if (!fmu_given(x, __func__, 1, kept, kept)) return FMU_ERROR;
    return (int)fmu_keep(x, kept);
}

FMI3 int fmi3SetFMUState(fmu_instance *x, fmu_kept *kept)
{
    if (!fmu_given(x, __func__, 1, kept, kept)) return FMU_ERROR;
    return (int)fmu_return(x, kept);
}

FMI3 int fmi3FreeFMUState(fmu_instance *x, fmu_kept **kept)
{
    (void)x;
    if (kept) fmu_kept_free(*kept);
    if (kept) *kept = NULL;
    return FMU_OK;
}

FMI3 int fmi3SerializedFMUStateSize(fmu_instance *x, fmu_kept *kept, size_t *size)
{
    if (!fmu_given(x, __func__, 1, kept, size)) return FMU_ERROR;
    return (int)fmu_kept_size(x, kept, size);
}

FMI3 int fmi3SerializeFMUState(fmu_instance *x, fmu_kept *kept, uint8_t *bytes, size_t size)
{
    if (!fmu_given(x, __func__, 1, kept, bytes)) return FMU_ERROR;
    return (int)fmu_kept_write(x, kept, bytes, size);
}

FMI3 int fmi3DeserializeFMUState(fmu_instance *x, const uint8_t *bytes, size_t size,
                                 fmu_kept **kept)
{
    if (!fmu_given(x, __func__, 1, bytes, kept)) return FMU_ERROR;
    return (int)fmu_kept_read(x, bytes, size, kept);
}

static int fmi3_product(fmu_instance *x, const reference *unknowns, size_t n_unknowns,
                        const reference *knowns, size_t n_knowns, bool transposed, const double *v,
                        size_t n_v, double *out, size_t n_out)
{
    size_t n_u = transposed ? n_v : n_out, n_k = transposed ? n_out : n_v;
    const double *of_u = transposed ? v : out, *of_k = transposed ? out : v;
    const reference *u = fmi3_elements(x, unknowns, n_unknowns, of_u, n_u, __func__),
                    *k = fmi3_elements(x, knowns, n_knowns, of_k, n_k, __func__);
    int status = u && k ? (int)fmu_product(x, u, n_u, k, n_k, transposed, v, out) : (int)FMU_ERROR;
    fmi3_drop(u, unknowns);
    fmi3_drop(k, knowns);
    return status;
}

FMI3 int fmi3GetDirectionalDerivative(fmu_instance *x, const reference *unknowns, size_t n_unknowns,
                                      const reference *knowns, size_t n_knowns, const double *seed,
                                      size_t n_seed, double *out, size_t n_out)
{
    return fmi3_product(x, unknowns, n_unknowns, knowns, n_knowns, false, seed, n_seed, out, n_out);
}

FMI3 int fmi3GetAdjointDerivative(fmu_instance *x, const reference *unknowns, size_t n_unknowns,
                                  const reference *knowns, size_t n_knowns, const double *seed,
                                  size_t n_seed, double *out, size_t n_out)
{
    return fmi3_product(x, unknowns, n_unknowns, knowns, n_knowns, true, seed, n_seed, out, n_out);
}

/* ---- model exchange -------------------------------------------------------------------------- */

FMI3 int fmi3SetTime(fmu_instance *x, double t)
{
    if (!fmu_allowed(x, IN_EVENT | IN_CONTINUOUS, __func__)) return FMU_ERROR;
    return (int)fmu_place(x, t, NULL, 0);
}

FMI3 int fmi3SetContinuousStates(fmu_instance *x, const double *states, size_t n)
{
    if (!fmu_given(x, __func__, n, states, states)) return FMU_ERROR;
    if (!fmu_allowed(x, IN_CONTINUOUS, __func__)) return FMU_ERROR;
    return (int)fmu_place(x, vinc_sim_time(x->sim), states, n);
}

FMI3 int fmi3GetContinuousStates(fmu_instance *x, double *states, size_t n)
{
    if (!fmu_given(x, __func__, n, states, states)) return FMU_ERROR;
    return (int)fmu_states(x, states, NULL, n);
}

FMI3 int fmi3GetNominalsOfContinuousStates(fmu_instance *x, double *nominals, size_t n)
{
    if (!fmu_given(x, __func__, n, nominals, nominals)) return FMU_ERROR;
    return (int)fmu_states(x, NULL, nominals, n);
}

FMI3 int fmi3GetContinuousStateDerivatives(fmu_instance *x, double *rates, size_t n)
{
    if (!fmu_given(x, __func__, n, rates, rates)) return FMU_ERROR;
    return (int)fmu_rates(x, rates, n);
}

FMI3 int fmi3GetEventIndicators(fmu_instance *x, double *g, size_t n)
{
    if (!fmu_given(x, __func__, n, g, g)) return FMU_ERROR;
    return (int)fmu_indicators(x, g, n);
}

FMI3 int fmi3GetNumberOfContinuousStates(fmu_instance *x, size_t *n)
{
    if (!fmu_given(x, __func__, 1, n, n)) return FMU_ERROR;
    *n = (size_t)x->n_states;
    return FMU_OK;
}

FMI3 int fmi3GetNumberOfEventIndicators(fmu_instance *x, size_t *n)
{
    if (!fmu_given(x, __func__, 1, n, n)) return FMU_ERROR;
    return (int)fmu_n_indicators(x, n);
}

FMI3 int fmi3CompletedIntegratorStep(fmu_instance *x, bool no_return, bool *event, bool *terminate)
{
    (void)no_return;
    if (!fmu_given(x, __func__, 1, event, terminate)) return FMU_ERROR;
    if (!fmu_allowed(x, IN_CONTINUOUS, __func__)) return FMU_ERROR;
    *terminate = false;
    return (int)fmu_accept(x, event);
}

/* ---- co-simulation --------------------------------------------------------------------------- */

FMI3 int fmi3DoStep(fmu_instance *x, double t, double h, bool no_return, bool *event,
                    bool *terminate, bool *early, double *last)
{
    (void)no_return;
    fmu_step done;
    if (!fmu_allowed(x, IN_STEP, __func__) || !fmu_given(x, __func__, 1, event, terminate) ||
        !fmu_given(x, __func__, 1, early, last))
        return FMU_ERROR;
    fmu_status status = fmu_advance(x, t, h, &done);
    *event = done.event;
    *terminate = done.terminated;
    *early = done.early;
    *last = done.last;
    return (int)status;
}

FMI3 int fmi3GetOutputDerivatives(fmu_instance *x, const reference *refs, size_t n,
                                  const int32_t *orders, double *values, size_t n_values)
{
    (void)refs, (void)orders, (void)values, (void)n_values;
    if (x && !n) return FMU_OK;
    fmu_say(x, FMU_ERROR, "derivatives of outputs are not given (maxOutputDerivativeOrder = 0)");
    return FMU_ERROR;
}
