/* Units of equations.
 *
 * The unit of an expression follows from those its variables declare, one pass over the expression
 * DAG. Where anything is undeclared the unit is open and nothing is said; results of functions are
 * open, and so is time, since models often use it as a plain number. Pure numbers are open too:
 * libraries multiply them by constants such as unitVoltage = 1, which vanish from the expression. A
 * literal keeps the unit of a product if it is a small whole number or one half; any other is a
 * constant whose unit nobody wrote down.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/units.h"

#include <math.h>
#include <string.h>

enum { UNIT_OPEN = 0, UNIT_LITERAL = 1, UNIT_FIRST = 2, WARNINGS_SHOWN = 10 };

typedef struct checker {
    const flat_model *m;
    const expr_pool *p;
    diag_sink *diags;
    arena *a;
    ARRAY(unit) units; // numbers from UNIT_FIRST
    map declared;      // of a text: number plus one
    map products;      // of two numbers and an operation: number plus one
    map fits;          // of a unit and a display unit: unit_fit plus one
    uint16_t *of;      // number of every node
    struct clash {
        expr left, right;
    } * clash; // of nodes whose parts differ; NULL while there is none
    int n_warnings;
} checker;

static int units_number_of(checker *c, const unit *u)
{
    static const int16_t pure[UNIT_BASES];
    if (!memcmp(u->power, pure, sizeof pure)) return UNIT_OPEN;
    for (int i = UNIT_FIRST; i < c->units.n; i++)
        if (unit_equal(&c->units.at[i], u)) return i;
    if (c->units.n > 60000) return UNIT_OPEN;
    array_push(c->a, &c->units, *u);
    return c->units.n - 1;
}

static int units_declared(checker *c, sym words)
{
    unit u;
    if (!words || !*words) return UNIT_OPEN;
    uint64_t *slot = map_put(&c->declared, map_key(words));
    if (*slot) return (int)*slot - 1;
    int k = unit_parse(words, &u) ? units_number_of(c, &u) : UNIT_OPEN;
    *map_put(&c->declared, map_key(words)) = (uint64_t)k + 1;
    return k;
}

static int units_multiply(checker *c, int a, int b, int sign)
{
    uint64_t key = (uint64_t)a << 32 | (uint64_t)b << 1 | (sign > 0);
    uint64_t *slot = map_put(&c->products, key);
    if (*slot) return (int)*slot - 1;
    unit u, x = c->units.at[a], y = c->units.at[b];
    int k = unit_multiply(&x, &y, sign, &u) ? units_number_of(c, &u) : UNIT_OPEN;
    *map_put(&c->products, key) = (uint64_t)k + 1;
    return k;
}

static int units_power(checker *c, int a, double exponent)
{
    unit u, x = c->units.at[a];
    return unit_power(&x, exponent, &u) ? units_number_of(c, &u) : UNIT_OPEN;
}

/* A literal that is only a number. */
static bool is_plain(checker *c, expr e)
{
    double x;
    if (c->of[e] != UNIT_LITERAL || !expr_number(c->p, e, &x)) return false;
    return fabs(x) == 0.5 || (x == floor(x) && fabs(x) <= 10);
}

static int units_product(checker *c, expr a, expr b, int sign)
{
    int x = c->of[a], y = c->of[b];
    if (is_plain(c, b)) return x;
    if (is_plain(c, a) && sign > 0) return y;
    return x < UNIT_FIRST || y < UNIT_FIRST ? UNIT_OPEN : units_multiply(c, x, y, sign);
}

/* Things that are added or compared. */
static int together(checker *c, expr at, expr a, expr b)
{
    int x = c->of[a], y = c->of[b];
    if (x >= UNIT_FIRST && y >= UNIT_FIRST && x != y) {
        if (!c->clash) c->clash = arena_array(c->a, struct clash, c->p->n);
        c->clash[at].left = a;
        c->clash[at].right = b;
        return UNIT_OPEN;
    }
    return y == UNIT_LITERAL ? x : x == UNIT_LITERAL || x == y ? y : UNIT_OPEN;
}

static int unit_of(checker *c, expr e)
{
    const expr_node *n = expr_at(c->p, e);
    const expr *arg = n->u.arg;
    double x;
    if (expr_is_literal(c->p, e)) return UNIT_LITERAL;
    switch ((expr_op)n->op) {
    case EXPR_VAR: {
        if (n->u.var.index >= c->m->vars.n) return UNIT_OPEN;
        const flat_var *v = flat_at(c->m, n->u.var.index);
        int k = v->type == TYPE_REAL && v->attr ? units_declared(c, v->attr->unit) : UNIT_OPEN;
        if (k < UNIT_FIRST || !n->u.var.order) return k;
        unit per = {.power = {0, 0, UNIT_PARTS}, .factor = 1};
        int second = units_number_of(c, &per);
        for (int i = 0; i < n->u.var.order && k >= UNIT_FIRST; i++)
            k = units_multiply(c, k, second, -1);
        return k;
    }
    case EXPR_NEG:
    case EXPR_ABS:
    case EXPR_NOEVENT:
    case EXPR_PRE: return c->of[arg[0]];
    case EXPR_SMOOTH: return c->of[arg[1]];
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_HOMOTOPY:
        if (n->type == TYPE_STRING) return UNIT_OPEN;
        return together(c, e, arg[0], arg[1]);
    case EXPR_IF: return together(c, e, arg[1], arg[2]);
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE: together(c, e, arg[0], arg[1]); return UNIT_OPEN;
    case EXPR_MUL: return units_product(c, arg[0], arg[1], 1);
    case EXPR_DIV: return units_product(c, arg[0], arg[1], -1);
    case EXPR_POW:
        if (c->of[arg[0]] < UNIT_FIRST || !expr_number(c->p, arg[1], &x)) return UNIT_OPEN;
        return units_power(c, c->of[arg[0]], x);
    case EXPR_SQRT:
        return c->of[arg[0]] < UNIT_FIRST ? UNIT_OPEN : units_power(c, c->of[arg[0]], 0.5);
    default: return UNIT_OPEN;
    }
}

/* As the variable declares it, or as it was computed. */
static const char *units_name_of(checker *c, expr e)
{
    const expr_node *n = expr_at(c->p, e);
    if (n->op == EXPR_VAR && !n->u.var.order) return flat_at(c->m, n->u.var.index)->attr->unit;
    return unit_name(&c->units.at[c->of[e]], c->a);
}

static void units_warn(checker *c, const char *left, const char *right, span at, const char *what)
{
    if (c->n_warnings++ >= WARNINGS_SHOWN) return;
    diag_warning(c->diags, "M192", at, "%s have different units: %s and %s", what, left, right);
}

/* The first clash inside an expression. */
static bool warn_inside(checker *c, expr e, span at)
{
    if (!c->clash || !e) return false;
    arena_mark mark = arena_here(c->a);
    int_array nodes = expr_reach(c->p, &e, 1, c->a);
    int bad = 0;
    for (int i = 0; i < nodes.n && !bad; i++)
        if (c->clash[nodes.at[i]].left) bad = nodes.at[i];
    arena_release(c->a, mark);
    if (!bad) return false;
    units_warn(c, units_name_of(c, c->clash[bad].left), units_name_of(c, c->clash[bad].right), at,
               "quantities that are added or compared here");
    return true;
}

static void check_equations(checker *c, const flat_equations *l)
{
    uint32_t last = 0;
    for (int i = 0; i < l->n && c->n_warnings < WARNINGS_SHOWN; i++) {
        const flat_equation *q = &l->at[i];
        if (q->at.begin == last) continue; // elements of one array equation
        last = 0;
        if (!flat_is_written(q)) continue; // has_odd_members
        int x = c->of[q->lhs], y = c->of[q->rhs];
        // Branches of an if-equation that were brought to the form ... = 0 may differ.
        if (expr_at(c->p, q->lhs)->op == EXPR_IF && q->rhs == c->p->zero) continue;
        if (x >= UNIT_FIRST && y >= UNIT_FIRST && x != y) {
            units_warn(c, units_name_of(c, q->lhs), units_name_of(c, q->rhs), q->at,
                       q->origin == FLAT_FROM_BINDING ? "this variable and its value"
                                                      : "the two sides of this equation");
            last = q->at.begin;
        } else if (warn_inside(c, q->lhs, q->at) || warn_inside(c, q->rhs, q->at)) {
            last = q->at.begin;
        }
    }
}

static void check_bindings(checker *c)
{
    uint32_t last = 0;
    for (int i = 0; i < c->m->vars.n && c->n_warnings < WARNINGS_SHOWN; i++) {
        const flat_var *v = flat_at(c->m, i);
        if (!v->binding || v->type != TYPE_REAL || v->decl->at.begin == last) continue;
        int x = v->attr ? units_declared(c, v->attr->unit) : UNIT_OPEN, y = c->of[v->binding];
        if (x >= UNIT_FIRST && y >= UNIT_FIRST && x != y) {
            units_warn(c, v->attr->unit, units_name_of(c, v->binding), v->decl->at,
                       "this variable and its value");
            last = v->decl->at.begin;
        } else if (warn_inside(c, v->binding, v->decl->at)) {
            last = v->decl->at.begin;
        }
    }
}

/* Asked once for each pair. */
static unit_fit units_fit(checker *c, sym of, sym display)
{
    double scale, offset;
    uint64_t *slot = map_put(&c->fits, hash_u64(map_key(of) ^ hash_u64(map_key(display))));
    if (!*slot) *slot = (uint64_t)unit_display(of, display, &scale, &offset) + 1;
    return (unit_fit)(*slot - 1);
}

static void check_displays(checker *c)
{
    uint32_t last = 0; // elements of an array are said once
    for (int i = 0; i < c->m->vars.n; i++) {
        const flat_var *v = flat_at(c->m, i);
        if (!v->attr || !v->attr->display_unit || !v->attr->unit || v->decl->at.begin == last)
            continue;
        if (!*v->attr->unit || !*v->attr->display_unit) continue;
        if (units_fit(c, v->attr->unit, v->attr->display_unit) != UNIT_DIFFERS) continue;
        last = v->decl->at.begin;
        diag_warning(c->diags, "M194", v->decl->at,
                     "'%s' cannot be shown in its display unit %s, which does not fit its unit %s; "
                     "figures show it in that",
                     FLAT_NAME(c->m, i), v->attr->display_unit, v->attr->unit);
    }
}

/* Do the sides that were made for a member clash? */
static bool sides_clash(checker *c, const expr *sides)
{
    int x = c->of[sides[0]], y = c->of[sides[1]];
    if (x >= UNIT_FIRST && y >= UNIT_FIRST && x != y) return true;
    int_array nodes = expr_reach(c->p, sides, 2, c->a);
    for (int i = 0; c->clash && i < nodes.n; i++)
        if (c->clash[nodes.at[i]].left) return true;
    return false;
}

/* Has a member of a run units that do not fit, or others than those after which it comes? Then all are
 * written out and looked at one by one. */
typedef struct unit_member {
    expr sides[2]; // of the first member that was met
    const sym *units;
} unit_member;

static sym member_unit(const flat_model *m, const flat_slot *s)
{
    const flat_attributes *attr = flat_at(m, s->var)->attr;
    return attr ? attr->unit : NULL;
}

/* The first members of all runs are written; NULL: some run has different units. */
static const unit_member *unit_members(const flat_model *m, arena *scratch)
{
    unit_member *of = arena_array(scratch, unit_member, m->runs.n + 1);
    flat_slot slots[SHAPE_SLOTS];
    for (int i = 0; i < m->equations.n && m->runs.n; i++) {
        const flat_equation *q = &m->equations.at[i];
        const flat_run *run = flat_member(m, q, slots);
        if (!run) continue;
        unit_member *x = &of[q->rhs];
        int n = run->sides->n_slots;
        if (!x->units) {
            sym *units = arena_array(scratch, sym, n + 1);
            for (int k = 0; k < n; k++) units[k] = member_unit(m, &slots[k]);
            x->units = units;
            flat_sides(m, q, x->sides);
        }
        for (int k = 0; k < n; k++)
            if (member_unit(m, &slots[k]) != x->units[k]) return NULL;
    }
    return of;
}

static bool has_odd_members(checker *c, const unit_member *of)
{
    for (int k = 0; of && k < c->m->runs.n; k++)
        if (of[k].units && sides_clash(c, of[k].sides)) return true;
    return !of;
}

static void look_at_units(checker *c)
{
    c->of = arena_array(c->a, uint16_t, c->p->n);
    for (expr e = 1; e < c->p->n; e++) c->of[e] = (uint16_t)unit_of(c, e);
}

void unit_check(const flat_model *model, diag_sink *diags, arena *scratch)
{
    const flat_model *m = model;
    bool any = false;
    for (int i = 0; i < m->vars.n && !any; i++)
        any = flat_at(m, i)->attr && flat_at(m, i)->attr->unit;
    if (!any) return;
    arena_mark mark = arena_here(scratch);
    const unit_member *members = unit_members(m, scratch);
    checker c = {.m = m, .p = m->pool, .diags = diags, .a = scratch};
    map_init(&c.declared, scratch);
    map_init(&c.products, scratch);
    map_init(&c.fits, scratch);
    unit none = {.factor = 0};
    for (int i = 0; i < UNIT_FIRST; i++)
        array_push(scratch, &c.units, none); // UNIT_OPEN and UNIT_LITERAL
    look_at_units(&c);
    if (has_odd_members(&c, members)) {
        c.m = m = flat_in_full(m, scratch);
        c.clash = NULL;
        look_at_units(&c);
    }
    check_bindings(&c);
    check_displays(&c);
    check_equations(&c, &m->equations);
    check_equations(&c, &m->initial_equations);
    arena_release(scratch, mark);
}
