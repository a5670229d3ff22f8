/* Sweeps: many runs of one model, what is kept of them, and what it comes to.
 *
 *     plan      axes, combinations, the parameters of run k        sweep_plan.h, sweep_draw.h
 *     collect   what is kept of a trajectory                       collect.h
 *     execute   who computes                                       execute.h
 *     hand      runs handed out, rows put in order                 hand.h
 *     store     a journal that survives                            sweep_store.h
 *     table     rows as CSV, MAT, HDF5                             sweep_table.h
 *     told      statistics, figures, the report                    statistics.h, sweep_figure.h
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "told/told.h"
#include "vincolo_sweep.h"

extern const told_kind sweep_told;

#endif
