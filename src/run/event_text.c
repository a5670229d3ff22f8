/* Events in words: messages of assertions with their numbers, the log.
 *
 * A message is a String expression: literals, sums, String(x), choices. Its numbers are compiled
 * like any other function, and the text is put together from their values when it is needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/format.h"
#include "run/event.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 200, NAMED_MAX = 6, LISTED_MAX = 4 };
static const size_t PRINTED = 80; // letters of one expression

/* ---- messages -------------------------------------------------------------------------------- */

typedef struct writer {
    const run_state *s;
    const expr_pool *p;
    const double *values; // of the numbers in messages; NULL: no memory for them
    text *out;
} writer;

static bool message_number(const writer *w, expr e, double *x)
{
    if (expr_number(w->p, e, x)) return true;
    for (int k = 0; w->values && k < w->s->model->events.messages.n_out; k++)
        if (w->s->model->events.message_of[k] == e) return *x = w->values[k], true;
    return false;
}

static void write_number(const writer *w, expr e, int digits)
{
    const expr_node *n = expr_at(w->p, e);
    const flat_model *m = w->s->model->s->flat;
    double x;
    if (!message_number(w, e, &x)) text_add(w->out, "...");
    else if (n->type == TYPE_BOOLEAN) text_add(w->out, x != 0 ? "true" : "false");
    else if (n->type == TYPE_ENUM && n->enum_id < m->enums.n && x >= 1 &&
             x <= m->enums.at[n->enum_id].n)
        text_add(w->out, m->enums.at[n->enum_id].literals[(int)x - 1]);
    else text_printf(w->out, "%.*g", n->type == TYPE_REAL ? digits : 17, x);
}

// String(value, minimumLength, leftJustified, significantDigits) or String(value, format).
static void write_converted(const writer *w, expr e)
{
    const expr *arg = expr_args(w->p, e);
    int n = expr_arity(w->p, e);
    double width = 0, left = 1, digits = 6, x;
    if (n == 2 && expr_at(w->p, arg[1])->op == EXPR_STRING) {
        const char *format = expr_at(w->p, arg[1])->u.string;
        char buffer[FORMAT_MAX];
        if (!message_number(w, arg[0], &x) || !format_is_safe(format))
            return text_add(w->out, "...");
        format_number(format, x, buffer, sizeof buffer);
        return text_add(w->out, buffer);
    }
    if (n > 1) message_number(w, arg[1], &width);
    if (n > 2) message_number(w, arg[2], &left);
    if (n > 3) message_number(w, arg[3], &digits);
    text word;
    text_init(&word, w->s->m);
    writer inner = *w;
    inner.out = &word;
    write_number(&inner, arg[0], digits >= 1 && digits <= 40 ? (int)digits : 6);
    int missing = width > (double)word.n && width < 1000 ? (int)width - (int)word.n : 0;
    if (left == 0) text_pad(w->out, ' ', missing);
    text_add(w->out, text_str(&word));
    if (left != 0) text_pad(w->out, ' ', missing);
    text_done(&word);
}

static void write_string(const writer *w, expr e, int depth)
{
    const expr_node *n = expr_at(w->p, e);
    double x;
    if (depth > DEPTH_MAX) return;
    switch ((expr_op)n->op) {
    case EXPR_STRING: text_add(w->out, n->u.string); break;
    case EXPR_ADD:
        write_string(w, n->u.arg[0], depth + 1);
        write_string(w, n->u.arg[1], depth + 1);
        break;
    case EXPR_IF:
        if (!message_number(w, n->u.arg[0], &x)) text_add(w->out, "...");
        else write_string(w, n->u.arg[x != 0 ? 1 : 2], depth + 1);
        break;
    case EXPR_TOSTRING: write_converted(w, e); break;
    case EXPR_VAR: {
        expr bound = n->u.var.index < w->s->model->s->n_flat
                         ? flat_at(w->s->model->s->flat, n->u.var.index)->binding
                         : 0;
        if (bound) write_string(w, bound, depth + 1);
        else text_add(w->out, "...");
        break;
    }
    default: text_add(w->out, "...");
    }
}

void event_action_text(run_state *s, int action, double t, const double *y, const double *yp,
                       text *out)
{
    const code_model *m = s->model;
    const structure_action *a = &m->s->actions.at[action];
    if (!code_has_origin(m)) return;
    size_t bytes = ((size_t)m->events.messages.n_out + 1) * sizeof(double);
    double *values = mem_try(s->m, bytes);
    if (values) run_eval(s, &m->events.messages, t, y, yp, values, NULL);
    writer w = {s, m->s->pool, values, out};
    if (a->message) write_string(&w, a->message, 0);
    for (int k = 0; k < a->n_named && k < NAMED_MAX; k++) {
        double x;
        if (!message_number(&w, a->values[k], &x)) continue;
        text_add(out, k ? ", " : " (");
        expr_print(w.p, a->named[k], EXPR_MODELICA, PRINTED, out);
        text_add(out, " = ");
        write_number(&w, a->values[k], 10);
        if (k + 1 == a->n_named || k + 1 == NAMED_MAX) text_char(out, ')');
    }
    mem_free(s->m, values, bytes);
}

void event_string_text(run_state *s, int i, double t, const double *y, const double *yp, text *out)
{
    const code_model *m = s->model;
    if (!code_has_origin(m)) return;
    size_t bytes = ((size_t)m->events.messages.n_out + 1) * sizeof(double);
    double *values = mem_try(s->m, bytes);
    if (values) run_eval(s, &m->events.messages, t, y, yp, values, NULL);
    writer w = {s, m->s->pool, values, out};
    write_string(&w, m->s->strings.at[m->events.told[i]].value, 0);
    mem_free(s->m, values, bytes);
}

/* ---- the log --------------------------------------------------------------------------------- */

/* The equations have no solution: discrete variables that were to be solved for (structure/discrete_loops.c). */
static void name_unsolved(const run_state *s, span *at, text *out)
{
    const image_events *x = &s->model->events.list;
    text_add(out, "the equations have no solution there, or none that was found");
    if (x->n_loops) *at = x->loops[0].at;
    for (int k = 0; k < x->n_loops && k < LISTED_MAX; k++)
        text_printf(out, "%s%s",
                    k ? ", " : "; these variables of when-clauses depend on themselves: ",
                    NAME_AT(&s->model->names, x->loops[k].var) + 1);
}

void event_name_restless(run_state *s, double t)
{
    enum { CHANGES_OFTEN = 3 }; // a relation that changed more often while settling does not rest
    const structure *x = s->model->s;
    span at = {0, 0};
    int n = 0, all = 0;
    text words;
    text_init(&words, s->m);
    text_printf(&words, "the event at t = %.10g does not settle: ", t);
    for (int k = 0; k < s->model->events.n_relations; k++) {
        if (s->events.relations.toggles[k] <= CHANGES_OFTEN || all++ >= LISTED_MAX) continue;
        if (!n++) at = x->relations.at[k].at;
        if (!code_has_origin(s->model)) continue;
        text_add(&words, n > 1 ? ", " : "without end change ");
        expr_print(s->model->s->pool, x->relations.at[k].relation, EXPR_MODELICA, PRINTED, &words);
    }
    bool circles = !n && s->events.discrete.circles;
    for (int k = 0; k < x->discrete.n; k++) {
        const structure_equation *e = &x->discrete.at[k];
        const char *name = FLAT_NAME(x->flat, e->block);
        if (!s->events.discrete.restless[k] || name[0] == '$' || all++ >= LISTED_MAX) continue;
        if (!n++) at = e->at;
        text_printf(&words, "%s%s", n > 1 ? ", " : "without end change ", name);
    }
    if (all > n) text_printf(&words, " and %d more", all - n);
    if (circles)
        text_add(&words, ", which depend on each other at one instant: an algebraic loop of "
                         "Booleans or Integers is not "
                         "solved for; write pre() where the value before the event is meant");
    else if (!n && s->events.discrete.unsolved) name_unsolved(s, &at, &words);
    else if (!n) text_add(&words, "without end change the conditions of when-clauses");
    event_complain(s, at, text_str(&words));
    text_done(&words);
}

// What has changed since w was noted: relations, samples, when-clauses that fired.
static void write_changes(const run_state *s, text *out)
{
    const structure *x = s->model->s;
    int n = 0, more = 0;
    for (int k = 0; k < s->model->events.n_relations; k++) {
        const structure_relation *r = &x->relations.at[k];
        double now = s->w[r->place];
        if (now == s->events.w_noted[r->place]) continue;
        if (n >= LISTED_MAX) {
            more++;
            continue;
        }
        if (!code_has_origin(s->model)) continue;
        text_add(out, n++ ? "; " : "");
        expr_print(s->model->s->pool, r->relation, EXPR_MODELICA, PRINTED, out);
        if (expr_at(s->model->s->pool, r->relation)->type == TYPE_BOOLEAN)
            text_add(out, now != 0 ? " becomes true" : " becomes false");
        else text_printf(out, " becomes %.17g", now);
    }
    if (more) text_printf(out, " and %d more", more);
    for (int v = 0; v < x->n_flat; v++) {
        if (x->vars[v].role != STRUCTURE_DISCRETE) continue;
        int at = x->vars[v].place;
        const char *name = FLAT_NAME(x->flat, v);
        if (s->w[at] == s->events.w_noted[at] || name[0] == '$') continue;
        if (n++ >= 2 * LISTED_MAX) break;
        text_printf(out, "%s%s = %.10g", out->n ? "; " : "", name, s->w[at]);
    }
}

void event_text(void *user, char *line, size_t size)
{
    run_state *s = user;
    if (!line) {
        memcpy(s->events.w_noted, s->w, (size_t)s->model->n_w * sizeof *s->w);
        return;
    }
    text out;
    text_init(&out, s->m);
    write_changes(s, &out);
    snprintf(line, size, "%s", text_str(&out));
    text_done(&out);
}
