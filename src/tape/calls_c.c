/* Functions that tapes call, as C.
 *
 * Each kind of function prints itself (tape_function.as_c); what it calls is printed before it, once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_same(const tape_c_entry *e, const tape_function *fn, const uint8_t *active,
                    const double *known)
{
    if (e->fn->value != fn->value || e->fn->user != fn->user) return false;
    for (int j = 0; e->known && j < fn->n_in; j++)
        if (e->taken[j] && (!known || known[j] != e->known[j])) return false;
    if (!e->active || !active) return e->active == active;
    return !memcmp(e->active, active, (size_t)fn->n_in);
}

static const tape_c_entry *find_printed(const tape_c *c, const tape_function *fn,
                                        const uint8_t *active)
{
    for (int k = 0; k < c->all.n; k++)
        if (is_same(&c->all.at[k], fn, active, c->known)) return &c->all.at[k];
    return NULL;
}

static bool is_any(const uint8_t *flags, int n)
{
    for (int j = 0; j < n; j++)
        if (flags[j]) return true;
    return false;
}

const char *tape_c_name(tape_c *c, const tape_function *fn, const uint8_t *active)
{
    const tape_c_entry *old = find_printed(c, fn, active);
    if (old) return old->name;
    const double *known = c->known;
    uint8_t *taken = known ? arena_array(c->a, uint8_t, fn->n_in + 1) : NULL, *outer = c->taken;
    c->taken = taken;
    char *name = arena_alloc(c->a, 30);
    snprintf(name, 30, "fn_call_%d", ++c->n_names);
    bool printed = fn->as_c && fn->as_c(fn, c, name, active);
    c->known = known;
    c->taken = outer;
    if (!printed) {
        if (!c->obstacle) c->obstacle = fn->name;
        return NULL;
    }
    bool for_these = known && is_any(taken, fn->n_in);
    for (int j = 0; for_these && outer && j < fn->n_in; j++) outer[j] |= taken[j];
    tape_c_entry e = {fn, active, name, for_these ? known : NULL, taken};
    array_push(c->a, &c->all, e);
    return name;
}

void tape_c_begin(tape_c *c, const char *name)
{
    text_printf(c->out,
                "void %s(void *run, const double *in, double *out);\n"
                "void %s(void *run, const double *in, double *out)\n{\n    (void)run, (void)in;\n",
                name, name);
}

bool tape_c_differences(tape_c *c, const tape_function *fn, const char *name, const uint8_t *active)
{
    const char *value = tape_c_name(c, fn, NULL);
    int n = fn->n_in, m = fn->n_out;
    if (!value) return false;
    tape_c_begin(c, name);
    text_printf(
        c->out,
        "    double x[%d], up[%d], down[%d];\n    for (int j = 0; j < %d; j++) x[j] = in[j];\n",
        n + 1, m + 1, m + 1, n);
    for (int j = 0; j < n; j++) {
        if (!active[j]) continue;
        text_printf(
            c->out,
            "    {\n        const double h = 6.055454452393343e-06 * fmax(1.0, fabs(in[%d]));\n"
            "        volatile double above = in[%d] + h, below = in[%d] - h;\n"
            "        x[%d] = above;\n        %s(run, x, up);\n        x[%d] = below;\n"
            "        %s(run, x, down);\n        x[%d] = in[%d];\n"
            "        for (int i = 0; i < %d; i++) out[i * %d + %d] = (up[i] - down[i]) / "
            "(above - below);\n    }\n",
            j, j, j, j, value, j, value, j, j, m, n, j);
    }
    text_add(c->out, "}\n\n");
    return true;
}

/* ---- tapes that call them -------------------------------------------------------------------- */

/* Arguments of a call that are numbers. */
static const double *known_arguments(tape_c *c, const tape *t, const tape_call *call)
{
    double *known = arena_array(c->a, double, call->fn->n_in + 1);
    for (int j = 0; j < call->fn->n_in; j++) {
        tape_ref r = t->args[call->args + j];
        known[j] = tape_kind_of(r) == TAPE_CONST ? t->consts[tape_index_of(r)] : NAN;
        const tape_ins *in = tape_kind_of(r) == TAPE_VALUE ? &t->ins[tape_index_of(r)] : NULL;
        if (!in || in->op != TAPE_RESULT || in->a) continue;
        const tape_function *fn = t->calls[in[-1].a].fn; // of a text
        if (!fn->n_in && fn->n_out == 1 && !fn->impure) fn->value(fn->user, NULL, NULL, &known[j]);
    }
    return known;
}

/* A copy whose constants end with 0, for arguments that have been printed. */
static tape *tape_with_zero(tape_c *c, const tape *t)
{
    tape *copy = arena_new(c->a, tape);
    double *consts = arena_array(c->a, double, t->n_consts + 1);
    tape_ref *args = arena_array(c->a, tape_ref, t->n_args + 1);
    *copy = *t;
    memcpy(consts, t->consts, (size_t)t->n_consts * sizeof *consts);
    memcpy(args, t->args, (size_t)t->n_args * sizeof *args);
    copy->consts = consts;
    copy->n_consts++;
    copy->args = args;
    return copy;
}

static const tape *tape_with_names(tape_c *c, const tape *t)
{
    if (!t || !t->n_calls) return t;
    tape *copy = tape_with_zero(c, t);
    tape_call *calls = arena_array(c->a, tape_call, t->n_calls);
    tape_ref *args = (tape_ref *)copy->args; // its own
    copy->calls = calls;
    for (int k = 0; k < t->n_calls; k++) {
        c->known = known_arguments(c, t, &t->calls[k]);
        const char *name = tape_c_name(c, t->calls[k].fn, NULL);
        const tape_c_entry *e = name ? find_printed(c, t->calls[k].fn, NULL) : NULL;
        c->known = NULL;
        if (!name) return NULL;
        for (int j = 0; e->known && j < e->fn->n_in; j++)
            if (e->taken[j]) args[t->calls[k].args + j] = tape_ref_of(TAPE_CONST, t->n_consts);
        tape_function *fn = arena_new(c->a, tape_function);
        *fn = *t->calls[k].fn;
        fn->name = name + 3; // printers put fn_ before it
        calls[k] = (tape_call){.fn = fn, .args = t->calls[k].args};
    }
    return copy;
}

const tape_program *tape_c_program(tape_c *c, const tape_program *p)
{
    tape_program *copy = arena_new(c->a, tape_program);
    tape_step *steps = arena_array(c->a, tape_step, p->n_steps + 1);
    *copy = *p;
    copy->steps = steps;
    for (int k = 0; k < p->n_steps; k++) {
        steps[k] = p->steps[k];
        steps[k].kernel = tape_with_names(c, p->steps[k].kernel);
        if (p->steps[k].kernel && !steps[k].kernel) return NULL;
    }
    return copy;
}
