/* Descriptions that are right, and each rule broken once.
 *
 * A case replaces some words of a description that breaks no rule; the codes that follow are those of
 * the rules that the standard says are broken by it, and no others.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "zip_make.h"

#include "fmi/description.h"

extern const fmi_unpacker vincolo_plugin;

static const char right2[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"M\" guid=\"{1}\" "
    "numberOfEventIndicators=\"1\" "
    "variableNamingConvention=\"structured\">\n"
    "<ModelExchange modelIdentifier=\"M\"/>\n"
    "<CoSimulation modelIdentifier=\"M\" canHandleVariableCommunicationStepSize=\"true\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\"/><DisplayUnit name=\"mm\" "
    "factor=\"1000\"/></Unit>"
    "</UnitDefinitions>\n"
    "<TypeDefinitions><SimpleType name=\"Length\"><Real unit=\"m\" min=\"0\"/></SimpleType>"
    "<SimpleType name=\"Colour\"><Enumeration><Item name=\"red\" "
    "value=\"1\"/></Enumeration></SimpleType>"
    "</TypeDefinitions>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"1\" tolerance=\"1e-4\" stepSize=\"0.1\"/>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name=\"x\" valueReference=\"1\" initial=\"exact\"><Real start=\"1\" "
    "unit=\"m\" "
    "displayUnit=\"mm\" nominal=\"2\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"der(x)\" valueReference=\"2\"><Real "
    "derivative=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"k\" valueReference=\"3\" causality=\"parameter\" "
    "variability=\"fixed\"><Real "
    "declaredType=\"Length\" start=\"2\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"a.y[1]\" valueReference=\"4\" "
    "causality=\"output\"><Real/></ScalarVariable>\n"
    "<ScalarVariable name=\"u\" valueReference=\"5\" causality=\"input\"><Real "
    "start=\"0\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"c\" valueReference=\"6\" causality=\"parameter\" variability=\"fixed\">"
    "<Enumeration declaredType=\"Colour\" start=\"1\"/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Outputs><Unknown index=\"4\" dependencies=\"1 5\" "
    "dependenciesKind=\"dependent fixed\"/>"
    "</Outputs><Derivatives><Unknown index=\"2\"/></Derivatives>"
    "<InitialUnknowns><Unknown index=\"2\"/><Unknown "
    "index=\"4\"/></InitialUnknowns></ModelStructure>\n"
    "</fmiModelDescription>\n";

static const char right3[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"M\" instantiationToken=\"{1}\">\n"
    "<ModelExchange modelIdentifier=\"M\" vendor=\"kept\"/>\n"
    "<CoSimulation modelIdentifier=\"M\" hasEventMode=\"true\"/>\n"
    "<ModelVariables>\n"
    "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" "
    "variability=\"continuous\"/>\n"
    "<UInt64 name=\"n\" valueReference=\"9\" causality=\"structuralParameter\" start=\"2\"/>\n"
    "<Float64 name=\"x\" valueReference=\"1\" initial=\"exact\" start=\"1 2\" reinit=\"true\">"
    "<Dimension valueReference=\"9\"/><Alias name=\"state\"/></Float64>\n"
    "<Float64 name=\"dx\" valueReference=\"2\" derivative=\"1\"><Dimension "
    "valueReference=\"9\"/></Float64>\n"
    "<Float64 name=\"g\" valueReference=\"3\"/>\n"
    "<Int8 name=\"i\" valueReference=\"4\" causality=\"output\" start=\"-128\" "
    "initial=\"exact\"/>\n"
    "<String name=\"s\" valueReference=\"5\" causality=\"parameter\"><Start value=\"a "
    "b\"/></String>\n"
    "<Clock name=\"tick\" valueReference=\"6\" causality=\"input\" "
    "intervalVariability=\"triggered\"/>\n"
    "<Int32 name=\"ticks\" valueReference=\"7\" clocks=\"6\"/>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Output valueReference=\"4\"/><ContinuousStateDerivative "
    "valueReference=\"2\"/>"
    "<InitialUnknown valueReference=\"2\"/><EventIndicator "
    "valueReference=\"3\"/></ModelStructure>\n"
    "</fmiModelDescription>\n";

typedef struct judging {
    mem m;
    arena a;
    fmi_file f;
    result_fault fault;
    size_t at;
    int rc;
    const zip_bytes *z;
    diag_sink sink;
} judging;

static int judge_inside(void *job)
{
    judging *j = job;
    diag_init(&j->sink, &j->a);
    j->rc = fmi_file_open(&j->f, &j->a, j->z->at, j->z->n, &vincolo_plugin, &j->fault, &j->at);
    if (!j->rc) fmi_rules_check(&j->f, 1, &j->sink);
    return 0;
}

/* The codes that a text gets, each once, in their order. */
static void codes_of(const char *words, char out[200])
{
    static zip_bytes z;
    zip_make(&z,
             (zip_entry[]){{.name = "modelDescription.xml", .bytes = words},
                           {.name = "binaries/linux64/M.so", .bytes = "no library"}},
             2);
    judging j = {.m = mem_std(), .z = &z};
    arena_init(&j.a, &j.m);
    assert_int_equal(mem_guarded(&j.m, judge_inside, &j, 1), 0);
    out[0] = 0;
    if (j.rc) strcpy(out, j.fault.code);
    for (const diag *d = j.sink.first; d; d = d->next)
        if (!strstr(out, d->code) && strlen(out) < 180)
            sprintf(out + strlen(out), "%s%s", *out ? " " : "", d->code);
    fmi_file_done(&j.f, &j.m);
    arena_done(&j.a);
}

static void replaced(const char *words, const char *from, const char *to, char *out, size_t size)
{
    const char *at = strstr(words, from);
    if (!at) fail_msg("'%s' is not in the description", from);
    snprintf(out, size, "%.*s%s%s", (int)(at - words), words, to, at + strlen(from));
}

static const struct {
    int fmi;
    const char *from, *to, *codes;
} cases[] = {
    {2, "<?xml", "<?xml", ""},
    {3, "<?xml", "<?xml", ""},
    /* what cannot be read */
    {2, "</ModelVariables>", "", "F111"},
    {2, "\"UTF-8\"?>", "\"UTF-8\"?><!DOCTYPE a [<!ENTITY b \"c\">]>", "F112"},
    {3, "\"UTF-8\"?>", "\"UTF-8\"?><!DOCTYPE a SYSTEM \"file:///etc/passwd\">", "F112"},
    {2, "modelName=\"M\"", "modelName=\"&b;\"", "F111"},
    {2, "fmiVersion=\"2.0\"", "fmiVersion=\"1.0\"", "F113"},
    {2, "fmiVersion=\"2.0\"", "", "F113"},
    /* the schema */
    {2, "<DefaultExperiment", "<Default/><DefaultExperiment", "F120"},
    {3, "<Alias name", "<Other/><Alias name", "F120"},
    {2, "unit=\"m\" min", "units=\"s\" unit=\"m\" min", "F121"},
    {3, "hasEventMode", "hasEventmode", ""}, // any attribute may stand there
    {2, "modelName=\"M\"", "", "F122"},
    {3, " valueReference=\"3\"/>", "/>", "F122 F131 F144"},
    {2, "nominal=\"2\"", "nominal=\"two\"", "F123"},
    {2, "start=\"1\" unit", "start=\"1,5\" unit", "F123"},
    {3, "start=\"-128\"", "start=\"-129\"", "F123"},
    {3, "start=\"1 2\"", "start=\"1 x\"", "F123"},
    {2, "canHandleVariableCommunicationStepSize=\"true\"",
     "canHandleVariableCommunicationStepSize=\"yes\"", "F123"},
    {2, "causality=\"input\"", "causality=\"in\"", "F123 F135"},
    {2, "<Real/></ScalarVariable>", "</ScalarVariable>", "F124"},
    {3, "<Start value", "<Start value=\"\"/><Dimension start=\"1\"/><Start value", "F125 F155"},
    /* names and references */
    {2, "name=\"k\"", "name=\"u\"", "F130"},
    {3, "name=\"state\"", "name=\"g\"", "F130"},
    {3, "name=\"g\" valueReference=\"3\"", "name=\"g\" valueReference=\"4\"", "F131 F144 F145"},
    {2, "name=\"a.y[1]\"", "name=\"a.y[\"", "F143"},
    {2, "name=\"a.y[1]\"", "name=\"'any thing'.y\"", ""},
    {2, "name=\"der(x)\"", "name=\"der(x,2)\"", ""},
    {2, "name=\"der(x)\"", "name=\"der(x\"", "F143"},
    /* causality, variability, initial, start */
    {2, "causality=\"input\"", "causality=\"input\" variability=\"fixed\"", "F132"},
    {3, "causality=\"output\"", "causality=\"parameter\" variability=\"continuous\"",
     "F132 F136 F145"},
    {2, "causality=\"input\"", "causality=\"input\" initial=\"exact\"", "F133"},
    {2, "causality=\"output\"", "causality=\"output\" initial=\"exact\"", "F134 F147"},
    {2, "<Real start=\"0\"/>", "<Real/>", "F134"},
    {3, "<Start value=\"a b\"/>", "", "F134"},
    {2, "<Real/>", "<Real start=\"1\"/>", "F135"},
    {3, "causality=\"independent\" variability",
     "causality=\"independent\" start=\"0\" variability", "F135"},
    {3, "clocks=\"6\"", "variability=\"continuous\"", "F136"},
    {2, "variability=\"fixed\"><Enumeration", "><Enumeration", "F132 F136"},
    /* units, types, bounds */
    {2, "start=\"1\" unit=\"m\"", "start=\"1\" unit=\"s\"", "F137"},
    {2, "displayUnit=\"mm\"", "displayUnit=\"km\"", "F138"},
    {2, "declaredType=\"Length\"", "declaredType=\"Width\"", "F139"},
    {2, "declaredType=\"Length\"", "declaredType=\"Colour\"", "F139"},
    {2, "nominal=\"2\"", "nominal=\"0\"", "F141"},
    {2, "nominal=\"2\"", "min=\"3\" max=\"2\"", "F141"},
    {2, "\"Length\" start=\"2\"", "\"Length\" start=\"-2\"", "F141"},
    {2, "\"Colour\" start=\"1\"", "\"Colour\" start=\"2\"", "F152"},
    {2, "</Unit>", "</Unit><Unit name=\"m\"/>", "F157"},
    /* derivatives, states, arrays, clocks */
    {2, "derivative=\"1\"", "derivative=\"11\"", "F140"},
    {2, "derivative=\"1\"", "derivative=\"6\"", "F140"},
    {2, "<Real derivative=\"1\"/>", "<Real/>", "F146"},
    {3, "initial=\"exact\" start=\"1 2\" reinit=\"true\"", "initial=\"exact\" start=\"1 2\"", ""},
    {3, "name=\"g\"", "reinit=\"true\" name=\"g\"", "F153"},
    {3, "<Dimension valueReference=\"9\"/><Alias", "<Dimension/><Alias", "F140 F154"},
    {3, "<Dimension valueReference=\"9\"/><Alias", "<Dimension valueReference=\"3\"/><Alias",
     "F140 F154"},
    {3, "start=\"1 2\"", "start=\"1 2 3\"", "F155"},
    {3, "start=\"1 2\"", "start=\"1\"", ""},
    {3, "clocks=\"6\"", "clocks=\"4\"", "F158"},
    {3, "causality=\"independent\"", "", "F142"},
    /* structure */
    {2, "<Unknown index=\"4\" dep", "<Unknown index=\"7\" dep", "F144 F145"},
    {2, "dependencies=\"1 5\"", "dependencies=\"1 8\"", "F144"},
    {2, "<Outputs><Unknown index=\"4\"", "<Outputs><Unknown index=\"3\"", "F145"},
    {3, "<Output valueReference=\"4\"/>", "", "F145"},
    {2, "<InitialUnknowns><Unknown index=\"2\"/>", "<InitialUnknowns>", "F147"},
    {3, "<InitialUnknown valueReference=\"2\"/>",
     "<InitialUnknown valueReference=\"2\"/><InitialUnknown valueReference=\"3\"/>", "F147"},
    {2, "dependenciesKind=\"dependent fixed\"", "dependenciesKind=\"fixed\"", "F148"},
    {3, "<EventIndicator valueReference=\"3\"/>", "<EventIndicator valueReference=\"7\"/>", "F149"},
    /* the whole */
    {2, "<CoSimulation modelIdentifier=\"M\"", "<CoSimulation modelIdentifier=\"N\"", "F151"},
    {2, "<CoSimulation modelIdentifier=\"M\"", "<CoSimulation modelIdentifier=\"M.so\"",
     "F150 F151"},
    {3,
     "<ModelExchange modelIdentifier=\"M\" vendor=\"kept\"/>\n<CoSimulation modelIdentifier=\"M\" "
     "hasEventMode=\"true\"/>",
     "", "F150"},
    {2, "stopTime=\"1\"", "stopTime=\"-1\"", "F156"},
    {2, "tolerance=\"1e-4\"", "tolerance=\"0\"", "F156"},
};

static void every_rule_is_held(void **state)
{
    (void)state;
    char words[6000], codes[200];
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        replaced(cases[i].fmi == 2 ? right2 : right3, cases[i].from, cases[i].to, words,
                 sizeof words);
        codes_of(words, codes);
        if (strcmp(codes, cases[i].codes) != 0 && ++wrong)
            print_error("FMI %d, '%s' instead of '%s': '%s', not '%s'\n", cases[i].fmi, cases[i].to,
                        cases[i].from, codes, cases[i].codes);
    }
    assert_int_equal(wrong, 0);
}

static void deep_elements_are_refused(void **state)
{
    (void)state;
    char words[4000] = "", codes[200];
    for (int i = 0; i < FMI_XML_DEPTH + 1; i++) strcat(words, "<a>");
    for (int i = 0; i < FMI_XML_DEPTH + 1; i++) strcat(words, "</a>");
    codes_of(words, codes);
    assert_string_equal(codes, "F111");
    assert_non_null(strchr(words, 'a'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_held),
        cmocka_unit_test(deep_elements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
