/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/functions.h"

static void put_on_list(lowering *l, const code_listed *of)
{
    arena_mark here = arena_here(l->scratch);
    of->f->when = of->when;
    of->f->title = of->name;
    const tape_program *p = tape_program_hoist(of->f->program, l->f->n_w, l->scratch, l->a);
    arena_release(l->scratch, here);
    array_push(l->a, &l->list->all, *of);
    array_push(l->a, &l->list->hoisted, p);
}

/* Outputs of the same place that follow each other are one run; a long table is left out. */
static word_places places_of(arena *a, const span *at, int n)
{
    word_places x = {.n_of = n};
    for (int pass = 0; pass < 2; pass++) {
        x.n = 0;
        for (int i = 0; i < n; i++) {
            if (i && at[i].begin == at[i - 1].begin && at[i].end == at[i - 1].end) continue;
            if (pass) x.run[x.n] = (word_run){i, at[i]};
            x.n++;
        }
        if (x.n > WORD_RUNS_MAX) return (word_places){0};
        if (!pass) x.run = arena_array(a, word_run, x.n);
    }
    return x;
}

bool code_function(lowering *l, const code_listed *of, const expr *roots, const span *at, int n)
{
    *of->f = (code_fn){.n_out = n};
    if (!n) return true;
    l->what = of->what;
    l->at = (span){0, 0};
    const tape_program *p = lower_program(l, roots, NULL, at, n);
    if (of->when == CODE_WAITED_FOR) p = tape_program_reciprocals(p, l->scratch, l->a);
    of->f->program = p;
    if (at) of->f->at = places_of(l->a, at, n);
    put_on_list(l, of);
    return !l->failed;
}

void code_tape(lowering *l, const code_listed *of, const tape *t)
{
    tape_program_builder *b = tape_program_new(l->a);
    tape_program_kernel(b, t);
    *of->f = (code_fn){.program = tape_program_finish(b), .n_out = t->extent[TAPE_OUT]};
    put_on_list(l, of);
}

void code_slice(lowering *l, const code_listed *of, const code_fn *f, const bool *wanted)
{
    *of->f = (code_fn){.program = tape_program_slice(f->program, wanted, l->scratch, l->a),
                       .n_out = f->n_out};
    put_on_list(l, of);
}

void code_derivative(lowering *l, const code_listed *of, const tape_program *f, int n_rows,
                     int n_cols, vinc_pattern *pattern)
{
    tape_program_derivative d =
        tape_program_jacobian(f, n_rows, n_cols, l->f->n_w, l->scratch, l->a);
    *of->f = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
    *pattern = d.pattern;
    put_on_list(l, of);
}

void code_slopes(lowering *l, const code_listed *of, const tape_program *f, int n_cols,
                 vinc_pattern *pattern)
{
    tape_ref *wrt = arena_array(l->scratch, tape_ref, 1 + 2 * n_cols);
    wrt[0] = tape_t();
    for (int j = 0; j < n_cols; j++) wrt[1 + j] = tape_y(j), wrt[1 + n_cols + j] = tape_yp(j);
    tape_program_derivative d =
        tape_program_derive(f, wrt, 1 + 2 * n_cols, l->f->n_w, l->scratch, l->a);
    *of->f = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
    *pattern = d.pattern;
    put_on_list(l, of);
}

/* Machine code is held outside the arenas: compiled when nothing can jump any more. */
int code_list_compile(const code_list *list, mem *m, size_t *scratch, int *n_w)
{
    for (int k = 0; k < list->all.n; k++) {
        code_fn *f = list->all.at[k].f;
        bool often = list->all.at[k].when != CODE_SELDOM;
        tape_options options = {.target = often ? NULL : &target_interpreter};
        const tape_program *p = list->hoisted.at[k];
        if (tape_compile_program(p, &options, m, &f->code)) return VINC_E_MEMORY;
        size_t n = tape_code_scratch(f->code);
        if (n > *scratch) *scratch = n;
        if (p->extent[TAPE_W] > *n_w) *n_w = p->extent[TAPE_W];
    }
    return routine_codes_compile(list->routines, m);
}

void code_list_free(const code_list *list)
{
    routine_codes_free(list->routines);
    for (int k = 0; k < list->all.n; k++) {
        tape_code_free(list->all.at[k].f->code);
        list->all.at[k].f->code = NULL;
    }
}

void code_list_print(const code_list *list, text *out)
{
    for (int k = 0; k < list->all.n; k++) {
        text_printf(out, "\n%s\n", list->all.at[k].name);
        tape_program_print(list->all.at[k].f->program, out);
    }
}
