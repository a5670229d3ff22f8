/* SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool equal(const char *words, size_t n, const char *word)
{
    return strlen(word) == n && !strncmp(words, word, n);
}

bool fmi_real(const char *words, size_t n, double *out)
{
    static const struct {
        const char *word;
        double value;
    } special[] = {{"INF", INFINITY}, {"+INF", INFINITY}, {"-INF", -INFINITY}, {"NaN", NAN}};
    char room[400], *end;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (equal(words, n, special[i].word)) return *out = special[i].value, true;
    for (size_t i = 0; i < n; i++)
        if (!is_digit(words[i]) && !memchr("+-.eE", words[i], 5)) return false;
    if (!n || n >= sizeof room) return false;
    memcpy(room, words, n);
    room[n] = 0;
    *out = strtod(
        room, &end); // the locale is C: the library sets none, and digits and '.' are all there is
    return end == room + n;
}

/* Digits with a sign, between 2^(bits - 1) or 0 and what that leaves. */
static bool is_whole(const char *words, size_t n, bool is_signed, int bits)
{
    bool minus = n && words[0] == '-';
    size_t i = n && (words[0] == '-' || words[0] == '+');
    uint64_t most = UINT64_MAX >> (64 - bits), x = 0;
    if (is_signed) most = (most >> 1) + minus;
    else if (minus) most = 0; // -0 is one
    if (i == n) return false;
    for (; i < n; i++) {
        if (!is_digit(words[i])) return false;
        uint64_t digit = (uint64_t)(words[i] - '0');
        if (x > (most - digit) / 10 || digit > most) return false;
        x = 10 * x + digit;
    }
    return true;
}

static bool is_bytes(const char *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_digit(words[i]) && !memchr("abcdefABCDEF", words[i], 12)) return false;
    return n % 2 == 0;
}

/* 2026-03-14T15:09:26, with fractions of a second and an offset. */
static bool is_time(const char *words, size_t n)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    if (n < sizeof form - 1) return false;
    for (size_t i = 0; i + 1 < sizeof form; i++)
        if (form[i] == 'd' ? !is_digit(words[i]) : words[i] != form[i]) return false;
    for (size_t i = sizeof form - 1; i < n; i++)
        if (!is_digit(words[i]) && !memchr(".Z+-:", words[i], 5)) return false;
    return true;
}

static bool is_word_of(const char *words, size_t n, const char *list, size_t n_list)
{
    for (size_t i = 0, k; i < n_list; i += k + 1) {
        for (k = 0; i + k < n_list && list[i + k] != '|';) k++;
        if (k == n && !strncmp(words, list + i, n)) return true;
    }
    return false;
}

static bool is_one(const char *words, size_t n, const char *type, size_t n_type)
{
    double x;
    switch (type[0]) {
    case 's': return true;
    case 'd': return fmi_real(words, n, &x);
    case 'b': return is_word_of(words, n, "true|false|1|0", 14);
    case 'x': return is_bytes(words, n);
    case 't': return is_time(words, n);
    case '{': return is_word_of(words, n, type + 1, n_type - 2);
    default: return is_whole(words, n, type[0] == 'i', atoi(type + 1));
    }
}

bool fmi_is_value(const char *words, const char *type, size_t n_type)
{
    bool list = type[0] == '*';
    if (list) type++, n_type--;
    if (type[0] == 's') return true;
    size_t n = strlen(words), i = 0, count = 0;
    while (i < n) {
        while (i < n && is_blank(words[i])) i++;
        size_t begin = i;
        while (i < n && !is_blank(words[i])) i++;
        if (i == begin) break;
        count++;
        if (!is_one(words + begin, i - begin, type, n_type)) return false;
    }
    return list || count == 1;
}

/* ---- words of the tables --------------------------------------------------------------------- */

typedef struct schema_word {
    const char *name, *type;
    size_t n_name, n_type; // of children: the type is the count
    bool needed, is_group;
} schema_word;

/* The next word of attributes; false after the last. */
static bool next_attribute(const char **words, schema_word *out)
{
    const char *p = *words;
    while (*p == ' ') p++;
    if (!*p) return false;
    *out = (schema_word){.is_group = *p == '@'};
    p += out->is_group;
    out->name = p;
    out->n_name = strcspn(p, ": ");
    p += out->n_name;
    if (*p == ':') {
        out->type = ++p;
        out->n_type = strcspn(p, "! ");
        p += out->n_type;
        out->needed = *p == '!';
        p += out->needed;
    }
    *words = p;
    return true;
}

static const fmi_element *find_element(const fmi_element *table, const char *name, size_t n)
{
    for (; table->name; table++)
        if (equal(name, n, table->name)) return table;
    return NULL;
}

/* The attribute of this name; that of a star is any. */
static bool find_attribute(const char *words, const char *name, schema_word *out)
{
    schema_word w;
    while (next_attribute(&words, &w)) {
        if (w.is_group) {
            if (find_attribute(find_element(fmi_groups, w.name, w.n_name)->attributes, name, out))
                return true;
        } else if (equal(w.name, w.n_name, "*") || equal(w.name, w.n_name, name)) {
            *out = w;
            return true;
        }
    }
    return false;
}

/* ---- a tree against a table ------------------------------------------------------------------ */

typedef struct schema_check {
    const fmi_xml *x;
    const fmi_element *table;
    uint32_t base;
    diag_sink *d;
} schema_check;

/* The start tag, or its name. */
static span place_of(const schema_check *c, int node)
{
    uint32_t at = c->base + c->x->nodes[node].at;
    return (span){at, at + 1 + (uint32_t)strlen(fmi_words(c->x, c->x->nodes[node].name))};
}

static const char *tag_of(const schema_check *c, int node)
{
    return fmi_words(c->x, c->x->nodes[node].name);
}

/* Declarations of name spaces and what belongs to them is not ours to judge. */
static bool is_of_xml(const char *name)
{
    return !strncmp(name, "xmlns", 5) || strchr(name, ':');
}

static const char *words_of_type(const char *type)
{
    switch (type[type[0] == '*']) {
    case '{': return "word that is known here";
    case 'd': return "number";
    case 'b': return "truth value";
    case 't': return "date and time";
    case 'x': return "row of bytes in hexadecimal";
    default: return "whole number that its type can hold";
    }
}

static void check_given(const schema_check *c, int node, const fmi_element *e)
{
    const fmi_node *n = &c->x->nodes[node];
    for (uint32_t i = 0; i < n->n_pairs; i++) {
        const uint32_t *pair = &c->x->pairs[2 * (n->pairs + i)];
        const char *name = fmi_words(c->x, pair[0]), *value = fmi_words(c->x, pair[1]);
        schema_word w;
        if (is_of_xml(name)) continue;
        if (!find_attribute(e->attributes, name, &w))
            diag_error(c->d, "F121", place_of(c, node), "<%s> has no attribute '%.80s'",
                       tag_of(c, node), name);
        else if (!fmi_is_value(value, w.type, w.n_type))
            diag_error(c->d, "F123", place_of(c, node), "%s=\"%.80s\" is no %s", name, value,
                       words_of_type(w.type));
    }
}

static void check_needed(const schema_check *c, int node, const char *words)
{
    schema_word w;
    char name[60];
    while (next_attribute(&words, &w)) {
        snprintf(name, sizeof name, "%.*s", (int)w.n_name, w.name);
        if (w.is_group)
            check_needed(c, node, find_element(fmi_groups, w.name, w.n_name)->attributes);
        else if (w.needed && !fmi_attribute(c->x, node, name))
            diag_error(c->d, "F122", place_of(c, node), "<%s> needs the attribute '%s'",
                       tag_of(c, node), name);
    }
}

/* A part of a sequence: one name, or one of several. */
typedef struct schema_part {
    const char *names; // separated by strokes
    size_t n;
    bool may_lack, may_repeat;
} schema_part;

static bool next_part(const char **words, schema_part *out)
{
    const char *p = *words;
    while (*p == ' ') p++;
    if (!*p) return false;
    bool several = *p == '(';
    out->names = p += several;
    out->n = strcspn(p, several ? ")" : "?*+ ");
    p += out->n + several;
    out->may_lack = *p == '?' || *p == '*';
    out->may_repeat = *p == '*' || *p == '+';
    *words = p + (*p && *p != ' ');
    return true;
}

/* The element of the part that has this tag; NULL: it has none. */
static const fmi_element *element_of_part(const schema_check *c, const schema_part *p,
                                          const char *tag)
{
    for (size_t i = 0, k; i < p->n; i += k + 1) {
        for (k = 0; i + k < p->n && p->names[i + k] != '|';) k++;
        size_t n = 0;
        while (n < k && p->names[i + n] != '.') n++;
        if (equal(p->names + i, n, tag)) return find_element(c->table, p->names + i, k);
    }
    return NULL;
}

static const fmi_element *element_of_any(const schema_check *c, const char *children,
                                         const char *tag)
{
    schema_part p;
    const fmi_element *e = NULL;
    while (!e && next_part(&children, &p)) e = element_of_part(c, &p, tag);
    return e;
}

static void check_element(const schema_check *c, int node, const fmi_element *e);

/* The first of these children that belongs here at all. */
static int first_known(const schema_check *c, int node, const char *children, int child)
{
    for (; child >= 0; child = c->x->nodes[child].younger) {
        if (element_of_any(c, children, tag_of(c, child))) return child;
        diag_error(c->d, "F120", place_of(c, child), "<%.80s> does not belong into <%s>",
                   tag_of(c, child), tag_of(c, node));
    }
    return -1;
}

static void check_children(const schema_check *c, int node, const char *children)
{
    const char *words = children;
    schema_part p;
    int child = first_known(c, node, children, c->x->nodes[node].child);
    while (next_part(&words, &p)) {
        int count = 0;
        const fmi_element *e;
        while (child >= 0 && (e = element_of_part(c, &p, tag_of(c, child))) != NULL &&
               (!count || p.may_repeat)) {
            check_element(c, child, e);
            count++;
            child = first_known(c, node, children, c->x->nodes[child].younger);
        }
        if (!count && !p.may_lack)
            diag_error(c->d, "F124", place_of(c, node), "<%s> needs an element <%.*s>%s",
                       tag_of(c, node), (int)strcspn(p.names, ".|?*+) "), p.names,
                       memchr(p.names, '|', p.n) ? ", or another of its kind" : "");
    }
    if (child >= 0)
        diag_error(c->d, "F125", place_of(c, child),
                   "<%s> stands here too often or too late in <%s>; the order is %s",
                   tag_of(c, child), tag_of(c, node), children);
}

static void check_element(const schema_check *c, int node, const fmi_element *e)
{
    check_given(c, node, e);
    check_needed(c, node, e->attributes);
    if (e->children) check_children(c, node, e->children);
}

void fmi_schema_check(const fmi_xml *x, const fmi_element *table, uint32_t base, diag_sink *d)
{
    schema_check c = {x, table, base, d};
    if (strcmp(tag_of(&c, 0), table->name) != 0)
        diag_error(d, "F120", place_of(&c, 0), "the root is <%.80s>, and not <%s>", tag_of(&c, 0),
                   table->name);
    else check_element(&c, 0, table);
}
