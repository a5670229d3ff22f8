/* Elimination of aliases and of known values.
 *
 * Equations that say x = y, x = -y, x = der(y), or that fix x to an expression of parameters, are
 * taken out of the system: two thirds of the unknowns of a component model are of this kind.
 * Classes of equal variables are kept as trees in which every variable is sign * the shift-th
 * derivative of its parent. Long chains collapse because sums are looked at again when one of their
 * terms has become known (v = p.v - n.v with a grounded n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

typedef struct link {
    int parent; // itself: root
    int8_t sign;
    int shift;
} link;

typedef struct aliases {
    analysis *w;
    link *links;
    expr *known;  // by root: its value, 0 when it is not known
    char *banned; // by equation: may not make one variable the derivative of another
    char *moving; // by root: the derivative of some variable of its class occurs
    int_array path;
    int_array shifted, shifted_by; // roots that became derivatives, and the equations that said so
} aliases;

typedef struct place_of {
    int root, sign, shift;
} place_of;

static place_of alias_place(aliases *x, int v)
{
    link near = x->links[v];
    if (x->links[near.parent].parent == near.parent)
        return near.parent == v ? (place_of){v, 1, 0}
                                : (place_of){near.parent, near.sign, near.shift};
    // Collect the path, then point every variable on it at the root.
    x->path.n = 0;
    while (x->links[v].parent != v) {
        array_push(x->w->scratch, &x->path, v);
        v = x->links[v].parent;
    }
    int root = v, sign = 1, shift = 0;
    for (int k = x->path.n - 1; k >= 0; k--) {
        link *l = &x->links[x->path.at[k]];
        sign *= l->sign;
        shift += l->shift;
        *l = (link){root, (int8_t)sign, shift};
    }
    return (place_of){root, sign, shift};
}

static void attach(aliases *x, int root, int to, int sign, int shift)
{
    x->links[root] = (link){to, (int8_t)sign, shift};
}

/* ---- one equation ---------------------------------------------------------------------------- */

enum { MAX_TERMS = 6 };

typedef struct term {
    int root, shift, coef;
} term;

typedef struct linear {
    term t[MAX_TERMS];
    int n;
    expr rest; // sum of known terms
} linear;

static void add_term(aliases *x, linear *sum, expr var, int sign)
{
    expr_pool *p = x->w->p;
    const expr_node *node = expr_at(p, var);
    int v = node->u.var.index, order = node->u.var.order;
    if (x->w->s->vars[v].role == STRUCTURE_PARAMETER) {
        sum->rest = sign > 0 ? expr_add(p, sum->rest, var) : expr_sub(p, sum->rest, var);
        return;
    }
    place_of at = alias_place(x, v);
    sign *= at.sign;
    if (x->known[at.root]) {
        if (at.shift + order > 0) return;
        expr value = x->known[at.root];
        sum->rest = sign > 0 ? expr_add(p, sum->rest, value) : expr_sub(p, sum->rest, value);
        return;
    }
    for (int k = 0; k < sum->n; k++)
        if (sum->t[k].root == at.root && sum->t[k].shift == at.shift + order) {
            sum->t[k].coef += sign;
            if (!sum->t[k].coef) sum->t[k] = sum->t[--sum->n];
            return;
        }
    sum->t[sum->n++] = (term){at.root, at.shift + order, sign};
}

/* A variable of the system became known: false when it cannot be eliminated. */
static bool set_known(aliases *x, term t, expr rest)
{
    if (t.shift > 0) return false;
    double value;
    bool zero = expr_number(x->w->p, rest, &value) && value == 0;
    if (t.coef != 1 && t.coef != -1 && !zero) return false;
    x->known[t.root] = t.coef > 0 ? expr_neg(x->w->p, rest) : rest;
    return true;
}

static bool set_alias(aliases *x, int equation, term a, term b)
{
    if (a.coef * a.coef != 1 || b.coef * b.coef != 1) return false;
    int sign = -a.coef * b.coef;
    if (a.root == b.root) return false; // x' = -x and the like
    if (a.shift && b.shift) return false;
    if (!a.shift && !b.shift) {
        attach(x, a.root, b.root, sign, 0);
        x->moving[b.root] |= x->moving[a.root];
        return true;
    }
    // v = der(x) joins x and v to one unknown of second order if v is differentiated too; an
    // algebraic v stays what it is.
    term low = a.shift ? b : a, high = a.shift ? a : b;
    if (x->banned[equation] || !x->moving[low.root]) return false;
    attach(x, low.root, high.root, sign, high.shift);
    array_push(x->w->scratch, &x->shifted, low.root);
    array_push(x->w->scratch, &x->shifted_by, equation);
    return true;
}

/* Can equation i be taken out? */
static bool consider(aliases *x, int i, const dag_term *terms, int n)
{
    linear sum = {.rest = x->w->p->zero};
    for (int k = 0; k < n; k++) add_term(x, &sum, terms[k].var, terms[k].sign);
    double value;
    bool rest = !(expr_number(x->w->p, sum.rest, &value) && value == 0);
    if (sum.n == 1) return set_known(x, sum.t[0], sum.rest);
    if (sum.n == 2 && !rest) return set_alias(x, i, sum.t[0], sum.t[1]);
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static dag_degree alias_classify(void *user, expr var)
{
    aliases *x = user;
    const expr_node *n = expr_at(x->w->p, var);
    if (x->w->s->vars[n->u.var.index].role == STRUCTURE_PARAMETER) return DAG_CONSTANT;
    if (x->w->column[n->u.var.index] < 0) return DAG_FREE;
    return x->known[alias_place(x, n->u.var.index).root] ? DAG_CONSTANT : DAG_FREE;
}

/* Known variables in a value are replaced by their own values. */
static expr replace_known(void *user, expr e)
{
    aliases *x = user;
    expr_node n = *expr_at(x->w->p, e);
    if (n.op != EXPR_VAR || x->w->column[n.u.var.index] < 0) return 0;
    place_of at = alias_place(x, n.u.var.index);
    if (!x->known[at.root]) return 0;
    if (at.shift + n.u.var.order > 0) return x->w->p->zero;
    return at.sign > 0 ? x->known[at.root] : expr_neg(x->w->p, x->known[at.root]);
}

/* x = expression of parameters and known variables, either way round. */
static bool binding_of(aliases *x, const structure_equation *e, int *var, expr *value)
{
    analysis *w = x->w;
    for (int k = 0; k < 2; k++) {
        expr l = k ? e->rhs : e->lhs, r = k ? e->lhs : e->rhs;
        const expr_node *n = expr_at(w->p, l);
        if (n->op != EXPR_VAR || n->u.var.order || w->column[n->u.var.index] < 0) continue;
        if (alias_classify(x, l) == DAG_CONSTANT ||
            dag_degree_of(&w->d, r, alias_classify, x) != DAG_CONSTANT)
            continue;
        *var = n->u.var.index;
        *value = r;
        return true;
    }
    return false;
}

static bool take_value(aliases *x, dag_rewriter *r, int equation)
{
    int var;
    expr value;
    if (!binding_of(x, structure_write(x->w, equation), &var, &value)) return false;
    place_of at = alias_place(x, var);
    if (at.shift) return false;
    value = dag_rewrite(r, value);
    x->known[at.root] = at.sign > 0 ? value : expr_neg(x->w->p, value);
    return true;
}

/* Terms of lhs - rhs when all are +- variables of the system or parameters. */
static int terms_of(const analysis *w, const structure_equation *e, dag_term *terms)
{
    if (!e->lhs) return -1; // members of runs are more
    int n = dag_signed_sum(w->p, e->lhs, terms, MAX_TERMS);
    if (n < 0) return -1;
    int m = dag_signed_sum(w->p, e->rhs, terms + n, MAX_TERMS - n);
    if (m < 0) return -1;
    for (int k = 0; k < m; k++) terms[n + k].sign = -terms[n + k].sign;
    for (int k = 0; k < n + m; k++) {
        int v = expr_at(w->p, terms[k].var)->u.var.index;
        if (w->column[v] < 0 && w->s->vars[v].role != STRUCTURE_PARAMETER) return -1;
    }
    return n + m;
}

/* ---- representatives ------------------------------------------------------------------------- */

/* How much a variable deserves to stand for its class: states and start values that somebody cared
 * about come first, then the earlier declaration. */
static int merit(const analysis *w, int v)
{
    const flat_var *x = flat_at(w->m, v);
    static const int by_select[] = {[FLAT_SELECT_DEFAULT] = 0,
                                    [FLAT_SELECT_NEVER] = -200,
                                    [FLAT_SELECT_AVOID] = -100,
                                    [FLAT_SELECT_PREFER] = 400,
                                    [FLAT_SELECT_ALWAYS] = 500};
    int m = w->s->vars[v].differentiated ? 1000 : 0;
    if (x->attr) {
        m += by_select[x->attr->state_select];
        m += x->attr->fixed == 1 ? 200 : 0;
        m += x->attr->start ? 50 : 0;
    }
    return m + (x->flags & FLAT_PROTECTED ? 0 : 10);
}

static void choose_representatives(aliases *x)
{
    analysis *w = x->w;
    structure *s = w->s;
    int *best = arena_array(w->scratch, int, s->n_flat),
        *best_merit = arena_array(w->scratch, int, s->n_flat);
    for (int j = 0; j < w->columns.n; j++) {
        int v = w->columns.at[j];
        place_of at = alias_place(x, v);
        if (at.shift) continue; // stands for a derivative
        int m = merit(w, v) + 1000000;
        if (m > best_merit[at.root]) {
            best_merit[at.root] = m;
            best[at.root] = v;
        }
    }
    for (int j = 0; j < w->columns.n; j++) {
        int v = w->columns.at[j];
        place_of at = alias_place(x, v);
        structure_var *out = &s->vars[v];
        if (x->known[at.root]) {
            out->role = STRUCTURE_KNOWN;
            out->value = at.shift      ? w->p->zero
                         : at.sign > 0 ? x->known[at.root]
                                       : expr_neg(w->p, x->known[at.root]);
            continue;
        }
        int rep = best[at.root];
        if (rep == v) continue; // stays STRUCTURE_UNKNOWN
        out->role = STRUCTURE_ALIAS;
        out->of = rep;
        out->order = (int16_t)at.shift;
        out->negated = at.sign * alias_place(x, rep).sign < 0;
    }
    arena_resize(w->scratch, best, (size_t)s->n_flat * sizeof *best, 0);
    arena_resize(w->scratch, best_merit, (size_t)s->n_flat * sizeof *best_merit, 0);
}

/* Is all but one variable of the equation known? */
static bool one_unknown(aliases *x, int equation)
{
    const graph_pattern *m = &x->w->sig;
    int n = 0;
    for (int e = m->start[equation]; e < m->start[equation + 1] && n < 2; e++)
        n += !x->known[alias_place(x, x->w->columns.at[m->col[e]]).root];
    return n == 1;
}

/* One round over all equations. */
static void eliminate_aliases(aliases *x)
{
    analysis *w = x->w;
    for (int v = 0; v < w->s->n_flat; v++) {
        x->links[v] = (link){v, 1, 0};
        x->known[v] = 0;
        x->moving[v] = w->s->vars[v].differentiated > 0;
    }
    x->shifted.n = x->shifted_by.n = 0;
    dag_rewriter r;
    dag_rewriter_init(&r, &w->d, x);
    r.before = replace_known;

    // Values first; what they make of sums and of other values shows in the passes that follow.
    int_array sums = {0}, values = {0};
    dag_term terms[MAX_TERMS];
    for (int i = 0; i < w->eqs.n; i++) {
        const structure_equation *e = &w->eqs.at[i];
        int n_vars = w->sig.start[i + 1] - w->sig.start[i];
        w->consumed[i] = n_vars == 1 && take_value(x, &r, i);
        if (w->consumed[i] || n_vars > MAX_TERMS) continue;
        if (terms_of(w, e, terms) > 0) array_push(w->scratch, &sums, i);
        else if (n_vars > 1 && n_vars <= MAX_TERMS) array_push(w->scratch, &values, i);
    }
    for (int pass = 0, changed = 1; changed && pass < 8; pass++) {
        changed = 0;
        int left = 0;
        for (int k = 0; k < sums.n; k++) {
            int i = sums.at[k], n = terms_of(w, &w->eqs.at[i], terms);
            if (consider(x, i, terms, n)) {
                w->consumed[i] = 1;
                changed = 1;
            } else {
                sums.at[left++] = i;
            }
        }
        sums.n = left;
        left = 0;
        for (int k = 0; k < values.n; k++) {
            int i = values.at[k];
            if (one_unknown(x, i) && take_value(x, &r, i)) {
                w->consumed[i] = 1;
                changed = 1;
            } else {
                values.at[left++] = i;
            }
        }
        values.n = left;
    }
    dag_rewriter_done(&r);
    arena_resize(w->scratch, sums.at, (size_t)sums.cap * sizeof *sums.at, 0);
    arena_resize(w->scratch, values.at, (size_t)values.cap * sizeof *values.at, 0);
}

/* A variable may stand for a derivative only if that derivative still occurs in an equation, else
 * nothing would compute it. Returns true when some equation had to be banned. */
static bool ban(aliases *x)
{
    analysis *w = x->w;
    if (!x->shifted.n) return false;
    int *highest = arena_array(w->scratch, int, w->s->n_flat);
    for (int i = 0; i < w->eqs.n; i++)
        for (int e = w->sig.start[i]; e < w->sig.start[i + 1] && !w->consumed[i]; e++) {
            place_of at = alias_place(x, w->columns.at[w->sig.col[e]]);
            int order = at.shift + w->sig.order[e];
            if (order > highest[at.root]) highest[at.root] = order;
        }
    bool any = false;
    for (int k = 0; k < x->shifted.n; k++) {
        place_of at = alias_place(x, x->shifted.at[k]);
        if (at.shift <= highest[at.root] || x->known[at.root]) continue;
        x->banned[x->shifted_by.at[k]] = 1;
        any = true;
    }
    return any;
}

/* The roles of variables say it all. */
static void forget_aliases(aliases *x)
{
    arena *a = x->w->scratch;
    size_t n = (size_t)x->w->s->n_flat;
    arena_resize(a, x->links, n * sizeof *x->links, 0);
    arena_resize(a, x->known, n * sizeof *x->known, 0);
    arena_resize(a, x->moving, n, 0);
    arena_resize(a, x->banned, (size_t)x->w->eqs.n, 0);
}

bool structure_eliminate(analysis *w)
{
    structure *s = w->s;
    aliases x = {.w = w};
    x.links = arena_array(w->scratch, link, s->n_flat);
    x.known = arena_array(w->scratch, expr, s->n_flat);
    x.banned = arena_array(w->scratch, char, w->eqs.n);
    x.moving = arena_array(w->scratch, char, s->n_flat);
    w->consumed = arena_array(w->scratch, char, w->eqs.n);
    for (int e = 0; e < w->sig.start[w->sig.n_rows]; e++) {
        structure_var *v = &s->vars[w->columns.at[w->sig.col[e]]];
        if (w->sig.order[e] > v->differentiated) v->differentiated = (uint8_t)w->sig.order[e];
    }
    do eliminate_aliases(&x);
    while (ban(&x));
    choose_representatives(&x);
    forget_aliases(&x);
    return true;
}
