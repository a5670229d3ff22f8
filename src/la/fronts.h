/* Elimination of a sparse matrix by dense blocks: what can be said from its pattern alone.
 *
 * The pattern of A + A^T is eliminated along its diagonal in AMD's order, or that of nested dissection
 * where that takes less work. Unknowns with nearly the same neighbours form a node; the front of a node is the dense matrix of its unknowns and of those
 * that their elimination changes. The nodes form a tree: what a front leaves behind (its update) is
 * added to the front of its parent, and in postorder few updates wait (J. W. H. Liu, SIAM
 * Review 34 (1992) 82-109; I. S. Duff, J. K. Reid, ACM Trans. Math. Softw. 9 (1983) 302-325).
 *
 * Unknowns are numbered by their turn here: unknown k is column order[k] of the matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_FRONTS_H
#define LA_FRONTS_H

#include "base/crew.h"
#include "la/la.h"

/* The tree of nodes is cut into parts, each a stretch of nodes and a subtree of it; they form a tree, too,
 * whose branches several threads eliminate at once. What the nodes of a part change in unknowns of parts
 * above is gathered in a vector of the part's own, its outer unknowns: those that its last node changes.
 * So nobody waits for the order of sums, which is the same for any number of threads. */
typedef struct la_fronts_part {
    int begin, end; // nodes begin ... end - 1
    int outer;      // number of its first outer unknown, beyond the n of the matrix
    size_t update;  // where the update of its last node is kept while parts above wait for it
} la_fronts_part;

/* What a node is to whoever makes its factors. */
typedef enum la_fronts_kind {
    LA_FRONTS_HIGH =
        1, // its update lies on the upper one of two stacks, its children's on the lower
           // one; without, the other way round
    LA_FRONTS_LINK = 2, // one unknown that changes one other and is changed by one at most
} la_fronts_kind;

typedef struct la_fronts {
    int n, n_nodes;
    int *order;
    int *first;   // node v eliminates first[v] ... first[v + 1] - 1
    int *start;   // and changes row[start[v]] ... row[start[v + 1] - 1], ascending, all later
    int *row;     // (of nodes in parts above: as outer unknowns of its part)
    int *child;   // the last child of a node, or -1
    int *sibling; // the child before, or -1
    int *inside;  // and where these rows lie in the panels of its parent (la_fronts_stride)
    unsigned char *kind; // la_fronts_kind
    int *stretch; // at both ends of a stretch of nodes v, v + 1, ... each of which eliminates one
                  // unknown and changes only the next: its length; of nodes with one unknown that
                  // change equally many: the same, negative; 0 for all other nodes
    int *entries; // entries of the matrix that the front of v begins with: entry[entries[v]] ...
    int *entry;   // their numbers in the pattern
    int *place;   // and their places in its panels
    int *
        of_row; // entries of row i of the matrix: row_entry[of_row[i]] ... row_entry[of_row[i + 1] - 1]
    int *row_entry;
    size_t *at;   // where the factors of v begin, of L; at[n_nodes] is their size, and that of U
    size_t stack; // most that updates take together
    size_t panel; // most that the panels of a front take
    int widest;   // most rows of a front
    int n_parts;
    la_fronts_part *part;
    crew_tree tree; // of the parts
    int *part_of;   // of a node that is the last of a part: that part; else -1
    int *outer_row; // outer unknown n + k is this unknown of the part above, or its outer one
    int n_outer;
    size_t stack_of_part, updates; // most that a part takes on the stack; of all updates together
    bool suits; // the diagonal is full and the pattern nearly symmetric; nothing else is set if not
    bool dissected;              // the order is that of la/dissect.h
    double work;                 // multiplications per entry of the factors
    double n_updates, n_entries; // of the factors
    mem *m;
    void *block, *part_block;
    size_t bytes, part_bytes;
} la_fronts;

/* LA_OK, LA_E_MEMORY, or LA_E_DEAR: factoring takes more than work_max multiplications (0: any). */
int la_fronts_plan(la_fronts *f, mem *m, const vinc_pattern *pattern, double work_max);
void la_fronts_free(la_fronts *f);

/* b := (L U)^-1 (weight b), with the factors of each node where la_fronts_factors says. */
typedef struct la_fronts_sweep {
    const la_fronts *f;
    const double *lower, *upper, *weight;
    double *b;
    double *x;    // workspace: b in the order of elimination, and the outer unknowns
    double *rest; // la_fronts_room for each thread
} la_fronts_sweep;

void la_fronts_solve(const la_fronts_sweep *z, crew *c);

/* Loops take so many numbers at a time, and where they may, some more than there are. */
enum { LA_FRONTS_LANES = 4 };

static inline int la_fronts_padded(int n)
{
    return (n + LA_FRONTS_LANES - 1) & ~(LA_FRONTS_LANES - 1);
}

/* Numbers of the front of a node, while a sweep passes it. */
static inline size_t la_fronts_room(const la_fronts *f)
{
    return (size_t)(la_fronts_padded(f->widest) + 2 * LA_FRONTS_LANES);
}

static inline int la_fronts_own(const la_fronts *f, int v) // unknowns that v eliminates
{
    return f->first[v + 1] - f->first[v];
}

static inline int la_fronts_rest(const la_fronts *f, int v) // unknowns that it changes
{
    return f->start[v + 1] - f->start[v];
}

/* While the front of v is eliminated its columns of L and its rows of U are two panels of such columns: its own
 * unknowns, then those that it changes, both padded by zeros. The panel of U follows that of L. */
static inline int la_fronts_stride(const la_fronts *f, int v)
{
    return la_fronts_padded(la_fronts_own(f, v)) + la_fronts_padded(la_fronts_rest(f, v));
}

static inline size_t la_fronts_panel(const la_fronts *f, int v)
{
    int own = la_fronts_own(f, v), columns = own < LA_FRONTS_LANES ? own : la_fronts_padded(own);
    return (size_t)columns * (size_t)la_fronts_stride(f, v);
}

/* Factors of a node are its columns of L, and its rows of U, the pivots inverted: each sweep streams through one of the
 * two. They are kept in groups of four columns, the last of fewer: from column k on first the square at the diagonal, then
 * what is below it, four rows at a time, the last of them filled up with zeros; columns of a square, and of four rows,
 * follow each other. Those of U lie in the order in which a sweep needs them, from the last node and group to the first. So
 * each sweep reads its factors from one end to the other. A single unknown has no zeros, and sweeps read past its end. */
static inline int la_fronts_group(int own, int k) // columns of a group
{
    return own - k < LA_FRONTS_LANES ? own - k : LA_FRONTS_LANES;
}

static inline size_t la_fronts_group_size(int own, int rest, int k)
{
    int count = la_fronts_group(own, k), below = own - k - count + rest;
    return (size_t)count * (size_t)(count + (own > 1 ? la_fronts_padded(below) : below));
}

static inline size_t la_fronts_factors(int own, int rest)
{
    size_t sum = 0;
    for (int k = 0; k < own; k += LA_FRONTS_LANES) sum += la_fronts_group_size(own, rest, k);
    return sum;
}

static inline size_t la_fronts_upper(const la_fronts *f, int v) // where its factors of U begin
{
    return f->at[f->n_nodes] - f->at[v + 1];
}

static inline size_t la_fronts_update(const la_fronts *f, int v) // numbers of what it leaves behind
{
    size_t n = (size_t)la_fronts_padded(la_fronts_rest(f, v));
    return n * n;
}

#endif
