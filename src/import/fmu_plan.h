/* What is set, read and recorded of an FMU, and in which order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMPORT_FMU_PLAN_H
#define IMPORT_FMU_PLAN_H

#include "import/box.h"
#include "import/import.h"

typedef struct plan_table { // of inputs
    result *r;              // NULL: none
    int *columns;           // of each scalar input that it drives
    bool *held;             // ... is it discrete: its values hold from row to row
} plan_table;

typedef struct plan_input {
    const vinc_setting *settings;
    int n_settings;
    bool steps;
    bool
        component; // all inputs that are ports are driven, and only outputs that are ports are read
    plan_table *table; // its columns are found here
    const char *table_name;
} plan_input;

/* Fill the plan; *values become those of plan->set. VINC_OK, or VINC_E_OPTION after a message: a name that
 * there is none of, or that may not be set. Inside a guard; everything lives in the arena of x. */
int import_plan_make(import_plan *p, import_file *x, const plan_input *in, double **values);

/* One column for each scalar; fixed: the values of what does not vary. < 0: RESULT_E_MEMORY. */
int import_declare(const import_plan *p, const double *fixed, result *r);

enum { PLAN_NAME = 600 };
/* Does it pass Real numbers from or to other components? */
bool import_is_port(const fmi_variable *v, fmi_causality causality);
/* "q[1,2]": an element of a variable, counted from 0 with the last subscript running fastest. */
const char *import_element_name(const fmi_description *d, const fmi_variable *v, int64_t k,
                                char room[PLAN_NAME]);
/* The scalar state with that number. */
const char *import_state_name(const import_plan *p, int i, char room[PLAN_NAME]);

#endif
