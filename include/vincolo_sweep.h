/* vincolo_sweep.h: many runs of one model.
 *
 *     const char *vary[] = {"L=0.5:2:0.01", "g~normal(9.81,0.1)"};
 *     vinc_sweep_options o = {.vary = vary, .n_vary = 2, .samples = 100,
 *                             .collect = "max(x); final(E)", .out = "pendulum.csv"};
 *     vinc_sweep *sweep = NULL;
 *     int rc = vinc_sweep_of(model, &o, &sweep);
 *     if (!rc) printf("%s", vinc_report_text(sweep, VINC_TEXT));
 *     vinc_report_free(sweep);
 *
 * Run k has the same parameters and gives the same bits for any number of threads, processes and parts,
 * in any order, after any interruption. A run that fails is a row with its reason.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef VINCOLO_SWEEP_H
#define VINCOLO_SWEEP_H

#include "vincolo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A run that is done. Arrays and texts live until the call returns. */
typedef struct vinc_sweep_row {
    long long run;            // from 0
    const double *parameters; // one of each axis
    const double *values;     // one of each expression of `collect`; NaN: it has none
    int status;               // VINC_OK, VINC_TERMINATED, or why it failed
    const char *reason;       // of a failed run; "" otherwise
} vinc_sweep_row;

typedef struct vinc_sweep_progress {
    long long done, failed, total; // runs, those found by `resume` included
    double seconds;                // since the sweep began
    double rate, left;             // runs per second; seconds left; 0: not known yet
} vinc_sweep_progress;

/* A zeroed struct means all defaults. */
typedef struct vinc_sweep_options {
    const vinc_sim_options
        *run; // times, tolerances, method; its callbacks are not used. NULL: defaults
    /* What is varied, each a text: "L=0.5:2:0.01" (from, to, step), "L=1,2,5", "g~normal(9.81,0.1)",
     * "g~uniform(a,b)", "g~lognormal(mu,sigma)" (of the logarithm), "g~triangular(a,mode,b)", or the
     * path of a CSV file with a header of names and a row for each run. All combinations are run, in
     * each of them the same samples of what is random. */
    const char *const *vary;
    int n_vary;
    const char
        *collect; // "max(x); final(E); name = at(y,3.5)"; NULL: final() of all outputs or states
    long long samples;  // of what is random
    const char *design; // of the samples: "random" (NULL), "lhs" or "sobol"
    unsigned long long seed;
    int indices; // 1: Sobol' indices: samples * (axes + 2) runs
    int jobs;    // threads; 0: one for each processor
    /* Who computes: "cpu" (NULL); "vector", several runs in each vector register; "gpu", one in each
     * thread of an NVIDIA GPU. The last two make kernels of the model by the methods euler, heun, rk4,
     * dopri5, dopri8, rodas3 and rodas4 (NULL: dopri8, rodas4 where stiff) and give values at the end of runs; a model that
     * does not fit is run as by "cpu", after a warning that says why. */
    const char *device;
    int ranks; // 1: over the processes of mpirun, which all call this; threads are 1 each by default
    int part, parts;          // only part `part` of `parts`, from 1; 0: all runs
    const char *out;          // rows: .csv, .mat, .h5; NULL: they are not kept in a file
    int resume;               // 1: go on where an interrupted sweep with the same `out` ended
    const char *trajectories; // a folder: every run's curves of run->vars in a file of its own
    /* A figure: .svg, .png, .pdf, "-"; .html is the report, with all of them. show: "curves" (those of
     * run->vars over time, where they are given: median and bands of quantiles), "response" (each value
     * over the grid, or a map where there are two), "histogram" or "scatter" (values over parameters);
     * NULL: the first of these that there is. */
    const char *plot, *show;
    const vinc_plot_options *figure;
    /* Rows in the order of runs; progress several times a second. Non-zero stops the sweep. */
    int (*row)(void *user, const vinc_sweep_row *row);
    int (*progress)(void *user, const vinc_sweep_progress *p);
    void *user;
} vinc_sweep_options;

enum { VINC_SWEEP_QUANTILES = 5 }; // 5, 25, 50, 75 and 95 per cent

/* What one collected expression came to, over the runs in which it has a value. */
typedef struct vinc_sweep_value {
    const char *name;
    long n;
    double mean, sd, min, max;
    const double *quantiles; // VINC_SWEEP_QUANTILES, the inverse of the empirical distribution
    int n_quantiles;
    int n_indices; // axes, where indices were asked for
    const char *const *axes;
    const double *first, *total; // Sobol' indices by axis
} vinc_sweep_value;

typedef struct vinc_sweep_failure {
    const char *reason; // of the first run that failed so
    long n;
    long first; // run
} vinc_sweep_failure;

typedef struct vinc_sweep {
    vinc_report *report;
    const char *model, *class_name;
    const char *status; // "done", "stopped"
    long runs;          // of the whole sweep, or of this part of it
    long done, failed;
    const char *out;
    const char *const *parameters; // names of the axes
    int n_parameters;
    const vinc_sweep_value *values;
    int n_values;
    const vinc_sweep_failure *failures; // the most frequent first, at most 20
    int n_failures;
    int rank, ranks; // process 0 has the rows, the others know nothing of them
    int jobs;
    const char *device, *method; // who computed; the method of kernels, NULL: that of ordinary runs
    double seconds, rate;        // of this call
    const char *chart;           // for the terminal, where `plot` is "-"
} vinc_sweep;

/* Plan, run, collect. What can be wrong is said before the first run: names, structural parameters,
 * empty grids, numbers of runs beyond reach, files that cannot be written. VINC_STOPPED after an
 * interrupt: what is done is kept for `resume`, and told. */
VINC_API int vinc_sweep_of(vinc_model *model, const vinc_sweep_options *options, vinc_sweep **out);

/* Parts of one sweep become one file; of the options `out`, `plot`, `show` and `figure` are heeded. A part that
 * is missing, doubled or of another sweep is refused by name. */
VINC_API int vinc_sweep_merge(vinc_ctx *ctx, const char *const *parts, int n,
                              const vinc_sweep_options *options, vinc_sweep **out);

/* The i-th distribution of `vary`, and the i-th functional of `collect`, as they are written, and what
 * they are; NULL after the last. */
VINC_API const char *vinc_sweep_distribution(int i);
VINC_API const char *vinc_sweep_distribution_summary(int i);
VINC_API const char *vinc_sweep_functional(int i);
VINC_API const char *vinc_sweep_functional_summary(int i);

#ifdef __cplusplus
}
#endif
#endif
