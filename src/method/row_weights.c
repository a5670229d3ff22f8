/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/row_weights.h"

#include "la/simd.h"

SIMD_CLONES void row_times(double begin, double end, long k, long n, double *t)
{
    const simd4 lane = {0, 1, 2, 3};
    *(simd4 *)t = begin + (end - begin) * ((double)k + lane) / (double)n;
}

SIMD_CLONES void row_weights_rosenbrock(int rows, const double *t, double end, double h,
                                        row_weight *weight)
{
    simd4 x = 1 + (*(const simd4 *)t - end) / h, z = 1 - x, power = {1, 1, 1, 1};
    *(simd4 *)weight[0] = z;
    *(simd4 *)weight[1] = x;
    for (int m = 2; m < rows; m++) {
        *(simd4 *)weight[m] = x * z * power;
        power = power * x;
    }
}

SIMD_CLONES void row_weights_collocation(const scheme *k, bool bends, const double *t, double end,
                                         double h, row_weight *weight)
{
    simd4 x = 1 + (*(const simd4 *)t - end) / h, product = {1, 1, 1, 1}, bend = {0};
    *(simd4 *)weight[0] = product;
    for (int j = 0; j < k->s; j++) {
        product = product * (x - k->c[k->s - 1 - j]);
        *(simd4 *)weight[1 + j] = product;
    }
    if (!bends) return;
    for (int j = k->s; j >= 0; j--) bend = bend * x + k->integral[j];
    *(simd4 *)weight[1 + k->s] = bend * x;
}

SIMD_CLONES void row_weights_alternating(int rows, const double *t, double end, double h,
                                         row_weight *weight)
{
    simd4 x = (*(const simd4 *)t - (end - h)) / h, z = 1 - x, product = {1, 1, 1, 1};
    for (int m = 0; m < rows; m++) {
        *(simd4 *)weight[m] = product;
        if (m % 2) product = product * z;
        else product = product * x;
    }
}
