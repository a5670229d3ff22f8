/* Exact sparse derivatives of programs, as programs.
 *
 * Reverse accumulation inside statements, whose values serve one result only, sparse forward
 * accumulation between them (the "statement-level reverse" scheme; A. Griewank and A. Walther,
 * Evaluating Derivatives, 2nd ed., SIAM 2008, ch. 7 and 10), then common subexpressions and dead
 * code. Entries that are zero for every argument do not appear in the pattern. A select is
 * differentiated branch by branch and never mixes the branches, so the branch not taken may be
 * infinite or NaN.
 *
 * Temporary memory is taken from and given back to `scratch`; it must not be the result arena.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVE_DERIVE_H
#define DERIVE_DERIVE_H

#include "tape/tape.h"
#include "vincolo_problem.h"

/* Value k of the pattern is stored to out[k]. */
typedef struct tape_program_derivative {
    const tape_program *code;
    vinc_pattern pattern;
} tape_program_derivative;

/* d out[i] / d wrt[j] for all stores of f to out; wrt: distinct refs of kind t, p, y, yp or w. The
 * pattern has f->extent[TAPE_OUT] rows and n_wrt columns. A map is differentiated once per local
 * sparsity shape and stays a map. The derivatives of values in w are kept in w, in elements from
 * first_w on (or after those that f uses, if that is further); the extent of the result tells how
 * far. */
tape_program_derivative tape_program_derive(const tape_program *f, const tape_ref *wrt, int n_wrt,
                                            int first_w, arena *scratch, arena *result);

/* dF/dy and dF/dy' on their common pattern, n_rows by n_cols (at least the extents of f). The code
 * stores dF/dy[k] to out[k] and dF/dy'[k] to out2[k], zeros included: both arrays are complete. */
tape_program_derivative tape_program_jacobian(const tape_program *f, int n_rows, int n_cols,
                                              int first_w, arena *scratch, arena *result);

/* The product with a direction: out[i] = sum over j of dF_i/dy[j] v[j] + dF_i/dy'[j] vp[j], by one sweep
 * forward and without any entry of the derivative. v and vp are given in w, n elements each. Elements
 * from v on belong to the product, and hold 0 before its first evaluation. Some parameters and elements
 * of w (`also`, n_also of them, none of which f stores) may be part of the direction: the tangent of p[i]
 * is given in w[p + i], that of w[i] in w[w + i]. */
typedef struct tape_program_tangent {
    const tape_program *code;
    int v, vp, w, p; // where in w they begin; at first_w or after what f uses, if that is further
    int n_w;         // how far w reaches
} tape_program_tangent;
tape_program_tangent tape_program_product(const tape_program *f, int n, int first_w,
                                          const tape_ref *also, int n_also, arena *scratch,
                                          arena *result);

#endif
