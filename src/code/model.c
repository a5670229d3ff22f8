/* The compiled model: every function the driver needs, lowered and compiled.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- functions ------------------------------------------------------------------------------- */

bool code_function(lowering *l, const expr *roots, const span *at, int n, const char *what,
                   bool compiled, code_fn *out)
{
    (void)compiled;
    *out = (code_fn){.n_out = n};
    if (!n) return true;
    l->what = what;
    l->at = (span){0, 0};
    out->program = lower_program(l, roots, NULL, at, n);
    return !l->failed;
}

/* Machine code is held outside the arenas: compile when nothing can jump any more. */
int code_compile(code_model *m, code_fn *f, const tape_target *target)
{
    if (!f->program) return VINC_OK;
    tape_options options = {.target = target};
    if (tape_compile_program(f->program, &options, m->m, &f->code)) return VINC_E_MEMORY;
    size_t n = tape_code_scratch(f->code);
    if (n > m->scratch) m->scratch = n;
    if (f->program->extent[TAPE_W] > m->n_w) m->n_w = f->program->extent[TAPE_W];
    return VINC_OK;
}

/* ---- parameters and attributes --------------------------------------------------------------- */

/* Parameters whose binding is more than a number. Evaluated together as often as their longest
 * chain is long: a value given from outside then simply wins. */
static bool lower_parameters(code_model *m, lowering *l)
{
    structure *s = m->s;
    expr *roots = arena_array(l->scratch, expr, s->n_p);
    span *at = arena_array(l->scratch, span, s->n_p);
    m->param_place = arena_array(l->a, int, s->n_p);
    int *depth = arena_array(l->scratch, int, s->n_flat), n = 0;
    int_array vars = {0};
    dag d;
    dag_init(&d, s->pool, l->scratch);
    for (int k = 0; k < s->n_evaluated; k++) {
        int v = s->parameters[k];
        double x;
        expr e = s->vars[v].value;
        if (!e && s->flat->vars.at[v].attr) e = s->flat->vars.at[v].attr->start;
        if (!e || expr_number(s->pool, e, &x)) continue;
        vars.n = 0;
        dag_vars(&d, e, &vars);
        for (int q = 0; q < vars.n; q++) {
            int u = expr_at(s->pool, vars.at[q])->u.var.index;
            if (u < s->n_flat && depth[u] > depth[v]) depth[v] = depth[u];
        }
        depth[v]++;
        if (depth[v] > m->param_depth) m->param_depth = depth[v];
        m->param_place[n] = s->vars[v].place;
        at[n] = s->flat->vars.at[v].at;
        roots[n++] = e;
    }
    return code_function(l, roots, at, n, "the value of this parameter", false, &m->params);
}

typedef struct attribute_list {
    lowering *l;
    ARRAY(expr) roots;
    ARRAY(span) at;
} attribute_list;

static code_value value_of(attribute_list *x, expr e, double standard, span at)
{
    code_value v = {standard, CODE_NUMBER};
    if (!e || expr_number(x->l->p, e, &v.number)) return v;
    v.output = x->roots.n;
    array_push(x->l->scratch, &x->roots, e);
    array_push(x->l->scratch, &x->at, at);
    return v;
}

static bool lower_attributes(code_model *m, lowering *l)
{
    structure *s = m->s;
    attribute_list x = {.l = l};
    m->entries = arena_array(l->a, code_entry, s->entries.n);
    for (int i = 0; i < s->entries.n; i++) {
        const structure_entry *e = &s->entries.at[i];
        code_entry *c = &m->entries[i];
        c->start = value_of(&x, e->start, 0, e->at);
        c->nominal = value_of(&x, e->nominal, 1, e->at);
        c->min = value_of(&x, e->min, -INFINITY, e->at);
        c->max = value_of(&x, e->max, INFINITY, e->at);
        c->given = e->start != 0;
    }
    // Values of constant columns and start values of what lives in w.
    m->known_value = arena_array(l->a, code_value, s->n_flat);
    m->start_value = arena_array(l->a, code_value, s->n_flat);
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        const flat_var *f = &s->flat->vars.at[v];
        if (q->role == STRUCTURE_KNOWN) m->known_value[v] = value_of(&x, q->value, 0, f->at);
        if (q->role == STRUCTURE_DISCRETE || q->role == STRUCTURE_INPUT)
            m->start_value[v] = value_of(&x, f->attr ? f->attr->start : 0, 0, f->at);
    }
    m->guard_value = arena_array(l->a, code_value, m->form->assignments.n);
    for (int k = 0; k < m->form->assignments.n; k++)
        m->guard_value[k] = value_of(&x, m->form->assignments.at[k].guard, 1, (span){0, 0});
    return code_function(l, x.roots.at, x.at.at, x.roots.n, "this attribute", false,
                         &m->attributes);
}

/* ---- the system ------------------------------------------------------------------------------ */

tape_program_derivative code_derive(const tape_program *f, int n_rows, int n_cols, lowering *l)
{
    return tape_program_jacobian(f, n_rows, n_cols, l->f->n_w, l->scratch, l->a);
}

static span place_of_row(const code_model *m, int i)
{
    int e = m->form->rows.at[i].equation;
    return e < 0 ? (span){0, 0} : m->s->equations.at[e].at;
}

static bool lower_system(code_model *m, lowering *l)
{
    const form_system *f = m->form;
    expr *roots = arena_array(l->scratch, expr, f->rows.n);
    span *at = arena_array(l->scratch, span, f->rows.n);
    for (int i = 0; i < f->rows.n; i++) {
        roots[i] = f->rows.at[i].f;
        at[i] = place_of_row(m, i);
    }
    if (!code_function(l, roots, at, m->n, "this equation", true, &m->residual)) return false;
    if (!m->n) return true;
    tape_program_derivative d = code_derive(m->residual.program, m->n, m->n, l);
    m->jacobian = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
    m->jac = d.pattern;

    if (!f->rhs) return true;
    span *nowhere = arena_array(l->scratch, span, m->n);
    return code_function(l, f->rhs, nowhere, m->n, "this equation", true, &m->rhs);
}

static void describe_unknowns(code_model *m, arena *a)
{
    const form_system *f = m->form;
    m->differential = arena_array(a, uint8_t, m->n);
    m->unknown_level = arena_array(a, int8_t, m->n);
    m->equation_level = arena_array(a, int8_t, m->n);
    m->velocity = arena_array(a, int, m->n);
    m->role = arena_array(a, uint8_t, m->n);
    m->selecting = arena_array(a, uint8_t, m->n);
    bool levels = false, velocities = false;
    for (int i = 0; i < m->n; i++) {
        const form_unknown *u = &f->unknowns.at[i];
        m->differential[i] = u->differential;
        m->unknown_level[i] = u->level;
        m->equation_level[i] = f->rows.at[i].level;
        m->velocity[i] = u->velocity;
        m->role[i] = u->differential ? CODE_STATE : CODE_ALGEBRAIC;
        m->selecting[i] = f->rows.at[i].kind == FORM_ROW_SELECT;
        levels = levels || u->level || f->rows.at[i].level;
        velocities = velocities || u->velocity >= 0;
    }
    for (int g = 0; g < f->groups.n; g++)
        for (int j = 0; j < f->groups.at[g].n_columns; j++)
            m->role[f->groups.at[g].columns[j]] = CODE_SELECTED;
    if (!levels) m->unknown_level = m->equation_level = NULL;
    if (!velocities) m->velocity = NULL;
}

/* The constraints of the groups, their derivatives by y, and the derivatives of what they tie. */
static bool lower_groups(code_model *m, lowering *l)
{
    const form_system *f = m->form;
    if (!f->groups.n) return true;
    int n_rows = 0, n_next = 0;
    for (int g = 0; g < f->groups.n; g++) {
        n_rows += f->groups.at[g].n_constraints;
        n_next += f->groups.at[g].n_columns;
    }
    expr *roots = arena_array(l->scratch, expr, n_rows),
         *next = arena_array(l->scratch, expr, n_next);
    m->next_of = arena_array(l->a, int, n_next);
    n_rows = n_next = 0;
    for (int g = 0; g < f->groups.n; g++) {
        const form_group *q = &f->groups.at[g];
        for (int k = 0; k < q->n_constraints; k++)
            roots[n_rows++] = f->rows.at[q->constraints[k]].f;
        for (int j = 0; j < q->n_columns; j++) {
            m->next_of[n_next] = q->columns[j];
            next[n_next++] = m->s->entries.at[f->unknowns.at[q->columns[j]].entry + 1].var;
        }
    }
    m->n_group_rows = n_rows;
    if (!code_function(l, next, NULL, n_next, "this derivative", true, &m->next)) return false;
    code_fn constraints;
    if (!code_function(l, roots, NULL, n_rows, "this constraint", true, &constraints)) return false;
    tape_program_derivative d = code_derive(constraints.program, n_rows, m->n, l);
    m->group_jac = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
    m->group_pattern = d.pattern;
    return true;
}

/* Every constraint and its derivatives that this formulation can evaluate. Level: 0 positions, 1
 * velocities, 2 accelerations; a constraint that contains derivatives starts higher. */
static bool lower_constraints(code_model *m, lowering *l)
{
    structure *s = m->s;
    dag d;
    dag_init(&d, s->pool, l->scratch);
    ARRAY(expr) roots = {0};
    ARRAY(span) at = {0};
    int_array level = {0}, vars = {0};
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        if (!e->c || e->definition) continue;
        int base = 0;
        for (int k = 0; k <= e->c; k++) {
            vars.n = 0;
            dag_vars(&d, e->f[k], &vars);
            bool known = true;
            for (int q = 0; q < vars.n; q++) {
                int entry = structure_entry_of(s, vars.at[q]);
                if (entry < 0) continue;
                known = known && m->form->places[entry].where != FORM_ABSENT;
                if (!k && s->entries.at[entry].order > base) base = s->entries.at[entry].order;
            }
            if (!known || k + base > 2) continue;
            array_push(l->scratch, &roots, e->f[k]);
            array_push(l->scratch, &at, e->at);
            array_push(l->scratch, &level, k + base);
        }
    }
    m->constraint_level = arena_array(l->a, int, level.n);
    if (level.n) memcpy(m->constraint_level, level.at, (size_t)level.n * sizeof(int));
    return code_function(l, roots.at, at.at, roots.n, "this constraint", true, &m->constraints);
}

/* Total energy, where every entry in it can be evaluated. */
static bool lower_energy(code_model *m, lowering *l)
{
    structure *s = m->s;
    if (!s->energy) return true;
    dag d;
    int_array vars = {0};
    dag_init(&d, s->pool, l->scratch);
    dag_vars(&d, s->energy, &vars);
    for (int q = 0; q < vars.n; q++) {
        int entry = structure_entry_of(s, vars.at[q]);
        if (entry >= 0 && m->form->places[entry].where == FORM_ABSENT) return true;
    }
    return code_function(l, &s->energy, NULL, 1, "the energy", true, &m->energy);
}

/* ---- columns --------------------------------------------------------------------------------- */

typedef struct column_list {
    code_model *m;
    lowering *l;
    ARRAY(code_column) columns;
    ARRAY(code_value) values;
    ARRAY(expr) roots;
    int *of_entry;  // by entry: column + 1
    char *negative; // by entry: that column shows -entry
} column_list;

static void add_column(column_list *x, code_column c, code_value v)
{
    array_push(x->l->a, &x->columns, c);
    array_push(x->l->a, &x->values, v);
}

static void add_output(column_list *x, code_column c, expr e)
{
    c.output = x->roots.n;
    array_push(x->l->scratch, &x->roots, e);
    add_column(x, c, (code_value){0, CODE_NUMBER});
}

/* A column that shows an entry: the first has its values, others repeat them. */
static void add_entry(column_list *x, code_column c, int entry, bool negated)
{
    if (x->of_entry[entry]) {
        c.alias_of = x->of_entry[entry] - 1;
        c.negated = negated != x->negative[entry];
        add_column(x, c, (code_value){0, CODE_NUMBER});
        return;
    }
    expr e = x->m->s->entries.at[entry].var;
    x->of_entry[entry] = x->columns.n + 1;
    x->negative[entry] = negated;
    add_output(x, c, negated ? expr_neg(x->l->p, e) : e);
}

static bool make_columns(code_model *m, lowering *l)
{
    structure *s = m->s;
    column_list x = {.m = m, .l = l};
    x.of_entry = arena_array(l->scratch, int, s->entries.n);
    x.negative = arena_array(l->scratch, char, s->entries.n);
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        const flat_var *f = &s->flat->vars.at[v];
        if (f->name[0] == '$') continue; // conditions of when-clauses
        code_column c = {.name = f->name,
                         .comment = f->comment ? f->comment : "",
                         .unit = f->attr && f->attr->unit ? f->attr->unit : "",
                         .type = f->type,
                         .alias_of = -1,
                         .output = -1};
        int at = q->place;
        switch ((structure_role)q->role) {
        case STRUCTURE_PARAMETER:
            c.constant = true;
            add_column(&x, c, (code_value){at, CODE_PARAMETER});
            break;
        case STRUCTURE_KNOWN: // a variable that happens not to move is still a variable
            add_output(&x, c, q->value);
            break;
        case STRUCTURE_INPUT:
        case STRUCTURE_DISCRETE:
            add_output(&x, c, expr_var(l->p, s->n_flat + at, 0, (expr_type)f->type, f->enum_id));
            break;
        case STRUCTURE_UNKNOWN: add_entry(&x, c, s->unknowns.at[at].first, false); break;
        case STRUCTURE_ALIAS:
            add_entry(&x, c, s->unknowns.at[s->vars[q->of].place].first + q->order, q->negated);
            break;
        default: break;
        }
    }
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        if (!q->differentiated) continue;
        size_t n = strlen(s->flat->vars.at[v].name) + sizeof "der()";
        char *name = arena_alloc(l->a, n);
        snprintf(name, n, "der(%s)", s->flat->vars.at[v].name);
        code_column c = {.name = name, .comment = "", .unit = "", .alias_of = -1, .output = -1};
        if (q->role == STRUCTURE_KNOWN) {
            c.constant = true;
            add_column(&x, c, (code_value){0, CODE_NUMBER});
            continue;
        }
        if (q->role != STRUCTURE_UNKNOWN && q->role != STRUCTURE_ALIAS) continue;
        bool alias = q->role == STRUCTURE_ALIAS;
        const structure_unknown *u = &s->unknowns.at[alias ? s->vars[q->of].place : q->place];
        int order = (alias ? q->order : 0) + 1;
        if (order <= u->d && m->form->places[u->first + order].where != FORM_ABSENT)
            add_entry(&x, c, u->first + order, alias && q->negated);
    }
    m->columns = x.columns.at;
    m->n_columns = x.columns.n;
    m->column_value = x.values.at;
    return code_lower_outputs(m, l, x.roots.at, x.roots.n);
}

static void list_inputs(code_model *m, arena *a)
{
    structure *s = m->s;
    m->n_inputs = s->inputs.n;
    m->input_names = arena_array(a, const char *, m->n_inputs);
    m->input_place = arena_array(a, int, m->n_inputs);
    for (int k = 0; k < m->n_inputs; k++) {
        m->input_names[k] = s->flat->vars.at[s->inputs.at[k]].name;
        m->input_place[k] = s->vars[s->inputs.at[k]].place;
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

static code_fn *functions(code_model *m, int k)
{
    code_fn *list[] = {&m->residual,   &m->jacobian,  &m->rhs,         &m->roots,  &m->relations,
                       &m->thresholds, &m->computed,  &m->constraints, &m->params, &m->attributes,
                       &m->next,       &m->group_jac, &m->samples,     &m->first,  &m->energy,
                       &m->messages,   &m->delays,    &m->assertions};
    return k < (int)(sizeof list / sizeof *list) ? list[k] : NULL;
}

static code_model *lower_model(const form_system *form, arena *a, arena *scratch, mem *m,
                               diag_sink *sink)
{
    code_model *x = arena_new(a, code_model);
    *x = (code_model){.form = form,
                      .s = form->s,
                      .m = m,
                      .n = form->unknowns.n,
                      .n_p = form->s->n_p,
                      .n_w = form->n_w};
    lowering l;
    lower_init(&l, form, a, scratch, sink);
    describe_unknowns(x, a);
    list_inputs(x, a);
    l.parameters = true;
    bool ok = lower_parameters(x, &l) && lower_attributes(x, &l);
    l.parameters = false;
    ok = ok && lower_system(x, &l) && lower_groups(x, &l) && lower_constraints(x, &l) &&
         lower_energy(x, &l) && code_lower_manifold(x, &l) && code_lower_rank(x, &l) &&
         code_lower_events(x, &l) && code_lower_delays(x, &l) && make_columns(x, &l) &&
         code_lower_initial(x, &l);
    return ok ? x : NULL;
}

static int compile_model(code_model *x)
{
    for (int k = 0; functions(x, k); k++) {
        code_fn *f = functions(x, k);
        bool once = f == &x->params || f == &x->attributes || f == &x->thresholds;
        int rc = code_compile(x, f, once ? &target_interpreter : NULL);
        if (rc) return rc;
    }
    for (int k = 0; code_manifold_fn(x, k); k++) {
        int rc = code_compile(x, code_manifold_fn(x, k), NULL);
        if (rc) return rc;
    }
    int rank = x->rank ? code_compile(x, &x->rank->jac, NULL) : VINC_OK;
    if (rank) return rank;
    return code_compile_initial(x);
}

int code_lower(const form_system *form, arena *a, arena *scratch, mem *m, diag_sink *sink,
               code_model **out)
{
    *out = NULL;
    arena_mark here = arena_here(scratch);
    code_model *x = lower_model(form, a, scratch, m, sink);
    if (x) x->initial = x;
    if (x && form->initial != form) {
        x->initial = lower_model(form->initial, a, scratch, m, sink);
        lowering l;
        lower_init(&l, form->initial, a, scratch, sink);
        if (x->initial && !code_lower_map(x->initial, x, &l)) x = NULL;
    }
    arena_release(scratch, here);
    if (!x || !x->initial) return VINC_E_MODEL;
    int rc = compile_model(x);
    if (!rc && x->initial != x) rc = compile_model(x->initial);
    if (rc) {
        code_model_free(x);
        return rc;
    }
    *out = x;
    return VINC_OK;
}

void code_model_free(code_model *m)
{
    if (!m) return;
    if (m->initial != m) code_model_free(m->initial);
    for (int k = 0; functions(m, k); k++) {
        tape_code_free(functions(m, k)->code);
        functions(m, k)->code = NULL;
    }
    for (int k = 0; code_manifold_fn(m, k); k++) {
        tape_code_free(code_manifold_fn(m, k)->code);
        code_manifold_fn(m, k)->code = NULL;
    }
    if (m->rank) tape_code_free(m->rank->jac.code);
    if (m->rank) m->rank->jac.code = NULL;
    code_free_initial(m);
}

const form_system *code_model_form(const code_model *m)
{
    return m->form;
}

int code_n_columns(const code_model *m)
{
    return m->n_columns;
}

const code_column *code_columns(const code_model *m)
{
    return m->columns;
}

int code_n_inputs(const code_model *m)
{
    return m->n_inputs;
}

const char *code_input_name(const code_model *m, int i)
{
    return m->input_names[i];
}

int code_dof(const code_model *m)
{
    // Free velocities and free positions: derivatives of an unknown below its highest, less the
    // constraints on them. Mechanical: no velocity is free without its position.
    const structure *s = m->s;
    int velocities = 0, positions = 0;
    for (int u = 0; u < s->unknowns.n; u++) {
        int d = s->unknowns.at[u].d;
        if (d > 2) return s->n_free;
        velocities += d >= 1;
        positions += d == 2;
    }
    for (int i = 0; i < s->equations.n; i++) {
        velocities -= s->equations.at[i].c >= 1;
        positions -= s->equations.at[i].c >= 2;
    }
    return positions > 0 && velocities <= positions ? velocities : s->n_free;
}

void code_model_print(const code_model *m, text *out)
{
    form_print(m->form, out);
    text_add(out, "\nresidual\n");
    if (m->residual.program) tape_program_print(m->residual.program, out);
    text_add(out, "\nJacobian\n");
    if (m->jacobian.program) tape_program_print(m->jacobian.program, out);
}
