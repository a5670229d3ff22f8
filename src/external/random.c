/* ModelicaRandom: generators of the xorshift family.
 *
 * S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", ACM Trans.
 * Math. Softw. 42 (2016) 30; "Further scramblings of Marsaglia's xorshift generators", J. Comput.
 * Appl. Math. 315 (2017) 175-181. A state of 64-bit words is passed as pairs of 32-bit Integers, the
 * lower half first; that of 1024 bits ends with the place of its next word. With 64 and 128 bits the
 * standard library goes on from the scrambled word, where the papers keep the one before scrambling
 * (and with 128 bits it has the shifts 17 and 26 of the first version); its numbers are what models
 * and published results depend on, so here it is done as there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"

#include <stdio.h>
#include <string.h>

static uint64_t join(const double *half)
{
    return (uint64_t)(uint32_t)(int32_t)half[0] | (uint64_t)(uint32_t)(int32_t)half[1] << 32;
}

static void part(uint64_t x, double *half)
{
    half[0] = (int32_t)(uint32_t)x;
    half[1] = (int32_t)(uint32_t)(x >> 32);
}

/* In (0, 1]: the word as a signed number of 64 bits, scaled to a width of 1 and moved up. */
static double unit(uint64_t x)
{
    return (double)(int64_t)x * 0x1p-64 + 0.5;
}

static uint64_t star_64(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s *= 2685821657736338717u;
}

static uint64_t plus_128(uint64_t s[2])
{
    uint64_t a = s[0], b = s[1];
    s[0] = b;
    a ^= a << 23;
    return s[1] = (a ^ b ^ (a >> 17) ^ (b >> 26)) + b;
}

static uint64_t star_1024(uint64_t s[17])
{
    uint64_t p = s[16] & 15, a = s[p], b = s[p = (p + 1) & 15];
    b ^= b << 31;
    s[p] = b ^ a ^ (b >> 11) ^ (a >> 30);
    s[16] = p;
    return s[p] * 1181783497276652981u;
}

static bool sized(external_call *c, int n)
{
    if (c->arg[0].n == n && c->arg[1].n == n) return true;
    snprintf(c->why, EXTERNAL_WHY, "the state of this generator has %d elements", n);
    return false;
}

static bool random_64(external_call *c)
{
    if (!sized(c, 2)) return false;
    uint64_t s = join(c->arg[0].at);
    c->arg[2].at[0] = unit(star_64(&s));
    part(s, c->arg[1].at);
    return true;
}

static bool random_128(external_call *c)
{
    if (!sized(c, 4)) return false;
    uint64_t s[2] = {join(c->arg[0].at), join(c->arg[0].at + 2)};
    c->arg[2].at[0] = unit(plus_128(s));
    part(s[0], c->arg[1].at);
    part(s[1], c->arg[1].at + 2);
    return true;
}

static void load_1024(const double *state, uint64_t s[17])
{
    for (int k = 0; k < 16; k++) s[k] = join(state + 2 * k);
    s[16] = (uint64_t)(int64_t)state[32] & 15;
}

static bool random_1024(external_call *c)
{
    uint64_t s[17];
    if (!sized(c, 33)) return false;
    load_1024(c->arg[0].at, s);
    c->arg[2].at[0] = unit(star_1024(s));
    for (int k = 0; k < 16; k++) part(s[k], c->arg[1].at + 2 * k);
    c->arg[1].at[32] = (double)s[16];
    return true;
}

/* The generator that keeps its state: that of the run. */
static bool keep_state(external_call *c)
{
    if (!c->random || c->arg[0].n != 33) return false;
    load_1024(c->arg[0].at, c->random);
    return true;
}

static bool random_kept(external_call *c)
{
    if (!c->random) return false;
    *c->result = unit(star_1024(c->random));
    return true;
}

/* Not the clock: the same model gives the same numbers. */
static bool global_seed(external_call *c)
{
    *c->result = 20161115;
    return true;
}

const external_function external_random[] = {
    {.name = "ModelicaRandom_automaticGlobalSeed", .types = "ir", .value = global_seed},
    {.name = "ModelicaRandom_impureRandom_xorshift1024star", .types = "ri", .value = random_kept},
    {.name = "ModelicaRandom_setInternalState_xorshift1024star",
     .types = "vIii",
     .value = keep_state},
    {.name = "ModelicaRandom_xorshift1024star", .types = "vIIr", .value = random_1024},
    {.name = "ModelicaRandom_xorshift128plus", .types = "vIIr", .value = random_128},
    {.name = "ModelicaRandom_xorshift64star", .types = "vIIr", .value = random_64},
    {0}};
