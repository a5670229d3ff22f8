/* The report of a fit: estimates, correlation, data against curves, residuals and profiles in one page.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plain_page.h"
#include "study/fit_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void page_line(plain_page *g, const char *what, const char *words)
{
    plain_page_add(g, "<tr><th>");
    plain_page_escaped(g, what);
    plain_page_add(g, "</th><td>");
    plain_page_escaped(g, words);
    plain_page_add(g, "</td></tr>\n");
}

static void page_summary(plain_page *g, const vinc_fit *x)
{
    char words[300];
    plain_page_add(g, "<table>\n");
    snprintf(words, sizeof words, "%d values in %d condition%s", x->n_data, x->n_conditions,
             x->n_conditions == 1 ? "" : "s");
    page_line(g, "data", words);
    snprintf(words, sizeof words, "%.12g (at the start %.6g)", x->log_likelihood,
             x->log_likelihood_at_start);
    if (x->evaluated) snprintf(words, sizeof words, "%.12g", x->log_likelihood);
    page_line(g, "log-likelihood", words);
    snprintf(words, sizeof words, "%.6g", x->squares);
    page_line(g, "squared residuals over deviations", words);
    snprintf(words, sizeof words, "%s, %d iterations, %d evaluations",
             x->converged ? "converged"
             : x->why     ? x->why
                          : "not converged",
             x->iterations, x->evaluations);
    if (!x->evaluated) page_line(g, "search", words);
    snprintf(words, sizeof words, "%d, of which %d ended at this optimum", x->n_starts,
             x->n_starts_same);
    if (x->n_starts > 1) page_line(g, "starts", words);
    plain_page_add(g, "</table>\n<p><code>");
    plain_page_escaped(g, x->modification);
    plain_page_add(g, "</code></p>\n");
}

static void page_end(plain_page *g, double x, const char *open) // of a profile
{
    if (isinf(x)) {
        plain_page_add(g, "<td>");
        plain_page_add(g, open);
        plain_page_add(g, "</td>");
    } else plain_page_cell(g, x);
}

static void page_estimates(plain_page *g, const vinc_fit *x, bool profiles)
{
    plain_page_add(g, "<h2>Estimates</h2>\n<table><tr><th>parameter</th><th>value</th><th>standard "
                      "error</th><th>95 % from</th><th>to</th>");
    if (profiles) plain_page_add(g, "<th>profile from</th><th>to</th>");
    plain_page_add(g, "<th>lower bound</th><th>upper bound</th><th></th></tr>\n");
    for (int i = 0; i < x->n_parameters; i++) {
        const vinc_fit_parameter *q = &x->parameters[i];
        plain_page_add(g, "<tr><th>");
        plain_page_escaped(g, q->name);
        plain_page_add(g, "</th>");
        plain_page_cell(g, q->value);
        plain_page_cell(g, q->error);
        plain_page_cell(g, q->low);
        plain_page_cell(g, q->high);
        if (profiles) page_end(g, q->profile_low, "open"), page_end(g, q->profile_high, "open");
        plain_page_cell(g, isinf(q->lower) ? NAN : q->lower);
        plain_page_cell(g, isinf(q->upper) ? NAN : q->upper);
        plain_page_add(g, "<td>");
        if (q->at_bound) plain_page_add(g, "at its bound ");
        else if (isnan(q->error)) plain_page_add(g, "not seen ");
        if (q->log) plain_page_add(g, "error of log10");
        plain_page_add(g, "</td></tr>\n");
    }
    plain_page_add(g, "</table>\n");
    for (int i = 0; i < x->n_unseen; i++) {
        plain_page_add(g, "<p>The data do not show ");
        plain_page_escaped(g, x->unseen[i]);
        plain_page_add(g, ".</p>\n");
    }
}

/* Cells are the darker the closer two parameters are tied: blue together, red against each other. */
static void page_correlation(plain_page *g, const vinc_fit *x)
{
    int n = x->n_shared;
    if (n < 2) return;
    plain_page_add(g, "<h2>Correlation</h2>\n<table><tr><th></th>");
    for (int i = 0; i < n; i++) {
        plain_page_add(g, "<th>");
        plain_page_escaped(g, x->parameters[i].name);
        plain_page_add(g, "</th>");
    }
    plain_page_add(g, "</tr>\n");
    for (int i = 0; i < n; i++) {
        plain_page_add(g, "<tr><th>");
        plain_page_escaped(g, x->parameters[i].name);
        plain_page_add(g, "</th>");
        for (int k = 0; k < n; k++) {
            char cell[160];
            double c = x->correlation[i + k * n], share = isnan(c) ? 0 : fmin(fabs(c), 1);
            if (isnan(c)) snprintf(cell, sizeof cell, "<td></td>");
            else
                snprintf(cell, sizeof cell, "<td style=\"background:rgba(%s,%.2f)\">%.3f</td>",
                         c < 0 ? "213,94,0" : "0,114,178", 0.6 * share * share, c);
            plain_page_add(g, cell);
        }
        plain_page_add(g, "</tr>\n");
    }
    plain_page_add(g, "</table>\n");
}

static int page_drawn(plain_page *g, const fit_picture *f, fit_shown shown, const char *title,
                      result_fault *fault)
{
    plot_figure *figure = fit_draw(f, shown);
    if (!figure) return RESULT_E_MEMORY;
    plain_page_add(g, title);
    int rc = plain_page_figure(g, figure, fault);
    plot_free(figure);
    *f->figure = NULL;
    return rc;
}

int fit_page(const fit_picture *f, const char *path)
{
    vinc_ctx *ctx = f->p->ctx;
    plain_page g = {0};
    result_fault fault = {0};
    int rc = result_file_open(&g.f, &ctx->limits.below, path, &fault);
    if (rc) return api_finish(ctx, rc, &fault);
    plain_page_head(&g, f->told->model);
    page_summary(&g, f->told);
    page_estimates(&g, f->told, f->profiles != NULL);
    page_correlation(&g, f->told);
    rc = page_drawn(&g, f, FIT_DATA, "<h2>Data, curves and residuals</h2>\n", &fault);
    if (rc >= 0 && f->profiles)
        rc = page_drawn(&g, f, FIT_PROFILES, "<h2>Profiles of the likelihood</h2>\n", &fault);
    plain_page_add(&g, "</html>\n");
    if (rc >= 0) rc = result_file_commit(&g.f, &fault);
    else result_file_abandon(&g.f);
    return api_finish(ctx, rc < 0 ? rc : RESULT_OK, &fault);
}
