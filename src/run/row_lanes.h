/* Rows of results at several points of a step at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ROW_LANES_H
#define RUN_ROW_LANES_H

#include "run/state.h"

typedef struct run_rows {
    long expected;   // of the runs so far
    bool tried;      // to make the code
    int *of, n;      // what was recorded then: outputs of the model, NULL: all
    tape_code *code; // from t and y of VINC_ROW_LANES points to these
    double *lanes;   // these, and the scratch of the code
    size_t lanes_bytes;
} run_rows;

void rows_free(run_state *s);

#endif
