/* The registry of formulations and what they share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <stdio.h>
#include <string.h>

#define KINDS(X)                                                                                   \
    X(dummy)                                                                                       \
    X(direct)                                                                                      \
    X(project)                                                                                     \
    X(ggl)                                                                                         \
    X(partition)                                                                                   \
    X(maggi) X(index1) X(baumgarte) X(kkt) X(udwadia) X(nullspace_qr) X(nullspace_svd) X(finzi)

#define X(name) extern const form_kind form_##name;
KINDS(X)
#undef X

#define X(name) &form_##name,
const form_kind *const form_kinds[] = {KINDS(X) NULL};
#undef X

const form_kind *form_find(const char *spec)
{
    if (!spec) return &form_dummy;
    size_t n = strcspn(spec, ":");
    for (const form_kind *const *k = form_kinds; *k; k++)
        if (strlen((*k)->name) == n && !strncmp((*k)->name, spec, n)) return *k;
    return NULL;
}

static void report_unknown_form(const char *spec, diag_sink *sink)
{
    const char *names[32];
    int n = 0;
    for (const form_kind *const *k = form_kinds; *k && n < 32; k++) names[n++] = (*k)->name;
    const char *near = diag_nearest(spec, names, n);
    if (near)
        diag_error(sink, "S200", (span){0, 0}, "there is no formulation '%s'; did you mean '%s'?",
                   spec, near);
    else
        diag_error(sink, "S200", (span){0, 0},
                   "there is no formulation '%s'; 'vincolo help formulations' lists them", spec);
}

static form_system *form_build(const form_kind *kind, const char *options, structure *s, arena *a,
                               arena *scratch, diag_sink *sink)
{
    form_system *f = arena_new(a, form_system);
    *f = (form_system){.kind = kind, .s = s, .a = a, .n_w = s->n_w};
    f->places = arena_array(a, image_place, s->entries.n);
    arena_mark here = arena_here(scratch);
    // The initial system beyond the model's own equations writes them out, after the rows of the model were made.
    bool kept = kind == &form_dummy && !s->constraints.n && !s->n_beyond;
    if (!kept || !s->families) structure_write_out(s);
    int rc = kind->build(f, options, scratch, sink);
    arena_release(scratch, here);
    if (rc == 0 && f->rows.n != f->unknowns.n) {
        diag_error(sink, "S299", (span){0, 0},
                   "internal error: formulation '%s' made %d rows for %d unknowns of this model",
                   kind->name, f->rows.n, f->unknowns.n);
        rc = -1;
    }
    return rc == 0 ? f : NULL;
}

form_system *form_apply(structure *s, const char *spec, arena *a, arena *scratch, diag_sink *sink)
{
    const form_kind *kind = form_find(spec);
    if (!kind) {
        report_unknown_form(spec, sink);
        return NULL;
    }
    const char *colon = spec ? strchr(spec, ':') : NULL;
    form_system *f = form_build(kind, colon ? colon + 1 : "", s, a, scratch, sink);
    if (!f) return NULL;
    if (s->n_beyond) f->initial = form_build(&form_beyond, "", s, a, scratch, sink);
    else if (kind->initial) f->initial = f;
    else f->initial = form_build(&form_dummy, "", s, a, scratch, sink);
    return f->initial ? f : NULL;
}

const bool *form_assigned(const form_system *f, arena *a)
{
    bool *assigned = arena_array(a, bool, f->s->equations.n);
    for (int k = 0; k < f->assignments.n; k++)
        if (!f->assignments.at[k].derivative) assigned[f->assignments.at[k].equation] = true;
    return assigned;
}

/* ---- building -------------------------------------------------------------------------------- */

static int entry_number(const void *user, expr e)
{
    return structure_entry_of(user, e);
}

/* What is replaced are entries. */
static void number_entries(form_builder *b, dag_rewriter *r)
{
    dag_rewriter_init(r, &b->d, b->s);
    r->number = entry_number;
    r->numbered = arena_array(b->scratch, expr, b->s->entries.n);
}

void form_begin(form_builder *b, form_system *f, arena *scratch, diag_sink *sink)
{
    *b = (form_builder){.f = f, .s = f->s, .a = f->a, .scratch = scratch, .sink = sink};
    dag_init(&b->d, f->s->pool, scratch);
    number_entries(b, &b->subst);
    number_entries(b, &b->solved);
    b->bound = arena_array(scratch, char, f->s->entries.n);
}

expr form_function(const form_system *f, int row)
{
    return f->functions.at[row] ? f->functions.at[row]
                                : structure_residual(f->s, f->rows.at[row].equation);
}

const char *form_name_of(const form_system *f, int unknown, expr_label *label)
{
    const image_unknown *u = &f->unknowns.at[unknown];
    if (u->named) return image_own_name_of(f->names.at, f->names.n, unknown);
    int var = f->s->unknowns.at[f->s->entries.at[u->entry].unknown].var;
    return flat_name(f->s->flat, var, label);
}

const char *form_name_in(const form_system *f, int unknown, arena *a)
{
    const image_unknown *u = &f->unknowns.at[unknown];
    if (u->named) return image_own_name_of(f->names.at, f->names.n, unknown);
    return flat_name_in(f->s->flat, f->s->unknowns.at[f->s->entries.at[u->entry].unknown].var, a);
}

int form_put(form_builder *b, int entry, bool differential, int level)
{
    image_unknown u = {.entry = entry, .differential = differential, .level = (int8_t)level};
    if (structure_order_of(b->s, entry)) {
        image_own_name own = {b->f->unknowns.n, structure_name_of(b->s, entry, b->a)};
        array_push(b->a, &b->f->names, own);
        u.named = true;
    }
    b->f->places[entry] = form_place_at(IMAGE_IN_Y, b->f->unknowns.n);
    array_push(b->a, &b->f->unknowns, u);
    return b->f->unknowns.n - 1;
}

int form_put_multiplier(form_builder *b, const char *formulation, int number, int level)
{
    char name[60];
    int n = snprintf(name, sizeof name, "%s.mu[%d]", formulation, number + 1);
    image_own_name own = {b->f->unknowns.n, arena_strndup(b->a, name, (size_t)n)};
    array_push(b->a, &b->f->names, own);
    image_unknown u = {.entry = -1, .named = true, .level = (int8_t)level};
    array_push(b->a, &b->f->unknowns, u);
    return b->f->unknowns.n - 1;
}

void form_put_derivative(form_builder *b, int entry, int at)
{
    b->f->places[entry] = form_place_at(IMAGE_IN_YP, at);
    b->f->unknowns.at[at].differential = true;
}

int form_row_add(form_builder *b, expr f, image_row_kind kind, int equation, int derivative,
                 int level)
{
    return form_row_put(b, dag_rewrite(&b->subst, f), kind, equation, derivative, level);
}

int form_row_put(form_builder *b, expr f, image_row_kind kind, int equation, int derivative,
                 int level)
{
    image_row r = {.equation = equation,
                   .derivative = (int16_t)derivative,
                   .kind = (uint8_t)kind,
                   .level = (int8_t)level};
    array_push(b->a, &b->f->rows, r);
    array_push(b->a, &b->f->functions, f);
    return b->f->rows.n - 1;
}

expr form_yp(const form_builder *b, int component)
{
    return expr_var(b->s->pool, FORM_YP + component, 0, TYPE_REAL, 0);
}

expr form_y(const form_builder *b, int component)
{
    return expr_var(b->s->pool, FORM_Y + component, 0, TYPE_REAL, 0);
}

expr form_w(const form_builder *b, int at)
{
    return expr_var(b->s->pool, b->s->n_flat + at, 0, TYPE_REAL, 0);
}

void form_make_rhs(form_builder *b)
{
    if (b->implicit || b->f->groups.n) return;
    expr *rhs = arena_array(b->a, expr, b->f->unknowns.n);
    for (int i = 0; i < b->f->unknowns.n; i++) {
        const image_unknown *u = &b->f->unknowns.at[i];
        if (u->entry < 0) return;
        if (b->unwritten && b->unwritten[u->entry + u->differential]) continue;
        rhs[i] = dag_rewrite(&b->solved, b->s->entries.at[u->entry + u->differential].var);
    }
    b->f->rhs = rhs;
}

int form_velocity_of(const form_system *f, int unknown)
{
    const image_unknown *u = &f->unknowns.at[unknown];
    if (u->entry < 0) return -1;
    const structure_entry *e = &f->s->entries.at[u->entry];
    if (structure_order_of(f->s, u->entry) >= f->s->unknowns.at[e->unknown].d) return -1;
    image_place next = f->places[u->entry + 1];
    return next.where == IMAGE_IN_Y && f->unknowns.at[next.at].differential ? next.at : -1;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void form_print_expr(const form_system *f, expr e, text *out)
{
    expr_print(f->s->pool, e, EXPR_MODELICA, 0, out);
    text_char(out, '\n');
}

void form_print(const form_system *f, text *out)
{
    text_printf(out, "formulation %s: %d unknowns, %d rows, %d assignments\n", f->kind->name,
                f->unknowns.n, f->rows.n, f->assignments.n);
    for (int i = 0; i < f->unknowns.n; i++) {
        const image_unknown *u = &f->unknowns.at[i];
        text_printf(out, "y[%d] %s%s", i, form_name_of(f, i, &(expr_label){{0}}),
                    u->differential ? "  differential" : "");
        if (u->level) text_printf(out, "  level %d", u->level);
        text_char(out, '\n');
    }
    for (int k = 0; k < f->assignments.n; k++) {
        const form_assignment *x = &f->assignments.at[k];
        structure_add_name(f->s, x->entry, out);
        text_add(out, " := ");
        form_print_expr(f, x->as_solved, out);
    }
    for (int i = 0; i < f->rows.n; i++) {
        static const char *const kinds[] = {"equation", "constraint", "link", "select"};
        text_printf(out, "row %d %s", i, kinds[f->rows.at[i].kind]);
        if (f->rows.at[i].level) text_printf(out, " level %d", f->rows.at[i].level);
        text_add(out, ": 0 = ");
        form_print_expr(f, form_function(f, i), out);
    }
    for (int k = 0; k < f->groups.n; k++)
        text_printf(out, "group %d: %d of %d states %s\n", k + 1,
                    f->groups.at[k].n_columns - f->groups.at[k].n_constraints,
                    f->groups.at[k].n_columns,
                    f->groups.at[k].tied ? "tied by multipliers" : "chosen while running");
}
