/* The system that is integrated: its rows, their derivatives, and what is known of its unknowns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/system.h"
#include "structure/families.h"

#include <string.h>

static span place_of_row(const form_system *f, int i)
{
    int e = f->rows.at[i].equation;
    return e < 0 ? (span){0, 0} : f->s->equations.at[e].at;
}

/* Rows that are residuals of equations as they are. */
static lower_origin *row_origins(const lowering *l, arena *a)
{
    const form_system *f = l->f;
    lower_origin *of = arena_array(a, lower_origin, f->rows.n);
    for (int i = 0; i < f->rows.n; i++) {
        const image_row *r = &f->rows.at[i];
        bool same = r->equation >= 0 && !r->derivative &&
                    f->functions.at[i] == l->s->equations.at[r->equation].f[0];
        of[i] = (lower_origin){same ? r->equation : -1, -1};
    }
    return of;
}

/* Right-hand sides that are what the equation matched to the unknown gives for it. */
static lower_origin *rhs_origins(const lowering *l, dag *d, arena *a)
{
    const form_system *f = l->f;
    const structure *s = l->s;
    lower_origin *of = arena_array(a, lower_origin, f->unknowns.n);
    for (int i = 0; i < f->unknowns.n; i++) {
        const image_unknown *u = &f->unknowns.at[i];
        const structure_entry *y = &s->entries.at[u->entry + u->differential];
        int equation = s->unknowns.at[y->unknown].equation;
        of[i] = (lower_origin){-1, -1};
        if (equation < 0) continue;
        const structure_equation *e = &s->equations.at[equation];
        const family_question q = {s->families, d, equation, e->lhs, e->rhs, e->f[0]};
        int slot = e->c ? -1 : family_solved_slot(&q, y->var);
        expr guard;
        if (!f->rhs[i]) of[i] = (lower_origin){equation, slot};
        else if (slot >= 0 && e->lhs && family_solve(&q, y->var, &guard) == f->rhs[i])
            of[i] = (lower_origin){equation, slot};
    }
    return of;
}

/* Of roots that are not written out, one for each family and slot. */
static void write_first(lowering *l, expr *roots, const lower_origin *of, int n)
{
    map seen;
    map_init(&seen, l->scratch);
    const expr *slots;
    const families *all = l->s->families;
    for (int i = 0; i < n; i++) {
        if (roots[i]) continue;
        const family *q = family_of(all, of[i].equation, &slots);
        uint64_t *known =
            map_put(&seen, (uint64_t)(q - all->of.at) << 8 | (uint64_t)(of[i].slot + 1));
        if (!*known) roots[i] = lower_written(l, of[i]);
        *known = 1;
    }
}

static bool lower_rows(lowering *l, code_system *x)
{
    const form_system *f = l->f;
    int n = f->unknowns.n;
    code_listed residual = {"residual", "this equation", CODE_WAITED_FOR, &x->residual},
                jacobian = {"Jacobian", "this equation", CODE_OFTEN, &x->jacobian},
                rhs = {"right-hand side", "this equation", CODE_WAITED_FOR, &x->rhs};
    dag d;
    dag_init(&d, l->p, l->scratch);
    lower_origin *of_rhs = f->rhs ? rhs_origins(l, &d, l->scratch) : NULL;
    expr *roots = arena_array(l->scratch, expr, f->rows.n);
    span *at = arena_array(l->scratch, span, f->rows.n);
    for (int i = 0; i < f->rows.n; i++) {
        roots[i] = f->functions.at[i];
        at[i] = place_of_row(f, i);
    }
    lower_origin *of_rows = row_origins(l, l->scratch);
    write_first(l, roots, of_rows, f->rows.n);
    if (of_rhs) write_first(l, f->rhs, of_rhs, n);
    expr_settle(l->p); // what follows finds its expressions in rows
    l->origins = of_rows;
    bool ok = code_function(l, &residual, roots, at, n);
    l->origins = NULL;
    arena_resize(l->scratch, of_rows, (size_t)f->rows.n * sizeof *of_rows, 0);
    arena_resize(l->scratch, at, (size_t)f->rows.n * sizeof *at, 0);
    arena_resize(l->scratch, roots, (size_t)f->rows.n * sizeof *roots, 0);
    if (ok && f->rhs) {
        l->origins = of_rhs;
        ok = code_function(l, &rhs, f->rhs, NULL, n);
        l->origins = NULL;
        arena_resize(l->scratch, of_rhs, (size_t)n * sizeof *of_rhs, 0);
    }
    // The derivatives need most memory, and no expressions. Most models need no other system.
    if (f->initial == f) structure_drop_families(f->s);
    if (ok && n) code_derivative(l, &jacobian, x->residual.program, n, n, &x->jac);
    return ok;
}

/* Is it the derivative of something, or a reaction: of the unknowns that constraints of positions and
 * their second derivatives determine one that is not differentiated? Both act by what they make of
 * velocities in a step. */
static bool is_rate(const structure *s, const image_unknown *u)
{
    if (u->differential || u->entry < 0) return false;
    const structure_entry *e = &s->entries.at[u->entry];
    const structure_unknown *v = &s->unknowns.at[e->unknown];
    return structure_order_of(s, u->entry) > 0 ||
           (v->d == 0 && v->block >= 0 && s->blocks.at[v->block].levels > 1);
}

static void describe_unknowns(const form_system *f, arena *a, code_system *x)
{
    int n = f->unknowns.n;
    x->differential = arena_array(a, uint8_t, n);
    x->unknown_level = arena_array(a, int8_t, n);
    x->equation_level = arena_array(a, int8_t, n);
    x->velocity = arena_array(a, int, n);
    x->rate = arena_array(a, uint8_t, n);
    x->unsized = arena_array(a, uint8_t, n);
    x->role = arena_array(a, uint8_t, n);
    x->selecting = arena_array(a, uint8_t, n);
    bool levels = false, velocities = false, rates = false;
    x->all_differential = true;
    for (int i = 0; i < n; i++) {
        const image_unknown *u = &f->unknowns.at[i];
        x->differential[i] = u->differential;
        x->all_differential = x->all_differential && u->differential;
        x->unknown_level[i] = u->level;
        x->equation_level[i] = f->rows.at[i].level;
        x->velocity[i] = form_velocity_of(f, i);
        x->rate[i] = is_rate(f->s, u);
        x->unsized[i] = u->entry >= 0 && !structure_attributes_of(f->s, u->entry)->nominal;
        x->role[i] = u->differential ? CODE_STATE : CODE_ALGEBRAIC;
        x->selecting[i] = f->rows.at[i].kind == IMAGE_ROW_SELECT;
        levels = levels || u->level || f->rows.at[i].level;
        velocities = velocities || x->velocity[i] >= 0;
        rates = rates || x->rate[i];
    }
    for (int g = 0; g < f->groups.n; g++) {
        const image_group *q = &f->groups.at[g];
        for (int j = 0; j < q->n_columns; j++) x->role[q->columns[j]] = CODE_SELECTED;
        for (int i = 0; q->tied && i < q->n_constraints; i++) x->role[q->multiplier + i] = CODE_TIE;
    }
    size_t bytes = (size_t)n;
    if (!levels) {
        x->unknown_level = arena_resize(a, x->unknown_level, bytes, 0);
        x->equation_level = arena_resize(a, x->equation_level, bytes, 0);
    }
    if (!velocities) x->velocity = arena_resize(a, x->velocity, bytes * sizeof *x->velocity, 0);
    if (!rates) x->rate = arena_resize(a, x->rate, bytes, 0);
}

/* Every constraint and its derivatives that this formulation can evaluate. Level: 0 positions, 1
 * velocities, 2 accelerations; a constraint that contains derivatives starts higher. */
static bool lower_constraints(lowering *l, code_system *x)
{
    const structure *s = l->s;
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
                known = known && l->f->places[entry].where != IMAGE_ABSENT;
                if (!k && structure_order_of(s, entry) > base) base = structure_order_of(s, entry);
            }
            if (!known || k + base > 2) continue;
            array_push(l->scratch, &roots, e->f[k]);
            array_push(l->scratch, &at, e->at);
            array_push(l->scratch, &level, k + base);
        }
    }
    x->constraint_level = arena_array(l->a, int, level.n);
    if (level.n) memcpy(x->constraint_level, level.at, (size_t)level.n * sizeof(int));
    code_listed all = {"constraints", "this constraint", CODE_OFTEN, &x->constraints};
    return code_function(l, &all, roots.at, at.at, roots.n);
}

/* Total energy, where every entry in it can be evaluated. */
static bool lower_energy(lowering *l, code_system *x)
{
    const structure *s = l->s;
    if (!s->energy) return true;
    dag d;
    int_array vars = {0};
    dag_init(&d, s->pool, l->scratch);
    dag_vars(&d, s->energy, &vars);
    for (int q = 0; q < vars.n; q++) {
        int entry = structure_entry_of(s, vars.at[q]);
        if (entry >= 0 && l->f->places[entry].where == IMAGE_ABSENT) return true;
    }
    code_listed energy = {"energy", "the energy", CODE_OFTEN, &x->energy};
    expr roots[] = {s->energy, s->kinetic};
    return code_function(l, &energy, roots, NULL, 2);
}

static bool holds_rates(const form_system *f, dag *d, int row, int_array *vars)
{
    vars->n = 0;
    dag_vars(d, f->functions.at[row], vars);
    for (int k = 0; k < vars->n; k++) {
        int entry = structure_entry_of(f->s, vars->at[k]);
        int index = expr_at(f->s->pool, vars->at[k])->u.var.index;
        if (entry >= 0 ? f->places[entry].where == IMAGE_IN_YP : index >= FORM_YP && index < FORM_Y)
            return true;
    }
    return false;
}

/* Where the integrator is given a higher index, its multipliers are those of the method. What is
 * recorded of y' follows from them and from y by the equations themselves. */
static void describe_rates(lowering *l, code_system *x)
{
    const form_system *f = l->f;
    code_rates *q = &x->rates;
    int n = f->unknowns.n, n_columns = 0;
    if (f->kind->explicit || f->mechanical || f->groups.n || l->s->index <= 1 || !n) return;
    int *of_row = arena_array(l->scratch, int, n + 1);
    dag d;
    int_array vars = {0}, row = {0}, value = {0};
    dag_init(&d, l->s->pool, l->scratch);
    q->rows = arena_array(l->a, int, n);
    q->columns = arena_array(l->a, int, n);
    int *start = arena_array(l->a, int, n + 1), n_rows = 0;
    for (int i = 0; i < n; i++) {
        of_row[i] = holds_rates(f, &d, i, &vars) ? n_rows : -1;
        if (of_row[i] >= 0) q->rows[n_rows++] = i;
    }
    for (int j = 0; j < n; j++) {
        if (!x->differential[j]) continue;
        for (int k = x->jac.start[j]; k < x->jac.start[j + 1]; k++) {
            if (of_row[x->jac.row[k]] < 0) continue;
            array_push(l->a, &row, of_row[x->jac.row[k]]);
            array_push(l->a, &value, k);
        }
        q->columns[n_columns++] = j;
        start[n_columns] = row.n;
    }
    q->pattern = (vinc_pattern){n_rows, n_rows, row.n, start, row.at};
    q->value = value.at;
    q->n = n_rows == n_columns ? n_rows : 0;
}

bool code_lower_system(lowering *l, code_system *x)
{
    describe_unknowns(l->f, l->a, x);
    bool ok = lower_rows(l, x);
    if (!ok || !lower_constraints(l, x) || !lower_energy(l, x)) return false;
    describe_rates(l, x);
    return true;
}

/* ---- states chosen while running ------------------------------------------------------------- */

/* The constraints of the groups, their derivatives by y, and the derivatives of what they tie. */
bool code_lower_choice(lowering *l, code_choice *x)
{
    const form_system *f = l->f;
    if (!f->groups.n) return true;
    int n_rows = 0, n_next = 0;
    for (int g = 0; g < f->groups.n; g++) {
        n_rows += f->groups.at[g].n_constraints;
        n_next += f->groups.at[g].n_columns;
    }
    expr *roots = arena_array(l->scratch, expr, n_rows),
         *next = arena_array(l->scratch, expr, n_next);
    x->next_of = arena_array(l->a, int, n_next);
    n_rows = n_next = 0;
    for (int g = 0; g < f->groups.n; g++) {
        const image_group *q = &f->groups.at[g];
        for (int k = 0; k < q->n_constraints; k++)
            roots[n_rows++] = f->functions.at[q->constraints[k]];
        for (int j = 0; j < q->n_columns; j++) {
            x->next_of[n_next] = q->columns[j];
            next[n_next++] = l->s->entries.at[f->unknowns.at[q->columns[j]].entry + 1].var;
        }
    }
    x->n_rows = n_rows;
    code_listed derivatives = {"derivatives of what is chosen", "this derivative", CODE_OFTEN,
                               &x->next},
                jac = {"Jacobian of the choice", "this constraint", CODE_OFTEN, &x->jac};
    if (!code_function(l, &derivatives, next, NULL, n_next)) return false;
    l->what = jac.what;
    const tape_program *constraints = lower_program(l, roots, NULL, NULL, n_rows);
    if (l->failed) return false;
    code_derivative(l, &jac, constraints, n_rows, f->unknowns.n, &x->pattern);
    return true;
}
