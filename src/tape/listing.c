/* A tape as text, one instruction per line.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

static const char *const kind_names[TAPE_N_KINDS] = {
    [TAPE_P] = "p", [TAPE_Y] = "y",     [TAPE_YP] = "yp",    [TAPE_W] = "w",
    [TAPE_X] = "x", [TAPE_OUT] = "out", [TAPE_OUT2] = "out2"};

static void list_ref(const tape *t, tape_ref r, text *out)
{
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: text_printf(out, "%%%d", k); break;
    case TAPE_CONST: text_real(out, t->consts[k]); break;
    case TAPE_T: text_add(out, "t"); break;
    default: text_printf(out, "%s[%d]", kind_names[tape_kind_of(r)], k); break;
    }
}

static void list_call(const tape *t, const tape_call *c, text *out)
{
    text_printf(out, "call %s", c->fn->name);
    for (int k = 0; k < c->fn->n_in; k++) {
        text_char(out, ' ');
        list_ref(t, t->args[c->args + k], out);
    }
}

static void list_region(const tape *t, const tape_region *x, text *out)
{
    text_printf(out, "for %s of %s ", x->yes ? "yes" : "no", tape_op_name((tape_op)x->op));
    list_ref(t, x->a, out);
    text_char(out, ' ');
    list_ref(t, x->b, out);
    text_printf(out, ", before %%%d\n", x->end);
}

void tape_print(const tape *t, text *out)
{
    for (int i = 0, next = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        for (; next < t->n_regions && t->regions[next].first == i; next++)
            list_region(t, &t->regions[next], out);
        const tape_ref operands[] = {in->a, in->b, in->c, in->d};
        if (in->op == TAPE_STORE) {
            list_ref(t, in->a, out);
            text_add(out, " = ");
            list_ref(t, in->b, out);
        } else if (in->op == TAPE_CALL) {
            list_call(t, &t->calls[in->a], out);
        } else {
            text_printf(out, "%%%d = %s", i, tape_op_name(in->op));
            if (in->op == TAPE_RESULT) text_printf(out, " %d", (int)in->a);
            for (int k = 0; k < tape_op_operands(in->op); k++) {
                text_char(out, ' ');
                list_ref(t, operands[k], out);
            }
        }
        text_char(out, '\n');
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

static void list_access(const tape_access *a, int n, text *out)
{
    text_add(out, kind_names[a->array]);
    if (!a->list) {
        text_printf(out, "[%d + %d i]", a->base, a->stride);
        return;
    }
    text_char(out, '{');
    for (int i = 0; i < n; i++) text_printf(out, "%s%d", i ? " " : "", tape_element(a, i));
    text_char(out, '}');
}

static void list_sum(const tape_step *s, text *out)
{
    text_printf(out, "sum %d to ", s->n);
    list_access(s->access, s->n, out);
    text_char(out, '\n');
    for (int i = 0; i < s->n; i++) {
        text_printf(out, "  %d:", i);
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            text_char(out, ' ');
            if (s->coef) text_real(out, s->coef[k]), text_char(out, '*');
            text_printf(out, "w[%d]", s->index[k]);
        }
        text_char(out, '\n');
    }
}

void tape_program_print(const tape_program *p, text *out)
{
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        if (s->kind == TAPE_STEP_SUM) {
            list_sum(s, out);
            continue;
        }
        if (s->kind == TAPE_STEP_KERNEL) text_add(out, "kernel\n");
        else text_printf(out, "map %d\n", s->n);
        for (int x = 0; s->access && x < s->kernel->extent[TAPE_X]; x++) {
            text_printf(out, "  x[%d]: ", x);
            list_access(&s->access[x], s->n, out);
            text_char(out, '\n');
        }
        tape_print(s->kernel, out);
    }
}
