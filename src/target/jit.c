/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/jit.h"

#include "target/cpu.h"
#include "target/exec.h"
#include "target/tape_code.h"

#include <math.h>

uint64_t jit_library(tape_op op)
{
    typedef double (*one)(double);
    typedef double (*two)(double, double);
    static const union {
        one f;
        two g;
        const void *p;
    } table[TAPE_N_OPS] = {
        [TAPE_FLOOR].f = floor,
        [TAPE_CEIL].f = ceil,
        [TAPE_TRUNC].f = trunc,
        [TAPE_EXP].f = elementary_exp,
        [TAPE_LOG].f = elementary_log,
        [TAPE_LOG10].f = elementary_log10,
        [TAPE_SIN].f = elementary_sin,
        [TAPE_COS].f = elementary_cos,
        [TAPE_TAN].f = tan,
        [TAPE_ASIN].f = asin,
        [TAPE_ACOS].f = acos,
        [TAPE_ATAN].f = atan,
        [TAPE_ATAN2].g = atan2,
        [TAPE_SINH].f = sinh,
        [TAPE_COSH].f = cosh,
        [TAPE_TANH].f = elementary_tanh,
        [TAPE_POW].g = elementary_pow,
    };
    return (uint64_t)(uintptr_t)table[op].p;
}

uint64_t jit_sincos(void)
{
    static const union {
        void (*f)(double, double *, double *);
        const void *p;
    } address = {.f = elementary_sincos};
    return (uint64_t)(uintptr_t)address.p;
}

uint64_t jit_sincos_lanes(void)
{
    return cpu_has_avx2() ? elementary_lanes().sincos : 0;
}

uint64_t jit_lanes(tape_op op)
{
    if (!cpu_has_avx2()) return 0;
    elementary_addresses at = elementary_lanes();
    switch (op) {
    case TAPE_EXP: return at.exp;
    case TAPE_LOG: return at.log;
    case TAPE_LOG10: return at.log10;
    case TAPE_SIN: return at.sin;
    case TAPE_COS: return at.cos;
    case TAPE_POW: return at.pow;
    case TAPE_TANH: return at.tanh;
    default: return 0;
    }
}

bool jit_make_table(const tape_step *map, pool *keep, pool *temp, jit_table *t)
{
    int n = map->kernel->extent[TAPE_X];
    int *column = pool_raw_array(temp, int, n), *at;
    if (!column) return false;
    *t = (jit_table){.column = column};
    for (int k = 0; k < n; k++) {
        int same = 0;
        while (same < k && map->access[same].list != map->access[k].list) same++;
        column[k] = !map->access[k].list ? -1 : same < k ? column[same] : t->n_columns++;
    }
    t->rows = at = pool_raw_array(keep, int, (size_t)map->n *(size_t)t->n_columns);
    if (!at) return false;
    for (int k = 0, next = 0; k < n; k++) {
        if (column[k] != next) continue; // affine, or a column that is there
        for (int i = 0; i < map->n; i++)
            at[(size_t)i * (size_t)t->n_columns + (size_t)next] = map->access[k].list[i];
        next++;
    }
    return true;
}

/* Where there is too much of it or the system gives no executable memory the steps stay without a
 * function and are interpreted. */
bool jit_emit(const jit_emitter *by, tape_code *code, const tape_program *p, bool vector_math)
{
    mem *m = code->keep.m;
    pool temp = {.m = m};
    jit j = {.vector_math = vector_math, .out = {.m = m}, .keep = &code->keep, .temp = &temp};
    size_t *entry = mem_try(m, (size_t)p->n_steps * sizeof *entry);
    bool ok = entry != NULL;
    by->begin(&j);
    for (int k = 0; ok && k < p->n_steps; k++) {
        entry[k] = 0;
        if (p->steps[k].kind == TAPE_STEP_SUM || code_is_empty(&p->steps[k])) continue;
        ok = by->step(&j, &p->steps[k], &entry[k]);
        pool_done(&temp);
    }
    pool_done(&temp);
    if (j.out.too_large) ok = true; // then it is interpreted
    if (ok && !j.out.failed) code->exec = exec_map(j.out.at, j.out.n);
    if (code->exec) {
        code->exec_bytes = j.out.n;
        for (int k = 0; k < p->n_steps; k++) {
            union {
                const void *p;
                step_fn *f;
            } at = {.p = (const char *)code->exec + entry[k]};
            if (entry[k]) code->steps[k].fn = at.f;
        }
        code_needs(code, j.scratch);
    } else {
        code->target = &target_interpreter;
    }
    if (entry) mem_free(m, entry, (size_t)p->n_steps * sizeof *entry);
    code_done(&j.out);
    return ok;
}
