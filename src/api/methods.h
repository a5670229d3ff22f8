/* A method as `vincolo method` speaks of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_METHODS_H
#define API_METHODS_H

#include "api/api.h"
#include "lab/lab.h"
#include "vincolo.h"

typedef struct method_subject {
    const char *spec;     // as the user named it
    const char *name;     // without parameters
    const vinc_method *m; // NULL: from a file
    bool known;           // one formula, analysed in r
    int stages;
    lab_report r;
    const method_formula *formula; // of files and designs
    double opt[METHOD_OPTIONS_MAX];
} method_subject;

/* What the laboratory found, in words. */
void method_subject_text(text *o, const method_subject *s);

/* The method of a name with parameters or of a file, analysed where it is one formula. Inside the
 * guard; false after a diagnostic. */
bool method_subject_find(vinc_ctx *ctx, const char *spec, method_subject *s);
/* Does this name a text file of a method? */
bool api_is_formula_file(const char *spec);
/* Read it, with its order as the laboratory finds it. False after a diagnostic; within a guard. */
bool api_read_formula(vinc_ctx *ctx, const char *path, method_formula *f, lab_report *r);

#endif
