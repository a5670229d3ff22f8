/* The structure report of `vincolo check`, in words and as JSON.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "base/map.h"
#include "told/json.h"

#include <math.h>
#include <string.h>

typedef struct check_job {
    vinc_sim *s;
    vinc_format format;
    inspect_report c;
} check_job;

static place where(const vinc_sim *s, span at)
{
    return source_place(&s->model->ctx->library.sources, at.begin);
}

static void check_json(check_job *j)
{
    const inspect_report *c = &j->c;
    json o = {&j->s->model->out, true};
    json_open(&o, NULL, '{');
    json_text(&o, "model", j->s->model->source);
    json_text(&o, "class", j->s->model->flat->name);
    json_open(&o, "index", '{');
    json_int(&o, "structural", c->index_structural);
    if (c->index_numerical >= 0) json_int(&o, "numerical", c->index_numerical);
    else json_null(&o, "numerical");
    json_text(&o, "reason", c->numerical_reason);
    json_close(&o, '}');
    json_int(&o, "dof", c->dof);
    json_int(&o, "n_unknowns", c->n_unknowns);
    json_int(&o, "n_equations", c->n_equations);
    json_int(&o, "n_parameters", c->n_parameters);
    json_int(&o, "n_states", c->n_states);
    json_open(&o, "states", '[');
    for (int i = 0; i < c->n_states; i++) json_text(&o, NULL, c->states[i]);
    json_close(&o, ']');
    json_text(&o, "selection", c->selection);
    json_open(&o, "constraints", '[');
    for (int i = 0; i < c->n_constraints; i++) {
        place p = where(j->s, c->constraints[i].at);
        json_open(&o, NULL, '{');
        json_int(&o, "level", c->constraints[i].level);
        json_text(&o, "equation", c->constraints[i].equation);
        json_text(&o, "file", p.file ? p.file->path : NULL);
        json_int(&o, "line", p.line);
        json_close(&o, '}');
    }
    json_close(&o, ']');
    json_bool(&o, "consistent", c->consistent);
    json_real(&o, "inconsistency", c->inconsistency);
    json_text(&o, "form", c->form);
    json_real(&o, "condition", c->form_condition);
    json_open(&o, "blocks", '[');
    for (int i = 0; i < c->n_blocks; i++) json_int(&o, NULL, c->blocks[i]);
    json_close(&o, ']');
    json_text(&o, "message", c->form_reason ? c->form_reason : "");
    json_close(&o, '}');
    text_char(o.out, '\n');
}

/* Is a constraint listed by its component, without its equation? */
static bool is_grouped(const check_job *j, const inspect_constraint *k)
{
    return j->format == VINC_TEXT && *k->of;
}

static void list_constraints(check_job *j, bool hidden, const char *title)
{
    text *o = &j->s->model->out;
    bool any = false;
    for (int i = 0; i < j->c.n_constraints; i++) {
        const inspect_constraint *k = &j->c.constraints[i];
        if ((k->level > 0) != hidden || is_grouped(j, k)) continue;
        place p = where(j->s, k->at);
        if (!any) text_printf(o, "%s\n", title);
        any = true;
        if (hidden) text_printf(o, "    level %d   ", k->level);
        else text_add(o, "    ");
        text_add(o, k->equation);
        if (p.file) text_printf(o, "   (%s:%d)", p.file->path, p.line);
        text_char(o, '\n');
    }
}

/* A component: so many constraints as written, each with the derivatives that are hidden in it. */
typedef struct component {
    const char *name;
    int written, deepest;
} component;

static void list_component(check_job *j, const component *x)
{
    enum { LEVELS = 3 };
    static const char *const names[] = {"positions", "velocities", "accelerations"};
    text *o = &j->s->model->out;
    text_printf(o, "    %-15s %d", x->name, x->written);
    if (j->c.index_structural == 3 && x->deepest < LEVELS)
        for (int k = 0; k <= x->deepest; k++) text_printf(o, "%s%s", k ? ", " : " on ", names[k]);
    else text_printf(o, ", with %d derivative%s", x->deepest, x->deepest == 1 ? "" : "s");
    text_char(o, '\n');
}

static void list_components(check_job *j)
{
    const inspect_report *c = &j->c;
    text *o = &j->s->model->out;
    ARRAY(component) list = {0};
    int written = 0, hidden = 0;
    map number; // of a component, + 1; names are interned
    map_init(&number, &j->s->a);
    for (int i = 0; i < c->n_constraints; i++) {
        const inspect_constraint *k = &c->constraints[i];
        if (!is_grouped(j, k)) continue;
        uint64_t *at = map_put(&number, map_key(k->of));
        if (!*at) {
            array_push(&j->s->a, &list, ((component){.name = k->of}));
            *at = (uint64_t)list.n;
        }
        component *x = &list.at[*at - 1];
        x->written += k->level == 0;
        if (k->level > x->deepest) x->deepest = k->level;
        written += k->level == 0;
        hidden += k->level > 0;
    }
    if (list.n) text_add(o, "  constraints of components, and what is hidden in them\n");
    for (int i = 0; i < list.n; i++) list_component(j, &list.at[i]);
    if (written)
        text_printf(o,
                    "    together        %d, and %d hidden; 'check --all' lists their equations\n",
                    written, hidden);
}

// Sizes of blocks as "12 of size 1, 2 of size 3".
static void list_blocks(const inspect_report *c, text *o, arena *a)
{
    text_add(o, "  blocks          ");
    int largest = 0;
    for (int i = 0; i < c->n_blocks; i++)
        if (c->blocks[i] > largest) largest = c->blocks[i];
    int *count = arena_array(a, int, largest + 1);
    for (int i = 0; i < c->n_blocks; i++) count[c->blocks[i]]++;
    bool any = false;
    for (int size = 1; size <= largest; size++) {
        if (!count[size]) continue;
        text_printf(o, "%s%d of size %d", any ? ", " : "", count[size], size);
        any = true;
    }
    text_add(o, any ? "\n" : "none\n");
}

static void check_text(check_job *j)
{
    const inspect_report *c = &j->c;
    text *o = &j->s->model->out;
    text_printf(o, "%s\n", j->s->model->flat->name);
    text_printf(o, "  size            %d unknowns, %d equations, %d parameters\n", c->n_unknowns,
                c->n_equations, c->n_parameters);
    text_printf(o, "  index           %d by structure", c->index_structural);
    if (c->index_numerical >= 0)
        text_printf(o, ", %d by numbers at the initial point", c->index_numerical);
    text_char(o, '\n');
    if (c->numerical_reason) text_printf(o, "                  %s\n", c->numerical_reason);
    text_printf(o, "  form            %s", c->form);
    if (isfinite(c->form_condition)) text_printf(o, " (condition %.3g)", c->form_condition);
    if (c->form_reason && *c->form_reason) text_printf(o, ": %s", c->form_reason);
    text_char(o, '\n');
    text_printf(o, "  freedom         %d\n", c->dof);
    text_add(o, "  states          ");
    for (int i = 0; i < c->n_states; i++) text_printf(o, "%s%s", i ? ", " : "", c->states[i]);
    if (strcmp(c->selection, "dynamic") == 0) text_add(o, "   (chosen anew while running)");
    text_add(o, c->n_states ? "\n" : "none\n");
    list_constraints(j, false, "  constraints");
    list_constraints(j, true, "  hidden constraints");
    list_components(j);
    text_clear(&j->s->why);
    if (structure_list_open(j->s->model->structure, &j->s->why))
        text_printf(o, "  open            nothing is connected to %s\n", text_str(&j->s->why));
    text_printf(o, "  start values    %s", c->consistent ? "consistent" : "not consistent");
    if (!c->consistent)
        text_printf(o, ": an equation is violated by %.3g; a run makes them consistent",
                    c->inconsistency);
    text_char(o, '\n');
    list_blocks(c, o, &j->s->a);
}

static int check(void *job)
{
    check_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    int rc = run_begin(s->state, s->options.t_start, &s->why);
    if (rc) return api_report(s, rc, "R100");
    rc = inspect_model(s->state, s->options.t_start, &s->a, &j->c, &m->ctx->diags);
    if (rc) return rc;
    text_clear(&m->out);
    if (j->format == VINC_JSON) check_json(j);
    else check_text(j);
    return VINC_OK;
}

int vinc_model_check(vinc_model *model, vinc_format format, const char **report)
{
    *report = "";
    if (!model) return VINC_E_MEMORY;
    vinc_sim *s = NULL;
    int rc = api_sim_new(model, NULL, &s);
    if (!rc) rc = api_guarded(model->ctx, check, &(check_job){.s = s, .format = format});
    if (!rc) *report = text_str(&model->out);
    vinc_sim_free(s);
    return rc;
}

static int semi_explicit(void *job)
{
    vinc_model *m = job;
    text_clear(&m->out);
    flat_print(flat_semi_explicit(m->flat, &m->a, &m->ctx->scratch), &m->out);
    return VINC_OK;
}

int vinc_model_semi_explicit(vinc_model *model, const char **out)
{
    *out = "";
    if (!model) return VINC_E_MEMORY;
    int rc = api_guarded(model->ctx, semi_explicit, model);
    if (!rc) *out = text_str(&model->out);
    return rc;
}
