/* SPDX-License-Identifier: BSD-3-Clause */
#include "structure/structure.h"
#include "support/mini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *dump(mini *k, structure **out)
{
    structure *s = structure_analyze(&k->flat, &k->a, &k->scratch, &k->sink);
    if (out) *out = s;
    if (!s) return mini_messages(k);
    text t;
    text_init(&t, &k->m);
    structure_print(s, &t);
    const char *r = arena_strndup(&k->a, text_str(&t), t.n);
    text_done(&t);
    return r;
}

static void pendulum(void **state)
{
    (void)state;
    mini k;
    mini_init(&k, "parameter g = 9.81\nparameter L = 1\nReal x start 1\nReal y\nReal vx\nReal vy\n"
                  "Real lambda\n"
                  "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\n"
                  "x^2 + y^2 = L^2\n");
    structure *s;
    const char *t = dump(&k, &s);
    if (getenv("SHOW")) puts(t);
    assert_non_null(s);
    assert_int_equal(s->index, 3);
    assert_int_equal(s->n_free, 2);
    mini_done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
