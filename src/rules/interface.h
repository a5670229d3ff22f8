/* Interfaces of classes and components, and whether one fits where another is expected.
 *
 * The interface of a class is what can be seen of it from outside: its public components with
 * their types, prefixes and dimensions (Modelica Language Specification, chapter 6). It is computed
 * from the classes as they are after redeclarations, not from their names: two classes that do not
 * know of each other may have compatible interfaces.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RULES_INTERFACE_H
#define RULES_INTERFACE_H

#include "inst/tree.h"

/* A component as it is seen from outside. */
typedef struct interface_view {
    inst_class *cls;
    uint8_t variability; // flat_variability, as far as it was declared
    uint8_t causality, flow;
    int n_dims;
    bool conditional;
} interface_view;

/* Why the interface of `have` is not compatible with that of `want` (section 6.4), as the end of a
 * sentence, such as "it has no element 'x'"; NULL: it is compatible. */
const char *interface_gap(flat_builder *b, inst_class *have, inst_class *want);
/* The same of two components, prefixes and dimensions included. */
const char *interface_component_gap(flat_builder *b, const interface_view *have,
                                    const interface_view *want);

#endif
