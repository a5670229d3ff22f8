/* What a model is called, how long it wants to run and by what, and the counts that reports tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_ABOUT_H
#define IMAGE_ABOUT_H

#include "image/list.h"

// clang-format off

/* Of the annotations experiment(...) and __Vincolo(...): NaN and NULL where they do not say. */
#define IMAGE_ABOUT(X)                                                                                                           \
    X(TEXT, name, "of its class, in full")                                                                                       \
    X(NUMBER, double, start, "when a run begins")                                                                                \
    X(NUMBER, double, stop, "when it ends")                                                                                      \
    X(NUMBER, double, tolerance, "relative")                                                                                     \
    X(NUMBER, double, interval, "from one row to the next")                                                                      \
    X(TEXT, method, "by which it is integrated")                                                                                 \
    X(TEXT, formulation, "in which it is solved")                                                                                \
    X(TEXT, linear, "how linear systems are solved")
typedef struct image_about {
    IMAGE_ABOUT(IMAGE_MEMBER)
} image_about;

/* p[0] s^order + p[1] s^(order-1) + ...: the polynomial by which violations of constraints are to decay. */
enum { IMAGE_DECAY_MAX = 20 };
#define IMAGE_DECAY(X)                                                                                                           \
    X(INDEX, int, order, 0, IMAGE_DECAY_MAX + 1, "0: nothing is stabilised")                                                     \
    X(FEW, double, p, IMAGE_DECAY_MAX + 2, "coefficients")
typedef struct image_decay {
    IMAGE_DECAY(IMAGE_MEMBER)
} image_decay;

#define IMAGE_SUMMARY(X)                                                                                                         \
    X(TEXT, formulation, "its name")                                                                                             \
    X(TEXT, formulation_summary, "in one line")                                                                                  \
    X(NUMBER, bool, drifts, "constraints as written hold within the errors of steps only, unless steps are projected")           \
    X(NUMBER, bool, conserves, "nothing drives or damps the model: T + V stays as it is")                                        \
    X(COUNT, n_unknowns, "of the model as written")                                                                              \
    X(NUMBER, int, freedom, "independent velocities of a mechanical system; of others, free initial values")                     \
    X(TEXT, open, "connectors that nothing is connected to, in words; NULL: there are none")                                     \
    X(PART, image_decay, decay, "of the constraints that are differentiated most")
typedef struct image_summary {
    IMAGE_SUMMARY(IMAGE_MEMBER)
} image_summary;

// clang-format on

#endif
