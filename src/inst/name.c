/* Names of components and variables in the flat model.
 *
 * A variable is called by its path with subscripts, r[3].p.v or q[2], and printed as a quoted
 * identifier, 'r[3].p.v', where that is not an identifier by itself. So that flat Modelica flattens
 * to itself, a quoted identifier at the top loses its quotes again: 'r[3].p.v' is r[3].p.v. Quoted
 * names deeper down keep theirs, and so do those that would be a plain identifier without.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

typedef struct writer {
    arena *a;
    ARRAY(char) out;
} writer;

static void name_put(writer *w, const char *s, size_t n)
{
    array_reserve(w->a, &w->out, w->out.n + (int)n + 1);
    memcpy(w->out.at + w->out.n, s, n);
    w->out.n += (int)n;
}

static void put_int(writer *w, int i)
{
    char digits[16];
    int n = 0;
    do digits[n++] = (char)('0' + i % 10);
    while (i /= 10);
    array_reserve(w->a, &w->out, w->out.n + n + 1);
    while (n) w->out.at[w->out.n++] = digits[--n];
}

/* 'a.b' to a.b, unless that would be an identifier. */
static void put_top(writer *w, const char *name)
{
    size_t n = strlen(name);
    if (n < 3 || name[0] != '\'' || flat_is_identifier(name + 1, n - 2)) {
        name_put(w, name, n);
        return;
    }
    for (size_t i = 1; i + 1 < n; i++) {
        if (name[i] == '\\' && i + 2 < n) i++;
        name_put(w, name + i, 1);
    }
}

static void put_index(writer *w, const inst_node *n, int pos)
{
    int index[VALUE_MAX_DIMS];
    for (int k = n->n_dims; k--;) {
        index[k] = pos % n->dims[k] + 1;
        pos /= n->dims[k];
    }
    name_put(w, "[", 1);
    for (int k = 0; k < n->n_dims; k++) {
        if (k) name_put(w, ",", 1);
        put_int(w, index[k]);
    }
    name_put(w, "]", 1);
}

/* A path is written from its end, as it is met from the leaf on. NULL: it is longer than this, or at the top. */
static char *path_before(const inst_node *n, int e, char *begin, char *end)
{
    enum { INDEX_BYTES = 12 };
    char *at = end;
    if (n && n->parent && !n->parent->parent && !n->is_element && (!n->n_dims || n->family))
        return NULL;
    for (; n && n->kind != NODE_PACKAGE && n->parent; n = n->parent) {
        bool shared = n->family && n->family->node == n && !n->is_element;
        const inst_node *of = shared ? n->family->members[e % n->size] : n; // whose name it is
        int pos = 0;
        if (n->is_element) {
            pos = n->index;
            of = n = n->parent;
        } else if (n->size > 1) {
            pos = e % n->size;
            e /= n->size;
        }
        size_t length = strlen(of->name);
        if ((size_t)(at - begin) < length + INDEX_BYTES * ((size_t)of->n_dims + 1)) return NULL;
        if (at < end) *--at = '.';
        bool indexed = of->n_dims && of->size > 0;
        if (indexed) *--at = ']';
        for (int k = of->n_dims; indexed && k--; *--at = k ? ',' : '[') {
            int index = pos % of->dims[k] + 1;
            pos /= of->dims[k];
            do *--at = (char)('0' + index % 10);
            while (index /= 10);
        }
        at -= length;
        memcpy(at, of->name, length);
    }
    return at;
}

/* The pieces of a path, the innermost first: how many; 0: they are too many. `inner`: elements that are counted
 * before a piece. */
static int path_pieces(const inst_node *n, int e, int count, name_piece *out, int most)
{
    int n_pieces = 0;
    int64_t inner = 1;
    for (; n && n->kind != NODE_PACKAGE && n->parent; n = n->parent) {
        bool shared = n->family && n->family->node == n && !n->is_element;
        int size = n->is_element || n->size < 1 ? 1 : n->size, index = -1;
        const inst_node *of = n;
        if (n_pieces == most) return 0;
        if (n->is_element) {
            index = n->index;
            of = n = n->parent;
        } else if (shared) { // all must be of one member
            int64_t of_member = e / inner % size, last = (e + count - 1) / inner % size;
            if (of_member != last || count > inner) return 0;
            index = (int)of_member;
            of = n->family->members[index];
        }
        bool indexed = of->n_dims && of->size > 0;
        out[n_pieces++] = (name_piece){of->name, of->dims, indexed ? of->n_dims : 0, size, index};
        inner *= size;
    }
    return n_pieces;
}

int inst_path_pieces(flat_builder *b, const inst_node *n, int e, int end, const name_piece **out)
{
    enum { PIECES = 16 };
    name_piece pieces[PIECES];
    bool top = n->parent && !n->parent->parent && !n->is_element && (!n->n_dims || n->family);
    int n_pieces = top ? 0 : path_pieces(n, e, end - e, pieces, PIECES);
    if (!n_pieces || !names_path_fits(pieces, n_pieces)) return 0;
    name_piece *kept = arena_array(b->model, name_piece, n_pieces);
    for (int k = 0; k < n_pieces; k++) {
        int *dims = arena_array(b->model, int, pieces[k].n_dims + 1);
        for (int d = 0; d < pieces[k].n_dims; d++) dims[d] = pieces[k].dims[d];
        kept[k] = pieces[k];
        kept[k].dims = dims;
    }
    *out = kept;
    return n_pieces;
}

sym inst_path_sym(flat_builder *b, const inst_node *n, int e)
{
    char buffer[256], *end = buffer + sizeof buffer, *from = path_before(n, e, buffer, end);
    if (from) return sym_of_n(b->lib->syms, from, (size_t)(end - from));
    const inst_node *chain[FLAT_MAX_DEPTH];
    int pos[FLAT_MAX_DEPTH], k = 0;
    arena_mark mark = arena_here(b->scratch);
    writer w = {.a = b->scratch};
    array_reserve(b->scratch, &w.out, 64);
    for (; n && n->kind != NODE_PACKAGE && n->parent && k < FLAT_MAX_DEPTH; n = n->parent) {
        if (n->is_element) {
            chain[k] = n->parent;
            pos[k++] = n->index;
            n = n->parent;
            continue;
        }
        bool shared = n->family && n->family->node == n;
        chain[k] = shared ? n->family->members[e % n->size] : n;
        pos[k++] = n->size > 1 ? e % n->size : 0;
        if (n->size > 1) e /= n->size;
    }
    bool top = k == 1 && chain[0]->kind == NODE_PRIMITIVE && !chain[0]->n_dims;
    for (bool first = true; k--; first = false) {
        if (!first) name_put(&w, ".", 1);
        if (top) put_top(&w, chain[k]->name);
        else name_put(&w, chain[k]->name, strlen(chain[k]->name));
        if (chain[k]->n_dims && chain[k]->size > 0) put_index(&w, chain[k], pos[k]);
    }
    sym s = sym_of_n(b->lib->syms, w.out.at, (size_t)w.out.n);
    arena_release(b->scratch, mark);
    return s;
}

/* The table of names is larger than what a processor keeps: its parts are fetched for all of them first. */
int inst_path_syms(flat_builder *b, const inst_node *n, int e, int end, sym *paths, bool *fresh)
{
    enum { PATH_BYTES = 128 };
    char buffer[INST_PATHS][PATH_BYTES], *from[INST_PATHS];
    uint64_t hash[INST_PATHS];
    sym_table *syms = b->lib->syms;
    int count = end - e < INST_PATHS ? end - e : INST_PATHS;
    for (int k = 0; k < count; k++) {
        from[k] = path_before(n, e + k, buffer[k], buffer[k] + PATH_BYTES);
        if (from[k])
            hash[k] = sym_prepare(syms, from[k], (size_t)(buffer[k] + PATH_BYTES - from[k]));
    }
    for (int k = 0; k < count; k++) {
        uint32_t before = syms->n;
        size_t length = from[k] ? (size_t)(buffer[k] + PATH_BYTES - from[k]) : 0;
        paths[k] =
            from[k] ? sym_of_prepared(syms, from[k], length, hash[k]) : inst_path_sym(b, n, e + k);
        fresh[k] = syms->n != before;
    }
    return count;
}

sym inst_plain_name(flat_builder *b, const char *path)
{
    arena_mark mark = arena_here(b->scratch);
    writer w = {.a = b->scratch};
    size_t n = strlen(path), i = 1;
    while (i + 1 < n && path[i] != '\'') i += path[i] == '\\' ? 2 : 1;
    if (n > 2 && path[0] == '\'' && i + 1 == n) put_top(&w, path);
    else name_put(&w, path, n);
    sym s = sym_of_n(b->lib->syms, w.out.at, (size_t)w.out.n);
    arena_release(b->scratch, mark);
    return s;
}

const char *inst_ref_text(flat_builder *b, const ast_ref *r, int n)
{
    writer w = {.a = b->front};
    for (int i = 0; i < n; i++) {
        if (i) name_put(&w, ".", 1);
        name_put(&w, r->at[i].name, strlen(r->at[i].name));
    }
    name_put(&w, "", 1);
    return w.out.at;
}

sym inst_instance_name(const scope *s)
{
    s->b->particular = true;
    if (!s->self || s->self->kind == NODE_PACKAGE) return s->b->inst->s_empty;
    return inst_path_sym(s->b, s->self, s->element);
}
