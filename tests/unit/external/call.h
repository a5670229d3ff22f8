/* Calling an external function by hand: arguments in order, then the call.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_EXTERNAL_CALL_H
#define TESTS_EXTERNAL_CALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "external/external.h"

/* Steele's splitmix64: numbers for random cases. */
typedef struct rng {
    uint64_t s;
} rng;

static inline uint64_t rng_next(rng *r)
{
    uint64_t z = r->s += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int rng_below(rng *r, int n)
{
    return (int)(rng_next(r) % (uint64_t)n);
}

static inline double rng_double(rng *r) // in (-1, 1)
{
    return ((double)(rng_next(r) >> 11) + 0.5) * 0x1p-52 - 1;
}

typedef struct hand {
    external_value arg[EXTERNAL_ARGS];
    double scalar[EXTERNAL_ARGS];
    int n;
    double result;
    const char *text;
    void *object;
    arena *a;
    mem m;
    uint64_t random[EXTERNAL_RANDOM];
    char why[EXTERNAL_WHY];
} hand;

static inline hand *hand_new(void)
{
    static hand h;
    h = (hand){.m = mem_std()};
    return &h;
}

static inline void hand_number(hand *h, double x)
{
    h->scalar[h->n] = x;
    h->arg[h->n] = (external_value){.kind = EXTERNAL_REAL, .n = 1, .at = &h->scalar[h->n]};
    h->n++;
}

static inline void hand_array(hand *h, double *x, int n)
{
    h->arg[h->n++] = (external_value){.kind = EXTERNAL_REAL, .n_dims = 1, .n = n, .at = x};
}

static inline void hand_text(hand *h, const char *s)
{
    h->arg[h->n++] = (external_value){.kind = EXTERNAL_STRING, .n = 1, .text = s};
}

static inline void hand_object(hand *h, void *o)
{
    h->arg[h->n++] = (external_value){.kind = EXTERNAL_OBJECT, .n = 1, .object = o};
}

static inline bool hand_call(hand *h, const char *name)
{
    const external_function *f = external_find(name);
    assert_non_null(f);
    external_call c = {.f = f,
                       .arg = h->arg,
                       .n_args = h->n,
                       .result = &h->result,
                       .m = &h->m,
                       .a = h->a,
                       .random = h->random,
                       .why = h->why};
    bool ok = f->value(&c);
    h->text = c.text;
    h->object = c.object;
    return ok;
}

static inline void hand_release(hand *h, const char *constructor, void *object)
{
    const external_function *f = external_find(constructor);
    f->release(f, &h->m, object);
}

#endif
