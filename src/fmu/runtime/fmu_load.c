/* The model of an FMU that holds it as text.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/fmu.h"
#include "fmu/runtime/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of the model, n bytes; NULL: said. */
static char *read_model(const fmu_instance *x, const char *folder, size_t *n)
{
    enum { BYTES_MAX = 1 << 30 };
    char path[4096];
    size_t k = strlen(folder);
    const char *slash = k && folder[k - 1] == '/' ? "" : "/";
    if (snprintf(path, sizeof path, "%s%s%s", folder, slash, FMU_MODEL_FILE) >= (int)sizeof path) {
        fmu_say(x, FMU_ERROR, "the path of the resources is too long");
        return NULL;
    }
    FILE *f = fopen(path, "rb");
    if (!f) {
        fmu_say(x, FMU_ERROR, "there is no file '%s': the resources of the FMU are needed", path);
        return NULL;
    }
    char *text = NULL;
    long size = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    if (size > 0 && size < BYTES_MAX && !fseek(f, 0, SEEK_SET)) text = malloc((size_t)size);
    *n = text ? fread(text, 1, (size_t)size, f) : 0;
    fclose(f);
    if (text && *n == (size_t)size) return text;
    fmu_say(x, FMU_ERROR, "'%s' cannot be read", path);
    free(text);
    return NULL;
}

/* Lines that are no arrays of the model are left out: a file of others changes nothing else. */
static bool read_arrays(fmu_instance *x, const char *folder)
{
    char path[4096];
    unsigned reference, n, last = 0;
    size_t k = strlen(folder);
    const char *slash = k && folder[k - 1] == '/' ? "" : "/";
    bool good = true;
    if (snprintf(path, sizeof path, "%s%s%s", folder, slash, FMU_ARRAYS_FILE) >= (int)sizeof path)
        return true;
    FILE *f = fopen(path, "rb");
    if (!f) return true; // there are none
    while (good && fscanf(f, "%u %u", &reference, &n) == 2) {
        if (reference > last && n > 1) good = fmu_note_array(x, reference, n);
        last = reference;
    }
    fclose(f);
    return good;
}

bool fmu_load(fmu_instance *x, const char *token, const char *resources)
{
    size_t n;
    if (!resources) {
        fmu_say(x, FMU_ERROR, "the path of the resources is needed: the model is there");
        return false;
    }
    char *text = read_model(x, resources, &n);
    x->ctx = text ? vinc_ctx_new(NULL) : NULL;
    if (!x->ctx) {
        free(text);
        return false;
    }
    char own[FMU_TOKEN_BYTES];
    fmu_token(text, n, own);
    if (token && strcmp(token, own) != 0) {
        fmu_say(x, FMU_ERROR,
                "the model in the resources is not the one that was described: its "
                "instantiation token is %s",
                own);
        free(text);
        return false;
    }
    int rc = vinc_model_load_text(x->ctx, FMU_MODEL_FILE, text, n, NULL, &x->model);
    free(text);
    return fmu_told(x, rc) == FMU_OK && read_arrays(x, resources);
}
