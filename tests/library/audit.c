/* What every component of lib/Vincolo must have: a sentence that says what it does, a place in the
 * manual, a test that uses it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "walk.h"

#include <ctype.h>

static void described(void **state)
{
    walk *w = *state;
    int missing = 0;
    for (int k = 0; k < w->classes.n; k++) {
        ast_class *c = w->classes.at[k];
        if (*lang_string(&w->a, c->comment)) continue;
        print_error("%s has no description\n", lang_class_path(c, &w->a));
        missing++;
    }
    assert_int_equal(missing, 0);
    assert_true(w->classes.n > 150);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool contains_word(const char *in, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = in; (at = strstr(at, word)); at++)
        if ((at == in || !is_word(at[-1])) && !is_word(at[n])) return true;
    return false;
}

/* The manual's table has a row for every package; each component stands in the row of its own. */
static void listed(void **state)
{
    walk *w = *state;
    char *manual = walk_file(VINCOLO_ROOT "/docs/library.md");
    int missing = 0;
    for (int k = 0; k < w->classes.n; k++) {
        ast_class *c = w->classes.at[k];
        if (!walk_is_component(c)) continue;
        const char *package = lang_class_path(c->parent, &w->a) + strlen("Vincolo.");
        char start[100];
        snprintf(start, sizeof start, "| `%s` |", package);
        char *row = strstr(manual, start), *end = row ? strchr(row, '\n') : NULL;
        if (row && !end) end = row + strlen(row);
        char kept = end ? *end : 0;
        if (end) *end = 0;
        if (!row || !contains_word(row, c->name)) {
            print_error("docs/library.md does not name %s.%s\n", package, c->name);
            missing++;
        }
        if (end) *end = kept;
    }
    test_free(manual);
    assert_int_equal(missing, 0);
}

/* Models with known answers, by the package whose components they are made of. Names occur in them
 * as they do in any model: after an import of their package, or in full. */
static const struct {
    const char *package, *files;
} tests[] = {
    {"Vincolo.Rotations", "models.mo closed/rotations.mo closed/integrals.mo"},
    {"Vincolo.Formulas", "closed/integrals.mo"},
    {"Vincolo.Blocks", "closed/blocks.mo"},
    {"Vincolo.Electrical", "closed/electrical.mo"},
    {"Vincolo.Mechanics.Translational", "closed/translational.mo"},
    {"Vincolo.Mechanics.Rotational", "closed/rotational.mo"},
    {"Vincolo.Mechanics.Planar", "closed/planar.mo"},
    {"Vincolo.Mechanics.Spatial", "closed/spatial.mo"},
    {"Vincolo.Hydraulic", "closed/hydraulic.mo"},
    {"Vincolo.Thermal", "closed/thermal.mo"},
    {"Vincolo.FMI", "../import/import_component.c"},
    {"Vincolo.Balance",
     "closed/thermal.mo closed/integrals.mo ../../examples/systems/theorems/model.mo"},
};

static bool used(const char *files, const char *name)
{
    char file[100], path[600];
    bool found = false;
    for (int n; !found && sscanf(files, "%99s%n", file, &n) == 1; files += n) {
        snprintf(path, sizeof path, VINCOLO_ROOT "/tests/library/%s", file);
        char *words = walk_file(path);
        found = contains_word(words, name);
        test_free(words);
    }
    return found;
}

/* Functions that serve the components beside them are tested with those. */
static bool is_helper(const ast_class *c)
{
    return c->restriction == AST_R_FUNCTION && strcmp(c->parent->name, "Rotations") &&
           strcmp(c->parent->name, "Balance");
}

static void tested(void **state)
{
    walk *w = *state;
    int missing = 0;
    for (int k = 0; k < w->classes.n; k++) {
        ast_class *c = w->classes.at[k];
        if (!walk_is_component(c) || is_helper(c)) continue;
        const char *package = lang_class_path(c->parent, &w->a);
        size_t i = 0;
        while (i < sizeof tests / sizeof *tests && strcmp(tests[i].package, package)) i++;
        if (i < sizeof tests / sizeof *tests && used(tests[i].files, c->name)) continue;
        print_error("no test with a known answer uses %s.%s\n", package, c->name);
        missing++;
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(described), cmocka_unit_test(listed),
                                     cmocka_unit_test(tested)};
    return cmocka_run_group_tests(all, walk_begin, walk_end);
}
