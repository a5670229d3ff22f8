/* Explicit Runge-Kutta methods are data: a tableau, perhaps an interpolant.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_ERK_H
#define METHOD_ERK_H

#include "method/step.h"

extern const method_ops erk_ops;        // Hermite interpolation
extern const method_ops erk_dopri5_ops; // the interpolant of DOPRI5

#endif
