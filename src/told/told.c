/* Descriptions walked: finding a field, and the copy that a report owns.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "told/told.h"
#include "base/arena.h"
#include "told/member.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORMATS = VINC_TEXT_ALL + 1 };

struct vinc_report {
    const told_kind *kind;
    mem m; // with a guard only while something is made
    arena a;
    text out[FORMATS];
    bool made[FORMATS];
};

/* ---- fields ---------------------------------------------------------------------------------- */

const told_field *told_find(const told_field *fields, const char *key, size_t n, const void **told)
{
    const char *dot = memchr(key, '.', n);
    size_t first = dot ? (size_t)(dot - key) : n;
    for (const told_field *f = fields; f->key; f++) {
        if (f->type == TOLD_INLINE) {
            const void *inside = told ? (const char *)*told + f->at : NULL;
            const told_field *found = told_find(f->inside, key, n, told ? &inside : NULL);
            if (found && told) *told = inside;
            if (found) return found;
        }
        if (strlen(f->key) != first || memcmp(f->key, key, first) != 0) continue;
        return dot ? told_find(f->inside, dot + 1, n - first - 1, told) : f;
    }
    return NULL;
}

bool told_is_there(const told_field *fields, const char *key, const void *told)
{
    const told_field *f = told_find(fields, key, strlen(key), &told);
    switch (f->type) {
    case TOLD_WORD: return MEMBER(const char *, told, f->at) && *MEMBER(const char *, told, f->at);
    case TOLD_REAL: return isfinite(MEMBER(double, told, f->at));
    case TOLD_INT:
    case TOLD_BOOL: return MEMBER(int, told, f->at) > 0;
    case TOLD_INDEX: return MEMBER(int, told, f->at) >= 0;
    case TOLD_LONG: return MEMBER(long, told, f->at) > 0;
    case TOLD_OBJECT:
    case TOLD_INLINE:
    case TOLD_PAIR:
    case TOLD_FEW: return true;
    default: return MEMBER(const void *, told, f->at) && MEMBER(int, told, f->count) > 0;
    }
}

bool told_applies(const told_field *fields, const char *when, const char *unless, const void *told)
{
    return (!when || told_is_there(fields, when, told)) &&
           (!unless || !told_is_there(fields, unless, told));
}

/* Write s after n characters of out, as far as there is room; the new n. */
static size_t put_part(const char *s, char *out, size_t n, size_t room)
{
    if (n < room) snprintf(out + n, room - n, "%s", s);
    return n + strlen(s);
}

/* The k-th key below these fields, written after n characters of out. */
static bool key_in(const told_field *fields, int *k, char *out, size_t n, size_t room)
{
    for (const told_field *f = fields; f->key; f++) {
        if ((f->flags & TOLD_HIDDEN) || told_find(fields, f->key, strlen(f->key), NULL) != f)
            continue; // a key that takes the place of another is listed once
        size_t here = n;
        if (f->type != TOLD_INLINE) {
            here = put_part(f->key, out, n, room);
            if ((*k)-- == 0) return true;
            here = put_part(f->type == TOLD_OBJECT ? "." : "[].", out, here, room);
        }
        if (f->inside && key_in(f->inside, k, out, here, room)) return true;
    }
    return false;
}

bool told_key(const told_kind *kind, int k, char *out, size_t room)
{
    const told_field *fields = kind->fields;
    if (kind->document)
        fields = told_find(fields, kind->document, strlen(kind->document), NULL)->inside;
    return k >= 0 && key_in(fields, &k, out, 0, room);
}

/* ---- the copy -------------------------------------------------------------------------------- */

static void *copied(arena *a, const void *from, size_t n, size_t size)
{
    if (!from) return NULL;
    void *to = arena_alloc_array(a, n + 1, size);
    if (n) memcpy(to, from, n * size);
    return to;
}

static const char *copied_word(arena *a, const char *s)
{
    return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

static void copy_list(arena *a, void *told, size_t at, size_t n, size_t size)
{
    MEMBER(void *, told, at) = copied(a, MEMBER(const void *, told, at), n, size);
}

static void copy_words(arena *a, void *told, size_t at, size_t n)
{
    copy_list(a, told, at, n, sizeof(char *));
    const char **words = MEMBER(const char **, told, at);
    for (size_t i = 0; words && i < n; i++) words[i] = copied_word(a, words[i]);
}

/* told is a copy whose pointers still lead to the original. */
static void copy_fields(arena *a, const told_field *fields, void *told)
{
    for (const told_field *f = fields; f->key; f++) {
        int count = f->count ? MEMBER(int, told, f->count) : 0;
        size_t n = count > 0 ? (size_t)count : 0;
        switch (f->type) {
        case TOLD_WORD:
            MEMBER(const char *, told, f->at) = copied_word(a, MEMBER(const char *, told, f->at));
            break;
        case TOLD_WORDS: copy_words(a, told, f->at, n); break;
        case TOLD_REALS: copy_list(a, told, f->at, n, sizeof(double)); break;
        case TOLD_INTS: copy_list(a, told, f->at, n, sizeof(int)); break;
        case TOLD_MATRIX: {
            int columns = MEMBER(int, told, f->columns);
            copy_list(a, told, f->at, n * (size_t)(columns > 0 ? columns : 0), sizeof(double));
            break;
        }
        case TOLD_PAIRS:
            copy_list(a, told, f->at, n, sizeof(double));
            copy_list(a, told, f->also, n, sizeof(double));
            break;
        case TOLD_VALUES:
            copy_words(a, told, f->at, n);
            copy_list(a, told, f->also, n, sizeof(double));
            break;
        case TOLD_ROWS:
            copy_list(a, told, f->at, n, f->size);
            for (size_t i = 0; i < n; i++)
                copy_fields(a, f->inside, MEMBER(char *, told, f->at) + i * f->size);
            break;
        case TOLD_OBJECT: copy_fields(a, f->inside, told); break;
        case TOLD_INLINE: copy_fields(a, f->inside, (char *)told + f->at); break;
        default: break; // numbers came with the struct
        }
    }
}

typedef struct keep_job {
    vinc_report *report;
    const void *told;
    void *kept;
} keep_job;

static int keep_copy(void *job)
{
    keep_job *j = job;
    vinc_report *r = j->report;
    j->kept = arena_alloc(&r->a, r->kind->size);
    memcpy(j->kept, j->told, r->kind->size);
    copy_fields(&r->a, r->kind->fields, j->kept);
    *(vinc_report **)j->kept = r;
    return VINC_OK;
}

static void report_free(vinc_report *r)
{
    mem m = r->m;
    for (int i = 0; i < FORMATS; i++) text_done(&r->out[i]);
    arena_done(&r->a);
    mem_free(&m, r, sizeof *r);
}

int told_keep(const mem *m, const told_kind *kind, const void *told, void *out)
{
    mem own = {.resize = m->resize, .user = m->user};
    vinc_report *r = mem_try(&own, sizeof *r);
    *(void **)out = NULL;
    if (!r) return VINC_E_MEMORY;
    *r = (vinc_report){.kind = kind, .m = own};
    arena_init(&r->a, &r->m);
    for (int i = 0; i < FORMATS; i++) text_init(&r->out[i], &r->m);
    keep_job j = {r, told, NULL};
    int rc = mem_guarded(&r->m, keep_copy, &j, VINC_E_MEMORY);
    if (rc) report_free(r);
    else *(void **)out = j.kept;
    return rc;
}

void vinc_report_free(void *told)
{
    if (told) report_free(*(vinc_report **)told);
}

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct render_job {
    vinc_report *report;
    const void *told;
    vinc_format format;
} render_job;

static int render_report(void *job)
{
    const render_job *j = job;
    text *out = &j->report->out[j->format];
    text_clear(out);
    if (j->format == VINC_JSON) told_json(j->report->kind, j->told, out);
    else told_words(j->report->kind, j->told, j->format, out);
    return VINC_OK;
}

const char *vinc_report_text(const void *told, vinc_format format)
{
    vinc_report *r = told ? *(vinc_report *const *)told : NULL;
    if (!r || (int)format < 0 || (int)format >= FORMATS) return "";
    if (!r->made[format])
        r->made[format] = mem_guarded(&r->m, render_report, &(render_job){r, told, format},
                                      VINC_E_MEMORY) == VINC_OK;
    return r->made[format] ? text_str(&r->out[format]) : "";
}
