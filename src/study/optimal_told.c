/* The optimum of a motion in words and as a table: its controls, and what the model does with them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/optimal_parts.h"

#include "base/plugin.h"
#include "run/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const plugin_kind ipopt_kind = {"ipopt", "constraints on a motion", "coinor-libipopt-dev",
                                       NLP_VERSION};
enum { ROWS_IN_PIECE = 4 };
/* Pieces that miss each other by more than this part of the size of a state are too long. */
static const double JUMP_LARGE = 1e-4;

typedef enum optimal_way { BY_COLLOCATION, BY_SHOOTING, BY_SINGLE, N_WAYS } optimal_way;
static const char *const way_names[N_WAYS] = {"collocation", "shooting", "single"};

static int choose_way(optimal *q, optimal_way *way, const nlp_solver **solver)
{
    vinc_ctx *ctx = q->model->ctx;
    char why[600] = "";
    const char *asked = q->o->way;
    int w = 0;
    while (asked && w < N_WAYS && strcmp(asked, way_names[w]) != 0) w++;
    if (w == N_WAYS)
        return fit_fail(ctx, "C206", "--way '%s': there are collocation, shooting, and single",
                        asked);
    *way = (optimal_way)w;
    *solver = w == BY_SINGLE ? NULL : plugin_open(&ipopt_kind, why, sizeof why);
    if (!*solver && !asked) *way = BY_SINGLE;
    if (*way == BY_SINGLE && q->n_limits && !*why)
        return fit_fail(ctx, "C206",
                        "--way single is for problems without constraints, and '%s' is one: leave "
                        "it out",
                        q->limits[0].words);
    if (!*solver && (q->n_limits || *way != BY_SINGLE)) {
        fit_fail(ctx, "C207", "%s", why);
        if (!q->n_limits)
            diag_note(&ctx->diags, (span){0}, "without constraints --way single does without it");
        return VINC_E_OPTION;
    }
    return VINC_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The motion, each piece run from where it begins in the answer; and the largest gap between an end and the
 * next beginning, over the size of the state. */
static int fill_table(optimal *q, const optimal_answer *x, vinc_sim *table, double *gap)
{
    size_t n = (size_t)q->n;
    double h = (x->t_stop - q->t_start) / q->pieces;
    double *y = table->y, *yp = table->yp, *size = arena_array(q->a, double, n + 1);
    const code_model *m = run_model(q->s);
    for (size_t i = 0; i < n; i++) {
        size[i] = q->p->nominal[i];
        for (int k = 0; k < q->pieces; k++)
            size[i] = fmax(size[i], fabs(x->nodes[(size_t)k * n + i]));
    }
    int rc = api_clear(table);
    for (int i = 0; i < q->n_parameters && !rc; i++)
        rc = vinc_sim_set(table, q->parameters[i]->name, x->parameters[i]);
    for (int i = 0; i < q->n_controls && !rc; i++) // 0 may be no value of it
        rc = vinc_sim_set(table, q->controls[i].name, x->controls[i]);
    if (!rc) rc = api_initialize(table); // for the values of parameters in it
    if (!rc) rc = api_declare_columns(table, table->result.r);
    if (!rc) rc = optimal_begin(q, x->controls, x->parameters) ? VINC_E_EVALUATION : VINC_OK;
    *gap = 0;
    for (int k = 0; k < q->pieces && !rc; k++) {
        sim_outcome done;
        double t0 = q->t_start + k * h, t1 = q->t_start + (k + 1) * h;
        sim_options o = optimal_driver(q, t0, t1);
        optimal_set_controls(q, x->controls + k * q->n_controls);
        memcpy(y, x->nodes + (size_t)k * n, n * sizeof *y);
        memset(yp, 0, n * sizeof *yp);
        o.no_rows = false;
        o.intervals = ROWS_IN_PIECE;
        if (optimal_settle(q, t0, y, yp)) return q->stop ? q->stop : VINC_E_EVALUATION;
        rc = sim_run(&q->sim->m, q->p, y, yp, &o, table->result.r, &done);
        text_done(&done.message);
        for (size_t i = 0; i < n && k + 1 < q->pieces && rc >= 0; i++)
            if (api_is_plain_state(m, (int)i))
                *gap = fmax(*gap, fabs(y[i] - x->nodes[(size_t)(k + 1) * n + i]) / size[i]);
        if (rc > 0) rc = VINC_OK;
    }
    return rc;
}

/* A control that is linear on pieces is a state of the extended model. */
static bool is_control(const optimal *q, const char *name)
{
    for (int i = 0; i < q->n_controls; i++)
        if (!strcmp(q->controls[i].of->name, name)) return true;
    return false;
}

/* Controls in one panel each, states in one. */
static const char *usual_selection(optimal *q)
{
    text *t = fit_words(q->parts);
    const code_model *m = run_model(q->s);
    int n = 0;
    for (int i = 0; i < q->n_controls; i++)
        text_printf(t, "%s%s", i ? ";" : "", q->controls[i].of->name);
    for (int i = 0; i < q->n; i++) {
        const char *name = form_name_of(m->form, i, &(expr_label){{0}});
        if (!api_is_plain_state(m, i) || !strncmp(name, "vincolo_", 8) || is_control(q, name))
            continue;
        text_printf(t, "%s%s", n++ ? "," : t->n ? ";" : "", name);
    }
    return arena_strndup(q->a, text_str(t), t->n);
}

static int deliver_table(optimal *q, const optimal_answer *x, vinc_optimum *told)
{
    vinc_sim_options o = {0};
    const vinc_sim_options *run = q->o->run;
    if (run) o.formulation = run->formulation;
    const char *vars = q->o->vars ? q->o->vars : usual_selection(q);
    int rc = vinc_sim_new(q->extended, &o, &q->table);
    if (!rc) rc = fill_table(q, x, q->table, &told->gap);
    if (!rc && q->o->out)
        rc = vinc_result_write(vinc_sim_result(q->table), q->o->out, q->o->vars ? vars : NULL);
    if (!rc && q->o->plot) {
        vinc_plot_options plot = {.vars = vars, .title = q->o->title};
        const char *chart = "";
        rc = vinc_result_plot(vinc_sim_result(q->table), q->o->plot, &plot, &chart);
        if (chart && *chart) told->chart = arena_strndup(q->a, chart, strlen(chart));
    }
    return rc;
}

void optimal_note_violation(optimal_answer *out, double off, int limit, double t)
{
    bool counts = limit >= 0 && off > OPTIMAL_MISSED,
         counted = out->worst >= 0 && out->violation > OPTIMAL_MISSED;
    if (counts == counted ? !(off > out->violation) : counted) return;
    out->violation = off;
    out->worst = limit < 0 ? -1 : limit;
    out->worst_t = t;
}

/* ---- words ----------------------------------------------------------------------------------- */

static int tell_failure(optimal *q, const optimal_answer *x, bool violated)
{
    vinc_ctx *ctx = q->model->ctx;
    if (violated && x->worst >= 0)
        return fit_fail(ctx, "C208",
                        "no motion was found that keeps '%s': at t = %.6g it is missed by %.3g "
                        "where the search ended%s; it asks for too much, or the search needs "
                        "another place to begin from (--over 'u = VALUE'), a longer run, or wider "
                        "bounds",
                        q->limits[x->worst].words, x->worst_t, x->violation,
                        x->end == NLP_INFEASIBLE ? ", and nothing nearby is better" : "");
    if (violated)
        return fit_fail(ctx, "C208",
                        "no motion was found%s: pieces of it are apart by %.3g at t = %.6g where "
                        "the search ended; %sbegin with other values (--over 'u = VALUE'), or with "
                        "more --pieces",
                        q->n_limits ? " that keeps all of --subject" : "", x->violation, x->worst_t,
                        q->n_limits ? "they may ask for too much, or " : "");
    return VINC_OK;
}

static void tell_controls(optimal *q, const optimal_answer *x, vinc_optimum *told)
{
    int N = q->pieces;
    vinc_optimum_control *list = arena_array(q->a, vinc_optimum_control, q->n_controls + 1);
    double *t = arena_array(q->a, double, N + 2);
    for (int k = 0; k <= N; k++) t[k] = q->t_start + k * (x->t_stop - q->t_start) / N;
    for (int i = 0; i < q->n_controls; i++) {
        double *values = arena_array(q->a, double, N + 2);
        const optimal_control *c = &q->controls[i];
        for (int k = 0; k < N; k++) values[k] = x->controls[k * q->n_controls + i];
        if (q->linear) { // they are its slopes
            double v = x->parameters[c->start_number];
            for (int k = 0; k < N; k++) {
                double slope = values[k];
                values[k] = v;
                v += slope * (t[k + 1] - t[k]);
            }
            values[N] = v;
        }
        list[i] = (vinc_optimum_control){.name = c->of->name,
                                         .lower = c->of->lower,
                                         .upper = c->of->upper,
                                         .n_values = N + q->linear,
                                         .values = values};
    }
    told->controls = list;
    told->n_controls = q->n_controls;
    told->times = t;
    told->n_times = N + 1;
}

static void tell_parameters(optimal *q, const optimal_answer *x, vinc_optimum *told)
{
    vinc_optimum_parameter *list = arena_array(q->a, vinc_optimum_parameter, q->n_parameters + 2);
    text *t = fit_words(q->parts);
    int n = 0;
    text_printf(t, "%s(", q->model->flat->name);
    for (int i = 0; i < q->n_named; i++) {
        const fit_parameter *p = q->parameters[i];
        double v = x->parameters[i];
        list[n++] = (vinc_optimum_parameter){.name = p->name,
                                             .value = v,
                                             .start = p->value,
                                             .lower = p->lower,
                                             .upper = p->upper,
                                             .slope = NAN,
                                             .at_bound = v <= p->lower || v >= p->upper};
        text_add(t, i ? ", " : "");
        fit_setting_text(q->parts, p->name, v, t);
    }
    text_add(t, ")");
    if (q->free_end)
        list[n++] = (vinc_optimum_parameter){.name = "time",
                                             .value = x->t_stop,
                                             .start = q->t_stop,
                                             .lower = q->stop_lower,
                                             .upper = q->stop_upper,
                                             .slope = NAN,
                                             .at_bound = x->t_stop <= q->stop_lower ||
                                                         x->t_stop >= q->stop_upper};
    told->parameters = list;
    told->n_parameters = n;
    told->modification = q->n_named ? arena_strndup(q->a, text_str(t), t->n) : q->model->flat->name;
}

/* What the solver said. */
static const char *why_it_ended(nlp_end end)
{
    switch (end) {
    case NLP_ITERATIONS: return "its iterations ran out (--iterations)";
    case NLP_TINY_STEPS: return "its steps became too small to change anything";
    case NLP_DIVERGED: return "values grow without end: give bounds";
    case NLP_INFEASIBLE: return "it found no way to keep the constraints better";
    case NLP_NO_VALUE: return "the goal or a constraint was not a number on its way";
    default: return "no step was better";
    }
}

int optimal_tell(optimal *q, vinc_optimum *told)
{
    vinc_ctx *ctx = q->model->ctx;
    optimal_way way;
    const nlp_solver *solver;
    int rc = optimal_read(q);
    if (!rc) rc = choose_way(q, &way, &solver);
    if (!rc) rc = optimal_open(q);
    if (rc) return rc;
    size_t N = (size_t)q->pieces;
    optimal_answer x = {.controls = arena_array(q->a, double, N *(size_t)q->n_controls + 1),
                        .parameters = arena_array(q->a, double, q->n_parameters + 1),
                        .nodes = arena_array(q->a, double, N *(size_t)q->n + 1),
                        .worst = -1};
    rc = (way == BY_COLLOCATION ? optimal_collocate : optimal_shoot)(q, solver, &x);
    if (q->stop && q->stop != VINC_E_MEMORY) return api_end_work(ctx, &q->sim->watch, q->stop);
    if (rc == VINC_E_EVALUATION)
        return fit_fail(ctx, "C208",
                        "the motion has no value where the search begins: begin with "
                        "other values (--over 'u = VALUE')");
    if (rc) return rc;
    double sign = q->o->maximize ? -1 : 1;
    bool violated = x.violation > OPTIMAL_MISSED;
    rc = tell_failure(q, &x, violated);
    if (rc) return rc;
    told->model = q->model->flat->name;
    told->goal = q->o->goal;
    told->value = sign * x.value;
    told->start = sign * x.start;
    told->converged = x.end == NLP_SOLVED || x.end == NLP_NEARLY;
    if (!told->converged) told->why = why_it_ended(x.end);
    told->iterations = x.iterations;
    told->evaluations = (int)q->runs;
    told->way = way_names[way];
    told->n_constraints = q->n_limits;
    tell_controls(q, &x, told);
    tell_parameters(q, &x, told);
    rc = deliver_table(q, &x, told);
    if (!rc && told->gap > JUMP_LARGE)
        diag_warning(&ctx->diags, "C209", (span){0},
                     "run by themselves, pieces of this motion end up to %.2g (of the size of a "
                     "state) away from where the next begins: take more --pieces than %d",
                     told->gap, q->pieces);
    if (!rc && !told->converged)
        diag_warning(
            &ctx->diags, "C209", (span){0},
            "the search ended before the goal was known to be least (%s): constraints hold, "
            "but a better motion may be near; begin with other values (--over 'u = "
            "VALUE'), or take other --pieces",
            told->why);
    return rc;
}
