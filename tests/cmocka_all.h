/* cmocka with what it needs in front of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_CMOCKA_ALL_H
#define TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

/* In double precision (cmocka's own comparison works with floats). */
#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double near_a = (a), near_b = (b);                                                         \
        if (!(fabs(near_a - near_b) <= (tolerance)))                                               \
            fail_msg("%s = %.17g, expected %.17g within %g", #a, near_a, near_b,                   \
                     (double)(tolerance));                                                         \
    } while (0)

#endif
