/* Kernels that gain from wide registers are compiled twice, for any x86-64 and for AVX2, and chosen
 * when the program is loaded. Products and sums are the same in both (no contraction), so are the
 * bits. Elsewhere, and under sanitizers that instrument too early code, there is one version.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_SIMD_H
#define LA_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIMD_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SIMD_CLONES
#endif

#define SIMD_INLINE static inline __attribute__((always_inline))

/* Four doubles, or two; loads and stores need no alignment beyond that of a double. */
typedef double simd4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double simd2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long simd4_mask __attribute__((vector_size(32), aligned(8), may_alias));

SIMD_INLINE simd4 simd4_abs(simd4 x)
{
    const simd4_mask sign = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff,
                             0x7fffffffffffffff};
    return (simd4)((simd4_mask)x & sign);
}

SIMD_INLINE simd4 simd4_max(simd4 a, simd4 b)
{
    simd4_mask m = a > b;
    return (simd4)(((simd4_mask)a & m) | ((simd4_mask)b & ~m));
}

SIMD_INLINE simd4 simd4_where(simd4_mask m, simd4 x) // x or 0
{
    return (simd4)((simd4_mask)x & m);
}

SIMD_INLINE double simd4_largest(simd4 x)
{
    double a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}

/* Four by four, the rows of one become the columns of the other. */
SIMD_INLINE void simd4_turn(simd4 a, simd4 b, simd4 c, simd4 d, simd4 out[4])
{
    simd4 ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6),
          ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7),
          cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6),
          cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

/* to -= x * from */
SIMD_INLINE void simd_subtract(double *to, const double *from, double x, int n)
{
    int i = 0;
    simd4 xx = {x, x, x, x};
    for (; i + 4 <= n; i += 4) *(simd4 *)(to + i) -= *(const simd4 *)(from + i) * xx;
    for (; i < n; i++) to[i] -= from[i] * x;
}

/* Between these two, numbers below 2.2e-308 count and become 0. What decays from unknown to unknown would never
 * reach 0 otherwise (the smallest number times 0.9 is rounded to itself), and operations with such
 * numbers take a hundred times as long, in all that follows. Elsewhere than here nothing is changed. */
#if defined(__x86_64__)
SIMD_INLINE unsigned long simd_flush_begin(void)
{
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040); // results, operands
    return before;
}

SIMD_INLINE void simd_flush_end(unsigned long before)
{
    __builtin_ia32_ldmxcsr((unsigned)before);
}
#elif defined(__aarch64__)
SIMD_INLINE unsigned long simd_flush_begin(void)
{
    unsigned long before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | 1ul << 24) : "memory");
    return before;
}

SIMD_INLINE void simd_flush_end(unsigned long before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before) : "memory");
}
#else
SIMD_INLINE unsigned long simd_flush_begin(void)
{
    return 0;
}

SIMD_INLINE void simd_flush_end(unsigned long before)
{
    (void)before;
}
#endif

#endif
