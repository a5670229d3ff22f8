/* Model exchange: the FMU as a problem of the waist, x' = f(t, x), with its events.
 *
 * What was asked at a point is not asked again there. A step that the integrator keeps is told to the FMU
 * (completedIntegratorStep), which may want an event: it is then due at once.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ride/ride.h"

#include <math.h>
#include <string.h>

typedef struct exchange {
    vinc_fmu *f;
    vinc_problem p;
    double *at_x, at_t; // the point that the FMU is at
    unsigned have;      // what is in the box for it
    bool placed, began, event_asked, terminated;
    double next;   // time event
    int undefined; // a state whose rate was not finite; -1: none
    double t_undefined;
    double *y, *yp, *nominal;
    char name[PLAN_NAME];
} exchange;

enum { TRY_SMALLER = 1, STOP_NOW = -1 };

static int answered(exchange *e, bool fine)
{
    if (fine) return 0;
    e->placed = false;
    return e->f->seat.box->status == FMI_DISCARD ? TRY_SMALLER : STOP_NOW;
}

/* The FMU at this point, with these answers in the box. */
static int exchange_at(exchange *e, double t, const double *y, unsigned ask)
{
    import_box *b = e->f->seat.box;
    size_t bytes = (size_t)e->f->plan.n_states * sizeof *y;
    bool here = e->placed && t == e->at_t && !memcmp(y, e->at_x, bytes);
    unsigned have = here ? e->have : 0;
    if (here && !(ask & ~have)) return 0;
    ask &= ~have;
    if (!here) {
        b->t = t;
        memcpy(b->x, y, bytes);
        fmu_inputs(e->f, t);
        ask |= BOX_PLACE | BOX_INPUTS;
    }
    int rc = answered(e, fmu_ask(e->f, BOX_EVALUATE, ask));
    if (rc) return rc;
    e->placed = true;
    e->at_t = t;
    memcpy(e->at_x, y, bytes);
    e->have = have | ask;
    return 0;
}

static int exchange_rates(exchange *e, double t, const double *y)
{
    int rc = exchange_at(e, t, y, BOX_RATES);
    for (int i = 0; i < e->f->plan.n_states && !rc; i++) {
        if (isfinite(e->f->seat.box->rates[i])) continue;
        e->undefined = i;
        e->t_undefined = t;
        return TRY_SMALLER;
    }
    return rc;
}

/* ---- the waist ------------------------------------------------------------------------------- */

static int exchange_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    exchange *e = user;
    int rc = exchange_rates(e, t, y), n = e->f->plan.n_states;
    for (int i = 0; i < n && !rc; i++) r[i] = yp[i] - e->f->seat.box->rates[i];
    if (!n) r[0] = yp[0];
    return rc;
}

static int exchange_rhs(void *user, double t, double *y, double *yp)
{
    exchange *e = user;
    int rc = exchange_rates(e, t, y), n = e->f->plan.n_states;
    if (!rc) memcpy(yp, e->f->seat.box->rates, (size_t)n * sizeof *yp);
    if (!n) yp[0] = 0;
    return rc;
}

static int exchange_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                             double *dyp)
{
    exchange *e = user;
    size_t n = (size_t)e->f->plan.n_states;
    (void)yp;
    int rc = exchange_at(e, t, y, BOX_SLOPES);
    for (size_t i = 0; i < n * n && !rc; i++) {
        dy[i] = -e->f->seat.box->slopes[i];
        dyp[i] = i % (n + 1) == 0;
        if (!isfinite(dy[i])) rc = TRY_SMALLER;
    }
    return rc;
}

static int exchange_roots(void *user, double t, const double *y, const double *yp, double *g)
{
    exchange *e = user;
    (void)yp;
    int rc = exchange_at(e, t, y, BOX_INDICATORS);
    for (int i = 0; i < e->p.n_roots && !rc; i++) {
        g[i] = e->f->seat.box->indicators[i];
        if (!isfinite(g[i])) rc = TRY_SMALLER;
    }
    return rc;
}

static int exchange_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    exchange *e = user;
    (void)yp;
    int rc = exchange_at(e, t, y, BOX_VALUES);
    if (!rc) memcpy(out, e->f->seat.box->values, (size_t)e->f->plan.n_values * sizeof *out);
    return rc;
}

static void take_nominals(exchange *e)
{
    for (int i = 0; i < e->f->plan.n_states; i++) {
        double x = fabs(e->f->seat.box->nominal[i]);
        e->nominal[i] = x > 0 && isfinite(x) ? x : 1;
    }
}

static int exchange_event(void *user, double t, double *y, double *yp, int *changed)
{
    exchange *e = user;
    import_box *b = e->f->seat.box;
    size_t bytes = (size_t)e->f->plan.n_states * sizeof *y;
    if (e->terminated) return VINC_TERMINATED;
    int rc = e->began ? exchange_at(e, t, y, 0) : 0;
    e->f->t_event = t;
    fmu_inputs(e->f, t);
    if (!rc) rc = answered(e, fmu_ask(e->f, BOX_EVENT, BOX_ALL_INPUTS));
    if (rc) return rc;
    *changed = e->began; // the first one belongs to the start
    e->began = true;
    e->event_asked = false;
    e->have = 0; // values are those after the event
    if (b->terminate) return e->terminated = true, VINC_TERMINATED;
    memcpy(y, b->x, bytes);
    memcpy(yp, b->rates, bytes);
    take_nominals(e);
    e->next = b->next;
    e->placed = true;
    e->at_t = t;
    memcpy(e->at_x, y, bytes);
    e->have = BOX_RATES;
    return 0;
}

static double exchange_next_time(void *user, double t)
{
    exchange *e = user;
    if (e->event_asked) return t;
    return e->next > t ? e->next : isfinite(e->next) ? t : INFINITY;
}

static int exchange_accept(void *user, double t0, double t1,
                           int (*at)(void *trajectory, double t, double *y, double *yp),
                           void *trajectory)
{
    exchange *e = user;
    (void)t0;
    if (!e->f->plan.kind->wants_accepted || at(trajectory, t1, e->y, e->yp)) return 0;
    int rc = exchange_at(e, t1, e->y, BOX_ACCEPT);
    e->have &= ~(unsigned)BOX_ACCEPT;
    if (rc) return rc < 0 ? rc : 0;
    e->event_asked = e->f->seat.box->event_asked;
    e->terminated = e->f->seat.box->terminate;
    e->event_asked |= e->terminated;
    return 0;
}

static const char *exchange_unknown_name(void *user, int i)
{
    exchange *e = user;
    return e->f->plan.n_states ? import_state_name(&e->f->plan, i, e->name) : "no state";
}

static vinc_problem problem_of(exchange *e)
{
    const import_plan *p = &e->f->plan;
    return (vinc_problem){.n = p->n_states ? p->n_states : 1, // one that stands still
                          .n_roots = p->n_indicators,
                          .nominal = e->nominal,
                          .residual = exchange_residual,
                          .rhs = exchange_rhs,
                          .jacobian = p->derivatives ? exchange_jacobian : NULL,
                          .roots = p->n_indicators ? exchange_roots : NULL,
                          .event = exchange_event,
                          .next_time_event = exchange_next_time,
                          .accept = exchange_accept,
                          .n_outputs = p->n_values,
                          .outputs = exchange_outputs,
                          .unknown_name = exchange_unknown_name,
                          .user = e};
}

/* ---- the run --------------------------------------------------------------------------------- */

static double next_corner(void *user, double t, double to)
{
    const double PART_OF_TOLERANCE = 0.1; // as of models: smaller corners do not show
    const vinc_fmu *f = user;
    double when;
    bool any = result_next_corner(f->table.r, f->table.columns, (size_t)f->plan.n_inputs,
                                  PART_OF_TOLERANCE * f->options.rel_tol, t, to, &when);
    return any ? when : INFINITY;
}

/* What the FMU has to do with the failure. */
static void explain_failure(exchange *e, int rc)
{
    vinc_fmu *f = e->f;
    text *words = &f->done.message;
    char room[PLAN_NAME];
    if (rc >= 0 || rc == VINC_E_LIMIT) return;
    if (rc == VINC_E_STOPPED) {
        text_clear(words);
        text_printf(words, "the FMU failed at t = %.10g: ", f->done.t_end);
        import_seat_words(&f->seat, words);
    } else if (rc == VINC_E_EVALUATION && e->undefined >= 0)
        text_printf(words, "%sthe FMU gives a rate of '%s' that is not finite at t = %.10g",
                    words->n ? "; " : "", import_state_name(&f->plan, e->undefined, room),
                    e->t_undefined);
}

int fmu_exchange(vinc_fmu *f)
{
    import_box *b = f->seat.box;
    size_t n = (size_t)(f->plan.n_states ? f->plan.n_states : 1), bytes = 4 * n * sizeof(double);
    double *room = mem_try(&f->m, bytes);
    if (!room) return VINC_E_MEMORY;
    memset(room, 0, bytes);
    exchange e = {.f = f,
                  .at_x = room,
                  .y = room + n,
                  .yp = room + 2 * n,
                  .nominal = room + 3 * n,
                  .next = INFINITY,
                  .undefined = -1};
    e.nominal[0] = 1;
    take_nominals(&e);
    e.p = problem_of(&e);
    size_t point = 2 * n * sizeof(double);
    double *y = mem_try(&f->m, point);
    if (!y) return mem_free(&f->m, room, bytes), VINC_E_MEMORY;
    memset(y, 0, point);
    memcpy(y, b->x, (size_t)f->plan.n_states * sizeof *y);
    sim_options o = f->options;
    o.next_break = f->table.r ? fmu_next_break : NULL;
    o.next_corner = f->table.r ? next_corner : NULL;
    int rc = sim_run(&f->m, &e.p, y, y + n, &o, f->result.r, &f->done);
    explain_failure(&e, rc);
    mem_free(&f->m, y, point);
    mem_free(&f->m, room, bytes);
    return rc;
}
