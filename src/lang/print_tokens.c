/* The tokens of a text, one per line: place, kind, spelling.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang.h"
#include "lang/lexer.h"

static const char *token_class(token_kind kind)
{
    switch (kind) {
    case TOK_IDENT: return "name";
    case TOK_INTEGER: return "integer";
    case TOK_REAL: return "real";
    case TOK_STRING: return "string";
    default: return kind >= TOK_ALGORITHM && kind <= TOK_WITHIN ? "keyword" : "sign";
    }
}

void lang_print_tokens(const source *src, sym_table *syms, diag_sink *diags, text *out)
{
    lexer lx;
    if (!lexer_init(&lx, src, syms, diags)) return;
    int line = 1;
    uint32_t line_begin = 0, at = 0;
    for (token t = lexer_next(&lx); t.kind != TOK_EOF; t = lexer_next(&lx)) {
        for (; at < t.begin; at++)
            if (src->text[at] == '\n') line++, line_begin = at + 1;
        text_printf(out, "%d:%u %s ", line, t.begin - line_begin + 1, token_class(t.kind));
        for (uint32_t k = t.begin; k < t.end; k++) // a string may go over several lines
            text_add_n(out, src->text[k] == '\n' ? "\\n" : src->text + k,
                       src->text[k] == '\n' ? 2 : 1);
        text_char(out, '\n');
    }
}
