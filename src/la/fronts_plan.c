/* Order, elimination tree, nodes and their rows: see fronts.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/fronts.h"

#include "base/bump.h"
#include "la/dissect.h"

#include <amd.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* A node and its last child become one while few of the entries are zeros that this adds: up to so
 * many unknowns, that share. Long loops over some zeros beat short ones; but single unknowns, of
 * which chains consist, have loops of their own. */
static const struct relaxation {
    int own;
    double zeros;
} relaxations[] = {{4, 0}, {16, 0.3}, {48, 0.1}, {INT_MAX, 0.05}};
/* Fewer of the entries with a partner across the diagonal: the pattern of A + A^T is not A's. */
static const double SYMMETRIC_PART_MIN = 0.8;
/* Parts are subtrees of at most this share of the entries of the factors, and what is above them; those of less than
 * the smaller share are done with what they hang on. Some tens of parts occupy a dozen threads. No part of
 * a system is so small that handing it to another thread, some microseconds, takes longer than doing it. */
static const double PART_SHARE_MAX = 1.0 / 24, PART_SHARE_MIN = 1.0 / 1000;
static const double PART_ENTRIES_MIN = 20000;
enum { TREE_CENTRED_MIN = 4000 };
/* Multiplications for each entry of the matrix from which on nested dissection is tried. It takes the time of some 5000
 * (0.7 to 0.9 us; fronts make 7e9 multiplications a second) and saves a third of them on grids: seven factorizations
 * make up for it. */
static const double DISSECT_WORK_MIN = 2000;

typedef struct node {
    int first, own; // unknowns eliminated
    int rows;       // of the front: own and changed
    double zeros;   // entries of L that only merging made
} node;

/* While planning: all arrays of n, or of the entries of the matrix. */
typedef struct plan {
    const vinc_pattern *a;
    int n, n_nodes;
    int *order, *rank;       // rank[order[k]] = k
    int *parent, *count;     // of an unknown in the elimination tree; its rows in L
    int *begin, *neighbour;  // lists of neighbours, of each unknown
    int *mark, *head, *next; // workspace
    node *nodes;
    int *node_of;
} plan;

static size_t fronts_plan_layout(plan *p, size_t n, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    p->order = bump_int(&b, n);
    p->rank = bump_int(&b, n);
    p->parent = bump_int(&b, n);
    p->count = bump_int(&b, n);
    p->begin = bump_int(&b, n + 2);
    p->neighbour = bump_int(&b, nnz);
    p->mark = bump_int(&b, n + 1);
    p->head = bump_int(&b, n);
    p->next = bump_int(&b, n);
    p->nodes = bump_bytes(&b, n * sizeof *p->nodes);
    p->node_of = bump_int(&b, n);
    return bump_end(&b);
}

/* ---- the elimination tree -------------------------------------------------------------------- */

/* For each unknown its neighbours that come earlier; those across a symmetric pair of entries are listed
 * twice. */
static void list_neighbours(plan *p)
{
    const vinc_pattern *a = p->a;
    int *begin = p->begin + 1; // shifted by one: after filling, begin[k] is where k begins
    for (int k = 0; k < p->n; k++) p->rank[p->order[k]] = k;
    memset(p->begin, 0, (size_t)(p->n + 2) * sizeof *p->begin);
    for (int fill = 0; fill < 2; fill++) {
        for (int j = 0; j < p->n; j++)
            for (int k = a->start[j]; k < a->start[j + 1]; k++) {
                int x = p->rank[a->row[k]], y = p->rank[j];
                if (x == y) continue;
                int low = x < y ? x : y, high = x < y ? y : x;
                if (fill) p->neighbour[begin[high]++] = low;
                else begin[high + 1]++;
            }
        for (int k = 0; k < p->n && !fill; k++) begin[k + 1] += begin[k];
    }
}

/* J. W. H. Liu, ACM Trans. Math. Softw. 12 (1986) 127-148; `mark` holds compressed paths. */
static void make_tree(plan *p)
{
    for (int k = 0; k < p->n; k++) {
        p->parent[k] = p->mark[k] = -1;
        for (int e = p->begin[k]; e < p->begin[k + 1]; e++)
            for (int i = p->neighbour[e]; i >= 0 && i < k;) {
                int up = p->mark[i];
                p->mark[i] = k;
                if (up < 0) p->parent[i] = k;
                i = up;
            }
    }
}

/* Unknowns by the size of their subtrees, ascending, in `list`; `mark` and `next` are used. */
static void fronts_by_size(plan *p, int *list)
{
    int n = p->n, *size = p->next, *begin = p->mark;
    memset(begin, 0, (size_t)(n + 1) * sizeof *begin);
    for (int i = 0; i < n; i++) size[i] = 1;
    for (int i = 0; i < n; i++) {
        if (p->parent[i] >= 0) size[p->parent[i]] += size[i];
        if (size[i] < n) begin[size[i] + 1]++;
    }
    for (int k = 0; k < n; k++) begin[k + 1] += begin[k];
    for (int i = n - 1; i >= 0; i--) list[begin[size[i]]++] = i;
}

/* Descendants of an unknown directly before it, those listed last in `list` (NULL: by their numbers) first: the order
 * changes, the tree and its counts are those of other numbers. `mark`, `head`, `next`, `rank` and `node_of` are
 * used. */
static void fronts_walk(plan *p, const int *list)
{
    int n = p->n, k = 0, *stack = p->mark, *turn = p->rank, *moved = p->node_of;
    for (int i = 0; i < n; i++) p->head[i] = -1;
    for (int e = 0; e < n; e++) {
        int i = list ? list[e] : e;
        if (p->parent[i] < 0) continue;
        p->next[i] = p->head[p->parent[i]];
        p->head[p->parent[i]] = i;
    }
    for (int root = 0; root < n; root++) {
        if (p->parent[root] >= 0) continue;
        int depth = 0;
        stack[depth++] = root;
        while (depth) {
            int i = stack[depth - 1], down = p->head[i];
            if (down >= 0) {
                p->head[i] = p->next[down];
                stack[depth++] = down;
            } else {
                turn[i] = k++;
                depth--;
            }
        }
    }
    for (int i = 0; i < n; i++) moved[turn[i]] = p->parent[i] < 0 ? -1 : turn[p->parent[i]];
    memcpy(p->parent, moved, (size_t)n * sizeof *moved);
    for (int i = 0; i < n; i++) moved[turn[i]] = p->count[i];
    memcpy(p->count, moved, (size_t)n * sizeof *moved);
    for (int i = 0; i < n; i++) moved[turn[i]] = p->order[i];
    memcpy(p->order, moved, (size_t)n * sizeof *moved);
}

/* Large subtrees before small ones. */
static void fronts_postorder(plan *p)
{
    fronts_by_size(p, p->node_of);
    fronts_walk(p, p->node_of);
}

/* Rows of each column of L: i is in column j when j is on the way from a neighbour of i to i. */
static void fronts_count_rows(plan *p)
{
    for (int k = 0; k < p->n; k++) {
        p->count[k] = 1;
        p->mark[k] = k;
        for (int e = p->begin[k]; e < p->begin[k + 1]; e++)
            for (int i = p->neighbour[e]; p->mark[i] != k; i = p->parent[i]) {
                p->count[i]++;
                p->mark[i] = k;
            }
    }
}

static void fronts_tree(plan *p)
{
    list_neighbours(p);
    make_tree(p);
    fronts_count_rows(p);
}

/* Where eliminating fills nothing the graph is a tree, a path above all, and any unknown may be its root. With
 * one in the middle two threads begin at the two ends. `head` and `next` are used. */
static bool fronts_centre_trees(plan *p)
{
    int n = p->n, *size = p->next, *heavy = p->head, begin = 0;
    bool changed = false;
    for (int i = 0; i < n; i++) size[i] = 1, heavy[i] = -1;
    for (int i = 0; i < n; i++) {
        int up = p->parent[i];
        if (up < 0) continue;
        size[up] += size[i];
        if (heavy[up] < 0 || size[i] > size[heavy[up]]) heavy[up] = i;
    }
    for (int root = 0; root < n; root++) {
        if (p->parent[root] >= 0) continue;
        bool fills = false;
        for (int i = begin; i < root; i++) fills |= p->count[i] != 2;
        begin = root + 1;
        if (fills || size[root] < TREE_CENTRED_MIN) continue;
        int centre = root;
        p->count[root] = 2;
        while (2 * size[heavy[centre]] > size[root]) {
            p->parent[centre] = heavy[centre];
            centre = heavy[centre];
            changed = true;
        }
        p->parent[centre] = -1;
        p->count[centre] = 1;
    }
    return changed;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static node fronts_merged(const node *child, const node *up)
{
    int rows = child->own + up->rows;
    return (node){child->first, child->own + up->own, rows,
                  child->zeros + up->zeros + (double)child->own * (rows - child->rows)};
}

static bool fronts_worth(const node *x)
{
    double size = x->own * (x->rows - 0.5 * (x->own - 1));
    const struct relaxation *r = relaxations;
    while (x->own > r->own) r++;
    return x->zeros <= r->zeros * size;
}

static void make_nodes(plan *p)
{
    int top = -1;
    for (int j = 0; j < p->n; j++) {
        bool same = j && p->parent[j - 1] == j && p->count[j - 1] == p->count[j] + 1;
        if (same) p->nodes[top].own++;
        else p->nodes[++top] = (node){j, 1, p->count[j], 0};
    }
    int n_nodes = top + 1;
    top = -1;
    for (int v = 0; v < n_nodes; v++) {
        node x = p->nodes[v];
        for (; top >= 0; top--) {
            int up = p->parent[x.first - 1]; // of the last unknown of the node before
            node both = fronts_merged(&p->nodes[top], &x);
            if (up < x.first || up >= x.first + x.own || !fronts_worth(&both)) break;
            x = both;
        }
        p->nodes[++top] = x;
    }
    p->n_nodes = top + 1;
    for (int v = 0; v < p->n_nodes; v++)
        for (int k = 0; k < p->nodes[v].own; k++) p->node_of[p->nodes[v].first + k] = v;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static size_t layout_parts(la_fronts *f, size_t parts, size_t outer, void *block)
{
    bump b = bump_begin(block);
    f->part = bump_bytes(&b, parts * sizeof *f->part);
    f->outer_row = bump_int(&b, outer);
    f->tree.parent = bump_int(&b, parts);
    f->tree.child = bump_int(&b, parts);
    f->tree.sibling = bump_int(&b, parts);
    f->tree.first_up = bump_int(&b, parts);
    f->tree.first_down = bump_int(&b, parts);
    f->tree.waits = bump_bytes(&b, parts * sizeof *f->tree.waits);
    f->tree.ready = bump_bytes(&b, parts * sizeof *f->tree.ready);
    return bump_end(&b);
}

static size_t layout_fronts(la_fronts *f, size_t nodes, size_t rows, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    f->order = bump_int(&b, (size_t)f->n);
    f->first = bump_int(&b, nodes + 1);
    f->start = bump_int(&b, nodes + 1);
    f->row = bump_int(&b, rows);
    f->inside = bump_int(&b, rows);
    f->kind = bump_bytes(&b, nodes * sizeof *f->kind);
    f->child = bump_int(&b, nodes);
    f->sibling = bump_int(&b, nodes);
    f->stretch = bump_int(&b, nodes);
    f->part_of = bump_int(&b, nodes);
    f->entries = bump_int(&b, nodes + 1);
    f->entry = bump_int(&b, nnz);
    f->place = bump_int(&b, nnz);
    f->of_row = bump_int(&b, (size_t)f->n + 1);
    f->row_entry = bump_int(&b, nnz);
    f->at = bump_bytes(&b, (nodes + 1) * sizeof *f->at);
    return bump_end(&b);
}

/* The rows of each node, ascending: unknown i is one of all nodes on the way from a neighbour of i to its own. `next`
 * and `mark` are used. */
static void collect_rows(plan *p, la_fronts *f, const int *parent)
{
    int *at = p->next, *mark = p->mark;
    for (int v = 0; v < f->n_nodes; v++) at[v] = f->start[v], mark[v] = -1;
    for (int i = 0; i < p->n; i++) {
        mark[p->node_of[i]] = i;
        for (int e = p->begin[i]; e < p->begin[i + 1]; e++)
            for (int v = p->node_of[p->neighbour[e]]; mark[v] != i; v = parent[v]) {
                f->row[at[v]++] = i;
                mark[v] = i;
            }
    }
}

/* Children of each node, the last one in postorder first. */
static void list_children(la_fronts *f, const int *parent)
{
    for (int v = 0; v < f->n_nodes; v++) f->child[v] = f->sibling[v] = -1;
    for (int v = 0; v < f->n_nodes; v++) {
        if (parent[v] < 0) continue;
        f->sibling[v] = f->child[parent[v]];
        f->child[parent[v]] = v;
    }
}

/* Each entry of the matrix goes to the node that eliminates the first of its row and column. */
static void place_entries(plan *p, la_fronts *f)
{
    const vinc_pattern *a = p->a;
    int *local = p->mark, *column = p->neighbour;
    memset(f->entries, 0, (size_t)(f->n_nodes + 1) * sizeof *f->entries);
    for (int fill = 0; fill < 2; fill++) {
        for (int j = 0; j < p->n; j++)
            for (int k = a->start[j]; k < a->start[j + 1]; k++) {
                int x = p->rank[a->row[k]], y = p->rank[j], v = p->node_of[x < y ? x : y];
                if (!fill) {
                    f->entries[v + 1]++;
                    continue;
                }
                f->entry[p->next[v]] = k;
                column[p->next[v]++] = y;
            }
        if (fill) continue;
        for (int v = 0; v < f->n_nodes; v++) f->entries[v + 1] += f->entries[v];
        memcpy(p->next, f->entries, (size_t)f->n_nodes * sizeof *p->next);
    }
    for (int v = 0; v < f->n_nodes; v++) {
        int own = la_fronts_own(f, v), stride = la_fronts_stride(f, v);
        for (int k = 0; k < own; k++) local[f->first[v] + k] = k;
        for (int e = f->start[v]; e < f->start[v + 1]; e++)
            local[f->row[e]] = la_fronts_padded(own) + e - f->start[v];
        for (int e = f->entries[v]; e < f->entries[v + 1]; e++) {
            int i = local[p->rank[a->row[f->entry[e]]]], j = local[column[e]];
            f->place[e] = i >= j ? i + stride * j : (int)la_fronts_panel(f, v) + j + stride * i;
        }
        for (int c = f->child[v]; c >= 0; c = f->sibling[c])
            for (int e = f->start[c]; e < f->start[c + 1]; e++) f->inside[e] = local[f->row[e]];
    }
}

static bool fronts_is_link(const la_fronts *f, int v)
{
    int child = f->child[v];
    if (la_fronts_own(f, v) > 1 || la_fronts_rest(f, v) != 1) return false;
    return child < 0 ||
           (la_fronts_rest(f, child) == 1 && f->sibling[child] < 0 && f->part_of[child] < 0);
}

/* Parents on one stack, children on the other. */
static void fronts_tell_kinds(la_fronts *f, const int *parent)
{
    for (int v = f->n_nodes - 1; v >= 0; v--) {
        bool high = parent[v] >= 0 && !(f->kind[parent[v]] & LA_FRONTS_HIGH);
        f->kind[v] = (unsigned char)((high ? LA_FRONTS_HIGH : 0) |
                                     (fronts_is_link(f, v) ? LA_FRONTS_LINK : 0));
    }
}

static void list_rows(la_fronts *f, const vinc_pattern *a)
{
    int *at = f->of_row;
    memset(at, 0, ((size_t)f->n + 1) * sizeof *at);
    for (int k = 0; k < a->nnz; k++) at[a->row[k]]++;
    for (int i = 0; i < f->n; i++) at[i + 1] += at[i]; // where a row ends
    for (int k = a->nnz - 1; k >= 0; k--) f->row_entry[--at[a->row[k]]] = k;
}

static bool fronts_plan_is_link(const la_fronts *f, int v)
{
    return la_fronts_own(f, v) == 1 && la_fronts_rest(f, v) == 1 &&
           f->row[f->start[v]] == f->first[v] + 1;
}

/* Stretches end where parts do: what a link changes there is an outer unknown. */
static void find_stretches(la_fronts *f)
{
    memset(f->stretch, 0, (size_t)f->n_nodes * sizeof *f->stretch);
    for (int v = 0, next; v < f->n_nodes; v = next) {
        int rest = la_fronts_rest(f, v);
        bool chain = fronts_plan_is_link(f, v);
        next = v + 1;
        if (la_fronts_own(f, v) > 1) continue;
        while (next < f->n_nodes && f->part_of[next - 1] < 0 && la_fronts_own(f, next) == 1 &&
               la_fronts_rest(f, next) == rest && fronts_plan_is_link(f, next) == chain)
            next++;
        f->stretch[v] = f->stretch[next - 1] = chain ? next - v : v - next;
    }
}

/* Sizes of the factors and of the largest front. */
static void fronts_measure(plan *p, la_fronts *f)
{
    double work = 0;
    f->first[f->n_nodes] = p->n;
    f->at[0] = 0;
    f->start[0] = 0;
    for (int v = 0; v < f->n_nodes; v++) {
        const node *x = &p->nodes[v];
        f->first[v] = x->first;
        f->start[v + 1] = f->start[v] + x->rows - x->own;
        for (int k = 0; k < x->own; k++) p->node_of[x->first + k] = v;
    }
    for (int v = 0; v < f->n_nodes; v++) {
        size_t own = (size_t)la_fronts_own(f, v), rest = (size_t)la_fronts_rest(f, v);
        size_t rows = own + rest;
        if (rows > (size_t)f->widest) f->widest = (int)rows;
        if (2 * la_fronts_panel(f, v) > f->panel) f->panel = 2 * la_fronts_panel(f, v);
        f->at[v + 1] = f->at[v] + la_fronts_factors((int)own, (int)rest);
        for (size_t k = 1; k <= own; k++) work += (double)(rows - k) * (double)(rows - k);
    }
    f->work = work / (2 * (double)f->at[f->n_nodes]);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* While parts are made; arrays of nodes. */
typedef struct parting {
    const la_fronts *f;
    double *work;      // of a node and all below it, in entries of the factors
    const int *parent; // node, or -1
    double share_max, share_min;
} parting;

static void parting_weigh(parting *q, const node *nodes)
{
    const la_fronts *f = q->f;
    double total = 0;
    for (int v = 0; v < f->n_nodes; v++) {
        q->work[v] = (double)nodes[v].own * nodes[v].rows + 1;
        total += q->work[v];
        for (int c = f->child[v]; c >= 0; c = f->sibling[c]) q->work[v] += q->work[c];
    }
    q->share_max = fmax(PART_SHARE_MAX * total, PART_ENTRIES_MIN);
    q->share_min = fmax(PART_SHARE_MIN * total, PART_ENTRIES_MIN / 10);
}

/* Nodes that are the last of a part, marked in part_of. What hangs on a node that is in no small subtree
 * is a part of its own, unless it is the only large thing there, or small with nothing large behind it.
 * Trees that hang on nothing are gathered until they have the work of a part. */
static int parting_mark(const parting *q, la_fronts *f)
{
    double gathered = 0;
    int n = 0;
    for (int v = 0; v < f->n_nodes; v++) f->part_of[v] = -1;
    for (int up = 0; up < f->n_nodes; up++) {
        int n_large = 0;
        bool followed = false; // by something large
        if (q->work[up] <= q->share_max) continue;
        for (int c = f->child[up]; c >= 0; c = f->sibling[c]) n_large += q->work[c] >= q->share_min;
        for (int c = f->child[up]; c >= 0; c = f->sibling[c]) {
            bool large = q->work[c] >= q->share_min;
            if (large ? n_large > 1 : followed) f->part_of[c] = 0;
            followed |= large;
        }
    }
    for (int v = 0; v < f->n_nodes; v++) {
        if (q->parent[v] < 0) {
            gathered += q->work[v];
            bool ends = gathered >= q->share_max || v == f->n_nodes - 1;
            if (ends) f->part_of[v] = 0, gathered = 0;
        }
        if (f->part_of[v] == 0) f->part_of[v] = n++;
    }
    return n;
}

/* The part of each node, in `of`; the tree of parts; how many outer unknowns there are. */
static void parting_link(const parting *q, la_fronts *f, int *of)
{
    int *parent = (int *)f->tree.parent, *child = (int *)f->tree.child;
    int *sibling = (int *)f->tree.sibling, k = 0, begin = 0;
    for (int v = 0; v < f->n_nodes; v++) {
        of[v] = k;
        if (f->part_of[v] < 0) continue;
        f->part[k] = (la_fronts_part){begin, v + 1, 0, 0};
        child[k] = sibling[k] = -1;
        begin = v + 1;
        k++;
    }
    for (k = 0; k < f->n_parts; k++) {
        int up = q->parent[f->part[k].end - 1];
        parent[k] = up < 0 ? -1 : of[up];
        if (up < 0) continue;
        sibling[k] = child[parent[k]];
        child[parent[k]] = k;
    }
    f->tree.n = f->n_parts;
}

/* Rows of nodes become unknowns of their part or outer ones; `number` is workspace of n. */
static void parting_number(la_fronts *f, int *number)
{
    int outer = f->n;
    size_t updates = 0;
    for (int k = 0; k < f->n_parts; k++) {
        la_fronts_part *p = &f->part[k];
        p->outer = outer;
        p->update = updates;
        updates += la_fronts_update(f, p->end - 1);
        outer += la_fronts_rest(f, p->end - 1);
    }
    f->updates = updates;
    for (int k = f->n_parts - 1; k >= 0; k--) {
        const la_fronts_part *p = &f->part[k];
        int last = p->end - 1, beyond = f->first[p->end];
        int *rows = f->row + f->start[last], n = la_fronts_rest(f, last);
        for (int i = 0; i < n; i++) number[rows[i]] = p->outer + i;
        for (int c = f->tree.child[k]; c >= 0; c = f->tree.sibling[c]) {
            int tip = f->part[c].end - 1, *to = f->outer_row + (f->part[c].outer - f->n);
            const int *row = f->row + f->start[tip];
            for (int i = 0; i < la_fronts_rest(f, tip); i++)
                to[i] = row[i] < beyond ? row[i] : number[row[i]];
        }
        for (int e = f->start[p->begin]; e < f->start[p->end]; e++)
            if (f->row[e] >= beyond) f->row[e] = number[f->row[e]];
    }
}

/* Parts by the length of their way, the longest first; ways is sorted with them. */
static void sort_by_way(int *part, double *way, int n)
{
    for (int i = 0; i < n; i++) {
        double w = way[i];
        int k = i;
        for (; k > 0 && way[k - 1] < w; k--) way[k] = way[k - 1], part[k] = part[k - 1];
        way[k] = w;
        part[k] = i;
    }
}

/* Which parts are urgent: those with the most work from there to the root, or to a leaf (T. C. Hu,
 * Oper. Res. 9 (1961) 841-848). Up, factors are made, which outweigh solutions; `way` is workspace. */
static void parting_rank(la_fronts *f, double *way)
{
    const crew_tree *t = &f->tree;
    for (int k = f->n_parts - 1; k >= 0; k--) {
        way[k] = t->parent[k] < 0 ? 0 : way[t->parent[k]];
        for (int v = f->part[k].begin; v < f->part[k].end; v++) {
            double own = la_fronts_own(f, v), rows = own + la_fronts_rest(f, v);
            way[k] += own * rows * rows;
        }
    }
    sort_by_way((int *)t->first_up, way, f->n_parts);
    for (int k = 0; k < f->n_parts; k++) {
        way[k] = 0;
        for (int c = t->child[k]; c >= 0; c = t->sibling[c]) way[k] = fmax(way[k], way[c]);
        way[k] += (double)(f->at[f->part[k].end] - f->at[f->part[k].begin]);
    }
    sort_by_way((int *)t->first_down, way, f->n_parts);
}

static size_t fronts_stacked(const la_fronts *f, int v, bool apart)
{
    return apart && f->part_of[v] >= 0 ? 0 : la_fronts_update(f, v);
}

/* Most that updates of nodes begin ... end - 1 take, but for those that are kept elsewhere: of a part what its last node
 * leaves behind. */
static size_t fronts_stack(const la_fronts *f, int begin, int end, bool apart)
{
    size_t top = 0, most = 0;
    for (int v = begin; v < end; v++) {
        top += fronts_stacked(f, v, apart);
        if (top > most) most = top;
        for (int c = f->child[v]; c >= 0; c = f->sibling[c]) top -= fronts_stacked(f, c, apart);
    }
    return most;
}

/* One thread does parts one after another, and what they leave behind lies on the stacks as well. */
static void fronts_measure_parts(la_fronts *f)
{
    f->stack = fronts_stack(f, 0, f->n_nodes, false);
    for (int k = 0; k < f->n_parts; k++) {
        size_t most = fronts_stack(f, f->part[k].begin, f->part[k].end, true);
        if (most > f->stack_of_part) f->stack_of_part = most;
    }
}

/* Where parts end. */
static int fronts_mark_parts(plan *p, la_fronts *f)
{
    size_t bytes = (size_t)f->n_nodes * sizeof(double);
    parting q = {.f = f, .work = mem_try(f->m, bytes), .parent = p->head};
    if (!q.work) return LA_E_MEMORY;
    parting_weigh(&q, p->nodes);
    f->n_parts = parting_mark(&q, f);
    mem_free(f->m, q.work, bytes);
    return LA_OK;
}

static int fronts_part(plan *p, la_fronts *f)
{
    size_t nodes = (size_t)f->n_nodes, bytes = nodes * sizeof(double);
    parting q = {.f = f, .work = mem_try(f->m, bytes), .parent = p->head};
    if (!q.work) return LA_E_MEMORY;
    for (int v = 0; v < f->n_nodes; v++)
        if (f->part_of[v] >= 0) f->n_outer += la_fronts_rest(f, v);
    size_t parts = (size_t)f->n_parts, outer = (size_t)f->n_outer;
    f->part_bytes = layout_parts(f, parts, outer, NULL);
    f->part_block = mem_try(f->m, f->part_bytes);
    if (f->part_block) {
        layout_parts(f, parts, outer, f->part_block);
        parting_link(&q, f, p->next);
        parting_number(f, p->mark);
        parting_rank(f, q.work);
    }
    mem_free(f->m, q.work, bytes);
    return f->part_block ? LA_OK : LA_E_MEMORY;
}

static int fronts_keep(plan *p, la_fronts *f, size_t nnz)
{
    size_t rows = 0;
    for (int v = 0; v < p->n_nodes; v++) {
        size_t own = (size_t)p->nodes[v].own, widest = (size_t)p->nodes[v].rows;
        size_t padding = 2 * LA_FRONTS_LANES;
        rows += widest - own;
        if (rows > INT_MAX || 2 * (own + padding) * (widest + padding) > INT_MAX)
            return LA_E_MEMORY;
    }
    f->n_nodes = p->n_nodes;
    f->bytes = layout_fronts(f, (size_t)p->n_nodes, rows, nnz, NULL);
    f->block = mem_try(f->m, f->bytes);
    if (!f->block) return LA_E_MEMORY;
    layout_fronts(f, (size_t)p->n_nodes, rows, nnz, f->block);
    int *parent = p->head;
    for (int v = 0; v < f->n_nodes; v++) {
        int up = p->parent[p->nodes[v].first + p->nodes[v].own - 1];
        parent[v] = up < 0 ? -1 : p->node_of[up];
    }
    list_children(f, parent);
    if (fronts_mark_parts(p, f)) return LA_E_MEMORY;
    memcpy(f->order, p->order, (size_t)p->n * sizeof *f->order);
    fronts_measure(p, f);
    list_neighbours(p);
    collect_rows(p, f, parent);
    place_entries(p, f);
    fronts_tell_kinds(f, parent);
    list_rows(f, p->a);
    if (fronts_part(p, f)) return LA_E_MEMORY;
    find_stretches(f);
    fronts_measure_parts(f);
    return LA_OK;
}

/* Elimination along the diagonal needs one. */
static bool full_diagonal(const vinc_pattern *a)
{
    for (int j = 0; j < a->n_cols; j++) {
        int k = a->start[j];
        while (k < a->start[j + 1] && a->row[k] != j) k++;
        if (k == a->start[j + 1]) return false;
    }
    return true;
}

/* The cheaper of AMD's order and that of nested dissection, where it is worth the search. */
static int fronts_dissect(plan *p, la_fronts *f)
{
    if (f->n_updates <= DISSECT_WORK_MIN * p->a->nnz) return LA_OK;
    size_t bytes = (size_t)p->n * sizeof *p->order;
    int *by_degree = mem_try(f->m, bytes);
    if (!by_degree) return LA_E_MEMORY;
    memcpy(by_degree, p->order, bytes);
    int status = la_dissect(f->m, p->a, p->order);
    if (!status) {
        double updates = 0, entries = p->n;
        fronts_tree(p);
        for (int k = 0; k < p->n; k++) {
            double rows = p->count[k] - 1;
            updates += rows * rows;
            entries += 2 * rows;
        }
        f->dissected = updates < f->n_updates;
        if (f->dissected) f->n_updates = updates, f->n_entries = entries;
    }
    if (!f->dissected) memcpy(p->order, by_degree, bytes);
    mem_free(f->m, by_degree, bytes);
    return status == LA_E_MEMORY ? status : LA_OK;
}

static int fronts_plan_make(plan *p, la_fronts *f, size_t nnz, double work_max)
{
    double info[AMD_INFO];
    if (amd_order(p->n, p->a->start, p->a->row, p->order, NULL, info) < 0) return LA_E_MEMORY;
    f->n_updates = info[AMD_NMULTSUBS_LU];
    f->n_entries = 2 * info[AMD_LNZ] + p->n; // L without its diagonal
    if (work_max > 0 && f->n_updates > work_max) return LA_E_DEAR;
    f->suits = info[AMD_SYMMETRY] >= SYMMETRIC_PART_MIN;
    if (f->suits && fronts_dissect(p, f)) return LA_E_MEMORY;
    f->work = f->n_updates / f->n_entries;
    if (!f->suits) return LA_OK;
    fronts_tree(p);
    fronts_postorder(p);
    if (fronts_centre_trees(p)) {
        fronts_walk(p, NULL);
        fronts_postorder(p);
    }
    make_nodes(p);
    return fronts_keep(p, f, nnz);
}

int la_fronts_plan(la_fronts *f, mem *m, const vinc_pattern *pattern, double work_max)
{
    *f = (la_fronts){.n = pattern->n_cols, .m = m};
    if (!f->n || !full_diagonal(pattern)) return LA_OK;
    size_t n = (size_t)f->n, nnz = (size_t)pattern->nnz;
    plan p = {.a = pattern, .n = f->n};
    size_t bytes = fronts_plan_layout(&p, n, nnz, NULL);
    void *block = mem_try(m, bytes);
    if (!block) return LA_E_MEMORY;
    fronts_plan_layout(&p, n, nnz, block);
    int status = fronts_plan_make(&p, f, nnz, work_max);
    mem_free(m, block, bytes);
    if (status) la_fronts_free(f);
    return status;
}

void la_fronts_free(la_fronts *f)
{
    if (f->block) mem_free(f->m, f->block, f->bytes);
    if (f->part_block) mem_free(f->m, f->part_block, f->part_bytes);
    f->block = f->part_block = NULL;
}
