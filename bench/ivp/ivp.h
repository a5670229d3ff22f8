/* The bench on the Test Set for IVP Solvers (examples/ivp): work against precision.
 *
 *     problems   what is run, and what the best of fourteen established solvers need
 *     calibrate  how fast this machine is: Debian's IDA on some of the problems
 *     measure    one run of Vincolo: digits and microseconds
 *     line       a work-precision line and what is read off it
 *     figure     lines drawn
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_IVP_H
#define BENCH_IVP_H

#include <stdbool.h>

typedef struct ivp_problem {
    const char *name, *file;
    const char *formulation; // NULL: the default
    double abs_tol;          // > 0: held at this; 0: equal to the tolerance (both times nominal)
    double best6, best9;     // us at 6 and at 9 digits, on the machine of the table; 0: none
    const char *by6, *by9;   // ... of which solver
    double least_error;      // the reference is no better than this
    bool nonstiff, constrained;
} ivp_problem;

extern const ivp_problem ivp_problems[]; // ends with a NULL name

/* Geometric mean of the times IDA takes here over those of the table's machine. */
double ivp_calibrate(bool print);

typedef struct ivp_point {
    double tol, digits, us;
    long steps, rejected, evals, jacobians, factorizations;
    int status;
    char method[32];
} ivp_point;

typedef struct ivp_bench {
    const char *folder;
    struct vinc_ctx *ctx;
    struct vinc_model *model;
    const ivp_problem *p;
    double ready_ms; // parse to ready
    int runs;        // > 0: exactly so many runs per measurement
    int rows;        // > 0: output points; 0: only the end
    struct ivp_reference *reference;
    int n_reference;
} ivp_bench;

/* Load a problem; 0 or the library's status, messages printed. */
int ivp_open(ivp_bench *b, const char *folder, const ivp_problem *p);
void ivp_close(ivp_bench *b);
/* One tolerance, fastest of a few runs. method NULL: the automatic choice. */
ivp_point ivp_measure(ivp_bench *b, const char *method, const char *formulation, double tol);

enum { IVP_TOLERANCES = 10 }; // 1e-3 ... 1e-12

typedef struct ivp_line {
    const char *method, *formulation; // method NULL: the automatic choice
    ivp_point at[IVP_TOLERANCES];
    int n;
    double rows_us, rows_evals; // with output points over without, logarithms summed ...
    int n_rows;                 // ... over so many tolerances
} ivp_line;

/* Microseconds for so many digits on the monotone envelope of a line: a tolerance counts with the
 * fewest digits that it or any tighter one reached (no lucky tolerance), between two of them the
 * line is straight in log time. Infinite when the line does not get there. */
double ivp_time_at(const ivp_line *l, double digits);

/* Draw the lines with the best of the table. 0, or the status of plot. */
int ivp_draw(const ivp_problem *p, const ivp_line *lines, int n, double factor, const char *path);

#endif
