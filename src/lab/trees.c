/* Order conditions of Runge-Kutta methods.
 *
 * A rooted tree is a multiset of smaller trees joined to one root. Its condition is
 *     sum_i b_i g_i(tree) = 1 / gamma(tree),   g_i([t1 ... tm]) = prod_k sum_j a_ij g_j(t_k),
 *     gamma([t1 ... tm]) = order * prod gamma(t_k)
 * (J. C. Butcher, J. Austral. Math. Soc. 3 (1963) 185-201). Trees are made in ascending order, each
 * from a tree and one more branch not older than its own youngest, so that every multiset appears
 * once: 1, 1, 2, 4, 9, 20, 48, 115.
 *
 * Rosenbrock methods (E. Hairer & G. Wanner II, section IV.7): where a node has one branch the sum
 * is over alpha + gamma, where it has several over alpha.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/lab.h"

#include <string.h>

enum { TREE_ORDER_MAX = 8, TREES_MAX = 200 };

typedef struct tree {
    int order, last; // nodes; number of its newest branch (-1: single node)
    number gamma;
    number g[METHOD_STAGES_MAX];       // as a whole
    number product[METHOD_STAGES_MAX]; // of its branches, for more to come
} tree;

static number apply_row(int stages, const number *row, const number *g)
{
    number s = number_ratio(0, 1);
    for (int j = 0; j < stages; j++)
        if (row[j].x != 0) s = number_add(s, number_mul(row[j], g[j]));
    return s;
}

static bool trees_fulfilled(const method_tableau *t, const number *b, const tree *r, bool *exact)
{
    number s = number_ratio(0, 1);
    for (int i = 0; i < t->stages; i++) s = number_add(s, number_mul(b[i], r->g[i]));
    number rest = number_sub(s, number_div(number_ratio(1, 1), r->gamma));
    if (!rest.exact) *exact = false;
    return number_is_zero(rest, 100);
}

int lab_tree_order(const method_tableau *t, int highest, bool *exact)
{
    static const int shown = TREE_ORDER_MAX;
    number a[METHOD_STAGES_MAX][METHOD_STAGES_MAX], b[METHOD_STAGES_MAX];
    number single[METHOD_STAGES_MAX][METHOD_STAGES_MAX]; // for nodes of one branch
    for (int i = 0; i < t->stages; i++) {
        b[i] = number_of(t->b[i]);
        for (int j = 0; j < t->stages; j++) {
            a[i][j] = number_of(t->a[i][j]);
            single[i][j] = t->linearly_implicit ? number_of(t->a[i][j] + t->gamma[i][j]) : a[i][j];
        }
    }
    tree trees[TREES_MAX + 1];
    int n = 1, first_of_order[TREE_ORDER_MAX + 2] = {0, 0, 1};
    trees[0] = (tree){.order = 1, .last = -1, .gamma = number_ratio(1, 1)};
    for (int i = 0; i < t->stages; i++) trees[0].g[i] = trees[0].product[i] = number_ratio(1, 1);
    if (!trees_fulfilled(t, b, &trees[0], exact)) return 0;

    if (highest > shown) highest = shown;
    for (int order = 2; order <= highest; order++) {
        // Join a branch to a smaller tree: orders add up, and the branch is not older than the
        // newest one there.
        first_of_order[order] = n;
        for (int base = 0; base < first_of_order[order]; base++)
            for (int branch = 0; branch < first_of_order[order]; branch++) {
                if (trees[base].order + trees[branch].order != order || branch < trees[base].last)
                    continue;
                tree *r = &trees[n++];
                *r = (tree){.order = order, .last = branch};
                // gamma(base) = order(base) * product: replace the factor of the root, multiply by
                // the new branch.
                r->gamma = number_mul(
                    number_mul(number_div(trees[base].gamma, number_ratio(trees[base].order, 1)),
                               number_ratio(order, 1)),
                    trees[branch].gamma);
                for (int i = 0; i < t->stages; i++) {
                    const number *g = trees[branch].g;
                    r->product[i] =
                        number_mul(trees[base].product[i], apply_row(t->stages, a[i], g));
                    r->g[i] = base ? r->product[i] : apply_row(t->stages, single[i], g);
                }
            }
        for (int k = first_of_order[order]; k < n; k++)
            if (!trees_fulfilled(t, b, &trees[k], exact)) return order - 1;
        if (order + 1 <= TREE_ORDER_MAX) first_of_order[order + 1] = n;
    }
    return highest;
}
