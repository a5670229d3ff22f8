/* How a rule says that it is broken; for the files of this room.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include "inst/tree.h"
#include "rules/rule_list.h"

typedef enum rule {
#define X(name, ...) RULE_##name,
    RULES(X)
#undef X
        N_RULES
} rule;

typedef enum rule_severity { RULE_WARNING, RULE_ERROR } rule_severity;

/* What was found, as the first half of a sentence: "the block 'B' extends the model 'M'". The way
 * out and the rule itself are added. The same rule at the same place is reported once, however many
 * components have the text; false if it was before. */
bool rules_report(flat_builder *b, rule r, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Kinds of classes, as section 7.1.3 counts them. */
typedef enum rule_kind {
    KIND_CLASS,
    KIND_MODEL,
    KIND_BLOCK,
    KIND_RECORD,
    KIND_OPERATOR_RECORD,
    KIND_CONNECTOR,
    KIND_EXPANDABLE,
    KIND_TYPE,
    KIND_PACKAGE,
    KIND_FUNCTION,
    KIND_OPERATOR_FUNCTION,
    KIND_OPERATOR
} rule_kind;

/* The k-th name that an import clause gives; NULL: there is none. */
sym rules_import_name(const ast_import *im, int k);
rule_kind rules_kind(const ast_class *c);
/* "operator record", "expandable connector", "model" ... */
const char *rules_kind_text(const ast_class *c);

#endif
