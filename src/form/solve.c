/* Sorting and assignment.
 *
 * The equations are sorted into blocks of simultaneous ones. An equation with one undetermined unknown is
 * solved for it where that is safe; of blocks some unknowns are torn first (tear.c).
 *
 * Solved unknowns vanish from F: their values are substituted. Where that would fill the Jacobian
 * (a sum over everything that is used everywhere) the unknown is kept in y instead.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/solver.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 60, // with fewer instances the matrix is dense anyway: always substitute
};

static const double COEFFICIENT_WEAK = 1e-6; // a coefficient beside the others of its equation

/* 0: it is not written out. */
static expr raw_function(const solver *v, int i)
{
    const form_instance *x = &v->list[i];
    const expr *instead = v->b->instead;
    if (instead && instead[x->equation] && x->derivative == v->b->s->equations.at[x->equation].c)
        return instead[x->equation];
    return v->b->s->equations.at[v->list[i].equation].f[v->list[i].derivative];
}

/* ... with what is known of it by its family: of equations that are as they were. */
static family_question question(const solver *v, int i)
{
    const form_instance *x = &v->list[i];
    const structure_equation *e = &v->b->s->equations.at[x->equation];
    family_question q = {NULL, &v->b->d, x->equation, e->lhs, e->rhs, raw_function(v, i)};
    if (!x->derivative && q.f == e->f[0]) q.of = v->b->s->families;
    return q;
}

expr solver_function(const solver *v, int i)
{
    const family_question q = question(v, i);
    return family_written(&q).f;
}

expr solver_variable(const solver *v, int i)
{
    return v->b->s->entries.at[v->list[i].entry].var;
}

/* ---- incidence ------------------------------------------------------------------------------- */

static void make_signature(solver *v)
{
    form_builder *b = v->b;
    arena *a = b->scratch;
    v->instance = arena_array(a, int, b->s->entries.n);
    memset(v->instance, 0xff, (size_t)b->s->entries.n * sizeof *v->instance);
    for (int i = 0; i < v->n; i++) v->instance[v->list[i].entry] = i;

    v->sig = (graph_pattern){.n_rows = v->n, .n_cols = v->n};
    v->sig.start = arena_array(a, int, v->n + 1);
    v->uses = arena_array(a, int, v->n);
    v->inertial = arena_array(a, bool, v->n);
    int_array col = {0}, vars = {0};
    array_reserve(a, &col, 4 * v->n);
    for (int i = 0; i < v->n; i++) {
        v->sig.start[i] = col.n;
        vars.n = 0;
        const family_question q = question(v, i);
        family_vars(&q, &vars);
        for (int k = 0; k < vars.n; k++) {
            int e = structure_entry_of(b->s, vars.at[k]);
            if (e < 0 || v->instance[e] < 0) continue;
            array_push(a, &col, v->instance[e]);
            v->uses[v->instance[e]]++;
            if (!v->list[i].derivative) v->inertial[v->instance[e]] = true;
        }
    }
    v->sig.start[v->n] = col.n;
    v->sig.col = col.at;
}

/* ---- dependence of assigned values on y ------------------------------------------------------ */

/* Components that the value of entry j by equation i depends on, at most DEPS_MAX. */
static deps deps_of(solver *v, int i, int j, expr value)
{
    form_builder *b = v->b;
    int set[DEPS_MAX + 1], n = 0;
    const family_question of = question(v, i);
    v->vars.n = 0;
    family_solution_vars(&of, solver_variable(v, j), value, &v->vars);
    for (int k = 0; k < v->vars.n && n <= DEPS_MAX; k++) {
        int e = structure_entry_of(b->s, v->vars.at[k]);
        if (e < 0) continue;
        image_place at = b->f->places[e];
        int m = 1, component = at.at;
        const int *list = &component;
        if (at.where == IMAGE_ASSIGNED) {
            m = v->deps[e].n;
            if (m > DEPS_MAX) return (deps){.n = DEPS_MAX + 1};
            list = v->deps[e].at ? v->deps[e].at : &v->deps[e].one;
        }
        for (int q = 0; q < m && n <= DEPS_MAX; q++) {
            int p = n;
            while (p > 0 && set[p - 1] > list[q]) p--;
            if (p > 0 && set[p - 1] == list[q]) continue;
            memmove(set + p + 1, set + p, (size_t)(n - p) * sizeof *set);
            set[p] = list[q];
            n++;
        }
    }
    if (n > DEPS_MAX) return (deps){.n = DEPS_MAX + 1};
    if (n <= 1) return (deps){.n = n, .one = n ? set[0] : 0};
    int *copy = arena_array(b->scratch, int, n);
    memcpy(copy, set, (size_t)n * sizeof *copy);
    return (deps){.n = n, .at = copy};
}

/* Would substituting a value with these dependences fill the matrix? Where states are chosen while
 * running, what constraints contain is substituted all the same: the choice and the start values look at
 * how they depend on the candidates, and at nothing between. */
static bool fills(const solver *v, int i, const deps *d)
{
    int uses = v->uses[i] - 1; // beside its own equation
    const structure_entry *e = &v->b->s->entries.at[v->list[i].entry];
    if (v->b->f->groups.n &&
        structure_order_of(v->b->s, v->list[i].entry) < v->b->s->unknowns.at[e->unknown].d)
        return false;
    if (v->n <= SMALL || v->b->dense || uses <= 1) return false;
    if (d->n > DEPS_MAX) return true;
    if (v->lean) return d->n * uses > d->n + uses;
    return d->n * uses > 4 * (d->n + uses) + 16;
}

/* ---- placing --------------------------------------------------------------------------------- */

bool form_settled(form_builder *b, expr e, double *x)
{
    if (expr_number(b->s->pool, e, x)) return true;
    const expr_node *n = expr_at(b->s->pool, e);
    if (n->op == EXPR_VAR && !n->u.var.order && n->u.var.index < b->s->n_flat &&
        b->s->vars[n->u.var.index].role == STRUCTURE_PARAMETER) {
        *x = b->s->p_default[b->s->vars[n->u.var.index].place];
        return !isnan(*x);
    }
    b->vars.n = 0;
    dag_vars(&b->d, e, &b->vars);
    for (int k = 0; k < b->vars.n; k++) {
        int v = expr_at(b->s->pool, b->vars.at[k])->u.var.index;
        if (v >= b->s->n_flat || b->s->vars[v].role != STRUCTURE_PARAMETER) return false;
    }
    return b->vars.n > 0 && structure_eval(b->s, b->s->p_default, e, b->scratch, x);
}

bool form_safe_divisor(form_builder *b, expr e)
{
    double x;
    return form_settled(b, e, &x) && x != 0 && isfinite(x);
}

/* The largest and the second largest coefficient of equation i that are known, which is asked for many
 * unknowns of a row one after the other. */
static const solve_coefficients *coefficients_of(solver *v, int i)
{
    form_builder *b = v->b;
    solve_coefficients *c = &v->coefficients;
    int first = v->sig.start[i], n = v->sig.start[i + 1] - first;
    expr f = solver_function(v, i);
    if (c->f == f) return c;
    *c = (solve_coefficients){.f = f, .of = -1};
    expr *var = arena_array(b->scratch, expr, n), *d = arena_array(b->scratch, expr, n);
    const char *why = NULL;
    for (int k = 0; k < n; k++) var[k] = solver_variable(v, v->sig.col[first + k]);
    expr_gradient(b->s->pool, f, var, n, b->scratch, d, &why);
    for (int k = 0; k < n; k++) {
        double x;
        if (!d[k] || !form_settled(b, d[k], &x)) continue;
        x = fabs(x);
        if (x > c->largest) {
            c->second = c->largest;
            c->largest = x;
            c->of = v->sig.col[first + k];
        } else if (x > c->second) {
            c->second = x;
        }
    }
    return c;
}

/* Would solving equation i for the entry of instance j divide by a coefficient that is negligible
 * beside the others (a leakage, say)? Errors would come back multiplied. */
static bool weak(solver *v, int i, int j, expr divisor)
{
    double own;
    if (!form_settled(v->b, divisor, &own) || fabs(own) >= COEFFICIENT_WEAK) return false;
    const solve_coefficients *c = coefficients_of(v, i);
    return fabs(own) < COEFFICIENT_WEAK * (c->of == j ? c->second : c->largest);
}

static bool divides_safely(solver *v, int i, int j, expr guard)
{
    return !guard || (form_safe_divisor(v->b, guard) && !(v->loop && weak(v, i, j, guard)));
}

expr solver_solve(solver *v, int i, int j, expr *guard)
{
    const family_question q = question(v, i);
    expr value = family_solve(&q, solver_variable(v, j), guard);
    return value && divides_safely(v, i, j, *guard) ? value : 0;
}

bool solver_solves_term(solver *v, int i, int j, expr term)
{
    expr guard;
    return dag_solve(&v->b->d, term, solver_variable(v, j), &guard) &&
           divides_safely(v, i, j, guard);
}

/* The component of y whose derivative the entry of instance j is, or -1. */
int solver_lower(const solver *v, int j)
{
    int e = v->list[j].entry;
    const structure_entry *x = &v->b->s->entries.at[e];
    int order = structure_order_of(v->b->s, e);
    if (order == 0 || order > v->b->s->unknowns.at[x->unknown].d) return -1;
    image_place low = v->b->f->places[e - 1];
    if (low.where != IMAGE_IN_Y || v->b->bound[e - 1]) return -1;
    // A dummy that is kept as an unknown is algebraic: its derivative is an unknown of its own.
    return v->b->f->unknowns.at[low.at].differential ? low.at : -1;
}

/* Derivatives in the equation of instance i that are solved for without being written: their values are
 * to be put in for them, so they are written now. */
static void write_rates(solver *v, int i)
{
    form_builder *b = v->b;
    expr guard;
    for (int e = v->sig.start[i]; b->n_unwritten && e < v->sig.start[i + 1]; e++) {
        int j = v->sig.col[e], entry = v->list[j].entry;
        if (!b->unwritten[entry]) continue;
        const family_question q = question(v, j);
        b->unwritten[entry] = 0;
        b->n_unwritten--;
        dag_rewriter_set(&b->solved, solver_variable(v, j),
                         family_solve(&q, solver_variable(v, j), &guard));
    }
}

static void solve_assign(solver *v, int i, int j, expr value, expr guard)
{
    form_builder *b = v->b;
    int e = v->list[j].entry;
    write_rates(v, i);
    form_assignment x = {.entry = e,
                         .as_solved = value,
                         .equation = v->list[i].equation,
                         .derivative = v->list[i].derivative,
                         .guard = guard};
    const family_question q = question(v, i);
    x.value = family_rewrite(&q, value, &b->subst);
    b->f->places[e] = form_place_at(IMAGE_ASSIGNED, b->f->assignments.n);
    array_push(b->a, &b->f->assignments, x);
    dag_rewriter_set(&b->subst, solver_variable(v, j), x.value);
    if (!b->implicit)
        dag_rewriter_set(&b->solved, solver_variable(v, j), family_rewrite(&q, value, &b->solved));
}

void solver_row(solver *v, int i)
{
    const form_instance *x = &v->list[i];
    int level = v->b->level ? v->b->s->equations.at[x->equation].c - x->derivative : 0;
    const family_question q = question(v, i);
    form_row_put(v->b, family_rewrite(&q, q.f, &v->b->subst),
                 level ? IMAGE_ROW_CONSTRAINT : IMAGE_ROW_EQUATION, x->equation, x->derivative,
                 level);
}

void solver_put(solver *v, int j)
{
    int e = v->list[j].entry;
    if (v->counting)
        v->b->f->places[e] = form_place_at(IMAGE_IN_Y, v->b->f->unknowns.n + v->n_torn++);
    else form_put(v->b, e, false, v->b->level ? v->b->level[e] : 0);
}

/* Try to assign; false when the unknown has to stay in y. */
bool solver_assign(solver *v, int i, int j)
{
    expr guard, value = solver_solve(v, i, j, &guard);
    if (!value) return false;
    deps d = deps_of(v, i, j, value);
    if (fills(v, j, &d)) return false;
    v->deps[v->list[j].entry] = d;
    if (v->counting) v->b->f->places[v->list[j].entry] = form_place_at(IMAGE_ASSIGNED, 0);
    else solve_assign(v, i, j, value, guard);
    return true;
}

/* Is the derivative of instance i given by its equation in a way that is known of its family, over variables
 * that stay? Then nothing has to be written. */
static bool solve_unwritten(solver *v, int i)
{
    form_builder *b = v->b;
    expr guard, var = solver_variable(v, i);
    const family_question q = question(v, i);
    int slot = b->implicit || q.f ? -1 : family_solves_unwritten(&q, var, &guard);
    if (slot < 0 || (guard && !form_safe_divisor(b, guard))) return false;
    if (!family_keeps(&q, &b->solved)) {
        dag_rewriter_set(&b->solved, var, family_solve_rewritten(&q, var, &b->solved));
        return true;
    }
    if (!family_solution_operates(&q, slot)) return false;
    if (!b->unwritten) b->unwritten = arena_array(b->scratch, char, b->s->entries.n);
    b->unwritten[v->list[i].entry] = 1;
    b->n_unwritten++;
    return true;
}

static void place_single(solver *v, int i)
{
    // The block's one equation need not be matched to itself after form_instance: i determines i.
    form_builder *b = v->b;
    int low = solver_lower(v, i);
    if (low < 0 && solver_assign(v, i, i)) return;
    if (low >= 0) form_put_derivative(b, v->list[i].entry, low);
    else solver_put(v, i);
    solver_row(v, i);
    // For the right-hand side it is solved for all the same.
    write_rates(v, i);
    if (low >= 0 && solve_unwritten(v, i)) return;
    expr guard, value = b->implicit ? 0 : solver_solve(v, i, i, &guard);
    const family_question q = question(v, i);
    if (!value) b->implicit = true;
    else dag_rewriter_set(&b->solved, solver_variable(v, i), family_rewrite(&q, value, &b->solved));
}

/* Equations that are not written out are, with values put in for others, where algebraic unknowns occur:
 * room for their nodes is made at once. */
static void expect_nodes(const solver *v)
{
    enum { ANSWERS = 2 }; // residual, division
    int64_t more = 0;
    for (int i = 0; i < v->n; i++) {
        const expr *slots;
        const family_question q = question(v, i);
        const family *of = q.f ? NULL : family_of(q.of, q.equation, &slots);
        bool algebraic = false;
        for (int e = v->sig.start[i]; of && e < v->sig.start[i + 1] && !algebraic; e++)
            algebraic = !structure_order_of(v->b->s, v->list[v->sig.col[e]].entry);
        if (algebraic) more += of->sides->n_steps + ANSWERS;
    }
    if (more && more < INT32_MAX) expr_expect(v->b->s->pool, (int)more, (int)more);
}

void form_solve(form_builder *b, const form_instance *list, int n)
{
    solver v = {.b = b, .list = list, .n = n};
    arena *a = b->scratch;
    make_signature(&v);
    expect_nodes(&v);
    v.deps = arena_sparse(a, deps, b->s->entries.n);
    v.done = arena_array(a, bool, n);
    solve_marks m = {arena_array(a, int, n), arena_array(a, char, n), arena_array(a, char, n)};

    graph_blocks sorted = graph_components(&v.sig, a, a); // instance i gives its own entry
    sorted = solver_join(&v, sorted, &m);
    for (int k = 0; k < sorted.n; k++) {
        const int *block = sorted.item + sorted.start[k];
        int size = sorted.start[k + 1] - sorted.start[k];
        if (size == 1) place_single(&v, *block);
        else solver_tear(&v, block, size, &m);
    }
}
