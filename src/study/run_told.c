/* What a run did, in words and as the JSON object of `vincolo run --json`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "told/json.h"

#include <math.h>
#include <string.h>

static const char *status_word(int status)
{
    switch (status) {
    case VINC_OK: return "done";
    case VINC_STOPPED: return "interrupted";
    case VINC_TERMINATED: return "terminated";
    default: return "failed";
    }
}

// A model without constraints has no formulation to speak of.
static const char *formulation_name(const vinc_sim *s)
{
    return s->model->structure->constraints.n ? s->form->kind->name : "none";
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void violation(json *j, const vinc_sim *s)
{
    static const char *const names[] = {"position_max", "velocity_max", "acceleration_max"};
    if (!s->model->structure->constraints.n) {
        json_null(j, "constraint");
        return;
    }
    json_open(j, "constraint", '{');
    for (int k = 0; k < 3; k++)
        json_real(j, names[k], s->done.violation[k] < 0 ? NAN : s->done.violation[k]);
    json_close(j, '}');
}

static void walls(json *j, const vinc_sim *s)
{
    const api_walls *w = &s->wall;
    json_open(j, "wall_s", '{');
    json_real(j, "parse", w->parse);
    json_real(j, "flatten", w->flatten);
    json_real(j, "structure", w->structure);
    json_real(j, "compile", w->compile);
    json_real(j, "init", w->init);
    json_real(j, "integrate", w->integrate);
    json_real(j, "total",
              w->parse + w->flatten + w->structure + w->compile + w->init + w->integrate);
    json_close(j, '}');
}

static void final_values(json *j, const vinc_sim *s)
{
    const result *r = s->result.r;
    json_open(j, "final", '{');
    for (int c = 1; c < r->n_columns; c++)
        if (r->n_rows || r->columns[c].constant)
            json_real(j, r->columns[c].name, result_value(r, c, r->n_rows ? r->n_rows - 1 : 0));
    json_close(j, '}');
}

static void energy(json *j, const vinc_sim *s)
{
    if (!s->done.has_energy) {
        json_null(j, "energy");
        return;
    }
    json_open(j, "energy", '{');
    json_real(j, "initial", s->done.energy_start);
    json_real(j, "final", s->done.energy);
    json_real(j, "max_change", s->done.energy_change);
    json_close(j, '}');
}

void api_run_json(vinc_sim *s, bool final, text *out)
{
    vinc_sim_stats st;
    vinc_sim_statistics(s, &st);
    const structure *t = s->model->structure;
    json j = {out, true};
    json_open(&j, NULL, '{');
    json_text(&j, "model", s->model->source);
    json_text(&j, "class", s->model->flat->name);
    json_text(&j, "method", s->method);
    json_text(&j, "formulation", formulation_name(s));
    json_real(&j, "t_end", s->done.t_end);
    json_text(&j, "status", status_word(s->done.status));
    json_int(&j, "steps", st.steps);
    json_int(&j, "rejected", st.rejected);
    json_int(&j, "residual_evals", st.residual_evals);
    json_int(&j, "jacobian_evals", st.jacobian_evals);
    json_int(&j, "factorizations", st.factorizations);
    json_int(&j, "newton_iterations", st.newton_iterations);
    json_int(&j, "events", st.events);
    json_open(&j, "index", '{');
    json_int(&j, "structural", t->index);
    json_null(&j, "numerical");
    json_close(&j, '}');
    json_int(&j, "dof", code_dof(s->code));
    violation(&j, s);
    energy(&j, s);
    if (s->verified >= 0) json_real(&j, "verify", s->verified);
    walls(&j, s);
    if (final) final_values(&j, s);
    json_text(&j, "message", text_str(&s->done.message));
    json_close(&j, '}');
    text_char(out, '\n');
}

/* ---- words ----------------------------------------------------------------------------------- */

static void report_value(text *o, const result_column *c, double x)
{
    text_printf(o, "  %-12s %.10g", c->name, x + 0.0); // no -0
    if (*c->unit) text_printf(o, " %s", c->unit);
    if (c->comment && *c->comment) text_printf(o, "   %s", c->comment);
    text_char(o, '\n');
}

/* A point of rest: every variable that could move, its value, what it is. */
static void report_rest(vinc_sim *s)
{
    text *o = &s->out;
    const result *r = s->result.r;
    text_printf(o, "%s: %s\n", s->model->flat->name,
                s->done.status ? "no equilibrium found" : "equilibrium");
    if (s->done.violation[0] >= 0)
        text_printf(o, "  constraints  violated by at most %.2g\n", s->done.violation[0]);
    if (s->done.has_energy) text_printf(o, "  energy       %.9g\n", s->done.energy);
    for (int c = 1; c < r->n_columns && r->n_rows; c++)
        if (!r->columns[c].constant) report_value(o, &r->columns[c], result_value(r, c, 0));
}

/* What was moved to meet the constraints: the most moved by name. */
static void report_start(const vinc_sim *s, text *o)
{
    const start_report *r = &s->init;
    enum { NAMED = 3 };
    text_add(o, "  start        made consistent: ");
    for (int k = 0; k < r->n_moved && k < NAMED; k++)
        text_printf(o, "%s%s from %.6g to %.6g", k ? ", " : "",
                    s->model->structure->entries.at[r->moved[k]].name, r->from[k], r->to[k]);
    if (r->n_moved > NAMED) text_printf(o, ", and %d more start values", r->n_moved - NAMED);
    text_char(o, '\n');
}

static void report_text(vinc_sim *s)
{
    if (s->equilibrium) {
        report_rest(s);
        return;
    }
    text *o = &s->out;
    vinc_sim_stats st;
    vinc_sim_statistics(s, &st);
    const structure *t = s->model->structure;
    text_printf(o, "%s: t = %g ... %g, %s\n", s->model->flat->name, s->options.t_start,
                s->done.t_end, status_word(s->done.status));
    if (s->done.status == VINC_TERMINATED && s->done.message.n)
        text_printf(o, "  end          %s\n", text_str(&s->done.message));
    text_printf(o, "  system       index %d, %d unknowns, %d given to the integrator\n", t->index,
                t->n_unknowns_written, run_problem(s->state)->n);
    if (t->constraints.n)
        text_printf(o, "  formulation  %s: %s\n", s->form->kind->name, s->form->kind->summary);
    text_printf(o, "  method       %s%s%s%s, tolerance %g\n", s->method ? s->method : "none yet",
                s->method_why ? " (chosen: " : "", s->method_why ? s->method_why : "",
                s->method_why ? ")" : "", s->options.rel_tol);
    if (s->init.n_moved > 0 && !s->init.given_consistent) report_start(s, o);
    text_printf(o,
                "  cost         %ld steps, %ld rejected, %ld evaluations, %ld Jacobians, %ld "
                "factorizations\n",
                st.steps, st.rejected, st.residual_evals, st.jacobian_evals, st.factorizations);
    if (s->n_singular)
        text_printf(o, "  singular     %d position%s crossed, the first at t = %.6g\n",
                    s->n_singular, s->n_singular > 1 ? "s" : "", s->t_singular);
    if (st.events) text_printf(o, "  events       %ld\n", st.events);
    const double *v = s->done.violation;
    if (t->constraints.n && v[0] >= 0) {
        text_printf(o, "  constraints  violated by at most %.2g (position)", v[0]);
        if (v[1] >= 0) text_printf(o, ", %.2g (velocity)", v[1]);
        if (v[2] >= 0) text_printf(o, ", %.2g (acceleration)", v[2]);
        text_char(o, '\n');
    }
    if (s->done.has_energy)
        text_printf(o, "  energy       %.9g at the start, changed by at most %.2g\n",
                    s->done.energy_start, s->done.energy_change);
    if (s->verified >= 0)
        text_printf(o, "  verified     differs from a run at %g by at most %.2g of its size (%s)\n",
                    0.1 * s->options.rel_tol, s->verified,
                    s->result.r->columns[s->verified_column].name);
    text_printf(o, "  time         %.1f ms to compile, %.1f ms to run\n",
                1e3 * (s->wall.parse + s->wall.flatten + s->wall.structure + s->wall.compile),
                1e3 * (s->wall.init + s->wall.integrate));
}

typedef struct report_job {
    vinc_sim *s;
    vinc_format format;
} report_job;

static int report(void *job)
{
    report_job *j = job;
    text_clear(&j->s->out);
    if (j->format == VINC_JSON) api_run_json(j->s, true, &j->s->out);
    else report_text(j->s);
    return VINC_OK;
}

const char *vinc_sim_report(vinc_sim *s, vinc_format format)
{
    if (!s || !s->ran || api_guarded(s->model->ctx, report, &(report_job){s, format}) != VINC_OK)
        return "";
    return text_str(&s->out);
}
