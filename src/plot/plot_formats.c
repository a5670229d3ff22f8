/* The formats of figures, and drawing in the one that a path asks for.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot_figure.h"
#include "result/whole_file.h"

#include <string.h>

/* Made by the folder report, from a result and its model; there is no drawing of it. */
static const plot_format plot_format_page = {
    .name = "HTML",
    .summary = "a report with curves and animation",
    .ending = ".html",
};

const plot_format *const plot_formats[] = {
    &plot_format_svg,  &plot_format_png,      &plot_format_pdf,
    &plot_format_page, &plot_format_terminal, NULL,
};

bool plot_is_page(const char *path)
{
    return result_ends_in(path, plot_format_page.ending);
}

static bool plot_serves(const plot_format *f, const char *path)
{
    return f->canvas ? result_ends_in(path, f->ending) : f->chart && !strcmp(path, f->ending);
}

static int plot_to_file(void *user, const void *bytes, size_t n)
{
    result_file *file = user;
    result_file_write(file, bytes, n);
    return file->error;
}

static int plot_whole_file(plot_figure *f, const plot_format *format, const char *path,
                           result_fault *fault)
{
    result_file file;
    int rc = result_file_open(&file, f->m, path, fault);
    if (rc) return rc;
    rc = plot_render(f, format, plot_to_file, &file, fault);
    if (rc == RESULT_OK || file.error) return result_file_commit(&file, fault);
    result_file_abandon(&file);
    return rc;
}

int plot_write(plot_figure *f, const char *path, const plot_chart *chart, result_fault *fault)
{
    const plot_format *const *k = plot_formats;
    while (*k && !plot_serves(*k, path)) k++;
    const plot_format *format = *k;
    if (!format && result_is_device(path)) format = plot_formats[0];
    if (format && format->canvas) return plot_whole_file(f, format, path, fault);
    if (format && chart) return format->chart(f, chart->columns, chart->colour, chart->out, fault);
    char endings[100] = "";
    int n = 0, i = 0;
    for (k = plot_formats; *k; k++) n += (*k)->canvas != NULL;
    for (k = plot_formats; *k; k++)
        if ((*k)->canvas) result_add_choice(endings, sizeof endings, (*k)->ending, ++i == n);
    return result_fail(fault, RESULT_E_OPEN, "C610",
                       "the kind of '%.300s' is not known by its ending; use %s", path, endings);
}
