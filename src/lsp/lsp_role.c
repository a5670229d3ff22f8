/* What a variable is in the compiled model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lsp/lsp.h"
#include "structure/structure.h"

#include <math.h>
#include <string.h>

static int variable_named(const flat_model *f, const char *name)
{
    return flat_find(f, name);
}

/* ---- values before the run -------------------------------------------------------------------- */

enum { BINDINGS_DEEP = 100 }; // what is deeper goes in circles

typedef struct valued {
    const flat_model *f;
    arena *a;
    int depth;
} valued;

/* Of a parameter or constant, by its binding, or else its start value; of others there is none. */
static double value_before(void *user, int var, int order)
{
    valued *x = user;
    const flat_var *v = var < x->f->vars.n ? flat_at(x->f, var) : NULL;
    double value = NAN;
    const char *why;
    if (!v || order || v->variability == FLAT_CONTINUOUS || v->variability == FLAT_DISCRETE ||
        x->depth == BINDINGS_DEEP)
        return NAN;
    expr e = v->binding ? v->binding : v->attr->start;
    x->depth++;
    if (!e || expr_eval(x->f->pool, e, 0, value_before, x, x->a, &value, &why)) value = NAN;
    x->depth--;
    return value;
}

void lsp_say_value(const lsp_world *w, const char *name, text *out)
{
    const flat_model *f = w->model->flat;
    int i = variable_named(f, name);
    const flat_var *v = i < 0 ? NULL : flat_at(f, i);
    if (!v || (v->type != TYPE_REAL && v->type != TYPE_INTEGER && v->type != TYPE_BOOLEAN)) return;
    valued x = {f, w->a, 0};
    const char *why, *unit = v->attr->unit ? v->attr->unit : "";
    double value = value_before(&x, i, 0);
    const char *words = "value";
    if (isnan(value) && v->attr->fixed == 1 && v->attr->start) {
        words = "starts at";
        if (expr_eval(f->pool, v->attr->start, 0, value_before, &x, w->a, &value, &why))
            value = NAN;
    }
    if (isnan(value) && !*unit) return;
    if (isnan(value)) text_printf(out, "unit %s\n\n", unit);
    else if (v->type == TYPE_BOOLEAN)
        text_printf(out, "%s %s\n\n", words, value != 0 ? "true" : "false");
    else text_printf(out, "%s %.6g%s%s\n\n", words, value, *unit ? " " : "", unit);
}

/* ---- its part in the system --------------------------------------------------------------------- */

static void say_equation(const vinc_model *m, int e, text *out)
{
    const structure *s = m->structure;
    place p = source_place(&m->ctx->library.sources, s->equations.at[e].at.begin);
    text_add(out, "`");
    structure_equation_text(s, e, 0, out);
    text_add(out, "`");
    if (p.file) text_printf(out, " (line %d)", p.line);
}

/* By the equation that is matched with it; in a block the others take part. */
static void say_unknown(const vinc_model *m, int v, text *out)
{
    const structure *s = m->structure;
    int u = 0;
    while (u < s->unknowns.n && s->unknowns.at[u].var != v) u++;
    if (u == s->unknowns.n) return;
    const structure_unknown *x = &s->unknowns.at[u];
    const structure_block *b = &s->blocks.at[x->block];
    if (x->d > 1) text_printf(out, "differential: its derivative of order %d is", x->d);
    else text_add(out, x->d ? "differential: its derivative is" : "algebraic:");
    text_add(out, " determined by ");
    say_equation(m, x->equation, out);
    int c = s->equations.at[x->equation].c;
    if (c)
        text_printf(out, ", differentiated %s",
                    c == 1   ? "once"
                    : c == 2 ? "twice"
                             : "several times");
    if (b->n > 1)
        text_printf(out, ", together with %d other%s (%s)", b->n - 1, b->n > 2 ? "s" : "",
                    b->linear ? "linear" : "nonlinear");
    text_add(out, "\n");
}

void lsp_say_role(const vinc_model *m, const char *name, text *out)
{
    const structure *s = m->structure;
    int v = s ? variable_named(m->flat, name) : -1;
    if (v < 0 || v >= s->n_flat) return;
    const structure_var *x = &s->vars[v];
    if (x->role == STRUCTURE_ALIAS) {
        text_printf(out, "equal to %s", x->negated ? "-" : "");
        names_write(&s->flat->vars.names, x->of, x->order, out);
        text_add(out, "\n\n");
        if (!x->order) say_unknown(m, x->of, out);
    } else if (x->role == STRUCTURE_KNOWN) {
        text_add(out, "known before the run: ");
        expr_print(s->pool, x->value, EXPR_MODELICA, 0, out);
        text_add(out, "\n");
    } else {
        say_unknown(m, v, out);
    }
    text_printf(out, "\nindex of the system: %d\n", s->index);
}
