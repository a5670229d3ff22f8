/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/goal_words.h"

#include "study/fit_parts.h"

#include <ctype.h>
#include <math.h>
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

double goal_words_start(const vinc_sim_options *run, const image_about *e)
{
    if (run && run->has_start) return run->t_start;
    return isnan(e->start) ? 0 : e->start;
}

/* Is there one argument between these parentheses? */
static bool is_single(const char *open, const char *close)
{
    int depth = 0;
    for (const char *p = open; p < close; p++) {
        depth += (strchr("([{", *p) != NULL) - (strchr(")]}", *p) != NULL);
        if (*p == ',' && depth == 1) return false;
    }
    return true;
}

static int refuse_extreme(vinc_ctx *ctx, const char *option, const char *word, const char *open,
                          const char *close)
{
    int n = (int)(close - open - 1);
    bool most = !strcmp(word, "max");
    return fit_fail(
        ctx, "C199",
        "%s: %s(%.*s) over the run has no derivative where the time of it jumps. A bound "
        "has one: --subject '%.*s %s ...'; the %s element of an array at the end is "
        "final(%s(%.*s)); without derivatives: sweep --collect '%s(%.*s)'",
        option, word, n, open + 1, n, open + 1, most ? "<=" : ">=", most ? "largest" : "smallest",
        word, n, open + 1, word, n, open + 1);
}

/* A state that is the integral of what lies between the parentheses; its number. */
static int add_integral(goal_words *w, const char *open, const char *close)
{
    text_printf(w->states, "  Real vincolo_integral%d(start = 0, fixed = true);\n", w->n_integrals);
    text_printf(w->equations, "  der(vincolo_integral%d) = %.*s;\n", w->n_integrals,
                (int)(close - open - 1), open + 1);
    return w->n_integrals++;
}

/* Over no time it is the value there. */
static void add_mean(goal_words *w, const char *open, const char *close, text *out)
{
    int k = add_integral(w, open, close);
    text_printf(out,
                "noEvent(if time > %.17g then vincolo_integral%d/(time - (%.17g)) else (%.*s))",
                w->t_start, k, w->t_start, (int)(close - open - 1), open + 1);
}

enum goal_word { GOAL_FINAL, GOAL_INTEGRAL, GOAL_MEAN, GOAL_MAX, GOAL_MIN, GOAL_NONE };

int goal_words_add(vinc_ctx *ctx, const char *option, const char *words, size_t n, goal_words *w,
                   text *out, bool *at_end)
{
    static const char *const names[GOAL_NONE] = {"final", "integral", "mean", "max", "min"};
    const char *end = words + n, *final_until = words;
    for (const char *p = words; p < end;) {
        const char *open = NULL, *close = NULL;
        int word = -1;
        while (!open && ++word < GOAL_NONE) open = call_of(names[word], words, p, end);
        if (open && !(close = closing(open, end)))
            return fit_fail(ctx, "C199", "%s '%.*s': a parenthesis is not closed", option, (int)n,
                            words);
        if (at_end && word <= GOAL_MEAN) *at_end = true;
        switch (word) {
        case GOAL_FINAL:
            final_until = close;
            p = open;
            break;
        case GOAL_INTEGRAL:
            text_printf(out, "vincolo_integral%d", add_integral(w, open, close));
            p = close + 1;
            break;
        case GOAL_MEAN:
            add_mean(w, open, close, out);
            p = close + 1;
            break;
        case GOAL_MAX:
        case GOAL_MIN:
            if (p >= final_until && is_single(open, close))
                return refuse_extreme(ctx, option, names[word], open, close);
            // fall through
        default: text_char(out, *p++);
        }
    }
    return VINC_OK;
}
