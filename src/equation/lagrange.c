/* Mechanics by energies: the equation operator Vincolo.lagrange.
 *
 *     Vincolo.lagrange(q = q, T = ..., V = ..., Q = ..., p = ..., F = ..., Phi = ..., A = ..., b = ...,
 *                      lambda = ...)
 *
 * stands for the equations of motion with multipliers (L = T - V),
 *
 *     d/dt dL/dq' - dL/dq + Phi_q^T lambda_h + A^T lambda_n = Q + p_q^T F,
 *     Phi(q, t) = 0,   A q' + b = 0
 *
 * derived on the expression DAG: J. L. Lagrange, Mecanique analytique (1788); for rows linear in
 * the velocities, J. I. Neimark and N. A. Fufaev, Dynamics of Nonholonomic Systems (AMS, 1972),
 * ch. III. Arguments are evaluated where the call stands and written out when all equations of the
 * model are known: a variable declared equal to der(q[i]) counts as der(q[i]), and one that is
 * defined by q is followed to q (equation/follow.h) in what is differentiated, T, V, Phi and p.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"
#include "equation/follow.h"

#include <string.h>

/* The arguments, in one list. */
#define ARGUMENTS(X)                                                                               \
    X(Q_COORDINATES, "q")                                                                          \
    X(KINETIC, "T")                                                                                \
    X(POTENTIAL, "V")                                                                              \
    X(FORCES, "Q")                                                                                 \
    X(POINTS, "p")                                                                                 \
    X(POINT_FORCES, "F")                                                                           \
    X(HOLONOMIC, "Phi")                                                                            \
    X(NONHOLONOMIC, "A")                                                                           \
    X(AFFINE, "b")                                                                                 \
    X(MULTIPLIERS, "lambda")

#define X(id, text) id,
enum { ARGUMENTS(X) N_ARGUMENTS };
#undef X

#define X(id, text) text,
static const char *const argument_names[] = {ARGUMENTS(X)};
#undef X

typedef struct argument {
    int n;    // scalars; 0: not given
    int rows; // of a matrix; 0: a vector or a scalar
    expr *at; // in b->front
    span where;
} argument;

typedef struct lagrange_call {
    struct lagrange_call *next;
    sym instance;
    span at;
    int n, m, k; // coordinates, holonomic rows, non-holonomic rows
    argument arg[N_ARGUMENTS];
} lagrange_call;

/* ---- the arguments --------------------------------------------------------------------------- */

static int lagrange_index_of(const char *name)
{
    for (int i = 0; i < N_ARGUMENTS; i++)
        if (!strcmp(argument_names[i], name)) return i;
    return -1;
}

static bool lagrange_take(equation_writer *em, const scope *s, const ast_named *given,
                          lagrange_call *c)
{
    flat_builder *b = em->b;
    int i = lagrange_index_of(given->name);
    if (i < 0) {
        const char *near = diag_nearest(given->name, argument_names, N_ARGUMENTS);
        diag_error(
            b->diags, "M440", given->at,
            "Vincolo.lagrange has no argument '%s'%s%s%s. It takes q, T, V, Q, p, F, Phi, A, "
            "b and lambda",
            given->name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return false;
    }
    argument *a = &c->arg[i];
    if (a->at) {
        diag_error(b->diags, "M440", given->at, "'%s' is given twice", given->name);
        return false;
    }
    value v;
    if (!eval_expr(s, given->value, &v)) return false;
    int most = i == NONHOLONOMIC || i == POINTS || i == POINT_FORCES ? 2
               : i == KINETIC || i == POTENTIAL                      ? 0
                                                                     : 1;
    if (!value_is_numeric(&v) || v.n_dims > most) {
        static const char *const shape[] = {"a scalar", "a vector", "a matrix"};
        diag_error(b->diags, "M441", given->value->span, "'%s' must be %s of Real numbers, not %s",
                   given->name, shape[most], value_type_name(&b->env, &v));
        return false;
    }
    v = value_to_real(&b->env, v);
    a->n = v.n;
    a->rows = v.n_dims == 2 ? v.dims[0] : 0;
    a->where = given->value->span;
    a->at = arena_array(b->front, expr, v.n + 1);
    memcpy(a->at, value_at(&v), (size_t)v.n * sizeof *a->at);
    if (i == NONHOLONOMIC) c->k = v.n_dims == 2 ? v.dims[0] : 1;
    return true;
}

static bool lagrange_check_size(equation_writer *em, const lagrange_call *c, int i, int n,
                                const char *why)
{
    const argument *a = &c->arg[i];
    if (!a->at || a->n == n) return true;
    diag_error(em->b->diags, "M442", a->where, "'%s' has %d element%s, but %s: it needs %d",
               argument_names[i], a->n, a->n == 1 ? "" : "s", why, n);
    return false;
}

static bool check_coordinates(equation_writer *em, const lagrange_call *c)
{
    flat_builder *b = em->b;
    const argument *q = &c->arg[Q_COORDINATES];
    for (int i = 0; i < q->n; i++) {
        const expr_node *x = expr_at(b->pool, q->at[i]);
        bool fine = x->op == EXPR_VAR && !x->u.var.order && x->type == TYPE_REAL &&
                    flat_at(b->m, x->u.var.index)->variability == FLAT_CONTINUOUS;
        if (fine) continue;
        diag_error(b->diags, "M443", q->where,
                   "coordinate %d of 'q' must be a Real variable, not a parameter or an expression",
                   i + 1);
        return false;
    }
    return true;
}

static bool check_points(equation_writer *em, const lagrange_call *c)
{
    const argument *p = &c->arg[POINTS], *f = &c->arg[POINT_FORCES];
    if (!p->at && !f->at) return true;
    if (!p->at || !f->at) {
        diag_error(em->b->diags, "M440", p->at ? p->where : f->where,
                   "'F' are the forces at the points 'p': give both");
        return false;
    }
    if (p->n == f->n && p->rows == f->rows) return true;
    diag_error(em->b->diags, "M442", f->where,
               "'F' has %d elements and 'p' has %d, or their shapes differ: there is one force for "
               "each coordinate of a point, in the same place",
               f->n, p->n);
    return false;
}

static bool check_arguments(equation_writer *em, lagrange_call *c)
{
    flat_builder *b = em->b;
    if (!c->arg[Q_COORDINATES].n || !c->arg[KINETIC].at) {
        diag_error(b->diags, "M440", c->at,
                   "Vincolo.lagrange needs the coordinates 'q' and the kinetic energy 'T'");
        return false;
    }
    c->n = c->arg[Q_COORDINATES].n;
    c->m = c->arg[HOLONOMIC].n;
    if (c->arg[AFFINE].at && !c->arg[NONHOLONOMIC].at) {
        diag_error(b->diags, "M440", c->arg[AFFINE].where,
                   "'b' belongs to the rows A*der(q) + b = 0: give 'A' too");
        return false;
    }
    return check_coordinates(em, c) && check_points(em, c) &&
           lagrange_check_size(em, c, FORCES, c->n,
                               "there is one force for each coordinate in 'q'") &&
           lagrange_check_size(em, c, NONHOLONOMIC, c->k * c->n,
                               "each row has one column for each coordinate in 'q'") &&
           lagrange_check_size(em, c, AFFINE, c->k, "there is one for each row of 'A'") &&
           lagrange_check_size(em, c, MULTIPLIERS, c->m + c->k,
                               "there is one for each constraint in 'Phi' and each row of 'A'");
}

bool lagrange_is_call(const ast_call *c)
{
    return c->f.n == 2 && !strcmp(c->f.at[0].name, "Vincolo") &&
           !strcmp(c->f.at[1].name, "lagrange");
}

bool lagrange_collect(equation_writer *em, const scope *s, const ast_stmt *st)
{
    flat_builder *b = em->b;
    const ast_call *call = st->call->call;
    if (em->dynamic || em->initial) {
        diag_error(b->diags, "M444", st->span, "Vincolo.lagrange cannot stand in %s",
                   em->initial ? "an initial equation section"
                               : "an if-equation whose condition changes during the simulation");
        return false;
    }
    if (call->args.n) {
        diag_error(b->diags, "M440", call->args.at[0]->span,
                   "the arguments of Vincolo.lagrange are given by name: q = ..., T = ...");
        return false;
    }
    lagrange_call *c = arena_new(b->front, lagrange_call);
    *c = (lagrange_call){.instance = em->instance, .at = st->span};
    for (int i = 0; i < call->n_named; i++)
        if (!lagrange_take(em, s, &call->named[i], c)) return false;
    if (!check_arguments(em, c)) return false;
    lagrange_call **last = &b->lagrange;
    while (*last) last = &(*last)->next;
    *last = c;
    return true;
}

/* ---- velocities ------------------------------------------------------------------------------ */

typedef struct derivation {
    flat_builder *b;
    lagrange_call *c;
    int *velocity; // by flat variable: the variable equal to its derivative, or -1
    int number;    // of the call
    expr *qd;      // der(q[i])
    expr T, V;
    const bool *steady; // by flat variable: constant between events
    int *system;        // by flat variable: the last call of which it is a coordinate
    int call;           // this one; from 1
    follow *follow;     // made when it is first needed
    expr_subst back;    // second derivatives by the velocity variables that the model has
} derivation;

/* Equations v = der(x). */
static int *lagrange_velocities(flat_builder *b)
{
    const flat_model *m = b->m;
    int *v = arena_array(b->front, int, m->vars.n + 1);
    for (int i = 0; i < m->vars.n; i++) v[i] = -1;
    for (int i = 0; i < m->equations.n; i++)
        for (int side = 0; side < 2; side++) {
            const flat_equation *e = &m->equations.at[i];
            const expr_node *x = expr_at(b->pool, side ? e->rhs : e->lhs);
            const expr_node *y = expr_at(b->pool, side ? e->lhs : e->rhs);
            if (x->op != EXPR_VAR || y->op != EXPR_VAR) continue;
            if (x->u.var.order == 1 && y->u.var.order == 0 && v[x->u.var.index] < 0 &&
                flat_at(m, y->u.var.index)->variability == FLAT_CONTINUOUS)
                v[x->u.var.index] = y->u.var.index;
        }
    return v;
}

/* der(expression) written out, innermost first. */
static bool lagrange_write_out(derivation *d, argument *a)
{
    flat_builder *b = d->b;
    if (!a->n || !b->pool->has_der) return true;
    expr_subst s;
    expr_subst_init(&s, b->pool, b->scratch);
    int_array nodes = expr_reach(b->pool, a->at, a->n, b->scratch);
    bool any = false;
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *x = expr_at(b->pool, nodes.at[i]);
        if (x->op != EXPR_DER) continue;
        expr arg = expr_subst_apply(&s, x->u.arg[0]), out = 0;
        const char *why = NULL;
        if (!expr_total_diff(b->pool, &arg, 1, b->scratch, &out, &why)) {
            diag_error(b->diags, "M445", a->where, "der() of an expression cannot be formed: %s",
                       why ? why : "");
            return false;
        }
        expr_subst_set(&s, nodes.at[i], out);
        any = true;
    }
    for (int i = 0; any && i < a->n; i++) a->at[i] = expr_subst_apply(&s, a->at[i]);
    return true;
}

/* Variables that change at events only. */
static void mark_assigned(const flat_statements *body, bool *assigned)
{
    for (int i = 0; i < body->n; i++) {
        const flat_statement *st = &body->at[i];
        if (st->kind == FLAT_ASSIGN) assigned[st->var] = true;
        for (int k = 0; k < st->branches.n; k++) mark_assigned(&st->branches.at[k].body, assigned);
    }
}

/* By flat variable: constant between events. */
static bool *lagrange_steady(flat_builder *b)
{
    const flat_model *m = b->m;
    bool *steady = arena_array(b->front, bool, m->vars.n + 1);
    for (int i = 0; i < m->vars.n; i++)
        steady[i] =
            flat_at(m, i)->type != TYPE_REAL || flat_at(m, i)->variability < FLAT_CONTINUOUS;
    mark_assigned(&m->whens, steady);
    return steady;
}

/* By flat variable: no function of the coordinates of this call. Those of another system are
 * coordinates in their own right, and an input of the model is given from outside. */
static const bool *lagrange_independent(const derivation *d)
{
    flat_builder *b = d->b;
    bool *out = arena_array(b->scratch, bool, b->m->vars.n + 1);
    for (int i = 0; i < b->m->vars.n; i++)
        out[i] = d->steady[i] || flat_at(b->m, i)->causality == FLAT_INPUT;
    for (const lagrange_call *c = b->lagrange; c; c = c->next)
        for (int i = 0; i < c->arg[Q_COORDINATES].n; i++)
            out[expr_at(b->pool, c->arg[Q_COORDINATES].at[i])->u.var.index] = true;
    return out;
}

static bool take_coordinates(const derivation *d)
{
    const argument *q = &d->c->arg[Q_COORDINATES];
    for (int i = 0; i < q->n; i++) {
        int *system = &d->system[expr_at(d->b->pool, q->at[i])->u.var.index];
        if (*system == d->call) {
            diag_error(d->b->diags, "M443", q->where, "coordinate %d of 'q' is there twice", i + 1);
            return false;
        }
        *system = d->call;
    }
    return true;
}

static bool is_followed(int i)
{
    return i == KINETIC || i == POTENTIAL || i == HOLONOMIC || i == POINTS;
}

/* What is differentiated by q is written in q. */
static bool follow_argument(derivation *d, int i)
{
    flat_builder *b = d->b;
    argument *a = &d->c->arg[i];
    const argument *q = &d->c->arg[Q_COORDINATES];
    int_array vars = expr_vars(b->pool, a->at, a->n, b->scratch);
    bool others = false;
    for (int k = 0; k < vars.n; k++) {
        const expr_node *x = expr_at(b->pool, vars.at[k]);
        bool own = d->steady[x->u.var.index];
        if (own && x->type == TYPE_REAL && !expr_var_is_constant(b->pool, vars.at[k]))
            expr_subst_set(&d->back, expr_var(b->pool, x->u.var.index, 1, TYPE_REAL, 0),
                           b->pool->zero);
        others = others || (!own && d->system[x->u.var.index] != d->call);
    }
    if (!others) return true;
    if (!d->follow) d->follow = follow_new(b, q->at, q->n, lagrange_independent(d));
    for (int k = 0; k < a->n; k++) {
        a->at[k] = follow_to_coordinates(d->follow, a->at[k], argument_names[i], a->where);
        if (!a->at[k]) return false;
    }
    return true;
}

static bool check_orders(const derivation *d, int i)
{
    flat_builder *b = d->b;
    const lagrange_call *c = d->c;
    const argument *a = &c->arg[i];
    bool positions = i == HOLONOMIC || i == POINTS;
    int_array vars = expr_vars(b->pool, a->at, a->n, b->scratch);
    for (int k = 0; k < vars.n; k++) {
        const expr_node *x = expr_at(b->pool, vars.at[k]);
        bool velocity = x->u.var.order == 1 && d->system[x->u.var.index] == d->call;
        if (x->u.var.order <= 1 && !(positions && velocity)) continue;
        const char *words = i == HOLONOMIC
                                ? "'Phi' contains the velocity der(%s); a constraint on "
                                  "velocities is written A*der(q) + b = 0: use 'A' and 'b'"
                            : i == POINTS ? "'p' contains the velocity der(%s); the place where a "
                                            "force acts is a function of q and time"
                                          : "a second derivative of '%s' cannot stand in an energy "
                                            "or a force";
        diag_error(b->diags, "M446", a->where, words, FLAT_NAME(b->m, x->u.var.index));
        return false;
    }
    return true;
}

/* Everything in terms of q and der(q); higher derivatives and, in Phi, velocities are refused. */
static bool in_coordinates(derivation *d)
{
    flat_builder *b = d->b;
    lagrange_call *c = d->c;
    expr_subst s;
    expr_subst_init(&s, b->pool, b->scratch);
    for (int i = 0; i < c->n; i++) {
        int x = expr_at(b->pool, c->arg[Q_COORDINATES].at[i])->u.var.index;
        d->qd[i] = expr_var(b->pool, x, 1, TYPE_REAL, 0);
        if (d->velocity[x] < 0) continue;
        expr v = expr_var(b->pool, d->velocity[x], 0, TYPE_REAL, 0);
        expr_subst_set(&s, v, d->qd[i]);
        expr_subst_set(&d->back, expr_var(b->pool, x, 2, TYPE_REAL, 0),
                       expr_var(b->pool, d->velocity[x], 1, TYPE_REAL, 0));
        expr_subst_set(&d->back, d->qd[i], v);
    }
    for (int i = KINETIC; i <= AFFINE; i++) {
        argument *a = &c->arg[i];
        if (!a->n) continue;
        if (!lagrange_write_out(d, a)) return false;
        for (int k = 0; k < a->n; k++) a->at[k] = expr_subst_apply(&s, a->at[k]);
        if (is_followed(i) && !follow_argument(d, i)) return false;
        if (!check_orders(d, i)) return false;
    }
    return true;
}

/* ---- the equations --------------------------------------------------------------------------- */

static sym new_name(derivation *d, const char *what, int i)
{
    text t;
    mem m = value_arena_mem(d->b->front);
    text_init(&t, &m);
    if (*d->c->instance) text_printf(&t, "%s.", d->c->instance);
    if (d->number > 1) text_printf(&t, "lagrange%d.%s[%d]", d->number, what, i + 1);
    else text_printf(&t, "lagrange.%s[%d]", what, i + 1);
    return sym_of(d->b->lib->syms, text_str(&t));
}

static bool make_multipliers(derivation *d)
{
    flat_builder *b = d->b;
    flat_model *m = b->m;
    lagrange_call *c = d->c;
    argument *l = &c->arg[MULTIPLIERS];
    if (l->at) return true;
    flat_attributes none;
    memset(&none, 0, sizeof none);
    none.fixed = -1;
    l->n = c->m + c->k;
    l->at = arena_array(b->front, expr, l->n + 1);
    for (int i = 0; i < l->n; i++) {
        sym name = new_name(d, "lambda", i);
        flat_var v = {.type = TYPE_REAL,
                      .variability = FLAT_CONTINUOUS,
                      .causality = FLAT_LOCAL,
                      .decl = flat_declare(b->model, "multiplier", 0, c->at)};
        v.attr = inst_share_attributes(b, &none);
        uint64_t *slot = inst_named_var(b, name);
        if (*slot) {
            diag_error(b->diags, "M106", c->at,
                       "the multipliers would be called '%s', but the model has such a variable; "
                       "give them names: lambda = ...",
                       name);
            return false;
        }
        *slot = (uint64_t)m->vars.n + 1;
        flat_vars_add(&m->vars, b->model, v, name);
        l->at[i] = expr_var(b->pool, m->vars.n - 1, 0, TYPE_REAL, 0);
    }
    return true;
}

static void lagrange_add_equation(derivation *d, expr lhs, expr rhs)
{
    flat_equation e = {.lhs = expr_subst_apply(&d->back, lhs),
                       .rhs = expr_subst_apply(&d->back, rhs),
                       .origin = FLAT_FROM_EQUATION,
                       .instance = d->c->instance,
                       .at = d->c->at};
    array_push(d->b->model, &d->b->m->equations, e);
}

static expr lagrange_element(const argument *a, int i, expr otherwise)
{
    return a->at ? a->at[i] : otherwise;
}

/* Row i: d/dt dL/dq'_i - dL/dq_i + (Phi_q^T lambda_h)_i + (A^T lambda_n)_i = Q_i + (p_q^T F)_i. */
static void equation_of_motion(derivation *d, int i, expr momentum_rate, const expr *energy_q,
                               const expr *phi_q, const expr *p_q)
{
    expr_pool *p = d->b->pool;
    const lagrange_call *c = d->c;
    const expr *lambda = c->arg[MULTIPLIERS].at;
    expr lhs = expr_sub(p, momentum_rate, energy_q[i]);
    lhs = expr_add(p, lhs, energy_q[c->n + i]);
    for (int r = 0; r < c->m; r++)
        lhs = expr_add(p, lhs, expr_mul(p, phi_q[r * c->n + i], lambda[r]));
    for (int r = 0; r < c->k; r++)
        lhs =
            expr_add(p, lhs, expr_mul(p, c->arg[NONHOLONOMIC].at[r * c->n + i], lambda[c->m + r]));
    expr rhs = lagrange_element(&c->arg[FORCES], i, p->zero);
    for (int r = 0; r < c->arg[POINTS].n; r++)
        rhs = expr_add(p, rhs, expr_mul(p, p_q[r * c->n + i], c->arg[POINT_FORCES].at[r]));
    lagrange_add_equation(d, lhs, rhs);
}

static void constraint_equations(derivation *d)
{
    expr_pool *p = d->b->pool;
    const lagrange_call *c = d->c;
    for (int r = 0; r < c->m; r++) lagrange_add_equation(d, c->arg[HOLONOMIC].at[r], p->zero);
    for (int r = 0; r < c->k; r++) {
        expr sum = p->zero;
        for (int i = 0; i < c->n; i++)
            sum = expr_add(p, sum, expr_mul(p, c->arg[NONHOLONOMIC].at[r * c->n + i], d->qd[i]));
        lagrange_add_equation(d, expr_add(p, sum, lagrange_element(&c->arg[AFFINE], r, p->zero)),
                              p->zero);
    }
}

/* ---- is T + V kept? -------------------------------------------------------------------------- */

enum { JUDGED_MAX = 1000 }; // coordinates: a million entries of the mass matrix

/* Only q, der(q) and parameters, and no operator that jumps or remembers. */
static bool is_closed(const derivation *d, const argument *a)
{
    flat_builder *b = d->b;
    const argument *q = &d->c->arg[Q_COORDINATES];
    bool *coordinate = arena_array(b->scratch, bool, b->m->vars.n + 1);
    for (int j = 0; j < q->n; j++) coordinate[expr_at(b->pool, q->at[j])->u.var.index] = true;
    int_array nodes = expr_reach(b->pool, a->at, a->n, b->scratch);
    for (int k = 0; k < nodes.n; k++) {
        const expr_node *x = expr_at(b->pool, nodes.at[k]);
        expr_class kind = operator_class((expr_op)x->op);
        bool own = x->op != EXPR_VAR || expr_var_is_constant(b->pool, nodes.at[k]) ||
                   coordinate[x->u.var.index];
        if (!own || x->op == EXPR_TIME || x->op == EXPR_IF || x->op == EXPR_CALL ||
            kind == CLASS_REL || kind == CLASS_EVENT || kind == CLASS_HYBRID)
            return false;
    }
    return true;
}

/* T = q'^T M(q) q' / 2: no part of it is left at rest, and M is free of velocities. */
static bool is_quadratic(const derivation *d, const expr *momentum)
{
    flat_builder *b = d->b;
    int n = d->c->n;
    for (int i = 0; i < n; i++)
        if (momentum[n + i] != b->pool->zero) return false; // V contains velocities
    expr_subst rest;
    expr_subst_init(&rest, b->pool, b->scratch);
    for (int i = 0; i < n; i++) expr_subst_set(&rest, d->qd[i], b->pool->zero);
    bool none = expr_subst_apply(&rest, d->T) == b->pool->zero;
    for (int i = 0; i < n && none; i++)
        none = expr_subst_apply(&rest, momentum[i]) == b->pool->zero;
    if (!none || n > JUDGED_MAX) return false;
    expr *mass = arena_array(b->scratch, expr, n * n);
    if (!expr_jacobian(b->pool, momentum, n, d->qd, n, b->scratch, mass, NULL)) return false;
    int_array vars = expr_vars(b->pool, mass, n * n, b->scratch);
    for (int k = 0; k < vars.n; k++)
        if (expr_at(b->pool, vars.at[k])->u.var.order) return false;
    return true;
}

static bool has_reinit(const flat_statements *body)
{
    for (int i = 0; i < body->n; i++) {
        if (body->at[i].kind == FLAT_REINIT) return true;
        for (int k = 0; k < body->at[i].branches.n; k++)
            if (has_reinit(&body->at[i].branches.at[k].body)) return true;
    }
    return false;
}

static bool is_zero(const derivation *d, const argument *a)
{
    double x;
    for (int k = 0; k < a->n; k++)
        if (!expr_number(d->b->pool, a->at[k], &x) || x != 0) return false;
    return true;
}

/* Sure to be conservative: T is quadratic in der(q), T, V and Phi are functions of q and parameters
 * without branches, there are no other forces, constraints on velocities have no b, and no event
 * gives a state another value. What is not that simple is not judged. */
static bool is_conservative(const derivation *d, const expr *momentum)
{
    const argument *a = d->c->arg;
    return is_zero(d, &a[FORCES]) && !a[POINTS].n && is_zero(d, &a[AFFINE]) &&
           is_closed(d, &a[KINETIC]) && is_closed(d, &a[POTENTIAL]) &&
           is_closed(d, &a[HOLONOMIC]) && !has_reinit(&d->b->m->whens) && is_quadratic(d, momentum);
}

static bool derive(derivation *d)
{
    flat_builder *b = d->b;
    expr_pool *p = b->pool;
    lagrange_call *c = d->c;
    arena *a = b->front;
    int n = c->n;
    const expr *q = c->arg[Q_COORDINATES].at;
    d->T = c->arg[KINETIC].at[0];
    d->V = lagrange_element(&c->arg[POTENTIAL], 0, p->zero);
    expr energy[2] = {d->T, d->V};
    expr *energy_q = arena_array(a, expr, 2 * n), *energy_v = arena_array(a, expr, 2 * n);
    expr *momentum = arena_array(a, expr, n), *rate = arena_array(a, expr, n);
    expr *phi_q = arena_array(a, expr, c->m * n + 1);
    const argument *points = &c->arg[POINTS];
    expr *p_q = arena_array(a, expr, points->n * n + 1);
    const char *why = NULL;
    bool ok =
        expr_jacobian(p, energy, 2, d->qd, n, b->scratch, energy_v, &why) &&
        expr_jacobian(p, energy, 2, q, n, b->scratch, energy_q, &why) &&
        (!c->m || expr_jacobian(p, c->arg[HOLONOMIC].at, c->m, q, n, b->scratch, phi_q, &why)) &&
        (!points->n || expr_jacobian(p, points->at, points->n, q, n, b->scratch, p_q, &why));
    for (int i = 0; ok && i < n; i++) momentum[i] = expr_sub(p, energy_v[i], energy_v[n + i]);
    ok = ok && expr_total_diff(p, momentum, n, b->scratch, rate, &why);
    if (!ok) {
        diag_error(b->diags, "M445", c->at, "the equations of motion cannot be derived: %s",
                   why ? why : "");
        return false;
    }
    for (int i = 0; i < n; i++) equation_of_motion(d, i, rate[i], energy_q, phi_q, p_q);
    constraint_equations(d);
    flat_model *m = b->m;
    m->driven = m->driven || !is_conservative(d, energy_v);
    m->kinetic = m->kinetic ? expr_add(p, m->kinetic, d->T) : d->T;
    m->potential = m->potential ? expr_add(p, m->potential, d->V) : d->V;
    return true;
}

bool lagrange_write(flat_builder *b)
{
    if (!b->lagrange) return true;
    flat_write_out(b->m, b->model);
    arena_mark mark = arena_here(b->scratch);
    int *velocity = lagrange_velocities(b);
    const bool *steady = lagrange_steady(b);
    int *system = arena_array(b->front, int, b->m->vars.n + 1), call = 0;
    memset(system, 0, (size_t)b->m->vars.n * sizeof *system);
    bool ok = true;
    for (lagrange_call *c = b->lagrange; c && ok; c = c->next) {
        derivation d = {.b = b, .c = c, .velocity = velocity, .number = 1, .steady = steady};
        d.system = system;
        d.call = ++call;
        for (const lagrange_call *x = b->lagrange; x != c; x = x->next)
            d.number += x->instance == c->instance;
        d.qd = arena_array(b->front, expr, c->n);
        expr_subst_init(&d.back, b->pool, b->scratch);
        ok = take_coordinates(&d) && in_coordinates(&d) && make_multipliers(&d) && derive(&d);
    }
    arena_release(b->scratch, mark);
    return ok;
}
