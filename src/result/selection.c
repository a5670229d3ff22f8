/* Selections: which curves go where, and names that resemble a name.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/diag.h"
#include "base/text.h"
#include "result/computed.h"
#include "result/whole_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- matching -------------------------------------------------------------------------------- */

/* A stretch of the selection's text. */
typedef struct part {
    const char *s;
    size_t n;
} part;

static part part_trim(part p)
{
    while (p.n && (p.s[0] == ' ' || p.s[0] == '\t' || p.s[0] == '\n')) p.s++, p.n--;
    while (p.n && (p.s[p.n - 1] == ' ' || p.s[p.n - 1] == '\t' || p.s[p.n - 1] == '\n')) p.n--;
    return p;
}

static bool has_wildcard(part p)
{
    return memchr(p.s, '*', p.n) || memchr(p.s, '?', p.n);
}

static size_t char_bytes(const char *s) // of one UTF-8 character
{
    size_t n = 1;
    while (((unsigned char)s[n] & 0xC0) == 0x80) n++;
    return n;
}

/* Does the whole name match? One place to return to is enough: a later star makes earlier ones
 * irrelevant. */
static bool part_matches(part pattern, const char *name)
{
    size_t i = 0, star = SIZE_MAX;
    const char *s = name, *after = NULL;
    while (*s) {
        if (i < pattern.n && pattern.s[i] == '*') {
            star = i++;
            after = s;
        } else if (i < pattern.n && pattern.s[i] == '?') {
            i++;
            s += char_bytes(s);
        } else if (i < pattern.n && pattern.s[i] == *s) {
            i++;
            s++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            s = ++after;
        } else return false;
    }
    while (i < pattern.n && pattern.s[i] == '*') i++;
    return i == pattern.n;
}

/* ---- names that resemble --------------------------------------------------------------------- */

enum { COMPARED_BYTES = DIAG_LONGEST }; // names beyond this are compared by their parts only

static unsigned char lower_case(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static bool equal_nocase(const char *a, const char *b)
{
    while (*a && lower_case(*a) == lower_case(*b)) a++, b++;
    return *a == *b;
}

static bool contains_nocase(const char *whole, const char *part_of)
{
    for (; *whole; whole++) {
        size_t i = 0;
        while (part_of[i] && lower_case(part_of[i]) == lower_case(whole[i])) i++;
        if (!part_of[i]) return true;
    }
    return false;
}

/* 0 is the same but for case; larger is further; -1 does not resemble. */
static int strangeness(const char *wanted, const char *name)
{
    size_t n = strlen(wanted), m = strlen(name);
    if (equal_nocase(wanted, name)) return 0;
    if (n <= COMPARED_BYTES && m <= COMPARED_BYTES && n > 0) {
        int d = diag_distance(wanted, name) / 2;
        if (d <= (n < 3 ? 1 : (int)n / 3) && d < (int)n) return d;
    }
    const char *dot = strrchr(name, '.');
    if (dot && equal_nocase(dot + 1, wanted)) return COMPARED_BYTES + 1;
    if (n >= 2 && contains_nocase(name, wanted)) return COMPARED_BYTES + 2;
    return -1;
}

int result_nearest(const result *r, const char *name, const char **names, int max)
{
    enum { NEAREST_MOST = 8 };
    int score[NEAREST_MOST], n = 0;
    if (max > NEAREST_MOST) max = NEAREST_MOST;
    for (int c = 0; c < r->n_columns && max > 0; c++) {
        int s = strangeness(name, r->columns[c].name);
        if (s < 0 || (n == max && s >= score[n - 1])) continue;
        int i = n < max ? n++ : n - 1;
        for (; i > 0 && score[i - 1] > s; i--) score[i] = score[i - 1], names[i] = names[i - 1];
        score[i] = s;
        names[i] = r->columns[c].name;
    }
    return n;
}

/* The first names, and how many more there are. */
static void names_of(const result *r, char *out, size_t n)
{
    size_t used = 0;
    int c = 1;
    out[0] = 0;
    for (; c < r->n_columns && used + strlen(r->columns[c].name) + 30 < n; c++)
        used +=
            (size_t)snprintf(out + used, n - used, "%s%s", c > 1 ? ", " : "", r->columns[c].name);
    if (c == 1) snprintf(out, n, "%d variables", r->n_columns - 1);
    else if (c < r->n_columns) snprintf(out + used, n - used, " and %d more", r->n_columns - c);
}

static int unknown_part(const result *r, part p, result_fault *fault)
{
    char name[COMPARED_BYTES + 1];
    size_t n = p.n < COMPARED_BYTES ? p.n : COMPARED_BYTES;
    memcpy(name, p.s, n);
    name[n] = 0;
    const char *near[3];
    int k = has_wildcard(p) ? 0 : result_nearest(r, name, near, 3);
    const char *what = has_wildcard(p) ? "no variable matches" : "there is no variable";
    switch (k) {
    case 0: {
        char list[200];
        names_of(r, list, sizeof list);
        return result_fail(fault, RESULT_E_UNKNOWN, "C607", "%s '%s' in the result, which has %s",
                           what, name, list);
    }
    case 1:
        return result_fail(fault, RESULT_E_UNKNOWN, "C607",
                           "%s '%s' in the result; did you mean '%.100s'?", what, name, near[0]);
    case 2:
        return result_fail(fault, RESULT_E_UNKNOWN, "C607",
                           "%s '%s' in the result; did you mean '%.100s' or '%.100s'?", what, name,
                           near[0], near[1]);
    default:
        return result_fail(fault, RESULT_E_UNKNOWN, "C607",
                           "%s '%s' in the result; did you mean '%.100s', '%.100s' or '%.100s'?",
                           what, name, near[0], near[1], near[2]);
    }
}

/* ---- parsing --------------------------------------------------------------------------------- */

typedef struct parser {
    const result *r;
    result_selection *out;
    result_fault *fault;
    const char *selection;
    int panel, arrays;
    bool right;
} parser;

/* Cut the next part off *rest at the first of `separators` outside brackets and quotes; *found is
 * the separator, 0 at the end. */
static part next_part(part *rest, const char *separators, char *found)
{
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; i < rest->n; i++) {
        char c = rest->s[i];
        if (quoted) {
            if (c == '\\' && i + 1 < rest->n) i++;
            else if (c == '\'') quoted = false;
        } else if (c == '\'') quoted = true;
        else if (c == '(' || c == '[' || c == '{') depth++;
        else if (c == ')' || c == ']' || c == '}') depth -= depth > 0;
        else if (depth == 0 && strchr(separators, c)) break;
    }
    part p = {rest->s, i};
    *found = i < rest->n ? rest->s[i] : 0;
    size_t used = i < rest->n ? i + 1 : i;
    rest->s += used;
    rest->n -= used;
    return part_trim(p);
}

static int selection_add_curve(parser *p, int x, int y)
{
    result_selection *s = p->out;
    if (s->n_curves == s->cap_curves) {
        int cap = s->cap_curves ? s->cap_curves * 2 : 16;
        void *q = s->m->resize(s->m->user, s->curves, (size_t)s->cap_curves * sizeof *s->curves,
                               (size_t)cap * sizeof *s->curves);
        if (!q) return result_fail(p->fault, RESULT_E_MEMORY, "C609", "out of memory");
        s->curves = q;
        s->cap_curves = cap;
    }
    s->curves[s->n_curves++] = (result_curve){.x = x, .y = y, .panel = p->panel, .right = p->right};
    return RESULT_OK;
}

static int part_find(const result *r, part p)
{
    for (int c = 0; c < r->n_columns; c++)
        if (strncmp(r->columns[c].name, p.s, p.n) == 0 && r->columns[c].name[p.n] == 0) return c;
    return p.n == 4 && memcmp(p.s, "time", 4) == 0 ? 0 : -1;
}

/* The one column that x in x:y names. */
static int part_column(parser *p, part name, int *column)
{
    *column = -1;
    if (!has_wildcard(name)) *column = part_find(p->r, name);
    else
        for (int c = 0; c < p->r->n_columns; c++) {
            if (!part_matches(name, p->r->columns[c].name)) continue;
            if (*column >= 0)
                return result_fail(
                    p->fault, RESULT_E_SYNTAX, "C608",
                    "'%.*s' before ':' matches several variables ('%.80s', '%.80s'); "
                    "the abscissa of a phase plot must be one",
                    (int)(name.n < 80 ? name.n : 80), name.s, p->r->columns[*column].name,
                    p->r->columns[c].name);
            *column = c;
        }
    return *column < 0 ? unknown_part(p->r, name, p->fault) : RESULT_OK;
}

static int part_columns(parser *p, int x, part name)
{
    if (!has_wildcard(name)) {
        int c = part_find(p->r, name);
        return c < 0 ? unknown_part(p->r, name, p->fault) : selection_add_curve(p, x, c);
    }
    // varying columns; constants only where nothing else matches
    int before = p->out->n_curves;
    for (int constants = 0; constants <= 1 && p->out->n_curves == before; constants++)
        for (int c = 1; c < p->r->n_columns; c++) {
            if (p->r->columns[c].constant != constants ||
                !part_matches(name, p->r->columns[c].name))
                continue;
            int rc = selection_add_curve(p, x, c);
            if (rc) return rc;
        }
    return p->out->n_curves == before ? unknown_part(p->r, name, p->fault) : RESULT_OK;
}

/* Where a subscript is left open, as in T[:], T[3,:] and cell[:].T; p.n: nowhere behind `from`. */
static size_t part_open(part p, size_t from)
{
    for (size_t i = from; i + 1 < p.n; i++)
        if (p.s[i] == ':' && i > 0 && (p.s[i - 1] == '[' || p.s[i - 1] == ',') &&
            (p.s[i + 1] == ']' || p.s[i + 1] == ','))
            return i;
    return p.n;
}

/* Is it an element? Open subscripts stand for any number. */
static bool part_has_element(part p, const char *name)
{
    size_t i = 0;
    for (size_t open = part_open(p, 0); open < p.n; open = part_open(p, open + 1)) {
        if (strncmp(name, p.s + i, open - i) != 0) return false;
        name += open - i;
        size_t digits = strspn(name, "0123456789");
        if (!digits) return false;
        name += digits;
        i = open + 1;
    }
    return strncmp(name, p.s + i, p.n - i) == 0 && !name[p.n - i];
}

typedef struct element {
    const char *name;
    result_curve curve;
} element;

/* By subscripts: where two names of one array part, the longer number is the larger one. */
static int element_order(const void *x, const void *y)
{
    const char *a = ((const element *)x)->name, *b = ((const element *)y)->name;
    while (*a && *a == *b) a++, b++;
    size_t n = strspn(a, "0123456789"), k = strspn(b, "0123456789");
    return n != k ? (n > k) - (n < k) : (unsigned char)*a - (unsigned char)*b;
}

/* Columns that do not vary stand before those that do, whatever their subscripts. */
static int selection_sort(parser *p, int first)
{
    size_t n = (size_t)(p->out->n_curves - first);
    element *e = mem_try(p->r->m, n * sizeof *e);
    if (!e) return result_fail(p->fault, RESULT_E_MEMORY, "C609", "out of memory");
    result_curve *curves = p->out->curves + first;
    for (size_t i = 0; i < n; i++) e[i] = (element){p->r->columns[curves[i].y].name, curves[i]};
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++) sorted = element_order(&e[i - 1], &e[i]) <= 0;
    if (!sorted) qsort(e, n, sizeof *e, element_order);
    for (size_t i = 0; i < n && !sorted; i++) curves[i] = e[i].curve;
    mem_free(p->r->m, e, n * sizeof *e);
    return RESULT_OK;
}

/* T[:], T[:]@2.5: the elements of an array in the order of their subscripts. 1: it was none. */
static int read_array(parser *p, part item)
{
    char after;
    part rest = item, name = next_part(&rest, "@", &after);
    size_t open = part_open(name, 0);
    if (open == name.n) return 1;
    bool one = part_open(name, open + 1) == name.n;
    char number[32] = "", *end;
    double at = 0;
    if (after && !one)
        return result_fail(p->fault, RESULT_E_SYNTAX, "C608",
                           "a profile has one open subscript; '%.*s' has more: T[3,:]@2.5 is one",
                           (int)(item.n < 100 ? item.n : 100), item.s);
    if (after) {
        rest = part_trim(rest);
        snprintf(number, sizeof number, "%.*s", (int)(rest.n < 31 ? rest.n : 31), rest.s);
        at = strtod(number, &end);
        if (end == number || *end)
            return result_fail(
                p->fault, RESULT_E_SYNTAX, "C608",
                "a time is needed after '@' in '%.*s': T[:]@2.5 is a profile at t = 2.5",
                (int)(item.n < 100 ? item.n : 100), item.s);
    }
    int before = p->out->n_curves, array = ++p->arrays;
    for (int c = 1; c < p->r->n_columns; c++) {
        if (!part_has_element(name, p->r->columns[c].name)) continue;
        int rc = selection_add_curve(p, 0, c);
        if (rc) return rc;
        result_curve *k = &p->out->curves[p->out->n_curves - 1];
        k->field = !one ? RESULT_NO_FIELD : after ? RESULT_PROFILE : RESULT_MAP;
        k->array = array;
        k->open = (int)open;
        k->at = at;
    }
    if (p->out->n_curves == before) return unknown_part(p->r, name, p->fault);
    return selection_sort(p, before);
}

static int read_item(parser *p, part item)
{
    char colon;
    int array = read_array(p, item);
    if (array <= 0) return array;
    part rest = item, first = next_part(&rest, ":", &colon), second = part_trim(rest);
    if (first.n == 0 || (colon && second.n == 0))
        return result_fail(p->fault, RESULT_E_SYNTAX, "C608",
                           "a name is missing in the selection '%.200s'; write 'x,y;lambda' for "
                           "curves and panels, 'x:y' for a phase plot",
                           p->selection);
    int x = 0;
    if (!colon) return part_columns(p, 0, first);
    int rc = part_column(p, first, &x);
    return rc ? rc : part_columns(p, x, second);
}

/* Names and operands of formulas are written out, or else they match. */
bool result_may_select(const char *squeezed, const char *name)
{
    if (!*squeezed || strstr(squeezed, name)) return true;
    part rest = {squeezed, strlen(squeezed)};
    while (rest.n > 0) {
        char end;
        part p = next_part(&rest, ",;|:", &end);
        if (has_wildcard(p) && part_matches(p, name)) return true;
        part array = next_part(&p, "@", &end);
        if (part_open(array, 0) < array.n && part_has_element(array, name)) return true;
    }
    return false;
}

/* One name or expression of a selection. */
static int add_formula(result *r, part item, result_fault *fault)
{
    char unit[COMPUTED_UNIT_BYTES];
    result_formula *f;
    if (!item.n || part_find(r, item) >= 0) return RESULT_OK;
    for (int c = 1; c < r->n_columns && has_wildcard(item); c++)
        if (part_matches(item, r->columns[c].name)) return RESULT_OK; // x.* means names
    int rc = computed_read(r, item.s, item.n, &f, unit, fault);
    if (rc || !f) return rc;
    char *name = mem_try(r->m, item.n + 1);
    if (name) {
        memcpy(name, item.s, item.n);
        name[item.n] = 0;
        rc = result_add_formula(r, name, unit, f);
        mem_free(r->m, name, item.n + 1);
    }
    if (name && rc >= 0) return RESULT_OK;
    computed_free(r->m, f);
    return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
}

int result_add_formulas(result *r, const char *vars, result_fault *fault)
{
    size_t bytes = vars ? strlen(vars) + 1 : 1;
    if (bytes == 1) return RESULT_OK;
    char *squeezed = mem_try(r->m, bytes), end;
    if (!squeezed) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    memcpy(squeezed, vars, bytes);
    part rest = part_trim((part){squeezed, text_squeeze_name(squeezed)});
    int rc = RESULT_OK;
    while (rest.n > 0 && !rc) rc = add_formula(r, next_part(&rest, ",;|:", &end), fault);
    mem_free(r->m, squeezed, bytes);
    return rc;
}

int result_select(const result *r, const char *vars, result_selection *out, result_fault *fault)
{
    *out = (result_selection){.m = r->m};
    size_t bytes = vars ? strlen(vars) + 1 : 1;
    char *squeezed = mem_try(r->m, bytes);
    if (!squeezed) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    memcpy(squeezed, vars ? vars : "", bytes);
    parser p = {.r = r, .out = out, .fault = fault, .selection = squeezed};
    part rest = part_trim((part){squeezed, text_squeeze_name(squeezed)});
    int rc = RESULT_OK;
    if (rest.n == 0) {
        out->n_panels = 1;
        for (int c = 1; c < r->n_columns && !rc; c++)
            if (!r->columns[c].constant) rc = selection_add_curve(&p, 0, c);
    }
    while (rest.n > 0 && !rc) {
        char end;
        part item = next_part(&rest, ",;|", &end);
        rc = read_item(&p, item);
        out->n_panels = p.panel + 1;
        rest = part_trim(rest);
        if (rc) break;
        if (end == ';') p.panel++, p.right = false;
        else if (end == '|' && p.right)
            rc = result_fail(fault, RESULT_E_SYNTAX, "C608",
                             "a panel has a left and a right axis; there is a second '|' in one "
                             "panel of '%.200s'",
                             squeezed);
        else if (end == '|') p.right = true;
        if (!rc && rest.n == 0 && (end == ',' || end == '|')) rc = read_item(&p, rest);
    }
    mem_free(r->m, squeezed, bytes);
    if (rc) result_selection_done(out);
    return rc;
}

bool result_names_in(char *squeezed, bool (*take)(void *user, const char *name), void *user)
{
    part rest = {squeezed, strlen(squeezed)};
    bool names = rest.n && !strpbrk(squeezed, "*?'");
    while (names && rest.n > 0) {
        char end;
        part p = next_part(&rest, ",;|:", &end);
        char *after = squeezed + (p.s - squeezed) + p.n, kept = *after;
        *after = 0;
        names = p.n && take(user, p.s);
        *after = kept;
    }
    return names;
}

void result_selection_done(result_selection *s)
{
    if (s->m) mem_free(s->m, s->curves, (size_t)s->cap_curves * sizeof *s->curves);
    *s = (result_selection){0};
}

int result_selected(const result *r, const result_selection *select, bool constants, int *list)
{
    int n = 0;
    if (!select) {
        for (int c = 1; c < r->n_columns; c++)
            if (constants || !r->columns[c].constant) list[n++] = c;
        return n;
    }
    int *seen = list + r->n_columns;
    memset(seen, 0, (size_t)r->n_columns * sizeof *seen);
    seen[0] = 1;
    for (int i = 0; i < 2 * select->n_curves; i++) {
        int c = i % 2 ? select->curves[i / 2].y : select->curves[i / 2].x;
        if (!seen[c]) list[n++] = c;
        seen[c] = 1;
    }
    return n;
}
