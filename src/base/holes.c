/* The GNU C library keeps them: after a large model was compiled some 5 MB for 10^5 equations.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/holes.h"

#include <malloc.h>

void malloc_holes_return(void)
{
    malloc_trim(0);
}
