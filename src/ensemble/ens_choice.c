/* States chosen while running.
 *
 * Rows of P are an orthonormal basis of the null space of G, the Jacobian of the constraints of a group
 * in columns scaled by their nominals (run/reselect.c). With Q the orthonormal rows that span those of G,
 * the squares of P Q^T sum up to those of the sines of all angles between the two null spaces: one
 * number tells whether another choice is due, a little sooner than the largest angle alone. The new
 * basis comes from Householder's reflections (Golub & Van Loan, section 5.2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_write.h"

static const double SINES_MAX = 0.64; // as on the processor: a cosine of 0.6

bool ens_choice_fits(ens_writer *w)
{
    const image_formulation *f = &w->system.of->m->formulation;
    for (int g = 0; g < f->n_groups; g++)
        if (f->groups[g].coordinates || f->groups[g].tied) {
            w->system.why = f->groups[g].tied ? "too many coordinates compete for its states"
                                              : "its states are coordinates that were picked";
            return false;
        }
    return true;
}

/* G of a group, n_constraints rows; 0 where there is no entry. */
static bool choice_jacobian(const ens_writer *w, const ens_view *v, const ens_point *x,
                            tape_ref **values)
{
    const code_choice *c = &w->system.of->m->choice;
    *values = arena_array(w->scratch, tape_ref, c->jac.n_out + 1);
    tape_ref *unused = arena_array(w->scratch, tape_ref, c->jac.n_out + 1);
    unroll_refs at = {.t = x->t, .y = x->y, .yp = x->yp, .out = *values, .out2 = unused};
    return ens_unroll(v, c->jac.program, at);
}

static void choice_rows(const ens_writer *w, tape_builder *b, const image_group *q, int row0,
                        const tape_ref *values, tape_ref *rows)
{
    const vinc_pattern *a = &w->system.of->m->choice.pattern;
    int n = q->n_columns;
    for (int i = 0; i < q->n_constraints * n; i++) rows[i] = tape_const(b, 0);
    for (int j = 0; j < n; j++)
        for (int k = a->start[q->columns[j]]; k < a->start[q->columns[j] + 1]; k++) {
            int i = a->row[k] - row0;
            if (i < 0 || i >= q->n_constraints) continue;
            rows[i * n + j] = ens_times(b, w->system.of->nominal[q->columns[j]], values[k]);
        }
}

static tape_ref dot(tape_builder *b, int n, const tape_ref *x, const tape_ref *y)
{
    tape_ref sum = ens_op(b, TAPE_MUL, x[0], y[0]);
    for (int j = 1; j < n; j++) sum = ens_op(b, TAPE_ADD, sum, ens_op(b, TAPE_MUL, x[j], y[j]));
    return sum;
}

/* y := y - c x */
static void subtract(tape_builder *b, int n, tape_ref c, const tape_ref *x, tape_ref *y)
{
    for (int j = 0; j < n; j++) y[j] = ens_op(b, TAPE_SUB, y[j], ens_op(b, TAPE_MUL, c, x[j]));
}

static tape_ref choice_sines(const ens_writer *w, const ens_view *v, const image_group *q,
                             tape_ref *rows)
{
    tape_builder *b = v->b;
    int n = q->n_columns, m = q->n_constraints;
    tape_ref sum = tape_const(b, 0), *p = arena_array(w->scratch, tape_ref, n);
    for (int i = 0; i < m; i++) {
        tape_ref *row = rows + i * n;
        for (int k = 0; k < i; k++) subtract(b, n, dot(b, n, row, rows + k * n), rows + k * n, row);
        tape_ref per =
            ens_op(b, TAPE_DIV, tape_const(b, 1), tape_op1(b, TAPE_SQRT, dot(b, n, row, row)));
        for (int j = 0; j < n; j++) row[j] = ens_op(b, TAPE_MUL, row[j], per);
    }
    for (int r = 0; r < n - m; r++) {
        for (int j = 0; j < n; j++)
            p[j] = ens_times(b, w->system.of->nominal[q->columns[j]], v->w[q->w + r * n + j]);
        for (int i = 0; i < m; i++) {
            tape_ref c = dot(b, n, p, rows + i * n);
            sum = ens_op(b, TAPE_ADD, sum, ens_op(b, TAPE_MUL, c, c));
        }
    }
    return sum;
}

bool ens_choice_turned(const ens_writer *w, const ens_view *v, const ens_point *x, tape_ref *turned)
{
    const image_formulation *f = &w->system.of->m->formulation;
    tape_ref *values;
    *turned = tape_const(v->b, 0);
    if (!f->n_groups) return true;
    if (!choice_jacobian(w, v, x, &values)) return false;
    for (int g = 0, row0 = 0; g < f->n_groups; row0 += f->groups[g++].n_constraints) {
        const image_group *q = &f->groups[g];
        tape_ref *rows = arena_array(w->scratch, tape_ref, q->n_constraints * q->n_columns);
        choice_rows(w, v->b, q, row0, values, rows);
        tape_ref limit = tape_const(v->b, SINES_MAX);
        *turned = tape_or(v->b, *turned, tape_lt(v->b, limit, choice_sines(w, v, q, rows)));
    }
    return true;
}

/* Reflection i leaves elements i, i + 1, ... of row i as (alpha, 0, ...); its vector replaces the row. */
static void choice_reflect(tape_builder *b, int n, int m, tape_ref *rows, tape_ref *scale)
{
    for (int i = 0; i < m; i++) {
        tape_ref *row = rows + i * n + i, zero = tape_const(b, 0);
        tape_ref norm = tape_op1(b, TAPE_SQRT, dot(b, n - i, row, row));
        norm = tape_if(b, tape_lt(b, row[0], zero), tape_op1(b, TAPE_NEG, norm), norm);
        row[0] = ens_op(b, TAPE_ADD, row[0], norm);
        scale[i] = ens_op(b, TAPE_DIV, tape_const(b, 2), dot(b, n - i, row, row));
        for (int k = i + 1; k < m; k++) {
            tape_ref *other = rows + k * n + i;
            subtract(b, n - i, ens_op(b, TAPE_MUL, scale[i], dot(b, n - i, row, other)), row,
                     other);
        }
    }
}

static void choice_basis(const ens_writer *w, tape_builder *b, const image_group *q, tape_ref *rows)
{
    int n = q->n_columns, m = q->n_constraints;
    tape_ref *scale = arena_array(w->scratch, tape_ref, m + 1);
    tape_ref *z = arena_array(w->scratch, tape_ref, n);
    choice_reflect(b, n, m, rows, scale);
    for (int r = 0; r < n - m; r++) {
        for (int j = 0; j < n; j++) z[j] = tape_const(b, j == m + r);
        for (int i = m - 1; i >= 0; i--) {
            tape_ref *row = rows + i * n + i;
            subtract(b, n - i, ens_op(b, TAPE_MUL, scale[i], dot(b, n - i, row, z + i)), row,
                     z + i);
        }
        for (int j = 0; j < n; j++)
            tape_store(b, tape_out(ens_place_of_w(w, q->w + r * n + j)),
                       ens_times(b, 1 / w->system.of->nominal[q->columns[j]], z[j]));
    }
}

bool ens_write_choose(ens_writer *w)
{
    const image_formulation *f = &w->system.of->m->formulation;
    ens_view v = ens_view_new(&w->system, w->scratch);
    tape_ref *part = arena_array(w->scratch, tape_ref, w->n_part), *values;
    ens_point x;
    for (int k = 0; k < w->n_part; k++) part[k] = tape_y(ENS_Y + k);
    if (!ens_point_of(w, &v, tape_y(ENS_T), part, NULL, &x)) return false;
    if (!choice_jacobian(w, &v, &x, &values)) return false;
    for (int g = 0, row0 = 0; g < f->n_groups; row0 += f->groups[g++].n_constraints) {
        const image_group *q = &f->groups[g];
        tape_ref *rows = arena_array(w->scratch, tape_ref, q->n_constraints * q->n_columns);
        choice_rows(w, v.b, q, row0, values, rows);
        choice_basis(w, v.b, q, rows);
    }
    tape_store(v.b, tape_out(ENS_STATUS), tape_const(v.b, ENS_RUNNING));
    ens_phase_add(w, ENS_CHOOSING, v.b);
    return true;
}
