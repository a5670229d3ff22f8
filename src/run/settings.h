/* Parameter values and start values: what was set from outside, and what follows from it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SETTINGS_H
#define RUN_SETTINGS_H

#include "base/bump.h"
#include "run/state.h"

/* A parameter or start value given from outside. */
typedef struct run_setting {
    int var, order;      // of this derivative of the variable
    bool negated;        // the entry has the opposite sign
    int param, entry, w; // place in p, entry, or place in w; the others are -1
    double value;
} run_setting;

typedef struct run_settings {
    run_setting *at;
    int n, cap;
    uint8_t *overridden; // by parameter
    double *bound;       // outputs of the function of bound parameters
} run_settings;

typedef struct run_attributes {
    double *value; // outputs of the function of attributes
    double *start; // by entry
    uint8_t *fixed;
} run_attributes;

void settings_layout(run_state *s, const code_model *m, bump *b);
void settings_free(run_state *s);

#endif
