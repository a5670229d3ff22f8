/* A pool with the variables x y z u v w (0 ... 5), the parameter k (6), the Integer i (7), the
 * Boolean b (8), and a few functions.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_EXPR_FIXTURE_H
#define TESTS_EXPR_FIXTURE_H

#include "cmocka_all.h"

#include "expr/expr.h"

enum { X, Y, Z, U, V, W, K, I, B, N_VARS };
enum { F_SQUARE, F_SINE, F_OPAQUE, F_ENDLESS, F_FACTORIAL }; // functions

typedef struct fixture {
    mem m;
    arena a, scratch;
    sym_table syms;
    expr_pool p;
    text out;
    expr x, y, z, u, v, w, k, i, b;
} fixture;

static inline const char *fixture_name(void *user, int var, expr_label *label)
{
    static const char *const names[] = {"x", "y", "z", "u", "v", "w", "k", "i", "b"};
    (void)user, (void)label;
    return var < N_VARS ? names[var] : "?";
}

static inline bool fixture_constant(void *user, int var)
{
    (void)user;
    return var == K;
}

static inline const char *fixture_function(void *user, int function)
{
    static const char *const names[] = {"square", "sine", "opaque", "endless", "factorial"};
    (void)user;
    return names[function];
}

static inline const char *fixture_enum(void *user, int enum_id, int64_t value)
{
    static const char *const names[] = {"Colour.red", "Colour.green"};
    (void)user;
    return enum_id == 3 ? names[value - 1] : NULL;
}

static inline expr fixture_inline(void *user, int function, int output, const expr *args, int n)
{
    fixture *f = user;
    expr_pool *p = &f->p;
    (void)output;
    (void)n;
    switch (function) {
    case F_SQUARE: return expr_mul(p, args[0], args[0]);
    case F_ENDLESS: {
        expr next = expr_add(p, args[0], p->one);
        return expr_call(p, F_ENDLESS, 0, TYPE_REAL, 0, &next, 1);
    }
    case F_FACTORIAL: {
        expr less = expr_sub(p, args[0], expr_integer(p, 1));
        expr rest = expr_call(p, F_FACTORIAL, 0, TYPE_INTEGER, 0, &less, 1);
        return expr_3(p, EXPR_IF, expr_2(p, EXPR_LE, args[0], expr_integer(p, 1)),
                      expr_integer(p, 1), expr_mul(p, args[0], rest));
    }
    default: return 0;
    }
}

static inline expr fixture_partial(void *user, int function, int output, const expr *args, int n,
                                   int k)
{
    fixture *f = user;
    (void)output;
    (void)n;
    (void)k;
    return function == F_SINE ? expr_1(&f->p, EXPR_COS, args[0]) : 0;
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    arena_init(&f->scratch, &f->m);
    sym_init(&f->syms, &f->a);
    text_init(&f->out, &f->m);
    expr_init(&f->p, &f->a);
    f->p.syms = &f->syms;
    f->p.context = (expr_context){.user = f,
                                  .var_name = fixture_name,
                                  .var_is_constant = fixture_constant,
                                  .function_name = fixture_function,
                                  .enum_literal = fixture_enum,
                                  .inline_call = fixture_inline,
                                  .partial_call = fixture_partial};
    expr *vars[] = {&f->x, &f->y, &f->z, &f->u, &f->v, &f->w, &f->k};
    for (int j = 0; j < 7; j++) *vars[j] = expr_var(&f->p, j, 0, TYPE_REAL, 0);
    f->i = expr_var(&f->p, I, 0, TYPE_INTEGER, 0);
    f->b = expr_var(&f->p, B, 0, TYPE_BOOLEAN, 0);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;
    text_done(&f->out);
    arena_done(&f->scratch);
    arena_done(&f->a);
    free(f);
    return 0;
}

static inline const char *shown(fixture *f, expr e)
{
    text_clear(&f->out);
    expr_print(&f->p, e, EXPR_MODELICA, 0, &f->out);
    return text_str(&f->out);
}

#define assert_shown(f, e, s) assert_string_equal(shown((f), (e)), (s))

#define unit(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
