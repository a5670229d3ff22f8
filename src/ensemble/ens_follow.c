/* Everything from the independent components, after an event: y' of the states, the algebraic unknowns
 * and those that constraints make dependent, by Newton's iteration; a pass is one correction.
 *
 * The matrix of run/dependents.c: the column of a state holds dF/dy', that of any other unknown dF/dy;
 * rows that select states keep the combinations as they are. Pivots are planned at the start.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_lu.h"
#include "ensemble/ens_write.h"

#include <math.h>

enum { PASSES_MAX = 12 };
/* The next correction after one of this size is its square, or as small where equations are linear. */
static const double SMALL = 1e-9;

typedef struct follow {
    ens_writer *w;
    ens_view v;
    ens_point x;
    ens_lu lu;
} follow;

/* Which derivative stands in the matrix: 0 none, 1 by y, 2 by y'. */
static int follow_entry(const code_system *s, int row, int col)
{
    if (s->selecting[row]) return s->role[col] == CODE_SELECTED ? 2 : 0;
    return s->role[col] == CODE_STATE ? 2 : 1;
}

static bool follow_plan(follow *f)
{
    const ens_writer *w = f->w;
    const code_system *s = &w->system.of->m->system;
    int nnz = s->jac.nnz;
    double *dy = arena_array(w->scratch, double, nnz), *dyp = arena_array(w->scratch, double, nnz);
    double *none = arena_array(w->scratch, double, nnz);
    ens_jacobian_numbers(w, dy, dyp);
    for (int j = 0; j < w->n; j++)
        for (int k = s->jac.start[j]; k < s->jac.start[j + 1]; k++) {
            int which = follow_entry(s, s->jac.row[k], j);
            dy[k] = which == 1 ? dy[k] : which == 2 ? dyp[k] : 0;
        }
    return ens_lu_plan(&f->lu, w->m, &s->jac, dy, none, 0, w->scratch);
}

static bool follow_factor(follow *f)
{
    const ens_writer *w = f->w;
    const code_system *s = &w->system.of->m->system;
    tape_ref *dy = arena_array(w->scratch, tape_ref, s->jac.nnz);
    tape_ref *dyp = arena_array(w->scratch, tape_ref, s->jac.nnz);
    if (!ens_jacobian(&f->v, f->x.t, f->x.y, dy, dyp)) return false;
    for (int j = 0; j < w->n; j++)
        for (int k = s->jac.start[j]; k < s->jac.start[j + 1]; k++) {
            int which = follow_entry(s, s->jac.row[k], j);
            double number;
            if (which == 2) dy[k] = dyp[k];
            if (!which || (tape_is_const(f->v.b, dy[k], &number) && number == 0)) dy[k] = TAPE_NONE;
        }
    ens_lu_factor(&f->lu, f->v.b, &s->jac, dy);
    return true;
}

/* y and y' corrected once; delta: by how much. */
static bool follow_correct(ens_writer *w, const ens_view *v, ens_point *x, tape_ref *delta)
{
    const code_system *s = &w->system.of->m->system;
    follow f = {.w = w, .v = *v, .x = *x};
    if (!follow_plan(&f)) {
        w->system.why = "its algebraic unknowns are not determined by its states at the start";
        return false;
    }
    if (!follow_factor(&f) || !ens_residual(v, x->t, x->y, x->yp, delta)) return false;
    for (int i = 0; i < w->n; i++)
        if (s->selecting[i]) delta[i] = tape_const(v->b, 0);
    ens_lu_solve(&f.lu, v->b, delta, w->scratch);
    for (int i = 0; i < w->n; i++) {
        tape_ref *value = s->role[i] == CODE_STATE ? &x->yp[i] : &x->y[i];
        *value = ens_op(v->b, TAPE_SUB, *value, delta[i]);
    }
    return true;
}

bool ens_point_onto(ens_writer *w, const ens_view *v, ens_point *x)
{
    enum { CORRECTIONS = 2 }; // of a point that an interpolant has left near by
    tape_ref *delta = arena_array(w->scratch, tape_ref, w->n);
    for (int k = 0; k < CORRECTIONS && !w->sweeps; k++)
        if (!follow_correct(w, v, x, delta)) return false;
    return true;
}

bool ens_write_follow(ens_writer *w, int rates)
{
    const code_system *s = &w->system.of->m->system;
    const ens_places *at = &w->events.at;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_builder *b = v.b;
    tape_ref *part = arena_array(w->scratch, tape_ref, w->n), zero = tape_const(b, 0);
    tape_ref *slope = arena_array(w->scratch, tape_ref, w->n), good = tape_const(b, 1);
    tape_ref *delta = arena_array(w->scratch, tape_ref, w->n);
    ens_point x;
    for (int i = 0; i < w->n; i++) part[i] = tape_y(ENS_Y + i), slope[i] = tape_y(rates + i);
    if (!ens_point_of(w, &v, tape_y(ENS_T), part, slope, &x)) return false;
    if (!follow_correct(w, &v, &x, delta)) return false;
    for (int i = 0; i < w->n; i++) {
        bool state = s->role[i] == CODE_STATE;
        tape_ref size = ens_op(b, TAPE_ADD, tape_op1(b, TAPE_ABS, state ? slope[i] : part[i]),
                               tape_const(b, fabs(w->system.of->nominal[i])));
        good = tape_and(b, good,
                        tape_le(b, tape_op1(b, TAPE_ABS, delta[i]), ens_times(b, SMALL, size)));
        tape_store(b, tape_out((state ? rates : ENS_Y) + i), state ? x.yp[i] : x.y[i]);
    }
    tape_ref count = ens_op(b, TAPE_ADD, tape_y(at->newton), tape_const(b, 1));
    tape_ref go_on = tape_select(b, TAPE_SEL_LT, count, tape_const(b, PASSES_MAX),
                                 tape_const(b, ENS_FOLLOWING), tape_const(b, ENS_HAND_BACK));
    tape_store(b, tape_out(ENS_STATUS), tape_if(b, good, tape_const(b, ENS_SETTLING), go_on));
    tape_store(b, tape_out(at->newton), tape_if(b, good, zero, count));
    ens_phase_add(w, ENS_FOLLOWING, b);
    return true;
}
