/* The system that is integrated, and what runs need around it: states chosen while running, layers of dependent
 * unknowns, projection, rank, invariants, inputs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_SYSTEM_H
#define IMAGE_IMAGE_SYSTEM_H

#include "base/source.h"
#include "image/image_function.h"
#include "image/list.h"
#include "vincolo_problem.h"

/* How a component of y is found when the independent ones are given. */
typedef enum code_role { // fmu/source/source_model.h has the first three, too
    CODE_STATE,    // independent: its derivative is solved for
    CODE_SELECTED, // one of a group: tied by constraints and P
    CODE_ALGEBRAIC,
    CODE_TIE // multiplier of a group that is tied: 0 on the solution
} code_role;
enum { CODE_N_ROLES = CODE_TIE + 1 };

// clang-format off

/* y' from the rows that hold it, all of y given: square, by numbers of differential unknowns. */
#define CODE_RATES(X)                                                                                                            \
    X(COUNT, n, "unknowns and rows; 0: this matrix is absent, or not needed")                                                    \
    X(INDICES, int, rows, x->n, 0, m->n, "rows of F")                                                                            \
    X(INDICES, int, columns, x->n, 0, m->n, "differential components of y")                                                      \
    X(PART, vinc_pattern, pattern, "of the matrix")                                                                              \
    X(INDICES, int, value, x->n ? x->pattern.nnz : 0, 0, m->system.jac.nnz, "by entry: its place among the values of the Jacobian")
typedef struct code_rates {
    CODE_RATES(IMAGE_MEMBER)
} code_rates;

/* F(t, y, y') = 0. */
#define CODE_SYSTEM(X)                                                                                                           \
    X(PART, vinc_pattern, jac, "of dF/dy and dF/dy' together")                                                                   \
    X(PART, code_fn, residual, "F")                                                                                              \
    X(PART, code_fn, jacobian, "dF/dy to out, dF/dy' to out2")                                                                   \
    X(PART, code_fn, rhs, "y' and algebraic y in one sweep, if that is possible")                                                \
    X(PART, code_fn, energy, "T + V, and T; no outputs: the model has none")                                                     \
    X(PART, code_fn, constraints, "every constraint and its derivatives: for the violation")                                     \
    X(INDICES, int, constraint_level, x->constraints.n_out, 0, 3, "by output of constraints: position, velocity, acceleration")  \
    X(INDICES, uint8_t, differential, m->n, 0, 2, "by component: 1 where y' occurs")                                             \
    X(NUMBER, bool, all_differential, "y' occurs for all components")                                                            \
    X(NUMBERS, int8_t, unknown_level, m->n, "by component: vinc_problem.unknown_level; NULL: all 0")                             \
    X(NUMBERS, int8_t, equation_level, m->n, "by row: vinc_problem.equation_level; NULL: all 0")                                 \
    X(INDICES, int, velocity, m->n, -1, m->n, "by component: the component that is its derivative, or -1; NULL: none")           \
    X(INDICES, uint8_t, unsized, m->n, 0, 2, "by component: 1 where its nominal is a guess; NULL: nominals of all are given")    \
    X(INDICES, uint8_t, rate, m->n, 0, 2, "by component: vinc_problem.rate; NULL: none")                                         \
    X(INDICES, uint8_t, role, m->n, 0, CODE_N_ROLES, "by component: code_role")                                                  \
    X(INDICES, uint8_t, selecting, m->n, 0, 2, "by row: 1 where it selects states")                                              \
    X(PART, code_rates, rates, "of formulations that keep a higher index")
typedef struct code_system {
    CODE_SYSTEM(IMAGE_MEMBER)
} code_system;

/* Groups of states chosen while running: derivative of their constraints by y. */
#define CODE_CHOICE(X)                                                                                                           \
    X(PART, code_fn, next, "by component of role CODE_SELECTED: the entry that is its derivative")                               \
    X(INDICES, int, next_of, x->next.n_out, 0, m->n, "by output of next: the component")                                         \
    X(COUNT, n_rows, "constraints of all groups")                                                                                \
    X(PART, code_fn, jac, "derivatives of the constraints by y")                                                                 \
    X(PART, vinc_pattern, pattern, "of jac; rows are the constraints of all groups, one after the other")
typedef struct code_choice {
    CODE_CHOICE(IMAGE_MEMBER)
} code_choice;

/* Unknowns that are found together when all layers before are known. */
#define CODE_LAYER(X)                                                                                                            \
    X(COUNT, n, "unknowns and equations")                                                                                        \
    X(INDEX, int, n_rows, 0, x->n + 1, "of these, rows of F; the others keep the independent combinations of groups")            \
    X(INDICES, int, unknown, x->n, 0, m->n, "components: y' of states, y of others")                                             \
    X(INDICES, int, row, x->n, -1, m->n, "by equation: its row of F")                                                            \
    X(INDICES, int, kept, x->n - x->n_rows, 0, m->formulation.n_groups, "by equation after n_rows: its group")                   \
    X(NUMBERS, int, kept_row, x->n - x->n_rows, "by equation after n_rows: which row of the P of its group")                     \
    X(NUMBER, bool, linear, "the equations are those of a matrix, exactly")                                                      \
    X(NUMBER, bool, tied, "the unknowns are chosen states, which constraints tie")                                               \
    X(NUMBER, bool, corrected, "there are chosen states among them: unknowns are moved from where they are")                     \
    X(PART, code_fn, f, "the rows; of layers that are not linear")                                                               \
    X(PART, code_fn, matrix, "the rows, for unknowns that vanish if linear and not corrected, then their derivatives")           \
    X(PART, vinc_pattern, pattern, "n by n")                                                                                     \
    X(INDICES, int, value, x->pattern.nnz, -m->n_w, x->matrix.n_out, "by entry: its place among the results of matrix; -1 - k: w[k]") \
    X(NUMBER, double, work, "operations of matrix, elimination and a solution")
typedef struct code_layer {
    CODE_LAYER(IMAGE_MEMBER)
} code_layer;

#define CODE_LAYERS(X)                                                                                                           \
    X(COUNT, n, "layers; 0: dependent unknowns are searched for all at once")                                                    \
    X(PARTS, code_layer, at, x->n, "in order of solution")                                                                       \
    X(NUMBER, bool, linear, "all layers but those of chosen states are linear")                                                  \
    X(NUMBER, bool, loose, "none has chosen states among other unknowns: stages may leave these as they are")
typedef struct code_layers {
    CODE_LAYERS(IMAGE_MEMBER)
} code_layers;

/* The constraints of one level by y, for projection. */
#define CODE_LEVEL(X)                                                                                                            \
    X(COUNT, m, "constraints")                                                                                                   \
    X(COUNT, n, "components of y that may change")                                                                               \
    X(NUMBERS, int, rows, x->m, "equations of the structure")                                                                    \
    X(INDICES, int, columns, x->n, 0, m->n, "components of y that may change")                                                   \
    X(PART, code_fn, f, "the constraints")                                                                                       \
    X(PART, code_fn, jac, "their derivatives by y")                                                                              \
    X(PART, vinc_pattern, pattern, "of jac")                                                                                     \
    X(PART, vinc_pattern, g, "of its columns that may change")                                                                   \
    X(INDICES, int, value, x->g.nnz, 0, x->jac.n_out, "by entry of g: which value of jac it is")                                 \
    X(NUMBER, bool, sparse, "steps come from sparse factors")
typedef struct code_level {
    CODE_LEVEL(IMAGE_MEMBER)
} code_level;

#define CODE_MANIFOLD(X)                                                                                                         \
    X(COUNT, n, "levels")                                                                                                        \
    X(PARTS, code_level, levels, x->n, "positions come first")
typedef struct code_manifold {
    CODE_MANIFOLD(IMAGE_MEMBER)
} code_manifold;

/* The matrix of constraints by unknowns, for questions of rank. */
#define CODE_RANK(X)                                                                                                             \
    X(COUNT, m, "constraints")                                                                                                   \
    X(COUNT, n, "unknowns")                                                                                                      \
    X(NUMBERS, int, equation, x->m, "by row: equation of the structure")                                                         \
    X(NUMBERS, int, unknown, x->n, "by column: unknown of the structure")                                                        \
    X(PART, code_fn, jac, "values of the derivatives")                                                                           \
    X(PART, vinc_pattern, g, "m by n")                                                                                           \
    X(INDICES, int, value, x->g.nnz, 0, x->jac.n_out, "by entry of g: which value of jac it is")                                 \
    X(INDICES, int, component, x->g.nnz, 0, m->n, "by entry of g: component of y")
typedef struct code_rank {
    CODE_RANK(IMAGE_MEMBER)
} code_rank;

/* What the motion is said to keep, and its derivatives. */
#define CODE_INVARIANT(X)                                                                                                        \
    X(TEXT, name, "Modelica text")                                                                                               \
    X(PART, span, at, "where it stands")                                                                                         \
    X(NUMBER, bool, direct, "a function of time and of states alone")
typedef struct code_invariant {
    CODE_INVARIANT(IMAGE_MEMBER)
} code_invariant;

#define CODE_INVARIANTS(X)                                                                                                       \
    X(COUNT, n, "those that this formulation can evaluate")                                                                      \
    X(PARTS, code_invariant, list, x->n, "what they are")                                                                        \
    X(PART, code_fn, f, "their values")                                                                                          \
    X(PART, code_fn, slopes, "their derivatives")                                                                                \
    X(PART, vinc_pattern, pattern, "of slopes: by t, y, y'")
typedef struct code_invariants {
    CODE_INVARIANTS(IMAGE_MEMBER)
} code_invariants;

/* Inputs of the model, driven from outside. */
#define CODE_INPUT(X)                                                                                                            \
    X(TEXT, name, "of the variable")                                                                                             \
    X(INDEX, int, place, 0, m->n_w - 1, "in w: the value, then its derivative")                                                  \
    X(NUMBER, bool, held, "it is discrete: its values hold until they are set anew")                                             \
    X(NUMBER, bool, whole, "it is an integer, a Boolean, or of an enumeration")
typedef struct code_input {
    CODE_INPUT(IMAGE_MEMBER)
} code_input;

#define CODE_INPUTS(X)                                                                                                           \
    X(COUNT, n, "inputs")                                                                                                        \
    X(PARTS, code_input, list, x->n, "what they are")
typedef struct code_inputs {
    CODE_INPUTS(IMAGE_MEMBER)
} code_inputs;

// clang-format on

#endif
