/* The graph algorithms against brute force on many small random patterns.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "random.h"

typedef struct fixture {
    mem m;
    arena a, s;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    arena_init(&f->s, &f->m);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->a);
    arena_done(&f->s);
    free(f);
    return 0;
}

static void transpose_and_select(void **state)
{
    fixture *f = *state;
    random_source r = {7};
    for (int k = 0; k < 100; k++) {
        graph_pattern g = random_pattern(&r, 1 + below(&r, 8), 1 + below(&r, 8), 3, &f->a);
        graph_pattern t = graph_transpose(&g, &f->a);
        assert_int_equal(t.start[t.n_rows], g.start[g.n_rows]);
        for (int i = 0; i < g.n_rows; i++)
            for (int j = 0; j < g.n_cols; j++) assert_int_equal(has(&g, i, j), has(&t, j, i));
        int rows[] = {g.n_rows - 1, 0}, cols[] = {g.n_cols - 1};
        const int *entry;
        graph_pattern s = graph_select(&g, rows, 2, cols, 1, &entry, &f->a, &f->a);
        for (int i = 0; i < 2; i++) assert_int_equal(has(&s, i, 0), has(&g, rows[i], cols[0]));
        for (int p = 0; p < s.start[2]; p++) assert_int_equal(g.col[entry[p]], cols[0]);
        s = graph_select(&g, NULL, 0, NULL, 0, NULL, &f->a, &f->s);
        assert_int_equal(s.start[s.n_rows], g.start[g.n_rows]);
    }
}

// ---- matching ----------------------------------------------------------------------------------

// Most columns of each rank that a largest matching can have, lexicographically: over all subsets
// of columns (bit masks), reached row by row.
static void best_ranks(const graph_pattern *g, const int *rank, int *size, int best[3])
{
    static uint8_t can[1 << 8], next[1 << 8];
    int n = 1 << g->n_cols;
    memset(can, 0, sizeof can);
    can[0] = 1;
    for (int i = 0; i < g->n_rows; i++) {
        memcpy(next, can, sizeof can);
        for (int set = 0; set < n; set++)
            for (int p = g->start[i]; can[set] && p < g->start[i + 1]; p++)
                next[set | 1 << g->col[p]] |= !(set >> g->col[p] & 1);
        memcpy(can, next, sizeof can);
    }
    *size = 0;
    memset(best, 0, 3 * sizeof *best);
    for (int set = 0; set < n; set++) {
        int count[3] = {0}, total = 0;
        for (int j = 0; j < g->n_cols; j++)
            if (set >> j & 1) count[rank[j]]++, total++;
        if (!can[set] || total < *size) continue;
        if (total > *size || memcmp(count, best, sizeof count) == 0 || count[0] > best[0] ||
            (count[0] == best[0] && count[1] > best[1])) {
            *size = total;
            memcpy(best, count, sizeof count);
        }
    }
}

static void check_matching(const graph_pattern *g, const graph_matching *m)
{
    int n = 0;
    for (int i = 0; i < g->n_rows; i++) {
        if (m->col[i] < 0) continue;
        n++;
        assert_int_equal(m->row[m->col[i]], i);
        assert_true(has(g, i, m->col[i]));
    }
    for (int j = 0; j < g->n_cols; j++)
        if (m->row[j] >= 0) assert_int_equal(m->col[m->row[j]], j);
    assert_int_equal(n, m->n);
}

static void matchings_are_largest(void **state)
{
    fixture *f = *state;
    random_source r = {1};
    for (int k = 0; k < 3000; k++) {
        graph_pattern g =
            random_pattern(&r, below(&r, 8), 1 + below(&r, 8), 2 + below(&r, 4), &f->a);
        int rank[8], size, best[3];
        for (int j = 0; j < g.n_cols; j++) rank[j] = below(&r, 3);
        best_ranks(&g, rank, &size, best);
        graph_matching m = graph_match(&g, NULL, &f->a, &f->s);
        check_matching(&g, &m);
        assert_int_equal(m.n, size);
        graph_matching ranked = graph_match(&g, rank, &f->a, &f->s);
        check_matching(&g, &ranked);
        assert_int_equal(ranked.n, size);
        int count[3] = {0};
        for (int j = 0; j < g.n_cols; j++)
            if (ranked.row[j] >= 0) count[rank[j]]++;
        assert_memory_equal(count, best, sizeof count);
    }
}

static void matching_grows_from_a_given_one(void **state)
{
    fixture *f = *state;
    int start[] = {0, 2, 3}, col[] = {0, 1, 0}; // row 0 holds column 0, which row 1 needs
    graph_pattern g = {2, 2, start, col};
    int cols[] = {0, -1}, rows[] = {0, -1};
    graph_matching m = {1, cols, rows};
    graph_extend(&g, NULL, &m, &f->s);
    assert_int_equal(m.n, 2);
    check_matching(&g, &m);
}

// ---- decomposition -----------------------------------------------------------------------------

// Size of a maximum matching without row `i` and column `j` (-1: with all).
static int size_without(fixture *f, const graph_pattern *g, int i, int j)
{
    int rows[8], cols[8], n_rows = 0, n_cols = 0;
    for (int k = 0; k < g->n_rows; k++)
        if (k != i) rows[n_rows++] = k;
    for (int k = 0; k < g->n_cols; k++)
        if (k != j) cols[n_cols++] = k;
    graph_pattern s = graph_select(g, rows, n_rows, cols, n_cols, NULL, &f->a, &f->a);
    return graph_match(&s, NULL, &f->a, &f->a).n;
}

// A row is in the over-determined part if and only if some maximum matching leaves out a row that
// an alternating path connects to it, i.e. some maximum matching leaves out the row itself, or the
// row is all that its part has. By definition: rows that some maximum matching leaves out are in
// the over-determined part, and its columns are those adjacent to such rows.
static void parts_by_definition(void **state)
{
    fixture *f = *state;
    random_source r = {2};
    for (int k = 0; k < 1000; k++) {
        graph_pattern g =
            random_pattern(&r, 1 + below(&r, 7), 1 + below(&r, 7), 2 + below(&r, 4), &f->a);
        graph_matching m = graph_match(&g, NULL, &f->a, &f->s);
        uint8_t row_part[8], col_part[8], over_col[8] = {0}, under_row[8] = {0};
        graph_parts(&g, &m, row_part, col_part, &f->s);
        for (int i = 0; i < g.n_rows; i++) {
            bool spare = size_without(f, &g, i, -1) == m.n;
            assert_int_equal(row_part[i] == GRAPH_OVER, spare);
            for (int j = 0; j < g.n_cols; j++)
                if (spare && has(&g, i, j)) over_col[j] = 1;
        }
        for (int j = 0; j < g.n_cols; j++) {
            bool spare = size_without(f, &g, -1, j) == m.n;
            assert_int_equal(col_part[j] == GRAPH_UNDER, spare);
            assert_int_equal(col_part[j] == GRAPH_OVER, over_col[j]);
            for (int i = 0; i < g.n_rows; i++)
                if (spare && has(&g, i, j)) under_row[i] = 1;
        }
        for (int i = 0; i < g.n_rows; i++)
            assert_int_equal(row_part[i] == GRAPH_UNDER, under_row[i]);
    }
}

static void components_by_reachability(void **state)
{
    fixture *f = *state;
    random_source r = {3};
    for (int k = 0; k < 1000; k++) {
        int n = 1 + below(&r, 9);
        graph_pattern g = random_pattern(&r, n, n, 2 + below(&r, 6), &f->a);
        bool to[9][9] = {{0}};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) to[i][j] = i == j || has(&g, i, j);
        for (int v = 0; v < n; v++) // Warshall
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) to[i][j] = to[i][j] || (to[i][v] && to[v][j]);
        graph_blocks b = graph_components(&g, &f->a, &f->s);
        int block[9];
        for (int c = 0; c < b.n; c++)
            for (int p = b.start[c]; p < b.start[c + 1]; p++) {
                block[b.item[p]] = c;
                if (p > b.start[c]) assert_true(b.item[p - 1] < b.item[p]);
            }
        assert_int_equal(b.start[b.n], n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                assert_int_equal(block[i] == block[j], to[i][j] && to[j][i]);
                if (to[i][j]) assert_true(block[j] <= block[i]); // what it needs comes first
            }
    }
}

static void blt_is_lower_triangular_and_finest(void **state)
{
    fixture *f = *state;
    random_source r = {4};
    for (int k = 0; k < 500; k++) {
        int n = 1 + below(&r, 8);
        graph_pattern g = random_pattern(&r, n, n, 2 + below(&r, 4), &f->a);
        graph_matching m = graph_match(&g, NULL, &f->a, &f->s);
        graph_blocks b = graph_blt(&g, &m, &f->a, &f->s);
        assert_int_equal(b.start[b.n], m.n);
        int known[8] = {0};
        for (int j = 0; j < n; j++) known[j] = m.row[j] < 0;
        for (int c = 0; c < b.n; c++) {
            for (int p = b.start[c]; p < b.start[c + 1]; p++) known[m.col[b.item[p]]] = 1;
            for (int p = b.start[c]; p < b.start[c + 1]; p++)
                for (int j = 0; j < n; j++)
                    if (has(&g, b.item[p], j)) assert_true(known[j]);
            // Irreducible: without any pair of a larger block it still has a complete matching only
            // if every row can take another column, which strong connection means.
            int size = b.start[c + 1] - b.start[c], rows[8], cols[8];
            for (int p = 0; p < size; p++) {
                rows[p] = b.item[b.start[c] + p];
                cols[p] = m.col[rows[p]];
            }
            graph_pattern s = graph_select(&g, rows, size, cols, size, NULL, &f->a, &f->a);
            for (int i = 0; size > 1 && i < size; i++)
                for (int j = 0; j < size; j++)
                    if (has(&s, i, j)) assert_int_equal(size_without(f, &s, i, j), size - 1);
        }
    }
}

// ---- tearing -----------------------------------------------------------------------------------

static void check_tearing(const graph_pattern *g, const uint8_t *solvable, const graph_tearing *t)
{
    uint8_t known[16] = {0}, used[16] = {0};
    for (int k = 0; k < t->n_torn; k++) {
        assert_true(k == 0 || t->torn[k - 1] < t->torn[k]);
        known[t->torn[k]] = 1;
    }
    for (int k = 0; k < t->n_steps; k++) {
        int i = t->row[k], j = t->col[k], at = -1;
        assert_false(used[i] || known[j]);
        for (int p = g->start[i]; p < g->start[i + 1]; p++) {
            if (g->col[p] == j) at = p;
            else assert_true(known[g->col[p]]); // everything else is known already
        }
        assert_true(at >= 0 && solvable[at]);
        used[i] = known[j] = 1;
    }
    for (int k = 0; k < t->n_residual; k++) {
        assert_false(used[t->residual[k]]);
        used[t->residual[k]] = 1;
    }
    for (int i = 0; i < g->n_rows; i++) assert_true(used[i]);
    for (int j = 0; j < g->n_cols; j++) assert_true(known[j]);
}

// Fewest torn columns: try all sets; with a set known, solving greedily is confluent, so that the
// largest explicit part follows. Rows with one unknown only; the tail rule changes no count.
static int fewest(const graph_pattern *g, const uint8_t *solvable)
{
    int best = g->n_cols;
    for (int set = 0; set < 1 << g->n_cols; set++) {
        int known = set, n = __builtin_popcount((unsigned)set), used = 0;
        for (bool more = true; more;) {
            more = false;
            for (int i = 0; i < g->n_rows; i++) {
                int open = -1, count = 0;
                for (int p = g->start[i]; p < g->start[i + 1]; p++)
                    if (!(known >> g->col[p] & 1)) open = p, count++;
                if (used >> i & 1 || count != 1 || !solvable[open]) continue;
                used |= 1 << i;
                known |= 1 << g->col[open];
                more = true;
            }
        }
        if (known == (1 << g->n_cols) - 1 && n < best) best = n;
    }
    return best;
}

static void tearing_is_valid_and_near_the_best(void **state)
{
    fixture *f = *state;
    random_source r = {5};
    int total = 0, least = 0;
    for (int k = 0; k < 600; k++) {
        int n = 2 + below(&r, 7);
        graph_pattern g = random_pattern(&r, n, n, 2 + below(&r, 3), &f->a);
        uint8_t solvable[64];
        int bonus[8];
        for (int p = 0; p < g.start[n]; p++) solvable[p] = below(&r, 4) != 0;
        for (int j = 0; j < n; j++) bonus[j] = below(&r, 2);
        graph_tearing t = graph_tear(&g, solvable, bonus, &f->a, &f->a);
        check_tearing(&g, solvable, &t);
        t = graph_tear(&g, solvable, NULL, &f->a, &f->s);
        check_tearing(&g, solvable, &t);
        assert_int_equal(t.n_torn, t.n_residual); // square
        int best = fewest(&g, solvable);
        assert_true(t.n_torn >= best);
        total += t.n_torn;
        least += best;
    }
    assert_true(total <= least * 11 / 10); // a heuristic: within a tenth of the optimum on average
}

static void tearing_of_known_cases(void **state)
{
    fixture *f = *state;
    // A ring x_i = f(x_(i-1)): one torn variable.
    int start[] = {0, 2, 4, 6, 8, 10}, col[] = {0, 4, 1, 0, 2, 1, 3, 2, 4, 3};
    uint8_t all[10], none[10] = {0};
    memset(all, 1, sizeof all);
    graph_pattern ring = {5, 5, start, col};
    graph_tearing t = graph_tear(&ring, all, NULL, &f->a, &f->s);
    assert_int_equal(t.n_torn, 1);
    int bonus[] = {0, 0, 0, 9, 0}; // the one that is asked for
    t = graph_tear(&ring, all, bonus, &f->a, &f->s);
    assert_int_equal(t.n_torn, 1);
    assert_int_equal(t.torn[0], 3);
    t = graph_tear(&ring, none, NULL, &f->a, &f->s); // nothing explicit: all torn
    assert_int_equal(t.n_torn, 5);
    assert_int_equal(t.n_steps, 0);
}

// ---- offsets -----------------------------------------------------------------------------------

enum { NO = -1000 };

static int sigma_at(const graph_pattern *g, const int *sigma, int i, int j)
{
    for (int p = g->start[i]; p < g->start[i + 1]; p++)
        if (g->col[p] == j) return sigma[p];
    return NO;
}

// Highest value over all transversals of rows i ... n-1 with the columns in `taken` used.
static int highest(const graph_pattern *g, const int *sigma, int i, unsigned taken)
{
    if (i == g->n_rows) return 0;
    int best = NO;
    for (int p = g->start[i]; p < g->start[i + 1]; p++) {
        if (taken >> g->col[p] & 1) continue;
        int v = sigma[p] + highest(g, sigma, i + 1, taken | 1u << g->col[p]);
        if (v > best) best = v;
    }
    return best;
}

static void offsets_are_smallest(void **state)
{
    fixture *f = *state;
    random_source r = {6};
    int regular = 0;
    for (int k = 0; k < 3000; k++) {
        int n = 1 + below(&r, 6), sigma[36], c[6], d[6];
        graph_pattern g = random_pattern(&r, n, n, 1 + below(&r, 3), &f->a);
        for (int p = 0; p < g.start[n]; p++) sigma[p] = below(&r, 4) ? below(&r, 3) : 0;
        graph_matching m;
        int size = graph_offsets(&g, sigma, &m, c, d, &f->a, &f->s),
            best = highest(&g, sigma, 0, 0);
        check_matching(&g, &m);
        if (best < 0) {
            assert_true(size < n);
            assert_int_equal(size, graph_match(&g, NULL, &f->a, &f->s).n);
            continue;
        }
        regular++;
        assert_int_equal(size, n);
        int value = 0;
        for (int i = 0; i < n; i++) value += sigma_at(&g, sigma, i, m.col[i]);
        assert_int_equal(value, best);
        // Smallest offsets: Pryce's fixed-point iteration on this transversal.
        int c0[6] = {0}, d0[6];
        for (bool more = true; more;) {
            more = false;
            for (int j = 0; j < n; j++) {
                d0[j] = 0;
                for (int i = 0; i < n; i++)
                    if (sigma_at(&g, sigma, i, j) + c0[i] > d0[j])
                        d0[j] = sigma_at(&g, sigma, i, j) + c0[i];
            }
            for (int i = 0; i < n; i++) {
                int now = d0[m.col[i]] - sigma_at(&g, sigma, i, m.col[i]);
                more = more || now != c0[i];
                c0[i] = now;
            }
        }
        assert_memory_equal(c, c0, (size_t)n * sizeof *c);
        assert_memory_equal(d, d0, (size_t)n * sizeof *d);
    }
    assert_true(regular > 1000);
}

// The pendulum in Cartesian coordinates, Pryce 2001, example 1: x'' = -x L, y'' = -y L - g,
// x^2 + y^2 = l^2 has c = (0, 0, 2), d = (2, 2, 0).
static void offsets_of_the_pendulum(void **state)
{
    fixture *f = *state;
    int start[] = {0, 2, 4, 6}, col[] = {0, 2, 1, 2, 0, 1}, sigma[] = {2, 0, 2, 0, 0, 0};
    graph_pattern g = {3, 3, start, col};
    graph_matching m;
    int c[3], d[3];
    assert_int_equal(graph_offsets(&g, sigma, &m, c, d, &f->a, &f->s), 3);
    assert_int_equal(c[0], 0);
    assert_int_equal(c[1], 0);
    assert_int_equal(c[2], 2);
    assert_int_equal(d[0], 2);
    assert_int_equal(d[1], 2);
    assert_int_equal(d[2], 0);
}

// ---- colouring ---------------------------------------------------------------------------------

static void colours_do_not_meet(void **state)
{
    fixture *f = *state;
    random_source r = {8};
    for (int k = 0; k < 300; k++) {
        graph_pattern g = random_pattern(&r, 1 + below(&r, 9), 1 + below(&r, 9), 4, &f->a);
        int colour[9], n = graph_colour(&g, colour, &f->s), longest = 0;
        for (int j = 0; j < g.n_cols; j++) assert_in_range(colour[j], 0, n - 1);
        for (int i = 0; i < g.n_rows; i++) {
            unsigned seen = 0;
            for (int p = g.start[i]; p < g.start[i + 1]; p++) {
                assert_false(seen >> colour[g.col[p]] & 1);
                seen |= 1u << colour[g.col[p]];
            }
            if (g.start[i + 1] - g.start[i] > longest) longest = g.start[i + 1] - g.start[i];
        }
        assert_true(n >= longest);
    }
    int start[101], col[300], colour[100], n = 0; // tridiagonal: three
    for (int i = 0; i < 100; i++) {
        start[i] = n;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < 100) col[n++] = j;
    }
    start[100] = n;
    graph_pattern band = {100, 100, start, col};
    assert_int_equal(graph_colour(&band, colour, &f->s), 3);
}

#define unit(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(transpose_and_select),
        unit(matchings_are_largest),
        unit(matching_grows_from_a_given_one),
        unit(parts_by_definition),
        unit(components_by_reachability),
        unit(blt_is_lower_triangular_and_finest),
        unit(tearing_is_valid_and_near_the_best),
        unit(tearing_of_known_cases),
        unit(offsets_are_smallest),
        unit(offsets_of_the_pendulum),
        unit(colours_do_not_meet),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
