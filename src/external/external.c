/* Functions in C as routines of tapes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external.h"

#include <stdint.h>
#include <stdio.h>

tape_function external_tape_function(const external_routine *r)
{
    return (tape_function){.kind = TAPE_FN_EXTERNAL,
                           .name = r->name,
                           .n_in = r->n_in + r->constructs,
                           .n_out = r->n_out,
                           .value = r->constructs ? external_constructor : external_plain_call,
                           .partials = r->f->slopes ? external_slopes : NULL,
                           .user = (void *)(uintptr_t)r,
                           .as_c = external_as_c};
}

bool external_bind(arena *a, const external_routine *r, const char *name, const external_wish *w,
                   tape_function *out, char *why)
{
    const external_function *f = w ? external_load(a, w, why) : external_find(name);
    external_routine *own = arena_alloc(a, sizeof *own);
    if (!f && !w) snprintf(why, EXTERNAL_WHY, "there is no function %s here", name);
    if (!f) return false;
    *own = *r;
    own->f = f;
    *out = external_tape_function(own);
    return true;
}

bool external_once(const external_routine *r, double *out, const char **words, arena *a, char *why)
{
    double *scalars = arena_alloc_array(a, (size_t)r->n_scalars + 1, sizeof *scalars);
    double returned = 0;
    external_value args[EXTERNAL_ARGS];
    external_call c = {.f = r->f,
                       .arg = args,
                       .n_args = r->n_args,
                       .result = &returned,
                       .m = a->m,
                       .a = a,
                       .why = why};
    if (!external_lay_out(r, NULL, NULL, scalars, args, why) || !r->f->value(&c)) return false;
    external_give(r, scalars, returned, out);
    for (int k = 0; k < r->n_out; k++) {
        words[k] = r->results[k] == EXTERNAL_RETURNED ? c.text : NULL;
        for (int i = 0; i < r->n_args; i++)
            if (r->args[i].kind == EXTERNAL_STRING && r->args[i].first == r->results[k])
                words[k] = args[i].text;
    }
    return true;
}
