/* The page: the parts of the report, the editor, and what is live about it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "live/live.h"
#include "report/assets.h"

static void live_add(text *out, const char *bytes, const char *end)
{
    text_add_n(out, bytes, (size_t)(end - bytes));
    text_char(out, '\n');
}

void live_page(text *out)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>Vincolo live</title>\n<link rel=\"stylesheet\" href=\"styles.css\">\n"
                  "</head>\n<body>\n");
    for (int i = 0; i < REPORT_PARTS; i++)
        live_add(out, report_live_html[i].bytes, report_live_html[i].end);
    text_add(out, "<script src=\"scripts.js\"></script>\n</body>\n</html>\n");
}

void live_scripts(const live_server *server, text *out)
{
    live_add(out, server->editor_js.bytes, server->editor_js.end);
    live_add(out, server->editor_mode_js.bytes, server->editor_mode_js.end);
    live_add(out, report_dygraph_js.bytes, report_dygraph_js.end);
    live_add(out, report_three_js.bytes, report_three_js.end);
    for (int i = 0; i < REPORT_SCRIPTS; i++)
        live_add(out, report_scripts[i].bytes, report_scripts[i].end);
    live_add(out, report_live_host_js.bytes, report_live_host_js.end);
    live_add(out, report_live_js.bytes, report_live_js.end);
}

void live_styles(const live_server *server, text *out)
{
    live_add(out, server->editor_css.bytes, server->editor_css.end);
    live_add(out, report_dygraph_css.bytes, report_dygraph_css.end);
    live_add(out, report_page_css.bytes, report_page_css.end);
    live_add(out, report_live_css.bytes, report_live_css.end);
}
