/* Expressions as text, Modelica or C, with the parentheses that are needed and no others.
 *
 * The printer keeps a stack of what is still to be written, texts and expressions, and replaces an
 * expression by its parts until only texts are left; nesting is no deeper than that stack.
 *
 * Modelica's grammar (3.6, appendix A): a sign stands only in front of a whole sum, relations and ^
 * do not chain, and what is not reassociated keeps its parentheses: a + (b + c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <math.h>
#include <string.h>

typedef struct item {
    const char *text; // NULL: the expression
    expr e;
    uint8_t level;  // the expression goes in parentheses if it binds less
    bool plain;     // a Real literal may look like an Integer here
    bool otherwise; // e is the else-part of an if-expression
} item;

enum { NEAR_ITEMS = 256 }; // as many need no memory

typedef struct items {
    item *at;
    int n, cap;
    item near_items[NEAR_ITEMS];
} items;

typedef struct printer {
    const expr_pool *p;
    expr_language language;
    text *out;
    items stack;
    items parts; // of the expression being replaced, in order
    bool full;   // there is no memory for more of them: the text is cut
} printer;

// How tightly things bind: the levels of the grammar.
enum { ANY, OR, AND, NOT, REL, SUM, TERM, FACTOR, PRIMARY };

// ---- parts -------------------------------------------------------------------------------------

static item *push_item(printer *s, items *to, item i)
{
    if (to->n == to->cap) {
        mem *m = s->out->m;
        item *at = mem_try(m, 2 * (size_t)to->cap * sizeof *at);
        if (!at) {
            s->full = true;
            to->n--; // the last gives way
        } else {
            memcpy(at, to->at, (size_t)to->n * sizeof *at);
            if (to->at != to->near_items) mem_free(m, to->at, (size_t)to->cap * sizeof *at);
            to->at = at;
            to->cap *= 2;
        }
    }
    to->at[to->n] = i;
    return &to->at[to->n++];
}

static void printer_put(printer *s, const char *t)
{
    push_item(s, &s->parts, (item){.text = t});
}

static item *put_expr(printer *s, expr e, int level)
{
    return push_item(s, &s->parts, (item){.e = e, .level = (uint8_t)level});
}

static void put_plain(printer *s, expr e, int level, bool plain)
{
    put_expr(s, e, level)->plain = plain;
}

// Parts go on the stack last first, so that the first is written next.
static void printer_schedule(printer *s)
{
    while (s->parts.n) push_item(s, &s->stack, s->parts.at[--s->parts.n]);
}

// ---- leaves ------------------------------------------------------------------------------------

static bool is_c(const printer *s)
{
    return s->language == EXPR_C;
}

static void printer_real(printer *s, double x, bool plain)
{
    if (isinf(x)) {
        text_add(s->out, is_c(s) ? (x < 0 ? "-INFINITY" : "INFINITY") : x < 0 ? "-1e999" : "1e999");
        return;
    }
    if (isnan(x)) {
        text_add(s->out, is_c(s) ? "NAN" : "(1e999 - 1e999)");
        return;
    }
    size_t before = s->out->n;
    text_real(s->out, x);
    if (!plain && !strpbrk(text_str(s->out) + before, ".e")) text_add(s->out, ".0");
}

static void printer_var(printer *s, const expr_node *n)
{
    const expr_context *c = &s->p->context;
    int order = n->u.var.order;
    for (int i = 0; !is_c(s) && i < order; i++) text_add(s->out, "der(");
    expr_label label;
    if (c->var_name) text_add(s->out, c->var_name(c->user, n->u.var.index, &label));
    else text_printf(s->out, "v%d", n->u.var.index);
    for (int i = 0; !is_c(s) && i < order; i++) text_char(s->out, ')');
    if (is_c(s) && order) text_printf(s->out, "_d%d", order);
}

static void printer_enum(printer *s, const expr_node *n)
{
    const expr_context *c = &s->p->context;
    const char *name = NULL;
    if (!is_c(s) && c->enum_literal) name = c->enum_literal(c->user, n->enum_id, n->u.integer);
    if (name) text_add(s->out, name);
    else text_printf(s->out, "%lld", (long long)n->u.integer);
}

// Literals, variables and operators without arguments; false for the rest.
static bool print_leaf(printer *s, expr e, bool plain)
{
    const expr_node *n = expr_at(s->p, e);
    switch (n->op) {
    case EXPR_NONE: text_add(s->out, "?"); return true;
    case EXPR_REAL: printer_real(s, n->u.real, plain); return true;
    case EXPR_INTEGER: text_printf(s->out, "%lld", (long long)n->u.integer); return true;
    case EXPR_BOOLEAN:
        text_add(s->out, is_c(s) ? (n->u.integer ? "1" : "0") : n->u.integer ? "true" : "false");
        return true;
    case EXPR_STRING:
        if (is_c(s)) text_quoted(s->out, n->u.string);
        else text_modelica(s->out, n->u.string);
        return true;
    case EXPR_ENUM: printer_enum(s, n); return true;
    case EXPR_VAR: printer_var(s, n); return true;
    case EXPR_TIME: text_add(s->out, "time"); return true;
    case EXPR_INITIAL:
    case EXPR_TERMINAL: text_printf(s->out, "%s()", operator_name((expr_op)n->op)); return true;
    default: return false;
    }
}

// ---- operators ---------------------------------------------------------------------------------

static bool printer_negative(const expr_pool *p, expr e)
{
    const expr_node *n = expr_at(p, e);
    return (n->op == EXPR_REAL && n->u.real < 0) || (n->op == EXPR_INTEGER && n->u.integer < 0);
}

static int printer_level_of(const printer *s, expr e)
{
    const expr_node *n = expr_at(s->p, e);
    switch (n->op) {
    case EXPR_REAL:
    case EXPR_INTEGER: return printer_negative(s->p, e) ? SUM : PRIMARY;
    case EXPR_NEG: return is_c(s) ? FACTOR : SUM;
    case EXPR_ADD:
    case EXPR_SUB: return SUM;
    case EXPR_MUL:
    case EXPR_DIV:
        return printer_negative(s->p, n->u.arg[0]) ? SUM : TERM; // -2*x is -(2*x) to a reader
    case EXPR_POW: return is_c(s) ? PRIMARY : FACTOR;
    case EXPR_NOT: return is_c(s) ? FACTOR : NOT;
    case EXPR_AND: return AND;
    case EXPR_OR: return OR;
    case EXPR_IF: return ANY;
    default: return operator_class((expr_op)n->op) == CLASS_REL ? REL : PRIMARY;
    }
}

// May Real literals among the arguments be written without a point? Not where that would turn the
// operation into one on Integers.
static bool plain_args(const printer *s, const expr_node *n)
{
    const expr_pool *p = s->p;
    if (is_c(s)) return false;
    switch (operator_class((expr_op)n->op)) {
    case CLASS_ARITH:
    case CLASS_REL: break;
    case CLASS_MATH: return n->op != EXPR_ABS && n->op != EXPR_MIN && n->op != EXPR_MAX;
    default: return false;
    }
    if (n->op == EXPR_DIV || n->op == EXPR_POW) return true;
    for (int i = 0; i < operator_arity((expr_op)n->op); i++)
        if (expr_type_of(p, n->u.arg[i]) == TYPE_REAL && !expr_is_literal(p, n->u.arg[i]))
            return true;
    return false;
}

static void printer_infix(printer *s, const expr_node *n, int left, const char *op, int right)
{
    bool plain = plain_args(s, n);
    put_plain(s, n->u.arg[0], left, plain);
    printer_put(s, op);
    put_plain(s, n->u.arg[1], right, plain);
}

static void printer_relation(printer *s, const expr_node *n)
{
    static const char *const spelled[][2] = {
        [EXPR_LT] = {" < ", " < "},   [EXPR_LE] = {" <= ", " <= "}, [EXPR_GT] = {" > ", " > "},
        [EXPR_GE] = {" >= ", " >= "}, [EXPR_EQ] = {" == ", " == "}, [EXPR_NE] = {" <> ", " != "},
    };
    printer_infix(s, n, SUM, spelled[n->op][is_c(s)], SUM);
}

static void printer_otherwise(printer *s, expr e)
{
    const expr_node *n = expr_at(s->p, e);
    if (n->op == EXPR_IF) {
        printer_put(s, " elseif ");
        put_expr(s, n->u.arg[0], OR);
        printer_put(s, " then ");
        put_expr(s, n->u.arg[1], OR);
        put_expr(s, n->u.arg[2], OR)->otherwise = true;
    } else {
        printer_put(s, " else ");
        put_expr(s, e, OR);
    }
}

static void printer_conditional(printer *s, const expr_node *n)
{
    if (is_c(s)) {
        put_expr(s, n->u.arg[0], OR);
        printer_put(s, " ? ");
        put_expr(s, n->u.arg[1], OR);
        printer_put(s, " : ");
        put_expr(s, n->u.arg[2], ANY);
        return;
    }
    printer_put(s, "if ");
    put_expr(s, n->u.arg[0], OR);
    printer_put(s, " then ");
    put_expr(s, n->u.arg[1], OR);
    put_expr(s, n->u.arg[2], OR)->otherwise = true;
}

static const char *printer_function_name(printer *s, expr e)
{
    static const char *const in_c[EXPR_N_OPS] = {
        [EXPR_POW] = "pow",  [EXPR_ABS] = "fabs",  [EXPR_MIN] = "fmin",
        [EXPR_MAX] = "fmax", [EXPR_IDIV] = "idiv", [EXPR_INT] = "floor",
    };
    const expr_node *n = expr_at(s->p, e);
    const expr_context *c = &s->p->context;
    if (n->op == EXPR_CALL) {
        const char *name = c->function_name ? c->function_name(c->user, n->u.call.function) : NULL;
        return name ? name : "f";
    }
    if (is_c(s) && in_c[n->op]) return in_c[n->op];
    if (n->op == EXPR_INT && expr_type_of(s->p, n->u.arg[0]) == TYPE_ENUM) return "Integer";
    return operator_name((expr_op)n->op);
}

// A call as its owner writes it; false when it has no opinion.
static bool call_pieces(printer *s, expr e, const expr_node *node, int n)
{
    const expr_context *c = &s->p->context;
    int function = node->u.call.function, output = node->u.call.output;
    if (is_c(s) || !c->call_text || !c->call_text(c->user, function, output, 0)) return false;
    for (int i = 0; i <= n; i++) {
        printer_put(s, c->call_text(c->user, function, output, i));
        if (i < n) put_plain(s, expr_args(s->p, e)[i], ANY, false);
    }
    return true;
}

/* Further arguments of String() have names (Modelica Language Specification 3.6, section 3.7.1.1). */
static const char *name_of_option(printer *s, expr e, int i)
{
    static const char *const names[] = {
        "", "minimumLength = ", "leftJustified = ", "significantDigits = "};
    if (expr_at(s->p, e)->op != EXPR_TOSTRING || i > 3) return "";
    bool format = i == 1 && expr_at(s->p, expr_args(s->p, e)[1])->op == EXPR_STRING;
    return format ? "format = " : names[i];
}

static void printer_function(printer *s, expr e)
{
    int n = expr_arity(s->p, e);
    const expr_node *node = expr_at(s->p, e);
    if (node->op == EXPR_CALL && call_pieces(s, e, node, n)) return;
    bool plain = node->op != EXPR_CALL && plain_args(s, node);
    printer_put(s, printer_function_name(s, e));
    printer_put(s, "(");
    for (int i = 0; i < n; i++) {
        if (i) printer_put(s, ", ");
        printer_put(s, name_of_option(s, e, i));
        put_plain(s, expr_args(s->p, e)[i], ANY, plain);
    }
    printer_put(s, ")");
    if (node->op == EXPR_CALL && node->u.call.output > 0) printer_put(s, " /* a further output */");
}

/* As a call whose first output it is, that at 0 with a flow towards it; what arrives at 1 is that of the mirror
 * image. */
static void printer_transport(printer *s, expr e)
{
    const expr *args = expr_args(s->p, e);
    int n = (expr_arity(s->p, e) - 4) / 2;
    bool mirror = !expr_is_number(s->p, args[0], 0);
    printer_put(s, "spatialDistribution(");
    put_expr(s, args[mirror ? 2 : 1], ANY);
    printer_put(s, ", ");
    put_expr(s, args[mirror ? 1 : 2], ANY);
    printer_put(s, mirror ? ", -" : ", ");
    put_expr(s, args[3], mirror ? PRIMARY : ANY);
    printer_put(s, ", false, {");
    for (int i = 0; i < 2 * n; i++) {
        bool point = i < n;
        int k = mirror ? (point ? n - 1 - i : 3 * n - 1 - i) : i;
        printer_put(s, i == n ? "}, {" : i ? ", " : "");
        if (mirror && point) printer_put(s, "1 - ");
        put_expr(s, args[4 + k], mirror && point ? PRIMARY : ANY);
    }
    printer_put(s, "})");
}

static void printer_split(printer *s, expr e)
{
    const expr_node *n = expr_at(s->p, e);
    switch (n->op) {
    case EXPR_NEG:
        printer_put(s, "-");
        put_expr(s, n->u.arg[0], TERM);
        break;
    case EXPR_ADD: printer_infix(s, n, SUM, " + ", TERM); break;
    case EXPR_SUB: printer_infix(s, n, SUM, " - ", TERM); break;
    case EXPR_MUL:
        printer_infix(s, n, printer_negative(s->p, n->u.arg[0]) ? SUM : TERM, "*", FACTOR);
        break;
    case EXPR_DIV:
        printer_infix(s, n, printer_negative(s->p, n->u.arg[0]) ? SUM : TERM, "/", FACTOR);
        break;
    case EXPR_POW:
        if (is_c(s)) printer_function(s, e);
        else printer_infix(s, n, PRIMARY, "^", PRIMARY);
        break;
    case EXPR_NOT:
        printer_put(s, is_c(s) ? "!" : "not ");
        put_expr(s, n->u.arg[0], is_c(s) ? PRIMARY : REL);
        break;
    case EXPR_AND: printer_infix(s, n, AND, is_c(s) ? " && " : " and ", NOT); break;
    case EXPR_OR: printer_infix(s, n, OR, is_c(s) ? " || " : " or ", AND); break;
    case EXPR_IF: printer_conditional(s, n); break;
    case EXPR_TRANSPORT: printer_transport(s, e); break;
    default:
        if (operator_class((expr_op)n->op) == CLASS_REL) printer_relation(s, n);
        else printer_function(s, e);
    }
}

static void print_item(printer *s, item i)
{
    if (i.text) {
        text_add(s->out, i.text);
        return;
    }
    if (i.otherwise) {
        printer_otherwise(s, i.e);
        printer_schedule(s);
        return;
    }
    bool parentheses = printer_level_of(s, i.e) < i.level;
    if (parentheses) text_char(s->out, '(');
    if (print_leaf(s, i.e, i.plain)) {
        if (parentheses) text_char(s->out, ')');
        return;
    }
    printer_split(s, i.e);
    if (parentheses) printer_put(s, ")");
    printer_schedule(s);
}

static void printer_cut(text *out, size_t at)
{
    while (at > 0 && ((unsigned char)out->at[at] & 0xC0) == 0x80) at--; // whole characters
    out->n = at;
    text_add(out, "...");
}

void expr_print(const expr_pool *p, expr e, expr_language language, size_t limit, text *out)
{
    printer s; // filled in by hand: setting 256 items to zero would take longer than most texts
    s.p = p;
    s.language = language;
    s.out = out;
    s.full = false;
    s.stack.n = s.parts.n = 0;
    s.stack.at = s.stack.near_items;
    s.parts.at = s.parts.near_items;
    s.stack.cap = s.parts.cap = NEAR_ITEMS;
    size_t start = out->n;
    put_plain(&s, e, ANY, language != EXPR_C);
    printer_schedule(&s);
    while (s.stack.n && !s.full) {
        print_item(&s, s.stack.at[--s.stack.n]);
        if (limit && out->n - start > limit) {
            printer_cut(out, start + limit);
            break;
        }
    }
    if (s.full) text_add(out, "...");
    items *lists[] = {&s.stack, &s.parts};
    for (int k = 0; k < 2; k++)
        if (lists[k]->at != lists[k]->near_items)
            mem_free(out->m, lists[k]->at, (size_t)lists[k]->cap * sizeof(item));
}

void expr_print_equation(const expr_pool *p, expr lhs, expr rhs, size_t limit, text *out)
{
    expr_print(p, lhs, EXPR_MODELICA, limit, out);
    text_add(out, " = ");
    expr_print(p, rhs, EXPR_MODELICA, limit, out);
}
