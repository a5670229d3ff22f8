/* What is offered for the text of a document: indentation, hints beside it, other names.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp.h"
#include "structure/structure.h"
#include "told/json.h"

#include <stdio.h>
#include <string.h>

/* ---- formatting ------------------------------------------------------------------------------- */

static void write_edit(const lsp_world *w, uint32_t begin, uint32_t end, const char *words,
                       size_t n, json *j)
{
    char *copy = arena_strndup(w->a, words, n);
    json_open(j, NULL, '{');
    lsp_write_range(w->words.text, w->words.n, begin, end, json_raw(j, "range"));
    json_text(j, "newText", copy);
    json_close(j, '}');
}

/* Lines correspond one to one: those that differ are replaced. */
static void write_lines(const lsp_world *w, const text *now, json *j)
{
    const char *a = w->words.text, *a_end = a + w->words.n, *b = text_str(now), *b_end = b + now->n;
    while (a < a_end || b < b_end) {
        const char *x = a < a_end ? memchr(a, '\n', (size_t)(a_end - a)) : NULL,
                   *y = b < b_end ? memchr(b, '\n', (size_t)(b_end - b)) : NULL;
        if (!x) x = a_end;
        if (!y) y = b_end;
        if (x - a != y - b || memcmp(a, b, (size_t)(x - a)) != 0)
            write_edit(w, (uint32_t)(a - w->words.text), (uint32_t)(x - w->words.text), b,
                       (size_t)(y - b), j);
        a = x < a_end ? x + 1 : a_end;
        b = y < b_end ? y + 1 : b_end;
    }
}

void lsp_formatting(const lsp_world *w, text *out)
{
    json j = {out, true};
    diag_sink unheard;
    mem m = mem_std();
    text now;
    diag_init(&unheard, w->a);
    text_init(&now, &m);
    json_open(&j, NULL, '[');
    if (!w->file->n_errors && lang_indent(&w->words, w->library->syms, &unheard, &now))
        write_lines(w, &now, &j);
    json_close(&j, ']');
    text_done(&now);
}

/* ---- hints ------------------------------------------------------------------------------------- */

void lsp_hints(const lsp_world *w, text *out)
{
    const structure *s = w->model ? w->model->structure : NULL;
    json j = {out, true};
    json_open(&j, NULL, '[');
    const ast_class *c = w->file->n_classes ? w->file->classes[w->file->n_classes - 1] : NULL;
    if (s && c && !strcmp(lsp_class_path(w, c), w->model->flat->name)) {
        uint32_t at = c->at.end - w->words.base;
        text range;
        mem m = mem_std();
        char label[120];
        snprintf(label, sizeof label, "%d equations, %d unknowns, index %d", s->equations.n,
                 s->unknowns.n, s->index);
        text_init(&range, &m);
        lsp_write_range(w->words.text, w->words.n, at, at, &range);
        const char *begin = strchr(text_str(&range) + 1, '{'), *end = strchr(begin, '}');
        json_open(&j, NULL, '{');
        text_add_n(json_raw(&j, "position"), begin, (size_t)(end + 1 - begin));
        json_text(&j, "label", label);
        json_bool(&j, "paddingLeft", true);
        json_close(&j, '}');
        text_done(&range);
    }
    json_close(&j, ']');
}

/* ---- actions ----------------------------------------------------------------------------------- */

/* Is this word among those that a message quotes, whole or as the last part of a name? */
static bool is_quoted(const char *message, const char *end, const char *word, size_t n)
{
    for (const char *at = message; at < end && (at = strchr(at, '\'')) && at < end; at++) {
        const char *close = strchr(at + 1, '\'');
        if (!close || close >= end) return false;
        size_t size = (size_t)(close - at - 1);
        if (size >= n && !memcmp(close - n, word, n) && (size == n || close[-(long)n - 1] == '.'))
            return true;
        at = close;
    }
    return false;
}

static void write_action(const lsp_world *w, const json_value *message, uint32_t begin,
                         uint32_t end, json *j)
{
    static const char question[] = "did you mean '";
    const char *words = json_words_at(message, "message");
    const char *found = words ? strstr(words, question) : NULL;
    const char *name = found ? found + sizeof question - 1 : NULL,
               *stop = name ? strchr(name, '\'') : NULL;
    if (!stop || begin >= end || !is_quoted(words, found, w->words.text + begin, end - begin))
        return;
    char title[200];
    snprintf(title, sizeof title, "write '%.*s'", (int)(stop - name), name);
    json_open(j, NULL, '{');
    json_text(j, "title", title);
    json_text(j, "kind", "quickfix");
    json_bool(j, "isPreferred", true);
    json_open(j, "edit", '{');
    json_open(j, "changes", '{');
    json_open(j, w->uri, '[');
    write_edit(w, begin, end, name, (size_t)(stop - name), j);
    json_close(j, ']');
    json_close(j, '}');
    json_close(j, '}');
    json_close(j, '}');
}

void lsp_actions(const lsp_world *w, const json_value *params, text *out)
{
    json j = {out, true};
    const json_value *list = json_member_at(params, "context.diagnostics");
    json_open(&j, NULL, '[');
    const source *t = &w->words;
    for (const json_value *m = list ? list->first : NULL; m; m = m->next)
        write_action(w, m,
                     lsp_offset_at(t->text, t->n, m, "range.start.line", "range.start.character"),
                     lsp_offset_at(t->text, t->n, m, "range.end.line", "range.end.character"), &j);
    json_close(&j, ']');
}
