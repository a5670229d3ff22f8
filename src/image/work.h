/* The work array w of a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_WORK_H
#define IMAGE_WORK_H

/* Its first elements. */
enum {
    IMAGE_W_INITIAL,  // initial()
    IMAGE_W_TERMINAL, // terminal()
    IMAGE_W_LAMBDA,   // homotopy: 0 simplified ... 1 actual
    IMAGE_W_FIRST     // those of the model follow
};

#endif
