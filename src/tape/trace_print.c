/* What instructions compute, in Modelica: for messages. What has been made of an expression is undone where that
 * can be seen: products of equal factors are powers, products with reciprocals quotients.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 40 };

/* How tightly things bind: the levels of Modelica's grammar. */
typedef enum binding {
    BIND_ANY,
    BIND_RELATION,
    BIND_SUM,
    BIND_TERM,
    BIND_FACTOR,
    BIND_PRIMARY
} binding;

typedef struct trace_printer {
    const tape_trace *x;
    text *out;
    size_t end; // where it is cut
    int depth;
} trace_printer;

static void print_ref(trace_printer *p, tape_ref r, binding level);

static const tape_ins *ins_of(const trace_printer *p, tape_ref r) // NULL: an operand
{
    return tape_kind_of(r) == TAPE_VALUE ? &p->x->t->ins[tape_index_of(r)] : NULL;
}

static bool is_op(const trace_printer *p, tape_ref r, tape_op op)
{
    const tape_ins *in = ins_of(p, r);
    return in && in->op == (uint32_t)op;
}

static bool is_number(const trace_printer *p, tape_ref r, double x)
{
    return tape_kind_of(r) == TAPE_CONST && p->x->t->consts[tape_index_of(r)] == x;
}

/* ---- numbers and operands -------------------------------------------------------------------- */

static void print_number(trace_printer *p, double x, binding level)
{
    bool sign = x < 0 && level > BIND_SUM;
    if (sign) text_char(p->out, '(');
    text_real(p->out, x);
    if (sign) text_char(p->out, ')');
}

/* The number whose reciprocal this is, where that is the shorter one to write: a/1.5 is computed as a*0.66... */
static bool reciprocal_of(const trace_printer *p, tape_ref r, double *by)
{
    char itself[40], other[40];
    if (tape_kind_of(r) != TAPE_CONST) return false;
    *by = 1 / p->x->t->consts[tape_index_of(r)];
    snprintf(itself, sizeof itself, "%.15g", p->x->t->consts[tape_index_of(r)]);
    snprintf(other, sizeof other, "%.15g", *by);
    *by = strtod(other, NULL);
    return strlen(itself) > strlen(other) + 6;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void print_pair(trace_printer *p, tape_ref a, const char *op, tape_ref b, binding left,
                       binding right)
{
    print_ref(p, a, left);
    text_add(p->out, op);
    print_ref(p, b, right);
}

/* r = base^n; n is 1 where r is no product of equal factors. */
static int power_of(const trace_printer *p, tape_ref r, tape_ref *base)
{
    const tape_ins *in = ins_of(p, r);
    *base = r;
    if (!in || in->op != TAPE_MUL) return 1;
    tape_ref a, b;
    int n = power_of(p, in->a, &a), m = in->b == in->a ? n : power_of(p, in->b, &b);
    if (in->b != in->a && a != b) return 1;
    *base = a;
    return n + m;
}

static void print_product(trace_printer *p, tape_ref r, const tape_ins *in)
{
    tape_ref base;
    double by;
    int n = power_of(p, r, &base);
    for (int k = 0; k < 2; k++) {
        tape_ref a = k ? in->b : in->a, b = k ? in->a : in->b;
        if (is_op(p, b, TAPE_DIV) && is_number(p, ins_of(p, b)->a, 1))
            return print_pair(p, a, "/", ins_of(p, b)->b, BIND_TERM, BIND_FACTOR);
        if (!reciprocal_of(p, b, &by)) continue;
        print_ref(p, a, BIND_TERM);
        text_char(p->out, '/');
        return print_number(p, by, BIND_FACTOR);
    }
    if (n == 1) return print_pair(p, in->a, "*", in->b, BIND_TERM, BIND_FACTOR);
    print_ref(p, base, BIND_PRIMARY);
    text_printf(p->out, "^%d", n);
}

static void print_sum(trace_printer *p, tape_ref a, tape_ref b)
{
    double x = tape_kind_of(b) == TAPE_CONST ? tape_trace_value(p->x, b) : 0;
    if (is_op(p, b, TAPE_NEG)) return print_pair(p, a, " - ", ins_of(p, b)->a, BIND_SUM, BIND_TERM);
    if (is_op(p, a, TAPE_NEG)) return print_pair(p, b, " - ", ins_of(p, a)->a, BIND_SUM, BIND_TERM);
    if (!(x < 0)) return print_pair(p, a, " + ", b, BIND_SUM, BIND_TERM);
    print_ref(p, a, BIND_SUM);
    text_add(p->out, " - ");
    print_number(p, -x, BIND_TERM);
}

/* a < b is a < b ? 1 : 0, and not (a < b) has these the other way round. */
static void print_choice(trace_printer *p, const tape_ins *in)
{
    static const char *const relation[2][4] = {{" < ", " <= ", " == ", " <> "},
                                               {" >= ", " > ", " <> ", " == "}};
    bool is = is_number(p, in->c, 1) && is_number(p, in->d, 0);
    bool is_not = is_number(p, in->c, 0) && is_number(p, in->d, 1);
    if (!is && !is_not) text_add(p->out, "if ");
    if (in->op == TAPE_SEL_NE && is_number(p, in->b, 0)) {
        if (is_not) text_add(p->out, "not ");
        print_ref(p, in->a, is || is_not ? BIND_PRIMARY : BIND_ANY);
    } else {
        print_pair(p, in->a, relation[is_not][in->op - TAPE_SEL_LT], in->b, BIND_SUM, BIND_SUM);
    }
    if (is || is_not) return;
    text_add(p->out, " then ");
    print_ref(p, in->c, BIND_ANY);
    text_add(p->out, " else ");
    print_ref(p, in->d, BIND_ANY);
}

static void print_arguments(trace_printer *p, const char *name, const tape_ref *args, int n)
{
    bool quoted = strchr(name, ' ') && name[0] != '\'';
    text_printf(p->out, quoted ? "'%s'(" : "%s(", name);
    for (int k = 0; k < n && p->out->n <= p->end; k++) {
        if (k) text_add(p->out, ", ");
        print_ref(p, args[k], BIND_ANY);
    }
    text_char(p->out, ')');
}

static void print_call(trace_printer *p, tape_ref r)
{
    int output;
    const tape_function *f;
    const tape_call *c = tape_trace_call(p->x, r, &output, &f);
    if (f->kind == TAPE_FN_TEXT) text_modelica(p->out, f->user);
    else print_arguments(p, f->name, p->x->t->args + c->args, f->n_in);
}

static binding binding_of(const trace_printer *p, tape_ref r, const tape_ins *in)
{
    tape_ref base;
    switch (in->op) {
    case TAPE_ADD:
    case TAPE_SUB:
    case TAPE_NEG: return BIND_SUM;
    case TAPE_MUL: return power_of(p, r, &base) > 1 ? BIND_FACTOR : BIND_TERM;
    case TAPE_DIV: return BIND_TERM;
    case TAPE_POW: return BIND_FACTOR;
    case TAPE_SEL_LT:
    case TAPE_SEL_LE:
    case TAPE_SEL_EQ:
    case TAPE_SEL_NE:
        return is_number(p, in->c, 1) && is_number(p, in->d, 0) ? BIND_RELATION : BIND_ANY;
    default: return BIND_PRIMARY;
    }
}

static void print_operation(trace_printer *p, tape_ref r, const tape_ins *in)
{
    switch (in->op) {
    case TAPE_ADD: return print_sum(p, in->a, in->b);
    case TAPE_SUB: return print_pair(p, in->a, " - ", in->b, BIND_SUM, BIND_TERM);
    case TAPE_MUL: return print_product(p, r, in);
    case TAPE_DIV: return print_pair(p, in->a, "/", in->b, BIND_TERM, BIND_FACTOR);
    case TAPE_POW: return print_pair(p, in->a, "^", in->b, BIND_PRIMARY, BIND_PRIMARY);
    case TAPE_NEG: text_char(p->out, '-'); return print_ref(p, in->a, BIND_TERM);
    case TAPE_COPY: return print_ref(p, in->a, BIND_ANY);
    case TAPE_SEL_LT:
    case TAPE_SEL_LE:
    case TAPE_SEL_EQ:
    case TAPE_SEL_NE: return print_choice(p, in);
    case TAPE_TRUNC:
        if (is_op(p, in->a, TAPE_DIV)) return print_arguments(p, "div", &ins_of(p, in->a)->a, 2);
        break;
    case TAPE_RESULT: return print_call(p, r);
    default: break;
    }
    print_arguments(p, tape_op_name((tape_op)in->op), &in->a, tape_op_operands((tape_op)in->op));
}

static void print_ref(trace_printer *p, tape_ref r, binding level)
{
    const tape_ins *in = ins_of(p, r);
    if (p->out->n > p->end) return;
    if (tape_kind_of(r) == TAPE_CONST) return print_number(p, tape_trace_value(p->x, r), level);
    if (!in) return p->x->name(p->x->user, r, p->out);
    if (++p->depth > DEPTH_MAX) {
        text_add(p->out, "...");
    } else {
        bool apart = binding_of(p, r, in) < level;
        if (apart) text_char(p->out, '(');
        print_operation(p, r, in);
        if (apart) text_char(p->out, ')');
    }
    p->depth--;
}

static void print_cut(const tape_trace *x, text *out, tape_ref a, const char *op, tape_ref b)
{
    text words;
    text_init(&words, out->m);
    trace_printer p = {x, &words, TAPE_OPERATION_LETTERS, 0};
    print_ref(&p, a, BIND_ANY);
    text_add(&words, op);
    if (b != TAPE_NONE) print_ref(&p, b, BIND_ANY);
    bool cut = words.n > TAPE_OPERATION_LETTERS;
    text_add_n(out, text_str(&words), cut ? TAPE_OPERATION_LETTERS - 3 : words.n);
    if (cut) text_add(out, "...");
    text_done(&words);
}

void tape_trace_print(const tape_trace *x, tape_ref r, text *out)
{
    print_cut(x, out, r, "", TAPE_NONE);
}

void tape_trace_equation(const tape_trace *x, tape_ref r, text *out)
{
    const tape_ins *in = tape_kind_of(r) == TAPE_VALUE ? &x->t->ins[tape_index_of(r)] : NULL;
    if (in && in->op == TAPE_SUB) print_cut(x, out, in->a, " = ", in->b);
    else print_cut(x, out, r, " = 0", TAPE_NONE);
}
