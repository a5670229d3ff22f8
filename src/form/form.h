/* Formulations: which system F(t, y, y') = 0 the integrator is given.
 *
 * A formulation says where each entry (unknown or derivative of one, structure.h) lives: in y, as
 * the derivative y' of a component of y, or eliminated as an assignment; and which rows F has. Rows
 * and assignments are expressions over entries and w; the assignments are already substituted in
 * rows. VAR(FORM_YP + i, 0) stands for y'[i] where it differs from the entry itself.
 *
 * A formulation is one file that ends in one constant, but for those that differ in the algebra of accelerations
 * alone (accelerations.c); the registry is the array form_kinds. Where unknowns live, rows, and groups are written in the
 * types of image/formulation.h, for those who run the model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORM_FORM_H
#define FORM_FORM_H

#include "image/about.h"
#include "image/formulation.h"
#include "structure/structure.h"

enum {
    FORM_YP = 1 << 28,             // variable numbers from here on are components of y'
    FORM_Y = (1 << 28) + (1 << 27) // ... and from here on of y, where no entry stands for them
};

static inline image_place form_place_at(image_where where, int at)
{
    return (image_place){where, at & ((1 << 29) - 1)};
}

typedef struct form_assignment {
    int entry;
    expr value;     // over entries in y and y' only
    expr as_solved; // over entries, before earlier assignments are substituted
    int equation, derivative;
    expr guard; // must not vanish; 0: nothing to check
} form_assignment;

/* How accelerations and multipliers are found where they are solved for. */
typedef struct form_algebra {
    uint8_t motion;  // image_motion
    uint8_t project; // image_projection, always; IMAGE_PROJECT_NONE: if asked for
    bool sparse;     // the rows as they stand are solved first, by sparse factors
    bool redundant;  // constraints may depend on each other
} form_algebra;

typedef struct form_system {
    const struct form_kind *kind;
    structure *s;
    arena *a;
    image_place *places; // by entry
    ARRAY(image_unknown) unknowns;
    ARRAY(image_own_name) names; // ascending
    ARRAY(image_row) rows;
    ARRAY(expr) functions; // by row: = 0; 0: that of its equation, which is not written out
    ARRAY(form_assignment) assignments; // in order of evaluation
    ARRAY(image_group) groups;
    /* Where no equations are simultaneous: by component, y' (differential) or y itself (algebraic)
     * as an expression of the differential components; NULL otherwise. An expression 0 is what the
     * equation of its unknown gives, which is not written out. */
    expr *rhs;
    int n_w;
    uint8_t project;                    // image_projection
    image_decay decay;                  // of the constraints of highest order
    const image_mechanical *mechanical; // NULL: not asked for
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
