/* The report of a sweep: statistics and all figures in one page.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/whole_file.h"
#include "sweep/sweep_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PAGE_WIDTH = 760; // points: the text of a page

typedef struct page {
    result_file f;
    bool dark;
} page;

static void page_add(page *g, const char *words)
{
    result_file_write(&g->f, words, strlen(words));
}

static void page_escaped(page *g, const char *words)
{
    for (const char *c = words; *c; c++) {
        if (*c == '<') page_add(g, "&lt;");
        else if (*c == '&') page_add(g, "&amp;");
        else result_file_write(&g->f, c, 1);
    }
}

static void page_cell(page *g, double x)
{
    char s[60];
    if (isnan(x)) snprintf(s, sizeof s, "<td></td>");
    else snprintf(s, sizeof s, "<td>%.6g</td>", x);
    page_add(g, s);
}

static void page_values(page *g, const vinc_sweep *t)
{
    page_add(g, "<table><tr><th></th><th>runs</th><th>mean</th><th>sd</th><th>min</th><th>5 "
                "%</th><th>25 %</th>"
                "<th>median</th><th>75 %</th><th>95 %</th><th>max</th></tr>\n");
    for (int i = 0; i < t->n_values; i++) {
        const vinc_sweep_value *v = &t->values[i];
        page_add(g, "<tr><th>");
        page_escaped(g, v->name);
        page_add(g, "</th>");
        page_cell(g, (double)v->n);
        page_cell(g, v->mean);
        page_cell(g, v->sd);
        page_cell(g, v->min);
        for (int k = 0; k < VINC_SWEEP_QUANTILES; k++)
            page_cell(g, v->n_quantiles ? v->quantiles[k] : NAN);
        page_cell(g, v->max);
        page_add(g, "</tr>\n");
    }
    page_add(g, "</table>\n");
}

static void page_indices(page *g, const vinc_sweep *t)
{
    bool any = false;
    for (int i = 0; i < t->n_values; i++) any = any || t->values[i].n_indices;
    if (!any) return;
    page_add(g, "<h2>Sobol' indices</h2><p>The share of the variance that a parameter makes alone, "
                "and with all its "
                "interactions.</p>\n<table><tr><th></th><th>parameter</th><th>first "
                "order</th><th>total</th></tr>\n");
    for (int i = 0; i < t->n_values; i++)
        for (int k = 0; k < t->values[i].n_indices; k++) {
            page_add(g, "<tr><th>");
            page_escaped(g, k ? "" : t->values[i].name);
            page_add(g, "</th><th>");
            page_escaped(g, t->values[i].axes[k]);
            page_add(g, "</th>");
            page_cell(g, t->values[i].first[k]);
            page_cell(g, t->values[i].total[k]);
            page_add(g, "</tr>\n");
        }
    page_add(g, "</table>\n");
}

static void page_failures(page *g, const vinc_sweep *t)
{
    if (!t->n_failures) return;
    page_add(g, "<h2>Failed runs</h2><table><tr><th>runs</th><th>first</th><th>reason</th></tr>\n");
    for (int i = 0; i < t->n_failures; i++) {
        page_add(g, "<tr>");
        page_cell(g, (double)t->failures[i].n);
        page_cell(g, (double)t->failures[i].first);
        page_add(g, "<td>");
        page_escaped(g, t->failures[i].reason);
        page_add(g, "</td></tr>\n");
    }
    page_add(g, "</table>\n");
}

/* Drawings lie in the page as images, each with names of its own inside: RFC 4648. */
typedef struct base64 {
    page *g;
    unsigned bits;
    int n; // bytes that wait
} base64;

static void base64_put(base64 *b)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char out[4];
    for (int i = 0; i < 4; i++) out[i] = i <= b->n ? letters[b->bits >> (18 - 6 * i) & 63] : '=';
    result_file_write(&b->g->f, out, 4);
    b->bits = 0;
    b->n = 0;
}

static int base64_bytes(void *user, const void *bytes, size_t n)
{
    base64 *b = user;
    const unsigned char *from = bytes;
    for (size_t i = 0; i < n; i++) {
        b->bits |= (unsigned)from[i] << (16 - 8 * b->n);
        if (++b->n == 3) base64_put(b);
    }
    return b->g->f.error;
}

static void page_head(page *g, const sweep_picture *p)
{
    char line[400];
    const vinc_sweep *t = p->told;
    page_add(g,
             "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
             "content=\"width=device-width\">\n<title>");
    page_escaped(g, p->o.title ? p->o.title : p->h->class_name);
    page_add(g, "</title>\n<style>body{font:15px/1.45 sans-serif;max-width:70em;margin:2em "
                "auto;padding:0 1em;");
    page_add(g, g->dark ? "background:#16181c;color:#e6e6e6}" : "background:#fff;color:#222}");
    page_add(
        g,
        "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.2em .7em;"
        "text-align:right;border-bottom:1px solid "
        "#8884}th:first-child{text-align:left}img{max-width:100%;"
        "height:auto}</style>\n<h1>");
    page_escaped(g, p->o.title ? p->o.title : p->h->class_name);
    snprintf(line, sizeof line, "</h1>\n<p>%ld of %ld runs, %ld failed. Varied: ", t->done, t->runs,
             t->failed);
    page_add(g, line);
    for (int i = 0; i < t->n_parameters; i++) {
        page_escaped(g, i ? ", " : "");
        page_escaped(g, t->parameters[i]);
    }
    page_add(g, ".</p>\n");
}

int sweep_page(mem *m, const sweep_picture *p, const char *path, result_fault *fault)
{
    static const char *const titles[SWEEP_FIGURES] = {"Curves", "Response", "Distributions",
                                                      "Values over parameters"};
    page g = {.dark = p->o.dark != 0};
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
        page_add(&g, "<h2>");
        page_add(&g, titles[i]);
        page_add(&g, "</h2>\n");
        page_add(&g, "<img alt=\"\" src=\"data:image/svg+xml;base64,");
        base64 b = {.g = &g};
        rc = plot_render(f, &plot_format_svg, base64_bytes, &b, fault);
        if (b.n) base64_put(&b);
        plot_free(f);
        page_add(&g, "\">\n");
    }
    page_add(&g, "</html>\n");
    if (!rc) return result_file_commit(&g.f, fault);
    result_file_abandon(&g.f);
    return rc;
}
