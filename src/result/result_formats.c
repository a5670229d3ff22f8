/* The formats of results: chosen by the ending of a path to write, by content and ending to read.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/writer.h"

#include <stdio.h>
#include <string.h>

const result_format *const result_formats[] = {&result_csv, &result_mat, NULL};

bool result_ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), k = strlen(ending);
    return n > k && strcmp(path + n - k, ending) == 0;
}

bool result_is_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0;
}

void result_add_choice(char *out, size_t room, const char *word, bool last)
{
    size_t used = strlen(out);
    snprintf(out + used, room - used, "%s%s", !used ? "" : last ? " or " : ", ", word);
}

const result_format *result_format_of(const char *path)
{
    const result_format *const *f = result_formats;
    while (*f && !result_ends_in(path, (*f)->ending)) f++;
    return *f;
}

int result_write(const result *r, const result_selection *select, const char *path,
                 result_fault *fault)
{
    const result_format *f = result_format_of(path);
    if (!f && result_is_device(path)) f = result_formats[0];
    if (f) return result_write_as(f, r, select, path, fault);
    char endings[100] = "";
    for (const result_format *const *k = result_formats; *k; k++)
        result_add_choice(endings, sizeof endings, (*k)->ending, !k[1]);
    return result_fail(fault, RESULT_E_OPEN, "C610",
                       "the kind of '%.300s' is not known by its ending; use %s", path, endings);
}

static const result_format *format_by_content(const char *bytes, size_t n, const char *path)
{
    for (const result_format *const *f = result_formats; *f; f++)
        if ((*f)->recognises && (*f)->recognises(bytes, n)) return *f;
    const result_format *f = result_format_of(path);
    return f ? f : result_formats[0];
}

int result_read(mem *m, const char *path, const result_format *as, result **out,
                result_fault *fault)
{
    char *bytes;
    size_t n;
    *out = NULL;
    int rc = result_file_read(m, path, &bytes, &n, fault);
    if (rc) return rc;
    if (!as) as = format_by_content(bytes, n, path);
    rc = as->parse(m, bytes, n, path, out, fault);
    mem_free(m, bytes, n + 1);
    return rc;
}
