/* Elimination of a sparse matrix by dense blocks: what can be said from its pattern alone.
 *
 * The pattern of A + A^T is eliminated along its diagonal in AMD's order. Unknowns with nearly the
 * same neighbours form a node; the front of a node is the dense matrix of its unknowns and of those
 * that their elimination changes. The nodes form a tree: what a front leaves behind (its update) is
 * added to the front of its parent, and in postorder updates lie on a stack (J. W. H. Liu, SIAM
 * Review 34 (1992) 82-109; I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983) 302-325).
 *
 * Unknowns are numbered by their turn here: unknown k is column order[k] of the matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_FRONTS_H
#define LA_FRONTS_H

#include "la/la.h"

typedef struct la_fronts {
    int n, n_nodes;
    int *order;
    int *first;   // node v eliminates first[v] ... first[v + 1] - 1
    int *start;   // and changes row[start[v]] ... row[start[v + 1] - 1], ascending, all later
    int *row;     //
    int *child;   // the last child of a node, or -1
    int *sibling; // the child before, or -1
    int *chain;   // at both ends of a stretch of nodes v, v + 1, ... each of which eliminates one
                  // unknown and changes only the next: its length; 0 for all other nodes
    int *entries; // entries of the matrix that the front of v begins with: entry[entries[v]] ...
    int *entry;   // their numbers in the pattern
    int *place;   // and their places in the front, which is kept by columns
    size_t *at;   // where the factors of v begin; at[n_nodes] is their size
    size_t stack; // most that fronts and updates take together
    int widest;   // most rows of a front
    bool suits; // the diagonal is full and the pattern nearly symmetric; nothing else is set if not
    double work;                 // multiplications per entry of the factors
    double n_updates, n_entries; // of the factors
    mem *m;
    void *block;
    size_t bytes;
} la_fronts;

/* LA_OK, LA_E_MEMORY, or LA_E_DEAR: factoring takes more than work_max multiplications (0: any). */
int la_fronts_plan(la_fronts *f, mem *m, const vinc_pattern *pattern, double work_max);
void la_fronts_free(la_fronts *f);

/* Factors of a node, by columns: L of all its rows with U of its own above the diagonal and the
 * pivots inverted; then the rest of U, transposed. x := (L U)^-1 x in the order of elimination;
 * rest: workspace of `widest`. */
void la_fronts_sweep(const la_fronts *f, const double *factors, double *x, double *rest);

static inline int la_fronts_own(const la_fronts *f, int v) // unknowns that v eliminates
{
    return f->first[v + 1] - f->first[v];
}

static inline int la_fronts_rest(const la_fronts *f, int v) // unknowns that it changes
{
    return f->start[v + 1] - f->start[v];
}

#endif
