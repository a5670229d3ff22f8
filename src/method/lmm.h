/* Linear multistep and one-leg methods with constant steps are data: alpha and beta.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_LMM_H
#define METHOD_LMM_H

#include "method/step.h"

extern const method_ops lmm_ops;

#endif
