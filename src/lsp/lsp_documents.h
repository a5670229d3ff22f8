/* The documents that an editor has open, and where they are worked at (inside lsp only).
 *
 * Work is done in a context of the server's own, with the search path of the one that was given: the trees
 * of the library stay there from question to question. Every text that was ever checked stays in a context,
 * too; when they have become many it is exchanged for a new one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LSP_LSP_DOCUMENTS_H
#define LSP_LSP_DOCUMENTS_H

#include "lsp/lsp.h"
#include "told/json.h"

typedef struct lsp_document {
    struct lsp_document *next;
    char *uri, *path, *words;
    size_t n;
    bool unchecked;       // since its text changed
    vinc_model *model;    // of its last class, as it was when it last was right
    source text;          // the words, as they are parsed
    arena trees;          // of the text
    const ast_file *file; // NULL: not parsed yet
} lsp_document;

typedef struct lsp_desk {
    vinc_ctx *given, *work;
    lsp_document *documents;
    char **folders; // that the editor has open
    int n_folders;
    size_t replaced; // bytes of texts whose trees are still in the work
} lsp_desk;

bool lsp_desk_open(lsp_desk *k, vinc_ctx *given); // false: no memory
void lsp_desk_close(lsp_desk *k);
void lsp_desk_forget(lsp_desk *k); // files on disk may be others now

void lsp_desk_add_folder(lsp_desk *k, const char *uri); // NULL: none

lsp_document *lsp_document_named(lsp_desk *k, const char *uri); // NULL: it is not open
lsp_document *lsp_document_put(lsp_desk *k, const char *uri, const json_value *words);
void lsp_document_close(lsp_desk *k, const char *uri);

/* What is wrong with it, as a list of diagnostics of the protocol. */
void lsp_document_check(lsp_desk *k, lsp_document *d, json *j);

/* Its tree, however unfinished the text is, and all that questions need. Inside a guarded call of the work. */
lsp_world lsp_document_world(lsp_desk *k, lsp_document *d, lsp_care *care);

#endif
