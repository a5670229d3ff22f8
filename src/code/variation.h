/* Derivatives of what a model computes by time, y, y', discrete values and some of its parameters, for
 * runs that carry derivatives of the trajectory along: made when the first of them asks for these
 * parameters, and the same for all from then on.
 *
 * Columns are t, y, y', the elements of w that hold Real values, and the parameters that move when
 * those do that were asked for: themselves, and what is bound to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_VARIATION_H
#define CODE_VARIATION_H

#include "code/model.h"
#include "target/target.h"
#include "vincolo_problem.h"

/* One function: the values of a pattern whose columns are those above. */
typedef struct code_varied {
    const tape_program *program; // NULL: it depends on none of them
    tape_code *code;
    vinc_pattern pattern;
    bool often;          // worth machine code
    double instructions; // roughly
} code_varied;

/* The product of its derivative with one direction: out := dF/dy v + dF/dy' vp and what the moving elements of
 * w and p do, given in w (derive/derive.h). */
typedef struct code_along {
    const tape_program *program; // NULL: there is none
    tape_code *code;
    int v, vp, w, p;
    int n_slots, n_params; // elements of w and p that it reads lie below
    double instructions;   // roughly
} code_along;

/* The functions, and in which part of the model they are. */
typedef enum code_variant {
    CODE_V_RESIDUAL,
    CODE_V_RHS,
    CODE_V_NEXT,
    CODE_V_COMPUTED,
    CODE_V_ATTRIBUTES,
    CODE_V_ROOTS,
    CODE_V_THRESHOLDS,
    CODE_V_BEFORE,
    CODE_V_FIRST,
    CODE_V_SAMPLES,
    CODE_V_EXTRA,
    CODE_V_MAP,
    CODE_V_N
} code_variant;

typedef struct code_variation {
    const code_model *model;
    int n_asked, *asked;   // places in p
    code_varied bound;     // of bound parameters; its columns are all parameters
    int n_w, n_p;          // columns of w and of p
    int *w_slot, *p_place; // ... what they are
    int *w_column;         // by element of w: 1 + its number among those; 0: none
    int *p_column;         // by parameter, likewise
    int n_columns;
    code_varied of[CODE_V_N];
    code_along along[2]; // of the residual and the right-hand side: CODE_V_RESIDUAL, CODE_V_RHS
    int extent_along;    // of w in these
    /* Second derivatives, made on demand: those of the entries of of[CODE_V_RESIDUAL] and
     * of[CODE_V_COMPUTED], which are their rows, by the same columns. */
    code_varied second[2];
    bool has_second;
    code_varied *discrete, *acts, *timers; // by cell
    code_varied *levels;                   // by level of the manifold
    int extent_w, nnz_most;
    size_t scratch;
    struct code_variation *initial; // of model->initial, where it is another model
} code_variation;

/* asked: places in p. Then compiled, once the caller keeps it, for machine code is held outside the
 * arena: VINC_OK, VINC_E_MEMORY. */
code_variation *code_lower_variation(const code_model *model, const int *asked, int n_asked,
                                     arena *a, arena *scratch);
/* Its second derivatives, too; to be compiled again. */
void code_lower_second(code_variation *x, arena *a, arena *scratch);
int code_variation_compile(code_variation *x, mem *m);
void code_variation_free(code_variation *x); // NULL is fine

#endif
