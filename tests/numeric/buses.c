/* Expandable connectors: what is connected to a bus reaches all that is connected to it, through buses
 * inside buses, arrays of them, and outer ones. Values at t = 1 against closed forms: y = k t is
 * integrated to k/2, ten volts across two ohms drive five amperes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

#define PARTS                                                                                      \
    "connector In = input Real; connector Out = output Real; connector BOut = output Boolean;\n"   \
    "connector Pin Real v; flow Real i; end Pin;\n"                                                \
    "expandable connector Sub end Sub;\n"                                                          \
    "expandable connector Bus Sub sub; Real speed; Real unused; Boolean lamp; Real open[:];\n"     \
    "end Bus;\n"                                                                                   \
    "model Source parameter Real k = 1; Out y; equation y = k*time; end Source;\n"                 \
    "model Sink In u; Real x(start = 0, fixed = true); equation der(x) = u; end Sink;\n"           \
    "model Resistor Pin p, n; equation p.v - n.v = 2*p.i; p.i + n.i = 0; end Resistor;\n"          \
    "model Ground Pin p; equation p.v = 0; end Ground;\n"                                          \
    "model Voltage Pin p, n; equation p.v - n.v = 10; p.i + n.i = 0; end Voltage;\n"               \
    "model Engine Bus bus; Source s(k = 3), a[2](k = {5, 7}); Voltage V; BOut lamp = time > "      \
    "0.5;\n"                                                                                       \
    "equation connect(s.y, bus.speed); connect(a[1].y, bus.sub.load[1]);\n"                        \
    "connect(bus.sub.load[3], a[2].y); connect(V.p, bus.plus); connect(bus.minus, V.n);\n"         \
    "connect(lamp, bus.lamp); connect(a.y, bus.open); end Engine;\n"                               \
    "model Display Bus bus; Sink x, l[2], o[2]; Resistor R; Ground g;\n"                           \
    "equation connect(bus.speed, x.u); connect(bus.sub.load[1], l[1].u);\n"                        \
    "connect(bus.sub.load[3], l[2].u); connect(R.p, bus.plus); connect(R.n, bus.minus);\n"         \
    "connect(R.n, g.p); connect(bus.open, o.u); end Display;\n"

static const char *const direct =
    "model M " PARTS "Engine e; Display d; equation connect(e.bus, d.bus); end M;";
static const char *const through =
    "model M " PARTS "Engine e; Display d; Bus bus; Real z = bus.speed + bus.sub.load[3];\n"
    "Boolean lit = bus.lamp; equation connect(e.bus, bus); connect(bus, d.bus); end M;";
static const char *const arrays =
    "model M " PARTS "Engine e[2](s(k = {1, 2})); Display d[2]; Bus bus[2];\n"
    "equation connect(e.bus, bus); for i in 1:2 loop connect(bus[i], d[i].bus); end for; end M;";
static const char *const unlike =
    "model M " PARTS "Bus bus[2]; Source s, t(k = 4); Sink x, y;\n"
    "equation connect(bus[1].a, s.y); connect(bus[2].b, t.y); connect(bus[1].a, x.u);\n"
    "connect(bus[2].b, y.u); end M;";
static const char *const outer =
    "model M " PARTS "model Inside outer Bus bus; Source s; equation connect(s.y, bus.v);\n"
    "end Inside; inner Bus bus; Inside i; Sink x; equation connect(bus.v, x.u); end M;";

static void signals_arrive(void **state)
{
    (void)state;
    static const struct {
        const char *const *text, *name;
        double value;
    } list[] = {
        {&direct, "d.x.x", 1.5},     {&direct, "d.l[1].x", 2.5},    {&direct, "d.l[2].x", 3.5},
        {&direct, "d.R.p.i", 5},     {&direct, "d.o[2].x", 3.5},    {&direct, "e.V.p.i", -5},
        {&through, "d.l[2].x", 3.5}, {&through, "z", 10},           {&through, "lit", 1},
        {&through, "d.R.p.i", 5},    {&through, "bus.speed", 3},    {&arrays, "d[1].x.x", 0.5},
        {&arrays, "d[2].x.x", 1},    {&arrays, "d[2].l[2].x", 3.5}, {&arrays, "d[1].R.p.i", 5},
        {&unlike, "x.x", 0.5},       {&unlike, "y.x", 2},           {&outer, "x.x", 0.5},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r = trial_of(*list[i].text, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
        double x = vinc_result_at(r.result, list[i].name, 1);
        if (!(fabs(x - list[i].value) < 1e-6))
            fail_msg("%s is %.9g, not %.9g: %s", list[i].name, x, list[i].value, *list[i].text);
        trial_end(&r);
    }
}

static void wrong_buses_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } list[] = {
        {"model M " PARTS "Bus a, b; equation connect(a.x, b.x); end M;",
         "nothing says what 'a.x' is"},
        {"model M " PARTS "Bus a; Source s; Real z = a.unused; equation connect(a.x, s.y); end M;",
         "'a.unused' is not there: nothing is connected"},
        {"model M " PARTS "Bus a; Ground g; equation connect(a, g.p); end M;",
         "one is an expandable connector and the other is not"},
        {"model M " PARTS "Bus a; Source s; equation connect(a.more.x, s.y); end M;",
         "nothing says what 'a.more' is"},
        {"model M " PARTS "Bus a; Sink s; equation connect(a.x, s.u); end M;",
         "to which only inputs are connected"},
        {"model M " PARTS
         "Bus a; Source s, t; equation connect(a.x, s.y); connect(a.x, t.y); end M;",
         "both are sources"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r = trial_start(NULL, list[i].text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
        if (!r.rc || !strstr(vinc_ctx_messages(r.ctx), list[i].words))
            fail_msg("'%s' instead of '%s'", vinc_ctx_messages(r.ctx), list[i].words);
        trial_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_arrive),
        cmocka_unit_test(wrong_buses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
