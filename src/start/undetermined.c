/* Which unknowns are not determined at a point, and by which equations they should be.
 *
 * The matrix is that of dependent.c: derivatives of the states, algebraic unknowns, coordinates
 * that depend on others. A singular vector of a vanishing singular value names, on the right, the
 * unknowns that may move together and, on the left, the equations that do not notice.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "la/dense.h"
#include "run/entry_names.h"
#include "run/verbs.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { N_MAX = 300, SHOWN = 6 };
static const double VANISHES = 1e-10;       // relative singular value
static const double COMES_UP = 0.05;        // ... where a choice of coordinates stays as it is
static const double TAKES_PART = 1e-3;      // component of a unit vector
static const double COORDINATE_NONE = 1e-6; // of coordinates in a vector of forces alone
static const double STANDS_OUT = 0.1;       // ... beside the largest of its kind

typedef struct survey {
    double limit; // singular values up to here vanish
    double *a, *sigma, *u, *vt, *work;
} survey;

static size_t undetermined_layout(survey *x, int n, void *block)
{
    bump b = bump_begin(block);
    size_t k = (size_t)n;
    x->a = bump_double(&b, k * k);
    x->sigma = bump_double(&b, k);
    x->u = bump_double(&b, k * k);
    x->vt = bump_double(&b, k * k);
    x->work = bump_double(&b, la_svd_work(n, n));
    return bump_end(&b);
}

/* Columns and rows of equal size: ranks must not depend on units. */
static void equilibrate(int n, double *a)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            int step = pass ? n : 1, first = pass ? i : i * n; // columns, then rows
            double most = 0;
            for (int j = 0; j < n; j++) most = fmax(most, fabs(a[first + j * step]));
            for (int j = 0; j < n && most > 0; j++) a[first + j * step] /= most;
        }
}

static bool undetermined_decompose(run_state *s, survey *x, double t, const double *y,
                                   const double *yp)
{
    const vinc_pattern *p = &run_model(s)->system.jac;
    int n = run_model(s)->n;
    const double *matrix = run_dependent_matrix(s, t, y, yp);
    if (!matrix) return false;
    memset(x->a, 0, (size_t)n * (size_t)n * sizeof *x->a);
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (!isfinite(matrix[k])) return false;
            x->a[p->row[k] + j * n] = matrix[k];
        }
    equilibrate(n, x->a);
    if (la_svd(n, n, x->a, x->sigma, x->u, x->vt, x->work) < 0) return false;
    bool stays = false; // a choice of coordinates
    for (int g = 0; g < run_model(s)->formulation.n_groups; g++)
        stays = stays || run_model(s)->formulation.groups[g].independent;
    x->limit = (stays ? COMES_UP : VANISHES) * x->sigma[0];
    if (x->sigma[n - 1] > x->limit) return false;
    if (stays) x->limit = fmax(1.5 * x->sigma[n - 1], VANISHES * x->sigma[0]);
    return true;
}

/* The share of row or column i in what vanishes. */
static double share(const survey *x, int n, int i, bool column)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        if (x->sigma[k] <= x->limit)
            most = fmax(most, fabs(column ? x->vt[k + i * n] : x->u[i + k * n]));
    return most;
}

/* The entry that is solved for in column i; -1: none. */
static int sought(const code_model *m, int i)
{
    int e = m->formulation.unknowns[i].entry;
    return e < 0 ? -1 : e + (m->system.role[i] == CODE_STATE);
}

/* Is a second derivative among what is not determined? */
static bool is_motion(const code_model *m, const survey *x)
{
    for (int i = 0; i < m->n; i++) {
        int e = sought(m, i);
        if (e >= 0 && image_order_of(&m->entries, e) >= 2 && share(x, m->n, i, true) >= TAKES_PART)
            return true;
    }
    return false;
}

static void note_unknowns(const code_model *m, const survey *x, diag_sink *sink)
{
    text out;
    int count = 0;
    text_init(&out, sink->a->m);
    for (int i = 0; i < m->n; i++) {
        int e = sought(m, i);
        bool again = false; // its derivative may be an unknown of its own
        for (int j = 0; j < i && !again; j++) again = sought(m, j) == e;
        if (e < 0 || again || share(x, m->n, i, true) < TAKES_PART || count++ >= SHOWN) continue;
        text_add(&out, out.n ? ", '" : "'");
        run_add_name(m, e, &out);
        text_char(&out, '\'');
    }
    if (count)
        diag_note(sink, (span){0, 0}, "not determined here: %s%s", text_str(&out),
                  count > SHOWN ? ", ..." : "");
    text_done(&out);
}

void start_add_circumstances(const run_state *s, const image_equation *e, text *out)
{
    bool any = false;
    for (int k = 0; k < e->n_zeros; k++) {
        if (run_parameters(s)[e->zeros[k].place] != 0) continue;
        text_printf(out, "%s%s = 0", any ? ", " : ", where ", e->zeros[k].name);
        any = true;
    }
    if (e->medium) text_printf(out, "; %s", e->medium);
}

static void undetermined_note_equations(const run_state *s, const survey *x, diag_sink *sink)
{
    const code_model *m = run_model(s);
    const image_equations *words = &m->equations;
    text out;
    int count = 0;
    text_init(&out, sink->a->m);
    for (int i = 0; i < m->n && count < SHOWN; i++) {
        const image_row *r = &m->formulation.rows[i];
        bool again = false; // a derivative of it may be another row
        for (int j = 0; j < i && !again; j++)
            again = m->formulation.rows[j].equation == r->equation &&
                    share(x, m->n, j, false) >= TAKES_PART;
        if (r->equation < 0 || again || share(x, m->n, i, false) < TAKES_PART) continue;
        text_clear(&out);
        if (words->at) {
            text_printf(&out, "'%s'", words->at[r->equation].text);
            start_add_circumstances(s, &words->at[r->equation], &out);
        } else text_add(&out, "this equation");
        diag_note(sink, image_written_at(words, r->equation), "%s %s",
                  count++ ? "and" : "not independent here:", text_str(&out));
    }
    text_done(&out);
}

static void tell_choice(run_state *s, const image_group *q, double t, const double *y,
                        diag_sink *sink)
{
    text names, position;
    text_init(&names, sink->a->m);
    text_init(&position, sink->a->m);
    for (int j = 0; j < q->n_columns; j++) {
        const char *name = run_problem(s)->unknown_name(s, q->columns[j]);
        if (q->independent[j]) text_printf(&names, "%s'%s'", names.n ? ", " : "", name);
        if (j < SHOWN) text_printf(&position, "%s%s = %.6g", j ? ", " : "", name, y[q->columns[j]]);
    }
    diag_note(sink, (span){0, 0},
              "the choice of %s as independent is singular at or near t = %.9g, %s: the others "
              "do not follow from it there; name others, or let 'partition' choose",
              text_str(&names), t, text_str(&position));
    text_done(&names);
    text_done(&position);
}

/* Coordinates that were named to be independent and cannot be: positions before velocities. */
static bool note_choice(run_state *s, const survey *x, double t, const double *y, diag_sink *sink)
{
    const image_formulation *f = &run_model(s)->formulation;
    const image_group *q = NULL;
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *o = &f->groups[g];
        bool here = false;
        for (int j = 0; j < o->n_columns && o->independent; j++)
            here = here || share(x, run_model(s)->n, o->columns[j], true) >= TAKES_PART;
        if (here && (!q || o->level > q->level)) q = o;
    }
    if (q) tell_choice(s, q, t, y, sink);
    return q;
}

static bool can_survey(const code_model *m)
{
    return m->n && m->n <= N_MAX && m->formulation.explicit;
}

/* Is column i a coordinate or velocity that depends on others? Not what forces and inertia decide. */
static bool is_coordinate(const code_model *m, int i)
{
    int e = sought(m, i);
    return e >= 0 && image_order_of(&m->entries, e) < image_highest_of(&m->entries, e);
}

/* Of the vectors that vanish, combinations without coordinates, in place: where constraints lose rank
 * these come with vectors of their own. How many; vt[k + i*n] for k below it. */
static int without_coordinates(const code_model *m, survey *x, arena *a)
{
    int n = m->n, first = 0;
    while (first < n && x->sigma[first] > x->limit) first++;
    int k = n - first, rows = 0;
    double *c = arena_array(a, double, (size_t)n *(size_t)k), *z = arena_array(a, double, k *k);
    double *work = arena_array(a, double, la_null_work(n, k));
    for (int i = 0; i < n; i++) {
        if (!is_coordinate(m, i)) continue;
        for (int q = 0; q < k; q++) { // of unit vectors: rounding is none
            double part = x->vt[first + q + i * n];
            c[rows + q * n] = fabs(part) > COORDINATE_NONE ? part : 0;
        }
        rows++;
    }
    for (int q = 0; q < k; q++) memmove(c + q * rows, c + q * n, (size_t)rows * sizeof *c);
    int rank = rows ? la_null(rows, k, c, z, COORDINATE_NONE, work) : 0;
    for (int q = 0; q < k * k && !rows; q++) z[q] = q % (k + 1) == 0;
    if (rank < 0) return 0;
    double *v = arena_array(a, double, k);
    for (int i = 0; i < n; i++) {
        for (int q = 0; q < k - rank; q++) {
            v[q] = 0;
            for (int l = 0; l < k; l++) v[q] += z[l + q * k] * x->vt[first + l + i * n];
        }
        for (int q = 0; q < k - rank; q++) x->vt[q + i * n] = v[q];
    }
    return k - rank;
}

void start_undetermined(run_state *s, double t, const double *y, const double *yp, arena *a,
                        int_array *out)
{
    const code_model *m = run_model(s);
    survey x;
    if (!can_survey(m)) return;
    size_t bytes = undetermined_layout(&x, m->n, NULL);
    void *block = mem_try(run_mem(s), bytes);
    if (!block) return;
    undetermined_layout(&x, m->n, block);
    int k = undetermined_decompose(s, &x, t, y, yp) ? without_coordinates(m, &x, a) : 0;
    double *part = x.sigma, most[2] = {0, 0}; // forces, accelerations
    for (int i = 0; i < m->n; i++) {
        part[i] = 0;
        for (int q = 0; q < k; q++) part[i] = fmax(part[i], fabs(x.vt[q + i * m->n]));
        int e = sought(m, i);
        if (e < 0) continue;
        bool moves = image_order_of(&m->entries, e) > 0;
        most[moves] = fmax(most[moves], part[i]);
    }
    for (int i = 0; i < m->n; i++) {
        int e = sought(m, i);
        if (e >= 0 &&
            part[i] >= fmax(TAKES_PART, STANDS_OUT * most[image_order_of(&m->entries, e) > 0]))
            array_push(a, out, e);
    }
    mem_free(run_mem(s), block, bytes);
}

bool start_explain_undetermined(run_state *s, double t, const double *y, const double *yp,
                                bool error, diag_sink *sink)
{
    const code_model *m = run_model(s);
    int choice = run_singular_choice(s);
    if (choice >= 0) {
        tell_choice(s, &m->formulation.groups[choice], t, y, sink);
        return true;
    }
    if (!can_survey(m)) return false;
    survey x;
    size_t bytes = undetermined_layout(&x, m->n, NULL);
    void *block = mem_try(run_mem(s), bytes);
    if (!block) return false;
    undetermined_layout(&x, m->n, block);
    bool found = undetermined_decompose(s, &x, t, y, yp), motion = found && is_motion(m, &x);
    static const char massless[] = "nothing gives inertia to a motion that the constraints leave "
                                   "free: the mass matrix is singular on it";
    if (found && error)
        diag_error(sink, "R213", (span){0, 0}, "%s; %s",
                   motion ? massless : "the equations do not determine their unknowns at the start",
                   motion ? "give the coordinates a mass, or one more constraint"
                          : "two of them say the same there, or one is missing");
    if (found && !note_choice(s, &x, t, y, sink)) {
        note_unknowns(m, &x, sink);
        undetermined_note_equations(s, &x, sink);
    }
    mem_free(run_mem(s), block, bytes);
    return found;
}
