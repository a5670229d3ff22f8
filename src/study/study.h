/* What the studies of a method on a model share: runs with fixed steps, values at their end.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include "api/run.h"
#include "plot/plot.h"

/* Columns of s->result by --vars, or (vars NULL) the differential unknowns: how many, or a negative
 * status after a diagnostic. list is in a. Inside the guard. */
int api_study_columns(vinc_sim *s, const char *vars, arena *a, int **list);

/* Write a figure and free it: to a file, or as a chart into out where path is "-". */
int api_write_figure(vinc_ctx *ctx, const char *path, plot_figure *f, text *out);

#endif
