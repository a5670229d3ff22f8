/* An order of elimination by nested dissection: what separates the unknowns into halves comes last, the
 * halves before it, each ordered likewise (A. George, SIAM J. Numer. Anal. 10 (1973) 345-363). On grids it
 * fills less than an order by degrees. Made by a plug-in (src/plugins/metis.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_DISSECT_H
#define LA_DISSECT_H

#include "la/la.h"

enum { LA_DISSECTOR_VERSION = 1 };

/* The table of the plug-in. */
typedef struct la_dissector {
    int version; // first
    /* Neighbours of unknown j are neighbour[begin[j]] ... neighbour[begin[j + 1] - 1], each once, without j,
     * and j is one of theirs. Unknown order[k] becomes number k; rank is workspace of n. 0: done; the same
     * bits whenever it is called, in whatever thread. */
    int (*order)(int n, int *begin, int *neighbour, int *order, int *rank);
} la_dissector;

/* Of the graph of A + A^T. LA_OK, LA_E_MEMORY, or LA_E_BACKEND: the plug-in is not there, or it failed. */
int la_dissect(mem *m, const vinc_pattern *a, int *order);

#endif
