/* Consistent start values.
 *
 * One rule: fixed values hold; the freedom that remains is used to change the other start values of
 * positions and velocities as little as possible, positions first. Without further conditions the
 * constraints of each group are met level by level, and everything else follows from the states.
 * With initial equations, or with fixed values of variables that are not states, the whole system
 * is solved at once. homotopy() is followed from the simplified to the actual model when that
 * fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "code/initial.h"
#include "code/least.h"

#include <math.h>
#include <string.h>

enum { DENSE_MAX = 1500, ROUNDS = 30, SHOWN = 5 };

typedef struct start {
    code_state *s;
    const code_model *m;
    const code_initial *x;
    double t, tol;
    code_init_report *report;
    diag_sink *sink;
    double *y, *yp;

    int n_z, n_rows, n_active; // unknowns; rows of the formulation; further rows
    int *z_yp;                 // z[n + k] is y'[z_yp[k]]
    int *rows, *active;
    double *z, *nominal, *weight, *scaled, *full, *extra, *dy, *dyp, *edy, *edyp;
    uint8_t *fixed;
    const form_group *group; // while one group is solved
    int group_row;
} start;

static size_t layout(start *a, void *block)
{
    bump b = bump_begin(block);
    const code_model *m = a->m;
    size_t n = (size_t)m->n, z = 2 * n, rows = n + (size_t)a->x->n_extra;
    a->z_yp = bump_int(&b, n);
    a->rows = bump_int(&b, n);
    a->active = bump_int(&b, (size_t)a->x->n_extra);
    a->y = bump_double(&b, n);
    a->yp = bump_double(&b, n);
    a->z = bump_double(&b, z);
    a->nominal = bump_double(&b, z);
    a->weight = bump_double(&b, z);
    a->scaled = bump_double(&b, rows);
    a->full = bump_double(&b, n);
    a->extra = bump_double(&b, (size_t)a->x->n_extra);
    a->dy = bump_double(&b, (size_t)a->x->jac.nnz);
    a->dyp = bump_double(&b, (size_t)a->x->jac.nnz);
    a->edy = bump_double(&b, (size_t)a->x->extra_pattern.nnz);
    a->edyp = bump_double(&b, (size_t)a->x->extra_pattern.nnz);
    a->fixed = bump_bytes(&b, z);
    return bump_end(&b);
}

/* ---- the given values ------------------------------------------------------------------------ */

static int entry_of(const start *a, int component)
{
    return a->m->form->unknowns.at[component].entry;
}

static void take_start_values(start *a)
{
    const code_model *m = a->m;
    for (int i = 0; i < m->n; i++) {
        int e = entry_of(a, i);
        a->y[i] = e < 0 ? 0 : a->s->start[e];
        a->yp[i] = m->differential[i] && e >= 0 ? a->s->start[e + 1] : 0;
    }
}

static void count_rows(start *a)
{
    const code_model *m = a->m;
    const form_system *f = m->form;
    for (int i = 0; i < m->n; i++) {
        uint8_t kind = f->rows.at[i].kind;
        if (kind != FORM_ROW_SELECT && kind != FORM_ROW_LINK) a->rows[a->n_rows++] = i;
        int e = entry_of(a, i);
        if (m->differential[i] && e >= 0 && f->places[e + 1].where == FORM_IN_YP)
            a->z_yp[a->n_z++] = i;
    }
    a->n_z += m->n;
    for (int k = 0; k < a->x->n_extra; k++)
        if (a->x->rows[k].entry < 0 || a->s->fixed[a->x->rows[k].entry])
            a->active[a->n_active++] = k;
}

/* Does anything beyond fixed states decide the start? */
static bool has_conditions(const start *a)
{
    const code_model *m = a->m;
    if (a->n_active) return true;
    for (int i = 0; i < m->n; i++) {
        int e = entry_of(a, i);
        if (e < 0) continue;
        if (!m->differential[i] && a->s->fixed[e]) return true;
        if (m->differential[i] && m->form->places[e + 1].where == FORM_IN_YP && a->s->fixed[e + 1])
            return true;
    }
    return false;
}

/* ---- one group ------------------------------------------------------------------------------- */

static int eval_group(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    const form_group *q = a->group;
    for (int k = 0; k < q->n_columns; k++) a->y[q->columns[k]] = z[k];
    code_eval(a->s, &a->m->residual, a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < q->n_constraints; i++) {
        r[i] = a->full[q->constraints[i]];
        if (!isfinite(r[i])) return 1;
    }
    if (!j) return 0;
    const vinc_pattern *p = &a->m->group_pattern;
    code_eval(a->s, &a->m->group_jac, a->t, a->y, a->yp, a->s->small, a->s->small2);
    memset(j, 0, (size_t)q->n_constraints * (size_t)q->n_columns * sizeof *j);
    for (int k = 0; k < q->n_columns; k++)
        for (int e = p->start[q->columns[k]]; e < p->start[q->columns[k] + 1]; e++) {
            int i = p->row[e] - a->group_row;
            if (i >= 0 && i < q->n_constraints) j[i + k * q->n_constraints] = a->s->small[e];
        }
    return 0;
}

static void name_conflict(start *a, const form_group *q);

static int solve_group(start *a, const form_group *q, int row0)
{
    a->group = q;
    a->group_row = row0;
    for (int k = 0; k < q->n_columns; k++) {
        int i = q->columns[k];
        a->z[k] = a->y[i];
        a->nominal[k] = a->s->nominal[i];
        a->weight[k] = 1 / a->s->nominal[i];
        a->fixed[k] = a->s->fixed[entry_of(a, i)];
    }
    least_problem p = {.m = q->n_constraints,
                       .n = q->n_columns,
                       .eval = eval_group,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .tol = a->tol};
    least_report report;
    int rc = least_solve(a->s->m, &p, a->z, a->scaled, &report);
    a->report->iterations += report.iterations;
    for (int k = 0; k < q->n_columns; k++) a->y[q->columns[k]] = a->z[k];
    if (rc == LEAST_MEMORY) return VINC_E_MEMORY;
    if (rc == LEAST_OK) return VINC_OK;
    name_conflict(a, q);
    return VINC_E_NEWTON;
}

/* Positions first, then velocities. */
static int solve_groups(start *a)
{
    const form_system *f = a->m->form;
    int deepest = 0;
    for (int g = 0; g < f->groups.n; g++)
        if (f->groups.at[g].level > deepest) deepest = f->groups.at[g].level;
    for (int level = deepest; level >= 1; level--)
        for (int g = 0, row0 = 0; g < f->groups.n; row0 += f->groups.at[g++].n_constraints) {
            if (f->groups.at[g].level != level) continue;
            int rc = solve_group(a, &f->groups.at[g], row0);
            if (rc) return rc;
        }
    return VINC_OK;
}

/* ---- everything at once ---------------------------------------------------------------------- */

static void spread(start *a, const double *z)
{
    int n = a->m->n;
    memcpy(a->y, z, (size_t)n * sizeof *z);
    for (int k = 0; k < a->n_z - n; k++) a->yp[a->z_yp[k]] = z[n + k];
}

static const code_fn *residual_fn(const start *a)
{
    return a->x->residual.code ? &a->x->residual : &a->m->residual;
}

static int residual_all(start *a, double *r)
{
    code_eval(a->s, residual_fn(a), a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < a->n_rows; i++) r[i] = a->full[a->rows[i]];
    code_eval(a->s, &a->x->extra, a->t, a->y, a->yp, a->extra, NULL);
    for (int k = 0; k < a->n_active; k++) {
        const code_extra *e = &a->x->rows[a->active[k]];
        r[a->n_rows + k] = a->extra[a->active[k]] - (e->entry < 0 ? 0 : a->s->start[e->entry]);
    }
    for (int i = 0; i < a->n_rows + a->n_active; i++)
        if (!isfinite(r[i])) return 1;
    return 0;
}

/* Add the values of a pattern to the dense Jacobian; row_at[i]: row there, or -1. */
static void scatter(const start *a, const vinc_pattern *p, const double *dy, const double *dyp,
                    const int *row_at, int m, double *j)
{
    for (int c = 0; c < a->m->n; c++)
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            if (row_at[p->row[e]] >= 0) j[row_at[p->row[e]] + (size_t)c * (size_t)m] = dy[e];
    for (int k = 0; k < a->n_z - a->m->n; k++) {
        int c = a->z_yp[k];
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            if (row_at[p->row[e]] >= 0)
                j[row_at[p->row[e]] + (size_t)(a->m->n + k) * (size_t)m] = dyp[e];
    }
}

static int eval_all(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    spread(a, z);
    int rc = residual_all(a, r);
    if (rc || !j) return rc;
    int m = a->n_rows + a->n_active;
    memset(j, 0, (size_t)m * (size_t)a->n_z * sizeof *j);
    int *row_at = a->s->row_at; // rows of the formulation, then of the extra function
    for (int i = 0; i < a->m->n; i++) row_at[i] = -1;
    for (int i = 0; i < a->n_rows; i++) row_at[a->rows[i]] = i;
    code_eval(a->s, a->x->jacobian.code ? &a->x->jacobian : &a->m->jacobian, a->t, a->y, a->yp,
              a->dy, a->dyp);
    scatter(a, &a->x->jac, a->dy, a->dyp, row_at, m, j);
    if (!a->x->n_extra) return 0;
    for (int k = 0; k < a->x->n_extra; k++) row_at[k] = -1;
    for (int k = 0; k < a->n_active; k++) row_at[a->active[k]] = a->n_rows + k;
    code_eval(a->s, &a->x->extra_jac, a->t, a->y, a->yp, a->edy, a->edyp);
    scatter(a, &a->x->extra_pattern, a->edy, a->edyp, row_at, m, j);
    return 0;
}

static void prepare_all(start *a)
{
    const code_model *m = a->m;
    for (int i = 0; i < m->n; i++) {
        int e = entry_of(a, i);
        a->z[i] = a->y[i];
        a->nominal[i] = a->s->nominal[i];
        a->weight[i] = m->differential[i] ? 1 / a->s->nominal[i] : 0;
        a->fixed[i] = e >= 0 && a->s->fixed[e];
    }
    for (int k = 0; k < a->n_z - m->n; k++) {
        int i = a->z_yp[k];
        a->z[m->n + k] = a->yp[i];
        a->nominal[m->n + k] = a->s->nominal[i];
        a->weight[m->n + k] = 0;
        a->fixed[m->n + k] = a->s->fixed[entry_of(a, i) + 1];
    }
}

static int solve_once(start *a, least_report *report)
{
    prepare_all(a);
    least_problem p = {.m = a->n_rows + a->n_active,
                       .n = a->n_z,
                       .eval = eval_all,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .tol = a->tol};
    int rc = least_solve(a->s->m, &p, a->z, a->scaled, report);
    a->report->iterations += report->iterations;
    if (rc == LEAST_OK) spread(a, a->z);
    return rc;
}

/* ---- guesses --------------------------------------------------------------------------------- */

static bool guides(const start *a, const code_extra *e)
{
    if (e->entry < 0 || !a->m->entries[e->entry].given) return false;
    const structure_entry *q = &a->m->s->entries.at[e->entry];
    return a->m->s->unknowns.at[q->unknown].d == 0;
}

static int eval_guides(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    int n = 0;
    memcpy(a->y, z, (size_t)a->m->n * sizeof *z);
    code_eval(a->s, &a->x->extra, a->t, a->y, a->yp, a->extra, NULL);
    int *row_at = a->s->row_at;
    for (int k = 0; k < a->x->n_extra; k++) {
        const code_extra *e = &a->x->rows[k];
        row_at[k] = -1;
        if (!guides(a, e)) continue;
        r[n] = a->extra[k] - a->s->start[e->entry];
        if (!isfinite(r[n])) return 1;
        row_at[k] = n++;
    }
    if (!j) return 0;
    memset(j, 0, (size_t)n * (size_t)a->m->n * sizeof *j);
    code_eval(a->s, &a->x->extra_jac, a->t, a->y, a->yp, a->edy, a->edyp);
    const vinc_pattern *p = &a->x->extra_pattern;
    for (int c = 0; c < a->m->n; c++)
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            if (row_at[p->row[e]] >= 0) j[row_at[p->row[e]] + c * n] = a->edy[e];
    return 0;
}

/* Algebraic variables that were eliminated but have a start value say where the solution is: the
 * unknowns of loops that have none are chosen to match them as well as they can. */
static void guess(start *a)
{
    const code_model *m = a->m;
    int rows = 0, cols = 0;
    for (int k = 0; k < a->x->n_extra; k++) rows += guides(a, &a->x->rows[k]);
    for (int i = 0; i < m->n; i++) {
        int e = entry_of(a, i);
        a->fixed[i] = m->differential[i] || e < 0 || m->entries[e].given || a->s->fixed[e];
        a->weight[i] = 0;
        a->nominal[i] = a->s->nominal[i];
        cols += !a->fixed[i];
    }
    if (!rows || !cols || m->n > DENSE_MAX) return;
    memcpy(a->z, a->y, (size_t)m->n * sizeof *a->y);
    memcpy(a->s->y_start, a->y, (size_t)m->n * sizeof *a->y);
    least_problem p = {.m = rows,
                       .n = m->n,
                       .eval = eval_guides,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .tol = a->tol};
    least_report report;
    int rc = least_solve(a->s->m, &p, a->z, NULL, &report);
    // The rows may contradict each other: then this is the best compromise.
    bool good = rc == LEAST_OK || rc == LEAST_CONFLICT;
    memcpy(a->y, good ? a->z : a->s->y_start, (size_t)m->n * sizeof *a->y);
}

/* ... and with relations that agree with the solution, as far as they settle. */
static int solve_settled(start *a, least_report *report)
{
    for (int k = 0; k < ROUNDS; k++) {
        int rc = solve_once(a, report);
        if (rc || !code_refresh_relations(a->s, a->t, a->y, a->yp)) return rc;
    }
    return LEAST_OK;
}

/* From the simplified to the actual model in steps that grow and shrink. */
static int follow_homotopy(start *a, least_report *report)
{
    double *lambda = &a->s->w[STRUCTURE_W_LAMBDA], step = 0.2, at = 0;
    take_start_values(a);
    *lambda = 0;
    guess(a);
    int rc = solve_settled(a, report);
    size_t bytes = (size_t)a->m->n * sizeof *a->y;
    while (rc == LEAST_OK && at < 1 && a->report->homotopy_steps < 500) {
        memcpy(a->s->y_hold, a->y, bytes);
        memcpy(a->s->yp_work, a->yp, bytes);
        *lambda = fmin(1, at + step);
        int ok = solve_settled(a, report);
        a->report->homotopy_steps++;
        if (ok == LEAST_OK) {
            at = *lambda;
            step *= 2;
            continue;
        }
        memcpy(a->y, a->s->y_hold, bytes);
        memcpy(a->yp, a->s->yp_work, bytes);
        step /= 4;
        if (step < 1e-6) rc = ok;
    }
    *lambda = 1;
    return rc;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void row_text(const start *a, int i, text *out, span *at)
{
    const structure *s = a->m->s;
    const structure_equation *e = NULL;
    if (i < a->n_rows) {
        const form_row *row = &a->m->form->rows.at[a->rows[i]];
        *at = (span){0, 0};
        if (row->equation < 0) return;
        e = &s->equations.at[row->equation];
        if (row->derivative)
            text_printf(out, "%s derivative of ", row->derivative == 1 ? "the" : "a higher");
    } else {
        const code_extra *x = &a->x->rows[a->active[i - a->n_rows]];
        *at = x->at;
        if (x->entry >= 0) {
            text_printf(out, "%s = %g (fixed start value)", s->entries.at[x->entry].name,
                        a->s->start[x->entry]);
            return;
        }
        e = x->equation >= 0 ? &s->initial.at[x->equation] : &s->surplus.at[-1 - x->equation];
    }
    *at = e->at;
    expr_print(s->pool, e->lhs, EXPR_MODELICA, 60, out);
    text_add(out, " = ");
    expr_print(s->pool, e->rhs, EXPR_MODELICA, 60, out);
}

static text scratch_text(const start *a)
{
    text t;
    text_init(&t, a->sink->a->m);
    return t;
}

static void note_moved(start *a)
{
    // The variables that moved most from their start values.
    for (int shown = 0; shown < SHOWN; shown++) {
        int best = -1;
        double most = 0;
        for (int i = 0; i < a->m->n; i++) {
            int e = entry_of(a, i);
            if (e < 0 || a->s->row_at[i] == -7) continue;
            double d = fabs(a->z[i] - a->s->start[e]) / a->s->nominal[i];
            if (d > most) {
                most = d;
                best = i;
            }
        }
        if (best < 0) return;
        a->s->row_at[best] = -7; // shown
        int e = entry_of(a, best);
        diag_note(a->sink, a->m->s->entries.at[e].at,
                  "'%s' moved from its start value %.6g to %.6g", a->m->s->entries.at[e].name,
                  a->s->start[e], a->z[best]);
    }
}

static void explain(start *a, int rc, const least_report *r)
{
    span at = {0, 0};
    text t = scratch_text(a);
    if (r->worst >= 0) row_text(a, r->worst, &t, &at);
    if (rc == LEAST_CONFLICT)
        diag_error(a->sink, "R211", at,
                   "the start values contradict each other: %s cannot hold together with the other "
                   "conditions; release a fixed start value or remove an initial equation",
                   text_str(&t));
    else if (rc == LEAST_UNDEFINED)
        diag_error(a->sink, "R212", at,
                   "the equations cannot be evaluated at the start values; give start values near "
                   "the solution");
    else
        diag_error(a->sink, "R210", at,
                   "no start values were found that satisfy all equations (%d iterations)%s; give "
                   "start values nearer to the solution",
                   r->iterations, a->x->continuation ? ", not even along homotopy()" : "");
    int m = a->n_rows + a->n_active;
    for (int shown = 0; shown < SHOWN; shown++) {
        int worst = -1;
        for (int i = 0; i < m; i++)
            if (a->scaled[i] > a->tol && (worst < 0 || a->scaled[i] > a->scaled[worst])) worst = i;
        if (worst < 0) break;
        text_clear(&t);
        row_text(a, worst, &t, &at);
        diag_note(a->sink, at, "residual %.3g of %s", a->scaled[worst], text_str(&t));
        a->scaled[worst] = 0;
    }
    text_done(&t);
    memset(a->s->row_at, 0, (size_t)a->m->n * sizeof(int));
    note_moved(a);
}

static void name_conflict(start *a, const form_group *q)
{
    const structure *s = a->m->s;
    text t = scratch_text(a);
    int fixed = 0;
    for (int k = 0; k < q->n_columns; k++)
        if (a->fixed[k])
            text_printf(&t, "%s'%s' = %g", fixed++ ? ", " : "",
                        s->entries.at[entry_of(a, q->columns[k])].name, a->y[q->columns[k]]);
    const form_row *row = &a->m->form->rows.at[q->constraints[0]];
    if (fixed)
        diag_error(a->sink, "R211", s->equations.at[row->equation].at,
                   "the fixed start values %s contradict the constraint%s; release one of them",
                   text_str(&t), q->n_constraints > 1 ? "s" : "");
    else
        diag_error(a->sink, "R210", s->equations.at[row->equation].at,
                   "no start values were found that satisfy this constraint; give start values "
                   "nearer to it");
    for (int k = 0; k < q->n_constraints && k < SHOWN; k++) {
        row = &a->m->form->rows.at[q->constraints[k]];
        text_clear(&t);
        structure_equation_text(s, row->equation, row->derivative, &t);
        diag_note(a->sink, s->equations.at[row->equation].at, "%s (residual %.3g)", text_str(&t),
                  a->scaled[k]);
    }
    text_done(&t);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int solve_all(start *a)
{
    least_report report = {0};
    if (a->n_z > DENSE_MAX) {
        diag_error(
            a->sink, "R213", (span){0, 0},
            "initial equations are supported for systems of up to %d unknowns; this one has %d",
            DENSE_MAX, a->n_z);
        return VINC_E_NEWTON;
    }
    int rc = solve_once(a, &report);
    if (rc > 0 && a->x->continuation) rc = follow_homotopy(a, &report);
    if (rc == LEAST_MEMORY) return VINC_E_MEMORY;
    if (rc == LEAST_OK) return VINC_OK;
    explain(a, rc, &report);
    return VINC_E_NEWTON;
}

static void explain_dependent(start *a)
{
    // Which rows are left? Evaluate once more at the last point.
    int m = a->n_rows + a->n_active;
    residual_all(a, a->scaled);
    for (int i = 0; i < m; i++) a->scaled[i] = isnan(a->scaled[i]) ? INFINITY : fabs(a->scaled[i]);
    memcpy(a->z, a->y, (size_t)a->m->n * sizeof *a->y);
    least_report r = {.worst = -1, .iterations = 40};
    for (int i = 0; i < m; i++)
        if (a->scaled[i] > 0 && (r.worst < 0 || a->scaled[i] > a->scaled[r.worst])) r.worst = i;
    explain(a, r.worst >= 0 && isinf(a->scaled[r.worst]) ? LEAST_UNDEFINED : LEAST_DIVERGED, &r);
}

/* Components of y that belong to groups, and the rest, from the states. */
static int follow_states(start *a)
{
    int rc = code_select(a->s, a->t, a->y, a->yp);
    if (rc < 0) return VINC_E_SINGULAR;
    double *y = a->s->y_start, *yp = a->s->yp_start;
    memcpy(y, a->y, (size_t)a->m->n * sizeof *y);
    memcpy(yp, a->yp, (size_t)a->m->n * sizeof *yp);
    rc = a->s->problem.rhs(a->s, a->t, y, yp);
    if (rc == VINC_E_MEMORY) return rc;
    if (rc && a->n_z <= DENSE_MAX) return solve_all(a); // a better globalised search, homotopy
    if (rc) {
        explain_dependent(a);
        return VINC_E_NEWTON;
    }
    memcpy(a->y, y, (size_t)a->m->n * sizeof *y);
    memcpy(a->yp, yp, (size_t)a->m->n * sizeof *yp);
    return VINC_OK;
}

/* Largest residual of the values as they were given: of constraints, of eliminated variables that
 * have a start value, of initial equations. */
static double inconsistency(start *a)
{
    double most = 0;
    code_eval(a->s, &a->m->residual, a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < a->m->n; i++)
        if (a->m->form->rows.at[i].kind == FORM_ROW_CONSTRAINT) most = fmax(most, fabs(a->full[i]));
    code_eval(a->s, &a->x->extra, a->t, a->y, a->yp, a->extra, NULL);
    for (int k = 0; k < a->x->n_extra; k++) {
        const code_extra *e = &a->x->rows[k];
        if (e->entry < 0) {
            most = fmax(most, fabs(a->extra[k]));
            continue;
        }
        const structure_entry *q = &a->m->s->entries.at[e->entry];
        if (a->m->entries[e->entry].given && q->order < a->m->s->unknowns.at[q->unknown].d)
            most = fmax(most, fabs(a->extra[k] - a->s->start[e->entry]));
    }
    return most;
}

static void report_moves(start *a)
{
    code_init_report *r = a->report;
    for (int i = 0; i < a->m->n; i++) {
        int e = entry_of(a, i);
        if (e < 0 || !a->m->differential[i]) continue;
        r->n_fixed += a->s->fixed[e];
        if (!a->s->fixed[e] && !a->m->entries[e].given) {
            if (r->n_chosen < CODE_INIT_NAMED) r->chosen[r->n_chosen] = e;
            r->n_chosen++;
        }
        double d = fabs(a->y[i] - a->s->start[e]) / a->s->nominal[i];
        if (d <= a->tol) continue;
        // Keep the most moved, sorted.
        int k = r->n_moved < CODE_INIT_NAMED ? r->n_moved : CODE_INIT_NAMED;
        r->n_moved++;
        while (k > 0 && d > fabs(r->to[k - 1] - r->from[k - 1])) {
            if (k < CODE_INIT_NAMED) {
                r->moved[k] = r->moved[k - 1];
                r->from[k] = r->from[k - 1];
                r->to[k] = r->to[k - 1];
            }
            k--;
        }
        if (k < CODE_INIT_NAMED) {
            r->moved[k] = e;
            r->from[k] = a->s->start[e];
            r->to[k] = a->y[i];
        }
    }
}

/* Relations and discrete variables depend on the start values and the other way round. */
static int solve(start *a, bool as_given)
{
    bool conditions = has_conditions(a);
    for (int k = 0; k < ROUNDS; k++) {
        int rc = VINC_OK, changed = 0;
        if (!as_given) {
            take_start_values(a);
            guess(a);
            if (!k) code_refresh_relations(a->s, a->t, a->y, a->yp);
            rc = conditions ? solve_all(a) : solve_groups(a);
        }
        if (rc) return rc;
        if (!as_given) rc = follow_states(a);
        if (rc) return rc;
        double *y = a->s->y_start, *yp = a->s->yp_start;
        memcpy(y, a->y, (size_t)a->m->n * sizeof *y);
        memcpy(yp, a->yp, (size_t)a->m->n * sizeof *yp);
        rc = code_update_discrete(a->s, a->t, y, yp, &changed);
        if (rc < 0) return rc;
        if (!changed) return VINC_OK;
    }
    diag_error(a->sink, "R214", (span){0, 0},
               "conditions of if-expressions and the start values contradict each other: no values "
               "agree with both");
    return VINC_E_NEWTON;
}

/* y and y' of the formulation that is integrated. */
static void hand_over(start *a, code_state *to, double *y, double *yp)
{
    size_t bytes = (size_t)to->model->n * sizeof *y;
    if (to == a->s) {
        memcpy(y, a->y, bytes);
        memcpy(yp, a->yp, bytes);
        return;
    }
    const code_initial *x = a->x;
    memcpy(to->w, a->s->w, (size_t)a->m->s->n_w * sizeof *to->w);
    code_eval(a->s, &x->map, a->t, a->y, a->yp, a->s->map_out, NULL);
    for (int i = 0; i < to->model->n; i++) {
        y[i] = x->map_y[i] < 0 ? 0 : a->s->map_out[x->map_y[i]];
        yp[i] = x->map_yp[i] < 0 ? 0 : a->s->map_out[x->map_yp[i]];
    }
}

/* Every start value of the formulation as it stands. */
static void as_given(code_state *to, double *y, double *yp)
{
    for (int i = 0; i < to->model->n; i++) {
        int e = to->model->form->unknowns.at[i].entry;
        y[i] = e < 0 ? 0 : to->start[e];
        yp[i] = e >= 0 && to->model->differential[i] ? to->start[e + 1] : 0;
    }
}

int code_initialize(code_state *s, double t0, const code_init_options *options, double *y,
                    double *yp, code_init_report *report, diag_sink *sink)
{
    *report = (code_init_report){0};
    code_state *of = s->initial ? s->initial : s;
    start a = {.s = of,
               .m = of->model,
               .x = of->model->init,
               .t = t0,
               .report = report,
               .sink = sink,
               .tol = options->tol > 0 ? options->tol : 1e-9};
    size_t bytes = layout(&a, NULL) + 1;
    void *block = mem_try(s->m, bytes);
    if (!block) return VINC_E_MEMORY;
    memset(block, 0, bytes);
    layout(&a, block);
    of->w[STRUCTURE_W_INITIAL] = 1;
    count_rows(&a);
    report->n_unknowns = a.n_z;
    report->n_equations = a.n_rows + a.n_active;
    report->n_free = a.n_z - report->n_equations;
    take_start_values(&a);
    int rc = code_select(of, t0, a.y, a.yp);
    report->residual = inconsistency(&a);
    report->given_consistent = report->residual <= a.tol;
    if (rc >= 0) rc = solve(&a, options->as_given);
    of->w[STRUCTURE_W_INITIAL] = s->w[STRUCTURE_W_INITIAL] = 0;
    if (rc == VINC_OK) {
        report_moves(&a);
        hand_over(&a, s, y, yp);
        if (options->as_given) {
            as_given(s, y, yp);
            if (!report->given_consistent) rc = 1;
        }
        if (s != of) code_select(s, t0, y, yp);
    }
    mem_free(s->m, block, bytes);
    return rc;
}
