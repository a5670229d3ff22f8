/* Lexer, parser, printer: any bytes give a tree or errors; a tree without errors survives printing.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../support/equal.h"

#include <stdlib.h>
#include <string.h>

static ast_file *parse(source_set *sources, const char *words, size_t n, sym_table *syms,
                       diag_sink *diags)
{
    const source *src = source_add(sources, "fuzz.mo", arena_strndup(sources->a, words, n), n);
    return lang_parse(src, sources->a, syms, diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mem m = mem_std();
    arena a;
    sym_table syms;
    diag_sink diags;
    source_set sources;
    text out;
    arena_init(&a, &m);
    sym_init(&syms, &a);
    diag_init(&diags, &a);
    source_init(&sources, &a);
    text_init(&out, &m);

    ast_file *f = parse(&sources, (const char *)data, size, &syms, &diags);
    if (f->n_errors) {
        diag_print_all(&diags, &sources, false, &out);
        if (!diags.first || out.n == 0) abort(); // an error without a message
    } else {
        lang_print_file(f, &out);
        ast_file *again = parse(&sources, text_str(&out), out.n, &syms, &diags);
        if (again->n_errors || !equal_file(f, again)) abort();
    }
    text_done(&out);
    arena_done(&a);
    return 0;
}
