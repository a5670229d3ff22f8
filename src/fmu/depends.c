/* The equations F(t, y, y', u, p) = 0 are solved for what states, inputs and parameters determine
 * (run/respond.c); here with sets instead of numbers. Rows tell which of the known they hold, blocks in
 * order pass that on, and programs are run on sets again until nothing is added: derivatives give the order,
 * but a value may depend on what its derivative does not.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/depends.h"

#include "graph/graph.h"
#include "run/verbs.h"

#include <string.h>

typedef struct tracing {
    fmu_depends *d;
    const code_model *m;
    arena *a;
    tape_sets s;
    uint64_t *y, *yp, *p, *w, *next, *row; // sets; row: what a row of F holds
    uint64_t *attributes, *computed;
    graph_blocks blocks;
    graph_pattern rows; // unknowns by row of F
    graph_matching match;
} tracing;

static uint64_t *sets_new(const tracing *x, int n)
{
    return arena_array(x->a, uint64_t, (n + 1) * x->d->words);
}

static uint64_t *set_of(const tracing *x, uint64_t *sets, int i)
{
    return sets + (size_t)i * (size_t)x->d->words;
}

static void put(uint64_t *set, int known)
{
    set[known / 64] |= (uint64_t)1 << known % 64;
}

static bool add(const tracing *x, uint64_t *to, const uint64_t *from)
{
    bool more = false;
    for (int k = 0; k < x->d->words; k++) {
        more |= (from[k] & ~to[k]) != 0;
        to[k] |= from[k];
    }
    return more;
}

/* ---- what is known --------------------------------------------------------------------------- */

static bool is_input_place(const code_model *m, int w)
{
    for (int i = 0; i < m->inputs.n; i++)
        if (w == m->inputs.list[i].place || w == m->inputs.list[i].place + 1) return true;
    return false;
}

/* Work elements, before a program: inputs; the rest changes in events. */
static void seed_work(tracing *x)
{
    memset(x->w, 0, (size_t)x->m->n_w * (size_t)x->d->words * sizeof *x->w);
    for (int k = 0; k < x->m->n_w; k++)
        if (!is_input_place(x->m, k)) put(set_of(x, x->w, k), fmu_known_all(x->d));
    for (int i = 0; i < x->m->inputs.n; i++)
        for (int k = 0; k < 2; k++) // its value and its derivative
            put(set_of(x, x->w, x->m->inputs.list[i].place + k), fmu_known_input(x->d, i));
}

static void spread_to(tracing *x, const code_fn *f, uint64_t *out)
{
    if (!f->program) return;
    seed_work(x);
    x->s.of[TAPE_OUT] = out;
    tape_program_spread(f->program, &x->s, x->a);
}

static void seed_parameters(tracing *x)
{
    const code_parameters *q = &x->m->parameters;
    uint64_t *bound = sets_new(x, q->bound.n_out);
    for (int i = 0; i < x->m->n_p; i++) put(set_of(x, x->p, i), fmu_known_parameter(x->d, i));
    for (int pass = 0; pass < q->depth; pass++) {
        spread_to(x, &q->bound, bound);
        for (int k = 0; k < q->bound.n_out; k++)
            add(x, set_of(x, x->p, q->place[k]), set_of(x, bound, k));
    }
    spread_to(x, &q->attributes, x->attributes);
}

static void seed_states(tracing *x)
{
    int k = FMU_KNOWN_STATES;
    for (int i = 0; i < x->m->n; i++)
        if (api_is_plain_state(x->m, i)) put(set_of(x, x->y, i), k++);
}

/* ---- the equations --------------------------------------------------------------------------- */

/* Entries of the Jacobian for what is solved for: of a state that is its derivative alone. */
static graph_pattern solved_rows(tracing *x)
{
    const vinc_pattern *j = &x->m->system.jac;
    int n = x->m->n, k = 0;
    graph_pattern kept = {n, n, arena_array(x->a, int, n + 1), arena_array(x->a, int, j->nnz),
                          NULL};
    uint64_t *y = x->s.of[TAPE_Y], *rates = sets_new(x, n);
    x->s.of[TAPE_Y] = NULL;
    x->s.of[TAPE_YP] = rates;
    for (int i = 0; i < n; i++)
        if (x->m->system.role[i] == CODE_STATE) put(set_of(x, rates, i), k++);
    spread_to(x, &x->m->system.residual, x->row);
    x->s.of[TAPE_Y] = y;
    x->s.of[TAPE_YP] = x->yp;
    for (int c = 0, state = 0, to = 0; c < n; c++) {
        bool is_state = x->m->system.role[c] == CODE_STATE;
        for (int e = j->start[c]; e < j->start[c + 1]; e++)
            if (!is_state || fmu_has(set_of(x, x->row, j->row[e]), state))
                kept.col[to++] = j->row[e];
        kept.start[c + 1] = to;
        state += is_state;
    }
    return graph_transpose(&kept, x->a);
}

static bool order_blocks(tracing *x)
{
    x->rows = solved_rows(x);
    x->match = graph_match(&x->rows, NULL, x->a, x->a);
    if (x->match.n < x->m->n) return false;
    x->blocks = graph_blt(&x->rows, x->match.row_of, NULL, NULL, x->a, x->a);
    return true;
}

static uint64_t *unknown_set(tracing *x, int j)
{
    return set_of(x, x->m->system.role[j] == CODE_STATE ? x->yp : x->y, j);
}

static bool pass_block(tracing *x, int b)
{
    uint64_t *all = sets_new(x, 1);
    bool more = false;
    for (int k = x->blocks.start[b]; k < x->blocks.start[b + 1]; k++) {
        int i = x->blocks.item[k];
        add(x, all, set_of(x, x->row, i));
        for (int e = x->rows.start[i]; e < x->rows.start[i + 1]; e++)
            add(x, all, unknown_set(x, x->rows.col[e]));
    }
    for (int k = x->blocks.start[b]; k < x->blocks.start[b + 1]; k++)
        more |= add(x, unknown_set(x, x->match.col_of[x->blocks.item[k]]), all);
    return more;
}

/* Rows that choose states hold one combination each, which is known. */
static void seed_rows(tracing *x)
{
    const image_formulation *form = &x->m->formulation;
    int k = FMU_KNOWN_STATES;
    for (int i = 0; i < x->m->n; i++) {
        k += api_is_plain_state(x->m, i);
        if (x->m->system.selecting[i])
            memset(set_of(x, x->row, i), 0, (size_t)x->d->words * sizeof *x->row);
    }
    for (int g = 0; g < form->n_groups; g++) {
        const image_group *q = &form->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++)
            put(set_of(x, x->row, q->rows[i]), k++);
    }
}

static void trace_equations(tracing *x)
{
    for (bool more = true; more;) {
        more = false;
        spread_to(x, &x->m->system.residual, x->row);
        seed_rows(x);
        for (int b = 0; b < x->blocks.n; b++) {
            arena_mark mark = arena_here(x->a);
            more |= pass_block(x, b);
            arena_release(x->a, mark);
        }
        const code_choice *c = &x->m->choice;
        spread_to(x, &c->next, x->next);
        for (int k = 0; k < c->next.n_out; k++)
            more |= add(x, set_of(x, x->yp, c->next_of[k]), set_of(x, x->next, k));
    }
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static void column_set(tracing *x, int column, uint64_t *to)
{
    const code_column c = code_column_in(&x->m->outputs, column);
    if (c.alias) column_set(x, c.at, to);
    else if (c.constant) {
        const code_value *v = code_constant(&x->m->outputs, column);
        if (v->output == CODE_PARAMETER) add(x, to, set_of(x, x->p, (int)v->number));
        else if (v->output >= 0) add(x, to, set_of(x, x->attributes, v->output));
    } else {
        tape_ref from = code_output_from(&x->m->outputs, code_output_of(c));
        int k = tape_index_of(from);
        switch (tape_kind_of(from)) {
        case TAPE_Y: add(x, to, set_of(x, x->y, k)); break;
        case TAPE_YP: add(x, to, set_of(x, x->yp, k)); break;
        case TAPE_P: add(x, to, set_of(x, x->p, k)); break;
        case TAPE_T: put(to, FMU_KNOWN_TIME); break;
        case TAPE_OUT: add(x, to, set_of(x, x->computed, k)); break;
        default: add(x, to, set_of(x, x->w, k)); break;
        }
    }
}

static void collect(tracing *x)
{
    const image_formulation *form = &x->m->formulation;
    fmu_depends *d = x->d;
    spread_to(x, &x->m->outputs.computed, x->computed);
    seed_work(x);
    for (int c = 0; c < x->m->outputs.n_columns; c++) column_set(x, c, set_of(x, d->columns, c));
    int k = 0;
    for (int i = 0; i < x->m->n; i++)
        if (api_is_plain_state(x->m, i)) add(x, set_of(x, d->rates, k++), set_of(x, x->yp, i));
    for (int g = 0; g < form->n_groups; g++) {
        const image_group *q = &form->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++, k++)
            for (int j = 0; j < q->n_columns; j++)
                add(x, set_of(x, d->rates, k), set_of(x, x->yp, q->columns[j]));
    }
}

/* Words that are touched in one pass, about. */
static double work_of(const code_model *m, int words)
{
    double n = m->n_w + m->n;
    const tape_program *p = m->system.residual.program;
    for (int i = 0; p && i < p->n_steps; i++)
        if (p->steps[i].kernel) n += (double)p->steps[i].n * p->steps[i].kernel->n_ins;
    return n * words;
}

fmu_depends *fmu_depends_of(vinc_sim *sim, arena *a)
{
    const double WORDS_MAX = 3e7; // some hundredths of a second
    const code_model *m = run_model(sim->state);
    fmu_depends *d = arena_new(a, fmu_depends);
    *d = (fmu_depends){
        .n_states = vinc_sim_n_states(sim), .n_inputs = m->inputs.n, .n_parameters = m->n_p};
    d->words = fmu_known_all(d) / 64 + 1;
    if (work_of(m, d->words) > WORDS_MAX) return NULL;
    tracing x = {.d = d, .m = m, .a = a, .s = {.words = d->words}};
    d->columns = sets_new(&x, m->outputs.n_columns);
    d->rates = sets_new(&x, d->n_states);
    x.s.of[TAPE_Y] = x.y = sets_new(&x, m->n);
    x.s.of[TAPE_YP] = x.yp = sets_new(&x, m->n);
    x.s.of[TAPE_P] = x.p = sets_new(&x, m->n_p);
    x.s.of[TAPE_W] = x.w = sets_new(&x, m->n_w);
    x.s.of[TAPE_T] = sets_new(&x, 1);
    put(x.s.of[TAPE_T], FMU_KNOWN_TIME);
    x.next = sets_new(&x, m->choice.next.n_out);
    x.row = sets_new(&x, m->n);
    x.attributes = sets_new(&x, m->parameters.attributes.n_out);
    x.computed = sets_new(&x, m->outputs.computed.n_out);
    if (!order_blocks(&x)) return NULL;
    seed_parameters(&x);
    seed_states(&x);
    trace_equations(&x);
    collect(&x);
    return d;
}

void fmu_input_rates(const code_model *m, arena *a, bool *used)
{
    const code_fn *of[] = {&m->system.residual, &m->outputs.computed, &m->events.relations};
    arena_mark here = arena_here(a);
    int words = m->inputs.n / 64 + 1;
    for (int k = 0; m->inputs.n && k < 3; k++) {
        if (!of[k]->program) continue;
        uint64_t *w = arena_array(a, uint64_t, m->n_w * words + 1);
        uint64_t *out = arena_array(a, uint64_t, of[k]->n_out * words + 1);
        tape_sets s = {.words = words, .of = {[TAPE_W] = w, [TAPE_OUT] = out}};
        for (int i = 0; i < m->inputs.n; i++)
            w[(m->inputs.list[i].place + 1) * words + i / 64] |= UINT64_C(1) << i % 64;
        tape_program_spread(of[k]->program, &s, a);
        for (int j = 0; j < of[k]->n_out; j++)
            for (int i = 0; i < m->inputs.n; i++)
                used[i] |= !m->inputs.list[i].held && fmu_has(out + (size_t)j * (size_t)words, i);
    }
    for (int j = 0; j < m->outputs.n; j++) // outputs that are nothing else
        for (int i = 0; i < m->inputs.n; i++)
            used[i] |= !m->inputs.list[i].held &&
                       code_output_from(&m->outputs, j) == tape_w(m->inputs.list[i].place + 1);
    arena_release(a, here);
}
