/* Random syntax trees: what is printed parses to the same tree, and prints the same again.
 *
 * The trees are made directly, not by the parser, so that the printer's parentheses are tried on
 * every nesting of operators. The seed is fixed; the generator is xorshift64* (Vigna 2016).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "support/equal.h"

enum { TREES = 3000, DEPTH = 7 };

typedef struct maker {
    uint64_t state;
    arena *a;
    sym_table *syms;
} maker;

static int pick(maker *m, int n)
{
    m->state ^= m->state >> 12;
    m->state ^= m->state << 25;
    m->state ^= m->state >> 27;
    return (int)((m->state * 2685821657736338717u >> 33) % (unsigned)n);
}

static ast_expr *expr(maker *m, int depth);

static sym name(maker *m)
{
    static const char *const names[] = {"a", "b1", "_c", "'q x'", "'\\''", "e", "E2"};
    return sym_of(m->syms, names[pick(m, 7)]);
}

static ast_exprs exprs(maker *m, int depth, int least)
{
    ast_exprs list = {.n = least + pick(m, 3)};
    list.at = arena_array(m->a, ast_expr *, list.n);
    for (int i = 0; i < list.n; i++) list.at[i] = expr(m, depth);
    return list;
}

static ast_exprs subscripts(maker *m, int depth)
{
    ast_exprs list = exprs(m, depth, 1);
    for (int i = 0; i < list.n; i++)
        if (pick(m, 4) == 0)
            *(list.at[i] = arena_new(m->a, ast_expr)) = (ast_expr){.kind = AST_COLON};
    return list;
}

static ast_ref ref(maker *m, int depth)
{
    ast_ref r = {.n = 1 + pick(m, 3), .global = pick(m, 5) == 0};
    r.at = arena_array(m->a, ast_part, r.n);
    for (int i = 0; i < r.n; i++) {
        r.at[i].name = name(m);
        if (depth > 0 && pick(m, 4) == 0) r.at[i].subs = subscripts(m, depth - 1);
    }
    return r;
}

static ast_iterators iterators(maker *m, int depth)
{
    ast_iterators list = {.n = 1 + pick(m, 2)};
    list.at = arena_array(m->a, ast_iterator, list.n);
    for (int i = 0; i < list.n; i++) {
        list.at[i].name = name(m);
        if (pick(m, 3)) list.at[i].range = expr(m, depth);
    }
    return list;
}

static void named(maker *m, ast_call *c, int depth)
{
    c->n_named = pick(m, 3);
    c->named = arena_array(m->a, ast_named, c->n_named);
    for (int i = 0; i < c->n_named; i++)
        c->named[i] = (ast_named){.name = name(m), .value = expr(m, depth)};
}

static ast_call *call(maker *m, int depth, bool comprehension)
{
    ast_call *c = arena_new(m->a, ast_call);
    if (!comprehension) c->f = ref(m, 0);
    if (comprehension || pick(m, 4) == 0) {
        c->args = exprs(m, depth, 1);
        c->args.n = 1;
        c->iters = iterators(m, depth);
        return c;
    }
    c->args = exprs(m, depth, 0);
    for (int i = 0; i < c->args.n; i++)
        if (pick(m, 6) == 0) { // function f(a = b), as an argument
            ast_call *p = arena_new(m->a, ast_call);
            p->f = ref(m, 0);
            named(m, p, depth);
            *(c->args.at[i] = arena_new(m->a, ast_expr)) =
                (ast_expr){.kind = AST_PARTIAL, .call = p};
        }
    named(m, c, depth);
    return c;
}

static void chain(maker *m, ast_expr *e, int depth)
{
    static const uint8_t levels[][5] = {// count, operators of one level
                                        {1, AST_OR},
                                        {1, AST_AND},
                                        {4, AST_ADD, AST_SUB, AST_ADD_EW, AST_SUB_EW},
                                        {4, AST_MUL, AST_DIV, AST_MUL_EW, AST_DIV_EW},
                                        {3, AST_LT, AST_EQ, AST_NE},
                                        {2, AST_POW, AST_POW_EW}};
    int level = pick(m, 6);
    ast_exprs list = exprs(m, depth, 2);
    if (level >= 4) list.n = 2; // relations and powers
    e->kind = AST_CHAIN;
    e->chain.at = list.at;
    e->chain.n = list.n;
    e->chain.ops = arena_array(m->a, uint8_t, list.n - 1);
    for (int i = 0; i < list.n - 1; i++)
        e->chain.ops[i] = levels[level][1 + pick(m, levels[level][0])];
}

static void leaf(maker *m, ast_expr *e)
{
    static const char *const strings[] = {"", "text", "\\\"", "two\nlines", "\\\\", "\xC3\xA8"};
    static const double reals[] = {0, 1, 0.1, 1e300, 5e-324, 123456789.125, 1e22, 1e23};
    int k = pick(m, 6);
    switch (k) {
    case 0: *e = (ast_expr){.kind = AST_INTEGER, .integer = pick(m, 100)}; break;
    case 1: *e = (ast_expr){.kind = AST_REAL, .real = reals[pick(m, 8)]}; break;
    case 2:
        e->kind = AST_STRING;
        e->string.at = strings[pick(m, 6)];
        e->string.n = (uint32_t)strlen(e->string.at);
        break;
    case 3: *e = (ast_expr){.kind = AST_BOOLEAN, .boolean = pick(m, 2)}; break;
    default:
        e->kind = AST_REF;
        e->ref = arena_new(m->a, ast_ref);
        *e->ref = ref(m, 0);
    }
}

static void condition(maker *m, ast_expr *e, int depth)
{
    ast_exprs list = exprs(m, depth, 1);
    e->kind = AST_IF;
    e->cond.n = list.n;
    e->cond.tests = list.at;
    e->cond.values = arena_array(m->a, ast_expr *, list.n + 1);
    for (int i = 0; i <= list.n; i++) e->cond.values[i] = expr(m, depth);
}

static void tuple(maker *m, ast_expr *e, int depth)
{
    e->kind = AST_TUPLE;
    e->list = exprs(m, depth, 2);
    for (int i = 0; i < e->list.n; i++)
        if (pick(m, 3) == 0) e->list.at[i] = NULL;
}

static ast_expr *expr(maker *m, int depth)
{
    ast_expr *e = arena_new(m->a, ast_expr);
    static const uint8_t signs[] = {AST_ADD, AST_SUB, AST_ADD_EW, AST_SUB_EW, AST_NOT};
    if (depth <= 0) {
        leaf(m, e);
        return e;
    }
    switch (pick(m, 14)) {
    case 0:
    case 1:
    case 2:
    case 3: chain(m, e, depth - 1); break;
    case 4:
    case 5:
        *e = (ast_expr){.kind = AST_UNARY, .op = signs[pick(m, 5)]};
        e->arg = expr(m, depth - 1);
        break;
    case 6: condition(m, e, depth - 1); break;
    case 7:
        e->kind = AST_RANGE;
        e->range.first = expr(m, depth - 1);
        if (pick(m, 2)) e->range.step = expr(m, depth - 1);
        e->range.last = expr(m, depth - 1);
        break;
    case 8: *e = (ast_expr){.kind = AST_ARRAY, .list = exprs(m, depth - 1, 1)}; break;
    case 9: *e = (ast_expr){.kind = AST_COMPREHENSION, .call = call(m, depth - 1, true)}; break;
    case 10:
        *e = (ast_expr){.kind = AST_MATRIX};
        e->rows.n = 1 + pick(m, 2);
        e->rows.at = arena_array(m->a, ast_exprs, e->rows.n);
        for (int i = 0; i < e->rows.n; i++) e->rows.at[i] = exprs(m, depth - 1, 1);
        break;
    case 11: *e = (ast_expr){.kind = AST_CALL, .call = call(m, depth - 1, false)}; break;
    case 12: tuple(m, e, depth - 1); break;
    default:
        e->kind = AST_SELECT;
        e->select.base = expr(m, depth - 1);
        if (pick(m, 2)) e->select.field = name(m);
        else e->select.subs = subscripts(m, depth - 1);
    }
    return e;
}

static void random_trees_survive(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    int chains = 0;
    for (int i = 0; i < TREES; i++) {
        sym_table syms;
        diag_sink diags;
        source_set sources;
        text out, again;
        sym_init(&syms, &a);
        diag_init(&diags, &a);
        source_init(&sources, &a);
        text_init(&out, &m);
        text_init(&again, &m);
        maker mk = {0x9E3779B97F4A7C15u + (uint64_t)i, &a, &syms};
        for (int k = 0; k < 10; k++) pick(&mk, 2);

        ast_expr *e = expr(&mk, 1 + i % DEPTH);
        lang_print_expr(e, &out);
        const source *src = source_add(&sources, "tree", text_str(&out), out.n);
        ast_expr *parsed = lang_parse_expr(src, &a, &syms, &diags);
        if (!parsed || !equal_expr(e, parsed)) print_error("%s\n", text_str(&out));
        assert_non_null(parsed);
        assert_true(equal_expr(e, parsed));
        lang_print_expr(parsed, &again);
        assert_string_equal(text_str(&out), text_str(&again));
        chains += e->kind == AST_CHAIN;

        text_done(&again);
        text_done(&out);
        arena_done(&a);
    }
    assert_true(chains > TREES / 10); // the generator does its work
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_trees_survive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
