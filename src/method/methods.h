/* The list of methods: name it here and it is selectable, documented and tested.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_METHODS_H
#define METHOD_METHODS_H

#include "method/method.h"

// clang-format off
#define METHODS(X) \
    X(euler) X(taylor2) X(collatz) X(heun) X(heun_euler) X(rk4) X(dopri5) \
    X(implicit_euler) X(trapezoid) X(radau5) \
    X(bdf) X(bdf1) X(bdf2) X(bdf3) X(bdf4) X(bdf5) X(bdf6)
// clang-format on

#define DECLARE(name) extern const vinc_method vinc_method_##name;
METHODS(DECLARE)
#undef DECLARE

#endif
