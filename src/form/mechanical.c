/* The mechanical view of a model: accelerations, multipliers, M, Phi_q and gamma.
 *
 * Recognised, not declared. In the system of index 1 the rows are
 *
 *     M a + B lambda + r_d = 0    equations that are not differentiated
 *     G a            + r_c = 0    constraints, differentiated until accelerations occur
 *
 * linear in the highest derivatives a and in the multipliers lambda; r_c = -gamma. Holonomic rows
 * are those differentiated twice, non-holonomic ones those differentiated once. Constraints that
 * define points without inertia of their own, as the end of a rod by its middle and angle, have no
 * multipliers and are eliminated; where that cannot be done by formulas, as for the quaternion beside
 * the angular velocity, the accelerations are followers, found in numbers (run/followers.c), and so are
 * multipliers that laws of force give. B = Phi_q^T where the constraints are ideal. Matrices are
 * taken from the Jacobian of the rows while running.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"
#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

/* Accelerations and multipliers up to which bodies in space have the view where it is only one of
 * several ways: its matrices are dense. */
enum { DENSE_MOST = 300 };

static const char *name_of_row(const form_builder *b, int row, text *t)
{
    int e = b->f->rows.at[row].equation;
    if (e < 0) return "a link";
    structure_equation_short(b->s, e, t);
    return text_str(t);
}

static bool mechanical_refuse(form_builder *b, int row, const char *why)
{
    const image_row *r = &b->f->rows.at[row];
    if (b->quiet) return false;
    text t;
    text_init(&t, b->scratch->m);
    diag_error(b->sink, "S204", r->equation < 0 ? (span){0, 0} : b->s->equations.at[r->equation].at,
               "'%s' needs a mechanical model, but the equation '%s' %s; 'dummy', 'project', "
               "'direct' and 'index1' apply to every model",
               b->f->kind->name, name_of_row(b, row, &t), why);
    text_done(&t);
    return false;
}

/* How many rows there are of each kind. */
typedef struct mechanical_view {
    image_mechanical *x; // n and m: all accelerations and multipliers
    int rows, constraints;
} mechanical_view;

/* Rows by kind, components by kind. */
static void sort_out(form_builder *b, mechanical_view *v)
{
    image_mechanical *x = v->x;
    form_system *f = b->f;
    const structure *s = b->s;
    x->acceleration = arena_array(b->a, int, f->unknowns.n + 1);
    x->multiplier = arena_array(b->a, int, f->unknowns.n + 1);
    x->dynamic = arena_array(b->a, int, f->rows.n + 1);
    x->constraint = arena_array(b->a, int, f->rows.n + 1);
    for (int i = 0; i < f->unknowns.n; i++) {
        int e = f->unknowns.at[i].entry;
        if (f->unknowns.at[i].differential) continue;
        if (structure_order_of(s, e)) {
            x->acceleration[x->n++] = i;
        } else {
            x->multiplier[x->m++] = i;
        }
    }
    x->link = arena_array(b->a, int, f->rows.n + 1);
    int at = 0; // links were added in the order of the components
    for (int i = 0; i < f->rows.n; i++) {
        const image_row *r = &f->rows.at[i];
        x->link[i] = -1;
        if (r->kind == IMAGE_ROW_LINK) {
            while (!f->unknowns.at[at].differential) at++;
            x->link[i] = at++;
            continue;
        }
        if (r->equation >= 0 && s->equations.at[r->equation].c > 0)
            x->constraint[v->constraints++] = i;
        else x->dynamic[v->rows++] = i;
    }
}

static bool is_multiplier(const form_builder *b, expr var)
{
    int e = structure_entry_of(b->s, var);
    if (e < 0 || structure_order_of(b->s, e) || b->f->places[e].where != IMAGE_IN_Y) return false;
    return !b->f->unknowns.at[b->f->places[e].at].differential;
}

static bool mechanical_check(form_builder *b, const mechanical_view *v)
{
    const structure *s = b->s;
    int_array vars = {0};
    for (int i = 0; i < v->constraints; i++) {
        int row = v->x->constraint[i];
        vars.n = 0;
        dag_vars(&b->d, b->f->functions.at[row], &vars);
        for (int k = 0; k < vars.n; k++)
            if (is_multiplier(b, vars.at[k]))
                return mechanical_refuse(
                    b, row,
                    "is a constraint whose last derivative contains an algebraic "
                    "variable beside accelerations");
    }
    for (int i = 0; i < b->f->rows.n; i++) {
        int e = b->f->rows.at[i].equation;
        if (e >= 0 && !s->blocks.at[s->equations.at[e].block].linear)
            return mechanical_refuse(b, i, "is not linear in the accelerations and multipliers");
    }
    return true;
}

/* ---- followers and laws ---------------------------------------------------------------------- */

/* By component of y: the place among the accelerations, or -1. */
static int *places_of(form_builder *b, const int *components, int n)
{
    int *at = arena_array(b->scratch, int, b->f->unknowns.n + 1);
    for (int i = 0; i < b->f->unknowns.n; i++) at[i] = -1;
    for (int j = 0; j < n; j++) at[components[j]] = j;
    return at;
}

/* The accelerations in some rows; columns by their places. */
static graph_pattern pattern_of(form_builder *b, const int *rows, int n_rows, const int *at_of,
                                int n_cols)
{
    graph_pattern g = {.n_rows = n_rows, .n_cols = n_cols};
    int_array col = {0}, vars = {0};
    g.start = arena_array(b->scratch, int, n_rows + 1);
    for (int i = 0; i < n_rows; i++) {
        g.start[i] = col.n;
        vars.n = 0;
        dag_vars(&b->d, b->f->functions.at[rows[i]], &vars);
        for (int k = 0; k < vars.n; k++) {
            int e = structure_entry_of(b->s, vars.at[k]);
            if (e < 0 || b->f->places[e].where != IMAGE_IN_Y) continue;
            int j = at_of[b->f->places[e].at];
            if (j >= 0 && j < n_cols) array_push(b->scratch, &col, j);
        }
    }
    g.start[n_rows] = col.n;
    g.col = col.at;
    return g;
}

/* Accelerations that occur in no row of motion go last; their number. */
static int move_massless(form_builder *b, mechanical_view *v)
{
    image_mechanical *x = v->x;
    const int *at_of = places_of(b, x->acceleration, x->n);
    graph_pattern g = pattern_of(b, x->dynamic, v->rows, at_of, x->n);
    char *inertial = arena_array(b->scratch, char, x->n + 1);
    int *all = arena_array(b->scratch, int, x->n + 1), at = 0, massless = 0;
    for (int k = 0; k < g.start[v->rows]; k++) inertial[g.col[k]] = 1;
    for (int with = 1; with >= 0; with--)
        for (int j = 0; j < x->n; j++)
            if (inertial[j] == with) all[at++] = x->acceleration[j];
    for (int j = 0; j < x->n; j++) massless += !inertial[j];
    memcpy(x->acceleration, all, (size_t)x->n * sizeof *all);
    return massless;
}

/* Rows that no acceleration needs go last: they are laws of force. */
static void move_laws(form_builder *b, mechanical_view *v)
{
    image_mechanical *x = v->x;
    int n = x->n, at = 0, laws = n;
    const int *at_of = places_of(b, x->acceleration, n);
    graph_pattern g = pattern_of(b, x->dynamic, v->rows, at_of, n);
    graph_matching match = graph_match(&g, NULL, b->scratch, b->scratch);
    int *rows = arena_array(b->scratch, int, v->rows + 1), spare = n - match.n;
    for (int i = 0; i < v->rows; i++) {
        bool motion = match.col_of[i] >= 0 || spare-- > 0;
        rows[motion ? at++ : laws++] = x->dynamic[i];
    }
    memcpy(x->dynamic, rows, (size_t)v->rows * sizeof *rows);
}

/* The component that a constraint belongs to, or "". */
static const char *owner_of(const form_builder *b, int row)
{
    const structure_equation *e = &b->s->equations.at[b->f->rows.at[row].equation];
    const char *of = e->flat < 0 ? NULL : b->s->flat->equations.at[e->flat].instance;
    return of ? of : "";
}

static bool belongs(const char *name, const char *owner)
{
    size_t n = strlen(owner);
    return !n || (!strncmp(name, owner, n) && name[n] == '.');
}

/* Constraints between accelerations of one component, their own: |p| = 1, w = 2 G(p) p'. */
static void mark_kinematic(form_builder *b, mechanical_view *v)
{
    image_mechanical *x = v->x;
    const structure *s = b->s;
    const int *at_of = places_of(b, x->acceleration, x->n);
    graph_pattern g = pattern_of(b, x->constraint, v->constraints, at_of, x->n);
    x->kinematic = arena_array(b->a, bool, v->constraints + 1);
    for (int i = 0; i < v->constraints; i++) {
        const char *owner = owner_of(b, x->constraint[i]);
        x->kinematic[i] = true;
        for (int k = g.start[i]; k < g.start[i + 1]; k++) {
            int entry = b->f->unknowns.at[x->acceleration[g.col[k]]].entry;
            int first = s->unknowns.at[s->entries.at[entry].unknown].first;
            if (!belongs(structure_name_of(s, first, b->scratch), owner)) x->kinematic[i] = false;
        }
    }
}

/* Followers, laws and what is left for the equations of motion; false: the numbers do not match. */
static bool separate(form_builder *b, mechanical_view *v)
{
    image_mechanical *x = v->x;
    if (v->constraints == x->m && v->rows == x->n) return true;
    x->n_massless = move_massless(b, v);
    x->n_followers = v->rows < x->n - x->n_massless ? x->n - v->rows : x->n_massless;
    int left = v->constraints - x->n_followers;
    if (b->quiet && (!x->n_massless || left < 1 || x->n + x->m > DENSE_MOST)) return false;
    if (left < 0) {
        char why[200];
        snprintf(why, sizeof why,
                 "is one of only %d constraints for %d accelerations that no equation of motion "
                 "gives",
                 v->constraints, x->n_followers);
        return mechanical_refuse(b, v->constraints ? x->constraint[0] : 0, why);
    }
    mark_kinematic(b, v);
    x->n -= x->n_followers;
    x->m = left;
    x->n_laws = v->rows - x->n;
    if (x->n_laws) move_laws(b, v);
    return true;
}

/* ---- redundant constraints ------------------------------------------------------------------- */

/* By constraint: the multiplier whose norm is weighed in its row, or -1. One for each that has
 * followers and laws beside it: of the same component if there is one, else the next. */
static int *pair_multipliers(form_builder *b, const image_mechanical *x)
{
    int constraints = x->m + x->n_followers, multipliers = x->m + x->n_laws, pairs = 0;
    int *of = arena_array(b->scratch, int, constraints + 1);
    char *taken = arena_array(b->scratch, char, multipliers + 1);
    for (int i = 0; i < constraints; i++) of[i] = -1;
    if (!x->n_followers && !x->n_laws) {
        for (int i = 0; i < x->m; i++) of[i] = i;
        return of;
    }
    for (int round = 0; round < 3; round++) // of one component, then any; kinematic ones last
        for (int i = 0; i < constraints && pairs < x->m; i++) {
            const char *owner = owner_of(b, x->constraint[i]);
            if (of[i] >= 0 || (x->kinematic[i] && round < 2)) continue;
            for (int j = 0; j < multipliers && of[i] < 0; j++) {
                const char *name = form_name_of(b->f, x->multiplier[j], &(expr_label){{0}});
                if (taken[j] || (!round && !belongs(name, owner))) continue;
                taken[j] = 1;
                of[i] = j;
                pairs++;
            }
        }
    return of;
}

/* Multipliers of least norm where constraints are redundant (A. N. Tikhonov's regularisation). */
static void select_least(form_builder *b, image_mechanical *x)
{
    form_system *f = b->f;
    expr_pool *p = b->s->pool;
    const int *of = pair_multipliers(b, x);
    x->least = f->n_w++;
    for (int i = 0; i < x->m + x->n_followers; i++) {
        if (of[i] < 0) continue;
        expr *row = &f->functions.at[x->constraint[i]];
        expr lambda = b->s->entries.at[f->unknowns.at[x->multiplier[of[i]]].entry].var;
        *row = expr_sub(p, *row, expr_mul(p, form_w(b, x->least), lambda));
    }
}

/* The system and its rows and components by kind; so many definitions are eliminated. */
static mechanical_view view(form_builder *b, int define)
{
    b->keep = true;
    b->define = define;
    const form_algebra *algebra = &b->f->kind->algebra;
    b->quiet = algebra->sparse && algebra->motion; // only one of several ways
    form_reduced(b);
    mechanical_view v = {.x = arena_new(b->a, image_mechanical)};
    sort_out(b, &v);
    v.x->least = -1;
    return v;
}

int form_mechanical_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    image_projection project = f->kind->algebra.project;
    form_builder b;
    form_begin(&b, f, scratch, sink);
    if (project == IMAGE_PROJECT_NONE ? !form_projected(&b, options)
                                      : !form_options(&b, options, NULL, 0))
        return -1;
    if (project != IMAGE_PROJECT_NONE) f->project = (uint8_t)project;
    form_system empty = *f;
    mechanical_view v = view(&b, 0);
    int surplus = v.constraints - v.x->m;
    if (surplus > 0) { // points of components, defined by coordinates
        *f = empty;
        f->places = arena_array(f->a, image_place, f->s->entries.n);
        form_begin(&b, f, scratch, sink);
        v = view(&b, surplus);
    }
    if (mechanical_check(&b, &v) && separate(&b, &v)) f->mechanical = v.x;
    if (f->mechanical && f->kind->algebra.redundant) select_least(&b, v.x);
    return f->mechanical || b.quiet ? 0 : -1;
}
