/* --sandbox: which files a command line names, and that nothing else is touched from there on.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sandbox.h"
#include "tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Paths that are made here live until the process ends. */
static void may_read(sandbox *s, const char *path, size_t n)
{
    char *copy = s->n_reads < SANDBOX_PATHS && n ? strndup(path, n) : NULL;
    if (copy) s->reads[s->n_reads++] = copy;
}

/* A folder with all below it; of a model its folder, where its package is; any other file alone. */
static void may_read_word(sandbox *s, const char *word)
{
    struct stat st;
    if (!word || stat(word, &st)) return;
    const char *slash = strrchr(word, '/');
    if (S_ISDIR(st.st_mode) || !tool_ends_in(word, ".mo")) may_read(s, word, strlen(word));
    else if (slash) may_read(s, word, slash == word ? 1 : (size_t)(slash - word));
    else may_read(s, ".", 1);
}

static void may_read_beside(sandbox *s, const char *path)
{
    char place[PATH_MAX + 64];
    if (tool_beside(path, place, sizeof place)) may_read(s, place, strlen(place));
}

static void may_write(sandbox *s, const char *path)
{
    if (path && strcmp(path, "-") != 0) s->writes[s->n_writes++] = path;
}

static void list_reads(sandbox *s, const options *o)
{
    static const char *const beside[] = {".", "../lib", "../share/vincolo", "../examples"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) may_read_beside(s, beside[i]);
    for (const char *p = getenv("MODELICAPATH"); p && *p; p += *p == ':') {
        may_read(s, p, strcspn(p, ":"));
        p += strcspn(p, ":");
    }
    for (int i = 0; i < o->n_paths; i++) may_read(s, o->paths[i], strlen(o->paths[i]));
    for (int i = 1; i < o->n_words; i++) may_read_word(s, o->words[i]);
    for (int i = 0; i < o->n_varied; i++) may_read_word(s, o->varied[i]);
    may_read_word(s, o->input);
    may_read_word(s, o->from);
    may_read_word(s, o->norm);
    may_read_word(s, o->method);
    may_read_word(s, o->reference);
}

bool tool_confine(const options *o)
{
    sandbox s = {0};
    list_reads(&s, o);
    may_write(&s, o->out);
    may_write(&s, o->plot);
    may_write(&s, o->report);
    char inside[PATH_MAX + 8]; // the folder must be there already
    snprintf(inside, sizeof inside, "%s/run", o->trajectories ? o->trajectories : "");
    if (o->trajectories) may_write(&s, inside);
    may_write(&s, o->target);
    if (!strcmp(o->words[0], command_new.name)) may_write(&s, "new.mo"); // in the current folder
    const char *why = sandbox_enter(&s);
    if (why)
        tool_error("vincolo: --sandbox cannot be had: %s; docs/security.md names other ways\n",
                   why);
    return !why;
}
