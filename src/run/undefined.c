/* Which operation has no value: sqrt of a negative number, a division by zero, an overflow.
 *
 * Tapes say only that a result is no number. Here the equations are evaluated once more, as
 * expressions, in the order of their solution; the first whose value is not finite is followed down
 * to an operation whose operands are finite. Of if-expressions only the branch that is taken counts.
 * It happens once, when a run has stopped, so nothing of it is paid for before.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/undefined.h"
#include "structure/dag.h"

#include "base/watch.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

enum { CALLS_IN_CALLS_MAX = 40 };
static const size_t OPERATION_BYTES = 80; // of the text of an expression in a message

typedef struct finder {
    const run_state *s;
    const structure *x;
    const expr_pool *p;
    arena *a;
    double t;
    const double *w;
    double *value;   // by node
    uint8_t *known;  // ... whether it has been found
    double *entry;   // by entry
    const expr *rhs; // by component: of right-hand sides that the formulation has not written out
} finder;

/* ---- functions ------------------------------------------------------------------------------- */

/* Which operands decide the value of an operation, in bits. */
static unsigned operands_used(uint8_t op, int n, const double *x)
{
    switch (op) {
    case EXPR_IF: return x[0] != 0 ? 3 : 5;
    case EXPR_SEMILINEAR: return x[0] >= 0 ? 3 : 5;
    case EXPR_SMOOTH: return 2;
    case EXPR_HOMOTOPY: return 1;
    default: return (1u << n) - 1;
    }
}

static double value_of(finder *f, expr e);

/* A function in C, called once more to hear what it says. */
static double routine_value(finder *f, const flat_function *g, int output, const double *in,
                            run_undefined *u)
{
    const tape_function *r = g->routine;
    double *args = arena_array(f->a, double, r->n_in + 1),
           *out = arena_array(f->a, double, r->n_out + 1);
    if (g->n_args) memcpy(args, in, (size_t)g->n_args * sizeof *in);
    if (g->constructs) args[g->n_args] = output + 1;
    r->value(r->user, f->s->routines, args, out);
    double x = out[g->constructs ? 0 : output];
    if (u && !isfinite(x)) {
        u->function = g->name;
        u->why = external_why(f->s->routines, g->constructs ? output : -1);
    }
    return x;
}

/* The body of a function, evaluated for numbers; where its result is not finite and u is given, the
 * operation that is to blame. */
static double body_value(finder *f, const flat_function *g, int output, const double *in, int depth,
                         run_undefined *u)
{
    if (depth > CALLS_IN_CALLS_MAX || (output >= g->n_results && !g->constructs)) return NAN;
    if (g->program) {
        double *out = arena_array(f->a, double, g->n_results);
        routine_cause cause = {0};
        routine_traced(g->routine, in, out, output, &cause);
        if (u && !isfinite(out[output])) {
            u->op = cause.op;
            for (int k = 0; k < 3; k++) u->x[k] = cause.x[k];
            u->function = cause.function ? cause.function : g->name;
            u->subscript = cause.subscript;
            u->endless = cause.endless;
            u->said = cause.said;
            u->integral = cause;
        }
        return out[output];
    }
    if (g->routine) return routine_value(f, g, output, in, u);
    if (g->why) return NAN;
    double *v = arena_array(f->a, double, g->n_nodes);
    char *need = arena_array(f->a, char, g->n_nodes);
#define OPERAND(code) ((code) >= 0 ? v[code] : value_of(f, ~(code)))
    for (int i = 0; i < g->n_nodes; i++) {
        const expr_node *node = expr_at(f->p, g->nodes[i]);
        int n = g->first[i + 1] - g->first[i];
        const int *arg = n ? &g->args[g->first[i]] : NULL;
        if (node->op == EXPR_VAR) {
            v[i] = in[node->u.var.index - FLAT_FORMAL];
            continue;
        }
        double *x = arena_array(f->a, double, n > 3 ? n : 3);
        for (int k = 0; k < n; k++) x[k] = OPERAND(arg[k]);
        if (node->op == EXPR_CALL)
            v[i] = body_value(f, f->x->flat->functions.at[node->u.call.function],
                              node->u.call.output, x, depth + 1, NULL);
        else if (!operator_apply((expr_op)node->op, x, n, &v[i])) v[i] = NAN;
    }
    int result = g->results[output];
    double found = OPERAND(result);
    if (!u || isfinite(found) || result < 0) return found;
    u->function = g->name;
    need[result] = 1;
    for (int i = result; i >= 0; i--) {
        if (!need[i] || isfinite(v[i])) continue;
        const expr_node *node = expr_at(f->p, g->nodes[i]);
        int n = g->first[i + 1] - g->first[i], open = 0;
        const int *arg = n ? &g->args[g->first[i]] : NULL;
        double *x = arena_array(f->a, double, n > 3 ? n : 3);
        for (int k = 0; k < n; k++) x[k] = OPERAND(arg[k]);
        unsigned used = n <= 3 ? operands_used(node->op, n, x) : ~0u;
        for (int k = 0; k < n; k++)
            if ((k > 31 || used >> k & 1) && !isfinite(x[k])) {
                if (arg[k] >= 0) need[arg[k]] = 1;
                open++;
            }
        if (open || node->op == EXPR_VAR) continue;
        u->op = node->op;
        for (int k = 0; k < n && k < 3; k++) u->x[k] = x[k];
        if (node->op == EXPR_CALL)
            body_value(f, f->x->flat->functions.at[node->u.call.function], node->u.call.output, x,
                       depth + 1, u);
        break;
    }
#undef OPERAND
    return found;
}

static double call_value(finder *f, expr e, run_undefined *u)
{
    const expr_node *n = expr_at(f->p, e);
    const expr *arg = expr_args(f->p, e);
    arena_mark here = arena_here(f->a);
    double *in = arena_array(f->a, double, n->u.call.n + 1);
    for (int k = 0; k < n->u.call.n; k++) in[k] = f->value[arg[k]];
    double x =
        body_value(f, f->x->flat->functions.at[n->u.call.function], n->u.call.output, in, 0, u);
    arena_release(f->a, here);
    return x;
}

/* ---- values ---------------------------------------------------------------------------------- */

static double variable_value(finder *f, int var, int order)
{
    const structure *x = f->x;
    if (var >= x->n_flat) return f->w[var - x->n_flat + (order ? 1 : 0)];
    const structure_var *v = &x->vars[var];
    switch ((structure_role)v->role) {
    case STRUCTURE_PARAMETER: return order ? 0 : f->s->p[v->place];
    case STRUCTURE_INPUT:
    case STRUCTURE_DISCRETE: return f->w[v->place + (order ? 1 : 0)];
    case STRUCTURE_KNOWN: return order ? 0 : value_of(f, v->value);
    case STRUCTURE_ALIAS: {
        double of = variable_value(f, v->of, v->order + order);
        return v->negated ? -of : of;
    }
    case STRUCTURE_UNKNOWN: {
        const structure_unknown *u = &x->unknowns.at[v->place];
        return order <= u->d && f->entry ? f->entry[u->first + order] : NAN;
    }
    default: return 0; // a String
    }
}

static void find_value(finder *f, expr e)
{
    const expr_node *n = expr_at(f->p, e);
    double x[3] = {0};
    int arity = expr_arity(f->p, e);
    f->known[e] = 1;
    if (expr_number(f->p, e, &f->value[e])) return;
    switch ((expr_op)n->op) {
    case EXPR_VAR: f->value[e] = variable_value(f, n->u.var.index, n->u.var.order); return;
    case EXPR_TIME: f->value[e] = f->t; return;
    case EXPR_STRING: f->value[e] = external_code(n->u.string); return;
    case EXPR_CALL: f->value[e] = call_value(f, e, NULL); return;
    default: break;
    }
    if (arity > 3) return; // a text
    for (int k = 0; k < arity; k++) x[k] = f->value[expr_args(f->p, e)[k]];
    if (!operator_apply((expr_op)n->op, x, arity, &f->value[e])) f->value[e] = 0;
}

static double value_of(finder *f, expr e)
{
    if (f->known[e]) return f->value[e];
    int_array all = expr_reach(f->p, &e, 1, f->a);
    for (int i = 0; i < all.n; i++)
        if (!f->known[all.at[i]]) find_value(f, all.at[i]);
    return f->value[e];
}

/* ---- the operation --------------------------------------------------------------------------- */

static int place_of(const int_array *all, expr e) // they ascend
{
    int low = 0, high = all->n - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (all->at[middle] < e) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Below e, whose value is not finite: an operation whose operands are. 0: unknowns are to blame, one
 * of them is *unknown. */
static expr blamed(finder *f, expr e, expr *unknown)
{
    int_array all = expr_reach(f->p, &e, 1, f->a);
    char *need = arena_array(f->a, char, all.n + 1);
    expr found = 0;
    need[all.n - 1] = 1;
    for (int i = all.n - 1; i >= 0 && !found; i--) {
        expr at = all.at[i];
        if (!need[i] || isfinite(f->value[at])) continue;
        const expr_node *n = expr_at(f->p, at);
        int arity = expr_arity(f->p, at), open = 0;
        const expr *arg = expr_args(f->p, at);
        double x[3] = {0};
        for (int k = 0; k < arity && k < 3; k++) x[k] = f->value[arg[k]];
        unsigned used = arity <= 3 ? operands_used(n->op, arity, x) : ~0u;
        for (int k = 0; k < arity; k++) {
            if ((k <= 31 && !(used >> k & 1)) || isfinite(f->value[arg[k]])) continue;
            open++;
            need[place_of(&all, arg[k])] = 1;
        }
        if (open) continue;
        if (n->op == EXPR_VAR) *unknown = at;
        else found = at;
    }
    return found;
}

/* A call below e that has no value, which a comparison has hidden: k == 1 is false of what is no
 * number. Otherwise e. */
static expr hidden_call(finder *f, expr e)
{
    int_array all = expr_reach(f->p, &e, 1, f->a);
    for (int i = 0; i < all.n; i++)
        if (expr_at(f->p, all.at[i])->op == EXPR_CALL && isnan(f->value[all.at[i]]))
            return all.at[i];
    return e;
}

static bool contains(finder *f, expr whole, expr part)
{
    int_array all = expr_reach(f->p, &whole, 1, f->a);
    for (int i = 0; i < all.n; i++)
        if (all.at[i] == part) return true;
    return false;
}

static void name_variables(finder *f, expr e, run_undefined *u)
{
    int_array vars = expr_vars(f->p, &e, 1, f->a);
    for (int i = 0; i < vars.n && u->n_named < UNDEFINED_NAMED; i++) {
        bool told = false;
        for (int k = 0; k < u->n_named; k++) told = told || u->named[k] == vars.at[i];
        if (told || expr_at(f->p, vars.at[i])->type == TYPE_STRING) continue;
        u->named[u->n_named] = vars.at[i];
        u->values[u->n_named++] = value_of(f, vars.at[i]) + 0.0; // no -0
    }
}

/* A divisor that vanishes because a function had no other answer for its arguments, a density far outside of
 * its tables: those are what is wrong. */
static void name_origins(finder *f, run_undefined *u)
{
    const structure *s = f->x;
    expr divisor = u->op == EXPR_DIV ? expr_args(f->p, u->e)[1] : 0;
    int entry = divisor ? structure_entry_of(s, divisor) : -1;
    if (entry < 0 || f->value[divisor] != 0) return;
    const structure_unknown *x = &s->unknowns.at[s->entries.at[entry].unknown];
    const structure_equation *of = &s->equations.at[x->equation];
    if (!of->definition) return;
    name_variables(f, of->lhs, u);
    name_variables(f, of->rhs, u);
}

/* Of an equation, or what became of it: true when it is to blame. unknowns: those count, too. */
static bool examine(finder *f, expr e, const structure_equation *of, int solved_for, bool unknowns,
                    run_undefined *u)
{
    expr unknown = 0;
    if (!e || isfinite(value_of(f, e))) return false;
    expr found = blamed(f, e, &unknown);
    if (!found && (!unknowns || !unknown)) return false;
    if (found) found = hidden_call(f, found);
    *u = (run_undefined){.in = f->x,
                         .e = found ? found : unknown,
                         .lhs = of ? of->lhs : e,
                         .rhs = of ? of->rhs : 0,
                         .at = of ? of->at : (span){0},
                         .solved_for = -1,
                         .t = f->t};
    const expr_node *n = expr_at(f->p, u->e);
    u->op = n->op;
    u->value = f->value[u->e];
    for (int k = 0; k < expr_arity(f->p, u->e) && k < 3; k++)
        u->x[k] = f->value[expr_args(f->p, u->e)[k]] + 0.0; // no -0
    if (solved_for >= 0 && of && !contains(f, of->lhs, u->e) && !contains(f, of->rhs, u->e))
        u->solved_for = solved_for;
    name_variables(f, u->e, u);
    name_origins(f, u);
    if (u->solved_for >= 0) {
        name_variables(f, of->lhs, u);
        name_variables(f, of->rhs, u);
    }
    if (n->op == EXPR_CALL) call_value(f, u->e, u);
    return true;
}

/* The entry that y'[i] or the algebraic y[i] stands for, and the equation by which it is found. */
static int entry_solved(const form_system *s, int i)
{
    int e = s->unknowns.at[i].entry;
    return e < 0 ? -1 : e + (s->unknowns.at[i].differential ? 1 : 0);
}

static bool examine_sides(finder *f, const structure_equation *of, bool unknowns, run_undefined *u)
{
    return examine(f, of->lhs, of, -1, unknowns, u) || examine(f, of->rhs, of, -1, unknowns, u);
}

static bool examine_all(finder *f, bool unknowns, run_undefined *u)
{
    const form_system *form = f->s->model->form;
    const structure *x = f->x;
    for (int v = 0; v < x->n_flat; v++)
        if (x->vars[v].role == STRUCTURE_KNOWN &&
            examine(f, x->vars[v].value, NULL, -1, unknowns, u)) {
            u->at = flat_at(x->flat, v)->decl->at;
            return true;
        }
    for (int i = 0; i < x->equations.n; i++)
        if (examine_sides(f, &x->equations.at[i], unknowns, u)) return true;
    for (int k = 0; k < form->assignments.n; k++) {
        const form_assignment *a = &form->assignments.at[k];
        const structure_equation *of = a->equation < 0 ? NULL : &x->equations.at[a->equation];
        if (!examine(f, a->as_solved, of, a->entry, unknowns, u)) continue;
        u->derivative = a->derivative;
        return true;
    }
    for (int i = 0; i < x->equations.n; i++)
        for (int c = 1; c <= x->equations.at[i].c; c++)
            if (examine(f, x->equations.at[i].f[c], &x->equations.at[i], -1, unknowns, u)) {
                u->derivative = c;
                return true;
            }
    for (int i = 0; form->rhs && i < form->unknowns.n; i++) {
        int e = entry_solved(form, i);
        if (e < 0 || e >= x->entries.n) continue;
        const structure_unknown *of = &x->unknowns.at[x->entries.at[e].unknown];
        if (structure_order_of(x, e) != of->d) continue;
        expr rhs = form->rhs[i] ? form->rhs[i] : f->rhs[i];
        if (examine(f, rhs, &x->equations.at[of->equation], e, unknowns, u)) return true;
    }
    for (int i = 0; i < x->relations.n; i++)
        if (examine(f, x->relations.at[i].root, NULL, -1, unknowns, u)) {
            u->at = x->relations.at[i].at;
            return true;
        }
    for (int i = 0; i < x->discrete.n; i++)
        if (examine_sides(f, &x->discrete.at[i], unknowns, u)) return true;
    for (int i = 0; i < x->actions.n; i++)
        if (x->actions.at[i].kind == FLAT_REINIT &&
            examine(f, x->actions.at[i].value, NULL, -1, unknowns, u)) {
            u->at = x->actions.at[i].at;
            return true;
        }
    for (int i = 0; i < x->initial.n && f->w[IMAGE_W_INITIAL] != 0; i++)
        if (examine_sides(f, &x->initial.at[i], unknowns, u)) return true;
    return false;
}

/* x: that of the model, in full. */
static finder finder_at(const run_state *s, const structure *x, double t, arena *scratch)
{
    finder f = {.s = s, .x = x, .p = x->pool, .a = scratch, .t = t, .w = s->w};
    f.value = arena_array(scratch, double, x->pool->n);
    f.known = arena_array(scratch, uint8_t, x->pool->n);
    return f;
}

/* Right-hand sides that are not written out in the model. The pool is that of a copy then. */
static expr *solved_sides(const run_state *s, const structure *x, arena *scratch)
{
    const form_system *form = s->model->form;
    expr guard, *rhs = arena_array(scratch, expr, form->unknowns.n + 1);
    if (!form->rhs || x == s->model->s) return rhs;
    dag d;
    dag_init(&d, x->pool, scratch);
    for (int i = 0; i < form->unknowns.n; i++) {
        int e = entry_solved(form, i);
        if (form->rhs[i] || e < 0 || e >= x->entries.n) continue;
        int equation = x->unknowns.at[x->entries.at[e].unknown].equation;
        rhs[i] = dag_solve(&d, x->equations.at[equation].f[0], x->entries.at[e].var, &guard);
    }
    return rhs;
}

static void take_entries(finder *f, const double *y, const double *yp)
{
    const form_system *form = f->s->model->form;
    f->entry = arena_array(f->a, double, f->x->entries.n);
    for (int e = 0; e < f->x->entries.n; e++) {
        image_place at = form->places[e];
        f->entry[e] = at.where == IMAGE_IN_Y ? y[at.at] : at.where == IMAGE_IN_YP ? yp[at.at] : 0;
    }
    for (int k = 0; k < form->assignments.n; k++)
        f->entry[form->assignments.at[k].entry] = value_of(f, form->assignments.at[k].as_solved);
}

bool undefined_at(const run_state *s, double t, const double *y, const double *yp, const double *w,
                  arena *scratch, run_undefined *out)
{
    if (!code_has_origin(s->model)) return false;
    arena_mark before = arena_here(scratch);
    const structure *x = structure_in_full(s->model->s, scratch);
    expr *rhs = solved_sides(s, x, scratch);
    arena_mark here = arena_here(scratch);
    finder f = finder_at(s, x, t, scratch);
    f.rhs = rhs;
    f.w = w;
    take_entries(&f, y, yp);
    bool found = examine_all(&f, false, out) || examine_all(&f, true, out);
    arena_release(scratch, found ? here : before);
    return found;
}

bool run_find_undefined(const run_state *s, double t, const double *y, const double *yp,
                        arena *scratch, run_undefined *out)
{
    return undefined_at(s, t, y, yp, s->w, scratch, out);
}

bool run_find_undefined_parameter(const run_state *s, arena *scratch, run_undefined *out)
{
    if (!code_has_origin(s->model)) return false;
    arena_mark here = arena_here(scratch);
    finder f = finder_at(s, s->model->s, NAN, scratch); // no equation is asked
    const structure *x = f.x;
    bool found = false;
    for (int k = 0; k < x->n_evaluated && !found; k++) {
        int v = x->parameters[k];
        if (isfinite(s->p[x->vars[v].place])) continue;
        found = examine(&f, x->vars[v].value, NULL, -1, false, out);
        if (found) out->at = flat_at(x->flat, v)->decl->at;
    }
    arena_release(scratch, here);
    return found;
}

/* ---- an equation that was not solved --------------------------------------------------------- */

/* How lhs - rhs depends on an entry: by a difference, which is good enough to tell a fold. */
static double slope_by(const run_state *s, const finder *at, const structure_equation *of,
                       int entry)
{
    finder f = finder_at(s, at->x, at->t, at->a);
    f.w = at->w;
    f.entry = at->entry;
    double kept = f.entry[entry], h = 1e-6 * (fabs(kept) + 1e-6);
    f.entry[entry] = kept + h;
    double above = value_of(&f, of->lhs) - value_of(&f, of->rhs);
    memset(f.known, 0, (size_t)f.p->n);
    f.entry[entry] = kept - h;
    double below = value_of(&f, of->lhs) - value_of(&f, of->rhs);
    f.entry[entry] = kept;
    return (above - below) / (2 * h);
}

static double nominal_of(const run_state *s, int entry)
{
    image_place at = s->model->form->places[entry];
    return at.where == IMAGE_IN_Y ? s->nominal[at.at] : 1;
}

bool run_find_unsolved(const run_state *s, int component, double t, const double *y,
                       const double *yp, arena *scratch, run_unsolved *out)
{
    const double FOLD_MAX = 1e-3; // over what the other variables do; choice
    if (!code_has_origin(s->model)) return false;
    const form_system *form = s->model->form;
    const structure *x = s->model->s;
    int e = entry_solved(form, component);
    if (e < 0 || e >= x->entries.n) return false;
    const structure_unknown *of = &x->unknowns.at[x->entries.at[e].unknown];
    if (of->equation < 0) return false;
    x = structure_in_full(x, scratch);
    const structure_equation *q = &x->equations.at[of->equation];
    arena_mark here = arena_here(scratch);
    finder f = finder_at(s, x, t, scratch);
    take_entries(&f, y, yp);
    *out = (run_unsolved){.entry = e};
    out->of = (run_undefined){.in = x, .lhs = q->lhs, .rhs = q->rhs, .at = q->at, .t = t};
    name_variables(&f, q->lhs, &out->of);
    name_variables(&f, q->rhs, &out->of);
    double others = 0;
    out->slope = slope_by(s, &f, q, e);
    for (int k = 0; k < out->of.n_named; k++) {
        int other = structure_entry_of(x, out->of.named[k]);
        if (other < 0 || other == e) continue;
        others = fmax(others, fabs(slope_by(s, &f, q, other)) * nominal_of(s, other));
    }
    out->fold = x->blocks.at[of->block].n == 1 && !form->unknowns.at[component].differential &&
                fabs(out->slope) * nominal_of(s, e) < FOLD_MAX * others;
    arena_release(scratch, here);
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool
finite_pole(const run_undefined *u) // a number divided by zero, a root of a negative one
{
    switch ((expr_op)u->op) {
    case EXPR_DIV:
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM: return u->x[1] == 0;
    case EXPR_POW: return u->x[0] <= 0;
    case EXPR_SQRT: return u->x[0] < 0;
    case EXPR_LOG:
    case EXPR_LOG10: return u->x[0] <= 0;
    case EXPR_ASIN:
    case EXPR_ACOS: return fabs(u->x[0]) > 1;
    default: return false;
    }
}

/* What was asked of the operation, after "it is". */
static void add_reason(const run_undefined *u, text *out)
{
    const double *x = u->x;
    if (u->subscript) {
        text_printf(out, "subscript %.9g of '%s' is outside 1 ... %d", x[0], u->subscript->array,
                    u->subscript->size);
        return;
    }
    if (u->endless) {
        text_printf(out, "a loop does not end within %d operations", PROGRAM_STEPS);
        return;
    }
    if (u->said) {
        text_printf(out, "\"%s\"", u->said);
        return;
    }
    if (!finite_pole(u)) {
        if (operator_arity((expr_op)u->op) < 1) text_add(out, "it has no value");
        else text_add(out, "its value is beyond the largest number, 1.8e308");
        return;
    }
    switch ((expr_op)u->op) {
    case EXPR_SQRT: text_printf(out, "the square root of a negative number, %.9g", x[0]); break;
    case EXPR_LOG:
    case EXPR_LOG10:
        text_printf(out, "the logarithm of %s%.9g", x[0] < 0 ? "a negative number, " : "", x[0]);
        break;
    case EXPR_ASIN:
    case EXPR_ACOS:
        text_printf(out, "the %s of %.17g, which is outside of -1 ... 1",
                    u->op == EXPR_ASIN ? "arc sine" : "arc cosine", x[0]);
        break;
    case EXPR_POW:
        if (x[0] < 0)
            text_printf(out,
                        "a power of a negative number, %.9g, with an exponent that is not a "
                        "whole number, %.9g",
                        x[0], x[1]);
        else text_printf(out, "a negative power of zero (exponent %.9g)", x[1]);
        break;
    default: text_printf(out, "a division of %.9g by zero", x[0]);
    }
}

void undefined_text(const run_state *s, const run_undefined *u, text *out)
{
    const structure *x = u->in;
    (void)s;
    if (u->why) {
        text_printf(out, "%s has no value", u->function);
        if (!isnan(u->t)) text_printf(out, " at t = %.10g", u->t);
        text_printf(out, ": %s", u->why);
        return;
    }
    expr_print(x->pool, u->e, EXPR_MODELICA, OPERATION_BYTES, out);
    text_add(out, isnan(u->value) ? " is not a number" : " is infinite");
    if (!isnan(u->t)) text_printf(out, " at t = %.10g", u->t);
    if (u->integral.fault) {
        text_add(out, ": ");
        routine_integral_words(&u->integral, out);
    } else if (u->op != EXPR_VAR && u->op != EXPR_CALL) {
        text_add(out, ": ");
        if (u->function) text_printf(out, "in the function %s, ", u->function);
        add_reason(u, out);
    }
    if (u->derivative) text_add(out, "; it stands in a derivative of the equation");
    if (u->solved_for >= 0) {
        text_add(out, "; the equation '");
        expr_print_equation(x->pool, u->lhs, u->rhs, OPERATION_BYTES, out);
        text_add(out, "' was solved for '");
        structure_add_name(x, u->solved_for, out);
        text_char(out, '\'');
    }
}

/* Of which medium are these the values? Each component once. */
static void add_packages(const run_undefined *u, text *out)
{
    const structure *x = u->in;
    expr_label label[2]; // of the last one that was told, and of this one
    int now = 0;
    const char *told = "";
    size_t n_told = 0;
    for (int k = 0; k < u->n_named; k++) {
        int v = expr_at(x->pool, u->named[k])->u.var.index;
        const flat_var *q = v < x->n_flat ? flat_at(x->flat, v) : NULL;
        if (!q || !q->decl->package) continue;
        const char *name = flat_name(x->flat, v, &label[now]);
        const char *dot = strrchr(name, '.');
        size_t n = dot ? (size_t)(dot - name) : 0;
        if (!dot || (n == n_told && !memcmp(told, name, n))) continue;
        text_printf(out, "; %.*s is of %s", (int)n, name, q->decl->package);
        told = name;
        n_told = n;
        now = !now;
    }
}

static void add_values(const run_undefined *u, text *out)
{
    for (int k = 0; k < u->n_named; k++) {
        text_add(out, k ? ", " : "");
        expr_print(u->in->pool, u->named[k], EXPR_MODELICA, OPERATION_BYTES, out);
        text_printf(out, " = %.10g", u->values[k]);
    }
    add_packages(u, out);
}

static const char *cure_of(const run_undefined *u)
{
    if (u->integral.fault) return routine_integral_cure(u->integral.fault);
    if (u->subscript)
        return "an element is asked for only where there is one: if i >= 1 and i <= size(a, 1) "
               "then "
               "a[i] else ...";
    if (u->endless) return "look at the condition of the loop, and at what changes it";
    if (u->said) return "the values above are outside of what the function was made for";
    if (!finite_pole(u)) {
        switch ((expr_op)u->op) {
        case EXPR_EXP:
        case EXPR_SINH:
        case EXPR_COSH:
            return "look for a wrong unit or sign in the argument, or limit it with min()";
        default: return "look for what grows without bound, or for a wrong unit";
        }
    }
    switch ((expr_op)u->op) {
    case EXPR_SQRT:
    case EXPR_POW:
        return "if the argument ought to stay positive, look at its sign and at the start values; "
               "otherwise say what holds beyond zero: if x > 0 then sqrt(x) else 0, sqrt(max(x, "
               "0)), "
               "or sign(x)*sqrt(abs(x))";
    case EXPR_LOG:
    case EXPR_LOG10:
        return "if the argument ought to stay positive, look at its sign and at the start values; "
               "otherwise keep it above a smallest value: log(max(x, 1e-9))";
    case EXPR_ASIN:
    case EXPR_ACOS:
        return "if rounding has led beyond 1, limit the argument: acos(max(-1, min(1, x))); "
               "an angle is found without such limits by atan2(y, x)";
    default:
        return "say what holds where the divisor vanishes (if x <> 0 then ... else ...), or give "
               "start values and parameters for which it does not";
    }
}

void unsolved_text(const run_state *s, const run_unsolved *u, text *out)
{
    text_char(out, '\'');
    structure_add_name(s->model->s, u->entry, out);
    text_add(out, "' is found by '");
    expr_print_equation(u->of.in->pool, u->of.lhs, u->of.rhs, OPERATION_BYTES, out);
    text_add(out, "', here with ");
    add_values(&u->of, out);
    if (!u->fold) return;
    text_add(out, ". The equation hardly changes with '");
    structure_add_name(s->model->s, u->entry, out);
    text_printf(out,
                "' here (slope %.2g): there its solution ends, or meets another one (a fold). Say "
                "what holds beyond, or write the equation so that it is single-valued",
                u->slope);
}

void undefined_tell(const run_state *s, const run_undefined *u, const char *code, diag_sink *sink)
{
    watch *w = sink->a->m->watch;
    bool deaf = watch_deafen(w, true);
    text words;
    text_init(&words, sink->a->m);
    undefined_text(s, u, &words);
    span at = u->integral.fault ? u->integral.integral->at : u->at;
    diag_error(sink, code, at, "%s", text_str(&words));
    text_clear(&words);
    if (!u->why) { // a reason of its own says what is wrong
        add_values(u, &words);
        if (words.n) diag_note(sink, (span){0}, "here %s", text_str(&words));
        if (u->subscript) diag_note(sink, u->subscript->at, "the subscript stands here");
        if (u->endless) diag_note(sink, u->endless->at, "the loop stands here");
        diag_note(sink, (span){0}, "%s", cure_of(u));
    }
    text_done(&words);
    watch_deafen(w, deaf);
}
