/* Recorded values.
 *
 * Most outputs are elements of y, y' or w as they are; the others are computed. Where a run records
 * a few of them only, the rest costs nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/run_parts.h"

#include <string.h>

enum { COPIED_SINGLY_MAX = 4 }; // values: a call costs as much
enum { COMPUTED_MANY = 64 };    // outputs: to compile a part of fewer costs more than it saves
static const double COMPUTED_PART = 0.25; // of them: more share most of their work

static bool output_is_computed(tape_ref from)
{
    return tape_kind_of(from) == TAPE_OUT;
}

void output_layout(run_recording *x, const code_model *m, bump *b)
{
    x->values = bump_double(b, (size_t)m->outputs.computed.n_out);
}

int run_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    run_state *s = user;
    const code_model *m = s->model;
    const int *only = s->recording.outputs;
    int n = only ? s->recording.n : m->outputs.n;
    rates_at(s, t, &y, &yp);
    if (m->outputs.computed.code && (!only || s->recording.computes))
        run_eval(s, s->recording.few.code ? &s->recording.few : &m->outputs.computed, t, y, yp,
                 s->recording.values, NULL);
    else run_refresh(s, t, y, yp);
    const double *values[TAPE_N_KINDS];
    values[TAPE_P] = s->p;
    values[TAPE_Y] = y;
    values[TAPE_YP] = yp;
    values[TAPE_W] = s->w;
    values[TAPE_OUT] = s->recording.values;
    for (int i = 0; only && i < n; i++) {
        tape_ref from = code_output_from(&m->outputs, only[i]);
        out[i] = values[tape_kind_of(from)][tape_index_of(from)];
    }
    for (int k = 0; !only && k < m->outputs.n_runs; k++) {
        const code_run *r = &m->outputs.runs[k];
        const double *at = values[r->kind] + r->from;
        if (r->n > COPIED_SINGLY_MAX) memcpy(out + r->to, at, (size_t)r->n * sizeof *at);
        else
            for (int i = 0; i < r->n; i++) out[r->to + i] = at[i];
    }
    return problem_finite(out, n) ? 0 : run_note_fault(s, t, y, yp);
}

int run_values(run_state *s, double t, const double *y, const double *yp, const int *outputs, int n,
               double *out)
{
    run_recording kept = s->recording;
    s->recording.outputs = (int *)outputs; // read only
    s->recording.n = n;
    s->recording.computes = false;
    s->recording.few.code = NULL;
    for (int i = 0; i < n && !s->recording.computes; i++)
        s->recording.computes =
            output_is_computed(code_output_from(&s->model->outputs, outputs[i]));
    int rc =
        s->slide.n ? slide_follows(s)->outputs(s, t, y, yp, out) : run_outputs(s, t, y, yp, out);
    kept.values = s->recording.values;
    s->recording = kept;
    return rc;
}

int run_record(run_state *s, const int *outputs, int n)
{
    mem_free(s->m, s->recording.outputs, (size_t)s->recording.n * sizeof *s->recording.outputs);
    mem_free(s->m, s->recording.unknowns, (size_t)s->recording.n * sizeof *s->recording.unknowns);
    tape_code_free(s->recording.few.code);
    s->recording.few = (code_fn){0};
    arena_done(&s->recording.kept);
    s->recording.outputs = s->recording.unknowns = NULL;
    s->recording.n = 0;
    s->problem.n_outputs = s->model->outputs.n;
    s->problem.outputs_of_states = 0;
    s->problem.row_unknowns = NULL;
    s->problem.rows = NULL; // until it is known what they are of (run_expect_rows)
    if (!outputs) return VINC_OK;
    s->recording.outputs = mem_try(s->m, (size_t)n * sizeof *s->recording.outputs);
    s->recording.unknowns = mem_try(s->m, (size_t)n * sizeof *s->recording.unknowns);
    s->recording.n = n;
    if (!s->recording.outputs || !s->recording.unknowns) return VINC_E_MEMORY;
    if (n) memcpy(s->recording.outputs, outputs, (size_t)n * sizeof *outputs);
    s->problem.n_outputs = n;
    s->recording.computes = false;
    for (int i = 0; i < n; i++)
        if (output_is_computed(code_output_from(&s->model->outputs, outputs[i])))
            s->recording.computes = true;
    return VINC_OK;
}

/* Does what is recorded depend on states alone, and is nothing else looked at in rows? */
static bool recorded_of_states(const run_state *s, arena *scratch)
{
    const code_model *m = s->model;
    const code_fn *all = &m->outputs.computed;
    const run_recording *x = &s->recording;
    if (m->manifold || m->formulation.mechanical || m->formulation.n_groups ||
        m->system.constraints.n_out || m->system.energy.n_out || m->invariants.n)
        return false;
    // Bit 0: depends on something else.
    uint64_t *y = arena_array(scratch, uint64_t, m->n + 1),
             *yp = arena_array(scratch, uint64_t, m->n + 1),
             *out = arena_array(scratch, uint64_t, all->n_out + 1);
    for (int i = 0; i < m->n; i++) {
        y[i] = m->system.role[i] != CODE_STATE;
        yp[i] = 1;
    }
    tape_sets sets = {.words = 1};
    sets.of[TAPE_Y] = y;
    sets.of[TAPE_YP] = yp;
    sets.of[TAPE_W] = arena_array(scratch, uint64_t, m->n_w + 1);
    sets.of[TAPE_OUT] = out;
    if (x->computes) tape_program_spread(all->program, &sets, scratch);
    for (int i = 0; i < x->n; i++) {
        tape_ref from = code_output_from(&m->outputs, x->outputs[i]);
        const uint64_t *of = sets.of[tape_kind_of(from)];
        if (of && of[tape_index_of(from)]) return false;
    }
    return true;
}

/* What is recorded of a state is its value, and rows are made of these alone. */
static void list_recorded(run_state *s)
{
    const code_model *m = s->model;
    const run_recording *x = &s->recording;
    int n = 0;
    s->problem.row_unknowns = NULL;
    if (!s->problem.outputs_of_states || x->computes || m->system.rates.n || s->past ||
        m->formulation.index > 1)
        return;
    for (int i = 0; i < x->n; i++) {
        tape_ref from = code_output_from(&m->outputs, x->outputs[i]);
        if (tape_kind_of(from) == TAPE_Y) x->unknowns[n++] = tape_index_of(from);
    }
    s->problem.row_unknowns = x->unknowns;
    s->problem.n_row_unknowns = n;
}

int run_record_compile(run_state *s, arena *scratch)
{
    arena_mark here = arena_here(scratch);
    s->problem.outputs_of_states = s->recording.outputs && recorded_of_states(s, scratch);
    arena_release(scratch, here);
    list_recorded(s);
    const code_fn *all = &s->model->outputs.computed;
    const run_recording *x = &s->recording;
    int few = 0;
    if (!x->outputs || !x->computes || all->n_out < COMPUTED_MANY) return VINC_OK;
    bool *wanted = arena_array(scratch, bool, all->n_out);
    for (int i = 0; i < x->n; i++) {
        tape_ref from = code_output_from(&s->model->outputs, x->outputs[i]);
        if (!output_is_computed(from) || wanted[tape_index_of(from)]) continue;
        wanted[tape_index_of(from)] = true;
        few++;
    }
    if (few > COMPUTED_PART * all->n_out) return VINC_OK;
    arena_init(&s->recording.kept, scratch->m);
    const tape_program *part =
        tape_program_slice(all->program, wanted, scratch, &s->recording.kept);
    tape_code *code;
    if (tape_compile_program(part, &(tape_options){0}, s->m, &code)) return VINC_E_MEMORY;
    bool fits = tape_code_scratch(code) <= s->model->scratch; // it is a part, so it does
    if (fits) s->recording.few = (code_fn){.code = code, .n_out = all->n_out};
    else tape_code_free(code);
    return VINC_OK;
}
