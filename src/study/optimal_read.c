/* What is to be optimal, over what, subject to what: the model with all of it in it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/goal_words.h"
#include "study/optimal_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char EXTENDED[] = "VincoloOptimal__";
static const char END[] = "time"; // in --over: the end of the run
enum { PIECES_USUAL = 50, SIDES_MOST = 3 };

static int find_input(const vinc_model *m, const char *name)
{
    const structure *s = m->structure;
    for (int i = 0; i < s->inputs.n; i++)
        if (!strcmp(FLAT_NAME(m->flat, s->inputs.at[i]), name)) return i;
    return -1;
}

bool optimal_is_meant(const vinc_model *model, const vinc_goal_options *o, const fit_problem *parts)
{
    if (o->subject && o->subject[strspn(o->subject, " \t\n;")]) return true;
    for (int i = 0; i < parts->n_parameters; i++) {
        const char *name = parts->parameters[i].name;
        if (!strcmp(name, END) || find_input(model, name) >= 0) return true;
    }
    return false;
}

/* ---- constraints ----------------------------------------------------------------------------- */

typedef struct limit_words { // A <= B <= C
    const char *at[SIDES_MOST];
    size_t n[SIDES_MOST];
    char relation[SIDES_MOST]; // after each side: '<', '>', '='
    int sides;
} limit_words;

static bool split_relation(const char *p, const char *end, limit_words *w)
{
    int depth = 0;
    *w = (limit_words){.at = {p}, .sides = 1};
    for (; p < end; p++) {
        depth += (*p == '(' || *p == '[' || *p == '{') - (*p == ')' || *p == ']' || *p == '}');
        if (depth || !strchr("<>=", *p)) continue;
        if (w->sides == SIDES_MOST || (p + 1 < end && *p == '<' && p[1] == '>')) return false;
        w->relation[w->sides - 1] = *p;
        w->n[w->sides - 1] = (size_t)(p - w->at[w->sides - 1]);
        if (p + 1 < end && p[1] == '=') p++;
        w->at[w->sides++] = p + 1;
    }
    w->n[w->sides - 1] = (size_t)(end - w->at[w->sides - 1]);
    for (int i = 0; i < w->sides; i++) {
        const char *c = w->at[i];
        while (c < w->at[i] + w->n[i] && isspace((unsigned char)*c)) c++;
        if (c == w->at[i] + w->n[i]) return false;
    }
    return w->sides > 1 &&
           (w->sides == 2 || (w->relation[0] == w->relation[1] && w->relation[0] != '='));
}

static bool is_number(optimal *q, const char *p, size_t n, double *value)
{
    while (n && isspace((unsigned char)*p)) p++, n--;
    while (n && isspace((unsigned char)p[n - 1])) n--;
    return fit_number(arena_strndup(q->a, p, n), value);
}

typedef struct limit_job {
    optimal *q;
    goal_words *w;
    text *variables;
    const char *words;
} limit_job;

/* One constraint: `side` within [lower, upper], or `side` - `less`. */
static int add_limit(limit_job *j, const limit_words *w, int side, int less, double lower,
                     double upper)
{
    optimal *q = j->q;
    vinc_ctx *ctx = q->model->ctx;
    bool at_end = false;
    optimal_limit *l = &q->limits[q->n_limits];
    text *name = fit_words(q->parts);
    text_printf(name, "vincolo_limit%d", q->n_limits);
    *l = (optimal_limit){.words = j->words, .lower = lower, .upper = upper};
    l->variable = arena_strndup(q->a, text_str(name), name->n);
    text_printf(j->variables, "  Real %s = ", l->variable);
    int rc = goal_words_add(ctx, "--subject", w->at[side], w->n[side], j->w, j->variables, &at_end);
    if (less >= 0 && !rc) {
        text_add(j->variables, " - (");
        rc = goal_words_add(ctx, "--subject", w->at[less], w->n[less], j->w, j->variables, &at_end);
        text_add(j->variables, ")");
    }
    text_add(j->variables, ";\n");
    l->at_end = at_end;
    q->n_limits++;
    return rc;
}

static int read_limit(limit_job *j, const char *begin, const char *end)
{
    optimal *q = j->q;
    limit_words w;
    double side[SIDES_MOST];
    bool number[SIDES_MOST];
    j->words = arena_strndup(q->a, begin, (size_t)(end - begin));
    if (!split_relation(begin, end, &w))
        return fit_fail(q->model->ctx, "C206",
                        "--subject '%s' is no constraint: write A <= B, A >= B, A = B or "
                        "A <= B <= C, with ';' between them",
                        j->words);
    for (int i = 0; i < w.sides; i++) number[i] = is_number(q, w.at[i], w.n[i], &side[i]);
    int rc = VINC_OK, middle = w.sides == 3 ? 1 : number[0] && !number[1] ? 1 : 0;
    if (number[middle])
        return fit_fail(q->model->ctx, "C206", "--subject '%s': no variable occurs", j->words);
    double lower = -INFINITY, upper = INFINITY;
    for (int i = 0; i < w.sides && !rc; i++) {
        if (i == middle) continue;
        char r = w.relation[i < middle ? i : middle]; // between them
        bool below = (i < middle) == (r == '<');      // it is less than the middle
        if (number[i]) {
            if (r == '=' || below) lower = fmax(lower, side[i]);
            if (r == '=' || !below) upper = fmin(upper, side[i]);
            continue;
        }
        rc = add_limit(j, &w, middle, i, r == '=' || below ? 0 : -INFINITY,
                       r == '=' || !below ? 0 : INFINITY);
    }
    if (rc || (!isfinite(lower) && !isfinite(upper))) return rc;
    if (lower > upper)
        return fit_fail(q->model->ctx, "C206", "--subject '%s' cannot hold: %g is more than %g",
                        j->words, lower, upper);
    return add_limit(j, &w, middle, -1, lower, upper);
}

/* A control that is linear on pieces is within its bounds where it is so at their ends. */
static int limit_control(limit_job *j, const optimal_control *c)
{
    const char *name = c->of->name;
    limit_words w = {.at = {name}, .n = {strlen(name)}, .sides = 1};
    if (!isfinite(c->of->lower) && !isfinite(c->of->upper)) return VINC_OK;
    text *t = fit_words(j->q->parts);
    text_printf(t, "%s [%g, %g]", name, c->of->lower, c->of->upper);
    j->words = arena_strndup(j->q->a, text_str(t), t->n);
    return add_limit(j, &w, 0, -1, c->of->lower, c->of->upper);
}

static int read_limits(limit_job *j)
{
    optimal *q = j->q;
    const char *p = q->o->subject ? q->o->subject : "";
    int room = 2, rc = VINC_OK;
    for (const char *c = p; *c; c++) room += 2 * (*c == ';');
    q->limits = arena_array(q->a, optimal_limit, room + 2 + q->n_controls);
    while (*p && !rc) {
        const char *end = strchr(p, ';'), *begin = p;
        if (!end) end = p + strlen(p);
        while (begin < end && isspace((unsigned char)*begin)) begin++;
        if (begin < end) rc = read_limit(j, begin, end);
        p = *end ? end + 1 : end;
    }
    for (int i = 0; i < q->n_controls && q->linear && !rc; i++)
        rc = limit_control(j, &q->controls[i]);
    optimal_limit *sorted = arena_array(q->a, optimal_limit, q->n_limits + 1);
    int n = 0;
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < q->n_limits; i++)
            if (q->limits[i].at_end == end) sorted[n++] = q->limits[i];
        if (!end) q->n_path = n;
    }
    q->limits = sorted;
    return rc;
}

/* ---- controls and parameters ----------------------------------------------------------------- */

static int unknown_part(optimal *q, const char *name)
{
    const structure *s = q->model->structure;
    text *t = fit_words(q->parts);
    for (int i = 0; i < s->inputs.n; i++)
        text_printf(t, "%s%s", i ? ", " : "; inputs of it are ",
                    FLAT_NAME(q->model->flat, s->inputs.at[i]));
    return fit_fail(q->model->ctx, "C206",
                    "--over '%s': '%s' has no parameter, input or variable of that name%s", name,
                    q->model->flat->name, s->inputs.n ? text_str(t) : "; it has no inputs");
}

/* Controls become rates, and where they begin a parameter. */
static int make_linear(optimal *q)
{
    for (int i = 0; i < q->n_controls; i++) {
        optimal_control *c = &q->controls[i];
        fit_parameter *start = arena_new(q->a, fit_parameter);
        text *t = fit_words(q->parts);
        if (strpbrk(c->of->name, ".["))
            return fit_fail(
                q->model->ctx, "C206",
                "--controls linear: '%s' is part of an array or of a component; make an input of "
                "the model of it, or take --controls constant",
                c->of->name);
        *start = *c->of;
        text_printf(t, "vincolo_rate%d", i);
        c->name = arena_strndup(q->a, text_str(t), t->n);
        t = fit_words(q->parts);
        text_printf(t, "vincolo_start%d", i);
        start->name = arena_strndup(q->a, text_str(t), t->n);
        c->lower = -INFINITY, c->upper = INFINITY, c->start = 0;
        c->start_number = q->n_parameters;
        q->parameters[q->n_parameters++] = start;
    }
    return VINC_OK;
}

static void write_linear(const optimal *q, text *modification, text *states, text *equations)
{
    for (int i = 0; i < q->n_controls && q->linear; i++) {
        const optimal_control *c = &q->controls[i];
        text_printf(modification, "%s%s = vincolo_control%d", i ? ", " : "(", c->of->name, i);
        text_printf(states,
                    "  parameter Real vincolo_start%d = %.17g;\n  input Real vincolo_rate%d;\n"
                    "  Real vincolo_control%d(start = vincolo_start%d, fixed = true);\n",
                    i, c->of->value, i, i, i);
        text_printf(equations, "  der(vincolo_control%d) = vincolo_rate%d;\n", i, i);
    }
    if (q->n_controls && q->linear) text_add(modification, ")");
}

static int sort_parts(optimal *q)
{
    const fit_problem *parts = q->parts;
    q->controls = arena_array(q->a, optimal_control, parts->n_parameters + 1);
    q->parameters = arena_array(q->a, const fit_parameter *, 2 * parts->n_parameters + 1);
    for (int i = 0; i < parts->n_parameters; i++) {
        const fit_parameter *f = &parts->parameters[i];
        int input = find_input(q->model, f->name);
        if (!strcmp(f->name, END)) {
            q->free_end = true;
            q->t_stop = f->value;
            q->stop_lower = f->lower;
            q->stop_upper = f->upper;
        } else if (input >= 0) {
            q->controls[q->n_controls++] = (optimal_control){.name = f->name,
                                                             .lower = f->lower,
                                                             .upper = f->upper,
                                                             .start = f->value,
                                                             .of = f,
                                                             .input = input};
        } else if (!fit_in_model(parts, f->name)) {
            return unknown_part(q, f->name);
        } else q->parameters[q->n_parameters++] = f;
    }
    q->n_named = q->n_parameters;
    int rc = q->linear ? make_linear(q) : VINC_OK;
    if (rc) return rc;
    if (q->n_controls + q->n_parameters) return VINC_OK;
    return fit_fail(q->model->ctx, "C206",
                    "--over names the end time alone: name a control (an input of the model) or a "
                    "parameter, too");
}

static int open_sim(optimal *q)
{
    vinc_sim_options o = q->o->run ? *q->o->run : (vinc_sim_options){0};
    const image_about *e = &q->model->about;
    text *names = fit_words(q->parts);
    for (int i = 0; i < q->n_controls; i++)
        text_printf(names, "%s%s", i ? "," : "", q->controls[i].name);
    for (int i = 0; i < q->n_parameters; i++)
        text_printf(names, "%s%s", names->n ? "," : "", q->parameters[i]->name);
    o.has_start = 1;
    o.t_start = goal_words_start(q->o->run, e);
    o.no_sens_control = 1; // of the steps that are made
    if (!o.has_stop && !isnan(e->stop)) o.has_stop = 1, o.t_stop = e->stop;
    if (q->free_end) o.has_stop = 1, o.t_stop = q->t_stop;
    if (!(o.rel_tol > 0) && e->tolerance > 0) o.rel_tol = e->tolerance;
    o.sens = text_str(names);
    o.vars = "vincolo_goal";
    o.intervals = 1;
    return vinc_sim_new(q->extended, &o, &q->sim);
}

/* Does it depend on anything? */
static bool output_moves(const optimal *q, int output)
{
    tape_ref from = code_output_from(&run_model(q->sim->state)->outputs, output);
    const code_variation *code = vary_of(q->sim->state)->code;
    int at = tape_index_of(from);
    if (tape_kind_of(from) == TAPE_P) return code->p_column[at] != 0;
    if (tape_kind_of(from) == TAPE_W) return code->w_column[at] != 0;
    if (tape_kind_of(from) != TAPE_OUT) return tape_kind_of(from) != TAPE_CONST;
    const code_varied *f = &code->of[CODE_V_COMPUTED];
    for (int e = 0; f->program && e < f->pattern.nnz; e++)
        if (f->pattern.row[e] == at) return true;
    return false;
}

/* The output of a variable of the extended model; -1: it is a constant. */
static int find_output(const optimal *q, const char *name, double *sign)
{
    int k = code_find_column(q->sim->code, name);
    if (k < 0) return -1;
    code_column of = code_column_in(&q->sim->code->outputs, k);
    *sign = of.alias < 0 ? -1 : 1;
    if (of.alias) of = code_column_in(&q->sim->code->outputs, of.at);
    return of.constant || !output_moves(q, code_output_of(of)) ? -1 : code_output_of(of);
}

static int find_outputs(optimal *q)
{
    q->goal = find_output(q, "vincolo_goal", &q->goal_sign);
    if (q->goal < 0)
        return fit_fail(q->model->ctx, "C199", "--goal '%s': it is the same whatever the run does",
                        q->o->goal);
    if (q->o->maximize) q->goal_sign = -q->goal_sign;
    for (int i = 0; i < q->n_limits; i++) {
        q->limits[i].output = find_output(q, q->limits[i].variable, &q->limits[i].sign);
        if (q->limits[i].output < 0)
            return fit_fail(q->model->ctx, "C206",
                            "--subject '%s': it is the same whatever the run does; bounds of "
                            "parameters stand in --over: 'k = 1 [0.1, 10]'",
                            q->limits[i].words);
    }
    return VINC_OK;
}

/* Why pieces of runs cannot be put together. */
static const char *cannot(const optimal *q)
{
    const code_model *m = run_model(q->s);
    if (code_has_events(&m->events))
        return "the model has events; write what switches as smooth functions, or optimize "
               "parameters alone";
    if (q->p->project || q->p->reselect || q->p->regularity)
        return "its states are selected anew while it runs, for it has constraints of a higher "
               "index; write it in minimal coordinates";
    return q->p->residual && q->p->jacobian ? NULL
                                            : "its equations are not given as F(t, y, y') = 0";
}

int optimal_read(optimal *q)
{
    vinc_ctx *ctx = q->model->ctx;
    text *states = q->texts[0], *equations = q->texts[1], *variables = q->texts[2],
         *all = q->texts[3];
    goal_words w = {.states = states,
                    .equations = equations,
                    .t_start = goal_words_start(q->o->run, &q->model->about)};
    limit_job j = {.q = q, .w = &w, .variables = variables};
    const char *shape = q->o->controls;
    q->linear = shape && !strcmp(shape, "linear");
    if (shape && !q->linear && strcmp(shape, "constant") != 0)
        return fit_fail(ctx, "C206", "--controls '%s': they are constant or linear on pieces",
                        shape);
    int rc = sort_parts(q);
    if (!rc) rc = read_limits(&j);
    text_printf(variables, "  Real vincolo_goal = ");
    if (!rc)
        rc = goal_words_add(ctx, "--goal", q->o->goal, strlen(q->o->goal), &w, variables, NULL);
    text *modification = fit_words(q->parts);
    write_linear(q, modification, states, equations);
    text_printf(all, "model %s\n  extends %s%s;\n%s%s;\nequation\n%send %s;\n", EXTENDED,
                q->model->flat->name, text_str(modification), text_str(states), text_str(variables),
                text_str(equations), EXTENDED);
    if (!rc)
        rc =
            api_model_extend(q->model, "the goal and its constraints", all, EXTENDED, &q->extended);
    if (!rc) rc = open_sim(q);
    if (rc) return rc;
    for (int i = 0; i < q->n_controls; i++)
        q->controls[i].input = find_input(q->extended, q->controls[i].name);
    q->s = q->sim->state;
    q->p = run_problem(q->s);
    q->n = q->p->n;
    q->pieces = q->o->pieces > 0 ? q->o->pieces : PIECES_USUAL;
    q->t_start = q->sim->options.t_start;
    q->t_stop = q->sim->options.t_stop;
    if (!(q->t_stop > q->t_start) || (q->free_end && !(q->stop_lower > q->t_start)))
        return fit_fail(ctx, "C206",
                        "the end of the run must lie after its start, t = %g, wherever it may be: "
                        "--over 'time = %g [%g, %g]'",
                        q->t_start, q->t_start + 1, q->t_start + 0.1, q->t_start + 10);
    const char *why = cannot(q);
    if (why)
        return fit_fail(ctx, "C206", "'%s' cannot be optimized piece by piece: %s",
                        q->model->flat->name, why);
    return find_outputs(q);
}
