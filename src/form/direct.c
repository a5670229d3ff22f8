/* The model as written: no equation is differentiated.
 *
 * y holds every unknown (aliases and names of expressions apart) and those of its derivatives that
 * the equations contain, but the highest, which is y'. The levels tell an integrator how to scale:
 * at level k errors of an unknown count h^k times, residuals of an equation h^-k times (L. R.
 * Petzold and P. Lotstedt, SIAM J. Sci. Stat. Comput. 7 (1986) 720-733). They follow from the
 * offsets: an equation that must be differentiated c times has level c, the unknown x^(k) the level
 * (largest c of its block) - (d - k).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <limits.h>

/* Level of the highest derivatives of each block: its own, or what it takes over from the unknowns
 * of earlier blocks that its equations contain (a force computed from a multiplier). */
static int *block_levels(form_builder *b)
{
    const structure *s = b->s;
    int *level = arena_array(b->scratch, int, s->blocks.n);
    int_array vars = {0};
    for (int k = 0; k < s->blocks.n; k++) {
        const structure_block *q = &s->blocks.at[k];
        level[k] = q->levels;
        for (int i = 0; i < q->n; i++) {
            const structure_equation *e = &s->equations.at[q->equations[i]];
            vars.n = 0;
            dag_vars(&b->d, e->f[0], &vars);
            for (int v = 0; v < vars.n; v++) {
                int entry = structure_entry_of(s, vars.at[v]);
                if (entry < 0) continue;
                const structure_unknown *u = &s->unknowns.at[s->entries.at[entry].unknown];
                int given = level[u->block] - (u->d - structure_order_of(s, entry));
                if (u->block < k && given > level[k]) level[k] = given;
            }
        }
    }
    return level;
}

int *form_levels(form_builder *b)
{
    const structure *s = b->s;
    int *of_block = block_levels(b), *level = arena_array(b->scratch, int, s->entries.n);
    for (int e = 0; e < s->entries.n; e++) {
        const structure_unknown *u = &s->unknowns.at[s->entries.at[e].unknown];
        int x = of_block[u->block] - (u->d - structure_order_of(s, e));
        level[e] = x > 0 ? x : 0;
    }
    return level;
}

static int direct_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_builder b;
    form_begin(&b, f, scratch, sink);
    if (!form_options(&b, options, NULL, 0)) return -1;
    structure *s = f->s;
    const int *level = b.level = form_levels(&b), *by = form_definitions(&b, INT_MAX, 0);
    int deepest = 0;
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].highest > deepest) deepest = s->unknowns.at[u].highest;
    for (int k = 0; k <= deepest; k++)
        for (int u = 0; u < s->unknowns.n; u++) {
            const structure_unknown *x = &s->unknowns.at[u];
            if (by[u] >= 0) continue;
            int last = x->highest ? x->highest - 1 : 0;
            if (k <= last) form_put(&b, x->first + k, x->highest > 0, level[x->first + k]);
        }
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        if (x->highest)
            form_put_derivative(&b, x->first + x->highest, f->places[x->first + x->highest - 1].at);
    }
    const char *spent = form_define(&b, by, 0);
    for (int i = 0; i < s->equations.n; i++)
        if (!spent[i])
            form_row_add(&b, s->equations.at[i].f[0],
                         s->equations.at[i].c ? IMAGE_ROW_CONSTRAINT : IMAGE_ROW_EQUATION, i, 0,
                         s->equations.at[i].c);
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        for (int k = 0; k + 1 < x->highest; k++)
            form_row_add(&b,
                         expr_sub(s->pool, form_yp(&b, f->places[x->first + k].at),
                                  s->entries.at[x->first + k + 1].var),
                         IMAGE_ROW_LINK, -1, 0, level[x->first + k + 1]);
    }
    f->project = IMAGE_PROJECT_OUTPUT;
    return 0;
}

const form_kind form_direct = {
    .name = "direct",
    .summary = "the model as written, with index-aware scaling and error weights",
    .applies = "implicit methods",
    .cite = "Petzold & Lotstedt 1986",
    .build = direct_build,
};
