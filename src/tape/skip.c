/* What only some branches of selects need stands together, so that machine code jumps over it where such a branch
 * is not taken.
 *
 * Values that are always needed keep their order. Before one that needs others which are not there yet, a select
 * as a rule, these come, by the outermost condition under which they are needed (branches.h), each with what else is
 * needed under this condition and can be computed by now: properties of a medium are many selects by one phase.
 * Inside of such a region the same again. What a region needs was placed before it, and needed under fewer
 * conditions. A region that costs less than a jump (values that live across it go to memory) is none.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/branches.h"

#include <stdlib.h>

/* In additions. A jump costs what 15 registers to memory and back take, and some. */
enum {
    LEAST_WORK = 40,   // of a region
    LEAST_AROUND = 200 // of one that has others inside, so that half of it may be saved
};

typedef struct skipper {
    const tape_builder *b;
    branch_search g;
    tape_order *to;
    uint8_t *placed;
    int *first_user, *user; // of instruction i: user[first_user[i] ... first_user[i + 1] - 1]
    int *met, meeting;      // by instruction: the last search that met it
    int *first, *last;      // by branch: its instructions in the list at hand, chained by next
    int *next;
    int *enter, *leave; // by branch: numbers of the branches inside of it, and its own
    int_array stack;
    int_array lists; // those at hand, one inside the other, the innermost last
} skipper;

/* Some of the lists: at first ... first + n - 1. */
typedef struct skip_list {
    int first, n;
} skip_list;

static int list_item(const skipper *s, skip_list list, int k)
{
    return s->lists.at[list.first + k]; // they move when they grow
}

static void list_push(skipper *s, skip_list *list, int i)
{
    array_push(s->b->a, &s->lists, i);
    list->n++;
}

static void list_drop(skipper *s, skip_list list)
{
    s->lists.n = list.first;
}

typedef void see_operand(skipper *s, int i, void *user); // of results: their call

static inline void see_ref(skipper *s, tape_ref r, see_operand *see, void *user)
{
    if (tape_kind_of(r) != TAPE_VALUE) return;
    int i = tape_index_of(r);
    if (s->b->ins.at[i].op == TAPE_RESULT) i -= 1 + (int)s->b->ins.at[i].a;
    see(s, i, user);
}

static inline void each_operand(skipper *s, int i, see_operand *see, void *user)
{
    const tape_ins *in = &s->b->ins.at[i];
    int n = tape_op_operands(in->op);
    if (in->op == TAPE_STORE) see_ref(s, in->b, see, user);
    if (in->op == TAPE_CALL) {
        const tape_call *c = &s->b->calls.at[in->a];
        for (int k = 0; k < c->fn->n_in; k++) see_ref(s, s->b->args.at[c->args + k], see, user);
    }
    if (n > 0) see_ref(s, in->a, see, user);
    if (n > 1) see_ref(s, in->b, see, user);
    if (n > 2) see_ref(s, in->c, see, user), see_ref(s, in->d, see, user);
}

static bool is_needed(const skipper *s, int i)
{
    return s->g.where[i] != BRANCH_NO_USE && s->b->ins.at[i].op != TAPE_RESULT;
}

/* ---- users ----------------------------------------------------------------------------------- */

static void count_user(skipper *s, int i, void *user)
{
    (void)user;
    s->first_user[i + 1]++;
}

static void note_user(skipper *s, int i, void *user)
{
    s->user[--s->first_user[i + 1]] = *(const int *)user;
}

static void find_users(skipper *s)
{
    int n = s->b->ins.n;
    s->first_user = arena_array(s->b->a, int, n + 2);
    for (int i = 0; i < n; i++)
        if (is_needed(s, i)) each_operand(s, i, count_user, NULL);
    for (int i = 0; i < n; i++) s->first_user[i + 1] += s->first_user[i];
    int n_uses = s->first_user[n];
    s->user = arena_array(s->b->a, int, n_uses + 1);
    for (int i = n - 1; i >= 0;
         i--) // from the ends of the lists down to their beginnings, one place up
        if (is_needed(s, i)) each_operand(s, i, note_user, &i);
    for (int i = 0; i < n; i++) s->first_user[i] = s->first_user[i + 1];
    s->first_user[n] = n_uses;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Branches are numbered so that those inside of one follow it. */
static void number_branches(skipper *s)
{
    const tape_branch *at = s->g.branches.at;
    int n = s->g.branches.n, *size = arena_array(s->b->a, int, n);
    s->enter = arena_array(s->b->a, int, n);
    s->leave = arena_array(s->b->a, int, n);
    for (int k = n - 1; k > 0; k--)
        size[at[k].around] += ++size[k]; // what is around was made before
    s->leave[0] = n;
    int *next = size; // the number of the next branch inside of each
    for (int k = 0; k < n; k++) {
        int mine = size[k];
        if (k) {
            s->enter[k] = next[at[k].around];
            next[at[k].around] += mine;
            s->leave[k] = s->enter[k] + mine;
        }
        next[k] = s->enter[k] + 1;
    }
}

static inline bool is_inside(const skipper *s, int branch, int where)
{
    return s->enter[where] >= s->enter[branch] && s->enter[where] < s->leave[branch];
}

static int outermost(const skipper *s, int around, int where) // of the branches inside `around`
{
    const tape_branch *at = s->g.branches.at;
    while (at[where].around != around) where = at[where].around;
    return where;
}

static void demand(skipper *s, int i, void *user)
{
    (void)user;
    if (s->placed[i] || s->met[i] == s->meeting) return;
    s->met[i] = s->meeting;
    array_push(s->b->a, &s->stack, i);
}

static int ascending(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

/* What this meeting found, in order. */
static void sort_found(const skipper *s, skip_list list)
{
    int low = INT32_MAX, high = -1, n = 0;
    int *at = list.n ? s->lists.at + list.first : NULL;
    for (int k = 0; k < list.n; k++) {
        if (at[k] < low) low = at[k];
        if (at[k] > high) high = at[k];
    }
    if ((high - low) / 16 > list.n) {
        qsort(at, (size_t)list.n, sizeof *at, ascending);
        return;
    }
    for (int i = low; i <= high; i++)
        if (s->met[i] == s->meeting) at[n++] = i;
}

/* All that i needs and is not placed. */
static skip_list demanded(skipper *s, int i)
{
    skip_list found = {s->lists.n, 0};
    s->meeting++;
    each_operand(s, i, demand, NULL);
    while (s->stack.n) {
        int k = s->stack.at[--s->stack.n];
        list_push(s, &found, k);
        each_operand(s, k, demand, NULL);
    }
    sort_found(s, found);
    return found;
}

static inline void look_whether_there(skipper *s, int i, void *user)
{
    if (!s->placed[i] && s->met[i] != s->meeting) *(bool *)user = false;
}

static inline void gather_one(skipper *s, int i, int branch, skip_list *found)
{
    bool ready = true;
    if (s->placed[i] || s->met[i] == s->meeting || !is_inside(s, branch, s->g.where[i])) return;
    each_operand(s, i, look_whether_there, &ready);
    if (!ready) return;
    s->met[i] = s->meeting;
    list_push(s, found, i);
}

/* Of the chain of the branch, and of what uses it, all that can be computed now; it leaves the chain. */
static skip_list gather(skipper *s, int branch)
{
    skip_list found = {s->lists.n, 0};
    int *link = &s->first[branch];
    s->meeting++;
    for (int i = s->first[branch]; i >= 0; i = s->next[i]) gather_one(s, i, branch, &found);
    for (int j = 0; j < found.n; j++) {
        int i = list_item(s, found, j);
        for (int u = s->first_user[i]; u < s->first_user[i + 1]; u++)
            gather_one(s, s->user[u], branch, &found);
    }
    for (int i = *link; i >= 0; i = s->next[i]) {
        if (s->placed[i] || s->met[i] == s->meeting) continue;
        *link = i;
        link = &s->next[i];
    }
    *link = -1;
    sort_found(s, found);
    return found;
}

static double work_of(const skipper *s, skip_list list)
{
    double work = 0;
    for (int k = 0; k < list.n; k++) work += tape_op_work(s->b->ins.at[list_item(s, list, k)].op);
    return work;
}

static void place(skipper *s, int i)
{
    const tape_ins *in = &s->b->ins.at[i];
    int results = in->op == TAPE_CALL ? s->b->calls.at[in->a].fn->n_out : 0;
    for (int k = 0; k <= results; k++) {
        s->placed[i + k] = true;
        array_push(s->b->a, &s->to->order, i + k);
    }
}

static bool is_there(const skipper *s, tape_ref r)
{
    return tape_kind_of(r) != TAPE_VALUE || s->placed[tape_index_of(r)];
}

static void place_region(skipper *s, skip_list list, int branch);

static void chain_list(skipper *s, skip_list list, int around)
{
    for (int k = 0; k < list.n; k++) {
        int i = list_item(s, list, k);
        if (s->placed[i] || s->g.where[i] == around) continue;
        s->next[i] = outermost(s, around, s->g.where[i]);
        s->first[s->next[i]] = -1;
    }
    for (int k = 0; k < list.n; k++) {
        int i = list_item(s, list, k), branch = s->next[i];
        if (s->placed[i] || s->g.where[i] == around) continue;
        if (s->first[branch] < 0) s->first[branch] = i;
        else s->next[s->last[branch]] = i;
        s->last[branch] = i;
        s->next[i] = -1;
    }
}

/* A list that needs nothing else, in the branch `around`, by the conditions below it. */
static void place_list(skipper *s, skip_list list, int around)
{
    chain_list(s, list, around);
    for (int k = 0; k < list.n; k++) {
        int i = list_item(s, list, k);
        if (s->placed[i]) continue;
        if (s->g.where[i] == around) {
            place(s, i);
            continue;
        }
        int branch = outermost(s, around, s->g.where[i]), at = s->to->regions.n;
        skip_list found = gather(s, branch);
        const tape_branch by = s->g.branches.at[branch];
        double work = work_of(s, found);
        bool worth = work >= LEAST_WORK && is_there(s, by.a) && is_there(s, by.b);
        if (worth) {
            tape_region x = {s->to->order.n, 0, by.op, by.a, by.b, by.yes};
            array_push(s->b->a, &s->to->regions, x);
        }
        if (worth && work >= LEAST_AROUND) place_region(s, found, branch);
        else
            for (int j = 0; j < found.n; j++) place(s, list_item(s, found, j));
        list_drop(s, found);
        if (worth) s->to->regions.at[at].end = s->to->order.n;
    }
}

static void place_region(skipper *s, skip_list list, int branch)
{
    for (int k = 0; k < list.n; k++) {
        int i = list_item(s, list, k);
        if (s->placed[i] || s->g.where[i] != branch) continue;
        skip_list before = demanded(s, i);
        place_list(s, before, branch);
        list_drop(s, before);
        place(s, i);
    }
    place_list(s, list, branch);
}

static bool has_branches(const tape_builder *b)
{
    for (int i = 0; i < b->ins.n; i++) {
        const tape_ins *in = &b->ins.at[i];
        if (tape_op_operands(in->op) == 4 &&
            (tape_kind_of(in->c) == TAPE_VALUE || tape_kind_of(in->d) == TAPE_VALUE))
            return true;
    }
    return false;
}

tape_order tape_place(const tape_builder *b)
{
    tape_order to = {0};
    skip_list all = {0};
    if (!has_branches(b)) return to;
    skipper s = {.b = b, .g = branches_find(b), .to = &to};
    double work = 0;
    for (int i = 0; i < b->ins.n; i++)
        if (is_needed(&s, i) && s.g.where[i] != BRANCH_ALWAYS)
            work += tape_op_work(b->ins.at[i].op);
    if (work < LEAST_WORK) return to;
    s.placed = arena_array(b->a, uint8_t, b->ins.n + 1);
    s.met = arena_array(b->a, int, b->ins.n + 1);
    s.next = arena_array(b->a, int, b->ins.n + 1);
    s.first = arena_array(b->a, int, s.g.branches.n);
    s.last = arena_array(b->a, int, s.g.branches.n);
    number_branches(&s);
    find_users(&s);
    array_reserve(b->a, &to.order, b->ins.n);
    array_reserve(b->a, &s.lists, 2 * b->ins.n);
    for (int i = 0; i < b->ins.n; i++)
        if (is_needed(&s, i)) list_push(&s, &all, i);
    place_region(&s, all, BRANCH_ALWAYS);
    return to;
}
