/* A machine that runs PTX, one thread after the other: the part of the language that Vincolo prints
 * and that clang makes of ptx_math.c. Anything else is a failure with the line, so that a test sees it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_PTX_MACHINE_H
#define TESTS_SUPPORT_PTX_MACHINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ptx_machine ptx_machine;

/* NULL and a sentence in why (200 bytes) where the text is not understood. */
ptx_machine *ptx_machine_new(const char *text, char *why);
void ptx_machine_free(ptx_machine *m);

/* The function of this name: arguments and result are doubles. 0, or -1 and why. */
int ptx_machine_call(ptx_machine *m, const char *name, const double *arguments, int n,
                     double *result, char *why);
/* The entry of this name with 64-bit arguments, for every thread of a grid. */
int ptx_machine_launch(ptx_machine *m, const char *name, unsigned blocks, unsigned block,
                       const uint64_t *arguments, int n, char *why);
long ptx_machine_executed(const ptx_machine *m); // instructions so far

#endif
