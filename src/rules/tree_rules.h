/* Rules over components, each called for every component of the tree; for the files of this room.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RULES_TREE_RULES_H
#define RULES_TREE_RULES_H

#include "inst/tree.h"

typedef void node_rule(flat_builder *b, inst_node *n);

node_rule rules_redeclared_component; // redeclare_rules.c
node_rule rules_redeclared_classes;
node_rule rules_prefix_class; // prefix_rules.c
node_rule rules_prefix_twice;
node_rule rules_flow_type;
node_rule rules_connector_balance; // connector_rules.c
node_rule rules_stream_flow;
node_rule rules_stream_place;
node_rule rules_connector_variability;
node_rule rules_expandable_flow;
node_rule rules_flow_operators;
node_rule rules_operators; // operator_rules.c
node_rule rules_constant;  // variability_rules.c

#endif
