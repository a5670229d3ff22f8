/* Tables of numbers and texts, as tapes call them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_run.h"
#include "routine/routine.h"

#include <string.h>

/* ---- texts ----------------------------------------------------------------------------------- */

/* A text is a number that its address is, which is another one in every program: so that it can be printed, it
 * is what a function gives. */
static void text_value(void *user, void *run, const double *in, double *out)
{
    (void)run, (void)in;
    *out = external_code(user);
}

static bool text_as_c(const tape_function *fn, tape_c *c, const char *name, const uint8_t *active)
{
    if (active) return false;
    tape_c_begin(c, name);
    text_add(c->out, "    *out = (double)(uintptr_t)");
    text_c_string(c->out, fn->user);
    text_add(c->out, ";\n}\n\n");
    return true;
}

const tape_function *routine_text_function(arena *a, const char *words)
{
    tape_function *fn = arena_new(a, tape_function);
    *fn = (tape_function){.kind = TAPE_FN_TEXT,
                          .name = "text",
                          .n_out = 1,
                          .value = text_value,
                          .user = (void *)(uintptr_t)words,
                          .as_c = text_as_c};
    return fn;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void table_value(void *user, void *run, const double *in, double *out)
{
    (void)run;
    const routine_table *t = user;
    *out = t->at[routine_choice(in[0], t->n)];
}

static bool table_as_c(const tape_function *fn, tape_c *c, const char *name, const uint8_t *active)
{
    const routine_table *t = fn->user;
    if (active) return tape_c_differences(c, fn, name, active);
    tape_c_begin(c, name);
    text_printf(c->out, "    static const double at[%d] = {", t->n + 1);
    for (int k = 0; k <= t->n; k++) {
        text_c_number(c->out, t->at[k]);
        text_add(c->out, k == t->n ? "};\n" : k % 8 == 7 ? ",\n        " : ", ");
    }
    text_printf(c->out,
                "    const int inside = in[0] >= 1 && in[0] <= %d && in[0] == floor(in[0]);\n"
                "    *out = at[inside ? (int)in[0] - 1 : %d];\n}\n\n",
                t->n, t->n);
    return true;
}

const tape_function *routine_table_function(arena *a, int n, const double *at)
{
    tape_function *fn = arena_new(a, tape_function);
    routine_table *t = arena_new(a, routine_table);
    double *own = arena_array(a, double, n + 1);
    memcpy(own, at, (size_t)(n + 1) * sizeof *own);
    *t = (routine_table){n, own};
    *fn = (tape_function){.kind = TAPE_FN_TABLE,
                          .name = "table",
                          .n_in = 1,
                          .n_out = 1,
                          .value = table_value,
                          .user = t,
                          .n_deciding = 1, // constant where it is smooth
                          .as_c = table_as_c};
    return fn;
}
