/* Names that are written, and names of families.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/names.h"

#include <stdint.h>
#include <string.h>

/* ---- adding ---------------------------------------------------------------------------------- */

void names_add(name_table *x, arena *a, const char *name)
{
    if (!x->families.n || array_last(&x->families).n_pieces)
        array_push(a, &x->families, ((name_family){.first = x->n, .from = x->list.n}));
    array_push(a, &x->list, name);
    x->n++;
}

void names_add_family(name_table *x, arena *a, name_family path, int n)
{
    path.first = x->n;
    array_push(a, &x->families, path);
    x->n += n;
}

void names_forget(name_table *x, int n)
{
    while (x->families.n && array_last(&x->families).first >= n) {
        const name_family *last = &array_last(&x->families);
        if (!last->n_pieces) x->list.n = last->from;
        x->families.n--;
    }
    const name_family *last = x->families.n ? &array_last(&x->families) : NULL;
    if (last && !last->n_pieces) x->list.n = last->from + (n - last->first);
    x->n = n;
}

void names_copy(name_table *x, arena *a)
{
    array_copy(a, &x->families);
    array_copy(a, &x->list);
}

static const name_piece *pieces_copied(const name_family *of, arena *a)
{
    name_piece *now = arena_array(a, name_piece, of->n_pieces);
    for (int k = 0; k < of->n_pieces; k++) {
        const name_piece *p = &of->pieces[k];
        int *dims = arena_array(a, int, p->n_dims + 1);
        for (int d = 0; d < p->n_dims; d++) dims[d] = p->dims[d];
        now[k] = *p;
        now[k].dims = dims;
    }
    return now;
}

/* Names from `first` to `end` of one path or list: each stretch that is marked. */
static void family_pick(name_table *x, arena *a, const name_table *of, const name_family *names,
                        int end, const uint8_t *marks)
{
    name_family path = {.n_pieces = names->n_pieces};
    for (int v = names->first; v < end; v++) {
        if (!marks[v]) continue;
        int e = names->from + (v - names->first);
        if (!names->n_pieces) {
            names_add(x, a, of->list.at[e]);
        } else if (v == names->first || !marks[v - 1]) {
            if (!path.pieces) path.pieces = pieces_copied(names, a);
            path.from = e;
            names_add_family(x, a, path, 1);
        } else {
            x->n++;
        }
    }
}

void names_pick(name_table *x, arena *a, const name_table *of, const uint8_t *marks)
{
    for (int k = 0; k < of->families.n; k++) {
        int end = k + 1 < of->families.n ? of->families.at[k + 1].first : of->n;
        family_pick(x, a, of, &of->families.at[k], end, marks);
    }
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* Those among which variable v is. */
static const name_family *family_of(const name_table *x, int v)
{
    int low = 0, high = x->families.n - 1;
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->families.at[mid].first <= v) low = mid;
        else high = mid - 1;
    }
    return &x->families.at[low];
}

enum { INDEX_DIGITS = 11 }; // of an int, with what divides it from the next

bool names_path_fits(const name_piece *pieces, int n_pieces)
{
    size_t most = 0;
    for (int k = 0; k < n_pieces; k++)
        most += strlen(pieces[k].name) + 2 + INDEX_DIGITS * (size_t)pieces[k].n_dims;
    return most < sizeof(name_label);
}

/* Written from its end, as pieces come. */
static char *path_write(const name_family *path, int e, char *end)
{
    char *at = end;
    for (int k = 0; k < path->n_pieces; k++) {
        const name_piece *p = &path->pieces[k];
        int pos = p->index >= 0 ? p->index : p->size > 1 ? e % p->size : 0;
        if (p->size > 1) e /= p->size;
        if (k) *--at = '.';
        if (p->n_dims) *--at = ']';
        for (int d = p->n_dims; d--; *--at = d ? ',' : '[') {
            int index = pos % p->dims[d] + 1;
            pos /= p->dims[d];
            do *--at = (char)('0' + index % 10);
            while (index /= 10);
        }
        size_t length = strlen(p->name);
        at -= length;
        memcpy(at, p->name, length);
    }
    return at;
}

const char *names_at(const name_table *x, int v, name_label *label)
{
    const name_family *of = family_of(x, v);
    if (!of->n_pieces) return x->list.at[of->from + (v - of->first)];
    char *end = label->text + sizeof label->text - 1;
    *end = '\0';
    return path_write(of, of->from + (v - of->first), end);
}

void names_write(const name_table *x, int i, int times, text *out)
{
    for (int k = 0; k < times; k++) text_add(out, "der(");
    text_add(out, NAME_AT(x, i));
    text_pad(out, ')', times);
}

const char *names_in(const name_table *x, int i, int times, arena *a)
{
    static const char der[] = "der(";
    const size_t each = sizeof der - 1, outer = (size_t)times;
    const char *of = NAME_AT(x, i);
    if (!times && names_keep(x, i)) return of;
    size_t n = strlen(of);
    char *name = arena_alloc(a, n + outer * (each + 1) + 1), *at = name;
    for (int k = 0; k < times; k++, at += each) memcpy(at, der, each);
    memcpy(at, of, n);
    memset(at + n, ')', outer);
    at[n + outer] = '\0';
    return name;
}

bool names_keep(const name_table *x, int v)
{
    return !family_of(x, v)->n_pieces;
}

void names_put(name_table *x, int i, const char *name)
{
    const name_family *of = family_of(x, i);
    x->list.at[of->from + (i - of->first)] = name;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* A subscript as it is written: its value, 0: it is none up to `most`. */
static int read_index(const char **at, const char *end, int most)
{
    long value = 0;
    if (*at < end && **at == '0') return 0;
    for (; *at < end && **at >= '0' && **at <= '9' && value <= most; ++*at)
        value = 10 * value + (**at - '0');
    return value <= most ? (int)value : 0;
}

static bool read_piece(const name_piece *p, const char **at, const char *end, int *pos)
{
    size_t length = strlen(p->name);
    *pos = 0;
    if ((size_t)(end - *at) < length || memcmp(*at, p->name, length) != 0) return false;
    *at += length;
    for (int d = 0; d < p->n_dims; d++) {
        if (*at == end || *(*at)++ != (d ? ',' : '[')) return false;
        int index = read_index(at, end, p->dims[d]);
        if (!index) return false;
        *pos = *pos * p->dims[d] + index - 1;
    }
    return !p->n_dims || (*at < end && *(*at)++ == ']');
}

int names_path_element(const name_piece *pieces, int n_pieces, const char *name, size_t n)
{
    const char *at = name, *end = name + n;
    int64_t e = 0;
    for (int k = n_pieces; k--;) {
        const name_piece *p = &pieces[k];
        int pos;
        if (!read_piece(p, &at, end, &pos)) return -1;
        if (p->index >= 0 && p->n_dims && pos != p->index) return -1;
        if (p->index >= 0) pos = p->index;
        if (p->size > 1) e = e * p->size + pos;
        if (k && (at == end || *at++ != '.')) return -1;
    }
    return at == end && e <= INT32_MAX ? (int)e : -1;
}

/* How many variables these are the names of. */
static int family_count(const name_table *x, const name_family *of)
{
    const name_family *end = x->families.at + x->families.n;
    return (of + 1 < end ? of[1].first : x->n) - of->first;
}

static int find_on_path(const name_table *x, const name_family *of, const char *name, size_t n)
{
    int e = names_path_element(of->pieces, of->n_pieces, name, n);
    return e >= of->from && e - of->from < family_count(x, of) ? of->first + (e - of->from) : -1;
}

static int find_in_list(const name_table *x, const name_family *of, const char *name, size_t n)
{
    const char *const *list = x->list.at + of->from;
    for (int k = 0, count = family_count(x, of); k < count; k++)
        if (!strncmp(list[k], name, n) && !list[k][n]) return of->first + k;
    return -1;
}

int names_find(const name_table *x, const char *name, size_t n)
{
    int found = -1;
    for (int i = 0; i < x->families.n && found < 0; i++) {
        const name_family *of = &x->families.at[i];
        found = of->n_pieces ? find_on_path(x, of, name, n) : find_in_list(x, of, name, n);
    }
    return found;
}

int names_find_element(const name_table *x, const char *name, size_t n)
{
    int found = -1;
    for (int i = 0; i < x->families.n && found < 0; i++)
        if (x->families.at[i].n_pieces) found = find_on_path(x, &x->families.at[i], name, n);
    return found;
}
