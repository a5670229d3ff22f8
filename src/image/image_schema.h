/* What the lists of a compiled model (image/list.h) say, as tables: for whatever walks over all members of a model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_SCHEMA_H
#define IMAGE_IMAGE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_model;
struct code_fn;

typedef enum image_kind {
    IMAGE_KIND_COUNT,
    IMAGE_KIND_NUMBER,
    IMAGE_KIND_INDEX,
    IMAGE_KIND_FEW,
    IMAGE_KIND_NUMBERS,
    IMAGE_KIND_PACKED,
    IMAGE_KIND_INDICES,
    IMAGE_KIND_PART,
    IMAGE_KIND_PARTS,
    IMAGE_KIND_SHARED,
    IMAGE_KIND_SHARES,
    IMAGE_KIND_TEXT,
    IMAGE_KIND_TEXTS,
    IMAGE_KIND_ROUTINE,
    IMAGE_KIND_LOCAL
} image_kind;

typedef enum image_scalar {
    IMAGE_SCALAR_NONE, // a struct, a pointer
    IMAGE_SCALAR_I8,
    IMAGE_SCALAR_U8,
    IMAGE_SCALAR_BOOL,
    IMAGE_SCALAR_I16,
    IMAGE_SCALAR_U16,
    IMAGE_SCALAR_I32,
    IMAGE_SCALAR_U32,
    IMAGE_SCALAR_I64,
    IMAGE_SCALAR_F64
} image_scalar;

typedef struct image_member {
    const char *name, *what;
    uint8_t kind;                  // image_kind
    uint8_t scalar;                // image_scalar of a number, or of the elements of an array
    size_t at, size;               // offset in the struct; bytes of the member or of one element
    const struct image_record *of; // the struct of a PART, PARTS, SHARED or SHARES
} image_member;

typedef struct image_limits {
    int64_t length;   // elements of an array
    int64_t low, end; // of indices: low <= i < end
} image_limits;

/* The pointer that a member is; NULL: it is none. */
static inline void *image_pointer_of(const image_member *q, const void *member)
{
    bool is = q->kind == IMAGE_KIND_NUMBERS || q->kind == IMAGE_KIND_PACKED ||
              q->kind == IMAGE_KIND_INDICES || q->kind == IMAGE_KIND_PARTS ||
              q->kind == IMAGE_KIND_SHARED || q->kind == IMAGE_KIND_SHARES ||
              q->kind == IMAGE_KIND_TEXT || q->kind == IMAGE_KIND_TEXTS;
    return is ? *(void *const *)member : NULL;
}

enum { IMAGE_MEMBERS_MAX = 56 }; // of one struct

typedef struct image_record {
    const char *name;
    size_t size;
    const image_member *(*members)(int *n);
    /* The limits of all members of the struct `at`, which lies in the model m and is a part of the struct up, as far
     * as members are known. */
    void (*limits)(const void *at, const void *up, const struct code_model *m, image_limits *out);
} image_record;

/* The structs that the code names. */
typedef struct image_records {
    const image_record *model; // the whole
    const image_record *pattern, *program, *function, *cells, *formulation, *column, *routines;
} image_records;
extern const image_records image_record_of;


#endif
