/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_write.h"

#include <string.h>

tape_ref ens_combine(tape_builder *b, int n, const double *c, tape_ref *const *x, int i)
{
    tape_ref sum = TAPE_NONE;
    for (int j = 0; j < n; j++) {
        bool before = false;
        tape_ref part = TAPE_NONE;
        for (int k = 0; k < j; k++) before = before || c[k] == c[j];
        if (c[j] == 0 || before) continue;
        for (int k = j; k < n; k++)
            if (c[k] == c[j])
                part = part == TAPE_NONE ? x[k][i] : ens_op(b, TAPE_ADD, part, x[k][i]);
        part = ens_times(b, c[j], part);
        sum = sum == TAPE_NONE ? part : ens_op(b, TAPE_ADD, sum, part);
    }
    return sum;
}

bool ens_write_end(ens_writer *w, const ens_view *v, tape_ref status, tape_ref t, const tape_ref *y,
                   const tape_ref *yp)
{
    tape_builder *b = v->b;
    int n = w->set->n_outputs;
    tape_ref *values = arena_array(w->scratch, tape_ref, n), zero = tape_const(b, 0), sum = zero;
    if (!ens_outputs(v, t, y, yp, w->set->outputs, n, values)) return false;
    for (int i = 0; i < n; i++) {
        tape_store(b, tape_out(1 + i), values[i]);
        sum = ens_op(b, TAPE_ADD, sum, ens_op(b, TAPE_SUB, values[i], values[i]));
    }
    // x - x is 0 for every number, and no number for the others.
    tape_ref bad = tape_select(b, TAPE_SEL_EQ, status, tape_const(b, ENS_DONE),
                               tape_const(b, ENS_NOT_FINITE), status);
    tape_store(b, tape_out(0), tape_select(b, TAPE_SEL_EQ, sum, zero, status, bad));
    tape_store(b, tape_out(1 + n), t);
    w->out->end = tape_finish(b, w->a);
    w->out->n_out = 2 + n;
    return true;
}

typedef struct ens_method {
    const char *name;
    bool (*write)(ens_writer *w);
} ens_method;

static const ens_method methods[] = {
    {"euler", ens_write_explicit},    {"heun", ens_write_explicit},
    {"rk4", ens_write_explicit},      {"dopri5", ens_write_explicit},
    {"dopri8", ens_write_explicit},   {"rodas3", ens_write_rosenbrock},
    {"rodas4", ens_write_rosenbrock}, {"rodas5p", ens_write_rosenbrock},
};

static const char *unfit(const code_model *m)
{
    if (m->inputs.n) return "it has inputs";
    if (m->manifold) return "its formulation projects after each step";
    return NULL;
}

/* Runs beside each other, in a register or a warp, take a phase as long for one as for all of them, and
 * a step, too. So runs with an event wait for others until the steps they have missed, added up, come to
 * what the phases of an event cost: some passes each. Nothing but time depends on it. */
static int ens_patience(const ens_kernel *k)
{
    const double SHARE = 40; // of a step for 32 runs; valve and rectifier of bench/sweep
    enum { LOCATIONS = 6, SETTLEMENTS = 3 }; // passes of an event
    double cost = 0;
    for (int i = 0; i < k->n_phases; i++) {
        ens_status when = k->phases[i].when;
        int passes = when == ENS_LOCATING ? LOCATIONS : when == ENS_SETTLING ? SETTLEMENTS : 1;
        cost += (double)passes * k->phases[i].t->n_ins;
    }
    return 1 + (int)(SHARE * cost / (1 + k->body->n_ins));
}

bool ens_write(const ens_source *of, const ens_settings *set, mem *m, arena *a, arena *scratch,
               ens_kernel *out, const char **why)
{
    ens_writer w = {.set = set, .m = m, .a = a, .scratch = scratch, .out = out, .n = of->m->n};
    const ens_method *method = NULL;
    double opt[METHOD_OPTIONS_MAX];
    *out = (ens_kernel){0};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (!strcmp(methods[k].name, set->method)) method = &methods[k];
    *why = !method ? "of the methods euler, heun, rk4, dopri5, dopri8, rodas3, rodas4 and rodas5p "
                     "one is needed"
                   : unfit(of->m);
    if (*why) return false;
    w.method = method_find(set->method, opt, NULL);
    if (!(set->step > 0) && !(w.method->traits & METHOD_ADAPTIVE)) {
        *why = "the method has fixed steps only: give --step";
        return false;
    }
    if (!ens_system_init(&w.system, of, scratch, scratch) || !ens_events_init(&w) ||
        !method->write(&w)) {
        *why = w.system.why;
        return false;
    }
    out->begin = tape_finish(w.system.begin, a);
    out->n_in = w.system.n_in;
    out->n_constants = w.system.n_constants;
    out->patience = ens_patience(out);
    return true;
}
