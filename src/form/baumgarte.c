/* Constraints replaced by a stable combination of their derivatives.
 *
 *     f^(n) + a_1 f^(n-1) + ... + a_n f = 0
 *
 * in place of f^(n) = 0, so that a violation decays (J. Baumgarte, Comput. Methods Appl. Mech. Eng.
 * 1 (1972) 1-16). The polynomial follows from zeta and omega: s + omega for n = 1,
 * s^2 + 2 zeta omega s + omega^2 for n = 2, and one factor s + omega more for each order above; or
 * from tau, the time constant of a multiple root; or its coefficients are given: a, b, c ... With
 * one coefficient more than an equation must be differentiated, the multiplier becomes a state.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <string.h>

enum { GIVEN_MAX = 6, ORDER_MAX = IMAGE_DECAY_MAX };

typedef struct baumgarte {
    double zeta, omega, tau, project;
    double given[GIVEN_MAX]; // a_1, a_2, ...
    int n_given;
} baumgarte;

/* p := p * (s + r), coefficients from the highest power down; degree n before. */
static void times_linear(double *p, int n, double r)
{
    p[n + 1] = 0;
    for (int k = n + 1; k > 0; k--) p[k] += r * p[k - 1];
}

/* p[0 ... n] of the polynomial for constraints of order n. */
static void baumgarte_polynomial(const baumgarte *x, int n, double *p)
{
    p[0] = 1;
    if (n == x->n_given) {
        memcpy(p + 1, x->given, (size_t)n * sizeof *p);
        return;
    }
    int degree = 0;
    if (n >= 2) {
        p[1] = 2 * x->zeta * x->omega;
        p[2] = x->omega * x->omega;
        degree = 2;
    }
    for (; degree < n; degree++) times_linear(p, degree, x->omega);
}

/* Are all roots in the left half plane? Routh's array, row by row. */
static bool is_stable(const double *p, int n)
{
    double a[ORDER_MAX + 2] = {0};
    for (int k = 0; k <= n; k++) a[k] = p[k];
    for (int first = 0; first < n; first++) {
        // a[first], a[first+2] ... is one row, a[first+1], a[first+3] ... the next.
        if (!(a[first] > 0) || !(a[first + 1] > 0)) return false;
        double ratio = a[first] / a[first + 1];
        for (int k = first + 2; k < n; k += 2) a[k] -= ratio * a[k + 1];
    }
    return true;
}

/* Note by which polynomial constraints of order n decay, and warn if they do not. */
static void note_decay(form_builder *b, const baumgarte *x, int n, span at)
{
    double p[ORDER_MAX + 2];
    image_decay *decay = &b->f->decay;
    baumgarte_polynomial(x, n, p);
    if (n > decay->order) {
        decay->order = n;
        memcpy(decay->p, p, sizeof p);
    }
    if (is_stable(p, n)) return;
    diag_warning(b->sink, "S202", at,
                 "the stabilisation of order %d does not damp: the polynomial has a root with real "
                 "part >= 0, so a violation of this constraint does not decay",
                 n);
}

static expr combination(form_builder *b, const baumgarte *x, const structure_equation *e)
{
    expr_pool *pool = b->s->pool;
    double p[ORDER_MAX + 2];
    baumgarte_polynomial(x, e->c, p);
    expr sum = e->f[e->c];
    for (int k = 1; k <= e->c; k++)
        if (p[k] != 0)
            sum = expr_add(pool, sum, expr_mul(pool, expr_real(pool, p[k]), e->f[e->c - k]));
    return sum;
}

/* One order more than an index-1 system needs: the row g = f^(c) = 0 becomes g' + a_1 g + a_2
 * f^(c-1) + ... = 0, which determines the derivative of the multiplier. */
static bool raise_order(form_builder *b, const baumgarte *x, int row)
{
    structure *s = b->s;
    const structure_equation *e = &s->equations.at[b->f->rows.at[row].equation];
    const char *why = "";
    expr rate = 0, g = b->f->functions.at[row];
    if (!expr_total_diff(s->pool, &g, 1, b->scratch, &rate, &why)) {
        diag_error(b->sink, "S206", e->at, "this constraint cannot be differentiated once more: %s",
                   why);
        return false;
    }
    rate = dag_rewrite(&b->subst, rate);
    expr_subst to;
    expr_subst_init(&to, s->pool, b->scratch);
    int_array vars = {0};
    expr slope = 0;
    int n_slopes = 0;
    dag_vars(&b->d, rate, &vars);
    for (int k = 0; k < vars.n; k++) {
        const expr_node *n = expr_at(s->pool, vars.at[k]);
        if (n->u.var.index >= s->n_flat || structure_entry_of(s, vars.at[k]) >= 0) continue;
        const structure_var *v = &s->vars[n->u.var.index];
        if (v->role != STRUCTURE_UNKNOWN) continue;
        const structure_unknown *u = &s->unknowns.at[v->place];
        image_place at = b->f->places[u->first + u->d];
        if (u->d || at.where != IMAGE_IN_Y) {
            diag_error(
                b->sink, "S206", e->at,
                "a stabilisation of order %d needs accelerations that follow explicitly from "
                "the multipliers; give %d coefficients, or zeta and omega",
                e->c + 1, e->c);
            return false;
        }
        b->f->unknowns.at[at.at].differential = true;
        slope = form_yp(b, at.at);
        n_slopes++;
        expr_subst_set(&to, vars.at[k], slope);
    }
    double p[ORDER_MAX + 2];
    baumgarte_polynomial(x, e->c + 1, p);
    expr sum = expr_add(s->pool, expr_subst_apply(&to, rate),
                        expr_mul(s->pool, expr_real(s->pool, p[1]), g));
    for (int k = 2; k <= e->c + 1; k++) {
        expr f = dag_rewrite(&b->subst, e->f[e->c + 1 - k]);
        sum = expr_add(s->pool, sum, expr_mul(s->pool, expr_real(s->pool, p[k]), f));
    }
    // One multiplier: its derivative alone, so that y' has constant factors.
    expr factor, rest;
    bool single = n_slopes == 1 && expr_affine(s->pool, sum, slope, b->scratch, &factor, &rest);
    b->f->functions.at[row] =
        single ? expr_add(s->pool, slope, expr_div(s->pool, rest, factor)) : sum;
    return true;
}

static bool baumgarte_read_options(form_builder *b, const char *options, baumgarte *x)
{
    form_option list[] = {
        {.name = "zeta", .number = &x->zeta},  {.name = "omega", .number = &x->omega},
        {.name = "tau", .number = &x->tau},    {.name = "project", .number = &x->project},
        {.name = "a", .number = &x->given[0]}, {.name = "b", .number = &x->given[1]},
        {.name = "c", .number = &x->given[2]}, {.name = "d", .number = &x->given[3]},
        {.name = "e", .number = &x->given[4]}, {.name = "f", .number = &x->given[5]},
    };
    enum { N = sizeof list / sizeof *list, FIRST = 4 };
    if (!form_options(b, options, list, N)) return false;
    while (x->n_given < GIVEN_MAX && list[FIRST + x->n_given].given) x->n_given++;
    if (list[2].given) {
        if (!(x->tau > 0)) {
            diag_error(b->sink, "S201", (span){0, 0},
                       "tau = %g: the time constant of the stabilisation must be positive", x->tau);
            return false;
        }
        x->omega = 1 / x->tau;
    }
    return true;
}

static int baumgarte_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_builder b;
    form_begin(&b, f, scratch, sink);
    baumgarte x = {.zeta = 1, .omega = 10};
    if (!baumgarte_read_options(&b, options, &x)) return -1;
    const structure *s = f->s;
    expr *instead = arena_array(scratch, expr, s->equations.n);
    int warned = 0;
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        if (!e->c || e->c > ORDER_MAX) continue;
        if (e->c + 1 == x.n_given) {
            note_decay(&b, &x, x.n_given, e->at);
            continue;
        }
        instead[i] = combination(&b, &x, e);
        if (e->c < 30 && !(warned >> e->c & 1)) note_decay(&b, &x, e->c, e->at);
        warned |= 1 << e->c;
    }
    b.instead = instead;
    f->project = x.project != 0 ? IMAGE_PROJECT_LEAST : IMAGE_PROJECT_NONE;
    form_reduced(&b);
    for (int i = 0; i < f->rows.n; i++) {
        int q = f->rows.at[i].equation;
        if (q < 0 || !s->equations.at[q].c || s->equations.at[q].c + 1 != x.n_given) continue;
        if (!raise_order(&b, &x, i)) return -1;
    }
    return 0;
}

const form_kind form_baumgarte = {
    .name = "baumgarte",
    .summary = "constraints replaced by a stable combination of their derivatives; drift decays",
    .applies = "every solvable model",
    .cite = "Baumgarte 1972",
    .drifts = true,
    .explicit = true,
    .build = baumgarte_build,
};
