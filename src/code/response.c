/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/response.h"

#include "code/model_parts.h"
#include "derive/derive.h"

static tape_ref *response_columns(const code_model *m, arena *a)
{
    int k = 0;
    tape_ref *wrt = arena_array(a, tape_ref, 2 * m->n + m->inputs.n + m->n_p + 1);
    for (int i = 0; i < m->n; i++) wrt[k++] = tape_y(i);
    for (int i = 0; i < m->n; i++) wrt[k++] = tape_yp(i);
    for (int i = 0; i < m->inputs.n; i++) wrt[k++] = tape_w(m->inputs.list[i].place);
    for (int i = 0; i < m->n_p; i++) wrt[k++] = tape_p(i);
    return wrt;
}

static int response_of(code_response *x, const code_fn *f, const code_model *m, const tape_ref *wrt,
                       arena *a, arena *scratch, mem *held, code_slope *out)
{
    if (!f->program) return VINC_OK;
    tape_program_derivative d =
        tape_program_derive(f->program, wrt, x->n_columns, m->n_w, scratch, a);
    tape_options options = {0};
    out->pattern = d.pattern;
    if (!d.pattern.nnz) return VINC_OK;
    if (tape_compile_program(d.code, &options, held, &out->code)) return VINC_E_MEMORY;
    if (d.code->extent[TAPE_W] > x->n_w) x->n_w = d.code->extent[TAPE_W];
    if (d.pattern.nnz > x->nnz_most) x->nnz_most = d.pattern.nnz;
    size_t need = tape_code_scratch(out->code);
    if (need > x->scratch) x->scratch = need;
    return VINC_OK;
}

int code_lower_response(const code_model *model, arena *a, arena *scratch, mem *m,
                        code_response **out)
{
    code_response *x = arena_new(a, code_response);
    *x = (code_response){.n_columns = 2 * model->n + model->inputs.n + model->n_p,
                         .n_w = model->n_w};
    const tape_ref *wrt = response_columns(model, a);
    const struct {
        const code_fn *f;
        code_slope *to;
    } list[] = {{&model->system.residual, &x->residual},
                {&model->choice.next, &x->next},
                {&model->outputs.computed, &x->computed},
                {&model->parameters.bound, &x->bound},
                {&model->parameters.attributes, &x->attributes}};
    *out = x;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (response_of(x, list[i].f, model, wrt, a, scratch, m, list[i].to)) {
            code_response_free(x);
            *out = NULL;
            return VINC_E_MEMORY;
        }
    return VINC_OK;
}

void code_response_free(code_response *x)
{
    if (!x) return;
    code_slope *list[] = {&x->residual, &x->next, &x->computed, &x->bound, &x->attributes};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i]->code) tape_code_free(list[i]->code);
        list[i]->code = NULL;
    }
}
