/* What depends on what in a model: by its equations, whatever the values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_DEPENDS_H
#define FMU_DEPENDS_H

#include "api/run.h"

/* A set of what is known: the time, states, inputs and parameters, in this order; and one more member,
 * which stands for all of them: what changes in events depends on no one knows what. */
typedef struct fmu_depends {
    int n_states, n_inputs, n_parameters; // parameters by place
    int words;
    uint64_t *columns; // by variable of the run
    uint64_t *rates;   // by state
} fmu_depends;

enum { FMU_KNOWN_TIME, FMU_KNOWN_STATES };
/* NULL: not to be had, because the model is too large or its equations are not determined. */
fmu_depends *fmu_depends_of(vinc_sim *sim, arena *a);
/* By input that is not discrete: does the model use its derivative? used: false to begin with. */
void fmu_input_rates(const code_model *m, arena *a, bool *used);

static inline int fmu_known_input(const fmu_depends *d, int i)
{
    return FMU_KNOWN_STATES + d->n_states + i;
}

static inline int fmu_known_parameter(const fmu_depends *d, int i)
{
    return fmu_known_input(d, d->n_inputs) + i;
}

static inline int fmu_known_all(const fmu_depends *d)
{
    return fmu_known_parameter(d, d->n_parameters);
}

static inline bool fmu_has(const uint64_t *set, int known)
{
    return set[known / 64] >> known % 64 & 1;
}

#endif
