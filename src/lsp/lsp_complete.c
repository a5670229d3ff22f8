/* What can stand at a place.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp.h"

#include "flat/units.h"
#include "told/json.h"

#include <string.h>

typedef struct completing {
    const lsp_world *w;
    json *j;
    map seen;
    const char *begins;
    size_t n;
    int listed;
} completing;

enum { ITEMS_MOST = 500 };

static int item_kind(const lsp_found *f)
{
    enum {
        FUNCTION = 3,
        FIELD = 5,
        CLASS = 7,
        MODULE = 9,
        MEMBER = 20,
        KEYWORD = 14,
        CONSTANT = 21
    };
    if (f->kind == LSP_A_COMPONENT)
        return f->component->variability >= AST_PARAMETER ? CONSTANT : FIELD;
    if (f->kind == LSP_A_LITERAL) return MEMBER;
    if (f->kind == LSP_BUILT_IN) return KEYWORD;
    if (f->cls && f->cls->restriction == AST_R_FUNCTION) return FUNCTION;
    return f->cls && f->cls->restriction == AST_R_PACKAGE ? MODULE : CLASS;
}

static void complete_name(void *user, lsp_found f)
{
    completing *c = user;
    uint64_t *seen = map_put(&c->seen, map_key(f.name));
    if (*seen || c->listed == ITEMS_MOST || strncmp(f.name, c->begins, c->n) != 0) return;
    *seen = 1;
    c->listed++;
    json_open(c->j, NULL, '{');
    json_text(c->j, "label", f.name);
    json_int(c->j, "kind", item_kind(&f));
    if (f.comment.at) json_text(c->j, "detail", lang_string(c->w->a, f.comment));
    json_close(c->j, '}');
}

static bool in_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The parts of a name that ends before `end`, from the text itself: while it is typed it is no tree. At
 * most `most`, the last first; subscripts are passed over. */
static int parts_before(const lsp_world *w, uint32_t end, sym_table *syms, sym *parts, int most)
{
    const char *s = w->words.text;
    int n = 0;
    for (uint32_t at = end; n < most;) {
        if (at && s[at - 1] == ']') {
            int depth = 0;
            do {
                at--;
                depth += s[at] == ']' ? 1 : s[at] == '[' ? -1 : 0;
            } while (at && depth);
        }
        uint32_t last = at;
        while (at && in_name(s[at - 1])) at--;
        if (at == last) break;
        parts[n++] = lang_name(syms, s + at, last - at);
        if (!at || s[at - 1] != '.') break;
        at--;
    }
    return n;
}

/* ---- in parentheses: modifiers and named arguments ---------------------------------------------- */

/* What comes before a place, without blanks. */
static uint32_t skip_blanks(const lsp_world *w, uint32_t at)
{
    while (at && strchr(" \t\r\n", w->words.text[at - 1])) at--;
    return at;
}

/* The parenthesis around a place that is not closed before it; UINT32_MAX: none in this statement. Texts are
 * passed over. first: an argument begins here, no = is before it. */
static uint32_t open_before(const lsp_world *w, uint32_t at, bool *first)
{
    const char *s = w->words.text;
    int depth = 0;
    *first = true;
    while (at--) {
        char c = s[at];
        if (c == '"') {
            while (at && (s[at - 1] != '"' || (at > 1 && s[at - 2] == '\\'))) at--;
            if (at) at--;
        } else if (strchr(")]}", c)) {
            depth++;
        } else if (strchr("([{", c)) {
            if (!depth) return c == '(' ? at : UINT32_MAX;
            depth--;
        } else if (c == ';') {
            return UINT32_MAX;
        } else if (!depth && strchr("=+-*/^<>", c)) {
            *first = false;
        } else if (!depth && c == ',') {
            bool here = *first;
            uint32_t open = open_before(w, at, first);
            *first = here;
            return open;
        }
    }
    return UINT32_MAX;
}

static lsp_found find_parts(const lsp_world *w, ast_class *in, const sym *parts, int n)
{
    lsp_found f = n ? lsp_find(w, in, parts[n - 1]) : (lsp_found){0};
    for (int i = n - 2; f.kind && i >= 0; i--) f = lsp_member(w, in, f, parts[i]);
    return f;
}

/* What the parenthesis at `open` belongs to: a component by its type, which stands before its name while both are
 * typed, a member that is modified, a class that is extended, a function. */
static lsp_found owner_of(const lsp_world *w, ast_class *in, uint32_t open, int depth)
{
    enum { PARTS = 30, NESTED = 20 };
    sym name[PARTS], type[PARTS];
    bool first;
    uint32_t end = skip_blanks(w, open), begin = end;
    int n = parts_before(w, end, w->library->syms, name, PARTS);
    if (!n || depth == NESTED) return (lsp_found){0};
    while (begin && (in_name(w->words.text[begin - 1]) || strchr(".[]", w->words.text[begin - 1])))
        begin--;
    uint32_t around = open_before(w, begin, &first);
    lsp_found outer =
        around != UINT32_MAX && first ? owner_of(w, in, around, depth + 1) : (lsp_found){0};
    if (outer.kind && n == 1) {
        lsp_found f = lsp_member(w, in, outer, name[0]);
        if (f.kind) return f;
    }
    uint32_t before = skip_blanks(w, begin);
    int m = before < begin ? parts_before(w, before, w->library->syms, type, PARTS) : 0;
    lsp_found f = n == 1 ? find_parts(w, in, type, m) : (lsp_found){0};
    return f.kind == LSP_A_CLASS || f.kind == LSP_BUILT_IN ? f : find_parts(w, in, name, n);
}

static void complete_attribute(void *user, const char *name)
{
    completing *c = user;
    sym s = lang_name(c->w->library->syms, name, strlen(name));
    complete_name(c, (lsp_found){.kind = LSP_BUILT_IN, .name = s});
}

/* ---- in a text: units --------------------------------------------------------------------------- */

/* Is the place inside the text that is given to unit or displayUnit? */
static bool is_unit(const lsp_world *w, uint32_t at)
{
    static const char word[] = "nit"; // unit, displayUnit
    const char *s = w->words.text;
    while (at && s[at - 1] != '"' && s[at - 1] != '\n') at--;
    if (!at || s[at - 1] != '"') return false;
    at = skip_blanks(w, at - 1);
    if (!at || s[at - 1] != '=') return false;
    at = skip_blanks(w, at - 1);
    size_t n = sizeof word - 1;
    return at > n && !memcmp(s + at - n, word, n) && (s[at - n - 1] | 32) == 'u';
}

static void complete_units(completing *c)
{
    const char *symbol;
    for (int i = 0; (symbol = unit_symbol(i)); i++) complete_attribute(c, symbol);
}

void lsp_completion(const lsp_world *w, uint32_t offset, text *out)
{
    enum { PARTS = 30 };
    sym parts[PARTS];
    json j = {out, true};
    uint32_t begin = offset;
    bool first;
    while (begin && in_name(w->words.text[begin - 1])) begin--;
    completing c = {.w = w, .j = &j, .begins = w->words.text + begin, .n = offset - begin};
    map_init(&c.seen, w->a);
    ast_class *in = lsp_class_at(w, offset + w->words.base);
    json_open(&j, NULL, '[');
    if (is_unit(w, offset)) {
        complete_units(&c);
    } else if (begin && w->words.text[begin - 1] == '.') {
        int n = parts_before(w, begin - 1, w->library->syms, parts, PARTS);
        lsp_found f = find_parts(w, in, parts, n);
        if (f.kind) lsp_each_member(w, f, complete_name, &c);
    } else {
        uint32_t open = open_before(w, begin, &first);
        lsp_found owner = open != UINT32_MAX && first ? owner_of(w, in, open, 0) : (lsp_found){0};
        bool called = owner.kind == LSP_A_CLASS && owner.cls->restriction == AST_R_FUNCTION;
        if (owner.kind) {
            lsp_each_member(w, owner, complete_name, &c);
            lsp_each_attribute(w, owner, complete_attribute, &c);
        }
        if (!c.listed || called) lsp_each_visible(w, in, complete_name, &c);
    }
    json_close(&j, ']');
}
