/* Dependent equations that structure does not see.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

bool structure_dependent(analysis *w)
{
    (void)w;
    return true;
}
