/* What is said of a name.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp.h"
#include "told/json.h"

#include <math.h>
#include <string.h>

/* ---- places ---------------------------------------------------------------------------------- */

static uint32_t units_of(const char *at) // of the character that begins here, in UTF-16
{
    return ((unsigned char)*at & 0xf8) == 0xf0 ? 2 : 1;
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

uint32_t lsp_offset(const char *words, size_t n, lsp_position p)
{
    size_t at = 0;
    for (long line = 0; line < p.line && at < n; line++) {
        const char *end = memchr(words + at, '\n', n - at);
        at = end ? (size_t)(end - words) + 1 : n;
    }
    for (long column = 0; column < p.column && at < n && words[at] != '\n';) {
        column += units_of(words + at);
        for (at++; at < n && continues(words[at]);) at++;
    }
    return (uint32_t)at;
}

static long count_at(const json_value *v, const char *path)
{
    return (long)fmax(0, fmin(json_number_at(v, path, 0), INT32_MAX));
}

uint32_t lsp_offset_at(const char *words, size_t n, const json_value *v, const char *line,
                       const char *column)
{
    return lsp_offset(words, n, (lsp_position){count_at(v, line), count_at(v, column)});
}

static lsp_position position_at(const char *words, size_t n, uint32_t offset)
{
    lsp_position p = {0, 0};
    for (size_t i = 0; i < n && i < offset; i++) {
        if (words[i] == '\n') p = (lsp_position){p.line + 1, 0};
        else if (!continues(words[i])) p.column += units_of(words + i);
    }
    return p;
}

void lsp_write_range(const char *words, size_t n, uint32_t begin, uint32_t end, text *out)
{
    lsp_position a = position_at(words, n, begin), b = position_at(words, n, end);
    text_printf(out,
                "{\"start\": {\"line\": %ld, \"character\": %ld}, \"end\": {\"line\": %ld, "
                "\"character\": %ld}}",
                a.line, a.column, b.line, b.column);
}

bool lsp_in_document(const lsp_world *w, span at)
{
    return at.begin >= w->words.base && at.begin <= w->words.base + w->words.n;
}

void lsp_add_uri(const char *path, text *out)
{
    text_add(out, "file://");
    for (; *path; path++) {
        if (strchr("-_.~/", *path) || (*path >= '0' && *path <= '9') ||
            (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z'))
            text_char(out, *path);
        else text_printf(out, "%%%02X", (unsigned char)*path);
    }
}

void lsp_write_place(const lsp_world *w, span at, text *out)
{
    const source *f =
        lsp_in_document(w, at) ? &w->words : source_of(&w->library->sources, at.begin);
    if (!f) {
        text_add(out, "null");
        return;
    }
    text_add(out, "{\"uri\": ");
    if (f == &w->words) {
        text_quoted(out, w->uri);
    } else {
        text_char(out, '"');
        lsp_add_uri(f->path, out);
        text_char(out, '"');
    }
    text_add(out, ", \"range\": ");
    lsp_write_range(f->text, f->n, at.begin - f->base, at.end - f->base, out);
    text_char(out, '}');
}

/* ---- the name at a place --------------------------------------------------------------------- */

static bool is_at(span at, uint32_t offset)
{
    return at.begin && offset >= at.begin && offset <= at.end;
}

static bool look_at_use(void *user, const lsp_use *u)
{
    lsp_looked *l = user;
    if (!is_at(u->ref->at[u->k].at, l->offset)) return false;
    l->found = lsp_use_found(l->w, u);
    l->at = u->ref->at[u->k].at;
    l->in = u->c;
    l->ref = u->of.kind || u->iterator || u->ref->global ? NULL : u->ref;
    l->k = u->k;
    return true;
}

/* A declaration is a name, too. */
static bool look_in_class(lsp_looked *l, ast_class *c)
{
    if (!lang_whole(c)) return false;
    if (is_at(c->at, l->offset)) {
        l->found = (lsp_found){LSP_A_CLASS, c, NULL, c->name, c->at, c->comment};
        l->at = c->at;
        return true;
    }
    for (int i = 0; i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        if (e->kind == AST_CLASS && look_in_class(l, e->class_)) return true;
        if (e->kind != AST_COMPONENT || !is_at(e->component->at, l->offset)) continue;
        const ast_component *x = e->component;
        l->found = (lsp_found){LSP_A_COMPONENT, c, x, x->name, x->at, x->comment};
        l->at = x->at;
        l->in = c;
        l->declares = true;
        return true;
    }
    return false;
}

bool lsp_look(const lsp_world *w, uint32_t offset, lsp_looked *l)
{
    *l = (lsp_looked){.w = w, .offset = offset + w->words.base};
    for (int i = 0; i < w->file->n_classes; i++)
        if (look_in_class(l, w->file->classes[i])) return true;
    return lsp_each_use(w, l->offset, look_at_use, l) && l->found.kind;
}

/* ---- hover ------------------------------------------------------------------------------------ */

static const char *variability_text(const ast_component *x)
{
    static const char *const words[] = {[AST_CONTINUOUS] = "",
                                        [AST_DISCRETE] = "discrete ",
                                        [AST_PARAMETER] = "parameter ",
                                        [AST_CONSTANT] = "constant "};
    return words[x->variability];
}

static void say_component(const lsp_world *w, const lsp_found *f, text *t)
{
    static const char *const flows[] = {"", "flow ", "stream "}, *const causalities[] = {
                                                                     "", "input ", "output "};
    const ast_component *x = f->component;
    text_printf(t, "%s%s%s", flows[x->flow], variability_text(x), causalities[x->causality]);
    lang_print_ref(&x->type, t);
    text_printf(t, " %s", x->name);
    for (int i = 0; i < x->dims.n; i++) {
        text_add(t, i ? ", " : "[");
        lang_print_expr(x->dims.at[i], t);
    }
    if (x->dims.n) text_char(t, ']');
    if (x->mod) lang_print_mod(x->mod, t);
    (void)w;
}

static void say_class(const lsp_found *f, text *t)
{
    if (!f->cls) return;
    text_printf(t, "%s%s ", f->cls->flags & AST_IS_PARTIAL ? "partial " : "",
                lang_restriction_text((ast_restriction)f->cls->restriction));
}

/* What it is in the compiled model, where that is of the class in which it stands. Elements of arrays are
 * told apart where their subscripts are numbers. */
static void say_role(const lsp_looked *l, text *t)
{
    const lsp_world *w = l->w;
    text name;
    if (!w->model || !l->in || l->found.kind != LSP_A_COMPONENT || !(l->ref || l->declares)) return;
    if (strcmp(lsp_class_path(w, l->in), w->model->flat->name) != 0) return;
    text_init(&name, t->m);
    if (!l->ref) text_add(&name, l->found.name);
    for (int i = 0; l->ref && i <= l->k; i++) {
        const ast_part *p = &l->ref->at[i];
        text_printf(&name, "%s%s", i ? "." : "", p->name);
        for (int j = 0; j < p->subs.n; j++) {
            text_add(&name, j ? "," : "[");
            lang_print_expr(p->subs.at[j], &name);
        }
        if (p->subs.n) text_char(&name, ']');
    }
    text_char(t, '\n');
    lsp_say_value(w, text_str(&name), t);
    lsp_say_role(w->model, text_str(&name), t);
    text_done(&name);
}

void lsp_hover(const lsp_world *w, uint32_t offset, text *out)
{
    lsp_looked l;
    mem m = mem_std();
    text t;
    if (!lsp_look(w, offset, &l)) {
        text_add(out, "null");
        return;
    }
    const lsp_found *f = &l.found;
    text_init(&t, &m);
    text_add(&t, "```modelica\n");
    if (f->kind == LSP_A_COMPONENT) say_component(w, f, &t);
    else if (f->kind == LSP_A_CLASS) say_class(f, &t), text_add(&t, lsp_class_path(w, f->cls));
    else text_add(&t, f->name);
    text_add(&t, "\n```\n");
    if (f->comment.at) text_printf(&t, "%s\n", lang_string(w->a, f->comment));
    if (f->kind == LSP_A_COMPONENT && f->cls)
        text_printf(&t, "\nin %s\n", lsp_class_path(w, f->cls));
    say_role(&l, &t);
    if (f->kind == LSP_AN_ITERATOR) text_add(&t, "an iterator\n");
    if (f->kind == LSP_BUILT_IN) text_add(&t, "built in\n");
    text_add(out, "{\"contents\": {\"kind\": \"markdown\", \"value\": ");
    text_quoted(out, text_str(&t));
    text_add(out, "}, \"range\": ");
    lsp_write_range(w->words.text, w->words.n, l.at.begin - w->words.base, l.at.end - w->words.base,
                    out);
    text_char(out, '}');
    text_done(&t);
}

void lsp_definition(const lsp_world *w, uint32_t offset, text *out)
{
    lsp_looked l;
    if (lsp_look(w, offset, &l) && l.found.at.begin) lsp_write_place(w, l.found.at, out);
    else text_add(out, "null");
}

/* ---- names that mean nothing ------------------------------------------------------------------- */

typedef struct counting {
    const lsp_world *w;
    json *j;
    long n;
} counting;

static bool count_use(void *user, const lsp_use *u)
{
    counting *c = user;
    const ast_part *part = &u->ref->at[u->k];
    if (u->loose) return false;
    c->n++;
    *c->w->care = (lsp_care){0};
    if (lsp_use_found(c->w, u).kind) return false;
    json_open(c->j, NULL, '{');
    json_text(c->j, "name", part->name);
    lsp_write_range(c->w->words.text, c->w->words.n, part->at.begin - c->w->words.base,
                    part->at.end - c->w->words.base, json_raw(c->j, "range"));
    json_close(c->j, '}');
    return false;
}

void lsp_names(const lsp_world *w, text *out)
{
    json j = {out, true};
    counting c = {.w = w, .j = &j};
    json_open(&j, NULL, '{');
    json_open(&j, "unknown", '[');
    lsp_each_use(w, 0, count_use, &c);
    json_close(&j, ']');
    json_int(&j, "names", c.n);
    json_close(&j, '}');
}

/* ---- outline ---------------------------------------------------------------------------------- */

static void symbol(const lsp_world *w, const char *name, int kind, span whole, span at, bool first,
                   text *out)
{
    if (!first) text_add(out, ", ");
    text_add(out, "{\"name\": ");
    text_quoted(out, name);
    text_printf(out, ", \"kind\": %d, \"range\": ", kind);
    lsp_write_range(w->words.text, w->words.n, whole.begin - w->words.base,
                    whole.end - w->words.base, out);
    text_add(out, ", \"selectionRange\": ");
    lsp_write_range(w->words.text, w->words.n, at.begin - w->words.base, at.end - w->words.base,
                    out);
}

static void class_symbol(const lsp_world *w, ast_class *c, bool first, text *out)
{
    enum { CLASS = 5, PACKAGE = 4, FUNCTION = 12, VARIABLE = 13, CONSTANT = 14 };
    int n = 0;
    symbol(w, c->name,
           c->restriction == AST_R_PACKAGE    ? PACKAGE
           : c->restriction == AST_R_FUNCTION ? FUNCTION
                                              : CLASS,
           c->span, c->at, first, out);
    text_add(out, ", \"children\": [");
    if (lang_whole(c))
        for (int i = 0; i < c->n_elements; i++) {
            const ast_element *e = c->elements[i];
            if (e->kind == AST_CLASS) class_symbol(w, e->class_, !n++, out);
            if (e->kind != AST_COMPONENT) continue;
            const ast_component *x = e->component;
            symbol(w, x->name, x->variability >= AST_PARAMETER ? CONSTANT : VARIABLE,
                   span_join(e->span, x->at), x->at, !n++, out);
            text_char(out, '}');
        }
    text_add(out, "]}");
}

void lsp_symbols(const lsp_world *w, text *out)
{
    text_char(out, '[');
    for (int i = 0; i < w->file->n_classes; i++) class_symbol(w, w->file->classes[i], !i, out);
    text_char(out, ']');
}
