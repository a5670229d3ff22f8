/* The pool: nodes made once, found again by content.
 *
 * The table is made of groups of sixteen slots: a byte of the hash and the number of a node each, at a
 * load of at most seven eighths, and nodes are never removed. A node is looked for in the group of its
 * newest argument first, which keeps a growing model in the cache, then in others that follow from its
 * hash. The bytes of a group are compared eight at a time.
 *
 * a+b and b+a are one node, in the order in which it was written first: the value is the same to
 * the last bit, differences that cancel are seen, and equations of equal shape keep it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include "base/watch.h"
#include "base/whole.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Arguments of a call. There is no list while no call has any.
static const expr *listed_args(const expr_pool *p, const expr_node *n)
{
    return p->list ? p->list + n->u.call.first : NULL;
}

bool expr_number(const expr_pool *p, expr e, double *x)
{
    const expr_node *n = &p->node[e];
    switch (n->op) {
    case EXPR_REAL: *x = n->u.real; return true;
    case EXPR_INTEGER:
    case EXPR_BOOLEAN:
    case EXPR_ENUM: *x = (double)n->u.integer; return true;
    default: return false;
    }
}

// ---- interning ---------------------------------------------------------------------------------

static bool pool_op_commutes(const expr_node *n)
{
    return ((n->op == EXPR_ADD || n->op == EXPR_MUL) && n->type != TYPE_STRING) ||
           n->op == EXPR_EQ || n->op == EXPR_NE;
}

static uint64_t pool_pair(int a, int b)
{
    return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

static uint32_t hash_node(const expr_node *n, const expr *args)
{
    uint64_t head = (uint64_t)n->op | (uint64_t)n->type << 8 | (uint64_t)n->enum_id << 16, w = 0;
    switch (n->op) {
    case EXPR_REAL: memcpy(&w, &n->u, sizeof w); break;
    case EXPR_INTEGER:
    case EXPR_BOOLEAN:
    case EXPR_ENUM: w = (uint64_t)n->u.integer; break;
    case EXPR_STRING: w = map_key(n->u.string); break;
    case EXPR_VAR: w = pool_pair(n->u.var.index, n->u.var.order); break;
    default:
        if (operator_arities[n->op] < 0) {
            head ^= (uint64_t)(uint16_t)n->u.call.function << 32;
            head ^= (uint64_t)(uint16_t)n->u.call.output << 48;
            w = hash_bytes(args, (size_t)n->u.call.n * sizeof *args);
        } else {
            int a = n->u.arg[0], b = n->u.arg[1];
            w = pool_op_commutes(n) && b < a ? pool_pair(b, a) : pool_pair(a, b);
            head |= (uint64_t)(uint32_t)n->u.arg[2] << 32;
        }
    }
    w = (w * 0x9e3779b97f4a7c15u ^ head) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(w >> 32 ^ w >> 60);
}

static bool pool_same(const expr_pool *p, const expr_node *a, const expr_node *key,
                      const expr *args)
{
    if (a->op != key->op || a->type != key->type || a->enum_id != key->enum_id) return false;
    switch (key->op) {
    case EXPR_REAL: return memcmp(&a->u, &key->u, sizeof(double)) == 0;
    case EXPR_INTEGER:
    case EXPR_BOOLEAN:
    case EXPR_ENUM: return a->u.integer == key->u.integer;
    case EXPR_STRING: return a->u.string == key->u.string;
    case EXPR_VAR: return a->u.var.index == key->u.var.index && a->u.var.order == key->u.var.order;
    default: break;
    }
    if (operator_arities[key->op] < 0)
        return a->u.call.n == key->u.call.n && a->u.call.function == key->u.call.function &&
               a->u.call.output == key->u.call.output &&
               (!key->u.call.n ||
                memcmp(p->list + a->u.call.first, args, (size_t)key->u.call.n * sizeof *args) == 0);
    const expr *x = a->u.arg, *y = key->u.arg;
    if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) return true;
    return x[0] == y[1] && x[1] == y[0] && pool_op_commutes(key);
}

enum { GROUP_SLOTS = 16, GROUP_NODES = 14 };

struct expr_group {
    uint8_t tag[GROUP_SLOTS]; // 0: free; slots are filled in their order
    expr node[GROUP_SLOTS];
};

typedef struct pool_slot {
    struct expr_group *group;
    int at;
} pool_slot;

static uint8_t pool_tag(uint32_t hash)
{
    return (uint8_t)(0x80 | hash);
}

static uint32_t pool_scaled(const expr_pool *p, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * p->n_groups >> 32);
}

// x % n_groups, by two multiplications (D. Lemire, O. Kaser and N. Kurz, Software: Practice and Experience 49 (2019)
// 953-970).
static inline uint32_t pool_wrapped(const expr_pool *p, uint32_t x)
{
    return (uint32_t)((unsigned __int128)(p->group_inverse * x) * p->n_groups >> 64);
}

// Nodes made together lie together.
static uint32_t group_of(const expr_pool *p, const expr_node *n, const expr *args, uint32_t hash)
{
    int newest = 0, arity = operator_arities[n->op];
    if (n->op == EXPR_VAR) return pool_wrapped(p, (uint32_t)n->u.var.index >> 1);
    if (arity == 0) return pool_scaled(p, hash);
    if (arity < 0)
        for (int i = 0; i < n->u.call.n; i++) newest = args[i] > newest ? args[i] : newest;
    for (int i = 0; i < arity; i++) newest = n->u.arg[i] > newest ? n->u.arg[i] : newest;
    return pool_wrapped(p, (uint32_t)newest >> 2); // the denser parts fall on sparser ones
}

// In a byte that is 0 the highest bit is set; above one that is, another may be that is not.
static uint64_t zero_bytes(uint64_t x)
{
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

static int first_byte(uint64_t bits)
{
    return __builtin_ctzll(bits) / 8;
}

// Of full period: every group has its turn.
static uint32_t pool_next(uint32_t hash)
{
    return hash * 747796405u + 2891336453u;
}

// The slot of the node with this content, or the free one where it belongs.
static pool_slot pool_find(const expr_pool *p, const expr_node *key, const expr *args,
                           uint32_t hash)
{
    uint64_t tag = pool_tag(hash) * UINT64_C(0x0101010101010101);
    uint32_t g = group_of(p, key, args, hash);
    for (;;) {
        struct expr_group *group = &p->groups[g];
        for (int k = 0; k < GROUP_SLOTS; k += 8) {
            uint64_t tags;
            memcpy(&tags, group->tag + k, sizeof tags);
            for (uint64_t like = zero_bytes(tags ^ tag); like; like &= like - 1) {
                int i = k + first_byte(like);
                if (pool_same(p, &p->node[group->node[i]], key, args)) return (pool_slot){group, i};
            }
            uint64_t is_free = zero_bytes(tags);
            if (is_free) return (pool_slot){group, k + first_byte(is_free)};
        }
        hash = pool_next(hash);
        g = pool_scaled(p, hash);
    }
}

// The free slot where a node belongs that is not in the table.
static pool_slot pool_free(const expr_pool *p, const expr_node *key, const expr *args,
                           uint32_t hash)
{
    uint32_t g = group_of(p, key, args, hash);
    for (;;) {
        struct expr_group *group = &p->groups[g];
        for (int k = 0; k < GROUP_SLOTS; k += 8) {
            uint64_t tags;
            memcpy(&tags, group->tag + k, sizeof tags);
            uint64_t is_free = zero_bytes(tags);
            if (is_free) return (pool_slot){group, k + first_byte(is_free)};
        }
        hash = pool_next(hash);
        g = pool_scaled(p, hash);
    }
}

static void pool_enter(pool_slot s, expr e, uint32_t hash)
{
    s.group->tag[s.at] = pool_tag(hash);
    s.group->node[s.at] = e;
}

// How many nodes the table has room for.
static int64_t table_room(const expr_pool *p)
{
    return (int64_t)p->n_groups * GROUP_NODES;
}

static void drop_table(expr_pool *p)
{
    p->groups = arena_resize(p->a, p->groups, p->n_groups * sizeof *p->groups, 0);
    p->n_groups = 0;
}

static void grow_table(expr_pool *p, int64_t room)
{
    drop_table(p);
    if (room > INT_MAX) room = INT_MAX;
    p->n_groups = (uint32_t)(room / GROUP_NODES + 1);
    p->group_inverse = UINT64_MAX / p->n_groups + 1;
    p->groups = arena_array(p->a, struct expr_group, p->n_groups);
    for (int e = 1; e < p->n; e++) {
        const expr_node *n = &p->node[e];
        const expr *args = operator_arities[n->op] < 0 ? listed_args(p, n) : NULL;
        uint32_t hash = hash_node(n, args);
        pool_enter(pool_free(p, n, args, hash), e, hash);
    }
}

// Callers hold arguments while they make nodes from them: blocks that have become too small stay
// until the pool is settled.
struct expr_left {
    struct expr_left *next;
    void *at;
    size_t bytes;
};

static void *pool_grow(expr_pool *p, void *at, int *cap, int need, size_t size)
{
    struct expr_left *left = arena_new(p->a, struct expr_left);
    *left = (struct expr_left){p->left, at, (size_t)*cap * size};
    if (at) p->left = left;
    int room = *cap > INT_MAX / 2 ? INT_MAX : 2 * *cap;
    *cap = room < need ? need : room;
    void *to = arena_alloc_array(p->a, (size_t)*cap, size);
    if (at) memcpy(to, at, left->bytes);
    return to;
}

static void pool_resize(expr_pool *p, int cap)
{
    if (p->shared) return; // others read where it is
    for (; p->left; p->left = p->left->next) arena_resize(p->a, p->left->at, p->left->bytes, 0);
    p->node = arena_resize_raw(p->a, p->node, (size_t)p->cap * sizeof *p->node,
                               (size_t)cap * sizeof *p->node);
    p->cap = cap;
}

void expr_settle(expr_pool *p)
{
    drop_table(p);
    pool_resize(p, p->n);
}

void expr_expect(expr_pool *p, int more, int sure)
{
    if (more >= INT_MAX / 2 - p->n) return;
    if (more > p->cap - p->n) pool_resize(p, p->n + more);
    if ((int64_t)p->n + sure > table_room(p)) grow_table(p, (int64_t)p->n + more);
}

const expr_pool *expr_share(expr_pool *p, arena *a)
{
    expr_settle(p);
    p->shared = true;
    expr_pool *view = arena_new(a, expr_pool);
    *view = *p;
    return view;
}

uint64_t expr_fingerprint(const expr_pool *p)
{
    uint64_t all = (uint64_t)p->n;
    for (expr e = 1; e < p->n; e++) {
        const expr_node *n = &p->node[e];
        const expr *args = operator_arities[n->op] < 0 ? p->list + n->u.call.first : NULL;
        all = (all ^ hash_node(n, args)) * 0x9e3779b97f4a7c15u;
        all ^= all >> 29;
    }
    return all;
}

expr_pool expr_copy(const expr_pool *p, arena *a)
{
    expr_pool copy = *p;
    copy.a = a;
    copy.node = arena_alloc_array(a, (size_t)p->n, sizeof *p->node);
    memcpy(copy.node, p->node, (size_t)p->n * sizeof *p->node);
    copy.cap = p->n;
    copy.list = arena_alloc_array(a, (size_t)p->n_list, sizeof *p->list);
    if (p->n_list) memcpy(copy.list, p->list, (size_t)p->n_list * sizeof *p->list);
    copy.cap_list = p->n_list;
    copy.groups = NULL;
    copy.n_groups = 0;
    copy.left = NULL;
    copy.shared = false;
    copy.syms = NULL;
    copy.context.inline_call = NULL;
    copy.context.partial_call = NULL;
    copy.context.total_needs = NULL;
    copy.context.total_call = NULL;
    return copy;
}

expr expr_intern(expr_pool *p, const expr_node *key, const expr *args)
{
    mem_tick(p->a->m, 1);
    if (p->n >= table_room(p)) {
        int64_t more = p->groups ? p->n : p->n / 4; // a settled pool grows little
        grow_table(p, p->n + more + 8 * GROUP_NODES);
    }
    uint32_t hash = hash_node(key, args);
    pool_slot slot = pool_find(p, key, args, hash);
    if (slot.group->tag[slot.at]) return slot.group->node[slot.at];

    if (p->n == INT_MAX) mem_fail(p->a->m);
    if (p->n == p->cap) p->node = pool_grow(p, p->node, &p->cap, p->n + 1, sizeof *p->node);
    expr e = p->n++;
    p->node[e] = *key;
    pool_enter(slot, e, hash);
    if (operator_arities[key->op] < 0) {
        int n = key->u.call.n;
        uintptr_t at = (uintptr_t)args, list = (uintptr_t)p->list;
        if (n && p->n_list && at >= list && at < list + (size_t)p->n_list * sizeof *args) {
            // The arguments of another node: all outputs of one call share them.
            p->node[e].u.call.first = (int)(args - p->list);
            return e;
        }
        if (n > INT_MAX - p->n_list) mem_fail(p->a->m);
        if (p->n_list + n > p->cap_list)
            p->list = pool_grow(p, p->list, &p->cap_list, p->n_list + n, sizeof *p->list);
        if (n) memmove(p->list + p->n_list, args, (size_t)n * sizeof *args);
        p->node[e].u.call.first = p->n_list;
        p->n_list += n;
    }
    return e;
}

// ---- leaves ------------------------------------------------------------------------------------

void expr_init(expr_pool *p, arena *a)
{
    *p = (expr_pool){.a = a};
    p->cap = 128;
    p->node = arena_array(a, expr_node, p->cap);
    p->n = 1; // number 0: none
    p->zero = expr_real(p, 0);
    p->one = expr_real(p, 1);
    p->two = expr_real(p, 2);
    p->minus_one = expr_real(p, -1);
    p->no = expr_boolean(p, false);
    p->yes = expr_boolean(p, true);
    p->time = expr_make(p, EXPR_TIME, NULL, 0);
}

expr expr_real(expr_pool *p, double x)
{
    if (x == 0) x = 0;     // one zero
    if (isnan(x)) x = NAN; // one not-a-number
    return expr_intern(p, &(expr_node){.op = EXPR_REAL, .type = TYPE_REAL, .u.real = x}, NULL);
}

expr expr_integer(expr_pool *p, int64_t i)
{
    return expr_intern(p, &(expr_node){.op = EXPR_INTEGER, .type = TYPE_INTEGER, .u.integer = i},
                       NULL);
}

expr expr_boolean(expr_pool *p, bool b)
{
    return expr_intern(p, &(expr_node){.op = EXPR_BOOLEAN, .type = TYPE_BOOLEAN, .u.integer = b},
                       NULL);
}

expr expr_string(expr_pool *p, sym s)
{
    return expr_intern(p, &(expr_node){.op = EXPR_STRING, .type = TYPE_STRING, .u.string = s},
                       NULL);
}

expr expr_enum(expr_pool *p, int enum_id, int64_t value)
{
    return expr_intern(
        p,
        &(expr_node){
            .op = EXPR_ENUM, .type = TYPE_ENUM, .enum_id = (uint16_t)enum_id, .u.integer = value},
        NULL);
}

expr expr_var(expr_pool *p, int var, int order, expr_type type, int enum_id)
{
    expr_node key = {.op = EXPR_VAR, .type = (uint8_t)type, .enum_id = (uint16_t)enum_id};
    key.u.var.index = var;
    key.u.var.order = order;
    return expr_intern(p, &key, NULL);
}

expr expr_call(expr_pool *p, int function, int output, expr_type type, int enum_id,
               const expr *args, int n)
{
    expr_node key = {.op = EXPR_CALL, .type = (uint8_t)type, .enum_id = (uint16_t)enum_id};
    key.u.call.first = 0;
    key.u.call.n = n;
    key.u.call.function = (int16_t)function;
    key.u.call.output = (int16_t)output;
    return expr_intern(p, &key, args);
}

expr expr_literal(expr_pool *p, expr_type type, int enum_id, double x)
{
    switch (type) {
    case TYPE_INTEGER: return expr_integer(p, whole_number(x));
    case TYPE_BOOLEAN: return expr_boolean(p, x != 0);
    case TYPE_ENUM: return expr_enum(p, enum_id, whole_number(x));
    default: return expr_real(p, x);
    }
}

bool expr_var_is_constant(const expr_pool *p, expr e)
{
    const expr_node *n = &p->node[e];
    if (n->op != EXPR_VAR) return false;
    return p->context.var_is_constant &&
           p->context.var_is_constant(p->context.user, n->u.var.index);
}
