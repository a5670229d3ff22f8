/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/tangent.h"

#include "code/model_parts.h"

int code_lower_tangent(const code_model *model, arena *a, arena *scratch, mem *m,
                       code_tangent **out)
{
    const tape_program *f = model->system.residual.program;
    code_tangent *x = arena_new(a, code_tangent);
    *x = (code_tangent){.n_given = model->form->n_w};
    *out = NULL;
    if (f) {
        tape_program_tangent t = tape_program_product(f, model->n, x->n_given, NULL, 0, scratch, a);
        tape_options options = {0};
        x->v = t.v;
        x->vp = t.vp;
        x->n_w = t.n_w;
        if (tape_compile_program(t.code, &options, m, &x->code)) return VINC_E_MEMORY;
    }
    *out = x;
    return VINC_OK;
}

void code_tangent_free(code_tangent *x)
{
    if (x) tape_code_free(x->code);
}
