/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plain_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void plain_page_add(plain_page *g, const char *words)
{
    result_file_write(&g->f, words, strlen(words));
}

void plain_page_escaped(plain_page *g, const char *words)
{
    for (const char *c = words; *c; c++) {
        if (*c == '<') plain_page_add(g, "&lt;");
        else if (*c == '&') plain_page_add(g, "&amp;");
        else result_file_write(&g->f, c, 1);
    }
}

void plain_page_cell(plain_page *g, double x)
{
    char s[60];
    if (isnan(x)) snprintf(s, sizeof s, "<td></td>");
    else snprintf(s, sizeof s, "<td>%.6g</td>", x);
    plain_page_add(g, s);
}

/* Drawings lie in the page as images, each with names of its own inside: RFC 4648. */
typedef struct base64 {
    plain_page *g;
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

int plain_page_figure(plain_page *g, plot_figure *f, result_fault *fault)
{
    base64 b = {.g = g};
    plain_page_add(g, "<img alt=\"\" src=\"data:image/svg+xml;base64,");
    int rc = plot_render(f, &plot_format_svg, base64_bytes, &b, fault);
    if (b.n) base64_put(&b);
    plain_page_add(g, "\">\n");
    return rc;
}

void plain_page_head(plain_page *g, const char *title)
{
    plain_page_add(
        g, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
           "content=\"width=device-width\">\n<title>");
    plain_page_escaped(g, title);
    plain_page_add(g, "</title>\n<style>body{font:15px/1.45 sans-serif;max-width:70em;margin:2em "
                      "auto;padding:0 1em;");
    plain_page_add(g,
                   g->dark ? "background:#16181c;color:#e6e6e6}" : "background:#fff;color:#222}");
    plain_page_add(
        g,
        "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.2em .7em;"
        "text-align:right;border-bottom:1px solid "
        "#8884}th:first-child{text-align:left}img{max-width:100%;"
        "height:auto}</style>\n<h1>");
    plain_page_escaped(g, title);
    plain_page_add(g, "</h1>\n");
}
