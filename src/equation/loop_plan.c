/* Scalar equations that are written many times, by a loop or for every element of an array of
 * components: their text is looked at once.
 *
 * A plan is an expression of the syntax tree of which it is known what each part is: a reference with
 * its way through the instance tree, an iterator, a sum. With numbers for the iterators it gives the
 * same nodes as the evaluator, without looking up names, checking types and making values of
 * subscripts. It is made part by part, when a part is first evaluated, so that a branch that is never
 * taken is never looked at. What no plan covers the evaluator does: a part of an expression, or, where
 * something is wrong, the whole equation, and says so.
 *
 * Most members of a loop are alike: they take the same branches, and differ in variables only. Then the
 * variables are looked up, and the sides made from the shape of an earlier member (expr/shape.h). Where
 * subscripts and conditions are linear in the innermost iterator it is known for how many steps the same
 * branches are taken, and how numbers of variables move: these are only counted on. If all of them are Real
 * and the shape is plain, such members are not even written: they are a run of the flat model. Those whose
 * subscripts come from lists are one, too, with a list of variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"
#include "eval/builtin.h"
#include "expr/shape.h"

#include <stdlib.h>
#include <string.h>

typedef enum plan_kind {
    PLAN_NEW,
    PLAN_SLOW, // the evaluator's
    PLAN_LITERAL,
    PLAN_ITERATOR,
    PLAN_REF,
    PLAN_DER, // of a reference
    PLAN_UNARY,
    PLAN_CHAIN,
    PLAN_CHOICE,
    PLAN_MATH, // a built-in function of one or two numbers
} plan_kind;

enum { SUBSCRIPTS_MAX = 16 };

typedef struct plan {
    const ast_expr *e;
    uint8_t kind;
    int n;              // parts
    struct plan *parts; // operands; of a reference its subscripts; of a choice tests, then values
    void *way;          // of a reference, kept for inst_leaf
    int depth;          // of an iterator: of its loop
    value literal;      // PLAN_LITERAL
    const eval_builtin *f; // PLAN_MATH
} plan;

/* While a member is looked at: how far what is decided for it holds for those that follow, as the
 * innermost iterator moves by one, or without a loop the element of an array of components. */
typedef struct planner {
    equation_writer *em;
    const scope *s;
    int64_t steps;  // further ones
    int64_t slope;  // of the last element that was looked up
    bool subscript; // a subscript is looked at: parameters in it decide the structure
} planner;

/* An Integer, and what one step adds to it. */
typedef struct plan_linear {
    int64_t at, slope;
} plan_linear;

enum { TRAIL_MAX = 64, PATTERNS_MAX = 64, LEVELS_MAX = 6 };

/* A variable of a member, and how it moves. */
typedef struct plan_slot {
    const inst_node *of;
    int var, order;
    int64_t slope;
} plan_slot;

/* What decides how the sides of a member come out: branches, variables by their number, other leaves. */
typedef struct plan_trail {
    int n, n_vars;
    uint64_t met[TRAIL_MAX];
    expr vars[SHAPE_SLOTS];
    plan_slot slots[SHAPE_SLOTS];
} plan_trail;

/* Where a member stands among others. */
typedef struct plan_place {
    const inst_node *self;
    int64_t depth;             // of loops
    int64_t moves;             // the innermost iterator, or the element
    int64_t still[LEVELS_MAX]; // outer ones, and the element in a loop
} plan_place;

/* A member after which others follow that are alike. */
typedef struct plan_course {
    const struct plan_pattern *pattern;
    plan_place at;
    int64_t steps; // so many
    int run;       // of the flat model; -1: they are written out
    int n;
    plan_slot slots[SHAPE_SLOTS];
} plan_course;

/* Members of one trail. */
typedef struct plan_pattern {
    struct plan_pattern *next;
    int n;
    const uint64_t *met;
    const expr_shape *sides;      // over its variables; NULL: they have none
    uint8_t left, right;          // types
    const expr_shape *plain;      // for runs; NULL: there are none
    uint8_t of_slot[SHAPE_SLOTS]; // by slot of that: number of the variable
    int n_written;                // members
    int listed;                   // the run of those that follow no course; -1: there is none yet
} plan_pattern;

typedef struct plan_root {
    const void *of; // an equation or a condition, as it is written
    const inst_class *cls;
    struct plan_root *next; // of equal hash
    plan left, right;
    plan_pattern *patterns; // the last one that was met first
    int n_patterns;
    plan_course *course; // NULL: none was met yet
    bool irregular;      // something is met that no trail tells
    plan_end end;        // of a component that is named
} plan_root;

/* ---- making ---------------------------------------------------------------------------------- */

static void plan_parts(planner *x, plan *p, ast_expr *const *e, int n)
{
    int first = p->n;
    plan *parts = arena_array(x->em->b->front, plan, first + n);
    if (first) memcpy(parts, p->parts, (size_t)first * sizeof *parts);
    for (int i = 0; i < n; i++) parts[first + i] = (plan){.e = e[i]};
    p->parts = parts;
    p->n += n;
}

static bool is_numeric_chain(const ast_expr *e)
{
    for (int i = 0; i + 1 < e->chain.n; i++)
        if (e->chain.ops[i] < AST_ADD) return false;
    return true;
}

static plan_kind plan_ref(planner *x, plan *p)
{
    const ast_ref *r = p->e->ref;
    if (!r->global)
        for (const scope_name *k = x->s->names; k; k = k->next) {
            if (k->name != r->at[0].name) continue;
            const equation_level *l = x->em->level;
            while (l && &l->link != k) l = l->up;
            if (!l || !l->integer || r->n > 1 || r->at[0].subs.n) return PLAN_SLOW;
            p->depth = l->depth;
            return PLAN_ITERATOR;
        }
    for (int i = 0; i < r->n; i++) plan_parts(x, p, r->at[i].subs.at, r->at[i].subs.n);
    return p->n <= SUBSCRIPTS_MAX ? PLAN_REF : PLAN_SLOW;
}

static plan_kind plan_call(planner *x, plan *p)
{
    const ast_call *c = p->e->call;
    p->f = eval_called_builtin(x->s, c);
    if (!p->f) return PLAN_SLOW;
    plan_parts(x, p, c->args.at, c->args.n);
    if (p->f->op == EXPR_DER && p->n == 1) return PLAN_DER;
    return eval_is_plain(p->f, p->n) ? PLAN_MATH : PLAN_SLOW;
}

static plan_kind plan_make(planner *x, plan *p)
{
    const value_env *env = &x->em->b->env;
    switch ((ast_expr_kind)p->e->kind) {
    case AST_INTEGER: p->literal = value_integer(env, p->e->integer); return PLAN_LITERAL;
    case AST_REAL: p->literal = value_real(env, p->e->real); return PLAN_LITERAL;
    case AST_REF: return plan_ref(x, p);
    case AST_CALL: return plan_call(x, p);
    case AST_UNARY:
        plan_parts(x, p, (ast_expr *const *)&p->e->arg, 1);
        return p->e->op >= AST_ADD ? PLAN_UNARY : PLAN_SLOW;
    case AST_CHAIN:
        plan_parts(x, p, p->e->chain.at, p->e->chain.n);
        return is_numeric_chain(p->e) ? PLAN_CHAIN : PLAN_SLOW;
    case AST_IF:
        plan_parts(x, p, p->e->cond.tests, p->e->cond.n);
        plan_parts(x, p, p->e->cond.values, p->e->cond.n + 1);
        return PLAN_CHOICE;
    default: return PLAN_SLOW;
    }
}

static plan_kind kind_of(planner *x, plan *p)
{
    if (p->kind == PLAN_NEW) p->kind = (uint8_t)plan_make(x, p);
    return (plan_kind)p->kind;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const equation_level *level_at(const equation_writer *em, int depth)
{
    const equation_level *l = em->level;
    while (l->depth != depth) l = l->up;
    return l;
}

static void hold_for(planner *x, int64_t steps)
{
    if (steps < x->steps) x->steps = steps;
}

static bool plan_leaf(planner *x, plan *p, inst_node **leaf, int *element);

/* A parameter in a subscript has its value now, as the evaluator would find it. */
static bool know_subscript(planner *x, inst_node *n, int e)
{
    flat_builder *b = x->s->b;
    expr known_as;
    if (!x->subscript || n->variability != FLAT_PARAMETER || inst_is_unknown(b, n)) return false;
    diag_sink mark = *b->diags;
    bool known = inst_known(b, n, e, &known_as);
    if (!known) eval_forget(x->s, &mark); // it will be said
    return known && n->known[e] > 0;
}

/* The value of an Integer that other sizes and conditions depend on already. */
static bool known_integer(planner *x, plan *p, int64_t *out)
{
    inst_node *n;
    int e;
    if (!plan_leaf(x, p, &n, &e) || n->type_id != TYPE_INTEGER || n->kind != NODE_PRIMITIVE)
        return false;
    if ((!n->known || n->known[e] <= 0) && !know_subscript(x, n, e)) return false;
    if (x->slope) hold_for(x, 0);
    bool fixed = n->variability == FLAT_CONSTANT ||
                 (n->variability == FLAT_PARAMETER && inst_is_structural(n, e) &&
                  !inst_is_unknown(x->s->b, n));
    const expr_node *known = expr_at(x->s->b->pool, n->known[e]);
    *out = known->u.integer;
    return fixed && known->op == EXPR_INTEGER;
}

static bool join(ast_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case AST_ADD: return !__builtin_add_overflow(a, b, out);
    case AST_SUB: return !__builtin_sub_overflow(a, b, out);
    case AST_MUL: return !__builtin_mul_overflow(a, b, out);
    default: return false;
    }
}

static bool join_linear(planner *x, ast_op op, plan_linear a, plan_linear b, plan_linear *out)
{
    int64_t first, second;
    if (op == AST_MUL && a.slope && b.slope) { // of a few members at most
        hold_for(x, 0);
        out->slope = 0;
    } else if (op == AST_MUL) {
        if (!join(op, a.slope, b.at, &first) || !join(op, b.slope, a.at, &second)) return false;
        out->slope = first + second; // one of them is 0
    } else if (!join(op, a.slope, b.slope, &out->slope)) {
        return false;
    }
    return join(op, a.at, b.at, &out->at);
}

/* Steps in which a comparison with zero keeps its outcome: before d comes to zero, or leaves it. */
static int64_t steps_alike(int64_t d, int64_t slope)
{
    if (!slope) return INT64_MAX;
    if (!d) return 0;
    if ((d < 0) == (slope < 0)) return INT64_MAX;
    return (llabs(d) - 1) / llabs(slope);
}

/* By a number that stays: linear between two of its multiples. */
static bool divide_linear(planner *x, expr_op op, plan_linear a, plan_linear b, plan_linear *out)
{
    if (b.slope || b.at <= 0 || a.at < -INT32_MAX || (op != EXPR_MOD && a.at < 0)) return false;
    int64_t rest = (a.at % b.at + b.at) % b.at;
    if (a.slope) hold_for(x, a.slope > 0 ? (b.at - 1 - rest) / a.slope : rest / -a.slope);
    *out = op == EXPR_IDIV ? (plan_linear){a.at / b.at, 0} : (plan_linear){rest, a.slope};
    return true;
}

static bool plan_number(planner *x, plan *p, plan_linear *out);

/* Functions that Integers wrap around by, or stop at a boundary. */
static bool plan_whole(planner *x, plan *p, plan_linear *out)
{
    plan_linear a, b = {0, 0}, d;
    bool least = !strcmp(p->f->name, "min");
    if (!plan_number(x, &p->parts[0], &a) || (p->n == 2 && !plan_number(x, &p->parts[1], &b)))
        return false;
    if (p->f->op == EXPR_IDIV || p->f->op == EXPR_MOD || p->f->op == EXPR_REM)
        return divide_linear(x, (expr_op)p->f->op, a, b, out);
    if (p->n != 2 || (!least && strcmp(p->f->name, "max") != 0) ||
        !join_linear(x, AST_SUB, a, b, &d))
        return false;
    hold_for(x, steps_alike(d.at, d.slope));
    *out = (d.at < 0) == least ? a : b;
    return true;
}

static bool plan_test(planner *x, plan *p, bool *out);

/* Which branch is taken; -1: ask the evaluator. */
static int plan_branch(planner *x, plan *p)
{
    int k = 0;
    for (bool holds = false; k < p->e->cond.n && !holds; k += !holds)
        if (!plan_test(x, &p->parts[k], &holds)) return -1;
    return k;
}

/* A subscript or a side of a condition, as an Integer; false: ask the evaluator. */
static bool plan_number(planner *x, plan *p, plan_linear *out)
{
    plan_linear b;
    switch (kind_of(x, p)) {
    case PLAN_LITERAL: *out = (plan_linear){p->e->integer, 0}; return p->e->kind == AST_INTEGER;
    case PLAN_ITERATOR: {
        const equation_level *l = level_at(x->em, p->depth);
        *out = (plan_linear){l->now, l == x->em->level};
        return true;
    }
    case PLAN_REF: out->slope = 0; return known_integer(x, p, &out->at);
    case PLAN_UNARY:
        if (!plan_number(x, &p->parts[0], &b)) return false;
        *out = b;
        return p->e->op == AST_ADD ||
               (p->e->op == AST_SUB && join_linear(x, AST_SUB, (plan_linear){0, 0}, b, out));
    case PLAN_CHAIN:
        if (!plan_number(x, &p->parts[0], out)) return false;
        for (int i = 1; i < p->n; i++)
            if (!plan_number(x, &p->parts[i], &b) ||
                !join_linear(x, (ast_op)p->e->chain.ops[i - 1], *out, b, out))
                return false;
        return true;
    case PLAN_CHOICE: {
        int k = plan_branch(x, p);
        return k >= 0 && plan_number(x, &p->parts[p->e->cond.n + k], out);
    }
    case PLAN_MATH: return plan_whole(x, p, out);
    default: return false;
    }
}

static bool compare(ast_op op, int64_t a, int64_t b, bool *out)
{
    switch (op) {
    case AST_LT: *out = a < b; return true;
    case AST_LE: *out = a <= b; return true;
    case AST_GT: *out = a > b; return true;
    case AST_GE: *out = a >= b; return true;
    case AST_EQ: *out = a == b; return true;
    case AST_NE: *out = a != b; return true;
    default: return false;
    }
}

/* Whether a condition between Integers holds; false: ask the evaluator. */
static bool plan_test(planner *x, plan *p, bool *out)
{
    kind_of(x, p);
    if (p->e->kind == AST_UNARY && p->e->op == AST_NOT) {
        if (!plan_test(x, &p->parts[0], out)) return false;
        *out = !*out;
        return true;
    }
    if (p->e->kind != AST_CHAIN) return false;
    ast_op op = (ast_op)p->e->chain.ops[0];
    if (op == AST_AND || op == AST_OR) {
        for (int i = 0; i < p->n; i++) {
            if (i && p->e->chain.ops[i - 1] != op) return false;
            if (!plan_test(x, &p->parts[i], out)) return false;
            if (*out == (op == AST_OR)) return true;
        }
        return true;
    }
    plan_linear a, b, d;
    if (p->n != 2 || !plan_number(x, &p->parts[0], &a) || !plan_number(x, &p->parts[1], &b))
        return false;
    hold_for(x, join_linear(x, AST_SUB, a, b, &d) ? steps_alike(d.at, d.slope) : 0);
    return compare(op, a.at, b.at, out);
}

static bool plan_leaf(planner *x, plan *p, inst_node **leaf, int *element)
{
    int64_t subs[SUBSCRIPTS_MAX], slopes[SUBSCRIPTS_MAX];
    plan_linear sub;
    bool known = true, before = x->subscript;
    x->subscript = true;
    for (int k = 0; k < p->n && known; k++) {
        known = plan_number(x, &p->parts[k], &sub);
        subs[k] = sub.at;
        slopes[k] = sub.slope;
    }
    x->subscript = before;
    if (!known) return false;
    inst_course c = {.by_element = !x->em->level, .slopes = slopes, .steps = x->steps};
    bool found = inst_leaf(x->s, p->e->ref, &p->way, subs, &c, leaf, element);
    x->steps = c.steps;
    x->slope = c.slope;
    return found;
}

/* ---- expressions ----------------------------------------------------------------------------- */

void equation_bind(const equation_writer *em)
{
    for (equation_level *l = em->level; l && !l->bound; l = l->up) {
        l->v = value_integer(&em->b->env, l->now);
        l->bound = true;
    }
}

static bool plan_value(planner *x, plan *p, value *out);

static bool plan_slow(planner *x, const plan *p, value *out)
{
    equation_bind(x->em);
    *out = eval_value(x->s, p->e);
    return !value_is_error(out);
}

static bool is_number(const value *v)
{
    return !v->n_dims && v->type <= VALUE_INTEGER;
}

static bool plan_ref_value(planner *x, plan *p, value *out)
{
    inst_node *n;
    int e;
    if (!plan_leaf(x, p, &n, &e) || n->kind != NODE_PRIMITIVE || n->type_id > TYPE_INTEGER)
        return plan_slow(x, p, out);
    *out = (value){.type = n->type_id, .n = 1};
    return inst_leaf_value(x->s, n, e, &out->e);
}

/* The derivative of a variable; of anything else the evaluator finds it. */
static bool plan_der(planner *x, plan *p, value *out)
{
    inst_node *n;
    int e;
    if (kind_of(x, &p->parts[0]) != PLAN_REF || !plan_leaf(x, &p->parts[0], &n, &e) ||
        n->kind != NODE_PRIMITIVE || n->type_id != TYPE_REAL || n->variability != FLAT_CONTINUOUS ||
        n->var < 0)
        return plan_slow(x, p, out);
    *out = (value){.type = VALUE_REAL, .n = 1};
    out->e = expr_var(x->em->b->pool, inst_var(n, e), 1, TYPE_REAL, 0);
    return true;
}

/* The branch that is known to hold. */
static bool plan_choice(planner *x, plan *p, value *out)
{
    int k = plan_branch(x, p);
    return k < 0 ? plan_slow(x, p, out) : plan_value(x, &p->parts[p->e->cond.n + k], out);
}

static bool plan_math(planner *x, plan *p, value *out)
{
    value v[2];
    for (int k = 0; k < p->n; k++)
        if (!plan_value(x, &p->parts[k], &v[k])) return false;
        else if (!is_number(&v[k])) return plan_slow(x, p, out);
    *out = eval_plain_call(&x->em->b->env, p->f, v, p->n, p->e->span);
    return !value_is_error(out);
}

static bool plan_chain(planner *x, plan *p, value *out)
{
    const value_env *env = &x->em->b->env;
    value b;
    if (!plan_value(x, &p->parts[0], out)) return false;
    for (int i = 1; i < p->n; i++) {
        if (!plan_value(x, &p->parts[i], &b)) return false;
        if (!is_number(out) || !is_number(&b)) return plan_slow(x, p, out);
        *out = value_binary(env, (ast_op)p->e->chain.ops[i - 1], *out, b, p->e->span);
    }
    return true;
}

static bool plan_value(planner *x, plan *p, value *out)
{
    switch (kind_of(x, p)) {
    case PLAN_LITERAL: *out = p->literal; return true;
    case PLAN_ITERATOR:
        *out = value_integer(&x->em->b->env, level_at(x->em, p->depth)->now);
        return true;
    case PLAN_REF: return plan_ref_value(x, p, out);
    case PLAN_DER: return plan_der(x, p, out);
    case PLAN_UNARY:
        if (!plan_value(x, &p->parts[0], out)) return false;
        if (!is_number(out)) return plan_slow(x, p, out);
        *out = value_unary(&x->em->b->env, (ast_op)p->e->op, *out, p->e->span);
        return true;
    case PLAN_CHAIN: return plan_chain(x, p, out);
    case PLAN_CHOICE: return plan_choice(x, p, out);
    case PLAN_MATH: return plan_math(x, p, out);
    default: return plan_slow(x, p, out);
    }
}

/* ---- members alike --------------------------------------------------------------------------- */

enum { MET_VARIABLE, MET_OTHER, MET_BRANCH };

static bool trail_add(plan_trail *t, int kind, int a, int b)
{
    if (t->n == TRAIL_MAX) return false;
    t->met[t->n++] = (uint64_t)kind | (uint64_t)a << 8 | (uint64_t)(uint32_t)b << 32;
    return true;
}

/* A leaf that is element e of a component, which moves by x->slope. */
static bool trail_leaf(planner *x, plan_trail *t, const inst_node *of, expr e)
{
    const expr_node *n = expr_at(x->em->b->pool, e);
    int k = 0;
    if (n->op != EXPR_VAR) {
        if (x->slope) hold_for(x, 0);
        return trail_add(t, MET_OTHER, 0, e);
    }
    while (k < t->n_vars && t->vars[k] != e) k++;
    if (k == SHAPE_SLOTS) return false;
    if (k == t->n_vars) {
        t->vars[t->n_vars] = e;
        t->slots[t->n_vars++] = (plan_slot){of, n->u.var.index, n->u.var.order, x->slope};
    } else if (t->slots[k].slope != x->slope) {
        hold_for(x, 0);
    }
    return trail_add(t, MET_VARIABLE, n->type, k);
}

/* The trail of a part; false: it has none. */
static bool plan_follow(planner *x, plan *p, plan_trail *t)
{
    inst_node *n;
    int e, k = 0;
    value v;
    switch (kind_of(x, p)) {
    case PLAN_LITERAL: return true;
    case PLAN_REF:
        return plan_leaf(x, p, &n, &e) && n->kind == NODE_PRIMITIVE && n->type_id <= TYPE_INTEGER &&
               inst_leaf_value(x->s, n, e, &v.e) && trail_leaf(x, t, n, v.e);
    case PLAN_DER:
        return kind_of(x, &p->parts[0]) == PLAN_REF && plan_leaf(x, &p->parts[0], &n, &e) &&
               plan_der(x, p, &v) && is_number(&v) && trail_leaf(x, t, n, v.e);
    case PLAN_CHOICE:
        k = plan_branch(x, p);
        return k >= 0 && trail_add(t, MET_BRANCH, 0, k) &&
               plan_follow(x, &p->parts[p->e->cond.n + k], t);
    case PLAN_UNARY:
    case PLAN_CHAIN:
    case PLAN_MATH:
        for (k = 0; k < p->n; k++)
            if (!plan_follow(x, &p->parts[k], t)) return false;
        return true;
    default: return false;
    }
}

static plan_pattern *pattern_of(plan_root *q, const plan_trail *t)
{
    for (plan_pattern **at = &q->patterns; *at; at = &(*at)->next) {
        plan_pattern *p = *at;
        if (p->n != t->n || memcmp(p->met, t->met, (size_t)t->n * sizeof *t->met)) continue;
        *at = p->next;
        p->next = q->patterns;
        return q->patterns = p;
    }
    return NULL;
}

/* The shape that members have in runs. */
static void pattern_plain(planner *x, plan_pattern *p, const plan_trail *t, const expr *sides)
{
    expr slots[SHAPE_SLOTS];
    if (!p->sides || p->left != VALUE_REAL || p->right != VALUE_REAL) return;
    const expr_shape *s = shape_of(x->em->b->pool, sides, 2, x->em->b->model, slots);
    if (!s || !s->plain || !shape_is_more_than_a_sum(s)) return;
    for (int k = 0; k < s->n_slots; k++) {
        int at = 0;
        while (at < t->n_vars && t->vars[at] != slots[k]) at++;
        if (at == t->n_vars || s->types[k] != TYPE_REAL) return;
        p->of_slot[k] = (uint8_t)at;
    }
    p->plain = s;
}

static void pattern_add(planner *x, plan_root *q, const plan_trail *t, const value *l,
                        const value *r)
{
    arena *a = x->em->b->front;
    if (q->n_patterns++ == PATTERNS_MAX || !is_number(l) || !is_number(r)) {
        q->irregular = true;
        return;
    }
    plan_pattern *p = arena_new(a, plan_pattern);
    uint64_t *met = arena_array(a, uint64_t, t->n);
    if (t->n) memcpy(met, t->met, (size_t)t->n * sizeof *met);
    *p = (plan_pattern){.next = q->patterns, .n = t->n, .met = met, .listed = -1};
    p->left = (uint8_t)l->type;
    p->right = (uint8_t)r->type;
    const expr sides[] = {l->e, r->e};
    p->sides = shape_over(x->em->b->pool, sides, 2, t->vars, t->n_vars, a);
    pattern_plain(x, p, t, sides);
    q->patterns = p;
}

static bool plan_sides(planner *x, plan_root *q, value *l, value *r)
{
    return plan_value(x, &q->left, l) && plan_value(x, &q->right, r);
}

/* ---- members that follow --------------------------------------------------------------------- */

static bool place_of_member(const planner *x, plan_place *out)
{
    const equation_level *l = x->em->level;
    *out = (plan_place){.self = x->s->self, .depth = l ? l->depth : -1};
    out->moves = l ? l->now : x->s->element;
    if (!l) return true;
    int n = 0;
    out->still[n++] = x->s->element;
    for (l = l->up; l; l = l->up) {
        if (n == LEVELS_MAX || !l->integer) return false;
        out->still[n++] = l->now;
    }
    return x->em->level->integer;
}

/* Variables of one array that move at different speeds may meet. */
static bool slots_may_meet(const plan_trail *t)
{
    for (int k = 0; k < t->n_vars; k++)
        for (int j = 0; j < k; j++)
            if (t->slots[j].of == t->slots[k].of && t->slots[j].slope != t->slots[k].slope &&
                t->slots[j].order == t->slots[k].order)
                return true;
    return false;
}

/* May members be in runs? Branches that are chosen while running join their equations one by one. */
static bool has_runs(const planner *x, const plan_pattern *p)
{
    return p->plain && x->em->equations == &x->em->b->m->equations && !x->em->clock;
}

static int run_add(const planner *x, const plan_pattern *p, const plan_slot *of)
{
    flat_model *m = x->em->b->m;
    const expr_shape *s = p->plain;
    flat_slot *slots = arena_alloc_array(x->em->b->model, (size_t)s->n_slots, sizeof *slots);
    for (int k = 0; k < s->n_slots; k++) {
        const plan_slot *v = &of[p->of_slot[k]];
        if (v->slope != (int)v->slope) return -1;
        slots[k] = (flat_slot){v->var, (int)v->slope, v->order};
    }
    array_push(x->em->b->model, &m->runs, ((flat_run){.sides = s, .slots = slots}));
    return m->runs.n - 1;
}

static bool has_numbers(const plan_trail *t)
{
    for (int k = 0; k < t->n_vars; k++)
        if (t->slots[k].var >= FLAT_NO_VAR) return false;
    return true;
}

/* A member that nothing is known of but that it is of the pattern becomes the next one of the pattern's list.
 * The first ones are written: of a few nothing is gained. */
static bool pattern_lists(const planner *x, plan_pattern *p, const plan_trail *t,
                          plan_member_of *of)
{
    enum { WRITTEN_FIRST = 8 };
    flat_model *m = x->em->b->m;
    if (!has_runs(x, p) || p->n_written++ < WRITTEN_FIRST || !has_numbers(t)) return false;
    if (p->listed < 0) p->listed = run_add(x, p, t->slots);
    if (p->listed < 0 || m->runs.at[p->listed].vars.n > INT32_MAX - SHAPE_SLOTS) return false;
    int_array *vars = &m->runs.at[p->listed].vars;
    *of = (plan_member_of){p->listed, vars->n / p->plain->n_slots};
    for (int k = 0; k < p->plain->n_slots; k++)
        array_push(x->em->b->model, vars, t->slots[p->of_slot[k]].var);
    return true;
}

static void course_begin(const planner *x, plan_root *q, const plan_pattern *p, const plan_trail *t)
{
    enum { STEPS_WORTH = 3 };
    plan_place at;
    if (q->course) q->course->steps = 0;
    if (!p->sides || x->steps < STEPS_WORTH || slots_may_meet(t) || !place_of_member(x, &at))
        return;
    if (!has_numbers(t)) return;
    if (!q->course) q->course = arena_new(x->em->b->front, plan_course);
    plan_course *c = q->course;
    c->pattern = p;
    c->at = at;
    c->steps = x->steps;
    c->n = t->n_vars;
    memcpy(c->slots, t->slots, (size_t)t->n_vars * sizeof *t->slots);
    c->run = has_runs(x, p) ? run_add(x, p, t->slots) : -1;
}

/* How far behind the first of a course is this member? 0: it is none of those that follow. */
static int64_t course_next(const planner *x, const plan_course *c)
{
    plan_place at;
    if (!c || !c->steps || !place_of_member(x, &at)) return 0;
    int64_t by = at.moves - c->at.moves;
    at.moves = c->at.moves;
    return by < 1 || by > c->steps || memcmp(&at, &c->at, sizeof at) ? 0 : by;
}

static void course_vars(const planner *x, const plan_course *c, int64_t by, expr *vars)
{
    for (int k = 0; k < c->n; k++) {
        const plan_slot *s = &c->slots[k];
        int v = s->var + (int)(by * s->slope);
        vars[k] = s->order ? expr_var(x->em->b->pool, v, s->order, TYPE_REAL, 0)
                           : inst_variable(x->em->b, v);
    }
}

static void pattern_make(const planner *x, const plan_pattern *p, const expr *vars, value *l,
                         value *r)
{
    expr sides[2];
    shape_make(x->em->b->pool, p->sides, vars, sides);
    *l = (value){.type = p->left, .n = 1, .e = sides[0]};
    *r = (value){.type = p->right, .n = 1, .e = sides[1]};
}

static bool plan_member(planner *x, plan_root *q, value *l, value *r, plan_member_of *of)
{
    plan_trail t;
    t.n = t.n_vars = 0;
    int64_t by = course_next(x, q->course);
    if (by && by <= INT32_MAX && q->course->run >= 0) {
        *of = (plan_member_of){q->course->run, (int)by};
        return true;
    }
    if (by) {
        course_vars(x, q->course, by, t.vars);
        pattern_make(x, q->course->pattern, t.vars, l, r);
        return true;
    }
    x->steps = INT64_MAX;
    if (!plan_follow(x, &q->left, &t) || !plan_follow(x, &q->right, &t)) {
        q->irregular = true;
        return plan_sides(x, q, l, r);
    }
    plan_pattern *p = pattern_of(q, &t);
    if (p) course_begin(x, q, p, &t);
    if (p && pattern_lists(x, p, &t, of)) return true;
    if (p && p->sides) {
        pattern_make(x, p, t.vars, l, r);
        return true;
    }
    if (!plan_sides(x, q, l, r)) return false;
    if (!p) pattern_add(x, q, &t, l, r);
    return true;
}

/* ---- for equations.c ------------------------------------------------------------------------- */

static plan_root *plan_of(equation_writer *em, const scope *s, const void *of)
{
    flat_builder *b = em->b;
    if (!b->plans) {
        b->plans = arena_new(b->front, map);
        map_init(b->plans, b->front);
    }
    uint64_t *slot = map_put(b->plans, hash_u64(map_key(of) ^ hash_u64(map_key(s->cls))));
    plan_root *first = (plan_root *)(uintptr_t)*slot;
    for (plan_root *q = first; q; q = q->next)
        if (q->of == of && q->cls == s->cls) return q;
    plan_root *q = arena_new(b->front, plan_root);
    *q = (plan_root){.of = of, .cls = s->cls, .next = first};
    *slot = map_key(q);
    return q;
}

bool equation_planned(equation_writer *em, const scope *s, const ast_stmt *st, value *l, value *r,
                      plan_member_of *of)
{
    *of = (plan_member_of){.run = -1};
    plan_root *q = plan_of(em, s, st);
    planner x = {.em = em, .s = s};
    q->left.e = st->pair.left;
    q->right.e = st->pair.right;
    return q->irregular ? plan_sides(&x, q, l, r) : plan_member(&x, q, l, r, of);
}

bool equation_named(equation_writer *em, const scope *s, const ast_expr *ref, inst_node **node,
                    int *element, plan_end **kept)
{
    plan_root *q = plan_of(em, s, ref);
    planner x = {.em = em, .s = s};
    q->left.e = ref;
    *kept = &q->end;
    return kind_of(&x, &q->left) == PLAN_REF && plan_leaf(&x, &q->left, node, element);
}

bool equation_tested(equation_writer *em, const scope *s, const ast_expr *test, bool *holds)
{
    plan_root *q = plan_of(em, s, test);
    planner x = {.em = em, .s = s};
    q->left.e = test;
    return plan_test(&x, &q->left, holds);
}
