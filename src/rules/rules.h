/* The restrictions of the specification: what is not allowed although it has a meaning.
 *
 * One list (rules/rule_list.h) names every rule with its code, its section of the specification,
 * a sentence and the way out. The functions that hold models against it are grouped by what they
 * look at, and are called at several moments of flattening (flatten/flatten.c), each with what is
 * known then. Only what the model uses is looked at: a class of a library that no component, base
 * class or name leads to is not judged.
 *
 *   rules_class   a class comes into use: its text and its base classes (class_rules.c, base_rules.c)
 *   rules_first, _member, _import, _ambiguous, _outer
 *                 a name was looked up: where it leads through (name_rules.c)
 *   rules_unknown, _unknown_element, _unknown_import
 *                 a name was not found: what keeps it from being found (name_rules.c)
 *   rules_tree    the tree of components is built: declarations in force, modifications (tree_rules.c)
 *
 *   rules_variability
 *                 the equations are written: what when-clauses set (variability_rules.c)
 *
 * A rule that is broken is an error in the sink, and flattening fails; the functions return
 * nothing. A rule asks, it never changes what is instantiated.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "inst/tree.h"

void rules_class(flat_builder *b, inst_class *cls);
void rules_first(const scope *s, const inst_element *el, const ast_ref *r);
void rules_member(flat_builder *b, inst_class *in, const inst_element *el, const ast_ref *r, int i);
void rules_import(flat_builder *b, inst_class *in, const inst_element *el, const ast_import *im);
void rules_ambiguous(flat_builder *b, const ast_import *im, sym name);
bool rules_unknown(flat_builder *b, inst_class *from, sym name, span at, bool base);
bool rules_unknown_element(flat_builder *b, inst_class *cls, sym name, span at);
bool rules_unknown_import(flat_builder *b, inst_class *from, const ast_import *im);
void rules_outer(flat_builder *b, const inst_node *outer, const ast_ref *r, int i);
void rules_conditional(flat_builder *b, const inst_element *el, span at);
void rules_time(const scope *s, const ast_ref *r);
void rules_tree(flat_builder *b);
void rules_variability(flat_builder *b);

/* ---- private to this room -------------------------------------------------------------------- */

struct rules {
    map said;      // of a place and rule: how often it was broken there
    map texts;     // classes whose text was looked at
    map operators; // operator records whose operators were
};
struct rules *rules_of(flat_builder *b);
void rules_bases(flat_builder *b, inst_class *cls);    // base_rules.c
void rules_function(flat_builder *b, inst_class *cls); // function_rules.c

#endif
