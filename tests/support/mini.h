/* Flat models from a few lines of text, so that the stages after the flat model can be tested
 * without the front end.
 *
 *     parameter g = 9.81
 *     Real x start 1 fixed            attributes in any order: start E, fixed, nominal E, prefer,
 *     Real y                          always, avoid, never; input makes it an input of the top
 *     der(x) = y                      an equation
 *     initial x = 2*y                 an initial equation
 *
 *     discrete n start 0              a discrete Real; Boolean b is one too
 *     when c: n = 1; reinit(x, 0) elsewhen d: n = 2
 *     assert x < 3, "text"            checked all the time; warn: of level warning; both, and
 *                                     terminate "text", in when-clauses too
 *
 * Expressions: numbers, names (with . and [..]), + - * / ^, relations, and/or/not, if-then-else,
 * der(), the elementary functions, noEvent, homotopy, pre, edge, change, initial(), sample, delay.
 * One item per line; the span of line k is [k, k+1).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SUPPORT_MINI_H
#define TESTS_SUPPORT_MINI_H

#include "flat/flat.h"

typedef struct mini {
    mem m;
    arena a, scratch;
    sym_table syms;
    expr_pool pool;
    diag_sink sink;
    flat_model flat;
} mini;

void mini_init(mini *k, const char *lines); // fails the test on a syntax error
void mini_done(mini *k);
/* All messages, one per line: "S101 12: text"; valid until mini_done. */
const char *mini_messages(mini *k);

#endif
