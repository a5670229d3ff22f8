/* The protocol: messages in frames, documents, questions (Language Server Protocol 3.17, over JSON-RPC
 * 2.0).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp_documents.h"
#include "told/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MESSAGE_MOST = 64 << 20, LINE_MOST = 200 };

typedef struct lsp_server {
    const vinc_language_server *io;
    lsp_desk desk;
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

/* A line without its end; of a longer one, what it ends with. False: nothing more comes. */
static bool read_line(lsp_server *s, char line[LINE_MOST])
{
    size_t n = 0;
    for (char c; read_all(s, &c, 1);) {
        if (c == '\n') {
            n -= n && line[n - 1] == '\r';
            line[n] = 0;
            return true;
        }
        if (n + 1 == LINE_MOST) memmove(line, line + n / 2, n - n / 2), n -= n / 2;
        line[n++] = c ? c : ' ';
    }
    return false;
}

/* The length that the header of the next message gives; 0: none that can be used; -1: nothing more comes. After a message
 * whose length was wrong the next header begins within a line, and is found there. */
static long read_header(lsp_server *s)
{
    static const char length[] = "Content-Length:";
    char line[LINE_MOST];
    unsigned long size = 0;
    for (bool begun = false; read_line(s, line); begun = begun || *line) {
        if (!*line && begun) return size <= MESSAGE_MOST ? (long)size : 0;
        for (const char *at = line; *at; at++)
            if (!strncasecmp(at, length, sizeof length - 1))
                size = strtoul(at + sizeof length - 1, NULL, 10);
    }
    return -1;
}

/* ---- what is wrong with a document ------------------------------------------------------------- */

static void publish(lsp_server *s, lsp_document *d)
{
    json j = {&s->out, true};
    text_clear(&s->out);
    json_open(&j, NULL, '{');
    json_text(&j, "jsonrpc", "2.0");
    json_text(&j, "method", "textDocument/publishDiagnostics");
    json_open(&j, "params", '{');
    json_text(&j, "uri", d->uri);
    lsp_document_check(&s->desk, d, &j);
    json_close(&j, '}');
    json_close(&j, '}');
    send_message(s);
}

/* ---- questions --------------------------------------------------------------------------------- */

static const double SECONDS = 5; // that an answer may take

typedef struct question {
    lsp_server *s;
    lsp_document *d;
    const json_value *params;
    void (*answer)(const lsp_world *w, uint32_t offset, const json_value *params, text *out);
    const char *refused; // why there is no answer
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
    else w->care->refused = "a name consists of letters, digits and _";
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

static void answer_names(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)at, (void)p;
    lsp_names(w, out);
}

static void answer_formatting(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)at, (void)p;
    lsp_formatting(w, out);
}

static void answer_hints(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)at, (void)p;
    lsp_hints(w, out);
}

static void answer_actions(const lsp_world *w, uint32_t at, const json_value *p, text *out)
{
    (void)at;
    lsp_actions(w, p, out);
}

static const struct lsp_method {
    const char *name;
    void (*answer)(const lsp_world *w, uint32_t offset, const json_value *params, text *out);
    enum { OF_TEXT, OF_SOME_MODEL, OF_MODEL } of; // the model as it is now, or any that was right
} methods[] = {
    {"textDocument/hover", answer_hover, OF_SOME_MODEL},
    {"textDocument/definition", answer_definition, OF_TEXT},
    {"textDocument/references", answer_references, OF_TEXT},
    {"textDocument/rename", answer_rename, OF_TEXT},
    {"textDocument/completion", answer_completion, OF_TEXT},
    {"textDocument/documentSymbol", answer_symbols, OF_TEXT},
    {"textDocument/formatting", answer_formatting, OF_TEXT},
    {"textDocument/inlayHint", answer_hints, OF_MODEL},
    {"textDocument/codeAction", answer_actions, OF_TEXT},
    {"vincolo/names", answer_names, OF_TEXT},
};

/* The document as it is now. */
static int ask_document(void *job)
{
    question *q = job;
    vinc_ctx *ctx = q->s->desk.work;
    diag_sink held = ctx->diags;
    lsp_care care = {0};
    lsp_world w = lsp_document_world(&q->s->desk, q->d, &care);
    uint32_t at =
        lsp_offset_at(q->d->words, q->d->n, q->params, "position.line", "position.character");
    q->answer(&w, at, q->params, &q->s->out);
    q->refused = care.refused;
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
    question q = {.s = s,
                  .d = lsp_document_named(&s->desk, json_words_at(params, "textDocument.uri")),
                  .params = params,
                  .answer = m->answer};
    if (!q.d) {
        reply_error(s, id, -32602, "this document is not open");
        return;
    }
    if (q.d->unchecked && (m->of == OF_MODEL || (m->of == OF_SOME_MODEL && !q.d->model)))
        publish(s, q.d);
    vinc_ctx_limit(s->desk.work, &(vinc_limits){.seconds = SECONDS});
    reply_begin(s, id);
    text_add(&s->out, ", \"result\": ");
    if (api_guarded(s->desk.work, ask_document, &q)) {
        reply_error(s, id, -32803, "it took too long, or there is no memory");
        return;
    }
    if (q.refused) {
        reply_error(s, id, -32803, q.refused);
        return;
    }
    text_add(&s->out, "}");
    send_message(s);
}

/* The folders that the editor has open. */
static void take_folders(lsp_server *s, const json_value *params)
{
    const json_value *list = json_member_at(params, "workspaceFolders"),
                     *f = list ? list->first : NULL;
    if (!f) lsp_desk_add_folder(&s->desk, json_words_at(params, "rootUri"));
    for (; f; f = f->next) lsp_desk_add_folder(&s->desk, json_words_at(f, "uri"));
}

static void reply_initialize(lsp_server *s, const json_value *id)
{
    reply_begin(s, id);
    text_add(&s->out,
             ", \"result\": {\"capabilities\": {\"positionEncoding\": \"utf-16\", "
             "\"textDocumentSync\": 1, "
             "\"hoverProvider\": true, \"definitionProvider\": true, \"referencesProvider\": true, "
             "\"renameProvider\": true, \"documentSymbolProvider\": true, "
             "\"documentFormattingProvider\": true, \"inlayHintProvider\": true, "
             "\"codeActionProvider\": {\"codeActionKinds\": [\"quickfix\"]}, "
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
    lsp_document *d = NULL;
    if (!strcmp(method, "exit")) return s->over = true;
    if (!strcmp(method, "textDocument/didClose")) return lsp_document_close(&s->desk, uri), true;
    if (!strcmp(method, "textDocument/didSave") ||
        !strcmp(method, "workspace/didChangeWatchedFiles"))
        return lsp_desk_forget(&s->desk), true;
    if (!strcmp(method, "textDocument/didOpen"))
        d = lsp_document_put(&s->desk, uri, json_member_at(params, "textDocument.text"));
    else if (!strcmp(method, "textDocument/didChange"))
        d = lsp_document_put(&s->desk, uri, last_text(params));
    return d != NULL;
}

static void heed(lsp_server *s, const json_value *v)
{
    const char *method = json_words_at(v, "method");
    const json_value *id = json_member_at(v, "id"), *params = json_member_at(v, "params");
    if (!method) {
        bool answer = json_member_at(v, "result") || json_member_at(v, "error");
        if (!answer) reply_error(s, id, -32600, "a message is an object that names a method");
        return;
    }
    if (heed_notice(s, method, params)) return;
    if (!id) return; // a notice that means nothing here
    if (!strcmp(method, "initialize")) {
        take_folders(s, params);
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
    long n = read_header(s);
    char *bytes = n > 0 ? malloc((size_t)n) : NULL;
    incoming x = {.s = s, .bytes = bytes, .n = n > 0 ? (size_t)n : 0};
    if (n < 0) return false;
    if (!bytes) {
        reply_error(s, NULL, -32700,
                    "a message begins with Content-Length, its bytes from 1 to 67108864, and an "
                    "empty line");
        return true;
    }
    bool got = read_all(s, bytes, x.n);
    if (got && mem_guarded(&s->m, read_message, &x, VINC_E_MEMORY) == VINC_OK && x.v) heed(s, x.v);
    else if (got) reply_error(s, NULL, -32700, "this is no JSON");
    arena_done(&s->said);
    free(bytes);
    return got && !s->over;
}

/* Texts are checked when nothing else waits: who types fast is not told of every letter. */
static void publish_due(lsp_server *s)
{
    for (lsp_document *d = s->desk.documents; d; d = d->next)
        if (d->unchecked && !(s->io->waits && s->io->waits(s->io->user))) publish(s, d);
}

int vinc_serve_language(vinc_ctx *ctx, const vinc_language_server *io)
{
    if (!ctx || !io || !io->read || !io->write) return api_lacks(ctx, "a way to read and to write");
    lsp_server s = {.io = io, .m = mem_std()};
    if (!lsp_desk_open(&s.desk, ctx)) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    text_init(&s.out, &s.m);
    arena_init(&s.said, &s.m);
    while (next_message(&s)) publish_due(&s);
    lsp_desk_close(&s.desk);
    text_done(&s.out);
    arena_done(&s.said);
    return s.over && s.shut ? VINC_OK : VINC_STOPPED;
}
