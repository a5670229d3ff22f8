/* What is run: axes, their combinations, and the parameters of run k.
 *
 * Grids, lists and the rows of a file are groups; all combinations of groups are run, the last group
 * fastest, and in each of them the same samples of the random axes. Run k is sample k % samples of
 * combination k / samples. For Sobol' indices (A. Saltelli et al., Comput. Phys. Commun. 181 (2010)
 * 259-270) there are axes + 2 runs for each sample: point a, point b, and a with one coordinate of b.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_PLAN_H
#define SWEEP_SWEEP_PLAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "sweep/sweep_draw.h"

#include <stdbool.h>

/* A distribution is one entry of the list in sweep_plan.c. */
typedef struct sweep_distribution {
    const char *name, *arguments, *summary;
    int n_arguments;
    const char *(*wrong)(const double *a);         // what is wrong with the arguments, or NULL
    double (*quantile)(const double *a, double u); // the value with probability u below it
} sweep_distribution;
extern const sweep_distribution sweep_distributions[]; // ends with a NULL name

typedef struct sweep_axis {
    const char *name;
    int group;                              // -1: random
    const double *values;                   // of its group
    int dimension;                          // of the samples
    const sweep_distribution *distribution; // where it is random
    double arguments[3];
} sweep_axis;

typedef struct sweep_group {
    uint64_t n;
    bool grid; // one axis of ascending values, by which a curve can be drawn
    int axis;  // its first axis
} sweep_group;

enum { SWEEP_AXES_MOST = 128 };
static const double SWEEP_RUNS_MOST = 1e10;

typedef struct sweep_plan {
    sweep_axis axes[SWEEP_AXES_MOST];
    sweep_group groups[SWEEP_AXES_MOST];
    int n_axes, n_groups, n_random;
    uint64_t combinations, samples, total;
    draw_design design;
    uint64_t seed;
    bool indices;
    uint64_t first, last; // runs of this part: first ... last - 1
} sweep_plan;

typedef struct sweep_request {
    const char *const *vary;
    int n_vary;
    double samples;
    const char *design;
    uint64_t seed;
    bool indices;
    int part, parts;
} sweep_request;

/* Read what is asked for; false after a message. Arrays are in a; inside a guard. */
bool sweep_plan_make(sweep_plan *p, const sweep_request *r, arena *a, diag_sink *d);
/* The parameters of run k, one of each axis. */
void sweep_plan_values(const sweep_plan *p, uint64_t k, double *out);

#endif
