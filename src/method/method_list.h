/* The list of methods: name it here and it is selectable, documented and tested.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_LIST_H
#define METHOD_LIST_H

#include "method/method.h"

// clang-format off
#define METHODS(X) \
    X(euler) X(taylor2) X(collatz) X(heun) X(heun_euler) X(rk4) X(dopri5) X(dopri8) \
    X(central) X(ab2) X(ab3) X(ab4) \
    X(implicit_euler) X(trapezoid) X(midpoint) X(energy_momentum) \
    X(sdirk2) X(sdirk3) X(sdirk4) X(trbdf2) X(dirk_exam) X(irk_exam) \
    X(gauss2) X(gauss4) X(gauss6) X(lobatto3a_4) X(lobatto3a_d) X(lobatto3c_2) X(lobatto3c_4) \
    X(radau3) X(radau5) X(radau9) X(radau13) X(radau) \
    X(rodas3) X(rodas4) X(rodas5p) \
    X(bdf1) X(bdf2) X(bdf3) X(bdf4) X(bdf5) X(bdf6) X(bdf) X(mebdf) \
    X(am2) X(am3) X(am4) X(milne_simpson) X(ms2) \
    X(newmark) X(hht) X(genalpha) X(backward2)
// clang-format on

#define DECLARE(name) extern const vinc_method vinc_method_##name;
METHODS(DECLARE)
#undef DECLARE

#endif
