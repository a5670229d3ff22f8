/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/along.h"

#include "code/tangent.h"
#include "run/run_parts.h"

#include <string.h>

static size_t along_layout(run_along *x, void *block)
{
    bump b = bump_begin(block);
    x->w = bump_double(&b, (size_t)x->code->n_w);
    x->scratch = bump_double(&b, tape_code_scratch(x->code->code));
    return bump_end(&b);
}

/* w of the product is its own: beside the values of the model it holds the vectors and tangents. */
static int run_product(void *user, double t, const double *y, const double *yp, const double *v,
                       const double *vp, double *out)
{
    run_state *s = user;
    const run_along *x = &s->along;
    const code_tangent *c = x->code;
    size_t bytes = (size_t)s->model->n * sizeof *v;
    if (run_stops(s)) return -1;
    tape_args args = run_args(s, t, y, yp);
    memcpy(x->w, s->w, (size_t)c->n_given * sizeof *x->w);
    memcpy(x->w + c->v, v, bytes);
    memcpy(x->w + c->vp, vp, bytes);
    args.w = x->w;
    args.scratch = x->scratch;
    args.out = out;
    tape_eval(c->code, &args);
    return 0;
}

int run_products(run_state *s, const code_tangent *code)
{
    run_along *x = &s->along;
    if (!code->code || x->code) return VINC_OK;
    x->code = code;
    x->bytes = along_layout(x, NULL) + 1;
    x->block = mem_try_zeroed(s->m, x->bytes);
    if (!x->block) {
        x->code = NULL;
        return VINC_E_MEMORY;
    }
    along_layout(x, x->block);
    s->problem.product = run_product;
    return VINC_OK;
}

void along_free(run_state *s)
{
    if (s->along.block) mem_free(s->m, s->along.block, s->along.bytes);
    s->along.block = NULL;
}
