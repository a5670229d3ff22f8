/* A compiled model as bytes.
 *
 * The bytes are a header (magic, version, byte order, a number that stands for the lists of all members, a digest of what
 * follows) and the members of the model in the order of their lists. What several members share is written once.
 * Reading trusts nothing: lengths are held against what is left of the bytes, indices against their limits, programs
 * against the rules of tapes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_FILE_H
#define IMAGE_IMAGE_FILE_H

#include "base/arena.h"
#include "base/text.h"
#include "image/image_schema.h"

/* Append the model to out. */
void image_save(const struct code_model *m, arena *scratch, text *out);

/* Is this the beginning of a compiled model? */
bool image_is_one(const void *bytes, size_t n);

/* The model, made in a. NULL, and a sentence in why, if the bytes are cut off, altered, or of another version. */
struct code_model *image_load(const void *bytes, size_t n, arena *a, arena *scratch, text *why);

/* Member by member: do both hold the same? If not, the path of the first difference is in where, "system.jac.row". */
bool image_equal(const struct code_model *x, const struct code_model *y, text *where);

/* All functions of the model itself, in the order of the lists. */
void image_functions(struct code_model *m, void (*visit)(void *user, struct code_fn *f),
                     void *user);

/* Bytes of every member, and what it is for. */
void image_print(const struct code_model *m, text *out);

#endif
