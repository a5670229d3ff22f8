/* An instance of an FMU: what both versions of the standard share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include "fmu/fmu.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages -------------------------------------------------------------------------------- */

void fmu_say(const fmu_instance *x, fmu_status status, const char *format, ...)
{
    char text[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!x || !x->log || (status == FMU_OK && !x->logs)) return;
    const char *category = status >= FMU_ERROR     ? "logStatusError"
                           : status == FMU_DISCARD ? "logStatusDiscard"
                           : status == FMU_WARNING ? "logStatusWarning"
                                                   : "logAll";
    x->log(x, status, category, text);
}

static fmu_status status_of(int rc)
{
    if (rc >= 0) return FMU_OK;
    return rc == VINC_E_EVALUATION ? FMU_DISCARD : FMU_ERROR;
}

/* Messages of the context, and of the run where there is one, in the order in which they were made; each once. */
static void tell_all(fmu_instance *x, fmu_status least)
{
    vinc_sim *s = x->sim;
    int n = s ? vinc_sim_n_diagnostics(s) : vinc_ctx_n_diagnostics(x->ctx);
    int first = s && x->n_told < n ? x->n_told : 0;
    x->n_told = s ? n : 0;
    for (int i = first; i < n; i++) {
        vinc_diagnostic d = s ? vinc_sim_diagnostic(s, i) : vinc_ctx_diagnostic(x->ctx, i);
        fmu_status status = d.severity == VINC_ERROR     ? least
                            : d.severity == VINC_WARNING ? FMU_WARNING
                                                         : FMU_OK;
        if (status == FMU_OK && least < FMU_ERROR) continue;
        if (d.file) fmu_say(x, status, "%s:%d: %s [%s]", d.file, d.line, d.text, d.code);
        else
            fmu_say(x, status, "%s%s%s%s", d.text, *d.code ? " [" : "", d.code, *d.code ? "]" : "");
    }
}

fmu_status fmu_told(fmu_instance *x, int rc)
{
    fmu_status status = status_of(rc);
    bool warns = status == FMU_OK && x->sim && vinc_sim_n_diagnostics(x->sim) > x->n_told;
    if (warns) tell_all(x, FMU_WARNING);
    if (status == FMU_OK) return status;
    tell_all(x, status);
    vinc_ctx_clear(x->ctx);
    x->n_told = x->sim ? vinc_sim_n_diagnostics(x->sim) : 0;
    return status;
}

bool fmu_given(const fmu_instance *x, const char *call, size_t n, const void *a, const void *b)
{
    if (x && (!n || (a && b))) return true;
    fmu_say(x, FMU_ERROR, "%s: an argument is NULL that has to point to %zu values", call, n);
    return false;
}

bool fmu_allowed(fmu_instance *x, unsigned modes, const char *call)
{
    static const char *const names[] = {"instantiated",    "initialization mode", "event mode",
                                        "continuous time", "step mode",           "terminated"};
    if (!x) return false;
    if (modes >> x->mode & 1) return true;
    fmu_say(x, FMU_ERROR, "%s may not be called now: the FMU is in the state '%s'", call,
            names[x->mode]);
    return false;
}

/* ---- opening --------------------------------------------------------------------------------- */

static char *fmu_copy(const char *words)
{
    size_t n = strlen(words) + 1;
    char *copy = malloc(n);
    if (copy) memcpy(copy, words, n);
    return copy;
}

static vinc_sim_options run_options(const fmu_instance *x, bool lend)
{
    vinc_sim_options o = {.lend = lend, .has_start = 1, .t_start = x->t_start};
    o.rel_tol = x->has_tolerance ? x->tolerance : 0;
    o.has_stop = 1; // where none is named, that of the experiment, put off as steps come near it
    o.t_stop = x->has_stop ? x->t_stop : x->t_start + x->duration;
    return o;
}

bool fmu_open(fmu_instance *x, const char *name, const char *token, const char *resources)
{
    x->next_time = INFINITY;
    x->name = fmu_copy(name ? name : "");
    if (!x->name || !fmu_load(x, token, resources)) return false;
    if (fmu_map(x) != FMU_OK) return false;
    x->numbers = malloc(((size_t)x->n_states + (size_t)x->n_indicators + 1) * sizeof *x->numbers);
    return x->numbers != NULL;
}

void fmu_close(fmu_instance *x)
{
    if (!x) return;
    vinc_state_free(x->before);
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
    fmu_load_close(x);
    fmu_texts_close(x);
    free(x->column);
    free(x->arrays);
    free(x->types);
    free(x->settings);
    free(x->numbers);
    free(x->name);
    free(x);
}

/* ---- starting -------------------------------------------------------------------------------- */

static int number_of(const fmu_instance *x, uint32_t reference) // of a variable in the run
{
    int i = (int)(reference - FMU_FIRST_VARIABLE);
    return x->column ? x->column[i] : i;
}

bool fmu_is_variable(const fmu_instance *x, uint32_t reference)
{
    return reference >= FMU_FIRST_VARIABLE &&
           reference - FMU_FIRST_VARIABLE < (uint32_t)x->n_variables;
}

static int apply_settings(fmu_instance *x)
{
    int rc = 0;
    for (int i = 0; i < x->n_settings && !rc; i++) {
        const fmu_setting *q = &x->settings[i];
        rc =
            vinc_sim_set(x->sim, vinc_sim_value_name(x->sim, number_of(x, q->reference)), q->value);
    }
    return rc;
}

/* The run with what has been set so far, unless there is one. */
fmu_status fmu_start(fmu_instance *x)
{
    if (x->sim) return FMU_OK;
    if (fmu_load_for_texts(x) != FMU_OK) return FMU_ERROR;
    vinc_sim_options o = run_options(x, !x->steps);
    int rc = vinc_sim_new(x->model, &o, &x->sim);
    if (!rc) rc = apply_settings(x);
    if (!rc) rc = x->steps ? vinc_sim_start(x->sim) : vinc_sim_lend(x->sim);
    fmu_status status = fmu_told(x, rc);
    if (status != FMU_OK) {
        vinc_sim_free(x->sim);
        x->sim = NULL;
        x->n_told = 0;
        return FMU_ERROR;
    }
    x->terminated = rc == VINC_TERMINATED;
    return FMU_OK;
}

void fmu_stop(fmu_instance *x)
{
    vinc_sim_free(x->sim);
    x->sim = NULL;
    x->n_told = 0;
    x->terminated = false;
    x->next_time = INFINITY;
}

fmu_status fmu_enter_initialization(fmu_instance *x)
{
    fmu_stop(x); // times are others now
    x->mode = FMU_INITIALIZATION;
    return FMU_OK;
}

fmu_status fmu_exit_initialization(fmu_instance *x)
{
    fmu_status status = fmu_start(x);
    if (status == FMU_OK) x->mode = x->steps && !x->event_mode ? FMU_STEP : FMU_EVENT;
    x->entered = x->evaluated = x->updated = false;
    return status;
}

fmu_status fmu_reset(fmu_instance *x)
{
    fmu_stop(x);
    x->n_settings = 0;
    x->texts.n = 0;
    x->t_start = x->t_stop = x->tolerance = 0;
    x->has_stop = x->has_tolerance = false;
    x->mode = FMU_INSTANTIATED;
    return FMU_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool type_fits(fmu_instance *x, uint32_t reference, vinc_type kind)
{
    uint32_t i = reference - FMU_FIRST_VARIABLE;
    vinc_type type = fmu_is_variable(x, reference) ? (vinc_type)x->types[i] : VINC_REAL;
    if (type == kind) return true;
    static const char *const names[] = {"Real",        "Integer", "Boolean", "String",
                                        "enumeration", "Clock",   "object"};
    fmu_say(x, FMU_ERROR, "value reference %u is of type %s and was used as %s", reference,
            names[type], names[kind]);
    return false;
}

bool fmu_note_array(fmu_instance *x, uint32_t reference, uint32_t n)
{
    fmu_array *list = realloc(x->arrays, ((size_t)x->n_arrays + 1) * sizeof *list);
    if (!list) return false;
    x->arrays = list;
    list[x->n_arrays++] = (fmu_array){reference, n};
    return true;
}

uint32_t fmu_n_elements(const fmu_instance *x, uint32_t reference)
{
    int low = 0, high = x->n_arrays;
    while (low < high) {
        int middle = (low + high) / 2;
        if (x->arrays[middle].reference < reference) low = middle + 1;
        else high = middle;
    }
    return low < x->n_arrays && x->arrays[low].reference == reference ? x->arrays[low].n : 1;
}

bool fmu_is_enumeration(const fmu_instance *x, uint32_t reference)
{
    return fmu_is_variable(x, reference) &&
           x->types[reference - FMU_FIRST_VARIABLE] == VINC_ENUMERATION;
}

static bool is_reference(const fmu_instance *x, uint32_t reference)
{
    return reference < FMU_FIRST_VARIABLE + (uint32_t)x->n_variables + 2 * (uint32_t)x->n_states +
                           (uint32_t)x->n_indicators;
}

/* A state that is no variable of the model, its derivative, or an event indicator. */
static fmu_status made_value(fmu_instance *x, uint32_t reference, double *out)
{
    uint32_t k = reference - FMU_FIRST_VARIABLE - (uint32_t)x->n_variables;
    if (k >= 2 * (uint32_t)x->n_states) {
        fmu_status status = fmu_told(x, vinc_sim_indicators(x->sim, x->numbers));
        *out = x->numbers[k - 2 * (uint32_t)x->n_states];
        return status;
    }
    int rc = k % 2 ? vinc_sim_rates(x->sim, x->numbers) : vinc_sim_states(x->sim, x->numbers, NULL);
    *out = x->numbers[k / 2];
    return fmu_told(x, rc);
}

/* Of which type and what number in the run; false: said. */
static bool readable(fmu_instance *x, vinc_type kind, uint32_t reference)
{
    if (is_reference(x, reference)) return type_fits(x, reference, kind);
    fmu_say(x, FMU_ERROR, "there is no variable with value reference %u", reference);
    return false;
}

/* Variables side by side are read together. */
fmu_status fmu_values(fmu_instance *x, vinc_type kind, const uint32_t *references, size_t n,
                      double *out)
{
    enum { AT_A_TIME = 64 };
    fmu_status status = n ? fmu_start(x) : FMU_OK;
    for (size_t i = 0; i < n && status == FMU_OK;) {
        int list[AT_A_TIME], m = 0;
        for (size_t k = i; k < n && m < AT_A_TIME && fmu_is_variable(x, references[k]); k++) {
            if (!type_fits(x, references[k], kind)) return FMU_ERROR;
            list[m++] = number_of(x, references[k]);
        }
        if (m) {
            status = fmu_told(x, vinc_sim_values(x->sim, list, m, out + i));
            i += (size_t)m;
            continue;
        }
        if (!readable(x, kind, references[i])) return FMU_ERROR;
        if (references[i] == FMU_TIME) out[i] = vinc_sim_time(x->sim);
        else status = made_value(x, references[i], &out[i]);
        i++;
    }
    return status;
}

static fmu_status note_setting(fmu_instance *x, uint32_t reference, double value)
{
    int k = 0;
    while (k < x->n_settings && x->settings[k].reference != reference) k++;
    if (k == x->n_room) {
        int room = 2 * x->n_room + 16;
        fmu_setting *list = realloc(x->settings, (size_t)room * sizeof *list);
        if (!list) return FMU_ERROR;
        x->settings = list;
        x->n_room = room;
    }
    if (k == x->n_settings) x->n_settings++;
    x->settings[k] = (fmu_setting){reference, value};
    fmu_stop(x); // the run begins anew
    return FMU_OK;
}

fmu_status fmu_set(fmu_instance *x, vinc_type kind, const uint32_t *references, size_t n,
                   const double *values)
{
    bool before = x->mode == FMU_INSTANTIATED || x->mode == FMU_INITIALIZATION;
    fmu_status status = before ? FMU_OK : fmu_take_back(x);
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        uint32_t r = references[i];
        if (!fmu_is_variable(x, r)) {
            fmu_say(x, FMU_ERROR, "value reference %u cannot be set", r);
            return FMU_ERROR;
        }
        if (!type_fits(x, r, kind)) return FMU_ERROR;
        if (before) status = note_setting(x, r, values[i]);
        else status = fmu_told(x, vinc_sim_set_input(x->sim, number_of(x, r), values[i]));
    }
    return status;
}

/* ---- model exchange -------------------------------------------------------------------------- */

static bool right_number(fmu_instance *x, size_t n, int wanted, const char *what)
{
    if (n == (size_t)wanted) return true;
    fmu_say(x, FMU_ERROR, "%zu %s were given, but the FMU has %d", n, what, wanted);
    return false;
}

fmu_status fmu_place(fmu_instance *x, double t, const double *states, size_t n)
{
    if (states && !right_number(x, n, x->n_states, "states")) return FMU_ERROR;
    fmu_status status = fmu_start(x);
    return status ? status : fmu_told(x, vinc_sim_place(x->sim, t, states));
}

fmu_status fmu_states(fmu_instance *x, double *states, double *nominals, size_t n)
{
    if (!right_number(x, n, x->n_states, "states")) return FMU_ERROR;
    fmu_status status = fmu_start(x);
    return status ? status : fmu_told(x, vinc_sim_states(x->sim, states, nominals));
}

fmu_status fmu_rates(fmu_instance *x, double *rates, size_t n)
{
    if (!right_number(x, n, x->n_states, "derivatives")) return FMU_ERROR;
    fmu_status status = fmu_start(x);
    return status ? status : fmu_told(x, vinc_sim_rates(x->sim, rates));
}

fmu_status fmu_indicators(fmu_instance *x, double *g, size_t n)
{
    fmu_status status = fmu_start(x);
    if (status) return status;
    if (!right_number(x, n, x->n_indicators, "event indicators")) return FMU_ERROR;
    return fmu_told(x, vinc_sim_indicators(x->sim, g));
}

fmu_status fmu_n_indicators(fmu_instance *x, size_t *n)
{
    *n = (size_t)x->n_indicators;
    return FMU_OK;
}

fmu_status fmu_enter_event(fmu_instance *x)
{
    x->mode = FMU_EVENT;
    x->entered = true;
    x->evaluated = x->updated = false;
    return x->steps ? FMU_OK : fmu_told(x, vinc_sim_before_event(x->sim));
}

fmu_status fmu_event(fmu_instance *x, vinc_event_report *out)
{
    *out = (vinc_event_report){.next_time = INFINITY, .terminated = x->terminated};
    fmu_status status = fmu_start(x);
    x->updated = true;
    if (status || x->steps) return status; // inside a step events are handled at once
    if (x->evaluated) *out = x->report;
    else status = fmu_told(x, vinc_sim_event(x->sim, out));
    x->evaluated = x->entered = false;
    x->next_time = out->next_time;
    return status;
}

fmu_status fmu_accept(fmu_instance *x, bool *event)
{
    int wanted = 0;
    fmu_status status = fmu_told(x, vinc_sim_accept(x->sim, &wanted));
    *event = wanted;
    return status;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

/* By steps of the integrator, where somebody looks in between. */
static int advance_watched(fmu_instance *x, double until, fmu_step *out)
{
    int rc = VINC_OK;
    double t = vinc_sim_time(x->sim);
    while (rc >= 0 && rc != VINC_TERMINATED && t < until) {
        rc = vinc_sim_step(x->sim, until);
        double now = vinc_sim_time(x->sim);
        if (now <= t && rc != VINC_EVENT) break;
        t = now;
        out->event = rc == VINC_EVENT && x->event_mode;
        if (rc < 0 || rc == VINC_TERMINATED) break;
        if (x->between && x->between(x, t, &until)) break;
        if (out->event && x->early_return) break;
    }
    return rc;
}

fmu_status fmu_advance(fmu_instance *x, double t, double h, fmu_step *out)
{
    const double SAME_TIME = 1e-9; // part of the step: roundings of sums, not another time
    double until = t + h, now = vinc_sim_time(x->sim);
    *out = (fmu_step){.last = now, .terminated = x->terminated};
    if (x->terminated) return FMU_DISCARD;
    if (!(h > 0) || !isfinite(until) || fabs(now - t) > SAME_TIME * h) {
        fmu_say(x, FMU_ERROR,
                "a step from %.17g by %g cannot be made: the FMU is at t = %.17g, and steps go "
                "forwards",
                t, h, now);
        return FMU_ERROR;
    }
    if (x->has_stop && until > x->t_stop && until - x->t_stop <= SAME_TIME * h) until = x->t_stop;
    int rc = VINC_OK;
    if (!x->has_stop && until >= vinc_sim_end(x->sim))
        rc = vinc_sim_extend(x->sim, until + (until - x->t_start));
    bool watched = x->between || (x->event_mode && x->early_return);
    if (!rc) rc = watched ? advance_watched(x, until, out) : vinc_sim_advance(x->sim, until);
    out->last = vinc_sim_time(x->sim);
    out->early = out->last < until;
    out->terminated = x->terminated = rc == VINC_TERMINATED;
    return fmu_told(x, rc);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* The number of a variable, or -1 - i of state i; false: it has none. */
static bool slope_number(fmu_instance *x, uint32_t reference, bool known, int *out)
{
    uint32_t k = reference - FMU_FIRST_VARIABLE - (uint32_t)x->n_variables;
    bool made = reference >= FMU_FIRST_VARIABLE + (uint32_t)x->n_variables;
    if (made && k < 2 * (uint32_t)x->n_states && k % 2 == !known) {
        *out = -1 - (int)(k / 2);
        return true;
    }
    if (fmu_is_variable(x, reference)) {
        *out = number_of(x, reference);
        for (int i = 0; known && i < x->n_states; i++)
            if (vinc_sim_state_value(x->sim, i) == *out) return *out = -1 - i, true;
        return true;
    }
    fmu_say(x, FMU_ERROR, "there are no derivatives %s value reference %u", known ? "by" : "of",
            reference);
    return false;
}

fmu_status fmu_product(fmu_instance *x, const uint32_t *unknowns, size_t n_unknowns,
                       const uint32_t *knowns, size_t n_knowns, bool transposed, const double *v,
                       double *out)
{
    fmu_status status = fmu_start(x);
    if (status) return status;
    int *list = malloc((n_unknowns + n_knowns + 1) * sizeof *list);
    bool good = list != NULL;
    for (size_t i = 0; good && i < n_unknowns; i++)
        good = slope_number(x, unknowns[i], false, &list[i]);
    for (size_t i = 0; good && i < n_knowns; i++)
        good = slope_number(x, knowns[i], true, &list[n_unknowns + i]);
    vinc_slopes q = {.unknowns = list,
                     .knowns = good ? list + n_unknowns : NULL,
                     .n_unknowns = (int)n_unknowns,
                     .n_knowns = (int)n_knowns,
                     .transposed = transposed};
    status = good ? fmu_told(x, vinc_sim_slopes(x->sim, &q, v, out)) : FMU_ERROR;
    free(list);
    return status;
}
