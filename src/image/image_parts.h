/* What saving and loading agree on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_PARTS_H
#define IMAGE_IMAGE_PARTS_H

#include "image/image_schema.h"

#include <stdbool.h>

enum { IMAGE_DIGEST = 32 };

typedef struct image_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t lists; // changes with the lists of members
    uint8_t digest[IMAGE_DIGEST];
} image_header;

image_header image_header_of(void); // of this program, without a digest
void image_digest(const void *bytes, size_t n, uint8_t digest[IMAGE_DIGEST]);

/* What a pointer points to. Arrays of structs are never shared, for their members may depend on the struct around them. */
typedef struct image_block {
    int64_t length;
    const image_record *of; // NULL: numbers or texts
    size_t size;            // bytes of an element
    bool texts, pointers, shared;
} image_block;
static inline image_block image_block_of(const image_member *q, int64_t length)
{
    return (image_block){.length = length,
                         .of = q->of,
                         .size = q->size,
                         .texts = q->kind == IMAGE_KIND_TEXTS,
                         .pointers = q->kind == IMAGE_KIND_SHARES,
                         .shared = q->kind != IMAGE_KIND_PARTS};
}
static inline bool image_same_block(image_block a, image_block b)
{
    return a.length == b.length && a.of == b.of && a.size == b.size && a.texts == b.texts &&
           a.pointers == b.pointers;
}

/* What stands for a pointer. */
typedef enum image_pointer {
    IMAGE_NULL,
    IMAGE_EMPTY, // to an array without elements
    IMAGE_HERE,  // what it points to follows
    IMAGE_KNOWN  // what it points to was the k-th that followed a pointer: k follows
} image_pointer;

#endif
