/* The problem whose unknowns are y and its derivatives by parameters.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/vary_parts.h"

#include <string.h>

static int vary_residual(void *user, double t, const double *Y, const double *Yp, double *R)
{
    run_state *s = user;
    run_variation *x = s->variation;
    const code_varied *f = &x->code->of[CODE_V_RESIDUAL];
    int n = x->n, rc = s->problem.residual(user, t, Y, Yp, R);
    if (rc) return rc;
    if (x->along[CODE_V_RESIDUAL] &&
        vary_along_times(x, CODE_V_RESIDUAL, t, Y, Yp, Y + n, Yp + n, R + n))
        return 0;
    vary_at(x, f, t, Y, Yp);
    vary_times_all(x, CODE_V_RESIDUAL, x->values, NULL, x->moving, Y + n, Yp + n, n, R + n);
    return problem_finite(R + n, x->moving * n) ? 0 : 1;
}

static double *kept_values(const run_variation *x, int kept)
{
    return x->kept + (size_t)kept * (size_t)x->code->of[CODE_V_RESIDUAL].pattern.nnz;
}

static double *kept_given(const run_variation *x, int kept)
{
    return x->given + (size_t)kept * (size_t)(x->m + VARY_WIDE) * (size_t)x->n;
}

static int vary_keep(void *user, int kept, double t, const double *y, const double *yp)
{
    run_variation *x = ((run_state *)user)->variation;
    const code_varied *f = &x->code->of[CODE_V_RESIDUAL];
    if (x->along[CODE_V_RESIDUAL]) {
        size_t n = (size_t)x->n;
        x->point_t[kept] = t;
        memcpy(x->points + 2 * (size_t)kept * n, y, n * sizeof *y);
        memcpy(x->points + (2 * (size_t)kept + 1) * n, yp, n * sizeof *yp);
        return 0;
    }
    vary_values(x, f, t, y, yp, kept_values(x, kept));
    vary_give(x, f, kept_values(x, kept), x->moving, x->n, kept_given(x, kept));
    return 0;
}

static int vary_kept_jacobian(void *user, int kept, double *dy, double *dyp)
{
    const run_variation *x = ((run_state *)user)->variation;
    const double *values = kept_values(x, kept);
    int nnz = x->s->model->system.jac.nnz;
    if (x->along[CODE_V_RESIDUAL] || !x->code->of[CODE_V_RESIDUAL].code) return 1;
    for (int e = 0; e < nnz; e++) {
        int y = x->jac_place[2 * e], yp = x->jac_place[2 * e + 1];
        dy[e] = y < 0 ? 0 : values[y];
        dyp[e] = yp < 0 ? 0 : values[yp];
    }
    return problem_finite(dy, nnz) && problem_finite(dyp, nnz) ? 0 : 1;
}

static int vary_kept_residual(void *user, int kept, const double *Y, const double *Yp, double *R)
{
    run_variation *x = ((run_state *)user)->variation;
    const code_varied *f = &x->code->of[CODE_V_RESIDUAL];
    int n = x->n;
    const double *y = x->points + 2 * kept * n, *yp = y + n;
    double t = x->point_t[kept];
    if (!x->along[CODE_V_RESIDUAL]) {
        vary_times_all(x, CODE_V_RESIDUAL, kept_values(x, kept), kept_given(x, kept), x->moving,
                       Y + n, Yp + n, n, R + n);
    } else if (!vary_along_times(x, CODE_V_RESIDUAL, t, y, yp, Y + n, Yp + n, R + n)) {
        vary_at(x, f, t, y, yp);
        vary_times_all(x, CODE_V_RESIDUAL, x->values, NULL, x->moving, Y + n, Yp + n, n, R + n);
    }
    return 0;
}

/* Derivatives of the right-hand side where it is one; else what the equations say. */
static int follow_states(run_variation *x, double t, const double *y, const double *yp, double *dY,
                         double *dYp)
{
    run_state *s = x->s;
    const code_varied *f = &x->code->of[CODE_V_RHS];
    int n = x->n;
    bool all = s->model->system.all_differential;
    // A higher index is kept: derivatives are the method's, as y is.
    if (!s->model->formulation.explicit && s->model->formulation.index > 1) return 0;
    if (!s->model->system.rhs.code || !s->model->formulation.explicit) {
        int rc = vary_follow(x, t, y, yp, x->moving, NULL, true, dY, dYp);
        return rc < 0 ? -1 : rc;
    }
    double *out = all ? dYp : x->rhs;
    bool known = x->along[CODE_V_RHS] && vary_along_times(x, CODE_V_RHS, t, y, NULL, dY, NULL, out);
    if (!known) {
        vary_at(x, f, t, y, NULL);
        vary_times_all(x, CODE_V_RHS, x->values, NULL, x->moving, dY, NULL, n, out);
    }
    for (int k = 0; k < x->moving && !all; k++) {
        double *v = dY + k * n, *vp = dYp + k * n, *r = x->rhs + k * n;
        for (int i = 0; i < n; i++) {
            bool moves = s->model->system.differential[i];
            vp[i] = moves ? r[i] : 0;
            if (!moves) v[i] = r[i];
        }
    }
    return known || problem_finite(dYp, x->moving * n) ? 0 : 1;
}

static int vary_moved(void *user, double t, double *Y, double *Yp,
                      int (*move)(void *user, double t, double *y, double *yp))
{
    run_state *s = user;
    run_variation *x = s->variation;
    int rc = move(user, t, Y, Yp);
    return rc ? rc : follow_states(x, t, Y, Yp, Y + x->n, Yp + x->n);
}

static int vary_rhs(void *user, double t, double *Y, double *Yp)
{
    return vary_moved(user, t, Y, Yp, ((run_state *)user)->problem.rhs);
}

/* Derivatives meet the constraints, linearised where the solution is: it is no further from them than its error. */
static int vary_stage(void *user, double t, double *Y, double *Yp)
{
    return vary_moved(user, t, Y, Yp, ((run_state *)user)->problem.stage);
}

typedef struct vary_point {
    run_variation *x;
    const double *Y, *Yp;
} vary_point;

static void level_residual(void *user, int level, int k, double *r)
{
    const vary_point *p = user;
    const run_variation *x = p->x;
    int at = (1 + k) * x->n;
    vary_direction d = {0, p->Y + at, p->Yp + at, vary_discrete(x, k), vary_parameters(x, k)};
    vary_times(x, &x->code->levels[level], &d, x->s->model->manifold->levels[level].m, r);
}

/* Where steps are moved onto the constraints, derivatives are, onto their derivatives. */
static int vary_project(void *user, double t, double *Y, double *Yp)
{
    run_state *s = user;
    run_variation *x = s->variation;
    vary_point p = {x, Y, Yp};
    int rc = s->problem.project(user, t, Y, Yp);
    const code_manifold *m = s->problem.project == run_project ? s->model->manifold : NULL;
    for (int k = 0; !rc && m && k < m->n; k++) {
        vary_at(x, &x->code->levels[k], t, Y, Yp);
        rc = project_directions(s, k, t, Y, Yp, x->moving, level_residual, &p, Y + x->n);
    }
    return rc ? rc : follow_states(x, t, Y, Yp, Y + x->n, Yp + x->n);
}

static int vary_output_project(void *user, double t, double *Y, double *Yp)
{
    return vary_moved(user, t, Y, Yp, ((run_state *)user)->problem.output_project);
}

static int vary_project_within(void *user, double t, double *Y, double *Yp, double within)
{
    run_state *s = user;
    run_variation *x = s->variation;
    int rc = s->problem.project_within(user, t, Y, Yp, within);
    return rc ? rc : follow_states(x, t, Y, Yp, Y + x->n, Yp + x->n);
}

static int vary_project_end(void *user, double t, double *Y, double *Yp, double within)
{
    run_state *s = user;
    run_variation *x = s->variation;
    int rc = s->problem.project_end(user, t, Y, Yp, within);
    return rc ? rc : follow_states(x, t, Y, Yp, Y + x->n, Yp + x->n);
}

/* ---- outputs --------------------------------------------------------------------------------- */

int vary_record(run_variation *x, const int *outputs, int n)
{
    run_state *s = x->s;
    mem_free(s->m, x->outputs, (size_t)x->n_outputs * sizeof *x->outputs);
    x->outputs = NULL;
    x->n_outputs = 0;
    x->computes = false;
    if (!n) return VINC_OK;
    x->outputs = mem_try(s->m, (size_t)n * sizeof *x->outputs);
    if (!x->outputs) return VINC_E_MEMORY;
    memcpy(x->outputs, outputs, (size_t)n * sizeof *outputs);
    x->n_outputs = n;
    for (int i = 0; i < n; i++)
        if (tape_kind_of(code_output_from(&s->model->outputs, outputs[i])) == TAPE_OUT)
            x->computes = true;
    return VINC_OK;
}

int vary_outputs(run_variation *x, double t, const double *Y, const double *Yp, double *out)
{
    run_state *s = x->s;
    const code_model *m = s->model;
    const code_varied *f = &x->code->of[CODE_V_COMPUTED];
    if (x->computes) vary_at(x, f, t, Y, Yp);
    for (int k = 0; k < x->m; k++, out += x->n_outputs) {
        bool moves = k < x->moving;
        const double *v = moves ? Y + (1 + k) * x->n : x->zero,
                     *vp = moves ? Yp + (1 + k) * x->n : x->zero;
        vary_direction d = {0, v, vp, vary_discrete(x, k), vary_parameters(x, k)};
        if (x->computes) vary_times(x, f, &d, m->outputs.computed.n_out, x->computed);
        for (int i = 0; i < x->n_outputs; i++) {
            tape_ref from = code_output_from(&m->outputs, x->outputs[i]);
            int at = tape_index_of(from), column;
            switch (tape_kind_of(from)) {
            case TAPE_Y: out[i] = v[at]; break;
            case TAPE_YP: out[i] = vp[at]; break;
            case TAPE_OUT: out[i] = x->computed[at]; break;
            case TAPE_W:
                column = x->code->w_column[at];
                out[i] = column ? d.w[column - 1] : 0;
                break;
            case TAPE_P:
                column = x->code->p_column[at];
                out[i] = column ? d.p[column - 1] : 0;
                break;
            default: out[i] = 0;
            }
        }
    }
    return 0;
}

/* Is what has derivatives recorded itself? Then those of states depend on states alone, as it does. */
static bool are_recorded(const run_variation *x)
{
    const run_recording *r = &x->s->recording;
    for (int i = 0, k; i < x->n_outputs; i++) {
        for (k = 0; k < r->n && r->outputs[k] != x->outputs[i];) k++;
        if (k == r->n) return false;
    }
    return true;
}

/* What is recorded of states, and what its derivatives are. Without memory rows have all unknowns. */
static void list_row_unknowns(run_variation *x)
{
    const vinc_problem *p = &x->s->problem;
    int blocks = 1 + x->moving, n = p->n_row_unknowns;
    mem_free(x->s->m, x->row_unknowns, x->row_bytes);
    x->row_unknowns = NULL;
    if (!x->problem.outputs_of_states || !p->row_unknowns || x->computes) return;
    x->row_bytes = ((size_t)blocks * (size_t)n + 1) * sizeof *x->row_unknowns;
    x->row_unknowns = mem_try(x->s->m, x->row_bytes);
    for (int k = 0; k < blocks && x->row_unknowns; k++)
        for (int i = 0; i < n; i++) x->row_unknowns[k * n + i] = k * x->n + p->row_unknowns[i];
    x->problem.n_row_unknowns = blocks * n;
}

static int outputs_of_all(void *user, double t, const double *Y, const double *Yp, double *out)
{
    run_state *s = user;
    run_variation *x = s->variation;
    int rc = s->problem.outputs(user, t, Y, Yp, out), n = s->problem.n_outputs;
    if (!rc) rc = vary_outputs(x, t, Y, Yp, out + n);
    return rc ? rc : problem_finite(out + n, x->m * x->n_outputs) ? 0 : 1;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static const char *name_of_unknown(void *user, int i)
{
    const run_state *s = user;
    return s->problem.unknown_name(user, i % s->model->n);
}

static void repeat_blocks(run_variation *x)
{
    const vinc_problem *p = &x->s->problem;
    int n = x->n;
    for (int i = 0; i < (1 + x->moving) * n; i++) {
        int of = i % n, v = p->velocity ? p->velocity[of] : -1;
        x->differential[i] = !p->differential || p->differential[of];
        x->rate[i] = p->rate && p->rate[of];
        x->unsized[i] = p->unsized && i < n && p->unsized[i]; // those of derivatives are computed
        x->unknown_level[i] = p->unknown_level ? p->unknown_level[of] : 0;
        x->equation_level[i] = p->equation_level ? p->equation_level[of] : 0;
        x->velocity[i] = v < 0 ? -1 : i - of + v;
    }
}

/* Multipliers of redundant constraints are those of least norm, by a small number in the equations that
 * magnifies rounding. Nothing depends on how they are shared: no test counts their derivatives. */
static void leave_out_multipliers(run_variation *x)
{
    const double NOT_COUNTED = 1e8; // times their nominal
    const image_mechanical *q = x->s->model->formulation.mechanical;
    if (!q || q->least < 0 || x->s->w[q->least] == 0) return;
    for (int k = 1; k <= x->moving; k++)
        for (int i = 0; i < q->m + q->n_laws; i++)
            x->nominal[k * x->n + q->multiplier[i]] *= NOT_COUNTED;
}

const vinc_problem *vary_problem(run_variation *x)
{
    const vinc_problem *p = &x->s->problem;
    x->moving = vary_moving(x);
    vary_along_choose(x);
    repeat_blocks(x);
    leave_out_multipliers(x);
    x->problem = *p;
    x->problem.n_corners = 0; // of other unknowns
    x->problem.n = (1 + x->moving) * x->n;
    x->problem.blocks = 1 + x->moving;
    x->problem.nominal = x->nominal;
    x->problem.differential = x->differential;
    x->problem.unsized = p->unsized ? x->unsized : NULL;
    x->problem.rate = p->rate ? x->rate : NULL;
    x->problem.unknown_level = p->unknown_level ? x->unknown_level : NULL;
    x->problem.equation_level = p->equation_level ? x->equation_level : NULL;
    x->problem.velocity = p->velocity ? x->velocity : NULL;
    x->problem.residual = vary_residual;
    x->problem.residuals = NULL;
    x->problem.whole_step = NULL;
    x->problem.stage = p->stage ? vary_stage : NULL;
    x->problem.lead = p->residual;
    x->problem.lead_rhs = p->rhs;
    x->problem.vary = vary_keep;
    x->problem.vary_residual = vary_kept_residual;
    x->problem.vary_jacobian = p->jac == &x->s->model->system.jac ? vary_kept_jacobian : NULL;
    x->problem.n_kept = VARY_KEPT;
    x->problem.blocks_counted = x->controlled ? 0 : 1;
    x->problem.product = NULL;
    x->problem.rhs = p->rhs ? vary_rhs : NULL;
    x->problem.project = p->project ? vary_project : NULL;
    x->problem.output_project = p->output_project ? vary_output_project : NULL;
    x->problem.project_within = vary_project_within;
    x->problem.project_end = p->project_end ? vary_project_end : NULL;
    x->problem.outputs_of_states = p->outputs_of_states && are_recorded(x);
    list_row_unknowns(x);
    x->problem.row_unknowns = x->row_unknowns;
    x->problem.event = p->event ? vary_event_handle : NULL;
    x->problem.finish = p->finish ? vary_event_finish : NULL;
    x->problem.follows = NULL;
    x->problem.n_invariants = 0;
    x->problem.invariants = NULL;
    x->problem.invariant_slopes = NULL;
    x->problem.n_outputs = p->n_outputs + x->m * x->n_outputs;
    x->problem.outputs = outputs_of_all;
    x->problem.rows = NULL;
    x->problem.unknown_name = name_of_unknown;
    return &x->problem;
}
