/* What a process holds of a shared model, from inside: share_cut.c decides who holds what, share_make.c makes
 * a part, share.c runs it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SHARE_PARTS_H
#define RUN_SHARE_PARTS_H

#include "la/shared.h"
#include "run/share.h"
#include "target/target.h"

enum { SHARE_SAID = 8 };

/* What the whole model offers; bits of share_head.offers. */
enum {
    SHARE_ROOTS = 1,
    SHARE_EVENT = 2,
    SHARE_RHS = 4,
    SHARE_UNSIZED = 8,
    SHARE_RATE = 16,
    SHARE_OUTPUT_PROJECT = 32,
    SHARE_PROJECT_WITHIN = 64,
    SHARE_TIME_EVENTS = 128,
    SHARE_FINISH = 256,
    SHARE_CHECK = 512,
    SHARE_VIOLATION = 1024,
    SHARE_ENERGY = 2048,
    SHARE_OUTPUTS = 4096
};

/* Numbers of a part, as they are sent. */
typedef struct share_head {
    int n, n_all, first; // unknowns here, of all, the number of the first one here
    int n_halo;          // unknowns of others that the equations here read
    int n_beside;        // equations of others that are computed beside those here
    int n_given;         // elements of w that are the model's
    int n_p, n_roots, n_colors;
    unsigned offers;
    bool autonomous, rhs_from_yp, outputs_of_states, products;
    double work_residual, work_jacobian, work_rhs;
} share_head;

/* Who holds what: order lists all unknowns, process by process. */
typedef struct share_cuts {
    int n, size;
    const int *row_of; // by unknown: its equation
    const int *order;
    const int *count, *place; // by process: how many, and from where on
    int n_colors;
    const int *color; // by unknown; NULL: not needed
    bool all_read;    // of the other processes in it
} share_cuts;

/* A part: what is sent, and what it is made of. */
typedef struct share_piece {
    share_head head;
    int *numbers;                           // of the halo: places in the order
    int *ask;                               // by process: how many of them are there
    int *color;                             // by unknown here, where products are wanted
    double *nominal, *p;                    // by unknown; the parameters that are read
    uint8_t *differential, *unsized, *rate; // by unknown
    const tape_program *rows;               // y: own unknowns, then the halo
} share_piece;

struct run_share {
    run_state *s;             // of the whole model; NULL: it is not here
    const vinc_problem *base; // ... of the first process; NULL: not here
    vinc_problem problem;     // of this part
    la_shared shared;
    share_head head;
    mem *m;
    struct crew *crew;
    arena a; // all arrays
    const char *why;
    double *said,
        *roots; // by the first process: n_roots and SHARE_SAID more; indicators and a status

    int *send; // what others read of this part, by own number
    team_peers peers;
    double *sent, *received;

    tape_code *residual, *jacobian, *product;
    vinc_pattern jac;   // own columns, then those of the halo
    int *entry;         // by entry of it: its place in what the code stores; NULL: the same
    double *y, *yp, *r; // own unknowns and the halo; equations with those beside
    double *dy, *dyp;   // entries as stored, where they are others
    double *p, *w, *scratch, *w_product;
    double *given; // elements of w as the first process has them
    int v, vp;     // where vectors of the product begin in w_product
    double *nominal;
    uint8_t *differential, *unsized, *rate;

    /* Of a model that is a part. */
    bool apart, faulty; // it is; an equation of it had no value
    const int *local;   // unknowns of it: own ones, then the halo

    /* Of the first process. */
    int *order, *count, *place;    // as in share_cuts
    double *all, *all_p, *ordered; // the first two are the caller's
    double *told;                  // what others believe of w
};

/* Parts of the model: of the first process, the others take part (SHARE_PART and team.partition). Arrays are in a. */
int share_cut(const vinc_problem *base, const run_share_options *o, text *why, arena *a,
              arena *scratch, share_cuts *out);
/* The matching of unknowns and equations: row_of, n of them. VINC_E_PROBLEM: there is none. */
int share_pairs(const vinc_problem *base, const run_share_options *o, text *why, int *row_of,
                arena *scratch);
const char *share_obstacle(const vinc_problem *b, int size); // NULL: it can be shared
/* The part of process q, in `kept`. */
void share_piece_cut(run_state *s, const share_cuts *c, int q, bool products, arena *scratch,
                     arena *kept, share_piece *out);
void share_fill(run_share *x); // the problem, when all else is there
/* Two vectors of this process, and behind them what is read of other processes. */
void share_spread(run_share *x, const double *a, const double *b, double *to_a, double *to_b);
/* Rows of the part at a point: that of x, with what is read of others. */
void share_eval(run_share *x, const tape_code *code, double t, double *w, double *out,
                double *out2);

/* ---- of a model that is a part (share_part.c) ------------------------------------------------ */

/* All processes: VINC_OK, or VINC_E_PROBLEM in every one. */
int share_part_make(run_share *x, const run_share_options *o, text *why, arena *scratch,
                    arena *kept, share_piece *out);
void share_part_fill(run_share *x);
/* Between a vector of this process and one of the unknowns of its model. */
void share_part_take(const run_share *x, const double *all, double *own);
void share_part_join(run_share *x, const double *own, double *all);
void share_part_fault(run_share *x, double t, bool here); // at the point of x

#endif
