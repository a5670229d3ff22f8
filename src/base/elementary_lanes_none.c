/* Machines without registers of four numbers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/elementary.h"

elementary_addresses elementary_lanes(void)
{
    return (elementary_addresses){0};
}
