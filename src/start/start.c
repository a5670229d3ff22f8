/* Consistent start values.
 *
 * One rule: fixed values hold; the freedom that remains is used to change the other start values of
 * positions and velocities as little as possible, positions first; of mechanical systems in the
 * metric of their inertia (mass.c). Without further conditions the constraints of each group are
 * met level by level, and everything else follows from the states. With initial equations, or with
 * fixed values of variables that are not states, positions are held if the others can meet them,
 * and otherwise the whole system is solved at once. homotopy() is followed from the simplified to
 * the actual model when that fails, and at last the motion to the steady state that is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "run/undefined.h"
#include "run/vary.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

static size_t search_layout(start *a, void *block)
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
    a->w = bump_double(&b, (size_t)a->n_w);
    a->w_given = bump_double(&b, (size_t)a->n_w);
    a->row_at = bump_int(&b, rows);
    a->y_kept = bump_double(&b, n);
    a->yp_kept = bump_double(&b, n);
    a->z_back = bump_double(&b, z);
    a->z_found = bump_double(&b, z);
    a->z_given = bump_double(&b, z);
    a->z_guess = bump_double(&b, z);
    a->first.from = bump_double(&b, z);
    a->first.z = bump_double(&b, z);
    a->first.w = bump_double(&b, (size_t)a->n_w);
    a->first.fixed = bump_bytes(&b, z);
    a->z_tried = bump_double(&b, z);
    a->z_last = bump_double(&b, z);
    a->y_back = bump_double(&b, n);
    a->yp_back = bump_double(&b, n);
    a->map_out = bump_double(&b, (size_t)a->x->map.n_out);
    return bump_end(&b);
}

void start_take_values(start *a)
{
    const code_model *m = a->m;
    for (int i = 0; i < m->n; i++) {
        int e = start_entry(a, i);
        a->y[i] = e < 0 ? 0 : run_start_of(a->s, e);
        a->yp[i] = m->system.differential[i] && e >= 0 ? run_start_of(a->s, e + 1) : 0;
    }
}

static void count_rows(start *a)
{
    const code_model *m = a->m;
    const image_formulation *f = &m->formulation;
    for (int i = 0; i < m->n; i++) {
        uint8_t kind = f->rows[i].kind;
        if (kind != IMAGE_ROW_SELECT && kind != IMAGE_ROW_LINK) a->rows[a->n_rows++] = i;
        int e = start_entry(a, i);
        if (m->system.differential[i] && e >= 0 && f->places[e + 1].where == IMAGE_IN_YP)
            a->z_yp[a->n_z++] = i;
    }
    a->n_z += m->n;
    for (int k = 0; k < a->x->n_extra; k++)
        if (a->x->rows[k].entry < 0 || run_is_fixed(a->s, a->x->rows[k].entry))
            a->active[a->n_active++] = k;
}

/* Does anything beyond fixed states decide the start? */
static bool has_conditions(const start *a)
{
    const code_model *m = a->m;
    if (a->n_active) return true;
    for (int i = 0; i < m->n; i++) {
        int e = start_entry(a, i);
        if (e < 0) continue;
        if (!m->system.differential[i] && run_is_fixed(a->s, e)) return true;
        if (m->system.differential[i] && m->formulation.places[e + 1].where == IMAGE_IN_YP &&
            run_is_fixed(a->s, e + 1))
            return true;
    }
    return false;
}

/* following: positions and velocities are consistent already. */
static int solve_all(start *a, bool following)
{
    least_report report = {0};
    int rc = start_solve(a, &report);
    if (rc > 0 && a->x->continuation) rc = start_homotopy(a, &report);
    if (rc > 0) {
        least_report last;
        int relaxed = start_relaxed(a, &last);
        if (relaxed <= 0) rc = relaxed;
    }
    if (rc == LEAST_MEMORY) return VINC_E_MEMORY;
    if (rc == LEAST_OK) return VINC_OK;
    if (!following || !start_explain_undetermined(a->s, a->t, a->y, a->yp, true, a->sink))
        start_explain(a, rc, &report);
    return VINC_E_NEWTON;
}

/* Positions first: moved onto their constraints, then held while conditions are met by the rest.
 * False, with the values as given: the conditions are not for velocities alone. */
static bool solve_below_positions(start *a)
{
    least_report report = {0};
    if (start_deepest(a) < 2) return false;
    bool met = start_groups(a, 2, true) == VINC_OK;
    a->held = true;
    met = met && start_solve(a, &report) == LEAST_OK;
    a->held = false;
    if (met) return true;
    start_take_values(a);
    start_guess(a);
    return false;
}

/* Constraint by constraint; where one cannot be met by the unknowns of its group, because they are fixed and what
 * they follow from is solved elsewhere, all at once. What then fails is told of the constraint. */
static int solve_groups(start *a)
{
    int rc = start_groups(a, 1, true);
    if (rc != VINC_E_NEWTON) return rc;
    least_report report = {0};
    start_take_values(a);
    start_guess(a);
    int all = start_solve(a, &report);
    if (all == LEAST_OK) return VINC_OK;
    if (all == LEAST_MEMORY) return VINC_E_MEMORY;
    start_take_values(a);
    start_guess(a);
    return start_groups(a, 1, false);
}

/* Which directions do constraints leave free? Where their derivatives are no numbers, nobody can
 * say. */
static int select_states(start *a)
{
    if (run_select(a->s, a->t, a->y, a->yp) >= 0) return VINC_OK;
    if (start_tell_undefined(a)) return VINC_E_EVALUATION;
    const image_row *rows = a->m->formulation.rows;
    span at = {0};
    run_eval(a->s, &a->m->system.residual, a->t, a->y, a->yp, a->full, NULL);
    for (int i = a->m->n - 1, bad = 0; i >= 0 && !bad; i--) {
        if (rows[i].kind != IMAGE_ROW_CONSTRAINT || rows[i].equation < 0) continue;
        at = image_written_at(&a->m->equations, rows[i].equation);
        bad = !isfinite(a->full[i]);
    }
    diag_error(a->sink, "R212", at,
               "a constraint or one of its derivatives cannot be evaluated at the start values; "
               "give start values at which they have values");
    return VINC_E_EVALUATION;
}

/* Components of y that belong to groups, and the rest, from the states. */
static int follow_states(start *a)
{
    int rc = select_states(a);
    if (rc) return rc;
    double *y = a->y_kept, *yp = a->yp_kept;
    memcpy(y, a->y, (size_t)a->m->n * sizeof *y);
    memcpy(yp, a->yp, (size_t)a->m->n * sizeof *yp);
    rc = run_follow(a->s, a->t, y, yp);
    if (rc == VINC_E_MEMORY) return rc;
    a->report->open = rc != 0;
    if (rc) return solve_all(a, true); // a better globalised search, homotopy
    memcpy(a->y, y, (size_t)a->m->n * sizeof *y);
    memcpy(a->yp, yp, (size_t)a->m->n * sizeof *yp);
    return VINC_OK;
}

/* Largest residual of the values as they were given: of constraints, of eliminated variables that
 * have a start value, of initial equations. */
static double inconsistency(start *a)
{
    double most = 0;
    run_eval(a->s, &a->m->system.residual, a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < a->m->n; i++)
        if (a->m->formulation.rows[i].kind == IMAGE_ROW_CONSTRAINT)
            most = fmax(most, fabs(a->full[i]));
    run_eval(a->s, &a->x->extra, a->t, a->y, a->yp, a->extra, NULL);
    for (int k = 0; k < a->x->n_extra; k++) {
        const code_extra *e = &a->x->rows[k];
        if (e->entry < 0) {
            most = fmax(most, fabs(a->extra[k]));
            continue;
        }
        const image_entries *q = &a->m->entries;
        if (start_attributes(a, e->entry)->given &&
            image_order_of(q, e->entry) < image_highest_of(q, e->entry))
            most = fmax(most, fabs(a->extra[k] - run_start_of(a->s, e->entry)));
    }
    return most;
}

static void report_moves(start *a)
{
    start_report *r = a->report;
    for (int i = 0; i < a->m->n; i++) {
        int e = start_entry(a, i);
        if (e < 0 || !a->m->system.differential[i]) continue;
        r->n_fixed += run_is_fixed(a->s, e);
        if (!run_is_fixed(a->s, e) && !start_attributes(a, e)->given) {
            if (r->n_chosen < START_NAMED) r->chosen[r->n_chosen] = e;
            r->n_chosen++;
        }
        double d = fabs(a->y[i] - run_start_of(a->s, e)) / run_nominal(a->s)[i];
        if (d <= a->tol) continue;
        // Keep the most moved, sorted.
        int k = r->n_moved < START_NAMED ? r->n_moved : START_NAMED;
        r->n_moved++;
        while (k > 0 && d > fabs(r->to[k - 1] - r->from[k - 1])) {
            if (k < START_NAMED) {
                r->moved[k] = r->moved[k - 1];
                r->from[k] = r->from[k - 1];
                r->to[k] = r->to[k - 1];
            }
            k--;
        }
        if (k < START_NAMED) {
            r->moved[k] = e;
            r->from[k] = run_start_of(a->s, e);
            r->to[k] = a->y[i];
        }
    }
    for (int k = 0; k < r->n_moved && k < START_NAMED; k++)
        r->called[k] = image_called(&a->m->entries, r->moved[k], &r->times[k]);
}

/* Where nothing is left to least change, the next round begins where this one ended. */
static void keep_last(start *a)
{
    int n = a->m->n;
    memcpy(a->z_last, a->y, (size_t)n * sizeof *a->y);
    for (int k = 0; k < a->n_z - n; k++) a->z_last[n + k] = a->yp[a->z_yp[k]];
    a->found_last = true;
}

/* Relations and discrete variables depend on the start values and the other way round. Where all that
 * disagree have been changed at a time, and they go round, the first alone is (run/settle.c). */
static int settle_rounds(start *a, bool as_given)
{
    bool conditions = has_conditions(a);
    a->found_last = false;
    for (int k = 0; k < 2 * START_ROUNDS; k++) {
        int rc = VINC_OK, changed = 0;
        if (k == START_EXACT_ROUNDS) run_hold_ties(a->s, true);
        if (!as_given) {
            start_take_values(a);
            start_guess(a);
            if (!k) run_refresh_relations(a->s, a->t, a->y, a->yp);
            // Volumes may have start values of pressure and temperature, not of mass and energy.
            if (!conditions && !start_follows_others(a)) rc = solve_groups(a);
            else if (!solve_below_positions(a)) rc = solve_all(a, false);
        }
        if (rc) return rc;
        if (!as_given) rc = follow_states(a);
        if (rc) return rc;
        if (k >= START_ROUNDS && run_refresh_first(a->s, a->t, a->y, a->yp)) continue;
        double *y = a->y_kept, *yp = a->yp_kept;
        memcpy(y, a->y, (size_t)a->m->n * sizeof *y);
        memcpy(yp, a->yp, (size_t)a->m->n * sizeof *yp);
        size_t bytes = (size_t)a->n_w * sizeof *a->w;
        memcpy(a->w, run_discrete_values(a->s), bytes);
        rc = run_update_discrete(a->s, a->t, y, yp, &changed);
        if (rc < 0) return rc;
        // Where sides are equal, conditions may go round and come back to where they were.
        if (!changed || (!rc && !memcmp(a->w, run_discrete_values(a->s), bytes))) return VINC_OK;
        keep_last(a);
    }
    diag_error(a->sink, "R214", (span){0, 0},
               "conditions of if-expressions and the start values contradict each other: no values "
               "agree with both");
    return VINC_E_NEWTON;
}

int start_settle(start *a, bool as_given)
{
    int rc = settle_rounds(a, as_given);
    run_hold_ties(a->s, false);
    return rc;
}

/* Initial equations of discrete variables hold, some choice of values of the past makes them hold, or
 * the first that does not is named. */
static int check_claims(start *a, const double *w_given)
{
    double side[2];
    int n_open = 0, k = run_broken_claim(a->s, a->t, a->y, a->yp, side);
    if (k < 0) return VINC_OK;
    if (start_choose(a, w_given, &n_open) == VINC_OK) return VINC_OK;
    const image_claim *e = &a->m->claims.at[k];
    const char *const word[] = {"false", "true"};
    if (e->logical)
        diag_error(
            a->sink, "R215", e->at,
            "the initial equation %s does not hold: the other equations give %s on the left, "
            "and %s is on the right",
            e->text, word[side[0] != 0], word[side[1] != 0]);
    else
        diag_error(a->sink, "R215", e->at,
                   "the initial equation %s does not hold: the other equations give %.10g on the "
                   "left, and %.10g is on the right",
                   e->text, side[0], side[1]);
    if (n_open)
        diag_note(
            a->sink, (span){0, 0},
            "no other start value of the %d Boolean%s or enumeration%s that it depends on helps",
            n_open, n_open > 1 ? "s" : "", n_open > 1 ? "s" : "");
    return VINC_E_NEWTON;
}

/* Has every variable a value at the start, those too that no equation needs? */
static int check_outputs(start *a, run_state *of, const double *y, const double *yp)
{
    const vinc_problem *p = run_problem(of);
    size_t bytes = ((size_t)p->n_outputs + 1) * sizeof(double);
    double *out = mem_try(run_mem(of), bytes);
    run_undefined u;
    if (!out) return VINC_E_MEMORY;
    int rc = p->outputs(p->user, a->t, y, yp, out);
    mem_free(run_mem(of), out, bytes);
    if (!rc || !run_find_undefined(of, a->t, y, yp, a->sink->a, &u)) return VINC_OK;
    undefined_tell(of, &u, "R212", a->sink);
    return VINC_E_EVALUATION;
}

/* y and y' of the formulation that is integrated. */
static void hand_over(start *a, run_state *to, double *y, double *yp)
{
    int n = run_model(to)->n;
    size_t bytes = (size_t)n * sizeof *y;
    if (to == a->s) {
        memcpy(y, a->y, bytes);
        memcpy(yp, a->yp, bytes);
        return;
    }
    const code_initial *x = a->x;
    run_take_discrete(to, a->s);
    run_eval(a->s, &x->map, a->t, a->y, a->yp, a->map_out, NULL);
    for (int i = 0; i < n; i++) {
        y[i] = x->map_y[i] < 0 ? 0 : a->map_out[x->map_y[i]];
        yp[i] = x->map_yp[i] < 0 ? 0 : a->map_out[x->map_yp[i]];
    }
}

/* A search that failed may just have begun too far away: at the solution it ends at once. */
static void judge_open(start *a)
{
    size_t bytes = (size_t)a->m->n * sizeof *a->y;
    if (!a->report->open) return;
    memcpy(a->y_kept, a->y, bytes);
    memcpy(a->yp_kept, a->yp, bytes);
    a->report->open = run_follow(a->s, a->t, a->y_kept, a->yp_kept) != 0;
}

static void tell_aside(const start *a)
{
    const image_equations *x = &a->m->equations;
    int e = a->report->aside - 1;
    if (e < 0) return;
    diag_warning(
        a->sink, "R217", image_written_at(x, e),
        "where %s%s holds, its derivative vanishes or repeats that of others, as for "
        "cos(phi) = 1, so that no force follows from it there: the run begins beside, within the "
        "tolerance of start values; write it so that it changes sign (sin(phi) = 0), or begin at "
        "a position that is not stretched",
        x->at ? "the constraint " : "this constraint", x->at ? x->at[e].text : "");
}

/* Every start value of the formulation as it stands. */
static void as_given(run_state *to, double *y, double *yp)
{
    const code_model *m = run_model(to);
    for (int i = 0; i < m->n; i++) {
        int e = m->formulation.unknowns[i].entry;
        y[i] = e < 0 ? 0 : run_start_of(to, e);
        yp[i] = e >= 0 && m->system.differential[i] ? run_start_of(to, e + 1) : 0;
    }
}

/* What the formulation itself gives for the states as they stand: multipliers and accelerations, where
 * it solves for them. Left alone where that would move a state. */
static int fill_in(run_state *s, double t0, double *y, double *yp)
{
    const code_model *m = run_model(s);
    size_t n = (size_t)m->n, bytes = 2 * n * sizeof *y + 1;
    double *found = mem_try(run_mem(s), bytes);
    if (!found) return VINC_E_MEMORY;
    memcpy(found, y, n * sizeof *y);
    memcpy(found + n, yp, n * sizeof *yp);
    bool fits = !run_follow(s, t0, found, found + n);
    for (size_t i = 0; i < n && fits; i++) fits = !m->system.differential[i] || found[i] == y[i];
    if (fits) {
        memcpy(y, found, n * sizeof *y);
        memcpy(yp, found + n, n * sizeof *yp);
    }
    mem_free(run_mem(s), found, bytes);
    return VINC_OK;
}

int start_values(run_state *s, double t0, const start_options *options, double *y, double *yp,
                 start_report *report, diag_sink *sink)
{
    *report = (start_report){0};
    if (!code_has_tables(run_model(s))) return VINC_E_MEMORY;
    run_state *of = run_initial(s);
    start a = {.s = of,
               .m = run_model(of),
               .x = &run_model(of)->start,
               .n_w = run_model(of)->s->n_w,
               .t = t0,
               .report = report,
               .sink = sink,
               .tol = options->tol > 0 ? options->tol : 1e-9};
    size_t bytes = search_layout(&a, NULL) + 1;
    void *block = run_room(s, bytes);
    if (!block) return VINC_E_MEMORY;
    search_layout(&a, block);
    run_discrete_values(of)[IMAGE_W_INITIAL] = 1;
    count_rows(&a);
    report->n_unknowns = a.n_z;
    report->n_equations = a.n_rows + a.n_active;
    report->n_free = a.n_z - report->n_equations;
    start_take_values(&a);
    int rc = start_tell_endless(&a) ? VINC_E_EVALUATION : select_states(&a);
    memcpy(a.w_given, run_discrete_values(of), (size_t)a.n_w * sizeof *a.w_given);
    report->residual = inconsistency(&a);
    report->given_consistent = report->residual <= a.tol;
    if (rc >= 0) rc = start_settle(&a, options->as_given);
    if (rc == VINC_OK && !options->as_given) rc = check_claims(&a, a.w_given);
    if (rc == VINC_OK && vary_of(s)) rc = start_vary(&a, s, has_conditions(&a));
    run_discrete_values(of)[IMAGE_W_INITIAL] = 0;
    run_discrete_values(s)[IMAGE_W_INITIAL] = 0;
    if (rc == VINC_OK) {
        judge_open(&a);
        tell_aside(&a);
        report_moves(&a);
        hand_over(&a, s, y, yp);
        if (options->as_given) {
            as_given(s, y, yp);
            rc = fill_in(s, t0, y, yp);
            if (!rc && !report->given_consistent) rc = 1;
        }
        if (s != of) run_select(s, t0, y, yp);
        if (!rc) rc = check_outputs(&a, s, y, yp);
    }
    run_leave_room(s);
    return rc;
}
