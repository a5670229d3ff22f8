/* Words of a compiled model: texts of relations and of elements of w, media, rows of unknowns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/model_words.h"

#include <string.h>

static const size_t LETTERS = 80; // of one relation
/* The most comparisons that the search for names of elements of w may take, over all variables and expressions. */
static const double LOOKS_MAX = 5e7;

static const char *words_of(lowering *l, const char *before, expr e, const char *after)
{
    text words;
    text_init(&words, l->scratch->m);
    text_add(&words, before);
    expr_print(l->p, e, EXPR_MODELICA, LETTERS, &words);
    text_add(&words, after);
    const char *kept = arena_strndup(l->a, text_str(&words), words.n);
    text_done(&words);
    return kept;
}

static void list_relations(lowering *l, word_table *x)
{
    const structure *s = l->s;
    int n = s->relations.n;
    if (n > WORD_TEXTS_MAX || (double)n * s->n_flat > LOOKS_MAX) return;
    x->n_relations = n;
    x->relations = arena_array(l->a, word_relation, n + 1);
    for (int k = 0; k < n; k++) {
        expr relation = s->relations.at[k].relation;
        x->relations[k].text = words_of(l, "", relation, "");
        x->relations[k].jumps = expr_at(l->p, relation)->type != TYPE_BOOLEAN;
    }
}

static void add_element(word_table *x, int at, const char *words)
{
    x->elements[x->n_elements++] = (word_element){at, words};
}

static void list_elements(lowering *l, word_table *x)
{
    const structure *s = l->s;
    int n = s->samples.n + s->sampled.n + s->delays.n + s->before.n;
    if (n > WORD_TEXTS_MAX) return;
    x->elements = arena_array(l->a, word_element, 2 * n + 2);
    add_element(x, IMAGE_W_INITIAL, "initial()");
    add_element(x, IMAGE_W_TERMINAL, "terminal()");
    for (int k = 0; k < s->samples.n; k++) add_element(x, s->samples.at[k].place, "sample()");
    for (int k = 0; k < s->sampled.n; k++)
        add_element(x, s->vars[s->sampled.at[k].var].place,
                    words_of(l, "sample(", s->sampled.at[k].value, ")"));
    for (int k = 0; k < s->delays.n; k++) { // the value and, at the other end, that of a profile
        const structure_delay *d = &s->delays.at[k];
        add_element(x, d->place, d->name);
        if (d->profile) add_element(x, d->place + 2, d->name);
    }
    for (int k = 0; k < s->before.n; k++)
        add_element(x, s->before.at[k].place, s->before.at[k].name);
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
        const image_row *r = &f->rows.at[i];
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

void code_list_words(lowering *l, word_table *x)
{
    list_relations(l, x);
    list_elements(l, x);
    list_packages(l, x);
    list_solved(l, x);
}
