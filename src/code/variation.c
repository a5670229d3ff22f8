/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/variation.h"

#include "code/model_parts.h"
#include "derive/derive.h"

#include <string.h>

typedef struct varying {
    code_variation *x;
    const tape_ref *columns;
    int n_columns;
    arena *a, *scratch;
    int first_w; // where derivatives of values in w are kept
} varying;

static void vary_program(varying *v, const tape_program *f, bool often, code_varied *out)
{
    code_variation *x = v->x;
    *out = (code_varied){.often = often};
    if (!f) return;
    arena_mark here = arena_here(v->scratch);
    tape_program_derivative d =
        tape_program_derive(f, v->columns, v->n_columns, v->first_w, v->scratch, v->a);
    arena_release(v->scratch, here);
    out->pattern = d.pattern;
    if (!d.pattern.nnz) return;
    out->program = d.code;
    if (d.code->extent[TAPE_W] > x->extent_w) x->extent_w = d.code->extent[TAPE_W];
    if (d.pattern.nnz > x->nnz_most) x->nnz_most = d.pattern.nnz;
}

static void vary_cells(varying *v, const code_cells *c, code_varied **out)
{
    *out = arena_array(v->a, code_varied, c->n + 1);
    memset(*out, 0, (size_t)(c->n + 1) * sizeof **out);
    for (int k = 0; k < c->n; k++) {
        tape_program_builder *b = tape_program_new(v->a);
        tape_program_kernel(b, c->program[k]);
        vary_program(v, tape_program_finish(b), false, &(*out)[k]);
    }
}

static void vary_along(varying *v, const tape_program *f, code_along *out)
{
    code_variation *x = v->x;
    int first = 1 + 2 * x->model->n; // columns of w and p come last
    *out = (code_along){0};
    if (!f) return;
    tape_program_tangent t = tape_program_product(f, x->model->n, v->first_w, v->columns + first,
                                                  v->n_columns - first, v->scratch, v->a);
    *out = (code_along){.program = t.code,
                        .v = t.v,
                        .vp = t.vp,
                        .w = t.w,
                        .p = t.p,
                        .n_slots = f->extent[TAPE_W],
                        .n_params = f->extent[TAPE_P]};
    if (t.n_w > x->extent_along) x->extent_along = t.n_w;
}

/* Parameters that move with those that were asked for. */
static void list_parameters(code_variation *x, arena *a)
{
    const code_model *m = x->model;
    const vinc_pattern *p = &x->bound.pattern;
    x->p_column = arena_array(a, int, m->n_p + 1);
    x->p_place = arena_array(a, int, m->n_p + 1);
    memset(x->p_column, 0, (size_t)(m->n_p + 1) * sizeof(int));
    for (int k = 0; k < x->n_asked; k++) x->p_column[x->asked[k]] = 1;
    for (int pass = 0; x->bound.program && pass < m->parameters.depth; pass++)
        for (int j = 0; j < p->n_cols; j++)
            for (int e = p->start[j]; x->p_column[j] && e < p->start[j + 1]; e++)
                x->p_column[m->parameters.place[p->row[e]]] = 1;
    for (int j = 0; j < m->n_p; j++)
        if (x->p_column[j]) {
            x->p_place[x->n_p++] = j;
            x->p_column[j] = x->n_p;
        }
}

/* Elements of w that hold what may move: Real discrete variables and their past, pre() of continuous
 * ones, inputs. */
static void list_slots(code_variation *x, arena *a)
{
    const structure *s = x->model->s;
    int n_w = x->model->n_w;
    x->w_column = arena_array(a, int, n_w + 1);
    x->w_slot = arena_array(a, int, n_w + 1);
    memset(x->w_column, 0, (size_t)(n_w + 1) * sizeof(int));
    for (int v = 0; v < s->n_flat; v++) {
        bool discrete = s->vars[v].role == STRUCTURE_DISCRETE;
        if ((!discrete && s->vars[v].role != STRUCTURE_INPUT) ||
            flat_at(s->flat, v)->type != TYPE_REAL)
            continue;
        x->w_column[s->vars[v].place] = 1;
        if (discrete) x->w_column[s->vars[v].place + 1] = 1;
    }
    for (int k = 0; k < s->before.n; k++) x->w_column[s->before.at[k].place] = 1;
    for (int j = 0; j < n_w; j++)
        if (x->w_column[j]) {
            x->w_slot[x->n_w++] = j;
            x->w_column[j] = x->n_w;
        }
}

static const tape_ref *list_columns(code_variation *x, arena *a)
{
    const code_model *m = x->model;
    int k = 0;
    tape_ref *list = arena_array(a, tape_ref, 1 + 2 * m->n + x->n_w + x->n_p);
    list[k++] = tape_t();
    for (int i = 0; i < m->n; i++) list[k++] = tape_y(i);
    for (int i = 0; i < m->n; i++) list[k++] = tape_yp(i);
    for (int i = 0; i < x->n_w; i++) list[k++] = tape_w(x->w_slot[i]);
    for (int i = 0; i < x->n_p; i++) list[k++] = tape_p(x->p_place[i]);
    x->n_columns = k;
    return list;
}

static const tape_ref *all_parameters(const code_model *m, arena *a)
{
    tape_ref *list = arena_array(a, tape_ref, m->n_p + 1);
    for (int i = 0; i < m->n_p; i++) list[i] = tape_p(i);
    return list;
}

static void vary_model(code_variation *x, arena *a, arena *scratch)
{
    const code_model *m = x->model;
    varying v = {.x = x, .a = a, .scratch = scratch, .first_w = m->n_w};
    x->extent_w = m->n_w;
    v.columns = all_parameters(m, a);
    v.n_columns = m->n_p;
    vary_program(&v, m->parameters.bound.program, false, &x->bound);
    list_parameters(x, a);
    list_slots(x, a);
    v.columns = list_columns(x, a);
    v.n_columns = x->n_columns;
    const struct {
        const code_fn *f;
        bool often;
    } list[CODE_V_N] = {[CODE_V_RESIDUAL] = {&m->system.residual, true},
                        [CODE_V_RHS] = {&m->system.rhs, true},
                        [CODE_V_NEXT] = {&m->choice.next, true},
                        [CODE_V_COMPUTED] = {&m->outputs.computed, true},
                        [CODE_V_ATTRIBUTES] = {&m->parameters.attributes, false},
                        [CODE_V_ROOTS] = {&m->events.roots, false},
                        [CODE_V_THRESHOLDS] = {&m->events.thresholds, false},
                        [CODE_V_BEFORE] = {&m->events.before, false},
                        [CODE_V_FIRST] = {&m->events.first, false},
                        [CODE_V_SAMPLES] = {&m->events.samples, false},
                        [CODE_V_EXTRA] = {&m->start.extra, false},
                        [CODE_V_MAP] = {&m->start.map, false}};
    for (int k = 0; k < CODE_V_N; k++)
        vary_program(&v, list[k].f->program, list[k].often, &x->of[k]);
    vary_along(&v, m->system.residual.program, &x->along[CODE_V_RESIDUAL]);
    vary_along(&v, m->system.rhs.program, &x->along[CODE_V_RHS]);
    vary_cells(&v, &m->events.discrete, &x->discrete);
    vary_cells(&v, &m->events.acts, &x->acts);
    vary_cells(&v, &m->events.timers, &x->timers);
    int n_levels = m->manifold ? m->manifold->n : 0;
    x->levels = arena_array(a, code_varied, n_levels + 1);
    for (int k = 0; k < n_levels; k++)
        vary_program(&v, m->manifold->levels[k].f.program, true, &x->levels[k]);
}

code_variation *code_lower_variation(const code_model *model, const int *asked, int n_asked,
                                     arena *a, arena *scratch)
{
    code_variation *x = arena_new(a, code_variation);
    *x = (code_variation){.model = model, .n_asked = n_asked};
    x->asked = arena_array(a, int, n_asked + 1);
    if (n_asked) memcpy(x->asked, asked, (size_t)n_asked * sizeof *asked);
    vary_model(x, a, scratch);
    if (model->initial != model)
        x->initial = code_lower_variation(model->initial, asked, n_asked, a, scratch);
    return x;
}

void code_lower_second(code_variation *x, arena *a, arena *scratch)
{
    static const code_variant of[2] = {CODE_V_RESIDUAL, CODE_V_COMPUTED};
    if (x->has_second) return;
    varying v = {.x = x, .a = a, .scratch = scratch, .first_w = x->extent_w};
    v.columns = list_columns(x, a);
    v.n_columns = x->n_columns;
    for (int k = 0; k < 2; k++) vary_program(&v, x->of[of[k]].program, true, &x->second[k]);
    x->has_second = true;
}

/* ---- machine code ---------------------------------------------------------------------------- */

static int compile_varied(code_variation *x, mem *m, code_varied *q)
{
    tape_options options = {.target = q->often ? NULL : &target_interpreter};
    if (!q->program || q->code) return VINC_OK;
    if (tape_compile_program(q->program, &options, m, &q->code)) return VINC_E_MEMORY;
    q->instructions = tape_program_instructions(q->program, tape_code_target(q->code)->lanes);
    size_t need = tape_code_scratch(q->code);
    if (need > x->scratch) x->scratch = need;
    return VINC_OK;
}

static int compile_along(code_variation *x, mem *m, code_along *q)
{
    if (!q->program || q->code) return VINC_OK;
    if (tape_compile_program(q->program, &(tape_options){0}, m, &q->code)) return VINC_E_MEMORY;
    q->instructions = tape_program_instructions(q->program, tape_code_target(q->code)->lanes);
    size_t need = tape_code_scratch(q->code);
    if (need > x->scratch) x->scratch = need;
    return VINC_OK;
}

int code_variation_compile(code_variation *x, mem *m)
{
    const code_events *e = &x->model->events;
    int rc = compile_varied(x, m, &x->bound);
    for (int k = 0; k < CODE_V_N && !rc; k++) rc = compile_varied(x, m, &x->of[k]);
    for (int k = 0; k < 2 && !rc; k++) rc = compile_varied(x, m, &x->second[k]);
    for (int k = 0; k < 2 && !rc; k++) rc = compile_along(x, m, &x->along[k]);
    for (int k = 0; k < e->discrete.n && !rc; k++) rc = compile_varied(x, m, &x->discrete[k]);
    for (int k = 0; k < e->acts.n && !rc; k++) rc = compile_varied(x, m, &x->acts[k]);
    for (int k = 0; k < e->timers.n && !rc; k++) rc = compile_varied(x, m, &x->timers[k]);
    for (int k = 0; x->model->manifold && k < x->model->manifold->n && !rc; k++)
        rc = compile_varied(x, m, &x->levels[k]);
    if (!rc && x->initial) rc = code_variation_compile(x->initial, m);
    return rc;
}

static void free_cells(code_varied *list, int n)
{
    for (int k = 0; list && k < n; k++) tape_code_free(list[k].code);
}

void code_variation_free(code_variation *x)
{
    if (!x) return;
    code_variation_free(x->initial);
    tape_code_free(x->bound.code);
    for (int k = 0; k < CODE_V_N; k++) tape_code_free(x->of[k].code);
    for (int k = 0; k < 2; k++) tape_code_free(x->second[k].code);
    for (int k = 0; k < 2; k++) tape_code_free(x->along[k].code);
    free_cells(x->discrete, x->model->events.discrete.n);
    free_cells(x->acts, x->model->events.acts.n);
    free_cells(x->timers, x->model->events.timers.n);
    free_cells(x->levels, x->model->manifold ? x->model->manifold->n : 0);
}
