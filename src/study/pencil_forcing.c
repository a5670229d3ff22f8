/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/pencil_forcing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COEFFICIENT_TOL 1e-14 // of the largest in a row: what transformations leave of a zero

/* ---- reading --------------------------------------------------------------------------------- */

// One line per expression, so that a message about the k-th is on line k + 1.
static int load_expressions(vinc_ctx *ctx, const char *rows, int n, vinc_model **out)
{
    text t;
    text_init(&t, &ctx->m);
    text_add(&t, "model rhs Real t = time; constant Real pi = 3.14159265358979323846;\n");
    int k = 0;
    const char *at = rows;
    for (; *at || k == 0; k++) {
        size_t length = strcspn(at, ";");
        text_printf(&t, "Real h%d = %.*s;\n", k + 1, (int)length, at);
        at += length + (at[length] == ';');
    }
    text_add(&t, "end rhs;\n");
    int rc = VINC_E_OPTION;
    if (k != n)
        diag_error(&ctx->diags, "C153", (span){0},
                   "h has %d expression%s, one for each of the %d rows is needed, separated by ';'",
                   k, k == 1 ? "" : "s", n);
    else rc = vinc_model_load_text(ctx, "--rhs", text_str(&t), t.n, NULL, out);
    text_done(&t);
    return rc;
}

static int variable_named(const flat_model *m, const char *name)
{
    return flat_find(m, name);
}

static const flat_equation *equation_of(const flat_model *m, int var)
{
    for (int i = 0; i < (int)m->equations.n; i++) {
        if (!flat_is_written(&m->equations.at[i])) continue; // one equation for each of a few names
        const expr_node *left = expr_at(m->pool, m->equations.at[i].lhs);
        if (left->op == EXPR_VAR && left->u.var.index == var) return &m->equations.at[i];
    }
    return NULL;
}

/* Derivatives of what jumps are no functions. */
static bool may_jump(const expr_pool *p, const expr *h, int n, arena *scratch)
{
    int_array all = expr_reach(p, h, n, scratch);
    for (int i = 0; i < (int)all.n; i++) {
        expr_op op = expr_at(p, all.at[i])->op;
        expr_class c = operator_class(op);
        if (c == CLASS_REL || c == CLASS_EVENT || c == CLASS_HYBRID || op == EXPR_IF ||
            op == EXPR_ABS || op == EXPR_MIN || op == EXPR_MAX)
            return true;
    }
    return false;
}

/* ---- the two parts --------------------------------------------------------------------------- */

// sum row[j] e[j], without what transformations leave of zeros.
static expr forcing_row(expr_pool *p, int n, const double *row, int stride, const expr *e)
{
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(row[j * (size_t)stride]));
    expr sum = p->zero;
    for (int j = 0; j < n; j++) {
        double x = row[j * (size_t)stride];
        if (fabs(x) <= COEFFICIENT_TOL * most) continue;
        if (fabs(x - round(x)) <= COEFFICIENT_TOL * most) x = round(x); // as it is read
        sum = expr_2(p, EXPR_ADD, sum, expr_2(p, EXPR_MUL, expr_real(p, x), e[j]));
    }
    return sum;
}

// v = b - N b' + N^2 b'' - ...
static bool nilpotent_part(pencil_forcing *f, arena *a, const expr *h, expr t, const char **why)
{
    const pencil *p = f->p;
    expr_pool *pool = &f->pool;
    int r = p->n_infinite, n = p->n;
    expr *b = arena_array(a, expr, r + 1), *next = arena_array(a, expr, r + 1);
    f->v = arena_array(a, expr, r + 1);
    for (int i = 0; i < r; i++) {
        b[i] = forcing_row(pool, n, p->u + p->n_finite + i, n, h);
        f->v[i] = pool->zero;
    }
    for (int k = 0; k < p->index || k == 0; k++) {
        for (int i = 0; i < r; i++)
            f->v[i] = expr_2(pool, k % 2 ? EXPR_SUB : EXPR_ADD, f->v[i], b[i]);
        if (k + 1 >= p->index) break;
        for (int i = 0; i < r; i++) {
            b[i] = expr_diff(pool, b[i], t, f->scratch, why);
            if (!b[i]) return false;
        }
        for (int i = 0; i < r; i++) next[i] = forcing_row(pool, r, p->nil + i, r, b);
        memcpy(b, next, (size_t)r * sizeof *b);
    }
    return true;
}

int pencil_forcing_read(vinc_ctx *ctx, arena *a, const pencil *p, const char *rows,
                        pencil_forcing *out)
{
    int n = p->n;
    *out = (pencil_forcing){.p = p, .scratch = &ctx->scratch};
    int rc = load_expressions(ctx, rows, n, &out->model);
    if (rc) return rc;
    const flat_model *m = out->model->flat;
    out->pool = expr_copy(m->pool, a);
    expr_pool *pool = &out->pool;
    expr *h = arena_array(a, expr, n), t = expr_var(pool, variable_named(m, "t"), 0, TYPE_REAL, 0);
    expr_subst time;
    expr_subst_init(&time, pool, out->scratch);
    expr_subst_set(&time, pool->time, t);
    for (int i = 0; i < n; i++) {
        char name[20];
        snprintf(name, sizeof name, "h%d", i + 1);
        const flat_equation *e = equation_of(m, variable_named(m, name));
        if (e) h[i] = expr_subst_apply(&time, e->rhs);
        if (e && h[i]) continue;
        diag_error(&ctx->diags, "C153", (span){0}, "row %d of h is not an expression of t", i + 1);
        return VINC_E_OPTION;
    }
    if (p->index > 1 && may_jump(pool, h, n, out->scratch)) {
        diag_error(&ctx->diags, "C153", (span){0},
                   "the index is %d: h enters with its derivatives, and what is written with if, "
                   "relations, abs, sign, floor ... may have none; give each smooth piece apart",
                   p->index);
        return VINC_E_OPTION;
    }
    out->a = arena_array(a, expr, p->n_finite + 1);
    for (int i = 0; i < p->n_finite; i++) out->a[i] = forcing_row(pool, n, p->u + i, n, h);
    const char *why = "";
    if (nilpotent_part(out, a, h, t, &why)) return VINC_OK;
    diag_error(&ctx->diags, "C153", (span){0}, "h cannot be differentiated: %s", why);
    return VINC_E_OPTION;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static double value_of_t(void *user, int var, int order)
{
    (void)var, (void)order;
    return ((pencil_forcing *)user)->now;
}

void pencil_forcing_at(pencil_forcing *f, const expr *e, int n, double t, double *out)
{
    const char *why = "";
    f->now = t;
    for (int i = 0; i < n; i++)
        if (expr_eval(&f->pool, e[i], t, value_of_t, f, f->scratch, &out[i], &why)) out[i] = NAN;
}

const char **pencil_forcing_text(arena *a, const pencil_forcing *f, const expr *e, int n,
                                 text *room)
{
    enum { LONGEST = 300 };
    const char **list = arena_array(a, const char *, n + 1);
    for (int i = 0; i < n; i++) {
        text_clear(room);
        expr_print(&f->pool, e[i], EXPR_MODELICA, LONGEST, room);
        list[i] = arena_strndup(a, text_str(room), room->n);
    }
    return list;
}
