/* The report of a sweep: statistics and all figures in one page.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plain_page.h"
#include "sweep/sweep_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PAGE_WIDTH = 760; // points: the text of a page

static void page_values(plain_page *g, const vinc_sweep *t)
{
    plain_page_add(g, "<table><tr><th></th><th>runs</th><th>mean</th><th>sd</th><th>min</th><th>5 "
                      "%</th><th>25 %</th>"
                      "<th>median</th><th>75 %</th><th>95 %</th><th>max</th></tr>\n");
    for (int i = 0; i < t->n_values; i++) {
        const vinc_sweep_value *v = &t->values[i];
        plain_page_add(g, "<tr><th>");
        plain_page_escaped(g, v->name);
        plain_page_add(g, "</th>");
        plain_page_cell(g, (double)v->n);
        plain_page_cell(g, v->mean);
        plain_page_cell(g, v->sd);
        plain_page_cell(g, v->min);
        for (int k = 0; k < VINC_SWEEP_QUANTILES; k++)
            plain_page_cell(g, v->n_quantiles ? v->quantiles[k] : NAN);
        plain_page_cell(g, v->max);
        plain_page_add(g, "</tr>\n");
    }
    plain_page_add(g, "</table>\n");
}

static void page_indices(plain_page *g, const vinc_sweep *t)
{
    bool any = false;
    for (int i = 0; i < t->n_values; i++) any = any || t->values[i].n_indices;
    if (!any) return;
    plain_page_add(
        g, "<h2>Sobol' indices</h2><p>The share of the variance that a parameter makes alone, "
           "and with all its "
           "interactions.</p>\n<table><tr><th></th><th>parameter</th><th>first "
           "order</th><th>total</th></tr>\n");
    for (int i = 0; i < t->n_values; i++)
        for (int k = 0; k < t->values[i].n_indices; k++) {
            plain_page_add(g, "<tr><th>");
            plain_page_escaped(g, k ? "" : t->values[i].name);
            plain_page_add(g, "</th><th>");
            plain_page_escaped(g, t->values[i].axes[k]);
            plain_page_add(g, "</th>");
            plain_page_cell(g, t->values[i].first[k]);
            plain_page_cell(g, t->values[i].total[k]);
            plain_page_add(g, "</tr>\n");
        }
    plain_page_add(g, "</table>\n");
}

static void page_failures(plain_page *g, const vinc_sweep *t)
{
    if (!t->n_failures) return;
    plain_page_add(
        g, "<h2>Failed runs</h2><table><tr><th>runs</th><th>first</th><th>reason</th></tr>\n");
    for (int i = 0; i < t->n_failures; i++) {
        plain_page_add(g, "<tr>");
        plain_page_cell(g, (double)t->failures[i].n);
        plain_page_cell(g, (double)t->failures[i].first);
        plain_page_add(g, "<td>");
        plain_page_escaped(g, t->failures[i].reason);
        plain_page_add(g, "</td></tr>\n");
    }
    plain_page_add(g, "</table>\n");
}

static void page_head(plain_page *g, const sweep_picture *p)
{
    char line[400];
    const vinc_sweep *t = p->told;
    plain_page_head(g, p->o.title ? p->o.title : p->h->class_name);
    snprintf(line, sizeof line, "<p>%ld of %ld runs, %ld failed. Varied: ", t->done, t->runs,
             t->failed);
    plain_page_add(g, line);
    for (int i = 0; i < t->n_parameters; i++) {
        plain_page_escaped(g, i ? ", " : "");
        plain_page_escaped(g, t->parameters[i]);
    }
    plain_page_add(g, ".</p>\n");
}

int sweep_page(mem *m, const sweep_picture *p, const char *path, result_fault *fault)
{
    static const char *const titles[SWEEP_FIGURES] = {"Curves", "Response", "Distributions",
                                                      "Values over parameters"};
    plain_page g = {.dark = p->o.dark != 0};
    int rc = result_file_open(&g.f, m, path, fault);
    if (rc) return rc;
    page_head(&g, p);
    page_values(&g, p->told);
    page_indices(&g, p->told);
    page_failures(&g, p->told);
    sweep_picture plain = *p;
    plain.o.title = "";
    plain.roomy = true;
    if (!(plain.o.width > 0)) plain.o.width = PAGE_WIDTH;
    for (int i = 0; i < SWEEP_FIGURES && !rc; i++) {
        plot_figure *f;
        rc = sweep_figure(m, &plain, i, &f, fault);
        if (rc || !f) continue;
        plain_page_add(&g, "<h2>");
        plain_page_add(&g, titles[i]);
        plain_page_add(&g, "</h2>\n");
        rc = plain_page_figure(&g, f, fault);
        plot_free(f);
    }
    plain_page_add(&g, "</html>\n");
    if (!rc) return result_file_commit(&g.f, fault);
    result_file_abandon(&g.f);
    return rc;
}
