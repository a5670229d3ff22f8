/* The tables of all structs of a compiled model, expanded from their lists.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "image/image_schema.h"
#include "image/image_model.h"

#include <stdbool.h>

#define RECORD_PASTE(a, b) a##b
#define RECORD_NAME(a, b)  RECORD_PASTE(a, b)
#define RECORD_STRING(a)   #a
#define RECORD_TEXT(a)     RECORD_STRING(a)
#define RECORD_SCALAR(type)                                                                        \
    _Generic((type)0, int8_t                                                                       \
             : IMAGE_SCALAR_I8, uint8_t                                                            \
             : IMAGE_SCALAR_U8, bool                                                               \
             : IMAGE_SCALAR_BOOL, int16_t                                                          \
             : IMAGE_SCALAR_I16, int                                                               \
             : IMAGE_SCALAR_I32, uint32_t                                                          \
             : IMAGE_SCALAR_U32, int64_t                                                           \
             : IMAGE_SCALAR_I64, double                                                            \
             : IMAGE_SCALAR_F64)

#define RECORD_MEMBER(kind, ...) RECORD_MEMBER_##kind(__VA_ARGS__)
#define RECORD_ENTRY(kind, name, what, scalar, bytes, record)                                      \
    {#name, what, IMAGE_KIND_##kind, scalar, offsetof(T, name), bytes, record},
#define RECORD_OF(type) &image_record_##type
#define RECORD_MEMBER_COUNT(name, what)                                                            \
    RECORD_ENTRY(COUNT, name, what, IMAGE_SCALAR_I32, sizeof(int), NULL)
#define RECORD_MEMBER_NUMBER(type, name, what)                                                     \
    RECORD_ENTRY(NUMBER, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_INDEX(type, name, low, end, what)                                            \
    RECORD_ENTRY(INDEX, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_FEW(type, name, length, what)                                                \
    RECORD_ENTRY(FEW, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_NUMBERS(type, name, length, what)                                            \
    RECORD_ENTRY(NUMBERS, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_PACKED(type, name, length, what)                                             \
    RECORD_ENTRY(PACKED, name, what, IMAGE_SCALAR_NONE, sizeof(type), NULL)
#define RECORD_MEMBER_INDICES(type, name, length, low, end, what)                                  \
    RECORD_ENTRY(INDICES, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_PART(type, name, what)                                                       \
    RECORD_ENTRY(PART, name, what, IMAGE_SCALAR_NONE, sizeof(type), RECORD_OF(type))
#define RECORD_MEMBER_PARTS(type, name, length, what)                                              \
    RECORD_ENTRY(PARTS, name, what, IMAGE_SCALAR_NONE, sizeof(type), RECORD_OF(type))
#define RECORD_MEMBER_VECTOR(type, name, what)                                                     \
    RECORD_ENTRY(COUNT, name.n, what, IMAGE_SCALAR_I32, sizeof(int), NULL)                         \
    RECORD_ENTRY(PARTS, name.at, what, IMAGE_SCALAR_NONE, sizeof(type), RECORD_OF(type))
#define RECORD_MEMBER_SHARED(type, name, what)                                                     \
    RECORD_ENTRY(SHARED, name, what, IMAGE_SCALAR_NONE, sizeof(void *), RECORD_OF(type))
#define RECORD_MEMBER_LINK(type, name, what) RECORD_MEMBER_SHARED(type, name, what)
#define RECORD_MEMBER_SHARES(type, name, length, what)                                             \
    RECORD_ENTRY(SHARES, name, what, IMAGE_SCALAR_NONE, sizeof(void *), RECORD_OF(type))
#define RECORD_MEMBER_TEXT(name, what)                                                             \
    RECORD_ENTRY(TEXT, name, what, IMAGE_SCALAR_NONE, sizeof(void *), NULL)
#define RECORD_MEMBER_TEXTS(name, length, what)                                                    \
    RECORD_ENTRY(TEXTS, name, what, IMAGE_SCALAR_NONE, sizeof(void *), NULL)
#define RECORD_MEMBER_ROUTINE(name, what)                                                          \
    RECORD_ENTRY(ROUTINE, name, what, IMAGE_SCALAR_NONE, sizeof(void *), NULL)
#define RECORD_MEMBER_LOCAL(type, name, what)                                                      \
    RECORD_ENTRY(LOCAL, name, what, IMAGE_SCALAR_NONE, sizeof(type), NULL)

#define RECORD_LIMITS(kind, ...) RECORD_LIMITS_##kind(__VA_ARGS__)
#define RECORD_SET(length_, low_, end_)                                                            \
    *out++ = (image_limits){.length = (length_), .low = (low_), .end = (end_)};
#define RECORD_LIMITS_COUNT(name, what)                           RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_NUMBER(type, name, what)                    RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_INDEX(type, name, low, end, what)           RECORD_SET(1, low, end)
#define RECORD_LIMITS_FEW(type, name, length, what)               RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_NUMBERS(type, name, length, what)           RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_PACKED(type, name, length, what) RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_INDICES(type, name, length, low, end, what) RECORD_SET(length, low, end)
#define RECORD_LIMITS_PART(type, name, what)                      RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_PARTS(type, name, length, what)             RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_VECTOR(type, name, what) RECORD_SET(1, 0, 0) RECORD_SET(x->name.n, 0, 0)
#define RECORD_LIMITS_SHARED(type, name, what)                    RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_LINK(type, name, what) RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_SHARES(type, name, length, what)            RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_TEXT(name, what)                            RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_TEXTS(name, length, what)                   RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_ROUTINE(name, what)                         RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_LOCAL(type, name, what)                     RECORD_SET(1, 0, 0)
