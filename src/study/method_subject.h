/* A method as `vincolo method` speaks of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_METHOD_SUBJECT_H
#define STUDY_METHOD_SUBJECT_H

#include "api/formula_file.h"

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

/* The method of a name with parameters or of a file, analysed where it is one formula. Inside the
 * guard; false after a diagnostic. */
bool method_subject_find(vinc_ctx *ctx, const char *spec, method_subject *s);
#endif
