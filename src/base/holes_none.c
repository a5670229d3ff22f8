/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/holes.h"

void malloc_holes_return(void)
{
}
