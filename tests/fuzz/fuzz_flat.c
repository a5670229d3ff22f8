/* Parse and flatten: any bytes give a flat model or messages, within bounded memory, and nothing is
 * left behind; a flat model printed is Modelica again.
 *
 * Memory is limited, so that running out of it is one of the ways taken. Half of the mutations work
 * on words of the text instead of bytes, since most texts with changed bytes end in the parser.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flatten/flatten.h"

#include <stdbool.h>
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
    if (!m) {
        diag_print_all(diags, &lib->sources, false, out);
        return;
    }
    flat_print(m, out);
    if (m->functions.n) return; // some functions have no text of their own
    char *words = arena_strndup(front, text_str(out), out->n);
    const source *again = source_add(&lib->sources, "again.mo", words, out->n);
    if (again && lang_parse(again, front, lib->syms, diags)->n_errors)
        abort(); // what was printed is not Modelica
}

/* ---- mutations of words ---------------------------------------------------------------------- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

typedef struct word {
    size_t at, n;
} word;

static bool is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t find_words(const uint8_t *data, size_t size, word *words, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < size && n < most;) {
        size_t k = i;
        while (k < size && is_letter(data[k])) k++;
        if (k == i) k++;
        if (data[i] > ' ') words[n++] = (word){i, k - i};
        i = k;
    }
    return n;
}

/* Put n bytes in place of `old`. */
static size_t splice(uint8_t *data, size_t size, size_t most, word old, const uint8_t *with,
                     size_t n)
{
    uint8_t copy[256];
    if (n > sizeof copy || size - old.n + n > most) return size;
    if (n) memcpy(copy, with, n);
    memmove(data + old.at + n, data + old.at + old.n, size - old.at - old.n);
    memcpy(data + old.at, copy, n);
    return size - old.n + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    word words[4000];
    size_t n = seed % 2 ? find_words(data, size, words, 4000) : 0;
    if (n < 2) return LLVMFuzzerMutate(data, size, most);
    unsigned r = seed / 2 % 1000003;
    word a = words[r % n], b = words[(r / 7 + r) % n];
    switch (seed / 3 % 4) {
    case 0: return splice(data, size, most, a, NULL, 0);          // remove a word
    case 1: return splice(data, size, most, a, data + b.at, b.n); // one word for another
    case 2: return splice(data, size, most, (word){a.at, 0}, data + b.at, b.n); // one more
    default: { // a stretch of words once more
        size_t last = (r / 3) % n, first = last > 12 ? last - r % 12 : 0;
        size_t end = words[last].at + words[last].n;
        return splice(data, size, most, (word){end, 0}, data + words[first].at,
                      end - words[first].at);
    }
    }
}

/* ---- the test -------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    jmp_buf no_memory;
    mem m = {.resize = resize, .user = &used, .guard = &no_memory};
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
        lang_library_init(&lib, &model, &front, &syms, &diags);
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
