/* Command-line options: one table for reading, checking, help and completion.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include "vincolo.h"

#include <stdbool.h>

enum { MAX_PATHS = 32, MAX_SETTINGS = 256 };

/* What the user asked for; zero where nothing was said. */
typedef struct options {
    char **words; // arguments that are not options, the command first (in argv)
    int n_words;
    const char *paths[MAX_PATHS]; // -L
    int n_paths;
    vinc_setting settings[MAX_SETTINGS]; // -p NAME=VALUE
    int n_settings;
    double start, stop, tol, abs_tol, step, intervals, max_steps;
    bool has_start, has_stop, has_tol, has_abs_tol, has_step, has_intervals, has_max_steps;
    const char *method, *formulation, *init, *input, *out, *plot, *vars, *log, *dump, *form;
    const char *methods, *formulations, *rhs, *x0, *show, *design, *num, *den, *storage, *title;
    bool dark, log_x, log_y;
    bool all, verify, convergence, contractivity, equilibrium, quiet, json, help, version;
} options;

enum { // commands, as bits
    CMD_CHECK = 1,
    CMD_RUN = 2,
    CMD_FLATTEN = 4,
    CMD_PARSE = 8,
    CMD_METHOD = 16,
    CMD_PLOT = 32,
    CMD_HELP = 64,
    CMD_PENCIL = 128,
    CMD_PASSIVITY = 256,
    CMD_COMPARE = 512,
    CMD_LINEARIZE = 1024,
    CMD_NEW = 2048,
    CMD_TOUR = 4096,
    CMD_ALL = 8191
};

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_REAL,
    OPTION_COUNT,
    OPTION_TEXT,
    OPTION_PATH,
    OPTION_SETTING
} option_kind;

typedef struct option {
    const char *name; // "--tol", or "-L"
    option_kind kind;
    const char *value; // how the value is called in help; NULL for flags
    unsigned commands;
    double min, max;   // numbers only
    size_t place, has; // offsets into options
    const char *help;
} option;

extern const option option_table[]; // ends with a NULL name

/* Read argv[1...]. On a mistake the message, which names the option and the way out, goes to
 * standard error and the result is false. */
bool options_read(int argc, char **argv, unsigned bit, options *o);

#endif
