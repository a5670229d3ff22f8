/* No passive component of lib/Vincolo gives more energy than it got.
 *
 * Every component that has a stored energy is shaken at all its connectors, each through a lossy
 * source of its own frequency, and the energy supplied must never fall below the change of the
 * stored energy. The library is walked through, so that no component can be forgotten: one that has
 * 'energy', its own or inherited, and no entry here fails the test.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vincolo.h"
#include "walk.h"

typedef struct component {
    const char *class, *modifiers;
    const char *connectors; // "kind name kind name ..."
    const char *also;       // further equations
} component;

static const component components[] = {
#define E "Vincolo.Electrical."
    {E "Resistor", "", "Pin p Pin n", ""},
    {E "Capacitor", "", "Pin p Pin n", ""},
    {E "Inductor", "", "Pin p Pin n", ""},
    {E "CoupledInductors", "", "Pin p1 Pin n1 Pin p2 Pin n2", ""},
    {E "Transformer", "n = 2", "Pin p1 Pin n1 Pin p2 Pin n2", ""},
    {E "Diode", "", "Pin p Pin n", ""},
    {E "IdealDiode", "Ron = 0.1, Goff = 0.1", "Pin p Pin n", ""},
    {E "IdealSwitch", "Ron = 0.1, Goff = 0.1", "Pin p Pin n", "c.on = sin(7*time) > 0;"},
    {E "NPN", "", "Pin b Pin c Pin e", ""},
    {E "EMF", "", "Pin p Pin n Shaft shaft", ""},
    {E "DCMotor", "", "Pin p Pin n Shaft shaft", ""},
#undef E
    {"Vincolo.Thermal.Capacitance", "", "HeatPort port", ""},
    {"Vincolo.Thermal.Conductance", "", "HeatPort a HeatPort b", ""},
    {"Vincolo.Thermal.Convection", "", "HeatPort a HeatPort b", "c.h = 2 + sin(time);"},
    {"Vincolo.Thermal.Radiation", "", "HeatPort a HeatPort b", ""},
#define M "Vincolo.Mechanics."
#define T M "Translational."
    {T "Mass", "", "Flange a Flange b", ""},
    {T "Spring", "", "Flange a Flange b", ""},
    {T "Damper", "", "Flange a Flange b", ""},
    {T "SpringDamper", "", "Flange a Flange b", ""},
    {T "ViscousFriction", "q = 1", "Flange a Flange b", ""},
    {T "Stribeck", "", "Flange a Flange b", ""},
    {T "DryFriction", "Fc = 0.3, Fs = 0.4, d = 0.1", "Block a Block b", ""},
    {T "MassWithFriction", "Fc = 0.3, Fs = 0.4", "Flange flange", ""},
    {T "BouncingMass", "s(start = 0.05, fixed = true), v(fixed = true)", "Flange flange", ""},
    {T "ElasticStop", "c = 100, d = 1", "Flange a Flange b", ""},
    {T "Lever", "ratio = 2", "Flange a Flange b", ""},
#undef T
#define R M "Rotational."
    {R "Inertia", "", "Shaft a Shaft b", ""},
    {R "Spring", "", "Shaft a Shaft b", ""},
    {R "Damper", "", "Shaft a Shaft b", ""},
    {R "SpringDamper", "", "Shaft a Shaft b", ""},
    {R "Stribeck", "", "Shaft a Shaft b", ""},
    {R "DryFriction", "Tc = 0.3, Ts = 0.4, d = 0.1", "Wheel a Wheel b", ""},
    {R "Gear", "ratio = 3", "Shaft a Shaft b", ""},
    {R "RackAndPinion", "r = 2", "Shaft shaft Flange flange", ""},
    {R "Clutch", "Tmax = 0.5", "Wheel a Wheel b", "c.u = sin(2*time);"},
#undef R
#define H "Vincolo.Hydraulic."
    {H "Resistance", "", "Port a Port b", ""},
    {H "Orifice", "", "Port a Port b", ""},
    {H "Pipe", "f = 0.02", "Port a Port b", ""},
    {H "Tank", "A = 1e-3", "Port port[1]", ""},
    {H "Volume", "", "Port port[1] Port port[2]", ""},
    {H "Accumulator", "V(start = 1e-4, fixed = true)", "Port port", ""},
    {H "Cylinder", "", "Port a Port b Flange flange", ""},
    {H "ServoValve", "", "Port P Port T Port A Port B", "c.u = sin(2*time);"},
    {H "Pump", "", "Port a Port b Shaft shaft", ""},
#undef H
#define P M "Planar."
    {P "Body", "at = [0, 0; 0.3, 0.1]", "PlanarFrame frame[1] PlanarFrame frame[2]", ""},
    {P "PointMass", "", "PlanarFrame frame", ""},
    {P "Bar", "", "PlanarFrame a PlanarFrame b", ""},
    {P "Revolute", "c = 1, d = 1", "PlanarFrame a PlanarFrame b", ""},
    {P "Prismatic", "c = 1, d = 1", "PlanarFrame a PlanarFrame b", ""},
    {P "SpringDamper", "c = 10, d = 1, s0 = 1, a(r(start = {1, 0.2})), b(r(start = {2, 0.4}))",
     "PlanarFrame a PlanarFrame b", ""},
    {P "Contact", "c = 100, d = 1, v1 = 0.1, frame(r(start = {1, 0.2}))", "PlanarFrame frame", ""},
#undef P
#define S M "Spatial."
    {S "Body", "at = [0, 0, 0; 0.3, 0.1, 0.2]", "SpatialFrame frame[1] SpatialFrame frame[2]", ""},
    {S "PointMass", "", "SpatialFrame frame", ""},
    {S "RollingDisc",
     "r(start = {0, 0.1, 0.49}), p(start = {0.8, 0.6, 0, 0}, each fixed = true), "
     "w(start = {0, 0, -4}, each fixed = true)",
     "", ""},
    {S "Bar", "", "SpatialFrame a SpatialFrame b", ""},
    {S "Revolute", "d = 1", "SpatialFrame a SpatialFrame b", ""},
    {S "Prismatic", "c = 1, d = 1", "SpatialFrame a SpatialFrame b", ""},
    {S "SpringDamper",
     "c = 10, d = 1, s0 = 1, a(r(start = {1, 0.2, 0.1})), b(r(start = {2, 0.4, 0.2}))",
     "SpatialFrame a SpatialFrame b", ""},
    {S "Contact", "c = 100, d = 1, v1 = 0.1, frame(r(start = {1, 0.2, 0.1}))", "SpatialFrame frame",
     ""},
#undef S
#undef M
};
enum { N_COMPONENTS = sizeof components / sizeof *components };

static void add(char *words, size_t size, const char *format, const char *a, const char *b, int k)
{
    size_t n = strlen(words);
    snprintf(words + n, size - n, format, a, b, k);
}

/* A model around the component, with a source of its own at every connector. */
static void shaken(const component *c, char *words, size_t size)
{
    *words = 0;
    add(words, size, "model Test\n  %s c(%s);\n", c->class, c->modifiers, 0);
    const char *world = strstr(c->class, "Planar")    ? "Planar"
                        : strstr(c->class, "Spatial") ? "Spatial"
                                                      : NULL;
    if (world) add(words, size, "  inner Vincolo.Mechanics.%s.World world%s;\n", world, "", 0);
    char kind[30], name[30];
    const char *at = c->connectors;
    for (int k = 1, n; sscanf(at, "%29s %29s%n", kind, name, &n) == 2; at += n, k++)
        add(words, size, "  Sources.%s%s s%d", kind, "", k),
            add(words, size, "(k = %s%s%d);\n", "", "", k);
    add(words, size,
        "  Real supplied(start = 0, fixed = true), first, balance = supplied - (c.energy - "
        "first);\n"
        "initial equation\n  first = c.energy;\nequation\n  der(supplied) = c.power;\n"
        "  der(first) = 0;\n  %s\n%s",
        c->also, "", 0);
    at = c->connectors;
    for (int k = 1, n; sscanf(at, "%29s %29s%n", kind, name, &n) == 2; at += n, k++)
        add(words, size, "  connect(c.%s, s%s%d.c);\n", name, "", k);
    add(words, size, "end Test;\n%s%s", "", "", 0);
}

static void one(const component *c, const char *sources)
{
    size_t size = strlen(sources) + 4000;
    char *words = test_malloc(size);
    char model[4000];
    shaken(c, model, sizeof model);
    snprintf(words, size, "%s%s", sources, model);
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
    vinc_model *m = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.rel_tol = 1e-9, .has_stop = 1, .t_stop = 3, .intervals = 200};
    int rc = vinc_model_load_text(ctx, "test.mo", words, strlen(words), "Test", &m);
    if (!rc) rc = vinc_sim_new(m, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc) print_error("%s: %s\n%s", c->class, vinc_ctx_messages(ctx), model);
    assert_int_equal(rc, VINC_OK);
    vinc_result *r = vinc_sim_result(sim);
    double least = 0, most = 0;
    for (int k = 0; k <= 200; k++) {
        double t = 3.0 * k / 200, b = vinc_result_at(r, "balance", t);
        least = fmin(least, b);
        most = fmax(most, fabs(vinc_result_at(r, "supplied", t)) +
                              fabs(vinc_result_at(r, "c.energy", t)));
    }
    double allowed = 1e-5 * fmax(most, 1); // far above the error of a run at 1e-9
    if (least < -allowed)
        print_error("%s gives %g J of its own (energies up to %g J)\n", c->class, -least, most);
    assert_true(least >= -allowed);
    vinc_sim_free(sim);
    vinc_model_free(m);
    vinc_ctx_free(ctx);
    test_free(words);
}

static void balance(void **state)
{
    (void)state;
    char *sources = walk_file(VINCOLO_ROOT "/tests/library/sources.mo");
    for (int k = 0; k < N_COMPONENTS; k++) one(&components[k], sources);
    test_free(sources);
}

/* Does the class, or one that it extends, declare a variable of this name? Bases are looked up as
 * Modelica does, in the packages around, and in Interfaces, which all packages import from. */
static bool declares(walk *w, ast_class *c, sym name)
{
    if (lang_element(c, name)) return true;
    for (int k = 0; k < c->n_elements; k++) {
        const ast_element *e = c->elements[k];
        if (e->kind != AST_EXTENDS) continue;
        sym base = e->extends->type.at[e->extends->type.n - 1].name;
        ast_class *found = NULL;
        for (ast_class *p = c->parent; p && !found; p = p->parent)
            found = lang_child(&w->lib, p, base);
        if (!found) found = lang_child(&w->lib, lang_find(&w->lib, "Vincolo.Interfaces"), base);
        if (!found) print_error("%s extends %s: not found\n", c->name, base);
        assert_non_null(found);
        if (declares(w, found, name)) return true;
    }
    return false;
}

static void none_forgotten(void **state)
{
    walk *w = *state;
    int found = 0, missing = 0;
    for (int k = 0; k < w->classes.n; k++) {
        ast_class *c = w->classes.at[k];
        if (!walk_is_component(c) || c->restriction == AST_R_FUNCTION) continue;
        if (!declares(w, c, sym_of(&w->syms, "energy"))) continue;
        const char *path = lang_class_path(c, &w->a);
        int i = 0;
        while (i < N_COMPONENTS && strcmp(components[i].class, path)) i++;
        if (i == N_COMPONENTS) print_error("%s is not tested\n", path);
        missing += i == N_COMPONENTS;
        found++;
    }
    assert_int_equal(missing, 0);
    assert_int_equal(found, N_COMPONENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(balance), cmocka_unit_test(none_forgotten)};
    return cmocka_run_group_tests(tests, walk_begin, walk_end);
}
