/* What a run did: `vincolo run`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_part.h"
#include "method/linear_choice.h"
#include "run/slide.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...) TOLD(vinc_run, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_run, __VA_ARGS__)
static const told_field index_fields[] = {
    FIELD(INT, "structural", index_structural),
    FIELD(INDEX, "numerical", index_numerical),
    {0},
};

static const told_field violation_fields[] = {
    FIELD(REAL, "position_max", position_max),
    FIELD(REAL, "velocity_max", velocity_max),
    FIELD(REAL, "acceleration_max", acceleration_max),
    {0},
};

static const told_field energy_fields[] = {
    FIELD(REAL, "initial", energy_initial),
    FIELD(REAL, "final", energy_final),
    FIELD(REAL, "max_change", energy_change),
    {0},
};

static const told_field equation_fields[] = {
    FIELD(INT, "n", n_equations),        FIELD(INT, "checked", n_equations_checked),
    FIELD(WORD, "unchecked", unchecked), FIELD(BOOL, "hold", equations_hold),
    FIELD(REAL, "residual", residual),   FIELD(WORD, "equation", residual_equation),
    FIELD(WORD, "file", residual_file),  FIELD(INT, "line", residual_line),
    FIELD(REAL, "t", t_residual),        {0},
};

static const told_field wall_fields[] = {
    FIELD(REAL, "parse", wall_parse),         FIELD(REAL, "flatten", wall_flatten),
    FIELD(REAL, "structure", wall_structure), FIELD(REAL, "compile", wall_compile),
    FIELD(REAL, "init", wall_init),           FIELD(REAL, "integrate", wall_integrate),
    FIELD(REAL, "total", wall_total),         {0},
};

static const told_field moved_fields[] = {
    TOLD(vinc_moved, WORD, "name", name),
    TOLD(vinc_moved, REAL, "from", from),
    TOLD(vinc_moved, REAL, "to", to),
    {0},
};

static const told_field rest_fields[] = {
    TOLD(vinc_value, WORD, "name", name),
    TOLD(vinc_value, REAL, "value", value),
    TOLD(vinc_value, WORD, "unit", unit),
    TOLD(vinc_value, WORD, "comment", comment),
    {0},
};

static const told_field rest_point_fields[] = {
    FIELD(WORD, "stability", rest_stability),
    FIELD(REAL, "growth", rest_growth),
    FIELD(WORD, "moved", rest_moved),
    FIELD(REAL, "from", rest_from),
    FIELD(REAL, "to", rest_to),
    {0},
};

#define USE(...) TOLD(vinc_method_use, __VA_ARGS__)
static const told_field use_fields[] = {
    USE(WORD, "method", method),
    USE(WORD, "why", why),
    USE(REAL, "t", t),
    USE(LONG, "steps", steps),
    {0},
};

#define SLIDE(...) TOLD(vinc_slide, __VA_ARGS__)
static const told_field slide_fields[] = {
    SLIDE(WORD, "condition", condition),
    SLIDE(REAL, "from", from),
    SLIDE(REAL, "to", to),
    {0},
};

#define INVARIANT(...) TOLD(vinc_invariant, __VA_ARGS__)
static const told_field invariant_fields[] = {
    INVARIANT(WORD, "name", name),
    INVARIANT(REAL, "start", start),
    INVARIANT(REAL, "end", end),
    INVARIANT(REAL, "change", change),
    INVARIANT(REAL, "t_change", t_change),
    INVARIANT(REAL, "relative", relative),
    INVARIANT(REAL, "rate", rate),
    INVARIANT(REAL, "t_rate", t_rate),
    INVARIANT(REAL, "t_jump", t_jump),
    INVARIANT(WORD, "by", by),
    {0},
};

const told_field study_run_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(WORD, "method", method),
    LIST(ROWS, "methods", methods, n_methods, .size = sizeof(vinc_method_use),
         .inside = use_fields),
    FIELD(INT, "methods_more", n_methods_more, .flags = TOLD_HIDDEN),
    FIELD(WORD, "formulation", formulation),
    FIELD(WORD, "formulation_why", formulation_why),
    FIELD(REAL, "t_end", t_end),
    FIELD(WORD, "status", status),
    FIELD(LONG, "steps", steps),
    FIELD(LONG, "rejected", rejected),
    FIELD(LONG, "residual_evals", residual_evals),
    FIELD(LONG, "jacobian_evals", jacobian_evals),
    FIELD(LONG, "factorizations", factorizations),
    FIELD(LONG, "newton_iterations", newton_iterations),
    FIELD(LONG, "events", events),
    FIELD(WORD, "linear", linear),
    FIELD(LONG, "linear_iterations", linear_iterations),
    FIELD(LONG, "products", products),
    FIELD(LONG, "preconditioners", preconditioners),
    FIELD(BOOL, "dissected", dissected, .flags = TOLD_HIDDEN),
    FIELD(WORD, "linear_stores", linear_stores, .flags = TOLD_HIDDEN),
    LIST(ROWS, "slides", slides, n_slides, .size = sizeof(vinc_slide), .inside = slide_fields),
    FIELD(INT, "slides_more", n_slides_more, .flags = TOLD_HIDDEN),
    TOLD_IN("index", index_fields),
    FIELD(INT, "dof", dof),
    TOLD_IN("constraint", violation_fields, .when = "constrained", .flags = TOLD_OR_NULL),
    TOLD_IN("energy", energy_fields, .when = "has_energy", .flags = TOLD_OR_NULL),
    LIST(ROWS, "invariants", invariants, n_invariants, .size = sizeof(vinc_invariant),
         .inside = invariant_fields),
    FIELD(REAL, "verify", verified, .when = "verify_variable"),
    TOLD_IN("equations", equation_fields, .when = "verify_variable"),
    TOLD_IN("wall_s", wall_fields),
    LIST(VALUES, "final", final_names, n_final, .also = offsetof(vinc_run, final_values),
         .flags = TOLD_BULKY),
    TOLD_IN("at_rest", rest_point_fields, .when = "at_rest.stability"),
    FIELD(WORD, "message", message),
    FIELD(WORD, "rest_words", rest_words, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "done", done, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_start", t_start, .flags = TOLD_HIDDEN),
    FIELD(REAL, "tolerance", tolerance, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_unknowns", n_unknowns, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_integrated", n_integrated, .flags = TOLD_HIDDEN),
    FIELD(WORD, "method_why", method_why, .flags = TOLD_HIDDEN),
    FIELD(WORD, "formulation_summary", formulation_summary, .flags = TOLD_HIDDEN),
    FIELD(WORD, "terminated_by", terminated_by, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "constrained", constrained, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "has_energy", has_energy, .flags = TOLD_HIDDEN),
    FIELD(WORD, "verify_variable", verified_variable, .flags = TOLD_HIDDEN),
    FIELD(REAL, "verify_tolerance", verified_tolerance, .flags = TOLD_HIDDEN),
    LIST(ROWS, "moved", moved, n_moved, .size = sizeof(vinc_moved), .inside = moved_fields,
         .flags = TOLD_HIDDEN),
    FIELD(INT, "moved_more", n_moved_more, .flags = TOLD_HIDDEN),
    FIELD(INT, "n_singular", n_singular, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_singular", t_singular, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "equilibrium", equilibrium, .flags = TOLD_HIDDEN),
    LIST(ROWS, "rest", rest, n_rest, .size = sizeof(vinc_value), .inside = rest_fields,
         .flags = TOLD_HIDDEN),
    {0},
};

/* A point of rest: every variable that could move, its value, what it is. */
static const told_line value_lines[] = {
    {.words = "  {name:%-12s} {value:%.10g}"},
    {.words = " {unit}", .when = "unit"},
    {.words = "   {comment}", .when = "comment"},
    {.words = "\n"},
    {0},
};

static const told_line rest_lines[] = {
    {.words = "{class}: {done?equilibrium|no equilibrium found}\n"},
    {.words = "  stability    {rest_words}\n", .when = "rest_words"},
    {.words =
         "  moved        {at_rest.moved} most, from {at_rest.from:%.6g} to {at_rest.to:%.6g}\n",
     .when = "at_rest.moved"},
    {.words = "  constraints  violated by at most {constraint.position_max:%.2g}\n",
     .when = "constraint.position_max"},
    {.words = "  energy       {energy.final:%.9g}\n", .when = "has_energy"},
    {.of = "rest", .inside = value_lines},
    {0},
};

static const told_line moved_lines[] = {
    {.words = "{name} from {from:%.6g} to {to:%.6g}"},
    {0},
};

static void say_time(const void *told, vinc_format format, text *o)
{
    const vinc_run *r = told;
    double run = r->wall_init + r->wall_integrate;
    (void)format;
    text_printf(o, "  time         %.1f ms to compile, %.1f ms to run\n",
                1e3 * (r->wall_parse + r->wall_flatten + r->wall_structure + r->wall_compile),
                1e3 * run);
}

static const told_line start_lines[] = {
    {.words = "  start        made consistent: "},
    {.of = "moved", .inside = moved_lines, .between = ", "},
    {.words = ", and {moved_more} more start values", .when = "moved_more"},
    {.words = "\n"},
    {0},
};

static const told_line violation_lines[] = {
    {.words = "  constraints  violated by at most {constraint.position_max:%.2g} (position)"},
    {.words = ", {constraint.velocity_max:%.2g} (velocity)", .when = "constraint.velocity_max"},
    {.words = ", {constraint.acceleration_max:%.2g} (acceleration)",
     .when = "constraint.acceleration_max"},
    {.words = "\n"},
    {0},
};

static const told_line equation_lines[] = {
    {.words = "  equations    {equations.hold?hold at every row|do not hold at every row}"},
    {.words = ": the largest residual is {equations.residual:%.2g} of what the tolerance allows",
     .when = "equations.residual"},
    {.words = " ({equations.equation}, line {equations.line}, t = {equations.t:%.6g})",
     .when = "equations.equation"},
    {.words =
         "; {equations.checked} of {equations.n} could be checked (not: {equations.unchecked})",
     .when = "equations.unchecked"},
    {.words = "\n"},
    {0},
};

/* One method alone is told by the line before. */
static void say_methods(const void *told, vinc_format format, text *o)
{
    const vinc_run *r = told;
    (void)format;
    for (int i = 0; i < r->n_methods && r->n_methods > 1; i++) {
        const vinc_method_use *u = &r->methods[i];
        text_printf(o, "               from t = %.6g: %s, %ld step%s (%s)\n", u->t, u->method,
                    u->steps, u->steps == 1 ? "" : "s", u->why);
    }
    if (r->n_methods_more) text_printf(o, "               and %d more\n", r->n_methods_more);
}

static const told_line slide_lines[] = {
    {.words = "  sliding      where {condition} switches, from t = {from:%.6g} to {to:%.6g}\n"},
    {0},
};

/* By invariant: how well it was kept, or who changed it. */
static void say_invariants(const void *told, vinc_format format, text *o)
{
    const vinc_run *r = told;
    (void)format;
    for (int i = 0; i < r->n_invariants; i++) {
        const vinc_invariant *x = &r->invariants[i];
        text_printf(o, "  %-12s %s: ", i ? "" : "invariants", x->name);
        if (!strcmp(x->by, "round-off")) {
            text_printf(o, "kept to %.2g of its size\n", x->relative);
            continue;
        }
        text_printf(o, "changed by at most %.3g (%.2g of its size), at t = %.6g", x->change,
                    x->relative, x->t_change);
        if (!strcmp(x->by, "model"))
            text_printf(o,
                        "; no invariant of this model, whose equations give it the rate %.4g at "
                        "t = %.6g\n",
                        x->rate, x->t_rate);
        else if (!strcmp(x->by, "event")) text_printf(o, "; by the event at t = %.6g\n", x->t_jump);
        else if (!strcmp(x->by, "method")) text_add(o, "; by the method: the equations keep it\n");
        else text_add(o, "; no function of states alone, so that it is not known by what\n");
    }
}

static const told_line motion_lines[] = {
    {.words = "{class}: t = {t_start} ... {t_end}, {status}\n"},
    {.words = "  end          {terminated_by}\n", .when = "terminated_by"},
    {.words =
         "  system       index {index.structural}, {n_unknowns} unknowns, {n_integrated} given "
         "to the integrator\n"},
    {.words = "  formulation  {formulation}", .when = "formulation_summary"},
    {.words = " (chosen: {formulation_why})", .when = "formulation_why"},
    {.words = ": {formulation_summary}\n", .when = "formulation_summary"},
    {.words = "  method       {method|none yet}"},
    {.words = " (chosen: {method_why})", .when = "method_why"},
    {.words = ", tolerance {tolerance}\n"},
    {.say = say_methods, .when = "methods"},
    {.inside = start_lines, .when = "moved"},
    {.words = "  cost         {steps} steps, {rejected} rejected, {residual_evals} evaluations, "
              "{jacobian_evals} Jacobians, {factorizations} factorizations\n"},
    {.words = "  linear       {linear}: {linear_iterations} iterations, {products} products, "
              "{preconditioners} preconditioners (stored: {linear_stores})\n",
     .when = "linear_stores"},
    {.words = "  linear       {linear}, unknowns ordered by nested dissection\n",
     .when = "dissected"},
    {.words = "  singular     {n_singular} position{n_singular?|s} crossed, the first at t = "
              "{t_singular:%.6g}\n",
     .when = "n_singular"},
    {.words = "  events       {events}\n", .when = "events"},
    {.of = "slides", .inside = slide_lines},
    {.words = "  sliding      {slides_more} more times\n", .when = "slides_more"},
    {.inside = violation_lines, .when = "constraint.position_max"},
    {.words = "  energy       {energy.initial:%.9g} at the start, changed by at most "
              "{energy.max_change:%.2g}\n",
     .when = "has_energy"},
    {.say = say_invariants, .when = "invariants"},
    {.words = "  verified     differs from a run at {verify_tolerance} by at most {verify:%.2g} of "
              "its size ({verify_variable})\n",
     .when = "verify_variable"},
    {.inside = equation_lines, .when = "verify_variable"},
    {.say = say_time},
    {0},
};

static const told_line run_lines[] = {
    {.inside = rest_lines, .when = "equilibrium"},
    {.inside = motion_lines, .unless = "equilibrium"},
    {0},
};

const told_kind study_run = {
    .name = "run",
    .command = "run",
    .summary = "what a run did: steps, evaluations, violations, energy, time, final values",
    .size = sizeof(vinc_run),
    .fields = study_run_fields,
    .lines = run_lines,
};

/* ---- the run --------------------------------------------------------------------------------- */

typedef struct run_told_job {
    vinc_sim *s;
    bool values;
    vinc_run **out;
} run_told_job;

static const char *status_word(int status)
{
    switch (status) {
    case VINC_OK: return "done";
    case VINC_STOPPED:
    case VINC_E_INTERRUPTED: return "interrupted";
    case VINC_TERMINATED: return "terminated";
    default: return "failed";
    }
}

static void take_cost(const vinc_sim *s, vinc_run *told)
{
    vinc_sim_stats n;
    vinc_sim_statistics(s, &n);
    told->steps = n.steps;
    told->rejected = n.rejected;
    told->residual_evals = n.residual_evals;
    told->jacobian_evals = n.jacobian_evals;
    told->factorizations = n.factorizations;
    told->newton_iterations = n.newton_iterations;
    told->events = n.events;
    told->linear_iterations = n.linear_iterations;
    told->products = n.products;
    told->preconditioners = n.preconditioners;
    told->dissected = n.dissected;
    method_linear linear;
    bool chosen = !s->linear && n.preconditioners; // factoring was far dearer
    bool known = method_linear_find(chosen ? "krylov" : s->linear, &linear, NULL);
    told->linear = s->linear          ? s->linear
                   : !chosen          ? "direct"
                   : n.factorizations ? "krylov (chosen), and direct where it stagnated"
                                      : "krylov (chosen: factors would cost far more)";
    told->linear_stores = known && linear.precond ? linear.precond->stores : NULL;
    told->wall_parse = n.wall_parse;
    told->wall_flatten = n.wall_flatten;
    told->wall_structure = n.wall_structure;
    told->wall_compile = n.wall_compile;
    told->wall_init = n.wall_init;
    told->wall_integrate = n.wall_integrate;
    told->wall_total = n.wall_parse + n.wall_flatten + n.wall_structure + n.wall_compile +
                       n.wall_init + n.wall_integrate;
}

/* The methods that were chosen, if it was not the user who named one. */
static void take_methods(const vinc_sim *s, arena *a, vinc_run *told)
{
    const sim_outcome *d = &s->done;
    told->n_methods = d->n_uses < SIM_USES_MAX ? d->n_uses : SIM_USES_MAX;
    told->n_methods_more = d->n_uses - told->n_methods;
    vinc_method_use *uses = arena_array(a, vinc_method_use, told->n_methods + 1);
    for (int k = 0; k < told->n_methods; k++) {
        const sim_use *u = &d->uses[k];
        long end = k + 1 < told->n_methods ? d->uses[k + 1].steps : d->stats.steps;
        uses[k] = (vinc_method_use){u->method, u->why, u->t, end - u->steps};
    }
    told->methods = uses;
}

/* Not more than some 60 bytes, whole characters. */
static const char *condition_words(const code_model *m, int relation, arena *a)
{
    enum { BYTES = 60 };
    const word_table *words = &m->words;
    const char *whole =
        relation < words->n_relations ? words->relations[relation].text : "a condition";
    size_t n = strlen(whole), at = BYTES;
    if (n <= BYTES) return whole;
    while (at && ((unsigned char)whole[at] & 0xC0) == 0x80) at--;
    char *x = arena_alloc(a, at + sizeof "...");
    memcpy(x, whole, at);
    return memcpy(x + at, "...", sizeof "..."), x;
}

/* Where it slid; the first few are told. */
static void take_slides(const vinc_sim *s, arena *a, vinc_run *told)
{
    enum { NAMED = 8 };
    slide_stretch list[SLIDE_STRETCHES];
    long n = slide_stretches(s->state, s->done.t_end, list);
    told->n_slides = n < NAMED ? (int)n : NAMED;
    told->n_slides_more = (int)n - told->n_slides;
    vinc_slide *slides = arena_array(a, vinc_slide, told->n_slides + 1);
    for (int k = 0; k < told->n_slides; k++)
        slides[k] =
            (vinc_slide){condition_words(s->code, list[k].relation, a), list[k].from, list[k].to};
    told->slides = slides;
}

static void take_values(const vinc_sim *s, arena *a, vinc_run *told)
{
    const result *r = s->result.r;
    const char **names = arena_array(a, const char *, r->n_columns + 1);
    double *values = arena_array(a, double, r->n_columns + 1);
    vinc_value *rest = arena_array(a, vinc_value, s->equilibrium ? r->n_columns + 1 : 1);
    bool last = r->n_rows > result_first_row(r); // it is in memory
    for (int c = 1; c < r->n_columns; c++) {
        const result_column *x = &r->columns[c];
        if (!last && !x->constant) continue;
        double value = result_value(r, c, last ? r->n_rows - 1 : 0);
        names[told->n_final] = x->name;
        values[told->n_final++] = value;
        if (!s->equilibrium || x->constant) continue;
        rest[told->n_rest++] = (vinc_value){.name = x->name,
                                            .unit = x->look->unit,
                                            .comment = x->look->comment,
                                            .value = value + 0.0}; // no -0
    }
    told->final_names = names;
    told->final_values = values;
    told->rest = rest;
}

/* What was moved to meet the constraints: the most moved by name. */
static void take_start(const vinc_sim *s, arena *a, vinc_run *told)
{
    const start_report *r = &s->init;
    enum { NAMED = 3 };
    if (r->given_consistent || !r->n_moved) return;
    told->n_moved = r->n_moved < NAMED ? r->n_moved : NAMED;
    told->n_moved_more = r->n_moved - told->n_moved;
    vinc_moved *moved = arena_array(a, vinc_moved, told->n_moved + 1);
    for (int k = 0; k < told->n_moved; k++)
        moved[k] = (vinc_moved){names_in(&s->code->names, r->called[k], r->times[k], a), r->from[k],
                                r->to[k]};
    told->moved = moved;
}

static void take_rest(const vinc_sim *s, vinc_run *told)
{
    static const char *const names[] = {"unknown", "stable", "neutral", "unstable"};
    static const char *const words[] = {
        "not decided: its eigenvalues are not known, or vanish at the point itself",
        "stable, proved by its eigenvalues: every small motion about it decays",
        ("not decided by its eigenvalues: to first order, small motions about it neither grow nor "
         "all "
         "decay (no friction, or something is conserved)"),
        "unstable, proved by its eigenvalues: a small motion away from it grows"};
    const vinc_problem *p = run_problem(s->state);
    told->rest_growth = told->rest_from = told->rest_to = NAN;
    if (!s->equilibrium || !told->done) return;
    told->rest_stability = names[s->rest.stability];
    told->rest_words = words[s->rest.stability];
    told->rest_growth = s->rest.growth;
    if (s->rest.moved < 0) return;
    told->rest_moved = p->unknown_name(p->user, s->rest.moved);
    told->rest_from = s->rest.from;
    told->rest_to = s->rest.to;
}

static void take_invariants(vinc_sim *s, arena *a, vinc_run *told)
{
    static const char *const who[] = {[SIM_KEPT] = "round-off",
                                      [SIM_BY_METHOD] = "method",
                                      [SIM_BY_MODEL] = "model",
                                      [SIM_BY_EVENT] = "event",
                                      [SIM_BY_UNKNOWN] = "unknown"};
    const vinc_problem *p = run_problem(s->state);
    const sim_outcome *d = &s->done;
    vinc_invariant *list = arena_array(a, vinc_invariant, d->n_invariants + 1);
    for (int i = 0; i < d->n_invariants; i++) {
        const sim_invariant *x = &d->invariants[i];
        list[i] = (vinc_invariant){.name = p->invariant_name(p->user, i),
                                   .start = x->start,
                                   .end = x->last,
                                   .change = x->change,
                                   .t_change = x->t_change,
                                   .relative = sim_invariant_relative(x),
                                   .rate = x->rate,
                                   .t_rate = isnan(x->rate) ? NAN : x->t_rate,
                                   .t_jump = x->jump != 0 ? x->t_jump : NAN,
                                   .by = who[sim_invariant_by(x, &s->options)]};
    }
    told->invariants = list;
    told->n_invariants = d->n_invariants;
}

static double violation_of(const sim_outcome *d, int level)
{
    return d->violation[level] < 0 ? NAN : d->violation[level];
}

static int tell_run(void *job)
{
    run_told_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    const sim_outcome *d = &s->done;
    const code_model *c = s->code;
    bool constrained = c->equations.n_derived > 0, verified = s->verified >= 0;
    const char *message = text_str(&d->message);
    vinc_run told = {.model = m->source,
                     .class_name = m->about.name,
                     .method = s->method,
                     .method_why = s->method_why,
                     .formulation = constrained ? c->summary.formulation : "none",
                     .formulation_summary = constrained ? c->summary.formulation_summary : NULL,
                     .formulation_why = constrained ? s->formulation_why : NULL,
                     .t_start = s->options.t_start,
                     .t_end = d->t_end,
                     .tolerance = s->options.rel_tol,
                     .code = d->status,
                     .done = d->status == VINC_OK,
                     .status = status_word(d->status),
                     .message = message,
                     .terminated_by = d->status == VINC_TERMINATED ? message : NULL,
                     .index_structural = c->formulation.index,
                     .index_numerical = -1,
                     .dof = c->summary.freedom,
                     .n_unknowns = c->summary.n_unknowns,
                     .n_integrated = run_problem(s->state)->n,
                     .constrained = constrained,
                     .position_max = violation_of(d, 0),
                     .velocity_max = violation_of(d, 1),
                     .acceleration_max = violation_of(d, 2),
                     .has_energy = d->has_energy,
                     .energy_initial = d->energy_start,
                     .energy_final = d->energy,
                     .energy_change = d->energy_change,
                     .verified = verified ? s->verified : NAN,
                     .verified_variable =
                         verified ? s->result.r->columns[s->verified_column].name : NULL,
                     .verified_tolerance = 0.1 * s->options.rel_tol,
                     .n_equations = s->recorded.n_claims,
                     .n_equations_checked = s->recorded.n_checked,
                     .unchecked = s->recorded.unchecked,
                     .equations_hold = s->recorded.worst <= INSPECT_ROW_LIMIT,
                     .residual = isfinite(s->recorded.worst) ? s->recorded.worst : NAN,
                     .residual_equation = s->recorded.claim,
                     .residual_file = s->recorded_file,
                     .residual_line = s->recorded_line,
                     .t_residual = s->recorded.t,
                     .n_singular = s->n_singular,
                     .t_singular = s->t_singular,
                     .equilibrium = s->equilibrium};
    if (m->part) { // of which this is one
        told.n_unknowns = m->part->n_written;
        told.n_integrated = told.dof = m->part->n_all;
    }
    arena *a = s->inner ? &m->ctx->scratch : &s->scratch;
    take_cost(s, &told);
    take_methods(s, a, &told);
    take_slides(s, a, &told);
    if (j->values) take_values(s, a, &told);
    take_rest(s, &told);
    take_start(s, a, &told);
    take_invariants(s, a, &told);
    return told_keep(&s->model->ctx->lasting, &study_run, &told, j->out);
}

static int not_made(void *job)
{
    vinc_sim *s = job;
    diag_error(s->sink, "C115", (span){0}, "the run has not been made: call vinc_sim_run first");
    return VINC_E_OPTION;
}

/* values: with the last ones of all columns. */
static int run_of(vinc_sim *s, bool values, vinc_run **out)
{
    if (out) *out = NULL;
    int rc = api_usable(s);
    if (rc || !out) return rc ? rc : api_lacks(s->model->ctx, "a place for the report");
    if (!s->ran) return api_told(s, api_run_guarded(s, not_made, s));
    rc = values ? api_bring_columns(s) : VINC_OK;
    if (!rc) rc = api_run_guarded(s, tell_run, &(run_told_job){s, values, out});
    return rc == VINC_E_MEMORY ? api_end_work(s->model->ctx, &s->watch, rc) : rc;
}

int vinc_run_of(vinc_sim *s, vinc_run **out)
{
    return run_of(s, true, out);
}

const char *vinc_sim_report(vinc_sim *s, vinc_format format)
{
    vinc_run *told = NULL;
    const char *out = "";
    bool values = format == VINC_JSON || (s && s->equilibrium); // of rest alone the text tells them
    int rc = s && s->ran ? run_of(s, values, &told) : VINC_E_OPTION;
    (void)study_say_sim(s, rc, told, format, &out);
    return out;
}
