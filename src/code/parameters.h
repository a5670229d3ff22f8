/* Parameters, and what depends on them alone: start values, nominals, bounds, known values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_PARAMETERS_H
#define CODE_PARAMETERS_H

#include "code/functions.h"
#include "image/image_value.h"

bool code_lower_parameters(lowering *l, code_parameters *x);

#endif
