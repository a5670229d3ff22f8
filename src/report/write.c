/* The file: page, libraries and data put together.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"
#include "report/assets.h"
#include "report/report.h"
#include "result/whole_file.h"

#include <string.h>

static void page_add(result_file *f, const char *s)
{
    result_file_write(f, s, strlen(s));
}

static void add_asset(result_file *f, const char *tag, const report_asset *a)
{
    page_add(f, "<");
    page_add(f, tag);
    page_add(f, ">\n");
    result_file_write(f, a->bytes, (size_t)(a->end - a->bytes));
    page_add(f, "\n</");
    page_add(f, tag);
    page_add(f, ">\n");
}

/* The hash of a script is that of all between its tags, line ends included. */
static void add_hash(result_file *f, const report_asset *a)
{
    sha256 s;
    char hash[SHA256_BASE64];
    sha256_init(&s);
    sha256_add(&s, "\n", 1);
    sha256_add(&s, a->bytes, (size_t)(a->end - a->bytes));
    sha256_add(&s, "\n", 1);
    sha256_base64(&s, hash);
    page_add(f, " 'sha256-");
    page_add(f, hash);
    page_add(f, "'");
}

/* What a browser lets the page do: run these scripts and no other, load nothing from anywhere. Should
 * a text of a model ever get where markup is, it runs nothing and tells nobody. Styles are set by the
 * scripts, on elements, and so are not named. */
static void add_policy(result_file *f, bool solid)
{
    page_add(
        f, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src");
    add_hash(f, &report_dygraph_js);
    if (solid) add_hash(f, &report_three_js);
    for (int i = 0; i < REPORT_SCRIPTS; i++) add_hash(f, &report_scripts[i]);
    page_add(f, "; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
                "form-action 'none'\">\n");
}

/* A '<' occurs in JSON inside strings only, where it may be written as an escape: no text of a
 * model can end the script element. */
static void add_data(result_file *f, const char *s, size_t n)
{
    for (size_t i = 0, from = 0; i <= n; i++) {
        if (i < n && s[i] != '<') continue;
        result_file_write(f, s + from, i - from);
        if (i < n) page_add(f, "\\u003c");
        from = i + 1;
    }
}

static void add_title(result_file *f, const char *s)
{
    for (; *s; s++) {
        if (*s == '<') page_add(f, "&lt;");
        else if (*s == '&') page_add(f, "&amp;");
        else result_file_write(f, s, 1);
    }
}

int report_write(mem *m, const char *title, const text *data, bool solid, const char *path,
                 result_fault *fault)
{
    result_file f;
    int rc = result_file_open(&f, m, path, fault);
    if (rc < 0) return rc;
    page_add(&f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    add_policy(&f, solid);
    page_add(&f,
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    add_title(&f, title ? title : "Vincolo");
    page_add(&f, "</title>\n");
    add_asset(&f, "style", &report_dygraph_css);
    add_asset(&f, "style", &report_page_css);
    page_add(&f, "</head>\n<body>\n");
    for (int i = 0; i < REPORT_PARTS; i++)
        result_file_write(&f, report_page_html[i].bytes,
                          (size_t)(report_page_html[i].end - report_page_html[i].bytes));
    page_add(&f, "<script id=\"data\" type=\"application/json\">\n");
    add_data(&f, text_str(data), data->n);
    page_add(&f, "</script>\n");
    add_asset(&f, "script", &report_dygraph_js);
    if (solid) add_asset(&f, "script", &report_three_js);
    for (int i = 0; i < REPORT_SCRIPTS; i++) add_asset(&f, "script", &report_scripts[i]);
    page_add(&f, "</body>\n</html>\n");
    return result_file_commit(&f, fault);
}
