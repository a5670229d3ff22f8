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

/* decay[0] s^n + decay[1] s^(n-1) + ...: the polynomial by which violations of constraints are to decay. */
enum { IMAGE_DECAY_MAX = 20 };

#define IMAGE_SUMMARY(X)                                                                                                         \
    X(TEXT, formulation, "its name")                                                                                             \
    X(TEXT, formulation_summary, "in one line")                                                                                  \
    X(NUMBER, bool, drifts, "constraints as written hold within the errors of steps only, unless steps are projected")           \
    X(NUMBER, bool, conserves, "nothing drives or damps the model: T + V stays as it is")                                        \
    X(COUNT, n_unknowns, "of the model as written")                                                                              \
    X(NUMBER, int, freedom, "independent velocities of a mechanical system; of others, free initial values")                           \
    X(TEXT, open, "connectors that nothing is connected to, in words; NULL: there are none")                                     \
    X(INDEX, int, n_decay, 0, IMAGE_DECAY_MAX + 2, "degree of that polynomial; 0: nothing is stabilised")                        \
    X(FEW, double, decay, IMAGE_DECAY_MAX + 2, "its coefficients, that of the highest power first")
typedef struct image_summary {
    IMAGE_SUMMARY(IMAGE_MEMBER)
} image_summary;

// clang-format on

#endif
