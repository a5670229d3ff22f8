/* SPDX-License-Identifier: BSD-3-Clause */
#include "by_hand.h"

enum { LANES = 16 };

void lorenz_by_hand(const double *rho, double *x_out, double *y_out, double *z_out, size_t n,
                    int steps, double h)
{
    for (size_t at = 0; at < n; at += LANES) {
        double x[LANES], y[LANES], z[LANES], r[LANES];
        for (int i = 0; i < LANES; i++) x[i] = 1, y[i] = 0, z[i] = 0, r[i] = rho[at + i];
        for (int k = 0; k < steps; k++)
            for (int i = 0; i < LANES; i++) {
                double x1 = 10 * (y[i] - x[i]), y1 = r[i] * x[i] - y[i] - x[i] * z[i],
                       z1 = x[i] * y[i] - 2.666 * z[i];
                double a = x[i] + h / 2 * x1, b = y[i] + h / 2 * y1, c = z[i] + h / 2 * z1;
                double x2 = 10 * (b - a), y2 = r[i] * a - b - a * c, z2 = a * b - 2.666 * c;
                a = x[i] + h / 2 * x2, b = y[i] + h / 2 * y2, c = z[i] + h / 2 * z2;
                double x3 = 10 * (b - a), y3 = r[i] * a - b - a * c, z3 = a * b - 2.666 * c;
                a = x[i] + h * x3, b = y[i] + h * y3, c = z[i] + h * z3;
                double x4 = 10 * (b - a), y4 = r[i] * a - b - a * c, z4 = a * b - 2.666 * c;
                x[i] += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
                y[i] += h / 6 * (y1 + 2 * y2 + 2 * y3 + y4);
                z[i] += h / 6 * (z1 + 2 * z2 + 2 * z3 + z4);
            }
        for (int i = 0; i < LANES; i++)
            x_out[at + i] = x[i], y_out[at + i] = y[i], z_out[at + i] = z[i];
    }
}
