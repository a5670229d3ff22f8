/* vincolo new NAME: a commented model to start from.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// %s is the name of the model, three times.
static const char starter[] =
    "// Try:  vincolo check %s.mo\n"
    "//       vincolo run %s.mo --plot -\n"
    "//       vincolo run %s.mo --plot %s.html\n"
    "model %s \"A mass on a rigid rod, hung from a spring\"\n"
    "  // Parameters keep their value during a run; -p m=2 changes one from outside.\n"
    "  parameter Real m(unit = \"kg\") = 1 \"mass at the end of the rod\";\n"
    "  parameter Real M(unit = \"kg\") = 1 \"mass between spring and rod\";\n"
    "  parameter Real L(unit = \"m\") = 1 \"length of the rod\";\n"
    "  parameter Real c(unit = \"N/m\") = 40 \"stiffness of the spring\";\n"
    "  parameter Real g(unit = \"m/s2\") = 9.81 \"gravity\";\n"
    "\n"
    "  // Unknowns: as many as there are equations. start is where the run begins;\n"
    "  // with fixed = true it holds exactly, otherwise it may move to fit the equations.\n"
    "  Real s(start = 0, fixed = true, unit = \"m\") \"stretch of the spring, downwards\";\n"
    "  Real x(start = 0.8, fixed = true, unit = \"m\") \"mass, to the right\";\n"
    "  Real y(start = -0.6, unit = \"m\") \"mass, upwards\";\n"
    "  Real w(start = 0, fixed = true, unit = \"m/s\") \"der(s)\";\n"
    "  Real vx(start = 0, fixed = true, unit = \"m/s\");\n"
    "  Real vy(unit = \"m/s\");\n"
    "  Real F(unit = \"N/m\") \"force in the rod, per length\";\n"
    "equation\n"
    "  // Equations say what holds, in any order; nothing is assigned.\n"
    "  der(s) = w;\n"
    "  der(x) = vx;\n"
    "  der(y) = vy;\n"
    "  m*der(vx) = -F*x;\n"
    "  m*der(vy) = -F*(y + s) - m*g;\n"
    "  M*der(w) = M*g - c*s - F*(y + s);\n"
    "\n"
    "  // A constraint: the rod has length L. It says nothing about F directly, so it must be\n"
    "  // differentiated twice (index 3); 'vincolo check' shows both hidden constraints.\n"
    "  x^2 + (y + s)^2 = L^2;\n"
    "\n"
    "  // How long to run, how exactly, and how the report draws it.\n"
    "  annotation(experiment(StopTime = 10, Tolerance = 1e-6),\n"
    "    __Vincolo(draw = {spring({0, 0.5}, {0, -s}), rod({0, -s}, {x, y}), trace({x, y}),\n"
    "      body({0, -s}, 0, \"box\", {0.12, 0.12}), point({x, y})}));\n"
    "end %s;\n";

static bool is_identifier(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_') return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_') return false;
    return true;
}

static int new_run(const options *o)
{
    enum { NAME_BYTES = 100 };
    if (o->n_words != 2 || !is_identifier(o->words[1]) || strlen(o->words[1]) > NAME_BYTES) {
        tool_error("vincolo new needs a name for the model: letters, digits and _, no digit "
                   "first, as in 'vincolo new Crane'\n");
        return EXIT_USAGE;
    }
    const char *name = o->words[1];
    char path[NAME_BYTES + 4], text[sizeof starter + 6 * NAME_BYTES];
    snprintf(path, sizeof path, "%s.mo", name);
    int n = snprintf(text, sizeof text, starter, name, name, name, name, name, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) {
        tool_error("vincolo new: %s\n",
                   errno == EEXIST ? "a file of that name is already here; it was left as it is"
                                   : strerror(errno));
        return EXIT_USAGE;
    }
    bool ok = write(fd, text, (size_t)n) == n;
    if (close(fd) != 0) ok = false;
    if (!ok) {
        tool_error("vincolo new: '%s' cannot be written: %s\n", path, strerror(errno));
        unlink(path);
        return EXIT_USAGE;
    }
    if (!o->quiet)
        printf(
            "%s is written. Next:\n    vincolo check %s\n    vincolo run %s --plot -\n    vincolo "
            "run %s --plot %s.html\n",
            path, path, path, path, name);
    return EXIT_DONE;
}

const command command_new = {
    .name = "new",
    .arguments = "NAME",
    .summary = "write a commented model to start from",
    .run = new_run,
};
