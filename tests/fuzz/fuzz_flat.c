/* Parse and flatten: any bytes give a flat model or messages, within bounded memory, and nothing is
 * left behind.
 *
 * Memory is limited, so that running out of it is one of the ways taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/build.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 300 << 20 };

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    size_t *used = user;
    if (new_bytes > old_bytes && *used + (new_bytes - old_bytes) > LIMIT) return NULL;
    *used += new_bytes - old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static void flatten(lang_library *lib, arena *model, arena *front, diag_sink *diags, text *out)
{
    if (!lib->last) return;
    flat_model *m = flat_build(lib, lib->last, NULL, 0, model, front, diags);
    if (!m && !diags->n_errors) abort(); // a failure without a message
    if (m) flat_print(m, out);
    else diag_print_all(diags, &lib->sources, false, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    jmp_buf no_memory;
    mem m = {resize, &used, &no_memory};
    arena front, model;
    sym_table syms;
    diag_sink diags;
    lang_library lib;
    text out;
    arena_init(&front, &m);
    arena_init(&model, &m);
    text_init(&out, &m);
    if (!setjmp(no_memory)) {
        sym_init(&syms, &model);
        diag_init(&diags, &model);
        lang_library_init(&lib, &front, &syms, &diags);
        char *words = arena_strndup(&front, (const char *)data, size);
        if (!lang_open_text(&lib, "fuzz.mo", words, size) && !diags.n_errors)
            flatten(&lib, &model, &front, &diags, &out);
    }
    text_done(&out);
    arena_done(&front);
    arena_done(&model);
    if (used) abort(); // something was not given back
    return 0;
}
