/* SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/unzip.h"

#include "base/text.h"
#include "result/whole_file.h"

#include <stdlib.h>
#include <string.h>

/* Sizes and places of what the format fixes. */
enum {
    END_BYTES = 22, // the end of the list
    COMMENT_MOST = 65535,
    LIST_BYTES = 46, // a line of the list
    HEAD_BYTES = 30, // in front of an entry
    MADE_BY_UNIX = 3,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1 << 0, // flags
    SIZES_FOLLOW = 1 << 3,
    STRONGLY_ENCRYPTED = 1 << 6,
    MASKED = 1 << 13,
    LARGE = 0xffff // as a number of entries: see the format for large archives
};
static const uint32_t END_MARK = 0x06054b50, LIST_MARK = 0x02014b50, HEAD_MARK = 0x04034b50,
                      LARGE_32 = 0xffffffffu;

static uint32_t two(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t four(const unsigned char *p)
{
    return two(p) | two(p + 2) << 16;
}

#define REFUSE(code, ...) (result_fail(fault, RESULT_E_FORMAT, code, __VA_ARGS__), false)

/* ---- names ----------------------------------------------------------------------------------- */

/* Bytes of the character at p, by the rules of UTF-8 without surrogates and longer forms; 0: none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t k = p[0] < 0x80   ? 1
               : p[0] < 0xc2 ? 0
               : p[0] < 0xe0 ? 2
               : p[0] < 0xf0 ? 3
               : p[0] < 0xf5 ? 4
                             : 0;
    if (!k || k > n) return 0;
    for (size_t i = 1; i < k; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    bool longer = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool beyond = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return longer || beyond ? 0 : k;
}

/* NULL: it is fine, otherwise what is wrong with it. */
static const char *fault_of_name(const unsigned char *p, size_t n)
{
    if (!n) return "is empty";
    if (p[0] == '/') return "is absolute";
    for (size_t i = 0, k; i < n; i += k) {
        k = utf8_length(p + i, n - i);
        if (!k) return "is no UTF-8";
        if (p[i] < ' ' || p[i] == 0x7f) return "holds a control character";
        if (p[i] == '\\') return "holds a backslash; names of folders are separated by '/'";
        if (p[i] == ':') return "holds a colon";
    }
    for (size_t i = 0, k; i < n; i += k + 1) {
        for (k = 0; i + k < n && p[i + k] != '/';) k++;
        if (!k) return "has a part without letters";
        if ((k == 1 && p[i] == '.') || (k == 2 && p[i] == '.' && p[i + 1] == '.'))
            return "leads out of the archive or back into it";
    }
    return NULL;
}

/* ---- one entry ------------------------------------------------------------------------------- */

/* A file or folder of Unix, or nothing that is said of it. */
static bool is_plain_kind(uint32_t made_by, uint32_t attributes)
{
    uint32_t kind = attributes >> 28; // S_IFMT >> 12: 4 folder, 8 file, 10 link
    return made_by >> 8 != MADE_BY_UNIX || kind == 0 || kind == 4 || kind == 8;
}

/* What stands in front of the entry says what the list says. */
static bool take_head(const fmi_archive *z, const unsigned char *line, size_t list, fmi_entry *e,
                      result_fault *fault)
{
    size_t at = four(line + 42), name = two(line + 28);
    const unsigned char *head = z->bytes + at;
    bool fits =
        at < list && list - at >= HEAD_BYTES && four(head) == HEAD_MARK && two(head + 26) == name &&
        list - at - HEAD_BYTES >= name + two(head + 28) &&
        !memcmp(head + HEAD_BYTES, line + LIST_BYTES, name) && two(head + 8) == two(line + 10) &&
        (two(head + 6) & ~(uint32_t)SIZES_FOLLOW) == (two(line + 8) & ~(uint32_t)SIZES_FOLLOW);
    bool follow = fits && two(head + 6) & SIZES_FOLLOW;
    if (fits && !follow)
        fits =
            four(head + 14) == e->crc && four(head + 18) == e->packed && four(head + 22) == e->size;
    if (!fits)
        return REFUSE("F102", "the archive contradicts itself: its list and the entry '%s'",
                      e->name);
    e->begin = at;
    e->at = at + HEAD_BYTES + name + two(head + 28);
    if (list - e->at < e->packed)
        return REFUSE("F102", "the archive is cut off in the entry '%s'", e->name);
    return true;
}

static bool take_entry(const fmi_archive *z, const unsigned char *line, size_t list, arena *a,
                       fmi_entry *e, result_fault *fault)
{
    uint32_t flags = two(line + 8), method = two(line + 10), name = two(line + 28);
    const unsigned char *words = line + LIST_BYTES;
    bool dotted = name >= 2 && words[0] == '.' && words[1] == '/'; // ./a, as some tools write a
    if (dotted) words += 2, name -= 2;
    const char *wrong = dotted && !name ? NULL : fault_of_name(words, name);
    char *shown = arena_strndup(a, (const char *)words, name);
    e->name = shown;
    if (wrong) {
        text_plain(shown);
        return REFUSE("F103", "the name '%.200s' in the archive %s", shown, wrong);
    }
    e->crc = four(line + 16);
    e->packed = four(line + 20);
    e->size = four(line + 24);
    e->deflated = method == DEFLATED;
    e->is_folder = !name || e->name[name - 1] == '/';
    if (!is_plain_kind(two(line + 4), four(line + 38)))
        return REFUSE("F104", "'%s' in the archive is a link or a device, not a file", e->name);
    if (flags & (ENCRYPTED | STRONGLY_ENCRYPTED | MASKED))
        return REFUSE("F107", "'%s' in the archive is encrypted", e->name);
    if (e->packed == LARGE_32 || e->size == LARGE_32 || four(line + 42) == LARGE_32)
        return REFUSE("F107", "'%s' in the archive is larger than 4 GB", e->name);
    if (method != STORED && method != DEFLATED)
        return REFUSE("F107", "'%s' is packed by method %u: FMUs hold what is stored or deflated",
                      e->name, method);
    if ((method == STORED && e->packed != e->size) || (e->is_folder && e->size))
        return REFUSE("F102", "the archive contradicts itself: sizes of '%s'", e->name);
    return take_head(z, line, list, e, fault);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const fmi_entry *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

/* A folder as its name without the last stroke: it may not be a file, too. */
static int compare_names(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    bool ends_a = !*a || (*a == '/' && !a[1]), ends_b = !*b || (*b == '/' && !b[1]);
    if (ends_a && ends_b) return 0;
    unsigned char x = *a == '/' ? 1 : (unsigned char)*a, y = *b == '/' ? 1 : (unsigned char)*b;
    return (x > y) - (x < y); // what is inside of a folder follows it at once
}

static int by_name(const void *x, const void *y)
{
    return compare_names(((const fmi_entry *)x)->name, ((const fmi_entry *)y)->name);
}

static bool is_inside(const char *name, const char *file)
{
    size_t n = strlen(file);
    return !strncmp(name, file, n) && name[n] == '/';
}

static bool check_places(fmi_archive *z, result_fault *fault)
{
    size_t total = 0;
    qsort(z->entries, (size_t)z->n_entries, sizeof *z->entries, by_place);
    for (int i = 0; i < z->n_entries; i++) {
        const fmi_entry *e = &z->entries[i], *next = e + 1;
        total += e->size;
        if (i + 1 < z->n_entries && e->at + e->packed > next->begin)
            return REFUSE("F102", "entries of the archive overlap: '%s' and '%s'", e->name,
                          next->name);
    }
    if (total / FMI_UNPACKED_RATIO > z->n && total > FMI_UNPACKED_FREE)
        return REFUSE("F106",
                      "the archive of %zu bytes would unpack to %zu bytes, more than %d times its "
                      "size: it is not unpacked",
                      z->n, total, FMI_UNPACKED_RATIO);
    return true;
}

/* The same bytes under the same name, which some tools write twice: there is nothing to choose. */
static bool are_same(const fmi_archive *z, const fmi_entry *a, const fmi_entry *b)
{
    return a->is_folder == b->is_folder && a->deflated == b->deflated && a->packed == b->packed &&
           a->size == b->size && a->crc == b->crc &&
           !memcmp(z->bytes + a->at, z->bytes + b->at, a->packed);
}

static bool check_names(fmi_archive *z, result_fault *fault)
{
    int n = 0;
    qsort(z->entries, (size_t)z->n_entries, sizeof *z->entries, by_name);
    for (int i = 0; i < z->n_entries; i++) {
        const fmi_entry *e = &z->entries[i], *last = n ? &z->entries[n - 1] : NULL;
        bool again = last && !by_name(last, e);
        if (again && !are_same(z, last, e))
            return REFUSE("F105", "the name '%s' is twice in the archive", e->name);
        if (last && !last->is_folder && is_inside(e->name, last->name))
            return REFUSE("F105", "'%s' is a file and a folder in the archive", last->name);
        if (!again) z->entries[n++] = *e;
    }
    z->n_entries = n;
    return true;
}

/* The end of the list: the last mark whose comment reaches to the end of the file. */
static const unsigned char *find_end(const unsigned char *bytes, size_t n)
{
    for (size_t back = END_BYTES; back <= n && back <= END_BYTES + COMMENT_MOST; back++) {
        const unsigned char *p = bytes + n - back;
        if (four(p) == END_MARK && two(p + 20) == back - END_BYTES) return p;
    }
    return NULL;
}

bool fmi_archive_open(fmi_archive *z, arena *a, const void *bytes, size_t n, result_fault *fault)
{
    *z = (fmi_archive){.bytes = bytes, .n = n};
    bool begins = n >= 4 && (four(z->bytes) == HEAD_MARK || four(z->bytes) == END_MARK);
    const unsigned char *end = find_end(z->bytes, n);
    if (!begins) return REFUSE("F101", "this is no archive: an FMU is a ZIP file");
    if (!end) return REFUSE("F102", "the archive is cut off: the list at its end is missing");
    uint32_t count = two(end + 10);
    size_t size = four(end + 12), at = four(end + 16), before = (size_t)(end - z->bytes);
    if (count == LARGE || at == LARGE_32)
        return REFUSE("F107", "the archive is in the format for files of more than 4 GB");
    if (two(end + 4) || two(end + 6) || two(end + 8) != count)
        return REFUSE("F107", "the archive is a part of one that lies in several files");
    if (at > before || before - at != size)
        return REFUSE("F102", "the archive contradicts itself: the place of its list");
    z->entries = arena_array(a, fmi_entry, count + 1);
    const unsigned char *line = z->bytes + at;
    for (uint32_t i = 0; i < count; i++) {
        size_t left = (size_t)(end - line);
        bool whole = left >= LIST_BYTES && four(line) == LIST_MARK &&
                     left - LIST_BYTES >= two(line + 28) + two(line + 30) + two(line + 32);
        if (!whole) return REFUSE("F102", "the archive is cut off in its list");
        if (!take_entry(z, line, at, a, &z->entries[z->n_entries++], fault)) return false;
        line += LIST_BYTES + two(line + 28) + two(line + 30) + two(line + 32);
    }
    if (line != end) return REFUSE("F102", "the archive contradicts itself: the number of entries");
    return check_places(z, fault) && check_names(z, fault);
}

const fmi_entry *fmi_archive_find(const fmi_archive *z, const char *name)
{
    int low = 0, high = z->n_entries;
    while (low < high) {
        int middle = (low + high) / 2, order = compare_names(z->entries[middle].name, name);
        if (!order) return z->entries[middle].is_folder ? NULL : &z->entries[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

int fmi_archive_read(const fmi_archive *z, const fmi_entry *e, const fmi_unpacker *u, mem *m,
                     char **out, result_fault *fault)
{
    const unsigned char *packed = z->bytes + e->at;
    unsigned char *to = mem_try(m, e->size + 1);
    fmi_unpacked rc = FMI_UNPACKED;
    *out = NULL;
    if (!to) rc = FMI_NO_MEMORY;
    else if (e->deflated) rc = u->inflate(m, packed, e->packed, to, e->size);
    else memcpy(to, packed, e->size);
    if (!rc && u->crc(to, e->size) != e->crc) rc = FMI_DAMAGED;
    if (!rc) {
        to[e->size] = 0;
        *out = (char *)to;
        return RESULT_OK;
    }
    if (to) mem_free(m, to, e->size + 1);
    if (rc == FMI_NO_MEMORY) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    return result_fail(fault, RESULT_E_FORMAT, "F108", "'%s' in the archive is damaged", e->name);
}
