/* The compiled model: every function that a run needs, lowered and compiled.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/model_parts.h"
#include "code/start_tables.h"

#include <string.h>

/* Parameters, and the numbers behind them. */
static void take_numbers(code_model *x, arena *a)
{
    int n = x->form->s->n_p, more = x->functions->numbers.n;
    double *p = arena_array(a, double, n + more + 1);
    if (n) memcpy(p, x->form->s->p_default, (size_t)n * sizeof *p);
    if (more) memcpy(p + n, x->functions->numbers.at, (size_t)more * sizeof *p);
    x->n_p = n + more;
    x->p_default = p;
}

static image_formulation formulation_of(const form_system *f)
{
    return (image_formulation){
        .index = f->s->index,
        .n_w = f->n_w,
        .explicit = f->kind->explicit,
        .sparse = f->kind->algebra.sparse,
        .motion = f->kind->algebra.motion,
        .project = f->project,
        .unknowns = f->unknowns.at,
        .n_own = f->names.n,
        .own = f->names.at,
        .rows = f->rows.at,
        .n_entries = f->s->entries.n,
        .places = f->places,
        .n_groups = f->groups.n,
        .groups = f->groups.at,
        .mechanical = f->mechanical,
    };
}

/* starts: the system of start values is its own. */
static code_model *lower_model(const form_system *form, bool starts, routine_codes *routines,
                               arena *a, arena *scratch, mem *m, diag_sink *sink)
{
    code_model *x = arena_new(a, code_model);
    *x = (code_model){
        .form = form, .m = m, .n = form->unknowns.n, .n_w = form->n_w, .n_w_common = form->s->n_w};
    x->formulation = formulation_of(form);
    x->names = form->s->flat->vars.names;
    x->functions = arena_new(a, code_list);
    x->functions->routines = x->codes = routines;
    lowering l;
    lower_init(&l, form, x->functions, a, scratch, sink);
    code_list_inputs(form->s, a, &x->inputs);
    bool ok = code_lower_parameters(&l, &x->parameters) && code_lower_system(&l, &x->system) &&
              code_lower_choice(&l, &x->choice) && code_lower_manifold(&l, &x->manifold) &&
              code_lower_rank(&l, &x->rank) && code_lower_events(&l, x->system.role, &x->events) &&
              code_lower_clocks(&l, &x->clocks) && code_lower_outputs(&l, &x->outputs) &&
              code_lower_invariants(&l, x->system.role, &x->invariants) &&
              (!starts || code_lower_initial(&l, &x->system.jac, &x->start)) &&
              code_lower_needs(&l, &x->events);
    if (!ok) return NULL;
    code_lower_layers(&l, &x->system, &x->layers);
    code_find_masks(&l, &x->events);
    code_list_words(&l, &x->words);
    x->scratch = code_event_scratch(&x->events);
    return x;
}

/* Runs read the structure and its expressions, for messages mostly, while another formulation of the
 * model is being made in another thread: what they see stays as it is now. */
static const structure *read_only(const structure *s, arena *a)
{
    structure *x = arena_new(a, structure);
    *x = *s;
    x->pool = (expr_pool *)expr_share(s->pool, a); // read through const structures only
    return x;
}

/* The same for both: they are of one structure. */
static void list_tables(code_model *x, arena *a, arena *scratch)
{
    code_list_entries(x->s, a, scratch, &x->entries);
    code_list_claims(x->s, a, scratch, &x->claims);
    code_list_equations(x->s, a, scratch, &x->equations);
    x->initial->entries = x->entries;
    x->initial->claims = x->claims;
    x->initial->equations = x->equations;
}

static void list_cells(routine_rows *x, const code_cells *c, arena *a)
{
    const tape **const all[] = {c->program, c->quiet, c->asks, c->fires};
    for (int i = 0; i < 4; i++)
        for (int k = 0; all[i] && k < c->n; k++) routine_rows_add_tape(x, all[i][k], a);
}

static void list_routines(code_model *x, arena *a)
{
    routine_rows_init(&x->routines, x->s->flat->routines, a);
    for (int both = 0; both <= (x->initial != x); both++) {
        const code_list *list = both ? x->initial->functions : x->functions;
        for (int k = 0; k < list->all.n; k++)
            if (list->all.at[k].f->program)
                routine_rows_add(&x->routines, list->all.at[k].f->program, a);
        const code_events *e = both ? &x->initial->events : &x->events;
        const code_cells *cells[] = {&e->timers, &e->discrete, &e->acts};
        for (int k = 0; k < 3; k++) list_cells(&x->routines, cells[k], a);
    }
    x->initial->routines = x->routines;
}

static int compile_model(code_model *x)
{
    return code_list_compile(x->functions, x->m, &x->scratch, &x->n_w);
}

int code_lower(const form_system *form, arena *a, arena *scratch, mem *m, diag_sink *sink,
               code_model **out)
{
    *out = NULL;
    arena_mark here = arena_here(scratch);
    routine_codes *routines = arena_new(a, routine_codes);
    code_model *x = lower_model(form, form->initial == form, routines, a, scratch, m, sink);
    if (x) x->initial = x;
    if (x && form->initial != form) {
        x->initial = lower_model(form->initial, true, routines, a, scratch, m, sink);
        lowering l;
        if (x->initial) {
            lower_init(&l, form->initial, x->initial->functions, a, scratch, sink);
            if (!code_lower_map(&l, form, &x->initial->start)) x = NULL;
        }
    }
    if (x && x->initial) {
        lowering l;
        lower_init(&l, form, x->functions, a, scratch, sink);
        if (!code_lower_looks(&l, &x->looks)) x = NULL;
    }
    arena_release(scratch, here);
    if (!x || !x->initial) return VINC_E_MODEL;
    take_numbers(x, a);
    if (x->initial != x) take_numbers(x->initial, a);
    x->s = x->initial->s = read_only(form->s, a);
    code_list_variables(form->s, a, &x->variables);
    x->initial->variables = x->variables;
    x->initial->initial = x->initial;
    x->about = x->initial->about = code_about(form->s->flat);
    x->summary = x->initial->summary = code_summary(form, a, scratch);
    list_tables(x, a, scratch);
    list_routines(x, a);
    int rc = compile_model(x);
    if (!rc && x->initial != x) rc = compile_model(x->initial);
    if (rc) {
        code_model_free(x);
        return rc;
    }
    *out = x;
    return VINC_OK;
}

void code_model_free(code_model *m)
{
    if (!m) return;
    if (m->initial != m) code_model_free(m->initial);
    code_list_free(m->functions);
}

void code_set_origin(code_model *m, code_origin *origin)
{
    m->origin = m->initial->origin = origin;
}

/* Where states are chosen, accelerations solved for, or algebraic unknowns looked for from their start
 * values, a run asks for them in its steps. */
bool code_runs_without_tables(const code_model *m)
{
    return m->system.all_differential && m->initial == m && !m->formulation.n_groups &&
           !m->formulation.mechanical && !m->manifold && !m->rank;
}

/* A start value of something eliminated that says more than that of a state (start/start_blocks.c). */
static bool is_wish(const code_model *m, int entry)
{
    return code_entry_of(m, entry)->given && code_entry_of(m, entry)->preferred;
}

bool code_starts_as_given(const code_model *m)
{
    if (!code_runs_without_tables(m)) return false;
    for (int k = 0; k < m->start.n_extra; k++) {
        int e = m->start.rows[k].entry;
        if (e < 0 || code_entry_of(m, e)->fixed || is_wish(m, e)) return false;
    }
    for (int i = 0; i < m->n; i++) {
        int e = m->formulation.unknowns[i].entry;
        if (e < 0 ||
            (m->formulation.places[e + 1].where == IMAGE_IN_YP && code_entry_of(m, e + 1)->fixed))
            return false;
    }
    return true;
}

void code_model_print(const code_model *m, text *out)
{
    form_print(m->form, out);
    code_list_print(m->functions, out);
}
