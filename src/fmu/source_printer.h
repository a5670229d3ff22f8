/* Who prints a model as C: shared by the files that do.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_SOURCE_PRINTER_H
#define FMU_SOURCE_PRINTER_H

#include "fmu/source_print.h"
#include "run/verbs.h"

typedef struct source_printer {
    vinc_sim *sim;
    const code_model *m;
    const structure *s;
    code_initial start; // of the model, with the rows that are printed
    arena *a;
    text *out;
    size_t scratch;
    tape_c calls; // functions that tapes call
} source_printer;

void source_print_program(source_printer *x, const tape_program *program, const char *name);
/* static const int name[] = {...}; one element more than n, so that there is one. */
void source_print_ints(source_printer *x, const char *name, const int *list, int n);
void source_print_bytes(source_printer *x, const char *name, const uint8_t *list, int n);
void source_print_numbers(source_printer *x, const char *name, const double *list, int n);

/* Tables (source_tables.c); where they give a number it is that of their rows. */
bool source_has_conditions(const code_model *m); // of start values, beside those of states
bool source_is_condition(const code_model *m,
                         int entry); // is it that of a further row that counts?
void source_print_entries(source_printer *x);
void source_print_unknowns(source_printer *x);
int source_print_w_start(source_printer *x);
void source_print_groups(source_printer *x);
void source_print_relations(source_printer *x);
void source_print_discrete(source_printer *x);
void source_print_actions(source_printer *x);
void source_print_delays(source_printer *x);
void source_print_clocks(source_printer *x); // source_clocks.c
int source_print_columns(source_printer *x); // of states
int source_print_texts(source_printer *x);

#endif
