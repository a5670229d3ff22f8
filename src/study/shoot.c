/* Optimal control by shooting: pieces are run with the derivatives of their end.
 *
 * Multiple shooting has the states where pieces begin among its unknowns, and that pieces fit together among
 * its constraints. Single shooting runs one piece after the other; the derivatives of the goal go back over
 * them by the chain rule.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/goal_search.h"
#include "study/optimal_parts.h"

#include "run/verbs.h"

#include <math.h>
#include <string.h>

typedef struct shooting {
    optimal *q;
    int n, n_x, n_u, n_q, N;
    int m;       // directions: controls, parameters, states; then the end of the run
    int n_out;   // constraints, then the goal
    int *states; // components of y
    int *outputs;
    double *Y, *Yp; // of a run with derivatives
    double *dy, *dyp, *row;
    double *guess;         // y where pieces begin, for what follows from the states
    double *end, *out;     // by piece: states at its end, outputs there
    double *d_end, *d_out; // ... by directions and the end of the run, one of them after the other
    double *d_outputs;
    double *at; // the point for which these are known
    bool known;
    double *chained; // of single shooting: states where pieces begin
    nlp_problem p;
} shooting;

static double shooting_stop(const shooting *c, const double *given)
{
    return c->q->free_end ? given[c->n_q] : c->q->t_stop;
}

/* One piece, from these states. */
static int shoot_piece(shooting *c, int k, const double *X, const double *u, double t_stop)
{
    optimal *q = c->q;
    run_variation *x = q->x;
    size_t n = (size_t)c->n, m = (size_t)c->m, n_x = (size_t)c->n_x;
    double h = (t_stop - q->t_start) / c->N, t0 = q->t_start + k * h, t1 = q->t_start + (k + 1) * h;
    double *y = c->Y, *yp = c->Yp, *dy = y + n, *dyp = yp + n, *guess = c->guess + (size_t)k * n;
    optimal_set_controls(q, u);
    memcpy(y, guess, n * sizeof *y);
    memset(yp, 0, n * sizeof *yp);
    for (int i = 0; i < c->n_x; i++) y[c->states[i]] = X[i];
    int rc = optimal_settle(q, t0, y, yp);
    if (rc) return rc;
    memcpy(guess, y, n * sizeof *y);
    double *rate = c->row; // of the states at the beginning
    for (int i = 0; i < c->n_x; i++) rate[i] = yp[c->states[i]];
    memset(dy, 0, m * n * sizeof *dy);
    for (size_t i = 0; i < n_x; i++) dy[(m - n_x + i) * n + (size_t)c->states[i]] = 1;
    const vinc_problem *p = vary_problem(x);
    if (vary_follow(x, t0, y, yp, c->m, NULL, true, dy, dyp)) return 1;
    sim_options o = optimal_driver(q, t0, t1);
    rc = optimal_drive(q, p, &o, y, yp);
    if (rc) return rc;
    double *end = c->end + (size_t)k * n_x, *out = c->out + k * c->n_out,
           *d_end = c->d_end + (size_t)k * (m + 1) * n_x,
           *d_out = c->d_out + (size_t)k * (m + 1) * (size_t)c->n_out;
    for (size_t i = 0; i < n_x; i++) end[i] = y[c->states[i]];
    for (size_t d = 0; d < m; d++)
        for (size_t i = 0; i < n_x; i++) d_end[d * n_x + i] = dy[d * n + (size_t)c->states[i]];
    rc = run_values(q->s, t1, y, yp, c->outputs, c->n_out, out);
    if (!rc) rc = vary_outputs(x, t1, y, yp, c->d_outputs);
    if (rc) return 1;
    memcpy(d_out, c->d_outputs, m * (size_t)c->n_out * sizeof *d_out);
    if (!q->free_end) return 0;
    // The end of the run moves both ends of the piece: along the motion at t1, against it at t0.
    double by0 = (double)k / c->N, by1 = (k + 1.0) / c->N, tau = 1;
    double *de = d_end + m * n_x, *dout = d_out + m * (size_t)c->n_out;
    memset(c->dy, 0, n * sizeof *c->dy);
    for (size_t i = 0; i < n_x; i++) {
        c->dy[c->states[i]] = yp[c->states[i]];
        de[i] = by1 * yp[c->states[i]];
        for (size_t j = 0; j < n_x; j++) de[i] -= by0 * d_end[(m - n_x + j) * n_x + i] * rate[j];
    }
    double *slope = c->row + n_x;
    if (vary_follow(x, t1, y, yp, 1, &tau, false, c->dy, c->dyp)) return 1;
    vary_at(x, &q->code->of[CODE_V_COMPUTED], t1, y, yp);
    for (int r = 0; r < c->n_out; r++) {
        optimal_output_slope(q, c->outputs[r], slope);
        double sum = slope[0];
        for (size_t v = 0; v < n; v++)
            sum += slope[1 + v] * c->dy[v] + slope[1 + n + v] * c->dyp[v];
        dout[r] = by1 * sum;
        for (size_t j = 0; j < n_x; j++)
            dout[r] -= by0 * d_out[(m - n_x + j) * (size_t)c->n_out + (size_t)r] * rate[j];
    }
    return 0;
}

/* ---- multiple shooting ----------------------------------------------------------------------- */

static int node_base(const shooting *c, int k)
{
    return k * (c->n_x + c->n_u);
}

static int given_base(const shooting *c)
{
    return node_base(c, c->N) + c->n_x;
}

/* The number of a direction of piece k among the unknowns. */
static int unknown_of_direction(const shooting *c, int k, int d)
{
    if (d < c->n_u) return node_base(c, k) + c->n_x + d;
    if (d < c->n_u + c->n_q) return given_base(c) + d - c->n_u;
    if (d < c->m) return node_base(c, k) + d - c->n_u - c->n_q;
    return given_base(c) + c->n_q;
}

static int take_nodes(shooting *c, const double *x)
{
    const double *given = x + given_base(c);
    size_t bytes = (size_t)c->p.n * sizeof *x;
    if (c->known && !memcmp(c->at, x, bytes)) return 0;
    c->known = false;
    int rc = optimal_begin(c->q, x + c->n_x, given);
    for (int k = 0; k < c->N && !rc; k++)
        rc = shoot_piece(c, k, x + node_base(c, k), x + node_base(c, k) + c->n_x,
                         shooting_stop(c, given));
    memcpy(c->at, x, bytes);
    c->known = !rc;
    return rc;
}

static int shoot_goal(void *user, const double *x, double *f)
{
    shooting *c = user;
    int rc = take_nodes(c, x);
    if (!rc) *f = c->q->goal_sign * c->out[c->N * c->n_out - 1];
    return rc;
}

static double d_out_of(const shooting *c, int k, int d, int r)
{
    return c->d_out[(k * (c->m + 1) + d) * c->n_out + r];
}

static int shoot_gradient(void *user, const double *x, double *slope)
{
    shooting *c = user;
    int rc = take_nodes(c, x), k = c->N - 1;
    if (rc) return rc;
    memset(slope, 0, (size_t)c->p.n * sizeof *slope);
    for (int d = 0; d < c->m + c->q->free_end; d++)
        slope[unknown_of_direction(c, k, d)] = c->q->goal_sign * d_out_of(c, k, d, c->n_out - 1);
    return 0;
}

static int piece_rows(const shooting *c, int k)
{
    return c->n_x + (k == c->N - 1 ? c->q->n_limits : c->q->n_path);
}

static int shoot_rows(void *user, const double *x, double *g)
{
    shooting *c = user;
    const optimal *q = c->q;
    int rc = take_nodes(c, x), at = 0;
    if (rc) return rc;
    for (int i = 0; i < c->n_x; i++) g[at++] = x[i] - q->sim->y[c->states[i]];
    for (int k = 0; k < c->N; k++) {
        const double *next = x + node_base(c, k + 1);
        for (int i = 0; i < c->n_x; i++) g[at++] = next[i] - c->end[k * c->n_x + i];
        for (int r = 0; r < piece_rows(c, k) - c->n_x; r++)
            g[at++] = q->limits[r].sign * c->out[k * c->n_out + r];
    }
    return 0;
}

static int shoot_first(void *user, const double *x, double *values)
{
    shooting *c = user;
    const optimal *q = c->q;
    int rc = take_nodes(c, x), at = 0, all = c->m + q->free_end;
    if (rc) return rc;
    for (int i = 0; i < c->n_x; i++) {
        values[at++] = 1;
        for (int d = 0; d < c->n_u + c->n_q; d++)
            values[at++] = -optimal_start_slope(q, d)[c->states[i]];
    }
    for (int k = 0; k < c->N; k++) {
        for (int i = 0; i < c->n_x; i++) {
            values[at++] = 1;
            for (int d = 0; d < all; d++)
                values[at++] = -c->d_end[(k * (c->m + 1) + d) * c->n_x + i];
        }
        for (int r = 0; r < piece_rows(c, k) - c->n_x; r++)
            for (int d = 0; d < all; d++) values[at++] = q->limits[r].sign * d_out_of(c, k, d, r);
    }
    return 0;
}

static void list_places(shooting *c)
{
    const optimal *q = c->q;
    int all = c->m + q->free_end, row = 0, at = 0;
    size_t room = (size_t)c->p.m * (size_t)(1 + all) + 1;
    int *rows = arena_array(q->a, int, room), *columns = arena_array(q->a, int, room);
    for (int i = 0; i < c->n_x; i++, row++) {
        rows[at] = row, columns[at++] = i;
        for (int d = 0; d < c->n_u + c->n_q; d++)
            rows[at] = row, columns[at++] = unknown_of_direction(c, 0, d);
    }
    for (int k = 0; k < c->N; k++)
        for (int r = 0; r < piece_rows(c, k); r++, row++) {
            if (r < c->n_x) rows[at] = row, columns[at++] = node_base(c, k + 1) + r;
            for (int d = 0; d < all; d++)
                rows[at] = row, columns[at++] = unknown_of_direction(c, k, d);
        }
    c->p.n_first = at;
    c->p.first_row = rows;
    c->p.first_column = columns;
}

static double bounded(double x)
{
    return fmin(fmax(x, -OPTIMAL_UNBOUNDED), OPTIMAL_UNBOUNDED);
}

static void set_bounds(shooting *c)
{
    const optimal *q = c->q;
    size_t n = (size_t)c->p.n, m = (size_t)c->p.m;
    double *b = arena_array(q->a, double, 2 * n + 2 * m + 1), *xl = b, *xu = xl + n, *gl = xu + n,
           *gu = gl + m;
    for (size_t i = 0; i < n; i++) xl[i] = -OPTIMAL_UNBOUNDED, xu[i] = OPTIMAL_UNBOUNDED;
    for (size_t i = 0; i < m; i++) gl[i] = gu[i] = 0;
    for (int k = 0, row = c->n_x; k < c->N; k++) {
        for (int i = 0; i < c->n_u; i++) {
            xl[node_base(c, k) + c->n_x + i] = bounded(q->controls[i].lower);
            xu[node_base(c, k) + c->n_x + i] = bounded(q->controls[i].upper);
        }
        row += c->n_x;
        for (int r = 0; r < piece_rows(c, k) - c->n_x; r++, row++) {
            gl[row] = bounded(q->limits[r].lower);
            gu[row] = bounded(q->limits[r].upper);
        }
    }
    for (int i = 0; i < c->n_q; i++) {
        xl[given_base(c) + i] = bounded(q->parameters[i]->lower);
        xu[given_base(c) + i] = bounded(q->parameters[i]->upper);
    }
    if (q->free_end) xl[n - 1] = bounded(q->stop_lower), xu[n - 1] = bounded(q->stop_upper);
    c->p.x_lower = xl, c->p.x_upper = xu, c->p.g_lower = gl, c->p.g_upper = gu;
}

static bool shoot_stops(void *user)
{
    return optimal_stops(((shooting *)user)->q);
}

static void shoot_worst(const shooting *c, const double *g, double t_stop, optimal_answer *out)
{
    const optimal *q = c->q;
    int row = c->n_x;
    out->worst = -1;
    out->violation = 0;
    for (int k = 0; k < c->N; k++)
        for (int r = 0; r < piece_rows(c, k); r++, row++) {
            double off = fmax(c->p.g_lower[row] - g[row], g[row] - c->p.g_upper[row]);
            optimal_note_violation(out, off, r - c->n_x,
                                   q->t_start + (k + 1) * (t_stop - q->t_start) / c->N);
        }
}

/* ---- single shooting ------------------------------------------------------------------------- */

/* x: controls by piece, parameters, the end of the run. */
static int shoot_chain(void *user, const double *x, double *f, double *g)
{
    shooting *c = user;
    optimal *q = c->q;
    int n_x = c->n_x, N = c->N, first_state = c->n_u + c->n_q;
    const double *given = x + N * c->n_u;
    double *lambda = c->row, *next = c->row + n_x, *g_given = g + N * c->n_u;
    int rc = optimal_begin(q, x, given);
    for (int i = 0; i < n_x && !rc; i++) c->chained[i] = q->sim->y[c->states[i]];
    for (int k = 0; k < N && !rc; k++) {
        rc = shoot_piece(c, k, c->chained + k * n_x, x + k * c->n_u, shooting_stop(c, given));
        if (!rc) memcpy(c->chained + (k + 1) * n_x, c->end + k * n_x, (size_t)n_x * sizeof *x);
    }
    if (rc) return q->stop ? q->stop : VINC_E_EVALUATION;
    *f = q->goal_sign * c->out[N * c->n_out - 1];
    if (!isfinite(*f)) return VINC_E_EVALUATION;
    memset(g, 0, (size_t)(N * c->n_u + c->n_q + q->free_end) * sizeof *g);
    for (int k = N - 1; k >= 0; k--) {
        for (int d = 0; d < c->m + q->free_end; d++) {
            double sum = 0;
            const double *de = c->d_end + (k * (c->m + 1) + d) * n_x;
            if (k == N - 1) sum = q->goal_sign * d_out_of(c, k, d, c->n_out - 1);
            for (int i = 0; i < n_x && k < N - 1; i++) sum += lambda[i] * de[i];
            if (d < c->n_u) g[k * c->n_u + d] += sum;
            else if (d < first_state) g_given[d - c->n_u] += sum;
            else if (d < c->m) next[d - first_state] = sum;
            else g_given[c->n_q] += sum;
        }
        memcpy(lambda, next, (size_t)n_x * sizeof *lambda);
    }
    for (int d = 0; d < first_state; d++)
        for (int i = 0; i < n_x; i++) {
            double slope = lambda[i] * optimal_start_slope(q, d)[c->states[i]];
            if (d < c->n_u) g[d] += slope;
            else g_given[d - c->n_u] += slope;
        }
    return VINC_OK;
}

static int shoot_single(shooting *c, optimal_answer *out)
{
    optimal *q = c->q;
    int n = c->N * c->n_u + c->n_q + q->free_end;
    double *x = arena_array(q->a, double, 4 * (size_t)n + 4), *lower = x + n, *upper = lower + n,
           *g = upper + n;
    for (int i = 0; i < n; i++) {
        const optimal_control *u = &q->controls[i < c->N * c->n_u ? i % c->n_u : 0];
        int at = i - c->N * c->n_u;
        const fit_parameter *p = at >= 0 && at < c->n_q ? q->parameters[at] : NULL;
        x[i] = at < 0 ? u->start : p ? p->value : q->t_stop;
        lower[i] = at < 0 ? u->lower : p ? p->lower : q->stop_lower;
        upper[i] = at < 0 ? u->upper : p ? p->upper : q->stop_upper;
    }
    goal_search s = {.n = n,
                     .x = x,
                     .g = g,
                     .lower = lower,
                     .upper = upper,
                     .evaluate = shoot_chain,
                     .user = c,
                     .max_iterations = q->o->max_iterations};
    int rc = goal_search_run(&s, q->a);
    if (rc) return rc;
    out->end = s.converged ? NLP_SOLVED : NLP_ITERATIONS;
    out->iterations = s.iterations;
    out->value = s.value;
    out->start = s.start;
    out->worst = -1;
    rc = shoot_chain(c, x, &out->value, g);
    if (rc) return rc;
    memcpy(out->controls, x, (size_t)(c->N * c->n_u) * sizeof *x);
    memcpy(out->parameters, x + c->N * c->n_u, (size_t)c->n_q * sizeof *x);
    out->t_stop = shooting_stop(c, x + c->N * c->n_u);
    return VINC_OK;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int shooting_open(shooting *c, optimal *q)
{
    const code_model *model = run_model(q->s);
    *c =
        (shooting){.q = q, .n = q->n, .n_u = q->n_controls, .n_q = q->n_parameters, .N = q->pieces};
    c->states = arena_array(q->a, int, c->n + 1);
    for (int i = 0; i < c->n; i++)
        if (api_is_plain_state(model, i)) c->states[c->n_x++] = i;
    c->m = c->n_u + c->n_q + c->n_x;
    c->n_out = q->n_limits + 1;
    vary_by *by = arena_array(q->a, vary_by, c->m + 1);
    for (int i = 0; i < c->m; i++)
        by[i] = i < c->n_u + c->n_q ? api_sens_by(q->sim)[i] : (vary_by){-1, -1, 1, 0, 0};
    int rc = vary_new(q->s, q->code, by, c->m, c->m);
    if (!rc) rc = optimal_open(q);
    if (rc) return rc;
    vary_keep_moving(q->x, c->m);
    size_t n = (size_t)c->n, m = (size_t)c->m, N = (size_t)c->N, n_x = (size_t)c->n_x,
           n_out = (size_t)c->n_out;
    c->outputs = arena_array(q->a, int, n_out + 1);
    for (int r = 0; r < q->n_limits; r++) c->outputs[r] = q->limits[r].output;
    c->outputs[q->n_limits] = q->goal;
    if (vary_record(q->x, c->outputs, c->n_out)) return VINC_E_MEMORY;
    c->Y = arena_array(q->a, double, (1 + m) * n + 1);
    c->Yp = arena_array(q->a, double, (1 + m) * n + 1);
    c->dy = arena_array(q->a, double, 2 * n + 1);
    c->dyp = c->dy + n;
    c->row = arena_array(q->a, double, 2 * n_x + (size_t)optimal_n_columns(q) + 1);
    c->guess = arena_array(q->a, double, N *n + 1);
    c->end = arena_array(q->a, double, N *n_x + 1);
    c->out = arena_array(q->a, double, N *n_out + 1);
    c->d_end = arena_array(q->a, double, N *(m + 1) * n_x + 1);
    c->d_out = arena_array(q->a, double, N *(m + 1) * n_out + 1);
    c->d_outputs = arena_array(q->a, double, m *n_out + 1);
    c->chained = arena_array(q->a, double, (N + 1) * n_x + 1);
    return VINC_OK;
}

/* A run with the controls to begin with gives the states where pieces begin. */
static int shooting_guess(shooting *c, double *x)
{
    optimal *q = c->q;
    size_t n = (size_t)c->n;
    double *y = arena_array(q->a, double, 2 * n + 1), *u = arena_array(q->a, double, c->n_u + 1),
           *given = arena_array(q->a, double, c->n_q + 1);
    for (int i = 0; i < c->n_u; i++) u[i] = q->controls[i].start;
    for (int i = 0; i < c->n_q; i++) given[i] = q->parameters[i]->value;
    double h = (q->t_stop - q->t_start) / c->N;
    int rc = optimal_begin(q, u, given), failed = 0;
    if (rc) return rc;
    memcpy(y, q->sim->y, n * sizeof *y);
    memcpy(y + n, q->sim->yp, n * sizeof *y);
    for (int k = 0; k <= c->N; k++) {
        if (k < c->N) memcpy(c->guess + (size_t)k * n, y, n * sizeof *y);
        for (int i = 0; x && i < c->n_x; i++) x[node_base(c, k) + i] = y[c->states[i]];
        for (int i = 0; x && i < c->n_u && k < c->N; i++) x[node_base(c, k) + c->n_x + i] = u[i];
        if (!failed && k < c->N)
            failed = optimal_piece(q, q->t_start + k * h, q->t_start + (k + 1) * h, y, y + n, NULL,
                                   0, NULL);
        if (failed < 0) return failed;
    }
    optimal_targets(q, y);
    for (int i = 0; x && i < c->n_x; i++) {
        double off = y[c->states[i]] - x[node_base(c, c->N) + i];
        for (int k = 1; k <= c->N && isfinite(off); k++) x[node_base(c, k) + i] += off * k / c->N;
    }
    for (int i = 0; x && i < c->n_q; i++) x[given_base(c) + i] = given[i];
    if (x && q->free_end) x[given_base(c) + c->n_q] = q->t_stop;
    return 0;
}

int optimal_shoot(optimal *q, const nlp_solver *solver, optimal_answer *out)
{
    shooting c;
    int rc = shooting_open(&c, q);
    if (rc) return rc;
    c.p = (nlp_problem){.n = given_base(&c) + c.n_q + q->free_end,
                        .m = c.n_x + c.N * (c.n_x + q->n_path) + q->n_limits - q->n_path,
                        .goal = shoot_goal,
                        .gradient = shoot_gradient,
                        .rows = shoot_rows,
                        .first = shoot_first,
                        .stops = shoot_stops,
                        .user = &c,
                        .tolerance = 1e-6,
                        .max_iterations = q->o->max_iterations > 0 ? q->o->max_iterations : 1000};
    if (!solver) {
        rc = shooting_guess(&c, NULL);
        if (!rc) rc = shoot_single(&c, out);
        else rc = q->stop ? q->stop : VINC_E_EVALUATION;
    } else {
        nlp_answer done;
        double *x = arena_array(q->a, double, c.p.n + 1), *g = arena_array(q->a, double, c.p.m + 1);
        c.at = arena_array(q->a, double, c.p.n + 1);
        list_places(&c);
        set_bounds(&c);
        rc = shooting_guess(&c, x);
        if (!rc) rc = shoot_goal(&c, x, &out->start);
        if (rc) return q->stop ? q->stop : VINC_E_EVALUATION;
        solver->solve(&c.p, x, &done);
        if (q->stop) return q->stop;
        out->end = done.end;
        out->iterations = done.iterations;
        rc = shoot_rows(&c, x, g);
        if (!rc) rc = shoot_goal(&c, x, &out->value);
        if (rc) return q->stop ? q->stop : VINC_E_EVALUATION;
        out->t_stop = shooting_stop(&c, x + given_base(&c));
        shoot_worst(&c, g, out->t_stop, out);
        for (int k = 0; k < c.N; k++)
            memcpy(out->controls + k * c.n_u, x + node_base(&c, k) + c.n_x,
                   (size_t)c.n_u * sizeof *x);
        memcpy(out->parameters, x + given_base(&c), (size_t)c.n_q * sizeof *x);
    }
    if (!rc) memcpy(out->nodes, c.guess, (size_t)c.N * (size_t)c.n * sizeof *c.guess);
    return rc;
}
