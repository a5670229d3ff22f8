/* Unit tests of src/base.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/array.h"
#include "base/bump.h"
#include "base/diag.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/mem_cache.h"
#include "base/pages.h"
#include "base/root.h"
#include "base/sha256.h"
#include "base/sym.h"
#include "base/text.h"
#include "base/watch.h"
#include "base/whole.h"

#include <math.h>

typedef struct fixture {
    mem m;
    arena a;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->a);
    free(f);
    return 0;
}

static void arena_is_zeroed_aligned_and_released(void **state)
{
    fixture *f = *state;
    char *p = arena_alloc(&f->a, 3);
    p[0] = 'x';
    arena_mark mark = arena_here(&f->a);
    for (int i = 1; i < 2000; i++) {
        unsigned char *q = arena_alloc(&f->a, (size_t)i);
        assert_int_equal((uintptr_t)q % 16, 0);
        for (int k = 0; k < i; k++) assert_int_equal(q[k], 0);
        memset(q, 0xAA, (size_t)i);
    }
    size_t high = f->a.total;
    arena_release(&f->a, mark);
    assert_true(f->a.total < high);
    assert_int_equal(p[0], 'x');
    unsigned char *q = arena_alloc(&f->a, 100); // memory used before is cleared again
    for (int k = 0; k < 100; k++) assert_int_equal(q[k], 0);
}

static void array_grows(void **state)
{
    fixture *f = *state;
    int_array x = {0};
    for (int i = 0; i < 10000; i++) array_push(&f->a, &x, i * i);
    assert_int_equal(x.n, 10000);
    for (int i = 0; i < x.n; i++) assert_int_equal(x.at[i], i * i);
}

static int push_length(arena *a, int_array *x)
{
    int n = x->n;
    if (n < 100) array_push(a, x, -1);
    return n;
}

/* The value is evaluated before the array changes: it sees the old length, and may push itself. */
static void array_push_evaluates_the_value_first(void **state)
{
    fixture *f = *state;
    int_array x = {0};
    for (int i = 0; i < 200; i++) array_push(&f->a, &x, push_length(&f->a, &x));
    assert_int_equal(x.n, 250);
    for (int i = 0; i < 100; i++) assert_int_equal(x.at[i], i % 2 ? i - 1 : -1);
    for (int i = 100; i < x.n; i++) assert_int_equal(x.at[i], i);
}

/* Keys with many equal ones, some of them changed: out they come in order, equals by number. */
static void heap_gives_the_smallest_first(void **state)
{
    fixture *f = *state;
    enum { N = 500 };
    heap h = {.item = arena_array(&f->a, int, N),
              .at = arena_array(&f->a, int, N),
              .key = arena_array(&f->a, double, N)};
    for (int i = 0; i < N; i++) h.at[i] = -1;
    for (int i = 0; i < N; i++) heap_set(&h, i, i);
    heap_clear(&h);
    for (int i = 0; i < N; i++) heap_set(&h, i, (double)(i * 7919L % 50));
    for (int i = 0; i < N; i += 3) heap_set(&h, i, (double)(i * 104729L % 70)); // up or down
    int last = heap_pop(&h);
    for (int i = 1; i < N; i++) {
        int x = heap_pop(&h);
        assert_true(h.key[x] == (double)(x % 3 ? x * 7919L % 50 : x * 104729L % 70));
        assert_true(h.key[last] < h.key[x] || (h.key[last] == h.key[x] && last < x));
        assert_int_equal(h.at[x], -1);
        last = x;
    }
    assert_int_equal(h.n, 0);
}

static void map_finds_what_was_put(void **state)
{
    fixture *f = *state;
    map m;
    map_init(&m, &f->a);
    assert_null(map_find(&m, 0));
    for (uint64_t i = 0; i < 5000; i++) *map_put(&m, i * 0x10001) = i;
    for (uint64_t i = 0; i < 5000; i++) assert_int_equal(*map_find(&m, i * 0x10001), i);
    assert_null(map_find(&m, 3));
    assert_int_equal(m.n, 5000);
}

static void symbols_are_equal_by_pointer(void **state)
{
    fixture *f = *state;
    sym_table t;
    sym_init(&t, &f->a);
    assert_null(sym_find_n(&t, "x", 1));
    sym x = sym_of(&t, "x");
    char name[16];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "v%d", i);
        assert_ptr_equal(sym_of(&t, name), sym_of_n(&t, name, strlen(name)));
    }
    assert_ptr_equal(x, sym_of_n(&t, "xyz", 1));
    assert_ptr_equal(x, sym_find_n(&t, "x", 1));
    assert_int_equal(sym_len(x), 1);
}

static void reals_read_back(void **state)
{
    fixture *f = *state;
    text t;
    text_init(&t, &f->m);
    const double some[] = {0.1,  1.0 / 3, 1e300,       5e-324,
                           -0.0, 9.81,    123456789.0, 2.2250738585072014e-308};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        text_clear(&t);
        text_real(&t, some[i]);
        assert_true(strtod(text_str(&t), NULL) == some[i]);
    }
    text_clear(&t);
    text_real(&t, 0.1);
    assert_string_equal(text_str(&t), "0.1");
    text_clear(&t);
    text_quoted(&t, "a\"b\\\n\x01");
    assert_string_equal(text_str(&t), "\"a\\\"b\\\\\\n\\u0001\"");
    text_done(&t);
}

static void messages_show_the_line(void **state)
{
    fixture *f = *state;
    source_set s;
    source_init(&s, &f->a);
    const char *one = "first\n", *two = "model \xC3\xA9\n  x = lamda;\n";
    source_add(&s, "one.mo", one, strlen(one));
    uint32_t base = source_add(&s, "two.mo", two, strlen(two))->base;
    uint32_t at = base + (uint32_t)(strstr(two, "lamda") - two);
    diag_sink d;
    diag_init(&d, &f->a);
    diag_error(&d, "M101", (span){at, at + 5}, "'%s' is not declared", "lamda");
    diag_note(&d, (span){base, base + 5}, "in this model");
    text t;
    text_init(&t, &f->m);
    diag_print_all(&d, &s, false, &t);
    assert_string_equal(text_str(&t), "two.mo:2:7: error: 'lamda' is not declared [M101]\n"
                                      "    2 |   x = lamda;\n"
                                      "      |       ^~~~~\n"
                                      "two.mo:1:1: note: in this model\n"
                                      "    1 | model \xC3\xA9\n"
                                      "      | ^~~~~\n");
    text_done(&t);
}

static void errors_beyond_the_limit_are_counted(void **state)
{
    fixture *f = *state;
    diag_sink d;
    diag_init(&d, &f->a);
    d.limit = 2;
    for (int i = 0; i < 5; i++) {
        diag_error(&d, "L001", (span){0}, "error %d", i);
        diag_note(&d, (span){0}, "note %d", i);
    }
    text t;
    text_init(&t, &f->m);
    diag_print_all(&d, NULL, false, &t);
    assert_string_equal(text_str(&t),
                        "error: error 0 [L001]\nnote: note 0\n"
                        "error: error 1 [L001]\nnote: note 1\n... and 3 more errors\n");
    text_done(&t);
}

static void nearest_name(void **state)
{
    (void)state;
    const char *names[] = {"lambda", "length", "x", "velocity"};
    assert_string_equal(diag_nearest("lamda", names, 4), "lambda");
    assert_string_equal(diag_nearest("velcoity", names, 4), "velocity");
    assert_string_equal(diag_nearest("X", names, 4), "x");
    assert_null(diag_nearest("temperature", names, 4));
}

/* The examples of FIPS 180-4 (NIST, Secure Hash Standard): "abc", two blocks, a million times "a";
 * and of no bytes at all. */
static void hashes_are_those_of_the_standard(void **state)
{
    (void)state;
    static const struct {
        const char *words, *hash;
        int times;
    } list[] = {
        {"abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", 1},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=", 1},
        {"aaaaaaaaaa", "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=", 100000},
        {"", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sha256 s;
        char out[SHA256_BASE64];
        sha256_init(&s);
        for (int k = 0; k < list[i].times; k++)
            sha256_add(&s, list[i].words, strlen(list[i].words));
        sha256_base64(&s, out);
        assert_string_equal(out, list[i].hash);
    }
}

// Numbers beyond the range of int64_t, where a plain conversion has no meaning.
static void whole_numbers_have_ends(void **state)
{
    (void)state;
    assert_true(whole_number(-3.9) == -3 && whole_number(3.9) == 3);
    assert_true(whole_number(9223372036854774784.0) == 9223372036854774784); // 2^63 - 1024
    assert_true(whole_number(9223372036854775808.0) == INT64_MAX);
    assert_true(whole_number(1e150) == INT64_MAX && whole_number(INFINITY) == INT64_MAX);
    assert_true(whole_number(-1e150) == INT64_MIN && whole_number(-INFINITY) == INT64_MIN);
    assert_true(whole_number(NAN) == 0);
}

/* ---- mem_cache ------------------------------------------------------------------------------- */

typedef struct counted { // blocks and bytes in use; no more than so many blocks are given
    int blocks, most;
    size_t bytes;
} counted;

static void *counted_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    counted *c = user;
    if (!p && c->blocks == c->most) return NULL;
    c->blocks += (p == NULL) - (new_bytes == 0);
    c->bytes += new_bytes - old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

static void a_cache_hands_out_again_what_it_has(void **state)
{
    (void)state;
    counted c = {.most = 3};
    mem m = {.resize = counted_resize, .user = &c};
    mem_cache cache;
    void *before = mem_try(&m, 10);
    mem_cache_init(&cache, &m);
    void *p = mem_try(&m, 100), *q = mem_try(&m, 50);
    mem_free(&m, p, 100);
    mem_free(&m, q, 50);
    assert_int_equal(c.blocks, 3); // they are kept
    assert_ptr_equal(mem_try(&m, 100), p);
    assert_ptr_equal(mem_try(&m, 50), q);
    mem_free(&m, q, 50);
    void *r = mem_try(&m, 51); // memory is short: what is kept is given back
    assert_non_null(r);
    assert_int_equal(c.bytes, 10 + 100 + 51);
    assert_null(mem_try(&m, 51));
    mem_free(&m, before, 10); // also what was there before
    mem_free(&m, r, 51);
    mem_cache_done(&cache, &m);
    mem_free(&m, p, 100);
    assert_int_equal(c.blocks, 0);
    assert_int_equal(c.bytes, 0);
}

/* What a cache hands out again has been written to. */
static void a_cache_clears_what_is_to_be_zero(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    mem m = mem_std();
    mem_cache cache;
    mem_cache_init(&cache, &m);
    for (int pass = 0; pass < 2; pass++) {
        unsigned char *p = mem_try_zeroed(&m, BYTES);
        assert_non_null(p);
        for (int i = 0; i < BYTES; i++) assert_int_equal(p[i], 0);
        memset(p, 0xa5, BYTES);
        mem_free(&m, p, BYTES);
    }
    mem_cache_done(&cache, &m);
    void *p = mem_try_zeroed(&m, 10); // by the one below again
    assert_non_null(p);
    mem_free(&m, p, 10);
}

/* ---- pages ----------------------------------------------------------------------------------- */

enum { PAGE_BLOCKS = 12, PAGE_STEP = 1000 };

typedef struct page_block {
    unsigned char *at, mark;
    size_t bytes;
} page_block;

static void fill_block(page_block *b, unsigned char mark)
{
    b->mark = mark;
    for (size_t i = 0; i < b->bytes; i += PAGE_STEP) b->at[i] = mark;
}

static void block_holds(const page_block *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += PAGE_STEP)
        if (b->at[i] != b->mark) fail_msg("byte %zu of %zu was changed", i, b->bytes);
}

/* Blocks of all sizes are taken, made larger and smaller and given back in any order: none is where another
 * is, none loses what it holds, and what is to be zero is. */
static void pages_are_used_again(void **state)
{
    (void)state;
    page_block blocks[PAGE_BLOCKS] = {0};
    pages kept;
    mem m = pages_mem(&kept, mem_std());
    uint64_t dice = 1;
    for (int step = 0; step < 600; step++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        page_block *b = &blocks[(dice >> 33) % PAGE_BLOCKS];
        size_t bytes = 1 + (size_t)(dice >> 40) % ((size_t)3 << 20) * (1 + (dice >> 20) % 2);
        if (step % 100 == 0) pages_keep(&kept, step % 300 != 0);
        if (!b->at) {
            b->bytes = bytes;
            b->at = m.zeroed(m.user, bytes, dice >> 62 == 0);
            assert_non_null(b->at);
            for (size_t i = 0; i < bytes; i += PAGE_STEP) assert_int_equal(b->at[i], 0);
        } else if (dice >> 63) {
            block_holds(b, b->bytes);
            b->at = m.resize(m.user, b->at, b->bytes, bytes);
            assert_non_null(b->at);
            block_holds(b, b->bytes < bytes ? b->bytes : bytes);
            b->bytes = bytes;
        } else {
            block_holds(b, b->bytes);
            mem_free(&m, b->at, b->bytes);
            *b = (page_block){0};
            continue;
        }
        fill_block(b, (unsigned char)(1 + step % 255));
    }
    for (int k = 0; k < PAGE_BLOCKS; k++) {
        if (!blocks[k].at) continue;
        block_holds(&blocks[k], blocks[k].bytes);
        mem_free(&m, blocks[k].at, blocks[k].bytes);
    }
    pages_keep(&kept, false);
    assert_int_equal(kept.n, 0);
    assert_null(mem_try(&m, SIZE_MAX - 5000));
    pages_done(&kept);
}

static size_t kept_bytes(const pages *p)
{
    size_t sum = 0;
    for (int i = 0; i < p->n; i++) sum += p->kept[i].bytes;
    return sum;
}

/* What is kept never adds to the most that is held: a block that malloc has no room for takes its place, and one
 * that it has had room for before does not. */
static void kept_pages_go_for_blocks_of_medium_size(void **state)
{
    (void)state;
    enum { LARGE = 4 << 20, MEDIUM = 1 << 18 };
    pages kept;
    mem m = pages_mem(&kept, mem_std());
    pages_keep(&kept, true);
    char *large = mem_try(&m, LARGE);
    assert_non_null(large);
    memset(large, 1, LARGE);
    mem_free(&m, large, LARGE);
    assert_int_equal(kept_bytes(&kept), LARGE);
    for (int round = 0; round < 2; round++) {
        char *a = mem_try(&m, MEDIUM), *b = m.zeroed(m.user, MEDIUM, false);
        assert_non_null(a);
        assert_non_null(b);
        assert_int_equal(kept_bytes(&kept), LARGE - 2 * MEDIUM);
        mem_free(&m, a, MEDIUM);
        mem_free(&m, b, MEDIUM);
    }
    char *small = mem_try(&m, 1000); // pages are not counted by them
    assert_int_equal(kept_bytes(&kept), LARGE - 2 * MEDIUM);
    mem_free(&m, small, 1000);
    pages_keep(&kept, false);
    pages_done(&kept);
}

/* An arena in another gives its large blocks back to it, and the other one gives back all the rest. */
static void an_arena_lives_in_another(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20 };
    counted c = {.most = 100};
    mem m = {.resize = counted_resize, .user = &c};
    arena outer;
    arena_init(&outer, &m);
    arena *inner = arena_inner(&outer);
    size_t before = c.bytes;
    for (int pass = 0; pass < 2; pass++) {
        unsigned char *p = arena_alloc(inner, LARGE);
        for (int i = 0; i < LARGE; i++) assert_int_equal(p[i], 0);
        memset(p, 0xa5, LARGE);
        p = arena_resize(inner, p, LARGE, 2 * LARGE); // what is new is zero
        for (int i = 0; i < LARGE; i++) assert_int_equal(p[LARGE + i], 0);
        assert_int_equal(p[LARGE - 1], 0xa5);
        p = arena_resize_raw(inner, p, 2 * LARGE, 3 * LARGE); // the old stays
        assert_int_equal(p[LARGE - 1], 0xa5);
        assert_true(c.bytes >= 3 * LARGE);
        arena_done(inner);
        assert_true(c.bytes < before + LARGE);
    }
    arena_done(&outer);
    assert_int_equal(c.blocks, 0);
}

/* Whoever is told that there is no memory is told how much was asked for, and at what. */
static void lack_of_memory_names_sizes_and_stage(void **state)
{
    (void)state;
    counted c = {.most = 1};
    watch_limits limits = {.below = {.resize = counted_resize, .user = &c}};
    mem m = watch_mem(&limits);
    watch w = {.limits = &limits};
    char words[WATCH_WORDS];
    watch_doing(&w, "flattening", "Rod");
    void *p = mem_try_zeroed(&m, 2000000);
    assert_non_null(p);
    assert_null(mem_try_zeroed(&m, 1500000000));
    assert_string_equal(watch_words(&w, WATCH_GOES_ON, words),
                        "out of memory: 2 MB were held and 1.5 GB more were asked for while "
                        "flattening 'Rod'");
    assert_null(mem_try(&m, 3000));
    assert_non_null(strstr(watch_words(&w, WATCH_GOES_ON, words), "3 kB more"));
    mem_free(&m, p, 2000000);
    watch_limit(&limits, 0, 1000); // a limit of one's own is another message
    assert_null(mem_try_zeroed(&m, 1001));
    assert_int_equal(limits.refused, 1001);
    assert_int_equal(limits.lacking, 0);
}

/* The fewest of 15, 16 and 17 digits that give the number back, as printf writes them, whichever way they are
 * found: numbers of few digits, numbers beside them, and numbers of any bits. */
/* From the smallest square of an error that sizes of steps are made of to the largest. */
static void roots_for_sizes_have_three_figures(void **state)
{
    (void)state;
    const double PART = 3.1e-4; // of the parabola of order 10, where the first guess is off by 4 %
    for (int k = 6; k <= 12; k++)
        for (double x = 1e-20; x < 1e20; x *= 1.0007) {
            double found = root_inverse_scaled(2, x, k), exact = 2 * pow(x, -1.0 / k);
            if (!(fabs(found / exact - 1) <= PART))
                fail_msg("%g to -1/%d: %.9g, not %.9g", x, k, found, exact);
        }
}

static void reals_have_the_fewest_digits(void **state)
{
    (void)state;
    mem m = mem_std();
    text t;
    text_init(&t, &m);
    uint64_t bits = 1;
    for (int i = 0; i < 30000; i++) {
        char written[40], expected[40];
        bits = hash_u64(bits);
        int digits = (int)(bits % 17) + 1, power = (int)(bits / 17 % 50) - 30;
        snprintf(written, sizeof written, "%s%.*se%d", bits & 1 << 20 ? "-" : "", digits,
                 &"12345678901234567"[bits / 1000 % 3], power);
        double x = strtod(written, NULL);
        if (i % 3 == 1) x = nextafter(x, 0);
        if (i % 3 == 2) memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        for (int n = 15; n <= 17; n++) {
            snprintf(expected, sizeof expected, "%.*g", n, x);
            if (strtod(expected, NULL) == x) break;
        }
        text_clear(&t);
        text_real(&t, x);
        assert_string_equal(text_str(&t), expected);
    }
    const double plain[] = {0,       -0.0, 1,    100,     1e14, 999999999999999, 1e15, 0.0001,
                            0.00012, 0.1,  1e-5, 1.5e-10, 1e22, 5e-324};
    const char *const words[] = {"0",
                                 "-0",
                                 "1",
                                 "100",
                                 "100000000000000",
                                 "999999999999999",
                                 "1e+15",
                                 "0.0001",
                                 "0.00012",
                                 "0.1",
                                 "1e-05",
                                 "1.5e-10",
                                 "1e+22",
                                 "4.94065645841247e-324"};
    for (int i = 0; i < 14; i++) {
        text_clear(&t);
        text_real(&t, plain[i]);
        assert_string_equal(text_str(&t), words[i]);
    }
    text_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_for_sizes_have_three_figures),
        cmocka_unit_test(reals_have_the_fewest_digits),
        cmocka_unit_test_setup_teardown(arena_is_zeroed_aligned_and_released, setup, teardown),
        cmocka_unit_test_setup_teardown(array_grows, setup, teardown),
        cmocka_unit_test_setup_teardown(array_push_evaluates_the_value_first, setup, teardown),
        cmocka_unit_test_setup_teardown(heap_gives_the_smallest_first, setup, teardown),
        cmocka_unit_test_setup_teardown(map_finds_what_was_put, setup, teardown),
        cmocka_unit_test_setup_teardown(symbols_are_equal_by_pointer, setup, teardown),
        cmocka_unit_test_setup_teardown(reals_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_show_the_line, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_beyond_the_limit_are_counted, setup, teardown),
        cmocka_unit_test(a_cache_hands_out_again_what_it_has),
        cmocka_unit_test(a_cache_clears_what_is_to_be_zero),
        cmocka_unit_test(pages_are_used_again),
        cmocka_unit_test(kept_pages_go_for_blocks_of_medium_size),
        cmocka_unit_test(an_arena_lives_in_another),
        cmocka_unit_test(lack_of_memory_names_sizes_and_stage),
        cmocka_unit_test(whole_numbers_have_ends),
        cmocka_unit_test(nearest_name),
        cmocka_unit_test(hashes_are_those_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
