/* The protocol: messages in frames, documents, questions (Language Server Protocol 3.17, over JSON-RPC
 * 2.0).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp.h"
#include "told/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MOST = 64 << 20, HEADER_MOST = 4000, VARIABLES_MOST = 20000 };
static const double SECONDS = 5; // that a document may take to be checked

typedef struct document {
    struct document *next;
    char *uri, *path, *words;
    size_t n;
    vinc_model *model; // of its last class, as it was when it last was right
} document;

typedef struct lsp_server {
    vinc_ctx *ctx;
    const vinc_language_server *io;
    document *documents;
    bool shut, over;
    mem m;
    text out;   // the message that goes out
    arena said; // the message that came in
} lsp_server;

/* ---- frames ----------------------------------------------------------------------------------- */

static bool send_message(lsp_server *s)
{
    char head[60];
    int n = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", s->out.n);
    return !s->io->write(s->io->user, head, (size_t)n) &&
           !s->io->write(s->io->user, text_str(&s->out), s->out.n);
}

static bool read_all(lsp_server *s, char *to, size_t n)
{
    while (n) {
        size_t got = s->io->read(s->io->user, to, n);
        if (!got || got > n) return false;
        to += got;
        n -= got;
    }
    return true;
}

/* The length that the header of the next message says; 0: there is none. */
static size_t read_header(lsp_server *s)
{
    static const char length[] = "Content-Length:";
    char head[HEADER_MOST];
    size_t n = 0;
    while (n < 4 || memcmp(head + n - 4, "\r\n\r\n", 4) != 0)
        if (n + 1 == sizeof head || !read_all(s, head + n++, 1)) return 0;
    head[n] = 0;
    const char *at = strstr(head, length);
    unsigned long size = at ? strtoul(at + sizeof length - 1, NULL, 10) : 0;
    return size <= MESSAGE_MOST ? size : 0;
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

static document *find_document(lsp_server *s, const char *uri)
{
    document *d = s->documents;
    while (d && uri && strcmp(d->uri, uri) != 0) d = d->next;
    return uri ? d : NULL;
}

static void free_document(document *d)
{
    free(d->uri);
    free(d->path);
    free(d->words);
    vinc_model_free(d->model);
    free(d);
}

static document *put_document(lsp_server *s, const char *uri, const json_value *words)
{
    document *d = find_document(s, uri);
    char *copy = words && words->kind == JSON_STRING ? malloc(words->n + 1) : NULL;
    if (!copy || !uri) return free(copy), NULL;
    memcpy(copy, words->words, words->n + 1);
    if (!d) {
        d = calloc(1, sizeof *d);
        if (!d) return free(copy), NULL;
        *d = (document){.next = s->documents, .uri = strdup(uri), .path = path_of(uri)};
        s->documents = d;
    }
    free(d->words);
    d->words = copy;
    d->n = words->n;
    return d;
}

static void close_document(lsp_server *s, const char *uri)
{
    for (document **d = &s->documents; *d; d = &(*d)->next)
        if (uri && !strcmp((*d)->uri, uri)) {
            document *gone = *d;
            *d = gone->next;
            free_document(gone);
            return;
        }
}

/* ---- what is wrong with a document ------------------------------------------------------------- */

/* Its syntax, and where its last class is a model, all that flattening and the structure say. */
static void check_document(lsp_server *s, document *d)
{
    vinc_model *model;
    vinc_check *told = NULL;
    vinc_ctx_limit(s->ctx, &(vinc_limits){.seconds = SECONDS});
    vinc_ctx_clear(s->ctx);
    int rc = vinc_model_load_text(s->ctx, d->path, d->words, d->n, NULL, &model);
    if (!rc && model->flat->vars.n <= VARIABLES_MOST) rc = vinc_check_of(model, &told);
    vinc_report_free(told);
    if (rc) {
        vinc_model_free(model);
        return;
    }
    vinc_model_free(d->model);
    d->model = model;
}

static bool is_news(const vinc_diagnostic *g, const document *d)
{
    static const char *const of_no_model[] = {"M002", "M003"}; // no class; a package
    for (int i = 0; i < 2; i++)
        if (!strcmp(g->code, of_no_model[i])) return false;
    return g->file && !strcmp(g->file, d->path) && g->line > 0;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* From the place to the end of the word there. */
static void write_diagnostic(const document *d, const vinc_diagnostic *g, json *j)
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

static void publish(lsp_server *s, document *d)
{
    json j = {&s->out, true};
    check_document(s, d);
    text_clear(&s->out);
    json_open(&j, NULL, '{');
    json_text(&j, "jsonrpc", "2.0");
    json_text(&j, "method", "textDocument/publishDiagnostics");
    json_open(&j, "params", '{');
    json_text(&j, "uri", d->uri);
    json_open(&j, "diagnostics", '[');
    for (int i = 0; i < vinc_ctx_n_diagnostics(s->ctx); i++) {
        vinc_diagnostic g = vinc_ctx_diagnostic(s->ctx, i);
        if (is_news(&g, d)) write_diagnostic(d, &g, &j);
    }
    json_close(&j, ']');
    json_close(&j, '}');
    json_close(&j, '}');
    send_message(s);
}

/* ---- questions --------------------------------------------------------------------------------- */

typedef struct question {
    lsp_server *s;
    const document *d;
    const json_value *params;
    void (*answer)(const lsp_world *w, uint32_t offset, const json_value *params, text *out);
} question;

static void answer_hover(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)p;
    lsp_hover(w, at, out);
}

static void answer_definition(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)p;
    lsp_definition(w, at, out);
}

static void answer_references(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)p;
    lsp_references(w, at, out);
}

static void answer_rename(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    const char *name = json_words_at(p, "newName");
    if (name && flat_is_identifier(name, strlen(name))) lsp_rename(w, at, name, out);
    else text_add(out, "null");
}

static void answer_completion(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)p;
    lsp_completion(w, at, out);
}

static void answer_symbols(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)at, (void)p;
    lsp_symbols(w, out);
}

static const struct lsp_method {
    const char *name;
    void (*answer)(const lsp_world *w, uint32_t offset, const json_value *params, text *out);
} methods[] = {
    {"textDocument/hover", answer_hover},           {"textDocument/definition", answer_definition},
    {"textDocument/references", answer_references}, {"textDocument/rename", answer_rename},
    {"textDocument/completion", answer_completion}, {"textDocument/documentSymbol", answer_symbols},
};

/* The document as it is now, however unfinished: its messages are for others. */
static int ask_document(void *job)
{
    question *q = job;
    vinc_ctx *ctx = q->s->ctx;
    diag_sink unheard;
    diag_init(&unheard, &ctx->scratch);
    diag_sink held = ctx->diags;
    lsp_care care = {0};
    lsp_world w = {.library = &ctx->library,
                   .care = &care,
                   .a = &ctx->scratch,
                   .uri = q->d->uri,
                   .model = q->d->model,
                   .words = {q->d->path, q->d->words, (uint32_t)q->d->n, LSP_BASE}};
    w.file = lang_parse(&w.words, &ctx->trees, &ctx->syms, &unheard);
    lsp_position p = {(long)json_number_at(q->params, "position.line", 0),
                      (long)json_number_at(q->params, "position.character", 0)};
    q->answer(&w, lsp_offset(q->d->words, q->d->n, p), q->params, &q->s->out);
    diag_forget_since(&ctx->diags, held);
    return VINC_OK;
}

static void reply_begin(lsp_server *s, const json_value *id)
{
    text_clear(&s->out);
    text_add(&s->out, "{\"jsonrpc\": \"2.0\", \"id\": ");
    if (id && id->kind == JSON_STRING) text_quoted(&s->out, id->words);
    else if (id && id->kind == JSON_NUMBER) text_real(&s->out, id->number);
    else text_add(&s->out, "null");
}

static void reply_error(lsp_server *s, const json_value *id, int code, const char *words)
{
    reply_begin(s, id);
    text_printf(&s->out, ", \"error\": {\"code\": %d, \"message\": ", code);
    text_quoted(&s->out, words);
    text_add(&s->out, "}}");
    send_message(s);
}

static void reply_question(lsp_server *s, const json_value *id, const struct lsp_method *m,
                           const json_value *params)
{
    question q = {s, find_document(s, json_words_at(params, "textDocument.uri")), params,
                  m->answer};
    if (!q.d) {
        reply_error(s, id, -32602, "this document is not open");
        return;
    }
    vinc_ctx_limit(s->ctx, &(vinc_limits){.seconds = SECONDS});
    reply_begin(s, id);
    text_add(&s->out, ", \"result\": ");
    if (api_guarded(s->ctx, ask_document, &q)) {
        reply_error(s, id, -32803, "it took too long, or there is no memory");
        return;
    }
    text_add(&s->out, "}");
    send_message(s);
}

static void reply_initialize(lsp_server *s, const json_value *id)
{
    reply_begin(s, id);
    text_add(&s->out,
             ", \"result\": {\"capabilities\": {\"positionEncoding\": \"utf-16\", "
             "\"textDocumentSync\": 1, "
             "\"hoverProvider\": true, \"definitionProvider\": true, \"referencesProvider\": true, "
             "\"renameProvider\": true, \"documentSymbolProvider\": true, "
             "\"completionProvider\": {\"triggerCharacters\": [\".\"]}}, "
             "\"serverInfo\": {\"name\": \"vincolo\", \"version\": ");
    text_quoted(&s->out, vinc_version());
    text_add(&s->out, "}}}");
    send_message(s);
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* The last text of a list of changes, which are whole documents. */
static const json_value *last_text(const json_value *params)
{
    const json_value *changes = json_member_at(params, "contentChanges"),
                     *c = changes ? changes->first : NULL;
    while (c && c->next) c = c->next;
    return json_member_at(c, "text");
}

static bool heed_notice(lsp_server *s, const char *method, const json_value *params)
{
    const char *uri = json_words_at(params, "textDocument.uri");
    document *d = NULL;
    if (!strcmp(method, "exit")) return s->over = true;
    if (!strcmp(method, "textDocument/didClose")) return close_document(s, uri), true;
    if (!strcmp(method, "textDocument/didOpen"))
        d = put_document(s, uri, json_member_at(params, "textDocument.text"));
    else if (!strcmp(method, "textDocument/didChange")) d = put_document(s, uri, last_text(params));
    if (d) publish(s, d);
    return d != NULL;
}

static void heed(lsp_server *s, const json_value *v)
{
    const char *method = json_words_at(v, "method");
    const json_value *id = json_member_at(v, "id"), *params = json_member_at(v, "params");
    if (!method || heed_notice(s, method, params)) return;
    if (!id) return; // a notice that means nothing here
    if (!strcmp(method, "initialize")) {
        reply_initialize(s, id);
        return;
    }
    if (!strcmp(method, "shutdown")) {
        s->shut = true;
        reply_begin(s, id);
        text_add(&s->out, ", \"result\": null}");
        send_message(s);
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, method)) {
            reply_question(s, id, &methods[i], params);
            return;
        }
    reply_error(s, id, -32601, "there is no such method");
}

typedef struct incoming {
    lsp_server *s;
    const char *bytes;
    size_t n;
    const json_value *v;
} incoming;

static int read_message(void *job)
{
    incoming *x = job;
    x->v = json_read(&x->s->said, x->bytes, x->n);
    return VINC_OK;
}

static bool next_message(lsp_server *s)
{
    size_t n = read_header(s);
    char *bytes = n ? malloc(n) : NULL;
    incoming x = {.s = s, .bytes = bytes, .n = n};
    bool got = bytes && read_all(s, bytes, n);
    if (got && mem_guarded(&s->m, read_message, &x, VINC_E_MEMORY) == VINC_OK && x.v) heed(s, x.v);
    else if (got) reply_error(s, NULL, -32700, "this is no JSON");
    arena_done(&s->said);
    free(bytes);
    return got && !s->over;
}

int vinc_serve_language(vinc_ctx *ctx, const vinc_language_server *io)
{
    if (!ctx || !io || !io->read || !io->write) return api_lacks(ctx, "a way to read and to write");
    lsp_server s = {.ctx = ctx, .io = io, .m = mem_std()};
    text_init(&s.out, &s.m);
    arena_init(&s.said, &s.m);
    while (next_message(&s)) {
    }
    while (s.documents) {
        document *d = s.documents;
        s.documents = d->next;
        free_document(d);
    }
    text_done(&s.out);
    arena_done(&s.said);
    return s.over && s.shut ? VINC_OK : VINC_STOPPED;
}
