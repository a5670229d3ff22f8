/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/region_fields.h"

#include "flat/flat_function.h"

#include <stdio.h>
#include <string.h>

typedef struct reader {
    vinc_ctx *ctx;
    const flat_model *m;
    expr_pool *p;
    arena *scratch;
    expr *value; // by variable: what it is, followed to its end; 0: not yet
    expr *given; // ... its definition; 0: none
    bool *busy;
    expr time;
} reader;

static int region_refuse(const reader *r, int var, const char *why)
{
    diag_error(&r->ctx->diags, "C177", var < 0 ? (span){0} : flat_at(r->m, var)->decl->at, "%s",
               why);
    return VINC_E_MODEL;
}

static int region_variable(const reader *r, const char *name)
{
    return flat_find(r->m, name);
}

static void find_definitions(reader *r)
{
    const flat_model *m = r->m;
    expr sides[2];
    for (int i = 0; i < m->vars.n; i++) r->given[i] = flat_at(m, i)->binding;
    for (int i = 0; i < m->equations.n; i++)
        for (int side = 0; side < 2; side++) {
            flat_sides(m, &m->equations.at[i], sides);
            const expr_node *x = expr_at(r->p, sides[side]);
            if (x->op != EXPR_VAR || x->u.var.order || r->given[x->u.var.index]) continue;
            r->given[x->u.var.index] = sides[!side];
            break;
        }
}

static bool follow_expression(reader *r, expr e, expr *out);

static bool follow_variable(reader *r, int var)
{
    char words[300];
    if (r->value[var]) return true;
    if (!r->given[var] || r->busy[var]) {
        snprintf(words, sizeof words,
                 r->busy[var] ? "'%s' is defined by itself; in a region every variable is a formula"
                              : "'%s' has no definition of the form %s = ...; in a region every "
                                "variable is a formula of coordinates, points, time and parameters",
                 FLAT_NAME(r->m, var), FLAT_NAME(r->m, var));
        region_refuse(r, var, words);
        return false;
    }
    r->busy[var] = true;
    bool fine = follow_expression(r, r->given[var], &r->value[var]);
    r->busy[var] = false;
    return fine;
}

static bool follow_expression(reader *r, expr e, expr *out)
{
    int_array vars = expr_vars(r->p, &e, 1, r->scratch);
    expr_subst s;
    expr_subst_init(&s, r->p, r->scratch);
    expr_subst_set(&s, r->p->time, r->time);
    for (int i = 0; i < vars.n; i++) {
        const expr_node *x = expr_at(r->p, vars.at[i]);
        int var = x->u.var.index;
        if (x->u.var.order) {
            region_refuse(r, var, "a region is described without derivatives");
            return false;
        }
        if (!follow_variable(r, var)) return false;
        expr_subst_set(&s, vars.at[i], r->value[var]);
    }
    *out = expr_subst_apply(&s, e);
    return true;
}

/* One of the variables that Region declares; k > 0: an element. allowed: what it may depend on. */
static int region_take(reader *r, const char *name, int k, const expr *allowed, int n, expr *out)
{
    char full[40], words[300];
    snprintf(full, sizeof full, k ? "%s[%d]" : "%s", name, k);
    int var = region_variable(r, full);
    if (var < 0) {
        snprintf(words, sizeof words,
                 "'%s' describes no region: it has no variable '%s'; a region extends "
                 "Vincolo.Balance.Region (vincolo help regions)",
                 r->m->name, full);
        return region_refuse(r, -1, words);
    }
    if (!follow_variable(r, var)) return VINC_E_MODEL;
    *out = r->value[var];
    int_array vars = expr_vars(r->p, out, 1, r->scratch);
    for (int i = 0; i < vars.n; i++) {
        bool known = vars.at[i] == r->time;
        for (int j = 0; j < n; j++) known = known || vars.at[i] == allowed[j];
        if (known) continue;
        snprintf(
            words, sizeof words,
            "'%s' depends on '%s': bounds depend on coordinates before them, place on u, v and "
            "w, fields on x, y and z, and all may depend on time and parameters",
            full, FLAT_NAME(r->m, expr_at(r->p, vars.at[i])->u.var.index));
        return region_refuse(r, var, words);
    }
    return VINC_OK;
}

static int region_take_vector(reader *r, const char *name, const expr *allowed, expr *out)
{
    int rc = VINC_OK;
    for (int k = 0; k < 3 && !rc; k++) rc = region_take(r, name, k + 1, allowed, 3, &out[k]);
    return rc;
}

int region_read_fields(vinc_model *model, region_fields *out)
{
    static const char *const inputs[] = {"u", "v", "w", "x", "y", "z"};
    flat_model *m = model->flat;
    arena *scratch = &model->ctx->scratch;
    reader r = {.ctx = model->ctx, .m = m, .p = m->pool, .scratch = scratch};
    r.value = arena_array(scratch, expr, m->vars.n + 1);
    r.given = arena_array(scratch, expr, m->vars.n + 1);
    r.busy = arena_array(scratch, bool, m->vars.n + 1);
    r.time = out->t = expr_var(r.p, FLAT_FORMAL, 0, TYPE_REAL, 0);
    find_definitions(&r);
    for (int i = 0; i < 6; i++) {
        int var = region_variable(&r, inputs[i]);
        expr e = var < 0 ? 0 : expr_var(r.p, var, 0, TYPE_REAL, 0);
        if (var >= 0 && flat_at(m, var)->causality == FLAT_INPUT) r.value[var] = e;
        *(i < 3 ? &out->u[i] : &out->x[i - 3]) = e;
    }
    int rc = VINC_OK;
    for (int k = 0; k < 3 && !rc; k++) {
        rc = region_take(&r, "from", k + 1, out->u, k, &out->from[k]);
        if (!rc) rc = region_take(&r, "to", k + 1, out->u, k, &out->to[k]);
    }
    if (!rc) rc = region_take_vector(&r, "place", out->u, out->place);
    if (!rc) rc = region_take_vector(&r, "velocity", out->x, out->velocity);
    if (!rc) rc = region_take_vector(&r, "force", out->x, out->force);
    if (!rc) rc = region_take(&r, "density", 0, out->x, 3, &out->density);
    if (!rc) rc = region_take(&r, "field", 0, out->x, 3, &out->field);
    if (!rc) rc = region_take(&r, "pressure", 0, out->x, 3, &out->pressure);
    if (!rc) rc = region_take(&r, "internal", 0, out->x, 3, &out->internal);
    if (!rc) rc = region_take(&r, "potential", 0, out->x, 3, &out->potential);
    return rc;
}
