/* Processes that work on one model together: a table that a plug-in fills (src/plugins/petsc.c).
 *
 * All of them call each function at the same place of the program, with the same sizes; whoever is late is
 * waited for. What reduces numbers gives every process the same bits, so that all decide alike. If one
 * process dies, the one that started them ends the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stddef.h>

enum { TEAM_VERSION = 2 };

/* Numbers that neighbours send each other: those for peer k are send_start[k] ... send_start[k + 1] - 1 of
 * what is sent, likewise of what is received. */
typedef struct team_peers {
    int n;
    const int *rank, *send_start, *receive_start;
} team_peers;

/* How linear systems are solved: petsc:solver=NAME. The first is the one that is taken. */
#define TEAM_SOLVERS(X)                                                                            \
    X(MUMPS, "mumps", "LU over all processes")                                                     \
    X(HYPRE, "hypre", "GMRES, algebraic multigrid")                                                \
    X(BLOCK_JACOBI, "block-jacobi", "GMRES, incomplete LU of the own rows")                        \
    X(SCHWARZ, "schwarz", "GMRES, incomplete LU of overlapping rows")
typedef enum team_solver {
#define X(id, name, summary) TEAM_##id,
    TEAM_SOLVERS(X)
#undef X
        TEAM_N_SOLVERS
} team_solver;

/* The rows of a matrix that this process holds, by columns: its own first, then those of others.
 * Unknowns are numbered through all processes; each has equation and unknown of the same number. */
typedef struct team_rows {
    int n, first, n_all;    // own rows, the number of the first of them, rows of all
    int n_cols;             // own columns and those of others
    const int *start, *row; // pattern: n_cols + 1; own rows, from 0
    const int *column;      // numbers of the columns of others, n_cols - n of them
    team_solver solver;
    double tol; // of iterative ones: what is left of the residual
    int restart, iterations;
} team_rows;

typedef struct team_matrix team_matrix;

typedef struct team {
    int version; // first
    /* 0: done; otherwise it cannot be used. */
    int (*open)(int *rank, int *size);
    void (*close)(void); // all come here
    void (*sum)(double *x, int n);
    void (*most)(double *x, int n);
    void (*from_first)(double *x, int n); // those of the first process, for all
    void (*tell)(void *bytes, size_t n);  // the same for bytes
    /* What every process has, n numbers, is in `all` of the first: count[k] of process k from place[k] on; and back.
     * Others have no `all`, and need no counts. */
    void (*collect)(const double *x, int n, const int *count, const int *place, double *all);
    void (*spread)(const double *all, const int *count, const int *place, double *x, int n);
    /* Bytes from the first process to one of the others, which knows how many. */
    void (*send)(int to, const void *bytes, size_t n);
    void (*receive)(void *bytes, size_t n);
    void (*exchange)(const team_peers *peers, const double *send, double *receive);
    /* Numbers asked of each process, count[k] of process k in `ask`, become what is asked of this one:
     * n_asked[k] by process k; then, in a second call with n_asked, the list of them. */
    void (*count_asked)(const int *count, int *n_asked);
    void (*asked)(const int *ask, const int *count, const int *n_asked, int *list);
    /* part[i] := the process of vertex i of a graph of n vertices: parts of equal size, few edges between
     * them. Neighbours both ways and without itself. The first process has the graph and gets the answer; others
     * have nothing to give. 0: done. */
    int (*partition)(int n, const int *start, const int *neighbour, int *part);
    /* Linear systems. NULL: no memory. */
    team_matrix *(*matrix_new)(const team_rows *rows);
    void (*matrix_free)(team_matrix *a);
    /* The values in the order of the pattern. 0: done; 1: singular; < 0: failed. */
    int (*factor)(team_matrix *a, const double *values);
    /* b := solution; so many iterations, or < 0: it was not found after as many. */
    int (*solve)(team_matrix *a, double *b);
} team;

#endif
