/* What can be recorded: columns, and the outputs they show.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/model_parts.h"

#include <string.h>

/* Runs serve where they are a quarter of what they stand for, or less. */
static bool runs_are_few(int n_runs, int n)
{
    return n_runs <= n / 4;
}

static void find_runs(code_outputs *x, arena *a)
{
    x->runs = arena_sparse(a, code_run, x->n);
    for (int i = 0; i < x->n; i++) {
        tape_kind kind = tape_kind_of(x->from[i]);
        int k = tape_index_of(x->from[i]);
        code_run *last = x->n_runs ? &x->runs[x->n_runs - 1] : NULL;
        if (last && last->kind == kind && k == last->from + last->n) last->n++;
        else x->runs[x->n_runs++] = (code_run){kind, k, i, 1};
    }
    x->runs = arena_resize(a, x->runs, (size_t)x->n * sizeof *x->runs,
                           ((size_t)x->n_runs + 1) * sizeof *x->runs);
    if (!runs_are_few(x->n_runs, x->n)) return;
    arena_resize(a, x->from, (size_t)x->n * sizeof *x->from, 0);
    x->from = NULL;
}

/* The place of the equation that gives a variable which is eliminated. */
static span place_of_root(const lowering *l, expr root)
{
    if (expr_at(l->p, root)->op == EXPR_NEG) root = expr_args(l->p, root)[0];
    int entry = expr_at(l->p, root)->op == EXPR_VAR ? structure_entry_of(l->s, root) : -1;
    image_place at = entry < 0 ? (image_place){0} : l->f->places[entry];
    int e = at.where == IMAGE_ASSIGNED ? l->f->assignments.at[at.at].equation : -1;
    return e < 0 ? (span){0, 0} : l->s->equations.at[e].at;
}

/* known: places of outputs that parameters determine, ascending; the last one is no output. */
static bool lower_roots(lowering *l, const expr *roots, int n, const word_run *known,
                        code_outputs *x)
{
    expr *computed = arena_sparse(l->scratch, expr, n);
    span *at = arena_sparse(l->scratch, span, n);
    int n_computed = 0;
    x->n = n;
    x->from = arena_array(l->a, tape_ref, n);
    for (int i = 0; i < n; i++) {
        bool var = expr_at(l->p, roots[i])->op == EXPR_VAR;
        x->from[i] = var ? lower_place(l, roots[i]) : TAPE_NONE;
        if (x->from[i] != TAPE_NONE) continue;
        lower_note_root(l, roots[i]);
        expr e = lower_resolve(l, roots[i]);
        if (expr_at(l->p, e)->op == EXPR_VAR) x->from[i] = lower_leaf(l, e);
        else {
            x->from[i] = tape_out(n_computed);
            while (known->first < i) known++;
            at[n_computed] = known->first == i ? known->at : place_of_root(l, roots[i]);
            computed[n_computed++] = e;
        }
    }
    find_runs(x, l->a);
    code_listed outputs = {"outputs", "this variable", CODE_OFTEN, &x->computed};
    bool ok = code_function(l, &outputs, computed, at, n_computed);
    arena_resize(l->scratch, at, (size_t)n * sizeof *at, 0);
    arena_resize(l->scratch, computed, (size_t)n * sizeof *computed, 0);
    return ok;
}

typedef struct column_list {
    lowering *l;
    ARRAY(code_column_run) runs;
    int n;
    ARRAY(int) constant;
    ARRAY(code_value) values; // of them
    ARRAY(expr) roots;
    ARRAY(word_run) known; // outputs that parameters determine, and where
    int *of_entry;         // by entry: column + 1
    char *negative;        // by entry: that column shows -entry
} column_list;

static bool columns_equal(code_column a, code_column b)
{
    return a.var == b.var && a.at == b.at && a.type == b.type && a.times == b.times &&
           a.constant == b.constant && a.alias == b.alias;
}

static void add_column(column_list *x, code_column c)
{
    const code_column_run *last = x->runs.n ? &array_last(&x->runs) : NULL;
    if (!last || !columns_equal(code_column_after(last, x->n - last->first), c))
        array_push(x->l->a, &x->runs, ((code_column_run){x->n, c}));
    x->n++;
}

code_column code_column_near(const code_model *m, int column, int *near)
{
    const code_outputs *x = &m->outputs;
    if (x->columns) return x->columns[column];
    const code_column_run *r = x->column_runs, *end = r + x->n_column_runs;
    r += *near;
    if (column < r->first) r = x->column_runs;
    while (r + 1 < end && r[1].first <= column) r++;
    *near = (int)(r - x->column_runs);
    return code_column_after(r, column - r->first);
}

/* Where runs are many columns are listed one by one. */
static void keep_columns(column_list *x, code_outputs *o)
{
    arena *a = x->l->a;
    o->n_columns = x->n;
    o->column_runs = x->runs.at;
    o->n_column_runs = x->runs.n;
    if (runs_are_few(x->runs.n, x->n)) {
        o->column_runs = arena_resize(a, x->runs.at, (size_t)x->runs.cap * sizeof *x->runs.at,
                                      ((size_t)x->runs.n + 1) * sizeof *x->runs.at);
        return;
    }
    code_column *all = arena_array(a, code_column, x->n);
    for (int k = 0, i = 0; k < x->runs.n; k++) {
        int end = k + 1 < x->runs.n ? x->runs.at[k + 1].first : x->n;
        for (; i < end; i++) all[i] = code_column_after(&x->runs.at[k], i - x->runs.at[k].first);
    }
    arena_resize(a, x->runs.at, (size_t)x->runs.cap * sizeof *x->runs.at, 0);
    o->columns = all;
    o->column_runs = NULL;
}

static void add_parameter(column_list *x, code_column c, int parameter)
{
    c.constant = true;
    array_push(x->l->a, &x->constant, x->n);
    array_push(x->l->a, &x->values, ((code_value){parameter, CODE_PARAMETER}));
    add_column(x, c);
}

static void add_output(column_list *x, code_column c, expr e)
{
    c.at = x->roots.n;
    array_push(x->l->scratch, &x->roots, e);
    add_column(x, c);
}

/* A column that shows an entry: the first has its values, others repeat them. */
static void add_entry(column_list *x, code_column c, int entry, bool negated)
{
    if (x->of_entry[entry]) {
        c.at = x->of_entry[entry] - 1;
        c.alias = negated != x->negative[entry] ? -1 : 1;
        add_column(x, c);
        return;
    }
    expr e = x->l->s->entries.at[entry].var;
    x->of_entry[entry] = x->n + 1;
    x->negative[entry] = negated;
    add_output(x, c, negated ? expr_neg(x->l->p, e) : e);
}

/* der(v), and der(der(v)) where energies make equations of it. */
static void add_derivative(column_list *x, int v, int times)
{
    lowering *l = x->l;
    const structure *s = l->s;
    const structure_var *q = &s->vars[v];
    code_column c = {.var = v, .times = (uint8_t)times, .at = -1};
    if (q->role == STRUCTURE_KNOWN) {
        c.constant = true;
        add_column(x, c);
        return;
    }
    if (q->role != STRUCTURE_UNKNOWN && q->role != STRUCTURE_ALIAS) return;
    bool alias = q->role == STRUCTURE_ALIAS;
    const structure_unknown *u = &s->unknowns.at[alias ? s->vars[q->of].place : q->place];
    int order = (alias ? q->order : 0) + times;
    if (order <= u->d && l->f->places[u->first + order].where != IMAGE_ABSENT)
        add_entry(x, c, u->first + order, alias && q->negated);
}

bool code_lower_outputs(lowering *l, code_outputs *o)
{
    const structure *s = l->s;
    column_list x = {.l = l};
    x.of_entry = arena_array(l->scratch, int, s->entries.n);
    x.negative = arena_array(l->scratch, char, s->entries.n);
    int most = s->n_flat;
    for (int v = 0; v < s->n_flat; v++) most += s->vars[v].differentiated;
    array_reserve(l->scratch, &x.roots, most);
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        const flat_var *f = flat_at(s->flat, v);
        if (f->flags & FLAT_HIDDEN) continue; // conditions of when-clauses
        if (f->type == TYPE_OBJECT) continue;
        code_column c = {.var = v, .type = f->type, .at = -1};
        int at = q->place;
        switch ((structure_role)q->role) {
        case STRUCTURE_PARAMETER: add_parameter(&x, c, at); break;
        case STRUCTURE_KNOWN: // a variable that happens not to move is still a variable
            array_push(l->scratch, &x.known, ((word_run){x.roots.n, f->decl->at}));
            add_output(&x, c, q->value);
            break;
        case STRUCTURE_INPUT:
        case STRUCTURE_DISCRETE:
            add_output(&x, c,
                       expr_var(l->p, s->n_flat + at, 0, (expr_type)f->type, f->decl->enum_id));
            break;
        case STRUCTURE_UNKNOWN: add_entry(&x, c, s->unknowns.at[at].first, false); break;
        case STRUCTURE_ALIAS:
            add_entry(&x, c, s->unknowns.at[s->vars[q->of].place].first + q->order, q->negated);
            break;
        default: break;
        }
    }
    for (int v = 0; v < s->n_flat; v++)
        for (int order = 1; order <= s->vars[v].differentiated; order++)
            add_derivative(&x, v, order);
    keep_columns(&x, o);
    o->constant = x.constant.at;
    o->n_constant = x.constant.n;
    o->value = x.values.at;
    arena_resize(l->scratch, x.of_entry, (size_t)s->entries.n * sizeof *x.of_entry, 0);
    arena_resize(l->scratch, x.negative, (size_t)s->entries.n, 0);
    array_push(l->scratch, &x.known, ((word_run){.first = x.roots.n}));
    bool ok = lower_roots(l, x.roots.at, x.roots.n, x.known.at, o);
    arena_resize(l->scratch, x.roots.at, (size_t)x.roots.cap * sizeof *x.roots.at, 0);
    return ok;
}

/* ---- what they are called -------------------------------------------------------------------- */

const char *code_column_shows(const code_model *m, int column, expr_label *label)
{
    return names_at(&m->names, code_column_in(&m->outputs, column).var, label);
}

bool code_keeps_name(const code_model *m, int column)
{
    const code_column c = code_column_in(&m->outputs, column);
    return !c.times && names_keep(&m->names, c.var);
}

const char *code_column_name(const code_model *m, int column, arena *a)
{
    const code_column c = code_column_in(&m->outputs, column);
    return names_in(&m->names, c.var, c.times, a);
}

bool code_add_name_of(const code_model *m, code_column c, text *out)
{
    size_t whole = out->n + strlen(NAME_AT(&m->names, c.var)) + 5 * (size_t)c.times;
    names_write(&m->names, c.var, c.times, out);
    return out->n == whole;
}

bool code_add_column_name(const code_model *m, int column, text *out)
{
    return code_add_name_of(m, code_column_in(&m->outputs, column), out);
}

/* The column that shows so many derivatives of a variable; -1: none does. */
static int column_showing(const code_outputs *x, int var, int times)
{
    for (int i = 0; x->columns && i < x->n_columns; i++)
        if (x->columns[i].var == var && x->columns[i].times == times) return i;
    for (int k = 0; !x->columns && k < x->n_column_runs; k++) {
        const code_column_run *r = &x->column_runs[k];
        int n = (k + 1 < x->n_column_runs ? r[1].first : x->n_columns) - r->first;
        if (r->is.times == times && var >= r->is.var && var - r->is.var < n)
            return r->first + (var - r->is.var);
    }
    return -1;
}

int code_find_column(const code_model *m, const char *name)
{
    static const char der[] = "der(";
    const size_t each = sizeof der - 1;
    size_t n = strlen(name);
    int found = -1;
    // A quoted name may begin like a derivative: of all that it may mean, the first column.
    for (int times = 0;; times++) {
        int var = names_find(&m->names, name, n);
        int column = var < 0 ? -1 : column_showing(&m->outputs, var, times);
        if (column >= 0 && (found < 0 || column < found)) found = column;
        if (n < each + 1 || strncmp(name, der, each) != 0 || name[n - 1] != ')') return found;
        name += each;
        n -= each + 1;
    }
}

const image_look *code_look_of(const code_model *m, code_column c)
{
    static const image_look of_derivative = {.unit = "", .comment = "", .type = -1, .bounds = -1};
    return c.times ? &of_derivative : image_look_of(&m->looks, c.var);
}

void code_list_inputs(const structure *s, arena *a, code_inputs *x)
{
    x->n = s->inputs.n;
    x->list = arena_array(a, code_input, x->n);
    for (int k = 0; k < x->n; k++) {
        const flat_var *v = flat_at(s->flat, s->inputs.at[k]);
        bool whole = v->type != TYPE_REAL;
        x->list[k] = (code_input){.name = flat_name_in(s->flat, s->inputs.at[k], a),
                                  .place = s->vars[s->inputs.at[k]].place,
                                  .held = whole || v->variability != FLAT_CONTINUOUS,
                                  .whole = whole};
    }
}
