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

/* Is an array named between these places, or written there? */
static bool has_array(const flat_model *f, const char *begin, const char *end)
{
    for (const char *p = begin; p < end; p++) {
        if (*p == '{') return true;
        if (p > begin && is_word(p[-1])) continue;
        size_t n = 0;
        while (p + n < end && is_word(p[n])) n++;
        for (int v = 0; n && v < f->vars.n; v++)
            if (!strncmp(f->vars.at[v].name, p, n) && f->vars.at[v].name[n] == '[') return true;
    }
    return false;
}

/* max(x) of a number x is x, at the end of the run; who writes it means the largest over the run, as a sweep
 * collects it, which has no derivative where another point becomes the largest. */
static int refuse_extreme(vinc_model *model, const char *option, const char *words, const char *p,
                          const char *end)
{
    static const char *const names[] = {"max", "min"};
    for (int i = 0; i < 2; i++) {
        const char *open = call_of(names[i], words, p, end),
                   *close = open ? closing(open, end) : NULL;
        int depth = 0, commas = 0;
        for (const char *q = open; close && q < close; q++) {
            depth += (*q == '(' || *q == '{' || *q == '[') - (*q == ')' || *q == '}' || *q == ']');
            commas += *q == ',' && depth == 1;
        }
        if (!close || commas || has_array(model->flat, open, close)) continue;
        return fit_fail(model->ctx, "C199",
                        "%s '%.*s': %.*s of one number is that number, not the %s value of a run, "
                        "which a sweep collects; a goal may be an integral, and a constraint holds "
                        "all along the run",
                        option, (int)(end - words), words, (int)(close + 1 - p), p,
                        i ? "least" : "largest");
    }
    return VINC_OK;
}

int goal_words_add(vinc_model *model, const char *option, const char *words, size_t n,
                   goal_words *w, text *out, bool *at_end)
{
    const char *end = words + n;
    for (const char *p = words; p < end;) {
        const char *final = call_of("final", words, p, end),
                   *open = call_of("integral", words, p, end), *close = NULL;
        int rc = refuse_extreme(model, option, words, p, end);
        if (rc) return rc;
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
            return fit_fail(model->ctx, "C199", "%s '%.*s': a parenthesis is not closed", option,
                            (int)n, words);
        text_printf(w->states, "  Real vincolo_integral%d(start = 0, fixed = true);\n",
                    w->n_integrals);
        text_printf(w->equations, "  der(vincolo_integral%d) = %.*s;\n", w->n_integrals,
                    (int)(close - open - 1), open + 1);
        text_printf(out, "vincolo_integral%d", w->n_integrals++);
        p = close + 1;
    }
    return VINC_OK;
}
