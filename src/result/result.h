/* Results: trajectories in memory, how they are asked for, written and read.
 *
 * A result has columns and rows. Column 0 is the time. A column is either varying (one value per
 * row), constant (a parameter: one value for the run), or an alias of another column with a sign.
 * Rows are appended in chunks that never move, so recording costs a copy and sometimes one
 * allocation, outside the integrator's step. Times never decrease; an event has two rows at one
 * time, the values before and after it.
 *
 * A result that is only to be written may go to its file while its rows are made (result_stream_to):
 * those that were written are dropped from memory then.
 *
 * Every function that can fail returns a status: RESULT_OK, < 0 failed, > 0 "done but look". Where
 * a `result_fault *` is passed (it may be NULL) it receives the message for a person and its code
 * (docs/messages/result.md). A failed call leaves the result as it was: what was computed is kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_RESULT_H
#define RESULT_RESULT_H

#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
    RESULT_OK = 0,
    RESULT_OUTSIDE = 1,    // t is outside the rows: the value of the nearest row was given
    RESULT_GAPS = 2,       // a figure leaves gaps where values are not finite
    RESULT_E_MEMORY = -1,  // no memory
    RESULT_E_ORDER = -2,   // rows: time decreases or is not finite; columns: declared too late
    RESULT_E_OPEN = -3,    // the file cannot be opened or created (the path is wrong)
    RESULT_E_WRITE = -4,   // writing failed: disk full, closed pipe
    RESULT_E_FORMAT = -5,  // the file is not what its name says
    RESULT_E_UNKNOWN = -6, // no such variable
    RESULT_E_SYNTAX = -7,  // a selection that cannot be read
    RESULT_E_EMPTY = -8    // there is no row
};

/* A failure in words. The text names the file or the variable and the way out. */
typedef struct result_fault {
    char code[8]; // "C601"; empty: no fault
    char text[500];
} result_fault;

typedef enum result_kind { RESULT_REAL, RESULT_INT, RESULT_BOOL } result_kind;

/* What is said of a column beside its name. Elements of an array have it in common. */
typedef struct result_look {
    const char *unit;         // "" when there is none
    const char *comment;      // "" when there is none
    const char *display;      // unit in which figures show it; "": its own
    double scale, offset;     // value * scale + offset is in that unit; scale 0: it does not fit
    const char *const *names; // of the values 1 ... n_names of an enumeration; NULL: none
    int n_names;
} result_look;

typedef struct result_column {
    const char *name; // full name: "q[1]", "der(q[1])", "body.frame_a.R.T[1,2]"
    const result_look *look;
    int alias_of;       // the column it repeats, never an alias itself; -1: its own values
    int slot;           // place in a row (0 is the time), or among the constants
    int output;         // not recorded (result_keep): its place in a full row; else 0
    unsigned char kind; // result_kind
    bool constant;      // one value for the whole run
    bool computed;      // from other columns, by a formula
    bool negated;       // alias with the opposite sign (Boolean: the opposite value)
} result_column;

enum { RESULT_LOOKS_KEPT = 256 };

typedef struct result {
    mem *m;
    int n_columns, cap_columns;
    result_column *columns;           // columns[0] is the time
    const result_look **shared_looks; // the last ones by their hash, RESULT_LOOKS_KEPT; or NULL
    int n_slots;                      // values in a row, the time included
    int n_constants, cap_constants;
    double *constants;
    int n_formulas, cap_formulas;
    struct result_own_formula *formulas; // of computed columns, by column
    size_t n_rows;
    double t_last;   // of the last row
    int chunk_shift; // a chunk holds 1 << chunk_shift rows of n_slots values
    size_t n_chunks, cap_chunks;
    double **chunks;
    size_t chunks_gone;                   // before the first; their rows are written and dropped
    size_t n_held;                        // chunks in memory; those after them are in a file
    struct result_block *blocks;          // where these are
    struct overflow *overflow;            // NULL: there is none yet
    struct result_stream *stream;         // the file that rows go to; NULL: none
    struct result_extremes *gone;         // by slot: of the rows that were dropped; NULL: none were
    bool sealed;                          // rows were taken back from the file: no more are added
    _Atomic(struct result_names *) names; // columns by name, made when names are looked for; NULL
    atomic_int looks;                     // how often one was before
    struct result_pool *pool;             // where names, units and comments live
    unsigned char *state; // of the run at its end, for another one to go on from; NULL: none
    size_t n_state;
} result;

/* ---- building -------------------------------------------------------------------------------- */

int result_new(mem *m, result **out); // has the column "time" with unit "s"
void result_free(result *r);          // NULL is fine

/* Add a column; the index of the new column (> 0), or a status < 0. Strings are copied, NULL is "".
 * Varying columns must all be declared before the first row (RESULT_E_ORDER). Two columns may have
 * one name; result_find gives the first. */
int result_add(result *r, const char *name, const char *unit, const char *comment,
               result_kind kind);
int result_add_constant(result *r, const char *name, const char *unit, const char *comment,
                        result_kind kind, double value);
int result_add_alias(result *r, const char *name, const char *unit, const char *comment, int of,
                     bool negated);

/* How figures show a column: in another unit (scale 0: the two do not fit), by names of its values.
 * Copied; RESULT_OK or RESULT_E_MEMORY. */
int result_show_in(result *r, int column, const char *display, double scale, double offset);
int result_name_values(result *r, int column, const char *const *names, int n);

/* Append a row. values[] are those of the varying columns that are no aliases, in the order in
 * which they were declared, without the time (n_slots - 1 of them). */
int result_append(result *r, double t, const double *values);
/* Room for up to n more rows that lie one after the other, n_slots numbers each, the time first; how many
 * there are is the return value, 0: none, and result_append says why. result_take makes rows of the first n of them once
 * they are filled; their times do not decrease. */
int result_room(result *r, int n, double **rows);
void result_take(result *r, int n);
void result_truncate(result *r, size_t n_rows);            // drop the last rows; memory is kept
void result_drop_after(result *r, double t, size_t least); // ... those later than t but for `least`

/* Keep a copy of these bytes in place of others; MAT files hold them, too. */
int result_keep_state(result *r, const void *bytes, size_t n);

/* ---- reading --------------------------------------------------------------------------------- */

/* The column of that name, blanks in subscripts apart, or RESULT_E_UNKNOWN. */
int result_find(const result *r, const char *name);
/* Up to max names that resemble `name`, best first, for "did you mean"; returns how many. */
int result_nearest(const result *r, const char *name, const char **names, int max);

const double *result_row(const result *r, size_t row); // n_slots values, the time first
static inline double result_time(const result *r, size_t row)
{
    return r->chunks[(row >> r->chunk_shift) - r->chunks_gone]
                    [(row & (((size_t)1 << r->chunk_shift) - 1)) * (size_t)r->n_slots];
}
size_t result_first_row(const result *r); // that is in memory; those before it are in its file
/* Of the values of a slot in the rows before that one, and when they were first reached. */
typedef struct result_extremes {
    double least, most, t_least, t_most;
} result_extremes;
double result_value(const result *r, int column, size_t row);
/* The same as figures show it, and in which unit. */
double result_shown(const result *r, int column, size_t row);
const char *result_shown_unit(const result *r, int column);
/* Copy rows first ... first + n - 1 of a column to out. */
void result_copy(const result *r, int column, size_t first, size_t n, double *out);

/* Which limit is meant where several rows have one time. */
typedef enum result_side { RESULT_RIGHT, RESULT_LEFT } result_side;

/* The value of a column at time t: linear between rows for reals, held for integers and Booleans.
 * RESULT_OUTSIDE when t is before the first or after the last row (the value of that row is given);
 * RESULT_E_EMPTY without rows (the value of a constant is still given). */
int result_at(const result *r, int column, double t, result_side side, double *value);

/* The first time later than t at which two rows have one time (a step in a table) or an integer or
 * Boolean changes; false: none. */
bool result_next_break(const result *r, double t, double *when);
/* The first row after t, and not after `to`, that one of n columns (< 0: none) passes with a corner:
 * the line through the rows beside it misses its value by more than `share` of the three. */
bool result_next_corner(const result *r, const int *columns, size_t n, double share, double t,
                        double to, double *when);

/* ---- selecting: --vars 'x,y;lambda' ---------------------------------------------------------- */

/* One curve: column y over column x (0: the time), in a panel, on its left or right axis. */
typedef enum result_field { RESULT_NO_FIELD, RESULT_MAP, RESULT_PROFILE } result_field;
typedef struct result_curve {
    int x, y;
    int panel;
    bool right;
    unsigned char field; // result_field: an element of an array that figures show as a whole
    int array;           // ... of that many-th one
    int open;            // ... where the subscript that it is shown over begins in the name
    double at;           // the time of a profile
} result_curve;

typedef struct result_selection {
    mem *m;
    int n_panels, n_curves, cap_curves;
    result_curve *curves; // in the order of the text, those of a wildcard in that of the columns
} result_selection;

/* Before the first row: of the first n_choice places of a row record the selected columns only. The others
 * become constants, whose value is that at the end of the run (result_set_end). list receives the places of
 * what is recorded in what would be a row of all, without the time; their number, or RESULT_E_MEMORY. */
int result_keep(result *r, const result_selection *select, int n_choice, int *list);
void result_set_end(result *r, const double *values); // a row of all

/* While rows are made nobody need know of what they are: all columns go but the time, and come back from a
 * result without rows that was made in the same way, which is given back. Not where rows go to a file. */
void result_drop_columns(result *r);
void result_drop_rows(result *r); // all of them, and the state: columns stay for another run
void result_take_columns(result *r, result *from);

/* Read a selection.
 *
 *     selection := panel { ";" panel }            panels, from top to bottom
 *     panel     := axis [ "|" axis ]              left and right axis
 *     axis      := item { "," item }              curves
 *     item      := name [ ":" name ]              over the time, or a phase plot  x : y
 *                | array [ "@" number ]           T[:], T[3,:], cell[:].T: a map over the time, or a profile
 *
 * In names `*` stands for any text and `?` for one character. Separators inside (), [], {} and
 * inside quoted identifiers 'a;b' do not separate; blanks around names are dropped; empty items are
 * an error, an empty last panel is not. A wildcard selects varying columns only, unless none
 * matches; x in x:y must be one column. NULL or "" selects every varying column, all in panel 0.
 * An array with several open subscripts, T[:,:], is all its elements as curves.
 * On failure the selection is empty and needs no result_selection_done. */
int result_select(const result *r, const char *vars, result_selection *out, result_fault *fault);
/* Before columns are declared: may a selection, as text_squeeze_name leaves it, need one of this name? Some that
 * it does not need are said to be. */
bool result_may_select(const char *squeezed, const char *name);
/* The names that such a text consists of, one by one; false: there is more in it than names, or take says no. */
bool result_names_in(char *squeezed, bool (*take)(void *user, const char *name), void *user);
void result_selection_done(result_selection *s);
/* Before a selection is read: what it has of expressions ('T-273.15', 'sqrt(x^2+y^2)') become columns
 * of that name. An expression that is wrong is a fault; a name that is, is left to result_select. */
int result_add_formulas(result *r, const char *vars, result_fault *fault);

/* The selected columns, each once and without the time, in order; all columns for select == NULL,
 * constants among them only where wanted. list has room for 2 r->n_columns, the second half
 * is scratch; returns how many. */
int result_selected(const result *r, const result_selection *select, bool constants, int *list);

/* ---- files ----------------------------------------------------------------------------------- */

struct result_writer;

/* A format of results is one entry. To add one, end its file with the entry and list it in
 * result_formats.c; reading, writing, messages and the checks of the command walk the list. */
typedef struct result_format {
    const char *name, *summary;
    const char *ending; // of paths: ".csv"
    /* How it is written (result/writer.h): what comes before the rows, some of the rows, what comes
     * after them. `room` is how many bytes of its own the format needs meanwhile. */
    size_t (*room)(const result *r);
    void (*begin)(struct result_writer *w);
    void (*rows)(struct result_writer *w, size_t first, size_t end);
    void (*end)(struct result_writer *w);
    /* While rows are made: bring up to date what stands before them (NULL: nothing does); and the time
     * of the row at *at, which is moved to the next one. */
    void (*settle)(struct result_writer *w, bool finished);
    bool (*row_time)(const struct result_writer *w, off_t *at, double *t);
    size_t rows_max;
    bool constants; // they are written, too, unless columns are named
    /* Is it this format, whatever the file is called? NULL: that cannot be told. */
    bool (*recognises)(const char *bytes, size_t n);
    /* Read from memory; name is used in messages. Hostile bytes give a fault, never a crash. *out is
     * NULL on failure. */
    int (*parse)(mem *m, const char *bytes, size_t n, const char *name, result **out,
                 result_fault *fault);
} result_format;

/* CSV is written as the time, then varying columns (constants only if selected by name), numbers as
 * by %.17g in the C locale, names with a comma or quote in quotes. It is read as RFC 4180 with a
 * header; blank lines and a byte-order mark are skipped; `;` and tab as separators are recognised;
 * the first column is the time whatever its name; empty fields and nan are NaN, inf is accepted;
 * times must not decrease. MAT is version 4, written in the transposed trajectory layout that
 * Modelica tools read, constants and aliases included, and read in both orientations and any byte
 * order. */
extern const result_format result_csv, result_mat;
extern const result_format *const result_formats[]; // ends with NULL; the first serves devices

/* Write the result, or the selected columns only (select may be NULL), to a file that appears whole or
 * not at all (result/whole_file.h), in the format of the ending or in this one. The rest of a result
 * whose rows went to this file already is added to them. */
int result_write_as(const result_format *format, const result *r, const result_selection *select,
                    const char *path, result_fault *fault);
int result_write(const result *r, const result_selection *select, const char *path,
                 result_fault *fault);
/* Before the first row: rows go to this file while they are made, and those that were written are dropped
 * from memory. The file has its name from the first rows on, and can be read at any time; result_write to
 * the same path finishes it. Nothing happens where that cannot be: devices, pipes. */
int result_stream_to(result *r, const result_selection *select, const char *path,
                     result_fault *fault);
int result_flush(result *r); // what there is, but for the last row; RESULT_OK without a stream
const result_fault *result_stream_fault(const result *r); // of rows that could not be written
/* Read in the format `as`; NULL: the one that content and ending say. *out is NULL on failure. */
int result_read(mem *m, const char *path, const result_format *as, result **out,
                result_fault *fault);

const result_format *result_format_of(const char *path);   // by its ending; NULL: none
bool result_ends_in(const char *path, const char *ending); // with something before it
bool result_is_device(const char *path);                   // /dev/stdout and the like
/* Append a word to "a, b or c", from the first, which finds out empty, to the last. */
void result_add_choice(char *out, size_t room, const char *word, bool last);

/* A matrix from CSV text without a header, by rows; every row must have the same length. The caller
 * gives *values back by mem_free(m, *values, rows * cols * sizeof(double)). */
int result_read_matrix(mem *m, const char *path, int *rows, int *cols, double **values,
                       result_fault *fault);

#endif
