/* `vincolo check --matrices`: M, Phi_q, c, Q, T and T^T M T at the start, as formulas and numbers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/matrices.h"
#include "run/verbs.h"
#include "study/linear_model.h"
#include "study/study.h"

#include <math.h>

enum { PRINT_MOST = 10, FORMULA_LONGEST = 400 };

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...) TOLD(vinc_mechanics, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_mechanics, __VA_ARGS__)
#define MATRIX_OF(key, member, rows, cols)                                                         \
    LIST(MATRIX, key, member, rows, .columns = offsetof(vinc_mechanics, cols))
static const told_field mechanics_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(REAL, "time", time),
    LIST(WORDS, "coordinates", coordinates, n),
    LIST(INTS, "independent", independent, n),
    LIST(WORDS, "multipliers", multipliers, m),
    LIST(WORDS, "constraints", constraints, m),
    FIELD(INT, "free", free),
    MATRIX_OF("M", mass, n, n),
    MATRIX_OF("B", reaction, n, m),
    MATRIX_OF("Phi_q", phi_q, m, n),
    LIST(REALS, "Q", q, n),
    LIST(REALS, "c", c, m),
    MATRIX_OF("T", t, n, free),
    MATRIX_OF("TMT", projected, free, free),
    LIST(WORDS, "M_formulas", mass_formulas, n_mass),
    LIST(WORDS, "Phi_q_formulas", phi_q_formulas, n_phi_q),
    LIST(WORDS, "Q_formulas", q_formulas, n_q),
    LIST(WORDS, "c_formulas", c_formulas, n_c),
    LIST(WORDS, "T_formulas", t_formulas, n_t),
    LIST(WORDS, "TMT_formulas", projected_formulas, n_projected),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void say_formulas(text *o, const char *name, int rows, int cols, int n,
                         const char *const *words)
{
    for (int i = 0; i < rows && n; i++)
        for (int j = 0; j < cols; j++) {
            const char *e = words[i + (size_t)j * (size_t)rows];
            if (e[0] == '0' && !e[1]) continue;
            if (cols > 1) text_printf(o, "    %s[%d, %d] = %s\n", name, i + 1, j + 1, e);
            else text_printf(o, "    %s[%d] = %s\n", name, i + 1, e);
        }
    if (!n && rows && cols) text_printf(o, "    %s: in numbers only\n", name);
}

static void say_mechanics(const void *told, vinc_format format, text *o)
{
    const vinc_mechanics *x = told;
    (void)format;
    text_printf(o, "%s at t = %g: %d coordinate%s, %d constraint%s, %d degree%s of freedom\n",
                x->class_name, x->time, x->n, x->n == 1 ? "" : "s", x->m, x->m == 1 ? "" : "s",
                x->free, x->free == 1 ? "" : "s");
    text_add(o, "  M a + B lambda = Q,  Phi_q a = c,  Phi_q T = 0;  a are the derivatives of\n   ");
    for (int j = 0; j < x->n; j++)
        text_printf(o, " %s%s", x->coordinates[j], x->independent[j] ? "*" : "");
    text_add(o, "   (* independent: columns of T)\n");
    for (int i = 0; i < x->m; i++)
        text_printf(o, "  constraint %d: %s\n", i + 1, x->constraints[i]);
    for (int i = 0; i < x->m; i++)
        text_printf(o, "%s %s%s", i ? "" : "  lambda:", x->multipliers[i],
                    i + 1 < x->m ? "" : "\n");
    text_add(o, "\nFormulas (elements that are not shown are 0)\n");
    say_formulas(o, "M", x->n, x->n, x->n_mass, x->mass_formulas);
    say_formulas(o, "Phi_q", x->m, x->n, x->n_phi_q, x->phi_q_formulas);
    say_formulas(o, "Q", x->n, 1, x->n_q, x->q_formulas);
    say_formulas(o, "c", x->m, 1, x->n_c, x->c_formulas);
    say_formulas(o, "T", x->n, x->free, x->n_t, x->t_formulas);
    say_formulas(o, "T'MT", x->free, x->free, x->n_projected, x->projected_formulas);
    text_add(o, "\nNumbers at the start\n");
    if (x->n > PRINT_MOST) {
        text_printf(o, "  %d coordinates: printed by --json\n", x->n);
        return;
    }
    study_print_matrix(o, "M", x->n, x->n, x->mass);
    study_print_matrix(o, "B", x->n, x->m, x->reaction);
    study_print_matrix(o, "Phi_q", x->m, x->n, x->phi_q);
    study_print_matrix(o, "Q", x->n, 1, x->q);
    study_print_matrix(o, "c", x->m, 1, x->c);
    study_print_matrix(o, "T", x->n, x->free, x->t);
    study_print_matrix(o, "T'MT", x->free, x->free, x->projected);
}

static const told_line mechanics_lines[] = {{.say = say_mechanics}, {0}};

const told_kind study_mechanics = {
    .name = "mechanics",
    .command = "check",
    .summary =
        "matrices of a mechanical model: M, Phi_q, c, Q, T, T^T M T, as formulas and numbers",
    .size = sizeof(vinc_mechanics),
    .fields = mechanics_fields,
    .lines = mechanics_lines,
};

/* ---- the analysis ---------------------------------------------------------------------------- */

typedef struct mechanics_job {
    vinc_sim *s;
    vinc_mechanics **out;
} mechanics_job;

// NULL and 0 where there are no formulas.
static const char *const *formula_texts(vinc_sim *s, const inspect_matrix *x, int *n)
{
    const expr_pool *p = run_model(s->state)->form->s->pool;
    *n = 0;
    if (!x->formula) return NULL;
    int count = x->rows * x->cols;
    const char **list = arena_array(&s->a, const char *, count + 1);
    for (int i = 0; i < count; i++) {
        text_clear(&s->why);
        expr_print(p, x->formula[i], EXPR_MODELICA, FORMULA_LONGEST, &s->why);
        list[i] = arena_strndup(&s->a, text_str(&s->why), s->why.n);
    }
    text_clear(&s->why);
    *n = count;
    return list;
}

static int tell_mechanics(void *job)
{
    mechanics_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    inspect_matrices x;
    watch_doing(&m->ctx->watch, "finding the matrices of", m->flat->name);
    int rc = inspect_matrices_at(s->state, s->options.t_start, s->y, &s->a, &m->ctx->scratch, &x);
    if (rc) return api_report(s, rc, "R100");
    int *independent = arena_array(&s->a, int, x.n + 1);
    for (int i = 0; i < x.n; i++) independent[i] = x.independent[i];
    vinc_mechanics told = {.model = m->source,
                           .class_name = m->flat->name,
                           .time = s->options.t_start,
                           .n = x.n,
                           .m = x.m,
                           .free = x.free,
                           .coordinates = x.coordinates,
                           .multipliers = x.multipliers,
                           .constraints = x.constraints,
                           .independent = independent,
                           .mass = x.M.x,
                           .reaction = x.B.x,
                           .phi_q = x.G.x,
                           .q = x.Q.x,
                           .c = x.c.x,
                           .t = x.T.x,
                           .projected = x.TMT.x};
    told.mass_formulas = formula_texts(s, &x.M, &told.n_mass);
    told.phi_q_formulas = formula_texts(s, &x.G, &told.n_phi_q);
    told.q_formulas = formula_texts(s, &x.Q, &told.n_q);
    told.c_formulas = formula_texts(s, &x.c, &told.n_c);
    told.t_formulas = formula_texts(s, &x.T, &told.n_t);
    told.projected_formulas = formula_texts(s, &x.TMT, &told.n_projected);
    return told_keep(&m->ctx->lasting, &study_mechanics, &told, j->out);
}

int vinc_mechanics_of(vinc_model *model, vinc_mechanics **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_sim_options run = {.formulation = "maggi"}; // the mechanical view, redundant or not
    vinc_sim *s = NULL;
    int rc = api_sim_new(model, &run, &s);
    if (!rc) rc = study_reach(s, VINC_AT_START);
    if (!rc) rc = api_guarded(model->ctx, tell_mechanics, &(mechanics_job){s, out});
    vinc_sim_free(s);
    return rc;
}
