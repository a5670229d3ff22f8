/* What the commands share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include "options.h"
#include "vincolo.h"

#include <stdbool.h>

/* Exit statuses of the command: a contract with scripts. */
enum { EXIT_DONE = 0, EXIT_MODEL = 1, EXIT_USAGE = 2, EXIT_RUN = 3, EXIT_INTERRUPTED = 130 };

typedef struct command {
    const char *name, *arguments, *summary;
    unsigned bit; // CMD_...
    int (*run)(const options *o);
} command;

extern const command command_table[]; // ends with a NULL name

/* A context with the search path of -L, MODELICAPATH and the library that comes with the command. */
vinc_ctx *tool_context(const options *o);
/* MODEL [CLASS] from words[1] and words[2]; prints the messages. */
int tool_load(vinc_ctx *ctx, const options *o, vinc_model **model);
/* Print all messages to standard error and forget them. */
void tool_messages(vinc_ctx *ctx);
/* What --start, --stop, --tol ... say about a run. */
vinc_sim_options tool_sim_options(const options *o);
bool tool_check_init(const char *init); // consistent or as-given? otherwise says so
int tool_exit(int status);              // exit status for a vinc_status
bool tool_colour(int stream); // may 1 (standard output) or 2 (standard error) carry colours?
/* Columns of the terminal that standard output is, within what is pleasant to read; 0: it is none. */
int tool_columns(void);
bool tool_ends_in(const char *s, const char *tail);
vinc_plot_options tool_plot_options(const options *o); // with those of the terminal
/* A format that can be drawn, or a page where that is possible? Otherwise says so. */
bool tool_check_plot(const char *path, bool page);
/* A path relative to the folder of this executable; false when that is not known. */
bool tool_beside(const char *path, char *out, size_t room);
/* The whole command with these arguments, argv[0] aside; its exit status. */
int tool_run(int argc, char **argv);
/* --json on a failure before the run: one object with status "failed" and the first error. */
void tool_json_failure(vinc_ctx *ctx, const options *o);
/* The end of a command that makes a report: what it says, messages, everything freed; exit status. */
int tool_finish(vinc_ctx *ctx, vinc_model *model, const options *o, int rc, const char *text);

int command_check(const options *o);
int command_run(const options *o);
int command_compare(const options *o);
int command_flatten(const options *o);
int command_parse(const options *o);
int command_linearize(const options *o);
int command_method(const options *o);
int command_passivity(const options *o);
int command_pencil(const options *o);
int command_plot(const options *o);
int command_help(const options *o);
int command_study(const options *o); // run --convergence, run --contractivity
int command_new(const options *o);
int command_tour(const options *o);

/* On standard output, from the tables (generate.c). */
void generate_man(void);
void generate_bash(void);
void generate_zsh(void);
void generate_fish(void);

#endif
