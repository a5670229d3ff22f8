/* Initial equations of discrete variables that no definition leads through: exactly one of three is true.
 *
 * What is open at the start is pre(v) of Booleans and enumerations that neither an initial equation nor
 * a fixed start value gives. Where there are few, all their values are tried, those with the fewest
 * changes of start values first: the rule of all start values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/search.h"

#include <string.h>

typedef struct choices {
    start *a;
    int n;
    const image_choice *of;
    int *given, *taken; // counted from the lowest
    double *w;          // as it was before the search
} choices;

static int n_changed(const choices *c)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) n += c->taken[i] != c->given[i];
    return n;
}

static bool next_taken(choices *c)
{
    for (int i = c->n - 1; i >= 0; i--) {
        if (++c->taken[i] < c->of[i].radix) return true;
        c->taken[i] = 0;
    }
    return false;
}

/* Does it lead to a start at which every claim holds? What is said on the way is forgotten. */
static bool choice_holds(choices *c)
{
    start *a = c->a;
    double *w = run_discrete_values(a->s), side[2];
    diag_sink held = *a->sink;
    memcpy(w, c->w, (size_t)a->n_w * sizeof *w);
    for (int i = 0; i < c->n; i++) {
        int at = c->of[i].place;
        w[at] = w[at + 1] = c->of[i].lowest + c->taken[i];
    }
    start_take_values(a);
    int rc = start_settle(a, false);
    if (held.last) held.last->next = NULL;
    *a->sink = held;
    return rc == VINC_OK && run_broken_claim(a->s, a->t, a->y, a->yp, side) < 0;
}

static void name_choice(const choices *c, const int *taken)
{
    text t;
    text_init(&t, c->a->sink->a->m);
    for (int i = 0; i < c->n; i++)
        text_printf(&t, "%s%s = %s", i ? ", " : "", c->of[i].name, c->of[i].values[taken[i]]);
    diag_warning(
        c->a->sink, "R216", c->a->m->claims.at[0].at,
        "the initial equations leave a choice, of which the first was taken: %s before the "
        "start. Give one of them a start value with fixed = true, or another initial equation",
        text_str(&t));
    text_done(&t);
}

int start_choose(start *a, const double *w_given, int *n_open)
{
    arena *scratch = a->sink->a;
    choices c = {.a = a, .n = a->m->claims.n_choices, .of = a->m->claims.choices};
    int found = 0, *first = arena_array(scratch, int, c.n);
    size_t bytes = (size_t)c.n * sizeof *first;
    c.given = arena_array(scratch, int, c.n);
    c.taken = arena_array(scratch, int, c.n);
    c.w = arena_array(scratch, double, a->n_w);
    memcpy(c.w, w_given, (size_t)a->n_w * sizeof *c.w);
    for (int i = 0; i < c.n; i++) c.given[i] = (int)(c.w[c.of[i].place + 1] - c.of[i].lowest);
    *n_open = c.n;
    for (int changes = 1; changes <= c.n && !found; changes++) {
        memset(c.taken, 0, bytes);
        do {
            if (n_changed(&c) != changes || !choice_holds(&c)) continue;
            if (!found++) memcpy(first, c.taken, bytes);
        } while (found < 2 && next_taken(&c));
    }
    if (!found) return 1;
    memcpy(c.taken, first, bytes);
    if (found > 1) name_choice(&c, first);
    return choice_holds(&c) ? VINC_OK : 1;
}
