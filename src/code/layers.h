/* Dependent unknowns in layers: what is linear is solved once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_LAYERS_H
#define CODE_LAYERS_H

#include "code/system.h"

void code_lower_layers(lowering *l, const code_system *x, code_layers *out);

#endif
