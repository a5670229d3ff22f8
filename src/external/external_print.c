/* Calls of functions in C, as C: what external_run.c needs to know of a routine, as tables.
 *
 * Only those of families that stand by themselves can be printed. Of functions of others
 * the results are printed where arguments are known, as of texts. Of tables that are read from files the
 * numbers are printed, as they are now.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external.h"
#include "external/external_list.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    const external_function *list;
} packed[] = {{"external_tables_1d", external_tables_1d},
              {"external_tables_2d", external_tables_2d},
              {"external_random", external_random}};

static const char *family_of(const external_function *f, int *at)
{
    for (size_t k = 0; k < sizeof packed / sizeof *packed; k++)
        for (*at = 0; packed[k].list[*at].name; ++*at)
            if (&packed[k].list[*at] == f) return packed[k].name;
    return NULL;
}

static void print_routine(const external_routine *r, const char *family, int at, const char *name,
                          text *out)
{
    text_printf(out, "static const external_place %s_args[] = {", name);
    for (int k = 0; k < r->n_args; k++) {
        const external_place *p = &r->args[k];
        text_printf(out, "{%d, %d, %d, %d, %d}, ", p->kind, p->n_dims, p->out, p->first, p->n);
    }
    text_printf(out, "{0, 0, 0, 0, 0}};\nstatic const external_scalar %s_scalars[] = {\n    ",
                name);
    for (int k = 0; k < r->n_scalars; k++) {
        const external_scalar *s = &r->scalars[k];
        text_printf(out, "{%d, ", s->from);
        text_c_number(out, s->from >= 0 ? 0 : s->number);
        text_add(out, ", ");
        if (s->text) text_c_string(out, s->text);
        else text_char(out, '0');
        text_char(out, '}');
        text_add(out, k % 8 == 7 ? ",\n    " : ", ");
    }
    text_printf(out, "{0, 0, 0}};\nstatic const int %s_results[] = {", name);
    for (int k = 0; k < r->n_out; k++)
        text_printf(out, "%d, ", r->constructs ? EXTERNAL_RETURNED : r->results[k]);
    text_printf(out,
                "0};\nstatic const external_routine %s_routine = {&%s[%d], \"%s\", %d, %d, %d, "
                "%s_args, %d, %s_scalars, %s_results, %d};\n",
                name, family, at, r->name, r->n_in, r->n_out, r->n_args, name, r->n_scalars, name,
                name, r->constructs);
}

/* Of a function of known arguments, as of texts, the results are printed. */
static bool print_results(const tape_function *fn, tape_c *c, const char *name)
{
    if (fn->impure || !c->known) return false;
    for (int j = 0; j < fn->n_in; j++)
        if (isnan(c->known[j])) return false;
    double *out = arena_array(c->a, double, fn->n_out + 1);
    fn->value(fn->user, NULL, c->known, out);
    memset(c->taken, 1, (size_t)fn->n_in);
    tape_c_begin(c, name);
    for (int i = 0; i < fn->n_out; i++) {
        text_printf(c->out, "    out[%d] = ", i);
        text_c_number(c->out, out[i]);
        text_add(c->out, ";\n");
    }
    text_add(c->out, "}\n\n");
    return true;
}

bool external_as_c(const tape_function *fn, tape_c *c, const char *name, const uint8_t *active)
{
    const external_routine *whole = fn->user;
    external_routine r = *whole;
    int at;
    const char *family = family_of(r.f, &at);
    if (!family && !active && !r.constructs) return print_results(fn, c, name);
    if (!family || (active && r.constructs)) return false;
    if (active && !r.f->slopes) return tape_c_differences(c, fn, name, active);
    print_routine(&r, family, at, name, c->out);
    if (active) {
        text_printf(c->out, "static const uint8_t %s_active[] = {", name);
        for (int j = 0; j < fn->n_in; j++) text_printf(c->out, "%d, ", active[j] != 0);
        text_add(c->out, "0};\n");
    }
    tape_c_begin(c, name);
    text_printf(c->out, "    %s((void *)(uintptr_t)&%s_routine, run, ",
                r.constructs ? "external_constructor"
                : active     ? "external_slopes"
                             : "external_plain_call",
                name);
    if (active) text_printf(c->out, "%s_active, ", name);
    text_add(c->out, "in, out);\n}\n\n");
    return true;
}

/* ---- tables of files ------------------------------------------------------------------------- */

static void print_matrix(text *out, int k, const char *file, const char *name,
                         const table_matrix *x)
{
    text_printf(out, "static const double matrix_%d[] = {", k);
    for (int i = 0; i < x->rows * x->cols; i++) {
        text_c_number(out, x->at[i]);
        text_add(out, i % 8 == 7 ? ",\n    " : ", ");
    }
    text_printf(out, "0};\n#define MATRIX_%d {", k);
    text_c_string(out, file);
    text_add(out, ", ");
    text_c_string(out, name);
    text_printf(out, ", %d, %d, matrix_%d}\n", x->rows, x->cols, k);
}

int external_print_files(const external_run *run, int n_objects, arena *a, text *out)
{
    int n = 0;
    for (int k = 0; k < n_objects; k++) {
        const double *in;
        const external_routine *r = external_made(run, k, &in);
        char why[EXTERNAL_WHY];
        external_value args[EXTERNAL_ARGS];
        table_matrix x = {0};
        if (!r || strncmp(r->f->types, "ossR", 4) != 0) continue; // as those of tables do
        double *scalars = arena_array(a, double, r->n_scalars + 1);
        if (!external_lay_out(r, run, in, scalars, args, why)) continue;
        if (!table_is_file(args[0].text)) continue;
        if (!table_read(a->m, args[0].text, args[1].text, &x, why)) continue;
        print_matrix(out, n++, args[0].text, args[1].text, &x);
        table_matrix_free(a->m, &x);
    }
    return n;
}
