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

static void transpose(void **state)
{
    fixture *f = *state;
    random_source r = {7};
    for (int k = 0; k < 100; k++) {
        graph_pattern g = random_pattern(&r, 1 + below(&r, 8), 1 + below(&r, 8), 3, &f->a);
        graph_pattern t = graph_transpose(&g, &f->a);
        assert_int_equal(t.start[t.n_rows], g.start[g.n_rows]);
        for (int i = 0; i < g.n_rows; i++)
            for (int j = 0; j < g.n_cols; j++) assert_int_equal(has(&g, i, j), has(&t, j, i));
    }
}

// ---- matching ----------------------------------------------------------------------------------

// Most rows of each rank that a largest matching can have, lexicographically: over all subsets of
// rows (bit masks), reached column by column; t is the pattern by columns.
static void best_ranks(const graph_pattern *t, const int *rank, int *size, int best[3])
{
    static uint8_t can[1 << 8], next[1 << 8];
    int n = 1 << t->n_cols;
    memset(can, 0, sizeof can);
    can[0] = 1;
    for (int i = 0; i < t->n_rows; i++) {
        memcpy(next, can, sizeof can);
        for (int set = 0; set < n; set++)
            for (int p = t->start[i]; can[set] && p < t->start[i + 1]; p++)
                next[set | 1 << t->col[p]] |= !(set >> t->col[p] & 1);
        memcpy(can, next, sizeof can);
    }
    *size = 0;
    memset(best, 0, 3 * sizeof *best);
    for (int set = 0; set < n; set++) {
        int count[3] = {0}, total = 0;
        for (int j = 0; j < t->n_cols; j++)
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
        if (m->col_of[i] < 0) continue;
        n++;
        assert_int_equal(m->row_of[m->col_of[i]], i);
        assert_true(has(g, i, m->col_of[i]));
    }
    for (int j = 0; j < g->n_cols; j++)
        if (m->row_of[j] >= 0) assert_int_equal(m->col_of[m->row_of[j]], j);
    assert_int_equal(n, m->n);
}

static void matchings_are_largest(void **state)
{
    fixture *f = *state;
    random_source r = {1};
    for (int k = 0; k < 3000; k++) {
        graph_pattern g =
            random_pattern(&r, 1 + below(&r, 7), 1 + below(&r, 8), 2 + below(&r, 4), &f->a);
        graph_pattern t = graph_transpose(&g, &f->a);
        int rank[8], size, best[3];
        for (int i = 0; i < g.n_rows; i++) rank[i] = below(&r, 3);
        best_ranks(&t, rank, &size, best);
        graph_matching m = graph_match(&g, NULL, &f->a, &f->s);
        check_matching(&g, &m);
        assert_int_equal(m.n, size);
        graph_matching ranked = graph_match(&g, rank, &f->a, &f->s);
        check_matching(&g, &ranked);
        assert_int_equal(ranked.n, size);
        int count[3] = {0};
        for (int i = 0; i < g.n_rows; i++)
            if (ranked.col_of[i] >= 0) count[rank[i]]++;
        assert_memory_equal(count, best, sizeof count);
        rank[0] = -1; // left out
        ranked = graph_match(&g, rank, &f->a, &f->a);
        check_matching(&g, &ranked);
        assert_int_equal(ranked.col_of[0], -1);
        assert_true(ranked.n >= size - 1);
    }
}

// ---- decomposition -----------------------------------------------------------------------------

// The rows (columns) not in the list, as a pattern of their own.
static graph_pattern without(fixture *f, const graph_pattern *g, int row, int col)
{
    graph_pattern s = {.n_rows = g->n_rows, .n_cols = g->n_cols};
    s.start = arena_array(&f->a, int, g->n_rows + 1);
    s.col = arena_array(&f->a, int, g->start[g->n_rows] + 1);
    for (int i = 0, n = 0; i < g->n_rows; s.start[++i] = n)
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            if (i != row && g->col[e] != col) s.col[n++] = g->col[e];
    return s;
}

// Size of a largest matching without that row and column (-1: with all).
static int size_without(fixture *f, const graph_pattern *g, int row, int col)
{
    graph_pattern s = without(f, g, row, col);
    return graph_match(&s, NULL, &f->a, &f->a).n;
}

static void mark(const int_array *list, uint8_t *out)
{
    for (int k = 0; k < list->n; k++) {
        assert_false(out[list->at[k]]); // each once
        out[list->at[k]] = 1;
    }
}

// By definition: rows that some largest matching leaves out are in the over-determined part, and its
// columns are those adjacent to such rows; the under-determined part likewise.
static void parts_by_definition(void **state)
{
    fixture *f = *state;
    random_source r = {2};
    for (int k = 0; k < 1000; k++) {
        graph_pattern g =
            random_pattern(&r, 1 + below(&r, 7), 1 + below(&r, 7), 2 + below(&r, 4), &f->a);
        graph_matching m = graph_match(&g, NULL, &f->a, &f->s);
        int_array rows = {0}, cols = {0}, under_rows = {0}, under_cols = {0};
        uint8_t over[2][8] = {{0}}, under[2][8] = {{0}}, over_col[8] = {0}, under_row[8] = {0};
        graph_over(&g, &m, &f->a, &rows, &cols);
        graph_under(&g, &m, &f->a, &under_rows, &under_cols);
        mark(&rows, over[0]);
        mark(&cols, over[1]);
        mark(&under_rows, under[0]);
        mark(&under_cols, under[1]);
        for (int i = 0; i < g.n_rows; i++) {
            bool spare = size_without(f, &g, i, -1) == m.n;
            assert_int_equal(over[0][i], spare);
            for (int j = 0; j < g.n_cols; j++)
                if (spare && has(&g, i, j)) over_col[j] = 1;
        }
        for (int j = 0; j < g.n_cols; j++) {
            bool spare = size_without(f, &g, -1, j) == m.n;
            assert_int_equal(under[1][j], spare);
            assert_int_equal(over[1][j], over_col[j]);
            for (int i = 0; i < g.n_rows; i++)
                if (spare && has(&g, i, j)) under_row[i] = 1;
        }
        for (int i = 0; i < g.n_rows; i++) assert_int_equal(under[0][i], under_row[i]);
        if (m.n == g.n_rows) continue; // from one free row: one row more than columns
        rows.n = cols.n = 0;
        for (int i = 0; !rows.n; i++)
            if (m.col_of[i] < 0) array_push(&f->a, &rows, i);
        graph_reach(&g, &m, &f->a, &rows, &cols);
        assert_int_equal(rows.n, cols.n + 1);
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
            for (int p = b.start[c]; p < b.start[c + 1]; p++) block[b.item[p]] = c;
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
    int complete = 0;
    for (int k = 0; k < 2000; k++) {
        int n = 1 + below(&r, 8);
        graph_pattern g = random_pattern(&r, n, n, 2 + below(&r, 2), &f->a);
        graph_matching m = graph_match(&g, NULL, &f->a, &f->s);
        if (m.n < n) continue;
        complete++;
        graph_blocks b = graph_blt(&g, m.row_of, NULL, NULL, &f->a, &f->s);
        assert_int_equal(b.start[b.n], n);
        int block[8];
        for (int c = 0; c < b.n; c++)
            for (int p = b.start[c]; p < b.start[c + 1]; p++) block[b.item[p]] = c;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (!has(&g, i, j)) continue;
                assert_true(block[m.row_of[j]] <= block[i]);
                // Irreducible: an entry inside a block is in some complete matching, and only that.
                bool usable = size_without(f, &g, i, j) == n - 1;
                assert_int_equal(usable, block[m.row_of[j]] == block[i]);
            }
    }
    assert_true(complete > 300);
}

// ---- offsets -----------------------------------------------------------------------------------

enum { NO = -10 * 1000 * 1000 };

static int order_at(const graph_pattern *g, int i, int j)
{
    for (int e = g->start[i]; e < g->start[i + 1]; e++)
        if (g->col[e] == j) return g->order[e];
    return NO;
}

// Highest value over all transversals of rows i ... n-1 with the columns in `taken` used.
static int highest(const graph_pattern *g, int i, unsigned taken)
{
    if (i == g->n_rows) return 0;
    int best = NO;
    for (int e = g->start[i]; e < g->start[i + 1]; e++) {
        if (taken >> g->col[e] & 1) continue;
        int v = g->order[e] + highest(g, i + 1, taken | 1u << g->col[e]);
        if (v > best) best = v;
    }
    return best;
}

// Smallest offsets: Pryce's fixed-point iteration on a transversal of highest value.
static void check_offsets(const graph_pattern *g, const graph_offsets *s)
{
    int c0[6] = {0}, d0[6], n = g->n_rows;
    for (bool more = true; more;) {
        more = false;
        for (int j = 0; j < n; j++) {
            d0[j] = 0;
            for (int i = 0; i < n; i++)
                if (order_at(g, i, j) + c0[i] > d0[j]) d0[j] = order_at(g, i, j) + c0[i];
        }
        for (int i = 0; i < n; i++) {
            int now = d0[s->match.col_of[i]] - order_at(g, i, s->match.col_of[i]);
            more = more || now != c0[i];
            c0[i] = now;
        }
    }
    assert_memory_equal(s->c, c0, (size_t)n * sizeof *c0);
    assert_memory_equal(s->d, d0, (size_t)n * sizeof *d0);
}

// Orders of derivatives are small; sizes of numbers, for which a pairing is looked for, are not.
static void offsets_are_smallest(void **state)
{
    fixture *f = *state;
    random_source r = {6};
    int regular = 0;
    for (int k = 0; k < 3000; k++) {
        int n = 1 + below(&r, 6), most = k % 3 ? 3 : 100000;
        graph_pattern g = random_pattern(&r, n, n, 1 + below(&r, 3), &f->a);
        g.order = arena_array(&f->a, int, g.start[n] + 1);
        for (int e = 0; e < g.start[n]; e++) g.order[e] = below(&r, 4) ? below(&r, most) : 0;
        int best = highest(&g, 0, 0);
        if (best < 0) continue;
        regular++;
        graph_offsets s;
        assert_true(graph_differentiate(&g, 1000 * 1000, &f->a, &f->s, &s));
        check_matching(&g, &s.match);
        int value = 0;
        for (int i = 0; i < n; i++) value += order_at(&g, i, s.match.col_of[i]);
        assert_int_equal(value, best);
        check_offsets(&g, &s);
        int index = graph_index(&g, &s), deepest = 0;
        if (most == 3) assert_int_equal(graph_index_of(&g, 100, &f->s), index);
        for (int i = 0; i < n; i++)
            if (s.c[i] > deepest) deepest = s.c[i];
        if (deepest) assert_false(graph_differentiate(&g, deepest - 1, &f->a, &f->s, &s));
        if (deepest && most == 3) assert_int_equal(graph_index_of(&g, deepest - 1, &f->s), -1);
    }
    assert_true(regular > 1000);
}

// The pendulum in Cartesian coordinates, Pryce 2001, example 1: x'' = -x L, y'' = -y L - g,
// x^2 + y^2 = l^2 has c = (0, 0, 2), d = (2, 2, 0).
static void offsets_of_the_pendulum(void **state)
{
    fixture *f = *state;
    int start[] = {0, 2, 4, 6}, col[] = {0, 2, 1, 2, 0, 1}, order[] = {2, 0, 2, 0, 0, 0};
    graph_pattern g = {3, 3, start, col, order};
    graph_offsets s;
    assert_true(graph_differentiate(&g, 2, &f->a, &f->s, &s));
    assert_memory_equal(s.c, ((int[]){0, 0, 2}), sizeof(int[3]));
    assert_memory_equal(s.d, ((int[]){2, 2, 0}), sizeof(int[3]));
    assert_int_equal(graph_index(&g, &s), 3);
    graph_blocks b = graph_blt(&g, s.match.row_of, s.c, s.d, &f->a, &f->a);
    assert_int_equal(b.n, 1);
}

#define unit(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(transpose),
        unit(matchings_are_largest),
        unit(parts_by_definition),
        unit(components_by_reachability),
        unit(blt_is_lower_triangular_and_finest),
        unit(offsets_are_smallest),
        unit(offsets_of_the_pendulum),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
