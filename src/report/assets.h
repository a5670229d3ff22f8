/* Files of the page, built into the library (for report and live).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

typedef struct report_asset {
    const char *bytes, *end;
} report_asset;

enum { REPORT_SCRIPTS = 6, REPORT_PARTS = 4 };

extern const report_asset report_dygraph_css, report_dygraph_js, report_three_js;
extern const report_asset report_page_css;
extern const report_asset report_live_css, report_live_host_js, report_live_js;
/* What stands between the tags of body: both pages have the head and the motion in common. */
extern const report_asset report_page_html[REPORT_PARTS], report_live_html[REPORT_PARTS];
extern const report_asset report_scripts[REPORT_SCRIPTS]; // in the order they are to run

#endif
