/* FMUs compiled from their own sources: they compile without a warning, and run as the library does that
 * came along.
 *
 * Both are run by the importer, in model exchange by the same integrator, so that they differ by rounding
 * and what Newton's method leaves; in co-simulation by their own steps, each of which keeps to the
 * tolerance.
 * SPDX-License-Identifier: BSD-3-Clause */
#define ZIP_ROOM (1 << 21)
#include "cmocka_all.h"
#include "zip_make.h"

#include "vincolo.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <unistd.h>

static const double TOLERANCE = 1e-7;
enum { POINTS = 53 };
#if defined(__aarch64__)
static const char *const platform[] = {"aarch64-linux", "aarch64-linux"};
#else
static const char *const platform[] = {"linux64", "x86_64-linux"};
#endif

static char folder[200];

static uint32_t number(const unsigned char *p, int bytes)
{
    uint32_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint32_t)p[i] << 8 * i;
    return x;
}

static char *bytes_of(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*n + 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    bytes[*n] = 0;
    return bytes;
}

/* Files of sources/ into a folder of their own, and the description, which is given back. They are stored
 * as they are, one after the other. */
static char *take_sources(const char *path, const char *to)
{
    size_t n;
    char *zip = bytes_of(path, &n), *description = NULL, line[700];
    const unsigned char *p = (const unsigned char *)zip;
    snprintf(line, sizeof line, "rm -rf '%s' && mkdir '%s'", to, to);
    assert_int_equal(system(line), 0);
    while (number(p, 4) == 0x04034b50) {
        uint32_t size = number(p + 18, 4), n_name = number(p + 26, 2);
        const char *name = (const char *)p + 30, *bytes = name + n_name + number(p + 28, 2);
        if (!strncmp(name, "sources/", 8)) {
            snprintf(line, sizeof line, "%s/%.*s", to, (int)n_name - 8, name + 8);
            FILE *f = fopen(line, "wb");
            assert_non_null(f);
            fwrite(bytes, 1, size, f);
            fclose(f);
        }
        if (!strncmp(name, "modelDescription.xml", n_name)) {
            description = calloc(size + 1, 1);
            memcpy(description, bytes, size);
        }
        p = (const unsigned char *)bytes + size;
    }
    free(zip);
    return description;
}

static bool is_there(const char *compiler)
{
    char line[100];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", compiler);
    return !system(line);
}

static void compile(const char *compiler, const char *sources, const char *library)
{
    char line[1000];
    snprintf(line, sizeof line,
             "%s -std=c99 -Wall -Wextra -Werror -O0 -ffp-contract=off -fPIC -shared -o '%s' "
             "'%s'/*.c -lm",
             compiler, library, sources);
    assert_int_equal(system(line), 0);
}

static void pack(const char *path, const char *description, const char *library, int fmi)
{
    static zip_bytes z;
    size_t n;
    char *bytes = bytes_of(library, &n), name[200], identifier[80] = "";
    sscanf(strstr(description, "modelIdentifier=\"") + 17, "%79[^\"]", identifier);
    snprintf(name, sizeof name, "binaries/%s/%s.so", platform[fmi - 2], identifier);
    zip_make(&z,
             (zip_entry[]){{.name = "modelDescription.xml", .bytes = description},
                           {.name = name, .bytes = bytes, .n = n}},
             2);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(z.at, 1, z.n, f);
    fclose(f);
    free(bytes);
}

static vinc_fmu *simulate(vinc_ctx *ctx, const char *path, int kind, const vinc_setting *settings,
                          int n)
{
    vinc_sim_options run = {.rel_tol = TOLERANCE, .intervals = POINTS};
    vinc_fmu_options o = {.run = &run, .kind = kind, .settings = settings, .n_settings = n};
    vinc_fmu *fmu = NULL;
    int rc = vinc_fmu_open(ctx, path, &o, &fmu);
    if (!rc) rc = vinc_fmu_simulate(fmu);
    if (rc < 0) fail_msg("%s: %s", path, vinc_ctx_messages(ctx));
    return fmu;
}

/* The largest difference over the largest value of a variable and 1; states that are combinations are
 * another choice in each. */
static double apart(vinc_result *a, vinc_result *b, char name[200])
{
    double worst = 0;
    vinc_column t, x;
    vinc_result_column(a, 0, &t);
    for (int c = 1; c < vinc_result_n_columns(a); c++) {
        double size = 1, most = 0;
        if (vinc_result_column(a, c, &x) || strstr(x.name, "vincolo")) continue;
        for (int k = 0; k <= POINTS; k++) {
            double at = t.values[0] + (t.values[t.n - 1] - t.values[0]) * k / POINTS;
            double u = vinc_result_at(a, x.name, at), v = vinc_result_at(b, x.name, at);
            size = fmax(size, fabs(u));
            most = fmax(most, fabs(u - v));
        }
        if (!(most / size <= worst)) worst = most / size, snprintf(name, 200, "%s", x.name);
    }
    return worst;
}

typedef struct subject {
    const char *file, *text; // of the examples, or as it stands
    const vinc_setting *settings;
    int n_settings;
} subject;

/* Exported to `path`, and with the library that its sources make to `own`; its description, to be freed. */
static char *build(vinc_ctx *ctx, const subject *s, int fmi, const char *compiler, char path[300],
                   char own[300])
{
    char sources[300], library[300], model[300];
    vinc_model *m = NULL;
    vinc_export_options o = {.fmi = fmi, .libraries = VINCOLO_FMU_FOLDER, .source = 1};
    snprintf(path, 300, "%s/m.fmu", folder);
    snprintf(own, 300, "%s/own.fmu", folder);
    snprintf(sources, sizeof sources, "%s/sources", folder);
    snprintf(library, sizeof library, "%s/m.so", folder);
    snprintf(model, sizeof model, VINCOLO_ROOT "/examples/%s.mo", s->file ? s->file : "");
    int rc = s->file ? vinc_model_load(ctx, model, NULL, &m)
                     : vinc_model_load_text(ctx, "m.mo", s->text, strlen(s->text), NULL, &m);
    if (!rc) rc = vinc_model_export(m, path, &o);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    char *description = take_sources(path, sources);
    compile(compiler, sources, library);
    pack(own, description, library, fmi);
    vinc_model_free(m);
    return description;
}

static void compare(vinc_ctx *ctx, const subject *s, int fmi, const char *compiler)
{
    char path[300], own[300], name[200] = "";
    char *description = build(ctx, s, fmi, compiler, path, own);
    static const struct {
        int kind;
        double tolerances;
    } kinds[] = {{VINC_FMU_EXCHANGE, 1}, {VINC_FMU_STEPS, 100}};
    for (int k = 0; k < 2; k++) {
        if (!k && !strstr(description, "<ModelExchange")) continue; // delay() needs its own steps
        vinc_fmu *a = simulate(ctx, path, kinds[k].kind, s->settings, s->n_settings);
        vinc_fmu *b = simulate(ctx, own, kinds[k].kind, s->settings, s->n_settings);
        double d = apart(vinc_fmu_result(a), vinc_fmu_result(b), name);
        if (!(d <= kinds[k].tolerances * TOLERANCE))
            fail_msg("%s, FMI %d, kind %d: they differ by %g in %s", s->file ? s->file : s->text,
                     fmi, kinds[k].kind, d, name);
        vinc_fmu_free(a);
        vinc_fmu_free(b);
    }
    free(description);
}

static void compare_all(const subject *list, int n, int fmi, const char *compiler)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
    if (is_there(compiler))
        for (int i = 0; i < n; i++) compare(ctx, &list[i], fmi, compiler);
    vinc_ctx_free(ctx);
}

/* Families of thresholds, samples, inputs that stay, an initial equation, a discrete variable of each type,
 * reinit, terminate; a parameter that others follow. */
static const char hybrid[] =
    "model H \"of everything\"\n  parameter Real k = 2, k2 = 3*k;\n  Real x, y(start = 1, fixed = "
    "true), "
    "z;\n  Integer level(start = 0, fixed = true), ticks(start = 0, fixed = true);\n  Boolean "
    "high;\n"
    "  discrete Real kept(start = 0, fixed = true);\n  input Real u(start = 0.5);\n"
    "initial equation\n  der(x) = 0.25*u;\nequation\n  der(x) = -k*x + sin(3*time) + u;\n"
    "  der(y) = -0.1*y;\n  z + z^3 = x + k2;\n"
    "  level = if x > 0.6 then 4 else if x > 0.45 then 3 else if x > 0.3 then 2 else if x > 0.1 "
    "then 1 "
    "else 0;\n  high = x > 0.4 or time > 2.5;\n"
    "  when sample(0.1, 0.3) then\n    ticks = pre(ticks) + 1;\n    kept = x;\n  end when;\n"
    "  when high then\n    reinit(y, pre(y) + 1);\n  end when;\n"
    "  annotation(experiment(StopTime = 4));\nend H;\n";
/* Functions that are executed: a loop that ends when a root is good, one whose turns an Integer decides, a function
 * whose derivative is told, one that a parameter calls. */
static const char executed[] =
    "model E\n  function root\n    input Real a;\n    output Real x;\n  protected\n    Integer n;\n"
    "  algorithm\n    x := 1;\n    n := 0;\n    while abs(x*x - a) > 1e-14*a and n < 100 loop\n"
    "      x := 0.5*(x + a/x);\n      n := n + 1;\n    end while;\n  end root;\n"
    "  function poly\n    input Real u;\n    input Integer k;\n    output Real y;\n  protected\n"
    "    Real c[4] = {1, -2, 0.5, 3};\n  algorithm\n    y := 0;\n"
    "    for i in 1:integer(min(4, max(1, k))) loop\n      y := y*u + c[i];\n    end for;\n  end "
    "poly;\n"
    "  function triple\n    input Real u;\n    output Real y;\n  algorithm\n    y := 0;\n    while "
    "y < 3*u loop\n      y := y + u;\n    end while;\n  end triple;\n"
    "  function sum\n    input Real u;\n    output Real y;\n  protected\n    Real z;\n  algorithm\n"
    "    y := u;\n    z := 1;\n    while z > 0.1 loop\n      z := z/2;\n      y := y + z*u;\n"
    "    end while;\n    annotation(derivative = sum_d);\n  end sum;\n"
    "  function sum_d\n    input Real u, du;\n    output Real dy;\n  algorithm\n    dy := "
    "sum(du);\n"
    "  end sum_d;\n  parameter Real a = 2, k0 = triple(a);\n  Real x(start = 1, fixed = true), "
    "y(start = 1), z;\n"
    "  Integer k(start = 1, fixed = true);\nequation\n"
    "  der(x) = -0.01*k0 - 0.3*root(x + 2) + 0.1*poly(x, k) - 0.1*sum(x);\n  root(y + 1) + sum(y) "
    "= 3 + x;\n"
    "  z = poly(y, k + 1);\n  when sample(0.5, 0.5) then\n    k = pre(k) + 1;\n  end when;\n"
    "  annotation(experiment(StopTime = 2));\nend E;\n";
/* Tables: of a matrix whose numbers are parameters, of time with events, of two variables, of a file whose name
 * is chosen by a parameter; what a function of texts gives. */
static const char tables[] =
    "class Table1\n  extends ExternalObject;\n  function constructor\n    input String fileName, "
    "tableName;\n    input Real table[:, :];\n    input Integer columns[:];\n    input Integer "
    "smoothness, extrapolation;\n    output Table1 id;\n    external \"C\" id = "
    "ModelicaStandardTables_CombiTable1D_init2(fileName, tableName, table, size(table, 1), "
    "size(table, 2), columns, size(columns, 1), smoothness, extrapolation, 0);\n  end "
    "constructor;\n  function destructor\n    input Table1 id;\n    external \"C\" "
    "ModelicaStandardTables_CombiTable1D_close(id);\n  end destructor;\nend Table1;\n"
    "function value1\n  input Table1 id;\n  input Real u;\n  output Real y;\n  external \"C\" y = "
    "ModelicaStandardTables_CombiTable1D_getValue(id, 1, u);\n  annotation(derivative = "
    "slope1);\nend value1;\nfunction slope1\n  input Table1 id;\n  input Real u;\n  input Real "
    "der_u;\n  output Real der_y;\n  external \"C\" der_y = "
    "ModelicaStandardTables_CombiTable1D_getDerValue(id, 1, u, der_u);\nend slope1;\n"
    "function length\n  input String s;\n  output Integer n;\n  external \"C\" n = "
    "ModelicaStrings_length(s);\nend length;\n"
    "model T\n  parameter Real points[4, 2] = [-1, 0; 0, 1; 1, 3; 2, 2];\n  parameter Boolean "
    "onFile = true;\n  parameter String file = \"FILE\";\n  parameter Table1 a = "
    "Table1(\"NoName\", "
    "\"NoName\", points, {2}, 2, 2);\n  parameter Table1 b = Table1(if onFile and length(file) > 0 "
    "then file else \"NoName\", if onFile then \"tab\" else \"NoName\", fill(0, 0, 2), {2}, 4, "
    "1);\n"
    "  Real x(start = 0, fixed = true), z(start = 1), y;\nequation\n  der(x) = 1 - x + "
    "0.5*value1(b, x);\n  z + z^3 = value1(a, x);\n  y = if x > 0.8 then value1(a, 2*x) else 0;\n"
    "  annotation(experiment(StopTime = 2));\nend T;\n";
/* Delays: of a constant time, with jumps that come back, of a time that moves, and what a flow carries along. */
static const char delays[] =
    "model D\n  Real x(start = 1, fixed = true), z(start = 1, fixed = true), u, w, left, right;\n  "
    "Real v = 1 + 0.5*sin(time), at(start = 0, fixed = true);\n  Integer n(start = 0, fixed = "
    "true);\nequation\n  u = if time < 0.7 then 0 else 1;\n  der(x) = -delay(x, 0.5) + "
    "0.3*delay(u, 0.3);\n  w = delay(cos(2*time), 0.4 + 0.3*sin(2*time), 0.8);\n  der(z) = w - "
    "z;\n  "
    "der(at) = v;\n  (left, right) = spatialDistribution(x, 0.0, at, v >= 0, {0, 0.5, 1}, {0, 0.2, "
    "1});\n  when right > 0.5 then\n    n = pre(n) + 1;\n  end when;\n  "
    "annotation(experiment(StopTime = 4));\nend D;\n";
/* Clocks of each kind: of whole and of real seconds, with a counter, of a condition; a slower one; an equation
 * that is solved at ticks. */
static const char clocks[] = "model K\n"
                             "  parameter Real T = 0.13;\n"
                             "  Real x(start = 1, fixed = true), s, u(start = 0), sub, m(start = "
                             "0), z(start = 1), v(start = 0), n(start = 0);\n"
                             "  Integer k(start = 1);\n"
                             "equation\n"
                             "  der(x) = -x + hold(u) + 0.1*hold(v);\n"
                             "  s = sample(x, Clock(1, 10));\n"
                             "  u = previous(u) + 0.3*(1 - s);\n"
                             "  z^3 + z = s + u;\n"
                             "  sub = subSample(u, 3);\n"
                             "  when Clock(T) then\n"
                             "    m = previous(m) + interval(m);\n"
                             "  end when;\n"
                             "  when Clock(k, 50) then\n"
                             "    k = if previous(k) > 5 then 2 else previous(k) + 1;\n"
                             "    v = previous(v) + 0.01*k;\n"
                             "  end when;\n"
                             "  when Clock(x > 0.9) then\n"
                             "    n = previous(n) + 1;\n"
                             "  end when;\n"
                             "  annotation(experiment(StopTime = 3));\n"
                             "end K;\n";
/* 128 unknowns: matrices are sparse; an event in one of them. */
static const char grid[] =
    "model G\n  parameter Integer n = 8;\n  Real T[n, n](each start = 0, each fixed = true), a[n, "
    "n](each start = 0.1);\n  Integer hot(start = 0, fixed = true);\nequation\n  for i in 1:n "
    "loop\n "
    "   for j in 1:n loop\n      der(T[i, j]) = (if i > 1 then a[i - 1, j] - a[i, j] else 1 - a[i, "
    "j]) + (if j > 1 then a[i, j - 1] - a[i, j] else -a[i, j]);\n      a[i, j] + a[i, j]^3 + (if i "
    "< n then 0.2*a[i + 1, j] else 0) = T[i, j];\n    end for;\n  end for;\n  when T[2, 1] > 0.1 "
    "then\n    hot = pre(hot) + 1;\n  end when;\nend G;\n";
/* A change goes through all of them, one in each round of the event. */
static const char cascade[] =
    "model C\n  Boolean b[150](each start = false, each fixed = true);\n  Real x(start = 0, fixed "
    "= true);\nequation\n  der(x) = if b[150] then 1 else 0.5;\n  b[1] = time > 0.5;\n  for i in "
    "2:150 loop\n    b[i] = pre(b[i - 1]);\n  end for;\nend C;\n";
/* A trigger: each branch of y ends in a fold, and the other one is gone on with. */
static const char folds[] =
    "model S\n  Real x(start = 0, fixed = true), u, y(start = 15);\nequation\n  u = "
    "10*sin(6*time);\n"
    "  y = 15*tanh(y/3 - u);\n  der(x) = 1;\n  annotation(experiment(StopTime = 4));\nend S;\n";

/* An amplifier that saturates: a step of the importer leads from one of its limits to the other. */
static const char saturated[] =
    "model A\n  Real x(start = 0, fixed = true), u, e, y;\nequation\n  u = 12*sin(6*time);\n  e = "
    "u "
    "- y/2;\n  y = smooth(0, noEvent(if 15000*e > 15 then 15 elseif 15000*e < -15 then -15 else "
    "15000*e));\n  der(x) = 1;\n  annotation(experiment(StopTime = 4));\nend A;\n";

static const vinc_setting other_point[] = {{"points[3,2]", "2.5"}};
static const vinc_setting other_k[] = {{"k", "1.5"}, {"u", "0.7"}};

/* The text with FILE as the name of a file with a table. */
static const char *with_table_file(void)
{
    static char words[sizeof tables + 300];
    char path[300];
    snprintf(path, sizeof path, "%s/tab.txt", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#1\ndouble tab(3, 2)\n0 1\n1 3\n2 0\n", f);
    fclose(f);
    const char *at = strstr(tables, "FILE");
    snprintf(words, sizeof words, "%.*s%s%s", (int)(at - tables), tables, path, at + 4);
    return words;
}

static void sources_run_as_the_library_does(void **state)
{
    (void)state;
    const subject list[] = {{.file = "pendulum/model"},         // index 3, states that change
                            {.file = "hybrid/rectifier/model"}, // ideal diodes
                            {.file = "hybrid/two-tank/model"},
                            {.file = "ivp/rober"}, // stiff
                            {.text = executed},
                            {.text = folds},
                            {.text = saturated},
                            {.text = hybrid},
                            {.text = hybrid, .settings = other_k, .n_settings = 2}};
    compare_all(list, sizeof list / sizeof *list, 3, "gcc");
}

/* Nothing flows between 1 and 2: T is in no equation there and stays, with a warning; x is what it is where only the
 * flow of heat is asked for. */
static void what_nothing_determines_stays(void **state)
{
    (void)state;
#define FLOW(more)                                                                                 \
    "model F Real V, H, x(start = 300, fixed = true);" more "V = max(0, abs(time - 1.5) - 0.5);\n" \
    "H = V*(290 + 5*V); der(x) = 0.3*(H - V*x) + sin(time);\n"                                     \
    "annotation(experiment(StopTime = 3)); end F;"
    const subject with = {.text = FLOW("Real T(start = 290); equation H = V*T;")},
                  without = {.text = FLOW("equation ")};
#undef FLOW
    if (!is_there("gcc")) return;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    char path[300], own[300];
    free(build(ctx, &with, 3, "gcc", path, own));
    vinc_fmu *a = simulate(ctx, own, VINC_FMU_STEPS, NULL, 0);
    assert_non_null(strstr(vinc_ctx_messages(ctx), "do not determine all unknowns at t = "));
    double x = vinc_result_at(vinc_fmu_result(a), "x", 3);
    double T = vinc_result_at(vinc_fmu_result(a), "T", 1.5);
    vinc_fmu_free(a);
    free(build(ctx, &without, 3, "gcc", path, own));
    vinc_fmu *b = simulate(ctx, path, VINC_FMU_STEPS, NULL, 0);
    assert_true(fabs(x - vinc_result_at(vinc_fmu_result(b), "x", 3)) < 100 * TOLERANCE * 300);
    assert_true(fabs(T - 290) < 0.5); // 290 + 5 V of the last step in which it was determined
    vinc_fmu_free(b);
    vinc_ctx_free(ctx);
}

static void tables_delays_and_clocks(void **state)
{
    (void)state;
    const char *words = with_table_file();
    const subject list[] = {
        {.text = words},   {.text = words, .settings = other_point, .n_settings = 1},
        {.text = cascade}, {.text = delays},
        {.text = clocks},  {.text = grid}};
    compare_all(list, sizeof list / sizeof *list, 3, "gcc");
}

static void the_same_in_version_2(void **state)
{
    (void)state;
    const subject list[] = {{.file = "pendulum/model"}, {.text = hybrid}};
    compare_all(list, sizeof list / sizeof *list, 2, "gcc");
}

static void another_compiler(void **state)
{
    (void)state;
    const subject list[] = {{.text = hybrid}, {.text = executed}, {.text = with_table_file()}};
    compare_all(list, 3, 3, "clang");
}

/* ---- the functions themselves ---------------------------------------------------------------- */

typedef void *instance;
#define FUNCTIONS(F)                                                                               \
    F(instance, InstantiateCoSimulation,                                                           \
      (const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, \
       void *, void *, void *))                                                                    \
    F(void, FreeInstance, (instance))                                                              \
    F(int, EnterInitializationMode, (instance, bool, double, double, bool, double))                \
    F(int, ExitInitializationMode, (instance))                                                     \
    F(int, Reset, (instance))                                                                      \
    F(int, DoStep, (instance, double, double, bool, bool *, bool *, bool *, double *))             \
    F(int, GetFloat64, (instance, const uint32_t *, size_t, double *, size_t))                     \
    F(int, SetFloat64, (instance, const uint32_t *, size_t, const double *, size_t))               \
    F(int, GetFMUState, (instance, void **))                                                       \
    F(int, SetFMUState, (instance, void *))                                                        \
    F(int, FreeFMUState, (instance, void **))                                                      \
    F(int, SerializedFMUStateSize, (instance, void *, size_t *))                                   \
    F(int, SerializeFMUState, (instance, void *, uint8_t *, size_t))                               \
    F(int, DeserializeFMUState, (instance, const uint8_t *, size_t, void **))                      \
    F(int, GetDirectionalDerivative,                                                               \
      (instance, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t,       \
       double *, size_t))
#define DECLARE(type, name, arguments) static type(*fmi3##name) arguments;
FUNCTIONS(DECLARE)

static void *open_functions(const char *library)
{
    void *at = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!at) fail_msg("%s", dlerror());
#define FIND(type, name, arguments)                                                                \
    *(void **)&fmi3##name = dlsym(at, "fmi3" #name);                                               \
    assert_non_null(fmi3##name);
    FUNCTIONS(FIND)
    return at;
}

static uint32_t reference_of(const char *description, const char *name)
{
    char words[100];
    uint32_t reference = 0;
    snprintf(words, sizeof words, "name=\"%s\" valueReference=\"%%u\"", name);
    const char *at = description;
    while ((at = strstr(at, "name=\"")) != NULL && sscanf(at, words, &reference) != 1) at++;
    assert_non_null(at);
    return reference;
}

static void step_to(instance x, double t, double to)
{
    bool event, ends, early;
    double last;
    assert_int_equal(fmi3DoStep(x, t, to - t, true, &event, &ends, &early, &last), 0);
}

static void begin_at_0(instance x)
{
    assert_int_equal(fmi3EnterInitializationMode(x, true, 1e-8, 0, false, 0), 0);
    assert_int_equal(fmi3ExitInitializationMode(x), 0);
}

/* States come back to the bit, as they are and as bytes; a parameter is set, and forgotten by a reset;
 * derivatives are those of the equations. */
static void states_and_derivatives_of_what_was_compiled(void **state)
{
    (void)state;
    if (!is_there("gcc")) return;
    static const char words[] = "model D\n  parameter Real k = 2;\n  input Real u(start = 1);\n  "
                                "Real x(start = 1, fixed = true), "
                                "z;\n  discrete Real n(start = 0, fixed = true);\n  output Real y "
                                "= k*x^2 + u;\nequation\n  "
                                "der(x) = -k*x + u;\n  z + z^3 = x;\n  when sample(0.05, 0.1) "
                                "then\n    n = pre(n) + x + 0.001*delay(x, 0.01);\n  end "
                                "when;\nend D;\n";
    char path[300], sources[300], library[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *m = NULL;
    vinc_export_options o = {.libraries = VINCOLO_FMU_FOLDER, .source = 1};
    snprintf(path, sizeof path, "%s/d.fmu", folder);
    snprintf(sources, sizeof sources, "%s/d", folder);
    snprintf(library, sizeof library, "%s/d.so", folder);
    int rc = vinc_model_load_text(ctx, "d.mo", words, strlen(words), NULL, &m);
    if (!rc) rc = vinc_model_export(m, path, &o);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    char *description = take_sources(path, sources);
    compile("gcc", sources, library);
    void *code = open_functions(library);
    uint32_t x = reference_of(description, "x"), k = reference_of(description, "k"),
             y = reference_of(description, "y"), n = reference_of(description, "n"),
             u = reference_of(description, "u");
    const uint32_t list[] = {x, y, n};
    double got[3], again[3], slope[1], three = 3;
    instance i = fmi3InstantiateCoSimulation("d", NULL, NULL, false, false, false, false, NULL, 0,
                                             NULL, NULL, NULL);
    assert_non_null(i);
    assert_int_equal(fmi3SetFloat64(i, &k, 1, &three, 1), 0);
    begin_at_0(i);
    step_to(i, 0, 0.3);
    double at = 1.0 / 3 + 2.0 / 3 * exp(-0.9); // x' = 1 - 3 x
    assert_int_equal(fmi3GetFloat64(i, list, 3, got, 3), 0);
    assert_true(fabs(got[0] - at) < 1e-6);
    void *kept = NULL, *read = NULL;
    assert_int_equal(fmi3GetFMUState(i, &kept), 0);
    size_t size = 0;
    assert_int_equal(fmi3SerializedFMUStateSize(i, kept, &size), 0);
    uint8_t *bytes = malloc(size);
    assert_int_equal(fmi3SerializeFMUState(i, kept, bytes, size), 0);
    step_to(i, 0.3, 0.72);
    assert_int_equal(fmi3GetFloat64(i, list, 3, got, 3), 0);
    for (int way = 0; way < 2; way++) {
        if (way) assert_int_equal(fmi3DeserializeFMUState(i, bytes, size, &read), 0);
        assert_int_equal(fmi3SetFMUState(i, way ? read : kept), 0);
        step_to(i, 0.3, 0.72);
        assert_int_equal(fmi3GetFloat64(i, list, 3, again, 3), 0);
        assert_memory_equal(got, again, sizeof got);
    }
    assert_int_not_equal(fmi3DeserializeFMUState(i, bytes, size - 1, &read), 0);
    const uint32_t knowns[] = {x, u, k};
    const double exact[] = {2 * 3 * got[0], 1, got[0] * got[0]}; // y = k x^2 + u
    for (int j = 0; j < 3; j++) {
        double one = 1;
        assert_int_equal(fmi3GetDirectionalDerivative(i, &y, 1, &knowns[j], 1, &one, 1, slope, 1),
                         0);
        assert_true(fabs(slope[0] - exact[j]) < 1e-7);
    }
    assert_int_equal(fmi3GetFloat64(i, list, 3, again, 3), 0); // nothing has moved by that
    assert_memory_equal(got, again, sizeof got);
    assert_int_equal(fmi3FreeFMUState(i, &kept), 0);
    assert_int_equal(fmi3FreeFMUState(i, &read), 0);
    assert_int_equal(fmi3Reset(i), 0);
    begin_at_0(i);
    step_to(i, 0, 0.3);
    assert_int_equal(fmi3GetFloat64(i, list, 3, got, 3), 0);
    assert_true(fabs(got[0] - (0.5 + 0.5 * exp(-0.6))) < 1e-6); // k = 2 again
    // An event one rounding before the end: nothing lies between.
    double end = nextafter(0.25, 1);
    assert_int_equal(fmi3Reset(i), 0);
    assert_int_equal(fmi3EnterInitializationMode(i, true, 1e-8, 0, true, end), 0);
    assert_int_equal(fmi3ExitInitializationMode(i), 0);
    step_to(i, 0, end);
    fmi3FreeInstance(i);
    free(bytes);
    free(description);
    dlclose(code);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
}

static void what_cannot_be_printed_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"model C\n  Real x[2](start = {1, 0}, each fixed = true), v[2], f, g;\nequation\n  der(x) "
         "= v;\n"
         "  der(v) = {f*x[1] + g*x[1], (f + g)*x[2] - 1};\n  x[1]^2 + x[2]^2 = 1;\n  2*x[1]^2 + "
         "2*x[2]^2 = 2;\nend C;\n",
         "depend on each other"},
        {"model L\n  Real x[1100], y[1100](each start = 0.5);\ninitial equation\n  der(x) = "
         "zeros(1100);\nequation\n  for i in 1:1100 loop\n    der(x[i]) = y[i] - x[i];\n    y[i] + "
         "y[i]^3 = 1 + 0.1*x[i]*y[mod(i, 1100) + 1];\n  end for;\nend L;\n",
         "give start values to the states instead"},
        {"function f\n  input String s;\n  input Real x;\n  output Real y;\n  external \"C\" y = "
         "ModelicaStrings_length(s);\nend f;\nmodel F\n  Real x(start = 1, fixed = "
         "true);\nequation\n"
         "  der(x) = -x*f(if x > 0.5 then \"a\" else \"bc\", x);\nend F;\n",
         "'f'"}};
    char path[300];
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    snprintf(path, sizeof path, "%s/refused.fmu", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vinc_model *m = NULL;
        const char *words = cases[i].text;
        vinc_export_options o = {.libraries = VINCOLO_FMU_FOLDER, .source = 1};
        vinc_ctx_clear(ctx);
        if (vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &m))
            fail_msg("%s", vinc_ctx_messages(ctx));
        assert_int_equal(vinc_model_export(m, path, &o), VINC_E_OPTION);
        if (!strstr(vinc_ctx_messages(ctx), "F008") ||
            !strstr(vinc_ctx_messages(ctx), cases[i].words))
            fail_msg("%s", vinc_ctx_messages(ctx));
        assert_int_not_equal(access(path, F_OK), 0);
        vinc_model_free(m);
    }
    vinc_ctx_free(ctx);
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/vincolo-source-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    char line[300];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_run_as_the_library_does),
        cmocka_unit_test(what_nothing_determines_stays),
        cmocka_unit_test(the_same_in_version_2),
        cmocka_unit_test(another_compiler),
        cmocka_unit_test(tables_delays_and_clocks),
        cmocka_unit_test(states_and_derivatives_of_what_was_compiled),
        cmocka_unit_test(what_cannot_be_printed_is_refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
