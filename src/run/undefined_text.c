/* What has no value, in words: the operation, why, where, and a way out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "run/run_parts.h"
#include "run/undefined.h"

#include <math.h>
#include <string.h>

static bool
finite_pole(const run_undefined *u) // a number divided by zero, a root of a negative one
{
    switch ((expr_op)u->op) {
    case EXPR_DIV:
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM: return u->x[1] == 0;
    case EXPR_POW: // a whole power of a negative number is a number, unless it is too large
        return u->x[0] == 0 || (u->x[0] < 0 && u->x[1] != floor(u->x[1]));
    case EXPR_SQRT: return u->x[0] < 0;
    case EXPR_LOG:
    case EXPR_LOG10: return u->x[0] <= 0;
    case EXPR_ASIN:
    case EXPR_ACOS: return fabs(u->x[0]) > 1;
    default: return false;
    }
}

/* What was asked of the operation, after "it is". */
static void add_reason(const run_undefined *u, text *out)
{
    const double *x = u->x;
    if (u->cause.subscript) {
        text_printf(out, "subscript %.9g of '%s' is outside 1 ... %d", x[0],
                    u->cause.subscript->array, u->cause.subscript->size);
        return;
    }
    if (u->cause.endless) {
        text_printf(out, "a loop does not end within %d operations", PROGRAM_STEPS);
        return;
    }
    if (u->cause.said) {
        text_printf(out, "\"%s\"", u->cause.said);
        return;
    }
    if (!finite_pole(u)) {
        if (!u->op) text_add(out, "it has no value");
        else text_add(out, "its value is beyond the largest number, 1.8e308");
        return;
    }
    switch ((expr_op)u->op) {
    case EXPR_SQRT: text_printf(out, "the square root of a negative number, %.9g", x[0]); break;
    case EXPR_LOG:
    case EXPR_LOG10:
        text_printf(out, "the logarithm of %s%.9g", x[0] < 0 ? "a negative number, " : "", x[0]);
        break;
    case EXPR_ASIN:
    case EXPR_ACOS:
        text_printf(out, "the %s of %.17g, which is outside of -1 ... 1",
                    u->op == EXPR_ASIN ? "arc sine" : "arc cosine", x[0]);
        break;
    case EXPR_POW:
        if (x[0] < 0)
            text_printf(out,
                        "a power of a negative number, %.9g, with an exponent that is not a "
                        "whole number, %.9g",
                        x[0], x[1]);
        else text_printf(out, "a negative power of zero (exponent %.9g)", x[1]);
        break;
    default: text_printf(out, "a division of %.9g by zero", x[0]);
    }
}

void undefined_text(const run_undefined *u, text *out)
{
    if (u->why) {
        text_printf(out, "%s has no value", u->function);
        if (!isnan(u->t)) text_printf(out, " at t = %.10g", u->t);
        text_printf(out, ": %s", u->why);
        return;
    }
    text_printf(out, "%s%s", u->operation, isnan(u->value) ? " is not a number" : " is infinite");
    if (!isnan(u->t)) text_printf(out, " at t = %.10g", u->t);
    if (u->cause.fault) {
        text_add(out, ": ");
        routine_integral_words(&u->cause, out);
    } else if (u->op != EXPR_VAR && u->op != EXPR_CALL) {
        text_add(out, ": ");
        if (u->function) text_printf(out, "in the function %s, ", u->function);
        add_reason(u, out);
    }
    if (u->equation[0])
        text_printf(out, "; the equation '%s' was solved for '%s'", u->equation, u->unknown);
}

/* Of which medium are these the values? Each component once. */
static void add_packages(const run_state *s, const run_undefined *u, text *out)
{
    const word_table *x = &s->model->words;
    for (int i = 0; i < x->n_packages; i++) {
        const char *component = x->packages[i].component;
        size_t n = strlen(component);
        bool has = false;
        for (int k = -1; k < u->n_named; k++) {
            const char *name = k >= 0 ? u->named[k] : u->variable;
            const char *dot = strrchr(name, '.');
            has = has || (dot && (size_t)(dot - name) == n && !memcmp(name, component, n));
        }
        if (has) text_printf(out, "; %s is of %s", component, x->packages[i].package);
    }
}

static void add_values(const run_state *s, const run_undefined *u, text *out)
{
    for (int k = 0; k < u->n_named; k++)
        text_printf(out, "%s%s = %.10g", k ? ", " : "", u->named[k], u->values[k]);
    add_packages(s, u, out);
}

static const char *cure_of(const run_undefined *u)
{
    if (u->cause.fault) return routine_integral_cure(u->cause.fault);
    if (u->cause.subscript)
        return "an element is asked for only where there is one: if i >= 1 and i <= size(a, 1) "
               "then "
               "a[i] else ...";
    if (u->cause.endless) return "look at the condition of the loop, and at what changes it";
    if (u->cause.said) return "the values above are outside of what the function was made for";
    if (!finite_pole(u)) {
        switch ((expr_op)u->op) {
        case EXPR_EXP:
        case EXPR_SINH:
        case EXPR_COSH:
            return "look for a wrong unit or sign in the argument, or limit it with min()";
        default: return "look for what grows without bound, or for a wrong unit";
        }
    }
    switch ((expr_op)u->op) {
    case EXPR_SQRT:
    case EXPR_POW:
        return "if the argument ought to stay positive, look at its sign and at the start values; "
               "otherwise say what holds beyond zero: if x > 0 then sqrt(x) else 0, sqrt(max(x, "
               "0)), "
               "or sign(x)*sqrt(abs(x))";
    case EXPR_LOG:
    case EXPR_LOG10:
        return "if the argument ought to stay positive, look at its sign and at the start values; "
               "otherwise keep it above a smallest value: log(max(x, 1e-9))";
    case EXPR_ASIN:
    case EXPR_ACOS:
        return "if rounding has led beyond 1, limit the argument: acos(max(-1, min(1, x))); "
               "an angle is found without such limits by atan2(y, x)";
    default:
        return "say what holds where the divisor vanishes (if x <> 0 then ... else ...), or give "
               "start values and parameters for which it does not";
    }
}

void unsolved_text(const run_state *s, const run_unsolved *u, text *out)
{
    text_printf(out, "'%s' is found by '%s', here with ", u->of.unknown, u->of.equation);
    add_values(s, &u->of, out);
    if (!u->fold) return;
    text_printf(out,
                ". The equation hardly changes with '%s' here (slope %.2g): there its solution "
                "ends, or meets another one (a fold). Say "
                "what holds beyond, or write the equation so that it is single-valued",
                u->of.unknown, u->slope);
}

void undefined_tell(const run_state *s, const run_undefined *u, const char *code, diag_sink *sink)
{
    watch *w = sink->a->m->watch;
    bool deaf = watch_deafen(w, true);
    text words;
    text_init(&words, sink->a->m);
    undefined_text(u, &words);
    span at = u->cause.fault ? u->cause.integral->at : u->at;
    diag_error(sink, code, at, "%s", text_str(&words));
    text_clear(&words);
    if (!u->why) { // a reason of its own says what is wrong
        add_values(s, u, &words);
        if (words.n) diag_note(sink, (span){0}, "here %s", text_str(&words));
        if (u->cause.subscript)
            diag_note(sink, u->cause.subscript->at, "the subscript stands here");
        if (u->cause.endless) diag_note(sink, u->cause.endless->at, "the loop stands here");
        diag_note(sink, (span){0}, "%s", cure_of(u));
    }
    text_done(&words);
    watch_deafen(w, deaf);
}
