/* The search for start values: what its parts share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef START_SEARCH_H
#define START_SEARCH_H

#include "derive/derive.h"
#include "graph/graph.h"
#include "run/verbs.h"
#include "start/least.h"
#include "start/start.h"

enum {
    START_DENSE_MAX = 400,   // unknowns up to which the whole system is solved densely
    START_SPARSE_MIN = 40,   // ... but not above this where nothing is free
    START_ROUNDS = 30,       // of solution and relations
    START_EXACT_ROUNDS = 45, // ... before sides that count as equal keep their order
    START_SHOWN = 5          // equations and variables in a message
};

/* Rows and the unknowns that they are solved for. */
typedef struct start_block {
    int n_rows, n_cols, level; // of a lower level is all that it needs
    const int *rows, *cols;    // rows of the formulation, then further ones; places in z
} start_block;

/* A step of pseudo-transient continuation (start_relax.c): rows with derivatives, and whose. */
typedef struct start_pair {
    int row, x, z; // further row; unknown of y and, in z, its derivative
    int source,
        place; // of c in the values of further rows, and of the unknown in the row; -1: none
    bool rate; // c is found in edyp, not in edy
    double c, from;
} start_pair;

typedef struct start_relax {
    int n;
    start_pair *pairs;
    uint8_t *in_row; // by active row
    double h;        // 0: the unknowns are held
} start_relax;

/* What was guessed, and from what: the same is often asked for again. */
typedef struct start_guessed {
    bool known;
    double *from, *z, *w;
    uint8_t *fixed;
} start_guessed;

/* z: the components of y, then those of y' that stand for entries. */
typedef struct start {
    run_state *s;
    const code_model *m;
    const code_initial *x;
    double t, tol;
    start_report *report;
    diag_sink *sink;
    double *y, *yp;

    int n_z, n_rows, n_active; // unknowns; rows of the formulation; further rows
    int n_w;                   // elements of w that last
    int *z_yp;                 // z[n + k] is y'[z_yp[k]]
    int *rows, *active;
    double *z, *nominal, *weight, *scaled, *full, *extra, *dy, *dyp, *edy, *edyp;
    uint8_t *fixed;
    int *row_at;              // by row: where it stands; by further row, after those
    double *y_kept, *yp_kept; // a point before a search
    double *y_back, *yp_back; // the last point along homotopy()
    double *z_back;           // where a motion began
    double *z_found;          // ... and where the search before it ended
    double *z_given;          // a point before blocks are solved
    double *z_guess;          // what follows from the start values that somebody gave
    start_guessed first;      // ... the first time
    double *z_tried;          // where all at once came to rest without a solution
    double *z_last;           // the solution with the relations of the last round
    bool found_last;          // ... there is one
    start_block culprit;      // the first block that was not solved; no rows: there is none
    double *map_out;
    const double *group_jac;  // of the groups, at the point evaluated last
    double *w;                // the discrete part before an update
    double *w_given;          // ... and before the search
    const image_group *group; // while one group is solved
    int group_row;
    int *columns, n_columns;   // its components of y, then those that only inertia ties to it
    struct start_piece *piece; // its rows by themselves; NULL: all are evaluated
    bool held;                 // positions keep their values
    const start_relax *relax;  // NULL: the initial equations as they are
} start;

static inline int start_entry(const start *a, int component)
{
    return a->m->formulation.unknowns[component].entry;
}

/* Is its start value given? */
static inline const code_entry *start_attributes(const start *a, int entry)
{
    return code_entry_of(a->m, entry);
}

void start_take_values(start *a); // y and y' as given

/* Constraints of the groups, positions first, down to this level (start_groups.c): 1 velocities, 2
 * positions. quiet: a failure is not explained. */
int start_groups(start *a, int last, bool quiet);
int start_deepest(const start *a); // level of a group; 0: there is none

/* The factor L of the inertia L L^T of a->columns that are not fixed, in their order; false: there
 * is none, or nothing to choose, and nominals count (metric.c). */
bool start_metric(start *a, double *L);

/* The whole system (start_system.c). Results of least.h. */
const code_fn *start_residual_fn(const start *a);
int start_residual(start *a, double *r); // all rows; 1: not finite
void start_jacobian(start *a);           // dy, dyp of the formulation, edy, edyp of further rows
void start_spread(start *a, const double *z);
/* Is there a state that may move and has no start value, while variables that follow from states, and that the
 * model prefers, have? */
bool start_follows_others(start *a);
int start_solve(start *a, least_report *report);
int start_homotopy(start *a, least_report *report);
int start_relaxed(start *a, least_report *report); // along the motion to a steady state
/* ... sparse, with as many unknowns as rows; the others stay at their start values. */
int start_solve_sparse(start *a, least_report *report);
/* ... in order, block by block; a->culprit is the first that was not solved (start_blocks.c). scatter: a
 * block that is not solved from its start values begins elsewhere, too. */
int start_blocks(start *a, bool scatter, least_report *report);
void start_blocks_guess(start *a);    // values that follow from those given
bool start_any_guide(const start *a); // has something preferred, and no state, a value?

/* From z along a motion towards the steady state that initial equations ask for, by solvers of the whole from z;
 * LEAST_DIVERGED where they do not. */
typedef int start_solver(start *a, least_report *report);
int start_follow(start *a, start_solver *in_order, start_solver *whole, least_report *report);
void start_relax_rows(const start *a, double *r); // of a->relax: further rows,
void start_relax_values(start *a);                // and their derivatives

/* The entries of the system by columns of z (start_entries.c). */
typedef struct start_entries {
    start *a;
    int m, n_z, nnz;
    int *begin, *row, *source; // rows, and where the value is found
    uint8_t *where;            // 0 dy, 1 dyp, 2 edy, 3 edyp, 4 a pair
    void *block;               // of their own, or NULL: they are scratch
    size_t bytes;
} start_entries;

/* LEAST_OK, LEAST_MEMORY. With scratch whoever has them may be stopped by a jump. */
int start_entries_open(start_entries *q, start *a, arena *scratch);
void start_entries_close(start_entries *q);

/* Parts and blocks of the system (start_order.c), in `scratch` until the caller gives that back. */
typedef struct start_order {
    /* By place in z: the unknowns that its start value follows from, as far as the start finds it. */
    graph_pattern guesses;
    start_entries q; // without the derivatives that do not occur
    arena *scratch;
    start_block over, under; // with more rows, and more unknowns
    start_block *square;     // level by level
    int n_square, n_levels;
    int *level_start;     // by level: its first block in square
    graph_pattern by_row; // the unknowns of each row
} start_order;

void start_order_open(start_order *o, start *a, arena *scratch);
/* known: by unknown, it does not move. rank, if not NULL: by row, which come first where there are more than
 * unknowns; those that are left are in no block, and there is no first part. */
void start_order_find(start_order *o, const uint8_t *known, const int *rank);

/* What a row contains: unknowns and derivatives of them. */
int_array start_row_entries(const start *a, int row, arena *scratch);

static inline double start_value(const start_entries *q, int e) // by the last start_jacobian
{
    if (q->where[e] == 4) return q->a->relax->pairs[q->source[e]].c;
    const double *from[] = {q->a->dy, q->a->dyp, q->a->edy, q->a->edyp};
    return from[q->where[e]][q->source[e]];
}

/* Rows by themselves, where evaluating all of them for a few would be a waste (start_piece.c). Values and slopes go
 * where start_residual and start_jacobian put them. */
typedef struct start_pieces {
    start *a;
    const start_entries *q;
    arena *memory;
    int n_rows; // of all
    tape_picker *rows, *extra;
    int *z_of_rate; // by component: the place of its derivative in z, or -1
    int *column;    // by place in z: its column in the piece that is made, else -1
    bool open;      // pieces can be made
} start_pieces;

typedef struct start_piece {
    const start_pieces *of;
    int n_rows, n_cols;
    const int *rows, *cols;
    const tape_program *values;
    tape_program_derivative slopes;
    ARRAY(double) given; // what does not move
    int *entry;          // by entry of the slopes: that of the whole, or -1
    int_array zero;      // entries of the whole that are zero
    double *offset;      // by row: the start value that it is held against
    double *z, *out, *scratch;
} start_piece;

/* q NULL: of the residual alone, for start_piece_of_residual. */
bool start_pieces_open(start_pieces *x, start *a, const start_entries *q, arena *memory);
/* row_at: by row of the system, its place in b, or -1. In the arena of the pieces, until that is given back. False: it
 * does not pay, or cannot be made. */
bool start_piece_make(start_pieces *of, const start_block *b, const int *row_at, start_piece *x);
/* Rows of the residual by components of y. */
bool start_piece_of_residual(start_pieces *of, const int *rows, int n_rows, const int *cols,
                             int n_cols, start_piece *x);
/* ... at z, by columns; j, n_rows by n_cols, may be NULL. */
void start_piece_evaluate(start_piece *x, const double *z, double *r, double *j);
void start_piece_residual(start_piece *x,
                          double *r); // of the columns in a->z, by row of the system
void start_piece_jacobian(start_piece *x);
void start_piece_spread(const start_piece *x); // its columns, to y and y'

/* As many rows as unknowns, sparse; z is left where the search ends. x: the unknowns, then others in these rows, which
 * do not move; row_at as above; piece: NULL, all rows are evaluated; all: room for their residuals (start_sparse.c).
 * Results of least.h. */
int start_solve_block(const start_entries *q, const start_block *x, const int *row_at,
                      start_piece *piece, double *all, least_report *report);

/* Solution, relations and discrete variables until they agree (start.c). */
int start_settle(start *a, bool as_given);
/* Where initial equations of discrete variables do not hold: other values of the past, from w as it was
 * before the search. VINC_OK: they hold now; 1: they do not, by any of *n_open variables (0: none, or
 * too many to try). */
int start_choose(start *a, const double *w_given, int *n_open);

/* Derivatives by parameters, of a start that has been found, for the run `to`; conditions: something
 * beyond fixed states decides it (start_vary.c). VINC_OK, or why not, said. */
int start_vary(start *a, run_state *to, bool conditions);

void start_guess(start *a); // start values of eliminated variables (start_guess.c)

/* Messages (start_explain.c). */
void start_explain(start *a, int rc, const least_report *r);
bool start_tell_undefined(const start *a); // false: everything has a value
bool start_tell_endless(const start *a);   // a loop of a function does not end at these values
void start_explain_group(start *a, const image_group *q);

#endif
