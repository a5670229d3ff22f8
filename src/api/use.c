/* Before a run: a method from a text file, and what its order is worth on this formulation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/formula_file.h"
#include "api/run.h"
#include "method/linear_choice.h"

#include <stdio.h>

/* 1 for index 0 and 1, otherwise the index in which the equations are given to the integrator. */
static int index_given(const vinc_problem *p)
{
    int level = 0;
    for (int i = 0; i < p->n; i++)
        if (p->unknown_level && p->unknown_level[i] > level) level = p->unknown_level[i];
    return level + 1;
}

static const char *in_words(int order, char *buffer, size_t size)
{
    if (order < 1) return "do not converge";
    snprintf(buffer, size, "converge with order %d", order);
    return buffer;
}

static void warn_order(vinc_sim *s, const lab_report *r)
{
    int index = index_given(run_problem(s->state));
    diag_sink *d = s->sink;
    lab_dae_orders o = lab_dae(r);
    const int *order = index == 2 ? o.index2 : o.index3;
    int multipliers = index == 2 ? order[1] : order[2], first = order[0];
    if (!r->zero_stable)
        diag_warning(d, "R112", (span){0},
                     "'%s' is not zero-stable: its results diverge as steps "
                     "become short",
                     s->method);
    if (index < 2 || r->explicit_ || (multipliers > 0 && !(first == 1 && r->order > 1))) return;
    char a[40], b[40];
    diag_warning(d, "R113", (span){0},
                 "'%s' has order %d, but on equations of index %d given directly %s %s and "
                 "multipliers %s; radau5 or bdf, or a formulation of index 1, keep more",
                 s->method, r->order, index, index == 2 ? "differential unknowns" : "positions",
                 in_words(first, a, sizeof a), in_words(multipliers, b, sizeof b));
}

int api_find_method(vinc_sim *s)
{
    double opt[METHOD_OPTIONS_MAX];
    char why[METHOD_WHY];
    vinc_ctx *ctx = s->model->ctx;
    if (!s->method || method_find(s->method, opt, why)) return VINC_OK;
    if (!api_is_formula_file(s->method)) {
        diag_error(&ctx->diags, "C140", (span){0}, "%s", why);
        return VINC_E_OPTION;
    }
    method_formula *f = arena_new(&s->a, method_formula);
    lab_report r;
    if (!api_read_formula(ctx, s->method, f, &r)) return VINC_E_OPTION;
    if (r.order < 1) {
        diag_error(
            &ctx->diags, "C148", (span){0},
            "'%s' is not consistent: short steps do not lead to the solution. Runge-Kutta: b must "
            "sum to 1; multistep: alpha to 0, and -sum of j alpha_j to the sum of beta",
            s->method);
        return VINC_E_OPTION;
    }
    s->formula = f;
    return VINC_OK;
}

int api_find_linear(vinc_sim *s, method_linear *out)
{
    char why[METHOD_WHY];
    if (!method_linear_find(s->linear, out, why)) {
        diag_error(&s->model->ctx->diags, "C147", (span){0}, "%s; 'vincolo help linear' explains",
                   why);
        return VINC_E_OPTION;
    }
    return VINC_OK;
}

/* Only the order on equations given with a higher index is in question, and the zero-stability of
 * formulas that have parameters or come from a file. */
void api_warn_method(vinc_sim *s)
{
    double opt[METHOD_OPTIONS_MAX];
    char why[METHOD_WHY];
    method_formula f;
    lab_report r;
    if (!s->method) return;
    const vinc_method *m = s->formula ? NULL : method_find(s->method, opt, why);
    bool open = !m || (m->multistep && m->options);
    if (!open && index_given(run_problem(s->state)) < 2) return;
    if (m && (m->traits & METHOD_VARIABLE_ORDER || !method_formula_of(m, opt, &f))) return;
    lab_formula(m ? &f : s->formula, &r);
    warn_order(s, &r);
}
