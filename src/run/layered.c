/* Dependent unknowns, layer by layer (code/layers.h).
 *
 * A linear layer is one evaluation of its rows with the unknowns 0 and of its matrix, one elimination and one solution: exact
 * but for rounding, so that nothing is iterated and no convergence is asked for. Where pivots say that rounding counts, the
 * solution is refined; where that does not help, or something is not finite, the caller searches as he always did, and says
 * what is wrong. Other layers are searched for, with the factors of the last point first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// clang-format off
/*  bound                    quantity                                                   source */
static const double
    PIVOTS_FAIR   = 1e-3,    // smallest pivot over the largest: above, a solution has  1e-13, as searches ask for, is some hundred roundings
    PIVOTS_LEAST  = 1e-14,   // ... below, it is round-off                              as in accelerate.c
    ROUNDING_FAIR = 1e-11,   // change by a refinement, of the unknowns: the next ones  choice: a hundredth of the least tolerance for a step;
                             // need none. More is searched for                         with 1e-6 steps of a rectifier failed
    PIVOTS_FALL   = 0.5,     // ... while pivots are no less than this part of those    choice
    STEEP         = 1e8;     // slopes of unknowns that are searched for                as in dependents.c
enum { IN_REGISTERS   = 4 };  // unknowns of an inverse: of more a solution by lists takes less, and may be code  la/inverse.c
// clang-format on

/* Not in the block of the run, which is saved and copied as it is. */
static size_t layers_layout(run_layers *x, const code_model *m, void *block)
{
    const code_layers *q = &m->layers;
    bump b = bump_begin(block);
    x->at = bump_bytes(&b, (size_t)q->n * sizeof *x->at);
    for (int k = 0; k < q->n; k++) {
        run_layer z = {.place = bump_int(&b, (size_t)q->at[k].n),
                       .out = bump_double(&b, (size_t)q->at[k].matrix.n_out),
                       .matrix = bump_double(&b, (size_t)q->at[k].pattern.nnz),
                       .dx = bump_double(&b, 3 * (size_t)q->at[k].n)};
        if (block) x->at[k] = z;
    }
    x->y = bump_double(&b, 2 * (size_t)m->n);
    x->others = bump_int(&b, (size_t)m->n);
    x->next = bump_double(&b, (size_t)m->choice.next.n_out);
    return bump_end(&b);
}

/* Where unknowns are, by role: what is asked for at every point. */
static void layers_list(run_layers *x, const code_model *m)
{
    const code_layers *q = &m->layers;
    x->n_others = 0;
    for (int i = 0; i < m->n; i++)
        if (m->system.role[i] != CODE_STATE) x->others[x->n_others++] = i;
    for (int k = 0; k < q->n; k++)
        for (int j = 0; j < q->at[k].n; j++) {
            int u = q->at[k].unknown[j];
            x->at[k].place[j] = m->system.role[u] == CODE_STATE ? ~u : u;
        }
}

int layers_new(run_state *s)
{
    run_layers *x = &s->layers;
    if (!s->model->layers.n) return VINC_OK;
    x->bytes = layers_layout(x, s->model, NULL);
    x->at = NULL;
    x->block = mem_try_zeroed(s->m, x->bytes);
    if (!x->block) return VINC_E_MEMORY;
    layers_layout(x, s->model, x->block);
    layers_list(x, s->model);
    layers_forget(s);
    for (int k = 0; k < s->model->layers.n; k++) {
        const code_layer *q = &s->model->layers.at[k];
        la_config config = {.n = q->n, .pattern = &q->pattern, .work = &s->beside};
        bool code = layer_may_be_code(s->model, k);
        if (code && q->n > IN_REGISTERS) config.backend = "indexed";
        if (la_new(s->m, &config, &x->at[k].la)) return VINC_E_MEMORY;
        x->at[k].by_pieces = code && x->at[k].la->backend->by_lists;
    }
    return VINC_OK;
}

void layers_free(run_state *s)
{
    run_layers *x = &s->layers;
    if (!x->block) return;
    for (int k = 0; k < s->model->layers.n; k++) {
        la_free(x->at[k].la);
        layer_pieces_free(s, &x->at[k]);
    }
    mem_free(s->m, x->block, x->bytes);
}

void layers_forget(run_state *s)
{
    for (int k = 0; s->layers.block && k < s->model->layers.n; k++) {
        run_layer *z = &s->layers.at[k];
        z->near = false;
        z->curvature = 0;
        z->pivots_fair = INFINITY;
    }
}

/* In one piece of code a layer takes about as much less of the time of its operations as a step does (erk.c). */
static const double LAYER_CODE_PART_OF_WORK = 0.6;

double layers_work(const code_model *m, bool all)
{
    double work = m->choice.next.program ? tape_program_work(m->choice.next.program) : 0;
    for (int k = 0; k < m->layers.n; k++)
        if (all || !m->layers.at[k].tied)
            work += m->layers.at[k].work * (!m->layers.at[k].linear   ? 2
                                            : layer_may_be_code(m, k) ? LAYER_CODE_PART_OF_WORK
                                                                      : 1);
    return work;
}

/* Where constraints have come near to losing rank the search knows what to do. */
static bool layers_serve(const run_state *s)
{
    return s->model->layers.n && !s->past && !s->crew && !s->layers.aside &&
           !(s->model->rank && s->choice.came_near);
}

int layers_stage_serves(void *user)
{
    const run_state *s = user;
    return layers_serve(s) && !s->choice.leapt;
}

typedef struct layering {
    run_state *s;
    const code_layer *q;
    run_layer *z;
    double t, *y, *yp;
    bool has_rows;      // z->out are those of the point
    const double *next; // found beside the unknowns; NULL: not yet
} layering;

static double *unknown_at(const layering *x, int j)
{
    int at = x->z->place[j];
    return at < 0 ? &x->yp[~at] : &x->y[at];
}

/* What is left of the combinations of chosen states that keep their values. */
static void kept_rows(const layering *x, double *r)
{
    const image_group *groups = x->s->model->formulation.groups;
    const double *held = x->s->layers.y;
    for (int i = x->q->n_rows; i < x->q->n; i++) {
        const image_group *g = &groups[x->q->kept[i - x->q->n_rows]];
        const double *w = x->s->w + g->w + x->q->kept_row[i - x->q->n_rows] * g->n_columns;
        double sum = 0;
        for (int c = 0; c < g->n_columns; c++)
            sum += w[c] * (x->y[g->columns[c]] - held[g->columns[c]]);
        r[i] = sum;
    }
}

/* Rows and matrix, factored. Its rows are in z->out. */
static bool layer_factor(const layering *x)
{
    run_state *s = x->s;
    run_layer *z = x->z;
    const code_layer *q = x->q;
    run_eval(s, &q->matrix, x->t, x->y, x->yp, z->out, NULL);
    for (int k = 0; k < q->pattern.nnz; k++) {
        int at = q->value[k];
        z->matrix[k] = at >= 0 ? z->out[at] : s->w[-1 - at];
    }
    z->now = NULL;
    z->factored = la_factor(z->la, z->matrix, NULL, 0, 0) == LA_OK;
    z->near = true;
    z->seen.contraction = 0;
    return z->factored && z->la->pivot_ratio > PIVOTS_LEAST;
}

/* ---- linear ---------------------------------------------------------------------------------- */

/* x -= A^-1 (r + A x). Rounding of the solution shows in the change; where it is small, it is not asked for again while
 * pivots are as they are. */
static bool layer_refine(const layering *x, const double *r, double *found)
{
    const vinc_pattern *a = &x->q->pattern;
    run_layer *z = x->z;
    double *d = found + x->q->n, size = 0;
    if (z->la->pivot_ratio >= z->pivots_fair) return true;
    memcpy(d, r, (size_t)x->q->n * sizeof *d);
    for (int j = 0; j < x->q->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) d[a->row[k]] += z->matrix[k] * found[j];
    la_solve(z->la, d);
    for (int j = 0; j < x->q->n; j++) {
        found[j] -= d[j];
        double part = fabs(d[j]) / (fabs(found[j]) + x->s->nominal[x->q->unknown[j]]);
        if (!(part <= size)) size = part;
    }
    z->pivots_fair = size <= ROUNDING_FAIR ? PIVOTS_FALL * z->la->pivot_ratio : INFINITY;
    return size <= ROUNDING_FAIR;
}

static bool layer_in_pieces(const layering *x, double *found)
{
    const code_layer *q = x->q;
    run_layer *z = x->z;
    double *r = z->dx + 2 * q->n;
    if (!layer_factor(x)) return false;
    memcpy(r, z->out, (size_t)q->n_rows * sizeof *r);
    if (q->n > q->n_rows) kept_rows(x, r);
    for (int i = 0; i < q->n; i++) found[i] = -r[i];
    la_solve(z->la, found);
    return problem_finite(found, q->n) &&
           (z->la->pivot_ratio >= PIVOTS_FAIR || layer_refine(x, r, found));
}

static bool layer_linear(layering *x)
{
    const code_layer *q = x->q;
    double *found = x->z->dx;
    int number = (int)(q - x->s->model->layers.at);
    bool solved =
        x->z->by_pieces && layer_in_one_piece(x->s, number, x->t, x->y, x->yp, found, &x->next);
    if (!solved && !layer_in_pieces(x, found)) return false;
    for (int j = 0; j < q->n; j++) {
        double *to = unknown_at(x, j);
        *to = q->corrected ? *to + found[j] : found[j];
    }
    return true;
}

/* ---- searched for ---------------------------------------------------------------------------- */

static double layer_size(const layering *x)
{
    double most = 0;
    for (int j = 0; j < x->q->n; j++) {
        double size =
            fabs(x->z->dx[j]) / (fabs(*unknown_at(x, j)) + x->s->nominal[x->q->unknown[j]]);
        if (!(size <= most)) most = size; // NaN counts as large
    }
    return most;
}

static double layer_correction(void *user)
{
    layering *x = user;
    if (x->has_rows) memcpy(x->z->dx, x->z->out, (size_t)x->q->n_rows * sizeof *x->z->dx);
    else run_eval(x->s, &x->q->f, x->t, x->y, x->yp, x->z->dx, NULL);
    x->has_rows = false;
    kept_rows(x, x->z->dx);
    la_solve(x->z->la, x->z->dx);
    return layer_size(x);
}

static bool layer_take(void *user, bool last)
{
    const layering *x = user;
    (void)last;
    for (int j = 0; j < x->q->n; j++) *unknown_at(x, j) -= x->z->dx[j];
    return true;
}

static bool layer_is_steep(const layering *x)
{
    const vinc_pattern *a = &x->q->pattern;
    for (int j = 0; j < x->q->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (fabs(x->z->matrix[k]) * x->s->nominal[x->q->unknown[j]] > STEEP) return true;
    return false;
}

static bool layer_searched(layering *x)
{
    newton_reuse reuse = newton_old_for_projection; // to rounding: steps would add up what is left
    run_layer *z = x->z;
    const double *held = x->s->layers.y, *held_p = held + x->s->model->n;
    reuse.enough = fmax(reuse.enough, x->s->within);
    if (z->factored && z->near && newton_follow(x, layer_correction, layer_take, &reuse, &z->seen))
        return true;
    for (int j = 0; j < x->q->n; j++) { // from where it was
        int u = x->q->unknown[j];
        if (x->s->model->system.role[u] == CODE_STATE) x->yp[u] = held_p[u];
        else x->y[u] = held[u];
    }
    if (!layer_factor(x) || layer_is_steep(x)) return false;
    x->has_rows = true;
    return newton_follow_new(x, layer_correction, layer_take, &reuse, &z->curvature);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int solve(run_state *s, double t, double *y, double *yp, bool all)
{
    const code_model *m = s->model;
    size_t bytes = (size_t)m->n * sizeof *y;
    double *held = s->layers.y, *held_p = held + m->n;
    if (run_stops(s)) return -1;
    memcpy(held, y, bytes);
    memcpy(held_p, yp, bytes);
    bool found = true;
    const double *next = NULL;
    for (int k = 0; k < m->layers.n && found; k++) {
        const code_layer *q = &m->layers.at[k];
        if (q->tied && !all) continue;
        layering x = {.s = s, .q = q, .z = &s->layers.at[k], .t = t, .y = y, .yp = yp};
        found = q->linear ? layer_linear(&x) : layer_searched(&x);
        next = x.next;
        s->beside += q->work;
    }
    if (!found) {
        memcpy(y, held, bytes);
        memcpy(yp, held_p, bytes);
        return 1;
    }
    for (int k = 0; k < s->layers.n_others; k++) yp[s->layers.others[k]] = 0;
    if (!next) run_eval(s, &m->choice.next, t, y, yp, s->layers.next, NULL);
    if (!next) next = s->layers.next;
    for (int k = 0; k < m->choice.next.n_out; k++) yp[m->choice.next_of[k]] = next[k];
    return 0;
}

int run_find_dependent(run_state *s, double t, double *y, double *yp)
{
    int rc = layers_serve(s) ? solve(s, t, y, yp, true) : 1;
    return rc > 0 ? run_solve_dependent(s, t, y, yp) : rc;
}

int layers_accelerate(run_state *s, double t, double *y, double *yp)
{
    return s->model->layers.loose && layers_serve(s) ? solve(s, t, y, yp, false) : 1;
}

int layers_stage(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    int rc = layers_serve(s) ? solve(s, t, y, yp, false) : 1;
    return rc > 0 ? run_solve_dependent(s, t, y, yp) : rc;
}
