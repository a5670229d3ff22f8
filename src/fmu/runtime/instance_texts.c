/* Strings of an instance of an FMU.
 *
 * Texts that were set are kept as records, a number of a String and the text with its zero, one after the other: so
 * they are copied, compared and serialized as bytes. A model is compiled for them when it starts; one that
 * has other variables then is no longer the one that was described, and is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = sizeof(uint32_t) };

/* The number of a String; -1: said. */
static int text_number(fmu_instance *x, uint32_t reference)
{
    uint32_t first = FMU_FIRST_VARIABLE + (uint32_t)x->n_variables + 2 * (uint32_t)x->n_states +
                     (uint32_t)x->n_indicators;
    if (reference >= first && reference - first < (uint32_t)x->n_texts)
        return (int)(reference - first);
    fmu_say(x, FMU_ERROR, "value reference %u is not of type String", (unsigned)reference);
    return -1;
}

/* ---- records --------------------------------------------------------------------------------- */

static size_t record_bytes(const char *record)
{
    return NUMBER_BYTES + strlen(record + NUMBER_BYTES) + 1;
}

bool fmu_texts_read(const fmu_instance *x, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t number;
        if (n - i <= NUMBER_BYTES || !memchr(bytes + i + NUMBER_BYTES, 0, n - i - NUMBER_BYTES))
            return false;
        memcpy(&number, bytes + i, sizeof number);
        if (number >= (uint32_t)x->n_texts) return false;
        i += record_bytes(bytes + i);
    }
    return true;
}

bool fmu_texts_copy(fmu_texts *to, const fmu_texts *from)
{
    char *bytes = malloc(from->n + 1);
    if (!bytes) return false;
    if (from->n) memcpy(bytes, from->bytes, from->n);
    free(to->bytes);
    *to = (fmu_texts){bytes, from->n};
    return true;
}

static bool are_equal(const fmu_texts *a, const fmu_texts *b)
{
    return a->n == b->n && (!a->n || !memcmp(a->bytes, b->bytes, a->n));
}

/* In place of an earlier one of the same variable. */
static bool record_text(fmu_texts *t, uint32_t number, const char *value)
{
    size_t n = strlen(value) + 1, k = 0;
    char *bytes = malloc(t->n + NUMBER_BYTES + n);
    if (!bytes) return false;
    for (size_t i = 0; i < t->n; i += record_bytes(t->bytes + i)) {
        size_t m = record_bytes(t->bytes + i);
        if (!memcmp(t->bytes + i, &number, sizeof number)) continue;
        memcpy(bytes + k, t->bytes + i, m);
        k += m;
    }
    memcpy(bytes + k, &number, sizeof number);
    memcpy(bytes + k + NUMBER_BYTES, value, n);
    free(t->bytes);
    *t = (fmu_texts){bytes, k + NUMBER_BYTES + n};
    return true;
}

/* ---- the model for them ---------------------------------------------------------------------- */

fmu_status fmu_load_for_texts(fmu_instance *x)
{
    uint64_t shape = x->shape;
    if (are_equal(&x->texts, &x->loaded)) return FMU_OK;
    if (!fmu_load_again(x, &x->texts) || fmu_map(x) != FMU_OK) return FMU_ERROR;
    x->n_loads++;
    if (x->shape == shape) return fmu_texts_copy(&x->loaded, &x->texts) ? FMU_OK : FMU_ERROR;
    fmu_say(x, FMU_ERROR,
            "with the texts that were set the model has other variables than the FMU describes");
    if (fmu_load_again(x, &x->loaded)) fmu_map(x);
    return FMU_ERROR;
}

const char *fmu_text_set(const fmu_texts *t, size_t *at, uint32_t *number)
{
    if (*at >= t->n) return NULL;
    const char *record = t->bytes + *at;
    memcpy(number, record, sizeof *number);
    *at += record_bytes(record);
    return record + NUMBER_BYTES;
}

/* ---- getting and setting --------------------------------------------------------------------- */

/* A copy of what String i says, which stays until it is asked for again; NULL: said. */
static const char *told_text(fmu_instance *x, int i)
{
    const char *words = NULL;
    if (!x->said) x->said = calloc((size_t)x->n_texts + 1, sizeof *x->said);
    if (!x->said || x->text_place[i] < 0) return NULL;
    if (fmu_told(x, vinc_sim_text(x->sim, x->text_place[i], &words)) != FMU_OK) return NULL;
    char *copy = fmu_text_shown(x, words);
    if (!copy) return NULL;
    free(x->said[i]);
    return x->said[i] = copy;
}

fmu_status fmu_text_values(fmu_instance *x, const uint32_t *references, size_t n, const char **out)
{
    fmu_status status = n ? fmu_start(x) : FMU_OK;
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        int k = text_number(x, references[i]);
        out[i] = k < 0 ? NULL : told_text(x, k);
        if (!out[i]) status = FMU_ERROR;
    }
    return status;
}

fmu_status fmu_set_texts(fmu_instance *x, const uint32_t *references, size_t n,
                         const char *const *values)
{
    bool before = x->mode == FMU_INSTANTIATED || x->mode == FMU_INITIALIZATION;
    for (size_t i = 0; i < n; i++) {
        int k = text_number(x, references[i]);
        if (k < 0) return FMU_ERROR;
        if (!before || !values[i]) {
            fmu_say(x, FMU_ERROR,
                    "Strings are parameters: they are set before initialization ends");
            return FMU_ERROR;
        }
        if (!record_text(&x->texts, (uint32_t)k, values[i])) return FMU_ERROR;
        fmu_stop(x);
    }
    return FMU_OK;
}

void fmu_texts_close(fmu_instance *x)
{
    for (int i = 0; x->said && i < x->n_texts; i++) free(x->said[i]);
    free(x->said);
    free(x->text_place);
    free(x->texts.bytes);
    free(x->loaded.bytes);
}
