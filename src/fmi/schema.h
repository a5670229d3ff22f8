/* What elements and attributes a description may have, as tables.
 *
 * An element is a name (what follows a dot tells elements of one name apart), its attributes and its
 * children, both as words:
 *
 *     attributes   name:type, with ! where it must be there; @group stands for those of a group
 *     types        s text, d number, b truth value, i8 u8 ... i64 u64, x bytes in hexadecimal,
 *                  t date and time, {a|b} one of these; a star in front: a list of them
 *     children     in this order; ? at most one, * any number, + at least one, none: exactly one;
 *                  (a|b|c) one of these; NULL: anything
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMI_SCHEMA_H
#define FMI_SCHEMA_H

#include "base/diag.h"
#include "fmi/unpack.h"

typedef struct fmi_element {
    const char *name, *attributes, *children;
} fmi_element;

/* Each ends with a NULL name; the root is the first. Of groups, only the attributes are there. */
extern const fmi_element fmi2_elements[], fmi3_elements[], fmi_groups[];

/* Hold a tree against a table; what is wrong is said. base: the offset of its text in the space of
 * spans. */
void fmi_schema_check(const fmi_xml *x, const fmi_element *table, uint32_t base, diag_sink *d);

/* Is this text a value of the type: "d", "*u32", "{a|b}"? */
bool fmi_is_value(const char *words, const char *type, size_t n_type);
/* A number as XML writes it; the whole text must be one. */
bool fmi_real(const char *words, size_t n, double *out);

#endif
