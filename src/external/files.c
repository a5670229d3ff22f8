/* ModelicaInternal and ModelicaIO: what files hold. Nothing here writes, removes or starts anything.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"

#include "base/arena.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(external_call *c, const char *file)
{
    snprintf(c->why, EXTERNAL_WHY, "%.300s: %s", file, strerror(errno));
    return false;
}

/* Of a file that there is, its real path; of another one, from the root. */
static bool full_path(external_call *c)
{
    const char *name = c->arg[0].text;
    if (!c->a) return false;
    char *real = realpath(name, NULL);
    if (real) {
        c->text = arena_strndup(c->a, real, strlen(real));
        free(real);
        return true;
    }
    char cwd[PATH_MAX];
    if (*name == '/') {
        c->text = name;
        return true;
    }
    if (!getcwd(cwd, sizeof cwd)) return cannot(c, name);
    size_t n = strlen(cwd) + strlen(name) + 2;
    char *path = arena_alloc(c->a, n);
    snprintf(path, n, "%s/%s", cwd, name);
    c->text = path;
    return true;
}

static bool work_directory(external_call *c)
{
    char cwd[PATH_MAX];
    if (!c->a || !getcwd(cwd, sizeof cwd)) return cannot(c, "the working directory");
    c->text = arena_strndup(c->a, cwd, strlen(cwd));
    return true;
}

/* Modelica.Utilities.Types.FileType: NoFile = 1, RegularFile = 2, Directory = 3, SpecialFile = 4. */
static bool file_kind(external_call *c)
{
    struct stat st;
    *c->result = stat(c->arg[0].text, &st) ? 1
                 : S_ISREG(st.st_mode)     ? 2
                 : S_ISDIR(st.st_mode)     ? 3
                                           : 4;
    return true;
}

/* Lines of the file up to line `wanted`, which is copied to the arena if there is one. */
static bool scan_lines(external_call *c, const char *name, int64_t wanted, int64_t *n)
{
    FILE *f = fopen(name, "r");
    char *line = NULL;
    size_t cap = 0;
    *n = 0;
    if (!f) return cannot(c, name);
    for (ssize_t got; *n != wanted && (got = getline(&line, &cap, f)) >= 0; ++*n) {
        while (got && (line[got - 1] == '\n' || line[got - 1] == '\r')) got--;
        if (*n + 1 == wanted && c->a) c->text = arena_strndup(c->a, line, (size_t)got);
    }
    free(line);
    fclose(f);
    return true;
}

static bool count_lines(external_call *c)
{
    int64_t n;
    if (!scan_lines(c, c->arg[0].text, -1, &n)) return false;
    *c->result = (double)n;
    return true;
}

static bool read_line(external_call *c)
{
    int64_t n, wanted = (int64_t)c->arg[1].at[0];
    c->text = "";
    if (!c->a || !scan_lines(c, c->arg[0].text, wanted, &n)) return false;
    c->arg[2].at[0] = n < wanted; // end of file
    return true;
}

static bool matrix_sizes(external_call *c)
{
    table_matrix x;
    if (c->arg[2].n < 2 || !table_read(c->m, c->arg[0].text, c->arg[1].text, &x, c->why))
        return false;
    c->arg[2].at[0] = x.rows;
    c->arg[2].at[1] = x.cols;
    table_matrix_free(c->m, &x);
    return true;
}

static bool read_matrix(external_call *c)
{
    table_matrix x;
    const external_value *to = &c->arg[2];
    if (!table_read(c->m, c->arg[0].text, c->arg[1].text, &x, c->why)) return false;
    bool fits = x.rows == (int)c->arg[3].at[0] && x.cols == (int)c->arg[4].at[0] &&
                to->n == x.rows * x.cols;
    if (fits) memcpy(to->at, x.at, (size_t)to->n * sizeof *to->at);
    else
        snprintf(c->why, EXTERNAL_WHY, "the matrix '%.80s' of the file has %d rows and %d columns",
                 c->arg[1].text, x.rows, x.cols);
    table_matrix_free(c->m, &x);
    return fits;
}

/* Weather data: the first time, and the last one with the mean interval after it. */
static bool time_span(external_call *c)
{
    table_matrix x;
    const external_value *to = &c->arg[2];
    if (to->n != 2 || !table_read(c->m, c->arg[0].text, c->arg[1].text, &x, c->why)) return false;
    double first = x.at[0], last = x.at[(size_t)(x.rows - 1) * (size_t)x.cols];
    to->at[0] = first;
    to->at[1] = x.rows > 1 ? last + (last - first) / (x.rows - 1) : last;
    table_matrix_free(c->m, &x);
    return true;
}

const external_function external_files[] = {
    {.name = "ModelicaIO_readMatrixSizes", .types = "vssI", .value = matrix_sizes, .reads = true},
    {.name = "ModelicaIO_readRealMatrix", .types = "vssRiii", .value = read_matrix, .reads = true},
    {.name = "ModelicaInternal_countLines", .types = "is", .value = count_lines, .reads = true},
    {.name = "ModelicaInternal_fullPathName", .types = "ss", .value = full_path, .reads = true},
    {.name = "ModelicaInternal_getcwd", .types = "si", .value = work_directory, .reads = true},
    {.name = "ModelicaInternal_readLine", .types = "ssii", .value = read_line, .reads = true},
    {.name = "ModelicaInternal_stat", .types = "is", .value = file_kind, .reads = true},
    {.name = "getTimeSpan",
     .types = "vssR",
     .value = time_span,
     .include = "getTimeSpan.c",
     .reads = true},
    {0}};
