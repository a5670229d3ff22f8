/* Index reduction: how often each equation must be differentiated, the derivatives, and the entries
 * x, x', ..., x^(d) of every unknown with the attributes that all its aliases gave.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <string.h>

/* Unknowns are the representatives that are left; their columns replace those as written. */
void structure_number_columns(analysis *w)
{
    structure *s = w->s;
    w->columns.n = 0;
    for (int v = 0; v < s->n_flat; v++) {
        w->column[v] = -1;
        if (s->vars[v].role != STRUCTURE_UNKNOWN) continue;
        s->vars[v].place = w->column[v] = w->columns.n;
        array_push(w->scratch, &w->columns, v);
    }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static void report_no_derivative(analysis *w, span at, const char *why, bool beyond)
{
    if (beyond)
        diag_error(
            w->sink, "S132", at,
            "an initial equation contains the derivative of what this equation gives, but it "
            "has no derivative: %s; write the initial equation without that der()",
            why ? why : "");
    else
        diag_error(w->sink, "S131", at,
                   "this equation must be differentiated (it is a constraint), but it has no "
                   "derivative: %s",
                   why ? why : "");
}

/* f[k] of all equations with c >= k at once, so that they share their work. beyond: for the start. */
static bool differentiate_equations(analysis *w, const graph_offsets *g, bool beyond)
{
    structure *s = w->s;
    int n = s->equations.n, deepest = 0;
    int64_t total = 0;
    static const expr none[1] = {0};
    for (int i = 0; i < n; i++) {
        if (g->c[i]) structure_write(w, i);
        if (s->equations.at[i].lhs) total += g->c[i] + 1;
    }
    expr *f = arena_alloc_array(s->a, (size_t)total, sizeof *f);
    for (int i = 0; i < n; i++) {
        structure_equation *e = &s->equations.at[i];
        expr residual = family_residual(w->families, &w->d, i, e->lhs, e->rhs);
        e->f = none;
        e->c = (int16_t)g->c[i];
        if (!residual) continue;
        f[0] = residual;
        e->f = f;
        f += e->c + 1;
        if (e->c > deepest) deepest = e->c;
    }
    if (!deepest) return true;
    int *which = arena_array(w->scratch, int, n);
    expr *from = arena_array(w->scratch, expr, n), *to = arena_array(w->scratch, expr, n);
    for (int k = 1; k <= deepest; k++) {
        int m = 0;
        for (int i = 0; i < n; i++)
            if (s->equations.at[i].c >= k) {
                which[m] = i;
                from[m++] = s->equations.at[i].f[k - 1];
            }
        const char *why = NULL;
        if (expr_total_diff(w->p, from, m, w->scratch, to, &why)) {
            for (int q = 0; q < m; q++) ((expr *)s->equations.at[which[q]].f)[k] = to[q];
            continue;
        }
        for (int q = 0; q < m; q++) // which one was it?
            if (!expr_total_diff(w->p, &from[q], 1, w->scratch, to, &why)) {
                report_no_derivative(w, s->equations.at[which[q]].at, why, beyond);
                return false;
            }
    }
    return true;
}

/* ---- entries --------------------------------------------------------------------------------- */

static expr with_sign(expr_pool *p, expr e, bool negated)
{
    return e && negated ? expr_neg(p, e) : e;
}

/* Of several start values of one quantity: what a declaration says rather than a type, then that of the
 * representative (Modelica Language Specification, section 8.6.2). */
static bool start_counts(const structure_attributes *e, bool of_type, bool representative)
{
    if (!e->start) return true;
    return of_type == e->start_of_type ? representative : e->start_of_type;
}

static bool same_attributes(const structure_attributes *a, const structure_attributes *b)
{
    return a->start == b->start && a->nominal == b->nominal && a->min == b->min &&
           a->max == b->max && a->start_of_type == b->start_of_type && a->fixed == b->fixed &&
           a->select == b->select && a->named == b->named && a->at.begin == b->at.begin &&
           a->at.end == b->at.end;
}

int structure_share_attributes(analysis *w, const structure_attributes *x)
{
    structure *s = w->s;
    unsigned h = 31u * (31u * (unsigned)x->start + (unsigned)x->nominal) + (unsigned)x->min;
    h = 31u * (31u * (31u * h + (unsigned)x->max) + (unsigned)x->named) + (unsigned)x->at.begin;
    int *seen = &w->attributes_seen[h % STRUCTURE_ATTRIBUTES_SEEN];
    if (*seen && same_attributes(&s->attributes.at[*seen - 1], x)) return *seen - 1;
    array_push(s->a, &s->attributes, *x);
    *seen = s->attributes.n;
    return s->attributes.n - 1;
}

/* The attributes of flat variable v on the entry it stands for. */
static void merge_attributes(analysis *w, int entry, int v, bool negated, bool representative)
{
    structure_entry *to = &w->s->entries.at[entry];
    const flat_var *x = flat_at(w->m, v);
    static const flat_attributes none = {.fixed = -1};
    const flat_attributes *attr = x->attr ? x->attr : &none;
    structure_attributes now = w->s->attributes.at[to->attributes], *e = &now;
    if (structure_order_of(w->s, entry) && (!e->named || representative)) e->named = v + 1;
    expr start = with_sign(w->p, attr->start, negated);
    if (attr->fixed == 1) {
        expr value = start ? start : w->p->zero;
        if (e->fixed == 1 && value != e->start) {
            structure_equation q = {.lhs = to->var, .rhs = value, .flat = v, .at = x->decl->at};
            array_push(w->s->a, &w->s->surplus, q);
        } else {
            e->fixed = 1;
            e->start = value;
            e->start_of_type = false;
            e->at = x->decl->at;
        }
    } else if (start && !e->fixed && start_counts(e, attr->start_of_type, representative)) {
        e->start = start;
        e->start_of_type = attr->start_of_type;
        e->at = x->decl->at;
    }
    if (attr->nominal && !e->nominal) e->nominal = attr->nominal;
    expr low = negated ? attr->max : attr->min, high = negated ? attr->min : attr->max;
    if (low && !e->min) e->min = with_sign(w->p, low, negated);
    if (high && !e->max) e->max = with_sign(w->p, high, negated);
    // The stronger wish wins; a wish of the representative is the user's own.
    static const int strength[] = {0, 3, 1, 2, 4}; // default, never, avoid, prefer, always
    if (strength[attr->state_select] > strength[e->select]) e->select = attr->state_select;
    to->attributes = structure_share_attributes(w, e);
}

/* What elements of an array say of themselves is the same. */
typedef struct merged_attributes {
    const flat_attributes *attr;
    const flat_declaration *decl;
    int from, to;
} merged_attributes;

/* The attributes of an unknown on its own entry. */
static void merge_own(analysis *w, int entry, int v, merged_attributes *last)
{
    const flat_var *x = flat_at(w->m, v);
    int *of = &w->s->entries.at[entry].attributes, from = *of, surplus = w->s->surplus.n;
    if (x->attr == last->attr && x->decl == last->decl && from == last->from) {
        *of = last->to;
        return;
    }
    merge_attributes(w, entry, v, false, true);
    bool once = w->s->surplus.n > surplus; // said of this variable
    *last = (merged_attributes){x->attr, x->decl, once ? -1 : from, *of};
}

/* VAR nodes of neighbours were mostly made at equal distances: the next is looked for there first. */
typedef struct var_stride {
    expr last;
    int step;
} var_stride;

static expr entry_var(expr_pool *p, int var, int order, var_stride *by)
{
    expr e = by->last + by->step;
    const expr_node *n = e > 0 && e < p->n ? expr_at(p, e) : NULL;
    if (!n || n->op != EXPR_VAR || n->type != TYPE_REAL || n->enum_id || n->u.var.index != var ||
        n->u.var.order != order)
        e = expr_var(p, var, order, TYPE_REAL, 0);
    by->step = e - by->last;
    by->last = e;
    return e;
}

static void make_entries(analysis *w, const graph_offsets *g)
{
    structure *s = w->s;
    enum { STRIDES = 2 }; // of variables and of first derivatives
    var_stride strides[STRIDES] = {{0, 0}};
    int n = w->columns.n;
    for (int j = 0; j < w->columns.n; j++) n += g->d[j];
    array_reserve(s->a, &s->entries, n);
    array_reserve(s->a, &s->unknowns, w->columns.n);
    const flat_declaration *decl = NULL; // of the unknown before
    int none = 0;                        // the attributes of its entries
    for (int j = 0; j < w->columns.n; j++) {
        int v = w->columns.at[j];
        structure_unknown u = {
            .var = v, .d = (int16_t)g->d[j], .first = s->entries.n, .equation = g->match.row_of[j]};
        const flat_declaration *of = flat_at(w->m, v)->decl;
        if (of != decl) none = structure_share_attributes(w, &(structure_attributes){.at = of->at});
        decl = of;
        for (int k = 0; k <= u.d; k++) {
            structure_entry e = {.unknown = j, .attributes = none};
            e.var = entry_var(w->p, v, k, &strides[k < STRIDES ? k : STRIDES - 1]);
            array_push(s->a, &s->entries, e);
        }
        array_push(s->a, &s->unknowns, u);
    }
    merged_attributes last = {.from = -1};
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *x = &s->vars[v];
        if (x->role == STRUCTURE_UNKNOWN) {
            merge_own(w, s->unknowns.at[x->place].first, v, &last);
        } else if (x->role == STRUCTURE_ALIAS) {
            const structure_unknown *u = &s->unknowns.at[s->vars[x->of].place];
            if (x->order <= u->d) merge_attributes(w, u->first + x->order, v, x->negated, false);
        } else if (x->role == STRUCTURE_KNOWN && flat_at(w->m, v)->attr &&
                   flat_at(w->m, v)->attr->fixed == 1 && flat_at(w->m, v)->attr->start) {
            structure_equation q = {.lhs = x->value,
                                    .rhs = flat_at(w->m, v)->attr->start,
                                    .flat = v,
                                    .at = flat_at(w->m, v)->decl->at};
            array_push(s->a, &s->surplus, q);
        }
    }
}

/* ---- arguments without effect ---------------------------------------------------------------- */

/* A function of a record is given all of it: a vector in a turning frame, R.T v, seems to depend on
 * the rate of turning R.w as well. Counted as a variable of the position, the rate would be
 * differentiated once more than the motion allows, and one state too many be left. So such arguments
 * do not count, and are gone from the equations once these have been differentiated; derivatives by
 * annotation do use them. */

static expr drop_needless(void *user, expr old, expr e)
{
    analysis *w = user;
    const bool *uses = dag_call_uses(w->p, e);
    (void)old;
    if (!uses) return e;
    expr_node n = *expr_at(w->p, e);
    int count = n.u.call.n;
    bool any = false;
    arena_mark here = arena_here(w->scratch);
    expr *args = arena_array(w->scratch, expr, count);
    for (int k = 0; k < count; k++) {
        args[k] = expr_args(w->p, e)[k];
        if (uses[k] || expr_at(w->p, args[k])->type != TYPE_REAL) continue;
        args[k] = w->p->zero;
        any = true;
    }
    if (any)
        e = expr_call(w->p, n.u.call.function, n.u.call.output, (expr_type)n.type, n.enum_id, args,
                      count);
    arena_release(w->scratch, here);
    return e;
}

/* Every derivative in an expression must have a place among the entries: unknowns that have none are
 * raised. 0: all have, 1: some were raised, -1: the limit is reached. */
static int raise_to(analysis *w, const graph_pattern *sig, expr e, graph_offsets *g)
{
    int_array vars = {0};
    int raised = 0;
    if (e) dag_vars(&w->d, e, &vars);
    for (int q = 0; q < vars.n; q++) {
        const expr_node *x = expr_at(w->p, vars.at[q]);
        int j = x->u.var.index < w->s->n_flat ? w->column[x->u.var.index] : -1;
        if (j < 0 || x->u.var.order <= g->d[j]) continue;
        raised = 1;
        if (!graph_raise(sig, j, x->u.var.order, STRUCTURE_DIFFERENTIATIONS_MAX, w->scratch, g))
            return -1;
    }
    return raised;
}

static int raise_to_derivatives(analysis *w, const graph_pattern *sig, graph_offsets *g)
{
    int raised = 0;
    for (int i = 0; i < w->s->equations.n && raised >= 0; i++)
        for (int k = 0; k <= w->s->equations.at[i].c && raised >= 0; k++) {
            int one = raise_to(w, sig, w->s->equations.at[i].f[k], g);
            if (one) raised = one;
        }
    return raised;
}

static int raise_to_sides(analysis *w, const graph_pattern *sig, const structure_equation *e,
                          graph_offsets *g)
{
    int left = raise_to(w, sig, e->lhs, g), right = left < 0 ? -1 : raise_to(w, sig, e->rhs, g);
    return right < 0 ? -1 : left | right;
}

/* Derivatives that only relations, discrete equations, actions and samples contain: der(y) > 0. */
static bool raise_to_events(analysis *w, const graph_pattern *sig, graph_offsets *g)
{
    const structure *s = w->s;
    bool ok = true;
    for (int i = 0; i < s->relations.n && ok; i++)
        ok = raise_to(w, sig, s->relations.at[i].relation, g) >= 0;
    for (int i = 0; i < w->discrete.n && ok; i++)
        ok = raise_to_sides(w, sig, &w->discrete.at[i], g) >= 0;
    for (int i = 0; i < s->first.n && ok; i++) ok = raise_to_sides(w, sig, &s->first.at[i], g) >= 0;
    for (int i = 0; i < s->actions.n && ok; i++) {
        const structure_action *x = &s->actions.at[i];
        ok = raise_to(w, sig, x->fire, g) >= 0 && raise_to(w, sig, x->value, g) >= 0 &&
             raise_to(w, sig, x->message, g) >= 0;
    }
    for (int i = 0; i < s->strings.n && ok; i++)
        ok = raise_to(w, sig, s->strings.at[i].value, g) >= 0;
    for (int i = 0; i < s->sampled.n && ok; i++)
        ok = raise_to(w, sig, s->sampled.at[i].value, g) >= 0;
    for (int i = 0; i < s->before.n && ok; i++)
        ok = raise_to(w, sig, s->before.at[i].value, g) >= 0;
    for (int i = 0; i < s->delays.n && ok; i++)
        ok = raise_to(w, sig, s->delays.at[i].value, g) >= 0 &&
             (!s->delays.at[i].profile || (raise_to(w, sig, s->delays.at[i].time, g) >= 0 &&
                                           raise_to(w, sig, s->delays.at[i].longest, g) >= 0));
    return ok;
}

static void drop_all_needless(analysis *w)
{
    dag_rewriter r;
    dag_rewriter_init(&r, &w->d, w);
    r.after = drop_needless;
    for (int i = 0; i < w->s->equations.n; i++) {
        structure_equation *e = &w->s->equations.at[i];
        if (!e->lhs) continue; // no function in it
        for (int k = 0; k <= e->c; k++) ((expr *)e->f)[k] = dag_rewrite(&r, e->f[k]);
    }
}

/* Derivatives until every one in them has a place. 0: done, 1: the limit is reached, -1: an equation
 * has no derivative. */
static int differentiate_needed(analysis *w, const graph_pattern *sig, graph_offsets *g,
                                bool beyond)
{
    for (int raised = 1; raised;) {
        if (!differentiate_equations(w, g, beyond)) return -1;
        drop_all_needless(w);
        raised = raise_to_derivatives(w, sig, g);
        if (raised < 0) return 1;
    }
    return 0;
}

/* Offsets and derivatives by what the equations depend on, where that is less than what occurs in
 * them. 0: done, 1: to be done by what occurs, -1: an equation has no derivative. */
static int reduce_needed(analysis *w, graph_offsets *g)
{
    graph_pattern sig;
    if (!w->m->functions.n) return 1;
    w->d.needed = true;
    structure_signature(w, &w->eqs, w->column, w->columns.n, &sig);
    w->d.needed = false;
    if (sig.start[sig.n_rows] == w->sig.start[sig.n_rows] ||
        graph_match(&sig, NULL, w->scratch, w->scratch).n < sig.n_rows ||
        !graph_differentiate(&sig, STRUCTURE_DIFFERENTIATIONS_MAX, w->scratch, w->scratch, g) ||
        !raise_to_events(w, &sig, g))
        return 1;
    int rc = differentiate_needed(w, &sig, g, false);
    if (!rc) w->sig = sig;
    return rc;
}

/* ---- beyond the run -------------------------------------------------------------------------- */

/* Initial equations may contain derivatives that the run has no use for: der(T) where only der(U) is
 * integrated and U = c T. They follow from equations that are differentiated further, for the start
 * alone: the equations and entries of the run stay what they are. */

static void make_entries_beyond(analysis *w, const graph_offsets *to)
{
    structure *s = w->s;
    for (int j = 0; j < s->unknowns.n; j++) {
        structure_unknown *u = &s->unknowns.at[j];
        u->n_beyond = (int16_t)(to->d[j] - u->d);
        for (int k = 1; k <= u->n_beyond; k++) {
            const structure_entry *below =
                &s->entries.at[k > 1 ? s->entries.n - 1 : u->first + u->d];
            structure_attributes none = {.at = s->attributes.at[below->attributes].at};
            structure_entry e = {.unknown = j};
            e.attributes = structure_share_attributes(w, &none);
            e.var = expr_var(w->p, u->var, u->d + k, TYPE_REAL, 0);
            array_push(s->a, &s->entries, e);
            s->n_beyond++;
        }
    }
}

/* They stand at the end of the list, by unknown. */
int structure_beyond(const structure *s, int unknown)
{
    int low = s->entries.n - s->n_beyond, high = s->entries.n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (s->entries.at[mid].unknown < unknown) low = mid + 1;
        else high = mid;
    }
    return low;
}

static bool reduce_beyond(analysis *w, const graph_offsets *g, bool needed)
{
    structure *s = w->s;
    int n = w->columns.n, raised = 0;
    if (!s->initial.n) return true;
    graph_offsets to = {g->match, arena_array(w->scratch, int, n), arena_array(w->scratch, int, n)};
    if (n) memcpy(to.c, g->c, (size_t)n * sizeof *to.c);
    if (n) memcpy(to.d, g->d, (size_t)n * sizeof *to.d);
    for (int i = 0; i < s->initial.n && raised >= 0; i++) {
        int one = raise_to_sides(w, &w->sig, &s->initial.at[i], &to);
        if (one) raised = one;
    }
    if (!raised) return true;
    int rc = raised < 0 ? 1
             : needed   ? differentiate_needed(w, &w->sig, &to, true)
                        : -!differentiate_equations(w, &to, true);
    if (rc > 0)
        diag_error(w->sink, "S130", (span){0, 0},
                   "the initial equations of model '%s' ask for more than %d derivatives",
                   w->m->name, STRUCTURE_DIFFERENTIATIONS_MAX);
    for (int i = 0; i < s->equations.n; i++) s->equations.at[i].c = (int16_t)g->c[i];
    if (rc) return false;
    make_entries_beyond(w, &to);
    return true;
}

/* Those that were found when the system was counted, where nothing has changed since. False: something has to be
 * differentiated. */
static bool offsets_of_reduced(analysis *w, graph_offsets *none)
{
    if (w->counted && w->sig.n_rows == w->eqs.n && w->sig.n_cols == w->columns.n) {
        *none = w->as_counted;
        return true;
    }
    structure_uncount(w);
    structure_find_families(w);
    structure_forget_signature(w, &w->sig);
    structure_signature(w, &w->eqs, w->column, w->columns.n, &w->sig);
    arena_mark here = arena_here(w->scratch);
    bool as_written = graph_differentiate_none(&w->sig, w->scratch, w->scratch, none);
    if (!as_written) arena_release(w->scratch, here);
    return as_written;
}

bool structure_reduce(analysis *w)
{
    structure *s = w->s;
    structure_number_columns(w);
    graph_offsets none;
    bool as_written = offsets_of_reduced(w, &none);
    if (!as_written && !structure_check_rank(w)) return false;
    array_reserve(s->a, &s->equations, w->eqs.n);
    for (int i = 0; i < w->eqs.n; i++) array_push(s->a, &s->equations, w->eqs.at[i]);
    arena_resize(w->scratch, w->eqs.at, (size_t)w->eqs.cap * sizeof *w->eqs.at, 0);
    w->eqs.at = s->equations.at; // from here on these
    w->eqs.cap = s->equations.cap;
    graph_offsets g;
    int rest = reduce_needed(w, &g);
    if (rest < 0) return false;
    if (rest && as_written) g = none;
    if (rest && ((!as_written && !graph_differentiate(&w->sig, STRUCTURE_DIFFERENTIATIONS_MAX,
                                                      w->scratch, w->scratch, &g)) ||
                 !raise_to_events(w, &w->sig, &g))) {
        diag_error(w->sink, "S130", (span){0, 0}, "the index of model '%s' is above %d", w->m->name,
                   STRUCTURE_DIFFERENTIATIONS_MAX);
        return false;
    }
    if (rest && !differentiate_equations(w, &g, false)) return false;
    make_entries(w, &g);
    if (!reduce_beyond(w, &g, !rest)) return false;
    for (int i = 0; i < w->sig.n_rows; i++)
        for (int e = w->sig.start[i]; e < w->sig.start[i + 1]; e++) {
            structure_unknown *u = &s->unknowns.at[w->sig.col[e]];
            if (w->sig.order[e] > u->highest) u->highest = (int16_t)w->sig.order[e];
        }
    for (int j = 0; j < s->unknowns.n; j++) s->n_free += g.d[j];
    for (int i = 0; i < s->equations.n; i++) s->n_free -= g.c[i];
    s->n_free -= s->n_open;
    s->freedom = structure_freedom_of(w, &w->sig, &g);
    if (w->freedom && w->freedom - 1 < s->freedom) s->freedom = w->freedom - 1;
    w->offsets = g;
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct block_view {
    const analysis *w;
    int block;
} block_view;

static dag_degree block_classify(void *user, expr var)
{
    const block_view *b = user;
    const structure *s = b->w->s;
    int v = expr_at(s->pool, var)->u.var.index, order = expr_at(s->pool, var)->u.var.order;
    if (v >= s->n_flat) return DAG_FREE;
    const structure_var *x = &s->vars[v];
    if (x->role == STRUCTURE_PARAMETER) return DAG_CONSTANT;
    if (x->role != STRUCTURE_UNKNOWN) return DAG_FREE;
    const structure_unknown *u = &s->unknowns.at[x->place];
    return u->block == b->block && order == u->d ? DAG_LINEAR_CONSTANT : DAG_FREE;
}

/* The degree of an equation in the highest derivatives of its block: as that of the last of its family,
 * if their variables are of the same kinds. */
static dag_degree block_degree(analysis *w, int equation, block_view *view)
{
    const structure_equation *e = &w->s->equations.at[equation];
    const expr *slots;
    family *q = e->c ? NULL : family_of(w->families, equation, &slots);
    uint64_t kinds = 0;
    for (int k = 0; q && k < q->sides->n_slots; k++)
        kinds |= (uint64_t)block_classify(view, slots[k]) << 2 * k;
    if (q && q->degree.known && q->degree.kinds == kinds) return (dag_degree)q->degree.of;
    const family_question f = {w->families, &w->d, equation, e->lhs, e->rhs, e->f[e->c]};
    dag_degree degree = dag_degree_of(&w->d, family_written(&f).f, block_classify, view);
    if (q) {
        q->degree.kinds = kinds;
        q->degree.of = (uint8_t)degree;
        q->degree.known = true;
    }
    return degree;
}

/* der(x) reads better as v where the model says v = der(x). */
static expr alias_name(void *user, expr e)
{
    const analysis *w = user;
    int entry = structure_entry_of(w->s, e);
    return entry >= 0 ? w->shown_as[entry] : 0;
}

static void show(analysis *w, dag_rewriter *r, int equation)
{
    structure *s = w->s;
    const structure_equation *e = &s->equations.at[equation];
    if (!s->shown) s->shown = arena_array(s->a, const expr *, s->equations.n);
    expr *shown = arena_array(w->s->a, expr, e->c + 1);
    for (int k = 0; k <= e->c; k++) shown[k] = dag_rewrite(r, e->f[k]);
    s->shown[equation] = shown;
}

static void collect_constraints(analysis *w)
{
    structure *s = w->s;
    w->shown_as = arena_sparse(w->scratch, expr, s->entries.n);
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *x = &s->vars[v];
        if (x->role != STRUCTURE_ALIAS || !x->order || x->negated) continue;
        const structure_unknown *u = &s->unknowns.at[s->vars[x->of].place];
        if (x->order <= u->d && !w->shown_as[u->first + x->order])
            w->shown_as[u->first + x->order] = expr_var(w->p, v, 0, TYPE_REAL, 0);
    }
    dag_rewriter r;
    dag_rewriter_init(&r, &w->d, w);
    r.before = alias_name;
    for (int i = 0; i < s->equations.n; i++) {
        structure_equation *e = &s->equations.at[i];
        const structure_block *b = &s->blocks.at[e->block];
        const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(b)[0]];
        const family_question q = {w->families, &w->d, i, e->lhs, e->rhs, e->f[0]};
        if (b->n == 1 && u->highest == 0)
            e->definition = family_solvable(&q, s->entries.at[u->first].var);
        if (e->c && !e->definition) show(w, &r, i);
        for (int k = 0; k < e->c && !e->definition; k++) {
            structure_constraint c = {i, k};
            array_push(s->a, &s->constraints, c);
        }
    }
}

bool structure_sort(analysis *w)
{
    structure *s = w->s;
    const graph_offsets *g = &w->offsets;
    graph_blocks sorted = graph_blt(&w->sig, g->match.row_of, g->c, g->d, w->scratch, w->scratch);
    const int n = sorted.n;
    int *list = s->block_items = arena_array(s->a, int, 2 * (size_t)w->sig.n_rows);
    array_reserve(s->a, &s->blocks, n);
    for (int b = 0; b < n; b++) {
        const int *rows = sorted.item + sorted.start[b];
        structure_block x = {.n = sorted.start[b + 1] - sorted.start[b],
                             .equations = list,
                             .linear = true,
                             .constant = true};
        for (int k = 0; k < x.n; k++) {
            int row = list[k] = rows[k], col = list[x.n + k] = g->match.col_of[row];
            s->equations.at[row].block = b;
            s->unknowns.at[col].block = b;
            if (g->c[row] > x.levels) x.levels = (int16_t)g->c[row];
            if (g->d[col] > 0) x.derivative = true;
        }
        list += 2 * x.n;
        array_push(s->a, &s->blocks, x);
    }
    for (int b = 0; b < n; b++) {
        structure_block *x = &s->blocks.at[b];
        block_view view = {w, b};
        for (int k = 0; k < x->n && x->linear; k++) {
            dag_degree deg = block_degree(w, x->equations[k], &view);
            x->linear = deg != DAG_NONLINEAR;
            x->constant = x->constant && deg <= DAG_LINEAR_CONSTANT;
        }
        x->constant = x->constant && x->linear;
    }
    collect_constraints(w);
    return true;
}
