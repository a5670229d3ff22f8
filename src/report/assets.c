/* The assembler takes the files in as they are: no generated source, no copy.
 * The paths come from CMakeLists.txt.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/assets.h"

// clang-format off
#define TAKE(name, file)                                                                           \
    __asm__(".section .rodata\n"                                                                   \
            ".balign 8\n"                                                                          \
            "report_" #name "_begin:\n"                                                            \
            ".incbin \"" file "\"\n"                                                               \
            "report_" #name "_end:\n"                                                              \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char report_##name##_begin[], report_##name##_end[]
// clang-format on

TAKE(dygraph_css, VINCOLO_DYGRAPH "/dygraph.min.css");
TAKE(dygraph_js, VINCOLO_DYGRAPH "/dygraph.min.js");
TAKE(three_js, VINCOLO_THREE "/three.min.js");
TAKE(page_css, VINCOLO_PAGE "/style.css");
TAKE(head_html, VINCOLO_PAGE "/head.html");
TAKE(motion_html, VINCOLO_PAGE "/motion.html");
TAKE(page_begin_html, VINCOLO_PAGE "/page_begin.html");
TAKE(page_end_html, VINCOLO_PAGE "/page_end.html");
TAKE(data_js, VINCOLO_PAGE "/data.js");
TAKE(plots_js, VINCOLO_PAGE "/plots.js");
TAKE(scene_js, VINCOLO_PAGE "/scene.js");
TAKE(forms_js, VINCOLO_PAGE "/forms.js");
TAKE(solid_js, VINCOLO_PAGE "/solid.js");
TAKE(main_js, VINCOLO_PAGE "/main.js");
TAKE(live_css, VINCOLO_PAGE "/live.css");
TAKE(live_begin_html, VINCOLO_PAGE "/live_begin.html");
TAKE(live_end_html, VINCOLO_PAGE "/live_end.html");
TAKE(live_host_js, VINCOLO_PAGE "/live_host.js");
TAKE(live_js, VINCOLO_PAGE "/live.js");

#define ASSET(name)                                                                                \
    {                                                                                              \
        report_##name##_begin, report_##name##_end                                                 \
    }

const report_asset report_dygraph_css = ASSET(dygraph_css);
const report_asset report_dygraph_js = ASSET(dygraph_js);
const report_asset report_three_js = ASSET(three_js);
const report_asset report_page_css = ASSET(page_css);
const report_asset report_page_html[REPORT_PARTS] = {ASSET(head_html), ASSET(page_begin_html),
                                                     ASSET(motion_html), ASSET(page_end_html)};
const report_asset report_live_css = ASSET(live_css);
const report_asset report_live_html[REPORT_PARTS] = {ASSET(head_html), ASSET(live_begin_html),
                                                     ASSET(motion_html), ASSET(live_end_html)};
const report_asset report_live_host_js = ASSET(live_host_js);
const report_asset report_live_js = ASSET(live_js);
const report_asset report_scripts[REPORT_SCRIPTS] = {ASSET(data_js),  ASSET(plots_js),
                                                     ASSET(scene_js), ASSET(forms_js),
                                                     ASSET(solid_js), ASSET(main_js)};
