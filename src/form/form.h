/* Formulations: which system F(t, y, y') = 0 the integrator is given.
 *
 * A formulation says where each entry (unknown or derivative of one, structure.h) lives: in y, as
 * the derivative y' of a component of y, or eliminated as an assignment; and which rows F has. Rows
 * and assignments are expressions over entries and w; the assignments are already substituted in
 * rows. VAR(FORM_YP + i, 0) stands for y'[i] where it differs from the entry itself.
 *
 * A formulation is one file that ends in one constant; the registry is the array form_kinds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORM_FORM_H
#define FORM_FORM_H

#include "structure/structure.h"

enum {
    FORM_YP = 1 << 28,             // variable numbers from here on are components of y'
    FORM_Y = (1 << 28) + (1 << 27) // ... and from here on of y, where no entry stands for them
};

typedef enum form_where { FORM_ABSENT, FORM_IN_Y, FORM_IN_YP, FORM_ASSIGNED } form_where;

typedef struct form_place { // four bytes: there is one for each entry
    unsigned where : 2;
    int at : 30; // component of y or y', or index of the assignment
} form_place;

static inline form_place form_place_at(form_where where, int at)
{
    return (form_place){where, at & ((1 << 29) - 1)};
}

typedef struct form_unknown {
    int entry;         // -1: introduced by the formulation
    bool differential; // y' occurs
    bool named;        // its name is among `names`: it has not that of its variable
    int8_t level;      // vinc_problem.unknown_level
} form_unknown;

typedef struct form_own_name {
    int unknown;
    sym name;
} form_own_name;

typedef enum form_row_kind {
    FORM_ROW_EQUATION,   // an equation or a derivative of one
    FORM_ROW_CONSTRAINT, // one of level < c: must hold, holds no highest derivative
    FORM_ROW_LINK,       // y'[i] = the entry that is its derivative
    FORM_ROW_SELECT      // combination of links: sum_j P_ij (y'[j] - derivative of j)
} form_row_kind;

typedef struct form_row {
    expr f;             // = 0; 0: that of its equation, which is not written out
    int equation;       // structure equation; -1: none
    int16_t derivative; // how often it is differentiated
    uint8_t kind;
    int8_t level; // vinc_problem.equation_level
} form_row;

typedef struct form_assignment {
    int entry;
    expr value;     // over entries in y and y' only
    expr as_solved; // over entries, before earlier assignments are substituted
    int equation, derivative;
    expr guard; // must not vanish; 0: nothing to check
} form_assignment;

/* States chosen while running. The columns are components of y, x_j^(d_j-k) of one block at one
 * level k; the constraints are the rows that tie them; P is a dense n_rows by n_columns matrix in
 * w. A group that is tied has no P: multipliers, n_constraints components of y from `multiplier` on,
 * tie all of its links, and rows has one for each column. */
typedef struct form_group {
    int block, level;
    int n_columns, n_constraints; // n_rows = n_columns - n_constraints
    const int *columns;           // components of y
    const int *constraints;       // rows of F
    const int *rows;              // rows of F of kind FORM_ROW_SELECT
    bool coordinates;             // P picks components: they are the independent coordinates
    const uint8_t *independent;   // by column: picked for good; NULL: by pivoting
    int w;                        // P_ij is w[w + i*n_columns + j]
    bool tied;
    int multiplier;
} form_group;

/* What happens after every step. */
typedef enum form_projection {
    FORM_PROJECT_NONE,
    FORM_PROJECT_OUTPUT,   // nothing; points between steps meet the constraints that are rows
    FORM_PROJECT_LEAST,    // the least change that meets all constraint levels, positions first
    FORM_PROJECT_DEPENDENT // dependent coordinates follow, independent ones keep their values
} form_projection;

/* How accelerations and multipliers are found where they are solved for (algebra.h). */
typedef struct form_motion form_motion;
typedef struct form_algebra {
    int (*accelerate)(form_motion *x); // a and lambda; 0; 1: singular. NULL: sparse alone
    bool sparse;                       // the rows as they stand are solved first, by sparse factors
    bool redundant;                    // constraints may depend on each other
    form_projection project;           // always; FORM_PROJECT_NONE: if asked for
} form_algebra;

/* M a + B lambda + r_d = 0, G a + r_c = 0 in the rows and components of a system (mechanical.c).
 *
 * Followers are accelerations that constraints without multipliers give, as those of quaternions by
 * angular velocities: as many constraints, which ones shows in numbers. Those without inertia are
 * followers always, others where there are more accelerations than equations of motion. Laws are
 * rows that give as many of the multipliers by the others. */
typedef struct form_mechanical {
    int n, m; // accelerations, multipliers of the equations of motion
    int n_followers, n_laws;
    int n_massless;    // of the followers: last among the accelerations
    int *acceleration; // components of y: n and n_followers more
    int *multiplier;   // components of y: m and n_laws more
    int *dynamic;      // rows: n and the laws
    int *constraint;   // rows: m and n_followers more
    bool *kinematic;   // by constraint: between accelerations of its own component, so spent first
    int *link;         // by row: the component whose y' it gives, or -1
    /* Constraint i reads G a + r_c - w[least] lambda_i = 0: 0 as a rule; a small number where
     * constraints are redundant selects the multipliers of least norm. -1: not there. */
    int least;
} form_mechanical;

/* The matrices, a, lambda and scratch; block NULL: measure. */
size_t form_motion_layout(form_motion *x, const form_mechanical *q, void *block);

/* s^order + p[1] s^(order-1) + ...: the polynomial by which violations are to decay. */
enum { FORM_DECAY_MAX = 20 };
typedef struct form_decay {
    int order; // 0: nothing is stabilised
    double p[FORM_DECAY_MAX + 2];
} form_decay;

typedef struct form_system {
    const struct form_kind *kind;
    structure *s;
    arena *a;
    form_place *places; // by entry
    ARRAY(form_unknown) unknowns;
    ARRAY(form_own_name) names; // of those that are no variables, ascending: form_name_of
    ARRAY(form_row) rows;
    ARRAY(form_assignment) assignments; // in order of evaluation
    ARRAY(form_group) groups;
    /* Where no equations are simultaneous: by component, y' (differential) or y itself (algebraic)
     * as an expression of the differential components; NULL otherwise. An expression 0 is what the
     * equation of its unknown gives, which is not written out. */
    expr *rhs;
    int n_w;
    uint8_t project;                   // form_projection
    form_decay decay;                  // of the constraints of highest order
    const form_mechanical *mechanical; // NULL: not asked for
    /* The system that start values must satisfy: of `dummy` for every formulation; may be this one. */
    const struct form_system *initial;
} form_system;

typedef struct form_kind {
    const char *name, *summary, *applies, *cite;
    bool drifts;
    bool initial;         // start values may be found with the system itself
    bool explicit;        // has a right-hand side for explicit methods
    form_algebra algebra; // of mechanical formulations
    int (*build)(form_system *f, const char *options, arena *scratch, diag_sink *sink);
} form_kind;

extern const form_kind *const form_kinds[]; // ends with NULL

/* spec: "name" or "name:key=value,..."; NULL: the default, `dummy`. NULL and a diagnostic when
 * there is no such formulation, or it does not apply to this model. */
form_system *form_apply(structure *s, const char *spec, arena *a, arena *scratch, diag_sink *sink);
const char *form_name_of(const form_system *f, int unknown, expr_label *label); // kept, or there
const char *form_name_in(const form_system *f, int unknown, arena *a);          // kept, or there
expr form_function(const form_system *f, int row); // written into the pool if it is not there
int form_velocity_of(const form_system *f,
                     int unknown);            // the component that is its derivative, or -1
const form_kind *form_find(const char *spec); // NULL: no such formulation
/* By equation: as written, with nothing differentiated, it is an assignment and no row. */
const bool *form_assigned(const form_system *f, arena *a);
void form_print(const form_system *f, text *out);

#endif
