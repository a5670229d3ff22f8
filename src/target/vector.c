/* Elementary functions of four doubles at once that are not ours, from the GNU C library (libmvec, which libm brings
 * along): within 4 ulp, not bit-equal to the scalar ones. They need AVX2.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/cpu.h"
#include "target/jit.h"

/* Only the addresses are used here; the names are those of the vector function ABI: AVX2 (d), not
 * masked (N), four elements, vector arguments (v). */
#define VECTOR_FUNCTIONS(F)                                                                        \
    F(TAN, _ZGVdN4v_tan)                                                                           \
    F(ASIN, _ZGVdN4v_asin)                                                                         \
    F(ACOS, _ZGVdN4v_acos)                                                                         \
    F(ATAN, _ZGVdN4v_atan)                                                                         \
    F(ATAN2, _ZGVdN4vv_atan2)                                                                      \
    F(SINH, _ZGVdN4v_sinh)                                                                         \
    F(COSH, _ZGVdN4v_cosh)

#define DECLARE(op, name) void name(void);
VECTOR_FUNCTIONS(DECLARE)
#undef DECLARE

uint64_t jit_vector(tape_op op)
{
    static const union {
        void (*f)(void);
        const void *p;
    } table[TAPE_N_OPS] = {
#define ENTRY(op, name) [TAPE_##op].f = name,
        VECTOR_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    return cpu_has_avx2() ? (uint64_t)(uintptr_t)table[op].p : 0;
}
