/* Steps of some unknowns by themselves inside a step of all of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_PART_STEP_H
#define METHOD_PART_STEP_H

#include "method/rosenbrock_step.h"

enum {
    PART_UNKNOWNS_MAX = 12, // of a part
    PART_WATCHED_MAX = 256, // equations that it enters
    PART_GIVEN_MAX = 512,   // numbers that are given to it
    PART_DEGREE = 6,        // of the polynomials in time that these are taken for
    PART_NODES = PART_DEGREE + 1,
    PART_CODES_MAX = 256, // parts that are known
    PART_RECORDS = 65536, // numbers that the steps of parts leave
};

/* Rows and unknowns: row[j] holds the derivative of unknown j, times mass[j]. */
typedef struct part_pairs {
    int *row, *unknown; // by unknown, by row
    double *mass;       // by unknown
} part_pairs;

/* A part: its unknowns with their equations, and other equations that read them. */
typedef struct part_code {
    vinc_some own, watched;
    int unknown[PART_UNKNOWNS_MAX], row[PART_UNKNOWNS_MAX];
    int reader[PART_WATCHED_MAX], reader_row[PART_WATCHED_MAX]; // unknowns of other rows, rows
    int n_readers;
    bool works; // there is code for it
} part_code;

/* Of what is given, so many have curves. */
static inline int part_n_curves(const vinc_some *part)
{
    return part->n_given - part->n_constant;
}

typedef struct part_codes {
    int n;
    part_code *code; // PART_CODES_MAX
} part_codes;

/* part_code.c: every unknown has one row with its derivative, and no row has two. And the part of these unknowns,
 * ascending, which is made when it is first asked for; -1: there is none. */
bool part_pair_rows(const method_core *c, part_pairs *pairs);
int part_find(part_codes *all, const method_core *c, const part_pairs *pairs, const int *unknown,
              int n);
bool part_reads(const method_core *c, const part_pairs *pairs, int i, int j); // i reads j
double part_step_work(const part_code *x);                                    // roughly
double part_window_work(const part_code *x); // ... in every step of all, beside

/* The step of all unknowns inside which parts make their steps. */
typedef struct part_window {
    method_core *core;
    double t, h;                           // from t to t + h
    double end;                            // parts go so far
    const double *y0, *y1;                 // all unknowns there
    double *const *dense;                  // and between (rosenbrock.c)
    const double *node[PART_NODES];        // ... at the nodes
    double time[PART_NODES];               // these
    double weight[PART_NODES][PART_NODES]; // part_weight
    double alpha[ROSENBROCK_POINTS];       // by point: of which part of a step it is
    const double *mass;                    // by unknown: dF/dy' of its row
    const double *decay; // ... the rate at which an error of it decays, 0 where it does not
    const double *inv;   // ... 1 over what it may be led astray by
} part_window;

/* What the steps of a part leave, from t_begin to t_end: y at the start, then for each step its end, its size, its
 * stages and y. And what other equations saw of it: the most by which their unknowns were led
 * astray. */
typedef struct part_trace {
    int code, steps;
    double t_begin, t_end;
    double h_last; // the size to go on with
    double
        wish[PART_UNKNOWNS_MAX]; // the size that each unknown would have allowed in the last step
    double pace
        [PART_UNKNOWNS_MAX]; // of each, where it is to be known from the start, then at the end; 0: not
    double missed[PART_WATCHED_MAX];
    double
        astray[PART_WATCHED_MAX]; // ... and that at the start, then at the end, to be added to them
    double begun[PART_WATCHED_MAX]; // ... at the start
    const double *record;
} part_trace;

typedef struct part_room {          // workspace
    double *curve, *values;         // PART_NODES times PART_GIVEN_MAX
    double *points;                 // ROSENBROCK_POINTS times PART_GIVEN_MAX
    double *given, *ahead, *beside; // PART_GIVEN_MAX each
    double *record;                 // PART_RECORDS
    int recorded;
} part_room;

double part_growth(double error); // of the size of a step with this error, over what it may be
double part_weight(int k, int j); // of the value at node j in the coefficient of degree k
double part_node(int k); // as a part of the window: the first is its end, the last its start

size_t part_room_layout(part_room *r, void *block);

/* An unknown in the step of all. */
double part_of_all(const part_window *w, int i, double t);

typedef struct part_bounds { // of the tolerance
    double error, missed;    // of steps and of what is given to them; of what others see
    double leave;            // times the first, of errors that do not pile up
} part_bounds;

/* What an error may be that fades by so much within a step, over one that does not. It stays for 1/fades steps: one that is
 * 1 + fades times as large piles up to no more. */
double part_leave(double fades, double most);

/* Steps of the part from t_begin with y there as far as they are to go, as long as no other equation misses more
 * than it may: then t_end is before it. The first step is of size h_last. STEP_ code; STEP_NEWTON also where there is no
 * room. */
int part_through(const part_window *w, const part_code *code, const double *y,
                 const part_bounds *most, part_room *room, part_trace *trace);
/* The part is to end at a time inside it. STEP_ code. */
int part_cut(const part_window *w, const part_code *code, double t, part_room *room,
             part_trace *trace);
int part_steps_until(const part_code *code, const part_trace *trace, double t);
/* At a time inside it: y and, unless NULL, its slope, in vectors of all unknowns. The size of the step there. */
double part_at(const part_code *code, const part_trace *trace, double t, double *y, double *yp);

#endif
