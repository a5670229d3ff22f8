/* Locking and lability.
 *
 * Newton's matrix of a mechanism is regular but for two kinds of position. Where the constraints lose
 * rank, G' u = 0 leaves reactions open: the joints lock each other, and no force along u is held. For
 * the same reason G v = 0 has one solution more than nearby: the bodies in it are labile, they may
 * start in a way that the constraints forbid elsewhere. And where the mass matrix is singular on the
 * null space of G, a motion has no inertia: it is labile at every position.
 *
 * New directions are those of the null space here without those of the null space nearby. Unknowns are
 * named as the component calls them that stands highest, and components by the instances that have
 * equations.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/mobility.h"
#include "la/dense.h"
#include "run/verbs.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 6, AROUND = 3 };
static const double VANISHES = 1e-7;   // relative singular value
static const double TAKES_PART = 1e-3; // component of a unit vector
static const double NEW_LEAST = 0.1;   // of a new direction beside its largest component
static const double MOVE = 0.01;       // to a position nearby, of the size of each coordinate

/* ---- names ------------------------------------------------------------------------------------ */

typedef struct name_list {
    arena *a;
    ARRAY(const char *) at;
} name_list;

static void name_add(name_list *x, const char *name, size_t n)
{
    for (int k = 0; k < x->at.n; k++)
        if (strlen(x->at.at[k]) == n && !strncmp(x->at.at[k], name, n)) return;
    array_push(x->a, &x->at, arena_strndup(x->a, name, n));
}

static void name_print(const name_list *x, text *out)
{
    int shown = x->at.n > SHOWN ? SHOWN : x->at.n;
    for (int k = 0; k < shown; k++)
        text_printf(out, "%s'%s'",
                    !k                                   ? ""
                    : k + 1 == shown && shown == x->at.n ? " and "
                                                         : ", ",
                    x->at.at[k]);
    if (x->at.n > shown) text_printf(out, " and %d more", x->at.n - shown);
}

static int dots(const char *name)
{
    int n = 0;
    for (; *name; name++) n += *name == '.';
    return n;
}

/* The name of an unknown that stands highest among its aliases. */
static const char *highest_name(const structure *s, int unknown, arena *a)
{
    int of = s->unknowns.at[unknown].var;
    const char *best = flat_name_in(s->flat, of, a);
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *x = &s->vars[v];
        if (x->role != STRUCTURE_ALIAS || x->of != of || x->order) continue;
        if (dots(FLAT_NAME(s->flat, v)) < dots(best)) best = flat_name_in(s->flat, v, a);
    }
    return best;
}

/* The component that a variable belongs to: the longest part of its name that has equations. */
static void add_owner(const structure *s, const char *name, name_list *out)
{
    size_t best = 0;
    for (int i = 0; i < s->flat->equations.n; i++) {
        const char *of = s->flat->equations.at[i].instance;
        size_t n = of ? strlen(of) : 0;
        if (n > best && !strncmp(name, of, n) && name[n] == '.') best = n;
    }
    if (best) name_add(out, name, best);
}

static const char *keep_text(text *t, arena *a)
{
    const char *words = arena_strndup(a, text_str(t), t->n);
    text_done(t);
    return words;
}

/* ---- the null space of G ------------------------------------------------------------------------ */

typedef struct null_space {
    int m, n, lost;         // rows, columns, rows too many
    double limit;           // singular values up to here vanish
    double *sigma, *u, *vt; // max(m, n); m*m; n*n
} null_space;

static bool null_space_of(run_state *s, double t, const double *y, const double *yp, bool near,
                          arena *a, null_space *x)
{
    const code_rank *r = run_model(s)->rank;
    size_t m = (size_t)r->m, n = (size_t)r->n;
    double *G = arena_array(a, double, m *n),
           *work = arena_array(a, double, la_svd_work(r->m, r->n));
    *x = (null_space){.m = r->m, .n = r->n};
    x->sigma = arena_array(a, double, m + n);
    x->u = arena_array(a, double, m *m);
    x->vt = arena_array(a, double, n *n);
    if (!run_rank_matrix(s, t, y, yp, G) || la_svd(r->m, r->n, G, x->sigma, x->u, x->vt, work) < 0)
        return false;
    x->limit = VANISHES * x->sigma[0];
    if (near && r->m <= r->n) x->limit = fmax(x->limit, 10 * x->sigma[r->m - 1]);
    for (int k = 0; k < r->m; k++) x->lost += x->sigma[k] <= x->limit;
    return true;
}

/* The same without vectors: most points are regular. */
static bool loses_rank(run_state *s, double t, const double *y, const double *yp, arena *a)
{
    int m = run_model(s)->rank->m;
    double *sigma = arena_array(a, double, m);
    return run_rank(s, t, y, yp, sigma, NULL) >= 0 && sigma[m - 1] <= VANISHES * sigma[0];
}

static bool vanishes(const null_space *x, int k)
{
    return k >= x->m || x->sigma[k] <= x->limit;
}

/* The k-th position nearby, coordinates moved a little in a fixed sequence of signs. */
static double *move_nearby(run_state *s, const double *y, int k, arena *a)
{
    const code_model *m = run_model(s);
    const double *nominal = run_nominal(s);
    double *z = arena_array(a, double, m->n);
    uint32_t seed = 2463534242u + 7919u * (uint32_t)k;
    memcpy(z, y, (size_t)m->n * sizeof *z);
    for (int i = 0; i < m->n; i++) {
        int e = m->form->unknowns.at[i].entry;
        if (e < 0 || structure_order_of(m->s, e)) continue;
        seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5; // G. Marsaglia 2003
        z[i] += (seed & 1024 ? MOVE : -MOVE) * fmax(nominal[i], fabs(y[i]));
    }
    return z;
}

/* A position nearby that meets the constraints; NULL: none was found. */
static double *move_along(const inspect_point *p, const double *y, int k, arena *a)
{
    const code_model *m = run_model(p->st);
    double *z = arena_array(a, double, m->n), *kept = arena_array(a, double, p->n_values);
    memcpy(z, y, (size_t)m->n * sizeof *z);
    memcpy(kept, p->value, (size_t)p->n_values * sizeof *kept);
    bool met = inspect_nearby(p, k, MOVE, a);
    for (int e = 0; e < m->s->entries.n; e++) {
        image_place at = m->form->places[e];
        int u = m->s->entries.at[e].unknown, order = structure_order_of(m->s, e);
        if (at.where == IMAGE_IN_Y && order <= m->s->unknowns.at[u].d)
            z[at.at] = p->value[p->first[u] + order];
    }
    memcpy(p->value, kept, (size_t)p->n_values * sizeof *kept);
    return met ? z : NULL;
}

/* By column: its part in directions that are free here and not nearby, added to. */
static void add_new_directions(const null_space *here, const null_space *nearby, double *part,
                               arena *a)
{
    int n = here->n;
    double *v = arena_array(a, double, n);
    for (int k = 0; k < n; k++) {
        if (!vanishes(here, k)) continue;
        for (int j = 0; j < n; j++) v[j] = here->vt[k + j * n];
        for (int q = 0; q < n; q++) {
            double along = 0;
            if (!vanishes(nearby, q)) continue;
            for (int j = 0; j < n; j++) along += nearby->vt[q + j * n] * here->vt[k + j * n];
            for (int j = 0; j < n; j++) v[j] -= along * nearby->vt[q + j * n];
        }
        for (int j = 0; j < n; j++) part[j] = fmax(part[j], fabs(v[j]));
    }
}

/* ---- in words ----------------------------------------------------------------------------------- */

/* Components of the reactions that are open, or else of the constraints that depend on each other. */
static const char *tell_locked(run_state *s, const null_space *x, bool everywhere,
                               const int_array *open, arena *a)
{
    const code_model *m = run_model(s);
    name_list owners = {.a = a}, reactions = {.a = a};
    for (int k = 0; k < open->n; k++) {
        const structure_entry *e = &m->s->entries.at[open->at[k]];
        if (structure_order_of(m->s, open->at[k]) || m->s->unknowns.at[e->unknown].d) continue;
        const char *name = highest_name(m->s, e->unknown, a);
        name_add(&reactions, name, strlen(name));
        add_owner(m->s, name, &owners);
    }
    bool named = owners.at.n > 0;
    for (int i = 0; i < x->m && !named; i++) {
        double share = 0;
        for (int k = 0; k < x->m; k++)
            if (vanishes(x, k)) share = fmax(share, fabs(x->u[i + k * x->m]));
        const structure_equation *e = &m->s->equations.at[m->rank->equation[i]];
        const char *of = e->flat < 0 ? NULL : m->s->flat->equations.at[e->flat].instance;
        if (share >= TAKES_PART && of && *of) name_add(&owners, of, strlen(of));
    }
    text t;
    text_init(&t, a->m);
    name_print(&owners, &t);
    text_printf(&t, "%s%d of the constraints follow%s from the others %s", owners.at.n ? ": " : "",
                x->lost, x->lost == 1 ? "s" : "",
                everywhere ? "at every position" : "at this position, not nearby");
    if (reactions.at.n) {
        text_add(&t, "; not determined: ");
        name_print(&reactions, &t);
        text_printf(&t, ", and what follows from %s", reactions.at.n > 1 ? "them" : "it");
    }
    return keep_text(&t, a);
}

/* part: of each column in what is new; lost: constraints nearby that follow from others. */
static const char *tell_labile(run_state *s, const null_space *here, const double *part, int lost,
                               arena *a)
{
    const code_model *m = run_model(s);
    name_list owners = {.a = a}, coordinates = {.a = a};
    double most = 0;
    for (int j = 0; j < here->n; j++) most = fmax(most, part[j]);
    for (int round = 0; round < 2 && !coordinates.at.n; round++)
        for (int j = 0; j < here->n; j++) {
            int u = m->rank->unknown[j];
            // Coordinates, before the points of components that follow from them.
            bool moves = m->s->vars[m->s->unknowns.at[u].var].differentiated > 0;
            if (part[j] < NEW_LEAST * most || (!round && !moves)) continue;
            const char *name = highest_name(m->s, u, a);
            name_add(&coordinates, name, strlen(name));
            add_owner(m->s, name, &owners);
        }
    text t;
    text_init(&t, a->m);
    int ways = here->n - here->m + here->lost;
    name_print(owners.at.n ? &owners : &coordinates, &t);
    text_printf(&t, " may start to move in %d way%s, nearby in %d", ways, ways == 1 ? "" : "s",
                ways - here->lost + lost);
    if (owners.at.n) {
        text_add(&t, ": ");
        name_print(&coordinates, &t);
    }
    return keep_text(&t, a);
}

/* Accelerations that no inertia determines. */
static const char *tell_massless(run_state *s, const int_array *open, arena *a)
{
    const structure *x = run_model(s)->s;
    name_list owners = {.a = a}, coordinates = {.a = a};
    for (int k = 0; k < open->n; k++) {
        const structure_entry *e = &x->entries.at[open->at[k]];
        if (structure_order_of(x, open->at[k]) < 2) continue;
        const char *name = highest_name(x, e->unknown, a);
        name_add(&coordinates, name, strlen(name));
        add_owner(x, name, &owners);
    }
    if (!coordinates.at.n) return NULL;
    text t;
    text_init(&t, a->m);
    name_print(owners.at.n ? &owners : &coordinates, &t);
    text_add(&t,
             " may move freely: nothing gives inertia to a motion that the constraints leave free");
    if (owners.at.n) {
        text_add(&t, ", of ");
        name_print(&coordinates, &t);
    }
    return keep_text(&t, a);
}

void inspect_mobility_at(run_state *s, double t, const double *y, const double *yp, bool near,
                         const inspect_point *p, arena *a, inspect_mobility *out)
{
    null_space here = {0};
    int_array open = {0};
    *out = (inspect_mobility){0};
    if (run_model(s)->rank && (near || loses_rank(s, t, y, yp, a)) &&
        !null_space_of(s, t, y, yp, near, a, &here))
        return;
    start_undetermined(s, t, y, yp, a, &open);
    if (!here.lost) {
        out->labile = tell_massless(s, &open, a);
        return;
    }
    double *part = arena_array(a, double, here.n);
    int lost = here.lost;
    for (int k = 0; k < AROUND; k++) {
        null_space nearby;
        const double *z = p ? move_along(p, y, k, a) : NULL;
        if (!z) z = move_nearby(s, y, k, a);
        if (!null_space_of(s, t, z, yp, false, a, &nearby)) continue;
        if (nearby.lost < lost) lost = nearby.lost;
        if (nearby.lost < here.lost) add_new_directions(&here, &nearby, part, a);
    }
    out->surplus = lost;
    bool everywhere = lost == here.lost;
    out->locked = tell_locked(s, &here, everywhere, &open, a);
    if (!everywhere) out->labile = tell_labile(s, &here, part, lost, a);
}
