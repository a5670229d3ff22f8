/* Texts that are results: String variables, messages of actions. Their pieces are listed here, and their
 * numbers compiled like any other function.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/format.h"
#include "code/event_lower.h"

#include <string.h>

enum { DEPTH_MAX = 200, PIECES_MAX = 10000, NAMED_MAX = 6, NEAR = 4 }; // NEAR: formats are alike

typedef struct collector {
    lowering *l;
    ARRAY(expr) outputs; // of the function
    ARRAY(text_number) numbers;
    ARRAY(text_format) formats;
    ARRAY(const char *) literals;
    ARRAY(text_piece) pieces;
    ARRAY(text_named) named;
    map number_of, message_of; // by expression
    map literals_of;           // by enumeration
    bool open;                 // something in the present text is not known
    int first;                 // piece of it
} collector;

// Is it a number that the run can compute? What calls functions or is a String is left out.
static bool computable(lowering *l, expr e)
{
    int_array nodes = expr_reach(l->p, &e, 1, l->scratch);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(l->p, nodes.at[i]);
        if (n->type == TYPE_STRING || n->op == EXPR_CALL || n->op == EXPR_DELAY ||
            n->op == EXPR_TRANSPORT)
            return false;
        int entry = n->op == EXPR_VAR ? structure_entry_of(l->s, nodes.at[i]) : -1;
        if (entry >= 0 && l->f->places[entry].where == IMAGE_ABSENT) return false;
    }
    return true;
}

static text_number new_number(collector *c, expr e)
{
    text_number x = {0, TEXT_CONSTANT};
    if (expr_number(c->l->p, e, &x.constant)) return x;
    x.output = computable(c->l, e) ? c->outputs.n : TEXT_NOT_KNOWN;
    if (x.output >= 0) array_push(c->l->a, &c->outputs, e);
    return x;
}

static int number_of(collector *c, expr e)
{
    uint64_t *at = map_put(&c->number_of, (uint64_t)e);
    if (!*at) {
        text_number x = new_number(c, e);
        array_push(c->l->a, &c->numbers, x);
        *at = (uint64_t)c->numbers.n;
    }
    int k = (int)*at - 1;
    c->open = c->open || c->numbers.at[k].output == TEXT_NOT_KNOWN;
    return k;
}

static text_number as_number(collector *c, expr e)
{
    int k = number_of(c, e); // the list may move
    return c->numbers.at[k];
}

static bool numbers_equal(text_number a, text_number b)
{
    return a.output == b.output && a.constant == b.constant;
}

static bool formats_equal(const text_format *a, const text_format *b)
{
    return a->type == b->type && a->first_literal == b->first_literal &&
           a->c_format == b->c_format && numbers_equal(a->width, b->width) &&
           numbers_equal(a->left, b->left) && numbers_equal(a->digits, b->digits);
}

static int literals_of(collector *c, int enumeration)
{
    const flat_enumeration *e = &c->l->s->flat->enums.at[enumeration];
    uint64_t *at = map_put(&c->literals_of, (uint64_t)enumeration);
    if (!*at) {
        *at = (uint64_t)c->literals.n + 1;
        for (int k = 0; k < e->n; k++) array_push(c->l->a, &c->literals, e->literals[k]);
    }
    return (int)*at - 1;
}

static int add_format(collector *c, text_format f, const expr_node *n)
{
    const flat_model *m = c->l->s->flat;
    f.type = n->type == TYPE_REAL      ? TEXT_REAL
             : n->type == TYPE_BOOLEAN ? TEXT_BOOLEAN
             : n->type == TYPE_ENUM    ? TEXT_ENUMERATION
                                       : TEXT_INTEGER;
    if (f.type == TEXT_ENUMERATION && n->enum_id < m->enums.n) {
        f.first_literal = literals_of(c, n->enum_id);
        f.n_literals = m->enums.at[n->enum_id].n;
    }
    for (int k = c->formats.n - 1; k >= 0 && k >= c->formats.n - NEAR; k--)
        if (formats_equal(&f, &c->formats.at[k])) return k;
    array_push(c->l->a, &c->formats, f);
    return c->formats.n - 1;
}

static void add_piece(collector *c, text_piece q)
{
    if (c->pieces.n - c->first < PIECES_MAX) array_push(c->l->a, &c->pieces, q);
    else c->open = true;
}

static void add_words(collector *c, const char *words)
{
    add_piece(c, (text_piece){.kind = TEXT_WORDS, .number = -1, .format = -1, .words = words});
}

static void add_unknown(collector *c)
{
    c->open = true;
    add_words(c, "...");
}

/* String(value, minimumLength, leftJustified, significantDigits) or String(value, format). */
static void add_converted(collector *c, expr e)
{
    const expr_pool *p = c->l->p;
    int n = expr_arity(p, e);
    expr arg[4] = {0};
    memcpy(arg, expr_args(p, e), (size_t)(n < 4 ? n : 4) * sizeof *arg);
    text_format f = {
        .width = {0, TEXT_CONSTANT}, .left = {1, TEXT_CONSTANT}, .digits = {6, TEXT_CONSTANT}};
    int number = number_of(c, arg[0]);
    if (n == 2 && expr_at(p, arg[1])->op == EXPR_STRING) {
        f.c_format = expr_at(p, arg[1])->u.string;
        if (!format_is_safe(f.c_format)) return add_words(c, "...");
    } else {
        if (n > 1) f.width = as_number(c, arg[1]);
        if (n > 2) f.left = as_number(c, arg[2]);
        if (n > 3) f.digits = as_number(c, arg[3]);
    }
    add_piece(c,
              (text_piece){TEXT_NUMBER, number, add_format(c, f, expr_at(p, arg[0])), 0, 0, NULL});
}

static void add_text(collector *c, expr e, bool bound, int depth);

static void add_choice(collector *c, expr e, bool bound, int depth)
{
    const expr_node *n = expr_at(c->l->p, e);
    int at = c->pieces.n, number = number_of(c, n->u.arg[0]);
    if (c->numbers.at[number].output == TEXT_NOT_KNOWN) return add_unknown(c);
    add_piece(c, (text_piece){.kind = TEXT_CHOICE, .number = number, .format = -1});
    if (c->pieces.n == at) return;
    add_text(c, n->u.arg[1], bound, depth);
    c->pieces.at[at].n_yes = c->pieces.n - at - 1;
    add_text(c, n->u.arg[2], bound, depth);
    c->pieces.at[at].n_no = c->pieces.n - at - 1 - c->pieces.at[at].n_yes;
}

/* bound: parameters that are texts are what they are bound to. */
static void add_text(collector *c, expr e, bool bound, int depth)
{
    const structure *s = c->l->s;
    const expr_node *n = expr_at(c->l->p, e);
    if (depth > DEPTH_MAX || c->pieces.n - c->first >= PIECES_MAX) {
        c->open = true;
        return;
    }
    switch ((expr_op)n->op) {
    case EXPR_STRING: add_words(c, n->u.string); break;
    case EXPR_ADD:
        add_text(c, n->u.arg[0], bound, depth + 1);
        add_text(c, n->u.arg[1], bound, depth + 1);
        break;
    case EXPR_IF: add_choice(c, e, bound, depth + 1); break;
    case EXPR_TOSTRING: add_converted(c, e); break;
    case EXPR_VAR: {
        expr binding =
            bound && n->u.var.index < s->n_flat ? flat_at(s->flat, n->u.var.index)->binding : 0;
        if (binding) add_text(c, binding, bound, depth + 1);
        else add_unknown(c);
        break;
    }
    default: add_unknown(c);
    }
}

/* False: not all of it is known. */
static bool list_text(collector *c, expr e, bool bound, text_list *out)
{
    c->open = false;
    c->first = c->pieces.n;
    add_text(c, e, bound, 0);
    if (c->open && !bound) c->pieces.n = c->first; // it is not told
    *out = (text_list){c->first, c->pieces.n - c->first};
    return !c->open;
}

static text_list message_of(collector *c, expr e)
{
    text_list x = {0};
    if (!e) return x;
    uint64_t *at = map_put(&c->message_of, (uint64_t)e);
    if (!*at) {
        list_text(c, e, true, &x);
        *at = ((uint64_t)x.first << 32 | (uint64_t)x.n) + 1;
    }
    return (text_list){(int)((*at - 1) >> 32), (int)((*at - 1) & UINT32_MAX)};
}

/* Variables of a condition that can be told with their values. */
static text_list variables_of(collector *c, const structure_action *a)
{
    text_list x = {.first = c->named.n};
    const text_format f = {
        .width = {0, TEXT_CONSTANT}, .left = {1, TEXT_CONSTANT}, .digits = {10, TEXT_CONSTANT}};
    for (int k = 0; k < a->n_named && k < NAMED_MAX; k++) {
        int number = number_of(c, a->values[k]);
        if (c->numbers.at[number].output == TEXT_NOT_KNOWN) continue;
        int format = add_format(c, f, expr_at(c->l->p, a->values[k]));
        const expr_node *n = expr_at(c->l->p, a->named[k]);
        text_named v = {n->u.var.index, n->u.var.order, number, format};
        array_push(c->l->a, &c->named, v);
    }
    x.n = c->named.n - x.first;
    return x;
}

static void list_strings(collector *c, code_events *x)
{
    const structure *s = c->l->s;
    text_table *t = &x->texts;
    x->told = arena_array(c->l->a, int, s->strings.n + 1);
    t->strings = arena_array(c->l->a, text_list, s->strings.n + 1);
    for (int i = 0; i < s->strings.n; i++)
        if (list_text(c, s->strings.at[i].value, false, &t->strings[t->n_strings]))
            x->told[t->n_strings++] = s->strings.at[i].var;
}

bool code_lower_messages(lowering *l, code_events *x)
{
    const structure *s = l->s;
    text_table *t = &x->texts;
    collector c = {.l = l};
    map *maps[] = {&c.number_of, &c.message_of, &c.literals_of};
    for (int k = 0; k < 3; k++) map_init(maps[k], l->scratch);
    t->n_actions = s->actions.n;
    t->message = arena_array(l->a, text_list, s->actions.n + 1);
    t->variables = arena_array(l->a, text_list, s->actions.n + 1);
    for (int k = 0; k < s->actions.n; k++) {
        t->message[k] = message_of(&c, s->actions.at[k].message);
        t->variables[k] = variables_of(&c, &s->actions.at[k]);
    }
    list_strings(&c, x);
    t->n_numbers = c.numbers.n, t->numbers = c.numbers.at;
    t->n_formats = c.formats.n, t->formats = c.formats.at;
    t->n_literals = c.literals.n, t->literals = c.literals.at;
    t->n_pieces = c.pieces.n, t->pieces = c.pieces.at;
    t->n_named = c.named.n, t->named = c.named.at;
    code_listed messages = {"messages", "this message", CODE_OFTEN, &x->messages};
    return code_function(l, &messages, c.outputs.at, NULL, c.outputs.n);
}
