/* A model as C.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source_printer.h"

#include "external/external.h"
#include "fmu/source/source_model.h"
#include "la/column_order.h"
#include "run/verbs.h"
#include "value/value.h"

#include <stdio.h>
#include <string.h>

enum { SPARSE_FROM = 20 };       // unknowns: matrices of fewer are dense
enum { START_WHOLE_MAX = 1000 }; // the search for start values that meet conditions is dense

/* ---- what cannot be printed ------------------------------------------------------------------ */

/* The functions that are printed, with the member of source_model that each becomes. */
typedef struct printed_part {
    const char *name;
    const code_fn *f;
} printed_part;
enum { N_PARTS = 21 };
static void list_parts(const code_model *m, const code_initial *start, printed_part out[N_PARTS])
{
    const code_events *e = &m->events;
    const printed_part list[N_PARTS] = {{"bound", &m->parameters.bound},
                                        {"attributes", &m->parameters.attributes},
                                        {"residual", &m->system.residual},
                                        {"jacobian", &m->system.jacobian},
                                        {"rhs", &m->system.rhs},
                                        {"next", &m->choice.next},
                                        {"group_jac", &m->choice.jac},
                                        {"extra", &start->extra},
                                        {"extra_jac", &start->extra_jac},
                                        {"thresholds", &e->thresholds},
                                        {"roots", &e->roots},
                                        {"relation_values", &e->relations},
                                        {"first", &e->first},
                                        {"before", &e->before},
                                        {"delays", &e->delays},
                                        {"intervals", &m->clocks.intervals},
                                        {"profiles", &e->profiles},
                                        {"samples", &e->samples},
                                        {"assertions", &e->assertions},
                                        {"computed", &m->outputs.computed},
                                        {0}};
    memcpy(out, list, sizeof list);
}

/* Functions that the model calls, printed for nobody: is there one that cannot be? */
static bool calls_what_cannot(const code_model *m, const printed_part *parts, arena *scratch,
                              text *why)
{
    mem memory = value_arena_mem(scratch);
    text nowhere;
    text_init(&nowhere, &memory);
    tape_c calls = {.a = scratch, .out = &nowhere};
    for (int i = 0; parts[i].name; i++)
        if (parts[i].f->program) tape_c_program(&calls, parts[i].f->program);
    for (int k = 0; k < m->s->subs.n; k++)
        if (m->clocks.samples[k].program) tape_c_program(&calls, m->clocks.samples[k].program);
    for (int k = 0; k < m->s->steps.n && m->s->bases.n; k++)
        if (m->clocks.steps[k].program) tape_c_program(&calls, m->clocks.steps[k].program);
    const code_cells *cells[] = {&m->events.timers, &m->events.discrete, &m->events.acts};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < cells[i]->n; k++) {
            tape_program_builder *b = tape_program_new(scratch);
            tape_program_kernel(b, cells[i]->program[k]);
            tape_c_program(&calls, tape_program_finish(b));
        }
    if (calls.obstacle)
        text_printf(why, "the function '%s' is executed by a library, or cannot be printed",
                    calls.obstacle);
    return calls.obstacle != NULL;
}

bool fmu_source_obstacle(const vinc_sim *sim, arena *scratch, text *why)
{
    const code_model *m = run_model(sim->state);
    const char *words = NULL;
    printed_part parts[N_PARTS];
    list_parts(m, &m->start, parts);
    if (m->manifold || m->formulation.mechanical || m->initial != m)
        words = "the model has constraints that depend on each other";
    for (int i = 0; i < m->n && !words; i++)
        if (m->system.role[i] == CODE_TIE)
            words = "the model has so many coordinates that compete to be states that they are "
                    "tied by multipliers";
    if (words) text_add(why, words);
    if (words) return true;
    if (m->n > START_WHOLE_MAX && source_has_conditions(m)) {
        text_printf(why,
                    "the model has %d unknowns, and what finds start values for initial equations, "
                    "or fixed values of variables that are no states, is for %d at most; give "
                    "start values to the states instead (start = ..., fixed = true)",
                    m->n, START_WHOLE_MAX);
        return true;
    }
    return calls_what_cannot(m, parts, scratch, why);
}

/* ---- functions ------------------------------------------------------------------------------- */

void source_print_program(source_printer *x, const tape_program *program, const char *name)
{
    size_t scratch = tape_program_scratch(program);
    if (scratch > x->scratch) x->scratch = scratch;
    target_c.print(tape_c_program(&x->calls, program), name,
                   x->out); // they have been found printable
    text_char(x->out, '\n');
}

/* Further rows of start values that count: the others, for variables that are not fixed, only guide the search of
 * the library, and are most of what a large model has of them. */
static code_initial source_conditions(const source_printer *x)
{
    const code_model *m = x->m;
    code_initial q = m->start;
    bool *wanted = arena_array(x->a, bool, q.n_extra + 1);
    int n = 0;
    for (int k = 0; k < q.n_extra; k++) n += wanted[k] = source_is_condition(m, q.rows[k].entry);
    if (n == q.n_extra) return q;
    arena *made = arena_inner(x->a);
    q.extra.program = tape_program_slice(q.extra.program, wanted, x->a, made);
    tape_program_derivative d =
        tape_program_jacobian(q.extra.program, q.n_extra, m->n, m->formulation.n_w, x->a, made);
    if (d.code->extent[TAPE_W] > m->n_w) return m->start;
    q.extra_jac.program = d.code;
    q.extra_jac.n_out = d.pattern.nnz;
    q.extra_pattern = d.pattern;
    return q;
}

static void print_part(source_printer *x, const printed_part *p)
{
    char name[60];
    snprintf(name, sizeof name, "model_%s", p->name);
    if (p->f->program) source_print_program(x, p->f->program, name);
}

void source_print_ints(source_printer *x, const char *name, const int *list, int n)
{
    text_printf(x->out, "static const int %s[] = {", name);
    for (int i = 0; i < n; i++) text_printf(x->out, i % 16 == 15 ? "%d,\n    " : "%d, ", list[i]);
    text_add(x->out, "0};\n");
}

void source_print_bytes(source_printer *x, const char *name, const uint8_t *list, int n)
{
    int *wide = arena_array(x->a, int, n + 1);
    for (int i = 0; i < n; i++) wide[i] = list[i];
    source_print_ints(x, name, wide, n);
}

static void print_pattern(source_printer *x, const char *name, const vinc_pattern *p)
{
    char word[60];
    snprintf(word, sizeof word, "%s_start", name);
    source_print_ints(x, word, p->start, p->start ? p->n_cols + 1 : 0);
    snprintf(word, sizeof word, "%s_row", name);
    source_print_ints(x, word, p->row, p->nnz);
}

static int print_order(source_printer *x)
{
    mem m = value_arena_mem(x->a);
    int *order = arena_array(x->a, int, x->m->n + 1);
    if (x->m->n < SPARSE_FROM) return VINC_OK;
    if (la_column_order(&x->m->system.jac, &m, order)) return VINC_E_MEMORY;
    source_print_ints(x, "column_order", order, x->m->n);
    return VINC_OK;
}

void source_print_numbers(source_printer *x, const char *name, const double *list, int n)
{
    text_printf(x->out, "static const double %s[] = {", name);
    for (int i = 0; i < n; i++) {
        text_c_number(x->out, list[i]);
        text_add(x->out, i % 8 == 7 ? ",\n    " : ", ");
    }
    text_add(x->out, "0};\n");
}

static void print_cells(source_printer *x, const char *name, const code_cells *c)
{
    char word[80];
    for (int k = 0; k < c->n; k++) {
        tape_program_builder *b = tape_program_new(x->a);
        tape_program_kernel(b, c->program[k]);
        snprintf(word, sizeof word, "model_%s_%d", name, k);
        source_print_program(x, tape_program_finish(b), word);
    }
    text_printf(x->out, "static source_fn *const %s_f[] = {", name);
    for (int k = 0; k < c->n; k++) text_printf(x->out, "model_%s_%d,\n    ", name, k);
    text_add(x->out, "0};\n");
    snprintf(word, sizeof word, "%s_first", name);
    source_print_ints(x, word, c->first, c->n ? c->n + 1 : 0);
    snprintf(word, sizeof word, "%s_item", name);
    source_print_ints(x, word, c->item, c->n_items);
}

/* ---- all of it ------------------------------------------------------------------------------- */

typedef struct source_counts {
    int n_w_start, n_states, n_texts, n_matrices;
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
    list_parts(m, &x->start, parts);
    text_printf(out, "const source_model source_of_model = {\n    .token = \"%s\",\n", token);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"t_start", o->t_start}, {"t_stop", o->t_stop}, {"rel_tol", o->rel_tol}};
    for (int i = 0; i < 3; i++) {
        text_printf(out, "    .%s = ", numbers[i].name);
        text_c_number(out, numbers[i].value);
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
                  {"n_objects", m->s->flat->n_objects},
                  {"n_matrices", n->n_matrices},
                  {"bound_depth", m->parameters.depth},
                  {"n_w_start", n->n_w_start},
                  {"n_groups", m->formulation.n_groups},
                  {"n_relations", e->n_relations},
                  {"n_single", e->n_single},
                  {"n_timers", e->n_timers},
                  {"n_families", e->n_families},
                  {"n_moving", e->n_families_moving},
                  {"n_members", e->n_members},
                  {"n_conditions", x->s->conditions.n},
                  {"n_samples", x->s->samples.n},
                  {"n_transports", e->n_transports},
                  {"n_bases", m->s->bases.n},
                  {"n_subs", m->s->subs.n},
                  {"n_held", m->s->held.n},
                  {"tick_most", m->clocks.most},
                  {"tick_unknowns", m->clocks.most_unknowns},
                  {"n_actions", x->s->actions.n},
                  {"n_columns", m->outputs.n_columns},
                  {"n_states", n->n_states},
                  {"n_texts", n->n_texts}};
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
                    {"extra_pattern", &x->start.extra_pattern}};
    for (int i = 0; i < 3; i++)
        text_printf(out, "    .%s = {%d, %d, %s_start, %s_row},\n", patterns[i].name,
                    patterns[i].p->n_rows, patterns[i].p->nnz, patterns[i].name, patterns[i].name);
    print_cell_members(out, "timers", &e->timers);
    print_cell_members(out, "discrete", &e->discrete);
    print_cell_members(out, "acts", &e->acts);
    static const char *const same[] = {"bases",        "subs",         "ticks",
                                       "held",         "matrices",     "p_default",
                                       "bound_place",  "entry_start",  "entry_fixed",
                                       "y_entry",      "yp_entry",     "y_found",
                                       "yp_found",     "w_start",      "role",
                                       "differential", "selecting",    "start_row",
                                       "next_of",      "groups",       "extras",
                                       "relations",    "single",       "member",
                                       "side_of",      "timer",        "threshold_first",
                                       "families",     "acting",       "discrete_slot",
                                       "conditions",   "first_slots",  "before_place",
                                       "sample_place", "actions",      "always",
                                       "closed",       "columns",      "arrays",
                                       "states",       "state_column", "texts"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        text_printf(out, "    .%s = %s,\n", same[i], same[i]);
    if (m->n >= SPARSE_FROM) text_add(out, "    .column_order = column_order,\n");
    text_add(out, "    .nominal = nominals,\n    .past = &past,\n};\n\nSOURCE_HIDDEN_END\n");
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

int fmu_source_print(const fmu_subject *of, const char *arrays, arena *scratch, text *to)
{
    vinc_sim *sim = of->sim;
    mem m_scratch =
        value_arena_mem(scratch); // lack of memory jumps out of here: nothing stays open
    text all, *out = &all;
    text_init(&all, &m_scratch);
    int rc = api_point(sim);
    if (rc) return rc;
    const code_model *m = run_model(sim->state);
    source_printer x = {.sim = sim, .m = m, .s = m->s, .a = scratch, .out = out};
    x.calls = (tape_c){.a = scratch, .out = out};
    source_counts n;
    printed_part parts[N_PARTS];
    x.start = source_conditions(&x);
    list_parts(m, &x.start, parts);
    text_printf(out,
                "/* %s as C, printed by Vincolo %s. To be compiled without contraction of products "
                "and sums\n * (-ffp-contract=off), if the same bits are wanted everywhere. */\n"
                "#include \"source_model.h\"\n\n#include \"external_list.h\"\n#include "
                "\"history.h\"\n\n#include "
                "<math.h>\n#include <stdint.h>\n\nSOURCE_HIDDEN_BEGIN\n\n",
                sim->model->flat->name, vinc_version());
    for (int i = 0; parts[i].name; i++) print_part(&x, &parts[i]);
    print_cells(&x, "timers", &m->events.timers);
    print_cells(&x, "discrete", &m->events.discrete);
    print_cells(&x, "acts", &m->events.acts);
    print_pattern(&x, "jac", &m->system.jac);
    rc = print_order(&x);
    if (rc) return rc;
    print_pattern(&x, "group_pattern", &m->choice.pattern);
    print_pattern(&x, "extra_pattern", &x.start.extra_pattern);
    source_print_numbers(&x, "p_default", m->p_default, m->n_p);
    source_print_ints(&x, "bound_place", m->parameters.place, m->parameters.bound.n_out);
    source_print_ints(&x, "next_of", m->choice.next_of, m->choice.next.n_out);
    source_print_entries(&x);
    source_print_unknowns(&x);
    n.n_w_start = source_print_w_start(&x);
    source_print_groups(&x);
    text_add(out, "static const source_extra extras[] = {");
    for (int k = 0; k < m->start.n_extra; k++)
        text_printf(out, "{%d},\n    ", m->start.rows[k].entry);
    text_add(out, "{0}};\n");
    source_print_relations(&x);
    source_print_discrete(&x);
    source_print_actions(&x);
    source_print_delays(&x);
    source_print_clocks(&x);
    n.n_states = source_print_columns(&x);
    n.n_texts = source_print_texts(&x);
    n.n_matrices =
        external_print_files(run_routines(sim->state), m->s->flat->n_objects, scratch, out);
    text_add(out, "static const source_matrix matrices[] = {\n");
    for (int k = 0; k < n.n_matrices; k++) text_printf(out, "    MATRIX_%d,\n", k);
    text_add(out, "    {0, 0, 0, 0, 0}};\n");
    print_arrays(&x, arrays);
    print_model(&x, of->token, &n);
    text_add_n(to, text_str(out), out->n);
    return VINC_OK;
}
