/* Elementary functions for GPUs: as the C library's, a few units in the last place off.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_PTX_MATH_H
#define TARGET_PTX_MATH_H

double vinc_exp(double x);
double vinc_log(double x);
double vinc_log10(double x);
double vinc_sin(double x);
double vinc_cos(double x);
double vinc_tan(double x);
double vinc_asin(double x);
double vinc_acos(double x);
double vinc_atan(double x);
double vinc_atan2(double y, double x);
double vinc_sinh(double x);
double vinc_cosh(double x);
double vinc_tanh(double x);
double vinc_pow(double x, double y);

#endif
