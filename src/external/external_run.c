/* Calls of functions in C from the scalars of a routine, and the objects of a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_run.h"

#include "vincolo_problem.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct object {
    const external_routine *by; // who made it; NULL: there is none
    void *at;                   // NULL: it could not be made
    double *args;               // what it was made from
    char why[EXTERNAL_WHY];
} object;

struct external_run {
    mem *m;
    int n;
    object *objects;
    double *room; // for the scalars of calls that have many
    size_t n_room;
    char why[EXTERNAL_WHY]; // of the last call that failed
    uint64_t random[EXTERNAL_RANDOM];
    void *lent;
    atomic_int endless; // routines that did not end; several threads may evaluate
};

/* ---- texts ----------------------------------------------------------------------------------- */

/* Addresses have fewer bits than a double has digits. */
double external_code(const char *words)
{
    return (double)(uintptr_t)words;
}

static const char *external_text(double code)
{
    return code > 0 && code < 0x1p53 ? (const char *)(uintptr_t)code : "";
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum { FEW = 64 }; // scalars that lie on the stack

/* The object of this number, if it is of the kind that f takes. */
static void *object_of(const external_run *run, const external_function *f, double number)
{
    if (!run || !(number >= 1 && number <= run->n)) return NULL;
    const object *o = &run->objects[(int)number - 1];
    return o->by && o->by->f->release == f->release ? o->at : NULL;
}

static double *room_for(external_run *run, int n, double *few)
{
    if (n <= FEW) return few;
    if (!run) return NULL;
    if ((size_t)n > run->n_room) {
        mem_free(run->m, run->room, run->n_room * sizeof *run->room);
        run->room = mem_try(run->m, (size_t)n * sizeof *run->room);
        run->n_room = run->room ? (size_t)n : 0;
    }
    return run->room;
}

bool external_lay_out(const external_routine *r, const external_run *run, const double *in,
                      double *scalars, external_value *args, char *why)
{
    for (int k = 0; k < r->n_scalars; k++) {
        const external_scalar *s = &r->scalars[k];
        scalars[k] = s->from >= 0 ? in[s->from] : s->number;
    }
    for (int i = 0; i < r->n_args; i++) {
        const external_place *p = &r->args[i];
        external_value *v = &args[i];
        const external_scalar *s = &r->scalars[p->first];
        *v = (external_value){.kind = p->kind, .n_dims = p->n_dims, .n = p->n, .out = p->out};
        v->at = scalars + p->first;
        if (p->kind == EXTERNAL_STRING)
            v->text = s->from >= 0 ? external_text(scalars[p->first]) : s->text;
        if (p->kind != EXTERNAL_OBJECT) continue;
        v->object = object_of(run, r->f, scalars[p->first]);
        if (v->object) continue;
        snprintf(why, EXTERNAL_WHY, "%s: its object has not been made", r->name);
        return false;
    }
    return true;
}

void external_give(const external_routine *r, const double *scalars, double returned, double *out)
{
    for (int k = 0; k < r->n_out; k++)
        out[k] = r->results[k] == EXTERNAL_RETURNED ? returned : scalars[r->results[k]];
}

void external_plain_call(void *user, void *at, const double *in, double *out)
{
    const external_routine *r = user;
    external_run *run = at;
    double few[FEW], returned = 0, *scalars = room_for(run, r->n_scalars, few);
    external_value args[EXTERNAL_ARGS];
    char why[EXTERNAL_WHY] = "";
    external_call c = {.f = r->f,
                       .arg = args,
                       .n_args = r->n_args,
                       .result = &returned,
                       .m = run ? run->m : NULL,
                       .random = run ? run->random : NULL,
                       .why = why};
    bool ok = scalars && external_lay_out(r, run, in, scalars, args, why) && r->f->value(&c);
    if (ok) {
        external_give(r, scalars, returned, out);
        return;
    }
    for (int k = 0; k < r->n_out; k++) out[k] = NAN;
    if (run) snprintf(run->why, sizeof run->why, "%.*s", EXTERNAL_WHY - 1, why);
}

void external_slopes(void *user, void *at, const uint8_t *active, const double *in, double *jac)
{
    const external_routine *r = user;
    external_run *run = at;
    double few[FEW], d[EXTERNAL_ARGS] = {0}, unused = 0;
    double *scalars = room_for(run, r->n_scalars, few);
    external_value args[EXTERNAL_ARGS];
    char why[EXTERNAL_WHY] = "";
    external_call c = {.f = r->f, .arg = args, .n_args = r->n_args, .result = &unused, .why = why};
    bool ok = scalars && external_lay_out(r, run, in, scalars, args, why) && r->f->slopes(&c, d);
    for (int i = 0; i < r->n_out; i++)
        for (int j = 0; j < r->n_in; j++)
            if (active[j]) jac[i * r->n_in + j] = ok ? 0 : NAN;
    for (int k = 0; ok && k < r->n_args; k++) {
        const external_place *p = &r->args[k];
        int from = r->scalars[p->first].from;
        if (p->kind != EXTERNAL_REAL || p->n_dims || from < 0 || !active[from]) continue;
        for (int i = 0; i < r->n_out; i++) jac[i * r->n_in + from] += d[k];
    }
}

/* ---- objects --------------------------------------------------------------------------------- */

static void release(external_run *run, object *o)
{
    if (o->by && o->at && o->by->f->release) o->by->f->release(o->by->f, run->m, o->at);
    if (o->by) mem_free(run->m, o->args, (size_t)(o->by->n_in + 1) * sizeof *o->args);
    *o = (object){0};
}

static void construct(external_run *run, object *o, const external_routine *r, const double *in)
{
    size_t bytes = (size_t)(r->n_in + 1) * sizeof *in;
    release(run, o);
    o->args = mem_try(run->m, bytes);
    if (!o->args) {
        snprintf(o->why, sizeof o->why, "out of memory");
        return;
    }
    memcpy(o->args, in, bytes);
    o->by = r;
    double few[FEW], unused = 0, *scalars = room_for(run, r->n_scalars, few);
    external_value args[EXTERNAL_ARGS];
    external_call c = {
        .f = r->f, .arg = args, .n_args = r->n_args, .result = &unused, .m = run->m, .why = o->why};
    if (!scalars || !external_lay_out(r, run, in, scalars, args, o->why) || !r->f->value(&c))
        return;
    o->at = c.object;
    if (!o->at) snprintf(o->why, sizeof o->why, "%s made no object", r->name);
}

/* Parameters are evaluated several times until all are settled: the same arguments mean the same
 * object, others mean a new one. */
void external_constructor(void *user, void *at, const double *in, double *out)
{
    const external_routine *r = user;
    external_run *run = at;
    double number = in[r->n_in];
    out[0] = NAN;
    if (!run || !(number >= 1 && number <= run->n)) return;
    object *o = &run->objects[(int)number - 1];
    size_t bytes = (size_t)(r->n_in + 1) * sizeof *in;
    if (o->by != r || memcmp(o->args, in, bytes) != 0) construct(run, o, r, in);
    if (o->at) out[0] = number;
}

/* ---- runs ------------------------------------------------------------------------------------ */

int external_run_new(mem *m, int n_objects, external_run **out)
{
    external_run *run = mem_try(m, sizeof *run);
    *out = NULL;
    if (!run) return VINC_E_MEMORY;
    *run = (external_run){.m = m, .n = n_objects};
    run->objects = mem_try(m, (size_t)(n_objects + 1) * sizeof *run->objects);
    if (!run->objects) {
        mem_free(m, run, sizeof *run);
        return VINC_E_MEMORY;
    }
    memset(run->objects, 0, (size_t)(n_objects + 1) * sizeof *run->objects);
    *out = run;
    return VINC_OK;
}

void external_run_lend(external_run *run, void *lent)
{
    run->lent = lent;
}

void *external_run_lent(const external_run *run)
{
    return run ? run->lent : NULL;
}

/* In the order opposite to that of making: a later one may use an earlier one. */
void external_run_begin(external_run *run)
{
    if (!run) return;
    for (int k = run->n - 1; k >= 0; k--) release(run, &run->objects[k]);
    run->why[0] = 0;
    atomic_store_explicit(&run->endless, 0, memory_order_relaxed);
}

static bool listens(const object *o)
{
    return o->by && o->at && o->by->f->passed;
}

bool external_run_listens(const external_run *run)
{
    for (int k = 0; run && k < run->n; k++)
        if (listens(&run->objects[k])) return true;
    return false;
}

void external_run_passed(external_run *run, double t)
{
    for (int k = 0; run && k < run->n; k++)
        if (listens(&run->objects[k])) run->objects[k].by->f->passed(run->objects[k].at, t);
}

int64_t external_patience(const external_run *run, int64_t most)
{
    enum { LEAST = 100 }; // of what is given at first
    int64_t left = most;
    int n = run ? atomic_load_explicit(&run->endless, memory_order_relaxed) : 0;
    for (; n > 0 && left > most / LEAST; n--) left /= 4;
    return left;
}

void external_endless(external_run *run)
{
    if (run) atomic_fetch_add_explicit(&run->endless, 1, memory_order_relaxed);
}

void external_run_free(external_run *run)
{
    if (!run) return;
    external_run_begin(run);
    mem_free(run->m, run->objects, (size_t)(run->n + 1) * sizeof *run->objects);
    mem_free(run->m, run->room, run->n_room * sizeof *run->room);
    mem_free(run->m, run, sizeof *run);
}

const char *external_why(const external_run *run, int k)
{
    if (!run) return NULL;
    const char *why = k < 0 ? run->why : k < run->n ? run->objects[k].why : "";
    return why[0] ? why : NULL;
}

const external_routine *external_made(const external_run *run, int k, const double **in)
{
    const object *o = run && k < run->n ? &run->objects[k] : NULL;
    *in = o ? o->args : NULL;
    return o ? o->by : NULL;
}
