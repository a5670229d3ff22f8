/* Parts of a flat model: who has which states, and that equations are those of the whole.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include "flat/flat_part.h"

static const char rod[] =
    "model M parameter Integer n = 12; parameter Real k[n] = {i^2 for i in 1:n};\n"
    "Real T[n](start = {i/2 for i in 1:n}, each fixed = true), q[n + 1], left = sin(time);\n"
    "Real S[n](each start = 3, each fixed = true);\n"
    "equation q[1] = left - T[1]; q[n + 1] = T[n]^2;\n"
    "for i in 2:n loop q[i] = k[i]*(T[i - 1] - T[i]); end for;\n"
    "for i in 1:n loop 2*der(T[i]) = q[i] - q[i + 1] + 0.1*S[i]; end for;\n"
    "for i in 1:n loop der(S[i]) = 5*T[if i > 1 then i - 1 else 12]*S[i]; end for; end M;";

static void write_equation(const flat_model *m, int i, text *out)
{
    expr sides[2];
    flat_sides(m, &m->equations.at[i], sides);
    text_clear(out);
    expr_print_equation(m->pool, sides[0], sides[1], 0, out);
}

/* Every equation of the part but those that hold places is one of the whole. */
static int count_same(const flat_model *whole, const flat_model *part, fixture *f)
{
    text other;
    int same = 0;
    text_init(&other, &f->m);
    for (int i = 0; i < part->equations.n; i++) {
        bool found = false;
        write_equation(part, i, &f->out);
        for (int k = 0; k < whole->equations.n && !found; k++) {
            write_equation(whole, k, &other);
            found = !strcmp(text_str(&other), text_str(&f->out));
        }
        same += found;
    }
    text_done(&other);
    return same;
}

/* Nothing of the whole is needed afterwards: it is given back before the part is looked at. */
static void parts_have_equations_of_the_whole(void **state)
{
    (void)state;
    enum { SIZE = 3, N = 12 };
    int own = 0;
    for (int rank = 0; rank < SIZE; rank++) {
        fixture *f = flatten(rod);
        expect_flat(f);
        arena spent, kept;
        arena_init(&spent, &f->m);
        arena_init(&kept, &f->m);
        flat_model *whole = flat_build(&f->lib, f->lib.last, NULL, 0, &spent, &f->front, &f->diags);
        assert_non_null(whole);
        flat_division d;
        flat_part p;
        const char *why = NULL;
        arena *scratch = arena_inner(&f->front);
        if (!flat_divide(whole, SIZE, scratch, &d, &why)) fail_msg("not divided: %s", why);
        assert_int_equal(d.n_states, 2 * N);
        int also = flat_find(whole, "T[12]");
        flat_model *m = flat_restrict(&d, rank, &also, 1, &spent, &kept, scratch, &p);
        arena_done(&spent);
        assert_int_equal(p.n_own, 2 * N / SIZE);
        assert_int_equal(p.n_all, 2 * N);
        // T[5] and, of the ring, T[12]; T[4], T[9] and, as asked for, T[12]; T[8].
        static const int halo[SIZE] = {2, 3, 1};
        assert_int_equal(p.n_halo, halo[rank]);
        assert_int_equal(m->equations.n - p.n_halo, count_same(f->flat, m, f));
        assert_int_equal(flat_count_unknowns(m), m->equations.n);
        assert_true(flat_find(m, "T[12]") >= 0);
        for (int k = 0; k < p.n_halo; k++)
            assert_true(p.place[k] < p.first[rank] || p.place[k] >= p.first[rank + 1]);
        own += p.n_own;
        arena_done(&kept);
        drop(f);
    }
    assert_int_equal(own, 2 * N);
}

static void what_is_not_divided(void **state)
{
    (void)state;
    static const char *const models[] = {
        "model M Real u[9](each start = 1, each fixed = true);\n"
        "equation for i in 1:9 loop der(u[i]) = if time > 1 then 1 else u[i]; end for; end M;",
        "model M Real u[9](each start = 1);\n"
        "equation for i in 1:9 loop der(u[i]) = 2*u[i]; end for; end M;",
        "model M Real u[9](each start = 1, each fixed = true), v[9];\n"
        "equation for i in 1:9 loop der(u[i]) = 2*v[i]; v[i]^3 + v[i] = u[i]; end for; end M;",
        "model M Real u[9](each start = 1, each fixed = true), v[9];\n"
        "equation for i in 1:9 loop der(u[i]) = 2*v[i]; v[i] = 2*v[mod(i, 9) + 1] + u[i]; end for; "
        "end M;",
        "model M Real u[9](each start = 1, each fixed = true);\n"
        "equation for i in 1:9 loop der(u[i]) = 2*u[i] + der(u[mod(i, 9) + 1]); end for; end M;",
        "model M input Real w; Real u[9](each start = 1, each fixed = true);\n"
        "equation for i in 1:9 loop der(u[i]) = 2*u[i]*w; end for; end M;",
        "model M Real u[9](each start = 1, each fixed = true); discrete Real w(start = 0, fixed = "
        "true);\n"
        "equation for i in 1:9 loop der(u[i]) = 2*u[i]*w; end for; when time > 1 then w = 2; end "
        "when; end M;",
        "model M Real u[9](each start = 1, each fixed = true);\n"
        "equation for i in 1:9 loop der(u[i]) = 2*u[i]; end for; assert(u[3] < 5, \"large\"); end "
        "M;",
        "model M Real a(start = 1, fixed = true), b(start = 1, fixed = true);\n"
        "equation der(a) = 2*b; der(b) = -2*a; end M;",
        "model M Real u[9](each start = 1, each fixed = true);\n"
        "equation for i in 1:9 loop der(u[i]) = 2*sum(u); end for; end M;",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        fixture *f = flatten(models[i]);
        expect_flat(f);
        flat_division d;
        const char *why = NULL;
        if (flat_divide(f->flat, 2, &f->front, &d, &why)) fail_msg("divided: %s", models[i]);
        assert_non_null(why);
        drop(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_equations_of_the_whole),
        cmocka_unit_test(what_is_not_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
