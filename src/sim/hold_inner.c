/* Values between the ends of steps: as good as those at the ends.
 *
 * Where rows are asked for inside a step, or signs that tell events, the error of the interpolant is
 * part of the error of the step. A step whose interpolant is too inaccurate is made again: up to the
 * first row, which then is an end, or shorter, whichever is longer. Multistep methods need none of
 * it: their formulas are the interpolants, and their error tests hold both.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"

#include "base/root.h"

#include <math.h>

// clang-format off
/*  bound                             quantity                                            source */
static const double
    ERROR_OF_ROWS_MAX    = 1,      // error of the interpolant over the tolerance         principle
    ERROR_OF_SIGNS_MAX   = 100,    // ... where only signs are asked for                  choice: found events are located by steps that end there
    SAFETY               = 0.85,    // part of the size that is expected to do             choice: a look at one place tells less than an error test
    SHRINK_MOST          = 0.1,    // size over the last at least                         choice
    NEXT_TO_END          = 1e-6,   // part of the step: there the interpolant is its end  choice: its error vanishes there
    GROW_UNSEEN          = 1.1,    // growth of the bound after a step without a row      choice
    GROW_MOST            = 5,      // ... at most                                         choice
    GROW_FIRST           = 100,    // ... after the first step, a guess                   as that of the error test (method/control.c)
    STEP_IN_RESOLUTIONS_MIN = 1e4; // nothing to gain by a step as short as that          choice
enum {
    SHORTENINGS_MAX      = 12,     // of one step                                         choice: a factor of 1e-12
};
// clang-format on

/* error^(-1/k). Three figures do where it would be a call of pow, as those of the error test do; errors of other sizes are
 * beyond what sizes change by. */
static double shrink_for(double error, int k)
{
    const double SMALL = 1e-100, LARGE = 1e100; // their squares are numbers, too
    bool usual = error > SMALL && error < LARGE;
    if (usual && (k == 3 || k == 5)) return root_inverse(error * error, 2 * k);
    if (usual && (k == 6 || k == 10)) return root_inverse(error, k);
    return 1 / root_of(error, k);
}

static double size_for(const method_run *run, double h, double error)
{
    double most = run->first ? GROW_FIRST : GROW_MOST;
    double factor = error > 0 ? SAFETY * shrink_for(error, method_inner_order(run)) : most;
    return h * fmin(fmax(factor, SHRINK_MOST), most);
}

/* Is there a row inside the step, or whoever looks inside? A row next to its end is as good as the
 * end. */
static bool rows_inside(const driver *d)
{
    if (d->o->follow_inside) return true;
    if (d->o->no_rows || d->chart_steps || d->n_out > d->o->intervals) return false;
    return d->run->t - d->t_out > NEXT_TO_END * (d->run->t - d->t_begin);
}

static double least_size(const method_run *run)
{
    return STEP_IN_RESOLUTIONS_MIN * method_h_min(run->t, 0);
}

/* The size of the next step, unless it ends at the next row and so has none inside. A step between an event and an
 * end that rounding sets apart tells nothing of the next. */
static void bound_next(driver *d)
{
    double t = d->run->t, h = d->h_inner, least = least_size(d->run);
    if (h > 0) {
        d->h_inner = h = h < least ? least : h;
        if (d->lands && d->n_out <= d->o->intervals) {
            double row = d->t_out > t ? d->t_out : driver_output_time(d, d->n_out + 1);
            h = row - t > h ? row - t : h;
        }
    }
    d->run->h_most = h;
}

/* From the first row in the step to the last: there may be one only. Events are found by signs
 * wherever they are, and a look at one place does. */
static double inner_error(driver *d, bool rows)
{
    const double SOMEWHERE = 0.4; // in parts of the step
    method_run *run = d->run;
    double from = d->t_out, to = from;
    if (!rows) from = to = d->t_begin + SOMEWHERE * (run->t - d->t_begin);
    else if (d->o->follow_inside) from = d->t_begin, to = run->t;
    else if (driver_output_time(d, d->n_out + 1) < run->t) to = run->t;
    return method_inner_error(run, from, to, d->work);
}

/* ... of a step that is looked at inside. */
static int hold_seen(driver *d)
{
    method_run *run = d->run;
    double least = least_size(run);
    for (int k = 0;; k++) {
        bool rows = rows_inside(d);
        if (!rows && !d->roots.n) break;
        double most = rows ? ERROR_OF_ROWS_MAX : ERROR_OF_SIGNS_MAX, h = run->t - d->t_begin;
        double error = inner_error(d, rows) / most;
        d->h_inner = size_for(run, h, error);
        if (error <= 1 || k == SHORTENINGS_MAX || d->h_inner < least) break;
        bool until = rows && !d->o->follow_inside; // the first row
        double size = until ? fmax(d->h_inner, d->t_out - d->t_begin) : d->h_inner;
        driver_keep_begin(d);
        run->stats.steps--;
        run->stats.rejected_error++;
        if (!method_step_again(run, d->t_begin + size, d->y_begin, d->yp_begin)) continue;
        int rc = method_restart(run, d->t_begin, d->y_begin, d->yp_begin, false, h);
        if (!rc) rc = method_step(run, d->t_begin + h); // better one that is seen badly than none
        return rc;
    }
    return VINC_OK;
}

bool driver_hold_may_wait(const driver *d, double before)
{
    double far = fabs(before) > fabs(d->run->t) && before < INFINITY ? before : d->run->t;
    return !(d->h_inner > 0) || d->h_inner >= STEP_IN_RESOLUTIONS_MIN * method_h_min(far, 0);
}

void driver_hold_unseen(driver *d, long steps)
{
    for (long k = 0; k < steps && d->h_inner < INFINITY; k++) d->h_inner *= GROW_UNSEEN;
    bound_next(d);
}

int driver_hold_inner(driver *d)
{
    int rc = VINC_OK;
    if (d->roots.n || rows_inside(d)) rc = hold_seen(d);
    else d->h_inner *= GROW_UNSEEN;
    if (!rc) bound_next(d);
    return rc;
}

int driver_hold_rows(driver *d)
{
    return d->can_redo && rows_inside(d) ? driver_hold_inner(d) : VINC_OK;
}
