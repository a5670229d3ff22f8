/* FMUs as components of models (lib/Vincolo/FMI.mo): an object is an instance, in a process of its own.
 *
 * An evaluation places the FMU at a time with states and inputs, and reads what follows. Between events
 * that is a pure function of them. The FMU is initialized when it is first asked, with the inputs that it is
 * asked with; while start values are being searched for, other inputs mean another instance.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/source.h"
#include "external/external_list.h"
#include "import/fmu_plan.h"
#include "import/seat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEVER = 1e300; // the next event, where there is none

/* What was asked last, and what came of it: the same question has the same answer. In the rounds of an
 * event it is asked more than once. */
struct fmu_answer {
    bool there;
    double mode, t, *v, *out;
};

typedef struct fmu_object {
    mem m;
    watch own, *watch; // of the run, if it has one
    arena a;
    diag_sink diags;
    source_set sources;
    import_file file;
    import_plan plan;
    import_seat seat;
    double *set;
    bool steps, in_process;
    bool began, passed; // initialized; an event or a step has happened since
    bool ends, refused; // when a step was kept: it ended the simulation; it failed
    double t0, *u0;     // ... with these
    double *x0;         // states then
    double next, t;     // the next event; of co-simulation: how far it came
    double t_event;     // of the last event
    struct fmu_answer evaluated, event;
    double *before; // of the event: what an evaluation gave
} fmu_object;

typedef struct fmu_failure {
    const external_call *c;
    fmu_object *x;
    const char *doing;
    text words;
} fmu_failure;

static int fmu_say(void *job)
{
    fmu_failure *j = job;
    const diag *d = diag_at(&j->x->diags, 0);
    if (j->x->seat.box && j->x->seat.box->status != FMI_OK)
        import_seat_words(&j->x->seat, &j->words);
    snprintf(j->c->why, EXTERNAL_WHY, "%.150s: %s: %.200s", j->x->file.path, j->doing,
             d            ? d->text
             : j->words.n ? text_str(&j->words)
                          : "out of memory");
    return 0;
}

static bool fmu_fails(const external_call *c, fmu_object *x, const char *doing)
{
    fmu_failure j = {.c = c, .x = x, .doing = doing};
    text_init(&j.words, &x->m);
    if (mem_guarded(&x->m, fmu_say, &j, 1)) snprintf(c->why, EXTERNAL_WHY, "out of memory");
    text_done(&j.words);
    return false;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void fmu_release(const external_function *f, mem *m, void *object)
{
    fmu_object *x = object;
    (void)f;
    import_seat_close(&x->seat);
    import_close(&x->file);
    arena_done(&x->a);
    mem_free(m, x, sizeof *x);
}

typedef struct fmu_opening {
    fmu_object *x;
    const external_call *c;
} fmu_opening;

/* Names and values of parameters, as settings. */
static vinc_setting *settings_of(fmu_object *x, const external_call *c, int *n)
{
    const external_value *values = &c->arg[3];
    const char *p = c->arg[2].text;
    vinc_setting *list = arena_array(&x->a, vinc_setting, values->n + 1);
    for (*n = 0; *p && *n < values->n; (*n)++) {
        size_t k = strcspn(p, "\n");
        char number[40];
        snprintf(number, sizeof number, "%.17g", values->at[*n]);
        list[*n] = (vinc_setting){arena_strndup(&x->a, p, k),
                                  arena_strndup(&x->a, number, strlen(number))};
        p += k + (p[k] == '\n');
    }
    return list;
}

static int fmu_open_job(void *job)
{
    fmu_opening *j = job;
    fmu_object *x = j->x;
    const char *path = j->c->arg[0].text;
    arena_init(&x->a, &x->m);
    diag_init(&x->diags, &x->a);
    x->sources.a = &x->a;
    x->file = (import_file){.m = &x->m, .diags = &x->diags, .sources = &x->sources};
    int rc = import_open(&x->file, arena_strndup(&x->a, path, strlen(path)));
    plan_input in = {.steps = x->steps, .component = true, .table = &(plan_table){0}};
    if (!rc) in.settings = settings_of(x, j->c, &in.n_settings);
    if (!rc) rc = import_plan_make(&x->plan, &x->file, &in, &x->set);
    if (rc) return rc;
    x->plan.event_mode = false;
    x->u0 = arena_array(&x->a, double, x->plan.n_inputs + 1);
    x->x0 = arena_array(&x->a, double, x->plan.n_states + 1);
    int n = x->plan.n_states + x->plan.n_inputs + x->plan.n_values + x->plan.n_indicators + 1;
    x->evaluated = (struct fmu_answer){.v = arena_array(&x->a, double, n),
                                       .out = arena_array(&x->a, double, n)};
    x->before = arena_array(&x->a, double, n);
    x->event = (struct fmu_answer){.v = arena_array(&x->a, double, n),
                                   .out = arena_array(&x->a, double, n)};
    return VINC_OK;
}

static bool fmu_open(external_call *c)
{
    fmu_object *x = mem_try(c->m, sizeof *x);
    if (!x) return snprintf(c->why, EXTERNAL_WHY, "out of memory"), false;
    *x = (fmu_object){.m = {.resize = c->m->resize, .user = c->m->user},
                      .steps = (int)c->arg[1].at[0] & 1,
                      .in_process = (int)c->arg[1].at[0] & 2,
                      .seat = {.fd = -1, .leash = -1}};
    x->watch = c->m->watch ? c->m->watch : &x->own;
    int rc = mem_guarded(&x->m, fmu_open_job, &(fmu_opening){x, c}, VINC_E_MEMORY);
    if (!rc) return c->object = x, true;
    fmu_fails(c, x, "it cannot be opened");
    fmu_release(c->f, c->m, x);
    return false;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int fmu_begin_job(void *job)
{
    fmu_object *x = job;
    int rc = VINC_OK;
    if (x->seat.box) import_seat_clear(&x->seat);
    else rc = import_seat_prepare(&x->seat, &x->file, &x->plan, "/tmp");
    return rc ? rc : import_seat_begin(&x->seat, x->in_process, x->watch);
}

/* Initialized at t with these inputs; a first event has settled it. */
static bool fmu_begin(external_call *c, fmu_object *x, double t, const double *u)
{
    size_t inputs = (size_t)x->plan.n_inputs * sizeof *u;
    if (x->began && (x->passed || (t == x->t0 && !memcmp(u, x->u0, inputs)))) return true;
    x->began = false;
    if (mem_guarded(&x->m, fmu_begin_job, x, VINC_E_MEMORY))
        return fmu_fails(c, x, "it cannot be unpacked");
    import_box *b = x->seat.box;
    b->start = b->t = t;
    b->stop = INFINITY;
    memcpy(b->set, x->set, (size_t)x->plan.n_set * sizeof *b->set);
    if (!import_ask(&x->seat, BOX_OPEN, 0)) return fmu_fails(c, x, "it cannot be loaded");
    if (!import_ask(&x->seat, BOX_SET, 0)) return fmu_fails(c, x, "it does not take parameters");
    memcpy(b->inputs, u, inputs);
    bool fine = import_ask(&x->seat, BOX_INITIALIZE, BOX_ALL_INPUTS);
    if (fine && !x->steps) fine = import_ask(&x->seat, BOX_EVENT, BOX_ALL_INPUTS);
    if (!fine) return fmu_fails(c, x, "it cannot be initialized");
    memcpy(x->u0, u, inputs);
    memcpy(x->x0, b->x, (size_t)x->plan.n_states * sizeof *b->x);
    x->t = x->t0 = t;
    x->evaluated.there = x->event.there = x->ends = x->refused = false;
    x->t_event = -INFINITY;
    x->next = isfinite(b->next) ? b->next : NEVER;
    return x->began = true;
}

/* As many numbers as the FMU has? The class was made from its description, as it was then. */
static bool fmu_fits(const external_call *c, const fmu_object *x, int given, int wanted)
{
    if (given >= wanted) return true;
    snprintf(c->why, EXTERNAL_WHY, "%.150s is not the FMU that the model was made with",
             x->file.path);
    return false;
}

/* vincolo_fmi_start(unit, t, u, x) */
static bool fmu_start(external_call *c)
{
    fmu_object *x = c->arg[0].object;
    external_value *out = &c->arg[3];
    if (!fmu_fits(c, x, c->arg[2].n, x->plan.n_inputs) || !fmu_fits(c, x, out->n, x->plan.n_states))
        return false;
    if (!fmu_begin(c, x, c->arg[1].at[0], c->arg[2].at)) return false;
    memcpy(out->at, x->x0, (size_t)out->n * sizeof *out->at);
    return true;
}

/* ---- model exchange -------------------------------------------------------------------------- */

/* States that an event found are out of date after it, but the model has them until all its equations
 * have settled. The FMU has gone on, and may not even mean the same by them (states chosen anew): it is
 * asked with those that the event gave. */
static const double *fmu_states(const fmu_object *x, double t, const double *v)
{
    const struct fmu_answer *e = &x->event;
    bool old = e->there && e->t == t && !memcmp(e->v, v, (size_t)x->plan.n_states * sizeof *v);
    return old ? e->out : v;
}

static void fmu_place(const fmu_object *x, double t, const double *v)
{
    import_box *b = x->seat.box;
    b->t = t;
    memcpy(b->x, fmu_states(x, t, v), (size_t)x->plan.n_states * sizeof *v);
    memcpy(b->inputs, v + x->plan.n_states, (size_t)x->plan.n_inputs * sizeof *v);
}

/* mode, t and v of a call are its arguments 1 to 3. */
static bool fmu_known(const fmu_object *x, const struct fmu_answer *a, const external_call *c,
                      external_value *out)
{
    size_t n = (size_t)(x->plan.n_states + x->plan.n_inputs);
    if (!a->there || a->mode != c->arg[1].at[0] || a->t != c->arg[2].at[0] ||
        memcmp(a->v, c->arg[3].at, n * sizeof *a->v) != 0)
        return false;
    memcpy(out->at, a->out, (size_t)out->n * sizeof *out->at);
    return true;
}

static bool fmu_note(const fmu_object *x, struct fmu_answer *a, const external_call *c,
                     const external_value *out)
{
    a->mode = c->arg[1].at[0];
    a->t = c->arg[2].at[0];
    memcpy(a->v, c->arg[3].at, (size_t)(x->plan.n_states + x->plan.n_inputs) * sizeof *a->v);
    memcpy(a->out, out->at, (size_t)out->n * sizeof *out->at);
    return a->there = true;
}

/* Rates, outputs, indicators, the next event. */
static bool fmu_read(fmu_object *x, double *to)
{
    const import_plan *p = &x->plan;
    const import_box *b = x->seat.box;
    unsigned ask = BOX_PLACE | BOX_INPUTS | BOX_RATES | (p->n_values ? BOX_VALUES : 0) |
                   (p->n_indicators ? BOX_INDICATORS : 0);
    if (!import_ask(&x->seat, BOX_EVALUATE, ask)) return false;
    memcpy(to, b->rates, (size_t)p->n_states * sizeof *to);
    memcpy(to += p->n_states, b->values, (size_t)p->n_values * sizeof *to);
    memcpy(to += p->n_values, b->indicators, (size_t)p->n_indicators * sizeof *to);
    to[p->n_indicators] = x->next;
    return true;
}

/* vincolo_fmi_evaluate(unit, mode, t, v, nx, all) */
static bool fmu_evaluate(external_call *c)
{
    fmu_object *x = c->arg[0].object;
    const import_plan *p = &x->plan;
    double mode = c->arg[1].at[0], t = c->arg[2].at[0], *v = c->arg[3].at, *to = c->arg[5].at;
    if (!fmu_fits(c, x, c->arg[3].n, p->n_states + p->n_inputs) ||
        !fmu_fits(c, x, c->arg[5].n, p->n_states + p->n_values + p->n_indicators + 1))
        return false;
    if (x->refused) return fmu_fails(c, x, "it refuses a step that was made");
    if (fmu_known(x, &x->evaluated, c, &c->arg[5])) return true;
    if (x->event.there && x->event.mode == mode && x->event.t == t)
        return memcpy(to, x->before, (size_t)c->arg[5].n * sizeof *to), true;
    if (!x->began && !fmu_begin(c, x, t, v + p->n_states)) return false;
    fmu_place(x, t, v);
    if (!fmu_read(x, to)) return fmu_fails(c, x, "it cannot be evaluated");
    return fmu_note(x, &x->evaluated, c, &c->arg[5]);
}

/* Where the search for the time of an event may stop. */
static bool same_time(double t, double event)
{
    const double SAME_TIME = 1e-9;
    return fabs(t - event) <= SAME_TIME * (1 + fabs(t));
}

/* vincolo_fmi_event(unit, mode, t, v, after)
 *
 * The FMU cannot go back. So that an evaluation is a function of what it is given (the equations that led to the
 * event are evaluated again until all have settled), that before the event is kept. */
static bool fmu_event(external_call *c)
{
    fmu_object *x = c->arg[0].object;
    int n = x->plan.n_states;
    double t = c->arg[2].at[0], *after = c->arg[4].at;
    if (!fmu_fits(c, x, c->arg[3].n, n + x->plan.n_inputs) || !fmu_fits(c, x, c->arg[4].n, n + 1))
        return false;
    if (fmu_known(x, &x->event, c, &c->arg[4])) return true;
    if (!x->began && !fmu_begin(c, x, t, c->arg[3].at + n)) return false;
    import_box *b = x->seat.box;
    x->passed = true;
    fmu_place(x, t, c->arg[3].at);
    x->t_event = t;
    if (same_time(t, x->next)) b->t = x->next;
    if (!fmu_read(x, x->before) || (!x->ends && !import_ask(&x->seat, BOX_EVENT, BOX_ALL_INPUTS)))
        return fmu_fails(c, x, "an event fails");
    x->ends = x->ends || b->terminate;
    memcpy(after, x->ends ? c->arg[3].at : b->x, (size_t)n * sizeof *after);
    after[n] = x->ends ? -1 : c->arg[1].at[0] + 1;
    x->next = isfinite(b->next) && !x->ends ? b->next : NEVER;
    x->evaluated.there = false;
    return fmu_note(x, &x->event, c, &c->arg[4]);
}

/* A step of the integrator is kept (completedIntegratorStep). Where the FMU wants an event, it is due at once. */
static void fmu_passed(void *object, double t)
{
    fmu_object *x = object;
    const struct fmu_answer *e = &x->evaluated;
    if (x->steps || !x->began || !x->plan.kind->wants_accepted || !e->there || e->t != t) return;
    if (x->next <= t || same_time(t, x->t_event))
        return; // the step to an event that it waits for, or has had
    x->passed = true;
    fmu_place(x, t, e->v);
    x->refused = !import_ask(&x->seat, BOX_EVALUATE, BOX_PLACE | BOX_INPUTS | BOX_ACCEPT);
    if (x->refused) x->evaluated.there = false; // said at the next evaluation
    if (x->refused) return;
    x->ends = x->ends || x->seat.box->terminate;
    if (!x->ends && !x->seat.box->event_asked) return;
    x->next = t;
    x->evaluated.there = false;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

/* vincolo_fmi_step(unit, t, u, y) */
static bool fmu_step(external_call *c)
{
    enum { STILL_MAX = 1000 }; // returns without time passing
    fmu_object *x = c->arg[0].object;
    double t = c->arg[1].at[0];
    if (!fmu_fits(c, x, c->arg[2].n, x->plan.n_inputs) ||
        !fmu_fits(c, x, c->arg[3].n, x->plan.n_values) ||
        ((!x->began || t == x->t0) && !fmu_begin(c, x, t, c->arg[2].at)))
        return false;
    import_box *b = x->seat.box;
    for (int still = 0; t > x->t; still++) { // with the inputs that it has
        x->passed = true;
        b->t = x->t;
        b->h = t - x->t;
        if (!import_ask(&x->seat, BOX_STEP, 0)) return fmu_fails(c, x, "a step fails");
        double reached = b->early || b->terminate ? fmin(b->reached, t) : t;
        if (reached > x->t) still = 0;
        if (reached > x->t) x->t = reached;
        if (!b->terminate && still < STILL_MAX) continue;
        snprintf(c->why, EXTERNAL_WHY, "%.150s: it %s at t = %.10g", x->file.path,
                 b->terminate ? "ends" : "returns early without end", x->t);
        return false;
    }
    memcpy(b->inputs, c->arg[2].at, (size_t)x->plan.n_inputs * sizeof *b->inputs);
    if (!import_ask(&x->seat, BOX_EVALUATE, BOX_ALL_INPUTS | (x->plan.n_values ? BOX_VALUES : 0)))
        return fmu_fails(c, x, "its outputs cannot be read");
    memcpy(c->arg[3].at, b->values, (size_t)x->plan.n_values * sizeof *b->values);
    return true;
}

const external_function external_fmus[] = {
    {.name = "vincolo_fmi_close", .types = "vo", .release = fmu_release},
    {.name = "vincolo_fmi_evaluate",
     .types = "vorrRiR",
     .value = fmu_evaluate,
     .release = fmu_release},
    {.name = "vincolo_fmi_event", .types = "vorrRR", .value = fmu_event, .release = fmu_release},
    {.name = "vincolo_fmi_open",
     .types = "osisR",
     .value = fmu_open,
     .release = fmu_release,
     .passed = fmu_passed},
    {.name = "vincolo_fmi_start", .types = "vorRR", .value = fmu_start, .release = fmu_release},
    {.name = "vincolo_fmi_step", .types = "vorRR", .value = fmu_step, .release = fmu_release},
    {0},
};
