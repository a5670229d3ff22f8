/* Names that other languages have, and what is written here.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

static const struct hint {
    const char *name, *words;
} hints[] = {
    {"t", "the time is called 'time'"},
    {"pi", "declare it, 'constant Real pi = 2*acos(0)', or 'import Modelica.Constants.pi'"},
    {"e", "Euler's number is 'exp(1)'"},
    {"inf", "declare it, or 'import Modelica.Constants.inf'"},
    {"ln", "the natural logarithm is 'log'"},
    {"pow", "a power is written 'x^n'"},
    {"power", "a power is written 'x^n'"},
    {"sqr", "a square is written 'x^2'"},
    {"round", "write 'integer(x + 0.5)'"},
    {"ddt", "a derivative is written 'der(x)'"},
    {"diff", "a derivative is written 'der(x)'"},
    {"dt", "a derivative is written 'der(x)'"},
};

const char *inst_hint(flat_builder *b, sym name, const char *near)
{
    const char *words = NULL;
    if (near && name[0] == 'd' && !strcmp(name + 1, near)) { // dx
        char *t = arena_array(b->front, char, 2 * strlen(near) + 60);
        strcat(strcat(strcat(strcat(strcpy(t, "the derivative of '"), near), "' is written 'der("),
                      near),
               ")'");
        words = t;
    }
    for (size_t i = 0; !near && i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(hints[i].name, name)) words = hints[i].words;
    return words;
}
