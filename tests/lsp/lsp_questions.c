/* The language server, asked as an editor asks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "json_read.h"

#include "told/json_value.h"
#include "vincolo.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A document with what names can go through: inheritance, imports, packages, modifications, iterators. */
static const char WORDS[] = "package P\n"                                     // 0
                            "  connector Pin Real v; flow Real i; end Pin;\n" // 1
                            "  partial model Two \"two pins\"\n"              // 2
                            "    Pin p, n;\n"                                 // 3
                            "    Real u \"drop\";\n"                          // 4
                            "  equation\n    u = p.v - n.v;\n  end Two;\n"    // 5-7
                            "  package Parts\n"                               // 8
                            "    model R\n      extends Two;\n"               // 9-10
                            "      parameter Real R = 1 \"resistance\";\n"    // 11
                            "    equation\n      u = R*p.i;\n    end R;\n"    // 12-14
                            "  end Parts;\n"                                  // 15
                            "end P;\n"                                        // 16
                            "model M\n"                                       // 17
                            "  import Q = P.Parts;\n"                         // 18
                            "  Q.R r(R = 2);\n"                               // 19
                            "  Real x(start = 1, fixed = true), y;\n"         // 20
                            "equation\n"                                      // 21
                            "  r.n.v = 0;\n"                                  // 22
                            "  assert(x > -10, \"x\");\n"                     // 23
                            "  der(x) = -r.u - sum(i*x for i in 1:2);\n"      // 24
                            "  y = 2*x;\n"                                    // 25
                            "end M;\n";                                       // 26

typedef struct wire {
    char in[60000], out[400000];
    size_t n_in, at, n_out;
    int id;
} wire;

static size_t read_wire(void *user, char *to, size_t n)
{
    wire *w = user;
    size_t left = w->n_in - w->at, some = n < left ? n : left;
    memcpy(to, w->in + w->at, some);
    w->at += some;
    return some;
}

static int write_wire(void *user, const char *bytes, size_t n)
{
    wire *w = user;
    if (w->n_out + n >= sizeof w->out) return 1;
    memcpy(w->out + w->n_out, bytes, n);
    w->n_out += n;
    w->out[w->n_out] = 0;
    return 0;
}

static void say(wire *w, const char *body)
{
    w->n_in += (size_t)snprintf(w->in + w->n_in, sizeof w->in - w->n_in,
                                "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
}

static void say_open(wire *w, const char *method, const char *words)
{
    char body[20000];
    size_t n =
        (size_t)snprintf(body, sizeof body,
                         "{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/%s\", \"params\": {"
                         "\"textDocument\": {\"uri\": \"file:///m.mo\"%s\"text\": \"",
                         method, strcmp(method, "didOpen") ? "}, \"contentChanges\": [{" : ", ");
    for (; *words; words++) {
        if (*words == '\n') body[n++] = '\\', body[n++] = 'n';
        else if (*words == '"' || *words == '\\') body[n++] = '\\', body[n++] = *words;
        else body[n++] = *words;
    }
    strcpy(body + n, strcmp(method, "didOpen") ? "\"}]}}" : "\"}}}");
    say(w, body);
}

static int ask(wire *w, const char *method, int line, int column, const char *more)
{
    char body[600];
    snprintf(body, sizeof body,
             "{\"jsonrpc\": \"2.0\", \"id\": %d, \"method\": \"textDocument/%s\", \"params\": "
             "{\"textDocument\": "
             "{\"uri\": \"file:///m.mo\"}, \"position\": {\"line\": %d, \"character\": %d}%s}}",
             ++w->id, method, line, column, more);
    say(w, body);
    return w->id;
}

static int serve(wire *w)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_language_server io = {.read = read_wire, .write = write_wire, .user = w};
    int rc = vinc_serve_language(ctx, &io);
    vinc_ctx_free(ctx);
    return rc;
}

/* The n-th message that went out, from 0; NULL: there are fewer. */
static const char *message(const wire *w, int n, size_t *size)
{
    const char *at = w->out;
    for (int i = 0; *at; i++) {
        char *body;
        assert_int_equal(strncmp(at, "Content-Length: ", 16), 0);
        *size = strtoul(at + 16, &body, 10);
        assert_int_equal(strncmp(body, "\r\n\r\n", 4), 0);
        if (i == n) return body + 4;
        at = body + 4 + *size;
    }
    return NULL;
}

/* The result of the question with this number, and all of it JSON. */
static const char *result_of(const wire *w, int id)
{
    static char copy[100000];
    size_t n;
    const char *m;
    for (int i = 0; (m = message(w, i, &n)); i++) {
        assert_true(n < sizeof copy);
        memcpy(copy, m, n);
        copy[n] = 0;
        json_is_whole(copy);
        if (json_find(copy, "id") && json_number(copy, "id") == id)
            return json_find(copy, "result");
    }
    return NULL;
}

static wire *begun(const char *words)
{
    wire *w = calloc(1, sizeof *w);
    assert_non_null(w);
    say_open(w, "didOpen", words);
    return w;
}

static void assert_says(const wire *w, int id, const char *part)
{
    const char *r = result_of(w, id);
    assert_non_null(r);
    if (!strstr(r, part)) fail_msg("'%s' is not in %.600s", part, r);
}

static void names_are_explained(void **state)
{
    (void)state;
    wire *w = begun(WORDS);
    int inherited = ask(w, "hover", 24, 14, ""), modified = ask(w, "hover", 19, 8, "");
    int imported = ask(w, "hover", 19, 4, ""), iterator = ask(w, "hover", 24, 22, "");
    int state_x = ask(w, "hover", 20, 7, ""), algebraic = ask(w, "hover", 25, 2, "");
    int nothing = ask(w, "hover", 21, 3, "");
    assert_int_equal(serve(w), VINC_STOPPED); // it never said exit
    assert_says(w, inherited, "drop");
    assert_says(w, inherited, "in P.Two");
    assert_says(w, modified, "resistance");
    assert_says(w, imported, "P.Parts.R");
    assert_says(w, iterator, "iterator");
    assert_says(w, state_x, "differential: its derivative is determined by `der(x)");
    assert_says(w, state_x, "(line 25)");
    assert_says(w, algebraic, "determined by `y = 2*x` (line 26)");
    assert_int_equal(strncmp(result_of(w, nothing), "null", 4), 0);
    free(w);
}

static void definitions_uses_and_new_names_are_found(void **state)
{
    (void)state;
    wire *w = begun(WORDS);
    int definition = ask(w, "definition", 24, 14, ""), uses = ask(w, "references", 20, 7, "");
    int renamed = ask(w, "rename", 20, 7, ", \"newName\": \"xi\"");
    int refused = ask(w, "rename", 20, 7, ", \"newName\": \"1 x\"");
    int taken = ask(w, "rename", 20, 7, ", \"newName\": \"y\"");
    int class_renamed = ask(w, "rename", 17, 6, ", \"newName\": \"Main\"");
    serve(w);
    assert_float_equal(json_number(result_of(w, definition), "range.start.line"), 4, 0);
    const char *r = result_of(w, uses); // its declaration, lines 23, 24 twice, 25
    assert_non_null(json_find(r, "[4]"));
    assert_null(json_find(r, "[5]"));
    assert_says(w, renamed, "\"newText\": \"xi\"");
    assert_null(result_of(w, refused));
    assert_null(result_of(w, taken));
    assert_non_null(strstr(w->out, "there is something of this name already"));
    assert_says(w, class_renamed, "\"line\": 26"); // end M
    free(w);
}

static void names_are_completed(void **state)
{
    (void)state;
    wire *w = begun(WORDS);
    static char typed[2000];
    snprintf(typed, sizeof typed, "%.*s  r.\nend M;\n", (int)(strstr(WORDS, "end M;") - WORDS),
             WORDS);
    say_open(w, "didChange", typed); // unfinished: it does not parse
    int members = ask(w, "completion", 26, 4, ""), visible = ask(w, "completion", 25, 3, "");
    int package = ask(w, "completion", 19, 4, "");
    serve(w);
    assert_says(w, members, "\"label\": \"R\"");
    assert_says(w, members, "\"label\": \"u\"");
    assert_says(w, members, "\"label\": \"p\"");
    assert_null(strstr(result_of(w, members), "\"label\": \"x\""));
    assert_says(w, visible, "\"label\": \"y\"");
    assert_says(w, package, "\"label\": \"R\"");
    free(w);
}

/* In parentheses the parts that can be modified, attributes, units and named arguments, however unfinished. */
static void modifiers_are_completed(void **state)
{
    (void)state;
    wire *w = begun("model M\n"
                    "  model A parameter Real k(unit = \"N/m\") = 1; Integer n; end A;\n"
                    "  function f input Real angle; output Real y = angle; end f;\n"
                    "  A a(k(u = 1), );\n"
                    "  Real x = f(an);\n"
                    "  extends A(k(displayUnit = \"N/k\"));\n"
                    "  A b(k = 1, \n"
                    "end M;\n");
    int part = ask(w, "completion", 3, 16, ""), attribute = ask(w, "completion", 3, 9, "");
    int argument = ask(w, "completion", 4, 15, ""), unit = ask(w, "completion", 5, 32, "");
    int unfinished = ask(w, "completion", 6, 13, ""), value = ask(w, "completion", 3, 12, "");
    serve(w);
    assert_says(w, part, "\"label\": \"n\"");
    assert_null(strstr(result_of(w, part), "\"label\": \"x\""));
    assert_says(w, attribute, "\"label\": \"unit\"");
    assert_null(strstr(result_of(w, attribute), "\"label\": \"start\"")); // u is typed
    assert_says(w, argument, "\"label\": \"angle\"");
    assert_says(w, unit, "\"label\": \"kg\"");
    assert_null(strstr(result_of(w, unit), "\"label\": \"m\""));
    assert_says(w, unfinished, "\"label\": \"k\"");
    assert_says(w, value, "\"label\": \"x\""); // behind = anything may stand
    free(w);
}

static void values_and_units_are_told(void **state)
{
    (void)state;
    wire *w = begun("model M\n  parameter Real R(unit = \"Ohm\") = 2*k;\n  parameter Real k = 5;\n"
                    "  Real x(start = k, fixed = true, unit = \"V\"), y(unit = \"A\");\n"
                    "equation\n  der(x) = -y/R;\n  y = x/R;\nend M;\n");
    int parameter = ask(w, "hover", 1, 17, ""), state_x = ask(w, "hover", 3, 7, "");
    int algebraic = ask(w, "hover", 6, 2, "");
    serve(w);
    assert_says(w, parameter, "value 10 Ohm");
    assert_says(w, state_x, "starts at 5 V");
    assert_says(w, algebraic, "unit A");
    free(w);
}

static void mistakes_are_told_as_they_are_typed(void **state)
{
    (void)state;
    wire *w = begun("model M\n  Real x = yy;\nend M;\n");
    size_t n;
    say_open(w, "didChange", "model M\n  Real x = 1;\nend M;\n");
    serve(w);
    const char *first = message(w, 0, &n), *second;
    assert_float_equal(json_number(first, "params.diagnostics[0].range.start.line"), 1, 0);
    assert_float_equal(json_number(first, "params.diagnostics[0].range.start.character"), 11, 0);
    assert_float_equal(json_number(first, "params.diagnostics[0].range.end.character"), 13, 0);
    second = message(w, 1, &n);
    assert_null(json_find(second, "params.diagnostics[0]"));
    free(w);
}

/* An editor counts in units of 16 bits: one for ü, two for 𝛼. */
static void columns_are_those_of_editors(void **state)
{
    (void)state;
    wire *w = begun("model M\n  Real x \"\xc3\xbc \xf0\x9d\x9b\xbc\"; Real y = zz;\nend M;\n");
    size_t n;
    int hover = ask(w, "hover", 1, 22, "");
    serve(w);
    assert_float_equal(
        json_number(message(w, 0, &n), "params.diagnostics[0].range.start.character"), 26, 0);
    assert_says(w, hover, "Real y");
    free(w);
}

/* Blanks move and nothing else; what goes on with a statement moves along, comments and strings stay. */
static void texts_are_indented(void **state)
{
    static const char bent[] = "model M // one\n"
                               "Real x=if time>1 then 1\n" // goes on below
                               "       else 2   ;\n"
                               "      /* two\n    lines */\n"
                               "    parameter String s = \"a\n  b\";\n"
                               "     equation\n"
                               "when x>1 then\n"
                               "assert(true,\n       \"said\");\n"
                               " elsewhen x>3 then\n"
                               "// inside\n"
                               "  end when;\n"
                               "    end M;\n";
    (void)state;
    wire *w = begun(bent);
    int edits = ask(w, "formatting", 0, 0, ""), n = 0;
    say_open(w, "didChange", "model M\n  Real x = time;\nend M;\n");
    int none = ask(w, "formatting", 0, 0, "");
    say_open(w, "didChange", "model M\nReal x = (time;\nend M;\n");
    int broken = ask(w, "formatting", 0, 0, "");
    serve(w);
    const char *r = result_of(w, edits);
    const struct {
        int line;
        const char *now;
    } expected[] = {{1, "  Real x=if time>1 then 1"},
                    {2, "         else 2   ;"},
                    {3, "  /* two"},
                    {5, "  parameter String s = \"a"},
                    {7, "equation"},
                    {8, "  when x>1 then"},
                    {9, "    assert(true,"},
                    {10, "           \"said\");"},
                    {11, "  elsewhen x>3 then"},
                    {12, "    // inside"},
                    {14, "end M;"}};
    for (; n < (int)(sizeof expected / sizeof *expected); n++) {
        char at[40], now[60];
        snprintf(at, sizeof at, "[%d].range.start.line", n);
        assert_float_equal(json_number(r, at), expected[n].line, 0);
        snprintf(at, sizeof at, "[%d].newText", n);
        size_t k = 1;
        for (const char *s = expected[n].now; *s; s++) {
            if (*s == '"') now[k++] = '\\';
            now[k++] = *s;
        }
        now[0] = '"';
        assert_int_equal(strncmp(json_find(r, at), now, k), 0);
    }
    char beyond[20];
    snprintf(beyond, sizeof beyond, "[%d]", n);
    assert_null(json_find(r, beyond));
    assert_null(json_find(result_of(w, none), "[0]"));
    assert_null(json_find(result_of(w, broken), "[0]"));
    free(w);
}

static void equations_are_counted_and_names_mended(void **state)
{
    (void)state;
    wire *w = begun("model M\n  Real speed(start = 1, fixed = true), y;\nequation\n"
                    "  der(speed) = -speed;\n  y = 2*speed;\nend M;\n");
    int hint = ask(w, "inlayHint", 0, 0, ", \"range\": {}");
    say_open(w, "didChange", "model M\n  Real speed = 1, y = 2*sped;\nend M;\n");
    int mend = ask(w, "codeAction", 0, 0,
                   ", \"context\": {\"diagnostics\": [{\"message\": \"there is no variable 'sped'; "
                   "did you mean 'speed'?\", \"range\": {\"start\": {\"line\": 1, \"character\": "
                   "24}, \"end\": {\"line\": 1, \"character\": 28}}}]}");
    int other =
        ask(w, "codeAction", 0, 0,
            ", \"context\": {\"diagnostics\": [{\"message\": \"there is no 'z'; did you mean "
            "'speed'?\", \"range\": {\"start\": {\"line\": 1, \"character\": 24}, \"end\": "
            "{\"line\": 1, \"character\": 28}}}]}");
    serve(w);
    size_t n;
    assert_non_null(strstr(message(w, 2, &n), "did you mean 'speed'"));
    assert_says(w, hint, "2 equations, 2 unknowns, index 1");
    assert_says(w, mend, "\"newText\": \"speed\"");
    assert_null(json_find(result_of(w, other), "[0]")); // another name stands there
    free(w);
}

/* A package that is a folder: its text alone is opened, its classes lie beside it. What is typed takes the
 * place of what was typed before, and when the document is closed the file counts again. */
static void folders_are_known(void **state)
{
    char folder[] = "/tmp/lsp-XXXXXX", path[80], body[1000];
    (void)state;
    assert_non_null(mkdtemp(folder));
    const char *files[][2] = {
        {"P", NULL},
        {"P/package.mo", "package P constant Real a = B.c; end P;"},
        {"P/B.mo",
         "within P; package B constant Real c = 1; extends D(redeclare constant Real e = 2); "
         "constant Real f = .abs(e); end B;"},
        {"P/D.mo", "within P; partial package D replaceable constant Real e; end D;"},
        {"P/T.mo", "within P; type T = Real(start = B.c);"},
        {"P/M.mo", "within P; partial package M replaceable record S end S; "
                   "replaceable partial model Base S s; end Base; end M;"},
        {"P/W.mo", "within P; package W extends M; redeclare record extends S Real p; end S; "
                   "redeclare model extends Base(s(p(start = 1))) equation s.p = 1; end Base; "
                   "end W;"}};
    wire *w = calloc(1, sizeof *w);
    int asked[8], k = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i][0]);
        if (!files[i][1]) {
            assert_int_equal(mkdir(path, 0700), 0);
            continue;
        }
        FILE *f = fopen(path, "w");
        fputs(files[i][1], f);
        fclose(f);
        for (int turn = 0; turn < 2; turn++) {
            snprintf(body, sizeof body,
                     "{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/did%s\", \"params\": "
                     "{\"textDocument\": {\"uri\": \"file://%s\", \"text\": \"%s\"}, "
                     "\"contentChanges\": [{\"text\": \"%s \"}]}}",
                     turn ? "Change" : "Open", path, files[i][1], files[i][1]);
            say(w, body);
        }
        snprintf(body, sizeof body,
                 "{\"jsonrpc\": \"2.0\", \"id\": %d, \"method\": \"vincolo/names\", \"params\": "
                 "{\"textDocument\": {\"uri\": \"file://%s\"}}}",
                 asked[k++] = ++w->id, path);
        say(w, body);
    }
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_language_server io = {.read = read_wire, .write = write_wire, .user = w};
    assert_int_equal(vinc_ctx_add_path(ctx, folder), VINC_OK);
    vinc_serve_language(ctx, &io);
    vinc_ctx_free(ctx);
    for (int i = 0; i < k; i++) {
        const char *r = result_of(w, asked[i]);
        assert_non_null(r);
        assert_true(json_number(r, "names") > 0);
        assert_null(json_find(r, "unknown[0]"));
    }
    assert_null(strstr(w->out, "already"));
    for (size_t i = sizeof files / sizeof *files; i-- > 0;) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i][0]);
        remove(path);
    }
    remove(folder);
    free(w);
}

static void write_file(const char *folder, const char *name, const char *words)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(words, f);
    fclose(f);
}

/* A package of several files: uses are found and renamed in all of them, through inheritance, imports, modifications,
 * redeclarations and annotations; what is of the same name elsewhere stays. */
static void names_are_followed_through_files(void **state)
{
    static const char a[] = "within P; partial model A \"base\" replaceable package M = Q; "
                            "parameter Real gain = 1; Real y = gain; end A;";
    static const struct {
        const char *name, *words;
    } files[] = {
        {"package.mo", "package P end P;"},
        {"A.mo", a},
        {"Q.mo", "within P; package Q constant Real gain = 3; end Q;"},
        {"B.mo", "within P; model B extends A(gain = 2, redeclare package M = Q); parameter Real "
                 "k = gain annotation(Dialog(enable = gain > 0)); Real z = M.gain; end B;"},
        {"C.mo", "within P; model C import P.B; B b(gain = 4); Real u = b.gain; Real gain = 7; "
                 "end C;"}};
    char folder[] = "/tmp/lsp-XXXXXX", package[40], body[1000], path[120];
    wire *w = calloc(1, sizeof *w);
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(package, sizeof package, "%s/P", folder);
    assert_int_equal(mkdir(package, 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(package, files[i].name, files[i].words);
    snprintf(path, sizeof path, "%s/A.mo", package);
    snprintf(body, sizeof body,
             "{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/didOpen\", \"params\": "
             "{\"textDocument\": {\"uri\": \"file://%s\", \"text\": \"within P; partial model A "
             "replaceable package M = Q; parameter Real gain = 1; Real y = gain; end A;\"}}}",
             path);
    say(w, body);
    static const struct {
        const char *method, *more;
        int column;
    } questions[] = {{"references", "", 68},
                     {"rename", ", \"newName\": \"K\"", 68},
                     {"references", "", 46},
                     {"rename", ", \"newName\": \"Base\"", 24}};
    for (int i = 0; i < 4; i++) {
        snprintf(body, sizeof body,
                 "{\"jsonrpc\": \"2.0\", \"id\": %d, \"method\": \"textDocument/%s\", "
                 "\"params\": {\"textDocument\": {\"uri\": \"file://%s\"}, \"position\": "
                 "{\"line\": 0, \"character\": %d}%s}}",
                 ++w->id, questions[i].method, path, questions[i].column, questions[i].more);
        say(w, body);
    }
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_language_server io = {.read = read_wire, .write = write_wire, .user = w};
    assert_int_equal(vinc_ctx_add_path(ctx, folder), VINC_OK);
    vinc_serve_language(ctx, &io);
    vinc_ctx_free(ctx);
    // A: two; B: the modifier, the use, the annotation; C: the modifier, b.gain
    const char *r = result_of(w, 1);
    assert_non_null(json_find(r, "[6]"));
    assert_null(json_find(r, "[7]"));
    assert_says(w, 2, "/C.mo");
    assert_null(strstr(result_of(w, 2), "/Q.mo"));
    r = result_of(w, 3); // M: its declaration, the redeclaration and the use in B
    assert_non_null(json_find(r, "[2]"));
    assert_null(json_find(r, "[3]"));
    assert_null(result_of(w, 4)); // its file has its name
    assert_non_null(strstr(w->out, "rename the file"));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", package, files[i].name);
        remove(path);
    }
    remove(package);
    remove(folder);
    free(w);
}

/* Texts are checked when nothing waits: of two changes that came in together only the second is told of. */
static int waits_in_wire(void *user)
{
    const wire *w = user;
    return w->at < w->n_in;
}

static void who_types_fast_is_told_once(void **state)
{
    (void)state;
    wire *w = begun("model M\n  Real x = yy;\nend M;\n");
    size_t n;
    say_open(w, "didChange", "model M\n  Real x = zz;\nend M;\n");
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_language_server io = {read_wire, write_wire, w, waits_in_wire};
    vinc_serve_language(ctx, &io);
    vinc_ctx_free(ctx);
    assert_non_null(strstr(message(w, 0, &n), "zz"));
    assert_null(message(w, 1, &n));
    free(w);
}

static void an_outline_is_given(void **state)
{
    (void)state;
    wire *w = begun(WORDS);
    int outline = ask(w, "documentSymbol", 0, 0, "");
    serve(w);
    const char *r = result_of(w, outline);
    assert_int_equal(strncmp(json_find(r, "[0].children[2].children[0].name"), "\"R\"", 3), 0);
    assert_int_equal(strncmp(json_find(r, "[1].name"), "\"M\"", 3), 0);
    free(w);
}

static void an_editor_says_good_bye(void **state)
{
    (void)state;
    wire *w = begun(WORDS);
    say(w, "{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": \"initialize\", \"params\": {}}");
    say(w, "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"shutdown\"}");
    say(w, "{\"jsonrpc\": \"2.0\", \"method\": \"exit\"}");
    assert_int_equal(serve(w), VINC_OK);
    assert_non_null(strstr(w->out, "hoverProvider"));
    free(w);
}

static void nonsense_is_survived(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "",
        "{",
        "[]",
        "1",
        "null",
        "{\"method\": 1}",
        "{\"id\": 99, \"method\": \"frob\"}",
        "{\"id\": 99, \"method\": \"textDocument/hover\"}",
        "{\"id\": 99, \"method\": \"textDocument/hover\", \"params\": {\"textDocument\": {\"uri\": "
        "\"x\"}}}",
        "{\"method\": \"textDocument/didOpen\", \"params\": {\"textDocument\": {\"uri\": "
        "\"file:///m.mo\", \"text\": 1}}}",
        "{\"a\": \"\\ud800\"}",
        "{\"a\": \"\\u00\"}",
        "{\"a\": \"\x01\"}",
        "{\"a\": 1e}",
        "{\"a\" 1}"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        wire *w = begun(WORDS);
        say(w, bodies[i]);
        int hover = ask(w, "hover", -5, 1 << 30, "");
        int rc = serve(w);
        assert_int_equal(rc, VINC_STOPPED);
        if (*bodies[i]) assert_non_null(result_of(w, hover)); // and it goes on
        free(w);
    }
    for (size_t cut = 0; cut < 300; cut++) { // a connection that breaks
        wire *w = begun(WORDS);
        w->n_in = cut;
        assert_int_equal(serve(w), VINC_STOPPED);
        free(w);
    }
}

/* While it is typed a class may inherit from itself, through others. */
static void circles_come_to_an_end(void **state)
{
    (void)state;
    static const char words[] =
        "model A extends B; extends A.C; extends D.E; model C extends A; end C; Real x = "
        "y.z.w; A y; end A;\n"
        "model B = A;\npackage D extends D; model E = D.E; end D;\n";
    wire *w = begun(words);
    int first = 0;
    for (int column = 0; column < 100; column += 3) {
        int id = ask(w, column % 2 ? "hover" : "completion", 0, column, "");
        if (!first) first = id;
    }
    serve(w);
    for (int id = first; id <= w->id; id++) assert_non_null(result_of(w, id));
    free(w);
}

/* ---- messages that are wrong ------------------------------------------------------------------ */

static void put(wire *w, const char *bytes)
{
    size_t n = strlen(bytes);
    assert_true(w->n_in + n < sizeof w->in);
    memcpy(w->in + w->n_in, bytes, n);
    w->n_in += n;
}

static int count_of(const wire *w, const char *words)
{
    int n = 0;
    for (const char *at = w->out; (at = strstr(at, words)); at++) n++;
    return n;
}

/* After each of them the server finds the next message, and answers it. */
static void wrong_frames_are_answered(void **state)
{
    static const char *const frames[] = {
        "Content-Length: 0\r\n\r\n",
        "Content-Length: abc\r\n\r\n",
        "Content-Length: -5\r\n\r\n",
        "Content-Length: 99999999999999999999999\r\n\r\n",
        "Content-Type: text/plain\r\n\r\n",
        "{\"jsonrpc\": \"2.0\"}\n\n",
        "Content-Length: 4\r\n\r\nnull and what is too much of it", // its rest stands before the next
        "Content-Length: 3\r\n\r\n{]}",
    };
    (void)state;
    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
        wire *w = begun(WORDS);
        put(w, frames[k]);
        int id = ask(w, "hover", 19, 8, "");
        assert_int_equal(serve(w), VINC_STOPPED);
        assert_says(w, id, "resistance");
        if (count_of(w, "\"error\"") != 1) fail_msg("frame %zu: %s", k, w->out);
        free(w);
    }
    wire *w = begun(WORDS);
    put(w, "\n\r\n\n"); // between messages: nothing
    int first = ask(w, "hover", 19, 8, "");
    for (int i = 0; i < 500; i++) put(w, "a header that does not end ");
    put(w, "\r\n\r\n");
    int second = ask(w, "hover", 19, 8, "");
    put(w, "Content-Length: 150\r\n\r\n{}"); // it takes the next one with it
    ask(w, "hover", 19, 8, "");
    int last = ask(w, "hover", 19, 8, "");
    assert_int_equal(serve(w), VINC_STOPPED);
    assert_says(w, first, "resistance");
    assert_says(w, second, "resistance");
    assert_says(w, last, "resistance");
    free(w);
}

static void wrong_messages_are_answered(void **state)
{
    static const char *const refused[] = {"{",
                                          "null",
                                          "[]",
                                          "[1, 2]",
                                          "\"x\"",
                                          "5",
                                          "{}",
                                          "{\"id\": 900}",
                                          "{\"id\": {}, \"method\": 5}",
                                          "{\"id\": 900, \"method\": \"nosuch\"}",
                                          "{\"id\": [], \"method\": \"\", \"params\": 1}"};
    static const char *const ignored[] = {
        "{\"method\": \"nosuch\"}",
        "{\"id\": 77, \"result\": null}",
        "{\"method\": \"$/cancelRequest\", \"params\": {\"id\": 4711}}",
        "{\"method\": \"textDocument/didOpen\"}",
        "{\"method\": \"textDocument/didOpen\", \"params\": []}",
        "{\"method\": \"textDocument/didOpen\", \"params\": {\"textDocument\": {\"uri\": 5}}}",
        "{\"method\": \"textDocument/didChange\", \"params\": {\"contentChanges\": {}}}",
        "{\"method\": \"textDocument/didClose\", \"params\": {\"textDocument\": {\"uri\": \"x\"}}}",
        "{\"method\": \"textDocument/didClose\"}"};
    static const char *const params[] = {
        "null",
        "1",
        "[]",
        "{}",
        "{\"textDocument\": 5}",
        "{\"textDocument\": {\"uri\": 5}}",
        "{\"textDocument\": {\"uri\": \"file:///m.mo\"}}",
        "{\"textDocument\": {\"uri\": \"file:///m.mo\"}, \"position\": \"x\", \"context\": 1}",
        "{\"textDocument\": {\"uri\": \"file:///m.mo\"}, \"position\": {\"line\": 1e300, "
        "\"character\": -1e300}, \"context\": {\"diagnostics\": [1, {}, {\"range\": {\"start\": "
        "{\"line\": -1e300}}, \"message\": 5}]}, \"newName\": 5}"};
    static const char *const methods[] = {"hover",      "definition", "references",
                                          "rename",     "completion", "documentSymbol",
                                          "formatting", "inlayHint",  "codeAction"};
    char body[600];
    (void)state;
    wire *w = begun(WORDS);
    int n_refused = sizeof refused / sizeof *refused;
    for (int k = 0; k < n_refused; k++) say(w, refused[k]);
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++) say(w, ignored[k]);
    int id = ask(w, "hover", 19, 8, "");
    assert_int_equal(serve(w), VINC_STOPPED);
    assert_says(w, id, "resistance");
    assert_int_equal(count_of(w, "\"error\""), n_refused);
    free(w);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        w = begun(WORDS);
        for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
            snprintf(body, sizeof body,
                     "{\"id\": %zu, \"method\": \"textDocument/%s\", \"params\": %s}", 1000 + k,
                     methods[m], params[k]);
            say(w, body);
        }
        id = ask(w, "hover", 19, 8, "");
        assert_int_equal(serve(w), VINC_STOPPED);
        assert_says(w, id, "resistance");
        assert_int_equal(count_of(w, "\"id\": 10"), (int)(sizeof params / sizeof *params));
        free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_explained),
        cmocka_unit_test(definitions_uses_and_new_names_are_found),
        cmocka_unit_test(names_are_completed),
        cmocka_unit_test(modifiers_are_completed),
        cmocka_unit_test(values_and_units_are_told),
        cmocka_unit_test(names_are_followed_through_files),
        cmocka_unit_test(who_types_fast_is_told_once),
        cmocka_unit_test(mistakes_are_told_as_they_are_typed),
        cmocka_unit_test(columns_are_those_of_editors),
        cmocka_unit_test(texts_are_indented),
        cmocka_unit_test(equations_are_counted_and_names_mended),
        cmocka_unit_test(folders_are_known),
        cmocka_unit_test(an_outline_is_given),
        cmocka_unit_test(an_editor_says_good_bye),
        cmocka_unit_test(nonsense_is_survived),
        cmocka_unit_test(circles_come_to_an_end),
        cmocka_unit_test(wrong_frames_are_answered),
        cmocka_unit_test(wrong_messages_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
