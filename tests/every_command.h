/* Every command of the tool with arguments that use most of it, for tests that make things fail:
 * memory, disks, signals. Paths are relative to a folder that every_command_files has filled.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_EVERY_COMMAND_H
#define TESTS_EVERY_COMMAND_H

#include "tool.h"
#include "zip_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 24 };

typedef struct command_line {
    const char *words[LINE_WORDS]; // without argv[0]
    const char *writes;            // a file; NULL: none
} command_line;

static const command_line every_command[] = {
    {{"check", "pendulum.mo"}, NULL},
    {{"check", "pendulum.mo", "--json", "--plot", "out.svg"}, "out.svg"},
    {{"check", "pendulum.mo", "--form", "semi-explicit"}, NULL},
    {{"check", "pendulum.mo", "--form", "ode"}, NULL},
    {{"check", "pendulum.mo", "--dump", "tape"}, NULL},
    {{"check", "wrong.mo"}, NULL},
    {{"live", "--help"}, NULL}, // tests/live serves pages, tests/lsp speaks to editors
    {{"lsp", "--help"}, NULL},
    {{"check", "model.fmu"}, NULL},
    {{"check", "model.fmu", "--json"}, NULL},
    {{"run", "model.fmu"}, NULL},
    {{"run", "pendulum.mo", "--stop", "0.05", "--intervals", "3", "--out", "out.csv"}, "out.csv"},
    {{"run", "pendulum.mo", "--stop", "0.05", "--intervals", "3", "--out", "out.mat", "--json"},
     "out.mat"},
    {{"run", "pendulum.mo", "--stop", "0.05", "--method", "bdf", "--verify", "--plot", "-"}, NULL},
    {{"run", "pendulum.mo", "--stop", "0.05", "--formulation", "ggl", "--plot", "out.html"},
     "out.html"},
    {{"run", "oscillator.mo", "--equilibrium", "--quiet"}, NULL},
    {{"run", "oscillator.mo", "--input", "u.csv", "--stop", "0.1", "--vars", "x", "--out",
      "out.csv"},
     "out.csv"},
    {{"run", "oscillator.mo", "--method", "rk4", "--step", "0.01", "--stop", "0.02",
      "--convergence"},
     NULL},
    {{"run", "oscillator.mo", "--method", "rk4", "--step", "0.01", "--stop", "0.02",
      "--contractivity"},
     NULL},
    {{"run", "bounce.mo", "--stop", "1", "--out", "out.csv", "--log", "event"}, "out.csv"},
    {{"run", "bounce.mo", "--params", "values.txt", "--times", "0.1,0.5", "--out", "end.mat"},
     "end.mat"},
    {{"run", "bounce.mo", "--params", "values.txt", "--from", "end.mat", "--times", "times.txt"},
     NULL},
    {{"compare", "oscillator.mo", "--methods", "rk4,radau5", "--step", "0.01", "--stop", "0.02",
      "--out", "out.csv", "--plot", "out.svg"},
     "out.csv"},
    {{"flatten", "pendulum.mo"}, NULL},
    {{"export", "pendulum.mo", "-o", "pendulum.fmu"}, NULL},
    {{"export", "pendulum.mo", "-o", "pendulum.fmu", "--fmi", "2", "--source"}, NULL},
    {{"parse", "pendulum.mo", "wrong.mo"}, NULL},
    {{"method", "radau5,bdf2", "--json"}, NULL},
    {{"method", "radau5", "--plot", "out.svg"}, "out.svg"},
    {{"pencil", "f.csv", "g.csv", "--rhs", "sin(t); 0"}, NULL},
    {{"pencil", "oscillator.mo"}, NULL},
    {{"linearize", "oscillator.mo", "--json"}, NULL},
    {{"linearize", "oscillator.mo", "--out", "out.csv", "--plot", "-"}, "out.A.csv"},
    {{"linearize", "oscillator.mo", "--bode", "--lqr", "", "--observer", "", "--plot", "out.svg"},
     "out.svg"},
    {{"linearize", "oscillator.mo", "--root-locus", "--json"}, NULL},
    {{"passivity", "oscillator.mo"}, NULL},
    {{"passivity", "--num", "1,2", "--den", "1,1,1"}, NULL},
    {{"region", "region.mo"}, NULL},
    {{"region", "oscillator.mo", "--json"}, NULL},
    {{"plot", "result.csv"}, NULL},
    {{"plot", "result.csv", "--plot", "out.svg"}, "out.svg"},
    {{"plot", "result.csv", "--plot", "out.html"}, "out.html"},
    {{"diff", "result.csv", "result.csv"}, NULL},
    {{"diff", "result.csv", "result.csv", "--tol", "1e-6", "--plot", "out.svg"}, "out.svg"},
    {{"run", "bounce.mo", "--stop", "0.6", "--intervals", "3", "--sens", "h,v", "--out", "out.csv"},
     "out.csv"},
    {{"gradient", "bounce.mo", "--goal", "integral(h^2) + v", "--of", "h", "--stop", "0.2"}, NULL},
    {{"gradient", "oscillator.mo", "--goal", "integral(x^2)", "--of", "x", "--stop", "0.2",
      "--adjoint"},
     NULL},
    {{"gradient", "oscillator.mo", "--goal", "integral(x^2)", "--of", "x", "--stop", "0.2",
      "--adjoint", "--method", "radau"},
     NULL},
    {{"optimize", "bounce.mo", "--goal", "integral((h - 1.2)^2)", "--over", "h = 1 [1, 2]",
      "--stop", "0.2"},
     NULL},
    {{"optimize", "oscillator.mo", "--goal", "integral(x^2 + F^2)", "--over", "F = 0.1 [-1, 1]",
      "--pieces", "2", "--iterations", "3", "--controls", "constant", "--way", "single", "--stop",
      "0.2", "--out", "out.csv"},
     "out.csv"},
    {{"fit", "bounce.mo", "heights.csv", "--params", "h = 1 [0.5, 2] log", "--profile", "--report",
      "out.html", "--plot", "out.svg"},
     "out.svg"},
    {{"watch", "--help"}, NULL}, // otherwise it does not end
    {{"examples", "examples.mo", "--list"}, NULL},
    {{"examples", "examples.mo", "--jobs", "1", "--json"}, NULL},
    {{"sweep", "pendulum.mo", "--vary", "g=9,10", "--stop", "0.05", "--collect",
      "max(F); first(x < 0.99)", "--jobs", "1", "--quiet", "--plot", "out.svg"},
     "out.svg"},
    {{"sweep", "bounce.mo", "--vary", "h~normal(1,0.1)", "--samples", "3", "--collect",
      "mean(h); count(events)", "--jobs", "1", "--quiet", "--indices", "--plot", "out.html"},
     "out.html"},
    {{"new", "Fresh"}, "Fresh.mo"},
    {{"tour", "--quiet"}, NULL},
    {{"help"}, NULL},
};
enum { EVERY_COMMAND = sizeof every_command / sizeof *every_command };

static inline bool every_command_file(const char *folder, const char *name, const char *words)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fputs(words, f);
    return fclose(f) == 0;
}

/* An FMU without a library, and with a variable that breaks a rule. */
static inline bool every_command_fmu(const char *folder)
{
    static zip_bytes z;
    char path[500];
    zip_make(&z,
             &(zip_entry){
                 .name = "modelDescription.xml",
                 .bytes = "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"3.0\" "
                          "modelName=\"M\" instantiationToken=\"1\">\n<ModelExchange "
                          "modelIdentifier=\"M\"/>\n<ModelVariables>\n<Float64 name=\"time\" "
                          "valueReference=\"0\" causality=\"independent\"/>\n<Float64 name=\"x\" "
                          "valueReference=\"1\" start=\"1 2\" initial=\"exact\" unit=\"m\"/>\n"
                          "</ModelVariables>\n<ModelStructure/>\n</fmiModelDescription>\n"},
             1);
    snprintf(path, sizeof path, "%s/model.fmu", folder);
    FILE *f = fopen(path, "w");
    if (!f) return false;
    bool written = fwrite(z.at, 1, z.n, f) == z.n;
    return fclose(f) == 0 && written;
}

/* The files that the lines read. */
static inline bool every_command_files(const char *folder)
{
    return every_command_fmu(folder) &&
           every_command_file(folder, "pendulum.mo",
                              "model Pendulum\n  parameter Real g = 9.81;\n"
                              "  Real x(start = 1), y(start = 0), vx, vy, F;\nequation\n"
                              "  der(x) = vx; der(y) = vy;\n  der(vx) = -F*x; der(vy) = -F*y - g;\n"
                              "  x^2 + y^2 = 1;\nend Pendulum;\n") &&
           every_command_file(folder, "wrong.mo",
                              "model A\n  Real x;\nequation\n  der(x) = -y;\nend A;\n") &&
           every_command_file(folder, "oscillator.mo",
                              "model O input Real F; output Real v(start = 0);\n"
                              "  Real x(start = 1, fixed = true);\nequation v = der(x);\n"
                              "  2*der(v) + 0.4*v + 8*x = F; end O;\n") &&
           every_command_file(
               folder, "bounce.mo",
               "model Bounce Real h(start = 1, fixed = true), v(start = 0, fixed = "
               "true);\nequation der(h) = v; der(v) = -9.81;\n"
               "  when h < 0 then reinit(v, -0.8*pre(v)); end when; end Bounce;\n") &&
           every_command_file(
               folder, "region.mo",
               "model Region input Real u, v, w, x, y, z; Real from[3] = {0, 0, 0}, to[3] = "
               "{1, 1, 1 + time}, place[3] = {u, v, w}, density = 1 + x, field = y, "
               "velocity[3] = {x, 0, 0}, pressure = 0, force[3] = zeros(3), internal = 0, "
               "potential = 0; end Region;\n") &&
           every_command_file(folder, "examples.mo",
                              "package Examples model A Real x = time; "
                              "annotation(experiment(StopTime = 1)); end A; end Examples;\n") &&
           every_command_file(folder, "u.csv", "time,F\n0,0\n0.05,1\n0.05,2\n1,3\n") &&
           every_command_file(folder, "values.txt", "h = 2 // m\n") &&
           every_command_file(folder, "times.txt", "0.6\n0.7\n") &&
           every_command_file(folder, "f.csv", "0,1\n0,0\n") &&
           every_command_file(folder, "g.csv", "1,0\n0,1\n") &&
           every_command_file(folder, "heights.csv", "time,h\n0.1,1.1\n0.2,1.2\n") &&
           every_command_file(folder, "result.csv", "time,x,y\n0,1,2\n1,2,3\n2,4,1\n");
}

/* The arguments of a line as the tool may change them; to be freed by every_command_free. */
static inline int every_command_words(const command_line *l, char **argv)
{
    int argc = 0;
    argv[argc++] = strdup("vincolo");
    for (int i = 0; i < LINE_WORDS && l->words[i]; i++) argv[argc++] = strdup(l->words[i]);
    argv[argc] = NULL;
    return argc;
}

#endif
