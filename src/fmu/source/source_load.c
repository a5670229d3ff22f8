/* The model of an FMU that was compiled from its sources: it is part of the program.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include <stdlib.h>
#include <string.h>

bool fmu_load(fmu_instance *x, const char *token, const char *resources)
{
    (void)resources;
    if (token && strcmp(token, source_of_model.token) != 0) {
        fmu_say(x, FMU_ERROR,
                "the FMU is not the one that was described: its instantiation token is %s",
                source_of_model.token);
        return false;
    }
    x->ctx = vinc_ctx_new(NULL);
    x->model = x->ctx ? vinc_model_of(x->ctx, &source_of_model) : NULL;
    for (const source_slot *q = source_of_model.arrays; x->model && q->mark; q++)
        if (!fmu_note_array(x, (uint32_t)q->place, (uint32_t)q->mark)) return false;
    return x->model != NULL;
}

/* Strings of sources are what they were when they were printed. */
bool fmu_load_again(fmu_instance *x, const fmu_texts *set)
{
    (void)set;
    fmu_say(x, FMU_ERROR, "an FMU that was compiled from its sources keeps its Strings");
    return false;
}

void fmu_load_close(fmu_instance *x)
{
    (void)x;
}

char *fmu_text_shown(const fmu_instance *x, const char *words)
{
    char *copy = malloc(strlen(words) + 1);
    (void)x;
    return copy ? strcpy(copy, words) : NULL;
}
