/* The report of a run: one HTML file that needs nothing else, with the model and its structure,
 * statistics, curves to zoom into, and the moving model.
 *
 * It is made in two strokes. report_data writes everything the page shows as one JSON text, with
 * columns of numbers as base64 of little-endian doubles; long columns are thinned without losing
 * extrema. report_write puts page, libraries and data into a file that appears whole or not at all.
 * The page itself (page/) is plain JavaScript; curves are drawn by dygraphs, solids by three.js,
 * both built in.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/arena.h"
#include "base/text.h"
#include "flat/flat.h"
#include "result/result.h"

/* Zero or NULL where there is nothing to say: a report of a saved result has curves only. */
typedef struct report_spec {
    const char *title, *comment;
    const char *version;
    const char *run, *check; // the JSON objects of `vincolo run` and `vincolo check`
    const char *source;      // the model's text
    const char *settings;    // a JSON object of texts
    const result *r;
    const result_selection *select; // curves (plot_select)
    int left_out;                   // variables that are not among them
    const result *steps;            // the chart of steps (sim_chart_columns)
    flat_model *model;              // for its drawings
    bool dark;
} report_spec;

/* Numbers in the page altogether, about; each takes 11 bytes. */
enum { REPORT_CURVE_VALUES = 240000, REPORT_SCENE_VALUES = 100000 };

/* *solid: the moving model needs three dimensions. RESULT_OK, RESULT_GAPS or the reason why not;
 * temporary memory comes from scratch. */
int report_data(const report_spec *spec, arena *scratch, text *out, bool *solid,
                result_fault *fault);
int report_write(mem *m, const char *title, const text *data, bool solid, const char *path,
                 result_fault *fault);

#endif
