/* Files that options name: times of output, and values of parameters.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A whole file as a text; NULL, and said, where it cannot be read. */
static char *list_text(const char *named, const char *path)
{
    enum { LIST_BYTES_MAX = 64 << 20 };
    FILE *f = fopen(path, "rb");
    char *text = NULL, *more;
    size_t n = 0, cap = 0;
    int got = 0;
    while (f && !ferror(f) && n < LIST_BYTES_MAX) {
        if (n + 1 >= cap) {
            cap = cap ? 2 * cap : 4096;
            if (!(more = realloc(text, cap))) break;
            text = more;
        }
        if ((got = (int)fread(text + n, 1, cap - n - 1, f)) <= 0) break;
        n += (size_t)got;
    }
    bool whole = f && text && !ferror(f) && feof(f);
    if (!whole)
        tool_error("vincolo: %s: cannot read '%s': %s\n", named, path,
                   !f || ferror(f) ? strerror(errno) : "it is too large");
    if (f) fclose(f);
    if (!whole) return free(text), NULL;
    text[n] = 0;
    if (strlen(text) == n) return text;
    tool_error("vincolo: %s: '%s' is no text\n", named, path);
    return free(text), NULL;
}

/* The next line, its end cut off; NULL after the last. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (!line || !*line) return NULL;
    char *end = line + strcspn(line, "\r\n");
    *rest = end + strspn(end, "\r") + (end[strspn(end, "\r")] == '\n');
    *end = 0;
    return line;
}

static char *trimmed(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n && strchr(" \t", s[n - 1])) s[--n] = 0;
    return s;
}

/* ---- times ----------------------------------------------------------------------------------- */

typedef struct time_list {
    double *at;
    int n, cap;
} time_list;

static bool time_add(time_list *l, double t)
{
    if (l->n == l->cap) {
        int cap = l->cap ? 2 * l->cap : 64;
        double *more = cap < (1 << 28) ? realloc(l->at, (size_t)cap * sizeof *more) : NULL;
        if (!more) return false;
        l->at = more;
        l->cap = cap;
    }
    l->at[l->n++] = t;
    return true;
}

/* Numbers between commas, semicolons and blanks; of a table the first of each line. The part that is
 * none, or NULL. */
static const char *times_of_line(time_list *l, const char *p, bool first_only)
{
    static const char between[] = ",; \t";
    for (p += strspn(p, between); *p; p += strspn(p, between)) {
        char *end;
        double t = strtod(p, &end);
        if (end == p || (*end && !strchr(between, *end)) || !time_add(l, t)) return p;
        if (first_only) return NULL;
        p = end;
    }
    return NULL;
}

static bool is_number(const char *s)
{
    char *end;
    strtod(s, &end);
    return end > s;
}

static bool times_of_file(time_list *l, const char *path)
{
    char *text = list_text("--times", path), *rest = text, *line;
    bool table = false, ok = text != NULL;
    for (int number = 1; ok && (line = next_line(&rest)) != NULL; number++) {
        line = trimmed(line);
        if (!*line || *line == '#') continue;
        if (!l->n && !table && !is_number(line)) {
            table = true; // a line of names: the times are its first column
            continue;
        }
        const char *wrong = times_of_line(l, line, table);
        if (wrong)
            tool_error("vincolo: --times: %s:%d: a time is needed, not '%.40s'\n", path, number,
                       wrong);
        ok = !wrong;
    }
    if (ok && !l->n) tool_error("vincolo: --times: '%s' has no times\n", path);
    free(text);
    return ok && l->n;
}

/* A list, unless it is the name of a file. */
bool tool_read_times(options *o)
{
    time_list l = {0};
    bool ok;
    if (is_number(o->times) && !strpbrk(o->times, "/")) {
        const char *wrong = times_of_line(&l, o->times, false);
        if (wrong)
            tool_error("vincolo: --times needs times, 0,0.5,3, or a file of them, not '%.60s'\n",
                       wrong);
        ok = !wrong;
    } else {
        ok = times_of_file(&l, o->times);
    }
    o->time_list = l.at;
    o->n_times = l.n;
    return ok;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_set(const options *o, const char *name)
{
    for (int i = 0; i < o->n_settings; i++)
        if (!strcmp(o->settings[i].name, name)) return true;
    return false;
}

/* NAME = VALUE; a semicolon may end it. What follows # or // is a remark. */
static bool value_of_line(char *line, char **name, char **value)
{
    bool quoted = false;
    char *equals;
    for (char *p = line; *p; p++) {
        if (*p == '"' && (p == line || p[-1] != '\\')) quoted = !quoted;
        if (!quoted && (*p == '#' || (*p == '/' && p[1] == '/'))) {
            *p = 0;
            break;
        }
    }
    *name = line = trimmed(line);
    *value = NULL;
    if (!*line) return true;
    if (!(equals = strchr(line, '='))) return false;
    *equals = 0;
    *name = trimmed(line);
    *value = trimmed(equals + 1);
    size_t n = strlen(*value);
    if (n && (*value)[n - 1] == ';') (*value)[n - 1] = 0, *value = trimmed(*value);
    return **name && **value;
}

bool tool_read_values(options *o)
{
    enum { PLACE_BYTES = 128 };
    char *text = list_text("--params", o->params), *rest = text, *line, *name, *value;
    int lines = 1;
    for (const char *p = text; p && *p; p++) lines += *p == '\n';
    o->values_text = text;
    o->places = text ? malloc((size_t)lines * PLACE_BYTES) : NULL;
    if (!o->places) return false;
    const int given = o->n_settings; // by -p: it counts more than a file
    for (int number = 1; (line = next_line(&rest)) != NULL; number++) {
        char *place = o->places + (size_t)(number - 1) * PLACE_BYTES;
        snprintf(place, PLACE_BYTES, "%.100s:%d", o->params, number);
        if (!value_of_line(line, &name, &value)) {
            tool_error("vincolo: --params: %s: NAME = VALUE is needed, not '%.60s'\n", place, name);
            return false;
        }
        if (!value) continue;
        bool twice = is_set(o, name);
        for (int i = 0; i < given && twice; i++) twice = strcmp(o->settings[i].name, name) != 0;
        if (twice) {
            tool_error("vincolo: --params: %s: '%s' has a value already\n", place, name);
            return false;
        }
        if (is_set(o, name)) continue;
        if (o->n_settings == MAX_SETTINGS) {
            tool_error("vincolo: --params: %s: at most %d values\n", place, MAX_SETTINGS);
            return false;
        }
        o->setting_places[o->n_settings] = place;
        o->settings[o->n_settings++] = (vinc_setting){name, value};
    }
    return true;
}

void tool_forget_lists(options *o)
{
    free(o->time_list);
    free(o->values_text);
    free(o->places);
}
