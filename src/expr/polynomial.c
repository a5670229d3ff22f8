/* Polynomials modulo polynomials that vanish: x^2 + y^2 becomes r^2 where x^2 + y^2 - r^2 = 0.
 *
 * An expression is expanded in atoms, which are variables and whatever is no polynomial. Terms are
 * divided by the leading terms of what vanishes, by total degree and then by the order of the atoms;
 * parameters count as coefficients (D. Cox, J. Little, D. O'Shea, Ideals, Varieties, and Algorithms,
 * ch. 2.3). The remainder depends on the order, its value on the constraints does not.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr.h"

#include <math.h>
#include <string.h>

enum {
    NESTED_MOST = 300,
    ATOMS_MOST = 12,
    TERMS_MOST = 400,
    DIVISIONS_MOST = 2000,
    EXPONENT_MOST = 8
};

typedef struct term {
    double c;
    int n;
    struct {
        expr of;
        int power;
    } atom[ATOMS_MOST]; // ascending
} term;

typedef struct polynomial {
    term *at;
    int n;
} polynomial;

typedef struct algebra {
    expr_pool *p;
    arena *a;
    int depth;
    bool failed; // too large
} algebra;

static polynomial polynomial_new(algebra *g)
{
    return (polynomial){arena_array(g->a, term, TERMS_MOST), 0};
}

static bool same_atoms(const term *x, const term *y)
{
    return x->n == y->n && !memcmp(x->atom, y->atom, sizeof *x->atom * (size_t)x->n);
}

static void polynomial_add(algebra *g, polynomial *p, const term *t)
{
    for (int i = 0; i < p->n; i++) {
        if (!same_atoms(&p->at[i], t)) continue;
        double sum = p->at[i].c + t->c, size = fmax(fabs(p->at[i].c), fabs(t->c));
        p->at[i].c = sum;
        if (fabs(sum) <= 1e-14 * size) p->at[i] = p->at[--p->n];
        return;
    }
    if (t->c == 0) return;
    if (p->n == TERMS_MOST) g->failed = true;
    else p->at[p->n++] = *t;
}

// x times y, or by y where sign is -1.
static term term_product(algebra *g, const term *x, const term *y, int sign)
{
    term t = {.c = sign > 0 ? x->c * y->c : x->c / y->c};
    for (int i = 0, j = 0; i < x->n || j < y->n;) {
        bool left = j == y->n || (i < x->n && x->atom[i].of <= y->atom[j].of);
        bool right = i == x->n || (j < y->n && y->atom[j].of <= x->atom[i].of);
        expr of = left ? x->atom[i].of : y->atom[j].of;
        int power = (left ? x->atom[i].power : 0) + (right ? sign * y->atom[j].power : 0);
        i += left;
        j += right;
        if (!power) continue;
        if (t.n == ATOMS_MOST || power > EXPONENT_MOST || power < -EXPONENT_MOST) {
            g->failed = true;
            return t;
        }
        t.atom[t.n].of = of;
        t.atom[t.n++].power = power;
    }
    return t;
}

static polynomial polynomial_product(algebra *g, const polynomial *x, const polynomial *y)
{
    polynomial p = polynomial_new(g);
    for (int i = 0; i < x->n && !g->failed; i++)
        for (int j = 0; j < y->n && !g->failed; j++) {
            term t = term_product(g, &x->at[i], &y->at[j], 1);
            polynomial_add(g, &p, &t);
        }
    return p;
}

static polynomial polynomial_expanded(algebra *g, expr e);

static polynomial polynomial_of(algebra *g, expr e)
{
    if (++g->depth > NESTED_MOST) g->failed = true;
    polynomial p = polynomial_expanded(g, e);
    g->depth--;
    return p;
}

static polynomial polynomial_expanded(algebra *g, expr e)
{
    expr_pool *p = g->p;
    polynomial out = polynomial_new(g);
    const expr_node n = *expr_at(p, e);
    double x;
    if (g->failed) return out;
    if (expr_number(p, e, &x)) {
        polynomial_add(g, &out, &(term){.c = x});
        return out;
    }
    if (n.op == EXPR_NEG || n.op == EXPR_ADD || n.op == EXPR_SUB) {
        polynomial last = polynomial_of(g, n.u.arg[n.op == EXPR_NEG ? 0 : 1]);
        if (n.op != EXPR_NEG) out = polynomial_of(g, n.u.arg[0]);
        for (int i = 0; i < last.n; i++) {
            if (n.op != EXPR_ADD) last.at[i].c = -last.at[i].c;
            polynomial_add(g, &out, &last.at[i]);
        }
        return out;
    }
    if (n.op == EXPR_MUL) {
        polynomial a = polynomial_of(g, n.u.arg[0]), b = polynomial_of(g, n.u.arg[1]);
        return polynomial_product(g, &a, &b);
    }
    if (n.op == EXPR_POW && expr_number(p, n.u.arg[1], &x) && x >= 1 && x <= EXPONENT_MOST &&
        x == floor(x)) {
        polynomial base = polynomial_of(g, n.u.arg[0]);
        out = base;
        for (int k = 1; k < (int)x; k++) out = polynomial_product(g, &out, &base);
        return out;
    }
    if (n.op == EXPR_DIV) {
        polynomial by = polynomial_of(g, n.u.arg[1]);
        if (by.n == 1) { // by a product
            polynomial a = polynomial_of(g, n.u.arg[0]);
            for (int i = 0; i < a.n && !g->failed; i++) {
                term t = term_product(g, &a.at[i], &by.at[0], -1);
                polynomial_add(g, &out, &t);
            }
            return out;
        }
    }
    term t = {.c = 1, .n = 1};
    t.atom[0].of = e;
    t.atom[0].power = 1;
    polynomial_add(g, &out, &t);
    return out;
}

/* ---- division -------------------------------------------------------------------------------- */

static bool is_coefficient(const algebra *g, expr atom)
{
    return expr_at(g->p, atom)->op == EXPR_VAR && expr_var_is_constant(g->p, atom);
}

// By total degree, then the power of the first atom that differs; 0: the same but for parameters.
static int term_compare(const algebra *g, const term *x, const term *y)
{
    int degree = 0, first = 0;
    for (int i = 0, j = 0; i < x->n || j < y->n;) {
        bool left = j == y->n || (i < x->n && x->atom[i].of <= y->atom[j].of);
        bool right = i == x->n || (j < y->n && y->atom[j].of <= x->atom[i].of);
        expr of = left ? x->atom[i].of : y->atom[j].of;
        int more = (left ? x->atom[i].power : 0) - (right ? y->atom[j].power : 0);
        i += left;
        j += right;
        if (is_coefficient(g, of)) continue;
        degree += more;
        if (!first) first = more;
    }
    return degree ? degree : first;
}

static int polynomial_leading(const algebra *g, const polynomial *p)
{
    int best = 0;
    for (int i = 1; i < p->n; i++)
        if (term_compare(g, &p->at[i], &p->at[best]) > 0) best = i;
    return best;
}

// The only leading term, or -1.
static int polynomial_divisor(const algebra *g, const polynomial *p)
{
    if (!p->n) return -1;
    int best = polynomial_leading(g, p), atoms = 0;
    for (int i = 0; i < p->n; i++)
        if (i != best && term_compare(g, &p->at[i], &p->at[best]) == 0) return -1;
    for (int k = 0; k < p->at[best].n; k++) {
        bool own = !is_coefficient(g, p->at[best].atom[k].of);
        atoms += own;
        if (own && p->at[best].atom[k].power < 0) return -1;
    }
    return atoms ? best : -1;
}

static bool term_divides(const algebra *g, const term *by, const term *t)
{
    for (int k = 0; k < by->n; k++) {
        int power = 0;
        if (is_coefficient(g, by->atom[k].of)) continue;
        for (int i = 0; i < t->n; i++)
            if (t->atom[i].of == by->atom[k].of) power = t->atom[i].power;
        if (power < by->atom[k].power) return false;
    }
    return true;
}

static polynomial polynomial_remainder(algebra *g, polynomial work, const polynomial *by, int n)
{
    polynomial rest = polynomial_new(g);
    for (int count = 0; work.n && !g->failed; count++) {
        if (count == DIVISIONS_MOST) g->failed = true;
        int lead = polynomial_leading(g, &work), k = 0, d = -1;
        term t = work.at[lead];
        for (; k < n; k++) {
            d = polynomial_divisor(g, &by[k]);
            if (d >= 0 && term_divides(g, &by[k].at[d], &t)) break;
        }
        work.at[lead] = work.at[--work.n];
        if (k == n) {
            polynomial_add(g, &rest, &t);
            continue;
        }
        term factor = term_product(g, &t, &by[k].at[d], -1);
        factor.c = -factor.c;
        for (int i = 0; i < by[k].n && !g->failed; i++) {
            if (i == d) continue; // it has cancelled t
            term part = term_product(g, &factor, &by[k].at[i], 1);
            polynomial_add(g, &work, &part);
        }
    }
    return rest;
}

/* ---- back to expressions --------------------------------------------------------------------- */

// Over the largest number that leaves whole coefficients, if there is one.
static void polynomial_shorten(polynomial *p)
{
    double common = 0;
    for (int i = 0; i < p->n; i++) {
        double a = fabs(p->at[i].c), b = common;
        if (a != floor(a) || a > 1e9) return;
        while (b > 0) {
            double rest = fmod(a, b);
            a = b;
            b = rest;
        }
        common = a;
    }
    for (int i = 0; i < p->n && common > 1; i++) p->at[i].c /= common;
}

static expr term_expr(algebra *g, const term *t, double c)
{
    expr_pool *p = g->p;
    expr top = p->one, below = p->one;
    for (int k = 0; k < t->n; k++) {
        int power = t->atom[k].power;
        expr x = t->atom[k].of;
        if (power != 1 && power != -1)
            x = expr_2(p, EXPR_POW, x, expr_real(p, power < 0 ? -power : power));
        expr *to = power < 0 ? &below : &top;
        *to = expr_mul(p, *to, x);
    }
    return expr_div(p, expr_mul(p, expr_real(p, c), top), below);
}

static expr polynomial_expr(algebra *g, const polynomial *p)
{
    expr sum = g->p->zero;
    for (int i = 0; i < p->n; i++) {
        expr e = term_expr(g, &p->at[i], fabs(p->at[i].c));
        sum = p->at[i].c < 0 ? expr_sub(g->p, sum, e) : expr_add(g->p, sum, e);
    }
    return sum;
}

expr expr_reduce(expr_pool *p, expr e, const expr *zero, int n, bool scale, arena *scratch)
{
    algebra g = {.p = p, .a = scratch};
    arena_mark here = arena_here(scratch);
    polynomial whole = polynomial_of(&g, e), *by = arena_array(scratch, polynomial, n + 1);
    for (int i = 0; i < n && !g.failed; i++) by[i] = polynomial_of(&g, zero[i]);
    polynomial rest = {0};
    if (!g.failed) rest = polynomial_remainder(&g, whole, by, n);
    if (!g.failed) {
        if (scale) polynomial_shorten(&rest);
        expr shorter = polynomial_expr(&g, &rest);
        if (expr_reach(p, &shorter, 1, scratch).n <= expr_reach(p, &e, 1, scratch).n) e = shorter;
    }
    if (scratch != p->a) arena_release(scratch, here);
    return e;
}
