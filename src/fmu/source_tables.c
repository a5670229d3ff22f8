/* A model as C: the tables of its start values, unknowns, events and variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source_printer.h"

#include "fmu/source/source_model.h"
#include "run/past.h"

#include <stdio.h>
#include <string.h>

/* ---- unknowns and events -------------------------------------------------------------------- */

/* {kind, at, number}: the number is the value as exported, whatever it depends on. */
static void print_value(text *out, const code_value *v, double now)
{
    int kind = v->output == CODE_PARAMETER ? SOURCE_P
               : v->output < 0             ? SOURCE_NUMBER
                                           : SOURCE_ATTRIBUTE;
    int at = kind == SOURCE_P ? (int)v->number : kind == SOURCE_ATTRIBUTE ? v->output : 0;
    text_printf(out, "{%d, %d, ", kind, at);
    text_c_number(out, kind == SOURCE_NUMBER ? v->number : now);
    text_add(out, "}");
}

void source_print_entries(source_printer *x)
{
    const code_model *m = x->m;
    text *out = x->out;
    int n = m->entries.n;
    int *fixed = arena_array(x->a, int, n + 1);
    text_add(out, "static const source_value entry_start[] = {\n");
    for (int i = 0; i < n; i++) {
        text_add(out, "    ");
        print_value(out, &code_entry_of(m, i)->start, run_start_of(x->sim->state, i));
        text_add(out, ",\n");
        fixed[i] = code_entry_of(m, i)->fixed;
    }
    text_add(out, "    {0, 0, 0}};\n");
    source_print_ints(x, "entry_fixed", fixed, n);
}

bool source_is_condition(const code_model *m, int entry)
{
    return entry < 0 || code_entry_of(m, entry)->fixed;
}

bool source_has_conditions(const code_model *m)
{
    const image_formulation *f = &m->formulation;
    for (int k = 0; k < m->start.n_extra; k++)
        if (source_is_condition(m, m->start.rows[k].entry)) return true;
    for (int i = 0; i < m->n; i++) {
        int e = f->unknowns[i].entry;
        if (e < 0) continue;
        bool rate = m->system.differential[i] && f->places[e + 1].where == IMAGE_IN_YP;
        if (!m->system.differential[i] && code_entry_of(m, e)->fixed) return true;
        if (rate && code_entry_of(m, e + 1)->fixed) return true;
    }
    return false;
}

/* Ties are refused (fmu_source_obstacle). */
static void print_roles(source_printer *x)
{
    static const uint8_t of[] = {[CODE_STATE] = SOURCE_STATE,
                                 [CODE_SELECTED] = SOURCE_SELECTED,
                                 [CODE_TIE] = SOURCE_ALGEBRAIC,
                                 [CODE_ALGEBRAIC] = SOURCE_ALGEBRAIC};
    uint8_t *role = arena_array(x->a, uint8_t, x->m->n + 1);
    for (int i = 0; i < x->m->n; i++) role[i] = of[x->m->system.role[i]];
    source_print_bytes(x, "role", role, x->m->n);
}

void source_print_unknowns(source_printer *x)
{
    const code_model *m = x->m;
    const image_formulation *f = &m->formulation;
    text *out = x->out;
    int n = m->n, *y = arena_array(x->a, int, n + 1), *yp = arena_array(x->a, int, n + 1),
        *row = arena_array(x->a, int, n + 1);
    text_add(out, "static const source_value nominals[] = {\n");
    for (int i = 0; i < n; i++) {
        int e = f->unknowns[i].entry;
        uint8_t kind = f->rows[i].kind;
        bool rate = e >= 0 && m->system.differential[i] && f->places[e + 1].where == IMAGE_IN_YP;
        y[i] = e;
        yp[i] = rate ? e + 1 : -1;
        row[i] = kind != IMAGE_ROW_SELECT && kind != IMAGE_ROW_LINK;
        text_add(out, "    ");
        if (e < 0) text_add(out, "{0, 0, 1}");
        else print_value(out, &code_range_of(m, e)->nominal, run_nominal(x->sim->state)[i]);
        text_add(out, ",\n");
    }
    text_add(out, "    {0, 0, 0}};\n");
    source_print_ints(x, "y_entry", y, n);
    source_print_ints(x, "yp_entry", yp, n);
    source_print_ints(x, "start_row", row, n);
    print_roles(x);
    source_print_bytes(x, "differential", m->system.differential, n);
    source_print_bytes(x, "selecting", m->system.selecting, n);
    source_print_numbers(x, "y_found", x->sim->y, n);
    source_print_numbers(x, "yp_found", x->sim->yp, n);
}

int source_print_w_start(source_printer *x)
{
    const code_parameters *q = &x->m->parameters;
    text *out = x->out;
    text_add(out, "static const source_start w_start[] = {\n");
    for (int k = 0; k < q->n_work; k++) {
        text_printf(out, "    {%d, %d, ", q->work[k].place, q->work[k].past);
        print_value(out, &q->work[k].start, 0);
        text_add(out, "},\n");
    }
    text_add(out, "    {0, 0, {0, 0, 0}}};\n");
    return q->n_work;
}

void source_print_groups(source_printer *x)
{
    const image_formulation *f = &x->m->formulation;
    text *out = x->out;
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
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
            source_print_ints(x, name, lists[k].list, lists[k].n);
        }
        snprintf(name, sizeof name, "group_%d_independent", g);
        if (q->independent) source_print_bytes(x, name, q->independent, q->n_columns);
    }
    text_add(out, "static const source_group groups[] = {\n");
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
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

void source_print_relations(source_printer *x)
{
    const structure *s = x->s;
    const code_events *e = &x->m->events;
    text *out = x->out;
    text_add(out, "static const source_relation relations[] = {\n");
    for (int k = 0; k < e->n_relations; k++)
        text_printf(out, "    {%d, %d, %d},\n", s->relations.at[k].place, e->sense[k],
                    s->relations.at[k].of_time);
    text_add(out, "    {0, 0, 0}};\n");
    source_print_ints(x, "single", e->single, e->n_single);
    source_print_ints(x, "member", e->member, e->n_members);
    source_print_ints(x, "side_of", e->side_of, e->n_relations);
    source_print_ints(x, "timer", e->timer, e->n_timers);
    source_print_bytes(x, "threshold_first", e->threshold_first, e->n_members);
    text_add(out, "static const source_family families[] = {");
    for (int f = 0; f < e->n_families; f++)
        text_printf(out, "{%d, %d},\n    ", e->families[f].first, e->families[f].n);
    text_add(out, "{0, 0}};\n");
}

void source_print_discrete(source_printer *x)
{
    const image_events *e = &x->m->events.list;
    int most = e->n_discrete + e->n_conditions + e->n_first + e->n_samples;
    int *slot = arena_array(x->a, int, most + 1), *mark = arena_array(x->a, int, most + 1);
    for (int k = 0; k < e->n_discrete; k++) slot[k] = e->discrete[k].place;
    source_print_ints(x, "discrete_slot", slot, e->n_discrete);
    for (int k = 0; k < e->n_conditions; k++) {
        slot[k] = e->conditions[k].place;
        mark[k] = e->conditions[k].initial;
    }
    print_slots(x, "conditions", slot, mark, e->n_conditions);
    for (int k = 0; k < e->n_first; k++) {
        slot[k] = e->first[k].place;
        mark[k] = e->first[k].whole;
    }
    print_slots(x, "first_slots", slot, mark, e->n_first);
    source_print_ints(x, "before_place", e->before, e->n_before);
    for (int k = 0; k < e->n_samples; k++) slot[k] = e->samples[k].place;
    source_print_ints(x, "sample_place", slot, e->n_samples);
}

void source_print_actions(source_printer *x)
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
        text_c_string(out, text_str(&words));
        text_add(out, "},\n");
    }
    text_add(out, "    {0, 0, 0, 0, 0, 0}};\n");
    text_done(&words);
    source_print_ints(x, "acting", e->acting, e->acts.n_items);
    source_print_ints(x, "always", e->always, e->assertions.n_out);
    source_print_bytes(x, "closed", e->closed, e->assertions.n_out);
}

void source_print_delays(source_printer *x)
{
    const image_events *e = &x->m->events.list;
    text_add(x->out, "static const past_delay delays[] = {\n");
    for (int k = 0; k < e->n_delays; k++) {
        past_delay d = past_delay_of(&e->delays[k]);
        text_printf(x->out, "    {%d, %d, %d, %d, %d, %d},\n", d.place, d.n_profile, d.carried,
                    d.constant, d.still, d.may_vanish);
    }
    text_printf(x->out,
                "    {0, 0, 0, 0, 0, 0}};\nstatic const past_model past = {%d, %d, %d, delays};\n",
                x->m->n, e->n_delays, x->m->events.profiles.n_out);
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
        if (!strcmp(m->inputs.list[k].name, name)) return m->inputs.list[k].place;
    return -1;
}

static int place_in_w(const structure *s, const char *name)
{
    int v = flat_find(s->flat, name);
    return v >= 0 && v < s->n_flat ? s->vars[v].place : -1;
}

static void print_column(source_printer *x, int i, text *why)
{
    const code_model *m = x->m;
    const code_column c = code_column_in(&m->outputs, i);
    int of = c.alias ? c.at : i;
    const code_column shown = code_column_in(&m->outputs, of);
    text *out = x->out;
    const char *name = code_column_name(m, i, x->a);
    text_add(out, "    {");
    text_c_string(out, name);
    text_printf(out, ", %d, ", c.type);
    if (shown.constant) {
        text words;
        text_init(&words, out->m);
        print_value(&words, code_constant(&m->outputs, of), run_constant(x->sim->state, of));
        text_add_n(out, text_str(&words) + 1, words.n - 2);
        text_done(&words);
    } else {
        tape_ref from = code_output_from(&m->outputs, code_output_of(shown));
        text_printf(out, "%d, %d, 0", source_kind(from), tape_index_of(from));
    }
    int param, entry, input = input_place(m, name), set = SOURCE_SET_NOT, at = 0;
    double sign = 1;
    text_clear(why);
    if (run_place_of(x->sim->state, name, &param, &entry, &sign, why) == VINC_OK) {
        set = param >= 0 ? SOURCE_SET_P : entry >= 0 ? SOURCE_SET_ENTRY : SOURCE_SET_W;
        at = param >= 0 ? param : entry >= 0 ? entry : place_in_w(x->s, name);
        // What follows from others cannot be held: its row is not printed.
        bool open = set == SOURCE_SET_ENTRY && m->formulation.places[entry].where == IMAGE_ASSIGNED;
        if (open && !source_is_condition(m, entry)) set = SOURCE_SET_NOT;
    }
    text_printf(out, ", %d, %d, %d, %d, %d},\n", c.alias < 0, input >= 0, set,
                input >= 0 ? input : at, sign < 0 ? -1 : 1);
}

int source_print_columns(source_printer *x)
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
    source_print_ints(x, "states", states, n);
    source_print_ints(x, "state_column", column, n);
    return n;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Those that stay; of the others only the names. */
int source_print_texts(source_printer *x)
{
    const code_events *e = &x->m->events;
    const text_table *t = &e->texts;
    text_add(x->out, "static const source_text texts[] = {\n");
    for (int i = 0; i < t->n_strings; i++) {
        const text_list q = t->strings[i];
        bool stays = q.n == 1 && t->pieces[q.first].kind == TEXT_WORDS;
        text_add(x->out, "    {");
        text_c_string(x->out, NAME_AT(&x->m->names, e->told[i]));
        text_add(x->out, ", ");
        if (stays) text_c_string(x->out, t->pieces[q.first].words);
        else text_add(x->out, "0");
        text_add(x->out, "},\n");
    }
    text_add(x->out, "    {0, 0}};\n");
    return t->n_strings;
}
