/* The analysed system as text, for --dump=blt and the golden tests.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/structure.h"

#include <string.h>

int structure_named_by(const structure *s, int entry, int *times)
{
    const structure_unknown *u = &s->unknowns.at[s->entries.at[entry].unknown];
    for (*times = 0; structure_order_of(s, entry); ++*times) {
        int named = structure_attributes_of(s, entry)->named;
        if (named) return named - 1;
        entry = structure_entry_below(s, entry);
    }
    return u->var;
}

void structure_add_name(const structure *s, int entry, text *out)
{
    int times, v = structure_named_by(s, entry, &times);
    names_write(&s->flat->vars.names, v, times, out);
}

const char *structure_name_of(const structure *s, int entry, arena *a)
{
    int times, v = structure_named_by(s, entry, &times);
    return names_in(&s->flat->vars.names, v, times, a);
}

static void print_variables(const structure *s, text *out)
{
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *x = &s->vars[v];
        const char *name = FLAT_NAME(s->flat, v);
        if (x->role == STRUCTURE_ALIAS) {
            text_printf(out, "alias     %s = %s", name, x->negated ? "-" : "");
            names_write(&s->flat->vars.names, x->of, x->order, out);
            text_char(out, '\n');
        } else if (x->role == STRUCTURE_KNOWN) {
            text_printf(out, "known     %s = ", name);
            expr_print(s->pool, x->value, EXPR_MODELICA, 0, out);
            text_char(out, '\n');
        }
    }
}

static void print_block(const structure *s, int b, text *out)
{
    const structure_block *x = &s->blocks.at[b];
    text_printf(out, "block %d  size %d", b + 1, x->n);
    if (x->n > 1)
        text_add(out, x->constant ? "  linear, constant" : x->linear ? "  linear" : "  nonlinear");
    if (x->levels) text_printf(out, "  constraints of level %d", x->levels);
    text_char(out, '\n');
    for (int k = 0; k < x->n; k++) {
        const structure_equation *e = &s->equations.at[x->equations[k]];
        const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(x)[k]];
        text_add(out, "  ");
        structure_add_name(s, u->first + u->d, out);
        text_add(out, ": ");
        structure_equation_text(s, x->equations[k], 0, out);
        if (e->c) text_printf(out, "  differentiated %d", e->c);
        text_char(out, '\n');
    }
}

static void print_clocks(const structure *s, text *out)
{
    static const char *const kinds[] = {"every", "interval", "counter", "varying", "event"};
    for (int b = 0; b < s->bases.n; b++) {
        const structure_base *x = &s->bases.at[b];
        text_printf(out, "clock     %d: %s, grid %lld/%lld\n", b + 1, kinds[x->kind],
                    (long long)x->grid.n, (long long)x->grid.d);
        for (int k = x->first; k < x->first + x->n; k++)
            text_printf(out, "  part %d  ticks %lld + %lld n\n", k + 1,
                        (long long)s->subs.at[k].shift, (long long)s->subs.at[k].every);
        for (int k = x->first_step; k < x->first_step + x->n_steps; k++) {
            const structure_step *q = &s->steps.at[k];
            text_printf(out, "  step of part %d%s\n", q->sub + 1, q->d ? ", solved together" : "");
            for (int i = 0; i < q->n; i++) {
                text_printf(out, "    %s: ", FLAT_NAME(s->flat, q->vars[i]));
                expr_print(s->pool, q->f[i], EXPR_MODELICA, 0, out);
                text_add(out, q->d ? " = 0\n" : "\n");
            }
        }
    }
}

void structure_print(const structure *s, text *out)
{
    text_printf(out, "model     %s\n", s->flat->name);
    text_printf(out, "written   %d unknowns, %d equations, %d parameters\n", s->n_unknowns_written,
                s->n_equations_written, s->n_parameters);
    text_printf(out, "index     %d\n", s->index);
    text_printf(out, "free      %d\n", s->n_free);
    print_variables(s, out);
    for (int k = 0; k < s->relations.n; k++) {
        text_printf(out, "relation  %d: ", k + 1);
        expr_print(s->pool, s->relations.at[k].relation, EXPR_MODELICA, 0, out);
        text_char(out, '\n');
    }
    for (int k = 0; k < s->constraints.n; k++) {
        const structure_constraint *c = &s->constraints.at[k];
        text_printf(out, "%s  ", c->level ? "hidden  " : "constraint");
        structure_equation_text(s, c->equation, c->level, out);
        text_char(out, '\n');
    }
    for (int b = 0; b < s->blocks.n; b++) print_block(s, b, out);
    for (int k = 0; k < s->discrete.n; k++) {
        text_printf(out, "discrete  ");
        expr_print_equation(s->pool, s->discrete.at[k].lhs, s->discrete.at[k].rhs, 0, out);
        text_char(out, '\n');
    }
    print_clocks(s, out);
}
