/* A text through everything: parse, flatten, check, start, ten steps, linearize.
 *
 * Whatever the text, each call gives a result or a status with a message of severity error. Memory
 * and time are limited, and nothing may be left of memory. What else a text can do, crash or run on,
 * its caller sees.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_PIPELINE_H
#define FUZZ_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far it went, and then what must not be. */
#define PIPELINE_OUTCOMES(X)                                                                       \
    X(NO_MODEL, "no model")                                                                        \
    X(NO_STRUCTURE, "wrong structure")                                                             \
    X(NO_RUN, "no run")                                                                            \
    X(NO_START, "no start values")                                                                 \
    X(STOPPED, "stopped on the way")                                                               \
    X(RAN, "ran")                                                                                  \
    X(SILENT, "failed without a message")                                                          \
    X(NOT_FINITE, "status 0 with a value that is no number")                                       \
    X(CONTRADICTS, "status 0 with an error message")                                               \
    X(ESCAPES, "control characters in a message")                                                  \
    X(LEAK, "memory left")

typedef enum pipeline_outcome {
#define X(name, words) PIPELINE_##name,
    PIPELINE_OUTCOMES(X)
#undef X
        PIPELINE_N_OUTCOMES
} pipeline_outcome;

bool pipeline_is_fault(pipeline_outcome outcome);
const char *pipeline_words(pipeline_outcome outcome);

/* A text that was looked at. stage: the call that the outcome is about, a literal. */
typedef struct pipeline_report {
    pipeline_outcome outcome;
    const char *stage;
} pipeline_report;

/* variant: 0 is the run that a user gets who gives no option; others take another formulation or
 * method, or record a run instead of stepping it. */
pipeline_report pipeline(const char *text, size_t n, uint32_t variant);

#endif
