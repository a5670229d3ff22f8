/* A page of tables and figures in one file that any browser shows, without scripts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLOT_PLAIN_PAGE_H
#define PLOT_PLAIN_PAGE_H

#include "plot/plot.h"
#include "result/whole_file.h"

typedef struct plain_page {
    result_file f;
    bool dark;
} plain_page;

void plain_page_add(plain_page *g, const char *words); // as they are
void plain_page_escaped(plain_page *g,
                        const char *words);    // letters that mean something in a page, too
void plain_page_cell(plain_page *g, double x); // of a table; NaN: empty
void plain_page_head(plain_page *g, const char *title);
/* Its drawing lies in the page. RESULT_OK, or a status < 0. */
int plain_page_figure(plain_page *g, plot_figure *f, result_fault *fault);

#endif
