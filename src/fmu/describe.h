/* modelDescription.xml of a model, and its documentation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_DESCRIBE_H
#define FMU_DESCRIBE_H

#include "api/run.h"
#include "fmu/carried.h"

typedef struct fmu_subject {
    vinc_sim *sim;              // started or lent, at its start
    int fmi;                    // 2 or 3
    bool exchange, steps;       // model exchange, co-simulation
    bool source;                // sources come along
    const flat_model *written;  // the model as it was flattened: its flags know what decided sizes
    const fmu_carried *carried; // files that it reads
    const char *identifier;     // of the library
    const char *token;          // of the text
} fmu_subject;

/* What is said of a model: the description, a page for people, what a diagram shows. */
typedef struct fmu_papers {
    text description, page, terminals, svg, png;
    text arrays; // a line for each: value reference, number of elements
} fmu_papers;

/* Inside a guard; what is temporary comes from scratch. */
void fmu_describe(const fmu_subject *x, arena *scratch, fmu_papers *to);

#endif
