/* Shapes: which expressions are built alike.
 *
 * Each expression is written down canonically: its nodes numbered in the order of a depth-first
 * walk, each as operator and argument numbers, and every variable leaf as a slot in order of first
 * appearance. Two expressions with equal writing differ only in what their slots refer to. The
 * writing is hashed.
 *
 * Neighbours are mostly of one shape. So an expression is first held against the nodes of the shapes
 * that were met last, which takes a tenth of the time of writing it down.
 *
 * Large expressions, and small ones where there are many, may also differ in a few numbers that they add, subtract,
 * multiply or divide by, as the middles (i - 0.5)/n of cells do.
 *
 * A row of a full matrix has its own unknown once more, at another place in each row: h[i] in
 * der(h[i]) = -h[i] + W[i, 1]*tanh(h[1]) + ... So large expressions that are built alike but for where variables
 * occur twice are unfolded: each occurrence of a variable is a slot of its own. What all members share is found
 * again when their kernel is built, since slots with the same list are one operand.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/roll_parts.h"

#include <math.h>
#include <string.h>

enum {
    SLOTS_MAX = 16384, // a row of a full matrix of some thousand columns, and its vector
    RECENT = 4,        // shapes that an expression is held against
    SHARED_PART =
        8, // of the operations of an expression that is unfolded at most one in so many is repeated: choice,
    // each of a kernel may be done once more
    ROOTS_MANY =
        1000, // from so many on numbers of small ones may differ, too: straight code takes 30 microseconds a
    // row to make; for the 66 rows of examples/ivp/emep.mo a map takes 4 % more to run
};

/* How the shape of an expression is found. */
struct roll_lookup {
    ARRAY(uint64_t) words; // writings of the shapes, one after the other
    map by_hash;           // hash: shape + 1
    int n_own; // of the numbers in `own`, those of members; the others are of the present match
    ARRAY(uint8_t) exact;   // by node: a number that must be the same for all members
    ARRAY(tape_ref) places; // by number of a node: place of a variable, if it was looked up
    int recent[RECENT], n_recent;
    struct roll_filled {
        expr e;
        uint32_t match;
    } * filled;      // slots of the present match, by hash: 2^filled_bits, more than twice as many
    int filled_bits; // 0: none yet
    uint32_t match;
    ARRAY(tape_ref) matched; // ... and their places
};

void roll_begin(roller *r)
{
    arena *a = r->a;
    r->next = arena_array(a, int, r->n);
    r->slot_at = arena_array(a, int, r->n);
    r->of = arena_array(a, int, r->n);
    r->number_at = arena_sparse(a, int, r->n);
    r->n_numbers = arena_sparse(a, int, r->n);
    r->lookup = arena_new(a, roll_lookup);
    map_init(&r->lookup->by_hash, a);
    for (int i = 0; i < r->n; i++) r->next[i] = r->of[i] = -1;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void roll_word(roller *r, uint64_t x)
{
    array_push(r->a, &r->now, x);
}

static uint64_t literal_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* Write node e, whose arguments are numbered. */
static void write_node(roller *r, expr e, int first_slot)
{
    lowering *l = r->l;
    double x;
    // What a body is may depend on types.
    uint64_t type = l->sealed ? (uint64_t)expr_at(l->p, e)->type << 12 : 0;
    if (expr_number(l->p, e, &x)) {
        roll_word(r, 1 + type);
        roll_word(r, literal_bits(x));
        return;
    }
    expr_op op = (expr_op)expr_at(l->p, e)->op;
    if (op == EXPR_VAR) {
        tape_ref ref = lower_leaf(l, e);
        array_push(r->a, &r->slots, ref);
        roll_word(r, 2 + ((uint64_t)tape_kind_of(ref) << 8) + type +
                         ((uint64_t)(r->slots.n - 1 - first_slot) << 16));
        return;
    }
    int n = expr_arity(l->p, e);
    roll_word(r, 3 + ((uint64_t)op << 8) + ((uint64_t)n << 16));
    if (l->sealed && !n) roll_word(r, (uint64_t)e); // a text, say
    if (op == EXPR_CALL) {
        const expr_node *node = expr_at(l->p, e);
        roll_word(r, (uint64_t)node->u.call.function << 16 | (uint64_t)node->u.call.output);
    }
    for (int k = 0; k < n; k++)
        roll_word(r, (uint64_t)lower_note_of(l, lower_resolve(l, expr_args(l->p, e)[k]))->local);
}

/* A walk over the nodes of an expression, each once and after its arguments. */
static void walk_begin(lowering *l, expr root)
{
    lower_begin(l);
    l->stack.n = 0;
    array_push(l->scratch, &l->stack, lower_resolve(l, root));
}

static bool walk_next(lowering *l, expr *node)
{
    while (l->stack.n) {
        expr e = array_last(&l->stack);
        int n = expr_arity(l->p, e), before = l->stack.n;
        lower_note *note = lower_note_of(l, e);
        if (note->mark != l->epoch)
            for (int k = n - 1; k >= 0; k--) {
                expr arg = lower_resolve(l, expr_args(l->p, e)[k]);
                if (lower_note_of(l, arg)->mark != l->epoch) array_push(l->scratch, &l->stack, arg);
            }
        if (l->stack.n > before) continue;
        l->stack.n--;
        if (note->mark == l->epoch) continue;
        note->mark = l->epoch;
        *node = e;
        return true;
    }
    return false;
}

bool roll_write_down(roller *r, expr root, int first_slot)
{
    lowering *l = r->l;
    int n_nodes = 0;
    expr e;
    r->now.n = 0;
    r->bound.n = 0;
    for (walk_begin(l, root); walk_next(l, &e);) {
        write_node(r, e, first_slot);
        array_push(r->a, &r->bound, e);
        lower_note_of(l, e)->local = n_nodes;
        if (++n_nodes > ROLL_NODES || r->slots.n - first_slot > SLOTS_MAX) return false;
    }
    return !l->failed;
}

/* ---- matching -------------------------------------------------------------------------------- */

void roll_add_member(roller *r, int shape_at, int i)
{
    roll_shape *s = &r->shapes.at[shape_at];
    r->next[s->last] = i;
    s->last = i;
    s->n_members++;
    r->of[i] = shape_at;
}

static void roll_recall(roller *r, int shape_at)
{
    int k = 0;
    while (k < r->lookup->n_recent && r->lookup->recent[k] != shape_at) k++;
    if (k == RECENT) k--;
    else if (k == r->lookup->n_recent) r->lookup->n_recent++;
    for (; k > 0; k--) r->lookup->recent[k] = r->lookup->recent[k - 1];
    r->lookup->recent[0] = shape_at;
}

/* Is a number in place j an operand like any other? An exponent, say, decides which instructions are made. */
static bool takes_any_number(expr_op op, int j)
{
    bool sum = op == EXPR_ADD || op == EXPR_SUB, product = op == EXPR_MUL || op == EXPR_DIV;
    return sum || product || (op == EXPR_IF && j > 0);
}

/* Where a choice follows from another one, the numbers may be those of a table (lower.c). */
static void hold_choices(roller *r, const roll_shape *s, int user, int arg)
{
    const expr_pool *p = r->l->p;
    const int *nodes = r->nodes.at + s->nodes, both[] = {user, arg};
    if (expr_at(p, nodes[user])->op != EXPR_IF || expr_at(p, nodes[arg])->op != EXPR_IF) return;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            r->lookup->exact.at[s->nodes + r->numbers.at[r->args.at[s->nodes + both[k]] + j]] = 1;
}

/* Keep the nodes that were written down last as those of a shape. */
static void keep_nodes(roller *r, roll_shape *s)
{
    lowering *l = r->l;
    int slot = 0;
    uint8_t exact = r->bound.n < ROLL_LARGE && r->n < ROOTS_MANY;
    s->nodes = r->nodes.n;
    s->n_nodes = r->bound.n;
    for (int k = 0; k < r->bound.n; k++) array_push(r->a, &r->lookup->exact, exact);
    for (int k = 0; k < r->bound.n; k++) {
        expr e = r->bound.at[k];
        bool leaf = expr_at(l->p, e)->op == EXPR_VAR;
        array_push(r->a, &r->nodes, e);
        array_push(r->a, &r->args, leaf ? slot++ : r->numbers.n);
        for (int j = 0; !leaf && j < expr_arity(l->p, e); j++) {
            int of = lower_note_of(l, lower_resolve(l, expr_args(l->p, e)[j]))->local;
            array_push(r->a, &r->numbers, of);
            if (!takes_any_number((expr_op)expr_at(l->p, e)->op, j))
                r->lookup->exact.at[s->nodes + of] = 1;
        }
    }
    for (int k = 0; k < r->bound.n; k++)
        for (int j = 0; expr_at(l->p, r->bound.at[k])->op == EXPR_IF && j < 3; j++)
            hold_choices(r, s, k, r->numbers.at[r->args.at[s->nodes + k] + j]);
}

/* Node k of the shape and e are two numbers: may they differ? */
static bool roll_differs(roller *r, const roll_shape *s, int k, double value)
{
    int at = 0;
    if (r->lookup->exact.at[s->nodes + k] || !isfinite(value)) return false;
    while (at < s->n_varying && s->varying[at] != k) at++;
    // Those that are new for the shape are counted, too.
    if (at == s->n_varying && s->n_varying + r->own.n - r->lookup->n_own >= ROLL_VARYING_MAX)
        return false;
    array_push(r->a, &r->own, ((roll_number){k, value}));
    return true;
}

static void keep_varying(roller *r, roll_shape *s, int i)
{
    r->number_at[i] = r->lookup->n_own;
    r->n_numbers[i] = r->own.n - r->lookup->n_own;
    for (; r->lookup->n_own < r->own.n; r->lookup->n_own++) {
        int at = 0;
        while (at < s->n_varying && s->varying[at] != r->own.at[r->lookup->n_own].node) at++;
        if (at == s->n_varying) s->varying[s->n_varying++] = r->own.at[r->lookup->n_own].node;
    }
}

/* The same operator, or the same number, for a node of a shape and one of the present expression. */
static inline bool same_operator(const expr_pool *p, expr a, expr b)
{
    const expr_node *x = expr_at(p, a), *y = expr_at(p, b);
    double u, v;
    if (a == b) return true;
    if (x->op == y->op && (x->op == EXPR_VAR || operator_arities[x->op] > 0)) return true;
    if (expr_number(p, a, &u)) return expr_number(p, b, &v) && literal_bits(u) == literal_bits(v);
    if (x->op != y->op) return false;
    if (operator_arities[x->op] >= 0) return true;
    return x->u.call.n == y->u.call.n &&
           (x->op != EXPR_CALL ||
            (x->u.call.function == y->u.call.function && x->u.call.output == y->u.call.output));
}

/* What e stands for, and its place if it is a variable that stands for itself (or TAPE_NONE). */
static inline expr roll_resolve(lowering *l, expr e, tape_ref *at)
{
    *at = TAPE_NONE;
    switch (expr_at(l->p, e)->op) {
    case EXPR_VAR: *at = lower_place(l, e); return *at == TAPE_NONE ? lower_resolve(l, e) : e;
    case EXPR_NOEVENT:
    case EXPR_SMOOTH:
    case EXPR_HOMOTOPY:
    case EXPR_SEMILINEAR:
    case EXPR_CALL: return lower_resolve(l, e);
    default: return e; // see lower_step
    }
}

static bool are_numbers(const expr_pool *p, expr a, expr b, double *value)
{
    return expr_number(p, a, value) && expr_number(p, b, value);
}

static void roll_match_room(roller *r, const roll_shape *s)
{
    enum { BITS_LEAST = 9 };
    int bits = r->lookup->filled_bits ? r->lookup->filled_bits : BITS_LEAST;
    while (1 << bits <= 2 * s->n_slots) bits++;
    if (bits != r->lookup->filled_bits)
        r->lookup->filled = arena_array(r->a, struct roll_filled, (size_t)1 << bits);
    r->lookup->filled_bits = bits;
    if (r->lookup->matched.cap < s->n_slots) array_reserve(r->a, &r->lookup->matched, s->n_slots);
    if (r->bound.cap < s->n_nodes) array_reserve(r->a, &r->bound, s->n_nodes);
    if (r->lookup->places.cap < s->n_nodes) array_reserve(r->a, &r->lookup->places, s->n_nodes);
}

/* A slot of the present expression is e; false: another one is. */
static bool roll_fill(roller *r, expr e)
{
    uint32_t k = (uint32_t)e * 0x9e3779b1u, last = (1u << r->lookup->filled_bits) - 1;
    for (k >>= 32 - r->lookup->filled_bits; r->lookup->filled[k].match == r->lookup->match;
         k = (k + 1) & last)
        if (r->lookup->filled[k].e == e) return false;
    r->lookup->filled[k].e = e;
    r->lookup->filled[k].match = r->lookup->match;
    return true;
}

/* Is root i of this shape? Its slots are put in place. Users come after their arguments, so that from
 * the last node on each is known when it is looked at. */
static bool roll_match(roller *r, int shape_at, int i, expr root)
{
    lowering *l = r->l;
    const expr_pool *p = l->p;
    const roll_shape *s = &r->shapes.at[shape_at];
    const int *nodes = r->nodes.at + s->nodes, *args = r->args.at + s->nodes;
    const tape_ref *like = r->slots.n ? r->slots.at + r->slot_at[s->first] : NULL;
    if (!same_operator(p, nodes[s->n_nodes - 1], root)) return false;
    roll_match_room(r, s);
    int *bound = r->bound.at;
    tape_ref *places = r->lookup->places.at, *slots = r->lookup->matched.at;
    memset(bound, 0, (size_t)s->n_nodes * sizeof *bound);
    bound[s->n_nodes - 1] = root;
    places[s->n_nodes - 1] = TAPE_NONE;
    r->lookup->match++;
    r->own.n = r->lookup->n_own;
    for (int k = s->n_nodes; k--;) {
        expr e = bound[k];
        double value;
        if (!same_operator(p, nodes[k], e)) {
            if (!are_numbers(p, nodes[k], e, &value) || !roll_differs(r, s, k, value)) return false;
            continue;
        }
        int op = expr_at(p, e)->op, n = operator_arities[op];
        if (op == EXPR_VAR) {
            if (!s->unfolded && !roll_fill(r, e))
                return false; // two slots of the shape are one here
            slots[args[k]] = places[k] == TAPE_NONE ? lower_leaf(l, e) : places[k];
            if (tape_kind_of(slots[args[k]]) != tape_kind_of(like[args[k]])) return false;
            continue;
        }
        if (n < 0) n = expr_at(p, e)->u.call.n;
        const int *number = r->numbers.n ? r->numbers.at + args[k] : NULL;
        for (int j = 0; j < n; j++) {
            tape_ref at;
            expr arg = roll_resolve(l, expr_args(p, e)[j], &at);
            if (bound[number[j]] && bound[number[j]] != arg) return false;
            bound[number[j]] = arg;
            places[number[j]] = at;
        }
    }
    if (l->failed) return false;
    r->slot_at[i] = r->slots.n;
    array_reserve(r->a, &r->slots, r->slots.n + s->n_slots);
    for (int k = 0; k < s->n_slots; k++) r->slots.at[r->slots.n++] = slots[k];
    keep_varying(r, &r->shapes.at[shape_at], i);
    roll_add_member(r, shape_at, i);
    roll_recall(r, shape_at);
    return true;
}

bool roll_match_recent(roller *r, int i, int limit)
{
    expr root = lower_resolve(r->l, r->roots[i]);
    if (r->at) r->l->at = r->at[i];
    for (int k = 0; k < r->lookup->n_recent; k++)
        if (r->shapes.at[r->lookup->recent[k]].n_nodes < limit &&
            roll_match(r, r->lookup->recent[k], i, root))
            return true;
    return false;
}

/* ---- outlines -------------------------------------------------------------------------------- */

/* A hash of a node from those of its arguments: leaves are all alike, and so are numbers where they may
 * differ. Equal writings have equal ones, and each node is looked at once for all roots, where a writing
 * walks all that is below its root. Sealed ones are odd where a call is in them. */
static uint32_t outline_of(lowering *l, expr e)
{
    double x;
    uint64_t words[4] = {0};
    expr_op op = (expr_op)expr_at(l->p, e)->op;
    bool number = expr_number(l->p, e, &x);
    words[0] = number ? 1 : 3 + (uint64_t)op;
    if (op == EXPR_CALL) {
        const expr_node *node = expr_at(l->p, e);
        words[1] = (uint64_t)node->u.call.function << 16 | (uint64_t)node->u.call.output;
    }
    int n = number || op == EXPR_VAR ? 0 : expr_arity(l->p, e);
    uint32_t calls = op == EXPR_CALL;
    words[2] = (uint64_t)n;
    for (int k = 0; k < n; k++) {
        expr arg = lower_resolve(l, expr_args(l->p, e)[k]);
        calls |= (uint32_t)lower_note_of(l, arg)->local & 1;
        if (!takes_any_number(op, k) && expr_number(l->p, arg, &x)) words[1] ^= literal_bits(x);
        words[3] = words[3] * UINT64_C(0x9e3779b97f4a7c15) + (uint32_t)lower_note_of(l, arg)->local;
    }
    uint32_t hash = (uint32_t)hash_bytes(words, sizeof words);
    return l->sealed ? (hash & ~1u) | calls : hash;
}

const bool *roll_candidates(const roller *r, uint32_t *outline)
{
    lowering *l = r->l;
    bool *may = arena_array(r->a, bool, r->n);
    map count;
    expr e;
    map_init(&count, r->a);
    lower_begin(l);
    for (int i = 0; i < r->n; i++) {
        const roll_shape *s = r->of[i] < 0 ? NULL : &r->shapes.at[r->of[i]];
        if ((s && s->first != i) || !r->roots[i])
            continue; // counted with the first; not written yet
        if (r->at) l->at = r->at[i];
        expr root = lower_resolve(l, r->roots[i]);
        l->stack.n = 0;
        array_push(l->scratch, &l->stack, root);
        while (walk_next(l, &e)) lower_note_of(l, e)->local = (int)outline_of(l, e);
        outline[i] = (uint32_t)lower_note_of(l, root)->local;
        *map_put(&count, outline[i]) += s ? (uint64_t)s->n_members : 1;
    }
    for (int i = 0; i < r->n; i++)
        may[i] = r->of[i] < 0 && r->roots[i] && *map_put(&count, outline[i]) >= ROLL_MIN;
    return may;
}

/* ---- grouping -------------------------------------------------------------------------------- */

void roll_classify(roller *r, int i)
{
    lowering *l = r->l;
    int first = r->slots.n;
    if (r->at) l->at = r->at[i];
    r->of[i] = -1;
    r->slot_at[i] = first;
    if (!roll_write_down(r, r->roots[i], first)) {
        r->slots.n = first;
        return;
    }
    uint64_t h = hash_bytes(r->now.at, (size_t)r->now.n * sizeof(uint64_t));
    uint64_t *found = map_put(&r->lookup->by_hash, h);
    if (*found) {
        roll_shape *s = &r->shapes.at[*found - 1];
        if (s->n_writing != r->now.n || memcmp(r->lookup->words.at + s->writing, r->now.at,
                                               (size_t)r->now.n * sizeof(uint64_t)))
            return; // a collision of hashes: leave it alone
        roll_add_member(r, (int)(*found - 1), i);
        roll_recall(r, r->of[i]);
        return;
    }
    roll_shape s = {.hash = h,
                    .writing = r->lookup->words.n,
                    .n_writing = r->now.n,
                    .first = i,
                    .last = i,
                    .n_members = 1,
                    .n_slots = r->slots.n - first};
    for (int k = 0; k < r->now.n; k++) array_push(r->a, &r->lookup->words, r->now.at[k]);
    keep_nodes(r, &s);
    array_push(r->a, &r->shapes, s);
    *found = (uint64_t)r->shapes.n;
    r->of[i] = r->shapes.n - 1;
    roll_recall(r, r->of[i]);
}

/* An operation that waits for its arguments. */
typedef struct unfold_frame {
    expr e;
    int next, arg[3];
} unfold_frame;

/* Calls have many arguments, and choices within choices may be tables (lower.c): these are not unfolded. */
static bool may_unfold(lowering *l, expr e)
{
    expr_op op = (expr_op)expr_at(l->p, e)->op;
    if (operator_arities[op] < 0 || operator_arities[op] > 3) return false;
    for (int k = 0; op == EXPR_IF && k < 3; k++)
        if (expr_at(l->p, lower_resolve(l, expr_args(l->p, e)[k]))->op == EXPR_IF) return false;
    return true;
}

/* The next node of a tree, after its arguments. */
static void keep_unfolded(roller *r, roll_shape *s, const unfold_frame *f)
{
    lowering *l = r->l;
    const expr_node *x = expr_at(l->p, f->e);
    bool leaf = x->op == EXPR_VAR;
    array_push(r->a, &r->nodes, f->e);
    array_push(r->a, &r->lookup->exact, 0);
    array_push(r->a, &r->args, leaf ? s->n_slots++ : r->numbers.n);
    if (leaf) array_push(r->a, &r->slots, lower_leaf(l, f->e));
    for (int j = 0; !leaf && j < f->next; j++) {
        array_push(r->a, &r->numbers, f->arg[j]);
        if (!takes_any_number((expr_op)x->op, j)) r->lookup->exact.at[s->nodes + f->arg[j]] = 1;
    }
    s->n_nodes++;
}

/* The nodes of a shape from its first member, as a tree; false: too much of it is shared, or it is too large. */
static bool unfold(roller *r, expr root, roll_shape *s)
{
    lowering *l = r->l;
    int once = 0, again = 0; // operations
    ARRAY(unfold_frame) stack = {0};
    lower_begin(l);
    array_push(r->a, &stack, ((unfold_frame){.e = lower_resolve(l, root)}));
    for (;;) {
        unfold_frame *f = &array_last(&stack);
        int n = expr_arity(l->p, f->e);
        if (!f->next && n) {
            lower_note *note = lower_note_of(l, f->e);
            *(note->mark == l->epoch ? &again : &once) += 1;
            note->mark = l->epoch;
            if (!may_unfold(l, f->e) || SHARED_PART * again > once + ROLL_LARGE) return false;
        }
        if (f->next < n) {
            expr arg = lower_resolve(l, expr_args(l->p, f->e)[f->next++]);
            array_push(r->a, &stack, ((unfold_frame){.e = arg}));
            continue;
        }
        keep_unfolded(r, s, f);
        if (s->n_nodes > ROLL_NODES || s->n_slots > SLOTS_MAX || l->failed) return false;
        if (!--stack.n) return true;
        f = &array_last(&stack);
        f->arg[f->next - 1] = s->n_nodes - 1;
    }
}

/* A new shape, of root i unfolded. */
static bool classify_unfolded(roller *r, int i)
{
    int n_slots = r->slots.n, n_numbers = r->numbers.n;
    roll_shape s = {.nodes = r->nodes.n, .first = i, .last = i, .n_members = 1, .unfolded = true};
    if (!unfold(r, r->roots[i], &s)) {
        r->nodes.n = r->args.n = r->lookup->exact.n = s.nodes;
        r->slots.n = n_slots;
        r->numbers.n = n_numbers;
        return false;
    }
    r->slot_at[i] = n_slots;
    array_push(r->a, &r->shapes, s);
    r->of[i] = r->shapes.n - 1;
    return true;
}

/* Those of an outline are nearly always of one shape, which is held against them first. Large ones that are not
 * are unfolded. */
static void classify_outline(roller *r, map *shape_of, uint32_t outline, int i)
{
    uint64_t *known = map_put(shape_of, outline); // shape + 1
    if (r->at) r->l->at = r->at[i];
    if (*known && roll_match(r, (int)*known - 1, i, lower_resolve(r->l, r->roots[i]))) return;
    bool large = *known && r->shapes.at[*known - 1].n_nodes >= ROLL_LARGE;
    bool unfolded = *known && r->shapes.at[*known - 1].unfolded;
    if (unfolded || !large || !classify_unfolded(r, i)) roll_classify(r, i);
    if (!unfolded) *known = (uint64_t)(r->of[i] + 1);
}

/* Members of a shape that has too few for a map may be of that of their outline since it is unfolded. */
static void join_unfolded(roller *r, const map *shape_of, const uint32_t *outline)
{
    int n = r->shapes.n;
    for (int k = 0; k < n; k++) {
        roll_shape *s = &r->shapes.at[k];
        const uint64_t *known = map_find(shape_of, outline[s->first]);
        int other = known ? (int)*known - 1 : -1, i = s->first;
        if (s->n_members >= ROLL_MIN || other < 0 || !r->shapes.at[other].unfolded) continue;
        if (other == k) continue;
        s->n_members = 0;
        for (int next; i >= 0; i = next) {
            next = r->next[i];
            r->next[i] = r->of[i] = -1;
            if (r->at) r->l->at = r->at[i];
            roll_match(r, other, i, lower_resolve(r->l, r->roots[i]));
        }
    }
}

void roll_classify_outlines(roller *r)
{
    int left = 0;
    for (int i = 0; i < r->n; i++) left += r->of[i] < 0;
    if (!left) return;
    uint32_t *outline = arena_array(r->a, uint32_t, r->n);
    const bool *may = roll_candidates(r, outline);
    map shape_of;
    map_init(&shape_of, r->a);
    for (int i = 0; i < r->n; i++)
        if (r->of[i] >= 0 && r->shapes.at[r->of[i]].first == i)
            *map_put(&shape_of, outline[i]) = (uint64_t)(r->of[i] + 1);
    for (int i = 0; i < r->n; i++)
        if (may[i]) classify_outline(r, &shape_of, outline[i], i);
    join_unfolded(r, &shape_of, outline);
    arena_resize(r->a, outline, (size_t)r->n * sizeof *outline, 0);
}
