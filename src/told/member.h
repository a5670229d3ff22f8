/* Members by their offsets (inside told only).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOLD_MEMBER_H
#define TOLD_MEMBER_H

#include "told/told.h"

#define MEMBER(T, told, at) (*(T *)(void *)((char *)(told) + (at)))

bool told_applies(const told_field *fields, const char *when, const char *unless, const void *told);

#endif
