/* Random small models whose solutions are known.
 *
 * The solution comes first: every variable gets a function of time. The equations are then written so
 * that it solves them, by subtracting from each what it leaves over with the solution put in (the
 * method of manufactured solutions), with enough damping that errors do not grow. So a model has any
 * of: differential equations, scalar or by arrays, algebraic ones in loops and chains, constraints of
 * index 2 and 3, components, functions, algorithms, branches, counters, samples and resets.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_RANDOM_MODEL_H
#define FUZZ_RANDOM_MODEL_H

#include "base/text.h"
#include "dice.h"

#include <stdbool.h>

enum {
    RANDOM_ROWS = 10
}; // times at which solutions are compared: k/RANDOM_ROWS, k = 0 ... RANDOM_ROWS
static const double RANDOM_STOP = 1;

typedef struct random_model random_model;

/* NULL: no memory. mem: for the text. */
random_model *random_model_new(mem *m, dice *d);
void random_model_free(random_model *r);

const char *random_model_text(const random_model *r);
int random_model_index(const random_model *r); // 1, 2 or 3: the highest that it was built with
int random_model_n(const random_model *r);
const char *random_model_name(const random_model *r, int i);
bool random_model_is_multiplier(const random_model *r,
                                int i); // found by differentiating a constraint
/* A state, or held by a constraint: in the error test whatever the formulation. */
bool random_model_is_controlled(const random_model *r, int i);
/* Does an event hang on a velocity of a constraint of index 3? */
bool random_model_switches_hidden(const random_model *r);
double random_model_value(const random_model *r, int i, double t);

#endif
