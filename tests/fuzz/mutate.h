/* Mutants of Modelica texts that mostly are Modelica again.
 *
 * A text is parsed, and the places of its pieces (expressions, operators, literals, references,
 * equations, declarations, types, modifiers) are taken from the tree. A mutation puts one piece in
 * the place of another of its kind, from the same text or from a second one, or changes it in a way
 * that the grammar allows. A text that does not parse has only its words exchanged.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "dice.h"

/* A mutant of text, with pieces of other, too (NULL: none), to out, which has room for `most` bytes
 * and a NUL. Its length; the text itself where no mutation fits. */
size_t mutate(const char *text, size_t n, const char *other, size_t n_other, dice *d, char *out,
              size_t most);

#endif
