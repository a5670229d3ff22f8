/* What la/fronts_plan.c asks of AMD.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_AMD_H
#define BROWSER_AMD_H

#include "browser/plain.h"

#define amd_order        plain_order
#define AMD_LNZ          PLAIN_LNZ
#define AMD_NMULTSUBS_LU PLAIN_WORK
#define AMD_SYMMETRY     PLAIN_SYMMETRY
#define AMD_INFO         PLAIN_INFO

#endif
