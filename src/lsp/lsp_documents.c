/* SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp_documents.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MOST = 20000 };
enum {
    TREES_MOST = 16 << 20,
    TEXTS_MOST = 256 << 20
};                               // bytes of texts, before they are cleared away
static const double SECONDS = 5; // that a document may take to be checked

/* ---- the desk --------------------------------------------------------------------------------- */

static vinc_ctx *desk_context(const vinc_ctx *given)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    int rc = ctx ? VINC_OK : VINC_E_MEMORY;
    const char *dir;
    for (int i = 0; !rc && (dir = lang_search_at(&given->library, i)); i++)
        rc = vinc_ctx_add_path(ctx, dir);
    if (rc) {
        vinc_ctx_free(ctx);
        return NULL;
    }
    ctx->keeps_trees = true;
    return ctx;
}

bool lsp_desk_open(lsp_desk *k, vinc_ctx *given)
{
    *k = (lsp_desk){.given = given, .work = desk_context(given)};
    return k->work != NULL;
}

static void document_forget(lsp_document *d)
{
    arena_done(&d->trees);
    d->file = NULL;
}

/* A context that is as new; the old one stays where there is no memory for it. */
static void desk_renew(lsp_desk *k)
{
    vinc_ctx *work = desk_context(k->given);
    if (!work) return;
    for (lsp_document *d = k->documents; d; d = d->next) {
        document_forget(d);
        arena_init(&d->trees, &work->m);
        vinc_model_free(d->model);
        d->model = NULL;
    }
    vinc_ctx_free(k->work);
    k->work = work;
    k->replaced = 0;
}

void lsp_desk_forget(lsp_desk *k)
{
    lang_forget(&k->work->library);
    k->replaced = 0;
}

typedef struct closing {
    lsp_desk *k;
    const char *path;
} closing;

static int close_text(void *job)
{
    const closing *c = job;
    lang_close(&c->k->work->library, c->path);
    return VINC_OK;
}

/* Its classes are those of the file again, if there is one. */
static void desk_put_away(lsp_desk *k, const lsp_document *d)
{
    if (api_guarded(k->work, close_text, &(closing){k, d->path})) lsp_desk_forget(k);
}

/* ---- documents -------------------------------------------------------------------------------- */

static int hex_of(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* file:///a%20b.mo is /a b.mo; anything else is its own name. */
static char *path_of(const char *uri)
{
    const char *from = strncmp(uri, "file://", 7) ? uri : uri + 7;
    char *path = malloc(strlen(from) + 1), *to = path;
    for (; path && *from; from++) {
        int high = *from == '%' ? hex_of(from[1]) : -1, low = high < 0 ? -1 : hex_of(from[2]);
        *to++ = low < 0 ? *from : (char)(16 * high + low);
        if (low >= 0) from += 2;
    }
    if (path) *to = 0;
    return path;
}

void lsp_desk_add_folder(lsp_desk *k, const char *uri)
{
    char *path = uri ? path_of(uri) : NULL;
    char **more = path ? realloc(k->folders, (size_t)(k->n_folders + 1) * sizeof *more) : NULL;
    if (more) {
        k->folders = more;
        k->folders[k->n_folders++] = path;
    } else {
        free(path);
    }
}

lsp_document *lsp_document_named(lsp_desk *k, const char *uri)
{
    lsp_document *d = k->documents;
    while (d && uri && strcmp(d->uri, uri) != 0) d = d->next;
    return uri ? d : NULL;
}

static void document_free(lsp_document *d)
{
    document_forget(d);
    free(d->uri);
    free(d->path);
    free(d->words);
    vinc_model_free(d->model);
    free(d);
}

static lsp_document *document_new(lsp_desk *k, const char *uri)
{
    lsp_document *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    *d = (lsp_document){.next = k->documents, .uri = strdup(uri), .path = path_of(uri)};
    arena_init(&d->trees, &k->work->m);
    if (!d->uri || !d->path) return document_free(d), NULL;
    return k->documents = d;
}

lsp_document *lsp_document_put(lsp_desk *k, const char *uri, const json_value *words)
{
    lsp_document *d = lsp_document_named(k, uri);
    char *copy = words && words->kind == JSON_STRING ? malloc(words->n + 1) : NULL;
    if (!copy || !uri) return free(copy), NULL;
    memcpy(copy, words->words, words->n + 1);
    if (!d) d = document_new(k, uri);
    if (!d) return free(copy), NULL;
    document_forget(d);
    free(d->words);
    d->words = copy;
    d->n = words->n;
    d->unchecked = true;
    return d;
}

void lsp_document_close(lsp_desk *k, const char *uri)
{
    for (lsp_document **d = &k->documents; *d; d = &(*d)->next)
        if (uri && !strcmp((*d)->uri, uri)) {
            lsp_document *gone = *d;
            *d = gone->next;
            desk_put_away(k, gone);
            document_free(gone);
            return;
        }
}

void lsp_desk_close(lsp_desk *k)
{
    while (k->documents) {
        lsp_document *d = k->documents;
        k->documents = d->next;
        document_free(d);
    }
    for (int i = 0; i < k->n_folders; i++) free(k->folders[i]);
    free(k->folders);
    vinc_ctx_free(k->work);
}

/* ---- what is wrong with a document ------------------------------------------------------------- */

static void make_room(lsp_desk *k, const lsp_document *d)
{
    if (k->work->library.sources.next > TEXTS_MOST) desk_renew(k);
    if (k->replaced > TREES_MOST) lsp_desk_forget(k);
    k->replaced += d->n;
    desk_put_away(k, d);
}

/* The text of a package stands for a folder, too, and would hide it. */
static bool is_folder(const lsp_document *d)
{
    const char *slash = strrchr(d->path, '/');
    return !strcmp(slash ? slash + 1 : d->path, "package.mo");
}

/* Its syntax, and where its last class is a model, all that flattening and the structure say. */
static void check_model(lsp_desk *k, lsp_document *d)
{
    vinc_model *model;
    vinc_check *told = NULL;
    make_room(k, d);
    vinc_ctx_limit(k->work, &(vinc_limits){.seconds = SECONDS});
    vinc_ctx_clear(k->work);
    int rc = vinc_model_load_text(k->work, d->path, d->words, d->n, NULL, &model);
    if (!rc && model->flat->vars.n <= VARIABLES_MOST) rc = vinc_check_of(model, &told);
    vinc_report_free(told);
    if (rc) {
        vinc_model_free(model);
        return;
    }
    vinc_model_free(d->model);
    d->model = model;
}

static bool is_news(const vinc_diagnostic *g, const lsp_document *d)
{
    static const char *const of_no_model[] = {"M002", "M003",
                                              "M107"}; // no class, a package, a record
    for (int i = 0; i < 3; i++)
        if (!strcmp(g->code, of_no_model[i])) return false;
    return g->file && !strcmp(g->file, d->path) && g->line > 0;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* From the place to the end of the word there. */
static void write_diagnostic(const lsp_document *d, const vinc_diagnostic *g, json *j)
{
    static const int severities[] = {[VINC_NOTE] = 3, [VINC_WARNING] = 2, [VINC_ERROR] = 1};
    uint32_t begin = lsp_offset(d->words, d->n, (lsp_position){g->line - 1, 0}), end;
    for (int column = 1; column < g->column && begin < d->n; column++) // characters, not units
        for (begin++; begin < d->n && ((unsigned char)d->words[begin] & 0xc0) == 0x80;) begin++;
    for (end = begin; end < d->n && is_word(d->words[end]);) end++;
    if (end == begin && end < d->n && d->words[end] != '\n') end++;
    json_open(j, NULL, '{');
    lsp_write_range(d->words, d->n, begin, end, json_raw(j, "range"));
    json_int(j, "severity", severities[g->severity]);
    json_text(j, "code", g->code);
    json_text(j, "source", "vincolo");
    json_text(j, "message", g->text);
    json_close(j, '}');
}

void lsp_document_check(lsp_desk *k, lsp_document *d, json *j)
{
    check_model(k, d);
    d->unchecked = false;
    if (is_folder(d)) desk_put_away(k, d);
    json_open(j, "diagnostics", '[');
    for (int i = 0; i < vinc_ctx_n_diagnostics(k->work); i++) {
        vinc_diagnostic g = vinc_ctx_diagnostic(k->work, i);
        if (is_news(&g, d)) write_diagnostic(d, &g, j);
    }
    json_close(j, ']');
}

/* ---- what questions need ------------------------------------------------------------------------ */

lsp_world lsp_document_world(lsp_desk *k, lsp_document *d, lsp_care *care)
{
    vinc_ctx *ctx = k->work;
    if (!d->file) {
        diag_sink unheard; // messages of the text are for those who check it
        diag_init(&unheard, &ctx->scratch);
        arena_done(&d->trees);
        d->text = (source){d->path, d->words, (uint32_t)d->n, LSP_BASE};
        d->file = lang_parse(&d->text, &d->trees, &ctx->syms, &unheard);
    }
    return (lsp_world){.library = &ctx->library,
                       .a = &ctx->scratch,
                       .file = d->file,
                       .words = d->text,
                       .uri = d->uri,
                       .care = care,
                       .model = d->model,
                       .desk = k};
}
