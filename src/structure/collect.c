/* What the flat model consists of: the role of each variable, the order in which parameters are
 * evaluated, and which equations are continuous and which discrete.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <math.h>

/* ---- roles ----------------------------------------------------------------------------------- */

static structure_role role_of(const analysis *w, int v)
{
    const flat_var *x = flat_at(w->m, v);
    if (x->type == TYPE_STRING || x->type == TYPE_CLOCK) return STRUCTURE_NONE;
    if (x->variability <= FLAT_PARAMETER)
        return !w->open[v]            ? STRUCTURE_PARAMETER
               : x->type == TYPE_REAL ? STRUCTURE_UNKNOWN
                                      : STRUCTURE_DISCRETE;
    if (x->causality == FLAT_INPUT) return STRUCTURE_INPUT;
    if (x->variability == FLAT_DISCRETE || x->type != TYPE_REAL) return STRUCTURE_DISCRETE;
    return STRUCTURE_UNKNOWN;
}

static void assign_roles(analysis *w)
{
    structure *s = w->s;
    structure_find_open(w);
    for (int v = 0; v < s->n_flat; v++) s->vars[v].role = role_of(w, v) & 0x7f;

    // An input of the top that is given a value in the model is an ordinary variable.
    for (int i = 0; i < w->m->equations.n; i++) {
        const flat_equation *e = &w->m->equations.at[i];
        if (e->origin != FLAT_FROM_BINDING) continue; // so it is written out
        const expr_node *left = expr_at(w->p, e->lhs);
        if (left->op != EXPR_VAR) continue;
        int v = left->u.var.index;
        if (s->vars[v].role != STRUCTURE_INPUT) continue;
        bool discrete = flat_at(w->m, v)->variability == FLAT_DISCRETE || left->type != TYPE_REAL;
        s->vars[v].role = discrete ? STRUCTURE_DISCRETE : STRUCTURE_UNKNOWN;
    }

    w->column = arena_array(w->scratch, int, s->n_flat);
    for (int v = 0; v < s->n_flat; v++) {
        structure_var *x = &s->vars[v];
        w->column[v] = -1;
        switch ((structure_role)x->role) {
        case STRUCTURE_PARAMETER:
            x->place = s->n_p++;
            x->value = flat_at(w->m, v)->binding;
            s->n_parameters += flat_at(w->m, v)->variability == FLAT_PARAMETER;
            break;
        case STRUCTURE_INPUT:
            x->place = s->n_w;
            s->n_w += 2; // value and derivative
            array_push(s->a, &s->inputs, v);
            break;
        case STRUCTURE_DISCRETE:
            x->place = s->n_w;
            s->n_w += 2; // value and pre
            x->clock = v < w->clock_of.n ? w->clock_of.at[v] : 0;
            s->n_unknowns_written += !x->clock && !w->open[v];
            break;
        case STRUCTURE_NONE:
            if (flat_at(w->m, v)->type == TYPE_CLOCK && v < w->clock_of.n)
                x->clock = w->clock_of.at[v];
            break;
        case STRUCTURE_UNKNOWN:
            w->column[v] = w->columns.n;
            array_push(w->scratch, &w->columns, v);
            s->n_unknowns_written += !w->open[v];
            break;
        default: break;
        }
    }
}

/* ---- parameters ------------------------------------------------------------------------------ */

enum { WHITE, GREY, BLACK };

static void report_cycle(analysis *w, const int *path, int n, int again)
{
    int first = n - 1;
    while (first > 0 && path[first] != again) first--;
    const flat_var *x = flat_at(w->m, again);
    diag_error(w->sink, "S110", x->decl->at,
               "the value of parameter '%s' depends on itself; give one of the parameters in the "
               "circle a value of its own",
               FLAT_NAME(w->m, again));
    for (int k = first; k < n; k++) {
        const flat_var *from = flat_at(w->m, path[k]);
        diag_note(w->sink, from->decl->at, "'%s' uses '%s'", FLAT_NAME(w->m, path[k]),
                  FLAT_NAME(w->m, k + 1 < n ? path[k + 1] : again));
    }
}

/* Depth-first over bindings: a parameter comes after all that its binding uses. */
static bool sort_parameters(analysis *w)
{
    structure *s = w->s;
    char *colour = arena_array(w->scratch, char, s->n_flat);
    int *path = arena_array(w->scratch, int, s->n_flat);
    int *from = arena_array(w->scratch, int, s->n_flat); // first of its variables in `used`
    int *next = arena_array(w->scratch, int, s->n_flat);
    int_array used = {0};
    s->parameters = arena_array(s->a, int, s->n_p);

    for (int root = 0; root < s->n_flat; root++) {
        if (s->vars[root].role != STRUCTURE_PARAMETER || colour[root]) continue;
        int depth = 0;
        path[0] = root;
        while (depth >= 0) {
            int v = path[depth];
            if (colour[v] == WHITE) {
                colour[v] = GREY;
                from[v] = next[v] = used.n;
                if (s->vars[v].value) dag_vars(&w->d, s->vars[v].value, &used);
            }
            int down = -1;
            // The variables of v are on top of `used` whenever v is on top of the path.
            while (next[v] < used.n && down < 0) {
                int u = expr_at(w->p, used.at[next[v]++])->u.var.index;
                if (s->vars[u].role != STRUCTURE_PARAMETER || colour[u] == BLACK) continue;
                if (colour[u] == GREY) {
                    report_cycle(w, path, depth + 1, u);
                    return false;
                }
                down = u;
            }
            if (down >= 0) {
                path[++depth] = down;
                continue;
            }
            colour[v] = BLACK;
            used.n = from[v];
            s->parameters[s->n_evaluated++] = v;
            depth--;
        }
    }
    size_t n = (size_t)s->n_flat;
    arena_resize(w->scratch, next, n * sizeof *next, 0);
    arena_resize(w->scratch, from, n * sizeof *from, 0);
    arena_resize(w->scratch, path, n * sizeof *path, 0);
    arena_resize(w->scratch, colour, n, 0);
    return true;
}

/* Values as bound; a parameter without binding has its start value. */
static void evaluate_parameters(analysis *w)
{
    structure *s = w->s;
    s->p_default = arena_array(s->a, double, s->n_p);
    for (int k = 0; k < s->n_evaluated; k++) {
        const structure_var *x = &s->vars[s->parameters[k]];
        const flat_attributes *attr = flat_at(w->m, s->parameters[k])->attr;
        expr e = x->value ? x->value : attr ? attr->start : 0;
        double *p = &s->p_default[x->place];
        if (!e) *p = 0;
        else if (!structure_eval(s, s->p_default, e, w->scratch, p)) *p = NAN;
    }
}

/* ---- equations ------------------------------------------------------------------------------- */

/* der(expression) written out. */
typedef struct expander {
    analysis *w;
    const char *why;
} expander;

static expr expand_der(void *user, expr old, expr rebuilt)
{
    expander *x = user;
    (void)old;
    const expr_node *n = expr_at(x->w->p, rebuilt);
    if (n->op != EXPR_DER) return rebuilt;
    expr arg = n->u.arg[0], d = 0;
    const char *why = NULL;
    if (!expr_total_diff(x->w->p, &arg, 1, x->w->scratch, &d, &why)) {
        x->why = why;
        return rebuilt;
    }
    return d;
}

static bool has_der(const expr_pool *p)
{
    for (int i = 1; i < p->n; i++)
        if (p->node[i].op == EXPR_DER) return true;
    return false;
}

static bool expand(analysis *w, dag_rewriter *r, expander *x, flat_equation *e)
{
    e->lhs = dag_rewrite(r, e->lhs);
    e->rhs = dag_rewrite(r, e->rhs);
    if (!x->why) return true;
    diag_error(w->sink, "S120", e->at, "der() of this expression cannot be formed: %s", x->why);
    return false;
}

static bool expand_derivatives(analysis *w)
{
    if (!has_der(w->p)) return true;
    expander x = {w, NULL};
    flat_own(w->m, w->a);
    flat_write_out(w->m, w->a);
    dag_rewriter r;
    dag_rewriter_init(&r, &w->d, &x);
    r.after = expand_der;
    for (int i = 0; i < w->m->equations.n; i++)
        if (!expand(w, &r, &x, &w->m->equations.at[i])) return false;
    for (int i = 0; i < w->m->initial_equations.n; i++)
        if (!expand(w, &r, &x, &w->m->initial_equations.at[i])) return false;
    return true;
}

/* Does a side move with a continuous unknown between events? What stands in relations and below
 * operators that jump does not (Modelica Language Specification 3.6, section 3.8.4). */
static bool has_motion(analysis *w, const flat_equation *e)
{
    arena_mark mark = arena_here(w->scratch);
    const expr sides[] = {e->lhs, e->rhs};
    int_array nodes = expr_reach(w->p, sides, 2, w->scratch); // arguments come first
    map moves;
    map_init(&moves, w->scratch);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(w->p, nodes.at[i]);
        expr_class kind = operator_class((expr_op)n->op);
        if (n->type != TYPE_REAL || kind == CLASS_EVENT) continue;
        if (kind == CLASS_HYBRID && n->op != EXPR_DELAY && n->op != EXPR_TRANSPORT) continue;
        bool moving = n->op == EXPR_VAR && w->column[n->u.var.index] >= 0;
        for (int k = 0; k < expr_arity(w->p, nodes.at[i]) && !moving; k++)
            moving = map_find(&moves, (uint64_t)expr_args(w->p, nodes.at[i])[k]) != NULL;
        if (moving) *map_put(&moves, (uint64_t)nodes.at[i]) = 1;
    }
    bool found = map_find(&moves, (uint64_t)e->lhs) || map_find(&moves, (uint64_t)e->rhs);
    arena_release(w->scratch, mark);
    return found;
}

static bool is_discrete_var(const analysis *w, const expr_node *n)
{
    return n->op == EXPR_VAR && w->s->vars[n->u.var.index].role == STRUCTURE_DISCRETE;
}

/* An equation is discrete when its sides are not Real, or when discrete variables are all it has;
 * and one of a when-clause that gives a discrete variable a value, whatever that value moves with.
 * A discrete variable equal to what moves does not get its value there. */
static bool is_discrete(analysis *w, int i, const flat_equation *e, int_array *vars)
{
    const expr_node *left = expr_at(w->p, e->lhs), *right = expr_at(w->p, e->rhs);
    if (left->type != TYPE_REAL && right->type != TYPE_REAL) return true;
    if (left->op == EXPR_VAR && w->column[left->u.var.index] >= 0) return false; // the usual case
    if (is_discrete_var(w, left) || is_discrete_var(w, right))
        return i >= w->n_as_written || !has_motion(w, e);
    vars->n = 0;
    dag_vars(&w->d, e->lhs, vars);
    dag_vars(&w->d, e->rhs, vars);
    bool discrete = false;
    for (int k = 0; k < vars->n; k++) {
        int v = expr_at(w->p, vars->at[k])->u.var.index;
        if (w->column[v] >= 0) return false;
        discrete = discrete || w->s->vars[v].role == STRUCTURE_DISCRETE;
    }
    return discrete;
}

/* A member of a run is Real and plain: it moves with any of its variables that does. */
static bool member_moves(const analysis *w, const flat_equation *e)
{
    flat_slot slots[SHAPE_SLOTS];
    const flat_run *run = flat_member(w->m, e, slots);
    for (int k = 0; k < run->sides->n_slots; k++)
        if (w->column[slots[k].var] >= 0) return true;
    return false;
}

/* n = x between a whole number and what moves says something of x if another equation says what n
 * is. If there is none, it was meant to give n its value. */
static bool check_whole_numbers(analysis *w)
{
    for (int i = 0; i < w->eqs.n; i++) {
        const structure_equation *e = &w->eqs.at[i];
        if (!e->lhs) continue;
        const expr_node *left = expr_at(w->p, e->lhs), *right = expr_at(w->p, e->rhs);
        if (left->type == right->type) continue;
        const expr_node *n = left->type == TYPE_INTEGER ? left : right;
        if (n->type != TYPE_INTEGER || !is_discrete_var(w, n)) continue;
        int v = n->u.var.index;
        bool known = false;
        for (int k = 0; k < w->discrete.n && !known; k++) {
            left = expr_at(w->p, w->discrete.at[k].lhs);
            right = expr_at(w->p, w->discrete.at[k].rhs);
            known = (left->op == EXPR_VAR && left->u.var.index == v) ||
                    (right->op == EXPR_VAR && right->u.var.index == v);
        }
        if (!known && !structure_check_type(w, e, v)) return false;
    }
    return true;
}

bool structure_collect(analysis *w)
{
    structure *s = w->s;
    s->vars = arena_array(s->a, structure_var, s->n_flat);
    assign_roles(w);
    if (!sort_parameters(w) || !expand_derivatives(w)) return false;
    evaluate_parameters(w);

    int_array vars = {0};
    array_reserve(w->scratch, &w->eqs, w->m->equations.n);
    for (int i = 0; i < w->m->equations.n; i++) {
        flat_equation e = w->m->equations.at[i];
        bool moves = !flat_is_written(&e) && member_moves(w, &e);
        expr sides[2] = {0};
        if (!moves) flat_sides(w->m, &e, sides);
        e.lhs = sides[0];
        e.rhs = sides[1];
        structure_equation x = {.lhs = e.lhs, .rhs = e.rhs, .flat = i, .at = e.at};
        if (!moves && is_discrete(w, i, &e, &vars)) {
            array_push(w->scratch, &w->discrete, x);
        } else {
            array_push(w->scratch, &w->eqs, x);
            array_push(s->a, &s->written, i);
        }
    }
    s->n_equations_written = w->eqs.n + w->discrete.n;
    structure_add_open(w);
    return check_whole_numbers(w);
}
