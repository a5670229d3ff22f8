/* The lists to which something is added by one entry: every entry says what it is, no name occurs
 * twice, and help shows it. The kinds are those of docs/architecture.md, "To add a ...";
 * built-in functions have a test of their own (tests/unit/flat/builtin.c).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "method/method.h"
#include "plot/plot.h"
#include "target/target.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- what every list must hold to ------------------------------------------------------------ */

enum { ENTRIES_MOST = 200 };

typedef struct list {
    const char *kind;
    const char *name[ENTRIES_MOST], *summary[ENTRIES_MOST];
    int n;
} list;

static void add(list *l, const char *name, const char *summary)
{
    assert_true(l->n < ENTRIES_MOST);
    if (!name || !*name) fail_msg("%s %d has no name", l->kind, l->n);
    if (!summary || !*summary) fail_msg("%s '%s' has no summary", l->kind, name);
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->name[i], name))
            fail_msg("two of the kind %s are called '%s'", l->kind, name);
    l->name[l->n] = name;
    l->summary[l->n++] = summary;
}

/* What the command prints, the last one asked for. */
static const char *output_of(int argc, char **argv)
{
    static char printed[1 << 18];
    FILE *f = tmpfile();
    assert_non_null(f);
    fflush(stdout);
    int old = dup(1);
    assert_true(old >= 0 && dup2(fileno(f), 1) >= 0);
    int status = tool_run(argc, argv);
    fflush(stdout);
    dup2(old, 1);
    close(old);
    assert_int_equal(status, EXIT_DONE);
    rewind(f);
    printed[fread(printed, 1, sizeof printed - 1, f)] = 0;
    fclose(f);
    return printed;
}

/* Is the word in the text, and not a part of a longer one? */
static bool holds(const char *printed, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t n = strlen(word);
    for (const char *at = strstr(printed, word); at; at = strstr(at + 1, word))
        if ((at == printed || !strchr(letters, at[-1]) || !strchr(letters, *word)) &&
            (!at[n] || !strchr(letters, at[n])))
            return true;
    return false;
}

static void shown(const list *l, const char *printed)
{
    assert_true(l->n > 1);
    for (int i = 0; i < l->n; i++)
        if (!holds(printed, l->name[i]))
            fail_msg("help does not show the %s '%s'", l->kind, l->name[i]);
}

#define OUTPUT(...)                                                                                \
    output_of(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *), (char *[]){__VA_ARGS__, NULL})

/* ---- the command ----------------------------------------------------------------------------- */

static void commands(void **state)
{
    (void)state;
    list l = {.kind = "command"};
    for (const command *const *c = command_list; *c; c++) {
        add(&l, (*c)->name, (*c)->summary);
        assert_non_null((*c)->arguments);
        assert_non_null((*c)->run);
    }
    for (const help_topic *t = help_topics; t->name; t++) add(&l, t->name, "a topic of help");
    shown(&l, OUTPUT("vincolo", "help"));
}

static const option *find(const char *name, size_t n)
{
    for (const option *o = option_table; o->name; o++)
        if (strlen(o->name) == n && !strncmp(o->name, name, n)) return o;
    return NULL;
}

static void commands_take_options_that_exist(void **state)
{
    (void)state;
    for (const command *const *c = command_list; *c; c++)
        for (const char *p = (*c)->options; p && *p;) {
            size_t n = strcspn(p, " ");
            const option *o = find(p, n);
            if (!o) fail_msg("'%s' takes '%.*s', which is no option", (*c)->name, (int)n, p);
            if (o->common) fail_msg("'%s' lists %s, which all take", (*c)->name, o->name);
            p += n + (p[n] == ' ');
            size_t length = strlen(o->name);
            for (const char *q = strstr(p, o->name); q; q = strstr(q + 1, o->name))
                if (q[-1] == ' ' && (q[length] == ' ' || !q[length]))
                    fail_msg("'%s' lists %s twice", (*c)->name, o->name);
        }
}

static void options_are_taken_by_a_command(void **state)
{
    (void)state;
    list l = {.kind = "option"};
    char room[OPTION_TEXT_BYTES];
    for (const option *o = option_table; o->name; o++) {
        add(&l, o->name, option_help(o, room));
        const char *value = option_value(o, room);
        assert_int_equal(value != NULL && *value, o->kind != OPTION_FLAG);
        int n = 0;
        for (const command *const *c = command_list; *c; c++) {
            if (!option_belongs(o, *c)) continue;
            n++;
            char name[32];
            snprintf(name, sizeof name, "%s", (*c)->name);
            if (!strstr(OUTPUT("vincolo", "help", name), o->name))
                fail_msg("'help %s' does not show %s", name, o->name);
        }
        if (!n) fail_msg("no command takes %s", o->name);
    }
}

/* ---- the library ----------------------------------------------------------------------------- */

static void formulations(void **state)
{
    (void)state;
    list l = {.kind = "formulation"};
    for (int i = 0; vinc_formulation(i); i++)
        add(&l, vinc_formulation(i), vinc_formulation_summary(i));
    shown(&l, OUTPUT("vincolo", "help", "formulations"));
    shown(&l, OUTPUT("vincolo", "help", "run")); // --formulation
}

static void preconditioners(void **state)
{
    (void)state;
    list l = {.kind = "preconditioner"};
    for (int i = 0; vinc_preconditioner(i); i++)
        add(&l, vinc_preconditioner(i), vinc_preconditioner_summary(i));
    shown(&l, OUTPUT("vincolo", "help", "linear"));
}

static void methods(void **state)
{
    (void)state;
    list l = {.kind = "method"};
    for (const vinc_method *const *m = vinc_methods; *m; m++) add(&l, (*m)->name, (*m)->summary);
    for (int i = 0; i < l.n; i++) assert_string_equal(l.name[i], vinc_method_name(i));
    assert_null(vinc_method_name(l.n));
    shown(&l, OUTPUT("vincolo", "method"));
}

static void formats(void **state)
{
    (void)state;
    list results = {.kind = "format of results"}, figures = {.kind = "format of figures"};
    vinc_file_format f;
    for (int i = 0; !vinc_result_format(i, &f); i++) {
        add(&results, f.ending, f.summary);
        assert_true(result_formats[i]->rows && result_formats[i]->parse);
    }
    for (int i = 0; !vinc_figure_format(i, &f); i++) {
        add(&figures, f.ending, f.summary);
        assert_int_equal(!plot_formats[i]->canvas && !plot_formats[i]->chart, f.results_only);
    }
    shown(&results, OUTPUT("vincolo", "help", "run")); // --out
    shown(&figures, OUTPUT("vincolo", "help", "run")); // --plot
    assert_int_equal(vinc_result_format(-1, &f), VINC_E_OPTION);
    assert_int_equal(vinc_figure_format(-1, &f), VINC_E_OPTION);
}

static void targets(void **state)
{
    (void)state;
    list l = {.kind = "target"};
    for (const tape_target *const *t = tape_targets; *t; t++) add(&l, (*t)->name, (*t)->summary);
}

static void analyses(void **state)
{
    (void)state;
    list l = {.kind = "analysis"};
    const char *printed = OUTPUT("vincolo", "help", "reports");
    for (int i = 0; vinc_report_name(i); i++) {
        add(&l, vinc_report_name(i), vinc_report_summary(i));
        if (!strstr(printed, vinc_report_command(i)))
            fail_msg("help does not show the report of '%s'", vinc_report_command(i));
    }
    assert_true(l.n > 5);
}

static void stages_can_be_dumped(void **state)
{
    (void)state;
    list l = {.kind = "stage"};
    for (int i = 0; vinc_dump_stage(i); i++) add(&l, vinc_dump_stage(i), "a stage");
    shown(&l, OUTPUT("vincolo", "help", "check")); // --dump
    for (int i = 0; i < l.n; i++) {
        char dump[40];
        snprintf(dump, sizeof dump, "--dump=%s", l.name[i]);
        const char *printed =
            OUTPUT("vincolo", "check", VINCOLO_ROOT "/examples/pendulum/model.mo", dump);
        if (!strstr(printed, "Pendulum") && !strstr(printed, "formulation"))
            fail_msg("%s prints '%.80s'", dump, printed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands),
        cmocka_unit_test(commands_take_options_that_exist),
        cmocka_unit_test(formulations),
        cmocka_unit_test(preconditioners),
        cmocka_unit_test(options_are_taken_by_a_command),
        cmocka_unit_test(methods),
        cmocka_unit_test(formats),
        cmocka_unit_test(targets),
        cmocka_unit_test(stages_can_be_dumped),

        cmocka_unit_test(analyses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
