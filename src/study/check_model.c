/* What a model is: `vincolo check`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...) TOLD(vinc_check, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_check, __VA_ARGS__)
static const told_field index_fields[] = {
    FIELD(INT, "structural", index_structural),
    FIELD(INDEX, "numerical", index_numerical),
    FIELD(WORD, "reason", index_reason),
    {0},
};

static const told_field constraint_fields[] = {
    TOLD(vinc_constraint, INT, "level", level),
    TOLD(vinc_constraint, WORD, "equation", equation),
    TOLD(vinc_constraint, WORD, "file", file),
    TOLD(vinc_constraint, INT, "line", line),
    TOLD(vinc_constraint, WORD, "of", of, .flags = TOLD_HIDDEN),
    {0},
};

static const told_field component_fields[] = {
    TOLD(vinc_component, WORD, "name", name),
    TOLD(vinc_component, INT, "written", written),
    TOLD(vinc_component, INT, "hidden", hidden),
    TOLD(vinc_component, INT, "deepest", deepest),
    {0},
};

static const told_field check_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    TOLD_IN("index", index_fields),
    FIELD(INT, "dof", dof),
    FIELD(INT, "surplus", n_surplus),
    FIELD(INT, "n_unknowns", n_unknowns),
    FIELD(INT, "n_equations", n_equations),
    FIELD(INT, "n_parameters", n_parameters),
    FIELD(INT, "n_states", n_states),
    LIST(WORDS, "states", states, n_states),
    FIELD(WORD, "selection", selection),
    LIST(ROWS, "constraints", constraints, n_constraints, .size = sizeof(vinc_constraint),
         .inside = constraint_fields),
    FIELD(WORD, "locked", locked),
    FIELD(WORD, "labile", labile),
    FIELD(BOOL, "consistent", consistent),
    FIELD(REAL, "inconsistency", inconsistency),
    FIELD(WORD, "form", form),
    FIELD(REAL, "condition", form_condition),
    LIST(INTS, "blocks", blocks, n_blocks),
    FIELD(WORD, "message", form_reason),
    LIST(ROWS, "components", components, n_components, .size = sizeof(vinc_component),
         .inside = component_fields, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "dynamic", chosen_anew, .flags = TOLD_HIDDEN),
    FIELD(WORD, "open", unconnected, .flags = TOLD_HIDDEN),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void list_constraints(const vinc_check *c, vinc_format format, bool hidden,
                             const char *title, text *o)
{
    bool any = false;
    for (int i = 0; i < c->n_constraints; i++) {
        const vinc_constraint *k = &c->constraints[i];
        if ((k->level > 0) != hidden || (format == VINC_TEXT && *k->of)) continue;
        if (!any) text_printf(o, "%s\n", title);
        any = true;
        if (hidden) text_printf(o, "    level %d   ", k->level);
        else text_add(o, "    ");
        text_add(o, k->equation);
        if (k->file) text_printf(o, "   (%s:%d)", k->file, k->line);
        text_char(o, '\n');
    }
}

static void list_component(const vinc_check *c, const vinc_component *x, text *o)
{
    enum { LEVELS = 3 };
    static const char *const names[] = {"positions", "velocities", "accelerations"};
    text_printf(o, "    %-15s %d", x->name, x->written);
    if (c->index_structural == 3 && x->deepest < LEVELS)
        for (int k = 0; k <= x->deepest; k++) text_printf(o, "%s%s", k ? ", " : " on ", names[k]);
    else text_printf(o, ", with %d derivative%s", x->deepest, x->deepest == 1 ? "" : "s");
    text_char(o, '\n');
}

/* Constraints of components are listed by component, unless all are asked for. */
static void say_constraints(const void *told, vinc_format format, text *o)
{
    const vinc_check *c = told;
    int written = 0, hidden = 0;
    list_constraints(c, format, false, "  constraints", o);
    list_constraints(c, format, true, "  hidden constraints", o);
    if (format != VINC_TEXT || !c->n_components) return;
    text_add(o, "  constraints of components, and what is hidden in them\n");
    for (int i = 0; i < c->n_components; i++) {
        list_component(c, &c->components[i], o);
        written += c->components[i].written;
        hidden += c->components[i].hidden;
    }
    if (written)
        text_printf(o,
                    "    together        %d, and %d hidden; 'check --all' lists their equations\n",
                    written, hidden);
}

// Sizes of blocks as "12 of size 1, 2 of size 3".
static void say_blocks(const void *told, vinc_format format, text *o)
{
    const vinc_check *c = told;
    (void)format;
    for (int size = 0, next = 0;; size = next) {
        int count = 0;
        next = 0;
        for (int i = 0; i < c->n_blocks; i++) {
            count += c->blocks[i] == size;
            if (c->blocks[i] > size && (!next || c->blocks[i] < next)) next = c->blocks[i];
        }
        if (size) text_printf(o, "%d of size %d%s", count, size, next ? ", " : "\n");
        if (!next) break;
    }
}

static const told_line check_lines[] = {
    {.words = "{class}\n"
              "  size            {n_unknowns} unknowns, {n_equations} equations, {n_parameters} "
              "parameters\n"
              "  index           {index.structural} by structure"},
    {.words = ", {index.numerical} by numbers at the initial point", .when = "index.numerical"},
    {.words = "\n"},
    {.words = "                  {index.reason}\n", .when = "index.reason"},
    {.words = "  form            {form}"},
    {.words = " (condition {condition:%.3g})", .when = "condition"},
    {.words = ": {message}", .when = "message"},
    {.words = "\n  freedom         {dof}"},
    {.words = " (surplus constraints: {surplus})", .when = "surplus"},
    {.words = "\n  states          {states|none}"},
    {.words = "   (chosen anew while running)", .when = "dynamic"},
    {.words = "\n"},
    {.say = say_constraints},
    {.words = "  locked          {locked}\n", .when = "locked"},
    {.words = "  labile          {labile}\n", .when = "labile"},
    {.words = "  open            nothing is connected to {open}\n", .when = "open"},
    {.words = "  start values    {consistent?consistent|not consistent}"},
    {.words = ": an equation is violated by {inconsistency:%.3g}; a run makes them consistent",
     .unless = "consistent"},
    {.words = "\n  blocks          "},
    {.say = say_blocks, .when = "blocks"},
    {.words = "none\n", .unless = "blocks"},
    {0},
};

const told_kind study_check = {
    .name = "check",
    .command = "check",
    .summary = "what a model is: index, constraints, freedom, states, blocks",
    .size = sizeof(vinc_check),
    .fields = check_fields,
    .lines = check_lines,
};

/* ---- the analysis ---------------------------------------------------------------------------- */

typedef struct check_job {
    vinc_sim *s;
    vinc_check **out;
} check_job;

static void take_constraints(vinc_sim *s, const inspect_report *c, vinc_check *told)
{
    vinc_constraint *list = arena_array(&s->a, vinc_constraint, c->n_constraints + 1);
    for (int i = 0; i < c->n_constraints; i++) {
        const inspect_constraint *k = &c->constraints[i];
        place p = source_place(&s->model->ctx->library.sources, k->at.begin);
        list[i] = (vinc_constraint){.level = k->level,
                                    .equation = k->equation,
                                    .of = k->of,
                                    .file = p.file ? p.file->path : NULL,
                                    .line = p.line};
    }
    told->n_constraints = c->n_constraints;
    told->constraints = list;
}

/* Components in the order of their first constraint. */
static void take_components(vinc_sim *s, const inspect_report *c, vinc_check *told)
{
    ARRAY(vinc_component) list = {0};
    map number; // of a component, + 1; names are interned
    map_init(&number, &s->a);
    for (int i = 0; i < c->n_constraints; i++) {
        const inspect_constraint *k = &c->constraints[i];
        if (!*k->of) continue;
        uint64_t *at = map_put(&number, map_key(k->of));
        if (!*at) {
            array_push(&s->a, &list, ((vinc_component){.name = k->of}));
            *at = (uint64_t)list.n;
        }
        vinc_component *x = &list.at[*at - 1];
        x->written += k->level == 0;
        x->hidden += k->level > 0;
        if (k->level > x->deepest) x->deepest = k->level;
    }
    told->n_components = list.n;
    told->components = list.at;
}

static int tell_check(void *job)
{
    check_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    inspect_report c;
    watch_doing(&m->ctx->watch, "checking", m->flat->name);
    int rc = api_begin(s);
    if (rc) return rc;
    rc = inspect_model(s->state, s->options.t_start, &s->a, &c, &m->ctx->diags);
    if (rc) return rc;
    vinc_check told = {.model = m->source,
                       .class_name = m->flat->name,
                       .index_structural = c.index_structural,
                       .index_numerical = c.index_numerical,
                       .index_reason = c.numerical_reason,
                       .dof = c.dof + c.surplus,
                       .n_surplus = c.surplus,
                       .n_unknowns = c.n_unknowns,
                       .n_equations = c.n_equations,
                       .n_parameters = c.n_parameters,
                       .n_states = c.n_states,
                       .states = c.states,
                       .selection = c.selection,
                       .chosen_anew = strcmp(c.selection, "dynamic") == 0,
                       .locked = c.locked,
                       .labile = c.labile,
                       .consistent = c.consistent,
                       .inconsistency = c.inconsistency,
                       .form = c.form,
                       .form_reason = c.form_reason ? c.form_reason : "",
                       .form_condition = c.form_condition,
                       .n_blocks = c.n_blocks,
                       .blocks = c.blocks,
                       .unconnected = s->code->summary.open};
    take_constraints(s, &c, &told);
    take_components(s, &c, &told);
    return told_keep(&m->ctx->lasting, &study_check, &told, j->out);
}

int vinc_check_of(vinc_model *model, vinc_check **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_sim *s = NULL;
    int rc = api_sim_new(model, NULL, &s);
    if (!rc) rc = api_guarded(model->ctx, tell_check, &(check_job){s, out});
    vinc_sim_free(s);
    return rc;
}

int vinc_model_check(vinc_model *model, vinc_format format, const char **out)
{
    vinc_check *told = NULL;
    int rc = vinc_check_of(model, &told);
    return study_say(model, rc, told, format, out);
}

static int print_semi_explicit(void *job)
{
    vinc_model *m = job;
    text_clear(&m->out);
    flat_print(flat_semi_explicit(m->flat, &m->a, &m->ctx->scratch), &m->out);
    return VINC_OK;
}

int vinc_model_semi_explicit(vinc_model *model, const char **out)
{
    if (out) *out = "";
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the text");
    int rc = api_guarded(model->ctx, print_semi_explicit, model);
    if (!rc) *out = text_str(&model->out);
    return rc;
}

static int print_ode(void *job)
{
    vinc_model *m = job;
    const expr *kept = NULL;
    const char *why = NULL;
    int n = 0;
    const flat_model *ode = flat_underlying_ode(m->flat, &m->a, &m->ctx->scratch, &kept, &n, &why);
    if (!ode) {
        diag_error(&m->ctx->diags, "C179", m->at, "the ODE under '%s' is not found: %s",
                   m->flat->name, why);
        return VINC_E_MODEL;
    }
    text_clear(&m->out);
    flat_print(ode, &m->out);
    expr_pool named = *ode->pool; // it has variables that the model has not
    named.context.user = (void *)ode;
    if (n) text_add(&m->out, "// Its solutions keep, if they hold at the start:\n");
    for (int i = 0; i < n; i++) {
        text_add(&m->out, "//   0 = ");
        expr_print(&named, kept[i], EXPR_MODELICA, 0, &m->out);
        text_add(&m->out, "\n");
    }
    return VINC_OK;
}

int vinc_model_ode(vinc_model *model, const char **out)
{
    if (out) *out = "";
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the text");
    int rc = api_guarded(model->ctx, print_ode, model);
    if (!rc) *out = text_str(&model->out);
    return rc;
}
