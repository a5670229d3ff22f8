/* Boundaries of regions on a grid.
 *
 * The grid is surrounded by one ring of points outside the region, so that every boundary closes.
 * Each edge between a point inside and one outside carries one crossing; each cell joins the
 * crossings on its edges in pairs, the inside on the left. Following the pairs gives the loops.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/path.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct grid {
    const plot_region_spec *r;
    int nx, ny;          // with the ring
    unsigned char *left; // unvisited cells: bits of the edges at which a boundary enters
} grid;

enum { BOTTOM, RIGHT, TOP, LEFT, EDGES };

static bool on_border(const grid *g, int i, int j)
{
    return i == 0 || j == 0 || i == g->nx - 1 || j == g->ny - 1;
}

static double grid_value(const grid *g, int i, int j)
{
    if (on_border(g, i, j)) return INFINITY;
    double v = g->r->values[(size_t)(j - 1) * (size_t)g->r->nx + (size_t)(i - 1)];
    return isnan(v) ? INFINITY : v;
}

static bool below_level(const grid *g, int i, int j)
{
    return grid_value(g, i, j) <= g->r->level;
}

static double place_x(const grid *g, int i)
{
    int k = i - 1 < 0 ? 0 : i - 1 > g->r->nx - 1 ? g->r->nx - 1 : i - 1;
    return g->r->x0 + (g->r->x1 - g->r->x0) * k / (g->r->nx - 1);
}

static double place_y(const grid *g, int j)
{
    int k = j - 1 < 0 ? 0 : j - 1 > g->r->ny - 1 ? g->r->ny - 1 : j - 1;
    return g->r->y0 + (g->r->y1 - g->r->y0) * k / (g->r->ny - 1);
}

/* Corner k of cell (i, j), counter-clockwise from the lower left; edge k goes from corner k to k+1. */
static void grid_corner(int i, int j, int k, int *ci, int *cj)
{
    *ci = i + (k == 1 || k == 2);
    *cj = j + (k == 2 || k == 3);
}

static void edge_crossing(const grid *g, int i, int j, int edge, double *x, double *y, bool *border)
{
    int ai, aj, bi, bj;
    grid_corner(i, j, edge, &ai, &aj);
    grid_corner(i, j, (edge + 1) % EDGES, &bi, &bj);
    double a = grid_value(g, ai, aj), b = grid_value(g, bi, bj);
    double s = (g->r->level - a) / (b - a); // towards the point outside
    if (!isfinite(a)) s = isfinite(b) ? 1 : 0.5;
    else if (!isfinite(b)) s = 0;
    *x = place_x(g, ai) + s * (place_x(g, bi) - place_x(g, ai));
    *y = place_y(g, aj) + s * (place_y(g, bj) - place_y(g, aj));
    *border = on_border(g, ai, aj) || on_border(g, bi, bj);
}

static int cell_corners(const grid *g, int i, int j)
{
    int bits = 0;
    for (int k = 0; k < EDGES; k++) {
        int ci, cj;
        grid_corner(i, j, k, &ci, &cj);
        bits |= below_level(g, ci, cj) << k;
    }
    return bits;
}

/* A boundary enters a cell through an edge that goes from inside to outside (counter-clockwise),
 * and leaves through one that goes from outside to inside. */
static int exit_of(const grid *g, int i, int j, int enter)
{
    int bits = cell_corners(g, i, j);
    bool saddle = bits == 5 || bits == 10;
    if (!saddle) {
        for (int k = 0; k < EDGES; k++)
            if (!(bits >> k & 1) && (bits >> (k + 1) % EDGES & 1)) return k;
    }
    double mean = (grid_value(g, i, j) + grid_value(g, i + 1, j) + grid_value(g, i, j + 1) +
                   grid_value(g, i + 1, j + 1)) /
                  4;
    // the middle inside: the two outer corners are cut off one by one; else the two inner ones
    return mean <= g->r->level ? (enter + 1) % EDGES : (enter + 3) % EDGES;
}

static void follow_boundary(plot_path *p, const grid *g, int i, int j, int enter, bool open_border)
{
    double x, y;
    bool border, was_border;
    edge_crossing(g, i, j, enter, &x, &y, &was_border);
    plot_path_push(p, x, y, true);
    for (;;) {
        unsigned char *cell = &g->left[(size_t)j * (size_t)(g->nx - 1) + (size_t)i];
        if (!(*cell >> enter & 1)) return; // back at the start
        *cell &= (unsigned char)~(1u << enter);
        int leave = exit_of(g, i, j, enter);
        edge_crossing(g, i, j, leave, &x, &y, &border);
        plot_path_push(p, x, y, open_border && border && was_border);
        was_border = border;
        i += (leave == RIGHT) - (leave == LEFT);
        j += (leave == TOP) - (leave == BOTTOM);
        enter = (leave + 2) % EDGES;
    }
}

void plot_path_contour(plot_path *p, const plot_region_spec *r, bool open_border)
{
    if (r->nx < 2 || r->ny < 2) return;
    grid g = {.r = r, .nx = r->nx + 2, .ny = r->ny + 2};
    size_t cells = (size_t)(g.nx - 1) * (size_t)(g.ny - 1);
    g.left = mem_try(p->m, cells);
    if (!g.left) {
        p->failed = true;
        return;
    }
    for (int j = 0; j < g.ny - 1; j++)
        for (int i = 0; i < g.nx - 1; i++) {
            int bits = cell_corners(&g, i, j), enters = 0;
            for (int k = 0; k < EDGES; k++)
                enters |= ((bits >> k & 1) && !(bits >> (k + 1) % EDGES & 1)) << k;
            g.left[(size_t)j * (size_t)(g.nx - 1) + (size_t)i] = (unsigned char)enters;
        }
    for (int j = 0; j < g.ny - 1; j++)
        for (int i = 0; i < g.nx - 1; i++)
            for (int k = 0; k < EDGES; k++)
                if (g.left[(size_t)j * (size_t)(g.nx - 1) + (size_t)i] >> k & 1)
                    follow_boundary(p, &g, i, j, k, open_border);
    mem_free(p->m, g.left, cells);
}
