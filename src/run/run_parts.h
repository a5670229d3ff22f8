/* The state of a run, made of parts: each has its own struct, layout and scratch, declared in the
 * header of the file that works on it. For the files of this room.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RUN_PARTS_H
#define RUN_RUN_PARTS_H

#include "external/external.h"
#include "run/accelerate.h"
#include "run/along.h"
#include "run/dependents.h"
#include "run/event_parts.h"
#include "run/forcing.h"
#include "run/invariants_run.h"
#include "run/kink.h"
#include "run/layered.h"
#include "run/output.h"
#include "run/own.h"
#include "run/past.h"
#include "run/project.h"
#include "run/rank.h"
#include "run/rates.h"
#include "run/reselect.h"
#include "run/row_lanes.h"
#include "run/settings.h"
#include "run/slide.h"
#include "run/stage_lanes.h"
#include "run/tick.h"
#include "run/verbs.h"
#include "run/whole_step.h"

/* Inputs from outside. */
typedef struct run_drive {
    void (*input)(void *user, double t, double *u, double *up);
    void *user;
    double *u, *up;
} run_drive;

/* Where something had no value last. */
typedef struct run_fault_at {
    bool any;
    double t, *y, *yp, *w;
    const code_fn *of; // a step of clocked equations; NULL: equations that hold at any time
} run_fault_at;

struct run_state {
    const code_model *model;
    mem *m;
    vinc_problem problem;
    external_run *routines; // objects of the routines that tapes call
    bool shares_routines;   // of the run whose `initial` this is
    double *p, *w, *scratch, *nominal;
    struct crew *crew; // threads that share long maps; NULL: this one
    double *r;         // n, of the right-hand side
    double *slopes;    // 4 n, of slopes by differences
    double *violation; // outputs of the constraints
    bool near;         // dependent unknowns are looked for near where they were, and nowhere else
    double within;     // what a solution may leave beside |y| + nominal; 0: as little as it can
    double beside;     // operations of what is solved for beside the integrator (work_beside)

    run_settings settings;
    run_attributes attributes;
    run_drive drive;
    run_dependents dependents;
    run_layers layers;
    run_dependents *aside; // of who looks at a run and leaves it as it is; NULL: nobody did
    size_t aside_bytes;
    run_choice choice;
    run_projection projection;
    run_regular regular;
    double kinetic_most; // the largest kinetic energy met so far
    run_accelerations accelerations;
    run_events events;
    run_ticks ticks;
    run_slide slide;
    run_forcing forcing;
    run_kinks kinks, corners;
    void *room; // of the start (run_room)
    size_t room_bytes;
    run_past *past; // what delay() remembers; NULL: nothing to remember
    run_recording recording;
    run_rows rows;
    run_stages stages;
    run_whole whole;
    run_own own;
    run_invariants invariants;
    run_rates rates;
    run_along along; // products of the Jacobian, where they were asked for
    run_fault_at fault;
    struct run_variation *variation; // derivatives that are carried along; NULL: none
    expr_label labels[4];            // names of unknowns that were asked for last
    int next_label;

    struct run_state *initial; // of model->initial, where it is another model
    size_t block_bytes;
    void *block;
};

void run_lay_out(run_state *s);        // arrays in the block that is there
void run_forget_factors(run_state *s); // those of a point before: the equations have changed
void run_listen(run_state *s);         // are there objects that are to know of kept steps?
/* Something has no value at this point: kept for the message, should the run stop for it. */
int run_note_fault(run_state *s, double t, const double *y, const double *yp); // gives 1

/* Asked for by every evaluation. */
static inline const code_fn *own_residual(run_state *s)
{
    run_own *x = &s->own;
    if (!x->tried && ++x->evaluations > OWN_EVALUATIONS_BEFORE) own_try(s);
    return x->residual.code ? &x->residual : &s->model->system.residual;
}

static inline double run_value(const run_state *s, const code_value *v)
{
    if (v->output == CODE_PARAMETER) return s->p[(int)v->number];
    return v->output < 0 ? v->number : s->attributes.value[v->output];
}

#endif
