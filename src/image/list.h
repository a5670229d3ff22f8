/* Structs of a compiled model are declared by a list of their members. The same list gives the struct, its saving and
 * loading, the checks of what was loaded, comparison and the report of memory (image/image_schema.h).
 *
 *     #define CODE_THING(X)
 *         X(COUNT, n, "unknowns")
 *         X(NUMBER, double, work, "operations of an evaluation")
 *         X(INDEX, int, first, 0, m->n, "its first unknown")
 *         X(FEW, int, extent, 10, "an array inside this struct")
 *         X(NUMBERS, double, size, x->n, "by unknown: its typical size")
 *         X(PACKED, code_bits, bits, x->n, "an array of structs that are saved as they are")
 *         X(INDICES, int, row, x->n, -1, m->n, "by unknown: its row; -1: it has none")
 *         X(PART, vinc_pattern, jac, "a struct inside this one")
 *         X(PARTS, code_fn, function, x->n, "an array of structs")
 *         X(VECTOR, code_range, ranges, "an array of structs with its own count (base/array.h)")
 *         X(SHARED, tape_program, program, "one struct, which others may share")
 *         X(LINK, code_model, initial, "one struct, to which the compiler and the loader may still write")
 *         X(SHARES, tape, cell, x->n, "an array of pointers to such structs")
 *         X(TEXT, name, "characters up to a 0")
 *         X(TEXTS, names, x->n, "an array of texts")
 *         X(LOCAL, tape_code *, code, "what belongs to this process, and is not saved")
 *     typedef struct code_thing {
 *         CODE_THING(IMAGE_MEMBER)
 *     } code_thing;
 *
 * Lengths and limits are expressions of the struct x itself, as far as it stands before this member, of the struct `up` of
 * which it is a part, and of the model m. A count is never negative. An index i is allowed if low <= i < end. Texts and
 * shared structs may be NULL; an array that is not empty may be NULL only if its line says so: "NULL: ...".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_LIST_H
#define IMAGE_LIST_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_MEMBER(kind, ...) IMAGE_MEMBER_##kind(__VA_ARGS__)
#define IMAGE_MEMBER_COUNT(name, what) int name;
#define IMAGE_MEMBER_NUMBER(type, name, what) type name;
#define IMAGE_MEMBER_INDEX(type, name, low, end, what) type name;
#define IMAGE_MEMBER_FEW(type, name, length, what) type name[length];
#define IMAGE_MEMBER_NUMBERS(type, name, length, what) type *name;
#define IMAGE_MEMBER_PACKED(type, name, length, what) type *name;
#define IMAGE_MEMBER_INDICES(type, name, length, low, end, what) type *name;
#define IMAGE_MEMBER_PART(type, name, what) type name;
#define IMAGE_MEMBER_PARTS(type, name, length, what) type *name;
#define IMAGE_MEMBER_VECTOR(type, name, what) ARRAY(type) name;
#define IMAGE_MEMBER_SHARED(type, name, what) const type *name;
#define IMAGE_MEMBER_LINK(type, name, what) struct type *name;
#define IMAGE_MEMBER_SHARES(type, name, length, what) const type **name;
#define IMAGE_MEMBER_TEXT(name, what) const char *name;
#define IMAGE_MEMBER_TEXTS(name, length, what) const char **name;
#define IMAGE_MEMBER_ROUTINE(name, what) const struct tape_function *name;
#define IMAGE_MEMBER_LOCAL(type, name, what) type name;

#endif
