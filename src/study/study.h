/* Analyses of models, runs and methods.
 *
 * An analysis is one file and one entry in the list: it fills a struct of vincolo_report.h, and its
 * told_kind describes that struct (told/told.h). The file ends with the two calls of the public
 * headers, one that gives the struct and one that gives its text.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "api/run.h"
#include "plot/plot.h"
#include "sweep/sweep.h"
#include "told/told.h"

extern const told_kind *const study_kinds[]; // ends with NULL
extern const told_kind study_check, study_mechanics, study_region, study_run, study_comparison,
    study_convergence, study_contractivity, study_stabilisation, study_mode_steps, study_locus,
    study_linear, study_control, study_passivity, study_positive_real, study_pencil,
    study_method_set, study_examples, study_difference, study_fit, study_gradient, study_optimum, study_fmu_contents, study_fmu_run,
    study_failure;
extern const told_field study_run_fields[]; // also of the runs of a comparison

/* The end of a call that gives a text: rc, or the text of what was told, kept by the model,
 * the run or the context until the next. What was told is freed. */
int study_say(vinc_model *model, int rc, void *told, vinc_format format, const char **out);
int study_say_sim(vinc_sim *s, int rc, void *told, vinc_format format, const char **out);
int study_say_ctx(vinc_ctx *ctx, int rc, void *told, vinc_format format, const char **out);

/* Columns of s->result by --vars, or (vars NULL) the differential unknowns: how many, or a negative
 * status after a diagnostic. list is in a. Inside the guard. */
int study_columns(vinc_sim *s, const char *vars, arena *a, int **list);

/* Write a figure and free it. Where path is "-", a chart for the terminal in `room`, and *chart says
 * so. */
int study_write_figure(vinc_ctx *ctx, const char *path, plot_figure *f, text *room,
                       const char **chart);

/* A matrix in words, `name` beside its first row. */
void study_print_matrix(text *o, const char *name, int rows, int cols, const double *x);

#endif
