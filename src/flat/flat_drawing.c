/* Shapes of drawings, and how they are printed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

const flat_drawing_shape flat_drawing_shapes[FLAT_N_DRAWINGS] = {
    [FLAT_DRAW_POINT] = {"point", 1, 1}, [FLAT_DRAW_ROD] = {"rod", 2, 2},
    [FLAT_DRAW_TRACE] = {"trace", 1, 1}, [FLAT_DRAW_SPRING] = {"spring", 2, 2},
    [FLAT_DRAW_BODY] = {"body", 1, 4},
};

static void print_vector(const expr_pool *p, const expr *e, int n, text *out)
{
    text_char(out, '{');
    for (int i = 0; i < n; i++) {
        if (i) text_add(out, ", ");
        expr_print(p, e[i], EXPR_MODELICA, 0, out);
    }
    text_char(out, '}');
}

static void print_rotation(const expr_pool *p, const flat_drawing *d, text *out)
{
    if (d->n_rotation == 1) {
        expr_print(p, d->rotation[0], EXPR_MODELICA, 0, out);
        return;
    }
    for (int i = 0; i < d->n; i++) {
        text_add(out, i ? ", " : "{");
        print_vector(p, d->rotation + i * d->n, d->n, out);
    }
    text_char(out, '}');
}

void flat_drawing_print(const expr_pool *p, const flat_drawing *d, text *out)
{
    text_printf(out, "%s(", flat_drawing_shapes[d->kind].name);
    print_vector(p, d->from, d->n, out);
    if (d->kind == FLAT_DRAW_ROD || d->kind == FLAT_DRAW_SPRING) {
        text_add(out, ", ");
        print_vector(p, d->to, d->n, out);
    }
    if (d->n_rotation) text_add(out, ", "), print_rotation(p, d, out);
    if (d->shape) text_add(out, ", "), text_modelica(out, d->shape);
    if (d->n_size) text_add(out, ", "), print_vector(p, d->size, d->n_size, out);
    text_char(out, ')');
}
