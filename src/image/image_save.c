/* SPDX-License-Identifier: BSD-3-Clause */
#include "image/image_file.h"
#include "image/image_model.h"
#include "image/image_parts.h"

#include "base/array.h"
#include "base/map.h"

#include <string.h>

typedef struct saver {
    text *out;
    const struct code_model *m; // in which the present struct lies
    map known;                  // what has been written, by address: 1 + its number
    ARRAY(image_block) blocks;  // what has been written, by number
    arena *scratch;
} saver;

static void put(saver *s, const void *from, size_t bytes)
{
    if (bytes) text_add_n(s->out, from, bytes);
}

static void put_number(saver *s, int64_t x)
{
    put(s, &x, sizeof x);
}

static void save_struct(saver *s, const image_record *of, const void *at, const void *up);

/* How a pointer is saved. True: what it points to follows. */
static bool put_pointer(saver *s, const void *p, image_block is)
{
    if (!p) return text_char(s->out, IMAGE_NULL), false;
    if (is.length <= 0) return text_char(s->out, IMAGE_EMPTY), false;
    if (!is.shared) return text_char(s->out, IMAGE_HERE), true;
    uint64_t *known = map_put(&s->known, map_key(p));
    if (*known && image_same_block(s->blocks.at[*known - 1], is)) {
        text_char(s->out, IMAGE_KNOWN);
        put_number(s, (int64_t)*known - 1);
        return false;
    }
    array_push(s->scratch, &s->blocks, is);
    if (!*known) *known = (uint64_t)s->blocks.n;
    text_char(s->out, IMAGE_HERE);
    return true;
}

static void put_text(saver *s, const char *words)
{
    if (!words) return put_number(s, -1);
    put_number(s, (int64_t)strlen(words));
    put(s, words, strlen(words));
}

/* A routine by its row. */
static void put_routine(saver *s, const struct tape_function *f)
{
    const uint64_t *row = map_find(&s->m->routines.row_of, map_key(f));
    put_number(s, row ? (int64_t)*row - 1 : -1);
}

static void save_shared(saver *s, const image_record *of, const void *p, const void *up)
{
    const struct code_model *outer = s->m;
    if (!put_pointer(s, p, (image_block){.length = 1, .of = of, .size = of->size, .shared = true}))
        return;
    if (of == image_record_of.model) s->m = p;
    save_struct(s, of, p, up);
    s->m = outer;
}

static void save_array(saver *s, const image_member *q, const void *p, int64_t length,
                       const void *up)
{
    if (!put_pointer(s, p, image_block_of(q, length))) return;
    const char *at = p;
    if (q->scalar != IMAGE_SCALAR_NONE || q->kind == IMAGE_KIND_PACKED)
        return put(s, p, (size_t)length * q->size);
    for (int64_t k = 0; k < length; k++, at += q->size) {
        if (q->kind == IMAGE_KIND_PARTS) save_struct(s, q->of, at, up);
        else if (q->kind == IMAGE_KIND_SHARES) save_shared(s, q->of, *(const void *const *)at, up);
        else put_text(s, *(const char *const *)at);
    }
}

static void save_struct(saver *s, const image_record *of, const void *at, const void *up)
{
    image_limits limits[IMAGE_MEMBERS_MAX];
    of->limits(at, up, s->m, limits);
    int n_members;
    const image_member *all = of->members(&n_members);
    for (int k = 0; k < n_members; k++) {
        const image_member *q = &all[k];
        const void *from = (const char *)at + q->at;
        switch ((image_kind)q->kind) {
        case IMAGE_KIND_COUNT:
        case IMAGE_KIND_NUMBER:
        case IMAGE_KIND_INDEX: put(s, from, q->size); break;
        case IMAGE_KIND_FEW: put(s, from, (size_t)limits[k].length * q->size); break;
        case IMAGE_KIND_PART: save_struct(s, q->of, from, at); break;
        case IMAGE_KIND_SHARED: save_shared(s, q->of, *(const void *const *)from, at); break;
        case IMAGE_KIND_TEXT: put_text(s, *(const char *const *)from); break;
        case IMAGE_KIND_ROUTINE: put_routine(s, *(const struct tape_function *const *)from); break;
        case IMAGE_KIND_LOCAL: break;
        default: save_array(s, q, *(const void *const *)from, limits[k].length, at);
        }
    }
}

void image_save(const struct code_model *m, arena *scratch, text *out)
{
    saver s = {.out = out, .m = m, .scratch = scratch};
    map_init(&s.known, scratch);
    size_t first = out->n;
    image_header header = image_header_of();
    put(&s, &header, sizeof header);
    save_shared(&s, image_record_of.model, m, NULL);
    image_header *written = (image_header *)(void *)(out->at + first);
    image_digest(out->at + first + sizeof header, out->n - first - sizeof header, written->digest);
}
