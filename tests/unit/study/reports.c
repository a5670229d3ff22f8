/* Every kind of report: its description holds together, its struct and its JSON say the same, and
 * it outlives what it was made from.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "json_read.h"
#include "session.h"

#include "study/study.h"

/* ---- descriptions ---------------------------------------------------------------------------- */

static void key_exists(const told_kind *kind, const told_field *fields, const char *key, size_t n)
{
    if (key && !told_find(fields, key, n, NULL))
        fail_msg("%s: there is no field '%.*s'", kind->name, (int)n, key);
}

static void conditions_exist(const told_kind *kind, const told_field *fields, const char *when,
                             const char *unless)
{
    if (when) key_exists(kind, fields, when, strlen(when));
    if (unless) key_exists(kind, fields, unless, strlen(unless));
}

static void fields_hold(const told_kind *kind, const told_field *fields, size_t size)
{
    for (const told_field *f = fields; f->key; f++) {
        conditions_exist(kind, fields, f->when, f->unless);
        assert_true(f->at < size && f->also < size && f->count < size && f->columns < size);
        if (f->type == TOLD_ROWS) fields_hold(kind, f->inside, f->size);
        else if (f->inside) fields_hold(kind, f->inside, size - f->at);
        for (const told_field *g = f + 1; g->key; g++)
            if (!strcmp(f->key, g->key)) fail_msg("%s: key '%s' twice", kind->name, f->key);
    }
}

static void lines_hold(const told_kind *kind, const told_field *fields, const told_line *lines)
{
    for (const told_line *l = lines; l->words || l->say || l->inside; l++) {
        conditions_exist(kind, fields, l->when, l->unless);
        for (const char *at = l->words; at && (at = strchr(at, '{')); at++)
            key_exists(kind, fields, at + 1, strcspn(at + 1, ":;|?}"));
        if (!l->inside) continue;
        if (l->of) key_exists(kind, fields, l->of, strlen(l->of));
        lines_hold(kind, l->of ? told_find(fields, l->of, strlen(l->of), NULL)->inside : fields,
                   l->inside);
    }
}

static void descriptions_hold_together(void **state)
{
    (void)state;
    for (const told_kind *const *k = study_kinds; *k; k++) {
        assert_true((*k)->name && (*k)->command && (*k)->summary && (*k)->lines);
        fields_hold(*k, (*k)->fields, (*k)->size);
        lines_hold(*k, (*k)->fields, (*k)->lines);
        if ((*k)->document) key_exists(*k, (*k)->fields, (*k)->document, strlen((*k)->document));
        conditions_exist(*k, (*k)->fields, (*k)->alone, NULL);
    }
}

/* docs/reports.md names every kind, its command and every key. */
static void documented(void **state)
{
    (void)state;
    FILE *f = fopen(VINCOLO_ROOT "/docs/reports.md", "r");
    assert_non_null(f);
    static char page[200000];
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    for (int i = 0; vinc_report_name(i); i++) {
        char title[80], key[80], quoted[90];
        snprintf(title, sizeof title, "## vinc_%s", vinc_report_name(i));
        const char *section = strstr(page, title);
        if (!section) fail_msg("docs/reports.md has no section '%s'", title);
        const char *end = strstr(section + 1, "\n## ");
        for (int k = 0; vinc_report_key(i, k, key, sizeof key); k++) {
            snprintf(quoted, sizeof quoted, "`%s`", key);
            const char *at = strstr(section, quoted);
            if (!at || (end && at > end)) fail_msg("'%s' does not name %s", title, quoted);
        }
    }
}

/* ---- structs and JSON ------------------------------------------------------------------------ */

#define AT(T, told, offset) (*(const T *)(const void *)((const char *)(told) + (offset)))

static int numbers; // compared so far

static void same_number(const char *doc, const char *path, double x)
{
    double y = json_number(doc, path);
    numbers++;
    if (isfinite(x) ? x != y : !isnan(y)) fail_msg("%s: %.17g in the struct, %.17g", path, x, y);
}

static void same_word(const char *doc, const char *path, const char *s)
{
    const char *at = json_find(doc, path);
    if (!at) fail_msg("there is no %s", path);
    if (!s) {
        assert_memory_equal(at, "null", 4);
        return;
    }
    mem m = mem_std();
    text quoted;
    text_init(&quoted, &m);
    text_quoted(&quoted, s);
    if (strncmp(at, text_str(&quoted), quoted.n)) fail_msg("%s: %.100s is not %s", path, at, s);
    text_done(&quoted);
}

static void length_is(const char *doc, const char *path, int n)
{
    char last[300];
    snprintf(last, sizeof last, "%s[%d]", path, n);
    assert_null(json_find(doc, last));
    snprintf(last, sizeof last, "%s[%d]", path, n - 1);
    if (n > 0) assert_non_null(json_find(doc, last));
}

static bool left_out(const told_field *fields, const told_field *f, const void *told)
{
    return (f->when && !told_is_there(fields, f->when, told)) ||
           (f->unless && told_is_there(fields, f->unless, told));
}

static void same_fields(const told_field *fields, const void *told, const char *doc,
                        const char *prefix);

static void same_list(const told_field *f, const void *told, const char *doc, const char *path)
{
    int n = AT(int, told, f->count);
    char entry[300];
    if (f->type != TOLD_VALUES) length_is(doc, path, n);
    for (int i = 0; i < n; i++) {
        snprintf(entry, sizeof entry, "%s[%d]", path, i);
        switch (f->type) {
        case TOLD_WORDS: same_word(doc, entry, AT(char *const *, told, f->at)[i]); break;
        case TOLD_REALS: same_number(doc, entry, AT(double *, told, f->at)[i]); break;
        case TOLD_INTS: same_number(doc, entry, AT(int *, told, f->at)[i]); break;
        case TOLD_ROWS:
            same_fields(f->inside, AT(char *, told, f->at) + (size_t)i * f->size, doc, entry);
            break;
        case TOLD_MATRIX:
            for (int k = 0; k < AT(int, told, f->columns); k++) {
                snprintf(entry, sizeof entry, "%s[%d][%d]", path, i, k);
                same_number(doc, entry, AT(double *, told, f->at)[i + k * n]);
            }
            break;
        case TOLD_PAIRS:
            snprintf(entry, sizeof entry, "%s[%d][0]", path, i);
            same_number(doc, entry, AT(double *, told, f->at)[i]);
            snprintf(entry, sizeof entry, "%s[%d][1]", path, i);
            same_number(doc, entry, AT(double *, told, f->also)[i]);
            break;
        default: { // values by name; names may hold dots and brackets
            const char *name = AT(char *const *, told, f->at)[i];
            const char *at = json_member(json_find(doc, path), name, strlen(name));
            assert_non_null(at);
            same_number(at, "", AT(double *, told, f->also)[i]);
        }
        }
    }
}

static void same_fields(const told_field *fields, const void *told, const char *doc,
                        const char *prefix)
{
    for (const told_field *f = fields; f->key; f++) {
        char path[300];
        if (f->flags & TOLD_HIDDEN) continue;
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", f->key);
        if (f->type == TOLD_INLINE) {
            if (!left_out(fields, f, told))
                same_fields(f->inside, (const char *)told + f->at, doc, prefix);
            continue;
        }
        if (left_out(fields, f, told)) {
            if (f->flags & TOLD_OR_NULL) assert_true(isnan(json_number(doc, path)));
            continue;
        }
        switch (f->type) {
        case TOLD_WORD: same_word(doc, path, AT(char *, told, f->at)); break;
        case TOLD_REAL: same_number(doc, path, AT(double, told, f->at)); break;
        case TOLD_LONG: same_number(doc, path, (double)AT(long, told, f->at)); break;
        case TOLD_INT: same_number(doc, path, AT(int, told, f->at)); break;
        case TOLD_BOOL:
        case TOLD_INDEX: {
            int x = AT(int, told, f->at);
            same_number(doc, path, x < 0 ? NAN : x);
            break;
        }
        case TOLD_OBJECT: same_fields(f->inside, told, doc, path); break;
        case TOLD_FEW: length_is(doc, path, (int)f->size); break;
        case TOLD_PAIR:
            snprintf(path + strlen(path), 4, "[0]");
            same_number(doc, path, AT(double, told, f->at));
            break;
        default: same_list(f, told, doc, path);
        }
    }
}

/* The struct against its JSON text, then free it. */
static void agrees(const told_kind *kind, void *told, int at_least)
{
    const char *doc = vinc_report_text(told, VINC_JSON);
    json_is_whole(doc);
    assert_true(*vinc_report_text(told, VINC_TEXT));
    numbers = 0;
    const void *holder = told;
    if (kind->document) {
        told_field f = *told_find(kind->fields, kind->document, strlen(kind->document), &holder);
        if (kind->alone && told_is_there(kind->fields, kind->alone, told))
            same_fields(f.inside, AT(void *, told, f.at), doc, "");
        else same_list(&f, told, doc, "");
    } else {
        same_fields(kind->fields, told, doc, "");
    }
    if (numbers < at_least) fail_msg("%s: only %d numbers were compared", kind->name, numbers);
    vinc_report_free(told);
}

static void structs_and_json_agree(void **state)
{
    (void)state;
    session p = session_begin(pendulum), o = session_begin(oscillator);
    vinc_check *check = NULL;
    done(p, vinc_check_of(p.model, &check));
    agrees(&study_check, check, 12);
    vinc_mechanics *mechanics = NULL;
    done(p, vinc_mechanics_of(p.model, &mechanics));
    agrees(&study_mechanics, mechanics, 12);
    session g = session_begin(region);
    vinc_region *integrals = NULL;
    done(g, vinc_region_of(g.model, 0.5, 0, &integrals));
    agrees(&study_region, integrals, 60);
    session_done(&g);
    vinc_sim *sim = NULL;
    vinc_run *run = NULL;
    done(p, vinc_sim_new(p.model, &(vinc_sim_options){.verify = 1}, &sim));
    assert_int_equal(vinc_run_of(sim, &run), VINC_E_OPTION); // it has not run
    assert_null(run);
    done(p, vinc_sim_run(sim));
    done(p, vinc_run_of(sim, &run));
    agrees(&study_run, run, 25);
    vinc_sim_free(sim);
    vinc_sim_options fixed = {.method = "rk4", .step = 0.1};
    vinc_convergence *convergence = NULL;
    done(p, vinc_convergence_of(p.model, &(vinc_convergence_options){.run = &fixed, .vars = "x,y"},
                                &convergence));
    agrees(&study_convergence, convergence, 30);
    vinc_contractivity *contractivity = NULL;
    done(p, vinc_contractivity_of(p.model, &(vinc_contractivity_options){.run = &fixed},
                                  &contractivity));
    agrees(&study_contractivity, contractivity, 20);
    vinc_comparison *comparison = NULL;
    done(p, vinc_comparison_of(
                p.model,
                &(vinc_compare_options){.formulations = "ggl,direct,kkt", .methods = "radau5,rk4"},
                &comparison));
    agrees(&study_comparison, comparison, 100);
    vinc_linear *linear = NULL;
    done(o, vinc_linear_of(o.model, NULL, &linear));
    agrees(&study_linear, linear, 20);
    vinc_passivity *passivity = NULL;
    done(o, vinc_passivity_of(o.model, &(vinc_passivity_options){.storage = "V"}, &passivity));
    agrees(&study_passivity, passivity, 8);
    vinc_pencil *pencil = NULL;
    vinc_pencil_options rhs = {.rhs = "sin(t);0;t"};
    session d =
        session_begin("model L Real x, y, z; equation der(x) = y; der(y) = z; x = 0; end L;");
    done(d, vinc_pencil_of_model(d.model, NULL, &pencil));
    agrees(&study_pencil, pencil, 20);
    done(d, vinc_pencil_of_model(d.model, &rhs, &pencil));
    agrees(&study_pencil, pencil, 60);
    vinc_positive_real *positive = NULL;
    done(o, vinc_positive_real_of(o.ctx, "1,2", "1,1,1", &positive));
    agrees(&study_positive_real, positive, 3);
    vinc_method_set *methods = NULL;
    static const char *const names[] = {"rk4", "bdf", "radau5,bdf2,genalpha:rho=0.8",
                                        "design:gauss:3", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        done(o, vinc_method_set_of(o.ctx, names[i], NULL, &methods));
        agrees(&study_method_set, methods, 1);
    }
    done(o, vinc_method_set_of(o.ctx, "radau5,bdf2", &(vinc_method_options){.at = "1/4,0.1"},
                               &methods));
    agrees(&study_method_set, methods, 20);
    vinc_examples *examples = NULL;
    const vinc_example rows[] = {
        {.name = "L.A", .status = "simulated", .seconds = 0.25, .n_signals = 2, .inside = 2},
        {.name = "L.B", .status = "failed", .seconds = 1, .code = "S100", .reason = "a \"reason\""},
        {.name = "L.C", .status = "simulated", .seconds = 0.5, .n_signals = 1},
        {.name = "L.D", .status = "not run", .seconds = NAN}};
    done(o, vinc_examples_of(o.ctx, "L", rows, 4, &examples));
    assert_int_equal(examples->simulated, 2);
    assert_int_equal(examples->compared, 2);
    assert_int_equal(examples->inside, 1);
    assert_true(examples->median == 0.375 && examples->p90 == 0.5);
    agrees(&study_examples, examples, 5);
    vinc_failure *failure = NULL;
    done(o, vinc_failure_of(o.ctx, "a \"model\"", &failure));
    agrees(&study_failure, failure, 0);
    session_done(&p);
    session_done(&o);
    session_done(&d);
}

/* ---- ownership ------------------------------------------------------------------------------- */

static void reports_outlive_their_model(void **state)
{
    (void)state;
    session p = session_begin(pendulum);
    vinc_check *check = NULL;
    vinc_linear *linear = NULL;
    vinc_sim *sim = NULL;
    vinc_run *run = NULL;
    done(p, vinc_check_of(p.model, &check));
    done(p, vinc_linear_of(p.model, NULL, &linear));
    done(p, vinc_sim_new(p.model, NULL, &sim));
    done(p, vinc_sim_run(sim));
    done(p, vinc_run_of(sim, &run));
    vinc_sim_free(sim);
    session_done(&p);
    assert_string_equal(check->class_name, "Pendulum");
    assert_non_null(strstr(vinc_report_text(check, VINC_TEXT), "x^2 + y^2 = 1"));
    json_is_whole(vinc_report_text(run, VINC_JSON));
    json_is_whole(vinc_report_text(linear, VINC_JSON));
    vinc_report_free(check);
    vinc_report_free(linear);
    vinc_report_free(run);
}

/* A failure leaves no struct, and NULL handles are accepted. */
static void failures_leave_nothing(void **state)
{
    (void)state;
    vinc_check *check = NULL;
    vinc_pencil *pencil = NULL;
    vinc_method_set *methods = NULL;
    vinc_comparison *comparison = NULL;
    assert_int_equal(vinc_check_of(NULL, &check), VINC_E_MEMORY);
    assert_int_equal(vinc_method_set_of(NULL, NULL, NULL, &methods), VINC_E_MEMORY);
    session p = session_begin(pendulum);
    assert_int_equal(vinc_method_set_of(p.ctx, "rk4,nosuch", NULL, &methods), VINC_E_OPTION);
    assert_null(methods);
    assert_int_equal(vinc_pencil_of_model(p.model, NULL, &pencil), VINC_E_MODEL);
    assert_null(pencil);
    vinc_ctx_clear(p.ctx);
    assert_int_equal(
        vinc_comparison_of(p.model, &(vinc_compare_options){.methods = "nosuch"}, &comparison),
        VINC_E_OPTION);
    assert_null(comparison);
    assert_non_null(strstr(vinc_ctx_messages(p.ctx), "no method 'nosuch'"));
    vinc_ctx_clear(p.ctx);
    assert_int_equal(
        vinc_comparison_of(p.model, &(vinc_compare_options){.methods = ","}, &comparison),
        VINC_E_OPTION);
    session_done(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_hold_together), cmocka_unit_test(documented),
        cmocka_unit_test(structs_and_json_agree),     cmocka_unit_test(reports_outlive_their_model),
        cmocka_unit_test(failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
