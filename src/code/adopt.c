/* A compiled model that was loaded: its functions are put on their list and compiled, as those of one that was lowered.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/adopt.h"
#include "code/model_parts.h"
#include "image/image_file.h"

typedef struct adoption {
    code_model *m;
    arena *a, *scratch;
} adoption;

static void adopt_function(void *user, code_fn *f)
{
    adoption *x = user;
    if (!f->program || !f->title) return;
    arena_mark here = arena_here(x->scratch);
    const tape_program *p = tape_program_hoist(f->program, x->m->formulation.n_w, x->scratch, x->a);
    arena_release(x->scratch, here);
    array_push(x->a, &x->m->functions->all, ((code_listed){f->title, "", f->when, f}));
    array_push(x->a, &x->m->functions->hoisted, p);
}

static void adopt_one(code_model *m, mem *memory, arena *a, arena *scratch)
{
    m->m = memory;
    m->functions = arena_new(a, code_list);
    m->functions->routines = m->codes;
    m->scratch = code_event_scratch(&m->events);
    image_functions(m, adopt_function, &(adoption){m, a, scratch});
}

int code_adopt(code_model *m, mem *memory, arena *a, arena *scratch)
{
    adopt_one(m, memory, a, scratch);
    if (m->initial != m) adopt_one(m->initial, memory, a, scratch);
    int rc = code_list_compile(m->functions, memory, &m->scratch, &m->n_w);
    if (!rc && m->initial != m)
        rc = code_list_compile(m->initial->functions, memory, &m->initial->scratch,
                               &m->initial->n_w);
    return rc;
}
