/* Steps in one piece, where the problem has code for them (vinc_problem.whole_step): the operations of the step in
 * pieces, in the same order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_WHOLE_H
#define METHOD_WHOLE_H

/* What is asked for. */
typedef enum whole_of {
    WHOLE_ROSENBROCK, // a step (rosenbrock.h); table: rosenbrock_table
    WHOLE_EXPLICIT,   // a step (erk.h); table: erk_table
    WHOLE_DENSE,      // further stages and rows of its interpolant; table: erk_table
} whole_of;

typedef struct method_whole {
    whole_of of;
    const void *formula; // tells formulas apart: it is constant, and lives as long as the program
    const void *table;   // its coefficients, at least for this call
    const struct la_lists
        *lists; // the matrix is eliminated by them (la/lists.h); NULL: inverted, or there is none
    const int *
        pivots; // by which code is told apart: of an inverse the row of each column, of lists those of the steps
    int n_pivots; // 0: there are none
    void **
        found; // what has been looked for with this formula and these pivots, NULL at first; NULL: it is looked for
    double t;
    const double *y, *in;
    double *out, *out2;
} method_whole;

/* Of an operation in loops: by times on the test set, 2 to 8 unknowns. Choices that follow from work are those of the
 * step in one piece from the beginning: when its code is made depends on runs before. */
static const double WHOLE_PART_OF_WORK = 0.5;

#endif
