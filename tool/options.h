/* Command-line options: one table for reading, checking, help and completion.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "vincolo.h"

#include <stdbool.h>

enum { MAX_PATHS = 32, MAX_SETTINGS = 2000, MAX_VARIED = 128 };

/* What the user asked for; zero where nothing was said. */
typedef struct options {
    char **words; // arguments that are not options, the command first (in argv)
    int n_words;
    const char *paths[MAX_PATHS]; // -L
    int n_paths;
    vinc_setting settings[MAX_SETTINGS]; // -p NAME=VALUE
    int n_settings;
    const char *from;
    const char *params, *times; // files of these, or a list of times; as they were read:
    const char *setting_places[MAX_SETTINGS]; // NULL: -p
    char *values_text, *places;               // of the settings in a file
    double *time_list;
    int n_times;
    const char *varied[MAX_VARIED]; // --vary
    int n_varied;
    double samples, seed;
    bool has_samples, has_seed;
    const char *collect, *device, *part, *trajectories;
    bool resume, indices, merge;
    double start, stop, tol, abs_tol, step, intervals, max_steps;
    bool has_start, has_stop, has_tol, has_abs_tol, has_step, has_intervals, has_max_steps;
    double max_time, max_memory, adjoint_memory, checkpoint; // seconds, bytes, seconds
    bool has_max_time, has_max_memory, has_adjoint_memory, has_checkpoint;
    const char *method, *formulation, *linear, *init, *input, *out, *plot, *vars, *sens, *log,
        *dump, *form;
    const char *methods, *formulations, *rhs, *x0, *show, *at, *design, *num, *den, *storage,
        *title, *norm, *sweep, *lqr, *observer, *only, *reference, *target, *kinds;
    const char *goal, *of, *over, *subject, *controls, *way, *report;
    bool maximize;
    const char *conditions, *observables, *noise, *distribution;
    double starts, pieces, iterations;
    bool has_starts, has_pieces, has_iterations, evaluate, no_sens_control, adjoint, profile;
    double jobs, timeout, fmi, port;
    bool has_jobs, has_timeout, has_fmi, has_port, list;
    bool dark, log_x, log_y;
    bool all, matrices, verify, convergence, contractivity, baumgarte, drift, no_chart, exchange,
        equilibrium, transfer, bode, nyquist, root_locus, response, sandbox, allow_external,
        in_process, source, distributed;
    bool quiet, json, help, version;
} options;

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_REAL,
    OPTION_COUNT,
    OPTION_SIZE, // bytes: 500M, 2G
    OPTION_TEXT,
    OPTION_PATH,
    OPTION_VARIED,
    OPTION_SETTING
} option_kind;

typedef struct option {
    const char *name; // "--tol", or "-L"
    option_kind kind;
    const char *value; // how the value is called in help; NULL: a flag, or made of what follows
    double min, max;   // numbers only
    size_t place, has; // offsets into options
    const char *help;
    bool common;                                 // every command takes it
    const char *(*word)(int i);                  // values to choose from; NULL after the last
    int (*format)(int i, vinc_file_format *out); // files of these formats
} option;

extern const option option_table[]; // ends with a NULL name

struct command;

/* Read argv[1...] for a command (NULL: there is none). On a mistake the message, which names the
 * option and the way out, goes to standard error and the result is false. */
bool options_read(int argc, char **argv, const struct command *c, options *o);

/* Does the command take the option? Without a command every option is taken. */
bool option_belongs(const option *o, const struct command *c);

enum { OPTION_TEXT_BYTES = 400 };
/* The value as help shows it: NAME, FILE.csv|.mat, flat|blt; NULL for flags. */
const char *option_value(const option *o, char room[OPTION_TEXT_BYTES]);
/* What it does; "%s" in the table stands for the values to choose from. */
const char *option_help(const option *o, char room[OPTION_TEXT_BYTES]);

#endif
