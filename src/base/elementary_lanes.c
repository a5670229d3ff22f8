/* Four numbers at a time, compiled for x86-64 with AVX2. What is far for one of them is found one by one.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/elementary.h"

#include <math.h>

enum { LANES = 4 };
typedef double num __attribute__((vector_size(8 * LANES)));
typedef unsigned long long whole __attribute__((vector_size(8 * LANES)));
typedef double anywhere __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

static inline whole whole_of(num x)
{
    return (whole)x;
}

static inline num num_of(whole x)
{
    return (num)x;
}

static inline num each(double x)
{
    return (num){x, x, x, x};
}

static inline whole below(num a, num b)
{
    return (whole)(a < b);
}

static inline whole at_least(num a, num b)
{
    return (whole)(a >= b);
}

static inline int signs(whole mask)
{
    return __builtin_ia32_movmskpd256((num)mask);
}

static inline int all(whole mask)
{
    return signs(mask) == 15;
}

static inline int any(whole mask)
{
    return signs(mask) != 0;
}

static __attribute__((noinline)) num one_by_one(double (*f)(double), num x)
{
    num y;
    for (int k = 0; k < LANES; k++) y[k] = f(x[k]);
    return y;
}

static __attribute__((noinline)) num pairs_one_by_one(double (*f)(double, double), num x, num y)
{
    num z;
    for (int k = 0; k < LANES; k++) z[k] = f(x[k], y[k]);
    return z;
}

#define NAME(f)               elementary_##f##_four
#define FAR(f, x)             one_by_one(elementary_##f, x)
#define FAR2(f, x, y)         pairs_one_by_one(elementary_##f, x, y)
#define ELEMENTARY(name, ...) __VA_ARGS__
#include "base/elementary_kernel.h"

static __attribute__((flatten)) void sincos_of_four(num x, double *sine, double *cosine)
{
    num s, c;
    NAME(sincos)(x, &s, &c);
    *(anywhere *)sine = s;
    *(anywhere *)cosine = c;
}

static uint64_t address_of(num (*f)(num))
{
    return (uint64_t)(uintptr_t)f;
}

elementary_addresses elementary_lanes(void)
{
    return (elementary_addresses){
        .sin = address_of(NAME(sin)),
        .cos = address_of(NAME(cos)),
        .exp = address_of(NAME(exp)),
        .log = address_of(NAME(log)),
        .log10 = address_of(NAME(log10)),
        .pow = (uint64_t)(uintptr_t)NAME(pow),
        .tanh = address_of(NAME(tanh)),
        .sincos = (uint64_t)(uintptr_t)sincos_of_four,
    };
}
