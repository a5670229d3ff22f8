/* Functions in C that a model calls, and the objects they keep.
 *
 * What `external "C"` names is looked up in one table (external_list.c): the functions of the
 * standard library are there, written here. A call is laid out once, when the model is flattened:
 * where each scalar of its arguments comes from, which of them are results (external_routine). It
 * is then a routine like any other (tape/tape.h), for any number of runs and threads; a run brings
 * an external_run, in which its objects live from the first evaluation of the parameters to the end
 * of the run. An object is a number in a model, that of its constructor call.
 * Modelica Language Specification 3.6, section 12.9.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_EXTERNAL_H
#define EXTERNAL_EXTERNAL_H

#include "external/external_run.h"
#include "tape/tape.h"

/* The function of this name; NULL: there is none. */
const external_function *external_find(const char *name);

/* A function in a library that the user has. */
typedef struct external_wish {
    const char *name;
    const char *destructor;   // of a constructor; NULL: it is none
    const char *const *files; // where to look, in order; none: in this process
    int n_files;
    void *library, *destroy_library; // ... or in these, which external_build gave
    bool built;                      // it was in such a one, which is not made again
    char returns;                    // as in external_function.types
    bool by_reference;
} external_wish;
/* NULL: why (EXTERNAL_WHY bytes) says what stands in the way. The library stays loaded. */
const external_function *external_load(struct arena *a, const external_wish *w, char *why);

/* Code in C that a model brings along. */
typedef struct external_source {
    const char *text;           // Include
    const char *const *folders; // of what it includes
    int n_folders;
    const char *const *files; // libraries that it needs
    int n_files;
} external_source;
/* The library that the compiler of the system makes of it; NULL: why (EXTERNAL_WHY bytes) says what
 * stands in the way. A file is written and a process started. The library stays loaded. */
void *external_build(struct arena *a, const external_source *s, char *why);

/* The routine as the tape calls it. r outlives it. */
tape_function external_tape_function(const external_routine *r);
/* The same of a routine of which only `f` is missing: the function of this name, or that of a wish (NULL: it is
 * none of the user's). False: it is not there, and why (EXTERNAL_WHY bytes) says so. */
bool external_bind(struct arena *a, const external_routine *r, const char *name,
                   const external_wish *w, tape_function *out, char *why);
/* tape_function.as_c (external_print.c). */
bool external_as_c(const tape_function *fn, tape_c *c, const char *name, const uint8_t *active);
/* Matrices that tables of the run have read from files: matrix_K, and what source_matrix has of it as MATRIX_K.
 * How many. */
int external_print_files(const external_run *run, int n_objects, arena *a, text *out);
/* Once, without arguments that are not known and without a run: at compile time. Of a String, words
 * has what comes out. False: it has no value, and why (EXTERNAL_WHY bytes) says so. */
bool external_once(const external_routine *r, double *out, const char **words, struct arena *a,
                   char *why);

#endif
