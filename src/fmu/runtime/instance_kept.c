/* The state of an instance of an FMU: kept, brought back, as bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include <stdlib.h>
#include <string.h>

struct fmu_kept {
    vinc_state *state; // NULL: not started yet
    int n_loads;       // of the model that it is a state of
    fmu_instance at;   // its plain members; settings are a copy
};

/* What is plain in an instance, and its settings. */
static bool copy_plain(fmu_instance *to, const fmu_instance *from)
{
    fmu_setting *list = NULL;
    if (from->n_settings) {
        list = malloc((size_t)from->n_settings * sizeof *list);
        if (!list) return false;
        memcpy(list, from->settings, (size_t)from->n_settings * sizeof *list);
    }
    if (!fmu_texts_copy(&to->texts, &from->texts)) {
        free(list);
        return false;
    }
    free(to->settings);
    to->settings = list;
    to->n_settings = to->n_room = from->n_settings;
    to->mode = from->mode;
    to->has_stop = from->has_stop;
    to->has_tolerance = from->has_tolerance;
    to->t_start = from->t_start;
    to->t_stop = from->t_stop;
    to->tolerance = from->tolerance;
    to->next_time = from->next_time;
    to->terminated = from->terminated;
    return true;
}

void fmu_kept_free(fmu_kept *kept)
{
    if (!kept) return;
    vinc_state_free(kept->state);
    free(kept->at.settings);
    free(kept->at.texts.bytes);
    free(kept);
}

fmu_status fmu_keep(fmu_instance *x, fmu_kept **out)
{
    fmu_kept *kept = calloc(1, sizeof *kept);
    int rc = kept && copy_plain(&kept->at, x) ? VINC_OK : VINC_E_MEMORY;
    if (!rc) kept->n_loads = x->n_loads;
    if (!rc && x->sim && !x->terminated) rc = vinc_sim_save(x->sim, &kept->state);
    if (rc) {
        fmu_kept_free(kept);
        return fmu_told(x, rc);
    }
    fmu_kept_free(*out);
    *out = kept;
    return FMU_OK;
}

/* The model has been compiled anew for other texts: its states are the same as bytes. */
static int restore_across(fmu_instance *x, const fmu_kept *kept)
{
    size_t n = vinc_state_size(kept->state);
    void *bytes = n ? malloc(n) : NULL;
    vinc_state *state = NULL;
    int rc = bytes ? vinc_state_write(kept->state, bytes, n) : VINC_E_MEMORY;
    if (!rc) rc = vinc_state_read(x->sim, bytes, n, &state);
    if (!rc) rc = vinc_sim_restore(x->sim, state);
    vinc_state_free(state);
    free(bytes);
    return rc;
}

fmu_status fmu_return(fmu_instance *x, const fmu_kept *kept)
{
    bool other = x->t_start != kept->at.t_start || x->has_stop != kept->at.has_stop ||
                 x->t_stop != kept->at.t_stop || x->texts.n != kept->at.texts.n ||
                 (x->texts.n && memcmp(x->texts.bytes, kept->at.texts.bytes, x->texts.n) != 0);
    if (!copy_plain(x, &kept->at)) return FMU_ERROR;
    if (!kept->state || other) fmu_stop(x);
    x->next_time = kept->at.next_time;
    x->terminated = kept->at.terminated;
    if (!kept->state) return FMU_OK;
    fmu_status status = fmu_start(x);
    if (status) return status;
    return fmu_told(x, kept->n_loads == x->n_loads ? vinc_sim_restore(x->sim, kept->state)
                                                   : restore_across(x, kept));
}

typedef struct kept_head {
    uint64_t n_settings, text_bytes, state_bytes;
    int32_t mode, has_stop, has_tolerance, terminated;
    double t_start, t_stop, tolerance, next_time;
} kept_head;

fmu_status fmu_kept_size(fmu_instance *x, const fmu_kept *kept, size_t *size)
{
    size_t n = vinc_state_size(kept->state);
    *size = sizeof(kept_head) + (size_t)kept->at.n_settings * sizeof *kept->at.settings +
            kept->at.texts.n + n;
    (void)x;
    return FMU_OK;
}

fmu_status fmu_kept_write(fmu_instance *x, const fmu_kept *kept, void *bytes, size_t size)
{
    size_t need, n = (size_t)kept->at.n_settings * sizeof *kept->at.settings;
    if (fmu_kept_size(x, kept, &need) != FMU_OK) return FMU_ERROR;
    if (size < need) {
        fmu_say(x, FMU_ERROR, "the serialized state needs %zu bytes, and there are %zu", need,
                size);
        return FMU_ERROR;
    }
    const fmu_instance *at = &kept->at;
    kept_head h = {.n_settings = (uint64_t)at->n_settings,
                   .text_bytes = at->texts.n,
                   .state_bytes = need - sizeof h - n - at->texts.n,
                   .mode = at->mode,
                   .has_stop = at->has_stop,
                   .has_tolerance = at->has_tolerance,
                   .terminated = at->terminated,
                   .t_start = at->t_start,
                   .t_stop = at->t_stop,
                   .tolerance = at->tolerance,
                   .next_time = at->next_time};
    char *p = bytes;
    memcpy(p, &h, sizeof h);
    if (n) memcpy(p + sizeof h, at->settings, n);
    if (at->texts.n) memcpy(p + sizeof h + n, at->texts.bytes, at->texts.n);
    n += at->texts.n;
    if (!h.state_bytes) return FMU_OK;
    return fmu_told(x, vinc_state_write(kept->state, p + sizeof h + n, h.state_bytes));
}

static bool read_plain(fmu_kept *kept, const kept_head *h, const char *list)
{
    fmu_instance at = {.n_settings = (int)h->n_settings,
                       .settings = malloc((size_t)h->n_settings * sizeof *at.settings + 1),
                       .mode = (fmu_mode)h->mode,
                       .has_stop = h->has_stop,
                       .has_tolerance = h->has_tolerance,
                       .terminated = h->terminated,
                       .t_start = h->t_start,
                       .t_stop = h->t_stop,
                       .tolerance = h->tolerance,
                       .next_time = h->next_time};
    size_t n = (size_t)h->n_settings * sizeof *at.settings;
    if (at.settings) memcpy(at.settings, list, n);
    at.texts = (fmu_texts){malloc((size_t)h->text_bytes + 1), (size_t)h->text_bytes};
    if (at.texts.bytes) memcpy(at.texts.bytes, list + n, at.texts.n);
    kept->at = at;
    return at.settings && at.texts.bytes;
}

fmu_status fmu_kept_read(fmu_instance *x, const void *bytes, size_t size, fmu_kept **out)
{
    kept_head h;
    const char *p = bytes;
    bool fits = size >= sizeof h;
    if (fits) memcpy(&h, p, sizeof h);
    size_t rest = fits ? size - sizeof h : 0;
    fits = fits && h.n_settings <= rest / sizeof *x->settings && h.n_settings < INT32_MAX &&
           h.text_bytes <= rest - h.n_settings * sizeof *x->settings &&
           h.state_bytes == rest - h.n_settings * sizeof *x->settings - h.text_bytes &&
           h.mode >= FMU_INSTANTIATED && h.mode <= FMU_TERMINATED;
    for (uint64_t i = 0; fits && i < h.n_settings; i++) {
        fmu_setting q;
        memcpy(&q, p + sizeof h + i * sizeof q, sizeof q);
        fits = fmu_is_variable(x, q.reference);
    }
    if (fits)
        fits = fmu_texts_read(x, p + sizeof h + h.n_settings * sizeof *x->settings,
                              (size_t)h.text_bytes);
    if (!fits) {
        fmu_say(x, FMU_ERROR, "these bytes are no state of this FMU");
        return FMU_ERROR;
    }
    fmu_kept *kept = calloc(1, sizeof *kept);
    fmu_status status = kept && read_plain(kept, &h, p + sizeof h) ? fmu_start(x) : FMU_ERROR;
    if (!status && h.state_bytes)
        status = fmu_told(
            x, vinc_state_read(x->sim, p + size - h.state_bytes, h.state_bytes, &kept->state));
    if (status) fmu_kept_free(kept);
    else kept->n_loads = x->n_loads, *out = kept;
    return status;
}
