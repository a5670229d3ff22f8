/* Constraints replaced by their last derivative: index 1, with drift.
 *
 * y holds every x_j, ..., x_j^(d_j - 1); the rows are the equations differentiated c_i times and
 * the links x' = v. Nothing keeps the constraints themselves: what the start values and round-off
 * violate grows like a polynomial of degree c - 1 (E. Hairer and G. Wanner, Solving Ordinary
 * Differential Equations II, Springer 1996, VII.2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

static void index1_put_states(form_builder *b)
{
    const structure *s = b->s;
    int deepest = 0;
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].d > deepest) deepest = s->unknowns.at[u].d;
    for (int k = 0; k < deepest; k++)
        for (int u = 0; u < s->unknowns.n; u++)
            if (k < s->unknowns.at[u].d) form_put(b, s->unknowns.at[u].first + k, true, 0);
    // Highest derivatives are unknowns of their own, y' = a: in F, y' then has constant factors,
    // which a simplified Newton iteration needs.
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].d) b->bound[s->unknowns.at[u].first + s->unknowns.at[u].d - 1] = 1;
}

void form_reduced(form_builder *b)
{
    structure *s = b->s;
    form_system *f = b->f;
    index1_put_states(b);
    form_instance *list = arena_array(b->scratch, form_instance, s->unknowns.n);
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *v = &s->unknowns.at[u];
        list[u] = (form_instance){v->equation, s->equations.at[v->equation].c, v->first + v->d};
    }
    form_solve(b, list, s->unknowns.n);
    for (int i = 0; i < f->unknowns.n; i++) {
        int e = f->unknowns.at[i].entry;
        if (!f->unknowns.at[i].differential || f->places[e + 1].where == IMAGE_IN_YP) continue;
        form_row_add(b, expr_sub(s->pool, form_yp(b, i), s->entries.at[e + 1].var), IMAGE_ROW_LINK,
                     -1, 0, 0);
    }
    form_make_rhs(b);
}

bool form_projected(form_builder *b, const char *options)
{
    double on = 0;
    form_option list[] = {{.name = "project", .number = &on}};
    if (!form_options(b, options, list, 1)) return false;
    b->f->project = on != 0 ? IMAGE_PROJECT_LEAST : IMAGE_PROJECT_NONE;
    return true;
}

static int index1_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_builder b;
    form_begin(&b, f, scratch, sink);
    if (!form_projected(&b, options)) return -1;
    form_reduced(&b);
    return 0;
}

const form_kind form_index1 = {
    .name = "index1",
    .summary = "constraints replaced by their last derivative; drifts",
    .applies = "every solvable model",
    .cite = "Hairer & Wanner 1996, VII.2",
    .drifts = true,
    .explicit = true,
    .build = index1_build,
};
