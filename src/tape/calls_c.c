/* Functions that tapes call, as C.
 *
 * Each kind of function prints itself (tape_function.as_c); what it calls is printed before it, once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <stdio.h>
#include <string.h>

static bool is_same(const tape_c_entry *e, const tape_function *fn, const uint8_t *active)
{
    if (e->fn->value != fn->value || e->fn->user != fn->user) return false;
    if (!e->active || !active) return e->active == active;
    return !memcmp(e->active, active, (size_t)fn->n_in);
}

const char *tape_c_name(tape_c *c, const tape_function *fn, const uint8_t *active)
{
    for (int k = 0; k < c->all.n; k++)
        if (is_same(&c->all.at[k], fn, active)) return c->all.at[k].name;
    char *name = arena_alloc(c->a, 30);
    snprintf(name, 30, "fn_call_%d", ++c->n_names);
    if (!fn->as_c || !fn->as_c(fn, c, name, active)) {
        if (!c->obstacle) c->obstacle = fn->name;
        return NULL;
    }
    tape_c_entry e = {fn, active, name};
    array_push(c->a, &c->all, e);
    return name;
}

void tape_c_begin(tape_c *c, const char *name)
{
    text_printf(
        c->out,
        "void %s(const double *in, double *out);\nvoid %s(const double *in, double *out)\n{\n",
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
            "        x[%d] = above;\n        %s(x, up);\n        x[%d] = below;\n"
            "        %s(x, down);\n        x[%d] = in[%d];\n"
            "        for (int i = 0; i < %d; i++) out[i * %d + %d] = (up[i] - down[i]) / "
            "(above - below);\n    }\n",
            j, j, j, j, value, j, value, j, j, m, n, j);
    }
    text_add(c->out, "}\n\n");
    return true;
}

/* ---- tapes that call them -------------------------------------------------------------------- */

static const tape *tape_with_names(tape_c *c, const tape *t)
{
    if (!t || !t->n_calls) return t;
    tape *copy = arena_new(c->a, tape);
    tape_call *calls = arena_array(c->a, tape_call, t->n_calls);
    *copy = *t;
    copy->calls = calls;
    for (int k = 0; k < t->n_calls; k++) {
        const char *name = tape_c_name(c, t->calls[k].fn, NULL);
        if (!name) return NULL;
        tape_function *fn = arena_new(c->a, tape_function);
        *fn = *t->calls[k].fn;
        fn->name = name + 3; // printers put fn_ before it
        calls[k] = (tape_call){fn, t->calls[k].args};
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
