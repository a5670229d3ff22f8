/* Structs of a compiled model are declared by a list of their members. The same list gives the struct, its saving and
 * loading, the checks of what was loaded, comparison and the report of memory (image/image_schema.h).
 *
 *     #define CODE_THING(X)
 *         X(NUMBER, int, n, "unknowns")
 *         X(INDEX, int, first, 0, m->n, "its first unknown")
 *         X(NUMBERS, double, size, x->n, "by unknown: its typical size")
 *         X(INDICES, int, row, x->n, -1, m->n, "by unknown: its row; -1: it has none")
 *         X(PART, vinc_pattern, jac, "a struct inside this one")
 *         X(PARTS, code_fn, function, x->n, "an array of structs")
 *         X(TAPES, program, x->n, "an array of tapes")
 *         X(TEXT, name, "characters up to a 0")
 *     typedef struct code_thing {
 *         CODE_THING(IMAGE_MEMBER)
 *     } code_thing;
 *
 * Lengths and limits are expressions of the struct x itself, as far as it stands before this member, and of the model m.
 * An index i is allowed if low <= i < end. Arrays, texts and tapes may be NULL.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_LIST_H
#define IMAGE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define IMAGE_MEMBER(kind, ...) IMAGE_MEMBER_##kind(__VA_ARGS__)
#define IMAGE_MEMBER_NUMBER(type, name, what) type name;
#define IMAGE_MEMBER_INDEX(type, name, low, end, what) type name;
#define IMAGE_MEMBER_NUMBERS(type, name, length, what) type *name;
#define IMAGE_MEMBER_INDICES(type, name, length, low, end, what) type *name;
#define IMAGE_MEMBER_PART(type, name, what) type name;
#define IMAGE_MEMBER_PARTS(type, name, length, what) type *name;
#define IMAGE_MEMBER_TAPES(name, length, what) const tape **name;
#define IMAGE_MEMBER_TEXT(name, what) const char *name;

#endif
