/* The page about a model that is part of its FMU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/fmu_listing.h"

static void page_rows(const fmu_listing *l, text *out, variable_causality causality,
                      const char *title)
{
    bool any = false;
    for (int i = 0; i < l->n; i++) {
        const fmu_variable *q = &l->at[i];
        if (!fmu_is_written(l, i) || q->causality != causality || !q->flat) continue;
        if (!any) text_printf(out, "<h2>%s</h2>\n<table>\n", title);
        any = true;
        text_add(out, "<tr><td>");
        fmu_escaped(out, q->name);
        text_add(out, "<td>");
        if (fmu_has_start(q) && q->type == TYPE_BOOLEAN)
            text_add(out, q->start != 0 ? "true" : "false");
        else if (fmu_has_start(q) && q->text) fmu_escaped(out, q->text);
        else if (fmu_has_start(q)) text_real(out, q->start);
        text_add(out, "<td>");
        const char *unit = fmu_unit_of(l, i);
        fmu_escaped(out, unit ? unit : "");
        text_add(out, "<td>");
        fmu_escaped(out, q->flat->decl->comment ? q->flat->decl->comment : "");
        text_char(out, '\n');
    }
    if (any) text_add(out, "</table>\n");
}

void fmu_page(const fmu_listing *l, text *out)
{
    const structure *s = run_model(l->x->sim->state)->s;
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    fmu_escaped(out, l->flat->name);
    text_add(out, "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto}"
                  "td{padding:0 1em 0 0;vertical-align:top}</style>\n<h1>");
    fmu_escaped(out, l->flat->name);
    text_add(out, "</h1>\n<p>");
    fmu_escaped(out, l->flat->comment ? l->flat->comment : "");
    text_printf(out,
                "</p>\n<p>%d unknowns, %d equations, structural index %d; %d free initial values, "
                "%d continuous states, %d event indicators.</p>\n<p>States:",
                s->n_unknowns_written, s->n_equations_written, s->index, s->n_free,
                vinc_sim_n_states(l->x->sim), vinc_sim_n_indicators(l->x->sim));
    int made = 0;
    for (int i = 0; i < l->n_states; i++) {
        bool own = l->state[i] < FMU_FIRST_VARIABLE + l->n_columns;
        if (own) {
            text_char(out, ' ');
            fmu_escaped(out, l->at[l->at[l->state[i]].of].name);
        }
        made += !own;
    }
    if (made)
        text_printf(out,
                    "%s %d combinations of variables that constraints tie, chosen anew in events "
                    "where the present choice would become singular",
                    made < l->n_states ? ", and" : "", made);
    text_add(out, l->n_states ? ".</p>\n" : " none.</p>\n");
    page_rows(l, out, IS_INPUT, "Inputs");
    page_rows(l, out, IS_OUTPUT, "Outputs");
    page_rows(l, out, IS_PARAMETER, "Parameters");
    page_rows(l, out, IS_CALCULATED, "Parameters that follow from others");
    page_rows(l, out, IS_LOCAL, "Other variables");
    text_add(out, "</html>\n");
}
