/* The derivative of a map is a map.
 *
 * An instance sees, through its operands, a few gradients; numbering their columns in the order
 * they are met turns them into a signature, the local sparsity. Instances with equal signatures
 * share one differentiated kernel, with the derivatives of their operands as further operands, and
 * become one map again. So N equal cells are differentiated once.
 *
 * Rows of a full matrix differ in which of their columns is that of their own unknown. There each operand has a
 * column of its own, and derivatives by columns that are the same somewhere are left in w and added by a sum.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive_program.h"

#include "base/map.h"
#include "derive/gradient.h"

#include <string.h>

/* ---- instances of equal signature ------------------------------------------------------------ */

/* A kernel, seen from one of its instances. */
typedef struct view {
    const tape_step *s;
    tape_ref *leaf; // distinct leaves of the kernel that may have a gradient
    int n_leaves;
} view;

typedef struct group {
    int_array members; // instances, ascending
    int_array signature;
    struct group *next;      // same hash
    const tape_access *like; // all columns move as this does; NULL: each member is looked at
} group;

static void resolve_ref(const tape_step *s, int instance, tape_ref *r)
{
    if (tape_kind_of(*r) != TAPE_X) return;
    const tape_access *a = &s->access[tape_index_of(*r)];
    *r = tape_ref_of(a->array, tape_element(a, instance));
}

static slopes leaf_slopes(program_deriver *d, const view *v, int instance, int k)
{
    tape_ref r = v->leaf[k];
    resolve_ref(v->s, instance, &r);
    return derive_slopes(d, tape_kind_of(r), tape_index_of(r));
}

/* Columns of operands that move alike from instance to instance never meet, and never part: one look at the
 * first instance tells the signature of all. */
static int moved_by(const tape_access *a, int i)
{
    return tape_element(a, i) - tape_element(a, 0);
}

static bool moves_with_columns(const program_deriver *d, const tape_access *a, int n)
{
    const int *col = d->col[a->array], first = col[tape_element(a, 0)];
    for (int i = 0; i < n; i++)
        if (col[tape_element(a, i)] != first + moved_by(a, i)) return false;
    return true;
}

static bool has_columns(const program_deriver *d, const tape_access *a, int n)
{
    for (int i = 0; i < n; i++)
        if (d->col[a->array][tape_element(a, i)] >= 0) return true;
    return false;
}

/* An operand by which all that have columns move; NULL: they do not move alike. */
static const tape_access *regular_access(program_deriver *d, const view *v)
{
    const tape_access *like = NULL;
    for (int k = 0; k < v->n_leaves; k++) {
        tape_ref r = v->leaf[k];
        if (tape_kind_of(r) != TAPE_X) {
            if (derive_slopes(d, tape_kind_of(r), tape_index_of(r)).n) return NULL;
            continue;
        }
        const tape_access *a = &v->s->access[tape_index_of(r)];
        if (a->array >= TAPE_W) return NULL;
        if (!has_columns(d, a, 1)) {
            if (has_columns(d, a, v->s->n)) return NULL;
            continue;
        }
        if (like && (a->list != like->list || (!a->list && a->stride != like->stride))) return NULL;
        if (!moves_with_columns(d, a, v->s->n)) return NULL;
        like = a;
    }
    return like;
}

static void push_signature(program_deriver *d, const view *v, int instance, int_array *to)
{
    derive_begin_instance(d);
    to->n = 0;
    for (int k = 0; k < v->n_leaves; k++) {
        slopes g = leaf_slopes(d, v, instance, k);
        if (g.n == 1 && g.at->slot < 0 &&
            g.at->value == 1) { // an unknown itself: one word, below 0
            int at = derive_local_column(d, g.at->col);
            array_push(d->scratch, to, -1 - 2 * at - derive_goes_to_out2(d, g.at->col));
            continue;
        }
        array_push(d->scratch, to, g.n);
        for (int e = 0; e < g.n; e++) {
            int bits[2] = {0, 0};
            if (g.at[e].slot < 0) memcpy(bits, &g.at[e].value, sizeof bits);
            array_push(d->scratch, to, derive_local_column(d, g.at[e].col));
            array_push(d->scratch, to,
                       (g.at[e].slot < 0) + 2 * derive_goes_to_out2(d, g.at[e].col));
            array_push(d->scratch, to, bits[0]);
            array_push(d->scratch, to, bits[1]);
        }
    }
}

static void add_leaf(view *v, map *seen, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE || tape_kind_of(r) == TAPE_CONST) return;
    uint64_t *number = map_put(seen, r);
    if (!*number) {
        v->leaf[v->n_leaves++] = r;
        *number = (uint64_t)v->n_leaves;
    }
}

static void collect_leaves(program_deriver *d, view *v, map *seen)
{
    const tape *t = v->s->kernel;
    v->leaf = arena_array(d->scratch, tape_ref, 4 * (size_t)t->n_ins + (size_t)t->n_args);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref refs[4] = {in->op == TAPE_STORE ? in->b : in->a, in->b, in->c, in->d};
        int n = in->op == TAPE_STORE ? 1 : tape_op_operands(in->op);
        for (int k = 0; k < n; k++) add_leaf(v, seen, refs[k]);
    }
    for (int k = 0; k < t->n_args; k++) add_leaf(v, seen, t->args[k]);
}

typedef ARRAY(group *) group_array;

static bool has_signature(const group *g, const int_array *signature)
{
    size_t bytes = (size_t)signature->n * sizeof(int);
    return g->signature.n == signature->n &&
           (!bytes || !memcmp(g->signature.at, signature->at, bytes));
}

static void find_groups(program_deriver *d, const view *v, group_array *groups)
{
    map by_hash;
    int_array signature = {0};
    group *last = NULL; // neighbours are mostly of one group
    const tape_access *like = d->apart ? NULL : regular_access(d, v);
    if (like) {
        group *g = arena_new(d->scratch, group);
        g->like = like;
        array_reserve(d->scratch, &g->members, v->s->n);
        for (int i = 0; i < v->s->n; i++) g->members.at[g->members.n++] = i;
        array_push(d->scratch, groups, g);
        return;
    }
    map_init(&by_hash, d->scratch);
    for (int i = 0; i < v->s->n; i++) {
        push_signature(d, v, i, &signature);
        if (last && has_signature(last, &signature)) {
            array_push(d->scratch, &last->members, i);
            continue;
        }
        size_t bytes = (size_t)signature.n * sizeof(int);
        uint64_t *head = map_put(&by_hash, hash_bytes(signature.at, bytes));
        group *g = (group *)(uintptr_t)*head;
        while (g && !has_signature(g, &signature)) g = g->next;
        if (!g) {
            g = arena_new(d->scratch, group);
            for (int k = 0; k < signature.n; k++)
                array_push(d->scratch, &g->signature, signature.at[k]);
            g->next = (group *)(uintptr_t)*head;
            *head = map_key(g);
            array_push(d->scratch, groups, g);
        }
        array_push(d->scratch, &g->members, i);
        last = g;
    }
}

/* ---- the differentiated kernel of a group ---------------------------------------------------- */

/* A new operand: the derivative of leaf `leaf` by its entry `entry`, or where a result goes. */
typedef struct formal {
    int leaf, entry; // input: which; leaf < 0: result
    int store, col;  // result: number of the store and local column
} formal;

/* What a store of the kernel leaves behind, per entry of its gradient. */
typedef struct store_slope {
    int store, col; // local column
    int formal;     // that holds it, or -1: the constant
    double value;
} store_slope;

typedef struct kernel_job {
    program_deriver *d;
    const view *v;
    const map *number; // leaf to its number plus one
    tape_builder *b;
    grad *of_leaf;
    int n_x; // operands of the original kernel
    ARRAY(formal) formals;
    ARRAY(store_slope) slopes;
    ARRAY(tape_ref) targets; // of the stores, in order
} kernel_job;

static grad job_leaf(void *user, tape_ref leaf)
{
    kernel_job *j = user;
    const uint64_t *number = map_find(j->number, leaf);
    return number ? j->of_leaf[*number - 1] : (grad){0, NULL};
}

static tape_kind target_array(const view *v, tape_ref target)
{
    return tape_kind_of(target) == TAPE_X ? v->s->access[tape_index_of(target)].array
                                          : tape_kind_of(target);
}

static int new_formal(kernel_job *j, formal f)
{
    array_push(j->d->scratch, &j->formals, f);
    return j->n_x + j->formals.n - 1;
}

/* Values in w are computed again, since later steps need them; those in out are not. */
static void job_store(void *user, tape_ref target, tape_ref value, grad g)
{
    kernel_job *j = user;
    tape_kind array = target_array(j->v, target);
    int store = j->targets.n;
    array_push(j->d->scratch, &j->targets, target);
    if (array == TAPE_W) tape_store(j->b, target, value);
    if (array == TAPE_OUT2) return;
    for (int k = 0; k < g.n; k++) {
        store_slope s = {.store = store, .col = g.at[k].col, .formal = -1};
        if (array == TAPE_OUT || !tape_is_const(j->b, g.at[k].ref, &s.value)) {
            s.formal = new_formal(j, (formal){.leaf = -1, .store = store, .col = s.col});
            tape_store(j->b, tape_x(s.formal), g.at[k].ref);
        }
        array_push(j->d->scratch, &j->slopes, s);
    }
}

/* Gradients of the leaves as instance `first` sees them. */
static void prepare_leaves(kernel_job *j, int first)
{
    program_deriver *d = j->d;
    derive_begin_instance(d);
    j->of_leaf = arena_array(d->scratch, grad, j->v->n_leaves);
    for (int k = 0; k < j->v->n_leaves; k++) {
        slopes g = leaf_slopes(d, j->v, first, k);
        grad_entry *at = arena_array(d->scratch, grad_entry, g.n);
        for (int e = 0; e < g.n; e++) {
            at[e].col = derive_local_column(d, g.at[e].col);
            if (g.at[e].slot < 0) at[e].ref = tape_const(j->b, g.at[e].value);
            else at[e].ref = tape_x(new_formal(j, (formal){.leaf = k, .entry = e}));
        }
        j->of_leaf[k] = (grad){g.n, at};
    }
}

/* ---- accesses of the new map ----------------------------------------------------------------- */

/* Of an operand of the original kernel: the same, or the elements of the group's members. */
static tape_access old_access(program_deriver *d, const tape_step *s, const group *g, int k)
{
    tape_access a = s->access[k];
    if (g->members.n == s->n) return a;
    int *list = arena_array(d->scratch, int, g->members.n);
    for (int i = 0; i < g->members.n; i++) list[i] = tape_element(&a, g->members.at[i]);
    return (tape_access){.array = a.array, .list = list};
}

static tape_ref target_access(const kernel_job *j, int store, int instance)
{
    tape_ref r = j->targets.at[store];
    resolve_ref(j->v->s, instance, &r);
    return r;
}

static draft_access fresh_w(program_deriver *d, int n)
{
    d->n_w += n;
    return (draft_access){.at = {TAPE_W, d->n_w - n, 1, NULL}};
}

/* Room for a result per member: elements of w side by side, or entries of the pattern. */
static draft_access new_access(kernel_job *j, const group *g, const formal *f, int local_is_out2)
{
    program_deriver *d = j->d;
    int n = g->members.n;
    if (f->leaf >= 0) {
        int *list = arena_array(d->scratch, int, n);
        for (int i = 0; i < n; i++)
            list[i] = leaf_slopes(d, j->v, g->members.at[i], f->leaf).at[f->entry].slot;
        return (draft_access){.at = {TAPE_W, 0, 0, list}};
    }
    if (tape_kind_of(target_access(j, f->store, g->members.at[0])) == TAPE_OUT)
        return (draft_access){.at = {local_is_out2 ? TAPE_OUT2 : TAPE_OUT, 0, 0, NULL},
                              .pending = true};
    return fresh_w(d, n);
}

static void meet_columns(program_deriver *d, const view *v, int instance)
{
    derive_begin_instance(d);
    for (int k = 0; k < v->n_leaves; k++) {
        slopes of_leaf = leaf_slopes(d, v, instance, k);
        for (int e = 0; e < of_leaf.n; e++) derive_local_column(d, of_leaf.at[e].col);
    }
}

/* The stores of member i: new gradients of w, new entries of the pattern. */
static void settle_member(kernel_job *j, const group *g, int i, draft_access *access)
{
    program_deriver *d = j->d;
    int instance = g->members.at[i];
    if (!g->like) meet_columns(d, j->v, instance);
    else // they stand where the member before left them
        for (int k = 0, by = i ? moved_by(g->like, i) - moved_by(g->like, i - 1) : 0; k < d->met.n;
             k++)
            d->met.at[k] += by;
    for (int s = 0, k = 0; s < j->targets.n; s++) {
        tape_ref target = target_access(j, s, instance);
        int first = k, n = 0;
        while (k < j->slopes.n && j->slopes.at[k].store == s) k++;
        slope *at = NULL;
        if (tape_kind_of(target) == TAPE_W) at = arena_array(d->scratch, slope, k - first);
        for (int e = first; e < k; e++) {
            const store_slope *x = &j->slopes.at[e];
            int col = d->met.at[x->col];
            if (tape_kind_of(target) == TAPE_OUT) {
                draft_access *to = &access[x->formal]; // all members have as many entries
                if (i == 0) to->first = d->entries.n;
                if (i == 1) to->every = d->entries.n - to->first;
                array_push(d->scratch, &d->entries, ((pattern_entry){tape_index_of(target), col}));
            } else {
                int slot = x->formal < 0 ? -1 : tape_element(&access[x->formal].at, i);
                at[n++] = (slope){col, slot, x->value};
            }
        }
        // Gradients change only when the step has ended: no instance reads what the map stores.
        if (at || tape_kind_of(target) == TAPE_W) d->of_w[tape_index_of(target)] = (slopes){n, at};
    }
}

/* ---- columns apart --------------------------------------------------------------------------- */

/* Derivatives that are added: terms in w, each of one target. */
typedef struct added {
    int_array entries;   // by target: its entry in the pattern
    int_array target, w; // by term
} added;

/* Columns that were met for the same result, by the derivative that was the first. */
typedef struct meeting {
    int *stamp, *first, now; // by column
} meeting;

static meeting meeting_of(program_deriver *d)
{
    return (meeting){arena_array(d->scratch, int, d->n_cols),
                     arena_array(d->scratch, int, d->n_cols), 0};
}

static bool meets_first(meeting *m, int col, int what)
{
    if (m->stamp[col] == m->now) return false;
    m->stamp[col] = m->now;
    m->first[col] = what;
    return true;
}

/* By operand: is it a derivative by a column that is met again by some member? */
static bool *find_met_again(kernel_job *j, const group *g)
{
    program_deriver *d = j->d;
    bool *again = arena_array(d->scratch, bool, j->n_x + j->formals.n);
    meeting m = meeting_of(d);
    for (int i = 0; i < g->members.n; i++) {
        meet_columns(d, j->v, g->members.at[i]);
        for (int k = 0, store = -1; k < j->slopes.n; k++) {
            const store_slope *x = &j->slopes.at[k];
            int col = d->met.at[x->col];
            m.now += x->store != store;
            store = x->store;
            if (!meets_first(&m, col, x->formal)) again[x->formal] = again[m.first[col]] = true;
        }
    }
    return again;
}

static void add_term(program_deriver *d, added *to, int target, int w)
{
    array_push(d->scratch, &to->target, target);
    array_push(d->scratch, &to->w, w);
}

/* The step that adds them. */
static void push_added(program_deriver *d, const added *x, tape_kind array)
{
    int n = x->entries.n;
    if (!n) return;
    int *start = arena_array(d->scratch, int, n + 2), *index = arena_array(d->scratch, int, x->w.n);
    for (int k = 0; k < x->w.n; k++) start[x->target.at[k] + 2]++;
    for (int k = 0; k < n; k++) start[k + 2] += start[k + 1];
    for (int k = 0; k < x->w.n; k++) index[start[x->target.at[k] + 1]++] = x->w.at[k];
    draft to = {.n_access = 1, .access = arena_new(d->scratch, draft_access)};
    *to.access = (draft_access){.at = {.array = array}, .pending = true, .entries = x->entries.at};
    to.step = (tape_step){.kind = TAPE_STEP_SUM, .n = n, .start = start, .index = index};
    array_push(d->scratch, &d->drafts, to);
}

/* The entries of the members. sums: of out and of out2. */
static void settle_apart(kernel_job *j, const group *g, const bool *again, draft_access *access,
                         added *sums)
{
    program_deriver *d = j->d;
    meeting m = meeting_of(d);
    int n = g->members.n, **entries = arena_array(d->scratch, int *, j->n_x + j->formals.n);
    for (int k = 0; k < j->slopes.n; k++) {
        int x = j->slopes.at[k].formal;
        if (!again[x]) access[x].entries = entries[x] = arena_array(d->scratch, int, n);
    }
    for (int i = 0; i < n; i++) {
        meet_columns(d, j->v, g->members.at[i]);
        for (int k = 0, store = -1; k < j->slopes.n; k++) {
            const store_slope *x = &j->slopes.at[k];
            int col = d->met.at[x->col], entry = d->entries.n;
            int row = tape_index_of(target_access(j, x->store, g->members.at[i]));
            added *to = &sums[derive_goes_to_out2(d, col)];
            m.now += x->store != store;
            store = x->store;
            bool first = !again[x->formal] || meets_first(&m, col, to->entries.n);
            if (first) array_push(d->scratch, &d->entries, ((pattern_entry){row, col}));
            if (!again[x->formal]) {
                entries[x->formal][i] = entry;
                continue;
            }
            if (first) array_push(d->scratch, &to->entries, entry);
            add_term(d, to, m.first[col], tape_element(&access[x->formal].at, i));
        }
    }
}

typedef struct renumbering {
    draft_access *old, *kept;
    int *number, n; // per operand: its new number plus one
} renumbering;

static tape_ref renumber_operands(void *user, int x)
{
    renumbering *r = user;
    if (!r->number[x]) {
        r->kept[r->n] = r->old[x];
        r->number[x] = ++r->n;
    }
    return tape_x(r->number[x] - 1);
}

/* Operands that the finished kernel does not use are dropped. */
static void drop_unused(const tape *t, draft *to, arena *scratch)
{
    renumbering r = {.old = to->access};
    r.kept = arena_array(scratch, draft_access, to->n_access);
    r.number = arena_array(scratch, int, to->n_access);
    derive_change_operands(t, renumber_operands, &r);
    to->access = r.kept;
    to->n_access = ((tape *)t)->extent[TAPE_X] = r.n;
}

static void derive_group(program_deriver *d, const view *v, const map *number, const group *g)
{
    kernel_job j = {.d = d, .v = v, .number = number, .b = tape_builder_new(d->scratch)};
    j.n_x = v->s->kernel->extent[TAPE_X];
    prepare_leaves(&j, g->members.at[0]);
    // Which local columns belong to y'; the same for all members, by the signature.
    int n_local = d->met.n, *out2 = arena_array(d->scratch, int, n_local);
    for (int k = 0; k < n_local; k++) out2[k] = derive_goes_to_out2(d, d->met.at[k]);
    grad_run(&(grad_job){.f = v->s->kernel,
                         .b = j.b,
                         .n_cols = n_local,
                         .leaf = job_leaf,
                         .store = job_store,
                         .user = &j,
                         .scratch = d->scratch,
                         .result = d->result});
    const tape *kernel = tape_finish(j.b, d->result);

    draft to = {.n_access = j.n_x + j.formals.n};
    to.access = arena_array(d->scratch, draft_access, to.n_access);
    for (int k = 0; k < j.n_x; k++) to.access[k].at = old_access(d, v->s, g, k);
    const bool *again = d->apart ? find_met_again(&j, g) : NULL;
    added sums[2] = {0};
    for (int k = 0; k < j.formals.n; k++) {
        const formal *f = &j.formals.at[k];
        bool in_w = again && again[j.n_x + k];
        to.access[j.n_x + k] =
            in_w ? fresh_w(d, g->members.n) : new_access(&j, g, f, f->leaf < 0 ? out2[f->col] : 0);
    }
    if (again) settle_apart(&j, g, again, to.access, sums);
    for (int i = 0; !again && i < g->members.n; i++) settle_member(&j, g, i, to.access);
    drop_unused(kernel, &to, d->scratch);
    to.step = (tape_step){.kind = TAPE_STEP_MAP, .kernel = kernel, .n = g->members.n};
    if (kernel->n_ins) array_push(d->scratch, &d->drafts, to);
    push_added(d, &sums[0], TAPE_OUT);
    push_added(d, &sums[1], TAPE_OUT2);
}

/* Rows of results, so long that a kernel for a few of them costs more than to pass their derivatives on in w. */
static bool are_long_rows(const view *v)
{
    enum { LONG = 100 }; // operands: choice, some microseconds to differentiate and compile
    const tape *t = v->s->kernel;
    if (v->n_leaves < LONG) return false;
    for (int k = 0; k < t->n_ins; k++)
        if (t->ins[k].op == TAPE_STORE && target_array(v, t->ins[k].a) == TAPE_W) return false;
    return true;
}

/* Groups of a few members each: with columns apart there may be fewer. */
static void part_columns(program_deriver *d, const view *v, group_array *groups)
{
    enum { FEW = 8 };
    group_array fewer = {0};
    if (groups->n < 2 || groups->n * FEW <= v->s->n || !are_long_rows(v)) return;
    d->apart = true;
    find_groups(d, v, &fewer);
    d->apart = fewer.n * FEW <= v->s->n;
    if (d->apart) *groups = fewer;
}

void derive_map(program_deriver *d, const tape_step *s)
{
    view v = {.s = s};
    map number;
    group_array groups = {0};
    map_init(&number, d->scratch);
    collect_leaves(d, &v, &number);
    find_groups(d, &v, &groups);
    part_columns(d, &v, &groups);
    for (int k = 0; k < groups.n; k++) derive_group(d, &v, &number, groups.at[k]);
    d->apart = false;
}
