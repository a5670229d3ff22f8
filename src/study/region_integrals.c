/* A region is the image of the unit cube: s to coordinates by their bounds, coordinates to points.
 *
 * All integrals are over the cube and its faces. The rate of an integral over a region whose points
 * move with velocity V is found without any theorem: with Y = X + eps V it is the derivative by eps,
 * at eps = 0, of the integral of phi(Y, t + eps) det(dY/ds) over the cube, which does not move. V is
 * dX/dt where the bounds move, and the velocity of the particles for a material volume.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/region_integrals.h"

#include "flat/flat_function.h"
#include "function/function_program.h"

#include <math.h>
#include <string.h>

enum { FORMAL_S = 1, FORMAL_EPS = 8 }; // the time is formal argument 0
enum { VOLUME_AT = 1, LIST_MOST = 60 };

enum { RHO, PHI, V, P = V + 3, INTERNAL, POTENTIAL, FIELDS, VC = FIELDS, N_SQUARES };
enum { BY = 4 }; // slopes: by x, y, z and t

typedef struct image {
    vinc_model *m;
    const region_fields *f;
    expr_pool *p;
    arena *scratch;
    expr s[3], eps;
    expr low[3], high[3], u[3]; // bounds and coordinates, functions of s
    expr X[3], edge[3][3];      // the point, and dX/ds_k
    expr det, vc[3];
    expr_subst at; // a field at the point
    double sign;   // of det: coordinates may be of the other hand
    double
        squares[N_SQUARES]; // integrals over the volume of the squares of fields and their slopes
    const char *why;
    bool failed;
} image;

/* Functions to be integrated, and where their integrals go. */
typedef struct list {
    expr e[LIST_MOST];
    double *to[LIST_MOST];
    int n, watched;
} list;

/* ---- algebra --------------------------------------------------------------------------------- */

static expr region_dot(image *g, const expr *a, const expr *b)
{
    expr sum = g->p->zero;
    for (int i = 0; i < 3; i++) sum = expr_add(g->p, sum, expr_mul(g->p, a[i], b[i]));
    return sum;
}

static void region_cross(image *g, const expr *a, const expr *b, expr *out)
{
    expr_pool *p = g->p;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = expr_sub(p, expr_mul(p, a[j], b[k]), expr_mul(p, a[k], b[j]));
    }
}

static void region_slopes(image *g, const expr *e, int n, const expr *by, int m, expr *out)
{
    if (!g->failed && !expr_jacobian(g->p, e, n, by, m, g->scratch, out, &g->why)) g->failed = true;
    for (int i = 0; i < n * m && g->failed; i++) out[i] = g->p->zero;
}

/* det(dY/ds), and the edges dY/ds_k. */
static expr region_determinant(image *g, const expr *y, expr edge[3][3])
{
    expr by[9], normal[3];
    region_slopes(g, y, 3, g->s, 3, by);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) edge[k][i] = by[3 * i + k];
    region_cross(g, edge[1], edge[2], normal);
    return region_dot(g, edge[0], normal);
}

static expr at_point(image *g, expr e)
{
    return expr_subst_apply(&g->at, e);
}

/* What is integrated over the cube for the rate of the integral of phi. */
static expr region_rate(image *g, expr phi, const expr *v)
{
    expr_pool *p = g->p;
    expr y[3], edge[3][3], slope;
    expr_subst moved, rest;
    expr_subst_init(&moved, p, g->scratch);
    for (int i = 0; i < 3; i++) {
        y[i] = expr_add(p, g->X[i], expr_mul(p, g->eps, v[i]));
        expr_subst_set(&moved, g->f->x[i], y[i]);
    }
    expr_subst_set(&moved, g->f->t, expr_add(p, g->f->t, g->eps));
    expr e = expr_mul(p, expr_subst_apply(&moved, phi), region_determinant(g, y, edge));
    region_slopes(g, &e, 1, &g->eps, 1, &slope);
    expr_subst_init(&rest, p, g->scratch);
    expr_subst_set(&rest, g->eps, p->zero);
    return expr_subst_apply(&rest, slope);
}

static void image_make(image *g)
{
    expr_pool *p = g->p;
    expr_subst to;
    expr_subst_init(&to, p, g->scratch);
    for (int k = 0; k < 3; k++) {
        g->s[k] = expr_var(p, FLAT_FORMAL + FORMAL_S + k, 0, TYPE_REAL, 0);
        g->low[k] = expr_subst_apply(&to, g->f->from[k]);
        g->high[k] = expr_subst_apply(&to, g->f->to[k]);
        g->u[k] = expr_add(p, g->low[k], expr_mul(p, expr_sub(p, g->high[k], g->low[k]), g->s[k]));
        expr_subst_init(&to, p, g->scratch);
        for (int i = 0; i <= k; i++) expr_subst_set(&to, g->f->u[i], g->u[i]);
    }
    g->eps = expr_var(p, FLAT_FORMAL + FORMAL_EPS, 0, TYPE_REAL, 0);
    for (int i = 0; i < 3; i++) g->X[i] = expr_subst_apply(&to, g->f->place[i]);
    g->det = region_determinant(g, g->X, g->edge);
    region_slopes(g, g->X, 3, &g->f->t, 1, g->vc);
    expr_subst_init(&g->at, p, g->scratch);
    for (int i = 0; i < 3; i++) expr_subst_set(&g->at, g->f->x[i], g->X[i]);
}

/* ---- what is integrated ---------------------------------------------------------------------- */

static void list_add(list *l, expr e, double *to)
{
    l->e[l->n] = e;
    l->to[l->n++] = to;
}

/* Times det: a density in space. */
static void list_density(image *g, list *l, expr e, double *to)
{
    list_add(l, expr_mul(g->p, at_point(g, e), g->det), to);
}

/* Sum of squares: resolved if its terms are, and without signs that cancel. */
static expr region_squares(image *g, const expr *e, int n)
{
    expr sum = g->p->zero;
    for (int i = 0; i < n; i++) sum = expr_add(g->p, sum, expr_mul(g->p, e[i], e[i]));
    return sum;
}

static void region_inside(image *g, list *l, region_integrals *o, double *unused)
{
    expr_pool *p = g->p;
    const region_fields *f = g->f;
    const expr *v = f->velocity, by[BY] = {f->x[0], f->x[1], f->x[2], f->t};
    expr all[FIELDS] = {f->density, f->field,    v[0],        v[1],
                        v[2],       f->pressure, f->internal, f->potential};
    expr d[FIELDS * BY], at_v[3];
    region_slopes(g, all, FIELDS, by, BY, d);
    for (int i = 0; i < 3; i++) at_v[i] = at_point(g, v[i]);

    // watched: moments, and squares of all that occurs
    const expr *x = f->x;
    list_density(g, l, f->density, &o->moments[0]);
    list_density(g, l, p->one, &o->volume); // VOLUME_AT
    for (int i = 0; i < 3; i++)
        list_density(g, l, expr_mul(p, f->density, x[i]), &o->moments[1 + i]);
    for (int i = 0; i < 3; i++) {
        list_density(g, l, expr_mul(p, f->density, expr_mul(p, x[i], x[i])), &o->moments[4 + i]);
        list_density(g, l, expr_mul(p, f->density, expr_mul(p, x[i], x[(i + 1) % 3])),
                     &o->moments[7 + i]);
    }
    list_density(g, l, f->field, &o->phi);
    for (int i = 0; i < FIELDS; i++)
        list_density(g, l,
                     expr_add(p, expr_mul(p, all[i], all[i]), region_squares(g, &d[i * BY], BY)),
                     &g->squares[i]);
    list_density(g, l, region_squares(g, f->force, 3), unused);
    list_add(l, expr_mul(p, region_squares(g, g->vc, 3), g->det), &g->squares[VC]);
    l->watched = l->n;

    // the field
    expr div = expr_add(p, d[V * BY], expr_add(p, d[(V + 1) * BY + 1], d[(V + 2) * BY + 2]));
    expr convective = region_dot(g, v, &d[PHI * BY]);
    expr flux = expr_add(p, convective, expr_mul(p, f->field, div));
    expr along = expr_add(p, d[PHI * BY + 3], convective);
    list_add(l, region_rate(g, f->field, g->vc), &o->phi_rate);
    list_add(l, region_rate(g, f->field, at_v), &o->phi_material_rate);
    list_density(g, l, d[PHI * BY + 3], &o->phi_t);
    list_density(g, l, expr_add(p, d[PHI * BY + 3], flux), &o->phi_flux);
    list_density(g, l, expr_add(p, along, expr_mul(p, f->field, div)), &o->phi_particle);
    for (int i = 0; i < 3; i++) list_density(g, l, d[PHI * BY + i], &o->gradient[i]);
    list_density(g, l, div, &o->divergence);

    // mass and momentum
    expr continuity = expr_add(p, d[RHO * BY + 3], region_dot(g, v, &d[RHO * BY]));
    list_add(l, region_rate(g, f->density, g->vc), &o->mass_rate);
    list_density(g, l, expr_add(p, continuity, expr_mul(p, f->density, div)), &o->continuity);
    for (int i = 0; i < 3; i++) {
        const expr *dv = &d[(V + i) * BY];
        expr a = expr_add(p, dv[3], region_dot(g, v, dv));
        list_density(g, l, expr_mul(p, f->density, a), &o->acceleration[i]);
        list_density(g, l, expr_mul(p, f->density, f->force[i]), &o->body_force[i]);
        list_add(l, region_rate(g, expr_mul(p, f->density, v[i]), g->vc), &o->momentum_rate[i]);
    }

    // energy
    expr half = expr_real(p, 0.5), kinetic = expr_mul(p, half, region_dot(g, v, v)), power[3];
    expr e = expr_add(p, f->internal, expr_add(p, kinetic, f->potential));
    for (int i = 0; i < 3; i++) power[i] = expr_add(p, f->force[i], d[POTENTIAL * BY + i]);
    list_density(g, l, expr_mul(p, f->density, f->internal), &o->internal);
    list_density(g, l, expr_mul(p, f->density, kinetic), &o->kinetic);
    list_density(g, l, expr_mul(p, f->density, f->potential), &o->potential);
    list_add(l, region_rate(g, expr_mul(p, f->density, e), g->vc), &o->energy_rate);
    list_density(g, l, expr_mul(p, f->density, region_dot(g, power, v)), &o->force_power);
}

/* On the face s_k = 1, or 0 (side -1): the outer normal times the element of area is +-X_i x X_j. */
static void region_face(image *g, int k, int side, list *l, region_integrals *o, double *unused)
{
    expr_pool *p = g->p;
    const region_fields *f = g->f;
    expr n[3], v[3], past[3];
    region_cross(g, g->edge[(k + 1) % 3], g->edge[(k + 2) % 3], n);
    for (int i = 0; i < 3; i++) {
        if (side < 0) n[i] = expr_neg(p, n[i]);
        v[i] = at_point(g, f->velocity[i]);
        past[i] = expr_sub(p, v[i], g->vc[i]);
    }
    expr phi = at_point(g, f->field), rho = at_point(g, f->density), pr = at_point(g, f->pressure);
    expr half = expr_real(p, 0.5),
         e = expr_add(p, at_point(g, f->internal), at_point(g, f->potential));
    e = expr_add(p, e, expr_mul(p, half, region_dot(g, v, v)));
    expr out = region_dot(g, past, n);
    // watched: squares of all fields over their means inside, so that what vanishes on a face counts
    // for nothing there
    expr sum = p->one, squares[N_SQUARES] = {[RHO] = rho, [PHI] = phi, [P] = pr};
    squares[INTERNAL] = at_point(g, f->internal);
    squares[POTENTIAL] = at_point(g, f->potential);
    for (int i = 0; i < 3; i++) squares[V + i] = v[i];
    for (int i = 0; i < N_SQUARES; i++) {
        double mean = fabs(g->squares[i] / o->volume);
        expr square = i == VC ? region_squares(g, g->vc, 3) : region_squares(g, &squares[i], 1);
        if (mean > 0) sum = expr_add(p, sum, expr_div(p, square, expr_real(p, mean)));
    }
    list_add(l, expr_mul(p, sum, region_squares(g, n, 3)), unused);
    l->watched = l->n;
    list_add(l, expr_mul(p, phi, region_dot(g, g->vc, n)), &o->phi_carried);
    list_add(l, expr_mul(p, phi, region_dot(g, v, n)), &o->phi_outflow);
    list_add(l, region_dot(g, v, n), &o->outflow);
    list_add(l, expr_mul(p, rho, out), &o->mass_outflow);
    list_add(l, expr_mul(p, expr_mul(p, rho, e), out), &o->energy_outflow);
    list_add(l, expr_neg(p, expr_mul(p, pr, region_dot(g, v, n))), &o->pressure_power);
    for (int i = 0; i < 3; i++) {
        list_add(l, expr_mul(p, phi, n[i]), &o->normal[i]);
        list_add(l, expr_neg(p, expr_mul(p, pr, n[i])), &o->pressure[i]);
        list_add(l, expr_mul(p, expr_mul(p, rho, v[i]), out), &o->momentum_outflow[i]);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int region_wrong(image *g, const char *words)
{
    diag_error(&g->m->ctx->diags, "C178", g->m->at, "%s", words);
    return VINC_E_MODEL;
}

/* Add the integrals to where they go. extra: coordinates and bounds, after the list. */
static int region_sum(image *g, const list *l, const expr *extra, int n_extra, int dims,
                      const char *const *names, double t, double tol)
{
    vinc_ctx *ctx = g->m->ctx;
    int n = l->n + (dims == 3 ? INTEGRAL_HIDDEN : 0), count = l->n + n_extra;
    expr *e = arena_array(g->scratch, expr, count);
    memcpy(e, l->e, sizeof *e * (size_t)l->n);
    memcpy(e + l->n, extra, sizeof *e * (size_t)n_extra);
    const char *why = NULL;
    routine_integral q = {.dims = dims, .n = n, .watched = l->watched, .region = dims == 3};
    q.name = names;
    q.integrand = program_for(g->m->flat, e, count, 1 + dims, &g->m->a, g->scratch, &why);
    if (!q.integrand) return region_wrong(g, why ? why : "the region cannot be computed");
    double found[LIST_MOST];
    routine_cause cause;
    if (routine_integrate(function_routines(g->m->flat), &q, &t, tol, found, &cause)) {
        if (dims == 3) g->sign = found[VOLUME_AT] < 0 ? -1 : 1;
        for (int i = 0; i < l->n; i++) *l->to[i] += g->sign * found[i];
        return VINC_OK;
    }
    text words;
    text_init(&words, &ctx->m);
    routine_integral_words(&cause, &words);
    int rc = region_wrong(g, text_str(&words));
    diag_note(&ctx->diags, (span){0}, "%s", routine_integral_cure(cause.fault));
    text_done(&words);
    return rc;
}

/* Over the volume: coordinates and bounds are watched for what a region must be. */
static int region_sum_volume(image *g, const list *l, double t, double tol)
{
    static const char *const names[] = {"u", "v", "w"};
    expr_pool *p = g->p;
    expr extra[INTEGRAL_HIDDEN + 9] = {expr_1(p, EXPR_ABS, g->det), g->det, p->one};
    for (int k = 0; k < 3; k++) {
        expr length = expr_1(p, EXPR_SQRT, region_dot(g, g->edge[k], g->edge[k]));
        extra[2] = expr_mul(p, extra[2], length);
        extra[3 + k] = g->u[k];
        extra[6 + k] = g->low[k];
        extra[9 + k] = g->high[k];
    }
    if (g->failed) return region_wrong(g, g->why ? g->why : "a field cannot be differentiated");
    return region_sum(g, l, extra, INTEGRAL_HIDDEN + 9, 3, names, t, tol);
}

static int region_volume(image *g, region_integrals *o, double t, double tol)
{
    list l = {.n = 0};
    double unused = 0;
    region_inside(g, &l, o, &unused);
    return region_sum_volume(g, &l, t, tol);
}

static int region_centre(image *g, region_integrals *o, double t, double tol)
{
    list l = {.n = 0};
    double unused = 0;
    list_density(g, &l, g->f->density, &unused);
    list_density(g, &l, g->p->one, &unused); // VOLUME_AT
    for (int i = 0; i < 3; i++) {
        expr square = expr_mul(g->p, g->f->x[i], g->f->x[i]);
        list_density(g, &l, expr_mul(g->p, g->f->density, square), &unused);
    }
    l.watched = l.n;
    for (int i = 0; i < 3; i++) {
        expr r = expr_sub(g->p, g->f->x[i], expr_real(g->p, o->moments[1 + i] / o->moments[0]));
        list_density(g, &l, expr_mul(g->p, g->f->density, r), &o->about_centre[i]);
    }
    return region_sum_volume(g, &l, t, tol);
}

static int region_surface(image *g, region_integrals *o, double t, double tol)
{
    static const char *const all[] = {"u", "v", "w"};
    expr_pool *p = g->p;
    int rc = VINC_OK;
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1 && !rc; side += 2) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            const char *names[] = {all[i], all[j]};
            list l = {.n = 0};
            double unused = 0;
            region_face(g, k, side, &l, o, &unused);
            expr_subst face;
            expr_subst_init(&face, p, g->scratch);
            expr_subst_set(&face, g->s[k], side < 0 ? p->zero : p->one);
            expr_subst_set(&face, g->s[i], g->s[0]);
            expr_subst_set(&face, g->s[j], g->s[1]);
            for (int m = 0; m < l.n; m++) l.e[m] = expr_subst_apply(&face, l.e[m]);
            expr extra[2] = {expr_subst_apply(&face, g->u[i]), expr_subst_apply(&face, g->u[j])};
            rc = region_sum(g, &l, extra, 2, 2, names, t, tol);
        }
    return rc;
}

static bool region_vanishes(const image *g, const expr *e, int n)
{
    double x;
    for (int i = 0; i < n; i++)
        if (!expr_number(g->p, e[i], &x) || x != 0) return false;
    return true;
}

int region_integrate(vinc_model *m, const region_fields *f, double t, double tol,
                     region_integrals *out)
{
    image g = {.m = m, .f = f, .p = m->flat->pool, .scratch = &m->ctx->scratch};
    *out = (region_integrals){0};
    image_make(&g);
    int rc = region_volume(&g, out, t, tol);
    if (!rc) rc = region_centre(&g, out, t, tol);
    if (!rc) rc = region_surface(&g, out, t, tol);
    if (rc) return rc;
    out->moves = !region_vanishes(&g, g.vc, 3);
    out->flows = !region_vanishes(&g, f->velocity, 3);
    out->presses = !region_vanishes(&g, &f->pressure, 1) || !region_vanishes(&g, f->force, 3);
    out->has_energy = out->flows || !region_vanishes(&g, &f->internal, 1) ||
                      !region_vanishes(&g, &f->potential, 1);
    return VINC_OK;
}
