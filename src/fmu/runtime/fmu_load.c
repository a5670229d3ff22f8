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

/* The text with the folder of the resources in place of marks; *n: its length. NULL: no memory. */
static char *put_folder(const char *text, size_t *n, const char *folder)
{
    static const char mark[] = "\"" FMU_FILE_MARK;
    size_t k = sizeof mark - 1, count = 0, to = 0;
    for (size_t i = 0; i + k <= *n; i++) count += !memcmp(text + i, mark, k);
    char *out = malloc(*n + count * (2 * strlen(folder) + sizeof FMU_FILES + 3) + 1);
    for (size_t i = 0; out && i < *n;) {
        if (i + k > *n || memcmp(text + i, mark, k) != 0) {
            out[to++] = text[i++];
            continue;
        }
        out[to++] = '"';
        for (const char *p = folder; *p; p++) {
            if (*p == '"' || *p == '\\') out[to++] = '\\';
            out[to++] = *p;
        }
        to += (size_t)sprintf(out + to, "/" FMU_FILES "/");
        i += k;
    }
    *n = to;
    return out;
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

/* ---- texts that are set ---------------------------------------------------------------------- */

/* n bytes of the folder without a separator at the end: paths of the model have one of their own. */
static size_t folder_bytes(const fmu_instance *x)
{
    size_t n = strlen(x->folder);
    while (n > 1 && x->folder[n - 1] == '/') n--;
    return n;
}

char *fmu_text_shown(const fmu_instance *x, const char *words)
{
    static const char below[] = "/" FMU_FILES "/";
    size_t n = strlen(x->folder);
    bool inside = !strncmp(words, x->folder, n) && !strncmp(words + n, below, sizeof below - 1);
    const char *rest = inside ? words + n + sizeof below - 1 : words;
    char *out = malloc(strlen(rest) + sizeof FMU_SHOWN_FILES);
    if (out) sprintf(out, "%s%s", inside ? FMU_SHOWN_FILES : "", rest);
    return out;
}

/* As Modelica writes it, between quotes; files of the resources with their folder. NULL: no memory. */
static char *modelica_text(const fmu_instance *x, const char *words)
{
    static const char shown[] = FMU_SHOWN_FILES;
    bool inside = !strncmp(words, shown, sizeof shown - 1);
    char *out = malloc(2 * (strlen(words) + strlen(x->folder)) + sizeof shown + 3), *p = out;
    const char *const parts[] = {inside ? x->folder : "", inside ? "/" FMU_FILES "/" : "",
                                 inside ? words + sizeof shown - 1 : words};
    if (!out) return NULL;
    *p++ = '"';
    for (int k = 0; k < 3; k++)
        for (const char *q = parts[k]; *q; q++) {
            if (*q == '"' || *q == '\\') *p++ = '\\';
            *p++ = *q;
        }
    *p++ = '"';
    *p = 0;
    return out;
}

static int load_model(fmu_instance *x, const vinc_setting *list, int n)
{
    vinc_model_options o = {
        .text = x->source, .n_text = x->n_source, .settings = list, .n_settings = n};
    return vinc_model_load_with(x->ctx, FMU_MODEL_FILE, NULL, &o, &x->model);
}

/* Names are those of the run that described them, which lives as long as the old model. */
bool fmu_load_again(fmu_instance *x, const fmu_texts *set)
{
    vinc_sim_options lent = {.lend = 1};
    vinc_sim *named = NULL;
    vinc_model *old = x->model;
    size_t at = 0;
    uint32_t number;
    int n = 0, rc = vinc_sim_new(old, &lent, &named);
    vinc_setting *list = calloc((size_t)x->n_texts + 1, sizeof *list);
    if (!list && !rc) rc = VINC_E_MEMORY;
    for (const char *words; !rc && n < x->n_texts && (words = fmu_text_set(set, &at, &number));
         n++) {
        list[n] = (vinc_setting){vinc_sim_text_name(named, (int)number), modelica_text(x, words)};
        if (!list[n].value) rc = VINC_E_MEMORY;
    }
    if (!rc) rc = load_model(x, list, n);
    if (!rc) vinc_sim_free(named), vinc_model_free(old), named = NULL;
    else vinc_sim_free(named), x->model = old;
    for (int i = 0; list && i <= x->n_texts; i++) free((void *)list[i].value);
    free(list);
    return fmu_told(x, rc) == FMU_OK;
}

void fmu_load_close(fmu_instance *x)
{
    free(x->source);
    free(x->folder);
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
    x->folder = x->ctx ? malloc(strlen(resources) + 1) : NULL;
    if (!x->folder) {
        free(text);
        return false;
    }
    strcpy(x->folder, resources);
    x->folder[folder_bytes(x)] = 0;
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
    x->source = put_folder(text, &n, x->folder);
    x->n_source = n;
    int rc = x->source ? load_model(x, NULL, 0) : VINC_E_MEMORY;
    free(text);
    return fmu_told(x, rc) == FMU_OK && read_arrays(x, resources);
}
