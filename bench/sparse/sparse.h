/* The bench on large sparse systems: Vincolo on Modelica models against IDA with KLU on the same
 * equations written in C.
 *
 *     problems   right-hand sides and exact Jacobians in C, start values, names of the components
 *     peer       one run of IDA
 *     ours       one run of Vincolo
 *     main       the table
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SPARSE_H
#define BENCH_SPARSE_H

#include <stddef.h>

/* y' = f(t, y) with N cells, points or points along an edge. */
typedef struct problem {
    const char *name, *file, *parameter; // the model, and its parameter that is N
    double t_end;
    int size[2]; // N for about 10^4 and 10^5 unknowns
    int (*n)(int N);
    int per_column; // most entries in a column of df/dy
    int reach;      // 0, or so many components are looked at: the rest is at rest
    void (*start)(int N, double *y);
    void (*f)(int N, double t, const double *y, double *f);
    /* df/dy by columns, rows ascending; returns the number of entries. */
    long (*jacobian)(int N, const double *y, long *start, long *row, double *value);
    void (*component)(int N, int k, char *name, size_t size); // its name in the model
    void (*exact)(int N, double t, double *y);                // of the equations in y; NULL: stored
} problem;

extern const problem problems[]; // ends with a NULL name

/* What one run took, and some components at some times. */
enum { TIMES = 4, PLACES = 24, PROBES = TIMES * PLACES };

typedef struct measured {
    int status; // 0: reached the end; 1: out of time
    double ready_s, run_s;
    double memory_mb, before_mb; // peak of the process while integrating; its size before
    long steps, rejected, jacobians, factorizations, solves;
    char method[16];
    double at[PROBES];
} measured;

/* The component that probe i looks at, and when. */
static inline int probe_place(const problem *p, int N, int i)
{
    int n = p->reach ? p->reach : p->n(N);
    return (int)((2L * (i % PLACES) + 1) * n / (2 * PLACES));
}

static inline double probe_time(const problem *p, int i)
{
    return p->t_end * (i / PLACES + 1) / TIMES;
}

/* Peak memory in MB since the last call of forget_peak; of this process. */
double forget_peak(void); // returns the present size
double peak_mb(void);

/* order_max 0: IDA's own 5. limit_s > 0: give up after so many seconds. */
void run_peer(const problem *p, int N, double tol, int order_max, double limit_s, measured *m);
void run_ours(const problem *p, int N, double tol, const char *method, const char *folder,
              measured *m);

#endif
