/* Initial equations of discrete variables that no definition leads through: exactly one of three is true.
 *
 * What is open at the start is pre(v) of Booleans and enumerations that neither an initial equation nor
 * a fixed start value gives. Where there are few, all their values are tried, those with the fewest
 * changes of start values first: the rule of all start values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/search.h"

#include <string.h>

enum { OPEN_MAX = 12, CHOICES_MAX = 4096 };

typedef struct choices {
    start *a;
    const structure *s;
    int n;
    int var[OPEN_MAX], radix[OPEN_MAX];
    double lowest[OPEN_MAX];
    int given[OPEN_MAX], taken[OPEN_MAX]; // counted from the lowest
    double *w;                            // as it was before the search
} choices;

static bool is_open(const structure *s, int v)
{
    const flat_var *f = flat_at(s->flat, v);
    bool few = f->type == TYPE_BOOLEAN || f->type == TYPE_ENUM;
    if (s->vars[v].role != STRUCTURE_DISCRETE || s->vars[v].clock || !few || f->flags & FLAT_HIDDEN)
        return false;
    for (int k = 0; k < s->first.n; k++)
        if (s->first.at[k].block == v) return false;
    return !f->attr || f->attr->fixed != 1;
}

/* The definitions that claims depend on, directly or not. */
static void mark_needed(const structure *s, arena *a, bool *needed)
{
    expr *roots = arena_array(a, expr, 2 * (s->claims.n + s->discrete.n) + 1);
    int n = 0;
    bool *followed = arena_array(a, bool, s->discrete.n + 1);
    memset(followed, 0, (size_t)s->discrete.n + 1);
    for (int k = 0; k < s->claims.n; k++) {
        roots[n++] = s->claims.at[k].lhs;
        roots[n++] = s->claims.at[k].rhs;
    }
    for (bool more = true; more;) {
        more = false;
        int_array vars = expr_vars(s->pool, roots, n, a);
        for (int i = 0; i < vars.n; i++) {
            int at = expr_at(s->pool, vars.at[i])->u.var.index - s->n_flat;
            if (at >= 0 && at < s->n_w) needed[at] = true;
        }
        for (int k = 0; k < s->discrete.n; k++) {
            const structure_equation *e = &s->discrete.at[k];
            if (followed[k] || !needed[s->vars[e->block].place]) continue;
            followed[k] = more = true;
            roots[n++] = e->lhs;
            roots[n++] = e->rhs;
        }
    }
}

/* False: there is nothing to choose, or too much of it. */
static bool find_open(choices *c, arena *a)
{
    const structure *s = c->s;
    bool *needed = arena_array(a, bool, s->n_w + 1);
    memset(needed, 0, (size_t)s->n_w + 1);
    mark_needed(s, a, needed);
    long all = 1;
    for (int v = 0; v < s->n_flat; v++) {
        if (!is_open(s, v) || !needed[s->vars[v].place + 1]) continue;
        const flat_var *f = flat_at(s->flat, v);
        bool logical = f->type == TYPE_BOOLEAN;
        int radix = logical ? 2 : s->flat->enums.at[f->decl->enum_id].n;
        if (c->n == OPEN_MAX || (all *= radix) > CHOICES_MAX) return false;
        c->var[c->n] = v;
        c->radix[c->n] = radix;
        c->lowest[c->n] = logical ? 0 : 1;
        c->given[c->n] = (int)(c->w[s->vars[v].place + 1] - c->lowest[c->n]);
        c->n++;
    }
    return c->n > 0;
}

static int n_changed(const choices *c)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) n += c->taken[i] != c->given[i];
    return n;
}

static bool next_taken(choices *c)
{
    for (int i = c->n - 1; i >= 0; i--) {
        if (++c->taken[i] < c->radix[i]) return true;
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
    memcpy(w, c->w, (size_t)c->s->n_w * sizeof *w);
    for (int i = 0; i < c->n; i++) {
        int at = c->s->vars[c->var[i]].place;
        w[at] = w[at + 1] = c->lowest[i] + c->taken[i];
    }
    start_take_values(a);
    int rc = start_settle(a, false);
    if (held.last) held.last->next = NULL;
    *a->sink = held;
    return rc == VINC_OK && run_broken_claim(a->s, a->t, a->y, a->yp, side) < 0;
}

static void name_choice(const choices *c, const int *taken)
{
    const structure *s = c->s;
    text t;
    text_init(&t, c->a->sink->a->m);
    for (int i = 0; i < c->n; i++) {
        const flat_var *f = flat_at(s->flat, c->var[i]);
        text_printf(&t, "%s%s = ", i ? ", " : "", FLAT_NAME(s->flat, c->var[i]));
        if (f->type == TYPE_BOOLEAN) text_add(&t, taken[i] ? "true" : "false");
        else text_add(&t, s->flat->enums.at[f->decl->enum_id].literals[taken[i]]);
    }
    diag_warning(
        c->a->sink, "R216", c->s->claims.at[0].at,
        "the initial equations leave a choice, of which the first was taken: %s before the "
        "start. Give one of them a start value with fixed = true, or another initial equation",
        text_str(&t));
    text_done(&t);
}

int start_choose(start *a, const double *w_given, int *n_open)
{
    arena *scratch = a->sink->a;
    choices c = {.a = a, .s = a->m->s};
    c.w = arena_array(scratch, double, c.s->n_w + 1);
    memcpy(c.w, w_given, (size_t)c.s->n_w * sizeof *c.w);
    bool any = find_open(&c, scratch);
    *n_open = any ? c.n : 0;
    int found = 0, first[OPEN_MAX] = {0};
    for (int changes = 1; any && changes <= c.n && !found; changes++) {
        memset(c.taken, 0, sizeof c.taken);
        do {
            if (n_changed(&c) != changes || !choice_holds(&c)) continue;
            if (!found++) memcpy(first, c.taken, sizeof first);
        } while (found < 2 && next_taken(&c));
    }
    if (!found) return 1;
    memcpy(c.taken, first, sizeof first);
    if (found > 1) name_choice(&c, first);
    return choice_holds(&c) ? VINC_OK : 1;
}
