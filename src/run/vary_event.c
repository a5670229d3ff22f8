/* Derivatives of a trajectory across an event.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"
#include "run/vary_parts.h"

#include <string.h>

bool vary_at_event(const run_state *s)
{
    return s->variation && s->variation->event.on;
}

/* ---- when it happens ------------------------------------------------------------------------- */

/* One relation just before the event: its root, and how that moves with time and with parameters. */
typedef struct vary_root {
    double value, rate;
    double *moved; // m
} vary_root;

static void root_of_output(run_variation *x, const code_varied *f, int row, double sign,
                           vary_root *out)
{
    vary_event *e = &x->event;
    const code_model *m = x->s->model;
    int n = x->n, rows = f->pattern.n_rows;
    vary_direction time = {.t = 1, .y = e->rate, .yp = e->rate_p, .w = x->rates_w};
    if (!x->code->n_w) time.w = NULL;
    for (int i = 0; i < x->code->n_w; i++) x->rates_w[i] = 0;
    for (int i = 0; i < m->inputs.n; i++) {
        int column = x->code->w_column[m->inputs.list[i].place];
        if (column) x->rates_w[column - 1] = x->s->w[m->inputs.list[i].place + 1];
    }
    vary_times(x, f, &time, rows, e->row);
    out->rate = f->code ? sign * e->row[row] : 0;
    for (int k = 0; k < x->moving; k++) {
        size_t at = (size_t)k * (size_t)n;
        vary_direction d = {.y = e->dy + at,
                            .yp = e->dyp + at,
                            .w = vary_discrete(x, k),
                            .p = vary_parameters(x, k)};
        vary_times(x, f, &d, rows, e->row);
        out->moved[k] = f->code ? sign * e->row[row] : 0;
    }
}

static void root_of_member(run_variation *x, int member, vary_root *out)
{
    run_state *s = x->s;
    const code_events *c = &s->model->events;
    vary_event *e = &x->event;
    int f = 0;
    while (member >= c->families[f].first + c->families[f].n) f++;
    double sign = c->threshold_first[member] ? -1 : 1;
    run_eval(s, &c->roots, e->t, e->y, e->yp, s->events.relations.sides_before, NULL);
    out->value = s->events.relations.sides_before[2 * c->n_single + f];
    out->value = sign * (out->value - s->events.families.values[member]);
    vary_at(x, &x->code->of[CODE_V_ROOTS], e->t, e->y, e->yp);
    root_of_output(x, &x->code->of[CODE_V_ROOTS], 2 * c->n_single + f, sign, out);
    const code_varied *th = &x->code->of[CODE_V_THRESHOLDS];
    vary_at(x, th, e->t, NULL, NULL);
    for (int k = 0; k < x->moving && th->code; k++) {
        vary_direction d = {.p = vary_parameters(x, k)};
        vary_times(x, th, &d, c->thresholds.n_out, e->row);
        out->moved[k] -= sign * e->row[member];
    }
}

static void root_of_timer(run_variation *x, int timer, vary_root *out)
{
    const code_events *c = &x->s->model->events;
    vary_event *e = &x->event;
    int cell = c->timers.cell[timer], i = c->timers.first[cell];
    while (c->timers.item[i] != timer) i++;
    int row = 2 * (i - c->timers.first[cell]) + 1;
    tape_args args = run_args(x->s, e->t, e->y, e->yp);
    args.out = x->computed;
    tape_run(c->timers.program[cell], &args);
    out->value = x->computed[row];
    vary_at(x, &x->code->timers[cell], e->t, e->y, e->yp);
    root_of_output(x, &x->code->timers[cell], row, 1, out);
}

static bool root_of_relation(run_variation *x, int relation, vary_root *out)
{
    run_state *s = x->s;
    const code_events *c = &s->model->events;
    vary_event *e = &x->event;
    for (int i = 0; i < c->n_single; i++) {
        if (c->single[i] != relation) continue;
        run_eval(s, &c->roots, e->t, e->y, e->yp, s->events.relations.sides_before, NULL);
        out->value = s->events.relations.sides_before[i];
        vary_at(x, &x->code->of[CODE_V_ROOTS], e->t, e->y, e->yp);
        root_of_output(x, &x->code->of[CODE_V_ROOTS], i, 1, out);
        return true;
    }
    for (int i = 0; i < c->n_members; i++)
        if (c->member[i] == relation) return root_of_member(x, i, out), true;
    for (int i = 0; i < c->n_timers; i++)
        if (c->timer[i] == relation) return root_of_timer(x, i, out), true;
    return false;
}

/* Is a sample due? Its times do not move. */
static bool sample_due(const run_state *s)
{
    const event_clock *c = &s->events.timers.clock;
    for (int k = 0; k < c->n_due; k++)
        if (c->due[k] < c->n_samples) return true;
    return false;
}

/* Of the relations that have changed, the one that is nearest to its zero just before the event made
 * it; the others follow from what it changed. */
static void find_time(run_variation *x)
{
    run_state *s = x->s;
    vary_event *e = &x->event;
    const run_relations *r = &s->events.relations;
    double nearest = INFINITY;
    vary_root root = {.moved = x->event.acts +
                               (size_t)x->moving * (size_t)s->model->events.list.n_actions};
    for (int i = 0; i < r->n_flips; i++) {
        if (!root_of_relation(x, r->flips[i], &root) || !(fabs(root.rate) > 0)) continue;
        double away = fabs(root.value / root.rate);
        if (!(away < nearest)) continue;
        nearest = away;
        for (int k = 0; k < x->moving; k++) e->tau[k] = -root.moved[k] / root.rate;
    }
}

/* How far the event moves; from here on derivatives are along with it. */
static void vary_time(run_variation *x)
{
    run_state *s = x->s;
    vary_event *e = &x->event;
    int n = x->n;
    if (e->timed) return;
    e->timed = true;
    for (int k = 0; k < x->moving; k++) e->tau[k] = 0;
    if (e->first || !s->events.relations.n_flips || sample_due(s)) return;
    size_t bytes = (size_t)s->model->n_w * sizeof *s->w;
    double one = 1;
    memcpy(e->w_now, s->w, bytes);
    memcpy(s->w, e->w, bytes);
    memcpy(e->rate, e->yp, (size_t)n * sizeof *e->rate);
    if (vary_follow(x, e->t, e->y, e->yp, 1, &one, false, e->rate, e->rate_p)) {
        memcpy(e->rate, e->yp, (size_t)n * sizeof *e->rate);
        memset(e->rate_p, 0, (size_t)n * sizeof *e->rate_p);
    }
    for (int i = 0; i < n; i++) // y' of states is the rate; of what depends on them it was found
        if (s->model->system.role[i] == CODE_STATE) e->rate[i] = e->yp[i];
    find_time(x);
    memcpy(s->w, e->w_now, bytes);
    for (int k = 0; k < x->moving; k++)
        for (int i = 0; i < n; i++) {
            e->dy[k * n + i] += e->tau[k] * e->rate[i];
            e->dyp[k * n + i] += e->tau[k] * e->rate_p[i];
        }
    if (s->model->events.list.n_before) vary_note_before(s, e->t, e->y, e->yp);
}

/* ---- what it changes ------------------------------------------------------------------------- */

/* Derivatives at the present point: those of the states are known. */
static void vary_refresh(run_variation *x, double t, const double *y, const double *yp)
{
    vary_event *e = &x->event;
    vary_time(x);
    vary_follow(x, t, y, yp, x->moving, e->tau, true, e->dy, e->dyp);
}

static vary_direction event_direction(const run_variation *x, int k)
{
    size_t at = (size_t)k * (size_t)x->n;
    return (vary_direction){.t = x->event.tau[k],
                            .y = x->event.dy + at,
                            .yp = x->event.dyp + at,
                            .w = vary_discrete(x, k),
                            .p = vary_parameters(x, k)};
}

/* Derivatives of the items of cells that ran, from values as they are before any is taken. */
bool vary_cells_ran(run_state *s, double t, const double *y, const double *yp)
{
    run_variation *x = s->variation;
    const code_cells *c = &s->model->events.discrete;
    const cell_front *f = &s->events.discrete.front;
    const image_events *q = &s->model->events.list;
    bool any = false, changed = false;
    for (int k = 0; k < f->n_ran && !any; k++) any = x->code->discrete[f->ran[k]].code != NULL;
    if (!any) return false;
    vary_refresh(x, t, y, yp);
    for (int r = 0; r < f->n_ran; r++) {
        int cell = f->ran[r], first = c->first[cell];
        const code_varied *v = &x->code->discrete[cell];
        vary_at(x, v, t, y, yp);
        for (int k = 0; k < x->moving; k++) {
            vary_direction d = event_direction(x, k);
            vary_times(x, v, &d, c->program[cell]->extent[TAPE_OUT], x->event.row);
            for (int i = first; i < c->first[cell + 1]; i++)
                x->event.cells[c->item[i] * x->moving + k] = x->event.row[i - first];
        }
    }
    for (int r = 0; r < f->n_ran; r++)
        for (int i = c->first[f->ran[r]]; i < c->first[f->ran[r] + 1]; i++) {
            int item = c->item[i], slot = q->discrete[item].place;
            int column = x->code->w_column[slot];
            for (int k = 0; column && k < x->moving; k++) {
                double *dw = &vary_discrete(x, k)[column - 1],
                       now = x->event.cells[item * x->moving + k];
                if (*dw == now) continue;
                *dw = now;
                changed = true;
                event_touch(s, slot);
            }
        }
    return changed;
}

void vary_acts_ran(run_state *s, double t, const double *y, const double *yp)
{
    run_variation *x = s->variation;
    const code_events *e = &s->model->events;
    const code_cells *c = &e->acts;
    const cell_front *f = &s->events.actions.front;
    bool any = false;
    for (int r = 0; r < f->n_ran; r++)
        for (int i = c->first[f->ran[r]]; i < c->first[f->ran[r] + 1]; i++)
            any = any || (f->out[r][2 * (i - c->first[f->ran[r]])] != 0 &&
                          e->list.actions[e->acting[c->item[i]]].kind == IMAGE_REINIT);
    if (!any) return;
    vary_refresh(x, t, y, yp);
    for (int r = 0; r < f->n_ran; r++) {
        int cell = f->ran[r], first = c->first[cell];
        vary_at(x, &x->code->acts[cell], t, y, yp);
        for (int k = 0; k < x->moving; k++) {
            vary_direction d = event_direction(x, k);
            vary_times(x, &x->code->acts[cell], &d, c->program[cell]->extent[TAPE_OUT],
                       x->event.row);
            for (int i = first; i < c->first[cell + 1]; i++)
                x->event.acts[s->model->events.acting[c->item[i]] * x->moving + k] =
                    x->event.row[2 * (i - first) + 1];
        }
    }
}

void vary_reinit(run_state *s, int action)
{
    run_variation *x = s->variation;
    int i = s->model->events.action_y[action];
    for (int k = 0; k < x->moving; k++)
        x->event.dy[k * x->n + i] =
            s->model->events.action_sign[action] * x->event.acts[action * x->moving + k];
}

void vary_past_is_present(run_state *s)
{
    run_variation *x = s->variation;
    const image_events *q = &s->model->events.list;
    for (int i = 0; i < q->n_discrete; i++) {
        int slot = q->discrete[i].place, column = x->code->w_column[slot];
        for (int k = 0; column && k < x->moving; k++) {
            double *dw = vary_discrete(x, k);
            dw[x->code->w_column[slot + 1] - 1] = dw[column - 1];
        }
    }
}

void vary_note_before(run_state *s, double t, const double *y, const double *yp)
{
    run_variation *x = s->variation;
    const image_events *q = &s->model->events.list;
    const code_varied *v = &x->code->of[CODE_V_BEFORE];
    if (!q->n_before) return;
    bool present = y != x->event.y;
    if (present) vary_refresh(x, t, y, yp);
    vary_at(x, v, t, y, yp);
    for (int k = 0; k < x->moving; k++) {
        vary_direction d = event_direction(x, k);
        vary_times(x, v, &d, s->model->events.before.n_out, x->event.row);
        double *dw = vary_discrete(x, k);
        for (int i = 0; i < q->n_before; i++)
            dw[x->code->w_column[q->before[i]] - 1] = x->event.row[i];
    }
}

/* ---- at the start ---------------------------------------------------------------------------- */

bool vary_start_discrete(run_variation *x, double t, const double *y, const double *yp,
                         const double *dy, const double *dyp)
{
    run_state *s = x->s;
    const image_events *q = &s->model->events.list;
    const code_cells *c = &s->model->events.discrete;
    bool changed = false;
    if (!x->code->n_w) return false;
    memcpy(x->event.dw_now, x->dw, (size_t)x->moving * (size_t)x->code->n_w * sizeof *x->dw);
    for (int k = 0; k < x->moving; k++) {
        size_t at = (size_t)k * (size_t)x->n;
        vary_direction d = {.y = dy + at,
                            .yp = dyp + at,
                            .w = x->event.dw_now + (size_t)k * (size_t)x->code->n_w,
                            .p = vary_parameters(x, k)};
        double *dw = vary_discrete(x, k);
        const code_varied *first = &x->code->of[CODE_V_FIRST],
                          *before = &x->code->of[CODE_V_BEFORE];
        if (q->n_first) {
            vary_at(x, first, t, y, yp);
            vary_times(x, first, &d, s->model->events.first.n_out, x->event.row);
            for (int i = 0; i < q->n_first; i++) {
                int column = x->code->w_column[q->first[i].place + 1];
                if (column) dw[column - 1] = x->event.row[i];
            }
        }
        if (q->n_before) {
            vary_at(x, before, t, y, yp);
            vary_times(x, before, &d, s->model->events.before.n_out, x->event.row);
            for (int i = 0; i < q->n_before; i++)
                dw[x->code->w_column[q->before[i]] - 1] = x->event.row[i];
        }
        for (int cell = 0; cell < c->n; cell++) {
            vary_at(x, &x->code->discrete[cell], t, y, yp);
            vary_times(x, &x->code->discrete[cell], &d, c->program[cell]->extent[TAPE_OUT],
                       x->event.row);
            for (int i = c->first[cell]; i < c->first[cell + 1]; i++) {
                int column = x->code->w_column[q->discrete[c->item[i]].place];
                if (column) dw[column - 1] = x->event.row[i - c->first[cell]];
            }
        }
    }
    for (int i = 0; i < x->moving * x->code->n_w; i++)
        changed = changed || x->dw[i] != x->event.dw_now[i];
    return changed;
}

/* ---- the event of the problem ---------------------------------------------------------------- */

static int end_event(run_variation *x, double t, double *Y, double *Yp)
{
    run_state *s = x->s;
    vary_event *e = &x->event;
    int n = x->n;
    vary_time(x);
    for (int k = 0; k < x->moving; k++)
        for (int i = 0; i < n; i++) Y[(1 + k) * n + i] = e->dy[k * n + i] - e->tau[k] * Yp[i];
    if (s->slide.n) {
        event_complain(s, (span){0, 0},
                       "the motion begins to slide along a surface on which a condition switches: "
                       "derivatives by parameters are not known while it does");
        return -1;
    }
    int rc = vary_follow(x, t, Y, Yp, x->moving, NULL, true, Y + n, Yp + n);
    if (!rc) return 0;
    if (rc > 0)
        event_complain(s, (span){0, 0},
                       "after the event the equations do not determine the derivatives by "
                       "parameters; another formulation may (--formulation dummy)");
    return -1;
}

static int vary_handle(run_state *s, double t, double *Y, double *Yp, int *changed,
                       int (*handle)(void *user, double t, double *y, double *yp, int *changed))
{
    run_variation *x = s->variation;
    vary_event *e = &x->event;
    size_t bytes = (size_t)x->n * sizeof *Y, all = (size_t)x->moving * bytes;
    e->on = true;
    e->timed = false;
    e->first = !s->events.started;
    e->t = t;
    memcpy(e->y, Y, bytes);
    memcpy(e->yp, Yp, bytes);
    memcpy(e->w, s->w, (size_t)s->model->n_w * sizeof *s->w);
    memcpy(e->dy, Y + x->n, all);
    memcpy(e->dyp, Yp + x->n, all);
    int rc = handle(s, t, Y, Yp, changed);
    if (rc >= 0 && *changed > 0 && (rc == 0 || rc == VINC_TERMINATED)) {
        int ended = end_event(x, t, Y, Yp);
        if (ended) rc = ended;
    }
    e->on = false;
    return rc;
}

int vary_event_handle(void *user, double t, double *Y, double *Yp, int *changed)
{
    return vary_handle(user, t, Y, Yp, changed, event_handle);
}

int vary_event_finish(void *user, double t, double *Y, double *Yp, int *changed)
{
    return vary_handle(user, t, Y, Yp, changed, event_finish);
}
