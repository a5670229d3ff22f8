/* What a run leaves behind: rows of the result, the chart of steps, lines of the log.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"

#include "method/row_weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- output ---------------------------------------------------------------------------------- */

void driver_watch_violation(driver *d, double t, const double *y, const double *yp)
{
    double v[3];
    if (!d->p->violation || d->p->violation(d->p->user, t, y, yp, v) != 0) return;
    for (int k = 0; k < 3; k++) {
        d->seen[k] = v[k] < 0 ? NAN : v[k];
        if (v[k] > d->done->violation[k]) d->done->violation[k] = v[k];
    }
}

/* Where times are listed, each has one row: at an event that of the values after it, and across a jump
 * that of the point behind it. */
static int append_listed(driver *d, double t, const double *row)
{
    const sim_options *o = d->o;
    int rc = RESULT_OK;
    if (d->n_listed && o->times[d->n_listed - 1] == t) {
        result_truncate(d->into, d->into->n_rows - 1);
        rc = result_append(d->into, t, row);
    }
    for (; rc >= 0 && d->n_listed < o->intervals && o->times[d->n_listed] <= t; d->n_listed++)
        rc = result_append(d->into, o->times[d->n_listed], row);
    return rc;
}

int driver_append(driver *d, double t, const double *row)
{
    d->t_row = t;
    if (d->o->no_rows) return VINC_OK;
    int rc = d->o->times ? append_listed(d, t, row) : result_append(d->into, t, row);
    if (rc >= 0) return VINC_OK;
    const result_fault *fault = result_stream_fault(d->into);
    if (fault && rc == RESULT_E_WRITE) {
        text_add(&d->done->message, fault->text);
        return VINC_E_WRITE;
    }
    text_printf(&d->done->message, "no memory for more results at t = %.10g", t);
    return VINC_E_MEMORY;
}

void driver_watch_energy(driver *d, double t, const double *y, const double *yp)
{
    sim_outcome *o = d->done;
    double e;
    if (!d->p->energy || d->p->energy(d->p->user, t, y, yp, &e) != 0) return;
    if (!o->has_energy) o->energy_start = e;
    o->has_energy = true;
    o->energy = d->energy = e;
    o->energy_change = fmax(o->energy_change, fabs(e - o->energy_start));
}

/* The row of a point that lies a rounding beyond where a branch ends, with an event to come: if x > 0
 * then sqrt(x). It is that of the point moved straight back until it has one. Where values grow on
 * the way to the event they have no limit there, and so no row. */
static int row_beside(driver *d, double t)
{
    const double GROWTH_MAX = 1.01; // on half the way: log x and 1/x grow by more
    int n = d->p->n_outputs;
    double most = driver_jump_length(d, t), *before = d->out_before;
    bool found = false;
    for (double back = method_h_min(t, 0); back <= most; back *= 2) {
        for (int i = 0; i < d->p->n; i++) {
            bool moves = !d->p->differential || d->p->differential[i];
            d->work[i] = d->y[i] - (moves ? back * d->yp[i] : 0);
        }
        if (found) {
            if (d->p->outputs(d->p->user, t, d->work, d->yp, before)) return VINC_E_EVALUATION;
            for (int i = 0; i < n; i++)
                if (fabs(d->out[i]) > GROWTH_MAX * fabs(before[i])) return VINC_E_EVALUATION;
            return VINC_OK;
        }
        found = !d->p->outputs(d->p->user, t, d->work, d->yp, d->out);
    }
    return VINC_E_EVALUATION;
}

int driver_row(driver *d, double t, bool beside)
{
    if (!d->p->outputs || d->o->no_rows) return VINC_OK;
    int rc = d->p->outputs(d->p->user, t, d->y, d->yp, d->out);
    if (rc > 0 && beside && d->roots.n && !d->p->shared) return row_beside(d, t);
    return rc ? VINC_E_EVALUATION : VINC_OK;
}

/* Of a point whose row has been found. */
static int record_row(driver *d, double t, const double *y, const double *yp)
{
    driver_watch_violation(d, t, y, yp);
    driver_watch_energy(d, t, y, yp);
    return driver_append(d, t, d->p->outputs ? d->out : y);
}

int driver_record(driver *d, double t, const double *y, const double *yp)
{
    if (d->p->outputs && !d->o->no_rows && d->p->outputs(d->p->user, t, y, yp, d->out))
        return VINC_E_EVALUATION;
    return record_row(d, t, y, yp);
}

int sim_chart_columns(const vinc_problem *p, result *steps)
{
    static const char *const names[] = {"position", "velocity", "acceleration"};
    int rc = result_add(steps, "step", "s", "size of the step", RESULT_REAL);
    if (rc >= 0) rc = result_add(steps, "order", "", "order of the method", RESULT_INT);
    for (int k = 0; k < 3 && rc >= 0 && p->violation; k++)
        rc = result_add(steps, names[k], "", "constraint violation", RESULT_REAL);
    if (rc >= 0 && p->energy) rc = result_add(steps, "energy", "", "T + V", RESULT_REAL);
    for (int k = 0; k < p->n_invariants && k < SIM_INVARIANTS_MAX && rc >= 0; k++) {
        char name[200];
        const char *of = p->invariant_name ? p->invariant_name(p->user, k) : NULL;
        snprintf(name, sizeof name, "invariant %s", of ? of : "");
        rc = result_add(steps, name, "", "", RESULT_REAL);
    }
    return rc < 0 ? rc : RESULT_OK;
}

/* A row of the chart of steps; an event may have ended the step early. */
int driver_chart(driver *d, double from, int order)
{
    double row[SIM_CHART_SIZE], t = d->run->t;
    int n = 0;
    row[n++] = t - from;
    row[n++] = order;
    for (int k = 0; k < 3 && d->p->violation; k++) row[n++] = d->seen[k];
    if (d->p->energy) row[n++] = d->energy;
    for (int k = 0; k < d->done->n_invariants; k++) row[n++] = d->done->invariants[k].last;
    if (result_append(d->o->steps, t, row) >= 0) return VINC_OK;
    text_printf(&d->done->message, "no memory for the chart of steps at t = %.10g", t);
    return VINC_E_MEMORY;
}

static inline double time_of_row(const sim_options *o, long k)
{
    if (o->times) return k <= o->intervals ? o->times[k - 1] : INFINITY;
    return k >= o->intervals
               ? o->t_stop
               : o->t_start + (o->t_stop - o->t_start) * (double)k / (double)o->intervals;
}

double driver_output_time(const driver *d, long k)
{
    return time_of_row(d->o, k);
}

/* The equations cannot be solved at a row: what is recorded is the method's own polynomial. It may
 * keep them all the same (where they leave y' open, say). */
static void note_open(driver *d, double t)
{
    const double MISSED = 10; // tolerances: as for every equation at every row
    sim_outcome *o = d->done;
    double rel_tol = d->o->rel_tol, abs_tol = d->o->abs_tol > 0 ? d->o->abs_tol : rel_tol;
    double missed = method_correction(d->run, t, d->y, d->yp, d->work) ? 0 : INFINITY;
    for (int i = 0; i < d->p->n; i++) {
        double nominal = d->p->nominal ? d->p->nominal[i] : 1;
        double e = fabs(d->work[i]) / (rel_tol * fabs(d->y[i]) + abs_tol * nominal);
        if (!(e <= missed)) missed = e;
    }
    if (missed <= MISSED) return;
    if (!o->open++) o->open_t = t;
    o->open_most = fmax(o->open_most, missed);
}

static int point_within(driver *d, double t, double within)
{
    if (t < d->run->t) {
        int rc = sim_consistent_at(&d->roots.onto, d->run, t, d->y, d->yp, within);
        if (rc < 0) return rc;
        if (rc > 0 && within > 0) note_open(d, t);
        return VINC_OK;
    }
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    memcpy(d->y, d->run->y, bytes);
    memcpy(d->yp, d->run->yp, bytes);
    // The iteration of the step stops at a part of the tolerance of y; a projection does not. Steps
    // of a fixed size are shown as the method makes them.
    bool as_it_is = d->p->project || d->o->step > 0 || (within > 0 && d->p->outputs_of_states);
    if (!as_it_is && !sim_consistent_already(&d->roots.onto, d->run))
        sim_consistent_make(&d->roots.onto, t, d->y, d->yp, within);
    return VINC_OK;
}

int driver_point(driver *d, double t)
{
    return point_within(d, t, 0);
}

int driver_row_point(driver *d, double t)
{
    const double PART_OF_TOLERANCE = 1e-4;
    const sim_options *o = d->o;
    double tol = o->abs_tol > 0 && o->abs_tol < o->rel_tol ? o->abs_tol : o->rel_tol;
    return point_within(d, t, PART_OF_TOLERANCE * tol);
}

/* Has the point of the last step at t a row that can be recorded? It is left in d->y, d->yp. */
static bool row_defined(driver *d, double t)
{
    return !driver_point(d, t) && !d->p->outputs(d->p->user, t, d->y, d->yp, d->out);
}

/* The row at `bad` has values that are no numbers. The run ends at the last time in the step at which
 * all are, to within the resolution of time, and has a row there; or, where they are so all through
 * the step, at its beginning. */
static int end_defined(driver *d, double bad)
{
    double good = fmax(d->run->t_old, d->t_row);
    if (!d->p->outputs || !(good < bad)) return VINC_E_EVALUATION;
    bool defined = good == d->t_row || row_defined(d, good);
    if (defined) {
        double tiny = method_h_min(bad, bad - good);
        while (bad - good > tiny) {
            double t = good + 0.5 * (bad - good);
            if (row_defined(d, t)) good = t;
            else bad = t;
        }
        row_defined(d, bad); // for the values in its message
    }
    driver_point(d, good);
    int rc = defined && good > d->t_row ? driver_record(d, good, d->y, d->yp) : VINC_OK;
    if (!rc) rc = method_restart(d->run, good, d->y, d->yp, false, 0);
    return rc ? rc : VINC_E_EVALUATION;
}

/* A row inside the last step, made of a few unknowns. False: it takes the whole point. */
static bool row_of_some(driver *d, double t)
{
    const vinc_problem *p = d->p;
    if (!p->row_unknowns || d->o->no_rows || d->run->problem != p || !(t < d->run->t)) return false;
    return !method_interpolate_some(d->run, t, p->row_unknowns, p->n_row_unknowns, d->y) &&
           !p->outputs(p->user, t, d->y, d->yp, d->out);
}

int driver_record_step(driver *d, double t)
{
    if (row_of_some(d, t)) return record_row(d, t, d->y, d->yp);
    int rc = driver_row_point(d, t);
    if (rc) return rc;
    rc = driver_row(d, t, true);
    return rc ? end_defined(d, t) : record_row(d, t, d->y, d->yp);
}

/* Of the rows that come next, those inside the last step and up to t: how many. Lanes beyond them are at the time of the
 * last one. *next: when the row behind them is due. All times are found at once, as time_of_row finds them. */
static int times_in_lanes(const driver *d, double t, double *at, double *next)
{
    const sim_options *o = d->o;
    double end = d->run->t;
    long left = o->intervals - d->n_out + 1;
    int n = 0, most = left < VINC_ROW_LANES ? (int)left : VINC_ROW_LANES;
    row_times(o->t_start, o->t_stop, d->n_out, o->intervals, at);
    if (left <= VINC_ROW_LANES) at[left - 1] = o->t_stop;
    while (n < most && at[n] <= t && at[n] < end) n++;
    *next = n < most ? at[n] : time_of_row(o, d->n_out + n);
    for (int k = n; n && k < VINC_ROW_LANES; k++) at[k] = at[n - 1];
    return n;
}

/* Rows inside the last step at requested times up to t, several at once, straight into the result: how many. 0: the
 * next one is to be made by itself, as it is the end of the step, or has no value. */
static int record_lanes(driver *d, double t)
{
    const vinc_problem *p = d->p;
    result *into = d->into;
    double at[VINC_ROW_LANES], next, *rows;
    int n = times_in_lanes(d, t, at, &next), room = n ? result_room(into, n, &rows) : 0;
    if (room < n) next = at[n = room];
    for (int k = n; n && k < VINC_ROW_LANES; k++) at[k] = at[n - 1];
    if (!n || method_interpolate_lanes(d->run, at, d->lanes) ||
        p->rows(p->user, n, at, d->lanes, rows))
        return 0;
    result_take(into, n);
    d->t_row = at[n - 1];
    d->n_out += n;
    d->t_out = next;
    return n;
}

static bool rows_in_lanes(const driver *d)
{
    return d->lanes && d->p->rows && d->run->problem == d->p && !d->o->times && !d->o->no_rows &&
           !(d->o->step > 0) && d->into->n_slots == d->p->n_outputs + 1;
}

// Rows at the requested times in (last row, t], from the step's interpolant.
int driver_record_until(driver *d, double t)
{
    if (d->chart_steps) return VINC_OK;
    bool lanes = rows_in_lanes(d);
    while (d->n_out <= d->o->intervals && d->t_out <= t) {
        if (lanes && record_lanes(d, t)) continue;
        int rc = driver_record_step(d, d->t_out);
        if (rc) return rc;
        d->t_out = driver_output_time(d, ++d->n_out);
    }
    return VINC_OK;
}

/* ---- log ------------------------------------------------------------------------------------- */

void driver_log_step(driver *d)
{
    const method_run *r = d->run;
    int worst = method_worst(r);
    const char *name =
        worst >= 0 && d->p->unknown_name ? d->p->unknown_name(d->p->user, worst) : NULL;
    char line[300];
    snprintf(line, sizeof line, "t = %-14.8g h = %-11.4g order %d error %-9.3g limited by %s", r->t,
             r->t - r->t_old, r->order, r->error, name ? name : "-");
    d->o->log_line(d->o->user, "step", line);
}

void driver_log_rescue(driver *d, double t, const char *name, const char *what)
{
    char line[200];
    if (!(d->o->log & SIM_LOG_STEP && d->o->log_line)) return;
    snprintf(line, sizeof line, "t = %-14.8g rescue '%s': %s", t, name, what);
    d->o->log_line(d->o->user, "step", line);
}

void driver_log_newton(driver *d, const vinc_stats *before)
{
    const vinc_stats *now = &d->run->stats;
    char line[200];
    snprintf(line, sizeof line,
             "t = %-14.8g iterations %ld, Jacobians %ld, factorizations %ld, failed attempts %ld",
             d->run->t, now->newton_iterations - before->newton_iterations,
             now->jacobian_evals - before->jacobian_evals,
             now->factorizations - before->factorizations,
             now->rejected_newton - before->rejected_newton);
    d->o->log_line(d->o->user, "newton", line);
}

bool driver_logs_events(const driver *d)
{
    return d->o->log & SIM_LOG_EVENT && d->o->log_line;
}

void driver_log_event(driver *d, double t, driver_event kind)
{
    static const char *const kinds[] = {
        [EVENT_STATE] = "state", [EVENT_TIME] = "time",         [EVENT_INPUT] = "input",
        [EVENT_JUMP] = "jump",   [EVENT_SINGULAR] = "singular", [EVENT_TERMINAL] = "terminal"};
    char line[400], words[300] = "";
    if (d->p->event_text) d->p->event_text(d->p->user, words, sizeof words);
    snprintf(line, sizeof line, "t = %-21.17g %s event%s%s", t, kinds[kind], *words ? ": " : "",
             words);
    d->o->log_line(d->o->user, "event", line);
}

void driver_stay_on_record(driver *d) // the event's own rows stand for requested times up to it
{
    while (d->n_out <= d->o->intervals && d->t_out <= d->t_seen)
        d->t_out = driver_output_time(d, ++d->n_out);
}
