/* Words of a compiled model: names of parameters and of elements of w, texts of relations, places.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/model_words.h"

#include <string.h>

static const size_t LETTERS = 80; // of one expression
/* Names of elements of w in expressions are looked for among all variables: so many looks at most. */
static const double LOOKS_MAX = 5e7;

const char *code_words(lowering *l, expr e, map *known)
{
    uint64_t *at = known ? map_put(known, (uint64_t)e) : NULL;
    if (at && *at) return (const char *)(uintptr_t)*at;
    text words;
    text_init(&words, l->scratch->m);
    expr_print(l->p, e, EXPR_MODELICA, LETTERS, &words);
    const char *kept = arena_strndup(l->a, text_str(&words), words.n);
    text_done(&words);
    if (at) *at = map_key(kept);
    return kept;
}

static const char *words_around(lowering *l, const char *before, const char *name)
{
    text words;
    text_init(&words, l->scratch->m);
    text_printf(&words, "%s(%s)", before, name);
    const char *kept = arena_strndup(l->a, text_str(&words), words.n);
    text_done(&words);
    return kept;
}

static const char *name_of_var(lowering *l, int v) // NULL: hidden
{
    const char *name = flat_name_in(l->s->flat, v, l->a);
    return name[0] == '$' ? NULL : name;
}

static void name_parameters(lowering *l, word_table *x)
{
    const structure *s = l->s;
    if (s->n_p > WORD_TEXTS_MAX) return;
    x->n_p = s->n_p;
    x->p = arena_array(l->a, const char *, s->n_p + 1);
    for (int v = 0; v < s->n_flat; v++)
        if (s->vars[v].role == STRUCTURE_PARAMETER) x->p[s->vars[v].place] = name_of_var(l, v);
}

static void name_element(word_table *x, int at, const char *name, word_kind kind)
{
    x->w[at] = name;
    x->w_kind[at] = (uint8_t)kind;
}

static void name_variables(lowering *l, word_table *x)
{
    const structure *s = l->s;
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        bool discrete = q->role == STRUCTURE_DISCRETE;
        if (!discrete && q->role != STRUCTURE_INPUT) continue;
        const char *name = name_of_var(l, v);
        if (!name) continue;
        name_element(x, q->place, name, discrete ? WORD_DISCRETE : WORD_OTHER);
        name_element(x, q->place + 1, words_around(l, discrete ? "pre" : "der", name), WORD_OTHER);
    }
}

static void name_elements(lowering *l, word_table *x)
{
    const structure *s = l->s;
    if (s->n_w > WORD_TEXTS_MAX) return;
    x->n_w = s->n_w;
    x->w = arena_array(l->a, const char *, s->n_w + 1);
    x->w_kind = arena_array(l->a, uint8_t, s->n_w + 1);
    x->w[STRUCTURE_W_INITIAL] = "initial()";
    x->w[STRUCTURE_W_TERMINAL] = "terminal()";
    name_variables(l, x);
    for (int k = 0; k < x->n_relations; k++) {
        const structure_relation *r = &s->relations.at[k];
        bool jumps = expr_at(l->p, r->relation)->type != TYPE_BOOLEAN;
        name_element(x, r->place, x->relation[k], jumps ? WORD_JUMP : WORD_RELATION);
    }
    for (int k = 0; k < s->samples.n; k++) x->w[s->samples.at[k].place] = "sample()";
    for (int k = 0; k < s->delays.n; k++)
        for (int i = 0; i < structure_delay_size(&s->delays.at[k]); i++)
            x->w[s->delays.at[k].place + i] = s->delays.at[k].name;
    for (int k = 0; k < s->before.n; k++) x->w[s->before.at[k].place] = s->before.at[k].name;
}

static void list_relations(lowering *l, word_table *x)
{
    const structure *s = l->s;
    int n = s->relations.n;
    x->relation_at = arena_array(l->a, span, n + 1);
    for (int k = 0; k < n; k++) x->relation_at[k] = s->relations.at[k].at;
    if (n > WORD_TEXTS_MAX || (double)n * s->n_flat > LOOKS_MAX) return;
    x->n_relations = n;
    x->relation = arena_array(l->a, const char *, n + 1);
    for (int k = 0; k < n; k++) x->relation[k] = code_words(l, s->relations.at[k].relation, NULL);
}

static void list_discrete(lowering *l, word_table *x)
{
    const structure *s = l->s;
    int n = x->n_discrete = s->discrete.n;
    bool named = n <= WORD_TEXTS_MAX;
    x->discrete = arena_array(l->a, const char *, n + 1);
    x->discrete_at = arena_array(l->a, span, n + 1);
    for (int k = 0; k < n; k++) {
        const structure_equation *e = &s->discrete.at[k];
        x->discrete_at[k] = e->at;
        if (named) x->discrete[k] = name_of_var(l, e->block);
    }
}

static void list_actions(lowering *l, word_table *x)
{
    const structure *s = l->s;
    x->n_actions = s->actions.n;
    x->action_at = arena_array(l->a, span, s->actions.n + 1);
    for (int k = 0; k < s->actions.n; k++) x->action_at[k] = s->actions.at[k].at;
}

static void list_computed(lowering *l, const code_outputs *o, word_table *x)
{
    int n = o->computed.n_out;
    if (n > WORD_TEXTS_MAX) return;
    x->n_computed = n;
    x->computed = arena_array(l->a, const char *, n + 1);
    for (int k = 0; k < o->n_columns; k++) {
        code_column c = code_column_in(o, k);
        tape_ref from = code_output_of(c) < 0 ? TAPE_NONE : code_output_from(o, c.at);
        if (from != TAPE_NONE && tape_kind_of(from) == TAPE_OUT)
            x->computed[tape_index_of(from)] = flat_name_in(l->s->flat, c.var, l->a);
    }
}

static void list_packages(lowering *l, word_table *x)
{
    const flat_model *m = l->s->flat;
    ARRAY(word_package) all = {0};
    for (int v = 0; v < m->vars.n && all.n < WORD_TEXTS_MAX; v++) {
        const char *package = flat_at(m, v)->decl->package;
        if (!package) continue;
        const char *name = FLAT_NAME(m, v), *dot = strrchr(name, '.');
        size_t n = dot ? (size_t)(dot - name) : 0;
        const char *last = all.n ? array_last(&all).component : "";
        if (!dot || (strlen(last) == n && !memcmp(last, name, n))) continue;
        array_push(l->a, &all, ((word_package){arena_strndup(l->a, name, n), package}));
    }
    x->n_packages = all.n;
    x->packages = all.at;
}

/* Which row gives which unknown: the highest derivative of the equation that is matched to it. */
static void list_solved(lowering *l, word_table *x)
{
    const form_system *f = l->f;
    const structure *s = l->s;
    int *row = arena_array(l->scratch, int, s->equations.n + 1);
    ARRAY(word_solved) runs = {0};
    for (int i = 0; i < f->rows.n; i++) {
        const form_row *r = &f->rows.at[i];
        if (r->equation >= 0 && r->derivative == s->equations.at[r->equation].c)
            row[r->equation] = i + 1;
    }
    for (int i = 0; i < f->unknowns.n && runs.n <= WORD_RUNS_MAX; i++) {
        int e = f->unknowns.at[i].entry;
        const structure_unknown *u =
            e < 0 || e >= s->entries.n ? NULL : &s->unknowns.at[s->entries.at[e].unknown];
        word_solved q = {i, u && u->equation >= 0 ? row[u->equation] - 1 : -1,
                         u && u->block >= 0 && s->blocks.at[u->block].n == 1};
        const word_solved *last = runs.n ? &array_last(&runs) : NULL;
        if (last && last->alone == q.alone &&
            q.row == (last->row < 0 ? -1 : last->row + i - last->first))
            continue;
        array_push(l->a, &runs, q);
    }
    if (runs.n > WORD_RUNS_MAX) return;
    x->n_solved = runs.n;
    x->solved = runs.at;
}

void code_list_words(lowering *l, const code_outputs *outputs, word_table *x)
{
    name_parameters(l, x);
    list_relations(l, x);
    name_elements(l, x);
    list_discrete(l, x);
    list_actions(l, x);
    list_computed(l, outputs, x);
    list_packages(l, x);
    list_solved(l, x);
}
