/* Records of variables, and their names.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_vars.h"

#include <string.h>

/* ---- records --------------------------------------------------------------------------------- */

static bool vars_alike(const flat_var *x, const flat_var *y)
{
    return x->type == y->type && x->variability == y->variability && x->causality == y->causality &&
           !((x->flags ^ y->flags) & ~FLAT_IN_COMMON) && x->binding == y->binding &&
           x->attr == y->attr && x->decl == y->decl;
}

static int record_new(flat_vars *x, arena *a, flat_var v)
{
    v.flags &= (uint8_t)~FLAT_IN_COMMON;
    array_push(a, &x->records, v);
    return x->records.n - 1;
}

static void record_share(flat_vars *x, int v, int record)
{
    x->of.at[v] = record;
    x->records.at[record].flags |= FLAT_IN_COMMON;
}

void flat_vars_put(flat_vars *x, arena *a, int v, flat_var is)
{
    flat_var *now = &x->records.at[x->of.at[v]];
    if (vars_alike(now, &is)) return;
    if (v && vars_alike(flat_vars_at(x, v - 1), &is)) {
        record_share(x, v, x->of.at[v - 1]);
    } else if (now->flags & FLAT_IN_COMMON) {
        x->of.at[v] = record_new(x, a, is);
    } else {
        is.flags &= (uint8_t)~FLAT_IN_COMMON;
        *now = is;
    }
}

void flat_vars_put_all(flat_vars *x, int v, flat_var is)
{
    flat_var *now = &x->records.at[x->of.at[v]];
    is.flags = (uint8_t)((is.flags & ~FLAT_IN_COMMON) | (now->flags & FLAT_IN_COMMON));
    *now = is;
}

/* ---- adding ---------------------------------------------------------------------------------- */

void flat_vars_reserve(flat_vars *x, arena *a, int n, int n_listed)
{
    array_reserve(a, &x->of, n);
    array_reserve(a, &x->list, n_listed);
}

static void push_record(flat_vars *x, arena *a, int record)
{
    array_push(a, &x->of, record);
    x->n = x->of.n;
}

static void push_name(flat_vars *x, arena *a, const char *name)
{
    if (!x->names.n || array_last(&x->names).n_pieces)
        array_push(a, &x->names, ((flat_names){.first = x->n, .from = x->list.n}));
    array_push(a, &x->list, name);
}

static int push_path(flat_vars *x, arena *a, int record, flat_names path, int n)
{
    int first = path.first = x->n;
    array_push(a, &x->names, path);
    for (int i = 0; i < n; i++) push_record(x, a, record);
    record_share(x, first, record);
    return first;
}

int flat_vars_add(flat_vars *x, arena *a, flat_var v, const char *name)
{
    if (name[0] == '$') v.flags |= FLAT_HIDDEN;
    push_name(x, a, name);
    push_record(x, a, record_new(x, a, v));
    return x->n - 1;
}

void flat_vars_add_like(flat_vars *x, arena *a, int like, const char *name)
{
    push_name(x, a, name);
    push_record(x, a, x->of.at[like]);
    record_share(x, x->n - 1, x->of.at[like]);
}

int flat_vars_add_path(flat_vars *x, arena *a, flat_var v, flat_names path, int n)
{
    return push_path(x, a, record_new(x, a, v), path, n);
}

void flat_vars_add_path_like(flat_vars *x, arena *a, int like, flat_names path, int n)
{
    push_path(x, a, x->of.at[like], path, n);
}

void flat_vars_forget(flat_vars *x, int n)
{
    while (x->names.n && array_last(&x->names).first >= n) {
        const flat_names *last = &array_last(&x->names);
        if (!last->n_pieces) x->list.n = last->from;
        x->names.n--;
    }
    const flat_names *last = x->names.n ? &array_last(&x->names) : NULL;
    if (last && !last->n_pieces) x->list.n = last->from + (n - last->first);
    x->n = x->of.n = n;
}

#define VARS_COPY(a, list)                                                                         \
    do {                                                                                           \
        __typeof__(list) copied = {0};                                                             \
        array_reserve((a), &copied, (list).n);                                                     \
        if ((list).n) memcpy(copied.at, (list).at, (size_t)(list).n * sizeof *(list).at);          \
        copied.n = (list).n;                                                                       \
        (list) = copied;                                                                           \
    } while (0)

void flat_vars_copy(flat_vars *x, arena *a)
{
    VARS_COPY(a, x->of);
    VARS_COPY(a, x->records);
    VARS_COPY(a, x->names);
    VARS_COPY(a, x->list);
}

/* ---- some of another model ------------------------------------------------------------------- */

static const flat_piece *pieces_copied(const flat_names *of, arena *a)
{
    flat_piece *now = arena_array(a, flat_piece, of->n_pieces);
    for (int k = 0; k < of->n_pieces; k++) {
        const flat_piece *p = &of->pieces[k];
        int *dims = arena_array(a, int, p->n_dims + 1);
        for (int d = 0; d < p->n_dims; d++) dims[d] = p->dims[d];
        now[k] = *p;
        now[k].dims = dims;
    }
    return now;
}

/* Variables from `first` to `end` of one path or list: each stretch that is marked. */
static void names_pick(flat_vars *x, arena *a, const flat_vars *of, const flat_names *names,
                       int end, const uint8_t *marks)
{
    flat_names path = {.n_pieces = names->n_pieces};
    for (int v = names->first; v < end; v++) {
        if (!marks[v]) continue;
        int e = names->from + (v - names->first);
        if (!names->n_pieces) {
            push_name(x, a, of->list.at[e]);
        } else if (v == names->first || !marks[v - 1]) {
            if (!path.pieces) path.pieces = pieces_copied(names, a);
            path.first = x->n;
            path.from = e;
            array_push(a, &x->names, path);
        }
        x->n++;
    }
}

void flat_vars_pick(flat_vars *x, arena *a, const flat_vars *of, const uint8_t *marks,
                    arena *scratch)
{
    int *now = arena_array(scratch, int, of->records.n); // by record: its number here, + 1
    for (int k = 0; k < of->names.n; k++) {
        int end = k + 1 < of->names.n ? of->names.at[k + 1].first : of->n;
        names_pick(x, a, of, &of->names.at[k], end, marks);
    }
    array_reserve(a, &x->of, x->n);
    for (int v = 0; v < of->n; v++) {
        if (!marks[v]) continue;
        int *record = &now[of->of.at[v]];
        if (!*record) {
            array_push(a, &x->records, of->records.at[of->of.at[v]]);
            *record = x->records.n;
        }
        array_push(a, &x->of, *record - 1);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Those among which variable v is. */
static const flat_names *names_of(const flat_vars *x, int v)
{
    int low = 0, high = x->names.n - 1;
    while (low < high) {
        int mid = low + (high - low + 1) / 2;
        if (x->names.at[mid].first <= v) low = mid;
        else high = mid - 1;
    }
    return &x->names.at[low];
}

enum { INDEX_DIGITS = 11 }; // of an int, with what divides it from the next

bool flat_path_fits(const flat_piece *pieces, int n_pieces)
{
    size_t most = 0;
    for (int k = 0; k < n_pieces; k++)
        most += strlen(pieces[k].name) + 2 + INDEX_DIGITS * (size_t)pieces[k].n_dims;
    return most < sizeof(expr_label);
}

/* Written from its end, as pieces come. */
static char *path_write(const flat_names *path, int e, char *end)
{
    char *at = end;
    for (int k = 0; k < path->n_pieces; k++) {
        const flat_piece *p = &path->pieces[k];
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

const char *flat_vars_name(const flat_vars *x, int v, expr_label *label)
{
    const flat_names *of = names_of(x, v);
    if (!of->n_pieces) return x->list.at[of->from + (v - of->first)];
    char *end = label->text + sizeof label->text - 1;
    *end = '\0';
    return path_write(of, of->from + (v - of->first), end);
}

bool flat_vars_keep_name(const flat_vars *x, int v)
{
    return !names_of(x, v)->n_pieces;
}

void flat_vars_rename(flat_vars *x, int v, const char *name)
{
    const flat_names *of = names_of(x, v);
    x->list.at[of->from + (v - of->first)] = name;
    flat_var *record = &x->records.at[x->of.at[v]];
    if (name[0] != '$') record->flags &= (uint8_t)~FLAT_HIDDEN;
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

static bool read_piece(const flat_piece *p, const char **at, const char *end, int *pos)
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

int flat_path_element(const flat_piece *pieces, int n_pieces, const char *name, size_t n)
{
    const char *at = name, *end = name + n;
    int64_t e = 0;
    for (int k = n_pieces; k--;) {
        const flat_piece *p = &pieces[k];
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
static int names_count(const flat_vars *x, const flat_names *of)
{
    const flat_names *end = x->names.at + x->names.n;
    return (of + 1 < end ? of[1].first : x->n) - of->first;
}

static int find_on_path(const flat_vars *x, const flat_names *of, const char *name, size_t n)
{
    int e = flat_path_element(of->pieces, of->n_pieces, name, n);
    return e >= of->from && e - of->from < names_count(x, of) ? of->first + (e - of->from) : -1;
}

static int find_in_list(const flat_vars *x, const flat_names *of, const char *name, size_t n)
{
    const char *const *list = x->list.at + of->from;
    for (int k = 0, count = names_count(x, of); k < count; k++)
        if (!strncmp(list[k], name, n) && !list[k][n]) return of->first + k;
    return -1;
}

int flat_vars_find(const flat_vars *x, const char *name, size_t n)
{
    int found = -1;
    for (int i = 0; i < x->names.n && found < 0; i++) {
        const flat_names *of = &x->names.at[i];
        found = of->n_pieces ? find_on_path(x, of, name, n) : find_in_list(x, of, name, n);
    }
    return found;
}

int flat_vars_find_element(const flat_vars *x, const char *name, size_t n)
{
    int found = -1;
    for (int i = 0; i < x->names.n && found < 0; i++)
        if (x->names.at[i].n_pieces) found = find_on_path(x, &x->names.at[i], name, n);
    return found;
}
