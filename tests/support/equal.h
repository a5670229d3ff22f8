/* Are two syntax trees the same but for their places in the text?
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUPPORT_EQUAL_H
#define SUPPORT_EQUAL_H

#include "lang/lang.h"

bool equal_file(const ast_file *x, const ast_file *y);
bool equal_expr(const ast_expr *x, const ast_expr *y);

#endif
