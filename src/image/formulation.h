/* The formulation: where every unknown lives, which rows the system has, and how what is not integrated is found.
 *
 * Formulations (form/) are written in these types; runs read their lists from the compiled model.
 *
 * An entry is a derivative of an unknown of the model, the unknown itself among them; a component is
 * an element of y, and its derivative one of y'. Rows and components are equal in number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_FORMULATION_H
#define IMAGE_FORMULATION_H

#include "image/list.h"

typedef enum image_where { IMAGE_ABSENT, IMAGE_IN_Y, IMAGE_IN_YP, IMAGE_ASSIGNED } image_where;

typedef struct image_place { // four bytes: there is one for each entry
    unsigned where : 2;
    int at : 30; // component of y or y', or index of the assignment
} image_place;

// clang-format off

#define IMAGE_UNKNOWN(X)                                                                                                         \
    X(INDEX, int, entry, -1, m->formulation.n_entries, "-1: introduced by the formulation")                                      \
    X(NUMBER, bool, differential, "y' occurs")                                                                                   \
    X(NUMBER, bool, named, "it has a name of its own")                                                                           \
    X(NUMBER, int8_t, level, "vinc_problem.unknown_level")
typedef struct image_unknown {
    IMAGE_UNKNOWN(IMAGE_MEMBER)
} image_unknown;

/* What a component is called that has not the name of a variable: derivatives, multipliers of formulations. */
#define IMAGE_OWN_NAME(X)                                                                                                        \
    X(INDEX, int, unknown, 0, m->n, "component")                                                                                 \
    X(TEXT, name, "its name")
typedef struct image_own_name {
    IMAGE_OWN_NAME(IMAGE_MEMBER)
} image_own_name;

typedef enum image_row_kind {
    IMAGE_ROW_EQUATION,   // an equation or a derivative of one
    IMAGE_ROW_CONSTRAINT, // one of level < c: must hold, holds no highest derivative
    IMAGE_ROW_LINK,       // y'[i] = the entry that is its derivative
    IMAGE_ROW_SELECT      // combination of links: sum_j P_ij (y'[j] - derivative of j)
} image_row_kind;
enum { IMAGE_N_ROW_KINDS = IMAGE_ROW_SELECT + 1 };

#define IMAGE_ROW(X)                                                                                                             \
    X(NUMBER, int, equation, "of the structure; -1: none")                                                                       \
    X(NUMBER, int16_t, derivative, "how often it is differentiated")                                                             \
    X(INDEX, uint8_t, kind, 0, IMAGE_N_ROW_KINDS, "image_row_kind")                                                              \
    X(NUMBER, int8_t, level, "vinc_problem.equation_level")
typedef struct image_row {
    IMAGE_ROW(IMAGE_MEMBER)
} image_row;

/* States chosen while running. The columns are components of y, x_j^(d_j-k) of one block at one
 * level k; the constraints are the rows that tie them; P is a dense n_rows by n_columns matrix in
 * w. A group that is tied has no P: multipliers, n_constraints components of y from `multiplier` on,
 * tie all of its links, and rows has one for each column. */
#define IMAGE_GROUP(X)                                                                                                           \
    X(NUMBER, int, block, "of the structure")                                                                                    \
    X(NUMBER, int, level, "how many derivatives below the highest one")                                                          \
    X(COUNT, n_columns, "candidates")                                                                                            \
    X(INDEX, int, n_constraints, 0, x->n_columns + 1, "n_rows = n_columns - n_constraints")                                      \
    X(NUMBER, bool, coordinates, "P picks components: they are the independent coordinates")                                     \
    X(NUMBER, bool, tied, "it has no P: multipliers tie its links")                                                              \
    X(INDICES, int, columns, x->n_columns, 0, m->n, "components of y")                                                           \
    X(INDICES, int, constraints, x->n_constraints, 0, m->n, "rows of F")                                                         \
    X(INDICES, int, rows, x->tied ? x->n_columns : x->n_columns - x->n_constraints, 0, m->n, "rows of F of kind IMAGE_ROW_SELECT") \
    X(NUMBERS, uint8_t, independent, x->n_columns, "by column: picked for good; NULL: by pivoting")                              \
    X(INDEX, int, w, 0, m->n_w + 1, "P_ij is w[w + i*n_columns + j]")                                                            \
    X(INDEX, int, multiplier, 0, m->n + 1, "the first of its multipliers, component of y")
typedef struct image_group {
    IMAGE_GROUP(IMAGE_MEMBER)
} image_group;

/* What happens after every step. */
typedef enum image_projection {
    IMAGE_PROJECT_NONE,
    IMAGE_PROJECT_OUTPUT,   // nothing; points between steps meet the constraints that are rows
    IMAGE_PROJECT_LEAST,    // the least change that meets all constraint levels, positions first
    IMAGE_PROJECT_DEPENDENT // dependent coordinates follow, independent ones keep their values
} image_projection;
enum { IMAGE_N_PROJECTIONS = IMAGE_PROJECT_DEPENDENT + 1 };

/* By which dense algebra accelerations and multipliers are found (run/motion.h). */
typedef enum image_motion {
    IMAGE_MOTION_NONE,
    IMAGE_MOTION_COORDINATES, // a basis of the null space of G by pivoting
    IMAGE_MOTION_QR,          // an orthonormal basis of the null space of G, by QR
    IMAGE_MOTION_SVD,         // an orthonormal basis of the null space of G, by singular vectors
    IMAGE_MOTION_PSEUDO_INVERSE,
    IMAGE_MOTION_ELIMINATION
} image_motion;
enum { IMAGE_N_MOTIONS = IMAGE_MOTION_ELIMINATION + 1 };

/* M a + B lambda + r_d = 0, G a + r_c = 0 in the rows and components of a system (form/mechanical.c).
 *
 * Followers are accelerations that constraints without multipliers give, as those of quaternions by
 * angular velocities: as many constraints, which ones shows in numbers. Those without inertia are
 * followers always, others where there are more accelerations than equations of motion. Laws are
 * rows that give as many of the multipliers by the others. w[least] is 0 as a rule; a small number there selects the
 * multipliers of least norm if constraints are redundant. */
#define IMAGE_MECHANICAL(X)                                                                                                      \
    X(COUNT, n, "accelerations")                                                                                                 \
    X(COUNT, m, "multipliers of the equations of motion")                                                                        \
    X(COUNT, n_followers, "further accelerations")                                                                               \
    X(COUNT, n_laws, "further multipliers")                                                                                      \
    X(COUNT, n_massless, "of the followers: last among the accelerations")                                                       \
    X(INDICES, int, acceleration, x->n + x->n_followers, 0, m->n, "components of y")                                             \
    X(INDICES, int, multiplier, x->m + x->n_laws, 0, m->n, "components of y")                                                    \
    X(INDICES, int, dynamic, x->n + x->n_laws, 0, m->n, "rows of F")                                                             \
    X(INDICES, int, constraint, x->m + x->n_followers, 0, m->n, "rows of F")                                                     \
    X(NUMBERS, bool, kinematic, x->m + x->n_followers, "by constraint: between accelerations of one component; NULL: none")      \
    X(INDICES, int, link, m->n, -1, m->n, "by row: the component whose y' it gives, or -1")                                      \
    X(INDEX, int, least, -1, m->n_w, "constraint i reads G a + r_c - w[least] lambda_i = 0; -1: this term is absent")
typedef struct image_mechanical {
    IMAGE_MECHANICAL(IMAGE_MEMBER)
} image_mechanical;

/* The lists are those of the formulation, for as long as it has them (code_has_tables). */
#define IMAGE_FORMULATION(X)                                                                                                     \
    X(NUMBER, int, index, "structural index of the model as written; 0: an ODE")                                                 \
    X(NUMBER, int, n_w, "elements of w but for those that programs keep for themselves")                                         \
    X(NUMBER, bool, explicit, "it has a right-hand side for explicit methods")                                                   \
    X(NUMBER, bool, sparse, "accelerations: the rows as they stand are solved first, by sparse factors")                         \
    X(INDEX, uint8_t, motion, 0, IMAGE_N_MOTIONS, "image_motion: how accelerations are found, where mechanical")                 \
    X(INDEX, uint8_t, project, 0, IMAGE_N_PROJECTIONS, "image_projection")                                                       \
    X(PARTS, image_unknown, unknowns, m->n, "by component")                                                                      \
    X(COUNT, n_own, "components with names of their own")                                                                        \
    X(PARTS, image_own_name, own, x->n_own, "ascending: these names")                                                            \
    X(PARTS, image_row, rows, m->n, "by row")                                                                                    \
    X(COUNT, n_entries, "entries")                                                                                               \
    X(PACKED, image_place, places, x->n_entries, "by entry: where it lives")                                                     \
    X(COUNT, n_groups, "groups of states that are chosen while running")                                                         \
    X(PARTS, image_group, groups, x->n_groups, "these groups")                                                                   \
    X(SHARED, image_mechanical, mechanical, "NULL: not asked for, or there is no such view")
typedef struct image_formulation {
    IMAGE_FORMULATION(IMAGE_MEMBER)
} image_formulation;

// clang-format on

static inline const char *image_own_name_of(const image_own_name *own, int n, int unknown)
{
    int low = 0, high = n - 1;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (own[mid].unknown < unknown) low = mid + 1;
        else high = mid;
    }
    return own[low].name;
}

#endif
