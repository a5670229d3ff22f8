/* Unit tests of src/told: a small struct, its text, its JSON, its copy.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "fail_mem.h"
#include "json_read.h"
#include "told/told.h"

typedef struct leg {
    const char *name;
    double length;
    int n;
    const double *angle;
} leg;

typedef struct spider {
    vinc_report *report;
    const char *name, *home; // home may be NULL
    int legs, eyes;          // eyes: -1: not counted
    long age;
    int hungry;
    double weight, speed;
    int n_prey;
    const char *const *prey;
    const leg *leg;
    double x, y;
    const double *re, *im;
    const double *web; // legs by 2
    int two;
    int few[2];
} spider;

static const told_field leg_fields[] = {
    TOLD(leg, WORD, "name", name),
    TOLD(leg, REAL, "length", length),
    TOLD_LIST(leg, REALS, "angle", angle, n),
    {0},
};

static const told_field place_fields[] = {
    TOLD(spider, WORD, "home", home),
    TOLD(spider, PAIR, "at", x, .also = offsetof(spider, y)),
    {0},
};

#define FIELD(...) TOLD(spider, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(spider, __VA_ARGS__)
static const told_field spider_fields[] = {
    FIELD(WORD, "name", name),
    TOLD_IN("place", place_fields),
    FIELD(INT, "legs", legs),
    FIELD(INDEX, "eyes", eyes),
    FIELD(LONG, "age", age),
    FIELD(BOOL, "hungry", hungry),
    FIELD(REAL, "weight", weight),
    FIELD(REAL, "speed", speed, .when = "hungry"),
    FIELD(REAL, "dash", speed, .when = "hungry", .flags = TOLD_OR_NULL),
    FIELD(REAL, "crawl", speed, .unless = "hungry"),
    LIST(WORDS, "prey", prey, n_prey),
    LIST(ROWS, "leg", leg, legs, .size = sizeof(leg), .inside = leg_fields),
    LIST(PAIRS, "roots", re, legs, .also = offsetof(spider, im)),
    LIST(MATRIX, "web", web, legs, .columns = offsetof(spider, two)),
    LIST(VALUES, "weights", prey, n_prey, .also = offsetof(spider, re), .flags = TOLD_BULKY),
    FIELD(FEW, "few", few, .size = 2),
    FIELD(INT, "two", two, .flags = TOLD_HIDDEN),
    {0},
};

static void say_web(const void *told, vinc_format format, text *o)
{
    const spider *s = told;
    if (format == VINC_TEXT_ALL) text_printf(o, "web %g", s->web[0]);
}

static const told_line leg_lines[] = {
    {.words = "{name} {length:%.2f} ({angle:%g;/})"},
    {0},
};

static const told_line spider_lines[] = {
    {.words = "{name} of {place.home|nowhere}: {legs} leg{legs?|s}, {eyes|some} eyes\n"},
    {.words = "{hungry?eats|leaves} {prey|nothing}\n"},
    {.words = "weighs {weight:%.1f}\n", .when = "weight"},
    {.words = "age unknown\n", .unless = "age"},
    {.of = "leg", .inside = leg_lines, .between = "; "},
    {.say = say_web},
    {0},
};

static const told_kind spider_kind = {
    .name = "spider", .size = sizeof(spider), .fields = spider_fields, .lines = spider_lines};

static const double angles[] = {1, 2, 3}, re[] = {1, 2}, im[] = {0, -0.5}, web[] = {1, 2, 3, 4};
static const char *const prey[] = {"a \"fly\"", "moth"};
static const leg two_legs[] = {{"left", 1.5, 3, angles}, {"right", 0.25, 0, NULL}};

static spider example(void)
{
    return (spider){.name = "Ann",
                    .legs = 2,
                    .eyes = -1,
                    .age = 0,
                    .hungry = 1,
                    .weight = NAN,
                    .speed = 0.1,
                    .n_prey = 2,
                    .prey = prey,
                    .leg = two_legs,
                    .x = 1,
                    .y = INFINITY,
                    .re = re,
                    .im = im,
                    .web = web,
                    .two = 2,
                    .few = {7, 0}};
}

static void words(void **state)
{
    (void)state;
    mem m = mem_std();
    spider s = example(), *kept = NULL;
    assert_int_equal(told_keep(&m, &spider_kind, &s, &kept), VINC_OK);
    assert_string_equal(vinc_report_text(kept, VINC_TEXT),
                        "Ann of nowhere: 2 legs, some eyes\neats a \"fly\", moth\nage unknown\n"
                        "left 1.50 (1/2/3); right 0.25 ()");
    assert_non_null(strstr(vinc_report_text(kept, VINC_TEXT_ALL), "()web 1"));
    // Rendered once, kept: the same text.
    assert_ptr_equal(vinc_report_text(kept, VINC_TEXT), vinc_report_text(kept, VINC_TEXT));
    vinc_report_free(kept);
    s.legs = 1;
    s.home = "a cellar";
    s.eyes = 8;
    s.age = 3;
    s.hungry = s.n_prey = 0;
    s.weight = 0.04;
    assert_int_equal(told_keep(&m, &spider_kind, &s, &kept), VINC_OK);
    assert_string_equal(vinc_report_text(kept, VINC_TEXT),
                        "Ann of a cellar: 1 leg, 8 eyes\nleaves nothing\nweighs 0.0\n"
                        "left 1.50 (1/2/3)");
    vinc_report_free(kept);
}

static void object(void **state)
{
    (void)state;
    mem m = mem_std();
    spider s = example(), *kept = NULL;
    assert_int_equal(told_keep(&m, &spider_kind, &s, &kept), VINC_OK);
    assert_string_equal(
        vinc_report_text(kept, VINC_JSON),
        "{\"name\": \"Ann\", \"place\": {\"home\": null, \"at\": [1, null]}, \"legs\": 2, "
        "\"eyes\": null, \"age\": 0, \"hungry\": true, \"weight\": null, \"speed\": 0.1, "
        "\"dash\": 0.1, \"prey\": [\"a \\\"fly\\\"\", \"moth\"], \"leg\": [{\"name\": \"left\", "
        "\"length\": 1.5, \"angle\": [1, 2, 3]}, {\"name\": \"right\", \"length\": 0.25, "
        "\"angle\": []}], \"roots\": [[1, 0], [2, -0.5]], \"web\": [[1, 3], [2, 4]], "
        "\"weights\": {\"a \\\"fly\\\"\": 1, \"moth\": 2}, \"few\": [7, 0]}\n");
    text page;
    text_init(&page, &m);
    told_json_page(&spider_kind, kept, &page);
    json_is_whole(text_str(&page));
    assert_null(json_find(text_str(&page), "weights"));
    assert_non_null(json_find(text_str(&page), "few"));
    text_done(&page);
    vinc_report_free(kept);
    s.hungry = 0;
    assert_int_equal(told_keep(&m, &spider_kind, &s, &kept), VINC_OK);
    const char *doc = vinc_report_text(kept, VINC_JSON);
    assert_null(json_find(doc, "speed"));
    assert_true(isnan(json_number(doc, "dash")));
    assert_near(json_number(doc, "crawl"), 0.1, 0);
    vinc_report_free(kept);
}

static void copy_is_its_own(void **state)
{
    (void)state;
    mem m = mem_std();
    spider s = example(), *kept = NULL;
    char name[] = "Ann";
    leg legs[2] = {two_legs[0], two_legs[1]};
    s.name = name;
    s.leg = legs;
    assert_int_equal(told_keep(&m, &spider_kind, &s, &kept), VINC_OK);
    memset(name, 'x', sizeof name - 1);
    memset(legs, 0, sizeof legs);
    assert_string_equal(kept->name, "Ann");
    assert_string_equal(kept->leg[1].name, "right");
    assert_near(kept->leg[0].angle[2], 3, 0);
    assert_ptr_not_equal(kept->web, web);
    vinc_report_free(kept);
}

static void keys(void **state)
{
    (void)state;
    static const char *const expected[] = {"name", "place", "place.home", "place.at", "legs"};
    char key[40];
    for (int k = 0; k < 5; k++) {
        assert_true(told_key(&spider_kind, k, key, sizeof key));
        assert_string_equal(key, expected[k]);
    }
    int n = 0;
    bool leg_length = false;
    for (; told_key(&spider_kind, n, key, sizeof key); n++)
        leg_length |= !strcmp(key, "leg[].length");
    assert_true(leg_length);
    assert_int_equal(n, 21);
    char small[8];
    assert_true(told_key(&spider_kind, 2, small, sizeof small));
    assert_string_equal(small, "place.h");
    assert_false(told_key(&spider_kind, -1, key, sizeof key));
}

/* The k-th allocation fails, for every k: nothing is left, and what can be read is whole or "". */
static void every_allocation(void **state)
{
    (void)state;
    for (long k = 1;; k++) {
        fail_mem f;
        fail_mem_init(&f, k);
        spider s = example(), *kept = NULL;
        int rc = told_keep(&f.m, &spider_kind, &s, &kept);
        assert_true(rc == VINC_E_MEMORY ? !kept : kept != NULL);
        const char *doc = vinc_report_text(kept, VINC_JSON);
        if (*doc) json_is_whole(doc);
        vinc_report_free(kept);
        assert_int_equal(f.live, 0);
        if (f.calls < k) break;
    }
}

static void nothing_is_accepted(void **state)
{
    (void)state;
    assert_string_equal(vinc_report_text(NULL, VINC_JSON), "");
    vinc_report_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(object),
        cmocka_unit_test(copy_is_its_own),
        cmocka_unit_test(keys),
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(nothing_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
