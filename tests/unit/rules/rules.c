/* Every rule of rules/rule_list.h, held against models that keep it and models that do not:
 * cases/<name>.mo. A top-level model Legal... flattens without a word about the rule; of a model
 * Illegal... the first error is that of the rule, and of a model Lenient... the first warning about
 * a rule. Every rule has both sides, and its line in docs/messages/rules.md.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "flatten/flatten.h"
#include "rules/rule_list.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *code, *name, *severity, *section, *sentence;
} list[] = {
#define X(id, code, name, severity, section, sentence, way_out)                                    \
    {code, name, #severity, section, sentence},
    RULES(X)
#undef X
};
enum { N_RULES = sizeof list / sizeof *list };

typedef struct fixture {
    mem m;
    arena front, model;
    sym_table syms;
    diag_sink diags;
    lang_library lib;
} fixture;

static bool fixture_open(fixture *f, const char *path)
{
    f->m = mem_std();
    arena_init(&f->front, &f->m);
    arena_init(&f->model, &f->m);
    sym_init(&f->syms, &f->model);
    diag_init(&f->diags, &f->model);
    lang_library_init(&f->lib, &f->model, &f->front, &f->syms, &f->diags);
    return lang_open(&f->lib, path) == 0;
}

static void fixture_drop(fixture *f)
{
    arena_done(&f->front);
    arena_done(&f->model);
}

static const diag *first_of(const diag_sink *s, diag_severity severity, const char *code)
{
    const diag *d = s->first;
    while (d && (d->severity != severity || strncmp(d->code, code, strlen(code)))) d = d->next;
    return d;
}

/* The verdict on one model. */
static void judge(const fixture *f, int r, const char *name, bool flat)
{
    const diag *error = first_of(&f->diags, DIAG_ERROR, "");
    const diag *warning = first_of(&f->diags, DIAG_WARNING, "G");
    if (!strncmp(name, "Illegal", 7)) {
        if (flat || !error) fail_msg("%s: %s is accepted", list[r].name, name);
        if (strcmp(error->code, list[r].code))
            fail_msg("%s: %s: %s [%s]", list[r].name, name, error->text, error->code);
        if (!error->at.begin) fail_msg("%s: %s: no place", list[r].name, name);
        if (!error->notes || !strstr(error->notes->text, list[r].sentence))
            fail_msg("%s: %s: the rule is not named", list[r].name, name);
        return;
    }
    if (!flat) fail_msg("%s: %s: %s", list[r].name, name, error ? error->text : "no message");
    if (strncmp(name, "Lenient", 7)) {
        if (warning) fail_msg("%s: %s: %s", list[r].name, name, warning->text);
    } else if (!warning || strcmp(warning->code, list[r].code)) {
        fail_msg("%s: %s: no warning", list[r].name, name);
    }
}

static void every_rule_has_two_sides(void **state)
{
    (void)state;
    for (int r = 0; r < N_RULES; r++) {
        char path[300];
        snprintf(path, sizeof path, VINCOLO_ROOT "/tests/unit/rules/cases/%s.mo", list[r].name);
        int kept = 0, broken = 0;
        for (int i = 0;; i++) { // each model with a library of its own
            fixture f;
            if (!fixture_open(&f, path))
                fail_msg("%s: %s", path, f.diags.first ? f.diags.first->text : "cannot be read");
            const sym *names;
            int n = lang_top_names(&f.lib, &names);
            if (i >= n) {
                fixture_drop(&f);
                break;
            }
            bool legal = !strncmp(names[i], "Legal", 5), lenient = !strncmp(names[i], "Lenient", 7),
                 illegal = !strncmp(names[i], "Illegal", 7);
            if (legal || illegal || lenient) {
                ast_class *c = lang_top(&f.lib, names[i]);
                flat_model *m = flat_build(&f.lib, c, NULL, 0, &f.model, &f.front, &f.diags);
                judge(&f, r, names[i], m != NULL);
                kept += legal;
                broken += illegal || lenient;
            }
            fixture_drop(&f);
        }
        if (!kept || !broken) fail_msg("%s: needs a model Legal and one Illegal", list[r].name);
    }
}

/* Code, name and section of each rule stand in one line of the page, and codes only once. */
static void every_rule_is_documented(void **state)
{
    (void)state;
    FILE *page = fopen(VINCOLO_ROOT "/docs/messages/rules.md", "r");
    assert_non_null(page);
    int found[N_RULES] = {0}, lines = 0;
    char line[2000];
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "| G", 3)) continue;
        lines++;
        for (int r = 0; r < N_RULES; r++) {
            char start[200];
            snprintf(start, sizeof start, "| %s | %s | %s |", list[r].code, list[r].name,
                     list[r].section);
            found[r] += !strncmp(line, start, strlen(start));
        }
    }
    fclose(page);
    for (int r = 0; r < N_RULES; r++)
        if (found[r] != 1)
            fail_msg("docs/messages/rules.md: %d lines '| %s | %s | %s |'", found[r], list[r].code,
                     list[r].name, list[r].section);
    assert_int_equal(lines, N_RULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_two_sides),
        cmocka_unit_test(every_rule_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
