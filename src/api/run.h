/* One run, from inside.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_RUN_H
#define API_RUN_H

#include "api/api.h"
#include "code/code.h"
#include "result/result.h"
#include "sim/sim.h"

struct vinc_result {
    vinc_ctx *ctx;
    result *r;
    text out;      // the chart last handed out
    bool owned;    // made by vinc_result_read
    vinc_sim *sim; // whose result it is; NULL: it was read
};

struct vinc_sim {
    vinc_model *model;
    mem m; // the context's, without a guard
    arena a;
    form_system *form;
    code_model *code;
    code_state *state;
    double *y, *yp;     // the point reached
    size_t point_bytes; // of each
    sim_options options;
    vinc_sim_options callbacks;             // as given by the user
    const char *method_given, *formulation; // NULL: chosen
    const char *method;                     // in use; after a run its last
    const char *method_why;                 // where it was chosen here
    const struct method_formula *formula;   // of a method that is a file
    bool as_given, verify, ran, equilibrium;
    api_walls wall;
    vinc_result result;
    sim_outcome done;
    result *steps; // the chart of steps; NULL: not asked for
    code_init_report init;
    int redundant;      // constraints that say nothing new at the start
    int n_singular;     // positions crossed
    double t_singular;  // the first of them
    result *table;      // of the top-level inputs
    int *input_columns; // in it, by input; -1: not driven
    size_t n_input_columns;
    size_t input_row; // where the table was last read
    double verified; // largest relative difference to the run at a tenth of the tolerance; < 0: not
                     // done
    int verified_column;
    const char *set_name; // arguments of vinc_sim_set on their way through the guard
    double set_value;
    text why, out;
};

/* Turn s->why into a diagnostic and give status back. */
int api_report(vinc_sim *s, int status, const char *code);
/* A consistent start in s->y and s->yp; within the guard of api_guarded or outside. */
int api_initialize(vinc_sim *s);
/* From s->y, s->yp to a point of rest; refused where constraints are redundant. */
int api_rest(vinc_sim *s);
int api_rest_of_independent(vinc_sim *s);
/* From s->y, s->yp to the stop time; rows go to the new result `into`. */
int api_integrate(vinc_sim *s, result *into);
/* Declare one column of r per variable of the model. */
int api_declare_columns(vinc_sim *s, result *r);
/* Read the method where it is a file, and warn where its order is lost on this formulation.
 * VINC_E_OPTION after a diagnostic. */
int api_use_method(vinc_sim *s);
/* Start values are known: where constraints turn out to be redundant, say so and change to a
 * formulation that can live with it. */
int api_settle_redundant(vinc_sim *s);
/* Warn of reactions that do work, where the formulation has the mechanical view. */
int api_warn_working(vinc_sim *s);
/* Room in s->y, s->yp for the unknowns of a state; what was there is given back. */
int api_make_point(vinc_sim *s, code_state *state);
/* Run with another formulation; what was set stays. The code is the run's from now on. */
int api_exchange_code(vinc_sim *s, form_system *form, code_model *code);
/* For sim_options.singular; and, after a failure, what a singular position has to do with it. */
void api_pass_singular(void *user, double t, const double *y, const double *yp);
void api_note_singular(vinc_sim *s, int status, double t);
/* Warn where the method, with its fixed step, undoes what the formulation stabilises. */
void api_warn_decay(vinc_sim *s);
/* The JSON object of `vincolo run`, without the final values where they are not wanted. */
void api_run_json(vinc_sim *s, bool final, text *out);
/* The status of a call to result or plot; outside the guard of api_guarded. A fault is reported. */
int api_finish(vinc_ctx *ctx, int rc, const result_fault *fault);
/* The report of one result (`--plot FILE.html`); name is shown where there is no model. */
int api_write_page(vinc_result *v, const char *name, const char *path, const vinc_plot_options *o);
/* Read the table of --input and match its columns to the top-level inputs. */
int api_open_inputs(vinc_sim *s, const char *path);

#endif
