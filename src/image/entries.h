/* Entries: the unknowns of a model and their derivatives, by number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_ENTRIES_H
#define IMAGE_ENTRIES_H

#include "base/source.h"
#include "image/column.h"

// clang-format off

/* The unknowns of the structure and their derivatives. Those of one unknown follow each other; derivatives that
 * belong to the start alone stand at the end. */
#define IMAGE_ENTRIES(X)                                                                                                         \
    X(COUNT, n, "entries")                                                                                                       \
    X(COUNT, n_low, "those that do not belong to the start alone")                                                               \
    X(COUNT, n_below, "those that do")                                                                                           \
    X(COUNT, n_attributes, "sets of attributes, which entries share")                                                            \
    X(PART, image_column, kind, "by entry: image_kind_of")                                                                       \
    X(PART, image_column, attributes, "by entry: its set of attributes, below n_attributes")                                     \
    X(PART, image_column, called, "by entry: the flat variable that gives the name (image_called)")                              \
    X(INDICES, int, below, x->n_below, 0, x->n, "by entry from n_low on: the entry of which it is the derivative")               \
    X(PART, image_column, begin, "by set of attributes: where its start value is declared")                                      \
    X(PART, image_column, end, "by set of attributes: where that declaration ends")
typedef struct image_entries {
    IMAGE_ENTRIES(IMAGE_MEMBER)
} image_entries;

// clang-format on

/* One number tells three. */
static inline int image_kind_of(int order, int highest, int times)
{
    return order + (highest << 8) + (times << 16);
}

/* Which derivative it is. */
static inline int image_order_of(const image_entries *x, int entry)
{
    return image_at(&x->kind, entry) & 255;
}

/* Which is the highest derivative of its unknown that does not belong to the start alone. */
static inline int image_highest_of(const image_entries *x, int entry)
{
    return image_at(&x->kind, entry) >> 8 & 255;
}

/* The entry of which a derivative is the derivative. */
static inline int image_entry_below(const image_entries *x, int entry)
{
    return entry < x->n_low ? entry - 1 : x->below[entry - x->n_low];
}

/* The flat variable that gives the name; *times is the order of the derivative. */
static inline int image_called(const image_entries *x, int entry, int *times)
{
    *times = image_at(&x->kind, entry) >> 16;
    return image_at(&x->called, entry);
}

static inline span image_declared_at(const image_entries *x, int entry)
{
    int k = image_at(&x->attributes, entry);
    return (span){(uint32_t)image_at(&x->begin, k), (uint32_t)image_at(&x->end, k)};
}

#endif
