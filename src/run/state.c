/* One run of a model: parameter values, start values, and the callbacks of its vinc_problem.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "la/lists.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/undefined.h"
#include "run/vary.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Where they are, inputs and what delay() remembers are brought up to date. */
static void refresh(run_state *s, double t, const double *y, const double *yp, bool past)
{
    const code_model *m = s->model;
    if (m->inputs.n && s->drive.input) {
        s->drive.input(s->drive.user, t, s->drive.u, s->drive.up);
        for (int k = 0; k < m->inputs.n; k++) {
            s->w[m->inputs.list[k].place] = s->drive.u[k];
            s->w[m->inputs.list[k].place + 1] = s->drive.up[k];
        }
    }
    if (past && s->past && y) past_read(s, t, y, yp);
}

static inline tape_args run_arguments(const run_state *s, double t, const double *y,
                                      const double *yp)
{
    return (tape_args){.t = t,
                       .p = s->p,
                       .y = y,
                       .yp = yp,
                       .w = s->w,
                       .scratch = s->scratch,
                       .run = s->routines,
                       .crew = s->crew};
}

void run_by_crew(run_state *s, crew *c)
{
    s->crew = c;
}

void run_refresh(run_state *s, double t, const double *y, const double *yp)
{
    if (s->model->inputs.n || s->past) refresh(s, t, y, yp, true);
}

tape_args run_args(run_state *s, double t, const double *y, const double *yp)
{
    run_refresh(s, t, y, yp);
    return run_arguments(s, t, y, yp);
}

static inline void eval_here(run_state *s, const code_fn *f, double t, const double *y,
                             const double *yp, double *out, double *out2)
{
    tape_args args = run_arguments(s, t, y, yp);
    args.out = out;
    args.out2 = out2;
    tape_eval(f->code, &args);
}

/* In place, for what is called most. */
static inline void eval_now(run_state *s, const code_fn *f, double t, const double *y,
                            const double *yp, double *out, double *out2)
{
    if (!f->code) return;
    const code_events *x = &s->model->events;
    if (s->model->inputs.n || s->past) refresh(s, t, y, yp, f != &x->delays && f != &x->profiles);
    eval_here(s, f, t, y, yp, out, out2);
}

void run_eval(run_state *s, const code_fn *f, double t, const double *y, const double *yp,
              double *out, double *out2)
{
    eval_now(s, f, t, y, yp, out, out2);
}

void run_eval_left(run_state *s, const code_fn *f, double t, const double *y, const double *yp,
                   double *out)
{
    if (!f->code) return;
    if (s->model->inputs.n || s->past) refresh(s, nextafter(t, -INFINITY), y, yp, true);
    eval_here(s, f, t, y, yp, out, NULL);
}

bool run_stops(run_state *s)
{
    enum { EVALUATIONS_BETWEEN_LOOKS = 10 };
    return watch_tick(s->m->watch, WATCH_TICKS / EVALUATIONS_BETWEEN_LOOKS);
}

int run_note_fault(run_state *s, double t, const double *y, const double *yp)
{
    size_t bytes = (size_t)s->model->n * sizeof *y;
    if (s->fault.of && s->fault.t == t) return 1; // what it leads to at the same tick
    s->fault.any = true;
    s->fault.of = NULL;
    s->fault.t = t;
    if (bytes) memmove(s->fault.y, y, bytes);
    if (bytes && yp) memmove(s->fault.yp, yp, bytes);
    else if (bytes) memset(s->fault.yp, 0, bytes);
    memcpy(s->fault.w, s->w, (size_t)s->model->n_w * sizeof *s->w);
    return 1;
}

static int run_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    run_state *s = user;
    if (run_stops(s)) return -1;
    eval_now(s, own_residual(s), t, y, yp, r, NULL);
    return problem_finite_by(s->crew, r, s->model->n) ? 0 : run_note_fault(s, t, y, yp);
}

static int run_residuals(void *user, int points, const double *t, const double *y, const double *yp,
                         double *r, int stride)
{
    run_state *s = user;
    if (s->model->inputs.n || s->past || s->crew) // as it stands at each of them
        return problem_residuals_one_by_one(&s->problem, points, t, y, yp, r, stride);
    if (run_stops(s)) return -1;
    const code_fn *f = own_residual(s);
    if (!f->code) return 0;
    if (stages_at_once(s, f, points, t, y, yp, r, stride)) return 0;
    tape_args args = run_arguments(s, *t, y, yp);
    args.out = r;
    tape_eval_points(f->code, &args, &(tape_points){points, stride, t});
    return 0;
}

/* A point that moves: y, y', F there and F where it began. */
typedef struct slope_point {
    double t, *y, *yp, *r, *r0;
} slope_point;

/* Entries of column j that have no value, by a difference: forwards, or backwards where there is nothing
 * ahead. */
static void slope_column(run_state *s, slope_point *q, double *moved, int j, double *values)
{
    const vinc_pattern *a = &s->model->system.jac;
    double x = moved[j], size = sqrt(DBL_EPSILON) * fmax(fabs(x), s->nominal[j]);
    bool missing = !problem_finite(values + a->start[j], a->start[j + 1] - a->start[j]);
    for (int side = 1; missing && side >= -1; side -= 2) {
        double d = (x + side * size) - x; // exactly representable
        moved[j] = x + d;
        run_eval(s, &s->model->system.residual, q->t, q->y, q->yp, q->r, NULL);
        moved[j] = x;
        missing = false;
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (isfinite(values[k])) continue;
            values[k] = (q->r[a->row[k]] - q->r0[a->row[k]]) / d;
            missing = missing || !isfinite(values[k]);
        }
    }
}

/* Where F has a value its slopes may have none: x^0.3 of an x that has vanished (2^-1e5) has an infinite
 * slope, and times the slope 0 of x that is no number. */
static void slopes_by_differences(run_state *s, double t, const double *y, const double *yp,
                                  double *dy, double *dyp)
{
    size_t n = (size_t)s->model->n, bytes = n * sizeof *y;
    double *work = s->slopes;
    slope_point q = {t, work, work + n, work + 2 * n, work + 3 * n};
    memcpy(q.y, y, bytes);
    memcpy(q.yp, yp, bytes);
    run_eval(s, &s->model->system.residual, t, y, yp, q.r0, NULL);
    if (!problem_finite(q.r0, s->model->n)) return;
    for (int j = 0; j < s->model->n; j++) {
        slope_column(s, &q, q.y, j, dy);
        slope_column(s, &q, q.yp, j, dyp);
    }
}

static int run_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                        double *dyp)
{
    run_state *s = user;
    int nnz = s->model->system.jac.nnz;
    eval_now(s, own_jacobian(s), t, y, yp, dy, dyp);
    if (!problem_finite_by(s->crew, dy, nnz) || !problem_finite_by(s->crew, dyp, nnz))
        slopes_by_differences(s, t, y, yp, dy, dyp);
    return 0;
}

static int rhs(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    const code_model *m = s->model;
    if (!m->system.rhs.code) return run_find_dependent(s, t, y, yp);
    if (run_stops(s)) return -1;
    eval_now(s, &m->system.rhs, t, y, NULL, s->r, NULL);
    if (!problem_finite(s->r, m->n)) return run_note_fault(s, t, y, NULL);
    if (m->system.all_differential) {
        memcpy(yp, s->r, (size_t)m->n * sizeof *yp);
        return 0;
    }
    for (int i = 0; i < m->n; i++) {
        double x = s->r[i];
        if (m->system.differential[i]) {
            yp[i] = x;
        } else {
            y[i] = x;
            yp[i] = 0;
        }
    }
    return 0;
}

/* The independent combinations keep their values; everything that constraints tie to them follows. */
static int project(void *user, double t, double *y, double *yp)
{
    return run_find_dependent(user, t, y, yp);
}

/* Rows of results: the same, but no better than they need it. */
static int project_within(void *user, double t, double *y, double *yp, double within)
{
    run_state *s = user;
    const vinc_problem *p = &s->problem;
    int (*move)(void *, double, double *, double *) = p->project          ? p->project
                                                      : p->output_project ? p->output_project
                                                                          : p->rhs;
    s->within = within;
    int rc = move(user, t, y, yp);
    s->within = 0;
    return rc;
}

/* Ends of steps: the same while constraints are far from losing rank, which magnifies what is left. A search that fails is
 * made again as anywhere else. */
static int project_end(void *user, double t, double *y, double *yp, double within)
{
    run_state *s = user;
    if (s->model->rank && !choice_is_regular(&s->choice)) return project(user, t, y, yp);
    int rc = project_within(user, t, y, yp, within);
    if (rc <= 0) return rc;
    memcpy(y, s->dependents.held, (size_t)s->model->n * sizeof *y);
    return project(user, t, y, yp);
}

/* Is there anything to search for? Relations of time alone are foretold. */
static int n_roots(const code_model *m)
{
    return m->events.n_single + 2 * (m->events.n_families_moving + m->events.n_transports);
}

static int run_violation(void *user, double t, const double *y, const double *yp, double v[3])
{
    run_state *s = user;
    const code_model *m = s->model;
    v[0] = v[1] = v[2] = -1;
    run_eval(s, &m->system.constraints, t, y, yp, s->violation, NULL);
    for (int k = 0; k < m->system.constraints.n_out; k++) {
        double *level = &v[m->system.constraint_level[k]], x = fabs(s->violation[k]);
        if (!(x <= *level)) *level = x;
    }
    return 0;
}

static int run_energy(void *user, double t, const double *y, const double *yp, double *e)
{
    run_state *s = user;
    double both[2]; // T + V, and T
    run_eval(s, &s->model->system.energy, t, y, yp, both, NULL);
    *e = both[0];
    if (!isfinite(both[0])) return 1;
    s->kinetic_most = fmax(s->kinetic_most, both[1]);
    return 0;
}

double run_kinetic_most(const run_state *s)
{
    return s->kinetic_most;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *unknown_name(void *user, int i)
{
    run_state *s = user;
    enum { LABELS = sizeof s->labels / sizeof *s->labels };
    if (!code_has_tables(s->model)) return "?";
    const image_formulation *f = &s->model->formulation;
    const image_unknown *u = &f->unknowns[i];
    if (u->named) return image_own_name_of(f->own, f->n_own, i);
    int times, v = image_called(&s->model->entries, u->entry, &times);
    s->next_label = (s->next_label + 1) % LABELS;
    return names_at(&s->model->names, v, &s->labels[s->next_label]); // not of a derivative
}

bool run_fault(const run_state *s, span *at, text *why)
{
    if (!s->events.actions.why[0]) return false;
    *at = s->events.actions.at;
    text_add(why, s->events.actions.why);
    return true;
}

bool run_event_place(const run_state *s, span *at)
{
    const run_relations *x = &s->events.relations;
    if (x->n_flips) *at = s->model->events.list.relations[x->flips[0]].at;
    return x->n_flips;
}

bool run_undefined_last(const run_state *s, double t, arena *scratch, run_undefined *out)
{
    const run_fault_at *f = &s->fault;
    return f->any && f->t >= t && undefined_at(s, f->t, f->y, f->yp, f->w, scratch, out);
}

/* ---- the problem ----------------------------------------------------------------------------- */

static const double WORK_OF_CALL = 20; // of the caller, beside the operations

static double work_of(const code_fn *f)
{
    return f->program ? WORK_OF_CALL + tape_program_work(f->program) : 0;
}

/* Of matrices by lists, as la/indexed.c counts them when it has a plan. */
static void count_matrix(const vinc_pattern *jac, vinc_problem *p)
{
    double updates, entries;
    if (p->n > LA_GUESSED_MAX || strcmp(la_choose(p->n, jac->nnz, false), "indexed") != 0) return;
    la_guess_lists(jac, &updates, &entries);
    la_lists_work(p->n, jac->nnz, updates, entries, &p->work_factor, &p->work_solve);
}

/* Where y' is not an expression its equations are solved, block by block. In units of an addition, as seen
 * in the times of small models. */
static void count_work(run_state *s)
{
    const double SOLVED = 3, BLOCKS = 400;
    vinc_problem *p = &s->problem;
    p->work_call = WORK_OF_CALL;
    p->work_residual = work_of(&s->model->system.residual);
    p->work_four = stages_work(&s->model->system.residual);
    if (p->work_four > 0) p->work_four += WORK_OF_CALL;
    p->work_jacobian = work_of(own_jacobian(s));
    count_matrix(&s->model->system.jac, p);
    p->work_rhs = s->model->system.rhs.code && !p->rhs_from_yp
                      ? work_of(&s->model->system.rhs)
                      : BLOCKS + SOLVED * p->work_residual + p->work_jacobian;
    if (!s->model->layers.n) return;
    p->work_rhs = WORK_OF_CALL + layers_work(s->model, true);
    p->work_stage = WORK_OF_CALL + layers_work(s->model, false);
}

/* What is past is kept, and objects that are to know of it are asked at the end of it. */
static int run_accept(void *user, double t0, double t1,
                      int (*at)(void *trajectory, double t, double *y, double *yp), void *points)
{
    run_state *s = user;
    double *y = s->slopes, *yp = y + s->model->n;
    int rc = s->past ? past_accept(user, t0, t1, at, points) : 0;
    if (rc < 0 || !external_run_listens(s->routines) || at(points, t1, y, yp)) return rc;
    run_eval(s, own_residual(s), t1, y, yp, s->r, NULL);
    external_run_passed(s->routines, t1);
    return rc;
}

void run_listen(run_state *s)
{
    bool accepts = s->model->events.delays.n_out || external_run_listens(s->routines);
    s->problem.accept = accepts ? run_accept : NULL;
}

static void fill_problem(run_state *s)
{
    const code_model *m = s->model;
    bool steps_project = m->manifold && m->formulation.project != IMAGE_PROJECT_OUTPUT;
    s->problem = (vinc_problem){
        .n = m->n,
        .n_roots = n_roots(m),
        .jac = &m->system.jac,
        .nominal = s->nominal,
        .differential = m->system.differential,
        .autonomous = m->system.residual.program && !m->system.residual.program->extent[TAPE_T] &&
                      !m->inputs.n && !m->events.delays.n_out,
        .residual = run_residual,
        .residuals = run_residuals,
        .jacobian = run_jacobian,
        .whole_step = whole_step,
        .roots = n_roots(m) ? event_roots : NULL,
        .bare_roots = n_roots(m) ? event_bare_roots : NULL,
        .event = code_has_events(&m->events) ? event_handle : NULL,
        .next_time_event = code_has_events(&m->events) ? event_next : NULL,
        .step_limit = m->events.delays.n_out ? past_step_limit : NULL,
        .forcing_limit = forcing_limit,
        .corners = kink_corners,
        .accept = m->events.delays.n_out ? run_accept : NULL,
        .follows = slide_follows,
        .finish = code_has_events(&m->events) ? event_finish : NULL,
        .event_text = code_has_events(&m->events) ? event_text : NULL,
        .check = m->events.assertions.n_out ? event_check : NULL,
        .user = s,
        .rhs = m->formulation.mechanical ? run_accelerate
               : m->formulation.explicit ? rhs
                                         : NULL,
        .stage = m->formulation.n_groups && m->layers.loose ? layers_stage : NULL,
        .stage_serves = m->formulation.n_groups && m->layers.loose ? layers_stage_serves : NULL,
        .rhs_linear = m->layers.n && m->layers.linear,
        .rhs_from_yp = m->formulation.mechanical || !m->system.rhs.code,
        .unknown_level = m->system.unknown_level,
        .equation_level = m->system.equation_level,
        .unsized = m->system.unsized,
        .rate = m->system.rate,
        .velocity = m->system.velocity,
        .project = steps_project             ? run_project
                   : m->formulation.n_groups ? project
                                             : NULL,
        .output_project = m->manifold && !steps_project                           ? run_project
                          : !m->formulation.explicit && m->formulation.index <= 1 ? project
                                                                                  : NULL,
        .project_within = project_within,
        .project_end = !steps_project && m->formulation.n_groups ? project_end : NULL,
        .reselect = m->formulation.n_groups ? run_reselect : NULL,
        .regularity = m->rank ? run_regularity : NULL,
        .violation = m->system.constraints.n_out ? run_violation : NULL,
        .energy = m->system.energy.n_out ? run_energy : NULL,
        .n_invariants = m->invariants.n,
        .invariants = m->invariants.n ? invariants_values : NULL,
        .invariant_slopes = m->invariants.n ? invariants_slopes : NULL,
        .invariant_name = invariants_name,
        .n_outputs = m->outputs.n,
        .outputs = run_outputs,
        .unknown_name = unknown_name,
        .work_beside = &s->beside,
    };
    whole_offer(m, &s->problem);
    count_work(s);
}

vinc_problem *run_problem(run_state *s)
{
    return &s->problem;
}

/* ---- for start values and inspection --------------------------------------------------------- */

const code_model *run_model(const run_state *s)
{
    return s->model;
}

void *run_room(run_state *s, size_t bytes)
{
    if (bytes <= s->room_bytes) return memset(s->room, 0, bytes);
    mem_free(s->m, s->room, s->room_bytes);
    s->room = mem_try_zeroed(s->m, bytes);
    s->room_bytes = s->room ? bytes : 0;
    return s->room;
}

void run_leave_room(run_state *s)
{
    const size_t KEPT_MOST = (size_t)1
                             << 20; // bytes; asking for a small one again costs as much as starting
    if (s->room_bytes <= KEPT_MOST) return;
    mem_free(s->m, s->room, s->room_bytes);
    s->room = NULL;
    s->room_bytes = 0;
}

mem *run_mem(const run_state *s)
{
    return s->m;
}

run_state *run_initial(run_state *s)
{
    return s->initial ? s->initial : s;
}

const double *run_nominal(const run_state *s)
{
    return s->nominal;
}

const double *run_parameters(const run_state *s)
{
    return s->p;
}

void *run_routines(const run_state *s)
{
    return s->routines;
}

double *run_discrete_values(run_state *s)
{
    return s->w;
}

/* ---- making a state -------------------------------------------------------------------------- */

static size_t run_layout(run_state *s, const code_model *m, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)m->n;
    s->p = bump_double(&b, (size_t)m->n_p);
    s->w = bump_double(&b, (size_t)m->n_w);
    s->scratch = bump_double(&b, m->scratch);
    s->nominal = bump_double(&b, n);
    s->r = bump_double(&b, n);
    s->slopes = bump_double(&b, 4 * n);
    s->violation = bump_double(&b, (size_t)m->system.constraints.n_out);
    s->fault.y = bump_double(&b, n);
    s->fault.yp = bump_double(&b, n);
    s->fault.w = bump_double(&b, (size_t)m->n_w);
    s->drive.u = bump_double(&b, (size_t)m->inputs.n);
    s->drive.up = bump_double(&b, (size_t)m->inputs.n);
    dependent_layout(&s->dependents, m, &b);
    choice_layout(&s->choice, m, &b);
    project_layout(&s->projection, m, &b);
    rank_layout(&s->regular, m, &b);
    accelerate_layout(&s->accelerations, m, &b);
    output_layout(&s->recording, m, &b);
    invariants_layout(&s->invariants, m, &b);
    rates_layout(&s->rates, m, &b);
    event_layout(&s->events, m, &b);
    tick_layout(&s->ticks, m, &b);
    settings_layout(s, m, &b);
    return bump_end(&b);
}

void run_forget_factors(run_state *s)
{
    s->dependents.near = s->rates.factored = s->dependents.noisy = false;
    s->dependents.missed = s->dependents.skip = 0;
    s->dependents.learn_in = s->dependents.learn_after = 0;
    project_forget(s);
    layers_forget(s);
}

void run_lay_out(run_state *s)
{
    run_layout(s, s->model, s->block);
}

static int make(const code_model *model, mem *m, run_state **out)
{
    run_state *s = mem_try(m, sizeof *s);
    *out = NULL;
    if (!s) return VINC_E_MEMORY;
    *s = (run_state){.model = model, .m = m};
    s->block_bytes = run_layout(s, model, NULL);
    s->block = mem_try_zeroed(m, s->block_bytes);
    if (!s->block) {
        mem_free(m, s, sizeof *s);
        return VINC_E_MEMORY;
    }
    run_layout(s, model, s->block);
    fill_problem(s);
    if (layers_new(s) || past_new(s)) {
        run_free(s);
        return VINC_E_MEMORY;
    }
    *out = s;
    return VINC_OK;
}

int run_new(const code_model *model, mem *m, run_state **out)
{
    int rc = make(model, m, out);
    if (rc) return rc;
    rc = external_run_new(m, model->variables.n_objects, &(*out)->routines);
    routine_run *programs = NULL;
    if (!rc) rc = routine_run_new(m, model->codes, &programs);
    if (!rc) external_run_lend((*out)->routines, programs);
    if (!rc && model->initial != model) rc = make(model->initial, m, &(*out)->initial);
    if (!rc && (*out)->initial) {
        (*out)->initial->routines = (*out)->routines;
        (*out)->initial->shares_routines = true;
    }
    if (!rc) return VINC_OK;
    run_free(*out);
    *out = NULL;
    return rc;
}

void run_free(run_state *s)
{
    if (!s) return;
    vary_free(s);
    run_free(s->initial);
    if (!s->shares_routines) {
        routine_run_free(external_run_lent(s->routines));
        external_run_free(s->routines);
    }
    dependent_free(&s->dependents);
    dependent_free_aside(s);
    rates_free(&s->rates);
    layers_free(s);
    rank_free(&s->regular);
    project_free(s);
    past_free(s);
    slide_free(s);
    forcing_free(s);
    along_free(s);
    kink_free(s);
    run_record(s, NULL, 0);
    rows_free(s);
    stages_forget(s);
    whole_free(s);
    own_forget(s);
    settings_free(s);
    mem_free(s->m, s->room, s->room_bytes);
    mem_free(s->m, s->block, s->block_bytes);
    mem_free(s->m, s, sizeof *s);
}

void run_inputs(run_state *s, void (*input)(void *user, double t, double *u, double *up),
                void *user)
{
    s->drive.input = input;
    s->drive.user = user;
    if (s->initial) run_inputs(s->initial, input, user);
}

void run_warnings(run_state *s, void (*warn)(void *user, span at, const char *words), void *user)
{
    s->events.actions.warn = warn;
    s->events.actions.warn_user = user;
}
