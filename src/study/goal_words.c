/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/goal_words.h"

#include "study/fit_parts.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

/* Does a call of this name begin at p? Where its parenthesis opens; NULL: none does. */
static const char *call_of(const char *name, const char *begin, const char *p, const char *end)
{
    size_t n = strlen(name);
    if ((size_t)(end - p) < n || strncmp(p, name, n) || (p > begin && is_word(p[-1]))) return NULL;
    for (p += n; p < end && isspace((unsigned char)*p);) p++;
    return p < end && *p == '(' ? p : NULL;
}

static const char *closing(const char *open, const char *end)
{
    int depth = 0;
    for (const char *p = open; p < end; p++) {
        depth += (*p == '(') - (*p == ')');
        if (!depth) return p;
    }
    return NULL;
}

int goal_words_add(vinc_ctx *ctx, const char *option, const char *words, size_t n, goal_words *w,
                   text *out, bool *at_end)
{
    const char *end = words + n;
    for (const char *p = words; p < end;) {
        const char *final = call_of("final", words, p, end),
                   *open = call_of("integral", words, p, end), *close = NULL;
        if (at_end && (final || open)) *at_end = true;
        if (final) {
            p = final;
            continue;
        }
        if (!open) {
            text_char(out, *p++);
            continue;
        }
        close = closing(open, end);
        if (!close)
            return fit_fail(ctx, "C199", "%s '%.*s': a parenthesis is not closed", option, (int)n,
                            words);
        text_printf(w->states, "  Real vincolo_integral%d(start = 0, fixed = true);\n",
                    w->n_integrals);
        text_printf(w->equations, "  der(vincolo_integral%d) = %.*s;\n", w->n_integrals,
                    (int)(close - open - 1), open + 1);
        text_printf(out, "vincolo_integral%d", w->n_integrals++);
        p = close + 1;
    }
    return VINC_OK;
}
