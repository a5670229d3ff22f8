/* Requests, answered by the library of an FMU: loading it, groups of values, events.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "import/box.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void import_log(import_box *box, int status, const char *words)
{
    static const char *const names[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
    size_t room = BOX_LOG - box->n_log;
    if (status == FMI_OK || room < 40 || status < 0 || status > FMI_PENDING) return;
    int n =
        snprintf(box->log + box->n_log, room, "%s: %.300s\n", names[status], words ? words : "");
    if (n > 0) box->n_log += (size_t)n < room ? (size_t)n : room - 1;
}

static bool failed(const import_callee *c, int status, const char *call)
{
    if (status == FMI_OK || status == FMI_WARNING) return false;
    c->box->status = status;
    c->box->call = call;
    return true;
}

#define TRY(verb, ...)                                                                             \
    do {                                                                                           \
        if (failed(c, c->calls->verb(c, ##__VA_ARGS__), #verb)) return false;                      \
    } while (0)

/* What both versions have, likewise. */
#define SHARED ((const import_functions *)c->functions)
#define TRY_SHARED(function, ...)                                                                  \
    do {                                                                                           \
        if (failed(c, SHARED->function(c->instance, ##__VA_ARGS__), #function)) return false;      \
    } while (0)
#define N_STATES (size_t) c->plan->n_states

/* ---- values ---------------------------------------------------------------------------------- */

/* Types of C by those of FMI 3, and what they can hold; FMI 2 has Boolean and Enumeration as int. */
#define NUMBERS(X)                                                                                 \
    X(FMI_FLOAT32, float, -INFINITY, INFINITY)                                                     \
    X(FMI_FLOAT64, double, -INFINITY, INFINITY)                                                    \
    X(FMI_INT8, int8_t, INT8_MIN, INT8_MAX)                                                        \
    X(FMI_UINT8, uint8_t, 0, UINT8_MAX)                                                            \
    X(FMI_INT16, int16_t, INT16_MIN, INT16_MAX)                                                    \
    X(FMI_UINT16, uint16_t, 0, UINT16_MAX)                                                         \
    X(FMI_INT32, int32_t, INT32_MIN, INT32_MAX)                                                    \
    X(FMI_UINT32, uint32_t, 0, UINT32_MAX)                                                         \
    X(FMI_INT64, int64_t, INT64_MIN, INT64_MAX)                                                    \
    X(FMI_UINT64, uint64_t, 0, UINT64_MAX)                                                         \
    X(FMI_BOOLEAN, bool, 0, 1)

/* The type as the library has it. */
static fmi_type stored_type(int fmi, fmi_type type)
{
    if (type == FMI_ENUMERATION) return fmi == 2 ? FMI_INT32 : FMI_INT64;
    return type == FMI_BOOLEAN && fmi == 2 ? FMI_INT32 : type;
}

size_t import_value_bytes(int fmi, fmi_type type)
{
    switch (stored_type(fmi, type)) {
#define BYTES(t, c, lo, hi)                                                                        \
    case t: return sizeof(c);
        NUMBERS(BYTES)
    default: return 0;
    }
}

static void from_raw(fmi_type type, const box_group *g, const void *raw, double *out)
{
    switch (type) {
#define FROM(t, c, lo, hi)                                                                         \
    case t:                                                                                        \
        for (size_t i = 0; i < g->n_values; i++) out[g->slots[i]] = (double)((const c *)raw)[i];   \
        break;
        NUMBERS(FROM)
    default: break;
    }
}

static void to_raw(fmi_type type, const box_group *g, const double *in, void *raw)
{
    switch (type) {
#define TO(t, c, lo, hi)                                                                           \
    case t:                                                                                        \
        for (size_t i = 0; i < g->n_values; i++) {                                                 \
            double x = in[g->slots[i]];                                                            \
            c *to = (c *)raw + i;                                                                  \
            if (isnan(x))                                                                          \
                *to = (c)(isinf((double)(hi)) ? x : 0); /* there is none of whole numbers */       \
            else if (x >= (double)(hi)) *to = (c)(hi);                                             \
            else if (x <= (double)(lo)) *to = (c)(lo);                                             \
            else *to = (c)x;                                                                       \
        }                                                                                          \
        break;
        NUMBERS(TO)
    default: break;
    }
}

static bool get_groups(import_callee *c, const box_groups *all, double *out)
{
    for (int t = 0; t < FMI_TYPES; t++) {
        const box_group *g = &all->of[t];
        if (!g->n) continue;
        TRY(get, (fmi_type)t, g, c->box->raw);
        from_raw(stored_type(c->plan->d->fmi, (fmi_type)t), g, c->box->raw, out);
    }
    return true;
}

static bool set_groups(import_callee *c, const box_groups *all, const double *in)
{
    for (int t = 0; t < FMI_TYPES; t++) {
        const box_group *g = &all->of[t];
        if (!g->n) continue;
        to_raw(stored_type(c->plan->d->fmi, (fmi_type)t), g, in, c->box->raw);
        TRY(set, (fmi_type)t, g, c->box->raw);
    }
    return true;
}

static bool set_inputs(import_callee *c, unsigned ask)
{
    if (ask & (BOX_INPUTS | BOX_ALL_INPUTS) && !set_groups(c, &c->plan->inputs, c->box->inputs))
        return false;
    return !(ask & BOX_ALL_INPUTS) || set_groups(c, &c->plan->discrete_inputs, c->box->inputs);
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool answer_open(import_callee *c)
{
    import_box *b = c->box;
    c->library = dlopen(c->plan->library, RTLD_NOW | RTLD_LOCAL);
    if (!c->library) {
        const char *why = dlerror();
        snprintf(b->words, sizeof b->words, "%s", why ? why : "");
        return !failed(c, BOX_NO_LIBRARY, "dlopen");
    }
    c->functions = calloc(1, c->calls->size);
    if (!c->functions) return !failed(c, BOX_NO_INSTANCE, "calloc");
    for (const import_symbol *s = c->calls->symbols; s->name; s++) {
        void *f = dlsym(c->library, s->name);
        if (!f && s->needed & (c->plan->steps ? 2 : 1)) {
            snprintf(b->words, sizeof b->words, "it has no function %s", s->name);
            return !failed(c, BOX_NO_LIBRARY, "dlsym");
        }
        memcpy((char *)c->functions + s->at, &f, sizeof f);
    }
    c->instance = c->calls->instantiate(c);
    return c->instance || !failed(c, BOX_NO_INSTANCE, "instantiate");
}

static bool answer_set(import_callee *c)
{
    bool structural = false;
    for (int t = 0; t < FMI_TYPES; t++) structural |= c->plan->structural.of[t].n > 0;
    if (structural) {
        TRY(configure, true);
        if (!set_groups(c, &c->plan->structural, c->box->set)) return false;
        TRY(configure, false);
    }
    TRY(set_texts);
    return set_groups(c, &c->plan->set, c->box->set);
}

static bool place_fmu(import_callee *c)
{
    TRY_SHARED(set_time, c->box->t);
    if (c->plan->n_states) TRY_SHARED(set_states, c->box->x, N_STATES);
    return true;
}

static bool get_states(import_callee *c)
{
    if (!c->plan->n_states) return true;
    TRY_SHARED(states, c->box->x, N_STATES);
    TRY_SHARED(nominals, c->box->nominal, N_STATES);
    return true;
}

static bool get_rates(import_callee *c)
{
    if (c->plan->n_states) TRY_SHARED(rates, c->box->rates, N_STATES);
    return true;
}

/* Passes of an event until nothing wants another one; then states and rates. */
static bool settle(import_callee *c)
{
    enum { PASSES_MAX = 1000 };
    import_box *b = c->box;
    bool again = true;
    b->next = INFINITY;
    b->states_changed = b->terminate = false;
    for (int i = 0; again && !b->terminate; i++) {
        if (i == PASSES_MAX) return !failed(c, BOX_ENDLESS, "update");
        TRY(update, &again);
    }
    if (b->terminate) return true;
    TRY(leave_event);
    c->in_event = false;
    if (c->plan->steps) return true;
    return get_states(c) && get_rates(c);
}

static bool answer_initialize(import_callee *c)
{
    TRY(enter_initialization);
    if (!set_inputs(c, c->box->ask)) return false;
    TRY_SHARED(exit_initialization);
    c->in_event = !c->plan->steps || c->box->event_mode;
    c->box->next = INFINITY;
    if (c->plan->steps) return !c->in_event || settle(c);
    return get_states(c); // the first event is the caller's
}

static bool answer_event(import_callee *c)
{
    if (!c->in_event) TRY_SHARED(enter_event);
    c->in_event = true;
    return set_inputs(c, c->box->ask) && settle(c);
}

/* Rates with state k moved by h, as differences to those at the point, over h. */
static bool get_difference(import_callee *c, const double *at, int k, double h, double *slope)
{
    import_box *b = c->box;
    int n = c->plan->n_states;
    b->x[k] = at[k] + h;
    bool good = place_fmu(c) && get_rates(c);
    for (int i = 0; i < n && good; i++) slope[i] = (b->rates[i] - at[n + i]) / h;
    b->x[k] = at[k];
    return good;
}

/* By differences, where it has no derivatives to give: they are for a Jacobian. Of a root at 0 a difference says what
 * its length makes it say, which misleads methods that go by the matrix: a slope that grows as the length becomes
 * less is told as one without bound, as that of a root in a model is, and the driver leaves the point (sim/steep.c). */
static bool get_differences(import_callee *c)
{
    const double PART = 1.5e-8;    // of the size of a state: the root of the rounding
    const double LESS = 1. / 1024; // of a second difference; of a root it is 32 times the first
    const double GROWS = 8;        // x^0.7 at 0 does by that
    const double WITHOUT_BOUND = 1e150; // its square is a number
    import_box *b = c->box;
    int n = c->plan->n_states;
    double *at = malloc(3 * N_STATES * sizeof *at), *shorter = at ? at + 2 * n : NULL;
    bool good = at && get_rates(c);
    if (good) memcpy(at, b->x, N_STATES * sizeof *at);
    if (good) memcpy(at + n, b->rates, N_STATES * sizeof *at);
    for (int k = 0; k < n && good; k++) {
        double h = PART * fmax(fabs(at[k]), fabs(b->nominal[k]));
        double *slope = b->slopes + (size_t)k * (size_t)n;
        good = get_difference(c, at, k, h, slope) && get_difference(c, at, k, LESS * h, shorter);
        for (int i = 0; i < n && good; i++) {
            double rounding = 1e3 * DBL_EPSILON * fabs(at[n + i]) / (LESS * h);
            if (fabs(shorter[i]) > GROWS * fabs(slope[i]) + rounding)
                slope[i] = copysign(WITHOUT_BOUND, shorter[i]);
        }
    }
    good = good && place_fmu(c);
    if (good) memcpy(b->rates, at + n, N_STATES * sizeof *at);
    free(at);
    return good;
}

static bool all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool get_slopes(import_callee *c)
{
    int n = c->plan->n_states;
    double *seed = c->box->raw;
    for (int k = 0; k < n; k++) {
        double *column = c->box->slopes + (size_t)k * (size_t)n;
        memset(seed, 0, (size_t)n * sizeof *seed);
        seed[k] = 1;
        int status = c->calls->slope(c, seed, column);
        if (status == FMI_DISCARD) return get_differences(c);
        if (failed(c, status, "slope")) return false;
        if (!all_finite(column, (size_t)n)) return get_differences(c);
    }
    return true;
}

static bool answer_evaluate(import_callee *c)
{
    unsigned ask = c->box->ask;
    if (ask & BOX_PLACE && !place_fmu(c)) return false;
    if (!set_inputs(c, ask)) return false;
    if (ask & BOX_RATES && !get_rates(c)) return false;
    if (ask & BOX_INDICATORS)
        TRY_SHARED(indicators, c->box->indicators, (size_t)c->plan->n_indicators);
    if (ask & BOX_SLOPES && !get_slopes(c)) return false;
    if (ask & BOX_ACCEPT) TRY(accept);
    if (ask & BOX_FIXED && !get_groups(c, &c->plan->fixed, c->box->fixed)) return false;
    return !(ask & BOX_VALUES) || get_groups(c, &c->plan->values, c->box->values);
}

static bool answer_step(import_callee *c)
{
    if (!set_inputs(c, c->box->ask)) return false;
    TRY(step);
    return true;
}

static bool answer_terminate(import_callee *c)
{
    TRY_SHARED(terminate);
    return true;
}

static bool answer_close(import_callee *c)
{
    if (c->instance) SHARED->release(c->instance);
    c->instance = NULL;
    free(c->functions);
    c->functions = NULL;
    if (c->library) dlclose(c->library);
    c->library = NULL;
    return true;
}

void import_answer(import_callee *c)
{
    static bool (*const answers[])(import_callee *) = {[BOX_OPEN] = answer_open,
                                                       [BOX_SET] = answer_set,
                                                       [BOX_INITIALIZE] = answer_initialize,
                                                       [BOX_EVALUATE] = answer_evaluate,
                                                       [BOX_EVENT] = answer_event,
                                                       [BOX_STEP] = answer_step,
                                                       [BOX_TERMINATE] = answer_terminate,
                                                       [BOX_CLOSE] = answer_close};
    c->box->status = FMI_OK;
    answers[c->box->request](c);
}
