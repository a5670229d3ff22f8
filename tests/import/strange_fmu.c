/* An FMU, x' = -x with x(0) = 1, that misbehaves as its parameter says. FMI 3, both kinds.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "strange_modes.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { OK, WARNING, DISCARD, ERROR };
typedef void (*log_function)(void *environment, int status, const char *category,
                             const char *words);

typedef struct strange {
    double t, x;
    int mode, events;
    bool late; // time has passed 0.5
    log_function log;
    void *environment;
} strange;

static int misbehave(strange *s)
{
    volatile int *nowhere = NULL;
    if (s->t < 0.5) return OK;
    switch (s->mode) {
    case STRANGE_CRASH: *nowhere = 1; return OK;
    case STRANGE_HANG:
        for (volatile int i = 0;; i = 1 - i) continue;
    case STRANGE_EXIT: exit(7);
    case STRANGE_ERROR: s->log(s->environment, ERROR, "", "I am not well"); return ERROR;
    case STRANGE_NAN: s->x = NAN; return OK;
    default: return OK;
    }
}

static strange *make(void *environment, log_function log)
{
    strange *s = calloc(1, sizeof *s);
    s->x = 1;
    s->environment = environment;
    s->log = log;
    return s;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                   bool visible, bool logs, void *environment, log_function log)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs;
    return make(environment, log);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool visible, bool logs, bool events, bool early,
                                  const uint32_t *list, size_t n, void *environment,
                                  log_function log, void *update)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logs, (void)events, (void)early,
        (void)list, (void)n, (void)update;
    return make(environment, log);
}

void fmi3FreeInstance(strange *s)
{
    free(s);
}

int fmi3EnterInitializationMode(strange *s, bool has, double tolerance, double start, bool ends,
                                double stop)
{
    (void)has, (void)tolerance, (void)ends, (void)stop;
    s->t = start;
    return s->mode == STRANGE_NO_START ? ERROR : OK;
}

int fmi3ExitInitializationMode(strange *s)
{
    for (volatile int i = 0; s->mode == STRANGE_HANG_AT_START; i = 1 - i) continue;
    return OK;
}

int fmi3EnterConfigurationMode(strange *s)
{
    return fmi3ExitInitializationMode(s);
}

int fmi3ExitConfigurationMode(strange *s)
{
    return fmi3ExitInitializationMode(s);
}

int fmi3EnterEventMode(strange *s)
{
    s->events++;
    return OK;
}

int fmi3EnterContinuousTimeMode(strange *s)
{
    return fmi3ExitInitializationMode(s);
}

int fmi3EnterStepMode(strange *s)
{
    return fmi3ExitInitializationMode(s);
}

int fmi3Terminate(strange *s)
{
    return fmi3ExitInitializationMode(s);
}

int fmi3UpdateDiscreteStates(strange *s, bool *again, bool *terminate, bool *nominals, bool *values,
                             bool *has_next, double *next)
{
    *again = s->mode == STRANGE_ENDLESS_EVENT;
    *terminate = *nominals = *values = *has_next = false;
    *next = 0;
    if (s->mode == STRANGE_JUMP_AT_HALF && s->t < 0.5) *has_next = true, *next = 0.5;
    if ((s->mode == STRANGE_JUMP_AT_HALF || s->mode == STRANGE_JUMP_AT_STEP) && s->t >= 0.5 &&
        !s->late)
        s->x += 1, s->late = *values = true;
    return OK;
}

int fmi3CompletedIntegratorStep(strange *s, bool keep, bool *event, bool *terminate)
{
    (void)keep;
    *event = s->mode == STRANGE_STEP_EVENTS ||
             (s->mode == STRANGE_JUMP_AT_STEP && s->t >= 0.5 && !s->late);
    *terminate = s->mode == STRANGE_TERMINATES && s->t >= 0.5;
    return s->mode == STRANGE_REFUSES_STEP && s->t >= 0.5 ? ERROR : OK;
}

int fmi3SetTime(strange *s, double t)
{
    s->t = t;
    return OK;
}

int fmi3SetContinuousStates(strange *s, const double *x, size_t n)
{
    (void)n;
    s->x = *x;
    return OK;
}

int fmi3GetContinuousStateDerivatives(strange *s, double *rates, size_t n)
{
    (void)n;
    int rc = misbehave(s);
    *rates = -s->x;
    return s->mode == STRANGE_DISCARDS && s->x < 0.3 && s->t < 0.9 ? DISCARD : rc;
}

int fmi3GetDirectionalDerivative(strange *s, const uint32_t *of, size_t n_of, const uint32_t *by,
                                 size_t n_by, const double *seed, size_t n_seed, double *out,
                                 size_t n_out)
{
    (void)of, (void)n_of, (void)by, (void)n_by, (void)n_seed, (void)n_out;
    *out = s->mode == STRANGE_NAN_SLOPES ? NAN : -*seed;
    return s->mode == STRANGE_NO_SLOPES ? DISCARD : OK;
}

int fmi3GetEventIndicators(strange *s, double *g, size_t n)
{
    (void)n;
    *g = s->x - 2;
    return OK;
}

int fmi3GetContinuousStates(strange *s, double *x, size_t n)
{
    (void)n;
    *x = s->x;
    return OK;
}

int fmi3GetNominalsOfContinuousStates(strange *s, double *x, size_t n)
{
    (void)s, (void)n;
    *x = s->mode == STRANGE_NO_NOMINAL ? 0 : 1;
    return OK;
}

int fmi3GetFloat64(strange *s, const uint32_t *list, size_t n, double *out, size_t n_out)
{
    (void)n_out;
    for (size_t i = 0; i < n; i++) out[i] = list[i] == 2 ? -s->x : s->x;
    return OK;
}

int fmi3SetFloat64(strange *s, const uint32_t *list, size_t n, const double *in, size_t n_in)
{
    (void)n_in;
    for (size_t i = 0; i < n; i++)
        if (list[i] == 1) s->x = in[i];
    return OK;
}

int fmi3GetInt32(strange *s, const uint32_t *list, size_t n, int32_t *out, size_t n_out)
{
    (void)n_out;
    for (size_t i = 0; i < n; i++) out[i] = list[i] == 3 ? s->mode : s->events;
    return OK;
}

int fmi3SetInt32(strange *s, const uint32_t *list, size_t n, const int32_t *in, size_t n_in)
{
    (void)list, (void)n, (void)n_in;
    s->mode = *in;
    return OK;
}

int fmi3DoStep(strange *s, double t, double h, bool keep, bool *event, bool *terminate, bool *early,
               double *last)
{
    (void)keep;
    *event = *terminate = *early = false;
    int rc = misbehave(s);
    if (s->mode == STRANGE_RETURNS_EARLY && h > 0.001) h *= 0.5, *early = true;
    s->x *= exp(-h);
    s->t = *last = t + h;
    *terminate = s->mode == STRANGE_TERMINATES && s->t >= 0.5;
    *early |= *terminate;
    return rc;
}
