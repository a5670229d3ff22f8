/* Numbers in messages: compiled like any other function, so that the text can be put together from
 * their values when it is needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event_lower.h"

enum { DEPTH_MAX = 200 };

typedef struct collector {
    lowering *l;
    ARRAY(expr) numbers;
    map known; // by expression: 1 it is one of them, 2 it cannot be computed
} collector;

static void collector_begin(collector *c, lowering *l)
{
    *c = (collector){.l = l};
    map_init(&c->known, l->scratch);
}

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

static void message_collect(collector *c, expr e, int depth)
{
    if (!e || depth > DEPTH_MAX) return;
    const expr_node *n = expr_at(c->l->p, e);
    if (n->type == TYPE_STRING) {
        for (int k = 0; k < expr_arity(c->l->p, e); k++)
            message_collect(c, expr_args(c->l->p, e)[k], depth + 1);
        return;
    }
    uint64_t *known = map_put(&c->known, (uint64_t)e);
    if (*known) return;
    *known = computable(c->l, e) ? 1 : 2;
    if (*known == 1) array_push(c->l->a, &c->numbers, e);
}

static bool is_collected(const collector *c, expr e)
{
    double x;
    const uint64_t *known = map_find(&c->known, (uint64_t)e);
    return expr_number(c->l->p, e, &x) || (known && *known == 1);
}

/* Is each piece of this text one that can be written? */
static bool can_be_told(const collector *c, expr e, int depth)
{
    const expr_pool *p = c->l->p;
    const expr_node *n = expr_at(p, e);
    if (depth > DEPTH_MAX) return false;
    switch ((expr_op)n->op) {
    case EXPR_STRING: return true;
    case EXPR_ADD:
        return can_be_told(c, n->u.arg[0], depth + 1) && can_be_told(c, n->u.arg[1], depth + 1);
    case EXPR_IF:
        return is_collected(c, n->u.arg[0]) && can_be_told(c, n->u.arg[1], depth + 1) &&
               can_be_told(c, n->u.arg[2], depth + 1);
    case EXPR_TOSTRING: {
        bool good = true;
        for (int k = 0; k < expr_arity(p, e) && good; k++) {
            expr part = expr_args(p, e)[k];
            good = is_collected(c, part) || (k && expr_at(p, part)->op == EXPR_STRING);
        }
        return good;
    }
    default: return false;
    }
}

static void lower_strings(collector *c, code_events *x)
{
    const structure *s = c->l->s;
    x->told = arena_array(c->l->a, int, s->strings.n + 1);
    for (int i = 0; i < s->strings.n; i++) {
        message_collect(c, s->strings.at[i].value, 0);
        if (can_be_told(c, s->strings.at[i].value, 0)) x->told[x->n_told++] = i;
    }
}

bool code_lower_messages(lowering *l, code_events *x)
{
    const structure *s = l->s;
    collector c;
    collector_begin(&c, l);
    for (int k = 0; k < s->actions.n; k++) {
        message_collect(&c, s->actions.at[k].message, 0);
        for (int i = 0; i < s->actions.at[k].n_named; i++)
            message_collect(&c, s->actions.at[k].values[i], 0);
    }
    lower_strings(&c, x);
    x->message_of = c.numbers.at;
    code_listed messages = {"messages", "this message", CODE_OFTEN, &x->messages};
    return code_function(l, &messages, c.numbers.at, NULL, c.numbers.n);
}
