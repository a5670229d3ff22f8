/* The restrictions of the language, one line each.
 *
 * X(NAME, code, name, severity, section, sentence, way out)
 *
 * A rule is reported by rules_report (rules/rule.h) with its NAME: what was found in the model,
 * the way out, the code, and in a note the name, section and sentence of the rule. Sections are
 * those of the Modelica Language Specification, edition 3.7. RULE_WARNING: what libraries in use
 * do and other tools let pass.
 *
 * Every rule has a file tests/unit/rules/cases/<name>.mo with models that keep it and models that
 * do not, and a line in docs/messages/rules.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RULES_RULE_LIST_H
#define RULES_RULE_LIST_H

/* clang-format off */
#define RULES_OF_CLASSES(X)                                                                        \
    X(BASE_KIND, "G101", "base-kind", RULE_ERROR, "7.1.3",                                         \
      "the kind of a class says of which kinds its base classes may be",                           \
      "extend a class of a kind that fits, or change the kind of this one")                        \
    X(CLASS_SECTION, "G102", "class-section", RULE_ERROR, "4.7",                                   \
      "records, connectors, packages, types and operators have no equations and no algorithms",    \
      "remove the section, or declare the class a model or block")                                 \
    X(CLASS_PROTECTED, "G103", "class-protected", RULE_ERROR, "4.7",                               \
      "all elements of a record or connector are public",                                          \
      "make the element public, or move it out of the class")                                      \
    X(ELEMENT_PREFIX, "G104", "element-prefix", RULE_ERROR, "4.7",                                 \
      "elements of records are not input, output, flow, stream, inner or outer, those of "         \
      "connectors not inner or outer",                                                             \
      "remove the prefix, or declare the class of another kind")                                   \
    X(PACKAGE_CONTENT, "G105", "package-content", RULE_ERROR, "4.7",                               \
      "a package holds classes and constants only",                                                \
      "declare the component 'constant', or the class a model")                                    \
    X(OPERATOR_CONTENT, "G106", "operator-content", RULE_ERROR, "4.7",                             \
      "an operator holds functions only",                                                          \
      "move the element out of the operator")                                                      \
    X(RESERVED_NAME, "G107", "reserved-name", RULE_ERROR, "4.9",                                   \
      "no class or component has the name of a predefined type",                                   \
      "choose another name")                                                                       \
    X(ENUMERATION_LITERAL, "G108", "enumeration-literal", RULE_ERROR, "4.9.5",                     \
      "literals of an enumeration differ from each other and from its attributes",                 \
      "rename the literal")                                                                        \
    X(INHERITED_TWICE, "G109", "inherited-twice", RULE_ERROR, "7.1",                               \
      "elements of one name that meet in a class are the same, or one redeclares the other",       \
      "rename one of them, or write 'redeclare'")                                                  \
    X(INHERITED_UNLIKE, "G114", "inherited-unlike", RULE_WARNING, "7.1",                           \
      "elements of one name that meet in a class have the same modifications",                     \
      "rename one of them, or make their modifications the same")                                  \
    X(REPLACEABLE_BASE, "G110", "replaceable-base", RULE_ERROR, "7.1.4",                           \
      "a base class cannot be replaced",                                                           \
      "remove 'replaceable', or use 'redeclare class extends'")                                    \
    X(BASE_ALONE, "G111", "base-alone", RULE_ERROR, "4.6.2",                                       \
      "a class that extends an array, a simple type or a class with a prefix has nothing else",    \
      "declare a component of that class instead of extending it")                                 \
    X(OPERATOR_RECORD_BASE, "G112", "operator-record-base", RULE_ERROR, "4.7",                     \
      "an operator record is the base of short classes only, and no class around one is a base",   \
      "write 'operator record B = A(...)', or use a component")                                    \
    X(IMPORT_TWICE, "G113", "import-twice", RULE_ERROR, "13.2.2",                                  \
      "two import clauses of a class do not give the same name",                                   \
      "rename one: import B = A.C")

#define RULES_OF_NAMES(X)                                                                          \
    X(PROTECTED_ACCESS, "G201", "protected-access", RULE_ERROR, "4.1",                             \
      "a protected element is known only in its class and in classes that extend it",              \
      "make it public, or use a public element")                                                   \
    X(INSIDE_CLASS, "G202", "inside-class", RULE_ERROR, "5.3.2",                                   \
      "in a class that is no package, only encapsulated elements are found through its name",      \
      "declare the class a package or the element 'encapsulated', or use a component")             \
    X(INSIDE_PARTIAL, "G203", "inside-partial", RULE_ERROR, "5.3.2",                               \
      "no value is looked up in a partial class in a model that is simulated",                      \
      "use a complete class that extends it")                                                      \
    X(ENCLOSING_VARIABLE, "G204", "enclosing-variable", RULE_ERROR, "5.3.1",                       \
      "of the variables of a class around this one only constants are known here",                 \
      "declare it 'constant', pass it as a parameter, or use inner and outer")                     \
    X(FUNCTION_OF_ARRAY, "G205", "function-of-array", RULE_ERROR, "5.3.2",                         \
      "a function is called through a scalar component, not through an array",                     \
      "name one element of the array")                                                             \
    X(OPERATOR_OF_COMPONENT, "G206", "operator-of-component", RULE_ERROR, "5.3.2",                 \
      "an operator function is not called through a component",                                    \
      "use the operator itself, or the function through its class")                                \
    X(OUTER_VIEW, "G207", "outer-view", RULE_ERROR, "5.4",                                         \
      "an outer component shows the elements of its own class, though the inner one has more",     \
      "declare the outer component with the class of the inner one")                               \
    X(IMPORT_FROM_CLASS, "G208", "import-from-class", RULE_ERROR, "13.2.1",                        \
      "only elements of packages are imported",                                                    \
      "declare the class around it a package")                                                     \
    X(IMPORT_AMBIGUOUS, "G209", "import-ambiguous", RULE_ERROR, "5.3.1",                           \
      "a name is found in one of the packages that are imported as a whole",                       \
      "import the one that is meant by its name")                                                  \
    X(ENCAPSULATED, "G210", "encapsulated", RULE_ERROR, "5.3.1",                                   \
      "an encapsulated class knows nothing of the classes around it",                              \
      "import it, declare it inside, or remove 'encapsulated'")                                    \
    X(IMPORT_INHERITED, "G211", "import-inherited", RULE_ERROR, "13.2.2",                          \
      "import clauses are not inherited",                                                          \
      "write the import clause here, too")                                                         \
    X(IMPORT_HIDDEN, "G212", "import-hidden", RULE_ERROR, "5.3.1",                                 \
      "of a package that is imported as a whole only public elements are found",                   \
      "make it public")                                                                            \
    X(IMPORT_LOCAL, "G213", "import-local", RULE_ERROR, "13.2.1",                                  \
      "the name of an import is looked up from the top",                                           \
      "write the full name of the class")                                                          \
    X(IMPORT_MODIFIED, "G214", "import-modified", RULE_ERROR, "13.2.2",                            \
      "an import is no element: it is neither modified nor redeclared",                            \
      "declare a replaceable class instead of the import")                                         \
    X(BASE_INHERITED, "G215", "base-inherited", RULE_ERROR, "5.6.1",                               \
      "the name of a base class is not looked up among what other base classes bring",             \
      "name it through its class, or declare the class outside")

#define RULES_OF_COMPONENTS(X)                                                                     \
    X(OUTER_MODIFIED, "G301", "outer-modified", RULE_ERROR, "5.4",                                 \
      "an outer component has no modification and no value of its own",                            \
      "modify the inner component")                                                                \
    X(PROTECTED_MODIFIED, "G302", "protected-modified", RULE_ERROR, "4.1",                         \
      "a protected element is modified or redeclared only where its class is extended",            \
      "make it public, or modify it in an extends clause")                                         \
    X(BLOCK_CONNECTOR, "G303", "block-connector", RULE_ERROR, "4.7",                               \
      "the variables of public connectors of a block are inputs, outputs, parameters or "          \
      "constants",                                                                                 \
      "declare the class a model, or the variables input or output")                               \
    X(INNER_SUBTYPE, "G304", "inner-subtype", RULE_ERROR, "5.4",                                   \
      "the interface of an inner component is compatible with that of its outer ones",             \
      "give both the same class")

#define RULES_OF_REDECLARATIONS(X)                                                                 \
    X(REDECLARED_FIXED, "G401", "redeclared-fixed", RULE_ERROR, "7.3.3",                           \
      "only an element that its last declaration calls replaceable gets a new class",              \
      "declare it 'replaceable', or 'redeclare replaceable' where it was redeclared before")       \
    X(REDECLARED_CONSTANT, "G402", "redeclared-constant", RULE_ERROR, "7.3.3",                     \
      "an element declared constant is not redeclared",                                            \
      "modify its value instead")                                                                  \
    X(REDECLARED_FINAL, "G403", "redeclared-final", RULE_ERROR, "7.3.3",                           \
      "an element declared final is not modified, and so not redeclared",                          \
      "remove the redeclaration, or 'final' from the declaration")                                 \
    X(REDECLARED_VISIBILITY, "G404", "redeclared-visibility", RULE_ERROR, "7.3.3",                 \
      "a protected element stays protected and a public one public",                               \
      "move the redeclaration to the other part of the class")                                     \
    X(CONSTRAINING_TYPE, "G405", "constraining-type", RULE_ERROR, "7.3.2",                         \
      "the class of a replaceable element, and every one that replaces it, is compatible with "    \
      "its constraining class",                                                                    \
      "use a class that has all elements of the constraining class")                               \
    X(REDECLARED_KIND, "G406", "redeclared-kind", RULE_ERROR, "7.3",                               \
      "a component is redeclared as a component and a class as a class",                           \
      "write 'redeclare model M = N' for a class, 'redeclare T x' for a component")

#define RULES_OF_FUNCTIONS(X)                                                                      \
    X(FUNCTION_BODY, "G601", "function-body", RULE_ERROR, "12.2",                                  \
      "a function has one algorithm section or one external body, and no equations",               \
      "put all statements into one algorithm section")                                             \
    X(FUNCTION_VISIBILITY, "G602", "function-visibility", RULE_ERROR, "12.2",                      \
      "inputs and outputs of a function are public, and its other variables are protected",        \
      "move it to the other part of the function")                                                 \
    X(FUNCTION_PREFIX, "G603", "function-prefix", RULE_ERROR, "12.2",                              \
      "elements of a function are neither inner nor outer",                                        \
      "hand the value over as an argument")

#define RULES_OF_OPERATORS(X)                                                                      \
    X(OPERATOR_RESULT, "G701", "operator-result", RULE_ERROR, "14.2",                              \
      "a function of an operator has one output, that of a constructor is the record itself and "  \
      "that of 'String' a String",                                                                 \
      "declare one output of that type")                                                           \
    X(OPERATOR_ARGUMENTS, "G702", "operator-arguments", RULE_ERROR, "14.4",                        \
      "a function of an operator takes as many arguments as the operator has operands",            \
      "add inputs, or give those beyond the operands defaults")                                    \
    X(OPERATOR_AMBIGUOUS, "G703", "operator-ambiguous", RULE_ERROR, "14.2",                        \
      "the functions of an operator take different arguments",                                     \
      "remove one of the functions")

#define RULES_OF_VARIABILITY(X)                                                                    \
    X(CONSTANT_VALUE, "G801", "constant-value", RULE_ERROR, "3.8.1",                               \
      "the value of a constant depends on constants only",                                         \
      "declare it a parameter, or what it depends on a constant")                                  \
    X(DISCRETE_WHEN, "G802", "discrete-when", RULE_ERROR, "4.5",                                   \
      "a variable declared discrete gets its values in when-clauses",                              \
      "remove 'discrete', or set it in a when-clause")                                             \
    X(WHEN_INSIDE, "G803", "when-inside", RULE_ERROR, "4.5",                                       \
      "a when-clause sets variables of its own class, not of models and blocks inside",            \
      "set a variable of this class, and hand it in")

#define RULES_OF_USE(X)                                                                            \
    X(CONDITIONAL_USE, "G320", "conditional-use", RULE_ERROR, "4.4.5",                             \
      "a component with a condition is modified and connected, and not used in expressions",       \
      "connect it, or declare it without a condition")                                             \
    X(TIME_PLACE, "G321", "time-place", RULE_ERROR, "3.6.7",                                       \
      "time is known in models and blocks",                                                        \
      "hand it over as an argument, or by a modification from a model")

#define RULES_OF_PREFIXES(X)                                                                       \
    X(PREFIX_CLASS, "G310", "prefix-class", RULE_ERROR, "4.4.2.2",                                 \
      "flow, stream, input, output, discrete, parameter and constant stand before types, "         \
      "records and connectors only",                                                               \
      "put the prefix before the variables inside")                                                \
    X(PREFIX_TWICE, "G311", "prefix-twice", RULE_ERROR, "4.4.2.2",                                 \
      "before a component and one of its elements do not stand two of flow and stream, or two of " \
      "input and output",                                                                                  \
      "remove one of the prefixes")                                                                \
    X(FLOW_TYPE, "G312", "flow-type", RULE_ERROR, "4.4.2.2",                                       \
      "flow and stream variables are Real",                                                        \
      "declare it Real, or remove the prefix")

#define RULES_OF_CONNECTORS(X)                                                                     \
    X(CONNECTOR_BALANCE, "G501", "connector-balance", RULE_ERROR, "9.3.1",                         \
      "a connector has as many flows as potentials",                                               \
      "add what is missing: a connection gives one equation for every pair")                       \
    X(STREAM_FLOW, "G502", "stream-flow", RULE_ERROR, "15.1",                                      \
      "a connector with streams has exactly one flow variable, a scalar",                          \
      "split the connector, one for each flow")                                                    \
    X(STREAM_PLACE, "G503", "stream-place", RULE_ERROR, "15.1",                                    \
      "stream stands in connectors only",                                                          \
      "remove the prefix, or declare a connector")                                                 \
    X(CONNECTOR_VARIABILITY, "G504", "connector-variability", RULE_ERROR, "9.3",                   \
      "a component of a connector class is neither parameter nor constant",                        \
      "put the prefix before the variables inside")                                                \
    X(EXPANDABLE_FLOW, "G505", "expandable-flow", RULE_ERROR, "9.1.3",                             \
      "no flow stands directly in an expandable connector",                                        \
      "put it into a connector inside")                                                            \
    X(EXPANDABLE_VALUE, "G511", "expandable-value", RULE_ERROR, "9.1.3",                           \
      "a variable of an expandable connector gets its value by connections only",                  \
      "remove the value, or set it in a component that is connected")                              \
    X(EXPANDABLE_SOURCE, "G512", "expandable-source", RULE_ERROR, "9.1.3",                         \
      "an input on an expandable connector is not an input everywhere it is connected",            \
      "connect an output, or a variable that has a value, to it")                                  \
    X(FLOW_OPERATORS, "G506", "flow-operators", RULE_ERROR, "9.2",                                 \
      "an operator record that flows has the operators '+', '-' and '0'",                          \
      "declare them, as Complex does")                                                             \
    X(CONNECT_FORM, "G507", "connect-form", RULE_ERROR, "9.1",                                     \
      "a connection joins connectors of the class or of its components",                           \
      "connect inside the component, or hand the connector out by one of its own")                 \
    X(CONNECT_SUBSCRIPT, "G508", "connect-subscript", RULE_ERROR, "9.1",                           \
      "the subscripts of connectors in a connection are known when the model is translated",       \
      "use a parameter or constant")                                                               \
    X(GRAPH_PLACE, "G509", "graph-place", RULE_ERROR, "9.4.1",                                     \
      "Connections.root, branch and their like stand among equations, outside of when-clauses",    \
      "move it to an equation section")                                                            \
    X(CARDINALITY_CONNECTOR, "G510", "cardinality-connector", RULE_ERROR, "3.7.4",                 \
      "cardinality counts the connections of a connector",                                         \
      "name a connector")

#define RULES(X)                                                                                   \
    RULES_OF_CLASSES(X)                                                                            \
    RULES_OF_NAMES(X)                                                                              \
    RULES_OF_COMPONENTS(X)                                                                         \
    RULES_OF_USE(X)                                                                                \
    RULES_OF_PREFIXES(X)                                                                           \
    RULES_OF_REDECLARATIONS(X)                                                                     \
    RULES_OF_CONNECTORS(X)                                                                         \
    RULES_OF_FUNCTIONS(X)                                                                          \
    RULES_OF_OPERATORS(X)                                                                          \
    RULES_OF_VARIABILITY(X)
/* clang-format on */

#endif
