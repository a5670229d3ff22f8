/* Events in words: messages of assertions with their numbers, the log.
 *
 * A text is a list of pieces (image/text_pieces.h). Its numbers are outputs of a function, evaluated when
 * the text is needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/format.h"
#include "run/event.h"

#include <stdio.h>
#include <string.h>

enum { LISTED_MAX = 4 };

/* ---- messages -------------------------------------------------------------------------------- */

typedef struct writer {
    const run_state *s;
    const text_table *x;
    const double *values; // of the numbers in texts; NULL: no memory for them
    text *out;
} writer;

static bool number_value(const writer *w, text_number x, double *value)
{
    if (x.output == TEXT_NOT_KNOWN || (x.output >= 0 && !w->values)) return false;
    *value = x.output < 0 ? x.constant : w->values[x.output];
    return true;
}

static void add_number(const writer *w, text_number number, const text_format *f, int digits,
                       text *out)
{
    double x;
    if (!number_value(w, number, &x)) text_add(out, "...");
    else if (f->type == TEXT_BOOLEAN) text_add(out, x != 0 ? "true" : "false");
    else if (f->type == TEXT_ENUMERATION && x >= 1 && x <= f->n_literals)
        text_add(out, w->x->literals[f->first_literal + (int)x - 1]);
    else text_printf(out, "%.*g", f->type == TEXT_REAL ? digits : 17, x);
}

static void add_converted(const writer *w, text_number number, const text_format *f)
{
    double width = 0, left = 1, digits = 6, x;
    if (f->c_format) {
        char buffer[FORMAT_MAX];
        if (!number_value(w, number, &x)) return text_add(w->out, "...");
        format_number(f->c_format, x, buffer, sizeof buffer);
        return text_add(w->out, buffer);
    }
    number_value(w, f->width, &width);
    number_value(w, f->left, &left);
    number_value(w, f->digits, &digits);
    text word;
    text_init(&word, w->s->m);
    add_number(w, number, f, digits >= 1 && digits <= 40 ? (int)digits : 6, &word);
    int missing = width > (double)word.n && width < 1000 ? (int)width - (int)word.n : 0;
    if (left == 0) text_pad(w->out, ' ', missing);
    text_add(w->out, text_str(&word));
    if (left != 0) text_pad(w->out, ' ', missing);
    text_done(&word);
}

/* Of a choice the pieces that are not taken are stepped over. */
static void add_pieces(const writer *w, text_list list)
{
    for (int k = list.first, end = k + list.n; k < end; k++) {
        const text_piece *q = &w->x->pieces[k];
        double x;
        switch ((text_piece_kind)q->kind) {
        case TEXT_WORDS: text_add(w->out, q->words); break;
        case TEXT_NUMBER:
            add_converted(w, w->x->numbers[q->number], &w->x->formats[q->format]);
            break;
        case TEXT_CHOICE:
            if (!number_value(w, w->x->numbers[q->number], &x)) text_add(w->out, "...");
            else if (x != 0) add_pieces(w, (text_list){k + 1, q->n_yes});
            else add_pieces(w, (text_list){k + 1 + q->n_yes, q->n_no});
            k += q->n_yes + q->n_no;
        }
    }
}

static void add_variables(const writer *w, text_list list)
{
    for (int k = 0; k < list.n; k++) {
        const text_named *v = &w->x->named[list.first + k];
        text_add(w->out, k ? ", " : " (");
        names_write(&w->s->model->names, v->var, v->times, w->out);
        text_add(w->out, " = ");
        add_converted(w, w->x->numbers[v->number], &w->x->formats[v->format]);
    }
    if (list.n) text_char(w->out, ')');
}

static void write_lists(run_state *s, text_list pieces, text_list variables, double t,
                        const double *y, const double *yp, text *out)
{
    const code_events *x = &s->model->events;
    size_t bytes = ((size_t)x->messages.n_out + 1) * sizeof(double);
    double *values = mem_try(s->m, bytes);
    if (values) run_eval(s, &x->messages, t, y, yp, values, NULL);
    const writer w = {s, &x->texts, values, out};
    add_pieces(&w, pieces);
    add_variables(&w, variables);
    if (values) mem_free(s->m, values, bytes);
}

void event_action_text(run_state *s, int action, double t, const double *y, const double *yp,
                       text *out)
{
    const text_table *x = &s->model->events.texts;
    write_lists(s, x->message[action], x->variables[action], t, y, yp, out);
}

void event_string_text(run_state *s, int i, double t, const double *y, const double *yp, text *out)
{
    write_lists(s, s->model->events.texts.strings[i], (text_list){0}, t, y, yp, out);
}

/* ---- the log --------------------------------------------------------------------------------- */

/* A relation by its text, or where that was left out by its number. */
static void add_relation(const word_table *x, int k, text *out)
{
    if (k < x->n_relations) text_add(out, x->relations[k].text);
    else text_printf(out, "relation %d", k + 1);
}

void event_name_restless(run_state *s, double t)
{
    enum { CHANGES_OFTEN = 3 }; // a relation that changed more often while settling does not rest
    const image_events *x = &s->model->events.list;
    span at = {0, 0};
    int n = 0, all = 0;
    text words;
    text_init(&words, s->m);
    text_printf(&words, "the event at t = %.10g does not settle: without end change ", t);
    for (int k = 0; k < x->n_relations; k++) {
        if (s->events.relations.toggles[k] <= CHANGES_OFTEN || all++ >= LISTED_MAX) continue;
        if (!n++) at = x->relations[k].at;
        text_add(&words, n > 1 ? ", " : "");
        add_relation(&s->model->words, k, &words);
    }
    for (int k = 0; k < x->n_discrete; k++) {
        if (!s->events.discrete.restless[k]) continue;
        int v = image_variable_of_work(&s->model->variables, x->discrete[k].place);
        const char *name = v < 0 ? "$" : NAME_AT(&s->model->names, v);
        if (name[0] == '$' || all++ >= LISTED_MAX) continue;
        if (!n++) at = x->discrete[k].at;
        text_printf(&words, "%s%s", n > 1 ? ", " : "", name);
    }
    if (all > n) text_printf(&words, " and %d more", all - n);
    text_add(&words, n ? "" : "the conditions of when-clauses");
    event_complain(s, at, text_str(&words));
    text_done(&words);
}

static bool is_input(const code_model *m, int at)
{
    for (int k = 0; k < m->inputs.n; k++)
        if (m->inputs.list[k].place == at) return true;
    return false;
}

/* Discrete variables that have changed, in the order of variables, until n of all that is listed are there. */
static void add_variables_changed(const run_state *s, int n, text *out)
{
    const code_model *m = s->model;
    for (int v = 0; v < m->variables.n && n < 2 * LISTED_MAX; v++) {
        image_variable q = image_variable_at(&m->variables, v);
        if (q.kind != IMAGE_VARIABLE_WORK || s->w[q.place] == s->events.w_noted[q.place]) continue;
        const char *name = NAME_AT(&m->names, v);
        if (name[0] == '$' || is_input(m, q.place)) continue;
        text_printf(out, "%s%s = %.10g", out->n ? "; " : "", name, s->w[q.place]);
        n++;
    }
}

// What has changed since w was noted: relations, samples, when-clauses that fired.
static void write_changes(const run_state *s, text *out)
{
    const image_events *x = &s->model->events.list;
    const word_table *words = &s->model->words;
    int n = 0, more = 0;
    for (int k = 0; k < x->n_relations; k++) {
        double now = s->w[x->relations[k].place];
        if (now == s->events.w_noted[x->relations[k].place]) continue;
        if (n >= LISTED_MAX) {
            more++;
            continue;
        }
        text_add(out, n++ ? "; " : "");
        add_relation(words, k, out);
        if (k < words->n_relations && words->relations[k].jumps)
            text_printf(out, " becomes %.17g", now);
        else text_add(out, now != 0 ? " becomes true" : " becomes false");
    }
    if (more) text_printf(out, " and %d more", more);
    add_variables_changed(s, n, out);
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
