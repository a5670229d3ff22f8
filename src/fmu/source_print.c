/* A model as C.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source_print.h"

#include "fmu/source/source_model.h"
#include "run/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SOURCE_UNKNOWNS_MAX = 1000 }; // matrices are dense: a step of more would take seconds

typedef struct source_printer {
    vinc_sim *sim;
    const code_model *m;
    const structure *s;
    arena *a;
    text *out;
    size_t scratch;
} source_printer;

/* ---- what cannot be printed ------------------------------------------------------------------ */

static const tape_function *called(const tape *t)
{
    return t && t->n_calls ? t->calls[0].fn : NULL;
}

static const tape_function *called_by(const code_fn *f)
{
    const tape_function *fn = NULL;
    for (int k = 0; f->program && k < f->program->n_steps && !fn; k++)
        fn = called(f->program->steps[k].kernel);
    return fn;
}

static const tape_function *called_by_cells(const code_cells *c)
{
    const tape_function *fn = NULL;
    for (int k = 0; k < c->n && !fn; k++) fn = called(c->program[k]);
    return fn;
}

/* The functions that are printed, with the member of source_model that each becomes. */
typedef struct printed_part {
    const char *name;
    const code_fn *f;
} printed_part;
enum { N_PARTS = 18 };
static void list_parts(const code_model *m, printed_part out[N_PARTS])
{
    const code_events *e = &m->events;
    const printed_part list[N_PARTS] = {{"bound", &m->parameters.bound},
                                        {"attributes", &m->parameters.attributes},
                                        {"residual", &m->system.residual},
                                        {"jacobian", &m->system.jacobian},
                                        {"rhs", &m->system.rhs},
                                        {"next", &m->choice.next},
                                        {"group_jac", &m->choice.jac},
                                        {"extra", &m->start.extra},
                                        {"extra_jac", &m->start.extra_jac},
                                        {"thresholds", &e->thresholds},
                                        {"roots", &e->roots},
                                        {"relation_values", &e->relations},
                                        {"first", &e->first},
                                        {"before", &e->before},
                                        {"samples", &e->samples},
                                        {"assertions", &e->assertions},
                                        {"computed", &m->outputs.computed},
                                        {0}};
    memcpy(out, list, sizeof list);
}

bool fmu_source_obstacle(const vinc_sim *sim, text *why)
{
    const code_model *m = run_model(sim->state);
    const code_events *e = &m->events;
    const char *words = NULL;
    printed_part parts[N_PARTS];
    list_parts(m, parts);
    if (e->delays.n_out) words = "the model has delay() or spatialDistribution()";
    else if (e->clocks) words = "the model has clocks";
    else if (m->manifold || m->form->mechanical || m->initial != m ||
             strcmp(m->form->kind->name, "dummy"))
        words = "the model has constraints that depend on each other";
    if (words) text_add(why, words);
    if (words) return true;
    if (m->n > SOURCE_UNKNOWNS_MAX) {
        text_printf(why, "the model has %d unknowns, and the solver in C is for %d at most", m->n,
                    SOURCE_UNKNOWNS_MAX);
        return true;
    }
    const tape_function *fn = NULL;
    for (int i = 0; parts[i].name && !fn; i++) fn = called_by(parts[i].f);
    const code_cells *cells[] = {&e->timers, &e->discrete, &e->acts};
    for (int i = 0; i < 3 && !fn; i++) fn = called_by_cells(cells[i]);
    if (fn)
        text_printf(why, "the function '%s' is executed, not written out as equations", fn->name);
    return fn != NULL;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void print_program(source_printer *x, const tape_program *program, const char *name)
{
    size_t scratch = tape_program_scratch(program);
    if (scratch > x->scratch) x->scratch = scratch;
    target_c.print(program, name, x->out);
    text_char(x->out, '\n');
}

static void print_part(source_printer *x, const printed_part *p)
{
    char name[60];
    snprintf(name, sizeof name, "model_%s", p->name);
    if (p->f->program) print_program(x, p->f->program, name);
}

static void print_ints(source_printer *x, const char *name, const int *list, int n)
{
    text_printf(x->out, "static const int %s[] = {", name);
    for (int i = 0; i < n; i++) text_printf(x->out, i % 16 == 15 ? "%d,\n    " : "%d, ", list[i]);
    text_add(x->out, "0};\n");
}

static void print_bytes(source_printer *x, const char *name, const uint8_t *list, int n)
{
    int *wide = arena_array(x->a, int, n + 1);
    for (int i = 0; i < n; i++) wide[i] = list[i];
    print_ints(x, name, wide, n);
}

static void print_pattern(source_printer *x, const char *name, const vinc_pattern *p)
{
    char word[60];
    snprintf(word, sizeof word, "%s_start", name);
    print_ints(x, word, p->start, p->start ? p->n_cols + 1 : 0);
    snprintf(word, sizeof word, "%s_row", name);
    print_ints(x, word, p->row, p->nnz);
}

static void print_number(text *out, double v)
{
    if (isnan(v)) text_add(out, "NAN");
    else if (isinf(v)) text_add(out, v < 0 ? "-INFINITY" : "INFINITY");
    else text_real(out, v);
}

static void print_numbers(source_printer *x, const char *name, const double *list, int n)
{
    text_printf(x->out, "static const double %s[] = {", name);
    for (int i = 0; i < n; i++) {
        print_number(x->out, list[i]);
        text_add(x->out, i % 8 == 7 ? ",\n    " : ", ");
    }
    text_add(x->out, "0};\n");
}

static void print_string(text *out, const char *words)
{
    text_char(out, '"');
    for (const char *p = words; *p; p++) {
        bool plain = *p >= ' ' && *p < 127 && !strchr("\"\\?", *p);
        if (plain) text_char(out, *p);
        else text_printf(out, "\\%03o", (unsigned)(unsigned char)*p);
    }
    text_char(out, '"');
}

static void print_cells(source_printer *x, const char *name, const code_cells *c)
{
    char word[80];
    for (int k = 0; k < c->n; k++) {
        tape_program_builder *b = tape_program_new(x->a);
        tape_program_kernel(b, c->program[k]);
        snprintf(word, sizeof word, "model_%s_%d", name, k);
        print_program(x, tape_program_finish(b), word);
    }
    text_printf(x->out, "static source_fn *const %s_f[] = {", name);
    for (int k = 0; k < c->n; k++) text_printf(x->out, "model_%s_%d,\n    ", name, k);
    text_add(x->out, "0};\n");
    snprintf(word, sizeof word, "%s_first", name);
    print_ints(x, word, c->first, c->n ? c->n + 1 : 0);
    snprintf(word, sizeof word, "%s_item", name);
    print_ints(x, word, c->item, c->n_items);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* {kind, at, number}: the number is the value as exported, whatever it depends on. */
static void print_value(text *out, const code_value *v, double now)
{
    int kind = v->output == CODE_PARAMETER ? SOURCE_P
               : v->output < 0             ? SOURCE_NUMBER
                                           : SOURCE_ATTRIBUTE;
    int at = kind == SOURCE_P ? (int)v->number : kind == SOURCE_ATTRIBUTE ? v->output : 0;
    text_printf(out, "{%d, %d, ", kind, at);
    print_number(out, kind == SOURCE_NUMBER ? v->number : now);
    text_add(out, "}");
}

static void print_entries(source_printer *x)
{
    const code_model *m = x->m;
    const structure *s = x->s;
    text *out = x->out;
    int n = s->entries.n;
    int *fixed = arena_array(x->a, int, n + 1);
    text_add(out, "static const source_value entry_start[] = {\n");
    for (int i = 0; i < n; i++) {
        text_add(out, "    ");
        print_value(out, &m->parameters.entries[i].start, run_start_of(x->sim->state, i));
        text_add(out, ",\n");
        fixed[i] = s->entries.at[i].fixed == 1;
    }
    text_add(out, "    {0, 0, 0}};\n");
    print_ints(x, "entry_fixed", fixed, n);
}

static void print_unknowns(source_printer *x)
{
    const code_model *m = x->m;
    const form_system *f = m->form;
    text *out = x->out;
    int n = m->n, *y = arena_array(x->a, int, n + 1), *yp = arena_array(x->a, int, n + 1),
        *row = arena_array(x->a, int, n + 1);
    text_add(out, "static const source_value nominals[] = {\n");
    for (int i = 0; i < n; i++) {
        int e = f->unknowns.at[i].entry;
        uint8_t kind = f->rows.at[i].kind;
        bool rate = e >= 0 && m->system.differential[i] && f->places[e + 1].where == FORM_IN_YP;
        y[i] = e;
        yp[i] = rate ? e + 1 : -1;
        row[i] = kind != FORM_ROW_SELECT && kind != FORM_ROW_LINK;
        text_add(out, "    ");
        if (e < 0) text_add(out, "{0, 0, 1}");
        else print_value(out, &m->parameters.entries[e].nominal, run_nominal(x->sim->state)[i]);
        text_add(out, ",\n");
    }
    text_add(out, "    {0, 0, 0}};\n");
    print_ints(x, "y_entry", y, n);
    print_ints(x, "yp_entry", yp, n);
    print_ints(x, "start_row", row, n);
    print_bytes(x, "role", m->system.role, n);
    print_bytes(x, "differential", m->system.differential, n);
    print_bytes(x, "selecting", m->system.selecting, n);
    print_numbers(x, "y_found", x->sim->y, n);
    print_numbers(x, "yp_found", x->sim->yp, n);
}

static int print_w_start(source_printer *x)
{
    const structure *s = x->s;
    text *out = x->out;
    int n = 0;
    text_add(out, "static const source_start w_start[] = {\n");
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        if (q->role != STRUCTURE_DISCRETE && q->role != STRUCTURE_INPUT) continue;
        text_printf(out, "    {%d, %d, ", q->place, q->role == STRUCTURE_DISCRETE);
        print_value(out, &x->m->parameters.start[v], 0);
        text_add(out, "},\n");
        n++;
    }
    text_add(out, "    {0, 0, {0, 0, 0}}};\n");
    return n;
}

static void print_groups(source_printer *x)
{
    const form_system *f = x->m->form;
    text *out = x->out;
    for (int g = 0; g < f->groups.n; g++) {
        const form_group *q = &f->groups.at[g];
        char name[60];
        const struct {
            const char *name;
            const int *list;
            int n;
        } lists[] = {{"columns", q->columns, q->n_columns},
                     {"constraints", q->constraints, q->n_constraints},
                     {"rows", q->rows, q->n_columns - q->n_constraints}};
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "group_%d_%s", g, lists[k].name);
            print_ints(x, name, lists[k].list, lists[k].n);
        }
        snprintf(name, sizeof name, "group_%d_independent", g);
        if (q->independent) print_bytes(x, name, q->independent, q->n_columns);
    }
    text_add(out, "static const source_group groups[] = {\n");
    for (int g = 0; g < f->groups.n; g++) {
        const form_group *q = &f->groups.at[g];
        text_printf(out,
                    "    {%d, %d, %d, %d, group_%d_columns, group_%d_constraints, group_%d_rows, ",
                    q->n_columns, q->n_constraints, q->level, q->w, g, g, g);
        if (q->independent) text_printf(out, "group_%d_independent, ", g);
        else text_add(out, "0, ");
        text_printf(out, "%d},\n", q->coordinates);
    }
    text_add(out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0}};\n");
}

static void print_slots(source_printer *x, const char *name, const int *slot, const int *mark,
                        int n)
{
    text_printf(x->out, "static const source_slot %s[] = {", name);
    for (int i = 0; i < n; i++) text_printf(x->out, "{%d, %d},\n    ", slot[i], mark[i]);
    text_add(x->out, "{0, 0}};\n");
}

static void print_relations(source_printer *x)
{
    const structure *s = x->s;
    const code_events *e = &x->m->events;
    text *out = x->out;
    text_add(out, "static const source_relation relations[] = {\n");
    for (int k = 0; k < e->n_relations; k++)
        text_printf(out, "    {%d, %d, %d},\n", s->relations.at[k].place, e->sense[k],
                    s->relations.at[k].of_time);
    text_add(out, "    {0, 0, 0}};\n");
    print_ints(x, "single", e->single, e->n_single);
    print_ints(x, "member", e->member, e->n_members);
    print_ints(x, "side_of", e->side_of, e->n_relations);
    print_ints(x, "timer", e->timer, e->n_timers);
    print_bytes(x, "threshold_first", e->threshold_first, e->n_members);
    text_add(out, "static const source_family families[] = {");
    for (int f = 0; f < e->n_families; f++)
        text_printf(out, "{%d, %d},\n    ", e->families[f].first, e->families[f].n);
    text_add(out, "{0, 0}};\n");
}

static void print_discrete(source_printer *x)
{
    const structure *s = x->s;
    int most = s->discrete.n + s->conditions.n + s->first.n + s->before.n + s->samples.n;
    int *slot = arena_array(x->a, int, most + 1), *mark = arena_array(x->a, int, most + 1);
    for (int k = 0; k < s->discrete.n; k++) slot[k] = s->vars[s->discrete.at[k].block].place;
    print_ints(x, "discrete_slot", slot, s->discrete.n);
    for (int k = 0; k < s->conditions.n; k++) {
        slot[k] = s->vars[s->conditions.at[k].var].place;
        mark[k] = s->conditions.at[k].initial;
    }
    print_slots(x, "conditions", slot, mark, s->conditions.n);
    for (int k = 0; k < s->first.n; k++) {
        slot[k] = s->vars[s->first.at[k].block].place;
        mark[k] = s->flat->vars.at[s->first.at[k].block].type == TYPE_INTEGER;
    }
    print_slots(x, "first_slots", slot, mark, s->first.n);
    for (int k = 0; k < s->before.n; k++) slot[k] = s->before.at[k].place;
    print_ints(x, "before_place", slot, s->before.n);
    for (int k = 0; k < s->samples.n; k++) slot[k] = s->samples.at[k].place;
    print_ints(x, "sample_place", slot, s->samples.n);
}

static void print_actions(source_printer *x)
{
    const structure *s = x->s;
    const code_events *e = &x->m->events;
    text *out = x->out, words;
    text_init(&words, out->m);
    text_add(out, "static const source_action actions[] = {\n");
    for (int k = 0; k < s->actions.n; k++) {
        const structure_action *a = &s->actions.at[k];
        int kind = a->kind == FLAT_REINIT      ? SOURCE_REINIT
                   : a->kind == FLAT_ASSERT    ? SOURCE_ASSERT
                   : a->kind == FLAT_TERMINATE ? SOURCE_TERMINATE
                                               : SOURCE_NOTHING;
        bool reinit = kind == SOURCE_REINIT;
        text_clear(&words);
        if (a->message) expr_print(s->pool, a->message, EXPR_MODELICA, 300, &words);
        text_printf(out, "    {%d, %d, %d, %d, %d, ", kind, a->level, a->initial,
                    reinit ? e->action_y[k] : 0, reinit && e->action_sign[k] < 0 ? -1 : 1);
        print_string(out, text_str(&words));
        text_add(out, "},\n");
    }
    text_add(out, "    {0, 0, 0, 0, 0, 0}};\n");
    text_done(&words);
    print_ints(x, "acting", e->acting, e->acts.n_items);
    print_ints(x, "always", e->always, e->assertions.n_out);
    print_bytes(x, "closed", e->closed, e->assertions.n_out);
}

/* ---- columns --------------------------------------------------------------------------------- */

static int source_kind(tape_ref r)
{
    switch (tape_kind_of(r)) {
    case TAPE_P: return SOURCE_P;
    case TAPE_Y: return SOURCE_Y;
    case TAPE_YP: return SOURCE_YP;
    case TAPE_W: return SOURCE_W;
    default: return SOURCE_COMPUTED;
    }
}

static int input_place(const code_model *m, const char *name)
{
    for (int k = 0; k < m->inputs.n; k++)
        if (!strcmp(m->inputs.names[k], name)) return m->inputs.place[k];
    return -1;
}

static int place_in_w(const structure *s, const char *name)
{
    for (int v = 0; v < s->n_flat; v++)
        if (!strcmp(s->flat->vars.at[v].name, name)) return s->vars[v].place;
    return -1;
}

static void print_column(source_printer *x, int i, text *why)
{
    const code_model *m = x->m;
    const code_column *c = &m->outputs.columns[i];
    int of = c->alias_of >= 0 ? c->alias_of : i;
    text *out = x->out;
    text_add(out, "    {");
    print_string(out, c->name);
    text_printf(out, ", %d, ", c->type);
    if (m->outputs.columns[of].constant) {
        text value;
        text_init(&value, out->m);
        print_value(&value, &m->outputs.value[of], run_constant(x->sim->state, of));
        text_add_n(out, text_str(&value) + 1, value.n - 2);
        text_done(&value);
    } else {
        tape_ref from = m->outputs.from[m->outputs.columns[of].output];
        text_printf(out, "%d, %d, 0", source_kind(from), tape_index_of(from));
    }
    int param, entry, input = input_place(m, c->name), set = SOURCE_SET_NOT, at = 0;
    double sign = 1;
    text_clear(why);
    if (run_place_of(x->sim->state, c->name, &param, &entry, &sign, why) == VINC_OK) {
        set = param >= 0 ? SOURCE_SET_P : entry >= 0 ? SOURCE_SET_ENTRY : SOURCE_SET_W;
        at = param >= 0 ? param : entry >= 0 ? entry : place_in_w(x->s, c->name);
    }
    text_printf(out, ", %d, %d, %d, %d, %d},\n", c->alias_of >= 0 && c->negated, input >= 0, set,
                input >= 0 ? input : at, sign < 0 ? -1 : 1);
}

static int print_columns(source_printer *x)
{
    const code_model *m = x->m;
    int n = 0, *states = arena_array(x->a, int, m->n + 1),
        *column = arena_array(x->a, int, m->n + 1);
    text why;
    text_init(&why, x->out->m);
    text_add(x->out, "static const source_column columns[] = {\n");
    for (int i = 0; i < m->outputs.n_columns; i++) print_column(x, i, &why);
    text_add(x->out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};\n");
    text_done(&why);
    for (int i = 0; i < m->n; i++)
        if (api_is_plain_state(m, i)) {
            column[n] = vinc_sim_state_value(x->sim, n);
            states[n++] = i;
        }
    print_ints(x, "states", states, n);
    print_ints(x, "state_column", column, n);
    return n;
}

/* ---- all of it ------------------------------------------------------------------------------- */

typedef struct source_counts {
    int n_w_start, n_states;
} source_counts;

static void print_cell_members(text *out, const char *name, const code_cells *c)
{
    int most = 0;
    for (int k = 0; k < c->n; k++)
        if (c->program[k]->extent[TAPE_OUT] > most) most = c->program[k]->extent[TAPE_OUT];
    text_printf(out, "    .%s = {%d, %d, %d, %s_f, %s_first, %s_item},\n", name, c->n, c->n_items,
                most, name, name, name);
}

static void print_model(source_printer *x, const char *token, const source_counts *n)
{
    const code_model *m = x->m;
    const code_events *e = &m->events;
    const sim_options *o = &x->sim->options;
    text *out = x->out;
    printed_part parts[N_PARTS];
    list_parts(m, parts);
    text_printf(out, "const source_model source_of_model = {\n    .token = \"%s\",\n", token);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"t_start", o->t_start}, {"t_stop", o->t_stop}, {"rel_tol", o->rel_tol}};
    for (int i = 0; i < 3; i++) {
        text_printf(out, "    .%s = ", numbers[i].name);
        print_number(out, numbers[i].value);
        text_add(out, ",\n");
    }
    const struct {
        const char *name;
        int n;
    } counts[] = {{"n", m->n},
                  {"n_p", m->n_p},
                  {"n_w", m->n_w},
                  {"n_scratch", (int)x->scratch},
                  {"n_entries", x->s->entries.n},
                  {"bound_depth", m->parameters.depth},
                  {"n_w_start", n->n_w_start},
                  {"n_groups", m->form->groups.n},
                  {"n_relations", e->n_relations},
                  {"n_single", e->n_single},
                  {"n_timers", e->n_timers},
                  {"n_families", e->n_families},
                  {"n_moving", e->n_families_moving},
                  {"n_members", e->n_members},
                  {"n_conditions", x->s->conditions.n},
                  {"n_samples", x->s->samples.n},
                  {"n_actions", x->s->actions.n},
                  {"n_columns", m->outputs.n_columns},
                  {"n_states", n->n_states}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        text_printf(out, "    .%s = %d,\n", counts[i].name, counts[i].n);
    for (int i = 0; parts[i].name; i++) {
        if (parts[i].f->program)
            text_printf(out, "    .%s = {model_%s, %d},\n", parts[i].name, parts[i].name,
                        parts[i].f->n_out);
    }
    const struct {
        const char *name;
        const vinc_pattern *p;
    } patterns[] = {{"jac", &m->system.jac},
                    {"group_pattern", &m->choice.pattern},
                    {"extra_pattern", &m->start.extra_pattern}};
    for (int i = 0; i < 3; i++)
        text_printf(out, "    .%s = {%d, %d, %s_start, %s_row},\n", patterns[i].name,
                    patterns[i].p->n_rows, patterns[i].p->nnz, patterns[i].name, patterns[i].name);
    print_cell_members(out, "timers", &e->timers);
    print_cell_members(out, "discrete", &e->discrete);
    print_cell_members(out, "acts", &e->acts);
    static const char *const same[] = {
        "p_default",    "bound_place",     "entry_start",  "entry_fixed",  "y_entry",
        "yp_entry",     "y_found",         "yp_found",     "w_start",      "role",
        "differential", "selecting",       "start_row",    "next_of",      "groups",
        "extras",       "relations",       "single",       "member",       "side_of",
        "timer",        "threshold_first", "families",     "acting",       "discrete_slot",
        "conditions",   "first_slots",     "before_place", "sample_place", "actions",
        "always",       "closed",          "columns",      "arrays",       "states",
        "state_column"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        text_printf(out, "    .%s = %s,\n", same[i], same[i]);
    text_add(out, "    .nominal = nominals,\n};\n\nSOURCE_HIDDEN_END\n");
}

/* {value reference, elements}, ending with 0 elements. */
static void print_arrays(source_printer *x, const char *lines)
{
    int reference, n;
    text_add(x->out, "static const source_slot arrays[] = {");
    for (; sscanf(lines, "%d %d", &reference, &n) == 2; lines = strchr(lines, '\n') + 1)
        text_printf(x->out, "{%d, %d},\n    ", reference, n);
    text_add(x->out, "{0, 0}};\n");
}

int fmu_source_print(const fmu_subject *of, const char *arrays, arena *scratch, text *out)
{
    vinc_sim *sim = of->sim;
    int rc = api_point(sim);
    if (rc) return rc;
    const code_model *m = run_model(sim->state);
    source_printer x = {.sim = sim, .m = m, .s = m->s, .a = scratch, .out = out};
    source_counts n;
    printed_part parts[N_PARTS];
    list_parts(m, parts);
    text_printf(out,
                "/* %s as C, printed by Vincolo %s. To be compiled without contraction of products "
                "and sums\n * (-ffp-contract=off), if the same bits are wanted everywhere. */\n"
                "#include \"source_model.h\"\n\n#include <math.h>\n\nSOURCE_HIDDEN_BEGIN\n\n",
                sim->model->flat->name, vinc_version());
    for (int i = 0; parts[i].name; i++) print_part(&x, &parts[i]);
    print_cells(&x, "timers", &m->events.timers);
    print_cells(&x, "discrete", &m->events.discrete);
    print_cells(&x, "acts", &m->events.acts);
    print_pattern(&x, "jac", &m->system.jac);
    print_pattern(&x, "group_pattern", &m->choice.pattern);
    print_pattern(&x, "extra_pattern", &m->start.extra_pattern);
    print_numbers(&x, "p_default", m->s->p_default, m->n_p);
    print_ints(&x, "bound_place", m->parameters.place, m->parameters.bound.n_out);
    print_ints(&x, "next_of", m->choice.next_of, m->choice.next.n_out);
    print_entries(&x);
    print_unknowns(&x);
    n.n_w_start = print_w_start(&x);
    print_groups(&x);
    text_add(out, "static const source_extra extras[] = {");
    for (int k = 0; k < m->start.n_extra; k++)
        text_printf(out, "{%d},\n    ", m->start.rows[k].entry);
    text_add(out, "{0}};\n");
    print_relations(&x);
    print_discrete(&x);
    print_actions(&x);
    n.n_states = print_columns(&x);
    print_arrays(&x, arrays);
    print_model(&x, of->token, &n);
    return VINC_OK;
}
