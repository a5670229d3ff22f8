/* FMUs through the importer: closed forms, events, settings, inputs, and what misbehaves.
 * SPDX-License-Identifier: BSD-3-Clause */
#define ZIP_ROOM (1 << 20)
#include "cmocka_all.h"
#include "zip_make.h"

#include "strange_modes.h"
#include "vincolo.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200], files[250]; // what the tests make; where FMUs are unpacked

static int count_files(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

/* ---- FMUs ------------------------------------------------------------------------------------ */

static const char strange_description[] =
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"Strange\" "
    "instantiationToken=\"1\">\n<ModelExchange modelIdentifier=\"strange_fmu\" "
    "needsCompletedIntegratorStep=\"true\" providesDirectionalDerivatives=\"true\"/><CoSimulation "
    "modelIdentifier=\"strange_fmu\" "
    "mightReturnEarlyFromDoStep=\"true\" canHandleVariableCommunicationStepSize=\"true\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"/></UnitDefinitions><DefaultExperiment stopTime=\"1\" "
    "tolerance=\"1e-8\"/>\n<ModelVariables>\n"
    "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>\n"
    "<Float64 name=\"x\" valueReference=\"1\" causality=\"output\" initial=\"exact\" start=\"1\" "
    "unit=\"m\">"
    "<Alias name=\"height\"/></Float64>\n"
    "<Float64 name=\"rate\" valueReference=\"2\" derivative=\"1\"/>\n"
    "<Int32 name=\"mode\" valueReference=\"3\" causality=\"parameter\" start=\"0\"/>\n"
    "<Int32 name=\"events\" valueReference=\"4\"/>\n"
    "<Float64 name=\"g\" valueReference=\"5\"/>\n"
    "</ModelVariables>\n<ModelStructure><Output valueReference=\"1\"/><ContinuousStateDerivative "
    "valueReference=\"2\"/><InitialUnknown valueReference=\"2\"/><EventIndicator "
    "valueReference=\"5\"/>"
    "</ModelStructure>\n</fmiModelDescription>\n";

static void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static char strange_path[300];

static void pack_strange(const char *platform, const char *path)
{
    static zip_bytes z;
    static char library[ZIP_ROOM / 2];
    char name[100];
    FILE *f = fopen(STRANGE_FMU, "r");
    assert_non_null(f);
    size_t n = fread(library, 1, sizeof library, f);
    fclose(f);
    assert_true(n < sizeof library);
    snprintf(name, sizeof name, "binaries/%s/strange_fmu.so", platform);
    zip_make(&z,
             (zip_entry[]){{.name = "modelDescription.xml", .bytes = strange_description},
                           {.name = name, .bytes = library, .n = n}},
             2);
    write_bytes(path, z.at, z.n);
}

static void export(vinc_ctx *ctx, const char *words, int fmi, const char *path)
{
    vinc_model *model = NULL;
    assert_int_equal(vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &model),
                     VINC_OK);
    vinc_export_options o = {.fmi = fmi, .libraries = VINCOLO_FMU_FOLDER};
    if (vinc_model_export(model, path, &o)) fail_msg("%s", vinc_ctx_messages(ctx));
    vinc_model_free(model);
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/vincolo-import-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(files, sizeof files, "%s/files", folder);
    assert_int_equal(mkdir(files, 0700), 0);
    snprintf(strange_path, sizeof strange_path, "%s/strange.fmu", folder);
#if defined(__aarch64__)
    pack_strange("aarch64-linux", strange_path);
#else
    pack_strange("x86_64-linux", strange_path);
#endif
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char line[300];
    assert_int_equal(count_files(files), 0); // nothing is left of any run
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    return system(line);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct ride {
    vinc_ctx *ctx;
    vinc_fmu *fmu;
    int rc;
    char messages[3000];
} ride;

static ride ride_fmu(const char *path, vinc_fmu_options o)
{
    ride r = {.ctx = vinc_ctx_new(NULL)};
    o.folder = files;
    vinc_ctx_limit(r.ctx, &(vinc_limits){.seconds = 20});
    r.rc = vinc_fmu_open(r.ctx, path, &o, &r.fmu);
    if (!r.rc) r.rc = vinc_fmu_simulate(r.fmu);
    snprintf(r.messages, sizeof r.messages, "%s", vinc_ctx_messages(r.ctx));
    return r;
}

static void ride_end(ride *r)
{
    vinc_fmu_free(r->fmu);
    vinc_ctx_free(r->ctx);
}

static double at(ride *r, const char *name, double t)
{
    return vinc_result_at(vinc_fmu_result(r->fmu), name, t);
}

static ride ride_strange(int mode, int kind, int in_process)
{
    char value[20];
    snprintf(value, sizeof value, "%d", mode);
    vinc_setting set[] = {{"mode", value}};
    return ride_fmu(strange_path,
                    (vinc_fmu_options){
                        .settings = set, .n_settings = 1, .kind = kind, .in_process = in_process});
}

/* x' = v, v' = -x: x(t) = cos t. Both versions, both kinds, both places. */
static void closed_forms_come_back(void **state)
{
    (void)state;
    static const char model[] =
        "model Swing Real x(start = 1, fixed = true), v(start = 0, fixed = true); "
        "equation der(x) = v; der(v) = -x; annotation(experiment(StopTime = 5, "
        "Tolerance = 1e-8)); end Swing;";
    char path[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    for (int fmi = 2; fmi <= 3; fmi++) {
        snprintf(path, sizeof path, "%s/swing%d.fmu", folder, fmi);
        export(ctx, model, fmi, path);
        for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++)
            for (int in_process = 0; in_process <= 1; in_process++) {
                vinc_sim_options run = {.intervals = 10};
                ride r = ride_fmu(
                    path, (vinc_fmu_options){.run = &run, .kind = kind, .in_process = in_process});
                if (r.rc) fail_msg("%s", r.messages);
                assert_near(at(&r, "x", 5), cos(5),
                            1e-6); // a hundred tolerances for five units of time
                assert_near(at(&r, "der(v)", 2.5), -cos(2.5), 1e-6);
                assert_int_equal(count_files(files), 0);
                ride_end(&r);
            }
        vinc_setting set[] = {{"x", "2"}};
        ride r = ride_fmu(path, (vinc_fmu_options){.settings = set, .n_settings = 1});
        assert_near(at(&r, "x", 5), 2 * cos(5), 2e-6);
        ride_end(&r);
    }
    vinc_ctx_free(ctx);
}

/* A tank that is empty at first: the slope of the root is without bound there. By 2 (-s - log(1 - s)) = t with s = sqrt(x),
 * s by Newton's method. A Rosenbrock method had lost 3 ms, 2.7e-3 of the level. */
static void empty_tanks_fill(void **state)
{
    (void)state;
    static const char model[] = "model Tank Real x(start = 0, fixed = true); equation der(x) = 1 - "
                                "sqrt(x); annotation(experiment(StopTime = 1, Tolerance = 1e-6)); "
                                "end Tank;";
    static const char *const methods[] = {NULL, "rodas4", "rodas3", "radau", "bdf", "dopri5"};
    char path[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    double s = 0.5;
    for (int k = 0; k < 60; k++) s -= (2 * (-s - log1p(-s)) - 1) * (1 - s) / (2 * s);
    for (int fmi = 2; fmi <= 3; fmi++) {
        snprintf(path, sizeof path, "%s/tank%d.fmu", folder, fmi);
        export(ctx, model, fmi, path);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            vinc_sim_options run = {.intervals = 10, .method = methods[k]};
            ride r = ride_fmu(
                path, (vinc_fmu_options){.run = &run, .kind = VINC_FMU_EXCHANGE, .in_process = 1});
            if (r.rc < 0) fail_msg("%s", r.messages);
            assert_near(at(&r, "x", 1), s * s, 1e-5); // ten tolerances
            ride_end(&r);
        }
    }
    vinc_ctx_free(ctx);
}

/* What a model warns of while all goes well is logged, once. */
static void warnings_are_passed_on(void **state)
{
    (void)state;
    char path[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    for (int fmi = 2; fmi <= 3; fmi++)
        for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
            snprintf(path, sizeof path, "%s/warns%d.fmu", folder, fmi);
            export(ctx,
                   "model W Real x(start = 0, fixed = true); equation der(x) = 1;\n"
                   "assert(x < 0.5, \"x is too large\", AssertionLevel.warning); end W;",
                   fmi, path);
            ride r = ride_fmu(path, (vinc_fmu_options){.kind = kind});
            if (r.rc < 0) fail_msg("%s", r.messages);
            const char *said = strstr(r.messages, "x is too large");
            assert_non_null(said);
            assert_null(strstr(said + 1, "x is too large"));
            ride_end(&r);
        }
    vinc_ctx_free(ctx);
}

/* A ball falls from 1 m and keeps 0.8 of its speed: it is down at t1 = sqrt(2/g), and again after
 * 2 * 0.8 sqrt(2 g)/g. Its height at t = 1 follows. */
static void state_events_are_found(void **state)
{
    (void)state;
    static const char model[] = "model Ball Real h(start = 1, fixed = true), v(start = 0, fixed = "
                                "true); equation der(h) = v; "
                                "der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); end when; "
                                "annotation(experiment(StopTime = 1, Tolerance = 1e-8)); end Ball;";
    char path[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    double g = 9.81, t1 = sqrt(2 / g), v1 = 0.8 * g * t1, s = 1 - t1;
    for (int fmi = 2; fmi <= 3; fmi++) {
        snprintf(path, sizeof path, "%s/ball%d.fmu", folder, fmi);
        export(ctx, model, fmi, path);
        for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
            ride r = ride_fmu(path, (vinc_fmu_options){.kind = kind, .in_process = fmi == 3});
            if (r.rc) fail_msg("%s", r.messages);
            assert_near(at(&r, "h", 1), v1 * s - g / 2 * s * s, 1e-6);
            ride_end(&r);
        }
    }
    vinc_ctx_free(ctx);
}

/* x' = u with u from a table that jumps: x(2) = 0.5 + 1 * 3 = 3.5. */
static void inputs_drive(void **state)
{
    (void)state;
    static const char model[] =
        "model Sum input Real u; output Real x(start = 0, fixed = true); equation "
        "der(x) = u; annotation(experiment(StopTime = 2)); end Sum;";
    static const char table[] = "time,u\n0,0\n1,1\n1,3\n2,3\n";
    char path[300], csv[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    snprintf(path, sizeof path, "%s/sum.fmu", folder);
    snprintf(csv, sizeof csv, "%s/u.csv", folder);
    write_bytes(csv, table, strlen(table));
    export(ctx, model, 3, path);
    vinc_sim_options run = {.input_csv = csv};
    ride r = ride_fmu(path, (vinc_fmu_options){.run = &run});
    if (r.rc) fail_msg("%s", r.messages);
    assert_near(at(&r, "x", 2), 3.5, 1e-6);
    assert_near(at(&r, "u", 1), 3, 0);
    ride_end(&r);
    run.intervals = 1000; // held over steps of 2 ms: the ramp is missed by 1 ms of its slope
    r = ride_fmu(path, (vinc_fmu_options){.run = &run, .kind = VINC_FMU_STEPS});
    assert_near(at(&r, "x", 2), 3.5, 1.001e-3);
    ride_end(&r);
    vinc_ctx_free(ctx);
}

/* What a variable cannot be is refused, and not rounded. */
static void halves_of_whole_numbers_are_refused(void **state)
{
    (void)state;
    static const char model[] =
        "model Count input Integer n; input Boolean b; output Real x = if b "
        "then n else 0; end Count;";
    static const struct {
        const char *table, *words;
    } list[] = {{"time,n,b\n0,1,0\n1,3.5,1\n", "row 2: 'n' cannot be 3.5, it is of type Int32"},
                {"time,n,b\n0,3e9,0\n", "row 1: 'n' cannot be 3e+09"},
                {"time,n,b\n0,1,2\n", "row 1: 'b' cannot be 2, it is of type Boolean"}};
    static const vinc_setting set[] = {{"n", "3.5"}, {"b", "2"}};
    char path[300], csv[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_fmu *f;
    snprintf(path, sizeof path, "%s/whole.fmu", folder);
    snprintf(csv, sizeof csv, "%s/whole.csv", folder);
    export(ctx, model, 3, path);
    vinc_sim_options run = {.input_csv = csv};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        write_bytes(csv, list[i].table, strlen(list[i].table));
        vinc_ctx_clear(ctx);
        assert_int_equal(vinc_fmu_open(ctx, path, &(vinc_fmu_options){.run = &run}, &f),
                         VINC_E_OPTION);
        assert_non_null(strstr(vinc_ctx_messages(ctx), list[i].words));
    }
    for (int i = 0; i < 2; i++) {
        vinc_fmu_options o = {.settings = &set[i], .n_settings = 1};
        vinc_ctx_clear(ctx);
        assert_int_equal(vinc_fmu_open(ctx, path, &o, &f), VINC_E_OPTION);
        assert_non_null(strstr(vinc_ctx_messages(ctx), "that is no value of type"));
    }
    vinc_ctx_free(ctx);
}

/* x' = n with a whole number n, which holds from row to row: x(2) = 1 * 1 + 3 * 1, not 2 + 3. */
static void whole_inputs_hold(void **state)
{
    (void)state;
    static const char model[] =
        "model Count input Integer n; output Real x(start = 0, fixed = true); "
        "equation der(x) = n; annotation(experiment(StopTime = 2)); end Count;";
    static const char table[] = "time,n\n0,1\n1,3\n2,3\n";
    char path[300], csv[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    snprintf(csv, sizeof csv, "%s/n.csv", folder);
    write_bytes(csv, table, strlen(table));
    vinc_sim_options run = {.input_csv = csv, .intervals = 7}; // no point at the step of the table
    for (int fmi = 2; fmi <= 3; fmi++) {
        snprintf(path, sizeof path, "%s/count%d.fmu", folder, fmi);
        export(ctx, model, fmi, path);
        for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
            ride r = ride_fmu(path, (vinc_fmu_options){.run = &run, .kind = kind});
            if (r.rc) fail_msg("%s", r.messages);
            assert_near(at(&r, "x", 2), 4, 1e-6);
            ride_end(&r);
        }
    }
    vinc_ctx_free(ctx);
}

/* What the standard allows, and few do. */
static void odd_ones_run(void **state)
{
    (void)state;
    static const struct {
        int mode, kind;
        double end; // x(1), by x = e^-t and what the mode does to it
    } cases[] = {
        {STRANGE_NOT, VINC_FMU_EXCHANGE, 0.36787944117144233},
        {STRANGE_NOT, VINC_FMU_STEPS, 0.36787944117144233},
        {STRANGE_STEP_EVENTS, VINC_FMU_EXCHANGE, 0.36787944117144233},
        {STRANGE_DISCARDS, VINC_FMU_EXCHANGE, 0.36787944117144233},
        {STRANGE_NO_NOMINAL, VINC_FMU_EXCHANGE, 0.36787944117144233},
        {STRANGE_RETURNS_EARLY, VINC_FMU_STEPS, 0.36787944117144233},
        {STRANGE_JUMP_AT_HALF, VINC_FMU_EXCHANGE,
         0.36787944117144233 + 0.60653065971263342}, // e^-1 + e^-0.5
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ride r = ride_strange(cases[i].mode, cases[i].kind, i % 2);
        if (r.rc) fail_msg("mode %d: %s", cases[i].mode, r.messages);
        assert_near(at(&r, "x", 1), cases[i].end, 1e-7);
        assert_near(at(&r, "height", 1), cases[i].end, 1e-7);
        if (cases[i].mode == STRANGE_STEP_EVENTS) assert_true(at(&r, "events", 1) > 3);
        if (cases[i].mode == STRANGE_JUMP_AT_HALF) assert_near(at(&r, "events", 1), 1, 0);
        ride_end(&r);
    }
    static const int slopes[] = {STRANGE_NOT, STRANGE_NO_SLOPES, STRANGE_NAN_SLOPES};
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
        char value[20];
        snprintf(value, sizeof value, "%d", slopes[i]);
        vinc_setting set[] = {{"mode", value}};
        ride r = ride_fmu(strange_path,
                          (vinc_fmu_options){.settings = set,
                                             .n_settings = 1,
                                             .kind = VINC_FMU_EXCHANGE,
                                             .run = &(vinc_sim_options){.method = "radau5"}});
        if (r.rc) fail_msg("%s", r.messages);
        assert_near(at(&r, "x", 1), 0.36787944117144233, 1e-7);
        ride_end(&r);
    }
    for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
        ride r = ride_strange(STRANGE_TERMINATES, kind, 0);
        assert_int_equal(r.rc, VINC_TERMINATED);
        vinc_fmu_run *told = NULL;
        assert_int_equal(vinc_fmu_run_of(r.fmu, &told), VINC_OK);
        assert_string_equal(told->status, "terminated");
        assert_string_equal(told->model, strange_path);
        assert_non_null(strstr(vinc_report_text(told, VINC_JSON), strange_path));
        assert_true(told->t_end >= 0.5 && told->t_end < 1);
        vinc_report_free(told);
        ride_end(&r);
    }
}

/* In a process of its own, whatever it does is a message, and rows up to there are kept. */
static void misbehaviour_is_a_message(void **state)
{
    (void)state;
    static const struct {
        int mode, rc;
        const char *says;
    } cases[] = {
        {STRANGE_CRASH, VINC_E_STOPPED, "it crashed (signal 11"},
        {STRANGE_EXIT, VINC_E_STOPPED, "exit status 7"},
        {STRANGE_ERROR, VINC_E_STOPPED, "I am not well"},
        {STRANGE_NO_START, VINC_E_EVALUATION, "it cannot be initialized"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
            ride r = ride_strange(cases[i].mode, kind, 0);
            if (r.rc != cases[i].rc || !strstr(r.messages, cases[i].says))
                fail_msg("mode %d, kind %d: %d, %s", cases[i].mode, kind, r.rc, r.messages);
            if (cases[i].mode != STRANGE_NO_START) assert_near(at(&r, "x", 0.3), exp(-0.3), 1e-5);
            assert_int_equal(count_files(files), 0);
            ride_end(&r);
        }
    ride r = ride_strange(STRANGE_NAN, VINC_FMU_EXCHANGE, 0);
    assert_int_equal(r.rc, VINC_E_EVALUATION);
    assert_non_null(strstr(r.messages, "not finite"));
    assert_non_null(strstr(r.messages, "'x'"));
    ride_end(&r);
    r = ride_strange(STRANGE_NAN, VINC_FMU_STEPS, 0); // its own steps go on, and rows say so
    assert_int_equal(r.rc, VINC_OK);
    if (!strstr(r.messages, "F188") || !strstr(r.messages, "'x' at t = 0.5"))
        fail_msg("%s", r.messages);
    ride_end(&r);
    r = ride_strange(STRANGE_ENDLESS_EVENT, VINC_FMU_EXCHANGE, 1);
    assert_true(r.rc < 0);
    assert_non_null(strstr(r.messages, "does not settle"));
    ride_end(&r);
}

/* As components FMUs are told of steps that are kept, too: one jumps at the event that it asks for then, and the model
 * has one of its own at t = 0.5; one ends the simulation, one refuses. */
static void components_know_of_kept_steps(void **state)
{
    (void)state;
    static const int modes[] = {STRANGE_NOT, STRANGE_JUMP_AT_STEP, STRANGE_TERMINATES,
                                STRANGE_REFUSES_STEP};
    for (int in_process = 0; in_process < 2; in_process++)
        for (int k = 0; k < 4; k++) {
            char words[700], path[300];
            snprintf(words, sizeof words,
                     "model M Vincolo.FMI.ModelExchange u(file = \"%s\", mode = %d, inProcess = "
                     "%s); Integer n(start = 0, fixed = true); equation when time >= 0.5 then n = "
                     "1; end when; end M;",
                     strange_path, modes[k], in_process ? "true" : "false");
            snprintf(path, sizeof path, "%s/kept.mo", folder);
            write_bytes(path, words, strlen(words));
            vinc_ctx *ctx = vinc_ctx_new(NULL);
            vinc_model *model = NULL;
            vinc_sim *sim = NULL;
            vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
            vinc_sim_options o = {.rel_tol = 1e-8, .has_stop = 1, .t_stop = 1};
            int rc = vinc_model_load_with(ctx, path, "M",
                                          &(vinc_model_options){.allow_external = 1}, &model);
            if (!rc) rc = vinc_sim_new(model, &o, &sim);
            if (!rc) rc = vinc_sim_run(sim);
            int ends = modes[k] == STRANGE_TERMINATES;
            int refused = modes[k] == STRANGE_REFUSES_STEP;
            if (refused) {
                assert_true(rc < 0);
                if (!strstr(vinc_ctx_messages(ctx), "it refuses a step that was made"))
                    fail_msg("%s", vinc_ctx_messages(ctx));
            } else if (rc != (ends ? VINC_TERMINATED : VINC_OK))
                fail_msg("mode %d: %d %s", modes[k], rc, vinc_ctx_messages(ctx));
            double x = exp(-1) + (modes[k] == STRANGE_JUMP_AT_STEP ? exp(-0.5) : 0);
            if (!ends && !refused)
                assert_near(vinc_result_at(vinc_sim_result(sim), "u.x", 1), x, 1e-6);
            vinc_sim_free(sim);
            vinc_model_free(model);
            vinc_ctx_free(ctx);
        }
}

static void hanging_ends_at_the_limit(void **state)
{
    (void)state;
    vinc_setting set[] = {{"mode", "2"}};
    for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_fmu *fmu = NULL;
        vinc_fmu_options o = {.settings = set, .n_settings = 1, .kind = kind, .folder = files};
        assert_int_equal(vinc_fmu_open(ctx, strange_path, &o, &fmu), VINC_OK);
        vinc_ctx_limit(ctx, &(vinc_limits){.seconds = 1});
        assert_int_equal(vinc_fmu_simulate(fmu), VINC_E_LIMIT);
        assert_non_null(strstr(vinc_ctx_messages(ctx), "--max-time"));
        assert_near(vinc_result_at(vinc_fmu_result(fmu), "x", 0.3), exp(-0.3), 1e-5);
        assert_int_equal(count_files(files), 0);
        vinc_fmu_free(fmu);
        vinc_ctx_free(ctx);
    }
}

static void hanging_at_the_start_is_not_lack_of_memory(void **state)
{
    (void)state;
    char mode[10];
    snprintf(mode, sizeof mode, "%d", STRANGE_HANG_AT_START);
    vinc_setting set[] = {{"mode", mode}};
    for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
        vinc_sim_options run = {.max_time = 0.2};
        ride r = ride_fmu(
            strange_path,
            (vinc_fmu_options){.settings = set, .n_settings = 1, .kind = kind, .run = &run});
        assert_int_equal(r.rc, VINC_E_LIMIT);
        if (!strstr(r.messages, "--max-time") || !strstr(r.messages, "initializing"))
            fail_msg("%s", r.messages);
        assert_int_equal(count_files(files), 0);
        ride_end(&r);
    }
}

/* Files that are not what they should be: the code of the message, and nothing is left behind. */
static void bad_files_leave_nothing(void **state)
{
    (void)state;
    static zip_bytes z;
    static const char doctype[] =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY l \"lol\"><!ENTITY m "
        "\"&l;&l;&l;&l;&l;&l;\">]>\n<fmiModelDescription/>\n";
    static const char no_library[200] = "\x7f"
                                        "ELF";
    static char zeros[1 << 10];
    const zip_entry good = {.name = "modelDescription.xml", .bytes = strange_description};
#if defined(__aarch64__)
    const char *library = "binaries/aarch64-linux/strange_fmu.so";
#else
    const char *library = "binaries/x86_64-linux/strange_fmu.so";
#endif
    const struct {
        const char *code;
        zip_entry entries[2];
        size_t cut; // bytes that are missing at the end
    } cases[] = {
        {"F102", {good, {.name = "resources/x", .bytes = "x"}}, 30},
        {"F103", {good, {.name = "../../evil", .bytes = "x"}}, 0},
        {"F103", {good, {.name = "/evil", .bytes = "x"}}, 0},
        {"F104",
         {good, {.name = "resources/x", .bytes = "/etc/passwd", .attributes = 0120777u}},
         0},
        {"F106",
         {good,
          {.name = "resources/x",
           .bytes = zeros,
           .n = sizeof zeros,
           .method = 8,
           .size = 1L << 30}},
         0},
        {"F110", {{.name = "resources/y", .bytes = "y"}, {.name = "resources/x", .bytes = "x"}}, 0},
        {"F111",
         {{.name = "modelDescription.xml", .bytes = "<fmiModelDescription fmiVersion="},
          {.name = "resources/x", .bytes = "x"}},
         0},
        {"F112",
         {{.name = "modelDescription.xml", .bytes = doctype},
          {.name = "resources/x", .bytes = "x"}},
         0},
        {"F181", {good, {.name = "resources/x", .bytes = "x"}}, 0},
        {"F180", {good, {.name = library, .bytes = no_library, .n = sizeof no_library}}, 0},
    };
    char path[300];
    snprintf(path, sizeof path, "%s/bad.fmu", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zip_make(&z, cases[i].entries, 2);
        write_bytes(path, z.at, z.n - cases[i].cut);
        ride r = ride_fmu(path, (vinc_fmu_options){0});
        if (r.rc != VINC_E_MODEL || !strstr(r.messages, cases[i].code))
            fail_msg("%zu, %s: %d, %s", i, cases[i].code, r.rc, r.messages);
        assert_int_equal(count_files(files), 0);
        ride_end(&r);
    }
}

static void contents_are_told(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_fmu_contents *c = NULL;
    assert_int_equal(vinc_fmu_contents_of(ctx, strange_path, &c), VINC_OK);
    assert_int_equal(c->n_errors, 0);
    assert_int_equal(c->n_states, 1);
    assert_int_equal(c->n_indicators, 1);
    assert_string_equal(c->file, strange_path);
    assert_string_equal(c->variables[1].unit, "m");
    assert_non_null(strstr(vinc_report_text(c, VINC_JSON), strange_path));
    assert_non_null(strstr(vinc_report_text(c, VINC_TEXT), "nothing was found against it"));
    vinc_report_free(c);
    vinc_ctx_free(ctx);
}

/* A parameter that the start decides: what is exported keeps to the rules, and it stays as it was. */
static void parameters_of_the_start_are_told(void **state)
{
    (void)state;
    static const char words[] =
        "model P\n  parameter Real p(fixed = false);\n  Real x(start = 1, fixed = true);\ninitial "
        "equation\n  p^3 + p = 2*x;\nequation\n  der(x) = -p*x;\nend P;\n";
    char path[300];
    snprintf(path, sizeof path, "%s/p.fmu", folder);
    for (int fmi = 2; fmi <= 3; fmi++) {
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_fmu_contents *c = NULL;
        export(ctx, words, fmi, path);
        assert_int_equal(vinc_fmu_contents_of(ctx, path, &c), VINC_OK);
        if (c->n_errors) fail_msg("%s", vinc_report_text(c, VINC_TEXT));
        vinc_report_free(c);
        vinc_ctx_free(ctx);
        for (int kind = VINC_FMU_EXCHANGE; kind <= VINC_FMU_STEPS; kind++) {
            ride r = ride_fmu(path, (vinc_fmu_options){.kind = kind});
            assert_int_equal(r.rc, VINC_OK);
            assert_near(at(&r, "x", 1), exp(-1), 1e-4); // p = 1
            ride_end(&r);
        }
    }
}

/* What cannot be run says why, before anything of it is. */
static void refusals_name_the_reason(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/other.fmu", folder);
    pack_strange("x86_64-windows", path);
    ride r = ride_fmu(path, (vinc_fmu_options){0});
    assert_int_equal(r.rc, VINC_E_MODEL);
    assert_non_null(strstr(r.messages, "libraries for x86_64-windows"));
    assert_non_null(strstr(r.messages, "F181"));
    ride_end(&r);
    static const struct {
        const char *name, *value, *says;
    } settings[] = {{"rat", "1", "did you mean 'rate'"},
                    {"rate", "1", "cannot be set"},
                    {"x", "one", "is no number"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        vinc_setting set[] = {{settings[i].name, settings[i].value}};
        r = ride_fmu(strange_path, (vinc_fmu_options){.settings = set, .n_settings = 1});
        assert_int_equal(r.rc, VINC_E_OPTION);
        if (!strstr(r.messages, settings[i].says)) fail_msg("%s", r.messages);
        ride_end(&r);
    }
    vinc_sim_options run = {.method = "rk45x"};
    r = ride_fmu(strange_path, (vinc_fmu_options){.run = &run});
    assert_int_equal(r.rc, VINC_E_OPTION);
    ride_end(&r);
    run = (vinc_sim_options){.formulation = "dummy"};
    r = ride_fmu(strange_path, (vinc_fmu_options){.run = &run});
    assert_non_null(strstr(r.messages, "F184"));
    ride_end(&r);
    write_bytes(path, strange_description, 100);
    r = ride_fmu(path, (vinc_fmu_options){0});
    assert_int_equal(r.rc, VINC_E_MODEL);
    assert_non_null(strstr(r.messages, "F101"));
    ride_end(&r);
    r = ride_fmu("/nowhere/x.fmu", (vinc_fmu_options){0});
    assert_int_equal(r.rc, VINC_E_OPTION);
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_come_back),
        cmocka_unit_test(empty_tanks_fill),
        cmocka_unit_test(warnings_are_passed_on),
        cmocka_unit_test(state_events_are_found),
        cmocka_unit_test(inputs_drive),
        cmocka_unit_test(odd_ones_run),
        cmocka_unit_test(misbehaviour_is_a_message),
        cmocka_unit_test(components_know_of_kept_steps),
        cmocka_unit_test(hanging_ends_at_the_limit),
        cmocka_unit_test(hanging_at_the_start_is_not_lack_of_memory),
        cmocka_unit_test(bad_files_leave_nothing),
        cmocka_unit_test(parameters_of_the_start_are_told),
        cmocka_unit_test(refusals_name_the_reason),
        cmocka_unit_test(contents_are_told),
        cmocka_unit_test(whole_inputs_hold),
        cmocka_unit_test(halves_of_whole_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
