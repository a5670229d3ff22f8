/* Chebyshev points of a piece of a trajectory, and the polynomial through values at them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_PIECES_H
#define RUN_PIECES_H

#include <math.h>

enum { NODES = 7 };

typedef struct piece_nodes {
    double at[NODES], weight[NODES]; // places in [0, 1], barycentric weights
} piece_nodes;

static inline piece_nodes nodes_make(void)
{
    piece_nodes x;
    for (int i = 0; i < NODES; i++) {
        x.at[i] = 0.5 * (1 - cos(acos(-1) * i / (NODES - 1)));
        x.weight[i] = (i % 2 ? -1 : 1) * (i == 0 || i == NODES - 1 ? 0.5 : 1);
    }
    return x;
}

/* Value and derivative at u of the polynomial through f, by the barycentric formula. It is applied to what
 * the values differ from the first, so that a constant comes back to the last bit: the numbers of a digital
 * circuit go on as subscripts. */
static inline void nodes_read(const piece_nodes *x, const double *f, double u, double out[2])
{
    double up = 0, down = 0, slope = 0;
    int on = -1;
    for (int i = 0; i < NODES; i++) {
        if (u == x->at[i]) on = i;
        double c = x->weight[i] / (u - x->at[i]);
        up += c * (f[i] - f[0]);
        down += c;
    }
    double value = on >= 0 ? f[on] : f[0] + up / down;
    if (on >= 0) {
        for (int i = 0; i < NODES; i++)
            if (i != on)
                slope += x->weight[i] / x->weight[on] * (f[i] - f[on]) / (x->at[on] - x->at[i]);
    } else {
        for (int i = 0; i < NODES; i++)
            slope += x->weight[i] / (u - x->at[i]) * (value - f[i]) / (u - x->at[i]);
        slope /= down;
    }
    out[0] = value;
    out[1] = slope;
}

#endif
