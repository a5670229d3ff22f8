/* SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lexer.h"

#include "lang/lang.h"

#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const spelling[TOK_COUNT] = {
    [TOK_NONE] = "nothing",          [TOK_EOF] = "the end of the file", [TOK_IDENT] = "a name",
    [TOK_INTEGER] = "a number",      [TOK_REAL] = "a number",           [TOK_STRING] = "a string",
#define X(name, text) [TOK_##name] = text,
    LANG_KEYWORDS(X) LANG_SYMBOLS(X)
#undef X
};

const char *token_text(token_kind kind)
{
    return spelling[kind];
}

static span lexer_at(const lexer *lx, uint32_t begin, uint32_t end)
{
    return (span){lx->base + begin, lx->base + end};
}

/* ---- character classes ----------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Length of the UTF-8 character at s, 0 when the bytes are none (overlong forms and surrogates
// included). The text ends with NUL, so looking at the next byte is safe.
static uint32_t utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] < 0x80) return 1;
    if (u[0] < 0xC2 || u[0] > 0xF4) return 0;
    unsigned char lo = 0x80, hi = 0xBF; // of the second byte
    if (u[0] == 0xE0) lo = 0xA0;
    if (u[0] == 0xED) hi = 0x9F;
    if (u[0] == 0xF0) lo = 0x90;
    if (u[0] == 0xF4) hi = 0x8F;
    if (u[1] < lo || u[1] > hi) return 0;
    uint32_t n = u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
    for (uint32_t i = 2; i < n; i++)
        if ((u[i] & 0xC0) != 0x80) return 0;
    return n;
}

// Step over one character above ASCII in a string or comment.
static void skip_wide(lexer *lx, const char *where)
{
    uint32_t n = utf8_length(lx->text + lx->at);
    if (n == 0 && !lx->told_utf8) {
        lx->told_utf8 = true;
        diag_error(lx->diags, "L002", lexer_at(lx, lx->at, lx->at + 1),
                   "byte 0x%02X in a %s is not UTF-8; if the file is in Latin-1, convert it with "
                   "'iconv -f latin1 -t utf-8'",
                   (unsigned)(unsigned char)lx->text[lx->at], where);
    }
    lx->at += n ? n : 1;
}

/* ---- white space and comments ---------------------------------------------------------------- */

static void skip_line_comment(lexer *lx)
{
    while (lx->text[lx->at] && lx->text[lx->at] != '\n') {
        if ((unsigned char)lx->text[lx->at] < 0x80) lx->at++;
        else skip_wide(lx, "comment");
    }
}

static bool skip_block_comment(lexer *lx) // whether it goes over the end of a line
{
    uint32_t begin = lx->at;
    bool lines = false;
    lx->at += 2;
    for (;;) {
        char c = lx->text[lx->at];
        if (c == '*' && lx->text[lx->at + 1] == '/') {
            lx->at += 2;
            return lines;
        }
        if (!c) {
            diag_error(lx->diags, "L005", lexer_at(lx, begin, begin + 2),
                       "this comment does not end; close it with */");
            lx->broken = true;
            return lines;
        }
        if (c == '\n') lines = true;
        if ((unsigned char)c < 0x80) lx->at++;
        else skip_wide(lx, "comment");
    }
}

static bool skip_space(lexer *lx) // whether there was the end of a line
{
    bool lines = lx->at == 0;
    for (;;) {
        char c = lx->text[lx->at];
        if (c == '\n') lines = true;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') lx->at++;
        else if (c == '/' && lx->text[lx->at + 1] == '/') skip_line_comment(lx);
        else if (c == '/' && lx->text[lx->at + 1] == '*') lines |= skip_block_comment(lx);
        else return lines;
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

static token_kind lexer_keyword(const lexer *lx, const char *s, size_t n)
{
    if (s[0] < 'a' || s[0] > 'z') return TOK_IDENT;
    for (int k = lx->keyword[s[0] - 'a']; k < lx->keyword[s[0] - 'a' + 1]; k++) {
        const char *word = spelling[TOK_FIRST_KEYWORD + k];
        if (strncmp(word, s, n) == 0 && !word[n]) return (token_kind)(TOK_FIRST_KEYWORD + k);
    }
    return TOK_IDENT;
}

static void lex_word(lexer *lx, token *t)
{
    const char *s = lx->text + lx->at;
    uint32_t n = 1;
    while (is_letter(s[n]) || is_digit(s[n])) n++;
    lx->at += n;
    t->kind = (uint8_t)lexer_keyword(lx, s, n);
    if (t->kind == TOK_IDENT) t->name = sym_of_n(lx->syms, s, n);
}

static bool is_escape(char c)
{
    return c && strchr("'\"?\\abfnrtv", c);
}

static void bad_escape(lexer *lx)
{
    uint32_t n = utf8_length(lx->text + lx->at + 1);
    diag_error(lx->diags, "L006", lexer_at(lx, lx->at, lx->at + 1 + (n ? n : 1)),
               "unknown escape sequence; a backslash itself is written \\\\");
}

// Q-IDENT: the quotes belong to the name; \? and \" are the same as ? and ".
static void lex_quoted(lexer *lx, token *t)
{
    const char *s = lx->text;
    uint32_t begin = lx->at++;
    uint32_t end = 0; // set when the quote is not closed
    bool redundant = false, escapes = false;
    while (s[lx->at] != '\'') {
        unsigned char c = (unsigned char)s[lx->at];
        if (c == 0 || c == '\n' || c == '\r') {
            bool prime = begin && (is_letter(s[begin - 1]) || is_digit(s[begin - 1]));
            diag_error(lx->diags, "L007", lexer_at(lx, begin, lx->at),
                       prime ? "a prime is no derivative: write der(x) for x'"
                             : "this quoted name does not end on its line; close it with '");
            lx->garbled = true;
            // Go on after what looks like a name, unless quotes after backslashes
            // would make us come here again for each of them.
            if (!escapes) lx->at = begin + 1;
            while (is_letter(s[lx->at]) || is_digit(s[lx->at])) lx->at++;
            end = lx->at;
            break;
        }
        if (c == '\\') {
            if (!is_escape(s[lx->at + 1])) bad_escape(lx);
            escapes = true;
            redundant |= s[lx->at + 1] == '?' || s[lx->at + 1] == '"';
            lx->at += s[lx->at + 1] ? 2 : 1;
        } else if (c < 0x20 || c > 0x7E) {
            uint32_t n = utf8_length(s + lx->at);
            diag_error(lx->diags, "L007", lexer_at(lx, lx->at, lx->at + (n ? n : 1)),
                       "a quoted name holds printable ASCII characters only");
            lx->at += n ? n : 1;
        } else lx->at++;
    }
    if (!end) end = ++lx->at;
    t->kind = TOK_IDENT;
    t->name = redundant ? lang_name(lx->syms, s + begin, end - begin)
                        : sym_of_n(lx->syms, s + begin, end - begin);
}

sym lang_name(sym_table *syms, const char *s, size_t n)
{
    char *plain = arena_strndup(syms->a, s, n);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        bool escape = s[i] == '\\' && i + 1 < n;
        if (escape && (s[i + 1] == '?' || s[i + 1] == '"')) i++;
        else if (escape) plain[k++] = s[i++];
        plain[k++] = s[i];
    }
    return sym_of_n(syms, plain, k);
}

/* ---- literals -------------------------------------------------------------------------------- */

static void lex_string(lexer *lx, token *t)
{
    const char *s = lx->text;
    uint32_t begin = lx->at++;
    t->kind = TOK_STRING;
    for (;;) {
        unsigned char c = (unsigned char)s[lx->at];
        if (c == '"') break;
        if (c >= 0x80) {
            skip_wide(lx, "string");
        } else if (c == '\\') {
            if (!is_escape(s[lx->at + 1])) bad_escape(lx);
            lx->at += s[lx->at + 1] && (unsigned char)s[lx->at + 1] < 0x80 ? 2 : 1;
        } else if (c == 0) {
            uint32_t line = begin;
            while (line < lx->n && s[line] != '\n' && s[line] != '\r') line++;
            if (!lx->lost_quote)
                diag_error(lx->diags, "L004", lexer_at(lx, begin, line),
                           "this string does not end; close it with \"");
            lx->broken = true;
            return;
        } else {
            t->many_lines |= c == '\n';
            lx->at++;
        }
    }
    lx->at++;
}

static uint32_t lexer_digits(const lexer *lx, uint32_t i)
{
    while (is_digit(lx->text[i])) i++;
    return i;
}

static void lex_number(lexer *lx, token *t)
{
    const char *s = lx->text;
    uint32_t begin = lx->at, i = lexer_digits(lx, begin);
    t->kind = TOK_INTEGER;
    if (s[i] == '.') {
        t->kind = TOK_REAL;
        i = lexer_digits(lx, i + 1);
    }
    if (s[i] == 'e' || s[i] == 'E') {
        uint32_t k = i + 1;
        if (s[k] == '+' || s[k] == '-') k++;
        if (is_digit(s[k])) {
            t->kind = TOK_REAL;
            i = lexer_digits(lx, k);
        }
    }
    lx->at = i;
    if (t->kind == TOK_REAL) {
        t->real = lexer_real(s + begin, i - begin);
        if (isinf(t->real))
            diag_error(lx->diags, "L008", lexer_at(lx, begin, i),
                       "this number is too large; the largest Real is about 1.79e308");
    } else {
        int64_t v = 0;
        bool fits = true;
        for (uint32_t k = begin; k < i && fits; k++)
            fits = !__builtin_mul_overflow(v, 10, &v) && !__builtin_add_overflow(v, s[k] - '0', &v);
        t->integer = v;
        if (fits && whole_is_lost(v))
            diag_error(lx->diags, "L008", lexer_at(lx, begin, i),
                       "this Integer is no number that a run has: Integers are exact up to 2^53 = "
                       "9007199254740992, and "
                       "this one would become %.0f; write a Real, with a decimal point, if that is "
                       "near enough",
                       (double)v);
        if (!fits)
            diag_error(lx->diags, "L008", lexer_at(lx, begin, i),
                       "this number is too large for an Integer; write it as a Real, with a "
                       "decimal point");
    }
    if (is_letter(s[i])) { // 2x, 3e
        lx->garbled = true;
        uint32_t k = i + 1;
        while (is_letter(s[k]) || is_digit(s[k])) k++;
        int n = (int)(i - begin), m = (int)(k - i);
        if (n + m <= 40)
            diag_error(lx->diags, "L008", lexer_at(lx, begin, k),
                       "a name follows the number directly; for a product write '%.*s*%.*s'", n,
                       s + begin, m, s + i);
        else
            diag_error(lx->diags, "L008", lexer_at(lx, begin, k),
                       "a name follows the number directly; an operator is missing");
    }
}

/* ---- operators ------------------------------------------------------------------------------- */

/* What people write who come from other languages, and what is written here. */
static const struct {
    const char *foreign, *hint;
    token_kind meant;
} foreign[] = {
    {"!=", "'not equal' is written '<>'", TOK_NE},
    {"~=", "'not equal' is written '<>'", TOK_NE},
    {"**", "a power is written '^'", TOK_CARET},
    {"&&", "the logical operator is written 'and'", TOK_AND},
    {"||", "the logical operator is written 'or'", TOK_OR},
    {"!", "negation is written 'not'", TOK_NOT},
    {"&", "the logical operator is written 'and'", TOK_AND},
    {"|", "the logical operator is written 'or'", TOK_OR},
    {"\xE2\x88\x92", "this is a typographic minus sign; write '-'", TOK_MINUS},
    {"\xE2\x80\x93", "this is a dash; write '-'", TOK_MINUS},
    {"\xC2\xB7", "a product is written '*'", TOK_STAR},
    {"\xC3\x97", "a product is written '*'", TOK_STAR},
    {"\xE2\x89\xA0", "'not equal' is written '<>'", TOK_NE},
    {"\xE2\x89\xA4", "'less or equal' is written '<='", TOK_LE},
    {"\xE2\x89\xA5", "'greater or equal' is written '>='", TOK_GE},
};

static bool lex_foreign(lexer *lx, token *t)
{
    const char *s = lx->text + lx->at;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        uint32_t n = (uint32_t)strlen(foreign[i].foreign);
        if (strncmp(s, foreign[i].foreign, n) != 0) continue;
        diag_error(lx->diags, "L009", lexer_at(lx, lx->at, lx->at + n), "%s", foreign[i].hint);
        t->kind = (uint8_t)foreign[i].meant;
        lx->at += n;
        return true;
    }
    return false;
}

static const char *character_hint(const char *s)
{
    if (s[0] == '%') return "; the remainder of a division is written mod(a, b), and comments //";
    if (s[0] == '#') return "; comments begin with //";
    if (strncmp(s, "\xE2\x80\x9C", 3) == 0 || strncmp(s, "\xE2\x80\x9D", 3) == 0)
        return "; strings are written with straight quotes \"";
    if (strncmp(s, "\xE2\x80\x98", 3) == 0 || strncmp(s, "\xE2\x80\x99", 3) == 0)
        return "; quoted names are written with straight quotes '";
    if (strncmp(s, "\xC2\xA0", 2) == 0) return "; it looks like a space but is not one";
    if ((unsigned char)s[0] >= 0x80) return "; names are made of a-z, A-Z, 0-9 and _";
    return "";
}

// A character that begins no token: report a run of them once and go on after it.
static void bad_characters(lexer *lx)
{
    const char *s = lx->text;
    uint32_t begin = lx->at, n = utf8_length(s + begin);
    unsigned c = (unsigned char)s[begin];
    lx->garbled = true;
    if (n == 0 || c < 0x20 || c == 0x7F)
        diag_error(lx->diags, n ? "L003" : "L002", lexer_at(lx, begin, begin + 1),
                   n ? "control character 0x%02X cannot stand here"
                     : "byte 0x%02X is not UTF-8 text; is this a Modelica file?",
                   c);
    else
        diag_error(lx->diags, "L003", lexer_at(lx, begin, begin + n),
                   "character '%.*s' cannot stand "
                   "here%s",
                   (int)n, s + begin, character_hint(s + begin));
    do lx->at += n ? n : 1;
    while (((unsigned char)s[lx->at] >= 0x80 || (s[lx->at] && strchr("#$%?@`\\~", s[lx->at]))) &&
           (n = utf8_length(s + lx->at), true));
}

static token_kind after_dot(char c)
{
    switch (c) {
    case '+': return TOK_DOT_PLUS;
    case '-': return TOK_DOT_MINUS;
    case '*': return TOK_DOT_STAR;
    case '/': return TOK_DOT_SLASH;
    case '^': return TOK_DOT_CARET;
    default: return TOK_DOT;
    }
}

// The symbol that begins with c and goes on with d; TOK_NONE if there is none.
static token_kind lexer_symbol(char c, char d)
{
    switch (c) {
    case '(': return TOK_LPAREN;
    case ')': return TOK_RPAREN;
    case '[': return TOK_LBRACKET;
    case ']': return TOK_RBRACKET;
    case '{': return TOK_LBRACE;
    case '}': return TOK_RBRACE;
    case ',': return TOK_COMMA;
    case ';': return TOK_SEMICOLON;
    case ':': return d == '=' ? TOK_ASSIGN : TOK_COLON;
    case '=': return d == '=' ? TOK_EQ : TOK_EQUALS;
    case '<': return d == '=' ? TOK_LE : d == '>' ? TOK_NE : TOK_LT;
    case '>': return d == '=' ? TOK_GE : TOK_GT;
    case '+': return TOK_PLUS;
    case '-': return TOK_MINUS;
    case '*': return d == '*' ? TOK_NONE : TOK_STAR;
    case '/': return TOK_SLASH;
    case '^': return TOK_CARET;
    case '.': return after_dot(d);
    default: return TOK_NONE;
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

token lexer_next(lexer *lx)
{
    token t = {0};
    for (;;) {
        t.first_on_line |= skip_space(lx);
        char c = lx->text[lx->at];
        t.begin = lx->at;
        if (is_letter(c)) {
            lex_word(lx, &t);
        } else if (is_digit(c) || (c == '.' && is_digit(lx->text[lx->at + 1]))) {
            lex_number(lx, &t);
        } else if (c == '"') {
            lex_string(lx, &t);
        } else if (c == '\'') {
            lex_quoted(lx, &t);
        } else if (c == 0) {
            t.kind = TOK_EOF;
        } else if ((t.kind = (uint8_t)lexer_symbol(c, lx->text[lx->at + 1])) != TOK_NONE) {
            lx->at += (uint32_t)strlen(spelling[t.kind]);
        } else if (!lex_foreign(lx, &t)) {
            bad_characters(lx);
            continue;
        }
        t.end = lx->at;
        return t;
    }
}

static bool is_text(const lexer *lx)
{
    const char *nul = memchr(lx->text, 0, lx->n);
    if (!nul) return true;
    const unsigned char *u = (const unsigned char *)lx->text;
    uint32_t zero = (uint32_t)(nul - lx->text);
    bool utf16 = lx->n > 1 && ((u[0] == 0xFF && u[1] == 0xFE) || (u[0] == 0xFE && u[1] == 0xFF));
    if (utf16)
        diag_error(lx->diags, "L001", lexer_at(lx, 0, 1),
                   "this file is in UTF-16; convert it with 'iconv -f utf-16 -t utf-8'");
    else
        diag_error(lx->diags, "L001", lexer_at(lx, zero, zero + 1),
                   "this file is not text (it has a zero byte); is it a Modelica file?");
    return false;
}

bool lexer_init(lexer *lx, const source *src, sym_table *syms, diag_sink *diags)
{
    *lx = (lexer){.text = src->text, .n = src->n, .base = src->base, .syms = syms, .diags = diags};
    for (int letter = 0, k = 0; letter <= 26; letter++) {
        while (k <= TOK_LAST_KEYWORD - TOK_FIRST_KEYWORD &&
               spelling[TOK_FIRST_KEYWORD + k][0] < 'a' + letter)
            k++;
        lx->keyword[letter] = (uint8_t)k;
    }
    if (!is_text(lx)) return false;
    if (strncmp(lx->text, "\xEF\xBB\xBF", 3) == 0) lx->at = 3; // byte order mark
    return true;
}
