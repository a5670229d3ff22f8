/* The pool: nodes made once, found again by content.
 *
 * The table holds node numbers with their hashes, at a load of at most two thirds; nodes are never
 * removed. A node is looked for near its newest argument first, which keeps a growing model in the
 * cache, then by double hashing (D. E. Knuth, TAOCP 3, 6.4).
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

static const struct {
    uint8_t class;
    const char *name;
} ops[] = {
#define X(op, arity, text, class) [EXPR_##op] = {CLASS_##class, text},
    EXPR_OPS(X)
#undef X
};

const char *expr_op_name(expr_op op)
{
    return ops[op].name;
}

expr_class expr_op_class(expr_op op)
{
    return (expr_class)ops[op].class;
}

int expr_op_arity(expr_op op)
{
    return expr_arities[op];
}

const int8_t expr_arities[] = {
#define X(op, arity, text, class) [EXPR_##op] = arity,
    EXPR_OPS(X)
#undef X
};

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
        if (expr_arities[n->op] < 0) {
            head ^= (uint64_t)(uint16_t)n->u.call.function << 32;
            head ^= (uint64_t)(uint16_t)n->u.call.output << 48;
            w = hash_bytes(args, (size_t)n->u.call.n * sizeof *args);
        } else {
            int a = n->u.arg[0], b = n->u.arg[1];
            w = pool_op_commutes(n) && b < a ? pool_pair(b, a) : pool_pair(a, b);
            head |= (uint64_t)(uint32_t)n->u.arg[2] << 32;
        }
    }
    return (uint32_t)hash_u64(w * 0x9e3779b97f4a7c15u ^ head);
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
    if (expr_arities[key->op] < 0)
        return a->u.call.n == key->u.call.n && a->u.call.function == key->u.call.function &&
               a->u.call.output == key->u.call.output &&
               (!key->u.call.n ||
                memcmp(p->list + a->u.call.first, args, (size_t)key->u.call.n * sizeof *args) == 0);
    const expr *x = a->u.arg, *y = key->u.arg;
    if (x[0] == y[0] && x[1] == y[1] && x[2] == y[2]) return true;
    return x[0] == y[1] && x[1] == y[0] && pool_op_commutes(key);
}

// Where a node is looked for: first in a group of slots chosen by its newest argument, so that
// nodes made together lie together, then anywhere by its hash.
enum { GROUP_SLOTS = 16 };

static uint32_t group_of(const expr_node *n, const expr *args, uint32_t hash)
{
    int newest = 0, arity = expr_arities[n->op];
    if (n->op == EXPR_VAR) return (uint32_t)n->u.var.index >> 2;
    if (arity == 0) return hash;
    if (arity < 0)
        for (int i = 0; i < n->u.call.n; i++) newest = args[i] > newest ? args[i] : newest;
    for (int i = 0; i < arity; i++) newest = n->u.arg[i] > newest ? n->u.arg[i] : newest;
    return (uint32_t)newest >> 3;
}

// The slot of the node with this content, or the free one where it belongs.
static uint64_t *pool_find(const expr_pool *p, const expr_node *key, const expr *args,
                           uint32_t hash)
{
    uint32_t mask = p->cap_table - 1, base = group_of(key, args, hash) * GROUP_SLOTS & mask, i;
    for (uint32_t k = 0;; k++) {
        if (k < GROUP_SLOTS) i = base | ((hash + k) & (GROUP_SLOTS - 1));
        else i = (hash + (k - GROUP_SLOTS) * (hash >> 16 | 1)) & mask;
        uint64_t slot = p->table[i];
        if (!slot) break;
        if ((uint32_t)(slot >> 32) == hash && pool_same(p, &p->node[(uint32_t)slot], key, args))
            break;
    }
    return &p->table[i];
}

static void grow_table(expr_pool *p)
{
    arena_resize(p->a, p->table, p->cap_table * sizeof *p->table, 0);
    p->cap_table = 256;
    while (3 * (uint64_t)p->n >= 2 * (uint64_t)p->cap_table) p->cap_table *= 2;
    p->table = arena_array(p->a, uint64_t, p->cap_table);
    for (int e = 1; e < p->n; e++) {
        const expr_node *n = &p->node[e];
        const expr *args = expr_arities[n->op] < 0 ? listed_args(p, n) : NULL;
        uint32_t hash = hash_node(n, args);
        *pool_find(p, n, args, hash) = (uint64_t)hash << 32 | (uint32_t)e;
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
    p->table = arena_resize(p->a, p->table, p->cap_table * sizeof *p->table, 0);
    p->cap_table = 0;
    pool_resize(p, p->n);
}

void expr_expect(expr_pool *p, int more)
{
    if (more > p->cap - p->n && more < INT_MAX - p->n) pool_resize(p, p->n + more);
}

const expr_pool *expr_share(expr_pool *p, arena *a)
{
    expr_settle(p);
    p->shared = true;
    expr_pool *view = arena_new(a, expr_pool);
    *view = *p;
    return view;
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
    copy.table = NULL;
    copy.cap_table = 0;
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
    if (3 * (uint64_t)p->n >= 2 * (uint64_t)p->cap_table) grow_table(p);
    uint32_t hash = hash_node(key, args);
    uint64_t *slot = pool_find(p, key, args, hash);
    if (*slot) return (expr)(uint32_t)*slot;

    if (p->n == INT_MAX) mem_fail(p->a->m);
    if (p->n == p->cap) p->node = pool_grow(p, p->node, &p->cap, p->n + 1, sizeof *p->node);
    expr e = p->n++;
    p->node[e] = *key;
    *slot = (uint64_t)hash << 32 | (uint32_t)e;
    if (expr_arities[key->op] < 0) {
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
