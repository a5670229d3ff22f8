/* lang_dump FILE: the file printed from its syntax tree, or the messages about it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/library.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    mem m = mem_std();
    jmp_buf no_memory;
    arena a, trees;
    arena_init(&a, &m);
    arena_init(&trees, &m);
    m.guard = &no_memory;
    if (setjmp(no_memory)) return 2;

    sym_table syms;
    diag_sink diags;
    lang_library lib;
    sym_init(&syms, &a);
    diag_init(&diags, &a);
    lang_library_init(&lib, &a, &trees, &syms, &diags);
    lang_tree_stats stats = {0};
    if (argc != 2) return 2;
    int rc = lang_parse_tree(&lib, argv[1], &stats);

    text out;
    text_init(&out, &m);
    diag_print_all(&diags, &lib.sources, false, &out);
    if (!rc) {
        const source *src = &lib.sources.files.at[0];
        lang_print_file(lang_parse(src, &trees, &syms, &diags), &out);
    }
    fputs(text_str(&out), stdout);
    text_done(&out);
    arena_done(&trees);
    arena_done(&a);
    return rc != 0;
}
