/* Columns and rows.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/computed.h"

#include "base/map.h"
#include "base/text.h"
#include "base/watch.h"
#include "result/large_block.h"
#include "result/overflow.h"
#include "result/writer.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    /* About; a chunk holds at least one row. Small enough that malloc keeps it for the next run and
     * does not give its pages back to the system. */
    CHUNK_BYTES = 32 << 10,
    POOL_BYTES = 8 << 10,
    POOL_BYTES_MAX = 4 << 20 // large blocks go back to the system (base/pages.h)
};
static const size_t SINGLE_BYTES_MAX = (size_t)2 << 20, BLOCK_BYTES_MIN = (size_t)4 << 20,
                    BLOCK_BYTES_MAX = (size_t)32 << 20;
static const size_t HELD_BYTES_MAX = (size_t)1 << 30; // rows in memory; the others go to a file
static const size_t STREAM_BYTES = (size_t)16 << 20;  // ... where they are written as they are made

/* Strings live in blocks that never move, each as large as all before it. */
typedef struct result_pool {
    struct result_pool *next;
    size_t cap, used;
    size_t before; // bytes of older ones
    char at[];
} result_pool;

/* Chunks one after the other. */
typedef struct result_block {
    struct result_block *next;
    size_t bytes, used; // itself included
} result_block;

/* ---- memory ---------------------------------------------------------------------------------- */

/* Grow an array to hold one more element; the old one is intact on failure. */
static bool store_grow(mem *m, void **at, int *cap, int n, size_t size)
{
    if (n < *cap) return true;
    if (n >= INT_MAX / 4) return false;
    int more = *cap ? *cap * 2 : 8;
    if ((size_t)more > SIZE_MAX / size) return false;
    void *p = m->resize(m->user, *at, (size_t)*cap * size, (size_t)more * size);
    if (!p) return false;
    *at = p;
    *cap = more;
    return true;
}

static char *pool_room(result *r, size_t bytes)
{
    result_pool *p = r->pool;
    if (!p || p->cap - p->used < bytes) {
        size_t before = p ? p->before + p->cap : 0, cap = POOL_BYTES;
        while (cap < bytes || (cap < before && cap < POOL_BYTES_MAX)) cap *= 2;
        p = mem_try(r->m, sizeof *p + cap);
        if (!p) return NULL;
        *p = (result_pool){.next = r->pool, .cap = cap, .before = before};
        r->pool = p;
    }
    return p->at + p->used;
}

static char *pool_take(result *r, const char *s, size_t n)
{
    char *to = r->pool->at + r->pool->used;
    memcpy(to, s, n);
    to[n] = 0;
    r->pool->used += n + 1;
    return to;
}

/* There is room for it, and for what aligning it takes. */
static void *pool_aligned(result *r, size_t bytes, size_t align)
{
    result_pool *p = r->pool;
    p->used += (size_t)(-(uintptr_t)(p->at + p->used) % align);
    void *at = p->at + p->used;
    p->used += bytes;
    return at;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A hash table of the columns there were when it was made. Large results are written and drawn without
 * anybody asking for a name: it is made after a few questions. */
typedef struct result_names {
    int n, cap; // columns; a power of two
    int at[];   // -1 is free
} result_names;

enum { LOOKS_WITHOUT_TABLE = 4 }; // each costs about a tenth of making it

static size_t names_bytes(int cap)
{
    return sizeof(result_names) + (size_t)cap * sizeof(int);
}

static int *name_slot(const result *r, result_names *x, const char *name, size_t n)
{
    uint64_t mask = (uint64_t)x->cap - 1, i = hash_bytes(name, n) & mask;
    for (;; i = (i + 1) & mask) {
        int c = x->at[i];
        if (c < 0) return &x->at[i];
        const char *other = r->columns[c].name;
        if (strncmp(other, name, n) == 0 && other[n] == 0) return &x->at[i];
    }
}

static result_names *make_names(const result *r)
{
    int cap = 32;
    while (cap <= 2 * r->n_columns) cap *= 2;
    result_names *x = mem_try(r->m, names_bytes(cap));
    if (!x) return NULL;
    *x = (result_names){.n = r->n_columns, .cap = cap};
    for (int i = 0; i < cap; i++) x->at[i] = -1;
    for (int c = 0; c < r->n_columns; c++) {
        int *slot = name_slot(r, x, r->columns[c].name, strlen(r->columns[c].name));
        if (*slot < 0) *slot = c; // the first of equal names stays
    }
    return x;
}

static void free_names(const result *r, result_names *x)
{
    if (x) mem_free(r->m, x, names_bytes(x->cap));
}

/* NULL: not made yet, or no memory. Several threads may read one result. */
static result_names *names_of(result *r)
{
    result_names *x = atomic_load(&r->names), *made;
    if (x && x->n == r->n_columns) return x;
    if (atomic_fetch_add(&r->looks, 1) < LOOKS_WITHOUT_TABLE || !(made = make_names(r)))
        return NULL;
    if (atomic_compare_exchange_strong(&r->names, &x, made)) {
        free_names(r, x); // of fewer columns
        return made;
    }
    free_names(r, made); // somebody was faster
    return x;
}

/* The column, or -1. */
static int find_name(const result *r, const char *name, size_t n)
{
    result_names *x = names_of((result *)r);
    if (x) return *name_slot(r, x, name, n);
    for (int c = 0; c < r->n_columns; c++)
        if (strncmp(r->columns[c].name, name, n) == 0 && r->columns[c].name[n] == 0) return c;
    return -1;
}

int result_find(const result *r, const char *name)
{
    size_t n = strlen(name);
    char *squeezed = strpbrk(name, " \t") ? mem_try(r->m, n + 1) : NULL;
    int c = -1;
    if (squeezed) {
        memcpy(squeezed, name, n + 1);
        c = find_name(r, squeezed, text_squeeze_name(squeezed));
        mem_free(r->m, squeezed, n + 1);
    }
    if (c < 0) c = find_name(r, name, n);
    if (c >= 0) return c;
    return strcmp(name, "time") == 0 ? 0 : RESULT_E_UNKNOWN;
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool looks_same(const result_look *a, const result_look *b)
{
    return a->scale == b->scale && a->offset == b->offset && a->names == b->names &&
           a->n_names == b->n_names && !strcmp(a->unit, b->unit) &&
           !strcmp(a->comment, b->comment) && !strcmp(a->display, b->display);
}

static size_t look_hash(const result_look *x)
{
    uint64_t h = hash_bytes(x->unit, strlen(x->unit));
    h = 31 * h + hash_bytes(x->comment, strlen(x->comment));
    h = 31 * h + hash_bytes(x->display, strlen(x->display));
    h = 31 * h + (uint64_t)(uintptr_t)x->names / sizeof x->names;
    return (size_t)(h % RESULT_LOOKS_KEPT);
}

static const char *store_word(result *r, const char *word, size_t n)
{
    return n ? pool_take(r, word, n) : "";
}

/* One of those there are, or a copy of it; `names` is taken as it is. NULL: no memory. */
static const result_look *store_look(result *r, const result_look *like)
{
    const result_look *last = r->n_columns ? r->columns[r->n_columns - 1].look : NULL;
    if (last && looks_same(last, like)) return last;
    size_t at = look_hash(like), align = _Alignof(result_look);
    size_t unit = strlen(like->unit), comment = strlen(like->comment), n = strlen(like->display);
    if (!r->shared_looks)
        r->shared_looks = mem_try_zeroed(r->m, RESULT_LOOKS_KEPT * sizeof *r->shared_looks);
    if (!r->shared_looks) return NULL;
    if (r->shared_looks[at] && looks_same(r->shared_looks[at], like)) return r->shared_looks[at];
    if (!pool_room(r, sizeof *like + align + unit + comment + n + 3)) return NULL;
    result_look *kept = pool_aligned(r, sizeof *kept, align);
    *kept = *like;
    kept->unit = store_word(r, like->unit, unit);
    kept->comment = store_word(r, like->comment, comment);
    kept->display = store_word(r, like->display, n);
    return r->shared_looks[at] = kept;
}

/* All memory is asked for before anything changes. */
static int store_add(result *r, const char *name, const char *unit, const char *comment,
                     result_column like)
{
    name = name ? name : "";
    result_look look = {.unit = unit ? unit : "", .comment = comment ? comment : "", .display = ""};
    size_t n = strlen(name);
    like.look = store_look(r, &look);
    if (!like.look ||
        !store_grow(r->m, (void **)&r->columns, &r->cap_columns, r->n_columns,
                    sizeof *r->columns) ||
        !pool_room(r, n + 1))
        return RESULT_E_MEMORY;
    char *kept = pool_take(r, name, n);
    text_squeeze_name(kept);
    like.name = kept;
    r->columns[r->n_columns] = like;
    return r->n_columns++;
}

int result_add(result *r, const char *name, const char *unit, const char *comment, result_kind kind)
{
    if (r->n_rows > 0 || r->n_chunks > 0) return RESULT_E_ORDER;
    int c =
        store_add(r, name, unit, comment,
                  (result_column){.kind = (unsigned char)kind, .alias_of = -1, .slot = r->n_slots});
    if (c >= 0) r->n_slots++;
    return c;
}

int result_add_constant(result *r, const char *name, const char *unit, const char *comment,
                        result_kind kind, double value)
{
    if (!store_grow(r->m, (void **)&r->constants, &r->cap_constants, r->n_constants,
                    sizeof *r->constants))
        return RESULT_E_MEMORY;
    int c = store_add(
        r, name, unit, comment,
        (result_column){
            .kind = (unsigned char)kind, .constant = true, .alias_of = -1, .slot = r->n_constants});
    if (c >= 0) r->constants[r->n_constants++] = value;
    return c;
}

int result_add_alias(result *r, const char *name, const char *unit, const char *comment, int of,
                     bool negated)
{
    result_column like = r->columns[of];
    like.alias_of = like.alias_of >= 0 ? like.alias_of : of;
    like.negated ^= negated;
    return store_add(r, name, unit, comment, like);
}

/* Few columns have one: they are found by a search. */
typedef struct result_own_formula {
    int column;
    struct result_formula *of;
} result_own_formula;

static const struct result_formula *store_formula(const result *r, int column)
{
    int low = 0, high = r->n_formulas - 1;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (r->formulas[mid].column < column) low = mid + 1;
        else high = mid;
    }
    return r->formulas[low].of;
}

int result_add_formula(result *r, const char *name, const char *unit, struct result_formula *f)
{
    bool constant = true;
    for (int k = 0, c; (c = computed_operand(f, k)) >= 0; k++)
        constant = constant && c > 0 && r->columns[c].constant;
    if (!store_grow(r->m, (void **)&r->formulas, &r->cap_formulas, r->n_formulas,
                    sizeof *r->formulas))
        return RESULT_E_MEMORY;
    int c =
        store_add(r, name, unit, "",
                  (result_column){
                      .kind = RESULT_REAL, .constant = constant, .computed = true, .alias_of = -1});
    if (c >= 0) r->formulas[r->n_formulas++] = (result_own_formula){c, f};
    return c;
}

int result_show_in(result *r, int column, const char *display, double scale, double offset)
{
    result_look look = *r->columns[column].look;
    look.display = display;
    look.scale = scale;
    look.offset = offset;
    const result_look *kept = store_look(r, &look);
    if (!kept) return RESULT_E_MEMORY;
    r->columns[column].look = kept;
    return RESULT_OK;
}

int result_name_values(result *r, int column, const char *const *names, int n)
{
    enum { ALIGNED = sizeof(char *) };
    size_t list = (size_t)n * sizeof *names, words = 0;
    for (int i = 0; i < n; i++) words += strlen(names[i]) + 1;
    if (!pool_room(r, list + words + 2 * ALIGNED)) return RESULT_E_MEMORY;
    const char **kept = pool_aligned(r, list, ALIGNED);
    for (int i = 0; i < n; i++) kept[i] = pool_take(r, names[i], strlen(names[i]));
    result_look look = *r->columns[column].look;
    look.names = kept;
    look.n_names = n;
    const result_look *with = store_look(r, &look);
    if (!with) return RESULT_E_MEMORY;
    r->columns[column].look = with;
    return RESULT_OK;
}

int result_new(mem *m, result **out)
{
    *out = NULL;
    result *r = mem_try(m, sizeof *r);
    if (!r) return RESULT_E_MEMORY;
    *r = (result){.m = m};
    if (result_add(r, "time", "s", "", RESULT_REAL) < 0) {
        result_free(r);
        return RESULT_E_MEMORY;
    }
    *out = r;
    return RESULT_OK;
}

static size_t chunk_bytes(const result *r)
{
    return ((size_t)r->n_slots << r->chunk_shift) * sizeof(double);
}

static void free_columns(result *r)
{
    for (int k = 0; k < r->n_formulas; k++) computed_free(r->m, r->formulas[k].of);
    mem_free(r->m, r->formulas, (size_t)r->cap_formulas * sizeof *r->formulas);
    mem_free(r->m, r->columns, (size_t)r->cap_columns * sizeof *r->columns);
    mem_free(r->m, r->constants, (size_t)r->cap_constants * sizeof *r->constants);
    if (r->shared_looks)
        mem_free(r->m, r->shared_looks, RESULT_LOOKS_KEPT * sizeof *r->shared_looks);
    free_names(r, atomic_load(&r->names));
    for (result_pool *p = r->pool, *next; p; p = next) {
        next = p->next;
        mem_free(r->m, p, sizeof *p + p->cap);
    }
}

static void free_rows(result *r)
{
    result_stream_free(r);
    if (r->gone) mem_free(r->m, r->gone, (size_t)r->n_slots * sizeof *r->gone);
    for (result_block *b = r->blocks, *next; b; b = next) {
        next = b->next;
        mem_free(r->m, b, b->bytes);
    }
    overflow_free(r->overflow, r->m);
    mem_free(r->m, r->chunks, r->cap_chunks * sizeof *r->chunks);
    mem_free(r->m, r->state, r->n_state);
}

void result_free(result *r)
{
    if (!r) return;
    free_rows(r);
    free_columns(r);
    mem_free(r->m, r, sizeof *r);
}

void result_drop_rows(result *r)
{
    free_rows(r);
    r->gone = NULL;
    r->blocks = NULL;
    r->overflow = NULL;
    r->chunks = NULL;
    r->state = NULL;
    r->n_rows = r->n_chunks = r->cap_chunks = r->chunks_gone = r->n_held = r->n_state = 0;
    r->t_last = 0;
    r->chunk_shift = 0;
    r->sealed = false;
}

int result_keep_state(result *r, const void *bytes, size_t n)
{
    unsigned char *state = mem_try(r->m, n);
    if (!state) return RESULT_E_MEMORY;
    memcpy(state, bytes, n);
    mem_free(r->m, r->state, r->n_state);
    r->state = state;
    r->n_state = n;
    return RESULT_OK;
}

/* ---- recording a few ------------------------------------------------------------------------- */

static int store_own(const result *r, int c)
{
    return r->columns[c].alias_of >= 0 ? r->columns[c].alias_of : c;
}

static void store_want(result *r, int c) // it is to be recorded, or what it is computed from
{
    int of;
    const struct result_formula *f =
        r->columns[c].computed ? store_formula(r, store_own(r, c)) : NULL;
    r->columns[store_own(r, c)].output = 0;
    for (int k = 0; f && (of = computed_operand(f, k)) >= 0; k++) store_want(r, of);
}

int result_keep(result *r, const result_selection *select, int n_choice, int *list)
{
    if (r->n_chunks > 0) return RESULT_E_ORDER;
    int fewer = 0, n = 0;
    for (int c = 1; c < r->n_columns; c++)
        r->columns[c].output =
            !r->columns[c].constant && !r->columns[c].computed && r->columns[c].slot <= n_choice;
    for (int k = 0; k < 2 * select->n_curves; k++)
        store_want(r, k % 2 ? select->curves[k / 2].y : select->curves[k / 2].x);
    for (int c = 1; c < r->n_columns; c++) fewer += r->columns[c].output && store_own(r, c) == c;
    while (r->cap_constants < r->n_constants + fewer)
        if (!store_grow(r->m, (void **)&r->constants, &r->cap_constants, r->cap_constants,
                        sizeof *r->constants))
            return RESULT_E_MEMORY;
    for (int c = 1; c < r->n_columns; c++) {
        result_column *x = &r->columns[c];
        if (x->constant || x->computed || store_own(r, c) != c) continue;
        if (x->output) {
            x->output = x->slot;
            x->constant = true;
            x->slot = r->n_constants;
            r->constants[r->n_constants++] = NAN;
        } else {
            list[n] = x->slot - 1;
            x->slot = ++n;
        }
    }
    for (int c = 1; c < r->n_columns; c++) { // aliases follow
        if (r->columns[c].computed) continue;
        const result_column *of = &r->columns[store_own(r, c)];
        r->columns[c].constant = of->constant;
        r->columns[c].slot = of->slot;
        r->columns[c].output = of->output;
    }
    r->n_slots = n + 1;
    return n;
}

void result_set_end(result *r, const double *values)
{
    for (int c = 1; c < r->n_columns; c++)
        if (r->columns[c].output)
            r->constants[r->columns[c].slot] = values[r->columns[c].output - 1];
}

/* What free_columns gives back, from one result to another. */
static void move_columns(result *to, result *from)
{
    to->n_columns = from->n_columns;
    to->cap_columns = from->cap_columns;
    to->columns = from->columns;
    to->shared_looks = from->shared_looks;
    to->n_constants = from->n_constants;
    to->cap_constants = from->cap_constants;
    to->constants = from->constants;
    to->n_formulas = from->n_formulas;
    to->cap_formulas = from->cap_formulas;
    to->formulas = from->formulas;
    atomic_store(&to->names, atomic_load(&from->names));
    to->pool = from->pool;
    *from = (result){.m = from->m};
}

void result_take_columns(result *r, result *from)
{
    assert((r->n_slots == from->n_slots || !r->n_chunks) && !from->n_chunks);
    r->n_slots = from->n_slots;
    free_columns(r);
    move_columns(r, from);
    result_free(from);
}

void result_drop_columns(result *r)
{
    result *bare;
    if (result_new(r->m, &bare) < 0) return; // they stay
    bare->n_slots = r->n_slots;
    result_take_columns(r, bare);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A limit (--max-memory) leaves three quarters to others. */
static size_t held_bytes_max(const result *r)
{
    const watch *w = r->m->watch;
    size_t limit = w && w->limits ? w->limits->bytes / 4 : 0;
    return limit && limit < HELD_BYTES_MAX ? limit : HELD_BYTES_MAX;
}

/* One chunk at first, and where chunks are long themselves; then as much as there is already. */
static size_t block_bytes(const result *r)
{
    size_t chunk = chunk_bytes(r), held = r->n_held * chunk;
    if (held < SINGLE_BYTES_MAX || chunk > BLOCK_BYTES_MIN / 4) return sizeof(result_block) + chunk;
    return held < BLOCK_BYTES_MIN   ? BLOCK_BYTES_MIN
           : held > BLOCK_BYTES_MAX ? BLOCK_BYTES_MAX
                                    : held;
}

static bool store_add_block(result *r)
{
    size_t least = sizeof(result_block) + chunk_bytes(r), bytes = block_bytes(r);
    result_block *b;
    while (!(b = mem_try(r->m, bytes)) && bytes / 2 >= least) bytes /= 2;
    if (!b) return false;
    if (bytes > least) large_block_expect(b, bytes);
    *b = (result_block){.next = r->blocks, .bytes = bytes, .used = sizeof *b};
    r->blocks = b;
    return true;
}

/* A chunk in memory; NULL: there is none. */
static double *store_hold_chunk(result *r)
{
    size_t chunk = chunk_bytes(r);
    if ((!r->blocks || r->blocks->bytes - r->blocks->used < chunk) && !store_add_block(r))
        return NULL;
    double *at = (double *)(void *)((char *)r->blocks + r->blocks->used);
    r->blocks->used += chunk;
    r->n_held++;
    return at;
}

static size_t stream_bytes_max(const result *r)
{
    size_t held = held_bytes_max(r);
    return held < STREAM_BYTES ? held : STREAM_BYTES;
}

/* Rows that leave memory are in the file; of their values the extremes stay. */
static void store_pass(result *r, size_t first, size_t end)
{
    for (size_t row = first; row < end; row++) {
        const double *x = result_row(r, row);
        for (int k = 1; k < r->n_slots; k++) {
            result_extremes *at = &r->gone[k];
            if (x[k] < at->least) at->least = x[k], at->t_least = x[0];
            if (x[k] > at->most) at->most = x[k], at->t_most = x[0];
        }
    }
}

/* All chunks but the last, whose end may still change, are written and used again. */
static int store_let_go(result *r)
{
    size_t last = r->n_chunks - 1, end = (r->chunks_gone + last) << r->chunk_shift;
    int rc = result_stream_push(r, end);
    if (rc) return rc;
    if (!r->gone) {
        r->gone = mem_try(r->m, (size_t)r->n_slots * sizeof *r->gone);
        if (!r->gone) return RESULT_E_MEMORY;
        for (int k = 0; k < r->n_slots; k++)
            r->gone[k] = (result_extremes){.least = INFINITY, .most = -INFINITY};
    }
    store_pass(r, result_first_row(r), end);
    double *kept = r->chunks[last];
    r->chunks[last] = r->chunks[0];
    r->chunks[0] = kept;
    r->chunks_gone += last;
    r->n_chunks = 1;
    return RESULT_OK;
}

size_t result_first_row(const result *r)
{
    return r->chunks_gone << r->chunk_shift;
}

static int store_add_chunk(result *r)
{
    if (r->n_chunks == 0)
        while (((size_t)r->n_slots * sizeof(double)) << (r->chunk_shift + 1) <= CHUNK_BYTES)
            r->chunk_shift++;
    if (r->n_chunks == r->cap_chunks) {
        size_t cap = r->cap_chunks ? r->cap_chunks * 2 : 8;
        double **p =
            r->m->resize(r->m->user, r->chunks, r->cap_chunks * sizeof *p, cap * sizeof *p);
        if (!p) return RESULT_E_MEMORY;
        r->chunks = p;
        r->cap_chunks = cap;
    }
    if (r->stream && r->n_chunks > 1 && r->n_chunks >= stream_bytes_max(r) / chunk_bytes(r)) {
        int rc = store_let_go(r);
        if (rc) return rc;
    }
    if (r->n_chunks < r->n_held) return r->n_chunks++, RESULT_OK; // one that was let go
    bool full = r->overflow || r->n_held >= held_bytes_max(r) / chunk_bytes(r);
    double *chunk = full ? overflow_take(&r->overflow, r->m, chunk_bytes(r)) : NULL;
    if (!chunk && !r->overflow) chunk = store_hold_chunk(r);
    if (!chunk) return RESULT_E_MEMORY;
    r->chunks[r->n_chunks++] = chunk;
    return RESULT_OK;
}

int result_append(result *r, double t, const double *values)
{
    if (!isfinite(t) || (r->n_rows > 0 && t < r->t_last) || r->sealed) return RESULT_E_ORDER;
    if (r->n_rows == (r->chunks_gone + r->n_chunks) << r->chunk_shift) {
        int rc = store_add_chunk(r);
        if (rc) return rc;
    }
    double *row = (double *)result_row(r, r->n_rows);
    row[0] = t;
    if (r->n_slots > 1) memcpy(row + 1, values, (size_t)(r->n_slots - 1) * sizeof *row);
    r->n_rows++;
    r->t_last = t;
    return RESULT_OK;
}

int result_room(result *r, int n, double **rows)
{
    size_t end = (r->chunks_gone + r->n_chunks) << r->chunk_shift;
    if (r->sealed || (r->n_rows == end && store_add_chunk(r))) return 0;
    size_t left = ((r->chunks_gone + r->n_chunks) << r->chunk_shift) - r->n_rows;
    *rows = (double *)result_row(r, r->n_rows);
    return left < (size_t)n ? (int)left : n;
}

void result_take(result *r, int n)
{
    r->n_rows += (size_t)n;
    r->t_last = result_time(r, r->n_rows - 1);
}

/* Rows before `most` stay, but for those later than t, of which there are more than `least`. */
static void store_cut(result *r, double t, size_t least, size_t most)
{
    size_t n = most, first = result_first_row(r), written = result_stream_rows(r);
    while (n > least && n > first && result_time(r, n - 1) > t) n--;
    if (n < written || (first > 0 && n == first && n > least)) {
        r->t_last = result_stream_cut(r, t, least, n);
        n = result_stream_rows(r);
    } else if (n > first) {
        r->t_last = result_time(r, n - 1);
    }
    r->sealed |= n < first;
    r->n_rows = n;
}

void result_truncate(result *r, size_t n_rows)
{
    if (n_rows < r->n_rows) store_cut(r, INFINITY, 0, n_rows);
}

void result_drop_after(result *r, double t, size_t least)
{
    store_cut(r, t, least, r->n_rows);
}

const double *result_row(const result *r, size_t row)
{
    size_t within = row & (((size_t)1 << r->chunk_shift) - 1);
    return r->chunks[(row >> r->chunk_shift) - r->chunks_gone] + within * (size_t)r->n_slots;
}

static double store_with_sign(const result_column *c, double v)
{
    if (!c->negated) return v;
    return c->kind == RESULT_BOOL ? 1 - v : -v;
}

double result_value(const result *r, int column, size_t row)
{
    const result_column *c = &r->columns[column];
    if (c->computed) return computed_value(r, store_formula(r, store_own(r, column)), row);
    return store_with_sign(c, c->constant ? r->constants[c->slot] : result_row(r, row)[c->slot]);
}

double result_shown(const result *r, int column, size_t row)
{
    const result_column *c = &r->columns[column];
    double v = result_value(r, column, row);
    const result_look *k = c->look;
    return k->scale == 0 ? v : v * k->scale + k->offset;
}

const char *result_shown_unit(const result *r, int column)
{
    const result_column *c = &r->columns[column];
    return c->look->scale == 0 ? c->look->unit : c->look->display;
}

void result_copy(const result *r, int column, size_t first, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) out[i] = result_value(r, column, first + i);
}
