/* Re-rolling: expressions of equal shape become one kernel, mapped over the places of their leaves.
 *
 * Each expression is written down canonically: its nodes numbered in the order of a depth-first
 * walk, each as operator and argument numbers, and every variable leaf as a slot in order of first
 * appearance. Two expressions with equal writing differ only in what their slots refer to. The
 * writing is hashed; a group of equal ones is a map with one access list per slot.
 *
 * Neighbours are mostly of one shape. So an expression is first held against the nodes of the shapes
 * that were met last, which takes a tenth of the time of writing it down.
 *
 * Large expressions, and small ones where there are many, may also differ in a few numbers that they add, subtract,
 * multiply or divide by, as the middles (i - 0.5)/n of cells do. These numbers stand behind the parameters in p. Maps
 * of large expressions that share subexpressions, as balances of mass and energy of a cell do, become one map of several results.
 *
 * A row of a full matrix has its own unknown once more, at another place in each row: h[i] in
 * der(h[i]) = -h[i] + W[i, 1]*tanh(h[1]) + ... So large expressions that are built alike but for where variables
 * occur twice are unfolded: each occurrence of a variable is a slot of its own. What all members share is found
 * again when their kernel is built, since slots with the same list are one operand.
 *
 * Of roots that come from members of one family of equations (structure/families.h) it is known that they
 * are of one shape, and which of the family's slots are those of the shape: they are only looked up.
 *
 * Bodies of functions are written out where they are called, thousands of nodes for properties of steam. Expressions
 * that are of one shape with calls as operations (`sealed`) are of one shape with bodies, too, for a body is made of the
 * arguments alone. So bodies are written out for the first of them, and slots of the others are looked up.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/lower.h"
#include "structure/families.h"

#include <math.h>
#include <string.h>

enum {
    ROLL_MIN = 8,       // smaller groups share subexpressions in one kernel instead
    ROLL_NODES = 40000, // larger expressions are not looked at; a row of a heat exchanger has 5,000
    SLOTS_MAX = 16384,  // a row of a full matrix of some thousand columns, and its vector
    JOINED_MAX = 2048,  // of shapes that become one map
    RECENT = 4,         // shapes that an expression is held against
    LARGE =
        200, // nodes from which on numbers may differ and maps are joined: choice, some microseconds to compile
    SHARED_PART =
        8, // of the operations of an expression that is unfolded at most one in so many is repeated: choice,
    // each of a kernel may be done once more
    ROOTS_MANY =
        1000, // from so many on numbers of small ones may differ, too: straight code takes 30 microseconds a
    // row to make; for the 66 rows of examples/ivp/emep.mo a map takes 4 % more to run
    VARYING_MAX = 8, // numbers of a shape that differ
    WRITTEN_MAX =
        10000, // nodes of all members, counted for each, that may be written out: choice, some milliseconds to compile
    LANES = 4, // instances of a map whose arithmetic is done at once
};
/* Functions of the library are called for each instance. Where they are so much of the work, instances may share
 * them: choice. */
static const double CALLS_PART_MIN = 0.25;

typedef struct shape {
    uint64_t hash;
    int writing, n_writing;     // in words
    int first, last, n_members; // members are linked by next
    int n_slots;
    int nodes, n_nodes;                  // of the first member, in the order of the walk
    int varying[VARYING_MAX], n_varying; // of these, numbers that other members have others for
    bool mapped;
    bool unfolded; // a variable may be in several slots, and nodes are those of a tree
} shape;

/* A number of a member that is not that of the first. */
typedef struct roll_number {
    int node; // by number of the walk
    double value;
} roll_number;

/* Roots of one origin in members of one family. */
typedef struct kin {
    int shape, like;       // a member of it that is one of them: their numbers are the same
    int slot[SHAPE_SLOTS]; // by slot of the shape: slot of the family
} kin;

/* Roots that are written alike as long as calls are operations. */
typedef struct sealed_kin {
    int writing, n_writing; // in words
    int shape, like;        // as of kin; shape -1: nothing is known of the others
    const int *leaf;        // by slot of the shape: place among their leaves
} sealed_kin;

enum { KIN_TRIES = 4 }; // members that are asked before a family is given up

typedef struct roller {
    lowering *l;
    arena *a;              // for all of it
    ARRAY(uint64_t) words; // writings of the shapes, one after the other
    ARRAY(uint64_t) now;   // writing of the present expression
    ARRAY(tape_ref) slots; // of all members, one after the other
    ARRAY(shape) shapes;
    map by_hash;                // hash: shape + 1
    int *next, *slot_at, *of;   // by root: next member, its first slot, its shape (-1: none)
    int *number_at, *n_numbers; // by root: its numbers in `own`
    ARRAY(roll_number) own;
    int n_own;       // of these, those of members; the others are of the present match
    int_array nodes; // of the shapes: a node each,
    int_array args;  // ... where the numbers of its arguments begin in `numbers`, or its slot
    int_array numbers;
    ARRAY(uint8_t) exact; // by node: a number that must be the same for all members
    int_array bound; // by number of a node: what it is in the present expression; 0: not known yet
    ARRAY(tape_ref) places; // ... of a variable: its place, if it has been looked up
    int recent[RECENT], n_recent;
    struct roll_filled {
        expr e;
        uint32_t match;
    } * filled;      // slots of the present match, by hash: 2^filled_bits, more than twice as many
    int filled_bits; // 0: none yet
    uint32_t match;
    ARRAY(tape_ref) matched; // ... and their places
    const lower_origin *origins;
    tape_ref *known_place; // by node: place of a variable + 1; 0: not looked up yet
    ARRAY(kin) kins;
    map kin_of; // family and slot: kin + 1
    map misses; // ... members whose roots told nothing of the others
    ARRAY(sealed_kin) sealed;
    map sealed_by_hash;      // hash: sealed_kin + 1
    ARRAY(uint64_t) outside; // their writings
    ARRAY(tape_ref) leaves;  // places of the present one's
    expr *roots;
    const int *target;
    const span *at;
    int n;
} roller;

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

/* The canonical writing of an expression; false when it is too large. */
static bool write_down(roller *r, expr root, int first_slot)
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

static void add_member(roller *r, int shape_at, int i)
{
    shape *s = &r->shapes.at[shape_at];
    r->next[s->last] = i;
    s->last = i;
    s->n_members++;
    r->of[i] = shape_at;
}

static void roll_recall(roller *r, int shape_at)
{
    int k = 0;
    while (k < r->n_recent && r->recent[k] != shape_at) k++;
    if (k == RECENT) k--;
    else if (k == r->n_recent) r->n_recent++;
    for (; k > 0; k--) r->recent[k] = r->recent[k - 1];
    r->recent[0] = shape_at;
}

/* Is a number in place j an operand like any other? An exponent, say, decides which instructions are made. */
static bool takes_any_number(expr_op op, int j)
{
    bool sum = op == EXPR_ADD || op == EXPR_SUB, product = op == EXPR_MUL || op == EXPR_DIV;
    return sum || product || (op == EXPR_IF && j > 0);
}

/* Where a choice follows from another one, the numbers may be those of a table (lower.c). */
static void hold_choices(roller *r, const shape *s, int user, int arg)
{
    const expr_pool *p = r->l->p;
    const int *nodes = r->nodes.at + s->nodes, both[] = {user, arg};
    if (expr_at(p, nodes[user])->op != EXPR_IF || expr_at(p, nodes[arg])->op != EXPR_IF) return;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++)
            r->exact.at[s->nodes + r->numbers.at[r->args.at[s->nodes + both[k]] + j]] = 1;
}

/* Keep the nodes that were written down last as those of a shape. */
static void keep_nodes(roller *r, shape *s)
{
    lowering *l = r->l;
    int slot = 0;
    uint8_t exact = r->bound.n < LARGE && r->n < ROOTS_MANY;
    s->nodes = r->nodes.n;
    s->n_nodes = r->bound.n;
    for (int k = 0; k < r->bound.n; k++) array_push(r->a, &r->exact, exact);
    for (int k = 0; k < r->bound.n; k++) {
        expr e = r->bound.at[k];
        bool leaf = expr_at(l->p, e)->op == EXPR_VAR;
        array_push(r->a, &r->nodes, e);
        array_push(r->a, &r->args, leaf ? slot++ : r->numbers.n);
        for (int j = 0; !leaf && j < expr_arity(l->p, e); j++) {
            int of = lower_note_of(l, lower_resolve(l, expr_args(l->p, e)[j]))->local;
            array_push(r->a, &r->numbers, of);
            if (!takes_any_number((expr_op)expr_at(l->p, e)->op, j)) r->exact.at[s->nodes + of] = 1;
        }
    }
    for (int k = 0; k < r->bound.n; k++)
        for (int j = 0; expr_at(l->p, r->bound.at[k])->op == EXPR_IF && j < 3; j++)
            hold_choices(r, s, k, r->numbers.at[r->args.at[s->nodes + k] + j]);
}

/* Node k of the shape and e are two numbers: may they differ? */
static bool roll_differs(roller *r, const shape *s, int k, double value)
{
    int at = 0;
    if (r->exact.at[s->nodes + k] || !isfinite(value)) return false;
    while (at < s->n_varying && s->varying[at] != k) at++;
    // Those that are new for the shape are counted, too.
    if (at == s->n_varying && s->n_varying + r->own.n - r->n_own >= VARYING_MAX) return false;
    array_push(r->a, &r->own, ((roll_number){k, value}));
    return true;
}

static void keep_varying(roller *r, shape *s, int i)
{
    r->number_at[i] = r->n_own;
    r->n_numbers[i] = r->own.n - r->n_own;
    for (; r->n_own < r->own.n; r->n_own++) {
        int at = 0;
        while (at < s->n_varying && s->varying[at] != r->own.at[r->n_own].node) at++;
        if (at == s->n_varying) s->varying[s->n_varying++] = r->own.at[r->n_own].node;
    }
}

/* The same operator, or the same number, for a node of a shape and one of the present expression. */
static inline bool same_operator(const expr_pool *p, expr a, expr b)
{
    const expr_node *x = expr_at(p, a), *y = expr_at(p, b);
    double u, v;
    if (a == b) return true;
    if (x->op == y->op && (x->op == EXPR_VAR || expr_arities[x->op] > 0)) return true;
    if (expr_number(p, a, &u)) return expr_number(p, b, &v) && literal_bits(u) == literal_bits(v);
    if (x->op != y->op) return false;
    if (expr_arities[x->op] >= 0) return true;
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

static void roll_match_room(roller *r, const shape *s)
{
    enum { BITS_LEAST = 9 };
    int bits = r->filled_bits ? r->filled_bits : BITS_LEAST;
    while (1 << bits <= 2 * s->n_slots) bits++;
    if (bits != r->filled_bits)
        r->filled = arena_array(r->a, struct roll_filled, (size_t)1 << bits);
    r->filled_bits = bits;
    if (r->matched.cap < s->n_slots) array_reserve(r->a, &r->matched, s->n_slots);
    if (r->bound.cap < s->n_nodes) array_reserve(r->a, &r->bound, s->n_nodes);
    if (r->places.cap < s->n_nodes) array_reserve(r->a, &r->places, s->n_nodes);
}

/* A slot of the present expression is e; false: another one is. */
static bool roll_fill(roller *r, expr e)
{
    uint32_t k = (uint32_t)e * 0x9e3779b1u, last = (1u << r->filled_bits) - 1;
    for (k >>= 32 - r->filled_bits; r->filled[k].match == r->match; k = (k + 1) & last)
        if (r->filled[k].e == e) return false;
    r->filled[k].e = e;
    r->filled[k].match = r->match;
    return true;
}

/* Is root i of this shape? Its slots are put in place. Users come after their arguments, so that from
 * the last node on each is known when it is looked at. */
static bool roll_match(roller *r, int shape_at, int i, expr root)
{
    lowering *l = r->l;
    const expr_pool *p = l->p;
    const shape *s = &r->shapes.at[shape_at];
    const int *nodes = r->nodes.at + s->nodes, *args = r->args.at + s->nodes;
    const tape_ref *like = r->slots.n ? r->slots.at + r->slot_at[s->first] : NULL;
    if (!same_operator(p, nodes[s->n_nodes - 1], root)) return false;
    roll_match_room(r, s);
    int *bound = r->bound.at;
    tape_ref *places = r->places.at, *slots = r->matched.at;
    memset(bound, 0, (size_t)s->n_nodes * sizeof *bound);
    bound[s->n_nodes - 1] = root;
    places[s->n_nodes - 1] = TAPE_NONE;
    r->match++;
    r->own.n = r->n_own;
    for (int k = s->n_nodes; k--;) {
        expr e = bound[k];
        double value;
        if (!same_operator(p, nodes[k], e)) {
            if (!are_numbers(p, nodes[k], e, &value) || !roll_differs(r, s, k, value)) return false;
            continue;
        }
        int op = expr_at(p, e)->op, n = expr_arities[op];
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
    add_member(r, shape_at, i);
    roll_recall(r, shape_at);
    return true;
}

/* limit: larger shapes are not looked at. Of those most is the same, and outlines tell them apart sooner. */
static bool match_recent(roller *r, int i, int limit)
{
    expr root = lower_resolve(r->l, r->roots[i]);
    if (r->at) r->l->at = r->at[i];
    for (int k = 0; k < r->n_recent; k++)
        if (r->shapes.at[r->recent[k]].n_nodes < limit && roll_match(r, r->recent[k], i, root))
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

/* By root that is of no shape yet: may it be one of a group? Its outline is that of others. */
static const bool *roll_candidates(const roller *r, uint32_t *outline)
{
    lowering *l = r->l;
    bool *may = arena_array(r->a, bool, r->n);
    map count;
    expr e;
    map_init(&count, r->a);
    lower_begin(l);
    for (int i = 0; i < r->n; i++) {
        const shape *s = r->of[i] < 0 ? NULL : &r->shapes.at[r->of[i]];
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

static void roll_classify(roller *r, int i)
{
    lowering *l = r->l;
    int first = r->slots.n;
    if (r->at) l->at = r->at[i];
    r->of[i] = -1;
    r->slot_at[i] = first;
    if (!write_down(r, r->roots[i], first)) {
        r->slots.n = first;
        return;
    }
    uint64_t h = hash_bytes(r->now.at, (size_t)r->now.n * sizeof(uint64_t));
    uint64_t *found = map_put(&r->by_hash, h);
    if (*found) {
        shape *s = &r->shapes.at[*found - 1];
        if (s->n_writing != r->now.n ||
            memcmp(r->words.at + s->writing, r->now.at, (size_t)r->now.n * sizeof(uint64_t)))
            return; // a collision of hashes: leave it alone
        add_member(r, (int)(*found - 1), i);
        roll_recall(r, r->of[i]);
        return;
    }
    shape s = {.hash = h,
               .writing = r->words.n,
               .n_writing = r->now.n,
               .first = i,
               .last = i,
               .n_members = 1,
               .n_slots = r->slots.n - first};
    for (int k = 0; k < r->now.n; k++) array_push(r->a, &r->words, r->now.at[k]);
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
    if (expr_arities[op] < 0 || expr_arities[op] > 3) return false;
    for (int k = 0; op == EXPR_IF && k < 3; k++)
        if (expr_at(l->p, lower_resolve(l, expr_args(l->p, e)[k]))->op == EXPR_IF) return false;
    return true;
}

/* The next node of a tree, after its arguments. */
static void keep_unfolded(roller *r, shape *s, const unfold_frame *f)
{
    lowering *l = r->l;
    const expr_node *x = expr_at(l->p, f->e);
    bool leaf = x->op == EXPR_VAR;
    array_push(r->a, &r->nodes, f->e);
    array_push(r->a, &r->exact, 0);
    array_push(r->a, &r->args, leaf ? s->n_slots++ : r->numbers.n);
    if (leaf) array_push(r->a, &r->slots, lower_leaf(l, f->e));
    for (int j = 0; !leaf && j < f->next; j++) {
        array_push(r->a, &r->numbers, f->arg[j]);
        if (!takes_any_number((expr_op)x->op, j)) r->exact.at[s->nodes + f->arg[j]] = 1;
    }
    s->n_nodes++;
}

/* The nodes of a shape from its first member, as a tree; false: too much of it is shared, or it is too large. */
static bool unfold(roller *r, expr root, shape *s)
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
            if (!may_unfold(l, f->e) || SHARED_PART * again > once + LARGE) return false;
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
    shape s = {.nodes = r->nodes.n, .first = i, .last = i, .n_members = 1, .unfolded = true};
    if (!unfold(r, r->roots[i], &s)) {
        r->nodes.n = r->args.n = r->exact.n = s.nodes;
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
    bool large = *known && r->shapes.at[*known - 1].n_nodes >= LARGE;
    bool unfolded = *known && r->shapes.at[*known - 1].unfolded;
    if (unfolded || !large || !classify_unfolded(r, i)) roll_classify(r, i);
    if (!unfolded) *known = (uint64_t)(r->of[i] + 1);
}

/* Members of a shape that has too few for a map may be of that of their outline since it is unfolded. */
static void join_unfolded(roller *r, const map *shape_of, const uint32_t *outline)
{
    int n = r->shapes.n;
    for (int k = 0; k < n; k++) {
        shape *s = &r->shapes.at[k];
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

/* ---- families -------------------------------------------------------------------------------- */

expr lower_written(lowering *l, lower_origin of)
{
    dag d;
    const structure *s = l->s;
    const structure_equation *e = &s->equations.at[of.equation];
    arena_mark here = arena_here(l->scratch);
    dag_init(&d, l->p, l->scratch);
    const family_question q = {s->families, &d, of.equation, e->lhs, e->rhs, e->f[0]};
    const expr *slots = NULL;
    expr guard, f;
    if (of.slot < 0) {
        f = family_written(&q).f;
    } else {
        family_of(s->families, of.equation, &slots);
        f = family_solve(&q, slots[of.slot], &guard);
    }
    arena_release(l->scratch, here);
    return f;
}

static void roll_write(roller *r, int i)
{
    if (!r->roots[i]) r->roots[i] = lower_written(r->l, r->origins[i]);
}

static const family *roll_family(const roller *r, int i, const expr **slots, uint64_t *key)
{
    const families *all = r->l->s->families;
    if (!r->origins || r->origins[i].equation < 0) return NULL;
    const family *q = family_of(all, r->origins[i].equation, slots);
    if (q) *key = (uint64_t)(q - all->of.at) << 8 | (uint64_t)(r->origins[i].slot + 1);
    return q;
}

/* lower_place of a slot: each variable is in several. */
static inline tape_ref roll_place(roller *r, expr e)
{
    tape_ref *at = &r->known_place[e];
    if (!*at) *at = lower_place(r->l, e) + 1;
    return *at - 1;
}

/* Root i is of the shape of its kin, if its slots are places of the same kinds. */
static bool roll_kin(roller *r, int i)
{
    const expr *slots;
    uint64_t key;
    const uint64_t *known = roll_family(r, i, &slots, &key) ? map_find(&r->kin_of, key) : NULL;
    if (!known) return false;
    const kin *x = &r->kins.at[*known - 1];
    const shape *s = &r->shapes.at[x->shape];
    array_reserve(r->a, &r->slots, r->slots.n + s->n_slots);
    const tape_ref *like = r->slots.at + r->slot_at[s->first];
    for (int k = 0; k < s->n_slots; k++) {
        tape_ref at = roll_place(r, slots[x->slot[k]]);
        if (at == TAPE_NONE || tape_kind_of(at) != tape_kind_of(like[k])) return false;
        r->slots.at[r->slots.n + k] = at;
    }
    r->slot_at[i] = r->slots.n;
    r->slots.n += s->n_slots;
    if (r->n_numbers[x->like]) {
        r->number_at[i] = r->number_at[x->like];
        r->n_numbers[i] = r->n_numbers[x->like];
    }
    add_member(r, x->shape, i);
    return true;
}

/* Root i has a shape: so have its kin, if each slot of the shape is one of the family. */
static void roll_learn(roller *r, int i)
{
    const expr *slots;
    uint64_t key;
    const family *q = roll_family(r, i, &slots, &key);
    if (!q || r->of[i] < 0 || map_find(&r->kin_of, key)) return;
    uint64_t *misses = map_put(&r->misses, key);
    const shape *s = &r->shapes.at[r->of[i]];
    kin x = {.shape = r->of[i], .like = i};
    if (*misses >= KIN_TRIES || s->n_slots > q->sides->n_slots) return;
    for (int k = 0; k < s->n_slots; k++) {
        x.slot[k] = -1;
        for (int j = 0; j < q->sides->n_slots && x.slot[k] < 0; j++)
            if (lower_place(r->l, slots[j]) == r->slots.at[r->slot_at[i] + k]) x.slot[k] = j;
        if (x.slot[k] < 0) {
            ++*misses;
            return;
        }
    }
    array_push(r->a, &r->kins, x);
    *map_put(&r->kin_of, key) = (uint64_t)r->kins.n;
}

/* ---- calls as operations --------------------------------------------------------------------- */

/* The writing of root i with calls as operations, and its leaves; NULL: it is too large. */
static sealed_kin *sealed_write(roller *r, int i)
{
    int first = r->slots.n;
    r->l->sealed = true;
    bool fits = write_down(r, r->roots[i], first);
    r->l->sealed = false;
    r->leaves.n = 0;
    for (int k = first; k < r->slots.n; k++) array_push(r->a, &r->leaves, r->slots.at[k]);
    r->slots.n = first;
    if (!fits) return NULL;
    size_t bytes = (size_t)r->now.n * sizeof(uint64_t);
    uint64_t *found = map_put(&r->sealed_by_hash, hash_bytes(r->now.at, bytes));
    if (*found) {
        sealed_kin *x = &r->sealed.at[*found - 1];
        bool same =
            x->n_writing == r->now.n && !memcmp(r->outside.at + x->writing, r->now.at, bytes);
        return same ? x : NULL; // or a collision of hashes
    }
    sealed_kin x = {.writing = r->outside.n, .n_writing = r->now.n, .shape = -1, .like = -1};
    for (int k = 0; k < r->now.n; k++) array_push(r->a, &r->outside, r->now.at[k]);
    array_push(r->a, &r->sealed, x);
    *found = (uint64_t)r->sealed.n;
    return &r->sealed.at[r->sealed.n - 1];
}

/* Root i is classified: which leaf is each slot of its shape? One that is none, or a shape so small that a root may be a
 * variable alone, tells nothing. */
static void sealed_learn(roller *r, sealed_kin *x, int i)
{
    x->like = i;
    if (r->of[i] < 0) return;
    const shape *s = &r->shapes.at[r->of[i]];
    int *leaf = arena_array(r->a, int, s->n_slots + 1);
    map at;
    map_init(&at, r->a);
    for (int k = 0; k < r->leaves.n; k++) {
        uint64_t *found = map_put(&at, r->leaves.at[k]);
        if (*found) return; // two leaves that are one here may be two elsewhere
        *found = (uint64_t)k + 1;
    }
    for (int k = 0; k < s->n_slots; k++) {
        const uint64_t *found = map_find(&at, r->slots.at[r->slot_at[i] + k]);
        if (!found) return;
        leaf[k] = (int)*found - 1;
    }
    x->leaf = leaf;
    if (s->n_nodes > 2) x->shape = r->of[i];
}

/* Root i is written like others of which the shape is known. */
static void sealed_add(roller *r, const sealed_kin *x, int i)
{
    const shape *s = &r->shapes.at[x->shape];
    r->slot_at[i] = r->slots.n;
    array_reserve(r->a, &r->slots, r->slots.n + s->n_slots);
    for (int k = 0; k < s->n_slots; k++) r->slots.at[r->slots.n++] = r->leaves.at[x->leaf[k]];
    r->number_at[i] = r->number_at[x->like];
    r->n_numbers[i] = r->n_numbers[x->like];
    add_member(r, x->shape, i);
}

/* Roots with calls of which there are many. The first of each writing is classified with bodies. */
static void classify_sealed(roller *r)
{
    lowering *l = r->l;
    if (!l->s->flat->functions.n) return;
    uint32_t *outline = arena_array(r->a, uint32_t, r->n);
    l->sealed = true;
    const bool *may = roll_candidates(r, outline);
    l->sealed = false;
    for (int i = 0; i < r->n && !l->failed; i++) {
        if (!may[i] || !(outline[i] & 1)) continue;
        if (r->at) l->at = r->at[i];
        sealed_kin *x = sealed_write(r, i);
        if (x && x->shape >= 0) sealed_add(r, x, i);
        if (!x || x->like >= 0) continue;
        if (!match_recent(r, i, ROLL_NODES)) roll_classify(r, i);
        sealed_learn(r, x, i);
    }
    arena_resize(r->a, outline, (size_t)r->n * sizeof *outline, 0);
}

/* Those that are of one of the last shapes, or small enough to be written down at once. */
static void classify_neighbours(roller *r)
{
    enum { NODES_EACH = 8 };
    int64_t rest = NODES_EACH * (int64_t)r->n; // to be written down, so that long sums cost no more
    for (int i = 0; i < r->n; i++) {
        if (r->of[i] >= 0 || roll_kin(r, i)) continue;
        roll_write(r, i);
        if (!match_recent(r, i, rest < 0 ? LARGE : ROLL_NODES) && rest >= 0) {
            roll_classify(r, i);
            rest -= r->bound.n;
        }
        roll_learn(r, i);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static int roll_target(const roller *r, int i)
{
    return r->target ? r->target[i] : i;
}

/* Everything that is not mapped, in one kernel. */
static void add_kernel(roller *r, tape_program_builder *out)
{
    lowering *l = r->l;
    tape_builder *b = NULL;
    for (int i = 0; i < r->n; i++) {
        if (r->of[i] >= 0 && r->shapes.at[r->of[i]].n_members >= ROLL_MIN) continue;
        if (!b) {
            b = tape_builder_new(r->a);
            lower_begin(l);
        }
        if (r->at) l->at = r->at[i];
        roll_write(r, i);
        tape_store(b, tape_out(roll_target(r, i)), lower_expr(l, b, r->roots[i]));
    }
    if (b) tape_program_kernel(out, tape_finish(b, l->a));
}

/* A slot that is the same for all members needs no list. */
static bool roll_shared(const roller *r, const shape *s, int slot)
{
    tape_ref first = r->slots.at[r->slot_at[s->first] + slot];
    for (int i = s->first; i >= 0; i = r->next[i])
        if (r->slots.at[r->slot_at[i] + slot] != first) return false;
    return true;
}

/* A map that is being made. */
typedef struct roll_map {
    tape_builder *b;
    arena *lists; // of elements, until the program has copied them
    tape_access *access;
    int n, n_x; // members, operands
} roll_map;

static bool is_shifted(const int *list, const int *other, int n)
{
    int i = 1;
    while (i < n && list[i] - list[0] == other[i] - other[0]) i++;
    return i >= n;
}

/* The operand that is at these elements of an array. Of neighbours in space lists are the same but for a shift, and
 * one of them is enough. */
static tape_ref map_operand(roll_map *m, tape_kind array, int *list)
{
    int like = 0, k = 0;
    while (like < m->n_x && !is_shifted(list, m->access[like].list, m->n)) like++;
    tape_access x = {.array = array, .list = list};
    if (like < m->n_x) {
        x.list = m->access[like].list;
        x.base = list[0] - x.list[0];
        arena_resize(m->lists, list, (size_t)m->n * sizeof *list, 0);
    }
    while (k < m->n_x && !(m->access[k].array == array && m->access[k].list == x.list &&
                           m->access[k].base == x.base))
        k++;
    if (k == m->n_x) m->access[m->n_x++] = x;
    return tape_x(k);
}

static tape_ref slot_operand(roller *r, const shape *s, int slot, roll_map *m)
{
    tape_ref first = r->slots.at[r->slot_at[s->first] + slot];
    if (roll_shared(r, s, slot)) return first;
    int *list = arena_array(m->lists, int, s->n_members), n = 0;
    for (int i = s->first; i >= 0; i = r->next[i])
        list[n++] = tape_index_of(r->slots.at[r->slot_at[i] + slot]);
    return map_operand(m, tape_kind_of(first), list);
}

/* Numbers that differ are put behind the parameters. */
static tape_ref number_operand(roller *r, const shape *s, int node, roll_map *m)
{
    lowering *l = r->l;
    int *list = arena_array(m->lists, int, s->n_members), n = 0;
    double common;
    expr_number(l->p, r->nodes.at[s->nodes + node], &common);
    for (int i = s->first; i >= 0; i = r->next[i]) {
        double value = common;
        for (int k = 0; k < r->n_numbers[i]; k++)
            if (r->own.at[r->number_at[i] + k].node == node)
                value = r->own.at[r->number_at[i] + k].value;
        list[n++] = lower_number(l, value);
    }
    return map_operand(m, TAPE_P, list);
}

/* ... of one that is unfolded: its nodes one after the other. */
static tape_ref lower_unfolded(roller *r, const shape *s, roll_map *m)
{
    lowering *l = r->l;
    const int *nodes = r->nodes.at + s->nodes, *args = r->args.at + s->nodes;
    tape_ref *value = arena_array(r->a, tape_ref, s->n_nodes);
    for (int k = 0; k < s->n_varying; k++)
        value[s->varying[k]] = number_operand(r, s, s->varying[k], m) + 1; // 0: not known
    for (int k = 0; k < s->n_nodes; k++) {
        expr arg[3];
        tape_ref x[3];
        if (value[k]--) continue; // a number of its own
        if (expr_at(l->p, nodes[k])->op == EXPR_VAR) {
            value[k] = slot_operand(r, s, args[k], m);
            continue;
        }
        for (int j = 0; j < expr_arity(l->p, nodes[k]); j++) {
            int at = r->numbers.at[args[k] + j];
            arg[j] = nodes[at];
            x[j] = value[at];
        }
        value[k] = lower_operation(l, m->b, nodes[k], arg, x);
    }
    return value[s->n_nodes - 1];
}

/* The value of the representative, with operands for its leaves, in the order of the writing, and for the numbers
 * that differ. */
static tape_ref lower_template(roller *r, const shape *s, roll_map *m)
{
    lowering *l = r->l;
    const int *nodes = r->nodes.at + s->nodes;
    if (s->unfolded) return lower_unfolded(r, s, m);
    lower_begin(l);
    for (int k = 0, slot = 0; k < s->n_nodes; k++) {
        if (expr_at(l->p, nodes[k])->op != EXPR_VAR) continue;
        lower_note *note = lower_note_of(l, nodes[k]);
        note->ref = slot_operand(r, s, slot++, m);
        note->mark = l->epoch;
    }
    for (int k = 0; k < s->n_varying; k++) {
        lower_note *note = lower_note_of(l, nodes[s->varying[k]]);
        note->ref = number_operand(r, s, s->varying[k], m);
        note->mark = l->epoch;
    }
    return lower_expr(l, m->b, r->roots[s->first]);
}

/* Have members of q slots that those of s, in their order, have, too? Most of them. */
static bool slots_agree(const roller *r, const shape *s, const shape *q)
{
    int n = 0, same = 0;
    for (int k = 0; k < q->n_slots; k++) {
        bool found = false;
        if (roll_shared(r, q, k)) continue;
        n++;
        for (int j = 0; j < s->n_slots && !found; j++) {
            int a = s->first, b = q->first;
            while (a >= 0 && r->slots.at[r->slot_at[a] + j] == r->slots.at[r->slot_at[b] + k])
                a = r->next[a], b = r->next[b];
            found = a < 0;
        }
        same += found;
    }
    return 2 * same >= n;
}

/* Do members of q compute, for a good part, what those of s do? */
static bool goes_with(roller *r, const shape *s, const shape *q)
{
    lowering *l = r->l;
    int common = 0;
    if (q->mapped || q->n_members != s->n_members || q->n_nodes < LARGE) return false;
    if (s->n_nodes < LARGE || s->n_slots + q->n_slots + VARYING_MAX > JOINED_MAX) return false;
    lower_begin(l);
    for (int k = 0; k < s->n_nodes; k++)
        lower_note_of(l, r->nodes.at[s->nodes + k])->mark = l->epoch;
    for (int k = 0; k < q->n_nodes; k++)
        common += lower_note_of(l, r->nodes.at[q->nodes + k])->mark == l->epoch;
    return 4 * common >= q->n_nodes && slots_agree(r, s, q);
}

static void map_result(roller *r, shape *s, roll_map *m)
{
    tape_ref value = lower_template(r, s, m);
    int *list = arena_array(m->lists, int, s->n_members), n = 0;
    for (int i = s->first; i >= 0; i = r->next[i]) list[n++] = roll_target(r, i);
    m->access[m->n_x] = (tape_access){.array = TAPE_OUT, .list = list};
    tape_store(m->b, tape_x(m->n_x++), value);
    s->mapped = true;
}

static void add_map(roller *r, shape *s, tape_program_builder *out)
{
    roll_map *m = arena_new(r->a, roll_map);
    m->b = tape_builder_new(r->a);
    m->lists = arena_inner(r->a);
    m->n = s->n_members;
    bool joins = s->n_nodes >= LARGE; // of small ones there may be a shape for each number
    int room = joins && s->n_slots < JOINED_MAX ? JOINED_MAX : s->n_slots;
    m->access = arena_array(r->a, tape_access, room + VARYING_MAX + 1);
    map_result(r, s, m);
    for (shape *q = r->shapes.at; joins && q < r->shapes.at + r->shapes.n; q++)
        if (m->n_x + q->n_slots + VARYING_MAX < JOINED_MAX && goes_with(r, s, q))
            map_result(r, q, m);
    tape_program_map(out, tape_finish(m->b, r->l->a), m->n, m->access);
    arena_done(m->lists);
}

/* Neighbours in space often compute the same sines, each for itself in a map and once in a kernel. The same
 * operations otherwise, so the same bits. NULL: the maps take less. */
static const tape_program *write_out(roller *r, const tape_program *mapped)
{
    double all = tape_program_work_in(mapped, LANES), calls = tape_program_calls(mapped);
    long nodes = 0;
    for (const shape *s = r->shapes.at; s < r->shapes.at + r->shapes.n; s++)
        nodes += s->n_members >= ROLL_MIN ? (long)s->n_members * s->n_nodes : 0;
    if (!nodes || nodes > WRITTEN_MAX || calls < CALLS_PART_MIN * all) return NULL;
    for (int i = 0; i < r->n; i++) r->of[i] = -1;
    tape_program_builder *out = tape_program_new(r->l->a);
    add_kernel(r, out);
    const tape_program *written = tape_program_finish(out);
    return tape_program_work(written) < all ? written : NULL;
}

const tape_program *lower_program(lowering *l, const expr *roots, const int *target, const span *at,
                                  int n)
{
    arena *a = arena_inner(l->scratch);
    roller r = {.l = l,
                .a = a,
                .roots = (expr *)roots,
                .target = target,
                .at = at,
                .n = n}; // zeros are filled
    r.next = arena_array(a, int, n);
    r.slot_at = arena_array(a, int, n);
    r.of = arena_array(a, int, n);
    r.number_at = arena_sparse(a, int, n);
    r.n_numbers = arena_sparse(a, int, n);
    r.origins = l->origins;
    size_t places = (size_t)l->p->n * sizeof *r.known_place;
    if (r.origins) r.known_place = arena_alloc(a, places);
    map_init(&r.kin_of, a);
    map_init(&r.misses, a);
    map_init(&r.by_hash, a);
    map_init(&r.sealed_by_hash, a);
    int left = 0;
    for (int i = 0; i < n; i++)
        if (roots[i]) lower_note_root(l, roots[i]); // others are operations
    for (int i = 0; i < n; i++) r.next[i] = r.of[i] = -1;
    if (n >= ROLL_MIN) classify_sealed(&r);
    if (n >= ROLL_MIN) classify_neighbours(&r);
    if (r.origins) r.known_place = arena_resize(a, r.known_place, places, 0);
    for (int i = 0; i < n; i++) left += r.of[i] < 0;
    uint32_t *outline = left ? arena_array(r.a, uint32_t, n) : NULL;
    const bool *may = n >= ROLL_MIN && left ? roll_candidates(&r, outline) : NULL;
    map shape_of;
    map_init(&shape_of, a);
    for (int i = 0; i < n; i++)
        if (may && r.of[i] >= 0 && r.shapes.at[r.of[i]].first == i)
            *map_put(&shape_of, outline[i]) = (uint64_t)(r.of[i] + 1);
    for (int i = 0; i < n; i++)
        if (may && may[i]) classify_outline(&r, &shape_of, outline[i], i);
    if (may) join_unfolded(&r, &shape_of, outline);
    if (left) arena_resize(a, outline, (size_t)n * sizeof *outline, 0);
    tape_program_builder *out = tape_program_new(l->a);
    add_kernel(&r, out);
    for (int i = 0; i < n && !l->failed; i++) { // in the order of their first members
        shape *s = r.of[i] < 0 ? NULL : &r.shapes.at[r.of[i]];
        if (s && s->first == i && s->n_members >= ROLL_MIN && !s->mapped) add_map(&r, s, out);
    }
    const tape_program *made = tape_program_finish(out);
    const tape_program *written = l->failed ? NULL : write_out(&r, made);
    arena_done(a);
    return written ? written : made;
}
