/* SPDX-License-Identifier: BSD-3-Clause */
#include "derive/partials.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double inverse_ln10 = 0.43429448190325182765; // 1/log(10)

enum { SMALL_POWER = 16 }; // integer exponents up to here are products

static tape_ref partial_mul(tape_builder *b, tape_ref x, tape_ref y)
{
    return tape_op2(b, TAPE_MUL, x, y);
}

static tape_ref partial_div(tape_builder *b, tape_ref x, tape_ref y)
{
    return tape_op2(b, TAPE_DIV, x, y);
}

static tape_ref partial_neg(tape_builder *b, tape_ref x)
{
    return tape_op1(b, TAPE_NEG, x);
}

static tape_ref square_plus(tape_builder *b, double c, tape_ref x) // c + x^2
{
    return tape_op2(b, TAPE_ADD, partial_mul(b, x, x), tape_const(b, c));
}

static tape_ref one_minus_square(tape_builder *b, tape_ref x)
{
    return tape_op2(b, TAPE_SUB, tape_const(b, 1.0), partial_mul(b, x, x));
}

/* A slope that overflows is as large as numbers are: what divides by the function itself, as
 * 1/(1 + exp(x)), does not move there, and its adjoint, 0, times infinity would be no number. */
static tape_ref bounded_slope(tape_builder *b, tape_ref x)
{
    return tape_op2(b, TAPE_MIN, x, tape_const(b, DBL_MAX));
}

/* adjoint * y * x^(y-1) */
static tape_ref power_by_base(tape_builder *b, const partial_site *s)
{
    double c;
    tape_ref lower;
    if (tape_is_const(b, s->y, &c)) {
        if (c == rint(c) && fabs(c - 1) <= SMALL_POWER) lower = tape_powi(b, s->x, (int)c - 1);
        else lower = tape_op2(b, TAPE_POW, s->x, tape_const(b, c - 1));
    } else {
        tape_ref one = tape_const(b, 1.0);
        lower = tape_op2(b, TAPE_POW, s->x, tape_op2(b, TAPE_SUB, s->y, one));
    }
    return partial_mul(b, partial_mul(b, s->adjoint, s->y), lower);
}

/* adjoint * log(x) * x^y, and 0 at x = 0, where x^y does not move for any y > 0 */
static tape_ref power_by_exponent(tape_builder *b, const partial_site *s)
{
    tape_ref zero = tape_const(b, 0.0);
    tape_ref slope = partial_mul(b, s->v, tape_op1(b, TAPE_LOG, s->x));
    return partial_mul(b, s->adjoint, tape_select(b, TAPE_SEL_LE, s->x, zero, zero, slope));
}

/* A root at 0 is as steep as numbers allow, not infinite: in sqrt(x^2 + y^2) at rest it is multiplied by
 * 0, and what is not a number would spoil the whole matrix. */
static tape_ref root_or_least(tape_builder *b, tape_ref v)
{
    static const double least = 1e-150; // its square is a number, too
    return tape_op2(b, TAPE_MAX, v, tape_const(b, least));
}

/* Divisions become products by the inverse: one inverse serves both operands. */
static tape_ref partial_inverse(tape_builder *b, tape_ref y)
{
    return partial_div(b, tape_const(b, 1.0), y);
}

tape_ref partial_x(tape_builder *b, const partial_site *s)
{
    tape_ref g = s->adjoint, x = s->x, v = s->v;
    switch (s->op) {
    case TAPE_ADD:
    case TAPE_SUB:
    case TAPE_COPY: return g;
    case TAPE_MUL: return partial_mul(b, g, s->y);
    case TAPE_DIV: return partial_mul(b, g, partial_inverse(b, s->y));
    case TAPE_NEG: return partial_neg(b, g);
    case TAPE_ABS: return tape_select(b, TAPE_SEL_LT, x, tape_const(b, 0.0), partial_neg(b, g), g);
    case TAPE_SQRT:
        return partial_div(b, partial_mul(b, g, tape_const(b, 0.5)), root_or_least(b, v));
    case TAPE_EXP: return partial_mul(b, g, bounded_slope(b, v));
    case TAPE_LOG: return partial_div(b, g, x);
    case TAPE_LOG10: return partial_div(b, partial_mul(b, g, tape_const(b, inverse_ln10)), x);
    case TAPE_SIN: return partial_mul(b, g, tape_op1(b, TAPE_COS, x));
    case TAPE_COS: return partial_neg(b, partial_mul(b, g, tape_op1(b, TAPE_SIN, x)));
    case TAPE_TAN: return partial_mul(b, g, square_plus(b, 1.0, v));
    case TAPE_ASIN: return partial_div(b, g, tape_op1(b, TAPE_SQRT, one_minus_square(b, x)));
    case TAPE_ACOS:
        return partial_neg(b, partial_div(b, g, tape_op1(b, TAPE_SQRT, one_minus_square(b, x))));
    case TAPE_ATAN: return partial_div(b, g, square_plus(b, 1.0, x));
    case TAPE_ATAN2:
        return partial_mul(
            b, g,
            partial_div(b, s->y,
                        tape_op2(b, TAPE_ADD, partial_mul(b, x, x), partial_mul(b, s->y, s->y))));
    case TAPE_SINH: return partial_mul(b, g, bounded_slope(b, tape_op1(b, TAPE_COSH, x)));
    case TAPE_COSH: return partial_mul(b, g, tape_op1(b, TAPE_SINH, x));
    case TAPE_TANH: return partial_mul(b, g, one_minus_square(b, v));
    case TAPE_POW: return power_by_base(b, s);
    default: return tape_const(b, 0.0); // floor, ceil, trunc
    }
}

tape_ref partial_y(tape_builder *b, const partial_site *s)
{
    tape_ref g = s->adjoint, x = s->x, y = s->y;
    switch (s->op) {
    case TAPE_ADD: return g;
    case TAPE_SUB: return partial_neg(b, g);
    case TAPE_MUL: return partial_mul(b, g, x);
    case TAPE_DIV:
        return partial_neg(b, partial_mul(b, partial_mul(b, g, partial_inverse(b, y)), s->v));
    case TAPE_ATAN2:
        return partial_neg(b, partial_mul(b, g,
                                          partial_div(b, x,
                                                      tape_op2(b, TAPE_ADD, partial_mul(b, x, x),
                                                               partial_mul(b, y, y)))));
    case TAPE_POW: return power_by_exponent(b, s);
    default: return tape_const(b, 0.0);
    }
}

/* ---- called functions ------------------------------------------------------------------------ */

/* Central differences with the step that balances truncation and rounding, by the active arguments
 * alone: a table costs nothing. The workspace (a copy of the arguments and two sets of results) is
 * at the end of the results. */
static void difference_partials(void *user, void *run, const double *in, double *out)
{
    const partials_of *d = user;
    const tape_function *fn = d->fn;
    int n = fn->n_in, m = fn->n_out;
    double *x = out + (size_t)n * (size_t)m, *up = x + n, *down = up + m;
    for (int j = 0; j < n; j++) x[j] = in[j];
    for (int j = 0; j < n; j++) {
        if (!d->active[j]) continue;
        double h = cbrt(DBL_EPSILON) * fmax(1.0, fabs(in[j]));
        volatile double above = in[j] + h, below = in[j] - h; // the points as they are stored
        x[j] = above;
        fn->value(fn->user, run, x, up);
        x[j] = below;
        fn->value(fn->user, run, x, down);
        x[j] = in[j];
        for (int i = 0; i < m; i++) out[i * n + j] = (up[i] - down[i]) / (above - below);
    }
}

static void own_partials(void *user, void *run, const double *in, double *out)
{
    const partials_of *d = user;
    d->fn->partials(d->fn->user, run, d->active, in, out);
}

static bool partials_as_c(const tape_function *self, tape_c *c, const char *name,
                          const uint8_t *active)
{
    const partials_of *d = self->user;
    if (active) return false;
    if (!d->fn->partials) return tape_c_differences(c, d->fn, name, d->active);
    return d->fn->as_c && d->fn->as_c(d->fn, c, name, d->active);
}

const tape_function *partial_function(const tape_function *fn, const uint8_t *active, arena *result)
{
    tape_function *d = arena_new(result, tape_function);
    *d = (tape_function){.kind = TAPE_FN_PARTIALS,
                         .name = fn->name,
                         .n_in = fn->n_in,
                         .n_out = fn->n_in * fn->n_out,
                         .n_deciding = fn->n_deciding,
                         .as_c = partials_as_c};
    partials_of *by = arena_new(result, partials_of);
    uint8_t *copy = arena_array(result, uint8_t, fn->n_in ? fn->n_in : 1);
    if (fn->n_in) memcpy(copy, active, (size_t)fn->n_in);
    *by = (partials_of){fn, copy};
    d->user = by;
    d->value = fn->partials ? own_partials : difference_partials;
    if (!fn->partials) d->n_out += fn->n_in + 2 * fn->n_out;
    return d;
}
