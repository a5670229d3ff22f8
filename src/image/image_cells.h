/* Cells: small programs that are run again only if something they read has changed. code/cell.h explains them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_CELLS_H
#define IMAGE_IMAGE_CELLS_H

#include "image/image_function.h"
#include "image/list.h"

// clang-format off

#define CODE_CELLS(X)                                                                                                            \
    X(COUNT, n, "cells")                                                                                                         \
    X(COUNT, n_items, "items")                                                                                                   \
    X(SHARES, tape, program, x->n, "by cell: its values, then its liveness")                                                     \
    X(SHARES, tape, quiet, x->n, "by cell: without its calls, NULL: it has none; NULL altogether: no cell has")                  \
    X(SHARES, tape, asks, x->n, "by cell: is a call due? NULL as of quiet")                                                      \
    X(NUMBERS, bool, impure, x->n, "by cell with such calls: they are of impure functions; NULL as of quiet")                    \
    X(PARTS, code_fn, long_program, x->n, "by cell: compiled, if it is long; NULL: none is")                                     \
    X(PARTS, code_fn, long_quiet, x->n, "the same of quiet; NULL: none is")                                                      \
    X(SHARES, tape, fires, x->n, "by cell: 0 while all its variables are their own past, NULL: it has none; NULL altogether: none has") \
    X(INDICES, int, first, x->n + 1, 0, x->n_items + 1, "items of cell c: item[first[c]] ... item[first[c + 1] - 1]; NULL: no cells") \
    X(INDICES, int, item, x->n_items, 0, x->n_items, "by cell")                                                                  \
    X(INDICES, int, cell, x->n_items, 0, x->n, "by item")                                                                        \
    X(COUNT, n_w, "elements of w that are listed here")                                                                          \
    X(NUMBERS, int, user_start, x->n_w + 1, "by element of w: its first entry of user; NULL: no cells")                          \
    X(INDICES, int, user, x->user_start ? x->user_start[x->n_w] : 0, 0, x->n, "the cells that read it")
typedef struct code_cells {
    CODE_CELLS(IMAGE_MEMBER)
} code_cells;

// clang-format on

#endif
