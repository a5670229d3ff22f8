/* What is run, and the bar: the fastest of RADAU5, RADAU, RODAS, SEULEX, MEBDFI, BIMD, GAMD, PSIDE,
 * DASSL, DASKR, IDA, CVODE, DOP853, DOPRI5 with hand-written right-hand sides, tolerances by
 * decades, one core. Times are of the machine on which the table was made; ivp_calibrate gives the
 * factor to this one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"

#include <stddef.h>

const ivp_problem ivp_problems[] = {
    {"chemakzo", "chemakzo", .best6 = 20, .by6 = "RODAS", .best9 = 70, .by9 = "RADAU5"},
    {"transamp", "transamp", .best6 = 1707, .by6 = "MEBDFI", .best9 = 4826, .by9 = "RADAU"},
    {"nand", "nand", .best6 = 2247, .by6 = "IDA", .best9 = 9991, .by9 = "DASKR"},
    {"twobit", "twobit", .best6 = 1870000, .by6 = "DASKR", .least_error = 1e-7},
    {"pump", "pump", .constrained = true, .best6 = 1744, .by6 = "IDA", .best9 = 10793,
     .by9 = "PSIDE"},
    {"fekete", "fekete", .constrained = true, .best6 = 25145, .by6 = "MEBDFI", .best9 = 54233,
     .by9 = "MEBDFI"},
    {"tube", "tube", .constrained = true, .best6 = 29323, .by6 = "PSIDE", .best9 = 107000,
     .by9 = "PSIDE"},
    {"crank", "crank", .constrained = true, .best6 = 22880, .by6 = "MEBDFI", .best9 = 112000,
     .by9 = "BIMD"},
    {"wheelset", "wheelset", .constrained = true, .best6 = 81639, .by6 = "IDA",
     .least_error = 1e-8},
    {"caraxis", "caraxis", .constrained = true, .best6 = 1466, .by6 = "RADAU", .best9 = 9192,
     .by9 = "BIMD"},
    {"caraxis-ggl", "caraxis", .formulation = "ggl", .best6 = 1231, .by6 = "MEBDFI", .best9 = 3122,
     .by9 = "MEBDFI"},
    {"andrews", "andrews", .constrained = true, .best6 = 1550, .by6 = "MEBDFI", .best9 = 13755,
     .by9 = "BIMD", .least_error = 1e-10},
    {"andrews-ggl", "andrews", .formulation = "ggl", .best6 = 3857, .by6 = "MEBDFI", .best9 = 7632,
     .by9 = "MEBDFI", .least_error = 1e-10},
    {"hires", "hires", .best6 = 65, .by6 = "RODAS", .best9 = 225, .by9 = "RADAU"},
    {"pollution", "pollution", .best6 = 59, .by6 = "RODAS", .best9 = 257, .by9 = "RODAS"},
    {"rober", "rober", .best6 = 56, .by6 = "RADAU5", .best9 = 128, .by9 = "RADAU"},
    {"orego", "orego", .best6 = 268, .by6 = "RADAU5", .best9 = 547, .by9 = "RADAU"},
    {"vdpol", "vdpol", .best6 = 160, .by6 = "RADAU", .best9 = 260, .by9 = "RADAU"},
    {"vdpolm", "vdpolm", .best6 = 142, .by6 = "BIMD", .best9 = 202, .by9 = "RADAU"},
    {"e5", "e5", .abs_tol = 1e-6, .best6 = 185, .by6 = "RADAU5", .best9 = 288, .by9 = "RADAU"},
    {"ring", "ring", .best6 = 167000, .by6 = "RADAU", .best9 = 247000, .by9 = "RADAU"},
    {"medakzo", "medakzo", .best6 = 11579, .by6 = "CVODE", .best9 = 21885, .by9 = "RADAU",
     .least_error = 1e-10},
    {"emep", "emep", .abs_tol = 1, .best6 = 26420, .by6 = "IDA"},
    {"beam", "beam", .best6 = 29197, .by6 = "GAMD", .best9 = 190000, .by9 = "RADAU"},
    {"pleiades", "pleiades", .nonstiff = true, .best6 = 1619, .by6 = "DOP853", .best9 = 3236,
     .by9 = "DOP853"},
    {.name = NULL},
};
