/* What elementary_kernel.h needs for one number at a time, as text, too.
 * SPDX-License-Identifier: BSD-3-Clause */
// clang-format off

ELEMENTARY(num, typedef double num;)
ELEMENTARY(whole, typedef unsigned long long whole;)
ELEMENTARY(both, typedef union both { num x; whole bits; } both;)
ELEMENTARY(whole_of, static inline whole whole_of(num x)
{
    both b = {.x = x};
    return b.bits;
})
ELEMENTARY(num_of, static inline num num_of(whole bits)
{
    both b = {.bits = bits};
    return b.x;
})
ELEMENTARY(each, static inline num each(double x)
{
    return x;
})
ELEMENTARY(below, static inline whole below(num a, num b)
{
    return 0 - (whole)(a < b);
})
ELEMENTARY(at_least, static inline whole at_least(num a, num b)
{
    return 0 - (whole)(a >= b);
})
ELEMENTARY(all, static inline int all(whole mask)
{
    return mask != 0;
})
ELEMENTARY(any, static inline int any(whole mask)
{
    return mask != 0;
})
// clang-format on
