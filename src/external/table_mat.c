/* Matrices in MAT-files: version 4 and version 5 (what MATLAB calls v6, and v7 with compression).
 *
 * Version 4 is a sequence of matrices, each with a header of five numbers and its name. Version 5
 * is a header of 128 bytes and a sequence of elements (type, bytes, data padded to eight bytes); a
 * matrix is an element made of elements: flags, sizes, name, numbers, which may be stored in any
 * narrower type. Files of version 7.3 are HDF5 and are not read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/table.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct bytes {
    const unsigned char *at;
    size_t n;
    bool swapped; // against the order of this machine
} bytes;

static void load(const bytes *b, size_t at, void *out, size_t n)
{
    for (size_t k = 0; k < n; k++)
        ((unsigned char *)out)[k] = b->at[at + (b->swapped ? n - 1 - k : k)];
}

static uint32_t load_u32(const bytes *b, size_t at)
{
    uint32_t x;
    load(b, at, &x, sizeof x);
    return x;
}

/* Types of numbers, as version 5 counts them. */
enum { INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, SINGLE, DOUBLE = 9, INT64 = 12, UINT64 };
enum { MATRIX = 14, COMPRESSED = 15, N_TYPES };

static const uint8_t width[N_TYPES] = {
    [INT8] = 1,   [UINT8] = 1,  [INT16] = 2,  [UINT16] = 2, [INT32] = 4,
    [UINT32] = 4, [SINGLE] = 4, [DOUBLE] = 8, [INT64] = 8,  [UINT64] = 8};

static double number_at(const bytes *b, size_t at, int type)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f;
        double d;
    } x;
    load(b, at, &x, width[type]);
    switch (type) {
    case INT8: return x.i8;
    case UINT8: return x.u8;
    case INT16: return x.i16;
    case UINT16: return x.u16;
    case INT32: return x.i32;
    case UINT32: return x.u32;
    case INT64: return (double)x.i64;
    case UINT64: return (double)x.u64;
    case SINGLE: return (double)x.f;
    default: return x.d;
    }
}

/* Numbers by columns to a matrix by rows. */
static bool mat_take(mem *m, const bytes *b, size_t at, int type, uint32_t rows, uint32_t cols,
                     table_matrix *out, char *why)
{
    if (!rows || !cols || rows > INT_MAX || cols > INT_MAX || b->n < at ||
        (b->n - at) / width[type] / rows < cols) {
        snprintf(why, TABLE_WHY, "the matrix is empty, or the file ends in it");
        return false;
    }
    out->at = mem_try(m, (size_t)rows * cols * sizeof *out->at);
    if (!out->at) {
        snprintf(why, TABLE_WHY, "there is no memory for a table of %u by %u", rows, cols);
        return false;
    }
    out->rows = (int)rows;
    out->cols = (int)cols;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            out->at[i * cols + j] = number_at(b, at + (j * rows + i) * width[type], type);
    return true;
}

static bool none(const char *name, char *why)
{
    snprintf(why, TABLE_WHY, "there is no matrix '%.80s' in it", name);
    return false;
}

static bool broken(char *why)
{
    snprintf(why, TABLE_WHY, "the MAT-file is broken, or of a kind that is not read");
    return false;
}

/* ---- version 4 ------------------------------------------------------------------------------- */

/* The type is a number of four digits MOPT: byte order, 0, type of numbers, kind of matrix. */
static bool header_4(const bytes *b, size_t at, uint32_t h[5])
{
    if (b->n < at || b->n - at < 20) return false;
    for (size_t k = 0; k < 5; k++) h[k] = load_u32(b, at + 4 * k);
    return h[0] < 2000 && h[0] % 1000 / 100 == 0 && h[0] % 100 / 10 <= 5 && h[0] % 10 <= 2 &&
           h[3] <= 1 && h[4] > 0 && h[4] < 256;
}

static bool read_4(mem *m, bytes b, const char *name, table_matrix *out, char *why)
{
    static const uint8_t types[] = {DOUBLE, SINGLE, INT32, INT16, UINT16, UINT8};
    uint32_t h[5];
    for (size_t at = 0; at < b.n;) {
        if (!header_4(&b, at, h)) return broken(why);
        int type = types[h[0] % 100 / 10];
        size_t data = at + 20 + h[4];
        if (data > b.n) return broken(why);
        const char *found = (const char *)b.at + at + 20;
        size_t bytes_of = (size_t)h[1] * h[2] * width[type] * (h[3] ? 2 : 1);
        if (strlen(name) == strnlen(found, h[4]) && !memcmp(found, name, strnlen(found, h[4])))
            return mat_take(m, &b, data, type, h[1], h[2], out, why);
        if (bytes_of > b.n - data) return broken(why);
        at = data + bytes_of;
    }
    return none(name, why);
}

/* ---- version 5 ------------------------------------------------------------------------------- */

typedef struct element {
    int type;
    size_t data, n, next;
} element;

static bool element_at(const bytes *b, size_t at, element *e)
{
    if (at > b->n || b->n - at < 8) return false;
    uint32_t tag = load_u32(b, at);
    if (tag >> 16) { // a short one: its bytes are in its tag
        *e = (element){(int)(tag & 0xffff), at + 4, tag >> 16, at + 8};
        return e->n <= 4 && e->type < N_TYPES;
    }
    e->type = (int)tag;
    e->n = load_u32(b, at + 4);
    e->data = at + 8;
    e->next = e->data + (e->type == COMPRESSED ? e->n : (e->n + 7) / 8 * 8);
    return tag < N_TYPES && e->n <= b->n - e->data;
}

/* The matrix element e, if it has the name: 1 done, 0 another one, -1 after a reason. */
static int matrix_5(mem *m, const bytes *b, const element *e, const char *name, table_matrix *out,
                    char *why)
{
    element part[4];
    size_t at = e->data;
    for (int k = 0; k < 4; k++) {
        if (!element_at(b, at, &part[k])) return broken(why), -1;
        at = part[k].next;
        if (k == 2 && (part[2].n != strlen(name) || memcmp(b->at + part[2].data, name, part[2].n)))
            return 0;
    }
    int type = part[3].type;
    if (part[1].n != 8 || type >= N_TYPES || !width[type]) return broken(why), -1;
    bytes own = {b->at, part[3].data + part[3].n, b->swapped};
    return mat_take(m, &own, part[3].data, type, load_u32(b, part[1].data),
                    load_u32(b, part[1].data + 4), out, why)
               ? 1
               : -1;
}

static int compressed_5(mem *m, const bytes *b, const element *e, const char *name,
                        table_matrix *out, char *why)
{
    size_t n = 0, cap = 0;
    unsigned char *plain = table_inflate(m, b->at + e->data, e->n, &n, &cap);
    if (!plain) return broken(why), -1;
    bytes inside = {plain, n, b->swapped};
    element whole;
    int done = element_at(&inside, 0, &whole) ? 0 : -1;
    if (done < 0) broken(why);
    else if (whole.type == MATRIX) done = matrix_5(m, &inside, &whole, name, out, why);
    mem_free(m, plain, cap);
    return done;
}

static bool read_5(mem *m, bytes b, const char *name, table_matrix *out, char *why)
{
    element e;
    for (size_t at = 128; at < b.n; at = e.next) {
        if (!element_at(&b, at, &e)) return broken(why);
        int done = e.type == COMPRESSED ? compressed_5(m, &b, &e, name, out, why)
                   : e.type == MATRIX   ? matrix_5(m, &b, &e, name, out, why)
                                        : 0;
        if (done) return done > 0;
    }
    return none(name, why);
}

/* ---- which ----------------------------------------------------------------------------------- */

static int mat_version(bytes *b)
{
    uint32_t h[5];
    if (b->n >= 128 && (!memcmp(b->at + 126, "IM", 2) || !memcmp(b->at + 126, "MI", 2))) {
        b->swapped = b->at[126] == 'M';
        return b->at[b->swapped ? 124 : 125] == 1 ? 5 : 7;
    }
    for (int swapped = 0; swapped < 2; swapped++) {
        b->swapped = swapped;
        if (header_4(b, 0, h)) return 4;
    }
    return 0;
}

bool table_is_mat(const unsigned char *at, size_t n)
{
    bytes b = {at, n, false};
    return mat_version(&b) != 0;
}

bool table_read_mat(mem *m, const unsigned char *at, size_t n, const char *name, table_matrix *out,
                    char *why)
{
    bytes b = {at, n, false};
    int version = mat_version(&b);
    if (version == 4) return read_4(m, b, name, out, why);
    if (version == 5) return read_5(m, b, name, out, why);
    snprintf(why, TABLE_WHY,
             "it is a MAT-file of version 7.3 (HDF5), which is not read; save it as version 7");
    return false;
}
