/* A formula that is not registered, as a method: which engine runs it and what it can do.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/dirk.h"
#include "method/erk.h"
#include "method/irk.h"
#include "method/lmm.h"

#include <stdio.h>

static bool lower_triangular(const method_tableau *t, bool strictly)
{
    for (int i = 0; i < t->stages; i++)
        for (int j = strictly ? i : i + 1; j < t->stages; j++)
            if (t->a[i][j] != 0) return false;
    return true;
}

static void one_step(const method_tableau *t, vinc_method *out)
{
    bool explicit_ = lower_triangular(t, true), diagonal = lower_triangular(t, false);
    out->ops = explicit_ ? &erk_ops : diagonal ? &dirk_ops : &irk_ops;
    out->traits = METHOD_ONESTEP | (explicit_ ? METHOD_EXPLICIT : METHOD_IMPLICIT);
    if (t->order_embedded > 0 && diagonal) out->traits |= METHOD_ADAPTIVE;
}

bool method_custom(const method_formula *f, vinc_method *out)
{
    bool steps = f->kind != FORMULA_RUNGE_KUTTA;
    int order = steps ? f->multistep.order : f->tableau.order;
    if (order < 1) order = 1;
    *out = (vinc_method){.name = f->name,
                         .summary = "a formula of the user",
                         .cite = "given",
                         .order_min = order,
                         .order_max = order,
                         .kind = f->kind};
    if (f->kind == FORMULA_SECOND_ORDER || f->kind == FORMULA_GENERAL) return false;
    if (!steps) return one_step(&f->tableau, out), true;
    out->ops = &lmm_ops;
    out->traits =
        METHOD_MULTISTEP | (f->multistep.beta[0] == 0 ? METHOD_EXPLICIT : METHOD_IMPLICIT);
    return true;
}
