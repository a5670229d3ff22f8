/* Axes: what is read, how runs are numbered, and what is refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "sweep/sweep_plan.h"

#include <fcntl.h>
#include <unistd.h>

typedef struct bench {
    mem m;
    arena a;
    diag_sink d;
    sweep_plan p;
    sweep_request r;
    bool good;
} bench;

static int make_plan(void *job)
{
    bench *b = job;
    diag_init(&b->d, &b->a);
    b->good = sweep_plan_make(&b->p, &b->r, &b->a, &b->d);
    return 0;
}

static void plan(bench *b, const char *const *vary, int n)
{
    arena_done(&b->a);
    b->r.vary = vary;
    b->r.n_vary = n;
    assert_int_equal(mem_guarded(&b->m, make_plan, b, -1), 0);
}

#define PLAN(b, ...)                                                                               \
    plan(b, (const char *const[]){__VA_ARGS__},                                                    \
         (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static bench *new_bench(void)
{
    static bench b;
    b = (bench){.m = mem_std()};
    arena_init(&b.a, &b.m);
    return &b;
}

static void grids_and_lists(void **state)
{
    (void)state;
    bench *b = new_bench();
    double x[3];
    PLAN(b, "L=0.5:2:0.1", "g=1,2,5", "body.m[2]=-1:1:0.5");
    assert_true(b->good);
    assert_int_equal(b->p.total, 16 * 3 * 5);
    sweep_plan_values(&b->p, 0, x);
    assert_true(x[0] == 0.5 && x[1] == 1 && x[2] == -1);
    sweep_plan_values(&b->p, 1, x); // the last is the fastest
    assert_true(x[0] == 0.5 && x[1] == 1 && x[2] == -0.5);
    sweep_plan_values(&b->p, 16 * 3 * 5 - 1, x);
    assert_true(x[0] == 2 && x[1] == 5 && x[2] == 1); // the ends of grids are met exactly
    PLAN(b, "L=0.1:2:0.1"); // decimals as they are written: 0.1 + 16*0.1 is not 1.7
    sweep_plan_values(&b->p, 16, x);
    assert_true(x[0] == 1.7);
    PLAN(b, "L=1:0:-0.25");
    assert_int_equal(b->p.total, 5);
    PLAN(b, "L=3:3:1");
    assert_int_equal(b->p.total, 1);
    arena_done(&b->a);
}

static void samples_in_every_combination(void **state)
{
    (void)state;
    bench *b = new_bench();
    double x[3], y[3];
    b->r.samples = 10;
    PLAN(b, "L=1,2", "g~normal(9.81,0.1)", "e~uniform(0,1)");
    assert_int_equal(b->p.total, 20);
    for (uint64_t k = 0; k < 10; k++) {
        sweep_plan_values(&b->p, k, x);
        sweep_plan_values(&b->p, k + 10, y);
        assert_true(x[0] == 1 && y[0] == 2 && x[1] == y[1] && x[2] == y[2]);
        assert_true(x[2] > 0 && x[2] < 1 && fabs(x[1] - 9.81) < 1);
    }
    arena_done(&b->a);
}

/* Point a, point b, and a with one coordinate of b. */
static void points_for_indices(void **state)
{
    (void)state;
    bench *b = new_bench();
    double a[2], other[2], x[2];
    b->r.samples = 8;
    b->r.indices = true;
    PLAN(b, "p~uniform(0,1)", "q~uniform(0,1)");
    assert_int_equal(b->p.total, 32);
    for (uint64_t s = 0; s < 8; s++) {
        sweep_plan_values(&b->p, 4 * s, a);
        sweep_plan_values(&b->p, 4 * s + 1, other);
        sweep_plan_values(&b->p, 4 * s + 2, x);
        assert_true(x[0] == other[0] && x[1] == a[1] && a[0] != other[0]);
        sweep_plan_values(&b->p, 4 * s + 3, x);
        assert_true(x[0] == a[0] && x[1] == other[1]);
    }
    arena_done(&b->a);
}

static void parts_are_all(void **state)
{
    (void)state;
    bench *b = new_bench();
    uint64_t next = 0;
    for (int k = 1; k <= 4; k++) {
        b->r.part = k, b->r.parts = 4;
        PLAN(b, "L=1:10:1");
        assert_int_equal(b->p.first, next);
        next = b->p.last;
    }
    assert_int_equal(next, 10);
    arena_done(&b->a);
}

static void files(void **state)
{
    (void)state;
    bench *b = new_bench();
    char folder[] = "/tmp/sweep-plan-XXXXXX", path[60];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rows.csv", folder);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    static const char rows[] = "L;\"q[1,2]\"\r\n1;2\r\n\r\n3;4e1\n";
    assert_int_equal(write(fd, rows, sizeof rows - 1), (long)sizeof rows - 1);
    double x[3];
    PLAN(b, path, "g=1,2");
    assert_true(b->good);
    assert_int_equal(b->p.total, 4);
    assert_string_equal(b->p.axes[1].name, "q[1,2]");
    sweep_plan_values(&b->p, 3, x);
    assert_true(x[0] == 3 && x[1] == 40 && x[2] == 2);
    static const char *const wrong[] = {"L,g\n1,nan\n",
                                        "L,g\n1,\n",
                                        "L,g\n1\n",
                                        "L,g\n1,2,3\n",
                                        "L,g\n",
                                        "L,L\n1,2\n",
                                        "L,g\n1,x\n",
                                        "L,g\n1,inf\n",
                                        "",
                                        ","};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, wrong[i], strlen(wrong[i]), 0), (long)strlen(wrong[i]));
        PLAN(b, path);
        if (b->good || !b->d.n_errors) fail_msg("'%s' is read", wrong[i]);
    }
    close(fd);
    unlink(path);
    PLAN(b, path); // gone
    assert_false(b->good);
    rmdir(folder);
    arena_done(&b->a);
}

static void what_is_refused(void **state)
{
    (void)state;
    bench *b = new_bench();
    static const struct {
        const char *vary, *says;
        double samples;
        const char *design;
        bool indices;
    } cases[] = {
        {"L", "say what is varied", 0, NULL, false},
        {"=1", "name", 0, NULL, false},
        {"L=", "empty", 0, NULL, false},
        {"L=1,,2", "list", 0, NULL, false},
        {"L=1;2", "list", 0, NULL, false},
        {"L=2:1:0.1", "empty", 0, NULL, false},
        {"L=1:2:0", "step", 0, NULL, false},
        {"L=1:2", "from:to:step", 0, NULL, false},
        {"L=1:2:3:4", "from:to:step", 0, NULL, false},
        {"L=0:1:1e-13", "1e8", 0, NULL, false},
        {"L=nan", "finite", 0, NULL, false},
        {"L=0:inf:1", "finite", 0, NULL, false},
        {"g~gauss(0,1)", "lognormal", 10, NULL, false},
        {"g~normal(1)", "takes 2 numbers", 10, NULL, false},
        {"g~normal(1,2", "takes 2 numbers", 10, NULL, false},
        {"g~normal(1,-2)", "positive", 10, NULL, false},
        {"g~uniform(2,1)", "less", 10, NULL, false},
        {"g~triangular(1,0,2)", "ascend", 10, NULL, false},
        {"g~normal(0,1)", "--samples", 0, NULL, false},
        {"g~normal(0,1)", "1e+10", 1e12, NULL, false},
        {"g~normal(0,1)", "2^32", 5e9, "sobol", false},
        {"g~normal(0,1)", "lhs", 10, "halton", false},
        {"L=1,2", "none is random", 10, NULL, false},
        {"L=1,2", "distribution", 0, NULL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        b->r = (sweep_request){
            .samples = cases[i].samples, .design = cases[i].design, .indices = cases[i].indices};
        PLAN(b, cases[i].vary);
        const diag *d = diag_at(&b->d, 0);
        if (b->good || !d || !strstr(d->text, cases[i].says))
            fail_msg("'%s': %s", cases[i].vary, d ? d->text : "accepted");
    }
    b->r = (sweep_request){0};
    PLAN(b, "L=1,2", "L=3"); // twice
    assert_false(b->good);
    PLAN(b, "a=0:9999:1", "b=0:9999:1", "c=0:9999:1"); // 10^12 combinations
    assert_false(b->good);
    assert_non_null(strstr(diag_at(&b->d, 0)->text, "1e+12"));
    plan(b, NULL, 0);
    assert_false(b->good);
    arena_done(&b->a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_and_lists),
        cmocka_unit_test(samples_in_every_combination),
        cmocka_unit_test(points_for_indices),
        cmocka_unit_test(parts_are_all),
        cmocka_unit_test(files),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
