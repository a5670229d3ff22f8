/* The model as written: no equation is differentiated.
 *
 * y holds every unknown (aliases apart) and those of its derivatives that the equations contain,
 * but the highest, which is y'. The levels tell an integrator how to scale: at level k errors of an
 * unknown count h^k times, residuals of an equation h^-k times (L. R. Petzold and P. Lotstedt, SIAM
 * J. Sci. Stat. Comput. 7 (1986) 720-733). They follow from the offsets: an equation that must be
 * differentiated c times has level c, the unknown x^(k) the level (largest c of its block) - (d -
 * k).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

static int level_of(const structure *s, const structure_unknown *u, int order)
{
    int level = s->blocks.at[u->block].levels - (u->d - order);
    return level > 0 ? level : 0;
}

static int build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    (void)options;
    form_builder b;
    form_begin(&b, f, scratch, sink);
    structure *s = f->s;
    int deepest = 0;
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].highest > deepest) deepest = s->unknowns.at[u].highest;
    for (int k = 0; k <= deepest; k++)
        for (int u = 0; u < s->unknowns.n; u++) {
            const structure_unknown *x = &s->unknowns.at[u];
            int last = x->highest ? x->highest - 1 : 0;
            if (k <= last) form_put(&b, x->first + k, x->highest > 0, level_of(s, x, k));
        }
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        if (x->highest)
            form_put_derivative(&b, x->first + x->highest, f->places[x->first + x->highest - 1].at);
    }
    for (int i = 0; i < s->equations.n; i++)
        form_row_add(&b, s->equations.at[i].f[0],
                     s->equations.at[i].c ? FORM_ROW_CONSTRAINT : FORM_ROW_EQUATION, i, 0,
                     s->equations.at[i].c);
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        for (int k = 0; k + 1 < x->highest; k++)
            form_row_add(&b,
                         expr_sub(s->pool, form_yp(&b, f->places[x->first + k].at),
                                  s->entries.at[x->first + k + 1].var),
                         FORM_ROW_LINK, -1, 0, level_of(s, x, k + 1));
    }
    form_link_velocities(&b);
    f->project = FORM_PROJECT_OUTPUT;
    return 0;
}

const form_kind form_direct = {
    .name = "direct",
    .summary = "the model as written, with index-aware scaling and error weights",
    .applies = "implicit methods",
    .cite = "Petzold & Lotstedt 1986",
    .build = build,
};
