/* Values of options that can be judged before anything is computed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tool_ends_in(const char *s, const char *tail)
{
    size_t n = strlen(s), k = strlen(tail);
    return n >= k && strcmp(s + n - k, tail) == 0;
}

bool tool_check_init(const char *init)
{
    if (!init || strcmp(init, "consistent") == 0 || strcmp(init, "as-given") == 0) return true;
    tool_error("vincolo: --init is consistent or as-given, not '%s'\n", init);
    return false;
}

/* ---- endings --------------------------------------------------------------------------------- */

typedef int list_format(int i, vinc_file_format *out);

/* A drawing of characters is a path of its own, "-". */
static bool is_terminal(const vinc_file_format *f)
{
    return f->ending[0] != '.';
}

/* Which formats a command can write. */
typedef struct choice {
    list_format *format;
    bool pages, terminal;
} choice;

static bool choice_at(const choice *c, int i, vinc_file_format *f, bool *offered)
{
    if (c->format(i, f)) return false;
    *offered = is_terminal(f) ? c->terminal : c->pages || !f->results_only;
    return true;
}

static bool choice_has(const choice *c, const char *path)
{
    vinc_file_format f;
    bool offered;
    for (int i = 0; choice_at(c, i, &f, &offered); i++)
        if (offered && (is_terminal(&f) ? !strcmp(path, f.ending) : tool_ends_in(path, f.ending)))
            return true;
    return false;
}

/* ".svg, .png, .pdf or - (the terminal)" */
static const char *choice_words(const choice *c, char room[ENDINGS_BYTES])
{
    vinc_file_format f;
    bool offered;
    int n = 0, k = 0, used = 0;
    for (int i = 0; choice_at(c, i, &f, &offered); i++) n += offered;
    for (int i = 0; choice_at(c, i, &f, &offered); i++) {
        if (!offered) continue;
        used += snprintf(room + used, (size_t)(ENDINGS_BYTES - used), "%s%s%s",
                         !k           ? ""
                         : k == n - 1 ? " or "
                                      : ", ",
                         f.ending, is_terminal(&f) ? " (the terminal)" : "");
        k++;
    }
    return room;
}

const char *tool_figure_files(char room[ENDINGS_BYTES])
{
    return choice_words(&(choice){.format = vinc_figure_format}, room);
}

bool tool_is_page(const char *path)
{
    return choice_has(&(choice){vinc_figure_format, true, false}, path) &&
           !choice_has(&(choice){vinc_figure_format, false, false}, path);
}

bool tool_check_out(const char *path)
{
    choice c = {.format = vinc_result_format};
    char room[ENDINGS_BYTES];
    if (!path || choice_has(&c, path) || strncmp(path, "/dev/", 5) == 0) return true;
    tool_error("vincolo: --out writes %s, not '%s'\n", choice_words(&c, room), path);
    return false;
}

bool tool_check_plot(const char *path, bool page)
{
    choice c = {vinc_figure_format, page, true};
    char room[ENDINGS_BYTES];
    if (!path || choice_has(&c, path)) return true;
    tool_error("vincolo: --plot draws %s, not '%s'\n", choice_words(&c, room), path);
    return false;
}

// A path that cannot be written is known before the run; what exists is looked at when it is
// replaced.
bool tool_check_place(const char *path)
{
    char folder[4096];
    if (!path || strcmp(path, "-") == 0 || access(path, F_OK) == 0) return true;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", (int)n, path);
    if (access(!slash ? "." : n ? folder : "/", W_OK | X_OK) == 0) return true;
    tool_error("vincolo: cannot create '%s': %s\n", path, strerror(errno));
    return false;
}
