/* Points and pieces of the motion for what optimizes it.
 *
 * Nothing here jumps: what needs memory has it before a search begins, or says that it has none.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/optimal_parts.h"

#include "run/verbs.h"

#include <math.h>
#include <string.h>

static void optimal_inputs(void *user, double t, double *u, double *up)
{
    const optimal *q = user;
    int n = run_model(q->s)->inputs.n;
    (void)t;
    memcpy(u, q->inputs, (size_t)n * sizeof *u);
    memset(up, 0, (size_t)n * sizeof *up);
}

void optimal_set_controls(optimal *q, const double *u)
{
    for (int i = 0; i < q->n_controls; i++) q->inputs[q->controls[i].input] = u[i];
}

bool optimal_stops(void *user)
{
    optimal *q = user;
    watch_doing(&q->sim->watch, "optimizing", q->model->flat->name);
    if (!q->stop && watch_look(&q->sim->watch))
        q->stop = q->sim->watch.cause == WATCH_INTERRUPTED ? VINC_E_INTERRUPTED : VINC_E_LIMIT;
    return q->stop != 0;
}

static int optimal_status(optimal *q, int rc)
{
    if (rc == VINC_E_MEMORY || rc == VINC_E_INTERRUPTED || rc == VINC_E_LIMIT) q->stop = rc;
    if (optimal_stops(q)) return -1;
    return rc < 0 || rc > 0 ? 1 : 0;
}

/* Before the first point: what inputs are that are no controls, and room. Inside the guard. */
int optimal_open(optimal *q)
{
    const code_model *m = run_model(q->s);
    size_t n_u = (size_t)m->inputs.n, n_b = (size_t)(q->n_controls + q->n_parameters);
    const double *before = q->inputs; // what optimal_inputs gives until it is known anew
    q->inputs = arena_array(q->a, double, n_u + 1);
    if (before) memcpy(q->inputs, before, n_u * sizeof *before);
    q->begun = arena_array(q->a, double, n_b + 1);
    q->start_slopes = arena_array(q->a, double, n_b *(size_t)q->n + 1);
    watch_begin(&q->sim->watch, 0);
    int rc = VINC_OK;
    for (int i = 0; i < q->n_controls && !rc; i++) // equations may have no value where it is 0
        rc = vinc_sim_set(q->sim, q->controls[i].name, q->controls[i].start);
    if (!rc) rc = api_initialize(q->sim);
    if (rc < 0) return rc;
    q->x = vary_of(q->s);
    q->code = q->x->code;
    for (size_t i = 0; i < n_u; i++) q->inputs[i] = q->s->w[m->inputs.list[i].place];
    for (int i = 0; i < q->n_controls; i++) {
        optimal_control *c = &q->controls[i];
        q->inputs[c->input] = c->start;
        c->column = q->code->w_column[m->inputs.list[c->input].place] - 1;
    }
    run_inputs(q->s, optimal_inputs, q);
    q->is_begun = false;
    return VINC_OK;
}

int optimal_begin(optimal *q, const double *u, const double *parameters)
{
    size_t n_u = (size_t)q->n_controls, n_q = (size_t)q->n_parameters;
    optimal_set_controls(q, u);
    if (q->is_begun && !memcmp(q->begun, u, n_u * sizeof *u) &&
        (!n_q || !memcmp(q->begun + n_u, parameters, n_q * sizeof *u)))
        return 0;
    int rc = VINC_OK;
    diag_sink held = *q->sim->sink;
    for (int i = 0; i < q->n_parameters && !rc; i++)
        rc = vinc_sim_set(q->sim, q->parameters[i]->name, parameters[i]);
    if (!rc) rc = api_initialize(q->sim);
    q->is_begun = rc == VINC_OK;
    const double *dy, *dyp;
    vary_started(q->x, &dy, &dyp); // until the next run begins
    if (!rc) memcpy(q->start_slopes, dy, (n_u + n_q) * (size_t)q->n * sizeof *dy);
    if (rc) diag_forget_since(q->sim->sink, held);
    memcpy(q->begun, u, n_u * sizeof *u);
    if (n_q) memcpy(q->begun + n_u, parameters, n_q * sizeof *u);
    return optimal_status(q, rc);
}

const double *optimal_start_slope(const optimal *q, int k)
{
    return q->start_slopes + (size_t)k * (size_t)q->n;
}

/* ---- derivatives of outputs ------------------------------------------------------------------ */

/* row += value times the derivative of a column of w or p by controls and parameters. */
static void add_given(const optimal *q, int given, double value, double *row)
{
    int n_w = q->code->n_w;
    double *by = row + 1 + 2 * q->n;
    for (int i = 0; i < q->n_controls && given < n_w; i++)
        if (q->controls[i].column == given) by[i] += value;
    for (int k = 0; k < q->n_parameters && given >= n_w; k++)
        by[q->n_controls + k] += value * vary_parameters(q->x, q->n_controls + k)[given - n_w];
}

void optimal_output_slope(const optimal *q, int output, double *row)
{
    const code_varied *f = &q->code->of[CODE_V_COMPUTED];
    tape_ref from = code_output_from(&q->s->model->outputs, output);
    int n = q->n, at = tape_index_of(from), column;
    memset(row, 0, (size_t)optimal_n_columns(q) * sizeof *row);
    switch (tape_kind_of(from)) {
    case TAPE_T: row[0] = 1; return;
    case TAPE_Y: row[1 + at] = 1; return;
    case TAPE_YP: row[1 + n + at] = 1; return;
    case TAPE_W:
        column = q->code->w_column[at];
        if (column) add_given(q, column - 1, 1, row);
        return;
    case TAPE_P:
        column = q->code->p_column[at];
        if (column) add_given(q, q->code->n_w + column - 1, 1, row);
        return;
    default: break;
    }
    for (int j = 0; f->code && j < q->code->n_columns; j++)
        for (int e = f->pattern.start[j]; e < f->pattern.start[j + 1]; e++) {
            if (f->pattern.row[e] != at) continue;
            if (j < 1 + 2 * n) row[j] += q->x->values[e];
            else add_given(q, j - 1 - 2 * n, q->x->values[e], row);
        }
}

void optimal_targets(const optimal *q, double *target)
{
    for (int v = 0; v < q->n; v++) target[v] = NAN;
    for (int r = q->n_path; r < q->n_limits; r++) {
        const optimal_limit *l = &q->limits[r];
        tape_ref from = code_output_from(&q->s->model->outputs, l->output);
        if (l->lower == l->upper && tape_kind_of(from) == TAPE_Y)
            target[tape_index_of(from)] = l->sign * l->lower;
    }
}

/* ---- pieces ---------------------------------------------------------------------------------- */

typedef struct piece_nodes {
    const double *times;
    int n_times, next;
    size_t n;
    double *at, *yp;
    int rc;
} piece_nodes;

static int follow_nodes(void *user, double t0, double t1,
                        int (*at)(void *trajectory, double t, double *y, double *yp),
                        void *trajectory)
{
    piece_nodes *p = user;
    (void)t0;
    for (; p->next < p->n_times && p->times[p->next] <= t1; p->next++) {
        p->rc = at(trajectory, p->times[p->next], p->at + (size_t)p->next * p->n, p->yp);
        if (p->rc) return 1;
    }
    return 0;
}

int optimal_settle(optimal *q, double t, double *y, double *yp)
{
    return optimal_status(q, run_solve_dependent(q->s, t, y, yp));
}

sim_options optimal_driver(optimal *q, double t0, double t1)
{
    sim_options o = api_driver_options(q->sim);
    o.t_start = t0;
    o.t_stop = t1;
    o.no_rows = true;
    o.intervals = 0;
    o.progress = NULL;
    o.log_line = NULL;
    o.singular = NULL;
    o.follow = NULL;
    return o;
}

int optimal_drive(optimal *q, const vinc_problem *p, const sim_options *o, double *y, double *yp)
{
    sim_outcome done;
    result *none = NULL;
    if (result_new(&q->sim->m, &none) < 0) return optimal_status(q, VINC_E_MEMORY);
    q->runs++;
    int rc = sim_run(&q->sim->m, p, y, yp, o, none, &done);
    text_done(&done.message);
    result_free(none);
    return optimal_status(q, rc);
}

int optimal_piece(optimal *q, double t0, double t1, double *y, double *yp, const double *times,
                  int n_times, double *at)
{
    sim_options o = optimal_driver(q, t0, t1);
    piece_nodes nodes = {
        .times = times, .n_times = n_times, .n = (size_t)q->n, .at = at, .yp = q->x->part};
    if (at) o.follow = follow_nodes, o.follow_inside = true, o.user = &nodes;
    int rc = optimal_settle(q, t0, y, yp);
    if (!rc) rc = optimal_drive(q, q->p, &o, y, yp);
    return rc ? rc : nodes.rc != 0;
}
