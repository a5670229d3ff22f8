/* One number at a time, and the text of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/elementary.h"

#include <math.h>
#include <stddef.h>

#define NAME(f)       elementary_##f##_one
#define FAR(f, x)     f(x)
#define FAR2(f, x, y) f(x, y)

/* ---- as code --------------------------------------------------------------------------------- */

#define ELEMENTARY(name, ...) __VA_ARGS__
#include "base/elementary_one.h"

#include "base/elementary_kernel.h"
#undef ELEMENTARY

double elementary_sin(double x)
{
    return NAME(sin)(x);
}

double elementary_cos(double x)
{
    return NAME(cos)(x);
}

void elementary_sincos(double x, double *sine, double *cosine)
{
    NAME(sincos)(x, sine, cosine);
}

double elementary_exp(double x)
{
    return NAME(exp)(x);
}

double elementary_log(double x)
{
    return NAME(log)(x);
}

double elementary_log10(double x)
{
    return NAME(log10)(x);
}

double elementary_pow(double x, double y)
{
    return NAME(pow)(x, y);
}

double elementary_tanh(double x)
{
    return NAME(tanh)(x);
}

/* ---- as text --------------------------------------------------------------------------------- */

#define ELEMENTARY(name, ...) {#name, #__VA_ARGS__ "\n"},
const elementary_entry elementary_texts[] = {
    {NULL,
     "#define NAME(f) elementary_##f\n#define FAR(f, x) f(x)\n#define FAR2(f, x, y) f(x, y)\n"},
#include "base/elementary_one.h"

#include "base/elementary_kernel.h"
    {NULL, "#undef NAME\n#undef FAR\n#undef FAR2\n"},
    {NULL, NULL},
};
