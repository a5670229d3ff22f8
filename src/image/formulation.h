/* The formulation: where every unknown lives, which rows the system has, and how what is not integrated is found.
 *
 * Formulations (form/) are written in these types; a compiled model shows their lists to whoever runs it.
 *
 * An entry is a derivative of an unknown of the model, the unknown itself among them; a component is
 * an element of y, and its derivative one of y'. Rows and components are equal in number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_FORMULATION_H
#define IMAGE_FORMULATION_H

#include <stdbool.h>
#include <stdint.h>

typedef enum image_where { IMAGE_ABSENT, IMAGE_IN_Y, IMAGE_IN_YP, IMAGE_ASSIGNED } image_where;

typedef struct image_place { // four bytes: there is one for each entry
    unsigned where : 2;
    int at : 30; // component of y or y', or index of the assignment
} image_place;

typedef struct image_unknown {
    int entry;         // -1: introduced by the formulation
    bool differential; // y' occurs
    bool named;        // it has a name of its own
    int8_t level;      // vinc_problem.unknown_level
} image_unknown;

/* What a component is called that has not the name of a variable: derivatives, multipliers of formulations. */
typedef struct image_own_name {
    int unknown; // component
    const char *name;
} image_own_name;

typedef enum image_row_kind {
    IMAGE_ROW_EQUATION,   // an equation or a derivative of one
    IMAGE_ROW_CONSTRAINT, // one of level < c: must hold, holds no highest derivative
    IMAGE_ROW_LINK,       // y'[i] = the entry that is its derivative
    IMAGE_ROW_SELECT      // combination of links: sum_j P_ij (y'[j] - derivative of j)
} image_row_kind;

typedef struct image_row {
    int equation;       // structure equation; -1: none
    int16_t derivative; // how often it is differentiated
    uint8_t kind;       // image_row_kind
    int8_t level;       // vinc_problem.equation_level
} image_row;

/* States chosen while running. The columns are components of y, x_j^(d_j-k) of one block at one
 * level k; the constraints are the rows that tie them; P is a dense n_rows by n_columns matrix in
 * w. A group that is tied has no P: multipliers, n_constraints components of y from `multiplier` on,
 * tie all of its links, and rows has one for each column. */
typedef struct image_group {
    int block, level;
    int n_columns, n_constraints; // n_rows = n_columns - n_constraints
    const int *columns;           // n_columns: components of y
    const int *constraints;       // n_constraints: rows of F
    const int *rows;              // n_rows; tied: n_columns: rows of F of kind IMAGE_ROW_SELECT
    bool coordinates;             // P picks components: they are the independent coordinates
    const uint8_t *independent;   // by column: picked for good; NULL: by pivoting
    int w;                        // P_ij is w[w + i*n_columns + j]
    bool tied;
    int multiplier; // component of y
} image_group;

/* What happens after every step. */
typedef enum image_projection {
    IMAGE_PROJECT_NONE,
    IMAGE_PROJECT_OUTPUT,   // nothing; points between steps meet the constraints that are rows
    IMAGE_PROJECT_LEAST,    // the least change that meets all constraint levels, positions first
    IMAGE_PROJECT_DEPENDENT // dependent coordinates follow, independent ones keep their values
} image_projection;

/* By which dense algebra accelerations and multipliers are found (run/motion.h). */
typedef enum image_motion {
    IMAGE_MOTION_NONE,
    IMAGE_MOTION_COORDINATES, // a basis of the null space of G by pivoting
    IMAGE_MOTION_QR,          // ... that is orthonormal, by QR
    IMAGE_MOTION_SVD,         // ... by singular vectors
    IMAGE_MOTION_PSEUDO_INVERSE,
    IMAGE_MOTION_ELIMINATION
} image_motion;

/* M a + B lambda + r_d = 0, G a + r_c = 0 in the rows and components of a system (form/mechanical.c).
 *
 * Followers are accelerations that constraints without multipliers give, as those of quaternions by
 * angular velocities: as many constraints, which ones shows in numbers. Those without inertia are
 * followers always, others where there are more accelerations than equations of motion. Laws are
 * rows that give as many of the multipliers by the others. */
typedef struct image_mechanical {
    int n, m; // accelerations, multipliers of the equations of motion
    int n_followers, n_laws;
    int n_massless;    // of the followers: last among the accelerations
    int *acceleration; // n + n_followers: components of y
    int *multiplier;   // m + n_laws: components of y
    int *dynamic;      // n + n_laws: rows
    int *constraint;   // m + n_followers: rows
    bool *
        kinematic; // by constraint: between accelerations of its own component, so spent first; NULL: no followers, no laws
    int *link;     // by row: the component whose y' it gives, or -1
    /* Constraint i reads G a + r_c - w[least] lambda_i = 0: 0 as a rule; a small number where
     * constraints are redundant selects the multipliers of least norm. -1: not there. */
    int least;
} image_mechanical;

/* The lists are those of the formulation, for as long as it has them (code_has_tables). */
typedef struct image_formulation {
    int index;       // structural index of the model as written; 0: an ODE
    int n_w;         // elements of w but for those that programs keep for themselves
    bool explicit;   // it has a right-hand side for explicit methods
    bool sparse;     // accelerations: the rows as they stand are solved first, by sparse factors
    uint8_t motion;  // image_motion: accelerations, where mechanical
    uint8_t project; // image_projection
    const image_unknown *unknowns; // by component
    int n_own;
    const image_own_name *own; // n_own, ascending: names of those that are named
    const image_row *rows;     // by row
    int n_entries;
    const image_place *places; // by entry
    int n_groups;
    const image_group *groups;          // n_groups
    const image_mechanical *mechanical; // NULL: not asked for, or there is no such view
} image_formulation;

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
