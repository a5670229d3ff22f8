/* What a model was compiled from, its equations and their expressions, may be given back once it is compiled, and is made
 * again when it is needed (api/origin.c). Numbers of equations and variables stay.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_ORIGIN_H
#define IMAGE_IMAGE_ORIGIN_H

#include "image/image_model.h"

#include <stdatomic.h>

typedef struct code_origin {
    atomic_bool gone;
    atomic_bool tables_gone;  // those of unknowns, entries and rows, too
    bool (*remake)(void *of); // in any thread; false: it cannot be made
    void *of;
} code_origin;

/* Equations and their expressions are present now; false: they cannot be made. */
static inline bool code_has_origin(const code_model *m)
{
    return !m->origin || !atomic_load(&m->origin->gone) || m->origin->remake(m->origin->of);
}

/* The tables of unknowns, entries and rows are present now; false: they cannot be made. A run calls it before it reads
 * them. */
static inline bool code_has_tables(const code_model *m)
{
    return !m->origin || !atomic_load(&m->origin->tables_gone) || m->origin->remake(m->origin->of);
}

#endif
