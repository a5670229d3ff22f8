/* Does a result stay in a tube around a reference?
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOL_TUBE_H
#define TOOL_TUBE_H

#include "vincolo.h"

#include <stdbool.h>

enum { TUBE_WORDS = 300 };

typedef struct tube_verdict {
    int n_signals, inside;
    char first[TUBE_WORDS]; // the first signal that is not inside, and where; "" when all are
} tube_verdict;

/* The table DIR/A/B/C/C.csv of the class A.B.C; false where there is none. */
bool tube_file(const char *dir, const char *class_name, char *path, size_t room);

/* A reference, read, and the names of its signals that count: those of the file
 * comparisonSignals.txt beside it, one a line, or all. */
typedef struct tube_reference {
    vinc_result *table;
    int *columns, n; // the signals that count
    double start, stop;
    int intervals; // between different times
    char *vars;    // their names, as --vars takes them
} tube_reference;

int tube_read(vinc_ctx *ctx, const char *path, tube_reference *out); // a status
void tube_free(tube_reference *r);

/* Hold a result against it. */
tube_verdict tube_compare(const tube_reference *r, vinc_result *result);

#endif
