/* Why an integral has no value, in words.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "routine/routine.h"

#include <math.h>

void routine_integral_words(const routine_cause *c, text *out)
{
    const routine_integral *q = c->integral;
    static const char *const words[] = {
        [INTEGRAL_UNDEFINED] = "what is integrated is not a number",
        [INTEGRAL_DIVERGES] = "the integral does not converge: there is a singularity near",
        [INTEGRAL_LONG] =
            "the integral does not converge within its operations; the last were near",
        [INTEGRAL_FOLDED] = "the region is folded: different coordinates mean the same point",
        [INTEGRAL_EMPTY] = "the region has no volume",
        [INTEGRAL_MASSLESS] = "the region has no mass: its density is 0, or cancels",
    };
    int outer = c->fault == INTEGRAL_INVERTED ? c->coordinate : q->dims;
    if (c->fault == INTEGRAL_INVERTED)
        text_printf(out, "the bounds of '%s' are inverted: from %.9g to %.9g",
                    q->name[c->coordinate], c->low, c->high);
    else text_add(out, words[c->fault]);
    if (c->fault >= INTEGRAL_FOLDED) return;
    bool near = c->fault == INTEGRAL_DIVERGES || c->fault == INTEGRAL_LONG;
    for (int k = 0; k < outer && isfinite(c->at[k]); k++)
        text_printf(out, "%s%s = %.9g", k ? ", " : near ? " " : " at ", q->name[k], c->at[k]);
}

const char *routine_integral_cure(integral_fault fault)
{
    switch (fault) {
    case INTEGRAL_UNDEFINED:
        return "look for a square root or logarithm of a negative number in the bounds or in what "
               "is integrated";
    case INTEGRAL_DIVERGES:
        return "an integrable singularity is put at a bound; a pole has no integral; two pieces "
               "are "
               "better than one that jumps";
    case INTEGRAL_LONG:
        return "choose coordinates in which the boundary and what is integrated are smooth, or add "
               "up pieces";
    case INTEGRAL_INVERTED:
        return "write the smaller bound first, or end the coordinates before it where they meet";
    case INTEGRAL_FOLDED:
        return "each point belongs to one set of coordinates: of an angle take one turn, of a "
               "radius "
               "what is not negative";
    case INTEGRAL_EMPTY:
        return "the coordinates must lead in independent directions, and their bounds leave room "
               "between them";
    default: return "give a density whose integral is not 0";
    }
}
