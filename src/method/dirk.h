/* Diagonally implicit Runge-Kutta methods are data: a tableau, perhaps embedded weights.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_DIRK_H
#define METHOD_DIRK_H

#include "method/step.h"

extern const method_ops dirk_ops;

#endif
