/* References of examples: where they lie, and which of their signals count. Held against a result by
 * vinc_difference_of, with a half-width of 0.002.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tube.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 0.002;

/* ---- the reference --------------------------------------------------------------------------- */

bool tube_file(const char *dir, const char *class_name, char *path, size_t room)
{
    const char *dot = strrchr(class_name, '.'), *last = dot ? dot + 1 : class_name;
    int used = snprintf(path, room, "%s/", dir), folder = used;
    if (used < 0 || (size_t)used >= room) return false;
    used += snprintf(path + used, room - (size_t)used, "%s/%s.csv", class_name, last);
    if ((size_t)used >= room) return false;
    for (size_t i = (size_t)folder; i < (size_t)folder + strlen(class_name); i++)
        if (path[i] == '.') path[i] = '/';
    FILE *f = fopen(path, "r");
    if (f) fclose(f);
    return f != NULL;
}

static bool same_name(const char *x, const char *y) // blanks do not count
{
    for (;; x++, y++) {
        while (isspace((unsigned char)*x)) x++;
        while (isspace((unsigned char)*y)) y++;
        if (*x != *y || !*x) return *x == *y;
    }
}

static int find_column(vinc_result *table, const char *name)
{
    int found = vinc_result_find(table, name), n = vinc_result_n_columns(table);
    vinc_column c;
    for (int i = 1; found < 0 && i < n; i++)
        if (!vinc_result_column(table, i, &c) && same_name(c.name, name)) found = i;
    return found;
}

/* The list beside the table; false where there is none, or it names nothing of the table. */
static bool listed_signals(const char *path, tube_reference *r)
{
    char list[4200], line[4096];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    if (snprintf(list, sizeof list, "%.*scomparisonSignals.txt", folder, path) >= (int)sizeof list)
        return false;
    FILE *f = fopen(list, "r");
    int most = vinc_result_n_columns(r->table);
    while (f && r->n < most && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        int k = strncmp(line, "//", 2) ? find_column(r->table, line) : -1;
        if (k > 0) r->columns[r->n++] = k;
    }
    if (f) fclose(f);
    return r->n > 0;
}

static char *joined_names(const tube_reference *r)
{
    size_t room = 1, used = 0;
    vinc_column c;
    for (int i = 0; i < r->n; i++)
        if (!vinc_result_column(r->table, r->columns[i], &c)) room += strlen(c.name) + 1;
    char *out = malloc(room);
    for (int i = 0; out && i < r->n; i++)
        if (!vinc_result_column(r->table, r->columns[i], &c))
            used += (size_t)sprintf(out + used, "%s%s", used ? "," : "", c.name);
    if (out) out[used] = 0;
    return out;
}

int tube_read(vinc_ctx *ctx, const char *path, tube_reference *out)
{
    *out = (tube_reference){0};
    int rc = vinc_result_read(ctx, path, &out->table);
    vinc_column t;
    if (rc || vinc_result_column(out->table, 0, &t) || !t.n) return rc ? rc : VINC_E_OPTION;
    int n = vinc_result_n_columns(out->table);
    out->columns = malloc((size_t)n * sizeof *out->columns);
    if (!out->columns) return VINC_E_MEMORY;
    if (!listed_signals(path, out))
        for (int i = 1; i < n; i++) out->columns[out->n++] = i;
    out->start = t.values[0], out->stop = t.values[t.n - 1];
    for (size_t i = 1; i < t.n; i++) out->intervals += t.values[i] > t.values[i - 1];
    out->vars = joined_names(out);
    return out->vars ? VINC_OK : VINC_E_MEMORY;
}

void tube_free(tube_reference *r)
{
    vinc_result_free(r->table);
    free(r->columns);
    free(r->vars);
    *r = (tube_reference){0};
}

/* ---- the verdict ------------------------------------------------------------------------------ */

tube_verdict tube_compare(const tube_reference *r, vinc_result *result)
{
    tube_verdict v = {.n_signals = r->n};
    vinc_difference *d = NULL;
    vinc_difference_options o = {.tol = WIDTH, .reference = 1, .n_names = r->n};
    const char **names = malloc((size_t)(r->n + 1) * sizeof *names);
    vinc_column c;
    for (int i = 0; names && i < r->n; i++)
        names[i] = vinc_result_column(r->table, r->columns[i], &c) ? "" : c.name;
    o.names = names;
    if (names && !vinc_difference_of(r->table, result, &o, &d)) v.inside = d->n_agree;
    if (d && !d->equal && d->n_agree == d->n_signals) {
        v.inside = 0;
        snprintf(v.first, sizeof v.first, "the result ends at %.9g, the reference at %.9g",
                 d->second_ends, d->first_ends);
    }
    for (int i = 0; d && i < d->n_signals && !v.first[0]; i++) {
        const vinc_signal_difference *s = &d->signals[i];
        if (!strcmp(s->what, "agrees")) continue;
        if (!strcmp(s->what, "only in the first"))
            snprintf(v.first, sizeof v.first, "the result has no '%.200s'", s->name);
        else if (!strcmp(s->what, "second"))
            snprintf(v.first, sizeof v.first, "%.200s(%.6g) = %.9g is not in [%.9g, %.9g]", s->name,
                     s->t, s->value, s->lowest, s->highest);
        else
            snprintf(v.first, sizeof v.first,
                     "%.200s: the reference at %.6g, %.9g, is not in [%.9g, %.9g]", s->name, s->t,
                     s->value, s->lowest, s->highest);
    }
    vinc_report_free(d);
    free(names);
    return v;
}
