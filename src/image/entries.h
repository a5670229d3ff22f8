/* Entries: the unknowns of a model and their derivatives, by number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_ENTRIES_H
#define IMAGE_ENTRIES_H

#include "base/source.h"
#include "image/column.h"

/* The unknowns of the structure and their derivatives. Those of one unknown follow each other; derivatives that
 * belong to the start alone stand at the end. */
typedef struct image_entries {
    int n, n_low;            // all, and those that do not belong to the start alone
    int n_attributes;        // sets of attributes, which entries share
    image_column kind;       // by entry: image_kind_of
    image_column attributes; // by entry: its set of attributes, < n_attributes
    image_column called;     // by entry: the flat variable that gives the name (image_called)
    int *below;              // by entry from n_low on: the entry of which it is the derivative
    image_column begin, end; // by set of attributes: where its start value is declared, a span
} image_entries;

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

/* Its name is that of so many derivatives of a flat variable. */
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
