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

/* A command is one file that ends in one entry, and a line in command_list.c. */
typedef struct command {
    const char *name, *arguments, *summary;
    const char *options; // names separated by blanks; those that all commands take are not repeated
    int (*run)(const options *o);
    int (*line)(int argc,
                char **argv); // it reads its words itself, argv[1] is its name; NULL: it does not
    bool confines_itself;     // --sandbox is for the processes that it starts
} command;

extern const command command_check, command_run, command_compare, command_flatten, command_parse,
    command_export, command_method, command_pencil, command_linearize, command_passivity,
    command_region, command_sweep, command_plot, command_diff, command_watch, command_fit,
    command_gradient, command_optimize, command_examples, command_live, command_lsp, command_new,
    command_tour, command_help;
extern const command *const command_list[]; // in the order of help; ends with NULL

/* Subjects of 'vincolo help' that are no commands. */
typedef struct help_topic {
    const char *name;
    void (*print)(void);
} help_topic;

extern const help_topic help_topics[]; // ends with a NULL name

/* ---- running a model (shared.c) -------------------------------------------------------------- */

/* A context with the search path of -L, MODELICAPATH and the library that comes with the command. */
vinc_ctx *tool_context(const options *o);
/* MODEL [CLASS] from words[1] and words[2]; prints the messages. */
int tool_load(vinc_ctx *ctx, const options *o, vinc_model **model);
/* Print all messages to standard error and forget them. */
void tool_messages(vinc_ctx *ctx);
/* What --start, --stop, --tol ... say about a run. */
vinc_sim_options tool_sim_options(const options *o);
vinc_plot_options tool_plot_options(const options *o); // with those of the terminal
int tool_exit(int status);                             // exit status for a vinc_status
/* --json on a failure before the run: one object with status "failed" and the first error. */
void tool_json_failure(vinc_ctx *ctx, const options *o);
/* The end of a command that makes a report: what it says, messages, everything freed; exit status. */
/* What was found, in words or JSON; "" after a failure. Where there is no memory for the words that is
 * said, and is the status. */
const char *tool_words(const void *told, const options *o, int *rc);
int tool_finish(vinc_ctx *ctx, vinc_model *model, const options *o, int rc, const char *text);
/* The whole command with these arguments, argv[0] aside; its exit status (command_list.c). */
int tool_run(int argc, char **argv);

/* ---- printing (print.c) ---------------------------------------------------------------------- */

/* A text from a file on standard output, and a sentence of ours on standard error, which may hold
 * names from the command line: control characters are spelt out. */
void tool_print(const char *text);
void tool_tell(const char *messages); // on standard error, after what was printed before
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- limits (limits.c) ----------------------------------------------------------------------- */

/* --max-time, --max-memory and signals, for all work with this context: there is one at a time. */
void tool_watch(vinc_ctx *ctx, const options *o);
/* What is said when a signal comes: the process may have no time to say more. */
void tool_last_words(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool tool_interrupted(void);   // by a signal, since tool_watch
void tool_free(vinc_ctx *ctx); // no signal means it any more
/* --sandbox (confine.c): false, and said, where it cannot be had. */
bool tool_confine(const options *o);

/* ---- values of options (check_values.c) ------------------------------------------------------ */

/* Each says what is wrong, and is true where nothing is. */
bool tool_check_init(const char *init); // consistent or as-given?
bool tool_check_out(const char *path);  // a format of results?
/* A format that can be drawn, or a page where that is possible? */
bool tool_check_plot(const char *path, bool page);
bool tool_check_place(const char *path); // can a file be made there?
bool tool_ends_in(const char *s, const char *tail);
bool tool_is_page(const char *path); // a report, not a drawing
/* ".svg, .png or .pdf": the endings of figures that are files and no pages. */
enum { ENDINGS_BYTES = 200 };
const char *tool_figure_files(char room[ENDINGS_BYTES]);

/* ---- files that options name (option_files.c) ------------------------------------------------ */

/* --times and --params; false, with the line that is wrong said. */
bool tool_read_times(options *o);
bool tool_read_values(options *o);
void tool_forget_lists(options *o);

/* ---- the terminal and the installation (surroundings.c) -------------------------------------- */

bool tool_colour(int stream); // may 1 (standard output) or 2 (standard error) carry colours?
/* Columns of the terminal that standard output is, within what is pleasant to read; 0: it is none. */
int tool_columns(void);
int tool_rows(
    void); // lines of the terminal that standard error is; 0: it is none, or cannot be written over
/* A path relative to the folder of this executable; false when that is not known. */
bool tool_beside(const char *path, char *out, size_t room);

int tool_study(const options *o); // run --convergence, run --contractivity

/* On standard output, from the lists (generate.c). */
void generate_man(void);
void generate_bash(void);
void generate_zsh(void);
void generate_fish(void);

#endif
