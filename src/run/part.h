/* Some equations of the model as functions of some unknowns, all else being given.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_PART_H
#define RUN_PART_H

#include "method/rosenbrock.h"
#include "run/state.h"
#include "target/target.h"

enum { PARTS_MAX = 512 }; // that are kept

typedef struct part_writer part_writer;

/* The equations as functions of the unknowns of the part and of what is given. Twenty controllers of twenty rooms differ in
 * what is given: they share it. */
typedef struct part_code_shared {
    const tape *row_tape, *slope_tape; // of which it was made
    long asked;                        // so many times for steps in one piece, in this run
    part_writer *writer;               // to make code for them; NULL: that was tried
    bool counted;                      // its cost, in this run
    double cost, cost_of_step;         // operations of making it
    double work_rows, work_slopes;     // ... of it
    tape_code *rows, *slopes;          // slopes: NULL where they were not asked for
    tape_code *step;                   // NULL: there is none
} part_code_shared;

typedef struct run_part {
    int n, n_rows, n_given;
    int *unknowns, *equations;
    bool with_slopes, differences, failed;
    vinc_some told; // of its making
    bool counted;   // its cost, in this run
    double cost;    // operations of making it, but for its code
    tape_code *given;
    part_code_shared *code;
} run_part;

typedef struct run_of_parts {
    int n;
    bool tried;
    run_part *part; // PARTS_MAX
    int n_codes;
    part_code_shared *code; // PARTS_MAX
    arena *kept;            // of the pickers
    tape_picker *rows, *slopes;
    double *scratch; // of any code of parts
    double made;     // operations that making those took that this run asked for
    size_t scratch_bytes;
} run_of_parts;

/* May there be parts? */
bool part_offered(const code_model *m);
void part_free(run_state *s);
/* A run begins. What was made for runs before is as if it were made anew: each takes the same steps. */
void part_forget(run_state *s);
int part_new(void *user, vinc_some *part);
int part_given(void *user, int id, const vinc_some_points *at, double *given, int stride);
int part_rows(void *user, int id, const double *given, const double *own, double *r);
int part_step(void *user, int id, const rosenbrock_part *step);
int part_slopes(void *user, int id, const double *given, const double *own, double *dy);

#endif
