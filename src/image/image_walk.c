/* Compiled models compared and listed, member by member.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "image/image_file.h"
#include "image/image_model.h"

#include <string.h>

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct comparison {
    const struct code_model *x, *y;
    text *where;
} comparison;

static bool same_struct(comparison *c, const image_record *of, const char *x, const char *y,
                        const void *up);

static bool same_text(const char *x, const char *y)
{
    return x == y || (x && y && !strcmp(x, y));
}

static bool same_shared(comparison *c, const image_record *of, const void *x, const void *y,
                        const void *up)
{
    comparison inner = *c;
    if (!x || !y) return x == y;
    if (of == image_record_of.model) {
        if (x == c->x || y == c->y) return x == c->x && y == c->y; // the model itself
        inner.x = x;
        inner.y = y;
    }
    return same_struct(&inner, of, x, y, up);
}

static bool same_elements(comparison *c, const image_member *q, const char *x, const char *y,
                          int64_t n, const void *up)
{
    bool raw = q->scalar != IMAGE_SCALAR_NONE || q->kind == IMAGE_KIND_PACKED;
    if (!x || !y) return x == y;
    if (raw) return n <= 0 || !memcmp(x, y, (size_t)n * q->size);
    for (int64_t k = 0; k < n; k++, x += q->size, y += q->size) {
        const void *const *px = (const void *const *)(const void *)x,
                          *const *py = (const void *const *)(const void *)y;
        bool same = q->kind == IMAGE_KIND_PARTS    ? same_struct(c, q->of, x, y, up)
                    : q->kind == IMAGE_KIND_SHARES ? same_shared(c, q->of, *px, *py, up)
                                                   : same_text(*px, *py);
        if (!same) return false;
    }
    return true;
}

static bool same_member(comparison *c, const image_member *q, const char *x, const char *y,
                        int64_t n, const void *up)
{
    const void *px = image_pointer_of(q, x), *py = image_pointer_of(q, y);
    switch ((image_kind)q->kind) {
    case IMAGE_KIND_COUNT:
    case IMAGE_KIND_NUMBER:
    case IMAGE_KIND_INDEX: return !memcmp(x, y, q->size);
    case IMAGE_KIND_FEW: return !memcmp(x, y, (size_t)n * q->size);
    case IMAGE_KIND_PART: return same_struct(c, q->of, x, y, up);
    case IMAGE_KIND_SHARED: return same_shared(c, q->of, px, py, up);
    case IMAGE_KIND_TEXT: return same_text(px, py);
    case IMAGE_KIND_ROUTINE:
    case IMAGE_KIND_LOCAL: return true;
    default: return same_elements(c, q, px, py, n, up);
    }
}

static bool same_struct(comparison *c, const image_record *of, const char *x, const char *y,
                        const void *up)
{
    image_limits limits[IMAGE_MEMBERS_MAX];
    of->limits(x, up, c->x, limits);
    int n_members;
    const image_member *all = of->members(&n_members);
    for (int k = 0; k < n_members; k++) {
        const image_member *q = &all[k];
        // The limits above are those of x: counts come before the arrays that they count.
        if (same_member(c, q, x + q->at, y + q->at, limits[k].length, x)) continue;
        if (!c->where->n) text_printf(c->where, "%s.%s", of->name, q->name);
        return false;
    }
    return true;
}

bool image_equal(const struct code_model *x, const struct code_model *y, text *where)
{
    comparison c = {x, y, where};
    return same_struct(&c, image_record_of.model, (const char *)x, (const char *)y, NULL);
}

/* ---- listing --------------------------------------------------------------------------------- */

enum { PATH_MAX_BYTES = 200 };

typedef struct listing {
    const struct code_model *m;
    text *out;
} listing;

static void list_struct(listing *l, const image_record *of, const char *at, const void *up,
                        const char *path);

static void list_member(listing *l, const image_member *q, const char *from, int64_t n,
                        const void *up, const char *path)
{
    const void *p = image_pointer_of(q, from);
    if (q->kind == IMAGE_KIND_PART) list_struct(l, q->of, from, up, path);
    else if (q->kind == IMAGE_KIND_COUNT)
        text_printf(l->out, "%-40s %12d            %s\n", path, *(const int *)(const void *)from,
                    q->what);
    else if (q->kind >= IMAGE_KIND_NUMBERS && q->kind != IMAGE_KIND_LOCAL && p && n > 0)
        text_printf(l->out, "%-40s %12lld %8lld B %s\n", path, (long long)n,
                    (long long)(n * (int64_t)q->size), q->what);
}

static void list_struct(listing *l, const image_record *of, const char *at, const void *up,
                        const char *path)
{
    image_limits limits[IMAGE_MEMBERS_MAX];
    of->limits(at, up, l->m, limits);
    int n_members;
    const image_member *all = of->members(&n_members);
    for (int k = 0; k < n_members; k++) {
        const image_member *q = &all[k];
        text name;
        text_init(&name, l->out->m);
        text_printf(&name, "%.*s%s%s", PATH_MAX_BYTES, path, *path ? "." : "", q->name);
        list_member(l, q, at + q->at, limits[k].length, at, text_str(&name));
        text_done(&name);
    }
}

void image_print(const struct code_model *m, text *out)
{
    listing l = {m, out};
    list_struct(&l, image_record_of.model, (const char *)m, NULL, "");
}

/* ---- functions ------------------------------------------------------------------------------- */

typedef struct function_walk {
    const struct code_model *m;
    void (*visit)(void *user, code_fn *f);
    void *user;
} function_walk;

static void functions_of(const function_walk *w, const image_record *of, char *at, void *up)
{
    image_limits limits[IMAGE_MEMBERS_MAX];
    int n;
    const image_member *all = of->members(&n);
    if (of == image_record_of.function) {
        w->visit(w->user, (code_fn *)(void *)at);
        return;
    }
    of->limits(at, up, w->m, limits);
    for (int k = 0; k < n; k++) {
        const image_member *q = &all[k];
        char *from = at + q->at, *p = image_pointer_of(q, from);
        bool other = q->of == image_record_of.model || q->of == image_record_of.program;
        if (!q->of || other) continue;
        if (q->kind == IMAGE_KIND_PART) functions_of(w, q->of, from, at);
        else if (q->kind == IMAGE_KIND_SHARED && p) functions_of(w, q->of, p, at);
        else if (q->kind == IMAGE_KIND_PARTS)
            for (int64_t i = 0; p && i < limits[k].length; i++, p += q->size)
                functions_of(w, q->of, p, at);
    }
}

void image_functions(struct code_model *m, void (*visit)(void *user, code_fn *f), void *user)
{
    functions_of(&(function_walk){m, visit, user}, image_record_of.model, (char *)m, NULL);
}
