/* The page of a result.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_PAGE_H
#define STUDY_PAGE_H

#include "api/run.h"

/* The report of one result (`--plot FILE.html`); name is shown where there is no model. */
int study_write_page(vinc_result *v, const char *name, const char *path,
                     const vinc_plot_options *o);

/* What that page shows, as JSON (report/data.c): the result's until the next text of it. checked: what
 * is known of the structure of the model, from one page to the next; empty at first. */
int study_page_data(vinc_result *v, const vinc_plot_options *o, text *checked, const char **data);

#endif
