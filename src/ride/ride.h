/* One run of an FMU, from inside.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RIDE_RIDE_H
#define RIDE_RIDE_H

#include "api/run.h"
#include "import/fmu_plan.h"
#include "import/seat.h"

struct vinc_fmu {
    vinc_ctx *ctx;
    mem m; // the context's, without a guard
    watch watch;
    import_file file;
    import_plan plan;
    import_seat seat;
    double *set;          // values of plan.set
    plan_table table;     // of inputs
    double t_event;       // the last event: from there on the right limits of inputs hold
    vinc_sim_options run; // as given; texts are copies
    bool in_process;
    const char *where; // of temporary files
    sim_options options;
    const char *name; // of the model
    vinc_result result;
    bool ran;
    sim_outcome done;
    long calls; // requests to the FMU
    double wall_open, wall_init, wall_integrate;
};

/* Values of the inputs at t, in the box. */
void fmu_inputs(vinc_fmu *f, double t);
/* The first time after t at which an input jumps; +inf: never. user: the vinc_fmu. */
double fmu_next_break(void *user, double t);
/* A request, counted. */
bool fmu_ask(vinc_fmu *f, box_request request, unsigned ask);
/* From initialized to the stop time: by our integrators, by steps of its own. done is filled, its message too;
 * rows go to the result. */
int fmu_exchange(vinc_fmu *f);
int fmu_steps(vinc_fmu *f);

#endif
