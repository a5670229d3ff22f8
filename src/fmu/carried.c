/* Files that a model reads.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/carried.h"

#include "fmu/fmu.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A number before the name keeps files of one name apart; what is special in names becomes '_'. */
static const char *carried_name(const char *path, int number, arena *a)
{
    const char *base = strrchr(path, '/') + 1;
    char *name = arena_alloc(a, strlen(base) + 20);
    int n = sprintf(name, "%d-", number);
    for (; *base; base++) {
        bool plain = (*base | 32) >= 'a' && (*base | 32) <= 'z';
        plain = plain || (*base >= '0' && *base <= '9') || strchr("._-", *base);
        name[n++] = plain ? *base : '_';
    }
    name[n] = 0;
    return name;
}

static const char *carried(fmu_carried *x, const char *path, arena *a)
{
    for (int i = 0; i < x->files.n; i++)
        if (!strcmp(x->files.at[i].path, path)) return x->files.at[i].name;
    fmu_carried_file f = {path, carried_name(path, x->files.n + 1, a)};
    array_push(a, &x->files, f);
    return f.name;
}

/* The end of what begins here with a quote of either kind: after it. */
static const char *quoted_end(const char *p)
{
    const char quote = *p++;
    for (; *p && *p != quote; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : p;
}

/* Texts stand between quotes, and names between single ones. */
void fmu_carry(const char *flat, arena *a, fmu_carried *x, text *out)
{
    for (const char *p = flat; *p;) {
        size_t plain = strcspn(p, "\"'");
        text_add_n(out, p, plain);
        p += plain;
        if (!*p) return;
        size_t n = (size_t)(quoted_end(p) - p);
        const char *path =
            *p == '"' && p[1] == '/' && n > 2 ? arena_strndup(a, p + 1, n - 2) : NULL;
        bool file = path && !strchr(path, '\\') && is_file(path);
        if (file) text_printf(out, "\"" FMU_FILE_MARK "%s\"", carried(x, path, a));
        else text_add_n(out, p, n);
        p += n;
    }
}
