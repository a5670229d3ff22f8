/* SPDX-License-Identifier: BSD-3-Clause */
#include "image/image_file.h"
#include "image/image_model.h"
#include "image/image_parts.h"
#include "tape/check.h"

#include "base/array.h"
#include "base/map.h"
#include "base/sha256.h"
#include "vincolo_problem.h"

#include <string.h>

enum {
    VERSION = 1,
    BYTE_ORDER_MARK = 0x01020304,
    NESTED_MAX = 16, // models in models
    COUNT_MAX = 1 << 28
};
static const char MAGIC[8] = {'v', 'i', 'n', 'c', 'o', 'l', 'o', '\x1a'};

/* ---- the header ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3); // FNV-1a
    return h;
}

static uint64_t mix_record(uint64_t h, const image_record *of, int depth)
{
    h = mix(h, of->name, strlen(of->name) + 1);
    h = mix(h, &of->size, sizeof of->size);
    int n_members;
    const image_member *all = of->members(&n_members);
    for (int k = 0; k < n_members; k++) {
        const image_member *q = &all[k];
        h = mix(h, q->name, strlen(q->name) + 1);
        h = mix(h, &q->kind, sizeof q->kind);
        h = mix(h, &q->scalar, sizeof q->scalar);
        h = mix(h, &q->size, sizeof q->size);
        if (q->of && q->of != image_record_of.model && depth) h = mix_record(h, q->of, depth - 1);
    }
    return h;
}

image_header image_header_of(void)
{
    enum { DEEPEST = 12 };
    image_header h = {.version = VERSION, .byte_order = BYTE_ORDER_MARK};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.lists = mix_record(UINT64_C(0xcbf29ce484222325), image_record_of.model, DEEPEST);
    return h;
}

void image_digest(const void *bytes, size_t n, uint8_t digest[IMAGE_DIGEST])
{
    sha256 s;
    sha256_init(&s);
    sha256_add(&s, bytes, n);
    sha256_digest(&s, digest);
}

bool image_is_one(const void *bytes, size_t n)
{
    return n >= sizeof MAGIC && !memcmp(bytes, MAGIC, sizeof MAGIC);
}

static const char *header_fault(const image_header *h, const void *bytes, size_t n)
{
    image_header here = image_header_of();
    uint8_t digest[IMAGE_DIGEST];
    if (!image_is_one(h, sizeof *h)) return "it is no compiled model";
    if (h->byte_order != here.byte_order)
        return "it was built on a machine of another byte order; build it again here";
    if (h->version != here.version || h->lists != here.lists)
        return "it was built by another version of Vincolo; build it again with this one";
    image_digest(bytes, n, digest);
    if (memcmp(digest, h->digest, sizeof digest) != 0)
        return "it is cut off or was altered: its digest is not that of its contents";
    return NULL;
}

/* ---- members --------------------------------------------------------------------------------- */

typedef struct loaded_block {
    image_block is;
    void *at;
} loaded_block;

/* A pointer to a routine, which is known by its row until routines are bound. */
typedef struct loaded_call {
    const struct tape_function **at;
    int64_t row;
} loaded_call;

typedef struct loader {
    const char *at, *end;
    struct code_model *m; // in which the present struct lies
    ARRAY(loaded_block) blocks;
    ARRAY(loaded_call) calls;
    arena *a, *scratch;
    int nested;
    bool failed;
} loader;

static bool take(loader *l, void *to, size_t bytes)
{
    if (l->failed || bytes > (size_t)(l->end - l->at)) return !(l->failed = true);
    if (bytes) memcpy(to, l->at, bytes);
    l->at += bytes;
    return true;
}

static int64_t take_number(loader *l)
{
    int64_t x = 0;
    take(l, &x, sizeof x);
    return x;
}

static void load_struct(loader *l, const image_record *of, void *at, const void *up);

static void *known_block(loader *l, image_block is)
{
    int64_t k = take_number(l);
    bool there = is.shared && k >= 0 && k < l->blocks.n && image_same_block(l->blocks.at[k].is, is);
    if (!there) l->failed = true;
    return there ? l->blocks.at[k].at : NULL;
}

/* Room for what a pointer points to, which follows if *here. Every element takes at least one byte. */
static void *take_pointer(loader *l, image_block is, bool *here)
{
    uint8_t what = IMAGE_NULL;
    *here = false;
    take(l, &what, 1);
    if (l->failed || what == IMAGE_NULL) return NULL;
    if (what == IMAGE_KNOWN) return known_block(l, is);
    bool empty = what == IMAGE_EMPTY;
    size_t left = (size_t)(l->end - l->at), least = is.of || is.texts ? 1 : is.size;
    if (what > IMAGE_KNOWN || empty != (is.length <= 0) ||
        (!empty && (size_t)is.length > left / least)) {
        l->failed = true;
        return NULL;
    }
    void *at = arena_alloc_array(l->a, empty ? 1 : (size_t)is.length, is.size);
    if (empty) return at;
    if (is.shared) array_push(l->scratch, &l->blocks, ((loaded_block){is, at}));
    *here = true;
    return at;
}

static const char *take_text(loader *l)
{
    int64_t n = take_number(l);
    if (l->failed || n == -1) return NULL;
    if (n < 0 || n > l->end - l->at || memchr(l->at, 0, (size_t)n)) {
        l->failed = true;
        return NULL;
    }
    const char *words = arena_strndup(l->a, l->at, (size_t)n);
    l->at += n;
    return words;
}

static void *load_shared(loader *l, const image_record *of, const void *up)
{
    bool here, model = of == image_record_of.model;
    struct code_model *outer = l->m;
    image_block is = {.length = 1, .of = of, .size = of->size, .shared = true};
    void *at = take_pointer(l, is, &here);
    if (!here) return at;
    if (model && ++l->nested > NESTED_MAX) l->failed = true;
    if (model) l->m = at;
    if (!l->failed) load_struct(l, of, at, up);
    l->m = outer;
    return at;
}

static void *load_array(loader *l, const image_member *q, int64_t length, const void *up)
{
    bool here;
    void *all = take_pointer(l, image_block_of(q, length), &here);
    char *at = all;
    if (!here) return all;
    if (q->scalar != IMAGE_SCALAR_NONE || q->kind == IMAGE_KIND_PACKED) {
        take(l, all, (size_t)length * q->size);
        return all;
    }
    for (int64_t k = 0; k < length && !l->failed; k++, at += q->size) {
        if (q->kind == IMAGE_KIND_PARTS) load_struct(l, q->of, at, up);
        else if (q->kind == IMAGE_KIND_SHARES) *(void **)(void *)at = load_shared(l, q->of, up);
        else *(const char **)(void *)at = take_text(l);
    }
    return all;
}

static void load_struct(loader *l, const image_record *of, void *at, const void *up)
{
    image_limits limits[IMAGE_MEMBERS_MAX];
    int n_members;
    const image_member *all = of->members(&n_members);
    for (int k = 0; k < n_members && !l->failed; k++) {
        const image_member *q = &all[k];
        void *to = (char *)at + q->at;
        switch ((image_kind)q->kind) {
        case IMAGE_KIND_COUNT:
            take(l, to, q->size);
            if (*(int *)to < 0 || *(int *)to > COUNT_MAX) l->failed = true;
            break;
        case IMAGE_KIND_NUMBER:
        case IMAGE_KIND_INDEX:
            take(l, to, q->size);
            if (q->scalar == IMAGE_SCALAR_BOOL && *(uint8_t *)to > 1) {
                *(uint8_t *)to = 0; // lengths may depend on it
                l->failed = true;
            }
            break;
        case IMAGE_KIND_FEW:
            of->limits(at, up, l->m, limits);
            take(l, to, (size_t)limits[k].length * q->size);
            break;
        case IMAGE_KIND_PART: load_struct(l, q->of, to, at); break;
        case IMAGE_KIND_SHARED: *(void **)to = load_shared(l, q->of, at); break;
        case IMAGE_KIND_TEXT: *(const char **)to = take_text(l); break;
        case IMAGE_KIND_ROUTINE:
            array_push(l->scratch, &l->calls, ((loaded_call){to, take_number(l)}));
            break;
        case IMAGE_KIND_LOCAL: break;
        default:
            of->limits(at, up, l->m, limits); // lengths follow from what has been read
            *(void **)to = load_array(l, q, limits[k].length, at);
        }
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

typedef struct checker {
    const struct code_model *m;
    map seen;          // shared structs
    const char *where; // the member that is wrong; NULL: none is
} checker;

static int64_t whole_at(const void *p, int64_t i, uint8_t scalar)
{
    switch ((image_scalar)scalar) {
    case IMAGE_SCALAR_I8: return ((const int8_t *)p)[i];
    case IMAGE_SCALAR_U8:
    case IMAGE_SCALAR_BOOL: return ((const uint8_t *)p)[i];
    case IMAGE_SCALAR_I16: return ((const int16_t *)p)[i];
    case IMAGE_SCALAR_U16: return ((const uint16_t *)p)[i];
    case IMAGE_SCALAR_I32: return ((const int32_t *)p)[i];
    case IMAGE_SCALAR_U32: return ((const uint32_t *)p)[i];
    case IMAGE_SCALAR_I64: return ((const int64_t *)p)[i];
    default: return 0;
    }
}

static bool within(const void *p, const image_member *q, int64_t n, int64_t low, int64_t end)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t x = whole_at(p, i, q->scalar);
        if (x < low || x >= end) return false;
    }
    return true;
}

static bool check_struct(checker *c, const image_record *of, const void *at, const void *up);

static bool check_shared(checker *c, const image_record *of, const void *at, const void *up)
{
    const struct code_model *outer = c->m;
    if (!at) return true;
    uint64_t *seen = map_put(&c->seen, map_key(at));
    if ((*seen)++) return true;
    if (of == image_record_of.model) c->m = at;
    bool good = check_struct(c, of, at, up);
    c->m = outer;
    return good;
}

/* Rows of a column ascend, and columns follow each other. */
static bool pattern_stands(const vinc_pattern *p)
{
    if (!p->start) return p->nnz == 0 && p->n_cols == 0 && p->n_rows == 0;
    if (p->start[0] != 0 || p->start[p->n_cols] != p->nnz || (p->nnz && !p->row)) return false;
    for (int j = 0; j < p->n_cols; j++) {
        if (p->start[j] > p->start[j + 1] || p->start[j + 1] > p->nnz) return false;
        for (int k = p->start[j] + 1; k < p->start[j + 1]; k++)
            if (p->row[k] <= p->row[k - 1]) return false;
    }
    return true;
}

static bool is_array(const image_member *q)
{
    return q->kind == IMAGE_KIND_NUMBERS || q->kind == IMAGE_KIND_INDICES ||
           q->kind == IMAGE_KIND_PACKED || q->kind == IMAGE_KIND_PARTS ||
           q->kind == IMAGE_KIND_SHARES || q->kind == IMAGE_KIND_TEXTS;
}

static bool check_member(checker *c, const image_member *q, const void *from, const void *up,
                         const image_limits *limits)
{
    const void *p = image_pointer_of(q, from);
    const char *each = p;
    bool good = true;
    if (is_array(q) && !p && limits->length > 0 && !strstr(q->what, "NULL")) return false;
    switch ((image_kind)q->kind) {
    case IMAGE_KIND_NUMBER: return q->scalar != IMAGE_SCALAR_BOOL || within(from, q, 1, 0, 2);
    case IMAGE_KIND_INDEX: return within(from, q, 1, limits->low, limits->end);
    case IMAGE_KIND_NUMBERS:
        return !p || q->scalar != IMAGE_SCALAR_BOOL || within(p, q, limits->length, 0, 2);
    case IMAGE_KIND_INDICES: return !p || within(p, q, limits->length, limits->low, limits->end);
    case IMAGE_KIND_PART: return check_struct(c, q->of, from, up);
    case IMAGE_KIND_SHARED: return check_shared(c, q->of, p, up);
    case IMAGE_KIND_PARTS:
    case IMAGE_KIND_SHARES:
        for (int64_t k = 0; p && k < limits->length && good; k++, each += q->size)
            good = q->kind == IMAGE_KIND_PARTS
                       ? check_struct(c, q->of, each, up)
                       : check_shared(c, q->of, *(const void *const *)each, up);
        return good;
    default: return true;
    }
}

/* A function: its results fit the arrays that are made for them. */
static bool function_stands(const code_model *m, const code_fn *f)
{
    if (!f->program) return true;
    tape_extents most = {.of = {[TAPE_T] = 1,
                                [TAPE_P] = m->n_p,
                                [TAPE_Y] = m->n,
                                [TAPE_YP] = m->n,
                                [TAPE_W] = m->n_w,
                                [TAPE_OUT] = f->n_out,
                                [TAPE_OUT2] = f->n_out}};
    return tape_program_stands(f->program, &most);
}

/* Cells: tapes that stand alone. Their results are as many as their extents say. */
static bool cells_stand(const code_model *m, const code_cells *c)
{
    const tape_extents most = {.of = {[TAPE_T] = 1,
                                      [TAPE_P] = m->n_p,
                                      [TAPE_Y] = m->n,
                                      [TAPE_YP] = m->n,
                                      [TAPE_W] = m->n_w,
                                      [TAPE_OUT] = TAPE_INDEX_MAX}};
    const tape **const all[] = {c->program, c->quiet, c->asks, c->fires};
    if (!c->n) return !c->n_items;
    if (!c->program || !c->first || !c->user_start || (c->quiet && (!c->asks || !c->impure)))
        return false;
    for (int k = 0; k < c->n; k++)
        if (c->first[k] > c->first[k + 1]) return false;
    for (int k = 0; k < c->n_w; k++)
        if (c->user_start[k] > c->user_start[k + 1]) return false;
    if (c->first[0] != 0 || c->first[c->n] != c->n_items || c->user_start[0] != 0) return false;
    for (int i = 0; i < 4; i++)
        for (int k = 0; all[i] && k < c->n; k++) {
            if (!all[i][k] && i == 0) return false;
            if (all[i][k] && !tape_stands(all[i][k], &most, false)) return false;
        }
    return true;
}

static bool places_stand(const image_formulation *f, const code_model *m)
{
    for (int k = 0; f->places && k < f->n_entries; k++) {
        image_place p = f->places[k];
        bool component = p.where == IMAGE_IN_Y || p.where == IMAGE_IN_YP;
        if (component && (p.at < 0 || p.at >= m->n)) return false;
    }
    return true;
}

/* Columns of numbers that repeat (image/column.h). */
static bool column_stands(const image_column *x)
{
    if (x->n && (!x->n_runs || !x->runs || x->runs[0].first != 0)) return false;
    for (int k = 0; k < x->n_runs; k++) {
        const image_column_run *r = &x->runs[k];
        int end = k + 1 < x->n_runs ? r[1].first : x->n;
        if (r->period < 1 || r->at < 0 || r->first > end || (k && r->first <= r[-1].first))
            return false;
        int64_t used = end - r->first > r->period ? 2 * (int64_t)r->period : end - r->first;
        if (r->at + used > x->n_values) return false;
    }
    return true;
}

/* What lists cannot say. */
static bool stands_besides(const checker *c, const image_record *of, const void *at)
{
    if (of == image_record_of.pattern) return pattern_stands(at);
    if (of == image_record_of.function) return function_stands(c->m, at);
    if (of == image_record_of.cells) return cells_stand(c->m, at);
    if (of == image_record_of.formulation) return places_stand(at, c->m);
    if (of == image_record_of.column) return column_stands(at);
    return true;
}

static bool check_struct(checker *c, const image_record *of, const void *at, const void *up)
{
    image_limits limits[IMAGE_MEMBERS_MAX];
    of->limits(at, up, c->m, limits);
    int n_members;
    const image_member *all = of->members(&n_members);
    for (int k = 0; k < n_members; k++) {
        if (check_member(c, &all[k], (const char *)at + all[k].at, at, &limits[k])) continue;
        if (!c->where) c->where = all[k].name;
        return false;
    }
    if (stands_besides(c, of, at)) return true;
    c->where = of->name;
    return false;
}

/* Calls of routines by address, as this process has them. */
static bool bind_calls(const loader *l, code_model *m, text *why)
{
    char missing[EXTERNAL_WHY];
    const routine_rows *rows = &m->routines;
    checker c = {.m = m};
    map_init(&c.seen, l->scratch);
    if (!check_struct(&c, image_record_of.routines, rows, m)) {
        text_printf(why, "its contents do not fit together: '%s' is out of range", c.where);
        return false;
    }
    m->codes = arena_new(l->a, routine_codes);
    const routine_set *set = routine_bind(rows->all.at, rows->all.n, l->a, missing);
    if (!set) {
        text_add(why, missing);
        return false;
    }
    for (int k = 0; k < rows->all.n; k++) {
        const routine_program *p = rows->all.at[k].program;
        if (!p || routine_program_stands(p, set, NESTED_MAX)) continue;
        text_printf(why, "its contents do not fit together: the function '%s' is out of range",
                    p->name ? p->name : "");
        return false;
    }
    for (int k = 0; k < l->calls.n; k++) {
        int64_t row = l->calls.at[k].row;
        const tape_function *f = row < 0 || row >= rows->all.n ? NULL : routine_at(set, (int)row);
        *l->calls.at[k].at = f;
        if (f) routine_codes_add(m->codes, f, l->a, l->scratch);
    }
    m->initial->codes = m->codes;
    return true;
}

struct code_model *image_load(const void *bytes, size_t n, arena *a, arena *scratch, text *why)
{
    image_header h;
    if (n < sizeof h) {
        text_add(why, "it is no compiled model");
        return NULL;
    }
    memcpy(&h, bytes, sizeof h);
    const char *body = (const char *)bytes + sizeof h,
               *fault = header_fault(&h, body, n - sizeof h);
    if (fault) {
        text_add(why, fault);
        return NULL;
    }
    loader l = {.at = body, .end = body + (n - sizeof h), .a = a, .scratch = scratch};
    struct code_model *m = load_shared(&l, image_record_of.model, NULL);
    if (l.failed || !m || l.at != l.end) {
        text_add(why, "its contents do not fit together: a member is cut off");
        return NULL;
    }
    if (!m->initial || !m->initial->initial || !bind_calls(&l, m, why)) {
        if (!why->n)
            text_add(why, "its contents do not fit together: the model of start values is missing");
        return NULL;
    }
    checker c = {.m = m};
    map_init(&c.seen, scratch);
    if (!check_shared(&c, image_record_of.model, m, NULL)) {
        text_printf(why, "its contents do not fit together: '%s' is out of range", c.where);
        return NULL;
    }
    return m;
}
