/* The derivative of a sum is a sum, column by column, of the derivatives of its terms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive_program.h"

#include <string.h>

typedef struct term {
    int col, slot;
    double coef;
} term;

/* A sum step under construction: targets, and their terms. */
typedef struct sum_draft {
    int_array start, index, entries;
    ARRAY(double) coef;
} sum_draft;

/* An element of w that holds the constant: a kernel stores it. */
static int constant_slot(program_deriver *d, double value)
{
    tape_builder *b = tape_builder_new(d->scratch);
    int slot = d->n_w++;
    tape_store(b, tape_w(slot), tape_const(b, value));
    draft to = {.step = {.kind = TAPE_STEP_KERNEL, .kernel = tape_finish(b, d->result), .n = 1}};
    array_push(d->scratch, &d->drafts, to);
    return slot;
}

typedef ARRAY(term) term_array;

/* The terms of target i, those of each column together, columns in the order they are met. */
static void collect_terms(program_deriver *d, const tape_step *s, int i, term_array *sorted,
                          int_array *ends)
{
    term_array all = {0};
    derive_begin_instance(d);
    for (int k = s->start[i]; k < s->start[i + 1]; k++) {
        slopes g = d->of_w[s->index[k]];
        double coef = s->coef ? s->coef[k] : 1.0;
        for (int e = 0; e < g.n; e++) {
            derive_local_column(d, g.at[e].col);
            term x = {g.at[e].col, g.at[e].slot, coef};
            if (x.slot < 0) x.coef *= g.at[e].value;
            array_push(d->scratch, &all, x);
        }
    }
    int *at = arena_array(d->scratch, int, d->met.n + 1);
    for (int k = 0; k < all.n; k++) at[d->local[all.at[k].col] + 1]++;
    for (int k = 0; k < d->met.n; k++) at[k + 1] += at[k];
    array_reserve(d->scratch, sorted, all.n + 1);
    sorted->n = all.n;
    for (int k = 0; k < all.n; k++) sorted->at[at[d->local[all.at[k].col]]++] = all.at[k];
    ends->n = 0;
    for (int k = 0; k < d->met.n; k++) array_push(d->scratch, ends, at[k]);
}

/* One derivative: a constant, an element that exists, or a new sum (for a result in out the slot
 * means nothing). */
static slope add_sum(program_deriver *d, const term *t, int n, bool is_w, sum_draft *to, int one)
{
    double constant = 0;
    int n_slots = 0;
    for (int k = 0; k < n; k++) {
        if (t[k].slot < 0) constant += t[k].coef;
        else n_slots++;
    }
    if (n_slots == 0 && (is_w || constant == 0)) return (slope){t[0].col, -1, constant};
    if (is_w && n == 1 && t[0].coef == 1.0) return (slope){t[0].col, t[0].slot, 0};
    for (int k = 0; k < n; k++) {
        if (t[k].slot < 0) continue;
        array_push(d->scratch, &to->index, t[k].slot);
        array_push(d->scratch, &to->coef, t[k].coef);
    }
    if (constant != 0) {
        array_push(d->scratch, &to->index, one);
        array_push(d->scratch, &to->coef, constant);
    }
    array_push(d->scratch, &to->start, to->index.n);
    return (slope){t[0].col, is_w ? d->n_w + to->start.n - 2 : 0, 0};
}

static void push_sum(program_deriver *d, sum_draft *s, tape_access target, bool pending)
{
    if (s->start.n < 2) return;
    draft to = {.n_access = 1};
    to.access = arena_new(d->scratch, draft_access);
    *to.access = (draft_access){.at = target, .pending = pending, .entries = s->entries.at};
    to.step = (tape_step){.kind = TAPE_STEP_SUM,
                          .n = s->start.n - 1,
                          .start = s->start.at,
                          .index = s->index.at,
                          .coef = s->coef.at};
    array_push(d->scratch, &d->drafts, to);
}

void derive_sum(program_deriver *d, const tape_step *s)
{
    bool is_w = s->access->array == TAPE_W;
    sum_draft sums[2]; // by array of the results: out (or w), out2
    slopes *fresh = arena_array(d->scratch, slopes, s->n);
    term_array terms = {0};
    int_array ends = {0};
    int one = -1;
    memset(sums, 0, sizeof sums);
    if (is_w) { // values in w are needed by later steps
        draft same = {.step = *s, .n_access = 1, .access = arena_new(d->scratch, draft_access)};
        same.access->at = *s->access;
        array_push(d->scratch, &d->drafts, same);
    }
    // The slot of the constant comes before those of this step, which lie side by side.
    for (int k = 0; k < s->start[s->n] && one < 0; k++)
        for (int e = 0; e < d->of_w[s->index[k]].n && one < 0; e++)
            if (d->of_w[s->index[k]].at[e].slot < 0) one = constant_slot(d, 1.0);
    for (int k = 0; k < 2; k++) array_push(d->scratch, &sums[k].start, 0);
    for (int i = 0; i < s->n; i++) {
        collect_terms(d, s, i, &terms, &ends);
        slope *at = arena_array(d->scratch, slope, ends.n);
        int n = 0;
        for (int k = 0, first = 0; k < ends.n; first = ends.at[k++]) {
            int col = terms.at[first].col, which = !is_w && derive_goes_to_out2(d, col);
            at[n] = add_sum(d, terms.at + first, ends.at[k] - first, is_w, &sums[which], one);
            if (at[n].slot < 0 && at[n].value == 0) continue; // constants may cancel
            n++;
            if (is_w || s->access->array != TAPE_OUT) continue;
            array_push(d->scratch, &sums[which].entries, d->entries.n);
            array_push(d->scratch, &d->entries, ((pattern_entry){tape_element(s->access, i), col}));
        }
        fresh[i] = (slopes){n, at};
    }
    if (is_w) {
        push_sum(d, &sums[0], (tape_access){TAPE_W, d->n_w, 1, NULL}, false);
        d->n_w += sums[0].start.n - 1;
        for (int i = 0; i < s->n; i++) d->of_w[tape_element(s->access, i)] = fresh[i];
    } else if (s->access->array == TAPE_OUT) {
        push_sum(d, &sums[0], (tape_access){.array = TAPE_OUT}, true);
        push_sum(d, &sums[1], (tape_access){.array = TAPE_OUT2}, true);
    }
}
